//! A database that is damaged or gone: it is put aside, never deleted, and a new one begins with the files that stand.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::params;

use super::failure::Failure;
use super::values::millis;
use super::{Store, epoch, storage};
use crate::error::{Error, Result};
use crate::model::{ItemId, KindName, Millis};

/// What SQLite writes beside a database, in the order in which they are put aside: a new database must never meet the log of
/// another one.
const BESIDE: [&str; 3] = ["-wal", "-shm", ""];

/// How a database was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// It stood there.
    Known,
    /// It was damaged; a new one stands there, and the old one here.
    Rebuilt(PathBuf),
}

impl Store {
    /// Opens the database at `path` like [`Self::open`]; a damaged one is put aside for an empty one.
    ///
    /// # Errors
    ///
    /// As [`Self::open`], but for damage.
    pub fn open_or_rebuild(path: &Path, at: Millis) -> Result<(Self, Opened)> {
        match Self::try_open(path) {
            Ok(store) => Ok((store, Opened::Known)),
            Err(Failure::Other(error)) => Err(error),
            Err(Failure::Damaged(reason)) => {
                let aside = put_aside(path, at)?;
                tracing::error!(reason, aside = %aside.display(), "the state database is damaged and was put aside");
                Ok((Self::open(path)?, Opened::Rebuilt(aside)))
            }
        }
    }

    /// Takes in items of which only files are known, all or nothing; those that are known already stay as they are.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn adopt(&mut self, items: &[ItemId], kind: KindName, at: Millis) -> Result<()> {
        let doing = "taking files in";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        for item in items {
            // What was known of one that a person let go of says nothing of the file that stands there.
            transaction.execute("DELETE FROM item WHERE id = ?1 AND buried = 2", [&item.0]).map_err(storage(doing))?;
            transaction
                .execute(
                    "INSERT OR IGNORE INTO item (id, kind, title, can_edit, at) VALUES (?1, ?2, '', 0, ?3)",
                    params![item.0, kind.to_string(), millis(at)],
                )
                .map_err(storage(doing))?;
        }
        epoch::advance(&transaction)?;
        transaction.commit().map_err(storage(doing))?;
        self.tell();
        Ok(())
    }
}

/// Gives a database and what stands beside it other names; returns that of the database.
fn put_aside(path: &Path, at: Millis) -> Result<PathBuf> {
    let named = |path: &Path, beside: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(beside);
        PathBuf::from(name)
    };
    let kept = aside(path, "damaged", at);
    for beside in BESIDE {
        let from = named(path, beside);
        match fs::rename(&from, named(&kept, beside)) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Disk { path: from, doing: "put aside", source }),
        }
    }
    Ok(kept)
}

/// Returns under which name a database is kept that is `what`.
pub(super) fn aside(path: &Path, what: &str, at: Millis) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{what}-{}", at.0));
    PathBuf::from(name)
}
