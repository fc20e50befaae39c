//! What becomes of a save that was made from an older text than the newest, or may have been: what it lacks is put back, and what
//! it still has waits for its person. Pure.

use crate::model::{Millis, Notice};

use super::item::{Item, Part, Walk, notice};
use super::stale::{self, Stale};
use super::{Local, Observation, hold, merge};

/// Looks whether a file was saved from an older text, whose base holds then. Tells whether it was for certain.
pub(super) fn look(item: &mut Item, walk: &mut Walk, observation: &mut Observation) -> bool {
    let Observation { part: id, local: Local::Text { hash, text, .. }, base, arrivals, .. } = observation else {
        return false;
    };
    let part = item.parts.entry(id.clone()).or_default();
    let Some(newest) = base.as_ref().filter(|newest| *newest != text) else { return false };
    if walk.doubted.contains(id) || part.accepted == Some(*hash) {
        return false;
    }
    let found = stale::find(arrivals, newest, text);
    // Half a file lacks much, and waits whole.
    match found.filter(|_| hold::holds(Some(newest), text).is_empty()) {
        Some(Stale::Lacks { base: older, words }) => {
            walk.stale.insert(id.clone(), (text.clone(), words));
            if part.put_back.as_ref().is_none_or(|saved| !merge::same_meaning(saved, text)) {
                walk.unrecorded.extend(item.bases.remove(id).map(|newest| (id.clone(), newest)));
                walk.newest.extend(base.replace(older).map(|newest| (id.clone(), newest)));
            }
            true
        }
        Some(Stale::Keeps { line, words }) => {
            walk.doubtful.insert(id.clone(), deleted_there(line, &words));
            false
        }
        None => false,
    }
}

/// Tells that a file gets back what it lacked since it was saved from an older text.
pub(super) fn tell_put_back(part: &mut Part, lacks: &str, now: Millis) {
    let message = format!(
        "the file was saved from an older text, without `{lacks}`, which came from the document meanwhile and was put back; to \
         delete that, delete it once more and push the file with `push --accept`"
    );
    part.told.landed(vec![notice("PUT_BACK", message)], now);
}

/// Why a save waits that is without what was put back into it once.
pub(super) fn taken_again(lacks: &str) -> Notice {
    let message = format!(
        "this text is once more without `{lacks}`, which came from the document and was put back; to delete it there, too, \
         push the file with `push --accept`, else read the file again and save"
    );
    notice("TAKEN_AGAIN", message)
}

/// Why a save waits that has what went from the file.
fn deleted_there(line: usize, words: &str) -> Notice {
    let message = format!(
        "this text still has `{words}`, which was deleted in the document; delete it here, too, or push the file with \
         `push --accept` to have it there again"
    );
    Notice { line: u32::try_from(line).unwrap_or(u32::MAX), ..notice("DELETED_THERE", message) }
}
