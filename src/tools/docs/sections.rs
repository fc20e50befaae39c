//! Sections and tabs, out of a document and back into it.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::{Failure, Outcome};
use super::{OpenTab, arguments, open};
use crate::error::Error;
use crate::kinds::CommentPlace;
use crate::mebdf::{self, Parsed, RunContent, Tree};
use crate::model::Notice;
use crate::tools::host::{Host, PushReport};
use crate::tools::verbs::{TEXT_BYTES_MAX, excerpt, require};

/// How often an edit is made anew on a file that was saved meanwhile.
const TRIES_MAX: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportSection {
    document_id: String,
    anchor_id: String,
    #[serde(default)]
    tab_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportSection {
    document_id: String,
    anchor_id: String,
    content: String,
    #[serde(default)]
    tab_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportTab {
    document_id: String,
    #[serde(default)]
    tab_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportTab {
    document_id: String,
    content: String,
    #[serde(default)]
    tab_id: String,
}

/// Answers `export_section`.
pub(super) async fn export_section(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ExportSection { document_id, anchor_id, tab_id } = arguments(given)?;
    let tab = open(host, &document_id, &tab_id).await?;
    let text = mebdf::clean(&tab.text);
    let found = section_of(host, &tab, (&text, &mebdf::parse(&text).tree), &anchor_id).await?;
    Ok(json!({ "success": true, "content": found.text, "anchor_id": anchor_id, "warnings": tab.warnings() }))
}

/// Answers `import_section`.
pub(super) async fn import_section(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ImportSection { document_id, anchor_id, content, tab_id } = arguments(given)?;
    let content = checked(&content)?;
    let new = mebdf::parse(&content);
    require(
        new.tree.front_matter.is_none(),
        "a section has no head",
        "Leave the lines between `---` out of `content`.",
    )?;
    let import = Import { section: Some(&anchor_id), content: &content, new: &new };
    let (tab, pushed, preserved) = edit(host, &document_id, &tab_id, import).await?;
    let warnings = warnings(&tab, &new, &pushed);
    Ok(json!({ "success": true, "anchor_id": anchor_id, "preserved_objects": preserved, "warnings": warnings }))
}

/// Answers `export_tab`.
pub(super) async fn export_tab(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ExportTab { document_id, tab_id } = arguments(given)?;
    let tab = open(host, &document_id, &tab_id).await?;
    let text = mebdf::clean(&tab.text);
    Ok(json!({ "success": true, "content": mebdf::body(&text), "tab_id": tab.id, "warnings": tab.warnings() }))
}

/// Answers `import_tab`.
pub(super) async fn import_tab(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let ImportTab { document_id, content, tab_id } = arguments(given)?;
    let content = checked(&content)?;
    let new = mebdf::parse(&content);
    let import = Import { section: None, content: &content, new: &new };
    let (tab, pushed, preserved) = edit(host, &document_id, &tab_id, import).await?;
    let warnings = warnings(&tab, &new, &pushed);
    Ok(json!({ "success": true, "tab_id": tab.id, "preserved_objects": preserved, "warnings": warnings }))
}

/// What is put into a tab.
#[derive(Clone, Copy)]
struct Import<'a> {
    /// The section that it takes the place of; `None` for all of the tab.
    section: Option<&'a str>,
    content: &'a str,
    /// What that says.
    new: &'a Parsed,
}

impl Import<'_> {
    /// Returns the text of a tab with it, and the objects that stood in what it replaces.
    async fn put_into(
        self,
        host: &dyn Host,
        tab: &OpenTab,
        (text, tree): (&str, &Tree),
    ) -> Result<(String, Vec<String>), Failure> {
        if let Some(anchor) = self.section {
            let found = section_of(host, tab, (text, tree), anchor).await?;
            let had = tree.blocks.get(found.blocks.clone()).unwrap_or_default();
            return Ok((mebdf::replaced(text, tree, &found, self.content), objects(had)));
        }
        // Whoever gives a head means it: another title renames the document.
        let head = if self.new.tree.front_matter.is_some() { "" } else { head_of(text) };
        let body = self.content.trim_start_matches('\n').trim_end_matches('\n');
        Ok((format!("{head}{body}\n"), objects(&tree.blocks)))
    }
}

/// Makes an edit of a tab's file, and pushes it. Of the objects that stood in what it replaces, those are returned that stand in
/// the file after it.
async fn edit(
    host: &dyn Host,
    document: &str,
    tab: &str,
    import: Import<'_>,
) -> Result<(OpenTab, PushReport, Vec<String>), Failure> {
    for _ in 0..TRIES_MAX {
        let mut tab = open(host, document, tab).await?;
        let text = mebdf::clean(&tab.text).into_owned();
        let tree = mebdf::parse(&text).tree;
        let known = objects(&tree.blocks);
        let mut unknown = objects(&import.new.tree.blocks);
        unknown.retain(|object| !known.contains(object));
        if !unknown.is_empty() {
            return Err(Failure::NoSuchObject { objects: unknown, known });
        }
        let (edited, had) = match import.put_into(host, &tab, (&text, &tree)).await {
            Ok(made) => made,
            // What is held has another text than the document, which the client goes by.
            Err(failure) => return Err(held(host, &tab.part.path).await?.map_or(failure, Failure::Waits)),
        };
        let edited_file = host.edit(&tab.part.path, &tab.text, &edited).await.map_err(Failure::NotMade)?;
        let Some(report) = edited_file else { continue };
        // What waited in the file before is no failure of an edit that went.
        if report.waits && !report.pushed && edited != tab.text {
            return Err(Failure::Waits(Box::new(report)));
        }
        tab.text = host.text(&tab.part.path).await?;
        let stand = objects(&mebdf::parse(&tab.text).tree.blocks);
        let preserved = had.into_iter().filter(|object| stand.contains(object)).collect();
        return Ok((tab, report, preserved));
    }
    Err(Failure::Restless)
}

/// Tells what a file waits for that is held; `None` for any other.
async fn held(host: &dyn Host, path: &Path) -> Result<Option<Box<PushReport>>, Failure> {
    let report = host.push(path, false, true).await?;
    Ok((!report.holds.is_empty()).then(|| Box::new(PushReport { unsaved: true, ..report })))
}

/// Finds a section of a tab: that of an anchor in its text, else that in which a comment stands.
async fn section_of(
    host: &dyn Host,
    tab: &OpenTab,
    (text, tree): (&str, &Tree),
    anchor: &str,
) -> Result<mebdf::Excerpt, Failure> {
    let anchor = anchor.trim().trim_start_matches("#^").trim_start_matches('#');
    if let Some(found) = mebdf::excerpt(text, tree, anchor) {
        return Ok(found);
    }
    let document = &tab.report.id.0;
    let unknown = |anchor| Failure::from(Error::AnchorNotFound { id: document.clone(), anchor: excerpt(anchor) });
    let Some(place) = host.place_of_comment(document, anchor).await? else { return Err(unknown(anchor)) };
    if let CommentPlace::Section { tab_id, anchor, .. } = &place
        && *tab_id == tab.id
    {
        return mebdf::excerpt(text, tree, anchor).ok_or_else(|| unknown(anchor));
    }
    Err(Failure::NoSection { comment: excerpt(anchor), tab: tab.id.clone(), place })
}

/// Returns a text that may be written, clean.
fn checked(content: &str) -> Result<String, Failure> {
    let is_short = u64::try_from(content.len()).is_ok_and(|bytes| bytes <= TEXT_BYTES_MAX);
    require(is_short, "`content` is longer than 4 MiB", "Import it section by section.")?;
    let content = mebdf::clean(content).into_owned();
    let parsed = mebdf::parse(&content);
    let unsaid: BTreeSet<&str> = parsed.unsaid().map(|notice| notice.code.as_str()).collect();
    let malformed: Vec<Notice> =
        parsed.diagnostics.iter().filter(|notice| !unsaid.contains(notice.code.as_str())).cloned().collect();
    if malformed.is_empty() { Ok(content) } else { Err(Failure::Malformed(malformed)) }
}

/// The ids of the objects in some blocks, each once; a new picture has none.
fn objects(blocks: &[mebdf::Block]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for run in blocks.iter().flat_map(|block| block.content.runs()) {
        if let RunContent::Object(object) = &run.content
            && let Some(id) = object.id.as_ref().filter(|id| *id != "new" && !found.contains(id))
        {
            found.push(id.clone());
        }
    }
    found
}

/// What stands before the body of a text.
fn head_of(text: &str) -> &str {
    text.get(..text.len() - mebdf::body(text).len()).unwrap_or_default()
}

/// What does not go as it is written, and what else went.
fn warnings(tab: &OpenTab, new: &Parsed, pushed: &PushReport) -> Vec<String> {
    let told = [&pushed.refused, &pushed.told, &pushed.unsaid].into_iter().flatten().map(ToString::to_string);
    let mut warnings = tab.warnings_after(pushed);
    let waits = pushed.waits.then(|| pushed.message.clone());
    for warning in waits.into_iter().chain(new.unsaid().map(ToString::to_string)).chain(told) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}
