//! `updateSectionStyle`, `updateDocumentStyle` and `updateNamedStyle`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#updatesectionstylerequest>

use serde_json::{Map, Value, json};

use super::batch::Batch;
use super::document::{DocumentTab, NamedStyle, NamedStyles, Style};
use super::glyphs::dimension;
use super::index::segment_end;
use super::locate::check_range;
use super::mask::Mask;
use super::new_document::new_document;
use super::page::{object_mut, section_style_mut};
use super::quirks;
use super::refusal::Refusal;
use super::request::{UpdateDocumentStyle, UpdateNamedStyle, UpdateSectionStyle};
use super::schema::{DOCUMENT_STYLE, NAMED_STYLE, PARAGRAPH_STYLE, SECTION_STYLE, TEXT_STYLE};
use super::segment::Address;
use super::style_values::{check_paragraph, check_text};

/// Margins of the page; set on the document they are cleared on all sections.
const MARGINS: [&str; 4] = ["marginTop", "marginBottom", "marginRight", "marginLeft"];

/// Margins of header and footer.
const OUTER_MARGINS: [&str; 2] = ["marginHeader", "marginFooter"];

/// Carries out `updateSectionStyle`.
///
/// # Errors
///
/// Google's refusals of a bad range or mask, of a field that is not set, and of more than three columns.
pub(crate) fn update_section(batch: &mut Batch, request: &UpdateSectionStyle) -> Result<(), Refusal> {
    let address = Address::from(&request.range);
    if !address.segment().is_empty() {
        return Err(Refusal::invalid(quirks::SECTION_OUTSIDE_BODY));
    }
    let mask = Mask::read(&request.fields, SECTION_STYLE)?;
    let values = &request.section_style.0;
    if let Some(name) = mask.names_of_fields().find(|name| values.get(*name).is_none_or(Value::is_null)) {
        return Err(Refusal::invalid(quirks::must_be_set(name)));
    }
    check_columns(values)?;
    batch.in_segment(&address, |segment| {
        let (start, end) = check_range(&request.range, segment.content)?;
        let page = segment.tab.document_style.clone().unwrap_or(Value::Null);
        let mut section_end = segment_end(segment.content);
        for element in segment.content.iter_mut().rev() {
            let section_start = element.start_index.utf16();
            let Some(section_break) = &mut element.section_break else { continue };
            if section_start < end
                && start < section_end
                && let Some(style) = section_style_mut(section_break)
            {
                mask.copy(values, style, &[]);
                lay_columns(style, &page);
            }
            section_end = section_start;
        }
        if OUTER_MARGINS.iter().any(|name| mask.names(name)) {
            use_custom_margins(segment.tab);
        }
        Ok(())
    })
}

/// Notes that margins of header and footer were set by hand.
fn use_custom_margins(tab: &mut DocumentTab) {
    if let Some(style) = object_mut(tab.document_style.get_or_insert(Value::Null)) {
        style.insert("useCustomHeaderFooterMargins".to_owned(), json!(true));
    }
}

/// Checks the columns that a request sets.
fn check_columns(values: &Map<String, Value>) -> Result<(), Refusal> {
    let columns = values.get("columnProperties").and_then(Value::as_array);
    let columns = columns.map(Vec::as_slice).unwrap_or_default();
    if columns.len() > quirks::MAX_SECTION_COLUMNS {
        return Err(Refusal::invalid(quirks::TOO_MANY_SECTION_COLUMNS));
    }
    if columns.iter().any(|column| column.get("width").is_some()) {
        return Err(Refusal::invalid(quirks::output_only("section_style.column_properties.width")));
    }
    Ok(())
}

/// Divides the width between the margins among the columns of a section.
fn lay_columns(style: &mut Map<String, Value>, page: &Value) {
    let points = |value: Option<&Value>| value.and_then(|value| value.get("magnitude")).and_then(Value::as_f64);
    let margin = |key: &str| points(style.get(key)).or_else(|| points(page.get(key))).unwrap_or(0.0);
    let room = points(page.pointer("/pageSize/width")).unwrap_or(0.0) - margin("marginLeft") - margin("marginRight");
    let Some(Value::Array(columns)) = style.get_mut("columnProperties") else { return };
    let last = columns.len().saturating_sub(1);
    let mut gaps = 0.0;
    for (at, column) in columns.iter_mut().enumerate() {
        let Some(fields) = object_mut(column) else { continue };
        if at == last {
            fields.insert("paddingEnd".to_owned(), json!({ "unit": "PT" }));
        } else {
            let gap = fields.entry("paddingEnd").or_insert_with(|| dimension(quirks::SECTION_COLUMN_GAP));
            gaps += points(Some(gap)).unwrap_or(0.0);
        }
    }
    let count = f64::from(u32::try_from(columns.len()).unwrap_or(1).max(1));
    let width = ((room - gaps) / count).max(0.0);
    for fields in columns.iter_mut().filter_map(Value::as_object_mut) {
        fields.insert("width".to_owned(), json!({ "magnitude": width, "unit": "PT" }));
    }
}

/// Carries out `updateDocumentStyle`.
///
/// # Errors
///
/// Google's refusals of a bad mask and of an unknown tab.
pub(crate) fn update_document(batch: &mut Batch, request: &UpdateDocumentStyle) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, DOCUMENT_STYLE)?;
    let (tab, _) = batch.tab(request.tab_id.as_deref())?;
    let Some(style) = object_mut(tab.document_style.get_or_insert(Value::Null)) else { return Ok(()) };
    mask.copy(&request.document_style.0, style, &[]);
    let plain = plain_tab().document_style.unwrap_or(Value::Null);
    for name in mask.names_of_fields() {
        // What is reset goes back to what a new document has.
        if let Some(value) = plain.get(name).filter(|_| !style.contains_key(name)) {
            style.insert(name.to_owned(), value.clone());
        }
    }
    if OUTER_MARGINS.iter().any(|name| mask.names(name)) {
        use_custom_margins(tab);
    }
    let page = tab.document_style.clone().unwrap_or(Value::Null);
    let content = tab.body.iter_mut().flat_map(|body| &mut body.content);
    for section_break in content.filter_map(|element| element.section_break.as_mut()) {
        if let Some(style) = section_break.get_mut("sectionStyle").and_then(Value::as_object_mut) {
            style.retain(|key, _| !(MARGINS.contains(&key.as_str()) && mask.names(key)));
            lay_columns(style, &page);
        }
    }
    Ok(())
}

/// Returns the tab of a new document.
fn plain_tab() -> DocumentTab {
    new_document("", "").tabs.into_iter().next().and_then(|tab| tab.document_tab).unwrap_or_default()
}

/// Carries out `updateNamedStyle`.
///
/// # Errors
///
/// Google's refusals of a bad mask, of no named style type and of an unknown tab.
pub(crate) fn update_named(batch: &mut Batch, request: &UpdateNamedStyle) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, NAMED_STYLE)?;
    let kind = request.named_style.named_style_type.as_str();
    if kind.is_empty() || kind.ends_with("_UNSPECIFIED") {
        return Err(Refusal::invalid(quirks::NO_NAMED_STYLE));
    }
    let text = mask.inner("textStyle", TEXT_STYLE)?;
    let paragraph = mask.inner("paragraphStyle", PARAGRAPH_STYLE)?;
    if let (Some(mask), Some(given)) = (&text, &request.named_style.text_style) {
        check_text(mask, &given.0)?;
    }
    if let (Some(mask), Some(given)) = (&paragraph, &request.named_style.paragraph_style) {
        check_paragraph(mask, &given.0)?;
    }
    let (tab, _) = batch.tab(request.tab_id.as_deref())?;
    let plain = if kind == "NORMAL_TEXT" { plain_tab().named_style(kind).cloned() } else { None };
    let plain = plain.unwrap_or_default();
    let own = named_style_mut(tab, kind);
    let fill = |mask: &Mask, given: Option<&Style>, plain: Option<&Style>, own: &mut Option<Style>| {
        let nothing = Style::default();
        let own = &mut own.get_or_insert_with(Style::default).0;
        mask.copy(&given.unwrap_or(&nothing).0, own, &["namedStyleType", "direction"]);
        for name in mask.names_of_fields() {
            if let Some(value) = plain.and_then(|plain| plain.0.get(name)).filter(|_| !own.contains_key(name)) {
                own.insert(name.to_owned(), value.clone());
            }
        }
        if mask.names("direction")
            && let Some(direction) = given.and_then(|given| given.0.get("direction"))
        {
            own.insert("direction".to_owned(), direction.clone());
        }
    };
    if let Some(mask) = text {
        fill(&mask, request.named_style.text_style.as_ref(), plain.text_style.as_ref(), &mut own.text_style);
    }
    if let Some(mask) = paragraph {
        let given = request.named_style.paragraph_style.as_ref();
        fill(&mask, given, plain.paragraph_style.as_ref(), &mut own.paragraph_style);
    }
    Ok(())
}

/// Returns a named style, made when it is absent.
fn named_style_mut<'a>(tab: &'a mut DocumentTab, kind: &str) -> &'a mut NamedStyle {
    let styles = &mut tab.named_styles.get_or_insert_with(|| NamedStyles::default().into()).make_mut().styles;
    let at = styles.iter().position(|style| style.named_style_type == kind).unwrap_or(styles.len());
    if at == styles.len() {
        styles.push(NamedStyle { named_style_type: kind.to_owned(), ..NamedStyle::default() });
    }
    &mut styles[at]
}
