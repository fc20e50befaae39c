//! Drive's and Docs' JSON around the document, as far as this kind reads it.

use serde::Deserialize;

/// `changes.getStartPageToken`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StartPageToken {
    /// Where the feed stands.
    pub(super) start_page_token: String,
}

/// One page of `changes.list`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangeList {
    /// The entries.
    #[serde(default)]
    pub(super) changes: Vec<Change>,
    /// Set unless it is the last page.
    pub(super) next_page_token: Option<String>,
    /// Set on the last page.
    pub(super) new_start_page_token: Option<String>,
}

/// One entry of the change feed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    /// Absent for a change of a shared drive itself.
    pub(super) file_id: Option<String>,
    /// Whether the file is gone or no longer shared.
    #[serde(default)]
    pub(super) removed: bool,
    /// The file as it is now.
    pub(super) file: Option<ChangedFile>,
}

/// What an entry tells about its file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChangedFile {
    /// The type.
    #[serde(default)]
    pub(super) mime_type: String,
    /// Whether it is in the trash.
    #[serde(default)]
    pub(super) trashed: bool,
}

/// The answer of `documents.batchUpdate`, without its replies.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchReply {
    /// The lock for the next write.
    #[serde(default)]
    pub(super) write_control: WriteControl,
}

/// A revision that a write is made on.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteControl {
    /// The revision.
    pub(super) required_revision_id: Option<String>,
}

/// The answer of `documents.create`, as far as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NewDocument {
    /// The id.
    pub(super) document_id: String,
}

/// A file of Drive, as far as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DriveFile {
    /// What people call it.
    #[serde(default)]
    pub(super) name: String,
    /// Where its bytes are; a Doc has no such place.
    pub(super) web_content_link: Option<String>,
}

/// The answer of `files.generateIds`.
#[derive(Debug, Deserialize)]
pub(super) struct GeneratedIds {
    /// The ids.
    #[serde(default)]
    pub(super) ids: Vec<String>,
}
