//! What must hold for every request on every document.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};

use super::law_form::{check_form, flat_of, without_ids};
use super::law_requests::{any_request, build, index, place, request, scaled, text};
use super::sample::document;
use super::{Document, apply, apply_traced, read_requests, utf16_len};

/// Applies raw requests, as a client would send them.
fn send(document: &Document, requests: &[Value]) -> Result<Document, String> {
    let requests = read_requests(requests).map_err(|refusal| refusal.message)?;
    apply(document, &requests, 1).map(|applied| applied.document).map_err(|refusal| refusal.message)
}

/// Applies raw requests one by one, each made for the document that the last one left, and returns those that were
/// carried out.
fn carried_out(document: &Document, all: &[super::law_requests::Parts]) -> (Document, Vec<Value>) {
    let mut now = document.clone();
    let mut done = Vec::new();
    for parts in all {
        let request = build(&now, parts);
        if let Ok(after) = send(&now, std::slice::from_ref(&request)) {
            now = after;
            done.push(request);
        }
    }
    (now, done)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

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
        let mut expected = flat_of(&before, None, segment);
        if let Some(insert) = request.get("insertText") {
            let at = insert.pointer("/location/index").and_then(Value::as_u64);
            let at = at.map_or(expected.len() - 1, |at| usize::try_from(at).unwrap());
            if let Ok(after) = send(&before, std::slice::from_ref(&request)) {
                expected.splice(at..at, parts.3.encode_utf16());
                prop_assert_eq!(flat_of(&after, None, segment), expected);
            }
        } else if let Some(range) = request.pointer("/deleteContentRange/range") {
            let [from, to] = ["startIndex", "endIndex"].map(|key| usize::try_from(range[key].as_u64().unwrap()).unwrap());
            if let Ok(after) = send(&before, std::slice::from_ref(&request)) {
                expected.drain(from..to);
                prop_assert_eq!(flat_of(&after, None, segment), expected);
            }
        } else if let Some(insert) = request.get("insertTable") {
            let [at, rows] = ["/location/index", "/rows"].map(|key| insert.pointer(key).unwrap().as_u64().unwrap());
            if let Ok(after) = send(&before, std::slice::from_ref(&request)) {
                let (at, newline) = (usize::try_from(at).unwrap(), u16::from(b'\n'));
                let row = [1, 1, newline, 1, newline];
                let rows = std::iter::repeat_n(row, usize::try_from(rows).unwrap()).flatten();
                expected.splice(at..at, [newline, 1].into_iter().chain(rows).chain([1]));
                prop_assert_eq!(flat_of(&after, None, segment), expected);
            }
        } else if !matches!(parts.0, 0..=3)
            && let Ok(after) = send(&before, std::slice::from_ref(&request))
        {
            // Styles, names and bullets change no text; the sample has no tabs that bullets would take.
            prop_assert_eq!(flat_of(&after, None, segment), expected);
        }
    }

    #[test]
    fn batches_leave_a_sound_document_or_none(all in prop::collection::vec(any_request(), 1..16)) {
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
    fn what_is_traced_is_what_it_was(all in prop::collection::vec(any_request(), 1..16)) {
        let before = document();
        let (_, batch) = carried_out(&before, &all);
        let requests = read_requests(&batch).unwrap();
        // In one batch ids are drawn otherwise, so a request that names one may be refused; then there is no trace.
        let plain = apply(&before, &requests, 1);
        let traced = apply_traced(&before, &requests, 1);
        prop_assert_eq!(plain.is_ok(), traced.is_ok());
        if let (Ok(plain), Ok((applied, traces))) = (plain, traced) {
            prop_assert_eq!(serde_json::to_value(&plain.document).unwrap(), serde_json::to_value(&applied.document).unwrap());
            for trace in &traces {
                let old = flat_of(&before, Some(&trace.tab_id), &trace.segment_id);
                let new = flat_of(&applied.document, Some(&trace.tab_id), &trace.segment_id);
                prop_assert_eq!(trace.units.len(), new.len());
                let mut seen = std::collections::BTreeSet::new();
                for (unit, from) in new.iter().zip(&trace.units) {
                    if let Some(from) = from {
                        prop_assert!(seen.insert(*from), "{} stands twice", from);
                        prop_assert_eq!(Some(unit), old.get(*from as usize));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_untouched_is_traced_to_itself(parts in any_request()) {
        let before = document();
        let request = build(&before, &parts);
        let requests = read_requests(std::slice::from_ref(&request)).unwrap();
        if let Ok((after, traces)) = apply_traced(&before, &requests, 1) {
            for trace in traces.iter().filter(|trace| trace.tab_id == "t.0") {
                let segment = trace.segment_id.as_str();
                let (old, new) = (flat_of(&before, None, segment), flat_of(&after.document, None, segment));
                // What stands before the first and behind the last change of the text was never touched.
                let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
                let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
                if old == new && !matches!(parts.0, 41..=44) {
                    let itself = (0..).zip(&trace.units).all(|(unit, from)| *from == Some(unit));
                    prop_assert!(itself, "{:?}", request);
                } else if matches!(parts.0, 0..=3) {
                    let kept = trace.units.iter().flatten().count();
                    prop_assert!(kept + same.max(tail) >= same + tail.min(same) && kept <= old.len());
                    let gone = old.len() - kept;
                    let made = new.len() - kept;
                    prop_assert!(gone == 0 || made == 0, "an insertion deletes nothing, a deletion makes nothing");
                }
            }
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
        all in prop::collection::vec(any_request(), 1..6),
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

#[test]
fn every_kind_is_carried_out_by_some_random_request() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(any_request(), 1..24);
    let mut done = std::collections::BTreeSet::new();
    for _ in 0..600 {
        let all = strategy.new_tree(&mut runner).unwrap().current();
        let (_, requests) = carried_out(&document(), &all);
        done.extend(requests.iter().filter_map(|request| request.as_object()?.keys().next().cloned()));
    }
    // These name what only an earlier answer or a rarer document has; their cases stand by themselves.
    let rare =
        ["deletePositionedObject", "deleteFooter", "updateDropdownProperties", "updateDropdownDefinitionProperties"];
    let missing: Vec<&str> = super::schema::REQUESTS
        .iter()
        .map(|(kind, _)| *kind)
        .filter(|kind| !done.contains(*kind) && !rare.contains(kind) && *kind != "deleteNamedRange")
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
