//! Threads as files that stay current.

use std::fs;

use serde_json::json;

use super::support::daily::{done, refused, world};
use super::support::world::{edit_in_place, until, until_is};
use super::{PLAIN, beside, changes, deliver, fetch, message, read, says, status};

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
    until_is(json!([]), || status(&world)["waiting"].clone()).await;
    assert_eq!(changes(&world).await, [""; 0], "nothing is ever changed there");
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
