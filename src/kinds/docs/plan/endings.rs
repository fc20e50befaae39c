//! The ends of paragraphs that were not edited: where what stood behind one is gone, it may end with the newline of that,
//! and the look of a newline is the look of a list's mark and of what is typed there next. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::edit::{Expected, What, range};
use super::restyle::contents;
use crate::gdocs::{DocumentTab, Paragraph, Request, StructuralElement, Style, UpdateTextStyle};
use crate::kinds::docs::text::extract::{Extract, Origin};

/// Returns the requests that give the newlines of kept paragraphs the looks they had `before`, last first.
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
        // To style all there is of an item would style its mark, too.
        if new.bullet.is_some() && line.end <= line.start + 1 {
            continue;
        }
        let (old, new) = (newline_style(old), newline_style(new));
        let fields: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let fields: Vec<&str> =
            fields.into_iter().filter(|field| old.get(*field) != new.get(*field)).map(String::as_str).collect();
        // A newline is never a link.
        if fields.is_empty() || fields.contains(&"link") {
            continue;
        }
        let style = fields.iter().filter_map(|field| Some(((*field).to_owned(), old.get(*field)?.clone()))).collect();
        requests.push(Request::UpdateTextStyle(UpdateTextStyle {
            range: range(None, tab_id, line.newline_at(), line.end),
            text_style: Style(style),
            fields: fields.join(","),
        }));
    }
    requests.reverse();
    requests
}

fn paragraph(tab: &DocumentTab, element: usize) -> Option<&Paragraph> {
    let content: &[StructuralElement] = tab.body.as_ref().map_or(&[], |body| &body.content);
    content.get(element).and_then(|element| element.paragraph.as_ref())
}

fn newline_style(paragraph: &Paragraph) -> Map<String, Value> {
    let last = paragraph.elements.last().and_then(|last| last.text_run.as_ref());
    last.and_then(|run| run.text_style.as_ref()).map(|style| style.0.clone()).unwrap_or_default()
}
