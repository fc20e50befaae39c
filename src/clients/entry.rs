//! What a client is told about us: a name, a command, its arguments and environment.

use jsonc_parser::cst::CstInputValue;
use serde_json::{Map, Value, json};

use super::Client;

/// The file name of our program; an entry whose command has it is ours.
const PROGRAM: &str = "mcp-workspace";

/// The verbs that speak MCP.
const VERBS: [&str; 2] = ["bridge", "serve"];

/// An MCP server as clients know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name that it stands under.
    pub name: String,
    /// The program, as an absolute path: clients that are no shells have another `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that the program needs and that clients do not hand on.
    pub env: Vec<(String, String)>,
}

impl Entry {
    /// Returns the JSON that a client reads.
    #[must_use]
    pub fn value(&self, client: Client) -> Value {
        let mut value = Map::new();
        if client.names_transport() {
            value.insert("type".into(), json!("stdio"));
        }
        value.insert("command".into(), json!(self.command));
        value.insert("args".into(), json!(self.args));
        if !self.env.is_empty() {
            let env = self.env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            value.insert("env".into(), Value::Object(env));
        }
        Value::Object(value)
    }

    /// Returns the members in the order in which people write them.
    pub(super) fn members(&self, client: Client) -> Vec<(String, CstInputValue)> {
        let mut members: Vec<(String, CstInputValue)> = Vec::new();
        if client.names_transport() {
            members.push(("type".into(), "stdio".into()));
        }
        members.push(("command".into(), self.command.as_str().into()));
        members.push(("args".into(), self.args.clone().into()));
        if !self.env.is_empty() {
            let env = self.env.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
            members.push(("env".into(), CstInputValue::Object(env)));
        }
        members
    }

    /// Returns one line that a person may add to a config file.
    #[must_use]
    pub fn line(&self, client: Client) -> String {
        format!("{}: {}", Value::from(self.name.as_str()), self.value(client))
    }

    /// Tells whether an entry starts what this one starts, whatever else it says.
    pub(super) fn is_said_by(&self, value: &Value) -> bool {
        let env = |name: &str| value.get("env").and_then(|env| env.get(name)).and_then(Value::as_str);
        value.get("command").and_then(Value::as_str) == Some(self.command.as_str())
            && value.get("args") == Some(&json!(self.args))
            && value.get("type").is_none_or(|transport| transport == "stdio")
            && self.env.iter().all(|(name, wanted)| env(name) == Some(wanted.as_str()))
    }
}

/// Tells whether an entry starts a program of ours that speaks MCP, from wherever.
pub(super) fn is_ours(value: &Value) -> bool {
    let command = value.get("command").and_then(Value::as_str).unwrap_or_default();
    let program = command.rsplit('/').next().unwrap_or_default();
    let args = value.get("args").and_then(Value::as_array);
    let speaks = args.is_some_and(|args| args.iter().any(|arg| VERBS.iter().any(|verb| arg == verb)));
    program == PROGRAM && speaks
}
