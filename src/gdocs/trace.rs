//! Which characters of a document are the same after a batch.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{Document, DocumentTab};
use super::index::segment_end;
use super::segment::Shift;

/// Where the units of one segment come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentTrace {
    /// The tab.
    pub tab_id: String,
    /// The segment, empty for the body.
    pub segment_id: String,
    /// For each UTF-16 unit and each marker of the structure, by its index after the batch: its index before, in the
    /// same segment; `None` for what is new.
    pub units: Vec<Option<u32>>,
}

/// A tab and a segment.
type Key = (String, String);

/// The traces of a batch under way; untouched segments are left out until the end.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Segments there were before.
    known: BTreeSet<Key>,
    /// Segments touched so far.
    touched: BTreeMap<Key, Vec<Option<u32>>>,
}

impl Trace {
    /// Starts to follow a document.
    pub(crate) fn of(document: &Document) -> Self {
        Self { known: keys(document).into_iter().map(|(key, _)| key).collect(), touched: BTreeMap::new() }
    }

    /// Follows changes of a segment that was `before` units long.
    pub(crate) fn follow(&mut self, key: &Key, before: u32, shifts: &[Shift]) {
        if shifts.is_empty() {
            return;
        }
        let known = self.known.contains(key);
        let units = self.touched.entry(key.clone()).or_insert_with(|| fresh(before, known));
        for shift in shifts {
            carry(units, *shift);
        }
    }

    /// Returns the traces of all segments that there are now.
    pub(crate) fn finish(mut self, document: &Document) -> Vec<SegmentTrace> {
        let all = keys(document).into_iter().map(|(key, end)| {
            let known = self.known.contains(&key);
            let units = self.touched.remove(&key).unwrap_or_else(|| fresh(end, known));
            SegmentTrace { tab_id: key.0, segment_id: key.1, units }
        });
        all.collect()
    }
}

/// Returns the units of a segment that nothing was done to.
fn fresh(end: u32, known: bool) -> Vec<Option<u32>> {
    (0..end).map(|unit| known.then_some(unit)).collect()
}

/// Returns all segments with their ends.
fn keys(document: &Document) -> Vec<(Key, u32)> {
    let mut found = Vec::new();
    for tab in document.all_tabs() {
        for id in tab.document_tab.iter().flat_map(DocumentTab::segment_ids) {
            let content = tab.document_tab.as_ref().and_then(|content| content.segment(id));
            let key = (tab.id().to_owned(), id.unwrap_or_default().to_owned());
            found.push((key, content.map_or(0, segment_end)));
        }
    }
    found
}

/// Carries units along with one change.
fn carry(units: &mut Vec<Option<u32>>, shift: Shift) {
    let end = units.len();
    let place = |index: u32| usize::try_from(index).unwrap_or(usize::MAX).min(end);
    let new = |width: u32| std::iter::repeat_n(None, usize::try_from(width).unwrap_or(0));
    match shift {
        Shift::Inserted { at, width } => drop(units.splice(place(at)..place(at), new(width))),
        Shift::Removed { from, to } => drop(units.drain(place(from)..place(to).max(place(from)))),
        Shift::Replaced { from, to, width } => {
            drop(units.splice(place(from)..place(to).max(place(from)), new(width)));
        }
        Shift::Moved { from, to, at } => {
            if let Some(part) = units.get_mut(place(at)..place(to)) {
                part.rotate_left(place(from).saturating_sub(place(at)));
            }
        }
    }
}
