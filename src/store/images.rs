//! Which pictures stand in an item's folder, and which files of ours stand in Drive for a moment.

use rusqlite::params;

use super::values::{from_millis, millis};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ContentHash, ItemId, Millis};

/// A picture as it was downloaded, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredImage {
    /// The id of the object.
    pub object: String,
    /// What it was known by.
    pub source: String,
    /// The name of its file; empty when there is none.
    pub name: String,
    /// Hash of the bytes that were written.
    pub hash: Option<ContentHash>,
    /// Why it could not be downloaded; empty when it was.
    pub problem: String,
    /// When.
    pub at: Millis,
}

/// The problem of a picture whose download is still to end.
pub const PENDING: &str = "it is still to be downloaded";

impl Store {
    /// Returns the items of which pictures are still to be downloaded.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn lacking_images(&self) -> Result<Vec<ItemId>> {
        let doing = "reading what is to be downloaded";
        let mut statement = self
            .connection
            .prepare_cached("SELECT DISTINCT item FROM image WHERE problem = ?1 ORDER BY item")
            .map_err(storage(doing))?;
        let rows = statement.query_map([PENDING], |row| row.get(0).map(ItemId)).map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Returns the pictures of an item by their objects.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn images(&self, item: &ItemId) -> Result<Vec<StoredImage>> {
        let doing = "reading the pictures";
        let mut statement = self
            .connection
            .prepare_cached("SELECT object, source, name, hash, problem, at FROM image WHERE item = ?1 ORDER BY object")
            .map_err(storage(doing))?;
        let rows = statement
            .query_map([&item.0], |row| {
                let hash: Option<Vec<u8>> = row.get(3)?;
                Ok(StoredImage {
                    object: row.get(0)?,
                    source: row.get(1)?,
                    name: row.get(2)?,
                    hash: hash.and_then(|bytes| bytes.try_into().ok()).map(ContentHash),
                    problem: row.get(4)?,
                    at: from_millis(row.get(5)?),
                })
            })
            .map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Keeps what became of a picture.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn keep_image(&mut self, item: &ItemId, image: &StoredImage) -> Result<()> {
        self.connection
            .execute(
                "INSERT OR REPLACE INTO image (item, object, source, name, hash, problem, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    item.0,
                    image.object,
                    image.source,
                    image.name,
                    image.hash.map(|hash| hash.0),
                    image.problem,
                    millis(image.at)
                ],
            )
            .map(drop)
            .map_err(storage("keeping a picture"))
    }

    /// Forgets a picture that the item no longer has.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_image(&mut self, item: &ItemId, object: &str) -> Result<()> {
        self.connection
            .execute("DELETE FROM image WHERE item = ?1 AND object = ?2", [&item.0, object])
            .map(drop)
            .map_err(storage("forgetting a picture"))
    }

    /// Notes that a file of ours is about to stand in Drive for a moment; on return the note is on the disk.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; then nothing may be uploaded.
    pub fn note_hosted(&mut self, id: &str, at: Millis) -> Result<()> {
        let doing = "noting an upload";
        self.durably(doing, |connection| {
            let noted =
                connection.execute("INSERT OR REPLACE INTO hosted (id, at) VALUES (?1, ?2)", params![id, millis(at)]);
            noted.map(drop).map_err(storage(doing))
        })
    }

    /// Returns the files of ours that may stand in Drive still.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn hosted(&self) -> Result<Vec<String>> {
        let doing = "reading the uploads";
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM hosted ORDER BY at").map_err(storage(doing))?;
        let rows = statement.query_map([], |row| row.get(0)).map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Forgets a file of ours that is gone from Drive.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_hosted(&mut self, id: &str) -> Result<()> {
        self.connection
            .execute("DELETE FROM hosted WHERE id = ?1", [id])
            .map(drop)
            .map_err(storage("forgetting an upload"))
    }
}
