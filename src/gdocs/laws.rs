//! What must hold for every request on every document.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};

use super::sample::document;
use super::{Document, StructuralElement, apply, read_requests, reindex, segment_end, utf16_len};

/// Segments of the sample.
const SEGMENTS: &[&str] = &["", "kix.head", "kix.note"];

/// Returns a segment, empty when its footnote was deleted.
fn content<'a>(document: &'a Document, segment: &str) -> &'a [StructuralElement] {
    document.tabs.first().unwrap().document_tab.as_ref().unwrap().segment(Some(segment)).unwrap_or_default()
}

/// Applies raw requests, as a client would send them.
fn send(document: &Document, requests: &[Value]) -> Result<Document, String> {
    let requests = read_requests(requests).map_err(|refusal| refusal.message)?;
    apply(document, &requests, 1).map(|applied| applied.document).map_err(|refusal| refusal.message)
}

/// Returns one unit for each index of a segment; markers of the structure are 1, objects U+FFFC.
fn flat(content: &[StructuralElement], units: &mut Vec<u16>) {
    for element in content {
        if let Some(paragraph) = &element.paragraph {
            for element in &paragraph.elements {
                match element.text() {
                    Some(text) => units.extend(text.encode_utf16()),
                    None => units.extend(std::iter::repeat_n(0xFFFC, element.width_utf16() as usize)),
                }
            }
        } else if let Some(table) = &element.table {
            units.push(1);
            for row in &table.table_rows {
                units.push(1);
                for cell in &row.table_cells {
                    units.push(1);
                    flat(&cell.content, units);
                }
            }
            units.push(1);
        } else if let Some(toc) = &element.table_of_contents {
            units.push(1);
            flat(&toc.content, units);
            units.push(1);
        } else {
            units.push(1);
        }
    }
}

fn flat_of(document: &Document, segment: &str) -> Vec<u16> {
    let mut units = Vec::new();
    flat(content(document, segment), &mut units);
    units
}

/// Checks that a document is well formed: indices, newlines, no empty runs.
fn check_form(document: &Document) {
    fn paragraphs(content: &[StructuralElement], lists: &[String]) {
        for element in content {
            if let Some(paragraph) = &element.paragraph {
                let text = paragraph.text();
                let list = paragraph.bullet.as_ref().map(|bullet| &bullet.list_id);
                assert!(list.is_none_or(|list| lists.contains(list)), "{list:?}");
                assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "{text:?}");
                assert!(paragraph.elements.iter().all(|element| element.text() != Some("")), "{paragraph:?}");
            }
            for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
                assert!(cell.content.last().is_some_and(|last| last.paragraph.is_some()), "{cell:?}");
                paragraphs(&cell.content, lists);
            }
        }
    }
    let before = serde_json::to_value(document).unwrap();
    let mut again = document.clone();
    let tab = again.tabs.first_mut().unwrap().document_tab.as_mut().unwrap();
    let ids: Vec<Option<String>> = tab.segment_ids().into_iter().map(|id| id.map(str::to_owned)).collect();
    let lists: Vec<String> = tab.lists.keys().cloned().collect();
    for id in ids {
        let segment = tab.segment_mut(id.as_deref()).unwrap();
        assert_eq!(reindex(segment), 0);
        paragraphs(segment, &lists);
        let end = segment_end(segment);
        assert!(segment.last().is_some_and(|last| last.paragraph.is_some()));
        let ranges = tab.named_ranges.values().flat_map(|group| &group.named_ranges).flat_map(|named| &named.ranges);
        for range in ranges.filter(|range| range.segment_id == id) {
            assert!(range.start_index.unwrap_or(0) < range.end_index.unwrap() && range.end_index.unwrap() <= end);
        }
    }
    assert_eq!(serde_json::to_value(&again).unwrap(), before);
}

/// Writes the same heading id everywhere.
fn without_ids(document: &Document) -> Value {
    fn mask(value: &mut Value) {
        match value {
            Value::Object(fields) => fields
                .iter_mut()
                .for_each(|(key, value)| if key == "headingId" { *value = json!("h") } else { mask(value) }),
            Value::Array(items) => items.iter_mut().for_each(mask),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut value = serde_json::to_value(document).unwrap();
    mask(&mut value);
    value
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "B ", "\n", "🙂", "👍🏽", "ที่", "e\u{301}", "ש", "\t", "\u{b}"]),
        1..6,
    )
    .prop_map(|parts| parts.concat())
}

fn place() -> impl Strategy<Value = (&'static str, f64)> {
    (prop::sample::select(SEGMENTS), 0.0..1.0)
}

/// Scales a fraction to an index of a segment.
fn index(document: &Document, segment: &str, fraction: f64) -> u32 {
    scaled(segment_end(content(document, segment)) + 2, fraction)
}

/// Returns a part of `whole`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the fraction is below 1")]
fn scaled(whole: u32, fraction: f64) -> u32 {
    (f64::from(whole) * fraction) as u32
}

fn style() -> impl Strategy<Value = (Value, String)> {
    prop::sample::select(vec![
        (json!({"bold": true}), "bold"),
        (json!({"bold": false, "italic": true}), "bold,italic"),
        (json!({"link": {"url": "https://example.org"}}), "link"),
        (json!({}), "link"),
        (json!({}), "*"),
        (json!({"fontSize": {"magnitude": 18, "unit": "PT"}}), "fontSize"),
        (json!({"weightedFontFamily": {"fontFamily": "Roboto Mono"}}), "weightedFontFamily.fontFamily"),
        (json!({}), "weightedFontFamily.weight"),
        (json!({}), "nonsense"),
        (json!({}), ""),
    ])
    .prop_map(|(style, fields)| (style, fields.to_owned()))
}

fn request() -> impl Strategy<Value = (u8, (&'static str, f64), f64, String, (Value, String))> {
    (0..11u8, place(), 0.0..1.0, text(), style())
}

/// Makes a raw request of random parts.
fn build(document: &Document, parts: &(u8, (&'static str, f64), f64, String, (Value, String))) -> Value {
    let (kind, (segment, from), to, text, (style, fields)) = parts;
    let (from, to) = (index(document, segment, *from), index(document, segment, *to));
    let range = json!({"startIndex": from.min(to), "endIndex": from.max(to), "segmentId": segment});
    let short = json!({"startIndex": from, "endIndex": from + 1 + to % 9, "segmentId": segment});
    let heading = format!("HEADING_{}", 1 + to % 6);
    let preset = ["BULLET_DISC_CIRCLE_SQUARE", "NUMBERED_DECIMAL_NESTED", "BULLET_CHECKBOX"][to as usize % 3];
    match kind {
        0 => json!({"insertText": {"location": {"index": from, "segmentId": segment}, "text": text}}),
        1 => json!({"insertText": {"endOfSegmentLocation": {"segmentId": segment}, "text": text}}),
        2 => json!({"deleteContentRange": {"range": range}}),
        3 => json!({"deleteContentRange": {"range": short}}),
        4 => json!({"updateTextStyle": {"range": short, "textStyle": style, "fields": fields}}),
        5 => json!({"updateParagraphStyle": {"range": range, "paragraphStyle": {"namedStyleType": heading},
            "fields": "namedStyleType"}}),
        6 => json!({"createNamedRange": {"range": range, "name": "random"}}),
        7 => json!({"createParagraphBullets": {"range": short, "bulletPreset": preset}}),
        8 => json!({"createParagraphBullets": {"range": range, "bulletPreset": preset}}),
        9 => json!({"deleteParagraphBullets": {"range": short}}),
        _ => json!({"insertTable": {"location": {"index": from, "segmentId": segment}, "rows": to % 4, "columns": 2}}),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn inserting_and_deleting_again_restores(place in place(), text in text()) {
        let before = document();
        let (segment, fraction) = place;
        let at = index(&before, segment, fraction);
        let insert = json!({"insertText": {"location": {"index": at, "segmentId": segment}, "text": text}});
        if let Ok(inserted) = send(&before, &[insert]) {
            let range = json!({"startIndex": at, "endIndex": at + utf16_len(&text), "segmentId": segment});
            let after = send(&inserted, &[json!({"deleteContentRange": {"range": range}})]).unwrap();
            prop_assert_eq!(without_ids(&after), without_ids(&before));
        }
    }

    #[test]
    fn text_is_spliced(parts in request()) {
        let before = document();
        let request = build(&before, &parts);
        let segment = parts.1.0;
        let mut expected = flat_of(&before, segment);
        if let Some(insert) = request.get("insertText") {
            let at = insert.pointer("/location/index").and_then(Value::as_u64);
            let at = at.map_or(expected.len() - 1, |at| usize::try_from(at).unwrap());
            if let Ok(after) = send(&before, std::slice::from_ref(&request)) {
                expected.splice(at..at, parts.3.encode_utf16());
                prop_assert_eq!(flat_of(&after, segment), expected);
            }
        } else if let Some(range) = request.pointer("/deleteContentRange/range") {
            let [from, to] = ["startIndex", "endIndex"].map(|key| usize::try_from(range[key].as_u64().unwrap()).unwrap());
            if let Ok(after) = send(&before, std::slice::from_ref(&request)) {
                expected.drain(from..to);
                prop_assert_eq!(flat_of(&after, segment), expected);
            }
        } else if let Some(insert) = request.get("insertTable") {
            let [at, rows] = ["/location/index", "/rows"].map(|key| insert.pointer(key).unwrap().as_u64().unwrap());
            if let Ok(after) = send(&before, std::slice::from_ref(&request)) {
                let (at, newline) = (usize::try_from(at).unwrap(), u16::from(b'\n'));
                let row = [1, 1, newline, 1, newline];
                let rows = std::iter::repeat_n(row, usize::try_from(rows).unwrap()).flatten();
                expected.splice(at..at, [newline, 1].into_iter().chain(rows).chain([1]));
                prop_assert_eq!(flat_of(&after, segment), expected);
            }
        } else if !matches!(parts.0, 0..=3)
            && let Ok(after) = send(&before, std::slice::from_ref(&request))
        {
            // Styles, names and bullets change no text; the sample has no tabs that bullets would take.
            prop_assert_eq!(flat_of(&after, segment), expected);
        }
    }

    #[test]
    fn batches_leave_a_sound_document_or_none(all in prop::collection::vec(request(), 1..12)) {
        let mut now = document();
        for parts in &all {
            let before = now.clone();
            match send(&now, &[build(&now, parts)]) {
                Ok(after) => {
                    check_form(&after);
                    now = after;
                }
                Err(message) => {
                    prop_assert!(message.starts_with("Invalid requests[0]."), "{}", message);
                    prop_assert_eq!(serde_json::to_value(&before).unwrap(), serde_json::to_value(&now).unwrap());
                }
            }
        }
        // The whole batch at once: all of it or nothing, and no panic either way.
        let start = document();
        let batch: Vec<Value> = all.iter().map(|parts| build(&start, parts)).collect();
        if let Ok(after) = send(&start, &batch) {
            check_form(&after);
        }
    }

    #[test]
    fn any_json_is_read_or_refused(
        kind in prop::sample::select(super::schema::KINDS),
        field in prop::sample::select(vec!["range", "text", "fields", "location", "name", "foo", "textStyle",
            "bulletPreset", "rows"]),
        value in prop::sample::select(vec![json!(null), json!(-1), json!("x"), json!([1]), json!({"startIndex": -3}),
            json!({"index": 1e30}), json!({"endIndex": "5"}), json!({"bold": 1}), json!(true)]),
    ) {
        let body = json!({kind: {field: value}});
        match read_requests(&[body]) {
            Ok(requests) => drop(apply(&document(), &requests, 0)),
            Err(refusal) => prop_assert!(matches!(refusal.code, 400 | 501)),
        }
    }

    #[test]
    fn damaged_documents_never_panic(
        damage in prop::collection::vec((0.0..1.0f64, 0..3u8), 1..4),
        all in prop::collection::vec(request(), 1..6),
    ) {
        let sound = document();
        let mut value = serde_json::to_value(&sound).unwrap();
        for (fraction, how) in &damage {
            let mut left = 1 + scaled(count(&value), *fraction);
            harm(&mut value, &mut left, *how);
        }
        if let Ok(damaged) = serde_json::from_value::<Document>(value) {
            let batch: Vec<Value> = all.iter().map(|parts| build(&sound, parts)).collect();
            for request in &batch {
                drop(send(&damaged, std::slice::from_ref(request)));
            }
            drop(send(&damaged, &batch));
            drop(super::to_legacy(&damaged));
        }
    }
}

/// Returns the number of values in a value.
fn count(value: &Value) -> u32 {
    1 + match value {
        Value::Object(fields) => fields.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Nulls, empties or zeroes one value, the one where `left` runs out.
fn harm(value: &mut Value, left: &mut u32, how: u8) {
    *left = left.saturating_sub(1);
    if *left == 0 {
        *value = match (how, &*value) {
            (1, Value::Object(_)) => json!({}),
            (1, Value::Array(_)) => json!([]),
            (2, Value::Number(_)) => json!(0),
            (2, Value::String(_)) => json!(""),
            _ => Value::Null,
        };
        *left = u32::MAX;
        return;
    }
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|v| harm(v, left, how)),
        Value::Array(items) => items.iter_mut().for_each(|v| harm(v, left, how)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
