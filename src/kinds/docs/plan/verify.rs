//! The check that a plan must stand on the model before it is sent. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use super::blocks::key;
use super::edit::{Expected, Shape, Wanted, What, shape};
use super::head::HeadEdits;
use super::planner::words_of;
use super::restyle::contents;
use super::tables::cell_text;
use super::words::same;
use crate::gdocs::{Document, DocumentTab, Range, StructuralElement, Tab, text_between};
use crate::kinds::docs::text::extract::{Extract, Origin, lines};
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::mebdf::{Block, Content, Marks, Run, Tree, plain};
use crate::model::PartId;

/// Checks that the document after the plan says what the file says.
///
/// # Errors
///
/// A sentence that tells what would differ.
pub(super) fn arrives(after: &Extract, expected: &[Expected]) -> Result<(), String> {
    let found: Vec<(&Content, &Origin)> = contents(after).collect();
    if found.len() != expected.len() {
        return Err(format!("{} blocks were expected, {} would be there", expected.len(), found.len()));
    }
    for (((content, origin), look), expected) in found.into_iter().zip(&after.looks).zip(expected) {
        match &expected.what {
            What::Kept(kept) => {
                // Anchors of headings are not compared, and printing is the slower way to leave them out.
                if kept != content && key(kept) != key(content) {
                    return Err("a block that was not edited would change".into());
                }
            }
            What::Edited { shape: wanted, lines: texts, look: styled, .. } => {
                if *wanted != shape(content) {
                    return Err(format!(
                        "the block of line {} would not be of the kind that the file says",
                        expected.line
                    ));
                }
                let said =
                    matches!(content, Content::Paragraph { runs } | Content::Item { runs, .. } if !runs.is_empty());
                if said && styled.as_ref().is_some_and(|styled| !styled.is_like(look)) {
                    return Err(format!(
                        "the paragraph of line {} would not be styled as the file says",
                        expected.line
                    ));
                }
                let lines = lines(origin);
                if lines.len() != texts.len() || !lines.iter().zip(texts).all(|(line, text)| says(line, text)) {
                    return Err("an edited paragraph would not say what the file says".into());
                }
            }
        }
    }
    Ok(())
}

fn says(line: &Line, text: &[Wanted]) -> bool {
    line.units.len() == text.len()
        && line
            .units
            .iter()
            .zip(text)
            .all(|(unit, wanted)| same(&unit.token, &wanted.token) && looks(&unit.marks, &wanted.marks, &unit.token))
}

/// Compares marks; of a blank the file does not say whether it is bold, italic or struck.
fn looks(found: &Marks, wanted: &Marks, token: &Token) -> bool {
    match token {
        Token::Char(character) if character.is_whitespace() => {
            found.link == wanted.link && found.properties == wanted.properties
        }
        Token::Char(_) => found == wanted,
        Token::Object(_) | Token::Footnote(_) | Token::Anchor(_) => true,
    }
}

/// Finds the first block of the file that the document would not say.
pub(super) fn unsaid<'a>(result: &Tree, local: &'a Tree) -> Option<&'a Block> {
    if result.blocks.len() != local.blocks.len() {
        let differs = |(found, wanted): &(&Block, &Block)| !says_the_same(&found.content, &wanted.content);
        let at = result.blocks.iter().zip(&local.blocks).position(|pair| differs(&pair)).unwrap_or(result.blocks.len());
        return local.blocks.get(at).or(local.blocks.last());
    }
    let mut pairs = result.blocks.iter().zip(&local.blocks);
    pairs.find(|(found, wanted)| !says_the_same(&found.content, &wanted.content)).map(|(_, wanted)| wanted)
}

/// Compares the text of two blocks, whatever it looks like.
fn says_the_same(found: &Content, wanted: &Content) -> bool {
    let row = |runs: &[Run]| tokens(runs).into_iter().map(|(token, _)| token).collect::<Vec<_>>();
    let alike = |found: &[Run], wanted: &[Run]| {
        let (found, wanted) = (row(found), row(wanted));
        found.len() == wanted.len() && found.iter().zip(&wanted).all(|(found, wanted)| same(found, wanted))
    };
    match (found, wanted) {
        (Content::Table { rows: found, .. }, Content::Table { rows: wanted, .. }) => {
            found.iter().flatten().flatten().count() == wanted.iter().flatten().flatten().count()
                && found
                    .iter()
                    .flatten()
                    .flatten()
                    .zip(wanted.iter().flatten().flatten())
                    .all(|(found, wanted)| alike(found, wanted))
        }
        (Content::Footnote { paragraphs: found, .. }, Content::Footnote { paragraphs: wanted, .. }) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| alike(found, wanted))
        }
        (found, wanted) => {
            std::mem::discriminant(found) == std::mem::discriminant(wanted)
                && alike(block_runs(found), block_runs(wanted))
        }
    }
}

/// Shorter words come too often to tell where a text went when there are more of them than before, but for numbers.
const WORD_CHARS_MIN: usize = 4;

/// Checks that a plan that carries out only a part of an edit loses and doubles no word: each stands in the document
/// about as often as it did or as the file has it. Without this, a paragraph moved to where it cannot be pushed would
/// be gone from the one place and missing in the other. Of a plan that leaves out whole changes, `slid` are the words that
/// one change takes from another beside it: other short ones may be there twice by chance.
///
/// # Errors
///
/// A word that would be lost or doubled.
pub(super) fn words_are_kept(
    before: &Tree,
    local: &Tree,
    after: &Tree,
    slid: Option<&BTreeSet<String>>,
) -> Result<(), String> {
    let (before, local, after) = (word_counts(before), word_counts(local), word_counts(after));
    let is_telling = |word: &String| {
        slid.is_none_or(|slid| slid.contains(word))
            || word.chars().count() >= WORD_CHARS_MIN
            || word.contains(char::is_numeric)
    };
    for word in before.keys().chain(after.keys()) {
        let of = |counts: &BTreeMap<String, usize>| counts.get(word).copied().unwrap_or(0);
        let (was, wanted, is) = (of(&before), of(&local), of(&after));
        if is < was.min(wanted) || (is > was.max(wanted) && is_telling(word)) {
            return Err(word.clone());
        }
    }
    Ok(())
}

/// Checks the same of whole paragraphs, however short their words are: one that was moved would stand twice or not at all.
///
/// # Errors
///
/// The text of a paragraph that would be lost or doubled.
pub(super) fn paragraphs_are_kept(before: &Tree, local: &Tree, after: &Tree) -> Result<(), String> {
    let counts = |tree: &Tree| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for block in &tree.blocks {
            let text = match &block.content {
                Content::Heading { runs, .. }
                | Content::Paragraph { runs }
                | Content::Item { runs, .. }
                | Content::ItemParagraph { runs, .. } => plain(runs).trim().to_owned(),
                Content::Code { .. }
                | Content::Table { .. }
                | Content::Footnote { .. }
                | Content::Rule
                | Content::Directive { .. } => continue,
            };
            if !text.is_empty() {
                *counts.entry(text).or_default() += 1;
            }
        }
        counts
    };
    let (before, local, after) = (counts(before), counts(local), counts(after));
    let new: Vec<&String> = after.keys().filter(|text| !before.contains_key(*text)).collect();
    for text in before.keys() {
        let of = |counts: &BTreeMap<String, usize>| counts.get(text).copied().unwrap_or(0);
        let (was, wanted, is) = (of(&before), of(&local), of(&after));
        // What the file has no more may have been edited in a place that stays.
        if (was == wanted && is != was) || is > was.max(wanted) {
            return Err(text.clone());
        }
        // One that was moved and edited stands there as it was, and once more as it is now.
        if wanted < was && is == was && new.iter().any(|new| is_said_by(text, new)) {
            return Err(text.clone());
        }
    }
    Ok(())
}

/// Checks the same of whole tables, however short the words in their cells are: one that was moved and edited would stand
/// twice. A table is known again by what it says, when that is most of what the other one said: so it is counted as itself
/// though only a part of its edits is pushed.
///
/// # Errors
///
/// A word of a table that would be lost or doubled.
pub(super) fn tables_are_kept(before: &Tree, local: &Tree, after: &Tree) -> Result<(), String> {
    let (before, local, after) = (table_words(before), table_words(local), table_words(after));
    let (mut local, mut after): (Vec<_>, Vec<_>) = (local.iter().collect(), after.iter().collect());
    // What stands on all sides counts on all sides alike, so only the rest is counted.
    let mut changed = Vec::new();
    for words in &before {
        let place = |tables: &[&BTreeSet<String>]| tables.iter().position(|other| *other == words);
        if let (Some(a), Some(b)) = (place(&local), place(&after)) {
            local.swap_remove(a);
            after.swap_remove(b);
        } else {
            changed.push(words);
        }
    }
    for words in &before {
        let count = |tables: &[&BTreeSet<String>]| {
            tables.iter().filter(|other| words.intersection(other).count() * 2 > words.len()).count()
        };
        let (was, wanted, is) = (count(&changed), count(&local), count(&after));
        if is < was.min(wanted) || is > was.max(wanted) {
            return Err(words.first().cloned().unwrap_or_default());
        }
    }
    Ok(())
}

/// The words of each table in which there are any.
fn table_words(tree: &Tree) -> Vec<BTreeSet<String>> {
    let tables = tree.blocks.iter().filter_map(|block| {
        let Content::Table { rows, .. } = &block.content else { return None };
        Some(rows.iter().flatten().flat_map(|cell| words_of(&cell_text(cell))).collect::<BTreeSet<_>>())
    });
    tables.filter(|words| !words.is_empty()).collect()
}

/// Characters of the words of a text that is known again.
const SAID_CHARS_MIN: usize = 4;

/// Tells whether all words of a text stand in another.
fn is_said_by(text: &str, other: &str) -> bool {
    let words: Vec<&str> = text.unicode_words().collect();
    let chars = words.iter().map(|word| word.chars().count()).sum::<usize>();
    chars >= SAID_CHARS_MIN && words.iter().all(|word| other.unicode_words().any(|other| other == *word))
}

fn word_counts(tree: &Tree) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for block in &tree.blocks {
        let text = match &block.content {
            Content::Heading { runs, .. }
            | Content::Paragraph { runs }
            | Content::Item { runs, .. }
            | Content::ItemParagraph { runs, .. } => plain(runs),
            Content::Code { info, text } => format!("{info}\n{text}"),
            Content::Table { rows, .. } => {
                rows.iter().flatten().flatten().map(|runs| plain(runs)).collect::<Vec<_>>().join("\n")
            }
            Content::Footnote { paragraphs, .. } => {
                paragraphs.iter().map(|runs| plain(runs)).collect::<Vec<_>>().join("\n")
            }
            Content::Rule | Content::Directive { .. } => continue,
        };
        for word in text.unicode_words() {
            *counts.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }
    counts
}

/// Checks that nothing outside the edited paragraphs would change.
///
/// # Errors
///
/// A sentence that tells what would change.
pub(super) fn nothing_else_moves(
    before: &Document,
    after: &Document,
    part: &PartId,
    touched: &[usize],
    expected: &[Expected],
    head: &HeadEdits,
) -> Result<(), String> {
    edited_tab(before, after, part, head, |old, new| {
        head.arrives(old, new)?;
        comments(old, new, touched)?;
        if !old.footnotes.keys().eq(new.footnotes.keys()) {
            return Err("a footnote would come or go".into());
        }
        body(old, new, touched, expected)
    })
}

/// Checks that every element of the body but those `touched` would stand there unchanged, in its order, and that nothing
/// beside the body would change.
///
/// # Errors
///
/// A sentence that tells what would change.
pub(super) fn untouched_stay(
    before: &Document,
    after: &Document,
    part: &PartId,
    touched: &[usize],
) -> Result<(), String> {
    let head = HeadEdits::default();
    edited_tab(before, after, part, &head, |old, new| {
        head.arrives(old, new)?;
        comments(old, new, touched)?;
        let mut found = elements(new).iter();
        let untouched = elements(old).iter().enumerate().filter(|(index, _)| !touched.contains(index));
        for (_, element) in untouched {
            if !found.any(|candidate| candidate == element || renumbered(candidate, element)) {
                return Err(moved(element));
            }
        }
        Ok(())
    })
}

fn renumbered(a: &StructuralElement, b: &StructuralElement) -> bool {
    unnumbered(a).is_some_and(|a| Some(a) == unnumbered(b))
}

/// An element without the numbers of its footnotes, which are counted anew when one comes or goes; `None` for one that has
/// no footnotes.
fn unnumbered(element: &StructuralElement) -> Option<String> {
    let text = serde_json::to_string(element).ok().filter(|text| text.contains("\"footnoteNumber\""))?;
    let mut value: Value = serde_json::from_str(&text).ok()?;
    strip(&mut value);
    Some(value.to_string())
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !matches!(key.as_str(), "footnoteNumber" | "startIndex" | "endIndex"));
            map.values_mut().for_each(strip);
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn moved(element: &StructuralElement) -> String {
    format!("the paragraph at {} would change without having been edited", element.start_index.utf16())
}

/// Checks everything but the body of the edited tab, which `check` is asked about.
fn edited_tab(
    before: &Document,
    after: &Document,
    part: &PartId,
    head: &HeadEdits,
    check: impl Fn(&DocumentTab, &DocumentTab) -> Result<(), String>,
) -> Result<(), String> {
    if before.title != after.title || before.rest != after.rest {
        return Err("the document itself would change".into());
    }
    if before.comments != after.comments || before.suggestions != after.suggestions {
        return Err("a comment would change".into());
    }
    let (old, new) = (before.all_tabs(), after.all_tabs());
    if old.len() != new.len() {
        return Err("the tabs would change".into());
    }
    for (index, (old, new)) in old.iter().zip(&new).enumerate() {
        let id =
            |tab: &Tab| tab.tab_properties.as_ref().map(|properties| properties.tab_id.clone()).unwrap_or_default();
        let edited = if part.0.is_empty() { index == 0 } else { id(old) == part.0 };
        let same = if edited {
            head.tab_is_kept(old.tab_properties.as_ref(), new.tab_properties.as_ref())
        } else {
            old.tab_properties == new.tab_properties
        };
        if !same {
            return Err("the tabs would change".into());
        }
        let empty = DocumentTab::default();
        let (old, new) = (old.document_tab.as_ref().unwrap_or(&empty), new.document_tab.as_ref().unwrap_or(&empty));
        if !edited && old != new {
            return Err("another tab would change".into());
        }
        if edited {
            surroundings(old, new)?;
            check(old, new)?;
        }
    }
    Ok(())
}

/// Everything of a tab but its body, its headers and footers, and the text of its footnotes.
fn surroundings(old: &DocumentTab, new: &DocumentTab) -> Result<(), String> {
    let same = old.named_styles == new.named_styles
        && old.positioned_objects == new.positioned_objects
        && old.rest == new.rest
        && old.lists.iter().all(|(id, list)| new.lists.get(id).is_none_or(|other| other == list));
    if same { Ok(()) } else { Err("something beside the text would change".into()) }
}

/// A comment on text that was not edited stands on that text.
fn comments(old: &DocumentTab, new: &DocumentTab, touched: &[usize]) -> Result<(), String> {
    let said = |tab: &DocumentTab, range: &Range| {
        let mut text = String::new();
        let elements = tab.segment(range.segment_id.as_deref()).unwrap_or_default();
        text_between(elements, range.start_index.unwrap_or(0), range.end_index.unwrap_or(0), &mut text);
        text
    };
    for (id, anchor) in &old.comment_anchors {
        for (at, range) in anchor.ranges.iter().enumerate() {
            let (start, end) = (range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
            let body = range.segment_id.as_deref().unwrap_or_default().is_empty();
            let edited = touched.iter().filter_map(|index| elements(old).get(*index));
            let near = body
                && edited
                    .into_iter()
                    .any(|edited| edited.start_index.utf16() < end && start < edited.end_index.utf16());
            let now = new.comment_anchors.get(id).and_then(|anchor| anchor.ranges.get(at));
            if body && !near && now.is_none_or(|now| said(new, now) != said(old, range)) {
                return Err(format!("the comment at {start} would lose its text without having been edited"));
            }
        }
    }
    Ok(())
}

fn elements(tab: &DocumentTab) -> &[StructuralElement] {
    tab.body.as_ref().map_or(&[], |body| &body.content)
}

/// Every element that was not touched stands there unchanged, in its order.
fn body(old: &DocumentTab, new: &DocumentTab, touched: &[usize], expected: &[Expected]) -> Result<(), String> {
    let (old, new) = (elements(old), elements(new));
    let gone =
        |index: usize| touched.contains(&index) && !expected.iter().any(|expected| expected.element == Some(index));
    let mut found = new.iter();
    for (index, element) in old.iter().enumerate() {
        if touched.contains(&index) {
            if !gone(index) {
                continue;
            }
        } else if !found.any(|candidate| candidate == element) {
            return Err(moved(element));
        }
    }
    let inserted = expected
        .iter()
        .filter(|expected| expected.element.is_none() && !matches!(footnote(expected), Some(true)))
        .count();
    let deleted = (0..old.len()).filter(|index| gone(*index)).count();
    if old.len() + inserted == new.len() + deleted {
        Ok(())
    } else {
        Err("the count of paragraphs would not be the expected one".into())
    }
}

/// Tells whether an expected block is a footnote, which stands outside the body.
fn footnote(expected: &Expected) -> Option<bool> {
    match &expected.what {
        What::Kept(content) => Some(matches!(content, Content::Footnote { .. })),
        What::Edited { shape, .. } => Some(matches!(shape, Shape::Footnote(_))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mebdf::parse;

    #[track_caller]
    fn check(before: &[&str], local: &[&str], after: &[&str], kept: bool) {
        let tree = |rows: &[&str]| {
            let tables = rows.iter().map(|row| format!("| {} |\n|{}\n", row.replace(' ', " | "), " --- |".repeat(4)));
            parse(&tables.collect::<Vec<_>>().join("\nand\n\n")).tree
        };
        let found = tables_are_kept(&tree(before), &tree(local), &tree(after));
        assert_eq!(found.is_ok(), kept, "{before:?} {local:?} {after:?}: {found:?}");
    }

    #[test]
    fn a_table_is_counted_as_itself_though_a_part_of_it_was_edited() {
        check(&["a b c d", "k l m n"], &["k l m n", "a b c x"], &["a b c d", "k l m n", "a b c x"], false);
        check(&["a b c d", "k l m n"], &["k l m n", "a b c x"], &["k l m n"], false);
        check(&["a b c d", "k l m n"], &["k l m n", "a b c x"], &["a b c d", "k l m n"], true);
        check(&["a b c d"], &["a b c x"], &["a b c x"], true);
        // What the file removes may stay, and what it has new may come or not.
        check(&["a b c d", "k l m n"], &["k l m n", "p q r s"], &["a b c d", "k l m n", "p q r s"], true);
        check(&["a b c d", "k l m n"], &["k l m n", "p q r s"], &["k l m n"], true);
        // A copy is wanted; one that is made a second time is not.
        check(&["a b c d"], &["a b c d", "a b c x"], &["a b c d", "a b c x"], true);
        check(&["a b c d"], &["a b c d", "k l m n"], &["a b c d", "a b c d"], false);
        // One that nobody touched is gone, and nothing tells of an empty one.
        check(&["a b c d"], &["a b c d", "k l m n"], &["k l m n"], false);
        check(&["   "], &["   "], &[], true);
    }
}
