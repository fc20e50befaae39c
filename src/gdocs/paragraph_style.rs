//! `updateParagraphStyle`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#updateparagraphstylerequest>

use serde_json::{Map, Value};

use super::document::{DocumentTab, Paragraph, Style};
use super::ids::FreshIds;
use super::index::relayout;
use super::locate::{check_range, each_paragraph_mut, first_ending_after};
use super::mask::Mask;
use super::quirks;
use super::refusal::Refusal;
use super::request::UpdateParagraphStyle;
use super::runs::join_at;
use super::schema::PARAGRAPH_STYLE;
use super::segment::Segment;
use super::style::{inherited_paragraph, is_heading, same};
use super::style_values::check_paragraph;

/// Carries out `updateParagraphStyle` on a segment.
///
/// # Errors
///
/// Google's refusals of a bad range or mask.
pub(crate) fn update(segment: &mut Segment<'_>, request: &UpdateParagraphStyle) -> Result<(), Refusal> {
    let Segment { tab, content, id, ids, .. } = segment;
    let mask = Mask::read(&request.fields, PARAGRAPH_STYLE)?;
    check_paragraph(&mask, &request.paragraph_style.0)?;
    let (start, end) = check_range(&request.range, content)?;
    let breaks = request.paragraph_style.0.get("pageBreakBefore") == Some(&Value::Bool(true));
    let touched = content.iter().skip(first_ending_after(content, start));
    let in_table = touched.take_while(|e| e.start_index.utf16() < end).any(|element| element.table.is_some());
    if breaks && mask.names("pageBreakBefore") && (in_table || !id.is_empty()) {
        return Err(Refusal::invalid(quirks::PAGE_BREAK_BEFORE));
    }
    each_paragraph_mut(content, start, end, &mut |element| {
        if let Some(paragraph) = &mut element.paragraph {
            change(tab, paragraph, &mask, &request.paragraph_style.0, ids);
        }
        Ok(())
    })?;
    relayout(content);
    Ok(())
}

/// Changes one paragraph: the named style first, since it affects the rest.
fn change(tab: &DocumentTab, paragraph: &mut Paragraph, mask: &Mask, values: &Map<String, Value>, ids: &mut FreshIds) {
    let renamed = mask.names("namedStyleType");
    let style = &mut paragraph.paragraph_style.get_or_insert_with(Style::default).0;
    mask.copy(values, style, &[]);
    // Every recorded paragraph says its named style and its direction: reset means back to the plain ones.
    for (key, plain) in [("namedStyleType", "NORMAL_TEXT"), ("direction", "LEFT_TO_RIGHT")] {
        let set = style.get(key).and_then(Value::as_str).is_some_and(|value| !value.ends_with("_UNSPECIFIED"));
        if mask.names(key) && !set {
            style.insert(key.to_owned(), Value::String(plain.to_owned()));
        }
    }
    let named = style.get("namedStyleType").and_then(Value::as_str).unwrap_or("NORMAL_TEXT").to_owned();
    if renamed && is_heading(&named) {
        style.entry("headingId").or_insert_with(|| Value::String(ids.draw("h.")));
    } else if renamed {
        style.remove("headingId");
    }
    let in_list = paragraph.bullet.is_some();
    for key in mask.names_of_fields() {
        // A list gives its items their indents, which is not what the named style gives.
        let kept = matches!(key, "namedStyleType" | "direction") || (in_list && key.starts_with("indent"));
        let inherited = inherited_paragraph(tab, &named, key).unwrap_or(&Value::Null);
        if !kept && style.get(key).is_some_and(|own| same(own, inherited)) {
            style.remove(key);
        }
    }
    if renamed && is_heading(&named) {
        clear_direct(paragraph);
    }
}

/// Takes away the direct overrides that a heading's named style clears.
fn clear_direct(paragraph: &mut Paragraph) {
    let mut cleared = false;
    for style in paragraph.elements.iter_mut().filter_map(|element| element.text_run.as_mut()?.text_style.as_mut()) {
        for key in quirks::CLEARED_BY_HEADING {
            cleared |= style.0.remove(*key).is_some();
        }
    }
    for at in (1..paragraph.elements.len()).rev().filter(|_| cleared) {
        join_at(&mut paragraph.elements, at);
    }
}
