//! Which documents there are, and what is in one.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::Outcome;
use super::schema::{LIMIT_DEFAULT, LIMIT_MAX};
use super::{ID_CHARS_MAX, arguments, open};
use crate::mebdf;
use crate::tools::host::Host;
use crate::tools::verbs::{QUERY_CHARS_MAX, at_most, require};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    query: String,
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentArguments {
    document_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TabArguments {
    document_id: String,
    #[serde(default)]
    tab_id: String,
}

/// Answers `list_documents`.
pub(super) async fn list_documents(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ListArguments { query, limit } = arguments(given)?;
    at_most("query", &query, QUERY_CHARS_MAX)?;
    let limit = limit.map_or(LIMIT_DEFAULT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    require((1..=LIMIT_MAX).contains(&limit), "`limit` must be from 1 to 100", "Narrow the query to see others.")?;
    let listing = host.documents(&query, limit).await?;
    let documents: Vec<Value> = listing
        .items
        .iter()
        .map(|item| {
            json!({
                "document_id": item.id,
                "title": item.title,
                "last_modified": item.modified,
                "owner": item.owner,
            })
        })
        .collect();
    Ok(json!({ "success": true, "documents": documents, "total_count": listing.total, "counted_all": !listing.more }))
}

/// Answers `get_metadata`.
pub(super) async fn get_metadata(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let DocumentArguments { document_id } = arguments(given)?;
    at_most("document_id", &document_id, ID_CHARS_MAX)?;
    let facts = host.facts(document_id.trim()).await?;
    let tabs: Vec<Value> = facts
        .tabs
        .iter()
        .enumerate()
        .map(|(index, (id, title))| json!({ "tab_id": id, "title": title, "index": index }))
        .collect();
    Ok(json!({
        "success": true,
        "document_id": facts.id,
        "title": facts.title,
        "tabs": tabs,
        "can_edit": facts.can_edit,
        "can_comment": facts.can_comment,
    }))
}

/// Answers `get_hierarchy`.
pub(super) async fn get_hierarchy(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let TabArguments { document_id, tab_id } = arguments(given)?;
    let tab = open(host, &document_id, &tab_id).await?;
    let found = mebdf::headings(&mebdf::parse(&tab.text).tree);
    let headings: Vec<Value> = found
        .iter()
        .map(|heading| json!({ "anchor_id": heading.anchor, "level": heading.level, "text": heading.title }))
        .collect();
    let line = |heading: &mebdf::Heading| {
        format!("{} {{^ {}}}{}\n", "#".repeat(heading.level.into()), heading.anchor, heading.title)
    };
    Ok(json!({ "success": true, "headings": headings, "markdown": found.iter().map(line).collect::<String>() }))
}
