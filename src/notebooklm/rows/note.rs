//! Notes and mind maps.

use serde_json::Value;

use super::{Listing, Moment, listing, moment, title};
use crate::notebooklm::chat::{Citation, citations_of};
use crate::notebooklm::document::{Document, document};
use crate::notebooklm::slot::{Drift, Slot};

/// A note of a notebook.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its id, a UUID.
    pub id: String,
    /// Its title; empty where it has none.
    pub title: String,
    /// Its text, which is Markdown, or the JSON of a mind map.
    pub content: String,
    /// What it is.
    pub kind: NoteKind,
    /// When it was made or changed last, as the first of the two moments that the product keeps says.
    pub modified: Option<Moment>,
    /// The second of those moments, which only newer notes have.
    pub edited: Option<Moment>,
    /// What it names as its origin, for a saved answer.
    pub citations: Vec<Citation>,
    /// Its text with positions, for a saved answer.
    pub document: Option<Document>,
}

/// What a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Text that somebody wrote.
    Written,
    /// An answer that somebody kept.
    SavedAnswer,
    /// A mind map.
    MindMap,
    /// One of another number.
    Other(i64),
}

/// Reads the answer to a list of notes. What was deleted is passed over.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a note.
pub fn notes(id: &str, answer: &Value) -> Result<Listing<Note>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of notes"));
    }
    let read = listing(slot.at(0), |row| {
        let gone = row.at(1).is_absent() && row.at(2).integer() == Some(2);
        if gone { Ok(None) } else { note(row.at(1)).map(Some) }
    })?;
    Ok(Listing { items: read.items.into_iter().flatten().collect(), odd: read.odd })
}

/// Reads the answer to the making or changing of a note: its row, in a list.
///
/// # Errors
///
/// [`Drift`] when it is none.
pub fn created_note(id: &str, answer: &Value) -> Result<Note, Drift> {
    note(Slot::new(id, answer).at(0))
}

/// Reads a row of a note.
///
/// # Errors
///
/// [`Drift`] when it is none.
pub fn note(row: Slot<'_>) -> Result<Note, Drift> {
    let content = row.at(1).optional_string()?.unwrap_or_default();
    let meta = row.at(2);
    let kind = meta.at(0).optional_integer()?;
    Ok(Note {
        id: row.at(0).id()?.to_owned(),
        title: row.at(4).optional_string()?.map(title).unwrap_or_default(),
        content: content.to_owned(),
        kind: fault_of(kind, content),
        modified: moment(meta.at(2))?,
        edited: moment(meta.at(5))?,
        citations: citations_of(row.at(5).at(3), row.at(3)),
        document: (!row.at(5).is_absent()).then(|| document(row.at(5))),
    })
}

/// Tells what a note is. A mind map is one by its content: its number was recorded as that of a written note.
fn fault_of(code: Option<i64>, content: &str) -> NoteKind {
    let start: String = content.chars().filter(|letter| !letter.is_whitespace()).take(12).collect();
    if start.starts_with("{\"name\":") || start.starts_with("{\"children\"") {
        return NoteKind::MindMap;
    }
    match code {
        None | Some(1) => NoteKind::Written,
        Some(2) => NoteKind::SavedAnswer,
        Some(code) => NoteKind::Other(code),
    }
}
