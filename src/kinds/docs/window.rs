//! The part of a long document that an edit is about. Pure.
//!
//! A section means the same alone as in its file, so an edit inside a few sections can be planned on a document of these
//! sections alone, at the places where they stand. Whatever makes a section depend on the rest is planned on the whole.

use super::extract::{Extract, Landmark, extract, tab_of};
use super::plan::plan_part;
use crate::error::{Error, Result};
use crate::gdocs::{Body, Document, DocumentTab, Position, StructuralElement, Tab, Ticks};
use crate::kinds::{Pictures, PushPlan};
use crate::mebdf::{self, Content, clean, parse, print, print_block};
use crate::model::{Notice, PartId};

/// Forms whose meaning depends on the rest of the file: footnotes, and links to places of the document.
const DEPENDENT: [&str; 2] = ["[^", "](#"];

/// A document as it was read, and its text.
pub(super) struct Source<'a> {
    /// The document.
    pub(super) document: &'a Document,
    /// The boxes of it that are ticked.
    pub(super) ticks: &'a Ticks,
    /// Which tab.
    pub(super) part: &'a PartId,
    /// The canonical text of the tab.
    pub(super) text: &'a str,
    /// The headings of the text.
    pub(super) landmarks: &'a [Landmark],
}

/// Plans what makes the part say `desired`, on as few of its sections as will do.
///
/// # Errors
///
/// Those of [`plan_part`].
pub(super) fn plan(source: &Source<'_>, desired: &str, accept: bool, pictures: &Pictures) -> Result<PushPlan> {
    let desired = clean(desired);
    let head = mebdf::head(source.text);
    if desired == source.text {
        return Ok(PushPlan { expected: source.text.to_owned(), ..PushPlan::default() });
    }
    if let Some(window) = Window::find(source, &desired) {
        let text = format!("{}{}", window.head, window.new);
        match plan_part((&window.document, source.ticks), head.clone(), source.part, &text, accept, pictures) {
            // What is refused on a part is tried on the whole before anybody is told.
            Err(Error::PlanRejected { .. }) => {}
            planned => return planned.map(|planned| window.on_the_whole(planned)),
        }
    }
    plan_part((source.document, source.ticks), head, source.part, &desired, accept, pictures)
}

/// A stretch of whole sections, and one heading behind them for what has to hang on it.
struct Window<'a> {
    /// The document with nothing but these sections in the body of one tab; all places are as in the whole.
    document: Document,
    /// The head of the edited text with the blank line behind it.
    head: &'a str,
    /// The sections in the edited text.
    new: &'a str,
    /// The text between the head and the sections; the same on both sides.
    before: &'a str,
    /// The text behind the sections; the same on both sides.
    behind: &'a str,
}

impl<'a> Window<'a> {
    /// Finds the sections that hold all edits; `None` when the edit may depend on more than them.
    fn find(source: &Source<'a>, desired: &'a str) -> Option<Self> {
        let text = source.text;
        let (text_body, desired_body) = (body_start(text), body_start(desired));
        let prefix = common_prefix(text, desired);
        let suffix = common_suffix(text.get(prefix..)?, desired.get(prefix..)?);
        let shown = |landmark: &&Landmark| end_of_line(text, landmark.at) < prefix;
        let first = source.landmarks.iter().take_while(shown).last();
        let start = first.map(|first| first.at);
        // Beyond the last edit, and not torn from its line.
        let whole = |landmark: &&Landmark| {
            let from_end = text.len() - landmark.at;
            let there = desired.len().checked_sub(from_end);
            let line_begins = there.and_then(|at| desired.get(..at)).is_some_and(|head| head.ends_with('\n'));
            landmark.at >= text_body
                && from_end <= suffix
                && start.is_none_or(|start| landmark.at > start)
                && line_begins
        };
        let last = source.landmarks.iter().find(whole);
        if first.is_none() && last.is_none() {
            return None;
        }
        let end = last.map_or(text.len(), |last| end_of_line(text, last.at));
        let new_end = desired.len() - (text.len() - end);
        let old = text.get(start.unwrap_or(text_body)..end)?;
        let new = desired.get(start.unwrap_or(desired_body)..new_end)?;
        if DEPENDENT.iter().any(|form| old.contains(form) || new.contains(form)) {
            return None;
        }
        let stands = last.is_none_or(|last| closes_with(new, text.get(last.at..end).unwrap_or_default()));
        if !stands {
            return None;
        }
        let elements = first.map_or(0, |first| first.element)..last.map_or(usize::MAX, |last| last.element + 1);
        let document = cut(source, elements)?;
        // What was cut out must say what the whole says there.
        let tab = document.tabs.first()?;
        if body_text(&extract(&document, source.ticks, tab, false)) != old {
            return None;
        }
        Some(Self {
            document,
            head: desired.get(..desired_body)?,
            new,
            before: start.and_then(|start| text.get(text_body..start)).unwrap_or_default(),
            behind: text.get(end..)?,
        })
    }

    /// Says of the whole what was planned on the part.
    fn on_the_whole(&self, mut planned: PushPlan) -> PushPlan {
        let (head, body) = planned.expected.split_at_checked(body_start(&planned.expected)).unwrap_or_default();
        planned.expected = format!("{head}{}{body}{}", self.before, self.behind);
        let head_lines = count_lines(self.head);
        let skipped = count_lines(self.before);
        let place = |notice: &mut Notice| {
            if notice.line > head_lines {
                notice.line = notice.line.saturating_add(skipped);
            }
        };
        planned.refused.iter_mut().chain(&mut planned.holds).for_each(place);
        planned
    }
}

/// Returns a document of one tab with nothing but some elements of its body, each at its place.
fn cut(source: &Source<'_>, elements: std::ops::Range<usize>) -> Option<Document> {
    let tab = tab_of(source.document, source.part)?;
    let whole = tab.document_tab.as_ref()?;
    let body = whole.body.as_ref()?;
    let kept = body.content.get(elements.start..elements.end.min(body.content.len()))?;
    let mut content: Vec<StructuralElement> = Vec::with_capacity(kept.len() + 1);
    if elements.start > 0 {
        // Stands for all that comes before, and is as wide.
        let mut filler = body.content.first().filter(|first| first.section_break.is_some())?.clone();
        filler.end_index = Position::at(kept.first()?.start_index.utf16());
        content.push(filler);
    }
    content.extend_from_slice(kept);
    let document_tab = DocumentTab { body: Some(Body { content, rest: body.rest.clone() }), ..without_body(whole) };
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
        ..Document::default()
    })
}

/// Copies all of a tab that an edit of its body may need. Footnotes are not among it: where there are any, edits are
/// planned on the whole.
fn without_body(tab: &DocumentTab) -> DocumentTab {
    DocumentTab {
        body: None,
        headers: tab.headers.clone(),
        footers: tab.footers.clone(),
        footnotes: std::collections::BTreeMap::new(),
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

/// The text of a tab behind its head.
fn body_text(extract: &Extract) -> String {
    let text = print(&extract.presented());
    text.get(body_start(&text)..).unwrap_or_default().to_owned()
}

/// Tells whether an edited text still ends with this heading: an open fence or comment would have swallowed it.
fn closes_with(text: &str, heading: &str) -> bool {
    let blocks = parse(&format!("\n{text}")).tree.blocks;
    let last = blocks.last().map(|block| &block.content);
    matches!(last, Some(content @ Content::Heading { .. }) if print_block(content) == heading.trim_end_matches('\n'))
}

fn body_start(text: &str) -> usize {
    text.len() - mebdf::body(text).len()
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// Where the line at `at` ends, behind its newline.
fn end_of_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

/// Length of what two texts begin with alike, in bytes; a character is not torn.
fn common_prefix(old: &str, new: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    (0..=same).rev().find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at)).unwrap_or(0)
}

/// Length of what two texts end with alike, in bytes; a character is not torn.
fn common_suffix(old: &str, new: &str) -> usize {
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(old, new)| old == new).count();
    let whole = |length: &usize| old.is_char_boundary(old.len() - length) && new.is_char_boundary(new.len() - length);
    (0..=same).rev().find(whole).unwrap_or(0)
}
