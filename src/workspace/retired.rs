//! Files that are put away: of items that are gone, conflict files that ended, pictures that no text shows. They are moved, never
//! deleted.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::layout::{self, Place, comments_name};
use super::{NUMBERED_MAX, NotDeposited, RETIRED, Workspace, disk, open_folder, own_folder, rename_new, stamp};
use crate::error::Result;
use crate::model::{ItemId, Millis, PartId, Stamp};

impl Workspace {
    /// Puts the files of an item away into `.retired/{date}/`; nothing is deleted. Returns where they stand now. With `expect`
    /// only if its files are those that were read: each part with its stamp, `None` for one that did not stand.
    ///
    /// # Errors
    ///
    /// [`NotDeposited::Moved`] when somebody saved since; then that save stands where it stood. `Disk` as it comes; files that
    /// were moved before stay moved.
    pub fn retire(
        &self,
        item: &ItemId,
        expect: Option<&[(PartId, Option<Stamp>)]>,
        at: Millis,
    ) -> Result<Vec<PathBuf>, NotDeposited> {
        let expected = expect.unwrap_or_default().iter();
        let expected = expected.map(|(part, stamp)| Ok((Place::file(item, part).name()?, *stamp)));
        let expected = expected.collect::<Result<Vec<_>>>()?;
        let stands = |name: &str| match fs::symlink_metadata(self.layout.items_folder().join(name)) {
            Ok(metadata) => Some(stamp(&metadata)),
            Err(_) => None,
        };
        if expected.iter().any(|(name, stamp)| stands(name) != *stamp) {
            return Err(NotDeposited::Moved);
        }
        let mut names = self.files(item)?.iter().map(Place::name).collect::<Result<Vec<_>>>()?;
        let comments = comments_name(item)?;
        if fs::symlink_metadata(self.layout.items_folder().join(&comments)).is_ok() {
            names.push(comments);
        }
        if names.is_empty() {
            self.set_links(item, &[])?;
            self.retire_images(item, at)?;
            return Ok(Vec::new());
        }
        let day = self.retired_folder(at)?;
        let (from, to) = (self.folder()?, open_folder(&day)?);
        let mut paths = Vec::new();
        for name in names {
            let read = expected.iter().find_map(|(expected, stamp)| (*expected == name).then_some(*stamp)).flatten();
            let Some(kept) = self.put_away_read((&from, &to), &day, &name, read)? else { continue };
            paths.push(day.join(kept));
        }
        self.set_links(item, &[])?;
        self.retire_images(item, at)?;
        for folder in [&from, &to] {
            rustix::fs::fsync(folder).map_err(|e| disk(&day, "written", e.into()))?;
        }
        Ok(paths)
    }

    /// Puts one file of an item away into `.retired/{date}/`, if it is the one that was read; returns where it stands now, `None`
    /// where somebody has saved it since, which stays.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn put_away_file(&self, item: &ItemId, part: &PartId, read: Stamp, at: Millis) -> Result<Option<PathBuf>> {
        let name = Place::file(item, part).name()?;
        let stands = fs::symlink_metadata(self.layout.items_folder().join(&name));
        if !stands.is_ok_and(|metadata| stamp(&metadata) == read) {
            return Ok(None);
        }
        let day = self.retired_folder(at)?;
        let (from, to) = (self.folder()?, open_folder(&day)?);
        let kept = match self.put_away_read((&from, &to), &day, &name, Some(read)) {
            Ok(Some(kept)) => kept,
            Ok(None) | Err(NotDeposited::Moved) => return Ok(None),
            Err(NotDeposited::Failed(error)) => return Err(error),
        };
        for folder in [&from, &to] {
            rustix::fs::fsync(folder).map_err(|e| disk(&day, "written", e.into()))?;
        }
        Ok(Some(day.join(kept)))
    }

    /// Writes a text that nothing else holds into `.retired/{date}/`, named by a title; returns where it stands.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn put_aside(&self, title: &str, text: &str, at: Millis) -> Result<PathBuf> {
        own_folder(&self.layout.account_folder())?;
        own_folder(&self.layout.items_folder())?;
        let day = self.retired_folder(at)?;
        let (here, to) = (self.folder()?, open_folder(&day)?);
        let (new, _) = self.write_new(&here, text.as_bytes())?;
        let name = format!("{}.md", layout::readable_name(title));
        let Some(kept) = self.put_away(&here, &to, (&new, &name))? else {
            return Err(disk(&day.join(name), "written", io::ErrorKind::NotFound.into()));
        };
        rustix::fs::fsync(&to).map_err(|errno| disk(&day, "written", errno.into()))?;
        Ok(day.join(kept))
    }

    /// Moves a file into the folder of a day; returns its name there, `None` when there is no such file. With `read` only if it is the
    /// one that was read.
    ///
    /// RACE: somebody may save between the caller's look at the file and the rename. That save goes back, and the answer is
    /// [`NotDeposited::Moved`]; where still another one stands by now, it stays put away.
    pub(super) fn put_away_read(
        &self,
        (from, to): (&OwnedFd, &OwnedFd),
        day: &Path,
        name: &str,
        read: Option<Stamp>,
    ) -> Result<Option<String>, NotDeposited> {
        let Some(kept) = self.put_away(from, to, (name, name))? else { return Ok(None) };
        if read.is_some_and(|read| !is_unwritten(&day.join(&kept), read)) {
            let back = rename_new(to, &kept, from, name);
            tracing::info!(name, ?back, "a file was saved while it was put away");
            return Err(NotDeposited::Moved);
        }
        Ok(Some(kept))
    }

    /// Makes the folder for what is put away on a day.
    pub(super) fn retired_folder(&self, at: Millis) -> Result<PathBuf> {
        let retired = self.layout.root().join(RETIRED);
        let day = retired.join(layout::date(at));
        for folder in [&retired, &day] {
            own_folder(folder)?;
        }
        Ok(day)
    }

    /// Moves a file into the folder `to`, there named `wanted`, numbered where that is taken. Returns its name there; `None`
    /// when there is no such file.
    pub(super) fn put_away(
        &self,
        from: &OwnedFd,
        to: &OwnedFd,
        (name, wanted): (&str, &str),
    ) -> Result<Option<String>> {
        let path = self.layout.items_folder().join(name);
        let stem = wanted.strip_suffix(".md").unwrap_or(wanted);
        for number in 1..NUMBERED_MAX {
            let target = if number == 1 { wanted.to_owned() } else { format!("{stem} ({number}).md") };
            match rename_new(from, name, to, &target) {
                Ok(()) => return Ok(Some(target)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(disk(&path, "put away", error)),
            }
        }
        Err(disk(&path, "put away", io::ErrorKind::AlreadyExists.into()))
    }
}

/// Tells whether a file is the one that was read, under whatever name: renaming moves its change time alone.
fn is_unwritten(path: &Path, read: Stamp) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| Stamp { ctime_ns: read.ctime_ns, ..stamp(&metadata) } == read)
}
