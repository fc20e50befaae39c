//! Tables of HTML: those of data stay tables, those that only place things are the rows of what they hold.

use super::html::Walk;
use super::lines::{Line, What, plain};
use crate::mebdf::{Cell, Run};

/// How deep tables nest; deeper ones are lines.
pub(super) const TABLES_MAX: usize = 24;

/// The most cells of a table of data, empty ones included: each row is filled up to the longest.
const CELLS_MAX: usize = 20_000;

/// The most columns of a table of data.
const COLUMNS_MAX: usize = 64;

/// The longest text of a cell of a table of data, in bytes; what is longer is a column of a page.
const CELL_BYTES_MAX: usize = 600;

/// A table that is open.
pub(super) struct Frame {
    /// The lines outside of it.
    outside: Vec<Line>,
    outside_apart: bool,
    rows: Vec<Vec<Vec<Line>>>,
    /// Whether its page says that it only places things.
    layout: bool,
    /// Whether it has cells of a head.
    heads: bool,
    /// The column of the cell that is open.
    cell: Option<usize>,
}

impl Walk<'_> {
    pub(super) fn open_table(&mut self, layout: bool) {
        let outside = std::mem::take(&mut self.lines);
        let frame = Frame { outside, outside_apart: self.apart, rows: Vec::new(), layout, heads: false, cell: None };
        self.tables.push(frame);
        self.apart = true;
    }

    pub(super) fn open_row(&mut self) {
        self.stray();
        if let Some(frame) = self.tables.last_mut() {
            frame.rows.push(Vec::new());
        }
    }

    pub(super) fn open_cell(&mut self, span: usize, head: bool) {
        self.stray();
        let Some(frame) = self.tables.last_mut() else { return };
        frame.heads |= head;
        if frame.rows.is_empty() {
            frame.rows.push(Vec::new());
        }
        if let Some(row) = frame.rows.last_mut() {
            frame.cell = Some(row.len());
            row.resize_with(row.len() + span.clamp(1, COLUMNS_MAX), Vec::new);
        }
        self.apart = true;
    }

    pub(super) fn close_cell(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let Some(frame) = self.tables.last_mut() else {
            self.lines = lines;
            return;
        };
        let column = frame.cell.take();
        match frame.rows.last_mut().zip(column).and_then(|(row, column)| row.get_mut(column)) {
            Some(cell) => *cell = lines,
            None => self.lines = lines,
        }
    }

    /// Lines that stand in a table and in no cell are a row of their own.
    fn stray(&mut self) {
        let Some(frame) = self.tables.last_mut() else { return };
        if !self.lines.is_empty() {
            frame.rows.push(vec![std::mem::take(&mut self.lines)]);
        }
    }

    pub(super) fn close_table(&mut self) {
        self.stray();
        let Some(frame) = self.tables.pop() else { return };
        self.lines = frame.outside;
        self.apart = frame.outside_apart;
        let mut rows = frame.rows;
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        if is_data(&rows, frame.layout, frame.heads) {
            self.table(rows.iter().map(|row| row.iter().map(|cell| paragraphs(cell)).collect()).collect());
            return;
        }
        for row in rows {
            self.lines.extend(row.into_iter().flatten());
        }
        self.apart = true;
    }
}

/// Tells whether a table holds data: rows of several short cells.
fn is_data(rows: &[Vec<Vec<Line>>], layout: bool, heads: bool) -> bool {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if (layout && !heads) || rows.len() < 2 || !(2..=COLUMNS_MAX).contains(&width) || rows.len() * width > CELLS_MAX {
        return false;
    }
    let filled = |row: &&Vec<Vec<Line>>| row.iter().filter(|cell| !cell.is_empty()).count() >= 2;
    let depth = rows.iter().flatten().flatten().map(|line| line.depth).min().unwrap_or(0);
    let simple = rows.iter().flatten().all(|cell| {
        let length: usize = cell.iter().map(|line| line.said().len()).sum();
        let plain = |line: &Line| line.depth == depth && !matches!(line.what, What::Table(_) | What::Rule | What::Code);
        length <= CELL_BYTES_MAX && cell.iter().all(plain)
    });
    simple && rows.iter().filter(filled).count() * 2 >= rows.len().max(3)
}

fn paragraphs(cell: &[Line]) -> Cell {
    let runs = |line: &Line| -> Vec<Run> {
        let mark = match &line.what {
            What::Item { .. } => Some(plain("- ")),
            What::Text | What::Heading(_) | What::ItemText { .. } | What::Code | What::Rule | What::Table(_) => None,
        };
        mark.into_iter().chain(line.runs.iter().cloned()).collect()
    };
    cell.iter().map(runs).collect()
}
