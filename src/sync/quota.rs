//! How many calls a minute Google allows, and who waits when they are used up. Pure.
//!
//! A call counts from its start until a minute after its end: whenever in between it reached Google, no minute there holds
//! more than the limit.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::engine::Engine;
use super::item::Item;
use crate::model::{ItemId, Millis};

/// The time for which a limit holds, in milliseconds.
const MINUTE_MS: u64 = 60_000;

/// What a limit is cut to when Google asks to slow down, in percent of what it was; a tenth of the whole comes back each minute.
const SLOWED_PERCENT: u64 = 50;

/// The least that a limit is cut to, in percent.
const LEAST_PERCENT: u64 = 10;

/// How many calls an account may make in a minute.
///
/// Source: <https://developers.google.com/workspace/docs/api/limits>
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Documents that are read.
    pub reads: u32,
    /// Batches that are sent.
    pub writes: u32,
}

impl Limits {
    /// What Google allows one person.
    pub const USER: Self = Self { reads: 300, writes: 60 };

    /// What Google allows all persons who use one program together.
    pub const PROJECT: Self = Self { reads: 3_000, writes: 600 };

    /// No limit, for a Google of one's own.
    pub const NONE: Self = Self { reads: u32::MAX, writes: u32::MAX };

    /// Returns what each of so many accounts may use when they share a program.
    #[must_use]
    pub fn shared(accounts: usize) -> Self {
        let accounts = u32::try_from(accounts).unwrap_or(u32::MAX).max(1);
        Self {
            // A push reads twice.
            reads: Self::USER.reads.min(Self::PROJECT.reads / accounts).max(2),
            writes: Self::USER.writes.min(Self::PROJECT.writes / accounts).max(1),
        }
    }
}

/// Calls of one sort within the last minute.
#[derive(Debug)]
pub struct Window {
    limit: u32,
    /// Calls under way, and those that may still be made by who has reserved them.
    open: u32,
    /// When calls ended, oldest first; none is older than a minute.
    ended: VecDeque<Millis>,
    /// What was left of the limit when it was cut last, in percent, and when that was.
    cut: Option<(u64, Millis)>,
}

impl Window {
    /// Makes one that allows `limit` calls a minute.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self { limit, open: 0, ended: VecDeque::new(), cut: None }
    }

    /// Returns the part of the limit that holds now.
    #[must_use]
    pub fn limit(&self, now: Millis) -> u32 {
        let percent = self.percent(now);
        u32::try_from(u64::from(self.limit) * percent / 100).unwrap_or(u32::MAX).max(1)
    }

    fn percent(&self, now: Millis) -> u64 {
        let Some((percent, at)) = self.cut else { return 100 };
        let minutes = now.0.saturating_sub(at.0) / MINUTE_MS;
        percent.saturating_add(minutes.saturating_mul(10)).min(100)
    }

    /// Returns how many calls may be begun now.
    pub fn free(&mut self, now: Millis) -> u32 {
        while self.ended.front().is_some_and(|at| at.0.saturating_add(MINUTE_MS) <= now.0) {
            self.ended.pop_front();
        }
        let used = u32::try_from(self.ended.len()).unwrap_or(u32::MAX).saturating_add(self.open);
        self.limit(now).saturating_sub(used)
    }

    /// Returns how long it takes until so many more calls have become free, in milliseconds.
    fn left_ms(&self, calls: u64, now: Millis) -> u64 {
        let limit = u64::from(self.limit(now));
        let lately: Vec<u64> =
            self.ended.iter().map(|at| at.0.saturating_add(MINUTE_MS)).filter(|free| *free > now.0).collect();
        let used = u64::try_from(lately.len()).unwrap_or(u64::MAX).saturating_add(self.open.into());
        let Some(turn) = calls.checked_sub(limit.saturating_sub(used)).and_then(|over| over.checked_sub(1)) else {
            return 0;
        };
        // A call that was made becomes free a minute later, and whoever uses it makes it free once more a minute after that.
        let (minutes, place) = (turn / limit, usize::try_from(turn % limit).unwrap_or(usize::MAX));
        let first = lately.get(place).map_or(MINUTE_MS, |free| free - now.0);
        first.saturating_add(minutes.saturating_mul(MINUTE_MS))
    }

    /// Begins a call, or reserves one.
    pub const fn begin(&mut self) {
        self.open = self.open.saturating_add(1);
    }

    /// Ends a call that was begun.
    pub fn end(&mut self, now: Millis) {
        self.open = self.open.saturating_sub(1);
        // Without a limit nothing is counted, which would only cost memory.
        if self.limit < u32::MAX {
            self.ended.push_back(now);
        }
    }

    /// Gives back a call that was reserved and not made.
    pub const fn give_back(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Cuts the limit, since Google asked to slow down.
    pub fn slow_down(&mut self, now: Millis) {
        let percent = (self.percent(now) * SLOWED_PERCENT / 100).max(LEAST_PERCENT);
        self.cut = Some((percent, now));
    }

    /// Returns when the next call becomes free by time passing; `None` while only those under way can make it so.
    #[must_use]
    pub fn next_free(&self, now: Millis) -> Option<Millis> {
        let ended = self.ended.iter().map(|at| Millis(at.0.saturating_add(MINUTE_MS))).find(|at| *at > now);
        let recovers = self.cut.filter(|_| self.percent(now) < 100);
        let recovers = recovers.map(|(_, at)| {
            let minutes = now.0.saturating_sub(at.0) / MINUTE_MS;
            Millis(at.0.saturating_add((minutes + 1).saturating_mul(MINUTE_MS)))
        });
        [ended, recovers].into_iter().flatten().min()
    }
}

/// What a walk may still call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reserved {
    pub(super) reads: u32,
    pub(super) writes: u32,
}

impl Reserved {
    /// Nothing.
    pub(super) const NONE: Self = Self { reads: 0, writes: 0 };
    /// A walk that only reads.
    const PULL: Self = Self { reads: 1, writes: 0 };
    /// A walk that pushes: it reads what it plans on, and what became of it.
    const PUSH: Self = Self { reads: 2, writes: 1 };

    /// Keeps for who waits what it needs, so that those behind it do not take it away bit by bit.
    const fn keep(&mut self, waits: Option<(Place, Self)>) {
        if let Some((_, needed)) = waits {
            self.reads = self.reads.saturating_add(needed.reads);
            self.writes = self.writes.saturating_add(needed.writes);
        }
    }
}

/// Who goes first when calls become free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Somebody waits for an answer.
    Asked,
    /// Somebody saved a file.
    Push,
    /// Something changed elsewhere.
    Pull,
}

/// The classes in their order.
const CLASSES: [Class; 3] = [Class::Asked, Class::Push, Class::Pull];

/// The place of an item in the queue: its class, and its number within that.
type Place = (Class, u64);

/// The calls of an account, and the items that wait for some.
#[derive(Debug)]
pub(super) struct Quota {
    reads: Window,
    writes: Window,
    waiting: BTreeMap<Place, (ItemId, Reserved)>,
    last: u64,
}

impl Quota {
    pub(super) fn new(limits: Limits) -> Self {
        Self { reads: Window::new(limits.reads), writes: Window::new(limits.writes), waiting: BTreeMap::new(), last: 0 }
    }

    /// Tells whether so many calls are free, and those that are kept for others.
    fn has(&mut self, needed: Reserved, kept: Reserved, now: Millis) -> bool {
        let free = |window: &mut Window, needed: u32, kept: u32| {
            needed == 0 || window.free(now) >= needed.saturating_add(kept)
        };
        free(&mut self.reads, needed.reads, kept.reads) && free(&mut self.writes, needed.writes, kept.writes)
    }

    /// Returns who is the first of a class to wait, and what it needs.
    fn first(&self, class: Class) -> Option<(Place, Reserved)> {
        let first = self.waiting.range((class, 0)..=(class, u64::MAX)).next();
        first.map(|(place, (_, needed))| (*place, *needed))
    }

    fn reserve(&mut self, needed: Reserved) -> Reserved {
        (0..needed.reads).for_each(|_| self.reads.begin());
        (0..needed.writes).for_each(|_| self.writes.begin());
        needed
    }

    /// Takes back what a walk had reserved and did not use.
    pub(super) fn take_back(&mut self, left: Reserved) {
        (0..left.reads).for_each(|_| self.reads.give_back());
        (0..left.writes).for_each(|_| self.writes.give_back());
    }

    /// A document was read, or not: it was asked for.
    pub(super) fn read(&mut self, now: Millis) {
        self.reads.end(now);
    }

    /// A batch was sent.
    pub(super) fn wrote(&mut self, now: Millis) {
        self.writes.end(now);
    }

    /// Google asked to slow down.
    pub(super) fn slow_down(&mut self, now: Millis) {
        self.reads.slow_down(now);
        self.writes.slow_down(now);
    }

    /// Lets go of an item that waits.
    pub(super) fn forget(&mut self, item: &Item) {
        if let Some(place) = item.state.quota_place {
            self.waiting.remove(&place.0);
        }
    }

    /// Returns the next moment at which somebody who waits may go on.
    pub(super) fn due(&self, now: Millis) -> Option<Millis> {
        if self.waiting.is_empty() {
            return None;
        }
        [self.reads.next_free(now), self.writes.next_free(now)].into_iter().flatten().min()
    }

    /// Returns how long it takes about until all who wait have had their turn, in milliseconds.
    pub(super) fn left_ms(&self, now: Millis) -> Option<u64> {
        let sum = |calls: fn(&Reserved) -> u32| -> u64 {
            self.waiting.values().map(|(_, needed)| u64::from(calls(needed))).sum()
        };
        let (reads, writes) = (
            self.reads.left_ms(sum(|needed| needed.reads), now),
            self.writes.left_ms(sum(|needed| needed.writes), now),
        );
        (!self.waiting.is_empty()).then_some(reads.max(writes))
    }

    /// Returns how things stand.
    pub(super) fn status(&self, now: Millis) -> QuotaStatus {
        let left = |window: &Window| {
            let lately = window.ended.iter().filter(|at| at.0.saturating_add(MINUTE_MS) > now.0).count();
            let used = u32::try_from(lately).unwrap_or(u32::MAX).saturating_add(window.open);
            window.limit(now).saturating_sub(used)
        };
        QuotaStatus {
            reads_left: left(&self.reads),
            reads_limit: self.reads.limit(now),
            writes_left: left(&self.writes),
            writes_limit: self.writes.limit(now),
            waiting: self.waiting.len(),
        }
    }
}

/// The place at which an item waits for calls to become free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuotaPlace(Place);

/// What an account may still call within this minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QuotaStatus {
    /// Documents that may be read now.
    pub reads_left: u32,
    /// Documents that may be read in a minute.
    pub reads_limit: u32,
    /// Batches that may be sent now.
    pub writes_left: u32,
    /// Batches that may be sent in a minute.
    pub writes_limit: u32,
    /// Items that wait for calls to become free.
    pub waiting: usize,
}

impl Engine {
    /// Lets a walk read its document; one for which no call is free waits in its class, behind those who came before.
    /// `pushes` tells whether it is likely to push. Tells whether it may go on.
    pub(super) fn may_read(&mut self, item: &mut Item, pushes: bool) -> bool {
        if item.state.reserved.reads > 0 {
            return true;
        }
        let needed = if pushes && item.state.reserved.writes == 0 { Reserved::PUSH } else { Reserved::PULL };
        let asked = item.walk.as_ref().is_some_and(|walk| !walk.waiters.is_empty());
        let dry = item.walk.as_ref().is_some_and(|walk| walk.why.dry);
        let class = match (asked, pushes) {
            (true, _) => Class::Asked,
            (false, true) => Class::Push,
            (false, false) => Class::Pull,
        };
        let mut kept = Reserved::default();
        for before in CLASSES.into_iter().take_while(|before| *before != class) {
            kept.keep(self.quota.first(before));
        }
        let before = self.quota.first(class);
        if dry {
            // It pushes nothing, so it need not wait until those may who do; what the first of them needs is left.
            kept.keep(before);
        }
        if (before.is_none() || dry) && self.quota.has(needed, kept, self.now) {
            let reserved = self.quota.reserve(needed);
            item.state.reserved.reads += reserved.reads;
            item.state.reserved.writes += reserved.writes;
            item.state.quota_number.take_if(|_| !dry);
            return true;
        }
        self.quota.last += 1;
        let number = item.state.quota_number.take_if(|_| !dry).unwrap_or(self.quota.last);
        let place = (class, number);
        self.quota.waiting.insert(place, (item.id.clone(), needed));
        item.state.quota_place = Some(QuotaPlace(place));
        false
    }

    /// Lets a walk send its batch; tells whether a call is free.
    pub(super) fn may_write(&mut self, item: &mut Item) -> bool {
        let needed = Reserved { reads: 0, writes: 1 };
        if item.state.reserved.writes == 0 && self.quota.has(needed, Reserved::default(), self.now) {
            item.state.reserved.writes = self.quota.reserve(needed).writes;
        }
        item.state.reserved.writes > 0
    }

    /// Lets those go on who wait and for whom calls are free now, class by class, in their order.
    pub(super) fn serve_waiting(&mut self) {
        let mut kept = Reserved::default();
        for class in CLASSES {
            while let Some((place, needed)) = self.quota.first(class) {
                if !self.quota.has(needed, kept, self.now) {
                    kept.keep(Some((place, needed)));
                    break;
                }
                let Some((id, _)) = self.quota.waiting.remove(&place) else { break };
                let Some(item) = self.items.get_mut(&id) else { continue };
                item.state.quota_place = None;
                let reserved = self.quota.reserve(needed);
                item.state.reserved.reads += reserved.reads;
                item.state.reserved.writes += reserved.writes;
                self.enqueue(&id, true);
            }
        }
    }

    /// Somebody wants to know what an item would push that waits for its turn to: it is planned at once, and its turn is kept.
    pub(super) fn step_out(&mut self, id: &ItemId) {
        let Some(item) = self.items.get_mut(id) else { return };
        if let Some(QuotaPlace(place)) = item.state.quota_place.take() {
            self.quota.waiting.remove(&place);
            item.state.quota_number = item.state.quota_number.or(Some(place.1));
        }
    }

    /// Somebody waits for an item now that waits itself: it goes before those for whom nobody does.
    pub(super) fn hurry(&mut self, id: &ItemId) {
        let Some(item) = self.items.get_mut(id) else { return };
        let Some(QuotaPlace(place)) = item.state.quota_place else { return };
        let sooner = (Class::Asked, place.1);
        if let Some(waiting) = self.quota.waiting.remove(&place) {
            self.quota.waiting.insert(sooner, waiting);
            item.state.quota_place = Some(QuotaPlace(sooner));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_holds_more_calls_than_the_limit() {
        let mut window = Window::new(2);
        assert_eq!(window.free(Millis(0)), 2);
        window.begin();
        window.begin();
        assert_eq!((window.free(Millis(5)), window.next_free(Millis(5))), (0, None));
        window.end(Millis(10_000));
        assert_eq!((window.free(Millis(60_000)), window.next_free(Millis(60_000))), (0, Some(Millis(70_000))));
        assert_eq!(window.free(Millis(70_000)), 1);
        window.give_back();
        assert_eq!(window.free(Millis(70_000)), 2);
        // Those of long ago are no moment to wait for, though nobody has looked since.
        window.end(Millis(80_000));
        window.end(Millis(100_000));
        assert_eq!(window.next_free(Millis(150_000)), Some(Millis(160_000)));
        assert_eq!(window.next_free(Millis(160_000)), None);
    }

    #[test]
    fn a_limit_that_was_cut_comes_back() {
        let mut window = Window::new(100);
        window.slow_down(Millis(0));
        assert_eq!((window.limit(Millis(59_999)), window.limit(Millis(60_000))), (50, 60));
        window.slow_down(Millis(60_000));
        assert_eq!((window.limit(Millis(60_000)), window.limit(Millis(480_000))), (30, 100));
        (0..9).for_each(|_| window.slow_down(Millis(500_000)));
        assert_eq!(window.limit(Millis(500_000)), 10);
        let mut least = Window::new(1);
        least.slow_down(Millis(0));
        assert_eq!(least.limit(Millis(0)), 1);
    }

    #[test]
    fn accounts_share_what_a_program_may_call() {
        assert_eq!(Limits::shared(1), Limits::USER);
        assert_eq!(Limits::shared(10), Limits::USER);
        assert_eq!(Limits::shared(20), Limits { reads: 150, writes: 30 });
        assert_eq!(Limits::shared(100_000), Limits { reads: 2, writes: 1 });
    }

    #[test]
    fn who_waits_is_told_when_calls_become_free() {
        let mut window = Window::new(2);
        assert_eq!(window.left_ms(2, Millis(0)), 0);
        for at in [0, 10_000] {
            window.begin();
            window.end(Millis(at));
        }
        for (calls, now, expected) in [
            (0, 20_000, 0),
            (1, 20_000, 40_000),
            (2, 20_000, 50_000),
            (3, 20_000, 100_000),
            (1, 65_000, 0),
            (2, 65_000, 5_000),
        ] {
            assert_eq!(window.left_ms(calls, Millis(now)), expected, "{calls} at {now}");
        }
    }
}
