//! What MCP clients start: joins their stdio to the daemon's socket, and outlives the daemon.
//!
//! Clients do not start a stdio server again that went away, so a plain pump of bytes would die with the daemon for the
//! rest of their session. The bridge reads just enough of each message to know what is in flight: when the daemon goes
//! it fails those requests, connects again, plays the client's `initialize` to the new daemon, and announces that the
//! lists may have changed. What only asks is asked once more instead. Whatever goes wrong is told in MCP, as the answer to
//! what the client asked.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

use super::answer::ErrorAnswer;
use super::socket;
use super::starting::{self, Started};
use super::watching::WATCHED_MAX;
use crate::error::{Error, ErrorKind, Result};

/// How long a daemon may take to answer after it was started.
const START_WAIT: Duration = Duration::from_secs(10);
/// How long a home whose daemon went away is left to a service manager, which starts it again at once, before a daemon is
/// started from here. Well below the second within which a client should be served again.
const RETURN_WAIT: Duration = Duration::from_millis(300);
/// How long nobody may answer after the daemon that was started has ended: another one may have been faster.
const OTHER_WAIT: Duration = Duration::from_millis(500);
/// The pause between two tries to connect.
const TRY_PAUSE: Duration = Duration::from_millis(20);
/// Messages read ahead from either side.
const QUEUE_MESSAGES: usize = 64;
/// The most requests of a client in flight; more than any client has, and a bound on what is remembered.
const IN_FLIGHT_MAX: usize = 1024;
/// How the ids of the bridge's own requests begin.
const OWN_ID: &str = "mcp-workspace-bridge-";
/// The JSON-RPC error of a line that is no JSON.
const PARSE_ERROR: i64 = -32700;
/// The JSON-RPC error of a request whose daemon went away.
const DAEMON_GONE: i64 = -32000;
/// Requests that only ask: one that a daemon took with it is asked of the next.
const ASKING: [&str; 7] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];
/// How many daemons are asked: one that went, one that still let us in while it did, and a new one. More would be a request
/// that no daemon survives.
const ASKED_MAX: u32 = 3;
/// The longest such request that is kept for that.
const KEPT_BYTES_MAX: usize = 64 * 1024;

/// Where the bridge leads and what it may start.
#[derive(Debug, Clone)]
pub struct BridgeOptions {
    /// The daemon's MCP socket.
    pub socket: PathBuf,
    /// Who starts a daemon when none answers.
    pub starter: Starter,
    /// What a person should do when no daemon answers and none can be started.
    pub suggestion: String,
    /// How long answers are waited for after the client closed its side.
    pub drain: Duration,
}

/// Who starts a daemon when none answers.
#[derive(Debug, Clone)]
pub enum Starter {
    /// Nobody.
    Nobody,
    /// Somebody else, who is about it; the cell says why nothing comes of it.
    Another(Arc<OnceLock<ErrorAnswer>>),
    /// The bridge, with this command, program first.
    Command(Vec<OsString>),
}

/// Answers all that a client asks with one error until it closes its side, for whoever cannot even look for a daemon.
///
/// # Errors
///
/// `Network` when the client's side breaks.
pub async fn refuse<R, W>(answer: ErrorAnswer, input: R, output: W) -> Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send,
{
    let suggestion = answer.suggestion.clone();
    let starter = Starter::Another(Arc::new(OnceLock::from(answer)));
    let options = BridgeOptions { socket: PathBuf::new(), starter, suggestion, drain: Duration::ZERO };
    bridge(options, input, output).await
}

/// Joins `input` and `output` to the daemon until the client closes its side.
///
/// # Errors
///
/// `Network` when the client's side breaks. A daemon that cannot be reached is told to the client instead.
pub async fn bridge<R, W>(options: BridgeOptions, input: R, output: W) -> Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send,
{
    let (sender, mut events) = mpsc::channel(QUEUE_MESSAGES);
    let (lines, mut client_lines) = mpsc::channel(QUEUE_MESSAGES);
    tokio::spawn(read_client(input, lines));
    let memory = Memory::default();
    let mut bridge = Bridge { options, output, sender, daemon: None, started: None, generation: 0, memory };
    let result = loop {
        tokio::select! {
            line = client_lines.recv() => match line {
                Some(Ok(line)) => bridge.client_said(line).await?,
                Some(Err(error)) => break Err(client_broke(error)),
                None => break Ok(()),
            },
            Some(event) = events.recv() => bridge.daemon_event(event).await?,
        }
    };
    bridge.drain(&mut events).await;
    result
}

/// What the daemon's side said, and on which of its connections.
enum DaemonEvent {
    Line(u64, Vec<u8>),
    Gone(u64),
}

/// What must be known of the conversation to carry it to another daemon.
#[derive(Debug, Default)]
struct Memory {
    /// The client's `initialize`, in the era that has it.
    initialize: Option<Value>,
    /// Requests without an answer yet, by the JSON of their id.
    in_flight: HashMap<String, InFlight>,
    /// Whether the client has ever had an answer to `initialize`.
    initialized: bool,
    /// The addresses of the resources that the client has subscribed to.
    watched: BTreeSet<String>,
}

impl Memory {
    /// Notes what a client of the old era watches, and what no longer.
    fn note_watched(&mut self, method: &str, line: &[u8]) {
        let is_new = match method {
            "resources/subscribe" => true,
            "resources/unsubscribe" => false,
            _ => return,
        };
        let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
        let Some(uri) = message.pointer("/params/uri").and_then(Value::as_str) else { return };
        if !is_new {
            self.watched.remove(uri);
        } else if self.watched.len() < WATCHED_MAX {
            self.watched.insert(uri.to_owned());
        }
    }
}

/// A request without an answer.
#[derive(Debug)]
struct InFlight {
    id: Value,
    /// The whole request, if it only asks.
    again: Option<Vec<u8>>,
    /// How many daemons have been asked.
    asked: u32,
}

/// Tells whether a text in a message is none, such as half of an emoji.
fn has_broken_text(line: &[u8]) -> bool {
    line.windows(2).any(|pair| pair == b"\\u") && serde_json::from_slice::<Value>(line).is_err()
}

/// The little that is read of each message.
#[derive(Debug, Deserialize)]
struct Head {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
}

struct Bridge<W> {
    options: BridgeOptions,
    output: W,
    sender: mpsc::Sender<DaemonEvent>,
    daemon: Option<OwnedWriteHalf>,
    /// The daemon that was started last from here.
    started: Option<Started>,
    generation: u64,
    memory: Memory,
}

impl<W: AsyncWrite + Unpin + Send> Bridge<W> {
    async fn client_said(&mut self, line: Vec<u8>) -> Result<()> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let head = serde_json::from_slice::<Head>(&line).ok();
        if head.is_none() || has_broken_text(&line) {
            // The daemon would drop it, and the client would wait for ever.
            let id = head.and_then(|head| head.id).unwrap_or_default();
            let error = json!({ "code": PARSE_ERROR, "message": "this line is no JSON-RPC message that can be read" });
            return self.tell(&json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
        }
        if head.as_ref().and_then(|head| head.method.as_deref()) == Some("notifications/cancelled") {
            self.forget_cancelled(&line);
        }
        let request = head.and_then(|head| Some((head.id.filter(|id| !id.is_null())?, head.method?)));
        if self.daemon.is_none()
            && let Err(error) = self.connect(Duration::ZERO).await
        {
            return match request {
                Some((id, _)) => self.tell_failed(&id, &error).await,
                None => Ok(()),
            };
        }
        if let Some((id, method)) = request {
            if self.memory.in_flight.len() >= IN_FLIGHT_MAX {
                return self.tell(&failure(&id, "too many requests are waiting", "Wait for answers.")).await;
            }
            if method == "initialize" {
                self.memory.initialize = serde_json::from_slice(&line).ok();
            }
            self.memory.note_watched(&method, &line);
            let asks = ASKING.contains(&method.as_str()) && line.len() <= KEPT_BYTES_MAX;
            let again = asks.then(|| line.clone());
            self.memory.in_flight.insert(id.to_string(), InFlight { id, again, asked: 1 });
        }
        if self.send(&line).await.is_err() {
            return self.daemon_gone().await;
        }
        Ok(())
    }

    /// A request that the client has taken back gets no answer, so none is waited for.
    fn forget_cancelled(&mut self, line: &[u8]) {
        let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
        if let Some(id) = message.pointer("/params/requestId") {
            self.memory.in_flight.remove(&id.to_string());
        }
    }

    async fn daemon_event(&mut self, event: DaemonEvent) -> Result<()> {
        match event {
            DaemonEvent::Line(generation, line) if generation == self.generation => self.daemon_said(&line).await,
            DaemonEvent::Gone(generation) if generation == self.generation => self.daemon_gone().await,
            // A connection that was already given up.
            DaemonEvent::Line(..) | DaemonEvent::Gone(_) => Ok(()),
        }
    }

    async fn daemon_said(&mut self, line: &[u8]) -> Result<()> {
        if line.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            tracing::warn!("the daemon said what is no message; the client does not hear it");
            return Ok(());
        }
        if let Ok(Head { id: Some(id), method: None }) = serde_json::from_slice::<Head>(line) {
            if id.as_str().is_some_and(|id| id.starts_with(OWN_ID)) {
                // What was asked for the client, who has had an answer from another daemon.
                return Ok(());
            }
            let begun = self.memory.initialize.as_ref().and_then(|message| message.get("id"));
            if begun == Some(&id) {
                self.memory.initialized = true;
            }
            self.memory.in_flight.remove(&id.to_string());
        }
        self.output.write_all(line).await.map_err(client_broke)?;
        self.output.write_all(b"\n").await.map_err(client_broke)?;
        self.output.flush().await.map_err(client_broke)
    }

    /// Fails what was in flight and may have been carried out, and connects again at once where the client would notice
    /// nothing else: a client of the old era was promised a living session. One of the new era has none; its next request
    /// connects. What only asked is asked again.
    async fn daemon_gone(&mut self) -> Result<()> {
        self.daemon = None;
        // A later event of this connection says nothing new.
        self.generation += 1;
        let mut again = Vec::new();
        for (_, request) in std::mem::take(&mut self.memory.in_flight) {
            let Some(line) = request.again.filter(|_| request.asked < ASKED_MAX) else {
                let what = "the daemon was restarted while this request was at work; its outcome is unknown";
                self.tell(&failure(&request.id, what, "Look what became of it, then ask again.")).await?;
                continue;
            };
            again.push((request.id, line, request.asked));
        }
        if again.is_empty() && !self.memory.initialized {
            return Ok(());
        }
        if let Err(error) = self.connect(RETURN_WAIT).await {
            tracing::warn!(%error, "the daemon does not come back; the next request tries again");
            for (id, ..) in again {
                self.tell_failed(&id, &error).await?;
            }
            return Ok(());
        }
        for (id, line, asked) in again {
            let request = InFlight { id, again: Some(line.clone()), asked: asked + 1 };
            self.memory.in_flight.insert(request.id.to_string(), request);
            if self.send(&line).await.is_err() {
                tracing::debug!("the new daemon is gone, too; its end is an event of its own");
            }
        }
        Ok(())
    }

    /// Connects, and greets a daemon that is not the first. One that is dying lets in whom it will not answer, so who is
    /// dropped before the greeting was answered tries again.
    async fn connect(&mut self, patience: Duration) -> Result<()> {
        let begun = tokio::time::Instant::now();
        self.started = None;
        loop {
            let stream = self.reach(patience, begun).await?;
            if !socket::connect_is_mine(&stream) {
                return Err(Error::Unsafe {
                    path: self.options.socket.clone(),
                    reason: "another user's process answers there".into(),
                });
            }
            let (read, write) = stream.into_split();
            let mut reader = BufReader::new(read);
            self.daemon = Some(write);
            let greeted = if self.memory.initialized { self.introduce(&mut reader).await } else { Ok(true) };
            if matches!(greeted, Ok(true)) {
                self.generation += 1;
                tokio::spawn(read_daemon(reader, self.generation, self.sender.clone()));
                return Ok(());
            }
            self.daemon = None;
            greeted?;
            if begun.elapsed() >= START_WAIT {
                return Err(Error::NotRunning { path: self.options.socket.clone() });
            }
            tokio::time::sleep(TRY_PAUSE).await;
        }
    }

    /// Waits for somebody who answers, and has a daemon started if need be. While one holds the home's lock it is about to
    /// answer or to end, and is waited for; once nobody has for as long as `patience`, one is started.
    async fn reach(&mut self, patience: Duration, begun: tokio::time::Instant) -> Result<UnixStream> {
        let run_dir = self.options.socket.parent().unwrap_or(&self.options.socket).to_owned();
        let mut unlocked_since = None;
        loop {
            match UnixStream::connect(&self.options.socket).await {
                Ok(stream) => return Ok(stream),
                Err(error) => tracing::debug!(%error, "no daemon answers yet"),
            }
            let now = tokio::time::Instant::now();
            let not_running = Error::NotRunning { path: self.options.socket.clone() };
            if now - begun >= START_WAIT {
                return Err(not_running);
            }
            match &self.options.starter {
                Starter::Nobody if now - begun >= patience => return Err(not_running),
                Starter::Another(failed) => {
                    if let Some(answer) = failed.get() {
                        return Err(told(answer));
                    }
                }
                Starter::Command(_) if socket::is_locked(&run_dir) => unlocked_since = None,
                Starter::Command(command) => {
                    let unlocked = now - *unlocked_since.get_or_insert(now);
                    match &self.started {
                        None if unlocked >= patience => {
                            self.started = starting::start_daemon(&self.options.socket, command, START_WAIT)?;
                        }
                        Some(started) if started.has_ended() && unlocked >= OTHER_WAIT => {
                            return Err(told(&started.last_words(&self.options.suggestion)));
                        }
                        None | Some(_) => {}
                    }
                }
                Starter::Nobody => {}
            }
            tokio::time::sleep(TRY_PAUSE).await;
        }
    }

    /// Plays the client's `initialize` to a new daemon, keeps the answer from the client, who has had one, and tells the
    /// client that the lists may have changed. `false` when that daemon goes away meanwhile.
    async fn introduce(&mut self, reader: &mut BufReader<OwnedReadHalf>) -> Result<bool> {
        let Some(mut message) = self.memory.initialize.clone() else { return Ok(true) };
        let doing = "greeting the new daemon";
        let id = Value::from(format!("{OWN_ID}{}", self.generation));
        message["id"] = id.clone();
        if self.send(message.to_string().as_bytes()).await.is_err() {
            return Ok(false);
        }
        let deadline = tokio::time::Instant::now() + START_WAIT;
        let mut line = Vec::new();
        loop {
            match tokio::time::timeout_at(deadline, socket::read_line(reader, &mut line)).await {
                Ok(Ok(true)) => {}
                Ok(Err(source)) if source.kind() == io::ErrorKind::InvalidData => return Err(broke(doing, source)),
                Ok(Ok(false) | Err(_)) => return Ok(false),
                Err(_elapsed) => return Err(broke(doing, io::ErrorKind::TimedOut.into())),
            }
            let answer = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            if answer.get("id") == Some(&id) {
                if answer.get("result").is_none() {
                    return Err(broke(doing, io::Error::other("it refused the client's initialize")));
                }
                break;
            }
        }
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        if self.send(ready.to_string().as_bytes()).await.is_err() {
            return Ok(false);
        }
        for (at, uri) in self.memory.watched.clone().into_iter().enumerate() {
            let (id, params) = (format!("{OWN_ID}{}-{at}", self.generation), json!({ "uri": uri }));
            let subscribe = json!({ "jsonrpc": "2.0", "id": id, "method": "resources/subscribe", "params": params });
            if self.send(subscribe.to_string().as_bytes()).await.is_err() {
                return Ok(false);
            }
            // What changed while nobody looked is not told by itself.
            let method = "notifications/resources/updated";
            self.tell(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await?;
        }
        for list in ["tools", "resources"] {
            let method = format!("notifications/{list}/list_changed");
            self.tell(&json!({ "jsonrpc": "2.0", "method": method })).await?;
        }
        Ok(true)
    }

    async fn send(&mut self, line: &[u8]) -> io::Result<()> {
        let Some(daemon) = &mut self.daemon else { return Err(io::ErrorKind::NotConnected.into()) };
        daemon.write_all(line).await?;
        daemon.write_all(b"\n").await
    }

    async fn tell(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        self.output.write_all(line.as_bytes()).await.map_err(client_broke)?;
        self.output.flush().await.map_err(client_broke)
    }

    async fn tell_failed(&mut self, id: &Value, error: &Error) -> Result<()> {
        let is_missing = matches!(error, Error::NotRunning { .. });
        let suggestion = if is_missing { self.options.suggestion.clone() } else { error.suggestion() };
        self.tell(&failure(id, &error.with_causes(), &suggestion)).await
    }

    /// The client closed its side: gives it the answers that are still on their way.
    async fn drain(&mut self, events: &mut mpsc::Receiver<DaemonEvent>) {
        let deadline = tokio::time::Instant::now() + self.options.drain;
        while self.daemon.is_some() && !self.memory.in_flight.is_empty() {
            let Ok(Some(event)) = tokio::time::timeout_at(deadline, events.recv()).await else { return };
            let DaemonEvent::Line(generation, line) = event else { return };
            if generation == self.generation && self.daemon_said(&line).await.is_err() {
                return;
            }
        }
    }
}

async fn read_client<R: AsyncRead + Unpin>(input: R, lines: mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut reader = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        let read = socket::read_line(&mut reader, &mut line).await;
        let message = match read {
            Ok(true) => Ok(line),
            Ok(false) => return,
            Err(error) => Err(error),
        };
        let broken = message.is_err();
        if lines.send(message).await.is_err() || broken {
            return;
        }
    }
}

async fn read_daemon(mut reader: BufReader<OwnedReadHalf>, generation: u64, events: mpsc::Sender<DaemonEvent>) {
    loop {
        let mut line = Vec::new();
        match socket::read_line(&mut reader, &mut line).await {
            Ok(true) => {
                if events.send(DaemonEvent::Line(generation, line)).await.is_err() {
                    return;
                }
            }
            Ok(false) => break,
            Err(error) => {
                tracing::warn!(%error, "the daemon's side broke");
                break;
            }
        }
    }
    if events.send(DaemonEvent::Gone(generation)).await.is_err() {
        tracing::debug!("the bridge is ending");
    }
}

fn told(answer: &ErrorAnswer) -> Error {
    Error::Told { kind: ErrorKind::Daemon, message: answer.message.clone(), suggestion: answer.suggestion.clone() }
}

fn failure(id: &Value, what: &str, suggestion: &str) -> Value {
    let message = format!("{what}. {suggestion}");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": DAEMON_GONE, "message": message } })
}

fn client_broke(source: io::Error) -> Error {
    broke("speaking with the client", source)
}

fn broke(doing: &str, source: io::Error) -> Error {
    Error::Network { doing: doing.into(), outcome_unknown: false, source: Box::new(source) }
}
