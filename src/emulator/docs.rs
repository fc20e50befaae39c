//! The Docs API: `documents.get`, `documents.create`, `documents.batchUpdate`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents>

use serde_json::{Map, Value, json};

use super::call::{Answer, Call, Handled};
use super::errors::{self, aip, bad_field};
use super::fields::Mask;
use super::images;
use super::state::{File, Google, World};
use crate::gdocs::{self, Setting};

/// Query parameters that every method takes.
const COMMON: &[&str] = &["alt", "key", "prettyPrint", "quotaUser", "fields", "$.xgafv", "uploadType"];

/// Top-level fields of a Document.
const DOCUMENT_FIELDS: &[&str] = &[
    "body",
    "comments",
    "commentsViewMode",
    "documentId",
    "documentStyle",
    "footers",
    "footnotes",
    "headers",
    "inlineObjects",
    "lists",
    "namedRanges",
    "namedStyles",
    "positionedObjects",
    "revisionId",
    "suggestedDocumentStyleChanges",
    "suggestedNamedStylesChanges",
    "suggestions",
    "suggestionsViewMode",
    "tabs",
    "title",
];

/// Finds the method; `rest` is what follows `/v1/documents`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("POST", []) => create(google, call),
        ("GET", [id]) => get(google, call, id),
        ("POST", [name]) => match name.split_once(':') {
            Some((id, "batchUpdate")) => batch_update(google, call, id),
            _ => Err(errors::no_route(&format!("POST {}", call.path))),
        },
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

/// Refuses query parameters that the method does not have.
fn check_query(call: &Call, own: &[&str]) -> Result<(), Answer> {
    for (name, _) in &call.query {
        if !own.contains(&name.as_str()) && !COMMON.contains(&name.as_str()) {
            let message = format!(
                "Invalid JSON payload received. Unknown name \"{name}\": Cannot bind query parameter. Field '{name}' could not be found in request message."
            );
            return Err(bad_field("", &message));
        }
    }
    match call.parameter("alt") {
        None | Some("json") => Ok(()),
        Some(other) => Err(errors::not_built(&format!("alt={other}"))),
    }
}

/// Answers `documents.get`.
fn get(google: &Google, call: &Call, id: &str) -> Handled {
    check_query(call, &["includeTabsContent", "suggestionsViewMode", "commentsViewMode"])?;
    let mask = read_mask(call)?;
    let asked = call.parameter("suggestionsViewMode").unwrap_or("DEFAULT_FOR_CURRENT_ACCESS");
    let tabs = call.flag("includeTabsContent") || mask.as_ref().is_some_and(|mask| mask.0.contains_key("tabs"));
    let comments = comments_mode(call, asked, tabs)?;
    let world = google.world();
    let file = world.doc(id)?;
    let mode = suggestions_mode(file, asked)?;
    let comments = match comments {
        Comments::Omitted => false,
        Comments::Included if file.role.can_comment() => true,
        Comments::Included => return Err(errors::forbidden()),
        Comments::ByAccess => file.role.can_comment(),
    };
    if !comments {
        mask.as_ref().map_or(Ok(()), refuse_comment_fields)?;
    }
    let mut value = show(file, tabs, mode, comments);
    drop(world);
    google.publish_images(&mut value, &call.host);
    Ok(Answer::json(200, &mask.map_or(value.clone(), |mask| mask.pick(&value))))
}

/// Writes a document as an account with the file's role sees it.
fn show(file: &File, tabs: bool, mode: &str, comments: bool) -> Value {
    let mut document = match mode {
        "PREVIEW_SUGGESTIONS_ACCEPTED" => gdocs::preview(&file.document, true),
        "PREVIEW_WITHOUT_SUGGESTIONS" => gdocs::preview(&file.document, false),
        _ => file.document.clone(),
    };
    if comments {
        document.omit_deleted_comments();
    } else {
        document.omit_comments();
    }
    let mut value =
        if tabs { serde_json::to_value(&document).unwrap_or_default() } else { gdocs::to_legacy(&document) };
    if comments {
        value["commentsViewMode"] = "COMMENTS_VIEW_MODE_INCLUDED".into();
    }
    if !file.role.can_edit() {
        // Google tells the revision to those alone who may edit.
        if let Some(map) = value.as_object_mut() {
            map.remove("revisionId");
        }
    }
    value["suggestionsViewMode"] = mode.into();
    value
}

/// Reads and checks the `fields` parameter.
fn read_mask(call: &Call) -> Result<Option<Mask>, Answer> {
    let Some(text) = call.parameter("fields") else { return Ok(None) };
    let invalid = || aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");
    let mask = Mask::parse(text).ok_or_else(invalid)?;
    if let Some(name) = mask.0.keys().find(|name| *name != "*" && !DOCUMENT_FIELDS.contains(&name.as_str())) {
        let message = format!("Error expanding 'fields' parameter. Cannot find matching fields for path '{name}'.");
        return Err(bad_field(name, &message));
    }
    let legacy = ["body", "lists", "revisionId"];
    if mask.0.contains_key("tabs") && legacy.iter().any(|name| mask.0.contains_key(*name)) {
        return Err(invalid());
    }
    Ok(Some(mask))
}

/// Refuses a mask that reaches the comment fields of an answer without comments, as seen since May 2026.
///
/// Source: <https://github.com/a-bonus/google-docs-mcp/issues/118>
fn refuse_comment_fields(mask: &Mask) -> Result<(), Answer> {
    let whole = |mask: &Mask| mask.0.is_empty() || mask.0.contains_key("*");
    let reaches_comments =
        mask.0.get("tabs").is_some_and(|tabs| whole(tabs) || tabs.0.get("documentTab").is_some_and(whole));
    if mask.0.contains_key("*") || reaches_comments {
        let message = "Field mask cannot retrieve comment-specific fields when include_comments is false.";
        return Err(aip(400, "INVALID_ARGUMENT", message));
    }
    Ok(())
}

/// Whether an answer holds the comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comments {
    /// It does not.
    Omitted,
    /// It does, or the request is refused.
    Included,
    /// It does where the account may see them.
    ByAccess,
}

/// Reads `commentsViewMode` and checks it against `suggestionsViewMode`; both texts are recorded.
fn comments_mode(call: &Call, suggestions: &str, tabs: bool) -> Result<Comments, Answer> {
    let refuse = |message| Err(aip(400, "INVALID_ARGUMENT", message));
    let mode = match call.parameter("commentsViewMode") {
        None | Some("COMMENTS_VIEW_MODE_UNSPECIFIED" | "COMMENTS_VIEW_MODE_OMITTED") => return Ok(Comments::Omitted),
        Some("COMMENTS_VIEW_MODE_INCLUDED") => Comments::Included,
        Some("COMMENTS_VIEW_MODE_DEFAULT_FOR_CURRENT_ACCESS") => Comments::ByAccess,
        Some(other) => return Err(bad_enum("comments_view_mode", "CommentsViewMode", other)),
    };
    if suggestions.starts_with("PREVIEW_") {
        return refuse("Comments may not be requested when previewing suggestions.");
    }
    let explicit = mode == Comments::ByAccess || suggestions == "SUGGESTIONS_INLINE";
    if !explicit || !tabs {
        return refuse("Comments may only be explicitly included if inline suggestions are also explicitly requested.");
    }
    Ok(mode)
}

/// Returns the mode that an account with the file's role gets.
fn suggestions_mode<'a>(file: &File, asked: &'a str) -> Result<&'a str, Answer> {
    match asked {
        "DEFAULT_FOR_CURRENT_ACCESS" if file.role.can_comment() => Ok("SUGGESTIONS_INLINE"),
        "DEFAULT_FOR_CURRENT_ACCESS" => Ok("PREVIEW_WITHOUT_SUGGESTIONS"),
        "SUGGESTIONS_INLINE" | "PREVIEW_SUGGESTIONS_ACCEPTED" if !file.role.can_comment() => Err(errors::forbidden()),
        "SUGGESTIONS_INLINE" | "PREVIEW_SUGGESTIONS_ACCEPTED" | "PREVIEW_WITHOUT_SUGGESTIONS" => Ok(asked),
        other => Err(bad_enum("suggestions_view_mode", "SuggestionsViewMode", other)),
    }
}

/// Returns the refusal of an enum's value.
fn bad_enum(field: &str, kind: &str, value: &str) -> Answer {
    let message = format!("Invalid value at '{field}' (type.googleapis.com/google.apps.docs.v1.{kind}), \"{value}\"");
    bad_field(field, &message)
}

/// Reads a body that must be an object.
fn read_object(call: &Call) -> Result<Map<String, Value>, Answer> {
    if call.body.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(&call.body) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(bad_field("", "Invalid JSON payload received. Root element must be a message.")),
        Err(error) => Err(aip(400, "INVALID_ARGUMENT", &format!("Invalid JSON payload received. {error}"))),
    }
}

/// Answers `documents.create`: the title alone counts, the rest of the body is ignored, as Google says.
fn create(google: &Google, call: &Call) -> Handled {
    check_query(call, &[])?;
    let body = read_object(call)?;
    let mask = read_mask(call)?;
    let title = match body.get("title") {
        None | Some(Value::Null) => "Untitled document",
        Some(Value::String(title)) if title.is_empty() => "Untitled document",
        Some(Value::String(title)) => title,
        Some(_) => return Err(bad_field("document.title", "Invalid value at 'document.title' (TYPE_STRING)")),
    };
    let file = google.create(title).map_err(|error| errors::internal(&error))?;
    let value = show(&file, false, "SUGGESTIONS_INLINE", false);
    Ok(Answer::json(200, &mask.map_or(value.clone(), |mask| mask.pick(&value))))
}

/// Answers `documents.batchUpdate`.
fn batch_update(google: &Google, call: &Call, id: &str) -> Handled {
    check_query(call, &[])?;
    let mask = read_mask_of_reply(call)?;
    let mut body = read_object(call)?;
    let requests = body.remove("requests");
    let control = body.remove("writeControl");
    if let Some(name) = body.keys().next() {
        let message = format!("Invalid JSON payload received. Unknown name \"{name}\": Cannot find field.");
        return Err(bad_field("", &message));
    }
    let control = read_control(control.unwrap_or_default())?;
    let requests = match requests {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            return Err(bad_field(
                "requests",
                "Invalid JSON payload received. Unknown name \"requests\": Proto field is not repeating, cannot start list.",
            ));
        }
    };
    may_edit(&google.world(), id, &control, &requests)?;
    // Fetching takes its time, so the world goes on meanwhile.
    let images = google.fetch_images(&call.host, &requests)?;
    let mut world = google.world();
    let file = may_edit(&world, id, &control, &requests)?;
    let setting = Setting { suggests: control.suggests, ..google.setting(file) };
    let reply = edit(google, &mut world, id, &requests, &setting, images)?;
    Ok(Answer::json(200, &mask.map_or(reply.clone(), |mask| mask.pick(&reply))))
}

/// Tells whether the account may send a batch: who may comment may also suggest, and talk about suggestions.
fn may_send(file: &File, control: &Control, requests: &[Value]) -> bool {
    let talks = |request: &Value| {
        let kinds = ["insertComment", "addCommentReply", "updateCommentPost", "deleteComment", "deleteCommentReply"];
        request.as_object().is_some_and(|map| map.keys().all(|kind| kinds.contains(&kind.as_str())))
    };
    let settles = |request: &Value| {
        request
            .as_object()
            .is_some_and(|map| map.keys().any(|kind| kind == "acceptSuggestion" || kind == "rejectSuggestion"))
    };
    let comments = requests.iter().all(talks) || (control.suggests && !requests.iter().any(settles));
    file.role.can_edit() || (file.role.can_comment() && comments)
}

/// Returns the document, if a batch may be sent to it as it is now.
fn may_edit<'a>(world: &'a World, id: &str, control: &Control, requests: &[Value]) -> Result<&'a File, Answer> {
    let file = world.doc(id)?;
    if !may_send(file, control, requests) {
        return Err(errors::forbidden());
    }
    check_control(control, file)?;
    Ok(file)
}

/// Applies requests to a document whole or not at all, keeps it, and returns the reply of a batch.
pub(super) fn edit(
    google: &Google,
    world: &mut World,
    id: &str,
    requests: &[Value],
    setting: &Setting,
    images: Vec<Option<images::Fetched>>,
) -> Result<Value, Answer> {
    let file = world.files.get(id).filter(|file| !file.deleted && file.blob.is_none());
    let mut file = file.cloned().ok_or_else(errors::not_found)?;
    let refused = |refusal: gdocs::Refusal| aip(refusal.code, refusal.status, &refusal.message);
    let typed = gdocs::read_requests(requests).map_err(refused)?;
    let applied = if file.ticks.is_empty() {
        gdocs::apply_as(&file.document, &typed, setting).map_err(refused)?
    } else {
        // Ticks stand beside the document, and go with its characters.
        let (applied, traces) = gdocs::apply_as_traced(&file.document, &typed, setting).map_err(refused)?;
        file.ticks = file.ticks.carried(&file.document, &applied.document, &traces);
        applied
    };
    file.document = applied.document;
    images::fill(&mut file.document, requests, &applied.replies, images);
    google.put(world, file, true).map_err(|error| errors::internal(&error))?;
    let revision = world.files.get(id).and_then(|file| file.document.revision_id.clone());
    Ok(json!({
        "documentId": id,
        "replies": applied.replies,
        "writeControl": {"requiredRevisionId": revision},
        "suggestionResponses": applied.suggestions,
        "commentUpdateState": if applied.updates_comments { "ALL_SAVED" } else { "NO_UPDATES_REQUESTED" },
    }))
}

/// Ticks a box of a checklist or takes its tick away, as a person does on the page; no request of the API can. A tick is
/// a change of the document like any other.
pub(super) fn tick(
    google: &Google,
    world: &mut World,
    id: &str,
    place: (&str, u32),
    checked: bool,
) -> Result<(), Answer> {
    let (tab, start) = place;
    let file = world.files.get(id).filter(|file| !file.deleted && file.blob.is_none());
    let mut file = file.cloned().ok_or_else(errors::not_found)?;
    if file.ticks.set(tab, "", start, checked) {
        google.put(world, file, true).map_err(|error| errors::internal(&error))?;
    }
    Ok(())
}

/// Reads the mask of a reply.
fn read_mask_of_reply(call: &Call) -> Result<Option<Mask>, Answer> {
    let invalid = || aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");
    call.parameter("fields").map(|text| Mask::parse(text).ok_or_else(invalid)).transpose()
}

/// What a batch was made on.
#[derive(Debug, Default)]
struct Control {
    required: Option<String>,
    target: Option<String>,
    /// Whether the edits are made as suggestions.
    suggests: bool,
}

/// Reads `writeControl`.
fn read_control(value: Value) -> Result<Control, Answer> {
    let mut control = Control::default();
    let map = match value {
        Value::Null => return Ok(control),
        Value::Object(map) => map,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(bad_field(
                "write_control",
                "Invalid value at 'write_control' (type.googleapis.com/google.apps.docs.v1.WriteControl)",
            ));
        }
    };
    for (name, value) in map {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                return Err(bad_field(
                    "write_control",
                    &format!("Invalid value at 'write_control.{name}' (TYPE_STRING)"),
                ));
            }
        };
        let both = |other: &Option<String>| {
            other.as_ref().map(|_| {
                let message = format!(
                    "Invalid value at 'write_control' (oneof), oneof field 'control' is already set. Cannot set '{name}'"
                );
                bad_field("write_control", &message)
            })
        };
        match name.as_str() {
            "requiredRevisionId" => {
                both(&control.target).map_or(Ok(()), Err)?;
                control.required = Some(text);
            }
            "targetRevisionId" => {
                both(&control.required).map_or(Ok(()), Err)?;
                control.target = Some(text);
            }
            "writeMode" if matches!(text.as_str(), "EDIT" | "WRITE_MODE_UNSPECIFIED") => {}
            "writeMode" if text == "SUGGEST" => control.suggests = true,
            "writeMode" => return Err(bad_enum("write_control.write_mode", "WriteControl.WriteMode", &text)),
            _ => {
                let message = format!(
                    "Invalid JSON payload received. Unknown name \"{name}\" at 'write_control': Cannot find field."
                );
                return Err(bad_field("write_control", &message));
            }
        }
    }
    Ok(control)
}

/// Refuses a batch that was made on another revision.
fn check_control(control: &Control, file: &File) -> Result<(), Answer> {
    let current = file.document.revision_id.as_deref();
    // An empty id is no lock at all, also at Google.
    // Source: <https://github.com/nearai/ironclaw/issues/7728>
    let other = |sent: &Option<String>| sent.clone().filter(|id| !id.is_empty() && current != Some(id));
    if let Some(sent) = other(&control.required) {
        let message = format!("The required revision ID '{sent}' does not match the latest revision.");
        return Err(aip(400, "INVALID_ARGUMENT", &message));
    }
    other(&control.target).map_or(Ok(()), |_| Err(errors::not_built("merging on an older targetRevisionId")))
}
