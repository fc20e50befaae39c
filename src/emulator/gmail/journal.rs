//! The mailbox on disk: the list of its changes, each written before it is answered.
//!
//! The raw bytes stand where the bytes of all files stand, under their hash.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::mailbox::{Change, Mailbox};
use crate::error::{Error, Result};

/// A mailbox with the list that it is made from.
#[derive(Debug, Default)]
pub(in crate::emulator) struct Mail {
    /// The mailbox.
    pub(super) mailbox: Mailbox,
    journal: Option<(PathBuf, File)>,
}

impl Mail {
    /// Opens the mailbox of a state folder, or an empty one.
    pub(in crate::emulator) fn open(dir: Option<&Path>) -> Result<Self> {
        let Some(dir) = dir else { return Ok(Self::default()) };
        let path = dir.join("mail.jsonl");
        let failed = |doing| move |source| Error::Disk { path: dir.join("mail.jsonl"), doing, source };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(failed("opened"))?;
        let bytes = fs::read(&path).map_err(failed("read"))?;
        let mut mailbox = Mailbox::default();
        // A last line without an end was being written when the program was killed: nobody was told of it.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
        {
            let change: Change = serde_json::from_slice(line).map_err(|error| failed("read")(error.into()))?;
            mailbox.apply(&change);
        }
        let length = u64::try_from(whole).unwrap_or(u64::MAX);
        file.set_len(length).map_err(failed("written"))?;
        file.seek(SeekFrom::End(0)).map_err(failed("written"))?;
        Ok(Self { mailbox, journal: Some((path, file)) })
    }

    /// Carries out changes: all of them, or none when they cannot be kept.
    pub(super) fn change(&mut self, changes: &[Change]) -> Result<()> {
        if let Some((path, file)) = &mut self.journal {
            let mut lines = Vec::new();
            for change in changes {
                serde_json::to_writer(&mut lines, change).map_err(|error| disk(path, error.into()))?;
                lines.push(b'\n');
            }
            let before = file.metadata().map_err(|source| disk(path, source))?.len();
            if let Err(source) = file.write_all(&lines).and_then(|()| file.sync_data()) {
                // Half a list must not be read as one later.
                file.set_len(before).map_err(|source| disk(path, source))?;
                return Err(disk(path, source));
            }
        }
        changes.iter().for_each(|change| self.mailbox.apply(change));
        Ok(())
    }
}

fn disk(path: &Path, source: std::io::Error) -> Error {
    Error::Disk { path: path.to_owned(), doing: "written", source }
}
