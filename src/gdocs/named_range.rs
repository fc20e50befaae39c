//! Named ranges: making, removing, and moving them with the text.

use serde_json::{Value, json};

use super::document::{Document, DocumentTab, NamedRange, NamedRanges, Range, StructuralElement};
use super::ids::FreshIds;
use super::index::utf16_len;
use super::locate::check_range;
use super::quirks;
use super::refusal::Refusal;
use super::request::{CreateNamedRange, DeleteNamedRange};

/// Carries out `createNamedRange`; `named_tab` is the tab id that the new range must say, if it must say one.
pub(crate) fn create(
    tab: &mut DocumentTab,
    content: &[StructuralElement],
    request: &CreateNamedRange,
    named_tab: Option<String>,
    ids: &mut FreshIds,
) -> Result<Value, Refusal> {
    if !(1..=quirks::MAX_RANGE_NAME_UTF16).contains(&utf16_len(&request.name)) {
        return Err(Refusal::invalid(quirks::BAD_RANGE_NAME));
    }
    let (start, end) = check_range(&request.range, content)?;
    let id = ids.draw("kix.");
    let range = Range {
        start_index: (start > 0).then_some(start),
        end_index: Some(end),
        segment_id: request.range.segment_id.clone().filter(|segment| !segment.is_empty()),
        tab_id: named_tab,
        ..Range::default()
    };
    let group = tab
        .named_ranges
        .entry(request.name.clone())
        .or_insert_with(|| NamedRanges { name: request.name.clone(), ..NamedRanges::default() });
    group.named_ranges.push(NamedRange {
        named_range_id: id.clone(),
        name: request.name.clone(),
        ranges: vec![range],
        ..NamedRange::default()
    });
    Ok(json!({ "createNamedRange": { "namedRangeId": id } }))
}

/// Carries out `deleteNamedRange`.
pub(crate) fn delete(document: &mut Document, request: &DeleteNamedRange) -> Result<Value, Refusal> {
    let id = request.named_range_id.as_deref().filter(|id| !id.is_empty());
    let name = request.name.as_deref().filter(|name| !name.is_empty());
    let tabs = selected_tabs(document, request)?;
    let mut removed = 0;
    for tab in tabs {
        let Some(content) = document.tab_mut(Some(&tab)).and_then(|tab| tab.document_tab.as_mut()) else { continue };
        for group in content.named_ranges.values_mut() {
            let before = group.named_ranges.len();
            match (id, name) {
                (Some(id), None) => group.named_ranges.retain(|range| range.named_range_id != id),
                (None, Some(name)) => group.named_ranges.retain(|range| range.name != name),
                (None, None) | (Some(_), Some(_)) => return Err(Refusal::invalid(quirks::NO_RANGE_SELECTOR)),
            }
            removed += before - group.named_ranges.len();
        }
        content.named_ranges.retain(|_, group| !group.named_ranges.is_empty());
    }
    match (id, name) {
        (Some(id), None) if removed == 0 => Err(Refusal::invalid(quirks::unknown_range(id))),
        (Some(_), None) | (None, Some(_)) => Ok(json!({})),
        (None, None) | (Some(_), Some(_)) => Err(Refusal::invalid(quirks::NO_RANGE_SELECTOR)),
    }
}

/// Returns the ids of the tabs that a deletion is about: those named, or all.
fn selected_tabs(document: &Document, request: &DeleteNamedRange) -> Result<Vec<String>, Refusal> {
    let named = request.tabs_criteria.as_ref().map(|criteria| &criteria.tab_ids);
    let Some(named) = named.filter(|ids| !ids.is_empty()) else {
        return Ok(document.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect());
    };
    let mut tabs = Vec::new();
    for id in named {
        if document.tab(Some(id)).is_none() {
            return Err(Refusal::invalid(quirks::unknown_tab(id)));
        }
        tabs.push(id.clone());
    }
    Ok(tabs)
}

/// Moves the ranges of a segment for `width` units inserted at `index`.
pub(crate) fn grow(tab: &mut DocumentTab, segment: &str, index: u32, width: u32) {
    each_range(tab, segment, |start, end| {
        let outside = quirks::RANGE_EDGES_STAY_OUTSIDE;
        let moves = |at: u32, inclusive: bool| at > index || (at == index && inclusive);
        let start = if moves(start, outside) { start.saturating_add(width) } else { start };
        let end = if moves(end, !outside) { end.saturating_add(width) } else { end };
        (start, end)
    });
}

/// Moves the ranges of a segment for the deletion of `[from, to)`; a range without content goes.
pub(crate) fn shrink(tab: &mut DocumentTab, segment: &str, from: u32, to: u32) {
    let map = |at: u32| if at < from { at } else { from.saturating_add(at.saturating_sub(to)) };
    each_range(tab, segment, |start, end| (map(start), map(end)));
}

/// Removes the ranges of a segment that is gone.
pub(crate) fn forget_segment(tab: &mut DocumentTab, segment: &str) {
    each_range(tab, segment, |_, _| (0, 0));
}

/// Maps every range of a segment; what comes out empty is removed, with its named range and the name, or with the
/// anchor of a comment.
fn each_range(tab: &mut DocumentTab, segment: &str, map: impl Fn(u32, u32) -> (u32, u32)) {
    let map_all = |ranges: &mut Vec<Range>| {
        let any = !ranges.is_empty();
        ranges.retain_mut(|range| {
            if range.segment_id.as_deref().unwrap_or("") != segment {
                return true;
            }
            let (start, end) = map(range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
            range.start_index = (start > 0).then_some(start);
            range.end_index = Some(end);
            start < end
        });
        !any || !ranges.is_empty()
    };
    for group in tab.named_ranges.values_mut() {
        group.named_ranges.retain_mut(|named| map_all(&mut named.ranges));
    }
    tab.named_ranges.retain(|_, group| !group.named_ranges.is_empty());
    tab.comment_anchors.retain(|_, anchor| map_all(&mut anchor.ranges));
}
