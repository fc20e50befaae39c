//! The change feed: which items it names, when its cursor may be stored; and what halts an account.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::{Cursor, ItemId, Millis, PartId};

use super::backoff;
use super::engine::{Engine, failure_of};
use super::item::Dirty;
use super::settle::Key;
use super::{Answer, Effect, Failure, FailureClass, Feed, Touch};

/// Pages that wait for their items; beyond this they are put together.
const PAGES_MAX: usize = 16;
/// Time to the next poll while the sign-in does not work, in milliseconds.
const PAUSED_MS: u64 = 300_000;
/// Files that go missing within this time count together, in milliseconds.
const MISSING_WITHIN_MS: u64 = 10_000;
/// The word of a halt because of what is missing.
pub const HALTED: &str = "halted";

/// Fewer missing files than this never halt.
const MISSING_MIN: usize = 5;
/// Fewer vanished items than this never halt.
const VANISHED_MIN: usize = 10;

/// Pages of the feed whose items are not all recorded.
///
/// The cursor law: a cursor is stored only when every item that was named before it is recorded, so that a crash
/// reads the page again instead of skipping it.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Counts pages; an item that is fetched after page n covers pages up to n.
    pub(super) count: u64,
    waiting: VecDeque<Page>,
}

#[derive(Debug)]
struct Page {
    cursor: Cursor,
    items: BTreeMap<ItemId, u64>,
}

impl Pages {
    fn add(&mut self, cursor: Cursor, items: impl IntoIterator<Item = ItemId>) {
        self.count += 1;
        let count = self.count;
        let items = items.into_iter().map(|item| (item, count));
        if self.waiting.len() >= PAGES_MAX
            && let Some(last) = self.waiting.back_mut()
        {
            last.cursor = cursor;
            last.items.extend(items);
            return;
        }
        self.waiting.push_back(Page { cursor, items: items.collect() });
    }

    fn cover(&mut self, item: &ItemId, up_to: u64) {
        for page in &mut self.waiting {
            if page.items.get(item).is_some_and(|count| *count <= up_to) {
                page.items.remove(item);
            }
        }
    }

    fn take_covered(&mut self) -> Option<Cursor> {
        let mut cursor = None;
        while self.waiting.front().is_some_and(|page| page.items.is_empty()) {
            cursor = self.waiting.pop_front().map(|page| page.cursor);
        }
        cursor
    }
}

impl Engine {
    /// Takes in what the feed said.
    pub(super) fn polled(&mut self, result: Result<Feed, Failure>) {
        let waiters = std::mem::take(&mut self.poll_waiters);
        let answer = match result {
            Ok(feed) => {
                self.poll_error = None;
                self.polling.failures = 0;
                self.signed_in();
                self.read_feed(feed);
                let chance = self.chance.draw();
                self.polling.end(self.now, None, chance);
                Answer::Done { notices: Vec::new(), requests: 0 }
            }
            Err(failure) => {
                self.poll_failed(&failure);
                Answer::Failed(failure)
            }
        };
        for request in waiters {
            self.reply(request, answer.clone());
        }
    }

    fn poll_failed(&mut self, failure: &Failure) {
        self.polling.failures = self.polling.failures.saturating_add(1);
        self.unreached = if failure.is_of_network() { self.unreached.saturating_add(1) } else { self.unreached };
        let chance = self.chance.draw();
        let wait = match failure.class {
            FailureClass::CursorExpired | FailureClass::Gone => {
                // Everything is fetched anew once a fresh cursor is there, so that nothing falls between the two.
                self.cursor = None;
                if self.polling.failures > 1 { backoff::next(self.polling.failures, None, chance) } else { 0 }
            }
            FailureClass::SignedOut => {
                self.paused = Some(failure.clone());
                PAUSED_MS
            }
            FailureClass::Transient | FailureClass::Permanent => {
                let wait = backoff::next(self.polling.failures, failure.retry_after_ms, chance);
                // Whatever waits goes on when the feed can be read again.
                let waits = self.is_unreachable() && self.items.values().any(|item| item.state.dirty.any());
                if waits { wait } else { wait.max(self.polling.interval_ms(self.now)) }
            }
        };
        self.poll_error = Some(failure.clone());
        self.polling.end(self.now, Some(wait), chance);
    }

    fn read_feed(&mut self, feed: Feed) {
        let there = self.items.values().filter(|item| !item.gone).count();
        let is_there = |id: &&ItemId| self.items.get(*id).is_some_and(|item| !item.gone);
        let vanished = feed.vanished.iter().filter(is_there).collect::<BTreeSet<&ItemId>>().len();
        if vanished >= VANISHED_MIN && vanished * 2 > there {
            // The page is read again after the halt: its cursor is not taken.
            self.halt(&format!("{vanished} of {there} items vanished at once"), "what became of them in Google Drive");
            return;
        }
        let fresh = self.cursor.is_none();
        for (id, item) in &mut self.items {
            item.state.dirty.may_be_trashed |= fresh || feed.vanished.contains(id);
        }
        let named: Vec<ItemId> = if fresh {
            self.items.keys().cloned().collect()
        } else {
            feed.changed.into_iter().chain(feed.vanished).filter(|id| self.items.contains_key(id)).collect()
        };
        if self.cursor.as_ref() == Some(&feed.cursor) && named.is_empty() {
            return;
        }
        if !named.is_empty() && !fresh {
            let chance = self.chance.draw();
            self.polling.note_edit(self.now, chance);
        }
        self.cursor = Some(feed.cursor.clone());
        for id in &named {
            if let Some(item) = self.items.get_mut(id) {
                item.state.dirty.remote = true;
            }
            self.enqueue(id, false);
        }
        self.pages.add(feed.cursor, named);
        self.save_cursor();
    }

    /// Notes that an item is recorded as it was after page `up_to`, and stores the cursor when that was the last one.
    pub(super) fn cover(&mut self, item: &ItemId, up_to: u64) {
        self.pages.cover(item, up_to);
        self.save_cursor();
    }

    fn save_cursor(&mut self) {
        if let Some(cursor) = self.pages.take_covered() {
            self.out.push(Effect::SaveCursor(cursor));
        }
    }

    /// Ends a pause: the remote answered.
    pub(super) fn signed_in(&mut self) {
        let was_unreachable = self.is_unreachable();
        self.unreached = 0;
        if self.paused.take().is_some() || was_unreachable {
            self.mark_all(&Dirty::default());
        }
    }

    /// Stops pulls and pushes until somebody looks.
    pub(super) fn halt(&mut self, message: &str, look_at: &str) {
        if self.halted.is_none() {
            let suggestion = format!("Look at {look_at}, then run `mcp-workspace resume`.");
            self.halted = Some(failure_of(HALTED, message, &suggestion));
        }
    }

    /// Notes that a file is missing; many at once halt the account: a lost folder is not a row of decisions.
    pub(super) fn note_missing(&mut self, key: Key, parts_of_item: usize) {
        let since = Millis(self.now.0.saturating_sub(MISSING_WITHIN_MS));
        self.missing.retain(|(at, other)| *at >= since && *other != key);
        self.missing.push((self.now, key));
        let count = self.missing.len();
        if count < MISSING_MIN {
            return;
        }
        let stand = self.items.values().filter(|item| !item.buried);
        let total: usize = stand.map(|item| item.parts.len()).sum::<usize>() + parts_of_item;
        if count * 10 > total {
            let look_at = "the folder, and put them back if you can (else `restore` brings each back after it)";
            self.halt(&format!("at least {count} of {total} files are missing at once"), look_at);
        }
    }

    /// Notes that a file stands: one that was missing and came back is no sign of a lost folder.
    pub(super) fn note_standing(&mut self, key: &Key) {
        self.missing.retain(|(_, other)| other != key);
    }

    /// A conflict file was removed; it is written again while its conflict lasts, but not at once: into a folder that is
    /// being removed a new file is in the way.
    pub(super) fn conflict_missing(&mut self, id: &ItemId, part: &PartId) {
        let Some(item) = self.items.get_mut(id) else { return };
        let Some(state) = item.parts.get_mut(part) else { return };
        if matches!(state.conflict_file, Some(Some(_))) {
            state.conflict_file = None;
            item.state.dirty.remote = true;
            let key = (id.clone(), part.clone());
            if !self.settle.waits(&key) {
                self.settle.touch(key, Touch::Missing, self.now);
            }
        }
    }
}
