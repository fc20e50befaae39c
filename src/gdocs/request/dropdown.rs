//! Requests about drop-down chips and what they offer.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::document::Style;
use super::{EndOfSegmentLocation, Location};

/// Makes a list of options that chips can offer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateDropdownDefinition {
    /// The definition.
    pub dropdown_definition: DropdownDefinition,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// A list of options that chips can offer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DropdownDefinition {
    /// `kix.…`; made when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropdown_definition_id: Option<String>,
    /// Title and options.
    pub dropdown_definition_properties: DropdownDefinitionProperties,
}

/// Title and options of a definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DropdownDefinitionProperties {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The options, 2 to 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<DropdownOption>,
}

/// An option of a definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DropdownOption {
    /// `dropdownItem.…`; made when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
    /// What is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_value: Option<String>,
    /// Colours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_style: Option<Style>,
}

/// Deletes a definition that no chip uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteDropdownDefinition {
    /// The definition.
    pub dropdown_definition_id: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Sets the fields named in `fields` of a definition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateDropdownDefinitionProperties {
    /// The definition.
    pub dropdown_definition_id: String,
    /// The values.
    pub dropdown_definition_properties: DropdownDefinitionProperties,
    /// A field mask, comma separated.
    pub fields: String,
    /// What chips select whose option goes: old id to new.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub selected_option_id_replacements: BTreeMap<String, String>,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// Inserts a drop-down chip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertDropdown {
    /// The definition.
    pub dropdown_definition_id: String,
    /// What is selected; the first option when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected_option_id: Option<String>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// Sets the fields named in `fields` of a chip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateDropdownProperties {
    /// The chip.
    pub dropdown_id: String,
    /// The values.
    pub dropdown_properties: DropdownProperties,
    /// A field mask, comma separated.
    pub fields: String,
    /// The tab; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// What a chip offers and shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DropdownProperties {
    /// The definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropdown_definition_id: Option<String>,
    /// The option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected_option_id: Option<String>,
    /// What is shown; Google makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_value: Option<String>,
}
