//! The round trip of a call: through the bridge to the daemon, against a stdio server of FastMCP with the same answer.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bare::Bare;
use super::generated;
use super::report::Report;
use super::world::World;

/// Calls of each client in a round, and of those that are many.
const CALLS: usize = 300;
const CALLS_OF_MANY: usize = 60;
const ROUNDS: usize = 5;
const MANY: usize = 32;
/// How many times longer FastMCP should take, and how many times longer it takes at least, for one client and for many.
/// With one client, processes that pass lines on and do nothing else come no further than about 20 themselves, and our
/// call looks the document up and reads its file, while that of FastMCP gives what stands in memory.
const WISHED: f64 = 20.0;
const AT_LEAST: f64 = 4.0;
const AT_LEAST_OF_MANY: f64 = 6.0;
/// The documents that a full mirror reads beside those of the demo, and their pages.
const DOCUMENTS: usize = 60;
const PAGES: usize = 5;

/// The server beside ours: one tool that gives what it was told to give.
const CANNED: &str = r#"
import json, sys
from fastmcp import FastMCP
server = FastMCP("canned")
answer = json.load(open(sys.argv[1]))
@server.tool
def fetch(id: str) -> dict:
    return answer
server.run(show_banner=False)
"#;

/// A client of a stdio server, whichever that is.
struct Client {
    server: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    last_id: u32,
}

impl Client {
    fn new(command: &mut Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut client = Self { server, input, output, last_id: 0 };
        client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Writes a message at once, as clients do; a server is not woken for pieces of it.
    fn say(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let answer: Value = serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    /// Asks for nothing, and returns how long that took.
    fn ping(&mut self) -> Duration {
        let start = Instant::now();
        let answer = self.ask("ping", &json!({}));
        let time = start.elapsed();
        assert!(answer["result"].is_object(), "{answer}");
        time
    }

    /// Calls `fetch` and returns how long that took and the answer.
    fn call(&mut self, id: &str) -> (Duration, Value) {
        let start = Instant::now();
        let answer = self.ask("tools/call", &json!({ "name": "fetch", "arguments": { "id": id } }));
        let time = start.elapsed();
        assert!(answer["result"]["isError"] != true, "{answer}");
        (time, answer["result"]["structuredContent"].clone())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// Half of the times are shorter than the first; of a hundred, one is longer than the second.
#[derive(Clone, Copy)]
struct Spread {
    median: Duration,
    p99: Duration,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { median: times[times.len() / 2], p99: times[(times.len() * 99 / 100).min(times.len() - 1)] }
    }

    /// The median of what each round gave, so that one that something else disturbed does not count.
    fn of_rounds(rounds: Vec<Vec<Duration>>) -> Self {
        let spreads: Vec<Self> = rounds.into_iter().map(Self::of).collect();
        let middle = |of: fn(&Self) -> Duration| {
            let mut all: Vec<Duration> = spreads.iter().map(of).collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied().unwrap_or_default()
        };
        Self { median: middle(|spread| spread.median), p99: middle(|spread| spread.p99) }
    }

    fn said(self) -> String {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        format!("median {:.3} ms, p99 {:.2} ms", ms(self.median), ms(self.p99))
    }
}

/// Clients that call at once, each from a thread of its own.
struct Crowd(Vec<Client>);

impl Crowd {
    /// Starts so many, each with a server of its own, and looks whether they are answered as they should be.
    fn new(count: usize, command: impl Fn() -> Command + Sync, id: &str, expected: Option<&Value>) -> Self {
        let one = || {
            let mut client = Client::new(&mut command());
            for _ in 0..5 {
                let (_, answer) = client.call(id);
                assert!(expected.is_none_or(|expected| *expected == answer), "{answer}");
            }
            client
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..count).map(|_| scope.spawn(one)).collect();
            Self(all.into_iter().map(|client| client.join().unwrap()).collect())
        })
    }

    /// Lets all of them ask until `goes_on` says no.
    fn times(
        &mut self,
        ask: impl Fn(&mut Client) -> Duration + Sync,
        goes_on: impl Fn(usize) -> bool + Sync,
    ) -> Vec<Duration> {
        let (ready, ask, goes_on) = (&std::sync::Barrier::new(self.0.len()), &ask, &goes_on);
        let one = |client: &mut Client| {
            ready.wait();
            let mut times = Vec::new();
            while goes_on(times.len()) {
                times.push(ask(client));
            }
            times
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = self.0.iter_mut().map(|client| scope.spawn(move || one(client))).collect();
            all.into_iter().flat_map(|client| client.join().unwrap()).collect()
        })
    }
}

fn bridge(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
    command.args(["bridge", "--home"]).arg(home);
    command
}

/// A Python with FastMCP, made below `target` at the first time; `None` with the reason when there can be none.
fn fastmcp() -> Result<PathBuf, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/bench-venv");
    let python = folder.join("bin/python");
    let run = |command: &mut Command| match command.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    };
    if run(Command::new(&python).args(["-c", "import fastmcp"])).is_err() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "-q", "fastmcp"]))?;
    }
    Ok(python)
}

/// Calls through the bridge, by one client and by many, against FastMCP; then by many while everything is mirrored.
pub(crate) fn calls(report: &mut Report) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut world = World::new("bench-calls");
    world.start_daemon(&[("MCP_WORKSPACE_LOG", "warn,rmcp=error")]);
    let documents = runtime.block_on(world.documents());
    let id = &documents.iter().find(|(title, _)| title == "Meeting notes").unwrap().1.clone();
    world.file(id);
    for (clients, calls, at_least) in [(1, CALLS, AT_LEAST), (MANY, CALLS_OF_MANY, AT_LEAST_OF_MANY)] {
        against_others(report, &world, id, (clients, calls, at_least));
    }
    during_a_mirror(report, &runtime, &world, id, documents.into_iter().map(|(_, id)| id).collect());
}

/// Lets clients of the bridge, of FastMCP and of nothing but the hops call in turns, so that what else the machine does
/// meets all of them.
fn against_others(report: &mut Report, world: &World, id: &str, (count, calls, at_least): (usize, usize, f64)) {
    let arguments = json!({ "name": "fetch", "arguments": { "id": id } });
    let answer = Client::new(&mut bridge(&world.home)).ask("tools/call", &arguments);
    let (result, content) = (&answer["result"], &answer["result"]["structuredContent"]);
    let mut ours = Crowd::new(count, || bridge(&world.home), id, Some(content));
    let bare = Bare::new(&world.home.join(format!("bare-{count}")), &result.to_string());
    let mut hops = Crowd::new(count, || bare.bridge(), id, Some(content));
    let mut theirs = fastmcp().map(|python| {
        let (script, canned) = (world.home.join("canned.py"), world.home.join("canned.json"));
        std::fs::write(&script, CANNED).unwrap();
        std::fs::write(&canned, content.to_string()).unwrap();
        let command = || {
            let mut command = Command::new(&python);
            command.arg(&script).arg(&canned);
            command
        };
        Crowd::new(count, command, id, Some(content))
    });
    // The calls of each, then the pings of each.
    let mut times: [Vec<Vec<Duration>>; 6] = Default::default();
    for _ in 0..ROUNDS {
        let crowds = [Some(&mut ours), theirs.as_mut().ok(), Some(&mut hops)];
        for (at, crowd) in crowds.into_iter().enumerate() {
            let Some(crowd) = crowd else { continue };
            times[at].push(crowd.times(|client| client.call(id).0, |done| done < calls));
            times[at + 3].push(crowd.times(Client::ping, |done| done < calls));
        }
    }
    let [call, their_call, bare_call, ping, their_ping, bare_ping] = times.map(Spread::of_rounds);
    let target = format!("median <= 1/{at_least}; wished for 1/{WISHED}");
    let all = [
        ("call of `fetch`", call, their_call, bare_call, target.as_str()),
        ("ping", ping, their_ping, bare_ping, "only told"),
    ];
    for (what, ours, other, hops, target) in all {
        let ratio = |one: Spread| other.median.as_secs_f64() / one.median.as_secs_f64();
        let what = format!("a {what} through the bridge, {count} clients");
        match &theirs {
            Ok(_) => report.add(
                &what,
                format!("{} = 1/{:.1}", ours.said(), ratio(ours)),
                format!("FastMCP {}; the hops alone {} = 1/{:.1}", other.said(), hops.said(), ratio(hops)),
                target,
                (target != "only told").then(|| ratio(ours) >= at_least),
            ),
            Err(why) => {
                let reference = format!("SKIPPED FastMCP: {why}; the hops alone {}", hops.said());
                report.add(&what, ours.said(), reference, target, None);
            }
        }
    }
}

fn during_a_mirror(
    report: &mut Report,
    runtime: &tokio::runtime::Runtime,
    world: &World,
    id: &str,
    mut documents: Vec<String>,
) {
    let raw: Value = serde_json::from_slice(&generated::document(PAGES)).unwrap();
    for _ in 0..DOCUMENTS {
        let made = runtime.block_on(world.post("/admin/documents", &raw));
        documents.push(made["documentId"].as_str().unwrap().to_owned());
    }
    let mut crowd = Crowd::new(MANY, || bridge(&world.home), id, None);
    let (mirrored, started) = (AtomicBool::new(false), std::sync::Once::new());
    let (measured, took) = std::thread::scope(|scope| {
        let all = scope.spawn(|| {
            // Not before everybody calls.
            while !started.is_completed() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let start = Instant::now();
            for document in &documents {
                world.file(document);
            }
            mirrored.store(true, Ordering::Relaxed);
            start.elapsed()
        });
        let goes_on = |_| {
            started.call_once(|| {});
            !mirrored.load(Ordering::Relaxed)
        };
        let times = crowd.times(|client| client.call(id).0, goes_on);
        (times, all.join().unwrap())
    });
    let count = measured.len();
    let spread = Spread::of(measured);
    report.add(
        &format!("a call during a full mirror, {MANY} clients without a pause"),
        spread.said(),
        format!("{} documents mirrored in {:.1} s, {count} calls", documents.len(), took.as_secs_f64()),
        "p99 <= 50 ms",
        Some(spread.p99 <= Duration::from_millis(50)),
    );
}
