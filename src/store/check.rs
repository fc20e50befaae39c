//! What can be checked of a database while it is in use.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension as _, params};

use super::attached;
use super::index::{self, Row};
use super::{Store, storage};
use crate::error::Result;
use crate::mebdf;
use crate::model::{ItemId, PartId};

/// Findings that one check tells at most.
const FINDINGS_MAX: i64 = 20;

/// What SQLite finds wrong holds this when it is about the index, which is made anew from what it holds.
const OF_INDEX: &str = "FTS5";

/// What SQLite finds wrong with its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    /// In its words, what is wrong with the tables.
    pub tables: Vec<String>,
    /// What is wrong with the index.
    pub index: Vec<String>,
}

/// The files of a database that is open: the device of each and its number there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    /// The database.
    main: (u64, u64),
    /// What is written before it goes into the database; `None` where SQLite keeps none.
    log: Option<(u64, u64)>,
}

impl Files {
    /// Looks which files stand for the database at `path`.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let identity = |path: &Path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
        Ok(Self { main: identity(path)?, log: identity(&log_of(path)).ok() })
    }
}

/// Where SQLite keeps what is not in the database at `path` yet.
fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

impl Store {
    /// Tells what became of the files that were opened, when they do not stand at their paths as they should. What is written to
    /// those is lost when the last connection closes, and SQLite says nothing of it.
    #[must_use]
    pub fn misplaced(&self) -> Option<String> {
        let shown = self.path.display();
        let Ok(found) = Files::of(&self.path) else { return Some(format!("{shown} is gone")) };
        if found.main != self.files.main {
            return Some(format!("another file stands at {shown}"));
        }
        if std::fs::metadata(&self.path).is_ok_and(|found| found.len() == 0) {
            return Some(format!("{shown} was emptied"));
        }
        (self.files.log.is_some() && found.log != self.files.log)
            .then(|| format!("{} is gone, or another file stands there", log_of(&self.path).display()))
    }

    /// Lets SQLite look through the whole file.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn damage(&self) -> Result<Damage> {
        let doing = "checking the database";
        // A connection of its own remembers nothing of what stood there before.
        let fresh = self.reader()?;
        let check = format!("PRAGMA integrity_check({FINDINGS_MAX})");
        let mut statement = fresh.connection.prepare(&check).map_err(storage(doing))?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).map_err(storage(doing))?;
        let mut found: Vec<String> = rows.collect::<std::result::Result<_, _>>().map_err(storage(doing))?;
        found.retain(|line| line != "ok");
        let (index, tables) = found.into_iter().partition(|line| line.to_ascii_uppercase().contains(OF_INDEX));
        Ok(Damage { tables, index })
    }

    /// Makes the whole index anew from the texts that it holds.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn rebuild_index(&mut self) -> Result<()> {
        self.connection
            .execute("INSERT INTO doc (doc) VALUES ('rebuild')", [])
            .map(drop)
            .map_err(storage("making the index anew"))
    }

    /// Tells whether the index finds the file of a part by the text that it has and by what is attached, or will in a moment.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_indexed(&self, item: &ItemId, part: &PartId, text: &str) -> Result<bool> {
        let attached = attached::indexed(&self.connection, &item.0)?;
        let found = self
            .connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM unindexed WHERE docid = p.docid) OR d.text = ?3 AND d.attached = ?4
                 FROM part p LEFT JOIN doc d ON d.rowid = p.docid WHERE p.item = ?1 AND p.part = ?2",
            )
            .and_then(|mut statement| {
                let text = index::spaced(mebdf::body(text));
                let found =
                    statement.query_row(params![item.0, part.0, text, attached], |row| row.get::<_, Option<bool>>(0));
                found.optional()
            })
            .map_err(storage("checking the index"))?;
        Ok(found.flatten() == Some(true))
    }

    /// Writes the text of a file into the index anew.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn index_anew(&mut self, item: &ItemId, part: &PartId, text: &str) -> Result<()> {
        let doing = "writing the index anew";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        let Some((doc, title, facets)) = index::stored(&transaction, item, part)? else { return Ok(()) };
        transaction.execute("DELETE FROM doc WHERE rowid = ?1", [doc]).map_err(storage(doing))?;
        let attached = attached::indexed(&transaction, &item.0)?;
        let row = Row { title: &title, text, facets: &facets };
        row.ready(attached).insert(&transaction, doc)?;
        transaction.execute("DELETE FROM unindexed WHERE docid = ?1", [doc]).map_err(storage(doing))?;
        transaction
            .execute("UPDATE part SET mark = ?3 WHERE item = ?1 AND part = ?2", params![item.0, part.0, row.mark()?])
            .map_err(storage(doing))?;
        transaction.commit().map_err(storage(doing))
    }

    /// Counts the rows of the index that belong to nothing.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn stray_rows(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM doc WHERE rowid NOT IN (SELECT docid FROM part)";
        let count: i64 = self.connection.query_row(sql, [], |row| row.get(0)).map_err(storage("checking the index"))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Takes the rows of the index away that belong to nothing.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_stray_rows(&mut self) -> Result<()> {
        let sql = "DELETE FROM doc WHERE rowid NOT IN (SELECT docid FROM part)";
        self.connection.execute(sql, []).map(drop).map_err(storage("mending the index"))
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
