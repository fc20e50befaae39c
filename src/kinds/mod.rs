//! The kinds of items: one folder each. A kind knows its remote, not where its text is kept.

use async_trait::async_trait;

use crate::error::{Error, Result};
use crate::model::{Cursor, ItemId, KindName, Notice, PartId, Revision};

pub mod docs;
pub mod sidecar;

/// One file of an item as it should stand in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which file: empty for the main one, a tab id for another tab.
    pub id: PartId,
    /// What people call it: the tab's title, or the item's.
    pub title: String,
    /// The whole text, front matter included.
    pub text: String,
    /// What the text cannot say.
    pub warnings: Vec<Notice>,
}

/// One item, read whole.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Which item.
    pub id: ItemId,
    /// Its kind.
    pub kind: KindName,
    /// Its name.
    pub title: String,
    /// Where a person opens it.
    pub url: String,
    /// The version that was read; `None` without edit access.
    pub revision: Option<Revision>,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// Its files; the first is the main one.
    pub parts: Vec<Part>,
    /// What people said about it and nobody answered.
    pub comments: Comments,
    /// The answer it was read from, unchanged; plans are made on it.
    pub raw: Vec<u8>,
}

/// The open comments of an item, as the text of a file that is only read. It bears a [`sidecar`] seal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Comments {
    /// They cannot be read, or the kind has none: whatever file stands is left as it is.
    #[default]
    Unread,
    /// They could not be read now: whatever file stands is left as it is, and the item is to be read again later.
    Later,
    /// There are none, so there is no file.
    None,
    /// The text of the file.
    Open(String),
}

/// What is done with a comment thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentAct {
    /// It is answered.
    Reply(String),
    /// It is closed.
    Resolve,
    /// It is opened again.
    Reopen,
}

/// What a change feed told.
#[derive(Debug, Clone)]
pub struct Changes {
    /// Items that were touched.
    pub changed: Vec<ItemId>,
    /// Items that are gone or no longer shared.
    pub vanished: Vec<ItemId>,
    /// Where to go on.
    pub cursor: Cursor,
}

/// The requests that make a remote item say what a file says. Pure data.
#[derive(Debug, Clone, Default)]
pub struct PushPlan {
    /// The body of the one call, without its revision lock; empty when there is nothing to push.
    pub requests: Vec<serde_json::Value>,
    /// Edits that are not pushed, each with its line and reason; they stay in the file.
    pub refused: Vec<Notice>,
    /// Why the whole push waits for `push --accept`, when it does.
    pub holds: Vec<Notice>,
    /// The text of the part after the push, as the model predicts it.
    pub expected: String,
    /// The name that the item shall have, when the head of its file says another.
    pub rename: Option<String>,
    /// Whether a part of the edit can only be planned once this has landed, such as the text of a new footnote, whose id
    /// Google gives.
    pub again: bool,
}

impl PushPlan {
    /// Counts what would be sent; 0 means that there is nothing to push.
    #[must_use]
    pub fn size(&self) -> usize {
        self.requests.len() + usize::from(self.rename.is_some())
    }
}

/// What became of a push.
#[derive(Debug)]
pub enum Outcome {
    /// It landed; the item is at this revision now.
    Accepted(Option<Revision>),
    /// The item had moved on; nothing was changed.
    Stale,
    /// It was refused for good, with Google's words; nothing was changed.
    Refused(String),
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Its id.
    pub id: ItemId,
    /// Where a person opens it.
    pub url: String,
}

/// What every kind can do. One instance serves one account.
#[async_trait]
pub trait Kind: Send + Sync {
    /// Returns the kind's name.
    fn name(&self) -> KindName;

    /// Finds the item that an id or URL names, if it is of this kind. Pure.
    fn recognize(&self, id_or_url: &str) -> Option<ItemId>;

    /// Reads the change feed from `since` to its end; without a cursor it only says where the feed stands now.
    ///
    /// # Errors
    ///
    /// `NotFound` when the cursor has expired; network and permission errors as they come.
    async fn changes(&self, since: Option<&Cursor>) -> Result<Changes>;

    /// Reads one item whole.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden.
    async fn fetch(&self, id: &ItemId) -> Result<Fetched>;

    /// Plans what makes `part` of `remote` say `desired`, checks the plan on the model, and touches nothing. Pure.
    /// With `accept`, edits that would be held (such as destroying an object) are planned too.
    ///
    /// # Errors
    ///
    /// `ReadOnly` when the item cannot be edited; `PlanRejected` when the plan did not stand the check.
    fn plan(&self, remote: &Fetched, part: &PartId, desired: &str, accept: bool) -> Result<PushPlan>;

    /// Sends a plan that was made on `revision`. One call.
    ///
    /// # Errors
    ///
    /// `Network` with `outcome_unknown` when no answer came back; the push may have landed.
    async fn push(&self, id: &ItemId, revision: &Revision, plan: &PushPlan) -> Result<Outcome>;

    /// Makes a new item.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become an item of this kind.
    async fn create(&self, title: &str, text: &str) -> Result<Created>;

    /// Answers, closes, or reopens a comment thread. One call that changes something, at most.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when there is no such thread, or the act means nothing for it; `ReadOnly` for a kind without
    /// comments; `Network` with `outcome_unknown` when nobody knows whether it was said.
    async fn comment(&self, id: &ItemId, _thread: &str, _act: &CommentAct) -> Result<()> {
        Err(Error::ReadOnly { id: id.to_string(), reason: "items of this kind have no comments".to_owned() })
    }
}
