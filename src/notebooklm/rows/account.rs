//! What an account may do, and what it has used up.

use serde_json::Value;

use super::{Listing, Moment, listing, moment};
use crate::notebooklm::slot::{Drift, Slot};

/// What the plan of an account allows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// The number of the plan; 1 is the free one.
    pub tier: Option<i64>,
    /// How many notebooks.
    pub notebooks: Option<u64>,
    /// How many sources in each.
    pub sources: Option<u64>,
    /// How many words in each source.
    pub words: Option<u64>,
    /// The language of answers, where it was set.
    pub language: Option<String>,
}

/// What is used up of one of the account's windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// The window.
    pub window: Window,
    /// When it begins anew.
    pub resets: Option<Moment>,
    /// How much of it is used up, in percent.
    pub used_percent: Option<f64>,
    /// How much of it is left, in percent.
    pub left_percent: Option<f64>,
}

/// A window in which use is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// 1: five hours.
    Hours,
    /// 2: a week.
    Week,
    /// Any other number.
    Other(i64),
}

/// Reads the answer to a question for the account's settings.
///
/// # Errors
///
/// [`Drift`] when it is no account.
pub fn limits(id: &str, answer: &Value) -> Result<Limits, Drift> {
    let account = Slot::new(id, answer).at(0);
    if account.list().is_none() {
        return Err(account.drift("an account"));
    }
    let language = account.at(2).at(4).at(0).text().map(str::to_owned);
    Ok(Limits { language, ..plan(account.at(1)) })
}

/// Reads `[tier, notebooks, sources, words, …]`.
#[must_use]
pub fn plan(slot: Slot<'_>) -> Limits {
    let count = |index: usize| slot.at(index).integer().and_then(|count| u64::try_from(count).ok());
    Limits { tier: slot.at(0).integer(), notebooks: count(1), sources: count(2), words: count(3), language: None }
}

/// Reads the answer to a question for what is used up. A number of zero is left out of the answer.
///
/// # Errors
///
/// [`Drift`] when it is no list, or when none of its rows is a window.
pub fn usage(id: &str, answer: &Value) -> Result<Listing<Usage>, Drift> {
    let slot = Slot::new(id, answer);
    if slot.list().is_none() {
        return Err(slot.drift("a list of windows"));
    }
    listing(slot.at(1), |row| {
        let code = row.at(4).integer().ok_or_else(|| row.at(4).drift("the number of a window"))?;
        let window = match code {
            1 => Window::Hours,
            2 => Window::Week,
            _ => Window::Other(code),
        };
        let (used_percent, left_percent) = match (row.at(6).number(), row.at(7).number()) {
            (Some(used), None) => (Some(used), Some(0.0)),
            (None, Some(left)) => (Some(0.0), Some(left)),
            both => both,
        };
        Ok(Usage { window, resets: moment(row.at(5))?, used_percent, left_percent })
    })
}
