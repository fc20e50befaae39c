//! Files come in two steps: a request that says which source they are for, and one that brings the bytes.

use serde_json::Value;

use super::Notebooks;
use super::hosts::{Host, origin};
use super::log::Heard;
use super::model::{Failure, Millis, Origin, TEXT_BYTES_MAX, count_words};
use super::reply::Reply;
use super::sessions::Who;
use crate::emulator::call::Call;
use crate::emulator::errors::aip;

/// Uploads that may be under way.
const UPLOADS_MAX: usize = 1_000;

impl Notebooks {
    /// Answers a request of an upload.
    pub(super) fn upload(&mut self, now: Millis, call: &Call, heard: &mut Heard) -> Reply {
        let Who::Somebody { sid, bound: true, .. } = self.who(now, call) else {
            return super::faults::signed_out();
        };
        let Some((_, email)) = self.person_of(&sid, call.parameter("authuser")) else {
            return super::faults::signed_out();
        };
        heard.account = Some(email.clone());
        let command = call.header("x-goog-upload-command").unwrap_or_default();
        let words: Vec<&str> = command.split(',').map(str::trim).collect();
        if words == ["start"] {
            return self.start_upload(call, &email);
        }
        let id = call.parameter("upload_id").unwrap_or_default().to_owned();
        let Some(source) = self.uploads.get(&id).cloned() else {
            return aip(404, "NOT_FOUND", "Requested entity was not found.").into();
        };
        if words == ["query"] {
            return active("").with("x-goog-upload-size-received", "0");
        }
        if words != ["upload", "finalize"] || call.header("x-goog-upload-offset") != Some("0") {
            return aip(400, "INVALID_ARGUMENT", "Request contains an invalid argument.").into();
        }
        self.uploads.remove(&id);
        self.take_bytes(now, &source, &call.body);
        Reply::new(200, "text/html; charset=UTF-8", "OK: Enqueued blob bytes to spanner queue for processing.")
            .with("x-goog-upload-status", "final")
    }

    fn start_upload(&mut self, call: &Call, email: &str) -> Reply {
        let said: Value = serde_json::from_slice(&call.body).unwrap_or_default();
        let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default();
        let (notebook, source) = (text("PROJECT_ID").to_owned(), text("SOURCE_ID").to_owned());
        let awaited = self
            .edited(email, &notebook)
            .is_ok_and(|notebook| notebook.source(&source).is_some_and(|source| source.awaits_bytes));
        if !awaited {
            return aip(404, "NOT_FOUND", "Requested entity was not found.").into();
        }
        if self.uploads.len() >= UPLOADS_MAX {
            return aip(429, "RESOURCE_EXHAUSTED", "Too many uploads.").into();
        }
        let id = self.chance.letters(80);
        let back = format!("{}/upload/_/?upload_id={id}&upload_protocol=resumable", origin(call, Host::App));
        self.uploads.insert(id, source);
        self.touch();
        active(&back)
    }

    /// Puts the bytes of an upload in: the product now looks at what they are, and then reads them.
    pub(super) fn take_bytes(&mut self, now: Millis, id: &str, bytes: &[u8]) {
        let times = (i64::from(self.switches.preparing_ms), i64::from(self.switches.processing_ms));
        let found = self.notebooks.values_mut().find_map(|notebook| notebook.source_mut(id));
        let Some(source) = found else { return };
        source.text = text_of(&source.title, &source.origin, bytes);
        source.words = count_words(&source.text);
        source.awaits_bytes = false;
        source.typed_ms = now + times.0;
        source.ready_ms = source.typed_ms + times.1;
        source.revised_ms = now;
        source.modified_ms = source.ready_ms;
        source.failure = bytes.is_empty().then(|| Failure {
            place: 6,
            code: 1,
            reason: "sourceEmpty".into(),
            details: serde_json::json!({}),
        });
        self.touch();
    }
}

fn active(back: &str) -> Reply {
    let reply = Reply::new(200, "text/plain; charset=utf-8", "").with("x-goog-upload-status", "active");
    if back.is_empty() { reply } else { reply.with("x-goog-upload-url", back) }
}

/// Returns what is read of a file: its text, where it is one. Of all others, that they are there.
fn text_of(title: &str, origin: &Origin, bytes: &[u8]) -> String {
    let Origin::File { mime } = origin else { return String::new() };
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= TEXT_BYTES_MAX && (mime.starts_with("text/") || !text.contains('\0')) => {
            text.to_owned()
        }
        _ => format!("# {title}\n\nThis is a file of {} bytes and of the type {mime}.", bytes.len()),
    }
}
