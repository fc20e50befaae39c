//! What paragraphs have back once the text stands: their ends, the looks of their marks and what no file shows of them, and
//! their places in one list. Pure.

use super::edit::{self, Expected, What};
use super::joins::{self, Joins};
use super::planner::Notices;
use super::restyle::contents;
use super::told::line_saying;
use super::trial::Trial;
use super::{endings, glyphs, run_looks, settings};
use crate::error::Result;
use crate::gdocs::{Document, Request, SegmentTrace, StructuralElement, Tab, apply_traced};
use crate::kinds::docs::text::extract::{Origin, tab_of};
use crate::model::PartId;

impl Trial<'_> {
    /// Asks what gives paragraphs that were not edited the ends they had in the document `before`.
    pub(super) fn endings(&self, before: &Document, expected: &[Expected]) -> Vec<Request> {
        let tab = |document| tab_of(document, self.task.part).and_then(|tab| tab.document_tab.as_ref());
        match (tab(before), tab(&self.document)) {
            (Some(before), Some(tab)) => {
                endings::as_before(before, (tab, &self.extract), expected, self.task.tab_id.as_deref())
            }
            _ => Vec::new(),
        }
    }

    /// Gives the marks of items, and their newlines, the looks they had again, and tells in `lost` which cannot be given;
    /// returns the elements that change, by their places in the document `before` the text was edited.
    ///
    /// # Errors
    ///
    /// `PlanRejected` with the model's words when it refuses a request.
    pub(super) fn restore_glyphs(
        &mut self,
        before: &Document,
        expected: &[Expected],
        (notices, lost): (&Notices, &mut Notices),
    ) -> Result<Vec<usize>> {
        let (task, tab_id) = (self.task, self.task.tab_id.as_deref());
        let tab = |document| tab_of(document, task.part).and_then(|tab| tab.document_tab.as_ref());
        let document = self.document.clone();
        let (Some(was), Some(is)) = (tab(task.document), tab(&document)) else { return Ok(Vec::new()) };
        let edited = self.edited(before, expected);
        let Some(marked) = glyphs::Marked::read(was, is, || self.traces(), &edited) else { return Ok(Vec::new()) };
        let mut restored = marked.restored(is, tab_id);
        let mut touched = restored.touched(&self.extract, expected);
        self.carry_out(std::mem::take(&mut restored.requests))?;
        let mut lost_now = restored.lost;
        let document = self.document.clone();
        if let Some(is) = tab(&document) {
            let mut ends = marked.again(is).restored_ends(is, tab_id);
            touched.append(&mut ends.touched(&self.extract, expected));
            self.carry_out(std::mem::take(&mut ends.requests))?;
            lost_now.append(&mut ends.lost);
        }
        if !touched.is_empty()
            && let Some(is) = tab(&self.document)
        {
            // What the model makes of them counts.
            let marked = marked.again(is);
            lost_now.append(&mut marked.restored(is, tab_id).changed);
            lost_now.append(&mut marked.restored_ends(is, tab_id).changed);
        }
        for (element, words) in lost_now {
            let of = expected.iter().zip(contents(&self.extract)).find(|(expected, (_, origin))| {
                expected.line > 0 && element.is_some() && edit::element(origin) == element
            });
            let line = match of.map(|(expected, (_, origin))| (expected.line, origin)) {
                Some((line, Origin::Line { .. })) => line,
                _ => line_saying(task, notices, &words),
            };
            let message = "the mark of this list item has lost a look of its own, such as a colour, which the file does not \
                           show: no request changes it without the item's text";
            lost.refuse("LOOK_LOST", line, message);
        }
        Ok(touched)
    }

    /// Where the characters of the tab come from.
    fn traces(&self) -> Vec<SegmentTrace> {
        let tab = tab_of(self.task.document, self.task.part).map(Tab::id);
        let traces = apply_traced(self.task.document, &self.requests, 0).map(|(_, traces)| traces);
        traces.unwrap_or_default().into_iter().filter(|trace| Some(&*trace.tab_id) == tab).collect()
    }

    /// Gives text that was typed anew the looks that it had and that the file does not say exactly, and tells in `lost` of
    /// what cannot have them; returns the elements that change, by their places before the text was edited.
    ///
    /// # Errors
    ///
    /// `PlanRejected` with the model's words when it refuses a request.
    pub(super) fn restore_run_looks(&mut self, expected: &[Expected], lost: &mut Notices) -> Result<Vec<usize>> {
        let (task, tab_id) = (self.task, self.task.tab_id.as_deref());
        let tab = |document| tab_of(document, task.part).and_then(|tab| tab.document_tab.as_ref());
        let document = self.document.clone();
        let (Some(was), Some(is)) = (tab(task.document), tab(&document)) else { return Ok(Vec::new()) };
        let mut restored = run_looks::restored(was, is, || self.traces(), tab_id);
        if restored.requests.is_empty() {
            return Ok(Vec::new());
        }
        let touched = restored.touched(&self.extract, expected);
        self.carry_out(std::mem::take(&mut restored.requests))?;
        // What the model makes of them counts.
        let document = self.document.clone();
        let Some(is) = tab(&document) else { return Ok(touched) };
        let left = run_looks::restored(was, is, || self.traces(), tab_id);
        for (expected, (_, origin)) in expected.iter().zip(contents(&self.extract)) {
            if expected.line > 0 && edit::element(origin).is_some_and(|at| left.changed.contains(&at)) {
                let message = "text that was moved here has lost a look of its own, which the file does not show: no request \
                               gives it that";
                lost.refuse("LOOK_LOST", expected.line, message);
            }
        }
        Ok(touched)
    }

    /// Where paragraphs of the body began in the document that were edited where they stand, and where they begin now; `before`
    /// is the document before the text was edited.
    fn edited(&self, before: &Document, expected: &[Expected]) -> Vec<(u32, u32)> {
        fn elements<'a>(document: &'a Document, part: &PartId) -> &'a [StructuralElement] {
            let tab = tab_of(document, part).and_then(|tab| tab.document_tab.as_ref());
            tab.and_then(|tab| tab.body.as_ref()).map_or(&[], |body| &body.content)
        }
        let (was, before) = (elements(self.task.document, self.task.part), elements(before, self.task.part));
        if was.len() != before.len() {
            // Paragraphs were split or merged, and none has to be the one in its place.
            return Vec::new();
        }
        let found = expected.iter().zip(contents(&self.extract)).filter_map(|(expected, (_, origin))| {
            let (What::Edited { .. }, Some(at), Origin::Line { line, .. }) = (&expected.what, expected.element, origin)
            else {
                return None;
            };
            let (was, before) = (was.get(at)?, before.get(at)?);
            (was == before).then(|| (was.start_index.utf16(), line.start))
        });
        found.collect()
    }

    /// Gives paragraphs that stand elsewhere now the settings that no file shows; returns the elements that are set, by their
    /// places before the text was edited.
    ///
    /// # Errors
    ///
    /// `PlanRejected` with the model's words when it refuses a request.
    pub(super) fn restore_settings(&mut self, expected: &[Expected]) -> Result<Vec<usize>> {
        let tab = |document| tab_of(document, self.task.part).and_then(|tab| tab.document_tab.as_ref());
        let (Some(was), Some(is)) = (tab(self.task.document), tab(&self.document)) else { return Ok(Vec::new()) };
        let mut restored = settings::restored(was, is, self.task.tab_id.as_deref());
        let touched = restored.touched(&self.extract, expected);
        self.carry_out(std::mem::take(&mut restored.requests))?;
        Ok(touched)
    }

    /// Asks what joins the lists that now begin right behind an item that was none in the document `before`.
    pub(super) fn joins(&self, before: &Document, expected: &[Expected]) -> Joins {
        let tab = |document| tab_of(document, self.task.part).and_then(|tab| tab.document_tab.as_ref());
        match (tab(before), tab(&self.document)) {
            (Some(before), Some(tab)) => {
                joins::below(before, (tab, &self.extract), expected, self.task.tab_id.as_deref())
            }
            _ => Joins::default(),
        }
    }
}
