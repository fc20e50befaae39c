//! The engine: observations in, decisions out. Pure.

mod event;

pub use event::*;

use crate::model::Millis;

/// The state of one account's engine.
#[derive(Debug, Default)]
pub struct Engine {}

impl Engine {
    /// Decides what follows from `event`.
    pub fn step(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        let _ = (now, event);
        Vec::new()
    }

    /// Returns when the next [`Event::Tick`] is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        None
    }
}
