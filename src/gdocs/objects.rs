//! What hangs on a reference in the text: images, drawings, footnotes.

use serde_json::Value;

use super::delete::Removed;
use super::document::{DocumentTab, ParagraphElement, StructuralElement};
use super::{named_range, quirks};

/// Removes the objects and footnotes whose references were deleted.
pub(crate) fn forget(tab: &mut DocumentTab, content: &mut [StructuralElement], removed: &Removed) {
    if !quirks::OBJECTS_GO_WITH_REFERENCES {
        return;
    }
    let mut footnotes = false;
    let inner = removed.paragraphs.iter().flat_map(|paragraph| &paragraph.elements);
    for element in removed.elements.iter().chain(inner) {
        if let Some(id) = text_of(element, "inlineObjectElement", "inlineObjectId") {
            tab.inline_objects.remove(id);
        }
        if let Some(id) = text_of(element, "footnoteReference", "footnoteId") {
            tab.footnotes.remove(id);
            named_range::forget_segment(tab, id);
            footnotes = true;
        }
    }
    for ids in removed.paragraphs.iter().filter_map(|paragraph| paragraph.rest.get("positionedObjectIds")) {
        for id in ids.as_array().into_iter().flatten().filter_map(Value::as_str) {
            tab.positioned_objects.remove(id);
        }
    }
    for id in removed.section_breaks.iter().flat_map(|own| references(own.get("sectionStyle"))) {
        tab.headers.remove(id);
        tab.footers.remove(id);
        named_range::forget_segment(tab, id);
    }
    if footnotes && quirks::FOOTNOTES_ARE_RENUMBERED {
        renumber(content, &mut 0);
    }
}

/// Returns the headers and footers that a style names.
pub(crate) fn references(style: Option<&Value>) -> impl Iterator<Item = &str> {
    let fields = style.and_then(Value::as_object).into_iter().flatten();
    let named = fields.filter(|(key, _)| key.ends_with("HeaderId") || key.ends_with("FooterId"));
    named.filter_map(|(_, id)| id.as_str())
}

/// Returns a string in an object.
fn text_of<'a>(element: &'a ParagraphElement, object: &str, key: &str) -> Option<&'a str> {
    element.rest.get(object)?.get(key)?.as_str()
}

/// Numbers the footnotes of a segment in the order of their references.
pub(crate) fn renumber(content: &mut [StructuralElement], last: &mut u32) {
    for element in content {
        for inline in element.paragraph.iter_mut().flat_map(|paragraph| &mut paragraph.elements) {
            if let Some(number) = inline.rest.get_mut("footnoteReference").and_then(|r| r.get_mut("footnoteNumber")) {
                *last += 1;
                *number = Value::String(last.to_string());
            }
        }
        for row in element.table.iter_mut().flat_map(|table| &mut table.table_rows) {
            for cell in &mut row.table_cells {
                renumber(&mut cell.content, last);
            }
        }
    }
}
