//! What failures of the enterprise product mean for whoever asked.

use crate::error::NotebookFault;
use crate::notebooklm::rows::Failure;

/// Returns what an HTTP status means; nothing when all went well.
#[must_use]
pub const fn fault_of_status(status: u16) -> Option<NotebookFault> {
    match status {
        200..=299 => None,
        401 => Some(NotebookFault::AuthRequired),
        // Without a licence, or the role for it, nothing is to be seen.
        403 | 404 => Some(NotebookFault::NotFound),
        429 => Some(NotebookFault::RateLimited),
        408 | 504 => Some(NotebookFault::Timeout),
        500..=599 => Some(NotebookFault::NetworkError),
        _ => Some(NotebookFault::Refused),
    }
}

/// Returns what the failure of a source means.
#[must_use]
pub fn fault_of_failure(failure: &Failure) -> NotebookFault {
    let Failure::Named { reason, detail } = failure else { return NotebookFault::ProcessingFailed };
    match (reason.as_str(), detail.as_deref().unwrap_or_default()) {
        ("sourceUnreachable", detail) if detail.ends_with("INVALID_URL") => NotebookFault::InvalidUrl,
        ("paywallError" | "domainBlocked" | "mimeTypeBlocked", _) => NotebookFault::UnsupportedUrl,
        ("sourceTooLong", _) => NotebookFault::ContentTooLarge,
        ("sourceLimitExceeded", _) => NotebookFault::LimitReached,
        _ => NotebookFault::ProcessingFailed,
    }
}
