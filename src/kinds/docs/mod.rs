//! Google Docs: extraction, plans, and the calls of the API.

mod adapter;
mod align;
mod comments;
#[cfg(test)]
mod comments_tests;
mod edit;
mod extract;
mod line;
mod paragraphs;
mod places;
mod plan;
mod recognize;
mod restyle;
mod style;
mod verify;
mod wire;
mod words;

pub use adapter::Docs;

use crate::error::{Error, Result};
use crate::gdocs::Document;
use crate::kinds::{Comments, Fetched, PushPlan};
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
    let parts = extract::parts(&document, access.word(), url);
    let comments = comments(&document);
    Ok(Fetched {
        id: ItemId(document.document_id),
        kind: KindName::Docs,
        title: document.title,
        url: url.to_owned(),
        revision,
        can_edit,
        parts,
        comments,
        raw,
    })
}

/// Plans what makes `part` of `remote` say `desired`; see [`Kind::plan`](crate::kinds::Kind::plan). Pure.
///
/// # Errors
///
/// `ReadOnly`, `NotFound` for an unknown part, `PlanRejected`.
pub fn plan(remote: &Fetched, part: &PartId, desired: &str, accept: bool) -> Result<PushPlan> {
    if !remote.can_edit {
        let reason = "this account may not edit the document".to_owned();
        return Err(Error::ReadOnly { id: remote.id.to_string(), reason });
    }
    let text = remote.parts.iter().find(|other| other.id == *part).map(|part| part.text.as_str());
    let head = text.and_then(mebdf::head);
    plan::plan_part(&document(&remote.raw)?, head, part, desired, accept)
}

fn document(raw: &[u8]) -> Result<Document> {
    serde_json::from_slice(raw)
        .map_err(|source| Error::ExtractionFailed { id: "the document".into(), source: Box::new(source) })
}
