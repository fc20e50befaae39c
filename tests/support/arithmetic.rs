//! What a batch does to the text of a document, told by plain index arithmetic: each segment is a row of UTF-16 units, and
//! requests are splices of it. Imports nothing of the model.

use std::collections::BTreeMap;

use serde_json::Value;

/// What stands for a unit that is no text.
const STRUCTURE: u16 = 0xffff;
const TAB: u16 = 9;
const NEWLINE: u16 = 10;

/// The segments of a document by tab id and segment id; the body's is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(BTreeMap<(String, String), Vec<u16>>);

impl Text {
    /// Flattens every segment of a raw document.
    pub(crate) fn of(document: &Value) -> Self {
        let mut segments = BTreeMap::new();
        for tab in document["tabs"].as_array().unwrap() {
            gather(tab, &mut segments);
        }
        Self(segments)
    }

    /// Carries out one request; `None` when arithmetic alone cannot tell what it does, as with the rows of a table.
    ///
    /// Panics on a range that leaves its segment or takes its last newline.
    pub(crate) fn carry_out(&mut self, request: &Value) -> Option<()> {
        let (kind, body) = request.as_object().unwrap().iter().next().unwrap();
        match kind.as_str() {
            "insertText" => {
                let text: Vec<u16> = body["text"].as_str().unwrap().encode_utf16().collect();
                self.insert(&body["location"], &text);
            }
            "deleteContentRange" => self.delete(&body["range"]),
            "insertPageBreak" => self.insert(&body["location"], &[STRUCTURE, NEWLINE]),
            "createFootnote" | "insertPerson" | "insertDate" | "insertRichLink" | "insertInlineImage" => {
                self.insert(&body["location"], &[STRUCTURE]);
            }
            "insertTable" => {
                let size = |key: &str| usize::try_from(body[key].as_u64().unwrap()).unwrap();
                let mut units = vec![NEWLINE, STRUCTURE];
                for _ in 0..size("rows") {
                    units.push(STRUCTURE);
                    units.extend([STRUCTURE, NEWLINE].repeat(size("columns")));
                }
                units.push(STRUCTURE);
                self.insert(&body["location"], &units);
            }
            "createParagraphBullets" => self.drop_leading_tabs(&body["range"]),
            "updateTextStyle" | "updateParagraphStyle" | "deleteParagraphBullets" | "createNamedRange" => {
                let range = &body["range"];
                let (start, end) = (number(range, "startIndex"), number(range, "endIndex"));
                let segment = self.segment(range);
                assert!(start < end && end <= segment.len(), "{range} leaves its segment of {}", segment.len());
                assert!(!splits(segment, start) && !splits(segment, end), "{range} cuts a character");
            }
            "deleteNamedRange" => {}
            _ => return None,
        }
        Some(())
    }

    /// All segments.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (&(String, String), &Vec<u16>)> {
        self.0.iter()
    }

    /// The units of one segment.
    pub(crate) fn segment_units(&self, key: &(String, String)) -> Option<&Vec<u16>> {
        self.0.get(key)
    }

    fn segment(&mut self, place: &Value) -> &mut Vec<u16> {
        let id = |key: &str| place[key].as_str().unwrap_or_default().to_owned();
        let key = (id("tabId"), id("segmentId"));
        assert!(!key.0.is_empty(), "a request names its tab: {place}");
        self.0.get_mut(&key).unwrap_or_else(|| panic!("there is no segment {key:?}"))
    }

    fn insert(&mut self, location: &Value, units: &[u16]) {
        let index = number(location, "index");
        let segment = self.segment(location);
        assert!(index < segment.len(), "{location} is outside of its segment of {}", segment.len());
        assert!(!splits(segment, index), "{location} is inside a character");
        segment.splice(index..index, units.iter().copied());
    }

    fn delete(&mut self, range: &Value) {
        let (start, end) = (number(range, "startIndex"), number(range, "endIndex"));
        let segment = self.segment(range);
        assert!(start < end && end < segment.len(), "{range} takes the end of its segment of {}", segment.len());
        assert!(!splits(segment, start) && !splits(segment, end), "{range} cuts a character");
        segment.drain(start..end);
    }

    /// The request that makes a list takes the tabs that stand first in each of its paragraphs.
    fn drop_leading_tabs(&mut self, range: &Value) {
        let (start, end) = (number(range, "startIndex"), number(range, "endIndex"));
        let segment = self.segment(range);
        let mut at =
            segment[..start].iter().rposition(|unit| matches!(*unit, NEWLINE | STRUCTURE)).map_or(0, |at| at + 1);
        let mut end = end;
        while at < end {
            while segment.get(at) == Some(&TAB) {
                segment.remove(at);
                end -= 1;
            }
            let Some(length) = segment[at..].iter().position(|unit| *unit == NEWLINE) else { break };
            at += length + 1;
        }
    }
}

/// Tells whether a place lies inside a surrogate pair.
fn splits(segment: &[u16], at: usize) -> bool {
    let half = |at: Option<usize>, halves: std::ops::RangeInclusive<u16>| {
        at.and_then(|at| segment.get(at)).is_some_and(|unit| halves.contains(unit))
    };
    half(at.checked_sub(1), 0xd800..=0xdbff) && half(Some(at), 0xdc00..=0xdfff)
}

fn number(value: &Value, key: &str) -> usize {
    usize::try_from(value[key].as_u64().unwrap_or(0)).unwrap()
}

fn gather(tab: &Value, segments: &mut BTreeMap<(String, String), Vec<u16>>) {
    let id = tab["tabProperties"]["tabId"].as_str().unwrap_or_default().to_owned();
    let content = &tab["documentTab"];
    segments.insert((id.clone(), String::new()), flat(&content["body"]["content"]));
    for kind in ["headers", "footers", "footnotes"] {
        for (segment, value) in content[kind].as_object().into_iter().flatten() {
            segments.insert((id.clone(), segment.clone()), flat(&value["content"]));
        }
    }
    for child in tab["childTabs"].as_array().into_iter().flatten() {
        gather(child, segments);
    }
}

fn flat(content: &Value) -> Vec<u16> {
    let end = content.as_array().and_then(|content| content.last()).map_or(0, |last| number(last, "endIndex"));
    let mut units = vec![STRUCTURE; end];
    fill(content, &mut units);
    units
}

fn fill(value: &Value, units: &mut [u16]) {
    match value {
        Value::Object(map) => {
            if let Some(text) = map.get("textRun").and_then(|run| run["content"].as_str()) {
                for (at, unit) in text.encode_utf16().enumerate() {
                    units[number(value, "startIndex") + at] = unit;
                }
            }
            map.values().for_each(|value| fill(value, units));
        }
        Value::Array(list) => list.iter().for_each(|value| fill(value, units)),
        _ => {}
    }
}
