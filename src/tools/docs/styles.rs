//! How the kinds of paragraphs of a tab look: read, carried to another document, and made alike.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::{Failure, Outcome};
use super::{arguments, open};
use crate::kinds::{Restyled, StyleDefinition};
use crate::tools::host::Host;
use crate::tools::verbs::require;

/// More kinds of paragraphs than there are.
const DEFINITIONS_MAX: usize = 50;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExtractArguments {
    document_id: String,
    #[serde(default)]
    tab_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApplyArguments {
    document_id: String,
    styles: Vec<StyleDefinition>,
    #[serde(default)]
    tab_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NormalizeArguments {
    document_id: String,
    #[serde(default)]
    tab_id: String,
    #[serde(default)]
    body_font: Option<String>,
    #[serde(default)]
    body_size: Option<String>,
    #[serde(default)]
    heading_font: Option<String>,
    #[serde(default)]
    line_spacing: Option<String>,
    #[serde(default)]
    space_after: Option<String>,
}

/// Answers `extract_styles`.
pub(super) async fn extract_styles(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ExtractArguments { document_id, tab_id } = arguments(given)?;
    let tab = open(host, &document_id, &tab_id).await?;
    let styles = host.styles(&tab.report.id.0, &tab.id).await?;
    Ok(json!({ "success": true, "styles": styles, "source_document_id": tab.report.id }))
}

/// Answers `apply_styles`.
pub(super) async fn apply_styles(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ApplyArguments { document_id, styles, tab_id } = arguments(given)?;
    set(host, &document_id, &tab_id, &styles).await
}

/// Answers `normalize_formatting`.
pub(super) async fn normalize_formatting(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let given: NormalizeArguments = arguments(given)?;
    let body = StyleDefinition {
        element_type: "body".into(),
        font_family: given.body_font,
        font_size: given.body_size,
        line_spacing: given.line_spacing,
        space_after: given.space_after,
        ..StyleDefinition::default()
    };
    let heading = |level: u8| StyleDefinition {
        element_type: format!("heading{level}"),
        font_family: given.heading_font.clone(),
        ..StyleDefinition::default()
    };
    let mut styles = vec![body];
    if given.heading_font.is_some() {
        styles.extend((1..=6).map(heading));
    }
    let says_nothing = |style: &StyleDefinition| {
        *style == StyleDefinition { element_type: style.element_type.clone(), ..StyleDefinition::default() }
    };
    let suggestion = "Give one or more of body_font, body_size, heading_font, line_spacing and space_after.";
    require(!styles.iter().all(says_nothing), "nothing to make alike is given", suggestion)?;
    set(host, &given.document_id, &given.tab_id, &styles).await
}

async fn set(host: &dyn Host, document: &str, tab: &str, styles: &[StyleDefinition]) -> Result<Value, Failure> {
    require(!styles.is_empty(), "`styles` is empty", "Give what extract_styles returned.")?;
    require(
        styles.len() <= DEFINITIONS_MAX,
        "`styles` has more than 50 definitions",
        "Give one for each kind of paragraph.",
    )?;
    let tab = open(host, document, tab).await?;
    let Restyled { changes, warnings } = host.restyle(&tab.report.id.0, &tab.id, styles).await?;
    Ok(json!({ "success": true, "changes_made": changes, "warnings": warnings }))
}
