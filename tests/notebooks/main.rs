//! The personal product of notebooks, asked as its page asks, against the embedded Google.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may fail")]

mod tools;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcp_workspace::emulator::{DEFAULT_TOKEN, DEMO_ACCOUNT, Options, Running, serve};
use mcp_workspace::error::{Error, NotebookFault, Result};
use mcp_workspace::kinds::notebooks::{Head, Opened, Personal, Pieces, Sent, Service as _, Settings, Transport};
use mcp_workspace::notebooklm::bootstrap::{Base, Landing, read_page};
use mcp_workspace::notebooklm::call::{ChatCall, NewSource, Request};
use mcp_workspace::notebooklm::chat::{Answer, Progress};
use mcp_workspace::notebooklm::form;
use mcp_workspace::notebooklm::ids::Overrides;
use mcp_workspace::notebooklm::rows::{Freshness, Notebook, SourceText, Speaker, Status};
use serde_json::{Value, json};

const LONG: Duration = Duration::from_secs(30);

/// A browser without pages: cookies, and the headers of one.
struct Browser {
    http: reqwest::Client,
    port: u16,
    cookies: Mutex<BTreeMap<String, String>>,
}

/// What the product is asked through.
struct Way(Arc<Browser>);

impl Browser {
    fn new(google: &Running) -> Arc<Self> {
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder =
            reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).read_timeout(LONG);
        for name in ["notebook.google.localhost", "accounts.google.localhost"] {
            builder = builder.resolve(name, google.addr());
        }
        let http = builder.build().unwrap();
        Arc::new(Self { http, port: google.addr().port(), cookies: Mutex::default() })
    }

    fn base(&self) -> Base {
        Base::new(&format!("http://notebook.google.localhost:{}", self.port)).unwrap()
    }

    fn accounts(&self, path: &str) -> String {
        format!("http://accounts.google.localhost:{}{path}", self.port)
    }

    async fn ask(&self, request: reqwest::RequestBuilder) -> reqwest::Result<reqwest::Response> {
        let cookies: Vec<String> =
            self.cookies.lock().unwrap().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = request.header("cookie", cookies.join("; ")).header("sec-fetch-mode", "cors").send().await?;
        let mut known = self.cookies.lock().unwrap();
        for cookie in response.headers().get_all("set-cookie") {
            let (name, rest) = cookie.to_str().unwrap().split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            match rest.contains("Max-Age=0;") {
                true => drop(known.remove(name)),
                false => drop(known.insert(name.to_owned(), value.to_owned())),
            }
        }
        drop(known);
        Ok(response)
    }

    async fn sign_in(&self, email: &str) {
        let onwards = form::encode(&format!("{}/", self.base()));
        let body = format!("identifier={}&continue={onwards}", form::encode(email));
        let post = |url: String, body: String| {
            self.http.post(url).header("content-type", "application/x-www-form-urlencoded").body(body)
        };
        let first = self.ask(post(self.accounts("/v3/signin/identifier"), body.clone())).await.unwrap();
        let next = first.headers()["location"].to_str().unwrap().to_owned();
        let done = self.ask(post(self.accounts(&next), format!("{body}&Passwd=demo-password"))).await.unwrap();
        assert_eq!(done.status().as_u16(), 303);
    }
}

/// What became of a request that was not answered.
fn lost(error: &reqwest::Error) -> Error {
    Error::Notebook {
        fault: if error.is_timeout() { NotebookFault::Timeout } else { NotebookFault::NetworkError },
        message: "no answer came".to_owned(),
        retry_after: None,
        outcome_unknown: !error.is_connect(),
    }
}

fn head(response: &reqwest::Response) -> Head {
    let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    Head { status: response.status().as_u16(), retry_after }
}

impl Way {
    async fn post(&self, request: &Request, deadline: Duration) -> Result<reqwest::Response> {
        let url = format!("{}{}", self.0.base(), request.path_and_query());
        let post = self.0.http.post(url).header("content-type", form::CONTENT_TYPE).body(request.body.clone());
        self.0.ask(post.timeout(deadline)).await.map_err(|error| lost(&error))
    }
}

#[async_trait]
impl Transport for Way {
    async fn open(&self, deadline: Duration) -> Result<Opened> {
        let get = self.0.http.get(format!("{}/", self.0.base())).timeout(deadline);
        let response = self.0.ask(get).await.map_err(|error| lost(&error))?;
        if let Some(location) = response.headers().get("location") {
            return Ok(match self.0.base().landing(location.to_str().unwrap()) {
                Landing::App => panic!("the page leads to itself"),
                landing => Opened::Elsewhere(landing),
            });
        }
        Ok(Opened::App(read_page(&response.text().await.unwrap())))
    }

    async fn send(&self, request: &Request, deadline: Duration) -> Result<Sent> {
        let response = self.post(request, deadline).await?;
        let head = head(&response);
        let body = response.text().await.map_err(|error| lost(&error))?;
        Ok(Sent { head, body })
    }

    async fn stream(&self, request: &Request, deadline: Duration) -> Result<Box<dyn Pieces>> {
        let response = self.post(request, deadline).await?;
        Ok(Box::new(Stream { head: head(&response), response, left: Vec::new() }))
    }
}

struct Stream {
    head: Head,
    response: reqwest::Response,
    /// The beginning of a letter whose end is to come.
    left: Vec<u8>,
}

#[async_trait]
impl Pieces for Stream {
    fn head(&self) -> &Head {
        &self.head
    }

    async fn next(&mut self) -> Result<Option<String>> {
        let Some(bytes) = self.response.chunk().await.map_err(|error| lost(&error))? else { return Ok(None) };
        self.left.extend_from_slice(&bytes);
        let whole = std::str::from_utf8(&self.left).map_or_else(|error| error.valid_up_to(), str::len);
        let rest = self.left.split_off(whole);
        Ok(Some(String::from_utf8(std::mem::replace(&mut self.left, rest)).unwrap()))
    }
}

/// Google, somebody who is signed in, and what the product is asked with.
struct World {
    google: Running,
    browser: Arc<Browser>,
    service: Personal,
}

impl World {
    async fn new() -> Self {
        let world = Self::signed_out(Settings::default()).await;
        world.browser.sign_in(DEMO_ACCOUNT).await;
        world
    }

    async fn signed_out(settings: Settings) -> Self {
        let google = serve(Options::default()).await.unwrap();
        google.seed_notebooks().unwrap();
        let browser = Browser::new(&google);
        let service = Personal::new(Box::new(Way(browser.clone())), settings);
        Self { google, browser, service }
    }

    async fn admin(&self, path: &str, body: Value) -> Value {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}/admin/{path}", self.google.url());
        let sent = http.post(url).bearer_auth(DEFAULT_TOKEN).json(&body).send().await.unwrap();
        assert!(sent.status().is_success(), "{path}: {}", sent.status());
        sent.json().await.unwrap()
    }

    async fn fault(&self, operation: &str, fault: &str, more: Value) {
        let mut order = json!({"match": {"operation": operation}, "fault": fault});
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.admin("notebooks:faults", order).await;
    }

    async fn titled(&self, title: &str) -> Notebook {
        let listing = self.service.notebooks().await.unwrap();
        listing.items.into_iter().find(|notebook| notebook.title.contains(title)).unwrap()
    }

    async fn question(&self, title: &str, question: &str) -> ChatCall {
        let notebook = self.titled(title).await;
        let sources = notebook.sources.iter().filter(|source| source.status == Status::Ready);
        ChatCall {
            notebook: notebook.id.clone(),
            sources: sources.map(|source| source.id.clone()).collect(),
            question: question.to_owned(),
            ..ChatCall::default()
        }
    }

    async fn ask(&self, question: &ChatCall) -> (Result<Answer>, Vec<Progress>) {
        let mut told = Vec::new();
        let answer = self.service.ask(question, Duration::from_secs(3), &mut |progress| told.push(progress)).await;
        (answer, told)
    }
}

/// The fault of an error, and whether what was asked may have been done.
#[track_caller]
fn fault<T: std::fmt::Debug>(result: Result<T>) -> (NotebookFault, bool) {
    match result {
        Err(Error::Notebook { fault, outcome_unknown, .. }) => (fault, outcome_unknown),
        other => panic!("{other:?}"),
    }
}

fn text(source: &SourceText) -> String {
    source.document.plain()
}

#[tokio::test]
async fn all_that_is_read() {
    let world = World::new().await;
    let service = &world.service;
    let signed_in = service.probe().await.unwrap();
    assert_eq!(signed_in.email.as_deref(), Some(DEMO_ACCOUNT));
    assert!(signed_in.limits.sources.unwrap() > 0);
    let listing = service.notebooks().await.unwrap();
    assert_eq!((listing.items.len(), listing.odd.len()), (3, 0));
    let solar = world.titled("Balcony").await;
    assert_eq!(service.notebook(&solar.id).await.unwrap().sources.len(), solar.sources.len());
    let guide = &solar.sources[0];
    let read = service.source_text(&solar.id, &guide.id).await.unwrap();
    assert!(text(&read).contains("800"), "{}", text(&read));
    assert_eq!(read.source.unwrap().revision, guide.revision);
    assert!(!service.guide(&solar.id).await.unwrap().summary.is_empty());
    let notes = service.notes(&solar.id).await.unwrap();
    assert!(notes.items.iter().any(|note| note.content.contains("colour of the frames")), "{notes:?}");
    let turns = service.turns(&solar.id, 10).await.unwrap().turns;
    assert!(matches!(&turns[1].speaker, Speaker::Person(question) if question.contains("watts")), "{turns:?}");
    assert!(service.turns(&world.titled("Kyoto").await.id, 10).await.unwrap().turns.is_empty());
    assert_eq!(service.usage().await.unwrap().items.len(), 2);
    assert_eq!(fault(service.notebook("0e3f7a10-0000-4000-8000-000000000000").await).0, NotebookFault::NotFound);
}

#[tokio::test]
async fn all_that_is_written() {
    let world = World::new().await;
    let service = &world.service;
    let made = service.create("Trains 🚄").await.unwrap();
    service.rename(&made.id, "Trains of 日本").await.unwrap();
    let long = NewSource::Text { title: "Times".into(), text: "The 東海道 line leaves at 7:04.\n".into() };
    let added = service.add_sources(&made.id, &[long]).await.unwrap();
    assert_eq!(added.items.len(), 1);
    let found = world.titled("Trains").await;
    assert_eq!((found.title.as_str(), found.sources.len()), ("Trains of 日本", 1));
    let solar = world.titled("Balcony").await;
    let note = service.notes(&solar.id).await.unwrap().items.remove(0);
    service.update_note(&solar.id, &note.id, Some("Answered"), "They are green.").await.unwrap();
    let notes = service.notes(&solar.id).await.unwrap().items;
    assert!(notes.iter().any(|note| note.title == "Answered" && note.content == "They are green."), "{notes:?}");
}

#[tokio::test]
async fn a_document_that_is_a_source_says_what_the_document_says() {
    let world = World::new().await;
    let service = &world.service;
    let insert = |text: &str| json!({"requests": [{"insertText": {"location": {"index": 1}, "text": text}}]});
    let document: Value = serde_json::from_str(include_str!("../../fixtures/demo/project-plan.json")).unwrap();
    let id = world.google.import(document).unwrap();
    let made = service.create("Plan").await.unwrap();
    let mime = "application/vnd.google-apps.document".to_owned();
    let drive = NewSource::Drive { file: id.clone(), mime, title: "Project plan".into() };
    let source = service.add_sources(&made.id, &[drive]).await.unwrap().items.remove(0);
    world.admin("notebooks:clock", json!({"advance_ms": 60_000})).await;
    assert_eq!(service.freshness(&made.id, &source.id).await.unwrap(), Freshness::Fresh);
    world.admin(&format!("documents/{id}:edit"), insert("Written since. ")).await;
    assert_eq!(service.freshness(&made.id, &source.id).await.unwrap(), Freshness::Stale);
    let before = service.source_text(&made.id, &source.id).await.unwrap();
    assert!(!text(&before).contains("Written since"));
    service.refresh(&made.id, &source.id).await.unwrap();
    world.admin("notebooks:clock", json!({"advance_ms": 60_000})).await;
    let after = service.source_text(&made.id, &source.id).await.unwrap();
    assert!(text(&after).contains("Written since"), "{}", text(&after));
    assert_ne!(after.source.unwrap().revision, before.source.unwrap().revision);
}

#[tokio::test]
async fn a_question_is_answered_with_citations() {
    let world = World::new().await;
    let question = world.question("Balcony", "How many watts may be fed in?").await;
    let (answer, told) = world.ask(&question).await;
    let answer = answer.unwrap();
    let partial = told.iter().filter(|progress| matches!(progress, Progress::Partial(_))).count();
    assert!(partial > 1 && matches!(told[0], Progress::Thinking(_)), "{told:?}");
    let notebook = world.titled("Balcony").await;
    let citation = &answer.citations[0];
    let source = notebook.sources.iter().find(|source| Some(&source.id) == citation.source_id.as_ref()).unwrap();
    assert_eq!(source.revision, citation.revision_id);
    let cited = world.service.source_text(&notebook.id, &source.id).await.unwrap();
    assert!(text(&cited).contains(citation.excerpt.trim()), "{citation:?}");
    assert!(!answer.follow_ups.is_empty());
    let turns = world.service.turns(&notebook.id, 10).await.unwrap().turns;
    assert!(matches!(&turns[1].speaker, Speaker::Person(asked) if *asked == question.question), "{turns:?}");

    let long = ChatCall { question: "x".repeat(10_001), ..question.clone() };
    assert_eq!(fault(world.ask(&long).await.0), (NotebookFault::QuestionTooLong, false));
    let nothing = ChatCall { sources: Vec::new(), ..question.clone() };
    assert_eq!(fault(world.ask(&nothing).await.0), (NotebookFault::NoSources, false));
    world.service.cancel(&notebook.id).await.unwrap();
}

#[tokio::test]
async fn what_can_go_wrong_with_a_reading() {
    let world = World::new().await;
    for (kind, more, expected) in [
        ("429", json!({"retry_after": 7}), Some(NotebookFault::RateLimited)),
        ("500", json!({}), Some(NotebookFault::NetworkError)),
        ("503", json!({}), Some(NotebookFault::NetworkError)),
        // The page is opened anew, and the same is asked once more.
        ("stale_token", json!({}), None),
        ("expired_session", json!({}), None),
        ("interstitial", json!({}), None),
        ("stale_token", json!({"times": 2}), Some(NotebookFault::SessionExpired)),
        ("drop", json!({}), Some(NotebookFault::NetworkError)),
        ("lost_reply", json!({}), Some(NotebookFault::NetworkError)),
        ("cut_reply", json!({}), Some(NotebookFault::NetworkError)),
        ("truncated", json!({}), Some(NotebookFault::NetworkError)),
        ("rejected", json!({"code": 5}), Some(NotebookFault::NotFound)),
        ("rejected", json!({"code": 7}), Some(NotebookFault::NotFound)),
        ("rejected", json!({"code": 16}), None),
        ("displayable", json!({}), Some(NotebookFault::RateLimited)),
        ("id_rotated", json!({}), Some(NotebookFault::ParseError)),
        ("two_rows", json!({}), None),
    ] {
        world.service.notebooks().await.unwrap();
        world.fault("LIST_NOTEBOOKS", kind, more.clone()).await;
        let read = world.service.notebooks().await;
        let told = read.as_ref().err().map(Error::with_causes).unwrap_or_default();
        match (read, expected) {
            (Ok(listing), None) => assert_eq!(listing.items.len(), 3, "{kind}"),
            (Err(Error::Notebook { fault, outcome_unknown, retry_after, .. }), Some(expected)) => {
                assert_eq!((fault, outcome_unknown), (expected, false), "{kind} {more}: {told}");
                let wait = more.get("retry_after").and_then(Value::as_u64).map(Duration::from_secs);
                assert_eq!(retry_after, wait, "{kind}");
            }
            (other, _) => panic!("{kind} {more}: {other:?}"),
        }
        if kind == "id_rotated" {
            assert!(told.contains("expected an answer to `wXbhsf`, found"), "{told}");
        }
    }
}

#[tokio::test]
async fn nothing_is_added_twice() {
    let world = World::new().await;
    let made = world.service.create("Once").await.unwrap();
    let source = |number: usize| NewSource::Text { title: format!("Text {number}"), text: "Words.".into() };
    let cases = [
        ("stale_token", json!({}), None, 1),
        ("lost_reply", json!({}), Some((NotebookFault::NetworkError, true)), 1),
        ("cut_reply", json!({}), Some((NotebookFault::NetworkError, true)), 1),
        ("truncated", json!({}), Some((NotebookFault::NetworkError, true)), 1),
        ("id_rotated", json!({}), Some((NotebookFault::ParseError, true)), 1),
        ("interstitial", json!({}), Some((NotebookFault::AuthRequired, false)), 0),
        ("expired_session", json!({}), Some((NotebookFault::AuthRequired, false)), 0),
        ("rejected", json!({"code": 3}), Some((NotebookFault::UnsupportedUrl, false)), 0),
        ("error_stub", json!({}), Some((NotebookFault::ProcessingFailed, false)), 1),
        ("500", json!({}), Some((NotebookFault::NetworkError, true)), 0),
    ];
    let mut expected = 0;
    for (number, (kind, more, wrong, count)) in cases.into_iter().enumerate() {
        world.service.notebooks().await.unwrap();
        world.fault("ADD_SOURCE", kind, more).await;
        let added = world.service.add_sources(&made.id, &[source(number)]).await;
        match wrong {
            None => assert_eq!(added.unwrap().items.len(), 1, "{kind}"),
            Some(wrong) => assert_eq!(fault(added), wrong, "{kind}"),
        }
        expected += count;
        assert_eq!(world.service.notebook(&made.id).await.unwrap().sources.len(), expected, "{kind}");
    }
}

#[tokio::test]
async fn what_can_go_wrong_with_a_question() {
    let world = World::new().await;
    let question = world.question("Balcony", "How many watts?").await;
    for (kind, more, expected) in [
        ("stale_token", json!({}), None),
        ("quota_exhausted", json!({}), Some((NotebookFault::RateLimited, false))),
        ("unfinished", json!({}), Some((NotebookFault::Timeout, true))),
        ("stall", json!({"delay_ms": 10_000}), Some((NotebookFault::Timeout, true))),
        ("rejected", json!({"code": 8}), Some((NotebookFault::RateLimited, false))),
        ("429", json!({}), Some((NotebookFault::RateLimited, false))),
        ("500", json!({}), Some((NotebookFault::NetworkError, true))),
        ("lost_reply", json!({}), Some((NotebookFault::NetworkError, true))),
        ("expired_session", json!({}), Some((NotebookFault::AuthRequired, false))),
    ] {
        world.service.notebooks().await.unwrap();
        world.fault("CHAT", kind, more).await;
        let (answer, _) = world.ask(&question).await;
        match expected {
            None => assert!(!answer.unwrap().text.is_empty(), "{kind}"),
            Some(expected) => assert_eq!(fault(answer), expected, "{kind}"),
        }
    }
}

#[tokio::test]
async fn a_sign_in_is_noticed_without_a_restart() {
    let world = World::signed_out(Settings::default()).await;
    assert_eq!(fault(world.service.probe().await).0, NotebookFault::AuthRequired);
    world.browser.sign_in(DEMO_ACCOUNT).await;
    world.service.probe().await.unwrap();
    world.admin("notebooks:revoke", json!({"email": DEMO_ACCOUNT})).await;
    assert_eq!(fault(world.service.notebooks().await).0, NotebookFault::SessionExpired);
    assert_eq!(fault(world.service.notebooks().await).0, NotebookFault::AuthRequired);
    world.browser.sign_in("other@example.com").await;
    let signed_in = world.service.probe().await.unwrap();
    assert_eq!(signed_in.email.as_deref(), Some("other@example.com"));
    // What belongs to somebody else is not there.
    assert!(world.service.notebooks().await.unwrap().items.is_empty());
}

#[tokio::test]
async fn an_id_that_changed_can_be_set() {
    let overrides = Overrides::new([("LIST_NOTEBOOKS", "abCDe1")]).unwrap();
    let world = World::signed_out(Settings { overrides, ..Settings::default() }).await;
    world.browser.sign_in(DEMO_ACCOUNT).await;
    // The product of today does not know it, and what is asked by another id goes on.
    world.service.notebooks().await.unwrap_err();
    world.service.probe().await.unwrap();
}
