//! The comments file beside an item's own: written when the item was read, written again when somebody touched it, and
//! the way back for answers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::handle::MirrorHandle;
use super::{Message, Shared, blocking};
use crate::error::{Error, Result};
use crate::kinds::sidecar::is_sealed;
use crate::kinds::{CommentAct, CommentPlace, Comments, Fetched, Lack};
use crate::model::{ItemId, Millis};
use crate::sync::Command;
use crate::workspace::layout::comments_name;

/// How long after a touch the file is looked at: editors save in several steps.
const QUIET: Duration = Duration::from_millis(500);

/// How long after something of an item could not be read the item is read again.
const LATER: Duration = Duration::from_secs(60);

/// Files put away that are told of in the status; the oldest go first, but only from there.
const KEPT_MAX: usize = 100;

/// For how long they are told of.
const KEPT_TOLD: Duration = Duration::from_secs(24 * 3_600);

/// Files that people edited though they are only read, and where they stand now. A restart forgets the list, not the
/// files.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(Mutex<Vec<(ItemId, PathBuf, Instant)>>);

/// Items that are to be read again because their comments, or what else they lack, could not be.
#[derive(Debug, Default)]
pub(super) struct Later(Mutex<BTreeSet<ItemId>>);

impl Later {
    fn set(&self) -> MutexGuard<'_, BTreeSet<ItemId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptFiles {
    pub(super) fn add(&self, item: &ItemId, path: PathBuf) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() >= KEPT_MAX {
            list.remove(0);
        }
        list.push((item.clone(), path, Instant::now()));
    }

    /// Returns those of the last day, the oldest first.
    pub(super) fn list(&self) -> Vec<(ItemId, PathBuf)> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|(_, _, at)| at.elapsed() < KEPT_TOLD);
        list.iter().map(|(item, path, _)| (item.clone(), path.clone())).collect()
    }
}

/// What became of an answer to a comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommentReport {
    /// The item.
    pub item: ItemId,
    /// Its comments file; `None` when no comment is open any more.
    pub path: Option<PathBuf>,
    /// Why the file may be behind, when it may.
    pub stale: Option<String>,
}

/// Makes the comments file say what was read. A failure here must not fail the walk: the item's text stands.
pub(super) fn put(shared: &Shared, item: &ItemId, comments: &Comments, at: Millis) {
    let text = match comments {
        Comments::Unread | Comments::Later => return,
        Comments::None => None,
        Comments::Open(text) => Some(text.as_str()),
    };
    match shared.workspace.put_comments(item, text, &is_sealed, at) {
        Ok(None) => {}
        Ok(Some(path)) => {
            tracing::warn!(%item, path = %path.display(), "somebody edited the comments file; their file was put away");
            shared.kept.add(item, path);
        }
        Err(error) => tracing::error!(%item, %error, "the comments file could not be written"),
    }
}

/// Has an item read again in a while, once, when not all of it could be read now.
pub(super) fn read_later(shared: &Arc<Shared>, item: &ItemId, fetched: &Fetched) {
    let whole = fetched.comments != Comments::Later && fetched.lack != Lack::ForNow;
    if whole || !shared.later.set().insert(item.clone()) {
        return;
    }
    let (shared, item) = (Arc::downgrade(shared), item.clone());
    tokio::spawn(async move {
        tokio::time::sleep(LATER).await;
        // The mirror may have ended meanwhile; its next start finds nothing to do, its next change of the item does.
        let Some(shared) = shared.upgrade() else { return };
        shared.later.set().remove(&item);
        if let Some(messages) = shared.messages.upgrade() {
            let (reply, answer) = oneshot::channel();
            if messages.send(Message::Ask(Command::Fetch(item), reply)).await.is_ok() {
                drop(answer.await);
            }
        }
    });
}

/// Looks at a comments file that was touched.
pub(super) fn look(shared: Arc<Shared>, messages: mpsc::Sender<Message>, item: ItemId) {
    tokio::spawn(async move {
        tokio::time::sleep(QUIET).await;
        mend(&shared, &messages, item).await;
    });
}

/// Looks at all comments files, after a time in which nobody watched them.
pub(super) fn look_at_all(shared: Arc<Shared>, messages: mpsc::Sender<Message>) {
    tokio::spawn(async move {
        let here = shared.clone();
        match blocking(move || here.workspace.commented_items()).await {
            Ok(items) => {
                for item in items {
                    mend(&shared, &messages, item).await;
                }
            }
            Err(error) => tracing::warn!(%error, "the comments files could not be looked at"),
        }
    });
}

/// Has an item read again, and with it its comments file written, unless that is as we wrote it.
async fn mend(shared: &Arc<Shared>, messages: &mpsc::Sender<Message>, item: ItemId) {
    let (here, id) = (shared.clone(), item.clone());
    let disturbed = blocking(move || {
        // A file that is called so and belongs to nothing that was fetched is nobody's business.
        let mirrored = here.reader().item(&id)?.is_some();
        Ok(mirrored && here.workspace.comments_are_disturbed(&id, &is_sealed)?)
    });
    match disturbed.await {
        Ok(false) => {}
        Ok(true) => {
            let (reply, answer) = oneshot::channel();
            if messages.send(Message::Ask(Command::Fetch(item), reply)).await.is_ok() {
                // Nobody waits for it; a failure is tried again as any other.
                drop(answer.await);
            }
        }
        Err(error) => tracing::warn!(%item, %error, "a comments file could not be looked at"),
    }
}

impl MirrorHandle {
    /// Answers, closes, or reopens a comment thread of the item that a file belongs to, and refreshes its comments file.
    ///
    /// # Errors
    ///
    /// `NotFound` when no item has that file; as [`Kind::comment`](crate::kinds::Kind::comment).
    pub async fn comment(&self, path: &Path, thread: &str, act: CommentAct) -> Result<CommentReport> {
        self.check_writable().await?;
        let item = self.commented(path)?;
        if self.lookup(&item.0).await?.is_none() {
            return Err(Error::NotFound { id: path.display().to_string() });
        }
        let (kind, id, thread) = (self.shared().kind.clone(), item.clone(), thread.to_owned());
        // In a task of its own, a caller who gives up waiting does not cut it in half.
        let said = tokio::spawn(async move { kind.comment(&id, &thread, &act).await }).await;
        said.map_err(|panic| Error::ExtractionFailed { id: "the comment".into(), source: panic.into() })?
            .map_err(unsaid)?;
        // It is said; if the file cannot be brought up to date now, that is no failure of saying it.
        let stale = match self.fetch(&item.0).await {
            Ok(report) => report.stale,
            Err(error) => Some(error.to_string()),
        };
        let file = self.shared().workspace.layout().items_folder().join(comments_name(&item)?);
        let path = file.symlink_metadata().is_ok().then_some(file);
        Ok(CommentReport { item, path, stale })
    }

    /// Asks where a comment thread of an item stands; see [`crate::kinds::Kind::place_of_comment`].
    ///
    /// # Errors
    ///
    /// Network and permission errors as they come.
    pub async fn place_of_comment(&self, id_or_url: &str, thread: &str) -> Result<Option<CommentPlace>> {
        self.shared().kind.place_of_comment(&self.item(id_or_url)?, thread).await
    }

    /// Returns the item that a file belongs to: one of its own, or its comments file.
    fn commented(&self, path: &Path) -> Result<ItemId> {
        let layout = self.shared().workspace.layout();
        layout.comments(path).map_or_else(|| self.place(path).map(|place| place.item), Ok)
    }
}

/// What is told of a comment that did not go: it is kept nowhere, so nothing tries it again.
fn unsaid(error: Error) -> Error {
    let Error::Network { outcome_unknown, .. } = error else { return error };
    let suggestion = match outcome_unknown {
        true => "Nobody knows whether it was said: look at the comments in the Doc before you say it once more.",
        false => "It was not said, and is not tried again: say it once more when Google can be reached.",
    };
    Error::Told { kind: error.kind(), message: error.to_string(), suggestion: suggestion.into() }
}
