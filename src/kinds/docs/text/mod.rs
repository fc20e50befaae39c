//! How a document is read as text: its tabs as trees of blocks with their places, and the file that shows them. Pure.
//!
//! It knows nothing of edits: `plan` imports it and never the other way around.

pub(super) mod anchors;
pub(super) mod checklist;
#[cfg(test)]
mod checklist_tests;
pub(super) mod extract;
pub(super) mod flat;
pub(super) mod head;
pub(super) mod images;
pub(super) mod landmarks;
pub(super) mod line;
pub(super) mod lists;
mod present;
pub(super) mod style;
pub(super) mod values;
