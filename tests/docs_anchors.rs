//! Anchors in the text: `{^}` asks for one, `{^ id}` is one that stands.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf;
use serde_json::Value;
use support::model::{applied, document, fetched};
use support::world::{World, edit_in_place, until};

fn body(raw: &Value) -> String {
    mebdf::body(&fetched(raw).parts[0].text).to_owned()
}

/// The text with its anchors numbered, and without those of headings.
fn numbered(text: &str, ids: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{^ ") {
        let end = rest[at..].find('}').unwrap() + at;
        let id = rest[at + 3..end].to_owned();
        out.push_str(&rest[..at]);
        if !id.starts_with("h.") {
            let number = ids.iter().position(|known| *known == id).unwrap_or_else(|| {
                ids.push(id);
                ids.len() - 1
            });
            out.push_str(&format!("{{^ {number}}}"));
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

/// Makes a document of `start`, edits its file as `edit` does, and compares what it says then and what was told. In all
/// texts the anchors are numbered in the order in which they were first seen.
#[track_caller]
fn check(start: &str, edit: &[(&str, &str)], found: &str, sent: &[&str], told: &[&str]) {
    let raw = document(start);
    let remote = fetched(&raw);
    let mut ids = Vec::new();
    drop(numbered(&remote.parts[0].text, &mut ids));
    let mut edited = remote.parts[0].text.clone();
    for (old, new) in edit {
        let with_ids = |text: &str| {
            let mut text = text.to_owned();
            for (number, id) in ids.iter().enumerate() {
                text = text.replace(&format!("{{^ {number}}}"), &format!("{{^ {id}}}"));
            }
            text
        };
        let (old, new) = (with_ids(old), with_ids(new));
        assert!(edited.contains(&old), "{old:?} in {edited}");
        edited = edited.replacen(&old, &new, 1);
    }
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    let kinds: Vec<&str> =
        plan.requests.iter().map(|request| request.as_object().unwrap().keys().next().unwrap().as_str()).collect();
    let codes: Vec<&str> = plan.refused.iter().chain(&plan.holds).map(|notice| notice.code.as_str()).collect();
    assert_eq!((kinds.as_slice(), codes.as_slice()), (sent, told), "{:#?}", plan.refused);
    let raw = applied(&raw, &plan.requests, 99);
    assert_eq!(numbered(&body(&raw), &mut ids), format!("{found}\n"));
    // What the plan foretold is what came, but for ids that only Google could give.
    let unnamed = |text: &str| {
        numbered(text, &mut Vec::new())
            .split("{^")
            .map(|piece| piece.split_once('}').map_or(piece, |(_, rest)| rest).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(unnamed(mebdf::body(&plan.expected)), unnamed(&body(&raw)));
    // It comes to rest, whether or not the file was given the ids.
    let remote = fetched(&raw);
    for text in [&remote.parts[0].text, &edited] {
        let again = docs::plan(&remote, &remote.parts[0].id, text, false).unwrap();
        assert_eq!(again.requests, Vec::<Value>::new(), "{:#?}", again.refused);
    }
}

const CREATE: &str = "createNamedRange";
const DELETE: &str = "deleteNamedRange";

#[test]
fn anchors_are_set_moved_and_removed() {
    // Set: in a paragraph, an item, a cell, a footnote, a heading, at the begin and at the end, before an object.
    check("One two three.\n", &[("two", "{^}two")], "One {^ 0}two three.", &[CREATE], &[]);
    check("One *two* three.\n", &[("*two*", "*t{^}wo*")], "One *t{^ 0}wo* three.", &[CREATE], &[]);
    check(
        "One.\n\nTwo.\n",
        &[("One", "{^}One"), ("Two.", "Two.{^}")],
        "{^ 0}One.\n\nTwo.{^ 1}",
        &[CREATE, CREATE],
        &[],
    );
    check("- a b\n- c\n\nEnd.\n", &[("b", "{^}b")], "- a {^ 0}b\n- c\n\nEnd.", &[CREATE], &[]);
    check(
        "Begin.\n\n| a | b |\n| --- | --- |\n| c | d e |\n\nEnd.\n",
        &[("e |", "{^}e |"), ("| a", "| {^}a")],
        "Begin.\n\n| {^ 0}a | b |\n| --- | --- |\n| c | d {^ 1}e |\n\nEnd.",
        &[CREATE, CREATE],
        &[],
    );
    check(
        "Text[^1] on.\n\n[^1]: A note.\n",
        &[("note", "{^}note")],
        "Text[^1] on.\n\n[^1]: A {^ 0}note.",
        &[CREATE],
        &[],
    );
    check("# Head line\n\nText.\n", &[("line", "{^}line")], "# Head {^ 0}line\n\nText.", &[CREATE], &[]);
    check("A\n\n\\\n\nB\n", &[("\n\\\n", "\n{^}\n")], "A\n\n{^ 0}\n\nB", &[CREATE], &[]);
    check(
        "On {^= date \"2026-11-21\"} we met.\n",
        &[("{^=", "{^}{^=")],
        "On {^ 0}{^= date \"2026-11-21\"} we met.",
        &[CREATE],
        &[],
    );
    check("漢字 😀 family 👨‍👩‍👧 end\n", &[("👨", "{^}👨")], "漢字 😀 family {^ 0}👨‍👩‍👧 end", &[CREATE], &[]);
    check("One two.\n", &[("two.", "two. {^}")], "One two.{^ 0}", &[CREATE], &[]);
    // With an edit of the words, and one that has to wait for nothing.
    check(
        "One two three.\n",
        &[("two", "{^}zwei")],
        "One {^ 0}zwei three.",
        &["insertText", "deleteContentRange", "deleteContentRange", CREATE],
        &[],
    );
    check("One.\n", &[("One.", "One.\n\nTwo {^}three.")], "One.\n\nTwo {^ 0}three.", &["insertText", CREATE], &[]);
    // One that stands stays through edits around it.
    let one = "One {^}two three.\n\nFour.\n";
    check(
        one,
        &[("three", "3")],
        "One {^ 0}two 3.\n\nFour.",
        &["insertText", "deleteContentRange", "deleteContentRange"],
        &[],
    );
    check(one, &[("One ", "")], "{^ 0}two three.\n\nFour.", &["deleteContentRange"], &[]);
    check(
        one,
        &[("One ", "One **bold** ")],
        "One **bold** {^ 0}two three.\n\nFour.",
        &["insertText", "updateTextStyle"],
        &[],
    );
    // Moved: Docs gives another id.
    check(one, &[("{^ 0}two ", "two {^ 0}")], "One two {^ 1}three.\n\nFour.", &[DELETE, CREATE], &[]);
    check(one, &[("{^ 0}", ""), ("Four", "{^ 0}Four")], "One two three.\n\n{^ 1}Four.", &[DELETE, CREATE], &[]);
    // Removed.
    check(one, &[("{^ 0}", "")], "One two three.\n\nFour.", &[DELETE], &[]);
    check(one, &[("One {^ 0}two three.\n\n", "")], "Four.", &["deleteContentRange"], &[]);
    // Its paragraph moves, and it goes along.
    check(
        "One {^}two three.\n\nFour.\n\nFive.\n",
        &[("One {^ 0}two three.\n\n", ""), ("Five.", "Five.\n\nOne {^ 0}two three.")],
        "Four.\n\nFive.\n\nOne {^ 1}two three.",
        &["insertText", "deleteContentRange", CREATE],
        &[],
    );
    // Told: an id that nobody gave, and one that stands twice.
    check(one, &[("Four", "{^ kix.nobody}Four")], "One {^ 0}two three.\n\nFour.", &[], &["ANCHOR"]);
    check(one, &[("Four", "{^ 0}Four and")], "One {^ 0}two three.\n\nFour and.", &["insertText"], &["ANCHOR"]);
}

#[test]
fn ranges_of_others_are_not_shown_and_stay() {
    let raw = document("One two three.\n");
    let range = serde_json::json!({"startIndex": 5, "endIndex": 8});
    let raw = applied(&raw, &[serde_json::json!({"createNamedRange": {"name": "citation", "range": range}})], 98);
    assert_eq!(body(&raw), "One two three.\n");
    let remote = fetched(&raw);
    let edited = remote.parts[0].text.replace("two", "{^}two");
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    let after = applied(&raw, &plan.requests, 99);
    assert_eq!(
        after["tabs"][0]["documentTab"]["namedRanges"]["citation"],
        raw["tabs"][0]["documentTab"]["namedRanges"]["citation"]
    );
    assert_eq!(numbered(&body(&after), &mut Vec::new()), "One {^ 0}two three.\n");
}

fn first_anchor(text: &str) -> String {
    let at = text.find("{^ kix.").unwrap();
    text[at..=at + text[at..].find('}').unwrap()].to_owned()
}

/// Through the daemon: the file is given the id, and keeps it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_given_the_ids_of_its_anchors() {
    let mut world = World::new("anchors");
    world.start_daemon(&[]);
    let id = world.documents().await.remove(0).1;
    let file = world.file(&id);
    let text = std::fs::read_to_string(&file).unwrap();
    let line =
        mebdf::body(&text).lines().find(|line| line.starts_with(char::is_alphabetic) && line.contains(' ')).unwrap();
    let (first, rest) = line.split_once(' ').unwrap();
    let asked = format!("{first} {{^}}{rest}");
    edit_in_place(&file, line, &asked);
    let read = || std::fs::read_to_string(&file).unwrap();
    until("the anchor has an id", async || read().contains(&format!("{first} {{^ kix."))).await;
    // Moved before the word: another anchor, and the file is given its id.
    let form = first_anchor(&read());
    edit_in_place(&file, &format!("{first} {form}"), &format!("{form}{first} "));
    until("it has another", async || {
        let text = read();
        text.contains("{^ kix.") && !text.contains(&form)
    })
    .await;
    edit_in_place(&file, &first_anchor(&read()), "");
    until("it is gone", async || {
        let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
        document["tabs"][0]["documentTab"]["namedRanges"].is_null()
    })
    .await;
    assert_eq!(mebdf::body(&read()), mebdf::body(&text));
}
