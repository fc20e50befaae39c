//! New documents.

use serde_json::json;

use super::adapter::{Docs, checked};
use super::plan;
use super::wire::NewDocument;
use crate::error::{Error, Result};
use crate::gdocs::{Document, new_document};
use crate::google::{Call, Service};
use crate::kinds::{Created, Hosted, Pictures, PushPlan};
use crate::model::{ItemId, Notice};

impl Docs {
    /// Makes a document that says `text`, with pictures at the addresses where they stand.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become a document; `Told` when the document may be there, or is without its text.
    pub(super) async fn make(&self, title: &str, text: &str, pictures: &Hosted) -> Result<Created> {
        let title = title.trim();
        if let Some(what) = plan::bad_title(title) {
            return Err(Error::InvalidInput { what, suggestion: "Give the document another title.".into() });
        }
        // A text that cannot become a document is found before anything is made.
        let blank = new_document("", title);
        let named = pictures.iter().map(|(name, address)| (name.clone(), address.clone().map(drop)));
        let known = Pictures { named: named.collect(), ..Pictures::default() };
        let plans = plan::try_creation(&blank, text, &known)?;
        for plan in &plans {
            hosted(plan, pictures)?;
        }
        let body = json!({"title": title});
        let call = Call::post(Service::Docs, "/v1/documents".into(), &body, title, "creating the document");
        let made: NewDocument = self.google.json(&call).await.map_err(perhaps_made)?;
        let id = checked(&ItemId(made.document_id))?.to_owned();
        let url = self.url(&id);
        for _ in plans.iter().filter(|plan| !plan.requests.is_empty()) {
            self.write_new(&id, text, &known, pictures).await.map_err(|error| made_without(&url, &error))?;
        }
        let mut notices: Vec<Notice> = Vec::new();
        // A later batch finds again what the first did without.
        for notice in plans.into_iter().flat_map(|plan| plan.refused.into_iter().chain(plan.told)) {
            let notice = plan::of_new(notice);
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        notices.sort_by_key(|notice| (notice.line, notice.column));
        Ok(Created { id: ItemId(id), url, notices })
    }

    /// Writes a part of its text into a new document. It is planned anew for each: a person's own default styles stand there, and
    /// so do the ids that Google gave to what the part before made.
    async fn write_new(&self, id: &str, text: &str, known: &Pictures, pictures: &Hosted) -> Result<()> {
        let raw = self.read(id, "SUGGESTIONS_INLINE").await?;
        let document: Document = serde_json::from_slice(&raw)
            .map_err(|error| Error::ExtractionFailed { id: id.to_owned(), source: error.into() })?;
        let plan = plan::create_plan(&document, text, known)?;
        let requests = hosted(&plan, pictures)?;
        let revision = document.revision_id.unwrap_or_default();
        if !requests.is_empty() {
            self.batch(id, &revision, &requests).await?;
        }
        Ok(())
    }
}

/// Says of an answer that did not come that the document may be there.
fn perhaps_made(error: Error) -> Error {
    if !matches!(error, Error::Network { outcome_unknown: true, .. }) {
        return error;
    }
    Error::Told {
        kind: error.kind(),
        message: format!("nobody knows whether the document was made: {error}"),
        suggestion: "Look for it in Google Drive before you make it once more; `fetch` of its id mirrors it.".into(),
    }
}

/// Says of a document that was made that its text is not there, or not all of it.
fn made_without(url: &str, error: &Error) -> Error {
    Error::Told {
        kind: error.kind(),
        message: format!("{url} was made, but its text may not be there, or not all of it: {error}"),
        suggestion:
            "`fetch` mirrors it, and the rest can be written into its file; or put it into the trash and make it anew."
                .into(),
    }
}

/// Returns the requests of a plan for a new document, with the addresses at which its pictures stand.
fn hosted(plan: &PushPlan, pictures: &Hosted) -> Result<Vec<serde_json::Value>> {
    let address = |name: &String| {
        pictures.get(name).and_then(|address| address.clone().ok()).ok_or_else(|| Error::InvalidInput {
            what: format!("the picture `{name}` was not uploaded"),
            suggestion: "Name it by a path or an https address.".into(),
        })
    };
    let addresses = plan.uploads.iter().map(address).collect::<Result<Vec<_>>>()?;
    Ok(plan.hosted(&addresses).requests)
}
