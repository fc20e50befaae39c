//! What styles have in common: inheritance, equality, links.

use serde_json::{Map, Value, json};

use super::document::{DocumentTab, Style};
use super::quirks;

/// Tells whether a named style makes a heading, which has an id.
pub(crate) fn is_heading(named_style_type: &str) -> bool {
    named_style_type.starts_with("HEADING_")
}

/// Returns what a link adds to text.
pub(crate) fn link_look() -> [(&'static str, Value); 2] {
    let (red, green, blue) = quirks::LINK_COLOR;
    [
        ("underline", Value::Bool(true)),
        ("foregroundColor", json!({ "color": { "rgbColor": { "red": red, "green": green, "blue": blue } } })),
    ]
}

/// Returns the style without link and without what the link added.
pub(crate) fn without_link(style: &Style) -> Style {
    let mut style = style.clone();
    if style.0.remove("link").is_some() {
        for (key, value) in link_look() {
            if style.0.get(key).is_some_and(|own| same(own, &value)) {
                style.0.remove(key);
            }
        }
    }
    style
}

/// Tells whether two values say the same: absent numbers are 0, absent messages empty, 1 is 1.0.
///
/// Colours travel as 32-bit floats, so numbers are compared at that precision.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys());
            let mut keys = keys.map(|key| (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null)));
            keys.all(|(a, b)| same(a, b))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Number(a), Value::Number(b)) => {
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return a == b };
            (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
        }
        (Value::Null, other) | (other, Value::Null) => is_default(other),
        _ => a == b,
    }
}

/// Tells whether a field of two styles says the same, where its absence says what is inherited.
pub(crate) fn same_field(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Tells whether a value is what its absence means.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_default),
    }
}

/// Returns what a paragraph's text inherits for a field: from its named style, then from normal text.
pub(crate) fn inherited_text<'a>(tab: &'a DocumentTab, named_style_type: &str, key: &str) -> Option<&'a Value> {
    [named_style_type, "NORMAL_TEXT"]
        .into_iter()
        .find_map(|name| tab.named_style(name)?.text_style.as_ref()?.0.get(key))
}

/// Returns what a paragraph inherits for a field: from its named style, then from normal text.
pub(crate) fn inherited_paragraph<'a>(tab: &'a DocumentTab, named_style_type: &str, key: &str) -> Option<&'a Value> {
    [named_style_type, "NORMAL_TEXT"]
        .into_iter()
        .find_map(|name| tab.named_style(name)?.paragraph_style.as_ref()?.0.get(key))
}

/// Returns a value as the service stores it: numbers that are 0 and empty strings inside a message are left out.
pub(crate) fn stored(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| match value {
                Value::Number(number) => number.as_f64() != Some(0.0),
                Value::String(text) => !text.is_empty(),
                Value::Null => false,
                Value::Bool(_) | Value::Array(_) | Value::Object(_) => true,
            });
            Value::Object(kept.map(|(key, value)| (key.clone(), stored(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(stored).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
