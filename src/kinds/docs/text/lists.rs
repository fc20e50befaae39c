//! The glyphs of lists by their names in the file, and the presets that make them. Pure.
//!
//! Docs says which list an item is in and how deep; the glyphs belong to the levels of the list. `createParagraphBullets`
//! makes lists of fifteen kinds; glyphs that none of them has can be shown but not made.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::gdocs::{Bullet, BulletPreset, DocumentTab, StructuralElement, is_check_level, list_of};
use crate::mebdf::Mark;

/// The deepest level of a list, from 0.
pub(super) const DEPTH_MAX: u8 = 8;

/// What the API can make, by the names of the file; the first of each family is what Markdown's mark says.
const PRESETS: [(&str, Family, BulletPreset); 15] = [
    ("disc", Family::Bullet, BulletPreset::BulletDiscCircleSquare),
    ("diamondx", Family::Bullet, BulletPreset::BulletDiamondxArrow3dSquare),
    ("arrow", Family::Bullet, BulletPreset::BulletArrowDiamondDisc),
    ("star", Family::Bullet, BulletPreset::BulletStarCircleSquare),
    ("arrow3d", Family::Bullet, BulletPreset::BulletArrow3dCircleSquare),
    ("lefttriangle", Family::Bullet, BulletPreset::BulletLefttriangleDiamondDisc),
    ("diamondx-hollow", Family::Bullet, BulletPreset::BulletDiamondxHollowdiamondSquare),
    ("diamond", Family::Bullet, BulletPreset::BulletDiamondCircleSquare),
    ("check", Family::Check, BulletPreset::BulletCheckbox),
    ("decimal", Family::Number, BulletPreset::NumberedDecimalAlphaRoman),
    ("decimal-paren", Family::Number, BulletPreset::NumberedDecimalAlphaRomanParens),
    ("decimal-nested", Family::Number, BulletPreset::NumberedDecimalNested),
    ("upper-alpha", Family::Number, BulletPreset::NumberedUpperalphaAlphaRoman),
    ("upper-roman", Family::Number, BulletPreset::NumberedUpperromanUpperalphaDecimal),
    ("zero-decimal", Family::Number, BulletPreset::NumberedZerodecimalAlphaRoman),
];

/// Glyphs that no preset begins with, by the names of the file.
const OTHERS: [(&str, Family, &str); 4] = [
    ("circle", Family::Bullet, "\u{25cb}"),
    ("square", Family::Bullet, "\u{25a0}"),
    ("alpha", Family::Number, "ALPHA"),
    ("roman", Family::Number, "ROMAN"),
];

/// Symbols that say no more than that it is a bullet.
const PLAIN_SYMBOLS: [&str; 8] = ["\u{25cf}", "\u{25cb}", "\u{25a0}", "\u{2022}", "\u{25e6}", "\u{25aa}", "-", "*"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Bullet,
    Number,
    Check,
}

const fn family_of(mark: Mark) -> Family {
    match mark {
        Mark::Bullet => Family::Bullet,
        Mark::Number => Family::Number,
        Mark::Task { .. } => Family::Check,
    }
}

/// What a directive `list:…` says about an item with this mark; `None` when its mark says it, or it is of another kind.
pub(crate) fn said(list: &str, mark: Mark) -> Option<String> {
    let name = list.trim().to_ascii_lowercase();
    (reaches(&name, mark) && !is_plain(&name, mark)).then_some(name)
}

/// The family that glyphs belong to; `None` when nobody knows them.
fn family_called(list: &str) -> Option<Family> {
    let name = list.trim().to_ascii_lowercase();
    let bare = name.split(' ').next().unwrap_or_default();
    let known = PRESETS.iter().map(|(known, family, _)| (known, family));
    let mut known = known.chain(OTHERS.iter().map(|(known, family, _)| (known, family)));
    known.find(|(known, _)| **known == bare).map(|(_, family)| *family)
}

/// Tells whether a directive `list:…` is about items with this mark; glyphs that nobody knows are about all.
pub(super) fn reaches(list: &str, mark: Mark) -> bool {
    family_called(list).is_none_or(|family| family == family_of(mark))
}

/// What glyphs mean, as the middle of a sentence.
pub(super) fn meaning(list: &str) -> &'static str {
    match family_called(list) {
        Some(Family::Bullet) => "names the glyphs of a list of bullets",
        Some(Family::Number) => "names the glyphs of a numbered list",
        Some(Family::Check) => "names the glyphs of a list of boxes",
        None => "names the glyphs of a list",
    }
}

fn is_plain(name: &str, mark: Mark) -> bool {
    matches!((name, mark), ("disc", Mark::Bullet) | ("decimal", Mark::Number) | ("check", Mark::Task { .. }))
}

/// The preset that makes a list of this kind; `None` when the API has none.
pub(crate) fn preset(mark: Mark, list: Option<&str>) -> Option<BulletPreset> {
    let plain = match mark {
        Mark::Bullet => "disc",
        Mark::Number => "decimal",
        Mark::Task { .. } => "check",
    };
    let wanted = list.unwrap_or(plain);
    PRESETS.iter().find(|(name, family, _)| *name == wanted && *family == family_of(mark)).map(|(_, _, preset)| *preset)
}

/// The lists of a tab, with the levels that its items use: glyphs of other levels are nowhere seen.
#[derive(Default)]
pub(super) struct Lists {
    used: BTreeMap<String, BTreeSet<usize>>,
    names: BTreeMap<(String, Family), Option<String>>,
}

impl Lists {
    /// Counts the levels that items of the body use.
    pub(crate) fn of(content: &[StructuralElement]) -> Self {
        let mut used: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for bullet in content.iter().filter_map(|element| element.paragraph.as_ref()?.bullet.as_ref()) {
            let level = usize::try_from(bullet.nesting_level.unwrap_or(0)).unwrap_or(usize::MAX);
            match used.get_mut(&bullet.list_id) {
                Some(levels) => {
                    levels.insert(level);
                }
                None => {
                    used.insert(bullet.list_id.clone(), BTreeSet::from([level]));
                }
            }
        }
        Self { used, names: BTreeMap::new() }
    }

    /// The mark of an item, and the name of its list's glyphs where the mark does not say them.
    pub(super) fn glyphs(&mut self, tab: &DocumentTab, list: &str, depth: u8) -> (Mark, Option<String>) {
        let levels = tab.lists.get(list).and_then(|list| list.pointer("/listProperties/nestingLevels"));
        let level = levels.and_then(|levels| levels.get(usize::from(depth)));
        let mark = match level.map_or(Family::Bullet, family) {
            Family::Bullet => Mark::Bullet,
            Family::Number => Mark::Number,
            Family::Check => Mark::Task { checked: false },
        };
        let key = (list.to_owned(), family_of(mark));
        if let Some(name) = self.names.get(&key) {
            return (mark, name.clone());
        }
        let used = self.used.get(list).into_iter().flatten();
        let of_family: Vec<(usize, &Value)> = used
            .filter_map(|level| Some((*level, levels?.get(*level)?)))
            .filter(|(_, level)| family(level) == family_of(mark))
            .collect();
        let name = exact(levels, mark).unwrap_or_else(|| name(&of_family, mark));
        self.names.insert(key, name.clone());
        (mark, name)
    }
}

/// How far each list has counted at each of its levels: a list counts on wherever its next item stands.
#[derive(Default)]
pub(super) struct Counts(BTreeMap<String, Vec<u64>>);

impl Counts {
    /// Counts an item and returns its number in its list, the first of which is 1; what is nested under it begins anew.
    pub(super) fn next(&mut self, bullet: &Bullet) -> u64 {
        let level =
            usize::try_from(bullet.nesting_level.unwrap_or(0)).unwrap_or(usize::MAX).min(usize::from(DEPTH_MAX));
        let counts = self.0.entry(bullet.list_id.clone()).or_default();
        counts.resize(level + 1, 0);
        let Some(count) = counts.get_mut(level) else { return 1 };
        *count += 1;
        *count
    }
}

fn family(level: &Value) -> Family {
    let text = |name: &str| level.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("glyphType"), text("glyphSymbol")) {
        _ if is_check_level(level) => Family::Check,
        (_, Some(_)) | (Some("NONE") | None, None) => Family::Bullet,
        (Some(_), None) => Family::Number,
    }
}

/// Tells whether a level of a list counts its items.
pub(crate) fn is_numbered(level: &Value) -> bool {
    family(level) == Family::Number
}

const GLYPH_KEYS: [&str; 3] = ["glyphSymbol", "glyphType", "glyphFormat"];

/// Tells whether a level has the glyph of a preset's.
fn is_glyph(fresh: &Value, at: usize, level: &Value) -> bool {
    let fresh = fresh.pointer(&format!("/listProperties/nestingLevels/{at}"));
    GLYPH_KEYS.iter().all(|key| fresh.and_then(|fresh| fresh.get(*key)) == level.get(*key))
}

/// Names a list that a preset has made; `None` when none has.
#[expect(clippy::option_option, reason = "a preset was found or not, and has to be said or not")]
fn exact(levels: Option<&Value>, mark: Mark) -> Option<Option<String>> {
    let levels = levels?.as_array().filter(|levels| levels.len() > usize::from(DEPTH_MAX))?;
    let counts_from_one = levels.iter().all(|level| level.get("startNumber").and_then(Value::as_u64).unwrap_or(1) <= 1);
    let (name, ..) = PRESETS.iter().filter(|(_, family, _)| *family == family_of(mark) && counts_from_one).find(
        |(_, _, preset)| {
            let fresh = list_of(*preset);
            levels.iter().enumerate().all(|(at, level)| is_glyph(&fresh, at, level))
        },
    )?;
    Some((!is_plain(name, mark)).then(|| (*name).to_owned()))
}

/// Tells whether the levels of a list are those that a preset makes, and that goes by this name.
pub(crate) fn is_made_by_preset(levels: &Value, mark: Mark, name: Option<&str>) -> bool {
    exact(Some(levels), mark).is_some_and(|found| found.as_deref() == name)
}

/// Names the glyphs of the levels in use.
fn name(levels: &[(usize, &Value)], mark: Mark) -> Option<String> {
    let first = levels.first().map(|(_, level)| *level);
    let start = first.and_then(|level| level.get("startNumber")).and_then(Value::as_u64);
    let start = start.filter(|start| *start > 1 && mark == Mark::Number);
    let made_by = |preset: BulletPreset| {
        let fresh = list_of(preset);
        levels.iter().all(|(at, level)| is_glyph(&fresh, *at, level))
    };
    let of_family = PRESETS.iter().filter(|(_, family, _)| *family == family_of(mark));
    let preset = of_family.filter(|(_, _, preset)| made_by(*preset)).map(|(name, ..)| *name).next();
    let plain = |level: &Value| {
        let text = |name: &str| level.get(name).and_then(Value::as_str).unwrap_or_default();
        match mark {
            Mark::Bullet => PLAIN_SYMBOLS.contains(&text("glyphSymbol")) || text("glyphSymbol").is_empty(),
            Mark::Number => text("glyphType") == "DECIMAL" && text("glyphFormat").matches('%').count() == 1,
            Mark::Task { .. } => true,
        }
    };
    let name = match preset {
        Some(name) => name.to_owned(),
        None if levels.iter().all(|(_, level)| plain(level)) => default_name(mark).to_owned(),
        None => first.map_or_else(|| default_name(mark).to_owned(), |level| glyph_name(level, mark)),
    };
    match start {
        Some(start) => Some(format!("{name} {start}")),
        None => (!is_plain(&name, mark)).then_some(name),
    }
}

const fn default_name(mark: Mark) -> &'static str {
    match mark {
        Mark::Bullet => "disc",
        Mark::Number => "decimal",
        Mark::Task { .. } => "check",
    }
}

/// Names a glyph that no preset begins with; what has no name is told apart from what the mark says.
fn glyph_name(level: &Value, mark: Mark) -> String {
    let text = |name: &str| level.get(name).and_then(Value::as_str).unwrap_or_default();
    let (glyph, symbol) = (text("glyphType"), text("glyphSymbol"));
    let found = OTHERS.iter().find(|(_, family, of)| *family == family_of(mark) && (*of == glyph || *of == symbol));
    match (found, mark) {
        (Some((name, ..)), _) => (*name).to_owned(),
        (None, Mark::Number) => format!("other-{}", glyph.to_ascii_lowercase().replace('_', "-")),
        (None, Mark::Bullet | Mark::Task { .. }) => "other-bullet".to_owned(),
    }
}
