//! The words of texts, counted: which of them came, and which blocks are the same but for a few. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::sides::Text;
use super::words::{pieces_in, texts_of, words_of};

/// Blocks that are looked through for one that was moved.
const BLOCKS_MAX: usize = 1_000;

/// How often each word stands somewhere.
pub(super) type Counts<'a> = BTreeMap<&'a str, usize>;

impl Text<'_> {
    pub(super) fn words(&self) -> Counts<'_> {
        self.words_of(&(0..self.len()))
    }

    pub(super) fn words_of(&self, range: &Range<usize>) -> Counts<'_> {
        counted(self.sequence(range))
    }

    /// What a block says, without its marks and objects.
    pub(super) fn plain(&self, at: usize) -> String {
        self.content(at).into_iter().flat_map(texts_of).collect()
    }

    /// The words of some blocks, in their order, with what stands between them.
    pub(super) fn pieces(&self, range: &Range<usize>) -> Vec<&str> {
        let texts = self.blocks(range).iter().flat_map(|block| texts_of(&block.content));
        texts.flat_map(pieces_in).collect()
    }

    /// The words of some blocks, in their order.
    pub(super) fn sequence(&self, range: &Range<usize>) -> Vec<&str> {
        self.blocks(range).iter().flat_map(|block| words_of(&block.content)).collect()
    }
}

/// How often each of some words stands there.
pub(super) fn counted<'a>(words: impl IntoIterator<Item = &'a str>) -> Counts<'a> {
    let mut counts = Counts::new();
    words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    counts
}

/// The words of which more came than were.
pub(super) fn brought<'a>(was: &Counts<'_>, came: &Counts<'a>) -> BTreeSet<&'a str> {
    let more = came.iter().filter(|(word, count)| was.get(*word).is_none_or(|was| was < *count));
    more.map(|(word, _)| *word).collect()
}

/// The blocks of a range that the text before does not have, and the words of each.
pub(super) fn new_blocks<'t>(before: &Text<'_>, text: &'t Text<'_>, range: Range<usize>) -> Vec<(usize, Counts<'t>)> {
    let old: BTreeSet<u32> = before.bare(&(0..before.len())).iter().copied().collect();
    let blocks = range.clone().zip(text.bare(&range)).filter(|(_, key)| !old.contains(key));
    let words = blocks.map(|(at, _)| (at, text.words_of(&(at..at + 1))));
    words.filter(|(_, words)| !words.is_empty()).take(BLOCKS_MAX).collect()
}

/// How many words two blocks have in common.
pub(super) fn shared(one: &Counts<'_>, other: &Counts<'_>) -> usize {
    one.iter().map(|(word, count)| other.get(word).map_or(0, |other| *other.min(count))).sum()
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
    are_share(words.iter().filter(|word| is_there(word)).count(), words.len(), eighths)
}

/// Tells whether some of so many are more than so many eighths; with 8, all.
pub(super) const fn are_share(found: usize, all: usize, eighths: usize) -> bool {
    all > 0 && (found == all || found * 8 > all * eighths)
}

/// Tells whether a text has most of the words that came.
pub(super) fn has_most(was: &Counts<'_>, is: &Counts<'_>, came: &Counts<'_>) -> bool {
    has_share(was, is, came, MOST)
}
