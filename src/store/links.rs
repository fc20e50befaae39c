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

    /// Notes what a save in place of a link was made of, and whether what the mirrored file says otherwise is later.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn note_link_base(&mut self, path: &Path, base: &str, is_later: bool) -> Result<()> {
        let doing = "noting what a save was made of";
        let packed = pack(base.as_bytes(), doing)?;
        let insert = "INSERT OR REPLACE INTO link_base (path, base, is_later) VALUES (?1, ?2, ?3)";
        self.connection.execute(insert, params![path.to_string_lossy(), packed, is_later]).map_err(storage(doing))?;
        self.advanced()
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

    /// Returns what saves in place of links were made of, and whether what their files say otherwise is later.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes; one that is damaged is left out.
    pub fn link_bases(&self) -> Result<Vec<(PathBuf, (String, bool))>> {
        let doing = "reading what saves were made of";
        let mut statement =
            self.connection.prepare_cached("SELECT path, base, is_later FROM link_base").map_err(storage(doing))?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(storage(doing))?;
        let rows: Vec<(String, Vec<u8>, bool)> = rows.collect::<Result<_, _>>().map_err(storage(doing))?;
        Ok(rows.into_iter().filter_map(|(path, base, later)| Some((path.into(), (unpack(&base)?, later)))).collect())
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
