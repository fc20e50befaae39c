//! What a machine stands in: the time, Google, chance, and what is remembered of the run.

use std::fmt::{self, Debug, Write as _};
use std::hash::{DefaultHasher, Hasher as _};

use mcp_workspace::model::{ItemId, Revision};
use serde_json::Value;

use crate::dice::Dice;
use crate::google::{Google, Landed};
use crate::ledger::Ledger;
use crate::plants::Plant;
use crate::prose::Speech;

/// All that machines share.
pub(crate) struct Around {
    /// The true time in milliseconds.
    pub(crate) now: u64,
    pub(crate) google: Google,
    pub(crate) ledger: Ledger,
    pub(crate) dice: Dice<'static>,
    /// Whether things go wrong.
    pub(crate) faults: bool,
    /// Whether there is no network.
    pub(crate) is_offline: bool,
    pub(crate) plant: Option<Plant>,
    pub(crate) speech: Speech,
    /// Whether people change the tabs of documents.
    pub(crate) has_tabs: bool,
    hash: DefaultHasher,
    /// Whether the events are printed.
    pub(crate) shows: bool,
}

/// What is written goes into a hash.
struct Hashed<'h>(&'h mut DefaultHasher);

impl fmt::Write for Hashed<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Around {
    pub(crate) fn new(google: Google, plant: Option<Plant>, shows: bool) -> Self {
        Self {
            now: 1_800_000_000_000,
            google,
            ledger: Ledger::default(),
            dice: Dice::seeded(0),
            faults: true,
            is_offline: false,
            plant,
            speech: Speech::Tokens,
            has_tabs: false,
            hash: DefaultHasher::new(),
            shows,
        }
    }

    /// True once in so many times while things go wrong.
    pub(crate) fn fault(&mut self, one_in: usize) -> bool {
        self.faults && self.dice.once_in(one_in)
    }

    /// Remembers that something happened: the same seed must give the same run.
    pub(crate) fn trace(&mut self, what: &impl Debug) {
        writeln!(Hashed(&mut self.hash), "{} {what:?}", self.now).unwrap();
        if self.shows {
            println!("{} {what:?}", self.now);
        }
    }

    /// Shows what is not worth remembering.
    pub(crate) fn show(&self, what: &impl Debug) {
        if self.shows {
            println!("    {what:?}");
        }
    }

    /// What stands for all that happened.
    pub(crate) fn trace_hash(&self) -> u64 {
        self.hash.finish()
    }

    /// Sends a push that requires a revision; one of ours always does.
    pub(crate) fn push(&mut self, item: (usize, &ItemId), revision: Option<&Revision>, requests: &[Value]) -> Landed {
        self.google.push(item, revision, requests, &mut self.ledger)
    }
}
