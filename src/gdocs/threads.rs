//! What one batch does to comments and suggestions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::comment;
use super::document::Document;
use super::ids::FreshIds;
use super::quirks;
use super::refusal::Refusal;
use super::request::{InsertComment, Request};
use super::setting::Setting;
use super::suggest::{Suggested, Suggester};
use super::suggested::Choice;
use super::suggestion;
use super::thread::{OPEN, SuggestionThread};

/// Who sends a batch, and what it did to threads so far.
pub(crate) struct Threads {
    /// Who sends it, and when.
    pub(crate) setting: Setting,
    /// Whether any comment or suggestion was changed.
    pub(crate) updated: bool,
    /// The suggestions that the request under way affected, by the name of the list in the answer.
    affected: BTreeMap<&'static str, Vec<String>>,
}

impl Threads {
    /// Starts a batch.
    pub(crate) fn new(setting: &Setting) -> Self {
        Self { setting: setting.clone(), updated: false, affected: BTreeMap::new() }
    }

    /// Returns what the request just carried out did to suggestions, as Google tells it.
    pub(crate) fn take_affected(&mut self) -> Value {
        json!(std::mem::take(&mut self.affected))
    }

    /// Opens the thread of a new comment; returns the reply of the request.
    pub(crate) fn open(
        &mut self,
        document: &mut Document,
        request: &InsertComment,
        anchor: (String, String),
        ids: &mut FreshIds,
    ) -> Value {
        self.updated = true;
        comment::open(document, request, anchor, &self.setting, ids)
    }

    /// Carries out any other request about a thread.
    pub(crate) fn carry_out(
        &mut self,
        document: &mut Document,
        request: &Request,
        ids: &mut FreshIds,
    ) -> Result<Value, Refusal> {
        self.updated = true;
        match request {
            Request::AddCommentReply(request) => return comment::reply(document, request, &self.setting, ids),
            Request::UpdateCommentPost(request) => comment::update(document, request, &self.setting)?,
            Request::DeleteComment(request) => comment::delete(document, request, &self.setting)?,
            Request::DeleteCommentReply(request) => comment::delete_reply(document, request, &self.setting)?,
            Request::AcceptSuggestion(request) => {
                self.settle(document, &request.suggestion_id, "acceptedSuggestionIds")?;
            }
            Request::RejectSuggestion(request) => {
                self.settle(document, &request.suggestion_id, "rejectedSuggestionIds")?;
            }
            Request::DeleteSuggestion(request) => {
                self.check_author(document, &request.suggestion_id)?;
                self.settle(document, &request.suggestion_id, "deletedSuggestionIds")?;
            }
            other => return Err(Refusal::unimplemented(quirks::not_carried_out(other.kind()))),
        }
        Ok(json!({}))
    }

    /// Settles one suggestion.
    fn settle(&mut self, document: &mut Document, id: &str, how: &'static str) -> Result<(), Refusal> {
        if id.is_empty() || !suggestion::is_pending(document, id) {
            return Err(Refusal::invalid(quirks::unknown_suggestion(id)));
        }
        let accept = how == "acceptedSuggestionIds";
        suggestion::settle(document, &Choice { id: Some(id), accept });
        if how == "deletedSuggestionIds" {
            document.suggestions.retain(|thread| thread.suggestion_id != id);
        }
        for thread in document.suggestions.iter_mut().filter(|thread| thread.suggestion_id == id) {
            (if accept { "ACCEPTED" } else { "REJECTED" }).clone_into(&mut thread.status);
        }
        self.affected.entry(how).or_default().push(id.to_owned());
        Ok(())
    }

    /// Refuses the deletion of what somebody else suggested. Who suggested is only known where there is a thread.
    fn check_author(&self, document: &Document, id: &str) -> Result<(), Refusal> {
        let thread = document.suggestions.iter().find(|thread| thread.suggestion_id == id);
        let author = thread.and_then(|thread| thread.head_post.as_ref()?.author.as_ref());
        if author.is_some_and(|author| author.user != self.setting.author.user) {
            let message = "The caller does not have permission".to_owned();
            return Err(Refusal { code: 403, status: "PERMISSION_DENIED", message });
        }
        Ok(())
    }

    /// Returns whoever sends the batch, as the author of suggestions.
    pub(crate) fn suggester(&self, document: &Document) -> Suggester {
        let own = document.suggestions.iter().filter(|thread| {
            let author = thread.head_post.as_ref().and_then(|head| head.author.as_ref());
            thread.status == OPEN && author.is_some_and(|author| author.user == self.setting.author.user)
        });
        Suggester { own: own.map(|thread| thread.suggestion_id.clone()).collect() }
    }

    /// Notes what an edit was suggested as.
    pub(crate) fn note(&mut self, document: &mut Document, suggested: Suggested, ids: &mut FreshIds) {
        self.updated = true;
        let Some(id) = suggested.id else { return };
        if suggested.created {
            let head = comment::post(ids.draw_comment(), "", "NO_COMMENT_ACTION_CHANGE", &self.setting);
            document.suggestions.push(SuggestionThread {
                suggestion_id: id.clone(),
                head_post: Some(head),
                status: OPEN.to_owned(),
                ..SuggestionThread::default()
            });
            self.affected.entry("createdSuggestionIds").or_default().push(id);
        } else if suggestion::is_pending(document, &id) {
            self.affected.entry("updatedSummarySuggestionIds").or_default().push(id);
        } else {
            // The last of it was taken back.
            document.suggestions.retain(|thread| thread.suggestion_id != id);
            self.affected.entry("deletedSuggestionIds").or_default().push(id);
        }
    }
}
