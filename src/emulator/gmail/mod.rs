//! The Gmail API: a mailbox of the demo account, from which nothing is ever sent.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest>

mod admin;
mod attachments;
mod deliver;
mod drafts;
mod generate;
mod history;
mod journal;
mod labels;
mod listing;
mod mailbox;
mod matching;
mod messages;
mod mime;
mod payload;
mod rebuild;
mod refusals;
mod search;
mod seed;
mod threads;
mod words;

use std::sync::MutexGuard;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::call::{Answer, Call, Handled};
use super::fields::Mask;
use super::images::from_base64;
use super::state::{Google, lock};
use super::{DEMO_ACCOUNT, errors};
use crate::error::Result as OurResult;

pub(super) use admin::handle as admin;
pub(super) use journal::Mail;
pub(super) use mime::pieces;
pub(super) use refusals::refused;
pub(super) use seed::{is_recording, take_in_message, take_in_recording};

/// Bytes that a request may have: a message that is too large is refused in Gmail's words, not by the limit of all.
pub(super) const BODY_BYTES: usize = 80 << 20;

/// Finds the method; `rest` is what follows `/gmail/v1`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str], stale: bool) -> Handled {
    let ["users", user, rest @ ..] = rest else {
        return Err(errors::no_route(&format!("{} {}", call.method, call.path)));
    };
    if *user != "me" && !user.eq_ignore_ascii_case(DEMO_ACCOUNT) {
        return Err(refusals::delegation_denied(user));
    }
    match (call.method.as_str(), rest) {
        ("GET", ["profile"]) => profile(google, call),
        (_, ["labels", rest @ ..]) => labels::handle(google, call, rest),
        (_, ["threads", rest @ ..]) => threads::handle(google, call, rest),
        (_, ["messages", rest @ ..]) => messages::handle(google, call, rest),
        (_, ["drafts", rest @ ..]) => drafts::handle(google, call, rest),
        ("GET", ["history"]) => history::list(google, call, stale),
        (_, ["watch" | "stop" | "settings", ..]) => Err(errors::not_built("Gmail's settings and watches")),
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

fn profile(google: &Google, call: &Call) -> Handled {
    let mail = google.mail();
    answered(
        call,
        &json!({"emailAddress": DEMO_ACCOUNT, "messagesTotal": mail.mailbox.messages.len(),
            "threadsTotal": mail.mailbox.threads.len(), "historyId": mail.mailbox.history.to_string()}),
    )
}

/// Answers the wanted fields of a value.
fn answered(call: &Call, value: &Value) -> Handled {
    let Some(text) = call.parameter("fields") else { return Ok(Answer::json(200, value)) };
    let mask = Mask::parse(text);
    let mask =
        mask.ok_or_else(|| refusals::invalid(&format!("Request contains an invalid argument: fields {text}")))?;
    Ok(Answer::json(200, &mask.pick(value)))
}

/// Reads a body of JSON; what it says and nobody knows is refused as Google does.
fn body<T: DeserializeOwned + Default>(call: &Call) -> Result<T, Answer> {
    if call.body.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(&call.body).map_err(|error| {
        let said = error.to_string();
        let unknown = said.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
        let message = match unknown {
            Some(name) => format!("Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."),
            None => format!("Invalid JSON payload received. {said}"),
        };
        errors::bad_field("", &message)
    })
}

/// Reads the raw bytes of a message in a body.
fn raw_of(text: Option<&str>, field: &str) -> Result<Vec<u8>, Answer> {
    let missing = "'raw' RFC822 payload message string or uploading message via /upload/* URL required";
    let text = text.filter(|text| !text.is_empty()).ok_or_else(|| refusals::invalid(missing))?;
    if text.len() / 4 * 3 > deliver::MAX_MESSAGE + 3 {
        return Err(refusals::too_large(deliver::MAX_MESSAGE));
    }
    let shown: String = text.chars().take(40).collect();
    unpadded(text).ok_or_else(|| refusals::bad_value(field, "TYPE_BYTES", &shown))
}

/// Reads base64 in either alphabet, padded or not.
fn unpadded(text: &str) -> Option<Vec<u8>> {
    from_base64(&text.replace('-', "+").replace('_', "/"))
}

/// Writes an id as Gmail does.
fn hex(id: u64) -> String {
    format!("{id:016x}")
}

/// Reads an id of a message or a thread.
fn unhex(text: &str) -> Option<u64> {
    let usable = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    usable.then(|| u64::from_str_radix(text, 16).ok())?
}

/// Reads an id in a path.
fn parse_id(text: &str) -> Result<u64, Answer> {
    unhex(text).ok_or_else(refusals::invalid_id)
}

/// Answers when a change could not be kept.
fn kept<T>(result: OurResult<T>) -> Result<T, Answer> {
    result.map_err(|error| errors::internal(&error))
}

impl Google {
    /// Locks the mailbox.
    fn mail(&self) -> MutexGuard<'_, Mail> {
        lock(&self.mail)
    }

    /// Returns the raw bytes of a message; none when the disk has lost them.
    fn raw(&self, message: &mailbox::Message) -> Vec<u8> {
        match &message.raw {
            mailbox::Raw::Made(letter) => letter.raw(message.date_ms),
            mailbox::Raw::Kept(key, _) => {
                let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
                self.bytes(&key).map(|bytes| bytes.to_vec()).unwrap_or_default()
            }
        }
    }

    /// Returns a number by chance that is this run's own.
    fn letters_number(&self, word: &str, number: i64) -> u64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key(word));
        let count = self.chance.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        hasher.update(&number.to_le_bytes()).update(&count.to_le_bytes());
        u64::from_le_bytes(*hasher.finalize().as_bytes().first_chunk().unwrap_or(&[0; 8]))
    }
}
