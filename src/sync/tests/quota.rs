//! Ten thousand documents that all wait to be pushed, and a Google that allows so many calls a minute.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::model::{Cursor, ItemId, KindName, Millis, PartId, Revision};

use super::super::quota::Limits;
use super::super::{
    Command, Effect, Engine, Event, Feed, JobId, Loaded, Planned, Posted, Remote, RequestId, Row, Settings,
};
use super::decisions::{observed, row};

const MINUTE_MS: u64 = 60_000;

/// How long Google takes to answer, in milliseconds; the middle of it is when a call counts there.
const ANSWER_MS: u64 = 400;

/// A Google, a disk and a store that do what they are told.
struct World {
    engine: Engine,
    now: u64,
    /// What happens later: when, in which order, and what.
    later: BinaryHeap<Reverse<(u64, usize)>>,
    events: BTreeMap<usize, Event>,
    /// Counts the events.
    count: usize,
    /// The documents that say what their files do.
    pushed: BTreeMap<ItemId, u64>,
    /// When each document was read last.
    read: BTreeMap<ItemId, u64>,
    reads: Vec<u64>,
    writes: Vec<u64>,
}

fn id(number: usize) -> ItemId {
    ItemId(format!("i{number:05}"))
}

impl World {
    fn new(count: usize, limits: Limits) -> Self {
        let mut engine = Engine::new(Settings { limits, ..Settings::default() });
        let rows = (0..count).map(|number| Row { item: id(number), ..row(number) }).collect();
        let cursor = Some(Cursor("0".into()));
        let effects = engine.load(Millis(0), Loaded { rows, cursor, ..Loaded::default() });
        let mut world = Self {
            engine,
            now: 0,
            later: BinaryHeap::new(),
            events: BTreeMap::new(),
            count: 0,
            pushed: BTreeMap::new(),
            read: BTreeMap::new(),
            reads: Vec::new(),
            writes: Vec::new(),
        };
        world.perform(effects);
        world
    }

    fn after(&mut self, wait_ms: u64, event: Event) {
        self.later.push(Reverse((self.now + wait_ms, self.count)));
        self.events.insert(self.count, event);
        self.count += 1;
    }

    /// What a document says; its file was edited before anything began, unless it is one of every hundredth.
    fn text(&self, item: &ItemId) -> &'static str {
        if self.pushed.contains_key(item) { "edited\n" } else { "base\n" }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Observe { item } => {
                    let text = if item.0.ends_with("00") { "base\n" } else { "edited\n" };
                    let base = self.text(&item).to_owned();
                    self.after(0, observed(item, &base, text));
                }
                Effect::Poll { .. } => {
                    // Something changes elsewhere all the time.
                    let changed = (0..100).map(|hundred| id(hundred * 100)).collect();
                    let cursor = Cursor(self.now.to_string());
                    self.after(ANSWER_MS, Event::Polled(Ok(Feed { changed, vanished: Vec::new(), cursor })));
                }
                Effect::Fetch { item, .. } => {
                    self.reads.push(self.now + ANSWER_MS / 2);
                    self.read.insert(item.clone(), self.now);
                    let remote = Remote {
                        kind: KindName::Docs,
                        title: "t".into(),
                        revision: Some(Revision("1".into())),
                        can_edit: true,
                        parts: vec![(PartId::default(), self.text(&item).into())],
                    };
                    self.after(ANSWER_MS, Event::Fetched { item, result: Ok(remote) });
                }
                Effect::Plan { item, desired, .. } => {
                    let planned = Planned {
                        requests: 1,
                        refused: Vec::new(),
                        told: Vec::new(),
                        unsaid: Vec::new(),
                        holds: Vec::new(),
                        expected: desired,
                        again: false,
                    };
                    self.after(0, Event::Planned { item, result: Ok(planned) });
                }
                Effect::Begin { item, .. } => self.after(0, Event::Begun { item, result: Ok(JobId(1)) }),
                Effect::Post { item, .. } => {
                    self.writes.push(self.now + ANSWER_MS / 2);
                    self.pushed.insert(item.clone(), self.now);
                    self.after(ANSWER_MS, Event::Posted { item, result: Posted::Accepted(None) });
                }
                Effect::Record(record) => self.after(0, Event::Recorded { item: record.item, result: Ok(()) }),
                Effect::Deposit { .. } | Effect::Retire { .. } | Effect::PutAway { .. } => {
                    panic!("nothing is to be written: {effect:?}")
                }
                Effect::PutConflict { .. }
                | Effect::SaveTold { .. }
                | Effect::SaveCursor(_)
                | Effect::SavePaused(_)
                | Effect::Sweep
                | Effect::Reply { .. } => {}
            }
        }
    }

    fn step(&mut self, event: Event) {
        let effects = self.engine.step(Millis(self.now), event);
        self.perform(effects);
    }

    /// Goes on until a moment.
    fn run(&mut self, until: u64) {
        loop {
            let next = self.later.peek().map(|Reverse((at, _))| *at);
            let due = self.engine.next_due().map(|at| at.0.max(self.now));
            let Some(at) = [next, due].into_iter().flatten().min().filter(|at| *at <= until) else { break };
            self.now = at;
            if next == Some(at)
                && let Some(Reverse((_, number))) = self.later.pop()
            {
                let event = self.events.remove(&number).unwrap();
                self.step(event);
            } else {
                self.step(Event::Tick);
            }
        }
        self.now = until;
    }
}

/// Returns the most calls that any minute holds.
fn most_in_a_minute(calls: &[u64]) -> usize {
    let mut calls = calls.to_vec();
    calls.sort_unstable();
    let until = |at: u64| calls.partition_point(|other| *other < at + MINUTE_MS);
    calls.iter().enumerate().map(|(from, at)| until(*at) - from).max().unwrap_or_default()
}

#[test]
fn ten_thousand_pushes_keep_to_the_quota_and_each_has_its_turn() {
    const COUNT: usize = 10_000;
    let limits = Limits::USER;
    let mut world = World::new(COUNT, limits);
    // A person who asks for the last of them does not wait behind all others.
    world.run(3 * MINUTE_MS);
    let last = id(COUNT - 1);
    assert!(!world.pushed.contains_key(&last));
    let command = Command::Push { item: last.clone(), accept: None, dry_run: false };
    world.step(Event::Asked { request: RequestId(1), command });
    world.run(5 * MINUTE_MS);
    assert!(world.pushed[&last] <= 4 * MINUTE_MS + 2 * ANSWER_MS, "{}", world.pushed[&last]);
    // What changed elsewhere is read while they wait.
    let elsewhere = (0..100).map(|hundred| world.read[&id(hundred * 100)]);
    assert!(elsewhere.min().unwrap() > 3 * MINUTE_MS);

    let pushes = COUNT - COUNT / 100;
    let minutes = (pushes as u64).div_ceil(limits.writes.into()) + 3;
    world.run(minutes * MINUTE_MS);
    assert_eq!(world.pushed.len(), pushes);
    // Each has its turn in the order in which they came: as many minutes as batches fit before it, and two more. A call
    // counts while it is under way, so a minute is as much longer.
    let minute = MINUTE_MS + 2 * ANSWER_MS;
    let saved = (0..COUNT).filter(|number| number % 100 != 0).map(id);
    for (before, at) in saved.map(|id| world.pushed[&id]).enumerate() {
        let bound = (before as u64 / u64::from(limits.writes) + 2) * minute;
        assert!(at <= bound, "push {before} had to wait for {at} ms, {bound} at most");
    }
    assert!(most_in_a_minute(&world.reads) <= limits.reads as usize, "{}", most_in_a_minute(&world.reads));
    assert!(most_in_a_minute(&world.writes) <= limits.writes as usize, "{}", most_in_a_minute(&world.writes));
    // And nearly all of what is allowed is used.
    assert!(world.writes.len() as u64 * 10 >= (minutes - 3) * u64::from(limits.writes) * 9);
}
