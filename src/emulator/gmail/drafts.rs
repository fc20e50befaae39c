//! Drafts: messages that may yet change, and are never sent from here.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/drafts>

use serde::Deserialize;
use serde_json::{Value, json};

use super::deliver::{Delivery, deliver, thread_id};
use super::listing::Listing;
use super::mailbox::{Change, Mailbox, Message};
use super::messages::{Given, told};
use super::payload::{Format, message};
use super::refusals::{invalid, not_found, scopes};
use super::{answered, body, hex, kept, raw_of};
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::state::Google;
use crate::emulator::{clock, errors};

/// Drafts of a mailbox.
const MAX_DRAFTS: usize = 10_000;

/// A draft as a client gives it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GivenDraft {
    id: Option<String>,
    message: Given,
}

/// Finds the method; `rest` is what follows `drafts`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", []) => list(google, call),
        ("POST", []) => put(google, call, None),
        ("POST", ["send"]) => Err(scopes("SendDraft")),
        ("GET", [id]) => get(google, call, id),
        ("PUT", [id]) => put(google, call, Some(id)),
        ("DELETE", [id]) => {
            let mut mail = google.mail();
            let message = *mail.mailbox.drafts.get(*id).ok_or_else(not_found)?;
            kept(mail.change(&[Change::Delete(vec![message])]))?;
            Ok(Answer::empty(204))
        }
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

fn list(google: &Google, call: &Call) -> Handled {
    let mail = google.mail();
    let page = Listing::read(&only_drafts(call), &mail.mailbox)?.messages(google, &mail.mailbox);
    // With a mask, Gmail answers this list with nothing at all.
    if call.parameter("fields").is_some() {
        return Ok(Answer::bytes(200, "application/json; charset=UTF-8", &[]));
    }
    let mut answer = json!({"resultSizeEstimate": page.estimate()});
    let drafts: Vec<Value> = page.messages.iter().filter_map(|message| shown(&mail.mailbox, message)).collect();
    if !drafts.is_empty() {
        answer["drafts"] = drafts.into();
    }
    if let Some(next) = page.next {
        answer["nextPageToken"] = next.into();
    }
    answered(call, &answer)
}

/// Returns the call for the list of messages that are drafts.
fn only_drafts(call: &Call) -> Call {
    let mut call = Call { query: call.query.clone(), ..Call::default() };
    call.query.retain(|(key, _)| key != "labelIds");
    call.query.push(("labelIds".into(), "DRAFT".into()));
    call
}

fn shown(mailbox: &Mailbox, message: &Message) -> Option<Value> {
    let id = mailbox.draft_of(message.id)?;
    Some(json!({"id": id, "message": {"id": hex(message.id), "threadId": hex(message.thread)}}))
}

fn get(google: &Google, call: &Call, id: &str) -> Handled {
    let format = Format::read(call, true)?;
    let mail = google.mail();
    let found = mail.mailbox.drafts.get(id).and_then(|id| mail.mailbox.messages.get(id)).ok_or_else(not_found)?;
    answered(call, &json!({"id": id, "message": message(google, &mail.mailbox, found, &format)}))
}

/// Makes a draft, or puts another message in the place of one: the draft keeps its id, the message gets a new one.
fn put(google: &Google, call: &Call, known: Option<&str>) -> Handled {
    let given: GivenDraft = body(call)?;
    if given.id.as_deref().is_some_and(|id| known.is_some_and(|known| known != id)) {
        return Err(invalid("Draft ID in the request does not match the draft in the body"));
    }
    if !given.message.label_ids.iter().all(|id| id == "DRAFT") {
        return Err(invalid("Invalid label for a draft"));
    }
    let raw = raw_of(given.message.raw.as_deref(), "message.raw")?;
    let thread = thread_id(given.message.thread_id.as_deref())?;
    let mut mail = google.mail();
    let (id, old) = match known {
        Some(id) => (id.to_owned(), Some(*mail.mailbox.drafts.get(id).ok_or_else(not_found)?)),
        None if mail.mailbox.drafts.len() >= MAX_DRAFTS => return Err(invalid("Too many drafts")),
        None => (fresh_id(google, &mail.mailbox), None),
    };
    let stays = old.and_then(|old| mail.mailbox.messages.get(&old)).map(|message| message.thread);
    let delivery = Delivery {
        raw,
        labels: vec!["DRAFT".into()],
        thread: thread.or(stays),
        date_ms: Some(clock::now_ms()),
        draft: Some(id.clone()),
        id: None,
    };
    let before = old.map(|old| Change::Delete(vec![old])).into_iter().collect();
    let message = deliver(google, &mut mail, delivery, before)?;
    answered(call, &json!({"id": id, "message": told(&mail.mailbox, message)}))
}

fn fresh_id(google: &Google, mailbox: &Mailbox) -> String {
    let mut number = mailbox.history;
    loop {
        let id = format!("r{}", google.letters_number("draft", i64::try_from(number).unwrap_or(0)) >> 1);
        if !mailbox.drafts.contains_key(&id) {
            return id;
        }
        number += 1;
    }
}
