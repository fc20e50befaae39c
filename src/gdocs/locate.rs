//! Finding a place in a segment.

use super::document::{Range, StructuralElement};
use super::index::segment_end;
use super::quirks;
use super::refusal::Refusal;

/// A step into a table: the element that is the table, the row, the cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// Place of the table among its siblings.
    pub(crate) element: usize,
    /// Row of the cell.
    pub(crate) row: usize,
    /// Column of the cell.
    pub(crate) cell: usize,
}

/// A paragraph: the way to its siblings and its place among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    /// From the segment inwards.
    pub(crate) path: Vec<Step>,
    /// Place among its siblings.
    pub(crate) at: usize,
}

/// Returns the paragraph that holds the unit at `index`; `None` between paragraphs and in a table of contents.
pub(crate) fn find_paragraph(content: &[StructuralElement], index: u32) -> Option<Spot> {
    let mut path = Vec::new();
    let mut siblings = content;
    loop {
        let at = first_ending_after(siblings, index);
        let element = siblings.get(at).filter(|element| element.start_index.utf16() <= index)?;
        if element.paragraph.is_some() {
            return Some(Spot { path, at });
        }
        let (step, inner) = find_cell(element, at, index)?;
        path.push(step);
        siblings = inner;
    }
}

/// Returns the place of the first element that ends behind `index`, or the number of elements.
pub(crate) fn first_ending_after(content: &[StructuralElement], index: u32) -> usize {
    content.partition_point(|element| element.end_index.utf16() <= index)
}

/// Returns the cell of a table whose content holds `index`.
pub(crate) fn find_cell(element: &StructuralElement, at: usize, index: u32) -> Option<(Step, &[StructuralElement])> {
    let rows = &element.table.as_ref()?.table_rows;
    let row = rows.partition_point(|row| row.end_index.utf16() <= index);
    let cells = &rows.get(row)?.table_cells;
    let cell = cells.partition_point(|cell| cell.end_index.utf16() <= index);
    let inner = cells.get(cell).filter(|cell| cell.start_index.utf16() < index)?;
    Some((Step { element: at, row, cell }, &inner.content))
}

/// Follows a path inwards.
pub(crate) fn siblings_mut<'a>(
    content: &'a mut Vec<StructuralElement>,
    path: &[Step],
) -> Option<&'a mut Vec<StructuralElement>> {
    let mut siblings = content;
    for step in path {
        let table = siblings.get_mut(step.element)?.table.as_mut()?;
        siblings = &mut table.table_rows.get_mut(step.row)?.table_cells.get_mut(step.cell)?.content;
    }
    Some(siblings)
}

/// Returns start and end of a range after the checks that all requests share.
///
/// # Errors
///
/// Google's refusal of an empty range and of one that leaves the segment; the end of the segment itself is inside.
pub(crate) fn check_range(range: &Range, content: &[StructuralElement]) -> Result<(u32, u32), Refusal> {
    let (start, end) = (range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
    let segment_end = segment_end(content);
    if start >= segment_end {
        return Err(Refusal::invalid(quirks::index_too_large(start, segment_end)));
    }
    if end > segment_end {
        return Err(Refusal::invalid(quirks::index_too_large(end, segment_end)));
    }
    if end <= start {
        return Err(Refusal::invalid(quirks::EMPTY_RANGE));
    }
    Ok((start, end))
}

/// Calls `visit` for every paragraph that `[start, end)` touches, also in tables; a table of contents is passed by.
pub(crate) fn each_paragraph_mut(
    content: &mut [StructuralElement],
    start: u32,
    end: u32,
    visit: &mut dyn FnMut(&mut StructuralElement) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let first = first_ending_after(content, start);
    for element in content.iter_mut().skip(first).take_while(|element| element.start_index.utf16() < end) {
        if element.paragraph.is_some() {
            visit(element)?;
            continue;
        }
        for row in element.table.iter_mut().flat_map(|table| &mut table.table_rows) {
            for cell in &mut row.table_cells {
                each_paragraph_mut(&mut cell.content, start, end, visit)?;
            }
        }
    }
    Ok(())
}
