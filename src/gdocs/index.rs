//! Where everything stands: lengths in UTF-16 units and the indices that follow from them.
//!
//! Source: <https://developers.google.com/docs/api/concepts/structure>

use super::document::{Paragraph, ParagraphElement, Position, StructuralElement, Table};
use super::quirks;

/// Returns the length of `text` in UTF-16 units, capped at `u32::MAX`.
#[must_use]
pub fn utf16_len(text: &str) -> u32 {
    // Every character starts with a byte that is no continuation byte; one of four bytes takes two units.
    let units: usize = text.bytes().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum();
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// Recomputes all indices of a segment from its content and returns how many recorded ones were wrong.
///
/// Text counts by its length, objects keep the width they were recorded with, or 1. An index that was absent is
/// filled in and not counted as wrong.
pub fn reindex(content: &mut [StructuralElement]) -> usize {
    let mut layout = Layout { count_text: true, wrong: 0, depth: 0 };
    layout.content(content, 0);
    layout.wrong
}

/// Recomputes all indices of a segment from the widths of its leaves, without reading its text.
pub(crate) fn relayout(content: &mut [StructuralElement]) {
    let mut layout = Layout { count_text: false, wrong: 0, depth: 0 };
    layout.content(content, 0);
}

/// Returns the end of a segment, 0 when it has no content.
#[must_use]
pub fn segment_end(content: &[StructuralElement]) -> u32 {
    content.last().map_or(0, |element| element.end_index.utf16())
}

/// One walk over a segment.
struct Layout {
    /// Measure text; otherwise trust the recorded width of runs.
    count_text: bool,
    /// Recorded indices that were not what they should be.
    wrong: usize,
    /// Depth of nested tables.
    depth: usize,
}

impl Layout {
    /// Lays out `content` from `start` on and returns its end.
    fn content(&mut self, content: &mut [StructuralElement], start: u32) -> u32 {
        let mut at = start;
        for element in content {
            let from = at;
            let recorded = element.end_index.utf16().saturating_sub(element.start_index.utf16());
            at = if let Some(paragraph) = &mut element.paragraph {
                self.paragraph(paragraph, at)
            } else if let Some(table) = &mut element.table {
                self.table(table, at, recorded)
            } else if let Some(toc) = &mut element.table_of_contents {
                self.content(&mut toc.content, at.saturating_add(1)).saturating_add(1)
            } else {
                at.saturating_add(recorded.max(1))
            };
            self.place(&mut element.start_index, &mut element.end_index, from, at);
        }
        at
    }

    /// Lays out a paragraph and returns its end.
    fn paragraph(&mut self, paragraph: &mut Paragraph, start: u32) -> u32 {
        let mut at = start;
        for element in &mut paragraph.elements {
            let from = at;
            at = at.saturating_add(self.width(element));
            self.place(&mut element.start_index, &mut element.end_index, from, at);
        }
        at
    }

    /// Lays out a table: a marker before it, before each row and each cell, and one behind it.
    fn table(&mut self, table: &mut Table, start: u32, recorded: u32) -> u32 {
        if self.depth >= quirks::MAX_TABLE_DEPTH {
            return start.saturating_add(recorded);
        }
        self.depth += 1;
        let mut at = start.saturating_add(1);
        for row in &mut table.table_rows {
            let row_start = at;
            at = at.saturating_add(1);
            for cell in &mut row.table_cells {
                let cell_start = at;
                at = self.content(&mut cell.content, cell_start.saturating_add(1));
                self.place(&mut cell.start_index, &mut cell.end_index, cell_start, at);
            }
            self.place(&mut row.start_index, &mut row.end_index, row_start, at);
        }
        self.depth -= 1;
        at.saturating_add(1)
    }

    /// Returns the width of a leaf.
    fn width(&self, element: &ParagraphElement) -> u32 {
        match &element.text_run {
            Some(run) if self.count_text => utf16_len(&run.content),
            Some(_) => element.width_utf16(),
            None => element.width_utf16().max(1),
        }
    }

    /// Sets where something stands and notes whether it was recorded otherwise.
    fn place(&mut self, start: &mut Position, end: &mut Position, from: u32, to: u32) {
        if end.0.is_some() && (start.utf16() != from || end.utf16() != to) {
            self.wrong += 1;
        }
        *start = Position::at(from);
        *end = Position::at(to);
    }
}
