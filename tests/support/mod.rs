//! What several test binaries share.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::PathBuf;

use serde_json::Value;

/// Finds the recorded answers of Google; without them the test prints that it is skipped.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let path = std::env::var_os("MCP_WORKSPACE_SHARED").map_or(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    println!("SKIPPED {test}: ../shared is absent");
    None
}

/// A document of every element kind with direct fonts, sizes, colours, alignment and spacing.
pub(crate) fn every_style() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/docs/every-style.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The recorded documents in the API's own shape, by file name.
pub(crate) fn raw_documents(test: &str) -> Option<Vec<(String, Value)>> {
    let folder = shared(test)?.join("fixtures/docs/static");
    let mut documents = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let value: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let raw = value["tabs"].as_array().is_some_and(|tabs| tabs.iter().any(|tab| tab.get("documentTab").is_some()));
        if raw {
            documents.push((path.file_name().unwrap().to_string_lossy().into_owned(), value));
        }
    }
    documents.sort_by(|a, b| a.0.cmp(&b.0));
    Some(documents)
}

pub(crate) mod daily;
pub(crate) mod mcp;
pub(crate) mod meaning;
pub(crate) mod model;
pub(crate) mod oracle;
pub(crate) mod world;
