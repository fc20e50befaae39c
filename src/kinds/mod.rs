//! The kinds of items: one folder each. A kind knows its remote, not where its text is kept.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use crate::error::{Error, Result};
use crate::model::{Cursor, Facets, ItemId, KindName, Notice, PartId, Revision, Rule};

pub mod docs;
mod elements;
mod entities;
mod facts;
pub mod gmail;
pub mod notebooks;
mod pictures;
pub mod sidecar;

pub use elements::{Apart, ApartKind, Element, Elements, Look, TextRun};
pub use facts::{CommentPlace, Facts, Listed, Listing, Restyled, StyleDefinition};
pub use pictures::{Copied, Hosted, Image, Pictures, Standing, Upload, upload_address};

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
    /// What it is found by besides its words.
    pub facets: Facets,
    /// Its files; the main one is the first.
    pub parts: Vec<Part>,
    /// What the kind calls that of which the main file is, such as the id of a tab; see [`Kind::keep_main`].
    pub main: Option<String>,
    /// Its pictures, each once.
    pub images: Vec<Image>,
    /// What people said about it and nobody answered.
    pub comments: Comments,
    /// What could not be read and an earlier text may tell.
    pub lack: Lack,
    /// The answer it was read from, unchanged.
    pub raw: Vec<u8>,
    /// What the kind read from it.
    pub reading: Reading,
}

/// What a kind made of an answer, kept so that its plans need not read the answer again; opaque to all others.
#[derive(Clone, Default)]
pub struct Reading(Option<Arc<dyn Any + Send + Sync>>);

impl Reading {
    /// Wraps what was read.
    #[must_use]
    pub fn new<T: Any + Send + Sync>(read: T) -> Self {
        Self(Some(Arc::new(read)))
    }

    /// Returns what was read, if it is of this type.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.0.is_some() { "Reading" } else { "no reading" })
    }
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

/// Whether a reading lacks something that the texts of before tell, such as which boxes of a checklist are ticked. Shown
/// without it, the item would look as if somebody had changed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lack {
    /// It lacks nothing.
    #[default]
    Nothing,
    /// It does now: [`Kind::recall`] fills it in, and the item is to be read again later.
    ForNow,
    /// It does as long as things stand as they do: [`Kind::recall`] fills it in.
    ForGood,
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

/// A change of an item's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The name that the plan was made on; an item that has yet another by now is not renamed.
    pub from: String,
    /// The name it shall have.
    pub to: String,
}

/// The requests that make a remote item say what a file says. Pure data.
#[derive(Debug, Clone, Default)]
pub struct PushPlan {
    /// The body of the one call, without its revision lock; empty when there is nothing to push.
    pub requests: Vec<serde_json::Value>,
    /// Edits that are not pushed, each with its line and reason; they stay in the file.
    pub refused: Vec<Notice>,
    /// What goes with the push though the file does not show it, such as the place of a comment. Nothing of it waits.
    pub told: Vec<Notice>,
    /// What the file says and no document does, such as the title of a link: it stays in the file alone, and nothing waits.
    pub unsaid: Vec<Notice>,
    /// Why the whole push waits for `push --accept`, when it does.
    pub holds: Vec<Notice>,
    /// The text of the part after the push, as the model predicts it.
    pub expected: String,
    /// The other name that the item shall have, when the head of its file says one.
    pub rename: Option<Rename>,
    /// Files that must be uploaded before this is sent, as the text names them. The request that uses the one at an index
    /// says [`upload_address`] of it where the address goes.
    pub uploads: Vec<String>,
    /// Pictures that the file has elsewhere than the item, by object: they could be moved if their files were known.
    pub wanted_pictures: Vec<String>,
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

    /// Finds the picture that a refusal is about, as the text names it: Google says which request it could not carry out.
    #[must_use]
    pub fn refused_picture(&self, words: &str) -> Option<&str> {
        let (_, behind) = words.split_once("requests[")?;
        let number: usize = behind.split_once(']')?.0.parse().ok()?;
        let uri = self.requests.get(number)?.pointer("/insertInlineImage/uri")?.as_str()?;
        let index = (0..self.uploads.len()).find(|index| upload_address(*index) == uri);
        Some(index.and_then(|index| self.uploads.get(index)).map_or(uri, String::as_str))
    }

    /// Returns the plan with the addresses at which its uploads stand, one for each.
    #[must_use]
    pub fn hosted(&self, addresses: &[String]) -> Self {
        let mut plan = self.clone();
        for (index, address) in addresses.iter().enumerate() {
            let placeholder = upload_address(index);
            for request in &mut plan.requests {
                if let Some(uri) = request.pointer_mut("/insertInlineImage/uri")
                    && *uri == placeholder
                {
                    *uri = address.as_str().into();
                }
            }
        }
        plan.uploads.clear();
        plan
    }

    /// Returns what would be sent, for people: the requests of the batch, then what goes to other services.
    #[must_use]
    pub fn shown(&self) -> Vec<serde_json::Value> {
        let rename = self.rename.iter().map(|rename| serde_json::json!({ "files.update": { "name": rename.to } }));
        self.requests.iter().cloned().chain(rename).collect()
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

/// A page of the items that a rule names, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulePage {
    /// The items.
    pub items: Vec<ItemId>,
    /// What asks for the next page; `None` at the end.
    pub next: Option<String>,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Its id.
    pub id: ItemId,
    /// Where a person opens it.
    pub url: String,
    /// What it does without of the text that it was made of, and what of it was read as text, with the lines of that text.
    pub notices: Vec<Notice>,
}

/// What became of the text of a new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// Whether the item has it. Else somebody wrote there before all of it had arrived, and nothing was written over that.
    pub whole: bool,
    /// As [`Created::notices`].
    pub notices: Vec<Notice>,
}

/// Why a new item has not its text.
#[derive(Debug)]
pub struct NotFilled {
    /// What went wrong.
    pub error: Error,
    /// Whether some of it may be there: then the same text is to be written again, and what else is to be said comes after that.
    /// `None` where nobody looked.
    pub begun: Option<bool>,
}

/// What every kind can do. One instance serves one account.
#[async_trait]
pub trait Kind: Send + Sync {
    /// Returns the kind's name.
    fn name(&self) -> KindName;

    /// Finds the item that an id or URL names, if it is of this kind. Pure.
    fn recognize(&self, id_or_url: &str) -> Option<ItemId>;

    /// Tells whether an id or URL is for this kind to look up, though perhaps in vain. Pure.
    fn may_name(&self, id_or_url: &str) -> bool {
        self.recognize(id_or_url).is_some()
    }

    /// Looks up the item that an id or URL names; `None` when that is not of this kind.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is none, `InvalidInput` when it cannot be looked up; network and permission errors as they come.
    async fn find(&self, id_or_url: &str) -> Result<Option<ItemId>> {
        Ok(self.recognize(id_or_url))
    }

    /// Reads the change feed from `since` to its end; without a cursor it only says where the feed stands now.
    ///
    /// # Errors
    ///
    /// `NotFound` when the cursor has expired; network and permission errors as they come.
    async fn changes(&self, since: Option<&Cursor>) -> Result<Changes>;

    /// Reads one item whole. With `may_be_trashed` it is asked for first whether it is in the trash, where Google reads items as
    /// anywhere else.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; `Trashed`.
    async fn fetch(&self, id: &ItemId, may_be_trashed: bool) -> Result<Fetched>;

    /// Lists at most `limit` items of the account whose name has the words of `query`, or all of them for an empty one.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    async fn list(&self, query: &str, limit: usize) -> Result<Listing> {
        Err(Error::Refused { message: format!("{} are not listed: {query:?}, {limit}", self.name()) })
    }

    /// Asks the remote for at most `limit` items that match what a person typed, as the remote's own search would, the best first.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    async fn search(&self, query: &str, limit: usize) -> Result<Listing>;

    /// Lists the items that a rule names, newest first: the first page, or the one that `page` asks for.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a rule that means nothing; network and permission errors as they come.
    async fn named(&self, rule: &Rule, page: Option<&str>) -> Result<RulePage> {
        Err(Error::InvalidInput {
            what: format!("there are no rules for {} yet: {rule}, {page:?}", self.name()),
            suggestion: "Fetch each by its id or URL.".into(),
        })
    }

    /// Asks what an item is and what the account may do with it.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network errors as they come.
    async fn facts(&self, id: &ItemId) -> Result<Facts> {
        Err(Error::NotFound { id: id.to_string() })
    }

    /// Reads how the kinds of paragraphs of a tab look; the first tab for an empty id.
    ///
    /// # Errors
    ///
    /// `NotFound` and `TabNotFound`; network and permission errors as they come.
    async fn styles(&self, id: &ItemId, tab: &str) -> Result<Vec<StyleDefinition>> {
        Err(Error::TabNotFound { id: id.to_string(), tab: tab.to_owned(), tabs: Vec::new() })
    }

    /// Makes the kinds of paragraphs of a tab look so, and takes away what is otherwise in their text; no text is changed. Once more
    /// the same changes nothing.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a definition that means nothing; `ReadOnly`; `NotFound` and `TabNotFound`; network and permission errors as
    /// they come.
    async fn restyle(&self, id: &ItemId, tab: &str, styles: &[StyleDefinition]) -> Result<Restyled> {
        let reason = format!("items of this kind have no styles to set in `{tab}` ({})", styles.len());
        Err(Error::ReadOnly { id: id.to_string(), reason })
    }

    /// Reads what the service answers when it is asked for an item, as it is.
    ///
    /// # Errors
    ///
    /// `NotFound` when the id is unknown or hidden; network and permission errors as they come.
    async fn raw(&self, id: &ItemId) -> Result<serde_json::Value> {
        Err(Error::NotFound { id: id.to_string() })
    }

    /// Lists what stands in the body of a tab, or of all tabs for an empty id, with its places.
    ///
    /// # Errors
    ///
    /// `NotFound` and `TabNotFound`; network and permission errors as they come.
    async fn elements(&self, id: &ItemId, tab: &str) -> Result<Elements> {
        Err(Error::TabNotFound { id: id.to_string(), tab: tab.to_owned(), tabs: Vec::new() })
    }

    /// Sets looks on the letters from one place to another of a tab, the first for an empty id; no text is changed. Returns what was
    /// set.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a look that means nothing, and for places where no text is; `ReadOnly`; `NotFound` and `TabNotFound`; network
    /// and permission errors as they come.
    async fn dress(&self, id: &ItemId, tab: &str, range: (u32, u32), look: &Look) -> Result<Vec<String>> {
        let reason = format!("items of this kind have no looks to set in `{tab}` {range:?} {look:?}");
        Err(Error::ReadOnly { id: id.to_string(), reason })
    }

    /// Fills in what a reading lacks from the last known texts of its parts. Pure.
    fn recall(&self, fetched: Fetched, known: &[(PartId, String)]) -> Fetched {
        debug_assert!(known.is_empty() || fetched.lack == Lack::Nothing, "a kind that lacks something recalls it");
        fetched
    }

    /// Gives the main file to what it was of when the item was read first, whatever stands first there by now: an edit of the file is one
    /// of that. Where that is gone there is no main file. Pure.
    fn keep_main(&self, fetched: Fetched, _main: &str) -> Fetched {
        fetched
    }

    /// Gives the main file to what `text` tells that it is of, which the main file says or said last, where nothing else is known of
    /// that: the state was lost, or an earlier version did not write it down. What has a file of its own among the `others` is not
    /// that of the main one. Pure.
    fn adopt_main(&self, fetched: Fetched, _text: &str, _others: &[PartId]) -> Fetched {
        fetched
    }

    /// Reads the bytes of a picture, at most `bytes_max`. Its address must come from a reading that is minutes old at most.
    ///
    /// # Errors
    ///
    /// `Refused` when it is gone, too large, or its address is none to be asked; network errors as they come.
    async fn image(&self, image: &Image, bytes_max: usize) -> Result<Vec<u8>> {
        Err(Error::Refused {
            message: format!("{} pictures of {bytes_max} bytes cannot be read: {}", self.name(), image.id),
        })
    }

    /// Plans what makes `part` of `remote` say `desired`, checks the plan on the model, and touches nothing. Pure.
    /// With `accept`, edits that would be held (such as destroying an object) are planned too.
    ///
    /// # Errors
    ///
    /// `ReadOnly` when the item cannot be edited; `PlanRejected` when the plan did not stand the check.
    fn plan(&self, remote: &Fetched, part: &PartId, desired: &str, accept: bool) -> Result<PushPlan>;

    /// Finds the files that a text names as new pictures. Pure.
    fn named_pictures(&self, desired: &str) -> Vec<String> {
        // A kind without pictures has no use for the text.
        let _ = desired;
        Vec::new()
    }

    /// Plans like [`Kind::plan`], with what is known of the files that the text names as new pictures. Pure.
    ///
    /// # Errors
    ///
    /// As [`Kind::plan`].
    fn plan_with(
        &self,
        remote: &Fetched,
        part: &PartId,
        desired: &str,
        accept: bool,
        pictures: &Pictures,
    ) -> Result<PushPlan> {
        debug_assert!(pictures.named.is_empty(), "a kind that names pictures plans with them");
        self.plan(remote, part, desired, accept)
    }

    /// Looks for copies of files that were sent, by their names: files elsewhere that may be the same.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come; nothing depends on the answer.
    async fn copies(&self, _names: &[String]) -> Result<Vec<Copied>> {
        Ok(Vec::new())
    }

    /// Reserves the id of a file to be uploaded, so that it can be noted before the file stands anywhere.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    async fn reserve(&self) -> Result<String> {
        Err(Error::Refused { message: "this kind uploads nothing".into() })
    }

    /// Uploads a file so that everybody can read it who has its address; returns that.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come; the file may stand there then, or not.
    async fn host(&self, upload: Upload<'_>) -> Result<String> {
        Err(Error::Refused { message: format!("this kind uploads nothing, {} neither", upload.id) })
    }

    /// Takes an uploaded file away again; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    async fn unhost(&self, id: &str) -> Result<()> {
        Err(Error::NotFound { id: id.to_owned() })
    }

    /// Makes a new item like [`Kind::create`], with the files that the text names as pictures; it does without those that
    /// could not be had, and tells.
    ///
    /// # Errors
    ///
    /// As [`Kind::create`].
    async fn create_with(&self, title: &str, text: &str, pictures: &Hosted) -> Result<Created> {
        debug_assert!(pictures.is_empty(), "a kind that names pictures creates with them");
        self.create(title, text).await
    }

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

    /// Makes a new item that says nothing, once it is clear that one can say `text`.
    ///
    /// # Errors
    ///
    /// As [`Kind::create`]; `Told` when nobody knows whether it was made.
    async fn create_empty(&self, title: &str, text: &str, _pictures: &Pictures) -> Result<Created> {
        Err(Error::Refused { message: format!("{} are made in one step: {title:?}, {}", self.name(), text.len()) })
    }

    /// Makes a new item, which has this title and was made empty, say `text`. Once more it does what is left of that.
    ///
    /// # Errors
    ///
    /// [`NotFilled`] with what went wrong, as [`Kind::push`] does.
    async fn fill(&self, id: &ItemId, title: &str, text: &str, _pictures: &Hosted) -> Result<Filled, NotFilled> {
        let message = format!("{} are made in one step: {id}, {title:?}, {}", self.name(), text.len());
        Err(NotFilled { error: Error::Refused { message }, begun: None })
    }

    /// Moves an item to the trash of its service, where its owner can bring it back for a while.
    ///
    /// # Errors
    ///
    /// `NotFound` and `PermissionDenied` as the service says; `Network` with `outcome_unknown` when no answer came.
    async fn trash(&self, id: &ItemId) -> Result<()> {
        Err(Error::ReadOnly { id: id.to_string(), reason: "items of this kind have no trash".to_owned() })
    }

    /// Asks where a comment thread of an item stands, as its file names that; `None` when there is no such thread.
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    async fn place_of_comment(&self, _id: &ItemId, _thread: &str) -> Result<Option<CommentPlace>> {
        Ok(None)
    }

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
