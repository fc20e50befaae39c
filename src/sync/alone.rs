//! A file that no tab of its document stands for: the tab was deleted, or the file is a copy of another tab's.

use super::item::{Part, notice};

/// The code of what is told of a file whose tab there was.
const PART_GONE: &str = "PART_GONE";
/// The code of what is told of a file of which no tab is known.
const PART_UNKNOWN: &str = "PART_UNKNOWN";

/// Tells whether a file was left alone.
pub(super) fn is_alone(part: &Part) -> bool {
    part.state.refused.iter().any(|refused| [PART_GONE, PART_UNKNOWN].contains(&refused.code.as_str()))
}

/// Leaves a file alone, and tells so: what it waited for is not to be had any more. `agreed` tells that there was a tab
/// that it was the file of.
pub(super) fn left(part: &mut Part, agreed: bool) {
    part.state.held.clear();
    part.state.conflicts.clear();
    part.state.accepted = None;
    let (code, message) = if agreed {
        let message =
            "this tab no longer exists in the document; the file is kept: take what you need from it, then delete it";
        (PART_GONE, message)
    } else {
        let message = "the document has no tab of this id: it was deleted there, or the file is a copy of another tab's. Nothing of \
                       it is pushed: take what you need from it, then delete it or move it elsewhere";
        (PART_UNKNOWN, message)
    };
    part.state.refused = vec![notice(code, message)];
}
