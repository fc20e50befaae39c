//! The index over the files' text. What people type are words, never query syntax.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::storage;
use super::values::from_millis;
use crate::error::{Error, Result};
use crate::model::{ItemId, Millis, PartId};

/// Ranking reads every candidate; only this many of the newest are ranked, so a common word costs no more than a rare one.
const CANDIDATES_MAX: i64 = 2_000;

/// How many words of a query are looked at.
const WORDS_MAX: usize = 32;

/// How many hits one call returns at most.
const HITS_MAX: usize = 200;

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// The files, best first.
    pub hits: Vec<Hit>,
    /// How many files match, as far as they were counted.
    pub total: usize,
    /// True when more matched than were ranked, so that `total` is a lower bound.
    pub truncated: bool,
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
    /// When the text changed last.
    pub modified: Millis,
}

pub(super) fn search(connection: &Connection, query: &str, limit: usize, offset: usize) -> Result<Hits> {
    let doing = "searching";
    let expression = expression(query).ok_or_else(|| Error::InvalidInput {
        what: "the query holds no word".into(),
        suggestion: "Give at least one word that the text or the title contains.".into(),
    })?;
    let (total, oldest): (i64, Option<i64>) = connection
        .prepare_cached(
            "SELECT count(*), min(rowid) FROM (SELECT rowid FROM doc WHERE doc MATCH ?1 ORDER BY rowid DESC LIMIT ?2)",
        )
        .and_then(|mut s| s.query_row(params![expression, CANDIDATES_MAX + 1], |row| Ok((row.get(0)?, row.get(1)?))))
        .map_err(storage(doing))?;
    let Some(oldest) = oldest else { return Ok(Hits::default()) };
    let truncated = total > CANDIDATES_MAX;

    // A word in the title weighs more; among equals the newer one comes first.
    let ranked: Vec<i64> = connection
        .prepare_cached(
            "SELECT rowid FROM doc WHERE doc MATCH ?1 AND rowid >= ?2
             ORDER BY bm25(doc, 8.0, 1.0), rowid DESC LIMIT ?3 OFFSET ?4",
        )
        .and_then(|mut s| {
            let limit = i64::try_from(limit.min(HITS_MAX)).unwrap_or(i64::MAX);
            let offset = i64::try_from(offset).unwrap_or(i64::MAX);
            s.query_map(params![expression, oldest, limit, offset], |row| row.get(0))?.collect()
        })
        .map_err(storage(doing))?;

    let mut statement = connection
        .prepare_cached(
            "SELECT p.item, p.part, d.title, snippet(doc, 1, '', '', '…', 24), p.modified
             FROM doc d JOIN part p ON p.docid = d.rowid WHERE doc MATCH ?1 AND d.rowid = ?2",
        )
        .map_err(storage(doing))?;
    let mut hits = Vec::with_capacity(ranked.len());
    for doc in ranked {
        let hit = statement
            .query_row(params![expression, doc], |row| {
                Ok(Hit {
                    item: ItemId(row.get(0)?),
                    part: PartId(row.get(1)?),
                    title: row.get(2)?,
                    snippet: row.get::<_, String>(3)?.split_whitespace().collect::<Vec<_>>().join(" "),
                    modified: from_millis(row.get(4)?),
                })
            })
            .map_err(storage(doing))?;
        hits.push(hit);
    }
    let total = usize::try_from(total.min(CANDIDATES_MAX)).unwrap_or(0);
    Ok(Hits { hits, total, truncated })
}

/// Turns what a person typed into an FTS5 expression: all words must occur, words in double quotes side by side, and
/// the last word may be unfinished. `None` when there is no word in it.
fn expression(query: &str) -> Option<String> {
    let mut terms = Vec::new();
    for (index, piece) in query.split('"').enumerate() {
        // Odd pieces stand between quotes. Every term is quoted for FTS5, and holds no quote itself.
        if index % 2 == 1 {
            terms.push(piece);
        } else {
            terms.extend(piece.split_whitespace());
        }
    }
    // A term without a letter or digit has no token, and a phrase without tokens would match nothing.
    terms.retain(|term| term.chars().any(char::is_alphanumeric));
    terms.truncate(WORDS_MAX);
    let quoted_end = query.trim_end().ends_with('"');
    let unfinished = !quoted_end && query.chars().next_back().is_some_and(char::is_alphanumeric);
    let mut expression = String::new();
    let last = terms.len().checked_sub(1)?;
    for (index, term) in terms.iter().enumerate() {
        if index > 0 {
            expression.push(' ');
        }
        expression.push('"');
        expression.extend(term.chars().filter(|c| !c.is_control()));
        expression.push('"');
        if index == last && unfinished {
            expression.push('*');
        }
    }
    Some(expression)
}

#[cfg(test)]
mod tests {
    use super::expression;

    fn check(query: &str, expected: Option<&str>) {
        assert_eq!(expression(query).as_deref(), expected, "{query:?}");
    }

    #[test]
    fn words_are_never_syntax() {
        check("meeting", Some("\"meeting\"*"));
        check("meeting notes ", Some("\"meeting\" \"notes\""));
        check("a AND b", Some("\"a\" \"AND\" \"b\"*"));
        check("title:x", Some("\"title:x\"*"));
        check("\"exact phrase\"", Some("\"exact phrase\""));
        check("\"open phrase", Some("\"open phrase\"*"));
        check("x* -y ^z", Some("\"x*\" \"-y\" \"^z\"*"));
        check("NEAR(a b, 3)", Some("\"NEAR(a\" \"b,\" \"3)\""));
        check("- * \"", None);
        check("", None);
    }
}
