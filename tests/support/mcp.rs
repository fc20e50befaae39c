//! An MCP client of a set of tools, behind the real bridge: a process, its pipes, and every line that went over them.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::world::World;

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-workspace");
/// How long anything may take on a busy machine.
pub(crate) const WAIT: Duration = Duration::from_secs(60);

/// The client. What it started is killed when it is dropped.
pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    errors: mpsc::Receiver<String>,
    asked: u32,
    is_modern: bool,
    /// Whether it is a fault when the process does not end well by itself.
    ends_well: bool,
    /// What came unasked, and was not looked for yet.
    told: VecDeque<Value>,
    /// What was said, by the client if so, once it is wanted.
    pub(crate) frames: Option<Vec<(bool, Value)>>,
}

impl Client {
    /// Starts a program; what it writes to stderr is there for [`Self::said`].
    pub(crate) fn start(program: &Path, home: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .arg("--home")
            .arg(home)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = reader(child.stdout.take().expect("a pipe"));
        let errors = reader(child.stderr.take().expect("a pipe"));
        let input = child.stdin.take();
        Self {
            child,
            input,
            lines,
            errors,
            asked: 0,
            is_modern: false,
            ends_well: false,
            told: VecDeque::new(),
            frames: None,
        }
    }

    /// The bridge to the daemon of a home.
    pub(crate) fn bridge(home: &Path) -> Self {
        Self::start(Path::new(PROGRAM), home, &["bridge"])
    }

    fn of(world: &World, profile: &str) -> Self {
        let mut client = Self::start(Path::new(PROGRAM), &world.home, &["bridge", "--profile", profile]);
        client.ends_well = true;
        client
    }

    pub(crate) fn new(world: &World, profile: &str) -> Self {
        let mut client = Self::of(world, profile);
        let hello = client.greet()["result"].clone();
        assert_eq!(hello["serverInfo"]["name"], "mcp-workspace");
        assert!(hello["instructions"].as_str().unwrap().len() < 2048);
        client
    }

    /// A client whose every word is kept, from the first.
    pub(crate) fn recorded(world: &World, profile: &str) -> Self {
        let mut client = Self::of(world, profile);
        client.frames = Some(Vec::new());
        client.greet();
        client
    }

    /// A client of the newer era, which says who it is with each request and has no session.
    pub(crate) fn modern(world: &World, profile: &str) -> Self {
        let mut client = Self::of(world, profile);
        client.is_modern = true;
        client
    }

    /// Begins a session of the older era; returns the answer.
    pub(crate) fn greet(&mut self) -> Value {
        let client = json!({ "name": "t", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let answer = self.answer("initialize", &params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
        if let Some(frames) = &mut self.frames {
            frames.push((true, message.clone()));
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("stdin is open").write_all(bytes).expect("it reads");
    }

    /// Sends a request, and waits for no answer.
    pub(crate) fn begin(&mut self, method: &str, params: &Value) -> u32 {
        self.asked += 1;
        let mut params = params.clone();
        if self.is_modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    /// Asks, and returns the answer, whichever it is.
    pub(crate) fn answer(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            assert!(message.get("id").is_none(), "it answers what nobody asked: {message}");
            self.told.push_back(message);
        }
    }

    /// The next message; whatever stands on stdout must be one.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(WAIT).unwrap_or_else(|error| {
            panic!("no message ({error}); it said {:?}", self.errors.try_iter().collect::<Vec<_>>())
        });
        let message = message_of(&line);
        if let Some(frames) = &mut self.frames {
            frames.push((false, message.clone()));
        }
        message
    }

    /// Asks, and gets a result.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Asks, and gets an error.
    pub(crate) fn refuse(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("result").is_none(), "{answer}");
        answer["error"].clone()
    }

    /// The names of the tools.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let tools = self.ask("tools/list", &json!({}));
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits for a notification, and returns what it says.
    pub(crate) fn notified(&mut self, method: &str) -> Value {
        loop {
            let message = self.told.pop_front().unwrap_or_else(|| self.next());
            assert!(message.get("error").is_none(), "{message}");
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// Calls a tool; returns its answer, or what it tells of an error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Value> {
        let result = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        if result["isError"] == true {
            assert!(result.get("structuredContent").is_none() && text["success"] == false, "{result}");
            return Err(text);
        }
        assert_ne!(text["success"], false, "{text}");
        let answer = result["structuredContent"].clone();
        // The text of a long answer with an outline lacks its lists, and says so.
        if text["left_out"].is_null() || answer.get("outline").is_none() {
            assert_eq!(answer, text);
        }
        Ok(answer)
    }

    pub(crate) fn done(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call(tool, arguments).unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }

    /// Waits until it says this on stderr.
    pub(crate) fn said(&self, expected: &str) {
        let deadline = Instant::now() + WAIT;
        loop {
            let line = self.errors.recv_timeout(deadline.saturating_duration_since(Instant::now())).expect("a line");
            if line.contains(expected) {
                return;
            }
        }
    }

    /// Closes stdin and returns how it ended and what was left on stdout.
    pub(crate) fn leave(&mut self) -> (ExitStatus, Vec<String>) {
        drop(self.input.take());
        let status = ended(&mut self.child);
        (status, self.lines.iter().collect())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.ends_well && !std::thread::panicking() {
            let (status, _) = self.leave();
            assert!(status.success(), "{status} {:?}", self.errors.iter().collect::<Vec<_>>());
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Reads a line of stdout, where nothing but messages may stand.
pub(crate) fn message_of(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}

/// Reads lines as they come.
pub(crate) fn reader(out: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            drop(sender.send(line));
        }
    });
    lines
}

/// A field of `/proc/PID/status` in MiB.
pub(crate) fn memory(process: u32, field: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// Waits for the end of a process.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + WAIT;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("our child") {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it does not end")
}

/// A world with its daemon, and a document that says `text`.
pub(crate) fn document(name: &str, text: &str) -> (World, String) {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Ana's plan", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let id = made["id"].as_str().unwrap().to_owned();
    (world, id)
}
