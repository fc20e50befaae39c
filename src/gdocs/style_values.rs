//! What the values of a style must be, whichever request sets them.

use serde_json::{Map, Value};

use super::mask::Mask;
use super::quirks;
use super::refusal::Refusal;

/// The borders of a paragraph.
const BORDERS: [&str; 5] = ["borderBetween", "borderTop", "borderBottom", "borderLeft", "borderRight"];

/// What a border consists of; one without a colour is transparent.
const OF_BORDERS: [&str; 3] = ["width", "padding", "dashStyle"];

/// Where a link can lead; one of these.
const DESTINATIONS: [&str; 6] = ["url", "tabId", "bookmark", "bookmarkId", "heading", "headingId"];

/// Checks the values of a text style as far as they are set.
///
/// # Errors
///
/// Google's refusals of a font without a family or of a weight that there is not, of a size below zero, and of a link to
/// several places.
pub(crate) fn check_text(mask: &Mask, style: &Map<String, Value>) -> Result<(), Refusal> {
    let set = |name: &str| style.get(name).filter(|value| mask.names(name) && !value.is_null());
    if let Some(font) = set("weightedFontFamily") {
        if font.get("fontFamily").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(Refusal::invalid(quirks::NO_FONT_FAMILY));
        }
        let weight = font.get("weight").and_then(Value::as_f64).unwrap_or_default();
        let is_one = (1..=9_u32).any(|hundreds| (weight - f64::from(hundreds * 100)).abs() < f64::EPSILON);
        if weight != 0.0 && !is_one {
            return Err(Refusal::invalid(quirks::BAD_FONT_WEIGHT));
        }
    }
    let size = set("fontSize").and_then(|size| size.get("magnitude")).and_then(Value::as_f64);
    if size.is_some_and(|size| size < 0.0) {
        return Err(Refusal::invalid(quirks::NEGATIVE_FONT_SIZE));
    }
    let link = set("link").and_then(Value::as_object);
    let leads = |link: &Map<String, Value>| {
        DESTINATIONS.iter().filter(|name| link.get(**name).is_some_and(|value| !value.is_null())).count()
    };
    if link.is_some_and(|link| leads(link) > 1) {
        return Err(Refusal::invalid(quirks::LINK_TO_SEVERAL));
    }
    Ok(())
}

/// Checks the values of a paragraph style as far as they are set.
///
/// # Errors
///
/// Google's refusal of a part of a border.
pub(crate) fn check_paragraph(mask: &Mask, style: &Map<String, Value>) -> Result<(), Refusal> {
    for name in BORDERS.into_iter().filter(|name| mask.names(name)) {
        let border = style.get(name).filter(|value| !value.is_null());
        let lacks = |border: &Value| OF_BORDERS.iter().any(|part| border.get(*part).is_none());
        if mask.names_part_of(name) || border.is_some_and(lacks) {
            return Err(Refusal::invalid(quirks::PART_OF_BORDER));
        }
    }
    Ok(())
}
