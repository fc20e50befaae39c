//! The tool that asks a notebook a question. Each question counts towards the person's plan, so none is asked twice by itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::notebooks::{over, within};
use super::reading::titled;
use super::toolkit::Tool;
use super::{Outcome, arguments, checked_id};
use crate::error::NotebookFault;
use crate::kinds::notebooks::Service;
use crate::notebooklm::call::{ChatCall, QUESTION_CHARS_MAX};
use crate::notebooklm::chat::Answer;
use crate::notebooklm::rows::{Notebook, Status};
use crate::tools::host::Host;

/// How long the product may take to end an answer that nobody waits for any more.
const CANCEL_WAIT: Duration = Duration::from_secs(15);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskArguments {
    notebook_id: String,
    question: String,
    #[serde(default)]
    include_citations: Option<bool>,
}

/// Asks a question of all the sources of a notebook that can be asked.
pub(super) async fn ask(host: &dyn Host, given: Map<String, Value>) -> Outcome {
    let AskArguments { notebook_id, question, include_citations } = arguments(given)?;
    let (id, include_citations) = (checked_id(&notebook_id)?, include_citations.unwrap_or(true));
    let chars = question.chars().count();
    if chars > QUESTION_CHARS_MAX {
        let message = format!("the question has {chars} characters; {QUESTION_CHARS_MAX} are possible");
        let failure = Failure::of(NotebookFault::QuestionTooLong, message);
        return Err(failure.with("characters", chars).with("limit", QUESTION_CHARS_MAX));
    }
    if question.trim().is_empty() {
        return Err(Failure::misused("`question` is empty"));
    }
    let begun = host.notebooks()?.begin(Tool::Ask)?;
    let deadline = Instant::now() + begun.wait;
    let notebook = within(begun.wait, begun.service.notebook(id)).await?;
    let call = ChatCall { notebook: id.to_owned(), sources: ready(&notebook)?, question, ..ChatCall::default() };
    let left = deadline.saturating_duration_since(Instant::now());
    let mut unheard = Unheard { asked: Some((Arc::clone(&begun.service), id.to_owned())) };
    let mut untold = |_progress| {};
    // Whoever gives up earlier drops all of this.
    let answer = match tokio::time::timeout(left, begun.service.ask(&call, left, &mut untold)).await {
        Ok(answer) => {
            unheard.asked = None;
            answer?
        }
        Err(_elapsed) => return Err(Failure::from(over(begun.wait, true))),
    };
    Ok(shown(&answer, &notebook, include_citations))
}

/// Returns the sources that can be asked.
fn ready(notebook: &Notebook) -> Result<Vec<String>, Failure> {
    let count = |status: Status| notebook.sources.iter().filter(|source| source.status == status).count();
    let ready: Vec<String> = notebook
        .sources
        .iter()
        .filter(|source| source.status == Status::Ready)
        .map(|source| source.id.clone())
        .collect();
    if !ready.is_empty() {
        return Ok(ready);
    }
    let message = match notebook.sources.len() {
        0 => "the notebook has no sources".to_owned(),
        all => format!("none of the {all} sources of the notebook can be asked yet"),
    };
    let processing = count(Status::Processing) + count(Status::Preparing);
    Err(Failure::of(NotebookFault::NoSources, message)
        .with("sources", notebook.sources.len())
        .with("processing", processing)
        .with("failed", count(Status::Failed)))
}

fn shown(answer: &Answer, notebook: &Notebook, include_citations: bool) -> Value {
    let titles: BTreeMap<&str, &str> =
        notebook.sources.iter().map(|source| (source.id.as_str(), source.title.as_str())).collect();
    let cited = answer.citations.iter().filter(|_| include_citations);
    let citations: Vec<Value> = cited
        .map(|citation| {
            let source = citation.source_id.as_deref().unwrap_or_default();
            json!({
                "number": citation.number,
                "source_id": source,
                "source_title": titled(titles.get(source).copied().unwrap_or_default()),
                "excerpt": Some(citation.excerpt.trim()).filter(|excerpt| !excerpt.is_empty()),
            })
        })
        .collect();
    let text = if include_citations { answer.text.clone() } else { without_marks(answer) };
    json!({
        "answer": text,
        "citations": citations,
        "confidence": Value::Null,
        "follow_up_questions": answer.follow_ups,
    })
}

/// Returns an answer without the marks that name its citations.
fn without_marks(answer: &Answer) -> String {
    let text = answer.document.markdown().text;
    if text.trim().is_empty() { answer.text.clone() } else { text.trim_end().to_owned() }
}

/// A question whose answer nobody has heard yet. Dropped as such, the product is told to write on no more.
struct Unheard {
    asked: Option<(Arc<dyn Service>, String)>,
}

impl Drop for Unheard {
    fn drop(&mut self) {
        let (Some((service, notebook)), Ok(runtime)) = (self.asked.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        runtime.spawn(async move {
            if let Err(error) = within(CANCEL_WAIT, service.cancel(&notebook)).await {
                tracing::debug!(%error, "an answer that nobody waits for is written on");
            }
        });
    }
}
