//! The state of one account in SQLite: bases, stamps, the journal, the cursor, the log, and the index.
//!
//! What is stored are observations; what is to be done follows from them. Only pushes begun are stored as work.

mod agreed;
mod arrivals;
mod attached;
#[cfg(test)]
mod attached_tests;
mod boot;
mod check;
mod epoch;
mod failure;
mod images;
mod index;
mod journal;
mod links;
mod log;
mod makings;
mod query;
mod record;
mod recovery;
mod rules;
mod schema;
mod search;
#[cfg(test)]
mod search_tests;
mod settings;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};

use crate::error::{Error, Result};
use crate::model::{ContentHash, Facets, ItemId, KindName, Millis, Notice, PartId, Revision, Stamp};
use crate::sync::{Arrival, Blind, Loaded, Record, Row, RowPart, Told, Words};
use failure::{Failure, migrating, opening};
use record::{write_record, write_told};
use values::{from_millis, millis, unpack};

pub use attached::{Attached, StoredCopy};
pub use boot::id as boot;
pub use check::Damage;
pub use images::{PENDING, StoredImage};
pub use journal::{NewJob, StoredPush};
pub use links::{Link, LinkBase};
pub use log::{LogLine, LogWord};
pub use makings::Making;
pub use query::Asker;
pub use recovery::Opened;
pub use rules::KeptRule;
pub use search::{Hit, Hits};

/// How long it is known what the files of an item said that a person let go of, in milliseconds: who has one open may save it once
/// the item is fetched anew.
const FORGOTTEN_FOR_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// How many bases of each part are kept; they are the undo history.
const KEPT_BASES: i64 = 20;

/// The largest database that is checked at each start, in bytes: that takes some 50 ms. A larger one shows its damage when it
/// is read, or to `doctor`.
const CHECKED_BYTES_MAX: u64 = 32 << 20;

/// One account's database. Calls block; callers bring their own thread.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// The files that were opened.
    files: check::Files,
    /// Who hears of each epoch.
    witness: Option<epoch::Witness>,
    /// What is yet to be indexed.
    flood: index::Flood,
}

/// An item as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// Its id.
    pub id: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// Its name.
    pub title: String,
    /// Where a person opens it; empty when it was never told.
    pub url: String,
    /// Its version when it was recorded last.
    pub revision: Option<Revision>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// Whether it was not there, or hidden from the account, when it was read last.
    pub gone: bool,
    /// Whether its files are put away until it is there again.
    buried: bool,
    /// When it was recorded last.
    pub at: Millis,
    /// Its files, the main one first.
    pub parts: Vec<StoredPart>,
}

/// One file of a [`StoredItem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPart {
    /// Which file.
    pub part: PartId,
    /// What people call it; empty when it was never told.
    pub title: String,
    /// What its text cannot say.
    pub warnings: Vec<Notice>,
    /// The file's version when it was recorded.
    pub stamp: Option<Stamp>,
    /// Hash of the file's bytes when it was recorded.
    pub hash: Option<ContentHash>,
    /// Whether its base may be older than the version of the item.
    pub behind: bool,
    /// When its text changed last.
    pub modified: Millis,
    /// What a person has yet to be told of pushes that landed.
    pub told: Told,
}

/// What people are told about an item besides its text; stored with the record that follows a fetch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Where a person opens it.
    pub url: String,
    /// What its main file is of, as the kind calls it.
    pub main: Option<String>,
    /// What it is found by besides its words.
    pub facets: Facets,
    /// For each file its name and what its text cannot say.
    pub parts: Vec<(PartId, String, Vec<Notice>)>,
}

impl Store {
    /// Opens the database at `path`, makes it when it is missing, and brings its tables up to date.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when a newer program wrote it or it is damaged, with what to do; `Disk` and `Storage` as they come.
    pub fn open(path: &Path) -> Result<Self> {
        Self::try_open(path).map_err(|failure| failure.error(path))
    }

    fn try_open(path: &Path) -> Result<Self, Failure> {
        // The file is made before SQLite sees it, so that it is never readable by others; WAL and SHM inherit its mode. It is closed
        // before SQLite opens it: closing it later would drop the locks that SQLite has on it, and another program that looks
        // into the database would take its log away: <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>.
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map(drop)
            .map_err(|source| Failure::Other(Error::Disk { path: path.into(), doing: "opened", source }))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(opening)?;
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
                 PRAGMA busy_timeout = 5000; PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY;",
            )
            .map_err(opening)?;
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.len() <= CHECKED_BYTES_MAX) {
            let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(opening)?;
            if found != "ok" {
                return Err(Failure::Damaged(found));
            }
        }
        schema::migrations().to_latest(&mut connection).map_err(|e| migrating(path, e))?;
        let files = check::Files::of(path)
            .map_err(|source| Failure::Other(Error::Disk { path: path.into(), doing: "read", source }))?;
        let flood = index::Flood::left(index::any_waits(&connection).map_err(opening)?);
        Ok(Self { connection, path: path.into(), files, witness: None, flood })
    }

    /// Opens a second connection for reading, so that a search never waits for a writer.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn reader(&self) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(|e| opening(e).error(&self.path))?;
        connection
            .execute_batch("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -1000; PRAGMA temp_store = MEMORY;")
            .map_err(|e| opening(e).error(&self.path))?;
        let flood = index::Flood::default();
        Ok(Self { connection, path: self.path.clone(), files: self.files, witness: None, flood })
    }

    /// Where the database stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what an engine is told at the start.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn load(&self, feed: &str) -> Result<Loaded> {
        let (mut put_back, mut blind) = (self.put_back()?, self.blind()?);
        let mut row = |item: StoredItem| Row {
            kind: item.kind,
            title: item.title,
            revision: item.revision,
            can_edit: item.can_edit,
            gone: item.gone,
            buried: item.buried,
            parts: item
                .parts
                .into_iter()
                .map(|part| RowPart {
                    put_back: put_back.remove(&(item.id.clone(), part.part.clone())),
                    blind: blind.remove(&(item.id.clone(), part.part.clone())),
                    part: part.part,
                    stamp: part.stamp,
                    hash: part.hash,
                    behind: part.behind,
                    told: part.told,
                })
                .collect(),
            item: item.id,
        };
        Ok(Loaded {
            rows: self.all_items()?.into_iter().map(&mut row).collect(),
            jobs: self.open_jobs()?,
            cursor: self.cursor(feed)?,
            paused: self.is_paused()?,
            lost_at: self.lost_at()?,
        })
    }

    /// Returns the saves into which what they lacked was put back, by their files.
    fn put_back(&self) -> Result<BTreeMap<(ItemId, PartId), String>> {
        let rows = self.of_files::<Vec<u8>>("SELECT item, part, put_back FROM part WHERE put_back IS NOT NULL")?;
        // One that cannot be read is as none: it is put back once more.
        Ok(rows.into_iter().filter_map(|(file, packed)| Some((file, unpack(&packed)?))).collect())
    }

    /// Returns what is known of files of which nothing is known from before, by these.
    fn blind(&self) -> Result<BTreeMap<(ItemId, PartId), Blind>> {
        let rows = self.of_files::<String>("SELECT item, part, blind FROM part WHERE blind IS NOT NULL")?;
        // One that cannot be read is as none: nobody could say when it ends.
        Ok(rows.into_iter().filter_map(|(file, told)| Some((file, serde_json::from_str(&told).ok()?))).collect())
    }

    /// Reads something of some files; `sql` names item, part and that.
    fn of_files<T: FromSql>(&self, sql: &str) -> Result<Vec<((ItemId, PartId), T)>> {
        let doing = "reading what is known of files";
        let mut statement = self.connection.prepare_cached(sql).map_err(storage(doing))?;
        let rows = statement
            .query_map([], |row| Ok(((ItemId(row.get(0)?), PartId(row.get(1)?)), row.get(2)?)))
            .map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Returns every item that is mirrored, sorted by id.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn items(&self) -> Result<Vec<StoredItem>> {
        Ok(self.all_items()?.into_iter().filter(|item| !item.buried).collect())
    }

    /// Those that a person let go of are none.
    fn all_items(&self) -> Result<Vec<StoredItem>> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT id, kind, title, url, revision, can_edit, at, gone, buried FROM item WHERE buried <> 2 ORDER BY id",
            )
            .map_err(storage("listing items"))?;
        let rows = statement.query_map([], item_row).map_err(storage("listing items"))?;
        let mut items: Vec<StoredItem> = rows.collect::<Result<_, _>>().map_err(storage("listing items"))?;
        for item in &mut items {
            item.parts = self.parts(&item.id)?;
        }
        Ok(items)
    }

    /// Returns one item; `None` when it is not mirrored, or not any more.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn item(&self, id: &ItemId) -> Result<Option<StoredItem>> {
        let found = self
            .connection
            .prepare_cached("SELECT id, kind, title, url, revision, can_edit, at, gone, buried FROM item WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([&id.0], item_row).optional())
            .map_err(storage("reading an item"))?;
        let Some(mut item) = found.filter(|item| !item.buried) else { return Ok(None) };
        item.parts = self.parts(id)?;
        Ok(Some(item))
    }

    /// Returns what the main file of an item is of, as its kind calls it; also of one that is put away, was forgotten lately, or has a
    /// file that is about to be written.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn main_of(&self, id: &ItemId) -> Result<Option<String>> {
        let found = self
            .connection
            .prepare_cached(
                "SELECT main FROM (
                     SELECT 1 AS place, main FROM item WHERE id = ?1 UNION ALL SELECT 2, main FROM intent WHERE item = ?1
                 ) WHERE main IS NOT NULL ORDER BY place LIMIT 1",
            )
            .and_then(|mut statement| statement.query_row([&id.0], |row| row.get(0)).optional())
            .map_err(storage("reading an item"))?;
        Ok(found)
    }

    /// Tells whether an item is gone and comes back by itself.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_buried(&self, id: &ItemId) -> Result<bool> {
        self.connection
            .prepare_cached("SELECT 1 FROM item WHERE id = ?1 AND buried = 1")
            .and_then(|mut statement| statement.exists([&id.0]))
            .map_err(storage("reading an item"))
    }

    fn parts(&self, id: &ItemId) -> Result<Vec<StoredPart>> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT part, title, warnings, stamp, hash, modified, told, behind FROM part WHERE item = ?1
                 ORDER BY position",
            )
            .map_err(storage("reading an item"))?;
        let rows = statement.query_map([&id.0], part_row).map_err(storage("reading an item"))?;
        rows.collect::<Result<_, _>>().map_err(storage("reading an item"))
    }

    /// Returns the mirrored item whose id differs from this one in capital letters alone.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn item_spelt_otherwise(&self, id: &ItemId) -> Result<Option<ItemId>> {
        self.connection
            .prepare_cached("SELECT id FROM item WHERE id = ?1 COLLATE NOCASE AND id <> ?1 AND NOT buried LIMIT 1")
            .and_then(|mut statement| statement.query_row([&id.0], |row| row.get(0)).optional())
            .map(|found| found.map(ItemId))
            .map_err(storage("reading an item"))
    }

    /// Writes into the log that a file was put away since its tab is gone.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn note_put_away(&mut self, item: &ItemId, part: &PartId, at: Millis) -> Result<()> {
        let (what, words) = (LogWord::TabGone, Words::default());
        log::write(&self.connection, &log::Entry { at, item, part, what, push: None, words })
    }

    /// Stores base, stamps, index rows, facts, and the ends of pushes, all or nothing.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing of it is stored.
    pub fn record(&mut self, record: &Record, facts: Option<&Facts>) -> Result<()> {
        let may_wait = self.flood.comes(record.at);
        let transaction = self.connection.transaction().map_err(storage("recording"))?;
        let waiting = write_record(&transaction, record, facts, may_wait)?;
        epoch::advance(&transaction)?;
        transaction.commit().map_err(storage("recording"))?;
        self.tell();
        self.rows_wait(waiting, record.at);
        Ok(())
    }

    /// Writes what a person has yet to be told of pushes of a file.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn save_told(&mut self, item: &ItemId, part: &PartId, told: &Told) -> Result<()> {
        write_told(&self.connection, item, part, told)
    }

    /// Lets go of an item whose files were put away. What was agreed is kept, and what came into the files, since who has one open may
    /// save it later: with `bury` until it is there again, else for a week, where it is known no more unless it is fetched anew. A push
    /// that has no answer has none any more: that its file said what it brought is kept as something that came.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn retire(&mut self, id: &ItemId, bury: bool, at: Millis) -> Result<()> {
        let doing = "retiring an item";
        let bases: BTreeMap<PartId, String> = self.bases(id)?.into_iter().collect();
        let open = self.open_jobs()?.into_iter().filter(|job| job.item == *id);
        let said = open.filter_map(|job| Some((Arrival::of_none(&job.base?, bases.get(&job.part)?), job.part)));
        let said: Vec<(Arrival, PartId)> = said.collect();
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        let is_mirrored = transaction
            .query_row("SELECT 1 FROM item WHERE id = ?1 AND NOT buried", [&id.0], |_row| Ok(()))
            .optional()
            .map_err(storage(doing))?
            .is_some();
        transaction
            .execute(
                "INSERT OR REPLACE INTO tombstone (item, title, at) SELECT id, title, ?2 FROM item WHERE id = ?1 AND buried <> 2",
                params![id.0, millis(at)],
            )
            .map_err(storage(doing))?;
        // One that was never recorded is known by what its file was about to say.
        transaction
            .execute(
                "INSERT OR IGNORE INTO tombstone (item, title, at) SELECT item, '', ?2 FROM intent WHERE item = ?1",
                params![id.0, millis(at)],
            )
            .map_err(storage(doing))?;
        let files = "UPDATE part SET stamp = NULL, hash = NULL, mark = NULL WHERE item = ?1";
        let index = "DELETE FROM doc WHERE rowid IN (SELECT docid FROM part WHERE item = ?1)";
        let waiting = "DELETE FROM unindexed WHERE docid IN (SELECT docid FROM part WHERE item = ?1)";
        let jobs = "UPDATE job SET state = 'reconciled' WHERE item = ?1 AND state = 'begun'";
        let images = "DELETE FROM image WHERE item = ?1";
        // What a file was about to say may be in an editor as well, when it is fetched anew.
        let notes = [
            "DELETE FROM intent WHERE item = ?1",
            "DELETE FROM arrival WHERE item = ?1 AND NOT EXISTS (SELECT 1 FROM item WHERE id = ?1)",
        ];
        for sql in [index, waiting, jobs, files, images].into_iter().chain(notes.into_iter().filter(|_| bury)) {
            transaction.execute(sql, [&id.0]).map_err(storage(doing))?;
        }
        said.iter().try_for_each(|(said, part)| arrivals::write(&transaction, id, part, said))?;
        let put_away = "UPDATE item SET buried = ?2, at = iif(?2 = 2, ?3, at) WHERE id = ?1 AND buried <> 2";
        let how = if bury { 1 } else { 2 };
        transaction.execute(put_away, params![id.0, how, millis(at)]).map_err(storage(doing))?;
        drop_forgotten(&transaction, at)?;
        attached::forget_item(&transaction, id)?;
        if is_mirrored {
            let entry = log::Entry {
                at,
                item: id,
                part: &PartId::default(),
                what: if bury { LogWord::Retired } else { LogWord::Forgotten },
                push: None,
                words: Words::default(),
            };
            log::write(&transaction, &entry)?;
        }
        epoch::advance(&transaction)?;
        transaction.commit().map_err(storage(doing))?;
        self.tell();
        Ok(())
    }

    /// Drops what is known of items that a person let go of more than a week ago.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_forgotten(&mut self, now: Millis) -> Result<()> {
        drop_forgotten(&self.connection, now)
    }

    /// Finds the files whose text or title holds all words of `query` and which meet its operators; the last word may be unfinished.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the query holds no word; `Storage` as it comes.
    pub fn search(&self, query: &str, asker: Asker<'_>, limit: usize, offset: usize) -> Result<Hits> {
        // All of an answer is of one moment: a row has another number once its text is written anew.
        let moment = self.connection.unchecked_transaction().map_err(storage("searching"))?;
        search::search(&moment, query, asker, (limit, offset))
    }

    /// Makes a change that is on the disk once this returns: in WAL mode only FULL waits for the disk at each commit.
    fn durably<T>(&mut self, doing: &'static str, change: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        self.connection.execute_batch("PRAGMA synchronous = FULL").map_err(storage(doing))?;
        let changed = change(&mut self.connection);
        self.connection.execute_batch("PRAGMA synchronous = NORMAL").map_err(storage(doing))?;
        changed
    }
}

/// Drops what is known of items that a person let go of long ago, with all that belongs to them.
fn drop_forgotten(connection: &Connection, now: Millis) -> Result<()> {
    let before = millis(Millis(now.0.saturating_sub(FORGOTTEN_FOR_MS)));
    // What came into a file, or was to come, may be known before its item, so it does not go with that.
    for sql in [
        "DELETE FROM item WHERE buried = 2 AND at < ?1",
        "DELETE FROM arrival WHERE item IN (SELECT item FROM tombstone WHERE at < ?1) AND item NOT IN (SELECT id FROM item)",
        "DELETE FROM intent WHERE item IN (SELECT item FROM tombstone WHERE at < ?1) AND item NOT IN (SELECT id FROM item)",
    ] {
        connection.execute(sql, [before]).map_err(storage("forgetting items for good"))?;
    }
    Ok(())
}

fn item_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredItem> {
    Ok(StoredItem {
        id: ItemId(row.get(0)?),
        kind: values::kind(row.get_ref(1)?.as_str()?)?,
        title: row.get(2)?,
        url: row.get(3)?,
        revision: row.get::<_, Option<String>>(4)?.map(Revision),
        can_edit: row.get(5)?,
        at: from_millis(row.get(6)?),
        gone: row.get(7)?,
        buried: row.get(8)?,
        parts: Vec::new(),
    })
}

fn part_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredPart> {
    // A stamp or notices that cannot be read mean "unknown": the file is looked at again, nothing depends on them.
    let warnings: String = row.get(2)?;
    let stamp: Option<String> = row.get(3)?;
    let hash: Option<Vec<u8>> = row.get(4)?;
    Ok(StoredPart {
        part: PartId(row.get(0)?),
        title: row.get(1)?,
        warnings: serde_json::from_str(&warnings).unwrap_or_default(),
        stamp: stamp.and_then(|text| serde_json::from_str(&text).ok()),
        hash: hash.and_then(|bytes| bytes.try_into().ok()).map(ContentHash),
        modified: from_millis(row.get(5)?),
        told: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
        behind: row.get(7)?,
    })
}

fn storage(doing: &'static str) -> impl Fn(rusqlite::Error) -> Error {
    move |source| match failure::is_damage(&source) {
        true => Error::Damaged { doing, source: Box::new(source) },
        false => Error::Storage { doing, source: Box::new(source) },
    }
}
