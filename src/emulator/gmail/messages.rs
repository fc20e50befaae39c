//! Messages: lists, reading, labels, the trash, and putting them in.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages>

use serde::Deserialize;
use serde_json::{Value, json};

use super::deliver::{Delivery, deliver, thread_id};
use super::listing::Listing;
use super::mailbox::{Change, Mailbox};
use super::payload::{Format, brief, message};
use super::refusals::{invalid, invalid_id, no_label, not_found, scopes};
use super::{answered, attachments, body, hex, kept, parse_id, raw_of, unhex};
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::errors;
use crate::emulator::state::Google;

/// Labels that one call adds or takes away.
const MAX_LABELS: usize = 100;

/// Messages that one call changes.
const MAX_IDS: usize = 1_000;

/// Labels that come with what a message is, and never by hand.
const GIVEN: [&str; 3] = ["SENT", "DRAFT", "CHAT"];

/// The labels to add and to take away.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Labels {
    add_label_ids: Vec<String>,
    remove_label_ids: Vec<String>,
    /// The messages, where a call changes several.
    ids: Vec<String>,
}

/// A message as a client gives it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Given {
    /// Its raw bytes in base64.
    pub(super) raw: Option<String>,
    /// Its thread.
    pub(super) thread_id: Option<String>,
    /// Its labels.
    pub(super) label_ids: Vec<String>,
}

/// Finds the method; `rest` is what follows `messages`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", []) => list(google, call),
        ("POST", []) => insert(google, call),
        ("POST", ["import"]) => insert(google, call),
        ("POST", ["send"]) => Err(scopes("SendMessage")),
        ("POST", ["batchModify"]) => batch_modify(google, call),
        ("POST", ["batchDelete"]) => Err(scopes("BatchDeleteMessages")),
        ("GET", [id]) => get(google, call, id),
        ("DELETE", [_]) => Err(scopes("DeleteMessage")),
        ("POST", [id, "modify"]) => {
            let labels: Labels = body(call)?;
            change(google, call, id, &labels)
        }
        ("POST", [id, "trash"]) => change(google, call, id, &Labels::trash()),
        ("POST", [id, "untrash"]) => change(google, call, id, &Labels::untrash()),
        ("GET", [message, "attachments", id]) => attachments::get(google, call, message, id),
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

impl Labels {
    /// Returns what moving to the trash changes.
    pub(super) fn trash() -> Self {
        Self {
            add_label_ids: vec!["TRASH".into()],
            remove_label_ids: vec!["INBOX".into(), "SPAM".into()],
            ids: Vec::new(),
        }
    }

    /// Returns what taking out of the trash changes; it does not come back to the inbox.
    pub(super) fn untrash() -> Self {
        Self { remove_label_ids: vec!["TRASH".into()], ..Self::default() }
    }

    /// Returns the change of some messages.
    pub(super) fn change(&self, mailbox: &Mailbox, ids: Vec<u64>) -> Result<Change, Answer> {
        let both = self.add_label_ids.iter().chain(&self.remove_label_ids);
        if self.add_label_ids.len() > MAX_LABELS || self.remove_label_ids.len() > MAX_LABELS {
            return Err(invalid("Too many labels in the request"));
        }
        if both.clone().any(|id| mailbox.label(id).is_none()) {
            return Err(no_label());
        }
        if let Some(id) = both.clone().find(|id| GIVEN.contains(&id.as_str())) {
            return Err(invalid(&format!("Invalid label: {id}")));
        }
        if self.add_label_ids.iter().any(|id| self.remove_label_ids.contains(id)) {
            return Err(invalid("Cannot both add and remove the same label"));
        }
        Ok(Change::Relabel { ids, add: self.add_label_ids.clone(), remove: self.remove_label_ids.clone() })
    }

    /// Refuses messages in the body of a call that names them in its path.
    pub(super) fn only_labels(&self) -> Result<(), Answer> {
        if self.ids.is_empty() {
            return Ok(());
        }
        Err(errors::bad_field("", "Invalid JSON payload received. Unknown name \"ids\": Cannot find field."))
    }
}

fn list(google: &Google, call: &Call) -> Handled {
    let mail = google.mail();
    let page = Listing::read(call, &mail.mailbox)?.messages(google, &mail.mailbox);
    let mut answer = json!({"resultSizeEstimate": page.estimate()});
    if !page.messages.is_empty() {
        let ids = |m: &&super::mailbox::Message| json!({"id": hex(m.id), "threadId": hex(m.thread)});
        answer["messages"] = page.messages.iter().map(ids).collect();
    }
    if let Some(next) = page.next {
        answer["nextPageToken"] = next.into();
    }
    answered(call, &answer)
}

fn get(google: &Google, call: &Call, id: &str) -> Handled {
    let (id, format) = (parse_id(id)?, Format::read(call, true)?);
    let mail = google.mail();
    let found = mail.mailbox.messages.get(&id).ok_or_else(not_found)?;
    answered(call, &message(google, &mail.mailbox, found, &format))
}

fn change(google: &Google, call: &Call, id: &str, labels: &Labels) -> Handled {
    let id = parse_id(id)?;
    labels.only_labels()?;
    let mut mail = google.mail();
    if !mail.mailbox.messages.contains_key(&id) {
        return Err(not_found());
    }
    let change = labels.change(&mail.mailbox, vec![id])?;
    kept(mail.change(&[change]))?;
    let found = mail.mailbox.messages.get(&id).ok_or_else(not_found)?;
    answered(call, &brief(&mail.mailbox, found))
}

fn batch_modify(google: &Google, call: &Call) -> Handled {
    let labels: Labels = body(call)?;
    if labels.ids.is_empty() {
        return Err(invalid("No message ids specified"));
    }
    if labels.ids.len() > MAX_IDS {
        return Err(invalid("Too many message ids in the request"));
    }
    let ids = labels.ids.iter().map(|id| unhex(id).ok_or_else(invalid_id)).collect::<Result<Vec<_>, _>>()?;
    let mut mail = google.mail();
    // Gmail "provides no guarantees that messages were already deleted or even existed at all": those are passed over.
    let change = labels.change(&mail.mailbox, ids)?;
    kept(mail.change(&[change]))?;
    Ok(Answer::empty(204))
}

/// Puts a message in: `messages.insert` and `messages.import`.
fn insert(google: &Google, call: &Call) -> Handled {
    let given: Given = body(call)?;
    let by_date = match call.parameter("internalDateSource") {
        None if call.path.ends_with("/import") => true,
        None | Some("receivedTime") => false,
        Some("dateHeader") => true,
        Some(other) => return Err(super::refusals::bad_value("internal_date_source", "TYPE_ENUM", other)),
    };
    let delivery = Delivery {
        raw: raw_of(given.raw.as_deref(), "raw")?,
        labels: given.label_ids,
        thread: thread_id(given.thread_id.as_deref())?,
        date_ms: (!by_date).then(crate::emulator::clock::now_ms),
        ..Delivery::default()
    };
    let mut mail = google.mail();
    let id = deliver(google, &mut mail, delivery, Vec::new())?;
    answered(call, &told(&mail.mailbox, id))
}

/// Returns what is said of a message that came in.
pub(super) fn told(mailbox: &Mailbox, id: u64) -> Value {
    mailbox.messages.get(&id).map(|message| brief(mailbox, message)).unwrap_or_default()
}
