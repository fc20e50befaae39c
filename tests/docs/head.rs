//! Edits of the head of a file: the title renames the document, header and footer are edited word by word.

use std::time::Duration;

use crate::support::world::{World, edit_in_place, until};
use mcp_workspace::gdocs;
use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::kinds::{PushPlan, Rename};
use serde_json::{Value, json};

/// A run of text.
fn run(text: &str) -> Value {
    json!({"textRun": {"content": text, "textStyle": {}}})
}

/// A page number.
fn page() -> Value {
    json!({"autoText": {"type": "PAGE_NUMBER", "textStyle": {}}})
}

/// A segment of paragraphs, each a row of elements; the last element of each ends with a newline. `null` is an empty
/// table of one cell.
fn segment(paragraphs: &[Value]) -> Value {
    let mut at = 0;
    let mut content = Vec::new();
    for paragraph in paragraphs {
        let start = at;
        let Some(elements) = paragraph.as_array() else {
            let cell = json!({"startIndex": at + 2, "endIndex": at + 4, "content": [{"startIndex": at + 3, "endIndex": at + 4,
                "paragraph": {"elements": [{"startIndex": at + 3, "endIndex": at + 4, "textRun": {"content": "\n", "textStyle": {}}}],
                "paragraphStyle": {"namedStyleType": "NORMAL_TEXT"}}}], "tableCellStyle": {}});
            content.push(json!({"startIndex": at, "endIndex": at + 5, "table": {"rows": 1, "columns": 1, "tableRows":
                [{"startIndex": at + 1, "endIndex": at + 4, "tableCells": [cell], "tableRowStyle": {}}], "tableStyle": {}}}));
            at += 5;
            continue;
        };
        let mut placed = Vec::new();
        for element in elements {
            let width = element["textRun"]["content"].as_str().map_or(1, |text| text.encode_utf16().count() as u64);
            let mut element = element.clone();
            element["startIndex"] = at.into();
            at += width;
            element["endIndex"] = at.into();
            placed.push(element);
        }
        content.push(json!({"startIndex": start, "endIndex": at,
            "paragraph": {"elements": placed, "paragraphStyle": {"namedStyleType": "NORMAL_TEXT"}}}));
    }
    json!(content)
}

/// A document with a header and a footer of these paragraphs, and another header that the head does not show.
fn document(header: &[Value], footer: &[Value]) -> Value {
    let body = json!([{"endIndex": 1, "sectionBreak": {"sectionStyle": {}}},
        {"startIndex": 1, "endIndex": 6, "paragraph": {"elements": [
            {"startIndex": 1, "endIndex": 6, "textRun": {"content": "Body\n", "textStyle": {}}}],
            "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]);
    json!({"documentId": "1head", "title": "Old title", "revisionId": "r1", "tabs": [{
        "tabProperties": {"tabId": "t.0", "title": "Tab 1", "index": 0},
        "documentTab": {"body": {"content": body},
            "documentStyle": {"defaultHeaderId": "kix.h", "firstPageHeaderId": "kix.a", "defaultFooterId": "kix.f"},
            "headers": {
                "kix.a": {"headerId": "kix.a", "content": segment(&[json!([run("First page\n")])])},
                "kix.h": {"headerId": "kix.h", "content": segment(header)}},
            "footers": {"kix.f": {"footerId": "kix.f", "content": segment(footer)}}}}]})
}

fn plan(raw: &Value, change: impl Fn(&str) -> String) -> (PushPlan, String) {
    let url = "https://docs.google.com/document/d/1head/edit";
    let remote = docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, url).unwrap();
    let text = &remote.parts[0].text;
    let changed = change(text);
    assert_ne!(*text, changed, "nothing was changed");
    (docs::plan(&remote, &remote.parts[0].id, &changed, false).unwrap(), text.clone())
}

/// Everything that a header or footer says after the plan, page numbers as `#`, a table as `[]`.
fn after(raw: &Value, plan: &PushPlan, kind: &str, id: &str) -> String {
    let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    let after = serde_json::to_value(&gdocs::apply(&document, &requests, 5).unwrap().document).unwrap();
    let mut text = String::new();
    for element in after["tabs"][0]["documentTab"][kind][id]["content"].as_array().unwrap() {
        let Some(elements) = element["paragraph"]["elements"].as_array() else {
            text.push_str("[]");
            continue;
        };
        for element in elements {
            text.push_str(element["textRun"]["content"].as_str().unwrap_or("#"));
        }
    }
    text
}

/// Puts `value` in the place of the header's; checks what the header then holds and which notices are told.
fn check(header: &[Value], old: &str, value: &str, holds: &str, codes: &[&str]) {
    let raw = document(header, &[json!([run("Foot\n")])]);
    let shown = |value: &str| serde_json::to_string(value).unwrap();
    let replace = |text: &str| {
        let start = text.find("header:").unwrap();
        let end = text.find("footer:").unwrap();
        format!("{}header: {}\n{}", &text[..start], shown(value), &text[end..])
    };
    let (plan, text) = plan(&raw, replace);
    let head = mcp_workspace::mebdf::head(&text).unwrap();
    let entry = head.entries.iter().find(|(name, _)| name == "header").unwrap();
    assert_eq!(entry.1, old, "{text}");
    let told: Vec<&str> = plan.refused.iter().map(|notice| notice.code.as_str()).collect();
    assert_eq!(told, codes, "{value:?}: {:#?}", plan.refused);
    assert!(plan.refused.iter().all(|notice| notice.line == 6 || notice.line == 5), "{:#?}", plan.refused);
    assert_eq!(after(&raw, &plan, "headers", "kix.h"), holds, "{value:?}: {:#?}", plan.requests);
    assert_eq!(after(&raw, &plan, "headers", "kix.a"), "First page\n");
    assert_eq!(after(&raw, &plan, "footers", "kix.f"), "Foot\n");
    assert_eq!(plan.rename, None);
}

#[test]
fn headers_are_edited_word_by_word() {
    let one = [json!([run("Acme — confidential\n")])];
    check(&one, "Acme — confidential", "Acme — public", "Acme — public\n", &[]);
    check(&one, "Acme — confidential", "", "\n", &[]);
    check(&one, "Acme — confidential", "Acme — confidential\nPage two", "Acme — confidential\nPage two\n", &[]);
    check(&one, "Acme — confidential", "Before\nAcme — confidential", "Before\nAcme — confidential\n", &[]);
    check(&one, "Acme — confidential", "Acme\n— confidential\n", "Acme\n— confidential\n", &[]);
    check(&one, "Acme — confidential", "Acme \u{7}👍🏽", "Acme 👍🏽\n", &["CHARACTER"]);
    let three = [json!([run("one\n")]), json!([run("two\n")]), json!([run("three\n")])];
    check(&three, "one\ntwo\nthree", "one\nthree", "one\nthree\n", &[]);
    check(&three, "one\ntwo\nthree", "two\nthree", "two\nthree\n", &[]);
    check(&three, "one\ntwo\nthree", "one\ntwo", "one\ntwo\n", &[]);
    check(&three, "one\ntwo\nthree", "one two three", "one two three\n", &[]);
    check(&three, "one\ntwo\nthree", "other", "other\n", &[]);
    let empty = [json!([run("\n")])];
    check(&empty, "", "new words", "new words\n", &[]);
    let spaced = [json!([run("a\n")]), json!([run("\n")]), json!([run("\n")])];
    check(&spaced, "a", "b", "b\n\n\n", &[]);
}

#[test]
fn what_the_head_does_not_show_stays() {
    let numbered = [json!([run("Page "), page(), run(" of "), page(), run(" ends\n")])];
    check(&numbered, "Page  of  ends", "Seite  von  ends", "Seite # von # ends\n", &[]);
    // The words go, the numbers stay.
    check(&numbered, "Page  of  ends", "", "##\n", &[]);
    check(&numbered, "Page  of  ends", "x", "x##\n", &[]);
    let tabled = [json!([run("above\n")]), Value::Null, json!([run("below\n")])];
    check(&tabled, "above\nbelow", "above\nunder", "above\n[]under\n", &[]);
    check(&tabled, "above\nbelow", "above below", "above\n[]below\n", &["LOCKED"]);
    check(&tabled, "above\nbelow", "above\nbelow\nend", "above\n[]below\nend\n", &[]);
    let private = [json!([run("chip \u{e907} here\n")])];
    check(&private, "chip  here", "no  where", "no \u{e907} where\n", &[]);
    let mut suggested = run("maybe\n");
    suggested["textRun"]["suggestedInsertionIds"] = json!(["suggest.1"]);
    check(&[json!([suggested])], "maybe", "surely", "maybe\n", &["LOCKED"]);
}

/// Replaces a line of the head; checks the rename, and the codes and lines of what is refused.
fn check_entry(old: &str, new: &str, rename: Option<&str>, told: &[(&str, u32)]) {
    let raw = document(&[json!([run("Head\n")])], &[json!([run("Foot\n")])]);
    let (plan, _) = plan(&raw, |text| {
        assert!(text.contains(old), "{text}");
        text.replacen(old, new, 1)
    });
    let found: Vec<(&str, u32)> = plan.refused.iter().map(|notice| (notice.code.as_str(), notice.line)).collect();
    assert_eq!(found, told, "{new:?}: {:#?}", plan.refused);
    let wanted = rename.map(|to| Rename { from: "Old title".into(), to: to.into() });
    assert_eq!(plan.rename, wanted);
    assert!(plan.requests.is_empty());
    assert_eq!(plan.size(), usize::from(rename.is_some()));
    let title = rename.unwrap_or("Old title");
    let head = mcp_workspace::mebdf::head(&plan.expected).unwrap();
    assert_eq!(head.entries[0], ("title".to_owned(), title.to_owned()), "{}", plan.expected);
}

#[test]
fn the_title_renames_and_the_rest_is_told() {
    check_entry("title: Old title", "title: New title", Some("New title"), &[]);
    check_entry("title: Old title", "title: \"Q3: plan 👍🏽\"", Some("Q3: plan 👍🏽"), &[]);
    check_entry("title: Old title", "title: Old title  ", None, &[]);
    check_entry("title: Old title", "title:", None, &[("TITLE", 2)]);
    check_entry("title: Old title", "title: \"a\\nb\"", None, &[("TITLE", 2)]);
    check_entry("title: Old title", &format!("title: {}", "x".repeat(501)), None, &[("TITLE", 2)]);
    check_entry("title: Old title", &format!("title: {}", "x".repeat(500)), Some(&"x".repeat(500)), &[]);
    check_entry("title: Old title\n", "", None, &[("FRONT_MATTER_LOCKED", 1)]);
    check_entry("id: 1head", "id: other", None, &[("FRONT_MATTER_LOCKED", 3)]);
    check_entry("access: edit", "access: read", None, &[("FRONT_MATTER_LOCKED", 5)]);
    check_entry("header: Head\n", "", None, &[("FRONT_MATTER_LOCKED", 1)]);
    check_entry("header: Head\n", "header: Head\ncolour: red\n", None, &[("FRONT_MATTER_LOCKED", 7)]);
    // YAML wants quotes here, people do not write them.
    check_entry("title: Old title", "title: Q3: plan", Some("Q3: plan"), &[]);
    for text in ["\"Q3", "'x", "| x", "> y", "\"a\" b", "[a", "{a", "&a b", "*x", "!x", "%x", "@x", "`x"] {
        check_entry("title: Old title", &format!("title: {text}"), Some(text), &[]);
    }
    // This is no mapping; nothing of the head is read, and nothing is taken for removed.
    check_entry("id: 1head", "id 1head", None, &[("FRONT_MATTER", 3)]);
}

/// A document with two tabs in the world of a test.
async fn mirrored(world: &World) -> (String, std::path::PathBuf) {
    let mut raw = document(&[json!([run("Acme — confidential\n")])], &[json!([run("Foot\n")])]);
    raw["documentId"] = "1headAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".into();
    let mut second = raw["tabs"][0].clone();
    second["tabProperties"] = json!({"tabId": "t.second", "title": "Second", "index": 1});
    raw["tabs"].as_array_mut().unwrap().push(second);
    let imported = world.post("/admin/documents", &raw).await;
    let id = imported["documentId"].as_str().unwrap_or_else(|| panic!("{imported}")).to_owned();
    let file = world.file(&id);
    (id, file)
}

async fn name(world: &World, id: &str) -> String {
    world.get(&format!("/drive/v3/files/{id}?fields=name")).await["name"].as_str().unwrap().to_owned()
}

async fn renames(world: &World) -> usize {
    let log = world.get("/admin/requests").await;
    log.as_array().unwrap().iter().filter(|entry| entry["method"] == "PATCH" && entry["status"] == 200).count()
}

fn links(world: &World) -> Vec<String> {
    let folder = std::fs::read_dir(world.home.join("workspace")).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path().join("by-name");
        path.is_dir().then_some(path)
    });
    let mut names: Vec<String> = folder
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_title_and_a_text_arrive_together() {
    let mut world = World::new("head-rename");
    world.start_daemon(&[]);
    let (id, file) = mirrored(&world).await;
    let second = file.with_file_name(format!("{id}.t.second.md"));
    assert!(links(&world).iter().any(|name| name == "Old title.md"), "{:?}", links(&world));
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("title: Old title", "title: New title").replace("confidential", "public");
    std::fs::write(&file, text.replace("\nBody\n", "\nBody text\n")).unwrap();
    until("the name is there", || async { name(&world, &id).await == "New title" }).await;
    assert_eq!(world.text(&id).await, "Body text\n");
    until("the other tab's file says so", || async {
        std::fs::read_to_string(&second).unwrap().contains("title: New title")
    })
    .await;
    until("the links follow", || async {
        let links = links(&world);
        links.iter().any(|name| name == "New title.md") && !links.iter().any(|name| name.starts_with("Old title"))
    })
    .await;
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let header = &document["tabs"][0]["documentTab"]["headers"]["kix.h"]["content"][0]["paragraph"]["elements"][0];
    assert_eq!(header["textRun"]["content"], "Acme — public\n");
    // The other tab has headers of its own.
    let header = &document["tabs"][1]["documentTab"]["headers"]["kix.h"]["content"][0]["paragraph"]["elements"][0];
    assert_eq!(header["textRun"]["content"], "Acme — confidential\n");
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!((renames(&world).await, world.pushes().await.len()), (1, 1), "nothing is sent twice");
}

/// Lets the rename fail after the batch landed; all of it must arrive, and nothing twice.
async fn check_fault(world: &str, fault: &str) {
    let mut world = World::new(world);
    world.start_daemon(&[]);
    let (id, file) = mirrored(&world).await;
    let fault = json!({"match": {"method": "PATCH", "path": "/drive/v3/files/"}, "times": 1, "fault": fault});
    world.post("/admin/faults", &fault).await;
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("title: Old title", "title: New title").replace("\nBody\n", "\nBody once\n");
    std::fs::write(&file, &text).unwrap();
    until("the text is there", || async { world.text(&id).await == "Body once\n" }).await;
    until("the name is there", || async { name(&world, &id).await == "New title" }).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(world.text(&id).await, "Body once\n");
    assert_eq!(world.pushes().await.len(), 1, "the batch is sent once");
    let (_, status) = world.cli(&["status"]);
    assert!(!status.to_string().contains("conflict"), "{status}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn a_rename_that_fails_after_the_batch_is_made_good() {
    check_fault("head-503", "503").await;
    check_fault("head-drop", "drop").await;
    check_fault("head-lost", "lost_reply").await;
}

#[tokio::test]
async fn two_names_do_not_overwrite_each_other() {
    let mut world = World::new("head-race");
    world.start_daemon(&[]);
    let (id, file) = mirrored(&world).await;
    let second = file.with_file_name(format!("{id}.t.second.md"));
    // Two files of one document name it differently: the first wins, the other says that it waits.
    edit_in_place(&file, "title: Old title", "title: Mine");
    until("the name is there", || async { name(&world, &id).await == "Mine" }).await;
    until("the second file follows", || async { std::fs::read_to_string(&second).unwrap().contains("title: Mine") })
        .await;
    edit_in_place(&second, "title: Mine", "title: Yours");
    until("the second name is there", || async { name(&world, &id).await == "Yours" }).await;
    until("the first file follows", || async { std::fs::read_to_string(&file).unwrap().contains("title: Yours") })
        .await;
    // The daemon is away while both files and Drive are given other names, and has recorded what stands there.
    let (done, answer) = world.cli(&["push", file.to_str().unwrap()]);
    assert!(done, "{answer}");
    world.kill_daemon();
    edit_in_place(&file, "title: Yours", "title: One");
    edit_in_place(&second, "title: Yours", "title: Two");
    world.start_daemon(&[]);
    until("one of the names is there", || async { name(&world, &id).await == "One" }).await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(name(&world, &id).await, "One");
    assert!(std::fs::read_to_string(&second).unwrap().contains("title: Two"), "the other name stays in its file");
    let (_, status) = world.cli(&["status"]);
    assert!(status.to_string().contains("the head of the file"), "{status}");
}

/// A document without header and footer, and with as many tabs as names.
fn bare(names: &[&str]) -> Value {
    let mut raw = document(&[json!([run("x\n")])], &[json!([run("y\n")])]);
    let mut tab = raw["tabs"][0].clone();
    for name in ["headers", "footers", "documentStyle"] {
        tab["documentTab"].as_object_mut().unwrap().remove(name);
    }
    let tabs = names.iter().enumerate().map(|(index, name)| {
        let mut tab = tab.clone();
        let id = if index == 0 { "t.0".to_owned() } else { format!("t.number{index}") };
        tab["tabProperties"] = json!({"tabId": id, "title": name, "index": index});
        tab
    });
    raw["tabs"] = tabs.collect();
    raw
}

#[test]
fn tabs_are_renamed() {
    let raw = bare(&["Agenda", "Minutes"]);
    for (new, title, told) in [
        ("tab: t.0 \"Plan\"", "Plan", None),
        ("tab: t.0 Plan \"B\" 👍🏽", "Plan \"B\" 👍🏽", None),
        ("tab: t.0 \"Minutes\"", "Agenda", Some("TITLE")),
        ("tab: t.0 \"\"", "Agenda", Some("TITLE")),
        ("tab: t.1 \"Agenda\"", "Agenda", Some("FRONT_MATTER_LOCKED")),
    ] {
        let (plan, _) = plan(&raw, |text| text.replacen("tab: t.0 \"Agenda\"", new, 1));
        assert_eq!(
            plan.refused.first().map(|notice| (notice.code.as_str(), notice.line)),
            told.map(|code| (code, 4)),
            "{new}"
        );
        let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        let after = serde_json::to_value(&gdocs::apply(&document, &requests, 5).unwrap().document).unwrap();
        assert_eq!(after["tabs"][0]["tabProperties"]["title"], title);
        assert_eq!(after["tabs"][1], raw["tabs"][1]);
        let head = mcp_workspace::mebdf::head(&plan.expected).unwrap();
        assert!(head.entries.contains(&("tab".into(), format!("t.0 \"{title}\""))), "{}", plan.expected);
    }
}

#[test]
fn only_the_first_tab_gets_a_new_header() {
    let raw = bare(&["Agenda", "Minutes"]);
    let url = "https://docs.google.com/document/d/1head/edit";
    let remote = docs::read(serde_json::to_vec(&raw).unwrap(), Access::Edit, url).unwrap();
    for (index, requests, told) in [(0, 1, 0), (1, 0, 1)] {
        let part = &remote.parts[index];
        let text = part.text.replacen("access: edit\n", "access: edit\nheader: New\n", 1);
        let plan = docs::plan(&remote, &part.id, &text, false).unwrap();
        assert_eq!((plan.requests.len(), plan.refused.len(), plan.again), (requests, told, requests > 0), "{plan:#?}");
    }
}

#[tokio::test]
async fn headers_are_made_and_tabs_renamed() {
    let mut world = World::new("head-make");
    world.start_daemon(&[]);
    let mut raw = bare(&["Agenda", "Minutes"]);
    raw["documentId"] = "1madeAbCdEfGhIjKlMnOpQrStUvWxYz0123456789".into();
    let id = world.post("/admin/documents", &raw).await["documentId"].as_str().unwrap().to_owned();
    let file = world.file(&id);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("access: edit\n", "access: edit\nheader: |\n  Acme\n  confidential\nfooter: End\n");
    std::fs::write(&file, text.replace("t.0 \"Agenda\"", "t.0 \"Plan\"")).unwrap();
    let words = |document: &Value, kind: &str| {
        let segments = document["tabs"][0]["documentTab"][kind].as_object().cloned().unwrap_or_default();
        let content = segments.values().flat_map(|segment| segment["content"].as_array().unwrap().clone());
        content
            .flat_map(|element| element["paragraph"]["elements"].as_array().cloned().unwrap_or_default())
            .filter_map(|element| element["textRun"]["content"].as_str().map(str::to_owned))
            .collect::<String>()
    };
    until("header and footer are there", || async {
        let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
        words(&document, "headers") == "Acme\nconfidential\n" && words(&document, "footers") == "End\n"
    })
    .await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    assert_eq!(document["tabs"][0]["tabProperties"]["title"], "Plan");
    assert_eq!(document["tabs"][0]["documentTab"]["headers"].as_object().unwrap().len(), 1);
    assert_eq!(world.pushes().await.len(), 2, "one makes them, one fills them");
    let (_, status) = world.cli(&["status"]);
    assert!(!status.to_string().contains("head of the file"), "{status}");
}
