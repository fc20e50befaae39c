//! What the engine wants done. The shell performs it and tells by an event what came of it.

use super::arrival::Arrival;
use super::blind::Blind;
use super::event::JobId;
use super::intent::Intent;
use super::request::{Answer, RequestId};
use super::told::Told;
use crate::model::{ContentHash, Cursor, ItemId, KindName, Millis, Notice, PartId, Revision, Stamp};

/// Something to do. Effects of one item are performed in order; those of different items may overlap.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Read the files of an item and their bases → [`Event::Observed`](super::Event::Observed), [`Event::Unobserved`](super::Event::Unobserved).
    Observe {
        /// The item.
        item: ItemId,
    },
    /// Read the change feed → [`Event::Polled`](super::Event::Polled).
    Poll {
        /// Where to go on; `None` asks where the feed stands.
        cursor: Option<Cursor>,
    },
    /// Read an item whole → [`Event::Fetched`](super::Event::Fetched). The shell keeps it for `Plan`.
    Fetch {
        /// The item.
        item: ItemId,
        /// Whether it may be in the trash, where the remote reads items as anywhere else.
        may_be_trashed: bool,
    },
    /// Plan on what was fetched last, and check the plan → [`Event::Planned`](super::Event::Planned). The shell keeps the plan.
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
    /// Write "begun" into the journal, durably, only if the file is still the one that was seen → [`Event::Begun`](super::Event::Begun).
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
    /// Send the plan, once → [`Event::Posted`](super::Event::Posted).
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
    /// Write a text, only if the file is still the one that was seen → [`Event::Deposited`](super::Event::Deposited).
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
    /// Store base, stamps, index rows, and the end of a push in one transaction → [`Event::Recorded`](super::Event::Recorded).
    Record(Record),
    /// Put the files of an item away and let go of it → [`Event::Retired`](super::Event::Retired); they are moved, never deleted.
    Retire {
        /// The item.
        item: ItemId,
        /// Whether its bases are kept, since it may come back; else it is forgotten.
        bury: bool,
        /// Its files as they were read, `None` for one that did not stand; without it whatever stands is put away.
        expect: Option<Vec<(PartId, Option<Stamp>)>>,
    },
    /// Put a file away of which the tab is gone, if it is as it was read; it is moved, never deleted.
    PutAway {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// The file as it was read.
        expect: Stamp,
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
    /// Look at the files that were replaced, into which a program that had one open may have saved since → [`Event::Swept`](super::Event::Swept).
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
    /// Its files; parts that are missing here and among those that were left no longer exist remotely.
    pub parts: Vec<RecordPart>,
    /// Files of which nothing is agreed yet: what is known of them stays as it is.
    pub left: Vec<PartId>,
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
    /// What is known of a file of which nothing is known from before.
    pub blind: Option<Blind>,
    /// What came from the remote into the file since the last record, newest first.
    pub arrived: Vec<Arrival>,
    /// Whether the file was written.
    pub written: bool,
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
