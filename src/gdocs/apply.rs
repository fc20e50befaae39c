//! The interpreter of `documents.batchUpdate`.

use serde_json::Value;

use super::document::Document;
use super::request::Request;

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

/// What a batch did.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The document afterwards; its revision is the caller's to set.
    pub document: Document,
    /// One reply for each request, `{}` where there is nothing to say.
    pub replies: Vec<Value>,
}

/// Reads the `requests` of a batch.
///
/// # Errors
///
/// The [`Refusal`] that Google answers to an unknown name or a request without a kind; a kind that Google knows and
/// this interpreter does not is refused with a text that says so.
pub fn read_requests(requests: &[Value]) -> Result<Vec<Request>, Refusal> {
    let _ = requests;
    Err(Refusal { code: 501, status: "UNIMPLEMENTED", message: String::new() })
}

/// Carries out a batch, whole or not at all.
///
/// `seed` makes fresh ids (heading ids, named range ids) different from batch to batch; the same document, requests
/// and seed give the same result.
///
/// # Errors
///
/// The [`Refusal`] of the first request that cannot be carried out; the document is then as it was.
pub fn apply(document: &Document, requests: &[Request], seed: u64) -> Result<Applied, Refusal> {
    let _ = (document, requests, seed);
    Err(Refusal { code: 501, status: "UNIMPLEMENTED", message: String::new() })
}
