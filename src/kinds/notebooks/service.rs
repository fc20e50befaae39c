//! What can be asked of notebooks, whichever product they are of.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::Result;
use crate::notebooklm::call::{ChatCall, NewSource};
use crate::notebooklm::chat::{Answer, Progress};
use crate::notebooklm::rows::{Freshness, Guide, Limits, Listing, Note, Notebook, Source, SourceText, Turns, Usage};

/// Who is signed in.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedIn {
    /// The address of the account, where the product tells it.
    pub email: Option<String>,
    /// What its plan allows.
    pub limits: Limits,
}

/// Notebooks. One instance serves one account. Every error is `Notebook`; of what changes something, or costs part of a quota, it
/// tells whether that may have been done all the same: then one looks first, and never just asks again.
#[async_trait]
pub trait Service: Send + Sync {
    /// Makes sure that somebody is signed in: by an answer that nobody else gets.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn probe(&self) -> Result<SignedIn>;

    /// Lists the notebooks that were viewed lately, the newest first, with their sources.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn notebooks(&self) -> Result<Listing<Notebook>>;

    /// Reads one notebook with its sources.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn notebook(&self, notebook: &str) -> Result<Notebook>;

    /// Makes a notebook.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn create(&self, title: &str) -> Result<Notebook>;

    /// Adds sources to a notebook. Of several, those that fail are left out of the answer without a word.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn add_sources(&self, notebook: &str, sources: &[NewSource]) -> Result<Listing<Source>>;

    /// Gives a notebook another title.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn rename(&self, notebook: &str, title: &str) -> Result<()>;

    /// Reads what a notebook is about. The product writes that anew at times, which may count as use.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn guide(&self, notebook: &str) -> Result<Guide>;

    /// Reads a source's text, with the positions that citations name.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn source_text(&self, notebook: &str, source: &str) -> Result<SourceText>;

    /// Asks whether a source still says what its origin does.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn freshness(&self, notebook: &str, source: &str) -> Result<Freshness>;

    /// Has a source read anew from its origin.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn refresh(&self, notebook: &str, source: &str) -> Result<()>;

    /// Lists the notes and mind maps of a notebook.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn notes(&self, notebook: &str) -> Result<Listing<Note>>;

    /// Gives a note another text, and another title unless there is none.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn update_note(&self, notebook: &str, note: &str, title: Option<&str>, text: &str) -> Result<()>;

    /// Reads the newest turns of a notebook's conversation, at most `limit` of them; none where nothing was asked yet.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn turns(&self, notebook: &str, limit: u32) -> Result<Turns>;

    /// Tells what is used up of the account's windows.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn usage(&self) -> Result<Listing<Usage>>;

    /// Asks a question, and tells how far the answer is. Dropped, it is not waited for any more, and the product writes on:
    /// [`Service::cancel`] ends that.
    ///
    /// # Errors
    ///
    /// `Notebook`; before anything is sent when the question is too long, or there is no source to ask.
    async fn ask(
        &self,
        question: &ChatCall,
        deadline: Duration,
        told: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answer>;

    /// Ends the answer that is being written in a notebook, if one is.
    ///
    /// # Errors
    ///
    /// `Notebook`.
    async fn cancel(&self, notebook: &str) -> Result<()>;

    /// Lets go of what is kept open, such as a browser, so that somebody else can use it. Who asks later opens it anew.
    async fn release(&self) {}
}
