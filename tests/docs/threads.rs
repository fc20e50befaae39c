//! Comments, the whole way: the embedded Google's two APIs over the same threads, the file beside the document, and
//! answers from the command line.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::support::world::{World, edit_in_place, until};
use mcp_workspace::emulator::{DEFAULT_TOKEN, Options, Running, serve};
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// A server with a client that has the demo account's token.
struct Site {
    running: Running,
    http: Client,
}

impl Site {
    async fn new() -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = Client::builder().no_proxy().build().unwrap();
        Self { running: serve(Options::default()).await.unwrap(), http }
    }

    async fn send(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.http.request(method, format!("{}{path}", self.running.url())).bearer_auth(DEFAULT_TOKEN);
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let bytes = response.bytes().await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    async fn ok(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, value) = self.send(method, path, body).await;
        assert!(status < 300, "{method} {path}: {status} {value}");
        value
    }

    async fn refused(&self, method: &str, path: &str, body: Value, code: u16, words: &str) {
        let (status, value) = self.send(method, path, body).await;
        let message = value["error"]["message"].as_str().unwrap_or_default();
        assert!(status == code && message.contains(words), "{method} {path}: {status} {value}");
    }

    /// Makes a document that says `text`; returns its id.
    async fn document(&self, text: &str) -> String {
        let made = self.ok("POST", "/v1/documents", json!({"title": "Talk"})).await;
        let id = made["documentId"].as_str().unwrap().to_owned();
        self.batch(&id, json!([{"insertText": {"location": {"index": 1}, "text": text}}])).await;
        id
    }

    async fn batch(&self, id: &str, requests: Value) -> Value {
        self.ok("POST", &format!("/v1/documents/{id}:batchUpdate"), json!({ "requests": requests })).await
    }
}

fn comment(from: u32, to: u32, text: &str) -> Value {
    json!({"insertComment": {"range": {"startIndex": from, "endIndex": to}, "content": text}})
}

const INCLUDED: &str =
    "includeTabsContent=true&suggestionsViewMode=SUGGESTIONS_INLINE&commentsViewMode=COMMENTS_VIEW_MODE_INCLUDED";

#[tokio::test]
async fn both_services_tell_the_same_threads() {
    let site = Site::new().await;
    let id = site.document("a <b> & \"paragraph\" of words").await;
    let reply = site.batch(&id, json!([comment(3, 20, "first")])).await;
    assert_eq!(
        (reply["commentUpdateState"].as_str(), &reply["suggestionResponses"]),
        (Some("ALL_SAVED"), &json!([{}]))
    );
    let thread = reply["replies"][0]["insertComment"]["commentThread"].clone();
    let comment_id = thread["commentId"].as_str().unwrap();
    let plain = site.batch(&id, json!([{"insertText": {"location": {"index": 1}, "text": "xx"}}])).await;
    assert_eq!(plain["commentUpdateState"], "NO_UPDATES_REQUESTED");

    let document = site.ok("GET", &format!("/v1/documents/{id}?{INCLUDED}"), Value::Null).await;
    assert_eq!(document["comments"], json!([thread]));
    assert_eq!(document["commentsViewMode"], "COMMENTS_VIEW_MODE_INCLUDED");
    let anchor = thread["anchorId"].as_str().unwrap();
    assert_eq!(
        document["tabs"][0]["documentTab"]["commentAnchors"],
        json!({anchor: {"anchorId": anchor, "ranges": [{"startIndex": 5, "endIndex": 22}]}})
    );
    let without = site.ok("GET", &format!("/v1/documents/{id}?includeTabsContent=true"), Value::Null).await;
    assert!(without.get("comments").is_none() && without["tabs"][0]["documentTab"].get("commentAnchors").is_none());
    let fields =
        site.ok("GET", &format!("/v1/documents/{id}?{INCLUDED}&fields=documentId,comments"), Value::Null).await;
    assert_eq!(fields, json!({"documentId": id, "comments": [thread]}));

    let listed = site.ok("GET", &format!("/drive/v3/files/{id}/comments?fields=*"), Value::Null).await;
    let told = &listed["comments"][0];
    assert_eq!(
        (told["id"].as_str(), told["anchor"].as_str(), told["content"].as_str()),
        (Some(comment_id), Some(anchor), Some("first"))
    );
    assert_eq!(
        told["quotedFileContent"],
        json!({"mimeType": "text/html", "value": "&lt;b&gt; &amp; &quot;paragraph&quot;"})
    );
    assert!(told.get("resolved").is_none() && told["author"].get("emailAddress").is_none());
    site.batch(&id, json!([{"deleteContentRange": {"range": {"startIndex": 2, "endIndex": 25}}}])).await;
    let after = site.ok("GET", &format!("/v1/documents/{id}?{INCLUDED}"), Value::Null).await;
    assert!(after["tabs"][0]["documentTab"].get("commentAnchors").is_none());
    assert_eq!(after["comments"][0]["anchorId"], anchor, "the thread outlives its text");
}

#[tokio::test]
async fn modes_of_comments_are_refused_in_googles_words() {
    let site = Site::new().await;
    let id = site.document("words").await;
    let get = async |query: &str, words: &str| {
        site.refused("GET", &format!("/v1/documents/{id}?{query}"), Value::Null, 400, words).await;
    };
    let explicit = "Comments may only be explicitly included if inline suggestions are also explicitly requested.";
    get("commentsViewMode=COMMENTS_VIEW_MODE_INCLUDED&includeTabsContent=true", explicit).await;
    let preview = "Comments may not be requested when previewing suggestions.";
    get("commentsViewMode=COMMENTS_VIEW_MODE_INCLUDED&includeTabsContent=true&suggestionsViewMode=PREVIEW_WITHOUT_SUGGESTIONS", preview).await;
    get(
        "includeTabsContent=true&fields=tabs",
        "Field mask cannot retrieve comment-specific fields when include_comments is false.",
    )
    .await;
    site.ok("POST", &format!("/admin/documents/{id}:share"), json!({"role": "reader"})).await;
    site.refused("GET", &format!("/v1/documents/{id}?{INCLUDED}"), Value::Null, 403, "does not have permission").await;
    site.refused("GET", &format!("/drive/v3/files/{id}/comments?fields=*"), Value::Null, 403, "sufficient permissions")
        .await;
    site.ok("POST", &format!("/admin/documents/{id}:share"), json!({"role": "commenter"})).await;
    site.batch(&id, json!([comment(1, 3, "as a commenter")])).await;
    let edit = json!({"requests": [{"insertText": {"location": {"index": 1}, "text": "x"}}]});
    site.refused("POST", &format!("/v1/documents/{id}:batchUpdate"), edit.clone(), 403, "does not have permission")
        .await;
    let mut suggestion = edit;
    suggestion["writeControl"] = json!({"writeMode": "SUGGEST"});
    site.ok("POST", &format!("/v1/documents/{id}:batchUpdate"), suggestion).await;
}

#[tokio::test]
async fn drive_makes_answers_and_deletes_comments() {
    let site = Site::new().await;
    let id = site.document("words").await;
    let base = format!("/drive/v3/files/{id}/comments");
    for (method, path) in [("GET", base.clone()), ("POST", base.clone()), ("GET", format!("{base}/x"))] {
        site.refused(
            method,
            &path,
            json!({"content": "x"}),
            400,
            "The 'fields' parameter is required for this method.",
        )
        .await;
    }
    let all = "?fields=*";
    let first = site
        .ok(
            "POST",
            &format!("{base}{all}"),
            json!({"content": "first", "anchor": "{\"r\":1}", "quotedFileContent": {"value": "a<b"}}),
        )
        .await;
    assert_eq!(
        (first["anchor"].as_str(), first["quotedFileContent"]["value"].as_str()),
        (Some("{\"r\":1}"), Some("a&lt;b"))
    );
    let second = site.ok("POST", &format!("{base}?fields=id"), json!({"content": "second"})).await;
    site.refused("POST", &format!("{base}{all}"), json!({}), 400, "content").await;
    site.refused("POST", &format!("{base}{all}"), json!({"content": "x", "foo": 1}), 400, "foo").await;
    site.refused("GET", &format!("{base}?fields=comments(bar)"), Value::Null, 400, "bar").await;
    let page = site.ok("GET", &format!("{base}?fields=*&pageSize=1"), Value::Null).await;
    assert_eq!(page["comments"][0]["id"], second["id"], "newest first");
    let token = page["nextPageToken"].as_str().unwrap();
    let next = site.ok("GET", &format!("{base}?fields=*&pageSize=1&pageToken={token}"), Value::Null).await;
    assert_eq!(next["comments"][0]["id"], first["id"]);
    assert!(next.get("nextPageToken").is_none());
    site.refused("GET", &format!("{base}?fields=*&pageSize=0"), Value::Null, 400, "Invalid Value").await;

    let one = format!("{base}/{}", first["id"].as_str().unwrap());
    let resolved = site.ok("POST", &format!("{one}/replies?fields=action"), json!({"action": "resolve"})).await;
    assert_eq!(resolved, json!({"action": "resolve"}));
    assert_eq!(site.ok("GET", &format!("{one}?fields=resolved"), Value::Null).await, json!({"resolved": true}));
    site.ok("POST", &format!("{one}/replies"), json!({"action": "reopen", "content": "no"})).await;
    assert_eq!(site.ok("GET", &format!("{one}?fields=resolved"), Value::Null).await, json!({"resolved": false}));
    site.refused("POST", &format!("{one}/replies"), json!({"action": "close"}), 400, "Invalid Value").await;
    site.refused("POST", &format!("{one}/replies"), json!({}), 400, "content").await;
    let reply = site.ok("POST", &format!("{one}/replies"), json!({"content": "words"})).await;
    let reply = format!("{one}/replies/{}", reply["id"].as_str().unwrap());
    site.ok("PATCH", &format!("{reply}?fields=id"), json!({"content": "new words"})).await;
    assert_eq!(site.ok("GET", &format!("{reply}?fields=content"), Value::Null).await, json!({"content": "new words"}));
    assert_eq!(site.ok("GET", &format!("{one}/replies"), Value::Null).await["replies"].as_array().unwrap().len(), 3);
    site.ok("DELETE", &reply, Value::Null).await;
    site.refused("GET", &reply, Value::Null, 404, "Reply not found").await;
    assert_eq!(site.ok("GET", &format!("{one}/replies"), Value::Null).await["replies"].as_array().unwrap().len(), 2);

    site.ok("PATCH", &format!("{one}?fields=content"), json!({"content": "changed"})).await;
    site.ok("DELETE", &one, Value::Null).await;
    site.refused("GET", &format!("{one}?fields=*"), Value::Null, 404, "Comment not found").await;
    let gone = site.ok("GET", &format!("{one}?fields=*&includeDeleted=true"), Value::Null).await;
    assert!(gone["deleted"] == true && gone.get("content").is_none(), "{gone}");
    // A collaborator's comment is not ours to change.
    let other = site
        .ok(
            "POST",
            &format!("/admin/documents/{id}:edit"),
            json!({"requests": [comment(1, 3, "theirs")], "author": "Bea"}),
        )
        .await;
    let other = other["replies"][0]["insertComment"]["commentThread"]["commentId"].as_str().unwrap().to_owned();
    let told = site.ok("GET", &format!("{base}/{other}?fields=author(displayName,me)"), Value::Null).await;
    assert_eq!(told, json!({"author": {"displayName": "Bea", "me": false}}));
    site.refused("DELETE", &format!("{base}/{other}"), Value::Null, 403, "permissions").await;
    // Made, and refused all the same, as seen by others.
    site.refused(
        "POST",
        &format!("{base}?fields=id,mentionedEmailAddresses"),
        json!({"content": "third"}),
        400,
        "mentionedEmailAddresses",
    )
    .await;
    let all = site.ok("GET", &format!("{base}?fields=comments/content"), Value::Null).await;
    assert_eq!(all["comments"][0]["content"], "third");
}

#[tokio::test]
async fn suggestions_are_made_previewed_and_settled() {
    let site = Site::new().await;
    let id = site.document("one two three").await;
    let path = format!("/v1/documents/{id}:batchUpdate");
    let body = json!({"writeControl": {"writeMode": "SUGGEST"}, "requests": [
        {"insertText": {"location": {"index": 8}, "text": "2"}},
        {"deleteContentRange": {"range": {"startIndex": 5, "endIndex": 8}}}]});
    let made = site.ok("POST", &path, body).await;
    let suggestion = made["suggestionResponses"][0]["createdSuggestionIds"][0].as_str().unwrap().to_owned();
    assert!(suggestion.starts_with("suggest."));
    assert_eq!(made["suggestionResponses"][1], json!({"updatedSummarySuggestionIds": [suggestion]}), "both are one");
    let runs = async |mode: &str| {
        let value = site
            .ok("GET", &format!("/v1/documents/{id}?includeTabsContent=true&suggestionsViewMode={mode}"), Value::Null)
            .await;
        assert_eq!(value["suggestionsViewMode"], mode);
        let elements =
            value["tabs"][0]["documentTab"]["body"]["content"][1]["paragraph"]["elements"].as_array().unwrap().clone();
        elements
            .iter()
            .map(|e| format!("{}-{} {}", e["startIndex"], e["endIndex"], e["textRun"]["content"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(runs("SUGGESTIONS_INLINE").await, ["1-5 one ", "5-8 two", "8-9 2", "9-16  three\n"]);
    assert_eq!(runs("PREVIEW_SUGGESTIONS_ACCEPTED").await, ["1-13 one 2 three\n"]);
    assert_eq!(runs("PREVIEW_WITHOUT_SUGGESTIONS").await, ["1-15 one two three\n"]);
    let threads = site.ok("GET", &format!("/v1/documents/{id}?{INCLUDED}&fields=suggestions"), Value::Null).await;
    assert_eq!(threads["suggestions"][0]["suggestionId"], suggestion);
    let settled = site.batch(&id, json!([{"acceptSuggestion": {"suggestionId": suggestion}}])).await;
    assert_eq!(settled["suggestionResponses"], json!([{"acceptedSuggestionIds": [suggestion]}]));
    assert_eq!(settled["commentUpdateState"], "ALL_SAVED");
    assert_eq!(runs("SUGGESTIONS_INLINE").await, ["1-13 one 2 three\n"]);
}

/// The comments file of a document.
fn sidecar(world: &World, id: &str) -> PathBuf {
    let file = world.file(id);
    file.with_file_name(format!("{id}.comments.md"))
}

async fn world(name: &str) -> (World, String) {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    let created = world.post("/v1/documents", &json!({"title": "Talk"})).await;
    let id = created["documentId"].as_str().unwrap().to_owned();
    let requests = json!([
        {"insertText": {"location": {"index": 1}, "text": "Before it all.\nGoals\nRevenue is the target of this year.\n"}},
        {"updateParagraphStyle": {"range": {"startIndex": 16, "endIndex": 17}, "fields": "namedStyleType",
            "paragraphStyle": {"namedStyleType": "HEADING_1"}}}]);
    world.post(&format!("/v1/documents/{id}:batchUpdate"), &json!({ "requests": requests })).await;
    (world, id)
}

/// Comments as somebody else; returns the thread's id.
async fn commented(world: &World, id: &str, from: u32, to: u32, text: &str) -> String {
    let body = json!({"requests": [comment(from, to, text)], "author": "Bea"});
    let made = world.post(&format!("/admin/documents/{id}:edit"), &body).await;
    made["replies"][0]["insertComment"]["commentThread"]["commentId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn comments_that_were_edited_while_nobody_watched_are_kept_and_written_anew() {
    let (mut world, id) = world("comments-unwatched").await;
    world.file(&id);
    let notes = sidecar(&world, &id);
    commented(&world, &id, 22, 29, "Which revenue?").await;
    until("the comment is in its file", || async { notes.exists() }).await;
    world.kill_daemon();
    let ours = std::fs::read_to_string(&notes).unwrap();
    std::fs::remove_file(&notes).unwrap();
    std::fs::write(&notes, ours.replace("Which", "mine1 Which")).unwrap();
    world.start_daemon(&[]);
    until("they are as they were", || async { std::fs::read_to_string(&notes).is_ok_and(|text| text == ours) }).await;
    let status = world.cli(&["status"]).1;
    let waiting = status["accounts"][0]["waiting"].as_array().unwrap().iter();
    let kept = waiting.filter_map(|row| row["message"].as_str()?.split("is kept at ").nth(1)).next();
    assert!(std::fs::read_to_string(kept.unwrap_or_else(|| panic!("{status}"))).unwrap().contains("mine1 Which"));
}

#[tokio::test]
async fn open_comments_stand_beside_the_document() {
    let (world, id) = world("comments-file").await;
    let file = world.file(&id);
    let notes = sidecar(&world, &id);
    assert!(!notes.exists());
    let main = std::fs::read_to_string(&file).unwrap();
    // A change of comments alone: the change feed names the document.
    let thread = commented(&world, &id, 22, 29, "Which <revenue>?\n# really").await;
    until("the comment is in its file", || async { notes.exists() }).await;
    let text = std::fs::read_to_string(&notes).unwrap();
    for part in ["“Revenue”", "In “Goals”", "**Bea**", &thread, "really"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(std::fs::metadata(&notes).unwrap().permissions().mode() & 0o777, 0o400);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), main);
    let pushes = world.pushes().await.len();

    // One word of the commented sentence changes, and the comment stays where it was.
    edit_in_place(&file, "Revenue", "Growth");
    until("the edit arrived", || async { world.text(&id).await.contains("Growth is the target") }).await;
    until("the file says what stands there now", || async {
        std::fs::read_to_string(&notes).is_ok_and(|text| text.contains("“Revenue”") && text.contains("“Growth”"))
    })
    .await;
    assert_eq!(world.pushes().await.len(), pushes + 1);

    // Answered from the command line, by either file.
    let path = |file: &PathBuf| file.to_str().unwrap().to_owned();
    let (done, answer) = world.cli(&["comment", &path(&file), "--reply", &thread, "The *net* one"]);
    assert!(done && answer["path"] == path(&notes), "{answer}");
    assert!(std::fs::read_to_string(&notes).unwrap().contains("The \\*net\\* one"));
    let (done, answer) = world.cli(&["comment", &path(&notes), "--resolve", "AAAno"]);
    assert!(!done && answer["suggestion"].as_str().unwrap().contains(&thread), "{answer}");
    let (done, answer) = world.cli(&["comment", &path(&notes), "--resolve", &thread]);
    assert!(done && answer.get("path").is_none(), "{answer}");
    assert!(!notes.exists(), "the last one was resolved");
    let listed = world.get(&format!("/drive/v3/files/{id}/comments?fields=comments(resolved,replies/content)")).await;
    assert_eq!(
        listed,
        json!({"comments": [{"resolved": true, "replies": [{"content": "The *net* one"}, {"content": ""}]}]})
    );
    let (done, _) = world.cli(&["comment", &path(&file), "--reopen", &thread]);
    assert!(done && notes.exists());
    let (done, answer) = world.cli(&["comment", &path(&file), "--resolve", &thread, "--reopen", &thread]);
    assert!(!done, "{answer}");

    // Forgotten with the item.
    let (done, _) = world.cli(&["forget", &id]);
    assert!(done && !notes.exists() && !file.exists());
}

#[tokio::test]
async fn an_edit_of_the_comments_file_is_kept_and_goes_nowhere() {
    let (world, id) = world("comments-edit").await;
    commented(&world, &id, 22, 29, "Which one?").await;
    let notes = sidecar(&world, &id);
    let ours = std::fs::read_to_string(&notes).unwrap();
    let pushes = world.pushes().await.len();
    std::fs::set_permissions(&notes, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&notes, format!("{ours}\n- **Me**: my answer\n")).unwrap();
    until("the file is ours again", || async { std::fs::read_to_string(&notes).is_ok_and(|text| text == ours) }).await;
    let (_, status) = world.cli(&["status"]);
    let waiting = status["accounts"][0]["waiting"].as_array().unwrap().clone();
    let kept = waiting.iter().find(|entry| entry["state"] == "kept").unwrap();
    let path = kept["message"].as_str().unwrap().rsplit_once(" at ").unwrap().1;
    assert!(std::fs::read_to_string(path).unwrap().contains("my answer"), "{kept}");
    std::fs::remove_file(&notes).unwrap();
    until("it is written again", || async { notes.exists() }).await;
    assert_eq!(world.pushes().await.len(), pushes);
    let listed = world.get(&format!("/drive/v3/files/{id}/comments?fields=comments/replies")).await;
    assert_eq!(listed, json!({"comments": [{"replies": []}]}));
}

#[tokio::test]
async fn a_reader_gets_the_text_and_a_warning() {
    let (world, id) = world("comments-reader").await;
    commented(&world, &id, 22, 29, "Which one?").await;
    world.post(&format!("/admin/documents/{id}:share"), &json!({"role": "reader"})).await;
    let (done, answer) = world.cli(&["fetch", &id]);
    assert!(done, "{answer}");
    let notices = answer["notices"].to_string();
    assert!(notices.contains("COMMENTS_UNREAD"), "{answer}");
    assert!(std::fs::read_to_string(answer["path"].as_str().unwrap()).unwrap().contains("Revenue is"));
    assert!(!sidecar(&world, &id).exists());
}

#[tokio::test]
async fn an_answer_whose_reply_was_lost_is_not_said_twice() {
    let (world, id) = world("comments-lost").await;
    let thread = commented(&world, &id, 22, 29, "Which one?").await;
    let notes = sidecar(&world, &id);
    let fault = json!({"fault": "lost_reply", "match": {"method": "POST", "path": "/replies"}, "times": 1});
    world.post("/admin/faults", &fault).await;
    let (done, answer) = world.cli(&["comment", notes.to_str().unwrap(), "--reply", &thread, "This one"]);
    assert!(done, "{answer}");
    let listed = world.get(&format!("/drive/v3/files/{id}/comments?fields=comments/replies/content")).await;
    assert_eq!(listed, json!({"comments": [{"replies": [{"content": "This one"}]}]}));
    assert!(std::fs::read_to_string(&notes).unwrap().contains("This one"));
}

#[tokio::test]
async fn a_crash_anywhere_leaves_the_comments_to_be_found() {
    let (mut world, id) = world("comments-crash").await;
    let notes = sidecar(&world, &id);
    for (round, point) in ["during_deposit", "after_record"].into_iter().enumerate() {
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
        let text = format!("Round {round}?");
        commented(&world, &id, 22, 29, &text).await;
        let died = std::time::Instant::now();
        while !world.daemon_died() && died.elapsed() < Duration::from_secs(30) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if let Ok(standing) = std::fs::read_to_string(&notes) {
            assert!(standing.ends_with('\n') && standing.contains("check: c-"), "never half a file: {standing}");
        }
        world.start_daemon(&[]);
        until("the comment is found after the crash", || async {
            std::fs::read_to_string(&notes).is_ok_and(|standing| standing.contains(&text))
        })
        .await;
    }
    let folder = notes.parent().unwrap();
    let left = std::fs::read_dir(folder)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with(".mcpw-new"));
    assert_eq!(left.count(), 0, "no half-written file");
}

async fn restart(world: &mut World) {
    world.kill_daemon();
    world.start_daemon(&[]);
    let world = &*world;
    until("the account is there", || async { world.cli(&["status"]).1["accounts"][0]["items"].is_u64() }).await;
}

/// What is told of a file in `status`, in the state of what went with a push.
fn pushed(world: &World, file: &std::path::Path) -> Vec<String> {
    let status = world.cli(&["status"]).1;
    let waiting = status["accounts"][0]["waiting"].as_array();
    let told = waiting
        .into_iter()
        .flatten()
        .filter(|waiting| waiting["state"] == "pushed" && waiting["path"] == *file.to_str().unwrap());
    told.map(|waiting| waiting["message"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_comment_that_lost_its_place_is_told_until_somebody_asked() {
    let (mut world, id) = world("comments-lost").await;
    let file = world.file(&id);
    commented(&world, &id, 22, 29, "Which one?").await;
    let line =
        std::fs::read_to_string(&file).unwrap().lines().position(|line| line.starts_with("Revenue")).unwrap() + 1;
    // By the watcher alone; and a push that has nothing of the kind takes nothing away.
    edit_in_place(&file, "Revenue is", "is");
    until("the edit arrived", || async { !world.text(&id).await.contains("Revenue") }).await;
    until("it is told", || std::future::ready(!pushed(&world, &file).is_empty())).await;
    edit_in_place(&file, "Before", "Ahead of");
    until("the next edit arrived", || async { world.text(&id).await.contains("Ahead of") }).await;
    restart(&mut world).await;
    let told = pushed(&world, &file);
    assert!(told.len() == 1 && told[0].starts_with(&format!("line {line}: COMMENT_LOST: `Revenue`")), "{told:?}");
    // By hand there is nothing to push, and it is told once more, as what it is.
    let path = file.to_str().unwrap();
    let (_, answer) = world.cli(&["push", path, "--dry-run"]);
    assert_eq!((&answer["told"], &answer["refused"]), (&json!([]), &json!([])), "{answer}");
    let (_, answer) = world.cli(&["push", path]);
    assert_eq!((&answer["pushed"], &answer["refused"]), (&json!(false), &json!([])), "{answer}");
    assert_eq!(
        (&answer["told"][0]["code"], &answer["told"][0]["line"]),
        (&json!("COMMENT_LOST"), &json!(line)),
        "{answer}"
    );
    assert!(answer["message"].as_str().unwrap().contains("earlier push"), "{answer}");
    assert_eq!(pushed(&world, &file), Vec::<String>::new());
    assert_eq!(world.cli(&["push", path]).1["told"], json!([]));
    restart(&mut world).await;
    assert_eq!(pushed(&world, &file), Vec::<String>::new());
    // A push by hand tells it at once, whether or not the watcher was faster.
    commented(&world, &id, 5, 7, "And this?").await;
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("Ahead of it all.\n\n", "")).unwrap();
    let (_, answer) = world.cli(&["push", path]);
    assert_eq!(answer["told"].as_array().map(Vec::len), Some(1), "{answer}");
}
