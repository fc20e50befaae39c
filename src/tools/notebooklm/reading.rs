//! The tools that only read.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::notebooks::within;
use super::toolkit::Tool;
use super::{Outcome, arguments, checked_id};
use crate::model::Millis;
use crate::notebooklm::rows::{Moment, Notebook, Source, SourceKind, Status};
use crate::tools::host::Host;
use crate::tools::reports::rfc3339;

/// How many notebooks are listed where nobody says so, and at most.
pub(super) const LIMIT_DEFAULT: usize = 50;
pub(super) const LIMIT_MAX: usize = 100;
/// What a notebook or source without a title is called.
const UNTITLED: &str = "Untitled";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NotebookArguments {
    notebook_id: String,
}

/// Lists the notebooks, those that were viewed last first.
pub(super) async fn list_notebooks(host: &dyn Host, given: Map<String, Value>, wait: Option<Duration>) -> Outcome {
    let ListArguments { limit } = arguments(given)?;
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Failure::misused(format!("`limit` must be from 1 to {LIMIT_MAX}")));
    }
    let begun = host.notebooks()?.begin(Tool::ListNotebooks, wait)?;
    let listing = within(begun.wait, begun.service.notebooks()).await?;
    let shown: Vec<Value> = listing.items.iter().take(limit).map(|notebook| Value::Object(brief(notebook))).collect();
    let mut answer = json!({ "notebooks": shown, "total": listing.items.len() + listing.odd.len() });
    if !listing.odd.is_empty() {
        answer["unreadable"] = json!(listing.odd.len());
    }
    Ok(answer)
}

/// Tells of one notebook what there is to tell, and what it is about.
pub(super) async fn get_notebook(host: &dyn Host, given: Map<String, Value>, wait: Option<Duration>) -> Outcome {
    let NotebookArguments { notebook_id } = arguments(given)?;
    let id = checked_id(&notebook_id)?;
    let begun = host.notebooks()?.begin(Tool::GetNotebook, wait)?;
    let began = Instant::now();
    let notebook = within(begun.wait, begun.service.notebook(id)).await?;
    let left = begun.wait.saturating_sub(began.elapsed());
    // What a notebook is about is written anew at times, and may fail for itself.
    let guide = match notebook.sources.is_empty() {
        true => Ok(None),
        false => within(left, begun.service.guide(id)).await.map(Some),
    };
    let mut answer = brief(&notebook);
    answer.insert("created_at".into(), moment(notebook.created));
    let summary = |text: String| Some(text).filter(|text| !text.trim().is_empty());
    match guide {
        Ok(guide) => {
            answer.insert("description".into(), json!(guide.and_then(|guide| summary(guide.summary))));
        }
        Err(error) => {
            answer.insert("description".into(), Value::Null);
            answer.insert("description_error".into(), Failure::from(error).message().into());
        }
    }
    Ok(Value::Object(answer))
}

/// Lists the sources of a notebook.
pub(super) async fn list_sources(host: &dyn Host, given: Map<String, Value>, wait: Option<Duration>) -> Outcome {
    let NotebookArguments { notebook_id } = arguments(given)?;
    let id = checked_id(&notebook_id)?;
    let begun = host.notebooks()?.begin(Tool::ListSources, wait)?;
    let notebook = within(begun.wait, begun.service.notebook(id)).await?;
    let sources: Vec<Value> = notebook.sources.iter().map(source).collect();
    let mut answer = json!({ "sources": sources, "total": notebook.sources.len() + notebook.odd.len() });
    if !notebook.odd.is_empty() {
        answer["unreadable"] = json!(notebook.odd.len());
    }
    Ok(answer)
}

/// What a list says of a notebook. The product tells no moment of its last change, so it is that of its newest source.
fn brief(notebook: &Notebook) -> Map<String, Value> {
    let of_source = |source: &Source| [source.modified, source.revised, source.added].into_iter().flatten().max();
    let updated = notebook.sources.iter().filter_map(of_source).chain(notebook.created).max();
    let mut shown = Map::new();
    shown.insert("id".into(), notebook.id.as_str().into());
    shown.insert("name".into(), titled(&notebook.title).into());
    shown.insert("source_count".into(), (notebook.sources.len() + notebook.odd.len()).into());
    shown.insert("updated_at".into(), moment(updated));
    shown.insert("viewed_at".into(), moment(notebook.viewed));
    shown
}

fn source(source: &Source) -> Value {
    let of_drive = || source.drive_file.as_ref().map(|id| format!("https://drive.google.com/open?id={id}"));
    let url = source.url.clone().or_else(|| source.video.as_ref().map(|(url, _)| url.clone())).or_else(of_drive);
    json!({
        "id": source.id,
        "title": titled(&source.title),
        "type": source.kind.tool_word(source.mime.as_deref()),
        "kind": kind(source.kind),
        "status": status(source.status),
        "url": url,
        "added_at": moment(source.added),
    })
}

/// A title, or what stands for none.
pub(super) fn titled(title: &str) -> &str {
    if title.is_empty() { UNTITLED } else { title }
}

/// The word for how far the product has read a source.
pub(super) const fn status(status: Status) -> &'static str {
    match status {
        Status::Ready => "complete",
        Status::Failed => "failed",
        // One that was only just made has no word for it yet.
        Status::Processing | Status::Preparing | Status::Untold | Status::Other(_) => "processing",
    }
}

/// The word for what a source is, of which the tool set has fewer.
fn kind(kind: SourceKind) -> String {
    let word = match kind {
        SourceKind::Unclassified => "unclassified",
        SourceKind::GoogleDocs => "google-docs",
        SourceKind::GoogleSlides => "google-slides",
        SourceKind::Pdf => "pdf",
        SourceKind::Text => "text",
        SourceKind::WebPage => "web-page",
        SourceKind::PowerPoint => "powerpoint",
        SourceKind::Markdown => "markdown",
        SourceKind::YouTube => "youtube",
        SourceKind::Media => "media",
        SourceKind::Word => "word",
        SourceKind::Excel => "excel",
        SourceKind::Image => "image",
        SourceKind::Drive => "drive",
        SourceKind::Gmail => "gmail",
        SourceKind::Csv => "csv",
        SourceKind::Epub => "epub",
        SourceKind::GeminiChat => "gemini-chat",
        SourceKind::AiModeChat => "ai-mode-chat",
        SourceKind::PlayBooks => "play-books",
        SourceKind::Other(code) => return format!("other-{code}"),
    };
    word.to_owned()
}

fn moment(moment: Option<Moment>) -> Value {
    let ms = moment.and_then(|moment| u64::try_from(moment.ms).ok());
    ms.map_or(Value::Null, |ms| rfc3339(Millis(ms)).into())
}
