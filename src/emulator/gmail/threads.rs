//! Threads: what belongs together, derived from the messages.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.threads>

use serde_json::{Value, json};

use super::listing::Listing;
use super::mailbox::{Mailbox, Message};
use super::messages::Labels;
use super::mime::Mail;
use super::payload::{Format, brief, message};
use super::refusals::{not_found, scopes};
use super::{answered, body, hex, kept, parse_id, words};
use crate::emulator::call::{Call, Handled};
use crate::emulator::errors;
use crate::emulator::state::Google;

/// Finds the method; `rest` is what follows `threads`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", []) => list(google, call),
        ("GET", [id]) => get(google, call, id),
        ("DELETE", [_]) => Err(scopes("DeleteThread")),
        ("POST", [id, "modify"]) => {
            let labels: Labels = body(call)?;
            change(google, call, id, &labels)
        }
        ("POST", [id, "trash"]) => change(google, call, id, &Labels::trash()),
        ("POST", [id, "untrash"]) => change(google, call, id, &Labels::untrash()),
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

fn list(google: &Google, call: &Call) -> Handled {
    let mail = google.mail();
    let page = Listing::read(call, &mail.mailbox)?.threads(google, &mail.mailbox);
    let mut answer = json!({"resultSizeEstimate": page.estimate()});
    if !page.messages.is_empty() {
        let thread = |found: &&Message| {
            let raw = google.raw(found);
            json!({"id": hex(found.thread), "historyId": history(&mail.mailbox, found.thread).to_string(),
                "snippet": words::snippet(&Mail::read(&raw))})
        };
        answer["threads"] = page.messages.iter().map(thread).collect();
    }
    if let Some(next) = page.next {
        answer["nextPageToken"] = next.into();
    }
    answered(call, &answer)
}

/// Returns when a thread was changed last.
fn history(mailbox: &Mailbox, thread: u64) -> u64 {
    mailbox.thread(thread).iter().map(|message| message.history).max().unwrap_or(0)
}

fn get(google: &Google, call: &Call, id: &str) -> Handled {
    let (id, format) = (parse_id(id)?, Format::read(call, false)?);
    let mail = google.mail();
    let messages = mail.mailbox.thread(id);
    if messages.is_empty() {
        return Err(not_found());
    }
    let told: Vec<Value> = messages.iter().map(|each| message(google, &mail.mailbox, each, &format)).collect();
    let history = history(&mail.mailbox, id).to_string();
    answered(call, &json!({"id": hex(id), "historyId": history, "messages": told}))
}

fn change(google: &Google, call: &Call, id: &str, labels: &Labels) -> Handled {
    let id = parse_id(id)?;
    labels.only_labels()?;
    let mut mail = google.mail();
    let ids = mail.mailbox.threads.get(&id).cloned().ok_or_else(not_found)?;
    let change = labels.change(&mail.mailbox, ids)?;
    kept(mail.change(&[change]))?;
    let told: Vec<Value> = mail.mailbox.thread(id).iter().map(|message| brief(&mail.mailbox, message)).collect();
    answered(call, &json!({"id": hex(id), "messages": told}))
}
