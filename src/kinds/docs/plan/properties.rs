//! What must change in a style so that it becomes what the file says: exact fields, and only those that differ. Pure.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::planner::Notices;
use crate::gdocs::{Document, DocumentTab};
use crate::kinds::docs::text::flat::Look;
use crate::kinds::docs::text::line::Line;
use crate::kinds::docs::text::style::{self, Base};
use crate::mebdf::{Marks, Property, PropertyValue};
use crate::model::Notice;

/// A change of a style: field to value, `None` to fall back to what is inherited.
pub(super) type Delta = Vec<(&'static str, Option<Value>)>;

/// The fields of text in the order in which they are sent.
pub(super) const TEXT_FIELDS: [&str; 10] = [
    "bold",
    "italic",
    "strikethrough",
    "underline",
    "foregroundColor",
    "weightedFontFamily",
    "fontSize",
    "backgroundColor",
    "baselineOffset",
    "smallCaps",
];

/// The document in which styles are changed.
pub(super) struct Context<'a> {
    document: &'a Document,
    /// The tab that is edited.
    pub(super) tab: &'a DocumentTab,
    /// Its id.
    pub(super) tab_id: Option<&'a str>,
    places: OnceCell<Places>,
}

/// What a link can lead to: ids with the tab they stand in.
#[derive(Default)]
struct Places {
    headings: BTreeMap<String, Option<String>>,
    tabs: Vec<String>,
    /// Links to bookmarks by their id; the bookmarks themselves are told by no answer of the API.
    bookmarks: BTreeMap<String, Value>,
}

impl<'a> Context<'a> {
    /// Takes a document and the tab of it that is edited.
    pub(super) fn new(document: &'a Document, tab: &'a DocumentTab, tab_id: Option<&'a str>) -> Self {
        Self { document, tab, tab_id, places: OnceCell::new() }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let mut places = Places::default();
            for tab in self.document.all_tabs() {
                let id = tab.tab_properties.as_ref().map(|properties| properties.tab_id.clone());
                places.tabs.extend(id.clone());
                let content = tab.document_tab.iter().flat_map(|tab| tab.body.iter().flat_map(|body| &body.content));
                for paragraph in content.filter_map(|element| element.paragraph.as_ref()) {
                    if let Some(heading) = paragraph.heading_id() {
                        places.headings.insert(heading.to_owned(), id.clone());
                    }
                    for link in paragraph.elements.iter().filter_map(|element| element.text_style()?.get("link")) {
                        let new = link.pointer("/bookmark/id").and_then(Value::as_str);
                        let old = link.get("bookmarkId").and_then(Value::as_str);
                        if let Some(bookmark) = new.or(old) {
                            places.bookmarks.insert(bookmark.to_owned(), link.clone());
                        }
                    }
                }
            }
            places
        })
    }

    /// Returns the link to a destination.
    ///
    /// # Errors
    ///
    /// Code and sentence, when there is no such place.
    fn link(&self, destination: &str) -> Result<Value, (&'static str, String)> {
        let Some(id) = destination.strip_prefix("#^") else {
            let scheme = destination.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
            return match scheme.as_deref() {
                Some("mailto" | "tel") => Ok(json!({ "url": destination })),
                // What a browser would carry out leads nowhere, however it is written.
                Some("javascript" | "vbscript" | "data") => {
                    Err(("LINK_LOCKED", format!("`{destination}` is not a web address")))
                }
                Some(_) if destination.contains("://") => Ok(json!({ "url": destination })),
                Some(_) | None => {
                    let message = if destination.starts_with('#') {
                        format!("no heading of this tab is called `{destination}`")
                    } else if destination.is_empty() {
                        "this link has no address; its words stay".to_owned()
                    } else {
                        format!("`{destination}` is not a web address")
                    };
                    Err(("LINK_LOCKED", message))
                }
            };
        };
        if id.is_empty() {
            return Err((LINK_LATER, "the heading that this leads to has no id yet".into()));
        }
        let places = self.places();
        if let Some(tab) = places.headings.get(id) {
            let tab = tab.as_deref().or(self.tab_id);
            return Ok(
                json!({ "heading": tab.map_or_else(|| json!({ "id": id }), |tab| json!({ "id": id, "tabId": tab })) }),
            );
        }
        if places.tabs.iter().any(|tab| tab == id) {
            return Ok(json!({ "tabId": id }));
        }
        let known = places.bookmarks.get(id).cloned();
        known.ok_or_else(|| ("LINK_LOCKED", format!("there is no heading or known bookmark `{id}` in the document")))
    }
}

/// Returns the link to a heading, a tab, or a bookmark that a link of the document leads to, by its id.
pub(in crate::kinds::docs) fn place(document: &Document, tab: &DocumentTab, tab_id: &str, id: &str) -> Option<Value> {
    let named = !id.is_empty();
    named.then(|| Context::new(document, tab, Some(tab_id)).link(&format!("#^{id}")).ok()).flatten()
}

/// The code of a link that waits for the id of a new heading.
pub(super) const LINK_LATER: &str = "LINK_LATER";

/// Tells something once.
fn tell(notices: &mut Notices, code: &str, line: u32, message: String) {
    let notice = Notice { code: code.into(), line, column: 0, message };
    if !notices.0.contains(&notice) {
        notices.0.push(notice);
    }
}

fn refuse_property(property: &Property, number: u32, notices: &mut Notices) {
    let (code, message) = no_value(property);
    tell(notices, code, number, message);
}

/// Code and sentence for a property of which the value means nothing.
pub(super) fn no_value(property: &Property) -> (&'static str, String) {
    let name = &property.name;
    match &property.value {
        _ if matches!(name.as_str(), "suggested-insertion" | "suggested-deletion" | "locked") => {
            ("LOCKED", format!("`{name}` is written by the document alone"))
        }
        PropertyValue::Text(value) => ("STYLE_VALUE", format!("`{value}` is no value for `{name}`")),
        PropertyValue::On | PropertyValue::Off => ("STYLE_VALUE", format!("`{name}` wants a value")),
    }
}

/// What must change in a line where it looks as `has` says and shall look as `wants` says; takes back from
/// `wants` what cannot be.
pub(super) fn text_delta(
    context: &Context<'_>,
    line: &Line,
    has: &Marks,
    wants: &mut Marks,
    number: u32,
    notices: &mut Notices,
) -> Delta {
    let mut delta = Delta::new();
    let footnote = line.segment.as_ref().is_some_and(|id| context.tab.footnotes.contains_key(id));
    let base = Base { tab: context.tab, named: &line.named_style, footnote };
    let (_, invalid) = style::write_text(wants);
    for property in invalid {
        let known = has.properties.contains(&property);
        if !known {
            refuse_property(&property, number, notices);
        }
        let field = style::text_field(&property.name);
        let same = |other: &Property| {
            other.name == property.name || (field.is_some() && style::text_field(&other.name) == field)
        };
        wants.properties.retain(|other| !same(other));
        wants.properties.extend(has.properties.iter().filter(|other| same(other)).cloned());
    }
    crate::mebdf::sort_properties(&mut wants.properties);
    let mut linked = false;
    if has.link != wants.link {
        match wants.link.as_deref().map(|destination| context.link(destination)) {
            None => delta.push(("link", None)),
            Some(Ok(link)) => {
                linked = true;
                delta.push(("link", Some(link)));
            }
            Some(Err((code, message))) => {
                tell(notices, code, number, message);
                wants.link.clone_from(&has.link);
                *wants = style::settled_marks(wants, base);
            }
        }
    }
    let (had, _) = style::write_text(has);
    let (wanted, _) = style::write_text(wants);
    for field in TEXT_FIELDS {
        let (old, new) = (had.get(field), wanted.get(field));
        let by_link = new.is_some_and(|value| style::is_link_look(field, value));
        if old == new {
            // A new link paints its text unless the same request says otherwise.
            if linked && new.is_some() && !by_link && matches!(field, "underline" | "foregroundColor") {
                delta.push((field, new.cloned()));
            }
        } else if !(linked && old.is_none() && by_link) {
            let plain = (footnote && field == "fontSize").then(style::footnote_size);
            let new = new.cloned().map(|value| whole_font(value, base));
            delta.push((field, new.or(plain)));
        }
    }
    delta
}

/// A font cannot be set without its family: a weight alone takes the family that stands there.
fn whole_font(mut value: Value, base: Base<'_>) -> Value {
    if let Value::Object(font) = &mut value
        && font.contains_key("weight")
    {
        font.entry("fontFamily").or_insert_with(|| base.family().unwrap_or("Arial").into());
    }
    value
}

/// What must change at a paragraph that has `found` and shall have `wants`; takes back from `wants` what cannot be.
///
/// `unknown` names the fields whose direct values may be more than `found` shows, as when the named style changes.
pub(super) fn paragraph_delta(
    base: Base<'_>,
    found: &[Property],
    wants: &mut Vec<Property>,
    unknown: &[&'static str],
    number: u32,
    notices: &mut Notices,
) -> Delta {
    let (_, invalid) = style::write_paragraph(wants);
    for property in invalid {
        refuse_property(&property, number, notices);
        let field = style::paragraph_field(&property.name);
        let same = |other: &Property| {
            other.name == property.name || (field.is_some() && style::paragraph_field(&other.name) == field)
        };
        wants.retain(|other| !same(other));
        wants.extend(found.iter().filter(|other| same(other)).cloned());
    }
    crate::mebdf::sort_properties(wants);
    let (had, _) = style::write_paragraph(found);
    let (wanted, _) = style::write_paragraph(wants);
    let mut delta = Delta::new();
    for field in style::PARAGRAPH_FIELDS {
        let (old, new) = (had.get(field), wanted.get(field));
        if old != new || unknown.contains(&field) {
            delta.push((field, new.cloned()));
        }
    }
    for (field, value) in &mut delta {
        if *field == "direction" && value.is_none() {
            // A direction cannot be unset.
            *value = Some(base.paragraph(field).cloned().unwrap_or_else(|| "LEFT_TO_RIGHT".into()));
        }
    }
    delta
}

/// Takes indents that a list gives from what an item asks for, and tells so.
pub(super) fn without_item_indents(look: &mut Look, number: u32, notices: &mut Notices) {
    let is_indent = |name: &str| matches!(name, "indent-left" | "first-line-indent" | "hanging-indent");
    if look.properties.iter().any(|property| is_indent(&property.name)) {
        let message = "the indent of a list item is that of its list; it cannot be set from here".to_owned();
        tell(notices, "LIST_LOCKED", number, message);
        look.properties.retain(|property| !is_indent(&property.name));
    }
}

/// The style and the mask of a request.
pub(super) fn request_style(delta: Delta) -> (Map<String, Value>, String) {
    let fields = delta.iter().map(|(field, _)| *field).collect::<Vec<_>>().join(",");
    let style = delta.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?))).collect();
    (style, fields)
}
