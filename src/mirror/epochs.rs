//! The epochs of the database: each change begins one, which is noted beside the files, so that a database that was put back is known
//! for an older one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::recovery::Why;
use super::{Shared, blocking};
use crate::error::Result;
use crate::model::{Epoch, Millis};
use crate::store::{Store, boot};
use crate::workspace::{EpochFile, Noted, Watermark, Workspace};

/// How long it takes, while something changes, until an epoch is on the disk for certain.
const DURABLE: Duration = Duration::from_secs(60);

/// Where the epochs of the database go.
#[derive(Debug)]
pub(super) struct Epochs {
    file: EpochFile,
    durable: AtomicU64,
    /// Why the last one could not be noted.
    failed: Mutex<Option<String>>,
}

impl Epochs {
    pub(super) fn new(file: EpochFile) -> Self {
        Self { file, durable: AtomicU64::new(0), failed: Mutex::default() }
    }

    /// Returns why the newest epoch is not noted, when it is not.
    pub(super) fn failed(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn mark(&self, epoch: &Epoch) -> Watermark {
        Watermark {
            epoch: epoch.clone(),
            durable: self.durable.load(Ordering::Acquire),
            boot: boot().map(str::to_owned),
        }
    }

    fn heard(&self, epoch: &Epoch, durable: bool) {
        if durable {
            self.durable.store(epoch.number, Ordering::Release);
        }
        self.end(self.file.note(&self.mark(epoch)));
    }

    /// Begins an epoch that is on the disk, and beside the files after that, so that no crash makes an older one of the database.
    /// Where that cannot be written, as on a full disk, the one before goes on.
    fn begin(&self, store: &mut Store) {
        self.end(store.begin_epoch().and_then(|epoch| {
            self.durable.store(epoch.number, Ordering::Release);
            self.file.note_durably(&self.mark(&epoch))
        }));
    }

    fn end(&self, noted: Result<()>) {
        let failed = noted.err().map(|error| format!("{}. {}", error.with_causes(), error.suggestion()));
        let mut last = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed.as_ref().filter(|_| last.is_none()) {
            tracing::warn!(error, "the epoch of the database could not be noted beside the files");
        }
        *last = failed;
    }
}

/// Looks whether a database is older than the files, as one is that was put back from a backup, and forgets what it knows of them
/// then: what was agreed on since would be taken for edits. From then on its epochs are noted.
///
/// # Errors
///
/// `Disk` and `Storage` as they come; nothing may be mirrored then.
pub(super) fn begin(
    epochs: &Arc<Epochs>,
    store: &mut Store,
    workspace: &Workspace,
    now: Millis,
) -> Result<Option<Why>> {
    let known = store.epoch()?;
    let noted = epochs.file.noted();
    let name = epochs.file.name();
    let is_behind = match &noted {
        // Under another name there was none yet: the machine or the database has another one. Where all files are away, too, there
        // is nothing that could be taken for edits.
        Noted::Nothing => store.noted_in()?.as_ref() == Some(&name) && !workspace.all_files()?.is_empty(),
        Noted::Unreadable => true,
        Noted::Watermark(mark) => known.as_ref().is_none_or(|known| mark.is_newer(known, boot())),
    };
    let lost = match (is_behind, store.is_new()?) {
        (false, _) => None,
        (true, true) => Some(Why::Gone),
        (true, false) => {
            let kept = store.forget_items(now)?;
            tracing::error!(kept = %kept.display(), ?noted, "the state database is not known for the newest and is not gone by");
            Some(if matches!(noted, Noted::Watermark(_)) { Why::Older(kept) } else { Why::Doubted(kept) })
        }
    };
    epochs.begin(store);
    if epochs.failed().is_none() {
        store.save_noted_in(&name)?;
    }
    let witness = epochs.clone();
    store.set_witness(move |epoch, durable| witness.heard(epoch, durable));
    Ok(lost)
}

/// Has an epoch on the disk now and then while something changes, for as long as it is let run.
pub(super) async fn keep(shared: Arc<Shared>) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(DURABLE).await;
        let shared = shared.clone();
        seen = blocking(move || next(&shared, seen)).await.unwrap_or(seen);
    }
}

/// Has an epoch on the disk if something has changed since `seen`; returns what to see next.
pub(super) fn next(shared: &Shared, seen: u64) -> Result<u64> {
    let mut store = shared.store()?;
    if store.changes() != seen {
        shared.epochs.begin(&mut store);
    }
    Ok(store.changes())
}
