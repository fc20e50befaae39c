//! The check that what is pushed of an edit makes nothing that nobody wrote: no paragraph out of halves, and no row of a
//! table out of the cells of two. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::characters::is_stripped;
use super::planner::words_of;
use crate::kinds::docs::text::line::{Token, block_runs, tokens};
use crate::mebdf::{Cell, Content, Run, Tree};

/// Checks that a plan that carries out only a part of an edit leaves no paragraph that nobody wrote: each says what one of the
/// document said or one of the file says, but for objects and blanks.
///
/// # Errors
///
/// The text of a paragraph that would be neither.
pub(super) fn paragraphs_are_known(known: &[&Tree], after: &Tree) -> Result<(), String> {
    let known: BTreeSet<String> =
        known.iter().flat_map(|tree| &tree.blocks).flat_map(|block| said(&block.content)).collect();
    let unknown = after
        .blocks
        .iter()
        .flat_map(|block| said(&block.content))
        .find(|text| !text.is_empty() && !known.contains(text));
    unknown.map_or(Ok(()), Err)
}

/// Checks that such a plan leaves no empty paragraph in a cell or a footnote that stands there on neither side: a newline that
/// was made for a text is undone with it.
///
/// # Errors
///
/// The text of the cell, or of the footnote.
pub(super) fn cells_are_known(known: &[&Tree], after: &Tree) -> Result<(), String> {
    let known: BTreeSet<Vec<String>> = known.iter().flat_map(|tree| cells(tree)).collect();
    let empty = |cell: &[String]| cell.iter().filter(|text| text.is_empty()).count();
    let new = cells(after).into_iter().filter(|cell| cell.len() > 1 && empty(cell) > 0 && !known.contains(cell));
    for cell in new {
        let shares = |other: &Vec<String>| cell.iter().any(|text| !text.is_empty() && other.contains(text));
        let bare = cell.iter().all(String::is_empty);
        if !known.iter().any(|other| empty(other) >= empty(&cell) && (bare || shares(other))) {
            return Err(cell.into_iter().find(|text| !text.is_empty()).unwrap_or_default());
        }
    }
    Ok(())
}

/// What the paragraphs of the cells of a text say, and those of its footnotes.
fn cells(tree: &Tree) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for block in &tree.blocks {
        match &block.content {
            Content::Table { rows, .. } => {
                found.extend(rows.iter().flatten().map(|cell| cell.iter().map(|runs| text(runs)).collect()));
            }
            Content::Footnote { paragraphs, .. } => found.push(paragraphs.iter().map(|runs| text(runs)).collect()),
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Rule
            | Content::Directive { .. } => {}
        }
    }
    found
}

/// What the paragraphs of a block say, without objects, in one spelling of blanks.
fn said(content: &Content) -> Vec<String> {
    let paragraphs: Vec<&[Run]> = match content {
        Content::Table { rows, .. } => rows.iter().flatten().flatten().map(|runs| &**runs).collect(),
        Content::Footnote { paragraphs, .. } => paragraphs.iter().map(|runs| &**runs).collect(),
        Content::Code { text, .. } => {
            return text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        }
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Rule
        | Content::Directive { .. } => vec![block_runs(content)],
    };
    paragraphs.into_iter().map(text).collect()
}

fn text(runs: &[Run]) -> String {
    let character = |token: Token| if let Token::Char(c) = token { (!is_stripped(c)).then_some(c) } else { Some(' ') };
    let text: String = tokens(runs).into_iter().filter_map(|(token, _)| character(token)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cells that are compared to find out where rows and columns come from; beyond that, none of them counts as known.
const CELLS_MAX: usize = 50_000_000;

/// Checks that a plan that carries out only a part of an edit leaves no row and no column of a table with cells that belong
/// together on neither side: where one of its cells cannot be edited, the others may be, but not when the row that the file
/// has there is another one. Where that would take too long to find out, it counts as one that nobody wrote.
///
/// # Errors
///
/// The text of a cell of such a row or column.
pub(super) fn rows_are_known(before: &Tree, local: &Tree, after: &Tree) -> Result<(), String> {
    let (before, local, after) = (lines(before), lines(local), lines(after));
    unknown_line(&before, &local, &after, &mut CELLS_MAX.clone()).map_or(Ok(()), Err)
}

/// Finds a row or a column that is made of those of both sides and belongs to neither; `left` is how many cells may still
/// be compared.
fn unknown_line(
    before: &[Vec<String>],
    local: &[Vec<String>],
    after: &[Vec<String>],
    left: &mut usize,
) -> Option<String> {
    let known: BTreeSet<&Vec<String>> = before.iter().chain(local).collect();
    let mut words: BTreeMap<(bool, usize), BTreeSet<String>> = BTreeMap::new();
    for line in after.iter().filter(|line| !known.contains(line)) {
        let (Some(was), Some(wanted)) = (alike(line, before, left), alike(line, local, left)) else {
            return Some(line.iter().find(|cell| !cell.is_empty()).cloned().unwrap_or_default());
        };
        let mut first: Option<usize> = None;
        let mut related = false;
        for (mine, here) in &was {
            for (other, there) in &wanted {
                *left = left.saturating_sub(mine.len());
                if *left == 0 {
                    return Some(line.iter().find(|cell| !cell.is_empty()).cloned().unwrap_or_default());
                }
                if !mine.iter().zip(other).all(|(mine, other)| *mine || *other) {
                    continue;
                }
                // One of these and one of those have a word in common when all of them have.
                let mut said = |is_old: bool, all: &[Vec<String>], places: &[usize]| -> BTreeSet<String> {
                    let mut said = BTreeSet::new();
                    for at in places {
                        let words = words
                            .entry((is_old, *at))
                            .or_insert_with(|| all.get(*at).map(|line| words_of(&line.join(" "))).unwrap_or_default());
                        said.extend(words.iter().cloned());
                    }
                    said
                };
                first = first.min(here.first().copied()).or(here.first().copied());
                related |= !said(true, before, here).is_disjoint(&said(false, local, there));
            }
        }
        if let Some(was) = first.and_then(|first| before.get(first)).filter(|_| !related) {
            let stays = line.iter().zip(was).find(|(is, was)| is == was && !is.is_empty());
            return Some(stays.map(|(is, _)| is.clone()).unwrap_or_default());
        }
    }
    None
}

/// The lines that have a cell of one of theirs, by the places where their cells are the same; `None` when that takes too long.
fn alike(line: &[String], others: &[Vec<String>], left: &mut usize) -> Option<BTreeMap<Vec<bool>, Vec<usize>>> {
    let mut found: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    for (at, other) in others.iter().enumerate().filter(|(_, other)| other.len() == line.len()) {
        *left = left.checked_sub(line.len())?;
        if other.iter().zip(line).any(|(a, b)| a == b && !a.is_empty()) {
            found.entry(other.iter().zip(line).map(|(a, b)| a == b).collect()).or_default().push(at);
        }
    }
    Some(found)
}

/// The rows and the columns of the tables of a text, as what their cells say.
fn lines(tree: &Tree) -> Vec<Vec<String>> {
    let cell = |cell: &Cell| cell.iter().map(|runs| text(runs)).collect::<Vec<_>>().join("\n");
    let mut lines = Vec::new();
    for block in &tree.blocks {
        let Content::Table { rows, .. } = &block.content else { continue };
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let width = rows.first().map_or(0, Vec::len);
        lines.extend((0..width).map(|column| rows.iter().filter_map(|row| row.get(column)).cloned().collect()));
        lines.extend(rows);
    }
    lines
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn lines(rows: &[[&str; 3]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[track_caller]
    fn check(before: &[[&str; 3]], local: &[[&str; 3]], after: &[[&str; 3]], unknown: Option<&str>) {
        let found = unknown_line(&lines(before), &lines(local), &lines(after), &mut CELLS_MAX.clone());
        assert_eq!(found.as_deref(), unknown);
    }

    #[test]
    fn a_row_of_two_halves_is_known_only_when_the_rows_are_one() {
        check(&[["a", "b", "c"]], &[["x", "y", "z"]], &[["a", "y", "z"]], Some("a"));
        check(&[["a", "b", "c"]], &[["a", "y", "z"]], &[["a", "y", "c"]], None);
        check(&[["a", "b", "c"]], &[["x", "y", "b"]], &[["a", "y", "b"]], None);
        check(&[["a", "b", "c"]], &[["x", "y", "z"]], &[["x", "y", "z"]], None);
        // One pair that has a word in common is enough, whichever it is.
        check(&[["a", "b", "c"], ["a", "d", "e"]], &[["x", "y", "z"], ["d", "y", "z"]], &[["a", "y", "z"]], None);
    }

    #[test]
    fn a_long_table_with_a_value_in_all_rows_takes_a_step_for_each_row() {
        let table = |last: &dyn Fn(usize) -> String| -> Vec<Vec<String>> {
            (0..3_000).map(|row| vec!["done".to_owned(), format!("name {row}"), last(row)]).collect()
        };
        let (before, local) = (table(&|row| format!("old {row}")), table(&|row| format!("new {row}")));
        let mut after = local.clone();
        let row = after.get_mut(7).unwrap();
        row.splice(1.., ["half".to_owned(), "old 7".to_owned()]);
        let mut left = CELLS_MAX;
        assert_eq!(unknown_line(&before, &local, &after, &mut left), None);
        let rows = before.len() + local.len();
        assert!(CELLS_MAX - left < 2 * 3 * rows, "{} cells were compared", CELLS_MAX - left);
        // What cannot be found out in the time there is counts as unknown.
        let mut left = rows;
        assert_eq!(unknown_line(&before, &local, &after, &mut left).as_deref(), Some("done"));
    }
}
