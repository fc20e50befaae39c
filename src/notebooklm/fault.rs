//! What an outcome means for whoever asked, in the words that clients see.

use super::chat::Ended;
use super::ids::Operation;
use super::reply::{Outcome, Refusal, Rejected};
use crate::error::NotebookFault;

/// Returns what an outcome means for who asked for an operation; nothing when all went well.
///
/// Where the product answers nothing at all to an operation that has nothing to answer, that is success.
#[must_use]
pub fn fault_of(outcome: &Outcome, operation: Operation) -> Option<NotebookFault> {
    match outcome {
        Outcome::Result(_) => None,
        Outcome::Empty => (!may_be_empty(operation)).then_some(NotebookFault::ParseError),
        Outcome::Rejected(rejection) => {
            // Recorded: the notebook is gone from the list all the same.
            let usual = operation == Operation::RemoveRecentlyViewed && rejection.kind == Rejected::Internal;
            (!usual).then(|| fault_of_status(rejection.kind, operation))
        }
        Outcome::Refused(refusal) => Some(match refusal {
            Refusal::StaleToken => NotebookFault::SessionExpired,
            Refusal::Unauthenticated => NotebookFault::AuthRequired,
            Refusal::Forbidden => NotebookFault::AuthRequired,
            Refusal::RateLimited { .. } => NotebookFault::RateLimited,
            Refusal::NotFound => NotebookFault::ParseError,
            Refusal::BadRequest => NotebookFault::ParseError,
            Refusal::Redirected => NotebookFault::AuthRequired,
            Refusal::Server { .. } | Refusal::Other { .. } => NotebookFault::NetworkError,
        }),
        Outcome::Drifted { .. } | Outcome::Unreadable(_) | Outcome::Silent => Some(NotebookFault::ParseError),
        // A page instead of an answer is a sign-in page or a gate; which of them, its address tells.
        Outcome::Interstitial => Some(NotebookFault::AuthRequired),
        Outcome::Cut => Some(NotebookFault::NetworkError),
    }
}

/// Returns what the end of a stream means for who asked a question; nothing when it was answered.
#[must_use]
pub fn fault_of_end(ended: &Ended) -> Option<NotebookFault> {
    match ended {
        Ended::Answered(_) => None,
        Ended::Unfinished(_) => Some(NotebookFault::Timeout),
        // What is refused as a question is refused as the reading of a conversation is.
        Ended::Rejected(rejection) => Some(fault_of_status(rejection.kind, Operation::GetTurns)),
        Ended::Exhausted => Some(NotebookFault::RateLimited),
        Ended::Interstitial => Some(NotebookFault::AuthRequired),
        Ended::Drifted(_) | Ended::Unreadable(_) => Some(NotebookFault::ParseError),
    }
}

/// Returns what a status means for who asked for an operation.
const fn fault_of_status(status: Rejected, operation: Operation) -> NotebookFault {
    let adds = matches!(operation, Operation::AddSource | Operation::AddSourcesAsync | Operation::AddSourceFile);
    let creates = matches!(operation, Operation::CreateNotebook);
    match status {
        Rejected::InvalidArgument | Rejected::PermissionDenied if creates => NotebookFault::LimitReached,
        Rejected::InvalidArgument if adds => NotebookFault::UnsupportedUrl,
        Rejected::FailedPrecondition if adds => NotebookFault::ProcessingFailed,
        // Of an account other than the one that is asked as, a notebook is told as forbidden.
        Rejected::NotFound | Rejected::PermissionDenied => NotebookFault::NotFound,
        Rejected::ResourceExhausted => NotebookFault::RateLimited,
        Rejected::Unauthenticated => NotebookFault::AuthRequired,
        Rejected::DeadlineExceeded => NotebookFault::Timeout,
        Rejected::Internal | Rejected::Unavailable => NotebookFault::NetworkError,
        Rejected::Unimplemented => NotebookFault::ParseError,
        Rejected::InvalidArgument | Rejected::FailedPrecondition | Rejected::Other => NotebookFault::Refused,
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
