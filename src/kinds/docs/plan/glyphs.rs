//! The looks of list marks, which no file shows: what is typed anew beside an item gets the mark of that, and so an item
//! that was moved, or one that others moved past, would get another's. A mark looks as the newline of its item does in Docs,
//! so that goes with it (`marked_ends`). Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use unicode_segmentation::UnicodeSegmentation as _;

use super::edit::{Expected, element, range};
use super::planner::{is_mostly, words_of};
use super::restyle::contents;
use crate::gdocs::{
    BulletPreset, DocumentTab, Paragraph, ParagraphElement, Request, SegmentTrace, StructuralElement, Style,
    UpdateTextStyle, list_of, same, same_field, utf16_len,
};
use crate::kinds::docs::text::extract::Extract;
use crate::kinds::docs::text::style::{Base, is_link_look};

/// Most requests for the looks of marks; what would need more is told.
const REQUESTS_MAX: usize = 10_000;

/// What gives the marks of items their looks again.
#[derive(Default)]
pub(super) struct Restored {
    pub(super) requests: Vec<Request>,
    /// The items whose marks change: where they stand in the body, and what they say.
    pub(super) changed: Vec<(Option<usize>, String)>,
    /// Those whose marks cannot look as they did.
    pub(super) lost: Vec<(Option<usize>, String)>,
}

impl Restored {
    /// The elements of the document before the text was edited whose marks change.
    pub(super) fn touched(&self, after: &Extract, expected: &[Expected]) -> Vec<usize> {
        let changed: BTreeSet<usize> = self.changed.iter().filter_map(|(element, _)| *element).collect();
        let found = expected.iter().zip(contents(after));
        found
            .filter(|(_, (_, origin))| element(origin).is_some_and(|at| changed.contains(&at)))
            .filter_map(|(expected, _)| expected.element)
            .collect()
    }
}

/// The items of a tab before and after an edit, and which became which.
pub(super) struct Marked<'a> {
    pub(super) was: (&'a DocumentTab, Vec<Item<'a>>),
    pub(super) is: Vec<Item<'a>>,
    /// For each item that is there now, those that it was made of, the one most like it first.
    pub(super) sources: Vec<Vec<usize>>,
}

impl<'a> Marked<'a> {
    /// Reads both sides; `None` when neither a mark nor the newline of an item has a look of its own. `traces` tells where
    /// characters come from, `edited` which item of the body became which where it stands: where both begin.
    pub(super) fn read(
        was: &'a DocumentTab,
        is: &'a DocumentTab,
        traces: impl FnOnce() -> Vec<SegmentTrace>,
        edited: &[(u32, u32)],
    ) -> Option<Self> {
        let (old, new) = (items(was), items(is));
        let has_look = |item: &Item<'_>, tab| !item.look(tab).is_empty() || !item.end_look(tab).is_empty();
        if !old.iter().any(|item| has_look(item, was)) && !new.iter().any(|item| has_look(item, is)) {
            return None;
        }
        let mut sources = sources(&old, &new, traces);
        note_edited(&old, &new, edited, &mut sources);
        Some(Self { was: (was, old), is: new, sources })
    }

    /// Reads the same items again, as requests that changed nothing but looks left them.
    pub(super) fn again<'b>(&'b self, is: &'b DocumentTab) -> Marked<'b>
    where
        'a: 'b,
    {
        Marked { was: (self.was.0, self.was.1.clone()), is: items(is), sources: self.sources.clone() }
    }

    /// Finds what gives each mark the look it had. A mark that goes with what the file says of the whole text of its item
    /// does as Docs does.
    pub(super) fn restored(&self, tab: &DocumentTab, tab_id: Option<&str>) -> Restored {
        let mut restored = Restored::default();
        let mut given = Given::default();
        let mut whole: Vec<Stretch<'_>> = Vec::new();
        for (at, fields, wanted) in self.differing(tab) {
            let Some(item) = self.is.get(at) else { continue };
            let said = (item.element, item.words());
            let full = given.texts.len() + given.ends.len() > REQUESTS_MAX;
            let end = self.wanted_end(tab, at);
            if full || given.back(tab, item, &fields, (&wanted, &end)).is_none() {
                restored.lost.push(said);
                continue;
            }
            restored.changed.push(said);
            let stretch = Stretch { segment: item.segment, start: item.start, end: item.end, fields, style: wanted };
            match whole.last_mut() {
                Some(last) if last.goes_on(&stretch) => last.end = stretch.end,
                _ => whole.push(stretch),
            }
        }
        // An end that is not as its text goes last: to style the text up to it takes it in.
        let sweeps = [whole, given.texts, given.ends].into_iter();
        let stretches = sweeps.flat_map(|sweep| sweep.into_iter().rev());
        restored.requests.extend(stretches.map(|stretch| stretch.request(tab_id)));
        restored
    }

    /// The items whose marks do not look as they did, with the fields that differ and what they were.
    fn differing(&self, tab: &DocumentTab) -> impl Iterator<Item = (usize, Vec<String>, Map<String, Value>)> {
        self.is.iter().zip(&self.sources).enumerate().filter_map(move |(at, (item, sources))| {
            let look = item.look(tab);
            let olds = || sources.iter().filter_map(|at| self.was.1.get(*at));
            if olds().any(|old| differing(&old.look(self.was.0), &look).is_empty()) {
                return None;
            }
            let old = olds().next()?;
            let was = old.look(self.was.0);
            let mut fields = differing(&was, &look);
            fields.retain(|field| !item.goes_with_text((tab, &look), (self.was.0, old), field));
            let own = old.style();
            let values = fields.iter().filter_map(|field| Some((field.clone(), own?.get(field)?.clone()))).collect();
            (!fields.is_empty()).then_some((at, fields, values))
        })
    }
}

/// The fields in which two looks differ.
pub(super) fn differing(one: &Map<String, Value>, other: &Map<String, Value>) -> Vec<String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|field| !same_field(one.get(*field), other.get(*field))).cloned().collect()
}

/// An item of a list, wherever in a tab.
#[derive(Clone)]
pub(super) struct Item<'a> {
    pub(super) segment: Option<&'a str>,
    /// The element of the body that it stands in.
    pub(super) element: Option<usize>,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) paragraph: &'a Paragraph,
}

impl<'a> Item<'a> {
    /// What it says, an object as U+FFFC, with single blanks: what is typed anew has those that the file shows.
    fn text(&self) -> String {
        let parts = self.paragraph.elements.iter().map(|part| part.text().unwrap_or("\u{fffc}"));
        parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// What it says without objects.
    pub(super) fn words(&self) -> String {
        self.text().replace('\u{fffc}', "").trim().to_owned()
    }

    /// The style of its mark as it is stored.
    fn style(&self) -> Option<&'a Map<String, Value>> {
        self.paragraph.bullet.as_ref()?.text_style.as_ref().map(|style| &style.0)
    }

    /// The style of its mark without what says no more than its absence.
    pub(super) fn look(&self, tab: &DocumentTab) -> Map<String, Value> {
        self.own(tab, self.style())
    }

    /// A style, of its mark or its newline, without what says no more than its absence.
    pub(super) fn own(&self, tab: &DocumentTab, style: Option<&Map<String, Value>>) -> Map<String, Value> {
        let all = style.into_iter().flatten().filter(|(field, _)| *field != "link");
        all.filter(|(field, value)| !self.is_inherited(tab, field, value))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect()
    }

    fn is_inherited(&self, tab: &DocumentTab, field: &str, value: &Value) -> bool {
        let base = Base { tab, named: self.paragraph.named_style_type(), footnote: false };
        match base.text(field) {
            Some(inherited) => same(inherited, value),
            None => match value {
                Value::Bool(on) => !on,
                Value::Object(fields) => fields.is_empty(),
                Value::String(text) => text == "NONE",
                Value::Null | Value::Number(_) | Value::Array(_) => false,
            },
        }
    }

    /// Tells whether its mark or its newline, which looks like `look`, has in a field what the file says anew of all of its
    /// text; `old` is the item that it was.
    pub(super) fn goes_with_text(
        &self,
        (tab, look): (&DocumentTab, &Map<String, Value>),
        (was, old): (&DocumentTab, &Item<'_>),
        field: &str,
    ) -> bool {
        let (now, then) = (self.said(tab, field), old.said(was, field));
        let goes_with_text = now.as_ref().is_some_and(|now| same_field(now.as_ref(), look.get(field)));
        let is_said_anew = match (&now, &then) {
            (Some(now), Some(then)) => !same_field(now.as_ref(), then.as_ref()),
            // Where the texts differed among themselves, what none has now may be what could not be pushed.
            (Some(now), None) => now.is_some(),
            (None, _) => false,
        };
        goes_with_text && is_said_anew
    }

    /// What all of its text has for a field, when all of it has the same; the look of links is none of it.
    fn said(&self, tab: &DocumentTab, field: &str) -> Option<Option<Value>> {
        let value = |part: &ParagraphElement| {
            let style = part.text_style()?;
            let value = style.get(field)?;
            let is_of_link = style.get("link").is_some() && is_link_look(field, value);
            (!is_of_link && !self.is_inherited(tab, field, value)).then(|| value.clone())
        };
        let shown = |part: &&ParagraphElement| part.text().is_none_or(|text| !text.trim().is_empty());
        let mut values = self.paragraph.elements.iter().filter(shown).map(value);
        let first = values.next()?;
        values.all(|value| same_field(value.as_ref(), first.as_ref())).then_some(first)
    }
}

/// Tells whether a paragraph of the body is an item that the request for a list of bullets makes just as it is: of a list
/// of which nobody changed a level, with that list's indents, and a mark and a newline that have no look of their own.
pub(super) fn is_plain(tab: &DocumentTab, element: usize) -> bool {
    let place = tab.body.as_ref().and_then(|body| body.content.get(element));
    let Some((place, paragraph)) = place.and_then(|place| Some((place, place.paragraph.as_ref()?))) else {
        return false;
    };
    let Some(bullet) = &paragraph.bullet else { return false };
    let fresh = list_of(BulletPreset::BulletDiscCircleSquare);
    let path = "/listProperties/nestingLevels";
    let own = tab.lists.get(&bullet.list_id).and_then(|list| list.pointer(path));
    let (Some(own), Some(made)) = (own, fresh.pointer(path)) else { return false };
    let (start, end) = (place.start_index.utf16(), place.end_index.utf16());
    let item = Item { segment: None, element: Some(element), start, end, paragraph };
    let level = usize::try_from(bullet.nesting_level.unwrap_or(0)).ok().and_then(|level| made.get(level));
    let style = paragraph.paragraph_style.as_ref().map(|style| &style.0);
    let is_indented = ["indentStart", "indentFirstLine"].into_iter().any(|field| {
        let is = style.and_then(|style| style.get(field));
        is.is_some() && !same_field(is, level.and_then(|level| level.get(field)))
    });
    same(own, made) && !is_indented && item.look(tab).is_empty() && item.end_look(tab).is_empty()
}

fn items(tab: &DocumentTab) -> Vec<Item<'_>> {
    fn walk<'a>(
        content: &'a [StructuralElement],
        segment: Option<&'a str>,
        outer: Option<usize>,
        items: &mut Vec<Item<'a>>,
    ) {
        for (at, element) in content.iter().enumerate() {
            let outer = outer.or_else(|| segment.is_none().then_some(at));
            if let Some(paragraph) = element.paragraph.as_ref().filter(|paragraph| paragraph.bullet.is_some()) {
                let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
                items.push(Item { segment, element: outer, start, end, paragraph });
            }
            let rows = element.table.iter().flat_map(|table| &table.table_rows);
            for cell in rows.flat_map(|row| &row.table_cells) {
                walk(&cell.content, segment, outer, items);
            }
        }
    }
    let mut items = Vec::new();
    for segment in tab.segment_ids() {
        walk(tab.segment(segment).unwrap_or_default(), segment, None, &mut items);
    }
    items
}

/// Finds out which items each one comes from: one that says the same, else those whose characters it has, else one that is
/// gone and said mostly the same.
fn sources(old: &[Item<'_>], new: &[Item<'_>], traces: impl FnOnce() -> Vec<SegmentTrace>) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); new.len()];
    let mut free: BTreeSet<usize> = (0..old.len()).collect();
    let by_text = |items: &[Item<'_>]| {
        let mut texts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, text) in items.iter().map(Item::text).enumerate().filter(|(_, text)| !text.is_empty()) {
            texts.entry(text).or_default().push(at);
        }
        texts
    };
    let (olds, news) = (by_text(old), by_text(new));
    let mut several = Vec::new();
    for (text, there) in &news {
        match (olds.get(text).map(Vec::as_slice), there.as_slice()) {
            (Some([i]), [j]) => take(&mut found, &mut free, *j, *i),
            (Some(here), there) => several.push((here, there)),
            (None, _) => {}
        }
    }
    if found.iter().all(|sources| !sources.is_empty()) {
        return found;
    }
    let traces = traces();
    let mut segments: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, item) in old.iter().enumerate() {
        segments.entry(item.segment.unwrap_or_default()).or_default().push(at);
    }
    let origins: Vec<Vec<usize>> = new.iter().map(|item| origins(item, old, &segments, &traces)).collect();
    for (here, there) in several {
        for j in there {
            let stays = origins.get(*j).into_iter().flatten().find(|i| here.contains(i) && free.contains(i));
            if let Some(i) = stays {
                take(&mut found, &mut free, *j, *i);
            }
        }
        let left: Vec<usize> = here.iter().copied().filter(|i| free.contains(i)).collect();
        let unknown: Vec<usize> = there.iter().copied().filter(|j| found.get(*j).is_some_and(Vec::is_empty)).collect();
        unknown.into_iter().zip(left).for_each(|(j, i)| take(&mut found, &mut free, j, i));
    }
    let claimed: BTreeSet<usize> = (0..old.len()).filter(|i| !free.contains(i)).collect();
    for (sources, origins) in found.iter_mut().zip(origins).filter(|(sources, _)| sources.is_empty()) {
        sources.extend(origins.into_iter().filter(|i| !claimed.contains(i)));
        sources.iter().for_each(|i| _ = free.remove(i));
    }
    let words = |item: &Item<'_>| words_of(&item.words());
    let gone: Vec<(usize, BTreeSet<String>)> =
        free.iter().filter_map(|i| Some((*i, words(old.get(*i)?)))).filter(|(_, words)| !words.is_empty()).collect();
    for (j, item) in new.iter().enumerate().filter(|_| !gone.is_empty()) {
        let words = words(item);
        let like = gone.iter().find(|(i, gone)| free.contains(i) && is_mostly(gone, &words));
        if let (true, Some((i, _))) = (found.get(j).is_some_and(Vec::is_empty), like) {
            take(&mut found, &mut free, j, *i);
        }
    }
    found
}

/// Notes what an item was that was edited where it stands and has nothing in common with what it said.
fn note_edited(old: &[Item<'_>], new: &[Item<'_>], edited: &[(u32, u32)], found: &mut [Vec<usize>]) {
    let mut known: BTreeSet<usize> = found.iter().flatten().copied().collect();
    let starting = |items: &[Item<'_>], start: u32| {
        items.iter().position(|item| item.segment.is_none() && item.start == start && !item.text().is_empty())
    };
    for (was, is) in edited {
        let (Some(i), Some(j)) = (starting(old, *was), starting(new, *is)) else { continue };
        if let Some(sources) = found.get_mut(j).filter(|sources| sources.is_empty())
            && known.insert(i)
        {
            sources.push(i);
        }
    }
}

fn take(found: &mut [Vec<usize>], free: &mut BTreeSet<usize>, j: usize, i: usize) {
    if let Some(sources) = found.get_mut(j) {
        sources.push(i);
        free.remove(&i);
    }
}

/// The items that the characters of one come from, the one with the most first.
fn origins(
    item: &Item<'_>,
    old: &[Item<'_>],
    segments: &BTreeMap<&str, Vec<usize>>,
    traces: &[SegmentTrace],
) -> Vec<usize> {
    let segment = item.segment.unwrap_or_default();
    let (Some(trace), Some(of_segment)) =
        (traces.iter().find(|trace| trace.segment_id == segment), segments.get(segment))
    else {
        return Vec::new();
    };
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let units = trace.units.get(place(item.start)..place(item.end.saturating_sub(1))).unwrap_or_default();
    let ends_before = |i: &usize, unit: u32| old.get(*i).is_some_and(|other| other.end <= unit);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for unit in units.iter().flatten() {
        let at = of_segment.get(of_segment.partition_point(|i| ends_before(i, *unit)));
        if let Some(i) = at.filter(|i| old.get(**i).is_some_and(|other| other.start <= *unit)) {
            *counts.entry(*i).or_default() += 1;
        }
    }
    let mut found: Vec<(usize, usize)> = counts.into_iter().map(|(i, count)| (count, i)).collect();
    found.sort_by_key(|(count, i)| (std::cmp::Reverse(*count), *i));
    found.into_iter().map(|(_, i)| i).collect()
}

/// A stretch of text and the style that it is given.
#[derive(Debug, Clone, PartialEq)]
struct Stretch<'a> {
    segment: Option<&'a str>,
    start: u32,
    end: u32,
    fields: Vec<String>,
    style: Map<String, Value>,
}

impl Stretch<'_> {
    fn goes_on(&self, next: &Self) -> bool {
        self.segment == next.segment && self.end == next.start && self.fields == next.fields && self.style == next.style
    }

    fn request(self, tab_id: Option<&str>) -> Request {
        Request::UpdateTextStyle(UpdateTextStyle {
            range: range(self.segment, tab_id, self.start, self.end),
            text_style: Style(self.style),
            fields: self.fields.join(","),
        })
    }
}

/// What gives the texts of items and their ends back what they have, once all of each was styled with its mark.
#[derive(Default)]
struct Given<'a> {
    texts: Vec<Stretch<'a>>,
    ends: Vec<Stretch<'a>>,
}

impl<'a> Given<'a> {
    /// Adds one item whose newline shall have the style `end`; `None` where it cannot be done without styling the mark, too.
    fn back(
        &mut self,
        tab: &DocumentTab,
        item: &Item<'a>,
        fields: &[String],
        (mark, end): (&Map<String, Value>, &Map<String, Value>),
    ) -> Option<()> {
        let newline = item.end.checked_sub(1)?;
        let plain = |values: &Map<String, Value>| -> Map<String, Value> {
            let own = fields.iter().filter_map(|field| Some((field.clone(), values.get(field)?.clone())));
            own.filter(|(field, value)| !item.is_inherited(tab, field, value)).collect()
        };
        let given = plain(mark);
        let text = |part: &ParagraphElement| part.text_style().map_or_else(|| given.clone(), plain);
        let parts = parts(item, fields, text, &plain(end));
        let ending = parts.last().filter(|last| last.end == item.end)?.clone();
        let (mut texts, mut ends) = (Vec::new(), Vec::new());
        for part in parts.into_iter().filter(|part| part.style != given) {
            // What ends at the end of the paragraph takes that in.
            let takes_end = part.end == newline;
            if part.start == item.start && part.end >= newline {
                let middle = item.start.checked_add(first_width(item.paragraph)?).filter(|middle| *middle < newline)?;
                texts.push(Stretch { end: middle, ..part.clone() });
                texts.push(Stretch { start: middle, ..part });
            } else if part.start == newline {
                ends.push(part);
            } else {
                texts.push(part);
            }
            if takes_end && ending.style == given {
                ends.push(Stretch { start: newline, ..ending.clone() });
            }
        }
        self.texts.append(&mut texts);
        self.ends.append(&mut ends);
        Some(())
    }
}

/// The stretches of an item that look alike; `style` tells what a part has, `ending` what the newline shall have.
fn parts<'a>(
    item: &Item<'a>,
    fields: &[String],
    style: impl Fn(&ParagraphElement) -> Map<String, Value>,
    ending: &Map<String, Value>,
) -> Vec<Stretch<'a>> {
    let newline = item.end.saturating_sub(1);
    let mut parts: Vec<Stretch<'a>> = Vec::new();
    for part in &item.paragraph.elements {
        let (start, end) = (part.start_index.utf16(), part.end_index.utf16());
        let middle = end.min(newline).max(start);
        let halves = [(start, middle, style(part)), (middle, end, ending.clone())];
        for (start, end, style) in halves.into_iter().filter(|(start, end, _)| start < end) {
            let next = Stretch { segment: item.segment, start, end, fields: fields.to_vec(), style };
            match parts.last_mut() {
                Some(last) if last.goes_on(&next) => last.end = next.end,
                _ => parts.push(next),
            }
        }
    }
    parts
}

/// The width of the first that a reader sees as one character.
fn first_width(paragraph: &Paragraph) -> Option<u32> {
    let first = paragraph.elements.first()?;
    match first.text() {
        Some(text) => Some(utf16_len(text.graphemes(true).next()?)),
        None => first.end_index.utf16().checked_sub(first.start_index.utf16()),
    }
}
