//! Runs of words that came into a text, and whether they stand in another one where they were written. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::counts::{Counts, are_share};
use super::sides::Text;

/// So many words, at least, are known by themselves where they stand together; of fewer others may say the same.
pub(super) const TELLING_MIN: usize = 4;

/// Words of one place, at most, that are looked for each where it was written; of more, how often each is there tells.
const WORDS_MAX: usize = 20_000;

/// So many words are a sentence that is looked for in two pieces, at most, and so many words of a place are looked through.
const SENTENCE_MAX: usize = 100;
const PLACE_MAX: usize = 2_000;

/// As many blocks of a text are looked through for one that stood elsewhere.
const BLOCKS_MAX: usize = 1_000;

/// Blocks of a text that another text does not have, in which one of that may be known again.
#[derive(Debug)]
pub(super) struct Quoted<'t>(Vec<(usize, Vec<&'t str>, String)>);

impl<'t> Quoted<'t> {
    /// The blocks of a text that were not there `before`.
    pub(super) fn new_in(text: &'t Text<'t>, before: &Text<'_>) -> Self {
        let known: BTreeSet<u32> = before.bare(&(0..before.len())).iter().copied().collect();
        let is_new = |at: &usize| text.bare(&(*at..*at + 1)).iter().all(|key| !known.contains(key));
        let new = (0..text.len()).filter(is_new).take(BLOCKS_MAX);
        Self(new.map(|at| (at, text.sequence(&(at..at + 1)), text.plain(at))).collect())
    }

    /// Their places.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|(at, ..)| *at)
    }

    /// Tells whether some words have one of those that `counts` in one piece, of more than `least` words.
    pub(super) fn any_in(&self, said: &[&str], least: usize, counts: impl Fn(usize) -> bool) -> bool {
        self.0.iter().any(|(at, words, _)| words.len() > least && counts(*at) && has_piece(said, words))
    }

    /// Tells whether one of them says in one piece all that a block of another text says, and not as much again: it is that one,
    /// wherever it stands; of few words one may be written between them. `known` are the words that were said before: few of them
    /// tell nothing.
    pub(super) fn has(&self, (text, at): (&Text<'_>, usize), known: &Counts<'_>) -> bool {
        let wanted = text.sequence(&(at..at + 1));
        let times = match wanted.len() >= TELLING_MIN {
            true => 2,
            false if wanted.iter().all(|word| known.contains_key(word)) => return false,
            false => 3,
        };
        let plain = text.plain(at);
        let said = plain.trim_end_matches(|letter: char| letter.is_ascii_punctuation());
        let is_edited = |words: &[&str]| {
            (2..TELLING_MIN).contains(&wanted.len())
                && words.len() == wanted.len() + 1
                && together(&wanted, words) == wanted.len()
        };
        self.0.iter().any(|(_, words, plain)| {
            let is_whole = has_piece(words, &wanted) && plain.contains(said);
            wanted.len() * times >= words.len() && (is_whole || is_edited(words))
        })
    }

    /// Tells whether one of those that `counts` says all that a block of another text says, with a sentence in its midst.
    pub(super) fn has_around(&self, (text, at): (&Text<'_>, usize), counts: impl Fn(usize) -> bool) -> bool {
        let wanted = text.sequence(&(at..at + 1));
        let is_around = |words: &[&str]| wanted.len() * 2 >= words.len() && stand_in_two(&wanted, words);
        wanted.len() >= TELLING_MIN && self.0.iter().any(|(at, words, _)| counts(*at) && is_around(words))
    }
}

/// Tells whether more than so many eighths of the words that came where a text said `was` stand there in what it `is`; with 8, all.
pub(super) fn stand(texts: [&[&str]; 3], eighths: usize) -> bool {
    let [was, is, came] = texts;
    if texts.iter().any(|words| words.len() > WORDS_MAX) {
        return true;
    }
    let own = capture_diff_slices(Algorithm::Myers, was, is);
    let (mut there, mut all) = (0, 0);
    for run in capture_diff_slices(Algorithm::Myers, was, came).iter().filter(|op| is_written(op)) {
        let words = came.get(run.new_range()).unwrap_or_default();
        let around = window(&own, run.old_range(), words.len() + 1);
        let around = is.get(around.start..around.end.min(is.len())).unwrap_or_default();
        all += words.len();
        // Where all that was there before still stands, nothing was written in its stead.
        let is_left = |at: usize| own.iter().any(|op| !is_change(op) && op.old_range().contains(&at));
        if !run.old_range().is_empty() && run.old_range().all(is_left) {
            continue;
        }
        there += match words.len() < TELLING_MIN {
            true if has_beside(around, [was, is, came], run.new_range()) => words.len(),
            true => 0,
            false if stand_in_two(words, around) => words.len(),
            false => together(words, around),
        };
    }
    are_share(there, all, eighths)
}

/// The words that were written in a place, though as many of them may have gone from there.
pub(super) fn brought<'t>(was: &[&str], came: &[&'t str]) -> BTreeSet<&'t str> {
    if was.len().max(came.len()) > WORDS_MAX {
        return BTreeSet::new();
    }
    let ops = capture_diff_slices(Algorithm::Myers, was, came);
    let runs = ops.iter().filter(|op| is_written(op));
    runs.flat_map(|run| came.get(run.new_range()).unwrap_or_default()).copied().collect()
}

fn is_written(op: &DiffOp) -> bool {
    is_change(op) && !op.new_range().is_empty()
}

const fn is_change(op: &DiffOp) -> bool {
    !matches!(op, DiffOp::Equal { .. })
}

/// Tells whether words stand in others in their order, one near the other, perhaps with some between them.
pub(super) fn is_along(words: &[&str], others: &[&str]) -> bool {
    words.len() >= TELLING_MIN && together(words, others) == words.len()
}

/// Tells whether a line says some words in their order: few of them in one piece, and not much else.
pub(super) fn is_said(words: &[&str], line: &[&str]) -> bool {
    is_along(words, line) || words.len() * 3 >= line.len() && has_piece(line, words)
}

/// Tells whether words stand in others, which are of what a text `is`, with the word that stands before or behind them, where that is
/// more than there `was`; what begins or ends the place stands at its border, where nothing like it was.
fn has_beside(others: &[&str], [was, is, came]: [&[&str]; 3], run: Range<usize>) -> bool {
    let words = came.get(run.clone()).unwrap_or_default();
    let at_start = run.start == 0 && others.starts_with(words) && !was.starts_with(words);
    let at_end = run.end == came.len() && others.ends_with(words) && !was.ends_with(words);
    let (before, behind) = (run.start.checked_sub(1).map(|start| start..run.end), run.start..run.end + 1);
    let mut beside = before.into_iter().chain([behind]).filter_map(|piece| came.get(piece));
    let times = |words: &[&str], piece: &[&str]| words.windows(piece.len()).filter(|words| *words == piece).count();
    at_start || at_end || beside.any(|piece| has_piece(others, piece) && times(is, piece) > times(was, piece))
}

/// How many words go from one row of words, and how many come, to make it another one; of very long ones, in whatever order.
pub(super) fn distance(one: &[&str], other: &[&str]) -> usize {
    if one.len().max(other.len()) > WORDS_MAX {
        let mut counts = BTreeMap::<&str, i64>::new();
        one.iter().for_each(|word| *counts.entry(word).or_default() += 1);
        other.iter().for_each(|word| *counts.entry(word).or_default() -= 1);
        return counts.into_values().map(|count| usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX)).sum();
    }
    let changes = capture_diff_slices(Algorithm::Myers, one, other);
    changes.iter().filter(|op| is_change(op)).map(|op| op.old_range().len() + op.new_range().len()).sum()
}

/// Tells whether words stand in others in one piece.
pub(super) fn has_piece(words: &[&str], piece: &[&str]) -> bool {
    !piece.is_empty() && words.windows(piece.len()).any(|words| words == piece)
}

/// Where a text has what stood in a place before, with so many words more on both sides.
fn window(own: &[DiffOp], place: Range<usize>, more: usize) -> Range<usize> {
    let equal = |op: &&DiffOp| matches!(op, DiffOp::Equal { .. });
    // Behind the last word before the place that is left, and before the first behind it.
    let before = own.iter().rev().filter(equal).find(|op| op.old_range().start < place.start);
    let behind = own.iter().filter(equal).find(|op| op.old_range().end > place.end);
    let first = before.map_or(0, |op| {
        let old = op.old_range();
        op.new_range().start + old.end.min(place.start).saturating_sub(old.start)
    });
    let last = behind.map_or(usize::MAX, |op| op.new_range().start + place.end.saturating_sub(op.old_range().start));
    first.saturating_sub(more)..last.saturating_add(more)
}

/// Tells whether words stand in others in their order, in two pieces: somebody wrote a sentence in the midst of one.
fn stand_in_two(words: &[&str], others: &[&str]) -> bool {
    if words.len() > SENTENCE_MAX || others.len() > PLACE_MAX {
        return false;
    }
    let alike = |(one, other): &(&&str, &&str)| one == other;
    (0..others.len()).any(|start| {
        let behind = others.get(start..).unwrap_or_default();
        let first = words.iter().zip(behind).take_while(alike).count();
        let rest = words.get(first..).unwrap_or_default();
        first > 0 && (rest.is_empty() || has_piece(behind.get(first..).unwrap_or_default(), rest))
    })
}

/// How many of some words stand in others one near the other.
fn together(words: &[&str], others: &[&str]) -> usize {
    let mut found: Vec<usize> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, words, others) {
        if let DiffOp::Equal { new_index, len, .. } = op {
            found.extend(new_index..new_index + len);
        }
    }
    let span = found.last().zip(found.first()).map_or(0, |(last, first)| last - first + 1);
    if span * 2 <= words.len() * 3 + 1 { found.len() } else { 0 }
}
