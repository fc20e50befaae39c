//! A call as its handler gets it, and who may do what.

use serde_json::Value;

use super::Notebooks;
use super::model::{Conversation, Millis, Notebook, Person, Role, Source};
use crate::notebooklm::slot::Slot;

/// A call.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// The moment.
    pub(super) now: Millis,
    /// Who asks.
    pub(super) email: String,
    /// What it is asked with.
    pub(super) params: &'a Value,
    /// The notebook of the page that it is asked from.
    pub(super) notebook: Option<String>,
    /// Whether adding a source fails and leaves one that failed.
    pub(super) stub: bool,
}

impl<'a> Asked<'a> {
    /// Returns the place at these indexes.
    pub(super) fn at(&self, path: &[usize]) -> Slot<'a> {
        path.iter().fold(Slot::new("params", self.params), |slot, index| slot.at(*index))
    }

    /// Returns the text at these indexes; without one the call is refused.
    pub(super) fn text(&self, path: &[usize]) -> Result<&'a str, Refusal> {
        self.at(path).text().ok_or(Refusal::INVALID)
    }
}

/// Why a call is refused: the number of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The number.
    pub(super) code: i64,
    /// Whether there are words for people about it.
    pub(super) displayable: bool,
}

impl Refusal {
    /// The call means nothing, or is beyond a limit.
    pub(super) const INVALID: Self = Self::of(3);
    /// There is no such thing.
    pub(super) const NOT_FOUND: Self = Self::of(5);
    /// It is another's.
    pub(super) const DENIED: Self = Self::of(7);
    /// Something did not turn out as it must.
    pub(super) const PRECONDITION: Self = Self::of(9);
    /// The embedded product does not do this.
    pub(super) const NOT_BUILT: Self = Self::of(12);
    /// An error within, which is usual for one operation.
    pub(super) const INTERNAL: Self = Self::of(13);
    /// Nobody is signed in.
    pub(super) const SIGNED_OUT: Self = Self::of(16);

    /// A status without words.
    pub(super) const fn of(code: i64) -> Self {
        Self { code, displayable: false }
    }
}

/// What comes of a call. Null stands for an answer that says nothing.
pub(super) type Done = Result<Value, Refusal>;

impl Notebooks {
    /// Returns a person.
    pub(super) fn person(&self, email: &str) -> Result<&Person, Refusal> {
        self.people.get(email).ok_or(Refusal::SIGNED_OUT)
    }

    /// Returns a notebook that a person may see.
    pub(super) fn seen(&self, email: &str, id: &str) -> Result<&Notebook, Refusal> {
        let hidden = Refusal::of(self.switches.hidden_code);
        let notebook = self.notebooks.get(id).filter(|notebook| notebook.place.is_none()).ok_or(Refusal::NOT_FOUND)?;
        notebook.role(email).map(|_| notebook).ok_or(hidden)
    }

    /// Returns a notebook that a person may change. It counts as changed.
    pub(super) fn edited(&mut self, email: &str, id: &str) -> Result<&mut Notebook, Refusal> {
        let role = self.seen(email, id)?.role(email);
        if role == Some(Role::Viewer) {
            return Err(Refusal::DENIED);
        }
        self.touch();
        self.notebooks.get_mut(id).ok_or(Refusal::NOT_FOUND)
    }

    /// Finds the notebook of a source that a person may see.
    pub(super) fn notebook_of(&self, email: &str, source: &str) -> Result<&Notebook, Refusal> {
        let has = |notebook: &&Notebook| {
            notebook.place.is_none() && notebook.role(email).is_some() && notebook.source(source).is_some()
        };
        self.notebooks.values().find(has).ok_or(Refusal::NOT_FOUND)
    }

    /// Returns a source that a person may see.
    pub(super) fn seen_source(&self, email: &str, source: &str) -> Result<&Source, Refusal> {
        self.notebook_of(email, source)?.source(source).ok_or(Refusal::NOT_FOUND)
    }

    /// Returns a source that a person may change. It counts as changed.
    pub(super) fn edited_source(&mut self, email: &str, source: &str) -> Result<&mut Source, Refusal> {
        let id = self.notebook_of(email, source)?.id.clone();
        self.edited(email, &id)?.source_mut(source).ok_or(Refusal::NOT_FOUND)
    }

    /// Returns the conversation that a person may end or clear: whoever sees a notebook has its conversation.
    pub(super) fn chat_mut(&mut self, email: &str, conversation: &str) -> Result<&mut Conversation, Refusal> {
        let id = self.notebook_of_chat(email, conversation)?.id.clone();
        self.touch();
        self.notebooks.get_mut(&id).map(|notebook| &mut notebook.conversation).ok_or(Refusal::NOT_FOUND)
    }

    /// Finds the notebook of a conversation that a person may see.
    pub(super) fn notebook_of_chat(&self, email: &str, conversation: &str) -> Result<&Notebook, Refusal> {
        let has = |notebook: &&Notebook| notebook.role(email).is_some() && notebook.conversation.id == conversation;
        self.notebooks.values().find(has).ok_or(Refusal::NOT_FOUND)
    }
}
