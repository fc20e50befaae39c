//! Which state of which database the files were written by last: a small file beside them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{NEW_PREFIX, Workspace, disk};
use crate::error::Result;
use crate::model::{ContentHash, Epoch};

/// Begins the name of the file; what follows stands for the machine and the database there, for a folder that several machines
/// have has one of each.
const PREFIX: &str = ".epoch-";

/// The most that such a file holds.
const BYTES_MAX: u64 = 128;

impl Workspace {
    /// Returns the last epoch of the database at `database` that was noted here; `None` when none was, or nobody can read it.
    #[must_use]
    pub fn epoch(&self, database: &Path) -> Option<Epoch> {
        let mut text = String::new();
        let file = File::open(self.epoch_path(database)).ok()?;
        file.take(BYTES_MAX).read_to_string(&mut text).ok()?;
        let (database, number) = text.trim_end().split_once(' ')?;
        Some(Epoch { database: database.to_owned(), number: number.parse().ok()? })
    }

    /// Notes an epoch of the database at `database`; on return it is on the disk.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; then what stood there stands there.
    pub fn note_epoch(&self, database: &Path, epoch: &Epoch) -> Result<()> {
        let path = self.epoch_path(database);
        let written = || {
            let mut file = tempfile::Builder::new().prefix(NEW_PREFIX).tempfile_in(self.layout.drive_folder())?;
            writeln!(file, "{} {}", epoch.database, epoch.number)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            File::open(self.layout.account_folder())?.sync_all()
        };
        written().map_err(|source| disk(&path, "written", source))
    }

    fn epoch_path(&self, database: &Path) -> PathBuf {
        let mut whose = rustix::system::uname().nodename().to_bytes().to_vec();
        whose.push(0);
        whose.extend(database.as_os_str().as_bytes());
        let ContentHash(hash) = ContentHash::of(&whose);
        let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        self.layout.account_folder().join(format!("{PREFIX}{name}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail, and says what it saw")]

    use super::*;
    use crate::model::Account;

    #[test]
    fn each_database_has_an_epoch_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(&folder.path().join("workspace"), &Account("me@example.com".into())).unwrap();
        let [one, two] = ["/state/one.db", "/state/two.db"].map(Path::new);
        assert_eq!(workspace.epoch(one), None);
        let epoch = |number| Epoch { database: "abc".into(), number };
        workspace.note_epoch(one, &epoch(1)).unwrap();
        workspace.note_epoch(one, &epoch(2)).unwrap();
        assert_eq!((workspace.epoch(one), workspace.epoch(two)), (Some(epoch(2)), None));
        // What nobody can read says nothing.
        for text in ["", "abc", "abc x\n", "\u{0}"] {
            std::fs::write(workspace.epoch_path(one), text).unwrap();
            assert_eq!(workspace.epoch(one), None, "{text:?}");
        }
        assert_eq!(std::fs::read_dir(workspace.layout().drive_folder()).unwrap().count(), 0, "nothing is left there");
    }
}
