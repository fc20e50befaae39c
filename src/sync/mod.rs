//! The engine: observations in, decisions out. Pure.

mod event;

pub use event::*;

use crate::model::Millis;

/// The state of one account's engine.
#[derive(Debug, Default)]
pub struct Engine {}

impl Engine {
    /// Makes an engine that mirrors nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let _ = settings;
        Self::default()
    }

    /// Takes in what the store knows, once, before the first step.
    pub fn load(&mut self, now: Millis, loaded: Loaded) -> Vec<Effect> {
        let _ = (now, loaded);
        Vec::new()
    }

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
