//! How the bridge comes to a daemon: waits for one that answers, has one started if need be, and greets one that is not
//! the client's first.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::Instant;

use super::answer::ErrorAnswer;
use super::conversation::{Conversation, Greeting};
use super::lines::{Line, LineReader, Outbox};
use super::socket;
use super::starting::{self, Started};
use crate::error::{Error, ErrorKind, Result};

/// How long a daemon may take to answer after it was started.
const START_WAIT: Duration = Duration::from_secs(10);
/// How long nobody may answer after the daemon that was started has ended: another one may have been faster.
const OTHER_WAIT: Duration = Duration::from_millis(500);
/// The pause between two tries to connect.
const TRY_PAUSE: Duration = Duration::from_millis(20);

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
    /// How long a tool may take, of those that heed that, where whoever started the bridge said so.
    pub timeout: Option<Duration>,
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

/// A connection to a daemon.
#[derive(Debug)]
pub(super) struct Daemon {
    pub(super) lines: LineReader<OwnedReadHalf>,
    pub(super) writer: OwnedWriteHalf,
    /// What it has not taken yet.
    pub(super) unsent: Outbox,
    /// Set once it takes nothing any more: how long what it has said is still listened to.
    pub(super) deaf_until: Option<Instant>,
}

/// Leads to a daemon, again and again.
#[derive(Debug)]
pub(super) struct Way {
    options: BridgeOptions,
    /// The daemon that was started last from here.
    started: Option<Started>,
    /// How many daemons answered.
    joined: u64,
}

impl Way {
    pub(super) fn new(options: BridgeOptions) -> Self {
        Self { options, started: None, joined: 0 }
    }

    /// Returns how many daemons answered, which tells the ids of what each is asked apart.
    pub(super) fn joined(&self) -> u64 {
        self.joined
    }

    /// Says what went wrong and what to do.
    pub(super) fn explain(&self, error: &Error) -> (String, String) {
        let is_missing = matches!(error, Error::NotRunning { .. });
        let suggestion = if is_missing { self.options.suggestion.clone() } else { error.suggestion() };
        (error.with_causes(), suggestion)
    }

    /// Connects, and greets a daemon that is not the client's first. One that is dying lets in whom it will not answer,
    /// so who is dropped before the greeting was answered tries again.
    pub(super) async fn connect(&mut self, conversation: &Conversation, patience: Duration) -> Result<Daemon> {
        let begun = Instant::now();
        self.started = None;
        loop {
            let stream = self.reach(patience, begun).await?;
            if !socket::connect_is_mine(&stream) {
                return Err(Error::Unsafe {
                    path: self.options.socket.clone(),
                    reason: "another user's process answers there".into(),
                });
            }
            self.joined += 1;
            let (read, writer) = stream.into_split();
            let (lines, unsent) = (LineReader::new(read), Outbox::default());
            let mut daemon = Daemon { lines, writer, unsent, deaf_until: None };
            let is_greeted = match conversation.greeting(self.joined) {
                Some(greeting) => greet(&mut daemon, &greeting).await?,
                None => true,
            };
            if is_greeted {
                return Ok(daemon);
            }
            if begun.elapsed() >= START_WAIT {
                return Err(Error::NotRunning { path: self.options.socket.clone() });
            }
            tokio::time::sleep(TRY_PAUSE).await;
        }
    }

    /// Waits for somebody who answers, and has a daemon started if need be. While one holds the home's lock it is
    /// about to answer or to end, and is waited for; once nobody has for as long as `patience`, one is started.
    async fn reach(&mut self, patience: Duration, begun: Instant) -> Result<UnixStream> {
        let run_dir = self.options.socket.parent().unwrap_or(&self.options.socket).to_owned();
        let mut unlocked_since = None;
        loop {
            match UnixStream::connect(&self.options.socket).await {
                Ok(stream) => return Ok(stream),
                Err(error) => tracing::debug!(%error, "no daemon answers yet"),
            }
            let now = Instant::now();
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
}

/// Greets a new daemon, and keeps the answer from the client, who has had one. `false` when that daemon goes away
/// meanwhile.
async fn greet(daemon: &mut Daemon, greeting: &Greeting) -> Result<bool> {
    let doing = "greeting the new daemon";
    let exchange = async {
        if say(&mut daemon.writer, &greeting.message).await.is_err() {
            return Ok(false);
        }
        loop {
            let line = match daemon.lines.next().await {
                Ok(Some(Line::Whole(line))) => line,
                Ok(Some(Line::TooLong(_))) => continue,
                Ok(None) | Err(_) => return Ok(false),
            };
            let answer = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            if answer.get("id") != greeting.message.get("id") {
                continue;
            }
            if !greeting.is_initialize {
                // Whatever it says: it answers.
                return Ok(true);
            }
            if answer.get("result").is_none() {
                return Err(broke(doing, io::Error::other("it refused the client's initialize")));
            }
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            return Ok(say(&mut daemon.writer, &ready).await.is_ok());
        }
    };
    match tokio::time::timeout(START_WAIT, exchange).await {
        Ok(greeted) => greeted,
        Err(_elapsed) => Err(broke(doing, io::ErrorKind::TimedOut.into())),
    }
}

async fn say(writer: &mut OwnedWriteHalf, message: &Value) -> io::Result<()> {
    writer.write_all(format!("{message}\n").as_bytes()).await
}

fn told(answer: &ErrorAnswer) -> Error {
    Error::Told { kind: ErrorKind::Daemon, message: answer.message.clone(), suggestion: answer.suggestion.clone() }
}

/// A stream that broke.
pub(super) fn broke(doing: &str, source: io::Error) -> Error {
    Error::Network { doing: doing.into(), outcome_unknown: false, source: Box::new(source) }
}
