//! What a client is told when Google says no, through the bridge, with the real binary and the embedded Google: the type of the error,
//! what to do, and that nothing is harmed.

use std::path::PathBuf;

use crate::support::mcp::{Client, document};
use crate::support::world::{World, until};
use mcp_workspace::emulator::{CLIENT_ID, CLIENT_SECRET, DEMO_ACCOUNT, REFRESH_TOKEN};
use mcp_workspace::google::{Secrets, Token};
use serde_json::{Value, json};

const TEXT: &str = "Before.\n\n# One\n\nAlpha beta.\n\n# Two\n\nGamma delta.\n";
const SAID: &str = "Before.\nOne\nAlpha beta.\nTwo\nGamma delta.\n";

/// A document with clients of both sets of tools that write to it.
struct Scene {
    docs: Client,
    google: Client,
    world: World,
    id: String,
    file: PathBuf,
    /// What the file says.
    text: String,
    /// The section "One".
    anchor: Value,
}

impl Scene {
    fn new(name: &str) -> Self {
        let (world, id) = document(name, TEXT);
        Self::of(world, id)
    }

    fn of(world: World, id: String) -> Self {
        let file = world.file(&id);
        let (mut docs, google) = (Client::new(&world, "docs"), Client::new(&world, "google-docs"));
        let tree = docs.done("get_hierarchy", &json!({ "document_id": id }));
        let anchor = tree["headings"].get(0).map(|heading| heading["anchor_id"].clone()).unwrap_or_default();
        let text = std::fs::read_to_string(&file).unwrap();
        Self { docs, google, world, id, file, text, anchor }
    }

    fn import(&self, words: &str) -> Value {
        json!({ "document_id": self.id, "anchor_id": self.anchor, "content": format!("# One\n\n{words}\n") })
    }

    fn on(&self, more: &Value) -> Value {
        let mut all = json!({ "document_id": self.id });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    }

    /// Expects of a tool of `docs` an error of this type, whose message and suggestion say this.
    fn refused(&mut self, tool: &str, arguments: &Value, (kind, message, suggestion): (&str, &str, &str)) {
        let error = self.docs.call(tool, arguments).expect_err(tool)["error"].clone();
        let said = |key: &str| error[key].as_str().unwrap();
        assert_eq!(said("type"), kind, "{tool}: {error}");
        assert!(said("message").contains(message), "{tool}: {error}");
        assert!(said("suggestion").contains(suggestion), "{tool}: {error}");
    }

    /// Expects the same of a tool of `google-docs`, which has no types.
    fn refused_there(&mut self, tool: &str, more: &Value, message: &str, hint: &str) {
        let error = self.google.call(&format!("google_docs_{tool}"), &self.on(more)).expect_err(tool);
        assert!(error["error"].as_str().unwrap().contains(message), "{tool}: {error}");
        assert!(error["hint"].as_str().unwrap().contains(hint), "{tool}: {error}");
    }

    /// Everything that edits is refused, and neither the file nor the document is harmed.
    fn edits_are_refused(&mut self, error: (&str, &str, &str)) {
        self.refused("import_section", &self.import("Alpha mine beta."), error);
        self.refused("import_tab", &self.on(&json!({ "content": TEXT.replace("Gamma", "Gamma mine") })), error);
        self.refused("normalize_formatting", &self.on(&json!({ "body_size": "13pt" })), (error.0, "", ""));
        let edits = [
            ("edit_text", json!({ "old_text": "Gamma", "new_text": "Gamma mine" })),
            ("insert_text_at_end", json!({ "text": " mine" })),
            ("insert_formatted_text", json!({ "formatted_text": "**mine**" })),
        ];
        for (tool, more) in edits {
            self.refused_there(tool, &more, error.1, error.2);
        }
        self.refused_there("apply_style", &json!({ "start_index": 1, "end_index": 3, "bold": true }), error.1, "");
        assert_eq!(std::fs::read_to_string(&self.file).unwrap(), self.text);
    }

    /// Once the cause is gone, each edit goes, and what was refused comes from nowhere.
    async fn edits_go(&mut self) {
        assert_eq!(self.world.text(&self.id).await, SAID);
        let import = self.import("Alpha later beta.");
        self.docs.done("import_section", &import);
        let arguments = self.on(&json!({ "text": " End." }));
        self.google.done("google_docs_insert_text_at_end", &arguments);
        let expected = SAID.replace("Alpha", "Alpha later").replace("delta.", "delta. End.");
        assert_eq!(self.world.text(&self.id).await, expected);
        let tree = self.docs.done("get_hierarchy", &self.on(&json!({})));
        assert_eq!(tree["headings"][0]["anchor_id"], self.anchor);
    }

    async fn fault(&self, path: &str, fault: &str) {
        let fault = json!([{ "match": { "path": path }, "times": 100_000, "fault": fault }]);
        self.world.post("/admin/faults", &fault).await;
    }

    async fn share(&self, role: &str) {
        self.world.post(&format!("/admin/documents/{}:share", self.id), &json!({ "role": role })).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_read_reads_and_edits_nothing() {
    for role in ["reader", "commenter"] {
        let mut scene = Scene::new(&format!("errors-{role}"));
        scene.share(role).await;
        let edits = ("PermissionDeniedError", "read-only", "Ask for edit access");
        // The head of the file tells of the access.
        let content = scene.docs.done("export_tab", &scene.on(&json!({})))["content"].clone();
        assert!(content.as_str().unwrap().contains("Alpha beta."), "{content}");
        scene.text = std::fs::read_to_string(&scene.file).unwrap();
        scene.edits_are_refused(edits);
        assert_eq!(scene.docs.done("get_metadata", &scene.on(&json!({})))["can_edit"], false);
        scene.share("owner").await;
        scene.edits_go().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_hidden_is_not_found() {
    let mut scene = Scene::new("errors-hidden");
    scene.share("none").await;
    let nothing = ("DocumentNotFoundError", "nothing found", "must be able to open it");
    scene.refused("import_section", &scene.import("Alpha mine beta."), nothing);
    scene.refused("export_tab", &scene.on(&json!({})), nothing);
    scene.refused("get_metadata", &scene.on(&json!({})), nothing);
    scene.refused_there("insert_text_at_end", &json!({ "text": " mine" }), nothing.1, nothing.2);
    scene.refused_there("get_document_by_id", &json!({}), nothing.1, nothing.2);
    scene.share("owner").await;
    scene.edits_go().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quota_that_is_used_up_is_told_and_nothing_is_left_behind() {
    let limit = ("RateLimitError", "limit is reached", "Wait a minute");
    for (name, path, fault) in [("all", "/", "429"), ("push", ":batchUpdate", "429"), ("drive", "/", "403")] {
        let mut scene = Scene::new(&format!("errors-quota-{name}"));
        scene.fault(path, fault).await;
        scene.edits_are_refused(limit);
        if path == "/" {
            scene.refused("get_metadata", &scene.on(&json!({})), limit);
            scene.refused("list_documents", &json!({}), limit);
            scene.refused_there("get_document_by_id", &json!({}), limit.1, limit.2);
        }
        scene.world.delete("/admin/faults").await;
        scene.edits_go().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_be_reached_is_told_and_nothing_is_left_behind() {
    let network = ("NetworkError", "failed", "");
    for (name, path, fault) in [("push", ":batchUpdate", "503"), ("cut", ":batchUpdate", "drop"), ("all", "/", "drop")]
    {
        let mut scene = Scene::new(&format!("errors-network-{name}"));
        scene.fault(path, fault).await;
        scene.edits_are_refused(network);
        scene.world.delete("/admin/faults").await;
        scene.edits_go().await;
    }
    let mut scene = Scene::new("errors-network-off");
    scene.world.stop_emulator();
    scene.edits_are_refused(network);
    scene.refused("list_documents", &json!({}), network);
    scene.refused("get_metadata", &scene.on(&json!({})), network);
    scene.refused_there("get_document_by_id", &json!({}), network.1, "connection");
    scene.world.restart_emulator();
    scene.edits_go().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_that_was_revoked_is_told_until_there_is_another() {
    let (mut world, id) = document("errors-revoked", TEXT);
    world.kill_daemon();
    // The demo has a bearer that never ends; a person signs in.
    let config = world.home.join("config/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("bearer")).collect();
    let oauth = format!("[oauth]\nclient_id = '{CLIENT_ID}'\nclient_secret = '{CLIENT_SECRET}'");
    lines.push(&oauth);
    std::fs::write(&config, lines.join("\n")).unwrap();
    let secrets = Secrets::at(world.home.join("state").join(DEMO_ACCOUNT).join("tokens.json"));
    secrets.sign_in(DEMO_ACCOUNT, &Token::new(REFRESH_TOKEN)).await.unwrap();
    world.start_daemon(&[]);
    let mut scene = Scene::of(world, id);
    let http = reqwest::Client::new();
    let revoke = http.post(format!("{}/revoke", scene.world.base)).form(&[("token", REFRESH_TOKEN)]).send();
    assert!(revoke.await.unwrap().status().is_success());
    scene.edits_are_refused(("AuthExpiredError", "sign-in of demo@example.com has expired", "auth add"));
    scene.refused("list_documents", &json!({}), ("AuthExpiredError", "expired", "auth add"));
    scene.refused("export_tab", &scene.on(&json!({})), ("AuthExpiredError", "expired", "auth add"));
    // A code is exchanged for another sign-in.
    let code = scene.world.post("/admin/codes", &json!({})).await["code"].as_str().unwrap().to_owned();
    let exchange = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("client_id", CLIENT_ID),
        ("client_secret", CLIENT_SECRET),
        ("redirect_uri", "http://127.0.0.1/"),
    ];
    let request = http.post(format!("{}/token", scene.world.base)).form(&exchange).send().await.unwrap();
    let given: Value = serde_json::from_str(&request.text().await.unwrap()).unwrap();
    let refresh = given["refresh_token"].as_str().unwrap_or_else(|| panic!("{given}"));
    secrets.sign_in(DEMO_ACCOUNT, &Token::new(refresh)).await.unwrap();
    assert!(scene.world.cli(&["resume"]).0);
    scene.edits_go().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_google_refuses_stays_in_the_file_alone() {
    let mut scene = Scene::new("errors-refused");
    scene.fault(":batchUpdate", "400").await;
    // Of a client that sees documents alone, nothing stays in the file.
    scene.refused_there(
        "edit_text",
        &json!({ "old_text": "Gamma", "new_text": "x" }),
        "Google refused the edit",
        "Leave",
    );
    assert_eq!(std::fs::read_to_string(&scene.file).unwrap(), scene.text);
    let refused = ("EditRefusedError", "Google refused the edit", "Export the section again");
    scene.refused("import_section", &scene.import("Alpha mine beta."), refused);
    let wish = scene.on(&json!({ "body_size": "13pt" }));
    scene.refused("normalize_formatting", &wish, ("EditRefusedError", "Google refused", ""));
    let export = Client::new(&scene.world, "docs").done("export_tab", &scene.on(&json!({})));
    assert!(export["content"].as_str().unwrap().contains("Alpha mine"), "{export}");
    assert!(export["warnings"][0].as_str().unwrap().contains("was refused, stands in the file alone"), "{export}");
    assert_eq!(std::fs::read_to_string(&scene.file).unwrap(), scene.text.replace("Alpha", "Alpha mine"));
    assert_eq!(scene.world.text(&scene.id).await, SAID);
    scene.world.delete("/admin/faults").await;
    scene.edits_go().await;
}

/// A document whose text is lost for the most part by `short`.
fn long_text() -> (String, String) {
    let paragraph = |at: usize| format!("Paragraph {at} has its own words about the matter number {at}.");
    let all: Vec<String> = (0..10).map(paragraph).collect();
    (all.join("\n\n") + "\n", all.get(..3).unwrap().join("\n\n") + "\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_is_held_does_not_go_along_with_a_later_one() {
    let (text, short) = long_text();
    let (world, id) = document("errors-held", &text);
    let mut scene = Scene::of(world, id);
    let said = scene.world.text(&scene.id).await;
    let tab = |scene: &Scene, content: &str| scene.on(&json!({ "content": content }));
    let held = "EditHeldError";
    let first = tab(&scene, &short);
    scene.refused("import_tab", &first, (held, "60 %", "push --accept"));
    // What is added would make the text long enough.
    let more = format!(
        "{short}\nSomething else that is long enough to hide what went with it, were it not for the hold, and more.\n"
    );
    let later = tab(&scene, &more);
    scene.refused("import_tab", &later, (held, "earlier edit", "push --accept"));
    let file = std::fs::read_to_string(&scene.file).unwrap();
    assert!(file.ends_with(&short), "{file}");
    // Nor do edits by text, which find the file as it is.
    scene.refused_there(
        "insert_text_at_end",
        &json!({ "text": " And more of it.".repeat(20) }),
        "not made",
        "earlier edit",
    );
    // What the document says and the file does not is not said to be nowhere.
    let gone = json!({ "old_text": "matter number 7", "new_text": "matter" });
    scene.refused_there("edit_text", &gone, "earlier edit waits", "push --accept");
    let section = scene.on(&json!({ "anchor_id": "h.none", "content": "# Seven\n\nwords\n" }));
    scene.refused("import_section", &section, (held, "60 %", "push --accept"));
    assert_eq!(std::fs::read_to_string(&scene.file).unwrap(), file);
    assert_eq!(scene.world.text(&scene.id).await, said);
    // What brings the text back ends it.
    let back = tab(&scene, &text.replace("number 4", "number four"));
    let done = scene.docs.done("import_tab", &back);
    assert_eq!(done["warnings"], json!([]), "what was held before it is not told of it");
    assert_eq!(scene.world.text(&scene.id).await, said.replace("number 4", "number four"));
    // And so does the person.
    scene.refused("import_tab", &first, (held, "60 %", "push --accept"));
    scene.refused("import_tab", &later, (held, "earlier edit", "push --accept"));
    let (done, told) = scene.world.cli(&["push", "--accept", scene.file.to_str().unwrap()]);
    assert!(done, "{told}");
    scene.docs.done("import_tab", &later);
    until("the later text arrives", || async { scene.world.text(&scene.id).await.contains("Something else") }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_client_hears_that_an_export_has_what_waits() {
    let (text, short) = long_text();
    let (world, id) = document("errors-held-other", &text);
    let mut scene = Scene::of(world, id);
    let whole = scene.on(&json!({}));
    let import = |content: &str| json!({ "document_id": whole["document_id"], "content": content });
    let (mut before, mut after) = (Client::new(&scene.world, "docs"), Client::new(&scene.world, "docs"));
    let older = before.done("export_tab", &whole);
    assert_eq!(older["warnings"], json!([]));
    let said = scene.world.text(&scene.id).await;
    let mine = short.replace("number 1.", "number one.");
    scene.refused("import_tab", &import(&mine), ("EditHeldError", "60 %", "push --accept"));
    let file = std::fs::read_to_string(&scene.file).unwrap();
    let newer = after.done("export_tab", &whole);
    let warning = |at: usize| newer["warnings"][at].as_str().unwrap();
    assert!(warning(0).contains("not the document") && warning(1).contains("60 %"), "{newer}");
    let content = |export: &Value| export["content"].as_str().unwrap().to_owned();
    assert!(content(&newer).contains("number one.") && !content(&newer).contains("Paragraph 7"), "{newer}");
    // Whenever the other has exported, its import neither sends what waits nor drops it.
    for (is_before, content) in [
        (true, content(&older).replace("number 5.", "number five.")),
        (true, content(&older)),
        (false, content(&newer).replace("number 2.", "number two.")),
    ] {
        let client = if is_before { &mut before } else { &mut after };
        let error = client.call("import_tab", &import(&content)).map_err(|error| error["error"].clone());
        if let Err(error) = error {
            assert_eq!(error["type"], "EditHeldError", "{error}");
            assert!(error["message"].as_str().unwrap().contains("earlier edit"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&scene.file).unwrap(), file);
        assert_eq!(scene.world.text(&scene.id).await, said);
    }
    // As the warning says: with what is brought back goes what is left of the earlier edit.
    let back = text.replace("number 1.", "number one.");
    after.done("import_tab", &import(&back));
    assert_eq!(scene.world.text(&scene.id).await, said.replace("number 1.", "number one."));
    assert_eq!(after.done("export_tab", &whole)["warnings"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_by_text_that_takes_most_of_a_text_is_not_made() {
    let phrase = "A long sentence that stands in every paragraph of this text. ";
    let text: Vec<String> = (0..10).map(|at| format!("{phrase}Number {at}.")).collect();
    let (world, id) = document("errors-shrunk", &text.join("\n\n"));
    let mut scene = Scene::of(world, id);
    let said = scene.world.text(&scene.id).await;
    let all = json!({ "old_text": phrase, "new_text": "", "replace_all": true });
    for _ in 0..2 {
        scene.refused_there("edit_text", &all, "SHRUNK: the file lost more than 60 %", "Tell the person what is to go");
        assert_eq!(std::fs::read_to_string(&scene.file).unwrap(), scene.text);
        assert_eq!(scene.world.text(&scene.id).await, said);
    }
    // Nothing waits after it: what takes less goes at once.
    let arguments = scene.on(&json!({ "old_text": phrase, "new_text": "" }));
    let done = scene.google.done("google_docs_edit_text", &arguments);
    assert!(done.get("warnings").is_none(), "{done}");
    assert_eq!(scene.world.text(&scene.id).await, said.replacen(phrase, "", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_arrived_without_an_answer_after_a_failed_one_stays() {
    for (first, lost) in [("500", "truncated"), ("429", "lost_reply"), ("drop", "lost_reply")] {
        let mut scene = Scene::new(&format!("errors-lost-{first}-{lost}"));
        scene.fault(":batchUpdate", first).await;
        let text = |words: &str| json!({ "text": words });
        scene.refused_there("insert_text_at_end", &text(" Never."), "", "");
        scene.world.delete("/admin/faults").await;
        scene.fault(":batchUpdate", lost).await;
        let arguments = scene.on(&text(" Once."));
        scene.google.done("google_docs_insert_text_at_end", &arguments);
        let expected = SAID.replace("delta.", "delta. Once.");
        assert_eq!(scene.world.text(&scene.id).await, expected);
        scene.world.delete("/admin/faults").await;
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        let arguments = scene.on(&text(" Twice."));
        let answer = scene.google.done("google_docs_insert_text_at_end", &arguments);
        assert!(answer.get("warnings").is_none(), "{first}, {lost}: {answer}");
        assert_eq!(scene.world.text(&scene.id).await, expected.replace("Once.", "Once. Twice."));
        // Nobody else wrote there, so nothing is said of others.
        let status = scene.world.cli(&["status"]).1;
        assert_eq!(status["accounts"][0]["waiting"], json!([]), "{first}, {lost}");
    }
}
