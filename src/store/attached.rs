//! The texts of attachments: which there are, and what the index has of them; and where copies of attachments are.
//!
//! They stand in the row of their item, so that who sent it, its labels and a word of an attachment find it together.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::images::PENDING;
use super::index;
use super::values::{from_millis, millis, pack, unpack};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ContentHash, ItemId, Millis};

/// The most bytes of names and texts of attachments in the row of one item: all of a row is read to show where a word stands.
const INDEXED_BYTES_MAX: usize = 4 << 20;

/// What is known of the text of an attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// The name of the attachment.
    pub name: String,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// As what it was read.
    pub format: String,
    /// By which version of the reader.
    pub version: i64,
    /// Why there is no text; empty when there is, [`PENDING`] while it is to be read.
    pub problem: String,
    /// Hash of what was written beside it.
    pub written: Option<ContentHash>,
    /// When.
    pub at: Millis,
}

/// Where a copy of an attachment is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCopy {
    /// The name of the attachment.
    pub name: String,
    /// Where a person opens it; empty when there is none.
    pub url: String,
    /// When that was looked up.
    pub at: Millis,
}

impl Store {
    /// Returns what is known of the texts of an item's attachments, by their names.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn attached(&self, item: &ItemId) -> Result<Vec<Attached>> {
        let doing = "reading the texts of attachments";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT name, hash, format, version, problem, written, at FROM attached WHERE item = ?1 ORDER BY name",
            )
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&item.0], |row| {
                let written: Option<[u8; 32]> = row.get(5)?;
                Ok(Attached {
                    name: row.get(0)?,
                    hash: ContentHash(row.get(1)?),
                    format: row.get(2)?,
                    version: row.get(3)?,
                    problem: row.get(4)?,
                    written: written.map(ContentHash),
                    at: from_millis(row.get(6)?),
                })
            })
            .map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Returns the text of an attachment; `None` also where the disk has changed it.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn attached_text(&self, item: &ItemId, name: &str) -> Result<Option<String>> {
        let packed: Option<Vec<u8>> = self
            .connection
            .prepare_cached("SELECT text FROM attached WHERE item = ?1 AND name = ?2")
            .and_then(|mut s| s.query_row([&item.0, name], |row| row.get(0)).optional())
            .map_err(storage("reading the text of an attachment"))?;
        Ok(packed.and_then(|packed| unpack(&packed)))
    }

    /// Returns what was read of the same bytes elsewhere: the problem, or the text.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn same_text(&self, hash: ContentHash, format: &str, version: i64) -> Result<Option<(String, String)>> {
        let found: Option<(String, Vec<u8>)> = self
            .connection
            .prepare_cached(
                "SELECT problem, text FROM attached
                 WHERE hash = ?1 AND format = ?2 AND version = ?3 AND problem <> ?4 LIMIT 1",
            )
            .and_then(|mut s| {
                let row = s.query_row(params![hash.0, format, version, PENDING], |row| Ok((row.get(0)?, row.get(1)?)));
                row.optional()
            })
            .map_err(storage("looking for the text of the same bytes"))?;
        Ok(found.and_then(|(problem, packed)| Some((problem, unpack(&packed)?))))
    }

    /// Keeps what is known of the text of an attachment; the index has it, and its name, a moment later.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn keep_attached(&mut self, item: &ItemId, attached: &Attached, text: &str) -> Result<()> {
        let doing = "recording the text of an attachment";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        let Attached { name, hash, format, version, problem, written, at } = attached;
        let (packed, bytes) = (pack(text.as_bytes(), doing)?, i64::try_from(text.len()).unwrap_or(i64::MAX));
        let written = written.map(|hash| hash.0);
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO attached (item, name, hash, format, version, problem, text, bytes, written, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )
            .and_then(|mut s| {
                s.execute(params![item.0, name, hash.0, format, version, problem, packed, bytes, written, millis(*at)])
            })
            .map_err(storage(doing))?;
        let docs = wait(&transaction, item)?;
        transaction.commit().map_err(storage(doing))?;
        docs.into_iter().for_each(|doc| self.flood.read_anew(doc, *at));
        Ok(())
    }

    /// Tells whether the attachments of an item have more text than the index has.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn is_cut_in_index(&self, item: &ItemId) -> Result<bool> {
        let bytes: i64 = self
            .connection
            .prepare_cached("SELECT coalesce(sum(bytes), 0) FROM attached WHERE item = ?1")
            .and_then(|mut s| s.query_row([&item.0], |row| row.get(0)))
            .map_err(storage("reading the texts of attachments"))?;
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX) > INDEXED_BYTES_MAX)
    }

    /// Forgets the text of an attachment, and where a copy of it is.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn drop_attached(&mut self, item: &ItemId, name: &str, at: Millis) -> Result<()> {
        let doing = "forgetting the text of an attachment";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        for sql in
            ["DELETE FROM attached WHERE item = ?1 AND name = ?2", "DELETE FROM copy WHERE item = ?1 AND name = ?2"]
        {
            transaction.execute(sql, [&item.0, name]).map_err(storage(doing))?;
        }
        let docs = wait(&transaction, item)?;
        transaction.commit().map_err(storage(doing))?;
        docs.into_iter().for_each(|doc| self.flood.read_anew(doc, at));
        Ok(())
    }

    /// Returns the items of which texts of attachments are still to be read.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn lacking_texts(&self) -> Result<Vec<ItemId>> {
        let doing = "reading which texts are to be read";
        let mut statement = self
            .connection
            .prepare_cached("SELECT DISTINCT item FROM attached WHERE problem = ?1 ORDER BY item")
            .map_err(storage(doing))?;
        let rows = statement.query_map([PENDING], |row| row.get(0).map(ItemId)).map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Returns where copies of an item's attachments are, as far as that was looked up.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn copies(&self, item: &ItemId) -> Result<Vec<StoredCopy>> {
        let doing = "reading where copies of attachments are";
        let mut statement = self
            .connection
            .prepare_cached("SELECT name, url, at FROM copy WHERE item = ?1 ORDER BY name")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&item.0], |row| {
                Ok(StoredCopy { name: row.get(0)?, url: row.get(1)?, at: from_millis(row.get(2)?) })
            })
            .map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Keeps where a copy of an attachment is, or that there is none.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn keep_copy(&mut self, item: &ItemId, copy: &StoredCopy) -> Result<()> {
        self.connection
            .execute(
                "INSERT OR REPLACE INTO copy (item, name, url, at) VALUES (?1, ?2, ?3, ?4)",
                params![item.0, copy.name, copy.url, millis(copy.at)],
            )
            .map(drop)
            .map_err(storage("recording where a copy of an attachment is"))
    }
}

/// Returns what the row of an item says of its attachments: the names of all whose text was asked for, each with its text.
pub(super) fn indexed(connection: &Connection, item: &str) -> Result<String> {
    let mut all = String::new();
    each(connection, item, |name, packed| {
        let room = INDEXED_BYTES_MAX.saturating_sub(all.len() + name.len());
        let text = if room == 0 { String::new() } else { unpack(packed).unwrap_or_default() };
        all.extend([name, "\n", text.get(..text.floor_char_boundary(room)).unwrap_or_default(), "\n"]);
        true
    })?;
    Ok(index::spaced(&all).into_owned())
}

/// Finds the attachment of an item that has a line, as the index has it.
pub(super) fn named_with(connection: &Connection, item: &str, line: &str) -> Result<Option<String>> {
    let mut found = None;
    each(connection, item, |name, packed| {
        let has = |said: &str| index::spaced(said).contains(line);
        found = (has(name) || has(&unpack(packed).unwrap_or_default())).then(|| name.to_owned());
        found.is_none()
    })?;
    Ok(found)
}

/// Visits the attachments of an item, each with its packed text, for as long as more of them is wanted.
fn each(connection: &Connection, item: &str, mut visit: impl FnMut(&str, &[u8]) -> bool) -> Result<()> {
    connection
        .prepare_cached("SELECT name, text FROM attached WHERE item = ?1 ORDER BY name")
        .and_then(|mut statement| {
            let mut rows = statement.query([item])?;
            while let Some(row) = rows.next()? {
                if !visit(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_blob()?) {
                    break;
                }
            }
            Ok(())
        })
        .map_err(storage("reading the texts of attachments"))
}

/// Writes what is attached to an item into its row, all else of which stays; tells whether the index has that row.
pub(super) fn refresh(connection: &Connection, doc: i64) -> Result<bool> {
    let doing = "indexing the text of an attachment";
    let item: Option<String> = connection
        .prepare_cached("SELECT item FROM part WHERE docid = ?1 AND EXISTS (SELECT 1 FROM doc WHERE rowid = ?1)")
        .and_then(|mut s| s.query_row([doc], |row| row.get(0)).optional())
        .map_err(storage(doing))?;
    let Some(item) = item else { return Ok(false) };
    let attached = indexed(connection, &item)?;
    connection
        .prepare_cached("UPDATE doc SET attached = ?2 WHERE rowid = ?1")
        .and_then(|mut s| s.execute(params![doc, attached]))
        .map_err(storage(doing))?;
    Ok(true)
}

/// Has the rows of an item wait; returns them. What is put away has none.
fn wait(connection: &Connection, item: &ItemId) -> Result<Vec<i64>> {
    let doing = "indexing the text of an attachment";
    let docs: Vec<i64> = connection
        .prepare_cached("SELECT docid FROM part JOIN item ON item.id = part.item WHERE item = ?1 AND NOT buried")
        .and_then(|mut s| s.query_map([&item.0], |row| row.get(0))?.collect())
        .map_err(storage(doing))?;
    docs.iter().try_for_each(|doc| index::wait(connection, *doc))?;
    Ok(docs)
}

/// Forgets all texts of an item's attachments; its rows go with it.
pub(super) fn forget_item(connection: &Connection, item: &ItemId) -> Result<()> {
    for sql in ["DELETE FROM attached WHERE item = ?1", "DELETE FROM copy WHERE item = ?1"] {
        connection.execute(sql, [&item.0]).map_err(storage("forgetting what is known of attachments"))?;
    }
    Ok(())
}
