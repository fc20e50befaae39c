//! What can be told of a message that is too long to be kept, or too broken to be read.
//!
//! Clients of the TypeScript and the Python SDK write the id behind the parameters, so that it cannot be looked for
//! at the beginning alone.

use rmcp::model::RequestId;

/// The longest id of a request; it is remembered and said back.
pub(super) const ID_BYTES_MAX: usize = 1024;
/// The most bytes of an id in JSON, where each may be written as `\u0000`.
const RAW_BYTES_MAX: usize = 6 * ID_BYTES_MAX + 2;
/// No name that is looked for is longer.
const NAME_BYTES_MAX: usize = 8;

/// Goes through the bytes of a message, and remembers nothing but the members that are looked for.
#[derive(Debug, Default)]
pub(super) struct Skim {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// Whether a name comes next, or has just come.
    is_name: bool,
    name: Vec<u8>,
    is_id: bool,
    value: Vec<u8>,
    /// Whether the message has ended, or never was an object.
    is_over: bool,
    id: Option<RequestId>,
    has_method: bool,
}

impl Skim {
    /// Looks through a whole line.
    pub(super) fn of(line: &[u8]) -> Self {
        let mut skim = Self::default();
        skim.read(line);
        skim
    }

    /// Looks through the bytes that follow.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_over {
                return;
            }
            if self.in_text {
                self.read_text(*byte);
            } else {
                self.read_mark(*byte);
            }
        }
    }

    /// Returns the id under which a request can be answered. A response has an id, too, but it is of a request of the
    /// other side.
    pub(super) fn request_id(self) -> Option<RequestId> {
        self.id.filter(|_| self.has_method)
    }

    /// Returns the id of the request that a response answers.
    pub(super) fn answered_id(self) -> Option<RequestId> {
        self.id.filter(|_| !self.has_method)
    }

    fn read_text(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_text = false,
            _ => {}
        }
    }

    fn read_mark(&mut self, byte: u8) {
        match byte {
            _ if byte.is_ascii_whitespace() && (self.is_name || self.depth == 0) => {}
            b'{' if self.depth == 0 => {
                self.depth = 1;
                self.is_name = true;
            }
            _ if self.depth == 0 => self.is_over = true,
            b',' if self.depth == 1 => {
                self.end_member();
                self.is_name = true;
            }
            b':' if self.depth == 1 && self.is_name => {
                self.is_name = false;
                self.is_id = self.name == b"\"id\"";
                self.has_method |= self.name == b"\"method\"";
                self.name.clear();
            }
            b'}' | b']' if self.depth == 1 => {
                self.end_member();
                self.is_over = true;
            }
            b'}' | b']' => {
                self.depth -= 1;
                self.keep(byte);
            }
            _ => {
                self.depth += usize::from(matches!(byte, b'{' | b'['));
                self.in_text = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        let (kept, bytes_max) = match (self.is_name, self.is_id) {
            (true, _) => (&mut self.name, NAME_BYTES_MAX),
            (false, true) => (&mut self.value, RAW_BYTES_MAX),
            (false, false) => return,
        };
        // One byte more tells that there were too many.
        if kept.len() <= bytes_max {
            kept.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.is_id {
            self.id = id_of(&self.value);
            self.value.clear();
            self.is_id = false;
        }
        self.name.clear();
    }
}

/// Reads the id of a request; `None` for what cannot be one, or is too long.
pub(super) fn id_of(json: &[u8]) -> Option<RequestId> {
    if json.len() > RAW_BYTES_MAX {
        return None;
    }
    serde_json::from_slice::<RequestId>(json).ok().filter(|id| length(id) <= ID_BYTES_MAX)
}

/// Counts the bytes of an id.
pub(super) fn length(id: &RequestId) -> usize {
    match id {
        RequestId::Number(_) => 0,
        RequestId::String(text) => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn check(line: &str, request: impl Into<Value>, answered: impl Into<Value>) {
        let (request, answered) = (request.into(), answered.into());
        let of = |id: Option<RequestId>| id.map_or(Value::Null, RequestId::into_json_value);
        assert_eq!(of(Skim::of(line.as_bytes()).request_id()), request, "{line}");
        assert_eq!(of(Skim::of(line.as_bytes()).answered_id()), answered, "{line}");
        let mut slowly = Skim::default();
        line.as_bytes().iter().for_each(|byte| slowly.read(&[*byte]));
        assert_eq!(of(slowly.request_id()), request, "{line}");
    }

    #[test]
    fn an_id_is_found_wherever_it_stands() {
        const NONE: Value = Value::Null;
        check(r#"{"id":7,"method":"m"}"#, json!(7), NONE);
        check(r#" {"method":"m","params":{"id":1,"a":[{"id":2}]},"id" : "x\"y" , "a":1}"#, json!("x\"y"), NONE);
        check(r#"{"id":7,"result":{"method":"m"}}"#, NONE, json!(7));
        check(r#"{"method":"m","text":"\",\"id\":3"}"#, NONE, NONE);
        check(r#"{"method":"m","text":"id","id":3.0}"#, json!(3), NONE);
        // Cut off and broken behind what is looked for, and before.
        check(r#"{"id":7,"method":"m","params":{"a":"#, json!(7), NONE);
        check(r#"{"id":7,"method":"m",,}"#, json!(7), NONE);
        check(r#"{"method":"m","id":7"#, NONE, NONE);
        check(r#"[{"id":7,"method":"m"}]"#, NONE, NONE);
        check("", NONE, NONE);
        check(r#""id":7"#, NONE, NONE);
        for no_id in ["null", "[1]", "{}", "0.5", "true", "\"", "18446744073709551615", "1 2"] {
            check(&format!(r#"{{"method":"m","id":{no_id}}}"#), NONE, NONE);
        }
        check(&format!(r#"{{"method":"m","id":"{}"}}"#, "i".repeat(1024)), json!("i".repeat(1024)), NONE);
        check(&format!(r#"{{"method":"m","id":"{}"}}"#, "i".repeat(1025)), NONE, NONE);
        check(&format!(r#"{{"method":"m","id":{}}}"#, "1".repeat(100_000)), NONE, NONE);
        check(&format!(r#"{{"{}id":1,"method":"m","id":2}}"#, "n".repeat(100_000)), json!(2), NONE);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[\"\\\\a-c{}\\[\\]:, é\u{0}]{0,6}".prop_map(Value::from),
            prop_oneof!["id", "method"].prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("id|method|a|\"|[{]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn of_what_can_be_read_it_finds_what_a_reader_finds(message in json(), cut in any::<prop::sample::Index>()) {
            let text = message.to_string();
            let expected = message.get("id").and_then(|id| id_of(id.to_string().as_bytes()));
            let expected = expected.filter(|_| message.get("method").is_some());
            prop_assert_eq!(Skim::of(text.as_bytes()).request_id(), expected.clone());
            // In two parts nothing is another, and of a part nothing else is found.
            let (first, second) = text.as_bytes().split_at(cut.index(text.len() + 1));
            let mut skim = Skim::of(first);
            skim.read(second);
            prop_assert_eq!(skim.request_id(), expected.clone());
            if let Some(found) = Skim::of(first).request_id() {
                prop_assert_eq!(Some(found), expected);
            }
        }
    }
}
