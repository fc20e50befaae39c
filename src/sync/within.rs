//! The three-way merge within a block: both sides edited different words of it. Pure.
//!
//! A block is cut into tokens: its words, what stands between them, and its objects, each with its look. The changes of both
//! sides go into one block where a token that neither changed stands between them, and what both did alike is done once. Where
//! that might bring a word twice, or take one away that only moved, there is no merge.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::hunks::TELLING_BYTES;
use super::rows;
use crate::mebdf::{Cell, Content, Marks, Run, RunContent};

/// Tokens of one text, at most; a longer one is not merged by words.
const TOKENS_MAX: usize = 5_000;

/// Changes of one side of one text, at most.
const CHANGES_MAX: usize = 200;

/// Merges two versions of a block that come from `base`; `None` where they meet.
pub(super) fn merged(base: &Content, mine: &Content, theirs: &Content) -> Option<Content> {
    match (base, mine, theirs) {
        (
            Content::Table { alignments: base_look, rows: base },
            Content::Table { alignments: my_look, rows: mine },
            Content::Table { alignments: their_look, rows: theirs },
        ) => {
            let alignments = either(base_look, my_look, their_look)?.clone();
            let row = |base: &Vec<Cell>, mine: &Vec<Cell>, theirs: &Vec<Cell>| each(base, mine, theirs, cell);
            let whole = either(base, mine, theirs).cloned();
            let rows = whole.or_else(|| match rows::are_kept(base, mine) && rows::are_kept(base, theirs) {
                _ if rows::have_other_columns(mine, theirs) => None,
                true => each(base, mine, theirs, row),
                false => rows::merged(base, mine, theirs, row),
            })?;
            Some(Content::Table { alignments, rows })
        }
        (
            Content::Footnote { label: base_label, paragraphs: base },
            Content::Footnote { label: my_label, paragraphs: mine },
            Content::Footnote { label: their_label, paragraphs: theirs },
        ) => {
            let label = either(base_label, my_label, their_label)?.clone();
            Some(Content::Footnote { label, paragraphs: cell(base, mine, theirs)? })
        }
        (
            Content::Code { info: base_info, text: base },
            Content::Code { info: my_info, text: mine },
            Content::Code { info: their_info, text: theirs },
        ) => {
            let info = either(base_info, my_info, their_info)?.clone();
            Some(Content::Code { info, text: merged_text(base, mine, theirs)? })
        }
        _ => {
            let ((base, base_runs), (mine, my_runs), (their, their_runs)) = (bare(base)?, bare(mine)?, bare(theirs)?);
            let runs = paragraph(base_runs, my_runs, their_runs)?;
            Some(dressed(either(&base, &mine, &their)?.clone(), theirs, runs))
        }
    }
}

/// Merges values that nobody merges any deeper; `None` when both sides changed one, each in its own way.
fn either<'a, T: PartialEq>(base: &T, mine: &'a T, theirs: &'a T) -> Option<&'a T> {
    if mine == theirs || theirs == base {
        Some(mine)
    } else if mine == base {
        Some(theirs)
    } else {
        None
    }
}

/// Merges rows of things, one by one, that have kept their count; else as a whole.
fn each<T: PartialEq + Clone>(
    base: &Vec<T>,
    mine: &Vec<T>,
    theirs: &Vec<T>,
    merge: impl Fn(&T, &T, &T) -> Option<T>,
) -> Option<Vec<T>> {
    if let Some(whole) = either(base, mine, theirs) {
        return Some(whole.clone());
    }
    if base.len() != mine.len() || base.len() != theirs.len() {
        return None;
    }
    base.iter().zip(mine).zip(theirs).map(|((base, mine), theirs)| merge(base, mine, theirs)).collect()
}

fn cell(base: &Cell, mine: &Cell, theirs: &Cell) -> Option<Cell> {
    each(base, mine, theirs, |base, mine, theirs| paragraph(base, mine, theirs))
}

/// Takes the words from a block, so that what is left says what kind of block it is; `None` for one without words of its own.
/// The anchor of a heading is Google's, and no part of what was edited.
fn bare(block: &Content) -> Option<(Content, &[Run])> {
    match block {
        Content::Heading { level, runs, .. } => {
            Some((Content::Heading { level: *level, anchor: None, runs: Vec::new() }, runs))
        }
        Content::Paragraph { runs } => Some((Content::Paragraph { runs: Vec::new() }, runs)),
        Content::Item { depth, mark, runs } => {
            Some((Content::Item { depth: *depth, mark: *mark, runs: Vec::new() }, runs))
        }
        Content::ItemParagraph { depth, runs } => {
            Some((Content::ItemParagraph { depth: *depth, runs: Vec::new() }, runs))
        }
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => None,
    }
}

/// Gives a block its words, and a heading the anchor that it has in the document.
fn dressed(mut block: Content, theirs: &Content, words: Vec<Run>) -> Content {
    match &mut block {
        Content::Heading { anchor, runs, .. } => {
            if let Content::Heading { anchor: there, .. } = theirs {
                anchor.clone_from(there);
            }
            *runs = words;
        }
        Content::Paragraph { runs } | Content::Item { runs, .. } | Content::ItemParagraph { runs, .. } => *runs = words,
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => {}
    }
    block
}

/// Merges the words of a paragraph, in which a soft break is the space that it means.
fn paragraph(base: &[Run], mine: &[Run], theirs: &[Run]) -> Option<Vec<Run>> {
    let [base, mine, theirs] = [base, mine, theirs].map(|runs| {
        let mut runs = runs.to_vec();
        runs.iter_mut().for_each(Run::flow);
        runs
    });
    either(&base, &mine, &theirs).cloned().or_else(|| merged_runs(&base, &mine, &theirs))
}

/// Merges two versions of a text that come from `base`, as [`merged`] does; `None` where they meet.
pub(super) fn merged_text(base: &str, mine: &str, theirs: &str) -> Option<String> {
    let [base, mine, theirs] = [base, mine, theirs]
        .map(|text| vec![Run { content: RunContent::Text(text.to_owned()), marks: Marks::default() }]);
    let said = |run: Run| if let RunContent::Text(text) = run.content { text } else { String::new() };
    Some(merged_runs(&base, &mine, &theirs)?.into_iter().map(said).collect())
}

fn merged_runs(base: &[Run], mine: &[Run], theirs: &[Run]) -> Option<Vec<Run>> {
    let mut tokens = Tokens::default();
    let [base, mine, theirs] = [base, mine, theirs].map(|runs| tokens.cut(runs));
    if [&base, &mine, &theirs].iter().any(|side| side.len() > TOKENS_MAX) {
        return None;
    }
    let [mine, theirs] = [mine, theirs].map(|side| tokens.changes(&base, &side));
    if mine.len().max(theirs.len()) > CHANGES_MAX {
        return None;
    }
    let both: Vec<Change> = mine.iter().filter(|change| theirs.contains(change)).cloned().collect();
    let own = |side: Vec<Change>| side.into_iter().filter(|change| !both.contains(change)).collect::<Vec<_>>();
    let (mine, theirs) = (own(mine), own(theirs));
    if tokens.are_in_doubt(&base, &both, &mine, &theirs) {
        return None;
    }
    let merged = applied(&base, [both, mine, theirs].concat())?;
    // Each side left some words; together they would leave none.
    let empties = !merged.iter().any(|token| tokens.is_word(*token)) && base.iter().any(|token| tokens.is_word(*token));
    (!empties).then(|| tokens.join(&merged))
}

/// A change of a side: the tokens of the base that go, and those that come there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    gone: Range<usize>,
    came: Vec<usize>,
}

/// Tells whether what two changes say may be the same: a word that tells texts apart is in both, or one says all of the other.
fn are_alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let tells = |word: &String| word.len() >= TELLING_BYTES;
    let is_all = !one.is_empty() && !other.is_empty() && (one.is_subset(other) || other.is_subset(one));
    is_all || one.intersection(other).any(tells)
}

/// Makes changes; `None` where two of them touch.
fn applied(base: &[usize], mut changes: Vec<Change>) -> Option<Vec<usize>> {
    changes.sort_by_key(|change| (change.gone.start, change.gone.end));
    let (mut out, mut at, mut last) = (Vec::new(), 0, None);
    for change in changes {
        // Nobody knows in which order two changes of one place stand.
        if change.gone.start < at || last == Some(change.gone.start) {
            return None;
        }
        out.extend_from_slice(base.get(at..change.gone.start)?);
        out.extend(change.came);
        (at, last) = (change.gone.end, Some(change.gone.end));
    }
    out.extend_from_slice(base.get(at..)?);
    Some(out)
}

/// The tokens of the texts, each with a number that equal ones share.
#[derive(Default)]
struct Tokens {
    known: Vec<Run>,
    numbers: HashMap<String, usize>,
}

impl Tokens {
    /// Cuts runs into tokens.
    fn cut(&mut self, runs: &[Run]) -> Vec<usize> {
        let mut out = Vec::new();
        for run in runs {
            if let RunContent::Text(text) = &run.content {
                for word in text.split_word_bounds() {
                    out.push(self.number(Run { content: RunContent::Text(word.to_owned()), marks: run.marks.clone() }));
                }
            } else {
                out.push(self.number(run.clone()));
            }
        }
        out
    }

    fn number(&mut self, token: Run) -> usize {
        let known = &mut self.known;
        *self.numbers.entry(format!("{token:?}")).or_insert_with(|| {
            known.push(token);
            known.len() - 1
        })
    }

    /// Returns what a side changed. Changes between which no word was left are one: somebody wrote that phrase anew.
    fn changes(&self, base: &[usize], side: &[usize]) -> Vec<Change> {
        let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, base, side) {
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            let (gone, came) = (op.old_range(), op.new_range());
            let is_word = |last: &Range<usize>| {
                base.get(last.end..gone.start).unwrap_or_default().iter().any(|token| self.is_word(*token))
            };
            match changes.last_mut() {
                Some(last) if !is_word(&last.0) => (last.0.end, last.1.end) = (gone.end, came.end),
                _ => changes.push((gone, came)),
            }
        }
        let tokens = |came: Range<usize>| side.get(came).unwrap_or_default().to_vec();
        changes.into_iter().map(|(gone, came)| Change { gone, came: tokens(came) }).collect()
    }

    /// Tells whether a word may come twice or go for nobody: both sides brought or took the same at different places, since they
    /// moved it or the two were compared in another way; or both took it away and one put it elsewhere.
    fn are_in_doubt(&self, base: &[usize], both: &[Change], mine: &[Change], theirs: &[Change]) -> bool {
        let came = |changes: &[Change]| changes.iter().map(|change| self.words(&change.came)).collect::<Vec<_>>();
        let gone = |changes: &[Change]| {
            let gone = changes.iter().filter_map(|change| base.get(change.gone.clone()));
            gone.map(|gone| self.words(gone)).collect::<Vec<_>>()
        };
        let alike = |one: &[BTreeSet<String>], other: &[BTreeSet<String>]| {
            one.iter().any(|one| other.iter().any(|other| are_alike(one, other)))
        };
        let [came_here, came_there] = [came(mine), came(theirs)];
        alike(&came_here, &came_there)
            || alike(&gone(mine), &gone(theirs))
            || alike(&gone(both), &came_here)
            || alike(&gone(both), &came_there)
    }

    /// The words and objects among tokens, whatever they look like.
    fn words(&self, tokens: &[usize]) -> BTreeSet<String> {
        let words = tokens.iter().filter(|token| self.is_word(**token)).filter_map(|token| self.known.get(*token));
        let said =
            |run: &Run| if let RunContent::Text(text) = &run.content { text.clone() } else { format!("{run:?}") };
        words.map(said).collect()
    }

    /// Tells whether a token is more than what stands between words.
    fn is_word(&self, token: usize) -> bool {
        self.known.get(token).is_some_and(|run| match &run.content {
            RunContent::Text(text) => text.chars().any(char::is_alphanumeric),
            RunContent::Anchor(_) | RunContent::Object(_) | RunContent::FootnoteReference(_) => true,
        })
    }

    /// Joins tokens to runs, each with one look.
    fn join(&self, tokens: &[usize]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for token in tokens.iter().filter_map(|token| self.known.get(*token)) {
            match (runs.last_mut(), &token.content) {
                (Some(Run { content: RunContent::Text(text), marks }), RunContent::Text(more))
                    if *marks == token.marks =>
                {
                    text.push_str(more);
                }
                _ => runs.push(token.clone()),
            }
        }
        runs
    }
}
