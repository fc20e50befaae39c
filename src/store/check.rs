//! What can be checked of a database while it is in use.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension as _, params};

use super::{Store, storage};
use crate::error::Result;
use crate::mebdf;
use crate::model::{ItemId, PartId};

/// Findings that one check tells at most.
const FINDINGS_MAX: i64 = 20;

impl Store {
    /// Lets SQLite look through the whole file; returns what it finds wrong, in its words.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn findings(&self) -> Result<Vec<String>> {
        let doing = "checking the database";
        let mut statement =
            self.connection.prepare(&format!("PRAGMA integrity_check({FINDINGS_MAX})")).map_err(storage(doing))?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).map_err(storage(doing))?;
        let mut found: Vec<String> = rows.collect::<std::result::Result<_, _>>().map_err(storage(doing))?;
        found.retain(|line| line != "ok");
        Ok(found)
    }

    /// Tells whether the index finds the file of a part by the text that it has.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_indexed(&self, item: &ItemId, part: &PartId, text: &str) -> Result<bool> {
        let found = self
            .connection
            .prepare_cached(
                "SELECT d.text = ?3 FROM part p JOIN doc d ON d.rowid = p.docid WHERE p.item = ?1 AND p.part = ?2",
            )
            .and_then(|mut statement| {
                statement.query_row(params![item.0, part.0, mebdf::body(text)], |row| row.get(0)).optional()
            })
            .map_err(storage("checking the index"))?;
        Ok(found == Some(true))
    }

    /// Writes the text of a file into the index anew.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn index_anew(&mut self, item: &ItemId, part: &PartId, text: &str) -> Result<()> {
        let doing = "writing the index anew";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        let found: Option<(i64, String)> = transaction
            .query_row(
                "SELECT p.docid, i.title FROM part p JOIN item i ON i.id = p.item WHERE p.item = ?1 AND p.part = ?2",
                [&item.0, &part.0],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .map_err(storage(doing))?;
        let Some((doc, title)) = found else { return Ok(()) };
        transaction.execute("DELETE FROM doc WHERE rowid = ?1", [doc]).map_err(storage(doing))?;
        transaction
            .execute("INSERT INTO doc (rowid, title, text) VALUES (?1, ?2, ?3)", params![doc, title, mebdf::body(text)])
            .map_err(storage(doing))?;
        transaction.commit().map_err(storage(doing))
    }

    /// Returns the items and files that pushes without an end belong to.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn open_pushes(&self) -> Result<BTreeSet<(ItemId, PartId)>> {
        Ok(self.open_jobs()?.into_iter().map(|job| (job.item, job.part)).collect())
    }
}
