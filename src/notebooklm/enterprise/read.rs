//! Notebooks and sources as the enterprise product writes them.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::moment;
use crate::notebooklm::json::{self, Unreadable};
use crate::notebooklm::rows::{Failure, Notebook, Role, Source, SourceKind, Status};
use crate::notebooklm::slot::Drift;

/// A notebook.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnterpriseNotebook {
    /// Its whole name, which ends with its id.
    pub name: String,
    /// Its id.
    pub notebook_id: String,
    /// Its title.
    pub title: String,
    /// Its emoji.
    pub emoji: Option<String>,
    /// What else is known of it.
    pub metadata: NotebookMetadata,
    /// Its sources.
    pub sources: Vec<EnterpriseSource>,
}

/// What else is known of a notebook.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NotebookMetadata {
    /// What the account may do, as in `PROJECT_ROLE_OWNER`. It stands in an example, not in the schema.
    pub user_role: Option<String>,
    /// Whether others see it.
    pub is_shared: Option<bool>,
    /// When it was made.
    pub create_time: Option<String>,
    /// When it was viewed last.
    pub last_viewed: Option<String>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnterpriseSource {
    /// Its whole name, which ends with its id.
    pub name: String,
    /// Its id.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// What else is known of it.
    pub metadata: SourceMetadata,
    /// How it stands.
    pub settings: SourceSettings,
}

/// The id of a source.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct SourceId {
    /// It.
    pub id: String,
}

/// What else is known of a source.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceMetadata {
    /// When it was added.
    pub source_added_timestamp: Option<String>,
    /// How many words it has.
    pub word_count: Option<Value>,
    /// Of a document of Google Docs.
    pub google_docs_metadata: Option<GoogleDocsMetadata>,
    /// Of a video.
    pub youtube_metadata: Option<YoutubeMetadata>,
}

/// What is known of a document of Google Docs.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GoogleDocsMetadata {
    /// The document.
    pub document_id: Option<String>,
    /// Its revision.
    pub revision_id: Option<String>,
}

/// What is known of a video.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct YoutubeMetadata {
    /// Who shows it.
    pub channel_name: Option<String>,
    /// Its id.
    pub video_id: Option<String>,
}

/// How a source stands.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceSettings {
    /// As in `SOURCE_STATUS_COMPLETE`.
    pub status: Option<String>,
    /// Why it failed: one field, whose name is the reason.
    pub failure_reason: Option<Map<String, Value>>,
}

/// A page of notebooks.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EnterprisePage {
    /// They.
    pub notebooks: Vec<EnterpriseNotebook>,
    /// What the next page is asked for with.
    pub next_page_token: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sources {
    sources: Vec<EnterpriseSource>,
}

/// Reads a page of notebooks, and what the next is asked for with.
///
/// # Errors
///
/// [`Unreadable`].
pub fn read_notebooks(body: &str) -> Result<EnterprisePage, Unreadable> {
    typed(body)
}

/// Reads a notebook.
///
/// # Errors
///
/// [`Unreadable`].
pub fn read_notebook(body: &str) -> Result<EnterpriseNotebook, Unreadable> {
    typed(body)
}

/// Reads the answer to the adding of sources.
///
/// # Errors
///
/// [`Unreadable`].
pub fn read_sources(body: &str) -> Result<Vec<EnterpriseSource>, Unreadable> {
    typed::<Sources>(body).map(|answer| answer.sources)
}

fn typed<T: for<'de> Deserialize<'de>>(body: &str) -> Result<T, Unreadable> {
    let value = json::read(body)?;
    // The message of this error may hold a value, so none of it is kept.
    serde_json::from_value(value).map_err(|error| Unreadable::Malformed { line: error.line(), column: error.column() })
}

impl EnterpriseNotebook {
    /// Returns it as the noun that all backends share.
    ///
    /// # Errors
    ///
    /// [`Drift`] when it has no id.
    pub fn into_notebook(self) -> Result<Notebook, Drift> {
        let mut sources = Vec::new();
        let mut odd = Vec::new();
        for source in self.sources {
            match source.into_source() {
                Ok(source) => sources.push(source),
                Err(drift) => odd.push(drift),
            }
        }
        let time = |text: Option<String>| text.as_deref().and_then(moment::read);
        Ok(Notebook {
            id: id_of(&self.notebook_id, &self.name, "notebook")?,
            title: self.title,
            emoji: self.emoji.filter(|emoji| !emoji.is_empty()),
            role: self.metadata.user_role.as_deref().and_then(role),
            shared: self.metadata.is_shared,
            viewed: time(self.metadata.last_viewed),
            created: time(self.metadata.create_time),
            chat: None,
            limits: None,
            conversation: None,
            sources,
            odd,
        })
    }
}

impl EnterpriseSource {
    /// Returns it as the noun that all backends share. What it is, is not told for most; a page's address never is.
    ///
    /// # Errors
    ///
    /// [`Drift`] when it has no id.
    pub fn into_source(self) -> Result<Source, Drift> {
        let id = id_of(&self.source_id.id, &self.name, "source")?;
        let meta = self.metadata;
        let docs = meta.google_docs_metadata.unwrap_or_default();
        let kind = if docs.document_id.is_some() {
            SourceKind::GoogleDocs
        } else if meta.youtube_metadata.is_some() {
            SourceKind::YouTube
        } else {
            SourceKind::Unclassified
        };
        let video = meta.youtube_metadata.and_then(|video| {
            let url = format!("https://www.youtube.com/watch?v={}", video.video_id?);
            Some((url, video.channel_name))
        });
        Ok(Source {
            id,
            title: self.title,
            kind,
            status: status(self.settings.status.as_deref()),
            drive_status: None,
            failure: self.settings.failure_reason.and_then(failure),
            words: meta.word_count.as_ref().and_then(count),
            size: None,
            revision: docs.revision_id,
            revised: None,
            added: meta.source_added_timestamp.as_deref().and_then(moment::read),
            modified: None,
            url: None,
            video,
            drive_file: docs.document_id,
            mime: None,
            download_url: None,
            viewer_url: None,
        })
    }
}

/// Returns an id, or the last part of a name.
fn id_of(id: &str, name: &str, what: &'static str) -> Result<String, Drift> {
    let last = if id.is_empty() { name.rsplit('/').next().unwrap_or_default() } else { id };
    if crate::notebooklm::slot::is_id(last) {
        return Ok(last.to_owned());
    }
    Err(Drift { path: format!("{what}.name"), expected: "an id", found: "something else, or nothing".to_owned() })
}

fn role(word: &str) -> Option<Role> {
    let end = word.rsplit('_').next().unwrap_or_default();
    match end {
        "OWNER" => Some(Role::Owner),
        "WRITER" | "EDITOR" => Some(Role::Editor),
        "READER" | "VIEWER" => Some(Role::Viewer),
        _ => None,
    }
}

fn status(word: Option<&str>) -> Status {
    match word.map(|word| word.strip_prefix("SOURCE_STATUS_").unwrap_or(word)) {
        Some("COMPLETE") => Status::Ready,
        Some("PENDING") => Status::Processing,
        Some("ERROR") => Status::Failed,
        Some("TENTATIVE") => Status::Preparing,
        // One that is about to go is not ready for anything.
        Some("PENDING_DELETION") => Status::Other(-1),
        Some(_) | None => Status::Untold,
    }
}

fn failure(reasons: Map<String, Value>) -> Option<Failure> {
    let (reason, more) = reasons.into_iter().next()?;
    let detail = more.get("errorDetails").and_then(Value::as_str).map(str::to_owned);
    Some(Failure::Named { reason, detail })
}

/// Reads a count. Google writes 64-bit numbers as strings.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
