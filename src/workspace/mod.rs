//! The folder: which file belongs to which item, reading files whole, writing them atomically, watching them.
//!
//! Folders are opened step by step without following links, so nothing in the tree leads out of it.

mod beside;
mod claim;
mod contents;
mod displaced;
mod epoch;
mod images;
pub mod layout;
mod mark;
mod names;
mod observe;
mod retired;
mod sidecar;
mod standing;
#[cfg(test)]
mod tests;
mod watch;
mod writers;

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};

use crate::error::{Error, Result};
use crate::model::{Account, Feed, ItemId, Millis, PartId, Stamp};
use crate::sync::Local;
use layout::{Layout, Place};
use writers::Writers;

pub use beside::Found;
pub use claim::Claim;
pub use displaced::Swept;
pub use epoch::{EpochFile, Noted, Watermark};
pub use mark::Mark;
pub use names::Readable;
pub use sidecar::IsOurs;
pub use watch::{Links, Seen, Watch, watch};

/// Begins the name of a file that is being written; a leading dot never matches the layout.
const NEW_PREFIX: &str = ".mcpw-new-";

/// The folder at the root for files whose item is gone.
const RETIRED: &str = ".retired";

/// The folder at the root that is emptied at each start.
const TEMP: &str = "temp";

/// How many numbers are tried when a name is taken.
const NUMBERED_MAX: usize = 10_000;

/// What one feed of an account has in the workspace. Calls block; callers bring their own thread.
#[derive(Debug, Clone)]
pub struct Workspace {
    layout: Layout,
    interrupt: fn(),
    displaced: displaced::Displaced,
    links: names::ReadableLinks,
    named: standing::Named,
    /// Held by whoever changes what attachments share.
    contents: Arc<Mutex<()>>,
}

/// Why a deposit did not happen.
#[derive(Debug)]
pub enum NotDeposited {
    /// The file is not the one that was seen.
    Moved,
    /// The disk refused.
    Failed(Error),
}

impl From<Error> for NotDeposited {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Workspace {
    /// Opens the folders of an account's feed in the workspace at `root`, and makes what is missing, readable by its owner alone.
    /// Files that a dead process was writing are removed, and `temp/` is emptied.
    ///
    /// # Errors
    ///
    /// `Unsafe` when a folder is a link, belongs to someone else, or others may write to it; `Disk` as it comes.
    pub fn open(root: &Path, account: &Account, feed: Feed) -> Result<Self> {
        let layout = Layout::new(root, account, feed)?;
        for folder in [root.to_path_buf(), root.join(TEMP), root.join(RETIRED)].iter().chain(&layout.folders()) {
            own_folder(folder)?;
        }
        let workspace = Self {
            layout,
            interrupt: || (),
            displaced: displaced::Displaced::default(),
            links: names::ReadableLinks::default(),
            named: standing::Named::default(),
            contents: Arc::default(),
        };
        workspace.sweep()?;
        Ok(workspace)
    }

    /// Calls `interrupt` in the middle of each deposit; a test kills the process there.
    #[must_use]
    pub const fn with_interrupt(mut self, interrupt: fn()) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Returns where the files stand.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns what tells the folder of the mirrored files from another one at the same path; `None` when there is none.
    #[must_use]
    pub fn identity(&self) -> Option<(u64, u64)> {
        let metadata = fs::symlink_metadata(self.layout.items_folder()).ok()?;
        metadata.is_dir().then(|| (metadata.dev(), metadata.ino()))
    }

    /// Makes the account's folders again where they are missing.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn mend(&self) -> Result<()> {
        self.layout.folders().iter().try_for_each(|folder| own_folder(folder))
    }

    /// Reads the file of a part.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the ids are not ours; `Disk` when the folder cannot be opened. What is wrong with the file
    /// itself is part of the answer.
    pub fn observe(&self, item: &ItemId, part: &PartId) -> Result<Local> {
        let name = Place::file(item, part).name()?;
        let folder = match self.folder() {
            Ok(folder) => folder,
            // Without its folder a file is absent; the engine halts when too many are.
            Err(Error::Disk { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(Local::Absent),
            Err(error) => return Err(error),
        };
        Ok(observe::observe(&folder, &self.layout.items_folder().join(&name), &name))
    }

    /// Returns every file of the layout that stands in the folder, sorted by name.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; a missing folder has no files.
    pub fn all_files(&self) -> Result<Vec<Place>> {
        let folder = self.layout.items_folder();
        let mut names: Vec<String> = list(&folder)?.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort_unstable();
        Ok(names.iter().filter_map(|name| Place::of_name(name)).collect())
    }

    /// Returns the versions of the mirrored files that were written in the last `for_ms` milliseconds, and of those that some
    /// program has open for writing now, which is said with each, as far as the system tells.
    ///
    /// # Errors
    ///
    /// `Disk` when the folder cannot be listed.
    pub fn restless_files(&self, now: Millis, for_ms: u64) -> Result<Vec<(Place, Stamp, bool)>> {
        let (folder, writers) = (self.layout.items_folder(), Writers::now());
        let mut found = Vec::new();
        for place in self.all_files()?.into_iter().filter(|place| !place.conflict) {
            let Ok(data) = fs::symlink_metadata(folder.join(place.name()?)) else { continue };
            let stamp = stamp(&data);
            let since_ns = i128::from(now.0) * 1_000_000 - stamp.mtime_ns;
            let is_open = writers.tells() && writers.may_save(&data, now);
            if data.is_file() && (is_open || since_ns < i128::from(for_ms) * 1_000_000) {
                found.push((place, stamp, is_open));
            }
        }
        Ok(found)
    }

    /// Writes the file of a part: whole or not at all, and only if the file that stands there is the one with the
    /// stamp `expect`, or if none stands there when `expect` is `None`. Returns the new file's stamp.
    ///
    /// # Errors
    ///
    /// [`NotDeposited::Moved`] when another file stands there; then it is untouched.
    pub fn deposit(
        &self,
        item: &ItemId,
        part: &PartId,
        text: &str,
        expect: Option<Stamp>,
    ) -> Result<Stamp, NotDeposited> {
        let name = Place::file(item, part).name()?;
        own_folder(&self.layout.account_folder())?;
        own_folder(&self.layout.items_folder())?;
        let folder = self.folder()?;
        let path = self.layout.items_folder().join(&name);
        self.heard_of(Place::file(item, part));
        let (new_name, new) = self.write_new(&folder, text.as_bytes())?;
        let placed = match expect {
            None => place_where_none_is(&folder, &new_name, &name, &path),
            Some(stamp) => self.exchange(&folder, (&new_name, &new), &name, stamp),
        };
        if let Err(failure) = placed {
            // The new text is still known to the caller, so removing its file loses nothing; if even that fails, the
            // next start removes it.
            let removed = rustix::fs::unlinkat(&folder, &new_name, AtFlags::empty());
            tracing::debug!(?removed, "the file that was not deposited is removed");
            return Err(failure);
        }
        rustix::fs::fsync(&folder).map_err(|errno| disk(&self.layout.items_folder(), "written", errno.into()))?;
        // Renaming changes the change time, so the stamp is read afterwards, from our own file and not from the path,
        // at which somebody else's may stand by now.
        let metadata = new.metadata().map_err(|source| disk(&path, "read", source))?;
        Ok(stamp(&metadata))
    }

    /// Waits until a file that somebody saved, and its name, are on the disk: what is told to others, or taken for agreed,
    /// must outlive a power cut, or the old text that comes back would look like an edit. Returns the stamp of that file; `None`
    /// where none can be opened, which was not read either.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn sync(&self, item: &ItemId, part: &PartId) -> Result<Option<Stamp>> {
        let name = Place::file(item, part).name()?;
        let folder = self.folder()?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(&folder, &name, flags, Mode::empty()) else { return Ok(None) };
        let path = self.layout.items_folder().join(&name);
        match rustix::fs::fsync(&file).and_then(|()| rustix::fs::fsync(&folder)) {
            // A pipe, for one, has nothing to write.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::ROFS) => {
                tracing::debug!(name, "a saved file stands on the disk");
                let metadata = File::from(file).metadata().map_err(|source| disk(&path, "read", source))?;
                Ok(Some(stamp(&metadata)))
            }
            Err(errno) => Err(disk(&path, "written", errno.into())),
        }
    }

    /// Opens the folder of the mirrored files without following a link anywhere below the root.
    fn folder(&self) -> Result<OwnedFd> {
        let root = open_folder(self.layout.root())?;
        let account = open_below(&root, &self.layout.account().0, &self.layout.account_folder())?;
        open_below(&account, self.layout.feed().name(), &self.layout.items_folder())
    }

    /// Writes `bytes` under a name of its own, and waits until they are on the disk.
    fn write_new(&self, folder: &OwnedFd, bytes: &[u8]) -> Result<(String, File)> {
        let shown = self.layout.items_folder();
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(|error| disk(&shown, "written", io::Error::other(error)))?;
        let name = format!("{NEW_PREFIX}{:016x}", u64::from_ne_bytes(random));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(folder, &name, flags, Mode::RUSR | Mode::WUSR);
        let mut file = File::from(opened.map_err(|errno| disk(&shown.join(&name), "written", errno.into()))?);
        let (first, second) = bytes.split_at(bytes.len() / 2);
        let written = file
            .write_all(first)
            .and_then(|()| {
                (self.interrupt)();
                file.write_all(second)
            })
            .and_then(|()| file.sync_all());
        if let Err(source) = written {
            let removed = rustix::fs::unlinkat(folder, &name, AtFlags::empty());
            tracing::debug!(?removed, "a file that could not be written is removed");
            return Err(disk(&shown.join(&name), "written", source));
        }
        Ok((name, file))
    }

    /// Leaves a text in a file below `temp/`, which the next start empties; one of the same name is replaced.
    ///
    /// # Errors
    ///
    /// `Disk` when it cannot be written, or when the name is none.
    pub fn leave(&self, name: &str, text: &str) -> Result<PathBuf> {
        let temp = self.layout.root().join(TEMP);
        let path = temp.join(name);
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(disk(&path, "written", io::ErrorKind::InvalidInput.into()));
        }
        let written = || {
            fs::create_dir_all(&temp)?;
            let mut file = tempfile::Builder::new().prefix(NEW_PREFIX).tempfile_in(&temp)?;
            file.write_all(text.as_bytes())?;
            file.persist(&path).map_err(|error| error.error)
        };
        written().map_err(|source| disk(&path, "written", source))?;
        Ok(path)
    }

    /// Removes what dead processes of ours left behind.
    fn sweep(&self) -> Result<()> {
        let drive = self.layout.items_folder();
        for name in list(&drive)? {
            if name.to_str().is_some_and(|name| name.starts_with(NEW_PREFIX)) {
                let path = drive.join(&name);
                fs::remove_file(&path).map_err(|source| disk(&path, "removed", source))?;
            }
        }
        let temp = self.layout.root().join(TEMP);
        for name in list(&temp)? {
            let path = temp.join(&name);
            let metadata = fs::symlink_metadata(&path).map_err(|source| disk(&path, "read", source))?;
            // Neither call follows a link.
            let removed = if metadata.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(|source| disk(&path, "removed", source))?;
        }
        Ok(())
    }
}

/// Puts the new file where none stands.
fn place_where_none_is(folder: &OwnedFd, new_name: &str, name: &str, path: &Path) -> Result<(), NotDeposited> {
    match rename_new(folder, new_name, folder, name) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(NotDeposited::Moved),
        Err(source) => Err(disk(path, "written", source).into()),
    }
}

/// Renames only if the new name is free; where the file system cannot say so at once, by a hard link.
fn rename_new(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> io::Result<()> {
    match rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            rustix::fs::linkat(from, old, to, new, AtFlags::empty())?;
            Ok(rustix::fs::unlinkat(from, old, AtFlags::empty())?)
        }
        other => Ok(other?),
    }
}

/// Makes sure that `path` is a folder of ours that nobody else can write to; a new one is ours alone.
///
/// # Errors
///
/// `Unsafe` when it is a link, no folder, another user's, or writable by others; `Disk` as it comes.
pub fn own_folder(path: &Path) -> Result<()> {
    match DirBuilder::new().recursive(false).mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = path.parent().ok_or_else(|| disk(path, "made", error))?;
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(parent)
                .and_then(|()| DirBuilder::new().mode(0o700).create(path))
                .map_err(|source| disk(path, "made", source))?;
        }
        Err(source) => return Err(disk(path, "made", source)),
    }
    is_own_folder(path)
}

/// Makes sure of a folder that stands there what [`own_folder`] does.
fn is_own_folder(path: &Path) -> Result<()> {
    let metadata = fs::symlink_metadata(path).map_err(|source| disk(path, "read", source))?;
    let reason = if metadata.file_type().is_symlink() {
        "it is a link"
    } else if !metadata.is_dir() {
        "it is not a folder"
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if metadata.mode() & 0o022 != 0 {
        "other users may write to it"
    } else {
        return Ok(());
    };
    Err(Error::Unsafe { path: path.into(), reason: reason.into() })
}

fn open_folder(path: &Path) -> Result<OwnedFd> {
    open_below(rustix::fs::CWD, path, path)
}

/// Opens a folder wherever it leads.
fn open_any(path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| disk(path, "opened", errno.into()))
}

fn open_below(folder: impl std::os::fd::AsFd, name: impl rustix::path::Arg, shown: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(|errno| disk(shown, "opened", errno.into()))
}

fn list(folder: &Path) -> Result<Vec<std::ffi::OsString>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(disk(folder, "listed", source)),
    };
    entries.map(|entry| entry.map(|entry| entry.file_name()).map_err(|source| disk(folder, "listed", source))).collect()
}

fn stamp(metadata: &Metadata) -> Stamp {
    let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    Stamp {
        dev: metadata.dev(),
        ino: metadata.ino(),
        len_bytes: metadata.len(),
        mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    }
}

fn disk(path: &Path, doing: &'static str, source: io::Error) -> Error {
    Error::Disk { path: path.into(), doing, source }
}
