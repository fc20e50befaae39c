//! Tables that were edited, and perhaps moved at once: each stays where it is, since a new one would not look like it, and the
//! rest of the edit goes around it. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::align::{Stay, Step};
use super::blocks::Entry;
use super::planner::{Planner, text_of, words_of};
use super::tables::ratio;
use crate::mebdf::Content;

/// More than this of the words of a new table stand in one that was moved when it is that one, or a part of it.
const SAME_MIN: f32 = 0.5;

/// Of more edited tables than this, the rest is aligned with what stands around it.
const TABLES_MAX: usize = 50;

/// Finds the tables of the document that the file has with other words, each with its own there: of those that neither side has
/// unchanged, the one that says mostly the same, if that is one alone for both. What cannot make way for a table, such as a heading,
/// stands on the same side of both.
pub(super) fn edited_tables(old: &[Entry<'_>], new: &[Entry<'_>]) -> Vec<(usize, usize)> {
    let changed = |entries: &[Entry<'_>], others: &[Entry<'_>]| -> Vec<(usize, BTreeSet<String>)> {
        let is_table = |entry: &Entry<'_>| matches!(entry.block.content, Content::Table { .. });
        let known: BTreeSet<&str> = others.iter().filter(|other| is_table(other)).map(|other| &*other.key).collect();
        let left = entries.iter().enumerate().filter(|(_, entry)| is_table(entry) && !known.contains(&*entry.key));
        left.map(|(at, entry)| (at, words_of(&text_of(&entry.block.content)))).take(TABLES_MAX).collect()
    };
    let new_tables = changed(new, old);
    if new_tables.is_empty() {
        return Vec::new();
    }
    let old_tables = changed(old, new);
    let same = |one: &BTreeSet<String>, other: &BTreeSet<String>| ratio(one, other) > SAME_MIN;
    let alone = |old: &BTreeSet<String>| {
        let mut found = new_tables.iter().filter(|(_, new)| same(old, new));
        found.next().filter(|_| found.next().is_none())
    };
    let pairs = old_tables.iter().filter_map(|(i, words)| Some((*i, alone(words)?)));
    let pairs = pairs.filter(|(_, (_, words))| old_tables.iter().filter(|(_, old)| same(old, words)).count() == 1);
    let stays = staying(old, new);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, j) in pairs.map(|(i, (j, _))| (i, *j)) {
        if stays.iter().chain(&found).all(|(a, b)| (*a < i) == (*b < j)) {
            found.push((i, j));
        }
    }
    found
}

/// What would rather stay and stands once on each side, with where that is.
fn staying(old: &[Entry<'_>], new: &[Entry<'_>]) -> Vec<(usize, usize)> {
    let places = |entries: &[Entry<'_>]| {
        let mut places: BTreeMap<String, Option<usize>> = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate() {
            places.entry(entry.key.clone()).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (old_places, new_places) = (places(old), places(new));
    let stays = old_places.into_iter().filter_map(|(key, at)| Some((key, at?)));
    let stays = stays.filter(|(_, at)| old[*at].stay() >= Stay::Rather);
    stays.filter_map(|(key, at)| Some((at, (*new_places.get(&key)?)?))).collect()
}

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
