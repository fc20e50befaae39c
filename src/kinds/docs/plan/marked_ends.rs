//! The newlines of list items, whose looks the marks take in Docs: where an item was moved, or edited while another was put
//! behind it, its newline is another's. Pure.

use serde_json::{Map, Value};

use super::edit::range;
use super::glyphs::{Item, Marked, Restored, differing};
use crate::gdocs::{DocumentTab, Request, Style, UpdateTextStyle};

/// Most requests for the looks of newlines; what would need more is told.
const REQUESTS_MAX: usize = 10_000;

impl Marked<'_> {
    /// Finds what gives each newline of an item the look it had, the last first. One that goes with what the file says of the
    /// whole text of its item does as Docs does.
    pub(super) fn restored_ends(&self, tab: &DocumentTab, tab_id: Option<&str>) -> Restored {
        let mut restored = Restored::default();
        for (at, item) in self.is.iter().enumerate() {
            let Some((fields, style)) = self.differing_end(tab, at) else { continue };
            let said = (item.element, item.words());
            if restored.requests.len() >= REQUESTS_MAX {
                restored.lost.push(said);
                continue;
            }
            restored.changed.push(said);
            restored.requests.push(Request::UpdateTextStyle(UpdateTextStyle {
                range: range(item.segment, tab_id, item.end.saturating_sub(1), item.end),
                text_style: Style(fields.iter().filter_map(|field| style.get_key_value(field)).map(owned).collect()),
                fields: fields.join(","),
            }));
        }
        restored.requests.reverse();
        restored
    }

    /// The style that the newline of an item shall have.
    pub(super) fn wanted_end(&self, tab: &DocumentTab, at: usize) -> Map<String, Value> {
        let mut style = self.is.get(at).and_then(Item::end_style).cloned().unwrap_or_default();
        if let Some((fields, was)) = self.differing_end(tab, at) {
            for field in fields {
                match was.get(&field) {
                    Some(value) => style.insert(field, value.clone()),
                    None => style.remove(&field),
                };
            }
        }
        style
    }

    /// The fields in which the newline of an item does not look as it did, and the style it had. Of what was joined, the
    /// first counts whose mark it has.
    fn differing_end(&self, tab: &DocumentTab, at: usize) -> Option<(Vec<String>, Map<String, Value>)> {
        let (item, sources) = (self.is.get(at)?, self.sources.get(at)?);
        // To style all there is of an item would style its mark, too.
        if item.end <= item.start + 1 {
            return None;
        }
        let mark = item.look(tab);
        let mut sources = sources.clone();
        sources.sort_unstable();
        let olds = || sources.iter().filter_map(|at| self.was.1.get(*at));
        let old = olds().find(|old| differing(&old.look(self.was.0), &mark).is_empty()).or_else(|| olds().next())?;
        let look = item.end_look(tab);
        let mut fields = differing(&old.end_look(self.was.0), &look);
        fields.retain(|field| !item.goes_with_text((tab, &look), (self.was.0, old), field));
        (!fields.is_empty()).then(|| (fields, old.end_style().cloned().unwrap_or_default()))
    }
}

fn owned((field, value): (&String, &Value)) -> (String, Value) {
    (field.clone(), value.clone())
}

impl<'a> Item<'a> {
    /// The style of its newline as it is stored.
    pub(super) fn end_style(&self) -> Option<&'a Map<String, Value>> {
        self.paragraph.elements.last()?.text_style()
    }

    /// The style of its newline without what says no more than its absence.
    pub(super) fn end_look(&self, tab: &DocumentTab) -> Map<String, Value> {
        self.own(tab, self.end_style())
    }
}
