//! What went from a file and still stands in a text: its writer does not know that it went, or means it. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::mebdf;

use super::arrival::Arrival;
use super::counts::{Counts, brought, is_mostly, new_blocks};
use super::hunks::{self, placed};
use super::sides::{Keys, Text};

/// A line of a text, with its number from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
}

/// Words of a paragraph that was edited since it went, at least, for it to be known.
const WORDS_MIN: usize = 3;

/// Looks in a text for what went with an arrival: paragraphs that stand where they stood, as they stood or edited. Who has moved
/// one means it. Of each its first line is returned that went, trimmed.
pub(super) fn kept(arrival: &Arrival, text: &str) -> Vec<Line> {
    if !has_any(arrival, text) {
        return Vec::new();
    }
    let mut keys = Keys::default();
    let [before, local, after, agreed] =
        [&*arrival.before, text, &*arrival.after, &*arrival.base].map(|text| Text::read(text, &mut keys));
    // What stood in the file alone went because a person chose so.
    let of_both = brought(&after.words(), &agreed.words());
    let went: BTreeSet<&str> =
        brought(&after.words(), &before.words()).into_iter().filter(|word| of_both.contains(word)).collect();
    let texts = [&before, &local, &after];
    let mut found = BTreeSet::new();
    for (region, mine, theirs) in placed(&hunks::regions(&before, &local, &after)) {
        let of_it = region.base.clone().filter(|at| before.words_of(&one(*at)).keys().any(|word| went.contains(word)));
        found.extend(of_it.filter_map(|at| standing(texts, at, &mine, &theirs)));
    }
    found.into_iter().map(|at| first_line(&local, &after, at)).collect()
}

/// Finds a block of `before` that went among the blocks `mine` of the text; `theirs` are those that came in its place.
fn standing(
    [before, local, after]: [&Text<'_>; 3],
    at: usize,
    mine: &Range<usize>,
    theirs: &Range<usize>,
) -> Option<usize> {
    let key = before.bare(&one(at));
    let count = |keys: &[u32]| keys.iter().filter(|other| key.contains(other)).count();
    if count(local.bare(mine)) > count(after.bare(theirs)) {
        return mine.clone().rfind(|at| local.bare(&one(*at)) == key);
    }
    // Edited; one of which a part went is left to who reads on there.
    let was = before.words_of(&one(at));
    let is_it = |block: &Counts<'_>| is_mostly(block, &was);
    if was.len() < WORDS_MIN || new_blocks(before, after, theirs.clone()).iter().any(is_it) {
        return None;
    }
    let is_new = |at: &usize| !before.bare(&(0..before.len())).iter().any(|key| local.bare(&one(*at)).contains(key));
    mine.clone().find(|at| is_new(at) && is_it(&local.words_of(&one(*at))))
}

const fn one(at: usize) -> Range<usize> {
    at..at + 1
}

/// The first line of a block that is not in `after`.
fn first_line(local: &Text<'_>, after: &Text<'_>, at: usize) -> Line {
    let above = local.text.get(..local.start(at)).unwrap_or_default().lines().count();
    let said = local.slice(&one(at));
    let known: BTreeSet<&str> = mebdf::body(after.text).lines().map(str::trim).collect();
    let of_it = said.lines().position(|line| !known.contains(line.trim())).unwrap_or_default();
    Line { number: above + of_it + 1, text: said.lines().nth(of_it).unwrap_or_default().trim().to_owned() }
}

/// Tells whether a text has words that were agreed on after an arrival: who wrote it has read the file since. `base` is the newest.
pub(super) fn has_read_more(arrival: &Arrival, base: &str, text: &str) -> bool {
    let mut keys = Keys::default();
    let [before, after, newest, local] =
        [&*arrival.before, &*arrival.after, base, text].map(|text| Text::read(text, &mut keys));
    let mut known = before.words();
    for (word, count) in after.words() {
        let most = known.entry(word).or_default();
        *most = count.max(*most);
    }
    !brought(&known, &newest.words()).is_disjoint(&brought(&known, &local.words()))
}

/// The lines of a text with words that came into its file, which said the first of each pair before and then the second, and that
/// neither its base nor the remote has: they look like its writer's own, who has read them.
pub(super) fn came_and_went(came: &[[&str; 2]], [base, text, remote]: [&str; 3]) -> Vec<Line> {
    if came.is_empty() {
        return Vec::new();
    }
    let said = |text: &'_ str| mebdf::body(text).unicode_words().map(str::to_owned).collect::<BTreeSet<String>>();
    let known: BTreeSet<String> = said(base).union(&said(remote)).cloned().collect();
    let brought = |[before, after]: &[&str; 2]| said(after).difference(&said(before)).cloned().collect::<Vec<_>>();
    let went: BTreeSet<String> = came.iter().flat_map(brought).filter(|word| !known.contains(word)).collect();
    let body = mebdf::body(text);
    let above = text.strip_suffix(body).unwrap_or_default().lines().count();
    let lines = body.lines().zip(above + 1..);
    let has_any = |line: &str| line.unicode_words().any(|word| went.contains(word));
    lines
        .filter(|(line, _)| has_any(line))
        .map(|(line, number)| Line { number, text: line.trim().to_owned() })
        .collect()
}

/// Tells whether any word that went stands in the text more often than it was left: the quick answer for nearly every save.
fn has_any(arrival: &Arrival, text: &str) -> bool {
    let [before, after, local] = [&*arrival.before, &*arrival.after, text].map(|text| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        mebdf::body(text).unicode_words().for_each(|word| *counts.entry(word).or_default() += 1);
        counts
    });
    !brought(&after, &before).is_disjoint(&brought(&after, &local))
}
