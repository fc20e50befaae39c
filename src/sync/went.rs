//! What went from a file and still stands in a text: its writer does not know that it went, or means it. Pure.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::mebdf::{self, Content};

use super::arrival::{Arrival, said_with};
use super::counts::{brought, counted, is_mostly};
use super::hunks::{self, placed};
use super::rows;
use super::run;
use super::sides::{Keys, Text};
use super::words::{words_in, words_of};

/// A line of a text that still has words which went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    /// What it says, trimmed.
    pub(super) text: String,
    /// Its words that went, in their order.
    pub(super) words: Vec<String>,
    /// Whether it is of a block that went as it stands there: then others may say the same words as some that went.
    pub(super) is_whole: bool,
}

impl Line {
    /// Tells whether it says the words of another line that went.
    pub(super) fn says(&self, other: &Self) -> bool {
        let said: Vec<&str> = words_in(&self.text).collect();
        let words: Vec<&str> = other.words.iter().map(String::as_str).collect();
        self.text == other.text || run::is_said(&words, &said)
    }
}

/// Words of one place, at most, that are looked for each where it stood.
const PLACED_MAX: usize = 20_000;

/// Words of a paragraph that must have gone from everywhere, at least, for it to be known in another place; or which it must have in
/// all where most of it stayed.
const WORDS_MIN: usize = 3;

/// Lines of a text that have words which went and that are looked for elsewhere, at most.
const LINES_MAX: usize = 500;

/// Looks in a text for what went with an arrival: words that stand where they stood, and paragraphs that stand elsewhere. What was
/// written anew meanwhile may say the like of what went, so of several words that went together all must be there, or a third and
/// one that nothing else says; and of a paragraph half of those that nothing else says.
pub(super) fn kept(arrival: &Arrival, text: &str) -> Vec<Line> {
    if !has_any(arrival, text) {
        return Vec::new();
    }
    let has = |text: &Text<'_>, key: u32| text.bare(&(0..text.len())).contains(&key);
    let mut keys = Keys::default();
    let [before, local, after, agreed] =
        [&*arrival.before, text, &*arrival.after, &*arrival.base].map(|text| Text::read(text, &mut keys));
    // What stood in the file alone went because a person chose so. What the file says alone may have the words of a block of both.
    let (left, of_both) = (after.words(), brought(&after.words(), &agreed.words()));
    let whole: BTreeSet<&str> = (0..before.len())
        .filter(|at| before.bare(&(*at..*at + 1)).iter().all(|key| has(&agreed, *key) && !has(&after, *key)))
        .flat_map(|at| before.words_of(&(at..at + 1)).into_keys())
        .collect();
    let is_of_both = |word: &&str| of_both.contains(word) || whole.contains(word);
    let went: BTreeSet<&str> = brought(&left, &before.words()).into_iter().filter(is_of_both).collect();
    let mut found: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let only: BTreeSet<&str> = went.iter().filter(|word| !left.contains_key(*word)).copied().collect();
    let texts = [&before, &local, &after];
    let mut stands = elsewhere(texts, &only);
    stands.extend(moved(texts, &only));
    for (region, mine, theirs) in placed(&hunks::regions(&before, &local, &after)) {
        stands.extend(standing(texts, [&region.base, &mine, &theirs], [&went, &only]));
    }
    for (at, word) in stands {
        found.entry(at).or_default().insert(word);
    }
    let is_whole = |at: usize| local.bare(&(at..at + 1)).iter().all(|key| has(&before, *key) && !has(&after, *key));
    found.into_iter().map(|(at, words)| Line { is_whole: is_whole(at), ..line(&local, &after, at, &words) }).collect()
}

/// Finds the words of a region that went and that stand in the text where they stood, with their blocks there.
fn standing<'t>(
    [before, local, after]: [&'t Text<'t>; 3],
    [base, mine, theirs]: [&Range<usize>; 3],
    [went, only]: [&BTreeSet<&str>; 2],
) -> Vec<(usize, &'t str)> {
    let [was, is, came] = [(before, base), (local, mine), (after, theirs)].map(|(text, place)| said(text, place));
    let words = |said: &[(usize, &'t str)]| said.iter().map(|(_, word)| *word).collect::<Vec<_>>();
    let (old, own, new) = (words(&was), words(&is), words(&came));
    if [&was, &is, &came].iter().any(|words| words.len() > PLACED_MAX) {
        // What stands as it stood is known by its blocks alone.
        let keys = |text: &Text<'_>, place: &Range<usize>| text.bare(place).iter().copied().collect::<BTreeSet<u32>>();
        let (old, new) = (keys(before, base), keys(after, theirs));
        let is_left =
            |at: &usize| local.bare(&(*at..*at + 1)).iter().all(|key| old.contains(key) && !new.contains(key));
        return is.into_iter().filter(|(at, word)| went.contains(word) && is_left(at)).collect();
    }
    // Where each word stands in the text.
    let mut stands: BTreeMap<usize, usize> = BTreeMap::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &own) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            stands.extend((0..len).map(|at| (old_index + at, new_index + at)));
        }
    }
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let is_gone = |at: &usize| old.get(*at).is_some_and(|word| went.contains(word));
        let gone: Vec<usize> = op.old_range().filter(is_gone).collect();
        let left = gone.iter().filter_map(|at| is.get(*stands.get(at)?).copied()).collect::<Vec<_>>();
        let has_only = left.iter().any(|(_, word)| only.contains(word));
        if left.len() == gone.len() || has_only && left.len() * 3 >= gone.len() {
            found.extend(left);
        }
    }
    found
}

/// Finds the words that went from a paragraph or a row of a table and that stand beside the same ones in most of it, wherever that
/// is by now: who moved it has not seen that they went.
fn moved<'t>([before, local, after]: [&'t Text<'t>; 3], only: &BTreeSet<&str>) -> Vec<(usize, &'t str)> {
    let known: BTreeSet<Vec<&str>> = lines_of(after).map(|(_, words)| words).collect();
    let is_told = |words: &[&str]| words.iter().any(|word| only.contains(word)) && !known.contains(words);
    let [gone, fresh] = [before, local].map(|text| {
        let told = lines_of(text).filter(|(_, words)| is_told(words));
        told.take(LINES_MAX).map(|(at, words)| (at, pairs(&words), counted(words))).collect::<Vec<_>>()
    });
    let mut found = Vec::new();
    for (at, is, words) in &fresh {
        for (_, was, _) in gone.iter().filter(|(.., old)| old.len() >= WORDS_MIN && is_mostly(words, old)) {
            let both = is.intersection(was).flat_map(|(one, other)| [*one, *other]);
            found.extend(both.filter(|word| only.contains(word)).map(|word| (*at, word)));
        }
    }
    found
}

/// Each word of a line with the one behind it.
fn pairs<'t>(words: &[&'t str]) -> BTreeSet<(&'t str, &'t str)> {
    words.iter().copied().zip(words.iter().skip(1).copied()).collect()
}

/// The words of each paragraph and of each row of a table, with the block.
fn lines_of<'t>(text: &'t Text<'_>) -> impl Iterator<Item = (usize, Vec<&'t str>)> {
    text.blocks(&(0..text.len())).iter().enumerate().flat_map(|(at, block)| {
        let lines = if let Content::Table { rows, .. } = &block.content {
            rows.iter().map(|row| rows::said(std::slice::from_ref(row)).collect()).collect()
        } else {
            vec![words_of(&block.content)]
        };
        lines.into_iter().map(move |words| (at, words))
    })
}

/// Finds the blocks of a text that have most of what one that went alone said.
fn elsewhere<'t>([before, local, after]: [&'t Text<'t>; 3], only: &BTreeSet<&str>) -> Vec<(usize, &'t str)> {
    let words = |text: &'t Text<'t>, at: usize| {
        text.words_of(&(at..at + 1)).into_keys().filter(|word| only.contains(word)).collect::<BTreeSet<_>>()
    };
    let gone: Vec<BTreeSet<&str>> =
        (0..before.len()).map(|at| words(before, at)).filter(|block| block.len() >= WORDS_MIN).collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let stays: BTreeSet<u32> = after.bare(&(0..after.len())).iter().copied().collect();
    let is_new = |at: &usize| local.bare(&(*at..*at + 1)).iter().all(|key| !stays.contains(key));
    let said = (0..local.len()).filter(is_new).map(|at| (at, words(local, at)));
    let is_in = |block: &BTreeSet<&str>, said: &BTreeSet<&str>| block.intersection(said).count() * 2 >= block.len();
    let stand = said.filter(|(_, said)| said.len() >= WORDS_MIN && gone.iter().any(|block| is_in(block, said)));
    stand.flat_map(|(at, said)| said.into_iter().map(move |word| (at, word))).collect()
}

/// The words of some blocks, each with its block.
fn said<'t>(text: &'t Text<'t>, place: &Range<usize>) -> Vec<(usize, &'t str)> {
    let blocks = place.clone().zip(text.blocks(place));
    blocks.flat_map(|(at, block)| words_of(&block.content).into_iter().map(move |word| (at, word))).collect()
}

/// The line of a block that has most of `words`, of those that are not in `after`; the first where none has any as it is written.
fn line(local: &Text<'_>, after: &Text<'_>, at: usize, words: &BTreeSet<&str>) -> Line {
    let above = local.text.get(..local.start(at)).unwrap_or_default().lines().count();
    let said = local.slice(&(at..at + 1));
    let known: BTreeSet<&str> = mebdf::body(after.text).lines().map(str::trim).collect();
    let of_line =
        |line: &str| words_in(line).filter(|word| words.contains(word)).map(str::to_owned).collect::<Vec<_>>();
    let lines = said.lines().enumerate().map(|(number, line)| (number, line.trim(), of_line(line)));
    let best = lines
        .filter(|(_, _, words)| !words.is_empty())
        .min_by_key(|(number, line, words)| (known.contains(line), Reverse(words.len()), *number));
    let all = || words.iter().map(|word| (*word).to_owned()).collect();
    let (number, text, words) = best.unwrap_or_else(|| (0, said.lines().next().unwrap_or_default().trim(), all()));
    Line { number: above + number + 1, text: text.to_owned(), words, is_whole: false }
}

/// Tells whether a text has most of the words that were agreed on after an arrival and that nothing said before, nor the file when
/// `older` ones came: who wrote it has read the file since. `base` is the newest.
pub(super) fn has_read_more(arrival: &Arrival, older: &[Arrival], base: &str, text: &str) -> bool {
    let mut keys = Keys::default();
    let texts = [&*arrival.before, &*arrival.after, &*arrival.base, base, text];
    let [before, after, agreed, newest, local] = texts.map(|text| Text::read(text, &mut keys));
    let (known, said) = ([before.words(), after.words(), agreed.words()], local.words());
    let (new, words) = (newest.words(), |word: &&&str| !known.iter().any(|known| known.contains_key(**word)));
    let mut more: Vec<&&str> = new.keys().filter(words).collect();
    if more.is_empty() {
        return false;
    }
    let earlier = said_with(older);
    more.retain(|word| !earlier.contains_key(**word));
    let there = more.iter().filter(|word| said.contains_key(**word)).count();
    there * 2 > more.len()
}

/// What came into a file: words, and whole lines, which may say nothing new.
#[derive(Debug, Default)]
pub(super) struct Came {
    words: BTreeSet<String>,
    lines: BTreeSet<String>,
}

impl Came {
    /// What came into a file that said the first of each pair before and then the second.
    pub(super) fn with(pairs: &[[&str; 2]]) -> Self {
        let words = pairs.iter().flat_map(|[before, after]| said_more(said_in(before), said_in(after)));
        let lines = pairs.iter().flat_map(|[before, after]| said_more(lines_in(before), lines_in(after)));
        Self { words: words.collect(), lines: lines.collect() }
    }

    /// The words that came into the file with arrivals, newest first, and of which none has taken any away since, did, too.
    pub(super) fn stayed(&mut self, arrivals: &[Arrival]) {
        let stayed = arrivals.iter().rev().fold(BTreeSet::new(), |mut came, Arrival { before, after, .. }| {
            let went: BTreeSet<String> = said_more(said_in(after), said_in(before)).collect();
            came.retain(|word| !went.contains(word));
            came.extend(said_more(said_in(before), said_in(after)));
            came
        });
        self.words.extend(stayed);
    }

    /// Leaves out what its writers wrote into the file themselves, before it came there once more, as what a save from an older
    /// text lacked does: it stood there first, and was never agreed on, so nobody else has it to take away. `arrivals` are the
    /// newest first.
    pub(super) fn without_own(&mut self, arrivals: &[Arrival], base: &str) {
        if self.words.is_empty() && self.lines.is_empty() {
            return;
        }
        let agreed = || arrivals.iter().map(|arrival| &*arrival.base).chain([base]);
        let own = first_written(arrivals, said_in);
        let known: BTreeSet<&str> = agreed().flat_map(said_in).collect();
        self.words.retain(|word| !own.contains(&**word) || known.contains(&**word));
        let own = first_written(arrivals, lines_in);
        let known: BTreeSet<&str> = agreed().flat_map(lines_in).collect();
        self.lines.retain(|line| !own.contains(&**line) || known.contains(&**line));
    }
}

/// What stood in a file before any arrival, newest first, had brought it. Several that brought the same text are of saves that were
/// joined: each of them was its writer's own.
fn first_written<'t>(arrivals: &'t [Arrival], said_in: impl Fn(&'t str) -> BTreeSet<&'t str>) -> BTreeSet<&'t str> {
    let (mut own, mut came) = (BTreeSet::new(), BTreeSet::new());
    for joined in arrivals.chunk_by(|newer, older| newer.after == older.after).rev() {
        for Arrival { before, .. } in joined {
            own.extend(said_in(before).into_iter().filter(|said| !came.contains(said)));
        }
        let after = joined.first().map(|arrival| said_in(&arrival.after)).unwrap_or_default();
        came.extend(after.into_iter().filter(|said| !own.contains(said)));
    }
    own
}

/// The lines of a text with words that came into its file and that neither its base nor the remote has: they look like its
/// writer's own, who has read them. So do those that say all that a line said which came and that neither has any more.
pub(super) fn came_and_went(came: &Came, [base, text, remote]: [&str; 3]) -> Vec<Line> {
    if came.words.is_empty() && came.lines.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<&str> = [base, remote].into_iter().flat_map(said_in).collect();
    let known_lines: BTreeSet<&str> = [base, remote].into_iter().flat_map(lines_in).collect();
    let gone: Vec<&str> = came.lines.iter().map(String::as_str).filter(|line| !known_lines.contains(line)).collect();
    let body = mebdf::body(text);
    let above = text.strip_suffix(body).unwrap_or_default().lines().count();
    let went = |word: &&str| came.words.contains(*word) && !known.contains(word);
    let says = |line: &str| {
        let is_own = !known_lines.contains(line);
        gone.iter()
            .filter(|gone| is_own && (line == **gone || is_telling(gone) && line.contains(**gone)))
            .copied()
            .next()
    };
    let line = |(line, number): (&str, usize)| {
        let mut words: Vec<String> = words_in(line).filter(went).map(str::to_owned).collect();
        if words.is_empty() {
            words.extend(says(line.trim()).into_iter().flat_map(words_in).map(str::to_owned));
        }
        Line { number, text: line.trim().to_owned(), words, is_whole: false }
    };
    let lines = body.lines().zip(above + 1..).filter(|(line, _)| !is_directive(line));
    lines.map(line).filter(|line| !line.words.is_empty()).collect()
}

/// Tells whether a line says how what follows looks, and nothing else.
fn is_directive(line: &str) -> bool {
    let inner = line.trim().strip_prefix("{!").and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| !inner.contains(['{', '}']))
}

/// Tells whether a line is known in a longer one.
fn is_telling(line: &str) -> bool {
    words_in(line).nth(1).is_some()
}

/// What was said after something and not before.
fn said_more(before: BTreeSet<&str>, after: BTreeSet<&str>) -> impl Iterator<Item = String> {
    after.into_iter().filter(move |said| !before.contains(said)).map(str::to_owned)
}

/// The lines that have words.
fn lines_in(text: &str) -> BTreeSet<&str> {
    mebdf::body(text).lines().map(str::trim).filter(|line| words_in(line).next().is_some()).collect()
}

fn said_in(text: &str) -> BTreeSet<&str> {
    words_in(mebdf::body(text)).collect()
}

/// Tells whether any word that went stands in the text more often than it was left: the quick answer for nearly every save.
fn has_any(arrival: &Arrival, text: &str) -> bool {
    let [before, after, local] = [&*arrival.before, &*arrival.after, text].map(|text| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        words_in(mebdf::body(text)).for_each(|word| *counts.entry(word).or_default() += 1);
        counts
    });
    let [was, is, says] = [&*arrival.before, &*arrival.after, text].map(|text| {
        mebdf::body(text).lines().map(str::trim).filter(|line| !line.is_empty()).collect::<BTreeSet<&str>>()
    });
    // A line may have no word.
    !brought(&after, &before).is_disjoint(&brought(&after, &local))
        || was.difference(&is).any(|line| says.contains(line))
}
