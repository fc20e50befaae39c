//! What Google Docs does with plain text, told without the model: a segment is a row of UTF-16 units, and requests are
//! splices of it.

use serde_json::Value;

/// What stands in for units of a segment that are no text.
const STRUCTURE: u16 = 0xffff;

/// The UTF-16 units of a body, with its paragraphs (start, end) that hold nothing but text.
pub(crate) fn flatten(tab: &Value) -> (Vec<u16>, Vec<(usize, usize)>) {
    let content = tab["documentTab"]["body"]["content"].as_array().unwrap();
    let end = content.last().unwrap()["endIndex"].as_u64().unwrap() as usize;
    let mut units = vec![STRUCTURE; end];
    let mut paragraphs = Vec::new();
    walk(content, &mut units, &mut paragraphs);
    (units, paragraphs)
}

fn walk(content: &[Value], units: &mut [u16], paragraphs: &mut Vec<(usize, usize)>) {
    for element in content {
        let index = |value: &Value, key: &str| value[key].as_u64().unwrap_or(0) as usize;
        if let Some(paragraph) = element.get("paragraph") {
            let mut plain =
                !paragraph.to_string().contains("suggested") && paragraph.get("positionedObjectIds").is_none();
            for part in paragraph["elements"].as_array().unwrap() {
                if let Some(text) = part["textRun"]["content"].as_str() {
                    plain &= !text.chars().any(|c| ('\u{e000}'..='\u{f8ff}').contains(&c));
                    for (at, unit) in text.encode_utf16().enumerate() {
                        units[index(part, "startIndex") + at] = unit;
                    }
                } else {
                    plain = false;
                }
            }
            if plain {
                paragraphs.push((index(element, "startIndex"), index(element, "endIndex")));
            }
        }
        for row in element["table"]["tableRows"].as_array().into_iter().flatten() {
            for cell in row["tableCells"].as_array().unwrap() {
                walk(cell["content"].as_array().unwrap(), units, paragraphs);
            }
        }
    }
}

/// Carries out insertions and deletions as splices; returns false for any other request.
pub(crate) fn splice(units: &mut Vec<u16>, request: &Value, tab: &str, inside: (usize, usize)) {
    let object = request.as_object().unwrap();
    assert_eq!(object.len(), 1);
    let (name, body) = object.iter().next().unwrap();
    match name.as_str() {
        "insertText" => {
            assert_eq!(body["location"]["tabId"], tab);
            let index = body["location"]["index"].as_u64().unwrap() as usize;
            assert!((inside.0..units.len()).contains(&index));
            units.splice(index..index, body["text"].as_str().unwrap().encode_utf16());
        }
        "deleteContentRange" => {
            assert_eq!(body["range"]["tabId"], tab);
            let (start, end) = (&body["range"]["startIndex"], &body["range"]["endIndex"]);
            let (start, end) = (start.as_u64().unwrap() as usize, end.as_u64().unwrap() as usize);
            assert!(inside.0 <= start && start < end);
            assert!(units[start..end].iter().all(|unit| *unit != STRUCTURE && *unit != u16::from(b'\n')));
            units.drain(start..end);
        }
        other => panic!("a change of one word needs no {other}"),
    }
}

/// Carries out insertions and deletions of the body as splices, passes by what changes only looks, and returns all that
/// was deleted; `None` when another request is among them.
pub(crate) fn deleted_text(units: &mut Vec<u16>, requests: &[Value]) -> Option<String> {
    let mut deleted = Vec::new();
    for request in requests {
        let (name, body) = request.as_object().unwrap().iter().next().unwrap();
        match name.as_str() {
            "insertText" => {
                let index = body["location"]["index"].as_u64().unwrap() as usize;
                units.splice(index..index, body["text"].as_str().unwrap().encode_utf16());
            }
            "deleteContentRange" => {
                let (start, end) = (&body["range"]["startIndex"], &body["range"]["endIndex"]);
                deleted.extend(units.drain(start.as_u64().unwrap() as usize..end.as_u64().unwrap() as usize));
            }
            "updateParagraphStyle" | "updateTextStyle" => {}
            _ => return None,
        }
    }
    Some(String::from_utf16_lossy(&deleted))
}

/// Returns a document without places and revisions.
pub(crate) fn without_positions(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "startIndex" | "endIndex" | "revisionId"))
            .map(|(key, value)| (key.clone(), without_positions(value)))
            .collect(),
        Value::Array(list) => list.iter().map(without_positions).collect(),
        other => other.clone(),
    }
}

/// Removes the paragraph that starts at `start` in tab `tab`, wherever it is nested.
pub(crate) fn without_paragraph(document: &Value, tab: usize, start: usize) -> Value {
    fn blank(value: &mut Value, start: usize) {
        match value {
            Value::Object(map) => {
                if map.contains_key("paragraph") && map.get("startIndex").and_then(Value::as_u64) == Some(start as u64)
                {
                    let style = map["paragraph"]["paragraphStyle"].take();
                    let bullet = map["paragraph"]["bullet"].take();
                    *value = serde_json::json!({ "style": style, "bullet": bullet });
                } else {
                    map.values_mut().for_each(|value| blank(value, start));
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| blank(value, start)),
            _ => {}
        }
    }
    let mut document = document.clone();
    blank(&mut document["tabs"][tab]["documentTab"]["body"], start);
    without_positions(&document)
}
