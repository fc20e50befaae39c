//! Links to mirrored files that stand elsewhere: where an editor may put a file in their place.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::values::millis;
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
