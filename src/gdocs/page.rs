//! `createHeader`, `createFooter`, `deleteHeader` and `deleteFooter`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#createheaderrequest>

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::batch::Batch;
use super::delete::{Removed, collect};
use super::document::{DocumentTab, Segment, StructuralElement, Style};
use super::elements::{new_segment, style_of};
use super::quirks;
use super::refusal::Refusal;
use super::request::{CreateFooter, CreateHeader, DeleteFooter, DeleteHeader, HeaderFooterType, Location};
use super::{named_range, objects};

/// Headers or footers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Headers.
    Header,
    /// Footers.
    Footer,
}

impl Part {
    /// Returns the word for it.
    const fn word(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Footer => "footer",
        }
    }

    /// Returns the key of the default one in a style.
    const fn default_key(self) -> &'static str {
        match self {
            Self::Header => "defaultHeaderId",
            Self::Footer => "defaultFooterId",
        }
    }

    /// Returns the end of all keys that name one.
    const fn key_end(self) -> &'static str {
        match self {
            Self::Header => "HeaderId",
            Self::Footer => "FooterId",
        }
    }

    /// Returns all of them.
    const fn all(self, tab: &mut DocumentTab) -> &mut BTreeMap<String, Segment> {
        match self {
            Self::Header => &mut tab.headers,
            Self::Footer => &mut tab.footers,
        }
    }
}

/// Carries out `createHeader`.
///
/// # Errors
///
/// Google's refusal when there is one; refusals of no type and of a place that is no section break.
pub(crate) fn create_header(batch: &mut Batch, request: &CreateHeader) -> Result<Value, Refusal> {
    let id = create(batch, Part::Header, request.r#type, request.section_break_location.as_ref())?;
    Ok(json!({ "createHeader": { "headerId": id } }))
}

/// Carries out `createFooter`.
///
/// # Errors
///
/// As for `createHeader`.
pub(crate) fn create_footer(batch: &mut Batch, request: &CreateFooter) -> Result<Value, Refusal> {
    let id = create(batch, Part::Footer, request.r#type, request.section_break_location.as_ref())?;
    Ok(json!({ "createFooter": { "footerId": id } }))
}

/// Makes a header or footer of one empty paragraph and returns its id.
fn create(batch: &mut Batch, part: Part, kind: HeaderFooterType, at: Option<&Location>) -> Result<String, Refusal> {
    if kind == HeaderFooterType::HeaderFooterTypeUnspecified {
        return Err(Refusal::invalid(quirks::no_header_type(part.word())));
    }
    if at.is_some_and(|at| at.segment_id.as_deref().is_some_and(|segment| !segment.is_empty())) {
        return Err(Refusal::invalid(quirks::NO_SECTION_BREAK));
    }
    let (tab, ids) = batch.tab(at.and_then(|at| at.tab_id.as_deref()))?;
    let id = ids.draw("kix.");
    let style = section_or_document(tab, at)?;
    if style.contains_key(part.default_key()) {
        return Err(Refusal::invalid(quirks::already_exists(part.word())));
    }
    style.insert(part.default_key().to_owned(), json!(id));
    let paragraph = json!({ "namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT" });
    let made = new_segment(&format!("{}Id", part.word()), &id, "\n", Style::default(), style_of(paragraph));
    part.all(tab).insert(id.clone(), made);
    Ok(id)
}

/// Returns the style that a new header belongs to: that of the section a break begins, or that of the document for
/// the first section.
fn section_or_document<'a>(
    tab: &'a mut DocumentTab,
    at: Option<&Location>,
) -> Result<&'a mut Map<String, Value>, Refusal> {
    let index = at.map_or(0, |at| at.index);
    let missing = || Refusal::invalid(quirks::NO_SECTION_BREAK);
    if index == 0 {
        return object_mut(tab.document_style.get_or_insert(Value::Null)).ok_or_else(missing);
    }
    let content = tab.body.iter_mut().flat_map(|body| &mut body.content);
    let section_break = content
        .filter(|element| element.start_index.utf16() == index)
        .find_map(|element| element.section_break.as_mut())
        .ok_or_else(missing)?;
    section_style_mut(section_break).ok_or_else(missing)
}

/// Returns the style of a section, made when it is absent.
pub(crate) fn section_style_mut(section_break: &mut Value) -> Option<&mut Map<String, Value>> {
    let fields = object_mut(section_break)?;
    object_mut(fields.entry("sectionStyle").or_insert(Value::Null))
}

/// Returns a value as an object, made one when it is none.
pub(crate) fn object_mut(value: &mut Value) -> Option<&mut Map<String, Value>> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// Carries out `deleteHeader`.
///
/// # Errors
///
/// A refusal of a header that there is not.
pub(crate) fn delete_header(batch: &mut Batch, request: &DeleteHeader) -> Result<(), Refusal> {
    delete(batch, Part::Header, &request.header_id, request.tab_id.as_deref())
}

/// Carries out `deleteFooter`.
///
/// # Errors
///
/// A refusal of a footer that there is not.
pub(crate) fn delete_footer(batch: &mut Batch, request: &DeleteFooter) -> Result<(), Refusal> {
    delete(batch, Part::Footer, &request.footer_id, request.tab_id.as_deref())
}

/// Deletes a header or footer, the references to it, and what hangs on its text.
fn delete(batch: &mut Batch, part: Part, id: &str, tab_id: Option<&str>) -> Result<(), Refusal> {
    let (tab, _) = batch.tab(tab_id)?;
    let gone = part.all(tab).remove(id).ok_or_else(|| Refusal::invalid(quirks::unknown_segment(id)))?;
    named_range::forget_segment(tab, id);
    let names = |key: &String, value: &Value| key.ends_with(part.key_end()) && value.as_str() == Some(id);
    if let Some(Value::Object(style)) = &mut tab.document_style {
        style.retain(|key, value| !names(key, value));
    }
    let content = tab.body.iter_mut().flat_map(|body| &mut body.content);
    for section_break in content.filter_map(|element| element.section_break.as_mut()) {
        if let Some(style) = section_break.get_mut("sectionStyle").and_then(Value::as_object_mut) {
            style.retain(|key, value| !names(key, value));
        }
    }
    let mut removed = Removed::default();
    for element in gone.content {
        collect(element, &mut removed);
    }
    let nothing: &mut [StructuralElement] = &mut [];
    objects::forget(tab, nothing, &removed);
    Ok(())
}
