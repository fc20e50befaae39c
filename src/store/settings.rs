//! How far the account's feeds were read, and what its person has set.

use rusqlite::OptionalExtension as _;

use super::{Store, storage};
use crate::error::Result;
use crate::model::{Cursor, Millis};

impl Store {
    /// Returns how far the change feed was read.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn cursor(&self, feed: &str) -> Result<Option<Cursor>> {
        self.connection
            .query_row("SELECT cursor FROM cursor WHERE feed = ?1", [feed], |row| row.get(0).map(Cursor))
            .optional()
            .map_err(storage("reading the cursor"))
    }

    /// Stores how far the change feed was read.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn save_cursor(&mut self, feed: &str, cursor: &Cursor) -> Result<()> {
        self.connection
            .execute(
                "INSERT INTO cursor (feed, cursor) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET cursor = ?2",
                [feed, &cursor.0],
            )
            .map(drop)
            .map_err(storage("storing the cursor"))
    }

    /// Tells whether a person has paused the account.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_paused(&self) -> Result<bool> {
        self.connection
            .query_row("SELECT count(*) > 0 FROM setting WHERE name = 'paused'", [], |row| row.get(0))
            .map_err(storage("reading the settings"))
    }

    /// Stores whether a person has paused the account.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn save_paused(&mut self, paused: bool) -> Result<()> {
        let sql = if paused {
            "INSERT OR REPLACE INTO setting (name, value) VALUES ('paused', 'true')"
        } else {
            "DELETE FROM setting WHERE name = 'paused'"
        };
        self.connection.execute(sql, []).map_err(storage("storing the settings"))?;
        self.advanced()
    }

    /// Returns what is to be told of a state that was lost, as it was stored.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn lost(&self) -> Result<Option<String>> {
        self.setting("lost")
    }

    /// Stores what is to be told of a state that was lost, or that nothing is.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn save_lost(&mut self, told: Option<&str>) -> Result<()> {
        self.save_setting("lost", told)
    }

    /// Returns when it was found that a state was lost; `None` when none ever was.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn lost_at(&self) -> Result<Option<Millis>> {
        Ok(self.setting("lost at")?.and_then(|at| at.parse().ok()).map(Millis))
    }

    /// Stores when it was found that a state was lost.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn save_lost_at(&mut self, at: Millis) -> Result<()> {
        self.save_setting("lost at", Some(&at.0.to_string()))
    }

    /// Returns the name of the file in which an epoch was noted last.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn noted_in(&self) -> Result<Option<String>> {
        self.setting("noted in")
    }

    /// Stores the name of the file in which the epochs are noted.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn save_noted_in(&mut self, name: &str) -> Result<()> {
        self.save_setting("noted in", Some(name))
    }

    fn setting(&self, name: &str) -> Result<Option<String>> {
        self.connection
            .query_row("SELECT value FROM setting WHERE name = ?1", [name], |row| row.get(0))
            .optional()
            .map_err(storage("reading the settings"))
    }

    fn save_setting(&mut self, name: &str, value: Option<&str>) -> Result<()> {
        let changed = match value {
            Some(value) => {
                self.connection.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)", [name, value])
            }
            None => self.connection.execute("DELETE FROM setting WHERE name = ?1", [name]),
        };
        changed.map(drop).map_err(storage("storing the settings"))
    }
}
