//! The bytes of pictures: kept by their content, served for a while under a URI of their own, fetched for a document.
//!
//! In a document that is kept, `contentUri` says `embedded:` and the key of the bytes; only an answer holds a URI.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::call::{Answer, Call, Handled, pairs};
use super::clock;
use super::errors::{self, aip};
use super::route::is_loopback;
use super::state::Google;
use crate::error::Result;
use crate::gdocs::{Document, PICTURE_BYTES_MAX, PICTURE_URI_BYTES_MAX, Picture, PictureFormat};

/// Begins a `contentUri` in a document that is kept.
const EMBEDDED: &str = "embedded:";

/// How long a `contentUri` is good, in milliseconds.
///
/// Source: <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents#ImageProperties>
const CONTENT_LIFETIME_MS: i64 = 30 * 60 * 1_000;

/// How long fetching a picture from this machine may take at each step.
const FETCH_WAIT: Duration = Duration::from_secs(5);

/// Bytes that the head of an answer may have.
const HEAD_BYTES: usize = 64 << 10;

/// A picture that was fetched for `insertInlineImage`.
pub(super) struct Fetched {
    uri: String,
    key: String,
    picture: Picture,
}

impl Google {
    /// Takes the pictures of an imported document in: those that its `contentUri`s hold as `data:` URIs.
    pub(super) fn take_in_images(&self, document: &mut Document) -> Result<()> {
        let mut failure = Ok(());
        let tabs = document.tabs.iter_mut().filter_map(|tab| tab.document_tab.as_mut());
        for object in tabs.flat_map(|tab| tab.inline_objects.values_mut().chain(tab.positioned_objects.values_mut())) {
            each_content_uri(object, &mut |uri| {
                let bytes = uri.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
                let bytes = bytes.and_then(|(_, text)| from_base64(text))?;
                match self.keep_bytes(bytes) {
                    Ok(key) => Some(format!("{EMBEDDED}{key}")),
                    Err(error) => {
                        failure = Err(error);
                        None
                    }
                }
            });
        }
        failure
    }

    /// Turns every `contentUri` of an answer into one that can be fetched for a while, with no token.
    pub(super) fn publish_images(&self, value: &mut Value, host: &str) {
        let expiry = clock::now_ms() + CONTENT_LIFETIME_MS;
        each_content_uri(value, &mut |uri| {
            let key = uri.strip_prefix(EMBEDDED)?;
            Some(format!("http://{host}/docsz/{key}?key={expiry}-{}", self.signature(key, expiry)))
        });
    }

    fn signature(&self, key: &str, expiry: i64) -> String {
        self.letters("content", &format!("{key} {expiry}"), 0, 22)
    }

    /// Answers the request for a picture's bytes.
    pub(super) fn image(&self, call: &Call, key: &str) -> Handled {
        let (expiry, signature) = call.parameter("key").and_then(|text| text.split_once('-')).unwrap_or_default();
        let expiry: i64 = expiry.parse().unwrap_or(0);
        if expiry < clock::now_ms() || signature != self.signature(key, expiry) {
            return Err(Answer::text(
                403,
                "text/html; charset=UTF-8",
                "<html><title>Error 403 (Forbidden)</title></html>",
            ));
        }
        let bytes = self.bytes(key).ok_or_else(errors::not_found)?;
        Ok(Answer::bytes(200, media_type(&bytes), &bytes))
    }

    /// Fetches the pictures that the requests of a batch name: from this machine, nothing else. Must be called without
    /// the lock on the world, since a picture may be this Google's own.
    pub(super) fn fetch_images(
        &self,
        host: &str,
        requests: &[Value],
    ) -> std::result::Result<Vec<Option<Fetched>>, Answer> {
        let fetch = |(number, request): (usize, &Value)| {
            let Some(insert) = request.get("insertInlineImage") else { return Ok(None) };
            // A request without a URI is refused with all the others that are not well formed.
            let Some(uri) = insert.get("uri").and_then(Value::as_str) else { return Ok(None) };
            let refusal = |why: &str| {
                tracing::debug!(uri, why, "a picture was not fetched");
                let message = format!(
                    "Invalid requests[{number}].insertInlineImage: There was a problem retrieving the image. The provided \
                     image should be publicly accessible, within size limit, and in supported formats."
                );
                aip(400, "INVALID_ARGUMENT", &message)
            };
            let bytes = self.fetch_image(host, uri).map_err(|why| refusal(&why))?;
            let picture = Picture::read(&bytes).map_err(|why| refusal(&why))?;
            let key = self.keep_bytes(bytes.to_vec()).map_err(|error| errors::internal(&error))?;
            Ok(Some(Fetched { uri: uri.to_owned(), key, picture }))
        };
        requests.iter().enumerate().map(fetch).collect()
    }

    fn fetch_image(&self, host: &str, uri: &str) -> std::result::Result<Arc<Vec<u8>>, String> {
        if uri.len() > PICTURE_URI_BYTES_MAX {
            return Err("the URI is too long".into());
        }
        let rest = uri.strip_prefix("http://").ok_or("the embedded Google fetches from this machine alone")?;
        let (authority, target) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_loopback(authority) {
            return Err("the embedded Google fetches from this machine alone".into());
        }
        if authority == host {
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            let call = Call { query: pairs(query), host: host.to_owned(), ..Call::default() };
            let answer = match path.split('/').collect::<Vec<_>>().as_slice() {
                ["uc"] => self.public_file(&call),
                ["docsz", key] => self.image(&call, key),
                _ => Err(errors::not_found()),
            };
            return answer.map(|answer| Arc::new(answer.body)).map_err(|answer| format!("status {}", answer.status));
        }
        get(authority, &format!("/{target}")).map(Arc::new)
    }
}

/// Puts what was fetched into the objects that a batch made.
pub(super) fn fill(document: &mut Document, requests: &[Value], replies: &[Value], fetched: Vec<Option<Fetched>>) {
    for ((request, reply), fetched) in requests.iter().zip(replies).zip(fetched) {
        let (Some(fetched), Some(id)) = (fetched, reply.pointer("/insertInlineImage/objectId").and_then(Value::as_str))
        else {
            continue;
        };
        let points = |name: &str| request.pointer(&format!("/insertInlineImage/objectSize/{name}/magnitude"))?.as_f64();
        let (width, height) = fetched.picture.points(points("width"), points("height"));
        let tabs = document.tabs.iter_mut();
        let Some(object) = tabs.filter_map(|tab| find_object(tab, id)).next() else { continue };
        let embedded = &mut object["inlineObjectProperties"]["embeddedObject"];
        embedded["size"] =
            json!({"height": {"magnitude": height, "unit": "PT"}, "width": {"magnitude": width, "unit": "PT"}});
        embedded["imageProperties"]["contentUri"] = format!("{EMBEDDED}{}", fetched.key).into();
        embedded["imageProperties"]["sourceUri"] = fetched.uri.into();
    }
}

fn find_object<'a>(tab: &'a mut crate::gdocs::Tab, id: &str) -> Option<&'a mut Value> {
    if tab.document_tab.as_ref().is_some_and(|content| content.inline_objects.contains_key(id)) {
        return tab.document_tab.as_mut()?.inline_objects.get_mut(id);
    }
    tab.child_tabs.iter_mut().find_map(|child| find_object(child, id))
}

/// Calls `change` for each `contentUri`, and puts what it returns in its place.
fn each_content_uri(value: &mut Value, change: &mut impl FnMut(&str) -> Option<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(uri) if name == "contentUri" => {
                        if let Some(new) = change(uri) {
                            *uri = new;
                        }
                    }
                    Value::Object(_) | Value::Array(_) => each_content_uri(value, change),
                    Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| each_content_uri(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the media type of a picture, or that of bytes.
pub(super) fn media_type(bytes: &[u8]) -> &'static str {
    PictureFormat::of(bytes).map_or("application/octet-stream", PictureFormat::media_type)
}

/// Reads a URL of this machine as HTTP/1.0 has it: one answer, then the end.
fn get(authority: &str, target: &str) -> std::result::Result<Vec<u8>, String> {
    let authority = authority.replacen("localhost", "127.0.0.1", 1);
    let address: SocketAddr =
        authority.parse().or_else(|_no_port| format!("{authority}:80").parse()).map_err(|_none| "no address")?;
    if !address.ip().is_loopback() || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("not a plain URL of this machine".into());
    }
    let failed = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect_timeout(&address, FETCH_WAIT).map_err(failed)?;
    stream.set_read_timeout(Some(FETCH_WAIT)).map_err(failed)?;
    stream.set_write_timeout(Some(FETCH_WAIT)).map_err(failed)?;
    write!(stream, "GET {target} HTTP/1.0\r\nHost: {authority}\r\nConnection: close\r\n\r\n").map_err(failed)?;
    let limit = u64::try_from(PICTURE_BYTES_MAX + HEAD_BYTES).unwrap_or(u64::MAX);
    let mut answer = Vec::new();
    stream.take(limit).read_to_end(&mut answer).map_err(failed)?;
    let end = answer.windows(4).take(HEAD_BYTES).position(|part| part == b"\r\n\r\n").ok_or("no answer")?;
    let body = answer.split_off(end + 4);
    let status = answer.get(9..12).unwrap_or_default();
    if status == b"200" { Ok(body) } else { Err(format!("status {}", String::from_utf8_lossy(status))) }
}

/// Returns the key of a picture's bytes, from the `contentUri` of a document that is kept.
pub(super) fn key_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(EMBEDDED)
}

/// Writes bytes as base64 with its padding.
pub(super) fn to_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let value = group.iter().fold(0_u32, |value, byte| value << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4_usize {
            // The mask leaves six bits.
            let letter = LETTERS.get(usize::try_from(value >> (18 - 6 * digit) & 63).unwrap_or(0));
            let filled = digit <= group.len();
            text.push(letter.filter(|_| filled).map_or('=', |letter| char::from(*letter)));
        }
    }
    text
}

/// Decodes base64 with its padding; `None` when it is none.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.as_bytes().chunks(4) {
        let mut value: u32 = 0;
        for letter in group {
            let digit = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            value = value << 6 | u32::from(digit);
        }
        let [_, first, second, third] = (value << (6 * (4 - group.len()))).to_be_bytes();
        let count = match group.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bytes.extend([first, second, third].into_iter().take(count));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_both_ways() {
        for (text, bytes) in [("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("YWJjZA==", "abcd")] {
            assert_eq!(from_base64(text).unwrap(), bytes.as_bytes());
            assert_eq!(to_base64(bytes.as_bytes()), text);
        }
        for text in ["a", "a b c", "Y*==", "YWJjZ"] {
            assert_eq!(from_base64(text), None, "{text}");
        }
    }

    #[test]
    fn other_machines_are_not_asked() {
        for authority in ["10.0.0.1:80", "evil.example:80", "[fe80::1]:80", "169.254.169.254"] {
            assert!(get(authority, "/x").is_err(), "{authority}");
        }
        assert!(get("127.0.0.1:1", "/x y\r\nEvil: 1").is_err());
    }
}
