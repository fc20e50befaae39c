//! What one batch does to comments and suggestions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::batch::Batch;
use super::document::Document;
use super::ids::FreshIds;
use super::refusal::Refusal;
use super::request::{
    AcceptSuggestion, AddCommentReply, DeleteComment, DeleteCommentReply, DeleteSuggestion, InsertComment,
    RejectSuggestion, UpdateCommentPost,
};
use super::segment::Address;
use super::setting::Setting;
use super::suggest::{Suggested, Suggester};
use super::suggested::Choice;
use super::thread::{OPEN, SuggestionThread};
use super::{comment, named_range, quirks, suggestion};

/// Who sends a batch, and what it did to threads so far.
pub(crate) struct Threads {
    /// Who sends it, and when.
    pub(crate) setting: Setting,
    /// Whether any comment or suggestion was changed.
    pub(crate) updated: bool,
    /// The suggestions that each request affected, by the name of the list in the answer.
    affected: Vec<BTreeMap<&'static str, Vec<String>>>,
}

/// Carries out `insertComment`.
///
/// # Errors
///
/// Refusals of a bad range, and of a text that is empty or too long.
pub(crate) fn insert_comment(batch: &mut Batch, request: &InsertComment) -> Result<Value, Refusal> {
    comment::check(&batch.document, request)?;
    let named_tab = named_range::named_tab(batch, &request.range);
    let address = Address::from(&request.range);
    let anchor = batch.in_segment(&address, |segment| comment::anchor(segment, request, named_tab))?;
    batch.threads.updated = true;
    Ok(comment::open(&mut batch.document, request, anchor, &batch.threads.setting, &mut batch.ids))
}

/// Carries out `addCommentReply`.
///
/// # Errors
///
/// Refusals of an unknown thread, and of what may not be said there.
pub(crate) fn reply(batch: &mut Batch, request: &AddCommentReply) -> Result<Value, Refusal> {
    batch.ids.learn(&batch.document);
    batch.threads.updated = true;
    comment::reply(&mut batch.document, request, &batch.threads.setting, &mut batch.ids)
}

/// Carries out `updateCommentPost`.
///
/// # Errors
///
/// Refusals of an unknown post, and of another's.
pub(crate) fn update_post(batch: &mut Batch, request: &UpdateCommentPost) -> Result<(), Refusal> {
    batch.threads.updated = true;
    comment::update(&mut batch.document, request, &batch.threads.setting)
}

/// Carries out `deleteComment`.
///
/// # Errors
///
/// Refusals of an unknown thread, and of another's.
pub(crate) fn delete_comment(batch: &mut Batch, request: &DeleteComment) -> Result<(), Refusal> {
    batch.threads.updated = true;
    comment::delete(&mut batch.document, request, &batch.threads.setting)
}

/// Carries out `deleteCommentReply`.
///
/// # Errors
///
/// Refusals of an unknown post, of another's, and of one that did something.
pub(crate) fn delete_reply(batch: &mut Batch, request: &DeleteCommentReply) -> Result<(), Refusal> {
    batch.threads.updated = true;
    comment::delete_reply(&mut batch.document, request, &batch.threads.setting)
}

/// Carries out `acceptSuggestion`.
///
/// # Errors
///
/// A refusal of an unknown suggestion.
pub(crate) fn accept(batch: &mut Batch, request: &AcceptSuggestion) -> Result<(), Refusal> {
    settle(batch, &request.suggestion_id, "acceptedSuggestionIds")
}

/// Carries out `rejectSuggestion`.
///
/// # Errors
///
/// A refusal of an unknown suggestion.
pub(crate) fn reject(batch: &mut Batch, request: &RejectSuggestion) -> Result<(), Refusal> {
    settle(batch, &request.suggestion_id, "rejectedSuggestionIds")
}

/// Carries out `deleteSuggestion`.
///
/// # Errors
///
/// A refusal of an unknown suggestion, and of another's.
pub(crate) fn delete_suggestion(batch: &mut Batch, request: &DeleteSuggestion) -> Result<(), Refusal> {
    batch.threads.check_author(&batch.document, &request.suggestion_id)?;
    settle(batch, &request.suggestion_id, "deletedSuggestionIds")
}

/// Settles one suggestion.
fn settle(batch: &mut Batch, id: &str, how: &'static str) -> Result<(), Refusal> {
    if id.is_empty() || !suggestion::is_pending(&batch.document, id) {
        return Err(Refusal::invalid(quirks::unknown_suggestion(id)));
    }
    batch.threads.updated = true;
    let accept = how == "acceptedSuggestionIds";
    suggestion::settle(batch, &Choice { id: Some(id), accept })?;
    let threads = &mut batch.document.suggestions;
    if how == "deletedSuggestionIds" {
        threads.retain(|thread| thread.suggestion_id != id);
    }
    for thread in threads.iter_mut().filter(|thread| thread.suggestion_id == id) {
        (if accept { "ACCEPTED" } else { "REJECTED" }).clone_into(&mut thread.status);
    }
    batch.threads.affect(how, id);
    Ok(())
}

impl Threads {
    /// Starts a batch.
    pub(crate) fn new(setting: &Setting) -> Self {
        Self { setting: setting.clone(), updated: false, affected: Vec::new() }
    }

    /// Begins the next request.
    pub(crate) fn next_request(&mut self) {
        self.affected.push(BTreeMap::new());
    }

    /// Notes that the request under way affected a suggestion.
    fn affect(&mut self, how: &'static str, id: &str) {
        if let Some(affected) = self.affected.last_mut() {
            affected.entry(how).or_default().push(id.to_owned());
        }
    }

    /// Returns what each request did to suggestions, as Google tells it, and whether any thread was changed.
    pub(crate) fn finish(&self) -> (Vec<Value>, bool) {
        (self.affected.iter().map(|affected| json!(affected)).collect(), self.updated)
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
            self.affect("createdSuggestionIds", &id);
        } else if suggestion::is_pending(document, &id) {
            self.affect("updatedSummarySuggestionIds", &id);
        } else {
            // The last of it was taken back.
            document.suggestions.retain(|thread| thread.suggestion_id != id);
            self.affect("deletedSuggestionIds", &id);
        }
    }
}
