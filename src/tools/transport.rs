//! One client's stream as messages, within limits: how long a line may be, how many values it may hold, how much may
//! wait for its answer, and how long a client may keep us waiting.
//!
//! The library's own transport bounds the length of a line alone. It reads on while answers pile up, so a client that
//! asks and never reads would have us remember everything it ever asked for.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::skim::{ID_BYTES_MAX, Skim, id_of, length};
use super::socket::LINE_BYTES_MAX;

/// From this length on a line needs one of the places of [`Limits::long_lines`].
const SHORT_LINE_BYTES: usize = 64 * 1024;
/// The most values in one message: texts are long, but no tool takes many values, each of which costs far more memory
/// than its bytes.
const VALUES_MAX: usize = 10_000;
/// What one client's unanswered requests may weigh, in units of 1 KiB.
const WEIGHT_MAX: u32 = 4096;
/// What a request weighs at least, so that there are at most 1024 of them: as many as a bridge lets through, so
/// that none of its clients waits for us to read on.
const WEIGHT_MIN: u32 = 4;
/// What a value weighs beside its bytes.
const VALUE_BYTES: usize = 64;
/// The most requests of one client that are at work or whose answers it has not read yet.
const ANSWERS_OF_CLIENT_MAX: usize = 16;
/// Long lines that are read or at work at once, over all clients of a socket.
const LONG_LINES_MAX: usize = 4;

/// How long a client may keep us waiting.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// For its first message.
    pub(super) first_message: Duration,
    /// For the end of a long line, whose place others wait for.
    pub(super) long_line: Duration,
    /// For room to write anything into.
    pub(super) write: Duration,
    /// The places for long lines, which all clients share.
    pub(super) long_lines: Arc<Semaphore>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_message: Duration::from_secs(10),
            long_line: Duration::from_secs(30),
            write: Duration::from_secs(30),
            long_lines: Arc::new(Semaphore::new(LONG_LINES_MAX)),
        }
    }
}

/// What one client has asked and was not answered yet.
#[derive(Debug, Clone)]
pub(super) struct Unanswered {
    requests: Arc<Mutex<HashMap<RequestId, Held>>>,
    weight: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

/// What a request holds until its answer is written, but for the place of its long line, which ends with its work.
#[derive(Debug)]
struct Held {
    weight: OwnedSemaphorePermit,
    long_line: Option<OwnedSemaphorePermit>,
    answer: Option<OwnedSemaphorePermit>,
}

impl Unanswered {
    fn new() -> Self {
        Self {
            requests: Arc::default(),
            weight: Arc::new(Semaphore::new(WEIGHT_MAX as usize)),
            answers: Arc::new(Semaphore::new(ANSWERS_OF_CLIENT_MAX)),
        }
    }

    /// Waits until the client has read enough answers for another one. The place is kept until that is written.
    pub(super) async fn begin(&self, id: &RequestId) {
        let place = self.answers.clone().acquire_owned().await.ok();
        // A request that was cancelled meanwhile is not there any more, and needs none.
        if let Some(held) = self.lock().get_mut(id) {
            held.answer = place;
        }
    }

    fn take(&self, id: &RequestId) -> Option<Held> {
        self.lock().remove(id)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, Held>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The transport.
pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    writer: Arc<Writer<W>>,
    limits: Limits,
    unanswered: Unanswered,
    /// What was read of a line. Kept here, as is all of a line's state, because the library drops and repeats
    /// `receive`.
    line: Vec<u8>,
    state: Line,
    long_line: Option<OwnedSemaphorePermit>,
    /// When the line must have ended.
    deadline: Option<Instant>,
}

/// Where reading stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Begun,
    /// It will be passed over; its end is still to come.
    TooLong,
    /// Its end has come.
    PassedOver,
    Whole {
        values: usize,
    },
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W, limits: Limits) -> Self {
        Self {
            reader: BufReader::new(read),
            writer: Arc::new(Writer { half: tokio::sync::Mutex::new(Some(write)), broken: Notify::new() }),
            deadline: Some(Instant::now() + limits.first_message),
            limits,
            unanswered: Unanswered::new(),
            line: Vec::new(),
            state: Line::Begun,
            long_line: None,
        }
    }

    /// What the client was not answered yet.
    pub(super) fn unanswered(&self) -> Unanswered {
        self.unanswered.clone()
    }

    /// Reads on until a line is whole; `false` at the end of the stream, and for a client that keeps us waiting.
    async fn read_line(&mut self) -> io::Result<bool> {
        while matches!(self.state, Line::Begun | Line::TooLong) {
            if self.line.len() > SHORT_LINE_BYTES && self.long_line.is_none() {
                self.long_line = self.limits.long_lines.clone().acquire_owned().await.ok();
                self.deadline = Some(Instant::now() + self.limits.long_line);
            }
            let filled = match self.deadline {
                None => self.reader.fill_buf().await?,
                Some(deadline) => match tokio::time::timeout_at(deadline, self.reader.fill_buf()).await {
                    Ok(filled) => filled?,
                    Err(_elapsed) => {
                        tracing::debug!("a client kept us waiting");
                        return Ok(false);
                    }
                },
            };
            if filled.is_empty() {
                // An unfinished last line is a message cut off: nobody may act on it.
                return Ok(false);
            }
            let end = filled.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(filled.len(), |end| end + 1);
            if self.state == Line::Begun {
                self.line.extend_from_slice(filled.get(..end.unwrap_or(taken)).unwrap_or_default());
                if self.line.len() > LINE_BYTES_MAX {
                    self.state = Line::TooLong;
                    self.forget_line();
                }
            }
            self.reader.consume(taken);
            if end.is_some() {
                self.state = match self.state {
                    Line::Begun | Line::Whole { .. } => Line::Whole { values: values_of(&self.line) },
                    Line::TooLong | Line::PassedOver => Line::PassedOver,
                };
            }
        }
        Ok(true)
    }

    /// Lets go of the line, of its memory if that is much, and of its place.
    fn forget_line(&mut self) {
        self.deadline = None;
        self.long_line = None;
        if self.line.capacity() > SHORT_LINE_BYTES {
            self.line = Vec::new();
        }
        self.line.clear();
    }

    /// Reads the line that has ended; `None` for one that is no message of ours, which is answered where it can be.
    async fn read_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let Line::Whole { values } = self.state else {
            let weight = self.room(WEIGHT_MIN).await?;
            self.refuse(format!("the line is longer than {} MiB", LINE_BYTES_MAX >> 20), None, weight);
            return None;
        };
        if values > VALUES_MAX {
            let weight = self.room(WEIGHT_MIN).await?;
            let id = Skim::of(&self.line).request_id();
            // Under the id of a request at work it would be the answer to that one.
            let id = id.filter(|id| !self.unanswered.lock().contains_key(id));
            self.refuse(format!("the message holds more than {VALUES_MAX} values"), id, weight);
            return None;
        }
        let bytes = self.line.len().saturating_add(values.saturating_mul(VALUE_BYTES));
        let units = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).clamp(WEIGHT_MIN, WEIGHT_MAX);
        let weight = self.room(units).await?;
        match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(&self.line) {
            Ok(message) => self.remember(message, weight),
            Err(error) => {
                // To what is no JSON nobody can answer: it has no id, and a peer that says back what it hears would
                // have us answer for ever. https://github.com/modelcontextprotocol/rust-sdk/issues/938
                let is_json = error.is_data() || error.is_io();
                let head = serde_json::from_slice::<Head<'_>>(&self.line).ok().filter(|_| is_json);
                if let Some(head) = head.filter(|head| head.id.is_some() || head.method.is_none()) {
                    // A response has the id of a request of ours, which could be one of the client's, too.
                    let is_request = head.result.is_none() && head.error.is_none();
                    let id = head.id.filter(|_| is_request).and_then(|id| id_of(id.get().as_bytes()));
                    self.refuse("this is no request of MCP".into(), id, weight);
                }
                None
            }
        }
    }

    /// Keeps what a request holds until it is answered; `None` for a message that nobody needs to see.
    fn remember(
        &mut self,
        message: RxJsonRpcMessage<RoleServer>,
        weight: OwnedSemaphorePermit,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if length(&request.id) > ID_BYTES_MAX {
                    self.refuse(format!("the id is longer than {ID_BYTES_MAX} bytes"), None, weight);
                    return None;
                }
                if self.unanswered.lock().contains_key(&request.id) {
                    self.refuse("the id is that of a request without an answer yet".into(), None, weight);
                    return None;
                }
                let held = Held { weight, long_line: self.long_line.take(), answer: None };
                self.unanswered.lock().insert(request.id.clone(), held);
            }
            JsonRpcMessage::Notification(notification) => {
                // The library answers no request that was cancelled.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    drop(self.unanswered.take(id));
                }
            }
            // We ask clients nothing.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => return None,
        }
        Some(message)
    }

    /// Waits until the client's unanswered requests leave room for another.
    fn room(&self, units: u32) -> impl Future<Output = Option<OwnedSemaphorePermit>> + Send + use<R, W> {
        let room = self.unanswered.weight.clone();
        async move { room.acquire_many_owned(units).await.ok() }
    }

    /// Answers what is no request.
    fn refuse(&self, what: String, id: Option<RequestId>, weight: OwnedSemaphorePermit) {
        let refusal = TxJsonRpcMessage::<RoleServer>::error(ErrorData::invalid_request(what, None), id);
        let (writer, wait) = (self.writer.clone(), self.limits.write);
        // By a task of its own, since whoever waits for a message may stop waiting amid the write.
        tokio::spawn(async move {
            if let Err(error) = writer.write(&refusal, wait).await {
                tracing::debug!(%error, "a refusal was not read");
            }
            drop(weight);
        });
    }

    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::debug!(%error, "a connection broke");
                    return None;
                }
            }
            let message = self.read_message().await;
            self.state = Line::Begun;
            self.forget_line();
            if message.is_some() {
                return message;
            }
        }
    }
}

impl<R, W> Drop for Lines<R, W> {
    /// Lets go whoever still waits for a place: no answer will be read any more.
    fn drop(&mut self) {
        self.unanswered.weight.close();
        self.unanswered.answers.close();
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let held = match &message {
            JsonRpcMessage::Response(response) => self.unanswered.take(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().and_then(|id| self.unanswered.take(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let kept = held.map(|held| {
            drop(held.long_line);
            (held.weight, held.answer)
        });
        let (writer, wait) = (self.writer.clone(), self.limits.write);
        async move {
            let written = writer.write(&message, wait).await;
            drop(kept);
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let writer = self.writer.clone();
        tokio::select! {
            message = self.next() => message,
            () = writer.broken.notified() => None,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.half.lock().await.take());
        Ok(())
    }
}

/// The half that is written to; gone after a line that was cut off.
struct Writer<W> {
    half: tokio::sync::Mutex<Option<W>>,
    broken: Notify,
}

impl<W: AsyncWrite + Send + Unpin> Writer<W> {
    /// Writes a message, unless the client takes nothing of it for so long.
    async fn write(&self, message: &TxJsonRpcMessage<RoleServer>, wait: Duration) -> io::Result<()> {
        let mut half = self.half.lock().await;
        let Some(writer) = half.as_mut() else { return Err(io::ErrorKind::NotConnected.into()) };
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let written = write_all(writer, &line, wait).await;
        if written.is_err() {
            drop(half.take());
            self.broken.notify_one();
        }
        written
    }
}

async fn write_all<W: AsyncWrite + Unpin>(writer: &mut W, mut rest: &[u8], wait: Duration) -> io::Result<()> {
    let elapsed = |_elapsed| io::Error::from(io::ErrorKind::TimedOut);
    while !rest.is_empty() {
        let count = tokio::time::timeout(wait, writer.write(rest)).await.map_err(elapsed)??;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = rest.get(count..).unwrap_or_default();
    }
    tokio::time::timeout(wait, writer.flush()).await.map_err(elapsed)?
}

/// What is read of a message that is none.
#[derive(Deserialize)]
struct Head<'line> {
    #[serde(default, borrow)]
    id: Option<&'line RawValue>,
    #[serde(default, borrow)]
    method: Option<&'line RawValue>,
    #[serde(default)]
    result: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

/// Counts the values of JSON, or a few too many, without reading them: what opens one and what parts two.
fn values_of(line: &[u8]) -> usize {
    let (mut values, mut in_string, mut escaped) = (0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (line, values) in [
            ("", 0),
            ("1", 0),
            ("[1,2,3]", 3),
            (r#"{"a":"x,[{\",","b":[{}]}"#, 4),
            (r#"["\\",1]"#, 2),
            // Broken JSON is counted too.
            ("[[[", 3),
            ("\"[[", 0),
        ] {
            assert_eq!(values_of(line.as_bytes()), values, "{line}");
        }
    }
}
