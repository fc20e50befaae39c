//! What clients write: requests as they should be, and what is made of them.

use serde_json::{Value, json};

use super::dice::Dice;

/// How a client begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// What a session of the older era begins with.
pub(crate) fn hello() -> Value {
    json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } })
}

/// A request.
pub(crate) fn request(id: &Value, method: &str, params: &Value, era: Era) -> Value {
    let mut params = params.clone();
    if era == Era::Modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Bytes that mean nothing.
pub(crate) fn noise(dice: &mut Dice<'_>) -> Vec<u8> {
    (0..dice.roll(3000)).map(|_| dice.roll(256) as u8).collect()
}

/// A frame with a value replaced, or with its bytes tampered with, or both.
pub(crate) fn tampered(dice: &mut Dice<'_>, era: Era) -> Vec<u8> {
    let frames = [
        ("initialize", hello()),
        ("tools/list", json!({ "cursor": "x" })),
        ("tools/call", json!({ "name": "fetch", "arguments": { "id": "no-such-document", "section": "h.1" } })),
        ("tools/call", json!({ "name": "search", "arguments": { "query": "alpha", "limit": 3 } })),
        ("resources/read", json!({ "uri": "workspace://docs/overview" })),
        ("server/discover", json!({})),
        ("notifications/cancelled", json!({ "requestId": 3, "reason": "r" })),
        ("notifications/progress", json!({ "progressToken": 1, "progress": 0.5 })),
        ("subscriptions/listen", json!({ "filter": {} })),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("ping", json!({})),
    ];
    let (method, params) = &frames[dice.roll(frames.len())];
    let mut frame = request(&json!(dice.roll(6)), method, params, era);
    if method.starts_with("notifications/") {
        frame.as_object_mut().unwrap().remove("id");
    }
    if dice.once_in(2) {
        let wrong = [
            json!(null),
            json!(u64::MAX),
            json!(-1e300),
            json!(0.5),
            json!("x".repeat(dice.roll(100_000))),
            json!([[[[]]]]),
            json!({ "a": { "b": [] } }),
            json!(true),
            json!("\u{0}\u{202e}\u{1f600}\\\"\n"),
        ];
        let value = wrong[dice.roll(wrong.len())].clone();
        let places = ["/id", "/method", "/params", "/jsonrpc", "/params/name", "/params/arguments", "/params/_meta"];
        if let Some(place) = frame.pointer_mut(dice.pick(&places)) {
            *place = value;
        }
    }
    let mut line = frame.to_string().into_bytes();
    for _ in 0..dice.roll(4) {
        let at = dice.roll(line.len());
        match dice.roll(5) {
            0 if !line.is_empty() => line[at] = dice.roll(256) as u8,
            1 => line.truncate(at),
            2 => line.splice(at..at, vec![b'['; dice.roll(20_000)]).for_each(drop),
            3 => line.extend_from_within(at..),
            _ => line.insert(at, b'\n'),
        }
    }
    line
}
