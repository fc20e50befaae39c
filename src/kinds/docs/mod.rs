//! Google Docs: extraction, plans, and the calls of the API.

mod adapter;
mod align;
mod blocks;
mod comments;
#[cfg(test)]
mod comments_tests;
mod edit;
mod endings;
mod extract;
mod flat;
mod footnotes;
mod head;
mod images;
mod line;
mod lists;
mod newlines;
mod objects;
mod paragraphs;
mod places;
mod plan;
mod planner;
mod present;
mod properties;
mod recognize;
mod restyle;
mod style;
mod tables;
mod trial;
mod values;
mod verify;
mod window;
mod wire;
mod words;

pub use adapter::Docs;

use crate::error::{Error, Result};
use crate::gdocs::Document;
use crate::kinds::{Comments, Fetched, Pictures, PushPlan, Reading};
use crate::mebdf;
use crate::model::{ItemId, KindName, PartId, Revision};

/// What the account may do with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    Edit,
    /// Comment only.
    Comment,
    /// Read only.
    Read,
}

impl Access {
    const fn word(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Comment => "comment",
            Self::Read => "read",
        }
    }
}

/// Turns an answer of `documents.get` (with `includeTabsContent=true`) into the files of an item. Pure.
///
/// # Errors
///
/// `ExtractionFailed` when the answer is not a Document.
pub fn read(raw: Vec<u8>, access: Access, url: &str) -> Result<Fetched> {
    read_with(raw, access, url, |_| Comments::Unread)
}

/// Does the same with the comments that `comments` writes for the document.
fn read_with(raw: Vec<u8>, access: Access, url: &str, comments: impl FnOnce(&Document) -> Comments) -> Result<Fetched> {
    let document = document(&raw)?;
    let revision = document.revision_id.clone().filter(|revision| !revision.is_empty()).map(Revision);
    let can_edit = access == Access::Edit && revision.is_some();
    let access = if can_edit || access != Access::Edit { access } else { Access::Read };
    let (parts, landmarks) = extract::parts(&document, access.word(), url).into_iter().unzip();
    let images = images::images(&document);
    let comments = comments(&document);
    Ok(Fetched {
        id: ItemId(document.document_id.clone()),
        kind: KindName::Docs,
        title: document.title.clone(),
        url: url.to_owned(),
        revision,
        can_edit,
        parts,
        images,
        comments,
        raw,
        reading: Reading::new(Read { document, landmarks }),
    })
}

/// A document that was read, kept for the plans that are made on it.
struct Read {
    document: Document,
    /// The headings of each part.
    landmarks: Vec<Vec<extract::Landmark>>,
}

/// Plans what makes `part` of `remote` say `desired`; see [`Kind::plan`](crate::kinds::Kind::plan). Pure.
///
/// # Errors
///
/// `ReadOnly`, `NotFound` for an unknown part, `PlanRejected`.
pub fn plan(remote: &Fetched, part: &PartId, desired: &str, accept: bool) -> Result<PushPlan> {
    plan_with(remote, part, desired, accept, &Pictures::new())
}

/// Plans like [`plan()`], with what is known of the files that the text names as new pictures; one that is not among them
/// is taken for a good one. Pure.
///
/// # Errors
///
/// As [`plan()`].
pub fn plan_with(
    remote: &Fetched,
    part: &PartId,
    desired: &str,
    accept: bool,
    pictures: &Pictures,
) -> Result<PushPlan> {
    if !remote.can_edit {
        let reason = "this account may not edit the document".to_owned();
        return Err(Error::ReadOnly { id: remote.id.to_string(), reason });
    }
    let at = remote.parts.iter().position(|other| other.id == *part);
    let text = at.and_then(|at| remote.parts.get(at)).map(|part| part.text.as_str());
    if let (Some(read), Some(text)) = (remote.reading.get::<Read>(), text) {
        let landmarks = at.and_then(|at| read.landmarks.get(at)).map_or(&[][..], Vec::as_slice);
        return window::plan(
            &window::Source { document: &read.document, part, text, landmarks },
            desired,
            accept,
            pictures,
        );
    }
    plan::plan_part(&document(&remote.raw)?, text.and_then(mebdf::head), part, desired, accept, pictures)
}

/// Plans what makes a new document, as `documents.create` answers it, say `text`: one plan for each batch that it takes,
/// each on what the model makes of the one before. Pure.
///
/// # Errors
///
/// `ExtractionFailed` when the answer is not a Document; `InvalidInput` when a part of the text cannot be pushed.
pub fn plan_creation(raw: &[u8], text: &str) -> Result<Vec<PushPlan>> {
    plan::try_creation(&document(raw)?, text)
}

fn document(raw: &[u8]) -> Result<Document> {
    serde_json::from_slice(raw)
        .map_err(|source| Error::ExtractionFailed { id: "the document".into(), source: Box::new(source) })
}
