//! The time as the engine is told it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::model::Millis;

/// A difference between the clocks that only a sleep of the machine explains, in milliseconds.
const SLEPT_MS: u64 = 60_000;

/// A clock that never goes back: the time of the start and what has passed since.
#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    start_ms: u64,
}

impl Clock {
    /// Starts now.
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), start_ms: system_ms() }
    }

    /// Returns the time.
    pub(super) fn now(&self) -> Millis {
        Millis(self.start_ms.saturating_add(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns when `at` has come for timers.
    pub(super) fn instant(&self, at: Millis) -> Instant {
        // The engine counts whole milliseconds; half of one more makes sure that `at` has come when the sleep ends.
        let wait = at.0.saturating_sub(self.start_ms).min(u64::from(u32::MAX));
        self.start + Duration::from_millis(wait) + Duration::from_micros(500)
    }

    /// Takes in the time that the machine slept, which does not pass for timers. Tells whether it did.
    pub(super) fn catch_up(&mut self) -> bool {
        let behind_ms = system_ms().saturating_sub(self.now().0);
        if behind_ms < SLEPT_MS {
            return false;
        }
        self.start_ms = self.start_ms.saturating_add(behind_ms);
        true
    }
}

/// The system's time in milliseconds since the epoch.
pub(super) fn system_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
