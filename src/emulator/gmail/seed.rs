//! Mail as the first content of a mailbox: files of messages, and recorded answers of `threads.get`.

use serde_json::Value;

use super::deliver::{Delivery, date, deliver};
use super::journal::Mail as Kept;
use super::labels::new_label;
use super::mailbox::Change;
use super::mime::Mail;
use super::{hex, rebuild, unhex};
use crate::emulator::DEMO_ACCOUNT;
use crate::emulator::call::Answer;
use crate::emulator::state::Google;
use crate::error::{Error, Result};

/// The header by which an exported mailbox tells labels; it is no part of the message.
const LABELS: &str = "x-gmail-labels";

/// Messages of a recorded thread.
const MAX_RECORDED: usize = 1_000;

/// Takes in a file of one message, unless it is here; returns its thread's id.
pub(in crate::emulator) fn take_in_message(
    google: &Google,
    bytes: &[u8],
) -> Result<std::result::Result<String, String>> {
    let (raw, named) = prepared(bytes);
    let read = Mail::head(&raw);
    let headers = read.root().map(|root| root.headers.as_slice()).unwrap_or_default();
    if headers.is_empty() {
        return Ok(Err("not a message: it has no headers".into()));
    }
    let Some(date_ms) = date(headers) else { return Ok(Err("its `Date` says no moment".into())) };
    let hash = blake3::hash(&raw);
    let chance = u64::from_le_bytes(*hash.as_bytes().first_chunk().unwrap_or(&[0; 8]));
    let mut mail = google.mail();
    if let Some(thread) = mail.mailbox.came(&raw) {
        return Ok(Ok(hex(thread)));
    }
    let from_me = read.header("from").is_some_and(|from| from.to_lowercase().contains(DEMO_ACCOUNT));
    let labels = labels_of(&mut mail, named.as_deref(), from_me)?;
    let id = mail.mailbox.fresh_id(date_ms, chance);
    let draft = labels.iter().any(|label| label == "DRAFT").then(|| format!("r{}", chance >> 1));
    let delivery = Delivery { raw, labels, thread: None, date_ms: Some(date_ms), draft, id: Some(id) };
    told(deliver(google, &mut mail, delivery, Vec::new()), id).map(|said| {
        said.map(|()| mail.mailbox.messages.get(&id).map(|message| hex(message.thread)).unwrap_or_default())
    })
}

/// Tells whether a value is an answer of `threads.get` with payloads.
pub(in crate::emulator) fn is_recording(value: &Value) -> bool {
    let messages = value.get("messages").and_then(Value::as_array);
    messages.is_some_and(|messages| !messages.is_empty() && messages.iter().all(|each| each["payload"].is_object()))
}

/// Takes in a recorded thread with its ids, unless it is here; returns the thread's id.
pub(in crate::emulator) fn take_in_recording(
    google: &Google,
    value: &Value,
) -> Result<std::result::Result<String, String>> {
    let messages = value["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(thread) = value["id"].as_str().and_then(unhex) else {
        return Ok(Err("its `id` is none of Gmail's".into()));
    };
    if messages.len() > MAX_RECORDED {
        return Ok(Err(format!("more than {MAX_RECORDED} messages")));
    }
    let mut mail = google.mail();
    for message in messages {
        let Some(id) = message["id"].as_str().and_then(unhex) else {
            return Ok(Err("the `id` of a message is none of Gmail's".into()));
        };
        if mail.mailbox.messages.contains_key(&id) {
            continue;
        }
        let Some(date_ms) = message["internalDate"].as_str().and_then(|moment| moment.parse().ok()) else {
            return Ok(Err("a message has no `internalDate`".into()));
        };
        let raw = match rebuild::raw(&message["payload"]) {
            Ok(raw) => raw,
            Err(why) => return Ok(Err(why)),
        };
        if mail.mailbox.came(&raw).is_some() {
            continue;
        }
        let ids = message["labelIds"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
        let labels = labels_of(&mut mail, Some(&names.join(",")), false)?;
        let draft = labels.iter().any(|label| label == "DRAFT").then(|| format!("r{id}"));
        let delivery = Delivery { raw, labels, thread: Some(thread), date_ms: Some(date_ms), draft, id: Some(id) };
        if let Err(why) = told(deliver(google, &mut mail, delivery, Vec::new()), id)? {
            return Ok(Err(why));
        }
    }
    Ok(Ok(hex(thread)))
}

/// Turns a refusal of one message into the reason why its file is skipped.
fn told(outcome: std::result::Result<u64, Answer>, id: u64) -> Result<std::result::Result<(), String>> {
    match outcome {
        Ok(_) => Ok(Ok(())),
        Err(answer) if answer.status < 500 => Ok(Err(String::from_utf8_lossy(&answer.body).into_owned())),
        Err(_) => Err(Error::Storage { doing: "keeping a message of the embedded Google", source: hex(id).into() }),
    }
}

/// Returns the raw bytes as they came over the wire, and the labels that the file tells.
fn prepared(bytes: &[u8]) -> (Vec<u8>, Option<String>) {
    let named = Mail::head(bytes).header(LABELS).map(str::to_owned);
    let crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    let mut raw = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    let mut in_head = true;
    let mut dropping = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        in_head &= !line.trim_ascii().is_empty();
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let folded = matches!(line.first(), Some(b' ' | b'\t'));
        dropping = in_head && if folded { dropping } else { name.eq_ignore_ascii_case(LABELS.as_bytes()) };
        if dropping {
            continue;
        }
        match line.strip_suffix(b"\n") {
            Some(text) if !crlf => {
                raw.extend_from_slice(text);
                raw.extend_from_slice(b"\r\n");
            }
            _ => raw.extend_from_slice(line),
        }
    }
    (raw, named)
}

/// Returns the ids of the labels that a file names; a person's own that are new are made.
fn labels_of(mail: &mut Kept, named: Option<&str>, from_me: bool) -> Result<Vec<String>> {
    let Some(named) = named else {
        let usual: &[&str] = if from_me { &["SENT"] } else { &["INBOX", "CATEGORY_PERSONAL"] };
        return Ok(usual.iter().map(|label| (*label).to_owned()).collect());
    };
    let mut ids: Vec<String> = Vec::new();
    for name in named.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let system = name.to_uppercase().replace(' ', "_");
        let system = match system.as_str() {
            "DRAFTS" => "DRAFT",
            "OPENED" | "ARCHIVED" => continue,
            other => other,
        };
        let own = mail.mailbox.labels.iter().find(|label| label.own && !label.deleted && label.name == name);
        let id = match (mail.mailbox.label(system), own) {
            (Some(_), _) => system.to_owned(),
            (None, Some(label)) => label.id.clone(),
            (None, None) => match new_label(&mail.mailbox, name) {
                Ok(label) => {
                    mail.change(&[Change::Label(label.clone())])?;
                    label.id
                }
                // A name that Gmail would not take labels nothing.
                Err(_) => continue,
            },
        };
        ids.push(id);
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_messages_of_the_wire() {
        for (file, raw, named) in [
            ("A: b\n\nc\n", "A: b\r\n\r\nc\r\n", None),
            ("A: b\r\n\r\nc\r\nd\n", "A: b\r\n\r\nc\r\nd\n", None),
            (
                "X-Gmail-Labels: Inbox,\n Work\nA: b\n\nX-Gmail-Labels: c",
                "A: b\r\n\r\nX-Gmail-Labels: c",
                Some("Inbox, Work"),
            ),
        ] {
            assert_eq!(prepared(file.as_bytes()), (raw.as_bytes().to_vec(), named.map(str::to_owned)), "{file}");
        }
    }
}
