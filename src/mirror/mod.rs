//! The shell of the engine: it performs effects on the folder, the store and the remote, and tells back what came of
//! them. Nothing is decided here.
//!
//! What is heard first is the watcher, so that a push sees every save that came before it.

mod adopting;
mod beside;
mod clock;
mod comments;
mod conflicts;
mod crash;
mod diff;
mod doctor;
mod editing;
mod epochs;
mod extracting;
mod failure;
mod handle;
mod heard;
mod history;
mod images;
mod indexing;
mod lanes;
mod linking;
mod making;
mod observing;
mod recovery;
mod report;
mod rules;
mod strays;
mod texts;
mod uploads;
mod walk;
mod watching;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::{RwLock, Semaphore, mpsc, oneshot, watch};

use crate::error::{Error, Result};
use crate::kinds::{Kind, PushPlan};
use crate::model::{Account, ItemId, Millis, PartId};
use crate::store::Store;
use crate::sync::quota::Limits;
use crate::sync::{Answer, Command, Effect, Engine, Event, Failure, ItemStatus, RequestId, Settings, Status};
use crate::workspace::layout::Place;
use crate::workspace::{Seen, Watch, Workspace};
use clock::Clock;
use lanes::{Done, Lanes};
use walk::FEED;
use watching::unwatched;

pub use comments::CommentReport;
pub(crate) use conflicts::is_of_conflicts;
pub use diff::DiffReport;
pub use doctor::{Check, Finding, Repair};
pub use handle::MirrorHandle;
pub use history::{LogReport, UndoReport};
pub use report::{
    BesideState, FetchReport, Forgotten, ImageReport, LinkReport, NotTakenIn, PartReport, PushReport, Resolved,
    RuleReport, RuleState, StatusReport, Unmade,
};

/// How many items are read from the remote at the same time.
const FETCHES_MAX: usize = 4;

/// How many questions may wait for the loop.
const MESSAGES_MAX: usize = 256;

/// How many things the watcher saw may wait for the loop; beyond, they become one rescan.
const SEEN_MAX: usize = 4_096;

/// How long it takes until a folder that could not be watched is tried again.
const WATCH_PAUSE: Duration = Duration::from_secs(60);

/// How long steps that were begun may take after a stop, so that a push is not cut from its answer.
const STOP_WAIT: Duration = Duration::from_secs(5);

/// What every step of every walk needs.
pub(crate) struct Shared {
    account: Account,
    workspace: Workspace,
    store: Mutex<Store>,
    reader: Mutex<Store>,
    kind: Arc<dyn Kind>,
    fetches: Semaphore,
    images: images::Images,
    /// The program that reads texts of attachments, which is this one; without it none are read.
    extractor: OnceLock<PathBuf>,
    /// Held for reading by whoever needs an upload, for writing by who takes them away.
    uploading: RwLock<()>,
    refused_pictures: uploads::Refused,
    /// Folders beside the workspace from which pictures may be taken.
    read_folders: Vec<PathBuf>,
    /// What people wrote into comments files, and where it was put.
    kept: comments::KeptFiles,
    /// What of the folder has reached the engine.
    heard: heard::Heard,
    /// Where what the watcher saw goes.
    see: Arc<dyn Fn(Seen) + Send + Sync>,
    /// The files beside the mirrored ones.
    beside: beside::Watched,
    /// The files among them that belong to nothing which is mirrored.
    strays: strays::Strays,
    /// What is read again because its comments could not be.
    later: comments::Later,
    /// What a person wants to be mirrored by itself.
    rules: rules::Rules,
    /// What this start found of a state that was lost.
    recovered: recovery::Recovered,
    /// Where the epochs of the store are noted.
    epochs: Arc<epochs::Epochs>,
    /// The way to the loop, as long as somebody holds it.
    messages: mpsc::WeakSender<Message>,
}

impl Shared {
    /// Waits for the store. A thread that panicked while it held it left a transaction that was rolled back.
    #[expect(clippy::unnecessary_wraps, reason = "it stands in chains of fallible calls")]
    fn store(&self) -> Result<MutexGuard<'_, Store>> {
        Ok(self.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Waits for the connection that only reads.
    fn reader(&self) -> MutexGuard<'_, Store> {
        self.reader.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the same, unless somebody else reads at the moment.
    fn reader_if_free(&self) -> Option<MutexGuard<'_, Store>> {
        match self.reader.try_lock() {
            Ok(reader) => Some(reader),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }
}

/// What the loop hears from handles.
enum Message {
    /// Somebody asks the engine for something.
    Ask(Command, oneshot::Sender<Replied>),
    /// Somebody wants to see how things stand, or how one item does.
    Status(Option<ItemId>, oneshot::Sender<Status>),
    /// A link stands outside of the workspace, here.
    Linked(PathBuf),
    /// Of two saves of a file the earlier one stands here.
    Aside(Place, PathBuf),
}

/// An answer, and the plans that were made for it.
struct Replied {
    answer: Answer,
    /// The newest plan of each file.
    plans: BTreeMap<PartId, Arc<PushPlan>>,
    /// Those that landed, in order.
    landed: BTreeMap<PartId, Vec<Arc<PushPlan>>>,
    /// How the item stood when the answer was given; told for a push alone.
    status: Option<ItemStatus>,
}

/// What one account's mirror is made of.
#[derive(Clone)]
pub struct Parts {
    /// The workspace, opened for the account.
    pub workspace: Workspace,
    /// The account's remote.
    pub kind: Arc<dyn Kind>,
    /// A fixed time between polls in milliseconds; `None` adapts.
    pub poll_ms: Option<u64>,
    /// Folders beside the workspace from which pictures may be taken.
    pub read_folders: Vec<PathBuf>,
    /// Whether edits of files stay in them.
    pub read_only: bool,
    /// How many calls may be made in a minute.
    pub limits: Limits,
    /// How a person calls this program in a shell, up to the verb.
    pub command: String,
    /// Where a damaged database was put, when this start found one.
    pub damaged: Option<PathBuf>,
}

/// One account's mirror: folder and store, kept equal to the remote.
pub struct Mirror {
    shared: Arc<Shared>,
    engine: Engine,
    clock: Clock,
    messages: mpsc::Receiver<Message>,
    sender: mpsc::Sender<Message>,
    seen: mpsc::Receiver<Seen>,
    overflow: Arc<AtomicBool>,
    watch: Option<Watch>,
    /// Why the folder could not be watched at the start, until the engine is told.
    watch_error: Option<Failure>,
    /// When it was tried last to watch the folder.
    watch_tried: Instant,
    /// What tells the folder from another one at the same path.
    identity: Option<(u64, u64)>,
    lanes: Lanes,
    questions: HashMap<RequestId, Question>,
    next_request: u64,
    /// Where something happened beside the mirrored files, until somebody looks there.
    touched: Option<mpsc::Receiver<PathBuf>>,
    /// Who is told that something happened.
    changes: Option<watch::Sender<()>>,
}

/// A question that was not answered yet.
struct Question {
    item: Option<ItemId>,
    /// Whether the answer is to say how the item stands.
    with_status: bool,
    reply: oneshot::Sender<Replied>,
}

impl Mirror {
    /// Makes the mirror of an account; nothing happens before [`Self::run`].
    ///
    /// # Errors
    ///
    /// `Storage` when the store cannot be read; `Unsafe` and `Disk` when the folder cannot be used.
    pub fn open(parts: Parts, mut store: Store) -> Result<Self> {
        let Parts { workspace, kind, poll_ms, read_folders, read_only, limits, damaged, command } = parts;
        let workspace = workspace.with_interrupt(|| crash::crash_point("during_deposit"));
        workspace.mend()?;
        let epochs = Arc::new(epochs::Epochs::new(workspace.epoch_file(store.path())));
        let now = Millis(clock::system_ms());
        let lost = epochs::begin(&epochs, &mut store, &workspace, now)?;
        let recovered = recovery::Recovered::new(damaged.map(recovery::Why::Damaged).or(lost), &mut store, now)?;
        let reader = store.reader()?;
        let mut seed = [0_u8; 8];
        getrandom::fill(&mut seed)
            .map_err(|error| Error::Storage { doing: "drawing a random number", source: error.into() })?;
        let engine = Engine::new(Settings {
            seed: u64::from_ne_bytes(seed),
            poll_ms,
            read_only,
            limits,
            command,
            ..Settings::default()
        });
        let (sender, messages) = mpsc::channel(MESSAGES_MAX);
        let (seen_sender, seen) = mpsc::channel(SEEN_MAX);
        let overflow = Arc::new(AtomicBool::new(false));
        let lost = overflow.clone();
        let see: Arc<dyn Fn(Seen) + Send + Sync> = Arc::new(move |seen| {
            // The watcher's thread must not wait, so what does not fit becomes a rescan.
            if seen_sender.try_send(seen).is_err() {
                lost.store(true, Ordering::Release);
            }
        });
        let (beside, touched) = beside::watched();
        let shared = Arc::new(Shared {
            account: workspace.layout().account().clone(),
            workspace,
            store: Mutex::new(store),
            reader: Mutex::new(reader),
            kind,
            fetches: Semaphore::new(FETCHES_MAX),
            images: images::Images::new(),
            extractor: OnceLock::new(),
            uploading: RwLock::new(()),
            refused_pictures: uploads::Refused::default(),
            read_folders,
            kept: comments::KeptFiles::default(),
            heard: heard::Heard::default(),
            beside,
            strays: strays::Strays::default(),
            see,
            later: comments::Later::default(),
            rules: rules::Rules::default(),
            recovered,
            epochs,
            messages: sender.downgrade(),
        });
        let mut mirror = Self {
            shared,
            engine,
            clock: Clock::new(),
            messages,
            sender,
            seen,
            overflow,
            watch: None,
            watch_error: None,
            watch_tried: Instant::now(),
            identity: None,
            lanes: Lanes::default(),
            questions: HashMap::new(),
            next_request: 0,
            touched: Some(touched),
            changes: None,
        };
        linking::know_links(&mirror.shared)?;
        // Watched from before the first look, so that nothing falls between the two.
        mirror.watch_error = mirror.start_watch().err().map(|error| unwatched(&error));
        Ok(mirror)
    }

    /// Has the texts of attachments read by this program, which must be the one that runs: what it reads by is counted.
    pub fn read_attachments_with(&self, program: PathBuf) {
        if self.shared.extractor.set(program).is_err() {
            tracing::debug!("what reads attachments is known already");
        }
    }

    /// Tells `changes` of all that happens, but for time that goes by.
    pub fn tell_changes_to(&mut self, changes: watch::Sender<()>) {
        self.changes = Some(changes);
    }

    /// Returns a handle for asking; it is cheap to clone and outlives the mirror.
    #[must_use]
    pub fn handle(&self) -> MirrorHandle {
        MirrorHandle::new(self.shared.clone(), self.sender.clone())
    }

    /// Runs until `stop` says true. Steps that were begun are finished; everything else is found again at the next start.
    ///
    /// # Errors
    ///
    /// `Storage` when the store cannot be read at the start.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) -> Result<()> {
        self.load().await?;
        if let Some(failure) = self.watch_error.take() {
            self.step(Event::Watched(Err(failure)));
        }
        let shared = self.shared.clone();
        // What a push that died left in Drive; nothing waits for it.
        tokio::spawn(async move { uploads::clean(&shared, false).await });
        tokio::spawn(images::resume(self.shared.clone()));
        let epochs = tokio::spawn(epochs::keep(self.shared.clone()));
        let indexing = tokio::spawn(indexing::run(self.shared.clone()));
        let rules = tokio::spawn(rules::run(self.handle()));
        let beside = self.touched.take().map(|touched| tokio::spawn(beside::run(self.handle(), touched)));
        while !*stop.borrow() {
            self.start_lanes();
            let due = self.next_due();
            tokio::select! {
                biased;
                _ = stop.changed() => break,
                seen = self.seen.recv() => {
                    if let Some(seen) = seen {
                        self.saw(seen);
                    }
                }
                done = self.lanes.join_next(), if self.lanes.are_at_work() => {
                    if let Some(done) = done {
                        self.done(done);
                    }
                }
                message = self.messages.recv() => {
                    if let Some(message) = message {
                        self.heard(message);
                    }
                }
                () = sleep_until(due) => self.tick(),
            }
            if self.overflow.swap(false, Ordering::AcqRel) {
                self.saw(Seen::Rescan);
            }
        }
        rules.abort();
        // What waits is indexed by the next start.
        indexing.abort();
        // What is being made goes on in a task of its own, or is noted as cut off.
        if let Some(beside) = beside {
            beside.abort();
        }
        let finish = async { while self.lanes.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WAIT, finish).await.is_err() {
            tracing::warn!("a step was cut off; what became of it is compared at the next start");
        }
        epochs.abort();
        let shared = self.shared.clone();
        if let Err(error) = blocking(move || epochs::next(&shared, 0)).await {
            tracing::warn!(%error, "the last epoch could not be noted");
        }
        Ok(())
    }

    /// Tells the engine what the store knows.
    async fn load(&mut self) -> Result<()> {
        let (shared, now) = (self.shared.clone(), self.clock.now());
        let (loaded, standing, kept) = blocking(move || {
            let kept = adopting::adopt_settled(&shared);
            if let Err(error) = making::put_aside_cut_off(&shared, now) {
                tracing::error!(%error, "what a new document was to say could not be put aside; the next start tries again");
            }
            shared.store()?.drop_forgotten(now)?;
            let standing = shared.workspace.all_files()?;
            let mut loaded = shared.store()?.load(FEED)?;
            if recovery::take_in(&shared, &loaded, &standing, now)? {
                loaded = shared.store()?.load(FEED)?;
            }
            shared.strays.note_unknown(&loaded, &standing);
            Ok((loaded, standing.len(), kept))
        })
        .await?;
        let expected = loaded.rows.iter().flat_map(|row| &row.parts).filter(|part| part.stamp.is_some()).count();
        let now = self.clock.now();
        let effects = self.engine.load(now, loaded);
        self.take(effects);
        self.look_again();
        for (place, kept) in kept {
            self.saved_aside(place, &kept);
        }
        // Several files and not one of them there: that is a folder that was moved, not files that were deleted.
        if expected >= 2 && standing == 0 {
            self.step(Event::RootMissing);
        }
        Ok(())
    }

    fn heard(&mut self, message: Message) {
        match message {
            Message::Status(item, reply) => {
                let status = item.map_or_else(|| self.engine.status(), |item| self.engine.status_of(&item));
                // Who asked may have gone.
                drop(reply.send(Status { now: self.clock.now(), ..status }));
            }
            Message::Aside(place, kept) => self.saved_aside(place, &kept),
            Message::Linked(path) => {
                if let Some(watch) = &mut self.watch {
                    watch.watch_links(self.shared.beside.links());
                }
                // Somebody may have saved in its place before its folder was watched.
                self.saw(Seen::Beside(path));
            }
            Message::Ask(command, reply) => {
                let resumes = matches!(command, Command::Resume);
                if resumes {
                    self.watch_folder();
                }
                let request = RequestId(self.next_request);
                self.next_request += 1;
                let with_status = matches!(command, Command::Push { .. });
                let question = Question { item: item_of_command(&command), with_status, reply };
                self.questions.insert(request, question);
                self.step(Event::Asked { request, command });
                if resumes {
                    // What waited there for the account waits no longer.
                    self.shared.beside.touch_all();
                }
            }
        }
    }

    fn done(&mut self, done: Result<Done, tokio::task::JoinError>) {
        if let Some(event) = self.lanes.done(done) {
            self.step(event);
        }
    }

    fn tick(&mut self) {
        if self.clock.catch_up() {
            tracing::info!("the machine slept; every file is looked at again");
            self.step(Event::Rescan);
        }
        if self.watch.is_none() && self.watch_tried.elapsed() >= WATCH_PAUSE {
            self.watch_folder();
        }
        self.lanes.let_go();
        self.step(Event::Tick);
    }

    fn step(&mut self, event: Event) {
        if let Some(changes) = self.changes.as_ref().filter(|_| !matches!(event, Event::Tick)) {
            changes.send_replace(());
        }
        let now = self.clock.now();
        let effects = self.engine.step(now, event);
        self.take(effects);
    }

    /// Puts effects into their lanes, and gives answers.
    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Reply { request, answer } = effect else {
                self.lanes.push(effect);
                continue;
            };
            let item = self.questions.get(&request).and_then(|question| question.item.clone());
            // What was decided before the answer has happened when the answer is heard.
            if let Some((request, answer)) = self.lanes.reply(&item, request, answer) {
                self.answer(request, answer);
            }
        }
    }

    fn answer(&mut self, request: RequestId, answer: Answer) {
        let Some(Question { item, with_status, reply }) = self.questions.remove(&request) else { return };
        let (plans, landed) = self.lanes.plans(&item);
        let status = item.filter(|_| with_status).and_then(|item| self.engine.status_of(&item).items.pop());
        // Who asked may have gone.
        drop(reply.send(Replied { answer, plans, landed, status }));
    }

    fn start_lanes(&mut self) {
        // What is written down is read by people, so it has the time that their machine shows, also once somebody has set that.
        for (request, answer) in self.lanes.start(&self.shared, Millis(clock::system_ms())) {
            self.answer(request, answer);
        }
    }

    /// Returns when the loop must look again though nothing is heard.
    fn next_due(&self) -> Option<Instant> {
        let engine = self.engine.next_due().map(|due| self.clock.instant(due));
        [engine, self.lanes.next_due()].into_iter().flatten().min()
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

fn item_of_command(command: &Command) -> Option<ItemId> {
    match command {
        Command::Fetch(item) | Command::Forget(item) | Command::Trashed(item) | Command::Restore(item) => {
            Some(item.clone())
        }
        Command::Push { item, .. } | Command::Resolve { item, .. } | Command::Seen { item, .. } => Some(item.clone()),
        Command::Poll | Command::Pause | Command::Resume => None,
    }
}

/// Runs a blocking call on a thread of its own; its panic is an error of this call alone.
async fn blocking<T: Send + 'static>(call: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(call).await {
        Ok(result) => result,
        Err(panic) => Err(Error::ExtractionFailed { id: "a step".into(), source: panic.into() }),
    }
}
