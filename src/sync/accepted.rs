//! Files that somebody lets go though they wait. What goes is what they were told of, once: what came up since is asked.

use std::collections::BTreeMap;

use crate::model::{ContentHash, Notice, PartId};

use super::item::{Dirty, Part, PartState};
use super::older::Lacked;

/// The code of what is told of a hold that somebody let go.
pub const RELEASED: &str = "RELEASED";

/// A text of which somebody said that it is meant as it stands, and what they knew then: it may take several walks to send it.
#[derive(Debug, Clone)]
pub(super) struct Accepted {
    /// The hash of its bytes.
    pub(super) hash: ContentHash,
    /// What they were told that it is held for.
    pub(super) held: Vec<Notice>,
    /// What they were told that it lacks.
    pub(super) lacks: Lacked,
    /// Whether they were answered, and not all of it had gone: then nothing goes unasked any more, but with a choice for its conflicts.
    pub(super) answered: bool,
}

impl PartState {
    /// Tells whether somebody said of a text that it is meant as it stands.
    pub(super) fn accepts(&self, hash: ContentHash) -> bool {
        self.accepted.as_ref().is_some_and(|accepted| accepted.hash == hash)
    }

    /// Takes in that somebody says so of it, knowing what is told of it now.
    pub(super) fn accept(&mut self, hash: ContentHash) {
        let before = self.accepted.take().filter(|accepted| accepted.hash == hash);
        let lacks = before.as_ref().map(|accepted| accepted.lacks.clone()).unwrap_or_default();
        let lacks = lacks.and(Lacked::told(self));
        let mut held = before.map(|accepted| accepted.held).unwrap_or_default();
        held.extend(self.held.iter().filter(|told| !held.contains(told)).cloned().collect::<Vec<_>>());
        self.accepted = Some(Accepted { hash, held, lacks, answered: false });
    }
}

/// Tells whether who says that a file is meant as it stands knew what it is held for: by nothing of another kind than it was told
/// to be, when it was told to be held.
fn releases(told: &[Notice], found: &[Notice]) -> bool {
    told.is_empty() || found.iter().all(|found| told.iter().any(|told| told.code == found.code))
}

/// How somebody lets a file go that is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetGo {
    /// They asked for it, and were not answered yet.
    Now,
    /// They did, and were told that some of it did not go: it does with a choice for its conflicts.
    WithAChoice,
}

/// Tells whether a text goes that somebody said is meant as it stands: they were not answered yet, or chose a side of its conflicts, or
/// it has gone with this walk.
pub(super) fn goes(why: &Dirty, released: &BTreeMap<PartId, Vec<Notice>>, id: &PartId, accepted: &Accepted) -> bool {
    !accepted.answered || why.resolve.iter().any(|asked| asked.part == *id) || released.contains_key(id)
}

/// Lets go what a file is held for, of which this text was found to be, if somebody said that it is meant as it stands and knew of
/// that. Else that is taken back. `lacks` is what the text lacks besides.
pub(super) fn let_go(
    (why, lacks): (&Dirty, &BTreeMap<PartId, Notice>),
    released: &mut BTreeMap<PartId, Vec<Notice>>,
    (id, part): (&PartId, &mut Part),
    hash: ContentHash,
) -> Option<LetGo> {
    let accepted = part.state.accepted.take_if(|accepted| accepted.hash == hash)?;
    let knows = releases(&accepted.held, &part.state.held);
    let goes = goes(why, released, id, &accepted);
    if knows || why.dry {
        part.state.accepted = Some(accepted);
    }
    if !knows {
        released.remove(id);
        return None;
    }
    if !goes {
        return Some(LetGo::WithAChoice);
    }
    let mut let_go = std::mem::take(&mut part.state.held);
    let_go.extend(lacks.get(id).cloned());
    released.insert(id.clone(), let_go);
    Some(LetGo::Now)
}

/// What is told of a hold that somebody let go, once the push has landed.
pub(super) fn released(held: &Notice) -> Notice {
    if held.code == RELEASED {
        return held.clone();
    }
    let reason = held.message.split(';').next().unwrap_or_default();
    Notice { code: RELEASED.into(), message: format!("was held ({}): {reason}", held.code), ..held.clone() }
}
