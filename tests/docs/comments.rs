//! The law of comments and suggestions: an edit keeps the comments on what it edits, and never touches a suggestion.

use crate::support::model::{applied, fetched};
use crate::support::oracle::flatten;
use mcp_workspace::gdocs::{self, Document};
use mcp_workspace::kinds::PushPlan;
use mcp_workspace::kinds::docs;
use mcp_workspace::model::PartId;
use serde_json::{Value, json};

/// Makes a document with these requests.
fn made(requests: &Value) -> Value {
    let mut raw = serde_json::to_value(gdocs::new_document("doc", "t")).unwrap();
    raw["revisionId"] = json!("r1");
    applied(&raw, requests.as_array().unwrap(), 1)
}

/// Carries requests out on the model.
fn insert(text: &str) -> Value {
    json!({"insertText": {"location": {"index": 1}, "text": text}})
}

fn comment(from: usize, to: usize) -> Value {
    json!({"insertComment": {"range": {"startIndex": from, "endIndex": to}, "content": "why?"}})
}

/// The text on which the one comment of a document stands; `None` when it stands nowhere.
fn commented(raw: &Value, tab: usize) -> Option<String> {
    let anchors = raw["tabs"][tab]["documentTab"].get("commentAnchors")?.as_object().unwrap().clone();
    assert_eq!(anchors.len(), 1);
    let range = &anchors.values().next().unwrap()["ranges"][0];
    let (start, end) = (range["startIndex"].as_u64().unwrap_or(0), range["endIndex"].as_u64().unwrap());
    let (units, _) = flatten(&raw["tabs"][tab]);
    Some(String::from_utf16_lossy(&units[start as usize..end as usize]))
}

/// Plans `old` → `new` in the file, once, carries it out, and returns the document and the plan.
fn edit(raw: &Value, old: &str, new: &str) -> (Value, PushPlan) {
    let remote = fetched(raw);
    let text = &remote.parts[0].text;
    assert_eq!(text.matches(old).count(), 1, "{old:?} in {text}");
    let plan = docs::plan(&remote, &PartId::default(), &text.replace(old, new), false).unwrap();
    (applied(raw, &plan.requests, 7), plan)
}

/// Checks that a comment on `quoted` of `text` stands on `expected` after the edit.
fn check(text: &str, quoted: &str, old: &str, new: &str, expected: &str) {
    let start = 1 + text[..text.find(quoted).unwrap()].encode_utf16().count();
    let raw = made(&json!([insert(text), comment(start, start + quoted.encode_utf16().count())]));
    let (after, plan) = edit(&raw, old, new);
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:?}", plan.refused);
    assert!(plan.requests.len() <= 3 * new.split(' ').count().max(1), "{old} → {new}: {:#?}", plan.requests);
    assert_eq!(commented(&after, 0).as_deref(), Some(expected), "{old} → {new} in {text}: {:#?}", plan.requests);
    // It is the same anchor of the same thread.
    assert_eq!(after["comments"], raw["comments"]);
}

#[test]
fn a_comment_on_a_sentence_in_which_one_word_changes_stays() {
    let text = "Before it. Revenue target grows this year 👍🏽 quickly. After it.";
    let sentence = "Revenue target grows this year 👍🏽 quickly.";
    for (old, new) in [
        ("Revenue", "Income"),
        ("target", "goal"),
        ("grows", "x"),
        ("this", "each"),
        ("year", "ปีหน้า"),
        ("👍🏽", "👨‍👩‍👧"),
        ("quickly", "שלום"),
        ("quickly.", "slowly!"),
        ("Revenue target grows this year 👍🏽 quickly", "Everything is new here"),
        ("target grows ", ""),
    ] {
        check(text, sentence, old, new, &sentence.replacen(old, new, 1));
    }
}

#[test]
fn a_comment_stays_when_all_of_its_words_are_replaced() {
    for (quoted, old, new, expected) in [
        ("target", "target", "goal", "goal"),
        ("Revenue target", "Revenue target", "The plan", "The plan"),
        // Its words are a part of what is replaced: what came in their place is commented, or a part of it.
        ("ab", "ab", "wxyz", "wxyz"),
        ("👍🏽 quickly", "👍🏽 quickly", "now", "now"),
    ] {
        check("Revenue target ab 👍🏽 quickly. After it.", quoted, old, new, expected);
    }
}

#[test]
fn a_comment_stays_where_it_is_when_others_are_edited() {
    let text = "First paragraph.\nSecond one is commented.\nThird paragraph.";
    for (old, new) in [
        ("First", "1st"),
        ("Third", "3rd"),
        ("First paragraph.\n\n", ""),
        ("Third paragraph.\n", "A new one.\n\nThird paragraph.\n"),
    ] {
        check(text, "one is", old, new, "one is");
    }
}

#[test]
fn a_comment_on_several_paragraphs_loses_only_what_goes() {
    let text = "Alpha one.\nBravo two.\nCharlie three.";
    let quoted = "one.\nBravo two.\nCharlie";
    check(text, quoted, "Bravo two.", "Delta.", "one.\nDelta.\nCharlie");
    check(text, quoted, "Bravo two.\n\n", "", "one.\nCharlie");
    check(text, quoted, "one", "1", "1.\nBravo two.\nCharlie");
}

#[test]
fn a_comment_that_loses_its_text_is_told() {
    let text = "Alpha one.\nBravo two.\nCharlie three.";
    for (quoted, old, new, told) in [
        ("Bravo two.", "Bravo two.\n\n", "", true),
        ("two", " two", "", true),
        ("Bravo", "Alpha one.\n\nBravo two.\n\n", "", true),
        ("Bravo two.", "two", "", false),
        ("Bravo", "Alpha one.\n\n", "", false),
    ] {
        let start = 1 + text.find(quoted).unwrap();
        let raw = made(&json!([insert(text), comment(start, start + quoted.len())]));
        let (_, plan) = edit(&raw, old, new);
        assert!(!plan.requests.is_empty() && plan.holds.is_empty());
        assert!(plan.refused.is_empty(), "{:?}", plan.refused);
        let is: Vec<String> = plan.told.iter().map(ToString::to_string).collect();
        let parts = [format!("COMMENT_LOST: `{quoted}`"), "\"why?\"".to_owned()];
        assert_eq!(is.len(), usize::from(told), "{old:?}: {is:?}");
        assert!(is.iter().all(|notice| parts.iter().all(|part| notice.contains(part))), "{is:?}");
    }
}

/// Each word of every paragraph of the real documents, under a comment on its whole paragraph.
#[test]
fn in_real_documents_a_comment_keeps_its_paragraph() {
    let Some(documents) = crate::support::raw_documents("in_real_documents_a_comment_keeps_its_paragraph") else {
        return;
    };
    let mut edits = 0;
    for (name, raw) in documents {
        let remote = fetched(&raw);
        let (units, _) = flatten(&raw["tabs"][0]);
        let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
        for element in content.iter().filter(|element| element.get("paragraph").is_some()) {
            let (start, end) =
                (element["startIndex"].as_u64().unwrap() as usize, element["endIndex"].as_u64().unwrap() as usize);
            let text = String::from_utf16_lossy(&units[start..end - 1]);
            if end - start < 12 {
                continue;
            }
            let with = applied(&raw, &[comment(start, end - 1)], 3);
            for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 3).take(6) {
                let file = &remote.parts[0].text;
                if file.matches(word).count() != 1 || text.matches(word).count() != 1 {
                    continue;
                }
                let plan =
                    docs::plan(&fetched(&with), &PartId::default(), &file.replace(word, "Replaced"), false).unwrap();
                if !plan.refused.is_empty() {
                    continue;
                }
                let after = applied(&with, &plan.requests, 9);
                assert_eq!(commented(&after, 0), Some(text.replace(word, "Replaced")), "{name}: {word}");
                edits += 1;
            }
        }
    }
    println!("{edits} edits under a comment");
    assert!(edits > 40, "{edits}");
}

/// A document whose second paragraph holds a suggestion.
fn suggested() -> Value {
    let mut raw = made(&json!([insert("First paragraph.\nSecond has twelve words.\nThird paragraph.")]));
    let elements = raw.pointer_mut("/tabs/0/documentTab/body/content/2/paragraph/elements").unwrap();
    *elements = json!([
        {"startIndex": 18, "endIndex": 29, "textRun": {"content": "Second has ", "textStyle": {}}},
        {"startIndex": 29, "endIndex": 35, "textRun": {"content": "twelve", "textStyle": {}, "suggestedDeletionIds": ["suggest.a"]}},
        {"startIndex": 35, "endIndex": 43, "textRun": {"content": "fourteen", "textStyle": {}, "suggestedInsertionIds": ["suggest.a"]}},
        {"startIndex": 43, "endIndex": 51, "textRun": {"content": " words.\n", "textStyle": {}}}]);
    raw["tabs"][0]["documentTab"]["body"]["content"][2]["endIndex"] = json!(51);
    let third = raw.pointer_mut("/tabs/0/documentTab/body/content/3").unwrap();
    *third = json!({"startIndex": 51, "endIndex": 68, "paragraph": {"paragraphStyle": third["paragraph"]["paragraphStyle"],
        "elements": [{"startIndex": 51, "endIndex": 68, "textRun": {"content": "Third paragraph.\n", "textStyle": {}}}]}});
    raw
}

#[test]
fn an_edit_over_a_suggestion_is_refused_and_the_rest_is_pushed() {
    let raw = suggested();
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    for (old, new) in [("twelve", "twenty"), ("fourteen", "forty"), ("fourteen", ""), ("Second has", "It has")] {
        let edited = text.replace(old, new).replace("First paragraph", "Opening").replace("Third", "Last");
        let plan = docs::plan(&remote, &PartId::default(), &edited, false).unwrap();
        let line = 1 + text.lines().position(|line| line.contains("Second has")).unwrap();
        // Where the last word of a span goes, that is told beside.
        let refused = plan.refused.iter().filter(|notice| notice.code != "EMPTY_FORMAT").count();
        assert_eq!(refused, 1, "{old} → {new}: {:?}", plan.refused);
        assert_eq!(plan.refused[0].line as usize, line);
        assert!(plan.refused[0].message.contains("suggestion"), "{:?}", plan.refused);
        let after = applied(&raw, &plan.requests, 5);
        let (units, _) = flatten(&after["tabs"][0]);
        let said = String::from_utf16_lossy(&units);
        assert!(said.contains("Opening.\nSecond has twelvefourteen words.\nLast paragraph."), "{said}");
        let after: Document = serde_json::from_value(after).unwrap();
        // The suggestion is whole: accepted and rejected it says what it said.
        for (accept, words) in [(true, "Second has fourteen words."), (false, "Second has twelve words.")] {
            let (units, _) = flatten(&serde_json::to_value(gdocs::preview(&after, accept)).unwrap()["tabs"][0]);
            assert!(String::from_utf16_lossy(&units).contains(words));
        }
        // Nothing more is sent for the edit that waits, and it is told again.
        let again =
            docs::plan(&fetched(&serde_json::to_value(&after).unwrap()), &PartId::default(), &edited, false).unwrap();
        let refused = again.refused.iter().filter(|notice| notice.code != "EMPTY_FORMAT").count();
        assert!(again.requests.is_empty() && refused == 1, "{:#?}", again.requests);
    }
}

#[test]
fn a_paragraph_with_a_suggestion_stays_what_it_is() {
    let raw = suggested();
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    for (form, end) in [
        ("# ", ""),
        ("- ", ""),
        ("1. ", ""),
        ("- [ ] ", ""),
        ("{!Title}\n", "{!Normal text}\n"),
        ("{!align:center}\n", "{!Normal text}\n"),
    ] {
        let edited = text.replace("Second has", &format!("{form}Second has")).replace("Third", &format!("{end}Third"));
        let edited = edited.replace("First paragraph", "Opening");
        let plan = docs::plan(&remote, &PartId::default(), &edited, false).unwrap();
        let line = 1 + edited.lines().position(|line| line.contains("Second has")).unwrap();
        let told: Vec<_> = plan.refused.iter().map(|notice| (&*notice.code, notice.line as usize)).collect();
        assert_eq!(told, [("LOCKED", line)], "{form}: {:#?}", plan.refused);
        assert!(plan.refused[0].message.contains("suggestion"), "{:?}", plan.refused);
        let after = applied(&raw, &plan.requests, 5);
        let content = |raw: &Value| raw["tabs"][0]["documentTab"]["body"]["content"].clone();
        let (was, is) = (&content(&raw)[2]["paragraph"], &content(&after)[2]["paragraph"]);
        assert_eq!(is["paragraphStyle"], was["paragraphStyle"], "{form}");
        assert_eq!(is["bullet"], was["bullet"], "{form}");
        let (units, _) = flatten(&after["tabs"][0]);
        assert!(String::from_utf16_lossy(&units).contains("Opening.\nSecond has twelve"), "{form}");
    }
}

#[test]
fn a_paragraph_with_a_suggestion_is_not_deleted() {
    let raw = suggested();
    let remote = fetched(&raw);
    let line = remote.parts[0].text.lines().find(|line| line.contains("Second has")).unwrap().to_owned();
    let edited = remote.parts[0].text.replace(&format!("{line}\n\n"), "").replace("Third", "Last");
    let plan = docs::plan(&remote, &PartId::default(), &edited, false).unwrap();
    assert!(
        !plan.refused.is_empty() && plan.refused.iter().all(|notice| !notice.message.is_empty()),
        "{:?}",
        plan.refused
    );
    let (units, _) = flatten(&applied(&raw, &plan.requests, 5)["tabs"][0]);
    let said = String::from_utf16_lossy(&units);
    assert!(said.contains("Second has twelvefourteen words.") && said.contains("Last paragraph"), "{said}");
}
