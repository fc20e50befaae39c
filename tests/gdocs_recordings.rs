//! The model against recorded answers of the real service, which are kept beside the project and not in it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "a test says what it skips")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcp_workspace::gdocs::{Document, Refusal, apply, new_document, read_requests, reindex};
use serde_json::{Map, Value, json};

/// Returns the folder of recordings, or says that the test is skipped.
fn recordings(test: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("MCP_WORKSPACE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = shared.join("fixtures/docs");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED {test}: ../shared is absent");
    None
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the files of `folder` and one level below that satisfy `wanted`, sorted.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.push(path);
        }
    }
    found.retain(|path| wanted(path.file_name().unwrap().to_str().unwrap()));
    found.sort();
    found
}

/// Returns every recorded document: static ones, and both sides of every pair.
fn documents(root: &Path) -> Vec<(PathBuf, Value)> {
    let mut paths = files(&root.join("static"), |name| name.ends_with(".json"));
    for folder in ["mutations", "validation"] {
        paths.extend(files(&root.join(folder), |name| matches!(name, "before.json" | "after.json")));
    }
    let values = paths.into_iter().map(|path| {
        let value = read(&path);
        (path, value)
    });
    values.filter(|(_, value)| value.pointer("/tabs/0/documentTab").is_some()).collect()
}

#[test]
fn every_recorded_document_survives_reading_and_writing() {
    let Some(root) = recordings("every_recorded_document_survives_reading_and_writing") else { return };
    let documents = documents(&root);
    assert!(documents.len() >= 25, "only {} documents found", documents.len());
    for (path, value) in documents {
        let document: Document = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&document).unwrap(), value, "{}", path.display());
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "{}", path.display());
    }
}

#[test]
fn reindexing_a_recorded_document_changes_nothing() {
    let Some(root) = recordings("reindexing_a_recorded_document_changes_nothing") else { return };
    for (path, value) in documents(&root) {
        let mut document: Document = serde_json::from_value(value.clone()).unwrap();
        let ids: Vec<String> = document.all_tabs().into_iter().map(|tab| tab.id().to_owned()).collect();
        for id in ids {
            let tab = document.tab_mut(Some(&id)).unwrap().document_tab.as_mut().unwrap();
            let segments: Vec<Option<String>> =
                tab.segment_ids().into_iter().map(|segment| segment.map(str::to_owned)).collect();
            for segment in segments {
                let wrong = reindex(tab.segment_mut(segment.as_deref()).unwrap());
                assert_eq!(wrong, 0, "{} {id} {segment:?}", path.display());
            }
        }
        assert_eq!(serde_json::to_value(&document).unwrap(), value, "{}", path.display());
    }
}

#[test]
fn malformed_documents_are_read_or_refused() {
    let Some(root) = recordings("malformed_documents_are_read_or_refused") else { return };
    let value = read(&root.join("static/malformed_edge_cases.json"));
    let document: Document = serde_json::from_value(value).unwrap();
    assert_eq!(document.title, "Malformed Doc");
    let requests = read_requests(&[json!({"insertText": {"location": {"index": 1}, "text": "x"}})]).unwrap();
    assert_eq!(apply(&document, &requests, 0).unwrap_err().code, 400);
}

/// The pairs that this model must get right; all others may only be refused as not interpreted.
const EXACT: &[&str] = &[
    "F1_apply_bold",
    "F2_change_heading_level",
    "N1_create_named_range",
    "N2_replace_named_range_content",
    "O4_insert_footnote",
    "S1_insert_table",
    "S5_insert_bullet_list",
    "S8_insert_page_break",
    "T1_insert_text_start",
    "T3_insert_after_heading",
    "T5_replace_section",
    "T7_replace_all_text",
    "apply_bold_and_insert",
    "create_header_footer",
    "create_named_range",
    "insert_bullet_list",
];

#[test]
fn recorded_pairs_are_reproduced() {
    let Some(root) = recordings("recorded_pairs_are_reproduced") else { return };
    let standard = read(&root.join("mutations/F1_apply_bold/before.json"));
    let mut exact = BTreeSet::new();
    for after in
        ["mutations", "validation"].iter().flat_map(|kind| files(&root.join(kind), |name| name == "after.json"))
    {
        let folder = after.parent().unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let before = folder.join("before.json");
        let before = if before.exists() { read(&before) } else { standard.clone() };
        let body = ["request.json", "compiled_request.json"].map(|file| folder.join(file));
        let body = read(body.iter().find(|path| path.exists()).unwrap());
        let requests = body.get("requests").unwrap_or(&body).as_array().unwrap();
        match replay(&before, requests) {
            Ok(ours) => {
                assert_eq!(masked(&ours), masked(&read(&after)), "{name}");
                exact.insert(name);
            }
            Err(refusal) => {
                assert_eq!(refusal.code, 501, "{name}: {refusal}");
                println!("refused {name}: {refusal}");
            }
        }
    }
    for name in EXACT {
        assert!(exact.contains(*name), "{name} is not interpreted");
    }
}

fn replay(before: &Value, requests: &[Value]) -> Result<Value, Refusal> {
    let document: Document = serde_json::from_value(before.clone()).unwrap();
    let applied = apply(&document, &read_requests(requests)?, 7)?;
    assert_eq!(applied.replies.len(), requests.len());
    Ok(serde_json::to_value(applied.document).unwrap())
}

/// Leaves out what changes by itself and numbers generated ids by their order, so that two runs can be compared.
fn masked(document: &Value) -> Value {
    let Value::Object(top) = document else { return document.clone() };
    let volatile = ["revisionId", "documentId", "title", "suggestionsViewMode"];
    let kept: Map<_, _> =
        top.iter().filter(|(key, _)| !volatile.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect();
    mask(&Value::Object(kept), &mut BTreeMap::new())
}

fn mask(value: &Value, ids: &mut BTreeMap<String, String>) -> Value {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().filter(|(key, _)| *key != "contentUri").collect();
            Value::Object(sorted.into_iter().map(|(key, value)| (mask_id(key, ids), mask(value, ids))).collect())
        }
        Value::Array(items) => items.iter().map(|item| mask(item, ids)).collect(),
        Value::String(text) => Value::String(mask_id(text, ids)),
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

fn mask_id(text: &str, ids: &mut BTreeMap<String, String>) -> String {
    let generated = ["h.", "kix.", "id.", "t."].iter().any(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        })
    });
    if !generated {
        return text.to_owned();
    }
    let next = format!("ID{}", ids.len());
    ids.entry(text.to_owned()).or_insert(next).clone()
}

#[test]
fn recorded_refusals_are_worded_alike() {
    let Some(root) = recordings("recorded_refusals_are_worded_alike") else { return };
    let exchanges = read(&root.join("exchanges.json"));
    let of_range = exchanges.as_array().unwrap().iter().find_map(|exchange| {
        let message = exchange.pointer("/response/error/message")?.as_str()?;
        message.contains("must be less than the end index").then(|| (exchange.clone(), message.to_owned()))
    });
    let (exchange, message) = of_range.unwrap();
    let document = serde_json::from_value(read(&root.join("mutations/F1_apply_bold/before.json"))).unwrap();
    for kind in ["deleteContentRange", "updateTextStyle", "updateParagraphStyle", "createNamedRange"] {
        let requests: Vec<Value> = exchange
            .pointer("/body/requests")
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|request| json!({kind: {"range": request.pointer("/insertComment/range").unwrap()}}))
            .map(|mut request| {
                let body = request.get_mut(kind).unwrap().as_object_mut().unwrap();
                match kind {
                    "createNamedRange" => body.insert("name".into(), json!("a")),
                    "updateTextStyle" => body.insert("fields".into(), json!("bold")),
                    "updateParagraphStyle" => body.insert("fields".into(), json!("alignment")),
                    _ => None,
                };
                request
            })
            .collect();
        let refusal = apply(&document, &read_requests(&requests).unwrap(), 0).unwrap_err();
        // The first request of the recording deletes four units here, so the segment ends earlier.
        let end = if kind == "deleteContentRange" { "345" } else { "349" };
        let wanted = message.replace("insertComment", kind).replace("352", end);
        assert_eq!((refusal.code, refusal.status, refusal.message), (400, "INVALID_ARGUMENT", wanted));
    }
}

#[test]
fn a_new_document_has_the_recorded_defaults() {
    let Some(root) = recordings("a_new_document_has_the_recorded_defaults") else { return };
    let recorded = read(&root.join("mutations/F1_apply_bold/before.json"));
    let ours = serde_json::to_value(new_document("id", "A title")).unwrap();
    for part in ["/tabs/0/documentTab/documentStyle", "/tabs/0/documentTab/namedStyles", "/tabs/0/tabProperties"] {
        assert_eq!(ours.pointer(part), recorded.pointer(part), "{part}");
    }
    let first = "/tabs/0/documentTab/body/content/0";
    assert_eq!(ours.pointer(first), recorded.pointer(first));
    assert_eq!(ours["title"], "A title");
}
