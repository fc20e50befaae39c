//! What is written back: labels, and the draft of an answer.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::support::daily::world;
use super::support::world::{World, edit_in_place, until};
use super::{PLAIN, changes, deliver, fetch, message, read, says, settled, status};

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
    // Where a name means nothing, nothing is taken away: a forgotten comma is no wish to archive.
    assert_eq!(labels(&world, &first).await, ["STARRED", "Soon", "Trips, 2026"]);
    relabel(&file, "Soon");
    until("the rest goes", || async { labels(&world, &first).await == ["Soon"] }).await;
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
async fn a_mail_that_comes_while_an_answer_is_written_stands_before_it() {
    let mut world = world("mail-race");
    let (_, thread) = deliver(&world, &message(1, PLAIN, "Shall we go?")).await;
    let file = fetch(&world, &thread);
    let old = read(&file);
    world.kill_daemon();
    deliver(&world, &message(2, PLAIN, "Or stay?")).await;
    draft(&file, "## Draft reply\n\nDear Ana, yes.");
    world.start_daemon(&[]);
    drafted(&world, &thread, "Dear Ana, yes.").await;
    let both = "Shall we go?\n\n";
    // The draft may be there before the file says what came.
    says(&file, "Or stay?").await;
    let text = read(&file);
    assert!(text.contains(both) && text.ends_with("Or stay?\n\n## Draft reply\n\nDear Ana, yes.\n"), "{text}");
    // And an editor that has the file of before open saves it with more of the answer.
    deliver(&world, &message(3, PLAIN, "Well?")).await;
    says(&file, "Well?").await;
    fs::write(&file, format!("{}\n\n## Draft reply\n\nDear Ana, no.\n", old.trim_end())).unwrap();
    until("it is written anew", || async { drafts(&world, &thread).await[0].1.contains("Dear Ana, no.") }).await;
    // What came meanwhile is put back, and told.
    says(&file, "Well?\n\n## Draft reply\n\nDear Ana, no.\n").await;
    let waiting = status(&world)["waiting"].to_string();
    assert!(waiting.contains("PUT_BACK"), "{waiting}");
    let text = read(&file);
    assert!(text.ends_with("Well?\n\n## Draft reply\n\nDear Ana, no.\n") && text.contains("Or stay?"), "{text}");
}
