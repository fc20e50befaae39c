//! What MCP clients start: joins their stdio to the daemon's socket, and outlives the daemon.
//!
//! Clients do not start a stdio server again that went away, so a plain pump of bytes would die with the daemon for
//! the rest of their session. The bridge reads just enough of each message to know what is in flight: when the daemon
//! goes it fails those requests, connects again, plays the client's `initialize` to the new daemon, and announces
//! that the lists may have changed. What only asks is asked once more instead. Whatever goes wrong is told in MCP, as
//! the answer to what the client asked.
//!
//! It listens to each side while it writes to the other, so that two who both wait to be read are. What waits to be
//! written is little: a side is not read while what it says has nowhere to go.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::answer::ErrorAnswer;
use super::conversation::{self, Conversation, Said, failure};
use super::lines::{Line, LineReader, Outbox};
use super::reaching::{BridgeOptions, Daemon, Starter, Way, broke};
use super::socket::LINE_BYTES_MAX;
use crate::error::{Error, Result};

/// How long a home whose daemon went away is left to a service manager, which starts it again at once, before a
/// daemon is started from here. Well below the second within which a client should be served again.
const RETURN_WAIT: Duration = Duration::from_millis(300);
/// How long a daemon that takes nothing any more is listened to: it has ended, and what it said before is on its way.
const LAST_WORDS_WAIT: Duration = Duration::from_secs(2);
/// How long the client may take to read the last answers after it closed its side.
const LAST_READ_WAIT: Duration = Duration::from_secs(1);
/// From so many bytes on that the client has not read nobody is listened to.
const UNREAD_BYTES_MAX: usize = 64 * 1024;

/// Answers all that a client asks with one error until it closes its side, for whoever cannot even look for a daemon.
///
/// # Errors
///
/// `Network` when the client's side breaks.
pub async fn refuse<R, W>(answer: ErrorAnswer, input: R, output: W) -> Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let suggestion = answer.suggestion.clone();
    let starter = Starter::Another(Arc::new(OnceLock::from(answer)));
    let options = BridgeOptions { socket: PathBuf::new(), starter, suggestion, drain: Duration::ZERO, timeout: None };
    bridge(options, input, output).await
}

/// Joins `input` and `output` to the daemon until the client closes either of them; what is in flight then is waited
/// for as long as `options` say.
///
/// # Errors
///
/// `Network` when the client's side breaks otherwise than by being closed. A daemon that cannot be reached is told to
/// the client instead.
pub async fn bridge<R, W>(options: BridgeOptions, input: R, output: W) -> Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let (drain, timeout) = (options.drain, options.timeout);
    let mut bridge = Bridge {
        client: LineReader::new(input),
        is_asking: true,
        output,
        unread: Outbox::default(),
        broken: None,
        way: Way::new(options),
        daemon: None,
        conversation: Conversation::default(),
        timeout,
    };
    let end = loop {
        match bridge.step().await {
            Step::Client(Ok(Some(line))) => bridge.client_said(line).await,
            Step::Client(Ok(None)) => break None,
            Step::Client(Err(error)) => break Some(error),
            Step::Daemon(Ok(Some(line))) => bridge.daemon_said(line),
            Step::Daemon(Ok(None) | Err(_)) | Step::Deaf => bridge.daemon_gone().await,
            Step::ToClient(written) => bridge.wrote_to_client(written),
            Step::ToDaemon(written) => bridge.wrote_to_daemon(written),
        }
        if let Some(error) = bridge.broken.take() {
            break Some(error);
        }
    };
    bridge.drain(drain).await;
    match end {
        // Whoever closes its ears leaves as well as one who closes its mouth.
        Some(error) if !matches!(error.kind(), io::ErrorKind::BrokenPipe) => Err(client_broke(error)),
        Some(_) | None => Ok(()),
    }
}

/// What happened next.
enum Step {
    Client(io::Result<Option<Line>>),
    Daemon(io::Result<Option<Line>>),
    ToClient(io::Result<()>),
    ToDaemon(io::Result<()>),
    /// The daemon has been listened to for long enough after it stopped listening.
    Deaf,
}

struct Bridge<R, W> {
    client: LineReader<R>,
    /// Whether the client is listened to.
    is_asking: bool,
    output: W,
    /// What the client has not read yet.
    unread: Outbox,
    /// Why the client can be told nothing any more.
    broken: Option<io::Error>,
    way: Way,
    daemon: Option<Daemon>,
    conversation: Conversation,
    timeout: Option<Duration>,
}

impl<R, W> Bridge<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    /// Reads or writes a piece on whichever side can go on. Nothing is lost when the future is dropped.
    async fn step(&mut self) -> Step {
        let has_room = self.unread.bytes() < UNREAD_BYTES_MAX;
        let (mut lines, mut sending, mut deaf_until) = (None, None, None);
        let mut is_taken = true;
        if let Some(daemon) = &mut self.daemon {
            is_taken = daemon.unsent.is_empty() && daemon.deaf_until.is_none();
            lines = has_room.then_some(&mut daemon.lines);
            deaf_until = daemon.deaf_until;
            if deaf_until.is_none() {
                sending = Some((&mut daemon.unsent, &mut daemon.writer));
            }
        }
        let client = (self.is_asking && has_room && is_taken).then_some(&mut self.client);
        tokio::select! {
            line = next(client) => Step::Client(line),
            line = next(lines) => Step::Daemon(line),
            written = self.unread.write(&mut self.output) => Step::ToClient(written),
            written = write(sending) => Step::ToDaemon(written),
            () = at(deaf_until) => Step::Deaf,
        }
    }

    async fn client_said(&mut self, line: Line) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong(skim) => return self.tell(&self.conversation.refuse(conversation::too_long(skim))),
        };
        let said = match conversation::read(&line) {
            Said::Blank => return,
            Said::Unreadable(refusal) => return self.tell(&self.conversation.refuse(refusal)),
            said @ (Said::Request { .. } | Said::Other(_)) => said,
        };
        if let Said::Request { id, .. } = &said
            && let Err(answer) = self.conversation.admit(id)
        {
            return self.tell(&answer);
        }
        if self.daemon.is_none()
            && let Err(error) = self.connect(Duration::ZERO).await
        {
            if let Said::Request { id, .. } = said {
                let (what, suggestion) = self.way.explain(&error);
                self.tell(&failure(id, &what, &suggestion));
            }
            return;
        }
        self.conversation.note(&said, &line);
        let timed = self.timeout.and_then(|timeout| conversation::with_timeout(&said, &line, timeout));
        let line = timed.unwrap_or(line);
        if let Some(daemon) = &mut self.daemon {
            daemon.unsent.push(line);
        }
    }

    fn daemon_said(&mut self, line: Line) {
        match line {
            Line::Whole(line) => {
                let heard = self.conversation.hear(&line);
                if heard.is_for_client {
                    self.unread.push(line);
                }
                if heard.is_last {
                    self.daemon_stops();
                }
            }
            Line::TooLong(skim) => {
                if let Some(id) = skim.answered_id().filter(|id| self.conversation.settle(id)) {
                    let what = format!("the answer is longer than {} MiB", LINE_BYTES_MAX >> 20);
                    self.tell(&failure(id, &what, "Ask for less at once."));
                }
            }
        }
    }

    /// Fails what was in flight and may have been carried out, and connects again at once where the client would
    /// notice nothing else: a client of the old era was promised a living session. One of the new era has none; its
    /// next request connects. What only asks is asked again.
    async fn daemon_gone(&mut self) {
        let Some(daemon) = self.daemon.take() else { return };
        let lost = self.conversation.lose(daemon.unsent.into_unwritten());
        for answer in &lost.failed {
            self.tell(answer);
        }
        if lost.again.is_empty() && !self.conversation.has_session() {
            return;
        }
        if let Err(error) = self.connect(RETURN_WAIT).await {
            tracing::warn!(%error, "the daemon does not come back; the next request tries again");
            let (what, suggestion) = self.way.explain(&error);
            return self.fail(&what, &suggestion);
        }
        if let Some(daemon) = &mut self.daemon {
            lost.again.into_iter().for_each(|line| daemon.unsent.push(line));
        }
    }

    /// Connects, while the client goes on reading what it was told, and carries its session over.
    async fn connect(&mut self, patience: Duration) -> Result<()> {
        let mut daemon = {
            let mut connecting = std::pin::pin!(self.way.connect(&self.conversation, patience));
            loop {
                tokio::select! {
                    connected = &mut connecting => break connected?,
                    written = self.unread.write(&mut self.output) => {
                        if let Err(error) = written {
                            self.unread.close();
                            let kind = error.kind();
                            self.broken = Some(error);
                            return Err(client_broke(kind.into()));
                        }
                    }
                }
            }
        };
        if self.conversation.has_session() {
            let (asked, told) = self.conversation.carry_over(self.way.joined());
            asked.iter().for_each(|message| daemon.unsent.push(message.to_string().into_bytes()));
            told.iter().for_each(|message| self.tell(message));
        }
        self.daemon = Some(daemon);
        Ok(())
    }

    fn wrote_to_client(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.unread.close();
            self.broken = Some(error);
        }
    }

    /// A daemon that takes nothing any more has ended, but what it said before is still to be heard.
    fn wrote_to_daemon(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            tracing::debug!(%error, "the daemon takes nothing any more");
            self.daemon_stops();
        }
    }

    /// What the client asks from here on waits for the next daemon: this one would read it and take it along.
    fn daemon_stops(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            daemon.deaf_until.get_or_insert_with(|| Instant::now() + LAST_WORDS_WAIT);
        }
    }

    fn tell(&mut self, message: &Value) {
        self.unread.push(message.to_string().into_bytes());
    }

    /// Tells that all that is in flight has failed.
    fn fail(&mut self, what: &str, suggestion: &str) {
        for answer in self.conversation.fail(what, suggestion) {
            self.unread.push(answer.to_string().into_bytes());
        }
    }

    /// The client closed its side: gives it the answers that are still on their way, or lets them come though it hears
    /// nothing any more, so that what it asked for is finished.
    async fn drain(&mut self, wait: Duration) {
        self.is_asking = false;
        let deadline = Instant::now() + wait;
        while let Some(daemon) = &self.daemon
            && (self.conversation.is_waiting() || !daemon.unsent.is_empty())
        {
            match tokio::time::timeout_at(deadline, self.step()).await {
                Ok(Step::Daemon(Ok(Some(line)))) => self.daemon_said(line),
                Ok(Step::Daemon(Ok(None) | Err(_)) | Step::Deaf) => self.daemon = None,
                Ok(Step::ToClient(written)) => self.wrote_to_client(written),
                Ok(Step::ToDaemon(written)) => self.wrote_to_daemon(written),
                Ok(Step::Client(_)) => {}
                Err(_elapsed) => break,
            }
        }
        let what = "there was no answer before the connection ended; the outcome of this request is unknown";
        self.fail(what, "Look what became of it, then ask again.");
        let last = async {
            while !self.unread.is_empty() {
                if let Err(error) = self.unread.write(&mut self.output).await {
                    tracing::debug!(%error, "the client hears nothing any more");
                    return;
                }
            }
        };
        if tokio::time::timeout(LAST_READ_WAIT, last).await.is_err() {
            tracing::debug!("the client did not read its last answers");
        }
    }
}

/// The next line of a side, or never.
async fn next<R: AsyncRead + Unpin>(lines: Option<&mut LineReader<R>>) -> io::Result<Option<Line>> {
    match lines {
        Some(lines) => lines.next().await,
        None => std::future::pending().await,
    }
}

/// Writes a piece to a side, or never.
async fn write<W: AsyncWrite + Unpin>(side: Option<(&mut Outbox, &mut W)>) -> io::Result<()> {
    match side {
        Some((outbox, writer)) => outbox.write(writer).await,
        None => std::future::pending().await,
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

fn client_broke(source: io::Error) -> Error {
    broke("speaking with the client", source)
}
