//! The admin calls for mail: delivering, making up, deleting, and forgetting history.

use serde::Deserialize;
use serde_json::{Value, json};

use super::deliver::{Delivery, deliver, thread_id};
use super::mailbox::{Change, MAX_GENERATED};
use super::messages::told;
use super::refusals::not_found;
use super::{body, hex, kept, parse_id, raw_of};
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::errors::{self, aip};
use crate::emulator::state::Google;
use crate::emulator::{DEMO_ACCOUNT, clock};

/// A message to deliver.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Delivered {
    raw: Option<String>,
    label_ids: Option<Vec<String>>,
    thread_id: Option<String>,
    internal_date: Option<String>,
}

/// Threads to make up.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Generated {
    threads: u32,
    seed: u64,
}

/// Finds the call; `rest` is what follows `/admin`.
pub(in crate::emulator) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("POST", ["mail"]) => receive(google, call),
        ("POST", ["mail", "generate"]) => generate(google, call),
        ("POST", ["mail:expire-history"]) => {
            let mut mail = google.mail();
            kept(mail.change(&[Change::Expire]))?;
            Ok(Answer::json(200, &json!({"historyId": mail.mailbox.history.to_string()})))
        }
        ("DELETE", ["mail", id]) => {
            let id = parse_id(id)?;
            let mut mail = google.mail();
            let ids = match mail.mailbox.threads.get(&id) {
                Some(ids) if call.flag("thread") => ids.clone(),
                _ if mail.mailbox.messages.contains_key(&id) => vec![id],
                _ => return Err(not_found()),
            };
            kept(mail.change(&[Change::Delete(ids)]))?;
            Ok(Answer::json(200, &json!({"historyId": mail.mailbox.history.to_string()})))
        }
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

/// Delivers a message: raw as it is, or in JSON with what is to be known of it.
fn receive(google: &Google, call: &Call) -> Handled {
    let delivery = if call.content_type == "application/json" {
        let given: Delivered = body(call)?;
        let raw = raw_of(given.raw.as_deref(), "raw")?;
        let date_ms = match given.internal_date.as_deref().map(str::parse) {
            None => None,
            Some(Ok(moment)) => Some(moment),
            Some(Err(_)) => return Err(aip(400, "INVALID_ARGUMENT", "`internalDate` is milliseconds, as text.")),
        };
        let labels = given.label_ids.unwrap_or_else(|| usual_labels(&raw));
        Delivery { labels, thread: thread_id(given.thread_id.as_deref())?, date_ms, raw, ..Delivery::default() }
    } else {
        Delivery { labels: usual_labels(&call.body), raw: call.body.clone(), ..Delivery::default() }
    };
    let mut mail = google.mail();
    let id = deliver(google, &mut mail, delivery, Vec::new())?;
    let mut told = told(&mail.mailbox, id);
    told["historyId"] = mail.mailbox.history.to_string().into();
    Ok(Answer::json(200, &told))
}

/// Returns the labels of a message that comes without any.
fn usual_labels(raw: &[u8]) -> Vec<String> {
    let mail = super::mime::Mail::head(raw);
    let mine = mail.header("from").is_some_and(|from| from.to_lowercase().contains(DEMO_ACCOUNT));
    let labels: &[&str] = if mine { &["SENT"] } else { &["INBOX", "UNREAD", "CATEGORY_PERSONAL"] };
    labels.iter().map(|label| (*label).to_owned()).collect()
}

/// Makes threads up.
fn generate(google: &Google, call: &Call) -> Handled {
    let wanted: Generated = body(call)?;
    if wanted.threads == 0 || wanted.threads > MAX_GENERATED {
        return Err(aip(400, "INVALID_ARGUMENT", &format!("`threads` is from 1 to {MAX_GENERATED}.")));
    }
    let mut mail = google.mail();
    if mail.mailbox.threads.len() + usize::try_from(wanted.threads).unwrap_or(usize::MAX) > MAX_THREADS {
        return Err(aip(400, "INVALID_ARGUMENT", &format!("A mailbox has {MAX_THREADS} threads at most.")));
    }
    let change = Change::Generate { threads: wanted.threads, seed: wanted.seed, until_ms: clock::now_ms() };
    kept(mail.change(&[change]))?;
    let mailbox = &mail.mailbox;
    let newest: Option<Value> = mailbox.order.last().map(|(_, id)| hex(*id).into());
    Ok(Answer::json(
        200,
        &json!({"threadsTotal": mailbox.threads.len(), "messagesTotal": mailbox.messages.len(),
            "historyId": mailbox.history.to_string(), "newest": newest}),
    ))
}

/// Threads that a mailbox may have before no more are made up.
const MAX_THREADS: usize = 2_000_000;
