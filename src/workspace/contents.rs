//! What was sent with mails, each file once: a hidden folder holds it by its hash, and the files that bear its names are links to it.
//!
//! Nothing counts the names: a content that has no other name than its own is needed by nobody. All names of a file are the same file,
//! so they are made to be read alone, and what a name of ours holds is looked at before another is linked to it.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::PoisonError;

use rustix::fs::{AtFlags, Mode, OFlags};

use super::{NEW_PREFIX, Workspace, disk, list, open_folder, own_folder, rename_new};
use crate::error::{Error, Result};
use crate::model::{ContentHash, ItemId, Millis};

/// How what was sent may be used: read by its owner.
const READ_ONLY: u32 = 0o400;

/// The largest content that is looked at; what is downloaded is smaller.
const CONTENT_BYTES_MAX: u64 = 64 << 20;

impl Workspace {
    /// Writes a file that was sent, whole or not at all; the same bytes take their room once, however many names they have. A file
    /// that stands there and is not `known`, which is what was written last, is put away first.
    ///
    /// # Errors
    ///
    /// `Unsafe` when a folder is not ours alone; `Disk` as it comes.
    pub fn put_attachment(
        &self,
        item: &ItemId,
        name: &str,
        bytes: &[u8],
        known: Option<ContentHash>,
        at: Millis,
    ) -> Result<()> {
        let Some(folder) = self.layout().contents_folder() else {
            return self.put_image(item, name, bytes, known, at);
        };
        self.make_room(item, name, known, at)?;
        own_folder(&folder)?;
        let _held = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let (items, contents, own) = (self.folder()?, open_folder(&folder)?, self.apart(item)?);
        let hash = ContentHash::of(bytes);
        let key = key(hash);
        if !self.holds(&contents, &folder, (&key, hash), at)? {
            let (new_name, new) = self.write_new(&items, bytes)?;
            let placed = new
                .set_permissions(Permissions::from_mode(READ_ONLY))
                .and_then(|()| Ok(rustix::fs::renameat(&items, &new_name, &contents, &key)?));
            if let Err(source) = placed {
                remove(&items, &new_name);
                return Err(disk(&folder.join(&key), "written", source));
            }
            // Without its own name, after a power cut, it is written anew when it is wanted again.
        }
        let path = self.layout().images_folder(item)?.join(name);
        self.link(&items, (&contents, &key), (&own, name), bytes)
            .and_then(|()| rustix::fs::fsync(&own).map_err(|errno| disk(&path, "written", errno.into())))
    }

    /// Gives a content a name. It takes the place of what stands there in one step, so a link of another name is made first.
    fn link(
        &self,
        items: &OwnedFd,
        (contents, key): (&OwnedFd, &str),
        (own, name): (&OwnedFd, &str),
        bytes: &[u8],
    ) -> Result<()> {
        let placed = |from: &str| rustix::fs::renameat(items, from, own, name);
        let linked = format!("{NEW_PREFIX}{key}");
        remove(items, &linked);
        let done = rustix::fs::linkat(contents, key, items, &linked, AtFlags::empty()).and_then(|()| placed(&linked));
        // Where both are the same file already, renaming leaves both.
        remove(items, &linked);
        if done.is_ok() {
            return Ok(());
        }
        // A file system without links, or a file that has as many as it can have: a copy of its own.
        tracing::debug!(?done, "an attachment is copied, since it cannot be linked");
        let (new_name, new) = self.write_new(items, bytes)?;
        let copied = new
            .set_permissions(Permissions::from_mode(READ_ONLY))
            .and_then(|()| Ok(placed(&new_name)?))
            .map_err(|source| disk(&self.layout().items_folder().join(name), "written", source));
        if copied.is_err() {
            remove(items, &new_name);
        }
        copied
    }

    /// Tells whether a content stands. One that somebody has written into is no content any more: its names keep what they hold, and
    /// no further one is linked to it.
    fn holds(&self, contents: &OwnedFd, folder: &Path, (key, hash): (&str, ContentHash), at: Millis) -> Result<bool> {
        match read(contents, key, CONTENT_BYTES_MAX) {
            Ok(Some(bytes)) if ContentHash::of(&bytes) == hash => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Ok(_) | Err(_) => {}
        }
        let is_named = fs::symlink_metadata(folder.join(key)).is_ok_and(|found| found.is_file() && found.nlink() > 1);
        if is_named {
            remove(contents, key);
            return Ok(false);
        }
        let day = self.retired_folder(at)?;
        let to = open_folder(&day)?;
        for number in 1..super::NUMBERED_MAX {
            match rename_new(contents, key, &to, &format!("{key} ({number})")) {
                Ok(()) => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(disk(&folder.join(key), "put away", error)),
            }
        }
        Err(disk(&folder.join(key), "put away", io::ErrorKind::AlreadyExists.into()))
    }

    /// Reads a file that was sent, if it stands and says what it said when it came.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn read_attachment(
        &self,
        item: &ItemId,
        name: &str,
        hash: ContentHash,
        bytes_max: usize,
    ) -> Result<Option<Vec<u8>>> {
        let path = self.layout().images_folder(item)?.join(name);
        let own = match self.apart(item) {
            Ok(own) => own,
            Err(Error::Disk { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match read(&own, name, u64::try_from(bytes_max).unwrap_or(u64::MAX)) {
            Ok(found) => Ok(found.filter(|bytes| ContentHash::of(bytes) == hash)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(disk(&path, "read", source)),
        }
    }

    /// Removes contents that have no name left: what bore one was deleted by a person, or never written.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn sweep_contents(&self) -> Result<()> {
        let Some(folder) = self.layout().contents_folder() else { return Ok(()) };
        let _held = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        for name in list(&folder)? {
            let path = folder.join(&name);
            let is_content = name.to_str().is_some_and(is_key);
            if is_content && fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.nlink() == 1) {
                fs::remove_file(&path).map_err(|source| disk(&path, "removed", source))?;
            }
        }
        Ok(())
    }
}

/// The name of a content.
fn key(hash: ContentHash) -> String {
    hash.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_key(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reads a regular file of a folder; `None` for anything else, and for one that has more bytes.
fn read(folder: &OwnedFd, name: &str, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(folder, name, flags, Mode::empty())?);
    let found = file.metadata()?;
    if !found.is_file() || found.len() > bytes_max {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    (&mut file).take(bytes_max).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Removes a name; what cannot be removed is removed by the next start.
fn remove(folder: &OwnedFd, name: &str) {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => {}
        Err(errno) => tracing::debug!(%errno, "a file that is not needed cannot be removed"),
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::model::{Account, Feed};
    use crate::workspace::RETIRED;

    #[test]
    fn what_was_sent_twice_is_one_file_until_somebody_writes_into_it() {
        let folder = tempfile::tempdir().unwrap();
        let workspace =
            Workspace::open(&folder.path().join("w"), &Account("ana@example.com".into()), Feed::Gmail).unwrap();
        let layout = workspace.layout();
        let (one, two, at) = (ItemId("one".into()), ItemId("two".into()), Millis(1));
        let path = |item: &ItemId, name: &str| layout.images_folder(item).unwrap().join(name);
        let contents = || list(&layout.contents_folder().unwrap()).unwrap().len();
        let links = |path: &Path| fs::metadata(path).unwrap().nlink();
        let (bytes, other) = (b"the same".as_slice(), b"another".as_slice());
        let hash = ContentHash::of(bytes);
        workspace.put_attachment(&one, "a.txt", bytes, None, at).unwrap();
        workspace.put_attachment(&two, "b.txt", bytes, None, at).unwrap();
        // Once more in its own place.
        workspace.put_attachment(&two, "b.txt", bytes, Some(hash), at).unwrap();
        let (first, second) = (path(&one, "a.txt"), path(&two, "b.txt"));
        assert_eq!((links(&first), contents(), fs::metadata(&first).unwrap().mode() & 0o777), (3, 1, 0o400));
        assert_eq!(fs::metadata(&first).unwrap().ino(), fs::metadata(&second).unwrap().ino());
        assert_eq!(workspace.read_attachment(&one, "a.txt", hash, 100).unwrap().as_deref(), Some(bytes));
        assert_eq!(workspace.read_attachment(&one, "a.txt", hash, 3).unwrap(), None);
        assert_eq!(workspace.read_attachment(&one, "none.txt", hash, 100).unwrap(), None);
        // Another text in its place is another file.
        workspace.put_attachment(&one, "a.txt", other, Some(hash), at).unwrap();
        assert_eq!((fs::read(&first).unwrap(), fs::read(&second).unwrap()), (other.to_vec(), bytes.to_vec()));
        assert_eq!((links(&second), contents()), (2, 2));
        // What somebody wrote into one stays there alone.
        fs::set_permissions(&second, Permissions::from_mode(0o600)).unwrap();
        fs::write(&second, "mine").unwrap();
        assert_eq!(workspace.read_attachment(&two, "b.txt", hash, 100).unwrap(), None);
        workspace.put_attachment(&one, "c.txt", bytes, None, at).unwrap();
        assert_eq!(
            (fs::read(path(&one, "c.txt")).unwrap(), fs::read(&second).unwrap()),
            (bytes.to_vec(), b"mine".to_vec())
        );
        // And is put away when the file is to stand there again.
        workspace.put_attachment(&two, "b.txt", bytes, Some(hash), at).unwrap();
        let day = fs::read_dir(layout.root().join(RETIRED)).unwrap().next().unwrap().unwrap().path();
        assert_eq!(
            (fs::read(&second).unwrap(), fs::read(day.join("two/b.txt")).unwrap()),
            (bytes.to_vec(), b"mine".to_vec())
        );
        // What stands in the hidden folder as something else is no content.
        let key = layout.contents_folder().unwrap().join(blake3::hash(b"third").to_hex().as_str());
        std::os::unix::fs::symlink("/etc/passwd", &key).unwrap();
        workspace.put_attachment(&one, "d.txt", b"third", None, at).unwrap();
        assert_eq!(fs::read(path(&one, "d.txt")).unwrap(), b"third");
        // A content that has no other name goes; others stay.
        workspace.sweep_contents().unwrap();
        assert_eq!(contents(), 3);
        fs::remove_file(&first).unwrap();
        workspace.sweep_contents().unwrap();
        assert_eq!((contents(), fs::read(&second).unwrap()), (2, bytes.to_vec()));
        let left: Vec<_> = list(&layout.items_folder())
            .unwrap()
            .into_iter()
            .filter(|name| name.to_str().unwrap().starts_with(".mcpw"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
