//! Tables that were moved and edited at once: each stays where it is, since a new one would not look like it, and the rest of
//! the edit goes around it. Pure.

use std::collections::BTreeSet;

use super::align::Step;
use super::blocks::Entry;
use super::planner::{Planner, text_of, words_of};
use super::tables::ratio;
use crate::mebdf::Content;

/// More than this of the words of a new table stand in one that was moved when it is that one, or a part of it.
const SAME_MIN: f32 = 0.5;

impl Planner<'_> {
    /// Notes the tables that were moved and edited, by their words.
    pub(super) fn note_moved_tables(&mut self, old: &[Entry<'_>], new: &[Entry<'_>], steps: &[Step]) {
        let gone = steps.iter().filter_map(|step| if let Step::Delete(i) = step { old.get(*i) } else { None });
        let gone: Vec<_> = gone.filter(|entry| matches!(entry.block.content, Content::Table { .. })).collect();
        if gone.is_empty() {
            return;
        }
        let inserted = inserted(new, steps);
        let elsewhere = barred_words(&inserted);
        let same = |entry: &Entry<'_>| inserted.iter().any(|other| other.key == entry.key);
        let moved = gone.into_iter().filter(|entry| !same(entry) && stands_in(&elsewhere, entry));
        self.moved_tables = moved.map(|entry| words_of(&text_of(&entry.block.content))).collect();
    }

    /// Tells whether a new table of the file is one of these, or a part of it.
    pub(super) fn is_moved_table(&self, content: &Content) -> bool {
        if self.moved_tables.is_empty() || !matches!(content, Content::Table { .. }) {
            return false;
        }
        let words = words_of(&text_of(content));
        self.moved_tables.iter().any(|moved| ratio(moved, &words) > SAME_MIN)
    }
}

/// The blocks of the file that the document does not have.
pub(super) fn inserted<'e, 'a>(new: &'e [Entry<'a>], steps: &[Step]) -> Vec<&'e Entry<'a>> {
    steps.iter().filter_map(|step| if let Step::Insert(j) = step { new.get(*j) } else { None }).collect()
}

/// The words of what is new and has bars: a table that was moved is there, and one whose Markdown broke.
pub(super) fn barred_words(inserted: &[&Entry<'_>]) -> BTreeSet<String> {
    let texts = inserted.iter().map(|entry| text_of(&entry.block.content));
    texts.filter(|text| text.contains('|')).flat_map(|text| words_of(&text)).collect()
}

/// Tells whether most of what a table said stands among these words.
pub(super) fn stands_in(elsewhere: &BTreeSet<String>, old: &Entry<'_>) -> bool {
    let words = words_of(&text_of(&old.block.content));
    words.intersection(elsewhere).count() * 2 > words.len()
}
