//! Sections and tabs, out of a document and back into it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::exports::{Exports, Place, Woven, cut, given, lacking, woven};
use super::failure::{Failure, Outcome};
use super::schema::LONG_CHARS_MAX;
use super::{OpenTab, arguments, open};
use crate::error::Error;
use crate::kinds::CommentPlace;
use crate::mebdf::{self, Parsed, RunContent, Tree};
use crate::model::Notice;
use crate::tools::host::{Host, PushReport};
use crate::tools::verbs::{TEXT_BYTES_MAX, excerpt, require};

/// Told when a part of the place was not the client's to edit.
const KEPT: &str = "what your export did not have, since it was cut, stays as it is";
/// How often an edit is made anew on a file that was saved meanwhile.
const TRIES_MAX: usize = 5;
/// The longest content of an export as JSON: with the rest of the answer it is within what clients are told to take.
const CONTENT_BYTES_MAX: usize = LONG_CHARS_MAX / 10 * 9;
/// From this length on many clients show a part alone: about 25,000 tokens.
const LONG_BYTES: usize = 75_000;
/// Told when more was changed than the client knows.
const MERGED: &str = "others changed this since your export; their changes stand, and yours were merged with them: export it again to see all of it";

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
pub(super) async fn export_section(host: &dyn Host, exports: &Mutex<Exports>, given: Map<String, Value>) -> Outcome {
    let ExportSection { document_id, anchor_id, tab_id } = arguments(given)?;
    let tab = open(host, &document_id, &tab_id).await?;
    let text = mebdf::clean(&tab.text);
    let (section, found) = section_of(host, &tab, (&text, &mebdf::parse(&text).tree), &anchor_id).await?;
    let Given { content, given, warnings } = Given::of(host, &tab, &found.text).await?;
    of(exports).remember(tab.place(Some(section)), &text, given);
    Ok(json!({ "success": true, "content": content, "anchor_id": anchor_id, "warnings": warnings }))
}

/// Answers `import_section`.
pub(super) async fn import_section(host: &dyn Host, exports: &Mutex<Exports>, given: Map<String, Value>) -> Outcome {
    let ImportSection { document_id, anchor_id, content, tab_id } = arguments(given)?;
    let content = short(&content)?;
    let new = mebdf::parse(&content);
    require(
        new.tree.front_matter.is_none(),
        "a section has no head",
        "Leave the lines between `---` out of `content`.",
    )?;
    let import = Import { section: Some(&anchor_id), content: &content };
    let done = edit(host, exports, (&document_id, &tab_id), import).await?;
    let warnings = warnings(&done, &new);
    Ok(json!({ "success": true, "anchor_id": anchor_id, "preserved_objects": done.preserved, "warnings": warnings }))
}

/// Answers `export_tab`.
pub(super) async fn export_tab(host: &dyn Host, exports: &Mutex<Exports>, given: Map<String, Value>) -> Outcome {
    let ExportTab { document_id, tab_id } = arguments(given)?;
    let tab = open(host, &document_id, &tab_id).await?;
    let text = mebdf::clean(&tab.text);
    let Given { content, given, warnings } = Given::of(host, &tab, mebdf::body(&text)).await?;
    of(exports).remember(tab.place(None), &text, given);
    Ok(json!({ "success": true, "content": content, "tab_id": tab.id, "warnings": warnings }))
}

/// Answers `import_tab`.
pub(super) async fn import_tab(host: &dyn Host, exports: &Mutex<Exports>, given: Map<String, Value>) -> Outcome {
    let ImportTab { document_id, content, tab_id } = arguments(given)?;
    let content = short(&content)?;
    let new = mebdf::parse(&content);
    let import = Import { section: None, content: &content };
    let done = edit(host, exports, (&document_id, &tab_id), import).await?;
    let warnings = warnings(&done, &new);
    Ok(json!({ "success": true, "tab_id": done.tab.id, "preserved_objects": done.preserved, "warnings": warnings }))
}

/// What a client is given of a text.
struct Given {
    content: String,
    /// How many bytes these are, where it is the beginning alone.
    given: Option<usize>,
    warnings: Vec<String>,
}

impl Given {
    /// All of a text, unless no client takes so much: then its beginning, and where the whole stands.
    async fn of(host: &dyn Host, tab: &OpenTab, text: &str) -> Result<Self, Failure> {
        let bytes = Value::from(text).to_string().len();
        let mut warnings = unsent(host, tab).await?;
        warnings.extend(tab.warnings());
        if bytes <= CONTENT_BYTES_MAX {
            let long = "this is long: where your client shows a part of it alone, export section by section; an import that lacks a long \
                        piece of it is refused";
            if bytes > LONG_BYTES {
                warnings.insert(0, long.to_owned());
            }
            return Ok(Self { content: text.to_owned(), given: None, warnings });
        }
        let given = cut(text, CONTENT_BYTES_MAX);
        let content = format!("{}\n", text.get(..given).unwrap_or_default());
        let told = format!(
            "cut: these are the first {given} of {} bytes; the file {} has the whole, and get_hierarchy with export_section gives it in \
             parts. An import of this leaves what was cut as it is",
            text.len(),
            tab.part.path.display()
        );
        warnings.insert(0, told);
        Ok(Self { content, given: Some(given), warnings })
    }
}

/// What of a tab's file is in no document, for a client that takes the one for the other.
async fn unsent(host: &dyn Host, tab: &OpenTab) -> Result<Vec<String>, Failure> {
    // Only where there is something to tell of a document it may be that.
    if tab.report.notices.is_empty() {
        return Ok(Vec::new());
    }
    let accounts = host.status().await?.accounts;
    let states: Vec<String> = accounts
        .into_iter()
        .flat_map(|account| account.waiting)
        .filter(|waits| waits.path.as_ref() == Some(&tab.part.path))
        .map(|waits| waits.state)
        .collect();
    let told = [
        (
            "held",
            "this is the mirrored file, not the document: an earlier edit of it waits for the person, and the document does not have \
             that. Until it is sent or taken back, only an import is made that brings back what that edit took out; what you import \
             then goes with what is left of it",
        ),
        (
            "conflict",
            "this is the mirrored file, not the document: in the section in conflict the document says something else, and what is \
             imported there waits with it",
        ),
        (
            "refused",
            "this is the mirrored file, not the document: an earlier edit of it was refused, stands in the file alone, and is tried \
             again with the next import",
        ),
    ];
    let told = told.into_iter().filter(|(state, _)| states.iter().any(|other| other == state));
    Ok(told.map(|(_, said)| said.to_owned()).collect())
}

/// What is put into a tab.
#[derive(Clone, Copy)]
struct Import<'a> {
    /// The section that it takes the place of; `None` for all of the tab.
    section: Option<&'a str>,
    content: &'a str,
}

/// What became of an import.
struct Imported {
    tab: OpenTab,
    pushed: PushReport,
    /// Of the objects that stood in what it replaced, those that stand in the file after it.
    preserved: Vec<String>,
    /// Whether others changed what the client had been given.
    others: bool,
    /// Whether the client was given the beginning alone.
    kept: bool,
}

/// A tab's text with an import.
struct Made {
    woven: Woven,
    /// Where it was put.
    place: Place,
    /// The objects that stood there.
    had: Vec<String>,
    /// What the client was not given of it, and that stays.
    rest: Option<String>,
}

impl Import<'_> {
    async fn put_into(
        self,
        host: &dyn Host,
        exports: &Mutex<Exports>,
        tab: &OpenTab,
        (text, tree): (&str, &Tree),
    ) -> Result<Made, Failure> {
        let (section, had) = match self.section {
            Some(anchor) => {
                let (anchor, found) = section_of(host, tab, (text, tree), anchor).await?;
                (Some(anchor), objects(tree.blocks.get(found.blocks).unwrap_or_default()))
            }
            None => (None, objects(&tree.blocks)),
        };
        let place = tab.place(section);
        let (base, rest) = {
            let exports = of(exports);
            (exports.last(&place), exports.rest(&place, self.content))
        };
        let section = place.section.as_deref();
        let content = match &rest {
            Some(rest) => &format!("{}{rest}", self.content.trim_end_matches('\n')),
            None => self.content,
        };
        check(content)?;
        if let Some(piece) = lacking(base.as_deref().unwrap_or(text), section, content) {
            return Err(Failure::Lacks(piece));
        }
        let woven = woven(base.as_deref(), text, section, content).map_err(Failure::Changed)?;
        Ok(Made { woven, place, had, rest })
    }
}

/// Makes an edit of a tab's file, and pushes it.
async fn edit(
    host: &dyn Host,
    exports: &Mutex<Exports>,
    (document, tab): (&str, &str),
    import: Import<'_>,
) -> Result<Imported, Failure> {
    let mut tab = open(host, document, tab).await?;
    let _turn = host.turn(&tab.report.id).await?;
    for _ in 0..TRIES_MAX {
        // Whoever had the turn before has saved the file.
        tab.text = host.text(&tab.part.path).await?;
        let text = mebdf::clean(&tab.text).into_owned();
        let tree = mebdf::parse(&text).tree;
        let made = match import.put_into(host, exports, &tab, (&text, &tree)).await {
            Ok(made) => made,
            // What is held has another text than the document, which the client goes by.
            Err(failure) => return Err(held(host, &tab.part.path).await?.map_or(failure, Failure::Waits)),
        };
        let Made { woven: Woven { text: edited, known, others }, place, had, rest } = made;
        let there = objects(&tree.blocks);
        let mut unknown = objects(&mebdf::parse(&edited).tree.blocks);
        unknown.retain(|object| !there.contains(object));
        if !unknown.is_empty() {
            return Err(Failure::NoSuchObject { objects: unknown, known: there });
        }
        // What stands there as it did is not written anew.
        let edited = if edited == text { tab.text.clone() } else { edited };
        let edited_file = host.edit(&tab.part.path, &tab.text, &edited).await.map_err(Failure::NotMade)?;
        let Some(pushed) = edited_file else {
            tab = open(host, document, &tab.id).await?;
            continue;
        };
        let kept = rest.is_some();
        if let Some(known) = known.filter(|_| !pushed.unsaved) {
            let given = rest.and_then(|rest| given(&known, place.section.as_deref(), &rest));
            of(exports).remember(place, &known, given);
        }
        // What waited in the file before is no failure of an edit that went.
        if pushed.waits && !pushed.pushed && edited != tab.text {
            return Err(Failure::Waits(Box::new(pushed)));
        }
        tab.text = host.text(&tab.part.path).await?;
        let stand = objects(&mebdf::parse(&tab.text).tree.blocks);
        let preserved = had.into_iter().filter(|object| stand.contains(object)).collect();
        return Ok(Imported { tab, pushed, preserved, others, kept });
    }
    Err(Failure::Restless)
}

fn of(exports: &Mutex<Exports>) -> MutexGuard<'_, Exports> {
    exports.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells what a file waits for that is held; `None` for any other.
async fn held(host: &dyn Host, path: &Path) -> Result<Option<Box<PushReport>>, Failure> {
    let report = host.push(path, false, true).await?;
    Ok((!report.holds.is_empty()).then(|| Box::new(PushReport { unsaved: true, ..report })))
}

/// Finds a section of a tab, and the anchor that names it in the text: that of an anchor there, else that in which a comment stands.
async fn section_of(
    host: &dyn Host,
    tab: &OpenTab,
    (text, tree): (&str, &Tree),
    anchor: &str,
) -> Result<(String, mebdf::Excerpt), Failure> {
    let anchor = anchor.trim().trim_start_matches("#^").trim_start_matches('#');
    if let Some(found) = mebdf::excerpt(text, tree, anchor) {
        return Ok((anchor.to_owned(), found));
    }
    let document = &tab.report.id.0;
    let unknown = |anchor| Failure::from(Error::AnchorNotFound { id: document.clone(), anchor: excerpt(anchor) });
    let Some(place) = host.place_of_comment(document, anchor).await? else { return Err(unknown(anchor)) };
    if let CommentPlace::Section { tab_id, anchor, .. } = &place
        && *tab_id == tab.id
    {
        let found = mebdf::excerpt(text, tree, anchor).ok_or_else(|| unknown(anchor))?;
        return Ok((anchor.clone(), found));
    }
    Err(Failure::NoSection { comment: excerpt(anchor), tab: tab.id.clone(), place })
}

/// Returns a text that is short enough to be written, clean.
fn short(content: &str) -> Result<String, Failure> {
    let is_short = u64::try_from(content.len()).is_ok_and(|bytes| bytes <= TEXT_BYTES_MAX);
    require(is_short, "`content` is longer than 4 MiB", "Import it section by section.")?;
    Ok(mebdf::clean(content).into_owned())
}

/// Refuses a text whose forms are none.
fn check(content: &str) -> Result<(), Failure> {
    let parsed = mebdf::parse(content);
    let unsaid: BTreeSet<&str> = parsed.unsaid().map(|notice| notice.code.as_str()).collect();
    let malformed: Vec<Notice> =
        parsed.diagnostics.iter().filter(|notice| !unsaid.contains(notice.code.as_str())).cloned().collect();
    if malformed.is_empty() { Ok(()) } else { Err(Failure::Malformed(malformed)) }
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

/// What does not go as it is written, and what else went.
fn warnings(Imported { tab, pushed, others, kept, .. }: &Imported, new: &Parsed) -> Vec<String> {
    let told = [&pushed.refused, &pushed.told, &pushed.unsaid].into_iter().flatten().map(ToString::to_string);
    let mut warnings: Vec<String> =
        others.then(|| MERGED.to_owned()).into_iter().chain(tab.warnings_after(pushed)).collect();
    warnings.extend(kept.then(|| KEPT.to_owned()));
    let waits = pushed.waits.then(|| pushed.message.clone());
    for warning in waits.into_iter().chain(new.unsaid().map(ToString::to_string)).chain(told) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}
