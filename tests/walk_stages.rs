//! Pushes that take several calls, and a daemon that is killed between them, with the real binary and the embedded Google.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::path::{Path, PathBuf};

use support::world::{World, edit_in_place, until};

/// A document that says `text`: its id and its file.
fn document(world: &World, text: &str) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Stages", source.to_str().unwrap()]);
    assert!(done, "{made}");
    (made["id"].as_str().unwrap().to_owned(), PathBuf::from(made["path"].as_str().unwrap()))
}

/// A picture that edits name.
const DOT: &[u8] = include_bytes!("../fixtures/images/dot.png");

/// The points of a call at which the daemon is killed.
const POINTS: [&str; 4] = ["before_journal", "after_journal", "after_post", "after_reply"];

/// The points of the second call of a push. Who asked is answered once, by the first.
const SECOND_POINTS: [&str; 3] = ["before_journal:2", "after_journal:2", "after_post:2"];

/// Kills the daemon at each point of a push of so many calls; after a restart the document says `found`, the file is in
/// conflict with nothing, and there is nothing left to push.
async fn check_kills(name: &str, edited: &str, calls: usize, found: &[&str]) {
    let mut world = World::new(name);
    let second = if calls > 1 { &SECOND_POINTS[..] } else { &[] };
    for point in POINTS.iter().chain(second).chain(&["after_record"]) {
        world.start_daemon(&[]);
        let (id, file) = document(&world, "# Head\n\nIntro.\n\nEnd.\n");
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        std::fs::write(file.with_file_name("dot.png"), DOT).unwrap();
        edit_in_place(&file, "End.\n", edited);
        until(&format!("{point}: the daemon is dead"), || std::future::ready(world.daemon_died())).await;
        world.start_daemon(&[]);
        let path = format!("/v1/documents/{id}?includeTabsContent=true");
        until(&format!("{point}: the edit is in the document"), || async {
            let document = world.get(&path).await.to_string();
            found.iter().all(|part| document.contains(part))
        })
        .await;
        settled(&world, &file, point);
        let document = world.get(&path).await.to_string();
        let pictures = document.matches("\"inlineObjectElement\"").count();
        assert_eq!(pictures, edited.matches("new image").count(), "{point}: {document}");
        world.kill_daemon();
    }
}

/// Checks that a file is in conflict with nothing and has nothing left to push.
fn settled(world: &World, file: &Path, point: &str) {
    let (_, answer) = world.cli(&["push", file.to_str().unwrap()]);
    let text = std::fs::read_to_string(file).unwrap();
    assert!(!answer.to_string().contains("conflict"), "{point}: {answer}\n{text}");
    assert_eq!(answer["refused"].as_array().map(Vec::len), Some(0), "{point}: {answer}\n{text}");
    let (_, answer) = world.cli(&["push", file.to_str().unwrap()]);
    assert_eq!(answer["pushed"], false, "{point}: {answer}\n{text}");
    let status = world.cli(&["status"]).1.to_string();
    assert!(!status.contains("both sides"), "{point}: {status}\n{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_footnote_has_its_text_when_the_daemon_is_killed() {
    check_kills("stages-note", "End[^y].\n\n[^y]: Note y.\n", 2, &["Note y."]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_has_its_heading_when_the_daemon_is_killed() {
    let found = ["New h", "\"headingId\":\"h.", "\"link\":{\""];
    check_kills("stages-link", "End [up](#new-h).\n\n## New h\n", 2, &found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_no_edit_of_both_sides_when_the_daemon_is_killed() {
    check_kills("stages-person", "End {^= person \"Ana <ana@x.com>\"} here.\n", 1, &["ana@x.com", " here."]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_beside_a_footnote_is_made_once_when_the_daemon_is_killed() {
    let edited = "End {^= new image \"dot.png\"} and[^y].\n\n[^y]: Note y.\n";
    check_kills("stages-picture", edited, 2, &["Note y.", "inlineObjectElement"]).await;
}
