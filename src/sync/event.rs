//! What the engine hears and what it wants done. The shell performs effects and feeds their results back as events.

use serde::{Deserialize, Serialize};

use super::arrival::Arrival;
use super::intent::Intent;
use super::told::Told;
use crate::model::{ContentHash, Cursor, ItemId, KindName, Millis, Notice, PartId, Revision, Stamp};

/// Something happened. Every event carries the time at which the shell saw it by way of `step`'s `now`.
#[derive(Debug, Clone)]
pub enum Event {
    /// Time passed; sent when [`Engine::next_due`](super::Engine::next_due) is reached.
    Tick,
    /// The watcher saw something at a file of the workspace.
    Touched {
        /// The item the file belongs to.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// What was seen.
        touch: Touch,
    },
    /// A conflict file is gone though nobody removed it on the engine's word; it is written again while the conflict lasts.
    ConflictMissing {
        /// The item.
        item: ItemId,
        /// Which of its files the conflict is in.
        part: PartId,
    },
    /// Events were dropped or the machine slept: every file may have changed.
    Rescan,
    /// The folder is watched, or cannot be.
    Watched(Result<(), Failure>),
    /// The account's folder is missing, empty, or another one: everything halts until [`Command::Resume`].
    RootMissing,
    /// The files of an item were read, and their base with them.
    Observed {
        /// The item.
        item: ItemId,
        /// Every part that has a base or a file.
        parts: Vec<Observation>,
    },
    /// The change feed was read, or failed.
    Polled(Result<Feed, Failure>),
    /// The item was read whole, or failed.
    Fetched {
        /// The item.
        item: ItemId,
        /// Its text, or why there is none.
        result: Result<Remote, Failure>,
    },
    /// A plan was made and checked on the model, or was rejected.
    Planned {
        /// The item.
        item: ItemId,
        /// What the plan is, or why there is none.
        result: Result<Planned, Failure>,
    },
    /// The journal row of a push is on disk, or could not be written.
    Begun {
        /// The item.
        item: ItemId,
        /// The row.
        result: Result<JobId, NotDone>,
    },
    /// A push was answered, or not.
    Posted {
        /// The item.
        item: ItemId,
        /// What became of it.
        result: Posted,
    },
    /// A text was written into the workspace, or not.
    Deposited {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// The file's stamp afterwards.
        result: Result<Stamp, NotDone>,
    },
    /// The new base is on disk, or could not be written.
    Recorded {
        /// The item.
        item: ItemId,
        /// Nothing to tell but failure.
        result: Result<(), Failure>,
    },
    /// The files of an item were put away, or not: [`NotDone::Moved`] when one is not as it was read.
    Retired {
        /// The item.
        item: ItemId,
        /// Whether they were.
        result: Result<(), NotDone>,
    },
    /// The files that were replaced were looked at.
    Swept {
        /// Whether some wait for another look.
        left: bool,
        /// Saves that came into a file when another had its place, and where they stand now.
        aside: Vec<(ItemId, PartId, String)>,
    },
    /// Somebody asks for something.
    Asked {
        /// Names the question in the answer.
        request: RequestId,
        /// The question.
        command: Command,
    },
}

/// What the watcher saw at a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// A save is complete: closed after writing, or renamed into place.
    Complete,
    /// Bytes were written; more may follow until `Complete`. `closes` tells whether this system reports closing.
    Modified {
        /// True where a `Complete` is sure to follow.
        closes: bool,
    },
    /// The name is gone, perhaps only for a moment.
    Missing,
}

/// One file and its base, as they were read together.
#[derive(Debug, Clone)]
pub struct Observation {
    /// Which file.
    pub part: PartId,
    /// What both sides last agreed on; `None` before the first deposit.
    pub base: Option<String>,
    /// The file now.
    pub local: Local,
    /// What was written into the file last, or was about to be, when that is not recorded.
    pub intent: Option<Intent>,
    /// What came from the remote into the file, newest first; of a file that says what its base does it need not be told.
    pub arrivals: Vec<Arrival>,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Local {
    /// There is none.
    Absent,
    /// Its text; the stamp was the same before and after reading.
    Text {
        /// The file's version.
        stamp: Stamp,
        /// Hash of the bytes on disk.
        hash: ContentHash,
        /// The bytes as text, a byte order mark removed and line ends as `\n`.
        text: String,
    },
    /// It cannot be used: invalid UTF-8, NUL bytes, too long, not a regular file, no permission.
    Unusable {
        /// Why.
        notice: Notice,
    },
    /// It changed while it was read, over and over; look again later.
    Restless,
}

/// A page of the change feed, read to its end.
#[derive(Debug, Clone)]
pub struct Feed {
    /// Items that were touched; the engine picks those it mirrors.
    pub changed: Vec<ItemId>,
    /// Items that are gone or no longer shared.
    pub vanished: Vec<ItemId>,
    /// Where to go on.
    pub cursor: Cursor,
}

/// The remote side of an item.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its kind.
    pub kind: KindName,
    /// Its name.
    pub title: String,
    /// Its version; `None` without edit access.
    pub revision: Option<Revision>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// The text of each file; the first is the main one.
    pub parts: Vec<(PartId, String)>,
}

/// What a plan is; the plan itself stays with the shell until [`Effect::Post`].
#[derive(Debug, Clone)]
pub struct Planned {
    /// Count of requests; 0 means there is nothing to push.
    pub requests: usize,
    /// Edits that are not pushed.
    pub refused: Vec<Notice>,
    /// What goes with the push though the file does not show it.
    pub told: Vec<Notice>,
    /// What the file says and the item never does: it stays in the file alone.
    pub unsaid: Vec<Notice>,
    /// Why the push waits for the person, when it does.
    pub holds: Vec<Notice>,
    /// The text of the part afterwards, as the model predicts it.
    pub expected: String,
    /// Whether a part of the edit can only be planned once this has landed.
    pub again: bool,
}

impl Planned {
    /// Returns the lines of the file that the item does not say once this has landed; `None` where that is not known.
    #[must_use]
    pub fn waiting(&self) -> Option<Vec<u32>> {
        let lines: Vec<u32> = self.refused.iter().map(|notice| notice.line).collect();
        (self.holds.is_empty() && !self.again && !lines.contains(&0)).then_some(lines)
    }
}

/// What became of a push.
#[derive(Debug, Clone)]
pub enum Posted {
    /// It landed.
    Accepted(Option<Revision>),
    /// The item had moved on; nothing landed.
    Stale,
    /// Refused for good; nothing landed.
    Refused(String),
    /// No answer: it may have landed.
    Unknown(Failure),
    /// It never reached the remote, or the remote asked to come again; nothing landed.
    Failed(Failure),
}

/// Why a step did not happen that is only for the file that was read.
#[derive(Debug, Clone)]
pub enum NotDone {
    /// The file is not the one that was seen.
    Moved,
    /// The disk refused.
    Failed(Failure),
}

/// Why something did not work, as far as the engine must know.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What to do about it.
    pub class: FailureClass,
    /// Google's wait, when it named one.
    pub retry_after_ms: Option<u64>,
    /// What people read: the error, and what to do.
    pub message: String,
    /// The error's word for clients, such as `not_found`.
    pub kind: String,
    /// One sentence that says what to do.
    pub suggestion: String,
}

impl Failure {
    /// Tells whether the network or the remote failed, and not this item.
    #[must_use]
    pub fn is_of_network(&self) -> bool {
        self.class == FailureClass::Transient && self.kind == "network_error"
    }

    /// Tells whether it stays until somebody does something about it.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        self.class == FailureClass::Permanent
    }

    /// Tells whether Google said that there are too many calls.
    #[must_use]
    pub fn asks_to_slow_down(&self) -> bool {
        self.kind == "rate_limited"
    }
}

/// What kind of answer a failure needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// Try again later.
    Transient,
    /// The item is gone or hidden.
    Gone,
    /// A change-feed cursor has expired; everything must be looked at again.
    CursorExpired,
    /// The account's sign-in no longer works.
    SignedOut,
    /// Trying again changes nothing.
    Permanent,
}

/// Names a push in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub i64);

/// Names a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// What somebody asks of the engine.
#[derive(Debug, Clone)]
pub enum Command {
    /// Mirror this item, or bring it up to date; answered when its files stand.
    Fetch(ItemId),
    /// Push what is saved now; answered when it landed, was held, or refused.
    Push {
        /// The item.
        item: ItemId,
        /// The file of which what is held is released.
        accept: Option<PartId>,
        /// Only plan; the shell keeps the plan for showing.
        dry_run: bool,
    },
    /// Stop mirroring an item. Its files are retired, nothing remote changes.
    Forget(ItemId),
    /// Look at an item that was put into the trash → `Failed`, once its files are put away.
    Trashed(ItemId),
    /// Bring back a file that was deleted.
    Restore(ItemId),
    /// End the conflicts of an item.
    Resolve {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// Whose text stands.
        side: Side,
    },
    /// A person has read these notices of what went with pushes of a file; answered at once.
    Seen {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// What was read.
        notices: Vec<Notice>,
    },
    /// Read the change feed now; answered when it was read.
    Poll,
    /// Pull and push nothing until [`Command::Resume`], over restarts too; answered at once. What is under way ends.
    Pause,
    /// Go on after a halt or a pause, or try again after a sign-in.
    Resume,
}

/// Whose text stands at the end of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The file's.
    Mine,
    /// The remote's.
    Theirs,
}

/// Something to do. Effects of one item are performed in order; those of different items may overlap.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Read the files of an item and their bases → [`Event::Observed`].
    Observe {
        /// The item.
        item: ItemId,
    },
    /// Read the change feed → [`Event::Polled`].
    Poll {
        /// Where to go on; `None` asks where the feed stands.
        cursor: Option<Cursor>,
    },
    /// Read an item whole → [`Event::Fetched`]. The shell keeps it for `Plan`.
    Fetch {
        /// The item.
        item: ItemId,
        /// Whether it may be in the trash, where the remote reads items as anywhere else.
        may_be_trashed: bool,
    },
    /// Plan on what was fetched last, and check the plan → [`Event::Planned`]. The shell keeps the plan.
    Plan {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// What it shall say.
        desired: String,
        /// The text of the file: what is told of the plan has its lines; see [`lines_of_file`](super::lines_of_file).
        file: String,
        /// Plan also what would be held.
        accept: bool,
    },
    /// Write "begun" into the journal, durably, only if the file is still the one that was seen → [`Event::Begun`].
    Begin {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// The stamp of the file that the plan is for.
        expect: Option<Stamp>,
        /// The version the plan was made on.
        revision: Revision,
        /// The text the part shall have afterwards.
        expected: String,
        /// What both sides then agree on; `None` when the base stays.
        base: Option<String>,
        /// What goes with it though the file does not show it.
        told: Vec<Notice>,
    },
    /// Send the plan, once → [`Event::Posted`].
    Post {
        /// The item.
        item: ItemId,
        /// Its row in the journal.
        job: JobId,
        /// The version it requires.
        revision: Revision,
    },
    /// Write or remove the conflict file of a part. Done before the deposit that follows it.
    PutConflict {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// The whole text of the conflict file; `None` removes it.
        text: Option<String>,
    },
    /// Write a text, only if the file is still the one that was seen → [`Event::Deposited`].
    Deposit {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// What it shall say; written into the store before the file is.
        intent: Intent,
        /// What came into it before and is not recorded yet, newest first; written with that.
        arrived: Vec<Arrival>,
        /// The stamp of the file that may be replaced; `None` when there must be no file.
        expect: Option<Stamp>,
    },
    /// Store base, stamps, index rows, and the end of a push in one transaction → [`Event::Recorded`].
    Record(Record),
    /// Put the files of an item away and let go of it → [`Event::Retired`]; they are moved, never deleted.
    Retire {
        /// The item.
        item: ItemId,
        /// Whether its bases are kept, since it may come back; else it is forgotten.
        bury: bool,
        /// Its files as they were read, `None` for one that did not stand; without it whatever stands is put away.
        expect: Option<Vec<(PartId, Option<Stamp>)>>,
    },
    /// Store what a person has yet to be told of pushes of a file that landed.
    SaveTold {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// All of it.
        told: Told,
    },
    /// Store how far the feed was read; everything before it is recorded.
    SaveCursor(Cursor),
    /// Store whether a person has paused the account.
    SavePaused(bool),
    /// Look at the files that were replaced, into which a program that had one open may have saved since → [`Event::Swept`].
    Sweep,
    /// Answer a question.
    Reply {
        /// Which one.
        request: RequestId,
        /// The answer.
        answer: Answer,
    },
}

/// What is stored at the end of a walk.
#[derive(Debug, Clone)]
pub struct Record {
    /// The item.
    pub item: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// Its name.
    pub title: String,
    /// Its version; `None` without edit access.
    pub revision: Option<Revision>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// Whether it was not there, or hidden from the account, when it was read last.
    pub gone: bool,
    /// Its files; parts that are missing here no longer exist remotely.
    pub parts: Vec<RecordPart>,
    /// The pushes that this ends.
    pub jobs: Vec<(JobId, JobEnd)>,
    /// When.
    pub at: Millis,
}

/// One file of a [`Record`].
#[derive(Debug, Clone)]
pub struct RecordPart {
    /// Which file.
    pub part: PartId,
    /// What both sides now agree on; a section in conflict keeps its old text here.
    pub base: String,
    /// The file's version, as deposited or seen; `None` when it is absent.
    pub stamp: Option<Stamp>,
    /// Hash of the file's bytes.
    pub hash: Option<ContentHash>,
    /// Whether the base may be older than the version that this record names: some of the file waits, or all of it.
    pub behind: bool,
    /// The text the index shall find: the file's.
    pub indexed: String,
    /// What a person has yet to be told of pushes that landed.
    pub told: Told,
    /// The save of an older text into which what it lacked was put back last.
    pub put_back: Option<String>,
    /// What came from the remote into the file since the last record, newest first.
    pub arrived: Vec<Arrival>,
    /// Whether it is known what became of the text that was to be written into the file: until it is, the note of it is kept.
    pub settled: bool,
}

/// How a push ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// It landed.
    Accepted,
    /// The item had moved on.
    Stale,
    /// Refused for good.
    Refused,
    /// It never reached the remote.
    Failed,
    /// No answer came; what the remote says now was compared instead.
    Reconciled,
}

/// The answer to a command.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Done: what stands now, and what a person should know.
    Done {
        /// Notices of all parts: refused edits, holds, conflicts.
        notices: Vec<(PartId, Notice)>,
        /// Count of requests that were sent, or would be in a dry run.
        requests: usize,
    },
    /// It did not work.
    Failed(Failure),
}
