//! Marks: empty files of our own, so that the watcher says when it has told of all that came before.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use super::{NEW_PREFIX, Workspace, disk};
use crate::error::Result;

/// Goes on behind [`NEW_PREFIX`], so that what a dead process left is removed like any file that was being written.
const MARK: &str = "mark-";

/// A mark that stands in the folder; dropping it takes it away.
#[derive(Debug)]
pub struct Mark {
    path: PathBuf,
}

impl Drop for Mark {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, "a mark could not be taken away; the next start does it");
        }
    }
}

impl Workspace {
    /// Puts a mark into the folder of the mirrored files; the watcher sees it as [`Seen::Mark`](super::Seen::Mark).
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn put_mark(&self, number: u64) -> Result<Mark> {
        let path = self.layout.items_folder().join(format!("{NEW_PREFIX}{MARK}{number}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => Ok(Mark { path }),
            Err(source) => Err(disk(&path, "written", source)),
        }
    }
}

/// Returns the number of the mark at `path`; `None` when there is another file.
pub(super) fn number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix(NEW_PREFIX)?.strip_prefix(MARK)?.parse().ok()
}
