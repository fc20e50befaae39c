//! What mails look like and how they are told, as tables.

mod folding;
mod hostile;
mod laws;
mod messages;
mod names;

use std::collections::BTreeMap;

use crate::kinds::gmail::text::{Message, ThreadText, thread};
use crate::model::Millis;

/// 2026-11-20 14:03 UTC.
const THEN: u64 = 1_795_183_380_000;

/// The file of a thread of these raw messages, one a minute.
fn file(raws: &[&[u8]]) -> ThreadText {
    let ids: Vec<String> = (0..raws.len()).map(|number| format!("{:016x}", 0x19b0 + number)).collect();
    let messages: Vec<Message<'_>> = raws
        .iter()
        .zip(&ids)
        .enumerate()
        .map(|(number, (raw, id))| Message {
            id,
            labels: &[],
            internal_date: Millis(THEN + 60_000 * u64::try_from(number).unwrap()),
            raw,
        })
        .collect();
    thread("19b0", &messages, &BTreeMap::new())
}

/// What stands in the file below the heading and the facts of its first message.
fn body(raw: &str) -> String {
    let text = file(&[raw.replace('\n', "\r\n").as_bytes()]).text;
    let (_, rest) = text.split_once("\n## ").unwrap();
    rest.split_once('\n').unwrap().1.trim().to_owned()
}

/// A message with this type and body.
fn mail(content_type: &str, body: &str) -> String {
    format!("From: Ana Lee <ana@example.com>\nSubject: Tea\nMIME-Version: 1.0\nContent-Type: {content_type}\n\n{body}")
}
