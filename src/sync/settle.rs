//! Waits for quiet after a save, so that nothing half-written is ever read as an edit.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ItemId, Millis, PartId};

use super::Touch;

/// Quiet after a completed save, in milliseconds.
const COMPLETE_MS: u64 = 50;
/// Quiet after a write where closing is not reported, in milliseconds.
const MODIFIED_MS: u64 = 400;
/// Quiet after a save that ends before the text did, in milliseconds: the next lines may follow.
pub const END_MS: u64 = 2_000;
/// How long a name may be gone before it counts as absent, in milliseconds: editors rename in two steps.
const MISSING_MS: u64 = 2_000;
/// From here on a file that stays open for writing is reported, in milliseconds.
const OPEN_MS: u64 = 5_000;

/// A file's key.
pub(super) type Key = (ItemId, PartId);

/// A file that was touched and has been quiet long enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settled {
    /// Which file.
    pub(super) key: Key,
    /// It must read the same twice before it is believed: nobody reports its closing.
    pub(super) twice: bool,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// `None` while the file is open for writing and its closing will be reported.
    due: Option<Millis>,
    /// When the first touch of this row of touches came.
    since: Millis,
    twice: bool,
}

/// The files that were touched and are not quiet yet. A file touched once is due exactly once.
#[derive(Debug, Clone, Default)]
pub(super) struct Settle {
    entries: BTreeMap<Key, Entry>,
    queue: BTreeSet<(Millis, Key)>,
    /// When each file was touched last.
    touched: BTreeMap<Key, Millis>,
}

impl Settle {
    /// Notes a touch; the wait starts anew.
    pub(super) fn touch(&mut self, key: Key, touch: Touch, now: Millis) {
        let (wait, twice) = match touch {
            Touch::Complete => (Some(COMPLETE_MS), false),
            Touch::Modified { closes: true } => (None, false),
            Touch::Modified { closes: false } => (Some(MODIFIED_MS), true),
            Touch::Missing => (Some(MISSING_MS), false),
        };
        self.touched.insert(key.clone(), now);
        self.wait(key, wait.map(|wait| Millis(now.0.saturating_add(wait))), twice, now);
    }

    /// Waits for the end of a file that was read and does not have it; tells whether it may still come.
    pub(super) fn wait_for_end(&mut self, key: &Key, now: Millis) -> bool {
        let due = self.touched.get(key).map(|touched| Millis(touched.0.saturating_add(END_MS)));
        let due = due.filter(|due| *due > now);
        if due.is_some() && !self.waits(key) {
            self.wait(key.clone(), due, false, now);
        }
        due.is_some()
    }

    fn wait(&mut self, key: Key, due: Option<Millis>, twice: bool, now: Millis) {
        let since = self.forget(&key).map_or(now, |entry| entry.since);
        if let Some(due) = due {
            self.queue.insert((due, key.clone()));
        }
        self.entries.insert(key, Entry { due, since, twice });
    }

    /// Takes out the files that are quiet at `now`.
    pub(super) fn take_due(&mut self, now: Millis) -> Vec<Settled> {
        let mut settled = Vec::new();
        while self.queue.first().is_some_and(|(due, _)| *due <= now) {
            let Some((_, key)) = self.queue.pop_first() else { break };
            let twice = self.entries.remove(&key).is_some_and(|entry| entry.twice);
            settled.push(Settled { key, twice });
        }
        settled
    }

    /// Forgets that closing was promised: after lost events a file is believed when it reads the same twice.
    pub(super) fn doubt(&mut self, now: Millis) {
        let open: Vec<Key> =
            self.entries.iter().filter(|(_, entry)| entry.due.is_none()).map(|(key, _)| key.clone()).collect();
        for key in open {
            self.touch(key, Touch::Modified { closes: false }, now);
        }
    }

    /// Returns when the next file is due.
    pub(super) fn due(&self) -> Option<Millis> {
        self.queue.first().map(|(due, _)| *due)
    }

    /// Tells whether a file was touched and is not quiet yet.
    pub(super) fn waits(&self, key: &Key) -> bool {
        self.entries.contains_key(key)
    }

    /// Tells whether a file waits for a known moment, not for its closing.
    pub(super) fn is_due_soon(&self, key: &Key) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.due.is_some())
    }

    /// Tells whether a file has stayed open for writing so long that a person should know.
    pub(super) fn is_long_open(&self, key: &Key, now: Millis) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.due.is_none() && now.0.saturating_sub(entry.since.0) >= OPEN_MS)
    }

    /// Forgets a file.
    fn forget(&mut self, key: &Key) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        if let Some(due) = entry.due {
            self.queue.remove(&(due, key.clone()));
        }
        Some(entry)
    }

    /// Forgets all files of an item.
    pub(super) fn forget_item(&mut self, item: &ItemId) {
        let keys: Vec<Key> = self.entries.keys().filter(|key| key.0 == *item).cloned().collect();
        for key in keys {
            self.forget(&key);
        }
        self.touched.retain(|key, _| key.0 != *item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays touches (`c`omplete, `w`rite where closing is reported, `m`odified where it is not, `x` missing) at
    /// their times, with ticks every 10 ms up to 10 s, and returns when the file became due.
    fn check(touches: &[(u64, char)], expected: &[u64]) {
        let key = (ItemId("i".into()), PartId::default());
        let mut settle = Settle::default();
        let mut due = Vec::new();
        for now in (0..10_000).step_by(10) {
            for (_, touch) in touches.iter().filter(|(at, _)| *at == now) {
                let touch = match touch {
                    'c' => Touch::Complete,
                    'w' => Touch::Modified { closes: true },
                    'm' => Touch::Modified { closes: false },
                    _ => Touch::Missing,
                };
                settle.touch(key.clone(), touch, Millis(now));
            }
            due.extend(settle.take_due(Millis(now)).iter().map(|_| now));
        }
        assert_eq!(due, expected, "{touches:?}");
    }

    #[test]
    fn each_save_is_due_exactly_once() {
        check(&[(0, 'c')], &[50]);
        check(&[(0, 'w'), (10, 'w'), (20, 'c')], &[70]);
        check(&[(0, 'w')], &[]);
        check(&[(0, 'm'), (300, 'm')], &[700]);
        check(&[(0, 'x')], &[2_000]);
        // vim: the name is gone, then comes back whole.
        check(&[(0, 'x'), (10, 'w'), (20, 'c')], &[70]);
        check(&[(0, 'c'), (1_000, 'c')], &[50, 1_050]);
        // Truncated, a pause, then written and closed.
        check(&[(0, 'w'), (3_000, 'w'), (3_010, 'c')], &[3_060]);
    }

    #[test]
    fn a_file_that_stays_open_is_reported_and_not_due() {
        let key = (ItemId("i".into()), PartId::default());
        let mut settle = Settle::default();
        settle.touch(key.clone(), Touch::Modified { closes: true }, Millis(0));
        settle.touch(key.clone(), Touch::Modified { closes: true }, Millis(4_000));
        assert!(!settle.is_long_open(&key, Millis(4_999)));
        assert!(settle.is_long_open(&key, Millis(5_000)));
        assert_eq!(settle.due(), None);
        settle.doubt(Millis(6_000));
        assert_eq!(settle.take_due(Millis(6_400)), [Settled { key, twice: true }]);
    }
}
