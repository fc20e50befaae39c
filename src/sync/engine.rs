//! The engine's frame: what it holds, how events reach items, which item is walked next.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::{Cursor, ItemId, Millis};

use super::backoff::Chance;
use super::carried::Walk;
use super::feed::Pages;
use super::item::{Dirty, Item, Part, Phase, Unknown};
use super::polling::Polling;
use super::progress::Progress;
use super::quota::Quota;
use super::settle::{Key, Settle};
use super::{Answer, Effect, Event, Failure, FailureClass, Loaded, Posted, RequestId, RowPart, Settings, Told};

/// Calls in a row that fail until nothing but the feed is asked for, however many items wait.
const UNREACHABLE_AFTER: u32 = 4;

/// How often all files are looked at, in milliseconds.
pub(super) const LOOK_MS: u64 = 3_600_000;

/// How often they are while the folder cannot be watched, in milliseconds.
const UNWATCHED_LOOK_MS: u64 = 60_000;

/// The word of a pause that a person wants.
pub const PAUSED: &str = "paused";

/// What becomes of an item after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays.
    Keep,
    /// It is no longer mirrored.
    Drop,
}

/// The state of one account's engine.
///
/// The shell feeds events in and performs the effects that come out; of one item they are performed in order. After
/// a crash a new engine is made and loaded from the store; nothing else is needed.
#[derive(Debug)]
pub struct Engine {
    pub(super) settings: Settings,
    pub(super) now: Millis,
    pub(super) chance: Chance,
    /// In boxes, since a node of the map has room for more than it has of them.
    pub(super) items: BTreeMap<ItemId, Box<Item>>,
    pub(super) settle: Settle,
    pub(super) polling: Polling,
    pub(super) pages: Pages,
    pub(super) cursor: Option<Cursor>,
    /// When it was found that the state was lost.
    pub(super) lost_at: Option<Millis>,
    pub(super) poll_waiters: Vec<RequestId>,
    pub(super) poll_error: Option<Failure>,
    pub(super) halted: Option<Failure>,
    /// Calls in a row that did not reach the remote, of whatever item.
    pub(super) unreached: u32,
    pub(super) paused: Option<Failure>,
    /// The files that were found missing lately, each with the time; those that stand again are none of them.
    pub(super) missing: Vec<(Millis, Key)>,
    /// Items that wait to be walked, in order.
    ready: VecDeque<ItemId>,
    /// Items that are tried again later.
    retries: BTreeSet<(Millis, ItemId)>,
    /// Count of items being walked.
    pub(super) walking: usize,
    /// When the files that were replaced are looked at next.
    pub(super) sweep_at: Option<Millis>,
    /// Whether they are being looked at. Two looks at once would be no time apart.
    pub(super) sweeping: bool,
    /// When all files are looked at, whatever was heard of them.
    look_at: Option<Millis>,
    /// Why the folder cannot be watched.
    pub(super) unwatched: Option<Failure>,
    /// How fast items are read.
    pub(super) progress: Progress,
    /// The calls that may be made.
    pub(super) quota: Quota,
    pub(super) out: Vec<Effect>,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Engine {
    /// Makes an engine that mirrors nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            now: Millis(0),
            chance: Chance::new(settings.seed),
            items: BTreeMap::new(),
            settle: Settle::default(),
            polling: Polling::new(settings.poll_ms),
            pages: Pages::default(),
            cursor: None,
            lost_at: None,
            poll_waiters: Vec::new(),
            poll_error: None,
            halted: None,
            unreached: 0,
            paused: None,
            missing: Vec::new(),
            ready: VecDeque::new(),
            retries: BTreeSet::new(),
            walking: 0,
            sweep_at: None,
            sweeping: false,
            look_at: None,
            unwatched: None,
            progress: Progress::default(),
            quota: Quota::new(settings.limits),
            out: Vec::new(),
            settings,
        }
    }

    /// Takes in what the store knows, once, before the first step. Every file is looked at, and the feed is read.
    pub fn load(&mut self, now: Millis, loaded: Loaded) -> Vec<Effect> {
        self.now = now;
        self.cursor = loaded.cursor;
        self.lost_at = loaded.lost_at;
        self.halted = loaded.paused.then(paused);
        for row in loaded.rows {
            let mut item = Item::new(row.item.clone());
            item.kind = Some(row.kind);
            item.title = row.title;
            item.can_edit = row.can_edit;
            (item.gone, item.buried) = (row.gone, row.buried);
            item.mirrored = true;
            item.state.dirty.look = true;
            // Its file may have waited to be recorded for the first time when the daemon died, and be gone since.
            item.state.dirty.remote = row.parts.is_empty() && !item.buried;
            for part in row.parts {
                let RowPart { part, stamp, hash, behind, told, put_back, blind } = part;
                // The feed names nothing twice, and what made the file wait may be taken back without a word.
                item.state.dirty.remote |= behind && !item.buried;
                let blind = blind.filter(|blind| now < blind.until);
                // Where somebody puts a file back while its item is away, those beside it are away all the same.
                let away = item.buried || item.gone && stamp.is_none();
                let mut known = Part { stamp, hash, behind, away, ..Part::default() };
                if told != Told::default() || put_back.is_some() || blind.is_some() {
                    (known.state.told, known.state.put_back) = (told, put_back);
                    known.state.blind = blind;
                }
                *item.parts.or_default(&part) = known;
            }
            self.items.insert(row.item, Box::new(item));
        }
        for job in loaded.jobs {
            // The outcome of a push that was begun is only known to the remote: compare before anything else. Its item may have
            // died before it was recorded for the first time.
            let item = self.items.entry(job.item.clone()).or_insert_with(|| Box::new(Item::new(job.item.clone())));
            item.mirrored = true;
            item.state.dirty.remote = true;
            item.state.unknown.push(Unknown {
                job: job.job,
                part: job.part,
                revision: job.revision,
                at: job.at,
                requests: 0,
                answered: job.answered,
                power_failed: job.power_failed,
                before: job.before,
                expected: job.expected,
                base: job.base,
                told: job.told,
            });
        }
        let ids: Vec<ItemId> = self.items.keys().cloned().collect();
        for id in ids {
            self.enqueue(&id, false);
        }
        self.polling.ask(now);
        self.sweep_later();
        self.look_later();
        self.pump();
        std::mem::take(&mut self.out)
    }

    /// Decides what follows from `event`. Total: events that nothing waits for are ignored.
    pub fn step(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        // A clock that jumps back must not stop anything; time only ever goes on here.
        self.now = self.now.max(now);
        self.dispatch(event);
        self.wake();
        self.pump();
        std::mem::take(&mut self.out)
    }

    fn dispatch(&mut self, event: Event) {
        match event {
            Event::Tick => {}
            Event::Touched { item, part, touch } => {
                if self.items.contains_key(&item) {
                    self.settle.touch((item, part), touch, self.now);
                }
            }
            Event::ConflictMissing { item, part } => self.conflict_missing(&item, &part),
            Event::Rescan => {
                self.settle.doubt(self.now);
                self.mark_all(&Dirty { look: true, ..Dirty::default() });
                self.doubt_all();
                self.polling.ask(self.now);
            }
            Event::Watched(result) => {
                self.unwatched = result.err();
                self.settle.doubt(self.now);
                self.look_at = None;
                self.look_later();
            }
            Event::RootMissing => {
                self.halt(
                    "the account's folder is missing, empty, or another one",
                    "the folder, and put it back if you can",
                );
            }
            Event::Polled(result) => self.polled(result),
            Event::Asked { request, command } => self.asked(request, command),
            Event::Observed { item, parts } => {
                self.with(&item, Phase::Observing, |engine, item| engine.observed(item, parts));
            }
            Event::Unobserved { item, failure } => {
                // What cannot be known now is neither absent nor changed: it is looked at again later.
                self.with(&item, Phase::Observing, |engine, item| engine.fail_here(item, failure));
            }
            Event::Fetched { item, result } => {
                self.quota.read(self.now);
                if result.as_ref().is_err_and(Failure::asks_to_slow_down) {
                    self.quota.slow_down(self.now);
                }
                self.with(&item, Phase::Fetching, |engine, item| engine.fetched(item, result));
            }
            Event::Planned { item, result } => {
                self.with(&item, Phase::Planning, |engine, item| engine.planned(item, result));
            }
            Event::Begun { item, result } => {
                self.with(&item, Phase::Beginning, |engine, item| engine.begun(item, result));
            }
            Event::Posted { item, result } => {
                self.quota.wrote(self.now);
                if matches!(&result, Posted::Failed(failure) if failure.asks_to_slow_down()) {
                    self.quota.slow_down(self.now);
                }
                self.with(&item, Phase::Posting, |engine, item| engine.posted(item, result));
            }
            Event::Deposited { item, part, result } => {
                self.with(&item, Phase::Depositing, |engine, item| engine.deposited(item, &part, result));
            }
            Event::Recorded { item, result } => {
                self.with(&item, Phase::Recording, |engine, item| engine.recorded(item, result));
            }
            Event::Retired { item, result } => {
                self.with(&item, Phase::Retiring, |engine, item| engine.retired(item, result));
            }
            Event::Swept { left, aside } => self.swept(left, aside),
            Event::SavedAside { item, part, path } => self.saved_aside(item, part, &path),
        }
    }

    /// Runs `step` on an item that is in `phase`; an answer that nothing waits for is ignored.
    fn with(&mut self, id: &ItemId, phase: Phase, step: impl FnOnce(&mut Self, &mut Item) -> Fate) {
        let Some(mut item) = self.items.remove(id) else { return };
        if item.phase != phase {
            self.items.insert(id.clone(), item);
            return;
        }
        let fate = step(self, &mut item);
        let ended = fate == Fate::Drop || item.phase == Phase::Idle;
        if ended {
            self.walking = self.walking.saturating_sub(1);
            self.quota.take_back(std::mem::take(&mut item.state.reserved));
        }
        if fate == Fate::Drop {
            self.drop_item(item);
            return;
        }
        if ended {
            item.tidy();
        }
        self.items.insert(id.clone(), item);
        if ended {
            self.enqueue(id, false);
        }
    }

    /// Lets go of an item that nothing is under way for, once its files are put away.
    fn forget(&mut self, mut item: Box<Item>) {
        let (why, waiters) = (std::mem::take(&mut item.state.dirty), std::mem::take(&mut item.state.waiters));
        item.walk = Some(Box::new(Walk { why, waiters, ..Walk::default() }));
        match self.retire(&mut item, None) {
            Fate::Keep => {
                self.walking += 1;
                self.items.insert(item.id.clone(), item);
            }
            Fate::Drop => self.drop_item(item),
        }
    }

    /// Lets go of an item that has left the map, and of everything that points to it.
    fn drop_item(&mut self, mut item: Box<Item>) {
        if let Some(at) = item.state.retry_at {
            self.retries.remove(&(at, item.id.clone()));
        }
        self.quota.forget(&item);
        self.quota.take_back(std::mem::take(&mut item.state.reserved));
        self.settle.forget_item(&item.id);
        self.cover(&item.id, u64::MAX);
        // Who asked during the last step of its life is asked to ask again rather than left waiting.
        let failure = failure_of("not_found", "the item is no longer mirrored", "Fetch it again.");
        for waiter in item.state.waiters.drain(..) {
            self.reply(waiter.request, Answer::Failed(failure.clone()));
        }
    }

    /// Puts an item that needs a walk into the queue, at its head when somebody waits for it.
    pub(super) fn enqueue(&mut self, id: &ItemId, urgent: bool) {
        let Some(item) = self.items.get_mut(id) else { return };
        if !item.state.dirty.any() || item.phase != Phase::Idle {
            return;
        }
        if item.queued {
            if urgent {
                self.ready.retain(|other| other != id);
                self.ready.push_front(id.clone());
            }
            return;
        }
        item.queued = true;
        if urgent {
            self.ready.push_front(id.clone());
        } else {
            self.ready.push_back(id.clone());
        }
    }

    /// Marks every item and queues it.
    pub(super) fn mark_all(&mut self, why: &Dirty) {
        let ids: Vec<ItemId> = self.items.keys().cloned().collect();
        for id in ids {
            if let Some(item) = self.items.get_mut(&id) {
                item.state.dirty.join(why.clone());
            }
            self.enqueue(&id, false);
        }
    }

    /// Lets all files be looked at in a while: what a watcher says is a hint, and there may be none.
    fn look_later(&mut self) {
        let wait = if self.unwatched.is_some() { UNWATCHED_LOOK_MS } else { LOOK_MS };
        self.look_at.get_or_insert(Millis(self.now.0.saturating_add(wait)));
    }

    /// Nobody may have told of a save that has begun and is not complete: what is new must read the same twice.
    fn doubt_all(&mut self) {
        for item in self.items.values_mut() {
            item.state.dirty.twice.extend(item.parts.keys().cloned());
        }
    }

    /// Looks at all files: what a watcher says is a hint, and there may be none.
    fn look(&mut self) {
        self.look_at = None;
        self.look_later();
        for item in self.items.values_mut() {
            // By now it is known what became of a push without an answer.
            item.state.dirty.remote |= !item.state.unknown.is_empty();
        }
        self.mark_all(&Dirty { look: true, ..Dirty::default() });
    }

    /// Turns time that has passed into triggers.
    fn wake(&mut self) {
        if self.look_at.is_some_and(|at| at <= self.now) {
            self.look();
        }
        if self.sweep_due().is_some_and(|at| at <= self.now) {
            (self.sweep_at, self.sweeping) = (None, true);
            self.out.push(Effect::Sweep);
        }
        for settled in self.settle.take_due(self.now) {
            let (id, part) = settled.key;
            if let Some(item) = self.items.get_mut(&id) {
                item.state.dirty.local = true;
                item.state.dirty.remote |= item.parts.get(&part).is_some_and(|part| part.behind);
                if settled.twice {
                    item.state.dirty.twice.insert(part);
                }
                self.enqueue(&id, false);
            }
        }
        if self.halted.is_none() {
            self.serve_waiting();
        }
        while self.retries.first().is_some_and(|(at, _)| *at <= self.now) {
            let Some((_, id)) = self.retries.pop_first() else { break };
            if let Some(item) = self.items.get_mut(&id) {
                item.state.retry_at = None;
                self.enqueue(&id, false);
            }
        }
    }

    /// Begins what may begin: a poll, and walks up to the limit.
    fn pump(&mut self) {
        if self.halted.is_none() && self.polling.take_due(self.now) {
            self.out.push(Effect::Poll { cursor: self.cursor.clone() });
        }
        let mut waiting = VecDeque::new();
        while self.walking < self.settings.walks_max.max(1) {
            let Some(id) = self.ready.pop_front() else { break };
            let Some(mut item) = self.items.remove(&id) else { continue };
            item.queued = false;
            if item.state.dirty.forget
                && item.phase == Phase::Idle
                && (item.state.retry_at.is_none() || !item.state.waiters.is_empty())
                // What has landed is recorded first, by a walk.
                && (item.state.ended.is_empty() || self.halted.is_some())
            {
                self.forget(item);
                continue;
            }
            if self.may_walk(&item) {
                self.start(&mut item);
            } else if self.halted.is_some() && !item.state.waiters.is_empty() {
                waiting.push_back(id.clone());
            }
            self.items.insert(id, item);
        }
        for id in waiting {
            self.refuse_waiters(&id);
        }
    }

    /// Tells whether a walk of `item` may begin now. What holds it back puts it into the queue again later.
    fn may_walk(&self, item: &Item) -> bool {
        let asked = !item.state.waiters.is_empty();
        let asked_anew = item.state.waiters.iter().any(|waiter| !waiter.put_off);
        let settling = item.parts.keys().any(|part| self.settle.is_due_soon(&(item.id.clone(), part.clone())));
        item.phase == Phase::Idle
            && item.state.dirty.any()
            && self.halted.is_none()
            && !settling
            && item.state.quota_place.is_none()
            && (asked_anew || item.state.retry_at.is_none())
            && (asked || (self.paused.is_none() && !self.is_unreachable()))
    }

    /// Tells whether the remote cannot be reached at all, so that only the feed and who waits for an answer try to.
    pub(super) const fn is_unreachable(&self) -> bool {
        self.unreached >= UNREACHABLE_AFTER
    }

    /// Begins a walk: its reasons and its waiters are taken; what comes later is for the next one.
    fn start(&mut self, item: &mut Item) {
        let mut why = std::mem::take(&mut item.state.dirty);
        let mut waiters = std::mem::take(&mut item.state.waiters);
        if why.dry && why.real() {
            // A dry run changes nothing, so it cannot share a walk. It goes first, so that it tells what would be sent; and
            // what was tried in vain goes on waiting for its time.
            let dry_accept = std::mem::take(&mut why.dry_accept);
            let dry = Dirty { dry: true, dry_accept, ..Dirty::default() };
            item.state.dirty = Dirty { dry: false, ..std::mem::replace(&mut why, dry) };
            (waiters, item.state.waiters) = waiters.into_iter().partition(|waiter| waiter.dry);
        } else if let Some(at) = item.state.retry_at.take() {
            self.retries.remove(&(at, item.id.clone()));
        }
        item.walk = Some(Box::new(Walk { why, waiters, ..Walk::default() }));
        item.phase = Phase::Observing;
        self.walking += 1;
        self.out.push(Effect::Observe { item: item.id.clone() });
    }

    /// Lets an item be walked again at `at` at the earliest.
    pub(super) fn retry_at(&mut self, item: &mut Item, at: Millis) {
        if let Some(old) = item.state.retry_at.replace(at) {
            self.retries.remove(&(old, item.id.clone()));
        }
        self.retries.insert((at, item.id.clone()));
    }

    /// Answers a question.
    pub(super) fn reply(&mut self, request: RequestId, answer: Answer) {
        self.out.push(Effect::Reply { request, answer });
    }

    /// Returns when the next [`Event::Tick`] is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Millis> {
        let retry = self.retries.first().map(|(at, _)| *at);
        let poll = if self.halted.is_some() { None } else { self.polling.due() };
        let quota = if self.halted.is_some() { None } else { self.quota.due(self.now) };
        [self.settle.due(), retry, poll, self.sweep_due(), self.look_at, quota].into_iter().flatten().min()
    }
}

/// Why nothing is pulled or pushed while an account is paused.
pub(super) fn paused() -> Failure {
    failure_of(PAUSED, "the account is paused", "Run `mcp-workspace resume` to go on.")
}

/// Makes a failure that the engine itself found.
pub(super) fn failure_of(kind: &str, message: &str, suggestion: &str) -> Failure {
    Failure {
        class: FailureClass::Permanent,
        retry_after_ms: None,
        message: message.into(),
        kind: kind.into(),
        suggestion: suggestion.into(),
    }
}
