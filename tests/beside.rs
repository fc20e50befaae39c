//! Files in `new/`, with the real binary and the embedded Google: what is saved there becomes a document, once.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use support::daily::{is_link, named, replace, says, told_of, waiting, world};
use support::world::{World, until};

/// What a document says that was made of [`TEXT`].
const SAID: &str = "Plan\nWe meet on Monday in the small room.\nbring the list\nbring the keys\n";

const TEXT: &str = "# Plan\n\nWe meet on Monday in the small room.\n\n- bring the list\n- bring the keys\n";

fn new_folder(world: &World) -> PathBuf {
    world.home.join("workspace/demo@example.com/new")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_saved_in_new_becomes_a_document_and_later_saves_its_edits() {
    let world = world("new");
    let path = new_folder(&world).join("Trip to Łódź.md");
    fs::write(&path, TEXT).unwrap();
    until("a link stands there", || std::future::ready(is_link(&path))).await;
    let [id] = named(&world, "Trip to Łódź").await.try_into().unwrap();
    says(&world, &id, "Plan\nWe meet on Monday in the small room.\nbring the list\nbring the keys\n").await;
    assert_eq!(path.canonicalize().unwrap(), world.file(&id).canonicalize().unwrap());
    // The editor still has the text as it was saved first, without a head and without ids, and writes it through the link.
    let pushes = world.pushes().await.len();
    fs::write(&path, TEXT.replace("Monday", "Tuesday")).unwrap();
    says(&world, &id, "Plan\nWe meet on Tuesday in the small room.\nbring the list\nbring the keys\n").await;
    let sent = world.pushes().await.split_off(pushes);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].to_string().len() < 2_000, "only the word was sent: {sent:?}");
    // Another one puts a file in the link's place.
    replace(&path, &TEXT.replace("Monday", "Wednesday").replace("keys", "key"));
    says(&world, &id, "Plan\nWe meet on Wednesday in the small room.\nbring the list\nbring the key\n").await;
    until("the link stands again", || std::future::ready(is_link(&path))).await;
    // While the daemon is down, too.
    let mut world = world;
    world.kill_daemon();
    replace(&path, &TEXT.replace("Monday", "Friday"));
    world.start_daemon(&[]);
    says(&world, &id, "Plan\nWe meet on Friday in the small room.\nbring the list\nbring the keys\n").await;
    until("the link stands again", || std::future::ready(is_link(&path))).await;
    // Another text of that name is another document.
    replace(&path, "Milk, bread, butter, eggs, flour, sugar, tea.\n");
    until("a second one is made", || async { named(&world, "Trip to Łódź").await.len() == 2 }).await;
    until("the link stands again", || std::future::ready(is_link(&path))).await;
    assert_eq!(world.text(&id).await, "Plan\nWe meet on Friday in the small room.\nbring the list\nbring the keys\n");
    // A link that was given another name leads where it led, and so does what is saved there.
    let renamed = path.with_file_name("Renamed.md");
    fs::rename(&path, &renamed).unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    replace(&renamed, "Milk, bread, butter, eggs, flour, sugar, coffee.\n");
    until("the link stands again", || std::future::ready(is_link(&renamed))).await;
    let milk = named(&world, "Trip to Łódź").await.into_iter().find(|other| *other != id).unwrap();
    says(&world, &milk, "Milk, bread, butter, eggs, flour, sugar, coffee.\n").await;
    fs::rename(&renamed, &path).unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    // A name whose link was removed is free for a text of the same kind.
    let free = path.with_file_name("Report.md");
    for count in 1..=2 {
        fs::write(&free, TEXT).unwrap();
        until("a link stands there", || std::future::ready(is_link(&free))).await;
        assert_eq!(named(&world, "Report").await.len(), count);
        fs::remove_file(&free).unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    // What is no longer mirrored has no link.
    let other = named(&world, "Trip to Łódź").await.into_iter().find(|other| *other != id).unwrap();
    assert!(world.cli(&["forget", &other]).0);
    assert!(!is_link(&path) && !path.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_text_yet_becomes_nothing() {
    let world = world("no-text");
    let (new, before) = (new_folder(&world), world.documents().await.len());
    for name in
        [".hidden.md", "x.md~", ".x.md.swp", "4913", "#x.md#", "x.txt", ".#x.md", "~$x.md", "x.conflict.md", "x.bak.md"]
    {
        fs::write(new.join(name), "words of a temporary file\n").unwrap();
    }
    fs::write(new.join("empty.md"), "").unwrap();
    fs::write(new.join("blank.md"), "\n\n").unwrap();
    fs::write(new.join("head.md"), "---\ntitle: A head alone\n---\n").unwrap();
    fs::write(new.join("nul.md"), "a\0b").unwrap();
    let merged = "# Plan\n\n<<<<<<< HEAD\nwe go\n=======\nwe stay\n>>>>>>> other\n";
    fs::write(new.join("merged.md"), merged).unwrap();
    fs::create_dir(new.join("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(new.join("pipe.md")).status().unwrap().success());
    let nul = new.join("nul.md");
    until("the broken one is told of", || std::future::ready(told_of(&world, &nul).is_some())).await;
    assert!(told_of(&world, &nul).unwrap().contains("NUL"));
    for (name, words) in [("folder", "a folder"), ("pipe.md", "not a regular file"), ("merged.md", "unfinished merge")]
    {
        let told = told_of(&world, &new.join(name)).unwrap();
        assert!(told.contains(words) && !told.contains("restore") && !told.contains("--accept"), "{told}");
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(world.documents().await.len(), before);
    // A head names the document, and an empty file becomes one once it has words.
    fs::write(new.join("head.md"), "---\ntitle: Named here\n---\n\nwords\n").unwrap();
    fs::write(new.join("empty.md"), "words\n").unwrap();
    until("they are made", || async {
        named(&world, "Named here").await.len() + named(&world, "empty").await.len() == 2
    })
    .await;
    fs::remove_file(&nul).unwrap();
    fs::remove_file(new.join("pipe.md")).unwrap();
    fs::remove_dir(new.join("folder")).unwrap();
    // So does one in which somebody ended the merge, or that shows the marks as code.
    fs::write(new.join("merged.md"), "# Plan\n\nwe go\n").unwrap();
    fs::write(new.join("shown.md"), format!("Marks look so:\n\n```\n{merged}```\n")).unwrap();
    until("they are made", || async { named(&world, "merged").await.len() + named(&world, "shown").await.len() == 2 })
        .await;
    until("nothing is told", || std::future::ready(waiting(&world).is_empty())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_made_once_though_the_daemon_dies() {
    let points = ["after_making_noted", "after_making_empty", "after_making", "after_making_of_file"];
    for (point, documents) in points.into_iter().zip([0, 1, 1, 1]) {
        let mut world = world(&format!("once-{point}"));
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        let path = new_folder(&world).join("Once.md");
        fs::write(&path, TEXT).unwrap();
        until("the daemon is dead", || std::future::ready(world.daemon_died())).await;
        world.start_daemon(&[]);
        if documents == 1 {
            until("a link stands there", || std::future::ready(is_link(&path))).await;
            let [id] = named(&world, "Once").await.try_into().unwrap();
            says(&world, &id, SAID).await;
        } else {
            // Nobody knows whether it was made, so nobody makes it once more; the file says so until it is saved again.
            until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
            assert!(told_of(&world, &path).unwrap().contains("may stand in Google Drive"));
            tokio::time::sleep(Duration::from_secs(4)).await;
            assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
        }
        assert_eq!(named(&world, "Once").await.len(), documents, "{point}");
        if documents == 0 {
            fs::write(&path, format!("{TEXT}\nMore.\n")).unwrap();
            until("a link stands there", || std::future::ready(is_link(&path))).await;
            assert_eq!(named(&world, "Once").await.len(), documents + 1, "{point}");
        }
        until("nothing waits", || std::future::ready(waiting(&world).is_empty())).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_in_place_of_a_link_outlives_the_daemon() {
    let mut world = world("adopted");
    let path = new_folder(&world).join("Kept.md");
    fs::write(&path, TEXT).unwrap();
    until("a link stands there", || std::future::ready(is_link(&path))).await;
    let [id] = named(&world, "Kept").await.try_into().unwrap();
    world.kill_daemon();
    world.start_daemon(&[("MCP_WORKSPACE_CRASH", "after_adopting")]);
    replace(&path, &TEXT.replace("Monday", "Thursday"));
    until("the daemon is dead", || std::future::ready(world.daemon_died())).await;
    world.start_daemon(&[]);
    says(&world, &id, "Plan\nWe meet on Thursday in the small room.\nbring the list\nbring the keys\n").await;
    until("the link stands again", || std::future::ready(is_link(&path))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_saved_while_google_is_away_becomes_a_document_later() {
    let mut world = world("later");
    world.stop_emulator();
    let path = new_folder(&world).join("Later.md");
    fs::write(&path, TEXT).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    world.restart_emulator();
    until("a link stands there", || std::future::ready(is_link(&path))).await;
    assert_eq!(named(&world, "Later").await.len(), 1);
    // An answer that does not come is another thing: it may have been made.
    let faults = json!([{ "match": { "path": "/v1/documents", "method": "POST" }, "times": 1, "fault": "lost_reply" }]);
    world.post("/admin/faults", &faults).await;
    let other = new_folder(&world).join("Perhaps.md");
    fs::write(&other, TEXT).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &other).is_some())).await;
    assert!(told_of(&world, &other).unwrap().contains("nobody knows"));
    tokio::time::sleep(Duration::from_secs(17)).await;
    assert_eq!(named(&world, "Perhaps").await.len(), 1);
    fs::remove_file(&other).unwrap();
    until("nothing is told", || std::future::ready(waiting(&world).is_empty())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_through_a_link_beside_ones_work_is_one_of_the_item() {
    let mut world = world("link");
    let source = world.home.join("source.md");
    fs::write(&source, TEXT).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Notes", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let id = made["id"].as_str().unwrap().to_owned();
    let work = world.home.join("work");
    fs::create_dir(&work).unwrap();
    let link = |world: &World, folder: &Path| world.cli(&["link", &id, folder.to_str().unwrap()]);
    let (done, linked) = link(&world, &work);
    assert!(done, "{linked}");
    let path = work.canonicalize().unwrap().join("Notes.md");
    assert_eq!(linked["path"].as_str(), path.to_str());
    assert!(is_link(&path));
    // Asked once more, it is the same.
    assert_eq!(link(&world, &work).1, linked);
    let text = || fs::read_to_string(&path).unwrap();
    fs::write(&path, text().replace("Monday", "Tuesday")).unwrap();
    says(&world, &id, "Plan\nWe meet on Tuesday in the small room.\nbring the list\nbring the keys\n").await;
    replace(&path, &text().replace("Tuesday", "Sunday"));
    says(&world, &id, "Plan\nWe meet on Sunday in the small room.\nbring the list\nbring the keys\n").await;
    until("the link stands again", || std::future::ready(is_link(&path))).await;
    // A folder that is away for a while still has its link when it is back.
    let away = world.home.join("away");
    fs::rename(&work, &away).unwrap();
    world.kill_daemon();
    world.start_daemon(&[]);
    tokio::time::sleep(Duration::from_secs(3)).await;
    fs::rename(&away, &work).unwrap();
    // The command line knows it by that path, and it outlives a restart.
    assert!(world.cli(&["diff", path.to_str().unwrap()]).0);
    world.kill_daemon();
    world.start_daemon(&[]);
    replace(&path, &text().replace("Sunday", "Monday"));
    says(&world, &id, "Plan\nWe meet on Monday in the small room.\nbring the list\nbring the keys\n").await;
    until("the link stands again", || std::future::ready(is_link(&path))).await;
    // Another text is not taken for an edit, and stays.
    replace(&path, "fn main() { println!(\"something else\"); }\n");
    until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    assert!(told_of(&world, &path).unwrap().contains("little in common"));
    assert_eq!(world.text(&id).await, "Plan\nWe meet on Monday in the small room.\nbring the list\nbring the keys\n");
    fs::remove_file(&path).unwrap();
    assert!(link(&world, &work).0);
    assert!(world.cli(&["forget", &id]).0);
    assert!(path.symlink_metadata().is_err());
    // Folders in which others could put a file, and the workspace itself, are refused.
    let open = world.home.join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    for (folder, words) in
        [(open, "other users"), (new_folder(&world), "inside"), (world.home.join("none"), "cannot be used")]
    {
        let (done, told) = link(&world, &folder);
        assert!(!done && told.to_string().contains(words), "{}: {told}", folder.display());
    }
}

/// Fails so many calls that write a document's text.
async fn fail_writing(world: &World, fault: Value, times: u32) {
    let faults = json!([{ "match": { "path": ":batchUpdate", "method": "POST" }, "times": times, "fault": fault }]);
    world.post("/admin/faults", &faults).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_whose_text_did_not_arrive_gets_it_and_is_not_made_again() {
    let mut world = world("filled");
    // Tried again by itself, also where the text may have arrived, and where it has.
    for fault in [json!("500"), json!("drop"), json!("lost_reply")] {
        let title = format!("Filled {fault}").replace('"', "");
        let path = new_folder(&world).join(format!("{title}.md"));
        fail_writing(&world, fault.clone(), 1).await;
        fs::write(&path, TEXT).unwrap();
        until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
        let told = waiting(&world).into_iter().find(|told| told["path"].as_str() == path.to_str()).unwrap();
        assert_eq!(told["state"], "made in part", "{told}");
        let [id] = named(&world, &title).await.try_into().unwrap();
        assert!(told["message"].to_string().contains(&id), "{told}");
        until("a link stands there", || std::future::ready(is_link(&path))).await;
        says(&world, &id, SAID).await;
        assert_eq!(named(&world, &title).await, [id]);
    }
    // Saves meanwhile, and starts, are those of the same document.
    let path = new_folder(&world).join("Saved.md");
    fail_writing(&world, json!("429"), 100).await;
    fs::write(&path, TEXT).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    let [id] = named(&world, "Saved").await.try_into().unwrap();
    for day in ["Tuesday", "Wednesday"] {
        fs::write(&path, TEXT.replace("Monday", day)).unwrap();
        tokio::time::sleep(Duration::from_secs(4)).await;
        world.kill_daemon();
        world.start_daemon(&[]);
        until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    }
    assert_eq!((named(&world, "Saved").await, world.text(&id).await.as_str()), (vec![id.clone()], "\n"));
    // So is one that got another name, which another file may have then.
    let renamed = path.with_file_name("Renamed.md");
    fs::rename(&path, &renamed).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &renamed).is_some())).await;
    let path = renamed;
    world.delete("/admin/faults").await;
    until("a link stands there", || std::future::ready(is_link(&path))).await;
    says(&world, &id, &SAID.replace("Monday", "Wednesday")).await;
    assert_eq!(named(&world, "Saved").await, [id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_after_a_text_that_may_have_arrived_is_an_edit_of_that_document() {
    let world = world("filled-late");
    for (fault, times) in [("lost_reply", 1), ("drop", 2)] {
        let path = new_folder(&world).join(format!("{fault}.md"));
        fail_writing(&world, json!(fault), times).await;
        fs::write(&path, TEXT).unwrap();
        until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
        fs::write(&path, TEXT.replace("Monday", "Tuesday")).unwrap();
        until("a link stands there", || std::future::ready(is_link(&path))).await;
        let [id] = named(&world, fault).await.try_into().unwrap();
        says(&world, &id, &SAID.replace("Monday", "Tuesday")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_wrote_into_a_document_before_its_text_stays() {
    let mut world = world("filled-other");
    let path = new_folder(&world).join("Other.md");
    fail_writing(&world, json!("500"), 100).await;
    fs::write(&path, TEXT).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    let [id] = named(&world, "Other").await.try_into().unwrap();
    let words = json!({"requests": [{"insertText": {"location": {"index": 1}, "text": "Somebody was faster."}}]});
    world.post(&format!("/admin/documents/{id}:edit"), &words).await;
    world.kill_daemon();
    world.delete("/admin/faults").await;
    world.start_daemon(&[]);
    until("a link stands there", || std::future::ready(is_link(&path))).await;
    until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    let told = told_of(&world, &path).unwrap();
    assert!(told.contains("somebody wrote") && told.contains(".retired"), "{told}");
    assert_eq!(world.text(&id).await, "Somebody was faster.\n");
    let kept = PathBuf::from(told.split_once(" kept at ").unwrap().1);
    assert_eq!(fs::read_to_string(kept).unwrap(), TEXT);
    assert_eq!(named(&world, "Other").await, std::slice::from_ref(&id));
    // The link leads to the document like any other.
    replace(&path, "Somebody was faster, and I was slow.\n");
    until("the edit arrives", || async { world.text(&id).await == "Somebody was faster, and I was slow.\n" }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_with_footnotes_is_filled_in_where_it_was_left() {
    let mut world = world("filled-notes");
    let text = "# Notes\n\nThe first has one[^1], and so has this[^2].\n\n[^1]: one note\n\n[^2]: another note\n";
    for times in [1, 2] {
        let title = format!("Notes {times}");
        let path = new_folder(&world).join(format!("{title}.md"));
        // The first call goes through where the second one is to fail.
        let writing = json!({ "path": ":batchUpdate", "method": "POST" });
        let mut faults = vec![json!({ "match": writing, "fault": "500" })];
        if times == 2 {
            faults.insert(0, json!({ "match": writing, "fault": "slow", "delay_ms": 1 }));
        }
        world.post("/admin/faults", &json!(faults)).await;
        fs::write(&path, text).unwrap();
        until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
        world.kill_daemon();
        world.start_daemon(&[]);
        until("a link stands there", || std::future::ready(is_link(&path))).await;
        let [id] = named(&world, &title).await.try_into().unwrap();
        until("nothing waits", || std::future::ready(waiting(&world).is_empty())).await;
        let said = fs::read_to_string(&path).unwrap();
        assert!(said.contains("[^1]: one note\n\n[^2]: another note"), "{said}");
        assert_eq!(named(&world, &title).await, [id]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_goes_up_again_with_a_text_that_did_not_arrive() {
    /// A red dot.
    const PNG: &str = "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100\
                       18dd8db00000000049454e44ae426082";
    let mut world = world("filled-picture");
    let bytes: Vec<u8> =
        (0..PNG.len() / 2).map(|at| u8::from_str_radix(&PNG[2 * at..2 * at + 2], 16).unwrap()).collect();
    fs::write(new_folder(&world).with_file_name("drive").join("dot.png"), bytes).unwrap();
    let before = world.documents().await.len();
    fail_writing(&world, json!("500"), 1).await;
    let path = new_folder(&world).join("Dot.md");
    fs::write(&path, "# Dot\n\nIt is {^= new image \"dot.png\"} red.\n").unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &path).is_some())).await;
    world.kill_daemon();
    world.start_daemon(&[]);
    until("a link stands there", || std::future::ready(is_link(&path))).await;
    let [id] = named(&world, "Dot").await.try_into().unwrap();
    says(&world, &id, "Dot\nIt is  red.\n").await;
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let pictures = document["tabs"][0]["documentTab"]["inlineObjects"].as_object().unwrap();
    assert_eq!(pictures.len(), 1);
    // What went up for that is gone again.
    until("the upload is gone", || async { world.documents().await.len() == before + 1 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_takes_the_place_of_a_file_of_any_name() {
    let mut world = world("long-names");
    let new = new_folder(&world);
    let paths: Vec<PathBuf> = [240, 241, 249, 252].map(|length| new.join(format!("{}.md", "n".repeat(length)))).into();
    for path in &paths {
        fs::write(path, TEXT).unwrap();
    }
    for path in &paths {
        until("a link stands there", || std::future::ready(is_link(path))).await;
    }
    // An edit in its place, and a daemon that dies before the link stands there again.
    world.kill_daemon();
    world.start_daemon(&[("MCP_WORKSPACE_CRASH", "after_adopting")]);
    let longest = paths.last().unwrap();
    fs::remove_file(longest).unwrap();
    fs::write(longest, TEXT.replace("Monday", "Sunday")).unwrap();
    until("the daemon is dead", || std::future::ready(world.daemon_died())).await;
    world.start_daemon(&[]);
    until("a link stands there", || std::future::ready(is_link(longest))).await;
    until("nothing waits", || std::future::ready(waiting(&world).is_empty())).await;
    let names: Vec<_> = fs::read_dir(&new).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), paths.len(), "{names:?}");
    assert!(fs::read_to_string(longest).unwrap().contains("Sunday"));
}
