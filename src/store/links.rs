//! Links to mirrored files that stand elsewhere: where an editor may put a file in their place.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::values::{millis, pack, unpack};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ContentHash, ItemId, Millis, PartId};

/// A link to a mirrored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it stands, absolute.
    pub path: PathBuf,
    /// The item that it leads to.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// Of the text that the item was made of, when that stood here: whoever still finds it here has not edited it.
    pub made_of: Option<ContentHash>,
}

/// What a save in place of a link was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkBase {
    /// What the mirrored file and its item had agreed on when the save was seen.
    pub base: String,
    /// Whether what the file says otherwise is later.
    pub is_later: bool,
    /// The number of what had come into the file last by then, as of [`Store::newest_arrival`].
    pub arrival: i64,
}

impl Store {
    /// Notes a link, in place of what was noted of its path.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn note_link(&mut self, link: &Link, at: Millis) -> Result<()> {
        let doing = "noting a link";
        self.durably(doing, |connection| insert_link(connection, link, at).map_err(storage(doing)))?;
        self.advanced()
    }

    /// Notes where a link leads that could be looked up again, in place of what was noted of its path.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn know_link(&mut self, link: &Link, at: Millis) -> Result<()> {
        insert_link(&self.connection, link, at).map_err(storage("noting a link"))?;
        self.advanced()
    }

    /// Notes what a save in place of a link was made of.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn note_link_base(&mut self, path: &Path, of: &LinkBase) -> Result<()> {
        let doing = "noting what a save was made of";
        let packed = pack(of.base.as_bytes(), doing)?;
        let insert = "INSERT OR REPLACE INTO link_base (path, base, is_later, arrival) VALUES (?1, ?2, ?3, ?4)";
        let values = params![path.to_string_lossy(), packed, of.is_later, of.arrival];
        self.connection.execute(insert, values).map_err(storage(doing))?;
        self.advanced()
    }

    /// Returns what a file and its item had agreed on at a moment; `None` when nothing of then is known.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn agreed_at(&self, item: &ItemId, part: &PartId, at: Millis) -> Result<Option<String>> {
        let packed: Option<Vec<u8>> = self
            .connection
            .prepare_cached(
                "SELECT text FROM base WHERE item = ?1 AND part = ?2 AND at <= ?3 ORDER BY seq DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                statement.query_row(params![item.0, part.0, millis(at)], |row| row.get(0)).optional()
            })
            .map_err(storage("reading what was agreed on"))?;
        Ok(packed.and_then(|packed| unpack(&packed)))
    }

    /// Forgets what a save in place of a link was made of.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_link_base(&mut self, path: &Path) -> Result<()> {
        self.connection
            .execute("DELETE FROM link_base WHERE path = ?1", [path.to_string_lossy()])
            .map_err(storage("forgetting what a save was made of"))?;
        self.advanced()
    }

    /// Returns what a save in place of a link was made of, if that is noted; what is damaged is not.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn link_base(&self, path: &Path) -> Result<Option<LinkBase>> {
        let row = self
            .connection
            .prepare_cached("SELECT base, is_later, arrival FROM link_base WHERE path = ?1")
            .and_then(|mut statement| {
                let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
                statement.query_row([path.to_string_lossy()], row).optional()
            })
            .map_err(storage("reading what a save was made of"))?;
        let base = |(base, is_later, arrival): (Vec<u8>, bool, i64)| {
            Some(LinkBase { base: unpack(&base)?, is_later, arrival })
        };
        Ok(row.and_then(base))
    }

    /// Returns what is noted of a path.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn link(&self, path: &Path) -> Result<Option<Link>> {
        self.connection
            .prepare_cached("SELECT path, item, part, made_of FROM link WHERE path = ?1")
            .and_then(|mut statement| statement.query_row([path.to_string_lossy()], link_of).optional())
            .map_err(storage("reading a link"))
    }

    /// Returns all links.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn links(&self) -> Result<Vec<Link>> {
        let doing = "reading the links";
        let mut statement = self
            .connection
            .prepare_cached("SELECT path, item, part, made_of FROM link ORDER BY path")
            .map_err(storage(doing))?;
        let links = statement.query_map([], link_of).map_err(storage(doing))?;
        links.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Returns where links to a file are known.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn links_to(&self, item: &ItemId, part: &PartId) -> Result<Vec<PathBuf>> {
        let doing = "reading the links to a file";
        let mut statement = self
            .connection
            .prepare_cached("SELECT path FROM link WHERE item = ?1 AND part = ?2 ORDER BY path")
            .map_err(storage(doing))?;
        let paths = statement
            .query_map([&item.0, &part.0], |row| row.get::<_, String>(0).map(PathBuf::from))
            .map_err(storage(doing))?;
        paths.collect::<Result<_, _>>().map_err(storage(doing))
    }

    /// Forgets a link.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn drop_link(&mut self, path: &Path) -> Result<()> {
        self.connection
            .execute("DELETE FROM link WHERE path = ?1", [path.to_string_lossy()])
            .map_err(storage("forgetting a link"))?;
        self.advanced()
    }
}

pub(super) fn insert_link(connection: &Connection, link: &Link, at: Millis) -> rusqlite::Result<()> {
    let made_of = link.made_of.map(|hash| hash.0.to_vec());
    let insert = "INSERT OR REPLACE INTO link (path, item, part, made_of, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection
        .execute(insert, params![link.path.to_string_lossy(), link.item.0, link.part.0, made_of, millis(at)])
        .map(drop)
}

fn link_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Link> {
    let (path, made_of): (String, Option<Vec<u8>>) = (row.get(0)?, row.get(3)?);
    Ok(Link {
        path: PathBuf::from(path),
        item: ItemId(row.get(1)?),
        part: PartId(row.get(2)?),
        made_of: made_of.and_then(|hash| Some(ContentHash(hash.try_into().ok()?))),
    })
}
