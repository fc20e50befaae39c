//! The table of properties: names, order, colours.

use super::{Property, PropertyValue};

/// The properties in the order in which they are printed; unknown ones follow as written.
const ORDER: [&str; 24] = [
    "font",
    "weight",
    "size",
    "mono",
    "underline",
    "color",
    "highlight",
    "sup",
    "sub",
    "smallcaps",
    "dir",
    "align",
    "indent-left",
    "indent-right",
    "first-line-indent",
    "hanging-indent",
    "line-spacing",
    "space-before",
    "space-after",
    "shading",
    "suggested-insertion",
    "suggested-deletion",
    "locked",
    "list",
];

/// The styles that a block directive can name.
const STYLES: [&str; 3] = ["Normal text", "Title", "Subtitle"];

/// The style that clears everything.
pub(super) const NORMAL_TEXT: &str = "Normal text";

/// CSS names that are read as colours.
const COLORS: [(&str, &str); 22] = [
    ("red", "#ff0000"),
    ("green", "#00ff00"),
    ("blue", "#0000ff"),
    ("yellow", "#ffff00"),
    ("cyan", "#00ffff"),
    ("magenta", "#ff00ff"),
    ("black", "#000000"),
    ("white", "#ffffff"),
    ("orange", "#ffa500"),
    ("purple", "#800080"),
    ("pink", "#ffc0cb"),
    ("gray", "#808080"),
    ("grey", "#808080"),
    ("brown", "#a52a2a"),
    ("navy", "#000080"),
    ("teal", "#008080"),
    ("lime", "#00ff00"),
    ("olive", "#808000"),
    ("maroon", "#800000"),
    ("aqua", "#00ffff"),
    ("silver", "#c0c0c0"),
    ("fuchsia", "#ff00ff"),
];

/// Returns the colour as `#rrggbb`, from `#rgb`, bare hexadecimal digits or a CSS name.
#[must_use]
pub fn color(value: &str) -> Option<String> {
    let lower = value.trim().to_ascii_lowercase();
    if let Some((_, hex)) = COLORS.iter().find(|(name, _)| *name == lower) {
        return Some((*hex).to_owned());
    }
    hex_color(&lower)
}

/// Tells whether `name` is a named style, and how it is written.
#[must_use]
pub fn named_style(name: &str) -> Option<&'static str> {
    STYLES.into_iter().find(|style| style.eq_ignore_ascii_case(name))
}

/// Tells whether the table of properties holds `name`.
#[must_use]
pub fn is_known(name: &str) -> bool {
    named_style(name).is_some() || ORDER.contains(&name)
}

/// Returns the spelling that is printed: known names in lower case, styles as the table has them, colours as
/// `#rrggbb` unless they are names.
pub(super) fn canonical(property: &mut Property) {
    if let Some(style) = named_style(&property.name) {
        property.name = style.to_owned();
    } else {
        let lower = property.name.to_ascii_lowercase();
        if ORDER.contains(&lower.as_str()) {
            property.name = lower;
        }
        property.name = valid_name(&property.name);
    }
    let is_color = matches!(property.name.as_str(), "color" | "highlight" | "shading");
    if let PropertyValue::Text(value) = &mut property.value {
        if is_color && let Some(hex) = hex_color(&value.to_ascii_lowercase()) {
            *value = hex;
        }
        if value.contains(['\n', '\r', '\u{b}', '\0']) {
            *value = value.replace(['\n', '\r', '\u{b}', '\0'], " ");
        }
    }
}

/// Brings properties into the order of the table, each name once; the last of a name wins.
pub fn canonical_order(properties: &mut Vec<Property>) {
    for property in properties.iter_mut() {
        canonical(property);
    }
    let mut kept: Vec<Property> = Vec::with_capacity(properties.len());
    for property in properties.drain(..) {
        kept.retain(|earlier| earlier.name != property.name);
        kept.push(property);
    }
    kept.sort_by_key(|property| rank(&property.name));
    *properties = kept;
}

/// Returns the property that cannot stand together with this one; empty when there is none.
#[must_use]
pub fn rival(name: &str) -> &'static str {
    match name {
        "font" => "mono",
        "mono" => "font",
        "sup" => "sub",
        "sub" => "sup",
        _ => "",
    }
}

/// Lays `inner` over `outer`: for each name the inner value wins, and what cannot stand beside it goes.
pub(super) fn overlay(outer: &[Property], inner: &[Property]) -> Vec<Property> {
    let mut all = outer.to_vec();
    for property in inner {
        if property.value != PropertyValue::Off {
            all.retain(|earlier| earlier.name != rival(&property.name) || inner.contains(earlier));
        }
        all.push(property.clone());
    }
    canonical_order(&mut all);
    all
}

fn rank(name: &str) -> usize {
    if named_style(name).is_some() {
        return 0;
    }
    ORDER.iter().position(|known| *known == name).map_or(ORDER.len() + 1, |index| index + 1)
}

/// A name that the grammar cannot say is bent until it can, so that a tree always prints to what it is read from.
fn valid_name(name: &str) -> String {
    let mut valid: String = name
        .trim()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' || letter == ' ' { letter } else { '-' })
        .collect();
    if !valid.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        valid.insert(0, 'x');
    }
    valid
}

fn hex_color(lower: &str) -> Option<String> {
    let digits = lower.strip_prefix('#').unwrap_or(lower);
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    match digits.len() {
        6 => Some(format!("#{digits}")),
        3 => Some(std::iter::once('#').chain(digits.chars().flat_map(|digit| [digit, digit])).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors() {
        let check = |from: &str, to: Option<&str>| assert_eq!(color(from).as_deref(), to, "{from}");
        check("#f00", Some("#ff0000"));
        check("CC0000", Some("#cc0000"));
        check("Yellow", Some("#ffff00"));
        check("#12345", None);
        check("hotpinkish", None);
    }
}
