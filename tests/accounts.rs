//! Two accounts in one daemon, each with a Google of its own: nothing of one is ever asked for or written as the other.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;
#[path = "support/switch.rs"]
mod switch;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use axum::http::StatusCode;
use serde_json::{Value, json};
use support::daily::{done, refused};
use support::world::{World, edit_in_place, until};
use switch::Switch;

const ANA: &str = "ana@example.com";
const BEN: &str = "ben@example.com";

/// A document of the demo, which both have under the same id.
const SHARED: &str = "1demoMeetingNotesAbCdEfGhIjKlMnOpQrStUvWxYz0";

/// A daemon with both accounts, and the Google of each.
struct Two {
    /// Whose home is the daemon's.
    ana: World,
    ben: World,
    switch: Switch,
}

impl Two {
    async fn start(name: &str) -> Self {
        let (mut ana, ben) = (World::new(name), World::new(&format!("{name}-ben")));
        let switch = Switch::between(&[("for-ana", &ana.base), ("for-ben", &ben.base)]).await;
        let base = &switch.base;
        let config = format!(
            "poll_ms = 300\n[endpoints]\ndocs = '{base}'\ndrive = '{base}'\ntoken = '{base}'\n\
             [[accounts]]\nemail = '{ANA}'\nbearer = 'for-ana'\n[[accounts]]\nemail = '{BEN}'\nbearer = 'for-ben'\n"
        );
        fs::write(ana.home.join("config/config.toml"), config).unwrap();
        ana.start_daemon(&[]);
        Self { ana, ben, switch }
    }

    /// A new document of an account that says `text`: its id and its file.
    async fn document(&self, google: &World, account: &str, title: &str, text: &str) -> (String, PathBuf) {
        let made = google.post("/v1/documents", &json!({ "title": title })).await;
        let id = made["documentId"].as_str().unwrap().to_owned();
        let insert = json!({ "insertText": { "location": { "index": 1 }, "text": text } });
        google.post(&format!("/v1/documents/{id}:batchUpdate"), &json!({ "requests": [insert] })).await;
        let fetched = done(&self.ana, &["fetch", &id]);
        let path = PathBuf::from(fetched["path"].as_str().unwrap());
        assert!(path.starts_with(self.ana.home.join("workspace").join(account)), "{fetched}");
        (id, path)
    }

    /// What status tells of an account that somebody has to know.
    fn told(&self, account: &str) -> String {
        let status = done(&self.ana, &["status"]);
        let accounts = status["accounts"].as_array().unwrap().iter().filter(|told| told["account"] == account);
        let accounts: Vec<&Value> = accounts.collect();
        assert!(!accounts.is_empty(), "{account}: {status}");
        let told = accounts.into_iter().map(|told| {
            let waiting = told["waiting"].as_array().unwrap().iter().map(Value::to_string);
            waiting.chain([told["halted"].as_str().unwrap().to_owned()]).collect::<String>()
        });
        told.collect()
    }

    /// Waits until a document of one of the Googles says something.
    async fn says(&self, google: &World, id: &str, wanted: &str) {
        until(&format!("{id} says {wanted:?}"), || async { google.text(id).await.contains(wanted) }).await;
    }
}

/// Waits until each file says something.
async fn comes(wanted: &[(&PathBuf, &str)]) {
    let says = |(file, what): &(&PathBuf, &str)| fs::read_to_string(file).unwrap().contains(what);
    until(&format!("{wanted:?}"), || std::future::ready(wanted.iter().all(says))).await;
}

/// Whose items a search has found.
fn accounts_in(found: &Value) -> BTreeSet<&str> {
    found["results"].as_array().unwrap().iter().map(|hit| hit["account"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_of_one_account_is_asked_for_and_written_as_that() {
    let mut two = Two::start("two-accounts").await;
    let (of_ana, ana_file) = two.document(&two.ana, ANA, "Plan of Ana", "Ana plans the harvest.\n").await;
    let (of_ben, ben_file) = two.document(&two.ben, BEN, "Plan of Ben", "Ben plans the harvest.\n").await;
    // Once it is known whose they are, nobody else is asked.
    for bearer in ["for-ana", "for-ben"] {
        two.switch.asked(bearer);
    }
    for start in 0..2 {
        let word = format!("great{start} harvest");
        edit_in_place(&ana_file, "harvest", &word);
        edit_in_place(&ben_file, "harvest", &word);
        two.says(&two.ana, &of_ana, &word).await;
        two.says(&two.ben, &of_ben, &word).await;
        // What others write comes into the right file.
        two.ana.collaborate(&of_ana, "Ana plans", "Ana and Cid plan").await;
        two.ben.collaborate(&of_ben, "Ben plans", "Ben and Dora plan").await;
        comes(&[(&ana_file, "Ana and Cid plan"), (&ben_file, "Ben and Dora plan")]).await;
        two.ana.collaborate(&of_ana, "Ana and Cid plan", "Ana plans").await;
        two.ben.collaborate(&of_ben, "Ben and Dora plan", "Ben plans").await;
        comes(&[(&ana_file, "Ana plans"), (&ben_file, "Ben plans")]).await;
        let found = done(&two.ana, &["search", "harvest"]);
        assert_eq!(accounts_in(&found), BTreeSet::from([ANA, BEN]), "{found}");
        let found = done(&two.ana, &["search", "harvest", "--account", BEN]);
        assert_eq!(accounts_in(&found), BTreeSet::from([BEN]), "{found}");
        for (bearer, other) in [("for-ana", &of_ben), ("for-ben", &of_ana)] {
            let asked = two.switch.asked(bearer);
            assert!(!asked.is_empty(), "{bearer}");
            let stray: Vec<&String> = asked.iter().filter(|line| line.contains(other.as_str())).collect();
            assert!(stray.is_empty(), "{bearer}, start {start}: {stray:?}");
        }
        two.ana.kill_daemon();
        two.ana.start_daemon(&[]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_both_can_see_is_mirrored_once() {
    let two = Two::start("shared-document").await;
    let fetched = done(&two.ana, &["fetch", SHARED]);
    assert_eq!(fetched["account"], ANA, "{fetched}");
    let file = PathBuf::from(fetched["path"].as_str().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    two.switch.asked("for-ben");
    fs::write(&file, format!("{text}\nA line of its own.\n")).unwrap();
    two.says(&two.ana, SHARED, "A line of its own.").await;
    assert!(!two.ben.text(SHARED).await.contains("A line of its own."));
    let of_ben: Vec<String> = two.switch.asked("for-ben").into_iter().filter(|line| line.contains(SHARED)).collect();
    assert!(of_ben.is_empty(), "{of_ben:?}");
    assert_eq!(done(&two.ana, &["fetch", SHARED])["account"], ANA);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_refused_holds_up_no_other_and_loses_nothing() {
    for (status, reason) in [
        (StatusCode::UNAUTHORIZED, "UNAUTHENTICATED"),
        (StatusCode::TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED"),
        (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
    ] {
        let mut two = Two::start(&format!("refused-{}", status.as_u16())).await;
        let (of_ana, ana_file) = two.document(&two.ana, ANA, "Plan of Ana", "Ana plans the harvest.\n").await;
        let (of_ben, ben_file) = two.document(&two.ben, BEN, "Plan of Ben", "Ben plans the harvest.\n").await;
        two.switch.refuse("for-ben", Some((status, reason)));
        for (time, word) in ["great harvest", "greater harvest"].into_iter().enumerate() {
            edit_in_place(&ben_file, "harvest", word);
            edit_in_place(&ana_file, "harvest", word);
            two.says(&two.ana, &of_ana, word).await;
            // A start that finds one account refused serves the other.
            if time == 0 {
                two.ana.kill_daemon();
                two.ana.start_daemon(&[]);
            }
        }
        until("the trouble of the one is told", || std::future::ready(!two.told(BEN).is_empty())).await;
        assert_eq!(two.told(ANA), "");
        assert_eq!(two.ben.text(&of_ben).await.trim(), "Ben plans the harvest.");
        assert!(fs::read_to_string(&ben_file).unwrap().contains("great greater harvest"));
        let pushes = |bearer: &str| {
            let asked = two.switch.asked(bearer).into_iter();
            asked.filter(|line| line.starts_with(&format!("POST /v1/documents/{of_ben}:batchUpdate"))).count()
        };
        pushes("for-ben");
        two.switch.refuse("for-ben", None);
        done(&two.ana, &["resume", "--account", BEN]);
        two.says(&two.ben, &of_ben, "Ben plans the great greater harvest.").await;
        until("nothing is told any more", || std::future::ready(two.told(BEN).is_empty())).await;
        assert_eq!((pushes("for-ben"), pushes("for-ana")), (1, 0), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_of_one_account_leaves_the_other_alone() {
    let two = Two::start("one-paused").await;
    let (of_ana, ana_file) = two.document(&two.ana, ANA, "Plan of Ana", "Ana plans the harvest.\n").await;
    let (of_ben, ben_file) = two.document(&two.ben, BEN, "Plan of Ben", "Ben plans the harvest.\n").await;
    done(&two.ana, &["pause", "--account", BEN]);
    edit_in_place(&ben_file, "harvest", "great harvest");
    edit_in_place(&ana_file, "harvest", "great harvest");
    two.says(&two.ana, &of_ana, "great harvest").await;
    assert_eq!(two.ben.text(&of_ben).await.trim(), "Ben plans the harvest.");
    done(&two.ana, &["resume", "--account", BEN]);
    two.says(&two.ben, &of_ben, "great harvest").await;
    // Both have a first push.
    let told = refused(&two.ana, &["undo", "1"]);
    assert!(told.to_string().contains("--account"), "{told}");
    done(&two.ana, &["undo", "1", "--account", BEN]);
    two.says(&two.ben, &of_ben, "Ben plans the harvest.").await;
    assert_eq!(two.ana.text(&of_ana).await.trim(), "Ana plans the great harvest.");
    let told = refused(&two.ana, &["pause", "--account", "cid@example.com"]);
    assert!(told.to_string().contains("cid@example.com"), "{told}");
    done(&two.ana, &["forget", &of_ben]);
    assert!(!ben_file.exists() && ana_file.exists());
}
