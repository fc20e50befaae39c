//! Requests about lists.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::super::document::Range;

/// Makes all paragraphs that a range touches items of a list; leading tabs become nesting levels and go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateParagraphBullets {
    /// The range.
    #[serde(default)]
    pub range: Range,
    /// What the bullets look like.
    #[serde(default)]
    pub bullet_preset: BulletPreset,
}

/// What the bullets of a list look like, level by level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BulletPreset {
    /// Nothing that Google carries out.
    #[default]
    BulletGlyphPresetUnspecified,
    /// `●`, `○`, `■`.
    BulletDiscCircleSquare,
    /// `❖`, `➢`, `■`.
    BulletDiamondxArrow3dSquare,
    /// A box on every level.
    BulletCheckbox,
    /// `➔`, `◆`, `●`.
    BulletArrowDiamondDisc,
    /// `★`, `○`, `■`.
    BulletStarCircleSquare,
    /// `➢`, `○`, `■`.
    BulletArrow3dCircleSquare,
    /// `◄`, `◆`, `●`.
    BulletLefttriangleDiamondDisc,
    /// `❖`, `◇`, `■`.
    BulletDiamondxHollowdiamondSquare,
    /// `◆`, `○`, `■`.
    BulletDiamondCircleSquare,
    /// `1.`, `a.`, `i.`
    NumberedDecimalAlphaRoman,
    /// `1)`, `a)`, `i)`
    NumberedDecimalAlphaRomanParens,
    /// `1.`, `1.1.`, `1.1.1.`
    NumberedDecimalNested,
    /// `A.`, `a.`, `i.`
    NumberedUpperalphaAlphaRoman,
    /// `I.`, `A.`, `1.`
    NumberedUpperromanUpperalphaDecimal,
    /// `01.`, `a.`, `i.`
    NumberedZerodecimalAlphaRoman,
}

/// Takes all paragraphs that a range touches out of their lists; they keep their indents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteParagraphBullets {
    /// The range.
    #[serde(default)]
    pub range: Range,
}
