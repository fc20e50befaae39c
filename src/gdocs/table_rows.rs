//! `insertTableRow`, `insertTableColumn`, `deleteTableRow` and `deleteTableColumn`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#inserttablerowrequest>

use serde_json::{Map, Value};

use super::batch::Batch;
use super::delete::{Removed, collect};
use super::document::{Paragraph, ParagraphElement, StructuralElement, Style, Table, TableCell, TableRow};
use super::ids::FreshIds;
use super::index::relayout;
use super::insert::copied_style;
use super::objects;
use super::quirks;
use super::refusal::Refusal;
use super::request::{DeleteTableColumn, DeleteTableRow, InsertTableColumn, InsertTableRow};
use super::segment::{Segment, Shift};
use super::style::without_link;
use super::table::{Region, TableSpot, cell_mut, columns_of, merged, on_cell, set_spans, to_count};

/// Carries out `insertTableRow`.
///
/// # Errors
///
/// Google's refusals of a place where no table starts and of a cell that the table does not have.
pub(crate) fn insert_row(batch: &mut Batch, request: &InsertTableRow) -> Result<(), Refusal> {
    on_cell(batch, request.table_cell_location.as_ref(), |segment, spot, region| {
        let row = if request.insert_below { region.row_range().end } else { region.row };
        let model = if request.insert_below { row.saturating_sub(1) } else { row };
        let columns = columns_of(spot.table(segment.content)?);
        segment.make_cells(to_count(columns))?;
        let element = spot.element(segment.content)?;
        let end = element.end_index.utf16().saturating_sub(1);
        let Some(table) = element.table.as_mut() else { return Ok(()) };
        if table.table_rows.len() >= super::table::to_place(quirks::MAX_TABLE_ROWS) {
            return Err(Refusal::invalid(quirks::too_many("rows", quirks::MAX_TABLE_ROWS)));
        }
        let at = table.table_rows.get(row).map_or(end, |row| row.start_index.utf16());
        for region in merged(table).into_iter().filter(|region| region.row < row && row < region.row_range().end) {
            if let Some(head) = cell_mut(table, region.row, region.column) {
                set_spans(head, region.rows + 1, region.columns);
            }
        }
        let header = table.table_rows.get(row).is_some_and(is_header);
        let new = table.table_rows.get(model).map(|model| row_like(model, header, segment.ids));
        table.table_rows.insert(row, new.unwrap_or_default());
        table.rows = Some(to_count(table.table_rows.len()));
        relayout(segment.content);
        segment.inserted(at, 1 + 2 * to_count(columns));
        Ok(())
    })
}

/// Carries out `insertTableColumn`.
///
/// # Errors
///
/// Google's refusals of a place where no table starts and of a cell that the table does not have.
pub(crate) fn insert_column(batch: &mut Batch, request: &InsertTableColumn) -> Result<(), Refusal> {
    on_cell(batch, request.table_cell_location.as_ref(), |segment, spot, region| {
        let column = if request.insert_right { region.column_range().end } else { region.column };
        let model = if request.insert_right { column.saturating_sub(1) } else { column };
        let rows = spot.table(segment.content)?.table_rows.len();
        segment.make_cells(to_count(rows))?;
        let table = spot.table(segment.content)?;
        if columns_of(table) >= super::table::to_place(quirks::MAX_TABLE_COLUMNS) {
            return Err(Refusal::invalid(quirks::too_many("columns", quirks::MAX_TABLE_COLUMNS)));
        }
        let crossed = |region: &Region| region.column < column && column < region.column_range().end;
        for region in merged(table).into_iter().filter(crossed) {
            if let Some(head) = cell_mut(table, region.row, region.column) {
                set_spans(head, region.rows, region.columns + 1);
            }
        }
        let mut places = Vec::new();
        for row in &mut table.table_rows {
            let end = row.end_index.utf16();
            places.push(row.table_cells.get(column).map_or(end, |cell| cell.start_index.utf16()));
            let new = row.table_cells.get(model).map(|model| cell_like(model, segment.ids));
            row.table_cells.insert(column, new.unwrap_or_default());
        }
        table.columns = Some(to_count(columns_of(table)));
        if let Some(properties) = column_properties(table)
            && let Some(own) = properties.get(model).cloned()
        {
            properties.insert(column, own);
        }
        relayout(segment.content);
        for at in places.into_iter().rev() {
            segment.inserted(at, 2);
        }
        Ok(())
    })
}

/// Carries out `deleteTableRow`.
///
/// # Errors
///
/// Google's refusals of a place where no table starts and of a cell that the table does not have.
pub(crate) fn delete_rows(batch: &mut Batch, request: &DeleteTableRow) -> Result<(), Refusal> {
    on_cell(batch, request.table_cell_location.as_ref(), |segment, spot, region| {
        let gone = region.row_range();
        let table = spot.table(segment.content)?;
        if gone.len() >= table.table_rows.len() {
            return delete_table(segment, spot);
        }
        for region in merged(table).into_iter().filter(|region| overlap(&region.row_range(), &gone) > 0) {
            let left = region.rows - overlap(&region.row_range(), &gone);
            // The head goes with its text; the cell below it is the head of what is left.
            let head = if gone.contains(&region.row) { gone.end } else { region.row };
            if let Some(cell) = cell_mut(table, head, region.column).filter(|_| left > 0) {
                set_spans(cell, left, region.columns);
            }
        }
        let mut removed = Removed::default();
        for row in table.table_rows.drain(gone) {
            removed.range.0 = if removed.range.1 == 0 { row.start_index.utf16() } else { removed.range.0 };
            removed.range.1 = row.end_index.utf16();
            collect_cells(row.table_cells, &mut removed);
        }
        table.rows = Some(to_count(table.table_rows.len()));
        relayout(segment.content);
        segment.forget(&removed);
        Ok(())
    })
}

/// Carries out `deleteTableColumn`.
///
/// # Errors
///
/// Google's refusals of a place where no table starts and of a cell that the table does not have.
pub(crate) fn delete_columns(batch: &mut Batch, request: &DeleteTableColumn) -> Result<(), Refusal> {
    on_cell(batch, request.table_cell_location.as_ref(), |segment, spot, region| {
        let gone = region.column_range();
        let table = spot.table(segment.content)?;
        if gone.len() >= columns_of(table) {
            return delete_table(segment, spot);
        }
        for region in merged(table).into_iter().filter(|region| overlap(&region.column_range(), &gone) > 0) {
            let left = region.columns - overlap(&region.column_range(), &gone);
            let head = if gone.contains(&region.column) { gone.end } else { region.column };
            if let Some(cell) = cell_mut(table, region.row, head).filter(|_| left > 0) {
                set_spans(cell, region.rows, left);
            }
        }
        let mut removed = Removed::default();
        let mut places = Vec::new();
        for row in &mut table.table_rows {
            let cells: Vec<TableCell> = row.table_cells.drain(gone.clone()).collect();
            let from = cells.first().map_or(0, |cell| cell.start_index.utf16());
            places.push((from, cells.last().map_or(from, |cell| cell.end_index.utf16())));
            collect_cells(cells, &mut removed);
        }
        table.columns = Some(to_count(columns_of(table)));
        if let Some(properties) = column_properties(table).filter(|properties| gone.end <= properties.len()) {
            properties.drain(gone);
        }
        relayout(segment.content);
        for (from, to) in places.into_iter().rev() {
            segment.shift(Shift::Removed { from, to });
        }
        objects::forget(segment.tab, segment.content, &removed);
        Ok(())
    })
}

/// Deletes a table whose last row or column goes.
fn delete_table(segment: &mut Segment<'_>, spot: &TableSpot) -> Result<(), Refusal> {
    let element = spot.remove(segment.content)?;
    let range = (element.start_index.utf16(), element.end_index.utf16());
    let mut removed = Removed { range, ..Removed::default() };
    collect(element, &mut removed);
    relayout(segment.content);
    segment.forget(&removed);
    Ok(())
}

/// Notes what deleted cells held.
fn collect_cells(cells: Vec<TableCell>, removed: &mut Removed) {
    for element in cells.into_iter().flat_map(|cell| cell.content) {
        collect(element, removed);
    }
}

/// Returns how many places two ranges have in common.
fn overlap(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// Tells whether a row is pinned at the top of its table.
fn is_header(row: &TableRow) -> bool {
    row.rest.get("tableRowStyle").and_then(|style| style.get("tableHeader")) == Some(&Value::Bool(true))
}

/// Returns an empty row that looks like another; pinned rows stay together.
fn row_like(model: &TableRow, header: bool, ids: &mut FreshIds) -> TableRow {
    let mut rest = Map::new();
    if let Some(Value::Object(mut style)) = model.rest.get("tableRowStyle").cloned() {
        style.remove("tableHeader");
        if header {
            style.insert("tableHeader".to_owned(), Value::Bool(true));
        }
        rest.insert("tableRowStyle".to_owned(), Value::Object(style));
    }
    let table_cells = model.table_cells.iter().map(|cell| cell_like(cell, ids)).collect();
    TableRow { table_cells, rest, ..TableRow::default() }
}

/// Returns an empty cell that looks like another: its style, and that of its first paragraph and first character.
fn cell_like(model: &TableCell, ids: &mut FreshIds) -> TableCell {
    let mut rest = Map::new();
    if let Some(style) = model.rest.get("tableCellStyle") {
        rest.insert("tableCellStyle".to_owned(), style.clone());
    }
    let first = model.content.iter().find_map(|element| element.paragraph.as_ref());
    let mut cell = TableCell { content: vec![empty_like(first, ids)], rest, ..TableCell::default() };
    set_spans(&mut cell, 1, 1);
    cell
}

/// Returns an empty paragraph that looks like another, but is in no list.
pub(crate) fn empty_like(model: Option<&Paragraph>, ids: &mut FreshIds) -> StructuralElement {
    let first = model.and_then(|model| model.elements.first());
    let text_style = first.and_then(ParagraphElement::text_style).cloned().map(Style).unwrap_or_default();
    let paragraph = Paragraph {
        elements: vec![ParagraphElement::of_text("\n".to_owned(), without_link(&text_style))],
        paragraph_style: model.and_then(|model| copied_style(model, ids)),
        ..Paragraph::default()
    };
    StructuralElement { paragraph: Some(paragraph), ..StructuralElement::default() }
}

/// Returns the properties of the columns.
pub(crate) fn column_properties(table: &mut Table) -> Option<&mut Vec<Value>> {
    table.rest.get_mut("tableStyle")?.get_mut("tableColumnProperties")?.as_array_mut()
}
