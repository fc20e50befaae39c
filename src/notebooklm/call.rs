//! What is asked of the product: one function for each operation, and the request that carries it.
//!
//! The shapes are those that the page sent in recordings of June to September 2026. Writes with the older, shorter
//! context are refused since 2026-06-10 for accounts that were moved to the new one
//! (<https://github.com/teng-lin/notebooklm-py/issues/1546>), so nothing sends it that was recorded with the new one.

mod chat;
mod notebooks;
mod notes;
mod sources;

use serde_json::{Value, json};

use super::form;
use super::ids::{CHAT_METHOD, Operation, Overrides, SERVICE};

pub use chat::{ChatCall, Exchange, QUESTION_CHARS_MAX, check_question, read_chat};
pub use notebooks::*;
pub use notes::*;
pub use sources::*;

/// The path of all calls but the chat, below the base of the product.
pub const BATCH_PATH: &str = "/_/LabsTailwindUi/data/batchexecute";

/// Returns the path of the chat, below the base of the product.
#[must_use]
pub fn chat_path() -> String {
    format!("/_/LabsTailwindUi/data/{SERVICE}/{CHAT_METHOD}")
}

/// One thing to ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What is asked for.
    pub operation: Operation,
    /// What it is asked with.
    pub params: Value,
    /// The page it is asked from, as in `/notebook/<id>`. Some operations take the notebook from here alone.
    pub source_path: String,
}

/// What a page knows of its session, and every request of it carries.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    /// The token against forged requests.
    pub at: &'a str,
    /// The id of the session; it may be negative.
    pub session: &'a str,
    /// The build of the page. The server does not look at it, but browsers send it.
    pub build: Option<&'a str>,
    /// Which of several signed-in accounts: an index or an address. Without it, notebooks of all but the first are
    /// told as not found.
    pub authuser: Option<&'a str>,
    /// The number of this request; it grows by 100 000 from one to the next.
    pub request: Option<u64>,
    /// The language of messages.
    pub language: &'a str,
}

/// A request to send with POST and [`form::CONTENT_TYPE`].
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// The path below the base.
    pub path: String,
    /// The query, in the order in which the page writes it; not encoded.
    pub query: Vec<(&'static str, String)>,
    /// The body. It holds the token.
    pub body: String,
}

impl Call {
    /// Writes the request that carries this call.
    #[must_use]
    pub fn encode(&self, session: &Session<'_>, overrides: &Overrides) -> Request {
        let id = overrides.wire_id(self.operation);
        let mut query = vec![
            ("rpcids", id.to_owned()),
            ("source-path", self.source_path.clone()),
            ("f.sid", session.session.to_owned()),
            ("hl", session.language.to_owned()),
            ("rt", "c".to_owned()),
        ];
        query.extend(session.build.map(|build| ("bl", build.to_owned())));
        query.extend(session.request.map(|number| ("_reqid", number.to_string())));
        query.extend(session.authuser.map(|user| ("authuser", user.to_owned())));
        Request { path: BATCH_PATH.to_owned(), query, body: form::write_call(id, &self.params, session.at) }
    }

    /// A call from the list of notebooks.
    fn home(operation: Operation, params: Value) -> Self {
        Self { operation, params, source_path: "/".to_owned() }
    }

    /// A call from the page of a notebook.
    fn within(operation: Operation, notebook: &str, params: Value) -> Self {
        Self { operation, params, source_path: format!("/notebook/{notebook}") }
    }
}

impl Request {
    /// Returns the path with the encoded query.
    #[must_use]
    pub fn path_and_query(&self) -> String {
        let pairs: Vec<_> = self.query.iter().map(|(key, value)| format!("{key}={}", form::encode(value))).collect();
        format!("{}?{}", self.path, pairs.join("&"))
    }
}

// What a session knows lets whoever reads it act for the person, so none of it is shown.
impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").field("build", &self.build).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Request").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The context of a request: what the page can show.
fn context() -> Value {
    json!([2, null, null, capabilities()])
}

fn capabilities() -> Value {
    json!([1, null, null, null, null, null, null, null, null, null, [1]])
}
