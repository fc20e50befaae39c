//! Mail as files, with the real binary and the embedded Google.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::daily::{done, refused, world};
use support::world::{World, edit_in_place, until};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_a_file_that_stays_current() {
    let world = world("mail");
    let (first, thread) = deliver(&world, &message(1, PLAIN, "Shall we go to Łódź?")).await;
    assert_eq!(first, thread, "a thread has the id of its first message");
    let file = fetch(&world, &thread);
    assert!(file.ends_with(format!("workspace/demo@example.com/gmail/{thread}.md")), "{}", file.display());
    let text = read(&file);
    assert!(text.starts_with("---\ntitle: The trip\n") && text.contains(&format!("\nid: {thread}\n")), "{text}");
    assert!(text.contains(&format!("## {{^ msg.{first}}}Ana Lee — 2026-11-01 10:00\n")), "{text}");
    assert!(text.contains("Shall we go to Łódź?"), "{text}");
    // The readable link, and the message as it was sent.
    assert_eq!(read(&file.parent().unwrap().parent().unwrap().join("by-name/mail/The trip.md")), text);
    let raw = beside(&file, &thread).join(format!("{first}.eml"));
    says(&raw, "Message-ID: <trip-1@example.com>").await;
    assert_eq!(read(&raw), message(1, PLAIN, "Shall we go to Łódź?"));
    // An answer with a file, whose name is not to lead anywhere else.
    let more = "Content-Type: multipart/mixed; boundary=b\n";
    let parts = format!(
        "--b\n{PLAIN}\nYes!\n\n{{!mono}}x{{/!}}\n--- \n# no head\n--b\nContent-Type: text/x-key\n\
         Content-Disposition: attachment; filename=\"../../.ssh/authorized_keys\"\n\nthe key\n--b--"
    );
    let (second, same) = deliver(&world, &message(2, more, &parts)).await;
    assert_eq!(same, thread);
    says(&file, "Yes!").await;
    let text = read(&file);
    assert!(text.contains("\\{!mono}x\\{/!}") && text.contains("\\# no head"), "it is literal: {text}");
    says(&beside(&file, &thread).join("authorized_keys"), "the key").await;
    assert!(
        !world.home.join("workspace/.ssh").exists() && !world.home.join("workspace/demo@example.com/.ssh").exists()
    );
    // Each message was read once.
    let asked = world.get("/admin/requests").await;
    let count = |id: &str| {
        let read = format!("/messages/{id}?format=raw");
        asked.as_array().unwrap().iter().filter(|entry| entry["path"].to_string().contains(&read)).count()
    };
    assert_eq!((count(&first), count(&second)), (1, 1), "{asked}");
    // What is done in Gmail.
    let labels = json!({ "addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"] });
    world.post(&format!("/gmail/v1/users/me/threads/{thread}/modify"), &labels).await;
    says(&file, "labels: INBOX, STARRED\n").await;
    assert_eq!(status(&world)["waiting"], json!([]));
    let hits = done(&world, &["search", "Łódź"]);
    assert!(hits["results"][0]["kind"] == "gmail" && hits["results"][0]["id"] == thread.as_str(), "{hits}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_found_by_whatever_names_it() {
    let world = world("mail-ids");
    let (_, thread) = deliver(&world, &message(1, PLAIN, "One")).await;
    let (second, _) = deliver(&world, &message(2, PLAIN, "Two")).await;
    let file = fetch(&world, &thread);
    let decimal = u64::from_str_radix(&second, 16).unwrap();
    for name in [
        second.clone(),
        "<trip-2@example.com>".to_owned(),
        "rfc822msgid:trip-1@example.com".to_owned(),
        format!("https://mail.google.com/mail/u/0/#inbox/{thread}"),
        format!("https://mail.google.com/mail/u/0/?ik=0&view=om&permmsgid=msg-f%3A{decimal}"),
        file.display().to_string(),
    ] {
        assert_eq!(fetch(&world, &name), file, "{name}");
    }
    for (name, told) in [
        ("https://mail.google.com/mail/u/0/#inbox/KtbxLwghjwWScTGNNHctnzRVJkLPKbVvSB", "you began yourself"),
        ("0123456789abcdef", "nothing found"),
        ("<nobody@example.com>", "nothing found"),
    ] {
        let error = refused(&world, &["fetch", name]).to_string();
        assert!(error.contains(told), "{name}: {error}");
    }
    assert_eq!(status(&world)["items"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_writes_into_a_mail_stays_in_the_file_and_is_told() {
    let mut world = world("mail-edits");
    let (_, thread) = deliver(&world, &message(1, PLAIN, "The train goes at nine.")).await;
    let file = fetch(&world, &thread);
    edit_in_place(&file, "at nine", "at ten");
    let push = refused(&world, &["push", file.to_str().unwrap()]);
    assert!(push["refused"][0].to_string().contains("MAIL_READ_ONLY"), "{push}");
    // It stays beside what arrives, over a restart, too.
    deliver(&world, &message(2, PLAIN, "I have the tickets.")).await;
    says(&file, "I have the tickets.").await;
    world.kill_daemon();
    world.start_daemon(&[]);
    deliver(&world, &message(3, PLAIN, "See you there.")).await;
    says(&file, "See you there.").await;
    assert!(read(&file).contains("The train goes at ten."));
    let told = status(&world)["waiting"].to_string();
    assert!(told.contains("MAIL_READ_ONLY"), "{told}");
    // Taken back, nothing waits.
    edit_in_place(&file, "at ten", "at nine");
    until("nothing waits", || std::future::ready(status(&world)["waiting"] == json!([]))).await;
    assert_eq!(changes(&world).await, [""; 0], "nothing is ever changed there");
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

/// The ids of the drafts of a thread, and each as it was written.
async fn drafts(world: &World, thread: &str) -> Vec<(String, String)> {
    let listed = world.get("/gmail/v1/users/me/drafts").await;
    let mut found = Vec::new();
    for draft in listed["drafts"].as_array().unwrap().iter().filter(|draft| draft["message"]["threadId"] == thread) {
        let id = draft["id"].as_str().unwrap();
        let read = world.get(&format!("/gmail/v1/users/me/drafts/{id}?format=raw")).await;
        let raw = read["message"]["raw"].as_str().unwrap();
        let raw = String::from_utf8(URL_SAFE_NO_PAD.decode(raw.trim_end_matches('=')).unwrap()).unwrap();
        found.push((id.to_owned(), raw));
    }
    found
}

/// Waits until a thread has one draft, which says this.
async fn drafted(world: &World, thread: &str, words: &str) {
    until(&format!("a draft says {words:?}"), || async {
        drafts(world, thread).await.iter().any(|(_, raw)| raw.contains(words))
    })
    .await;
    settled(world).await;
    let all = drafts(world, thread).await;
    assert!(all.len() == 1 && all[0].1.contains(words), "{words}: {all:?}");
}

/// The names of the labels of a message.
async fn labels(world: &World, id: &str) -> Vec<String> {
    let known = world.get("/gmail/v1/users/me/labels").await;
    let name = |id: &Value| {
        let label = known["labels"].as_array().unwrap().iter().find(|label| label["id"] == *id);
        label.unwrap_or_else(|| panic!("{id}"))["name"].as_str().unwrap().to_owned()
    };
    let message = world.get(&format!("/gmail/v1/users/me/messages/{id}?format=minimal")).await;
    let mut names: Vec<String> = message["labelIds"].as_array().into_iter().flatten().map(name).collect();
    names.sort();
    names
}

/// Writes other labels into the head of a thread's file.
fn relabel(file: &Path, labels: &str) {
    let text = read(file);
    let line = text.lines().find(|line| line.starts_with("labels:")).unwrap();
    fs::write(file, text.replacen(line, &format!("labels: {labels}"), 1)).unwrap();
}

/// Puts a section at the end of a thread's file.
fn draft(file: &Path, text: &str) {
    let old = read(file);
    let kept = old.split_once("\n## Draft reply").map_or(old.as_str(), |(kept, _)| kept).trim_end();
    fs::write(file, format!("{kept}\n\n{text}\n")).unwrap();
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

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_changed_by_the_head_of_the_file() {
    let mut world = world("mail-labels");
    world.post("/gmail/v1/users/me/labels", &json!({ "name": "Trips, 2026" })).await;
    let (first, thread) = deliver(&world, &message(1, PLAIN, "One")).await;
    let (second, _) = deliver(&world, &message(2, PLAIN, "Two")).await;
    let file = fetch(&world, &thread);
    relabel(&file, "unread, starred, \"Trips, 2026\"");
    until("it is archived", || async { labels(&world, &first).await == ["STARRED", "Trips, 2026", "UNREAD"] }).await;
    assert_eq!(labels(&world, &second).await, ["STARRED", "Trips, 2026", "UNREAD"]);
    settled(&world).await;
    assert_eq!(changes(&world).await.iter().filter(|call| call.contains("/modify")).count(), 1);
    // A label that was made a moment ago; and what both sides do at once goes together.
    world.kill_daemon();
    world.post("/gmail/v1/users/me/labels", &json!({ "name": "Soon" })).await;
    world.post(&format!("/gmail/v1/users/me/threads/{thread}/modify"), &json!({ "removeLabelIds": ["UNREAD"] })).await;
    relabel(&file, "\"Trips, 2026\", STARRED, UNREAD, Soon");
    world.start_daemon(&[]);
    until("both stand", || async { labels(&world, &first).await == ["STARRED", "Soon", "Trips, 2026"] }).await;
    says(&file, "labels: STARRED, Soon, \"Trips, 2026\"\n").await;
    settled(&world).await;
    // Nothing is thrown away from here, and a name that means nothing is told with those that do.
    relabel(&file, "Soon, TRASH, Tripz");
    until("it is told", || {
        std::future::ready(status(&world)["waiting"].to_string().contains("no label \\\"Tripz\\\""))
    })
    .await;
    let told = status(&world)["waiting"].to_string();
    assert!(told.contains("TRASH is set and taken away in Gmail alone") && told.contains("Soon"), "{told}");
    assert_eq!(labels(&world, &first).await, ["Soon"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_drafted_and_never_sent() {
    let world = world("mail-draft");
    let (_, thread) = deliver(&world, &message(1, PLAIN, "Shall we go?")).await;
    let file = fetch(&world, &thread);
    draft(&file, "## Draft reply\n\nYes, **gladly**.\nWhen?");
    drafted(&world, &thread, "gladly").await;
    let (id, raw) = drafts(&world, &thread).await.remove(0);
    for line in [
        "To: \"Ana Lee\" <ana@example.com>",
        "Subject: Re: The trip",
        "In-Reply-To: <trip-1@example.com>",
        "Yes, **gladly**.\r\nWhen?",
        "<p>Yes, <strong>gladly</strong>.<br />",
    ] {
        assert!(raw.contains(line), "{line}: {raw}");
    }
    assert!(read(&file).ends_with("Shall we go?\n\n## Draft reply\n\nYes, **gladly**.\nWhen?\n"), "{}", read(&file));
    // The next save writes the same draft anew, and a mail that arrives stands before it.
    edit_in_place(&file, "When?", "On Monday?");
    drafted(&world, &thread, "On Monday?").await;
    deliver(&world, &message(2, PLAIN, "Or on Sunday.")).await;
    says(&file, "Or on Sunday.").await;
    let text = read(&file);
    assert!(text.ends_with("Or on Sunday.\n\n## Draft reply\n\nYes, **gladly**.\nOn Monday?\n"), "{text}");
    draft(&file, "## Draft reply\n\nSunday, then.");
    drafted(&world, &thread, "Sunday, then.").await;
    let all = drafts(&world, &thread).await;
    assert!(all[0].0 == id && all[0].1.contains("In-Reply-To: <trip-1@example.com>"), "{all:?}");
    // What no mail can say, and a draft that is taken out of the file, change nothing.
    draft(&file, "## Draft reply\n\n{!mono}Sunday{/!}.");
    until("it is told", || std::future::ready(status(&world)["waiting"].to_string().contains("use Markdown alone")))
        .await;
    draft(&file, "");
    until("it is told", || std::future::ready(status(&world)["waiting"].to_string().contains("stays in Gmail"))).await;
    assert_eq!(drafts(&world, &thread).await, all);
    // Written on in Gmail it is that which is read.
    draft(&file, "## Draft reply\n\nSunday, then.");
    settled(&world).await;
    let raw = URL_SAFE_NO_PAD.encode(message(3, PLAIN, "Sunday, then, and early."));
    let written = json!({ "message": { "threadId": thread, "raw": raw } });
    world.put(&format!("/gmail/v1/users/me/drafts/{id}"), &written).await;
    says(&file, "(draft)\n").await;
    let text = read(&file);
    assert!(text.contains("Sunday, then, and early.") && !text.contains("## Draft reply"), "{text}");
    let asked = changes(&world).await;
    assert!(asked.iter().all(|call| !call.contains("send") && !call.starts_with("DELETE")), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_answers_to_is_done_once() {
    let mut world = world("mail-unknown");
    let (first, thread) = deliver(&world, &message(1, PLAIN, "Shall we go?")).await;
    let file = fetch(&world, &thread);
    for (number, fault) in ["lost_reply", "truncated", "drop", "500", "429"].into_iter().enumerate() {
        for path in ["/drafts", "/modify"] {
            let matched =
                json!({ "path": path, "method": if number == 0 || path == "/modify" { "POST" } else { "PUT" } });
            world.post("/admin/faults", &json!([{ "match": matched, "fault": fault }])).await;
        }
        draft(&file, &format!("## Draft reply\n\nYes, {number}."));
        relabel(&file, if number % 2 == 0 { "INBOX, STARRED" } else { "INBOX" });
        drafted(&world, &thread, &format!("Yes, {number}.")).await;
        let wanted: &[&str] = if number % 2 == 0 { &["INBOX", "STARRED"] } else { &["INBOX"] };
        assert_eq!(labels(&world, &first).await, wanted, "{fault}");
        world.post("/admin/faults", &json!([])).await;
    }
    // Killed at any moment of a push, it is there once.
    for (number, point) in
        ["before_journal", "after_journal", "after_post", "after_reply", "after_record"].into_iter().enumerate()
    {
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        draft(&file, &format!("## Draft reply\n\nNo, {number}."));
        until(point, || std::future::ready(world.daemon_died())).await;
        world.start_daemon(&[]);
        drafted(&world, &thread, &format!("No, {number}.")).await;
        assert!(
            read(&file).ends_with(&format!("Shall we go?\n\n## Draft reply\n\nNo, {number}.\n")),
            "{}",
            read(&file)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_gmail_has_no_time_for_is_asked_for_again() {
    let world = world("mail-limits");
    let mut thread = String::new();
    for number in 1..=8 {
        thread = deliver(&world, &message(number, PLAIN, &format!("Message {number}"))).await.1;
    }
    // Of the messages in one batch some are refused for a while.
    let fault = |kind: &str| json!({ "match": { "path": "/messages/", "method": "GET" }, "fault": kind });
    // The first is that which finds the thread.
    let slow = json!({ "match": { "path": "/messages/", "method": "GET" }, "fault": "slow", "delay_ms": 1 });
    world.post("/admin/faults", &json!([slow, fault("429"), fault("403"), fault("500"), fault("429")])).await;
    let file = fetch(&world, &thread);
    let text = read(&file);
    for number in 1..=8 {
        assert!(text.contains(&format!("Message {number}")), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_that_expired_loses_nothing() {
    let mut world = world("mail-history");
    let (_, thread) = deliver(&world, &message(1, PLAIN, "One")).await;
    let file = fetch(&world, &thread);
    world.kill_daemon();
    deliver(&world, &message(2, PLAIN, "While nobody looked")).await;
    world.post("/admin/mail:expire-history", &json!({})).await;
    world.start_daemon(&[]);
    says(&file, "While nobody looked").await;
    deliver(&world, &message(3, PLAIN, "After that")).await;
    says(&file, "After that").await;
    assert_eq!(status(&world)["waiting"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_in_the_trash_goes_and_comes_back() {
    let world = world("mail-trash");
    let (id, thread) = deliver(&world, &message(1, PLAIN, "One")).await;
    let file = fetch(&world, &thread);
    let raw = beside(&file, &thread).join(format!("{id}.eml"));
    says(&raw, "trip-1").await;
    world.post(&format!("/gmail/v1/users/me/threads/{thread}/trash"), &json!({})).await;
    until("it is put away", || std::future::ready(!file.exists() && !raw.exists())).await;
    let day = fs::read_dir(world.home.join("workspace/.retired")).unwrap().next().unwrap().unwrap().path();
    assert!(day.join(format!("{thread}.md")).exists() && day.join(&thread).join(format!("{id}.eml")).exists());
    world.post(&format!("/gmail/v1/users/me/threads/{thread}/untrash"), &json!({})).await;
    says(&file, "One").await;
    says(&raw, "trip-1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_dies_at_any_point_of_a_fetch_leaves_nothing_half() {
    let mut world = world("mail-kills");
    let (id, thread) = deliver(&world, &message(1, PLAIN, "One")).await;
    for point in ["during_deposit", "after_deposit", "after_record"] {
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        drop(world.cli(&["fetch", &thread]));
        world.kill_daemon();
        world.start_daemon(&[]);
        let file = fetch(&world, &thread);
        assert!(read(&file).ends_with("One\n"), "{point}: {}", read(&file));
        says(&beside(&file, &thread).join(format!("{id}.eml")), "trip-1").await;
        let folder = fs::read_dir(file.parent().unwrap()).unwrap();
        let names: Vec<String> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.iter().all(|name| !name.starts_with('.')), "{point}: {names:?}");
        done(&world, &["forget", &thread]);
    }
}
