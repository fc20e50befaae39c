//! When the change feed is read next.

use crate::model::Millis;

/// Time between polls while something was edited lately, in milliseconds.
const BUSY_MS: u64 = 5_000;
/// What "lately" is, in milliseconds.
const BUSY_FOR_MS: u64 = 120_000;
/// Time between polls normally, in milliseconds.
const NORMAL_MS: u64 = 30_000;
/// From here on without edits the time between polls grows, in milliseconds.
const IDLE_AFTER_MS: u64 = 600_000;
/// The longest time between polls, in milliseconds.
const IDLE_MS: u64 = 300_000;

/// Decides when to poll. At most one poll is under way.
#[derive(Debug, Clone)]
pub(super) struct Polling {
    fixed_ms: Option<u64>,
    edited: Millis,
    due: Option<Millis>,
    busy: bool,
    /// Somebody asked while a poll was under way.
    again: bool,
    /// Failures in a row.
    pub(super) failures: u32,
}

impl Polling {
    /// Makes one that is due at once when `start` is called.
    pub(super) const fn new(fixed_ms: Option<u64>) -> Self {
        Self { fixed_ms, edited: Millis(0), due: None, busy: false, again: false, failures: 0 }
    }

    /// Makes a poll due now, or right after the one under way.
    pub(super) const fn ask(&mut self, now: Millis) {
        if self.busy {
            self.again = true;
        } else {
            self.due = Some(now);
        }
    }

    /// Notes an edit on either side: the next poll comes sooner.
    pub(super) fn note_edit(&mut self, now: Millis, chance: u64) {
        self.edited = now;
        if let Some(due) = self.due {
            self.due = Some(due.min(self.after(now, self.interval_ms(now), chance)));
        }
    }

    /// Tells whether to poll now; then the poll is under way.
    pub(super) fn take_due(&mut self, now: Millis) -> bool {
        if self.busy || self.due.is_none_or(|due| due > now) {
            return false;
        }
        self.busy = true;
        self.due = None;
        true
    }

    /// Notes that the poll ended; `wait_ms` overrides the time to the next one.
    pub(super) fn end(&mut self, now: Millis, wait_ms: Option<u64>, chance: u64) {
        self.busy = false;
        let again = std::mem::take(&mut self.again);
        self.due = Some(match wait_ms {
            _ if again => now,
            Some(wait) => Millis(now.0.saturating_add(wait)),
            None => self.after(now, self.interval_ms(now), chance),
        });
    }

    /// Returns when the next poll is due; `None` while one is under way.
    pub(super) const fn due(&self) -> Option<Millis> {
        self.due
    }

    /// Returns the time between polls at `now`, before jitter, in milliseconds.
    pub(super) fn interval_ms(&self, now: Millis) -> u64 {
        if let Some(fixed) = self.fixed_ms {
            return fixed.max(1);
        }
        let quiet = now.0.saturating_sub(self.edited.0);
        if quiet < BUSY_FOR_MS { BUSY_MS } else { (quiet / (IDLE_AFTER_MS / NORMAL_MS)).clamp(NORMAL_MS, IDLE_MS) }
    }

    /// Adds ±20 % to an adaptive interval, so that many daemons do not poll at the same moment.
    fn after(&self, now: Millis, interval_ms: u64, chance: u64) -> Millis {
        let wait = if self.fixed_ms.is_some() {
            interval_ms
        } else {
            interval_ms - interval_ms / 5 + chance % (interval_ms * 2 / 5).max(1)
        };
        Millis(now.0.saturating_add(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_quiet(quiet_ms: u64) -> u64 {
        let mut polling = Polling::new(None);
        polling.note_edit(Millis(1_000_000), 0);
        polling.interval_ms(Millis(1_000_000 + quiet_ms))
    }

    #[test]
    fn the_interval_follows_the_edits() {
        let cases = [
            (0, 5_000),
            (119_999, 5_000),
            (120_000, 30_000),
            (600_000, 30_000),
            (1_200_000, 60_000),
            (6_000_000, 300_000),
            (600_000_000, 300_000),
        ];
        for (quiet, interval) in cases {
            assert_eq!(after_quiet(quiet), interval, "after {quiet} ms");
        }
    }

    #[test]
    fn jitter_stays_within_a_fifth() {
        for chance in [0, 1, 77_777, u64::MAX] {
            let mut polling = Polling::new(None);
            polling.ask(Millis(0));
            assert!(polling.take_due(Millis(0)));
            polling.end(Millis(10_000_000), None, chance);
            let wait = polling.due().unwrap().0 - 10_000_000;
            assert!((240_000..=360_000).contains(&wait), "{wait}");
        }
    }

    #[test]
    fn one_poll_at_a_time_and_none_is_lost() {
        let mut polling = Polling::new(Some(500));
        polling.ask(Millis(0));
        assert!(polling.take_due(Millis(0)));
        polling.ask(Millis(1));
        assert!(!polling.take_due(Millis(1)));
        polling.end(Millis(2), None, 9);
        assert!(polling.take_due(Millis(2)));
        polling.end(Millis(3), None, 9);
        assert_eq!(polling.due(), Some(Millis(503)));
    }
}
