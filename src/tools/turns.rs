//! Edits of one document by tools take turns: each reads the file, makes its edit and pushes it before the next one reads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;

use crate::error::{Error, ErrorKind, Result};
use crate::model::ItemId;

/// The longest wait for a turn: shorter than a tool call may take, so that whoever had none hears that nothing was changed.
const TURN_WAIT: Duration = Duration::from_secs(90);

/// The queues before documents that are edited just now.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<ItemId, Weak<tokio::sync::Mutex<()>>>>);

/// A turn, which ends when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _held: OwnedMutexGuard<()>,
}

impl Turns {
    /// Waits for a turn at a document, behind those who came before. The engine knows nothing of turns, and nobody waits for a
    /// second one while holding one.
    ///
    /// # Errors
    ///
    /// `NetworkError` when none comes in time; nothing was done then.
    pub(super) async fn take(&self, id: &ItemId) -> Result<Turn> {
        self.take_within(id, TURN_WAIT).await
    }

    async fn take_within(&self, id: &ItemId, wait: Duration) -> Result<Turn> {
        let queue = self.queue(id);
        match tokio::time::timeout(wait, queue.lock_owned()).await {
            Ok(held) => Ok(Turn { _held: held }),
            Err(_elapsed) => Err(Error::Told {
                kind: ErrorKind::NetworkError,
                message: format!("other edits of the document took longer than {} s", wait.as_secs()),
                suggestion: "Make the same call again in a moment; nothing was changed.".into(),
            }),
        }
    }

    fn queue(&self, id: &ItemId) -> Arc<tokio::sync::Mutex<()>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|_, queue| queue.strong_count() > 0);
        if let Some(queue) = queues.get(id).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Arc::default();
        queues.insert(id.clone(), Arc::downgrade(&queue));
        queue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_document_is_edited_by_one_at_a_time() {
        let turns = Turns::default();
        let (one, other) = (ItemId("one".into()), ItemId("other".into()));
        let first = turns.take(&one).await.unwrap();
        let beside = turns.take(&other).await.unwrap();
        let error = turns.take_within(&one, Duration::from_millis(1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NetworkError);
        drop(first);
        let second = turns.take(&one).await.unwrap();
        drop((second, beside));
        drop(turns.take(&one).await.unwrap());
        assert!(turns.0.lock().unwrap().len() <= 1, "what nobody waits for is forgotten");
    }
}
