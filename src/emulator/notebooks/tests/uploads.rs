//! Files come in two steps.

use serde_json::json;

use super::{APP, Browser, text};
use crate::notebooklm::call;
use crate::notebooklm::rows::{self, Source, SourceKind, Status};

fn source(browser: &mut Browser, notebook: &str) -> Source {
    let answer = browser.result(&call::get_notebook(notebook));
    rows::notebook_of_get("rLM1Ne", &answer).unwrap().sources.pop().unwrap()
}

#[test]
fn a_file_is_registered_and_brought() {
    let mut browser = Browser::signed_in();
    let solar = browser.notebook("Balcony").id;
    let answer = browser.result(&call::register_upload(&solar, "notes.md"));
    let id = rows::added_sources("o4cbdc", &answer).unwrap().items[0].id.clone();
    browser.now += 60_000;
    assert_eq!(source(&mut browser, &solar).status, Status::Preparing, "its bytes are awaited");
    let start = [("x-goog-upload-command", "start"), ("x-goog-upload-protocol", "resumable")];
    let wrong = call::upload_start(&solar, "another", "notes.md");
    assert_eq!(browser.send("POST", APP, "/upload/_/?authuser=0", &start, wrong.as_bytes()).status, 404);
    let body = call::upload_start(&solar, &id, "notes.md");
    let reply = browser.send("POST", APP, "/upload/_/?authuser=0", &start, body.as_bytes());
    let header = |name: &str| reply.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
    assert_eq!(header("x-goog-upload-status").as_deref(), Some("active"));
    let back = header("x-goog-upload-url").unwrap();
    let target = back.strip_prefix(&format!("http://{APP}")).unwrap();
    let finish = [("x-goog-upload-command", "upload, finalize"), ("x-goog-upload-offset", "0")];
    let reply = browser.send("POST", APP, target, &finish, "# Notes\n\nFrom a file 🙂".as_bytes());
    assert_eq!(text(&reply), "OK: Enqueued blob bytes to spanner queue for processing.");
    assert_eq!(browser.send("POST", APP, target, &finish, b"again").status, 404);
    let states = [(0, Status::Preparing), (1_000, Status::Processing), (2_000, Status::Ready)];
    for (after_ms, status) in states {
        browser.now += after_ms;
        assert_eq!(source(&mut browser, &solar).status, status);
    }
    let read = source(&mut browser, &solar);
    assert_eq!((read.kind, read.mime.as_deref()), (SourceKind::Markdown, Some("text/markdown")));
    browser.cookies.clear();
    assert_eq!(browser.send("POST", APP, "/upload/_/", &start, body.as_bytes()).status, 401);
    let made = browser.admin("GET", "notebooks", &json!({}));
    assert!(made["notebooks"].as_array().unwrap().len() == 3);
}
