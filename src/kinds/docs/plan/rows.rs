//! Which row and which column of a table became which: a move of one that holds what cannot be made anew, or to whose text
//! somebody has tied something, is done by moving the others, or it is held. Pure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::align::{COMPARISONS_MAX, Stay, Step, align, crossing, same};
use super::blocks::{aligned, entries};
use super::moves;
use super::planner::{below, words_of};
use super::tables::{cell_text, ratio};
use super::trial::{Task, Ties};
use crate::kinds::docs::text::extract::Origin;
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::{Line, Token, Unit};
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
        let (was, fixed_rows) = (row_texts(old), fixed(&self.rows));
        let rows = align_texts(&was, &as_known(&was, row_texts(new), &fixed_rows), &fixed_rows);
        let columns = columns(&rows, old, new, &fixed(&self.columns));
        (rows, columns)
    }

    /// Puts back a row that was moved past another when neither can move: where it was, and what is tied to it.
    fn put_row_back(&self, old: &[Vec<Cell>], new: &mut Vec<Vec<Cell>>) -> Option<(usize, &str)> {
        let (was, fixed) = (row_texts(old), fixed(&self.rows));
        let back = put_back(&was, &as_known(&was, row_texts(new), &fixed), &fixed)?;
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
        let fixed = fixed(&self.columns);
        let (was, is) = paired_columns(&rows, old, new);
        let back = put_back(&was, &as_known(&was, is, &fixed), &fixed)?;
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

/// Gives each row or column of the file that is an edited one that cannot move the text of that, so that it is known for it
/// wherever it stands. Of all that are alike, what is most so is the same.
fn as_known(old: &[String], mut new: Vec<String>, fixed: &[Stay]) -> Vec<String> {
    if !fixed.contains(&Stay::Fixed) {
        return new;
    }
    let stands = |texts: &[String], text: &String| texts.contains(text);
    let edited: Vec<usize> = (0..new.len()).filter(|at| !stands(old, &new[*at])).collect();
    let lost: Vec<usize> = (0..old.len()).filter(|at| !stands(&new, &old[*at])).collect();
    if edited.len() * lost.len() > COMPARISONS_MAX {
        return new;
    }
    let words = |texts: &[String], places: &[usize]| -> Vec<BTreeSet<String>> {
        places.iter().map(|at| words_of(&texts[*at])).collect()
    };
    let (was, is) = (words(old, &lost), words(&new, &edited));
    let mut alike = Vec::new();
    for (old, was) in lost.iter().zip(&was) {
        for (new, is) in edited.iter().zip(&is).filter(|(_, is)| ratio(was, is) >= 0.5) {
            // Twice the words that both have, in thousandths of all.
            let both = was.intersection(is).count() * 2_000 / (was.len() + is.len());
            alike.push((both, *old, *new));
        }
    }
    alike.sort_by_key(|(both, old, new)| (Reverse(*both), old.abs_diff(*new)));
    let (mut taken, mut known) = (BTreeSet::new(), BTreeSet::new());
    for (_, was, is) in alike {
        if taken.contains(&was) || known.contains(&is) {
            continue;
        }
        taken.insert(was);
        known.insert(is);
        if fixed.get(was) == Some(&Stay::Fixed) {
            new[is].clone_from(&old[was]);
        }
    }
    new
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

/// What keeps the rows and columns of a table from going.
struct Held {
    rows: Vec<Option<String>>,
    columns: Vec<Option<String>>,
}

impl Held {
    /// Finds it; `notes` are the footnotes whose text the file has.
    fn of(cells: &[Vec<Vec<Line>>], notes: &BTreeSet<String>) -> Self {
        let cell = |cell: &Vec<Line>| cell.iter().find_map(|line| stays_with(line, notes));
        let column = |at: usize| cells.iter().filter_map(|row| row.get(at)).find_map(cell);
        let width = cells.first().map_or(0, Vec::len);
        Self {
            rows: cells.iter().map(|row| row.iter().find_map(cell)).collect(),
            columns: (0..width).map(column).collect(),
        }
    }

    /// Puts the rows back that cannot go; returns the places of what stands in theirs, and what keeps them.
    fn put_rows_back(&self, tied: &Tied, old: &[Vec<Cell>], new: &mut Vec<Vec<Cell>>) -> Vec<(usize, String)> {
        if self.rows.iter().all(Option::is_none) {
            return Vec::new();
        }
        let (rows, columns) = tied.aligned(old, new);
        let written = Written::of(new);
        let mut told = Vec::new();
        let mut all = Vec::with_capacity(new.len());
        for step in rows {
            let (Step::Pair(_, j) | Step::Insert(j)) = step else {
                let Step::Delete(i) = step else { continue };
                let (Some(row), Some(Some(why))) = (old.get(i), self.rows.get(i)) else { continue };
                if written.say_all_of(row) {
                    continue;
                }
                let place = all.iter().filter(|(put, _)| !put).count().min(new.len().saturating_sub(1));
                told.push((place, why.clone()));
                all.push((true, through(&columns, row)));
                continue;
            };
            all.extend(new.get(j).map(|row| (false, row.clone())));
        }
        if !told.is_empty() {
            *new = all.into_iter().map(|(_, row)| row).collect();
        }
        told
    }

    /// The same of columns; returns what keeps the first.
    fn put_columns_back(
        &self,
        tied: &Tied,
        old: &[Vec<Cell>],
        (new, alignments): (&mut [Vec<Cell>], &mut Vec<Alignment>),
        had: &[Alignment],
    ) -> Option<String> {
        // What a row has beyond the first one's cells is told elsewhere, and stays as it is.
        let width = new.first().map_or(0, Vec::len);
        if self.columns.iter().all(Option::is_none) || new.iter().any(|row| row.len() != width) {
            return None;
        }
        let (rows, columns) = tied.aligned(old, new);
        let written = Written::of(new);
        let stays = |i: usize| {
            let why = self.columns.get(i)?.as_ref()?;
            let cells: Vec<Cell> = old.iter().filter_map(|row| row.get(i).cloned()).collect();
            (!written.say_all_of(&cells)).then_some(why)
        };
        let kept = |step: &Step| match step {
            Step::Delete(i) => stays(*i).is_some(),
            Step::Pair(..) | Step::Insert(_) => true,
        };
        let why = columns.iter().find_map(|step| match step {
            Step::Delete(i) => stays(*i).cloned(),
            Step::Pair(..) | Step::Insert(_) => None,
        })?;
        let columns: Vec<Step> = columns.into_iter().filter(kept).collect();
        for step in rows {
            let (from, to) = match step {
                Step::Pair(i, j) => (old.get(i), j),
                Step::Insert(j) => (None, j),
                Step::Delete(_) => continue,
            };
            let Some(row) = new.get_mut(to) else { continue };
            let cell = |step: &Step| match step {
                Step::Pair(_, j) | Step::Insert(j) => row.get(*j).cloned(),
                Step::Delete(i) => from.and_then(|from| from.get(*i)).cloned(),
            };
            *row = columns.iter().map(|step| cell(step).unwrap_or_else(empty)).collect();
        }
        let alignment = |step: &Step| match step {
            Step::Pair(_, j) | Step::Insert(j) => alignments.get(*j).copied(),
            Step::Delete(i) => had.get(*i).copied(),
        };
        *alignments = columns.iter().map(|step| alignment(step).unwrap_or(Alignment::None)).collect();
        Some(why)
    }
}

/// The words of a table of the file: a row or column whose words all stand in others was joined with them, not removed.
struct Written(BTreeSet<String>);

impl Written {
    fn of(rows: &[Vec<Cell>]) -> Self {
        Self(rows.iter().flat_map(|row| words(row)).collect())
    }

    fn say_all_of(&self, cells: &[Cell]) -> bool {
        let words = words(cells);
        !words.is_empty() && words.is_subset(&self.0)
    }
}

fn words(cells: &[Cell]) -> BTreeSet<String> {
    words_of(&cells.iter().map(cell_text).collect::<Vec<_>>().join("\t"))
}

/// Why a paragraph of a cell cannot go; the begin of a sentence.
fn stays_with(line: &Line, notes: &BTreeSet<String>) -> Option<String> {
    let note = |unit: &Unit| matches!(&unit.token, Token::Footnote(label) if notes.contains(&**label));
    if line.units.iter().any(note) {
        return Some("the text of a footnote that it refers to stands in the file: remove that as well".to_owned());
    }
    let tethered = || line.units.iter().any(|unit| unit.len == 0);
    tethered().then(|| "an object is tethered to its text".to_owned()).or_else(|| line.lock.clone())
}

/// A row of the document with the columns of the file.
fn through(columns: &[Step], row: &[Cell]) -> Vec<Cell> {
    let cell = |step: &Step| match step {
        Step::Pair(i, _) => Some(row.get(*i).cloned().unwrap_or_else(empty)),
        Step::Insert(_) => Some(empty()),
        Step::Delete(_) => None,
    };
    columns.iter().filter_map(cell).collect()
}

fn empty() -> Cell {
    vec![Vec::new()]
}

fn stays(line: u32, which: &str, why: &str) -> Notice {
    let message = format!("a {which} that was removed here stays in the document: {why}");
    Notice { code: "LOCKED".into(), line, column: 0, message }
}

/// Leaves out of a file the moves of rows and columns that would lose something, and the removal of those that cannot go;
/// tells them.
pub(super) fn hold(task: &Task<'_>, local: &mut Flat) -> Vec<Notice> {
    let mut told = Vec::new();
    if !any_fixed(task) {
        return told;
    }
    let notes: BTreeSet<String> = local
        .tree
        .blocks
        .iter()
        .filter_map(
            |block| if let Content::Footnote { label, .. } = &block.content { Some(label.clone()) } else { None },
        )
        .collect();
    let (old, new) = entries(&task.remote, local, &task.staying);
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
        let (Content::Table { rows: was, alignments: had }, Content::Table { rows, alignments }) =
            (&old.content, &mut block.content)
        else {
            continue;
        };
        let first = task.line_at(block.span.0.start);
        let tied = Tied::of(&task.ties, cells);
        let held = Held::of(cells, &notes);
        for _ in 0..HELD_MAX {
            let Some((row, what)) = tied.put_row_back(was, rows) else { break };
            told.push(notice(first.saturating_add(below(row)), "row", what));
        }
        for _ in 0..HELD_MAX {
            let Some(what) = tied.put_column_back(was, rows, alignments) else { break };
            told.push(notice(first, "column", what));
        }
        // What was moved stands there again, so what is missing now was removed.
        for (row, why) in held.put_rows_back(&tied, was, rows) {
            told.push(stays(first.saturating_add(below(row)), "row", &why));
        }
        if let Some(why) = held.put_columns_back(&tied, was, (rows, alignments), had) {
            told.push(stays(first, "column", &why));
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
    let new = as_known(&old, new, fixed);
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
    let likeness =
        |i: usize, j: usize| Some(ANY + if old[i] == new[j] { 1.0 } else { ratio(&old_words[i], &new_words[j]) });
    align(old, new, fixed, likeness, |_, _| true)
}
