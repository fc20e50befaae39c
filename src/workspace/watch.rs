//! Watches an account's folder. What the watcher says is a hint: the engine waits, reads, and compares.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RenameMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::layout::Layout;
use super::{beside, mark};
use crate::error::{Error, Result};
use crate::model::{ItemId, PartId};
use crate::sync::Touch;

/// True where closing a file after writing is reported, so that the end of a save is known.
const CLOSES: bool = cfg!(target_os = "linux");

/// What the watcher saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Something happened at a file of the layout.
    Touched {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// What happened.
        touch: Touch,
    },
    /// Somebody saved or removed the comments file of an item, or we did.
    Comments(ItemId),
    /// A conflict file is gone.
    ConflictMissing {
        /// The item.
        item: ItemId,
        /// Which of its files the conflict is in.
        part: PartId,
    },
    /// Something happened in `new/`, among the readable links, or to a link that stands elsewhere.
    Beside(PathBuf),
    /// A mark was put into the folder, and all that happened before has been told.
    Mark(u64),
    /// Anything may have changed: events were lost, or a folder was moved.
    Rescan,
    /// Nobody tells of anything any more.
    Silence,
}

/// The links to mirrored files that stand outside of the workspace.
#[derive(Debug, Clone, Default)]
pub struct Links(Arc<RwLock<BTreeSet<PathBuf>>>);

impl Links {
    /// Takes a path in, or out.
    pub fn set(&self, path: &Path, is_link: bool) {
        let mut links = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if is_link {
            links.insert(path.into());
        } else {
            links.remove(path);
        }
    }

    /// Returns all of them.
    #[must_use]
    pub fn all(&self) -> Vec<PathBuf> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn has(&self, path: &Path) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(path)
    }
}

/// A running watch; dropping it ends it.
#[derive(Debug)]
pub struct Watch {
    watcher: RecommendedWatcher,
}

impl Watch {
    /// Watches the folders of the layout that may be others by now. One that is not there is told of when it comes.
    pub fn watch_again(&mut self, layout: &Layout) {
        for folder in layout.folders() {
            if let Err(error) = self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                tracing::warn!(%error, folder = %folder.display(), "a folder cannot be watched");
            }
        }
    }

    /// Watches the folders of links that stand outside of the workspace, too. A folder that is gone, or cannot be watched, is looked
    /// into whenever everything is.
    pub fn watch_links(&mut self, links: &Links) {
        let folders: BTreeSet<PathBuf> =
            links.all().iter().filter_map(|path| path.parent().map(Path::to_path_buf)).collect();
        for folder in folders {
            if let Err(error) = self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                tracing::warn!(%error, folder = %folder.display(), "the folder of a link cannot be watched");
            }
        }
    }
}

/// Watches the account's folder and calls `see` for each thing that concerns a file of the layout. `see` is called on
/// the watcher's own thread and must not block.
///
/// # Errors
///
/// `Disk` when the folder cannot be watched, such as when the system's limit of watches is reached.
pub fn watch(layout: &Layout, links: &Links, see: impl Fn(Seen) + Send + 'static) -> Result<Watch> {
    let folder = layout.account_folder();
    let failed = |source: notify::Error| Error::Disk {
        path: folder.clone(),
        doing: "watched",
        source: std::io::Error::other(source),
    };
    let translate = Translate { layout: layout.clone(), links: links.clone(), folder: folder.clone() };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| match event {
        Ok(event) => translate.event(&event, &see),
        Err(error) => {
            tracing::warn!(%error, "the watcher failed; every file is looked at again");
            see(Seen::Rescan);
        }
    })
    .map_err(failed)?;
    // Not what lies deeper: of what was sent with mails nobody asks, and each thread's has a folder of its own, of which a system
    // watches some thousands. A folder does not tell when one above it is moved away.
    for folder in layout.folders().iter().map(PathBuf::as_path).chain([layout.root()]) {
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
    }
    let mut watch = Watch { watcher };
    watch.watch_links(links);
    Ok(watch)
}

/// Turns the watcher's events into what the engine hears.
struct Translate {
    layout: Layout,
    links: Links,
    folder: PathBuf,
}

impl Translate {
    fn event(&self, event: &Event, see: &impl Fn(Seen)) {
        if event.need_rescan() {
            return see(Seen::Rescan);
        }
        for (index, path) in event.paths.iter().enumerate() {
            // A folder on the way to the files moved, so all of them did.
            if self.layout.folders().iter().any(|folder| folder.starts_with(path)) {
                if matters_for_folder(event.kind) {
                    see(Seen::Rescan);
                }
                continue;
            }
            let mut own = self.layout.new_folder().into_iter().chain([self.layout.by_name_folder()]);
            let is_own = own.any(|folder| path.parent() == Some(&folder)) && beside::is_new(path);
            if is_own || self.links.has(path) {
                if touch(event.kind, index, path).is_some() {
                    see(Seen::Beside(path.clone()));
                }
                continue;
            }
            if let Some(number) = mark::number(path) {
                see(Seen::Mark(number));
                continue;
            }
            if let Some(item) = self.layout.comments(path) {
                if matches!(touch(event.kind, index, path), Some(Touch::Complete | Touch::Missing)) {
                    see(Seen::Comments(item));
                }
                continue;
            }
            let Some(place) = self.layout.place(path) else { continue };
            let Some(touch) = touch(event.kind, index, path) else { continue };
            // What a conflict file says is ours to say; only that it is there matters.
            if place.conflict {
                if touch == Touch::Missing {
                    see(Seen::ConflictMissing { item: place.item, part: place.part });
                }
                continue;
            }
            see(Seen::Touched { item: place.item, part: place.part, touch });
        }
    }
}

impl std::fmt::Debug for Translate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Translate").field("folder", &self.folder).finish()
    }
}

const fn matters_for_folder(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => true,
        EventKind::Modify(ModifyKind::Any | ModifyKind::Data(_) | ModifyKind::Metadata(_) | ModifyKind::Other)
        | EventKind::Any
        | EventKind::Access(_)
        | EventKind::Other => false,
    }
}

/// Returns what an event of `kind` means for the path at `index` of its paths; `None` when nothing changed.
fn touch(kind: EventKind, index: usize, path: &Path) -> Option<Touch> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write | AccessMode::Any)) => Some(Touch::Complete),
        EventKind::Access(_) => None,
        // A link appears complete and is never closed, and neither is a pipe; any other new file is closed by its writer.
        EventKind::Create(CreateKind::Any | CreateKind::File | CreateKind::Other) if is_never_closed(path) => {
            Some(Touch::Complete)
        }
        // A folder in a file's place.
        EventKind::Create(CreateKind::Folder) => Some(Touch::Complete),
        EventKind::Create(CreateKind::Any | CreateKind::File | CreateKind::Other)
        | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any | ModifyKind::Other) => {
            Some(Touch::Modified { closes: CLOSES })
        }
        // Permissions and times change without any close; the text may have become readable again.
        EventKind::Modify(ModifyKind::Metadata(_)) | EventKind::Any | EventKind::Other => {
            Some(Touch::Modified { closes: false })
        }
        EventKind::Modify(ModifyKind::Name(mode)) => Some(match mode {
            RenameMode::To => Touch::Complete,
            RenameMode::From => Touch::Missing,
            RenameMode::Both if index == 0 => Touch::Missing,
            RenameMode::Both => Touch::Complete,
            // This system does not say which end of the rename this is.
            RenameMode::Any | RenameMode::Other if path.symlink_metadata().is_ok() => Touch::Complete,
            RenameMode::Any | RenameMode::Other => Touch::Missing,
        }),
        EventKind::Remove(_) => Some(Touch::Missing),
    }
}

fn is_never_closed(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    path.symlink_metadata().is_ok_and(|metadata| metadata.nlink() > 1 || !metadata.is_file())
}
