//! A side that somebody chose for the conflicts of a file. Whoever chose is told when nothing came of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Notice, PartId, counted};

use super::alone;
use super::carried::Walk;
use super::conflict::{SectionConflict, section_name, shown};
use super::engine::failure_of;
use super::item::Part;
use super::merge;
use super::parts::Parts;
use super::words::said_in;
use super::{Failure, Local, RequestId, Side};

/// The code of what is told of words that went with a choice.
pub const GIVEN_UP: &str = "GIVEN_UP";

/// How many words are shown of each section.
const SHOWN_WORDS: usize = 8;

/// A choice of one side for the conflicts of a file.
#[derive(Debug, Clone)]
pub(super) struct Resolve {
    /// The question.
    pub(super) request: RequestId,
    /// Which file.
    pub(super) part: PartId,
    /// Whose text stands.
    pub(super) side: Side,
}

/// Returns the side that is taken for a file which is about to be merged; `None` where it must not be taken. Notes why, or the
/// conflicts that end.
pub(super) fn made(
    asked: &Resolve,
    part: &Part,
    [base, local, remote]: [&str; 3],
    undecided: &mut BTreeMap<RequestId, Failure>,
    given_up: &mut BTreeMap<PartId, (Side, Vec<SectionConflict>)>,
    taken: &mut BTreeSet<RequestId>,
) -> Option<Side> {
    let open = merge::merge3(base, local, remote).conflicts;
    if open.is_empty() && !taken.contains(&asked.request) {
        undecided.insert(asked.request, none_open());
        return None;
    }
    let is_seen = open.iter().all(|conflict| part.state.shown.contains(&shown(conflict)));
    match asked.side {
        // The file's text may go over what its person has read alone.
        Side::Mine if !is_seen => {
            undecided.insert(asked.request, unseen());
            return None;
        }
        Side::Mine => {}
        Side::Theirs => drop(undecided.remove(&asked.request)),
    }
    taken.insert(asked.request);
    // What they were is kept with all three texts, whatever somebody made of the conflict file.
    given_up.insert(asked.part.clone(), (asked.side, open));
    Some(asked.side)
}

/// Tells what of a section went with the choice of a side: the words that the other side alone had written there.
pub(super) fn given_up(side: Side, conflict: &SectionConflict) -> Option<Notice> {
    let (whose, chosen, other) = match side {
        Side::Mine => ("the document", &conflict.mine, &conflict.theirs),
        Side::Theirs => ("the file", &conflict.theirs, &conflict.mine),
    };
    let known: BTreeSet<String> = [chosen, conflict.base.as_str()].into_iter().flat_map(said_in).collect();
    let mut went = said_in(other).into_iter().filter(|word| !known.contains(word));
    let shown: Vec<String> = went.by_ref().take(SHOWN_WORDS).collect();
    let more = match went.count() {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more word")),
    };
    let section = section_name(&conflict.heading);
    let message = format!("`{}`{more}, which {whose} had in {section}, went with it", shown.join(" "));
    (!shown.is_empty()).then(|| Notice { code: GIVEN_UP.into(), line: 0, column: 0, message })
}

/// Notes for those who chose a side why nothing came of it, where a file took no part in the merge, or was held, or somebody else
/// chose the other side after them.
pub(super) fn pass_by(walk: &mut Walk, parts: &Parts) {
    for asked in &walk.why.resolve {
        let holds = walk.why.resolve.iter().rev().find(|other| other.part == asked.part);
        if holds.is_some_and(|holds| holds.side != asked.side) {
            walk.undecided.insert(asked.request, outdone());
            continue;
        }
        let part = parts.get(&asked.part);
        if part.is_some_and(|part| part.state.held.is_empty()) && walk.merged.contains_key(&asked.part) {
            continue;
        }
        walk.undecided.insert(asked.request, passed_by(part, walk.local(&asked.part)));
    }
}

fn passed_by(part: Option<&Part>, local: Option<&Local>) -> Failure {
    let first = part.and_then(|part| part.state.held.first());
    let (why, suggestion) = match (first, local) {
        (Some(held), _) => {
            let why = format!("the file is held ({}), so nothing of it is pushed", held.code);
            (why, "Put the file right and save it, or push it with `push --accept`; then resolve again.")
        }
        (None, Some(Local::Text { .. })) if part.is_some_and(alone::is_alone) => {
            ("the document has no such tab any more".to_owned(), "Take what you need from the file, then delete it.")
        }
        (None, Some(Local::Text { .. } | Local::Restless)) => {
            ("the file is just being saved".to_owned(), "Resolve again when the save is complete.")
        }
        (None, Some(Local::Unusable { notice })) => (notice.message.clone(), "Put the file right, then resolve again."),
        (None, Some(Local::Absent) | None) => {
            let suggestion =
                "What it said stands in the conflict file. `mcp-workspace restore` writes the document's text.";
            ("the file is gone".to_owned(), suggestion)
        }
    };
    failure_of("invalid_input", &format!("nothing was resolved: {why}"), suggestion)
}

/// Keeps in mind who chose the file's side once it is merged so. Another merge in this walk must not send its text over what others
/// wrote meanwhile, so it does without; the remote's side can only be taken for the same file. Whose choice the other merge finds
/// undone, with nothing sent that is known to have landed, is told that.
pub(super) fn once_merged(walk: &mut Walk) {
    for asked in std::mem::take(&mut walk.merged_mine) {
        let stands = walk.merged.get(&asked.part).is_some_and(|merged| !merged.conflicts.is_empty());
        if stands && !walk.pushed.contains_key(&asked.part) {
            walk.given_up.remove(&asked.part);
            walk.undecided.entry(asked.request).or_insert_with(not_landed);
        }
    }
    let (mine, theirs) = walk.why.resolve.drain(..).partition(|asked| asked.side == Side::Mine);
    (walk.merged_mine, walk.why.resolve) = (mine, theirs);
}

/// Why nothing came of a side where there was nothing to choose, as behind somebody who chose before.
fn none_open() -> Failure {
    let message = "nothing of the file is in conflict, so nothing was resolved";
    failure_of(
        "invalid_input",
        message,
        "See `mcp-workspace status`, and `mcp-workspace log` for what was pushed and pulled.",
    )
}

/// Why nothing came of the file's side, which could not be pushed.
fn not_landed() -> Failure {
    let message = "the file's text could not be pushed, since Google did not answer or somebody wrote there meanwhile; nothing was \
                   resolved, and the conflict file shows what both say now";
    failure_of("invalid_input", message, "Read the conflict file once more, then resolve again.")
}

/// Why nothing came of a side when the other one was chosen behind it.
fn outdone() -> Failure {
    let message = "the other side was chosen at the same moment, and that holds; nothing came of this choice";
    failure_of("invalid_input", message, "Look at the file; `mcp-workspace undo` takes a push back.")
}

/// Why nothing came of a side that was chosen while the conflict file did not show what both sides say.
pub(super) fn unseen() -> Failure {
    let message = "one side was edited since the conflict file was written; nothing was resolved, and the conflict file shows \
                   what both say now";
    failure_of("invalid_input", message, "Read the conflict file once more, then resolve again.")
}
