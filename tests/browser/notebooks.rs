//! NotebookLM's page in a real Chromium: signed in by hand, asked from within, gone and back.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp_workspace::browser::{Keeper, Launch, Page, Profile};
use mcp_workspace::emulator::{DEFAULT_TOKEN, DEMO_ACCOUNT, Options, Running, serve};
use mcp_workspace::error::{Error, NotebookFault, Result};
use mcp_workspace::kinds::notebooks::{InPage, Personal, Service as _, Settings};
use mcp_workspace::notebooklm::bootstrap::Base;
use mcp_workspace::notebooklm::call::ChatCall;
use mcp_workspace::notebooklm::chat::Progress;
use mcp_workspace::notebooklm::rows::Status;
use rustix::process::Signal;
use serde_json::{Value, json};
use url::Url;

use super::{LONG, ONE, group, launch, signal, timed, until};

const OTHER_ACCOUNT: &str = "other@example.com";

/// Google, and a profile for browsers.
struct World {
    google: Running,
    launch: Launch,
    keeper: Keeper,
}

impl World {
    async fn new(home: &Path) -> Option<Self> {
        Self::on(launch(home)?).await
    }

    async fn on(launch: Launch) -> Option<Self> {
        let google = serve(Options::default()).await.unwrap();
        google.seed_notebooks().unwrap();
        let keeper = Keeper::new(launch.clone(), Duration::from_secs(600));
        Some(Self { google, launch, keeper })
    }

    fn base(&self) -> Base {
        Base::new(&format!("http://notebook.google.localhost:{}", self.google.addr().port())).unwrap()
    }

    fn service(&self, authuser: Option<&str>) -> Personal {
        let authuser = authuser.map(str::to_owned);
        let way = InPage::new(self.keeper.clone(), self.base(), authuser.clone());
        Personal::new(Box::new(way), Settings { authuser, ..Settings::default() })
    }

    /// Signs somebody in as a person does, in a browser of his own on the same profile.
    async fn sign_in(&self, email: &str, from: &str) {
        self.keeper.close().await;
        let browser = self.launch.start().await.unwrap();
        let page = browser.page().await.unwrap();
        page.navigate(&Url::parse(from).unwrap(), LONG).await.unwrap();
        fill_in(&page, "#identifierId", email).await;
        fill_in(&page, "input[name=Passwd]", "demo-password").await;
        says(&page, &format!("location.origin === '{}'", self.base())).await;
        browser.close().await;
    }

    async fn admin(&self, path: &str) {
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("{}/admin/{path}", self.google.url());
        let sent = http.post(url).bearer_auth(DEFAULT_TOKEN).json(&json!({})).send().await.unwrap();
        assert!(sent.status().is_success());
    }
}

/// Waits until an expression is true in a page, which may be on its way elsewhere.
async fn says(page: &Page, expression: &str) {
    let begun = std::time::Instant::now();
    while page.evaluate(expression, LONG).await.ok() != Some(json!(true)) {
        assert!(begun.elapsed() < LONG, "waited in vain: {expression}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Fills a field in, and sends its form.
async fn fill_in(page: &Page, field: &str, text: &str) {
    says(page, &format!("document.querySelector({}) !== null", json!(field))).await;
    let script = "(field, text) => { const input = document.querySelector(field); input.value = text; \
                  setTimeout(() => input.form.requestSubmit(), 0); }";
    page.call(script, &[field.into(), text.into()], LONG).await.unwrap();
}

#[track_caller]
fn fault<T: std::fmt::Debug>(result: Result<T>) -> NotebookFault {
    match result {
        Err(Error::Notebook { fault, .. }) => fault,
        Err(other) => panic!("{other:?}"),
        Ok(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_notebook_is_asked_from_within_its_page() {
    let _one = ONE.lock().await;
    let home = tempfile::tempdir().unwrap();
    let Some(world) = World::new(home.path()).await else { return };
    let service = world.service(None);
    assert_eq!(fault(service.probe().await), NotebookFault::AuthRequired);
    world.sign_in(DEMO_ACCOUNT, &format!("{}/login", world.base())).await;
    let signed_in = timed("start and probe", service.probe()).await.unwrap();
    assert_eq!(signed_in.email.as_deref(), Some(DEMO_ACCOUNT));
    let listing = timed("a list of notebooks", service.notebooks()).await.unwrap();
    assert_eq!(listing.items.len(), 3);

    let notebook = listing.items.iter().find(|notebook| notebook.title.contains("Balcony")).unwrap();
    let ready = notebook.sources.iter().filter(|source| source.status == Status::Ready);
    let question = ChatCall {
        notebook: notebook.id.clone(),
        sources: ready.map(|source| source.id.clone()).collect(),
        question: "How many watts may be fed in? 🔌".into(),
        ..ChatCall::default()
    };
    let mut told = Vec::new();
    let answer = timed("an answer", service.ask(&question, LONG, &mut |progress| told.push(progress))).await.unwrap();
    assert!(!answer.citations.is_empty() && told.iter().any(|progress| matches!(progress, Progress::Partial(_))));

    // A page that is read anew beside that does not end an answer under way.
    let mut begun = false;
    let mut heard = |_| begun = true;
    let beside = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        world.admin("notebooks:expire-tokens").await;
        service.notebooks().await
    };
    let (answer, listing) = tokio::join!(service.ask(&question, LONG, &mut heard), beside);
    assert!(!answer.unwrap().citations.is_empty() && listing.unwrap().items.len() == 3 && begun);

    // The sign-in outlives the browser, and the browser's end is no end.
    world.keeper.close().await;
    assert_eq!(service.notebooks().await.unwrap().items.len(), 3);
    let pid = world.keeper.page().await.unwrap().process_id().unwrap();
    signal(pid, Signal::KILL);
    until("it is known", || !world.keeper.is_running()).await;
    assert_eq!(timed("a list after a kill", service.notebooks()).await.unwrap().items.len(), 3);
    until("nothing of it is left", || group(pid).is_empty()).await;

    world.admin("notebooks:revoke").await;
    let over = fault(service.notebooks().await);
    assert!(matches!(over, NotebookFault::SessionExpired | NotebookFault::AuthRequired), "{over}");
    world.sign_in(OTHER_ACCOUNT, &format!("{}/login", world.base())).await;
    assert_eq!(service.probe().await.unwrap().email.as_deref(), Some(OTHER_ACCOUNT));
    let pid = world.keeper.page().await.unwrap().process_id().unwrap();
    world.keeper.close().await;
    assert_eq!(group(pid), Vec::<u32>::new());
}

#[tokio::test]
async fn two_accounts_of_one_browser_are_told_apart() {
    let _one = ONE.lock().await;
    let home = tempfile::tempdir().unwrap();
    let Some(world) = World::new(home.path()).await else { return };
    world.sign_in(DEMO_ACCOUNT, &format!("{}/login", world.base())).await;
    let port = world.google.addr().port();
    let more = format!(
        "http://accounts.google.localhost:{port}/v3/signin/identifier?AddSession=1&continue={}",
        mcp_workspace::notebooklm::form::encode(&format!("{}/", world.base()))
    );
    world.sign_in(OTHER_ACCOUNT, &more).await;
    for (authuser, email, count) in [("0", DEMO_ACCOUNT, 3), ("1", OTHER_ACCOUNT, 0)] {
        let service = world.service(Some(authuser));
        assert_eq!(service.probe().await.unwrap().email.as_deref(), Some(email));
        assert_eq!(service.notebooks().await.unwrap().items.len(), count);
    }
    world.keeper.close().await;
}

/// Runs the program at a home; returns whether it succeeded, and what it printed.
async fn program(home: &Path, arguments: &[&str]) -> (bool, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
    command.args(arguments).args(["--json", "--home"]).arg(home).stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// Calls tools of the profile in a daemon of their own, each with its arguments; returns their results.
async fn calls(home: &Path, tools: Vec<(&'static str, Value)>) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
    command.args(["serve", "--stdio", "--profile", "notebooklm", "--home"]).arg(home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let played = move || {
        let mut child = command.spawn().unwrap();
        let (mut write, read) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let client = json!({ "name": "test", "version": "1" });
        let begin = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let mut messages = vec![
            json!({ "jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": begin }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        ];
        let call = |(id, (name, arguments)): (usize, &(&str, Value))| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
        messages.extend(tools.iter().enumerate().map(call));
        messages.iter().for_each(|message| writeln!(write, "{message}").unwrap());
        let mut results = vec![Value::Null; tools.len()];
        for line in read.lines() {
            let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if let Some(id) = answer["id"].as_u64() {
                results[usize::try_from(id).unwrap()] = answer["result"].clone();
            }
            if results.iter().all(|result| !result.is_null()) {
                break;
            }
        }
        drop(write);
        child.wait().unwrap();
        results
    };
    tokio::task::spawn_blocking(played).await.unwrap()
}

#[tokio::test]
async fn the_program_asks_notebooks_in_a_browser_of_its_own() {
    let _one = ONE.lock().await;
    let home = tempfile::tempdir().unwrap();
    let Some(launch) = launch(home.path()) else { return };
    // Where the program has it.
    let launch = Launch { profile: Profile::at(home.path().join("state/notebooklm/profile")), ..launch };
    let world = World::on(launch).await.unwrap();
    let (config, url) = (home.path().join("config"), world.google.url());
    std::fs::create_dir(&config).unwrap();
    let account = format!("[[accounts]]\nemail = '{DEMO_ACCOUNT}'\nbearer = '{DEFAULT_TOKEN}'\nmail = false\n");
    let endpoints = format!("[endpoints]\ndocs = '{url}'\ndrive = '{url}'\ntoken = '{url}'\n");
    std::fs::write(config.join("config.toml"), format!("quiet = true\n{account}{endpoints}")).unwrap();

    let (done, health) = timed("a check", program(home.path(), &["notebooks", "check"])).await;
    assert_eq!(
        (done, &health["status"], &health["browser_ok"]),
        (false, &json!("unhealthy"), &json!(true)),
        "{health}"
    );
    world.sign_in(DEMO_ACCOUNT, &format!("{}/login", world.base())).await;
    let (done, health) = program(home.path(), &["notebooks", "check"]).await;
    assert_eq!((done, &health["status"]), (true, &json!("healthy")), "{health}");

    let results = calls(home.path(), vec![("health_check", json!({})), ("list_notebooks", json!({}))]).await;
    assert_eq!(results[0]["structuredContent"]["status"], "healthy", "{results:?}");
    let listed = results[1]["structuredContent"]["notebooks"].as_array().unwrap();
    let balcony = listed.iter().find(|notebook| notebook["name"].as_str().unwrap().contains("Balcony")).unwrap();
    let question = json!({ "notebook_id": balcony["id"], "question": "How many watts may be fed in?" });
    let answers = timed("an answer", calls(home.path(), vec![("ask", question)])).await;
    let answer = &answers[0]["structuredContent"];
    let asked = ["ask", "balcony", "How many watts may be fed in?"];
    let (done, told) = program(home.path(), &asked).await;
    assert!(!done && told["kind"] == "daemon", "{told}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
    let daemon = command.args(["daemon", "--home"]).arg(home.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut daemon = daemon.spawn().unwrap();
    let begun = std::time::Instant::now();
    while !program(home.path(), &["status"]).await.0 {
        assert!(begun.elapsed() < LONG, "the daemon does not answer");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (done, told) = program(home.path(), &asked).await;
    assert!(done && told["answer"].as_str().unwrap().contains("800"), "{told}");
    let (done, health) = program(home.path(), &["notebooks", "check"]).await;
    assert_eq!((done, &health["status"]), (true, &json!("healthy")), "{health}");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    assert!(answer["answer"].as_str().unwrap().contains("800"), "{answer}");
    assert!(!answer["citations"].as_array().unwrap().is_empty(), "{answer}");
}
