//! How Google says no.

/// A refusal as Google words it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The HTTP status, nearly always 400.
    pub code: u16,
    /// `INVALID_ARGUMENT`, …
    pub status: &'static str,
    /// The text, word for word where a recording settles it.
    pub message: String,
}

impl Refusal {
    /// Returns a 400 `INVALID_ARGUMENT` with this text.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: 400, status: "INVALID_ARGUMENT", message: message.into() }
    }

    /// Returns a 501 `UNIMPLEMENTED` with this text: Google would carry it out, this model does not.
    #[must_use]
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self { code: 501, status: "UNIMPLEMENTED", message: message.into() }
    }

    /// Puts the place in the batch before the text, as Google does.
    pub(crate) fn in_request(mut self, number: usize, kind: &str) -> Self {
        self.message = format!("Invalid requests[{number}].{kind}: {}", self.message);
        self
    }
}
