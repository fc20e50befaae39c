//! Errors as this profile writes them.

use serde_json::{Map, Value, json};

use super::limits::TooMany;
use crate::error::{Error, ErrorKind, NotebookFault};
use crate::tools::answer::ErrorAnswer;

/// Why a tool did not do what it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failure {
    code: String,
    message: String,
    details: Map<String, Value>,
    recoverable: bool,
}

impl Failure {
    /// Returns a complaint about how a tool was called.
    pub(super) fn misused(message: impl Into<String>) -> Self {
        Self { code: "INVALID_INPUT".into(), message: message.into(), details: Map::new(), recoverable: false }
    }

    /// Returns an error of a notebook, before anything was asked for.
    pub(super) fn of(fault: NotebookFault, message: impl Into<String>) -> Self {
        Self::from(Error::Notebook { fault, message: message.into(), retry_after: None, outcome_unknown: false })
    }

    /// Adds a detail.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.into(), value.into());
        self
    }

    /// Says that trying again cannot help, whatever the reason.
    pub(super) const fn final_one(mut self) -> Self {
        self.recoverable = false;
        self
    }

    /// The code for clients.
    pub(super) fn code(&self) -> &str {
        &self.code
    }

    /// What went wrong, in words.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Returns it as whoever has no words of this profile sees it.
    pub(super) fn into_error(self) -> Error {
        let kind = match self.code.as_str() {
            "RATE_LIMITED" => ErrorKind::RateLimited,
            "NOT_FOUND" => ErrorKind::NotFound,
            "AUTH_REQUIRED" | "SESSION_EXPIRED" => ErrorKind::AuthExpired,
            "NETWORK_ERROR" | "TIMEOUT" => ErrorKind::NetworkError,
            "PARSE_ERROR" => ErrorKind::ExtractionFailed,
            _ => ErrorKind::InvalidInput,
        };
        let suggestion = "`mcp-workspace notebooks check` tells whether notebooks can be asked.".into();
        Error::Told { kind, message: self.message, suggestion }
    }

    pub(super) fn to_value(&self) -> Value {
        json!({ "error": {
            "code": self.code,
            "message": self.message,
            "details": self.details,
            "recoverable": self.recoverable,
        } })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error::Notebook { fault, ref message, retry_after, outcome_unknown } = error else {
            return Self::from(&ErrorAnswer::from(&error));
        };
        let message = format!("{}. {}", capitalized(message), error.suggestion());
        let mut details = Map::new();
        if let Some(wait) = retry_after {
            details.insert("retry_after_seconds".into(), wait.as_secs().into());
        }
        if outcome_unknown {
            details.insert("outcome".into(), "unknown".into());
        }
        Self { code: fault.word().into(), message, details, recoverable: fault.retryable() && !outcome_unknown }
    }
}

impl From<&ErrorAnswer> for Failure {
    fn from(answer: &ErrorAnswer) -> Self {
        let message = format!("{}. {}", answer.message, answer.suggestion);
        let code = answer.kind.to_ascii_uppercase();
        Self { code, message, details: Map::new(), recoverable: answer.retryable }
    }
}

impl From<TooMany> for Failure {
    fn from(too_many: TooMany) -> Self {
        let TooMany { retry_after_s, limit } = too_many;
        let seconds = if retry_after_s == 1 { "second" } else { "seconds" };
        let message = format!("Rate limit exceeded. Please wait {retry_after_s} {seconds}.");
        Self { code: "RATE_LIMITED".into(), message, details: Map::new(), recoverable: true }
            .with("retry_after_seconds", retry_after_s)
            .with("limit", limit)
            .with("window", "minute")
    }
}

/// Begins a sentence.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Refuses a text that is too long.
pub(super) fn at_most(fault: NotebookFault, (what, text): (&str, &str), limit: usize) -> Result<(), Failure> {
    let characters = text.chars().count();
    if characters <= limit {
        return Ok(());
    }
    let message = format!("the {what} has {characters} characters; {limit} are possible");
    Err(Failure::of(fault, message).with("characters", characters).with("limit", limit))
}
