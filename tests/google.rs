//! The HTTPS client and the API side of Docs, against the embedded Google.
#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "a test may fail")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcp_workspace::emulator::{
    CLIENT_ID, CLIENT_SECRET, DEFAULT_TOKEN, DEMO_ACCOUNT, Options, REFRESH_TOKEN, Running, serve,
};
use mcp_workspace::error::{Error, ErrorKind};
use mcp_workspace::google::{Client, Endpoints, Secrets, SignIn, Token, TokenSource};
use mcp_workspace::kinds::docs::Docs;
use mcp_workspace::kinds::{Kind as _, Outcome, PushPlan};
use mcp_workspace::model::{Cursor, ItemId, Revision};
use serde_json::{Value, json};

fn docs_at(origin: &str, token: &str) -> Docs {
    let tokens = TokenSource::fixed(DEMO_ACCOUNT, Token::new(token));
    Docs::new(Arc::new(Client::new(Endpoints::at(origin), tokens).unwrap()))
}

/// Starts a server with one document; returns the kind, the document's id, and its revision.
async fn start() -> (Running, Docs, ItemId, Revision) {
    let running = serve(Options::default()).await.unwrap();
    let docs = docs_at(&running.url(), DEFAULT_TOKEN);
    let id = docs.create("Client", "").await.unwrap().id;
    let revision = docs.fetch(&id, false).await.unwrap().revision.unwrap();
    (running, docs, id, revision)
}

fn plan(text: &str) -> PushPlan {
    PushPlan { requests: vec![json!({"insertText": {"location": {"index": 1}, "text": text}})], ..PushPlan::default() }
}

async fn post(running: &Running, path: &str, body: Value) {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{path}", running.url());
    let sent = http.post(url).bearer_auth(DEFAULT_TOKEN).json(&body).send().await.unwrap();
    assert!(sent.status().is_success(), "{path}: {}", sent.status());
}

async fn share(running: &Running, id: &ItemId, role: &str) {
    post(running, &format!("/admin/documents/{id}:share"), json!({"role": role})).await;
}

async fn says(docs: &Docs, id: &ItemId, text: &str) -> bool {
    String::from_utf8(docs.fetch(id, false).await.unwrap().raw).unwrap().contains(text)
}

#[tokio::test]
async fn a_push_lands_once_and_goes_stale() {
    let (_running, docs, id, first) = start().await;
    let Outcome::Accepted(Some(second)) = docs.push(&id, &first, &plan("one ")).await.unwrap() else {
        panic!("it was not accepted")
    };
    assert_eq!(docs.fetch(&id, false).await.unwrap().revision, Some(second.clone()));
    assert!(matches!(docs.push(&id, &first, &plan("two ")).await.unwrap(), Outcome::Stale));
    let mut bad = plan("x");
    bad.requests[0]["insertText"]["location"]["index"] = json!(9000);
    assert!(matches!(docs.push(&id, &second, &bad).await.unwrap(), Outcome::Refused(words) if words.contains("9000")));
    let empty = docs.push(&id, &Revision(String::new()), &plan("x")).await.unwrap_err();
    assert_eq!(empty.kind(), ErrorKind::ReadOnly, "an empty lock is no lock");
}

#[tokio::test]
async fn what_is_not_known_is_said() {
    let (running, docs, id, revision) = start().await;
    let unknown = async |fault: &str, text: &str| {
        post(&running, "/admin/faults", json!({"match": {"path": ":batchUpdate"}, "fault": fault})).await;
        match docs.push(&id, &revision, &plan(text)).await.unwrap_err() {
            Error::Network { outcome_unknown, .. } => outcome_unknown,
            other => panic!("{fault}: {other}"),
        }
    };
    assert!(unknown("drop", "dropped ").await);
    assert!(!says(&docs, &id, "dropped").await);
    assert!(unknown("500", "failed ").await);
    assert!(unknown("lost_reply", "landed ").await);
    assert!(says(&docs, &id, "landed").await);
    // The same push again is refused by its lock.
    assert!(matches!(docs.push(&id, &revision, &plan("landed ")).await.unwrap(), Outcome::Stale));
    // Reading changes nothing, so nothing is unknown.
    for fault in ["truncated", "drop", "503"] {
        post(&running, "/admin/faults", json!({"match": {"method": "GET"}, "fault": fault})).await;
        let error = docs.fetch(&id, false).await.unwrap_err();
        assert!(matches!(error, Error::Network { outcome_unknown: false, .. }), "{fault}: {error}");
    }
    post(&running, "/admin/faults", json!({"match": {"path": ":batchUpdate"}, "fault": "429", "retry_after": 7})).await;
    let limited = docs.push(&id, &revision, &plan("x")).await.unwrap_err();
    assert!(matches!(limited, Error::RateLimited { retry_after: Some(wait) } if wait == Duration::from_secs(7)));
    post(&running, "/admin/faults", json!({"fault": "403"})).await;
    assert_eq!(docs.fetch(&id, false).await.unwrap_err().kind(), ErrorKind::RateLimited);
}

#[tokio::test]
async fn a_refused_connection_sent_nothing() {
    let (running, docs, id, revision) = start().await;
    running.shutdown().await;
    // What is left of the old connections fails at its first use.
    drop(docs.fetch(&id, false).await);
    let error = docs.push(&id, &revision, &plan("x")).await.unwrap_err();
    assert!(matches!(error, Error::Network { outcome_unknown: false, .. }), "{error:?}");
    assert!(error.retryable());
}

#[tokio::test]
async fn who_may_not_edit_reads() {
    let (running, docs, id, revision) = start().await;
    share(&running, &id, "reader").await;
    let fetched = docs.fetch(&id, false).await.unwrap();
    assert_eq!((fetched.can_edit, fetched.revision), (false, None));
    assert_eq!(docs.push(&id, &revision, &plan("x")).await.unwrap_err().kind(), ErrorKind::PermissionDenied);
    share(&running, &id, "none").await;
    for hidden in [id.clone(), ItemId("../admin/requests".into()), ItemId("unknown".into())] {
        assert_eq!(docs.fetch(&hidden, false).await.unwrap_err().kind(), ErrorKind::NotFound, "{hidden}");
    }
    let stranger = docs_at(&running.url(), "wrong").fetch(&id, false).await.unwrap_err();
    assert_eq!(stranger.kind(), ErrorKind::AuthExpired);
}

#[tokio::test]
async fn what_is_in_the_trash_is_told_to_who_asks() {
    let (_running, docs, id, _) = start().await;
    assert!(docs.fetch(&id, true).await.is_ok());
    docs.trash(&id).await.unwrap();
    assert!(docs.fetch(&id, false).await.is_ok(), "the Docs API reads it all the same");
    assert!(matches!(docs.fetch(&id, true).await, Err(Error::Trashed { .. })));
}

#[tokio::test]
async fn the_feed_is_read_to_its_end() {
    let (running, docs, id, revision) = start().await;
    let start = docs.changes(None).await.unwrap();
    assert!(start.changed.is_empty() && start.vanished.is_empty());
    docs.push(&id, &revision, &plan("x")).await.unwrap();
    let other = docs.create("Other", "").await.unwrap().id;
    share(&running, &other, "none").await;
    let told = docs.changes(Some(&start.cursor)).await.unwrap();
    assert_eq!((told.changed, told.vanished), (vec![id], vec![other]));
    let quiet = docs.changes(Some(&told.cursor)).await.unwrap();
    assert!(quiet.changed.is_empty() && quiet.vanished.is_empty());
    for cursor in ["999999", "no cursor"] {
        let error = docs.changes(Some(&Cursor(cursor.into()))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{cursor}");
    }
}

/// A folder below the build's own, fresh for each test.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).unwrap();
    }
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[tokio::test]
async fn a_refresh_token_is_enough() {
    let running = serve(Options::default()).await.unwrap();
    let path = folder("google-refresh").join("secrets.json");
    let secrets = Secrets::at(&path);
    assert!(!secrets.knows(DEMO_ACCOUNT).await.unwrap());
    secrets.sign_in(DEMO_ACCOUNT, &Token::new(REFRESH_TOKEN)).await.unwrap();
    let sign_in = SignIn {
        client_id: CLIENT_ID.into(),
        client_secret: Token::new(CLIENT_SECRET),
        token_uri: Endpoints::at(&running.url()).token_uri(),
        scopes: vec!["https://www.googleapis.com/auth/documents".into()],
    };
    let tokens = TokenSource::signed_in(DEMO_ACCOUNT, sign_in, &secrets).await.unwrap();
    let docs = Docs::new(Arc::new(Client::new(Endpoints::at(&running.url()), tokens).unwrap()));
    let id = docs.create("Signed in", "").await.unwrap().id;
    // Google refuses a token before its time: it is renewed and the call is sent again.
    let refused = json!({"match": {"method": "GET"}, "fault": "401"});
    post(&running, "/admin/faults", refused.clone()).await;
    assert_eq!(docs.fetch(&id, false).await.unwrap().title, "Signed in");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!format!("{docs:?} {secrets:?}").contains(REFRESH_TOKEN));

    // An outage is not an expired sign-in.
    let outage = json!({"match": {"path": "/token"}, "fault": "503", "times": 2});
    post(&running, "/admin/faults", json!([refused, outage])).await;
    let error = docs.fetch(&id, false).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NetworkError, "{error:?}");

    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    http.post(format!("{}/revoke", running.url())).form(&[("token", REFRESH_TOKEN)]).send().await.unwrap();
    let ended = docs.fetch(&id, false).await.unwrap_err();
    assert!(matches!(&ended, Error::AuthExpired { account } if account == DEMO_ACCOUNT), "{ended:?}");
}

#[tokio::test]
async fn secrets_that_others_can_read_are_not_used() {
    let path = folder("google-secrets").join("secrets.json");
    let secrets = Secrets::at(&path);
    secrets.sign_in("ana@example.com", &Token::new("a")).await.unwrap();
    secrets.sign_in("ben@example.com", &Token::new("b")).await.unwrap();
    secrets.sign_out("ana@example.com").await.unwrap();
    assert!(!secrets.knows("ana@example.com").await.unwrap() && secrets.knows("ben@example.com").await.unwrap());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(secrets.knows("ben@example.com").await, Err(Error::Unsafe { .. })));
}
