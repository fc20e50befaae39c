//! What a bridge knows of the conversation that it carries from one daemon to another: what is in flight, what may be
//! asked again, how the client began and what it watches. Nothing here reads or writes.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::time::Duration;

use rmcp::model::RequestId;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answer::DAEMON_GONE;
use super::skim::{ID_BYTES_MAX, Skim, id_of};
use super::socket::LINE_BYTES_MAX;
use super::watching::WATCHED_MAX;

/// The most requests of a client in flight; more than any client has, and a bound on what is remembered.
const IN_FLIGHT_MAX: usize = 1024;
/// How the ids of the bridge's own requests begin.
const OWN_ID: &str = "mcp-workspace-bridge-";
/// The JSON-RPC error of a line that is no JSON.
const PARSE_ERROR: i32 = -32700;
/// The JSON-RPC error of JSON that is no message.
const INVALID_REQUEST: i32 = -32600;
/// Requests that only ask: one that a daemon took with it is asked of the next.
const ASKING: [&str; 7] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];
/// How many daemons are asked: one that went, one that still let us in while it did, and a new one. More would be a
/// request that no daemon survives.
const ASKED_MAX: u32 = 3;
/// How much of such requests is kept for that, all in all.
const KEPT_BYTES_MAX: usize = 1024 * 1024;
/// How a client of the newer era says of each request on which terms it speaks.
const TERMS: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];
/// The longest terms that are kept.
const TERMS_BYTES_MAX: usize = 64 * 1024;

/// What a bridge adds to the terms of a call: how many milliseconds it may take, as the environment of the bridge says.
pub(super) const TIMEOUT_META: &str = "mcp-workspace/timeout-ms";

/// What a line of the client is.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// Nothing.
    Blank,
    /// What the daemon would pass over, so that the client would wait for ever.
    Unreadable(Refusal),
    /// A request.
    Request { id: RequestId, method: String },
    /// A notification, with its method, or what a daemon makes of it.
    Other(String),
}

/// Why a line goes no further.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    id: Option<RequestId>,
    code: i32,
    what: String,
}

/// Reads as much of a line as must be known of it.
pub(super) fn read(line: &[u8]) -> Said {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Said::Blank;
    }
    if let Err(error) = serde_json::from_slice::<Readable>(line) {
        let what = format!("this line is no JSON-RPC message that can be read: {error}");
        return Said::Unreadable(Refusal { id: Skim::of(line).request_id(), code: PARSE_ERROR, what });
    }
    let invalid = |id, what: &str| Said::Unreadable(Refusal { id, code: INVALID_REQUEST, what: what.into() });
    let is_object = line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let Some(head) = serde_json::from_slice::<Head<'_>>(line).ok().filter(|_| is_object) else {
        return invalid(None, "this line is no single message of MCP");
    };
    let id = head.id.and_then(|id| id_of(id.get().as_bytes()));
    let Some(method) = head.method else {
        let is_response = head.result.is_some() || head.error.is_some();
        return if is_response { Said::Other(String::new()) } else { invalid(id, "there is no method") };
    };
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return invalid(id, "the method is no text");
    };
    match (head.id, id) {
        (None, _) => Said::Other(method),
        (Some(_), Some(id)) => Said::Request { id, method },
        (Some(_), None) => invalid(
            None,
            &format!("an id is an integer, or a text of at most {ID_BYTES_MAX} bytes; this one is neither"),
        ),
    }
}

/// Says in a call of a tool how long it may take, where it does not say so itself; `None` for what goes on as it is.
pub(super) fn with_timeout(said: &Said, line: &[u8], timeout: Duration) -> Option<Vec<u8>> {
    if !matches!(said, Said::Request { method, .. } if method == "tools/call") {
        return None;
    }
    let mut message = serde_json::from_slice::<Value>(line).ok()?;
    let params = message.get_mut("params")?.as_object_mut()?;
    let terms = params.entry("_meta").or_insert_with(|| json!({})).as_object_mut()?;
    let milliseconds = u64::try_from(timeout.as_millis()).ok()?;
    terms.entry(TIMEOUT_META).or_insert_with(|| milliseconds.into());
    serde_json::to_vec(&message).ok().filter(|line| line.len() <= LINE_BYTES_MAX)
}

/// Tells of a line of the client that was too long to be read.
pub(super) fn too_long(skim: Skim) -> Refusal {
    let what = format!("the line is longer than {} MiB", LINE_BYTES_MAX >> 20);
    Refusal { id: skim.request_id(), code: INVALID_REQUEST, what }
}

/// Answers a request that could not be carried out.
pub(super) fn failure(id: RequestId, what: &str, suggestion: &str) -> Value {
    error(Some(id), DAEMON_GONE, &format!("{what}. {suggestion}"))
}

fn error(id: Option<RequestId>, code: i32, message: &str) -> Value {
    let id = id.map_or(Value::Null, RequestId::into_json_value);
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// What must be known of the conversation to carry it to another daemon.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The client's `initialize` that has no answer yet.
    asked: Option<(RequestId, Vec<u8>)>,
    /// The client's `initialize` that was granted, in the era that has it.
    granted: Option<Vec<u8>>,
    /// The terms on which the client speaks, in the era in which each request has them.
    terms: Option<Value>,
    /// Requests without an answer yet, oldest first.
    in_flight: Vec<InFlight>,
    /// The addresses of the resources that the client has subscribed to.
    watched: BTreeSet<String>,
}

/// A request without an answer.
#[derive(Debug)]
struct InFlight {
    id: RequestId,
    /// The whole request, if it may be asked again.
    again: Option<Vec<u8>>,
    /// How many daemons have been asked.
    asked: u32,
}

/// What a daemon is asked that is not the client's first, so that it is known to answer before it is asked anything
/// that counts.
#[derive(Debug)]
pub(super) struct Greeting {
    pub(super) message: Value,
    /// Whether it begins a session, which it has to be granted.
    pub(super) is_initialize: bool,
}

/// What becomes of a message of the daemon.
#[derive(Debug, PartialEq)]
pub(super) struct Heard {
    /// Whether the client should hear it.
    pub(super) is_for_client: bool,
    /// Whether it says that the daemon is being stopped, so that it answers nothing any more.
    pub(super) is_last: bool,
}

/// What becomes of the requests whose daemon went away.
#[derive(Debug)]
pub(super) struct Lost {
    /// Answers to those that may have been carried out.
    pub(super) failed: Vec<Value>,
    /// Those that the next daemon is asked; they are in flight again.
    pub(super) again: Vec<Vec<u8>>,
}

impl Conversation {
    /// Answers a line that goes no further; not under the id of a request in flight, or it would be the answer to that.
    pub(super) fn refuse(&self, refusal: Refusal) -> Value {
        let id = refusal.id.filter(|id| self.position(id).is_none());
        error(id, refusal.code, &refusal.what)
    }

    /// Tells why a request cannot be let through now.
    ///
    /// # Errors
    ///
    /// The answer to it.
    pub(super) fn admit(&self, id: &RequestId) -> Result<(), Value> {
        if self.position(id).is_some() {
            return Err(error(None, INVALID_REQUEST, "the id is that of a request without an answer yet"));
        }
        if self.in_flight.len() >= IN_FLIGHT_MAX {
            return Err(failure(id.clone(), "too many requests are waiting", "Wait for answers."));
        }
        Ok(())
    }

    /// Notes what goes to the daemon.
    pub(super) fn note(&mut self, said: &Said, line: &[u8]) {
        match said {
            Said::Request { id, method } => {
                if method == "initialize" && self.granted.is_none() {
                    self.asked = Some((id.clone(), line.to_vec()));
                }
                self.note_watched(method, line);
                self.note_terms(line);
                let kept: usize =
                    self.in_flight.iter().filter_map(|request| request.again.as_ref()).map(Vec::len).sum();
                let asks = ASKING.contains(&method.as_str()) && kept + line.len() <= KEPT_BYTES_MAX;
                self.in_flight.push(InFlight { id: id.clone(), again: asks.then(|| line.to_vec()), asked: 1 });
            }
            Said::Other(method) if method == "notifications/cancelled" => self.forget_cancelled(line),
            Said::Other(_) | Said::Blank | Said::Unreadable(_) => {}
        }
    }

    /// Notes what a client of the old era watches, and what no longer.
    fn note_watched(&mut self, method: &str, line: &[u8]) {
        let is_new = match method {
            "resources/subscribe" => true,
            "resources/unsubscribe" => false,
            _ => return,
        };
        let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
        let Some(uri) = message.pointer("/params/uri").and_then(Value::as_str) else { return };
        if !is_new {
            self.watched.remove(uri);
        } else if self.watched.len() < WATCHED_MAX {
            self.watched.insert(uri.to_owned());
        }
    }

    /// Notes the terms on which a client of the newer era speaks, the first time that it says them.
    fn note_terms(&mut self, line: &[u8]) {
        if self.terms.is_some() || self.granted.is_some() {
            return;
        }
        let Some(said) = serde_json::from_slice::<Termed<'_>>(line).ok().and_then(|termed| termed.params?.meta) else {
            return;
        };
        let terms: HashMap<_, _> = TERMS.iter().filter_map(|name| Some((name, *said.get(*name)?))).collect();
        let bytes: usize = terms.values().map(|value| value.get().len()).sum();
        if terms.contains_key(&TERMS[0]) && bytes <= TERMS_BYTES_MAX {
            self.terms = serde_json::to_value(terms).ok();
        }
    }

    /// A request that the client has taken back gets no answer, so none is waited for.
    fn forget_cancelled(&mut self, line: &[u8]) {
        let message = serde_json::from_slice::<Value>(line).unwrap_or_default();
        let id = message.pointer("/params/requestId").and_then(|id| serde_json::from_value(id.clone()).ok());
        if let Some(id) = id {
            self.settle(&id);
        }
    }

    /// Notes what the daemon says, and tells what becomes of it. The client hears messages alone, and no answer to what
    /// it does not wait for.
    pub(super) fn hear(&mut self, line: &[u8]) -> Heard {
        let heard = |is_for_client| Heard { is_for_client, is_last: false };
        let is_object = line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let Some(answer) = serde_json::from_slice::<Answer<'_>>(line).ok().filter(|_| is_object) else {
            tracing::warn!("the daemon said what is no message; the client does not hear it");
            return heard(false);
        };
        let (Some(id), None) = (answer.id, answer.method) else { return heard(true) };
        let Some(id) = id_of(id.get().as_bytes()) else { return heard(true) };
        if matches!(&id, RequestId::String(text) if text.starts_with(OWN_ID)) {
            // What was asked for the client, who has had an answer from another daemon.
            return heard(false);
        }
        let asked = self.position(&id).and_then(|at| self.in_flight.get(at));
        let is_last = asked.is_some() && answer.error.as_ref().is_some_and(|error| error["code"] == DAEMON_GONE);
        if is_last && asked.is_some_and(|request| request.again.is_some()) {
            // The next one is asked.
            return Heard { is_for_client: false, is_last };
        }
        if let Some((_, initialize)) = self.asked.take_if(|(asked, _)| *asked == id)
            && answer.error.is_none()
        {
            self.granted = Some(initialize);
        }
        Heard { is_for_client: self.settle(&id), is_last }
    }

    /// Forgets a request; tells whether it was in flight.
    pub(super) fn settle(&mut self, id: &RequestId) -> bool {
        let position = self.position(id);
        if let Some(position) = position {
            self.in_flight.remove(position);
        }
        position.is_some()
    }

    fn position(&self, id: &RequestId) -> Option<usize> {
        self.in_flight.iter().position(|request| request.id == *id)
    }

    /// Tells whether any request is in flight.
    pub(super) fn is_waiting(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// Takes apart what was in flight when its daemon went away. What only asks is asked again, and so is what no
    /// daemon can have read, since it was not `unsent` whole.
    pub(super) fn lose(&mut self, unsent: impl Iterator<Item = Vec<u8>>) -> Lost {
        for line in unsent {
            if let Said::Request { id, .. } = read(&line)
                && let Some(request) = self.position(&id).and_then(|at| self.in_flight.get_mut(at))
            {
                request.again = Some(line);
            }
        }
        let mut lost = Lost { failed: Vec::new(), again: Vec::new() };
        for mut request in std::mem::take(&mut self.in_flight) {
            let Some(line) = request.again.as_ref().filter(|_| request.asked < ASKED_MAX) else {
                let what = "the daemon was restarted while this request was at work; its outcome is unknown";
                lost.failed.push(failure(request.id, what, "Look what became of it, then ask again."));
                continue;
            };
            lost.again.push(line.clone());
            request.asked += 1;
            self.in_flight.push(request);
        }
        lost
    }

    /// Answers all that is in flight with a failure.
    pub(super) fn fail(&mut self, what: &str, suggestion: &str) -> impl Iterator<Item = Value> {
        std::mem::take(&mut self.in_flight).into_iter().map(move |request| failure(request.id, what, suggestion))
    }

    /// Returns what a daemon is asked that is not the first, under an id of the bridge's own: the client's `initialize`
    /// where there is a session to carry over, else who it is; `None` while the client has said nothing yet by which
    /// its era is known.
    pub(super) fn greeting(&self, joined: u64) -> Option<Greeting> {
        let id = format!("{OWN_ID}{joined}");
        let Some(granted) = &self.granted else {
            let params = json!({ "_meta": self.terms.as_ref()? });
            let message = json!({ "jsonrpc": "2.0", "id": id, "method": "server/discover", "params": params });
            return Some(Greeting { message, is_initialize: false });
        };
        let mut message = serde_json::from_slice::<Value>(granted).ok()?;
        *message.get_mut("id")? = id.into();
        Some(Greeting { message, is_initialize: true })
    }

    /// Tells whether the client was promised a living session.
    pub(super) fn has_session(&self) -> bool {
        self.granted.is_some()
    }

    /// Returns what the next daemon is asked once it was greeted, and what the client is told.
    pub(super) fn carry_over(&self, joined: u64) -> (Vec<Value>, Vec<Value>) {
        let (mut asked, mut told) = (Vec::new(), Vec::new());
        for (at, uri) in self.watched.iter().enumerate() {
            let (id, params) = (format!("{OWN_ID}{joined}-{at}"), json!({ "uri": uri }));
            asked.push(json!({ "jsonrpc": "2.0", "id": id, "method": "resources/subscribe", "params": params }));
            // What changed while nobody looked is not told by itself.
            told.push(json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params }));
        }
        for list in ["tools", "resources"] {
            told.push(json!({ "jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed") }));
        }
        (asked, told)
    }
}

/// The little that is read of each message of the client.
#[derive(Debug, serde::Deserialize)]
struct Head<'line> {
    #[serde(default, borrow)]
    id: Option<&'line RawValue>,
    #[serde(default, borrow)]
    method: Option<&'line RawValue>,
    #[serde(default)]
    result: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

/// A request of the newer era.
#[derive(Debug, serde::Deserialize)]
struct Termed<'line> {
    #[serde(default, borrow)]
    params: Option<TermedParams<'line>>,
}

#[derive(Debug, serde::Deserialize)]
struct TermedParams<'line> {
    #[serde(default, borrow, rename = "_meta")]
    meta: Option<HashMap<String, &'line RawValue>>,
}

/// The little that is read of each message of the daemon.
#[derive(Debug, serde::Deserialize)]
struct Answer<'line> {
    #[serde(default, borrow)]
    id: Option<&'line RawValue>,
    #[serde(default)]
    method: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<Value>,
}

/// JSON that whoever reads it whole can read: no deeper than readers go, of texts that are texts and numbers that are
/// numbers. A reader that ignores values looks at none of that.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Readable {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self, A::Error> {
        while values.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: i64, method: &str) -> Vec<u8> {
        json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string().into_bytes()
    }

    fn ask(conversation: &mut Conversation, line: &[u8]) {
        conversation.note(&read(line), line);
    }

    fn ids(answers: &[Value]) -> Vec<i64> {
        answers.iter().filter_map(|answer| answer["id"].as_i64()).collect()
    }

    #[test]
    fn lines_are_told_apart() {
        let other = |method: &str| Said::Other(method.into());
        for (line, said) in [
            (" \r", Said::Blank),
            (r#"{"method":"notifications/x"}"#, other("notifications/x")),
            (r#"{"id":null,"method":"x"}"#, other("x")),
            (r#"{"id":1,"result":{}}"#, other("")),
            (r#"{"id":{},"result":{}}"#, other("")),
            (r#"{"result":{}}"#, other("")),
            (r#"{"id":1.0,"method":"x"}"#, Said::Request { id: RequestId::Number(1), method: "x".into() }),
            ("{\"id\":1,\"method\":\"\\u0078\"}\r", Said::Request { id: RequestId::Number(1), method: "x".into() }),
        ] {
            assert_eq!(read(line.as_bytes()), said, "{line}");
        }
        for (line, id) in [("{}", Value::Null), (r#"{"id":7}"#, json!(7)), (r#"{"id":8,"method":"x",}"#, json!(8))] {
            let mut conversation = Conversation::default();
            let refuse = |conversation: &Conversation| match read(line.as_bytes()) {
                Said::Unreadable(refusal) => conversation.refuse(refusal)["id"].clone(),
                said @ (Said::Blank | Said::Request { .. } | Said::Other(_)) => panic!("{line}: {said:?}"),
            };
            assert_eq!(refuse(&conversation), id, "{line}");
            for id in [7, 8] {
                ask(&mut conversation, &request(id, "ping"));
            }
            assert_eq!(refuse(&conversation), Value::Null, "{line}");
        }
    }

    #[test]
    fn a_call_of_a_tool_says_how_long_it_may_take() {
        let check = |line: &str, expected: Option<Value>| {
            let said = read(line.as_bytes());
            let timed = with_timeout(&said, line.as_bytes(), Duration::from_millis(1500));
            assert_eq!(timed.map(|line| serde_json::from_slice::<Value>(&line).unwrap()), expected, "{line}");
        };
        let call = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let timed = call(json!({ "name": "ask", "_meta": { TIMEOUT_META: 1500 } }));
        check(&call(json!({ "name": "ask" })).to_string(), Some(timed));
        let both = json!({ "_meta": { "progressToken": 7, TIMEOUT_META: 1500 } });
        check(&call(json!({ "_meta": { "progressToken": 7 } })).to_string(), Some(call(both)));
        // Its own word counts.
        let own = call(json!({ "_meta": { TIMEOUT_META: 9 } }));
        check(&own.to_string(), Some(own.clone()));
        for other in ["tools/list", "notifications/cancelled"] {
            check(&json!({ "jsonrpc": "2.0", "id": 1, "method": other, "params": {} }).to_string(), None);
        }
        // What the daemon refuses goes on as it is.
        check(&call(json!([])).to_string(), None);
        check(&call(json!({ "_meta": 3 })).to_string(), None);
    }

    #[test]
    fn of_what_was_lost_only_what_cannot_have_been_done_is_asked_again() {
        let mut conversation = Conversation::default();
        for (id, method) in [(1, "tools/call"), (2, "tools/list"), (3, "tools/call"), (4, "ping"), (5, "tools/call")] {
            ask(&mut conversation, &request(id, method));
        }
        let mut is_told = |line: &[u8]| conversation.hear(line).is_for_client;
        assert!(is_told(br#"{"jsonrpc":"2.0","id":4,"result":{}}"#));
        assert!(!is_told(br#"{"jsonrpc":"2.0","id":4,"result":{}}"#), "nobody waits for it any more");
        ask(&mut conversation, br#"{"method":"notifications/cancelled","params":{"requestId":1}}"#);
        // One that is being stopped says so.
        let heard = conversation.hear(br#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":""}}"#);
        assert_eq!(heard, Heard { is_for_client: false, is_last: true });
        let unsent = || std::iter::once(request(5, "tools/call"));
        let lost = conversation.lose(unsent());
        assert_eq!(ids(&lost.failed), [3]);
        assert_eq!(lost.again, [request(2, "tools/list"), request(5, "tools/call")]);
        assert!(conversation.admit(&RequestId::Number(2)).is_err(), "it is in flight again");
        assert_eq!(conversation.lose(unsent()).again.len(), 2);
        // No daemon survives them.
        assert_eq!(ids(&conversation.lose(unsent()).failed), [2, 5]);
        assert!(!conversation.is_waiting());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut conversation = Conversation::default();
        let long = json!({ "id": 0, "method": "resources/read", "params": { "uri": "x".repeat(KEPT_BYTES_MAX) } });
        ask(&mut conversation, long.to_string().as_bytes());
        for id in 1..1024 {
            assert_eq!(conversation.admit(&RequestId::Number(id)), Ok(()));
            ask(&mut conversation, &request(id, "ping"));
        }
        assert_eq!(conversation.admit(&RequestId::Number(1024)).unwrap_err()["id"], 1024);
        assert_eq!(ids(&conversation.lose(std::iter::empty()).failed), [0], "it was too long to be kept");
        for uri in 0..100 {
            let line = json!({ "id": 5000, "method": "resources/subscribe", "params": { "uri": uri.to_string() } });
            ask(&mut conversation, line.to_string().as_bytes());
            conversation.settle(&RequestId::Number(5000));
        }
        assert_eq!(conversation.carry_over(1).0.len(), WATCHED_MAX);
    }

    #[test]
    fn a_session_begins_when_it_is_granted() {
        let mut conversation = Conversation::default();
        for (id, answer) in [(1, r#""error":{}"#), (2, r#""result":{}"#), (3, r#""result":{}"#)] {
            assert_eq!(conversation.has_session(), id > 2);
            ask(&mut conversation, json!({ "id": id, "method": "initialize", "params": id }).to_string().as_bytes());
            assert!(conversation.hear(format!(r#"{{"id":{id},{answer}}}"#).as_bytes()).is_for_client);
        }
        let greeting = conversation.greeting(9).unwrap();
        assert_eq!(greeting.message, json!({ "id": "mcp-workspace-bridge-9", "method": "initialize", "params": 2 }));
        assert!(greeting.is_initialize);
        assert!(!conversation.hear(br#"{"id":"mcp-workspace-bridge-9","result":{}}"#).is_for_client);
    }

    #[test]
    fn a_client_without_a_session_is_known_by_its_terms() {
        let called = |meta: &Value| json!({ "id": 1, "method": "tools/call", "params": { "_meta": meta } }).to_string();
        let terms = json!({ TERMS[0]: "2026-07-28", TERMS[1]: { "name": "t" }, TERMS[2]: {} });
        let mut with_more = terms.clone();
        with_more["progressToken"] = 7.into();
        let mut too_long = terms.clone();
        too_long[TERMS[1]]["name"] = "x".repeat(TERMS_BYTES_MAX).into();
        for (meta, expected) in [
            (&json!(null), None),
            (&json!(7), None),
            (&json!({ "progressToken": 7 }), None),
            (&too_long, None),
            (&terms, Some(&terms)),
            (&with_more, Some(&terms)),
        ] {
            let mut conversation = Conversation::default();
            ask(&mut conversation, called(meta).as_bytes());
            let greeting = conversation.greeting(2);
            assert_eq!(greeting.as_ref().map(|greeting| &greeting.message["params"]["_meta"]), expected, "{meta}");
            assert!(greeting.is_none_or(|greeting| !greeting.is_initialize));
        }
    }
}
