//! `mergeTableCells` and `unmergeTableCells`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#mergetablecellsrequest>

use super::batch::Batch;
use super::document::StructuralElement;
use super::index::{relayout, segment_end};
use super::quirks;
use super::refusal::Refusal;
use super::request::{MergeTableCells, UnmergeTableCells};
use super::segment::{Segment, Shift};
use super::table::{Region, TableSpot, cell_mut, merged, on_range, set_spans};
use super::table_rows::empty_like;

/// Carries out `mergeTableCells`.
///
/// # Errors
///
/// Google's refusals of a part that is not a rectangle or reaches out of the table.
pub(crate) fn merge(batch: &mut Batch, request: &MergeTableCells) -> Result<(), Refusal> {
    on_range(batch, request.table_range.as_ref(), |segment, spot, asked| {
        let table = spot.table(segment.content)?;
        let inside = merged(table).into_iter().filter(|region| region.touches(asked));
        let inside: Vec<Region> = inside.collect();
        if inside.iter().any(|region| !asked.holds_all_of(*region)) {
            return Err(Refusal::invalid(quirks::NOT_RECTANGULAR));
        }
        for region in inside {
            if let Some(head) = cell_mut(table, region.row, region.column) {
                set_spans(head, 1, 1);
            }
        }
        for (row, column) in asked.cells().skip(1) {
            move_text(segment, spot, asked, (row, column))?;
        }
        if let Some(head) = cell_mut(spot.table(segment.content)?, asked.row, asked.column) {
            set_spans(head, asked.rows, asked.columns);
        }
        Ok(())
    })
}

/// Carries out `unmergeTableCells`.
///
/// # Errors
///
/// Google's refusals of a part that reaches out of the table.
pub(crate) fn unmerge(batch: &mut Batch, request: &UnmergeTableCells) -> Result<(), Refusal> {
    on_range(batch, request.table_range.as_ref(), |segment, spot, asked| {
        let table = spot.table(segment.content)?;
        for region in merged(table).into_iter().filter(|region| region.touches(asked)) {
            if let Some(head) = cell_mut(table, region.row, region.column) {
                set_spans(head, 1, 1);
            }
        }
        Ok(())
    })
}

/// Moves the content of one cell to the end of the head; an empty cell has none to move, and an empty head gives way.
fn move_text(
    segment: &mut Segment<'_>,
    spot: &TableSpot,
    asked: Region,
    (row, column): (usize, usize),
) -> Result<(), Refusal> {
    let table = spot.table(segment.content)?;
    let Some(cell) = cell_mut(table, row, column).filter(|cell| !is_empty(&cell.content)) else { return Ok(()) };
    let (from, to) = (cell.start_index.utf16().saturating_add(1), segment_end(&cell.content));
    let last = cell.content.iter().rev().find_map(|element| element.paragraph.as_ref());
    let left = vec![empty_like(last, segment.ids)];
    let mut moved = std::mem::replace(&mut cell.content, left);
    let Some(head) = cell_mut(table, asked.row, asked.column) else { return Ok(()) };
    let at = segment_end(&head.content);
    let gives_way = is_empty(&head.content);
    let start = head.start_index.utf16().saturating_add(1);
    if gives_way {
        head.content = moved;
    } else {
        head.content.append(&mut moved);
    }
    relayout(segment.content);
    segment.shift(Shift::Moved { from, to, at });
    segment.inserted(to, 1);
    if gives_way {
        segment.shift(Shift::Removed { from: start, to: at });
    }
    Ok(())
}

/// Tells whether a cell holds nothing but one newline, and nothing hangs on that.
fn is_empty(content: &[StructuralElement]) -> bool {
    let [only] = content else { return content.is_empty() };
    only.paragraph
        .as_ref()
        .is_some_and(|paragraph| paragraph.text() == "\n" && paragraph.elements.len() == 1 && paragraph.rest.is_empty())
}
