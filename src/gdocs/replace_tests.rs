//! Cases of replacements.

use serde_json::{Value, json};

use super::sample::document;
use super::{Document, apply, new_document, read_requests};

/// Applies raw requests and returns the document and the replies.
fn send(document: &Document, requests: &Value) -> Result<(Document, Vec<Value>), String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    let applied = apply(document, &requests, 1).map_err(|refusal| refusal.message)?;
    Ok((applied.document, applied.replies))
}

/// Returns a new document with this text.
fn of(text: &str) -> Document {
    send(&new_document("doc", "t"), &json!([{"insertText": {"location": {"index": 1}, "text": text}}])).unwrap().0
}

/// Writes runs as `text{style}`, one paragraph a line.
fn shown(document: &Document) -> Vec<String> {
    let content = document.tabs[0].document_tab.as_ref().unwrap().segment(None).unwrap();
    let paragraphs = content.iter().filter_map(|element| element.paragraph.as_ref());
    paragraphs
        .map(|paragraph| {
            let runs = paragraph.elements.iter().map(|element| {
                let style = element.text_style().map(|style| style.keys().cloned().collect::<Vec<_>>().join(","));
                let text = element.text().unwrap_or("□").replace('\n', "¶");
                style.filter(|style| !style.is_empty()).map_or(text.clone(), |style| format!("{text}{{{style}}}"))
            });
            runs.collect::<Vec<_>>().join("|")
        })
        .collect()
}

fn replace(from: &str, to: &str) -> Value {
    json!({"replaceAllText": {"containsText": {"text": from, "matchCase": true}, "replaceText": to}})
}

fn named(from: u32, to: u32, name: &str) -> Value {
    json!({"createNamedRange": {"name": name, "range": {"startIndex": from, "endIndex": to}}})
}

fn bold(from: u32, to: u32) -> Value {
    json!({"updateTextStyle": {"range": {"startIndex": from, "endIndex": to}, "textStyle": {"bold": true}, "fields": "bold"}})
}

/// Checks what the last request of a batch answers and what is left.
#[track_caller]
fn check(text: &str, requests: &[Value], count: Option<u32>, expected: &[&str]) {
    let (document, replies) = send(&of(text), &json!(requests)).unwrap();
    let reply = count.map_or(json!({}), |count| json!({"occurrencesChanged": count}));
    assert_eq!(replies.last(), Some(&json!({"replaceAllText": reply})));
    assert_eq!(shown(&document), expected);
}

#[test]
fn all_occurrences_are_replaced() {
    check("a cat, a cat", &[replace("cat", "dog")], Some(2), &["a dog, a dog¶"]);
    check("a cat\nCat", &[replace("cat", "")], Some(1), &["a ¶", "Cat¶"]);
    check("a cat", &[replace("dog", "x")], None, &["a cat¶"]);
    check("aaaa", &[replace("aa", "a")], Some(2), &["aa¶"]);
    check("🙂🙂x🙂", &[replace("🙂", "!!")], Some(3), &["!!!!x!!¶"]);
    check("x x", &[replace("x", "1\n2")], Some(2), &["1¶", "2 1¶", "2¶"]);
    check("a\nb", &[replace("a\nb", "x")], None, &["a¶", "b¶"]);
    check("x", &[replace("x", "\u{1}y\u{e907}")], Some(1), &["y¶"]);
    let any = |text: &str| json!({"replaceAllText": {"containsText": {"text": text}, "replaceText": "x"}});
    check("Ä ä a", &[any("ä")], Some(2), &["x x a¶"]);
    check("a.b axb", &[any("a.b")], Some(1), &["x axb¶"]);
    let pattern = |text: &str, case: bool| json!({"replaceAllText": {"containsText": {"text": text, "searchByRegex": true, "matchCase": case}, "replaceText": "$0"}});
    check("a1b22 A3", &[pattern("[a-z]\\d+", true)], Some(2), &["$0$0 A3¶"]);
    check("a1b22 A3", &[pattern("[a-z]\\d+", false)], Some(3), &["$0$0 $0¶"]);
    check("abc", &[pattern("x*", true)], None, &["abc¶"]);
}

#[test]
fn the_new_text_looks_like_the_first_character_of_the_old() {
    check("abcd", &[bold(2, 4), replace("bc", "XYZ")], Some(1), &["a|XYZ{bold}|d¶"]);
    check("abcd", &[bold(3, 5), replace("bc", "X")], Some(1), &["aX|d¶{bold}"]);
    check("abcd", &[bold(2, 3), replace("b", "")], Some(1), &["acd¶"]);
    check("abcd", &[bold(2, 3), replace("b", "1\n2")], Some(1), &["a|1¶{bold}", "2{bold}|cd¶"]);
}

#[test]
fn all_segments_and_the_named_tabs_are_searched() {
    let sample = document();
    let (after, replies) =
        send(&sample, &json!([replace("top", "TOP"), replace("note", "NOTE"), replace("deep", "DEEP")])).unwrap();
    assert_eq!(replies.iter().filter(|reply| reply["replaceAllText"]["occurrencesChanged"] == 1).count(), 3);
    let text = serde_json::to_string(&after).unwrap();
    assert!(["TOP", "NOTE", "DEEP"].iter().all(|word| text.contains(word)));
    let two = json!([{"addDocumentTab": {"tabProperties": {"title": "Two"}}}]);
    let (two, replies) = send(&of("cat"), &two).unwrap();
    let id = &replies[0]["addDocumentTab"]["tabProperties"]["tabId"];
    let fill = json!([{"insertText": {"location": {"index": 1, "tabId": id}, "text": "cat"}}]);
    let (two, _) = send(&two, &fill).unwrap();
    let only = |tabs: Value| {
        let mut request = replace("cat", "dog");
        request["replaceAllText"]["tabsCriteria"] = json!({"tabIds": tabs});
        send(&two, &json!([request])).unwrap().1[0]["replaceAllText"]["occurrencesChanged"].clone()
    };
    assert_eq!(only(json!([])), 2);
    assert_eq!(only(json!([id])), 1);
    assert_eq!(only(json!(["t.0", id, id])), 2);
}

#[test]
fn named_ranges_hold_what_replaced_their_text() {
    let ranges = |requests: &[Value]| {
        let document = send(&of("a cat b"), &json!(requests)).unwrap().0;
        let tab = document.tabs[0].document_tab.clone().unwrap();
        tab.named_ranges.get("n").map(|group| {
            let range = &group.named_ranges[0].ranges[0];
            (range.start_index.unwrap(), range.end_index.unwrap())
        })
    };
    // `cat` stands at 3 to 6.
    assert_eq!(ranges(&[named(3, 6, "n"), replace("cat", "tiger")]), Some((3, 8)));
    assert_eq!(ranges(&[named(1, 8, "n"), replace("cat", "tiger")]), Some((1, 10)));
    assert_eq!(ranges(&[named(1, 4, "n"), replace("cat", "tiger")]), Some((1, 3)));
    assert_eq!(ranges(&[named(4, 8, "n"), replace("cat", "tiger")]), Some((8, 10)));
    assert_eq!(ranges(&[named(4, 5, "n"), replace("cat", "tiger")]), None);
    assert_eq!(ranges(&[named(3, 6, "n"), replace("cat", "")]), None);
    assert_eq!(ranges(&[named(6, 8, "n"), replace("cat", "x")]), Some((4, 6)));
    let content = |text: &str| json!({"replaceNamedRangeContent": {"namedRangeName": "n", "text": text}});
    assert_eq!(ranges(&[named(3, 6, "n"), content("tiger")]), Some((3, 8)));
    assert_eq!(ranges(&[named(3, 6, "n"), content("")]), None);
}

#[test]
fn the_content_of_named_ranges_is_replaced() {
    let check = |text: &str, requests: &[Value], expected: &[&str]| {
        assert_eq!(shown(&send(&of(text), &json!(requests)).unwrap().0), expected);
    };
    let content = |text: &str| json!({"replaceNamedRangeContent": {"namedRangeName": "n", "text": text}});
    check("a cat b", &[named(3, 6, "n"), content("dog")], &["a dog b¶"]);
    check("a cat b", &[bold(3, 6), named(3, 6, "n"), content("dog")], &["a |dog{bold}| b¶"]);
    check("ab\ncd\nef", &[named(2, 5, "n"), content("X")], &["aXd¶", "ef¶"]);
    check("a cat b", &[named(1, 2, "n"), named(7, 8, "n"), content("X")], &["X cat X¶"]);
    check("a cat b", &[content("X")], &["a cat b¶"]);
    let mut split = serde_json::to_value(send(&of("a cat b"), &json!([named(1, 2, "n")])).unwrap().0).unwrap();
    let ranges = split.pointer_mut("/tabs/0/documentTab/namedRanges/n/namedRanges/0/ranges").unwrap();
    ranges.as_array_mut().unwrap().push(json!({"startIndex": 3, "endIndex": 6}));
    let split: Document = serde_json::from_value(split).unwrap();
    assert_eq!(shown(&send(&split, &json!([content("X")])).unwrap().0), ["X  b¶"]);
}

#[test]
fn refusals_of_replacements() {
    let named_all = named(1, 5, "n");
    let content = |selector: Value| {
        let mut body = selector;
        body["text"] = json!("x");
        json!({"replaceNamedRangeContent": body})
    };
    let cases = [
        (json!([replace("", "x")]), "The text to find must not be empty."),
        (json!([{"replaceAllText": {}}]), "The text to find must not be empty."),
        (
            json!([{"replaceAllText": {"containsText": {"text": "(", "searchByRegex": true}}}]),
            "not a valid regular expression.",
        ),
        (
            json!([{"replaceAllText": {"containsText": {"text": "(a{999}){999}", "searchByRegex": true}}}]),
            "not a valid regular expression.",
        ),
        (
            json!([{"replaceAllText": {"containsText": {"text": "a"}, "tabsCriteria": {"tabIds": ["t.9"]}}}]),
            "A tab with ID t.9 does not exist.",
        ),
        (json!([content(json!({}))]), "ID or name for named range must be set"),
        (json!([content(json!({"namedRangeId": "kix.no"}))]), "The named range with ID kix.no was not found."),
        (json!([named_all, content(json!({"namedRangeName": "n"}))]), "The range cannot include the newline character"),
    ];
    for (requests, expected) in cases {
        let refusal = send(&of("abc"), &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}
