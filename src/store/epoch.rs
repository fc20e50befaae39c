//! Which of its states a database is in, so that one that was put back is known for an older one.

use std::fmt;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _};

use super::recovery::aside;
use super::{Store, storage};
use crate::error::{Error, Result};
use crate::model::{Epoch, Millis};

/// Under which names the settings hold the two halves.
const NAMES: [&str; 2] = ["database", "epoch"];

/// What hears of an epoch, and whether the disk has it for certain.
type Hear = Box<dyn Fn(&Epoch, bool) + Send>;

/// Hears of each epoch of a database once it has begun.
pub(super) struct Witness(Hear);

impl fmt::Debug for Witness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Witness")
    }
}

/// Begins the next epoch with what is being changed, in a database that has seen one.
pub(super) fn advance(connection: &Connection) -> Result<()> {
    connection
        .prepare_cached("UPDATE setting SET value = CAST(value AS INTEGER) + 1 WHERE name = 'epoch'")
        .and_then(|mut statement| statement.execute([]))
        .map(drop)
        .map_err(storage("beginning an epoch"))
}

impl Store {
    /// Has somebody hear of each epoch from now on, once what began it is stored, and whether the disk has it for certain.
    pub fn set_witness(&mut self, witness: impl Fn(&Epoch, bool) + Send + 'static) {
        self.witness = Some(Witness(Box::new(witness)));
    }

    /// Tells the witness of the newest epoch. One that cannot be read is told of with the next.
    pub(super) fn tell(&self) {
        self.tell_of(false);
    }

    /// Tells the witness of the newest epoch, which was stored by a change that waits for the disk, so that it has all before it,
    /// too.
    pub(super) fn tell_durable(&self) {
        self.tell_of(true);
    }

    fn tell_of(&self, durable: bool) {
        if let Some(Witness(hear)) = &self.witness
            && let Ok(Some(epoch)) = self.epoch()
        {
            hear(&epoch, durable);
        }
    }

    /// Begins the next epoch after a change.
    pub(super) fn advanced(&self) -> Result<()> {
        advance(&self.connection)?;
        self.tell();
        Ok(())
    }

    /// Returns the epoch that began last; `None` in a database that never saw one.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn epoch(&self) -> Result<Option<Epoch>> {
        let [database, number] = NAMES.map(|name| {
            self.connection
                .prepare_cached("SELECT value FROM setting WHERE name = ?1")
                .and_then(|mut statement| statement.query_row([name], |row| row.get::<_, String>(0)).optional())
                .map_err(storage("reading the epoch"))
        });
        let (database, number) = (database?, number?.and_then(|number| number.parse().ok()));
        Ok(database.zip(number).map(|(database, number)| Epoch { database, number }))
    }

    /// Begins the next epoch, durably: whatever was stored before is on the disk on return.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then the one before goes on.
    pub fn begin_epoch(&mut self) -> Result<Epoch> {
        let next = match self.epoch()? {
            Some(Epoch { database, number }) => Epoch { database, number: number.saturating_add(1) },
            None => Epoch { database: drawn()?, number: 1 },
        };
        let doing = "beginning an epoch";
        self.durably(doing, |connection| {
            let transaction = connection.transaction().map_err(storage(doing))?;
            for (name, value) in NAMES.into_iter().zip([next.database.clone(), next.number.to_string()]) {
                let sql = "INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)";
                transaction.execute(sql, [name, &value]).map_err(storage(doing))?;
            }
            transaction.commit().map_err(storage(doing))
        })?;
        Ok(next)
    }

    /// Returns how many rows this connection has changed so far.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.connection.total_changes()
    }

    /// Tells whether it knows of no item and never read the feed.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_new(&self) -> Result<bool> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM item) AND NOT EXISTS (SELECT 1 FROM cursor)";
        self.connection.query_row(sql, [], |row| row.get(0)).map_err(storage("reading the items"))
    }

    /// Forgets the items and all that was agreed of them: it is older than the files. What a person has set, the log, the pushes
    /// that have ended, the links and what waits to be made stay. A copy of all is kept; returns where.
    ///
    /// # Errors
    ///
    /// `Disk` and `Storage` as they come; then nothing is forgotten.
    pub fn forget_items(&mut self, at: Millis) -> Result<PathBuf> {
        let doing = "setting an older database aside";
        let kept = aside(&self.path, "older", at);
        // Made first, so that others never read it. Opened by nobody but SQLite, the database keeps its locks.
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&kept)
            .map_err(|source| Error::Disk { path: kept.clone(), doing: "written", source })?;
        self.connection.backup("main", &kept, None).map_err(storage(doing))?;
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        transaction
            .execute_batch(
                "UPDATE job SET state = 'reconciled' WHERE state = 'begun';
                 DELETE FROM doc; DELETE FROM unindexed; DELETE FROM part; DELETE FROM base; DELETE FROM item; DELETE FROM arrival;
                 DELETE FROM intent; DELETE FROM image; DELETE FROM attached; DELETE FROM copy; DELETE FROM cursor; DELETE FROM tombstone;
                 UPDATE rule SET whole = 0;
                 DELETE FROM setting WHERE name IN ('database', 'epoch');",
            )
            .map_err(storage(doing))?;
        transaction.commit().map_err(storage(doing))?;
        Ok(kept)
    }
}

/// Draws a name that no other database has.
fn drawn() -> Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random)
        .map_err(|error| Error::Storage { doing: "drawing a random number", source: error.into() })?;
    Ok(format!("{:032x}", u128::from_ne_bytes(random)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail, and says what it saw")]

    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::model::{Cursor, ItemId, KindName};

    #[test]
    fn each_epoch_is_later_than_those_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(&path).unwrap();
        assert_eq!(store.epoch().unwrap(), None);
        let first = store.begin_epoch().unwrap();
        let second = store.begin_epoch().unwrap();
        assert!(first.is_older(&second) && !second.is_older(&first) && !second.is_older(&second));
        drop(store);
        assert_eq!(Store::open(&path).unwrap().epoch().unwrap(), Some(second.clone()));
        let other = Store::open(&folder.path().join("other.db")).unwrap().begin_epoch().unwrap();
        assert!(other.is_older(&first) && second.is_older(&other), "another database is never the same");
    }

    #[test]
    fn the_witness_hears_of_each_change_and_which_of_them_the_disk_has() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("state.db")).unwrap();
        let first = store.begin_epoch().unwrap();
        let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let hears = heard.clone();
        store.set_witness(move |epoch, durable| hears.lock().unwrap().push((epoch.number, durable)));
        store.adopt(&[ItemId("one".into())], KindName::Docs, Millis(1)).unwrap();
        store.note_making("New", "its text", None, Millis(2)).unwrap();
        store.save_paused(true).unwrap();
        // What nobody would miss is no epoch.
        store.save_cursor("changes", &Cursor("7".into())).unwrap();
        let expected = [(first.number + 1, false), (first.number + 2, true), (first.number + 3, false)];
        assert_eq!(*heard.lock().unwrap(), expected);
        assert_eq!(store.epoch().unwrap().unwrap().number, first.number + 3);
    }

    #[test]
    fn what_is_not_of_the_items_stays_when_they_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        let mut store = Store::open(&path).unwrap();
        store.adopt(&[ItemId("one".into())], KindName::Docs, Millis(1)).unwrap();
        store.save_cursor("changes", &Cursor("7".into())).unwrap();
        store.save_paused(true).unwrap();
        store.note_making("New", "its text", None, Millis(2)).unwrap();
        let before = store.begin_epoch().unwrap();
        assert!(!store.is_new().unwrap());
        let kept = store.forget_items(Millis(3)).unwrap();
        assert!(store.is_new().unwrap() && store.is_paused().unwrap());
        assert_eq!((store.makings().unwrap().len(), store.epoch().unwrap()), (1, None));
        assert!(before.is_older(&store.begin_epoch().unwrap()));
        assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
        let copy = Store::open(&kept).unwrap();
        assert_eq!((copy.items().unwrap().len(), copy.epoch().unwrap()), (1, Some(before)));
    }
}
