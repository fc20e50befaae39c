//! The log of requests: what was asked by whom, and what came of it. Cookies, tokens and passwords are never in it.

use serde::Serialize;
use serde_json::Value;

use super::faults::Fault;
use super::hosts::{Host, host_of};
use super::model::Millis;
use super::reply::Reply;
use super::{Notebooks, rpc};
use crate::emulator::call::Call;
use crate::emulator::clock;
use crate::notebooklm::ids::Operation;

/// Entries that are kept; the oldest go first.
const ENTRIES_MAX: usize = 10_000;

/// Bytes of what was asked with that are kept; more is told as null.
const PARAMS_BYTES_MAX: usize = 64 << 10;

/// The parts of a query that are shown as they are. All others may be secret.
const SHOWN: [&str; 12] = [
    "rpcids",
    "source-path",
    "hl",
    "rt",
    "bl",
    "_reqid",
    "authuser",
    "location",
    "pageSize",
    "uploadType",
    "flowName",
    "AddSession",
];

/// An entry.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Logged {
    /// When it came, RFC 3339 in UTC.
    at: String,
    /// The method.
    method: String,
    /// The host's name.
    host: String,
    /// The path, with what may be shown of the query.
    path: String,
    /// The name of the operation.
    operation: String,
    /// What it was asked with.
    params: Value,
    /// Who asked.
    account: Option<String>,
    /// The HTTP status; 0 when the connection was cut before the head.
    status: u16,
    /// The status of the refusal, for one within an answer.
    refusal: Option<i64>,
    /// The fault that struck.
    fault: Value,
}

/// What is learned of a request while it is carried out.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    /// The name of the operation.
    pub(super) operation: String,
    /// What it is asked with.
    pub(super) params: Value,
    /// Who asks.
    pub(super) account: Option<String>,
    /// The status of the refusal.
    pub(super) refusal: Option<i64>,
}

impl Heard {
    /// Returns what a request says of itself.
    pub(super) fn of(call: &Call) -> Self {
        let path = call.path.as_str();
        let operation = if path.contains("/v1alpha/") {
            "ENTERPRISE"
        } else if host_of(call) == Some(Host::Accounts) {
            "ACCOUNTS"
        } else if rpc::is_batch(path) {
            call.parameter("rpcids").map_or("", name_of)
        } else if rpc::is_chat(path) {
            "CHAT"
        } else if path.starts_with("/upload/") {
            "UPLOAD"
        } else if path == "/login" {
            "LOGIN"
        } else {
            "PAGE"
        };
        Self { operation: operation.to_owned(), ..Self::default() }
    }
}

/// Returns the name of an operation; for an id that nobody knows, nothing.
fn name_of(id: &str) -> &'static str {
    Operation::ALL.iter().find(|operation| operation.wire_id() == id).map_or("", |operation| operation.name())
}

/// Returns the path with what may be shown of the query.
fn shown(call: &Call) -> String {
    let part = |pair: &str| match pair.split_once('=') {
        Some((key, _)) if !SHOWN.contains(&key) => format!("{key}=..."),
        Some(_) | None => pair.to_owned(),
    };
    let query: Vec<String> = call.raw_query.split('&').filter(|pair| !pair.is_empty()).map(part).collect();
    if query.is_empty() { call.path.clone() } else { format!("{}?{}", call.path, query.join("&")) }
}

impl Notebooks {
    /// Adds an entry.
    pub(super) fn note(&mut self, now: Millis, call: &Call, heard: Heard, reply: &Reply, fault: Option<&Fault>) {
        let long = heard.params.to_string().len() > PARAMS_BYTES_MAX;
        if self.log.len() >= ENTRIES_MAX {
            self.log.pop_front();
        }
        self.log.push_back(Logged {
            at: clock::rfc3339(now),
            method: call.method.clone(),
            host: call.host.split(':').next().unwrap_or_default().to_owned(),
            path: shown(call),
            operation: heard.operation,
            params: if long { Value::Null } else { heard.params },
            account: heard.account,
            status: if reply.pieces.is_empty() { 0 } else { reply.status },
            refusal: heard.refusal,
            fault: fault.map(Fault::word).unwrap_or_default(),
        });
    }
}
