//! An MCP client of a set of tools, behind the real bridge.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::world::World;

/// The client.
pub(crate) struct Client {
    bridge: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    asked: u32,
    is_modern: bool,
    /// What came unasked, and was not looked for yet.
    told: VecDeque<Value>,
}

impl Client {
    fn started(world: &World, profile: &str) -> Self {
        let mut bridge = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
            .args(["bridge", "--profile", profile, "--home"])
            .arg(&world.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (bridge.stdin.take(), BufReader::new(bridge.stdout.take().unwrap()).lines());
        Self { bridge, input, output, asked: 0, is_modern: false, told: VecDeque::new() }
    }

    pub(crate) fn new(world: &World, profile: &str) -> Self {
        let mut client = Self::started(world, profile);
        let hello = client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert_eq!(hello["serverInfo"]["name"], "mcp-workspace");
        assert!(hello["instructions"].as_str().unwrap().len() < 2048);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// A client of the newer era, which says who it is with each request and has no session.
    pub(crate) fn modern(world: &World, profile: &str) -> Self {
        let mut client = Self::started(world, profile);
        client.is_modern = true;
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
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

    fn answer(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            self.told.push_back(message);
        }
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
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
        assert_eq!(result["structuredContent"], text);
        Ok(text)
    }

    pub(crate) fn done(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call(tool, arguments).unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let ended = self.bridge.wait();
        assert!(std::thread::panicking() || ended.is_ok_and(|ended| ended.success()));
    }
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
