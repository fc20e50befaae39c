//! An error as clients see it.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The JSON-RPC error of a request whose daemon went away.
pub(super) const DAEMON_GONE: i32 = -32000;

/// The JSON of an error, on both sockets and on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorAnswer {
    /// Always true, so that a reader who only sees the text knows.
    pub error: bool,
    /// A stable word, such as `not_found`.
    pub kind: String,
    /// One sentence that says what went wrong, with its causes.
    pub message: String,
    /// Whether the same request may succeed later with nothing changed by the user.
    pub retryable: bool,
    /// One sentence that says what to do.
    pub suggestion: String,
}

impl ErrorAnswer {
    /// Returns a complaint about an argument.
    #[must_use]
    pub fn invalid(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::from(&Error::InvalidInput { what: message.into(), suggestion: suggestion.into() })
    }

    /// Returns the JSON.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::json!({
            "error": self.error,
            "kind": self.kind,
            "message": self.message,
            "retryable": self.retryable,
            "suggestion": self.suggestion,
        })
    }

    /// Returns the JSON on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }
}

impl From<&Error> for ErrorAnswer {
    fn from(error: &Error) -> Self {
        let kind = serde_json::to_value(error.kind()).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        Self {
            error: true,
            kind: kind.unwrap_or_else(|| "storage_error".into()),
            message: error.with_causes(),
            retryable: error.retryable(),
            suggestion: error.suggestion(),
        }
    }
}
