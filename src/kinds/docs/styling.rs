//! How a document looks, read and set by the API: its kinds of paragraphs, and ranges of its text.

use serde_json::Value;

use super::adapter::{Docs, checked};
use super::elements;
use super::plan::range_look::{self, RangeLook};
use super::plan::{self, named_styles};
use crate::error::{Error, Result};
use crate::gdocs::{Document, DocumentTab, apply, read_requests, segment_end};
use crate::google::{Call, Service};
use crate::kinds::{Elements, Look, Restyled, StyleDefinition};
use crate::model::ItemId;

/// How often looks are planned anew on a document that changed meanwhile.
const TRIES_MAX: usize = 4;

impl Docs {
    pub(super) async fn styles_of(&self, id: &ItemId, tab: &str) -> Result<Vec<StyleDefinition>> {
        let id = checked(id)?;
        let document = super::document(&self.read_all(id).await?)?;
        tab_of(&document, tab).map(|(_, tab)| named_styles::definitions(tab))
    }

    pub(super) async fn set_styles(&self, id: &ItemId, tab: &str, styles: &[StyleDefinition]) -> Result<Restyled> {
        let item = id;
        let id = checked(id)?;
        for _ in 0..TRIES_MAX {
            let document = super::document(&self.read_all(id).await?)?;
            let Some(revision) = document.revision_id.as_deref().filter(|revision| !revision.is_empty()) else {
                return Err(Error::ReadOnly { id: id.to_owned(), reason: "the account may not edit it".into() });
            };
            let (tab_id, tab) = tab_of(&document, tab)?;
            let (requests, restyled) = named_styles::restyle(tab_id, tab, styles)?;
            if requests.is_empty() {
                return Ok(restyled);
            }
            check(item, &document, tab_id, &requests)?;
            match self.batch(id, revision, &requests).await {
                Ok(_) => return Ok(restyled),
                Err(Error::StaleRevision { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::StaleRevision { id: item.clone() })
    }

    /// Reads a document as the API answers it to who knows nothing of tabs: with the first of them.
    pub(super) async fn as_answered(&self, id: &ItemId) -> Result<Value> {
        let id = checked(id)?;
        let answer = self
            .google
            .send(&Call::get(Service::Docs, format!("/v1/documents/{id}"), id, "reading the document"))
            .await?;
        serde_json::from_slice(&answer)
            .map_err(|error| Error::ExtractionFailed { id: id.to_owned(), source: error.into() })
    }

    pub(super) async fn elements_of(&self, id: &ItemId, tab: &str) -> Result<Elements> {
        let id = checked(id)?;
        let document = super::document(&self.read_all(id).await?)?;
        let tab = if tab.is_empty() { None } else { Some(tab_of(&document, tab)?.0) };
        Ok(elements::of(&document, tab))
    }

    pub(super) async fn set_look(
        &self,
        item: &ItemId,
        tab: &str,
        range: (u32, u32),
        look: &Look,
    ) -> Result<Vec<String>> {
        let id = checked(item)?;
        for _ in 0..TRIES_MAX {
            let document = super::document(&self.read_all(id).await?)?;
            let Some(revision) = document.revision_id.as_deref().filter(|revision| !revision.is_empty()) else {
                return Err(Error::ReadOnly { id: id.to_owned(), reason: "the account may not edit it".into() });
            };
            let (tab_id, tab) = tab_of(&document, tab)?;
            check_range(range, tab.body.as_ref().map_or(0, |body| segment_end(&body.content)))?;
            let RangeLook { requests, applied } =
                range_look::plan(tab_id, range, look, |place| plan::place(&document, tab, tab_id, place))?;
            if requests.is_empty() {
                return Ok(applied);
            }
            check(item, &document, tab_id, &requests).map_err(|error| no_letter(range, &error))?;
            match self.batch(id, revision, &requests).await {
                Ok(_) => return Ok(applied),
                Err(Error::StaleRevision { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::StaleRevision { id: item.clone() })
    }
}

/// A range that the model of the document refuses begins or ends where no letter does.
fn no_letter((start, end): (u32, u32), error: &Error) -> Error {
    Error::InvalidInput {
        what: format!("no look can be set from {start} to {end}: {}", error.with_causes()),
        suggestion:
            "Take the places of whole letters from the structured form; an emoji counts two. Nothing was changed."
                .into(),
    }
}

/// Refuses places where no text of a body is that ends at `end`.
fn check_range((start, last): (u32, u32), end: u32) -> Result<()> {
    let refused = |what: String, suggestion: String| Err(Error::InvalidInput { what, suggestion });
    if start < 1 || last <= start {
        let what = format!("the range from {start} to {last} holds no text");
        return refused(
            what,
            format!(
                "Places are counted from 1, and the end is behind the last letter; the document ends at index {end}."
            ),
        );
    }
    if last > end {
        let what = format!("the range from {start} to {last} reaches over the end of the document");
        return refused(what, format!("The document ends at index {end}. Try end_index={end}."));
    }
    Ok(())
}

/// Finds a tab by its id, the first for an empty one; returns its id, too.
fn tab_of<'d>(document: &'d Document, wanted: &str) -> Result<(&'d str, &'d DocumentTab)> {
    let found = document.tab(Some(wanted)).and_then(|tab| Some((tab.id(), tab.document_tab.as_ref()?)));
    found.ok_or_else(|| Error::TabNotFound {
        id: document.document_id.clone(),
        tab: wanted.to_owned(),
        tabs: document.all_tabs().iter().map(|tab| format!("{} \"{}\"", tab.id(), tab.title())).collect(),
    })
}

/// Tries the requests on the model: all of them must go, and no text of the tab may be another one.
fn check(id: &ItemId, document: &Document, tab: &str, requests: &[Value]) -> Result<()> {
    let rejected = |reason: String| Error::PlanRejected { id: id.clone(), reason };
    let read = read_requests(requests).map_err(|refusal| rejected(refusal.message))?;
    let applied = apply(document, &read, 0).map_err(|refusal| rejected(refusal.message))?;
    let text = |document: &Document| tab_of(document, tab).map(|(_, tab)| named_styles::text(tab));
    if text(&applied.document)? == text(document)? { Ok(()) } else { Err(rejected("it would change the text".into())) }
}
