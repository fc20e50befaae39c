//! Edits of text made as suggestions.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/batchUpdate#writemode>

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::apply::place_of;
use super::batch::Batch;
use super::delete::delete_range;
use super::document::{ParagraphElement, Range, StructuralElement, Style};
use super::ids::FreshIds;
use super::index::relayout;
use super::insert::{insert_text, stripped};
use super::locate::{check_range, each_paragraph_mut};
use super::mask::Mask;
use super::refusal::Refusal;
use super::request::{ReplaceAllText, Request, UpdateTextStyle};
use super::runs::{join_at, split_at};
use super::schema::{DOCUMENT_STYLE, TEXT_STYLE};
use super::segment::{Address, Segment};
use super::suggestion::fields;
use super::{quirks, replace, text_style};

const INSERTION: &str = "suggestedInsertionIds";
const DELETION: &str = "suggestedDeletionIds";
const STYLES: &str = "suggestedTextStyleChanges";

/// Who suggests: which pending suggestions are theirs.
pub(crate) struct Suggester {
    /// Ids of their own pending suggestions.
    pub(crate) own: BTreeSet<String>,
}

/// The suggestion that an edit became, or became a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Suggested {
    /// Its id; `None` when the edit only took back what was suggested before.
    pub(crate) id: Option<String>,
    /// Whether it is new.
    pub(crate) created: bool,
}

/// Carries out a request as a suggestion.
///
/// # Errors
///
/// What the edit itself would be refused with; a refusal of what cannot be a suggestion.
pub(crate) fn carry_out(batch: &mut Batch, request: &Request) -> Result<Value, Refusal> {
    let mut by = batch.threads.suggester(&batch.document);
    let suggested = if let Request::InsertText(request) = request {
        let place = place_of(request.location.as_ref(), request.end_of_segment_location.as_ref());
        let (index, place) = place.ok_or_else(|| Refusal::invalid(quirks::NO_LOCATION))?;
        batch.in_segment(&place, |segment| by.insert(segment, index, &request.text))?
    } else if let Request::DeleteContentRange(request) = request {
        batch.in_segment(&Address::from(&request.range), |segment| by.delete(segment, &request.range))?
    } else if let Request::UpdateTextStyle(request) = request {
        batch.in_segment(&Address::from(&request.range), |segment| by.restyle(segment, request))?
    } else if let Request::ReplaceAllText(request) = request {
        return by.replace_all(batch, request);
    } else if quirks::UNSUGGESTIBLE_KINDS.contains(&request.kind()) || sets_unsuggestible(request)? {
        return Err(Refusal::invalid(quirks::NOT_SUGGESTIBLE));
    } else {
        return Err(Refusal::unimplemented(quirks::not_suggested(request.kind())));
    };
    batch.threads.note(&mut batch.document, suggested, &mut batch.ids);
    Ok(json!({}))
}

/// Tells whether a request of a kind that can be a suggestion sets a field that cannot.
fn sets_unsuggestible(request: &Request) -> Result<bool, Refusal> {
    let Request::UpdateDocumentStyle(request) = request else { return Ok(false) };
    let mask = Mask::read(&request.fields, DOCUMENT_STYLE)?;
    Ok(quirks::UNSUGGESTIBLE_DOCUMENT_FIELDS.iter().any(|field| mask.names(field)))
}

impl Suggester {
    /// Returns the id for an edit of `[start, end)`: that of an own suggestion which it touches, or a fresh one.
    fn id_for(&self, content: &mut [StructuralElement], start: u32, end: u32, ids: &mut FreshIds) -> Suggested {
        let mut near = None;
        let (from, to) = (start.saturating_sub(1), end.saturating_add(1));
        let mut look = |element: &mut ParagraphElement| {
            for id in ids_of(element, INSERTION).into_iter().chain(ids_of(element, DELETION)) {
                if self.own.contains(&id) {
                    near.get_or_insert(id);
                }
            }
        };
        each_element(content, from, to, &mut look);
        match near.filter(|_| quirks::SUGGESTIONS_COALESCE) {
            Some(id) => Suggested { id: Some(id), created: false },
            None => Suggested { id: Some(ids.draw("suggest.")), created: true },
        }
    }

    /// Suggests an insertion.
    pub(crate) fn insert(
        &self,
        segment: &mut Segment<'_>,
        index: Option<u32>,
        text: &str,
    ) -> Result<Suggested, Refusal> {
        let (index, width) = insert_text(segment.content, index, text, segment.ids)?;
        segment.inserted(index, width);
        let end = index.saturating_add(width);
        let content = &mut *segment.content;
        let suggested = self.id_for(content, index, end, segment.ids);
        let id = suggested.id.clone().unwrap_or_default();
        // Inside somebody's insertion the new text is a part of that, too.
        let mut around: Vec<Vec<String>> = Vec::new();
        let sides = [(index.checked_sub(1), index), (Some(end), end.saturating_add(1))];
        for (from, to) in sides.into_iter().filter_map(|(from, to)| from.map(|from| (from, to))) {
            each_element(content, from, to, &mut |element| around.push(ids_of(element, INSERTION)));
        }
        let nested = match around.as_slice() {
            [left, right] if left == right => left.iter().filter(|other| **other != id).cloned().collect(),
            _ => Vec::new(),
        };
        each_split(content, index, end, &mut |element| {
            let style = fields(element.text_run.as_ref().and_then(|run| run.text_style.as_ref()));
            for other in &nested {
                add_id(element, INSERTION, other);
            }
            add_id(element, INSERTION, &id);
            let flags: Map<String, Value> =
                quirks::INSERTION_STYLE_FLAGS.iter().map(|flag| ((*flag).to_owned(), Value::Bool(true))).collect();
            set_style(element, &id, style, flags);
        });
        Ok(suggested)
    }

    /// Suggests a deletion; what the same person suggested to insert simply goes.
    pub(crate) fn delete(&self, segment: &mut Segment<'_>, range: &Range) -> Result<Suggested, Refusal> {
        let content = &mut *segment.content;
        // What cannot be deleted cannot be suggested to be deleted either.
        delete_range(&mut content.clone(), range)?;
        let (start, end) = check_range(range, content)?;
        let suggested = self.id_for(content, start, end, segment.ids);
        let id = suggested.id.clone().unwrap_or_default();
        let (mut taken_back, mut marked) = (Vec::new(), false);
        each_split(content, start, end, &mut |element| {
            let inserted = ids_of(element, INSERTION);
            if inserted.iter().any(|id| self.own.contains(id)) {
                taken_back.push((element.start_index.utf16(), element.end_index.utf16()));
            } else if !ids_of(element, DELETION).iter().any(|id| self.own.contains(id)) {
                add_id(element, DELETION, &id);
                marked = true;
            }
        });
        for element in content.iter_mut() {
            let whole = start <= element.start_index.utf16() && element.end_index.utf16() <= end;
            if let Some(table) = element.table.as_mut().filter(|_| whole) {
                push_id(&mut table.rest, DELETION, &id);
            }
        }
        for (start, end) in taken_back.into_iter().rev() {
            let range = Range { start_index: Some(start), end_index: Some(end), ..Range::default() };
            let removed = delete_range(segment.content, &range)?;
            segment.forget(&removed);
        }
        Ok(if marked || !suggested.created { suggested } else { Suggested { id: None, created: false } })
    }

    /// Suggests the replacement of every occurrence of a text: an insertion and a deletion that share one id.
    fn replace_all(&mut self, batch: &mut Batch, request: &ReplaceAllText) -> Result<Value, Refusal> {
        let pattern = replace::pattern(&request.contains_text)?;
        let text = stripped(&request.replace_text);
        let mut suggestions = Vec::new();
        let mut changed = 0_usize;
        for tab in batch.selected_tabs(request.tabs_criteria.as_ref())? {
            for address in batch.segments_of(&tab) {
                let mut found = Vec::new();
                batch.in_segment(&address, |segment| {
                    replace::occurrences(segment.content, &pattern, &mut found);
                    // From the back, so that every place is still the one it was.
                    for (from, to) in found.iter().rev() {
                        if !text.is_empty() {
                            let inserted = self.insert(segment, Some(*to), &text)?;
                            self.own.extend(inserted.id.clone());
                            suggestions.push(inserted);
                        }
                        let range = Range { start_index: Some(*from), end_index: Some(*to), ..Range::default() };
                        let deleted = self.delete(segment, &range)?;
                        self.own.extend(deleted.id.clone());
                        suggestions.push(deleted);
                    }
                    Ok(())
                })?;
                changed += found.len();
            }
        }
        let mut noted = BTreeSet::new();
        for suggested in suggestions {
            if suggested.id.clone().is_none_or(|id| noted.insert(id)) {
                batch.threads.note(&mut batch.document, suggested, &mut batch.ids);
            }
        }
        let count = if changed == 0 { json!({}) } else { json!({ "occurrencesChanged": changed }) };
        Ok(json!({ "replaceAllText": count }))
    }

    /// Suggests a change of text style.
    pub(crate) fn restyle(&self, segment: &mut Segment<'_>, request: &UpdateTextStyle) -> Result<Suggested, Refusal> {
        // What cannot be styled cannot be suggested to be styled either.
        text_style::update(segment.tab, &mut segment.content.clone(), request)?;
        let content = &mut *segment.content;
        let mask = Mask::read(&request.fields, TEXT_STYLE)?;
        let (start, end) = check_range(&request.range, content)?;
        let suggested = self.id_for(content, start, end, segment.ids);
        let id = suggested.id.clone().unwrap_or_default();
        let names: BTreeSet<String> = mask.names_of_fields().map(str::to_owned).collect();
        each_split(content, start, end, &mut |element| {
            let own = ids_of(element, INSERTION).into_iter().find(|id| self.own.contains(id));
            let target = own.as_deref().unwrap_or(&id);
            let mut style = Map::new();
            mask.copy(&request.text_style.0, &mut style, &[]);
            let flags = names.iter().map(|name| (format!("{name}Suggested"), Value::Bool(true))).collect();
            if own.is_some()
                && let Some(run) = &mut element.text_run
            {
                mask.copy(&request.text_style.0, &mut run.text_style.get_or_insert_with(Style::default).0, &[]);
            }
            set_style(element, target, style, flags);
        });
        Ok(suggested)
    }
}

/// Calls `visit` for every element of a paragraph that `[start, end)` touches.
fn each_element(content: &mut [StructuralElement], start: u32, end: u32, visit: &mut dyn FnMut(&mut ParagraphElement)) {
    let walked = each_paragraph_mut(content, start, end, &mut |element| {
        for inline in element.paragraph.iter_mut().flat_map(|paragraph| &mut paragraph.elements) {
            if inline.start_index.utf16() < end && start < inline.end_index.utf16() {
                visit(inline);
            }
        }
        Ok(())
    });
    debug_assert!(walked.is_ok(), "the visit refuses nothing");
}

/// Calls `visit` for every element inside `[start, end)`, with runs split at both ends, and joins what may be joined.
fn each_split(content: &mut [StructuralElement], start: u32, end: u32, visit: &mut dyn FnMut(&mut ParagraphElement)) {
    let walked = each_paragraph_mut(content, start, end, &mut |element| {
        let Some(paragraph) = &mut element.paragraph else { return Ok(()) };
        for edge in [start, end] {
            // Outside this paragraph, or inside an object, there is nothing to split.
            split_at(&mut paragraph.elements, edge);
        }
        for inline in &mut paragraph.elements {
            if start <= inline.start_index.utf16() && inline.end_index.utf16() <= end {
                visit(inline);
            }
        }
        for at in (1..paragraph.elements.len()).rev() {
            let edge = paragraph.elements.get(at).map_or(0, |inline| inline.start_index.utf16());
            if (start..=end).contains(&edge) {
                join_at(&mut paragraph.elements, at);
            }
        }
        Ok(())
    });
    debug_assert!(walked.is_ok(), "the visit refuses nothing");
    relayout(content);
}

/// Returns the fields of an element in which suggestions are marked.
fn marks(element: &mut ParagraphElement) -> Option<&mut Map<String, Value>> {
    match &mut element.text_run {
        Some(run) => Some(&mut run.rest),
        None => element.rest.values_mut().find_map(Value::as_object_mut),
    }
}

/// Returns the ids of a kind that an element bears.
fn ids_of(element: &mut ParagraphElement, key: &str) -> Vec<String> {
    let ids = marks(element).and_then(|marks| marks.get(key)).and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Adds an id to those of a kind that an element bears.
fn add_id(element: &mut ParagraphElement, key: &str, id: &str) {
    if let Some(marks) = marks(element) {
        push_id(marks, key, id);
    }
}

/// Adds an id to a list in a message.
fn push_id(message: &mut Map<String, Value>, key: &str, id: &str) {
    let list = message.entry(key.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list
        && !list.iter().any(|other| other.as_str() == Some(id))
    {
        list.push(Value::String(id.to_owned()));
    }
}

/// Adds fields to the style that a suggestion gives an element.
fn set_style(element: &mut ParagraphElement, id: &str, style: Map<String, Value>, flags: Map<String, Value>) {
    let Some(Value::Object(changes)) =
        marks(element).map(|marks| marks.entry(STYLES.to_owned()).or_insert_with(|| Value::Object(Map::new())))
    else {
        return;
    };
    let change =
        changes.entry(id.to_owned()).or_insert_with(|| json!({ "textStyle": {}, "textStyleSuggestionState": {} }));
    for flag in flags.keys() {
        if let (Some(name), Some(Value::Object(own))) = (flag.strip_suffix("Suggested"), change.get_mut("textStyle"))
            && !style.contains_key(name)
        {
            own.remove(name);
        }
    }
    for (key, new) in [("textStyle", style), ("textStyleSuggestionState", flags)] {
        if let Some(Value::Object(own)) = change.get_mut(key) {
            own.extend(new);
        }
    }
}
