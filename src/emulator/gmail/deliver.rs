//! How a message comes in: its thread, its moment, its labels.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/threads>

use mail_parser::DateTime;

use super::journal::Mail as Kept;
use super::mailbox::{Change, Mailbox, New};
use super::mime::{Header, Mail};
use super::refusals::{no_label, not_found, too_large};
use super::{kept, unhex};
use crate::emulator::call::Answer;
use crate::emulator::clock;
use crate::emulator::state::Google;

/// Bytes of a message, encoded as mail. Source: the discovery document (`mediaUpload.maxSize` of drafts).
pub(super) const MAX_MESSAGE: usize = 36_700_160;

/// Ids of earlier messages that are looked up.
const MAX_REFERENCES: usize = 100;

/// A message that is to come in.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// Its raw bytes.
    pub(super) raw: Vec<u8>,
    /// The ids of its labels.
    pub(super) labels: Vec<String>,
    /// The thread that it is told to be in.
    pub(super) thread: Option<u64>,
    /// When it is told to have come.
    pub(super) date_ms: Option<i64>,
    /// The draft that it is.
    pub(super) draft: Option<String>,
    /// The id that it has; a new one when absent.
    pub(super) id: Option<u64>,
}

/// Takes a message in after other changes; returns its id.
pub(super) fn deliver(
    google: &Google,
    mail: &mut Kept,
    delivery: Delivery,
    mut before: Vec<Change>,
) -> Result<u64, Answer> {
    if delivery.raw.len() > MAX_MESSAGE {
        return Err(too_large(MAX_MESSAGE));
    }
    if delivery.labels.iter().any(|id| mail.mailbox.label(id).is_none()) {
        return Err(no_label());
    }
    let now_ms = clock::now_ms();
    let read = Mail::head(&delivery.raw);
    let headers = read.root().map(|root| root.headers.as_slice()).unwrap_or_default();
    let date_ms = delivery.date_ms.or_else(|| date(headers)).unwrap_or(now_ms);
    let id = delivery.id.unwrap_or_else(|| mail.mailbox.fresh_id(now_ms, google.letters_number("message", date_ms)));
    let thread = match delivery.thread {
        Some(thread) if mail.mailbox.threads.contains_key(&thread) || delivery.id.is_some() => thread,
        Some(_) => return Err(not_found()),
        None => joined(google, &mail.mailbox, headers).unwrap_or(id),
    };
    let message_id = read.header("message-id").map(str::to_owned);
    let size = u32::try_from(delivery.raw.len()).unwrap_or(u32::MAX);
    let key = kept(google.keep_bytes(delivery.raw))?;
    let new = New { id, thread, labels: delivery.labels, date_ms, key, size, message_id, draft: delivery.draft };
    before.push(Change::Add(new));
    kept(mail.change(&before))?;
    Ok(id)
}

/// Returns the moment that a message gives.
pub(super) fn date(headers: &[Header]) -> Option<i64> {
    let value = &headers.iter().find(|header| header.name.eq_ignore_ascii_case("date"))?.value;
    let date = DateTime::parse_rfc822(value.get(..value.len().min(100))?)?;
    let plausible =
        (1970..=2200).contains(&date.year) && (1..=12).contains(&date.month) && (1..=31).contains(&date.day);
    plausible.then(|| date.to_timestamp().checked_mul(1000)).flatten()
}

/// Returns the thread of a message that this one answers and that has the same subject.
fn joined(google: &Google, mailbox: &Mailbox, headers: &[Header]) -> Option<u64> {
    let subject = subject(headers);
    let named = |name: &'static str| {
        headers.iter().filter(move |h| h.name.eq_ignore_ascii_case(name)).map(|h| h.value.as_str())
    };
    let references: Vec<&str> =
        named("in-reply-to").chain(named("references")).flat_map(str::split_whitespace).collect();
    // The nearest one stands last.
    references.iter().rev().take(MAX_REFERENCES).find_map(|id| {
        let message = mailbox.named(id)?;
        let raw = google.raw(message);
        let other = Mail::head(&raw);
        let same = subject == self::subject(other.root().map(|root| root.headers.as_slice()).unwrap_or_default());
        same.then_some(message.thread)
    })
}

/// Returns a subject without what answers put before it.
fn subject(headers: &[Header]) -> String {
    const MARKS: [&str; 18] = [
        "re", "fwd", "fw", "aw", "wg", "antw", "tr", "rv", "sv", "vs", "odp", "ref", "رد", "回复", "答复", "回覆",
        "转发", "返信",
    ];
    let value = headers.iter().find(|h| h.name.eq_ignore_ascii_case("subject")).map(|h| h.value.to_lowercase());
    let value = value.unwrap_or_default();
    let mut rest = value.trim();
    while let Some((mark, after)) = rest.split_once([':', '：']) {
        if !MARKS.contains(&mark.trim()) {
            break;
        }
        rest = after.trim();
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the id of a thread that a body names.
pub(super) fn thread_id(text: Option<&str>) -> Result<Option<u64>, Answer> {
    match text.filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => unhex(text).map(Some).ok_or_else(super::refusals::invalid_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects() {
        for (given, wanted) in [
            ("Re: AW: Trip  plan", "trip plan"),
            ("RE:Fwd: x", "x"),
            ("回复：北京", "北京"),
            ("Note: this", "note: this"),
            ("", ""),
        ] {
            assert_eq!(subject(&[Header { name: "SUBJECT".into(), value: given.into() }]), wanted, "{given}");
        }
    }

    #[test]
    fn dates() {
        for (given, wanted) in [
            ("Fri, 23 Jan 2026 15:34:55 +0000", Some(1_769_182_495_000)),
            ("23 Jan 2026 16:34:55 +0100 (CET)", Some(1_769_182_495_000)),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(date(&[Header { name: "Date".into(), value: given.into() }]), wanted, "{given}");
        }
    }
}
