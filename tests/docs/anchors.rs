//! Anchors in the text: `{^}` asks for one, `{^ id}` is one that stands.

use crate::support::model::{applied, document, fetched};
use crate::support::world::{World, edit_in_place, until};
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf;
use serde_json::Value;

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
        assert!(!told.is_empty() || again.refused.is_empty(), "{:#?}", again.refused);
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

/// Three columns, or two rows, with footnotes, which cannot change places.
const COLUMNS: &str = "| a0[^1] | b0[^2] | c0[^3] |\n| --- | --- | --- |\n";
const SWAPPED: &str = "| a0[^1] | c0[^3] | b0[^2] |\n| --- | --- | --- |\n";
const THREE_NOTES: &str = "\n\nEnd.\n\n[^1]: N1.\n\n[^2]: N2.\n\n[^3]: N3.";
const TWO_NOTES: &str = "\n\nEnd.\n\n[^1]: N1.\n\n[^2]: N2.";

/// The anchors of a table stay on their words when a row or a column of the file cannot move.
#[track_caller]
fn check_held(start: &str, edited: &str, found: &str, notes: &str, sent: &[&str]) {
    let whole = |table: &str| format!("Begin.\n\n{table}{notes}");
    let numbers = |text: &str| {
        let (mut text, mut number) = (text.to_owned(), 0);
        while let Some(at) = text.find("{^}") {
            text.replace_range(at..at + 3, &format!("{{^ {number}}}"));
            number += 1;
        }
        text
    };
    check(&format!("{}\n", whole(start)), &[(&numbers(start), edited)], &whole(found), sent, &["LOCKED"]);
}

#[test]
fn an_anchor_stays_on_its_words_when_its_row_or_column_is_held() {
    let table = |row: &str| format!("{COLUMNS}{row}");
    let swapped = |row: &str| format!("{SWAPPED}{row}");
    let stay = |was: &str, file: &str, is: &str| {
        check_held(&table(was), &swapped(file), &table(is), THREE_NOTES, &[]);
    };
    stay("| a1 | {^}b1 | c1 |", "| a1 | c1 | {^ 0}b1 |", "| a1 | {^ 0}b1 | c1 |");
    stay("| a1 | b{^}1 | c1 |", "| a1 | c1 | b{^ 0}1 |", "| a1 | b{^ 0}1 | c1 |");
    stay("| {^}a1 | b1{^} |  |", "| {^ 0}a1 |  | b1{^ 1} |", "| {^ 0}a1 | b1{^ 1} |  |");
    stay("| a1 | b1 | {^} |", "| a1 | {^ 0} | b1 |", "| a1 | b1 | {^ 0} |");
    stay("| a1 | b1<br>{^}b2 | c1 |", "| a1 | c1 | b1<br>{^ 0}b2 |", "| a1 | b1<br>{^ 0}b2 | c1 |");
    let rows = "| a[^1] | {^}b |\n| --- | --- |\n| c[^2] |  |";
    let swap = "| c[^2] |  |\n| --- | --- |\n| a[^1] | {^ 0}b |";
    check_held(rows, swap, &rows.replace("{^}", "{^ 0}"), TWO_NOTES, &[]);
    // What goes with it is pushed: a row of the same table, and an anchor that was moved or asked for in it.
    let was = "| a0[^1] | b0[^2] | c0 |\n| --- | --- | --- |\n| a1 | {^}b1 | c1 |\n| a2 | b2 | c2 |";
    let file = "| b0[^2] | a0[^1] | c0 |\n| --- | --- | --- |\n| {^ 0}b1 | a1 | c1 |";
    let is = "| a0[^1] | b0[^2] | c0 |\n| --- | --- | --- |\n| a1 | {^ 0}b1 | c1 |";
    check_held(was, file, is, TWO_NOTES, &["deleteTableRow"]);
    check_held(
        &table("| a1 | {^}b1 b2 | c1 |"),
        &swapped("| a1 | c1 | b1 {^ 0}b2 |"),
        &table("| a1 | b1 {^ 1}b2 | c1 |"),
        THREE_NOTES,
        &[DELETE, CREATE],
    );
}

#[test]
fn an_anchor_does_not_follow_its_form_to_text_that_is_not_pushed() {
    let start = "One {^}two.\n\nFour[^1] five.\n\n[^1]: N.\n";
    let kept = "One {^ 0}two.\n\nFour[^1] five.\n\n[^1]: N.";
    check(start, &[("{^ 0}", ""), ("Four[^1] five", "Quite {^ 0}different")], kept, &[], &["LOCKED", "ANCHOR"]);
    // What stands on both sides is a place.
    check(
        start,
        &[("{^ 0}", ""), ("Four[^1] five", "Quite {^ 0}five")],
        "One two.\n\nFour[^1] {^ 1}five.\n\n[^1]: N.",
        &[DELETE, CREATE],
        &["LOCKED"],
    );
}

#[test]
fn an_anchor_goes_with_a_paragraph_that_holds_a_chip() {
    let text = "insertText";
    let gone = "deleteContentRange";
    for (chip, kind) in [("person \"p@x.com\"", "insertPerson"), ("date \"2026-11-21\"", "insertDate")] {
        let line = format!("{{^}}Anch {{^= {chip}}} end");
        let with = |number: usize| line.replace("{^}", &format!("{{^ {number}}}"));
        let (first, last) = ("Other words here and there.", "Third line.");
        check(
            &format!("{line}\n\n{first}\n\n{last}\n"),
            &[(&format!("{}\n\n", with(0)), ""), (last, &format!("{last}\n\n{}", with(0)))],
            &format!("{first}\n\n{last}\n\n{}", with(1)),
            &[text, gone, kind, CREATE],
            &[],
        );
        check(
            &format!("{first}\n\n{last}\n\n{line}\n"),
            &[(&format!("\n\n{}", with(0)), ""), (first, &format!("{}\n\n{first}", with(0)))],
            &format!("{}\n\n{first}\n\n{last}", with(1)),
            &[gone, text, kind, CREATE],
            &[],
        );
        check(
            &format!("{line}\n\n{first}\n\n{last}\n"),
            &[(&format!("{}\n\n", with(0)), ""), (last, &format!("{last}\n\n- {}", with(0)))],
            &format!("{first}\n\n{last}\n\n- {}", with(1)),
            &[text, gone, "createParagraphBullets", kind, CREATE],
            &[],
        );
        let (row, rows) = (format!("| a | {line} |"), "| b | words |\n| c | more words |");
        let head = "| h | i |\n| --- | --- |\n";
        check(
            &format!("Begin.\n\n{head}{row}\n{rows}\n\nEnd.\n"),
            &[(
                &format!("{}\n{rows}", row.replace("{^}", "{^ 0}")),
                &format!("{rows}\n{}", row.replace("{^}", "{^ 0}")),
            )],
            &format!("Begin.\n\n{head}{rows}\n{}\n\nEnd.", row.replace("{^}", "{^ 1}")),
            &["insertTableRow", "deleteTableRow", text, text, text, kind, CREATE],
            &[],
        );
    }
}

#[test]
fn an_anchor_at_the_begin_of_a_paragraph_stays_in_the_heading_that_it_becomes() {
    let start = "{^}Anch words\n\nOther.\n\nThird.\n";
    let rest = "Other.\n\nThird.";
    let styled = "updateParagraphStyle";
    check(start, &[("{^ 0}", "## {^ 0}")], &format!("## {{^ 0}}Anch words\n\n{rest}"), &[styled], &[]);
    check(
        start,
        &[("{^ 0}Anch words", "## {^ 0}Anch words too")],
        &format!("## {{^ 0}}Anch words too\n\n{rest}"),
        &["insertText", styled],
        &[],
    );
    check(
        start,
        &[("{^ 0}Anch words\n\n", ""), ("Third.", "Third.\n\n## {^ 0}Anch words")],
        &format!("{rest}\n\n## {{^ 1}}Anch words"),
        &["insertText", "deleteContentRange", styled, CREATE],
        &[],
    );
    check(
        start,
        &[("Other", "## {^ kix.nobody}Other")],
        "{^ 0}Anch words\n\n## Other.\n\nThird.",
        &[styled],
        &["ANCHOR"],
    );
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

/// Through the daemon: a paragraph with an anchor and a chip is moved, and the file is given the anchor's new id.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_given_the_id_of_an_anchor_that_moved_beside_a_chip() {
    let mut world = World::new("anchors-chip");
    world.start_daemon(&[]);
    let id = world.documents().await.remove(0).1;
    let file = world.file(&id);
    let text = std::fs::read_to_string(&file).unwrap();
    let line =
        mebdf::body(&text).lines().find(|line| line.starts_with(char::is_alphabetic) && line.contains(' ')).unwrap();
    let words = line.split(['*', '_', '[', '\\']).next().unwrap();
    let (before, behind) = ("Behind {^= date \"2026-11-21\"} ", "it all.");
    edit_in_place(&file, line, &format!("{line}\n\n{before}{{^}}{behind}"));
    let read = || std::fs::read_to_string(&file).unwrap();
    until("the anchor has an id", async || read().contains(&format!("{before}{{^ kix."))).await;
    let form = first_anchor(&read());
    let moved = format!("{before}{form}{behind}");
    edit_in_place(&file, &format!("{line}\n\n{moved}"), &format!("{moved}\n\n{line}"));
    until("it has moved", async || {
        let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await.to_string();
        document.find("it all.") < document.find(words) && document.contains("mcp-workspace anchor")
    })
    .await;
    until("the file has an anchor of the document", async || {
        let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await.to_string();
        let Some(id) = read().contains("{^ kix.").then(|| first_anchor(&read())).filter(|id| *id != form) else {
            return false;
        };
        document.contains(id.trim_start_matches("{^ ").trim_end_matches('}'))
    })
    .await;
}
