//! What `documents.create` makes.

use super::document::Document;

/// An empty document with the classic default styles: Arial 11, letter paper, margins of an inch.
const EMPTY: &str = include_str!("new_document.json");

/// Returns an empty document as `documents.create` makes it; its revision is the caller's to set.
#[must_use]
pub fn new_document(id: &str, title: &str) -> Document {
    // The text is part of the program and a test reads it, so the default is never taken.
    let mut document: Document = serde_json::from_str(EMPTY).unwrap_or_default();
    id.clone_into(&mut document.document_id);
    title.clone_into(&mut document.title);
    document
}
