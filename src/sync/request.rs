//! What others ask of the engine, and what they are answered.

use super::event::Failure;
use crate::model::{ItemId, Notice, PartId};

/// Names a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// What somebody asks of the engine.
#[derive(Debug, Clone)]
pub enum Command {
    /// Mirror this item, or bring it up to date; answered when its files stand.
    Fetch(ItemId),
    /// Push what is saved now; answered when it landed, was held, or refused.
    Push {
        /// The item.
        item: ItemId,
        /// The file of which what is held is released.
        accept: Option<PartId>,
        /// Only plan; the shell keeps the plan for showing.
        dry_run: bool,
    },
    /// Stop mirroring an item. Its files are retired, nothing remote changes.
    Forget(ItemId),
    /// Look at an item that was put into the trash → `Failed`, once its files are put away.
    Trashed(ItemId),
    /// Bring back a file that was deleted.
    Restore(ItemId),
    /// End the conflicts of an item.
    Resolve {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// Whose text stands.
        side: Side,
    },
    /// A person has read these notices of what went with pushes of a file; answered at once.
    Seen {
        /// The item.
        item: ItemId,
        /// Which of its files.
        part: PartId,
        /// What was read.
        notices: Vec<Notice>,
    },
    /// Read the change feed now; answered when it was read.
    Poll,
    /// Pull and push nothing until [`Command::Resume`], over restarts too; answered at once. What is under way ends.
    Pause,
    /// Go on after a halt or a pause, or try again after a sign-in.
    Resume,
}

/// Whose text stands at the end of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The file's.
    Mine,
    /// The remote's.
    Theirs,
}

/// The answer to a command.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Done: what stands now, and what a person should know.
    Done {
        /// Notices of all parts: refused edits, holds, conflicts.
        notices: Vec<(PartId, Notice)>,
        /// Count of requests that were sent, or would be in a dry run.
        requests: usize,
    },
    /// It did not work.
    Failed(Failure),
}
