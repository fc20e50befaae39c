//! Signing in and out, with the real binary, a browser that follows the embedded Google's own page, and the files that come of it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::world::{World, until};

/// The account of the embedded Google.
const ACCOUNT: &str = "demo@example.com";

const DRIVE: &str = "https://www.googleapis.com/auth/drive";
const MAIL: &str = "https://www.googleapis.com/auth/gmail.modify";

/// A home that nobody has signed in to yet, beside an embedded Google.
struct Home {
    world: World,
    dir: PathBuf,
    client: PathBuf,
    http: reqwest::Client,
}

/// What a person does on Google's page.
#[derive(Debug, Clone, Copy)]
struct Choice<'a> {
    allows: bool,
    /// Boxes that are unticked.
    without: &'a [&'a str],
}

const ALLOW: Choice<'static> = Choice { allows: true, without: &[] };

impl Home {
    fn new(name: &str) -> Self {
        let world = World::new(name);
        let dir = world.home.join("own");
        fs::create_dir_all(dir.join("config")).unwrap();
        let base = &world.base;
        let config = format!(
            "# mine\npoll_ms = 200 # often\n\n[endpoints]\ndocs = '{base}'\ndrive = '{base}'\ntoken = '{base}'\n"
        );
        fs::write(dir.join("config/config.toml"), config).unwrap();
        let client = dir.join("client.json");
        let file =
            r#"{"installed":{"client_id":"demo-client.apps.googleusercontent.com","client_secret":"demo-secret"}}"#;
        fs::write(&client, file).unwrap();
        // What stands in for the desktop: it opens no browser.
        let program = dir.join("xdg-open");
        fs::write(&program, format!("#!/bin/sh\necho \"$1\" > '{}'\n", dir.join("opened").display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(Duration::from_secs(20))
            .build()
            .unwrap();
        Self { world, dir, client, http }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let path = format!("{}:{}", self.dir.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"));
        command.args(arguments).arg("--home").arg(&self.dir).env("PATH", path);
        command
    }

    /// Runs a command line with `--json`.
    fn cli(&self, arguments: &[&str]) -> (bool, Value) {
        let output = self.command(arguments).arg("--json").stdin(Stdio::null()).output().unwrap();
        (output.status.success(), said(&output))
    }

    /// Begins to sign in, and waits for the address of Google's page.
    fn begin(&self, arguments: &[&str]) -> SigningIn {
        let client = self.client.to_str().unwrap();
        let mut all = vec!["auth", "add", "--json", "--client", client];
        all.extend(arguments);
        let mut command = self.command(&all);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let page = lines.take(10).find(|line| line.starts_with("http")).expect("an address is printed");
        SigningIn { child, input, page }
    }

    /// Does what a person and a browser do, up to the address to which Google sends the browser back.
    async fn consent(&self, page: &str, choice: Choice<'_>) -> String {
        let shown = self.http.get(page).send().await.unwrap();
        assert_eq!(shown.status(), 200);
        let html = shown.text().await.unwrap();
        let boxes = html.split("name=\"scope\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let ticked = boxes.filter(|scope| !choice.without.contains(scope)).map(|scope| ("scope", scope));
        let pressed = ("choice", if choice.allows { "allow" } else { "deny" });
        let form: Vec<(&str, &str)> = ticked.chain([pressed]).collect();
        let sent = self.http.post(page).form(&form).send().await.unwrap();
        assert_eq!(sent.status(), 302);
        sent.headers()["location"].to_str().unwrap().to_owned()
    }

    /// Signs in by a browser; returns what its last page said, whether the command succeeded, and its answer.
    async fn sign_in(&self, arguments: &[&str], choice: Choice<'_>) -> (String, bool, Value) {
        let signing = self.begin(arguments);
        let back = self.consent(&signing.page, choice).await;
        let page = self.http.get(back).send().await.unwrap().text().await.unwrap();
        let output = signing.end();
        (page, output.status.success(), said(&output))
    }

    fn config(&self) -> String {
        fs::read_to_string(self.dir.join("config/config.toml")).unwrap()
    }

    fn tokens(&self) -> PathBuf {
        self.dir.join("state").join(ACCOUNT).join("tokens.json")
    }

    /// Starts the daemon and waits until it answers.
    fn start_daemon(&self) -> Daemon {
        let log = fs::File::create(self.dir.join("daemon.log")).unwrap();
        let child = self.command(&["daemon"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let daemon = Daemon(child);
        let start = Instant::now();
        while !self.cli(&["status"]).0 {
            assert!(start.elapsed() < Duration::from_secs(40), "{}", self.dir.join("daemon.log").display());
            std::thread::sleep(Duration::from_millis(20));
        }
        daemon
    }
}

fn said(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()))
}

/// A sign-in that waits for its person.
struct SigningIn {
    child: Child,
    input: Option<ChildStdin>,
    page: String,
}

impl SigningIn {
    /// Types a line.
    fn paste(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn end(self) -> Output {
        drop(self.input);
        self.child.wait_with_output().unwrap()
    }
}

/// A daemon that ends with its test.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        if self.0.kill().is_ok() {
            drop(self.0.wait());
        }
    }
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let url = url::Url::parse(url).unwrap();
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn is_private(path: &Path) -> bool {
    fs::metadata(path).unwrap().permissions().mode() & 0o077 == 0
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_signs_in_is_mirrored_and_signs_out() {
    let home = Home::new("auth");
    let (page, done, answer) = home.sign_in(&[], ALLOW).await;
    assert!(
        done && page.contains("demo@example.com is signed in") && page.contains("close this page"),
        "{page} {answer}"
    );
    assert_eq!(
        (answer["account"].as_str(), answer["mail"].as_bool(), answer["mode"].as_str()),
        (Some(ACCOUNT), Some(true), Some("two-way")),
        "{answer}"
    );
    // The desktop was asked to open that very page.
    let opened = fs::read_to_string(home.dir.join("opened")).unwrap();
    assert!(opened.contains("/o/oauth2/v2/auth?client_id=demo-client"), "{opened}");
    // What a person wrote stays, and no secret is for others to read.
    let config = home.config();
    assert!(
        config.starts_with("# mine\npoll_ms = 200 # often\n") && config.contains("email = \"demo@example.com\""),
        "{config}"
    );
    assert!(is_private(&home.tokens()) && is_private(&home.dir.join("config/config.toml")));

    let (known, list) = home.cli(&["auth", "list"]);
    assert!(known && list["accounts"][0]["sign_in"] == "signed in", "{list}");
    let (works, status) = home.cli(&["auth", "status"]);
    assert!(works && status["accounts"][0]["scopes"] == serde_json::json!(["drive", "gmail.modify"]), "{status}");
    let (works, status) = home.cli(&["auth", "refresh", ACCOUNT]);
    assert!(works && status["accounts"][0]["works"] == true, "{status}");

    let daemon = home.start_daemon();
    let (_, id) = home.world.documents().await.swap_remove(0);
    let (fetched, report) = home.cli(&["fetch", &id]);
    assert!(fetched, "{report}");

    // A person takes the access away at Google: the account is paused, and says so with what to do.
    let kept: Value = serde_json::from_slice(&fs::read(home.tokens()).unwrap()).unwrap();
    let refresh = kept[ACCOUNT]["refresh_token"].as_str().unwrap();
    let revoked =
        home.http.post(format!("{}/revoke", home.world.base)).form(&[("token", refresh)]).send().await.unwrap();
    assert!(revoked.status().is_success());
    until("the account is paused", async || {
        home.cli(&["status"]).1.to_string().contains("auth add --account demo@example.com")
    })
    .await;
    let (works, status) = home.cli(&["auth", "status"]);
    assert!(!works && status.to_string().contains("mcp-workspace auth add"), "{status}");
    let file = PathBuf::from(report["path"].as_str().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\nWritten while signed out.\n")).unwrap();

    // Signed in anew, the daemon goes on by itself.
    let (_, done, answer) = home.sign_in(&["--account", ACCOUNT], ALLOW).await;
    assert!(done && answer["restart"] == false, "{answer}");
    let (resumed, told) = home.cli(&["resume"]);
    assert!(resumed, "{told}");
    until("the edit is pushed", async || home.world.text(&id).await.contains("Written while signed out.")).await;
    drop(daemon);

    let (done, gone) = home.cli(&["auth", "remove", ACCOUNT]);
    assert!(done && gone["revoked"] == true, "{gone}");
    let config = home.config();
    assert!(config.starts_with("# mine\npoll_ms = 200 # often\n") && !config.contains(ACCOUNT), "{config}");
    assert!(!fs::read_to_string(home.tokens()).unwrap().contains("refresh"));
    assert!(fs::read_to_string(&file).unwrap().contains("Written while signed out."), "its files stay");
    let (_, list) = home.cli(&["auth", "list"]);
    assert_eq!(list["accounts"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_keeps_nothing() {
    let home = Home::new("auth-denied");
    let before = home.config();
    for (choice, expected) in [
        (Choice { allows: false, without: &[] }, "was not allowed"),
        (Choice { allows: true, without: &[DRIVE] }, "did not allow to edit files in Google Drive"),
        (Choice { allows: true, without: &["email"] }, "did not say which account"),
        (Choice { allows: true, without: &["openid"] }, "did not say which account"),
    ] {
        let (page, done, answer) = home.sign_in(&[], choice).await;
        assert!(
            !done && page.starts_with("Not signed in") && answer["message"].as_str().unwrap().contains(expected),
            "{choice:?}: {page} {answer}"
        );
    }
    let (_, done, answer) = home.sign_in(&["--account", "ana@example.com"], ALLOW).await;
    assert!(!done && answer["message"].as_str().unwrap().contains("demo@example.com signed in, and not"), "{answer}");
    assert_eq!(home.config(), before);
    assert!(!home.tokens().exists());

    // Without mail it is an account all the same.
    let (_, done, answer) = home.sign_in(&[], Choice { allows: true, without: &[MAIL] }).await;
    assert!(done && answer["mail"] == false && home.config().contains("mail = false"), "{answer}");
    // Allowed later, it has mail.
    let (_, done, answer) = home.sign_in(&[], ALLOW).await;
    assert!(done && answer["mail"] == true && !home.config().contains("\nmail"), "{answer}");
    let (_, done, answer) = home.sign_in(&["--read-only"], ALLOW).await;
    assert!(done && answer["scopes"] == serde_json::json!(["drive.readonly", "gmail.readonly"]), "{answer}");
    assert!(home.config().contains("mode = \"mirror\""));
    // Signed in anew it is still one that is only mirrored, and where it is named nothing else is asked for.
    let (_, done, answer) = home.sign_in(&[], ALLOW).await;
    assert!(done && answer["mode"] == "mirror" && home.config().contains("mode = \"mirror\""), "{answer}");
    let (_, done, answer) = home.sign_in(&["--account", ACCOUNT], ALLOW).await;
    assert!(done && answer["scopes"] == serde_json::json!(["drive.readonly", "gmail.readonly"]), "{answer}");
    assert_eq!(home.config().matches("[[accounts]]").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_page_signs_nobody_in() {
    let home = Home::new("auth-stray");
    let signing = home.begin(&[]);
    let back = parameter(&signing.page, "redirect_uri").unwrap();
    let state = parameter(&signing.page, "state").unwrap();
    assert!(back.starts_with("http://127.0.0.1:"), "{back}");
    for query in ["", "?code=4/x", "?code=4/x&state=guessed", "?error=access_denied&state=guessed", "?state="] {
        let answer = home.http.get(format!("{back}/{query}")).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{query}");
    }
    // The person goes on as if nothing had been.
    let last = home.consent(&signing.page, ALLOW).await;
    let page = home.http.get(last).send().await.unwrap();
    assert_eq!(page.headers()["content-type"], "text/plain; charset=utf-8");
    assert!(page.text().await.unwrap().contains("is signed in"));
    assert!(signing.end().status.success());

    // Who knows the state and not the proof key has no use for the code.
    let signing = home.begin(&[]);
    let url = url::Url::parse(&signing.page).unwrap();
    let own = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| match &*name {
        "code_challenge" => (name.into_owned(), "someone-elses-challenge-of-as-many-letters-".to_owned()),
        _ => (name.into_owned(), value.into_owned()),
    };
    let query: Vec<(String, String)> = url.query_pairs().map(own).collect();
    let mut others = url.clone();
    others.query_pairs_mut().clear().extend_pairs(query);
    let back = home.consent(others.as_str(), ALLOW).await;
    assert_ne!(parameter(&back, "state"), Some(state));
    let page = home.http.get(back).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("Invalid code verifier"), "{page}");
    assert!(!signing.end().status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_browser_is_elsewhere_its_address_is_pasted() {
    let home = Home::new("auth-manual");
    let mut signing = home.begin(&["--manual"]);
    let back = home.consent(&signing.page, ALLOW).await;
    signing.paste(&back);
    let output = signing.end();
    assert!(output.status.success(), "{}", said(&output));
    assert!(!home.dir.join("opened").exists(), "no browser is opened here");
    // A code is used once.
    let mut signing = home.begin(&["--manual"]);
    let state = parameter(&signing.page, "state").unwrap();
    let code = parameter(&back, "code").unwrap();
    signing.paste(&format!("http://127.0.0.1:42813/?state={state}&code={code}"));
    let output = signing.end();
    assert!(!output.status.success() && said(&output)["message"].as_str().unwrap().contains("Malformed auth code"));
    for pasted in ["", "4/abc", "http://127.0.0.1:42813/?code=4/abc&state=other"] {
        let mut signing = home.begin(&["--manual"]);
        signing.paste(pasted);
        let output = signing.end();
        let answer = said(&output);
        assert!(
            !output.status.success() && answer["suggestion"].as_str().unwrap().contains("whole address"),
            "{answer}"
        );
    }
}

#[test]
fn a_client_that_is_none_is_told() {
    let home = Home::new("auth-client");
    let file = home.dir.join("other.json");
    for (text, expected) in [
        (r#"{"web":{"client_id":"c","client_secret":"hush"}}"#, "Web application"),
        (r#"{"type":"service_account","private_key":"hush"}"#, "service account"),
        ("hush", "no JSON"),
    ] {
        fs::write(&file, text).unwrap();
        let (done, answer) = home.cli(&["auth", "add", "--client", file.to_str().unwrap()]);
        let message = answer["message"].as_str().unwrap();
        assert!(!done && message.contains(expected) && !message.contains("hush"), "{answer}");
        assert!(answer["suggestion"].as_str().unwrap().contains("Desktop app"), "{answer}");
    }
    let (done, answer) = home.cli(&["auth", "add"]);
    assert!(!done && answer["suggestion"].as_str().unwrap().contains("help google-setup"), "{answer}");
    // A program of that name stands in for Google's.
    let program = home.dir.join("gcloud");
    fs::write(&program, "#!/bin/sh\necho \"$@\" > \"$0.asked\"\nexit 3\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let (done, answer) = home.cli(&["auth", "add", "--client", "gcp-secret:my-project/oauth"]);
    assert!(
        !done && answer["suggestion"].as_str().unwrap().contains("--secret=oauth --project=my-project"),
        "{answer}"
    );
    let asked = fs::read_to_string(home.dir.join("gcloud.asked")).unwrap();
    assert_eq!(asked.trim(), "secrets versions access latest --secret=oauth --project=my-project --quiet");
    for scopes in ["gmail.modify", "drive.readonly"] {
        let (done, answer) = home.cli(&["auth", "add", "--client", home.client.to_str().unwrap(), "--scopes", scopes]);
        assert!(!done && answer["kind"] == "invalid_input", "{answer}");
    }
    let (done, answer) = home.cli(&["auth", "remove", "nobody@example.com"]);
    assert!(!done && answer["suggestion"].as_str().unwrap().contains("auth list"), "{answer}");
}
