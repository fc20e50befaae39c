//! Files beside the mirrored ones: those that are saved in `new/`, and those that an editor put where a link to a mirrored file
//! stood. Once such a file was taken in, a link to the mirrored one stands in its place.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::AtFlags;

use super::layout::{Place, readable_name};
use super::observe::observe;
use super::writers::Writers;
use super::{NUMBERED_MAX, NotDeposited, Workspace, disk, is_own_folder, list, open_any, rename_new, stamp};
use crate::error::{Error, Result};
use crate::model::{ContentHash, Millis, Notice, Stamp};
use crate::sync::Local;

/// Begins the name that a file has for the moment in which a link takes its place; it stands in the same folder.
const TAKEN_PREFIX: &str = ".mcpw-taken-";

/// Begins that of a file whose own name leaves no room for the other; what the name is known by follows.
const LONG_PREFIX: &str = ".mcpw-long-";

/// Bytes that a name may have on every file system.
const NAME_BYTES_MAX: usize = 255;

/// What stands at a path beside the mirrored files.
#[derive(Debug)]
pub enum Found {
    /// No file.
    Nothing,
    /// A link that leads to a mirrored file.
    Link(Place),
    /// What a look at a mirrored file would tell.
    File(Local),
}

impl Workspace {
    /// Returns what stands in `new/` and may be meant for us, sorted: Markdown whose name begins with no dot, links among it, and
    /// folders.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; a missing folder has no files.
    pub fn new_files(&self) -> Result<Vec<PathBuf>> {
        let Some(folder) = self.layout().new_folder() else { return Ok(Vec::new()) };
        let mut paths: Vec<PathBuf> = list(&folder)?.into_iter().map(|name| folder.join(name)).collect();
        paths.retain(|path| is_new(path));
        paths.sort_unstable();
        Ok(paths)
    }

    /// Returns the file in `new/` that is the one which was seen at another path: a rename changes nothing but the time of the change.
    ///
    /// # Errors
    ///
    /// As [`Self::new_files`].
    pub fn renamed_new(&self, seen: Stamp) -> Result<Option<PathBuf>> {
        let is_seen = |path: &PathBuf| {
            let now = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|metadata| stamp(&metadata));
            now.is_some_and(|now| Stamp { ctime_ns: seen.ctime_ns, ..now } == seen)
        };
        Ok(self.new_files()?.into_iter().find(is_seen))
    }

    /// Looks at what stands at a path beside the mirrored files.
    ///
    /// # Errors
    ///
    /// `Unsafe` when others could have put it there; `Disk` as it comes.
    pub fn look_beside(&self, path: &Path) -> Result<Found> {
        let (folder, name) = split(path)?;
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(source) => return Err(disk(path, "read", source)),
        };
        if let Some(place) = self.led_to(path) {
            return Ok(Found::Link(place));
        }
        is_own_folder(folder)?;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(Error::Unsafe { path: path.into(), reason: "it belongs to another user".into() });
        }
        let found = observe(&open_any(folder)?, path, name);
        if metadata.is_file() || metadata.is_symlink() || matches!(found, Local::Absent) {
            return Ok(Found::File(found));
        }
        // What is said of a mirrored file, which can be restored, does not help here.
        let message = match metadata.is_dir() {
            true => {
                "this is a folder, and only Markdown files become documents; put its files here themselves, or take it away"
            }
            false => "this is not a regular file, so it becomes no document; take it away",
        };
        let notice = Notice { code: "NOT_A_FILE".into(), line: 0, column: 0, message: message.into() };
        Ok(Found::File(Local::Unusable { notice }))
    }

    /// Tells whether a program has the file open for writing.
    #[must_use]
    pub fn is_open(&self, path: &Path, at: Millis) -> bool {
        let writers = Writers::now();
        writers.tells() && fs::symlink_metadata(path).is_ok_and(|metadata| writers.may_save(&metadata, at))
    }

    /// Whether the system tells who has a file open to write.
    #[must_use]
    pub fn knows_writers() -> bool {
        Writers::now().tells()
    }

    /// Puts a link to a mirrored file where the file with the stamp `expect` stands, whose text is kept elsewhere by now.
    ///
    /// # Errors
    ///
    /// [`NotDeposited::Moved`] when another file stands there; then it stands there still.
    pub fn put_link(&self, path: &Path, expect: Stamp, to: &Place) -> Result<(), NotDeposited> {
        let (folder, name) = split(path)?;
        let handle = open_any(folder)?;
        let taken = taken_name(name);
        match fs::symlink_metadata(path) {
            Ok(metadata) if stamp(&metadata) == expect => {}
            Ok(_) | Err(_) => return Err(NotDeposited::Moved),
        }
        rename_new(&handle, name, &handle, &taken).map_err(|source| disk(path, "renamed", source))?;
        // RACE: somebody may save between the look and the rename; that save goes back.
        let is_read = fs::symlink_metadata(folder.join(&taken))
            .is_ok_and(|metadata| Stamp { ctime_ns: expect.ctime_ns, ..stamp(&metadata) } == expect);
        if !is_read {
            let back = rename_new(&handle, &taken, &handle, name);
            tracing::info!(name, ?back, "a file was saved while a link was put in its place");
            return Err(NotDeposited::Moved);
        }
        match symlink(self.way(path, to)?, path) {
            Ok(()) => {}
            // Another save is there already.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => {
                let back = rename_new(&handle, &taken, &handle, name);
                tracing::info!(name, ?back, "a link could not be put in the place of a file");
                return Err(disk(path, "written", source).into());
            }
        }
        rustix::fs::unlinkat(&handle, &taken, AtFlags::empty())
            .map_err(|errno| disk(&folder.join(&taken), "removed", errno.into()).into())
    }

    /// Gives a file its name back that had another one when a process died while a link took its place. Where something stands
    /// there by now, its text, which was taken in before, is put aside.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; calling it again does the rest.
    pub fn give_back(&self, path: &Path, at: Millis) -> Result<()> {
        let (folder, name) = split(path)?;
        let taken = taken_name(name);
        if fs::symlink_metadata(folder.join(&taken)).is_err() {
            return Ok(());
        }
        let handle = open_any(folder)?;
        match rename_new(&handle, &taken, &handle, name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let title = name.strip_suffix(".md").unwrap_or(name);
                self.retire_taken(&handle, &folder.join(&taken), (&taken, title), at)
            }
            done => done.map_err(|source| disk(&folder.join(&taken), "renamed", source)),
        }
    }

    /// Puts the text of a file aside that cannot have its name back, and removes it.
    fn retire_taken(&self, folder: &OwnedFd, path: &Path, (taken, title): (&str, &str), at: Millis) -> Result<()> {
        match observe(folder, path, taken) {
            Local::Text { text, .. } => drop(self.put_aside(title, &text, at)?),
            Local::Absent => return Ok(()),
            // What cannot be kept elsewhere is kept here.
            Local::Unusable { .. } | Local::Restless => {
                tracing::warn!(path = %path.display(), "a file that was taken in cannot be read, and stays");
                return Ok(());
            }
        }
        rustix::fs::unlinkat(folder, taken, AtFlags::empty()).map_err(|errno| disk(path, "removed", errno.into()))
    }

    /// Gives each file in `new/` and among the readable links its name back; see [`Self::give_back`]. Of one that nobody knows the
    /// name of, the text is put aside.
    ///
    /// # Errors
    ///
    /// As [`Self::give_back`].
    pub fn give_back_own(&self, at: Millis) -> Result<()> {
        let folders = self.layout().new_folder().into_iter().chain([self.layout().by_name_folder()]);
        for folder in folders.filter(|folder| folder.is_dir()) {
            for name in list(&folder)? {
                let Some(name) = name.to_str() else { continue };
                if let Some(name) = name.strip_prefix(TAKEN_PREFIX) {
                    self.give_back(&folder.join(name), at)?;
                } else if name.starts_with(LONG_PREFIX) {
                    self.retire_taken(&open_any(&folder)?, &folder.join(name), (name, "Untitled"), at)?;
                }
            }
        }
        Ok(())
    }

    /// Puts a link to a mirrored file into a folder outside of the workspace, named by `title`, numbered where that name is taken;
    /// one that stands there is returned.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the folder is none or inside of the workspace, `Unsafe` when others may write to it; `Disk` as it comes.
    pub fn add_link_beside(&self, folder: &Path, to: &Place, title: &str) -> Result<PathBuf> {
        let refuse = |what: String| Error::InvalidInput { what, suggestion: "Give a folder of your own work.".into() };
        let folder = fs::canonicalize(folder)
            .map_err(|error| refuse(format!("{} cannot be used: {error}", folder.display())))?;
        if !folder.is_dir() {
            return Err(refuse(format!("{} is no folder", folder.display())));
        }
        if fs::canonicalize(self.layout().root()).is_ok_and(|root| folder.starts_with(root)) {
            return Err(refuse(format!("{} is inside of the workspace", folder.display())));
        }
        is_own_folder(&folder)?;
        let wanted = readable_name(title);
        for number in 1..NUMBERED_MAX {
            let name = if number == 1 { format!("{wanted}.md") } else { format!("{wanted} ({number}).md") };
            let path = folder.join(name);
            match symlink(self.way(&path, to)?, &path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if self.led_to(&path).as_ref() == Some(to) {
                        return Ok(path);
                    }
                }
                Err(source) => return Err(disk(&path, "written", source)),
            }
        }
        Err(disk(&folder, "written", io::ErrorKind::AlreadyExists.into()))
    }

    /// Returns the links to a mirrored file that stand in the folder of a path, sorted.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; a missing folder has none.
    pub fn links_beside(&self, path: &Path, to: &Place) -> Result<Vec<PathBuf>> {
        let (folder, _) = split(path)?;
        let mut links: Vec<PathBuf> = list(folder)?.into_iter().map(|name| folder.join(name)).collect();
        links.retain(|link| self.led_to(link).as_ref() == Some(to));
        links.sort_unstable();
        Ok(links)
    }

    /// Tells whether a version control looks after the files of the folder in which a path lies.
    #[must_use]
    pub fn is_versioned(&self, path: &Path) -> bool {
        let signs = [".git", ".hg", ".jj", ".svn"];
        path.ancestors().skip(1).any(|folder| signs.iter().any(|sign| folder.join(sign).symlink_metadata().is_ok()))
    }

    /// Removes what stands at a path if it is a link to a file of ours.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn remove_link(&self, path: &Path) -> Result<()> {
        match self.led_to(path) {
            Some(_) => fs::remove_file(path).map_err(|source| disk(path, "removed", source)),
            None => Ok(()),
        }
    }

    /// Returns the mirrored file that a link leads to, whether or not it stands.
    pub(super) fn led_to(&self, link: &Path) -> Option<Place> {
        let to = fs::read_link(link).ok()?;
        let to = link.parent()?.join(to);
        let name = to.file_name()?.to_str()?;
        let is_ours = match fs::canonicalize(to.parent()?) {
            Ok(folder) => fs::canonicalize(self.layout().items_folder()).is_ok_and(|drive| drive == folder),
            Err(_) => to.parent()? == self.layout().items_folder(),
        };
        Place::of_name(name).filter(|place| is_ours && !place.conflict)
    }

    /// How a link at `path` leads to a mirrored file: from inside the workspace by way of it, so that the whole may be moved.
    fn way(&self, path: &Path, to: &Place) -> Result<PathBuf> {
        let is_in = |folder: &Path| path.parent() == Some(folder);
        if is_in(&self.layout().by_name_folder()) {
            return Ok(self.layout().from_by_name().join(to.name()?));
        }
        if self.layout().new_folder().is_some_and(|new| is_in(&new)) {
            return Ok(Path::new("..").join(self.layout().feed().name()).join(to.name()?));
        }
        self.layout().path(to)
    }
}

/// How the names of copies and parts end, or what stands in them, that editors and sync tools leave beside a file.
const LEFT_BESIDE: [&str; 7] =
    [".conflict.md", ".part.md", ".tmp.md", ".bak.md", ".orig.md", ".sync-conflict-", "conflicted copy"];

/// Tells whether what stands, or stood, at a path in `new/` may be meant for us. Files with other endings are those of editors.
pub(super) fn is_new(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_left_beside = name.starts_with(['.', '~']) || LEFT_BESIDE.iter().any(|left| name.contains(left));
    !is_left_beside && (name.ends_with(".md") || !path.symlink_metadata().is_ok_and(|data| data.is_file()))
}

/// The name that a file has while a link takes its place: always the same, so that it is found again.
fn taken_name(name: &str) -> String {
    let taken = format!("{TAKEN_PREFIX}{name}");
    if taken.len() <= NAME_BYTES_MAX {
        return taken;
    }
    let hash: String = ContentHash::of(name.as_bytes()).0.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{LONG_PREFIX}{hash}")
}

fn split(path: &Path) -> Result<(&Path, &str)> {
    path.parent().zip(path.file_name().and_then(|name| name.to_str())).ok_or_else(|| Error::InvalidInput {
        what: format!("{} cannot be the path of a file", path.display()),
        suggestion: "Give it a name in UTF-8.".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Account, Feed, ItemId, PartId};

    fn text(workspace: &Workspace, path: &Path) -> (Stamp, String) {
        let found = workspace.look_beside(path).unwrap();
        let Found::File(Local::Text { stamp, text, .. }) = found else { panic!("{found:?}") };
        (stamp, text)
    }

    #[test]
    fn a_link_takes_the_place_of_the_file_that_was_read_and_of_no_other() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(&root.path().join("w"), &Account("a@example.com".into()), Feed::Drive).unwrap();
        let place = Place::file(&ItemId("abc".into()), &PartId::default());
        let path = workspace.layout().new_folder().unwrap().join("Notes.md");
        fs::write(&path, "one").unwrap();
        let (stamp, _) = text(&workspace, &path);
        fs::write(&path, "another").unwrap();
        assert!(matches!(workspace.put_link(&path, stamp, &place), Err(NotDeposited::Moved)));
        let (stamp, said) = text(&workspace, &path);
        assert_eq!(said, "another");
        workspace.put_link(&path, stamp, &place).unwrap();
        assert_eq!(fs::read_link(&path).unwrap(), Path::new("../drive/abc.md"));
        assert_eq!(workspace.resolve(&path), Some(place.clone()));
        assert!(matches!(workspace.look_beside(&path).unwrap(), Found::Link(found) if found == place));
        assert_eq!(workspace.new_files().unwrap(), std::slice::from_ref(&path));
        workspace.remove_link(&path).unwrap();
        assert!(matches!(workspace.look_beside(&path).unwrap(), Found::Nothing));
        // A link to anything else is somebody's, and is neither followed nor removed.
        symlink("/etc/hostname", &path).unwrap();
        workspace.remove_link(&path).unwrap();
        assert!(matches!(workspace.look_beside(&path).unwrap(), Found::File(Local::Unusable { .. })));
    }

    #[test]
    fn what_a_process_that_died_had_taken_comes_back() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(&root.path().join("w"), &Account("a@example.com".into()), Feed::Drive).unwrap();
        let new = workspace.layout().new_folder().unwrap();
        let (path, taken) = (new.join("Notes.md"), new.join(".mcpw-taken-Notes.md"));
        fs::write(&taken, "one").unwrap();
        workspace.give_back_own(Millis(0)).unwrap();
        assert_eq!(text(&workspace, &path).1, "one");
        // So does one with a name that leaves no room for another, when somebody knows it; else its text is put aside.
        let long = new.join(format!("{}.md", "n".repeat(252)));
        for is_known in [true, false] {
            fs::write(&long, "of a long name").unwrap();
            let taken = new.join(taken_name(long.file_name().unwrap().to_str().unwrap()));
            fs::rename(&long, &taken).unwrap();
            if is_known {
                workspace.give_back(&long, Millis(0)).unwrap();
                assert_eq!(text(&workspace, &long).1, "of a long name");
                fs::remove_file(&long).unwrap();
            }
            workspace.give_back_own(Millis(0)).unwrap();
            assert!(!taken.exists());
        }
        let kept = root.path().join("w/.retired/1970-01-01/Untitled.md");
        assert_eq!(fs::read_to_string(kept).unwrap(), "of a long name");
        // Where another one stands by now, it is put aside.
        fs::write(&taken, "an older one").unwrap();
        workspace.give_back_own(Millis(0)).unwrap();
        assert_eq!((text(&workspace, &path).1.as_str(), taken.exists()), ("one", false));
        let kept = root.path().join("w/.retired/1970-01-01/Notes.md");
        assert_eq!(fs::read_to_string(kept).unwrap(), "an older one");
    }
}
