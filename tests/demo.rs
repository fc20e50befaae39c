//! The demo as a new user meets it: started, looked at, connected to, ended, started again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a start may take on a busy machine.
const START_WAIT: Duration = Duration::from_secs(60);
/// How long the end may take.
const END_WAIT: Duration = Duration::from_secs(20);

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
    command.arg("--home").arg(home);
    command
}

/// Returns what a program says as it says it.
fn lines(child: &mut Child) -> mpsc::Receiver<String> {
    let out = child.stdout.take().expect("stdout is a pipe");
    let (sender, lines) = mpsc::channel();
    // The reader goes on to the end, so that the program never finds its stdout shut.
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            drop(sender.send(line));
        }
    });
    lines
}

/// A program that ends with the test, however that ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A demo that runs; killed when dropped.
struct Demo {
    child: Child,
    said: Value,
    skipped: Vec<Value>,
}

impl Demo {
    fn start(home: &Path, more: &[&str]) -> Self {
        Self::start_by(program(home), more)
    }

    fn start_by(mut program: Command, more: &[&str]) -> Self {
        let mut child = program
            .args(["demo", "--json"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the demo starts");
        let lines = lines(&mut child);
        let deadline = Instant::now() + START_WAIT;
        let mut demo = Self { child, said: Value::Null, skipped: Vec::new() };
        loop {
            let line = lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).expect("it gets ready");
            if line == "ready" {
                return demo;
            }
            let value: Value = serde_json::from_str(&line).expect("JSON or `ready`");
            if value.get("skipped").is_some() { demo.skipped.push(value) } else { demo.said = value }
        }
    }

    fn file(&self) -> PathBuf {
        self.said["file"].as_str().expect("a file to open").into()
    }

    /// Presses Ctrl-C and returns the exit code.
    fn end(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("the demo still runs");
        let deadline = Instant::now() + END_WAIT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("the demo is our child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs a command with `--json` and returns its exit code and what it said.
fn ask(home: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = program(home).args(arguments).arg("--json").output().expect("the command runs");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("JSON on stdout"))
}

/// The workspace is watched, and folders for that must not be the system's temporary one. A socket's path must be
/// short, so a deep clone goes elsewhere.
fn new_home() -> tempfile::TempDir {
    const DEEP_BYTES: usize = 70;
    let near = env!("CARGO_TARGET_TMPDIR");
    let parent = if near.len() < DEEP_BYTES { near } else { "/var/tmp" };
    tempfile::Builder::new().prefix("d").tempdir_in(parent).expect("a folder")
}

#[test]
fn a_demo_is_found_again_as_it_was_left() {
    let home = new_home();
    let demo = Demo::start(home.path(), &[]);
    let file = demo.file();
    let text = std::fs::read_to_string(&file).expect("the file stands there");
    assert!(text.contains("Quarterly report"), "{text}");
    assert!(demo.said["connect"].as_str().is_some_and(|line| line.starts_with("claude mcp add mcp-workspace -- ")));
    assert!(demo.said["page"].as_str().is_some_and(|page| page.starts_with("http://127.0.0.1:")));

    let (code, second) = ask(home.path(), &["demo"]);
    assert_eq!((code, &second["kind"]), (Some(1), &json!("daemon")), "{second}");

    let (code, found) = ask(home.path(), &["search", "quarterly"]);
    assert_eq!(code, Some(0));
    assert_eq!(found["results"][0]["path"], json!(file), "{found}");
    let id = found["results"][0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(ask(home.path(), &["fetch", &id]).1["path"], json!(file));
    let (code, created) = ask(home.path(), &["create", "--title", "Fresh"]);
    assert_eq!(code, Some(0), "{created}");
    let fresh = created["path"].as_str().expect("a path").to_owned();
    assert!(Path::new(&fresh).exists());
    let (code, forgotten) = ask(home.path(), &["forget", &id]);
    assert_eq!(code, Some(0), "{forgotten}");
    let said = demo.said.clone();
    assert_eq!(demo.end(), Some(0), "Ctrl-C is a good end");

    let again = Demo::start(home.path(), &[]);
    assert_eq!(again.said["workspace"], said["workspace"]);
    assert!(Path::new(&fresh).exists(), "what was made is still there");
    assert!(!file.exists(), "what was forgotten is not fetched again");
    assert_eq!(again.end(), Some(0));
}

#[test]
fn seeds_are_imported_and_what_is_skipped_is_named() {
    let home = new_home();
    let seeds = tempfile::tempdir().expect("a folder");
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo/many-tongues.json");
    std::fs::copy(document, seeds.path().join("a.json")).expect("a document");
    std::fs::write(seeds.path().join("b.json"), "{\"no\": \"document\"}").expect("a file");
    let dir = seeds.path().to_str().expect("UTF-8");
    let demo = Demo::start(home.path(), &["--seed", dir]);
    assert_eq!(demo.skipped.len(), 1, "{:?}", demo.skipped);
    assert!(demo.skipped[0]["skipped"].as_str().is_some_and(|file| file.ends_with("b.json")));
    let text = std::fs::read_to_string(demo.file()).expect("the file stands there");
    assert!(text.contains("すべての言葉") && text.contains("שלום"), "{text}");
    assert_eq!(demo.end(), Some(0));
}

#[test]
fn an_mcp_client_gets_the_path() {
    let home = new_home();
    let demo = Demo::start(home.path(), &[]);
    let mut bridge = program(home.path())
        .arg("bridge")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the bridge starts");
    let mut input = bridge.stdin.take().expect("a pipe");
    let mut output = BufReader::new(bridge.stdout.take().expect("a pipe")).lines();
    let mut ask = |message: Value| -> Value {
        writeln!(input, "{message}").expect("the bridge reads");
        if message.get("id").is_none() {
            return Value::Null;
        }
        serde_json::from_str(&output.next().expect("an answer").expect("a line")).expect("JSON")
    };
    let hello = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } }));
    assert_eq!(hello["result"]["serverInfo"]["name"], "mcp-workspace");
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let mut call = |id: u32, tool: &str, arguments: Value| {
        let answer = ask(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                                 "params": { "name": tool, "arguments": arguments } }));
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
        answer["result"]["structuredContent"].clone()
    };
    let found = call(2, "search", json!({ "query": "quarterly" }));
    let fetched = call(3, "fetch", json!({ "id": found["results"][0]["id"] }));
    assert_eq!(fetched["path"], json!(demo.file()));
    let line =
        fetched["outline"].as_array().and_then(|outline| outline.iter().find(|h| h["title"] == "Quarterly report"));
    let line = line.and_then(|heading| heading["line"].as_u64()).expect("the heading has a line");
    let text = std::fs::read_to_string(demo.file()).expect("the file stands there");
    let there = text.lines().nth(usize::try_from(line).expect("a small number") - 1);
    assert!(there.is_some_and(|line| line.contains("Quarterly report")), "{there:?}");
    drop(input);
    assert!(bridge.wait().expect("the bridge ends").success());
    // Who would be a daemon himself leaves the client to the demo's, and says so.
    let joined = program(home.path()).args(["serve", "--stdio"]).stdin(Stdio::null()).output().expect("it runs");
    assert!(String::from_utf8_lossy(&joined.stderr).contains("joined it"), "{joined:?}");
    assert_eq!(demo.end(), Some(0));
}

/// A desktop whose program for notifications writes down what it is asked to show.
#[test]
fn what_waits_for_a_person_is_told_on_the_desktop() {
    let home = new_home();
    let (bin, shown) = (home.path().join("bin"), home.path().join("shown"));
    std::fs::create_dir(&bin).expect("a folder");
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >>'{}'\n", shown.display());
    std::fs::write(bin.join("notify-send"), script).expect("a file");
    std::fs::set_permissions(bin.join("notify-send"), PermissionsExt::from_mode(0o755)).expect("a program");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a path"));
    let desktop = || {
        let mut command = program(home.path());
        command.env("PATH", &path).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        command
    };
    let demo = Demo::start_by(desktop(), &[]);
    let child = program(home.path()).args(["status", "--watch", "--json"]).stdout(Stdio::piped()).spawn();
    let mut watch = Ended(child.expect("the program starts"));
    let lines = lines(&mut watch.0);
    let first = lines.recv_timeout(START_WAIT).expect("how things stand");
    assert!(!first.contains("\"held\""), "{first}");
    std::fs::write(demo.file(), "").expect("the file is emptied");
    let held = std::iter::from_fn(|| lines.recv_timeout(START_WAIT).ok()).find(|line| line.contains("\"held\""));
    let held = held.expect("a change is shown");
    assert!(held.contains(demo.file().to_str().expect("UTF-8")), "{held}");
    let deadline = Instant::now() + START_WAIT;
    let told = loop {
        let told = std::fs::read_to_string(&shown).unwrap_or_default();
        if told.lines().count() >= 4 || Instant::now() > deadline {
            break told;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told.get(..3), Some(&["--app-name=mcp-workspace", "--", "An edit is held"][..]), "{told:?}");
    assert!(told[3].starts_with("An edit of \"Meeting notes\" waits for you: the file is empty"), "{told:?}");
    let pid = rustix::process::Pid::from_child(&watch.0);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it still watches");
    assert_eq!(watch.0.wait().expect("our child").code(), Some(0), "Ctrl-C is a good end");
    assert_eq!(demo.end(), Some(0));
    assert_eq!(std::fs::read_to_string(&shown).expect("a file").lines().count(), 4, "once");
}
