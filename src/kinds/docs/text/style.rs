//! Docs styles as MEBDF marks and properties, and back. Pure.
//!
//! Only direct overrides are read: what the named style already gives is not repeated in the text. Reading what was
//! written gives the canonical form, so both sides of a comparison go through here.

use serde_json::{Map, Value, json};

use super::values::{
    color, dimension, hex_value, is_font, is_true, length, line_spacing, link_destination, number, on, parse_length,
    points, spacing_percent, text_property, weight_of,
};
use crate::gdocs::{DocumentTab, Style};
use crate::mebdf::{Marks, Property, PropertyValue, color as hex_of, sort_properties};

/// Fonts that real documents use for code.
const MONOSPACE_FONTS: [&str; 4] = ["Roboto Mono", "Consolas", "Courier New", "monospace"];

/// The font that `mono`, code spans and code blocks are given.
const MONOSPACE: &str = "Roboto Mono";

/// The colour that Docs gives to a link, as `#rrggbb`.
const LINK_COLOR: &str = "#1155cc";

/// The colour of a code span, as Docs' own Markdown import writes it.
const CODE_COLOR: &str = "#188038";

/// The shading of a paragraph that is a line of a code block.
pub(super) const CODE_SHADING: &str = "#f5f5f5";

/// The weight that Docs writes with every font family.
pub(crate) const NORMAL_WEIGHT: u64 = 400;

/// Docs' largest font, in points.
const SIZE_MAX: f64 = 400.0;

/// The size that Docs gives to the text of a new footnote as an override of its own, in points: text of that size is plain
/// there, and so is text without a size.
const FOOTNOTE_SIZE: f64 = 10.0;

/// The size of plain text in a footnote, as a text style has it.
pub(crate) fn footnote_size() -> Value {
    dimension(FOOTNOTE_SIZE)
}

/// No indent or space of a page is longer, in points.
const LENGTH_MAX: f64 = 10_000.0;

/// What a paragraph's style inherits from.
#[derive(Clone, Copy)]
pub(crate) struct Base<'a> {
    /// The tab with its named styles.
    pub(crate) tab: &'a DocumentTab,
    /// `NORMAL_TEXT`, `HEADING_1`, …
    pub(crate) named: &'a str,
    /// Whether it stands in a footnote.
    pub(crate) footnote: bool,
}

impl<'a> Base<'a> {
    fn find(self, get: impl Fn(&'a crate::gdocs::NamedStyle) -> Option<&'a Value>) -> Option<&'a Value> {
        [self.named, "NORMAL_TEXT"].into_iter().find_map(|name| get(self.tab.named_style(name)?))
    }

    /// What text inherits for a field.
    pub(crate) fn text(self, field: &str) -> Option<&'a Value> {
        self.find(|style| style.text_style.as_ref()?.0.get(field))
    }

    /// What a paragraph inherits for a field.
    pub(crate) fn paragraph(self, field: &str) -> Option<&'a Value> {
        self.find(|style| style.paragraph_style.as_ref()?.0.get(field))
    }

    fn is_on(self, field: &str) -> bool {
        self.text(field).and_then(Value::as_bool) == Some(true)
    }

    /// The font that text has without one of its own.
    pub(crate) fn family(self) -> Option<&'a str> {
        self.text("weightedFontFamily").and_then(|font| font.get("fontFamily")).and_then(Value::as_str)
    }

    fn weight(self) -> u64 {
        let weight = self.text("weightedFontFamily").and_then(|font| font.get("weight")).and_then(Value::as_u64);
        weight.unwrap_or(NORMAL_WEIGHT)
    }
}

/// Reads the direct overrides of a run.
pub(crate) fn marks(style: Option<&Style>, base: Base<'_>) -> Marks {
    match style {
        Some(style) if !style.0.is_empty() => read_text(&style.0, style.0.get("link").and_then(link_destination), base),
        Some(_) | None => Marks::default(),
    }
}

/// Brings marks into the form in which they are read back; what cannot be written stays as it is, to be told.
pub(crate) fn settled_marks(marks: &Marks, base: Base<'_>) -> Marks {
    if *marks == Marks::default() {
        return Marks::default();
    }
    let (fields, invalid) = write_text(marks);
    let mut settled = read_text(&fields, marks.link.clone(), base);
    settled.properties.extend(invalid);
    sort_properties(&mut settled.properties);
    settled
}

fn read_text(fields: &Map<String, Value>, link: Option<String>, base: Base<'_>) -> Marks {
    let mut properties = Vec::new();
    font(fields, base, &mut properties);
    if let Some(size) = fields.get("fontSize").and_then(points)
        && base.text("fontSize").and_then(points) != Some(size)
        && !(base.footnote && (size - FOOTNOTE_SIZE).abs() < f64::EPSILON)
    {
        properties.push(text_property("size", length(size)));
    }
    if link.is_some() && is_painted(fields) {
        // Docs writes the look of a link into its text, and takes away what was turned off.
        properties.push(Property { name: "underline".into(), value: PropertyValue::Off });
    } else {
        switch(fields, "underline", "underline", link.is_some() || base.is_on("underline"), &mut properties);
    }
    let shown = |field: &str, plain: Option<&str>| {
        let own = fields.get(field).and_then(color)?;
        let inherited = base.text(field).and_then(color);
        (plain.map_or_else(|| inherited.as_deref() != Some(&own), |plain| plain != own)).then_some(own)
    };
    if let Some(color) = shown("foregroundColor", link.as_ref().map(|_| LINK_COLOR)) {
        properties.push(text_property("color", color));
    }
    if let Some(color) = shown("backgroundColor", None) {
        properties.push(text_property("highlight", color));
    }
    let offset = fields.get("baselineOffset").and_then(Value::as_str);
    match offset.filter(|offset| base.text("baselineOffset").and_then(Value::as_str) != Some(*offset)) {
        Some("SUPERSCRIPT") => properties.push(on("sup")),
        Some("SUBSCRIPT") => properties.push(on("sub")),
        Some(_) | None => {}
    }
    switch(fields, "smallCaps", "smallcaps", base.is_on("smallCaps"), &mut properties);
    let has = |name: &str| properties.iter().any(|property: &Property| property.name == name);
    let code_color = properties.iter().find(|property| property.name == "color").map(|property| &property.value);
    let code = has("mono")
        && !has("weight")
        && match code_color {
            None => link.is_some(),
            Some(value) => *value == PropertyValue::Text(CODE_COLOR.into()),
        };
    if code {
        properties.retain(|property| !matches!(property.name.as_str(), "mono" | "color"));
    }
    sort_properties(&mut properties);
    let flag = |field: &str| is_true(fields, field) && !base.is_on(field);
    Marks { bold: flag("bold"), italic: flag("italic"), strike: flag("strikethrough"), code, link, properties }
}

/// Tells whether text has the colour of a link, or another, and no line under it.
fn is_painted(fields: &Map<String, Value>) -> bool {
    fields.contains_key("foregroundColor") && !fields.contains_key("underline")
}

/// A boolean that is shown where it differs from what stands there without it.
fn switch(fields: &Map<String, Value>, field: &str, name: &str, plain: bool, properties: &mut Vec<Property>) {
    match fields.get(field).and_then(Value::as_bool) {
        Some(true) if !plain => properties.push(on(name)),
        Some(false) if plain => properties.push(Property { name: name.into(), value: PropertyValue::Off }),
        Some(_) | None => {}
    }
}

fn font(fields: &Map<String, Value>, base: Base<'_>, properties: &mut Vec<Property>) {
    let Some(font) = fields.get("weightedFontFamily") else { return };
    let weight = font.get("weight").and_then(Value::as_u64);
    let family = font.get("fontFamily").and_then(Value::as_str).filter(|family| !family.is_empty());
    let family = family.filter(|family| base.family() != Some(*family));
    let plain = if family.is_some() { NORMAL_WEIGHT } else { base.weight() };
    match family {
        Some(MONOSPACE) => properties.push(on("mono")),
        Some(family) => properties.push(text_property("font", family.into())),
        None => {}
    }
    if let Some(weight) = weight.filter(|weight| *weight != plain) {
        properties.push(text_property("weight", weight.to_string()));
    }
}

/// Tells whether text has a font of code.
pub(crate) fn is_monospace(style: Option<&Style>) -> bool {
    let family = style.and_then(|style| style.0.get("weightedFontFamily")?.get("fontFamily")?.as_str());
    family.is_some_and(|family| MONOSPACE_FONTS.contains(&family))
}

/// Writes marks as fields of a text style, without the link itself; returns the properties that have no such value.
///
/// A link's colour and underline are written out, as Docs stores them. A font that only has a weight has no family.
pub(crate) fn write_text(marks: &Marks) -> (Map<String, Value>, Vec<Property>) {
    let mut fields = Map::new();
    let mut invalid = Vec::new();
    for (field, on) in [("bold", marks.bold), ("italic", marks.italic), ("strikethrough", marks.strike)] {
        if on {
            fields.insert(field.into(), true.into());
        }
    }
    if marks.link.is_some() {
        fields.insert("underline".into(), true.into());
        fields.extend(hex_value(LINK_COLOR).map(|color| ("foregroundColor".to_owned(), color)));
    } else if marks.code {
        fields.extend(hex_value(CODE_COLOR).map(|color| ("foregroundColor".to_owned(), color)));
    }
    let mut font = Map::new();
    if marks.code {
        font.insert("fontFamily".into(), MONOSPACE.into());
    }
    for property in &marks.properties {
        let value = match (&property.value, property.name.as_str()) {
            (PropertyValue::On, "mono") => {
                font.insert("fontFamily".into(), MONOSPACE.into());
                continue;
            }
            (PropertyValue::Text(family), "font") if is_font(family) => {
                font.entry("fontFamily").or_insert_with(|| family.trim().into());
                continue;
            }
            (PropertyValue::Text(name), "weight") => match weight_of(name) {
                Some(weight) => {
                    font.insert("weight".into(), weight.into());
                    continue;
                }
                None => None,
            },
            (PropertyValue::Text(size), "size") => {
                parse_length(size).filter(|size| (1.0..=SIZE_MAX).contains(size)).map(dimension)
            }
            (PropertyValue::Text(name), "color" | "highlight") => hex_of(name).as_deref().and_then(hex_value),
            (PropertyValue::On, "sup") => Some("SUPERSCRIPT".into()),
            (PropertyValue::On, "sub") => Some("SUBSCRIPT".into()),
            (PropertyValue::On, "underline" | "smallcaps") => Some(true.into()),
            (PropertyValue::Off, "underline" | "smallcaps") => Some(false.into()),
            // Turned off is what the named style gives.
            (PropertyValue::Off, name) if text_field(name).is_some() => continue,
            (PropertyValue::On | PropertyValue::Off | PropertyValue::Text(_), _) => None,
        };
        match (value, text_field(&property.name)) {
            (Some(value), Some(field)) => {
                fields.insert(field.into(), value);
            }
            _ => invalid.push(property.clone()),
        }
    }
    if !font.is_empty() {
        if font.contains_key("fontFamily") {
            font.entry("weight").or_insert_with(|| NORMAL_WEIGHT.into());
        }
        fields.insert("weightedFontFamily".into(), Value::Object(font));
    }
    (fields, invalid)
}

/// Tells whether a value is the one that a link gives to a field by itself.
pub(crate) fn is_link_look(field: &str, value: &Value) -> bool {
    match field {
        "underline" => value.as_bool() == Some(true),
        "foregroundColor" => color(value).as_deref() == Some(LINK_COLOR),
        _ => false,
    }
}

/// Reads the direct overrides of a paragraph that a block directive can say. `item` leaves out what the list gives.
pub(crate) fn block_properties(style: Option<&Style>, base: Base<'_>, item: bool) -> Vec<Property> {
    let empty = Map::new();
    read_paragraph(style.map_or(&empty, |style| &style.0), base, item)
}

fn read_paragraph(fields: &Map<String, Value>, base: Base<'_>, item: bool) -> Vec<Property> {
    let mut properties = Vec::new();
    let word = |value: Option<&Value>| value.and_then(Value::as_str).map(ToOwned::to_owned);
    let inherited = word(base.paragraph("direction")).unwrap_or_else(|| LEFT_TO_RIGHT.into());
    let direction = word(fields.get("direction")).unwrap_or_else(|| inherited.clone());
    if direction != inherited {
        properties.push(text_property("dir", if direction == RIGHT_TO_LEFT { "rtl" } else { "ltr" }.into()));
    }
    if let Some(own) = word(fields.get("alignment"))
        && own != word(base.paragraph("alignment")).unwrap_or_else(|| "START".into())
        && let Some((name, _)) = alignments(direction == RIGHT_TO_LEFT).into_iter().find(|(_, value)| *value == own)
    {
        properties.push(text_property("align", name.into()));
    }
    for (field, name) in LENGTHS {
        if item && matches!(field, "indentStart" | "indentFirstLine") {
            continue;
        }
        if let Some(own) = fields.get(field).and_then(points)
            && own != base.paragraph(field).and_then(points).unwrap_or(0.0)
        {
            properties.push(text_property(name, length(own)));
        }
    }
    if let Some(percent) = fields.get("lineSpacing").and_then(Value::as_f64)
        && Some(percent) != base.paragraph("lineSpacing").and_then(Value::as_f64)
    {
        properties.push(text_property("line-spacing", line_spacing(percent)));
    }
    let shading = |value: Option<&Value>| value.and_then(|shading| shading.get("backgroundColor")).and_then(color);
    if let Some(own) = shading(fields.get("shading"))
        && Some(&own) != shading(base.paragraph("shading")).as_ref()
    {
        properties.push(text_property("shading", own));
    }
    sort_properties(&mut properties);
    properties
}

/// Tells whether a paragraph runs the other way than its named style; every paragraph says its direction.
pub(super) fn has_own_direction(style: Option<&Style>, base: Base<'_>) -> bool {
    let inherited = base.paragraph("direction").and_then(Value::as_str).unwrap_or(LEFT_TO_RIGHT);
    style.and_then(|style| style.0.get("direction")).and_then(Value::as_str).is_some_and(|own| own != inherited)
}

/// Brings the properties of a block into the form in which they are read back; what cannot be written stays as it is.
pub(super) fn settled_block(properties: &[Property], base: Base<'_>, item: bool) -> Vec<Property> {
    if properties.is_empty() {
        return Vec::new();
    }
    let (fields, mut invalid) = write_paragraph(properties);
    if item {
        // The list gives an item its indents; to ask for others is told.
        let asked = |name: &str| matches!(name, "indent-left" | "first-line-indent" | "hanging-indent");
        let indents = properties.iter().filter(|property| property.value != PropertyValue::Off);
        invalid.extend(indents.filter(|property| asked(&property.name)).cloned());
    }
    let mut settled = read_paragraph(&fields, base, item);
    settled.extend(invalid);
    sort_properties(&mut settled);
    settled
}

/// Writes the properties of a block as fields of a paragraph style; returns those that have no such value.
pub(crate) fn write_paragraph(properties: &[Property]) -> (Map<String, Value>, Vec<Property>) {
    let mut fields = Map::new();
    let mut invalid = Vec::new();
    let text = |name: &str| {
        properties.iter().find(|property| property.name == name).and_then(|property| match &property.value {
            PropertyValue::Text(value) => Some(value.to_ascii_lowercase()),
            PropertyValue::On | PropertyValue::Off => None,
        })
    };
    let rtl = text("dir").as_deref() == Some("rtl");
    let mut hanging = None;
    for property in properties.iter().filter(|property| property.value != PropertyValue::Off) {
        let name = property.name.as_str();
        let value = text(name).unwrap_or_default();
        let distance = parse_length(&value).filter(|length| (0.0..=LENGTH_MAX).contains(length));
        let (field, written) = match name {
            "dir" => (
                "direction",
                match value.as_str() {
                    "rtl" => Some(RIGHT_TO_LEFT.into()),
                    "ltr" => Some(LEFT_TO_RIGHT.into()),
                    _ => None,
                },
            ),
            "align" => {
                let found = alignments(rtl).into_iter().find(|(name, _)| *name == value);
                ("alignment", found.map(|(_, value)| value.into()))
            }
            "line-spacing" => ("lineSpacing", spacing_percent(&value).map(number)),
            "shading" => {
                let color = hex_of(&value).as_deref().and_then(hex_value);
                ("shading", color.map(|color| json!({ "backgroundColor": color })))
            }
            "hanging-indent" => {
                hanging = distance;
                if distance.is_none() {
                    invalid.push(property.clone());
                }
                continue;
            }
            _ => match LENGTHS.into_iter().find(|(_, known)| *known == name) {
                Some((field, _)) => (field, distance.map(dimension)),
                None => ("", None),
            },
        };
        match written {
            Some(written) => {
                fields.insert(field.into(), written);
            }
            None => invalid.push(property.clone()),
        }
    }
    if let Some(hanging) = hanging {
        // The first line hangs out by so much over the others.
        let left = fields.get("indentStart").and_then(points).unwrap_or(hanging);
        fields.insert("indentStart".into(), dimension(left));
        fields.insert("indentFirstLine".into(), dimension((left - hanging).max(0.0)));
    }
    (fields, invalid)
}

/// The fields of a paragraph that a directive can say.
pub(crate) const PARAGRAPH_FIELDS: [&str; 9] = [
    "direction",
    "alignment",
    "indentStart",
    "indentEnd",
    "indentFirstLine",
    "lineSpacing",
    "spaceAbove",
    "spaceBelow",
    "shading",
];

/// The paragraph fields that an inserted paragraph must not inherit from its neighbour.
pub(crate) const OVERRIDE_FIELDS: [&str; 15] = [
    "alignment",
    "indentStart",
    "indentEnd",
    "indentFirstLine",
    "lineSpacing",
    "spaceAbove",
    "spaceBelow",
    "shading",
    "borderBetween",
    "borderTop",
    "borderBottom",
    "borderLeft",
    "borderRight",
    "keepLinesTogether",
    "keepWithNext",
];

/// The fields that are said as a length.
const LENGTHS: [(&str, &str); 5] = [
    ("indentStart", "indent-left"),
    ("indentEnd", "indent-right"),
    ("indentFirstLine", "first-line-indent"),
    ("spaceAbove", "space-before"),
    ("spaceBelow", "space-after"),
];

const LEFT_TO_RIGHT: &str = "LEFT_TO_RIGHT";
const RIGHT_TO_LEFT: &str = "RIGHT_TO_LEFT";

/// What the words for an alignment stand for: Docs counts from the side where a line begins.
const fn alignments(rtl: bool) -> [(&'static str, &'static str); 4] {
    let (left, right) = if rtl { ("END", "START") } else { ("START", "END") };
    [("left", left), ("center", "CENTER"), ("right", right), ("justify", "JUSTIFIED")]
}

/// Returns the field of a text style that a property stands for.
pub(crate) fn text_field(property: &str) -> Option<&'static str> {
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

/// Returns the field of a paragraph style that a property stands for.
pub(crate) fn paragraph_field(property: &str) -> Option<&'static str> {
    match property {
        "dir" => Some("direction"),
        "align" => Some("alignment"),
        "line-spacing" => Some("lineSpacing"),
        "shading" => Some("shading"),
        "hanging-indent" => Some("indentFirstLine"),
        other => LENGTHS.into_iter().find(|(_, name)| *name == other).map(|(field, _)| field),
    }
}
