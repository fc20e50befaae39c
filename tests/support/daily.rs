//! What a person does each day, with the real binary and the embedded Google.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::world::{World, edit_in_place, until};

pub(crate) fn world(name: &str) -> World {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    world
}

/// A document that says `text`: its id and its file.
pub(crate) fn document(world: &World, text: &str) -> (String, PathBuf) {
    document_of(world, "Told", text)
}

/// A document with a title that says `text`: its id and its file.
pub(crate) fn document_of(world: &World, title: &str, text: &str) -> (String, PathBuf) {
    // Several may be made at once.
    let source = world.home.join(format!("source of {title}.md"));
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", title, source.to_str().unwrap()]);
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

pub(crate) fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

/// The ids of the documents with a title.
pub(crate) async fn named(world: &World, title: &str) -> Vec<String> {
    let all = world.documents().await;
    all.into_iter().filter(|(name, _)| name == title).map(|(_, id)| id).collect()
}

pub(crate) fn waiting(world: &World) -> Vec<Value> {
    let status = world.cli(&["status"]).1;
    status["accounts"][0]["waiting"].as_array().unwrap_or_else(|| panic!("{status}")).clone()
}

/// What is told of a path.
pub(crate) fn told_of(world: &World, path: &Path) -> Option<String> {
    let told = waiting(world).into_iter().find(|told| told["path"].as_str() == path.to_str());
    told.map(|told| told["message"].as_str().unwrap().to_owned())
}

/// Saves as editors do that write another file and rename it.
pub(crate) fn replace(path: &Path, text: &str) {
    let temporary = path.with_extension("saving");
    std::fs::write(&temporary, text).unwrap();
    std::fs::rename(&temporary, path).unwrap();
}

/// Waits until the text of a document is this, and nothing waits.
pub(crate) async fn says(world: &World, id: &str, text: &str) {
    until(&format!("the document says {text:?}"), || async { world.text(id).await == text }).await;
    until("nothing waits", || std::future::ready(waiting(world).is_empty() && rests(world))).await;
}

/// Tells whether no item is being worked on: what has landed is recorded a moment later.
pub(crate) fn rests(world: &World) -> bool {
    world.cli(&["status"]).1["accounts"][0]["queue"]["working"] == 0
}
