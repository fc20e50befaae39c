//! What a person sees of the engine: plain data.

use serde::Serialize;

use super::conflict::in_conflict;
use super::engine::Engine;
use super::event::Failure;
use super::item::{Item, Part, Phase, notice};
use super::quota::QuotaStatus;
use crate::model::{ItemId, KindName, Millis, Notice, PartId};

/// The state of one account.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// Every mirrored item.
    pub items: Vec<ItemStatus>,
    /// The time as the engine was told it last.
    pub now: Millis,
    /// Whether edits of files stay in them.
    pub read_only: bool,
    /// Count of items being walked.
    pub walking: usize,
    /// What may still be called.
    pub quota: QuotaStatus,
    /// How long it takes about until all that waits has been read, in milliseconds; `None` while that is not known.
    pub left_ms: Option<u64>,
    /// Why nothing is pulled or pushed until somebody resumes it.
    pub halted: Option<Trouble>,
    /// Why the remote cannot be reached with this sign-in.
    pub paused: Option<Trouble>,
    /// When the change feed is read next; `None` while it is being read.
    pub next_poll: Option<Millis>,
    /// Why the folder cannot be watched, so that saves are found later.
    pub unwatched: Option<Trouble>,
    /// How the last poll failed, when it did.
    pub poll_error: Option<Trouble>,
}

/// The state of one item.
#[derive(Debug, Clone, Serialize)]
pub struct ItemStatus {
    /// Its id.
    pub id: ItemId,
    /// Its kind, once it was fetched.
    pub kind: Option<KindName>,
    /// Its name.
    pub title: String,
    /// What is being done with it; `idle` when nothing is.
    pub phase: &'static str,
    /// Whether something waits to be done.
    pub waiting: bool,
    /// Whether the account may edit it.
    pub can_edit: bool,
    /// True when it is gone remotely and kept because the file holds edits.
    pub gone: bool,
    /// Its files.
    pub parts: Vec<PartStatus>,
    /// What went wrong last, until it works again.
    pub error: Option<Trouble>,
    /// When it is tried again.
    pub next_retry: Option<Millis>,
}

impl ItemStatus {
    /// Returns what a person should know of all its files, for an answer.
    #[must_use]
    pub fn notices(&self) -> Vec<(PartId, Notice)> {
        let mut notices = Vec::new();
        for part in &self.parts {
            let own = part.held.iter().chain(&part.refused).chain(&part.unusable).chain(&part.told).chain(&part.unsaid);
            notices.extend(own.map(|notice| (part.part.clone(), notice.clone())));
            let conflicts = part.in_conflict().map(|message| notice("CONFLICT", message));
            notices.extend(conflicts.map(|notice| (part.part.clone(), notice)));
            if part.hidden {
                let message = format!("the file was deleted here; `restore {}` brings it back", self.id);
                notices.push((part.part.clone(), notice("HIDDEN", message)));
            }
        }
        if self.gone {
            let message = "the item is gone or no longer shared; the file is kept because it holds edits";
            notices.push((PartId::default(), notice("GONE", message)));
        }
        notices
    }
}

/// The state of one file.
#[derive(Debug, Clone, Serialize)]
pub struct PartStatus {
    /// Which file.
    pub part: PartId,
    /// The file was deleted here; `restore` brings it back.
    pub hidden: bool,
    /// The file was put away with its item, and comes back with that.
    pub away: bool,
    /// The file has stayed open for writing; nothing of it is pushed until it is closed.
    pub open: bool,
    /// The file was saved just now, or is being saved; nothing of it is pushed until it stands still.
    pub saving: bool,
    /// Why its push waits for `push --accept`.
    pub held: Vec<Notice>,
    /// Edits that are not pushed.
    pub refused: Vec<Notice>,
    /// What went with pushes that landed though the file does not show it, until a person was told.
    pub told: Vec<Notice>,
    /// What the file says and the item never does, as long as the file does.
    pub unsaid: Vec<Notice>,
    /// The headings of sections in conflict.
    pub conflicts: Vec<String>,
    /// Why the file cannot be read.
    pub unusable: Option<Notice>,
}

/// Where a conflict is shown of a file that is held.
pub const SHOWN_LATER: &str = "the conflict file shows it once the file is not held any more";

impl PartStatus {
    /// Says of each section in conflict that it is, and where to look.
    pub fn in_conflict(&self) -> impl Iterator<Item = String> {
        let look = match self.held.is_empty() {
            true => "see the conflict file",
            false => SHOWN_LATER,
        };
        self.conflicts.iter().map(move |heading| format!("{}; {look}", in_conflict(heading)))
    }
}

/// Something that went wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Trouble {
    /// The error's word for clients.
    pub kind: String,
    /// What went wrong.
    pub message: String,
    /// What to do.
    pub suggestion: String,
    /// Whether it stays until somebody does that.
    pub lasting: bool,
}

impl Engine {
    /// Returns what a person sees.
    #[must_use]
    pub fn status(&self) -> Status {
        let items = self.items.values().filter(|item| !item.buried).map(|item| self.item_status(item)).collect();
        Status { left_ms: self.left_ms(), ..self.status_with(items) }
    }

    /// Returns what a person sees of one item and of the account; not how long the rest takes, for which all must be looked at.
    #[must_use]
    pub fn status_of(&self, item: &ItemId) -> Status {
        let item = self.items.get(item).filter(|item| !item.buried);
        self.status_with(item.map(|item| self.item_status(item)).into_iter().collect())
    }

    /// Tells whether an item is mirrored, or being fetched to be.
    #[must_use]
    pub fn mirrors(&self, item: &ItemId) -> bool {
        self.items.contains_key(item)
    }

    fn status_with(&self, items: Vec<ItemStatus>) -> Status {
        Status {
            items,
            now: self.now,
            read_only: self.settings.read_only,
            walking: self.walking,
            quota: self.quota.status(self.now),
            left_ms: None,
            unwatched: self.unwatched.as_ref().map(trouble),
            halted: self.halted.as_ref().map(trouble),
            paused: self.paused.as_ref().map(trouble),
            next_poll: self.polling.due(),
            poll_error: self.poll_error.as_ref().map(trouble),
        }
    }

    /// Returns how long it takes about until nothing waits for the remote, in milliseconds; `None` while that is not known, as
    /// when it cannot be reached.
    fn left_ms(&self) -> Option<u64> {
        let stands_still = self.halted.is_some() || self.paused.is_some() || self.is_unreachable();
        let is_away = self.poll_error.as_ref().is_some_and(Failure::is_of_network);
        if stands_still || is_away {
            return None;
        }
        self.progress.left_ms(self.left(), self.now).max(self.quota.left_ms(self.now))
    }

    /// Counts the items that wait for the remote to be read, or are being read.
    fn left(&self) -> usize {
        // What somebody has to put right first takes no time that could be told.
        let waits =
            |item: &Item| item.state.retry_at.is_some() && item.state.failure.as_ref().is_some_and(Failure::is_lasting);
        let left = |item: &Item| item.phase != Phase::Idle || item.state.dirty.wants_remote() && !waits(item);
        self.items.values().filter(|item| left(item)).count()
    }

    pub(super) fn item_status(&self, item: &Item) -> ItemStatus {
        let part_status = |(id, part): (&PartId, &Part)| PartStatus {
            part: id.clone(),
            hidden: part.hidden,
            away: part.away,
            open: self.settle.is_long_open(&(item.id.clone(), id.clone()), self.now),
            saving: self.settle.waits(&(item.id.clone(), id.clone())),
            held: part
                .state
                .held
                .iter()
                .map(|held| if self.settings.read_only { unsent(held) } else { held.clone() })
                .collect(),
            refused: part.state.refused.clone(),
            told: part.state.told.notices.clone(),
            unsaid: part.state.unsaid.clone(),
            conflicts: part.state.conflicts.clone(),
            unusable: part.state.unusable.clone(),
        };
        let failed_push = item.walk.as_ref().and_then(|walk| walk.failed_push.as_ref());
        ItemStatus {
            id: item.id.clone(),
            kind: item.kind,
            title: item.title.clone(),
            phase: item.phase.word(),
            waiting: item.state.dirty.any(),
            can_edit: item.can_edit,
            gone: item.gone,
            parts: item.parts.iter().map(part_status).collect(),
            // While a push is tried again it has not succeeded yet.
            error: item.state.failure.as_ref().or(failed_push).map(trouble),
            next_retry: item.state.retry_at,
        }
    }
}

/// What is told of a hold where nothing is pushed anyway: its reason, and what helps there.
fn unsent(held: &Notice) -> Notice {
    let reason = held.message.split(';').next().unwrap_or_default();
    let message = format!(
        "{reason}; this account is only mirrored, so nothing of the file is pushed: put it right, or delete the file and `restore` it"
    );
    Notice { message, ..held.clone() }
}

fn trouble(failure: &Failure) -> Trouble {
    Trouble {
        kind: failure.kind.clone(),
        message: failure.message.clone(),
        suggestion: failure.suggestion.clone(),
        lasting: failure.is_lasting(),
    }
}
