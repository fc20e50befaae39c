//! The check that what is pushed of an edit makes nothing that nobody wrote: no paragraph out of halves, and no row of a
//! table out of the cells of two. Pure.

use std::collections::BTreeSet;

use super::edit::is_stripped;
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

/// Beyond this many comparisons of rows, they are not looked at.
const COMPARISONS_MAX: usize = 1_000_000;

/// Checks that a plan that carries out only a part of an edit leaves no row and no column of a table with cells that belong
/// together on neither side: where one of its cells cannot be edited, the others may be, but not when the row that the file
/// has there is another one.
///
/// # Errors
///
/// The text of a cell of such a row or column.
pub(super) fn rows_are_known(before: &Tree, local: &Tree, after: &Tree) -> Result<(), String> {
    let (before, local, after) = (lines(before), lines(local), lines(after));
    let known: BTreeSet<&Vec<String>> = before.iter().chain(&local).collect();
    let new: Vec<&Vec<String>> = after.iter().filter(|line| !known.contains(line)).collect();
    if new.len().saturating_mul(before.len().saturating_add(local.len())) > COMPARISONS_MAX {
        return Ok(());
    }
    for line in new {
        let like = |other: &&Vec<String>| {
            let same = |(a, b): (&String, &String)| a == b && !a.is_empty();
            other.len() == line.len() && other.iter().zip(line).any(same)
        };
        let (was, wanted): (Vec<_>, Vec<_>) =
            (before.iter().filter(like).collect(), local.iter().filter(like).collect());
        let is_mix = |was: &[String], wanted: &[String]| {
            line.iter().zip(was.iter().zip(wanted)).all(|(is, (was, wanted))| is == was || is == wanted)
        };
        let pairs = was.iter().flat_map(|was| wanted.iter().map(move |wanted| (*was, *wanted)));
        let mixes: Vec<(&Vec<String>, &Vec<String>)> = pairs.filter(|(was, wanted)| is_mix(was, wanted)).collect();
        let words = |line: &[String]| words_of(&line.join(" "));
        if let Some((was, _)) = mixes.first()
            && mixes.iter().all(|(was, wanted)| words(was).is_disjoint(&words(wanted)))
        {
            let stays = line.iter().zip(*was).find(|(is, was)| is == was && !is.is_empty());
            return Err(stays.map(|(is, _)| is.clone()).unwrap_or_default());
        }
    }
    Ok(())
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
