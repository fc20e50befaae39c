//! The form in which the page sends its calls, both ways.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use super::json::{self, Unreadable};

/// The media type of a call.
pub const CONTENT_TYPE: &str = "application/x-www-form-urlencoded;charset=UTF-8";

/// What a browser's `encodeURIComponent` leaves as it is, beside letters and digits.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The most fields of a form that are looked at. A call has two.
const FIELDS_MAX: usize = 16;

/// A call as it came in.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// The id of what is asked for; nothing for a chat, which is called by its path.
    pub id: Option<String>,
    /// What it is asked with.
    pub params: Value,
    /// The token against forged requests; empty when there was none.
    pub at: String,
}

/// Why a form is no call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// It has no field `f.req`, or one that is no UTF-8.
    #[error("the form has no `f.req`")]
    NoRequest,
    /// What it asks for cannot be read.
    #[error("`{part}` cannot be read: {source}")]
    Unreadable {
        /// `f.req` or `params`.
        part: &'static str,
        /// Why.
        source: Unreadable,
    },
    /// It is neither one call nor a chat.
    #[error("`f.req` is no call")]
    NoCall,
}

/// Writes the body of a call.
///
/// The last `&` is what browsers send. Source: recorded requests of the page.
#[must_use]
pub fn write_call(id: &str, params: &Value, at: &str) -> String {
    write(&json!([[[id, params.to_string(), null, "generic"]]]), at)
}

/// Writes the body of a chat.
#[must_use]
pub fn write_chat(params: &Value, at: &str) -> String {
    write(&json!([null, params.to_string()]), at)
}

/// Reads the body of a call or of a chat.
///
/// # Errors
///
/// [`BadRequest`]; a batch of several calls, which the page never sends, is refused, too.
pub fn read_request(body: &str) -> Result<Incoming, BadRequest> {
    let mut request = None;
    let mut at = String::new();
    for field in body.split('&').take(FIELDS_MAX) {
        match field.split_once('=') {
            Some(("f.req", value)) => request = decode(value),
            Some(("at", value)) => at = decode(value).unwrap_or_default(),
            Some(_) | None => {}
        }
    }
    let request = request.ok_or(BadRequest::NoRequest)?;
    let request = json::read(&request).map_err(|source| BadRequest::Unreadable { part: "f.req", source })?;
    let (id, params) = parts(&request).ok_or(BadRequest::NoCall)?;
    let params = json::read(params).map_err(|source| BadRequest::Unreadable { part: "params", source })?;
    Ok(Incoming { id: id.map(str::to_owned), params, at })
}

/// Takes a request apart: `[[[id, params, null, "generic"]]]`, or `[null, params]` for a chat.
fn parts(request: &Value) -> Option<(Option<&str>, &str)> {
    let list = request.as_array()?;
    if let [Value::Null, params] = list.as_slice() {
        return Some((None, params.as_str()?));
    }
    let [calls] = list.as_slice() else { return None };
    let [call] = calls.as_array()?.as_slice() else { return None };
    Some((Some(call.get(0)?.as_str()?), call.get(1)?.as_str()?))
}

/// Encodes a text for a form or a query.
#[must_use]
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

fn write(request: &Value, at: &str) -> String {
    format!("f.req={}&at={}&", encode(&request.to_string()), encode(at))
}

/// Decodes a field, in which `+` may stand for a space.
fn decode(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}
