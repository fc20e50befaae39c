//! How messages go to a browser and come back: through a pipe that only we and it have, or a websocket of this machine.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{ChildStdin, ChildStdout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use url::{Host, Url};

use super::error::{Error, Result};

/// The most bytes of a message, in either direction. Answers of pages come in pieces far smaller; what is larger than this is
/// no message of a browser that can be trusted.
pub(super) const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;

const READ_BYTES: usize = 64 * 1024;

/// Where messages are written to. Dropped, it closes its direction, and a browser that we started ends by that.
#[derive(Debug)]
pub(super) enum Sender {
    Pipe(ChildStdin),
    Socket(Box<SplitSink<WebSocketStream<TcpStream>, Message>>),
}

/// Where messages come from.
#[derive(Debug)]
pub(super) enum Receiver {
    Pipe(Frames<ChildStdout>),
    Socket(SplitStream<WebSocketStream<TcpStream>>),
}

/// Messages that end with a NUL each.
#[derive(Debug)]
pub(super) struct Frames<R> {
    input: R,
    buffer: Vec<u8>,
    /// How much of the buffer is known to have no NUL.
    searched: usize,
    limit_bytes: usize,
}

/// Where a browser that runs already can be reached: on this machine, by a websocket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attach {
    address: SocketAddr,
    path: String,
}

impl Sender {
    pub(super) async fn send(&mut self, text: String) -> io::Result<()> {
        match self {
            Self::Pipe(pipe) => {
                let mut bytes = text.into_bytes();
                bytes.push(0);
                pipe.write_all(&bytes).await?;
                pipe.flush().await
            }
            Self::Socket(socket) => socket.send(Message::text(text)).await.map_err(io::Error::other),
        }
    }

    pub(super) async fn close(self) {
        if let Self::Socket(mut socket) = self {
            let closed = socket.close().await;
            tracing::debug!(closed = closed.is_ok(), "the connection to a browser was closed");
        }
    }
}

impl Receiver {
    pub(super) const fn pipe(pipe: ChildStdout) -> Self {
        Self::Pipe(Frames::new(pipe, MESSAGE_BYTES_MAX))
    }

    /// Returns the next message; `None` at the end.
    pub(super) async fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Pipe(frames) => frames.next().await,
            Self::Socket(socket) => loop {
                match socket.next().await {
                    Some(Ok(Message::Text(text))) => return Ok(Some(text.as_bytes().to_vec())),
                    Some(Ok(Message::Close(_))) | None => return Ok(None),
                    Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                    Some(Err(error)) => return Err(io::Error::other(error)),
                }
            },
        }
    }
}

impl<R: AsyncRead + Unpin> Frames<R> {
    const fn new(input: R, limit_bytes: usize) -> Self {
        Self { input, buffer: Vec::new(), searched: 0, limit_bytes }
    }

    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let new = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = new.iter().position(|byte| *byte == 0) {
                let rest = self.buffer.split_off(self.searched + at + 1);
                let mut message = std::mem::replace(&mut self.buffer, rest);
                message.pop();
                self.searched = 0;
                return Ok(Some(message));
            }
            self.searched = self.buffer.len();
            if self.searched > self.limit_bytes {
                return Err(io::Error::other("a message of the browser is too large"));
            }
            self.buffer.reserve(READ_BYTES);
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

impl Attach {
    /// Reads an address such as `ws://127.0.0.1:9222/devtools/browser/<id>`, as Chromium prints it.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for anything but a websocket of this machine: who reaches a browser so can do all that its person can, and
    /// over a network nothing would hide it.
    pub fn parse(address: &str) -> Result<Self> {
        // The address is a key to the browser, so it is not repeated.
        let refused = |what: &str| Error::InvalidInput {
            what: format!("the address of the browser {what}"),
            suggestion: "give one such as ws://127.0.0.1:9222/devtools/browser/…, as the browser prints it",
        };
        let url = Url::parse(address).map_err(|_error: url::ParseError| refused("is no URL"))?;
        let ip: IpAddr = match url.host() {
            Some(Host::Ipv4(ip)) => ip.into(),
            Some(Host::Ipv6(ip)) => ip.into(),
            // Asking a resolver could lead elsewhere.
            Some(Host::Domain("localhost")) => Ipv4Addr::LOCALHOST.into(),
            Some(Host::Domain(_)) | None => return Err(refused("is not of this machine")),
        };
        if !ip.is_loopback() {
            return Err(refused("is not of this machine"));
        }
        if url.scheme() != "ws" || !url.username().is_empty() || url.password().is_some() {
            return Err(refused("is no plain websocket"));
        }
        let port = url.port().ok_or_else(|| refused("has no port"))?;
        if !url.path().starts_with("/devtools/browser/") || url.query().is_some() {
            return Err(refused("is not that of a whole browser"));
        }
        Ok(Self { address: SocketAddr::new(ip, port), path: url.path().to_owned() })
    }

    /// Connects to the browser.
    ///
    /// # Errors
    ///
    /// `Unsafe` when another user listens there; `Ended` when nobody answers, or no browser does.
    pub(super) async fn connect(&self) -> Result<(Sender, Receiver)> {
        let ended = || Error::Ended { doing: "connecting to it", outcome_unknown: false };
        if listener_of_another(&self.address) {
            return Err(Error::Unsafe { place: self.address.to_string(), reason: "another user listens there" });
        }
        let stream = TcpStream::connect(self.address).await.map_err(|error| {
            tracing::debug!(%error, "no browser listens");
            ended()
        })?;
        stream.set_nodelay(true).unwrap_or_else(|error| tracing::debug!(%error, "the connection is left as it is"));
        let config = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX));
        let url = format!("ws://{}{}", self.address, self.path);
        let connected = tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await;
        let (socket, _) = connected.map_err(|_error| {
            // What it says may hold the address.
            tracing::debug!("what listens is no browser");
            ended()
        })?;
        let (sender, receiver) = socket.split();
        Ok((Sender::Socket(Box::new(sender)), Receiver::Socket(receiver)))
    }
}

/// Tells whether another user is known to listen at an address: that would be no browser of ours, and what we ask would be theirs.
fn listener_of_another(address: &SocketAddr) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    tables.iter().any(|table| listeners(table, address.port()).any(|uid| uid != own && uid != 0))
}

/// Returns the users that listen on a port.
///
/// Source: <https://docs.kernel.org/networking/proc_net_tcp.html>
fn listeners(table: &str, port: u16) -> impl Iterator<Item = u32> {
    let ending = format!(":{port:04X}");
    table.lines().filter_map(move |line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let local = fields.next()?;
        let state = fields.nth(1)?;
        // 0A is the state of who listens; the user stands four fields on.
        (local.ends_with(&ending) && state == "0A").then(|| fields.nth(3)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_are_parted_wherever_they_are_cut() {
        let text = "{\"a\":\"日本\"}\0{}\0\0half".as_bytes();
        for cut in 1..text.len() {
            let (mut writer, reader) = tokio::io::duplex(cut);
            let write = tokio::spawn(async move { writer.write_all(text).await });
            let mut frames = Frames::new(reader, 100);
            let mut read = Vec::new();
            while let Some(message) = frames.next().await.unwrap() {
                read.push(String::from_utf8(message).unwrap());
            }
            write.await.unwrap().unwrap();
            assert_eq!(read, ["{\"a\":\"日本\"}", "{}", ""]);
        }
    }

    #[tokio::test]
    async fn a_message_without_an_end_is_not_read_for_ever() {
        let mut frames = Frames::new(tokio::io::repeat(b'a'), 1000);
        assert!(frames.next().await.is_err());
    }

    #[test]
    fn only_a_browser_of_this_machine_is_attached_to() {
        for (address, expected) in [
            ("ws://127.0.0.1:9222/devtools/browser/a-b", Some("127.0.0.1:9222")),
            ("ws://localhost:9222/devtools/browser/a-b", Some("127.0.0.1:9222")),
            ("ws://[::1]:9222/devtools/browser/a-b", Some("[::1]:9222")),
            ("ws://10.0.0.1:9222/devtools/browser/a-b", None),
            ("ws://0.0.0.0:9222/devtools/browser/a-b", None),
            ("ws://127.0.0.1.example.com:9222/devtools/browser/a-b", None),
            ("ws://a.localhost:9222/devtools/browser/a-b", None),
            ("wss://127.0.0.1:9222/devtools/browser/a-b", None),
            ("ws://me@127.0.0.1:9222/devtools/browser/a-b", None),
            ("ws://127.0.0.1:9222/devtools/page/a-b", None),
            ("ws://127.0.0.1/devtools/browser/a-b", None),
            ("127.0.0.1:9222", None),
        ] {
            let parsed = Attach::parse(address).map(|attach| attach.address.to_string());
            assert_eq!(parsed.as_deref().ok(), expected, "{address}: {parsed:?}");
        }
    }

    #[test]
    fn whose_a_port_is_stands_in_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                     0: 0100007F:2406 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1 1\n   \
                     1: 0100007F:2406 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1002        0 1 1\n";
        assert_eq!(listeners(table, 0x2406).collect::<Vec<_>>(), [1001]);
        assert_eq!(listeners(table, 0x2407).count(), 0);
    }
}
