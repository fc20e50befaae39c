//! The answers of Gmail's API, as far as they are read.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest>

use serde::Deserialize;

/// A thread, as `threads.get` with `format=minimal` gives it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Thread {
    /// Its id.
    pub id: String,
    /// Grows with each change.
    pub history_id: String,
    /// Its messages, oldest first.
    pub messages: Vec<Message>,
    /// The beginning of its newest message, in a list; escaped for HTML.
    pub snippet: String,
}

/// A message: what stands beside its bytes, and these where they were asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message {
    /// Its id.
    pub id: String,
    /// That of its thread.
    pub thread_id: String,
    /// The ids of its labels.
    pub label_ids: Vec<String>,
    /// When Gmail took it in, in milliseconds.
    pub internal_date: String,
    /// About how many bytes it has.
    pub size_estimate: u64,
    /// The whole message, in base64 for URLs.
    pub raw: Option<String>,
    /// Its headers, those that were asked for.
    pub payload: Payload,
}

/// What `format=metadata` gives of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// In the order of the message.
    pub headers: Vec<Header>,
}

/// A header of a message, unfolded and decoded.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    /// Its name.
    pub name: String,
    /// What it says.
    pub value: String,
}

/// The answer of `messages.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageList {
    /// What was found, newest first.
    pub messages: Vec<Message>,
}

/// A page of `threads.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ThreadList {
    /// Threads, newest first, without their messages.
    pub threads: Vec<Thread>,
    /// Where the next page begins, if there is one.
    pub next_page_token: Option<String>,
}

/// A page of `history.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct HistoryList {
    /// What happened, in order.
    pub history: Vec<History>,
    /// Where the next page begins, if there is one.
    pub next_page_token: Option<String>,
    /// Where the mailbox stands.
    pub history_id: Option<String>,
}

/// Something that happened to messages.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct History {
    /// Where the mailbox stood then.
    pub id: String,
    /// The messages that it happened to.
    pub messages: Vec<Message>,
    /// Labels that messages got.
    pub labels_added: Vec<Happened>,
    /// Messages that were deleted for good.
    pub messages_deleted: Vec<Happened>,
}

/// What happened to one message.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Happened {
    /// The message.
    pub message: Message,
    /// The labels that it is about.
    pub label_ids: Vec<String>,
}

/// The answer of `getProfile`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Profile {
    /// Where the mailbox stands.
    pub history_id: String,
}

/// A page of `drafts.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DraftList {
    /// Drafts, newest first.
    pub drafts: Vec<ListedDraft>,
    /// Where the next page begins, if there is one.
    pub next_page_token: Option<String>,
}

/// A draft, as lists tell it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListedDraft {
    /// Its id, which stays while its message becomes another one.
    pub id: String,
    /// Its message.
    pub message: Message,
}

/// The answer of `labels.list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LabelList {
    /// All labels.
    pub labels: Vec<Label>,
}

/// A label.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Label {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
}
