//! `updateTextStyle`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#updatetextstylerequest>

use serde_json::{Map, Value};

use super::document::{DocumentTab, Paragraph, ParagraphElement, StructuralElement, Style};
use super::index::relayout;
use super::locate::{check_range, each_paragraph_mut};
use super::mask::Mask;
use super::quirks;
use super::refusal::Refusal;
use super::request::UpdateTextStyle;
use super::runs::{join_at, split_at};
use super::schema::TEXT_STYLE;
use super::style::{inherited_text, link_look, same};
use super::style_values::check_text;

/// Carries out `updateTextStyle` on a segment.
///
/// # Errors
///
/// Google's refusals of a bad range, mask or value, and of an end inside a surrogate pair.
pub(crate) fn update(
    tab: &DocumentTab,
    content: &mut [StructuralElement],
    request: &UpdateTextStyle,
) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, TEXT_STYLE)?;
    check_text(&mask, &request.text_style.0)?;
    let (start, end) = check_range(&request.range, content)?;
    let change = Change { tab, mask, values: values(&request.text_style) };
    each_paragraph_mut(content, start, end, &mut |element| {
        let (from, to) = (element.start_index.utf16(), element.end_index.utf16());
        let (start, mut end) = (start.max(from), end.min(to));
        // Recorded: a range that ends at the paragraph's newline takes it in, so that no lone newline is left.
        if end.saturating_add(1) == to {
            end = to;
        }
        let Some(paragraph) = &mut element.paragraph else { return Ok(()) };
        if end > start { change.paragraph(paragraph, start, end, (start, end) == (from, to)) } else { Ok(()) }
    })?;
    relayout(content);
    Ok(())
}

/// Returns the values of a request with what Google fills in.
fn values(style: &Style) -> Map<String, Value> {
    let mut values = style.0.clone();
    if let Some(Value::Object(font)) = values.get_mut("weightedFontFamily")
        && font.contains_key("fontFamily")
        && !font.contains_key("weight")
    {
        font.insert("weight".to_owned(), Value::from(400));
    }
    // A link to nothing is no link.
    if values.get("link").and_then(Value::as_object).is_some_and(Map::is_empty) {
        values.remove("link");
    }
    values
}

/// One change of text styles.
struct Change<'a> {
    /// For what is inherited.
    tab: &'a DocumentTab,
    /// The fields to set.
    mask: Mask,
    /// Their values.
    values: Map<String, Value>,
}

impl Change<'_> {
    /// Changes `[start, end)` of one paragraph.
    fn paragraph(&self, paragraph: &mut Paragraph, start: u32, end: u32, whole: bool) -> Result<(), Refusal> {
        let named = paragraph.named_style_type().to_owned();
        let elements = &mut paragraph.elements;
        let sets_link = self.mask.names("link") && self.values.contains_key("link");
        if sets_link {
            split_newline(elements, end);
        }
        let inside = || Refusal::invalid(quirks::INSIDE_CHARACTER);
        let from = split_at(elements, start).ok_or_else(inside)?;
        let to = split_at(elements, end).ok_or_else(inside)?;
        let overlapped = if sets_link { overlapped_links(elements, from, to) } else { Vec::new() };
        let before = from.checked_sub(1).and_then(|before| elements.get(before));
        let before = before.and_then(ParagraphElement::text_style).cloned().unwrap_or_default();
        for element in elements.iter_mut().take(to).skip(from) {
            let newline = element.text() == Some("\n");
            if let Some(style) = style_mut(element) {
                self.style(style, &named, &before, newline);
            }
        }
        for at in &overlapped {
            if let Some(style) = elements.get_mut(*at).and_then(style_mut) {
                self.mask.copy_only(&self.values, style, "link");
            }
        }
        let first = overlapped.iter().copied().min().map_or(from, |at| at.min(from));
        let last = overlapped.iter().copied().max().map_or(to, |at| (at + 1).max(to));
        for at in (first..=last).rev() {
            join_at(elements, at);
        }
        if let Some(bullet) = paragraph.bullet.as_mut().filter(|_| whole) {
            let style = &mut bullet.text_style.get_or_insert_with(Style::default).0;
            self.mask.copy(&self.values, style, &["link"]);
        }
        Ok(())
    }

    /// Changes one style.
    fn style(&self, style: &mut Map<String, Value>, named: &str, before: &Map<String, Value>, newline: bool) {
        let had_link = style.contains_key("link");
        self.mask.copy(&self.values, style, if newline { &["link"] } else { &[] });
        if self.mask.names("link") && !newline {
            let gets_link = style.contains_key("link");
            let free = link_look().into_iter().filter(|(key, _)| !self.mask.names(key));
            for (key, look) in free {
                if gets_link {
                    style.insert(key.to_owned(), look);
                } else if had_link {
                    // The look goes with the link: the text is made to match the text before it.
                    match before.get(key).filter(|_| !before.contains_key("link")) {
                        Some(value) => style.insert(key.to_owned(), value.clone()),
                        None => style.remove(key),
                    };
                }
            }
        }
        for key in self.mask.names_of_fields().filter(|key| *key != "link") {
            let inherited = inherited_text(self.tab, named, key).unwrap_or(&Value::Null);
            if style.get(key).is_some_and(|own| same(own, inherited) || is_unset_offset(own, inherited)) {
                style.remove(key);
            }
        }
    }
}

/// Tells whether a baseline offset of none is all that is inherited.
fn is_unset_offset(own: &Value, inherited: &Value) -> bool {
    inherited.is_null() && own.as_str() == Some("NONE")
}

/// Returns the style of a run or of an object that has one.
fn style_mut(element: &mut ParagraphElement) -> Option<&mut Map<String, Value>> {
    let key = element.raw().map(|(key, _)| key.to_owned());
    match &mut element.text_run {
        Some(run) => Some(&mut run.text_style.get_or_insert_with(Style::default).0),
        None => element.rest.get_mut(&key?)?.get_mut("textStyle")?.as_object_mut(),
    }
}

/// Returns the elements around `from..to` that belong to a link which reaches into it.
///
/// Google documents that a link set on a part of a link is set on the whole of it.
fn overlapped_links(elements: &[ParagraphElement], from: usize, to: usize) -> Vec<usize> {
    let link = |at: usize| elements.get(at).and_then(|element| element.text_style()?.get("link"));
    let mut found = Vec::new();
    if let Some(inside) = link(from) {
        found.extend((0..from).rev().take_while(|at| link(*at) == Some(inside)));
    }
    if let Some(inside) = to.checked_sub(1).and_then(link) {
        found.extend((to..elements.len()).take_while(|at| link(*at) == Some(inside)));
    }
    found
}

/// Makes the newline of a paragraph a run of its own when the range takes it in, since links never stick to it.
fn split_newline(elements: &mut Vec<ParagraphElement>, end: u32) {
    let last = elements.last().filter(|last| last.end_index.utf16() == end);
    if last.and_then(ParagraphElement::text).is_some_and(|text| text.ends_with('\n')) {
        split_at(elements, end.saturating_sub(1));
    }
}
