//! Which boxes of a document's checklists are ticked: the one thing about its text that the Document JSON has no field for.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::{Bullet, Document, DocumentTab, Paragraph, StructuralElement};
use super::quirks;
use super::trace::SegmentTrace;

/// The ticked boxes of a document, kept beside it: tab, segment (empty for the body), start of the paragraph.
///
/// A place means the document as it was when the ticks were read; after a batch they are [`Ticks::carried`] on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticks(BTreeMap<String, BTreeMap<String, BTreeSet<u32>>>);

/// An item of a checklist.
#[derive(Debug, Clone, Copy)]
pub struct CheckItem<'a> {
    /// Start in its segment, in UTF-16 units.
    pub start: u32,
    /// End in its segment, behind its newline.
    pub end: u32,
    /// Its paragraph.
    pub paragraph: &'a Paragraph,
    /// Whether it stands in the cell of a table.
    pub in_cell: bool,
}

impl Ticks {
    /// Tells whether nothing is ticked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells whether the box of the paragraph that starts at `start` UTF-16 units is ticked.
    #[must_use]
    pub fn has(&self, tab: &str, segment: &str, start: u32) -> bool {
        self.0.get(tab).and_then(|tab| tab.get(segment)).is_some_and(|starts| starts.contains(&start))
    }

    /// Ticks a box, or takes its tick away; tells whether that changed anything.
    pub fn set(&mut self, tab: &str, segment: &str, start: u32, checked: bool) -> bool {
        if checked {
            return self.0.entry(tab.to_owned()).or_default().entry(segment.to_owned()).or_default().insert(start);
        }
        let Some(segments) = self.0.get_mut(tab) else { return false };
        let changed = segments.get_mut(segment).is_some_and(|starts| starts.remove(&start));
        segments.retain(|_, starts| !starts.is_empty());
        if segments.is_empty() {
            self.0.remove(tab);
        }
        changed
    }

    /// Returns the ticks after a batch that made `after` of `before`, by what became of the characters.
    ///
    /// A tick goes with the first character of its paragraph that is left; see `quirks::TICKS_GO_WITH_FIRST_LEFT`.
    #[must_use]
    pub fn carried(&self, before: &Document, after: &Document, traces: &[SegmentTrace]) -> Self {
        let mut carried = Self::default();
        let known = traces
            .iter()
            .filter(|trace| self.0.get(&trace.tab_id).is_some_and(|segments| segments.contains_key(&trace.segment_id)));
        for trace in known {
            let (tab, segment) = (trace.tab_id.as_str(), trace.segment_id.as_str());
            let ticked = self.places(before, tab, segment);
            let heirs = heirs(&ticked, &trace.units);
            for item in items(after, tab, segment) {
                let units = trace.units.get(index(item.start)..index(item.end)).unwrap_or_default();
                let first = units.iter().position(Option::is_some).map(|offset| index(item.start) + offset);
                if first.is_some_and(|first| heirs.contains(&first)) {
                    carried.set(tab, segment, item.start, true);
                }
            }
        }
        carried
    }

    /// Returns start and end of the ticked items of a segment, in order.
    fn places(&self, document: &Document, tab: &str, segment: &str) -> Vec<(u32, u32)> {
        let ticked = items(document, tab, segment).into_iter().filter(|item| self.has(tab, segment, item.start));
        ticked.map(|item| (item.start, item.end)).collect()
    }
}

/// For each of the ticked stretches, the place after the batch of its first unit that is left.
fn heirs(ticked: &[(u32, u32)], units: &[Option<u32>]) -> BTreeSet<usize> {
    let mut found: Vec<Option<usize>> = vec![None; ticked.len()];
    if quirks::TICKS_GO_WITH_FIRST_LEFT {
        for (place, old) in units.iter().enumerate() {
            let Some(old) = *old else { continue };
            let Some(at) = ticked.partition_point(|(start, _)| *start <= old).checked_sub(1) else { continue };
            if ticked.get(at).is_some_and(|(_, end)| old < *end)
                && let Some(heir) = found.get_mut(at)
            {
                heir.get_or_insert(place);
            }
        }
    }
    found.into_iter().flatten().collect()
}

fn index(utf16: u32) -> usize {
    usize::try_from(utf16).unwrap_or(usize::MAX)
}

/// Returns the checklist items of a segment, those in tables too, in order.
fn items<'a>(document: &'a Document, tab: &str, segment: &str) -> Vec<CheckItem<'a>> {
    let tab = document.all_tabs().into_iter().find(|other| other.id() == tab);
    tab.and_then(|tab| tab.document_tab.as_ref()).map(|tab| check_items(tab, segment)).unwrap_or_default()
}

/// Returns the checklist items of a segment of a tab (empty for the body), those in tables too, in order.
#[must_use]
pub fn check_items<'a>(tab: &'a DocumentTab, segment: &str) -> Vec<CheckItem<'a>> {
    fn walk<'a>(tab: &DocumentTab, content: &'a [StructuralElement], depth: usize, found: &mut Vec<CheckItem<'a>>) {
        for element in content {
            if let Some(paragraph) = element
                .paragraph
                .as_ref()
                .filter(|paragraph| paragraph.bullet.as_ref().is_some_and(|bullet| is_checkbox(tab, bullet)))
            {
                let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
                found.push(CheckItem { start, end, paragraph, in_cell: depth > 0 });
            }
            if depth >= quirks::MAX_TABLE_DEPTH {
                continue;
            }
            for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
                walk(tab, &cell.content, depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    // Without a list of boxes there is none, and most documents have none.
    let any = tab.lists.values().filter_map(|list| levels(list)).flatten().any(is_check_level);
    if any {
        walk(tab, tab.segment(Some(segment)).unwrap_or_default(), 0, &mut found);
    }
    found
}

/// Tells whether a list item has a box instead of a bullet.
fn is_checkbox(tab: &DocumentTab, bullet: &Bullet) -> bool {
    let level = usize::try_from(bullet.nesting_level.unwrap_or(0)).unwrap_or(usize::MAX).min(LEVEL_MAX);
    tab.lists
        .get(&bullet.list_id)
        .and_then(|list| levels(list))
        .and_then(|levels| levels.get(level))
        .is_some_and(is_check_level)
}

/// The deepest level of a list, from 0.
const LEVEL_MAX: usize = 8;

fn levels(list: &Value) -> Option<&Vec<Value>> {
    list.pointer("/listProperties/nestingLevels")?.as_array()
}

/// Tells whether a nesting level of a list shows boxes: it says that its glyph is not specified, and has no symbol.
///
/// Source: recorded documents; nothing in the JSON calls it a checklist.
#[must_use]
pub fn is_check_level(level: &Value) -> bool {
    let text = |name: &str| level.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("glyphSymbol").is_none() && text("glyphType") == Some("GLYPH_TYPE_UNSPECIFIED")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Setting, apply_as_traced, new_document, read_requests};
    use super::*;

    fn made() -> Document {
        let requests = json!([
            {"insertText": {"location": {"index": 1}, "text": "one\ntwo\nthree\n\nplain"}},
            {"createParagraphBullets": {"range": {"startIndex": 1, "endIndex": 16}, "bulletPreset": "BULLET_CHECKBOX"}}]);
        send(&new_document("doc", "t"), &Ticks::default(), &requests).0
    }

    fn send(document: &Document, ticks: &Ticks, requests: &Value) -> (Document, Ticks) {
        let requests = read_requests(requests.as_array().unwrap()).unwrap();
        let (applied, traces) = apply_as_traced(document, &requests, &Setting::plain(1)).unwrap();
        let ticks = ticks.carried(document, &applied.document, &traces);
        (applied.document, ticks)
    }

    fn shown(document: &Document, ticks: &Ticks) -> Vec<String> {
        let content = document.tabs[0].document_tab.as_ref().unwrap();
        let items = check_items(content, "");
        items
            .iter()
            .map(|item| {
                let mark = if ticks.has("t.0", "", item.start) { 'x' } else { ' ' };
                format!("[{mark}] {}", item.paragraph.text()).trim_end().to_owned()
            })
            .collect()
    }

    /// Ticks `two`, sends the requests and compares.
    #[track_caller]
    fn check(requests: &Value, expected: &[&str]) {
        let document = made();
        let mut ticks = Ticks::default();
        assert!(ticks.set("t.0", "", 5, true) && !ticks.set("t.0", "", 5, true));
        let (document, ticks) = send(&document, &ticks, requests);
        assert_eq!(shown(&document, &ticks), expected, "{requests}");
    }

    #[test]
    fn a_tick_goes_with_what_is_left_of_its_words() {
        let insert = |index: u32, text: &str| json!({"insertText": {"location": {"index": index}, "text": text}});
        let delete =
            |start: u32, end: u32| json!({"deleteContentRange": {"range": {"startIndex": start, "endIndex": end}}});
        check(&json!([]), &["[ ] one", "[x] two", "[ ] three", "[ ]"]);
        check(&json!([insert(1, "at the very ")]), &["[ ] at the very one", "[x] two", "[ ] three", "[ ]"]);
        check(&json!([insert(5, "number ")]), &["[ ] one", "[x] number two", "[ ] three", "[ ]"]);
        // All words are new, the paragraph is not.
        check(&json!([delete(5, 8), insert(5, "2")]), &["[ ] one", "[x] 2", "[ ] three", "[ ]"]);
        // A new item before it, behind it, and one cut from it.
        check(&json!([insert(5, "new\n")]), &["[ ] one", "[ ] new", "[x] two", "[ ] three", "[ ]"]);
        check(&json!([insert(8, "\nnew")]), &["[ ] one", "[x] two", "[ ] new", "[ ] three", "[ ]"]);
        check(&json!([insert(6, "\n")]), &["[ ] one", "[x] t", "[ ] wo", "[ ] three", "[ ]"]);
        // Merged with what follows it, and into what is before it.
        check(&json!([delete(8, 9)]), &["[ ] one", "[x] twothree", "[ ]"]);
        check(&json!([delete(4, 5)]), &["[ ] onetwo", "[ ] three", "[ ]"]);
        check(&json!([delete(5, 9)]), &["[ ] one", "[ ] three", "[ ]"]);
        // No list, no box.
        check(
            &json!([{"deleteParagraphBullets": {"range": {"startIndex": 5, "endIndex": 8}}}]),
            &["[ ] one", "[ ] three", "[ ]"],
        );
    }

    #[test]
    fn what_is_unticked_leaves_nothing_behind() {
        let mut ticks = Ticks::default();
        assert!(ticks.set("t.0", "", 5, true));
        assert_eq!(serde_json::to_value(&ticks).unwrap(), json!({"t.0": {"": [5]}}));
        assert!(ticks.set("t.0", "", 5, false) && !ticks.set("t.0", "", 5, false) && ticks.is_empty());
    }
}
