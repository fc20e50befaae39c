//! How fast items are read, so that a person learns how long the rest takes. Pure.

use std::collections::VecDeque;

use crate::model::Millis;

/// Readings that are remembered.
const READINGS_MAX: usize = 64;

/// Readings that are older tell nothing of now, in milliseconds.
const LATELY_MS: u64 = 120_000;

/// Items that are worth an estimate; fewer are read before anybody asks.
const LEFT_MIN: usize = 2;

/// When items were read lately.
#[derive(Debug, Default)]
pub(super) struct Progress {
    read: VecDeque<Millis>,
}

impl Progress {
    /// Notes that an item was read.
    pub(super) fn read(&mut self, now: Millis) {
        if self.read.len() >= READINGS_MAX {
            self.read.pop_front();
        }
        self.read.push_back(now);
    }

    /// Returns how long it takes about until `left` items were read, in milliseconds; `None` while that is not known.
    pub(super) fn left_ms(&self, left: usize, now: Millis) -> Option<u64> {
        let lately = || self.read.iter().filter(|at| now.0.saturating_sub(at.0) <= LATELY_MS);
        let first = lately().next()?;
        // The first reading is where the measuring begins.
        let count = lately().count().checked_sub(1).filter(|count| *count > 0 && left >= LEFT_MIN)?;
        let passed = u128::from(now.0.saturating_sub(first.0));
        u64::try_from(passed * left as u128 / count as u128).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: &[u64], left: usize, now: u64, expected: Option<u64>) {
        let mut progress = Progress::default();
        read.iter().for_each(|at| progress.read(Millis(*at)));
        assert_eq!(progress.left_ms(left, Millis(now)), expected, "{read:?}");
    }

    #[test]
    fn the_rest_takes_as_long_as_what_was_read_lately() {
        check(&[], 10, 1_000, None);
        check(&[0], 10, 1_000, None);
        check(&[0, 1_000], 10, 1_000, Some(10_000));
        check(&[0, 500, 1_000], 10, 1_000, Some(5_000));
        check(&[0, 500, 1_000], 1, 1_000, None);
        check(&[0, 1_000, 1_000_000, 1_000_100], 10, 1_000_100, Some(1_000));
        check(&[0, 500], 10, 1_000_000, None);
    }
}
