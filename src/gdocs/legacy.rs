//! The answer to `documents.get` without `includeTabsContent`.

use serde_json::{Map, Value};

use super::document::Document;

/// Fields of a tab that the old form has no place for. Source: discovery text.
const TABS_ALONE: [&str; 2] = ["dropdownDefinitions", "commentAnchors"];

/// Returns the document with the content of its first tab on the top level and without tabs.
///
/// In a document of one tab links to headings and bookmarks take their old form, which does not name the tab.
///
/// Source: <https://developers.google.com/docs/api/how-tos/tabs>
#[must_use]
pub fn to_legacy(document: &Document) -> Value {
    let single = document.all_tabs().len() < 2;
    let content = document.tabs.first().and_then(|tab| tab.document_tab.as_ref());
    let head = without_tabs(document);
    let mut top = to_map(&head);
    for (key, mut value) in content.map(to_map).unwrap_or_default() {
        if TABS_ALONE.contains(&key.as_str()) {
            continue;
        }
        if single {
            shorten_links(&mut value);
        }
        // The old form has no comments.
        if key != "commentAnchors" {
            top.insert(key, value);
        }
    }
    Value::Object(top)
}

/// Copies everything but the tabs.
fn without_tabs(document: &Document) -> Document {
    Document {
        document_id: document.document_id.clone(),
        title: document.title.clone(),
        revision_id: document.revision_id.clone(),
        rest: document.rest.clone(),
        ..Document::default()
    }
}

/// Returns a message as a map; messages always serialise to one.
fn to_map<T: serde::Serialize>(message: &T) -> Map<String, Value> {
    match serde_json::to_value(message) {
        Ok(Value::Object(map)) => map,
        Ok(_) | Err(_) => Map::new(),
    }
}

/// Turns `link.heading.id` into `link.headingId`, and the same for bookmarks, everywhere.
fn shorten_links(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Object(link)) = fields.get_mut("link") {
                for (new, old) in [("heading", "headingId"), ("bookmark", "bookmarkId")] {
                    if let Some(id) = link.get(new).and_then(|target| target.get("id")).cloned() {
                        link.remove(new);
                        link.insert(old.to_owned(), id);
                    }
                }
            }
            fields.values_mut().for_each(shorten_links);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_links),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
