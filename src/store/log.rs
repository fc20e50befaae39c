//! The log: every push and pull, with its time and the words that it changed, never the words themselves; and what was put away.

use rusqlite::{Connection, params};

use super::values::{from_millis, millis};
use super::{Store, storage};
use crate::error::Result;
use crate::model::{ItemId, Millis, PartId};
use crate::sync::{JobId, Words};

/// How many lines of the log are kept.
const KEPT_LOG: i64 = 10_000;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogWord {
    /// An edit of the file landed in the document.
    Push,
    /// What the document says came into the file.
    Pull,
    /// Google refused an edit for good.
    Refused,
    /// The item is gone, and its files were put away.
    Retired,
    /// A tab of the item is gone, and its file was put away.
    TabGone,
    /// The item was forgotten, and its files were put away.
    Forgotten,
    /// The item was gone and is there again, and so are its files.
    Returned,
}

impl LogWord {
    /// Returns the word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Pull => "pull",
            Self::Refused => "refused",
            Self::Retired => "retired",
            Self::TabGone => "tab-gone",
            Self::Forgotten => "forgotten",
            Self::Returned => "returned",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "push" => Self::Push,
            "refused" => Self::Refused,
            "retired" => Self::Retired,
            "tab-gone" => Self::TabGone,
            "forgotten" => Self::Forgotten,
            "returned" => Self::Returned,
            _ => Self::Pull,
        }
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LogLine {
    /// When.
    pub at: Millis,
    /// The item.
    pub item: ItemId,
    /// Its name now; empty when it is not known any more.
    pub title: String,
    /// Which of its files.
    pub part: PartId,
    /// The title of the tab that the file is, or was last; empty for the main one.
    pub tab: String,
    /// What happened.
    pub what: LogWord,
    /// The push in the journal, when it was one.
    pub push: Option<JobId>,
    /// The words that came and went.
    pub words: Words,
}

impl Store {
    /// Returns the newest lines of the log, newest first; of one item when one is named.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub fn log(&self, item: Option<&ItemId>, limit: usize) -> Result<Vec<LogLine>> {
        let doing = "reading the log";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT l.at, l.item, coalesce(i.title, t.title, ''), l.part, l.what, l.job, l.added, l.removed,
                        iif(l.part = '', '', coalesce(p.title, l.tab))
                 FROM log l LEFT JOIN item i ON i.id = l.item LEFT JOIN tombstone t ON t.item = l.item
                            LEFT JOIN part p ON p.item = l.item AND p.part = l.part
                 WHERE ?1 IS NULL OR l.item = ?1 ORDER BY l.id DESC LIMIT ?2",
            )
            .map_err(storage(doing))?;
        let rows = statement
            .query_map(params![item.map(|item| &item.0), i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
                let count = |count: i64| usize::try_from(count).unwrap_or_default();
                Ok(LogLine {
                    at: from_millis(row.get(0)?),
                    item: ItemId(row.get(1)?),
                    title: row.get(2)?,
                    part: PartId(row.get(3)?),
                    what: LogWord::of(&row.get::<_, String>(4)?),
                    push: row.get::<_, Option<i64>>(5)?.map(JobId),
                    words: Words { added: count(row.get(6)?), removed: count(row.get(7)?) },
                    tab: row.get(8)?,
                })
            })
            .map_err(storage(doing))?;
        rows.collect::<Result<_, _>>().map_err(storage(doing))
    }
}

/// What is written into the log of one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) at: Millis,
    pub(super) item: &'a ItemId,
    pub(super) part: &'a PartId,
    pub(super) what: LogWord,
    pub(super) push: Option<JobId>,
    pub(super) words: Words,
}

/// Has the lines about a tab tell what it was called last, before its row goes.
pub(super) fn keep_title(connection: &Connection, item: &str, part: &str) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE log SET tab = p.title FROM part p WHERE log.item = ?1 AND log.part = ?2 AND p.item = ?1 AND p.part = ?2",
        )
        .and_then(|mut statement| statement.execute([item, part]))
        .map(drop)
        .map_err(storage("writing the log"))
}

/// Adds a line to the log and drops those beyond [`KEPT_LOG`].
pub(super) fn write(connection: &Connection, entry: &Entry<'_>) -> Result<()> {
    let doing = "writing the log";
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let Words { added, removed } = entry.words;
    connection
        .prepare_cached(
            // What a tab is called is not known any more once it is gone, but for what the log says.
            "INSERT INTO log (at, item, part, what, words, job, added, removed, tab)
             VALUES (?1, ?2, ?3, ?4, '', ?5, ?6, ?7,
                     iif(?3 = '', '',
                         coalesce((SELECT title FROM part WHERE item = ?2 AND part = ?3),
                                  (SELECT tab FROM log WHERE item = ?2 AND part = ?3 ORDER BY id DESC LIMIT 1), '')))",
        )
        .and_then(|mut statement| {
            statement.execute(params![
                millis(entry.at),
                entry.item.0,
                entry.part.0,
                entry.what.word(),
                entry.push.map(|JobId(id)| id),
                count(added),
                count(removed)
            ])
        })
        .map_err(storage(doing))?;
    connection
        .execute("DELETE FROM log WHERE id <= ?1", [connection.last_insert_rowid() - KEPT_LOG])
        .map(drop)
        .map_err(storage(doing))
}
