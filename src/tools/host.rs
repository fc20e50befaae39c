//! What the verbs and the commands need from whoever holds the mirror, and the facts they get back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::found::{Found, Search};
use super::notebooklm::Notebooks;
use super::turns::Turn;
use crate::error::{Error, NotebookFault, Result};
use crate::kinds::{CommentPlace, Elements, Facts, Listing, Look, Restyled, StyleDefinition};
use crate::model::{Account, Feed, ItemId, KindName, Notice, PartId, Rule};

/// What the socket serves: the mirror, seen from the door.
///
/// Every call may take as long as the network does; callers drop the future to give up waiting, and the work that was
/// begun is finished all the same.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// Returns the folder that holds the account folders, absolute.
    fn workspace(&self) -> PathBuf;

    /// Returns the accounts that are signed in.
    fn accounts(&self) -> Vec<Account>;

    /// Mirrors the item that an id or URL names, if it is not mirrored yet, and tells where it stands. With `refresh`
    /// the remote is read first even when it is.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network and permission errors as they come.
    async fn fetch(&self, id_or_url: &str, refresh: bool) -> Result<ItemReport>;

    /// Searches what is mirrored and, where that is wanted or nothing is found, what is not, the best first.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the query holds no word; `Storage` when the index cannot be read. That the remote cannot be asked is told.
    async fn search(&self, search: &Search) -> Result<Found>;

    /// Makes a new Doc from MEBDF and mirrors it.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become a Doc; network and permission errors as they come.
    async fn create(&self, title: &str, text: &str) -> Result<ItemReport>;

    /// Stops mirroring an item; its files are put away, the remote is not touched.
    ///
    /// # Errors
    ///
    /// `NotFound` when it is not mirrored.
    async fn forget(&self, id_or_url: &str) -> Result<Done>;

    /// Begins a rule of what is mirrored by itself, for the one account or the named one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a rule that means nothing, and where several accounts could be meant; network and permission errors as they
    /// come.
    async fn add_rule(&self, rule: &Rule, account: Option<&Account>) -> Result<Told>;

    /// Ends a rule; what it brought stays mirrored.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when no account has a rule of that number, or several have.
    async fn end_rule(&self, number: i64, account: Option<&Account>) -> Result<Told>;

    /// Tells how things stand.
    ///
    /// # Errors
    ///
    /// `Storage` when the state cannot be read.
    async fn status(&self) -> Result<StatusReport>;

    /// Tells what an edited file would change, as a unified diff against what both sides last agreed on.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file.
    async fn diff(&self, path: &Path) -> Result<DiffReport>;

    /// Pushes a file now. With `dry_run` it only tells what would be sent; with `accept` it sends what is held.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; `Refused` and `PlanRejected` when it cannot be pushed.
    async fn push(&self, path: &Path, accept: bool, dry_run: bool) -> Result<PushReport>;

    /// Reads a mirrored file as it stands.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when no item has that file, or when it cannot be read.
    async fn text(&self, path: &Path) -> Result<String>;

    /// Waits until no other tool edits a document; it is kept from the others until the turn is dropped.
    ///
    /// # Errors
    ///
    /// `Told` when the others take too long; nothing was done.
    async fn turn(&self, id: &ItemId) -> Result<Turn>;

    /// Saves `text` in a mirrored file that says `was`, and pushes it; `None` when it says something else by now, and nothing was
    /// done. While what the file says is held, only what brings most of it back is saved. After an error the file says `was`,
    /// unless somebody saved it meanwhile.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when no item has that file, or when it cannot be read; `ReadOnly` and `MirrorOnly`; else as [`Host::push`].
    async fn edit(&self, path: &Path, was: &str, text: &str) -> Result<Option<PushReport>>;

    /// Lists at most `limit` Docs of all accounts whose name has the words of `query`, mirrored or not, the last changed first.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    async fn documents(&self, query: &str, limit: usize) -> Result<Listing>;

    /// Asks what a Doc is, mirrored or not, and what may be done with it.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network errors as they come.
    async fn facts(&self, id_or_url: &str) -> Result<Facts>;

    /// Reads how the kinds of paragraphs of a Doc's tab look; the first tab for an empty id.
    ///
    /// # Errors
    ///
    /// `NotFound` and `TabNotFound`; network and permission errors as they come.
    async fn styles(&self, id_or_url: &str, tab: &str) -> Result<Vec<StyleDefinition>>;

    /// Makes the kinds of paragraphs of a Doc's tab look so; no text is changed, and the mirrored file follows. It takes a turn of its
    /// own, as [`Host::dress`] does: whoever has one must not call either.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a definition that means nothing; `ReadOnly` and `MirrorOnly`; `NotFound` and `TabNotFound`; network and
    /// permission errors as they come.
    async fn restyle(&self, id_or_url: &str, tab: &str, styles: &[StyleDefinition]) -> Result<Restyled>;

    /// Reads what Google answers when it is asked for a Doc, mirrored or not.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network and permission errors as they come.
    async fn raw(&self, id_or_url: &str) -> Result<serde_json::Value>;

    /// Lists what stands in the body of a Doc's tab, or of all its tabs for an empty id, with its places.
    ///
    /// # Errors
    ///
    /// `NotFound` and `TabNotFound`; network and permission errors as they come.
    async fn elements(&self, id_or_url: &str, tab: &str) -> Result<Elements>;

    /// Sets looks on the letters from one place to another of a Doc's tab, the first for an empty id; no text is changed, and the
    /// mirrored file follows. Returns what was set.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a look that means nothing, and for places where no text is; `ReadOnly` and `MirrorOnly`; `NotFound` and
    /// `TabNotFound`; network and permission errors as they come.
    async fn dress(&self, id_or_url: &str, tab: &str, range: (u32, u32), look: &Look) -> Result<Vec<String>>;

    /// Leaves an answer about an item that is too long in a file; it is gone with the next start of the daemon.
    ///
    /// # Errors
    ///
    /// `Disk` when it cannot be written; else as [`Host::facts`].
    async fn leave(&self, id: &ItemId, name: &str, text: String) -> Result<PathBuf>;

    /// Writes the file of an item back that was deleted in the workspace.
    ///
    /// # Errors
    ///
    /// `NotFound` when it is not mirrored.
    async fn restore(&self, id_or_url: &str) -> Result<ItemReport>;

    /// Puts a link to the file of an item, which is mirrored by that, into a folder outside of the workspace. An edit through it is
    /// one of the item.
    ///
    /// # Errors
    ///
    /// As [`Host::fetch`]; `InvalidInput` and `Unsafe` when the folder cannot be used.
    async fn link(&self, id_or_url: &str, folder: &Path) -> Result<Linked>;

    /// Ends a file's conflicts in favour of one side.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; `InvalidInput` when it has no conflict.
    async fn resolve(&self, path: &Path, side: Side) -> Result<Done>;

    /// Asks where a comment of a mirrored item stands; `None` when there is no such comment.
    ///
    /// # Errors
    ///
    /// `NotFound` when the item is not mirrored; network and permission errors as they come.
    async fn place_of_comment(&self, id_or_url: &str, thread: &str) -> Result<Option<CommentPlace>>;

    /// Answers, closes, or reopens a comment of the item that a file belongs to; the file may be its comments file.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; `InvalidInput` when there is no such comment, with those that are open.
    async fn comment(&self, path: &Path, thread: &str, _act: CommentAct) -> Result<CommentReport> {
        let reason = format!("`{thread}` cannot be answered here");
        Err(Error::ReadOnly { id: path.display().to_string(), reason })
    }

    /// Pulls and pushes nothing of an account, or of all, until somebody resumes it; over restarts too.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such account.
    async fn pause(&self, account: Option<&Account>) -> Result<Told>;

    /// Goes on with an account that was halted or paused, or with all.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is no such account.
    async fn resume(&self, account: Option<&Account>) -> Result<Told>;

    /// Tells what was pushed and pulled, newest first; of one item when an id, a URL or a path names one.
    ///
    /// # Errors
    ///
    /// `NotFound` when nothing is named so.
    async fn log(&self, id_or_url: Option<&str>, limit: usize) -> Result<LogReport>;

    /// Takes a push back: what it changed is changed again, by an edit of the file that is pushed like any other.
    ///
    /// # Errors
    ///
    /// `NotFound` when no such push landed; `InvalidInput` when several accounts have one of that number and none is named,
    /// or when what it wrote was edited since.
    async fn undo(&self, push: i64, account: Option<&Account>) -> Result<PushReport>;

    /// Moves an item to the trash of its service; its files are put away.
    ///
    /// # Errors
    ///
    /// `NotFound` when it is not mirrored; `InvalidInput` when its files hold edits that it does not have.
    async fn trash(&self, id_or_url: &str) -> Result<Done>;

    /// Derives anew what must hold of base, files, index, journal, and at most `remote_max` documents of each account; mends
    /// with `repair` what can be mended.
    ///
    /// # Errors
    ///
    /// `Storage` and `Disk` as they come.
    async fn doctor(&self, repair: bool, remote_max: usize) -> Result<DoctorReport>;

    /// Returns the notebooks of NotebookLM, whose limits are the same for all who ask.
    ///
    /// # Errors
    ///
    /// `Notebook` where there are none.
    fn notebooks(&self) -> Result<Arc<Notebooks>> {
        Err(no_notebooks())
    }
}

/// The error of who has no notebooks.
pub(super) fn no_notebooks() -> Error {
    Error::Notebook {
        fault: NotebookFault::AuthRequired,
        message: "no notebooks can be asked here".into(),
        retry_after: None,
        outcome_unknown: false,
    }
}

/// Whose text stands when a conflict ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The file's.
    Mine,
    /// The remote's.
    Theirs,
}

/// What is done with a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommentAct {
    /// It is answered.
    Reply(String),
    /// It is closed.
    Resolve,
    /// It is opened again.
    Reopen,
}

/// What became of an answer to a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentReport {
    /// The item.
    pub id: ItemId,
    /// The comment.
    pub thread: String,
    /// The comments file, absolute; absent when no comment is open any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// One sentence.
    pub message: String,
}

/// Where an item stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemReport {
    /// The item.
    pub id: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// The account that mirrors it.
    pub account: Account,
    /// Its name.
    pub title: String,
    /// Where a person opens it.
    pub url: String,
    /// Its files; the first is the main one and there is always one.
    pub parts: Vec<PartReport>,
    /// Its pictures, each a file of its own.
    #[serde(default)]
    pub images: Vec<ImageReport>,
    /// What the files cannot say, or what waits.
    pub notices: Vec<Notice>,
    /// True when the remote could not be asked and the files may be behind it.
    pub stale: bool,
}

/// One file of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartReport {
    /// Which file: empty for the main one, a tab id for another tab.
    pub part: PartId,
    /// The tab's title, or the item's.
    pub title: String,
    /// Where it stands, absolute.
    pub path: PathBuf,
}

/// One picture of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageReport {
    /// The id of the object, as the text names it.
    pub object: String,
    /// Where it stands, absolute.
    pub path: PathBuf,
}

/// Something was done; the sentence says what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The item.
    pub id: ItemId,
    /// One sentence.
    pub message: String,
    /// True when a part of it waits all the same, which the sentence names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
}

/// A link to a mirrored file stands outside of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// The item.
    pub id: ItemId,
    /// The link, absolute.
    pub path: PathBuf,
    /// The mirrored file.
    pub target: PathBuf,
    /// What to mind there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Something was done with accounts; the sentence says what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// One sentence.
    pub message: String,
}

/// What was pushed and pulled, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogReport {
    /// The lines.
    pub lines: Vec<LogEntry>,
}

/// A push or a pull.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When, RFC 3339.
    pub at: String,
    /// The account.
    pub account: Account,
    /// `push`, `pull`, or `refused`; `retired`, `tab-gone`, `forgotten` or `returned` where files were put away or written again.
    pub what: String,
    /// The number by which `undo` knows the push; absent for a pull.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<i64>,
    /// The item.
    pub id: ItemId,
    /// Its name; empty when it is not known any more.
    pub title: String,
    /// The title of the tab that the file is; absent for the main one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tab: String,
    /// Its file, absolute.
    pub path: PathBuf,
    /// Words that came.
    pub words_added: usize,
    /// Words that went.
    pub words_removed: usize,
}

/// What a check of live data found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorReport {
    /// What does not hold, or a person may want to know.
    pub findings: Vec<DoctorFinding>,
    /// True when something is left to be mended.
    pub waits: bool,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorFinding {
    /// The account; empty for what is of none.
    pub account: Account,
    /// What was checked: `database`, `folder`, `journal`, `base`, `file`, `index`, `stray`, `remote`, or `account`; and around the
    /// daemon `socket`, `disk`, `service`, `network`, `clock`, or `sign-in`.
    pub check: String,
    /// The item, when it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ItemId>,
    /// Its file, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// What does not hold.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// `note` when nothing is wrong, `byhand`, `offered` when `--repair` can mend it, `done` when it did.
    pub repair: String,
}

/// How things stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusReport {
    /// The folder that holds the account folders.
    pub workspace: PathBuf,
    /// The accounts.
    pub accounts: Vec<AccountStatus>,
}

/// How one account stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountStatus {
    /// Its address.
    pub account: Account,
    /// Which of its items this is about.
    pub feed: Feed,
    /// `two-way`, or `mirror` when edits of files stay in them.
    pub mode: String,
    /// Count of items mirrored.
    pub items: usize,
    /// What is to be done.
    pub queue: QueueStatus,
    /// What Google may still be asked within this minute; absent when it knows no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<QuotaLeft>,
    /// Seconds until the change feed is read; absent while it is being read, and while nothing is synced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_poll_s: Option<u64>,
    /// Why nothing is synced until a person acts; empty when all is well.
    pub halted: String,
    /// What is mirrored by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleStatus>,
    /// What waits: pushes, holds, conflicts, trouble.
    pub waiting: Vec<WaitingStatus>,
    /// What was pushed and pulled last, newest first.
    pub lately: Vec<LogEntry>,
}

/// A rule of what is mirrored by itself, and how far it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleStatus {
    /// Its number.
    pub number: i64,
    /// What it names, for people.
    pub what: String,
    /// How many items it was seen to name since the daemon began.
    pub named: usize,
    /// How many of them are to be fetched yet.
    pub left: usize,
    /// About how long that takes, in seconds; absent while that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_s: Option<u64>,
    /// How many could not be had.
    #[serde(default)]
    pub passed: usize,
    /// Whether all that it names was mirrored once, so that it only waits for what is new.
    pub whole: bool,
    /// Why it does not go on; empty while it does.
    pub trouble: String,
}

/// What is to be done for an account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueStatus {
    /// Items that wait for their turn, or for another try.
    pub waiting: usize,
    /// Items that are being read, pushed, or written.
    pub working: usize,
    /// Files that wait for a person: held, refused, in conflict, deleted here, or not to be read; or of documents that are gone.
    pub yours: usize,
    /// About how long it takes until all of it was read, in seconds; absent while that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_s: Option<u64>,
}

/// What Google may still be asked within this minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaLeft {
    /// Documents that may be read now.
    pub reads_left: u32,
    /// Documents that may be read in a minute.
    pub reads_limit: u32,
    /// Pushes that may be sent now.
    pub writes_left: u32,
    /// Pushes that may be sent in a minute.
    pub writes_limit: u32,
    /// Documents that wait for that.
    pub waiting: usize,
}

/// One thing that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingStatus {
    /// The item.
    pub id: ItemId,
    /// The file it is about, when it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// A word: `pending`, `held`, `conflict`, `retrying`, `refused`, `hidden`; `pushed` tells what went with a
    /// push though the file does not show it.
    pub state: String,
    /// One sentence that says why.
    pub message: String,
}

/// What an edited file would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffReport {
    /// The item.
    pub id: ItemId,
    /// The file.
    pub path: PathBuf,
    /// A unified diff; empty when there is no edit.
    pub diff: String,
    /// What the diff does not show: where the document says something else again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What became of a push, or what would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushReport {
    /// The item.
    pub id: ItemId,
    /// The file.
    pub path: PathBuf,
    /// True when something was sent and accepted.
    pub pushed: bool,
    /// The requests, as they were or would be sent; empty when there is nothing to push.
    pub requests: Vec<serde_json::Value>,
    /// Edits that are not pushed, each with its reason.
    pub refused: Vec<Notice>,
    /// What went with pushes though the file does not show it, such as the place of a comment: those of this file that
    /// nobody was told of. In a dry run, what would go.
    pub told: Vec<Notice>,
    /// What the file says and no document does: it stays in the file alone.
    pub unsaid: Vec<Notice>,
    /// Why the push waits for `--accept`, when it does.
    pub holds: Vec<Notice>,
    /// True when an edit of the file waits for a person: one was refused or is held, sections are in conflict, or the file
    /// is gone.
    pub waits: bool,
    /// True when an edit was not even saved, since what the file says already is held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsaved: bool,
    /// One sentence that says what became of it.
    pub message: String,
}
