//! Calls about sources.

use serde_json::{Value, json};

use super::{Call, capabilities, context};
use crate::notebooklm::ids::Operation;

/// The most words of one source that the product takes, on every plan.
pub const SOURCE_WORDS_MAX: usize = 500_000;

/// A source to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewSource {
    /// A page, or a file that a server gives away.
    Url(String),
    /// A video.
    YouTube(String),
    /// A text that was pasted.
    Text {
        /// Its title.
        title: String,
        /// It.
        text: String,
    },
    /// A file of Drive.
    Drive {
        /// Its id in Drive.
        file: String,
        /// Its media type there.
        mime: String,
        /// Its title.
        title: String,
    },
}

/// In which form a source's text comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// As a document: paragraphs with positions that citations name.
    Document,
    /// As HTML.
    Html,
}

/// New sources for a notebook. Of several, those that fail are left out of the answer without a word.
#[must_use]
pub fn add_sources(notebook: &str, sources: &[NewSource]) -> Call {
    let drive = sources.iter().any(|source| matches!(source, NewSource::Drive { .. }));
    let specs: Vec<Value> = sources.iter().map(spec).collect();
    // Files of Drive were recorded with the context in two places, and no recording has them otherwise.
    let params =
        if drive { json!([specs, notebook, [2], capabilities()]) } else { json!([specs, notebook, context()]) };
    Call::within(Operation::AddSource, notebook, params)
}

/// New sources that the answer names before they are read.
#[must_use]
pub fn add_sources_async(notebook: &str, sources: &[NewSource]) -> Call {
    Call { operation: Operation::AddSourcesAsync, ..add_sources(notebook, sources) }
}

/// What is said of one source: eleven slots, of which one tells what it is.
fn spec(source: &NewSource) -> Value {
    let mut slots = vec![Value::Null; 11];
    let mut set = |index: usize, value: Value| {
        if let Some(slot) = slots.get_mut(index) {
            *slot = value;
        }
    };
    set(10, json!(1));
    match source {
        NewSource::Url(url) => set(2, json!([url])),
        NewSource::YouTube(url) => set(7, json!([url])),
        NewSource::Text { title, text } => {
            set(1, json!([title, text]));
            set(3, json!(2));
        }
        NewSource::Drive { file, mime, title } => set(0, json!([file, mime, 1, title])),
    }
    Value::Array(slots)
}

/// A source whose bytes come by [`upload_start`] next; the answer names its id.
#[must_use]
pub fn register_upload(notebook: &str, file_name: &str) -> Call {
    Call::within(Operation::AddSourceFile, notebook, json!([[[file_name]], notebook, context()]))
}

/// The body of the request that begins an upload: POST to `/upload/_/` with `x-goog-upload-command: start`.
#[must_use]
pub fn upload_start(notebook: &str, source: &str, file_name: &str) -> String {
    json!({"PROJECT_ID": notebook, "SOURCE_NAME": file_name, "SOURCE_ID": source}).to_string()
}

/// A source's text.
#[must_use]
pub fn source_text(notebook: &str, source: &str, form: TextForm) -> Call {
    let form = match form {
        TextForm::Document => 2,
        TextForm::Html => 3,
    };
    Call::within(Operation::GetSource, notebook, json!([[source], [form], [form]]))
}

/// What a source is about.
#[must_use]
pub fn source_guide(notebook: &str, source: &str) -> Call {
    Call::within(Operation::GetSourceGuide, notebook, json!([[[[source]]]]))
}

/// The passages that answer a question best, of all sources or of some. It counts as no chat.
#[must_use]
pub fn search_passages(notebook: &str, query: &str, sources: &[&str]) -> Call {
    let mut params = vec![json!(notebook), json!(query), Value::Null, json!([1])];
    if !sources.is_empty() {
        let ids: Vec<Value> = sources.iter().map(|id| json!([[id]])).collect();
        params.push(Value::Array(ids));
    }
    Call::within(Operation::RetrieveRelevantChunks, notebook, Value::Array(params))
}

/// Another title for a source.
#[must_use]
pub fn rename_source(notebook: &str, source: &str, title: &str) -> Call {
    Call::within(Operation::UpdateSource, notebook, json!([null, [source], [[[title]]]]))
}

/// Sources go. The notebook is told by the page alone.
#[must_use]
pub fn delete_sources(notebook: &str, sources: &[&str]) -> Call {
    let ids: Vec<Value> = sources.iter().map(|id| json!([id])).collect();
    Call::within(Operation::DeleteSource, notebook, json!([ids]))
}

/// Whether a source still says what its origin does.
#[must_use]
pub fn check_freshness(notebook: &str, source: &str) -> Call {
    Call::within(Operation::CheckSourceFreshness, notebook, json!([null, [source], [2]]))
}

/// A source is read anew from its origin.
#[must_use]
pub fn refresh_source(notebook: &str, source: &str) -> Call {
    Call::within(Operation::RefreshSource, notebook, json!([null, [source], [2]]))
}

/// Text at a source's end.
#[must_use]
pub fn append_text(notebook: &str, source: &str, header: &str, text: &str) -> Call {
    Call::within(Operation::AppendSource, notebook, json!([null, [source], null, [null, [header, text]]]))
}
