//! One mirrored item as the engine holds it: small while idle, with its texts only during a walk.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ContentHash, ItemId, KindName, Millis, Notice, PartId, Revision, Stamp};

use super::accepted::Accepted;
use super::arrival::Arrival;
use super::blind::Blind;
use super::carried::Walk;
use super::choice::Resolve;
use super::intent::Intent;
use super::parts::Parts;
use super::quota::{QuotaPlace, Reserved};
use super::seldom::{Nothing, Seldom};
use super::told::Told;
use super::{Failure, JobEnd, JobId, RequestId};

/// What is being done with an item. One thing at a time; everything else waits in [`Dirty`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// Its files are being read.
    Observing,
    /// The remote is being read.
    Fetching,
    /// A push is being planned.
    Planning,
    /// A push is being written into the journal.
    Beginning,
    /// A push is under way.
    Posting,
    /// A file is being written.
    Depositing,
    /// The new base is being stored.
    Recording,
    /// Its files are being put away.
    Retiring,
}

impl Phase {
    /// Returns the word that people see.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Observing => "reading the file",
            Self::Fetching => "fetching",
            Self::Planning => "planning",
            Self::Beginning => "beginning to push",
            Self::Posting => "pushing",
            Self::Depositing => "writing the file",
            Self::Recording => "recording",
            Self::Retiring => "putting the files away",
        }
    }
}

/// Why an item must be walked. Set by triggers, taken by the walk, put back when the walk could not end.
#[derive(Debug, Clone, Default)]
pub(super) struct Dirty {
    /// A file was touched and settled.
    pub(super) local: bool,
    /// The start, or lost events: the file may differ from its base.
    pub(super) look: bool,
    /// The remote may have changed, or must be compared for another reason.
    pub(super) remote: bool,
    /// Somebody asked for a push.
    pub(super) push: bool,
    /// Somebody asked only for a plan.
    pub(super) dry: bool,
    /// The files of which the plan that was asked for is made as if what is held were released; it stays held.
    pub(super) dry_accept: BTreeSet<PartId>,
    /// The files of which what is held now is released.
    pub(super) accept: BTreeSet<PartId>,
    /// Hidden files come back.
    pub(super) restore: bool,
    /// The item is no longer mirrored.
    pub(super) forget: bool,
    /// Conflicts to end.
    pub(super) resolve: Vec<Resolve>,
    /// Files that must read the same twice.
    pub(super) twice: BTreeSet<PartId>,
    /// A person has seen what is missing, and goes on.
    pub(super) seen_missing: bool,
    /// The feed named it among what vanished, or was lost: the remote may be read though it is in the trash.
    pub(super) may_be_trashed: bool,
}

impl Dirty {
    /// No reason.
    const NONE: Self = Self {
        local: false,
        look: false,
        remote: false,
        push: false,
        dry: false,
        dry_accept: BTreeSet::new(),
        accept: BTreeSet::new(),
        restore: false,
        forget: false,
        resolve: Vec::new(),
        twice: BTreeSet::new(),
        seen_missing: false,
        may_be_trashed: false,
    };

    /// Tells whether there is nothing of it, not even what waits for a reason.
    fn is_none(&self) -> bool {
        let waits = self.twice.is_empty() && self.dry_accept.is_empty() && !self.seen_missing && !self.may_be_trashed;
        waits && !self.any()
    }

    /// Tells whether a walk is needed.
    pub(super) fn any(&self) -> bool {
        self.dry || self.real()
    }

    /// Tells whether a walk is needed that is more than a dry run.
    pub(super) fn real(&self) -> bool {
        self.local || self.look || self.forget || self.wants_remote()
    }

    /// Tells whether the walk must read the remote whatever the file says.
    pub(super) fn wants_remote(&self) -> bool {
        self.remote || self.push || !self.accept.is_empty() || self.restore || !self.resolve.is_empty()
    }

    /// Takes `other` in too.
    pub(super) fn join(&mut self, other: Self) {
        self.local |= other.local;
        self.look |= other.look;
        self.remote |= other.remote;
        self.push |= other.push;
        self.dry |= other.dry;
        self.dry_accept.extend(other.dry_accept);
        self.accept.extend(other.accept);
        self.restore |= other.restore;
        self.forget |= other.forget;
        self.resolve.extend(other.resolve);
        self.twice.extend(other.twice);
        self.seen_missing |= other.seen_missing;
        self.may_be_trashed |= other.may_be_trashed;
    }
}

/// Somebody who waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiter {
    /// The question.
    pub(super) request: RequestId,
    /// It is for a plan only.
    pub(super) dry: bool,
    /// Until then a save that is not quiet yet concerns it: it is about what is saved, and somebody may never stop saving.
    pub(super) about_saves_until: Option<Millis>,
    /// It releases what is held: if it comes to nothing, so does that.
    pub(super) accepts: bool,
    /// Its walk was put off, so that it waits for its time like one that nobody asked for.
    pub(super) put_off: bool,
}

/// A push whose outcome is not known.
#[derive(Debug, Clone)]
pub(super) struct Unknown {
    /// Its row in the journal.
    pub(super) job: JobId,
    /// Which file.
    pub(super) part: PartId,
    /// The version it was planned on.
    pub(super) revision: Revision,
    /// When it was sent, at the latest.
    pub(super) at: Millis,
    /// Count of its requests, for who waits for it; 0 when it was begun before this start.
    pub(super) requests: usize,
    /// Whether the remote has said that it landed.
    pub(super) answered: bool,
    /// Whether power may have failed since it was begun.
    pub(super) power_failed: bool,
    /// What the remote said when it was planned: all else that differs from that was written since.
    pub(super) before: Option<String>,
    /// What the remote says if it landed.
    pub(super) expected: String,
    /// The base if it landed; `None` when the stored base serves.
    pub(super) base: Option<String>,
    /// What went with it if it landed.
    pub(super) told: Vec<Notice>,
}

/// One file of an item.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// The file's version when it was recorded.
    pub(super) stamp: Option<Stamp>,
    /// Hash of the file's bytes then.
    pub(super) hash: Option<ContentHash>,
    /// It has a base and no file, since somebody has deleted that.
    pub(super) hidden: bool,
    /// It has a base and no file, since that was put away when its item went: it comes back with that.
    pub(super) away: bool,
    /// A walk passed it by, or some of it is in conflict, so its base may be behind the remote though the feed says nothing
    /// new: the walk that its next touch begins reads the remote, whatever the file says.
    pub(super) behind: bool,
    /// Hash of the conflict file that stands; `None` while it is not known what stands.
    pub(super) conflict_file: Option<Option<ContentHash>>,
    /// What is the matter with it.
    pub(super) state: Seldom<PartState>,
}

/// What is the matter with a file; with most nothing is.
#[derive(Debug, Clone, Default)]
pub(super) struct PartState {
    /// Why its push waits for the person.
    pub(super) held: Vec<Notice>,
    /// Edits that are not pushed.
    pub(super) refused: Vec<Notice>,
    /// What the file says and the item never does.
    pub(super) unsaid: Vec<Notice>,
    /// What went with pushes that landed, until a person was told.
    pub(super) told: Told,
    /// The headings of sections in conflict.
    pub(super) conflicts: Vec<String>,
    /// Why the file cannot be read.
    pub(super) unusable: Option<Notice>,
    /// A text that nobody saw being saved and that may be half of a save.
    pub(super) cut: Option<ContentHash>,
    /// The text whose holds were released, until it has arrived, another one stands there, or who asked for it was told that it
    /// came to nothing.
    pub(super) accepted: Option<Accepted>,
    /// The save of an older text into which what it lacked was put back last. Saved so once more, that is a deletion.
    pub(super) put_back: Option<String>,
    /// What is known where nothing is known of what the file said before and an editor may still have: the state was lost.
    pub(super) blind: Option<Blind>,
    /// The first of two readings.
    pub(super) first_reading: Option<ContentHash>,
    /// Hashes of the remote's texts that the conflict file shows.
    pub(super) shown: Vec<ContentHash>,
}

impl Part {
    /// Lets go of what is the matter with the text of a file that does not stand any more. Of conflicts that no conflict file shows
    /// there is nothing left to choose from.
    pub(super) fn stands_no_more(&mut self) {
        if self.state.is_nothing() {
            return;
        }
        let is_shown = self.conflict_file.is_some_and(|stands| stands.is_some());
        let was_held = !std::mem::take(&mut self.state.held).is_empty();
        if was_held && !is_shown {
            self.state.conflicts.clear();
        }
        self.state.refused.clear();
        self.state.unsaid.clear();
        self.state.accepted = None;
        self.state.unusable = None;
    }
}

impl Nothing for PartState {
    const NOTHING: &'static Self = &Self {
        held: Vec::new(),
        refused: Vec::new(),
        unsaid: Vec::new(),
        told: Told { at: Millis(0), notices: Vec::new() },
        conflicts: Vec::new(),
        unusable: None,
        cut: None,
        accepted: None,
        put_back: None,
        blind: None,
        first_reading: None,
        shown: Vec::new(),
    };

    fn is_nothing(&self) -> bool {
        let Self { held, refused, unsaid, told, conflicts, unusable, cut, accepted, .. } = self;
        let Self { put_back, blind, first_reading, shown, .. } = self;
        [held, refused, unsaid, &told.notices].iter().all(|notices| notices.is_empty())
            && told.at == Millis(0)
            && conflicts.is_empty()
            && unusable.is_none()
            && [cut, first_reading].iter().all(|hash| hash.is_none())
            && accepted.is_none()
            && (put_back.is_none() && blind.is_none())
            && shown.is_empty()
    }
}

/// One mirrored item.
#[derive(Debug)]
pub(super) struct Item {
    /// Its id.
    pub(super) id: ItemId,
    /// Its kind, once it was fetched.
    pub(super) kind: Option<KindName>,
    /// Its name.
    pub(super) title: String,
    /// Whether the account may edit it.
    pub(super) can_edit: bool,
    /// It stands in the store, or a push of it does.
    pub(super) mirrored: bool,
    /// It is gone remotely, and kept because the file holds edits, or buried.
    pub(super) gone: bool,
    /// It is gone, and its files are put away: it comes back with the remote.
    pub(super) buried: bool,
    /// Its files.
    pub(super) parts: Parts,
    /// What is being done.
    pub(super) phase: Phase,
    /// The walk under way, in a box, since few items have one.
    pub(super) walk: Option<Box<Walk>>,
    /// It stands in the queue of items to walk.
    pub(super) queued: bool,
    /// How far the change feed was read when the remote was asked for last.
    pub(super) covers: u64,
    /// What is to be done with it, or went wrong.
    pub(super) state: Seldom<ItemState>,
}

/// What is to be done with an item, or went wrong; of most nothing is.
#[derive(Debug, Default)]
pub(super) struct ItemState {
    /// Why the next walk is needed.
    pub(super) dirty: Dirty,
    /// Who is answered by the next walk.
    pub(super) waiters: Vec<Waiter>,
    /// Failures in a row.
    pub(super) failures: u32,
    /// Stale revisions in a row.
    pub(super) stale: u32,
    /// Pushes in a row that failed, or had no answer; readings between them do not count.
    pub(super) push_failures: u32,
    /// Its number among those who wait for calls, while it has stepped out of the queue for a dry run.
    pub(super) quota_number: Option<u64>,
    /// Moved files in a row.
    pub(super) moved: u32,
    /// When the next walk may begin.
    pub(super) retry_at: Option<Millis>,
    /// What went wrong last.
    pub(super) failure: Option<Failure>,
    /// Pushes whose outcome is not known.
    pub(super) unknown: Vec<Unknown>,
    /// What pushes without an answer brought of which the remote has nothing, and their files, until each is merged.
    pub(super) unlanded: Vec<(PartId, String)>,
    /// Pushes that ended and are not recorded.
    pub(super) ended: Vec<(JobId, JobEnd)>,
    /// Bases that hold since a push landed, until they are recorded.
    pub(super) bases: BTreeMap<PartId, String>,
    /// The bases from before pushes of an earlier life that have landed, until that is recorded.
    pub(super) before_push: BTreeMap<PartId, String>,
    /// What came from the remote into each file or went from it, newest first, until it is recorded.
    pub(super) arrived: BTreeMap<PartId, Vec<Arrival>>,
    /// Texts that were on their way into each file when somebody saved it, oldest first: they may have stood there for a moment.
    pub(super) fleeting: BTreeMap<PartId, Vec<Intent>>,
    /// What its walk may still call.
    pub(super) reserved: Reserved,
    /// Where it waits for calls to become free.
    pub(super) quota_place: Option<QuotaPlace>,
}

impl Nothing for ItemState {
    const NOTHING: &'static Self = &Self {
        dirty: Dirty::NONE,
        waiters: Vec::new(),
        failures: 0,
        stale: 0,
        push_failures: 0,
        quota_number: None,
        moved: 0,
        retry_at: None,
        failure: None,
        unknown: Vec::new(),
        unlanded: Vec::new(),
        ended: Vec::new(),
        bases: BTreeMap::new(),
        before_push: BTreeMap::new(),
        arrived: BTreeMap::new(),
        fleeting: BTreeMap::new(),
        reserved: Reserved::NONE,
        quota_place: None,
    };

    fn is_nothing(&self) -> bool {
        let Self { dirty, waiters, failures, stale, push_failures, quota_number, moved, retry_at, failure, .. } = self;
        let Self { unknown, unlanded, ended, bases, before_push, arrived, fleeting, reserved, quota_place, .. } = self;
        dirty.is_none()
            && waiters.is_empty()
            && [failures, stale, push_failures, moved].iter().all(|count| **count == 0)
            && (quota_number.is_none() && quota_place.is_none() && *reserved == Reserved::NONE)
            && (retry_at.is_none() && failure.is_none())
            && (unknown.is_empty() && unlanded.is_empty() && ended.is_empty())
            && (bases.is_empty() && before_push.is_empty() && arrived.is_empty() && fleeting.is_empty())
    }
}

/// As many texts of each file that may have stood there for a moment are known; somebody who saves again and again at that moment
/// has the newest.
const FLEETING_MAX: usize = 4;

impl Item {
    /// Notes what came from the remote into a file, or went from it.
    pub(super) fn note_arrival(&mut self, part: &PartId, arrival: Option<Arrival>) {
        if let Some(arrival) = arrival {
            self.state.arrived.entry(part.clone()).or_default().insert(0, arrival);
        }
    }

    /// Notes a text that is on its way into a file.
    pub(super) fn note_fleeting(&mut self, part: &PartId, intent: Intent) {
        let fleeting = self.state.fleeting.entry(part.clone()).or_default();
        if fleeting.last() != Some(&intent) {
            fleeting.push(intent);
        }
        let surplus = fleeting.len().saturating_sub(FLEETING_MAX);
        fleeting.drain(..surplus);
    }

    /// Gives back the room of what is not the matter with it any more; also that of maps which were emptied, and keep it.
    pub(super) fn tidy(&mut self) {
        self.parts.values_mut().for_each(|part| part.state.tidy());
        self.state.tidy();
    }

    /// Keeps of an item that is gone what it takes to bring it back.
    pub(super) fn bury(&mut self) {
        let mut known = std::mem::replace(self, Self::new(self.id.clone()));
        self.kind = known.kind;
        self.title = known.title;
        self.can_edit = known.can_edit;
        self.parts = known.parts;
        self.parts.put_away();
        (self.state.dirty, self.covers, self.state.reserved) =
            (std::mem::take(&mut known.state.dirty), known.covers, known.state.reserved);
        (self.queued, self.state.retry_at, self.state.quota_place) =
            (known.queued, known.state.retry_at, known.state.quota_place);
        (self.mirrored, self.gone, self.buried) = (true, true, true);
    }

    /// Takes those out who wait for the next walk, which are told that nothing came of what they asked for.
    pub(super) fn take_waiters(&mut self) -> Vec<Waiter> {
        let waiters = std::mem::take(&mut self.state.waiters);
        if waiters.iter().any(|waiter| waiter.accepts) {
            self.state.dirty.accept.clear();
            self.release_nothing();
        }
        waiters
    }

    /// Notes that whoever released what is held was answered: of what has not gone by now nothing goes unasked.
    pub(super) fn answer_accepted(&mut self) {
        let accepted = self.parts.values_mut().filter_map(|part| part.state.accepted.as_mut());
        accepted.for_each(|accepted| accepted.answered = true);
    }

    /// Takes back what was released, since whoever asked for it is told that it came to nothing.
    pub(super) fn release_nothing(&mut self) {
        self.parts.values_mut().for_each(|part| part.state.accepted = None);
    }

    /// Ends a walk that records nothing more: what it put an older base in the place of holds again.
    pub(super) fn take_walk(&mut self) -> Option<Walk> {
        let mut walk = self.walk.take()?;
        for (part, base) in std::mem::take(&mut walk.unrecorded) {
            self.state.bases.entry(part).or_insert(base);
        }
        Some(*walk)
    }

    /// Makes an item of which only the id is known.
    pub(super) fn new(id: ItemId) -> Self {
        Self {
            id,
            kind: None,
            title: String::new(),
            can_edit: false,
            mirrored: false,
            gone: false,
            buried: false,
            parts: Parts::default(),
            phase: Phase::Idle,
            walk: None,
            queued: false,
            covers: 0,
            state: Seldom::default(),
        }
    }
}

/// Makes a notice about a whole file.
pub(super) fn notice(code: &str, message: impl Into<String>) -> Notice {
    Notice { code: code.into(), line: 0, column: 0, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_nothing_is_done_with_is_small() {
        // A mailbox has a hundred thousand of them.
        let (item, part) = (size_of::<Item>(), size_of::<Part>());
        assert!(item <= 160 && part <= 192, "{item} and {part} bytes");
    }

    #[test]
    fn room_is_made_for_what_is_the_matter_and_given_back() {
        let mut item = Item::new(ItemId("1a".into()));
        let part = item.parts.or_default(&PartId::default());
        assert!(part.state.held.is_empty() && item.state.bases.is_empty() && !item.state.dirty.any());
        item.state.bases.insert(PartId::default(), "text".into());
        item.parts.or_default(&PartId::default()).state.held.push(notice("CUT", "short"));
        item.tidy();
        let held = |item: &Item| item.parts.get(&PartId::default()).map(|part| part.state.held.len());
        assert_eq!((item.state.bases.len(), held(&item)), (1, Some(1)));
        item.state.bases.clear();
        item.parts.or_default(&PartId::default()).state.held.clear();
        item.tidy();
        let takes_room = item.parts.get(&PartId::default()).is_none_or(|part| part.state.takes_room());
        assert!(!takes_room && !item.state.takes_room());
    }
}
