//! A page of a browser: it goes to places, runs scripts and asks servers.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::sync::broadcast::error::RecvError;
use url::Url;

use super::devtools::{Client, Deadline, Event, Session, text};
use super::error::{Error, Result};
use super::fetch::{Fetch, Fetched, Stream};

/// How long the setting up of a page may take.
const OPEN_WAIT: Duration = Duration::from_secs(30);

/// The name of the world beside the page from which it asks servers.
const WORLD: &str = "mcp-workspace";

const COURIER: &str = include_str!("fetch.js");

const NAVIGATING: &str = "opening a page";
const RUNNING: &str = "running a script";

/// A page. It is shared by reference: several requests may run at once, while going elsewhere ends them.
#[derive(Debug)]
pub struct Page {
    session: Session,
    frame: String,
    world: Mutex<Option<World>>,
    next_fetch: AtomicU64,
}

/// Where a page has landed.
#[derive(Clone, PartialEq, Eq)]
pub struct Landed {
    /// The URL at the end of all redirects by servers. A script of the page may go on from there.
    pub url: String,
    /// The status of HTTP of that document; `None` where there is none, as for a place within the same document.
    pub status: Option<u16>,
}

/// A world beside the page, and how often the page had gone elsewhere when it was made: it ends with the document.
#[derive(Debug, Clone, Copy)]
struct World {
    context: i64,
    navigations: u64,
}

/// What the events of a page told of its documents, by the loader of each.
#[derive(Debug, Default)]
struct Seen {
    documents: HashMap<String, Landed>,
    ready: Vec<String>,
    /// The loader of the newest document of the main frame.
    newest: Option<String>,
}

impl Page {
    /// Opens a session with the page `target` and sets it up.
    pub(super) async fn attach(client: &Client, target: &str) -> Result<Self> {
        let deadline = Deadline::after(OPEN_WAIT);
        let session = client.attach(target, deadline).await?;
        // The network's events tell the status of a document and why a request failed; bodies are not to be kept for us.
        let little = json!({"maxTotalBufferSize": 1, "maxResourceBufferSize": 1, "maxPostDataSize": 0});
        for (method, params) in [
            ("Inspector.enable", json!({})),
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
            ("Network.enable", little),
        ] {
            session.call(method, params, deadline).await?;
        }
        let tree = session.call("Page.getFrameTree", json!({}), deadline).await?;
        let frame = tree.pointer("/frameTree/frame").map(|frame| text(frame, "id")).unwrap_or_default();
        Ok(Self { session, frame, world: Mutex::default(), next_fetch: AtomicU64::new(1) })
    }

    /// Tells whether the page can still be used: it has not crashed, and its browser runs.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.session.is_gone()
    }

    pub(super) fn target(&self) -> &str {
        self.session.target()
    }

    /// Goes to `url` and waits until its document is read, within `deadline`. Pictures and scripts may still load then.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for a URL that is none of http or https, nor `about:blank`; `Network` when nothing answers; `TimedOut`,
    /// `Ended` and `PageLost`. The outcome never counts as unknown: a page is opened by reading.
    pub async fn navigate(&self, url: &Url, deadline: Duration) -> Result<Landed> {
        if !matches!(url.scheme(), "http" | "https") && url.as_str() != "about:blank" {
            return Err(Error::InvalidInput {
                what: "the page's URL cannot be opened".into(),
                suggestion: "give one of http or https",
            });
        }
        let landed = self.go(url, Deadline::after(deadline)).await;
        landed.map_err(|error| error.during(NAVIGATING).harmless())
    }

    async fn go(&self, url: &Url, deadline: Deadline) -> Result<Landed> {
        let mut events = self.session.events();
        let mut seen = Seen::default();
        let going = self.session.call("Page.navigate", json!({"url": url.as_str()}), deadline);
        tokio::pin!(going);
        // Events are taken while the answer is awaited, so that a busy page cannot crowd out those that count.
        let answer = loop {
            tokio::select! {
                answer = &mut going => break answer?,
                event = events.recv() => seen.take(event, &self.frame)?,
            }
        };
        let failed = text(&answer, "errorText");
        if !failed.is_empty() {
            let code = failed.strip_prefix("net::").unwrap_or(&failed).to_owned();
            return Err(Error::Network { doing: NAVIGATING, code, outcome_unknown: false });
        }
        let loader = text(&answer, "loaderId");
        // A place within the same document has no loader, and is there at once.
        if loader.is_empty() {
            let at = self.run("location.href", deadline).await?;
            return Ok(Landed { url: at.as_str().unwrap_or_default().to_owned(), status: None });
        }
        loop {
            if let Some(landed) = seen.landed(&loader) {
                return Ok(landed);
            }
            let event = tokio::time::timeout_at(deadline.at(), events.recv()).await;
            seen.take(event.map_err(|_elapsed| deadline.over(NAVIGATING, false))?, &self.frame)?;
        }
    }

    /// Runs `expression` in the page, among its own scripts, and returns its value as JSON; a promise is awaited.
    ///
    /// # Errors
    ///
    /// `Script` when it throws, or its value is not JSON; `TimedOut`, `Ended` and `PageLost`, in which it may have run.
    pub async fn evaluate(&self, expression: &str, deadline: Duration) -> Result<Value> {
        self.run(expression, Deadline::after(deadline)).await.map_err(|error| error.during(RUNNING))
    }

    /// Calls `function` in the page, the source of one such as `(a, b) => a + b`, with JSON arguments.
    ///
    /// # Errors
    ///
    /// As [`Self::evaluate`].
    pub async fn call(&self, function: &str, arguments: &[Value], deadline: Duration) -> Result<Value> {
        // JSON is a part of the language, so an argument stays an argument whatever stands in it.
        let arguments = Value::from(arguments.to_vec());
        self.evaluate(&format!("({function})(...{arguments})"), deadline).await
    }

    async fn run(&self, expression: &str, deadline: Deadline) -> Result<Value> {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        value(&self.session.call("Runtime.evaluate", params, deadline).await?)
    }

    /// Asks a server as the page would, with its cookies, and returns the whole answer. The page must be at the site that is
    /// asked, else the browser may hide the answer. Dropped, it ends the request.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for what a page cannot ask; `Network`, `TimedOut`, `Ended` and `PageLost`, which tell whether the request may
    /// have been carried out; `TooLarge`. A status such as 500 is no error.
    pub async fn fetch(&self, fetch: &Fetch) -> Result<Fetched> {
        self.stream(fetch).await?.whole().await
    }

    /// Asks a server as [`Self::fetch`] does, and returns when the answer begins; its text comes in pieces.
    ///
    /// # Errors
    ///
    /// As [`Self::fetch`].
    pub async fn stream(&self, fetch: &Fetch) -> Result<Stream> {
        fetch.check()?;
        let id = self.next_fetch.fetch_add(1, Ordering::Relaxed);
        let deadline = Deadline::after(fetch.deadline);
        let prepare = |error: Error| error.during("preparing to fetch").harmless();
        let world = self.world(deadline).await.map_err(prepare)?;
        match Stream::begin(&self.session, world, id, fetch).await {
            // The page went elsewhere before the request was made, so it is made from where the page is now.
            Err(Error::PageLost { outcome_unknown: false, .. }) if self.is_open() => {
                *self.world.lock().await = None;
                let world = self.world(deadline).await.map_err(prepare)?;
                Stream::begin(&self.session, world, id, fetch).await
            }
            begun => begun,
        }
    }

    /// Returns the world beside the page, and makes it when the document is a new one.
    async fn world(&self, deadline: Deadline) -> Result<i64> {
        let mut world = self.world.lock().await;
        let navigations = self.session.navigations();
        if let Some(made) = *world
            && made.navigations == navigations
        {
            return Ok(made.context);
        }
        let params = json!({"frameId": self.frame, "worldName": WORLD});
        let made = self.session.call("Page.createIsolatedWorld", params, deadline).await?;
        let context = made.get("executionContextId").and_then(Value::as_i64).unwrap_or_default();
        let params = json!({"expression": COURIER, "contextId": context});
        value(&self.session.call("Runtime.evaluate", params, deadline).await?)?;
        *world = Some(World { context, navigations });
        Ok(context)
    }
}

impl Seen {
    fn take(&mut self, event: Result<Event, RecvError>, frame: &str) -> Result<()> {
        match event {
            Ok(Event::Said { method, params }) => self.hear(&method, &params, frame),
            // What was lost is told by the deadline at worst.
            Err(RecvError::Lagged(events)) => tracing::debug!(events, "a page told more than could be heard"),
            Ok(Event::Gone) | Err(RecvError::Closed) => {
                return Err(Error::PageLost { doing: NAVIGATING, outcome_unknown: false });
            }
        }
        Ok(())
    }

    fn hear(&mut self, method: &Arc<str>, params: &Value, frame: &str) {
        let loader = text(params, "loaderId");
        match method.as_ref() {
            "Network.responseReceived" if text(params, "type") == "Document" && text(params, "frameId") == frame => {
                let Some(answer) = params.get("response") else { return };
                let status = answer.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
                self.documents.insert(loader, Landed { url: text(answer, "url"), status });
            }
            "Page.lifecycleEvent" if text(params, "name") == "DOMContentLoaded" && text(params, "frameId") == frame => {
                self.ready.push(loader);
            }
            "Page.frameNavigated" => {
                let Some(navigated) = params.get("frame").filter(|navigated| text(navigated, "id") == frame) else {
                    return;
                };
                let loader = text(navigated, "loaderId");
                let url = text(navigated, "url");
                self.documents.entry(loader.clone()).or_insert(Landed { url, status: None });
                self.newest = Some(loader);
            }
            _ => {}
        }
    }

    /// Returns where the page landed, once the document is read: that of `loader`, or one that took its place meanwhile.
    fn landed(&self, loader: &str) -> Option<Landed> {
        let current = self.newest.as_deref().unwrap_or(loader);
        [loader, current]
            .iter()
            .find(|loader| self.ready.iter().any(|ready| ready == *loader))
            .and_then(|loader| self.documents.get(*loader).cloned())
    }
}

/// Returns the value of what ran.
fn value(answer: &Value) -> Result<Value> {
    if let Some(thrown) = answer.get("exceptionDetails") {
        let class = thrown.get("exception").map(|thrown| text(thrown, "className")).unwrap_or_default();
        // A page may name its classes as it likes, and say something by that.
        let is_word = (1..=40).contains(&class.len()) && class.bytes().all(|byte| byte.is_ascii_alphanumeric());
        return Err(Error::Script { class: if is_word { class } else { "no error".into() } });
    }
    // `undefined` has no value.
    Ok(answer.pointer("/result/value").cloned().unwrap_or_default())
}

impl fmt::Debug for Landed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Landed").field("status", &self.status).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(seen: &mut Seen, method: &str, params: &Value) {
        seen.hear(&method.into(), params, "F");
    }

    fn answered(loader: &str, frame: &str, status: u16) -> Value {
        let response = json!({"url": format!("http://{loader}/"), "status": status});
        json!({"loaderId": loader, "frameId": frame, "type": "Document", "response": response})
    }

    fn ready(loader: &str) -> Value {
        json!({"loaderId": loader, "frameId": "F", "name": "DOMContentLoaded"})
    }

    #[test]
    fn a_page_has_landed_when_its_document_is_read() {
        let mut seen = Seen::default();
        hear(&mut seen, "Network.responseReceived", &answered("1", "F", 404));
        hear(&mut seen, "Network.responseReceived", &answered("2", "inner", 200));
        assert_eq!(seen.landed("1"), None);
        hear(&mut seen, "Page.lifecycleEvent", &ready("1"));
        let landed = seen.landed("1").unwrap();
        assert_eq!((landed.url.as_str(), landed.status), ("http://1/", Some(404)));
    }

    #[test]
    fn a_script_that_goes_on_at_once_is_followed() {
        let mut seen = Seen::default();
        hear(&mut seen, "Network.responseReceived", &answered("1", "F", 200));
        hear(&mut seen, "Network.responseReceived", &answered("2", "F", 200));
        hear(&mut seen, "Page.frameNavigated", &json!({"frame": {"id": "F", "loaderId": "2", "url": "http://2/"}}));
        assert_eq!(seen.landed("1"), None);
        hear(&mut seen, "Page.lifecycleEvent", &ready("2"));
        assert_eq!(seen.landed("1").unwrap().url, "http://2/");
    }

    #[test]
    fn what_was_thrown_is_told_by_its_class_alone() {
        let thrown =
            |class: &str| json!({"exceptionDetails": {"exception": {"className": class, "description": "secret"}}});
        let said = |class: &str| value(&thrown(class)).unwrap_err().to_string();
        assert!(said("TypeError").contains("(TypeError)"));
        assert!(!said("a secret!").contains("secret"));
        assert_eq!(value(&json!({"result": {"value": 1}})).unwrap(), json!(1));
        assert_eq!(value(&json!({"result": {"type": "undefined"}})).unwrap(), Value::Null);
    }
}
