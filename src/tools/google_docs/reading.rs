//! Documents read whole, in four forms, and listed.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

use super::long::shortened;
use super::{Outcome, Refused, arguments, checked_id};
use crate::error::Error;
use crate::kinds::{Apart, ApartKind, Element, Elements};
use crate::mebdf;
use crate::model::ItemId;
use crate::tools::host::Host;
use crate::tools::tabs;
use crate::tools::verbs::require;

/// As many documents as are counted at all.
const DOCUMENTS_MAX: usize = 10_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GetArguments {
    document_id: String,
    #[serde(default)]
    response_format: Format,
    #[serde(default)]
    tab_id: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Raw,
    PlainText,
    Markdown,
    Structured,
}

/// Answers `google_docs_get_document_by_id`.
pub(super) async fn get_document(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let GetArguments { document_id, response_format, tab_id } = arguments(given)?;
    let id = checked_id(&document_id)?;
    let tab = tabs::meant(&tab_id, id);
    let tab = tab.as_str();
    match response_format {
        Format::Raw if !tab_id.trim().is_empty() => {
            Err(Refused::new("`raw` has the first tab alone", "Leave tab_id out, or ask for another response_format."))
        }
        Format::Raw => raw(host, id, tab).await,
        Format::Markdown => markdown(host, id, tab).await,
        Format::PlainText => {
            let read = host.elements(id, tab).await?;
            let answer = json!({ "document_id": read.id, "title": read.title, "content": plain_text(&read) });
            shortened(host, &read.id, "plain_text", answer, "/content", &[]).await
        }
        Format::Structured => {
            let read = host.elements(id, tab).await?;
            let answer = json!({ "document_id": read.id, "title": read.title, "elements": read.elements });
            shortened(host, &read.id, "structured", answer, "/elements", &[]).await
        }
    }
}

async fn raw(host: &dyn Host, id: &str, tab: &str) -> Outcome {
    if !tab.is_empty() {
        let facts = host.facts(id).await?;
        let is_first = facts.tabs.first().is_some_and(|(first, _)| first == tab);
        require(
            is_first,
            "`raw` has the first tab alone, and the URL names another one",
            "Ask for another response_format, or give the URL without its tab.",
        )?;
    }
    let answer = host.raw(id).await?;
    let id = ItemId(answer["documentId"].as_str().unwrap_or(id).to_owned());
    shortened(host, &id, "raw", answer, "/body/content", &["documentId", "title", "revisionId"]).await
}

/// Reads the mirrored files of a document as Markdown that any reader knows.
async fn markdown(host: &dyn Host, id: &str, tab: &str) -> Outcome {
    let report = host.fetch(id, true).await?;
    let facts = if report.parts.len() > 1 || !tab.is_empty() { Some(host.facts(id).await?) } else { None };
    let (mut texts, mut words) = (Vec::new(), 0);
    for (at, part) in report.parts.iter().enumerate() {
        // The file of the first tab has no tab's name.
        let of = facts.as_ref().and_then(|facts| match part.part.0.is_empty() {
            true => facts.tabs.get(at),
            false => facts.tabs.iter().find(|(id, _)| *id == part.part.0),
        });
        let (tab_id, title) = of.cloned().unwrap_or_default();
        if tab.is_empty() || tab == tab_id {
            let tree = mebdf::parse(&host.text(&part.path).await?).tree;
            words += mebdf::said(&tree).unicode_words().count();
            texts.push((tab_id, title, mebdf::markdown(&tree)));
        }
    }
    if texts.is_empty() {
        let tabs = facts.map(|facts| facts.tabs).unwrap_or_default();
        let tabs = tabs.iter().map(|(id, title)| format!("{id} \"{title}\"")).collect();
        return Err(Error::TabNotFound { id: report.id.0, tab: tab.to_owned(), tabs }.into());
    }
    let content = texts.iter().map(|(.., said)| said.as_str()).collect::<Vec<_>>().join("\n");
    let mut answer = json!({
        "document_id": report.id,
        "title": report.title,
        "content": content,
        "word_count": words,
    });
    if texts.len() > 1 {
        let tabs = texts
            .iter()
            .map(|(id, title, said)| json!({ "tab_id": id, "title": title, "lines": said.lines().count() }));
        answer["tabs"] = tabs.collect();
    }
    if report.stale {
        answer["warnings"] = json!(["Google could not be asked, so this may be behind the document"]);
    }
    shortened(host, &report.id, "markdown", answer, "/content", &[]).await
}

/// What a document says: the body of each tab and its footnotes behind it, each with its number. A number does not stand in the line
/// that it belongs to, so that the line can be found as it is.
fn plain_text(read: &Elements) -> String {
    let mut text = String::new();
    let tabs: Vec<&[Element]> = read.elements.chunk_by(|one, other| one.tab_id == other.tab_id).collect();
    for tab in tabs {
        text.push_str(&plain(tab));
        let here = |note: &&Apart| tab.first().is_some_and(|first| first.tab_id == note.tab_id);
        for note in read.apart.iter().filter(here) {
            if let ApartKind::Footnote(number) = &note.kind {
                text.push_str(&format!("[{number}] {}\n", plain(&note.elements).trim()));
            }
        }
    }
    text
}

/// What elements say, a line for each paragraph; cells of a row stand between tabs.
pub(super) fn plain(elements: &[Element]) -> String {
    let mut text = String::new();
    for element in elements {
        if let Some(content) = &element.content {
            text.push_str(content);
            text.push('\n');
        }
        for row in element.rows.iter().flatten() {
            let cells: Vec<String> = row.iter().map(|cell| plain(cell).trim_end_matches('\n').to_owned()).collect();
            text.push_str(&cells.join("\t"));
            text.push('\n');
        }
    }
    text
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

/// Answers `google_docs_get_all_documents`.
pub(super) async fn get_all_documents(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let NoArguments {} = arguments(given)?;
    let listing = host.documents("", DOCUMENTS_MAX).await?;
    let documents: Vec<Value> = listing
        .items
        .iter()
        .map(|item| {
            json!({
                "document_id": item.id,
                "title": item.title,
                "url": item.url,
                "last_modified": item.modified,
            })
        })
        .collect();
    let answer = json!({ "documents": documents, "total_count": listing.total, "counted_all": !listing.more });
    match listing.items.first() {
        Some(first) => shortened(host, &first.id, "all-documents", answer, "/documents", &[]).await,
        None => Ok(answer),
    }
}
