//! What an outcome means for whoever asked, in the words that clients see.

use std::fmt;

use super::chat::Ended;
use super::ids::Operation;
use super::reply::{Outcome, Refusal, Rejected};

/// The most words a client is told. They are those of the tool set that this product keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// No such notebook, source or note, or it is hidden from this account.
    NotFound,
    /// Nobody is signed in.
    AuthRequired,
    /// Somebody was signed in and is no more, or the page's token is too old.
    SessionExpired,
    /// Too much was asked for.
    RateLimited,
    /// The answer has another shape than it had.
    ParseError,
    /// A source could not be read.
    ProcessingFailed,
    /// An address that is none.
    InvalidUrl,
    /// An address that the product does not take.
    UnsupportedUrl,
    /// A text that is too long.
    ContentTooLarge,
    /// A question that is too long.
    QuestionTooLong,
    /// A notebook without a source that could be asked.
    NoSources,
    /// No more notebooks, or sources, on this plan.
    LimitReached,
    /// The product refused, and nothing here says why.
    Refused,
    /// The product is out of order, or was not reached.
    NetworkError,
    /// The answer did not come, or not to its end, in time.
    Timeout,
}

impl Kind {
    /// Returns the word for clients.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::AuthRequired => "AUTH_REQUIRED",
            Self::SessionExpired => "SESSION_EXPIRED",
            Self::RateLimited => "RATE_LIMITED",
            Self::ParseError => "PARSE_ERROR",
            Self::ProcessingFailed => "PROCESSING_FAILED",
            Self::InvalidUrl => "INVALID_URL",
            Self::UnsupportedUrl => "UNSUPPORTED_URL",
            Self::ContentTooLarge => "CONTENT_TOO_LARGE",
            Self::QuestionTooLong => "QUESTION_TOO_LONG",
            Self::NoSources => "NO_SOURCES",
            Self::LimitReached => "LIMIT_REACHED",
            Self::Refused => "REFUSED",
            Self::NetworkError => "NETWORK_ERROR",
            Self::Timeout => "TIMEOUT",
        }
    }

    /// Tells whether the same request may succeed later with nothing changed by the person.
    #[must_use]
    pub const fn retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::NetworkError | Self::Timeout)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// Returns what an outcome means for who asked for an operation; nothing when all went well.
///
/// Where the product answers nothing at all to an operation that has nothing to answer, that is success.
#[must_use]
pub fn kind_of(outcome: &Outcome, operation: Operation) -> Option<Kind> {
    match outcome {
        Outcome::Result(_) => None,
        Outcome::Empty => (!may_be_empty(operation)).then_some(Kind::ParseError),
        Outcome::Rejected(rejection) => {
            // Recorded: the notebook is gone from the list all the same.
            let usual = operation == Operation::RemoveRecentlyViewed && rejection.kind == Rejected::Internal;
            (!usual).then(|| kind_of_status(rejection.kind, operation))
        }
        Outcome::Refused(refusal) => Some(match refusal {
            Refusal::StaleToken => Kind::SessionExpired,
            Refusal::Unauthenticated => Kind::AuthRequired,
            Refusal::Forbidden => Kind::AuthRequired,
            Refusal::RateLimited { .. } => Kind::RateLimited,
            Refusal::NotFound => Kind::ParseError,
            Refusal::BadRequest => Kind::ParseError,
            Refusal::Redirected => Kind::AuthRequired,
            Refusal::Server { .. } | Refusal::Other { .. } => Kind::NetworkError,
        }),
        Outcome::Drifted { .. } | Outcome::Unreadable(_) | Outcome::Silent => Some(Kind::ParseError),
        // A page instead of an answer is a sign-in page or a gate; which of them, its address tells.
        Outcome::Interstitial => Some(Kind::AuthRequired),
        Outcome::Cut => Some(Kind::NetworkError),
    }
}

/// Returns what the end of a stream means for who asked a question; nothing when it was answered.
#[must_use]
pub fn kind_of_end(ended: &Ended) -> Option<Kind> {
    match ended {
        Ended::Answered(_) => None,
        Ended::Unfinished(_) => Some(Kind::Timeout),
        // What is refused as a question is refused as the reading of a conversation is.
        Ended::Rejected(rejection) => Some(kind_of_status(rejection.kind, Operation::GetTurns)),
        Ended::Exhausted => Some(Kind::RateLimited),
        Ended::Interstitial => Some(Kind::AuthRequired),
        Ended::Drifted(_) | Ended::Unreadable(_) => Some(Kind::ParseError),
    }
}

/// Returns what a status means for who asked for an operation.
const fn kind_of_status(status: Rejected, operation: Operation) -> Kind {
    let adds = matches!(operation, Operation::AddSource | Operation::AddSourcesAsync | Operation::AddSourceFile);
    let creates = matches!(operation, Operation::CreateNotebook);
    match status {
        Rejected::InvalidArgument | Rejected::PermissionDenied if creates => Kind::LimitReached,
        Rejected::InvalidArgument if adds => Kind::UnsupportedUrl,
        Rejected::FailedPrecondition if adds => Kind::ProcessingFailed,
        // Of an account other than the one that is asked as, a notebook is told as forbidden.
        Rejected::NotFound | Rejected::PermissionDenied => Kind::NotFound,
        Rejected::ResourceExhausted => Kind::RateLimited,
        Rejected::Unauthenticated => Kind::AuthRequired,
        Rejected::DeadlineExceeded => Kind::Timeout,
        Rejected::Internal | Rejected::Unavailable => Kind::NetworkError,
        Rejected::Unimplemented => Kind::ParseError,
        Rejected::InvalidArgument | Rejected::FailedPrecondition | Rejected::Other => Kind::Refused,
    }
}

/// Tells whether an operation has nothing to answer, at least sometimes.
const fn may_be_empty(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::RenameNotebook
            | Operation::DeleteNotebook
            | Operation::RemoveRecentlyViewed
            | Operation::UpdateSource
            | Operation::DeleteSource
            | Operation::RefreshSource
            | Operation::AppendSource
            | Operation::UpdateNote
            | Operation::DeleteNote
            | Operation::DeleteConversation
            | Operation::CancelGeneration
            | Operation::CancelResearch
            | Operation::ImportResearch
            | Operation::SetSettings
            | Operation::ShareNotebook
            | Operation::ShareArtifact
            | Operation::RenameArtifact
            | Operation::DeleteArtifact
            | Operation::DeleteLabel
            | Operation::UpdateLabel
            // These answer null where there is nothing to tell.
            | Operation::RetrieveRelevantChunks
            | Operation::SuggestNextSteps
            | Operation::SuggestPrompts
            | Operation::GetSuggestedReports
            | Operation::ListArtifacts
            | Operation::GetNotes
            | Operation::GetLastConversation
            | Operation::GetTurns
            | Operation::GetSourceGuide
            | Operation::Summarize
    )
}
