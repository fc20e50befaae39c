//! `createFootnote`, `insertPageBreak` and `insertSectionBreak`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#createfootnoterequest>

use serde_json::{Map, Value, json};

use super::apply::place_of;
use super::batch::Batch;
use super::document::{Paragraph, ParagraphElement, Position, Segment as Content, StructuralElement, Style};
use super::index::relayout;
use super::insert::{Insertion, insert_text};
use super::locate::{find_paragraph, siblings_mut};
use super::objects;
use super::quirks;
use super::refusal::Refusal;
use super::request::{
    CreateFootnote, EndOfSegmentLocation, InsertPageBreak, InsertSectionBreak, Location, SectionType,
};
use super::segment::{Address, Segment};

/// Returns where an element goes.
///
/// # Errors
///
/// A refusal unless exactly one of the two is said.
pub(crate) fn place(
    at: Option<&Location>,
    end: Option<&EndOfSegmentLocation>,
) -> Result<(Option<u32>, Address), Refusal> {
    place_of(at, end).ok_or_else(|| Refusal::invalid(quirks::NO_ELEMENT_LOCATION))
}

/// Makes an object that has a text style, which is filled in where it is inserted.
pub(crate) fn object(key: &str, mut fields: Map<String, Value>) -> ParagraphElement {
    fields.insert("textStyle".to_owned(), json!({}));
    ParagraphElement {
        end_index: Position::at(1),
        rest: Map::from_iter([(key.to_owned(), Value::Object(fields))]),
        ..ParagraphElement::default()
    }
}

/// Inserts an object of one unit before `index`, or before the last newline for `None`; returns its style.
///
/// # Errors
///
/// Google's refusals of a place outside the paragraphs and inside a character.
pub(crate) fn insert_object(
    segment: &mut Segment<'_>,
    index: Option<u32>,
    mut element: ParagraphElement,
) -> Result<Value, Refusal> {
    let (at, style) = {
        let insertion = Insertion::open(segment.content, index, 1)?;
        let key = element.raw().map(|(key, _)| key.to_owned()).unwrap_or_default();
        let style = Value::Object(insertion.style().0);
        if let Some(slot) = element.rest.get_mut(&key).and_then(|object| object.get_mut("textStyle")) {
            *slot = style.clone();
        }
        insertion.paragraph.elements.insert(insertion.at, element);
        (insertion.index, style)
    };
    relayout(segment.content);
    segment.inserted(at, 1);
    Ok(style)
}

/// Carries out `createFootnote`.
///
/// # Errors
///
/// Google's refusals of a place outside the body and outside the paragraphs.
pub(crate) fn create_footnote(batch: &mut Batch, request: &CreateFootnote) -> Result<Value, Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    check_body(&address, quirks::FOOTNOTE_OUTSIDE_BODY)?;
    batch.in_segment(&address, |segment| {
        let id = segment.ids.draw("kix.");
        let fields = Map::from_iter([
            ("footnoteId".to_owned(), json!(id)),
            // The right number follows from the order of all.
            ("footnoteNumber".to_owned(), json!("1")),
        ]);
        insert_object(segment, index, object("footnoteReference", fields))?;
        segment.tab.footnotes.insert(id.clone(), footnote(&id));
        if quirks::FOOTNOTES_ARE_RENUMBERED {
            objects::renumber(segment.content, &mut 0);
        }
        Ok(json!({ "createFootnote": { "footnoteId": id } }))
    })
}

/// Makes the text of a new footnote: a blank, small, as recorded.
fn footnote(id: &str) -> Content {
    let style = json!({ "fontSize": { "magnitude": 10, "unit": "PT" } });
    let paragraph = json!({ "namedStyleType": "NORMAL_TEXT", "lineSpacing": 100, "direction": "LEFT_TO_RIGHT" });
    new_segment("footnoteId", id, " \n", style_of(style), style_of(paragraph))
}

/// Makes a segment of one paragraph.
pub(crate) fn new_segment(key: &str, id: &str, text: &str, text_style: Style, paragraph_style: Style) -> Content {
    let paragraph = Paragraph {
        elements: vec![ParagraphElement::of_text(text.to_owned(), text_style)],
        paragraph_style: Some(paragraph_style),
        ..Paragraph::default()
    };
    let mut content = vec![StructuralElement { paragraph: Some(paragraph), ..StructuralElement::default() }];
    relayout(&mut content);
    Content { content, rest: Map::from_iter([(key.to_owned(), json!(id))]) }
}

/// Makes a style of an object.
pub(crate) fn style_of(value: Value) -> Style {
    match value {
        Value::Object(fields) => Style(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Style::default(),
    }
}

/// Carries out `insertPageBreak`: a page break and a newline behind it.
///
/// # Errors
///
/// Google's refusals of a place outside the body, in a table and outside the paragraphs.
pub(crate) fn insert_page_break(batch: &mut Batch, request: &InsertPageBreak) -> Result<(), Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    check_body(&address, quirks::PAGE_BREAK_OUTSIDE_BODY)?;
    batch.in_segment(&address, |segment| {
        check_outside_tables(segment.content, index, quirks::PAGE_BREAK_IN_TABLE)?;
        let (at, width) = insert_text(segment.content, index, "\n", segment.ids)?;
        segment.inserted(at, width);
        insert_object(segment, Some(at), object("pageBreak", Map::new()))?;
        Ok(())
    })
}

/// Carries out `insertSectionBreak`: a newline and a section break behind it.
///
/// # Errors
///
/// Google's refusals of a place outside the body, in a table and outside the paragraphs, and of no type.
pub(crate) fn insert_section_break(batch: &mut Batch, request: &InsertSectionBreak) -> Result<(), Refusal> {
    let kind = match request.section_type {
        SectionType::SectionTypeUnspecified => return Err(Refusal::invalid(quirks::NO_SECTION_TYPE)),
        SectionType::Continuous => "CONTINUOUS",
        SectionType::NextPage => "NEXT_PAGE",
    };
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    check_body(&address, quirks::SECTION_BREAK_OUTSIDE_BODY)?;
    batch.in_segment(&address, |segment| {
        check_outside_tables(segment.content, index, quirks::SECTION_BREAK_IN_TABLE)?;
        let (at, newline) = insert_text(segment.content, index, "\n", segment.ids)?;
        let outside = || Refusal::invalid(quirks::OUTSIDE_PARAGRAPH);
        let spot = find_paragraph(segment.content, at).ok_or_else(outside)?;
        let style = section_style(segment.content, spot.at, kind);
        let siblings = siblings_mut(segment.content, &spot.path).ok_or_else(outside)?;
        let element = StructuralElement {
            section_break: Some(json!({ "sectionStyle": style })),
            end_index: Position::at(1),
            ..StructuralElement::default()
        };
        siblings.insert(spot.at + 1, element);
        relayout(segment.content);
        segment.inserted(at, newline + 1);
        Ok(())
    })
}

/// Returns the style of a new section: that of the one it is cut from, which keeps its headers and footers.
fn section_style(content: &[StructuralElement], before: usize, kind: &str) -> Value {
    let plain = || json!({ "columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT" });
    let breaks = content.iter().take(before + 1).rev().find_map(|element| element.section_break.as_ref());
    let mut style = breaks.and_then(|own| own.get("sectionStyle")).filter(|style| style.is_object()).cloned();
    if let Some(Value::Object(fields)) = &mut style {
        fields.retain(|key, _| !key.ends_with("HeaderId") && !key.ends_with("FooterId") && key != "pageNumberStart");
    }
    let mut style = style.unwrap_or_else(plain);
    if let Value::Object(fields) = &mut style {
        fields.insert("sectionType".to_owned(), json!(kind));
    }
    style
}

/// Refuses another segment than the body.
fn check_body(address: &Address, message: &str) -> Result<(), Refusal> {
    if address.segment().is_empty() { Ok(()) } else { Err(Refusal::invalid(message)) }
}

/// Refuses a place in a table; other bad places are refused where the text goes in.
fn check_outside_tables(content: &[StructuralElement], index: Option<u32>, message: &str) -> Result<(), Refusal> {
    let spot = index.and_then(|index| find_paragraph(content, index));
    if spot.is_some_and(|spot| !spot.path.is_empty()) { Err(Refusal::invalid(message)) } else { Ok(()) }
}
