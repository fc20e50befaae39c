//! Conversations and their turns.

use serde_json::Value;

use super::{Listing, Moment, listing, moment};
use crate::notebooklm::chat::{Answer, answer_of_row};
use crate::notebooklm::slot::{Drift, Slot};

/// What one side said in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Its id, where it has one.
    pub id: Option<String>,
    /// When it was said.
    pub at: Option<Moment>,
    /// Who said it, and what.
    pub speaker: Speaker,
}

/// Who said something, and what.
#[derive(Debug, Clone, PartialEq)]
pub enum Speaker {
    /// 1: the person asked.
    Person(String),
    /// 2: the product answered.
    Product(Box<Answer>),
}

/// The turns of a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turns {
    /// The turns, the newest first: an answer stands before its question.
    pub turns: Vec<Turn>,
    /// What could not be read.
    pub odd: Vec<Drift>,
    /// What older turns are asked for with, where there are any.
    pub next: Option<String>,
}

/// Reads the answer to a question for a notebook's newest conversation: its id, or nothing where there is none.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when no id stands where one should.
pub fn conversation(id: &str, answer: &Value) -> Result<Option<String>, Drift> {
    let slot = Slot::new(id, answer);
    let Some(list) = slot.list() else { return Err(slot.drift("a list of conversations")) };
    let place = slot.at(0).at(0).at(0);
    if list.is_empty() || slot.at(0).is_absent() || slot.at(0).list().is_some_and(<[Value]>::is_empty) {
        return Ok(None);
    }
    place.id().map(|id| Some(id.to_owned()))
}

/// Reads the answer to a question for the turns of a conversation.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a turn.
pub fn turns(id: &str, answer: &Value) -> Result<Turns, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of turns"));
    }
    let Listing { items, odd } = listing(slot.at(0), turn)?;
    Ok(Turns { turns: items, odd, next: slot.at(1).text().filter(|next| !next.is_empty()).map(str::to_owned) })
}

/// Reads `[id, moment, 1, question]`, or `[id, moment, 2, null, [answer]]`.
fn turn(row: Slot<'_>) -> Result<Turn, Drift> {
    let speaker = match row.at(2).integer() {
        Some(1) => Speaker::Person(row.at(3).string()?.to_owned()),
        Some(2) => Speaker::Product(Box::new(answer_of_row(row.at(4).at(0))?)),
        Some(_) | None => return Err(row.at(2).drift("1 or 2")),
    };
    let id = row.at(0).optional_string()?.map(str::to_owned);
    Ok(Turn { id, at: moment(row.at(1))?, speaker })
}

/// Reads the answer to a question whether an answer is being written.
///
/// # Errors
///
/// [`Drift`] when it is neither yes nor no.
pub fn chat_is_busy(id: &str, answer: &Value) -> Result<bool, Drift> {
    let status = Slot::new(id, answer).at(1);
    match status.integer() {
        Some(1) => Ok(false),
        Some(2) => Ok(true),
        Some(_) | None => Err(status.drift("1 or 2")),
    }
}
