//! The room against recorded answers of the real service, which are kept beside the project, and against cases of our own.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at what it is about")]
#![allow(clippy::needless_pass_by_value, reason = "a table of values reads better")]

mod calls;
mod chats;
mod documents;
mod enterprises;
mod framing;
mod goldens;
mod hostile;
mod operations;
mod pages;
mod recordings;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the folder of recordings, or says that the test is skipped.
fn recordings(test: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("MCP_WORKSPACE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = shared.join("fixtures/notebooklm");
    if folder.is_dir() {
        return Some(folder);
    }
    say(&format!("SKIPPED {test}: ../shared is absent"));
    None
}

#[expect(clippy::print_stdout, reason = "a test says what it skips and what it counts")]
fn say(line: &str) {
    println!("{line}");
}

/// Returns the files of a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_file());
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}
