//! Searches in the index over the files' text.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::index::{self, Column};
use super::query::{Asker, Query};
use super::storage;
use super::values::from_millis;
use crate::error::{Error, Result};
use crate::model::{ItemId, Millis, PartId};

/// Ranking reads every candidate; only this many of the newest are ranked, so a common word costs no more than a rare one.
const CANDIDATES_MAX: i64 = 2_000;

/// How many hits one call returns at most: nobody reads further than what is ranked.
const HITS_MAX: usize = 2_000;

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// The files, best first.
    pub hits: Vec<Hit>,
    /// How many files match, as far as they were counted.
    pub total: usize,
    /// True when more matched than were ranked, so that `total` is a lower bound.
    pub truncated: bool,
    /// What was asked that only the remote can answer; then nothing here is known to match.
    pub elsewhere: Vec<String>,
}

/// One file that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The item.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// The item's name.
    pub title: String,
    /// The words around the match.
    pub snippet: String,
    /// When the text changed last, or the last of it was written where the text tells that.
    pub modified: Millis,
}

/// What restricts a search to rows of a time.
const SPANNED: &str = "
    AND rowid >= ?2 AND (rowid < ?3 OR rowid IN (SELECT docid FROM part WHERE first < ?4 AND docid >= ?3))";

pub(super) fn search(
    connection: &Connection,
    typed: &str,
    asker: Asker<'_>,
    (limit, offset): (usize, usize),
) -> Result<Hits> {
    let doing = "searching";
    let query = Query::read(typed, asker).ok_or_else(|| Error::InvalidInput {
        what: "the query holds no word".into(),
        suggestion: "Give at least one word that the text or the title contains.".into(),
    })?;
    if !query.elsewhere.is_empty() {
        return Ok(Hits { elsewhere: query.elsewhere, ..Hits::default() });
    }
    let candidates = Candidates::of(connection, &query)?;
    let Some(oldest) = candidates.oldest else { return Ok(Hits::default()) };
    let limit = i64::try_from(limit.min(HITS_MAX)).unwrap_or(i64::MAX);
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);

    // Among equals the newer one comes first. What was asked for by no word has no rank, and then none is too old.
    let (order, oldest) = match query.has_words {
        true => (format!("bm25(doc, {}), ", Column::ALL.map(Column::weight).join(", ")), oldest),
        false => (String::new(), candidates.after),
    };
    let sql = format!(
        "SELECT rowid FROM doc WHERE doc MATCH ?1 {SPANNED} ORDER BY {order}rowid DESC LIMIT ?5 OFFSET ?6"
    );
    let found: Vec<i64> = connection
        .prepare_cached(&sql)
        .and_then(|mut s| {
            let Candidates { before, spans, .. } = candidates;
            let rows = s.query_map(params![query.expression, oldest, before, spans, limit, offset], |row| row.get(0))?;
            rows.collect()
        })
        .map_err(storage(doing))?;

    let mut statement = connection
        .prepare_cached(
            "SELECT p.item, p.part, i.title, snippet(doc, 1, '', '', '…', 24), p.modified, p.facets
             FROM doc d JOIN part p ON p.docid = d.rowid JOIN item i ON i.id = p.item
             WHERE doc MATCH ?1 AND d.rowid = ?2",
        )
        .map_err(storage(doing))?;
    let mut hits = Vec::with_capacity(found.len());
    for doc in found {
        let hit = statement
            .query_row(params![query.expression, doc], |row| {
                let facets = index::read_facets(row.get_ref(5)?.as_str()?);
                Ok(Hit {
                    item: ItemId(row.get(0)?),
                    part: PartId(row.get(1)?),
                    title: row.get(2)?,
                    snippet: index::unspaced(row.get_ref(3)?.as_str()?),
                    modified: facets.last.unwrap_or(from_millis(row.get(4)?)),
                })
            })
            .map_err(storage(doing))?;
        hits.push(hit);
    }
    Ok(Hits { hits, total: candidates.total, truncated: candidates.truncated, elsewhere: Vec::new() })
}

/// The newest rows that a query finds, as far as they are looked at.
#[derive(Debug, Clone, Copy)]
struct Candidates {
    /// How many, at most [`CANDIDATES_MAX`].
    total: usize,
    /// Whether there are more.
    truncated: bool,
    /// The number of the oldest.
    oldest: Option<i64>,
    /// Rows from this number on were written into since the time that was asked for,
    after: i64,
    /// and those below this one before the other;
    before: i64,
    /// so were those that began before this second.
    spans: i64,
}

impl Candidates {
    fn of(connection: &Connection, query: &Query) -> Result<Self> {
        let after = query.after.map_or(0, index::first_of);
        let before = query.before.map_or(i64::MAX, index::first_of);
        let spans = query.before.unwrap_or(0);
        let sql = format!(
            "SELECT count(*), min(rowid) FROM (
                 SELECT rowid FROM doc WHERE doc MATCH ?1 {SPANNED} ORDER BY rowid DESC LIMIT ?5)"
        );
        let (total, oldest): (i64, Option<i64>) = connection
            .prepare_cached(&sql)
            .and_then(|mut s| {
                let given = params![query.expression, after, before, spans, CANDIDATES_MAX + 1];
                s.query_row(given, |row| Ok((row.get(0)?, row.get(1)?)))
            })
            .map_err(storage("searching"))?;
        let truncated = total > CANDIDATES_MAX;
        let total = usize::try_from(total.min(CANDIDATES_MAX)).unwrap_or(0);
        Ok(Self { total, truncated, oldest, after, before, spans })
    }
}
