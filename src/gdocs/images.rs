//! `insertInlineImage`, `replaceImage` and `deletePositionedObject`.
//!
//! Nothing is fetched here: where the content of an image is to be had is the caller's to fill in.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#insertinlineimagerequest>

use serde_json::{Value, json};

use super::batch::Batch;
use super::chips::fields_of;
use super::document::{DocumentTab, StructuralElement};
use super::elements::{insert_object, object, place};
use super::quirks;
use super::refusal::Refusal;
use super::request::{DeletePositionedObject, InsertInlineImage, ReplaceImage, Size};
use super::style::stored;

/// Carries out `insertInlineImage`.
///
/// # Errors
///
/// Google's refusals of a bad place, of a footnote, and of an address that cannot be that of a public image.
pub(crate) fn insert(batch: &mut Batch, request: &InsertInlineImage) -> Result<Value, Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    check_uri(&request.uri)?;
    let size = size_of(request.object_size.as_ref())?;
    batch.in_segment(&address, |segment| {
        if segment.tab.footnotes.contains_key(segment.id) {
            return Err(Refusal::invalid(quirks::IMAGE_IN_FOOTNOTE));
        }
        let id = segment.ids.draw("kix.");
        let fields = fields_of([("inlineObjectId", json!(id))]);
        insert_object(segment, index, object("inlineObjectElement", fields))?;
        let embedded = json!({
            "imageProperties": { "sourceUri": request.uri, "cropProperties": {} },
            "embeddedObjectBorder": {
                "color": { "color": { "rgbColor": {} } }, "width": { "unit": "PT" }, "dashStyle": "SOLID",
                "propertyState": "NOT_RENDERED",
            },
            "size": size,
            "marginTop": margin(), "marginBottom": margin(), "marginRight": margin(), "marginLeft": margin(),
        });
        let made = json!({ "objectId": id, "inlineObjectProperties": { "embeddedObject": embedded } });
        segment.tab.inline_objects.insert(id.clone(), made);
        Ok(json!({ "insertInlineImage": { "objectId": id } }))
    })
}

/// Returns the margin of a new image, as recorded.
fn margin() -> Value {
    json!({ "magnitude": 9, "unit": "PT" })
}

/// Refuses an address that Google cannot fetch from.
fn check_uri(uri: &str) -> Result<(), Refusal> {
    if uri.len() > quirks::MAX_IMAGE_URI_BYTES {
        return Err(Refusal::invalid(quirks::IMAGE_URI_TOO_LONG));
    }
    let host = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://")).unwrap_or_default();
    if host.is_empty() || host.starts_with('/') || uri.chars().any(char::is_whitespace) {
        return Err(Refusal::invalid(quirks::BAD_IMAGE));
    }
    Ok(())
}

/// Returns the size of a new image.
fn size_of(asked: Option<&Size>) -> Result<Value, Refusal> {
    let side = |side: Option<&super::document::Style>| match side.map(|side| &side.0) {
        None => Ok(None),
        Some(side) => {
            let points = side.get("magnitude").and_then(Value::as_f64).unwrap_or(0.0);
            let known = side.get("unit").and_then(Value::as_str) == Some("PT");
            if points > 0.0 && known { Ok(Some(json!(points))) } else { Err(Refusal::invalid(quirks::BAD_IMAGE_SIZE)) }
        }
    };
    let asked = asked.map(|size| (size.height.as_ref(), size.width.as_ref())).unwrap_or_default();
    let (height, width) = (side(asked.0)?, side(asked.1)?);
    let default = json!(quirks::UNKNOWN_IMAGE_SIDE);
    let (height, width) = match (height, width) {
        (Some(height), Some(width)) => (height, width),
        (Some(side), None) | (None, Some(side)) => (side.clone(), side),
        (None, None) => (default.clone(), default),
    };
    Ok(json!({
        "height": { "magnitude": height, "unit": "PT" }, "width": { "magnitude": width, "unit": "PT" },
    }))
}

/// Carries out `replaceImage`: the place and the size stay, effects go.
///
/// # Errors
///
/// Refusals of an object that there is not, of one that is no image, and of a bad address.
pub(crate) fn replace(batch: &mut Batch, request: &ReplaceImage) -> Result<(), Refusal> {
    check_uri(&request.uri)?;
    let (tab, _) = batch.tab(request.tab_id.as_deref())?;
    let id = &request.image_object_id;
    let embedded = match (tab.inline_objects.get_mut(id), tab.positioned_objects.get_mut(id)) {
        (Some(object), _) => object.pointer_mut("/inlineObjectProperties/embeddedObject"),
        (None, Some(object)) => object.pointer_mut("/positionedObjectProperties/embeddedObject"),
        (None, None) => return Err(Refusal::invalid(quirks::unknown_object(id))),
    };
    let image = embedded.and_then(|embedded| embedded.get_mut("imageProperties")).and_then(Value::as_object_mut);
    let image = image.ok_or_else(|| Refusal::invalid(quirks::no_image(id)))?;
    *image = fields_of([("sourceUri", stored(&json!(request.uri))), ("cropProperties", json!({}))]);
    Ok(())
}

/// Carries out `deletePositionedObject`.
///
/// # Errors
///
/// A refusal of an object that there is not.
pub(crate) fn delete_positioned(batch: &mut Batch, request: &DeletePositionedObject) -> Result<(), Refusal> {
    let (tab, _) = batch.tab(request.tab_id.as_deref())?;
    if tab.positioned_objects.remove(&request.object_id).is_none() {
        return Err(Refusal::invalid(quirks::unknown_object(&request.object_id)));
    }
    each_segment_mut(tab, &mut |content| untether(content, &request.object_id));
    Ok(())
}

/// Calls `visit` for every segment of a tab.
pub(crate) fn each_segment_mut(tab: &mut DocumentTab, visit: &mut dyn FnMut(&mut [StructuralElement])) {
    let ids: Vec<Option<String>> = tab.segment_ids().into_iter().map(|id| id.map(str::to_owned)).collect();
    for id in ids {
        if let Some(content) = tab.segment_mut(id.as_deref()) {
            visit(content);
        }
    }
}

/// Takes an object from the paragraphs it is tethered to.
fn untether(content: &mut [StructuralElement], object: &str) {
    for element in content {
        if let Some(paragraph) = &mut element.paragraph {
            let ids = paragraph.rest.get_mut("positionedObjectIds").and_then(Value::as_array_mut);
            let empty = ids.is_some_and(|ids| {
                ids.retain(|id| id.as_str() != Some(object));
                ids.is_empty()
            });
            if empty {
                paragraph.rest.remove("positionedObjectIds");
            }
        }
        for cell in
            element.table.iter_mut().flat_map(|table| &mut table.table_rows).flat_map(|row| &mut row.table_cells)
        {
            untether(&mut cell.content, object);
        }
    }
}
