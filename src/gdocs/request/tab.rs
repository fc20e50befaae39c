//! Requests about tabs.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::super::document::TabProperties;

/// Adds a tab.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AddDocumentTab {
    /// Title, icon, place and parent, where they matter.
    pub tab_properties: TabProperties,
}

/// Deletes a tab with its children.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteTab {
    /// The tab.
    pub tab_id: String,
}

/// Sets the fields named in `fields` of one tab.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateDocumentTabProperties {
    /// Which one, and the values.
    pub tab_properties: TabProperties,
    /// A field mask, comma separated.
    pub fields: String,
}
