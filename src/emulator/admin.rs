//! The admin calls: what tests and the demo need and Google does not offer.

use serde_json::{Value, json};

use super::call::{Answer, Call, Handled};
use super::errors::{self, aip};
use super::state::{Google, Role, lock};
use super::{COLLEAGUE, clock, docs, gmail, oauth};
use crate::gdocs::check_items;

/// Finds the call; `rest` is what follows `/admin`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("POST", ["documents"]) => {
            let id = google.import(body(call)?).map_err(|error| answer(&error))?;
            Ok(Answer::json(200, &json!({"documentId": id})))
        }
        ("POST", ["documents", name]) => match name.split_once(':') {
            Some((id, "edit")) => edit(google, call, id),
            Some((id, "tick")) => tick(google, call, id),
            Some((id, "share")) => share(google, call, id),
            _ => Err(errors::no_route(&format!("POST {}", call.path))),
        },
        (_, ["mail" | "mail:expire-history", ..]) => gmail::admin(google, call, rest),
        (_, [first, ..]) if *first == "notebooks" || first.starts_with("notebooks:") => {
            let answered = google.change_notebooks(|notebooks| notebooks.admin(clock::now_ms(), call, rest));
            answered.map_err(|error| errors::internal(&error))?
        }
        ("POST", ["codes"]) => Ok(Answer::json(200, &oauth::issue_code(google))),
        ("GET", ["faults"]) => Ok(Answer::json(200, &json!(*lock(&google.faults)))),
        ("POST", ["faults"]) => {
            let faults = google.add_faults(body(call)?).map_err(|error| answer(&error))?;
            Ok(Answer::json(200, &faults))
        }
        ("DELETE", ["faults"]) => {
            lock(&google.faults).clear();
            Ok(Answer::json(200, &json!([])))
        }
        ("GET", ["requests"]) => Ok(Answer::json(200, &json!(*lock(&google.log)))),
        ("DELETE", ["requests"]) => {
            lock(&google.log).clear();
            Ok(Answer::json(200, &json!([])))
        }
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

/// Edits a document as a collaborator would: no lock, and whatever the demo account may do.
fn edit(google: &Google, call: &Call, id: &str) -> Handled {
    let body = body(call)?;
    let requests = body.get("requests").and_then(Value::as_array).ok_or_else(|| bad("`requests` is no list"))?;
    if body
        .as_object()
        .is_some_and(|map| map.keys().any(|key| !matches!(key.as_str(), "requests" | "author" | "suggest")))
    {
        return Err(bad("only `requests`, `author` and `suggest` are understood"));
    }
    let images = google.fetch_images(&call.host, requests)?;
    let author = match body.get("author") {
        None => COLLEAGUE,
        Some(author) => author.as_str().ok_or_else(|| bad("`author` is no text"))?,
    };
    let mut world = google.world();
    let file = world.files.get(id).ok_or_else(errors::not_found)?;
    let mut setting = google.setting_of(file, author);
    setting.suggests = body.get("suggest").and_then(Value::as_bool).unwrap_or(false);
    Ok(Answer::json(200, &docs::edit(google, &mut world, id, requests, &setting, images)?))
}

/// Ticks a box as a collaborator would: that of the first item with this `text`, or the one at this `index` of all boxes
/// of the `tab`, which is the first unless it is named. `checked` is true unless it is said.
fn tick(google: &Google, call: &Call, id: &str) -> Handled {
    let body = body(call)?;
    let Some(map) = body.as_object() else { return Err(bad("it is no object")) };
    if map.keys().any(|key| !matches!(key.as_str(), "tab" | "text" | "index" | "checked")) {
        return Err(bad("only `tab`, `text`, `index` and `checked` are understood"));
    }
    let checked = match map.get("checked") {
        None => true,
        Some(checked) => checked.as_bool().ok_or_else(|| bad("`checked` is no boolean"))?,
    };
    let text = map.get("text").and_then(Value::as_str);
    let index = map.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
    if text.is_none() == index.is_none() {
        return Err(bad("the item is named by its `text` or by its `index`"));
    }
    let mut world = google.world();
    let file = world.files.get(id).ok_or_else(errors::not_found)?;
    let tab = file.document.tab(map.get("tab").and_then(Value::as_str)).ok_or_else(errors::not_found)?;
    let items = tab.document_tab.as_ref().map(|content| check_items(content, "")).unwrap_or_default();
    let found = items.iter().enumerate().find(|(at, item)| match (text, index) {
        (Some(text), _) => item.paragraph.text().trim_end_matches('\n') == text,
        (None, index) => Some(*at) == index,
    });
    let start = found.map(|(_, item)| item.start).ok_or_else(|| bad("there is no such item"))?;
    let tab = tab.id().to_owned();
    docs::tick(google, &mut world, id, (&tab, start), checked)?;
    Ok(Answer::json(200, &json!({"documentId": id, "checked": checked})))
}

/// Changes what the demo account may do with a document.
fn share(google: &Google, call: &Call, id: &str) -> Handled {
    let body = body(call)?;
    let role: Role = body
        .get("role")
        .cloned()
        .and_then(|role| serde_json::from_value(role).ok())
        .ok_or_else(|| bad("`role` is one of owner, writer, commenter, reader, none"))?;
    let mut world = google.world();
    let mut file = world.files.get(id).filter(|file| !file.deleted).cloned().ok_or_else(errors::not_found)?;
    file.role = role;
    google.put(&mut world, file, false).map_err(|error| errors::internal(&error))?;
    Ok(Answer::json(200, &json!({"documentId": id, "role": role})))
}

/// Reads the body.
fn body(call: &Call) -> Result<Value, Answer> {
    serde_json::from_slice(&call.body).map_err(|error| bad(&error.to_string()))
}

/// Returns the refusal of a body.
fn bad(why: &str) -> Answer {
    aip(400, "INVALID_ARGUMENT", &format!("Not a body of this admin call: {why}."))
}

/// Answers one of our own errors.
fn answer(error: &crate::error::Error) -> Answer {
    if let crate::error::Error::InvalidInput { what, suggestion } = error {
        return aip(400, "INVALID_ARGUMENT", &format!("{what}. {suggestion}"));
    }
    errors::internal(error)
}
