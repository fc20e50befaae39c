//! Looks of a range of text.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Outcome, Refused, arguments, checked_id};
use crate::kinds::Look;
use crate::tools::host::Host;
use crate::tools::tabs;

/// Where the looks of the other arguments go.
#[derive(Debug, Deserialize)]
struct Where {
    document_id: String,
    start_index: u32,
    end_index: u32,
    #[serde(default)]
    tab_id: String,
}

/// The arguments that are no look.
const PLACES: [&str; 4] = ["document_id", "start_index", "end_index", "tab_id"];

/// The looks that there are.
pub(super) const LOOKS: [&str; 14] = [
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "font_size",
    "font_family",
    "foreground_color",
    "background_color",
    "link_url",
    "heading_type",
    "alignment",
    "line_spacing",
    "space_above",
    "space_below",
];

/// Answers `google_docs_apply_style`.
pub(super) async fn apply_style(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    if let Some(unknown) = given.keys().find(|key| !PLACES.contains(&key.as_str()) && !LOOKS.contains(&key.as_str())) {
        return Err(Refused::new(
            format!("there is no style `{}`", unknown.escape_debug()),
            format!("There are {}.", LOOKS.join(", ")),
        ));
    }
    let (places, looks): (Map<_, _>, Map<_, _>) =
        given.into_iter().partition(|(key, _)| PLACES.contains(&key.as_str()));
    let Where { document_id, start_index, end_index, tab_id } = arguments(places)?;
    let look: Look = arguments(looks)?;
    if look == Look::default() {
        return Err(Refused::new("no style is given", format!("Give one or more of {}.", LOOKS.join(", "))));
    }
    let id = checked_id(&document_id)?;
    let applied = host.dress(id, &tabs::meant(&tab_id, id), (start_index, end_index), &look).await?;
    let count = applied.len();
    Ok(json!({
        "success": true,
        "document_id": id,
        "styled_range": { "start_index": start_index, "end_index": end_index },
        "applied_styles": applied,
        "message": format!("Applied {count} style(s) to range [{start_index}, {end_index})"),
    }))
}
