//! Whether all that the watcher saw has reached the engine: a file of our own is put into the folder, and what the watcher saw
//! before that is told before it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use super::{Shared, blocking};
use crate::error::{Error, Result};
use crate::workspace::Seen;

/// How long the watcher may take to tell of a mark; then it is taken to be dead.
const MARK_WAIT: Duration = Duration::from_secs(2);

/// The marks that were put into the folder and not told of yet.
#[derive(Debug, Default)]
pub(super) struct Heard {
    is_watched: AtomicBool,
    last: AtomicU64,
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<()>>>,
}

impl Heard {
    /// Notes whether somebody watches the folder; what an earlier watcher saw will never be told.
    pub(super) fn watched(&self, is_watched: bool) {
        self.is_watched.store(is_watched, Ordering::Release);
        self.all();
    }

    /// The watcher saw a mark.
    pub(super) fn mark(&self, number: u64) {
        if let Some(waiting) = self.waiting().remove(&number) {
            // Who waited may have gone.
            _ = waiting.send(());
        }
    }

    /// The engine knows that anything may have changed, which is more than any event says.
    pub(super) fn all(&self) {
        self.waiting().clear();
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<u64, oneshot::Sender<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until the engine has heard of everything that happened in the folder up to now, as far as anybody watches it.
///
/// # Errors
///
/// `Disk` when no file can be made there, or when the watcher says nothing, upon which the folder is watched anew.
pub(super) async fn all_that_happened(shared: &Shared) -> Result<()> {
    let heard = &shared.heard;
    if !heard.is_watched.load(Ordering::Acquire) {
        return Ok(());
    }
    let number = heard.last.fetch_add(1, Ordering::Relaxed);
    let (told, telling) = oneshot::channel();
    heard.waiting().insert(number, told);
    let workspace = shared.workspace.clone();
    let mark = blocking(move || workspace.put_mark(number)).await;
    let mark = mark.inspect_err(|_| drop(heard.waiting().remove(&number)))?;
    // An error says that all marks were let go of, because of a rescan.
    let answer = tokio::time::timeout(MARK_WAIT, telling).await;
    drop(mark);
    if answer.is_err() {
        heard.waiting().remove(&number);
        (shared.see)(Seen::Silence);
        let path = shared.workspace.layout().items_folder();
        return Err(Error::Disk { path, doing: "watched", source: std::io::ErrorKind::TimedOut.into() });
    }
    Ok(())
}
