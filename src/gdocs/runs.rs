//! Splitting and joining the runs of a paragraph.

use super::document::{ParagraphElement, Position, TextRun};
use super::index::utf16_len;

/// Makes `index` the start of an element and returns that element's place; the number of elements at the end.
///
/// Returns `None` when `index` lies inside a surrogate pair, inside an object, or outside the elements.
pub(crate) fn split_at(elements: &mut Vec<ParagraphElement>, index: u32) -> Option<usize> {
    let at = elements.partition_point(|element| element.end_index.utf16() <= index);
    let Some(element) = elements.get_mut(at) else {
        let end = elements.last().map(|element| element.end_index.utf16());
        return (end == Some(index)).then_some(at);
    };
    let start = element.start_index.utf16();
    if start == index {
        return Some(at);
    }
    let run = element.text_run.as_mut()?;
    let byte = byte_at(&run.content, index.checked_sub(start)?)?;
    let tail =
        TextRun { content: run.content.split_off(byte), text_style: run.text_style.clone(), rest: run.rest.clone() };
    let tail = ParagraphElement {
        start_index: Position::at(index),
        end_index: element.end_index,
        text_run: Some(tail),
        rest: element.rest.clone(),
    };
    element.end_index = Position::at(index);
    elements.insert(at + 1, tail);
    Some(at + 1)
}

/// Returns the byte offset of a UTF-16 offset; `None` inside a surrogate pair and behind the end.
pub(crate) fn byte_at(text: &str, utf16: u32) -> Option<usize> {
    let wanted = usize::try_from(utf16).ok()?;
    if text.is_ascii() {
        return (wanted <= text.len()).then_some(wanted);
    }
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        if units == wanted {
            return Some(byte);
        }
        units += character.len_utf16();
    }
    (units == wanted).then_some(text.len())
}

/// Joins the elements on both sides of the boundary `at` when they are text of one style; tells whether it did.
///
/// Suggestions are part of the comparison, so suggested text never flows into settled text.
pub(crate) fn join_at(elements: &mut Vec<ParagraphElement>, at: usize) -> bool {
    let Some([left, right]) = at.checked_sub(1).and_then(|before| elements.get(before..=at)) else {
        return false;
    };
    if !same_run(left, right) {
        return false;
    }
    let right = elements.remove(at);
    let (Some(left), Some(run)) = (elements.get_mut(at - 1), right.text_run) else { return false };
    let width = left.width_utf16().saturating_add(utf16_len(&run.content));
    left.end_index = Position::at(left.start_index.utf16().saturating_add(width));
    if let Some(target) = &mut left.text_run {
        target.content.push_str(&run.content);
    }
    true
}

/// Tells whether two neighbours are text of one style.
fn same_run(left: &ParagraphElement, right: &ParagraphElement) -> bool {
    let (Some(a), Some(b)) = (&left.text_run, &right.text_run) else { return false };
    let styles = (left.text_style(), right.text_style());
    let same_style = match styles {
        (Some(a), Some(b)) => a == b,
        (None, Some(style)) | (Some(style), None) => style.is_empty(),
        (None, None) => true,
    };
    same_style && !a.content.ends_with('\n') && a.rest == b.rest && left.rest == right.rest
}
