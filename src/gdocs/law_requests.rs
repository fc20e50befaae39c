//! Random requests of all kinds, for the laws.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Document, StructuralElement, segment_end};

/// Segments of the sample.
const SEGMENTS: &[&str] = &["", "kix.head", "kix.note"];

/// The drop-down definition that random requests speak of.
const DEFINITION: &str = "kix.random";

/// What a request is made of: its kind, a segment and a place in it, another place, a text, a style and its mask.
pub(crate) type Parts = (u8, (&'static str, f64), f64, String, (Value, String));

/// Returns a segment of the first tab, empty when its footnote was deleted.
fn content<'a>(document: &'a Document, segment: &str) -> &'a [StructuralElement] {
    document.tabs.first().unwrap().document_tab.as_ref().unwrap().segment(Some(segment)).unwrap_or_default()
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "B ", "\n", "🙂", "👍🏽", "ที่", "e\u{301}", "ש", "\t", "\u{b}"]),
        1..6,
    )
    .prop_map(|parts| parts.concat())
}

pub(crate) fn place() -> impl Strategy<Value = (&'static str, f64)> {
    (prop::sample::select(SEGMENTS), 0.0..1.0)
}

/// Scales a fraction to an index of a segment.
pub(crate) fn index(document: &Document, segment: &str, fraction: f64) -> u32 {
    scaled(segment_end(content(document, segment)) + 2, fraction)
}

/// Returns a part of `whole`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the fraction is below 1")]
pub(crate) fn scaled(whole: u32, fraction: f64) -> u32 {
    (f64::from(whole) * fraction) as u32
}

fn style() -> impl Strategy<Value = (Value, String)> {
    prop::sample::select(vec![
        (json!({"bold": true}), "bold"),
        (json!({"bold": false, "italic": true}), "bold,italic"),
        (json!({"link": {"url": "https://example.org"}}), "link"),
        (json!({}), "link"),
        (json!({}), "*"),
        (json!({"fontSize": {"magnitude": 18, "unit": "PT"}}), "fontSize"),
        (json!({"weightedFontFamily": {"fontFamily": "Roboto Mono"}}), "weightedFontFamily.fontFamily"),
        (json!({}), "weightedFontFamily.weight"),
        (json!({}), "nonsense"),
        (json!({}), ""),
    ])
    .prop_map(|(style, fields)| (style, fields.to_owned()))
}

/// Requests of the kinds whose effect on text is spliced by the laws one by one.
pub(crate) fn request() -> impl Strategy<Value = Parts> {
    (0..11u8, place(), 0.0..1.0, text(), style())
}

/// Requests of all kinds.
pub(crate) fn any_request() -> impl Strategy<Value = Parts> {
    (0..50u8, place(), 0.0..1.0, text(), style())
}

/// Returns where the tables of a segment start.
fn tables(content: &[StructuralElement], starts: &mut Vec<u32>) {
    for element in content.iter().filter(|element| element.table.is_some()) {
        starts.push(element.start_index.utf16());
        for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
            tables(&cell.content, starts);
        }
    }
}

/// Makes a raw request of random parts.
pub(crate) fn build(document: &Document, parts: &Parts) -> Value {
    let (kind, (segment, from), to, text, (style, fields)) = parts;
    let (from, to) = (index(document, segment, *from), index(document, segment, *to));
    let range = json!({"startIndex": from.min(to), "endIndex": from.max(to), "segmentId": segment});
    let short = json!({"startIndex": from, "endIndex": from + 1 + to % 9, "segmentId": segment});
    let heading = format!("HEADING_{}", 1 + to % 6);
    let preset = ["BULLET_DISC_CIRCLE_SQUARE", "NUMBERED_DECIMAL_NESTED", "BULLET_CHECKBOX"][to as usize % 3];
    match kind {
        0 => json!({"insertText": {"location": {"index": from, "segmentId": segment}, "text": text}}),
        1 => json!({"insertText": {"endOfSegmentLocation": {"segmentId": segment}, "text": text}}),
        2 => json!({"deleteContentRange": {"range": range}}),
        3 => json!({"deleteContentRange": {"range": short}}),
        4 => json!({"updateTextStyle": {"range": short, "textStyle": style, "fields": fields}}),
        5 => json!({"updateParagraphStyle": {"range": range, "paragraphStyle": {"namedStyleType": heading},
            "fields": "namedStyleType"}}),
        6 => json!({"createNamedRange": {"range": range, "name": "random"}}),
        7 => json!({"createParagraphBullets": {"range": short, "bulletPreset": preset}}),
        8 => json!({"createParagraphBullets": {"range": range, "bulletPreset": preset}}),
        9 => json!({"deleteParagraphBullets": {"range": short}}),
        10 => json!({"insertTable": {"location": {"index": from, "segmentId": segment}, "rows": to % 4, "columns": 2}}),
        11..=24 => build_table(document, *kind, segment, (from, to)),
        25..=34 => build_element(document, *kind, segment, from),
        _ => build_other(document, *kind, (from, to), text),
    }
}

/// Makes a request about a table.
fn build_table(document: &Document, kind: u8, segment: &str, (from, to): (u32, u32)) -> Value {
    let mut starts = Vec::new();
    tables(content(document, segment), &mut starts);
    let start = starts.get(from as usize % starts.len().max(1)).copied().unwrap_or(from);
    let start = json!({"index": start, "segmentId": segment});
    let cell = json!({"tableStartLocation": start, "rowIndex": to % 3, "columnIndex": to / 3 % 3});
    let part = json!({"tableCellLocation": cell, "rowSpan": 1 + from % 3, "columnSpan": 1 + from / 3 % 3});
    let after = to % 2 == 0;
    let border = json!({"borderLeft": {"width": {"magnitude": 2, "unit": "PT"}}});
    match kind {
        11 | 12 => json!({"insertTableRow": {"tableCellLocation": cell, "insertBelow": after}}),
        13 | 14 => json!({"insertTableColumn": {"tableCellLocation": cell, "insertRight": after}}),
        15 => json!({"deleteTableRow": {"tableCellLocation": cell}}),
        16 => json!({"deleteTableColumn": {"tableCellLocation": cell}}),
        17..=19 => json!({"mergeTableCells": {"tableRange": part}}),
        20 => json!({"unmergeTableCells": {"tableRange": part}}),
        21 => json!({"pinTableHeaderRows": {"tableStartLocation": start, "pinnedHeaderRowsCount": to % 3}}),
        22 => json!({"updateTableCellStyle": {"tableRange": part, "tableCellStyle": border, "fields": "borderLeft"}}),
        23 => json!({"updateTableColumnProperties": {"tableStartLocation": start, "columnIndices": [to % 3],
            "tableColumnProperties": {"width": {"magnitude": 3 + from, "unit": "PT"}}, "fields": "width"}}),
        _ => json!({"updateTableRowStyle": {"tableStartLocation": start, "rowIndices": [to % 3], "fields": "*"}}),
    }
}

/// Makes a request that inserts one element.
fn build_element(document: &Document, kind: u8, segment: &str, from: u32) -> Value {
    let at = json!({"index": from, "segmentId": segment});
    let uri = "https://docs.google.com/document/d/x";
    // The image of the sample has no properties; one that a request made has.
    let images = &document.tabs.first().unwrap().document_tab.as_ref().unwrap().inline_objects;
    let image = images.keys().find(|id| *id != "kix.image").map_or("kix.image", String::as_str);
    match kind {
        25 | 26 => json!({"createFootnote": {"location": at}}),
        27 => json!({"insertPageBreak": {"location": at}}),
        28 => json!({"insertSectionBreak": {"location": at, "sectionType": "NEXT_PAGE"}}),
        29 => json!({"insertPerson": {"location": at, "personProperties": {"email": "a@example.com"}}}),
        30 => json!({"insertDate": {"location": at, "dateElementProperties": {"timestamp": "2026-11-21T09:00:00Z"}}}),
        31 => json!({"insertRichLink": {"location": at, "richLinkProperties": {"uri": uri}}}),
        32 => json!({"insertInlineImage": {"location": at, "uri": "https://example.com/a.png"}}),
        33 => json!({"insertDropdown": {"location": at, "dropdownDefinitionId": DEFINITION}}),
        _ => {
            json!({"replaceImage": {"imageObjectId": image, "uri": "https://a.b/c"}})
        }
    }
}

/// Makes a request about the document, its tabs, its text as a whole.
fn build_other(document: &Document, kind: u8, (from, to): (u32, u32), text: &str) -> Value {
    let tab = document.all_tabs().get(to as usize % 3).map_or("t.none", |tab| tab.id()).to_owned();
    let breaks: Vec<u32> = content(document, "")
        .iter()
        .filter(|element| element.section_break.is_some())
        .map(|element| element.start_index.utf16())
        .collect();
    let section = json!({"index": breaks.get(from as usize % breaks.len().max(1)).copied().unwrap_or(0)});
    let range = json!({"startIndex": from, "endIndex": from + to});
    let moved = ["index", "parentTabId", "index,parentTabId"][from as usize % 3];
    let points = json!({"magnitude": 40, "unit": "PT"});
    let what = ["e", "o", "a", "in", "🙂", "ZZZ"][from as usize % 6];
    let options = json!([{"optionId": "dropdownItem.aa"}, {"optionId": "dropdownItem.bb"}, {"displayValue": text}]);
    match kind {
        35 => json!({"createHeader": {"type": "DEFAULT", "sectionBreakLocation": section}}),
        36 => json!({"createFooter": {"type": "DEFAULT"}}),
        37 => json!({"deleteHeader": {"headerId": "kix.head"}}),
        38 => json!({"updateSectionStyle": {"range": range, "sectionStyle": {"marginLeft": points,
            "columnProperties": [{}, {}]}, "fields": "marginLeft,columnProperties"}}),
        39 => json!({"updateDocumentStyle": {"documentStyle": {"marginLeft": points}, "fields": "marginLeft"}}),
        40 => json!({"updateNamedStyle": {"namedStyle": {"namedStyleType": "HEADING_2", "textStyle": {"bold": true}},
            "fields": "textStyle.bold"}}),
        41 | 42 => json!({"replaceAllText": {"containsText": {"text": what}, "replaceText": text}}),
        43 => json!({"replaceAllText": {"containsText": {"text": "[aeo]+", "searchByRegex": true}, "replaceText": ""}}),
        44 => json!({"replaceNamedRangeContent": {"namedRangeName": "random", "text": text}}),
        45 => json!({"addDocumentTab": {"tabProperties": {"parentTabId": tab}}}),
        46 => json!({"deleteTab": {"tabId": tab}}),
        47 => json!({"updateDocumentTabProperties": {"tabProperties": {"tabId": tab, "parentTabId": "t.0",
            "index": from % 3}, "fields": moved}}),
        48 => json!({"createDropdownDefinition": {"dropdownDefinition": {"dropdownDefinitionId": DEFINITION,
            "dropdownDefinitionProperties": {"title": "d", "options": options}}}}),
        _ => json!({"deleteDropdownDefinition": {"dropdownDefinitionId": DEFINITION}}),
    }
}
