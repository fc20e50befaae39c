//! A message as Gmail's JSON, from its raw bytes.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages>

use serde_json::{Map, Value, json};

use super::attachments::Attachments;
use super::mailbox::{Mailbox, Message};
use super::mime::{Mail, Part};
use super::refusals::bad_value;
use super::{hex, words};
use crate::emulator::call::{Answer, Call};
use crate::emulator::images::to_base64;
use crate::emulator::state::Google;

/// Bytes of text that an answer holds; a longer one is fetched as an attachment.
///
/// Doubt: Gmail does so with large bodies; from which size on is not known.
const INLINE_BYTES: usize = 1 << 20;

/// How much of a message is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Format {
    /// Ids and labels.
    Minimal,
    /// With these headers, or with all.
    Metadata(Vec<String>),
    /// With its parts.
    Full,
    /// With its raw bytes.
    Raw,
}

impl Format {
    /// Reads the parameters of a call.
    pub(super) fn read(call: &Call, raw_allowed: bool) -> Result<Self, Answer> {
        let names = || call.query.iter().filter(|(key, _)| key == "metadataHeaders").map(|(_, name)| name.clone());
        // Names of enumerations are taken in either case.
        match call.parameter("format").unwrap_or("full").to_ascii_lowercase().as_str() {
            "full" => Ok(Self::Full),
            "metadata" => Ok(Self::Metadata(names().collect())),
            "minimal" => Ok(Self::Minimal),
            "raw" if raw_allowed => Ok(Self::Raw),
            other => Err(bad_value("format", "type.googleapis.com/google.apps.gmail.v1.Format", other)),
        }
    }
}

/// Returns a message as an answer has it.
pub(super) fn message(google: &Google, mailbox: &Mailbox, message: &Message, format: &Format) -> Value {
    let raw = google.raw(message);
    let mail = Mail::read(&raw);
    let mut value = json!({
        "id": hex(message.id),
        "threadId": hex(message.thread),
        "labelIds": mailbox.label_ids(&message.labels),
        "snippet": words::snippet(&mail),
        "historyId": message.history.to_string(),
        "internalDate": message.date_ms.to_string(),
        "sizeEstimate": raw.len(),
    });
    // Gmail leaves out a list without anything in it.
    if message.labels.is_empty()
        && let Some(map) = value.as_object_mut()
    {
        map.remove("labelIds");
    }
    match format {
        Format::Minimal => {}
        Format::Metadata(names) => value["payload"] = metadata(&mail, names),
        Format::Full => {
            let attachments = Attachments::new(google, message.id);
            value["payload"] = mail.root().map(|root| part(&mail, root, 0, &attachments)).unwrap_or_default();
        }
        Format::Raw => value["raw"] = base64url(&raw).into(),
    }
    value
}

/// Returns the ids of a message with its labels, as lists of changes have it.
pub(super) fn brief(mailbox: &Mailbox, message: &Message) -> Value {
    json!({"id": hex(message.id), "threadId": hex(message.thread), "labelIds": mailbox.label_ids(&message.labels)})
}

/// Writes bytes as Gmail does: base64 with the letters of URLs, padded.
pub(super) fn base64url(bytes: &[u8]) -> String {
    let text = to_base64(bytes);
    if text.contains(['+', '/']) { text.replace('+', "-").replace('/', "_") } else { text }
}

/// Returns the payload of a message with some of its headers.
fn metadata(mail: &Mail<'_>, names: &[String]) -> Value {
    let Some(root) = mail.root() else { return json!({}) };
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
    let mut map = Map::new();
    map.insert("mimeType".into(), root.media_type.as_str().into());
    let headers = headers(root, &wanted);
    if !headers.is_empty() {
        map.insert("headers".into(), headers.into());
    }
    map.into()
}

fn headers(part: &Part, wanted: &dyn Fn(&str) -> bool) -> Vec<Value> {
    let chosen = part.headers.iter().filter(|header| wanted(&header.name));
    chosen.map(|header| json!({"name": header.name, "value": header.value})).collect()
}

/// Returns a part with the parts in it; how deep they stand is bounded where they are read.
fn part(mail: &Mail<'_>, each: &Part, number: usize, attachments: &Attachments<'_>) -> Value {
    let mut value = json!({
        "partId": each.id,
        "mimeType": each.media_type,
        "filename": each.filename,
        "headers": headers(each, &|_| true),
        "body": body(mail, each, number, attachments),
    });
    if !each.children.is_empty() {
        let inner = each.children.iter().filter_map(|at| Some((*at, mail.parts.get(*at)?)));
        value["parts"] = inner.map(|(at, inner)| part(mail, inner, at, attachments)).collect();
    }
    value
}

/// Returns what a part holds: text as it is, in UTF-8; what has a name, or is large, by an id to fetch it with.
fn body(mail: &Mail<'_>, each: &Part, number: usize, attachments: &Attachments<'_>) -> Value {
    if each.is_multipart() {
        return json!({"size": 0});
    }
    let inline = each.is_text() && each.filename.is_empty();
    if inline {
        let text = mail.text(each);
        if text.len() <= INLINE_BYTES {
            let mut value = json!({"size": text.len()});
            if !text.is_empty() {
                value["data"] = base64url(text.as_bytes()).into();
            }
            return value;
        }
    }
    json!({"attachmentId": attachments.id(number), "size": attachment_bytes(mail, each).len()})
}

/// Returns what an attachment's id fetches.
pub(super) fn attachment_bytes(mail: &Mail<'_>, each: &Part) -> Vec<u8> {
    if each.is_text() && each.filename.is_empty() {
        return mail.text(each).into_bytes();
    }
    mail.bytes(each).into_owned()
}
