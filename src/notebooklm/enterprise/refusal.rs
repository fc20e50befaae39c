//! What failures of the enterprise product mean for whoever asked.

use crate::notebooklm::fault::Kind;
use crate::notebooklm::rows::Failure;

/// Returns what an HTTP status means; nothing when all went well.
#[must_use]
pub const fn kind_of_status(status: u16) -> Option<Kind> {
    match status {
        200..=299 => None,
        401 => Some(Kind::AuthRequired),
        // Without a licence, or the role for it, nothing is to be seen.
        403 | 404 => Some(Kind::NotFound),
        429 => Some(Kind::RateLimited),
        408 | 504 => Some(Kind::Timeout),
        500..=599 => Some(Kind::NetworkError),
        _ => Some(Kind::Refused),
    }
}

/// Returns what the failure of a source means.
#[must_use]
pub fn kind_of_failure(failure: &Failure) -> Kind {
    let Failure::Named { reason, detail } = failure else { return Kind::ProcessingFailed };
    match (reason.as_str(), detail.as_deref().unwrap_or_default()) {
        ("sourceUnreachable", detail) if detail.ends_with("INVALID_URL") => Kind::InvalidUrl,
        ("paywallError" | "domainBlocked" | "mimeTypeBlocked", _) => Kind::UnsupportedUrl,
        ("sourceTooLong", _) => Kind::ContentTooLarge,
        ("sourceLimitExceeded", _) => Kind::LimitReached,
        _ => Kind::ProcessingFailed,
    }
}
