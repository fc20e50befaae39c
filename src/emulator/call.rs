//! A request and its answer as plain data.

use serde_json::Value;

/// A request, read whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    /// `GET`, `POST`, …
    pub(super) method: String,
    /// The path as sent, without the query.
    pub(super) path: String,
    /// The path's segments, decoded.
    pub(super) segments: Vec<String>,
    /// The query as sent.
    pub(super) raw_query: String,
    /// The query, decoded.
    pub(super) query: Vec<(String, String)>,
    /// The `Host` header.
    pub(super) host: String,
    /// The `Origin` header.
    pub(super) origin: Option<String>,
    /// The headers that few services look at, with names in small letters: cookies, and those of uploads.
    pub(super) headers: Vec<(String, String)>,
    /// The bearer token.
    pub(super) bearer: Option<String>,
    /// The media type of the body, without parameters.
    pub(super) content_type: String,
    /// What parts the pieces of the body, when it has several.
    pub(super) boundary: Option<String>,
    /// The body.
    pub(super) body: Vec<u8>,
}

impl Call {
    /// Returns the value of a query parameter; the last one counts, as at Google.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of one of the kept headers; its name is in small letters.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Tells whether a query parameter is set to true.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.parameter(name).is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
    }

    /// Returns the path with the query, as the log keeps it; a token in the query is blotted out.
    pub(super) fn target(&self) -> String {
        if self.raw_query.is_empty() {
            return self.path.clone();
        }
        let shown: Vec<String> = self
            .raw_query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((key @ ("access_token" | "oauth_token" | "key" | "token"), _)) => format!("{key}=..."),
                _ => pair.to_owned(),
            })
            .collect();
        format!("{}?{}", self.path, shown.join("&"))
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// The HTTP status.
    pub(super) status: u16,
    /// The media type.
    pub(super) content_type: &'static str,
    /// Further headers.
    pub(super) headers: Vec<(&'static str, String)>,
    /// The body.
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Returns a JSON answer.
    pub(super) fn json(status: u16, value: &Value) -> Self {
        // A `Value` always serialises: its keys are strings.
        let body = serde_json::to_vec(value).unwrap_or_default();
        Self { status, content_type: "application/json; charset=UTF-8", headers: Vec::new(), body }
    }

    /// Returns an answer without a body.
    pub(super) const fn empty(status: u16) -> Self {
        Self { status, content_type: "text/plain; charset=UTF-8", headers: Vec::new(), body: Vec::new() }
    }

    /// Returns a text answer.
    pub(super) fn text(status: u16, content_type: &'static str, body: &str) -> Self {
        Self { status, content_type, headers: Vec::new(), body: body.as_bytes().to_vec() }
    }

    /// Returns an answer of bytes.
    pub(super) fn bytes(status: u16, content_type: &'static str, body: &[u8]) -> Self {
        Self { status, content_type, headers: Vec::new(), body: body.to_vec() }
    }

    /// Keeps other sites and caches away from a page that may load what `policy` says.
    pub(super) fn guarded(self, policy: &str) -> Self {
        self.with("content-security-policy", policy)
            .with("referrer-policy", "no-referrer")
            .with("cross-origin-resource-policy", "same-origin")
            .with("cache-control", "no-store")
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// What a handler returns: both sides are answers, the second an error as Google words it.
pub(super) type Handled = Result<Answer, Answer>;

/// Decodes `a=b&c=d`.
pub(super) fn pairs(encoded: &str) -> Vec<(String, String)> {
    encoded
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(&key.replace('+', " ")), decode(&value.replace('+', " ")))
        })
        .collect()
}

/// Undoes percent encoding; what is not a valid escape stays as it is, bytes that are not UTF-8 become U+FFFD.
pub(super) fn decode(text: &str) -> String {
    let hex = |byte: Option<&u8>| byte.and_then(|&b| char::from(b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(high * 16 + low);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding() {
        for (encoded, plain) in [("a%20b", "a b"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%F0%9F%99%82", "🙂")] {
            assert_eq!(decode(encoded), plain);
        }
        assert_eq!(pairs("q=a+b%2B&x&=y"), [("q", "a b+"), ("x", ""), ("", "y")].map(|(k, v)| (k.into(), v.into())));
    }

    #[test]
    fn a_token_in_the_query_is_not_kept() {
        let call = Call { path: "/x".into(), raw_query: "access_token=secret&a=b".into(), ..Call::default() };
        assert_eq!(call.target(), "/x?access_token=...&a=b");
    }
}
