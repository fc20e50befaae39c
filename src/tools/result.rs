//! What a client gets of a tool that did what it was asked for: the answer as structured content, the same as text for clients that
//! know no other, and a link to the file that it names.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value, json};

/// What a client gets at most of an answer with an outline, all together; the newer era adds a word to it.
pub(super) const OUTLINE_BYTES_MAX: usize = 1960;
/// What stands in the address of a file as it is.
const PATH_LETTERS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~').remove(b'@');
/// What the text of an answer has whose lists stand in its structured content alone: enough to go on with the file.
const BRIEF: [&str; 7] = ["id", "title", "url", "path", "warnings", "stale", "untrusted"];

/// All that a client gets of an answer. Where the lists of one with an outline would make it too long twice, the text has the rest.
pub(super) fn of(answer: Value) -> CallToolResult {
    let is_long = answer.get("outline").is_some() && size(&written(answer.clone(), None)) > OUTLINE_BYTES_MAX;
    let text = is_long.then(|| brief(&answer));
    written(answer, text)
}

/// How many bytes a client gets of an answer.
pub(super) fn bytes(answer: &Value) -> usize {
    size(&of(answer.clone()))
}

/// How many bytes a client gets of an answer whose text is brief.
pub(super) fn bytes_in_brief(answer: &Value) -> usize {
    size(&written(answer.clone(), Some(brief(answer))))
}

fn brief(answer: &Value) -> Value {
    let mut text: Value = BRIEF.iter().filter_map(|key| Some(((*key).to_owned(), answer.get(*key)?.clone()))).collect();
    text["left_out"] =
        json!("outline and paths, which structuredContent has; `grep -n '^#'` in the file finds its headings");
    text
}

/// An answer with a link to the file that it names, for clients that show or open such links.
fn written(answer: Value, text: Option<Value>) -> CallToolResult {
    let said = |key: &str| answer.get(key).and_then(Value::as_str).map(str::to_owned);
    let link = said("path").zip(said("title")).map(|(path, title)| {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let address = format!("file://{}", utf8_percent_encode(&path, PATH_LETTERS));
        Resource::new(address, name).with_title(title).with_mime_type("text/markdown")
    });
    let mut result = CallToolResult::structured(answer);
    if let Some(text) = text {
        result.content = vec![ContentBlock::text(text.to_string())];
    }
    result.content.extend(link.map(ContentBlock::resource_link));
    result
}

fn size(result: &CallToolResult) -> usize {
    serde_json::to_string(result).map_or(0, |text| text.len())
}
