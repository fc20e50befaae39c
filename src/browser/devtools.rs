//! Speaks the DevTools protocol: calls with numbers, sessions for pages, events. No call ever hangs: each has a deadline, and all
//! are answered when the browser ends.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/>

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::time::Instant;

use super::error::{Error, Result};
use super::transport::{MESSAGE_BYTES_MAX, Receiver, Sender};

/// How many messages may wait to be written.
const OUTGOING_MAX: usize = 256;

/// How many events of a page may wait for who listens; who is slower loses the oldest.
const EVENTS_MAX: usize = 1024;

/// When something must be done, and how long that was from its beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    at: Instant,
    given: Duration,
}

/// A connection to a browser; a clone is of the same one.
#[derive(Debug, Clone)]
pub(super) struct Client {
    outgoing: mpsc::Sender<String>,
    state: Arc<State>,
}

/// What a page's session is spoken to through.
#[derive(Debug, Clone)]
pub(super) struct Session {
    client: Client,
    link: Arc<Link>,
}

/// A call that was sent. Dropped, its answer is thrown away.
#[derive(Debug)]
pub(super) struct Call {
    id: u64,
    method: &'static str,
    reply: oneshot::Receiver<Result<Value>>,
    state: Arc<State>,
}

/// What a page tells unasked.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// An event of the protocol.
    Said { method: Arc<str>, params: Arc<Value> },
    /// The page is gone, and nothing more comes.
    Gone,
}

#[derive(Debug)]
struct Link {
    id: String,
    target: String,
    events: broadcast::Sender<Event>,
    gone: AtomicBool,
    /// How often its main frame went elsewhere.
    navigations: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    next_id: AtomicU64,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    ended: bool,
    calls: HashMap<u64, Waiting>,
    links: HashMap<String, Arc<Link>>,
}

#[derive(Debug)]
struct Waiting {
    session: Option<String>,
    method: &'static str,
    reply: oneshot::Sender<Result<Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Incoming<'a> {
    id: Option<u64>,
    method: Option<String>,
    session_id: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    result: Option<Value>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    code: i64,
    #[serde(default)]
    message: String,
}

impl Deadline {
    /// Allows `given` from now on.
    pub(super) fn after(given: Duration) -> Self {
        // Who allows more than the clock can say allows a day.
        let at = Instant::now().checked_add(given).unwrap_or_else(|| Instant::now() + Duration::from_secs(86_400));
        Self { at, given }
    }

    /// Returns the moment.
    pub(super) const fn at(&self) -> Instant {
        self.at
    }

    /// Returns the error that the time is over.
    pub(super) const fn over(&self, doing: &'static str, outcome_unknown: bool) -> Error {
        Error::TimedOut { doing, after: self.given, outcome_unknown }
    }
}

impl Client {
    /// Begins to speak. Two tasks run until the browser ends or all clones are dropped.
    pub(super) fn start(sender: Sender, receiver: Receiver) -> Self {
        let (outgoing, queue) = mpsc::channel(OUTGOING_MAX);
        let state = Arc::new(State::default());
        tokio::spawn(write(sender, queue, Arc::clone(&state)));
        tokio::spawn(read(receiver, outgoing.downgrade(), Arc::clone(&state)));
        Self { outgoing, state }
    }

    /// Tells whether the browser still listens.
    pub(super) fn is_open(&self) -> bool {
        !self.state.open().ended
    }

    /// Calls a method of the browser itself.
    ///
    /// # Errors
    ///
    /// `TimedOut` at the deadline; `Ended`; `Protocol` when the browser refuses.
    pub(super) async fn call(&self, method: &'static str, params: Value, deadline: Deadline) -> Result<Value> {
        self.begin(None, method, &params, deadline).await?.answer(deadline).await
    }

    /// Attaches to a target, such as a page.
    pub(super) async fn attach(&self, target: &str, deadline: Deadline) -> Result<Session> {
        let params = json!({"targetId": target, "flatten": true});
        let answer = self.call("Target.attachToTarget", params, deadline).await?;
        let link = Arc::new(Link {
            id: text(&answer, "sessionId"),
            target: target.to_owned(),
            events: broadcast::channel(EVENTS_MAX).0,
            gone: AtomicBool::new(false),
            navigations: AtomicU64::new(0),
        });
        let mut open = self.state.open();
        if open.ended {
            return Err(Error::Ended { doing: "Target.attachToTarget", outcome_unknown: false });
        }
        open.links.insert(link.id.clone(), Arc::clone(&link));
        drop(open);
        Ok(Session { client: self.clone(), link })
    }

    async fn begin(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: &Value,
        deadline: Deadline,
    ) -> Result<Call> {
        let id = self.state.next_id.fetch_add(1, Ordering::Relaxed);
        let text = message(Some(id), session, method, params)?;
        let (reply, receiver) = oneshot::channel();
        let ended = || Error::Ended { doing: method, outcome_unknown: false };
        {
            let mut open = self.state.open();
            if open.ended {
                return Err(ended());
            }
            let session = session.map(str::to_owned);
            open.calls.insert(id, Waiting { session, method, reply });
        }
        // From here on the call is taken out again, however this ends.
        let call = Call { id, method, reply: receiver, state: Arc::clone(&self.state) };
        match tokio::time::timeout_at(deadline.at, self.outgoing.send(text)).await {
            Ok(Ok(())) => Ok(call),
            Ok(Err(_closed)) => Err(ended()),
            Err(_elapsed) => Err(deadline.over(method, false)),
        }
    }

    /// Sends a command whose answer nobody waits for, as one that is dropped does.
    fn tell(&self, session: &str, method: &'static str, params: &Value) {
        let id = self.state.next_id.fetch_add(1, Ordering::Relaxed);
        let sent = message(Some(id), Some(session), method, params).map(|text| self.outgoing.try_send(text).is_ok());
        if !matches!(sent, Ok(true)) {
            tracing::debug!(method, "a browser was not told");
        }
    }
}

impl Session {
    /// Returns the page's target.
    pub(super) fn target(&self) -> &str {
        &self.link.target
    }

    /// Tells whether the page is gone.
    pub(super) fn is_gone(&self) -> bool {
        self.link.gone.load(Ordering::Acquire) || !self.client.is_open()
    }

    /// Returns how often the page went elsewhere.
    pub(super) fn navigations(&self) -> u64 {
        self.link.navigations.load(Ordering::Acquire)
    }

    /// Returns the events from now on.
    pub(super) fn events(&self) -> broadcast::Receiver<Event> {
        self.link.events.subscribe()
    }

    /// Calls a method of the page.
    ///
    /// # Errors
    ///
    /// `TimedOut` at the deadline; `Ended` and `PageLost`; `Protocol` when the browser refuses.
    pub(super) async fn call(&self, method: &'static str, params: Value, deadline: Deadline) -> Result<Value> {
        self.begin(method, &params, deadline).await?.answer(deadline).await
    }

    /// Sends a call and leaves the waiting to the caller.
    pub(super) async fn begin(&self, method: &'static str, params: &Value, deadline: Deadline) -> Result<Call> {
        if self.link.gone.load(Ordering::Acquire) {
            return Err(Error::PageLost { doing: method, outcome_unknown: false });
        }
        self.client.begin(Some(&self.link.id), method, params, deadline).await
    }

    /// Sends a command whose answer nobody waits for.
    pub(super) fn tell(&self, method: &'static str, params: &Value) {
        self.client.tell(&self.link.id, method, params);
    }
}

impl Call {
    /// Waits for the answer.
    pub(super) async fn answer(mut self, deadline: Deadline) -> Result<Value> {
        self.wait(deadline).await
    }

    /// Waits for the answer; a wait that is dropped may be begun again.
    pub(super) async fn wait(&mut self, deadline: Deadline) -> Result<Value> {
        match tokio::time::timeout_at(deadline.at, &mut self.reply).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_dropped)) => Err(Error::Ended { doing: self.method, outcome_unknown: true }),
            Err(_elapsed) => Err(deadline.over(self.method, true)),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        drop(self.state.open().calls.remove(&self.id));
    }
}

impl State {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers every call: nothing more comes.
    fn end(&self) {
        let mut open = self.open();
        open.ended = true;
        let (calls, links) = (std::mem::take(&mut open.calls), std::mem::take(&mut open.links));
        drop(open);
        for (_, waiting) in calls {
            answer(waiting, |method| Err(Error::Ended { doing: method, outcome_unknown: true }));
        }
        links.values().for_each(|link| link.lose());
    }

    /// Answers every call of a page that is gone: the browser itself leaves some without an answer then.
    fn lose(&self, is_it: impl Fn(&Link) -> bool) {
        let mut open = self.open();
        let lost: Vec<_> = open.links.extract_if(|_, link| is_it(link)).map(|(_, link)| link).collect();
        let is_lost = |waiting: &Waiting| lost.iter().any(|link| Some(&link.id) == waiting.session.as_ref());
        let calls: Vec<_> = open.calls.extract_if(|_, waiting| is_lost(waiting)).map(|(_, waiting)| waiting).collect();
        drop(open);
        lost.iter().for_each(|link| link.lose());
        for waiting in calls {
            answer(waiting, |method| Err(Error::PageLost { doing: method, outcome_unknown: true }));
        }
    }

    fn take(&self, bytes: &[u8], outgoing: &mpsc::WeakSender<String>) {
        let Ok(incoming) = serde_json::from_slice::<Incoming<'_>>(bytes) else {
            tracing::debug!(bytes = bytes.len(), "a message of the browser could not be read");
            return;
        };
        if let Some(id) = incoming.id {
            let Some(waiting) = self.open().calls.remove(&id) else { return };
            answer(waiting, |method| match incoming.error {
                Some(refusal) => Err(refused(method, &refusal)),
                None => Ok(incoming.result.unwrap_or_default()),
            });
        } else if let Some(method) = incoming.method {
            let params = incoming.params.map_or("{}", RawValue::get);
            self.hear(&method, incoming.session_id.as_deref(), params, outgoing);
        }
    }

    fn hear(&self, method: &str, session: Option<&str>, params: &str, outgoing: &mpsc::WeakSender<String>) {
        let parsed = || serde_json::from_str::<Value>(params).unwrap_or_default();
        match (method, session) {
            ("Target.detachedFromTarget", _) => {
                let session = text(&parsed(), "sessionId");
                self.lose(|link| link.id == session);
            }
            ("Target.targetCrashed" | "Target.targetDestroyed", None) => {
                let target = text(&parsed(), "targetId");
                self.lose(|link| link.target == target);
            }
            ("Inspector.targetCrashed", Some(session)) => self.lose(|link| link.id == session),
            (_, Some(session)) => {
                let Some(link) = self.open().links.get(session).cloned() else { return };
                if method == "Page.frameNavigated" && parsed().pointer("/frame/parentId").is_none() {
                    link.navigations.fetch_add(1, Ordering::AcqRel);
                }
                // A page that asks its person waits for an answer, and every script in it with it. Nobody is there.
                if method == "Page.javascriptDialogOpening" {
                    let id = self.next_id.fetch_add(1, Ordering::Relaxed);
                    let params = json!({"accept": false});
                    let no = message(Some(id), Some(session), "Page.handleJavaScriptDialog", &params);
                    let sent = outgoing.upgrade().zip(no.ok()).map(|(outgoing, no)| outgoing.try_send(no).is_ok());
                    tracing::debug!(?sent, "a dialog of a page was dismissed");
                }
                if link.events.receiver_count() > 0 {
                    link.send(Event::Said { method: method.into(), params: Arc::new(parsed()) });
                }
            }
            (_, None) => {}
        }
    }
}

impl Link {
    fn lose(&self) {
        self.gone.store(true, Ordering::Release);
        self.send(Event::Gone);
    }

    fn send(&self, event: Event) {
        // Nobody need listen.
        let _listeners: usize = self.events.send(event).unwrap_or_default();
    }
}

async fn write(mut sender: Sender, mut queue: mpsc::Receiver<String>, state: Arc<State>) {
    while let Some(text) = queue.recv().await {
        if let Err(error) = sender.send(text).await {
            tracing::debug!(%error, "a browser reads no more");
            state.end();
            return;
        }
    }
    sender.close().await;
}

async fn read(mut receiver: Receiver, outgoing: mpsc::WeakSender<String>, state: Arc<State>) {
    loop {
        match receiver.receive().await {
            Ok(Some(bytes)) => state.take(&bytes, &outgoing),
            Ok(None) => break,
            Err(error) => {
                tracing::debug!(%error, "a browser cannot be read");
                break;
            }
        }
    }
    state.end();
}

fn answer(waiting: Waiting, with: impl FnOnce(&'static str) -> Result<Value>) {
    let Waiting { method, reply, .. } = waiting;
    // Who asked may have gone.
    let _unheard: Option<Result<Value>> = reply.send(with(method)).err();
}

/// What a refusal means: the protocol has one number for nearly all of them, so its words are looked at.
fn refused(method: &'static str, refusal: &Refusal) -> Error {
    let says = |words: &[&str]| words.iter().any(|word| refusal.message.contains(word));
    // These are said before anything was done.
    if says(&["Cannot find context", "Session with given id not found", "No session with given id"]) {
        return Error::PageLost { doing: method, outcome_unknown: false };
    }
    if says(&["context was destroyed", "navigated or closed", "Promise was collected", "arget closed", "active page"]) {
        return Error::PageLost { doing: method, outcome_unknown: true };
    }
    Error::Protocol { method, code: refusal.code }
}

fn message(id: Option<u64>, session: Option<&str>, method: &str, params: &Value) -> Result<String> {
    let mut message = json!({"id": id, "method": method, "params": params});
    if let Some(session) = session {
        message["sessionId"] = session.into();
    }
    let text = message.to_string();
    if text.len() > MESSAGE_BYTES_MAX {
        return Err(Error::InvalidInput { what: "a request is too large".into(), suggestion: "send it in parts" });
    }
    Ok(text)
}

/// Returns a text of an answer; empty when there is none.
pub(super) fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
