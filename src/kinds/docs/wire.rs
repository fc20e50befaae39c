//! Drive's and Docs' JSON around the document, as far as this kind reads it.

use crate::kinds::entities::unescaped;
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
    /// Whether it, or a folder that it is in, is in the trash.
    #[serde(default)]
    pub(super) trashed: bool,
    /// Where its bytes are; a Doc has no such place.
    pub(super) web_content_link: Option<String>,
}

/// One page of `files.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileList {
    /// The files.
    #[serde(default)]
    pub(super) files: Vec<ListedFile>,
    /// Set unless it is the last page.
    pub(super) next_page_token: Option<String>,
}

/// A file of a list.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ListedFile {
    /// Its id.
    pub(super) id: String,
    /// What people call it.
    pub(super) name: String,
    /// RFC 3339.
    pub(super) modified_time: String,
    /// Whose it is; nobody's in a shared drive.
    pub(super) owners: Vec<FileOwner>,
    /// What the account may do.
    pub(super) capabilities: Capabilities,
}

/// Whose a file is.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FileOwner {
    /// Absent when that is not for everybody to see.
    pub(super) email_address: String,
    /// What people call them.
    pub(super) display_name: String,
}

/// What an account may do with a file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Capabilities {
    /// Edit it.
    pub(super) can_edit: bool,
    /// Comment on it.
    pub(super) can_comment: bool,
}

/// A document without its text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame {
    /// What people call it.
    pub(super) title: String,
    /// Its tabs.
    pub(super) tabs: Vec<FrameTab>,
}

/// A tab without its text.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FrameTab {
    /// What it is.
    pub(super) tab_properties: FrameTabProperties,
    /// Those below it.
    pub(super) child_tabs: Vec<Self>,
}

/// What a tab is.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FrameTabProperties {
    /// `t.0` for the first tab of a new document.
    pub(super) tab_id: String,
    /// What people call it.
    pub(super) title: String,
}

/// The answer of `files.generateIds`.
#[derive(Debug, Deserialize)]
pub(super) struct GeneratedIds {
    /// The ids.
    #[serde(default)]
    pub(super) ids: Vec<String>,
}

/// One page of `comments.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommentList {
    /// The threads, newest first.
    #[serde(default)]
    pub(super) comments: Vec<DriveComment>,
    /// Set unless it is the last page.
    pub(super) next_page_token: Option<String>,
}

/// A comment with its replies.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DriveComment {
    /// `AAA…`
    pub(super) id: String,
    /// Plain text; empty when it is deleted.
    pub(super) content: String,
    /// RFC 3339.
    pub(super) created_time: String,
    /// Absent in a thread that was never resolved.
    pub(super) resolved: bool,
    /// Whether it is deleted.
    pub(super) deleted: bool,
    /// `kix.…`, or whatever another program wrote.
    pub(super) anchor: Option<String>,
    /// The words that it was made on.
    pub(super) quoted_file_content: Option<QuotedContent>,
    /// Who wrote it.
    pub(super) author: DriveUser,
    /// The replies, oldest first.
    pub(super) replies: Vec<DriveReply>,
}

/// What a comment was made on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct QuotedContent {
    /// HTML.
    pub(super) value: String,
}

/// A reply.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DriveReply {
    /// Its id.
    pub(super) id: String,
    /// Plain text.
    pub(super) content: String,
    /// RFC 3339.
    pub(super) created_time: String,
    /// Whether it is deleted.
    pub(super) deleted: bool,
    /// `resolve` or `reopen`.
    pub(super) action: Option<String>,
    /// Who wrote it.
    pub(super) author: DriveUser,
}

/// Somebody, by name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DriveUser {
    /// The name.
    pub(super) display_name: String,
    /// Whether it is the account itself.
    pub(super) me: bool,
}

impl DriveComment {
    /// Tells whether the thread waits for an answer.
    pub(super) const fn is_open(&self) -> bool {
        !self.deleted && !self.resolved
    }

    /// Returns the words that it was made on, as plain text; empty when there are none.
    pub(super) fn quote(&self) -> String {
        self.quoted_file_content.as_ref().map_or_else(String::new, |quoted| unescaped(&quoted.value))
    }
}
