//! Labels: those that every mailbox has, and a person's own.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.labels>

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::mailbox::{Change, LabelNumber, MAX_LABELS, Mailbox};
use super::refusals::{bad_value, invalid, not_found, refused};
use super::{answered, body, kept};
use crate::emulator::call::{Answer, Call, Handled};
use crate::emulator::errors;
use crate::emulator::state::Google;

/// Characters of a label's name.
const MAX_NAME: usize = 225;

/// The labels that every mailbox has, with whether lists show them.
const SYSTEM: [(&str, bool); 14] = [
    ("INBOX", true),
    ("SENT", true),
    ("DRAFT", true),
    ("UNREAD", true),
    ("STARRED", true),
    ("IMPORTANT", false),
    ("TRASH", false),
    ("SPAM", false),
    ("CHAT", false),
    ("CATEGORY_PERSONAL", false),
    ("CATEGORY_SOCIAL", false),
    ("CATEGORY_PROMOTIONS", false),
    ("CATEGORY_UPDATES", false),
    ("CATEGORY_FORUMS", false),
];

/// A label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Label {
    /// `INBOX` and the like, or `Label_N`.
    pub(super) id: String,
    /// Its name.
    pub(super) name: String,
    /// Whether it is a person's own.
    pub(super) own: bool,
    /// Whether it is gone; its number stays taken.
    pub(super) deleted: bool,
    /// `show` or `hide`.
    pub(super) messages_shown: Option<String>,
    /// `labelShow`, `labelShowIfUnread` or `labelHide`.
    pub(super) label_shown: Option<String>,
    /// The colours of its background and its text.
    pub(super) color: Option<(String, String)>,
}

/// Returns the labels of an empty mailbox.
pub(super) fn system_labels() -> Vec<Label> {
    let label = |(id, shown): (&str, bool)| Label {
        id: id.into(),
        name: id.into(),
        messages_shown: (!shown).then(|| "hide".into()),
        label_shown: (!shown).then(|| "labelHide".into()),
        ..Label::default()
    };
    SYSTEM.map(label).into()
}

/// What a client says of a label.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    id: Option<String>,
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    message_list_visibility: Option<String>,
    label_list_visibility: Option<String>,
    color: Option<Color>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Color {
    background_color: String,
    text_color: String,
}

/// Finds the method; `rest` is what follows `labels`.
pub(super) fn handle(google: &Google, call: &Call, rest: &[&str]) -> Handled {
    match (call.method.as_str(), rest) {
        ("GET", []) => {
            let mail = google.mail();
            let labels: Vec<Value> = mail.mailbox.labels.iter().filter(|label| !label.deleted).map(shown).collect();
            answered(call, &json!({"labels": labels}))
        }
        ("GET", [id]) => {
            let mail = google.mail();
            let number = mail.mailbox.label(id).ok_or_else(not_found)?;
            answered(call, &counted(&mail.mailbox, number))
        }
        ("POST", []) => create(google, call),
        ("PATCH", [id]) => update(google, call, id, false),
        ("PUT", [id]) => update(google, call, id, true),
        ("DELETE", [id]) => {
            let mut mail = google.mail();
            own(&mail.mailbox, id, "Invalid delete request")?;
            kept(mail.change(&[Change::DropLabel((*id).to_owned())]))?;
            Ok(Answer::empty(204))
        }
        _ => Err(errors::no_route(&format!("{} {}", call.method, call.path))),
    }
}

fn create(google: &Google, call: &Call) -> Handled {
    let wanted: Wanted = body(call)?;
    let mut mail = google.mail();
    let mut label = new_label(&mail.mailbox, wanted.name.as_deref().unwrap_or_default())?;
    set(&mut label, wanted)?;
    kept(mail.change(&[Change::Label(label.clone())]))?;
    answered(call, &shown(&label))
}

/// Returns a label to be made; refuses a name that is none, or is taken.
pub(super) fn new_label(mailbox: &Mailbox, name: &str) -> Result<Label, Answer> {
    let name = usable_name(mailbox, name, None)?;
    let own = mailbox.labels.iter().filter_map(|label| label.id.strip_prefix("Label_")?.parse::<u32>().ok());
    let id = format!("Label_{}", own.max().unwrap_or(0) + 1);
    if mailbox.labels.len() >= MAX_LABELS {
        return Err(invalid("Label count exceeds limit"));
    }
    Ok(Label { id, name, own: true, ..Label::default() })
}

fn update(google: &Google, call: &Call, id: &str, whole: bool) -> Handled {
    let wanted: Wanted = body(call)?;
    let mut mail = google.mail();
    let mut label = own(&mail.mailbox, id, "Invalid update request")?;
    if wanted.id.as_deref().is_some_and(|other| other != id) {
        return Err(invalid("Label ID in the request does not match the label in the body"));
    }
    if whole {
        label = Label { id: label.id, own: true, ..Label::default() };
    }
    if whole || wanted.name.is_some() {
        label.name = usable_name(&mail.mailbox, wanted.name.as_deref().unwrap_or_default(), Some(id))?;
    }
    set(&mut label, wanted)?;
    kept(mail.change(&[Change::Label(label.clone())]))?;
    answered(call, &shown(&label))
}

/// Returns a person's own label, or says that the others stay as they are.
fn own(mailbox: &Mailbox, id: &str, refusal: &str) -> Result<Label, Answer> {
    let number = mailbox.label(id).ok_or_else(not_found)?;
    let label = mailbox.labels.get(usize::from(number)).ok_or_else(not_found)?;
    if label.own { Ok(label.clone()) } else { Err(invalid(refusal)) }
}

fn usable_name(mailbox: &Mailbox, name: &str, but: Option<&str>) -> Result<String, Answer> {
    let name = name.trim();
    let parts_stand = name.split('/').all(|part| !part.trim().is_empty());
    let system = mailbox.labels.iter().any(|label| !label.own && label.name.eq_ignore_ascii_case(name));
    if !parts_stand || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) || system {
        return Err(invalid("Invalid label name"));
    }
    let same = |label: &&Label| {
        label.own
            && !label.deleted
            && Some(label.id.as_str()) != but
            && label.name.to_lowercase() == name.to_lowercase()
    };
    if mailbox.labels.iter().any(|label| same(&label)) {
        return Err(refused(409, "ABORTED", "aborted", "Label name exists or conflicts"));
    }
    Ok(name.to_owned())
}

/// Sets what a client says besides the name.
fn set(label: &mut Label, wanted: Wanted) -> Result<(), Answer> {
    if let Some(kind) = wanted.kind.filter(|kind| kind != "user") {
        return Err(bad_value("label.type", "type.googleapis.com/google.apps.gmail.Label.Type", &kind));
    }
    if let Some(shown) = wanted.message_list_visibility {
        if !matches!(shown.as_str(), "show" | "hide") {
            return Err(bad_value("label.message_list_visibility", "TYPE_ENUM", &shown));
        }
        label.messages_shown = Some(shown);
    }
    if let Some(shown) = wanted.label_list_visibility {
        if !matches!(shown.as_str(), "labelShow" | "labelShowIfUnread" | "labelHide") {
            return Err(bad_value("label.label_list_visibility", "TYPE_ENUM", &shown));
        }
        label.label_shown = Some(shown);
    }
    if let Some(color) = wanted.color {
        let hex = |text: &str| {
            text.len() == 7 && text.starts_with('#') && text.bytes().skip(1).all(|b| b.is_ascii_hexdigit())
        };
        if !hex(&color.background_color) || !hex(&color.text_color) {
            return Err(invalid("Invalid color"));
        }
        label.color = Some((color.background_color, color.text_color));
    }
    Ok(())
}

/// Returns a label as lists tell it.
fn shown(label: &Label) -> Value {
    let mut value = json!({"id": label.id, "name": label.name, "type": if label.own { "user" } else { "system" }});
    if let Some(shown) = &label.messages_shown {
        value["messageListVisibility"] = shown.as_str().into();
    }
    if let Some(shown) = &label.label_shown {
        value["labelListVisibility"] = shown.as_str().into();
    }
    if let Some((background, text)) = &label.color {
        value["color"] = json!({"backgroundColor": background, "textColor": text});
    }
    value
}

/// Returns a label with its counts.
fn counted(mailbox: &Mailbox, number: LabelNumber) -> Value {
    let unread = mailbox.label("UNREAD").unwrap_or_default();
    let (mut messages, mut messages_unread, mut threads, mut threads_unread) = (0_u32, 0_u32, 0_u32, 0_u32);
    for ids in mailbox.threads.values() {
        let labelled = ids.iter().filter_map(|id| mailbox.messages.get(id)).filter(|m| m.labels.contains(&number));
        let (mut here, mut here_unread) = (0, 0);
        for message in labelled {
            here += 1;
            here_unread += u32::from(message.labels.contains(&unread));
        }
        messages += here;
        messages_unread += here_unread;
        threads += u32::from(here > 0);
        threads_unread += u32::from(here_unread > 0);
    }
    let mut value = mailbox.labels.get(usize::from(number)).map(shown).unwrap_or_default();
    value["messagesTotal"] = messages.into();
    value["messagesUnread"] = messages_unread.into();
    value["threadsTotal"] = threads.into();
    value["threadsUnread"] = threads_unread.into();
    value
}
