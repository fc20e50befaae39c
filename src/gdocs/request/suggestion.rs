//! The requests about suggestions.

use serde::{Deserialize, Serialize};

/// Makes a suggested change real.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AcceptSuggestion {
    /// The suggestion.
    #[serde(default)]
    pub suggestion_id: String,
}

/// Undoes a suggested change, as an editor does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectSuggestion {
    /// The suggestion.
    #[serde(default)]
    pub suggestion_id: String,
}

/// Undoes a suggested change, as its author does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteSuggestion {
    /// The suggestion.
    #[serde(default)]
    pub suggestion_id: String,
}
