//! The boxes of checklists through the whole product: ticked in the document, shown in the file, never ticked from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::world::{TOKEN, World, edit_in_place, until};
use serde_json::{Value, json};

/// A document with a list of boxes between two paragraphs, of which `bread` is ticked.
async fn world(name: &str) -> (World, String) {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    let id = document(&world).await;
    tick(&world, &id, "bread", true).await;
    (world, id)
}

async fn document(world: &World) -> String {
    let created = world.post("/v1/documents", &json!({"title": "Shopping"})).await;
    let id = created["documentId"].as_str().unwrap().to_owned();
    let body = json!({"requests": [
        {"insertText": {"location": {"index": 1}, "text": "Things to buy:\nmilk\nbread\n\trye\nmilk\nThat is all.\n"}},
        {"createParagraphBullets": {"range": {"startIndex": 16, "endIndex": 36}, "bulletPreset": "BULLET_CHECKBOX"}}]});
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &body).await;
    id
}

async fn tick(world: &World, id: &str, text: &str, checked: bool) {
    world.post(&format!("/admin/documents/{id}:tick"), &json!({"text": text, "checked": checked})).await;
}

/// The Markdown export, with its status.
async fn export(world: &World, id: &str, kind: &str) -> (u16, String, String) {
    let request = reqwest::Client::new().get(format!("{}/drive/v3/files/{id}/export{kind}", world.base));
    let answer = request.bearer_auth(TOKEN).send().await.unwrap();
    let media = answer.headers()["content-type"].to_str().unwrap().to_owned();
    (answer.status().as_u16(), media, answer.text().await.unwrap())
}

/// How often the document was exported so far.
async fn exports(world: &World, id: &str) -> usize {
    let log = world.get("/admin/requests").await;
    let path = format!("/files/{id}/export?mimeType=text%2Fmarkdown");
    log.as_array().unwrap().iter().filter(|entry| entry["path"].as_str().unwrap().ends_with(&path)).count()
}

/// The items that a file shows.
fn boxes(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter(|line| line.trim_start().starts_with("- [")).map(str::to_owned).collect()
}

async fn until_boxes(file: &Path, expected: &[&str]) {
    until(&format!("{expected:?} in the file"), || async { boxes(file) == expected }).await;
}

/// Pushes a file; returns line and code of what was refused.
fn push(world: &World, file: &Path) -> Vec<(u64, String)> {
    let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
    assert_eq!(answer["waits"], !done, "{answer}");
    let refused = answer["refused"].as_array().unwrap().iter();
    refused.map(|notice| (notice["line"].as_u64().unwrap(), notice["code"].as_str().unwrap().to_owned())).collect()
}

/// The line of the file that says this, from 1.
fn line(file: &Path, wanted: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap();
    text.lines().position(|line| line == wanted).unwrap() as u64 + 1
}

fn notices(answer: &Value) -> String {
    answer["notices"].to_string()
}

#[tokio::test]
async fn ticks_of_the_document_are_in_the_file() {
    let (mut world, id) = world("checklists").await;
    let file = world.file(&id);
    assert_eq!(boxes(&file), ["- [ ] milk", "- [x] bread", "  - [ ] rye", "- [ ] milk"]);
    assert_eq!(exports(&world, &id).await, 1);
    let (_, answer) = world.cli(&["fetch", &id]);
    assert!(!notices(&answer).contains("CHECKLIST"), "{answer}");

    // A tick is a change of the document, so the feed tells it.
    tick(&world, &id, "rye", true).await;
    tick(&world, &id, "bread", false).await;
    until_boxes(&file, &["- [ ] milk", "- [ ] bread", "  - [x] rye", "- [ ] milk"]).await;
    world.post(&format!("/admin/documents/{id}:tick"), &json!({"index": 3})).await;
    until_boxes(&file, &["- [ ] milk", "- [ ] bread", "  - [x] rye", "- [x] milk"]).await;

    // Saved again as it is, nothing is sent.
    let (text, pushes) = (fs::read(&file).unwrap(), world.pushes().await.len());
    fs::write(&file, &text).unwrap();
    assert_eq!(push(&world, &file), []);

    // Words of a ticked item are edited, and the tick stays, here and there.
    edit_in_place(&file, "rye", "wheat");
    assert_eq!(push(&world, &file), []);
    until("the words are there", || async { world.text(&id).await.contains("wheat") }).await;
    world.collaborate(&id, "Things", "All things").await;
    until("the other edit is here", || async { fs::read_to_string(&file).unwrap().contains("All things") }).await;
    assert_eq!(boxes(&file), ["- [ ] milk", "- [ ] bread", "  - [x] wheat", "- [x] milk"]);
    assert_eq!(world.pushes().await.len(), pushes + 1);

    // The embedded Google keeps the ticks over a restart.
    world.restart_emulator();
    let (_, _, text) = export(&world, &id, "?mimeType=text/markdown").await;
    assert!(text.contains("- [ ] bread\n  - [x] wheat\n- [x] milk\n\nThat is all.\n"), "{text}");
    assert!(world.cli(&["fetch", &id, "--refresh"]).0);
    assert_eq!(boxes(&file), ["- [ ] milk", "- [ ] bread", "  - [x] wheat", "- [x] milk"]);
}

#[tokio::test]
async fn a_tick_in_the_file_is_refused_with_its_line() {
    let (world, id) = world("checklists-local").await;
    let file = world.file(&id);
    let text = fs::read_to_string(&file).unwrap();
    let edited = text.replace("[ ] rye", "[x] rye").replace("[x] bread", "[ ] bread").replace("That is", "This is");
    fs::write(&file, edited.replace("- [ ] milk\n\nThis", "- [ ] milk\n- [x] eggs\n\nThis")).unwrap();
    let mut refused = push(&world, &file);
    refused.sort();
    let lines = ["- [ ] bread", "  - [x] rye", "- [x] eggs"].map(|item| (line(&file, item), "TICK".to_owned()));
    assert_eq!(refused, lines);
    let pushed = world.text(&id).await;
    assert!(pushed.contains("This is all.") && pushed.contains("milk\neggs\n"), "{pushed}");
    // What was not pushed stays in the file, and is told as long as it differs.
    assert_eq!(boxes(&file), ["- [ ] milk", "- [ ] bread", "  - [x] rye", "- [ ] milk", "- [x] eggs"]);
    let (_, status) = world.cli(&["status"]);
    assert!(status.to_string().contains("the API cannot tick"), "{status}");
    let (_, _, markdown) = export(&world, &id, "?mimeType=text/markdown").await;
    assert!(markdown.contains("- [ ] milk\n- [x] bread\n  - [ ] rye\n- [ ] milk\n- [ ] eggs\n"), "{markdown}");
    // Ticked there too, both sides agree.
    for (item, checked) in [("rye", true), ("bread", false), ("eggs", true)] {
        tick(&world, &id, item, checked).await;
    }
    until("nothing is refused", || async { !world.cli(&["status"]).1.to_string().contains("the API cannot tick") })
        .await;
    assert_eq!(boxes(&file), ["- [ ] milk", "- [ ] bread", "  - [x] rye", "- [ ] milk", "- [x] eggs"]);
}

#[tokio::test]
async fn a_failed_export_changes_nothing_in_the_file() {
    let (world, id) = world("checklists-failing").await;
    let file = world.file(&id);
    let fault = json!({"fault": "500", "match": {"path": "/export"}, "times": 1_000_000});
    world.post("/admin/faults", &fault).await;
    world.collaborate(&id, "bread", "white bread").await;
    until_boxes(&file, &["- [ ] milk", "- [x] white bread", "  - [ ] rye", "- [ ] milk"]).await;
    let (_, answer) = world.cli(&["fetch", &id]);
    assert!(notices(&answer).contains("as they were last known"), "{answer}");
    // Both sides go on meanwhile.
    edit_in_place(&file, "That is all", "No more");
    assert_eq!(push(&world, &file), []);
    edit_in_place(&file, "white bread", "dark bread");
    assert_eq!(push(&world, &file), []);
    assert_eq!(boxes(&file), ["- [ ] milk", "- [x] dark bread", "  - [ ] rye", "- [ ] milk"]);
    assert!(world.text(&id).await.contains("dark bread\nrye"));
    tick(&world, &id, "rye", true).await;
    // One that was never read has no last known ticks.
    let fresh = document(&world).await;
    tick(&world, &fresh, "bread", true).await;
    let other = world.file(&fresh);
    assert_eq!(boxes(&other), ["- [ ] milk", "- [ ] bread", "  - [ ] rye", "- [ ] milk"]);
    let cleared = reqwest::Client::new().delete(format!("{}/admin/faults", world.base)).bearer_auth(TOKEN);
    assert!(cleared.send().await.unwrap().status().is_success());
    assert!(world.cli(&["fetch", &id, "--refresh"]).0 && world.cli(&["fetch", &fresh, "--refresh"]).0);
    assert_eq!(boxes(&file), ["- [ ] milk", "- [x] dark bread", "  - [x] rye", "- [ ] milk"]);
    assert_eq!(boxes(&other), ["- [ ] milk", "- [x] bread", "  - [ ] rye", "- [ ] milk"]);
}

#[tokio::test]
async fn a_document_without_boxes_is_not_exported() {
    let mut world = World::new("checklists-none");
    world.start_daemon(&[]);
    let created = world.post("/v1/documents", &json!({"title": "Plain"})).await;
    let id = created["documentId"].as_str().unwrap().to_owned();
    let bullets = json!({"createParagraphBullets": {"range": {"startIndex": 1, "endIndex": 4},
        "bulletPreset": "BULLET_DISC_CIRCLE_SQUARE"}});
    let body = json!({"requests": [{"insertText": {"location": {"index": 1}, "text": "one\ntwo\n"}}, bullets]});
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &body).await;
    let file: PathBuf = world.file(&id);
    assert!(fs::read_to_string(&file).unwrap().contains("- one\n"));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(exports(&world, &id).await, 0);
}

#[tokio::test]
async fn the_export_answers_as_google_does() {
    let (world, id) = world("checklists-export").await;
    let (status, media, text) = export(&world, &id, "?mimeType=text/markdown").await;
    let expected = "Things to buy:\n\n- [ ] milk\n- [x] bread\n  - [ ] rye\n- [ ] milk\n\nThat is all.\n";
    assert_eq!((status, media.as_str(), text.as_str()), (200, "text/markdown", expected));
    let upload = reqwest::Client::new().post(format!("{}/upload/drive/v3/files?uploadType=media", world.base));
    let upload = upload.bearer_auth(TOKEN).header("content-type", "image/png").body("x").send().await.unwrap();
    let blob: Value = serde_json::from_str(&upload.text().await.unwrap()).unwrap();
    let blob = blob["id"].as_str().unwrap();
    for (id, kind, status, reason, message) in [
        (id.as_str(), "", 400, "required", "Required parameter: mimeType"),
        ("none", "", 400, "required", "Required parameter: mimeType"),
        ("none", "?mimeType=text/markdown", 404, "notFound", "File not found: none."),
        (&id, "?mimeType=text/csv", 400, "badRequest", "The requested conversion is not supported."),
        (&id, "?mimeType=", 400, "badRequest", "The requested conversion is not supported."),
        (blob, "?mimeType=text/markdown", 403, "fileNotExportable", "Export only supports Docs Editors files."),
    ] {
        let (is, _, body) = export(&world, id, kind).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        let error = &body["error"]["errors"][0];
        assert_eq!((is, &error["reason"], &error["message"]), (status, &json!(reason), &json!(message)), "{kind}");
    }
    let (status, _, _) = export(&world, &id, "?mimeType=application/pdf").await;
    assert_eq!(status, 501);

    // A click on the page ticks too, but not on what stands there no more.
    let page = format!("{}/document/d/{id}", world.base);
    let click = |start: u32, old: &str| {
        let body = json!({"tab": "t.0", "start": start, "old": old, "checked": true}).to_string();
        let request = reqwest::Client::new().post(format!("{page}/tick")).header("content-type", "application/json");
        request.header("origin", &world.base).body(body).send()
    };
    let answer = click(16, "milk").await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(
        answer
            .text()
            .await
            .unwrap()
            .contains("data-checked=\\\"true\\\" contenteditable=\\\"plaintext-only\\\" spellcheck=\\\"false\\\">milk")
    );
    assert_eq!(click(16, "cream").await.unwrap().status(), 409);
    assert_eq!(click(1, "Things to buy:").await.unwrap().status(), 409);
    let (_, _, text) = export(&world, &id, "?mimeType=text/markdown").await;
    assert!(text.contains("- [x] milk\n- [x] bread\n"), "{text}");
    for body in [json!({}), json!({"text": "no such item"}), json!({"text": "milk", "index": 1}), json!({"box": 1})] {
        let request = reqwest::Client::new().post(format!("{}/admin/documents/{id}:tick", world.base));
        let request = request.bearer_auth(TOKEN).header("content-type", "application/json").body(body.to_string());
        assert_eq!(request.send().await.unwrap().status(), 400, "{body}");
    }
}
