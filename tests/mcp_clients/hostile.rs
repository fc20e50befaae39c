//! What hostile clients do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::dice::Dice;
use super::frames::{Era, hello, noise, request, tampered};

/// When an answer is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// The bytes of a line that nobody may have to remember.
const HUGE: usize = 100_000_000;
/// Rounds of the fuzzer, each a connection.
const ROUNDS: u64 = 120;

/// One end of a connection to the daemon.
pub(crate) struct Peer {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
    last_id: u32,
}

impl Peer {
    pub(crate) fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { lines: BufReader::new(stream.try_clone().unwrap()), stream, last_id: 0 }
    }

    pub(crate) fn begin(&mut self, era: Era) {
        let hello = self.ask(if era == Era::Legacy { "initialize" } else { "server/discover" }, &hello(), era);
        assert!(hello.get("result").is_some(), "{hello}");
        if era == Era::Legacy {
            self.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string().as_bytes())
                .unwrap();
        }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.last_id > 0
    }

    fn say(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(line)?;
        self.stream.write_all(b"\n")
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).unwrap_or_else(|error| panic!("no answer in time: {error}"));
        assert!(read > 0, "the daemon closed the connection");
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value, era: Era) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.say(request(&json!(id), method, params, era).to_string().as_bytes()).unwrap();
        loop {
            let answer = self.hear();
            if answer["id"] == id {
                return answer;
            }
        }
    }
}

/// Opens so many connections at once: a half of them begin as they should and rest, the others say nothing, or half a
/// line, or close their side.
pub(crate) fn crowd(socket: &Path, size: usize) -> Vec<Peer> {
    let mut crowd: Vec<Peer> = (0..size).map(|_| Peer::connect(socket)).collect();
    for (number, peer) in crowd.iter_mut().enumerate() {
        match number % 6 {
            0..=2 => peer.begin(Era::Legacy),
            3 => {}
            4 => peer.stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth").unwrap(),
            _ => peer.stream.shutdown(Shutdown::Write).unwrap(),
        }
    }
    crowd
}

/// What is done to the daemon, each by a thread of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    Fuzz,
    HugeLine,
    HugeLines,
    ManyValues,
    NeverRead,
    ReadNothingAndClose,
}

impl Act {
    pub(crate) const ALL: [Self; 6] =
        [Self::Fuzz, Self::HugeLine, Self::HugeLines, Self::ManyValues, Self::NeverRead, Self::ReadNothingAndClose];

    pub(crate) fn run(self, socket: &Path) {
        match self {
            Self::Fuzz => (0..ROUNDS).for_each(|seed| fuzz(socket, seed)),
            Self::HugeLine => huge_line(socket),
            Self::HugeLines => huge_lines(socket),
            Self::ManyValues => many_values(socket),
            Self::NeverRead => never_read(socket, 8, Duration::from_secs(1)),
            Self::ReadNothingAndClose => {
                for _ in 0..20 {
                    never_read(socket, 1, Duration::from_millis(100));
                }
            }
        }
    }
}

/// A line of 100 MB in a text of a call: it is refused, and the connection goes on.
fn huge_line(socket: &Path) {
    let mut peer = Peer::connect(socket);
    peer.begin(Era::Legacy);
    peer.stream
        .write_all(br#"{"jsonrpc":"2.0","id":"huge","method":"tools/call","params":{"name":"create","a":""#)
        .unwrap();
    let chunk = vec![b'x'; 1 << 16];
    for _ in 0..HUGE / chunk.len() {
        peer.stream.write_all(&chunk).unwrap();
    }
    peer.say(b"\"}}").unwrap();
    let refused = peer.hear();
    assert!(refused["error"]["message"].as_str().unwrap().contains("16 MiB"), "{refused}");
    peer.ask("tools/list", &json!({}), Era::Legacy);
}

/// More long lines at once than are read at once, none of which ends; each connection is dropped amid it.
fn huge_lines(socket: &Path) {
    let mut peers: Vec<Peer> = (0..12).map(|_| Peer::connect(socket)).collect();
    let chunk = vec![b'['; 1 << 16];
    for peer in &mut peers {
        peer.stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
        for _ in 0..(15 << 20) / chunk.len() {
            if peer.stream.write_all(&chunk).is_err() {
                break;
            }
        }
    }
}

/// Messages of 15 MB that would cost many times that as values, and one as deep as it is long.
fn many_values(socket: &Path) {
    for filling in ["0,", "{},", "[[],", "[", "{\"a\":"] {
        let mut peer = Peer::connect(socket);
        peer.begin(Era::Legacy);
        let head = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"id":["#;
        let line = format!("{head}{}0]}}}}}}", filling.repeat((15 << 20) / filling.len()));
        peer.say(line.as_bytes()).unwrap();
        let refused = peer.hear();
        assert!(refused["error"]["message"].as_str().unwrap().contains("values"), "{refused}");
        // Not many, but deeper than any reader goes: no JSON to it, so there is no answer.
        peer.say(format!("{head}{}", "[".repeat(5000)).as_bytes()).unwrap();
        peer.ask("tools/list", &json!({}), Era::Legacy);
    }
}

/// Clients that ask as fast as they can and read nothing, each until nothing more is taken from it.
fn never_read(socket: &Path, clients: usize, patience: Duration) {
    let mut peers = Vec::new();
    for _ in 0..clients {
        let mut peer = Peer::connect(socket);
        peer.begin(Era::Legacy);
        peers.push(peer);
    }
    for (number, peer) in peers.iter_mut().enumerate() {
        peer.stream.set_write_timeout(Some(patience)).unwrap();
        let (mut id, start) = (1000, Instant::now());
        loop {
            id += 1;
            let (method, params) = match (number + id) % 4 {
                0 => ("tools/call", json!({ "name": "search", "arguments": { "query": "the", "limit": 50 } })),
                1 => ("resources/read", json!({ "uri": "workspace://docs/mebdf" })),
                2 => ("tools/list", json!({})),
                _ => ("tools/call", json!({ "name": "no_such_tool", "arguments": {} })),
            };
            if peer.say(request(&json!(id), method, &params, Era::Legacy).to_string().as_bytes()).is_err() {
                break;
            }
            assert!(id < 100_000, "everything is taken from a client that reads nothing ({:?})", start.elapsed());
        }
    }
    for (number, peer) in peers.iter().enumerate() {
        if number % 2 == 0 {
            peer.stream.shutdown(Shutdown::Write).unwrap();
        }
    }
    std::thread::sleep(patience / 2);
}

/// One connection of random bytes and frames that were tampered with.
fn fuzz(socket: &Path, seed: u64) {
    let mut dice = Dice::seeded(seed);
    let mut peer = Peer::connect(socket);
    let era = dice.pick(&[Era::Legacy, Era::Modern]);
    if !dice.once_in(4) {
        peer.begin(era);
    }
    for _ in 0..dice.roll(30) {
        let line = if dice.once_in(5) { noise(&mut dice) } else { tampered(&mut dice, era) };
        // A connection that the daemon has closed meanwhile is no fault.
        if peer.say(&line).is_err() {
            return;
        }
    }
    match dice.roll(4) {
        0 => peer.stream.shutdown(Shutdown::Write).unwrap_or_default(),
        1 => peer.stream.write_all(b"{\"jsonrpc\":").unwrap_or_default(),
        2 => {
            peer.stream.set_read_timeout(Some(Duration::from_millis(30))).unwrap();
            let mut some = [0; 4096];
            let _heard = peer.lines.read(&mut some).unwrap_or_default();
        }
        _ => {}
    }
}
