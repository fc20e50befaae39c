//! Documents with several tabs, each a file of its own, with the real binary and the embedded Google.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::world::{World, edit_in_place, until};

const TEXT: &str = "Alpha bravo charlie delta.\n\nEcho foxtrot golf hotel.\n";

/// What each tab of a document says, by its title.
async fn tabs(world: &World, id: &str) -> Vec<(String, String)> {
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let text = |tab: &Value| {
        let paragraphs = tab["documentTab"]["body"]["content"].as_array().unwrap().iter();
        let runs = paragraphs.filter_map(|element| element["paragraph"]["elements"].as_array()).flatten();
        runs.filter_map(|run| run["textRun"]["content"].as_str()).collect::<String>()
    };
    let all = document["tabs"].as_array().unwrap().iter();
    all.map(|tab| (tab["tabProperties"]["title"].as_str().unwrap().to_owned(), text(tab))).collect()
}

/// Makes a tab that says `text`; returns its id.
async fn add_tab(world: &World, id: &str, title: &str, index: u64, text: &str) -> String {
    let requests = json!([{"addDocumentTab": {"tabProperties": {"title": title, "index": index}}}]);
    let answer = world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": requests })).await;
    let tab = answer["replies"][0]["addDocumentTab"]["tabProperties"]["tabId"].as_str().unwrap().to_owned();
    let insert = json!([{"insertText": {"location": {"index": 1, "tabId": tab}, "text": text}}]);
    world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": insert })).await;
    tab
}

/// A document with one tab, and its file.
fn document(world: &World) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    std::fs::write(&source, TEXT).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Weeks", source.to_str().unwrap()]);
    assert!(done, "{made}");
    (made["id"].as_str().unwrap().to_owned(), PathBuf::from(made["path"].as_str().unwrap()))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_stays_in_its_tab_whatever_comes_to_stand_first() {
    let mut world = World::new("tabs-first");
    world.start_daemon(&[]);
    let (id, file) = document(&world);
    // While the daemon is away a copy of the only tab is put before it, and the file is edited.
    world.kill_daemon();
    let copy = "Alpha bravo charlie delta.\nEcho foxtrot golf hotel.";
    let tab = add_tab(&world, &id, "Copy", 0, copy).await;
    edit_in_place(&file, "bravo", "bravo mine");
    edit_in_place(&file, " golf", "");
    world.start_daemon(&[]);
    let beside = file.with_file_name(format!("{id}.{tab}.md"));
    until("the copy has a file", || std::future::ready(read(&beside).contains("golf"))).await;
    let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
    assert!(done, "{answer}");
    let first = tabs(&world, &id).await;
    assert_eq!(first[0].1.trim_end(), copy, "nobody has edited the copy");
    assert_eq!(first[1].1.trim_end(), "Alpha bravo mine charlie delta.\nEcho foxtrot hotel.");
    assert!(read(&file).contains("bravo mine") && !read(&file).contains("golf"));

    // The other file is the copy's, and the order may change once more.
    let order =
        json!([{"updateDocumentTabProperties": {"tabProperties": {"tabId": tab, "index": 1}, "fields": "index"}}]);
    world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": order })).await;
    edit_in_place(&beside, "Echo", "Echo copied");
    let (done, answer) = world.cli(&["push", beside.to_str().unwrap()]);
    assert!(done, "{answer}");
    let both = tabs(&world, &id).await;
    let said = |title: &str| both.iter().find(|(other, _)| other == title).unwrap().1.clone();
    assert!(
        said("Copy").contains("Echo copied") && both.iter().filter(|(_, text)| text.contains("copied")).count() == 1
    );
    let (_, status) = world.cli(&["status"]);
    assert_eq!(status["accounts"][0]["waiting"], json!([]), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_tab_that_is_gone_goes_into_no_other() {
    let mut world = World::new("tabs-gone");
    world.start_daemon(&[]);
    let (id, file) = document(&world);
    let copy = "Alpha bravo charlie delta.\nEcho foxtrot golf hotel.";
    let tab = add_tab(&world, &id, "Copy", 1, copy).await;
    let beside = file.with_file_name(format!("{id}.{tab}.md"));
    until("the copy has a file", || std::future::ready(read(&beside).contains("golf"))).await;
    world.kill_daemon();
    edit_in_place(&file, "bravo", "bravo mine");
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let first = document["tabs"][0]["tabProperties"]["tabId"].clone();
    let requests = json!([{"deleteTab": {"tabId": first}}]);
    world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": requests })).await;
    world.start_daemon(&[]);
    until("it is told", || {
        std::future::ready(world.cli(&["status"]).1.to_string().contains("the document has no tab of this id"))
    })
    .await;
    assert_eq!(tabs(&world, &id).await.iter().map(|(_, text)| text.trim_end()).collect::<Vec<_>>(), [copy]);
    assert!(read(&file).contains("bravo mine"), "what was written stays");
    // Who names the file of a tab does not mean the whole document.
    let (done, answer) = world.cli(&["trash", beside.to_str().unwrap()]);
    assert!(!done && answer["suggestion"].as_str().unwrap().contains(&format!("trash {id}`")), "{answer}");
    // The document does not go while that stands there, nor is it forgotten without a word.
    let (done, answer) = world.cli(&["trash", &id]);
    assert!(!done && answer["message"].as_str().unwrap().contains("no tab"), "{answer}");
    let (done, answer) = world.cli(&["forget", &id]);
    assert!(done && answer["message"].as_str().unwrap().contains("its 2 files are in .retired"), "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("one of them holds edits"), "{answer}");
}

/// What the files say that were put away.
fn retired(main: &Path) -> String {
    let root = main.ancestors().nth(3).unwrap().join(".retired");
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries(&root).flat_map(|day| entries(&day).collect::<Vec<_>>()).map(|file| read(&file)).collect()
}

/// The id of a document's first tab.
async fn first_tab(world: &World, id: &str) -> String {
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    document["tabs"][0]["tabProperties"]["tabId"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_a_tab_that_is_gone_goes_unless_somebody_has_edited_it() {
    let mut world = World::new("tabs-away");
    world.start_daemon(&[]);
    let (id, main) = document(&world);
    let mut files = Vec::new();
    for (title, index) in [("Kept", 1), ("Edited", 2)] {
        let tab = add_tab(&world, &id, title, index, "Golf stays.\nHotel ends.").await;
        let file = main.with_file_name(format!("{id}.{tab}.md"));
        until("the tab has a file", || std::future::ready(read(&file).contains("Hotel"))).await;
        files.push((tab, file));
    }
    // Nothing is pushed of an edit while its account is paused.
    assert!(world.cli(&["pause"]).0);
    edit_in_place(&files[1].1, "Golf", "Golf mine");
    for (tab, _) in &files {
        let requests = json!([{"deleteTab": {"tabId": tab}}]);
        world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": requests })).await;
    }
    assert!(world.cli(&["resume"]).0);
    until("the unedited file is away", || std::future::ready(!files[0].1.exists())).await;
    assert!(retired(&main).contains("Hotel ends."), "it is kept where nothing is deleted");
    until("the edited one is told", || {
        std::future::ready(world.cli(&["status"]).1.to_string().contains("take what you need from it"))
    })
    .await;
    assert!(read(&files[1].1).contains("Golf mine"));
    // The head of the file that is left names no tab any more, as that of any document of one.
    until("the head is that of one tab", || std::future::ready(!read(&main).contains("tab:"))).await;
    let (_, log) = world.cli(&["log"]);
    let away = log["lines"].as_array().unwrap().iter().find(|line| line["what"] == "tab-gone").unwrap();
    assert_eq!(away["tab"], "Kept", "{log}");
    assert_eq!(away["path"], files[0].1.to_str().unwrap(), "{log}");
    // No file of a tab that is gone is brought back, and no other one is named for it.
    for (_, file) in &files {
        let (done, answer) = world.cli(&["restore", file.to_str().unwrap()]);
        assert!(!done && answer["message"].as_str().unwrap().contains("no tab"), "{answer}");
    }
    // Deleted, it is told of no more.
    std::fs::remove_file(&files[1].1).unwrap();
    until("nothing waits", || std::future::ready(world.cli(&["status"]).1["accounts"][0]["waiting"] == json!([])))
        .await;
    for (asked, said) in [("restore", "no tab"), ("push", "not the file"), ("diff", "not the file")] {
        let (done, answer) = world.cli(&[asked, files[1].1.to_str().unwrap()]);
        assert!(!done && answer["message"].as_str().unwrap().contains(said), "{asked}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_state_gives_no_file_to_another_tab() {
    let mut world = World::new("tabs-lost");
    world.start_daemon(&[]);
    let (id, file) = document(&world);
    let before = first_tab(&world, &id).await;
    world.kill_daemon();
    let tab = add_tab(&world, &id, "Before", 0, "Words that stand before all others.").await;
    let account = file.ancestors().nth(2).unwrap().file_name().unwrap();
    std::fs::remove_dir_all(world.home.join("state").join(account)).unwrap();
    world.start_daemon(&[]);
    let beside = file.with_file_name(format!("{id}.{tab}.md"));
    until("the other tab has a file", || std::future::ready(read(&beside).contains("before all others"))).await;
    assert!(read(&file).contains("Echo foxtrot"), "{}", read(&file));
    // What is saved is an edit of the tab that the file was always of; the first save after a loss waits for its person.
    edit_in_place(&file, "bravo", "bravo mine");
    let (done, answer) = world.cli(&["push", "--accept", file.to_str().unwrap()]);
    assert!(done, "{answer}");
    let said = tabs(&world, &id).await;
    assert_eq!(said[0].1.trim_end(), "Words that stand before all others.");
    assert!(said[1].1.contains("bravo mine"), "{said:?}");
    assert_ne!(first_tab(&world, &id).await, before);
    let conflict = file.with_file_name(format!("{id}.conflict.md"));
    assert!(!conflict.exists(), "{}", read(&conflict));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_lost_state_the_file_of_a_tab_that_is_gone_takes_no_other_tabs_place() {
    let mut world = World::new("tabs-lost-gone");
    world.start_daemon(&[]);
    let (id, file) = document(&world);
    // As an editor has it that was open before there was another tab: the head names none.
    let alone = read(&file);
    let gone = first_tab(&world, &id).await;
    let tab = add_tab(&world, &id, "Second", 1, "Golf stays.\nHotel ends.").await;
    let beside = file.with_file_name(format!("{id}.{tab}.md"));
    until("the other tab has a file", || std::future::ready(read(&beside).contains("Hotel ends"))).await;
    world.kill_daemon();
    std::fs::write(&file, alone.replace("bravo", "bravo mine")).unwrap();
    let requests = json!([{"deleteTab": {"tabId": gone}}]);
    world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": requests })).await;
    let account = file.ancestors().nth(2).unwrap().file_name().unwrap();
    std::fs::remove_dir_all(world.home.join("state").join(account)).unwrap();
    world.start_daemon(&[]);
    until("the file is told to stand alone", || {
        std::future::ready(world.cli(&["status"]).1.to_string().contains("the document has no tab of this id"))
    })
    .await;
    edit_in_place(&beside, "Golf", "Golf mine");
    let (done, answer) = world.cli(&["push", "--accept", beside.to_str().unwrap()]);
    assert!(done, "{answer}");
    assert_eq!(tabs(&world, &id).await, [("Second".to_owned(), "Golf mine stays.\nHotel ends.\n".to_owned())]);
    assert!(read(&file).contains("bravo mine"));
}
