//! Pictures of a document: each stands beside the file of its text, and a new one goes up with an edit.
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
use std::time::Duration;

use serde_json::{Value, json};
use support::world::{World, until};

const DOT: &[u8] = include_bytes!("../fixtures/images/dot.png");
const GIF: &[u8] = include_bytes!("../fixtures/images/dot.gif");
const ID: &str = "1imagesAbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

/// Writes bytes as a `data:` URI.
fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut padded = [0; 4];
        padded[1..=group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes(padded);
        for digit in 0..4 {
            let letter = LETTERS[(value >> (18 - 6 * digit) & 63) as usize] as char;
            text.push(if digit as usize <= group.len() { letter } else { '=' });
        }
    }
    format!("data:{media_type};base64,{text}")
}

fn object(id: &str, uri: &str) -> Value {
    json!({"objectId": id, "inlineObjectProperties": {"embeddedObject": {"title": format!("Title of {id}"),
        "imageProperties": {"contentUri": uri, "sourceUri": format!("https://example.com/{id}"), "cropProperties": {}},
        "size": {"height": {"magnitude": 2, "unit": "PT"}, "width": {"magnitude": 4, "unit": "PT"}}}}})
}

/// A document with these pictures, each in a paragraph of its own between `Above.` and `Below.`.
fn document(images: &[(&str, String)]) -> Value {
    let mut content = vec![json!({"endIndex": 1, "sectionBreak": {"sectionStyle": {}}})];
    let mut at = 1;
    let mut add = |elements: Vec<Value>| {
        let start = at;
        let mut placed = Vec::new();
        for mut element in elements {
            element["startIndex"] = at.into();
            at += element["textRun"]["content"].as_str().map_or(1, |text| text.encode_utf16().count() as u64);
            element["endIndex"] = at.into();
            placed.push(element);
        }
        content.push(json!({"startIndex": start, "endIndex": at, "paragraph": {"elements": placed,
            "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}));
    };
    let run = |text: &str| json!({"textRun": {"content": text, "textStyle": {}}});
    add(vec![run("Above.\n")]);
    for (id, _) in images {
        add(vec![json!({"inlineObjectElement": {"inlineObjectId": id, "textStyle": {}}}), run("\n")]);
    }
    add(vec![run("Below.\n")]);
    let objects: serde_json::Map<String, Value> =
        images.iter().map(|(id, uri)| ((*id).to_owned(), object(id, uri))).collect();
    json!({"documentId": ID, "title": "Pictures", "tabs": [{"tabProperties": {"tabId": "t.0", "title": "Tab 1", "index": 0},
        "documentTab": {"body": {"content": content}, "documentStyle": {}, "inlineObjects": objects}}]})
}

async fn import(world: &World, document: &Value) -> String {
    let imported = world.post("/admin/documents", document).await;
    imported["documentId"].as_str().unwrap_or_else(|| panic!("{imported}")).to_owned()
}

/// How often the bytes of a picture were asked for.
async fn downloads(world: &World) -> usize {
    let log = world.get("/admin/requests").await;
    log.as_array().unwrap().iter().filter(|entry| entry["path"].as_str().unwrap().starts_with("/docsz/")).count()
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Every file below the folder of what was put away.
fn retired(world: &World) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&world.home.join("workspace/.retired"), &mut found);
    found.sort();
    found
}

#[tokio::test]
async fn pictures_stand_beside_their_text() {
    let mut world = World::new("images-down");
    world.start_daemon(&[]);
    let images = [
        ("kix.png1", data_uri("image/png", DOT)),
        ("kix.gif2", data_uri("image/gif", GIF)),
        ("kix.text", data_uri("image/png", b"this is no picture")),
        ("kix.gone", "http://127.0.0.1:1/nobody".to_owned()),
        ("../evil", data_uri("image/png", DOT)),
    ];
    let id = import(&world, &document(&images)).await;
    let (done, answer) = world.cli(&["fetch", &id]);
    assert!(done, "{answer}");
    let file = PathBuf::from(answer["parts"][0]["path"].as_str().or(answer["path"].as_str()).unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("{^= kix.png1 image \"Title of kix.png1\"}"), "{text}");
    let folder = file.with_file_name(&id);
    assert_eq!(names(&folder), ["kix.gif2.gif", "kix.png1.png"]);
    assert_eq!(std::fs::read(folder.join("kix.png1.png")).unwrap(), DOT);
    assert_eq!(std::fs::read(folder.join("kix.gif2.gif")).unwrap(), GIF);
    // Each failure is told, and the answer says where the others stand.
    let told = answer.to_string();
    for wanted in
        ["kix.text could not be downloaded", "kix.gone could not", "evil could not", "kix.png1.png", "kix.gif2.gif"]
    {
        assert!(told.contains(wanted), "{wanted}: {answer:#}");
    }
    assert!(!folder.parent().unwrap().join("evil.png").exists());

    // Read again, and edited by others: nothing that stands is asked for again, though every address is another.
    let before = downloads(&world).await;
    world.collaborate(&id, "Above.", "Over.").await;
    until("the edit is in the file", || async { std::fs::read_to_string(&file).unwrap().contains("Over.") }).await;
    // Two are tried again: they never stood.
    until("what failed is tried again", || async { downloads(&world).await == before + 2 }).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(downloads(&world).await, before + 2);

    // One that is missing comes back; one that somebody drew in stays as it is.
    std::fs::remove_file(folder.join("kix.gif2.gif")).unwrap();
    std::fs::write(folder.join("kix.png1.png"), b"drawn").unwrap();
    world.collaborate(&id, "Over.", "Above.").await;
    until("the missing one is back", || async { folder.join("kix.gif2.gif").exists() }).await;
    assert_eq!(std::fs::read(folder.join("kix.png1.png")).unwrap(), b"drawn");

    // One that is taken out of the document is put away, never deleted.
    let body = json!({"requests": [{"deleteContentRange": {"range": {"startIndex": 8, "endIndex": 9}}}]});
    world.post(&format!("/admin/documents/{id}:edit"), &body).await;
    until("the picture is put away", || async { !folder.join("kix.png1.png").exists() }).await;
    let away = retired(&world);
    assert_eq!(away.len(), 1, "{away:?}");
    assert!(away[0].ends_with(format!("{id}/kix.png1.png")), "{away:?}");
    assert_eq!(std::fs::read(&away[0]).unwrap(), b"drawn");

    let (done, answer) = world.cli(&["forget", &id]);
    assert!(done, "{answer}");
    until("the folder is put away", || async { !folder.exists() }).await;
    assert_eq!(retired(&world).len(), 3, "{:?}", retired(&world));
}

#[tokio::test]
async fn the_text_does_not_wait_for_pictures() {
    let mut world = World::new("images-slow");
    world.start_daemon(&[]);
    let id = import(&world, &document(&[("kix.slow", data_uri("image/png", DOT))])).await;
    let slow = json!({"match": {"path": "/docsz/"}, "times": 1, "fault": "slow", "delay_ms": 9000});
    world.post("/admin/faults", &slow).await;
    let drive = world.home.join("workspace");
    let start = std::time::Instant::now();
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| world.cli(&["fetch", &id]));
        let file = loop {
            let found = std::fs::read_dir(&drive)
                .unwrap()
                .map(|entry| entry.unwrap().path().join("drive").join(format!("{id}.md")));
            if let Some(file) = found.into_iter().find(|file| file.exists()) {
                break file;
            }
            assert!(start.elapsed() < Duration::from_secs(8), "the text waits for the picture");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(!file.with_file_name(&id).join("kix.slow.png").exists());
        asked.join().unwrap()
    });
    assert!(start.elapsed() < Duration::from_secs(8), "the answer waits for the picture");
    assert!(asked.1.to_string().contains("still being downloaded"), "{}", asked.1);
    until("the picture is there", || async { world.cli(&["fetch", &id]).1.to_string().contains("kix.slow.png") }).await;
}
