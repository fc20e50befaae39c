//! What a mirror tells of its items. Every report is text, paths and small facts.

use std::path::PathBuf;

use serde::Serialize;

use crate::model::{Account, ItemId, KindName, Notice, PartId, Revision, Rule};
use crate::store::LogLine;
use crate::sync::Status;

/// Where an item stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FetchReport {
    /// The item.
    pub item: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// The account that mirrors it.
    pub account: Account,
    /// Its name.
    pub title: String,
    /// Where a person opens it.
    pub url: String,
    /// Its version; `None` without edit access.
    pub revision: Option<Revision>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// Its files, the main one first.
    pub parts: Vec<PartReport>,
    /// Its pictures that stand beside its files.
    pub images: Vec<ImageReport>,
    /// What a person should know: what the text cannot say, refused edits, holds, conflicts.
    pub notices: Vec<(PartId, Notice)>,
    /// Why the files may be behind the remote, when they may.
    pub stale: Option<String>,
}

/// One file of a [`FetchReport`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartReport {
    /// Which file: empty for the main one, a tab id for another tab.
    pub part: PartId,
    /// The tab's title, or the item's.
    pub title: String,
    /// Where it stands, absolute.
    pub path: PathBuf,
}

/// One picture of a [`FetchReport`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageReport {
    /// The id of the object, as the text names it.
    pub object: String,
    /// Where it stands, absolute.
    pub path: PathBuf,
}

/// What became of a push, or what would.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PushReport {
    /// The item.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// The file.
    pub path: PathBuf,
    /// True when something was sent and landed.
    pub pushed: bool,
    /// The requests, as they were or would be sent; empty when there is nothing to push.
    pub requests: Vec<serde_json::Value>,
    /// How many calls they were sent in.
    pub calls: usize,
    /// Edits that are not pushed.
    pub refused: Vec<Notice>,
    /// What went with this push and with those since somebody asked last, or would go, though the file does not show it.
    pub told: Vec<Notice>,
    /// What the file says and the item never does.
    pub unsaid: Vec<Notice>,
    /// Why the push waits for `accept`, when it does.
    pub held: Vec<Notice>,
    /// The headings of sections in conflict.
    pub conflicts: Vec<String>,
    /// True when somebody deleted the file.
    pub hidden: bool,
    /// True when the file does not stand still yet, so that what it says is pushed later.
    pub saving: bool,
    /// True when an edit was not even saved, since what the file says already is held.
    pub unsaved: bool,
}

/// How a mirror stands.
#[derive(Debug, Clone, Serialize)]
pub struct StatusReport {
    /// The account.
    pub account: Account,
    /// The folder that holds the account's folder.
    pub workspace: PathBuf,
    /// What the engine says.
    pub status: Status,
    /// What was pulled and pushed lately, newest first.
    pub log: Vec<LogLine>,
    /// Comments files that people edited, and where those were put.
    pub kept: Vec<(ItemId, PathBuf)>,
    /// What this start found of a state that was lost.
    pub recovered: Option<String>,
    /// Documents that were to be made and are not known to be: their titles, and where what they were to say stands.
    pub unmade: Vec<Unmade>,
    /// Files beside the mirrored ones that were not taken in, or not whole.
    pub beside: Vec<NotTakenIn>,
    /// What is to be mirrored by itself, and how far that is.
    pub rules: Vec<RuleReport>,
}

/// A rule of what is to be mirrored by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleReport {
    /// Its number.
    pub number: i64,
    /// What it is.
    pub rule: Rule,
    /// Whether all that it names was mirrored once.
    pub whole: bool,
    /// How far it is.
    pub state: RuleState,
}

/// How far a rule is, since the program began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RuleState {
    /// How many items it was seen to name.
    pub named: usize,
    /// How many of them are to be fetched yet.
    pub left: usize,
    /// About how long that takes, in seconds; `None` while nobody knows.
    pub left_s: Option<u64>,
    /// How many could not be had.
    pub passed: usize,
    /// Why it does not go on; empty while it does.
    pub trouble: String,
}

/// A file beside the mirrored ones that was not taken in, or not whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotTakenIn {
    /// Where it stands.
    pub path: PathBuf,
    /// How it stands with that.
    pub state: BesideState,
    /// Why, and what to do.
    pub why: String,
}

/// How it stands with a file beside the mirrored ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum BesideState {
    /// No item was made of it.
    NotMade,
    /// An item was, which has not all of its text, or to which no link leads yet.
    MadeInPart,
    /// A link stood there that somebody removed, or moved elsewhere.
    Unlinked,
    /// It stands among the mirrored files, and belongs to nothing that is mirrored.
    Stray,
}

/// A link that was put beside somebody's work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkReport {
    /// Where it stands.
    pub path: PathBuf,
    /// Whether a version control looks after the files there.
    pub versioned: bool,
}

/// What an item was to say that was not made, or not for certain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmade {
    /// Its title.
    pub title: String,
    /// Where its text is kept.
    pub path: PathBuf,
    /// Whether anybody was asked to make it, so that it may stand somewhere.
    pub asked: bool,
}

/// An item that is not mirrored any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// The item.
    pub item: ItemId,
    /// How many files of it were put away.
    pub files: usize,
    /// How many of them held edits that the remote does not have.
    pub edited: usize,
}

/// A conflict that somebody has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The item.
    pub item: ItemId,
    /// Why some of the file is not pushed all the same.
    pub waits: Option<String>,
    /// What went of the other side; nothing while the document has it yet.
    pub went: Vec<Notice>,
}
