//! Which row and which column of a table became which: a move of one that holds what cannot be made anew, or to whose text
//! somebody has tied something, is done by moving the others, or it is held. Pure.

use super::align::{Stay, Step, align, crossing, same};
use super::blocks::{aligned, entries};
use super::moves;
use super::planner::words_of;
use super::tables::{cell_text, ratio};
use super::trial::{Task, Ties};
use crate::kinds::docs::text::extract::Origin;
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::Line;
use crate::mebdf::{Alignment, Cell, Content};
use crate::model::Notice;

/// Most moves of rows or columns that are held one by one.
const HELD_MAX: usize = 100;

/// What is tied to each row and to each column of a table.
pub(super) struct Tied {
    rows: Vec<Option<String>>,
    columns: Vec<Option<String>>,
}

impl Tied {
    pub(super) fn of(ties: &Ties, cells: &[Vec<Vec<Line>>]) -> Self {
        let cell = |cell: &Vec<Line>| cell.iter().find_map(|line| fixed_in(ties, line));
        let column = |at: usize| cells.iter().filter_map(|row| row.get(at)).find_map(cell);
        let width = cells.first().map_or(0, Vec::len);
        Self {
            rows: cells.iter().map(|row| row.iter().find_map(cell)).collect(),
            columns: (0..width).map(column).collect(),
        }
    }

    /// Aligns the rows and the columns of two tables.
    pub(super) fn aligned(&self, old: &[Vec<Cell>], new: &[Vec<Cell>]) -> (Vec<Step>, Vec<Step>) {
        let rows = align_texts(&row_texts(old), &row_texts(new), &fixed(&self.rows));
        let columns = columns(&rows, old, new, &fixed(&self.columns));
        (rows, columns)
    }

    /// Puts back a row that was moved past another when neither can move: where it was, and what is tied to it.
    fn put_row_back(&self, old: &[Vec<Cell>], new: &mut Vec<Vec<Cell>>) -> Option<(usize, &str)> {
        let back = put_back(&row_texts(old), &row_texts(new), &fixed(&self.rows))?;
        reorder(new, &back.order);
        Some((back.there, self.rows.get(back.here)?.as_deref()?))
    }

    /// The same of a column.
    fn put_column_back(
        &self,
        old: &[Vec<Cell>],
        new: &mut [Vec<Cell>],
        alignments: &mut Vec<Alignment>,
    ) -> Option<&str> {
        let (rows, _) = self.aligned(old, new);
        let (was, is) = paired_columns(&rows, old, new);
        let back = put_back(&was, &is, &fixed(&self.columns))?;
        new.iter_mut().for_each(|row| reorder(row, &back.order));
        reorder(alignments, &back.order);
        self.columns.get(back.here)?.as_deref()
    }
}

/// What is tied to the text of a paragraph of a cell, or stands in it and cannot be made anew.
fn fixed_in(ties: &Ties, line: &Line) -> Option<String> {
    let tied = || ties.on(line).map(|what| format!("{what} is tied to its text"));
    let locked = || line.lock.is_some().then(|| "its text cannot be edited".to_owned());
    moves::held_in(line).map(|what| format!("it holds {what}")).or_else(tied).or_else(locked)
}

fn fixed(tied: &[Option<String>]) -> Vec<Stay> {
    tied.iter().map(|tied| if tied.is_some() { Stay::Fixed } else { Stay::Free }).collect()
}

fn reorder<T: Clone>(list: &mut Vec<T>, order: &[usize]) {
    *list = order.iter().filter_map(|at| list.get(*at).cloned()).collect();
}

/// A row or column that goes back to its place.
struct Back {
    /// Its place in the document.
    here: usize,
    /// Its place in the file.
    there: usize,
    /// All of the file's without the move.
    order: Vec<usize>,
}

fn put_back(old: &[String], new: &[String], fixed: &[Stay]) -> Option<Back> {
    if !fixed.contains(&Stay::Fixed) {
        return None;
    }
    let pairs = same(old, new, fixed);
    let (here, there) = crossing(old, new, (fixed, Stay::Fixed), &pairs).next()?;
    let above = pairs.iter().rev().find(|(i, _)| *i < here).map(|(_, j)| j + 1);
    let below = || pairs.iter().find(|(i, _)| *i > here).map_or(0, |(_, j)| *j);
    let place = above.unwrap_or_else(below);
    let rest = |range: std::ops::Range<usize>| range.filter(|at| *at != there);
    let order = rest(0..place).chain([there]).chain(rest(place..new.len())).collect();
    Some(Back { here, there, order })
}

/// Leaves out of a file the moves of rows and columns that would lose something; tells them.
pub(super) fn hold(task: &Task<'_>, local: &mut Flat) -> Vec<Notice> {
    let mut told = Vec::new();
    if !any_fixed(task) {
        return told;
    }
    let (old, new) = entries(&task.remote, local, &task.anchored);
    let steps = aligned(&task.remote, &old, &new);
    let pairs = steps.iter().filter_map(|step| match *step {
        Step::Pair(i, j) if old[i].key != new[j].key => Some((old[i].index, new[j].index)),
        Step::Pair(..) | Step::Delete(_) | Step::Insert(_) => None,
    });
    for (i, j) in pairs.collect::<Vec<_>>() {
        let Some(block) = local.tree.blocks.get_mut(j) else { continue };
        let (Some(old), Some(Origin::Table { cells, lock: None, .. })) =
            (task.remote.tree.blocks.get(i), task.remote.origins.get(i))
        else {
            continue;
        };
        let (Content::Table { rows: was, .. }, Content::Table { rows, alignments }) =
            (&old.content, &mut block.content)
        else {
            continue;
        };
        let first = task.line_at(block.span.0.start);
        let tied = Tied::of(&task.ties, cells);
        for _ in 0..HELD_MAX {
            let Some((row, what)) = tied.put_row_back(was, rows) else { break };
            // Below the first row stands the one of dashes.
            let below = u32::try_from(row).unwrap_or(u32::MAX).saturating_add(u32::from(row > 0));
            told.push(notice(first.saturating_add(below), "row", what));
        }
        for _ in 0..HELD_MAX {
            let Some(what) = tied.put_column_back(was, rows, alignments) else { break };
            told.push(notice(first, "column", what));
        }
    }
    told
}

/// Tells whether anything in a table of the document cannot be moved.
pub(super) fn any_fixed(task: &Task<'_>) -> bool {
    task.remote.origins.iter().any(|origin| {
        let Origin::Table { cells, lock: None, .. } = origin else { return false };
        cells.iter().flatten().flatten().any(|line| fixed_in(&task.ties, line).is_some())
    })
}

fn notice(line: u32, which: &str, what: &str) -> Notice {
    let message = format!(
        "a {which} that was moved here stays where it was in the document: {what}, which cannot be moved, and it was moved \
         past another {which} that cannot be moved either"
    );
    Notice { code: "LOCKED".into(), line, column: 0, message }
}

/// Aligns the columns of two tables whose rows are aligned: a column is known by the rows that are on both sides.
fn columns(rows: &[Step], old: &[Vec<Cell>], new: &[Vec<Cell>], fixed: &[Stay]) -> Vec<Step> {
    let (old, new) = paired_columns(rows, old, new);
    let steps = align_texts(&old, &new, fixed);
    if old.len() != new.len() {
        return steps;
    }
    // A column that went while another came, or one that was moved, is told by what stays whole in another place; else
    // each has stayed where it is, whatever its cells say now.
    let stays = |step: &Step| matches!(step, Step::Pair(i, j) if old.get(*i) == new.get(*j));
    let in_place: Vec<Step> = (0..old.len()).map(|column| Step::Pair(column, column)).collect();
    let kept: Vec<(usize, usize)> =
        (0..old.len()).filter(|at| old.get(*at) == new.get(*at)).map(|at| (at, at)).collect();
    if crossing(&old, &new, (fixed, Stay::Fixed), &kept).next().is_some() {
        return steps;
    }
    let count = |steps: &[Step]| steps.iter().filter(|step| stays(step)).count();
    if count(&steps) > count(&in_place) { steps } else { in_place }
}

/// The texts of the columns of two tables, as far as their rows are on both sides.
fn paired_columns(rows: &[Step], old: &[Vec<Cell>], new: &[Vec<Cell>]) -> (Vec<String>, Vec<String>) {
    let paired = || rows.iter().filter_map(|step| if let Step::Pair(i, j) = step { Some((*i, *j)) } else { None });
    let old_rows: Vec<&Vec<Cell>> = paired().filter_map(|(i, _)| old.get(i)).collect();
    let new_rows: Vec<&Vec<Cell>> = paired().filter_map(|(_, j)| new.get(j)).collect();
    let width = |rows: &[Vec<Cell>]| rows.first().map_or(0, Vec::len);
    (column_texts(&old_rows, width(old)), column_texts(&new_rows, width(new)))
}

fn row_texts(rows: &[Vec<Cell>]) -> Vec<String> {
    rows.iter().map(|row| row.iter().map(cell_text).collect::<Vec<_>>().join("\t")).collect()
}

fn column_texts(rows: &[&Vec<Cell>], width: usize) -> Vec<String> {
    let column = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(cell_text).collect::<Vec<_>>().join("\n");
    (0..width).map(column).collect()
}

/// Aligns rows or columns; every one can become every other, and the more alike they are the better.
fn align_texts(old: &[String], new: &[String], fixed: &[Stay]) -> Vec<Step> {
    const ANY: f32 = 0.05;
    let words = |texts: &[String]| texts.iter().map(|text| words_of(text)).collect::<Vec<_>>();
    let (old_words, new_words) = (words(old), words(new));
    align(old, new, fixed, |i, j| Some(ANY + if old[i] == new[j] { 1.0 } else { ratio(&old_words[i], &new_words[j]) }))
}
