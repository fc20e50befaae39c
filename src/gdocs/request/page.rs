//! Requests about headers, footers, sections, the page and named styles.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::super::document::{NamedStyle, Range, Style};
use super::Location;

/// Makes a header for the document or for one section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateHeader {
    /// Which one.
    pub r#type: HeaderFooterType,
    /// The section break that begins the section; absent for the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_break_location: Option<Location>,
}

/// Makes a footer for the document or for one section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateFooter {
    /// Which one.
    pub r#type: HeaderFooterType,
    /// The section break that begins the section; absent for the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section_break_location: Option<Location>,
}

/// Which header or footer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum HeaderFooterType {
    /// Nothing that Google carries out.
    #[default]
    HeaderFooterTypeUnspecified,
    /// That of all pages.
    Default,
}

/// Deletes a header and the references to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteHeader {
    /// The header.
    pub header_id: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Deletes a footer and the references to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteFooter {
    /// The footer.
    pub footer_id: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Sets the fields named in `fields` of all sections that a range touches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateSectionStyle {
    /// The range, in the body.
    pub range: Range,
    /// The values.
    pub section_style: Style,
    /// A field mask, comma separated.
    pub fields: String,
}

/// Sets the fields named in `fields` of the style of a tab.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateDocumentStyle {
    /// The values.
    pub document_style: Style,
    /// A field mask, comma separated.
    pub fields: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Sets the fields named in `fields` of one named style.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateNamedStyle {
    /// Which one, and the values.
    pub named_style: NamedStyle,
    /// A field mask, comma separated.
    pub fields: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}
