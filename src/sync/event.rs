//! What the engine hears: what happened outside, and what came of the effects that it asked for.

use serde::{Deserialize, Serialize};

use super::arrival::Arrival;
use super::blind::Blind;
use super::intent::Intent;
use super::request::{Command, RequestId};
use crate::model::{ContentHash, Cursor, ItemId, KindName, Notice, PartId, Revision, Stamp};

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
    /// The files of an item, or what is known of them, could not be read.
    Unobserved {
        /// The item.
        item: ItemId,
        /// Why.
        failure: Failure,
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
    /// Of two saves of a file that nobody had looked at, the one that is not in it stands here.
    SavedAside {
        /// The item.
        item: ItemId,
        /// Which file.
        part: PartId,
        /// Where it stands.
        path: String,
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
    /// What is stored of the file where nothing is known of it from before, as [`RowPart::blind`](super::RowPart::blind) tells: an item
    /// that was forgotten and is fetched anew has been told nothing of that.
    pub blind: Option<Blind>,
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

/// What a plan is; the plan itself stays with the shell until [`Effect::Post`](super::Effect::Post).
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
