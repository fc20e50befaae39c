//! Cases, one line each where that is possible.

use serde_json::{Value, json};

use super::sample::{MIXED, document};
use super::{Document, ElementKind, Paragraph, apply, new_document, read_requests, to_legacy, utf16_len};

/// Applies raw requests.
fn send(document: &Document, requests: &Value) -> Result<Document, String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    apply(document, &requests, 1).map(|applied| applied.document).map_err(|refusal| refusal.message)
}

/// Returns a new document with this text.
fn of(text: &str) -> Document {
    send(&new_document("doc", "t"), &json!([{"insertText": {"location": {"index": 1}, "text": text}}])).unwrap()
}

fn paragraphs(document: &Document) -> Vec<&Paragraph> {
    let tab = document.tabs.first().unwrap().document_tab.as_ref().unwrap();
    tab.segment(None).unwrap().iter().filter_map(|element| element.paragraph.as_ref()).collect()
}

/// Writes runs as `text{style}`, one paragraph a line with its named style.
fn shown(document: &Document) -> Vec<String> {
    paragraphs(document)
        .into_iter()
        .map(|paragraph| {
            let runs = paragraph.elements.iter().map(|element| {
                let style = element.text_style().map(|style| style.keys().cloned().collect::<Vec<_>>().join(","));
                let text = element.text().unwrap_or("□").replace('\n', "¶");
                style.filter(|style| !style.is_empty()).map_or(text.clone(), |style| format!("{text}{{{style}}}"))
            });
            format!("{}: {}", paragraph.named_style_type(), runs.collect::<Vec<_>>().join("|"))
        })
        .collect()
}

fn insert(at: u32, text: &str) -> Value {
    json!({"insertText": {"location": {"index": at}, "text": text}})
}

fn delete(from: u32, to: u32) -> Value {
    json!({"deleteContentRange": {"range": {"startIndex": from, "endIndex": to}}})
}

fn text_style(from: u32, to: u32, style: &Value, fields: &str) -> Value {
    json!({"updateTextStyle": {"range": {"startIndex": from, "endIndex": to}, "textStyle": style, "fields": fields}})
}

fn named(from: u32, to: u32, name: &str) -> Value {
    json!({"updateParagraphStyle": {"range": {"startIndex": from, "endIndex": to},
        "paragraphStyle": {"namedStyleType": name}, "fields": "namedStyleType"}})
}

/// Checks what a batch on a text of plain paragraphs leaves.
#[track_caller]
fn check(text: &str, requests: &Value, expected: &[&str]) {
    assert_eq!(shown(&send(&of(text), requests).unwrap()), expected);
}

#[track_caller]
fn check_refused(document: &Document, requests: &Value, expected: &str) {
    assert_eq!(send(document, requests).unwrap_err(), expected);
}

#[test]
fn text_is_inserted() {
    check("ab", &json!([insert(2, "X")]), &["NORMAL_TEXT: aXb¶"]);
    check(
        "ab",
        &json!([insert(2, "X\nY\n\nZ")]),
        &["NORMAL_TEXT: aX¶", "NORMAL_TEXT: Y¶", "NORMAL_TEXT: ¶", "NORMAL_TEXT: Zb¶"],
    );
    check("ab", &json!([insert(3, "\u{1}X\u{e907}")]), &["NORMAL_TEXT: abX¶"]);
    check("ab", &json!([{"insertText": {"endOfSegmentLocation": {}, "text": "X"}}]), &["NORMAL_TEXT: abX¶"]);
    check("a\r\nb", &json!([insert(1, "\t")]), &["NORMAL_TEXT: \ta¶", "NORMAL_TEXT: b¶"]);
}

#[test]
fn inserted_text_takes_the_style_before_it() {
    let bold = text_style(2, 4, &json!({"bold": true}), "bold");
    check("abcd", &json!([bold, insert(4, "X")]), &["NORMAL_TEXT: a|bcX{bold}|d¶"]);
    check("abcd", &json!([bold, insert(2, "X")]), &["NORMAL_TEXT: aX|bc{bold}|d¶"]);
    let first = text_style(1, 3, &json!({"bold": true}), "bold");
    check("abcd", &json!([first, insert(1, "X")]), &["NORMAL_TEXT: Xab{bold}|cd¶"]);
    check("abcd", &json!([first, insert(1, "X\n")]), &["NORMAL_TEXT: X¶{bold}", "NORMAL_TEXT: ab{bold}|cd¶"]);
}

#[test]
fn links_do_not_grow_at_their_edges() {
    let look = "foregroundColor,link,underline";
    let link = text_style(2, 5, &json!({"link": {"url": "https://example.com"}}), "link");
    check("abcde", &json!([link]), &[&format!("NORMAL_TEXT: a|bcd{{{look}}}|e¶")]);
    check("abcde", &json!([link, insert(5, "X")]), &[&format!("NORMAL_TEXT: a|bcd{{{look}}}|Xe¶")]);
    check("abcde", &json!([link, insert(2, "X")]), &[&format!("NORMAL_TEXT: aX|bcd{{{look}}}|e¶")]);
    check("abcde", &json!([link, insert(3, "X")]), &[&format!("NORMAL_TEXT: a|bXcd{{{look}}}|e¶")]);
    check(
        "abcde",
        &json!([link, insert(3, "X\n")]),
        &[&format!("NORMAL_TEXT: a|bX{{{look}}}|¶"), &format!("NORMAL_TEXT: cd{{{look}}}|e¶")],
    );
    let all = text_style(1, 6, &json!({"link": {"url": "https://example.com"}}), "link");
    check("abcde", &json!([all]), &[&format!("NORMAL_TEXT: abcde{{{look}}}|¶")]);
    check("abcde", &json!([link, text_style(1, 6, &json!({}), "link")]), &["NORMAL_TEXT: abcde¶"]);
    check("abcde", &json!([link, text_style(1, 7, &json!({}), "*")]), &["NORMAL_TEXT: abcde¶"]);
    let other = text_style(3, 4, &json!({"link": {"url": "https://example.org"}}), "link");
    check("abcde", &json!([link, other]), &[&format!("NORMAL_TEXT: a|bcd{{{look}}}|e¶")]);
    let plain = text_style(2, 5, &json!({"link": {"url": "u"}}), "link,underline,foregroundColor");
    check("abcde", &json!([plain]), &["NORMAL_TEXT: a|bcd{link}|e¶"]);
}

#[test]
fn characters_are_not_torn() {
    let document = of(&format!("x{MIXED}"));
    let text: Vec<u16> = format!("x{MIXED}").encode_utf16().collect();
    let starts: Vec<usize> = {
        use unicode_segmentation::UnicodeSegmentation as _;
        let whole = format!("x{MIXED}");
        whole.grapheme_indices(true).map(|(byte, _)| whole.get(..byte).unwrap().encode_utf16().count()).collect()
    };
    for offset in 0..text.len() {
        let at = u32::try_from(offset).unwrap() + 1;
        let result = send(&document, &json!([insert(at, "!")]));
        if starts.contains(&offset) {
            assert!(result.is_ok(), "{offset}: {result:?}");
        } else {
            let message = "Invalid requests[0].insertText: The insertion index cannot be within a grapheme cluster.";
            assert_eq!(result.unwrap_err(), message, "{offset}");
        }
    }
    // The emoji 🙂 stands at 5 of "x end 🙂": half of it cannot be deleted.
    let bad = "Invalid requests[0].deleteContentRange: Invalid deletion range. Cannot delete the requested range.";
    check_refused(&document, &json!([delete(7, 8)]), bad);
    assert_eq!(["🙂", "👍🏽", "👨‍👩‍👧", "ที่", "שלום"].map(utf16_len), [2, 4, 8, 3, 4]);
}

#[test]
fn deletions_merge_paragraphs() {
    let headed = json!([named(4, 5, "HEADING_2")]);
    let document = send(&of("ab\ncd\nef"), &headed).unwrap();
    let after = |request: Value| shown(&send(&document, &json!([request])).unwrap());
    assert_eq!(after(delete(2, 3)), ["NORMAL_TEXT: a¶", "HEADING_2: cd¶", "NORMAL_TEXT: ef¶"]);
    assert_eq!(after(delete(1, 4)), ["HEADING_2: cd¶", "NORMAL_TEXT: ef¶"]);
    assert_eq!(after(delete(2, 5)), ["NORMAL_TEXT: ad¶", "NORMAL_TEXT: ef¶"]);
    assert_eq!(after(delete(3, 4)), ["NORMAL_TEXT: abcd¶", "NORMAL_TEXT: ef¶"]);
    assert_eq!(after(delete(1, 8)), ["NORMAL_TEXT: f¶"]);
    assert_eq!(after(delete(1, 5)), ["HEADING_2: d¶", "NORMAL_TEXT: ef¶"]);
    assert_eq!(after(delete(6, 9)), ["NORMAL_TEXT: ab¶", "HEADING_2: cd¶"]);
    assert_eq!(after(delete(1, 9)), ["NORMAL_TEXT: ¶"]);
}

#[test]
fn structure_is_not_broken() {
    let document = document();
    let tab = document.tabs.first().unwrap().document_tab.as_ref().unwrap();
    let content = tab.segment(None).unwrap();
    let table = content.iter().find(|element| element.table.is_some()).unwrap();
    let (start, end) = (table.start_index.utf16(), table.end_index.utf16());
    let last = super::segment_end(content);
    let bad = "Invalid requests[0].deleteContentRange: Invalid deletion range. Cannot delete the requested range.";
    let cell = start + 3;
    for (from, to) in [
        (0, 3),
        (start - 1, start),
        (start - 3, start + 5),
        (start, start + 1),
        (start, end - 1),
        (start + 4, end + 2),
        (cell, cell + 3),
        (start + 1, cell),
        (cell, cell + 5),
    ] {
        check_refused(&document, &json!([delete(from, to)]), bad);
    }
    check_refused(
        &document,
        &json!([delete(last - 3, last)]),
        "Invalid requests[0].deleteContentRange: The range cannot include the newline character at the end of the segment.",
    );
    let outside = "Invalid requests[0].insertText: The insertion index must be inside the bounds of an existing \
         paragraph. You can still create new paragraphs by inserting newlines.";
    for at in [0, start, start + 1, start + 2] {
        check_refused(&document, &json!([insert(at, "x")]), outside);
    }
    let without = send(&document, &json!([delete(start, end)])).unwrap();
    assert_eq!(paragraphs(&without).len(), paragraphs(&document).len());
    let joined = send(&document, &json!([delete(start - 1, end)])).unwrap();
    assert_eq!(paragraphs(&joined).len(), paragraphs(&document).len() - 1);
    let inside = send(&document, &json!([insert(cell, "in "), delete(cell + 3, cell + 4)])).unwrap();
    assert!(serde_json::to_string(&inside).unwrap().contains("in 1\\n"));
}

#[test]
fn objects_go_with_their_references() {
    let document = document();
    let tab = |document: &Document| document.tabs.first().unwrap().document_tab.clone().unwrap();
    let content = tab(&document).body.unwrap().content;
    let paragraph = content.iter().find(|e| {
        e.paragraph.as_ref().is_some_and(|p| p.elements.iter().any(|e| e.kind() == ElementKind::InlineObject))
    });
    let paragraph = paragraph.unwrap();
    let (from, to) = (paragraph.start_index.utf16(), paragraph.end_index.utf16() - 1);
    let after = tab(&send(&document, &json!([delete(from, to)])).unwrap());
    assert!(after.inline_objects.is_empty() && after.footnotes.is_empty());
    let after = tab(&send(&document, &json!([delete(from, from + 4)])).unwrap());
    assert_eq!((after.inline_objects.len(), after.footnotes.len()), (1, 1));
}

#[test]
fn headings_have_ids_of_their_own() {
    let ids = |document: &Document| {
        paragraphs(document).into_iter().map(|p| p.heading_id().map(str::to_owned)).collect::<Vec<_>>()
    };
    let heading = send(&of("ab\ncd"), &json!([named(1, 2, "HEADING_1")])).unwrap();
    let id = ids(&heading)[0].clone().unwrap();
    assert!(id.starts_with("h.") && id.len() == 14, "{id}");
    assert_eq!(ids(&heading)[1], None);
    let lower = send(&heading, &json!([named(1, 2, "HEADING_3")])).unwrap();
    assert_eq!(ids(&lower)[0].as_ref(), Some(&id));
    let plain = send(&heading, &json!([named(1, 2, "NORMAL_TEXT")])).unwrap();
    assert_eq!(ids(&plain), [None, None]);
    let split = send(&heading, &json!([insert(2, "X\n")])).unwrap();
    assert_eq!(ids(&split)[1].as_ref(), Some(&id));
    assert!(ids(&split)[0].is_some() && ids(&split)[0] != ids(&split)[1]);
}

#[test]
fn paragraph_styles_follow_their_mask() {
    let bold = text_style(1, 2, &json!({"bold": true, "fontSize": {"magnitude": 30, "unit": "PT"}}), "bold,fontSize");
    check("abc", &json!([bold, named(1, 2, "HEADING_1")]), &["HEADING_1: a{fontSize}|bc¶"]);
    check("abc", &json!([named(1, 2, "HEADING_1"), bold]), &["HEADING_1: a{bold,fontSize}|bc¶"]);
    let update = |style: &Value, fields: &str| {
        json!({"updateParagraphStyle": {"range": {"startIndex": 1, "endIndex": 2}, "paragraphStyle": style,
            "fields": fields}})
    };
    let keys = |requests: &Value| {
        let document = send(&of("abc"), requests).unwrap();
        let style = paragraphs(&document)[0].paragraph_style.clone().unwrap();
        style.0.keys().cloned().collect::<Vec<_>>().join(",")
    };
    let centre = update(&json!({"alignment": "CENTER", "lineSpacing": 115}), "alignment,lineSpacing");
    assert_eq!(keys(&json!([centre])), "alignment,direction,namedStyleType");
    assert_eq!(keys(&json!([centre, update(&json!({}), "alignment")])), "direction,namedStyleType");
    assert_eq!(keys(&json!([centre, update(&json!({}), "*")])), "direction,namedStyleType");
    assert_eq!(keys(&json!([centre, update(&json!({"alignment": "START"}), "alignment")])), "direction,namedStyleType");
}

#[test]
fn text_styles_follow_their_mask() {
    let font = json!({"weightedFontFamily": {"fontFamily": "Roboto Mono"}});
    check(
        "abcd",
        &json!([text_style(2, 4, &font, "weightedFontFamily")]),
        &["NORMAL_TEXT: a|bc{weightedFontFamily}|d¶"],
    );
    check(
        "abcd",
        &json!([text_style(2, 4, &font, "weightedFontFamily"), text_style(2, 4, &json!({}), "weightedFontFamily")]),
        &["NORMAL_TEXT: abcd¶"],
    );
    // What is inherited anyway is not written down.
    let arial = json!({"bold": false, "fontSize": {"magnitude": 11, "unit": "PT"},
        "weightedFontFamily": {"fontFamily": "Arial", "weight": 400}, "baselineOffset": "NONE",
        "foregroundColor": {"color": {"rgbColor": {"red": 0, "green": 0, "blue": 0}}}});
    check("abcd", &json!([text_style(2, 4, &arial, "*")]), &["NORMAL_TEXT: abcd¶"]);
    // Up to the newline means with the newline.
    let bold = json!({"bold": true});
    check("ab\ncd", &json!([text_style(1, 3, &bold, "bold")]), &["NORMAL_TEXT: ab¶{bold}", "NORMAL_TEXT: cd¶"]);
    check("ab\ncd", &json!([text_style(2, 5, &bold, "bold")]), &["NORMAL_TEXT: a|b¶{bold}", "NORMAL_TEXT: c{bold}|d¶"]);
    check(
        "ab",
        &json!([text_style(1, 2, &bold, "bold"), text_style(2, 3, &bold, "bold")]),
        &["NORMAL_TEXT: ab¶{bold}"],
    );
}

#[test]
fn named_ranges_move_with_the_text() {
    let create = json!({"createNamedRange": {"name": "n", "range": {"startIndex": 3, "endIndex": 6}}});
    let ranges = |requests: &[Value]| {
        let mut batch = vec![create.clone()];
        batch.extend_from_slice(requests);
        let document = send(&of("abcdefgh"), &Value::Array(batch)).unwrap();
        let tab = document.tabs.first().unwrap().document_tab.clone().unwrap();
        tab.named_ranges.get("n").map(|group| {
            let range = &group.named_ranges[0].ranges[0];
            (range.start_index.unwrap(), range.end_index.unwrap())
        })
    };
    assert_eq!(ranges(&[]), Some((3, 6)));
    assert_eq!(ranges(&[insert(1, "xx")]), Some((5, 8)));
    assert_eq!(ranges(&[insert(3, "xx")]), Some((5, 8)));
    assert_eq!(ranges(&[insert(4, "xx")]), Some((3, 8)));
    assert_eq!(ranges(&[insert(6, "xx")]), Some((3, 6)));
    assert_eq!(ranges(&[delete(2, 4)]), Some((2, 4)));
    assert_eq!(ranges(&[delete(4, 8)]), Some((3, 4)));
    assert_eq!(ranges(&[delete(2, 7)]), None);
    assert_eq!(ranges(&[json!({"deleteNamedRange": {"name": "n"}})]), None);
    assert_eq!(ranges(&[json!({"deleteNamedRange": {"name": "other"}})]), Some((3, 6)));
}

#[test]
fn refusals_are_worded_as_google_words_them() {
    let document = of("abc");
    let cases = [
        (
            json!([insert(9, "x")]),
            "Invalid requests[0].insertText: Index 9 must be less than the end index of the referenced segment, 5.",
        ),
        (
            json!([insert(1, "x"), insert(1, "\u{2}")]),
            "Invalid requests[1].insertText: Insert text requests must specify text",
        ),
        (json!([delete(2, 2)]), "Invalid requests[0].deleteContentRange: The range should not be empty."),
        (json!([{"deleteContentRange": {}}]), "Invalid requests[0].deleteContentRange: The range should not be empty."),
        (
            json!([{"insertText": {"location": {"index": 1, "segmentId": "kix.x"}, "text": "x"}}]),
            "Invalid requests[0].insertText: Segment with ID kix.x was not found",
        ),
        (
            json!([{"deleteNamedRange": {}}]),
            "Invalid requests[0].deleteNamedRange: ID or name for named range must be set",
        ),
        (
            json!([{"foo": {}}]),
            "Invalid JSON payload received. Unknown name \"foo\" at 'requests[0]': Cannot find field.",
        ),
        (
            json!([{"insertText": {"location": {"indx": 1}, "text": "x"}}]),
            "Invalid JSON payload received. Unknown name \"indx\" at 'requests[0].insert_text.location': Cannot find field.",
        ),
        (
            json!([{"insertComment": {}}]),
            "Invalid requests[0].insertComment: The content of a comment cannot be empty.",
        ),
        (json!([{}]), "Invalid requests[0]: No request set."),
    ];
    for (requests, expected) in cases {
        check_refused(&document, &requests, expected);
    }
    let unknown = json!([{"insertText": {"location": {"index": 1, "tabId": "t.9"}, "text": "x"}}]);
    assert!(send(&document, &unknown).unwrap_err().contains("t.9"));
}

#[test]
fn other_tabs_and_segments_are_edited() {
    let sample = document();
    let request =
        json!([{"insertText": {"location": {"index": 0, "segmentId": "kix.head", "tabId": "t.0"}, "text": "very "}}]);
    let after = send(&sample, &request).unwrap();
    let head = after.tab(Some("t.0")).unwrap().document_tab.as_ref().unwrap().segment(Some("kix.head")).unwrap();
    assert_eq!(head[0].paragraph.as_ref().unwrap().text(), "very top\n");
    let mut nested = sample.clone();
    let mut child = sample.tabs[0].clone();
    "t.child".clone_into(&mut child.tab_properties.as_mut().unwrap().tab_id);
    nested.tabs[0].child_tabs.push(child);
    let request = json!([
        {"insertText": {"location": {"index": 1, "tabId": "t.child"}, "text": "New "}},
        {"createNamedRange": {"name": "c", "range": {"startIndex": 1, "endIndex": 3, "tabId": "t.child"}}},
    ]);
    let after = send(&nested, &request).unwrap();
    assert_eq!(after.tabs[0].document_tab, nested.tabs[0].document_tab);
    assert_eq!(after.all_tabs().into_iter().map(super::Tab::id).collect::<Vec<_>>(), ["t.0", "t.child"]);
    let child = after.tab(Some("t.child")).unwrap().document_tab.as_ref().unwrap();
    assert_eq!(child.named_ranges["c"].named_ranges[0].ranges[0].tab_id.as_deref(), Some("t.child"));
}

#[test]
fn wrong_recorded_indices_are_not_edited() {
    let mut value = serde_json::to_value(of("abc")).unwrap();
    value["tabs"][0]["documentTab"]["body"]["content"][1]["endIndex"] = json!(77);
    let document: Document = serde_json::from_value(value).unwrap();
    let requests = read_requests(&[insert(1, "x")]).unwrap();
    assert_eq!(apply(&document, &requests, 0).unwrap_err().code, 501);
}

#[test]
fn the_legacy_form_has_the_first_tab_on_top() {
    let mut sample = document();
    let legacy = to_legacy(&sample);
    assert!(legacy.get("tabs").is_none());
    assert_eq!(legacy["title"], "Sample");
    assert_eq!(legacy["body"], serde_json::to_value(&sample).unwrap()["tabs"][0]["documentTab"]["body"]);
    let link = text_style(1, 3, &json!({"link": {"heading": {"id": "h.level2", "tabId": "t.0"}}}), "link");
    sample = send(&sample, &json!([link])).unwrap();
    let text = to_legacy(&sample).to_string();
    assert!(text.contains("\"link\":{\"headingId\":\"h.level2\"}"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_ids() {
    let requests = read_requests(&[named(1, 2, "HEADING_1")]).unwrap();
    let text = |seed| serde_json::to_string(&apply(&of("abc"), &requests, seed).unwrap().document).unwrap();
    assert_eq!(text(4), text(4));
    assert_ne!(text(4), text(5));
}

#[test]
fn a_table_of_contents_goes_whole_or_not_at_all() {
    let document = document();
    let tab = document.tabs.first().unwrap().document_tab.as_ref().unwrap();
    let contents = tab.segment(None).unwrap().iter().find(|e| e.table_of_contents.is_some()).unwrap();
    let (from, to) = (contents.start_index.utf16(), contents.end_index.utf16());
    let bad = "Invalid requests[0].deleteContentRange: Invalid deletion range. Cannot delete the requested range.";
    for (from, to) in [(from, to - 1), (from + 1, from + 3), (from - 1, from), (from + 2, to)] {
        check_refused(&document, &json!([delete(from, to)]), bad);
    }
    assert!(
        !serde_json::to_string(&send(&document, &json!([delete(from, to)])).unwrap())
            .unwrap()
            .contains("tableOfContents")
    );
    assert!(send(&document, &json!([insert(from + 2, "x")])).is_err());
}

#[test]
fn absent_indices_are_filled_in() {
    let mut value = serde_json::to_value(of("ab\ncd")).unwrap();
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, _| key != "startIndex" && key != "endIndex");
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    strip(&mut value);
    let document: Document = serde_json::from_value(value).unwrap();
    let after = send(&document, &json!([insert(4, "X")])).unwrap();
    assert_eq!(shown(&after), ["NORMAL_TEXT: ab¶", "NORMAL_TEXT: Xcd¶"]);
}

#[test]
fn elements_say_what_they_are() {
    let kind = |value: Value| {
        let element: super::ParagraphElement = serde_json::from_value(value).unwrap();
        (element.kind(), element.raw().map(|(key, _)| key.to_owned()))
    };
    assert_eq!(kind(json!({"textRun": {"content": "x"}})), (ElementKind::TextRun, None));
    assert_eq!(kind(json!({"person": {}})), (ElementKind::Person, Some("person".to_owned())));
    assert_eq!(kind(json!({"dropdown": {}})), (ElementKind::Dropdown, Some("dropdown".to_owned())));
    assert_eq!(kind(json!({"newChip": {}})), (ElementKind::Unknown, Some("newChip".to_owned())));
    assert_eq!(kind(json!({})), (ElementKind::Unknown, None));
}
