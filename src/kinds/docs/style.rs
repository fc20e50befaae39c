//! Docs styles as MEBDF marks and properties. Pure.
//!
//! Only direct overrides are read: what the named style already gives is not repeated in the text.

use serde_json::{Map, Value, json};

use crate::gdocs::Style;
use crate::mebdf::{Marks, Property, PropertyValue};

/// Fonts that real documents use for code.
const MONOSPACE_FONTS: [&str; 4] = ["Roboto Mono", "Consolas", "Courier New", "monospace"];

/// The colour that Docs gives to a link, as `#rrggbb`.
const LINK_COLOR: &str = "#1155cc";

/// The weight that Docs writes with every font family.
const NORMAL_WEIGHT: u64 = 400;

/// Reads the direct overrides of a run.
pub(super) fn marks(style: Option<&Style>) -> Marks {
    let empty = Map::new();
    let fields = style.map_or(&empty, |style| &style.0);
    let link = fields.get("link").and_then(link_destination);
    let mut properties = Vec::new();
    font(fields, &mut properties);
    if let Some(points) = fields.get("fontSize").and_then(points) {
        properties.push(text_property("size", points));
    }
    if properties.iter().any(|property| property.name == "mono") {
        properties.sort_by_key(|property| property.name == "mono");
    }
    match fields.get("underline").and_then(Value::as_bool) {
        Some(true) if link.is_none() => properties.push(on("underline")),
        Some(false) => properties.push(Property { name: "underline".into(), value: PropertyValue::Off }),
        Some(true) | None => {}
    }
    if let Some(color) = fields.get("foregroundColor").and_then(color)
        && !(link.is_some() && color == LINK_COLOR)
    {
        properties.push(text_property("color", color));
    }
    if let Some(color) = fields.get("backgroundColor").and_then(color) {
        properties.push(text_property("highlight", color));
    }
    match fields.get("baselineOffset").and_then(Value::as_str) {
        Some("SUPERSCRIPT") => properties.push(on("sup")),
        Some("SUBSCRIPT") => properties.push(on("sub")),
        Some(_) | None => {}
    }
    if is_true(fields, "smallCaps") {
        properties.push(on("smallcaps"));
    }
    Marks {
        bold: is_true(fields, "bold"),
        italic: is_true(fields, "italic"),
        strike: is_true(fields, "strikethrough"),
        code: false,
        link,
        properties,
    }
}

/// Reads the direct overrides of a paragraph that a block directive can say. `item` leaves out what the list gives.
pub(super) fn block_properties(style: Option<&Style>, item: bool) -> Vec<Property> {
    let empty = Map::new();
    let fields = style.map_or(&empty, |style| &style.0);
    let mut properties = Vec::new();
    match fields.get("namedStyleType").and_then(Value::as_str) {
        Some("TITLE") => properties.push(on("Title")),
        Some("SUBTITLE") => properties.push(on("Subtitle")),
        Some(_) | None => {}
    }
    if fields.get("direction").and_then(Value::as_str) == Some("RIGHT_TO_LEFT") {
        properties.push(text_property("dir", "rtl".into()));
    }
    let alignment = match fields.get("alignment").and_then(Value::as_str) {
        Some("START") => Some("left"),
        Some("CENTER") => Some("center"),
        Some("END") => Some("right"),
        Some("JUSTIFIED") => Some("justify"),
        Some(_) | None => None,
    };
    if let Some(alignment) = alignment {
        properties.push(text_property("align", alignment.into()));
    }
    if !item {
        indents(fields, &mut properties);
    }
    if let Some(percent) = fields.get("lineSpacing").and_then(Value::as_f64) {
        properties.push(text_property("line-spacing", line_spacing(percent)));
    }
    for (field, name) in [("spaceAbove", "space-before"), ("spaceBelow", "space-after")] {
        if let Some(points) = fields.get(field).and_then(points) {
            properties.push(text_property(name, points));
        }
    }
    let shading = fields.get("shading").and_then(|shading| shading.get("backgroundColor")).and_then(color);
    if let Some(color) = shading {
        properties.push(text_property("shading", color));
    }
    properties
}

/// The paragraph fields that an inserted paragraph must not inherit from its neighbour.
pub(super) const OVERRIDE_FIELDS: [&str; 8] =
    ["alignment", "indentStart", "indentEnd", "indentFirstLine", "lineSpacing", "spaceAbove", "spaceBelow", "shading"];

/// Returns a colour property as Docs writes it.
pub(super) fn rgb(property: &Property) -> Option<Value> {
    let PropertyValue::Text(hex) = &property.value else { return None };
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok().map(|byte| f64::from(byte) / 255.0);
    let (red, green, blue) = (channel(0)?, channel(2)?, channel(4)?);
    Some(json!({ "color": { "rgbColor": { "red": red, "green": green, "blue": blue } } }))
}

/// Returns the field of a text style that a property stands for.
pub(super) fn text_field(property: &str) -> Option<&'static str> {
    match property {
        "font" | "weight" | "mono" => Some("weightedFontFamily"),
        "size" => Some("fontSize"),
        "underline" => Some("underline"),
        "color" => Some("foregroundColor"),
        "highlight" => Some("backgroundColor"),
        "sup" | "sub" => Some("baselineOffset"),
        "smallcaps" => Some("smallCaps"),
        _ => None,
    }
}

fn font(fields: &Map<String, Value>, properties: &mut Vec<Property>) {
    let Some(font) = fields.get("weightedFontFamily") else { return };
    let weight = font.get("weight").and_then(Value::as_u64).filter(|weight| *weight != NORMAL_WEIGHT);
    let family = font.get("fontFamily").and_then(Value::as_str).filter(|family| !family.is_empty());
    match family {
        Some(family) if MONOSPACE_FONTS.contains(&family) => {
            if let Some(weight) = weight {
                properties.push(text_property("weight", weight.to_string()));
            }
            properties.push(on("mono"));
        }
        Some(family) => {
            properties.push(text_property("font", family.into()));
            if let Some(weight) = weight {
                properties.push(text_property("weight", weight.to_string()));
            }
        }
        None => {}
    }
}

fn indents(fields: &Map<String, Value>, properties: &mut Vec<Property>) {
    for (field, name) in
        [("indentStart", "indent-left"), ("indentEnd", "indent-right"), ("indentFirstLine", "first-line-indent")]
    {
        if let Some(points) = fields.get(field).and_then(points) {
            properties.push(text_property(name, points));
        }
    }
}

fn line_spacing(percent: f64) -> String {
    // 100 is single; the words are those of the format's table.
    match percent {
        100.0 => "single".into(),
        200.0 => "double".into(),
        other => format!("{}", other / 100.0),
    }
}

/// Reads a link; a place inside the document becomes `#^id`.
fn link_destination(link: &Value) -> Option<String> {
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

/// Reads an optional colour as `#rrggbb`; an empty colour is transparent and says nothing.
fn color(optional: &Value) -> Option<String> {
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

fn points(dimension: &Value) -> Option<String> {
    let magnitude = dimension.get("magnitude").and_then(Value::as_f64)?;
    Some(format!("{magnitude}pt"))
}

fn is_true(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool) == Some(true)
}

fn on(name: &str) -> Property {
    Property { name: name.into(), value: PropertyValue::On }
}

fn text_property(name: &str, value: String) -> Property {
    Property { name: name.into(), value: PropertyValue::Text(value) }
}
