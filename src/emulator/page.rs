//! The page on which a person reads a document and types into it, as a collaborator would.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Answer, Call, Handled};
use super::errors::{self, aip};
use super::render::{self, escape};
use super::state::{File, Google, usable_id};
use super::{COLLEAGUE, docs, typing};
use crate::gdocs::{CheckItem, Tab, check_items};

const HTML: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");

/// Nothing but what this origin serves may be loaded, and nobody may frame the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the page sends when somebody typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    /// The tab.
    tab: String,
    /// The segment, empty for the body.
    segment: String,
    /// Where the paragraph stood.
    start: u32,
    /// What it said.
    old: String,
    /// What it should say.
    new: String,
}

/// What the page sends when somebody clicked a box.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clicked {
    /// The tab.
    tab: String,
    /// Where the paragraph stood; boxes stand in the body.
    start: u32,
    /// What it said.
    old: String,
    /// Whether it should be ticked.
    checked: bool,
}

/// Finds the call; `rest` is what follows `/document/d/{id}`.
pub(super) fn handle(google: &Google, call: &Call, id: &str, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", ["edit"]) => page(google, call, id),
        ("GET", [] | ["" | "view" | "preview"]) if usable_id(id) => {
            Ok(Answer::empty(302).guarded(POLICY).with("location", format!("/document/d/{id}/edit")))
        }
        ("GET", ["page.js"]) => Ok(Answer::text(200, "text/javascript; charset=UTF-8", SCRIPT).guarded(POLICY)),
        ("GET", ["content"]) => content(google, call, id),
        ("POST", ["type"]) => typed(google, call, id),
        ("POST", ["tick"]) => clicked(google, call, id),
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

/// Answers the page itself, with the content in it for those who run no scripts.
fn page(google: &Google, call: &Call, id: &str) -> Handled {
    let world = google.world();
    let file = readable(world.files.get(id))?;
    let view = view(file, call.parameter("tab"))?;
    drop(world);
    let blocks = view.get("blocks").and_then(Value::as_array).cloned().unwrap_or_default();
    let body: String = blocks
        .iter()
        .filter_map(|block| block.get("html")?.as_str())
        .map(|html| format!("<div>{html}</div>"))
        .collect();
    let title = escape(view.get("title").and_then(Value::as_str).unwrap_or_default());
    let tabs = tabs_html(&view);
    // The content comes last: a document that says {tabs} must not have it filled in.
    let html = HTML.replacen("{title}", &title, 1).replacen("{heading}", &title, 1).replacen("{tabs}", &tabs, 1);
    let (before, after) = html.split_once("{content}").unwrap_or((&html, ""));
    Ok(Answer::text(200, "text/html; charset=UTF-8", &format!("{before}{body}{after}")).guarded(POLICY))
}

/// Writes the links to the tabs.
fn tabs_html(view: &Value) -> String {
    let tabs = view.get("tabs").and_then(Value::as_array).cloned().unwrap_or_default();
    let current = view.get("tab").and_then(Value::as_str).unwrap_or_default();
    let link = |tab: &Value| {
        let id = tab.get("id").and_then(Value::as_str).unwrap_or_default();
        let title = tab.get("title").and_then(Value::as_str).unwrap_or_default();
        let depth = tab.get("depth").and_then(Value::as_u64).unwrap_or(0).min(8);
        let here = if id == current { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"?tab={0}\" data-depth=\"{depth}\"{here}>{1}</a>", escape(id), escape(title))
    };
    tabs.iter().map(link).collect()
}

/// Answers the content as JSON, or 204 when it is still at the version that the page shows.
fn content(google: &Google, call: &Call, id: &str) -> Handled {
    let world = google.world();
    let file = readable(world.files.get(id))?;
    if call.parameter("version") == Some(file.version.to_string().as_str()) {
        return Ok(Answer::empty(204).guarded(POLICY));
    }
    Ok(Answer::json(200, &view(file, call.parameter("tab"))?).guarded(POLICY))
}

/// Reads what the page sends.
fn sent<T: serde::de::DeserializeOwned>(call: &Call) -> Result<T, Answer> {
    // Another site may make a browser post here, but not in this page's name and not as JSON.
    if call.origin.as_deref() != Some(format!("http://{}", call.host).as_str()) {
        return Err(aip(403, "PERMISSION_DENIED", "Only the page itself may type."));
    }
    if call.content_type != "application/json" {
        return Err(aip(415, "INVALID_ARGUMENT", "The page sends JSON."));
    }
    serde_json::from_slice(&call.body)
        .map_err(|error| aip(400, "INVALID_ARGUMENT", &format!("Not what the page sends: {error}")))
}

/// Ticks the box that somebody clicked, or takes its tick away.
fn clicked(google: &Google, call: &Call, id: &str) -> Handled {
    let clicked: Clicked = sent(call)?;
    let mut world = google.world();
    let file = readable(world.files.get(id))?;
    let tab = file
        .document
        .tab(Some(&clicked.tab))
        .and_then(|tab| tab.document_tab.as_ref())
        .ok_or_else(errors::not_found)?;
    let here = |item: &CheckItem<'_>| {
        item.start == clicked.start && typing::Line::of(item.paragraph, item.start).text == clicked.old
    };
    if !check_items(tab, "").iter().any(here) {
        return Err(aip(409, "ABORTED", "The paragraph was changed meanwhile."));
    }
    docs::tick(google, &mut world, id, (&clicked.tab, clicked.start), clicked.checked)?;
    let file = readable(world.files.get(id))?;
    Ok(Answer::json(200, &view(file, Some(&clicked.tab))?).guarded(POLICY))
}

/// Carries out what somebody typed. The collaborator may edit whatever the demo account may do.
fn typed(google: &Google, call: &Call, id: &str) -> Handled {
    let typed: Typed = sent(call)?;
    let mut world = google.world();
    let file = readable(world.files.get(id))?;
    let tab =
        file.document.tab(Some(&typed.tab)).and_then(|tab| tab.document_tab.as_ref()).ok_or_else(errors::not_found)?;
    let line = typing::find(tab, &typed.segment, typed.start, &typed.old)
        .ok_or_else(|| aip(409, "ABORTED", "The paragraph was changed meanwhile."))?;
    let requests = line
        .requests(&typed.new.replace('\r', ""), &typed.tab, &typed.segment)
        .ok_or_else(|| aip(400, "INVALID_ARGUMENT", "An object cannot be typed."))?;
    if !requests.is_empty() {
        let setting = google.setting_of(file, COLLEAGUE);
        docs::edit(google, &mut world, id, &requests, &setting, Vec::new())?;
    }
    let file = readable(world.files.get(id))?;
    Ok(Answer::json(200, &view(file, Some(&typed.tab))?).guarded(POLICY))
}

/// Returns a file that was not deleted.
fn readable(file: Option<&File>) -> Result<&File, Answer> {
    file.filter(|file| !file.deleted && file.blob.is_none()).ok_or_else(errors::not_found)
}

/// Returns what the page shows of a document.
fn view(file: &File, wanted: Option<&str>) -> Result<Value, Answer> {
    fn list(tabs: &[Tab], depth: u32, out: &mut Vec<Value>) {
        for tab in tabs {
            out.push(json!({"id": tab.id(), "title": tab.title(), "depth": depth}));
            list(&tab.child_tabs, depth + 1, out);
        }
    }
    let document = &file.document;
    let tab = document.tab(wanted).ok_or_else(errors::not_found)?;
    let blocks = tab
        .document_tab
        .as_ref()
        .map(|content| render::blocks(content, &|start| file.ticks.has(tab.id(), "", start)))
        .unwrap_or_default();
    let mut tabs = Vec::new();
    list(&document.tabs, 0, &mut tabs);
    Ok(json!({
        "version": file.version.to_string(),
        "title": document.title,
        "tab": tab.id(),
        "tabs": tabs,
        "blocks": blocks,
    }))
}
