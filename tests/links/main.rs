//! Links to mirrored files, with the real binary and the embedded Google: what an editor puts in their place is an edit.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "../support/mod.rs"]
mod support;

mod behind;
mod joined;
mod names;

use std::fs;
use std::path::PathBuf;

use support::world::World;

/// The readable link to a document.
fn readable(world: &World, title: &str) -> PathBuf {
    world.home.join(format!("workspace/demo@example.com/by-name/{title}.md"))
}

/// A link to a document in a folder of one's own.
fn link_beside(world: &World, id: &str, title: &str) -> PathBuf {
    let folder = world.home.join("beside");
    fs::create_dir_all(&folder).unwrap();
    let (done, linked) = world.cli(&["link", id, folder.to_str().unwrap()]);
    assert!(done, "{linked}");
    folder.join(format!("{title}.md"))
}
