//! The ends of paragraphs that were not edited: where what stood behind one is gone, it may end with the newline of that,
//! and the look of a newline is the look of a list's mark and of what is typed there next. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::edit::{Expected, What, range};
use super::restyle::contents;
use crate::gdocs::{
    DocumentTab, Paragraph, ParagraphElement, Range, Request, StructuralElement, Style, UpdateParagraphStyle,
    UpdateTextStyle,
};
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::line::Line;
use crate::kinds::docs::text::style;

/// Returns the requests that give the newlines of kept paragraphs the looks they had `before`, last first, and empty ones their
/// whole look: no file shows that, and people see it.
pub(super) fn as_before(
    before: &DocumentTab,
    (tab, after): (&DocumentTab, &Extract),
    expected: &[Expected],
    tab_id: Option<&str>,
) -> Vec<Request> {
    let mut requests = Vec::new();
    for (expected, (_, origin)) in expected.iter().zip(contents(after)) {
        let (What::Kept(_), Some(was), Origin::Line { element, line }) = (&expected.what, expected.element, origin)
        else {
            continue;
        };
        let (Some(old), Some(new)) = (paragraph(before, was), paragraph(tab, *element)) else { continue };
        requests.extend(look_as_before(old, new, line, tab_id));
        // To style all there is of an item would style its mark, too.
        if new.bullet.is_some() && line.end <= line.start + 1 {
            continue;
        }
        let (old, new) = (newline_style(old), newline_style(new));
        let fields = differing(&old, &new);
        // A newline is never a link.
        if fields.is_empty() || fields.contains(&"link") {
            continue;
        }
        requests.push(restyled(&old, &fields, range(None, tab_id, line.newline_at(), line.end)));
    }
    requests.reverse();
    requests
}

/// What gives an empty paragraph the look that it had, when it ends with the newline of another now.
fn look_as_before(old: &Paragraph, new: &Paragraph, line: &Line, tab_id: Option<&str>) -> Option<Request> {
    let was_empty = old.elements.iter().filter_map(ParagraphElement::text).all(|text| text == "\n");
    if line.end > line.start + 1 || !was_empty || old.bullet.is_some() || new.bullet.is_some() {
        return None;
    }
    let style =
        |paragraph: &Paragraph| paragraph.paragraph_style.as_ref().map(|style| style.0.clone()).unwrap_or_default();
    let (old, new) = (style(old), style(new));
    let writable =
        |field: &&str| *field == "namedStyleType" || *field == "direction" || style::OVERRIDE_FIELDS.contains(field);
    let fields: Vec<&str> = differing(&old, &new).into_iter().filter(writable).collect();
    if fields.is_empty() {
        return None;
    }
    let style = fields.iter().filter_map(|field| Some(((*field).to_owned(), old.get(*field)?.clone()))).collect();
    Some(Request::UpdateParagraphStyle(UpdateParagraphStyle {
        range: range(None, tab_id, line.start, line.end),
        paragraph_style: Style(style),
        fields: fields.join(","),
    }))
}

/// Returns what gives the end of a paragraph its look again, when something other than text is put right before its newline:
/// Docs puts a new newline before that, which looks like the text, and the old one goes behind it.
pub(super) fn parted(tab: &DocumentTab, element: usize, line: &Line, tab_id: Option<&str>) -> Option<Request> {
    let paragraph = paragraph(tab, element).filter(|_| line.end > line.start + 1)?;
    let (end, text) = (newline_style(paragraph), text_style_at_end(paragraph));
    let fields = differing(&end, &text);
    if fields.is_empty() || fields.contains(&"link") {
        return None;
    }
    Some(restyled(&end, &fields, range(None, tab_id, line.newline_at(), line.end)))
}

/// The fields in which two styles differ.
fn differing<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> Vec<&'a str> {
    let fields: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    fields.into_iter().filter(|field| one.get(*field) != other.get(*field)).map(String::as_str).collect()
}

fn restyled(style: &Map<String, Value>, fields: &[&str], range: Range) -> Request {
    let style = fields.iter().filter_map(|field| Some(((*field).to_owned(), style.get(*field)?.clone()))).collect();
    Request::UpdateTextStyle(UpdateTextStyle { range, text_style: Style(style), fields: fields.join(",") })
}

/// The style of the last character before the newline of a paragraph.
fn text_style_at_end(paragraph: &Paragraph) -> Map<String, Value> {
    let mut runs = paragraph.elements.iter().rev();
    let alone = |element: &&ParagraphElement| element.text() == Some("\n");
    let last = runs.next().filter(|last| !alone(last)).or_else(|| runs.next());
    last.and_then(|last| last.text_style()).cloned().unwrap_or_default()
}

fn paragraph(tab: &DocumentTab, element: usize) -> Option<&Paragraph> {
    let content: &[StructuralElement] = tab.body.as_ref().map_or(&[], |body| &body.content);
    content.get(element).and_then(|element| element.paragraph.as_ref())
}

fn newline_style(paragraph: &Paragraph) -> Map<String, Value> {
    let last = paragraph.elements.last().and_then(|last| last.text_run.as_ref());
    last.and_then(|run| run.text_style.as_ref()).map(|style| style.0.clone()).unwrap_or_default()
}
