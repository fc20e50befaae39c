//! What new items are to say, from before anything is asked until they are made. Of one that was not, where its text is kept.

use std::path::{Path, PathBuf};

use rusqlite::params;

use super::values::millis;
use super::{Store, storage};
use crate::error::Result;
use crate::model::Millis;

/// An item that was to be made and is not known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Making {
    /// Its number.
    pub number: i64,
    /// Its title.
    pub title: String,
    /// What it is to say; empty once that is kept.
    pub text: String,
    /// Where that is kept.
    pub path: Option<PathBuf>,
}

impl Store {
    /// Notes what is about to be made, durably; returns its number. What it is to say may stand in a file, `path`, and is not noted
    /// then; whatever was noted of that file before is forgotten.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing may be made.
    pub fn note_making(&mut self, title: &str, text: &str, path: Option<&Path>, at: Millis) -> Result<i64> {
        let doing = "noting a new document";
        let text = if path.is_some() { "" } else { text };
        let path = path.map(Path::to_string_lossy);
        self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            transaction.execute("DELETE FROM making WHERE path = ?1", [&path]).map_err(storage(doing))?;
            let insert = "INSERT INTO making (title, text, at, path) VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(insert, params![title, text, millis(at), path]).map_err(storage(doing))?;
            let number = transaction.last_insert_rowid();
            transaction.commit().map_err(storage(doing))?;
            Ok(number)
        })
    }

    /// Returns what was about to be made, the oldest first.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn makings(&self) -> Result<Vec<Making>> {
        let doing = "reading the new documents";
        let mut statement = self
            .connection
            .prepare_cached("SELECT number, title, text, path FROM making ORDER BY number")
            .map_err(storage(doing))?;
        let making = |row: &rusqlite::Row<'_>| {
            let path: Option<String> = row.get(3)?;
            Ok(Making { number: row.get(0)?, title: row.get(1)?, text: row.get(2)?, path: path.map(PathBuf::from) })
        };
        let rows = statement.query_map([], making).map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Notes where the text of what was not made is kept.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn keep_making(&mut self, number: i64, path: &Path) -> Result<()> {
        self.connection
            .execute(
                "UPDATE making SET text = '', path = ?2 WHERE number = ?1",
                params![number, path.to_string_lossy()],
            )
            .map(drop)
            .map_err(storage("keeping the text of a new document"))
    }

    /// Forgets what was about to be made.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_making(&mut self, number: i64) -> Result<()> {
        self.connection
            .execute("DELETE FROM making WHERE number = ?1", [number])
            .map(drop)
            .map_err(storage("forgetting a new document"))
    }
}
