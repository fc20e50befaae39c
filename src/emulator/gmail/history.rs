//! The history: what happened since a moment, in order.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/sync>

use serde_json::{Map, Value, json};

use super::listing::limit;
use super::mailbox::{Event, Happened, LabelNumber, Mailbox};
use super::payload::brief;
use super::refusals::{bad_value, invalid, no_label, not_found};
use super::{answered, hex};
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::state::Google;

/// Answers `history.list`; a stale feed tells nothing new.
pub(super) fn list(google: &Google, call: &Call, stale: bool) -> Handled {
    let mail = google.mail();
    let mailbox = &mail.mailbox;
    let start = number(call, "startHistoryId", "start_history_id")?.ok_or_else(|| invalid("Missing startHistoryId"))?;
    if start < mailbox.floor || start > mailbox.history {
        return Err(not_found());
    }
    let types = types(call)?;
    let label = match call.parameter("labelId") {
        Some(id) => Some(mailbox.label(id).ok_or_else(no_label)?),
        None => None,
    };
    let limit = limit(call)?;
    let after = match call.parameter("pageToken") {
        Some(token) => token.parse::<u64>().map_err(|_bad| invalid("Invalid pageToken"))?.max(start),
        None => start,
    };
    let mut answer = json!({"historyId": mailbox.history.to_string()});
    if stale {
        answer["historyId"] = start.to_string().into();
        return answered(call, &answer);
    }
    let from = mailbox.events.partition_point(|event| event.id <= after);
    let wanted = |event: &&Event| {
        types.is_none_or(|types| types.contains(name_of(&event.happened)))
            && label.is_none_or(|label| concerns(mailbox, event, label))
    };
    let mut found = mailbox.events.get(from..).unwrap_or_default().iter().filter(wanted);
    let page: Vec<&Event> = found.by_ref().take(limit).collect();
    if let (Some(last), Some(_)) = (page.last(), found.next()) {
        answer["nextPageToken"] = last.id.to_string().into();
    }
    if !page.is_empty() {
        answer["history"] = page.iter().map(|event| record(mailbox, event)).collect();
    }
    answered(call, &answer)
}

/// Reads a number without a sign.
fn number(call: &Call, name: &str, field: &str) -> Result<Option<u64>, Answer> {
    let read = |text: &str| text.parse::<u64>().map_err(|_bad| bad_value(field, "TYPE_UINT64", text));
    call.parameter(name).map(read).transpose()
}

/// The names of what happens, as they are asked for.
const TYPES: [&str; 4] = ["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"];

/// Which of [`TYPES`] are wanted.
#[derive(Clone, Copy)]
struct Types([bool; 4]);

impl Types {
    fn contains(self, name: &str) -> bool {
        TYPES.iter().zip(self.0).any(|(known, wanted)| wanted && *known == name)
    }
}

fn types(call: &Call) -> Result<Option<Types>, Answer> {
    let mut wanted = None;
    for (_, name) in call.query.iter().filter(|(key, _)| key == "historyTypes") {
        let Some(at) = TYPES.iter().position(|known| known == name) else {
            return Err(bad_value("history_types", "type.googleapis.com/google.apps.gmail.v1.HistoryType", name));
        };
        let types = wanted.get_or_insert(Types([false; 4]));
        if let Some(flag) = types.0.get_mut(at) {
            *flag = true;
        }
    }
    Ok(wanted)
}

const fn name_of(happened: &Happened) -> &'static str {
    let [added, deleted, labelled, unlabelled] = TYPES;
    match happened {
        Happened::Added => added,
        Happened::Deleted => deleted,
        Happened::Labelled(_) => labelled,
        Happened::Unlabelled(_) => unlabelled,
    }
}

/// Tells whether an entry is about a message with a label.
fn concerns(mailbox: &Mailbox, event: &Event, label: LabelNumber) -> bool {
    let named = match &event.happened {
        Happened::Labelled(labels) | Happened::Unlabelled(labels) => labels.contains(&label),
        Happened::Added | Happened::Deleted => false,
    };
    named || mailbox.messages.get(&event.message).is_some_and(|message| message.labels.contains(&label))
}

/// Returns an entry.
fn record(mailbox: &Mailbox, event: &Event) -> Value {
    let ids = json!({"id": hex(event.message), "threadId": hex(event.thread)});
    let message = mailbox.messages.get(&event.message).map_or_else(|| ids.clone(), |message| brief(mailbox, message));
    let (key, labels) = match &event.happened {
        Happened::Added => ("messagesAdded", None),
        Happened::Deleted => ("messagesDeleted", None),
        Happened::Labelled(labels) => ("labelsAdded", Some(labels)),
        Happened::Unlabelled(labels) => ("labelsRemoved", Some(labels)),
    };
    let mut told = json!({"message": message});
    if let Some(labels) = labels {
        told["labelIds"] = mailbox.label_ids(labels).into();
    }
    let mut map = Map::new();
    map.insert("id".into(), event.id.to_string().into());
    map.insert("messages".into(), json!([ids]));
    map.insert(key.into(), json!([told]));
    map.into()
}
