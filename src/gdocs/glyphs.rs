//! What the bullets of each preset look like.
//!
//! Sources: the names of the glyphs from the discovery document, their code points from
//! <https://developers.google.com/apps-script/reference/slides/list-preset>, the rest from recorded lists.

use serde_json::{Map, Value, json};

use super::quirks;
use super::request::BulletPreset;

/// `ARROW`.
const ARROW: &str = "\u{2794}";
/// `ARROW3D`.
const ARROW3D: &str = "\u{27a2}";
/// `CIRCLE`.
const CIRCLE: &str = "\u{25cb}";
/// `DIAMOND`.
const DIAMOND: &str = "\u{25c6}";
/// `DIAMONDX`.
const DIAMONDX: &str = "\u{2756}";
/// `DISC`.
const DISC: &str = "\u{25cf}";
/// `HOLLOWDIAMOND`.
const HOLLOWDIAMOND: &str = "\u{25c7}";
/// `LEFTTRIANGLE`.
const LEFTTRIANGLE: &str = "\u{25c4}";
/// `SQUARE`.
const SQUARE: &str = "\u{25a0}";
/// `STAR`.
const STAR: &str = "\u{2605}";

/// The keys that make a preset what it is; alignment, indents and styles may be changed without leaving it.
const GLYPH_KEYS: [&str; 3] = ["glyphSymbol", "glyphType", "glyphFormat"];

/// How the glyphs of a preset are made; three of them come round again level after level.
enum Glyphs {
    /// These symbols.
    Symbols([&'static str; 3]),
    /// A box, which has no symbol and no number.
    Checkbox,
    /// These types of number, and what follows the number.
    Numbers([&'static str; 3], &'static str),
    /// Decimal numbers, those of the levels above before them.
    Nested,
}

/// Returns the glyphs of a preset; `None` for the unspecified one.
const fn glyphs(preset: BulletPreset) -> Option<Glyphs> {
    use BulletPreset as P;
    Some(match preset {
        P::BulletGlyphPresetUnspecified => return None,
        P::BulletDiscCircleSquare => Glyphs::Symbols([DISC, CIRCLE, SQUARE]),
        P::BulletDiamondxArrow3dSquare => Glyphs::Symbols([DIAMONDX, ARROW3D, SQUARE]),
        P::BulletCheckbox => Glyphs::Checkbox,
        P::BulletArrowDiamondDisc => Glyphs::Symbols([ARROW, DIAMOND, DISC]),
        P::BulletStarCircleSquare => Glyphs::Symbols([STAR, CIRCLE, SQUARE]),
        P::BulletArrow3dCircleSquare => Glyphs::Symbols([ARROW3D, CIRCLE, SQUARE]),
        P::BulletLefttriangleDiamondDisc => Glyphs::Symbols([LEFTTRIANGLE, DIAMOND, DISC]),
        P::BulletDiamondxHollowdiamondSquare => Glyphs::Symbols([DIAMONDX, HOLLOWDIAMOND, SQUARE]),
        P::BulletDiamondCircleSquare => Glyphs::Symbols([DIAMOND, CIRCLE, SQUARE]),
        P::NumberedDecimalAlphaRoman => Glyphs::Numbers(["DECIMAL", "ALPHA", "ROMAN"], "."),
        P::NumberedDecimalAlphaRomanParens => Glyphs::Numbers(["DECIMAL", "ALPHA", "ROMAN"], ")"),
        P::NumberedDecimalNested => Glyphs::Nested,
        P::NumberedUpperalphaAlphaRoman => Glyphs::Numbers(["UPPER_ALPHA", "ALPHA", "ROMAN"], "."),
        P::NumberedUpperromanUpperalphaDecimal => Glyphs::Numbers(["UPPER_ROMAN", "UPPER_ALPHA", "DECIMAL"], "."),
        P::NumberedZerodecimalAlphaRoman => Glyphs::Numbers(["ZERO_DECIMAL", "ALPHA", "ROMAN"], "."),
    })
}

/// Returns the indents of a nesting level in points: of the first line, and of the paragraph.
pub(crate) const fn indents(level: u32) -> (u32, u32) {
    (18 + 36 * level, 36 + 36 * level)
}

/// Returns a length in points as Google writes it.
pub(crate) fn dimension(points: u32) -> Value {
    json!({ "magnitude": points, "unit": "PT" })
}

/// Returns a new list of a preset, as an entry of a tab's lists.
pub(crate) fn list_of(preset: BulletPreset) -> Value {
    let levels: Vec<Value> = (0..=quirks::MAX_NESTING_LEVEL).map(|level| nesting_level(preset, level)).collect();
    json!({ "listProperties": { "nestingLevels": levels } })
}

/// Tells whether the glyphs of a list are those of a preset.
pub(crate) fn matches_preset(list: &Value, preset: BulletPreset) -> bool {
    let own = list.pointer("/listProperties/nestingLevels").and_then(Value::as_array);
    let fresh = list_of(preset);
    let fresh = fresh.pointer("/listProperties/nestingLevels").and_then(Value::as_array);
    let (Some(own), Some(fresh)) = (own, fresh) else { return false };
    own.len() == fresh.len()
        && own.iter().zip(fresh).all(|(own, fresh)| GLYPH_KEYS.iter().all(|key| own.get(*key) == fresh.get(*key)))
}

/// Returns one of the nine levels of a new list.
fn nesting_level(preset: BulletPreset, level: u32) -> Value {
    let of_three = |three: [&'static str; 3]| {
        let [first, second, third] = three;
        match level % 3 {
            0 => first,
            1 => second,
            _ => third,
        }
    };
    let plain = format!("%{level}");
    let (key, glyph, format) = match glyphs(preset) {
        Some(Glyphs::Symbols(symbols)) => ("glyphSymbol", of_three(symbols), plain),
        Some(Glyphs::Numbers(types, after)) => ("glyphType", of_three(types), plain + after),
        Some(Glyphs::Nested) => ("glyphType", "DECIMAL", (0..=level).map(|level| format!("%{level}.")).collect()),
        Some(Glyphs::Checkbox) | None => ("glyphType", "GLYPH_TYPE_UNSPECIFIED", plain),
    };
    let alignment = if quirks::END_ALIGNED_GLYPHS.contains(&glyph) { "END" } else { "START" };
    let (first_line, start) = indents(level);
    let mut fields = Map::new();
    fields.insert("bulletAlignment".to_owned(), json!(alignment));
    fields.insert(key.to_owned(), json!(glyph));
    fields.insert("glyphFormat".to_owned(), json!(format));
    fields.insert("indentFirstLine".to_owned(), dimension(first_line));
    fields.insert("indentStart".to_owned(), dimension(start));
    fields.insert("textStyle".to_owned(), json!({ "underline": false }));
    fields.insert("startNumber".to_owned(), json!(1));
    Value::Object(fields)
}
