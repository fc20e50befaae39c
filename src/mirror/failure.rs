//! What the engine must know of an error, and the way back for who asked.

use std::error::Error as _;

use crate::error::{Error, ErrorKind, NotebookFault};
use crate::model::Account;
use crate::sync::{Failure, FailureClass};

/// Tells the engine what kind of answer an error needs.
pub(super) fn failure(error: &Error) -> Failure {
    let (class, retry_after) = match error {
        Error::RateLimited { retry_after } => (FailureClass::Transient, *retry_after),
        // A full disk or a locked database heals without anybody touching the file, so it is tried again too.
        Error::Network { .. }
        | Error::StaleRevision { .. }
        | Error::Storage { .. }
        | Error::Damaged { .. }
        | Error::Disk { .. } => (FailureClass::Transient, None),
        Error::NotFound { .. } | Error::Trashed { .. } => (FailureClass::Gone, None),
        Error::AuthExpired { .. } => (FailureClass::SignedOut, None),
        Error::Notebook { fault, retry_after, .. } => (class_of(*fault), *retry_after),
        Error::PermissionDenied { .. }
        | Error::AnchorNotFound { .. }
        | Error::TabNotFound { .. }
        | Error::ReadOnly { .. }
        | Error::MirrorOnly { .. }
        | Error::InvalidInput { .. }
        | Error::Told { .. }
        | Error::Refused { .. }
        | Error::PlanRejected { .. }
        | Error::ExtractionFailed { .. }
        | Error::AlreadyRunning { .. }
        | Error::NotRunning { .. }
        | Error::Unsafe { .. } => (FailureClass::Permanent, None),
    };
    Failure {
        class,
        retry_after_ms: retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        message: chain(error),
        kind: word(error.kind()).into(),
        suggestion: error.suggestion(),
    }
}

/// Tells what kind of answer needs what came to nothing with a notebook.
const fn class_of(fault: NotebookFault) -> FailureClass {
    match fault {
        NotebookFault::NotFound => FailureClass::Gone,
        NotebookFault::AuthRequired | NotebookFault::SessionExpired => FailureClass::SignedOut,
        NotebookFault::RateLimited | NotebookFault::NetworkError | NotebookFault::Timeout => FailureClass::Transient,
        NotebookFault::ParseError
        | NotebookFault::ProcessingFailed
        | NotebookFault::InvalidUrl
        | NotebookFault::UnsupportedUrl
        | NotebookFault::ContentTooLarge
        | NotebookFault::QuestionTooLong
        | NotebookFault::NoSources
        | NotebookFault::LimitReached
        | NotebookFault::Refused
        | NotebookFault::BrowserLaunchFailed => FailureClass::Permanent,
    }
}

/// Turns a failure that ended a walk into the error of who asked for it.
pub(super) fn error_of(failure: Failure, id: &str, account: &Account) -> Error {
    let Failure { message, kind, suggestion, .. } = failure;
    let id = id.to_owned();
    match kind.as_str() {
        "auth_expired" => Error::AuthExpired { account: account.0.clone() },
        "permission_denied" => Error::PermissionDenied { id, message },
        "not_found" => {
            let trashed = Error::Trashed { id: id.clone() };
            if message == trashed.to_string() { trashed } else { Error::NotFound { id } }
        }
        "rate_limited" => Error::RateLimited { retry_after: None },
        "network_error" => {
            let (doing, source) = message.split_once(" failed: ").unwrap_or((&message, "no answer"));
            Error::Network { doing: doing.into(), outcome_unknown: false, source: source.into() }
        }
        "read_only" => Error::ReadOnly { id, reason: message },
        "refused" => Error::Refused { message },
        "extraction_failed" => Error::ExtractionFailed { id, source: message.into() },
        "storage_error" => Error::Told { kind: ErrorKind::StorageError, message, suggestion },
        _ => Error::InvalidInput { what: message, suggestion },
    }
}

/// Returns the error's word for clients.
const fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AuthExpired => "auth_expired",
        ErrorKind::PermissionDenied => "permission_denied",
        ErrorKind::NotFound => "not_found",
        ErrorKind::RateLimited => "rate_limited",
        ErrorKind::NetworkError => "network_error",
        ErrorKind::StaleRevision => "stale_revision",
        ErrorKind::ReadOnly => "read_only",
        ErrorKind::InvalidInput => "invalid_input",
        ErrorKind::Refused => "refused",
        ErrorKind::ExtractionFailed => "extraction_failed",
        ErrorKind::StorageError => "storage_error",
        ErrorKind::Daemon => "daemon",
    }
}

/// Returns an error's sentence and those of its sources.
fn chain(error: &Error) -> String {
    const SOURCES_MAX: usize = 8;
    let mut text = error.to_string();
    let mut source = error.source();
    for _ in 0..SOURCES_MAX {
        let Some(inner) = source else { break };
        let words = inner.to_string();
        // Many errors repeat their source's words in their own.
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        source = inner.source();
    }
    text
}

/// Says of an act that failed on its way that nothing does it again, unlike what is to be read or pushed; and of one whose answer was
/// lost that it may have been done.
pub(super) fn once(error: Error, act: &str) -> Error {
    let Error::Network { outcome_unknown, .. } = error else { return error };
    let (kind, message) = (error.kind(), error.with_causes());
    match outcome_unknown {
        true => Error::Told {
            kind,
            message: format!("{message}; nobody knows whether Google did it all the same"),
            suggestion: format!("See in a minute whether it is done, and {act} again if it is not."),
        },
        false => Error::Told {
            kind,
            message,
            suggestion: format!("Check the connection, and {act} again: nothing does it by itself."),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_clients_see() {
        for kind in [ErrorKind::AuthExpired, ErrorKind::NetworkError, ErrorKind::StorageError, ErrorKind::Daemon] {
            assert_eq!(serde_json::to_value(kind).unwrap(), word(kind));
        }
    }

    #[test]
    fn there_and_back() {
        let account = Account("ana@example.com".into());
        let error = Error::Network { doing: "reading x".into(), outcome_unknown: false, source: "refused".into() };
        let failure = failure(&error);
        assert_eq!(failure.class, FailureClass::Transient);
        assert_eq!(failure.message, "reading x failed: refused");
        let back = error_of(failure, "x", &account);
        assert_eq!(back.to_string(), error.to_string());
        assert_eq!(back.kind(), error.kind());
        for error in [Error::Trashed { id: "x".into() }, Error::NotFound { id: "x".into() }] {
            let back = error_of(super::failure(&error), "x", &account);
            assert_eq!((back.to_string(), back.suggestion()), (error.to_string(), error.suggestion()));
        }
    }
}
