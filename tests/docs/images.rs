//! Pictures of a document: each stands beside the file of its text, and a new one goes up with an edit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::support::world::{World, until};
use serde_json::{Value, json};

const DOT: &[u8] = include_bytes!("../../fixtures/images/dot.png");
const GIF: &[u8] = include_bytes!("../../fixtures/images/dot.gif");
const ID: &str = "1imagesAbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

/// Writes bytes as a `data:` URI.
pub(super) fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", BASE64.encode(bytes))
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

mod new {
    use mcp_workspace::gdocs;
    use mcp_workspace::kinds::docs::{self, Access};
    use mcp_workspace::kinds::{PushPlan, upload_address};

    use super::*;

    fn plan(raw: &Value, old: &str, new: &str) -> PushPlan {
        let url = "https://docs.google.com/document/d/x/edit";
        let remote = docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, url).unwrap();
        let text = &remote.parts[0].text;
        assert!(text.contains(old), "{old:?} is not in {text}");
        docs::plan(&remote, &remote.parts[0].id, &text.replacen(old, new, 1), false).unwrap()
    }

    /// What the body says after the plan, objects as `#`.
    fn after(raw: &Value, plan: &PushPlan) -> String {
        fn gather(value: &Value, text: &mut String) {
            match value {
                Value::Object(map) if map.contains_key("inlineObjectElement") => text.push('#'),
                Value::Object(map) => {
                    if let Some(content) = map.get("textRun").and_then(|run| run["content"].as_str()) {
                        text.push_str(content);
                    }
                    map.values().for_each(|value| gather(value, text));
                }
                Value::Array(list) => list.iter().for_each(|value| gather(value, text)),
                _ => {}
            }
        }
        let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        let after = serde_json::to_value(&gdocs::apply(&document, &requests, 5).unwrap().document).unwrap();
        let mut text = String::new();
        gather(&after["tabs"][0]["documentTab"]["body"], &mut text);
        text
    }

    fn demo(name: &str) -> Value {
        let path = format!("{}/fixtures/demo/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn pictures_go_where_the_file_has_them() {
        let mut raw = document(&[("kix.old", data_uri("image/png", DOT))]);
        raw["revisionId"] = "r1".into();
        for (old, new, holds, uploads) in [
            ("Above.", "Above {^= new image \"a.png\"} it.", "Above # it.\n#\nBelow.\n", vec!["a.png"]),
            ("Above.", "{^= new image \"a.png\"}Above.", "#Above.\n#\nBelow.\n", vec!["a.png"]),
            ("Above.", "Above.\n\n{^= new image \"a.png\"}", "Above.\n#\n#\nBelow.\n", vec!["a.png"]),
            ("Above.", "Above.\n\n## {^= new image \"a.png\"} heads", "Above.\n# heads\n#\nBelow.\n", vec!["a.png"]),
            (
                "Above.",
                "Above.\n\n- one {^= new image \"a.png\"}\n  - two {^= new image \"b.gif\"} ends",
                "Above.\none #\ntwo # ends\n#\nBelow.\n",
                vec!["a.png", "b.gif"],
            ),
            // One file stands in two places and is uploaded once.
            (
                "Above.",
                "A{^= new image \"a.png\"}{^= new image \"a.png\"}\u{fffc}B",
                "A##\u{fffc}B\n#\nBelow.\n",
                vec!["a.png"],
            ),
            ("Below.", "Below {^= new image \"https://example.com/x.png?a=b\"}", "Above.\n#\nBelow #\n", vec![]),
        ] {
            let plan = plan(&raw, old, new);
            assert_eq!(plan.refused, [], "{new}");
            assert_eq!(after(&raw, &plan), holds, "{new}: {:#?}", plan.requests);
            // `b.gif` stands behind `a.png`, so it goes in first.
            let mut named = plan.uploads.clone();
            named.sort();
            assert_eq!(named, uploads, "{new}");
            // The file is as it will be, until Google tells the ids.
            assert!(plan.expected.contains("{^= new image "), "{}", plan.expected);
            assert!(plan.expected.contains("{^= kix.old image "), "{}", plan.expected);
            let hosted =
                plan.hosted(&plan.uploads.iter().map(|name| format!("https://x.y/{name}")).collect::<Vec<_>>());
            let sent = serde_json::to_string(&hosted.requests).unwrap();
            assert!(!sent.contains(&upload_address(0)) && hosted.uploads.is_empty(), "{sent}");
            assert!(uploads.iter().all(|name| sent.contains(&format!("https://x.y/{name}"))), "{sent}");
        }
        // In the cells of a table, too.
        let plan = plan(&demo("meeting-notes"), "| Ana |", "| Ana {^= new image \"a.png\"} |");
        assert_eq!(plan.refused, []);
        assert!(after(&demo("meeting-notes"), &plan).contains("Ana #\n"));
    }

    #[test]
    fn what_cannot_be_inserted_is_told() {
        let mut raw = document(&[("kix.old", data_uri("image/png", DOT))]);
        raw["revisionId"] = "r1".into();
        for (new, code) in [
            ("Above {^= new image} it.", "IMAGE"),
            ("Above {^= new image \" \"} it.", "IMAGE"),
            ("Above {^= new image \"http://example.com/x.png\"} it.", "IMAGE"),
            ("Above {^= new image \"ftp://example.com/x.png\"} it.", "IMAGE"),
            ("Above {^= new image \"data:image/png;base64,AAAA\"} it.", "IMAGE"),
            ("Above {^= new image \"file:///etc/x.png\"} it.", "IMAGE"),
            ("Above {^= new image \"https://example.com/a b.png\"} it.", "IMAGE"),
            ("Above.\n\n{^= new image \"ftp://example.com/x.png\"}", "LOCKED"),
            ("Above {^= new drawing \"x.png\"} it.", "LOCKED"),
        ] {
            let plan = plan(&raw, "Above.", new);
            let told: Vec<(&str, bool)> =
                plan.refused.iter().map(|notice| (notice.code.as_str(), notice.line > 5)).collect();
            assert_eq!(told, [(code, true)], "{new}: {:#?}", plan.refused);
            assert!(plan.uploads.is_empty() && plan.requests.is_empty(), "{new}: {:#?}", plan.requests);
        }
    }

    async fn count(world: &World, method: &str, path: &str) -> usize {
        let log = world.get("/admin/requests").await;
        let is = |entry: &&Value| entry["method"] == method && entry["path"].as_str().unwrap().starts_with(path);
        log.as_array().unwrap().iter().filter(is).count()
    }

    /// The files in Drive that are no Docs.
    async fn left(world: &World) -> Vec<Value> {
        let answer = world
            .get("/drive/v3/files?q=mimeType+!%3D+'application/vnd.google-apps.document'&fields=files(id,name)")
            .await;
        answer["files"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// A world with a document and a picture beside its file.
    async fn world(name: &str) -> (World, String, PathBuf) {
        let mut world = World::new(name);
        world.start_daemon(&[]);
        let id = import(&world, &document(&[])).await;
        let file = world.file(&id);
        std::fs::write(file.with_file_name("dot.png"), DOT).unwrap();
        (world, id, file)
    }

    fn add(file: &Path, paragraph: &str) {
        let text = std::fs::read_to_string(file).unwrap();
        std::fs::write(file, text.replace("Above.", &format!("Above.\n\n{paragraph}"))).unwrap();
    }

    async fn objects(world: &World, id: &str) -> Vec<(String, Value)> {
        let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
        let objects = document["tabs"][0]["documentTab"]["inlineObjects"].as_object().cloned().unwrap_or_default();
        objects.into_iter().collect()
    }

    /// Checks that the picture stands once in the document, and in the file under its real id, and that nothing is left.
    async fn arrived(world: &World, id: &str, file: &Path) {
        until("the picture is there", || async { objects(world, id).await.len() == 1 }).await;
        let (object, value) = objects(world, id).await.remove(0);
        let size = &value["inlineObjectProperties"]["embeddedObject"]["size"];
        assert_eq!((&size["width"]["magnitude"], &size["height"]["magnitude"]), (&json!(3.0), &json!(1.5)), "{value}");
        let written = format!("{{^= {object} image}}");
        until("the file has the id", || async { std::fs::read_to_string(file).unwrap().contains(&written) }).await;
        let copy = file.with_file_name(id).join(format!("{object}.png"));
        until("the picture stands beside the file", || async { copy.exists() }).await;
        assert_eq!(std::fs::read(copy).unwrap(), DOT);
        until("nothing is left in Drive", || async { left(world).await.is_empty() }).await;
        tokio::time::sleep(Duration::from_millis(1200)).await;
        assert_eq!(objects(world, id).await.len(), 1, "it went in once");
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(text.matches("{^=").count(), 1, "{text}");
    }

    #[tokio::test]
    async fn a_file_goes_up_and_leaves_nothing_behind() {
        let (world, id, file) = world("images-up").await;
        add(&file, "{^= new image \"dot.png\"}");
        arrived(&world, &id, &file).await;
        assert_eq!(count(&world, "POST", "/upload/drive/v3/files").await, 1);
        assert_eq!(world.text(&id).await, "Above.\n\nBelow.\n");
        let (_, answer) = world.cli(&["fetch", &id]);
        assert!(answer.to_string().contains(&format!("{id}/kix.")), "{answer}");
    }

    #[tokio::test]
    async fn an_address_that_google_cannot_fetch_holds_nothing_up() {
        let (world, id, file) = world("images-unfetched").await;
        add(&file, "{^= new image \"https://bad.invalid/x.png\"}");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("Below.", "Below it.")).unwrap();
        until("the words are there", || async { world.text(&id).await.contains("Below it.") }).await;
        let line = text.lines().position(|line| line.contains("bad.invalid")).unwrap() + 1;
        until("the picture is told", || async {
            let (_, answer) = world.cli(&["push", file.to_str().unwrap()]);
            answer["refused"].to_string().contains("bad.invalid") && answer["refused"][0]["line"] == line
        })
        .await;
        assert_eq!(objects(&world, &id).await, []);
    }

    #[tokio::test]
    async fn a_file_that_cannot_go_up_is_told_with_its_line() {
        let (world, id, file) = world("images-refused").await;
        let outside = world.home.join("outside.png");
        std::fs::write(&outside, DOT).unwrap();
        std::os::unix::fs::symlink(&outside, file.with_file_name("link.png")).unwrap();
        std::fs::write(file.with_file_name("text.png"), "this is no picture").unwrap();
        std::fs::create_dir(file.with_file_name("folder.png")).unwrap();
        let wrong = ["missing.png", "link.png", "text.png", "folder.png", "../../../outside.png", "/etc/hostname"];
        let lines: Vec<String> = wrong.iter().map(|name| format!("{{^= new image \"{name}\"}}")).collect();
        add(&file, &lines.join("\n\n"));
        let text = std::fs::read_to_string(&file).unwrap();
        let (_, answer) = world.cli(&["push", file.to_str().unwrap(), "--dry-run"]);
        for name in wrong {
            assert!(answer.to_string().contains(name), "{name}: {answer:#}");
        }
        // The other words of the file go their way.
        std::fs::write(&file, text.replace("Below.", "Below it.")).unwrap();
        until("the words are there", || async { world.text(&id).await.contains("Below it.") }).await;
        assert_eq!(objects(&world, &id).await, []);
        assert_eq!(count(&world, "POST", "/upload/").await, 0);
        assert!(wrong.iter().all(|name| std::fs::read_to_string(&file).unwrap().contains(name)));
    }

    #[tokio::test]
    async fn a_push_that_fails_leaves_nothing_behind() {
        let (world, id, file) = world("images-fail").await;
        // The upload stands, and the batch does not get through.
        let fault = json!({"match": {"method": "POST", "path": ":batchUpdate"}, "times": 1, "fault": "503"});
        world.post("/admin/faults", &fault).await;
        add(&file, "{^= new image \"dot.png\"}");
        arrived(&world, &id, &file).await;
        assert_eq!(count(&world, "POST", "/upload/drive/v3/files").await, 2);
        // A picture that Google cannot fetch is refused in its words, and stays in the file.
        add(&file, "{^= new image \"https://127.0.0.1:1/nobody.png\"}");
        until("Google's words are told", || async {
            world.cli(&["status"]).1.to_string().contains("There was a problem retrieving the image")
        })
        .await;
        assert!(std::fs::read_to_string(&file).unwrap().contains("nobody.png"));
        assert_eq!(objects(&world, &id).await.len(), 1);
    }

    #[tokio::test]
    async fn a_process_that_dies_leaves_nothing_behind() {
        for point in ["after_upload", "after_post"] {
            let (mut world, id, file) = world(&format!("images-{point}")).await;
            world.kill_daemon();
            world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
            add(&file, "{^= new image \"dot.png\"}");
            until("the daemon dies", || {
                let died = world.daemon_died();
                async move { died }
            })
            .await;
            assert_eq!(left(&world).await.len(), 1, "{point}");
            world.start_daemon(&[]);
            arrived(&world, &id, &file).await;
        }
    }

    #[tokio::test]
    async fn new_documents_take_pictures() {
        let (world, _, file) = world("images-create").await;
        let source = world.home.join("source.md");
        std::fs::write(&source, "# With a picture\n\n{^= new image \"dot.png\"}\n\nThe end.\n").unwrap();
        let (done, answer) = world.cli(&["create", "--title", "New", source.to_str().unwrap()]);
        assert!(done, "{answer}");
        let path = PathBuf::from(answer["path"].as_str().unwrap());
        let id = path.file_stem().unwrap().to_string_lossy().into_owned();
        arrived(&world, &id, &path).await;
        // One that is not there is told; the words do without.
        std::fs::write(&source, "Words {^= new image \"nothing.png\"} stay.\n").unwrap();
        let (done, answer) = world.cli(&["create", "--title", "New", source.to_str().unwrap()]);
        assert!(done && answer.to_string().contains("nothing.png"), "{answer}");
        let text = std::fs::read_to_string(answer["path"].as_str().unwrap()).unwrap();
        assert!(text.contains("Words stay."), "{text}");
        drop(file);
    }
}
