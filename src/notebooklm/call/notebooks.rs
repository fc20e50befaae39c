//! Calls about notebooks and the account.

use serde_json::{Value, json};

use super::{Call, capabilities, context};
use crate::notebooklm::ids::Operation;

/// What the answers of a notebook aim at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// What the product does by itself.
    Default,
    /// What a person wrote.
    Custom(String),
    /// Guiding a learner.
    LearningGuide,
}

/// How long answers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// What the product does by itself.
    Default,
    /// Longer.
    Longer,
    /// Shorter.
    Shorter,
}

/// All notebooks viewed lately, the newest first, with their sources; nothing pages.
#[must_use]
pub fn list_notebooks() -> Call {
    Call::home(Operation::ListNotebooks, json!([null, 1, null, [2]]))
}

/// A new notebook.
#[must_use]
pub fn create_notebook(title: &str) -> Call {
    Call::home(Operation::CreateNotebook, json!([title, null, null, context()]))
}

/// One notebook with its sources.
#[must_use]
pub fn get_notebook(notebook: &str) -> Call {
    Call::within(Operation::GetNotebook, notebook, json!([notebook, null, context(), null, 0]))
}

/// Another title for a notebook.
#[must_use]
pub fn rename_notebook(notebook: &str, title: &str) -> Call {
    Call::home(Operation::RenameNotebook, json!([notebook, [[null, null, null, [null, title]]]]))
}

/// Another emoji for a notebook; an empty text takes it away.
#[must_use]
pub fn set_emoji(notebook: &str, emoji: &str) -> Call {
    Call::home(Operation::RenameNotebook, json!([notebook, [[null, null, null, [null, null, emoji]]]]))
}

/// How the answers of a notebook are.
#[must_use]
pub fn set_chat(notebook: &str, goal: &Goal, length: Length) -> Call {
    let goal = match goal {
        Goal::Default => json!([1]),
        Goal::Custom(prompt) => json!([2, prompt]),
        Goal::LearningGuide => json!([3]),
    };
    let length = match length {
        Length::Default => 1,
        Length::Longer => 4,
        Length::Shorter => 5,
    };
    let mut change = vec![Value::Null; 7];
    change.push(json!([goal, [length]]));
    Call::within(Operation::RenameNotebook, notebook, json!([notebook, [change]]))
}

/// A notebook goes, with all in it.
#[must_use]
pub fn delete_notebook(notebook: &str) -> Call {
    Call::home(Operation::DeleteNotebook, json!([[notebook], [2]]))
}

/// A notebook goes from the list of those viewed lately. Nothing comes back, and a status 13 with it is usual.
#[must_use]
pub fn remove_from_recent(notebook: &str) -> Call {
    Call::home(Operation::RemoveRecentlyViewed, json!([notebook]))
}

/// What a notebook is about. The product writes it anew at times, which may count as use.
#[must_use]
pub fn notebook_guide(notebook: &str) -> Call {
    Call::within(Operation::Summarize, notebook, json!([notebook, context()]))
}

/// Questions to ask of a notebook next.
#[must_use]
pub fn next_steps(notebook: &str) -> Call {
    Call::within(Operation::SuggestNextSteps, notebook, json!([null, notebook]))
}

/// The account's plan and language: the cheapest question that only a signed-in account can ask.
#[must_use]
pub fn settings() -> Call {
    Call::home(Operation::GetSettings, json!([null, capabilities()]))
}

/// The account's plan, without making an account where there is none.
#[must_use]
pub fn account() -> Call {
    Call::home(Operation::GetAccount, json!([]))
}

/// What is used up of the five hours and of the week.
#[must_use]
pub fn usage() -> Call {
    Call::home(Operation::ListQuotaSummary, json!([null]))
}

/// The studio items of a notebook, without those that the product only suggests.
#[must_use]
pub fn list_artifacts(notebook: &str) -> Call {
    let filter = "NOT artifact.status = \"ARTIFACT_STATUS_SUGGESTED\"";
    Call::within(Operation::ListArtifacts, notebook, json!([[2], notebook, filter]))
}
