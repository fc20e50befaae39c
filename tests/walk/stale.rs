//! Editors that were not told of what came into a file since they read it, with the real binary and the embedded Google.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::world::{World, until};

const TEXT: &str = "# Head\n\nAlpha bravo charlie delta.\n\n## Second\n\nEcho foxtrot golf hotel.\n";

/// A document, its file, and the file's text in an editor: since then a colleague wrote `theirs` into the document.
async fn colleague(world: &World) -> (String, PathBuf, String) {
    let source = world.home.join("source.md");
    std::fs::write(&source, TEXT).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Open", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let (id, file) = (made["id"].as_str().unwrap().to_owned(), PathBuf::from(made["path"].as_str().unwrap()));
    let open = std::fs::read_to_string(&file).unwrap();
    world.collaborate(&id, "foxtrot", "foxtrot theirs").await;
    until("what the colleague wrote is in the file", || {
        std::future::ready(std::fs::read_to_string(&file).unwrap().contains("theirs"))
    })
    .await;
    // It stands there before the walk that wrote it has ended; this waits for that.
    let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
    assert!(done && answer["pushed"] == false, "{answer}");
    (id, file, open)
}

/// Tells whether what a file says is in the document by now: with this push, or with one of the daemon's own just before.
fn went(answer: &Value) -> bool {
    let says = answer["message"].as_str().unwrap_or_default();
    answer["pushed"] == true || says.starts_with("nothing to push: what it says went with push")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_editor_takes_nothing_that_a_colleague_wrote() {
    let mut world = World::new("stale");
    world.start_daemon(&[]);
    let (id, file, mut open) = colleague(&world).await;
    let path = file.to_str().unwrap();
    // Once more after a restart, as often as it is saved.
    for (old, new) in [("bravo", "bravo mine"), ("delta", "delta more"), ("Head", "Head line")] {
        open = open.replacen(old, new, 1);
        std::fs::write(&file, &open).unwrap();
        let (done, answer) = world.cli(&["push", path]);
        assert!(done && answer["told"].to_string().contains("PUT_BACK"), "{answer}");
        let both = |text: &str| text.contains("theirs") && text.contains(new);
        let (document, text) = (world.text(&id).await, std::fs::read_to_string(&file).unwrap());
        assert!(both(&document) && both(&text), "{document}\n{text}");
        world.kill_daemon();
        world.start_daemon(&[]);
    }
    // Other words of the sentence that the colleague has edited, and the word beside theirs.
    for (old, new) in [("golf", "golf too"), ("foxtrot", "fox")] {
        open = open.replacen(old, new, 1);
        std::fs::write(&file, &open).unwrap();
        let (done, answer) = world.cli(&["push", path]);
        assert!(done && answer["told"].to_string().contains("PUT_BACK"), "{answer}");
        let both = open.lines().last().unwrap().replacen(" golf", " theirs golf", 1);
        assert!(world.text(&id).await.contains(&both), "{both}");
        assert!(std::fs::read_to_string(&file).unwrap().contains(&both), "{both}");
    }
    // Who takes away the words between which the colleague wrote has not read that.
    std::fs::write(&file, open.replacen(" fox golf too", "", 1)).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(!done && answer["message"].as_str().unwrap().contains("in conflict: \"Second\""), "{answer}");
    assert!(world.text(&id).await.contains("fox theirs golf too"));
    assert!(std::fs::read_to_string(&file).unwrap().contains("Echo hotel"));
}

/// What two write at one place without having read each other is a conflict; who has read it and writes something else is not
/// asked.
#[tokio::test(flavor = "multi_thread")]
async fn who_writes_where_a_colleague_wrote_meets_them() {
    let mut world = World::new("stale-place");
    world.start_daemon(&[]);
    let (id, file, open) = colleague(&world).await;
    let path = file.to_str().unwrap();
    std::fs::write(&file, open.replacen(" golf", " mine golf", 1)).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(!done && answer["message"].as_str().unwrap().contains("in conflict"), "{answer}");
    assert!(!answer["told"].to_string().contains("PUT_BACK"), "{answer}");
    assert!(world.text(&id).await.contains("theirs golf"));
    let shown = std::fs::read_to_string(file.with_file_name(format!("{id}.conflict.md"))).unwrap();
    assert!(shown.contains("theirs golf") && shown.contains("mine golf"), "{shown}");
    // Both are wanted.
    std::fs::write(&file, open.replacen(" golf", " theirs mine golf", 1)).unwrap();
    let (done, answer) = world.cli(&["resolve", path, "--mine"]);
    assert!(done, "{answer}");
    until("both are there", || async { world.text(&id).await.contains("theirs mine golf") }).await;
    assert!(world.cli(&["push", path]).0);
    // By now somebody has read it.
    std::fs::write(&file, open.replacen(" golf", " other mine golf", 1)).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && went(&answer), "{answer}");
    assert!(world.text(&id).await.contains("other mine golf"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_colleague_wrote_is_deleted_by_who_means_it() {
    let mut world = World::new("stale-meant");
    world.start_daemon(&[]);
    let (id, file, open) = colleague(&world).await;
    let path = file.to_str().unwrap();
    std::fs::write(&file, &open).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && answer["told"].to_string().contains("PUT_BACK"), "{answer}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("theirs"));
    std::fs::write(&file, &open).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(!done && answer["holds"][0]["code"] == "TAKEN_AGAIN", "{answer}");
    assert!(world.text(&id).await.contains("theirs"));
    let (done, answer) = world.cli(&["push", "--accept", path]);
    assert!(done, "{answer}");
    assert!(!world.text(&id).await.contains("theirs"));
    // Then it is gone for good.
    std::fs::write(&file, open.replace("bravo", "bravo mine")).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(done, "{answer}");
    let text = world.text(&id).await;
    assert!(text.contains("bravo mine") && !text.contains("theirs"), "{text}");
}

/// What a colleague took away does not come back with an older text, and comes back when somebody means it.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_colleague_took_away_comes_back_for_who_means_it() {
    let mut world = World::new("stale-gone");
    world.start_daemon(&[]);
    let (id, file, open) = colleague(&world).await;
    let path = file.to_str().unwrap();
    let open = open.replace("foxtrot", "foxtrot theirs");
    world.collaborate(&id, "charlie delta", "charlie").await;
    until("what the colleague took away is not in the file", || {
        std::future::ready(!std::fs::read_to_string(&file).unwrap().contains("delta"))
    })
    .await;
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && answer["pushed"] == false, "{answer}");
    world.kill_daemon();
    world.start_daemon(&[]);
    // An editor that has the text from before saves an edit elsewhere.
    std::fs::write(&file, open.replace("golf", "golf mine")).unwrap();
    let line = open.lines().position(|line| line.contains("delta")).unwrap() + 1;
    let (done, answer) = world.cli(&["push", path]);
    assert!(!done && answer["holds"][0]["code"] == "DELETED_THERE" && answer["holds"][0]["line"] == line, "{answer}");
    let text = world.text(&id).await;
    assert!(!text.contains("delta") && !text.contains("mine"), "{text}");
    // It is deleted in the file, too, and the edit goes on.
    std::fs::write(&file, open.replace("golf", "golf mine").replace(" delta", "")).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && went(&answer), "{answer}");
    let text = world.text(&id).await;
    assert!(!text.contains("delta") && text.contains("golf mine"), "{text}");
    // Who has read on and writes it again is not asked.
    let read = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, read.replace("charlie", "charlie delta")).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && went(&answer), "{answer}");
    assert!(world.text(&id).await.contains("charlie delta"));
    // Where nothing tells that somebody has, what is accepted comes back.
    world.collaborate(&id, "golf mine", "golf").await;
    until("it is gone once more", || std::future::ready(!std::fs::read_to_string(&file).unwrap().contains("mine")))
        .await;
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && answer["pushed"] == false, "{answer}");
    let read = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, read.replace("golf", "golf mine")).unwrap();
    let (done, answer) = world.cli(&["push", path]);
    assert!(!done && answer["holds"][0]["code"] == "DELETED_THERE", "{answer}");
    let (done, answer) = world.cli(&["push", "--accept", path]);
    assert!(done && answer["pushed"] == true, "{answer}");
    assert!(world.text(&id).await.contains("golf mine"));
    let (done, answer) = world.cli(&["push", path]);
    assert!(done && answer["pushed"] == false, "{answer}");
}

/// Who dies before it has recorded what it wrote, and dies again before it has written what came then, leaves a file in which
/// nobody edited anything.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_before_two_kills_is_nobodys_edit() {
    let mut world = World::new("stale-kills");
    world.start_daemon(&[]);
    let (id, file, _) = colleague(&world).await;
    let says = |text: &'static str| {
        let file = file.clone();
        move || std::future::ready(std::fs::read_to_string(&file).unwrap().contains(text))
    };
    for (first, second) in [("hotel first", "hotel first second"), ("hotel third", "hotel third fourth")] {
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", "after_deposit")]);
        world.collaborate(&id, "hotel", first).await;
        until("the daemon has written the file and is dead", || std::future::ready(world.daemon_died())).await;
        assert!(says(first)().await);
        world.collaborate(&id, first, second).await;
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", "during_deposit")]);
        until("the daemon is dead before it has written the file", || std::future::ready(world.daemon_died())).await;
        assert!(!says(second)().await);
        // The colleague takes it back, or goes on.
        let third = if first == "hotel first" { "hotel" } else { "hotel other words" };
        world.collaborate(&id, second, third).await;
        let before = world.pushes().await.len();
        world.start_daemon(&[]);
        let agreed = || async {
            let file = std::fs::read_to_string(&file).unwrap();
            file.contains(&format!("{third}.")) && !file.contains(first)
        };
        until("the file says what the document says", agreed).await;
        let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
        assert!(done && answer["pushed"] == false, "{answer}");
        assert_eq!(world.pushes().await.len(), before);
        assert!(world.text(&id).await.contains(&format!("{third}.")));
    }
}
