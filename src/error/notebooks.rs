//! Why something came to nothing that was asked of a notebook, in the words of the tools that are about notebooks.

use std::fmt;

use super::ErrorKind;

/// Why something came to nothing that was asked of a notebook. The words are those of the tool set that the tools keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotebookFault {
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
    /// There is no browser, or it cannot be used.
    BrowserLaunchFailed,
}

impl NotebookFault {
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
            Self::BrowserLaunchFailed => "BROWSER_LAUNCH_FAILED",
        }
    }

    /// Tells whether the same request may succeed later with nothing changed by the person.
    #[must_use]
    pub const fn retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::NetworkError | Self::Timeout)
    }

    /// Returns the word that clients of other tools see.
    #[must_use]
    pub const fn kind(self) -> ErrorKind {
        match self {
            Self::NotFound => ErrorKind::NotFound,
            Self::AuthRequired | Self::SessionExpired => ErrorKind::AuthExpired,
            Self::RateLimited => ErrorKind::RateLimited,
            Self::ParseError => ErrorKind::ExtractionFailed,
            Self::InvalidUrl
            | Self::UnsupportedUrl
            | Self::ContentTooLarge
            | Self::QuestionTooLong
            | Self::NoSources
            | Self::BrowserLaunchFailed => ErrorKind::InvalidInput,
            Self::ProcessingFailed | Self::LimitReached | Self::Refused => ErrorKind::Refused,
            Self::NetworkError | Self::Timeout => ErrorKind::NetworkError,
        }
    }

    /// Returns one sentence that says what to do.
    #[must_use]
    pub const fn suggestion(self) -> &'static str {
        match self {
            Self::NotFound => {
                "List the notebooks to see their ids; one of another account of the same browser is hidden from this one."
            }
            Self::AuthRequired | Self::SessionExpired => "Sign in with `mcp-workspace notebooks login`.",
            Self::RateLimited => "Wait and try again; NotebookLM counts questions by the hour, the day and the week.",
            Self::ParseError => {
                "NotebookLM answers in another way than it did: update this program, and report it if that does not help."
            }
            Self::ProcessingFailed => "Look at the source in NotebookLM: it could not be read there.",
            Self::InvalidUrl => "Give an address that begins with https:// or http://.",
            Self::UnsupportedUrl => "Give the address of a page that everybody can read, or its text.",
            Self::ContentTooLarge => "Split the text, and add each part as a source of its own.",
            Self::QuestionTooLong => "Ask a shorter question, or several.",
            Self::NoSources => "Add a source, or wait until NotebookLM has read those that are there.",
            Self::LimitReached => "Delete what is not needed any more in NotebookLM, or use another account.",
            Self::Refused => "Try the same on the page of NotebookLM, which says more.",
            Self::NetworkError => "Check the connection, and whether NotebookLM opens in a browser.",
            Self::Timeout => "Try again, or allow more time; look first whether it was done all the same.",
            Self::BrowserLaunchFailed => {
                "NotebookLM is asked in a browser of this machine; put that right, and ask again."
            }
        }
    }
}

impl fmt::Display for NotebookFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}
