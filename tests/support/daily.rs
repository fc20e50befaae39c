//! What a person does each day, with the real binary and the embedded Google.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::world::{World, edit_in_place};

pub(crate) fn world(name: &str) -> World {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    world
}

/// A document that says `text`: its id and its file.
pub(crate) fn document(world: &World, text: &str) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Told", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let told = |key: &str| made[key].as_str().unwrap().to_owned();
    (told("id"), told("path").into())
}

pub(crate) fn done(world: &World, arguments: &[&str]) -> Value {
    let (done, answer) = world.cli(arguments);
    assert!(done, "{arguments:?}: {answer}");
    answer
}

pub(crate) fn refused(world: &World, arguments: &[&str]) -> Value {
    let (done, answer) = world.cli(arguments);
    assert!(!done, "{arguments:?}: {answer}");
    answer
}

pub(crate) fn push(world: &World, file: &Path, old: &str, new: &str) {
    edit_in_place(file, old, new);
    done(world, &["push", file.to_str().unwrap()]);
}

/// The number of the newest push of a file.
pub(crate) fn newest_push(world: &World, file: &Path) -> String {
    let log = done(world, &["log", file.to_str().unwrap()]);
    let pushes = log["lines"].as_array().unwrap().iter();
    pushes.filter_map(|line| line["push"].as_i64()).next().unwrap().to_string()
}

pub(crate) fn database(world: &World) -> PathBuf {
    world.home.join("state").join(account(world)).join("state.db")
}

fn account(world: &World) -> String {
    done(world, &["status"])["accounts"][0]["account"].as_str().unwrap_or("demo@example.com").to_owned()
}
