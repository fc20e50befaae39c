//! Calls about notes and conversations.

use serde_json::json;

use super::Call;
use crate::notebooklm::ids::Operation;

/// The notes and mind maps of a notebook.
#[must_use]
pub fn list_notes(notebook: &str) -> Call {
    Call::within(Operation::GetNotes, notebook, json!([notebook]))
}

/// A new, empty note. The server forgets the title, so [`update_note`] follows.
#[must_use]
pub fn create_note(notebook: &str, title: &str) -> Call {
    Call::within(Operation::CreateNote, notebook, json!([notebook, "", [1], null, title]))
}

/// Another text for a note, and another title unless there is none.
#[must_use]
pub fn update_note(notebook: &str, note: &str, title: Option<&str>, text: &str) -> Call {
    Call::within(Operation::UpdateNote, notebook, json!([notebook, note, [[[text, title, [], 0]]]]))
}

/// Notes go.
#[must_use]
pub fn delete_notes(notebook: &str, notes: &[&str]) -> Call {
    Call::within(Operation::DeleteNote, notebook, json!([notebook, null, notes]))
}

/// The newest conversations of a notebook. The server names one, however many are asked for.
#[must_use]
pub fn last_conversation(notebook: &str) -> Call {
    Call::within(Operation::GetLastConversation, notebook, json!([[], null, notebook, 1]))
}

/// The newest turns of a conversation, at most `limit` of them.
#[must_use]
pub fn turns(notebook: &str, conversation: &str, limit: u32) -> Call {
    Call::within(Operation::GetTurns, notebook, json!([[], null, null, conversation, limit]))
}

/// Whether an answer is being written in a conversation.
#[must_use]
pub fn chat_status(notebook: &str, conversation: &str) -> Call {
    Call::within(Operation::GetChatStatus, notebook, json!([null, conversation]))
}

/// The answer being written in a conversation ends.
#[must_use]
pub fn cancel_chat(notebook: &str, conversation: &str) -> Call {
    Call::within(Operation::CancelGeneration, notebook, json!([null, conversation]))
}

/// The turns of a conversation go.
#[must_use]
pub fn delete_conversation(notebook: &str, conversation: &str) -> Call {
    Call::within(Operation::DeleteConversation, notebook, json!([[], conversation, null, 1]))
}
