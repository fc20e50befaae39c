//! Files that were replaced. A program may have one open still and write its save into it, though its name leads to another
//! file by now; so a replaced file keeps a name for a while, and what is saved into it comes back.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, RenameFlags};

use super::layout::Place;
use super::writers::Writers;
use super::{NUMBERED_MAX, NotDeposited, Workspace, disk, list, open_folder, rename_new, stamp};
use crate::error::Result;
use crate::model::{Millis, Stamp};

/// Begins the name of a file that was replaced; a leading dot never matches the layout.
const OLD_PREFIX: &str = ".mcpw-old-";

/// The files that were replaced and stood there at the last look. Held while two files change places, so that a look never
/// comes between.
#[derive(Debug, Clone, Default)]
pub(super) struct Displaced(Arc<Mutex<BTreeSet<String>>>);

impl Displaced {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a look at the replaced files found.
#[derive(Debug, Default)]
pub struct Swept {
    /// Whether some wait for another look.
    pub left: bool,
    /// Saves that came into a replaced file and could not take its place, since it holds another save: the file, and where
    /// the save stands.
    pub aside: Vec<(Place, PathBuf)>,
}

/// What becomes of a replaced file.
enum End {
    /// It is gone, and nothing with it.
    Removed,
    /// A program has it open and may save into it yet.
    Open,
    /// It took its old place again, and what stood there is a replaced file now.
    Back,
    /// It stands aside.
    Aside(PathBuf),
}

/// Begins, before a number, the version of the file that came in its place in the name of one of which what is saved must not take
/// that place again: no file has it.
const NO_VERSION: &str = "0.";

/// What tells that nobody has written to a file since: its length and when it was written, as they stand in a name.
fn version(stamp: &Stamp) -> String {
    format!("{:x}.{:x}", stamp.len_bytes, stamp.mtime_ns)
}

/// The versions that a replaced file may have when nobody saved into it, and the name of the file it was.
fn read_name(name: &str) -> Option<(String, String, &str)> {
    let mut fields = name.strip_prefix(OLD_PREFIX)?.splitn(5, '.');
    let mut version = || Some(format!("{}.{}", fields.next()?, fields.next()?));
    let (was, new) = (version()?, version()?);
    Some((was, new, fields.next()?))
}

impl Workspace {
    /// Puts the new file `new_name` in the place of the one with the stamp `expect`, which keeps a name of its own until
    /// [`Self::sweep_displaced`] finds it as it was.
    pub(super) fn exchange(
        &self,
        folder: &OwnedFd,
        (new_name, new): (&str, &File),
        name: &str,
        expect: Stamp,
    ) -> Result<(), NotDeposited> {
        let path = self.layout.items_folder().join(name);
        let written = new.metadata().map_err(|source| disk(&path, "read", source))?;
        let old_name = format!("{OLD_PREFIX}{}.{}.{name}", version(&expect), version(&stamp(&written)));
        let old_path = self.layout.items_folder().join(&old_name);
        let seen = self.displaced.lock();
        match fs::symlink_metadata(&path) {
            Ok(metadata) if stamp(&metadata) == expect => {}
            Ok(_) => return Err(NotDeposited::Moved),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(NotDeposited::Moved),
            Err(source) => return Err(disk(&path, "read", source).into()),
        }
        // The name that the replaced file will have is given before, so that a crash leaves no save under a name that the
        // next start removes.
        rename_new(folder, new_name, folder, &old_name).map_err(|error| disk(&old_path, "written", error))?;
        // RACE: somebody may save between the look above and the rename. Exchanging the two names instead of
        // replacing one keeps that save: it is found under the other name, and changed back. A file system
        // without exchange is left with a gap of microseconds.
        let placed = match rustix::fs::renameat_with(folder, &old_name, folder, name, RenameFlags::EXCHANGE) {
            Ok(()) => return self.is_as_expected(folder, &old_name, name, expect),
            Err(rustix::io::Errno::NOENT) => Err(NotDeposited::Moved),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                rustix::fs::renameat(folder, &old_name, folder, name)
                    .map_err(|errno| disk(&path, "written", errno.into()).into())
            }
            Err(errno) => Err(disk(&path, "written", errno.into()).into()),
        };
        drop(seen);
        if placed.is_err() {
            // Nobody can have seen it, so who made it removes it, under the name that it was made with.
            let back = rustix::fs::renameat(folder, &old_name, folder, new_name);
            tracing::debug!(?back, "the file that was not deposited has its first name again");
        }
        placed
    }

    /// Changes two files back when what was replaced is not the file with the stamp `expect`; ours may have been opened
    /// meanwhile, so it stays a replaced file.
    fn is_as_expected(&self, folder: &OwnedFd, old_name: &str, name: &str, expect: Stamp) -> Result<(), NotDeposited> {
        let old_path = self.layout.items_folder().join(old_name);
        let old = fs::symlink_metadata(&old_path).map_err(|source| disk(&old_path, "read", source))?;
        // The exchange itself moved the change time, so everything but that must be equal.
        if (Stamp { ctime_ns: expect.ctime_ns, ..stamp(&old) }) == expect {
            return Ok(());
        }
        rustix::fs::renameat_with(folder, old_name, folder, name, RenameFlags::EXCHANGE)
            .map_err(|errno| disk(&old_path, "written", errno.into()))?;
        Err(NotDeposited::Moved)
    }

    /// Looks at the files that were replaced and stood there at the last look: one that nobody wrote to, or can any more, is
    /// removed; one that somebody saved into takes its place again or, when that holds another save, stands in `.retired/`.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; then nothing is lost, and the next look finds the rest.
    pub fn sweep_displaced(&self, at: Millis) -> Result<Swept> {
        let names = list(&self.layout.items_folder())?.into_iter().filter_map(|name| name.into_string().ok());
        let names: BTreeSet<String> = names.filter(|name| read_name(name).is_some()).collect();
        let mut swept = Swept::default();
        if names.is_empty() {
            self.displaced.lock().clear();
            return Ok(swept);
        }
        let folder = self.folder()?;
        let writers = Writers::now();
        let mut seen = self.displaced.lock();
        for name in &names {
            if !seen.contains(name) {
                swept.left = true;
                continue;
            }
            match self.end_displaced(&folder, name, &writers, at)? {
                End::Removed => {}
                End::Open | End::Back => swept.left = true,
                End::Aside(path) => {
                    let place = read_name(name).and_then(|(_, _, file)| Place::of_name(file));
                    swept.aside.extend(place.map(|place| (place, path)));
                }
            }
        }
        *seen = names;
        Ok(swept)
    }

    /// Lets nothing that is saved into a file that was replaced take its place again: which text it was made from is not known
    /// any more, so to put it there would take away what came since. It stands aside, and is told of.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; calling it again does the rest.
    pub fn distrust_displaced(&self) -> Result<()> {
        let drive = self.layout.items_folder();
        for old_name in list(&drive)?.into_iter().filter_map(|name| name.into_string().ok()) {
            let Some((was, new, name)) = read_name(&old_name) else { continue };
            if new.starts_with(NO_VERSION) {
                continue;
            }
            let folder = self.folder()?;
            let now = match fs::symlink_metadata(drive.join(&old_name)) {
                Ok(metadata) => version(&stamp(&metadata)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(source) => return Err(disk(&drive.join(&old_name), "read", source)),
            };
            // Our own text may stand there, too.
            let unsaved = if now == new { new } else { was };
            // Two of one file may have had the same version.
            for number in 0..NUMBERED_MAX {
                let distrusted = format!("{OLD_PREFIX}{unsaved}.{NO_VERSION}{number}.{name}");
                match rename_new(&folder, &old_name, &folder, &distrusted) {
                    Ok(()) => break,
                    Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(disk(&drive.join(&old_name), "renamed", error)),
                }
            }
        }
        Ok(())
    }

    fn end_displaced(&self, folder: &OwnedFd, old_name: &str, writers: &Writers, at: Millis) -> Result<End> {
        let Some((was, new, name)) = read_name(old_name) else { return Ok(End::Removed) };
        let (old_path, path) = (self.layout.items_folder().join(old_name), self.layout.items_folder().join(name));
        let version_at = |path| fs::symlink_metadata(path).map(|metadata| version(&stamp(&metadata)));
        let old = match fs::symlink_metadata(&old_path) {
            Ok(old) => old,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(End::Removed),
            Err(source) => return Err(disk(&old_path, "read", source)),
        };
        let now = version(&stamp(&old));
        if now == was || now == new {
            if writers.may_save(&old, at) {
                return Ok(End::Open);
            }
            rustix::fs::unlinkat(folder, old_name, AtFlags::empty())
                .map_err(|errno| disk(&old_path, "removed", errno.into()))?;
            return Ok(End::Removed);
        }
        if version_at(&path).is_ok_and(|stands| stands == new) {
            let exchanged = rustix::fs::renameat_with(folder, old_name, folder, name, RenameFlags::EXCHANGE);
            if exchanged.is_ok() {
                rustix::fs::fsync(folder).map_err(|errno| disk(&path, "written", errno.into()))?;
                return Ok(End::Back);
            }
        }
        let day = self.retired_folder(at)?;
        let kept = self.put_away(folder, &open_folder(&day)?, (old_name, name))?;
        Ok(kept.map_or(End::Removed, |kept| End::Aside(day.join(kept))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_versions_are_no_save() {
        let at = |len_bytes, mtime_ns| Stamp { dev: 1, ino: 2, len_bytes, mtime_ns, ctime_ns: 9 };
        let name = format!("{OLD_PREFIX}{}.{}.abc.t.1.md", version(&at(1, -5)), version(&at(300, 17)));
        assert_eq!(read_name(&name), Some((version(&at(1, -5)), version(&at(300, 17)), "abc.t.1.md")));
        for other in ["abc.md", ".mcpw-old-", ".mcpw-old-1.2.3.4", ".mcpw-new-1.2.3.4.abc.md"] {
            assert_eq!(read_name(other), None, "{other}");
        }
    }
}
