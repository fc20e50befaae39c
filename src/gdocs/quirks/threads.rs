//! The lines of the table about comments and suggestions.

/// The most bytes of a post and of an address. Source: discovery text.
pub(crate) const MAX_POST_BYTES: usize = 2048;

/// Threads that one document holds. Google publishes no bound; this one keeps a document in memory.
pub(crate) const MAX_THREADS: usize = 100_000;

/// The length of a comment's id behind its prefix. Recorded: `AAACGWxxk2k`.
pub(crate) const COMMENT_ID_LENGTH: usize = 7;

/// What a comment's id begins with. Recorded.
pub(crate) const COMMENT_ID_PREFIX: &str = "AAAC";

// Threads outlive their text, assumed in `named_range`: a thread whose text was all deleted stays, with its quote and
// the id of its anchor, and the anchor has no range any more and is left out. Seen by others: the list still has the
// thread and nothing shows where it stood.

/// Text for a comment of nothing. The rule is documented; doubt for the words.
pub(crate) const EMPTY_POST: &str = "The content of a comment cannot be empty.";

/// Text for a post or an address that is too long. The rule is documented; doubt for the words.
pub(crate) fn too_long(what: &str) -> String {
    format!("The {what} must not exceed {MAX_POST_BYTES} UTF-8 code units.")
}

/// Text for a request that names no thread, or two. Doubt: never recorded.
pub(crate) const NO_THREAD: &str = "Exactly one of comment ID and suggestion ID must be set.";

/// Text for an id that no thread has. Doubt: never recorded.
pub(crate) fn unknown_comment(id: &str) -> String {
    format!("The comment with ID {id} was not found.")
}

/// Text for an id that no post of the thread has. Doubt: never recorded.
pub(crate) fn unknown_post(id: &str) -> String {
    format!("The post with ID {id} was not found.")
}

/// Text for an id that no suggestion has. Doubt: never recorded.
pub(crate) fn unknown_suggestion(id: &str) -> String {
    format!("The suggestion with ID {id} was not found.")
}

/// Text for changing what somebody else wrote. The rule is documented (400); doubt for the words.
pub(crate) const NOT_AUTHOR: &str = "The requesting user is not the author of the post.";

/// Text for changing the first post of a suggestion. The rule is documented (400); doubt for the words.
pub(crate) const SUGGESTION_HEAD: &str = "The head post of a suggestion thread cannot be updated.";

/// Text for deleting the first post of a thread as a reply. Doubt: never recorded.
pub(crate) const HEAD_IS_NO_REPLY: &str = "The head post of a thread cannot be deleted as a reply.";

/// Text for deleting a reply that resolved, reopened, or assigned. The rule is documented (400); doubt for the words.
pub(crate) const REPLY_HAS_EFFECT: &str = "A reply post that contains an action or an assignee cannot be deleted.";

/// Text for an assignee where there cannot be one. The rule is documented (400); doubt for the words.
pub(crate) const NO_ASSIGNEE: &str = "The thread cannot be assigned with this post.";

/// Text for resolving a suggestion as if it were a comment. Doubt: never recorded.
pub(crate) const SUGGESTION_ACTION: &str = "A suggestion thread is accepted or rejected, not resolved or reopened.";

/// Text for a kind of request that cannot be a suggestion. Seen by others: operations on tabs, named ranges, headers,
/// footers and column properties are refused; doubt for the words.
pub(crate) const NOT_SUGGESTIBLE: &str = "The request cannot be applied in suggestion mode.";

/// Kinds that change threads or suggestions and not the text: the mode of writing is nothing to them.
pub(crate) const MODELESS_KINDS: &[&str] = &[
    "insertComment",
    "addCommentReply",
    "updateCommentPost",
    "deleteComment",
    "deleteCommentReply",
    "acceptSuggestion",
    "rejectSuggestion",
    "deleteSuggestion",
];

/// Kinds that Google takes as suggestions and this model does not.
/// Seen by others: everything not in [`UNSUGGESTIBLE_KINDS`]; `replaceAllText` is recorded.
pub(crate) fn not_suggested(kind: &str) -> String {
    format!("{kind} is not interpreted in suggestion mode by this model yet")
}

/// Kinds that Google refuses as suggestions.
/// Source: <https://github.com/taylorwilsdon/google_workspace_mcp/issues/1055>
pub(crate) const UNSUGGESTIBLE_KINDS: &[&str] = &[
    "addDocumentTab",
    "deleteTab",
    "updateDocumentTabProperties",
    "createNamedRange",
    "deleteNamedRange",
    "replaceNamedRangeContent",
    "updateTableColumnProperties",
    "createHeader",
    "createFooter",
    "deleteHeader",
    "deleteFooter",
];

/// Fields of the style of a document that cannot be suggested: its format, and which pages have headers of their own.
/// Source: <https://github.com/taylorwilsdon/google_workspace_mcp/pull/1053>, which has them from Google's page on suggestions.
pub(crate) const UNSUGGESTIBLE_DOCUMENT_FIELDS: &[&str] =
    &["documentFormat", "useEvenPageHeaderFooter", "useFirstPageHeaderFooter"];

/// What a suggested insertion says of its text's style. Recorded: these ten, and not `linkSuggested`.
pub(crate) const INSERTION_STYLE_FLAGS: &[&str] = &[
    "boldSuggested",
    "italicSuggested",
    "underlineSuggested",
    "strikethroughSuggested",
    "smallCapsSuggested",
    "backgroundColorSuggested",
    "foregroundColorSuggested",
    "fontSizeSuggested",
    "weightedFontFamilySuggested",
    "baselineOffsetSuggested",
];

/// Whether a suggestion that touches a pending one of the same person becomes part of it. Recorded for two adjacent
/// insertions; a deletion and the insertion beside it share one id, too. The reply then names no created suggestion;
/// doubt whether it names the old one under `updatedSummarySuggestionIds`.
pub(crate) const SUGGESTIONS_COALESCE: bool = true;
