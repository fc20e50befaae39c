//! The interpreter of `documents.batchUpdate`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/batchUpdate>

use std::collections::HashSet;

use serde_json::{Value, json};

use super::delete::{self, Removed};
use super::document::{Document, DocumentTab, Range, StructuralElement};
use super::ids::FreshIds;
use super::index::reindex;
use super::insert_table::{Size, insert_table};
use super::refusal::Refusal;
use super::request::{EndOfSegmentLocation, InsertTable, InsertText, Location, Request};
use super::setting::Setting;
use super::threads::Threads;
use super::{bullets, comment, insert, named_range, objects, paragraph_style, quirks, text_style};

/// What a batch did.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The document afterwards; its revision is the caller's to set.
    pub document: Document,
    /// One reply for each request, `{}` where there is nothing to say.
    pub replies: Vec<Value>,
    /// The suggestions that each request affected, `{}` where there are none.
    pub suggestions: Vec<Value>,
    /// Whether comments or suggestions were changed.
    pub updates_comments: bool,
}

/// Carries out a batch, whole or not at all.
///
/// `seed` makes fresh ids (heading ids, named range ids) different from batch to batch; the same document, requests
/// and seed give the same result. Costs one clone of the document and, for each request, one walk over the indices
/// of the segment it is about.
///
/// # Errors
///
/// The [`Refusal`] of the first request that cannot be carried out; the document is then as it was.
pub fn apply(document: &Document, requests: &[Request], seed: u64) -> Result<Applied, Refusal> {
    apply_as(document, requests, &Setting::plain(seed))
}

/// Carries out a batch in a setting: somebody sends it at a moment, perhaps as suggestions. Otherwise as [`apply`].
///
/// # Errors
///
/// As [`apply`].
pub fn apply_as(document: &Document, requests: &[Request], setting: &Setting) -> Result<Applied, Refusal> {
    if requests.len() > quirks::MAX_REQUESTS {
        return Err(Refusal::invalid(format!("A batch holds at most {} requests.", quirks::MAX_REQUESTS)));
    }
    let mut batch = Batch {
        document: document.clone(),
        ids: FreshIds::new(setting.seed),
        laid_out: HashSet::new(),
        cells: 0,
        threads: Threads::new(setting),
    };
    let mut replies = Vec::with_capacity(requests.len());
    let mut suggestions = Vec::with_capacity(requests.len());
    for (number, request) in requests.iter().enumerate() {
        let reply = batch.carry_out(request).map_err(|refusal| refusal.in_request(number, request.kind()))?;
        replies.push(reply);
        suggestions.push(batch.threads.take_affected());
    }
    let updates_comments = batch.threads.updated;
    Ok(Applied { document: batch.document, replies, suggestions, updates_comments })
}

/// A batch under way.
struct Batch {
    /// The document so far; dropped when a request is refused.
    document: Document,
    /// Fresh ids.
    ids: FreshIds,
    /// Segments whose indices are known to be right: tab id and segment id.
    laid_out: HashSet<(String, String)>,
    /// Table cells made so far.
    cells: u32,
    /// Who sends it, and what it did to threads.
    threads: Threads,
}

impl Batch {
    /// Carries out one request and returns its reply.
    fn carry_out(&mut self, request: &Request) -> Result<Value, Refusal> {
        if quirks::MODELESS_KINDS.contains(&request.kind()) {
            return self.carry_out_on_threads(request);
        }
        if self.threads.setting.suggests {
            return self.suggest(request);
        }
        match request {
            Request::InsertText(request) => self.insert(request)?,
            Request::DeleteContentRange(request) => {
                self.in_segment(&request.range, |tab, content, _| {
                    let removed = delete::delete_range(content, &request.range)?;
                    forget(tab, content, segment_of(&request.range), &removed);
                    Ok(())
                })?;
            }
            Request::UpdateTextStyle(request) => {
                self.in_segment(&request.range, |tab, content, _| text_style::update(tab, content, request))?;
            }
            Request::UpdateParagraphStyle(request) => {
                self.in_segment(&request.range, |tab, content, ids| {
                    paragraph_style::update(tab, content, request, ids)
                })?;
            }
            Request::CreateNamedRange(request) => {
                let tab_id = self.later_tab(&request.range);
                return self.in_segment(&request.range, |tab, content, ids| {
                    named_range::create(tab, content, request, tab_id, ids)
                });
            }
            Request::CreateParagraphBullets(request) => {
                self.in_segment(&request.range, |tab, content, ids| {
                    bullets::create(tab, content, request, segment_of(&request.range), ids)
                })?;
            }
            Request::DeleteParagraphBullets(request) => {
                self.in_segment(&request.range, |tab, content, _| bullets::delete(tab, content, &request.range))?;
            }
            Request::InsertTable(request) => self.insert_table(request)?,
            Request::DeleteNamedRange(request) => return named_range::delete(&mut self.document, request),
            other => return Err(Refusal::unimplemented(quirks::not_carried_out(other.kind()))),
        }
        Ok(json!({}))
    }

    /// Carries out a request about a comment or a suggestion.
    fn carry_out_on_threads(&mut self, request: &Request) -> Result<Value, Refusal> {
        if let Request::InsertComment(request) = request {
            comment::check(&self.document, request)?;
            let named_tab = self.later_tab(&request.range);
            let anchor = self.in_segment(&request.range, |tab, content, ids| {
                comment::anchor(tab, content, request, named_tab, ids)
            })?;
            return Ok(self.threads.open(&mut self.document, request, anchor, &mut self.ids));
        }
        self.ids.learn(&self.document);
        self.threads.carry_out(&mut self.document, request, &mut self.ids)
    }

    /// Carries out a request as a suggestion.
    fn suggest(&mut self, request: &Request) -> Result<Value, Refusal> {
        let by = self.threads.suggester(&self.document);
        let suggested = match request {
            Request::InsertText(request) => {
                let place = place_of(request.location.as_ref(), request.end_of_segment_location.as_ref());
                let (index, place) = place.ok_or_else(|| Refusal::invalid(quirks::NO_LOCATION))?;
                self.in_segment(&place, |tab, content, ids| {
                    by.insert(tab, content, segment_of(&place), index, &request.text, ids)
                })?
            }
            Request::DeleteContentRange(request) => self.in_segment(&request.range, |tab, content, ids| {
                by.delete(tab, content, segment_of(&request.range), &request.range, ids)
            })?,
            Request::UpdateTextStyle(request) => {
                self.in_segment(&request.range, |tab, content, ids| by.restyle(tab, content, request, ids))?
            }
            other if quirks::UNSUGGESTIBLE_KINDS.contains(&other.kind()) => {
                return Err(Refusal::invalid(quirks::NOT_SUGGESTIBLE));
            }
            other => return Err(Refusal::unimplemented(quirks::not_suggested(other.kind()))),
        };
        self.threads.note(&mut self.document, suggested, &mut self.ids);
        Ok(json!({}))
    }

    /// Returns the tab that a new range must name, if it must name one.
    fn later_tab(&self, range: &Range) -> Option<String> {
        let later = self.document.tab(range.tab_id.as_deref()).is_some_and(|tab| {
            quirks::RANGES_NAME_LATER_TABS && self.document.tabs.first().is_some_and(|f| f.id() != tab.id())
        });
        range.tab_id.clone().filter(|_| later)
    }

    /// Carries out `insertText`.
    fn insert(&mut self, request: &InsertText) -> Result<(), Refusal> {
        let place = place_of(request.location.as_ref(), request.end_of_segment_location.as_ref());
        let (index, place) = place.ok_or_else(|| Refusal::invalid(quirks::NO_LOCATION))?;
        self.in_segment(&place, |tab, content, ids| {
            let (index, width) = insert::insert_text(content, index, &request.text, ids)?;
            named_range::grow(tab, segment_of(&place), index, width);
            Ok(())
        })
    }

    /// Carries out `insertTable`.
    fn insert_table(&mut self, request: &InsertTable) -> Result<(), Refusal> {
        let size = Size::check(request.rows, request.columns)?;
        self.cells = self.cells.saturating_add(size.cells());
        if self.cells > quirks::MAX_BATCH_CELLS {
            let most = quirks::MAX_BATCH_CELLS;
            return Err(Refusal::invalid(format!("A batch makes at most {most} table cells.")));
        }
        let place = place_of(request.location.as_ref(), request.end_of_segment_location.as_ref());
        let (index, place) = place.ok_or_else(|| Refusal::invalid(quirks::NO_TABLE_LOCATION))?;
        self.in_segment(&place, |tab, content, ids| {
            let (index, width) = insert_table(tab, content, index, size, segment_of(&place), ids)?;
            named_range::grow(tab, segment_of(&place), index, width);
            Ok(())
        })
    }

    /// Runs `work` on the segment that a range names, taken out of its tab meanwhile.
    fn in_segment<T>(
        &mut self,
        range: &Range,
        work: impl FnOnce(&mut DocumentTab, &mut Vec<StructuralElement>, &mut FreshIds) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.ids.learn(&self.document);
        let tab_id = range.tab_id.as_deref();
        let unknown_tab = || Refusal::invalid(quirks::unknown_tab(tab_id.unwrap_or_default()));
        let tab = self.document.tab_mut(tab_id).ok_or_else(unknown_tab)?;
        let key = (tab.id().to_owned(), segment_of(range).to_owned());
        let tab = tab.document_tab.as_mut().ok_or_else(unknown_tab)?;
        let unknown_segment = || Refusal::invalid(quirks::unknown_segment(segment_of(range)));
        let slot = tab.segment_mut(range.segment_id.as_deref()).ok_or_else(unknown_segment)?;
        let mut content = std::mem::take(slot);
        if !self.laid_out.contains(&key) {
            // Indices in a request are Google's: on a segment that this model counts otherwise they would hit
            // other text than was meant, so nothing is done to it.
            if reindex(&mut content) > 0 {
                return Err(Refusal::unimplemented(quirks::UNCOUNTED));
            }
            self.laid_out.insert(key);
        }
        let done = work(tab, &mut content, &mut self.ids)?;
        if let Some(slot) = tab.segment_mut(range.segment_id.as_deref()) {
            *slot = content;
        }
        Ok(done)
    }
}

/// Returns where an insertion goes: the index, `None` for the end, and a range that names the segment; `None` unless
/// exactly one of the two is said.
fn place_of(at: Option<&Location>, end: Option<&EndOfSegmentLocation>) -> Option<(Option<u32>, Range)> {
    let (index, segment_id, tab_id) = match (at, end) {
        (Some(at), None) => (Some(at.index), &at.segment_id, &at.tab_id),
        (None, Some(end)) => (None, &end.segment_id, &end.tab_id),
        (None, None) | (Some(_), Some(_)) => return None,
    };
    Some((index, Range { segment_id: segment_id.clone(), tab_id: tab_id.clone(), ..Range::default() }))
}

/// Returns the segment that a range names, empty for the body.
fn segment_of(range: &Range) -> &str {
    range.segment_id.as_deref().unwrap_or_default()
}

/// Draws the consequences of a deletion for named ranges and objects.
fn forget(tab: &mut DocumentTab, content: &mut [StructuralElement], segment: &str, removed: &Removed) {
    let (from, to) = removed.range;
    named_range::shrink(tab, segment, from, to);
    objects::forget(tab, content, removed);
}
