//! Notebooks.

use serde_json::Value;

use super::account::{Limits, plan};
use super::source::{Source, source};
use super::{Listing, Moment, listing, moment, title};
use crate::notebooklm::call::{Goal, Length};
use crate::notebooklm::slot::{Drift, Slot};

/// A notebook.
#[derive(Debug, Clone, PartialEq)]
pub struct Notebook {
    /// Its id, a UUID.
    pub id: String,
    /// Its title; empty where it has none yet.
    pub title: String,
    /// Its emoji; nothing where it has none.
    pub emoji: Option<String>,
    /// What this account may do with it.
    pub role: Option<Role>,
    /// Whether others see it.
    pub shared: Option<bool>,
    /// When it was viewed last. There is no moment of its last change.
    pub viewed: Option<Moment>,
    /// When it was made.
    pub created: Option<Moment>,
    /// How its answers are, where that was set.
    pub chat: Option<Chat>,
    /// The plan of the account that it counts towards.
    pub limits: Option<Limits>,
    /// The id of its first conversation. Only the answer to its making has it.
    pub conversation: Option<String>,
    /// Its sources.
    pub sources: Vec<Source>,
    /// What could not be read of its sources.
    pub odd: Vec<Drift>,
}

/// What an account may do with a notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// 1: all.
    Owner,
    /// 2: change it.
    Editor,
    /// 3: read it; those that the product shows to everybody are such, too.
    Viewer,
    /// Any other number.
    Other(i64),
}

/// How the answers of a notebook are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chat {
    /// What they aim at.
    pub goal: Goal,
    /// How long they are.
    pub length: Length,
}

/// Reads the answer to a list of notebooks.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a notebook.
pub fn notebooks(id: &str, answer: &Value) -> Result<Listing<Notebook>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of notebooks"));
    }
    listing(slot.at(0), row)
}

/// Reads the answer to the making or changing of a notebook: its row.
///
/// # Errors
///
/// [`Drift`] when it is none.
pub fn notebook(id: &str, answer: &Value) -> Result<Notebook, Drift> {
    row(Slot::new(id, answer))
}

/// Reads the answer to a question for one notebook: its row in a list.
///
/// # Errors
///
/// [`Drift`] when it is none.
pub fn notebook_of_get(id: &str, answer: &Value) -> Result<Notebook, Drift> {
    row(Slot::new(id, answer).at(0))
}

fn row(row: Slot<'_>) -> Result<Notebook, Drift> {
    let id = row.at(2).id()?.to_owned();
    let sources = listing(row.at(1), source)?;
    let meta = row.at(5);
    Ok(Notebook {
        id,
        title: row.at(0).optional_string()?.map(title).unwrap_or_default(),
        emoji: row.at(3).optional_string()?.filter(|emoji| !emoji.is_empty()).map(str::to_owned),
        role: meta.at(0).optional_integer()?.map(Role::of),
        shared: meta.at(1).flag(),
        viewed: moment(meta.at(5))?,
        created: moment(meta.at(8))?,
        chat: chat(row.at(7)),
        limits: (!row.at(10).is_absent()).then(|| plan(row.at(10))),
        conversation: row.at(11).at(0).at(0).text().map(str::to_owned),
        sources: sources.items,
        odd: sources.odd,
    })
}

impl Role {
    const fn of(code: i64) -> Self {
        match code {
            1 => Self::Owner,
            2 => Self::Editor,
            3 => Self::Viewer,
            _ => Self::Other(code),
        }
    }
}

/// Reads `[[goal, prompt?], [length]]`. An empty list means what the product does by itself.
fn chat(slot: Slot<'_>) -> Option<Chat> {
    slot.list()?;
    let goal = match slot.at(0).at(0).integer() {
        Some(2) => Goal::Custom(slot.at(0).at(1).text().unwrap_or_default().to_owned()),
        Some(3) => Goal::LearningGuide,
        Some(_) | None => Goal::Default,
    };
    let length = match slot.at(1).at(0).integer() {
        Some(4) => Length::Longer,
        Some(5) => Length::Shorter,
        Some(_) | None => Length::Default,
    };
    Some(Chat { goal, length })
}
