//! The whole walk with the real binary: real files, real editors, SIGKILL, and the embedded Google on loopback.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::world::{World, edit_in_place, until};
use serde_json::json;

/// A document of the test's own: several plain paragraphs, each with a word that occurs once.
async fn document(world: &World) -> String {
    let created = world.post("/v1/documents", &json!({"title": "Walk"})).await;
    let id = created["documentId"].as_str().unwrap().to_owned();
    let text = "Alpha paragraph stays here.\nBravo paragraph is long enough to be edited.\nCharlie 👍🏽 กำ שלום ends it.\nDelta closes the list of words.\n";
    let body = json!({"requests": [{"insertText": {"location": {"index": 1}, "text": text}}]});
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &body).await;
    id
}

async fn world(name: &str) -> (World, String) {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    let id = document(&world).await;
    (world, id)
}

/// Edits a file with `save`, which turns `Bravo` into `Golf`, and expects exactly one push of just that.
async fn check_editor(name: &str, save: impl Fn(&Path)) {
    let (world, id) = world(name).await;
    let file = world.file(&id);
    let before = world.pushes().await.len();
    save(&file);
    until("the edit is in the document", || async { world.text(&id).await.contains("Golf paragraph is") }).await;
    // Whatever else would be sent has its settle time and more.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let pushes = world.pushes().await;
    assert_eq!(pushes.len(), before + 1, "{name}: {pushes:#?}");
    let requests = pushes.last().unwrap()["body"]["requests"].as_array().unwrap().clone();
    assert!(requests.len() <= 3, "{name}: {requests:#?}");
    assert!(!world.text(&id).await.contains("Bravo"));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("Golf paragraph is long") && text.contains("Delta closes"), "{name}: {text}");
}

/// Runs an editor; says so and returns false where it is not installed.
fn run(program: &str, arguments: &[&str]) -> bool {
    match Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
    {
        Ok(status) => {
            assert!(status.success(), "{program} {arguments:?}: {status}");
            true
        }
        Err(_) => false,
    }
}

fn installed(program: &str) -> bool {
    let found = run(program, &["--version"]);
    if !found {
        println!("SKIPPED {program}: it is not installed");
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn vim_saves_once() {
    if installed("vim") {
        check_editor("vim", |file| {
            run(
                "vim",
                &[
                    "-u",
                    "NONE",
                    "-N",
                    "-es",
                    "-c",
                    "set writebackup backup",
                    "-c",
                    "%s/Bravo/Golf/",
                    "-c",
                    "wq",
                    file.to_str().unwrap(),
                ],
            );
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn emacs_saves_once() {
    if installed("emacs") {
        check_editor("emacs", |file| {
            let lisp = "(progn (search-forward \"Bravo\") (replace-match \"Golf\" t) (save-buffer))";
            run("emacs", &["-Q", "--batch", file.to_str().unwrap(), "--eval", lisp]);
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sed_saves_once() {
    check_editor("sed", |file| {
        assert!(run("sed", &["-i", "s/Bravo/Golf/", file.to_str().unwrap()]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn truncate_pause_write_is_one_save() {
    check_editor("truncate", |file| {
        let text = std::fs::read_to_string(file).unwrap().replace("Bravo", "Golf");
        let mut open = std::fs::File::options().write(true).truncate(true).open(file).unwrap();
        std::thread::sleep(Duration::from_millis(700));
        open.write_all(text.as_bytes()).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_writer_is_one_save() {
    check_editor("slow", |file| {
        let text = std::fs::read_to_string(file).unwrap().replace("Bravo", "Golf");
        let mut open = std::fs::File::options().write(true).truncate(true).open(file).unwrap();
        for piece in text.as_bytes().chunks(40) {
            open.write_all(piece).unwrap();
            open.sync_all().unwrap();
            std::thread::sleep(Duration::from_millis(120));
        }
    })
    .await;
}

/// Whoever starts knows of no save that was begun before.
#[tokio::test(flavor = "multi_thread")]
async fn a_save_that_is_being_made_while_the_daemon_starts_is_pushed_whole() {
    for (name, stays_open) in [("start-closed", false), ("start-open", true)] {
        let (mut world, id) = world(name).await;
        let file = world.file(&id);
        let text = std::fs::read_to_string(&file).unwrap().replace("Bravo", "Golf");
        let (start, end) = text.split_at(text.find("Charlie").unwrap());
        let before = world.pushes().await.len();
        world.kill_daemon();
        let mut open = std::fs::File::create(&file).unwrap();
        open.write_all(start.as_bytes()).unwrap();
        let mut open = Some(open).filter(|_| stays_open);
        world.start_daemon(&[]);
        for _ in 0..if stays_open { 40 } else { 10 } {
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert!(world.text(&id).await.contains("Delta closes"), "{name}: half of it is pushed");
        }
        let rest = || std::fs::File::options().append(true).open(&file).unwrap();
        open.take().unwrap_or_else(rest).write_all(end.as_bytes()).unwrap();
        until("the edit is in the document", || async { world.text(&id).await.contains("Golf paragraph is") }).await;
        let pushes = world.pushes().await;
        assert_eq!(pushes.len(), before + 1, "{name}: {pushes:#?}");
        assert!(pushes[before]["body"]["requests"].as_array().unwrap().len() <= 3, "{name}: {pushes:#?}");
        assert!(world.text(&id).await.contains("Delta closes"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emptied_file_that_is_filled_again_is_never_pushed_empty() {
    check_editor("emptied", |file| {
        let text = std::fs::read_to_string(file).unwrap().replace("Bravo", "Golf");
        std::fs::write(file, "").unwrap();
        std::thread::sleep(Duration::from_millis(700));
        std::fs::write(file, text).unwrap();
    })
    .await;
}

/// Kills the daemon at a named point of a push; after a restart the edit is in the document exactly once.
async fn check_kill(point: &str) {
    let mut world = World::new(point);
    world.start_daemon(&[]);
    let id = document(&world).await;
    let file = world.file(&id);
    world.kill_daemon();
    world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
    edit_in_place(&file, "Bravo paragraph", "Bravo inserted⟦token⟧ paragraph");
    for _ in 0..800 {
        if world.daemon_died() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let whole = std::fs::read_to_string(&file).unwrap();
    assert!(
        whole.contains("⟦token⟧") && whole.contains("Alpha paragraph") && whole.contains("Delta closes"),
        "{point}: {whole}"
    );
    world.start_daemon(&[]);
    until("the edit is in the document", || async { world.text(&id).await.contains("⟦token⟧") }).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let text = world.text(&id).await;
    assert_eq!(text.matches("⟦token⟧").count(), 1, "{point}: {text}");
    assert_eq!(
        text,
        "Alpha paragraph stays here.\nBravo inserted⟦token⟧ paragraph is long enough to be edited.\nCharlie 👍🏽 กำ שלום ends it.\nDelta closes the list of words.\n\n"
    );
    let whole = std::fs::read_to_string(&file).unwrap();
    assert_eq!(whole.matches("⟦token⟧").count(), 1, "{point}: {whole}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_the_journal() {
    check_kill("before_journal").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_journal_and_post() {
    check_kill("after_journal").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_the_post() {
    check_kill("after_post").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_the_reply() {
    check_kill("after_reply").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_during_a_deposit() {
    let mut world = World::new("deposit");
    world.start_daemon(&[]);
    let id = document(&world).await;
    let file = world.file(&id);
    let before = std::fs::read_to_string(&file).unwrap();
    world.kill_daemon();
    world.collaborate(&id, "Bravo", "Hotel").await;
    world.start_daemon(&[("MCP_WORKSPACE_CRASH", "during_deposit")]);
    world.cli(&["fetch", &id, "--refresh"]);
    until("the daemon is dead", || std::future::ready(world.daemon_died())).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "the file is whole, and the old one");
    world.start_daemon(&[]);
    until("the file has the new text", || async {
        std::fs::read_to_string(&file).unwrap().contains("Hotel paragraph")
    })
    .await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.replace("Bravo", "Hotel"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_is_not_sent_again() {
    let (world, id) = world("lost").await;
    let file = world.file(&id);
    world.post("/admin/faults", &json!([{"match": {"path": ":batchUpdate"}, "times": 1, "fault": "lost_reply"}])).await;
    edit_in_place(&file, "Bravo", "Bravo ⟦once⟧");
    until("the edit is in the document", || async { world.text(&id).await.contains("⟦once⟧") }).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(world.text(&id).await.matches("⟦once⟧").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn different_paragraphs_of_both_sides_arrive() {
    let (world, id) = world("both").await;
    let file = world.file(&id);
    world.collaborate(&id, "Charlie", "Xylophone").await;
    edit_in_place(&file, "Bravo", "Golf");
    until("both edits are in the document", || async {
        let text = world.text(&id).await;
        text.contains("Golf") && text.contains("Xylophone")
    })
    .await;
    until("both edits are in the file", || async {
        let text = std::fs::read_to_string(&file).unwrap();
        text.contains("Golf") && text.contains("Xylophone")
    })
    .await;
    assert!(!file.with_extension("conflict.md").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_paragraph_of_both_sides_is_a_conflict() {
    let (world, id) = world("conflict").await;
    let headings = json!({"requests": [
        {"updateParagraphStyle": {"range": {"startIndex": 1, "endIndex": 2}, "paragraphStyle": {"namedStyleType": "HEADING_1"}, "fields": "namedStyleType"}},
        {"insertText": {"endOfSegmentLocation": {}, "text": "Second section\nEcho is free.\n"}},
    ]});
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &headings).await;
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let content = document["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
    let start = content
        .iter()
        .find(|e| e["paragraph"]["elements"][0]["textRun"]["content"] == "Second section\n")
        .unwrap()["startIndex"]
        .as_u64()
        .unwrap();
    let body = json!({"requests": [{"updateParagraphStyle": {"range": {"startIndex": start, "endIndex": start + 1}, "paragraphStyle": {"namedStyleType": "HEADING_2"}, "fields": "namedStyleType"}}]});
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &body).await;
    let file = world.file(&id);
    world.collaborate(&id, "Bravo paragraph is", "Bravo theirs is").await;
    edit_in_place(&file, "Bravo paragraph is", "Bravo mine is");
    let conflict = file.with_extension("conflict.md");
    until("the conflict file is there", || async { conflict.exists() }).await;
    let text = std::fs::read_to_string(&conflict).unwrap();
    assert!(
        text.contains("Bravo theirs is") && text.contains("Bravo mine is") && text.contains("Bravo paragraph is"),
        "{text}"
    );
    edit_in_place(&file, "Echo is free", "Echo still flows");
    until("the other section flows", || async { world.text(&id).await.contains("Echo still flows") }).await;
    assert!(world.text(&id).await.contains("Bravo theirs is"), "the frozen section is not pushed");
    assert!(std::fs::read_to_string(&file).unwrap().contains("Bravo mine is"), "the person's text stays in the file");
    // As the conflict file says it, in its folder.
    let command = text.lines().find_map(|line| line.trim().strip_prefix("mcp-workspace ")?.split_once("  "));
    let (command, meaning) = command.unwrap();
    assert!(meaning.contains("goes to the document") && command.ends_with("--mine"), "{text}");
    let mut resolve = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
    let resolve = resolve.args(command.split(' ')).current_dir(file.parent().unwrap()).arg("--home").arg(&world.home);
    let resolved = resolve.output().unwrap();
    assert!(resolved.status.success(), "{command}: {resolved:?}");
    until("mine is in the document", || async { world.text(&id).await.contains("Bravo mine is") }).await;
    until("the conflict file is gone", || async { !conflict.exists() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_in_the_document_arrives_in_the_file() {
    let (world, id) = world("pull").await;
    let file = world.file(&id);
    world.collaborate(&id, "Delta", "Foxtrot").await;
    until("the file has it", || async { std::fs::read_to_string(&file).unwrap().contains("Foxtrot closes") }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_document_keeps_the_edit_in_the_file() {
    let (world, id) = world("read-only").await;
    let file = world.file(&id);
    world.post(&format!("/admin/documents/{id}:share"), &json!({"role": "reader"})).await;
    edit_in_place(&file, "Bravo", "Golf");
    let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
    assert!(!done || answer.to_string().contains("READ_ONLY"), "{answer}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("Golf"));
    assert!(world.text(&id).await.contains("Bravo"));
    assert!(world.cli(&["status"]).1.to_string().contains("READ_ONLY"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_network_edits_wait() {
    let (mut world, id) = world("offline").await;
    let file = world.file(&id);
    world.stop_emulator();
    edit_in_place(&file, "Bravo", "Golf");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (done, answer) = world.cli(&["status"]);
    assert!(done, "{answer}");
    world.restart_emulator();
    until("the edit is in the document", || async { world.text(&id).await.contains("Golf") }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_file_is_held_and_the_daemon_goes_on() {
    let (world, id) = world("hostile").await;
    let file = world.file(&id);
    let good = std::fs::read_to_string(&file).unwrap();
    let before = world.pushes().await.len();
    for hostile in [
        Vec::new(),
        b"\0\0\0".to_vec(),
        vec![0xff, 0xfe, 0xfd],
        "{!".repeat(200_000).into_bytes(),
        "[".repeat(100_000).into_bytes(),
    ] {
        std::fs::write(&file, &hostile).unwrap();
        tokio::time::sleep(Duration::from_millis(800)).await;
        assert_eq!(std::fs::read(&file).unwrap(), hostile, "the person's bytes stay");
        assert!(world.text(&id).await.contains("Alpha paragraph"), "the document stays");
        assert!(world.cli(&["status"]).0, "the daemon goes on");
    }
    assert_eq!(world.pushes().await.len(), before);
    std::fs::write(&file, good.replace("Bravo", "Golf")).unwrap();
    until("a good save is pushed", || async { world.text(&id).await.contains("Golf paragraph") }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_questions_get_clear_answers() {
    let (world, id) = world("questions").await;
    let file = world.file(&id);
    for question in
        [vec!["fetch", "no-such-document-0000000000000000"], vec!["diff", "/etc/passwd"], vec!["push", "/nowhere/x.md"]]
    {
        let (done, answer) = world.cli(&question);
        assert!(
            !done && answer["error"] == true && answer["suggestion"].as_str().is_some_and(|s| !s.is_empty()),
            "{question:?}: {answer}"
        );
    }
    let second = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
        .arg("daemon")
        .arg("--home")
        .arg(&world.home)
        .output()
        .unwrap();
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("already"), "{second:?}");
    assert!(world.cli(&["status"]).0 && file.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_file_at_the_socket_stays() {
    let mut world = World::new("foreign");
    let run = world.home.join("run");
    std::fs::create_dir_all(&run).unwrap();
    for name in ["mcp.sock", "control.sock"] {
        let socket = run.join(name);
        drop(std::fs::remove_file(&socket));
        std::fs::write(&socket, "mine").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
            .arg("daemon")
            .arg("--home")
            .arg(&world.home)
            .output()
            .unwrap();
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains(name), "{output:?}");
        assert_eq!(std::fs::read_to_string(&socket).unwrap(), "mine");
        std::fs::remove_file(&socket).unwrap();
    }
    world.start_daemon(&[]);
    assert!(world.cli(&["status"]).0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_idle_daemon_is_small() {
    let (world, id) = world("idle").await;
    world.file(&id);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", world.daemon_id())).unwrap();
    let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: u64 = rss.trim().trim_end_matches(" kB").parse().unwrap();
    println!("idle RSS {kib} KiB");
    assert!(kib <= 25 * 1024 * if cfg!(debug_assertions) { 2 } else { 1 }, "{kib} KiB");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_saved_in_place_of_a_link_is_an_edit() {
    let (world, id) = world("by-name").await;
    let file = world.file(&id);
    let link = file.parent().unwrap().parent().unwrap().join("by-name/Walk.md");
    until("the link is there", || std::future::ready(link.is_symlink())).await;
    assert!(run("sed", &["-i", "s/Bravo/Golf/", link.to_str().unwrap()]));
    until("the edit is in the document", || async { world.text(&id).await.contains("Golf paragraph") }).await;
    until("the link is back", || std::future::ready(link.is_symlink())).await;
    assert!(std::fs::read_to_string(&file).unwrap().contains("Golf paragraph"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_with_lists_becomes_a_document() {
    let (world, _) = world("create").await;
    let source = world.home.join("source.md");
    let text = "# Shopping\n\nFor **Sunday**:\n\n- bread\n  - rye\n- milk\n\n1. go\n2. pay\n";
    std::fs::write(&source, text).unwrap();
    let (done, answer) = world.cli(&["create", "--title", "Shopping list", source.to_str().unwrap()]);
    assert!(done, "{answer}");
    let file = std::fs::read_to_string(answer["path"].as_str().unwrap()).unwrap();
    assert!(
        file.contains("- bread\n  - rye\n- milk\n") && file.contains("1. go\n2. pay\n") && file.contains("**Sunday**"),
        "{file}"
    );
    assert_eq!(answer["notices"], json!([]));
    std::fs::write(&source, "- [x] bread\n\n> said who\n").unwrap();
    let (done, answer) = world.cli(&["create", "--title", "Shopping list", source.to_str().unwrap()]);
    let notices = answer["notices"].as_array().unwrap();
    let told = |code: &str, line: u32| notices.iter().any(|told| told["code"] == code && told["line"] == line);
    assert!(done && told("TICK", 1) && told("BLOCK_QUOTE", 3), "{answer}");
    let (done, answer) = world.cli(&["create", "--title", "Empty"]);
    assert!(done, "an empty document can be made: {answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_can_be_fetched_at_once() {
    let (world, id) = world("forget").await;
    for _ in 0..5 {
        let file = world.file(&id);
        assert!(file.is_file());
        let (done, answer) = world.cli(&["forget", &id]);
        assert!(done, "{answer}");
        assert!(!file.exists(), "it is put away when the answer is heard");
    }
    assert!(world.text(&id).await.contains("Alpha"), "the document is untouched");
}
