//! Requests about text, its style, and named ranges.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::super::document::{Range, Style};
use super::{EndOfSegmentLocation, Location};

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

/// Deletes a range.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteContentRange {
    /// The range.
    #[serde(default)]
    pub range: Range,
}

/// Sets the fields named in `fields`; a field that is named but not set goes back to inherited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTextStyle {
    /// The range.
    #[serde(default)]
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
    #[serde(default)]
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
    #[serde(default)]
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
    pub tabs_criteria: Option<TabsCriteria>,
}

/// The tabs that a request is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TabsCriteria {
    /// Their ids; children are not meant with their parent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tab_ids: Vec<String>,
}

/// Replaces every occurrence of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplaceAllText {
    /// What is looked for.
    pub contains_text: SubstringMatchCriteria,
    /// What takes its place.
    pub replace_text: String,
    /// The tabs it is about; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tabs_criteria: Option<TabsCriteria>,
}

/// What a text is looked for by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubstringMatchCriteria {
    /// The text, or the pattern.
    pub text: String,
    /// `A` is not `a`.
    pub match_case: bool,
    /// The text is a regular expression.
    pub search_by_regex: bool,
}

/// Replaces what named ranges hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplaceNamedRangeContent {
    /// The new text.
    pub text: String,
    /// The id of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_range_id: Option<String>,
    /// The name of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_range_name: Option<String>,
    /// The tabs it is about; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tabs_criteria: Option<TabsCriteria>,
}
