//! New documents.

use serde_json::json;

use super::adapter::{Docs, checked};
use super::plan;
use super::wire::NewDocument;
use crate::error::{Error, Result};
use crate::gdocs::{Document, new_document, segment_end};
use crate::google::{Call, Service};
use crate::kinds::{Created, Filled, Hosted, NotFilled, Pictures, PushPlan};
use crate::model::{ItemId, Notice};

impl Docs {
    /// Makes a document that says `text`, with pictures at the addresses where they stand.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the text cannot become a document; `Told` when the document may be there, or is without its text.
    pub(super) async fn make(&self, title: &str, text: &str, pictures: &Hosted) -> Result<Created> {
        let known = known(pictures);
        // A text that cannot become a document is found before anything is made.
        let plans = plans(title, text, &known)?;
        for plan in &plans {
            hosted(plan, pictures)?;
        }
        let made = self.open(title).await?;
        let filled = self.write_all(&made.id, text, (&known, pictures), plans).await;
        let filled = filled.map_err(|NotFilled { error, .. }| made_without(&made.url, &error))?;
        Ok(Created { notices: filled.notices, ..made })
    }

    /// Makes a document without a text, once it is clear that one can say `text`.
    ///
    /// # Errors
    ///
    /// As [`Docs::make`].
    pub(super) async fn make_empty(&self, title: &str, text: &str, known: &Pictures) -> Result<Created> {
        plans(title, text, known)?;
        self.open(title).await
    }

    /// Makes a new document say `text`, of which a part may be there.
    ///
    /// # Errors
    ///
    /// [`NotFilled`] with what went wrong.
    pub(super) async fn fill_new(
        &self,
        id: &ItemId,
        title: &str,
        text: &str,
        pictures: &Hosted,
    ) -> Result<Filled, NotFilled> {
        let known = known(pictures);
        let plans = plans(title, text, &known).map_err(|error| NotFilled { error, begun: None })?;
        self.write_all(id, text, (&known, pictures), plans).await
    }

    /// Makes a document without a text.
    async fn open(&self, title: &str) -> Result<Created> {
        let title = title.trim();
        let body = json!({"title": title});
        let call = Call::post(Service::Docs, "/v1/documents".into(), &body, title, "creating the document");
        let made: NewDocument = self.google.json(&call).await.map_err(perhaps_made)?;
        let id = checked(&ItemId(made.document_id))?.to_owned();
        Ok(Created { url: self.url(&id), id: ItemId(id), notices: Vec::new() })
    }

    /// Writes a text into a new document, by as many batches as `plans` has.
    async fn write_all(
        &self,
        id: &ItemId,
        text: &str,
        pictures: (&Pictures, &Hosted),
        plans: Vec<PushPlan>,
    ) -> Result<Filled, NotFilled> {
        let count = plans.iter().filter(|plan| !plan.requests.is_empty()).count();
        let (mut begun, mut whole) = (false, true);
        for _ in 0..count {
            match self.write_new(id, text, pictures, count, begun).await {
                Ok(Written::All) => begun = true,
                Ok(Written::Foreign) => whole = false,
                Err(NotFilled { error, begun: now }) => {
                    return Err(NotFilled { error, begun: if begun { Some(true) } else { now } });
                }
            }
            if !whole {
                break;
            }
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
        Ok(Filled { whole, notices })
    }

    /// Writes a part of its text into a new document. It is planned anew for each: a person's own default styles stand there, and
    /// so do the ids that Google gave to what the part before made.
    async fn write_new(
        &self,
        id: &ItemId,
        text: &str,
        (known, pictures): (&Pictures, &Hosted),
        batches: usize,
        begun: bool,
    ) -> Result<Written, NotFilled> {
        let unseen = |error| NotFilled { error, begun: None };
        let id = checked(id).map_err(unseen)?;
        let raw = self.read(id, "SUGGESTIONS_INLINE").await.map_err(unseen)?;
        let document = super::document(&raw).map_err(unseen)?;
        let is_blank = is_blank(&document);
        let not_filled = |error| NotFilled { error, begun: Some(!is_blank) };
        let plan = match plan::create_plan(&document, text, known) {
            // What stands there cannot become this text, so it is another's.
            Err(Error::InvalidInput { .. }) if !is_blank && !begun => return Ok(Written::Foreign),
            planned => planned.map_err(not_filled)?,
        };
        let requests = hosted(&plan, pictures).map_err(not_filled)?;
        if requests.is_empty() {
            return Ok(Written::All);
        }
        // Of a text of one batch that stands there all does. Of others nothing that stands there is in the way of the rest.
        if !is_blank && !begun && (batches == 1 || requests.iter().any(takes_words)) {
            return Ok(Written::Foreign);
        }
        let revision = document.revision_id.clone().unwrap_or_default();
        match self.batch(id, &revision, &requests).await {
            Ok(_) => Ok(Written::All),
            Err(error @ Error::Network { outcome_unknown: true, .. }) => Err(NotFilled { error, begun: Some(true) }),
            Err(error) => Err(not_filled(error)),
        }
    }
}

/// What became of a part of a text.
enum Written {
    /// It is there.
    All,
    /// Somebody else wrote into the document, which was left as it is.
    Foreign,
}

/// Returns what is known of pictures that have an address, or none.
fn known(pictures: &Hosted) -> Pictures {
    let named = pictures.iter().map(|(name, address)| (name.clone(), address.clone().map(drop)));
    Pictures { named: named.collect(), ..Pictures::default() }
}

/// Plans what makes a new document say `text`.
fn plans(title: &str, text: &str, known: &Pictures) -> Result<Vec<PushPlan>> {
    let title = title.trim();
    if let Some(what) = plan::bad_title(title) {
        return Err(Error::InvalidInput { what, suggestion: "Give the document another title.".into() });
    }
    plan::try_creation(&new_document("", title), text, known)
}

/// Tells whether nobody has written into a document: one that was just made is a newline.
fn is_blank(document: &Document) -> bool {
    let [tab] = document.tabs.as_slice() else { return false };
    let Some(content) = tab.document_tab.as_ref().filter(|_| tab.child_tabs.is_empty()) else { return false };
    content.segment_ids() == [None] && content.segment(None).is_some_and(|body| segment_end(body) <= 2)
}

/// Tells whether a request takes something away from a body.
fn takes_words(request: &serde_json::Value) -> bool {
    let is_of_body = |range: &serde_json::Value| range["segmentId"].as_str().unwrap_or_default().is_empty();
    let takes = |(name, request): (&String, &serde_json::Value)| {
        name.starts_with("delete") && (name != "deleteContentRange" || is_of_body(&request["range"]))
    };
    request.as_object().is_some_and(|named| named.iter().any(takes))
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
