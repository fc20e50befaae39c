//! Answers that do not come, with the real binary and the embedded Google: what is told then, and what is not done.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use support::world::{World, edit_in_place, until};

fn world(name: &str) -> World {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    world
}

/// A document that says `text`: its id and its file.
fn document(world: &World, text: &str) -> (String, PathBuf) {
    let (done, made) = create(world, text);
    assert!(done, "{made}");
    let told = |key: &str| made[key].as_str().unwrap().to_owned();
    (told("id"), told("path").into())
}

fn create(world: &World, text: &str) -> (bool, Value) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    world.cli(&["create", "--title", "Made", source.to_str().unwrap()])
}

async fn fault(world: &World, path: &str, method: &str, fault: &str, times: u32) {
    let faults = json!([{ "match": { "path": path, "method": method }, "times": times, "fault": fault }]);
    world.post("/admin/faults", &faults).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_sends_nothing_while_google_fails() {
    let world = world("dry");
    let (id, file) = document(&world, "# One\n\nalpha\n");
    fault(&world, &format!("/v1/documents/{id}:batchUpdate"), "POST", "503", 100_000).await;
    edit_in_place(&file, "alpha", "alpha mine");
    let status = || world.cli(&["status"]).1.to_string();
    until("the push has failed", || std::future::ready(status().contains("retrying"))).await;
    let pushes = || {
        let state = world.home.join("state/demo@example.com/state.db");
        let state = rusqlite::Connection::open(state).unwrap();
        state.query_row("SELECT count(*) FROM job", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let before = pushes();
    let (done, told) = world.cli(&["push", file.to_str().unwrap(), "--dry-run"]);
    assert!(done && told["requests"].as_array().is_some_and(|requests| !requests.is_empty()), "{told}");
    tokio::time::sleep(Duration::from_secs(2)).await;
    // The daemon goes on with its pauses, and no faster.
    assert!(pushes() - before <= 4, "{} pushes", pushes() - before);
    assert!(status().contains("retrying"), "{}", status());
    let doctor = world.cli(&["doctor"]).1.to_string();
    assert!(doctor.contains("\"note\"") && doctor.contains(&id), "{doctor}");
    world.delete("/admin/faults").await;
    until("the edit arrives", || async { world.text(&id).await == "One\nalpha mine\n" }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_may_have_been_made_is_told_of() {
    let world = world("made");
    fault(&world, "/v1/documents", "POST", "lost_reply", 1).await;
    let (done, told) = create(&world, "alpha\n");
    let told = told.to_string();
    assert!(!done && told.contains("nobody knows") && told.contains("\"retryable\":false"), "{told}");
    fault(&world, ":batchUpdate", "POST", "403", 1).await;
    let (done, told) = create(&world, "alpha\n");
    let told = told.to_string();
    assert!(!done && told.contains("was made") && told.contains("/document/d/"), "{told}");
}

/// What is to be done about a document that is not made, or made and not read, is told as it is: nothing tries it by itself.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_made_or_not_read_is_not_said_to_go_on() {
    let mut world = world("made-hints");
    let check = |world: &World, text: &str, says: &str| {
        let (done, told) =
            if text.is_empty() { world.cli(&["create", "--title", "Made"]) } else { create(world, text) };
        let suggestion = told["suggestion"].as_str().unwrap_or_default();
        assert!(!done && suggestion.contains(says) && !suggestion.contains("keeps trying"), "{told}");
        told.to_string()
    };
    fault(&world, "/v1/documents/", "GET", "503", 2).await;
    let told = check(&world, "", "Do not make it once more");
    assert!(told.contains("was made") && told.contains("/document/d/"), "{told}");
    world.delete("/admin/faults").await;
    let made = world.documents().await.into_iter().filter(|(title, _)| title == "Made").count();
    assert_eq!(made, 1);
    world.stop_emulator();
    check(&world, "", "nothing does by itself");
    check(&world, "alpha\n", "is kept at");
    world.restart_emulator();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_that_waits_says_so_again() {
    let world = world("undone");
    let (id, file) = document(&world, "# One\n\nalpha\n");
    edit_in_place(&file, "alpha", "beta");
    let path = file.to_str().unwrap();
    assert!(world.cli(&["push", path]).0);
    let log = world.cli(&["log", path]).1;
    let lines = log["lines"].as_array().unwrap();
    let push = lines.iter().find_map(|line| line["push"].as_i64()).unwrap().to_string();
    assert!(world.cli(&["pause"]).0);
    world.collaborate(&id, "beta", "theirs").await;
    assert!(world.cli(&["resume"]).0);
    fault(&world, "/v1/documents/", "GET", "503", 100_000).await;
    for _ in 0..2 {
        let (done, told) = world.cli(&["undo", &push]);
        assert!(!done, "{told}");
    }
    world.delete("/admin/faults").await;
}

/// Whoever asked has no answer, and a pipe has its text no more: the next start tells of it and keeps the text.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_whose_making_was_cut_off_keeps_its_text() {
    for (point, made) in [("after_making_noted", 0), ("after_making", 1)] {
        let mut world = world(&format!("cut-{point}"));
        world.kill_daemon();
        let before = world.documents().await.len();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        let (done, told) = create(&world, "# Kept\n\nwords of a pipe\n");
        assert!(!done && told.to_string().contains("whether the document was made"), "{point}: {told}");
        until("the daemon is dead", || std::future::ready(world.daemon_died())).await;
        assert_eq!(world.documents().await.len() - before, made, "{point}");
        world.start_daemon(&[]);
        let status = world.cli(&["status"]).1;
        let waiting = status["accounts"][0]["waiting"].as_array().unwrap().clone();
        let told = waiting.iter().find(|told| told["state"] == "cut off").unwrap_or_else(|| panic!("{status}"));
        let message = told["message"].as_str().unwrap();
        let (_, path) = message.split_once("stands at ").unwrap();
        assert!(message.contains("\"Made\"") && path.contains("/.retired/"), "{message}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "# Kept\n\nwords of a pipe\n");
        // What was made is not told of, and what was not over restarts, as long as its text stands there.
        let (done, told) = create(&world, "alpha\n");
        assert!(done, "{told}");
        world.kill_daemon();
        world.start_daemon(&[]);
        let status = world.cli(&["status"]).1.to_string();
        assert_eq!(status.matches("cut off").count(), 1, "{status}");
        std::fs::remove_file(path).unwrap();
        let status = world.cli(&["status"]).1.to_string();
        assert!(!status.contains("cut off"), "{status}");
    }
}

/// A pipe has its text no more, whatever Google answers, and if nobody asks it.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_not_made_keeps_its_text() {
    let world = world("not-made");
    let check_kept = |text: &str| {
        let (done, told) = create(&world, text);
        assert!(!done, "{told}");
        let suggestion = told["suggestion"].as_str().unwrap();
        let (_, path) = suggestion.split_once("is kept at ").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    };
    for (number, (path, method, answer)) in
        [("/v1/documents", "POST", "lost_reply"), ("/v1/documents", "POST", "403"), (":batchUpdate", "POST", "403")]
            .into_iter()
            .enumerate()
    {
        fault(&world, path, method, answer, 1).await;
        check_kept(&format!("words of pipe {number}\n"));
    }
    assert!(world.cli(&["pause"]).0);
    check_kept("words while nothing is pushed\n");
    assert!(world.cli(&["resume"]).0);
    // A text that can be no document is its writer's to mend.
    let source = world.home.join("source.md");
    let (done, told) = world.cli(&["create", "--title", "a\nb", source.to_str().unwrap()]);
    assert!(!done && !told.to_string().contains("is kept"), "{told}");
    let status = world.cli(&["status"]).1.to_string();
    // While nothing is pushed nobody is asked, and whoever is refused has nothing, so nothing may stand anywhere.
    let told = ["\"cut off\"", "may stand in Google Drive", "was not made: create it"]
        .map(|what| status.matches(what).count());
    assert_eq!(told, [2, 2, 2], "{status}");
}
