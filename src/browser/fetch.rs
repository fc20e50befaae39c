//! Asks a server from inside a page, as the page itself would: with its cookies, which never leave the browser.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use url::Url;

use super::devtools::{Call, Deadline, Event, Session, text};
use super::error::{Error, Result};

/// The headers of an answer that are told, where the page may see them.
const HEADERS: [&str; 5] = ["content-type", "content-length", "etag", "location", "retry-after"];

/// How much of an answer comes at a time when all of it is wanted.
const WHOLE_BYTES: usize = 1024 * 1024;

const DOING: &str = "fetching";

/// A request.
#[derive(Clone)]
pub struct Fetch {
    /// Where to: http or https, absolute.
    pub url: Url,
    /// How, such as `GET` or `POST`.
    pub method: String,
    /// Headers by name. Those that a page may not set, such as `Cookie` and `Origin`, are the browser's whatever stands here.
    pub headers: Vec<(String, String)>,
    /// What is sent, if anything.
    pub body: Option<String>,
    /// Whether to go where the server sends on to; else such an answer is told with the status 0 and `redirected`. One that
    /// leads to another site usually fails when followed, since that does not allow the page to read it.
    pub follow: bool,
    /// How long all of it may take, the reading of the answer included.
    pub deadline: Duration,
    /// The most bytes of the answer, as they are without compression.
    pub limit_bytes: usize,
}

/// How an answer begins.
#[derive(Clone, PartialEq, Eq)]
pub struct Head {
    /// The status of HTTP; 0 for an answer that leads elsewhere and was not followed.
    pub status: u16,
    /// Where the answer came from; empty when it was not followed.
    pub final_url: String,
    /// Whether the server sent on to another place.
    pub redirected: bool,
    /// `content-type`, `content-length`, `etag`, `location` and `retry-after`, where there are.
    pub headers: BTreeMap<String, String>,
}

/// A whole answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its beginning.
    pub head: Head,
    /// Its text, read as UTF-8; what is none became U+FFFD.
    pub body: String,
}

/// An answer that comes in pieces. Dropped, it ends the request in the page.
pub struct Stream {
    running: Running,
    head: Head,
    waiting: Option<Call>,
}

/// A request that the page makes. Dropped, it is ended there.
struct Running {
    session: Session,
    world: i64,
    id: u64,
    events: broadcast::Receiver<Event>,
    url: String,
    method: String,
    limit_bytes: usize,
    deadline: Deadline,
    /// How often the page had gone elsewhere when it began.
    navigations: u64,
    started: bool,
    done: bool,
}

/// What the page says of a request.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Failed {
        failed: String,
    },
    Large {
        #[serde(rename = "large")]
        _large: bool,
    },
    Piece {
        text: String,
        done: bool,
    },
    Head {
        status: u16,
        url: String,
        redirected: bool,
        headers: BTreeMap<String, String>,
    },
}

impl Fetch {
    /// Makes a request that reads: followed, of at most 30 s and 16 MiB.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self {
            url,
            method: "GET".into(),
            headers: Vec::new(),
            body: None,
            follow: true,
            deadline: Duration::from_secs(30),
            limit_bytes: 16 * 1024 * 1024,
        }
    }

    /// Makes a request that sends `body`, otherwise as [`Self::get`].
    #[must_use]
    pub fn post(url: Url, content_type: &str, body: String) -> Self {
        let headers = vec![("content-type".into(), content_type.into())];
        Self { method: "POST".into(), headers, body: Some(body), ..Self::get(url) }
    }

    /// Makes sure that a page can make it.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &str, suggestion| Err(Error::InvalidInput { what: what.into(), suggestion });
        if !matches!(self.url.scheme(), "http" | "https")
            || !self.url.username().is_empty()
            || self.url.password().is_some()
        {
            return wrong(
                "the request's URL cannot be fetched",
                "give one of http or https, without a name or password",
            );
        }
        let is_reading = matches!(self.method.as_str(), "GET" | "HEAD");
        if !self.method.bytes().all(|byte| byte.is_ascii_uppercase()) || self.method.is_empty() {
            return wrong("the request's method is none", "give one such as GET or POST");
        }
        if is_reading && self.body.is_some() {
            return wrong("the request reads, and sends something", "leave the body out, or use POST");
        }
        Ok(())
    }
}

impl Stream {
    /// Begins a request in the world `world` of a page; `id` is used for none before it.
    ///
    /// # Errors
    ///
    /// As [`Page::stream`](super::Page::stream).
    pub(super) async fn begin(session: &Session, world: i64, id: u64, fetch: &Fetch) -> Result<Self> {
        let deadline = Deadline::after(fetch.deadline);
        let mut running = Running {
            session: session.clone(),
            world,
            id,
            events: session.events(),
            url: fetch.url.to_string(),
            method: fetch.method.clone(),
            limit_bytes: fetch.limit_bytes,
            deadline,
            navigations: session.navigations(),
            started: false,
            done: false,
        };
        let request = json!({
            "url": fetch.url.as_str(), "method": fetch.method, "headers": fetch.headers, "body": fetch.body,
            "follow": fetch.follow, "limit": fetch.limit_bytes, "names": HEADERS,
        });
        let call =
            running.call("start", "function(id, request) { return courier.start(id, request); }", request).await?;
        match running.said(call.answer(deadline).await)? {
            Said::Head { status, url, redirected, headers } => {
                running.started = true;
                let head = Head { status, final_url: url, redirected, headers };
                Ok(Self { running, head, waiting: None })
            }
            Said::Failed { .. } | Said::Large { .. } | Said::Piece { .. } => Err(unexpected()),
        }
    }

    /// Returns how the answer begins.
    #[must_use]
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Waits for the next piece of the text; `None` at the end. Pieces are cut between characters. A wait that is dropped may be
    /// begun again: nothing is lost by that.
    ///
    /// # Errors
    ///
    /// As [`Page::stream`](super::Page::stream).
    pub async fn next(&mut self) -> Result<Option<String>> {
        self.at_least(0).await
    }

    async fn at_least(&mut self, bytes: usize) -> Result<Option<String>> {
        while !self.running.done {
            let call = match &mut self.waiting {
                Some(call) => call,
                None => {
                    let function = "function(id, enough) { return courier.next(id, enough); }";
                    let call = self.running.call("next", function, bytes.into()).await?;
                    self.waiting.insert(call)
                }
            };
            let answer = call.wait(self.running.deadline).await;
            self.waiting = None;
            let Said::Piece { text, done } = self.running.said(answer)? else { return Err(unexpected()) };
            self.running.done = done;
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Reads all that is left.
    pub(super) async fn whole(mut self) -> Result<Fetched> {
        let mut body = String::new();
        while let Some(text) = self.at_least(WHOLE_BYTES).await? {
            body.push_str(&text);
        }
        Ok(Fetched { head: self.head.clone(), body })
    }
}

impl Running {
    /// Sends a call of the page's courier.
    async fn call(&self, what: &'static str, function: &str, argument: Value) -> Result<Call> {
        let params = json!({
            "functionDeclaration": function, "executionContextId": self.world, "awaitPromise": true, "returnByValue": true,
            "arguments": [{"value": self.id}, {"value": argument}],
        });
        let begun = self.session.begin("Runtime.callFunctionOn", &params, self.deadline).await;
        // Nothing was sent to the server when the first call could not be; later ones only read its answer.
        begun.map_err(|error| {
            let error = error.during(DOING);
            if what == "start" { error.harmless() } else { error.in_doubt() }
        })
    }

    /// Reads what the page said, and why it failed if it did.
    fn said(&mut self, answer: Result<Value>) -> Result<Said> {
        let answer = answer.map_err(|error| error.during(DOING))?;
        if answer.get("exceptionDetails").is_some() {
            // The courier catches all that it throws, so it is not there: the page went elsewhere.
            return Err(Error::PageLost { doing: DOING, outcome_unknown: self.started });
        }
        let value = answer.pointer("/result/value").cloned().unwrap_or_default();
        let said = serde_json::from_value(value).map_err(|_error: serde_json::Error| unexpected())?;
        match said {
            // What was caught is a failure of the network, or of a page that is being left.
            Said::Failed { failed } => {
                self.done = true;
                if self.session.navigations() != self.navigations {
                    return Err(Error::PageLost { doing: DOING, outcome_unknown: true });
                }
                let code = self.code().unwrap_or(failed);
                // Chromium sends a request again by itself when a connection that it kept has closed, so even a failure to connect
                // does not show that nothing arrived.
                Err(Error::Network { doing: DOING, code, outcome_unknown: true })
            }
            Said::Large { .. } => {
                self.done = true;
                Err(Error::TooLarge { limit_bytes: self.limit_bytes })
            }
            said @ (Said::Piece { .. } | Said::Head { .. }) => Ok(said),
        }
    }

    /// Finds Chromium's own word for why the request failed: a page is not told it.
    fn code(&mut self) -> Option<String> {
        let mut ids = Vec::new();
        let mut code = None;
        loop {
            match self.events.try_recv() {
                Ok(Event::Said { method, params }) => {
                    code = failure(&mut ids, (&self.method, &self.url), &method, &params).or(code);
                }
                Ok(Event::Gone) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return code,
            }
        }
    }
}

/// Looks for the failure of a request among the events of the network; `ids` are those that it has there.
fn failure(ids: &mut Vec<String>, request: (&str, &str), event: &Arc<str>, params: &Value) -> Option<String> {
    let id = text(params, "requestId");
    match event.as_ref() {
        "Network.requestWillBeSent" => {
            let sent = params.get("request")?;
            if text(sent, "method") == request.0 && text(sent, "url") == request.1 {
                ids.push(id);
            }
            None
        }
        "Network.loadingFailed" if ids.contains(&id) => {
            if params.get("corsErrorStatus").is_some() {
                return Some("ERR_CORS".into());
            }
            let code = text(params, "errorText");
            Some(code.strip_prefix("net::").unwrap_or(&code).to_owned()).filter(|code| !code.is_empty())
        }
        _ => None,
    }
}

fn unexpected() -> Error {
    Error::Network { doing: DOING, code: "an unexpected answer of the page".into(), outcome_unknown: true }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.done {
            let params = json!({
                "functionDeclaration": "function(id) { courier.stop(id); }", "executionContextId": self.world,
                "arguments": [{"value": self.id}],
            });
            self.session.tell("Runtime.callFunctionOn", &params);
        }
    }
}

// URLs and bodies are a person's, so none of these shows them.

impl fmt::Debug for Fetch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.body.as_ref().map(String::len);
        let mut shown = formatter.debug_struct("Fetch");
        shown.field("method", &self.method).field("host", &self.url.host_str()).field("body_bytes", &bytes);
        shown.field("deadline", &self.deadline).field("limit_bytes", &self.limit_bytes).finish_non_exhaustive()
    }
}

impl fmt::Debug for Head {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Head");
        shown.field("status", &self.status).field("redirected", &self.redirected).finish_non_exhaustive()
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Fetched").field("head", &self.head).field("body_bytes", &self.body.len()).finish()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stream").field("head", &self.head).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_what_a_page_can_ask_is_asked() {
        let get = || Fetch::get(url("https://a.test/x?secret=1"));
        assert!(get().check().is_ok());
        for wrong in [
            Fetch::get(url("file:///etc/passwd")),
            Fetch::get(url("https://me:word@a.test/")),
            Fetch { method: "get it".into(), ..get() },
            Fetch { method: String::new(), ..get() },
            Fetch { body: Some(String::new()), ..get() },
        ] {
            assert!(matches!(wrong.check(), Err(Error::InvalidInput { .. })), "{wrong:?}");
        }
    }

    #[test]
    fn nothing_of_a_person_is_shown() {
        let fetch = Fetch::post(url("https://a.test/x?secret=1"), "text/plain", "secret".into());
        let head = Head {
            status: 200,
            final_url: "https://a.test/?secret".into(),
            redirected: true,
            headers: BTreeMap::new(),
        };
        let fetched = Fetched { head, body: "secret".into() };
        let shown = format!("{fetch:?} {fetched:?}");
        assert!(!shown.contains("secret") && shown.contains("a.test"), "{shown}");
    }

    #[test]
    fn the_failure_of_the_very_request_is_found() {
        let sent = |id: &str, url: &str| json!({"requestId": id, "request": {"method": "GET", "url": url}});
        let failed = |id: &str| json!({"requestId": id, "errorText": "net::ERR_NAME_NOT_RESOLVED"});
        let mut ids = Vec::new();
        let mut hear = |method: &str, params: Value| failure(&mut ids, ("GET", "http://a/"), &method.into(), &params);
        assert_eq!(hear("Network.requestWillBeSent", sent("1", "http://b/")), None);
        assert_eq!(hear("Network.requestWillBeSent", sent("2", "http://a/")), None);
        assert_eq!(hear("Network.loadingFailed", failed("1")), None);
        assert_eq!(hear("Network.loadingFailed", failed("2")).as_deref(), Some("ERR_NAME_NOT_RESOLVED"));
    }
}
