//! The requests about comments.

use serde::{Deserialize, Serialize};

use crate::gdocs::document::Range;

/// Puts a comment on a range.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InsertComment {
    /// The range, counted with suggestions inline.
    #[serde(default)]
    pub range: Range,
    /// 1 to 2048 bytes of plain text.
    #[serde(default)]
    pub content: String,
    /// Who shall see to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee_email_address: Option<String>,
}

/// Adds a post to a thread, and resolves or reopens it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddCommentReply {
    /// The comment thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_id: Option<String>,
    /// Or the suggestion thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion_id: Option<String>,
    /// What is said.
    #[serde(default)]
    pub post: NewPost,
}

/// The fields of a post that count when it is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPost {
    /// Plain text; may only be empty with an action.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// `RESOLVE` or `REOPEN`; anything else changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_action: Option<String>,
    /// Who shall see to it from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee_email: Option<String>,
}

/// Changes what a post says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateCommentPost {
    /// The comment thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_id: Option<String>,
    /// Or the suggestion thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion_id: Option<String>,
    /// The post.
    #[serde(default)]
    pub post_id: String,
    /// 1 to 2048 bytes of plain text.
    #[serde(default)]
    pub content: String,
}

/// Deletes a comment with its replies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteComment {
    /// The thread.
    #[serde(default)]
    pub comment_id: String,
}

/// Deletes one reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteCommentReply {
    /// The comment thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_id: Option<String>,
    /// Or the suggestion thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion_id: Option<String>,
    /// The reply.
    #[serde(default)]
    pub post_id: String,
}
