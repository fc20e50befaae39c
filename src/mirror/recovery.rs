//! A state that was lost, or is older than the files: those that stand are taken in, and compared with the remote like any other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::{Shared, blocking};
use crate::error::Result;
use crate::model::{ItemId, Millis, counted};
use crate::store::Store;
use crate::sync::{ItemStatus, Loaded, Status};
use crate::workspace::Workspace;
use crate::workspace::layout::Place;

/// How long a person is told of what has come to its end.
const TOLD: Duration = Duration::from_secs(3_600);

/// How long an epoch lasts while something changes: a state that was copied before its end and put back after it is known for an
/// older one.
const EPOCH: Duration = Duration::from_secs(300);

/// Why a start knows nothing of the items.
#[derive(Debug)]
pub(super) enum Lost {
    /// The database was damaged, and stands here now.
    Damaged(PathBuf),
    /// It was older than the files; a copy stands here.
    Older(PathBuf),
}

/// What this start found of a state that was lost; a person is told of it until an hour after all has been compared anew and
/// nothing is in conflict.
#[derive(Debug, Default)]
pub(super) struct Recovered {
    lost: Option<Lost>,
    taken_in: Mutex<usize>,
    /// When all was found to be compared.
    ended: OnceLock<Instant>,
}

impl Recovered {
    /// Notes what was lost.
    pub(super) fn new(lost: Option<Lost>) -> Self {
        Self { lost, ..Self::default() }
    }

    /// Returns what a person should know; `None` when nothing was lost, or that is long over.
    pub(super) fn told(&self, status: &Status) -> Option<String> {
        let taken_in = *self.taken_in.lock().unwrap_or_else(PoisonError::into_inner);
        let aside = match &self.lost {
            Some(Lost::Damaged(path)) => {
                format!("the state database was damaged, and stands at {} now", path.display())
            }
            Some(Lost::Older(path)) => {
                format!("the state database was older than your files: {} is a copy of it", path.display())
            }
            None if taken_in > 0 => "the state database was gone".to_owned(),
            None => return None,
        };
        let found = counted(taken_in, "item");
        let rests = |item: &ItemStatus| {
            let is_kept = item.parts.iter().any(|part| !part.conflicts.is_empty());
            item.phase == "idle" && !item.waiting && !is_kept
        };
        // What waits once all has been compared is told of by itself.
        if self.ended.get().is_none() && !status.items.iter().all(rests) {
            let unknown = match &self.lost {
                Some(Lost::Older(_)) => {
                    "whether the account is paused is as it was then, and what was deleted here since is not known any more"
                }
                Some(Lost::Damaged(_)) | None => {
                    "that the account was paused, that a file was deleted here, and the numbers of earlier pushes are not known \
                     any more"
                }
            };
            return Some(format!(
                "{aside}; {found} found here: each is compared with its document anew; where the texts differ both are kept, \
                 and `resolve` ends that; {unknown}"
            ));
        }
        let is_new = self.ended.get_or_init(Instant::now).elapsed() < TOLD;
        is_new
            .then(|| format!("{aside}; {found} found here: each was compared with its document; nothing is left to do"))
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
    shared.store()?.adopt(&items, now)?;
    *shared.recovered.taken_in.lock().unwrap_or_else(PoisonError::into_inner) = items.len();
    Ok(true)
}

/// Looks whether a database is older than the files, as one is that was put back from a backup, and forgets what it knows of
/// them then: what was agreed on since would be taken for edits. The next epoch begins. Returns where a copy is.
///
/// # Errors
///
/// `Disk` and `Storage` as they come; nothing may be mirrored then.
pub(super) fn know_epoch(workspace: &Workspace, store: &mut Store, now: Millis) -> Result<Option<Lost>> {
    let seen = workspace.epoch(store.path());
    let is_older =
        seen.is_some_and(|seen| store.epoch().is_ok_and(|known| known.is_none_or(|known| known.is_older(&seen))));
    let mut lost = None;
    if is_older && !store.is_new()? {
        let kept = store.forget_items(now)?;
        tracing::error!(kept = %kept.display(), "the state database is older than the files and is not gone by");
        lost = Some(Lost::Older(kept));
    }
    begin_epoch(workspace, store);
    Ok(lost)
}

/// Begins the next epoch of a database. It is in the database before it is beside the files, so that no crash makes an older one of
/// it. Where that cannot be written, as on a full disk, the one before goes on.
fn begin_epoch(workspace: &Workspace, store: &mut Store) {
    let noted = store.begin_epoch().and_then(|epoch| workspace.note_epoch(store.path(), &epoch));
    if let Err(error) = noted {
        tracing::warn!(%error, "the epoch of the database could not be noted; the one before goes on");
    }
}

/// Begins an epoch now and then while something changes, for as long as it is let run.
pub(super) async fn keep_epochs(shared: Arc<Shared>) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(EPOCH).await;
        let shared = shared.clone();
        seen = blocking(move || next_epoch(&shared, seen)).await.unwrap_or(seen);
    }
}

/// Begins an epoch if something has changed since `seen`; returns what to see next.
pub(super) fn next_epoch(shared: &Shared, seen: u64) -> Result<u64> {
    let mut store = shared.store()?;
    if store.changes() != seen {
        begin_epoch(&shared.workspace, &mut store);
    }
    Ok(store.changes())
}
