//! What new items are to say, from before anything is asked until they are made. Of one that was not, where its text is kept.

use std::path::{Path, PathBuf};

use rusqlite::params;

use super::links::insert_link;
use super::values::millis;
use super::{Link, Store, epoch, storage};
use crate::error::Result;
use crate::model::{ItemId, Millis};

/// An item that was to be made and is not known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Making {
    /// Its number.
    pub number: i64,
    /// Its title.
    pub title: String,
    /// What it is to say; empty once that is kept. Of one that stands in a file, what may have been written into the item already.
    pub text: String,
    /// Where that is kept.
    pub path: Option<PathBuf>,
    /// The item, where it was made and its text may not be there.
    pub item: Option<ItemId>,
    /// Whether anybody was asked to make it, so that it may stand somewhere.
    pub asked: bool,
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
        let number = self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            transaction.execute("DELETE FROM making WHERE path = ?1", [&path]).map_err(storage(doing))?;
            let insert = "INSERT INTO making (title, text, at, path) VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(insert, params![title, text, millis(at), path]).map_err(storage(doing))?;
            let number = transaction.last_insert_rowid();
            epoch::advance(&transaction)?;
            transaction.commit().map_err(storage(doing))?;
            Ok(number)
        })?;
        self.tell_durable();
        Ok(number)
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
            .prepare_cached("SELECT number, title, text, path, item, asked FROM making ORDER BY number")
            .map_err(storage(doing))?;
        let making = |row: &rusqlite::Row<'_>| {
            let path: Option<String> = row.get(3)?;
            let item: Option<String> = row.get(4)?;
            Ok(Making {
                number: row.get(0)?,
                title: row.get(1)?,
                text: row.get(2)?,
                path: path.map(PathBuf::from),
                item: item.map(ItemId),
                asked: row.get(5)?,
            })
        };
        let rows = statement.query_map([], making).map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Notes where the text of what was not made is kept, and whether anybody was asked to make it.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn keep_making(&mut self, number: i64, path: &Path, asked: bool) -> Result<()> {
        self.connection
            .execute(
                "UPDATE making SET text = '', path = ?2, asked = ?3 WHERE number = ?1",
                params![number, path.to_string_lossy(), asked],
            )
            .map(drop)
            .map_err(storage("keeping the text of a new document"))
    }

    /// Notes of what was made, durably, what may be written into it from now on; an empty text when nothing of it is there.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing may be written.
    pub fn note_made(&mut self, number: i64, item: &ItemId, text: &str) -> Result<()> {
        let doing = "noting what was made";
        self.durably(doing, |connection| {
            connection
                .execute("UPDATE making SET item = ?2, text = ?3 WHERE number = ?1", params![number, item.0, text])
                .map(drop)
                .map_err(storage(doing))
        })?;
        self.advanced()
    }

    /// Notes that what was made has its text, durably, with the link that is to stand in the place of the file.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then both are as before.
    pub fn note_filled(&mut self, number: i64, link: &Link, at: Millis) -> Result<()> {
        let doing = "noting that a document has its text";
        self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            insert_link(&transaction, link, at).map_err(storage(doing))?;
            transaction.execute("DELETE FROM making WHERE number = ?1", [number]).map_err(storage(doing))?;
            epoch::advance(&transaction)?;
            transaction.commit().map_err(storage(doing))
        })?;
        self.tell_durable();
        Ok(())
    }

    /// Notes that the file of which something is made has another path by now.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn move_making(&mut self, from: &Path, to: &Path) -> Result<()> {
        self.connection
            .execute("UPDATE making SET path = ?2 WHERE path = ?1", [from, to].map(Path::to_string_lossy))
            .map(drop)
            .map_err(storage("noting another path of a new document"))
    }

    /// Forgets what was about to be made of a file.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_makings_of(&mut self, path: &Path) -> Result<()> {
        self.connection
            .execute("DELETE FROM making WHERE path = ?1", [path.to_string_lossy()])
            .map(drop)
            .map_err(storage("forgetting a new document"))
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
