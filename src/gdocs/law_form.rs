//! What every sound document is like, for the laws.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Document, DocumentTab, Paragraph, StructuralElement, Tab, Table, reindex, segment_end};

/// Returns one unit for each index of a segment; markers of the structure are 1, objects U+FFFC.
pub(crate) fn flat(content: &[StructuralElement], units: &mut Vec<u16>) {
    for element in content {
        if let Some(paragraph) = &element.paragraph {
            for element in &paragraph.elements {
                match element.text() {
                    Some(text) => units.extend(text.encode_utf16()),
                    None => units.extend(std::iter::repeat_n(0xFFFC, element.width_utf16() as usize)),
                }
            }
        } else if let Some(table) = &element.table {
            units.push(1);
            for row in &table.table_rows {
                units.push(1);
                for cell in &row.table_cells {
                    units.push(1);
                    flat(&cell.content, units);
                }
            }
            units.push(1);
        } else if let Some(toc) = &element.table_of_contents {
            units.push(1);
            flat(&toc.content, units);
            units.push(1);
        } else {
            units.push(1);
        }
    }
}

/// Returns the units of a segment, none when it is not there.
pub(crate) fn flat_of(document: &Document, tab: Option<&str>, segment: &str) -> Vec<u16> {
    let content = document.tab(tab).and_then(|tab| tab.document_tab.as_ref()?.segment(Some(segment)));
    let mut units = Vec::new();
    flat(content.unwrap_or_default(), &mut units);
    units
}

/// Checks that a document is well formed: indices, newlines, tables, ids that are referred to, tabs.
pub(crate) fn check_form(document: &Document) {
    let before = serde_json::to_value(document).unwrap();
    let mut again = document.clone();
    let mut ids = BTreeSet::new();
    for tab in document.all_tabs() {
        assert!(ids.insert(tab.id().to_owned()), "{} twice", tab.id());
        let tab = again.tab_mut(Some(tab.id())).unwrap().document_tab.as_mut().unwrap();
        check_tab(tab);
    }
    assert_eq!(serde_json::to_value(&again).unwrap(), before);
    check_siblings(&document.tabs, None, 0);
}

fn check_siblings(tabs: &[Tab], parent: Option<&str>, level: u32) {
    assert!(level < 3 || tabs.is_empty());
    for (at, tab) in tabs.iter().enumerate() {
        let own = tab.tab_properties.as_ref().unwrap();
        assert_eq!(own.index.map(|index| index as usize), Some(at));
        assert_eq!((own.parent_tab_id.as_deref(), own.nesting_level.unwrap_or(0)), (parent, level));
        check_siblings(&tab.child_tabs, Some(tab.id()), level + 1);
    }
}

fn check_tab(tab: &mut DocumentTab) {
    let ids: Vec<Option<String>> = tab.segment_ids().into_iter().map(|id| id.map(str::to_owned)).collect();
    let mut notes = BTreeSet::new();
    for id in ids {
        let mut content = std::mem::take(tab.segment_mut(id.as_deref()).unwrap());
        assert_eq!(reindex(&mut content), 0);
        check_content(tab, &content, &mut notes);
        let end = segment_end(&content);
        assert!(content.last().is_some_and(|last| last.paragraph.is_some()));
        let ranges = tab.named_ranges.values().flat_map(|group| &group.named_ranges).flat_map(|named| &named.ranges);
        for range in ranges.filter(|range| range.segment_id == id) {
            assert!(range.start_index.unwrap_or(0) < range.end_index.unwrap() && range.end_index.unwrap() <= end);
        }
        *tab.segment_mut(id.as_deref()).unwrap() = content;
    }
    assert_eq!(notes, tab.footnotes.keys().cloned().collect::<BTreeSet<_>>());
    check_references(tab, tab.document_style.as_ref());
}

/// Checks that the headers and footers that a style names are there.
fn check_references(tab: &DocumentTab, style: Option<&Value>) {
    for id in super::objects::references(style) {
        assert!(tab.headers.contains_key(id) || tab.footers.contains_key(id), "{id}");
    }
}

fn check_content(tab: &DocumentTab, content: &[StructuralElement], notes: &mut BTreeSet<String>) {
    for (at, element) in content.iter().enumerate() {
        if let Some(paragraph) = &element.paragraph {
            check_paragraph(tab, paragraph, notes);
        }
        if let Some(table) = &element.table {
            assert!(
                content.get(at + 1).is_some_and(|next| next.table.is_none()),
                "a table stands right behind a table"
            );
            check_table(table);
            for cell in table.table_rows.iter().flat_map(|row| &row.table_cells) {
                assert!(cell.content.last().is_some_and(|last| last.paragraph.is_some()), "{cell:?}");
                check_content(tab, &cell.content, notes);
            }
        }
        check_references(tab, element.section_break.as_ref().and_then(|own| own.get("sectionStyle")));
    }
}

fn check_table(table: &Table) {
    let columns = super::table::columns_of(table);
    assert!(table.rows.is_none_or(|rows| rows as usize == table.table_rows.len()));
    assert!(table.columns.is_none_or(|count| count as usize == columns));
    assert!(table.table_rows.iter().all(|row| row.table_cells.len() == columns));
    let properties = table.rest.get("tableStyle").and_then(|style| style["tableColumnProperties"].as_array());
    assert!(properties.is_none_or(|properties| properties.len() == columns));
    let merged = super::table::merged(table);
    let spans: u64 = table
        .table_rows
        .iter()
        .flat_map(|row| &row.table_cells)
        .map(|cell| {
            let span = |key: &str| cell.rest.get("tableCellStyle").and_then(|style| style[key].as_u64()).unwrap_or(1);
            if span("rowSpan") * span("columnSpan") > 1 { span("rowSpan") * span("columnSpan") } else { 0 }
        })
        .sum();
    // No merged cell reaches out of the table or into another: none was cut or left out.
    assert_eq!(merged.iter().map(|region| (region.rows * region.columns) as u64).sum::<u64>(), spans);
}

fn check_paragraph(tab: &DocumentTab, paragraph: &Paragraph, notes: &mut BTreeSet<String>) {
    let text = paragraph.text();
    let list = paragraph.bullet.as_ref().map(|bullet| &bullet.list_id);
    assert!(list.is_none_or(|list| tab.lists.contains_key(list)), "{list:?}");
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "{text:?}");
    assert!(paragraph.elements.iter().all(|element| element.text() != Some("")), "{paragraph:?}");
    for element in &paragraph.elements {
        let id = |object: &str, key: &str| element.rest.get(object).and_then(|own| own[key].as_str());
        assert!(id("inlineObjectElement", "inlineObjectId").is_none_or(|id| tab.inline_objects.contains_key(id)));
        if let Some(id) = id("footnoteReference", "footnoteId") {
            assert!(notes.insert(id.to_owned()), "{id} is referred to twice");
        }
        let Some(chip) = element.rest.get("dropdown") else { continue };
        let own = &chip["dropdownProperties"];
        let definition = &tab.dropdown_definitions[own["dropdownDefinitionId"].as_str().unwrap()];
        let options = definition["dropdownDefinitionProperties"]["options"].as_array().unwrap();
        assert!(options.iter().any(|option| option["optionId"] == own["selectedOptionId"]), "{chip}");
    }
}

/// Writes the same heading id everywhere.
pub(crate) fn without_ids(document: &Document) -> Value {
    fn mask(value: &mut Value) {
        match value {
            Value::Object(fields) => fields
                .iter_mut()
                .for_each(|(key, value)| if key == "headingId" { *value = json!("h") } else { mask(value) }),
            Value::Array(items) => items.iter_mut().for_each(mask),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut value = serde_json::to_value(document).unwrap();
    mask(&mut value);
    value
}
