//! Tables: finding one, its cells, and what merged cells cover.
//!
//! A merged cell keeps all its places in the rows: the head says how far it spans, the cells it covers stand there
//! with an empty paragraph and span nothing more than themselves.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::batch::Batch;
use super::document::{StructuralElement, Table, TableCell};
use super::locate::{Step, find_cell, first_ending_after, siblings_mut};
use super::quirks;
use super::refusal::Refusal;
use super::request::{Location, TableCellLocation, TableRange};
use super::segment::{Address, Segment};

/// A table: the way to its siblings and its place among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableSpot {
    /// From the segment inwards.
    path: Vec<Step>,
    /// Place among its siblings.
    at: usize,
}

impl TableSpot {
    /// Returns the element.
    pub(crate) fn element<'a>(
        &self,
        content: &'a mut Vec<StructuralElement>,
    ) -> Result<&'a mut StructuralElement, Refusal> {
        siblings_mut(content, &self.path).and_then(|siblings| siblings.get_mut(self.at)).ok_or_else(no_table)
    }

    /// Returns the table.
    pub(crate) fn table<'a>(&self, content: &'a mut Vec<StructuralElement>) -> Result<&'a mut Table, Refusal> {
        self.element(content)?.table.as_mut().ok_or_else(no_table)
    }

    /// Takes the whole element out.
    pub(crate) fn remove(&self, content: &mut Vec<StructuralElement>) -> Result<StructuralElement, Refusal> {
        let siblings = siblings_mut(content, &self.path).ok_or_else(no_table)?;
        if self.at < siblings.len() { Ok(siblings.remove(self.at)) } else { Err(no_table()) }
    }
}

/// Runs `work` on the table that starts at a place, when all its rows have all its cells.
///
/// # Errors
///
/// Google's refusal of a place where no table starts, and those of `work`.
pub(crate) fn on_table<T>(
    batch: &mut Batch,
    start: Option<&Location>,
    work: impl FnOnce(&mut Segment<'_>, &TableSpot) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let start = start.ok_or_else(no_table)?;
    batch.in_segment(&Address::from(start), |segment| {
        let spot = find_table(segment.content, start.index).ok_or_else(no_table)?;
        let table = spot.table(segment.content)?;
        let columns = columns_of(table);
        if columns == 0 || table.table_rows.iter().any(|row| row.table_cells.len() != columns) {
            return Err(Refusal::unimplemented(quirks::RAGGED_TABLE));
        }
        work(segment, &spot)
    })
}

/// Runs `work` on a table and the region of one of its cells: the cell with all it is merged with.
///
/// # Errors
///
/// Google's refusals of a place where no table starts and of a cell that the table does not have.
pub(crate) fn on_cell<T>(
    batch: &mut Batch,
    cell: Option<&TableCellLocation>,
    work: impl FnOnce(&mut Segment<'_>, &TableSpot, Region) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let cell = cell.ok_or_else(no_table)?;
    on_table(batch, cell.table_start_location.as_ref(), |segment, spot| {
        let table = spot.table(segment.content)?;
        let (row, column) = (to_place(cell.row_index), to_place(cell.column_index));
        if row >= table.table_rows.len() || column >= columns_of(table) {
            return Err(Refusal::invalid(quirks::CELL_OUTSIDE));
        }
        let region = region_at(table, row, column);
        work(segment, spot, region)
    })
}

/// Runs `work` on a table and a part of it.
///
/// # Errors
///
/// Google's refusals of a place where no table starts and of a part that reaches out of the table.
pub(crate) fn on_range<T>(
    batch: &mut Batch,
    range: Option<&TableRange>,
    work: impl FnOnce(&mut Segment<'_>, &TableSpot, Region) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let range = range.ok_or_else(no_table)?;
    let cell = range.table_cell_location.as_ref().ok_or_else(no_table)?;
    on_table(batch, cell.table_start_location.as_ref(), |segment, spot| {
        let table = spot.table(segment.content)?;
        let asked = Region {
            row: to_place(cell.row_index),
            column: to_place(cell.column_index),
            rows: to_place(range.row_span),
            columns: to_place(range.column_span),
        };
        if asked.rows == 0 || asked.columns == 0 {
            return Err(Refusal::invalid(quirks::EMPTY_TABLE_RANGE));
        }
        if asked.row_range().end > table.table_rows.len() || asked.column_range().end > columns_of(table) {
            return Err(Refusal::invalid(quirks::RANGE_OUTSIDE_TABLE));
        }
        work(segment, spot, asked)
    })
}

/// Finds the table that starts exactly at `index`.
fn find_table(content: &[StructuralElement], index: u32) -> Option<TableSpot> {
    let mut path = Vec::new();
    let mut siblings = content;
    loop {
        let at = first_ending_after(siblings, index);
        let element = siblings.get(at).filter(|element| element.table.is_some())?;
        if element.start_index.utf16() == index {
            return Some(TableSpot { path, at });
        }
        let (step, inner) = find_cell(element, at, index)?;
        path.push(step);
        siblings = inner;
    }
}

/// The refusal of a place where no table starts.
fn no_table() -> Refusal {
    Refusal::invalid(quirks::NO_TABLE_THERE)
}

/// Returns the count of columns: that of the first row.
pub(crate) fn columns_of(table: &Table) -> usize {
    table.table_rows.first().map_or(0, |row| row.table_cells.len())
}

/// Turns a number of a request into a place; what is too large is behind every table.
pub(crate) fn to_place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Turns a count back into a number.
pub(crate) fn to_count(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    /// First row.
    pub(crate) row: usize,
    /// First column.
    pub(crate) column: usize,
    /// Count of rows.
    pub(crate) rows: usize,
    /// Count of columns.
    pub(crate) columns: usize,
}

impl Region {
    /// Returns the rows.
    pub(crate) const fn row_range(self) -> Range<usize> {
        self.row..self.row.saturating_add(self.rows)
    }

    /// Returns the columns.
    pub(crate) const fn column_range(self) -> Range<usize> {
        self.column..self.column.saturating_add(self.columns)
    }

    /// Tells whether a cell lies inside.
    pub(crate) fn holds(self, row: usize, column: usize) -> bool {
        self.row_range().contains(&row) && self.column_range().contains(&column)
    }

    /// Tells whether another region lies wholly inside.
    pub(crate) fn holds_all_of(self, other: Self) -> bool {
        self.holds(other.row, other.column)
            && other.row_range().end <= self.row_range().end
            && other.column_range().end <= self.column_range().end
    }

    /// Tells whether another region has a cell in common.
    pub(crate) fn touches(self, other: Self) -> bool {
        let apart = |a: &Range<usize>, b: &Range<usize>| a.end <= b.start || b.end <= a.start;
        !apart(&self.row_range(), &other.row_range()) && !apart(&self.column_range(), &other.column_range())
    }

    /// Returns all cells, row by row.
    pub(crate) fn cells(self) -> impl Iterator<Item = (usize, usize)> {
        self.row_range().flat_map(move |row| self.column_range().map(move |column| (row, column)))
    }
}

/// Returns the merged cells of a table, without those that a damaged document lets reach out of it.
pub(crate) fn merged(table: &Table) -> Vec<Region> {
    let (rows, columns) = (table.table_rows.len(), columns_of(table));
    let mut found: Vec<Region> = Vec::new();
    for (row, cells) in table.table_rows.iter().enumerate() {
        for (column, cell) in cells.table_cells.iter().enumerate() {
            let (row_span, column_span) = spans(cell);
            let region = Region {
                row,
                column,
                rows: row_span.min(rows.saturating_sub(row)),
                columns: column_span.min(columns.saturating_sub(column)),
            };
            if region.rows.saturating_mul(region.columns) > 1 && found.iter().all(|other| !other.touches(region)) {
                found.push(region);
            }
        }
    }
    found
}

/// Returns a cell with all it is merged with.
pub(crate) fn region_at(table: &Table, row: usize, column: usize) -> Region {
    let merged = merged(table).into_iter().find(|region| region.holds(row, column));
    merged.unwrap_or(Region { row, column, rows: 1, columns: 1 })
}

/// Returns a cell.
pub(crate) fn cell_mut(table: &mut Table, row: usize, column: usize) -> Option<&mut TableCell> {
    table.table_rows.get_mut(row)?.table_cells.get_mut(column)
}

/// Returns how many rows and columns a cell spans, at least one.
fn spans(cell: &TableCell) -> (usize, usize) {
    let span = |key: &str| {
        let number = cell.rest.get("tableCellStyle").and_then(|style| style.get(key)).and_then(Value::as_u64);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1).max(1)
    };
    (span("rowSpan"), span("columnSpan"))
}

/// Sets how many rows and columns a cell spans.
pub(crate) fn set_spans(cell: &mut TableCell, rows: usize, columns: usize) {
    if let Some(style) = object_mut(&mut cell.rest, "tableCellStyle") {
        style.insert("rowSpan".to_owned(), json!(rows));
        style.insert("columnSpan".to_owned(), json!(columns));
    }
}

/// Returns an object in a map, made when it is absent or something else; it is always there then.
pub(crate) fn object_mut<'a>(map: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let slot = map.entry(key.to_owned()).or_insert(Value::Null);
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    slot.as_object_mut()
}
