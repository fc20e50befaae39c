//! Settling suggestions: what is left of a document when they are accepted or rejected.
//!
//! Source: <https://developers.google.com/workspace/docs/api/how-tos/suggestions>

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::batch::Batch;
use super::delete::delete_range;
use super::document::{Document, DocumentTab, NamedStyles, Paragraph, Range, StructuralElement, Style, Table};
use super::index::{reindex, relayout};
use super::refusal::Refusal;
use super::runs::join_at;
use super::segment::{Segment, Shift};
use super::setting::Setting;
use super::suggested::{Choice, Fate};

/// Returns the document as it would be with all suggestions accepted, or with all rejected; comments are left out, as
/// in Google's previews.
#[must_use]
pub fn preview(document: &Document, accept: bool) -> Document {
    let mut batch = Batch::new(document, &Setting::plain(0), None);
    // A preview is shown of any document, also of one that is counted otherwise than this model does.
    for tab in batch.document.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect::<Vec<_>>() {
        let Some(content) = batch.document.tab_mut(Some(&tab)).and_then(|tab| tab.document_tab.as_mut()) else {
            continue;
        };
        for id in content.segment_ids().into_iter().map(|id| id.map(str::to_owned)).collect::<Vec<_>>() {
            content.segment_mut(id.as_deref()).map(|segment| reindex(segment));
        }
    }
    let settled = settle(&mut batch, &Choice { id: None, accept });
    debug_assert!(settled.is_ok(), "every segment was counted");
    let mut document = batch.document;
    document.omit_comments();
    document
}

/// Tells whether any text, style, or object carries the suggestion.
pub(crate) fn is_pending(document: &Document, id: &str) -> bool {
    pending(document).contains(id)
}

/// Returns the ids of all suggestions that the content carries.
pub(crate) fn pending(document: &Document) -> BTreeSet<String> {
    fn walk(value: &Value, ids: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                for (key, item) in map {
                    match item {
                        _ if !key.starts_with("suggested") => {}
                        Value::String(id) => drop(ids.insert(id.clone())),
                        Value::Array(list) => ids.extend(list.iter().filter_map(Value::as_str).map(str::to_owned)),
                        Value::Object(changes) => ids.extend(changes.keys().cloned()),
                        Value::Null | Value::Bool(_) | Value::Number(_) => {}
                    }
                    walk(item, ids);
                }
            }
            Value::Array(list) => list.iter().for_each(|item| walk(item, ids)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut ids = BTreeSet::new();
    for tab in &document.tabs {
        // A message always serialises: its keys are strings.
        walk(&serde_json::to_value(tab).unwrap_or_default(), &mut ids);
    }
    ids
}

/// Settles the chosen suggestions everywhere in a document.
///
/// # Errors
///
/// A refusal of a segment that is counted otherwise than this model does.
pub(crate) fn settle(batch: &mut Batch, choice: &Choice<'_>) -> Result<(), Refusal> {
    let tabs: Vec<String> = batch.document.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect();
    for tab in tabs {
        for address in batch.segments_of(&tab) {
            // A footnote may have gone with its reference.
            if batch.segments_of(&tab).contains(&address) {
                batch.in_segment(&address, |segment| {
                    settle_segment(segment, choice);
                    Ok(())
                })?;
            }
        }
        if let Some(content) = batch.document.tab_mut(Some(&tab)).and_then(|tab| tab.document_tab.as_mut()) {
            settle_beside(content, choice);
        }
    }
    Ok(())
}

/// Settles what a tab says beside its segments.
fn settle_beside(tab: &mut DocumentTab, choice: &Choice<'_>) {
    let stays = |entry: &mut Value| entry.as_object_mut().is_none_or(|entry| choice.settle(entry) == Fate::Stays);
    tab.lists.retain(|_, list| stays(list.make_mut()));
    for entries in [&mut tab.inline_objects, &mut tab.positioned_objects, &mut tab.dropdown_definitions] {
        entries.retain(|_, entry| stays(entry));
    }
    if tab.rest.contains_key("suggestedDocumentStyleChanges") {
        let style = tab.document_style.take();
        tab.document_style = choice.settle_field(&mut tab.rest, "documentStyle", style);
    }
    if tab.rest.contains_key("suggestedNamedStylesChanges") {
        let styles = tab.named_styles.take().and_then(|styles| serde_json::to_value(&styles).ok());
        let styles = choice.settle_field(&mut tab.rest, "namedStyles", styles);
        tab.named_styles = styles.and_then(|styles| serde_json::from_value::<NamedStyles>(styles).ok()).map(Into::into);
    }
}

/// Settles one segment: first what stays is changed and what goes is noted, then that goes, from the end on.
fn settle_segment(segment: &mut Segment<'_>, choice: &Choice<'_>) {
    let mut gone = Vec::new();
    settle_elements(segment.content, choice, &mut gone);
    for (start, end) in gone.into_iter().rev() {
        take_out(segment, start, end);
    }
    if remove_cells(segment.content) {
        close_gaps(segment);
    }
    unmark(segment.content);
}

/// The key under which a row or cell that goes is marked while its text is dealt with.
const GONE: &str = "\u{0}gone";

/// Settles elements in place; appends the ranges that go, in order, neighbours joined.
fn settle_elements(content: &mut [StructuralElement], choice: &Choice<'_>, gone: &mut Vec<(u32, u32)>) {
    for element in content {
        let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
        if let Some(paragraph) = &mut element.paragraph {
            settle_paragraph(paragraph, choice, gone);
        } else if let Some(table) = &mut element.table {
            if choice.settle(&mut table.rest) == Fate::Goes {
                note(gone, start, end);
                continue;
            }
            for row in &mut table.table_rows {
                if choice.settle(&mut row.rest) == Fate::Goes {
                    row.rest.insert(GONE.to_owned(), Value::Bool(true));
                }
                for cell in &mut row.table_cells {
                    if choice.settle(&mut cell.rest) == Fate::Goes {
                        cell.rest.insert(GONE.to_owned(), Value::Bool(true));
                    }
                    settle_elements(&mut cell.content, choice, gone);
                }
            }
        } else if let Some(toc) = &mut element.table_of_contents {
            if choice.settle(&mut toc.rest) == Fate::Goes {
                note(gone, start, end);
            }
        } else if let Some(Value::Object(section)) = &mut element.section_break
            && choice.settle(section) == Fate::Goes
        {
            note(gone, start, end);
        }
    }
}

/// Settles one paragraph.
fn settle_paragraph(paragraph: &mut Paragraph, choice: &Choice<'_>, gone: &mut Vec<(u32, u32)>) {
    let mut changed = false;
    for element in &mut paragraph.elements {
        let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
        let fate = if let Some(run) = &mut element.text_run {
            if !run.rest.keys().any(|key| key.starts_with("suggested")) {
                continue;
            }
            changed = true;
            let style = run.text_style.take().map(|style| Value::Object(style.0));
            let style = choice.settle_field(&mut run.rest, "textStyle", style);
            run.text_style =
                style.and_then(|style| if let Value::Object(map) = style { Some(Style(map)) } else { None });
            choice.settle(&mut run.rest)
        } else {
            let objects = element.rest.values_mut().filter_map(Value::as_object_mut);
            objects
                .fold(Fate::Stays, |fate, object| if choice.settle(object) == Fate::Goes { Fate::Goes } else { fate })
        };
        if fate == Fate::Goes {
            note(gone, start, end);
        }
    }
    if paragraph.rest.contains_key("suggestedParagraphStyleChanges") {
        let style = paragraph.paragraph_style.take().map(|style| Value::Object(style.0));
        let style = choice.settle_field(&mut paragraph.rest, "paragraphStyle", style);
        paragraph.paragraph_style =
            style.and_then(|style| if let Value::Object(map) = style { Some(Style(map)) } else { None });
    }
    if paragraph.rest.contains_key("suggestedBulletChanges") {
        let bullet = paragraph.bullet.take().and_then(|bullet| serde_json::to_value(bullet).ok());
        let bullet = choice.settle_field(&mut paragraph.rest, "bullet", bullet);
        let bullet = bullet.filter(|bullet| bullet.get("listId").is_some());
        paragraph.bullet = bullet.and_then(|bullet| serde_json::from_value(bullet).ok());
    }
    choice.settle_tethers(&mut paragraph.rest);
    for at in (1..paragraph.elements.len()).rev().filter(|_| changed) {
        // What goes must stay apart from what stays, or its range would hold both.
        let edge = paragraph.elements.get(at).map(|element| element.start_index.utf16());
        if edge.is_some_and(|edge| !gone.iter().any(|(start, end)| *start == edge || *end == edge)) {
            join_at(&mut paragraph.elements, at);
        }
    }
}

/// Notes a range that goes.
fn note(gone: &mut Vec<(u32, u32)>, start: u32, end: u32) {
    match gone.last_mut() {
        Some((_, last)) if *last == start => *last = end,
        Some(_) | None => gone.push((start, end)),
    }
}

/// Takes a range out; a newline that its segment needs stays behind.
fn take_out(segment: &mut Segment<'_>, start: u32, end: u32) {
    // The last paragraph of a segment or before a table goes with the newline before it instead of its own.
    for (start, end) in [(start, end), (start.saturating_sub(1), end.saturating_sub(1)), (start, end.saturating_sub(1))]
    {
        let range = Range { start_index: Some(start), end_index: Some(end), ..Range::default() };
        // A refused deletion may have split runs, so it is tried on a copy.
        let mut copy = segment.content.clone();
        let Ok(removed) = delete_range(&mut copy, &range) else { continue };
        *segment.content = copy;
        segment.forget(&removed);
        return;
    }
}

/// Removes marked rows and cells; tells whether there were any.
fn remove_cells(content: &mut Vec<StructuralElement>) -> bool {
    let mut any = false;
    content.retain_mut(|element| {
        let Some(table) = &mut element.table else { return true };
        for cell in table.table_rows.iter_mut().flat_map(|row| &mut row.table_cells) {
            any |= remove_cells(&mut cell.content);
        }
        any |= remove_columns(table);
        let before = table.table_rows.len();
        table.table_rows.retain(|row| !row.rest.contains_key(GONE) && !row.table_cells.is_empty());
        any |= table.table_rows.len() != before;
        if table.rows.is_some() {
            table.rows = u32::try_from(table.table_rows.len()).ok();
        }
        !table.table_rows.is_empty()
    });
    any
}

/// Removes marked cells, and what is said of columns that are gone whole.
fn remove_columns(table: &mut Table) -> bool {
    let marked = |at: usize, table: &Table| {
        let cells = table.table_rows.iter().map(|row| row.table_cells.get(at));
        cells.into_iter().all(|cell| cell.is_some_and(|cell| cell.rest.contains_key(GONE)))
    };
    let width = table.table_rows.iter().map(|row| row.table_cells.len()).max().unwrap_or(0);
    let columns: Vec<usize> = (0..width).filter(|at| marked(*at, table)).collect();
    let mut any = false;
    for row in &mut table.table_rows {
        let before = row.table_cells.len();
        row.table_cells.retain(|cell| !cell.rest.contains_key(GONE));
        any |= row.table_cells.len() != before;
    }
    let style = table.rest.get_mut("tableStyle").and_then(|style| style.get_mut("tableColumnProperties"));
    if let Some(Value::Array(properties)) = style {
        for at in columns.iter().rev().filter(|at| **at < width) {
            if *at < properties.len() {
                properties.remove(*at);
            }
        }
    }
    if table.columns.is_some() && any {
        let left = table.table_rows.iter().map(|row| row.table_cells.len()).max().unwrap_or(0);
        table.columns = u32::try_from(left).ok();
    }
    any
}

/// Lays a segment out whose tables lost rows or cells, and moves what points into it to match.
fn close_gaps(segment: &mut Segment<'_>) {
    // Everything left still bears its old place, so each gap between two of them is a deletion.
    let mut kept = Vec::new();
    places(segment.content, &mut kept);
    let mut at = 0;
    let mut gaps = Vec::new();
    for (start, end) in kept {
        if start > at {
            gaps.push((at, start));
        }
        at = at.max(end);
    }
    relayout(segment.content);
    for (from, to) in gaps.into_iter().rev() {
        segment.shift(Shift::Removed { from, to });
    }
}

/// Appends the old ranges of everything that is still there.
fn places(content: &[StructuralElement], kept: &mut Vec<(u32, u32)>) {
    for element in content {
        let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
        let Some(table) = &element.table else {
            kept.push((start, end));
            continue;
        };
        kept.push((start, start.saturating_add(1)));
        for row in &table.table_rows {
            kept.push((row.start_index.utf16(), row.start_index.utf16().saturating_add(1)));
            for cell in &row.table_cells {
                kept.push((cell.start_index.utf16(), cell.start_index.utf16().saturating_add(1)));
                places(&cell.content, kept);
            }
        }
        kept.push((end.saturating_sub(1), end));
    }
}

/// Takes marks away that nothing came of.
fn unmark(content: &mut [StructuralElement]) {
    for row in content.iter_mut().filter_map(|element| element.table.as_mut()).flat_map(|table| &mut table.table_rows) {
        row.rest.remove(GONE);
        for cell in &mut row.table_cells {
            cell.rest.remove(GONE);
            unmark(&mut cell.content);
        }
    }
}

/// Returns the fields of a style, for a message that holds it as a bag.
pub(crate) fn fields(style: Option<&Style>) -> Map<String, Value> {
    style.map(|style| style.0.clone()).unwrap_or_default()
}
