//! The words of texts, counted: which of them came, and which blocks are the same but for a few. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::moved::words_of;
use super::sides::Text;

/// Blocks that are looked through for one that was moved.
const BLOCKS_MAX: usize = 1_000;

/// How often each word stands somewhere.
pub(super) type Counts<'a> = BTreeMap<&'a str, usize>;

impl Text<'_> {
    pub(super) fn words(&self) -> Counts<'_> {
        self.words_of(&(0..self.len()))
    }

    pub(super) fn words_of(&self, range: &Range<usize>) -> Counts<'_> {
        let mut counts = Counts::new();
        for word in self.blocks(range).iter().flat_map(|block| words_of(&block.content)) {
            *counts.entry(word).or_default() += 1;
        }
        counts
    }
}

/// The words of which more came than were.
pub(super) fn brought<'a>(was: &Counts<'_>, came: &Counts<'a>) -> BTreeSet<&'a str> {
    let more = came.iter().filter(|(word, count)| was.get(*word).is_none_or(|was| was < *count));
    more.map(|(word, _)| *word).collect()
}

/// The words of each block of a range that the text before does not have.
pub(super) fn new_blocks<'t>(before: &Text<'_>, text: &'t Text<'_>, range: Range<usize>) -> Vec<Counts<'t>> {
    let old: BTreeSet<u32> = before.bare(&(0..before.len())).iter().copied().collect();
    let blocks = range.clone().zip(text.bare(&range)).filter(|(_, key)| !old.contains(key));
    blocks.map(|(at, _)| text.words_of(&(at..at + 1))).filter(|words| !words.is_empty()).take(BLOCKS_MAX).collect()
}

/// Tells whether a block has three quarters of the words of another.
pub(super) fn is_mostly(one: &Counts<'_>, other: &Counts<'_>) -> bool {
    other.keys().filter(|word| one.contains_key(*word)).count() * 4 >= other.len() * 3
}

/// More than half, in eighths.
pub(super) const MOST: usize = 4;

/// Tells whether a text has more than so many eighths of the words that came; with 8, all.
pub(super) fn has_share(was: &Counts<'_>, is: &Counts<'_>, came: &Counts<'_>, eighths: usize) -> bool {
    let (has, brought) = (brought(was, is), brought(was, came).into_iter().collect::<Vec<_>>());
    is_share(&brought, |word| has.contains(word), eighths)
}

/// Tells whether more than so many eighths of some words are there; with 8, all.
pub(super) fn is_share(words: &[&str], is_there: impl Fn(&str) -> bool, eighths: usize) -> bool {
    let found = words.iter().filter(|word| is_there(word)).count();
    !words.is_empty() && (found == words.len() || found * 8 > words.len() * eighths)
}

/// Tells whether a text has most of the words that came.
pub(super) fn has_most(was: &Counts<'_>, is: &Counts<'_>, came: &Counts<'_>) -> bool {
    has_share(was, is, came, MOST)
}
