//! The parts of a long document that an edit is about. Pure.
//!
//! What stands between two landmarks means the same alone as in its file, so an edit can be planned on a document of the
//! stretches that it touches, at the places where they stand, with the footnotes that they refer to. For all that lies
//! between two of them stands one element that nobody can edit. Whatever makes a stretch depend on the rest is planned on
//! the whole.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Value};

use super::part::{Scope, plan_part};
use super::pieces::{self, NotePiece, Piece, Pieces};
use super::told::tabs_by_target;
use crate::error::{Error, Result};
use crate::gdocs::{Body, Document, DocumentTab, Position, Segment, StructuralElement, Tab, Ticks};
use crate::kinds::docs::text::extract::{Extract, extract, tab_of};
use crate::kinds::docs::text::landmarks::{Landmark, Landmarks, is_bare};
use crate::kinds::docs::text::lists::is_numbered;
use crate::kinds::{Pictures, PushPlan};
use crate::mebdf::{self, Content, State, clean, parse, print_block, states};
use crate::model::{Notice, PartId};

/// The key of an element that stands for what lies between two stretches. The file shows it as an embedded object.
const ELSEWHERE: &str = "elsewhere-";

/// A footnote that stands behind a text, to see whether the text reaches over its end.
const SENTINEL: &str = "[^sentinel]: sentinel\n";

/// A document as it was read, and its text.
pub(crate) struct Source<'a> {
    /// The document.
    pub(crate) document: &'a Document,
    /// The boxes of it that are ticked.
    pub(crate) ticks: &'a Ticks,
    /// Which tab.
    pub(crate) part: &'a PartId,
    /// The canonical text of the tab.
    pub(crate) text: &'a str,
    /// Where the text can be cut.
    pub(crate) landmarks: &'a Landmarks,
}

/// Plans what makes the part say `desired`, on as little of it as will do.
///
/// # Errors
///
/// Those of [`plan_part`].
pub(crate) fn plan(source: &Source<'_>, desired: &str, accept: bool, pictures: &Pictures) -> Result<PushPlan> {
    let desired = clean(desired);
    let head = mebdf::head(source.text);
    if desired == source.text {
        return Ok(PushPlan { expected: source.text.to_owned(), ..PushPlan::default() });
    }
    if let Some(window) = Window::find(source, &desired) {
        let cut = (&window.document, source.ticks);
        match plan_part(cut, head.as_ref(), source.part, &window.text, accept, pictures, Scope::Stretch) {
            // What is refused on a part is tried on the whole before anybody is told.
            Err(Error::PlanRejected { .. }) => {}
            Err(error) => return Err(error),
            Ok(planned) => {
                if let Some(planned) = window.on_the_whole(source, planned) {
                    return Ok(planned);
                }
            }
        }
    }
    plan_part((source.document, source.ticks), head.as_ref(), source.part, &desired, accept, pictures, Scope::Whole)
}

/// The stretches that an edit touches.
struct Window<'a> {
    /// The document with nothing but these stretches in the body of one tab; all places are as in the whole.
    document: Document,
    /// What this document shall say.
    text: String,
    /// Where each stretch begins: its line in this text, and in the edited text.
    lines: Vec<(u32, u32)>,
    pieces: Pieces<'a>,
    /// The canonical text of the whole, and where its body begins.
    old: &'a str,
    old_start: usize,
}

impl<'a> Window<'a> {
    /// Finds the stretches that hold all edits; `None` when the edit may depend on more than them.
    fn find(source: &Source<'a>, desired: &'a str) -> Option<Self> {
        let old = source.text;
        let (old_start, new_start) = (body_start(old), body_start(desired));
        // What the head asks for depends on the other tabs.
        if old.get(..old_start)?.trim_end() != desired.get(..new_start)?.trim_end() {
            return None;
        }
        let pieces = pieces::find((old, old_start), (desired, new_start), source.landmarks)?;
        if pieces.body.iter().all(|piece| piece.first.is_none() && piece.last.is_none())
            || [old, desired].iter().any(|text| text.contains(ELSEWHERE))
        {
            return None;
        }
        let has_notes = source.landmarks.notes.as_ref().is_some_and(|notes| !notes.is_empty());
        let stands = |piece: &Piece| {
            let (was, is) = (old.get(piece.old.clone())?, desired.get(piece.new.clone())?);
            (is_independent(was, is) && closes(piece.last.as_ref(), was, is, has_notes)).then_some(())
        };
        pieces.body.iter().try_for_each(stands)?;
        pieces.notes.iter().all(|note| note_stands(note, old, desired)).then_some(())?;
        let document = cut(source, &pieces)?;
        if counts_elsewhere(source, &document) {
            return None;
        }
        // What was cut out must say what the whole says there.
        let tab = document.tabs.first()?;
        let said = texts(&pieces, |old, _| old, old)?.0;
        if body_text(&extract(&document, source.ticks, tab, false)).trim_matches('\n') != said.trim_matches('\n') {
            return None;
        }
        let head = desired.get(..new_start)?;
        let (body, starts) = texts(&pieces, |_, new| new, desired)?;
        let text = format!("{head}{body}");
        let line = |text: &str, at: usize| text.get(..at).map(count_lines);
        let mut lines = Vec::with_capacity(starts.len());
        for (there, here) in starts {
            lines.push((line(&text, head.len() + here)?, line(desired, there)?));
        }
        Some(Self { document, text, lines, pieces, old, old_start })
    }

    /// Says of the whole what was planned on the stretches; `None` when it cannot be told.
    fn on_the_whole(&self, source: &Source<'_>, mut planned: PushPlan) -> Option<PushPlan> {
        // A link is only looked for in the stretches.
        if planned.refused.iter().any(|notice| notice.code == "LINK_LOCKED") {
            return None;
        }
        // A link elsewhere may go to a heading that would lose its id.
        let lost: Vec<&str> = self.old_ids().filter(|id| !ids(&planned.expected).any(|is| is == *id)).collect();
        if lost.iter().any(|id| ids(&self.text).any(|kept| kept == *id)) || are_linked(source, &lost) {
            return None;
        }
        planned.expected = self.expected(&planned.expected)?;
        let place = |notice: &mut Notice| {
            let Some(line) = notice.line.checked_sub(1) else { return };
            if let Some((here, there)) = self.lines.iter().rev().find(|(here, _)| *here <= line) {
                notice.line = (line - here).saturating_add(there + 1);
            }
        };
        let PushPlan { refused, told, unsaid, holds, .. } = &mut planned;
        refused.iter_mut().chain(told).chain(unsaid).chain(holds).for_each(place);
        Some(planned)
    }

    /// The ids in the stretches of the document.
    fn old_ids(&self) -> impl Iterator<Item = &str> {
        self.pieces.body.iter().filter_map(|piece| self.old.get(piece.old.clone())).flat_map(ids)
    }

    /// Puts what the stretches shall say into the text of the whole.
    fn expected(&self, planned: &str) -> Option<String> {
        let (head, mut body) = planned.split_at_checked(body_start(planned))?;
        let mut notes = Vec::with_capacity(self.pieces.notes.len());
        // The text of a footnote is indented behind its first line, so the last line that begins like it does begin it.
        for note in self.pieces.notes.iter().rev() {
            let at = body.rfind(&format!("\n\n[^{}]:", note.label))?;
            notes.push((note.old.clone(), body.get(at..)?));
            body = body.get(..at)?;
        }
        let mut stretches: Vec<(Range<usize>, &str)> = Vec::with_capacity(self.pieces.body.len());
        for (number, piece) in self.pieces.body.iter().enumerate() {
            let text = if number + 1 < self.pieces.body.len() {
                let (text, rest) = body.split_once(&format!("\n{}\n", shown(number)))?;
                body = rest;
                text
            } else {
                body
            };
            // What this leaves in force would reach further than the stretch.
            let over = piece.last.is_some_and(|last| !last.heading) && state_behind(text) != State::default();
            if over || text.trim_matches('\n').is_empty() {
                return None;
            }
            stretches.push((piece.old.clone(), text));
        }
        let mut expected = head.to_owned();
        let mut at = self.old_start;
        for (range, text) in stretches.into_iter().chain(notes.into_iter().rev()) {
            let was = self.old.get(range.clone())?;
            expected.push_str(self.old.get(at..range.start)?);
            expected.push_str(text.trim_matches('\n'));
            expected.push_str(was.get(was.trim_end_matches('\n').len()..)?);
            at = range.end;
        }
        expected.push_str(self.old.get(at..)?);
        Some(expected)
    }
}

/// Joins the stretches of one side with what stands for the text between them, the footnotes last. Beside it stands where
/// each begins: on its side, and in what is returned.
fn texts(
    pieces: &Pieces<'_>,
    side: impl Fn(Range<usize>, Range<usize>) -> Range<usize>,
    whole: &str,
) -> Option<(String, Vec<(usize, usize)>)> {
    let (mut text, mut starts) = (String::new(), Vec::new());
    let mut add = |range: Range<usize>, between: &str, last: bool| {
        let part = whole.get(range.clone())?;
        text.push_str(between);
        starts.push((range.start, text.len()));
        text.push_str(if last { part } else { part.trim_end_matches('\n') });
        Some(())
    };
    let count = pieces.body.len() + pieces.notes.len();
    for (number, piece) in pieces.body.iter().enumerate() {
        let between = number.checked_sub(1).map(|number| format!("\n\n{}\n\n", shown(number))).unwrap_or_default();
        add(side(piece.old.clone(), piece.new.clone()), &between, number + 1 == count)?;
    }
    for (number, note) in pieces.notes.iter().enumerate() {
        let last = pieces.body.len() + number + 1 == count;
        add(side(note.old.clone(), note.new.clone()), "\n\n", last)?;
    }
    Some((text, starts))
}

/// The ids that headings begin with, as far as a line shows it.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.filter_map(|line| Some(line.split_once("{^ ")?.1.split_once('}')?.0))
}

/// Tells whether a link of the document, in whatever tab, goes to one of these headings.
fn are_linked(source: &Source<'_>, headings: &[&str]) -> bool {
    if headings.is_empty() {
        return false;
    }
    let linking = tabs_by_target(source.document);
    headings.iter().any(|id| linking.contains_key(&format!("#^{id}")))
}

/// What the file shows for the text behind a stretch.
fn shown(number: usize) -> String {
    format!("{{^= embed \"{ELSEWHERE}{number}\"}}")
}

/// Tells whether an edit of a stretch needs nothing that may stand elsewhere: a heading that a link names by its text, the
/// date that a chip shows, the number of a footnote.
fn is_independent(old: &str, new: &str) -> bool {
    let references = |text: &str| -> Vec<String> {
        let labels = text.match_indices("[^").filter_map(|(at, _)| text.get(at..)?.split_once(']'));
        labels.map(|(label, _)| label.to_owned()).collect()
    };
    let dates = |text: &str| text.matches("{^= date").count();
    let by_text = new.match_indices(']').any(|(at, _)| {
        let Some(rest) = new.get(at + 1..).and_then(|rest| rest.strip_prefix(['(', ':'])) else { return false };
        let rest = rest.trim_start_matches(['<', ' ', '\t', '\n']);
        rest.starts_with('#') && !rest.starts_with("#^")
    });
    !by_text && dates(new) <= dates(old) && references(old) == references(new)
}

/// Tells whether an edited stretch still ends with its landmark, in force as little as before: an open fence or comment
/// would have swallowed it, and a directive would reach over it. At the end of the body footnotes may follow.
fn closes(last: Option<&Landmark>, old: &str, new: &str, has_notes: bool) -> bool {
    if old == new {
        return true;
    }
    let Some(mark) = last else {
        return !has_notes || ends_alone(new);
    };
    let line = old.get(old.len().saturating_sub(mark.end - mark.at)..).unwrap_or_default().trim_end_matches('\n');
    let blocks = parse(&format!("\n{new}")).tree.blocks;
    let (Some(block), Some(state)) = (blocks.last(), states(&blocks).pop()) else { return false };
    let kind = if mark.heading { matches!(block.content, Content::Heading { .. }) } else { is_bare(block, &state) };
    kind && print_block(&block.content).trim_end_matches('\n') == line
}

/// What the directives of a text still say behind it.
fn state_behind(text: &str) -> State {
    states(&parse(&format!("\n{text}")).tree.blocks).pop().unwrap_or_default()
}

/// Tells whether what follows a text stands apart from it.
fn ends_alone(text: &str) -> bool {
    let blocks = parse(&format!("\n{}\n\n{SENTINEL}", text.trim_end_matches('\n'))).tree.blocks;
    matches!(blocks.last().map(|block| &block.content), Some(Content::Footnote { label, .. }) if label == "sentinel")
}

/// Tells whether the text of a footnote is one on both sides, and no more than that.
fn note_stands(note: &NotePiece<'_>, old: &str, new: &str) -> bool {
    let (Some(was), Some(is)) = (old.get(note.old.clone()), new.get(note.new.clone())) else { return false };
    if was == is {
        return true;
    }
    let blocks = parse(&format!("\n{is}")).tree.blocks;
    let alone =
        matches!(&*blocks, [block] if matches!(&block.content, Content::Footnote { label, .. } if label == note.label));
    alone && is.ends_with('\n') && is_independent(was, is) && ends_alone(is)
}

/// Returns a document of one tab with nothing but the stretches in its body, each at its place, and their footnotes.
fn cut(source: &Source<'_>, pieces: &Pieces<'_>) -> Option<Document> {
    let tab = tab_of(source.document, source.part)?;
    let whole = tab.document_tab.as_ref()?;
    let body = whole.body.as_ref()?;
    let mut content: Vec<StructuralElement> = Vec::new();
    for (number, piece) in pieces.body.iter().enumerate() {
        let start = piece.first.map_or(0, |first| first.element);
        let end = piece.last.map_or(body.content.len(), |last| last.element + 1);
        let kept = body.content.get(start..end)?;
        let from = content.last().map_or(Position::at(0), |last| last.end_index);
        let until = Position::at(kept.first()?.start_index.utf16());
        match number.checked_sub(1) {
            // Stands for all that comes before, and is as wide.
            None if start > 0 => {
                let mut filler = body.content.first().filter(|first| first.section_break.is_some())?.clone();
                filler.end_index = until;
                content.push(filler);
            }
            None => {}
            Some(number) => {
                let rest = Map::from_iter([(format!("{ELSEWHERE}{number}"), Value::Object(Map::new()))]);
                let filler =
                    StructuralElement { start_index: from, end_index: until, rest, ..StructuralElement::default() };
                content.push(filler);
            }
        }
        content.extend_from_slice(kept);
    }
    let mut document_tab = DocumentTab { body: Some(Body { content, rest: body.rest.clone() }), ..without_body(whole) };
    document_tab.footnotes = footnotes(&document_tab, whole);
    let tab = Tab {
        tab_properties: tab.tab_properties.clone(),
        document_tab: Some(document_tab),
        child_tabs: Vec::new(),
        rest: tab.rest.clone(),
    };
    Some(Document {
        title: source.document.title.clone(),
        document_id: source.document.document_id.clone(),
        revision_id: source.document.revision_id.clone(),
        tabs: vec![tab],
        comments: source.document.comments.clone(),
        ..Document::default()
    })
}

/// Tells whether a list of the stretches has items elsewhere that another count would give other numbers.
fn counts_elsewhere(source: &Source<'_>, cut: &Document) -> bool {
    let counts = |tab: Option<&DocumentTab>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let content = tab.and_then(|tab| tab.body.as_ref()).map_or(&[][..], |body| &body.content);
        for bullet in content.iter().filter_map(|element| element.paragraph.as_ref()?.bullet.as_ref()) {
            *counts.entry(bullet.list_id.clone()).or_default() += 1;
        }
        counts
    };
    let whole = tab_of(source.document, source.part).and_then(|tab| tab.document_tab.as_ref());
    let own = counts(cut.tabs.first().and_then(|tab| tab.document_tab.as_ref()));
    let counts_numbers = |list: &String| {
        let levels = whole.and_then(|tab| tab.lists.get(list)?.pointer("/listProperties/nestingLevels")?.as_array());
        levels.is_some_and(|levels| levels.iter().any(is_numbered))
    };
    let all = counts(whole.filter(|_| !own.is_empty()));
    own.iter().any(|(list, count)| all.get(list) > Some(count) && counts_numbers(list))
}

/// Copies all of a tab that an edit of its body may need, but for its footnotes.
fn without_body(tab: &DocumentTab) -> DocumentTab {
    DocumentTab {
        body: None,
        headers: tab.headers.clone(),
        footers: tab.footers.clone(),
        footnotes: BTreeMap::new(),
        document_style: tab.document_style.clone(),
        named_styles: tab.named_styles.clone(),
        lists: tab.lists.clone(),
        named_ranges: tab.named_ranges.clone(),
        comment_anchors: tab.comment_anchors.clone(),
        inline_objects: tab.inline_objects.clone(),
        positioned_objects: tab.positioned_objects.clone(),
        dropdown_definitions: tab.dropdown_definitions.clone(),
        rest: tab.rest.clone(),
    }
}

/// Copies the footnotes that the body of a tab refers to.
fn footnotes(tab: &DocumentTab, whole: &DocumentTab) -> BTreeMap<String, Segment> {
    fn walk(content: &[StructuralElement], whole: &DocumentTab, found: &mut BTreeMap<String, Segment>) {
        for element in content {
            for part in element.paragraph.iter().flat_map(|paragraph| &paragraph.elements) {
                let reference = part.rest.get("footnoteReference").and_then(|reference| reference.get("footnoteId"));
                if let Some((id, segment)) =
                    reference.and_then(Value::as_str).and_then(|id| whole.footnotes.get_key_value(id))
                {
                    found.insert(id.clone(), segment.clone());
                }
            }
            for row in element.table.iter().flat_map(|table| &table.table_rows) {
                row.table_cells.iter().for_each(|cell| walk(&cell.content, whole, found));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(tab.body.as_ref().map_or(&[], |body| &body.content), whole, &mut found);
    found
}

/// The text of a tab behind its head.
fn body_text(extract: &Extract) -> String {
    let text = extract.text();
    text.get(body_start(&text)..).unwrap_or_default().to_owned()
}

fn body_start(text: &str) -> usize {
    text.len() - mebdf::body(text).len()
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}
