//! Mail as files, with the real binary and the embedded Google.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "../support/mod.rs"]
mod support;

mod attachments;
mod reading;
mod rules;
mod searching;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::daily::done;
use support::world::{World, until};

/// A message of a thread about a trip; `more` are further lines of its head.
fn message(number: u32, more: &str, text: &str) -> String {
    let references = match number {
        1 => String::new(),
        _ => format!("In-Reply-To: <trip-{0}@example.com>\nReferences: <trip-{0}@example.com>\n", number - 1),
    };
    format!(
        "From: Ana Lee <ana@example.com>\nTo: Demo <demo@example.com>\nSubject: {}The trip\nDate: Fri, {number} Nov 2026 10:00:00 +0000\n\
         Message-ID: <trip-{number}@example.com>\n{references}MIME-Version: 1.0\n{more}\n{text}\n",
        if number == 1 { "" } else { "Re: " }
    )
    .replace('\n', "\r\n")
}

const PLAIN: &str = "Content-Type: text/plain; charset=utf-8\n";

/// Lets a message arrive; returns its id and its thread's.
async fn deliver(world: &World, message: &str) -> (String, String) {
    let raw = URL_SAFE_NO_PAD.encode(message);
    let arrived = world.post("/admin/mail", &json!({ "raw": raw, "labelIds": ["INBOX", "UNREAD"] })).await;
    let told = |key: &str| arrived[key].as_str().unwrap_or_else(|| panic!("{arrived}")).to_owned();
    (told("id"), told("threadId"))
}

/// Mirrors a thread; returns its file.
fn fetch(world: &World, id_or_url: &str) -> PathBuf {
    let fetched = done(world, &["fetch", id_or_url]);
    PathBuf::from(fetched["parts"][0]["path"].as_str().unwrap_or_else(|| panic!("{fetched}")))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

async fn says(path: &Path, words: &str) {
    until(&format!("{} says {words:?}", path.display()), || {
        std::future::ready(fs::read_to_string(path).is_ok_and(|text| text.contains(words)))
    })
    .await;
}

/// The folder of a thread's attachments.
fn beside(file: &Path, thread: &str) -> PathBuf {
    file.parent().unwrap().join("attachments").join(thread)
}

/// How the mail of the account stands.
fn status(world: &World) -> Value {
    let status = done(world, &["status"]);
    let accounts = status["accounts"].as_array().unwrap();
    accounts.iter().find(|account| account["feed"] == "gmail").unwrap_or_else(|| panic!("{status}")).clone()
}

/// The calls that changed something in the mailbox: method and path.
async fn changes(world: &World) -> Vec<String> {
    let asked = world.get("/admin/requests").await;
    let changes = |entry: &&Value| {
        let path = entry["path"].as_str().unwrap();
        entry["method"] != "GET" && path.starts_with("/gmail/") && !path.starts_with("/batch")
    };
    let asked = asked.as_array().unwrap().iter().filter(changes);
    asked.map(|entry| format!("{} {}", entry["method"].as_str().unwrap(), entry["path"].as_str().unwrap())).collect()
}

/// Waits until nothing of the mail waits.
async fn settled(world: &World) {
    let mut last = Value::Null;
    for _ in 0..400 {
        last = status(world);
        if last["waiting"] == json!([]) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("something waits: {last}");
}
