//! Documents made out of texts, on the model alone.

use mcp_workspace::gdocs;
use mcp_workspace::kinds::Fetched;
use mcp_workspace::kinds::docs::{self, Access};
use serde_json::Value;

/// Reads a document.
pub(crate) fn fetched(raw: &Value) -> Fetched {
    docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, "https://docs.google.com/document/d/x/edit").unwrap()
}

/// Carries requests out; other seeds give other ids.
pub(crate) fn applied(raw: &Value, requests: &[Value], seed: u64) -> Value {
    let document = serde_json::from_value(raw.clone()).unwrap();
    let requests = gdocs::read_requests(requests).unwrap();
    serde_json::to_value(gdocs::apply(&document, &requests, seed).unwrap().document).unwrap()
}

/// Makes a document that says `text`.
pub(crate) fn document(text: &str) -> Value {
    let mut raw = serde_json::to_value(gdocs::new_document("1d", "A text")).unwrap();
    raw["revisionId"] = "r".into();
    for (seed, plan) in (0..).zip(docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), text).unwrap()) {
        raw = applied(&raw, &plan.requests, seed);
    }
    raw
}

/// A text without the ids of its headings, which each document has of its own.
pub(crate) fn without_heading_ids(text: &str) -> String {
    let mut parts = text.split("{^ h.");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('}').unwrap().1)
}
