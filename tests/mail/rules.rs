//! What is mirrored by itself: by a search, a label, a day, and a number.

use std::collections::BTreeSet;
use std::fs;

use mcp_workspace::store::Store;
use serde_json::{Value, json};

use super::support::daily::{done, refused, world};
use super::support::world::{World, until};
use super::{PLAIN, deliver, fetch, message, status};

/// The threads that stand in the folder.
fn here(world: &World) -> BTreeSet<String> {
    let folder = fs::read_dir(world.home.join("workspace/demo@example.com/gmail"));
    let names = folder.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect()
}

/// The threads that Gmail lists for a search, newest first.
async fn listed(world: &World, query: &str) -> Vec<String> {
    let (mut found, mut page) = (Vec::new(), String::new());
    loop {
        let list = world.get(&format!("/gmail/v1/users/me/threads?maxResults=500&q={query}{page}")).await;
        let threads = list["threads"].as_array().unwrap_or_else(|| panic!("{list}"));
        found.extend(threads.iter().map(|thread| thread["id"].as_str().unwrap().to_owned()));
        match list["nextPageToken"].as_str() {
            Some(next) => page = format!("&pageToken={next}"),
            None => return found,
        }
    }
}

/// The rules of the account.
fn rules(world: &World) -> Vec<Value> {
    serde_json::from_value(status(world)["rules"].clone()).unwrap_or_default()
}

async fn is_whole(world: &World) {
    until("all of it is here", || {
        std::future::ready(rules(world).iter().all(|rule| rule["whole"] == true && rule["left"] == 0))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_brings_what_is_there_and_what_comes() {
    let world = world("mail-rules");
    world.post("/admin/mail/generate", &json!({ "threads": 40, "seed": 7 })).await;
    let wanted: BTreeSet<String> = listed(&world, "in:inbox").await.into_iter().collect();
    assert!(wanted.len() > 5, "{wanted:?}");
    let told = done(&world, &["rules", "add", "in:inbox"])["message"].to_string();
    assert!(told.contains(&format!("rule 1, mail `in:inbox`: {} threads now", wanted.len())), "{told}");
    is_whole(&world).await;
    assert_eq!(here(&world), wanted);
    // What arrives comes by itself, and what does not match does not.
    let (_, thread) = deliver(&world, &message(1, PLAIN, "One")).await;
    until("it comes", || std::future::ready(here(&world).contains(&thread))).await;
    // What a person has ended stays so, until it is fetched; so does a rule.
    done(&world, &["forget", &thread]);
    deliver(&world, &message(2, PLAIN, "Two")).await;
    let (_, other) = deliver(&world, &message(1, PLAIN, "Another").replace("trip", "walk")).await;
    until("it comes", || std::future::ready(here(&world).contains(&other))).await;
    assert!(!here(&world).contains(&thread));
    fetch(&world, &thread);
    done(&world, &["rules", "end", "1"]);
    assert_eq!(rules(&world), Vec::<Value>::new());
    let count = here(&world).len();
    deliver(&world, &message(1, PLAIN, "Late").replace("trip", "late")).await;
    done(&world, &["fetch", &thread, "--refresh"]);
    assert_eq!(here(&world).len(), count);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_narrowed_by_label_day_and_number() {
    let world = world("mail-narrow");
    world.post("/admin/mail/generate", &json!({ "threads": 60, "seed": 3 })).await;
    let all = listed(&world, "after:2024-06-01%20in:inbox").await;
    assert!(all.len() > 6, "{all:?}");
    done(&world, &["rules", "add", "--label", "inbox", "--since", "2024-06-01", "--max", "5"]);
    is_whole(&world).await;
    assert_eq!(here(&world), all.iter().take(5).cloned().collect(), "the newest five");
    for (arguments, told) in [
        (&["--label", "Tripz"][..], "there is no label `Tripz`"),
        (&["--since", "yesterday"], "`yesterday` is no day"),
        (&["--label", "inbox", "--since", "2024-06-01", "--max", "5"], "rule 1 says the same"),
        (&["--account", "x@example.com"], "no account of this daemon"),
    ] {
        let error = refused(&world, &[&["rules", "add"], arguments].concat()).to_string();
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    assert!(refused(&world, &["rules", "end", "2"]).to_string().contains("no rule 2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_mirror_goes_on_after_a_kill_and_reads_nothing_twice() {
    let mut world = world("mail-resumes");
    world.post("/admin/mail/generate", &json!({ "threads": 120, "seed": 5 })).await;
    let wanted = listed(&world, "").await;
    done(&world, &["pause"]);
    done(&world, &["rules", "add"]);
    until("it waits", || std::future::ready(rules(&world)[0]["trouble"].to_string().contains("the account is paused")))
        .await;
    assert!(here(&world).is_empty() && rules(&world)[0]["whole"] == false);
    done(&world, &["resume"]);
    let mut cut_off = 0;
    for part in [20, 60] {
        until("some are here", || std::future::ready(here(&world).len() >= part)).await;
        world.kill_daemon();
        let store = Store::open(&world.home.join("state/demo@example.com/gmail.db")).unwrap();
        cut_off += store.lacking_images().unwrap().len();
        let (some, newest) = (here(&world), wanted.iter().take(part / 2).cloned().collect::<BTreeSet<_>>());
        assert!(some.is_superset(&newest), "the newest come first");
        world.start_daemon(&[]);
    }
    is_whole(&world).await;
    assert_eq!(here(&world), wanted.iter().cloned().collect());
    let told = status(&world);
    assert_eq!((&told["waiting"], &told["halted"]), (&json!([]), &json!("")), "{told}");
    // Of what was mirrored before a kill, nothing but what it cut off is read again: walks, and downloads, of which few are under way.
    assert!(cut_off <= 2 * (64 + 8), "{cut_off}");
    let asked = world.get("/admin/requests").await;
    let read = asked.as_array().unwrap().iter().filter(|entry| {
        entry["path"].as_str().is_some_and(|path| path.contains("/threads/") && entry["method"] == "GET")
    });
    let read = read.count();
    assert!(read <= wanted.len() + 2 * 8 + cut_off, "{read} of {} and {cut_off}", wanted.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_waits_out_limits_and_faults() {
    let world = world("mail-rule-limits");
    world.post("/admin/mail/generate", &json!({ "threads": 30, "seed": 9 })).await;
    let wanted: BTreeSet<String> = listed(&world, "").await.into_iter().collect();
    let fault = |path: &str, kind: &str, times: u32| json!({ "match": { "path": path, "method": "GET" }, "fault": kind, "times": times });
    done(&world, &["rules", "add"]);
    world
        .post(
            "/admin/faults",
            &json!([
                fault("/threads/", "429", 3),
                fault("/threads/", "drop", 2),
                fault("/threads?", "503", 2),
                fault("/messages/", "403", 4)
            ]),
        )
        .await;
    is_whole(&world).await;
    assert_eq!(here(&world), wanted);
}
