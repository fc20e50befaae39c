//! The settings of paragraphs that no file shows, such as borders, or not exactly: a paragraph that was moved is typed anew and would lose
//! them, and so would one that others were moved past. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::edit::{Expected, element, range};
use super::restyle::contents;
use crate::gdocs::{DocumentTab, Paragraph, Request, Style, UpdateParagraphStyle, same, same_field};
use crate::kinds::docs::text::extract::Extract;
use crate::kinds::docs::text::line::is_private;
use crate::kinds::docs::text::style::{self, Base};

/// The settings, which all can be set in the body.
const FIELDS: [&str; 10] = [
    "borderBetween",
    "borderTop",
    "borderBottom",
    "borderLeft",
    "borderRight",
    "keepLinesTogether",
    "keepWithNext",
    "avoidWidowAndOrphan",
    "pageBreakBefore",
    "spacingMode",
];

/// What stands for an object among words.
const OBJECT: &str = "\u{fffc}";

/// The settings of a paragraph that no file shows, or not exactly: of a heading a file shows none. An item has its indents
/// from its list.
fn hidden(paragraph: &Paragraph) -> impl Iterator<Item = &'static str> {
    let of_list = paragraph.bullet.is_some();
    let is_hidden = move |field: &&str| !(of_list && matches!(*field, "indentStart" | "indentFirstLine"));
    FIELDS.into_iter().chain(style::PARAGRAPH_FIELDS.into_iter().filter(is_hidden))
}

/// What the file says of the settings of a paragraph, as these.
fn said(tab: &DocumentTab, paragraph: &Paragraph) -> Map<String, Value> {
    if paragraph.named_style_type().starts_with("HEADING_") {
        return Map::new();
    }
    let base = Base { tab, named: paragraph.named_style_type(), footnote: false };
    let properties = style::block_properties(paragraph.paragraph_style.as_ref(), base, paragraph.bullet.is_some());
    style::write_paragraph(&properties).0
}

/// What gives paragraphs their settings again.
#[derive(Default)]
pub(super) struct Restored {
    pub(super) requests: Vec<Request>,
    /// The elements of the body that are set.
    pub(super) changed: BTreeSet<usize>,
}

impl Restored {
    /// The elements of the document before the text was edited that are set.
    pub(super) fn touched(&self, after: &Extract, expected: &[Expected]) -> Vec<usize> {
        let found = expected.iter().zip(contents(after));
        found
            .filter(|(_, (_, origin))| element(origin).is_some_and(|at| self.changed.contains(&at)))
            .filter_map(|(expected, _)| expected.element)
            .collect()
    }
}

/// Finds what gives each paragraph of the body the settings that one with its words and its named style had, the last
/// first. Where as many say the same before and after, and as many of them look the same, those are the same, and of the
/// rest the first is the first.
pub(super) fn restored(was: &DocumentTab, is: &DocumentTab, tab_id: Option<&str>) -> Restored {
    let mut restored = Restored::default();
    let has_own = |tab: &DocumentTab| paragraphs(tab).any(|(_, paragraph)| !own(tab, paragraph).is_empty());
    if !has_own(was) && !has_own(is) {
        return restored;
    }
    let (old, new) = (by_words(was), by_words(is));
    let mut found: Vec<(usize, Vec<&str>, Map<String, Value>)> = Vec::new();
    for (words, there) in &new {
        let Some(here) = old.get(words).filter(|here| here.len() == there.len()) else { continue };
        for ((_, before), (at, after)) in paired(here, there) {
            let (had, has) = (own(was, before), own(is, after));
            let mut fields: Vec<&str> =
                hidden(after).filter(|field| !same_field(had.get(*field), has.get(*field))).collect();
            if !fields.is_empty() {
                let (said, says) = (said(was, before), said(is, after));
                fields.retain(|field| same_field(said.get(*field), says.get(*field)));
            }
            if !fields.is_empty() {
                found.push((*at, fields, had));
            }
        }
    }
    found.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    for (at, fields, had) in found {
        let Some(place) = is.body.as_ref().and_then(|body| body.content.get(at)) else { continue };
        let (start, end) = (place.start_index.utf16(), place.end_index.utf16());
        let style = fields.iter().filter_map(|field| Some(((*field).to_owned(), had.get(*field)?.clone()))).collect();
        restored.changed.insert(at);
        restored.requests.push(Request::UpdateParagraphStyle(UpdateParagraphStyle {
            range: range(None, tab_id, start, end),
            paragraph_style: Style(style),
            fields: fields.join(","),
        }));
    }
    restored
}

/// A paragraph of the body with its place among its elements.
type Placed<'a> = (usize, &'a Paragraph);

/// The paragraphs of the body.
fn paragraphs(tab: &DocumentTab) -> impl Iterator<Item = Placed<'_>> {
    let content = tab.body.as_ref().map(|body| body.content.as_slice()).unwrap_or_default();
    content.iter().enumerate().filter_map(|(at, element)| Some((at, element.paragraph.as_ref()?)))
}

/// The paragraphs that say something, by that and their named style.
fn by_words(tab: &DocumentTab) -> BTreeMap<(String, &str), Vec<Placed<'_>>> {
    let mut found: BTreeMap<(String, &str), Vec<Placed<'_>>> = BTreeMap::new();
    for (at, paragraph) in paragraphs(tab) {
        // What is typed anew has the blanks that the file shows, and an object that is none to the API stays where it is, too.
        let words: String = paragraph.elements.iter().filter_map(|part| part.text()).collect();
        let words: String = words.chars().filter(|letter| !letter.is_whitespace() && !is_private(*letter)).collect();
        if !words.is_empty() {
            found.entry((words, paragraph.named_style_type())).or_default().push((at, paragraph));
        }
    }
    found
}

/// Pairs as many paragraphs of the same words: where as many of one look stood before as stand now, those in their order,
/// and what is left in its order.
fn paired<'a>(old: &'a [Placed<'a>], new: &'a [Placed<'a>]) -> Vec<(&'a Placed<'a>, &'a Placed<'a>)> {
    let mut by_look: BTreeMap<String, (Vec<_>, Vec<_>)> = BTreeMap::new();
    for before in old {
        by_look.entry(looks(before.1)).or_default().0.push(before);
    }
    for after in new {
        by_look.entry(looks(after.1)).or_default().1.push(after);
    }
    let (alike, other): (Vec<_>, Vec<_>) =
        by_look.into_values().partition(|(before, after)| before.len() == after.len());
    let (before, after): (Vec<_>, Vec<_>) = other.into_iter().unzip();
    let mut rest = (before.concat(), after.concat());
    rest.0.sort_by_key(|(at, _)| *at);
    rest.1.sort_by_key(|(at, _)| *at);
    alike.into_iter().chain([rest]).flat_map(|(before, after)| before.into_iter().zip(after)).collect()
}

/// The words of a paragraph with their styles, without the blanks, which may look otherwise when they are typed anew, and its
/// objects.
fn looks(paragraph: &Paragraph) -> String {
    let mut found: Vec<(String, Option<&Map<String, Value>>)> = Vec::new();
    for part in &paragraph.elements {
        if let Some((_, object)) = part.raw() {
            found.push((OBJECT.to_owned(), object.as_object()));
            continue;
        }
        let words: String = part.text().unwrap_or_default().chars().filter(|letter| !letter.is_whitespace()).collect();
        match found.last_mut() {
            _ if words.is_empty() => {}
            Some((before, style)) if *style == part.text_style() && before != OBJECT => before.push_str(&words),
            _ => found.push((words, part.text_style())),
        }
    }
    // In JSON, since styles have an order there.
    serde_json::to_string(&found).unwrap_or_default()
}

/// The settings of a paragraph that are not those of its named style.
fn own(tab: &DocumentTab, paragraph: &Paragraph) -> Map<String, Value> {
    let base = Base { tab, named: paragraph.named_style_type(), footnote: false };
    let style = paragraph.paragraph_style.iter().flat_map(|style| &style.0);
    let own = style.filter(|(field, value)| {
        let says_nothing = match base.paragraph(field) {
            Some(inherited) => same(inherited, value),
            None => matches!(value, Value::Bool(false) | Value::Null),
        };
        hidden(paragraph).any(|hidden| hidden == field.as_str()) && !says_nothing
    });
    own.map(|(field, value)| (field.clone(), value.clone())).collect()
}
