//! What an edit takes from the words that somebody tied it to: open comments, and the named ranges of other programs. Pure.

use std::collections::BTreeMap;

use super::edit::name_of;
use super::moves::said as text_of;
use super::planner::{Notices, below, excerpt, words_of};
use super::told::Places;
use super::trial::{Task, Trial};
use crate::gdocs::{DocumentTab, Range, text_between};
use crate::kinds::docs::text::anchors::NAME;
use crate::kinds::docs::text::extract::{Extract, lines, tab_of};
use crate::kinds::docs::text::line::{Line, Token};
use crate::mebdf::{Block, Content, Tree, plain};

/// Tells of each that loses the last of its words, and of each whose words were moved and that stands on others now.
pub(super) fn tell(task: &Task<'_>, trial: &Trial<'_>, places: &Places, told: &mut Notices) {
    let tab = |document| tab_of(document, task.part).and_then(|tab| tab.document_tab.as_ref());
    let (Some(old), Some(new)) = (tab(task.document), tab(&trial.document)) else { return };
    let moved = |was: &str| standing_in(&trial.extract.tree, was) >= standing_in(&task.remote.tree, was).max(1);
    let place = |ranges: &[Range]| {
        let first = ranges.iter().find(|range| range.start_index < range.end_index);
        first.map_or(0, |range| places.line_of(task, range.segment_id.as_deref(), range.start_index.unwrap_or(0)))
    };
    let kept: BTreeMap<&str, &[Range]> = ranges(new).map(|(id, _, ranges)| (id, ranges)).collect();
    for tied in tied_to(task, old) {
        let now = match tied.code {
            COMMENT => new.comment_anchors.get(tied.id).map(|anchor| &*anchor.ranges),
            _ => kept.get(tied.id).copied(),
        };
        let now = now.unwrap_or_default();
        let (was, is) = (said(old, tied.ranges), said(new, now));
        let (was, is) = (was.trim(), is.trim());
        if was.is_empty() {
            let names = objects(&task.remote, tied.ranges);
            if !names.is_empty() && is.is_empty() && objects(&trial.extract, now).is_empty() {
                let message = format!("{} is gone, and {} stood on it{}", names.join(", "), tied.what, tied.rest);
                told.refuse(&format!("{}_LOST", tied.code), place(tied.ranges), message);
            }
            continue;
        }
        let common = !words_of(was).is_disjoint(&words_of(is)) || count(is, was) > 0;
        let stays = !is.is_empty() && common;
        if stays {
            continue;
        }
        let (shown, what, rest) = (excerpt(was), &tied.what, tied.rest);
        let (fate, line, message) = match (is.is_empty(), moved(was)) {
            // Other words were written in their place.
            (false, false) => continue,
            (false, true) => {
                let message = format!("`{shown}` was moved, and {what} stands on `{}` now", excerpt(is));
                ("MOVED", line_of(task, was), message)
            }
            (true, true) => {
                ("LOST", line_of(task, was), format!("`{shown}` was moved, and {what} did not go with it{rest}"))
            }
            (true, false) => ("LOST", None, format!("`{shown}` is gone, and {what} stood on it{rest}")),
        };
        told.refuse(&format!("{}_{fate}", tied.code), line.unwrap_or_else(|| place(tied.ranges)), message);
    }
}

/// What the notices about a comment begin with.
const COMMENT: &str = "COMMENT";

/// What somebody tied to words of a tab.
struct Tied<'a> {
    /// What its notices begin with.
    code: &'static str,
    id: &'a str,
    /// Its name in a sentence.
    what: String,
    /// The end of a sentence that says that it lost its words.
    rest: &'static str,
    ranges: &'a [Range],
}

/// Finds the open comments and the named ranges of other programs.
fn tied_to<'a>(task: &'a Task<'_>, tab: &'a DocumentTab) -> Vec<Tied<'a>> {
    let comments = tab.comment_anchors.iter().filter_map(|(id, anchor)| {
        let thread = task.document.comments.iter().find(|thread| thread.anchor_id.as_ref() == Some(id));
        let post = thread.filter(|thread| thread.is_open())?.head_post.as_ref();
        let what = format!("the open comment \"{}\"", post.map(|post| excerpt(&post.content)).unwrap_or_default());
        let rest = "; the comment stays in the document without a place";
        Some(Tied { code: COMMENT, id, what, rest, ranges: &anchor.ranges })
    });
    let ranges = ranges(tab).map(|(id, name, ranges)| {
        let what = format!("the named range `{}` of another program", excerpt(name));
        Tied { code: "RANGE", id, what, rest: "", ranges }
    });
    comments.chain(ranges).collect()
}

/// The text of stretches of a tab.
fn said(tab: &DocumentTab, ranges: &[Range]) -> String {
    let mut text = String::new();
    for range in ranges {
        let elements = tab.segment(range.segment_id.as_deref()).unwrap_or_default();
        text_between(elements, range.start_index.unwrap_or(0), range.end_index.unwrap_or(0), &mut text);
    }
    text
}

/// What stands in stretches of the text of a tab and is no text, by name.
fn objects(extract: &Extract, ranges: &[Range]) -> Vec<String> {
    let holds = |line: &Line, at: u32| {
        ranges.iter().any(|range| {
            let segment = range.segment_id.as_deref().filter(|id| !id.is_empty());
            let (start, end) = (range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
            segment == line.segment.as_deref() && (start..end).contains(&at)
        })
    };
    let lines = extract.origins.iter().flat_map(lines);
    let units = lines.flat_map(|line| line.units.iter().filter(move |unit| unit.len > 0 && holds(line, unit.at)));
    let names = units.filter_map(|unit| match &unit.token {
        Token::Object(object) => Some(name_of(object)),
        Token::Footnote(_) => Some("a footnote".to_owned()),
        Token::Char(_) | Token::Anchor(_) => None,
    });
    names.collect()
}

/// The named ranges of other programs: id, name and stretches.
fn ranges(tab: &DocumentTab) -> impl Iterator<Item = (&str, &str, &[Range])> {
    let others = tab.named_ranges.iter().filter(|(name, _)| *name != NAME);
    let all = others.flat_map(|(name, group)| group.named_ranges.iter().map(move |range| (name, range)));
    all.map(|(name, range)| (&*range.named_range_id, &**name, &*range.ranges))
}

/// How often words stand in a tree.
fn standing_in(tree: &Tree, words: &str) -> usize {
    tree.blocks.iter().map(|block| count(&text_of(&block.content), words)).sum()
}

/// How often words stand in a text, not inside of others.
fn count(text: &str, words: &str) -> usize {
    let inside = |beside: Option<char>| beside.is_some_and(char::is_alphanumeric);
    let alone = |(at, found): &(usize, &str)| {
        let (before, behind) = (text.get(..*at), text.get(at + found.len()..));
        !inside(before.and_then(|text| text.chars().next_back()))
            && !inside(behind.and_then(|text| text.chars().next()))
    };
    text.match_indices(words).filter(alone).count()
}

/// The line of the file that has words.
fn line_of(task: &Task<'_>, words: &str) -> Option<u32> {
    let row = |block: &Block| {
        let Content::Table { rows, .. } = &block.content else { return 0 };
        let says = |row: &Vec<Vec<_>>| row.iter().flatten().any(|runs: &Vec<_>| count(&plain(runs), words) > 0);
        rows.iter().position(says).map_or(0, below)
    };
    let block = task.parsed.blocks.iter().find(|block| count(&text_of(&block.content), words) > 0)?;
    Some(task.line_at(block.span.0.start).saturating_add(row(block)))
}
