//! The bundle for Claude Desktop: its manifest, and the official packer where it can be had.
#![allow(clippy::print_stdout, reason = "a test that did not run must say so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// The parts of <https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md> that can be looked up offline.
#[test]
fn the_manifest_says_what_the_program_is() {
    let manifest = json_of(&root().join("packaging/mcpb/manifest.json"));
    // 0.4 is an experiment of the packer's, for Python.
    assert_eq!(manifest["manifest_version"], "0.3");
    assert_eq!(manifest["name"], env!("CARGO_PKG_NAME"));
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["description"], env!("CARGO_PKG_DESCRIPTION"));
    assert_eq!(manifest["license"], env!("CARGO_PKG_LICENSE"));
    assert!(manifest["author"]["name"].is_string());
    let server = &manifest["server"];
    assert_eq!(server["type"], "binary");
    let entry_point = server["entry_point"].as_str().expect("a path");
    assert_eq!(server["mcp_config"]["command"], json!(format!("${{__dirname}}/{entry_point}")));
    assert_eq!(server["mcp_config"]["args"], json!(["bridge"]));

    let mut golden: Vec<String> = std::fs::read_dir(root().join("fixtures/tools/default"))
        .expect("a folder")
        .map(|entry| json_of(&entry.expect("an entry").path())["name"].as_str().expect("a name").to_owned())
        .collect();
    golden.sort();
    let tools = manifest["tools"].as_array().expect("tools");
    let mut named: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    named.sort_unstable();
    assert_eq!(named, golden);
    assert!(tools.iter().all(|tool| tool["description"].as_str().is_some_and(|text| !text.is_empty())));
    assert!(manifest.get("tools_generated").is_none(), "the list is whole");
}

#[test]
fn the_official_packer_makes_a_bundle_that_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let bundle = folder.path().join("mcp-workspace.mcpb");
    let build = Command::new(root().join("packaging/mcpb/build"))
        .args(["--binary", env!("CARGO_BIN_EXE_mcp-workspace")])
        .arg(&bundle)
        .output()
        .expect("the script runs");
    let said = String::from_utf8_lossy(&build.stdout).into_owned() + &String::from_utf8_lossy(&build.stderr);
    if build.status.code() == Some(3) {
        println!("SKIPPED the_official_packer_makes_a_bundle_that_runs: {}", said.trim());
        return;
    }
    assert!(build.status.success(), "{said}");
    assert!(said.contains("validation passes"), "{said}");

    let unpacked = folder.path().join("unpacked");
    let packer = std::env::var("MCPB").unwrap_or_else(|_| "npx --yes @anthropic-ai/mcpb@2.1.2".into());
    let mut words = packer.split_whitespace();
    let unpack = Command::new(words.next().expect("a command"))
        .args(words)
        .arg("unpack")
        .args([&bundle, &unpacked])
        .output()
        .expect("the packer runs");
    assert!(unpack.status.success(), "{unpack:?}");
    let manifest = json_of(&unpacked.join("manifest.json"));
    let platform = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    assert_eq!(manifest["compatibility"]["platforms"], json!([platform]));
    let program = unpacked.join(manifest["server"]["entry_point"].as_str().expect("a path"));
    let version = Command::new(&program).arg("--version").output().expect("the packed program runs");
    assert_eq!(String::from_utf8_lossy(&version.stdout).trim(), concat!("mcp-workspace ", env!("CARGO_PKG_VERSION")));
}
