//! The personal product, asked as its own page asks.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::error::{NotebookFault, Result};
use crate::notebooklm::bootstrap::{Page, Tokens};
use crate::notebooklm::call::{self, Call, ChatCall, NewSource, Request, Session, TextForm};
use crate::notebooklm::chat::{Answer, Ended, Fold, Progress};
use crate::notebooklm::fault::{fault_of, fault_of_end};
use crate::notebooklm::ids::{Operation, Overrides};
use crate::notebooklm::reply::{self, Outcome, Refusal, Rejected};
use crate::notebooklm::rows::{self, Freshness, Guide, Listing, Note, Notebook, Source, SourceText, Turns, Usage};
use crate::notebooklm::slot::Drift;

use super::failure::{failed, harmless, of_drift, of_end, of_landing, of_outcome};
use super::service::{Service, SignedIn};
use super::transport::{Opened, Pieces, Transport};

/// How long the page may take to open.
const OPEN_WAIT: Duration = Duration::from_secs(30);

/// How long a call may take. What NotebookLM reads itself, as a page that becomes a source, takes its time.
const CALL_WAIT: Duration = Duration::from_secs(60);

/// How much the number of a request grows from one to the next, as that of the page does.
const NUMBER_STEP: u64 = 100_000;

/// Bytes of a refusal of a question that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// How the product is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Ids that stand for operations instead of the known ones.
    pub overrides: Overrides,
    /// The language of messages and titles.
    pub language: String,
    /// Which of several accounts that are signed in: an index or an address.
    pub authuser: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { overrides: Overrides::default(), language: "en".to_owned(), authuser: None }
    }
}

/// The personal product, for one account.
pub struct Personal {
    transport: Box<dyn Transport>,
    settings: Settings,
    /// What the page said that was opened last. Held while one is opened, so that two who ask at once open one.
    tokens: Mutex<Option<Tokens>>,
    /// Counts the requests.
    requests: AtomicU64,
}

impl Personal {
    /// Asks the product by a way to it.
    #[must_use]
    pub fn new(transport: Box<dyn Transport>, settings: Settings) -> Self {
        Self { transport, settings, tokens: Mutex::new(None), requests: AtomicU64::new(1) }
    }

    /// Returns what every request carries, and opens the page for that where it is not known. `refused` are those that the product
    /// does not take any more.
    async fn tokens(&self, refused: Option<&Tokens>) -> Result<Tokens> {
        let mut known = self.tokens.lock().await;
        if let Some(tokens) = known.as_ref().filter(|tokens| refused != Some(*tokens)) {
            return Ok(tokens.clone());
        }
        // Where nothing answers, nothing is known to have ended.
        let opened = self.transport.open(OPEN_WAIT).await?;
        let was_signed_in = known.take().is_some();
        match opened {
            Opened::App(Page::App(tokens)) => Ok(known.insert(tokens).clone()),
            Opened::App(Page::Landing) if was_signed_in => {
                Err(failed(NotebookFault::SessionExpired, "the sign-in to NotebookLM has ended"))
            }
            Opened::App(Page::Landing) => Err(failed(NotebookFault::AuthRequired, "nobody is signed in to NotebookLM")),
            Opened::App(Page::Foreign) => {
                Err(failed(NotebookFault::ParseError, "expected the page of NotebookLM, found that of another product"))
            }
            Opened::Elsewhere(landing) => Err(of_landing(landing)),
        }
    }

    fn session<'a>(&'a self, tokens: &'a Tokens) -> Session<'a> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed).wrapping_mul(NUMBER_STEP);
        let authuser = self.settings.authuser.as_deref().or(tokens.authuser.as_deref());
        Session { authuser, request: Some(number), ..tokens.as_session(&self.settings.language) }
    }

    /// Makes a call and reads what came of it with `read`, which is given the id that it was sent with.
    async fn call<T>(&self, call: &Call, read: impl FnOnce(&str, &Value) -> Result<T, Drift>) -> Result<T> {
        let asked = self.settings.overrides.wire_id(call.operation);
        let answer = self.answer(call, asked).await?;
        read(asked, &answer).map_err(|drift| of_drift(&drift, call.operation))
    }

    /// Makes a call; null is the answer of what has nothing to answer.
    async fn answer(&self, call: &Call, asked: &str) -> Result<Value> {
        let mut tokens = self.tokens(None).await?;
        let mut is_fresh = false;
        loop {
            let request = call.encode(&self.session(&tokens), &self.settings.overrides);
            let sent = self.transport.send(&request, CALL_WAIT).await;
            let sent = sent.map_err(|error| if call.operation.is_read() { harmless(error) } else { error })?;
            let outcome = reply::read(sent.head.status, sent.head.retry_after.as_deref(), &sent.body, asked);
            let Some(fault) = fault_of(&outcome, call.operation) else {
                return Ok(if let Outcome::Result(answer) = outcome { answer } else { Value::Null });
            };
            if is_fresh || !asks_for_the_page(&outcome, call.operation) {
                let asked = (call.operation.name(), call.operation.is_read());
                return Err(of_outcome(&outcome, asked, fault));
            }
            tokens = self.tokens(Some(&tokens)).await?;
            is_fresh = true;
        }
    }

    /// Sends a question until it is taken, which is the first time but for a page that is too old.
    async fn pieces(&self, question: &ChatCall, deadline: Duration) -> Result<Box<dyn Pieces>> {
        let mut tokens = self.tokens(None).await?;
        let mut is_fresh = false;
        loop {
            let request: Request = question.encode(&self.session(&tokens));
            let mut pieces = self.transport.stream(&request, deadline).await?;
            let head = pieces.head().clone();
            if (200..300).contains(&head.status) {
                return Ok(pieces);
            }
            let mut body = String::new();
            while body.len() < REFUSAL_BYTES
                && let Some(piece) = pieces.next().await?
            {
                body.push_str(&piece);
            }
            let refusal = reply::refusal_of(head.status, head.retry_after.as_deref(), &body);
            let outcome = refusal.map_or(Outcome::Silent, Outcome::Refused);
            if is_fresh || outcome != Outcome::Refused(Refusal::StaleToken) {
                // A question is refused as the reading of a conversation is.
                let fault = fault_of(&outcome, Operation::GetTurns).unwrap_or(NotebookFault::ParseError);
                return Err(of_outcome(&outcome, ("the question", false), fault));
            }
            tokens = self.tokens(Some(&tokens)).await?;
            is_fresh = true;
        }
    }
}

/// Reads an answer; null is that of what has nothing to answer.
fn or_nothing<T: Default>(
    read: impl FnOnce(&str, &Value) -> Result<T, Drift>,
) -> impl FnOnce(&str, &Value) -> Result<T, Drift> {
    |id, answer| if answer.is_null() { Ok(T::default()) } else { read(id, answer) }
}

/// Tells whether a call is to be made once more from a page that was opened anew. One that was refused for its token was not looked
/// at, so that this is no repetition; of the rest only what reads is asked again.
fn asks_for_the_page(outcome: &Outcome, operation: Operation) -> bool {
    match outcome {
        Outcome::Refused(Refusal::StaleToken) => true,
        Outcome::Refused(Refusal::Unauthenticated | Refusal::Forbidden | Refusal::Redirected)
        | Outcome::Interstitial => operation.is_read(),
        Outcome::Rejected(rejection) => rejection.kind == Rejected::Unauthenticated && operation.is_read(),
        Outcome::Result(_)
        | Outcome::Empty
        | Outcome::Refused(_)
        | Outcome::Drifted { .. }
        | Outcome::Silent
        | Outcome::Cut
        | Outcome::Unreadable(_) => false,
    }
}

#[async_trait]
impl Service for Personal {
    async fn probe(&self) -> Result<SignedIn> {
        let limits = self.call(&call::settings(), rows::limits).await?;
        let email = self.tokens.lock().await.as_ref().and_then(|tokens| tokens.email.clone());
        Ok(SignedIn { email, limits })
    }

    async fn notebooks(&self) -> Result<Listing<Notebook>> {
        self.call(&call::list_notebooks(), rows::notebooks).await
    }

    async fn notebook(&self, notebook: &str) -> Result<Notebook> {
        self.call(&call::get_notebook(notebook), rows::notebook_of_get).await
    }

    async fn create(&self, title: &str) -> Result<Notebook> {
        self.call(&call::create_notebook(title), rows::notebook).await
    }

    async fn add_sources(&self, notebook: &str, sources: &[NewSource]) -> Result<Listing<Source>> {
        self.call(&call::add_sources(notebook, sources), rows::added_sources).await
    }

    async fn rename(&self, notebook: &str, title: &str) -> Result<()> {
        self.call(&call::rename_notebook(notebook, title), |_, _| Ok(())).await
    }

    async fn guide(&self, notebook: &str) -> Result<Guide> {
        self.call(&call::notebook_guide(notebook), rows::notebook_guide).await
    }

    async fn source_text(&self, notebook: &str, source: &str) -> Result<SourceText> {
        self.call(&call::source_text(notebook, source, TextForm::Document), rows::source_text).await
    }

    async fn freshness(&self, notebook: &str, source: &str) -> Result<Freshness> {
        self.call(&call::check_freshness(notebook, source), rows::freshness).await
    }

    async fn refresh(&self, notebook: &str, source: &str) -> Result<()> {
        self.call(&call::refresh_source(notebook, source), |_, _| Ok(())).await
    }

    async fn notes(&self, notebook: &str) -> Result<Listing<Note>> {
        self.call(&call::list_notes(notebook), or_nothing(rows::notes)).await
    }

    async fn update_note(&self, notebook: &str, note: &str, title: Option<&str>, text: &str) -> Result<()> {
        self.call(&call::update_note(notebook, note, title, text), |_, _| Ok(())).await
    }

    async fn turns(&self, notebook: &str, limit: u32) -> Result<Turns> {
        let Some(conversation) = self.conversation(notebook).await? else { return Ok(Turns::default()) };
        self.call(&call::turns(notebook, &conversation, limit), or_nothing(rows::turns)).await
    }

    async fn usage(&self) -> Result<Listing<Usage>> {
        self.call(&call::usage(), rows::usage).await
    }

    async fn ask(
        &self,
        question: &ChatCall,
        deadline: Duration,
        told: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answer> {
        call::check_question(question).map_err(|fault| {
            let too_long = format!("a question has at most {} characters", call::QUESTION_CHARS_MAX);
            let message = if fault == NotebookFault::QuestionTooLong { &too_long } else { "there is no source to ask" };
            failed(fault, message)
        })?;
        let mut pieces = self.pieces(question, deadline).await?;
        let mut fold = Fold::new();
        while let Some(piece) = pieces.next().await? {
            // What is too much is told by the end.
            let Ok(progress) = fold.push(&piece) else { break };
            progress.into_iter().for_each(&mut *told);
        }
        match fold.finish() {
            Ended::Answered(answer) => Ok(*answer),
            ended @ (Ended::Unfinished(_)
            | Ended::Rejected(_)
            | Ended::Exhausted
            | Ended::Interstitial
            | Ended::Drifted(_)
            | Ended::Unreadable(_)) => Err(of_end(&ended, fault_of_end(&ended).unwrap_or(NotebookFault::ParseError))),
        }
    }

    async fn cancel(&self, notebook: &str) -> Result<()> {
        let Some(conversation) = self.conversation(notebook).await? else { return Ok(()) };
        self.call(&call::cancel_chat(notebook, &conversation), |_, _| Ok(())).await
    }

    async fn release(&self) {
        self.transport.release().await;
    }
}

impl Personal {
    /// Returns the conversation of a notebook; `None` where nothing was asked yet.
    async fn conversation(&self, notebook: &str) -> Result<Option<String>> {
        self.call(&call::last_conversation(notebook), or_nothing(rows::conversation)).await
    }
}

impl fmt::Debug for Personal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Personal").field("settings", &self.settings).finish_non_exhaustive()
    }
}
