//! A config file of another program: read with limits, backed up, and replaced whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::clients::FILE_BYTES_MAX;
use crate::error::{Error, Result};

/// The most backups beside one file; a person who has that many should look at them first.
const BACKUPS_MAX: usize = 99;

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    /// The file itself: a link is followed, and stays one.
    path: PathBuf,
    text: String,
    /// Its permissions; `None` when it is not there.
    mode: Option<u32>,
}

impl ConfigFile {
    /// Reads a file; one that is missing is empty.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for what cannot be edited without harm: a link that leads nowhere, what is no file, another user's
    /// or a protected file, one that is too large or no text; `Disk` as it comes.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let disk = |source| Error::Disk { path: path.into(), doing: "read", source };
        let is_link = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata.is_symlink(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.into(), text: String::new(), mode: None });
            }
            Err(source) => return Err(disk(source)),
        };
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) if is_link && error.kind() == io::ErrorKind::NotFound => {
                return Err(refused(path, "it is a link that leads nowhere"));
            }
            Err(source) => return Err(disk(source)),
        };
        // Before it is opened: a pipe would be waited for.
        let metadata = fs::metadata(&target).map_err(disk)?;
        if !metadata.is_file() {
            return Err(refused(path, "it is no file"));
        }
        if metadata.len() > FILE_BYTES_MAX {
            return Err(refused(path, "it is larger than 10 MiB"));
        }
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(refused(path, "it belongs to another user"));
        }
        if metadata.permissions().readonly() {
            return Err(refused(path, "it is protected from being written"));
        }
        let mut bytes = Vec::new();
        File::open(&target).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)).map_err(disk)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            refused(path, &format!("it is not UTF-8 text (byte {})", error.utf8_error().valid_up_to()))
        })?;
        Ok(Self { path: target, text, mode: Some(metadata.mode() & 0o7777) })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Tells whether even its folder is missing.
    pub(crate) fn lacks_folder(&self) -> bool {
        !self.path.parent().is_some_and(Path::is_dir)
    }

    /// Copies the file beside itself and returns the copy; `None` when there is nothing to copy. An earlier copy is never
    /// overwritten, and one that says the same is enough.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when there are too many copies; `Disk` as it comes.
    pub(crate) fn back_up(&self) -> Result<Option<PathBuf>> {
        let Some(mode) = self.mode else { return Ok(None) };
        for number in 0..BACKUPS_MAX {
            let mut name = self.path.file_name().unwrap_or_default().to_owned();
            name.push(if number == 0 { ".bak".to_owned() } else { format!(".bak.{number}") });
            let copy = self.path.with_file_name(name);
            let disk = |source| Error::Disk { path: copy.clone(), doing: "written", source };
            if self.is_copied_in(&copy) {
                return Ok(Some(copy));
            }
            let new = match self.written_beside(&self.text, mode)?.persist_noclobber(&copy) {
                Ok(new) => new,
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(disk(error.error)),
            };
            new.sync_all().map_err(disk)?;
            return Ok(Some(copy));
        }
        Err(refused(&self.path, &format!("there are {BACKUPS_MAX} backups beside it already")))
    }

    /// Puts another text in its place and returns the backup. Whoever reads meanwhile sees the old text or the new one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when somebody else has changed it since it was read; `Disk` as it comes. In both cases nothing was
    /// changed.
    pub(crate) fn replace(&self, text: &str) -> Result<Option<PathBuf>> {
        let folder = self.folder();
        if self.mode.is_none() {
            fs::create_dir_all(folder).map_err(|source| Error::Disk { path: folder.into(), doing: "made", source })?;
        }
        let new = self.written_beside(text, self.mode.unwrap_or(0o600))?;
        let backup = self.back_up()?;
        let disk = |source| Error::Disk { path: self.path.clone(), doing: "replaced", source };
        let changed = || refused(&self.path, "another program has changed it just now");
        if self.mode.is_some() {
            // What is left of a race is the time between this look and the next line.
            if fs::read(&self.path).map_err(disk)? != self.text.as_bytes() {
                return Err(changed());
            }
            new.persist(&self.path).map_err(|error| disk(error.error))?;
        } else {
            new.persist_noclobber(&self.path).map_err(|error| {
                let is_there = error.error.kind() == io::ErrorKind::AlreadyExists;
                if is_there { changed() } else { disk(error.error) }
            })?;
        }
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(disk)?;
        Ok(backup)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn is_copied_in(&self, copy: &Path) -> bool {
        let same_length = |metadata: fs::Metadata| {
            metadata.is_file() && usize::try_from(metadata.len()).is_ok_and(|length| length == self.text.len())
        };
        fs::symlink_metadata(copy).is_ok_and(same_length)
            && fs::read(copy).is_ok_and(|bytes| bytes == self.text.as_bytes())
    }

    /// Writes a text into a file beside, durably; it goes away unless it is given a name.
    fn written_beside(&self, text: &str, mode: u32) -> Result<tempfile::NamedTempFile> {
        let disk = |source| Error::Disk { path: self.folder().into(), doing: "written into", source };
        let mut file = tempfile::Builder::new().prefix(".mcp-workspace-").tempfile_in(self.folder()).map_err(disk)?;
        file.as_file().set_permissions(Permissions::from_mode(mode)).map_err(disk)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(disk)?;
        Ok(file)
    }
}

fn refused(path: &Path, what: &str) -> Error {
    Error::InvalidInput {
        what: format!("{} was left as it is: {what}", path.display()),
        suggestion: "Look at that file, then run the command once more; with --print it says what to add by hand."
            .into(),
    }
}
