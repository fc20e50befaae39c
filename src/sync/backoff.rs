//! How long to wait before trying again. Pure: chance comes in as an argument.

/// The first wait after a failure, in milliseconds.
const FIRST_MS: u64 = 1_000;
/// The longest wait after failures, in milliseconds.
const LONGEST_MS: u64 = 64_000;
/// Stale revisions that are tried again at once; after them the pauses grow.
const STALE_AT_ONCE: u32 = 3;
/// The first pause after stale revisions, in milliseconds.
const STALE_FIRST_MS: u64 = 200;
/// The longest pause after stale revisions, in milliseconds.
const STALE_LONGEST_MS: u64 = 120_000;

/// Returns the wait in milliseconds before attempt `attempt + 1`, where `attempt` counts failures so far from 1.
///
/// Full jitter: any wait up to a bound that doubles, so that many items do not come back at the same moment. A wait
/// that Google named is a lower bound.
#[must_use]
pub fn next(attempt: u32, retry_after_ms: Option<u64>, chance: u64) -> u64 {
    let bound = doubled(FIRST_MS, attempt.saturating_sub(1), LONGEST_MS);
    let jitter = chance % bound.max(1) + 1;
    match retry_after_ms {
        Some(wait) => wait.saturating_add(jitter.min(FIRST_MS)),
        None => jitter,
    }
}

/// Returns the pause in milliseconds after the `count`th stale revision in a row: none at first, then growing.
#[must_use]
pub fn stale_pause(count: u32, chance: u64) -> u64 {
    if count <= STALE_AT_ONCE {
        return 0;
    }
    let bound = doubled(STALE_FIRST_MS, count - STALE_AT_ONCE - 1, STALE_LONGEST_MS);
    // At least half of the bound: the document is being typed in, so coming back at once is in vain.
    bound / 2 + chance % (bound / 2).max(1)
}

fn doubled(first: u64, times: u32, longest: u64) -> u64 {
    1_u64.checked_shl(times).and_then(|factor| first.checked_mul(factor)).unwrap_or(longest).min(longest)
}

/// A deterministic source of chance (splitmix64).
///
/// Source: <https://prng.di.unimi.it/splitmix64.c>
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// Begins at `seed`.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub(super) const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_bounded() {
        for (attempt, most) in [(1, 1_000), (2, 2_000), (5, 16_000), (7, 64_000), (8, 64_000), (u32::MAX, 64_000)] {
            for chance in [0, 1, 999, 63_999, u64::MAX] {
                let wait = next(attempt, None, chance);
                assert!((1..=most).contains(&wait), "attempt {attempt} waits {wait} ms");
            }
        }
    }

    #[test]
    fn a_named_wait_is_honoured() {
        assert!(next(1, Some(30_000), 0) >= 30_000);
        assert_eq!(next(1, Some(u64::MAX), 5), u64::MAX);
    }

    #[test]
    fn stale_revisions_are_tried_at_once_then_paused() {
        assert_eq!((1..=3).map(|count| stale_pause(count, 7)).sum::<u64>(), 0);
        assert!((100..=200).contains(&stale_pause(4, u64::MAX)));
        assert!((60_000..=120_000).contains(&stale_pause(400, u64::MAX)));
    }
}
