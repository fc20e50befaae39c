//! The files that stand beside those of an item, its comments and its conflicts: only read, written by us alone, and never a
//! person's words lost to them.
//!
//! They are replaced without asking. If somebody edited one all the same, their file is put away first, whole, and they are
//! told where.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode};

use super::layout::{Place, comments_name, comments_of_name};
use super::{NotDeposited, Workspace, disk, list, observe, open_folder, own_folder, place_where_none_is};
use crate::error::Result;
use crate::model::{ItemId, Millis, PartId};
use crate::sync::Local;

/// The longest of these files that is read, in bytes: one of conflicts has three texts of a file, and more.
const SIDECAR_BYTES_MAX: u64 = 4 * observe::FILE_BYTES_MAX;

/// How often a file that changes under our hands is looked at again at once.
const TRIES_MAX: usize = 3;

/// Tells whether a text is one of ours as we wrote it.
pub type IsOurs<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// A file that stands beside those of an item.
struct Sidecar<'a> {
    name: String,
    is_ours: IsOurs<'a>,
    /// Whether it is kept where it ends.
    is_kept: bool,
}

fn observe(folder: &OwnedFd, path: &Path, name: &str) -> Local {
    observe::observe_up_to(SIDECAR_BYTES_MAX, folder, path, name)
}

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
        self.own_folders()?;
        if !self.files(item)?.iter().any(|place| !place.conflict) {
            return Ok(None);
        }
        self.put_sidecar(&Sidecar { name, is_ours, is_kept: false }, text, at)
    }

    /// Makes the conflict file of a part say `text`, or puts it away. One that is not as we wrote it is put away in any case;
    /// returns where.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id is not ours; `Disk` as it comes.
    pub fn put_conflict(
        &self,
        (item, part): (&ItemId, &PartId),
        text: Option<&str>,
        is_ours: IsOurs<'_>,
        at: Millis,
    ) -> Result<Option<PathBuf>> {
        let name = Place::conflict(item, part).name()?;
        self.own_folders()?;
        self.heard_of(Place::conflict(item, part));
        self.put_sidecar(&Sidecar { name, is_ours, is_kept: true }, text, at)
    }

    fn own_folders(&self) -> Result<()> {
        own_folder(&self.layout().account_folder())?;
        own_folder(&self.layout().items_folder())
    }

    fn put_sidecar(&self, sidecar: &Sidecar<'_>, text: Option<&str>, at: Millis) -> Result<Option<PathBuf>> {
        let Sidecar { name, is_ours, is_kept } = sidecar;
        let (path, folder) = (self.layout().items_folder().join(name), self.folder()?);
        let mut kept = None;
        for _ in 0..TRIES_MAX {
            let standing = match observe(&folder, &path, name) {
                Local::Text { text: now, stamp, .. } if is_ours(&now) => {
                    if text == Some(now.as_str()) {
                        return Ok(kept);
                    }
                    Some(stamp)
                }
                Local::Absent => None,
                // Somebody is writing the comments: they are heard when they are done. A conflict must be shown at once.
                Local::Restless if !is_kept => return Ok(kept),
                Local::Text { .. } | Local::Unusable { .. } | Local::Restless => {
                    kept = self.keep(name, is_ours, at)?.or(kept);
                    None
                }
            };
            let Some(text) = text else {
                return Ok(match standing {
                    Some(_) if *is_kept => {
                        self.keep(name, &|_| false, at)?;
                        kept
                    }
                    Some(_) => self.keep(name, is_ours, at)?.or(kept),
                    None => kept,
                });
            };
            let (new_name, new) = self.write_new(&folder, text.as_bytes())?;
            // An editor shows at once that there is nothing to save here.
            rustix::fs::fchmod(&new, Mode::RUSR).map_err(|errno| disk(&path, "made read-only", errno.into()))?;
            let placed = match standing {
                None => place_where_none_is(&folder, &new_name, name, &path),
                Some(stamp) => self.exchange(&folder, (&new_name, &new), name, stamp),
            };
            match placed {
                Ok(()) => {
                    rustix::fs::fsync(&folder).map_err(|errno| disk(&path, "written", errno.into()))?;
                    return Ok(kept);
                }
                Err(failure) => {
                    let removed = rustix::fs::unlinkat(&folder, &new_name, AtFlags::empty());
                    tracing::debug!(?removed, "a file that was not placed is removed");
                    if let NotDeposited::Failed(error) = failure {
                        return Err(error);
                    }
                }
            }
        }
        Err(disk(&path, "written", io::ErrorKind::ResourceBusy.into()))
    }

    /// Returns the items of which a comments file stands in the folder.
    ///
    /// # Errors
    ///
    /// `Disk` when the folder cannot be listed.
    pub fn commented_items(&self) -> Result<Vec<ItemId>> {
        let names = list(&self.layout().items_folder())?.into_iter();
        Ok(names.filter_map(|name| comments_of_name(name.to_str()?)).collect())
    }

    /// Tells whether the comments file of an item is missing, or not as we wrote it.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id is not ours; `Disk` when the folder cannot be opened.
    pub fn comments_are_disturbed(&self, item: &ItemId, is_ours: IsOurs<'_>) -> Result<bool> {
        let name = comments_name(item)?;
        let path = self.layout().items_folder().join(&name);
        Ok(match observe(&self.folder()?, &path, &name) {
            Local::Text { text, .. } => !is_ours(&text),
            Local::Absent | Local::Unusable { .. } => true,
            Local::Restless => false,
        })
    }

    /// Moves a file out of the way, whole, whatever it has become; one that is still as we wrote it is then
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
        if let Local::Text { text, .. } = observe(&to, &path, &kept)
            && is_ours(&text)
        {
            rustix::fs::unlinkat(&to, &kept, AtFlags::empty()).map_err(|e| disk(&path, "removed", e.into()))?;
            return Ok(None);
        }
        Ok(Some(path))
    }
}
