//! The question that is answered in a stream.

use serde_json::{Value, json};

use super::{Request, Session, chat_path};
use crate::error::NotebookFault;
use crate::notebooklm::form;
use crate::notebooklm::slot::{Drift, Slot};

/// The most characters of a question. One of 10 002 was refused; it had no sources either, so the bound is a guess
/// that is on the safe side.
pub const QUESTION_CHARS_MAX: usize = 10_000;

/// The most sources or earlier turns that are read of one chat.
const LIST_MAX: usize = 10_000;

/// A question and its answer, from earlier in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}

/// A question to a notebook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChatCall {
    /// The notebook. Without it an answer comes, but is not kept by the product.
    pub notebook: String,
    /// The ids of the sources that are asked; those that are not ready must not be among them.
    pub sources: Vec<String>,
    /// The question.
    pub question: String,
    /// What was said in this conversation before. Each answer is sent before its question; the exchanges are sent as they
    /// stand here, and no recording tells which end the product takes for the newest.
    pub history: Vec<Exchange>,
    /// The conversation; without it the product goes on with the newest, or begins one.
    pub conversation: Option<String>,
}

impl ChatCall {
    /// Returns what the question is asked with.
    #[must_use]
    pub fn params(&self) -> Value {
        let sources: Vec<Value> = self.sources.iter().map(|id| json!([[id]])).collect();
        let mut history = Vec::new();
        for exchange in &self.history {
            history.push(json!([exchange.answer, null, 2]));
            history.push(json!([exchange.question, null, 1]));
        }
        let history = if history.is_empty() { Value::Null } else { Value::Array(history) };
        json!([sources, self.question, history, [2, null, [1], [1]], self.conversation, null, null, self.notebook, 1])
    }

    /// Writes the request that carries the question.
    #[must_use]
    pub fn encode(&self, session: &Session<'_>) -> Request {
        let mut query = Vec::new();
        query.extend(session.build.map(|build| ("bl", build.to_owned())));
        query.push(("hl", session.language.to_owned()));
        query.extend(session.request.map(|number| ("_reqid", number.to_string())));
        query.push(("rt", "c".to_owned()));
        query.push(("f.sid", session.session.to_owned()));
        query.extend(session.authuser.map(|user| ("authuser", user.to_owned())));
        Request { path: chat_path(), query, body: form::write_chat(&self.params(), session.at) }
    }
}

/// Looks at a question before it is sent, since one that is refused costs as much as one that is answered.
///
/// # Errors
///
/// [`NotebookFault::QuestionTooLong`], and [`NotebookFault::NoSources`] where there is nothing to ask.
pub fn check_question(call: &ChatCall) -> Result<(), NotebookFault> {
    if call.question.chars().count() > QUESTION_CHARS_MAX {
        return Err(NotebookFault::QuestionTooLong);
    }
    if call.sources.is_empty() { Err(NotebookFault::NoSources) } else { Ok(()) }
}

/// Reads what a question is asked with, as a server does.
///
/// # Errors
///
/// [`Drift`] when it is no question.
pub fn read_chat(params: &Value) -> Result<ChatCall, Drift> {
    let slot = Slot::new("chat", params);
    let mut call = ChatCall {
        notebook: slot.at(7).text().unwrap_or_default().to_owned(),
        question: slot.at(1).string()?.to_owned(),
        conversation: slot.at(4).optional_string()?.map(str::to_owned),
        ..ChatCall::default()
    };
    for source in slot.at(0).each()?.take(LIST_MAX) {
        call.sources.push(source.at(0).at(0).id()?.to_owned());
    }
    let mut answer = None;
    for turn in slot.at(2).each()?.take(LIST_MAX) {
        let text = turn.at(0).string()?.to_owned();
        if turn.at(2).integer() == Some(2) {
            answer = Some(text);
        } else {
            call.history.push(Exchange { question: text, answer: answer.take().unwrap_or_default() });
        }
    }
    Ok(call)
}
