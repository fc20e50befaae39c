//! The task of a plan, and the document as the requests gathered so far leave it. Pure.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::blocks::key;
use super::carried::Carried;
use super::edit::Expected;
use super::footnotes::{relabel, repeat};
use super::moves::Staying;
use super::objects::dates;
use super::planner::Notices;
use super::properties::Context;
use super::restyle::contents;
use super::tables::{settle, settle_anew};
use super::{anchors, characters, images, moves, rows, scopes, verify};
use crate::error::{Error, Result};
use crate::gdocs::{
    DateElementProperties, Document, DocumentTab, Range, Refusal, Request, Tab, Ticks, apply, apply_traced,
};
use crate::kinds::Pictures;
use crate::kinds::docs::text::anchors::NAME;
use crate::kinds::docs::text::extract::{Extract, extract, lines, tab_of};
use crate::kinds::docs::text::flat::{Flat, Look};
use crate::kinds::docs::text::line::Line;
use crate::mebdf::{Block, Content, FrontMatter, Parsed, RunContent, Tree, clean, parse};
use crate::model::{ItemId, Notice, PartId};

/// What is to be planned.
pub(super) struct Task<'a> {
    /// The document as it is.
    pub(super) document: &'a Document,
    /// The boxes of it that are ticked.
    pub(super) ticks: &'a Ticks,
    /// The tab that is edited.
    pub(super) part: &'a PartId,
    /// Its id, when it has one.
    pub(super) tab_id: Option<String>,
    /// The tab as it is.
    pub(super) remote: Extract,
    /// What it shall say, as text.
    pub(super) text: String,
    /// Where the lines of the text end, in bytes.
    pub(super) newlines: Rc<[usize]>,
    /// What it shall say.
    pub(super) local: Flat,
    /// The anchors in its text, which it does not hold.
    pub(super) anchors: Vec<anchors::Written>,
    /// Anchors of the document that stay though the file has none there: what it says of their blocks is not pushed.
    pub(super) kept_anchors: BTreeSet<String>,
    /// The same as it was parsed.
    pub(super) parsed: Tree,
    /// What of the document stays.
    pub(super) staying: Staying,
    /// The stretches of it that they are tied to.
    pub(super) ties: Ties,
    /// The pictures of the document.
    pub(super) carried: Carried,
    /// The file as it was, when moves in it are held.
    pub(super) file: Option<Tree>,
    /// Moves that are held.
    pub(super) held: Vec<Notice>,
    /// When only some changes of the edit are in it, the words that one of them takes from another beside it.
    pub(super) slid: Option<Rc<BTreeSet<String>>>,
    /// The directives that would reach further, since the heading that ended them is gone.
    pub(super) reaches: Rc<[scopes::Reach]>,
    /// The dates of the document by what they show, with all that makes them again.
    pub(super) dates: BTreeMap<String, DateElementProperties>,
    /// What the parser did not understand.
    pub(super) diagnostics: Vec<Notice>,
    /// Whether objects may be destroyed.
    pub(super) accept: bool,
    /// What is known of the files that the text names as new pictures.
    pub(super) pictures: &'a Pictures,
    /// Whether the document has several tabs.
    several: bool,
}

impl<'a> Task<'a> {
    /// Reads both sides; the pictures of the document with the ids `anew` are to be made anew where the file has them.
    ///
    /// # Errors
    ///
    /// `NotFound` when the document has no such tab.
    pub(super) fn read(
        document: (&'a Document, &'a Ticks),
        head: Option<FrontMatter>,
        part: &'a PartId,
        (desired, anew): (&str, &[String]),
        accept: bool,
        pictures: &'a Pictures,
    ) -> Result<Self> {
        let text = clean(desired).into_owned();
        let parsed = parse(&text);
        Self::of(document, head, part, (text, parsed, anew), accept, pictures)
    }

    /// The same with a file that was parsed, and perhaps changed since; the text is one that [`clean`] would not change.
    ///
    /// # Errors
    ///
    /// As [`Task::read`].
    pub(super) fn of(
        (document, ticks): (&'a Document, &'a Ticks),
        head: Option<FrontMatter>,
        part: &'a PartId,
        (text, mut parsed, anew): (String, Parsed, &[String]),
        accept: bool,
        pictures: &'a Pictures,
    ) -> Result<Self> {
        let tab = tab_of(document, part)
            .ok_or_else(|| Error::NotFound { id: format!("{}, tab {part}", document.document_id) })?;
        let tab_id = tab.tab_properties.as_ref().map(|properties| properties.tab_id.clone());
        let several = document.all_tabs().len() > 1;
        // The document does not know its access and URL; the head that was written with them does.
        let mut remote = extract(document, ticks, tab, several);
        remote.tree.front_matter = head;
        let empty = DocumentTab::default();
        let (mut local, reaches) =
            scopes::flattened(&parsed.tree, &text, tab.document_tab.as_ref().unwrap_or(&empty), &remote);
        characters::leave_out(&mut local, &text);
        characters::leave_out_of_tree(&mut parsed.tree, &text);
        images::leave_out_foreign(&mut local, tab.document_tab.as_ref().unwrap_or(&empty));
        images::keep_descriptions(&mut local, &remote.tree);
        images::put_tethered_first(&mut local, tab.document_tab.as_ref().unwrap_or(&empty));
        let ties = Ties::of(tab);
        let mut carried = Carried::of(tab.document_tab.as_ref().unwrap_or(&empty), &ties, pictures);
        carried.note_copies(&local.tree);
        carried.make_anew(anew, &mut local);
        let anchors = anchors::take(&mut local);
        settle(&mut local, &remote.tree);
        let mut task = Self {
            ties,
            carried,
            file: None,
            held: Vec::new(),
            slid: None,
            reaches: reaches.into(),
            staying: Staying::default(),
            dates: tab.document_tab.as_ref().map(dates).unwrap_or_default(),
            document,
            ticks,
            part,
            tab_id: tab_id.filter(|id| !id.is_empty()),
            remote,
            newlines: text.match_indices('\n').map(|(at, _)| at).collect(),
            text,
            local,
            anchors,
            kept_anchors: BTreeSet::new(),
            parsed: parsed.tree,
            diagnostics: parsed.diagnostics,
            accept,
            pictures,
            several,
        };
        task.staying = Staying::of(task.ties.blocks(&task.remote), &task.remote, &task.local_for(&task.remote).0);
        task.hold_moves();
        Ok(task)
    }

    /// The same with less in it: the file as far as it is tried now, its anchors, and what is told of the rest; `slid` are
    /// the words that a change of the whole takes from another beside it.
    pub(super) fn of_less(
        &self,
        local: Flat,
        (anchors, kept_anchors): (Vec<anchors::Written>, BTreeSet<String>),
        held: Vec<Notice>,
        slid: Rc<BTreeSet<String>>,
    ) -> Self {
        Self {
            local,
            anchors,
            kept_anchors,
            held,
            slid: Some(slid),
            reaches: Rc::clone(&self.reaches),
            file: Some(self.file.clone().unwrap_or_else(|| self.local.tree.clone())),
            document: self.document,
            ticks: self.ticks,
            part: self.part,
            tab_id: self.tab_id.clone(),
            remote: self.remote.clone(),
            text: self.text.clone(),
            newlines: Rc::clone(&self.newlines),
            parsed: self.parsed.clone(),
            staying: self.staying.clone(),
            ties: self.ties.clone(),
            carried: self.carried.clone(),
            dates: self.dates.clone(),
            diagnostics: self.diagnostics.clone(),
            accept: self.accept,
            pictures: self.pictures,
            several: self.several,
        }
    }

    /// Gives each reference a footnote of its own where several name the same: Docs has no other.
    pub(super) fn repeat_footnotes(&mut self) {
        let copies = repeat(&mut self.local.tree);
        repeat(&mut self.parsed);
        self.local.looks.extend(std::iter::repeat_n(Look::default(), copies));
    }

    /// Leaves out what was moved past something else when neither can move.
    fn hold_moves(&mut self) {
        let empty = DocumentTab::default();
        let tab = tab_of(self.document, self.part).and_then(|tab| tab.document_tab.as_ref()).unwrap_or(&empty);
        let held = moves::hold(&self.remote, &self.local_for(&self.remote).0, &self.staying, tab);
        let (mut local, told) = match held {
            None if !rows::any_fixed(self) => return,
            None => (self.local_for(&self.remote).0.into_owned(), Vec::new()),
            Some(held) => held,
        };
        let as_moved = local.clone();
        let rows = rows::hold(self, &mut local);
        let any = !self.anchors.is_empty() || !self.remote.anchors.is_empty();
        if any && !rows.is_empty() {
            let again = |flat: &mut Flat| drop(rows::hold(self, flat));
            (self.anchors, self.kept_anchors) = anchors::held_back(self, &as_moved, &local, again);
        }
        if told.is_empty() && rows.is_empty() {
            return;
        }
        let why = |at: usize| {
            let block = self.local.tree.blocks.iter().find(|block| block.span.0.start == at)?;
            let held = block.content.runs().into_iter().find_map(|run| match &run.content {
                RunContent::Object(object) => self.carried.why(object),
                RunContent::Text(_) | RunContent::Anchor(_) | RunContent::FootnoteReference(_) => None,
            });
            held.map(|why| format!(" ({why})"))
        };
        let told: Vec<(usize, String)> =
            told.into_iter().map(|(at, reason)| (at, format!("{reason}{}", why(at).unwrap_or_default()))).collect();
        std::mem::swap(&mut self.local, &mut local);
        settle_anew(&mut self.local, &self.remote.tree);
        self.file = Some(local.tree);
        self.held = told
            .into_iter()
            .map(|(at, reason)| Notice {
                code: "LOCKED".into(),
                line: self.line_at(at),
                column: 0,
                message: format!("what was moved here stays where it was in the document: {reason}"),
            })
            .chain(rows)
            .collect();
    }

    /// The file as far as it can be compared with `remote`, and the labels of its new footnotes.
    pub(super) fn local_for(&self, remote: &Extract) -> (Cow<'_, Flat>, BTreeSet<String>) {
        let note = |block: &Block| matches!(block.content, Content::Footnote { .. });
        if !self.local.tree.blocks.iter().any(note) {
            return (Cow::Borrowed(&self.local), BTreeSet::new());
        }
        let mut local = self.local.clone();
        let fresh = relabel(&mut local, &remote.tree);
        (Cow::Owned(local), fresh)
    }

    /// The line of the file that a byte stands in.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        let line = self.newlines.partition_point(|newline| *newline < byte);
        u32::try_from(line + 1).unwrap_or(u32::MAX)
    }

    /// The error for a plan that did not stand its check.
    pub(super) fn rejected(&self, reason: String) -> Error {
        Error::PlanRejected { id: ItemId(self.document.document_id.clone()), reason }
    }
}

/// Stretches of a tab that somebody has tied something to.
#[derive(Default, Clone)]
pub(super) struct Ties(Vec<(Option<String>, u32, u32, &'static str)>);

impl Ties {
    fn of(tab: &Tab) -> Self {
        let Some(content) = &tab.document_tab else { return Self::default() };
        // Our own anchors are set again wherever their text goes.
        let others = content.named_ranges.iter().filter(|(name, _)| *name != NAME).map(|(_, group)| group);
        let ranges = others.flat_map(|named| &named.named_ranges).flat_map(|named| &named.ranges);
        let comments = content.comment_anchors.values().flat_map(|anchor| &anchor.ranges);
        let all = ranges.map(|range| (range, "a named range")).chain(comments.map(|range| (range, "a comment")));
        let stretch = |(range, what): (&Range, &'static str)| {
            let (start, end) = (range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
            (range.segment_id.clone().filter(|id| !id.is_empty()), start, end, what)
        };
        Self(all.map(stretch).collect())
    }

    /// Tells what is tied to a paragraph.
    pub(super) fn on(&self, line: &Line) -> Option<&'static str> {
        let here = self
            .0
            .iter()
            .find(|(segment, start, end, _)| *segment == line.segment && *start < line.end && line.start < *end);
        here.map(|(_, _, _, what)| *what)
    }

    /// Tells what is tied to a place in the body.
    pub(super) fn at(&self, place: u32) -> Option<&'static str> {
        let here = self.0.iter().find(|(segment, start, end, _)| segment.is_none() && (*start..*end).contains(&place));
        here.map(|(_, _, _, what)| *what)
    }

    /// Finds the blocks that something is tied to. Of empty ones there may be many, all alike, and none has words to lose.
    fn blocks(&self, remote: &Extract) -> BTreeMap<String, &'static str> {
        let mut found = BTreeMap::new();
        if self.0.is_empty() {
            return found;
        }
        for (content, origin) in contents(remote) {
            let lines = lines(origin).into_iter().rev().filter(|line| !line.units.is_empty());
            if let Some(what) = lines.clone().find_map(|line| self.on(line)) {
                found.insert(key(content), what);
            }
        }
        found
    }
}

/// A step of styling: what it asks for, from what is there and what shall be.
type Restyle = fn(&Extract, &mut [Expected], &Context<'_>, &mut Notices) -> std::result::Result<Vec<Request>, String>;

/// A document as the requests gathered so far leave it.
pub(super) struct Trial<'a> {
    /// What is tried.
    pub(super) task: &'a Task<'a>,
    /// The document.
    pub(super) document: Cow<'a, Document>,
    /// The boxes of it that are ticked.
    ticks: Cow<'a, Ticks>,
    /// Its tab.
    pub(super) extract: Cow<'a, Extract>,
    /// The requests that made it.
    pub(super) requests: Vec<Request>,
}

/// A document on the way of a trial.
pub(super) struct State<'a> {
    document: Cow<'a, Document>,
    ticks: Cow<'a, Ticks>,
    extract: Cow<'a, Extract>,
    requests: usize,
}

impl<'a> Trial<'a> {
    /// Starts with the document as it is.
    pub(super) fn new(task: &'a Task<'a>) -> Self {
        let (document, extract) = (Cow::Borrowed(task.document), Cow::Borrowed(&task.remote));
        Self { task, document, ticks: Cow::Borrowed(task.ticks), extract, requests: Vec::new() }
    }

    /// Carries out more requests on the model.
    ///
    /// # Errors
    ///
    /// `PlanRejected` with the model's words when it refuses one.
    pub(super) fn carry_out(&mut self, requests: Vec<Request>) -> Result<()> {
        if requests.is_empty() {
            return Ok(());
        }
        // Each step draws other ids; they never leave the model.
        let seed = u64::try_from(self.requests.len()).unwrap_or(0);
        let rejected = |refusal: Refusal| self.task.rejected(refusal.message);
        let after = if self.ticks.is_empty() {
            apply(&self.document, &requests, seed).map_err(rejected)?
        } else {
            let (after, traces) = apply_traced(&self.document, &requests, seed).map_err(rejected)?;
            self.ticks = Cow::Owned(self.ticks.carried(&self.document, &after.document, &traces));
            after
        };
        self.document = Cow::Owned(after.document);
        self.requests.extend(requests);
        let tab =
            tab_of(&self.document, self.task.part).ok_or_else(|| self.task.rejected("the tab would be gone".into()))?;
        let mut after = extract(&self.document, &self.ticks, tab, self.task.several);
        after.tree.front_matter.clone_from(&self.task.remote.tree.front_matter);
        self.extract = Cow::Owned(after);
        Ok(())
    }

    /// The document as it is now, to put it back.
    pub(super) fn state(&self) -> State<'a> {
        State {
            document: self.document.clone(),
            ticks: self.ticks.clone(),
            extract: self.extract.clone(),
            requests: self.requests.len(),
        }
    }

    /// Takes back what was carried out since.
    pub(super) fn put_back(&mut self, state: State<'a>) {
        let State { document, ticks, extract, requests } = state;
        (self.document, self.ticks, self.extract) = (document, ticks, extract);
        self.requests.truncate(requests);
    }

    /// Puts the new pictures into the places that the text holds for them; `uploads` gathers the files they come from.
    ///
    /// # Errors
    ///
    /// `PlanRejected` when one would not stand where the file has it.
    pub(super) fn with_pictures(
        &mut self,
        expected: &mut [Expected],
        uploads: &mut Vec<String>,
    ) -> Result<images::Inserted> {
        let rejected = |reason| self.task.rejected(reason);
        let (requests, pictures) =
            images::insertions(&self.extract, expected, (self.task.tab_id.as_deref(), &self.task.carried), uploads)
                .map_err(rejected)?;
        self.carry_out(requests)?;
        images::arrived(&self.extract, expected, pictures).map_err(|reason| self.task.rejected(reason))
    }

    /// The stretches of the tab, as it is now, that somebody has tied something to.
    pub(super) fn ties(&self) -> Ties {
        tab_of(&self.document, self.task.part).map(Ties::of).unwrap_or_default()
    }

    /// Asks one step of styling what it needs on the document so far.
    ///
    /// # Errors
    ///
    /// `PlanRejected` when the blocks are not those that were expected.
    pub(super) fn restyled(
        &self,
        step: Restyle,
        expected: &mut [Expected],
        notices: &mut Notices,
    ) -> Result<Vec<Request>> {
        let empty = DocumentTab::default();
        let tab = tab_of(&self.document, self.task.part).and_then(|tab| tab.document_tab.as_ref()).unwrap_or(&empty);
        let context = Context::new(&self.document, tab, self.task.tab_id.as_deref());
        step(&self.extract, expected, &context, notices).map_err(|reason| self.task.rejected(reason))
    }

    /// Carries out requests that change the structure and checks that they touch nothing but the elements `touched`.
    ///
    /// # Errors
    ///
    /// `PlanRejected` when the model refuses one, or something else would change.
    pub(super) fn change_structure(&mut self, requests: Vec<Request>, touched: &[usize]) -> Result<()> {
        if requests.is_empty() {
            return Ok(());
        }
        let before = self.document.clone();
        self.carry_out(requests)?;
        verify::untouched_stay(&before, &self.document, self.task.part, touched)
            .map_err(|reason| self.task.rejected(reason))
    }
}
