//! NotebookLM's page in a real Chromium: signed in by hand, asked from within, gone and back.

use std::path::Path;
use std::time::Duration;

use mcp_workspace::browser::{Keeper, Launch, Page};
use mcp_workspace::emulator::{DEFAULT_TOKEN, DEMO_ACCOUNT, Options, Running, serve};
use mcp_workspace::error::{Error, NotebookFault, Result};
use mcp_workspace::kinds::notebooks::{InPage, Personal, Service as _, Settings};
use mcp_workspace::notebooklm::bootstrap::Base;
use mcp_workspace::notebooklm::call::ChatCall;
use mcp_workspace::notebooklm::chat::Progress;
use mcp_workspace::notebooklm::rows::Status;
use rustix::process::Signal;
use serde_json::json;
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
        let launch = launch(home)?;
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
