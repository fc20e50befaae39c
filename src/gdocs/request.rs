//! The requests of `documents.batchUpdate` as types.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::document::{Range, Style};

/// One request that the interpreter carries out; JSON as Google spells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Request {
    /// Inserts text.
    InsertText(InsertText),
    /// Deletes a range.
    DeleteContentRange(DeleteContentRange),
    /// Sets fields of the text style of a range.
    UpdateTextStyle(UpdateTextStyle),
    /// Sets fields of the paragraph style of all paragraphs that a range touches.
    UpdateParagraphStyle(UpdateParagraphStyle),
    /// Names a range.
    CreateNamedRange(CreateNamedRange),
    /// Removes named ranges.
    DeleteNamedRange(DeleteNamedRange),
    /// Makes all paragraphs that a range touches items of a list.
    CreateParagraphBullets(CreateParagraphBullets),
    /// Takes all paragraphs that a range touches out of their lists.
    DeleteParagraphBullets(DeleteParagraphBullets),
    /// Inserts an empty table behind a newline.
    InsertTable(InsertTable),
}

/// Inserts text at a place, or before the last newline of a segment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InsertText {
    /// The text.
    #[serde(default)]
    pub text: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// A place, in UTF-16 units of its segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The place.
    #[serde(default)]
    pub index: u32,
    /// Absent for the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_id: Option<String>,
    /// Absent for the first tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// The end of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndOfSegmentLocation {
    /// Absent for the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_id: Option<String>,
    /// Absent for the first tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Deletes a range.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteContentRange {
    /// The range.
    pub range: Range,
}

/// Sets the fields named in `fields`; a field that is named but not set goes back to inherited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTextStyle {
    /// The range.
    pub range: Range,
    /// The values.
    #[serde(default)]
    pub text_style: Style,
    /// A field mask, comma separated.
    #[serde(default)]
    pub fields: String,
}

/// Sets the fields named in `fields`; a field that is named but not set goes back to inherited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateParagraphStyle {
    /// The range.
    pub range: Range,
    /// The values.
    #[serde(default)]
    pub paragraph_style: Style,
    /// A field mask, comma separated.
    #[serde(default)]
    pub fields: String,
}

/// Names a range.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateNamedRange {
    /// 1 to 256 UTF-16 units; not unique.
    #[serde(default)]
    pub name: String,
    /// The range.
    pub range: Range,
}

/// Removes named ranges by id or by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteNamedRange {
    /// The id of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_range_id: Option<String>,
    /// The name of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tabs it is about; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tabs_criteria: Option<serde_json::Value>,
}

/// Makes all paragraphs that a range touches items of a list; leading tabs become nesting levels and go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateParagraphBullets {
    /// The range.
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
    pub range: Range,
}

/// Inserts a newline and behind it an empty table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InsertTable {
    /// Count of rows.
    #[serde(default)]
    pub rows: u32,
    /// Count of columns.
    #[serde(default)]
    pub columns: u32,
    /// Where the newline comes to stand; the table starts one behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}
