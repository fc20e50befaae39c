//! Searches in the index over the files' text.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};
use serde::Serialize;

use super::attached;
use super::index::{self, Column};
use super::query::{Asker, Query, TERMS_MAX};
use super::storage;
use super::values::from_millis;
use crate::error::{Error, Result};
use crate::model::{ItemId, Millis, PartId};

/// Ranking reads every candidate; only this many of the newest are ranked, so a common word costs no more than a rare one.
const CANDIDATES_MAX: usize = 2_000;

/// If so many have the words as they stand, the last word is taken for a whole one.
const ENOUGH: usize = 200;

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
    /// Whether operators of mail were asked for.
    pub filtered: bool,
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
    /// The words around the match; behind the name of an attachment if they are of that.
    pub snippet: String,
    /// When the text changed last, or the last of it was written where the text tells that.
    pub modified: Millis,
}

/// What restricts a search to rows of a time: written into since `?2`, and before `?3`, or begun before the second `?4`.
const SPANNED: &str = "
    AND rowid >= ?2 AND (rowid < ?3 OR rowid IN (SELECT docid FROM part WHERE first < ?4 AND docid >= ?3))";

pub(super) fn search(
    connection: &Connection,
    typed: &str,
    asker: Asker<'_>,
    (limit, offset): (usize, usize),
) -> Result<Hits> {
    let query = Query::read(typed, asker).ok_or_else(|| Error::InvalidInput {
        what: "the query holds no word".into(),
        suggestion: "Give at least one word that the text or the title contains.".into(),
    })?;
    if query.too_long {
        return Err(Error::InvalidInput {
            what: format!("the query has more than {TERMS_MAX} words and operators"),
            suggestion: "Leave the common ones out, or put words that stand side by side in quotes.".into(),
        });
    }
    let filtered = !query.filters.is_empty();
    if !query.elsewhere.is_empty() {
        return Ok(Hits { filtered, elsewhere: query.elsewhere, ..Hits::default() });
    }
    let searching = Searching {
        connection,
        query: &query,
        after: query.after.map_or(0, index::first_of),
        before: query.before.map_or(i64::MAX, index::first_of),
    };
    let (limit, offset) = (limit.min(HITS_MAX), i64::try_from(offset).unwrap_or(i64::MAX));
    let mut words = &query.words;
    let mut newest = searching.newest(&query.expression(words), 0, CANDIDATES_MAX + 1)?;
    if newest.len() < ENOUGH
        && let Some(unfinished) = &query.unfinished
    {
        words = unfinished;
        newest = searching.newest(&query.expression(words), 0, CANDIDATES_MAX + 1)?;
    }
    let total = newest.len().min(CANDIDATES_MAX);
    let truncated = newest.len() > total;
    let page = if query.words.is_empty() {
        // What was asked for by no word has no rank, and then nothing is too old.
        searching.newest(&query.filters, offset, limit)?
    } else {
        let ranked = if truncated { searching.titled(words, newest)? } else { searching.ranked(words)? };
        ranked.into_iter().take(total).skip(usize::try_from(offset).unwrap_or(usize::MAX)).take(limit).collect()
    };
    Ok(Hits {
        hits: searching.hits(&query.expression(words), &page)?,
        total,
        truncated,
        filtered,
        elsewhere: Vec::new(),
    })
}

/// A search under way.
struct Searching<'a> {
    connection: &'a Connection,
    query: &'a Query,
    /// The numbers of rows that were written into since the time that was asked for begin here,
    after: i64,
    /// and those that were only written into before the other end here.
    before: i64,
}

impl Searching<'_> {
    /// Returns the rows that match, the newest first.
    fn newest(&self, expression: &str, offset: i64, limit: usize) -> Result<Vec<i64>> {
        self.rows(&format!("{SPANNED} ORDER BY rowid DESC LIMIT ?5 OFFSET ?6"), expression, offset, limit)
    }

    /// Returns all rows that match, the best first, and among equals the newest.
    fn ranked(&self, words: &str) -> Result<Vec<i64>> {
        let weights = Column::ALL.map(Column::weight).join(", ");
        let order = format!("{SPANNED} ORDER BY bm25(doc, {weights}), rowid DESC LIMIT ?5 OFFSET ?6");
        self.rows(&order, &self.query.expression(words), 0, CANDIDATES_MAX)
    }

    /// Sorts the newest of many rows: those first that have the words in their titles. To tell how rare each word is would take longer
    /// than all else.
    fn titled(&self, words: &str, newest: Vec<i64>) -> Result<Vec<i64>> {
        let known: HashSet<i64> = newest.iter().copied().collect();
        let mut first = self.newest(&self.query.in_title(words), 0, CANDIDATES_MAX)?;
        first.retain(|row| known.contains(row));
        let titled: HashSet<i64> = first.iter().copied().collect();
        first.extend(newest.into_iter().filter(|row| !titled.contains(row)));
        Ok(first)
    }

    fn rows(&self, order: &str, expression: &str, offset: i64, limit: usize) -> Result<Vec<i64>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let begun = self.query.before.unwrap_or(0);
        self.connection
            .prepare_cached(&format!("SELECT rowid FROM doc WHERE doc MATCH ?1 {order}"))
            .and_then(|mut s| {
                let given = params![expression, self.after, self.before, begun, limit, offset];
                s.query_map(given, |row| row.get(0))?.collect()
            })
            .map_err(storage("searching"))
    }

    /// Shows rows. The index is asked once for all of them: what a beginning of a word stands for is made out by each question.
    fn hits(&self, expression: &str, rows: &[i64]) -> Result<Vec<Hit>> {
        let (Some(oldest), Some(newest)) = (rows.iter().min(), rows.iter().max()) else { return Ok(Vec::new()) };
        let listed = format!("[{}]", rows.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
        let doing = "showing what was found";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT d.rowid, p.item, p.part, i.title, snippet(doc, 1, ?5, ?5, '…', 24), p.modified, p.facets,
                     snippet(doc, 4, ?5, ?5, '…', 24)
                 FROM doc d CROSS JOIN part p ON p.docid = d.rowid CROSS JOIN item i ON i.id = p.item
                 WHERE doc MATCH ?1 AND d.rowid BETWEEN ?2 AND ?3 AND +d.rowid IN (SELECT value FROM json_each(?4))",
            )
            .map_err(storage(doing))?;
        let found = statement
            .query_map(params![expression, oldest, newest, listed, index::MARK.to_string()], |row| {
                let facets = index::read_facets(row.get_ref(6)?.as_str()?);
                let hit = Hit {
                    item: ItemId(row.get(1)?),
                    part: PartId(row.get(2)?),
                    title: row.get(3)?,
                    snippet: row.get(4)?,
                    modified: facets.last.unwrap_or(from_millis(row.get(5)?)),
                };
                Ok((row.get(0)?, hit, row.get(7)?))
            })
            .map_err(storage(doing))?;
        let mut hits: HashMap<i64, Hit> = HashMap::new();
        for found in found {
            let (row, mut hit, attached): (i64, Hit, String) = found.map_err(storage(doing))?;
            hit.snippet = self.snippet(&hit, &attached)?;
            hits.insert(row, hit);
        }
        Ok(rows.iter().filter_map(|row| hits.remove(row)).collect())
    }

    /// Returns the words around the match in the text; where there is none, those in what is attached, behind its name.
    fn snippet(&self, hit: &Hit, attached: &str) -> Result<String> {
        let marked = attached.lines().find(|line| line.contains(index::MARK));
        let Some(line) = marked.filter(|_| !hit.snippet.contains(index::MARK)) else {
            return Ok(index::unspaced(&hit.snippet));
        };
        let line = line.trim_matches('…').replace(index::MARK, "");
        let name = attached::named_with(self.connection, &hit.item.0, &line)?;
        let around = index::unspaced(attached);
        Ok(name.filter(|name| !around.contains(name)).map_or(around.clone(), |name| format!("{name}: {around}")))
    }
}
