//! The bodies of the requests about comments and suggestions.

use super::requests::RANGE;
use super::{Field, Shape};

/// The comment that a request is about.
const COMMENT: Field = ("commentId", Shape::Text);

/// The suggestion that a request is about.
const SUGGESTION: Field = ("suggestionId", Shape::Text);

/// Fields of `PostAuthor`; Google takes no heed of them.
const AUTHOR: &[Field] =
    &[("displayName", Shape::Text), ("me", Shape::Bool), ("user", Shape::Text), ("anonymous", Shape::Bool)];

/// Fields of `Post`; most are Google's alone to set and are not heeded.
const POST: &[Field] = &[
    ("content", Shape::Text),
    (
        "commentAction",
        Shape::Enum(
            "Post.CommentActionType",
            &["COMMENT_ACTION_TYPE_UNSPECIFIED", "NO_COMMENT_ACTION_CHANGE", "RESOLVE", "REOPEN"],
        ),
    ),
    ("assigneeEmail", Shape::Text),
    ("postId", Shape::Text),
    ("contentHtml", Shape::Text),
    ("author", Shape::Message(AUTHOR)),
    ("createTime", Shape::Text),
    ("updateTime", Shape::Text),
    (
        "suggestionAction",
        Shape::Enum(
            "Post.SuggestionActionType",
            &["SUGGESTION_ACTION_TYPE_UNSPECIFIED", "NO_SUGGESTION_ACTION_CHANGE", "ACCEPT", "REJECT"],
        ),
    ),
    ("deleted", Shape::Bool),
    ("fromCopiedDocument", Shape::Bool),
    ("fromDocumentComparison", Shape::Bool),
    ("fromImportedDocument", Shape::Bool),
];

/// The kinds about threads.
pub(crate) const THREAD_REQUESTS: &[Field] = &[
    (
        "insertComment",
        Shape::Message(&[("range", RANGE), ("content", Shape::Text), ("assigneeEmailAddress", Shape::Text)]),
    ),
    ("addCommentReply", Shape::Message(&[COMMENT, SUGGESTION, ("post", Shape::Message(POST))])),
    ("updateCommentPost", Shape::Message(&[COMMENT, SUGGESTION, ("postId", Shape::Text), ("content", Shape::Text)])),
    ("deleteComment", Shape::Message(&[COMMENT])),
    ("deleteCommentReply", Shape::Message(&[COMMENT, SUGGESTION, ("postId", Shape::Text)])),
    ("acceptSuggestion", Shape::Message(&[SUGGESTION])),
    ("rejectSuggestion", Shape::Message(&[SUGGESTION])),
    ("deleteSuggestion", Shape::Message(&[SUGGESTION])),
];
