//! An MCP client of a set of tools, behind the real bridge.

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
}

impl Client {
    pub(crate) fn new(world: &World, profile: &str) -> Self {
        let mut bridge = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
            .args(["bridge", "--profile", profile, "--home"])
            .arg(&world.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (bridge.stdin.take(), BufReader::new(bridge.stdout.take().unwrap()).lines());
        let mut client = Self { bridge, input, output, asked: 0 };
        let hello = client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert_eq!(hello["serverInfo"]["name"], "mcp-workspace");
        assert!(hello["instructions"].as_str().unwrap().len() < 2048);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let answer: Value = serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap();
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{answer}");
                return answer["result"].clone();
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
