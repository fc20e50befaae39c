//! A batch under way: the document so far and the ways into it.

use std::collections::HashSet;

use super::document::{Document, DocumentTab, StructuralElement};
use super::ids::FreshIds;
use super::index::{reindex, segment_end};
use super::quirks;
use super::refusal::Refusal;
use super::request::TabsCriteria;
use super::segment::{Address, Segment};
use super::setting::Setting;
use super::threads::Threads;
use super::trace::Trace;

/// A batch under way.
pub(crate) struct Batch {
    /// The document so far; dropped when a request is refused.
    pub(crate) document: Document,
    /// Fresh ids.
    pub(crate) ids: FreshIds,
    /// Segments whose indices are known to be right: tab id and segment id.
    laid_out: HashSet<(String, String)>,
    /// Table cells made so far.
    cells: u32,
    /// Where every unit comes from, when somebody wants to know.
    pub(crate) trace: Option<Trace>,
    /// Who sends it, and what it did to comments and suggestions.
    pub(crate) threads: Threads,
}

impl Batch {
    /// Starts on a copy of a document.
    pub(crate) fn new(document: &Document, setting: &Setting, trace: Option<Trace>) -> Self {
        Self {
            document: document.clone(),
            ids: FreshIds::new(setting.seed),
            laid_out: HashSet::new(),
            cells: 0,
            trace,
            threads: Threads::new(setting),
        }
    }

    /// Returns the content of a tab, the first for `None`, and the source of fresh ids.
    ///
    /// # Errors
    ///
    /// A refusal of an unknown tab.
    pub(crate) fn tab(&mut self, tab_id: Option<&str>) -> Result<(&mut DocumentTab, &mut FreshIds), Refusal> {
        self.ids.learn(&self.document);
        let unknown = || Refusal::invalid(quirks::unknown_tab(tab_id.unwrap_or_default()));
        let tab = self.document.tab_mut(tab_id).and_then(|tab| tab.document_tab.as_mut()).ok_or_else(unknown)?;
        Ok((tab, &mut self.ids))
    }

    /// Returns the ids of the tabs that a request is about: those named, or all.
    ///
    /// # Errors
    ///
    /// A refusal of an unknown tab.
    pub(crate) fn selected_tabs(&self, criteria: Option<&TabsCriteria>) -> Result<Vec<String>, Refusal> {
        let Some(named) = criteria.map(|criteria| &criteria.tab_ids).filter(|ids| !ids.is_empty()) else {
            return Ok(self.document.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect());
        };
        let mut tabs: Vec<String> = Vec::new();
        for id in named {
            if self.document.tab(Some(id)).is_none() {
                return Err(Refusal::invalid(quirks::unknown_tab(id)));
            }
            if !tabs.contains(id) {
                tabs.push(id.clone());
            }
        }
        Ok(tabs)
    }

    /// Returns the addresses of all segments of a tab, the body first.
    pub(crate) fn segments_of(&self, tab_id: &str) -> Vec<Address> {
        let tab = self.document.tab(Some(tab_id)).and_then(|tab| tab.document_tab.as_ref());
        let ids = tab.map(DocumentTab::segment_ids).unwrap_or_default();
        let address = |id: Option<&str>| Address { tab_id: Some(tab_id.to_owned()), segment_id: id.map(str::to_owned) };
        ids.into_iter().map(address).collect()
    }

    /// Runs `work` on a segment, taken out of its tab meanwhile.
    ///
    /// # Errors
    ///
    /// A refusal of an unknown tab or segment, of one whose indices are not as this model counts, and those of `work`.
    pub(crate) fn in_segment<T>(
        &mut self,
        address: &Address,
        work: impl FnOnce(&mut Segment<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.ids.learn(&self.document);
        let tab_id = address.tab_id.as_deref();
        let unknown_tab = || Refusal::invalid(quirks::unknown_tab(tab_id.unwrap_or_default()));
        let tab = self.document.tab_mut(tab_id).ok_or_else(unknown_tab)?;
        let key = (tab.id().to_owned(), address.segment().to_owned());
        let tab = tab.document_tab.as_mut().ok_or_else(unknown_tab)?;
        let mut content = take(tab, address)?;
        if !self.laid_out.contains(&key) {
            // Indices in a request are Google's: on a segment that this model counts otherwise they would hit
            // other text than was meant, so nothing is done to it.
            if reindex(&mut content) > 0 {
                return Err(Refusal::unimplemented(quirks::UNCOUNTED));
            }
            self.laid_out.insert(key.clone());
        }
        let before = segment_end(&content);
        let mut segment = Segment {
            tab,
            content: &mut content,
            id: address.segment(),
            ids: &mut self.ids,
            cells: &mut self.cells,
            shifts: self.trace.is_some().then(Vec::new),
        };
        let done = work(&mut segment)?;
        let shifts = segment.shifts.take().unwrap_or_default();
        if let Some(slot) = tab.segment_mut(address.segment_id.as_deref()) {
            *slot = content;
        }
        if let Some(trace) = &mut self.trace {
            trace.follow(&key, before, &shifts);
        }
        Ok(done)
    }
}

/// Takes the content of a segment out of its tab.
fn take(tab: &mut DocumentTab, address: &Address) -> Result<Vec<StructuralElement>, Refusal> {
    let unknown = || Refusal::invalid(quirks::unknown_segment(address.segment()));
    tab.segment_mut(address.segment_id.as_deref()).map(std::mem::take).ok_or_else(unknown)
}
