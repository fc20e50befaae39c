//! The rows of answers as things: notebooks, sources, notes, plans, turns.
//!
//! Of a list, what can be read is returned, and what cannot is told beside it: one row in a new shape must not hide all
//! others. A list of which nothing can be read is an error.

mod account;
mod guide;
mod note;
mod notebook;
mod source;
mod turn;

use serde_json::Value;

use super::slot::{Drift, Slot};

pub use account::{Limits, Usage, Window, limits, plan, usage};
pub use guide::{Guide, Passage, SourceGuide, Suggestion, notebook_guide, passages, source_guide, suggestions};
pub use note::{Note, NoteKind, created_note, note, notes};
pub use notebook::{Chat, Notebook, Role, notebook, notebook_of_get, notebooks};
pub use source::{
    DriveStatus, Failure, Freshness, Source, SourceKind, SourceText, Status, added_sources, freshness,
    imported_sources, mutated_source, source, source_text,
};
pub use turn::{Speaker, Turn, Turns, chat_is_busy, conversation, turns};

/// The most rows of one list that are read.
pub const ROWS_MAX: usize = 20_000;

/// What could be read of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// What could.
    pub items: Vec<T>,
    /// What could not, and why.
    pub odd: Vec<Drift>,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { items: Vec::new(), odd: Vec::new() }
    }
}

/// A moment as the product says it: whole seconds since 1970 in UTC, and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Milliseconds since 1970 in UTC.
    pub ms: i64,
    /// The nanoseconds beyond the second, from 0: two moments of one millisecond are still two.
    pub nanos: u32,
}

/// Reads the rows of a list. Nothing where there is no list.
fn listing<T>(list: Slot<'_>, read: impl Fn(Slot<'_>) -> Result<T, Drift>) -> Result<Listing<T>, Drift> {
    let mut listing = Listing::default();
    for row in list.each()?.take(ROWS_MAX) {
        match read(row) {
            Ok(item) => listing.items.push(item),
            Err(drift) => listing.odd.push(drift),
        }
    }
    match listing.odd.pop() {
        Some(drift) if listing.items.is_empty() => Err(drift),
        Some(drift) => {
            listing.odd.push(drift);
            Ok(listing)
        }
        None => Ok(listing),
    }
}

/// Reads `[seconds, nanoseconds]`, of which the second may be missing where it is zero.
fn moment(slot: Slot<'_>) -> Result<Option<Moment>, Drift> {
    if slot.is_absent() {
        return Ok(None);
    }
    let seconds = slot.at(0).optional_integer()?;
    let Some(seconds) = seconds else {
        // An empty list is the first second of 1970, which nothing here is of.
        return if slot.list().is_some_and(<[Value]>::is_empty) { Ok(None) } else { Err(slot.drift("a moment")) };
    };
    let nanos = slot.at(1).optional_integer()?.unwrap_or_default();
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000);
    let nanos = nanos.ok_or_else(|| slot.at(1).drift("nanoseconds"))?;
    let ms = seconds.checked_mul(1000).and_then(|ms| ms.checked_add(i64::from(nanos / 1_000_000)));
    Ok(Some(Moment { ms: ms.ok_or_else(|| slot.at(0).drift("seconds since 1970"))?, nanos }))
}

/// Reads an id that stands alone, or in a list of its own.
fn wrapped_id(slot: Slot<'_>) -> Result<String, Drift> {
    let slot = if slot.list().is_some() { slot.at(0) } else { slot };
    slot.id().map(str::to_owned)
}

/// Takes away what a model's thinking leaves in front of a title at times.
fn title(text: &str) -> String {
    text.strip_prefix("thought\n").unwrap_or(text).trim().to_owned()
}
