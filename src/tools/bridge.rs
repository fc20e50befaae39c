//! What MCP clients start: joins their stdio to the daemon's socket, and outlives the daemon.
//!
//! Clients do not start a stdio server again that went away, so a plain pump of bytes would die with the daemon for the
//! rest of their session. The bridge reads just enough of each message to know what is in flight: when the daemon goes
//! it fails those requests, connects again, plays the client's `initialize` to the new daemon, and announces that the
//! lists may have changed.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

use super::socket;
use crate::error::{Error, Result};

/// How long a daemon may take to answer after it was started.
const START_WAIT: Duration = Duration::from_secs(10);
/// How long a daemon that went away is given to come back by itself before one is started.
const RETURN_WAIT: Duration = Duration::from_millis(1500);
/// The pause between two tries to connect.
const TRY_PAUSE: Duration = Duration::from_millis(50);
/// How long answers are waited for after the client closed its side.
const DRAIN_WAIT: Duration = Duration::from_secs(3);
/// Messages read ahead from either side.
const QUEUE_MESSAGES: usize = 64;
/// The most requests of a client in flight; more than any client has, and a bound on what is remembered.
const IN_FLIGHT_MAX: usize = 1024;
/// The JSON-RPC error of a request whose daemon went away.
const DAEMON_GONE: i64 = -32000;

/// Where the bridge leads and what it may start.
#[derive(Debug, Clone)]
pub struct BridgeOptions {
    /// The daemon's MCP socket.
    pub socket: PathBuf,
    /// The command that starts a daemon, program first; `None` when none may be started.
    pub daemon: Option<Vec<std::ffi::OsString>>,
    /// What a person should do when no daemon answers and none can be started.
    pub suggestion: String,
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
    let mut bridge = Bridge { options, output, sender, daemon: None, generation: 0, memory: Memory::default() };
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
    in_flight: HashMap<String, Value>,
    /// Whether the client has ever had an answer to `initialize`.
    initialized: bool,
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
    generation: u64,
    memory: Memory,
}

impl<W: AsyncWrite + Unpin + Send> Bridge<W> {
    async fn client_said(&mut self, line: Vec<u8>) -> Result<()> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let head = serde_json::from_slice::<Head>(&line).ok();
        let request = head.and_then(|head| Some((head.id.filter(|id| !id.is_null())?, head.method?)));
        if self.daemon.is_none()
            && let Err(error) = self.connect(START_WAIT, true).await
        {
            return match request {
                Some((id, _)) => self.tell(&failure(&id, &error.to_string(), &self.options.suggestion)).await,
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
            self.memory.in_flight.insert(id.to_string(), id);
        }
        if self.send(&line).await.is_err() {
            return self.daemon_gone().await;
        }
        Ok(())
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
        if let Ok(Head { id: Some(id), method: None }) = serde_json::from_slice::<Head>(line) {
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

    /// Fails what was in flight, and connects again at once where the client would notice nothing else: a client of the
    /// old era was promised a living session. One of the new era has none; its next request connects.
    async fn daemon_gone(&mut self) -> Result<()> {
        self.daemon = None;
        // A later event of this connection says nothing new.
        self.generation += 1;
        for (_, id) in std::mem::take(&mut self.memory.in_flight) {
            let what = "the daemon was restarted while this request was at work; its outcome is unknown";
            self.tell(&failure(&id, what, "Look what became of it, then ask again.")).await?;
        }
        if self.memory.initialized
            && let Err(error) = self.connect(RETURN_WAIT, false).await
            && let Err(error) = self.connect(START_WAIT, true).await.map_err(|later| (error, later))
        {
            tracing::warn!(error = %error.1, "the daemon does not come back; the next request tries again");
        }
        Ok(())
    }

    /// Connects within `wait`, starting a daemon if `may_start` and none answers.
    async fn connect(&mut self, wait: Duration, may_start: bool) -> Result<()> {
        let deadline = tokio::time::Instant::now() + wait;
        let mut tried_to_start = !may_start;
        let stream = loop {
            match UnixStream::connect(&self.options.socket).await {
                Ok(stream) => break stream,
                Err(error) => {
                    tracing::debug!(%error, "no daemon answers yet");
                    if !tried_to_start {
                        tried_to_start = true;
                        let Some(command) = self.options.daemon.clone() else {
                            return Err(Error::NotRunning { path: self.options.socket.clone() });
                        };
                        start_daemon(&self.options.socket, &command)?;
                    } else if tokio::time::Instant::now() >= deadline {
                        return Err(Error::NotRunning { path: self.options.socket.clone() });
                    }
                    tokio::time::sleep(TRY_PAUSE).await;
                }
            }
        };
        if !socket::connect_is_mine(&stream) {
            return Err(Error::Unsafe {
                path: self.options.socket.clone(),
                reason: "another user's process answers there".into(),
            });
        }
        let (read, write) = stream.into_split();
        let mut reader = BufReader::new(read);
        self.daemon = Some(write);
        if self.memory.initialized
            && let Err(error) = self.introduce(&mut reader).await
        {
            self.daemon = None;
            return Err(error);
        }
        self.generation += 1;
        tokio::spawn(read_daemon(reader, self.generation, self.sender.clone()));
        Ok(())
    }

    /// Plays the client's `initialize` to a new daemon, keeps the answer from the client, who has had one, and tells the
    /// client that the lists may have changed.
    async fn introduce(&mut self, reader: &mut BufReader<OwnedReadHalf>) -> Result<()> {
        let Some(mut message) = self.memory.initialize.clone() else { return Ok(()) };
        let doing = "greeting the new daemon";
        let id = Value::from(format!("mcp-workspace-bridge-{}", self.generation));
        message["id"] = id.clone();
        self.send(message.to_string().as_bytes()).await.map_err(|source| broke(doing, source))?;
        let deadline = tokio::time::Instant::now() + START_WAIT;
        let mut line = Vec::new();
        loop {
            match tokio::time::timeout_at(deadline, socket::read_line(reader, &mut line)).await {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => return Err(broke(doing, io::ErrorKind::UnexpectedEof.into())),
                Ok(Err(source)) => return Err(broke(doing, source)),
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
        self.send(ready.to_string().as_bytes()).await.map_err(|source| broke(doing, source))?;
        for list in ["tools", "resources"] {
            let method = format!("notifications/{list}/list_changed");
            self.tell(&json!({ "jsonrpc": "2.0", "method": method })).await?;
        }
        Ok(())
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

    /// The client closed its side: gives it the answers that are still on their way.
    async fn drain(&mut self, events: &mut mpsc::Receiver<DaemonEvent>) {
        let deadline = tokio::time::Instant::now() + DRAIN_WAIT;
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

/// Starts a daemon that outlives us. Under a lock, so that several bridges that start together start one; a loser's
/// daemon would only find the place taken and end.
fn start_daemon(socket: &std::path::Path, command: &[std::ffi::OsString]) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::NotRunning { path: socket.into() });
    };
    let run_dir = socket.parent().unwrap_or(socket);
    socket::prepare_run_dir(run_dir)?;
    let lock = socket::open_lock(&run_dir.join("start.lock"))?;
    match fs4::FileExt::try_lock(&lock) {
        Ok(()) => {}
        Err(fs4::TryLockError::WouldBlock) => return Ok(()),
        Err(fs4::TryLockError::Error(source)) => {
            return Err(Error::Disk { path: run_dir.join("start.lock"), doing: "locked", source });
        }
    }
    let log = socket::open_log(&run_dir.join("daemon.log")).map_or_else(
        |error| {
            tracing::warn!(%error, "the daemon's log cannot be written");
            Stdio::null()
        },
        Stdio::from,
    );
    let mut child = std::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        // A group of its own: Ctrl-C in the client's terminal must not reach it.
        .process_group(0)
        .spawn()
        .map_err(|source| Error::Disk { path: PathBuf::from(program), doing: "started", source })?;
    // The lock is held until the daemon answers or ends, and the child is reaped if it ends before us.
    let socket = socket.to_owned();
    std::thread::spawn(move || {
        let deadline = std::time::Instant::now() + START_WAIT;
        while std::time::Instant::now() < deadline && std::os::unix::net::UnixStream::connect(&socket).is_err() {
            if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            std::thread::sleep(TRY_PAUSE);
        }
        drop(lock);
        if let Err(error) = child.wait() {
            tracing::debug!(%error, "the daemon was not ours to wait for");
        }
    });
    Ok(())
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
