//! What a walk carries from its first step to its last.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::{ContentHash, Notice, PartId, Revision, Stamp};

use super::choice::Resolve;
use super::conflict::SectionConflict;
use super::item::{Dirty, Waiter};
use super::merge::Merged;
use super::older::Older;
use super::spelling::Waiting;
use super::went::Line;
use super::{Failure, JobId, Local, Observation, Planned, Remote, RequestId, Side};

/// How often a file is pushed in one walk, when each plan asks for another.
pub(super) const PUSHES_MAX: u8 = 4;

/// What the walk under way knows.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Why it was begun.
    pub(super) why: Dirty,
    /// Who is answered at its end.
    pub(super) waiters: Vec<Waiter>,
    /// A file says something that was not recorded.
    pub(super) news: bool,
    /// Why its files are being put away, which are kept for when it is there again.
    pub(super) buries: Option<Failure>,
    /// A file was passed by because a save was under way: what the feed named is not covered by this walk.
    pub(super) passed: bool,
    /// Files that were read once and must read the same again.
    pub(super) doubted: BTreeSet<PartId>,
    /// The files and bases as they were read.
    pub(super) observed: BTreeMap<PartId, Observation>,
    /// The remote as it was read last.
    pub(super) remote: Option<Remote>,
    /// The merge of each file that takes part.
    pub(super) merged: BTreeMap<PartId, Merged>,
    /// The files that were saved from an older text.
    pub(super) stale: BTreeMap<PartId, Older>,
    /// What went from files and stands there.
    pub(super) doubtful: BTreeMap<PartId, Vec<Line>>,
    /// The first words that a file lacks of what came, at each place, where it waits for something else.
    pub(super) lacks: BTreeMap<PartId, Vec<String>>,
    /// What is let go of a file that somebody releases though its text lacks what came.
    pub(super) let_go: BTreeMap<PartId, Notice>,
    /// Their bases, in whose places stand the older ones.
    pub(super) newest: BTreeMap<PartId, String>,
    /// Those of them that no record knows of yet: they hold again when the walk ends without one.
    pub(super) unrecorded: BTreeMap<PartId, String>,
    /// Files of which a push has landed that the note of their next text knows of: the base from then is older than that note.
    pub(super) before_note: BTreeSet<PartId>,
    /// Files still to be planned.
    pub(super) plans: VecDeque<PartId>,
    /// The file that is being planned.
    pub(super) planning: Option<PartId>,
    /// The file whose push is under way, the version it is for, and its plan.
    pub(super) pushing: Option<(PartId, Revision, Planned)>,
    /// Its row in the journal.
    pub(super) job: Option<JobId>,
    /// How often each file was pushed in this walk. None is pushed twice, unless its plan asked for it, or
    /// left out what may have waited for the rest.
    pub(super) pushed: BTreeMap<PartId, u8>,
    /// Files whose edit the remote has now, but for its spelling and for these blocks.
    pub(super) said: BTreeMap<PartId, Waiting>,
    /// Files that are read with ids that they do not hold yet, so they must be written.
    pub(super) rewritten: BTreeSet<PartId>,
    /// Files still to be written.
    pub(super) deposits: VecDeque<PartId>,
    /// What was written.
    pub(super) deposited: BTreeMap<PartId, (Stamp, ContentHash)>,
    /// How the push failed last that is tried again.
    pub(super) failed_push: Option<Failure>,
    /// Requests that were sent, or would be.
    pub(super) requests: usize,
    /// A file must be read again later.
    pub(super) restless: bool,
    /// Choices of the file's side with which it was merged already.
    pub(super) merged_mine: Vec<Resolve>,
    /// Choices of a side with which a file was merged.
    pub(super) taken: BTreeSet<RequestId>,
    /// Choices of a side of which nothing came, and why.
    pub(super) undecided: BTreeMap<RequestId, Failure>,
    /// What each file was held for when somebody let it go.
    pub(super) released: BTreeMap<PartId, Vec<Notice>>,
    /// Conflicts that somebody ends, as they stand, and the side that was chosen.
    pub(super) given_up: BTreeMap<PartId, (Side, Vec<SectionConflict>)>,
    /// What went with such a choice.
    pub(super) went: Vec<(PartId, Notice)>,
}

impl Walk {
    /// Returns the text of a file as it was read.
    pub(super) fn local(&self, part: &PartId) -> Option<&Local> {
        self.observed.get(part).map(|observation| &observation.local)
    }

    /// Returns the version of a file as it was read.
    pub(super) fn stamp(&self, part: &PartId) -> Option<Stamp> {
        match self.local(part)? {
            Local::Text { stamp, .. } => Some(*stamp),
            Local::Absent | Local::Unusable { .. } | Local::Restless => None,
        }
    }

    /// Returns the versions of all files as they were read.
    pub(super) fn stamps(&self) -> Vec<(PartId, Option<Stamp>)> {
        self.observed.keys().map(|part| (part.clone(), self.stamp(part))).collect()
    }
}
