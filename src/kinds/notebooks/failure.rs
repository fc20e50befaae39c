//! From what came of a request to the error of whoever asked. Nothing that a person wrote stands in any. Pure.

use std::time::Duration;

use crate::error::{Error, NotebookFault};
use crate::notebooklm::bootstrap::Landing;
use crate::notebooklm::chat::Ended;
use crate::notebooklm::ids::Operation;
use crate::notebooklm::reply::{Outcome, Refusal};
use crate::notebooklm::slot::Drift;

/// Returns an error of which no more is known.
pub(super) fn failed(fault: NotebookFault, message: impl Into<String>) -> Error {
    Error::Notebook { fault, message: message.into(), retry_after: None, outcome_unknown: false }
}

/// Returns the error of what came of something that was asked and did not go well, which means `fault`. What only reads leaves
/// nothing in doubt.
pub(super) fn of_outcome(outcome: &Outcome, (asked, reads): (&str, bool), fault: NotebookFault) -> Error {
    let retry_after =
        if let Outcome::Refused(Refusal::RateLimited { retry_after_s }) = outcome { *retry_after_s } else { None };
    let retry_after = retry_after.map(Duration::from_secs);
    let outcome_unknown = !reads && may_be_done(outcome);
    Error::Notebook { fault, message: format!("{asked}: {}", told(outcome)), retry_after, outcome_unknown }
}

/// Returns the error of an answer in another shape; what was asked for was done.
pub(super) fn of_drift(drift: &Drift, operation: Operation) -> Error {
    Error::Notebook {
        fault: NotebookFault::ParseError,
        message: format!("{operation}: {drift}"),
        retry_after: None,
        outcome_unknown: !operation.is_read(),
    }
}

/// Returns the error of the end of a stream that was no answer, which means `fault`.
pub(super) fn of_end(ended: &Ended, fault: NotebookFault) -> Error {
    let message = match ended {
        Ended::Answered(_) => "the question was answered".to_owned(),
        Ended::Unfinished(_) => "the answer did not come to its end".to_owned(),
        Ended::Rejected(rejection) => format!("the question was refused with the status {}", rejection.code),
        Ended::Exhausted => "no more questions are answered for now".to_owned(),
        Ended::Interstitial => "a page came instead of an answer".to_owned(),
        Ended::Drifted(drift) => drift.to_string(),
        Ended::Unreadable(why) => format!("the answer cannot be read: {why}"),
    };
    // What was asked counts, and may be answered, though nobody heard it.
    let outcome_unknown = matches!(ended, Ended::Unfinished(_) | Ended::Drifted(_) | Ended::Unreadable(_));
    Error::Notebook { fault, message, retry_after: None, outcome_unknown }
}

/// Returns the error of who opened the page and landed elsewhere.
pub(super) fn of_landing(landing: Landing) -> Error {
    match landing {
        Landing::App => failed(NotebookFault::ParseError, "the page of NotebookLM has another shape than it had"),
        Landing::SignIn => failed(NotebookFault::AuthRequired, "nobody is signed in to NotebookLM"),
        Landing::CookieMismatch => {
            failed(NotebookFault::AuthRequired, "Google says that the cookies of the browser do not fit together")
        }
        Landing::RegionGate => failed(
            NotebookFault::NetworkError,
            "NotebookLM sends this browser to the page for those whom it does not serve: by country, network or browser",
        ),
        Landing::Other => failed(NotebookFault::NetworkError, "the page of NotebookLM led to another place"),
    }
}

/// Says of an error of what only reads that it does not matter whether it was done.
pub(super) fn harmless(error: Error) -> Error {
    let Error::Notebook { fault, message, retry_after, .. } = error else { return error };
    Error::Notebook { fault, message, retry_after, outcome_unknown: false }
}

/// Tells whether something may have been done of which this came.
const fn may_be_done(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Result(_) | Outcome::Empty | Outcome::Drifted { .. } => true,
        Outcome::Silent | Outcome::Cut | Outcome::Unreadable(_) => true,
        Outcome::Refused(Refusal::Server { .. } | Refusal::Other { .. }) => true,
        // A page comes from whoever stands before the product.
        Outcome::Rejected(_) | Outcome::Refused(_) | Outcome::Interstitial => false,
    }
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result(_) => "an answer came".to_owned(),
        Outcome::Empty => "expected an answer, found none".to_owned(),
        Outcome::Rejected(rejection) => format!("refused with the status {}", rejection.code),
        Outcome::Refused(refusal) => match refusal {
            Refusal::StaleToken => "the token of the page is too old".to_owned(),
            Refusal::BadRequest => "expected an answer, found that the request was not understood".to_owned(),
            Refusal::Unauthenticated | Refusal::Forbidden | Refusal::Redirected => {
                "nobody is signed in to NotebookLM".to_owned()
            }
            Refusal::NotFound => "expected an answer, found nothing at its address".to_owned(),
            Refusal::RateLimited { .. } => "too much was asked for".to_owned(),
            Refusal::Server { status } => format!("NotebookLM is out of order (HTTP {status})"),
            Refusal::Other { status } => format!("expected an answer, found HTTP {status}"),
        },
        Outcome::Drifted { asked, seen } => format!("expected an answer to `{asked}`, found {}", seen.join(", ")),
        Outcome::Interstitial => "expected an answer, found a page".to_owned(),
        Outcome::Silent => "expected an answer, found frames without one".to_owned(),
        Outcome::Cut => "the answer ends in its midst".to_owned(),
        Outcome::Unreadable(why) => format!("the answer cannot be read: {why}"),
    }
}
