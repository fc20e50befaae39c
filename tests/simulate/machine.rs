//! One machine: the engine, its shell, and what they stand on. The shell does what the real one does, in steps between which
//! anything may happen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mcp_workspace::kinds::docs::plan;
use mcp_workspace::kinds::{Fetched, PushPlan};
use mcp_workspace::model::{ContentHash, ItemId, Millis, PartId, Stamp};
use mcp_workspace::sync::{
    Answer, Command, DepositFailure, Effect, Engine, Event, Failure, FailureClass, Feed, JobId, Local, Observation,
    Planned, Posted, Remote, RequestId, Settings, Status, lines_of_file,
};

use crate::around::Around;
use crate::disk::Disk;
use crate::google::Landed;
use crate::plants::Plant;
use crate::store::Store;

/// What the name of a file begins with that the daemon is writing.
const NEW: &str = ".new-";

/// What the name of a file begins with that was replaced.
pub(crate) const REPLACED: &str = ".old-";

/// What the name of a file begins with that was put away.
pub(crate) const RETIRED: &str = ".retired-";

/// What the name of a conflict file ends with.
pub(crate) const CONFLICT: &str = ".conflict.md";

/// The file of an item.
pub(crate) fn file_name(item: &ItemId) -> String {
    format!("{item}.md")
}

/// The file that shows what an item is in conflict about.
pub(crate) fn conflict_name(item: &ItemId) -> String {
    format!("{item}{CONFLICT}")
}

fn item_of_name(name: &str) -> Option<ItemId> {
    let stem = name.strip_suffix(".md").filter(|stem| !stem.contains('.'))?;
    Some(ItemId(stem.to_owned()))
}

/// The effects of one item, in order, and what its walk carries.
#[derive(Debug, Default)]
struct Lane {
    effects: VecDeque<Effect>,
    task: Option<Task>,
    fetched: Option<Fetched>,
    plan: Option<PushPlan>,
}

impl Lane {
    fn is_busy(&self) -> bool {
        self.task.is_some() || !self.effects.is_empty()
    }
}

/// A step that was begun.
#[derive(Debug)]
enum Task {
    /// What came of an effect is on its way to the engine.
    Tell(Box<Event>),
    /// A text is being written.
    Deposit(Box<Deposit>),
}

/// A text on its way into the folder.
#[derive(Debug)]
struct Deposit {
    item: ItemId,
    part: PartId,
    text: String,
    expect: Option<Stamp>,
    new: String,
    /// The name of what it replaces.
    old: String,
    /// The new file, while it is open.
    open: u64,
    stage: Stage,
}

/// What a deposit does next.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Begin,
    Write,
    Place,
    Check,
    End,
}

/// What the watcher saw.
#[derive(Debug, Clone)]
enum Seen {
    File(Event),
    Rescan,
}

/// One machine.
pub(crate) struct Machine {
    number: usize,
    pub(crate) disk: Disk,
    pub(crate) store: Store,
    /// `None` while the daemon is dead.
    engine: Option<Engine>,
    lanes: BTreeMap<Option<ItemId>, Lane>,
    seen: VecDeque<Seen>,
    /// What its clock is ahead by, in milliseconds.
    pub(crate) clock_off: u64,
    last_new: u64,
    last_request: u64,
    asked: BTreeMap<RequestId, Option<ItemId>>,
    /// Texts that were written by the daemon, for the files' invariant.
    pub(crate) deposits: u64,
    /// Texts that were put away.
    last_retired: u64,
    /// The files that were replaced and stood there at the last look.
    replaced: BTreeSet<String>,
}

impl Machine {
    pub(crate) fn new(number: usize) -> Self {
        Self {
            number,
            disk: Disk::default(),
            store: Store::default(),
            engine: None,
            lanes: BTreeMap::new(),
            seen: VecDeque::new(),
            clock_off: 0,
            last_new: 0,
            last_request: 0,
            asked: BTreeMap::new(),
            deposits: 0,
            last_retired: 0,
            replaced: BTreeSet::new(),
        }
    }

    /// Tells whether the daemon runs.
    pub(crate) fn runs(&self) -> bool {
        self.engine.is_some()
    }

    /// Starts the daemon.
    pub(crate) fn start(&mut self, around: &mut Around) {
        let left: Vec<String> = self.disk.names().filter(|name| name.starts_with(NEW)).cloned().collect();
        left.iter().for_each(|name| self.disk.remove(name));
        self.disk.touches.clear();
        let seed = around.dice.roll(usize::MAX >> 1) as u64;
        let mut engine = Engine::new(Settings { seed, ..Settings::default() });
        let effects = engine.load(self.now(around), self.store.loaded());
        self.engine = Some(engine);
        self.take(effects);
    }

    /// The daemon dies: all that was under way is forgotten.
    pub(crate) fn kill(&mut self) {
        self.engine = None;
        self.lanes.clear();
        self.seen.clear();
        self.asked.clear();
        self.replaced.clear();
        self.disk.touches.clear();
    }

    fn now(&self, around: &Around) -> Millis {
        Millis(around.now.saturating_add(self.clock_off))
    }

    /// Returns when the engine wants to be woken, in the world's time.
    pub(crate) fn next_due(&self) -> Option<u64> {
        let due = self.engine.as_ref()?.next_due()?;
        Some(due.0.saturating_sub(self.clock_off))
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, around: &mut Around) {
        self.step(around, Event::Tick);
    }

    /// Returns what a person sees.
    pub(crate) fn status(&self) -> Option<Status> {
        self.engine.as_ref().map(Engine::status)
    }

    /// Returns the questions that nobody has answered.
    pub(crate) fn unanswered(&self) -> BTreeSet<RequestId> {
        self.asked.keys().copied().collect()
    }

    /// Somebody asks for something.
    pub(crate) fn ask(&mut self, around: &mut Around, command: Command) {
        let item = match &command {
            Command::Fetch(item) | Command::Forget(item) | Command::Restore(item) => Some(item.clone()),
            Command::Push { item, .. } | Command::Resolve { item, .. } | Command::Seen { item, .. } => {
                Some(item.clone())
            }
            Command::Poll | Command::Resume => None,
        };
        self.last_request += 1;
        let request = RequestId(self.last_request);
        self.asked.insert(request, item);
        self.step(around, Event::Asked { request, command });
    }

    /// The watcher's events are lost, and it says so.
    pub(crate) fn overflow(&mut self) {
        self.seen.clear();
        self.seen.push_back(Seen::Rescan);
    }

    fn step(&mut self, around: &mut Around, event: Event) {
        let now = self.now(around);
        around.trace(&(self.number, &event));
        if let Some(engine) = &mut self.engine {
            let effects = engine.step(now, event);
            self.take(effects);
        }
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let lane = match &effect {
                Effect::Reply { request, .. } => self.asked.get(request).cloned().flatten(),
                other => item_of(other).cloned(),
            };
            self.lanes.entry(lane).or_default().effects.push_back(effect);
        }
    }

    /// Takes what the folder tells to the watcher's queue.
    pub(crate) fn watch(&mut self, around: &mut Around) {
        for (name, touch) in std::mem::take(&mut self.disk.touches) {
            if self.engine.is_none() {
                continue;
            }
            let event = match (item_of_name(&name), name.strip_suffix(CONFLICT)) {
                (Some(item), _) => Event::Touched { item, part: PartId::default(), touch },
                (None, Some(item)) if touch == mcp_workspace::sync::Touch::Missing => {
                    Event::ConflictMissing { item: ItemId(item.into()), part: PartId::default() }
                }
                _ => continue,
            };
            self.seen.push_back(Seen::File(event.clone()));
            if around.fault(40) {
                self.seen.push_back(Seen::File(event));
            }
        }
    }

    /// The engine hears what the watcher saw.
    pub(crate) fn hear(&mut self, around: &mut Around) -> bool {
        match self.seen.pop_front() {
            Some(Seen::File(event)) => self.step(around, event),
            Some(Seen::Rescan) if around.plant == Some(Plant::IgnoresRescan) => {}
            Some(Seen::Rescan) => self.step(around, Event::Rescan),
            None => return false,
        }
        true
    }

    /// Does one step of some lane; false when there is none to do.
    pub(crate) fn work(&mut self, around: &mut Around) -> bool {
        let busy: Vec<Option<ItemId>> =
            self.lanes.iter().filter(|(_, lane)| lane.is_busy()).map(|(key, _)| key.clone()).collect();
        if busy.is_empty() {
            return false;
        }
        let key = busy[around.dice.roll(busy.len())].clone();
        let mut lane = self.lanes.remove(&key).unwrap();
        match lane.task.take() {
            Some(Task::Tell(event)) => {
                self.lanes.insert(key, lane);
                self.step(around, *event);
                return true;
            }
            Some(Task::Deposit(deposit)) => {
                around.show(&(self.number, &deposit.item, deposit.stage));
                lane.task = Some(self.deposit(around, deposit));
            }
            None => {
                let effect = lane.effects.pop_front().unwrap();
                around.show(&(self.number, &effect));
                lane.task = self.begin(around, &mut lane, effect);
            }
        }
        self.lanes.insert(key, lane);
        true
    }

    /// Begins an effect.
    fn begin(&mut self, around: &mut Around, lane: &mut Lane, effect: Effect) -> Option<Task> {
        let event = match effect {
            Effect::Observe { item } => self.observe(around, item),
            Effect::Poll { cursor } => {
                if around.fault(10) {
                    let class =
                        if around.dice.once_in(4) { FailureClass::CursorExpired } else { FailureClass::Transient };
                    Event::Polled(Err(failure(class)))
                } else {
                    let (changed, cursor) = around.google.changes(cursor.as_ref());
                    if around.plant == Some(Plant::CursorBeforeItem) {
                        self.store.cursor = Some(cursor.clone());
                    }
                    Event::Polled(Ok(Feed { changed, vanished: Vec::new(), cursor }))
                }
            }
            Effect::Fetch { item } => fetch(around, lane, item),
            Effect::Plan { item, part, desired, file, accept } => {
                planned(around, lane, (item, part), (desired, file), accept)
            }
            Effect::Begin { item, part, revision, expected, base, told } => {
                let result = if around.fault(25) {
                    Err(failure(FailureClass::Permanent))
                } else {
                    self.sync_file(around, &item);
                    Ok(self.store.begin(&item, &part, &revision, (&expected, base.as_deref()), &told))
                };
                Event::Begun { item, result }
            }
            Effect::Post { item, job, revision } => {
                self.store.sent(&item, job, &revision);
                let plan = lane.plan.take().unwrap();
                let result = post(around, &item, &revision, &plan);
                if around.plant == Some(Plant::RecordsBeforeAnswer) {
                    self.store.rebase(&item, &plan.expected);
                }
                Event::Posted { item, result }
            }
            Effect::PutConflict { item, text, .. } => {
                if text.is_some() {
                    self.sync_file(around, &item);
                }
                self.put_conflict(&item, text.as_deref());
                return None;
            }
            Effect::Deposit { item, part, intent, expect } => {
                let text = intent.after.clone();
                if around.plant != Some(Plant::ForgetsIntents) {
                    self.store.intend(&item, intent);
                }
                self.last_new += 1;
                let new = format!("{NEW}{}", self.last_new);
                let (old, stage) = (String::new(), Stage::Begin);
                let deposit = Deposit { item, part, text, expect, new, old, open: 0, stage };
                return Some(Task::Deposit(Box::new(deposit)));
            }
            Effect::Record(record) => {
                let item = record.item.clone();
                let result = if around.fault(25) {
                    Err(failure(FailureClass::Permanent))
                } else {
                    self.sync_file(around, &item);
                    self.store.record(record);
                    Ok(())
                };
                Event::Recorded { item, result }
            }
            Effect::SaveCursor(cursor) => {
                for (item, revision) in around.google.fed(&cursor) {
                    let recorded = self.store.revision(item);
                    assert!(
                        recorded.is_none_or(|recorded| recorded >= *revision),
                        "cursor law: the cursor skips revision {revision} of {item}, of which {recorded:?} is recorded"
                    );
                }
                self.store.cursor = Some(cursor);
                return None;
            }
            Effect::Sweep => self.sweep(),
            Effect::SaveTold { item, part, told } => {
                self.store.save_told(&item, &part, told);
                return None;
            }
            Effect::Reply { request, answer } => {
                assert!(self.asked.remove(&request).is_some(), "an answer without a question: {answer:?}");
                if let Answer::Failed(failure) = &answer {
                    let ours = ["planted", "one side was edited since", "the item is no longer mirrored"];
                    let known = ours.iter().any(|start| failure.message.starts_with(start));
                    assert!(known, "it failed without a fault: {failure:?}");
                }
                return None;
            }
            Effect::Retire { item } => unreachable!("nothing retires {item}"),
        };
        Some(Task::Tell(Box::new(event)))
    }

    fn observe(&self, around: &Around, item: ItemId) -> Event {
        let name = file_name(&item);
        let local = match (self.disk.read(&name), self.disk.stamp(&name)) {
            (Some(text), Some(_)) if text.contains('\0') => Local::Unusable {
                notice: mcp_workspace::model::Notice {
                    code: "NUL".into(),
                    line: 1,
                    column: 0,
                    message: "this line holds a NUL byte".into(),
                },
            },
            (Some(text), Some(stamp)) => {
                Local::Text { stamp, hash: ContentHash::of(text.as_bytes()), text: text.to_owned() }
            }
            _ => Local::Absent,
        };
        let base = self.store.base(&item);
        let is_known = base.is_some() || self.store.intent(&item).is_some() || local != Local::Absent;
        let parts = if is_known { vec![PartId::default()] } else { Vec::new() };
        let arrivals = if around.plant == Some(Plant::ForgetsArrivals) { &[] } else { self.store.arrivals(&item) };
        let intent = self.store.intent(&item);
        let seen = |part| Observation {
            part,
            base: base.clone(),
            local: local.clone(),
            intent: intent.cloned(),
            arrivals: arrivals.to_vec(),
        };
        let parts = parts.into_iter().map(seen);
        Event::Observed { item, parts: parts.collect() }
    }

    /// Waits until the file of an item is on the disk: what others are told of it must outlive a power cut.
    fn sync_file(&mut self, around: &Around, item: &ItemId) {
        if around.plant != Some(Plant::TrustsTheCache) {
            self.disk.sync_name(&file_name(item));
            self.disk.sync_names();
        }
    }

    fn put_conflict(&mut self, item: &ItemId, text: Option<&str>) {
        let name = conflict_name(item);
        match text {
            Some(text) if self.disk.read(&name) == Some(text) => {}
            Some(text) => self.disk.put(&name, text),
            None => drop(self.put_away(&name)),
        }
    }

    /// Puts a file where nobody looks but who misses it; returns its name there.
    fn put_away(&mut self, name: &str) -> String {
        let kept = format!("{RETIRED}{}", self.last_retired + 1);
        if self.disk.read(name).is_some() {
            self.last_retired += 1;
            self.disk.rename(name, &kept);
            self.disk.sync_names();
        }
        kept
    }

    /// Looks at the files that were replaced and stood there at the last look.
    fn sweep(&mut self) -> Event {
        let names: BTreeSet<String> = self.disk.names().filter(|name| name.starts_with(REPLACED)).cloned().collect();
        let (mut left, mut aside) = (false, Vec::new());
        for name in &names {
            let fields: Vec<&str> = name.trim_start_matches(REPLACED).split(' ').collect();
            let (was, new, file) = (fields[0], fields[1], fields[2]);
            let now = self.disk.stamp(name).map(|stamp| version(&stamp)).unwrap();
            if !self.replaced.contains(name) {
                left = true;
            } else if now == was || now == new {
                self.disk.remove(name);
            } else if self.disk.stamp(file).is_some_and(|stands| version(&stands) == new) {
                self.disk.exchange(name, file);
                self.disk.sync_names();
                left = true;
            } else {
                let kept = self.put_away(name);
                aside.push((item_of_name(file).unwrap(), PartId::default(), kept));
            }
        }
        self.replaced = names;
        Event::Swept { left, aside }
    }

    /// Does the next step of a deposit.
    fn deposit(&mut self, around: &mut Around, mut deposit: Box<Deposit>) -> Task {
        let name = file_name(&deposit.item);
        let result = match deposit.stage {
            Stage::Begin if around.fault(25) => Err(DepositFailure::Failed(failure(FailureClass::Permanent))),
            Stage::Begin => {
                deposit.open = self.disk.open_empty(&deposit.new);
                deposit.stage = Stage::Write;
                return Task::Deposit(deposit);
            }
            Stage::Write => {
                self.disk.append(deposit.open, &deposit.text);
                if around.plant != Some(Plant::DepositsWithoutSync) {
                    self.disk.sync(deposit.open);
                }
                deposit.stage = Stage::Place;
                return Task::Deposit(deposit);
            }
            Stage::Place => {
                let stamp = self.disk.stamp(&name);
                if stamp == deposit.expect || around.plant == Some(Plant::NoStampCheck) {
                    if let Some(stands) = stamp {
                        let new = self.disk.stamp(&deposit.new).unwrap();
                        deposit.old = format!("{REPLACED}{} {} {name}", version(&stands), version(&new));
                        self.disk.rename(&deposit.new, &deposit.old);
                        self.disk.exchange(&deposit.old, &name);
                        deposit.stage = Stage::Check;
                    } else {
                        self.disk.rename(&deposit.new, &name);
                        deposit.stage = Stage::End;
                    }
                    return Task::Deposit(deposit);
                }
                Err(DepositFailure::Moved)
            }
            Stage::Check => {
                let old = self.disk.stamp(&deposit.old).zip(deposit.expect);
                let same = old.is_some_and(|(old, expect)| Stamp { ctime_ns: expect.ctime_ns, ..old } == expect);
                if same || around.plant == Some(Plant::NoStampCheck) {
                    deposit.stage = Stage::End;
                    if around.plant == Some(Plant::ForgetsReplaced) {
                        self.disk.remove(&deposit.old);
                    }
                    return Task::Deposit(deposit);
                }
                self.disk.exchange(&deposit.old, &name);
                Err(DepositFailure::Moved)
            }
            Stage::End => {
                if around.plant != Some(Plant::DepositsWithoutSync) {
                    self.disk.sync_names();
                }
                self.deposits += 1;
                // The real one asks its open file; here nobody can have come between.
                self.disk.stamp(&name).ok_or(DepositFailure::Moved)
            }
        };
        if result.is_err() {
            self.disk.remove(&deposit.new);
        }
        Task::Tell(Box::new(Event::Deposited { item: deposit.item, part: deposit.part, result }))
    }
}

/// What tells that nobody has written to a file since.
fn version(stamp: &Stamp) -> String {
    format!("{}.{}", stamp.len_bytes, stamp.mtime_ns)
}

/// The item that an effect is about.
fn item_of(effect: &Effect) -> Option<&ItemId> {
    match effect {
        Effect::Observe { item }
        | Effect::Fetch { item }
        | Effect::Plan { item, .. }
        | Effect::Begin { item, .. }
        | Effect::Post { item, .. }
        | Effect::PutConflict { item, .. }
        | Effect::Deposit { item, .. }
        | Effect::SaveTold { item, .. }
        | Effect::Retire { item } => Some(item),
        Effect::Record(record) => Some(&record.item),
        Effect::Poll { .. } | Effect::SaveCursor(_) | Effect::Sweep | Effect::Reply { .. } => None,
    }
}

/// A failure that the world planned.
fn failure(class: FailureClass) -> Failure {
    Failure {
        class,
        retry_after_ms: None,
        message: "planted".into(),
        kind: "network_error".into(),
        suggestion: "-".into(),
    }
}

fn fetch(around: &mut Around, lane: &mut Lane, item: ItemId) -> Event {
    if around.fault(10) {
        return Event::Fetched { item, result: Err(failure(FailureClass::Transient)) };
    }
    let fetched = around.google.fetch(&item);
    let remote = Remote {
        kind: fetched.kind,
        title: fetched.title.clone(),
        revision: fetched.revision.clone(),
        can_edit: fetched.can_edit,
        parts: fetched.parts.iter().map(|part| (part.id.clone(), part.text.clone())).collect(),
    };
    lane.fetched = Some(fetched);
    Event::Fetched { item, result: Ok(remote) }
}

fn planned(
    around: &mut Around,
    lane: &mut Lane,
    (item, part): (ItemId, PartId),
    (desired, file): (String, String),
    accept: bool,
) -> Event {
    let fetched = lane.fetched.as_ref().unwrap();
    let desired = if around.plant == Some(Plant::DropsTheirs) { file.clone() } else { desired };
    let mut plan = match plan(fetched, &part, &desired, accept) {
        Ok(plan) => plan,
        Err(error) => {
            panic!("a plan was rejected: {error:?}\nit shall say:\n{desired}\nit says:\n{}", fetched.parts[0].text)
        }
    };
    for notices in [&mut plan.refused, &mut plan.told, &mut plan.unsaid, &mut plan.holds] {
        lines_of_file(notices, &desired, &file);
    }
    let planned = Planned {
        requests: plan.size(),
        refused: plan.refused.clone(),
        told: plan.told.clone(),
        unsaid: plan.unsaid.clone(),
        holds: plan.holds.clone(),
        expected: plan.expected.clone(),
        again: plan.again,
    };
    lane.plan = Some(plan);
    Event::Planned { item, result: Ok(planned) }
}

/// Sends a push over a network that may lose it, or the answer, or both, or bring it late.
fn post(around: &mut Around, item: &ItemId, revision: &mcp_workspace::model::Revision, plan: &PushPlan) -> Posted {
    if around.fault(12) {
        return Posted::Failed(failure(FailureClass::Transient));
    }
    let unknown = || Posted::Unknown(failure(FailureClass::Transient));
    if around.fault(8) {
        match around.dice.roll(3) {
            0 => {}
            1 => around.google.keep(item, revision, &plan.requests),
            _ => drop(around.push(item, revision, plan)),
        }
        if around.plant == Some(Plant::ResendsBlind) {
            return answer(around.google.push(item, None, &plan.requests, &mut around.ledger), item);
        }
        return unknown();
    }
    answer(around.push(item, revision, plan), item)
}

fn answer(landed: Landed, item: &ItemId) -> Posted {
    match landed {
        Landed::Yes => Posted::Accepted(None),
        Landed::Stale => Posted::Stale,
        Landed::Refused(words) => panic!("Google refused a plan for {item}: {words}"),
    }
}

/// Names a row of the journal.
pub(crate) fn row(job: JobId) -> usize {
    usize::try_from(job.0).unwrap()
}
