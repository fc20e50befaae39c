//! The calls of the page: who may ask, what is asked, and how the answer is framed.

use serde_json::Value;

use super::Notebooks;
use super::asked::{Asked, Done, Refusal};
use super::faults::{Fault, Kind, signed_out, stale_token};
use super::log::Heard;
use super::model::Millis;
use super::reply::Reply;
use super::sessions::Who;
use crate::emulator::call::Call;
use crate::emulator::errors::aip;
use crate::notebooklm::call::{BATCH_PATH, chat_path};
use crate::notebooklm::form::{Incoming, read_request};
use crate::notebooklm::frames;
use crate::notebooklm::ids::Operation;
use crate::notebooklm::reply::{rejection_row, result_row, timing_rows};

/// The media type of answers, as it was recorded.
pub(super) const JSON_TYPE: &str = "application/json; charset=utf-8";

/// An id that no operation has, for one that was changed overnight.
const ROTATED_ID: &str = "zZ9xQf";

/// Tells whether a path is that of calls.
pub(super) fn is_batch(path: &str) -> bool {
    path == BATCH_PATH
}

/// Tells whether a path is that of questions.
pub(super) fn is_chat(path: &str) -> bool {
    path == chat_path()
}

/// Who asks, and what, after all checks.
pub(super) struct Admitted {
    /// Who asks.
    pub(super) email: String,
    /// The request.
    pub(super) incoming: Incoming,
}

impl Notebooks {
    /// Answers a call.
    pub(super) fn batch(&mut self, now: Millis, call: &Call, fault: Option<&Fault>, heard: &mut Heard) -> Reply {
        let asked_id = call.parameter("rpcids").unwrap_or_default();
        let admitted = match self.admit(now, call, heard) {
            Ok(admitted) => admitted,
            Err(Refused::Answer(reply)) => return *reply,
            Err(Refused::Row(refusal)) => {
                heard.refusal = Some(refusal.code);
                return self.framed(asked_id, Err(refusal), fault);
            }
        };
        let id = admitted.incoming.id.as_deref().unwrap_or_default();
        let operation = Operation::ALL.iter().copied().find(|operation| operation.wire_id() == id);
        let Some(operation) = operation.filter(|_| id == asked_id) else {
            return aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument.").into();
        };
        let done = match fault.map(|fault| (fault.fault, fault.code)) {
            Some((Kind::Rejected, code)) => Err(Refusal::of(code)),
            Some((Kind::Displayable, _)) => Err(Refusal { code: 8, displayable: true }),
            Some(_) | None => {
                let notebook = call.parameter("source-path").and_then(|path| path.strip_prefix("/notebook/"));
                let asked = Asked {
                    now,
                    email: admitted.email,
                    params: &admitted.incoming.params,
                    notebook: notebook.map(str::to_owned),
                    stub: fault.is_some_and(|fault| fault.fault == Kind::ErrorStub),
                };
                self.carry_out(operation, &asked)
            }
        };
        heard.refusal = done.as_ref().err().map(|refusal| refusal.code);
        self.framed(id, done, fault)
    }

    /// Looks at who asks and whether the request is one of a page of this product.
    pub(super) fn admit(&self, now: Millis, call: &Call, heard: &mut Heard) -> Result<Admitted, Refused> {
        if self.switches.gate {
            return Err(aip(403, "PERMISSION_DENIED", "The caller does not have permission").into());
        }
        let sid = match self.who(now, call) {
            Who::Nobody { had_session: false } => return Err(signed_out().into()),
            Who::Somebody { sid, bound: true, .. } => sid,
            Who::Nobody { .. } | Who::Unfit | Who::Somebody { .. } => {
                return Err(Refused::Row(Refusal::SIGNED_OUT));
            }
        };
        let person = self.person_of(&sid, call.parameter("authuser"));
        let (_, email) = person.ok_or(Refused::Row(Refusal::SIGNED_OUT))?;
        heard.account = Some(email.clone());
        let body = String::from_utf8_lossy(&call.body);
        let incoming = read_request(&body).map_err(|error| {
            tracing::debug!(%error, "a call was not understood");
            Refused::from(aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument."))
        })?;
        heard.params = incoming.params.clone();
        if !self.is_token(now, &sid, &email, &incoming.at) {
            return Err(stale_token().into());
        }
        Ok(Admitted { email, incoming })
    }

    /// Finds the handler of an operation.
    fn carry_out(&mut self, operation: Operation, asked: &Asked<'_>) -> Done {
        match operation.name() {
            "LIST_NOTEBOOKS" => self.list_notebooks(asked),
            "CREATE_NOTEBOOK" => self.create_notebook(asked),
            "GET_NOTEBOOK" => self.get_notebook(asked),
            "RENAME_NOTEBOOK" => self.change_notebook(asked),
            "DELETE_NOTEBOOK" => self.delete_notebooks(asked),
            "REMOVE_RECENTLY_VIEWED" => self.remove_from_recent(asked),
            "SUMMARIZE" => self.notebook_guide(asked),
            "SUGGEST_NEXT_STEPS" => self.next_steps(asked),
            "GET_SHARE_STATUS" => self.share_status(asked),
            "SHARE_NOTEBOOK" => self.share_notebook(asked),
            "LIST_ARTIFACTS" => self.list_artifacts(asked),
            "ADD_SOURCE" => self.add_sources(asked, false),
            "ADD_SOURCES_ASYNC" => self.add_sources(asked, true),
            "ADD_SOURCE_FILE" => self.register_upload(asked),
            "GET_SOURCE" => self.source_text(asked),
            "GET_SOURCE_GUIDE" => self.source_guide(asked),
            "RETRIEVE_RELEVANT_CHUNKS" => self.search_passages(asked),
            "UPDATE_SOURCE" => self.rename_source(asked),
            "DELETE_SOURCE" => self.delete_sources(asked),
            "CHECK_SOURCE_FRESHNESS" => self.check_freshness(asked),
            "REFRESH_SOURCE" => self.refresh_source(asked),
            "APPEND_SOURCE" => self.append_text(asked),
            "GET_NOTES_AND_MIND_MAPS" => self.list_notes(asked),
            "CREATE_NOTE" => self.create_note(asked),
            "UPDATE_NOTE" => self.update_note(asked),
            "DELETE_NOTE" => self.delete_notes(asked),
            "GET_LAST_CONVERSATION_ID" => self.last_conversation(asked),
            "GET_CONVERSATION_TURNS" => self.list_turns(asked),
            "GET_CHAT_SESSION_STATUS" => self.chat_status(asked),
            "CANCEL_GENERATION" => self.cancel_chat(asked),
            "DELETE_CONVERSATION" => self.delete_conversation(asked),
            "GET_USER_SETTINGS" => self.settings(asked),
            "SET_USER_SETTINGS" => self.set_settings(asked),
            "GET_ACCOUNT" => self.account(asked),
            "LIST_QUOTA_SUMMARY" => self.usage(asked),
            _ => Err(Refusal::NOT_BUILT),
        }
    }

    /// Writes an answer as the server does.
    fn framed(&mut self, id: &str, done: Done, fault: Option<&Fault>) -> Reply {
        let kind = fault.map(|fault| fault.fault);
        let id = if kind == Some(Kind::IdRotated) { ROTATED_ID } else { id };
        let mut rows = Vec::new();
        if kind == Some(Kind::TwoRows) {
            rows.push(empty_row(id));
        }
        rows.push(match done {
            Ok(Value::Null) => empty_row(id),
            Ok(value) => result_row(id, &value),
            Err(refusal) => rejection_row(Some(id), refusal.code, refusal.displayable),
        });
        rows.extend(self.timing());
        in_attachment(Reply::new(200, JSON_TYPE, frames::write(&[rows])))
    }

    /// Returns the rows that say how long an answer took.
    pub(super) fn timing(&mut self) -> [Value; 2] {
        let took = 100 + u64::try_from(self.chance.below(300)).unwrap_or_default();
        timing_rows(took, &self.chance.number().to_string())
    }
}

/// Why a request is not looked at further.
pub(super) enum Refused {
    /// By this answer.
    Answer(Box<Reply>),
    /// By a status within an answer.
    Row(Refusal),
}

impl<T: Into<Reply>> From<T> for Refused {
    fn from(reply: T) -> Self {
        Self::Answer(Box::new(reply.into()))
    }
}

fn empty_row(id: &str) -> Value {
    serde_json::json!(["wrb.fr", id, null, null, null, null, "generic"])
}

/// Adds what keeps an answer from being taken for a page.
pub(super) fn in_attachment(reply: Reply) -> Reply {
    reply
        .with("content-disposition", "attachment; filename=\"f.txt\"")
        .with("cache-control", "no-cache, no-store, max-age=0, must-revalidate")
        .with("x-frame-options", "SAMEORIGIN")
}
