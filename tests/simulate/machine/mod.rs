//! One machine: the engine, its shell, and what they stand on. The shell does what the real one does, in steps between which
//! anything may happen.

mod files;
mod network;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use mcp_workspace::kinds::{Fetched, PushPlan};
use mcp_workspace::model::{Cursor, ItemId, Millis, PartId};
use mcp_workspace::sync::quota::Limits;
use mcp_workspace::sync::{
    Answer, Command, Effect, Engine, Event, FailureClass, JobId, NotDone, Record, RequestId, Settings, Status, Touch,
};

use crate::around::Around;
use crate::dice::Dice;
use crate::disk::Disk;
use crate::file::File;
use crate::plants::Plant;
use crate::store::Store;
use files::{Deposit, Stage};
use network::{failure, fetched, planned, polled};

/// How often an engine may wake up in a row and find nothing to do.
const IDLE_TICKS_MAX: usize = 50;

/// Limits that are soon used up.
pub(crate) const SCARCE: Limits = Limits { reads: 7, writes: 2 };

/// What the name of a file begins with that the daemon is writing.
const NEW: &str = ".new-";

/// What the name of a file begins with that was replaced.
pub(crate) const REPLACED: &str = ".old-";

/// What the name of a file begins with that was put away.
pub(crate) const RETIRED: &str = ".retired-";

/// The effects of one item, in order, and what its walk carries.
#[derive(Debug, Default)]
struct Lane {
    effects: VecDeque<Effect>,
    task: Option<Task>,
    fetched: Option<Rc<Fetched>>,
    /// The plan of a push, and the file that it is for.
    plan: Option<(PartId, PushPlan)>,
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
    /// It is told once the engine has heard what was seen before this mark.
    Hear(u64, Box<Event>),
    /// A text is being written.
    Deposit(Box<Deposit>),
    /// The files of an item stand aside, and it is being forgotten or buried.
    Retire(ItemId, bool),
}

/// What the watcher saw.
#[derive(Debug, Clone)]
enum Seen {
    File(Event),
    Rescan,
    /// What was put there so that it is known when all before it was heard.
    Mark(u64),
}

/// One machine.
pub(crate) struct Machine {
    number: usize,
    /// Whose documents it mirrors.
    pub(crate) account: usize,
    pub(crate) disk: Disk,
    pub(crate) store: Store,
    /// `None` while the daemon is dead.
    engine: Option<Engine>,
    lanes: BTreeMap<Option<ItemId>, Lane>,
    seen: VecDeque<Seen>,
    /// What its clock is ahead of the true time by, in milliseconds; less than nothing when it is behind.
    pub(crate) clock_off: i64,
    /// What its clock was ahead of the true time by at least since its state was lost or a document was forgotten, in milliseconds;
    /// `None` as long as none was.
    pub(crate) slowest_off: Option<i64>,
    last_new: u64,
    last_request: u64,
    last_mark: u64,
    asked: BTreeMap<RequestId, Option<ItemId>>,
    /// Texts that were written by the daemon, for the files' invariant.
    pub(crate) deposits: u64,
    /// Texts that were put away.
    last_retired: u64,
    /// When this daemon read and sent within the last minute.
    calls: [VecDeque<u64>; 2],
    /// What it may.
    pub(crate) limits: Limits,
    /// Whether somebody says what happens in the folder.
    is_watching: bool,
    /// When it woke up last.
    ticked_at: u64,
    /// How often it woke up in a row, one time soon after the other, and had nothing to do.
    idle_ticks: usize,
    /// Whether its account is only mirrored, as a person may say before each start.
    pub(crate) is_mirror: bool,
    /// Whether a person has paused it, and that is on the disk.
    is_paused: bool,
    /// While the account is paused, the items whose push was under way then.
    sending: Option<BTreeSet<ItemId>>,
    /// The files that were replaced and stood there at the last look.
    replaced: BTreeSet<String>,
    /// When each file was written last.
    deposited_at: BTreeMap<File, u64>,
}

impl Machine {
    /// A machine of the first account.
    pub(crate) fn new(number: usize) -> Self {
        Self::of(0, number)
    }

    /// A machine that mirrors the documents of an account.
    pub(crate) fn of(account: usize, number: usize) -> Self {
        Self {
            number,
            account,
            disk: Disk::default(),
            store: Store::default(),
            engine: None,
            lanes: BTreeMap::new(),
            seen: VecDeque::new(),
            clock_off: 0,
            slowest_off: None,
            last_new: 0,
            last_request: 0,
            last_mark: 0,
            asked: BTreeMap::new(),
            deposits: 0,
            last_retired: 0,
            calls: Default::default(),
            limits: Limits::USER,
            is_watching: true,
            ticked_at: 0,
            idle_ticks: 0,
            is_mirror: false,
            is_paused: false,
            sending: None,
            replaced: BTreeSet::new(),
            deposited_at: BTreeMap::new(),
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
        self.calls = Default::default();
        self.limits = if around.faults { around.dice.pick(&[Limits::USER, SCARCE]) } else { self.limits };
        let limits = if around.plant == Some(Plant::IgnoresLimits) { Limits::NONE } else { self.limits };
        self.is_mirror = around.fault(16);
        let read_only = self.is_mirror && around.plant != Some(Plant::PushesMirrored);
        let mut engine = Engine::new(Settings { seed, limits, read_only, ..Settings::default() });
        self.is_watching = true;
        self.take_in(self.now(around));
        self.sending = self.is_paused.then(BTreeSet::new);
        self.store.drop_forgotten(self.now(around));
        let effects = engine.load(self.now(around), self.store.loaded());
        self.engine = Some(engine);
        self.take(effects);
        if around.faults && seed.is_multiple_of(2) {
            self.tell_of_all(seed);
        }
    }

    /// A watcher that has just begun tells of files that nobody touches: of what was done to them before.
    fn tell_of_all(&mut self, seed: u64) {
        let touch = if seed.is_multiple_of(16) { Touch::Modified { closes: false } } else { Touch::Complete };
        let touched = self.disk.names().filter(|name| File::named(name).is_some());
        let touched: Vec<_> = touched.map(|name| (name.clone(), touch)).collect();
        self.disk.touches.extend(touched);
    }

    /// Takes in the files that stand when nothing else is known.
    fn take_in(&mut self, now: Millis) {
        if !self.store.is_new() {
            return;
        }
        let items: BTreeSet<ItemId> =
            self.disk.names().filter_map(|name| File::named(name)).map(|file| file.item).collect();
        items.into_iter().for_each(|item| self.store.adopt(item, now));
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

    /// The power fails, after the daemon has died.
    pub(crate) fn cut_power(&mut self, dice: &mut Dice<'_>) {
        self.disk.cut_power(dice);
        self.store.cut_power();
    }

    fn now(&self, around: &Around) -> Millis {
        Millis(around.now.saturating_add_signed(self.clock_off))
    }

    /// Returns when the engine wants to be woken, in the world's time.
    pub(crate) fn next_due(&self) -> Option<u64> {
        let due = self.engine.as_ref()?.next_due()?;
        Some(due.0.saturating_add_signed(-self.clock_off))
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, around: &mut Around) {
        self.step(around, Event::Tick);
        let does = self.lanes.values().any(Lane::is_busy);
        let is_soon = around.now.saturating_sub(self.ticked_at) < 1_000;
        self.ticked_at = around.now;
        self.idle_ticks = if does || !is_soon { 0 } else { self.idle_ticks + 1 };
        assert!(self.idle_ticks < IDLE_TICKS_MAX, "quiet: the engine wakes up again and again and does nothing");
    }

    /// Returns what a person sees.
    pub(crate) fn status(&self) -> Option<Status> {
        self.engine.as_ref().map(Engine::status)
    }

    /// Returns why a file waits.
    fn held(&self, file: &File) -> Vec<String> {
        let items = self.status().map(|status| status.items).unwrap_or_default();
        let parts = items.into_iter().filter(|known| known.id == file.item).flat_map(|known| known.parts);
        let part = parts.filter(|known| known.part == file.part);
        part.flat_map(|part| part.held).map(|notice| notice.code).collect()
    }

    /// Tells whether a file waits for nothing but its person's word about what was deleted in the document.
    pub(crate) fn is_doubtful(&self, file: &File) -> bool {
        let held = self.held(file);
        !held.is_empty() && held.iter().all(|code| code == "DELETED_THERE")
    }

    /// Tells whether a file waits because nobody knows what it said before the state was lost.
    pub(crate) fn forgot(&self, file: &File) -> bool {
        self.held(file).iter().any(|code| code == "STATE_LOST")
    }

    /// Returns the questions that nobody has answered.
    pub(crate) fn unanswered(&self) -> BTreeSet<RequestId> {
        self.asked.keys().copied().collect()
    }

    /// Somebody asks for something.
    pub(crate) fn ask(&mut self, around: &mut Around, command: Command) {
        let item = match &command {
            Command::Fetch(item) | Command::Forget(item) | Command::Trashed(item) | Command::Restore(item) => {
                Some(item.clone())
            }
            Command::Push { item, .. } | Command::Resolve { item, .. } | Command::Seen { item, .. } => {
                Some(item.clone())
            }
            Command::Poll | Command::Pause | Command::Resume => None,
        };
        self.last_request += 1;
        let request = RequestId(self.last_request);
        self.asked.insert(request, item);
        self.step(around, Event::Asked { request, command });
    }

    /// The folder cannot be watched any more, or again.
    pub(crate) fn watches(&mut self, around: &mut Around, watches: bool) {
        if watches == self.is_watching || !self.runs() {
            return;
        }
        self.is_watching = watches;
        let result = if watches { Ok(()) } else { Err(failure(FailureClass::Transient)) };
        self.step(around, Event::Watched(result));
        if watches {
            self.step(around, Event::Rescan);
        } else {
            self.seen.clear();
        }
    }

    /// Tells whether nothing is pulled or pushed.
    pub(crate) fn is_paused(&self) -> bool {
        self.status().is_some_and(|status| status.halted.is_some())
    }

    /// Tells whether the folder is watched.
    pub(crate) const fn is_watching(&self) -> bool {
        self.is_watching
    }

    /// All that the daemon knew is lost, and the next one begins with the files that stand.
    pub(crate) fn lose_state(&mut self, around: &Around) {
        assert!(!self.runs());
        self.store = Store::after_loss((!self.store.is_blank()).then(|| self.now(around)));
        self.is_paused = false;
        // Files have the true time.
        self.slowest_off = Some(self.clock_off.min(0));
        self.distrust_replaced();
    }

    /// The watcher's events are lost, and it says so.
    pub(crate) fn overflow(&mut self) {
        self.seen.retain(|seen| matches!(seen, Seen::Mark(_)));
        self.seen.push_front(Seen::Rescan);
    }

    /// A call goes out: no minute may hold more than the limit.
    fn check_quota(&mut self, around: &Around, sort: usize, limit: u32) {
        let now = self.now(around).0;
        let calls = &mut self.calls[sort];
        calls.retain(|at| at + 60_000 > now);
        calls.push_back(now);
        assert!(calls.len() <= limit as usize, "quota: {} calls of sort {sort} within a minute", calls.len());
    }

    /// A push goes out: none of an account that is only mirrored may, and while one is paused only what was under way.
    fn check_sent(&mut self, item: &ItemId) {
        assert!(!self.is_mirror, "mirror: a push of {item} went out though the account is only mirrored");
        if let Some(sending) = &mut self.sending {
            assert!(sending.remove(item), "paused: a push of {item} went out though the account is paused");
        }
    }

    fn step(&mut self, around: &mut Around, event: Event) {
        let now = self.now(around);
        if let Event::Asked { command, .. } = &event {
            let sends = |lane: &Lane| lane.effects.iter().any(|effect| matches!(effect, Effect::Post { .. }));
            let sending = || self.lanes.iter().filter(|(_, lane)| sends(lane)).filter_map(|(key, _)| key.clone());
            match command {
                Command::Pause => self.sending = Some(sending().collect()),
                Command::Resume => self.sending = None,
                _ => {}
            }
        }
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
            if self.engine.is_none() || !self.is_watching {
                continue;
            }
            let touch = match touch {
                Touch::Modified { .. } if around.plant == Some(Plant::HurriesSaves) => {
                    // Nor is the end of a text waited for.
                    self.clock_off += 2_000;
                    Touch::Complete
                }
                touch => touch,
            };
            let event = match (File::named(&name), File::in_conflict(&name)) {
                (Some(file), _) if self.is_echo(around, &file) => continue,
                (Some(File { item, part }), _) => Event::Touched { item, part, touch },
                (None, Some(File { item, part })) if touch == Touch::Missing => Event::ConflictMissing { item, part },
                _ => continue,
            };
            self.seen.push_back(Seen::File(event.clone()));
            if around.fault(40) {
                self.seen.push_back(Seen::File(event));
            }
        }
    }

    /// Tells whether a touch is taken for one of the daemon's own because it comes so soon after one.
    fn is_echo(&self, around: &Around, file: &File) -> bool {
        const SOON_MS: u64 = 2_000;
        let last = self.deposited_at.get(file).copied();
        around.plant == Some(Plant::IgnoresEchoesByTime)
            && last.is_some_and(|last| around.now.saturating_sub(last) < SOON_MS)
    }

    /// The engine hears what the watcher saw: of one item in its order, of several perhaps not.
    pub(crate) fn hear(&mut self, around: &mut Around) -> bool {
        let at = if around.fault(10) { around.dice.roll(self.seen.len()) } else { 0 };
        let about = |seen: &Seen| match seen {
            Seen::File(Event::Touched { item, .. } | Event::ConflictMissing { item, .. }) => Some(item.clone()),
            Seen::File(_) | Seen::Rescan | Seen::Mark(_) => None,
        };
        let item = self.seen.get(at).and_then(about);
        let may_pass = |other: &Seen| item.is_some() && about(other).is_some_and(|other| Some(other) != item);
        let is_free = self.seen.iter().take(at).all(may_pass);
        match self.seen.remove(if is_free { at } else { 0 }) {
            Some(Seen::File(event)) => self.step(around, event),
            Some(Seen::Rescan) if around.plant == Some(Plant::IgnoresRescan) => {}
            Some(Seen::Rescan) => self.step(around, Event::Rescan),
            Some(Seen::Mark(_)) => {}
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
            Some(Task::Hear(mark, event)) => {
                let is_heard = !self.seen.iter().any(|seen| matches!(seen, Seen::Mark(number) if *number == mark));
                lane.task = Some(if is_heard { Task::Tell(event) } else { Task::Hear(mark, event) });
                self.lanes.insert(key, lane);
                return is_heard || self.hear(around);
            }
            Some(Task::Deposit(deposit)) => {
                around.show(&(self.number, &deposit.file, deposit.stage));
                lane.task = Some(self.deposit(around, deposit));
            }
            Some(Task::Retire(item, bury)) => {
                around.show(&(self.number, "forgets", &item));
                let now = self.now(around);
                lane.fetched = None;
                self.store.retire(&item, bury, now);
                if around.plant == Some(Plant::ForgetsForgotten) {
                    self.store.drop_forgotten_before(Millis(u64::MAX));
                }
                if !bury {
                    // Until when that is known is told by this clock.
                    let slowest_off = self.slowest_off.get_or_insert(self.clock_off);
                    *slowest_off = self.clock_off.min(*slowest_off);
                }
                lane.task = Some(Task::Tell(Box::new(Event::Retired { item, result: Ok(()) })));
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

    /// Stores the end of a walk, or fails to.
    fn record(&mut self, around: &mut Around, record: Record, main: Option<String>) -> Event {
        let item = record.item.clone();
        let files: Vec<File> = record.parts.iter().map(|part| File::of(&item, &part.part)).collect();
        let result = if around.fault(25) {
            Err(failure(FailureClass::Permanent))
        } else {
            files.iter().for_each(|file| self.sync_file(around, file));
            self.store.record(record, main);
            around.ledger.recorded(&item, |token| self.store.may_have_brought(&item, token));
            if around.plant == Some(Plant::TakesFileForBase) {
                let says = |file: &File| self.disk.read(&file.name()).map(str::to_owned);
                let says: Vec<_> = files.iter().map(|file| (file, says(file))).collect();
                says.into_iter().for_each(|(file, text)| self.store.rebase(file, &text.unwrap_or_default()));
            }
            Ok(())
        };
        Event::Recorded { item, result }
    }

    /// Stores how far the feed was read; nothing that it named up to there may be missing.
    fn save_cursor(&mut self, around: &Around, cursor: Cursor) {
        for (item, revision) in around.google.feed.owed(self.account, &cursor) {
            let recorded = self.store.revision(item);
            assert!(
                recorded.is_none_or(|recorded| recorded >= revision),
                "cursor law: the cursor skips revision {revision} of {item}, of which {recorded:?} is recorded"
            );
        }
        self.store.cursor = Some(cursor);
    }

    /// Reads the files of an item; what was read of an edited one is told behind all that was seen before.
    fn look(&mut self, around: &Around, item: ItemId) -> Task {
        let differs = |file: &File| self.store.base(file).as_deref() != self.disk.read(&file.name());
        let is_edited = self.files(&item).iter().any(differs);
        let event = Box::new(self.observe(around, item));
        if !is_edited || !self.is_watching {
            return Task::Tell(event);
        }
        self.last_mark += 1;
        self.seen.push_back(Seen::Mark(self.last_mark));
        Task::Hear(self.last_mark, event)
    }

    /// Begins an effect.
    fn begin(&mut self, around: &mut Around, lane: &mut Lane, effect: Effect) -> Option<Task> {
        let event = match effect {
            Effect::Observe { item } => return Some(self.look(around, item)),
            Effect::Poll { cursor } => {
                let event = polled(around, self.account, cursor.as_ref());
                if let (Some(Plant::CursorBeforeItem), Event::Polled(Ok(feed))) = (around.plant, &event) {
                    self.store.cursor = Some(feed.cursor.clone());
                }
                event
            }
            Effect::Fetch { item, may_be_trashed } => {
                self.check_quota(around, 0, self.limits.reads);
                let main = self.main_of(around, lane.fetched.take().as_deref(), &item);
                fetched(around, lane, self.account, (item, may_be_trashed), &main)
            }
            Effect::Plan { item, part, desired, file, accept } => {
                planned(around, lane, (item, part), (desired, file), accept)
            }
            Effect::Begin { item, part, expect, revision, expected, base, told } => {
                let file = File::of(&item, &part);
                let is_other = self.disk.stamp(&file.name()) != expect;
                let result = if around.fault(25) {
                    Err(NotDone::Failed(failure(FailureClass::Permanent)))
                } else if is_other && !matches!(around.plant, Some(Plant::NoStampCheck | Plant::HurriesSaves)) {
                    Err(NotDone::Moved)
                } else if around.plant == Some(Plant::PostsWithoutIntent) {
                    Ok(JobId(0))
                } else {
                    self.sync_file(around, &file);
                    let at = self.now(around);
                    let there = lane.fetched.iter().flat_map(|fetched| &fetched.parts).find(|there| there.id == part);
                    let texts = (there.map(|there| there.text.as_str()), expected.as_str(), base.as_deref());
                    Ok(self.store.begin(&file, &revision, texts, (&told, at)))
                };
                Event::Begun { item, result }
            }
            Effect::Post { item, job, revision } => self.post(around, lane, item, job, &revision),
            Effect::PutConflict { item, part, text } => {
                let file = File { item, part };
                if text.is_some() {
                    self.sync_file(around, &file);
                }
                self.put_conflict(around, &file, text.as_deref());
                return None;
            }
            Effect::Deposit { item, part, intent, arrived, expect } => {
                let (file, text) = (File { item, part }, intent.after.clone());
                if around.plant != Some(Plant::ForgetsIntents) {
                    self.sync_file(around, &file);
                    let main = lane.fetched.as_ref().and_then(|fetched| fetched.main.clone());
                    self.store.intend(&file, (intent, main), arrived);
                }
                self.last_new += 1;
                let new = format!("{NEW}{}", self.last_new);
                let (old, stage) = (String::new(), Stage::Begin);
                let deposit = Deposit { file, text, expect, new, old, open: 0, stage };
                return Some(Task::Deposit(Box::new(deposit)));
            }
            Effect::Record(record) => {
                let main = lane.fetched.as_ref().and_then(|fetched| fetched.main.clone());
                self.record(around, record, main)
            }
            Effect::SavePaused(paused) => {
                self.is_paused = paused;
                self.store.paused = paused && around.plant != Some(Plant::ForgetsPauses);
                return None;
            }
            Effect::SaveCursor(cursor) => {
                self.save_cursor(around, cursor);
                return None;
            }
            Effect::Sweep => self.sweep(around),
            Effect::SaveTold { item, part, told } => {
                self.store.save_told(&File { item, part }, told);
                return None;
            }
            Effect::Reply { request, answer } => {
                assert!(self.asked.remove(&request).is_some(), "an answer without a question: {answer:?}");
                if let Answer::Failed(failure) = &answer {
                    let known = FAILURES.iter().any(|start| failure.message.starts_with(start));
                    assert!(known, "it failed without a fault: {failure:?}");
                }
                return None;
            }
            Effect::PutAway { item, part, expect } => {
                let name = File { item, part }.name();
                if self.disk.stamp(&name) == Some(expect) {
                    self.put_away(&name);
                }
                return None;
            }
            Effect::Retire { item, bury, expect } => {
                return Some(self.put_aside(around, (item, bury), expect.as_deref()));
            }
        };
        Some(Task::Tell(Box::new(event)))
    }
}

/// What a command may be answered that failed without a fault begins with one of these.
const FAILURES: [&str; 8] = [
    "planted",
    "one side was edited since",
    // It ended meanwhile, or another machine wrote there.
    "nothing of the file is in conflict",
    "the file's text could not be pushed, since",
    "the item is no longer mirrored",
    "the account is paused",
    // Nobody can tell a sentence of one's own from one that others deleted and that says nearly the same.
    "nothing was resolved: the file is held (DELETED_THERE)",
    // Nor a save of an older text from one of the newest, when nothing is known from before.
    "nothing was resolved: the file is held (STATE_LOST",
];

/// The item that an effect is about.
fn item_of(effect: &Effect) -> Option<&ItemId> {
    match effect {
        Effect::Observe { item }
        | Effect::Fetch { item, .. }
        | Effect::Plan { item, .. }
        | Effect::Begin { item, .. }
        | Effect::Post { item, .. }
        | Effect::PutConflict { item, .. }
        | Effect::Deposit { item, .. }
        | Effect::SaveTold { item, .. }
        | Effect::PutAway { item, .. }
        | Effect::Retire { item, .. } => Some(item),
        Effect::Record(record) => Some(&record.item),
        Effect::Poll { .. } | Effect::SaveCursor(_) | Effect::SavePaused(_) | Effect::Sweep | Effect::Reply { .. } => {
            None
        }
    }
}

/// Names a row of the journal.
pub(crate) fn row(job: JobId) -> usize {
    usize::try_from(job.0).unwrap()
}
