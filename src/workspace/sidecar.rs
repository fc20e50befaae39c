//! The file of an item's comments: only read, written by us alone, and never a person's words lost to it.
//!
//! What the file says is the remote's, so it is replaced without asking. If somebody edited it all the same, their
//! file is put away first, whole, and they are told where.

use std::io;
use std::path::PathBuf;

use rustix::fs::{AtFlags, Mode};

use super::layout::comments_name;
use super::{NotDeposited, Workspace, disk, observe, open_folder, own_folder, place_where_none_is};
use crate::error::Result;
use crate::model::{ItemId, Millis};
use crate::sync::Local;

/// How often a file that changes under our hands is looked at again at once.
const TRIES_MAX: usize = 3;

/// Tells whether a text is one of ours as we wrote it.
pub type IsOurs<'a> = &'a (dyn Fn(&str) -> bool + Sync);

impl Workspace {
    /// Makes the comments file of an item say `text`, or removes it. A file that is not as we wrote it is put away;
    /// returns where. Nothing is written for an item whose files are all hidden.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id is not ours; `Disk` as it comes.
    pub fn put_comments(
        &self,
        item: &ItemId,
        text: Option<&str>,
        is_ours: IsOurs<'_>,
        at: Millis,
    ) -> Result<Option<PathBuf>> {
        let name = comments_name(item)?;
        let path = self.layout().drive_folder().join(&name);
        own_folder(&self.layout().account_folder())?;
        own_folder(&self.layout().drive_folder())?;
        if !self.files(item)?.iter().any(|place| !place.conflict) {
            return Ok(None);
        }
        let folder = self.folder()?;
        let mut kept = None;
        for _ in 0..TRIES_MAX {
            let standing = match observe::observe(&folder, &path, &name) {
                Local::Text { text: now, stamp, .. } if is_ours(&now) => {
                    if text == Some(now.as_str()) {
                        return Ok(kept);
                    }
                    Some(stamp)
                }
                Local::Absent => None,
                Local::Text { .. } | Local::Unusable { .. } => {
                    kept = self.keep(&name, is_ours, at)?.or(kept);
                    None
                }
                // Somebody is writing it: they are heard when they are done.
                Local::Restless => return Ok(kept),
            };
            let Some(text) = text else {
                return Ok(if standing.is_some() { self.keep(&name, is_ours, at)?.or(kept) } else { kept });
            };
            let (new_name, new) = self.write_new(&folder, text.as_bytes())?;
            // An editor shows at once that there is nothing to save here.
            rustix::fs::fchmod(&new, Mode::RUSR).map_err(|errno| disk(&path, "made read-only", errno.into()))?;
            let placed = match standing {
                None => place_where_none_is(&folder, &new_name, &name, &path),
                Some(stamp) => self.exchange(&folder, (&new_name, &new), &name, stamp),
            };
            match placed {
                Ok(()) => {
                    rustix::fs::fsync(&folder).map_err(|errno| disk(&path, "written", errno.into()))?;
                    return Ok(kept);
                }
                Err(failure) => {
                    let removed = rustix::fs::unlinkat(&folder, &new_name, AtFlags::empty());
                    tracing::debug!(?removed, "a comments file that was not placed is removed");
                    if let NotDeposited::Failed(error) = failure {
                        return Err(error);
                    }
                }
            }
        }
        Err(disk(&path, "written", io::ErrorKind::ResourceBusy.into()))
    }

    /// Tells whether the comments file of an item is missing, or not as we wrote it.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id is not ours; `Disk` when the folder cannot be opened.
    pub fn comments_are_disturbed(&self, item: &ItemId, is_ours: IsOurs<'_>) -> Result<bool> {
        let name = comments_name(item)?;
        let path = self.layout().drive_folder().join(&name);
        Ok(match observe::observe(&self.folder()?, &path, &name) {
            Local::Text { text, .. } => !is_ours(&text),
            Local::Absent | Local::Unusable { .. } => true,
            Local::Restless => false,
        })
    }

    /// Moves the comments file out of the way, whole, whatever it has become; one that is still as we wrote it is then
    /// removed. Returns where a person's stands now.
    fn keep(&self, name: &str, is_ours: IsOurs<'_>, at: Millis) -> Result<Option<PathBuf>> {
        let day = self.retired_folder(at)?;
        let (from, to) = (self.folder()?, open_folder(&day)?);
        let Some(kept) = self.put_away(&from, &to, (name, name))? else { return Ok(None) };
        let path = day.join(&kept);
        for folder in [&from, &to] {
            rustix::fs::fsync(folder).map_err(|errno| disk(&path, "written", errno.into()))?;
        }
        // Looked at where nobody's save can reach it any more.
        if let Local::Text { text, .. } = observe::observe(&to, &path, &kept)
            && is_ours(&text)
        {
            rustix::fs::unlinkat(&to, &kept, AtFlags::empty()).map_err(|e| disk(&path, "removed", e.into()))?;
            return Ok(None);
        }
        Ok(Some(path))
    }
}
