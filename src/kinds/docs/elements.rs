//! The bodies of a document as elements with their places. Pure.

use serde_json::{Map, Value, json};

use super::text::values::{color, link_destination, points};
use crate::gdocs::{Document, DocumentTab, Paragraph, ParagraphElement, StructuralElement, Style, Table};
use crate::kinds::{Apart, ApartKind, Element, Elements, TextRun};
use crate::model::ItemId;

/// Tables in cells of tables, and so on, at most; Docs nests few.
const DEPTH_MAX: usize = 20;

/// Lists what stands in the body of a tab, or of all.
pub(super) fn of(document: &Document, tab: Option<&str>) -> Elements {
    let tabs = document.all_tabs().into_iter().filter(|found| tab.is_none_or(|wanted| found.id() == wanted));
    let tabs: Vec<(&str, &DocumentTab)> = tabs.filter_map(|tab| Some((tab.id(), tab.document_tab.as_ref()?))).collect();
    let bodies = tabs.iter().filter_map(|(id, tab)| Some((id, tab.body.as_ref()?)));
    let elements = bodies.flat_map(|(id, body)| all(&body.content, id, 0)).collect();
    let apart = tabs.iter().flat_map(|(id, tab)| apart(tab, id)).collect();
    Elements { id: ItemId(document.document_id.clone()), title: document.title.clone(), elements, apart }
}

/// What stands beside the body of a tab.
fn apart(tab: &DocumentTab, id: &str) -> Vec<Apart> {
    let one =
        |kind, content: &[StructuralElement]| Apart { kind, tab_id: id.to_owned(), elements: all(content, id, 0) };
    let mut numbers = Vec::new();
    tab.body.iter().for_each(|body| marks(&body.content, &mut numbers, 0));
    let notes = numbers.into_iter().filter_map(|(note, number)| {
        Some(one(ApartKind::Footnote(number.to_owned()), &tab.footnotes.get(note)?.content))
    });
    let margins = [(ApartKind::Header, &tab.headers), (ApartKind::Footer, &tab.footers)];
    let margins = margins.into_iter().flat_map(|(kind, all)| all.values().map(move |segment| (kind.clone(), segment)));
    notes.chain(margins.map(|(kind, segment)| one(kind, &segment.content))).collect()
}

/// The footnotes that some content refers to, by id, with their numbers.
fn marks<'c>(content: &'c [StructuralElement], found: &mut Vec<(&'c str, &'c str)>, depth: usize) {
    for element in content {
        let references = element.paragraph.iter().flat_map(|paragraph| &paragraph.elements);
        for mark in references.filter_map(|element| element.rest.get("footnoteReference")) {
            let said = |key: &str| mark.get(key).and_then(Value::as_str);
            found.extend(said("footnoteId").map(|id| (id, said("footnoteNumber").unwrap_or_default())));
        }
        if depth < DEPTH_MAX {
            let rows = element.table.iter().flat_map(|table| &table.table_rows);
            rows.flat_map(|row| &row.table_cells).for_each(|cell| marks(&cell.content, found, depth + 1));
        }
    }
}

fn all(content: &[StructuralElement], tab: &str, depth: usize) -> Vec<Element> {
    content.iter().map(|element| one(element, tab, depth)).collect()
}

fn one(element: &StructuralElement, tab: &str, depth: usize) -> Element {
    let empty = Element {
        kind: "section_break",
        tab_id: tab.to_owned(),
        start_index: element.start_index.utf16(),
        end_index: element.end_index.utf16(),
        content: None,
        paragraph_style: None,
        nesting_level: None,
        text_runs: None,
        rows: None,
    };
    if let Some(paragraph) = &element.paragraph {
        return of_paragraph(paragraph, empty);
    }
    if let Some(table) = &element.table {
        let rows = if depth < DEPTH_MAX { rows(table, tab, depth + 1) } else { Vec::new() };
        return Element { kind: "table", rows: Some(rows), ..empty };
    }
    if let Some(contents) = &element.table_of_contents {
        let lines: Vec<String> =
            all(&contents.content, tab, depth + 1).into_iter().filter_map(|line| line.content).collect();
        return Element { kind: "table_of_contents", content: Some(lines.join("\n")), ..empty };
    }
    empty
}

fn rows(table: &Table, tab: &str, depth: usize) -> Vec<Vec<Vec<Element>>> {
    let row =
        |row: &crate::gdocs::TableRow| row.table_cells.iter().map(|cell| all(&cell.content, tab, depth)).collect();
    table.table_rows.iter().map(row).collect()
}

fn of_paragraph(paragraph: &Paragraph, empty: Element) -> Element {
    let runs: Vec<TextRun> = paragraph.elements.iter().filter_map(run).collect();
    let style = paragraph.paragraph_style.as_ref().map(paragraph_style).unwrap_or_default();
    Element {
        kind: "paragraph",
        content: Some(runs.iter().map(|run| run.content.as_str()).collect()),
        paragraph_style: Some(style),
        nesting_level: paragraph.bullet.as_ref().map(|bullet| bullet.nesting_level.unwrap_or_default()),
        text_runs: Some(runs),
        ..empty
    }
}

/// A piece of a paragraph; the newline that ends it is none.
fn run(element: &ParagraphElement) -> Option<TextRun> {
    let (start_index, end_index) = (element.start_index.utf16(), element.end_index.utf16());
    let Some(run) = &element.text_run else {
        let object = element.rest.keys().find(|key| key.as_str() != "suggestedInsertionIds").cloned();
        return Some(TextRun { content: String::new(), start_index, end_index, style: Map::new(), object });
    };
    let content = run.content.strip_suffix('\n').unwrap_or(&run.content);
    let end_index = end_index.saturating_sub(u32::from(content.len() < run.content.len()));
    let style = run.text_style.as_ref().map(text_style).unwrap_or_default();
    (end_index > start_index).then(|| TextRun {
        content: content.to_owned(),
        start_index,
        end_index,
        style,
        object: None,
    })
}

fn text_style(Style(fields): &Style) -> Map<String, Value> {
    let flag = |key: &str| fields.get(key).filter(|value| value.is_boolean()).cloned();
    let raised = fields.get("baselineOffset").filter(|offset| *offset != "NONE").cloned();
    let family = fields.get("weightedFontFamily").and_then(|family| family.get("fontFamily")).cloned();
    named([
        ("bold", flag("bold")),
        ("italic", flag("italic")),
        ("underline", flag("underline")),
        ("strikethrough", flag("strikethrough")),
        ("small_caps", flag("smallCaps")),
        ("baseline_offset", raised),
        ("font_size", fields.get("fontSize").and_then(points).map(Value::from)),
        ("font_family", family),
        ("foreground_color", fields.get("foregroundColor").and_then(color).map(Value::from)),
        ("background_color", fields.get("backgroundColor").and_then(color).map(Value::from)),
        ("link_url", fields.get("link").and_then(link_destination).map(Value::from)),
    ])
}

fn paragraph_style(Style(fields): &Style) -> Map<String, Value> {
    named([
        ("heading_type", Some(fields.get("namedStyleType").cloned().unwrap_or_else(|| json!("NORMAL_TEXT")))),
        ("alignment", fields.get("alignment").cloned()),
        ("line_spacing", fields.get("lineSpacing").cloned()),
        ("space_above", fields.get("spaceAbove").and_then(points).map(Value::from)),
        ("space_below", fields.get("spaceBelow").and_then(points).map(Value::from)),
    ])
}

fn named<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
