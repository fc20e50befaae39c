//! All reasons together for which a file that was read waits for its person. Pure.

use crate::mebdf;
use crate::model::{ContentHash, Millis, Notice, PartId};

use super::carried::Walk;
use super::intent::Intent;
use super::item::Part;
use super::{Side, blind, hold, merge, older};

/// A file as it was read, and what it is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    /// What both sides agreed on last; empty where nothing of a text is, `None` where nothing ever was.
    pub(super) base: Option<&'a str>,
    /// What the file says.
    pub(super) text: &'a str,
    /// The hash of its bytes.
    pub(super) hash: ContentHash,
    /// What the remote says.
    pub(super) remote: &'a str,
    /// The texts that may have stood in the file for a moment.
    pub(super) fleeting: &'a [Intent],
}

/// Returns why nothing of a file is pushed before its person says so; `asked` is the side that somebody chose for its conflicts.
pub(super) fn reasons(
    (walk, id, part): (&Walk, &PartId, &Part),
    seen: &Seen<'_>,
    asked: Option<Side>,
    now: Millis,
) -> Vec<Notice> {
    let Seen { base, text, hash, remote, fleeting } = *seen;
    let mut held = match base.filter(|base| !base.trim().is_empty()) {
        Some(base) => hold::holds(Some(base), text),
        // There was a text, of which nothing is agreed; and half of a save may be the head alone.
        None if base.is_some() && says_nothing_of(remote, text) => vec![hold::emptied()],
        None => hold::other_item(remote, text).into_iter().collect(),
    };
    let is_unknown = base.is_none_or(|base| mebdf::body(base).trim().is_empty());
    if is_unknown && held.is_empty() && asked == Some(Side::Mine) {
        // All of it would go over a text of which nothing is agreed, so that tells what looks like no edit.
        held = hold::holds(Some(remote), text);
        held.retain(hold::is_of_the_text);
    }
    if part.state.cut == Some(hash) && held.is_empty() {
        held.extend(base.and_then(|base| hold::cut(base, text)).or_else(|| hold::cut(remote, text)));
    }
    if let Some(older) = walk.stale.get(id)
        && part.state.put_back.as_ref().is_some_and(|put_back| merge::same_meaning(put_back, &older.saved))
    {
        held.push(older::taken_again(&older.lacks));
    }
    held.extend(walk.lacks.get(id).map(|words| older::lacks_too(words)));
    held.extend(older::deleted_there((walk, id, part), fleeting, [base.unwrap_or_default(), text, remote]));
    held.extend(base.and_then(|base| blind::held(part, hash, [base, text], now)));
    held
}

/// Tells whether a text says nothing below its head of a remote that does.
fn says_nothing_of(remote: &str, text: &str) -> bool {
    text.trim().is_empty() || merge::says_nothing(text) && !merge::says_nothing(remote)
}
