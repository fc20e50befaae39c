//! The values of styles: lengths, colours, weights and links, between Docs' JSON and the words of the file. Pure.

use serde_json::{Map, Value, json};

use crate::mebdf::{Property, PropertyValue};

/// The longest name of a font, in bytes.
const FONT_BYTES_MAX: usize = 100;

/// Tells whether a font can be called so: none has the signs by which styles are written.
pub(crate) fn is_font(name: &str) -> bool {
    !name.trim().is_empty()
        && name.len() <= FONT_BYTES_MAX
        && !name.chars().any(|c| c.is_control() || matches!(c, '"' | '{' | '}' | '<' | '>' | '\\'))
}

/// Reads a weight: hundreds, or its name.
pub(crate) fn weight_of(name: &str) -> Option<u64> {
    const NAMES: [(&str, u64); 12] = [
        ("thin", 100),
        ("extralight", 200),
        ("light", 300),
        ("normal", 400),
        ("regular", 400),
        ("medium", 500),
        ("semibold", 600),
        ("bold", 700),
        ("extrabold", 800),
        ("black", 900),
        ("heavy", 900),
        ("ultralight", 200),
    ];
    let word: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let named = NAMES.into_iter().find(|(known, _)| *known == word).map(|(_, weight)| weight);
    named.or_else(|| word.parse().ok().filter(|weight| (100..=900).contains(weight) && weight % 100 == 0))
}

/// Writes a line spacing, which Docs counts in percent.
pub(crate) fn line_spacing(percent: f64) -> String {
    // 100 is single; the words are those of the format's table.
    match percent {
        100.0 => "single".into(),
        200.0 => "double".into(),
        other => format!("{}", rounded(other / 100.0)),
    }
}

/// Reads a line spacing as percent.
pub(crate) fn spacing_percent(value: &str) -> Option<f64> {
    let factor = match value {
        "single" => 1.0,
        "double" => 2.0,
        other => other.parse::<f64>().ok()?,
    };
    (0.06..=100.0).contains(&factor).then(|| rounded(factor * 100.0))
}

/// Takes away what binary fractions add behind the sixth place.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// Reads a length in points from `12pt`, `12` or `0.5in`.
pub(crate) fn parse_length(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, factor) = match (text.strip_suffix("pt"), text.strip_suffix("in")) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 72.0),
        (None, None) => (text, 1.0),
    };
    number.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| rounded(number * factor))
}

/// Writes a length in points as Docs does.
pub(crate) fn dimension(points: f64) -> Value {
    json!({ "magnitude": number(points), "unit": "PT" })
}

/// Writes a number as Docs does: a whole one without a point.
pub(crate) fn number(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
    let whole = number as i64;
    if number.fract() == 0.0 && number.abs() < 1e9 { json!(whole) } else { json!(number) }
}

/// Writes a length in points as the file does.
pub(crate) fn length(points: f64) -> String {
    format!("{points}pt")
}

/// Reads a link; a place inside the document becomes `#^id`.
pub(crate) fn link_destination(link: &Value) -> Option<String> {
    if let Some(url) = link.get("url").and_then(Value::as_str) {
        return Some(url.to_owned());
    }
    for inner in ["heading", "bookmark"] {
        if let Some(id) = link.get(inner).and_then(|place| place.get("id")).and_then(Value::as_str) {
            return Some(format!("#^{id}"));
        }
    }
    for legacy in ["headingId", "bookmarkId", "tabId"] {
        if let Some(id) = link.get(legacy).and_then(Value::as_str) {
            return Some(format!("#^{id}"));
        }
    }
    None
}

/// Returns a colour as Docs writes it.
pub(crate) fn hex_value(hex: &str) -> Option<Value> {
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok().map(|byte| f64::from(byte) / 255.0);
    let (red, green, blue) = (channel(0)?, channel(2)?, channel(4)?);
    Some(json!({ "color": { "rgbColor": { "red": red, "green": green, "blue": blue } } }))
}

/// Reads an optional colour as `#rrggbb`; an empty colour is transparent and says nothing.
pub(crate) fn color(optional: &Value) -> Option<String> {
    let color = optional.get("color")?;
    let rgb = color.get("rgbColor")?;
    let channel = |name: &str| {
        let part = rgb.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        // Rounded, not cut off: 0.9999 is ff.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=255")]
        let byte = (part.clamp(0.0, 1.0) * 255.0).round() as u8;
        byte
    };
    Some(format!("#{:02x}{:02x}{:02x}", channel("red"), channel("green"), channel("blue")))
}

/// Reads a length; Docs leaves out a magnitude of 0.
pub(crate) fn points(dimension: &Value) -> Option<f64> {
    let magnitude = dimension.as_object()?.get("magnitude");
    magnitude.map_or(Some(0.0), Value::as_f64)
}

/// Tells whether a switch is on.
pub(super) fn is_true(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool) == Some(true)
}

/// A property that is on.
pub(crate) fn on(name: &str) -> Property {
    Property { name: name.into(), value: PropertyValue::On }
}

/// A property with a value.
pub(super) fn text_property(name: &str, value: String) -> Property {
    Property { name: name.into(), value: PropertyValue::Text(value) }
}
