//! The tool that adds a source, once: of what may have been done without an answer, the notebook is looked at.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::failure::{Failure, at_most};
use super::notebooks::{Begun, over, within};
use super::reading::{status, titled};
use super::toolkit::Tool;
use super::{Outcome, arguments, checked_id};
use crate::error::{Error, NotebookFault};
use crate::notebooklm::call::NewSource;
use crate::notebooklm::rows::Source;
use crate::tools::host::Host;

/// The longest text, in characters.
pub(super) const TEXT_CHARS_MAX: usize = 500_000;
/// The longest title, in characters.
pub(super) const TITLE_CHARS_MAX: usize = 200;
/// The longest address, in bytes.
const URL_BYTES_MAX: usize = 8192;
/// How long a title is that is made of a text, in characters.
const MADE_TITLE_CHARS: usize = 80;
/// How long the notebook is looked at beyond the time of the call.
const LOOK_WAIT: Duration = Duration::from_secs(20);
/// Hosts whose pages are videos.
const VIDEO_HOSTS: [&str; 4] = ["youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddArguments {
    notebook_id: String,
    source_type: SourceType,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    title: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SourceType {
    Url,
    Text,
}

/// Adds a source to a notebook.
pub(super) async fn add_source(host: &dyn Host, given: Map<String, Value>, wait: Option<Duration>) -> Outcome {
    let given: AddArguments = arguments(given)?;
    let id = checked_id(&given.notebook_id)?;
    let wanted = wanted(&given)?;
    let begun = host.notebooks()?.begin(Tool::AddSource, wait)?;
    let deadline = Instant::now() + begun.wait;
    let before = within(begun.wait, begun.service.notebook(id)).await?;
    let known: BTreeSet<String> = before.sources.into_iter().map(|source| source.id).collect();
    let left = deadline.saturating_duration_since(Instant::now());
    let adding = begun.service.add_sources(id, std::slice::from_ref(&wanted));
    let added = tokio::time::timeout(left, adding).await.unwrap_or_else(|_elapsed| Err(over(begun.wait, true)));
    match added {
        Ok(listing) => match listing.items.first() {
            Some(source) => Ok(told(source, &wanted, None)),
            None => looked(&begun, (id, &known), &wanted, unnamed()).await,
        },
        Err(error) => looked(&begun, (id, &known), &wanted, error).await,
    }
}

/// The error of an answer that names no source: NotebookLM leaves out what it could not take, without a word.
fn unnamed() -> Error {
    Error::Notebook {
        fault: NotebookFault::ProcessingFailed,
        message: "NotebookLM answered, and named no source".into(),
        retry_after: None,
        outcome_unknown: true,
    }
}

/// Returns what is to be added.
fn wanted(given: &AddArguments) -> Result<NewSource, Failure> {
    let surplus = |name: &str, kind: &str| Failure::misused(format!("`{name}` does not go with source_type `{kind}`"));
    match (given.source_type, &given.url, &given.text, &given.title) {
        (SourceType::Url, _, Some(_), _) => Err(surplus("text", "url")),
        (SourceType::Url, _, _, Some(_)) => Err(surplus("title", "url")),
        (SourceType::Text, Some(_), ..) => Err(surplus("url", "text")),
        (SourceType::Url, None, ..) => Err(Failure::misused("`url` is needed for source_type `url`")),
        (SourceType::Text, _, None, _) => Err(Failure::misused("`text` is needed for source_type `text`")),
        (SourceType::Url, Some(url), ..) => page(url),
        (SourceType::Text, _, Some(text), title) => {
            at_most(NotebookFault::ContentTooLarge, ("text", text), TEXT_CHARS_MAX)?;
            if text.trim().is_empty() {
                return Err(Failure::misused("`text` is empty"));
            }
            let title = title.as_deref().map(str::trim).filter(|title| !title.is_empty());
            if title.is_some_and(|title| title.chars().count() > TITLE_CHARS_MAX) {
                return Err(Failure::misused(format!("`title` is longer than {TITLE_CHARS_MAX} characters")));
            }
            let title = title.map_or_else(|| made_title(text), str::to_owned);
            Ok(NewSource::Text { title, text: text.clone() })
        }
    }
}

/// Returns the page or the video of an address.
fn page(address: &str) -> Result<NewSource, Failure> {
    let address = address.trim();
    let url =
        Some(address).filter(|address| address.len() <= URL_BYTES_MAX).and_then(|address| Url::parse(address).ok());
    let is_web =
        |url: &Url| matches!(url.scheme(), "http" | "https") && url.host().is_some() && url.password().is_none();
    let Some(url) = url.filter(is_web) else {
        return Err(Failure::of(NotebookFault::InvalidUrl, "this is no address of a page"));
    };
    let is_video = url.host_str().is_some_and(|host| VIDEO_HOSTS.contains(&host));
    Ok(if is_video { NewSource::YouTube(url.into()) } else { NewSource::Url(url.into()) })
}

/// Makes a title of the first line of a text that says something.
fn made_title(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    line.unwrap_or("Pasted text").chars().take(MADE_TITLE_CHARS).collect()
}

/// What the notebook says of a source that nobody has answered for, or that failed.
async fn looked(begun: &Begun, (id, known): (&str, &BTreeSet<String>), wanted: &NewSource, error: Error) -> Outcome {
    let Error::Notebook { fault, outcome_unknown, .. } = error else { return Err(error.into()) };
    if !outcome_unknown && fault != NotebookFault::ProcessingFailed {
        return Err(error.into());
    }
    let failure = Failure::from(error);
    let Ok(notebook) = within(LOOK_WAIT, begun.service.notebook(id)).await else {
        return Err(failure.final_one());
    };
    let is_it = |source: &&Source| !known.contains(&source.id) && is_of(source, wanted);
    let found: Vec<&Source> = notebook.sources.iter().filter(is_it).collect();
    match found.as_slice() {
        [] if outcome_unknown => Err(failure.final_one().with("found", 0)),
        [] => Err(failure),
        // What could not be read stands in the notebook all the same.
        [source] if !outcome_unknown => Err(failure.with("source_id", source.id.as_str())),
        [source] => {
            Ok(told(source, wanted, Some("No answer named it, but the notebook has the source: do not add it again.")))
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|source| source.id.as_str()).collect();
            Err(failure.final_one().with("found", several.len()).with("source_ids", ids))
        }
    }
}

/// Tells whether a source is made of what was to be added.
fn is_of(source: &Source, wanted: &NewSource) -> bool {
    let same = |url: &str, other: &str| match (Url::parse(url), Url::parse(other)) {
        (Ok(url), Ok(other)) => url == other,
        _ => url == other,
    };
    match wanted {
        // One that failed may have nothing but its address for a title.
        NewSource::Url(url) => source.url.iter().chain([&source.title]).any(|other| same(url, other)),
        NewSource::YouTube(url) => {
            source.video.iter().map(|(url, _)| url).chain([&source.title]).any(|other| same(url, other))
        }
        NewSource::Text { title, .. } => source.title == *title,
        NewSource::Drive { file, .. } => source.drive_file.as_ref() == Some(file),
    }
}

fn told(source: &Source, wanted: &NewSource, message: Option<&str>) -> Value {
    let state = status(source.status);
    let named = match wanted {
        NewSource::Url(url) | NewSource::YouTube(url) => url,
        NewSource::Text { title, .. } | NewSource::Drive { title, .. } => title,
    };
    let of_state = match state {
        "failed" => Some("NotebookLM could not read it; it stands in the notebook as failed."),
        "processing" => Some("Source added. NotebookLM is processing the content."),
        _ => None,
    };
    json!({
        "success": state != "failed",
        "source_id": source.id,
        "title": if source.title.is_empty() { titled(named) } else { &source.title },
        "processing_status": state,
        "message": message.or(of_state),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(value: Value) -> Result<NewSource, Failure> {
        wanted(&serde_json::from_value(value).unwrap())
    }

    /// Checks what an argument is taken for: the kind and its address or title, or the code of the refusal.
    fn check(url: &str, expected: &str) {
        let found = match given(json!({ "notebook_id": "n", "source_type": "url", "url": url })) {
            Ok(NewSource::Url(url)) => format!("page {url}"),
            Ok(NewSource::YouTube(url)) => format!("video {url}"),
            Ok(other) => panic!("{other:?}"),
            Err(failure) => failure.code().to_owned(),
        };
        assert_eq!(found, expected, "{url}");
    }

    #[test]
    fn addresses() {
        check("https://example.com/a b", "page https://example.com/a%20b");
        check(" http://example.com ", "page http://example.com/");
        check("https://youtu.be/x", "video https://youtu.be/x");
        check("https://www.youtube.com/watch?v=x", "video https://www.youtube.com/watch?v=x");
        check("https://notyoutube.com/x", "page https://notyoutube.com/x");
        for bad in ["", "example.com", "ftp://example.com/", "file:///etc/passwd", "javascript:1", "https://a:b@c/"] {
            check(bad, "INVALID_URL");
        }
        check(&format!("https://example.com/{}", "x".repeat(URL_BYTES_MAX)), "INVALID_URL");
    }

    #[test]
    fn texts_and_what_goes_with_them() {
        let text = |text: &str| given(json!({ "notebook_id": "n", "source_type": "text", "text": text }));
        let title = |source: Result<NewSource, Failure>| match source {
            Ok(NewSource::Text { title, .. }) => title,
            other => panic!("{other:?}"),
        };
        assert_eq!(title(text("\n\n## ADR-001: Use it\n\nbody")), "ADR-001: Use it");
        assert_eq!(title(text("###\n\n---")), "---");
        assert_eq!(title(text(&"é".repeat(TEXT_CHARS_MAX))).chars().count(), MADE_TITLE_CHARS);
        for (arguments, code) in [
            (json!({ "source_type": "text", "text": "x".repeat(TEXT_CHARS_MAX + 1) }), "CONTENT_TOO_LARGE"),
            (json!({ "source_type": "text", "text": " \n" }), "INVALID_INPUT"),
            (json!({ "source_type": "text" }), "INVALID_INPUT"),
            (json!({ "source_type": "url" }), "INVALID_INPUT"),
            (json!({ "source_type": "text", "text": "a", "title": "x".repeat(TITLE_CHARS_MAX + 1) }), "INVALID_INPUT"),
            // Nothing that was given is dropped without a word.
            (json!({ "source_type": "text", "text": "a", "url": "https://example.com" }), "INVALID_INPUT"),
            (json!({ "source_type": "url", "text": "a", "url": "https://example.com" }), "INVALID_INPUT"),
            (json!({ "source_type": "url", "title": "a", "url": "https://example.com" }), "INVALID_INPUT"),
        ] {
            let mut arguments = arguments;
            arguments["notebook_id"] = json!("n");
            assert_eq!(given(arguments.clone()).unwrap_err().code(), code, "{arguments}");
        }
    }
}
