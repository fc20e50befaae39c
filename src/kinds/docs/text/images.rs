//! The pictures of a document. Pure.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::gdocs::Document;
use crate::kinds::Image;

/// Pictures of one document that are looked at; a document with more is no text any more.
const IMAGES_MAX: usize = 2_000;

/// Finds the pictures of all tabs, each object once.
pub(crate) fn images(document: &Document) -> Vec<Image> {
    let mut seen = BTreeSet::new();
    let mut images = Vec::new();
    for tab in document.all_tabs().iter().filter_map(|tab| tab.document_tab.as_ref()) {
        let inline = tab.inline_objects.iter().map(|(id, object)| (id, object.get("inlineObjectProperties")));
        let positioned =
            tab.positioned_objects.iter().map(|(id, object)| (id, object.get("positionedObjectProperties")));
        for (id, properties) in inline.chain(positioned) {
            let embedded = properties.and_then(|properties| properties.get("embeddedObject"));
            let text =
                |name: &str| embedded?.get("imageProperties")?.get(name)?.as_str().filter(|text| !text.is_empty());
            let Some(address) = text("contentUri") else { continue };
            if images.len() < IMAGES_MAX && seen.insert(id.clone()) {
                let linked = embedded.and_then(|object| object.get("linkedContentReference")).map(Value::to_string);
                let source = text("sourceUri").map(ToOwned::to_owned).or(linked).unwrap_or_default();
                images.push(Image {
                    id: id.clone(),
                    address: address.to_owned(),
                    source,
                    name: None,
                    is_sent: false,
                    text: None,
                });
            }
        }
    }
    images
}
