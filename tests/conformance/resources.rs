//! The resources that the suite reads by name.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

/// A red PNG of one pixel, in Base64.
pub(crate) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// A WAV file of no samples, in Base64.
pub(crate) const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const TEMPLATE: [&str; 2] = ["test://template/", "/data"];

/// Lists those that stand at one place.
pub(crate) fn list() -> [Resource; 2] {
    [
        Resource::new(TEXT, "static-text").with_description("A text.").with_mime_type("text/plain"),
        Resource::new(BINARY, "static-binary").with_description("A picture.").with_mime_type("image/png"),
    ]
}

/// Lists those that are read by a pattern.
pub(crate) fn templates() -> [ResourceTemplate; 1] {
    let [before, after] = TEMPLATE;
    let template = ResourceTemplate::new(format!("{before}{{id}}{after}"), "template");
    [template.with_description("Tells the id it was asked for.").with_mime_type("application/json")]
}

/// Reads one; `None` when there is none of that URI.
pub(crate) fn read(uri: &str) -> Option<ReadResourceResult> {
    let [before, after] = TEMPLATE;
    let contents = match uri {
        TEXT => ResourceContents::text("The text of a resource.", uri).with_mime_type("text/plain"),
        BINARY => ResourceContents::blob(PIXEL, uri).with_mime_type("image/png"),
        _ => {
            let id = uri.strip_prefix(before)?.strip_suffix(after)?;
            ResourceContents::text(json!({ "id": id }).to_string(), uri).with_mime_type("application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}
