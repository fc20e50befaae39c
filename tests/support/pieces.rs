//! Pieces of the JSON of a document: found by place, and compared.

use serde_json::{Map, Value};

/// Fields that tell where something stands, or how often something came before it.
const PLACES: [&str; 3] = ["startIndex", "endIndex", "footnoteNumber"];

/// The fields of an object.
pub(crate) fn map(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Tells whether two objects are the same but for some of their fields.
pub(crate) fn alike(old: &Value, new: &Value, but: &[&str]) -> bool {
    let fields = |value| map(value).filter(|(key, _)| !but.contains(&key.as_str())).collect::<Vec<_>>();
    fields(old) == fields(new)
}

/// The elements of a segment.
pub(crate) fn content<'a>(tab: &'a Value, segment: &str) -> &'a [Value] {
    let content = if segment.is_empty() {
        &tab["body"]["content"]
    } else {
        let kinds = ["footnotes", "headers", "footers"];
        kinds.into_iter().find_map(|kind| tab[kind].get(segment)).map_or(&Value::Null, |segment| &segment["content"])
    };
    content.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value, key: &str) -> usize {
    usize::try_from(value[key].as_u64().unwrap_or(0)).expect("a place")
}

pub(crate) fn place_end(element: &Value) -> usize {
    number(element, "endIndex")
}

/// A paragraph without the id of a heading.
pub(crate) fn named(element: &Value) -> Value {
    let mut element = element.clone();
    if let Some(style) = element["paragraph"]["paragraphStyle"].as_object_mut() {
        style.remove("headingId");
    }
    element
}

pub(crate) fn extent(value: &Value) -> (usize, usize) {
    (number(value, "startIndex"), number(value, "endIndex"))
}

/// Finds the one of a row of neighbours that holds a place.
pub(crate) fn element_at(content: &[Value], at: usize) -> Option<&Value> {
    let index = content.partition_point(|element| extent(element).1 <= at);
    content.get(index).filter(|element| extent(element).0 <= at)
}

/// Finds the run or object that holds a place, wherever it is nested.
pub(crate) fn part_at(content: &[Value], at: usize) -> Option<&Value> {
    let element = element_at(content, at)?;
    if let Some(paragraph) = element.get("paragraph") {
        return element_at(paragraph["elements"].as_array()?, at);
    }
    let Some(table) = element.get("table") else { return Some(element) };
    let row = element_at(table["tableRows"].as_array()?, at)?;
    let cell = element_at(row["tableCells"].as_array()?, at)?;
    part_at(cell["content"].as_array()?, at)
}

/// Compares two values but for where they stand.
pub(crate) fn same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let fields = |map: &'_ Map<String, Value>| map.keys().filter(|key| !PLACES.contains(&key.as_str())).count();
            fields(old) == fields(new)
                && old.iter().all(|(key, value)| {
                    PLACES.contains(&key.as_str()) || new.get(key).is_some_and(|now| same(value, now))
                })
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new))
        }
        (old, new) => old == new,
    }
}

/// Compares two runs but for their text, or two objects.
pub(crate) fn same_part(old: &Value, new: &Value) -> bool {
    match (old.get("textRun"), new.get("textRun")) {
        (Some(old), Some(new)) => alike(old, new, &["content"]),
        (None, None) => same(old, new),
        _ => false,
    }
}
