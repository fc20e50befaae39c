//! A state that was lost: the files that stand are taken in, and compared with the remote like any other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::Shared;
use crate::error::Result;
use crate::model::{ItemId, Millis, counted};
use crate::sync::{ItemStatus, Loaded, Status};
use crate::workspace::layout::Place;

/// How long a person is told of what has come to its end.
const TOLD: Duration = Duration::from_secs(3_600);

/// What this start found of a state that was lost; a person is told of it until an hour after all has been compared anew and
/// nothing is in conflict.
#[derive(Debug, Default)]
pub(super) struct Recovered {
    damaged: Option<PathBuf>,
    taken_in: Mutex<usize>,
    /// When all was found to be compared.
    ended: OnceLock<Instant>,
}

impl Recovered {
    /// Notes where a damaged database was put.
    pub(super) fn new(damaged: Option<PathBuf>) -> Self {
        Self { damaged, ..Self::default() }
    }

    /// Returns what a person should know; `None` when nothing was lost, or that is long over.
    pub(super) fn told(&self, status: &Status) -> Option<String> {
        let taken_in = *self.taken_in.lock().unwrap_or_else(PoisonError::into_inner);
        let aside = match &self.damaged {
            Some(path) => format!("the state database was damaged, and stands at {} now", path.display()),
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
            return Some(format!(
                "{aside}; {found} found here: each is compared with its document anew; where the texts differ both are kept, \
                 and `resolve` ends that; that the account was paused, that a file was deleted here, and the numbers of earlier \
                 pushes are not known any more"
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
