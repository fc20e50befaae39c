//! Whose a workspace is: two daemons that write into one would take each other's files for a person's.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::own_folder;
use crate::error::{Error, Result};

/// Holds a workspace for this process, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Claim(#[expect(dead_code, reason = "it is held, not used")] Option<OwnedFd>);

impl Claim {
    /// Takes the workspace at `root`, which is made if it is missing. Nothing is written for that: the folder itself is locked. A
    /// disk that has no such locks, as some over a network, is taken without one.
    ///
    /// # Errors
    ///
    /// `AlreadyRunning` when another process has it; `Unsafe` and `Disk` as [`Workspace::open`](super::Workspace::open).
    pub fn take(root: &Path) -> Result<Self> {
        own_folder(root)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(root, flags, Mode::empty()).map_err(|errno| Error::Disk {
            path: root.into(),
            doing: "opened",
            source: errno.into(),
        })?;
        match rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self(Some(folder))),
            Err(Errno::WOULDBLOCK) => Err(Error::AlreadyRunning { path: root.into() }),
            Err(error) => {
                tracing::warn!(%error, path = %root.display(), "the workspace cannot be locked, so another daemon could use it, too");
                Ok(Self(None))
            }
        }
    }
}
