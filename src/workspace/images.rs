//! The pictures of an item: a folder beside its files, a file for each, named by its object.

use std::fs::{self, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode};

use super::{NUMBERED_MAX, RETIRED, Workspace, disk, list, open_below, open_folder, own_folder, rename_new};
use crate::error::Result;
use crate::model::{ContentHash, ItemId, Millis};

impl Workspace {
    /// Returns the length in bytes of the file of a picture, if it stands; what it holds is its owner's business.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id is not ours.
    pub fn image_stands(&self, item: &ItemId, name: &str) -> Result<Option<u64>> {
        let path = self.layout().images_folder(item)?.join(name);
        Ok(fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| metadata.len()))
    }

    /// Writes the file of a picture, whole or not at all. A file that stands there and is not `known`, which is what was
    /// written last, is put away first: somebody may have drawn in it.
    ///
    /// # Errors
    ///
    /// `Unsafe` when the folder is not ours alone; `Disk` as it comes.
    pub fn put_image(
        &self,
        item: &ItemId,
        name: &str,
        bytes: &[u8],
        known: Option<ContentHash>,
        at: Millis,
    ) -> Result<()> {
        let folder = self.layout().images_folder(item)?;
        let path = folder.join(name);
        self.make_room(item, name, known, at)?;
        let drive = self.folder()?;
        let own = self.apart(item)?;
        let (new_name, _new) = self.write_new(&drive, bytes)?;
        if let Err(errno) = rustix::fs::renameat(&drive, &new_name, &own, name) {
            let removed = rustix::fs::unlinkat(&drive, &new_name, AtFlags::empty());
            tracing::debug!(?removed, "a picture that was not placed is removed");
            return Err(disk(&path, "written", errno.into()));
        }
        rustix::fs::fsync(&own).map_err(|errno| disk(&folder, "written", errno.into()))
    }

    /// Makes the folder of an item's pictures, and puts away what stands at a name in it and is not `known`.
    pub(super) fn make_room(&self, item: &ItemId, name: &str, known: Option<ContentHash>, at: Millis) -> Result<()> {
        let folder = self.layout().images_folder(item)?;
        own_folder(&self.layout().account_folder())?;
        own_folder(&self.layout().items_folder())?;
        folder.parent().map_or(Ok(()), own_folder)?;
        own_folder(&folder)?;
        let path = folder.join(name);
        let is_known = known.is_some() && hash_of(&path) == known;
        if fs::symlink_metadata(&path).is_ok() && !is_known {
            self.retire_image(item, name, at)?;
        }
        Ok(())
    }

    /// Opens the folder of an item's pictures without following a link anywhere below the root.
    pub(super) fn apart(&self, item: &ItemId) -> Result<OwnedFd> {
        let (mut path, whole) = (self.layout().items_folder(), self.layout().images_folder(item)?);
        let mut folder = self.folder()?;
        for piece in whole.strip_prefix(&path).unwrap_or(&whole).to_path_buf().iter().filter_map(|piece| piece.to_str())
        {
            path.push(piece);
            folder = open_below(&folder, piece, &path)?;
        }
        Ok(folder)
    }

    /// Puts the file of a picture away into `.retired/{date}/{item}/`; nothing is deleted.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes.
    pub fn retire_image(&self, item: &ItemId, name: &str, at: Millis) -> Result<()> {
        let folder = self.layout().images_folder(item)?;
        let day = self.retired_folder(at)?;
        let to_path = day.join(&item.0);
        own_folder(&to_path)?;
        let (from, to) = match self.apart(item) {
            Ok(from) => (from, open_folder(&to_path)?),
            Err(crate::error::Error::Disk { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let numbered =
            |number: usize| if number == 1 { name.to_owned() } else { format!("{stem} ({number}).{ending}") };
        for number in 1..NUMBERED_MAX {
            match rename_new(&from, name, &to, &numbered(number)) {
                Ok(()) => return rustix::fs::fsync(&to).map_err(|errno| disk(&to_path, "written", errno.into())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(disk(&folder.join(name), "put away", error)),
            }
        }
        Err(disk(&folder.join(name), "put away", io::ErrorKind::AlreadyExists.into()))
    }

    /// Puts the whole folder of an item's pictures away.
    ///
    /// # Errors
    ///
    /// `Disk` as it comes; what was moved before stays moved.
    pub(super) fn retire_images(&self, item: &ItemId, at: Millis) -> Result<()> {
        let folder = self.layout().images_folder(item)?;
        if !fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir()) {
            return Ok(());
        }
        for name in list(&folder)?.into_iter().filter_map(|name| name.into_string().ok()) {
            self.retire_image(item, &name, at)?;
        }
        // What is left has a name that no picture of ours has; then the folder stays.
        let removed = fs::remove_dir(&folder);
        tracing::debug!(?removed, "the folder of the pictures is gone");
        Ok(())
    }

    /// Reads a file that a text names, if it is a regular file in the workspace or below one of `allowed`, without
    /// following a link out of there; `base` is where a relative path begins. At most `bytes_max` bytes.
    ///
    /// # Errors
    ///
    /// A sentence that says why it is not read.
    pub fn read_named(
        &self,
        base: &Path,
        named: &str,
        allowed: &[std::path::PathBuf],
        bytes_max: usize,
    ) -> Result<Vec<u8>, String> {
        use std::io::Read as _;

        let path = base.join(named);
        // The whole way is resolved first; what is opened is the file at its end, by folders that are no links.
        let real = fs::canonicalize(&path).map_err(|error| format!("`{named}` cannot be read ({error})"))?;
        let inside = |root: &Path| fs::canonicalize(root).is_ok_and(|root| real.starts_with(root));
        let hidden = fs::canonicalize(self.layout().root()).is_ok_and(|root| real.starts_with(root.join(RETIRED)));
        if hidden || !(inside(self.layout().root()) || allowed.iter().any(|root| inside(root))) {
            return Err(format!("`{named}` lies outside the workspace and the folders that the config allows"));
        }
        let open =
            |flags| rustix::fs::openat(rustix::fs::CWD, &real, flags | rustix::fs::OFlags::CLOEXEC, Mode::empty());
        // Without NONBLOCK, opening a pipe would wait for its writer.
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let opened: OwnedFd = open(flags).map_err(|errno| format!("`{named}` cannot be read ({errno})"))?;
        let mut file = fs::File::from(opened);
        // RACE: a folder on the way may become a link between resolving and opening; only the same user can do that,
        // who may read the file anyway.
        let metadata = file.metadata().map_err(|error| format!("`{named}` cannot be read ({error})"))?;
        if !metadata.is_file() {
            return Err(format!("`{named}` is not a regular file"));
        }
        let too_large = || format!("`{named}` is larger than {} MB", bytes_max >> 20);
        if usize::try_from(metadata.len()).map_or(true, |length| length > bytes_max) {
            return Err(too_large());
        }
        let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        (&mut file)
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("`{named}` cannot be read ({error})"))?;
        if bytes.len() > bytes_max { Err(too_large()) } else { Ok(bytes) }
    }
}

/// The hash of a file; `None` when it cannot be read or is larger than any picture of ours.
fn hash_of(path: &Path) -> Option<ContentHash> {
    const BYTES_MAX: u64 = 64 << 20;
    let metadata = fs::symlink_metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= BYTES_MAX)
        .then(|| fs::read(path).ok())
        .flatten()
        .map(|bytes| ContentHash::of(&bytes))
}
