//! The texts of attachments: which there are, and their rows in the index; and where copies of attachments are.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::images::PENDING;
use super::index;
use super::values::{from_millis, millis, pack, unpack};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ContentHash, ItemId, Millis};

/// Rows in the index of texts of attachments begin here. Those of files count from one up, so the two never meet, whoever writes
/// first; among attachments the newest has the highest number, as among files.
const FIRST_DOC: i64 = i64::MIN >> 2;

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

    /// Keeps what is known of the text of an attachment, and writes its row in the index: its name is found, too.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn index_attached(&mut self, item: &ItemId, attached: &Attached, text: &str) -> Result<()> {
        let doing = "recording the text of an attachment";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        forget(&transaction, "item = ?1 AND name = ?2", &[item.0.as_str(), attached.name.as_str()])?;
        let doc: i64 = transaction
            .query_row("SELECT coalesce(max(docid), ?1) + 1 FROM attached", [FIRST_DOC], |row| row.get(0))
            .map_err(storage(doing))?;
        let Attached { name, hash, format, version, problem, written, at } = attached;
        index_row(&transaction, doc, name, text)?;
        transaction
            .execute(
                "INSERT INTO attached (docid, item, name, hash, format, version, problem, text, written, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    doc,
                    item.0,
                    name,
                    hash.0,
                    format,
                    version,
                    problem,
                    pack(text.as_bytes(), doing)?,
                    written.map(|hash| hash.0),
                    millis(*at)
                ],
            )
            .map_err(storage(doing))?;
        transaction.commit().map_err(storage(doing))
    }

    /// Forgets the text of an attachment, and where a copy of it is.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing has changed.
    pub fn drop_attached(&mut self, item: &ItemId, name: &str) -> Result<()> {
        let doing = "forgetting the text of an attachment";
        let transaction = self.connection.transaction().map_err(storage(doing))?;
        forget(&transaction, "item = ?1 AND name = ?2", &[item.0.as_str(), name])?;
        transaction
            .execute("DELETE FROM copy WHERE item = ?1 AND name = ?2", [&item.0, name])
            .map_err(storage(doing))?;
        transaction.commit().map_err(storage(doing))
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

    /// Returns the attachments of an item whose texts the index has lost.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn lost_texts(&self, item: &ItemId) -> Result<Vec<String>> {
        let doing = "checking the index";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT name FROM attached WHERE item = ?1 AND docid NOT IN (SELECT rowid FROM doc WHERE rowid < 0) ORDER BY name",
            )
            .map_err(storage(doing))?;
        let rows = statement.query_map([&item.0], |row| row.get(0)).map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Writes the texts of an item's attachments that the index has lost into it anew.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn index_lost_texts(&mut self, item: &ItemId) -> Result<()> {
        let doing = "mending the index";
        for name in self.lost_texts(item)? {
            let text = self.attached_text(item, &name)?.unwrap_or_default();
            let doc: i64 = self
                .connection
                .query_row("SELECT docid FROM attached WHERE item = ?1 AND name = ?2", [&item.0, &name], |row| {
                    row.get(0)
                })
                .map_err(storage(doing))?;
            index_row(&self.connection, doc, &name, &text)?;
        }
        Ok(())
    }

    /// Counts the rows of the index that belong to nothing.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn stray_rows(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM doc WHERE rowid NOT IN (SELECT docid FROM part)
                   AND rowid NOT IN (SELECT docid FROM attached)";
        let count: i64 = self.connection.query_row(sql, [], |row| row.get(0)).map_err(storage("checking the index"))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Takes the rows of the index away that belong to nothing.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_stray_rows(&mut self) -> Result<()> {
        let sql =
            "DELETE FROM doc WHERE rowid NOT IN (SELECT docid FROM part) AND rowid NOT IN (SELECT docid FROM attached)";
        self.connection.execute(sql, []).map(drop).map_err(storage("mending the index"))
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

/// Writes a row of the index as rows of files are written.
fn index_row(connection: &Connection, doc: i64, name: &str, text: &str) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO doc (rowid, title, text) VALUES (?1, ?2, ?3)")
        .and_then(|mut s| s.execute(params![doc, index::spaced(name), index::spaced(text)]))
        .map(drop)
        .map_err(storage("indexing the text of an attachment"))
}

/// Forgets all texts of an item's attachments, with their rows in the index.
pub(super) fn forget_item(connection: &Connection, item: &ItemId) -> Result<()> {
    forget(connection, "item = ?1", &[item.0.as_str()])?;
    connection
        .execute("DELETE FROM copy WHERE item = ?1", [&item.0])
        .map(drop)
        .map_err(storage("forgetting copies of attachments"))
}

fn forget(connection: &Connection, which: &str, values: &[&str]) -> Result<()> {
    let index = format!("DELETE FROM doc WHERE rowid IN (SELECT docid FROM attached WHERE {which})");
    for sql in [index, format!("DELETE FROM attached WHERE {which}")] {
        connection
            .prepare_cached(&sql)
            .and_then(|mut s| s.execute(rusqlite::params_from_iter(values)))
            .map_err(storage("forgetting the text of an attachment"))?;
    }
    Ok(())
}
