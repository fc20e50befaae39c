//! The round trip of a call: through the bridge to the daemon, against a stdio server of FastMCP with the same answer.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::generated;
use super::report::Report;
use super::world::World;

/// Calls of each client, and of those that are many.
const CALLS: usize = 300;
const CALLS_OF_MANY: usize = 40;
const MANY: usize = 32;
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
        writeln!(client.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        client
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        writeln!(self.input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
        loop {
            let answer: Value = serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
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

    fn said(self) -> String {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        format!("median {:.2} ms, p99 {:.2} ms", ms(self.median), ms(self.p99))
    }
}

/// Lets so many clients call at once, each from a thread of its own, until `goes_on` says no.
fn times(
    clients: usize,
    command: impl Fn() -> Command + Sync,
    id: &str,
    expected: Option<&Value>,
    goes_on: impl Fn(usize) -> bool + Sync,
) -> Vec<Duration> {
    let ready = std::sync::Barrier::new(clients);
    std::thread::scope(|scope| {
        let one = || {
            let mut client = Client::new(&mut command());
            for _ in 0..5 {
                let (_, answer) = client.call(id);
                assert!(expected.is_none_or(|expected| *expected == answer), "{answer}");
            }
            ready.wait();
            let mut times = Vec::new();
            while goes_on(times.len()) {
                times.push(client.call(id).0);
            }
            times
        };
        let all: Vec<_> = (0..clients).map(|_| scope.spawn(one)).collect();
        all.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
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
    let (_, answer) = Client::new(&mut bridge(&world.home)).call(id);
    let other = fastmcp().map(|python| {
        let (script, canned) = (world.home.join("canned.py"), world.home.join("canned.json"));
        std::fs::write(&script, CANNED).unwrap();
        std::fs::write(&canned, answer.to_string()).unwrap();
        move || {
            let mut command = Command::new(&python);
            command.arg(&script).arg(&canned);
            command
        }
    });
    for (clients, calls) in [(1, CALLS), (MANY, CALLS_OF_MANY)] {
        let ours = Spread::of(times(clients, || bridge(&world.home), id, Some(&answer), |done| done < calls));
        let what = format!("a call through the bridge, {clients} clients");
        match &other {
            Ok(other) => {
                let theirs = Spread::of(times(clients, other, id, Some(&answer), |done| done < calls));
                let ratio = ours.median.as_secs_f64() / theirs.median.as_secs_f64();
                let measured = format!("{} = 1/{:.1}", ours.said(), 1.0 / ratio);
                let reference = format!("FastMCP {}", theirs.said());
                report.add(&what, measured, reference, "median <= 1/20", Some(ratio <= 1.0 / 20.0));
            }
            Err(why) => report.add(&what, ours.said(), format!("SKIPPED FastMCP: {why}"), "median <= 1/20", None),
        }
    }
    during_a_mirror(report, &runtime, &world, id, documents.into_iter().map(|(_, id)| id).collect());
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
        let times = times(MANY, || bridge(&world.home), id, None, goes_on);
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
