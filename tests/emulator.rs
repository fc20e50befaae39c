//! The embedded Google, asked over HTTP as the product and its tests ask it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcp_workspace::emulator::{CLIENT_ID, CLIENT_SECRET, DEFAULT_TOKEN, Options, REFRESH_TOKEN, Running, serve};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

/// A server with a client that has the demo account's token.
struct Site {
    running: Running,
    http: Client,
}

impl Site {
    async fn start(options: Options) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { running: serve(options).await.unwrap(), http }
    }

    async fn new() -> Self {
        Self::start(Options::default()).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running.url())
    }

    async fn try_send(&self, method: &str, path: &str, body: Option<Value>) -> reqwest::Result<(StatusCode, Value)> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.http.request(method, self.url(path)).bearer_auth(DEFAULT_TOKEN);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await?;
        let status = response.status();
        let bytes = response.bytes().await?;
        Ok((status, serde_json::from_slice(&bytes).unwrap_or(Value::Null)))
    }

    async fn send(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let (status, value) = self.try_send(method, path, body).await.unwrap();
        (status.as_u16(), value)
    }

    async fn ok(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, value) = self.send(method, path, body).await;
        assert!(status < 300, "{method} {path}: {status} {value}");
        value
    }

    /// Makes a document that says `text`; returns its id.
    async fn document(&self, title: &str, text: &str) -> String {
        let made = self.ok("POST", "/v1/documents", Some(json!({"title": title}))).await;
        let id = made["documentId"].as_str().unwrap().to_owned();
        self.ok("POST", &format!("/v1/documents/{id}:batchUpdate"), Some(insert(text, 1))).await;
        id
    }

    async fn get(&self, id: &str) -> Value {
        self.ok("GET", &format!("/v1/documents/{id}?includeTabsContent=true"), None).await
    }

    async fn text(&self, id: &str) -> String {
        text(&self.get(id).await)
    }

    async fn revision(&self, id: &str) -> String {
        self.get(id).await["revisionId"].as_str().unwrap().to_owned()
    }

    async fn fault(&self, fault: Value) {
        self.ok("POST", "/admin/faults", Some(json!([fault]))).await;
    }

    async fn feed_start(&self) -> String {
        let start = self.ok("GET", "/drive/v3/changes/startPageToken", None).await;
        start["startPageToken"].as_str().unwrap().to_owned()
    }
}

fn insert(text: &str, index: u32) -> Value {
    json!({"requests": [{"insertText": {"location": {"index": index}, "text": text}}]})
}

fn text(document: &Value) -> String {
    let content = document["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
    let runs = content.iter().filter_map(|each| each["paragraph"]["elements"].as_array()).flatten();
    runs.filter_map(|run| run["textRun"]["content"].as_str()).collect()
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
async fn documents_are_made_read_and_edited() {
    let site = Site::new().await;
    let id = site.document("Plans", "Alpha beta.\n").await;
    let seen = site.get(&id).await;
    assert_eq!((seen["title"].as_str(), text(&seen).as_str()), (Some("Plans"), "Alpha beta.\n\n"));
    assert!(seen.get("body").is_none());
    let legacy = site.ok("GET", &format!("/v1/documents/{id}"), None).await;
    assert!(legacy.get("body").is_some() && legacy.get("tabs").is_none(), "{legacy}");

    let probe = site.ok("GET", &format!("/v1/documents/{id}?fields=revisionId"), None).await;
    assert_eq!(probe, json!({"revisionId": seen["revisionId"]}));
    for mask in ["*", "tabs", "tabs(documentTab)", "tabs/documentTab/*"] {
        let (status, error) = site.send("GET", &format!("/v1/documents/{id}?fields={mask}"), None).await;
        let wanted = "Field mask cannot retrieve comment-specific fields when include_comments is false.";
        assert_eq!((status, error["error"]["message"].as_str()), (400, Some(wanted)), "{mask}");
    }
    let leaves = site.ok("GET", &format!("/v1/documents/{id}?fields=tabs(documentTab(body))"), None).await;
    assert_eq!(text(&leaves), "Alpha beta.\n\n");
    assert_eq!(site.send("GET", &format!("/v1/documents/{id}?wat=1"), None).await.0, 400);
}

#[tokio::test]
async fn a_lock_holds_and_a_batch_is_whole() {
    let site = Site::new().await;
    let id = site.document("Lock", "one\n").await;
    let path = format!("/v1/documents/{id}:batchUpdate");
    let first = site.revision(&id).await;
    let mut locked = insert("two ", 1);
    locked["writeControl"] = json!({"requiredRevisionId": first});
    let reply = site.ok("POST", &path, Some(locked.clone())).await;
    assert_eq!(reply["replies"], json!([{}]));
    assert_eq!(reply["writeControl"]["requiredRevisionId"].as_str().unwrap(), site.revision(&id).await);

    let stale = site.send("POST", &path, Some(locked)).await;
    let wanted = format!("The required revision ID '{first}' does not match the latest revision.");
    assert_eq!(stale, (400, json!({"error": {"code": 400, "message": wanted, "status": "INVALID_ARGUMENT"}})));
    let both = json!({"requests": [], "writeControl": {"requiredRevisionId": "a", "targetRevisionId": "b"}});
    let (status, error) = site.send("POST", &path, Some(both)).await;
    assert!(status == 400 && error["error"]["message"].as_str().unwrap().contains("oneof"), "{error}");

    let half = json!({"requests": [insert("kept? ", 1)["requests"][0], insert("x", 90_000)["requests"][0]]});
    assert_eq!(site.send("POST", &path, Some(half)).await.0, 400);
    assert_eq!(site.text(&id).await, "two one\n\n");
    let (status, error) = site.send("POST", &path, Some(json!({"requests": [], "mode": 1}))).await;
    let wanted = "Invalid JSON payload received. Unknown name \"mode\": Cannot find field.";
    assert_eq!((status, error["error"]["message"].as_str()), (400, Some(wanted)));
}

#[tokio::test]
async fn strangers_are_turned_away() {
    let site = Site::new().await;
    let bare = site.http.get(site.url("/v1/documents/x")).send().await.unwrap();
    assert_eq!(bare.status(), 401);
    assert_eq!(bare.json::<Value>().await.unwrap()["error"]["status"], "UNAUTHENTICATED");
    let about = "/drive/v3/about?fields=user";
    let wrong = site.http.get(site.url(about)).bearer_auth("guess").send().await.unwrap();
    assert_eq!(wrong.status(), 401);
    assert_eq!(wrong.json::<Value>().await.unwrap()["error"]["errors"][0]["reason"], "authError");
    assert_eq!(site.http.get(site.url("/admin/requests")).send().await.unwrap().status(), 401);
    // A name that was re-bound to loopback.
    for path in [about, "/document/d/x/edit", "/admin/requests"] {
        let rebound = site.http.get(site.url(path)).bearer_auth(DEFAULT_TOKEN).header("host", "evil.example");
        assert_eq!(rebound.send().await.unwrap().status(), 403, "{path}");
    }
    assert!(serve(Options { listen: "0.0.0.0:0".parse().unwrap(), ..Options::default() }).await.is_err());
    let (status, error) = site.send("GET", "/v1/documents/no-such-document", None).await;
    assert_eq!((status, error["error"]["message"].as_str()), (404, Some("Requested entity was not found.")));
}

#[tokio::test]
async fn tokens_are_given_expire_and_are_revoked() {
    let site = Site::start(Options { token_lifetime: Duration::from_millis(200), ..Options::default() }).await;
    let ask = async |fields: &[(&str, &str)]| {
        let mut form = vec![("client_id", CLIENT_ID), ("client_secret", CLIENT_SECRET)];
        form.extend(fields);
        let answer = site.http.post(site.url("/token")).form(&form).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let who =
        async |token: &str| site.http.get(site.url("/oauth2/v2/userinfo")).bearer_auth(token).send().await.unwrap();
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", REFRESH_TOKEN)];
    let (status, given) = ask(&refresh).await;
    let access = given["access_token"].as_str().unwrap().to_owned();
    assert_eq!(status, 200);
    assert_eq!(who(&access).await.json::<Value>().await.unwrap()["email"], "demo@example.com");
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(who(&access).await.status(), 401, "the token has expired");

    let code = site.ok("POST", "/admin/codes", None).await["code"].as_str().unwrap().to_owned();
    let exchange = [("grant_type", "authorization_code"), ("code", code.as_str())];
    let (_, given) = ask(&exchange).await;
    assert!(given["refresh_token"].is_string(), "{given}");
    assert_eq!(ask(&exchange).await.1["error"], "invalid_grant", "a code is good once");

    site.http.post(site.url("/revoke")).form(&[("token", REFRESH_TOKEN)]).send().await.unwrap();
    let wanted = json!({"error": "invalid_grant", "error_description": "Token has been expired or revoked."});
    assert_eq!(ask(&refresh).await, (400, wanted));
    let log = site.ok("GET", "/admin/requests", None).await.to_string();
    assert!(log.contains("/token") && !log.contains(REFRESH_TOKEN) && !log.contains(&access), "a token is in the log");
}

#[tokio::test]
async fn faults_strike_as_often_as_they_are_told() {
    let site = Site::new().await;
    let id = site.document("Faults", "text\n").await;
    let get = format!("/v1/documents/{id}?includeTabsContent=true");
    let push = format!("/v1/documents/{id}:batchUpdate");
    for (fault, status) in [("429", 429), ("500", 500), ("503", 503), ("403", 403), ("401", 401)] {
        site.fault(json!({"match": {"method": "GET", "path": "/v1/documents/"}, "fault": fault, "times": 1})).await;
        assert_eq!(site.send("GET", &get, None).await.0, status, "{fault}");
        assert_eq!(site.send("GET", &get, None).await.0, 200, "{fault}");
    }
    site.fault(json!({"match": {"path": ":batchUpdate"}, "fault": "drop"})).await;
    assert!(site.try_send("POST", &push, Some(insert("never ", 1))).await.is_err());
    assert_eq!(site.text(&id).await, "text\n\n");
    site.fault(json!({"match": {"path": ":batchUpdate"}, "fault": "lost_reply"})).await;
    assert!(site.try_send("POST", &push, Some(insert("landed ", 1))).await.is_err());
    assert_eq!(site.text(&id).await, "landed text\n\n");
    site.fault(json!({"match": {"method": "GET"}, "fault": "truncated"})).await;
    assert!(site.try_send("GET", &get, None).await.is_err());
    site.fault(json!({"match": {"method": "GET"}, "fault": "slow", "delay_ms": 300})).await;
    let start = Instant::now();
    site.get(&id).await;
    assert!(start.elapsed() >= Duration::from_millis(300));
    // The client goes away while the reply is held back: the edit has landed.
    site.fault(json!({"match": {"path": ":batchUpdate"}, "fault": "slow_reply", "delay_ms": 60_000})).await;
    let sent = site.try_send("POST", &push, Some(insert("so ", 1)));
    assert!(tokio::time::timeout(Duration::from_millis(500), sent).await.is_err());
    assert_eq!(site.text(&id).await, "so landed text\n\n");
    assert_eq!(site.send("POST", "/admin/faults", Some(json!([{"fault": "typo"}]))).await.0, 400);
    assert_eq!(site.ok("GET", "/admin/faults", None).await, json!([]));
}

#[tokio::test]
async fn the_log_tells_what_was_asked() {
    let site = Site::new().await;
    let id = site.document("Log", "x").await;
    site.ok("DELETE", "/admin/requests", None).await;
    let body = insert("y", 1);
    site.ok("POST", &format!("/v1/documents/{id}:batchUpdate"), Some(body.clone())).await;
    site.send("GET", "/v1/documents/nothing?fields=title", None).await;
    let log = site.ok("GET", "/admin/requests", None).await;
    let list = log.as_array().unwrap();
    assert_eq!(list.len(), 2, "admin calls are not logged: {log}");
    assert_eq!((&list[0]["method"], &list[0]["body"], &list[0]["status"]), (&json!("POST"), &body, &json!(200)));
    assert_eq!((&list[1]["path"], &list[1]["body"]), (&json!("/v1/documents/nothing?fields=title"), &Value::Null));
    assert_eq!(list[1]["status"], 404);
    assert!(list[0]["at"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn the_world_outlives_the_server() {
    let dir = folder("emulator-outlives");
    let options = || Options { state_dir: Some(dir.clone()), ..Options::default() };
    let site = Site::start(options()).await;
    let id = site.document("Kept", "kept\n").await;
    let gone = site.document("Gone", "gone\n").await;
    site.ok("DELETE", &format!("/drive/v3/files/{gone}"), None).await;
    site.ok("POST", &format!("/admin/documents/{id}:share"), Some(json!({"role": "writer"}))).await;
    let before = site.get(&id).await;
    let feed = "/drive/v3/changes?pageToken=1&fields=changes(fileId,removed),newStartPageToken";
    let changes = site.ok("GET", feed, None).await;
    site.running.shutdown().await;

    let site = Site::start(options()).await;
    assert_eq!(site.get(&id).await, before);
    assert_eq!(site.ok("GET", feed, None).await, changes);
    assert_eq!(site.send("GET", &format!("/v1/documents/{gone}"), None).await.0, 404);
    let again = site.document("New", "new\n").await;
    assert!(again != id && again != gone);
}

#[tokio::test]
async fn sharing_decides_what_the_account_may_do() {
    let site = Site::new().await;
    let id = site.document("Shared", "text\n").await;
    let share = async |role: &str| {
        site.ok("POST", &format!("/admin/documents/{id}:share"), Some(json!({"role": role}))).await;
    };
    let file = format!("/drive/v3/files/{id}?fields=capabilities(canEdit)");
    assert_eq!(site.ok("GET", &file, None).await["capabilities"]["canEdit"], true);
    share("reader").await;
    let seen = site.get(&id).await;
    assert!(seen.get("revisionId").is_none());
    assert_eq!(seen["suggestionsViewMode"], "PREVIEW_WITHOUT_SUGGESTIONS");
    let inline = format!("/v1/documents/{id}?suggestionsViewMode=SUGGESTIONS_INLINE");
    assert_eq!(site.send("GET", &inline, None).await.0, 403);
    let (status, error) = site.send("POST", &format!("/v1/documents/{id}:batchUpdate"), Some(insert("x", 1))).await;
    assert_eq!((status, error["error"]["message"].as_str()), (403, Some("The caller does not have permission")));
    assert_eq!(site.ok("GET", &file, None).await["capabilities"]["canEdit"], false);
    site.ok("POST", &format!("/admin/documents/{id}:edit"), Some(insert("theirs ", 1))).await;

    let start = site.feed_start().await;
    share("none").await;
    assert_eq!(site.send("GET", &format!("/v1/documents/{id}"), None).await.0, 404);
    let feed = site.ok("GET", &format!("/drive/v3/changes?pageToken={start}"), None).await;
    assert_eq!((&feed["changes"][0]["fileId"], &feed["changes"][0]["removed"]), (&json!(id), &json!(true)));
    share("writer").await;
    assert_eq!(site.text(&id).await, "theirs text\n\n");
}

#[tokio::test]
async fn the_feed_pages_collapses_and_refuses_bad_tokens() {
    let site = Site::new().await;
    let mut token = site.feed_start().await;
    let mut made = Vec::new();
    for n in 0..5 {
        made.push(site.document(&format!("Doc {n}"), "x").await);
    }
    let mut seen = Vec::new();
    loop {
        let page = site.ok("GET", &format!("/drive/v3/changes?pageSize=2&pageToken={token}"), None).await;
        seen.extend(page["changes"].as_array().unwrap().iter().map(|c| c["fileId"].as_str().unwrap().to_owned()));
        if let Some(next) = page["nextPageToken"].as_str() {
            token = next.to_owned();
        } else {
            token = page["newStartPageToken"].as_str().unwrap().to_owned();
            break;
        }
    }
    assert_eq!(seen, made, "each file once, in order");
    site.fault(json!({"fault": "stale_feed"})).await;
    site.document("Late", "x").await;
    let stale = site.ok("GET", &format!("/drive/v3/changes?pageToken={token}"), None).await;
    assert_eq!((&stale["changes"], &stale["newStartPageToken"]), (&json!([]), &json!(token)));
    let fresh = site.ok("GET", &format!("/drive/v3/changes?pageToken={token}"), None).await;
    assert_eq!(fresh["changes"].as_array().unwrap().len(), 1);
    for (query, status) in [("?pageToken=soon", 400), ("?pageToken=999999", 410), ("", 400)] {
        assert_eq!(site.send("GET", &format!("/drive/v3/changes{query}"), None).await.0, status, "{query}");
    }
    assert_eq!(site.send("GET", "/drive/v3/about", None).await.0, 400);
}

#[tokio::test]
async fn typing_on_the_page_is_the_smallest_edit() {
    let site = Site::new().await;
    let id = site.document("Page <b>", "one two three\nsecond\n").await;
    let base = site.url(&format!("/document/d/{id}"));
    let page = site.http.get(format!("{base}/edit")).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    let html = page.text().await.unwrap();
    assert!(html.contains("<title>Page &lt;b&gt;</title>") && html.contains("one two three"), "{html}");
    let view: Value = site.http.get(format!("{base}/content")).send().await.unwrap().json().await.unwrap();
    let current = format!("{base}/content?version={}", view["version"].as_str().unwrap());
    assert_eq!(site.http.get(&current).send().await.unwrap().status(), 204);

    let typed =
        |old: &str, new: &str, start: u32| json!({"tab": "t.0", "segment": "", "start": start, "old": old, "new": new});
    let own = site.running.url();
    let send = async |body: Value, origin: Option<&str>| {
        let mut request = site.http.post(format!("{base}/type")).json(&body);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        request.send().await.unwrap().status().as_u16()
    };
    for origin in [None, Some("http://evil.example"), Some("null"), Some("https://127.0.0.1")] {
        assert_eq!(send(typed("one two three", "evil", 1), origin).await, 403, "{origin:?}");
    }
    let plain = site.http.post(format!("{base}/type")).header("origin", &own).header("content-type", "text/plain");
    assert_eq!(plain.body(typed("one two three", "evil", 1).to_string()).send().await.unwrap().status(), 415);
    assert_eq!(site.text(&id).await, "one two three\nsecond\n\n");

    assert_eq!(send(typed("one two three", "one 2 three", 1), Some(&own)).await, 200);
    assert_eq!(site.text(&id).await, "one 2 three\nsecond\n\n");
    // The paragraph moved, and is still known by its text.
    assert_eq!(send(typed("second", "second!", 15), Some(&own)).await, 200);
    // It was changed meanwhile.
    assert_eq!(send(typed("one two three", "mine", 1), Some(&own)).await, 409);
    assert_eq!(site.text(&id).await, "one 2 three\nsecond!\n\n");
    assert_eq!(site.http.get(&current).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn seeds_are_imported_once() {
    let dir = folder("emulator-seeds");
    let line = json!({"startIndex": 1, "endIndex": 2, "paragraph": {"elements": [
        {"startIndex": 1, "endIndex": 2, "textRun": {"content": "\n"}}]}});
    let content = json!([{"endIndex": 1, "sectionBreak": {}}, line]);
    let document = json!({"documentId": "seed-document", "title": "Seed",
        "tabs": [{"documentTab": {"body": {"content": content}}}]});
    for (name, text) in [
        ("a.json", document.to_string().as_str()),
        ("b.json", "{\"title\": \"no id\"}"),
        ("c.json", "{"),
        ("d.txt", ""),
        ("e.json", "{\"documentId\": \"..\", \"tabs\": [{}]}"),
        ("f.json", "{\"documentId\": \"f\", \"tabs\": [{}]}"),
    ] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let site = Site::new().await;
    let seeded = site.running.import_seed_dir(&dir).unwrap();
    assert_eq!(seeded.ids, ["seed-document"]);
    let skipped: Vec<&str> = seeded.skipped.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(skipped, ["b.json", "c.json", "d.txt", "e.json", "f.json"]);
    let revision = site.revision("seed-document").await;
    assert_eq!(site.running.import_seed_dir(&dir).unwrap().ids, ["seed-document"]);
    assert_eq!(site.revision("seed-document").await, revision, "it was imported again");
    let again = site.ok("POST", "/admin/documents", Some(document)).await;
    assert_ne!(again["documentId"], "seed-document", "the id is taken");
}
