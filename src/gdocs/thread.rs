//! Comment threads and suggestion threads, as `documents.get` answers them with comments included.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents#commentthread>

use super::document::{Document, Range, Tab};
use super::message::open_message;

open_message! {
    /// A comment with its replies.
    pub struct CommentThread {
        /// `AAA…`; the id that Drive knows it by, too.
        comment_id: String = "commentId",
        /// The anchor it is tied to; absent for a comment on the whole document.
        anchor_id: Option<String> = "anchorId",
        /// The comment itself.
        head_post: Option<Post> = "headPost",
        /// The replies, oldest first.
        replies: Vec<Post> = "replies",
        /// `OPEN` or `RESOLVED`.
        status: String = "status",
        /// The text it was made on, as it was then.
        plain_text_quote: Option<String> = "plainTextQuote",
    }
}

open_message! {
    /// A suggestion with what was said about it.
    pub struct SuggestionThread {
        /// The id that the suggested changes carry.
        suggestion_id: String = "suggestionId",
        /// Who made it, and when.
        head_post: Option<Post> = "headPost",
        /// The replies, oldest first.
        replies: Vec<Post> = "replies",
        /// `OPEN`, `ACCEPTED`, or `REJECTED`.
        status: String = "status",
    }
}

open_message! {
    /// One message of a thread.
    pub struct Post {
        /// The id; that of a thread's first post is the thread's own.
        post_id: String = "postId",
        /// Plain text.
        content: String = "content",
        /// The same as HTML.
        content_html: String = "contentHtml",
        /// Who wrote it; absent when it is deleted.
        author: Option<PostAuthor> = "author",
        /// When it was written, RFC 3339.
        create_time: String = "createTime",
        /// When it was changed last, RFC 3339.
        update_time: String = "updateTime",
        /// `NO_COMMENT_ACTION_CHANGE`, `RESOLVE`, or `REOPEN`.
        comment_action: String = "commentAction",
        /// Who the thread was given to with this post.
        assignee_email: Option<String> = "assigneeEmail",
        /// Whether it is deleted; it has no text then.
        deleted: Option<bool> = "deleted",
    }
}

open_message! {
    /// Who wrote a post.
    pub struct PostAuthor {
        /// The name.
        display_name: String = "displayName",
        /// Whether it is the account that asks.
        me: Option<bool> = "me",
        /// `users/…`
        user: String = "user",
    }
}

open_message! {
    /// Where the threads of one anchor stand.
    pub struct CommentAnchor {
        /// `kix.…`
        anchor_id: String = "anchorId",
        /// The ranges.
        ranges: Vec<Range> = "ranges",
    }
}

impl Document {
    /// Takes the comments out, as an answer of `documents.get` has them left out unless they are asked for.
    pub fn omit_comments(&mut self) {
        fn walk(tabs: &mut [Tab]) {
            for tab in tabs {
                if let Some(content) = &mut tab.document_tab {
                    content.comment_anchors.clear();
                }
                walk(&mut tab.child_tabs);
            }
        }
        self.comments.clear();
        self.suggestions.clear();
        walk(&mut self.tabs);
    }

    /// Takes out what is left of deleted threads and posts, which only Drive tells.
    pub fn omit_deleted_comments(&mut self) {
        self.comments.retain(|thread| !thread.is_deleted());
        for thread in &mut self.comments {
            thread.replies.retain(|post| !post.is_deleted());
        }
        for thread in &mut self.suggestions {
            thread.replies.retain(|post| !post.is_deleted());
        }
    }
}

impl Post {
    /// Tells whether the post was deleted.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.deleted == Some(true)
    }
}

impl CommentThread {
    /// Tells whether the whole thread was deleted.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.head_post.as_ref().is_some_and(Post::is_deleted)
    }

    /// Tells whether the thread waits for an answer.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.is_deleted() && self.status != RESOLVED
    }

    /// Returns the ids of all posts.
    pub(crate) fn post_ids(&self) -> impl Iterator<Item = &str> {
        self.head_post.iter().chain(&self.replies).map(|post| post.post_id.as_str())
    }
}

/// The status of a thread that is open.
pub(crate) const OPEN: &str = "OPEN";

/// The status of a thread that was resolved.
pub(crate) const RESOLVED: &str = "RESOLVED";
