//! Which state of which database the files were written by last: a small file beside them.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{NEW_PREFIX, Workspace, disk};
use crate::error::Result;
use crate::model::{ContentHash, Epoch};

/// Begins the name of the file; what follows stands for the machine and the database there, for a folder that several machines
/// have has one of each.
const PREFIX: &str = ".epoch-";

/// How long such a file is: always the same, so that one write changes all of it.
const BYTES: usize = 128;

/// What stands for no boot.
const NO_BOOT: &str = "-";

/// What was noted of a database last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watermark {
    /// Its epoch.
    pub epoch: Epoch,
    /// The newest one of which it is certain that the disk has it.
    pub durable: u64,
    /// In which run of the machine; see [`crate::store::boot`].
    pub boot: Option<String>,
}

impl Watermark {
    /// Tells whether a database in the epoch `known` is older than the one that was noted, or another one. What was not on the
    /// disk yet may be gone in another run of the machine, which is nobody's doing.
    #[must_use]
    pub fn is_newer(&self, known: &Epoch, boot: Option<&str>) -> bool {
        let is_same_run = self.boot.is_some() && self.boot.as_deref() == boot;
        let number = if is_same_run { self.epoch.number } else { self.durable };
        known.is_older(&Epoch { number, ..self.epoch.clone() })
    }

    fn line(&self) -> String {
        let Self { epoch: Epoch { database, number }, durable, boot } = self;
        let line = format!("{database} {number} {durable} {}", boot.as_deref().unwrap_or(NO_BOOT));
        format!("{line:<width$}\n", width = BYTES - 1)
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (database, number, durable, boot) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let epoch = Epoch { database: database.to_owned(), number: number.parse().ok()? };
        let boot = Some(boot.to_owned()).filter(|boot| boot != NO_BOOT);
        Some(Self { epoch, durable: durable.parse().ok()?, boot }).filter(|_| words.next().is_none())
    }
}

/// What stands where the epochs of a database are noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noted {
    /// Nothing.
    Nothing,
    /// Something that nobody can read.
    Unreadable,
    /// This.
    Watermark(Watermark),
}

/// Where the epochs of one database are noted.
#[derive(Debug)]
pub struct EpochFile {
    path: PathBuf,
    /// A folder of the same disk, in which unfinished files are taken away.
    drive: PathBuf,
    open: Mutex<Option<File>>,
}

impl Workspace {
    /// Returns where the epochs of the database at `database` are noted.
    #[must_use]
    pub fn epoch_file(&self, database: &Path) -> EpochFile {
        let mut whose = rustix::system::uname().nodename().to_bytes().to_vec();
        whose.push(0);
        whose.extend(database.as_os_str().as_bytes());
        let ContentHash(hash) = ContentHash::of(&whose);
        let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        EpochFile {
            path: self.layout.account_folder().join(format!("{PREFIX}{name}")),
            drive: self.layout.items_folder(),
            open: Mutex::default(),
        }
    }
}

impl EpochFile {
    /// Where it stands.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name, by which a database knows that it was noted there.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns what was noted last.
    #[must_use]
    pub fn noted(&self) -> Noted {
        let mut text = String::new();
        let read = File::open(&self.path).and_then(|file| file.take(BYTES as u64 + 1).read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Noted::Nothing,
            Err(_) => Noted::Unreadable,
            Ok(_) => Watermark::read(&text).map_or(Noted::Unreadable, Noted::Watermark),
        }
    }

    /// Notes what is so now; a power cut may take that away again.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; then what stood there stands there.
    pub fn note(&self, mark: &Watermark) -> Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.as_ref() {
            Some(file) => file.write_all_at(mark.line().as_bytes(), 0).map_err(|source| self.failed(source)),
            None => self.begin(&mut open, mark),
        }
    }

    /// Notes what is so now; on return it is on the disk, where it belongs.
    ///
    /// # Errors
    ///
    /// As [`Self::note`].
    pub fn note_durably(&self, mark: &Watermark) -> Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let stands = std::fs::symlink_metadata(&self.path).map(identity).ok();
        match open.as_ref().filter(|file| file.metadata().map(identity).ok() == stands && stands.is_some()) {
            Some(file) => file
                .write_all_at(mark.line().as_bytes(), 0)
                .and_then(|()| file.set_len(BYTES as u64))
                .and_then(|()| file.sync_all())
                .map_err(|source| self.failed(source)),
            // Somebody took it away.
            None => self.begin(&mut open, mark),
        }
    }

    fn begin(&self, open: &mut Option<File>, mark: &Watermark) -> Result<()> {
        let written = || {
            let mut file = tempfile::Builder::new().prefix(NEW_PREFIX).tempfile_in(&self.drive)?;
            file.write_all(mark.line().as_bytes())?;
            file.rewind()?;
            file.as_file().sync_all()?;
            let file = file.persist(&self.path).map_err(|error| error.error)?;
            File::open(self.path.parent().unwrap_or(&self.drive))?.sync_all()?;
            Ok(file)
        };
        *open = Some(written().map_err(|source| self.failed(source))?);
        Ok(())
    }

    fn failed(&self, source: io::Error) -> crate::error::Error {
        disk(&self.path, "written", source)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail, and says what it saw")]

    use super::*;
    use crate::model::{Account, Feed};

    fn epoch(number: u64) -> Epoch {
        Epoch { database: "abc".into(), number }
    }

    fn mark(number: u64, durable: u64, boot: Option<&str>) -> Watermark {
        Watermark { epoch: epoch(number), durable, boot: boot.map(str::to_owned) }
    }

    #[test]
    fn each_database_has_a_mark_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let workspace =
            Workspace::open(&folder.path().join("workspace"), &Account("me@example.com".into()), Feed::Drive).unwrap();
        let [one, two] = ["/state/one.db", "/state/two.db"].map(|path| workspace.epoch_file(Path::new(path)));
        assert_eq!(one.noted(), Noted::Nothing);
        one.note(&mark(1, 1, None)).unwrap();
        one.note(&mark(u64::MAX, 1, Some("run"))).unwrap();
        assert_eq!((one.noted(), two.noted()), (Noted::Watermark(mark(u64::MAX, 1, Some("run"))), Noted::Nothing));
        // Taken away, emptied, or made something else, it comes again with what is on the disk.
        for spoil in
            [|path: &Path| std::fs::remove_file(path).unwrap(), |path: &Path| std::fs::write(path, "").unwrap()]
        {
            spoil(one.path());
            one.note_durably(&mark(7, 6, None)).unwrap();
            assert_eq!(one.noted(), Noted::Watermark(mark(7, 6, None)));
            assert_eq!(std::fs::metadata(one.path()).unwrap().len(), BYTES as u64);
        }
        // What nobody can read is not nothing.
        for text in ["", "abc", "abc 1 2", "abc x 1 -\n", "abc 1 99999999999999999999999 -\n", "\u{0}"] {
            std::fs::write(one.path(), text).unwrap();
            assert_eq!(one.noted(), Noted::Unreadable, "{text:?}");
        }
        std::fs::remove_file(one.path()).unwrap();
        std::fs::create_dir(one.path()).unwrap();
        assert_eq!(one.noted(), Noted::Unreadable);
        assert_eq!(std::fs::read_dir(workspace.layout().items_folder()).unwrap().count(), 0, "nothing is left there");
    }

    #[test]
    fn what_a_power_cut_may_take_is_missed_in_the_same_run_alone() {
        let noted = mark(9, 5, Some("run"));
        for (number, boot, is_newer) in [
            (9, Some("run"), false),
            (8, Some("run"), true),
            (10, Some("run"), false),
            (5, Some("next"), false),
            (4, Some("next"), true),
            (5, None, false),
        ] {
            assert_eq!(noted.is_newer(&epoch(number), boot), is_newer, "{number} {boot:?}");
        }
        assert!(noted.is_newer(&Epoch { database: "other".into(), number: 99 }, Some("run")));
        assert!(!mark(9, 5, None).is_newer(&epoch(5), None), "where no run has a name, none is the same");
    }
}
