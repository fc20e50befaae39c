//! A state that was lost, or is older than the files: those that stand are taken in, and compared with the remote like any other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::Shared;
use crate::error::Result;
use crate::model::{Feed, ItemId, Millis, counted};
use crate::store::Store;
use crate::sync::{ItemStatus, Loaded, Status};
use crate::workspace::layout::Place;

/// How long a person is told of what has come to its end, in milliseconds.
const TOLD_MS: u64 = 3_600_000;

/// Why a start knows nothing of the items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Why {
    /// There was no database.
    Gone,
    /// The database was damaged, and stands here now.
    Damaged(PathBuf),
    /// It was older than the files; a copy stands here.
    Older(PathBuf),
    /// What says how new it should be is gone, or cannot be read; a copy stands here.
    Doubted(PathBuf),
}

/// A state that was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Lost {
    why: Why,
    /// How many items were found by their files.
    items: usize,
    /// When all was found to be compared.
    ended: Option<Millis>,
}

/// What this start, or one before it, found of a state that was lost; a person is told of it until an hour after all has been
/// compared anew and nothing is in conflict, over restarts too.
#[derive(Debug)]
pub(super) struct Recovered {
    lost: Mutex<Option<Lost>>,
    /// Whether this start found it.
    now: AtomicBool,
}

impl Recovered {
    /// Takes in what was found of the state of a store, or else what an earlier start had found.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub(super) fn new(found: Option<Why>, store: &mut Store, at: Millis) -> Result<Self> {
        let now = found.is_some();
        let lost = match found {
            Some(why) => Some(Lost { why, items: 0, ended: None }),
            None => store.lost()?.and_then(|told| serde_json::from_str(&told).ok()),
        };
        let recovered = Self { lost: Mutex::new(lost), now: AtomicBool::new(now) };
        if now {
            store.save_lost_at(at)?;
            recovered.save(store)?;
        }
        Ok(recovered)
    }

    /// Tells whether this start knows nothing of what the one before it was doing.
    pub(super) fn is_new(&self) -> bool {
        self.now.load(Ordering::Acquire)
    }

    fn lost(&self) -> MutexGuard<'_, Option<Lost>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save(&self, store: &mut Store) -> Result<()> {
        let lost = self.lost().clone();
        store.save_lost(lost.and_then(|lost| serde_json::to_string(&lost).ok()).as_deref())
    }

    /// Notes how many items were taken in.
    fn took_in(&self, items: usize, store: &mut Store, at: Millis) -> Result<()> {
        self.now.store(true, Ordering::Release);
        store.save_lost_at(at)?;
        self.lost().get_or_insert(Lost { why: Why::Gone, items, ended: None }).items = items;
        self.save(store)
    }

    /// Returns what a person should know; `None` when nothing was lost, or that is long over.
    ///
    /// # Errors
    ///
    /// `Storage` as it comes.
    pub(super) fn told(&self, status: &Status, shared: &Shared) -> Result<Option<String>> {
        let Some(mut lost) = self.lost().clone() else { return Ok(None) };
        let rests = |item: &ItemStatus| {
            let is_kept = item.parts.iter().any(|part| !part.conflicts.is_empty());
            item.phase == "idle" && !item.waiting && !is_kept
        };
        // What waits once all has been compared is told of by itself.
        if lost.ended.is_none() && status.items.iter().all(rests) {
            lost.ended = Some(status.now);
            *self.lost() = Some(lost.clone());
            self.save(&mut *shared.store()?)?;
        }
        if lost.ended.is_some_and(|ended| ended.0.saturating_add(TOLD_MS) < status.now.0) {
            *self.lost() = None;
            self.save(&mut *shared.store()?)?;
            return Ok(None);
        }
        // The database is that of the whole account, of which its documents tell; mail adds what was found of it.
        let has_more = lost.items > 0 || shared.workspace.layout().feed() == Feed::Drive;
        Ok(has_more.then(|| lost.told()))
    }
}

impl Lost {
    fn told(&self) -> String {
        let what = match &self.why {
            Why::Gone => "the state database was gone".to_owned(),
            Why::Damaged(path) => format!("the state database was damaged, and stands at {} now", path.display()),
            Why::Older(path) => {
                format!("the state database was older than your files: {} is a copy of it", path.display())
            }
            Why::Doubted(path) => format!(
                "what tells whether the state database is the newest is gone or cannot be read, so it was not gone by: {} is a copy of it",
                path.display()
            ),
        };
        let found = counted(self.items, "item");
        let unknown = match &self.why {
            Why::Older(_) | Why::Doubted(_) => {
                "whether the account is paused is as it was then; what was deleted here since, and links that `link` has put \
                 elsewhere since, are not known; `link` puts those anew"
            }
            Why::Gone | Why::Damaged(_) => {
                "that the account was paused, that a file was deleted here, the numbers of earlier pushes, and links that \
                 `link` put elsewhere are not known any more; `link` puts those anew"
            }
        };
        // Which text an editor has open that was opened before, or somebody has put away, nothing tells any more.
        let waits = "for a week the first save of a file that had changed within one, or is fetched or made since, waits for `push \
                     --accept`, since it may have been made from an older text";
        match self.ended {
            None => format!(
                "{what}; {found} found here: each is compared with its document anew; where the texts differ both are kept, \
                 and `resolve` ends that; {waits}; {unknown}"
            ),
            Some(_) => {
                format!(
                    "{what}; {found} found here: each was compared with its document; nothing is left to do now; {waits}; {unknown}"
                )
            }
        }
    }
}

/// Takes in the items whose files stand in the folder when the store knows of none and never read the feed. Nothing is taken
/// for agreed: a file that says something else than its document is an edit or a conflict. Tells whether there were any.
pub(super) fn take_in(shared: &Shared, loaded: &Loaded, standing: &[Place], now: Millis) -> Result<bool> {
    if !loaded.rows.is_empty() || loaded.cursor.is_some() || !loaded.jobs.is_empty() {
        return Ok(false);
    }
    let items: BTreeSet<ItemId> =
        standing.iter().filter(|place| !place.conflict).map(|place| place.item.clone()).collect();
    let items: Vec<ItemId> = items.into_iter().collect();
    if items.is_empty() {
        return Ok(false);
    }
    tracing::warn!(items = items.len(), "the state is new and files stand there: they are taken in");
    shared.workspace.distrust_displaced()?;
    shared.store()?.adopt(&items, shared.kind.name(), now)?;
    shared.recovered.took_in(items.len(), &mut *shared.store()?, now)?;
    Ok(true)
}
