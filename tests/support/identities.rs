//! Law 5 on identities: what an edit of a file leaves alone is afterwards the same characters of the document, with the
//! same looks, and nothing else of the document changes. What is left alone is told by the two files, not by the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use mcp_workspace::gdocs::SegmentTrace;
use mcp_workspace::mebdf::{Block, Content, Run, State};
use serde_json::{Value, json};

use super::kept::{File, Kept, OBJECT, Stands, compare, is_private, is_visible, visible};
use super::pieces::{alike, content, element_at, extent, map, named, number, part_at, place_end, same, same_part};

/// A batch: what it was planned from, and what it did.
pub(crate) struct Batch<'a> {
    /// The document before.
    pub(crate) before: &'a Value,
    /// The document after.
    pub(crate) after: &'a Value,
    /// Where the characters of the document after come from.
    pub(crate) traces: &'a [SegmentTrace],
    /// Which of the tabs, in the order in which people see them, was edited.
    pub(crate) tab: usize,
    /// Its file, and the file as it was edited: text, and what it says.
    pub(crate) files: [(&'a str, &'a File); 2],
    /// What the document shall say instead, where a part of the edit is refused: that may leave other blocks where the edit
    /// has them elsewhere.
    pub(crate) instead: Option<&'a File>,
    /// Whether it is told that something has lost looks of its own.
    pub(crate) lost: bool,
}

/// A visible character or object of the document: segment, place and width.
#[derive(Clone, Copy)]
struct Unit {
    what: char,
    at: usize,
    len: usize,
}

/// Where a block of a file stands in the document.
struct Place<'a> {
    /// Empty for the body.
    segment: &'a str,
    /// Its elements in the segment.
    elements: Range<usize>,
    units: Vec<Unit>,
}

/// Checks that nothing but what was edited has changed.
pub(crate) fn check(batch: &Batch<'_>) {
    let (old_tabs, new_tabs) = (tabs(batch.before), tabs(batch.after));
    assert_eq!(old_tabs.len(), new_tabs.len(), "law 5: tabs come or go");
    let [(_, old_file), (edited, new_file)] = batch.files;
    let head_stays = old_file.head == new_file.head;
    assert!(alike(batch.before, batch.after, &["tabs", "revisionId"]), "law 5: the document itself changes");
    for (number, (old, new)) in old_tabs.iter().zip(&new_tabs).enumerate() {
        if number != batch.tab {
            assert!(alike(old, new, &["childTabs"]), "law 5: another tab changes");
            continue;
        }
        assert!(!head_stays || old["tabProperties"] == new["tabProperties"], "law 5: the tab's properties change");
        let (old, new) = (&old["documentTab"], &new["documentTab"]);
        surroundings(old, new, head_stays);
        let id = tab_id(batch.before, number);
        let traces = batch.traces.iter().filter(|trace| trace.tab_id == id);
        let moves = traces.map(|trace| (trace.segment_id.as_str(), Moves::of(trace))).collect();
        let tethered: BTreeSet<&str> = map(&old["positionedObjects"]).map(|(id, _)| id.as_str()).collect();
        let kept = |new: &File| compare(old_file, &new.tethered_first(&tethered), is_tied(old));
        let mut standing = kept(new_file);
        if let Some(instead) = batch.instead {
            standing.keep(&kept(instead));
        }
        let kept = standing;
        let tab = Tab { old, new, moves, places: places(old_file, old), old_file, new_file };
        tab.blocks(&kept);
        tab.words(&kept);
        tab.ranges(&kept);
        if !batch.lost {
            tab.marks();
            tab.settings();
        }
        let asked = edited.matches("{^").count();
        assert!(anchors(new) <= asked + anchors(old), "law 5: an anchor that nobody asked for");
    }
}

/// Tells whether a comment, a named range or a suggestion is tied to text of a tab.
fn is_tied(tab: &Value) -> bool {
    let ranges = ["commentAnchors", "namedRanges"].into_iter().any(|key| map(&tab[key]).next().is_some());
    ranges || tab["body"].to_string().contains("\"suggested")
}

/// The id of one of the tabs, in the order in which people see them.
pub(crate) fn tab_id(document: &Value, tab: usize) -> &str {
    tabs(document)[tab]["tabProperties"]["tabId"].as_str().unwrap_or_default()
}

/// All tabs, a parent before its children.
fn tabs(document: &Value) -> Vec<&Value> {
    fn walk<'a>(tabs: &'a Value, found: &mut Vec<&'a Value>) {
        for tab in tabs.as_array().into_iter().flatten() {
            found.push(tab);
            walk(&tab["childTabs"], found);
        }
    }
    let mut found = Vec::new();
    walk(&document["tabs"], &mut found);
    found
}

/// Checks all of a tab that is no text.
fn surroundings(old: &Value, new: &Value, head_stays: bool) {
    const TEXTS: [&str; 9] = [
        "body",
        "headers",
        "footers",
        "footnotes",
        "lists",
        "namedRanges",
        "commentAnchors",
        "inlineObjects",
        "positionedObjects",
    ];
    // A new header or footer is noted in the style of the document.
    let but: Vec<&str> = TEXTS.into_iter().chain((!head_stays).then_some("documentStyle")).collect();
    assert!(alike(old, new, &but), "law 5: something beside the text changes");
    for kind in ["headers", "footers"] {
        assert!(!head_stays || old[kind] == new[kind], "law 5: {kind} change, and the head was not edited");
    }
    let text = new.to_string();
    for kind in ["lists", "inlineObjects", "positionedObjects"] {
        for (id, value) in map(&old[kind]) {
            match new[kind].get(id) {
                Some(now) => assert_eq!(value, now, "law 5: {id} of {kind} changes"),
                None => assert!(!text.contains(&format!("\"{id}\"")), "law 5: {id} of {kind} is gone and still used"),
            }
        }
    }
}

/// Where the characters of a segment went.
struct Moves {
    /// By place before: the place after.
    to: Vec<Option<usize>>,
    /// By place after: the place before.
    from: Vec<Option<usize>>,
}

impl Moves {
    fn of(trace: &SegmentTrace) -> Self {
        let from: Vec<Option<usize>> = trace.units.iter().map(|unit| unit.map(|unit| unit as usize)).collect();
        let end = from.iter().flatten().max().map_or(0, |last| last + 1);
        let mut to = vec![None; end];
        for (after, before) in from.iter().enumerate() {
            if let Some(before) = before {
                to[*before] = Some(after);
            }
        }
        Self { to, from }
    }

    fn of_unit(&self, at: usize) -> Option<usize> {
        self.to.get(at).copied().flatten()
    }
}

struct Tab<'a> {
    old: &'a Value,
    new: &'a Value,
    moves: BTreeMap<&'a str, Moves>,
    places: Vec<Place<'a>>,
    old_file: &'a File,
    new_file: &'a File,
}

impl Tab<'_> {
    /// Says which block a finding is about.
    fn shown(&self, block: usize) -> String {
        format!("{:?}", self.old_file.blocks[block])
    }

    /// A footnote goes with its references, so they decide.
    fn stands(&self, kept: &Kept, block: usize) -> bool {
        if !kept.blocks[block] {
            return false;
        }
        let Content::Footnote { label, .. } = &self.old_file.blocks[block].0.content else { return true };
        let mark = format!("FootnoteReference({label:?})");
        let notes = |file: &File| {
            file.blocks
                .iter()
                .filter(|b| matches!(&b.0.content, Content::Footnote { label: other, .. } if other == label))
                .count()
        };
        let refers = |block: usize| format!("{:?}", self.old_file.blocks[block].0.content).contains(&mark);
        notes(self.old_file) == 1
            && notes(self.new_file) == 1
            && (0..self.places.len()).all(|other| kept.blocks[other] || !refers(other))
            && self.new_file.blocks.iter().filter(|b| format!("{:?}", b.0.content).contains(&mark)).count()
                == self.old_file.blocks.iter().filter(|b| format!("{:?}", b.0.content).contains(&mark)).count()
    }

    /// Checks that blocks that stand in both files are the same elements, whole.
    fn blocks(&self, kept: &Kept) {
        for block in (0..self.places.len()).filter(|block| self.stands(kept, *block)) {
            let place = &self.places[block];
            let moves = self
                .moves
                .get(place.segment)
                .unwrap_or_else(|| panic!("law 5: a segment is gone of {}", self.shown(block)));
            for unit in &place.units {
                for at in unit.at..unit.at + unit.len {
                    assert!(
                        moves.of_unit(at).is_some(),
                        "law 5: a character of a block that was not edited is deleted: {}",
                        self.shown(block)
                    );
                }
            }
            let (old, new) = (content(self.old, place.segment), content(self.new, place.segment));
            for element in &old[place.elements.clone()] {
                self.element(kept, block, element, new, moves);
            }
        }
    }

    /// Checks one structural element; an empty paragraph has nothing to be found by.
    fn element(&self, kept: &Kept, block: usize, element: &Value, new: &[Value], moves: &Moves) {
        let (start, end) = extent(element);
        let empty = end - start == 1 && element.get("paragraph").is_some();
        let Some(first) = moves.of_unit(start) else {
            // Of a paragraph, blanks before its text are not in the file.
            assert!(
                element.get("paragraph").is_some(),
                "law 5: an element that was not edited is gone: {}",
                self.shown(block)
            );
            return;
        };
        let Some(now) = element_at(new, first) else { panic!("law 5: {first} stands nowhere: {}", self.shown(block)) };
        if empty {
            return;
        }
        if (kept.twice[block] || self.precedes_structure(place_end(element), extent(now).1, moves))
            && same(&named(element), &named(now))
        {
            return;
        }
        assert!(
            same(element, now) || counts_on(element, now, new),
            "law 5: a block that was not edited changes: {}\nfrom {element}\nto {now}",
            self.shown(block)
        );
    }

    /// Tells whether something new stands behind a paragraph behind which nothing could be put but by way of its end, which
    /// takes the heading's id along: before a table, a break, the end, and where suggestions wait.
    fn precedes_structure(&self, end: usize, now: usize, moves: &Moves) -> bool {
        let next = element_at(content(self.old, ""), end);
        let closed = |next: &Value| next.get("paragraph").is_none() || next.to_string().contains("\"suggested");
        next.is_none_or(closed) && moves.of_unit(end) != Some(now)
    }

    /// Checks that words that stand in both files are the same characters, and look as they did unless the file says.
    fn words(&self, kept: &Kept) {
        for Stands { block, tokens, .. } in kept.words.iter().filter(|word| self.is_open(word)) {
            let place = &self.places[*block];
            let Some(moves) = self.moves.get(place.segment) else { panic!("law 5: a segment is gone") };
            for (token, looks) in tokens {
                // What changes the character before a combining one changes that.
                let Some(unit) = place.units.get(*token).filter(|unit| unit.what != '\u{301}') else { continue };
                let now: Vec<Option<usize>> = (unit.at..unit.at + unit.len).map(|at| moves.of_unit(at)).collect();
                assert!(
                    now.iter().all(Option::is_some),
                    "law 5: {:?} was not edited and is deleted, in {}",
                    unit.what,
                    self.shown(*block)
                );
                let (Some(Some(now)), true) = (now.first(), *looks) else { continue };
                let old = part_at(content(self.old, place.segment), unit.at).expect("a character stands somewhere");
                let new = part_at(content(self.new, place.segment), *now).expect("a character stands somewhere");
                assert!(
                    same_part(old, new),
                    "law 5: {:?} was not edited and changes from {old} to {new}, in {}",
                    unit.what,
                    self.shown(*block)
                );
            }
        }
    }

    /// Checks that items that stand in both files, wherever, have the marks that they had.
    fn marks(&self) {
        let (old, new) = (marks(self.old), marks(self.new));
        for (block, place) in self.places.iter().enumerate() {
            let said: String = place.units.iter().map(|unit| unit.what).collect();
            let (Some(was), Some(is)) = (once(self.old_file, &said, true), once(self.new_file, &said, true)) else {
                continue;
            };
            // A chip is made once the text stands, and the mark goes with what all of the text looks like.
            let chips = place.units.iter().any(|unit| unit.what == OBJECT);
            if !matches!(was.0.content, Content::Item { .. }) || looks(was) != looks(is) || chips {
                continue;
            }
            if let (Some([was]), Some([is])) = (old.get(&said).map(Vec::as_slice), new.get(&said).map(Vec::as_slice)) {
                assert_eq!(was, is, "law 5: the mark of an item changes: {}", self.shown(block));
            }
        }
    }

    /// Checks that paragraphs of one kind that stand in both files, wherever, have the settings that no file shows.
    fn settings(&self) {
        let (old, new) = (settings(self.old), settings(self.new));
        for (block, place) in self.places.iter().enumerate() {
            // Two that differ in their objects alone could be either.
            let said = words(&place.units);
            let (old_file, new_file) = (once(self.old_file, &said, false), once(self.new_file, &said, false));
            let (Some(was), Some(is)) = (old_file, new_file) else { continue };
            if said.is_empty() || kind(was) != kind(is) {
                continue;
            }
            if let (Some([was]), Some([is])) = (old.get(&said).map(Vec::as_slice), new.get(&said).map(Vec::as_slice)) {
                assert_eq!(was, is, "law 5: what no file shows of a paragraph changes: {}", self.shown(block));
            }
        }
    }

    /// Tells whether newlines can change where a word stands: not where suggestions wait or an object is tethered.
    fn is_open(&self, word: &Stands) -> bool {
        let open = |element: &Value| {
            element["paragraph"].get("positionedObjectIds").is_none() && !element.to_string().contains("\"suggested")
        };
        // A heading's id goes with its newline, so one that is split keeps it only when its end is written anew.
        if word.recut && word.stretch.clone().any(|block| self.is_linked(block)) {
            return false;
        }
        word.stretch.len() == 1 && !word.recut
            || self.places[word.stretch.clone()]
                .iter()
                .all(|place| content(self.old, place.segment)[place.elements.clone()].iter().all(open))
    }

    /// Tells whether a block is a heading that a link of the tab goes to.
    fn is_linked(&self, block: usize) -> bool {
        let Content::Heading { anchor: Some(id), .. } = &self.old_file.blocks[block].0.content else { return false };
        self.old.to_string().matches(&format!("\"{id}\"")).count() > 1
    }

    /// Checks that what is tied to text stays tied to the same characters.
    fn ranges(&self, kept: &Kept) {
        let mut standing: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for block in (0..self.places.len()).filter(|block| self.stands(kept, *block)) {
            let place = &self.places[block];
            let units = place.units.iter().flat_map(|unit| unit.at..unit.at + unit.len);
            standing.entry(place.segment).or_default().extend(units);
        }
        for Stands { block, tokens, .. } in kept.words.iter().filter(|word| self.is_open(word)) {
            let place = &self.places[*block];
            let units = tokens.iter().filter_map(|(token, _)| place.units.get(*token));
            standing.entry(place.segment).or_default().extend(units.flat_map(|unit| unit.at..unit.at + unit.len));
        }
        let (old, new) = (tied(self.old), tied(self.new));
        for (id, (what, old_ranges)) in &old {
            let covered = |ranges: &[Stretch]| -> Vec<(String, usize)> {
                ranges.iter().flat_map(|(segment, start, end)| (*start..*end).map(|at| (segment.clone(), at))).collect()
            };
            let before = covered(old_ranges);
            let survives = |(segment, at): &(String, usize)| {
                self.moves.get(segment.as_str()).and_then(|moves| moves.of_unit(*at)).is_some()
            };
            let stands = |(segment, at): &(String, usize)| {
                standing.get(segment.as_str()).is_some_and(|units| units.contains(at))
            };
            let Some((_, new_ranges)) = new.get(id) else {
                assert!(!before.iter().any(stands), "law 5: {what} {id} is gone, and its text stands");
                continue;
            };
            let from = |(segment, at): &(String, usize)| {
                self.moves[segment.as_str()].from[*at].map(|at| (segment.clone(), at))
            };
            let after: BTreeSet<(String, usize)> = covered(new_ranges).iter().filter_map(from).collect();
            let survivors: BTreeSet<(String, usize)> = before.iter().filter(|unit| survives(unit)).cloned().collect();
            assert_eq!(survivors, after, "law 5: {what} {id} stands on other characters");
            // What stands at the edges of a range is not taken into it.
            for (segment, start, end) in old_ranges {
                let edge = |at: usize| {
                    stands(&(segment.clone(), at)).then(|| self.moves[segment.as_str()].of_unit(at)).flatten()
                };
                let (first, last) = (edge(*start), edge(*end - 1));
                let begins = first.is_none_or(|at| new_ranges.iter().any(|(_, start, _)| *start == at));
                let ends = last.is_none_or(|at| new_ranges.iter().any(|(_, _, end)| *end == at + 1));
                assert!(
                    begins && ends,
                    "law 5: {what} {id} takes in text beside it: {old_ranges:?} became {new_ranges:?}"
                );
            }
        }
        let added = new.iter().find(|(id, _)| !old.contains_key(*id));
        assert!(added.is_none(), "law 5: {added:?} was not there before");
    }
}

/// The looks of the marks of the items of the body, by what is visible of them.
fn marks(tab: &Value) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for element in content(tab, "") {
        let Some(bullet) = element["paragraph"].get("bullet") else { continue };
        let mut units = Vec::new();
        gather(element, &mut units);
        let mut style = bullet["textStyle"].clone();
        // A mark is not underlined anyway.
        if let Some(style) = style.as_object_mut() {
            style.retain(|field, value| field != "underline" || *value != false);
        }
        // Docs shows a mark with the look of the newline.
        let newline = element["paragraph"]["elements"].as_array().and_then(|parts| parts.last());
        let newline = newline.map(|last| last["textRun"]["textStyle"].clone()).unwrap_or_default();
        found.entry(units.iter().map(|unit| unit.what).collect()).or_default().push(json!([style, newline]));
    }
    found
}

/// What kind of paragraph a block is.
fn kind((block, state): &(Block, State)) -> (u8, Option<&str>) {
    match &block.content {
        Content::Heading { level, .. } => (*level, None),
        Content::Paragraph { .. } => (10, state.style.as_deref()),
        Content::Item { .. } => (11, state.style.as_deref()),
        _ => (12, None),
    }
}

/// The settings of the paragraphs of the body that no file shows, their own or those of their named style, by what is visible
/// of them but for objects.
fn settings(tab: &Value) -> BTreeMap<String, Vec<[Value; 2]>> {
    let mut found: BTreeMap<String, Vec<[Value; 2]>> = BTreeMap::new();
    for element in content(tab, "").iter().filter(|element| element.get("paragraph").is_some()) {
        let mut units = Vec::new();
        gather(element, &mut units);
        let style = &element["paragraph"]["paragraphStyle"];
        let named = |name: &Value| {
            let mut styles = tab["namedStyles"]["styles"].as_array().into_iter().flatten();
            styles.find(|style| style["namedStyleType"] == *name).map(|style| &style["paragraphStyle"])
        };
        let levels = [Some(style), named(&style["namedStyleType"]), named(&Value::from("NORMAL_TEXT"))];
        let value = |field: &str| {
            let value = levels.iter().flatten().find_map(|level| level.get(field));
            value.filter(|value| **value != false).cloned().unwrap_or_default()
        };
        found.entry(words(&units)).or_default().push(["keepWithNext", "borderLeft"].map(value));
    }
    found
}

/// What is visible but for objects.
fn words(units: &[Unit]) -> String {
    units.iter().map(|unit| unit.what).filter(|what| *what != OBJECT).collect()
}

/// The block of a file that says this, when no other does; `objects` tells whether they count.
fn once<'a>(file: &'a File, said: &str, objects: bool) -> Option<&'a (Block, State)> {
    let says = |content: &Content| {
        let visible = visible(content).into_iter().map(|token| token.what);
        visible.filter(|what| objects || *what != OBJECT).eq(said.chars())
    };
    let mut same = file.blocks.iter().filter(|(block, _)| says(&block.content));
    let found = same.next()?;
    same.next().is_none().then_some(found)
}

/// What an item says, with its looks; of anything else, those alone.
fn looks((block, state): &(Block, State)) -> (Option<&[Run]>, &State) {
    (if let Content::Item { runs, .. } = &block.content { Some(runs) } else { None }, state)
}

/// The name of the named ranges that the file shows as anchors, which are set anew where their text goes.
pub(crate) const ANCHOR: &str = "mcp-workspace anchor";

fn anchors(tab: &Value) -> usize {
    tab["namedRanges"][ANCHOR]["namedRanges"].as_array().map_or(0, Vec::len)
}

/// What a named range is called.
const NAMED: &str = "the named range";

/// A segment with start and end in it.
type Stretch = (String, usize, usize);

/// What is tied to text: named ranges and comment anchors by id, with the places in their segments.
fn tied(tab: &Value) -> BTreeMap<&str, (&'static str, Vec<Stretch>)> {
    let places = |value: &Value| -> Vec<Stretch> {
        let ranges = value["ranges"].as_array().into_iter().flatten();
        ranges
            .map(|range| {
                (
                    range["segmentId"].as_str().unwrap_or_default().to_owned(),
                    number(range, "startIndex"),
                    number(range, "endIndex"),
                )
            })
            .collect()
    };
    let others = map(&tab["namedRanges"]).filter(|(name, _)| *name != ANCHOR);
    let named = others.flat_map(|(_, group)| group["namedRanges"].as_array().into_iter().flatten());
    let named = named.map(|range| (range["namedRangeId"].as_str().unwrap_or_default(), (NAMED, places(range))));
    let anchors = map(&tab["commentAnchors"]).map(|(id, anchor)| (id.as_str(), ("the comment", places(anchor))));
    named.chain(anchors).collect()
}

/// Finds where each block of a file stands in the document it was made from.
fn places<'a>(file: &File, tab: &'a Value) -> Vec<Place<'a>> {
    let body = content(tab, "");
    let mut notes = Vec::new();
    let mut next = usize::from(body.first().is_some_and(|first| first.get("sectionBreak").is_some()));
    let mut places = Vec::new();
    references(&tab["body"], &mut notes);
    let mut notes = notes.into_iter();
    for (block, _) in &file.blocks {
        let (segment, elements) = match &block.content {
            Content::Footnote { .. } => {
                let id = notes.next().expect("law 2: each footnote has its reference");
                (id, 0..content(tab, id).len())
            }
            Content::Code { text, .. } => ("", next..next + text.lines().count()),
            _ => ("", next..next + 1),
        };
        if segment.is_empty() {
            next = elements.end;
        }
        let mut units = Vec::new();
        let found = content(tab, segment).get(elements.clone());
        assert!(found.is_some(), "law 2: the file says more than the document: {block:?}");
        found.into_iter().flatten().for_each(|element| gather(element, &mut units));
        let shown: String = visible(&block.content).iter().map(|token| token.what).collect();
        let said: String = units.iter().map(|unit| unit.what).collect();
        assert_eq!(shown, said, "law 2: a block says what its paragraphs say");
        places.push(Place { segment, elements, units });
    }
    assert_eq!(next, body.len(), "law 2: the file says all of the document");
    places
}

/// Finds the footnotes in the order of their references; a table of contents holds none.
fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(map) => {
            if let Some(id) = map.get("footnoteReference").and_then(|reference| reference["footnoteId"].as_str()) {
                found.push(id);
            }
            map.iter().filter(|(key, _)| *key != "tableOfContents").for_each(|(_, value)| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// Gathers what is visible of a structural element.
fn gather(element: &Value, units: &mut Vec<Unit>) {
    let (at, end) = extent(element);
    if let Some(paragraph) = element.get("paragraph") {
        let tethered = paragraph["positionedObjectIds"].as_array().map_or(0, Vec::len);
        units.extend((0..tethered).map(|_| Unit { what: OBJECT, at, len: 0 }));
        paragraph["elements"].as_array().into_iter().flatten().for_each(|part| gather_part(part, units));
    } else if let Some(table) = element.get("table") {
        let rows = table["tableRows"].as_array().into_iter().flatten();
        let cells = rows.flat_map(|row| row["tableCells"].as_array().into_iter().flatten());
        cells.flat_map(|cell| cell["content"].as_array().into_iter().flatten()).for_each(|inner| gather(inner, units));
    } else {
        units.push(Unit { what: OBJECT, at, len: end - at });
    }
}

fn gather_part(part: &Value, units: &mut Vec<Unit>) {
    let (mut at, end) = extent(part);
    let Some(text) = part["textRun"]["content"].as_str() else {
        units.push(Unit { what: OBJECT, at, len: end - at });
        return;
    };
    for character in text.chars() {
        let len = character.len_utf16();
        if is_private(character) {
            units.push(Unit { what: OBJECT, at, len });
        } else if is_visible(character) {
            units.push(Unit { what: character, at, len });
        }
        at += len;
    }
}

/// Tells whether an item differs in its list alone, and that has become the one of the item right above: where an edit made
/// an item above a numbered list, the file counts on, and only the list below can join.
fn counts_on(element: &Value, now: &Value, new: &[Value]) -> bool {
    const LIST: &str = "/paragraph/bullet/listId";
    let above = extent(now).0.checked_sub(1).and_then(|before| element_at(new, before));
    let Some(old) = element.pointer(LIST) else { return false };
    let mut here = now.clone();
    let Some(list) = here.pointer_mut(LIST) else { return false };
    if above.and_then(|above| above.pointer(LIST)) != Some(&*list) {
        return false;
    }
    *list = old.clone();
    same(element, &here)
}
