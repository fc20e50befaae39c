//! How the kinds of paragraphs of a document look, read and set by the API.

use super::adapter::{Docs, checked};
use super::plan::named_styles;
use crate::error::{Error, Result};
use crate::gdocs::{Document, DocumentTab, apply, read_requests};
use crate::kinds::{Restyled, StyleDefinition};
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
fn check(id: &ItemId, document: &Document, tab: &str, requests: &[serde_json::Value]) -> Result<()> {
    let rejected = |reason: String| Error::PlanRejected { id: id.clone(), reason };
    let read = read_requests(requests).map_err(|refusal| rejected(refusal.message))?;
    let applied = apply(document, &read, 0).map_err(|refusal| rejected(refusal.message))?;
    let text = |document: &Document| tab_of(document, tab).map(|(_, tab)| named_styles::text(tab));
    if text(&applied.document)? == text(document)? { Ok(()) } else { Err(rejected("it would change the text".into())) }
}
