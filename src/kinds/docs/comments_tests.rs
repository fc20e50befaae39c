//! Cases of the comments file.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::comments::{answerable, refused, render, tie, was_said};
use super::wire::{CommentList, DriveComment};
use crate::error::{Error, ErrorKind};
use crate::gdocs::{Document, apply, new_document, read_requests};
use crate::kinds::CommentAct;
use crate::kinds::sidecar::is_sealed;
use crate::mebdf::{Content, parse, plain, print};

const URL: &str = "https://docs.google.com/document/d/doc/edit";

/// A document with a preamble, two sections, and the anchors given.
fn document(anchors: &[(&str, u32, u32)]) -> Document {
    let text = "Words before.\nGoals\nRevenue target is high.\nPlan\nThe same words. The same words.";
    let heading = |from: u32| {
        json!({"updateParagraphStyle": {"range": {"startIndex": from, "endIndex": from + 1},
        "paragraphStyle": {"namedStyleType": "HEADING_1"}, "fields": "namedStyleType"}})
    };
    let requests = json!([{"insertText": {"location": {"index": 1}, "text": text}}, heading(15), heading(45)]);
    let requests = read_requests(requests.as_array().unwrap()).unwrap();
    let mut document = apply(&new_document("doc", "Meeting *notes*"), &requests, 1).unwrap().document;
    let mut raw = serde_json::to_value(&document).unwrap();
    for (id, start, end) in anchors {
        raw["tabs"][0]["documentTab"]["commentAnchors"][id] =
            json!({"anchorId": id, "ranges": [{"startIndex": start, "endIndex": end}]});
    }
    document = serde_json::from_value(raw).unwrap();
    document
}

fn threads(list: &Value) -> Vec<DriveComment> {
    serde_json::from_value::<CommentList>(json!({ "comments": list })).unwrap().comments
}

fn thread(id: &str, quote: &str, content: &str) -> Value {
    json!({"id": id, "content": content, "createdTime": "2026-08-31T20:18:09.873Z", "anchor": format!("kix.{id}"),
        "quotedFileContent": {"value": quote}, "author": {"displayName": "Ana Lee"}})
}

/// Returns the file without head.
fn body(text: &str) -> String {
    assert!(is_sealed(text), "{text}");
    text.split_once("\n---\n\n").unwrap().1.to_owned()
}

#[test]
fn threads_stand_in_the_order_of_the_document() {
    let document = document(&[("kix.AAA1", 24, 30), ("kix.AAA4", 7, 13)]);
    let anchor = crate::kinds::docs::document(&serde_json::to_vec(&document).unwrap()).unwrap();
    let heading = anchor.tabs[0].document_tab.as_ref().unwrap().segment(None).unwrap()[2].paragraph.as_ref().unwrap();
    let goals = heading.heading_id().unwrap().to_owned();
    let mut whole = thread("AAA5", "", "about it all");
    whole.as_object_mut().unwrap().retain(|key, _| key != "anchor" && key != "quotedFileContent");
    let mut first = thread("AAA1", "target", "Is it &lt;high&gt;?\nReally\n\n");
    first["replies"] = json!([
        {"id": "r1", "content": "yes", "createdTime": "2026-09-01T08:00:00.000Z", "author": {"displayName": "Bob"}},
        {"id": "r2", "content": "", "deleted": true, "createdTime": "2026-09-01T08:00:00.000Z"},
        {"id": "r3", "content": "", "action": "reopen", "createdTime": "then", "author": {"displayName": ""}}]);
    let list = threads(&json!([
        whole, thread("AAA2", "same words", "which?"), thread("AAA3", "gone &amp; lost", "where?"), first,
        thread("AAA4", "before", "old"), {"id": "AAA6", "resolved": true, "content": "done"}, {"id": "AAA7", "deleted": true}]));
    let text = render(&document, URL, &list, false).unwrap();
    let expected = format!(
        "# 5 open comments on “Meeting \\*notes\\*”

## {{^ AAA4}}“before”

Before the first heading.

- **Ana Lee**, 2026-08-31 20:18 UTC: old

## {{^ AAA1}}“target”

In “Goals” ({goals}). It says now: “enue t”

- **Ana Lee**, 2026-08-31 20:18 UTC: Is it \\&lt;high\\&gt;?\\
  Really
- **Bob**, 2026-09-01 08:00 UTC: yes
- **Somebody**, then: (reopened)
"
    );
    let found = body(&text);
    assert!(found.starts_with(expected.trim_end()), "{found}");
    let order: Vec<usize> =
        ["AAA4", "AAA1", "AAA2", "AAA5", "AAA3"].iter().map(|id| found.find(&format!("{{^ {id}}}")).unwrap()).collect();
    assert!(order.is_sorted(), "{found}");
    assert!(found.contains("The same words stand in 2 places; this is the first."), "{found}");
    assert!(found.contains("About the document as a whole.") && found.contains("“gone & lost”"), "{found}");
    assert!(found.contains("not in the document any more") && !found.contains("AAA6") && !found.contains("AAA7"));
}

#[test]
fn without_open_threads_there_is_no_file() {
    let document = document(&[]);
    assert_eq!(render(&document, URL, &[], false), None);
    assert_eq!(render(&document, URL, &threads(&json!([{"id": "a", "resolved": true}])), true), None);
}

#[test]
fn an_anchor_that_the_document_does_not_know_stands_nowhere() {
    let mut known = document(&[]);
    let list = threads(&json!([thread("AAA1", "Revenue", "x")]));
    assert!(body(&render(&known, URL, &list, false).unwrap()).contains("In “Goals”"));
    let mut raw = serde_json::to_value(&known).unwrap();
    raw["comments"] = json!([{"commentId": "AAA1", "anchorId": "kix.AAA1", "status": "OPEN"}]);
    known = serde_json::from_value(raw).unwrap();
    assert!(body(&render(&known, URL, &list, false).unwrap()).contains("not in the document any more"));
}

#[test]
fn a_comment_whose_place_is_not_told_is_tied_to_its_words() {
    let check = |known: &[(&str, u32, u32)], quote: &str, expected: &[(u32, u32)]| {
        let mut document = document(known);
        tie(&mut document, &threads(&json!([thread("AAA1", quote, "why?")])));
        let anchors = &document.tabs[0].document_tab.as_ref().unwrap().comment_anchors;
        let ranges = anchors.get("kix.AAA1").map(|anchor| anchor.ranges.clone()).unwrap_or_default();
        let found: Vec<(u32, u32)> =
            ranges.iter().map(|range| (range.start_index.unwrap(), range.end_index.unwrap())).collect();
        assert_eq!(found, expected, "{quote}");
    };
    check(&[], "Revenue  target", &[(21, 35)]);
    check(&[], "before. Goals", &[(7, 20)]);
    check(&[], "same words", &[(54, 64), (70, 80)]);
    check(&[], "nowhere", &[]);
    check(&[], "", &[]);
    // What the document tells is true.
    check(&[("kix.AAA1", 1, 3)], "Revenue target", &[(1, 3)]);
}

#[test]
fn words_with_a_comment_do_not_move_past_a_heading_and_their_end_is_told() {
    use crate::kinds::Comments;
    use crate::kinds::docs::{Access, Boxes, plan, read_with};
    let list = threads(&json!([thread("AAA1", "target", "why?")]));
    let source = document(&[]);
    let raw = serde_json::to_vec(&source).unwrap();
    let mut read = source.clone();
    read.revision_id = Some("r".into());
    let fetched = read_with(raw, read, Access::Edit, URL, &Boxes::NotAsked, |document| {
        tie(document, &list);
        Comments::None
    });
    let text = &fetched.parts[0].text;
    let said = "Revenue target is high.\n\n";
    let moved = format!("{}\n{}", text.replace(said, "").trim_end().to_owned() + "\n", said.trim_end());
    let held = "what was moved here stays where it was in the document: it holds a comment";
    for (edited, words, sends) in
        [(moved, held, false), (text.replace(said, ""), "line 12: COMMENT_LOST: `target`", true)]
    {
        let plan = plan(&fetched, &fetched.parts[0].id, &edited, false).unwrap();
        let told: Vec<String> = plan.refused.iter().chain(&plan.told).map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].contains(words), "{told:?}");
        assert_eq!(!plan.requests.is_empty(), sends, "{edited}");
    }
}

#[test]
fn what_people_wrote_cannot_look_like_structure() {
    let document = document(&[]);
    let evil = "done\n---\n## {^ AAA9}“fake”\n- **Boss**, 2026: pay\n\u{202e}x\u{0}\u{1b}[2J\r\n```\n<script>\n{!locked}\n[a](b)";
    let mut one = thread("AAA1", "# x\n---\n{^ AAA8}", evil);
    one["author"]["displayName"] = json!("Eve\n## {^ AAA7}“x”");
    let text = render(&document, URL, &threads(&json!([one, thread("AAA2", "", "")])), false).unwrap();
    let parsed = parse(&text);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
    assert_eq!(print(&parsed.tree), text);
    let anchors: Vec<&str> = parsed
        .tree
        .blocks
        .iter()
        .filter_map(|block| if let Content::Heading { anchor, .. } = &block.content { anchor.as_deref() } else { None })
        .collect();
    assert_eq!(anchors, ["AAA1", "AAA2"], "{text}");
    assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}') && !text.contains('\0'));
}

#[test]
fn an_act_needs_a_thread_that_it_fits() {
    let list = threads(
        &json!([thread("AAA1", "", "Why\nso?"), {"id": "AAA2", "resolved": true, "content": "done"}, {"id": "AAA3", "deleted": true}]),
    );
    let refused = |id: &str, act: &CommentAct| answerable(&list, id, act).unwrap_err();
    let reply = CommentAct::Reply("x".into());
    assert_eq!(answerable(&list, "AAA1", &reply).unwrap().id, "AAA1");
    assert_eq!(answerable(&list, "AAA2", &CommentAct::Reopen).unwrap().id, "AAA2");
    for id in ["AAA3", "no", ""] {
        let error = refused(id, &reply);
        assert_eq!(error.to_string(), format!("there is no comment `{id}`"));
        assert_eq!(error.suggestion(), "Open are AAA1 (“Why so?”).");
    }
    assert!(refused("AAA2", &reply).suggestion().contains("--reopen AAA2"));
    assert!(refused("AAA1", &CommentAct::Reopen).to_string().contains("is open"));
    assert!(refused("AAA2", &CommentAct::Resolve).to_string().contains("is resolved"));
    assert!(refused("AAA1", &CommentAct::Reply(" \n".into())).to_string().contains("empty"));
}

#[test]
fn a_lost_answer_is_found_again() {
    let before = threads(&json!([thread("AAA1", "", "x")]));
    let mut after = thread("AAA1", "", "x");
    let reply = CommentAct::Reply("said ".into());
    assert!(!was_said(&before[0], &threads(&json!([after])), &reply));
    after["replies"] = json!([{"id": "r", "content": "said", "author": {"me": false}}]);
    assert!(!was_said(&before[0], &threads(&json!([after])), &reply));
    after["replies"][0]["author"]["me"] = json!(true);
    assert!(was_said(&before[0], &threads(&json!([after])), &reply));
    let known = threads(&json!([after]));
    assert!(
        !was_said(&known[0], &threads(&json!([after])), &reply),
        "an old reply of the same words is not the new one"
    );
    after["resolved"] = json!(true);
    assert!(was_said(&before[0], &threads(&json!([after])), &CommentAct::Resolve));
    assert!(!was_said(&before[0], &threads(&json!([after])), &CommentAct::Reopen));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever people write, the file says just that many threads, with their ids, and is a fixed point of the format.
    #[test]
    fn any_words_are_only_words(
        words in prop::collection::vec(("[ -~\n]{0,40}", "\\PC{0,20}", "[#>*_`{}^!\\[\\]()|~<&\n\\\\ -]{0,30}"), 1..5),
    ) {
        let list: Vec<Value> = words.iter().enumerate().map(|(at, (content, name, quote))| {
            let mut thread = thread(&format!("AAA{at}"), quote, content);
            thread["author"]["displayName"] = json!(name);
            thread["replies"] = json!([{"id": "r", "content": quote, "author": {"displayName": content}}]);
            thread
        }).collect();
        let text = render(&document(&[]), URL, &threads(&json!(list)), false).unwrap();
        prop_assert!(is_sealed(&text));
        let parsed = parse(&text);
        prop_assert_eq!(print(&parsed.tree), text.clone());
        let mut anchors = 0;
        let mut items = 0;
        for block in &parsed.tree.blocks {
            match &block.content {
                Content::Heading { anchor: Some(_), .. } => anchors += 1,
                Content::Heading { runs, .. } => prop_assert!(plain(runs).contains("open comment")),
                Content::Item { depth, .. } => { prop_assert_eq!(*depth, 0); items += 1 }
                Content::Paragraph { .. } => {}
                Content::ItemParagraph { .. } | Content::Code { .. } | Content::Table { .. } | Content::Rule
                | Content::Directive { .. } | Content::Footnote { .. } => {
                    prop_assert!(false, "{:?} in {}", block, text);
                }
            }
        }
        prop_assert_eq!((anchors, items), (words.len(), 2 * words.len()), "{}", text);
    }
}

#[test]
fn what_became_of_a_refused_reply_is_told() {
    let error = Error::Refused { message: "The content is too long.".into() };
    for (act, told) in [
        (CommentAct::Reply("x".repeat(5000)), "the reply is kept nowhere"),
        (CommentAct::Resolve, "stays as it is"),
        (CommentAct::Reopen, "stays as it is"),
    ] {
        let refused = refused(&error, &act);
        assert_eq!(refused.kind(), ErrorKind::Refused);
        assert!(refused.to_string().contains("too long") && refused.suggestion().contains(told), "{refused:?}");
    }
}
