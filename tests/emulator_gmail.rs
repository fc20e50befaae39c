//! The embedded Gmail, asked over HTTP as the product asks it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::cast_possible_truncation, reason = "chance is cut to what is asked for")]
#![allow(clippy::print_stdout, reason = "a test says what it skips")]

#[path = "support/discovery.rs"]
mod discovery;

use std::path::{Path, PathBuf};
use std::time::Instant;

use discovery::{Schemas, shared};
use mcp_workspace::emulator::{DEFAULT_TOKEN, Options, Running, serve};
use reqwest::{Client, Method};
use serde_json::{Value, json};

const USER: &str = "/gmail/v1/users/me";

/// A server with a client that has the demo account's token.
struct Site {
    running: Running,
    http: Client,
}

impl Site {
    async fn start(options: Options) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = Client::builder().no_proxy().build().unwrap();
        Self { running: serve(options).await.unwrap(), http }
    }

    async fn new() -> Self {
        Self::start(Options::default()).await
    }

    /// A server with the project's own mail.
    async fn seeded() -> Self {
        let site = Self::new().await;
        let seeded = site.running.import_seed_dir(&fixtures()).unwrap();
        assert!(seeded.skipped.is_empty(), "{:?}", seeded.skipped);
        site
    }

    async fn send(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let path = if path.starts_with('/') { path.to_owned() } else { format!("{USER}/{path}") };
        let mut request = self.http.request(method, format!("{}{path}", self.running.url())).bearer_auth(DEFAULT_TOKEN);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or(Value::Null))
    }

    async fn ok(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, value) = self.send(method, path, body).await;
        assert!(status < 300, "{method} {path}: {status} {value}");
        value
    }

    async fn get(&self, path: &str) -> Value {
        self.ok("GET", path, None).await
    }

    /// Asks for what is to be refused; returns its status and message.
    async fn refused(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String) {
        let (status, value) = self.send(method, path, body).await;
        assert_eq!(value["error"]["code"], status, "{method} {path}: {value}");
        (status, value["error"]["message"].as_str().unwrap_or_default().to_owned())
    }

    /// Delivers a message; returns its id and its thread's.
    async fn deliver(&self, raw: &str) -> (String, String) {
        let request = self.http.post(format!("{}/admin/mail", self.running.url())).bearer_auth(DEFAULT_TOKEN);
        let response = request.header("content-type", "message/rfc822").body(raw.to_owned()).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let told: Value = response.json().await.unwrap();
        (told["id"].as_str().unwrap().into(), told["threadId"].as_str().unwrap().into())
    }

    async fn history(&self) -> String {
        self.get("profile").await["historyId"].as_str().unwrap().into()
    }

    /// Sends a batch; returns each part's content id, status and body.
    async fn batch(&self, path: &str, parts: &[(&str, &str)]) -> Vec<(String, u16, Value)> {
        let mut body = String::new();
        for (id, request) in parts {
            body.push_str(&format!("--b\r\nContent-Type: application/http\r\nContent-ID: <{id}>\r\n\r\n{request}\r\n"));
        }
        body.push_str("--b--\r\n");
        let request = self.http.post(format!("{}{path}", self.running.url())).bearer_auth(DEFAULT_TOKEN);
        let response = request.header("content-type", "multipart/mixed; boundary=b").body(body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        let boundary = kind.strip_prefix("multipart/mixed; boundary=").unwrap().to_owned();
        let text = response.text().await.unwrap();
        let mark = format!("--{boundary}");
        let parts = text.split(&mark).filter(|part| part.contains("HTTP/1.1"));
        parts.map(part_of).collect()
    }
}

fn part_of(text: &str) -> (String, u16, Value) {
    let (head, answer) = text.split_once("\r\n\r\n").unwrap();
    let id = head.lines().find_map(|line| line.strip_prefix("Content-ID: ")).unwrap_or_default();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (id.to_owned(), status, serde_json::from_str(body.trim()).unwrap_or(Value::Null))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gmail")
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

fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let value = group.iter().fold(0_u32, |value, byte| value << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..=group.len() {
            text.push(char::from(LETTERS[(value >> (18 - 6 * digit) & 63) as usize]));
        }
    }
    text
}

fn decoded(text: &str) -> Vec<u8> {
    let digit = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => panic!("{letter} is no letter of base64"),
    };
    let mut bytes = Vec::new();
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let value = group.iter().fold(0_u32, |value, letter| value << 6 | u32::from(digit(*letter)));
        let value = (value << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend(&value[1..group.len()]);
    }
    bytes
}

/// All parts of a payload.
fn parts(payload: &Value) -> Vec<&Value> {
    let inner = payload["parts"].as_array().into_iter().flatten();
    std::iter::once(payload).chain(inner.flat_map(parts)).collect()
}

fn message(subject: &str, more: &str, body: &str) -> String {
    format!("From: Ana Lee <ana@example.com>\r\nTo: demo@example.com\r\nSubject: {subject}\r\n{more}\r\n{body}\r\n")
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|each| each["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_answer_is_one_of_gmails() {
    let Some(schemas) = Schemas::read("gmail.v1", "every_answer_is_one_of_gmails") else { return };
    let site = Site::seeded().await;
    let start = site.history().await;
    schemas.check("Profile", &site.get("profile").await);
    let labels = site.get("labels").await;
    schemas.check("ListLabelsResponse", &labels);
    for id in ids(&labels["labels"]) {
        schemas.check("Label", &site.get(&format!("labels/{id}")).await);
    }
    let threads = site.get("threads?maxResults=500&includeSpamTrash=true").await;
    schemas.check("ListThreadsResponse", &threads);
    for id in ids(&threads["threads"]) {
        for format in ["full", "metadata", "minimal", "metadata&metadataHeaders=Subject&metadataHeaders=from"] {
            schemas.check("Thread", &site.get(&format!("threads/{id}?format={format}")).await);
        }
    }
    let messages = site.get("messages?maxResults=500&includeSpamTrash=true").await;
    schemas.check("ListMessagesResponse", &messages);
    for id in ids(&messages["messages"]) {
        let full = site.get(&format!("messages/{id}")).await;
        schemas.check("Message", &full);
        schemas.check("Message", &site.get(&format!("messages/{id}?format=raw")).await);
        for attachment in parts(&full["payload"]).iter().filter_map(|part| part["body"]["attachmentId"].as_str()) {
            schemas.check("MessagePartBody", &site.get(&format!("messages/{id}/attachments/{attachment}")).await);
        }
    }
    let thread = ids(&threads["threads"]).remove(0);
    let label = json!({"addLabelIds": ["STARRED"]});
    schemas.check("Thread", &site.ok("POST", &format!("threads/{thread}/modify"), Some(label.clone())).await);
    let id = ids(&messages["messages"]).remove(3);
    schemas.check("Message", &site.ok("POST", &format!("messages/{id}/modify"), Some(label)).await);
    schemas.check("Message", &site.ok("POST", &format!("messages/{id}/trash"), None).await);
    let draft = json!({"message": {"raw": base64url(message("Draft", "", "x").as_bytes())}});
    let made = site.ok("POST", "drafts", Some(draft)).await;
    schemas.check("Draft", &made);
    schemas.check("ListDraftsResponse", &site.get("drafts").await);
    let draft = format!("drafts/{}", made["id"].as_str().unwrap());
    schemas.check("Draft", &site.get(&draft).await);
    site.ok("DELETE", &draft, None).await;
    let history = site.get(&format!("history?startHistoryId={start}")).await;
    schemas.check("ListHistoryResponse", &history);
    assert!(history["history"].as_array().unwrap().len() >= 4, "{history}");
}

#[tokio::test]
async fn seeds_are_taken_in_once_and_say_what_they_said() {
    let site = Site::seeded().await;
    let before = site.get("profile").await;
    let again = site.running.import_seed_dir(&fixtures()).unwrap();
    assert_eq!(site.get("profile").await, before, "a second import changes nothing");
    assert!((15..=25).contains(&again.threads.len()), "{}", again.threads.len());
    for (query, wanted) in [
        ("rfc822msgid:kaigi-1@mail.example.jp", "来週の会議は水曜日の10時からに変更になりました。"),
        ("rfc822msgid:jindu-1@mail.example.cn", "附上本周的项目进度，请查收。"),
        ("rfc822msgid:jindu-2@mail.example.tw", "已收到，謝謝。"),
        ("rfc822msgid:hoeui-1@mail.example.kr", "회의는 금요일 오후 3시에 있습니다."),
        ("rfc822msgid:otchet-1@mail.example.ru", "Отчёт за неделю готов."),
        ("rfc822msgid:otchet-2@mail.example.com", "Спасибо!"),
        ("rfc822msgid:pgisha-1@mail.example.org", "הפגישה ביום שני בשעה"),
        ("rfc822msgid:ijtima-1@mail.example.org", "الاجتماع يوم الأحد"),
        ("rfc822msgid:rechnung-1@mail.example.com", "Rechnung über 1.200 €"),
        ("rfc822msgid:rechnung-2@mail.example.com", "„bezahlt“"),
    ] {
        let found = site.get(&format!("messages?q={query}")).await;
        let id = ids(&found["messages"]).remove(0);
        let full = site.get(&format!("messages/{id}")).await;
        let data = full["payload"]["body"]["data"].as_str().unwrap();
        let text = String::from_utf8(decoded(data)).unwrap();
        assert!(text.contains(wanted), "{query}: {text}");
        let size = full["payload"]["body"]["size"].as_u64().unwrap();
        assert_eq!(size, text.len() as u64);
    }
    // Raw bytes are those of the file, with the line breaks of the wire and without what only the file said.
    let lunch = site.get("messages?q=rfc822msgid:lunch-1@mail.example.com").await;
    let raw = site.get(&format!("messages/{}?format=raw", ids(&lunch["messages"])[0])).await;
    let file = std::fs::read_to_string(fixtures().join("01-lunch-1.eml")).unwrap();
    let wanted = file.split_once('\n').unwrap().1.replace('\n', "\r\n");
    assert_eq!(String::from_utf8(decoded(raw["raw"].as_str().unwrap())).unwrap(), wanted);
    assert_eq!(
        site.get(&format!("threads/{}", ids(&lunch["messages"])[0])).await["messages"].as_array().unwrap().len(),
        3
    );
}

#[tokio::test]
async fn a_recorded_thread_comes_out_as_it_went_in() {
    let Some(shared) = shared("a_recorded_thread_comes_out_as_it_went_in") else { return };
    let recorded = std::fs::read(shared.join("fixtures/gmail/real_thread.json")).unwrap();
    let dir = folder("gmail-recording");
    std::fs::write(dir.join("thread.json"), &recorded).unwrap();
    let recorded: Value = serde_json::from_slice(&recorded).unwrap();
    let site = Site::new().await;
    let seeded = site.running.import_seed_dir(&dir).unwrap();
    assert_eq!(
        (seeded.threads.as_slice(), seeded.skipped.len()),
        ([recorded["id"].as_str().unwrap().to_owned()].as_slice(), 0)
    );
    let told = site.get(&format!("threads/{}", seeded.threads[0])).await;
    for (was, is) in recorded["messages"].as_array().unwrap().iter().zip(told["messages"].as_array().unwrap()) {
        for key in ["id", "threadId", "internalDate"] {
            assert_eq!(was[key], is[key], "{key}");
        }
        for label in was["labelIds"].as_array().unwrap() {
            assert!(is["labelIds"].as_array().unwrap().contains(label), "{label}");
        }
        assert_eq!(without_what_differs(&was["payload"]), without_what_differs(&is["payload"]));
        // Gmail's words are cut at about 200 characters, and not in one way.
        let words = |value: &Value| value["snippet"].as_str().unwrap().chars().take(60).collect::<String>();
        assert_eq!(words(was), words(is));
    }
}

/// A payload without the ids of attachments, which are never the same, and without the sizes of texts: in the recording
/// names were changed after Gmail had counted.
fn without_what_differs(payload: &Value) -> Value {
    let mut payload = payload.clone();
    if payload["body"].get("attachmentId").is_some() {
        payload["body"]["attachmentId"] = "some".into();
    }
    if payload["body"].get("data").is_some() {
        payload["body"]["size"] = Value::Null;
    }
    if let Some(inner) = payload["parts"].as_array_mut() {
        inner.iter_mut().for_each(|part| *part = without_what_differs(part));
    }
    payload
}

#[tokio::test]
async fn refusals_are_worded_as_gmail_words_them() {
    let site = Site::seeded().await;
    let bare = site.http.get(format!("{}{USER}/profile", site.running.url())).send().await.unwrap();
    assert_eq!(bare.status(), 401);
    let modify = |add: Value| Some(json!({"addLabelIds": add}));
    let id = ids(&site.get("messages").await["messages"]).remove(0);
    let raw = || Some(json!({"raw": base64url(b"Subject: x\r\n\r\nx")}));
    for (method, path, body, status, message) in [
        ("GET", "messages/xyz", None, 400, "Invalid id value"),
        ("GET", "threads/18c0ffee18c0ffee1", None, 400, "Invalid id value"),
        ("GET", "messages/18c0ffee18c0ffee", None, 404, "Requested entity was not found."),
        ("GET", "threads/18c0ffee18c0ffee", None, 404, "Requested entity was not found."),
        ("GET", "labels/Label_999", None, 404, "Requested entity was not found."),
        ("GET", "drafts/r1", None, 404, "Requested entity was not found."),
        ("GET", "messages?labelIds=Label_999", None, 400, "labelId not found"),
        ("POST", &format!("messages/{id}/modify"), modify(json!(["Label_999"])), 400, "labelId not found"),
        ("POST", &format!("messages/{id}/modify"), modify(json!(["SENT"])), 400, "Invalid label: SENT"),
        ("POST", "labels", Some(json!({"name": ""})), 400, "Invalid label name"),
        ("POST", "labels", Some(json!({"name": "inbox"})), 400, "Invalid label name"),
        ("POST", "labels", Some(json!({"name": "WORK"})), 409, "Label name exists or conflicts"),
        ("GET", "/gmail/v1/users/ana@example.com/profile", None, 403, "Delegation denied for ana@example.com"),
        ("GET", "history?startHistoryId=1", None, 404, "Requested entity was not found."),
        ("GET", "history?startHistoryId=99999999", None, 404, "Requested entity was not found."),
        ("GET", "messages?pageToken=no!", None, 400, "Invalid pageToken"),
        ("GET", &format!("messages/{id}/attachments/ANGjdJno"), None, 400, "Invalid attachment token"),
        ("POST", "messages/send", raw(), 403, "Request had insufficient authentication scopes."),
        ("POST", "drafts/send", Some(json!({"id": "r1"})), 403, "Request had insufficient authentication scopes."),
        ("DELETE", &format!("messages/{id}"), None, 403, "Request had insufficient authentication scopes."),
        ("POST", "messages", Some(json!({"raw": "***"})), 400, "Invalid value at 'raw' (TYPE_BYTES), \"***\""),
        (
            "POST",
            &format!("threads/{id}/modify"),
            Some(json!({"labels": []})),
            400,
            "Invalid JSON payload received. Unknown name \"labels\": Cannot find field.",
        ),
    ] {
        assert_eq!(site.refused(method, path, body).await, (status, message.to_owned()), "{method} {path}");
    }
    assert_eq!(site.get("/gmail/v1/users/Demo@example.com/profile").await["emailAddress"], "demo@example.com");
    assert_eq!(site.get("profile?fields=historyId").await.as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn threads_come_together_by_reference_and_subject() {
    let site = Site::new().await;
    let (first, thread) = site.deliver(&message("Trip", "Message-ID: <t1@x>\r\n", "one")).await;
    assert_eq!(first, thread, "a thread has the id of its first message");
    for (subject, more, joins) in [
        ("Re: Trip", "In-Reply-To: <t1@x>\r\n", true),
        ("AW: RE: trip", "References: <gone@x>\r\n <t1@x>\r\n", true),
        ("Another", "In-Reply-To: <t1@x>\r\n", false),
        ("Re: Trip", "", false),
    ] {
        let (_, joined) = site.deliver(&message(subject, more, "two")).await;
        assert_eq!(joined == thread, joins, "{subject} {more}");
    }
    let told = json!({"raw": base64url(b"Subject: Other\r\n\r\nx"), "threadId": thread, "labelIds": ["INBOX"],
        "internalDate": "1600000000000"});
    let given = site.ok("POST", "/admin/mail", Some(told)).await;
    assert_eq!(given["threadId"], thread.as_str());
    let thread = site.get(&format!("threads/{thread}?format=minimal")).await;
    assert_eq!(thread["messages"].as_array().unwrap().len(), 4);
    assert_eq!(thread["messages"][0]["internalDate"], "1600000000000", "in order of time");
    assert!(thread["messages"][0].get("payload").is_none());
}

#[tokio::test]
async fn history_tells_all_in_order_until_it_is_too_old() {
    let site = Site::new().await;
    let start = site.history().await;
    let (id, _) = site.deliver(&message("H", "", "x")).await;
    let path = format!("messages/{id}/modify");
    site.ok("POST", &path, Some(json!({"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]}))).await;
    site.ok("POST", &path, Some(json!({"addLabelIds": ["STARRED"]}))).await;
    site.ok("DELETE", &format!("/admin/mail/{id}"), None).await;
    let all = site.get(&format!("history?startHistoryId={start}")).await;
    let what = |history: &Value| -> Vec<String> {
        let records = history["history"].as_array().into_iter().flatten();
        let keys = records.flat_map(|record| record.as_object().unwrap().keys());
        keys.filter(|key| !["id", "messages"].contains(&key.as_str())).cloned().collect()
    };
    assert_eq!(what(&all), ["messagesAdded", "labelsAdded", "labelsRemoved", "messagesDeleted"]);
    assert_eq!(all["history"][1]["labelsAdded"][0]["labelIds"], json!(["STARRED"]));
    assert_eq!(all["history"][3]["messages"][0]["id"], id.as_str());
    let numbers: Vec<u64> = ids(&all["history"]).iter().map(|id| id.parse().unwrap()).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    let some =
        site.get(&format!("history?startHistoryId={start}&historyTypes=labelAdded&historyTypes=messageDeleted")).await;
    assert_eq!(what(&some), ["labelsAdded", "messagesDeleted"]);
    let starred = site.get(&format!("history?startHistoryId={start}&labelId=STARRED")).await;
    assert_eq!(what(&starred), ["labelsAdded"]);

    let mut seen = Vec::new();
    let mut path = format!("history?startHistoryId={start}&maxResults=3");
    loop {
        let page = site.get(&path).await;
        seen.extend(what(&page));
        let Some(next) = page["nextPageToken"].as_str() else { break };
        path = format!("history?startHistoryId={start}&maxResults=3&pageToken={next}");
    }
    assert_eq!(seen, what(&all));
    let now = all["historyId"].as_str().unwrap();
    let nothing = site.get(&format!("history?startHistoryId={now}")).await;
    assert_eq!(nothing, json!({"historyId": now}));
    site.ok("POST", "/admin/mail:expire-history", None).await;
    let gone = (404, "Requested entity was not found.".to_owned());
    assert_eq!(site.refused("GET", &format!("history?startHistoryId={now}"), None).await, gone);
    let after = site.history().await;
    assert_eq!(site.get(&format!("history?startHistoryId={after}")).await, json!({"historyId": after}));
}

#[tokio::test]
async fn a_batch_answers_each_of_its_calls() {
    let site = Site::seeded().await;
    let id = ids(&site.get("messages").await["messages"]).remove(0);
    let get = format!("GET {USER}/messages/{id}?format=minimal HTTP/1.1\r\n\r\n");
    let modify = "{\"addLabelIds\": [\"STARRED\"]}";
    let modify = format!(
        "POST {USER}/messages/{id}/modify HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{modify}",
        modify.len()
    );
    let missing = format!("GET {USER}/messages/18c0ffee18c0ffee\r\n\r\n");
    let stranger = format!("GET {USER}/profile HTTP/1.1\r\nAuthorization: Bearer guess\r\n\r\n");
    let calls = [
        ("one", get.as_str()),
        ("two", missing.as_str()),
        ("three", modify.as_str()),
        ("four", stranger.as_str()),
        ("five", "GET /admin/requests HTTP/1.1\r\n\r\n"),
        ("six", "no request"),
        ("seven", "POST /batch HTTP/1.1\r\n\r\n"),
    ];
    for path in ["/batch", "/batch/gmail/v1"] {
        let answers = site.batch(path, &calls).await;
        let told: Vec<(&str, u16)> = answers.iter().map(|(id, status, _)| (id.as_str(), *status)).collect();
        let wanted =
            [("one", 200), ("two", 404), ("three", 200), ("four", 401), ("five", 404), ("six", 400), ("seven", 404)]
                .map(|(id, status)| (format!("<response-{id}>"), status));
        assert_eq!(told, wanted.each_ref().map(|(id, status)| (id.as_str(), *status)));
        assert_eq!(answers[0].2["id"], id.as_str());
    }
    // Faults strike single calls within it, word for word.
    let fault = |kind: &str| json!([{"match": {"path": &id, "method": "GET"}, "fault": kind, "retry_after": 3}]);
    for (kind, status, reason) in [("429", 429, "rateLimitExceeded"), ("403", 403, "rateLimitExceeded")] {
        site.ok("POST", "/admin/faults", Some(fault(kind))).await;
        let answers = site.batch("/batch/gmail/v1", &[("a", &get), ("b", &get), ("c", &missing)]).await;
        let told: Vec<u16> = answers.iter().map(|(_, status, _)| *status).collect();
        assert_eq!(told, [status, 200, 404]);
        assert_eq!(answers[0].2["error"]["errors"][0]["reason"], reason);
    }
    let many: Vec<(&str, &str)> = (0..101).map(|_| ("x", get.as_str())).collect();
    let body: String = many.iter().map(|(_, call)| format!("--b\r\n\r\n{call}\r\n")).collect();
    let request = site.http.post(format!("{}/batch/gmail/v1", site.running.url())).bearer_auth(DEFAULT_TOKEN);
    let response = request.header("content-type", "multipart/mixed; boundary=\"b\"").body(body).send().await.unwrap();
    assert_eq!(response.status(), 400);
    assert_eq!(site.batch("/batch", &many[..100]).await.len(), 100);
    assert_eq!(
        site.batch("/batch/drive/v3", &[("a", &get), ("b", "GET /drive/v3/about?fields=user HTTP/1.1\r\n\r\n")]).await
            [1]
        .1,
        200
    );
}

#[tokio::test]
async fn drafts_keep_their_id_and_change_their_message() {
    let site = Site::new().await;
    let (_, thread) = site.deliver(&message("Trip", "Message-ID: <t1@x>\r\n", "one")).await;
    let draft = |body: &str| {
        let more = "Message-ID: <d1@x>\r\nIn-Reply-To: <t1@x>\r\nReferences: <t1@x>\r\n";
        let raw = base64url(message("Re: Trip", more, body).as_bytes());
        Some(json!({"message": {"raw": raw, "threadId": &thread}}))
    };
    let start = site.history().await;
    let made = site.ok("POST", "drafts", draft("first")).await;
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        (made["message"]["threadId"].as_str(), &made["message"]["labelIds"]),
        (Some(thread.as_str()), &json!(["DRAFT"]))
    );
    let changed = site.ok("PUT", &format!("drafts/{id}"), draft("second")).await;
    assert_eq!(changed["id"], id);
    assert_ne!(changed["message"]["id"], made["message"]["id"]);
    let read = site.get(&format!("drafts/{id}?format=raw")).await;
    let raw = String::from_utf8(decoded(read["message"]["raw"].as_str().unwrap())).unwrap();
    assert!(raw.ends_with("second\r\n"), "{raw}");
    let named = site.get("messages?q=rfc822msgid:d1@x").await;
    assert_eq!(ids(&named["messages"]), [changed["message"]["id"].as_str().unwrap()]);
    let listed = site.get("drafts?q=second").await;
    assert_eq!((ids(&listed["drafts"]), listed["drafts"].as_array().unwrap().len()), (vec![id.to_owned()], 1));
    let masked = site.http.get(format!("{}{USER}/drafts?fields=drafts", site.running.url())).bearer_auth(DEFAULT_TOKEN);
    assert_eq!(masked.send().await.unwrap().bytes().await.unwrap().len(), 0);
    let history = site.get(&format!("history?startHistoryId={start}")).await;
    assert_eq!(history["history"].as_array().unwrap().len(), 3, "{history}");
    site.ok("DELETE", &format!("drafts/{id}"), None).await;
    assert!(site.get("drafts").await.get("drafts").is_none());
    assert_eq!(site.get(&format!("threads/{thread}")).await["messages"].as_array().unwrap().len(), 1);
    let nowhere = Some(json!({"message": {"raw": base64url(b"Subject: x\r\n\r\nx"), "threadId": "18c0ffee18c0ffee"}}));
    assert_eq!(site.refused("POST", "drafts", nowhere).await.0, 404);
}

#[tokio::test]
async fn attachments_have_other_ids_in_every_answer() {
    let site = Site::seeded().await;
    let found = site.get("messages?q=rfc822msgid:offer-1@mail.example.net").await;
    let id = ids(&found["messages"]).remove(0);
    let seen = async || {
        let full = site.get(&format!("messages/{id}")).await;
        let files = parts(&full["payload"]).into_iter().filter(|part| part["filename"] != "");
        let told = |part: &Value| {
            [&part["filename"], &part["body"]["attachmentId"]].map(|text| text.as_str().unwrap().to_owned())
        };
        files.map(told).collect::<Vec<_>>()
    };
    let (first, second) = (seen().await, seen().await);
    let names: Vec<&str> = first.iter().map(|[name, _]| name.as_str()).collect();
    assert_eq!(names, ["Offer 7.pdf", "Terms – café.docx", "figures.csv", "pat.vcf", "figures.csv"]);
    for ([name, one], [_, other]) in first.iter().zip(&second) {
        assert_ne!(one, other, "{name}");
        let (a, b) = (
            site.get(&format!("messages/{id}/attachments/{one}")).await,
            site.get(&format!("messages/{id}/attachments/{other}")).await,
        );
        assert_eq!(a, b, "{name}");
        assert_eq!(decoded(a["data"].as_str().unwrap()).len() as u64, a["size"].as_u64().unwrap());
    }
    let another = ids(&site.get("messages").await["messages"]).remove(0);
    let (status, _) = site.refused("GET", &format!("messages/{another}/attachments/{}", first[0][1]), None).await;
    assert_eq!(status, 400, "an id is good for its message alone");
}

#[tokio::test]
async fn searches_find_what_gmail_finds() {
    let site = Site::seeded().await;
    // The query and how many messages it finds.
    for (query, wanted) in [
        ("from:ana@example.com subject:lunch", 2),
        ("from:ana subject:(lunch thursday)", 2),
        ("from:me subject:lunch", 1),
        ("to:ana lunch", 1),
        ("cc:chloe", 1),
        ("lunch -from:me -is:unread", 1),
        ("is:unread subject:lunch", 1),
        ("is:read subject:lunch", 2),
        ("is:starred", 1),
        ("is:important", 2),
        ("\"outside Ana\"", 2),
        ("\"river tables\"", 0),
        ("has:attachment offer", 1),
        ("filename:pdf", 1),
        ("filename:figures.csv", 1),
        ("filename:chart", 1),
        ("in:sent", 7),
        ("in:trash", 1),
        ("in:spam", 1),
        ("wrong address", 0),
        ("in:anywhere wrong address", 1),
        ("label:work-notes", 1),
        ("label:Work", 1),
        ("label:nothing", 0),
        ("category:forums", 2),
        ("subject:{lunch offer}", 4),
        ("subject:lunch OR subject:offer", 4),
        ("{subject:lunch subject:offer} -subject:offer", 3),
        ("(subject:lunch)", 3),
        ("before:2026/10/19 after:2026-10-18", 2),
        ("after:2026/11/19", 2),
        ("newer_than:1000y lunch", 3),
        ("older_than:1000y", 0),
        ("rfc822msgid:<lunch-1@mail.example.com>", 1),
        ("会議", 2),
        ("项目进度", 2),
        ("OTCHËT", 0),
        ("отчёт", 2),
        ("purple:elephant", 0),
        ("is:lunchtime", 0),
    ] {
        let query = query.replace('"', "%22").replace('{', "%7B").replace('}', "%7D").replace(' ', "%20");
        let found = site.get(&format!("messages?maxResults=500&q={query}")).await;
        assert_eq!(ids(&found["messages"]).len(), wanted, "{query}: {found}");
        assert_eq!(found.get("messages").is_none(), wanted == 0);
    }
}

#[tokio::test]
async fn lists_come_page_by_page_newest_first() {
    let site = Site::new().await;
    let made = site.ok("POST", "/admin/mail/generate", Some(json!({"threads": 300, "seed": 5}))).await;
    for (what, total) in [("threads", &made["threadsTotal"]), ("messages", &made["messagesTotal"])] {
        let mut all = Vec::new();
        let mut path = format!("{what}?maxResults=70");
        loop {
            let page = site.get(&path).await;
            all.extend(ids(&page[what]));
            let Some(next) = page["nextPageToken"].as_str() else { break };
            assert_eq!(page[what].as_array().unwrap().len(), 70);
            path = format!("{what}?maxResults=70&pageToken={next}");
        }
        assert_eq!(&json!(all.len()), total, "{what}");
        let mut once = all.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), all.len(), "{what} twice");
        if what == "messages" {
            let sorted: Vec<String> = once.into_iter().rev().collect();
            assert_eq!(all, sorted, "ids begin with the moment");
        }
    }
    assert_eq!(site.get("messages").await["messages"].as_array().unwrap().len(), 100);
    assert_eq!(site.get("messages?maxResults=9999").await["resultSizeEstimate"], json!(500));
}

#[tokio::test]
async fn labels_are_made_changed_counted_and_deleted() {
    let site = Site::new().await;
    let (id, thread) = site.deliver(&message("L", "", "x")).await;
    let color = json!({"backgroundColor": "#16a765", "textColor": "#ffffff"});
    let made = site
        .ok("POST", "labels", Some(json!({"name": "Trips/Lisbon", "labelListVisibility": "labelHide", "color": color})))
        .await;
    let label = made["id"].as_str().unwrap();
    assert!(label.starts_with("Label_"), "{made}");
    let changed = site.ok("PATCH", &format!("labels/{label}"), Some(json!({"name": "Trips"}))).await;
    assert_eq!((&changed["name"], &changed["color"]), (&json!("Trips"), &color));
    let start = site.history().await;
    site.ok("POST", &format!("threads/{thread}/modify"), Some(json!({"addLabelIds": [label]}))).await;
    let counted = site.get(&format!("labels/{label}")).await;
    let counts = ["messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread"].map(|key| counted[key].as_u64());
    assert_eq!(counts, [Some(1); 4]);
    let both = Some(json!({"ids": [&id, "18c0ffee18c0ffee"], "addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}));
    site.ok("POST", "messages/batchModify", both).await;
    site.ok("DELETE", &format!("labels/{label}"), None).await;
    let told = site.get(&format!("messages/{id}?format=minimal")).await;
    assert_eq!(told["labelIds"], json!(["UNREAD", "STARRED", "CATEGORY_PERSONAL"]));
    let history = site.get(&format!("history?startHistoryId={start}")).await;
    assert_eq!(history["history"].as_array().unwrap().len(), 4, "{history}");
    for system in ["INBOX", "CATEGORY_SOCIAL"] {
        assert_eq!(site.refused("DELETE", &format!("labels/{system}"), None).await.0, 400, "{system}");
    }
}

#[tokio::test]
async fn large_and_deep_messages_are_bounded() {
    let site = Site::new().await;
    let large = format!("Subject: large\r\n\r\n{}", "x".repeat(50 << 20));
    let (status, message) = site.refused("POST", "messages", Some(json!({"raw": base64url(large.as_bytes())}))).await;
    assert_eq!((status, message.as_str()), (413, "Request payload size exceeds the limit: 36700160 bytes."));
    let many = format!(
        "Subject: many\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}",
        "--b\r\n\r\nx\r\n".repeat(10_000)
    );
    let nested: String =
        (0..5_000).map(|at| format!("Content-Type: multipart/mixed; boundary=b{at}\r\n\r\n--b{at}\r\n")).collect();
    let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(100_000);
    let longest = format!("Subject: {}\r\n{}\r\nx", "=?UTF-8?Q?a?= ".repeat(100_000), "A: b\r\n".repeat(100_000));
    let begun = Instant::now();
    for raw in [&many, &nested, &messages, &longest] {
        let (id, _) = site.deliver(raw).await;
        let full = site.get(&format!("messages/{id}")).await;
        assert!(parts(&full["payload"]).len() <= 20_000);
        let told = site.get(&format!("messages/{id}?format=raw")).await;
        assert_eq!(decoded(told["raw"].as_str().unwrap()), raw.as_bytes());
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn no_bytes_make_it_stumble() {
    let site = Site::seeded().await;
    let mut chance = 7_u64;
    let mut draw = |below: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) as usize % below
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for round in 0..200 {
        let mut raw = std::fs::read(&files[round % files.len()]).unwrap();
        for _ in 0..1 + draw(8) {
            let (at, other) = (draw(raw.len()), draw(raw.len()));
            match draw(4) {
                0 => raw[at] = draw(256) as u8,
                1 => raw.truncate(at.max(1)),
                2 => raw.swap(at, other),
                _ => raw.splice(at..at, b"=?\r\n--\"; x*0*=''%".iter().copied()).for_each(drop),
            }
        }
        let request = site.http.post(format!("{}/admin/mail", site.running.url())).bearer_auth(DEFAULT_TOKEN);
        let response = request.header("content-type", "message/rfc822").body(raw.clone()).send().await.unwrap();
        let told: Value = response.json().await.unwrap();
        let id = told["id"].as_str().unwrap_or_else(|| panic!("round {round}: {told}"));
        let full = site.get(&format!("messages/{id}")).await;
        for attachment in parts(&full["payload"]).iter().filter_map(|part| part["body"]["attachmentId"].as_str()) {
            site.get(&format!("messages/{id}/attachments/{attachment}")).await;
        }
        let kept = site.get(&format!("messages/{id}?format=raw")).await;
        assert_eq!(decoded(kept["raw"].as_str().unwrap()), raw, "round {round}");
    }
    site.get("messages?q=from:nobody%20subject:nothing%20words").await;
}

#[tokio::test]
async fn the_mailbox_outlives_the_server() {
    let dir = folder("gmail-state");
    let options = || Options { state_dir: Some(dir.clone()), ..Options::default() };
    let site = Site::start(options()).await;
    site.running.import_seed_dir(&fixtures()).unwrap();
    site.ok("POST", "/admin/mail/generate", Some(json!({"threads": 50, "seed": 3}))).await;
    let (id, _) = site.deliver(&message("Kept", "", "words that stay")).await;
    site.ok("POST", &format!("messages/{id}/modify"), Some(json!({"addLabelIds": ["STARRED"]}))).await;
    let draft = json!({"message": {"raw": base64url(message("Draft", "", "x").as_bytes())}});
    site.ok("POST", "drafts", Some(draft)).await;
    let world = async |site: &Site| {
        let mut all = vec![site.get("profile").await, site.get("labels").await, site.get("drafts").await];
        all.push(site.get("threads?maxResults=500").await);
        for id in ids(&site.get("messages?maxResults=500").await["messages"]).iter().step_by(7) {
            all.push(site.get(&format!("messages/{id}?format=raw")).await);
        }
        all.push(site.get("history?startHistoryId=1000&maxResults=500").await);
        all
    };
    let before = world(&site).await;
    site.running.shutdown().await;
    // A line that was being written when the program was killed is as if it had not been begun.
    let journal = dir.join("mail.jsonl");
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes.extend(b"{\"add\":{\"id\":1");
    std::fs::write(&journal, bytes).unwrap();
    let site = Site::start(options()).await;
    assert_eq!(world(&site).await, before);
    let (id, _) = site.deliver(&message("More", "", "x")).await;
    site.running.shutdown().await;
    let site = Site::start(options()).await;
    assert_eq!(site.get(&format!("messages/{id}?format=minimal")).await["id"], id.as_str());
}
