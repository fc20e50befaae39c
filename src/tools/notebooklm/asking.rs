//! The tool that asks a notebook a question. Each question counts towards the person's plan, so none is asked twice by itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::failure::{Failure, at_most};
use super::notebooks::{Begun, Notebooks, over, within};
use super::reading::titled;
use super::toolkit::Tool;
use super::{Outcome, arguments, checked_id};
use crate::error::{Error, NotebookFault, Result};
use crate::kinds::notebooks::Service;
use crate::notebooklm::call::{ChatCall, QUESTION_CHARS_MAX};
use crate::notebooklm::chat::{Answer, Progress};
use crate::notebooklm::rows::{Notebook, Status};
use crate::tools::host::Host;
use crate::tools::verbs::excerpt;

/// So many notebooks are named in an error.
const SHOWN_MAX: usize = 20;
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
pub(super) async fn ask(host: &dyn Host, given: Map<String, Value>, wait: Option<Duration>) -> Outcome {
    let AskArguments { notebook_id, question, include_citations } = arguments(given)?;
    let (id, include_citations) = (checked_id(&notebook_id)?, include_citations.unwrap_or(true));
    let question = checked(question)?;
    let begun = host.notebooks()?.begin(Tool::Ask, wait)?;
    answered(&begun, (id, question), include_citations, &mut |_progress| {}).await
}

impl Notebooks {
    /// Asks a question of a notebook, which is named by its id or its name, and answers as the tool `ask` does, of which it counts as a
    /// call. `told` hears how far the answer is.
    ///
    /// # Errors
    ///
    /// `Told`, with the reason.
    pub async fn ask(&self, notebook: &str, question: &str, told: &mut (dyn FnMut(Progress) + Send)) -> Result<Value> {
        let asked = async {
            let question = checked(question.to_owned())?;
            let begun = self.begin(Tool::Ask, None)?;
            let listing = within(self.wait(Tool::ListNotebooks, None), begun.service.notebooks()).await?;
            answered(&begun, (named(&listing.items, notebook)?, question), true, told).await
        };
        asked.await.map_err(Failure::into_error)
    }
}

/// Finds a notebook by its id, or by its name where no other has the same.
fn named<'list>(notebooks: &'list [Notebook], wanted: &str) -> Result<&'list str, Failure> {
    let wanted = wanted.trim();
    if let Some(notebook) = notebooks.iter().find(|notebook| notebook.id == wanted) {
        return Ok(&notebook.id);
    }
    let lower = wanted.to_lowercase();
    let found = |is_it: &dyn Fn(&str) -> bool| {
        notebooks.iter().filter(|notebook| is_it(&notebook.title.to_lowercase())).collect::<Vec<_>>()
    };
    let mut meant = found(&|title| title == lower);
    if meant.is_empty() && !lower.is_empty() {
        meant = found(&|title| title.contains(&lower));
    }
    let shown = |list: &[&Notebook]| {
        let names =
            list.iter().take(SHOWN_MAX).map(|notebook| format!("{} \"{}\"", notebook.id, titled(&notebook.title)));
        names.collect::<Vec<_>>().join(", ")
    };
    match meant.as_slice() {
        [notebook] => Ok(&notebook.id),
        [] => {
            let all: Vec<&Notebook> = notebooks.iter().collect();
            let message = format!("no notebook is named `{}`; there are {}", excerpt(wanted), shown(&all));
            Err(Failure::of(NotebookFault::NotFound, message))
        }
        several => {
            Err(Failure::misused(format!("several notebooks are meant: {}; give the id of one", shown(several))))
        }
    }
}

/// Looks at a question before it counts as a call.
fn checked(question: String) -> Result<String, Failure> {
    at_most(NotebookFault::QuestionTooLong, ("question", &question), QUESTION_CHARS_MAX)?;
    if question.trim().is_empty() {
        return Err(Failure::misused("`question` is empty"));
    }
    Ok(question)
}

async fn answered(
    begun: &Begun,
    (id, question): (&str, String),
    include_citations: bool,
    told: &mut (dyn FnMut(Progress) + Send),
) -> Outcome {
    let deadline = Instant::now() + begun.wait;
    let notebook = within(begun.wait, begun.service.notebook(id)).await?;
    let call = ChatCall { notebook: id.to_owned(), sources: ready(&notebook)?, question, ..ChatCall::default() };
    let left = deadline.saturating_duration_since(Instant::now());
    let mut unheard = Unheard { asked: Some((Arc::clone(&begun.service), id.to_owned())) };
    // Whoever gives up earlier drops all of this.
    let answer = match tokio::time::timeout(left, begun.service.ask(&call, left, told)).await {
        Ok(answer) => {
            // Of what may be written on though no answer came, the product is told, too.
            if !matches!(answer, Err(Error::Notebook { outcome_unknown: true, .. })) {
                unheard.asked = None;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of some notebooks is meant; their ids are their numbers. Nothing for none, or several.
    #[track_caller]
    fn check(titles: &[&str], wanted: &str, expected: Option<&str>) {
        let notebook = |(number, title): (usize, &&str)| Notebook {
            id: number.to_string(),
            title: (*title).to_owned(),
            emoji: None,
            role: None,
            shared: None,
            viewed: None,
            created: None,
            chat: None,
            limits: None,
            conversation: None,
            sources: Vec::new(),
            odd: Vec::new(),
        };
        let all: Vec<Notebook> = titles.iter().enumerate().map(notebook).collect();
        assert_eq!(named(&all, wanted).ok(), expected, "{titles:?} {wanted}");
    }

    #[test]
    fn a_notebook_is_named_by_its_id_or_its_name() {
        let titles = ["Balcony solar", "Kyoto", "Kyoto in autumn", "2"];
        check(&titles, "2", Some("2"));
        check(&titles, " kyoto ", Some("1"));
        check(&titles, "solar", Some("0"));
        check(&titles, "o", None);
        check(&titles, "Paris", None);
        check(&titles, "", None);
        check(&["Same", "same"], "same", None);
    }
}
