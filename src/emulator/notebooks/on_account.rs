//! Calls about the account.

use serde_json::Value;

use super::Notebooks;
use super::asked::{Asked, Done, Refusal};
use super::model::Millis;
use super::rows;

/// Five hours, in milliseconds.
const HOURS_MS: Millis = 5 * 3_600_000;

/// A day.
const DAY_MS: Millis = 24 * 3_600_000;

/// A week.
const WEEK_MS: Millis = 7 * DAY_MS;

impl Notebooks {
    /// The account's plan and language.
    pub(super) fn settings(&self, asked: &Asked<'_>) -> Done {
        Ok(rows::settings(self.person(&asked.email)?))
    }

    /// The same, without what only the settings have.
    pub(super) fn account(&self, asked: &Asked<'_>) -> Done {
        Ok(rows::account(self.person(&asked.email)?))
    }

    /// Another language of answers.
    pub(super) fn set_settings(&mut self, asked: &Asked<'_>) -> Done {
        let language = asked.text(&[0, 0, 1, 0, 4, 0])?.to_owned();
        if !(2..=16).contains(&language.len()) {
            return Err(Refusal::INVALID);
        }
        self.people.get_mut(&asked.email).ok_or(Refusal::SIGNED_OUT)?.language = language;
        self.touch();
        Ok(Value::Null)
    }

    /// What is used up of the week and of the five hours.
    pub(super) fn usage(&self, asked: &Asked<'_>) -> Done {
        let person = self.person(&asked.email)?;
        let window = |number: i64, length: Millis, count: u32| {
            let within: Vec<Millis> = person.asked_ms.iter().copied().filter(|at| asked.now - at < length).collect();
            let used = f64::from(u32::try_from(within.len()).unwrap_or(u32::MAX)) * 100.0 / f64::from(count.max(1));
            (number, within.first().unwrap_or(&asked.now) + length, used.min(100.0))
        };
        let day = person.plan.chats;
        Ok(rows::usage([window(2, WEEK_MS, day.saturating_mul(7)), window(1, HOURS_MS, day)]))
    }

    /// Counts a question; tells whether it was still within what the plan has for a day.
    pub(super) fn count_question(&mut self, now: Millis, email: &str) -> bool {
        self.touch();
        let Some(person) = self.people.get_mut(email) else { return false };
        person.asked_ms.retain(|at| now - at < WEEK_MS);
        let today = person.asked_ms.iter().filter(|at| now - **at < DAY_MS).count();
        if today >= usize::try_from(person.plan.chats).unwrap_or(usize::MAX) {
            return false;
        }
        person.asked_ms.push(now);
        true
    }
}
