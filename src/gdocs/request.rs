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
