//! What a client reads without a tool, and what it is told by itself, through the bridge, with the real binary and the embedded
//! Google.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::mcp::{Client, document};
use serde_json::{Value, json};

const TEXT: &str = "# One\n\nAlpha beta gamma.\n";

fn read(client: &mut Client, uri: &str) -> Value {
    let read = client.ask("resources/read", &json!({ "uri": uri }));
    let content = &read["contents"][0];
    assert_eq!(content["uri"], uri);
    serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
}

fn status_of(file: &Path) -> String {
    format!("workspace://status{}", file.display())
}

/// Waits until a file stands so.
fn becomes(client: &mut Client, uri: &str, state: &str) -> Value {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let status = read(client, uri);
        if status["state"] == state {
            return status;
        }
        assert!(Instant::now() < end, "{status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_manual_is_read_page_by_page_and_as_a_skill() {
    let (world, _) = document("resources-manual", TEXT);
    for profile in ["default", "docs", "google-docs", "notebooklm"] {
        let mut client = Client::new(&world, profile);
        let listed = client.ask("resources/list", &json!({}));
        let listed = listed["resources"].as_array().unwrap().clone();
        let names: Vec<&str> = listed.iter().map(|page| page["name"].as_str().unwrap()).collect();
        let expected = [
            "overview",
            "search",
            "fetch",
            "create",
            "mebdf",
            "editing",
            "conflicts",
            "toolsets",
            "google-setup",
            "troubleshooting",
        ];
        assert_eq!(names[..10], expected);
        for page in &listed[..10] {
            let read = client.ask("resources/read", &json!({ "uri": page["uri"] }));
            let text = read["contents"][0]["text"].as_str().unwrap();
            assert!(text.starts_with("# ") && page["size"] == text.len(), "{page}");
            // A page that is named in another one is there.
            for named in text.split("workspace://docs/").skip(1) {
                let name: String = named.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
                assert!(names.contains(&name.as_str()), "{name} in {page}");
            }
        }
        let skills = client.ask("skills/list", &json!({}));
        let skill = &skills["skills"][0];
        assert_eq!(client.ask("skills/get", &json!({ "uri": skill["uri"] }))["skill"], *skill);
        let files = skill["resources"].as_array().unwrap();
        assert_eq!(files.len(), 11);
        for file in files {
            let read = client.ask("resources/read", &json!({ "uri": file["uri"] }));
            assert_eq!(read["contents"][0]["text"].as_str().unwrap().len() as u64, file["size"].as_u64().unwrap());
        }
        let templates = client.ask("resources/templates/list", &json!({}));
        assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_a_save_is_read_and_told() {
    let (world, id) = document("resources-status", TEXT);
    let file = world.file(&id);
    let mut client = Client::new(&world, "default");
    let uri = status_of(&file);
    let status = becomes(&mut client, &uri, "synced");
    assert_eq!((&status["id"], &status["path"]), (&json!(id), &json!(file)), "{status}");
    assert_eq!(client.ask("resources/subscribe", &json!({ "uri": uri })), json!({}));
    // A save is pending at once, and then it is not.
    let said = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, said.replace("beta", "betas")).unwrap();
    assert_ne!(read(&mut client, &uri)["state"], "held");
    let told = client.notified("notifications/resources/updated");
    assert_eq!(told["uri"], uri);
    let status = becomes(&mut client, &uri, "synced");
    assert_eq!((&status["last"]["what"], &status["last"]["words_added"]), (&json!("push"), &json!(1)), "{status}");
    assert_eq!(world.text(&id).await, "One\nAlpha betas gamma.\n");
    // What waits says why.
    let said = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, said.split("# {").next().unwrap()).unwrap();
    let status = becomes(&mut client, &uri, "held");
    assert!(
        status["message"].as_str().unwrap().contains("--accept") || !status["waiting"].as_array().unwrap().is_empty()
    );
    let all = read(&mut client, "workspace://status");
    assert!(all["accounts"][0]["waiting"].to_string().contains("held"), "{all}");
    assert_eq!(client.ask("resources/unsubscribe", &json!({ "uri": uri })), json!({}));
    assert_eq!(client.ask("resources/unsubscribe", &json!({ "uri": uri })), json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_a_new_file_is_read() {
    let (world, _) = document("resources-new", TEXT);
    let mut client = Client::new(&world, "default");
    let path = world.home.join("workspace/demo@example.com/new/Trip.md");
    std::fs::write(&path, "# Trip\n\nWords of a new document.\n").unwrap();
    assert_eq!(read(&mut client, &status_of(&path))["state"], "pending");
    let made = becomes(&mut client, &status_of(&path), "synced");
    // By its path it is found like any other.
    let found = client.done("fetch", &json!({ "id": path }));
    assert_eq!((&found["id"], &found["title"]), (&made["id"], &json!("Trip")));
    let broken = path.with_file_name("Broken.md");
    std::fs::write(&broken, "a\0b").unwrap();
    assert!(becomes(&mut client, &status_of(&broken), "not made")["message"].to_string().contains("NUL"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_full_set_has_all_tools_and_an_answer_links_its_file() {
    let (world, id) = document("resources-full", TEXT);
    let mut client = Client::new(&world, "full");
    let listed = client.ask("tools/list", &json!({}))["tools"].as_array().unwrap().clone();
    let mut names: Vec<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 27, "{names:?}");
    let fetched = client.ask("tools/call", &json!({ "name": "fetch", "arguments": { "id": id } }));
    let link = &fetched["content"][1];
    let path = fetched["structuredContent"]["path"].as_str().unwrap();
    assert_eq!((&link["type"], &link["title"]), (&json!("resource_link"), &json!("Ana's plan")), "{fetched}");
    assert_eq!(link["uri"], format!("file://{path}"));
    assert!(
        client.call("export_tab", &json!({ "document_id": id })).unwrap()["content"]
            .as_str()
            .unwrap()
            .contains("Alpha")
    );
    let edit = json!({ "document_id": id, "old_text": "beta", "new_text": "betas" });
    assert_eq!(client.call("google_docs_edit_text", &edit).unwrap()["replacements_made"], 1);
    // Each set has errors of its own shape.
    let error = client
        .call("get_metadata", &json!({ "document_id": "1AbCdEfGhIjKlMnOpQrStUvWxYz012345678901234" }))
        .unwrap_err();
    assert_eq!(error["error"]["type"], "DocumentNotFoundError");
    let error = client
        .call("google_docs_edit_text", &json!({ "document_id": id, "old_text": "", "new_text": "" }))
        .unwrap_err();
    assert!(error["hint"].is_string(), "{error}");
    assert!(
        client.refuse("tools/call", &json!({ "name": "none", "arguments": {} }))["message"]
            .as_str()
            .unwrap()
            .contains("none")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_is_told_by_the_next_daemon_too() {
    let (mut world, id) = document("resources-restart", TEXT);
    let uri = status_of(&world.file(&id));
    let mut client = Client::new(&world, "default");
    client.ask("resources/subscribe", &json!({ "uri": uri }));
    client.ask("resources/subscribe", &json!({ "uri": "workspace://status" }));
    client.ask("resources/unsubscribe", &json!({ "uri": "workspace://status" }));
    world.kill_daemon();
    world.start_daemon(&[]);
    // Once for all that nobody saw, and again for what happens now.
    assert_eq!(client.notified("notifications/resources/updated")["uri"], uri);
    becomes(&mut client, &uri, "synced");
    world.collaborate(&id, "beta", "theirs").await;
    assert_eq!(client.notified("notifications/resources/updated")["uri"], uri);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_newer_era_is_told_too() {
    let (world, id) = document("resources-listen", TEXT);
    let file = world.file(&id);
    let uri = status_of(&file);
    let mut client = Client::modern(&world, "default");
    let filter = json!({ "notifications": { "resourceSubscriptions": [uri, "workspace://nothing/here"] } });
    client.begin("subscriptions/listen", &filter);
    let accepted = client.notified("notifications/subscriptions/acknowledged");
    assert_eq!(accepted["notifications"]["resourceSubscriptions"], json!([uri]), "{accepted}");
    world.collaborate(&id, "beta", "theirs").await;
    assert_eq!(client.notified("notifications/resources/updated")["uri"], uri);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_read_by_its_id_and_what_is_not_there_is_told() {
    let (world, id) = document("resources-item", TEXT);
    let file = world.file(&id);
    let mut client = Client::new(&world, "default");
    let uri = format!("workspace://item/{id}");
    let item = client.ask("resources/read", &json!({ "uri": uri }));
    assert_eq!(item["contents"][0]["text"], std::fs::read_to_string(&file).unwrap());
    let tab = client.ask("resources/read", &json!({ "uri": format!("{uri}/t.0") }));
    assert_eq!(tab["contents"][0]["text"], item["contents"][0]["text"]);
    let mut refused = |uri: &str, words: &str| {
        let error = client.refuse("resources/read", &json!({ "uri": uri }));
        assert!(error["message"].as_str().unwrap().contains(words) && error["data"]["uri"] == uri, "{error}");
    };
    refused("workspace://docs/none", "no such resource");
    refused("workspace://item/1AbCdEfGhIjKlMnOpQrStUvWxYz012345678901234", "1AbC");
    refused(&format!("{uri}/t.none"), "t.none");
    refused("workspace://status/etc/passwd", "no file of the workspace");
    refused("file:///etc/passwd", "no such resource");
    let long = world.home.join("long.md");
    std::fs::write(&long, "Words of a long document.\n\n".repeat(50_000)).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Long", long.to_str().unwrap()]);
    assert!(done, "{made}");
    let long = format!("workspace://item/{}", made["id"].as_str().unwrap());
    refused(&long, "longer than a resource");
    // What is too long as the only tab is too long under its name, too, so nobody is sent there.
    let error = client.refuse("resources/read", &json!({ "uri": long }));
    assert!(!error["message"].as_str().unwrap().contains("one tab"), "{error}");
    assert!(error["message"].as_str().unwrap().contains("in sections"), "{error}");
    for (method, params, words) in [
        ("resources/read", json!({}), "missing field `uri`"),
        ("tools/call", json!({ "name": "fetch", "arguments": "{}" }), "`arguments`"),
    ] {
        let error = client.refuse(method, &params);
        assert!(error["code"] == -32602 && error["message"].as_str().unwrap().contains(words), "{method}: {error}");
    }
    assert_eq!(client.refuse("no/such", &json!({}))["code"], -32601);
    let error = client.refuse("resources/subscribe", &json!({ "uri": "workspace://nothing/here" }));
    assert!(error["message"].as_str().unwrap().contains("no such resource"), "{error}");
    for at in 0..16 {
        client.ask("resources/subscribe", &json!({ "uri": format!("workspace://status/some/file{at}.md") }));
    }
    let error = client.refuse("resources/subscribe", &json!({ "uri": "workspace://status" }));
    assert!(error["message"].as_str().unwrap().contains("16"), "{error}");
}
