//! Named ranges: making, removing, and moving them with the text.

use serde_json::{Value, json};

use super::batch::Batch;
use super::document::{DocumentTab, NamedRange, NamedRanges, Range};
use super::index::utf16_len;
use super::locate::check_range;
use super::quirks;
use super::refusal::Refusal;
use super::request::{CreateNamedRange, DeleteNamedRange};
use super::segment::{Address, Shift};

/// Carries out `createNamedRange`.
pub(crate) fn create(batch: &mut Batch, request: &CreateNamedRange) -> Result<Value, Refusal> {
    let named_tab = named_tab(batch, &request.range);
    batch.in_segment(&Address::from(&request.range), |segment| {
        if !(1..=quirks::MAX_RANGE_NAME_UTF16).contains(&utf16_len(&request.name)) {
            return Err(Refusal::invalid(quirks::BAD_RANGE_NAME));
        }
        let (start, end) = check_range(&request.range, segment.content)?;
        let id = segment.ids.draw("kix.");
        let range = Range {
            start_index: (start > 0).then_some(start),
            end_index: Some(end),
            segment_id: request.range.segment_id.clone().filter(|segment| !segment.is_empty()),
            tab_id: named_tab,
            ..Range::default()
        };
        let group = segment
            .tab
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
    })
}

/// Returns the tab that a new range says: its own, when that is not the first one.
pub(crate) fn named_tab(batch: &Batch, range: &Range) -> Option<String> {
    let later = batch.document.tab(range.tab_id.as_deref()).is_some_and(|tab| {
        quirks::RANGES_NAME_LATER_TABS && batch.document.tabs.first().is_some_and(|first| first.id() != tab.id())
    });
    range.tab_id.clone().filter(|_| later)
}

/// Carries out `deleteNamedRange`.
pub(crate) fn delete(batch: &mut Batch, request: &DeleteNamedRange) -> Result<Value, Refusal> {
    let tabs = batch.selected_tabs(request.tabs_criteria.as_ref())?;
    let selector = Selector::read(request.named_range_id.as_deref(), request.name.as_deref())?;
    let mut removed = 0;
    for tab in tabs {
        let Some(content) = batch.document.tab_mut(Some(&tab)).and_then(|tab| tab.document_tab.as_mut()) else {
            continue;
        };
        for group in content.named_ranges.values_mut() {
            let before = group.named_ranges.len();
            group.named_ranges.retain(|range| !selector.takes(range));
            removed += before - group.named_ranges.len();
        }
        content.named_ranges.retain(|_, group| !group.named_ranges.is_empty());
    }
    match selector {
        Selector::Id(id) if removed == 0 => Err(Refusal::invalid(quirks::unknown_range(id))),
        Selector::Id(_) | Selector::Name(_) => Ok(json!({})),
    }
}

/// Which named ranges a request is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selector<'a> {
    /// The one with this id.
    Id(&'a str),
    /// All with this name.
    Name(&'a str),
}

impl<'a> Selector<'a> {
    /// Reads a selector.
    ///
    /// # Errors
    ///
    /// Google's refusal unless exactly one of the two is said.
    pub(crate) fn read(id: Option<&'a str>, name: Option<&'a str>) -> Result<Self, Refusal> {
        match (id.filter(|id| !id.is_empty()), name.filter(|name| !name.is_empty())) {
            (Some(id), None) => Ok(Self::Id(id)),
            (None, Some(name)) => Ok(Self::Name(name)),
            (None, None) | (Some(_), Some(_)) => Err(Refusal::invalid(quirks::NO_RANGE_SELECTOR)),
        }
    }

    /// Tells whether a range is meant.
    pub(crate) fn takes(self, range: &NamedRange) -> bool {
        match self {
            Self::Id(id) => range.named_range_id == id,
            Self::Name(name) => range.name == name,
        }
    }
}

/// Moves the ranges of a segment with a change of it.
pub(crate) fn shift(tab: &mut DocumentTab, segment: &str, shift: Shift) {
    match shift {
        Shift::Inserted { at, width } => grow(tab, segment, at, width),
        Shift::Removed { from, to } => shrink(tab, segment, from, to),
        Shift::Replaced { from, to, width } => {
            let behind = |at: u32| at.saturating_sub(to.saturating_sub(from)).saturating_add(width);
            each_range(tab, segment, |start, end| {
                let start =
                    if start >= to { behind(start) } else { start.min(from) + if start > from { width } else { 0 } };
                (start, if end >= to { behind(end) } else { end.min(from) })
            });
        }
        Shift::Moved { from, to, at } => {
            let map = |unit: u32| match unit {
                unit if (from..to).contains(&unit) => at.saturating_add(unit - from),
                unit if (at..from).contains(&unit) => unit.saturating_add(to - from),
                unit => unit,
            };
            each_range(tab, segment, |start, end| (map(start), map(end.saturating_sub(1)).saturating_add(1)));
        }
    }
}

/// Moves the ranges of a segment for `width` units inserted at `index`.
fn grow(tab: &mut DocumentTab, segment: &str, index: u32, width: u32) {
    each_range(tab, segment, |start, end| {
        let outside = quirks::RANGE_EDGES_STAY_OUTSIDE;
        let moves = |at: u32, inclusive: bool| at > index || (at == index && inclusive);
        let start = if moves(start, outside) { start.saturating_add(width) } else { start };
        let end = if moves(end, !outside) { end.saturating_add(width) } else { end };
        (start, end)
    });
}

/// Moves the ranges of a segment for the deletion of `[from, to)`; a range without content goes.
fn shrink(tab: &mut DocumentTab, segment: &str, from: u32, to: u32) {
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
