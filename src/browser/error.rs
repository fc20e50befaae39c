//! What can go wrong with a browser, and what to do about it.
//!
//! No error holds a URL, a header, a cookie or anything that a page said: those are a person's.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong here. The text of each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no Chromium on this machine.
    #[error(
        "no Chromium was found among {looked} places: install Chromium, Google Chrome or Microsoft Edge, or name the program \
         in the config or in {variable}"
    )]
    NotFound {
        /// How many places were looked at.
        looked: usize,
        /// The variable of the environment that may name the program.
        variable: &'static str,
    },
    /// An argument cannot be used.
    #[error("{what}: {suggestion}")]
    InvalidInput {
        /// What is wrong with it.
        what: String,
        /// What to do instead.
        suggestion: &'static str,
    },
    /// A folder or a browser is not safe to use.
    #[error(
        "{place} is not safe to use, since {reason}: look at what stands there, and move it away if it is not yours"
    )]
    Unsafe {
        /// The path of a folder, or an address of this machine.
        place: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Another process has the profile.
    #[error("the browser profile {} is in use by {by}: close that first, or wait until it is done", path.display())]
    InUse {
        /// The profile's folder.
        path: PathBuf,
        /// Who has it.
        by: &'static str,
    },
    /// The file system failed.
    #[error("{} could not be {doing}: check its permissions and the free space of its disk", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// What was being done, as a participle: "read", "written".
        doing: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The browser did not start.
    #[error("the browser {} did not start: {reason}", program.display())]
    Launch {
        /// The program.
        program: PathBuf,
        /// Why, and what to do.
        reason: &'static str,
        /// What the system said, when it said something.
        #[source]
        source: Option<io::Error>,
    },
    /// The browser ended, or the connection to it did.
    #[error("the browser ended while {doing}: try again, it is started anew")]
    Ended {
        /// What was being done.
        doing: &'static str,
        /// True when a request may have been carried out all the same.
        outcome_unknown: bool,
    },
    /// The page crashed, was closed, or went elsewhere.
    #[error("the page was lost while {doing}: try again, it is opened anew")]
    PageLost {
        /// What was being done.
        doing: &'static str,
        /// True when a request may have been carried out all the same.
        outcome_unknown: bool,
    },
    /// The time was over.
    #[error("{doing} took longer than {} s: check the connection, or allow more time", after.as_secs_f32())]
    TimedOut {
        /// What was being done.
        doing: &'static str,
        /// The time that was given.
        after: Duration,
        /// True when a request may have been carried out all the same.
        outcome_unknown: bool,
    },
    /// The browser could not get an answer.
    #[error("{doing} failed in the browser ({code}): check the connection")]
    Network {
        /// What was being done.
        doing: &'static str,
        /// Chromium's word for it, such as `ERR_NAME_NOT_RESOLVED`.
        code: String,
        /// True when the request may have been carried out all the same.
        outcome_unknown: bool,
    },
    /// An answer is larger than the caller allowed. The request was carried out.
    #[error("the answer is larger than {limit_bytes} bytes: ask for less, or allow more")]
    TooLarge {
        /// The limit.
        limit_bytes: usize,
    },
    /// A script threw, or gave what is not JSON.
    #[error("a script failed in the page ({class}): the page is another than expected, so report this as a bug")]
    Script {
        /// The class of what was thrown, such as `TypeError`; never its message, which may quote the page.
        class: String,
    },
    /// The browser refused a command.
    #[error("the browser refused {method} ({code}): it may be too old, so update it")]
    Protocol {
        /// The command.
        method: &'static str,
        /// The number of the protocol for why.
        code: i64,
    },
}

impl Error {
    /// Tells whether a request may have been carried out though nobody saw its answer.
    #[must_use]
    pub const fn outcome_unknown(&self) -> bool {
        match self {
            Self::Ended { outcome_unknown, .. }
            | Self::PageLost { outcome_unknown, .. }
            | Self::TimedOut { outcome_unknown, .. }
            | Self::Network { outcome_unknown, .. } => *outcome_unknown,
            // The server has answered, but what it answered is not known.
            Self::TooLarge { .. } => true,
            Self::NotFound { .. }
            | Self::InvalidInput { .. }
            | Self::Unsafe { .. }
            | Self::InUse { .. }
            | Self::Disk { .. }
            | Self::Launch { .. }
            | Self::Script { .. }
            | Self::Protocol { .. } => false,
        }
    }

    /// Tells whether the same may succeed later with nothing changed by the person.
    #[must_use]
    pub const fn retryable(&self) -> bool {
        match self {
            Self::InUse { .. }
            | Self::Ended { .. }
            | Self::PageLost { .. }
            | Self::TimedOut { .. }
            | Self::Network { .. } => true,
            Self::NotFound { .. }
            | Self::InvalidInput { .. }
            | Self::Unsafe { .. }
            | Self::Disk { .. }
            | Self::Launch { .. }
            | Self::TooLarge { .. }
            | Self::Script { .. }
            | Self::Protocol { .. } => false,
        }
    }

    /// Says of an error of a command what was being done with it.
    pub(super) fn during(self, now: &'static str) -> Self {
        self.with(Some(now), None)
    }

    /// Says of what changes nothing that it does not matter whether it was carried out.
    pub(super) fn harmless(self) -> Self {
        self.with(None, Some(false))
    }

    /// Says that a request may have been carried out.
    pub(super) fn in_doubt(self) -> Self {
        self.with(None, Some(true))
    }

    fn with(self, now: Option<&'static str>, unknown: Option<bool>) -> Self {
        match self {
            Self::Ended { doing, outcome_unknown } => {
                Self::Ended { doing: now.unwrap_or(doing), outcome_unknown: unknown.unwrap_or(outcome_unknown) }
            }
            Self::PageLost { doing, outcome_unknown } => {
                Self::PageLost { doing: now.unwrap_or(doing), outcome_unknown: unknown.unwrap_or(outcome_unknown) }
            }
            Self::TimedOut { doing, after, outcome_unknown } => Self::TimedOut {
                doing: now.unwrap_or(doing),
                after,
                outcome_unknown: unknown.unwrap_or(outcome_unknown),
            },
            Self::Network { doing, code, outcome_unknown } => {
                Self::Network { doing: now.unwrap_or(doing), code, outcome_unknown: unknown.unwrap_or(outcome_unknown) }
            }
            other @ (Self::NotFound { .. }
            | Self::InvalidInput { .. }
            | Self::Unsafe { .. }
            | Self::InUse { .. }
            | Self::Disk { .. }
            | Self::Launch { .. }
            | Self::TooLarge { .. }
            | Self::Script { .. }
            | Self::Protocol { .. }) => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_being_done_is_said_of_those_that_ask_for_it() {
        let ended = Error::Ended { doing: "a", outcome_unknown: true }.during("fetching");
        assert_eq!(ended.to_string(), "the browser ended while fetching: try again, it is started anew");
        assert!(ended.outcome_unknown() && ended.retryable() && !ended.harmless().outcome_unknown());
        let same = Error::Protocol { method: "A.b", code: -1 }.during("fetching").in_doubt();
        assert!(!same.outcome_unknown() && !same.retryable());
    }
}
