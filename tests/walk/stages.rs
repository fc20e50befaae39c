//! Pushes that take several calls, and a daemon that is killed between them, with the real binary and the embedded Google.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::world::{World, edit_in_place, until};

/// A document that says `text`: its id and its file.
fn document(world: &World, text: &str) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Stages", source.to_str().unwrap()]);
    assert!(done, "{made}");
    (made["id"].as_str().unwrap().to_owned(), PathBuf::from(made["path"].as_str().unwrap()))
}

/// How long a daemon lives that is killed a second time, if it does not come to the point before.
const SECOND_LIFE: Duration = Duration::from_millis(700);

/// A picture that edits name.
const DOT: &[u8] = include_bytes!("../../fixtures/images/dot.png");

/// The points of a call at which the daemon is killed.
const POINTS: [&str; 4] = ["before_journal", "after_journal", "after_post", "after_reply"];

/// The points of the second call of a push. Who asked is answered once, by the first.
const SECOND_POINTS: [&str; 3] = ["before_journal:2", "after_journal:2", "after_post:2"];

/// What a document says before it is edited.
const TEXT: &str = "# Head\n\nIntro.\n\nOne two three.\n\n| a | b |\n| --- | --- |\n| c | d |\n\nOld[^1].\n\nEnd.\n\n[^1]: Old note.\n";

/// Kills the daemon at each point of a push of so many calls; after a restart the document says `found`, the file is in
/// conflict with nothing, and there is nothing left to push.
async fn check_kills(name: &str, edits: &[(&str, &str)], calls: usize, found: &[&str]) {
    let mut world = World::new(name);
    for first in points(calls) {
        check_kill(&mut world, edits, (first, None), found).await;
    }
}

/// The points of a push of so many calls.
fn points(calls: usize) -> impl Iterator<Item = &'static str> {
    let second = if calls > 1 { &SECOND_POINTS[..] } else { &[] };
    POINTS.iter().chain(second).chain(&["after_record"]).copied()
}

async fn check_kill(world: &mut World, edits: &[(&str, &str)], (first, second): (&str, Option<&str>), found: &[&str]) {
    let at = format!("{first}, {second:?}");
    world.start_daemon(&[]);
    let (id, file) = document(world, TEXT);
    world.kill_daemon();
    world.start_daemon(&[("MCP_WORKSPACE_CRASH", first)]);
    std::fs::write(file.with_file_name("dot.png"), DOT).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let edited = edits.iter().fold(text.clone(), |text, (old, new)| {
        assert!(text.contains(old), "{old:?} is not in\n{text}");
        text.replacen(old, new, 1)
    });
    edit_in_place(&file, &text, &edited);
    until(&format!("{at}: the daemon is dead"), || std::future::ready(world.daemon_died())).await;
    if let Some(second) = second {
        // It may have nothing left to do by which it comes to this point.
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", second)]);
        let end = Instant::now() + SECOND_LIFE;
        while !world.daemon_died() && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        world.kill_daemon();
    }
    world.start_daemon(&[]);
    let path = format!("/v1/documents/{id}?includeTabsContent=true");
    until(&format!("{at}: the edit is in the document"), || async {
        let document = world.get(&path).await.to_string();
        found.iter().all(|part| document.contains(part))
    })
    .await;
    settled(world, &file, &at);
    let document = world.get(&path).await.to_string();
    let pictures = document.matches("\"inlineObjectElement\"").count();
    assert_eq!(pictures, edited.matches("new image").count(), "{at}: {document}");
    world.kill_daemon();
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
    assert!(!status.contains("say different things"), "{point}: {status}\n{text}");
}

/// What a power cut would take back must not have been told to anybody, nor be what both sides are known to say.
#[tokio::test(flavor = "multi_thread")]
async fn a_save_stands_on_the_disk_before_it_is_told() {
    for (point, stands) in [("before_journal", false), ("after_journal", true), ("", true)] {
        // In one world, what a daemon that died had not pushed yet would meet the next crash.
        let mut world = World::new(&format!("stages-disk-{point}"));
        world.start_daemon(&[]);
        let (_, file) = document(&world, TEXT);
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        let before = std::fs::read_to_string(world.log()).unwrap().len();
        edit_in_place(&file, "One two", "One 2");
        if point.is_empty() {
            let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
            assert!(done, "{answer}");
            world.kill_daemon();
        } else {
            until(&format!("{point}: the daemon is dead"), || std::future::ready(world.daemon_died())).await;
        }
        let name = file.file_name().unwrap().to_str().unwrap();
        let log = std::fs::read_to_string(world.log()).unwrap();
        // The last that was done with it: other walks may have found it in agreement before.
        let done = |line: &&str| line.contains("stands on the disk") || line.contains("fetched");
        let last = log[before..].lines().filter(|line| line.contains(name.trim_end_matches(".md"))).rfind(done);
        let told = last.is_some_and(|line| line.contains("stands on the disk"));
        assert_eq!(told, stands, "{point}: {}", &log[before..]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_footnote_has_its_text_when_the_daemon_is_killed() {
    check_kills("stages-note", &[("End.", "End[^y].\n\n[^y]: Note y.")], 2, &["Note y."]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_has_its_heading_when_the_daemon_is_killed() {
    let found = ["New h", "\"headingId\":\"h.", "\"link\":{\""];
    check_kills("stages-link", &[("End.", "End [up](#new-h).\n\n## New h")], 2, &found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_no_edit_of_both_sides_when_the_daemon_is_killed() {
    check_kills("stages-person", &[("End.", "End {^= person \"Ana <ana@x.com>\"} here.")], 1, &["ana@x.com", " here."])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_beside_a_footnote_is_made_once_when_the_daemon_is_killed() {
    let edited = "End {^= new image \"dot.png\"} and[^y].\n\n[^y]: Note y.";
    check_kills("stages-picture", &[("End.", edited)], 2, &["Note y.", "inlineObjectElement"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_things_are_made_once_when_the_daemon_is_killed() {
    let edits = [
        ("Intro.", "Intro {^= new image \"dot.png\"} and {^= new image \"dot.png\"}."),
        ("One two", "One {!color:#cc0000}two{/!}[^y]"),
        ("| c | d |", "| c x | d |\n| e | f |"),
        ("Old[^1].", "Old."),
        ("End.", "[End](#new-h).\n\n## New h\n\nUnder it.\n\n[^y]: Fresh **y** text."),
        ("[^1]: Old note.\n", ""),
    ];
    let mut world = World::new("stages-many");
    for first in points(2) {
        // Once, and again at each point of what it does then.
        for second in std::iter::once(None).chain(points(2).map(Some)) {
            check_kill(&mut world, &edits, (first, second), &["Fresh ", "inlineObjectElement", "Under it."]).await;
        }
    }
}
