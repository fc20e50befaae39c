//! What can go wrong, whether to try again, and what to do about it.

mod notebooks;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::model::ItemId;

pub use notebooks::NotebookFault;

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The source of an error that came from outside.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// How many causes of an error are looked at: a longer chain is a bug of some library, and the first few say enough.
const CAUSES_MAX: usize = 8;

/// Everything that can go wrong, with the facts known where it did.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The account's sign-in no longer works.
    #[error("the sign-in of {account} has expired")]
    AuthExpired {
        /// The account's address.
        account: String,
    },
    /// The account may not do this.
    #[error("no permission for {id}: {message}")]
    PermissionDenied {
        /// The item or operation.
        id: String,
        /// Google's words.
        message: String,
    },
    /// There is no such item, or it is hidden from this account.
    #[error("nothing found for `{id}`")]
    NotFound {
        /// What was asked for.
        id: String,
    },
    /// The item is in the trash, where it is for nobody to edit.
    #[error("`{id}` is in the trash at Google")]
    Trashed {
        /// The item.
        id: String,
    },
    /// The document has no such section.
    #[error("`{id}` has no section `{anchor}`")]
    AnchorNotFound {
        /// The item.
        id: String,
        /// The anchor asked for.
        anchor: String,
    },
    /// The document has no such tab.
    #[error("`{id}` has no tab `{tab}`; it has {}", tabs.join(", "))]
    TabNotFound {
        /// The item.
        id: String,
        /// The tab asked for.
        tab: String,
        /// The tabs there are.
        tabs: Vec<String>,
    },
    /// Google asks to slow down.
    #[error("Google's limit is reached")]
    RateLimited {
        /// Google's wait, when it named one.
        retry_after: Option<Duration>,
    },
    /// The network or the remote failed.
    #[error("{doing} failed")]
    Network {
        /// What was being done.
        doing: String,
        /// True when the request may have been carried out all the same.
        outcome_unknown: bool,
        /// Why.
        #[source]
        source: Source,
    },
    /// The document moved on since it was read.
    #[error("`{id}` was changed meanwhile")]
    StaleRevision {
        /// The item.
        id: ItemId,
    },
    /// The item cannot be changed from here.
    #[error("`{id}` is read-only: {reason}")]
    ReadOnly {
        /// The item.
        id: String,
        /// Why.
        reason: String,
    },
    /// The account is only mirrored, so nothing is changed at Google.
    #[error("{account} is only mirrored (`mode = \"mirror\"` in the config)")]
    MirrorOnly {
        /// The account's address.
        account: String,
    },
    /// An argument or a file cannot be used.
    #[error("{what}")]
    InvalidInput {
        /// What is wrong with it.
        what: String,
        /// What to do instead.
        suggestion: String,
    },
    /// Google refused the request.
    #[error("Google refused: {message}")]
    Refused {
        /// Google's words.
        message: String,
    },
    /// A plan did not stand the check on the model and was not sent.
    #[error("the edit of `{id}` was not sent: {reason}")]
    PlanRejected {
        /// The item.
        id: ItemId,
        /// What the check found.
        reason: String,
    },
    /// An answer could not be turned into text.
    #[error("`{id}` could not be read")]
    ExtractionFailed {
        /// The item.
        id: String,
        /// Why.
        #[source]
        source: Source,
    },
    /// The database failed.
    #[error("{doing} failed in the state database")]
    Storage {
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: Source,
    },
    /// The database is damaged.
    #[error("{doing} failed: the state database is damaged")]
    Damaged {
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: Source,
    },
    /// What is known of it is this; trying the same once more does not mend it.
    #[error("{message}")]
    Told {
        /// The word for it.
        kind: ErrorKind,
        /// What went wrong.
        message: String,
        /// What to do.
        suggestion: String,
    },
    /// Something came to nothing that was asked of a notebook.
    #[error("{message}")]
    Notebook {
        /// Why.
        fault: NotebookFault,
        /// What went wrong; no word of a title, a question or a page.
        message: String,
        /// After how long one may ask again, where that was said.
        retry_after: Option<Duration>,
        /// True when the request may have been carried out all the same.
        outcome_unknown: bool,
    },
    /// The file system failed.
    #[error("{} could not be {doing}", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// What was being done, as a participle: "read", "written".
        doing: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Another daemon runs on this home.
    #[error("another daemon already serves {}", path.display())]
    AlreadyRunning {
        /// Its socket or lock.
        path: PathBuf,
    },
    /// No daemon answers.
    #[error("no daemon answers at {}", path.display())]
    NotRunning {
        /// Where its socket should be.
        path: PathBuf,
    },
    /// A path is not safe to use.
    #[error("{} is not safe to use: {reason}", path.display())]
    Unsafe {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// The word for an error that clients see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The sign-in no longer works.
    AuthExpired,
    /// Not allowed.
    PermissionDenied,
    /// No such thing.
    NotFound,
    /// Slow down.
    RateLimited,
    /// The network or the remote.
    NetworkError,
    /// The remote moved on.
    StaleRevision,
    /// Cannot be changed.
    ReadOnly,
    /// A bad argument.
    InvalidInput,
    /// The remote refused.
    Refused,
    /// An answer that could not be read.
    ExtractionFailed,
    /// The database or the disk.
    StorageError,
    /// One daemon too many, or none.
    Daemon,
}

impl Error {
    /// Returns the word that clients see.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::AuthExpired { .. } => ErrorKind::AuthExpired,
            Self::PermissionDenied { .. } => ErrorKind::PermissionDenied,
            Self::NotFound { .. } | Self::Trashed { .. } | Self::AnchorNotFound { .. } | Self::TabNotFound { .. } => {
                ErrorKind::NotFound
            }
            Self::RateLimited { .. } => ErrorKind::RateLimited,
            Self::Network { .. } => ErrorKind::NetworkError,
            Self::StaleRevision { .. } => ErrorKind::StaleRevision,
            Self::ReadOnly { .. } | Self::MirrorOnly { .. } => ErrorKind::ReadOnly,
            Self::InvalidInput { .. } | Self::Unsafe { .. } => ErrorKind::InvalidInput,
            Self::Refused { .. } | Self::PlanRejected { .. } => ErrorKind::Refused,
            Self::ExtractionFailed { .. } => ErrorKind::ExtractionFailed,
            Self::Storage { .. } | Self::Damaged { .. } | Self::Disk { .. } => ErrorKind::StorageError,
            Self::Told { kind, .. } => *kind,
            Self::Notebook { fault, .. } => fault.kind(),
            Self::AlreadyRunning { .. } | Self::NotRunning { .. } => ErrorKind::Daemon,
        }
    }

    /// Returns the message with those of its causes: `x failed: connection refused`.
    #[must_use]
    pub fn with_causes(&self) -> String {
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        for _ in 0..CAUSES_MAX {
            let Some(next) = cause else { break };
            let text = next.to_string();
            // Some libraries repeat the cause in their own sentence.
            if !message.ends_with(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = next.source();
        }
        message
    }

    /// Tells whether the same request may succeed later with nothing changed by the user.
    #[must_use]
    pub const fn retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Network { .. } | Self::StaleRevision { .. } | Self::NotRunning { .. } => {
                true
            }
            Self::Notebook { fault, .. } => fault.retryable(),
            Self::AuthExpired { .. }
            | Self::PermissionDenied { .. }
            | Self::NotFound { .. }
            | Self::Trashed { .. }
            | Self::AnchorNotFound { .. }
            | Self::TabNotFound { .. }
            | Self::ReadOnly { .. }
            | Self::MirrorOnly { .. }
            | Self::InvalidInput { .. }
            | Self::Refused { .. }
            | Self::PlanRejected { .. }
            | Self::ExtractionFailed { .. }
            | Self::Storage { .. }
            | Self::Damaged { .. }
            | Self::Told { .. }
            | Self::Disk { .. }
            | Self::AlreadyRunning { .. }
            | Self::Unsafe { .. } => false,
        }
    }

    /// Returns one sentence that says what to do.
    #[must_use]
    pub fn suggestion(&self) -> String {
        match self {
            Self::AuthExpired { account } => {
                format!("Run `mcp-workspace auth add --account {account}`; edits wait in the files until then.")
            }
            Self::PermissionDenied { .. } => "Ask the owner for access, or use an account that has it.".into(),
            Self::NotFound { .. } => {
                "Check the id or URL; if it is right, the item is not shared with this account.".into()
            }
            Self::Trashed { .. } => "Take it out of the trash in Google Drive, or in Gmail; then it is mirrored again.".into(),
            Self::AnchorNotFound { .. } => "Fetch without `section` to see the outline with its anchors.".into(),
            Self::TabNotFound { .. } => "Name one of the tabs listed, by id or title.".into(),
            Self::RateLimited { retry_after: Some(wait) } => format!("Wait {} s and try again.", wait.as_secs()),
            Self::RateLimited { retry_after: None } => "Wait a minute and try again.".into(),
            Self::Network { source, .. } | Self::Storage { source, .. } if wants_more_files(&**source) => MORE_FILES.into(),
            Self::Network { .. } => "Check the connection; the daemon keeps trying by itself.".into(),
            Self::StaleRevision { .. } => "Nothing to do: the newer text is fetched, merged and pushed again.".into(),
            Self::ReadOnly { .. } => "Ask for edit access, or make a copy of the item and edit that.".into(),
            Self::MirrorOnly { .. } => {
                "Set `mode = \"two-way\"` for it in config.toml and start the daemon anew, or change it in the browser."
                    .into()
            }
            Self::InvalidInput { suggestion, .. } | Self::Told { suggestion, .. } => suggestion.clone(),
            Self::Refused { .. } => "See `mcp-workspace status`; your text is kept in the file.".into(),
            Self::PlanRejected { .. } => {
                "Your text is kept in the file; make the edit in smaller steps, and report this as a bug.".into()
            }
            Self::ExtractionFailed { .. } => "Report this as a bug, with the kind of the document.".into(),
            Self::Storage { .. } => {
                "Check that the disk is not full, that the state folder is writable, and that the daemon may open enough \
                 files (`ulimit -n`)."
                    .into()
            }
            Self::Damaged { .. } => {
                "`mcp-workspace doctor --repair` mends an index. If that is not it, stop the daemon and start it again; and if \
                 that changes nothing, move the database (state.db, and what stands beside it) away before the start: your \
                 files are then compared with their documents anew."
                    .into()
            }
            Self::Notebook { retry_after: Some(wait), .. } => format!("Wait {} s and try again.", wait.as_secs()),
            Self::Notebook { fault, .. } => fault.suggestion().into(),
            Self::Disk { source, .. } => of_disk(source).into(),
            Self::AlreadyRunning { .. } => "Use the running daemon, or stop it first.".into(),
            Self::NotRunning { .. } => "Start it with `mcp-workspace daemon`.".into(),
            Self::Unsafe { .. } => "Look at what stands at that path and move it away if it is not yours.".into(),
        }
    }
}

const MORE_FILES: &str =
    "Let the daemon open more files (`ulimit -n`, or `LimitNOFILE=` of its service), and start it again.";

/// Tells whether what failed could not open another file; a connection is one, too.
fn wants_more_files(source: &(dyn std::error::Error + 'static)) -> bool {
    let is_it = |error: &io::Error| {
        let errno = error.raw_os_error().map(rustix::io::Errno::from_raw_os_error);
        matches!(errno, Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE))
    };
    std::iter::successors(Some(source), |error| error.source())
        .take(CAUSES_MAX)
        .any(|error| error.downcast_ref().is_some_and(is_it))
}

/// What to do about a file that the system does not give or take.
fn of_disk(source: &io::Error) -> &'static str {
    match source.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => MORE_FILES,
        Some(rustix::io::Errno::ROFS) => {
            "The disk can only be read: mount it for writing, or see whether it is failing."
        }
        Some(rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT) => "The disk is full: make room on it.",
        Some(rustix::io::Errno::NOENT) => "Nothing stands there: check the path.",
        Some(_) | None => "Check the path's permissions and the free space of its disk.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error of a library that says what the system said in its cause alone.
    #[derive(Debug, thiserror::Error)]
    #[error("no connection")]
    struct Wrapped(#[source] io::Error);

    #[track_caller]
    fn check(error: &Error, advice: &str) {
        assert!(error.suggestion().contains(advice), "{}: {}", error.with_causes(), error.suggestion());
    }

    #[test]
    fn advice_is_of_what_the_system_said() {
        let errno = |errno: rustix::io::Errno| io::Error::from_raw_os_error(errno.raw_os_error());
        let disk = |source| Error::Disk { path: "a".into(), doing: "read", source };
        let network = |source| Error::Network { doing: "asking".into(), outcome_unknown: false, source };
        check(&disk(errno(rustix::io::Errno::MFILE)), "ulimit -n");
        check(&disk(errno(rustix::io::Errno::NOSPC)), "make room");
        check(&disk(errno(rustix::io::Errno::ACCESS)), "permissions");
        check(&network(Box::new(Wrapped(errno(rustix::io::Errno::MFILE)))), "ulimit -n");
        check(&network(Box::new(Wrapped(errno(rustix::io::Errno::CONNREFUSED)))), "Check the connection");
        check(&Error::Storage { doing: "starting", source: Box::new(errno(rustix::io::Errno::NFILE)) }, "ulimit -n");
        check(&Error::Storage { doing: "reading", source: "unable to open database file".into() }, "ulimit -n");
    }
}
