//! `deleteContentRange`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#deletecontentrangerequest>

use super::document::{Paragraph, ParagraphElement, Range, StructuralElement};
use super::index::{relayout, segment_end};
use super::locate::{check_range, find_cell, first_ending_after, siblings_mut};
use super::quirks;
use super::refusal::Refusal;
use super::runs::{join_at, split_at};

/// What a deletion took away besides text.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// Start and end of the range, in UTF-16 units.
    pub(crate) range: (u32, u32),
    /// Everything taken out, to find the objects that were referenced.
    pub(crate) elements: Vec<ParagraphElement>,
    /// Images tethered to paragraphs of deleted tables.
    pub(crate) paragraphs: Vec<Paragraph>,
    /// Section breaks, whose headers and footers go with them.
    pub(crate) section_breaks: Vec<serde_json::Value>,
}

/// Deletes a range.
///
/// # Errors
///
/// Google's refusals of an empty range, of the last newline and of anything that breaks a table.
pub(crate) fn delete_range(content: &mut Vec<StructuralElement>, range: &Range) -> Result<Removed, Refusal> {
    let (start, end) = check_range(range, content)?;
    if end == segment_end(content) {
        return Err(Refusal::invalid(quirks::LAST_NEWLINE));
    }
    let mut path = Vec::new();
    let mut siblings = content.as_slice();
    // A range strictly inside one table must lie in the content of one of its cells.
    loop {
        let at = first_ending_after(siblings, start);
        let Some(element) = siblings.get(at) else { break };
        let inside = element.start_index.utf16() < start && end < element.end_index.utf16();
        if element.table.is_none() || !inside {
            break;
        }
        let (step, inner) = find_cell(element, at, start).ok_or_else(bad)?;
        if end >= segment_end(inner) {
            return Err(bad());
        }
        path.push(step);
        siblings = inner;
    }
    let siblings = siblings_mut(content, &path).ok_or_else(bad)?;
    let mut removed = Removed { range: (start, end), ..Removed::default() };
    delete_among(siblings, start, end, &mut removed)?;
    relayout(content);
    Ok(removed)
}

/// Deletes a range whose both ends lie among these siblings, not deeper.
fn delete_among(
    siblings: &mut Vec<StructuralElement>,
    start: u32,
    end: u32,
    removed: &mut Removed,
) -> Result<(), Refusal> {
    let first = first_ending_after(siblings, start);
    let last = first_ending_after(siblings, end);
    let after = siblings.get(last).ok_or_else(bad)?;
    let cuts_after = after.start_index.utf16() < end;
    for element in siblings.get(first..last).unwrap_or_default() {
        let cut = element.start_index.utf16() < start;
        let initial_break = element.start_index.utf16() == 0 && element.paragraph.is_none();
        if (cut && element.paragraph.is_none()) || initial_break {
            return Err(bad());
        }
    }
    if cuts_after && after.paragraph.is_none() {
        return Err(bad());
    }
    if first == last {
        let paragraph = paragraph_mut(siblings, first)?;
        return cut_out(paragraph, start, end, removed);
    }
    let newline_goes = siblings.get(last - 1).is_some_and(|element| element.paragraph.is_some());
    if newline_goes && after.paragraph.is_none() {
        // The newline before a table or section break stays as long as that does.
        return Err(bad());
    }
    let head_stays = siblings.get(first).is_some_and(|element| element.start_index.utf16() < start);
    if after.paragraph.is_some() && (cuts_after || head_stays) {
        let tail_start = after.start_index.utf16();
        cut_out(paragraph_mut(siblings, last)?, tail_start, end, removed)?;
    }
    if head_stays {
        merge(siblings, first, last, start, removed)?;
        drain(siblings, first + 1, last + 1, removed);
    } else {
        drain(siblings, first, last, removed);
    }
    Ok(())
}

/// Appends what is left of paragraph `last` to the head of paragraph `first`, which keeps its style and id.
fn merge(
    siblings: &mut [StructuralElement],
    first: usize,
    last: usize,
    start: u32,
    removed: &mut Removed,
) -> Result<(), Refusal> {
    let tail = paragraph_mut(siblings, last)?;
    let mut elements = std::mem::take(&mut tail.elements);
    let tethered = tail.rest.remove("positionedObjectIds");
    let head = paragraph_mut(siblings, first)?;
    let at = split_at(&mut head.elements, start).ok_or_else(bad)?;
    removed.elements.extend(head.elements.drain(at..));
    head.elements.append(&mut elements);
    join_at(&mut head.elements, at);
    // Images tethered to the paragraph that goes are not text and were not deleted: they move to the one that stays.
    if let Some(tethered) = tethered {
        match (head.rest.get_mut("positionedObjectIds").and_then(|own| own.as_array_mut()), tethered) {
            (Some(own), serde_json::Value::Array(mut more)) => own.append(&mut more),
            (_, tethered) => {
                head.rest.insert("positionedObjectIds".to_owned(), tethered);
            }
        }
    }
    Ok(())
}

/// Takes `[start, end)` out of one paragraph.
fn cut_out(paragraph: &mut Paragraph, start: u32, end: u32, removed: &mut Removed) -> Result<(), Refusal> {
    let from = split_at(&mut paragraph.elements, start).ok_or_else(bad)?;
    let to = split_at(&mut paragraph.elements, end).ok_or_else(bad)?;
    removed.elements.extend(paragraph.elements.drain(from..to));
    join_at(&mut paragraph.elements, from);
    Ok(())
}

/// Takes whole siblings out.
fn drain(siblings: &mut Vec<StructuralElement>, from: usize, to: usize, removed: &mut Removed) {
    for element in siblings.drain(from..to) {
        collect(element, removed);
    }
}

/// Notes what a deleted element held.
pub(crate) fn collect(element: StructuralElement, removed: &mut Removed) {
    removed.paragraphs.extend(element.paragraph);
    removed.section_breaks.extend(element.section_break);
    for cell in element.table.into_iter().flat_map(|table| table.table_rows).flat_map(|row| row.table_cells) {
        for inner in cell.content {
            collect(inner, removed);
        }
    }
}

/// Returns the paragraph at a place.
fn paragraph_mut(siblings: &mut [StructuralElement], at: usize) -> Result<&mut Paragraph, Refusal> {
    siblings.get_mut(at).and_then(|element| element.paragraph.as_mut()).ok_or_else(bad)
}

/// The refusal of a deletion that would break something.
fn bad() -> Refusal {
    Refusal::invalid(quirks::BAD_DELETION)
}
