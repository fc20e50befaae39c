//! What the product writes about notebooks and sources, and the passages it finds in them.

use serde_json::Value;

use super::{Listing, listing, wrapped_id};
use crate::notebooklm::document::Range;
use crate::notebooklm::slot::{Drift, Slot};

/// How deep the text of a passage is looked for.
const NESTING_MAX: usize = 8;

/// What a notebook is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guide {
    /// A summary, in Markdown; empty where there is none.
    pub summary: String,
    /// Questions to ask.
    pub questions: Vec<Suggestion>,
}

/// A question to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The question as it is shown.
    pub question: String,
    /// The longer text that is asked, where there is one.
    pub prompt: Option<String>,
}

/// What a source is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceGuide {
    /// A summary, in Markdown; empty where there is none.
    pub summary: String,
    /// Its key words.
    pub keywords: Vec<String>,
}

/// A passage that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The source it stands in.
    pub source: String,
    /// It.
    pub text: String,
    /// Which one it is in the order of the answer, from 1.
    pub rank: Option<i64>,
    /// Where it stands in the source.
    pub range: Option<Range>,
}

/// Reads the answer to a question for what a notebook is about.
///
/// # Errors
///
/// [`Drift`] when it is no guide.
pub fn notebook_guide(id: &str, answer: &Value) -> Result<Guide, Drift> {
    let guide = Slot::new(id, answer).at(0);
    // A notebook without sources has none.
    if guide.is_absent() {
        return Ok(Guide::default());
    }
    let summary = if guide.text().is_some() { guide } else { guide.at(0).at(0) };
    let questions = listing(guide.at(1).at(0), suggestion)?;
    Ok(Guide { summary: summary.optional_string()?.unwrap_or_default().to_owned(), questions: questions.items })
}

/// Reads the answer to a question for what to ask next.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a question.
pub fn suggestions(id: &str, answer: &Value) -> Result<Listing<Suggestion>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of questions"));
    }
    listing(slot.at(0), suggestion)
}

/// Reads `[question, prompt]`, or `[question, number]`.
fn suggestion(row: Slot<'_>) -> Result<Suggestion, Drift> {
    let question = row.at(0).string()?.to_owned();
    Ok(Suggestion { question, prompt: row.at(1).text().map(str::to_owned) })
}

/// Reads the answer to a question for what a source is about.
///
/// # Errors
///
/// [`Drift`] when it is no guide.
pub fn source_guide(id: &str, answer: &Value) -> Result<SourceGuide, Drift> {
    let guide = Slot::new(id, answer).at(0);
    if guide.is_absent() {
        return Ok(SourceGuide::default());
    }
    if guide.list().is_none() {
        return Err(guide.drift("a guide"));
    }
    // Recorded guides stand in a list of guides, one for each source that was asked for.
    let guide = guide.at(0);
    let summary = guide.at(1).at(0).optional_string()?.unwrap_or_default().to_owned();
    let keywords = listing(guide.at(2).at(0), |word| word.string().map(str::to_owned))?;
    Ok(SourceGuide { summary, keywords: keywords.items })
}

/// Reads the answer to a search for passages.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a passage.
pub fn passages(id: &str, answer: &Value) -> Result<Listing<Passage>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of passages"));
    }
    let by_source = listing(slot.at(0), |row| {
        let source = wrapped_id(row.at(0))?;
        listing(row.at(1), |passage| read_passage(&source, passage))
    })?;
    let mut all = Listing { items: Vec::new(), odd: by_source.odd };
    for mut found in by_source.items {
        all.items.append(&mut found.items);
        all.odd.append(&mut found.odd);
    }
    Ok(all)
}

/// Reads `[[[[text]]], rank, [[null, start, end]]]`.
fn read_passage(source: &str, row: Slot<'_>) -> Result<Passage, Drift> {
    let mut text = row.at(0);
    for _ in 0..NESTING_MAX {
        if text.list().is_some() {
            text = text.at(0);
        }
    }
    Ok(Passage {
        source: source.to_owned(),
        text: text.string()?.to_owned(),
        rank: row.at(1).integer(),
        range: Range::read(row.at(2).at(0)),
    })
}
