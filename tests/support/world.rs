//! The real binary on a home of its own: the embedded Google and the daemon as two processes, so that each can be
//! killed alone.

use std::fmt::Debug;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The bearer of the demo account.
pub(crate) const TOKEN: &str = "walk-token";

/// Longer than any walk takes on a busy machine, and than it takes until a save is found that went into a file which had just been
/// replaced.
const PATIENCE: Duration = Duration::from_secs(100);

/// Homes made by this process.
static WORLDS: AtomicU32 = AtomicU32::new(0);

/// A home with the embedded Google beside it.
pub(crate) struct World {
    pub(crate) home: PathBuf,
    pub(crate) base: String,
    listen: String,
    emulator: Option<Child>,
    daemon: Option<Child>,
    http: reqwest::Client,
}

impl World {
    /// Makes a home seeded with the documents of the demo. It lies below `target`, since editors save differently in
    /// the system's temporary folder.
    pub(crate) fn new(name: &str) -> Self {
        // The tests of a binary run side by side in one process, and two of them may choose the same name.
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("target/worlds")
            .join(format!("{name}-{}-{number}", std::process::id()));
        if home.exists() {
            std::fs::remove_dir_all(&home).unwrap();
        }
        std::fs::create_dir_all(&home).unwrap();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = free.local_addr().unwrap().to_string();
        drop(free);
        let mut world =
            Self { base: format!("http://{listen}"), home, listen, emulator: None, daemon: None, http: client() };
        // The demo makes the home and signs in; then its two halves run apart.
        let listen = world.listen.clone();
        let mut demo = world.spawn(&["demo", "--listen", &listen, "--token", TOKEN], &[]);
        wait_for_line(&mut demo, "ready");
        demo.kill().unwrap();
        demo.wait().unwrap();
        world.start_emulator();
        world
    }

    fn spawn(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
            .args(arguments)
            .arg("--home")
            .arg(&self.home)
            .env("MCP_WORKSPACE_LOG", "debug,hyper=warn,reqwest=warn")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::options().create(true).append(true).open(self.log()).unwrap())
            .spawn()
            .unwrap()
    }

    fn start_emulator(&mut self) {
        let listen = self.listen.clone();
        let state = self.home.join("state/emulator");
        let mut emulator =
            self.spawn(&["emulator", "--listen", &listen, "--token", TOKEN, "--state", state.to_str().unwrap()], &[]);
        wait_for_line(&mut emulator, "ready");
        self.emulator = Some(emulator);
    }

    /// Starts the daemon, with a crash point when `environment` names one, and waits until it answers or died.
    pub(crate) fn start_daemon(&mut self, environment: &[(&str, &str)]) {
        assert!(self.daemon.is_none());
        self.daemon = Some(self.spawn(&["daemon"], environment));
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.daemon_died() || self.cli(&["status"]).0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the daemon does not answer; see {}", self.log().display());
    }

    /// Tells whether the daemon has ended by itself.
    pub(crate) fn daemon_died(&mut self) -> bool {
        if self.daemon.as_mut().is_some_and(|daemon| daemon.try_wait().unwrap().is_some()) {
            self.daemon = None;
        }
        self.daemon.is_none()
    }

    /// Kills the daemon with SIGKILL.
    pub(crate) fn kill_daemon(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill().unwrap();
            daemon.wait().unwrap();
        }
    }

    /// What the processes log.
    pub(crate) fn log(&self) -> PathBuf {
        self.home.join("stderr.log")
    }

    /// Process id of the daemon.
    pub(crate) fn daemon_id(&self) -> u32 {
        self.daemon.as_ref().unwrap().id()
    }

    /// Stops the embedded Google, as a lost network does.
    pub(crate) fn stop_emulator(&mut self) {
        if let Some(mut emulator) = self.emulator.take() {
            emulator.kill().unwrap();
            emulator.wait().unwrap();
        }
    }

    /// Starts the embedded Google again on its old state.
    pub(crate) fn restart_emulator(&mut self) {
        self.stop_emulator();
        self.start_emulator();
    }

    /// Runs a command line with `--json`; returns whether it succeeded, and what it printed.
    pub(crate) fn cli(&self, arguments: &[&str]) -> (bool, Value) {
        let output = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
            .args(arguments)
            .args(["--json", "--home"])
            .arg(&self.home)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.success(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The file of a document that is mirrored.
    pub(crate) fn file(&self, id: &str) -> PathBuf {
        let (done, answer) = self.cli(&["fetch", id]);
        assert!(done, "{answer}");
        PathBuf::from(answer["path"].as_str().unwrap())
    }

    /// The ids of all documents by title.
    pub(crate) async fn documents(&self) -> Vec<(String, String)> {
        let answer = self.get("/drive/v3/files?pageSize=1000&fields=files(id,name)").await;
        let files = answer["files"].as_array().unwrap().iter();
        files.map(|file| (file["name"].as_str().unwrap().to_owned(), file["id"].as_str().unwrap().to_owned())).collect()
    }

    /// A GET of the embedded Google.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.base)).bearer_auth(TOKEN);
        serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap()
    }

    /// A POST to the embedded Google, which must succeed.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.base)).bearer_auth(TOKEN).json(body);
        let response = request.send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// A PUT to the embedded Google, which must succeed.
    pub(crate) async fn put(&self, path: &str, body: &Value) {
        let request = self.http.put(format!("{}{path}", self.base)).bearer_auth(TOKEN).json(body);
        assert!(request.send().await.unwrap().status().is_success(), "{path}");
    }

    /// A DELETE of the embedded Google, which must succeed.
    pub(crate) async fn delete(&self, path: &str) {
        let request = self.http.delete(format!("{}{path}", self.base)).bearer_auth(TOKEN);
        assert!(request.send().await.unwrap().status().is_success(), "{path}");
    }

    /// The whole text of a document's first tab, table cells included.
    pub(crate) async fn text(&self, id: &str) -> String {
        fn gather(value: &Value, text: &mut String) {
            match value {
                Value::Object(map) => {
                    if let Some(content) = map.get("textRun").and_then(|run| run["content"].as_str()) {
                        text.push_str(content);
                    }
                    map.values().for_each(|value| gather(value, text));
                }
                Value::Array(list) => list.iter().for_each(|value| gather(value, text)),
                _ => {}
            }
        }
        let document = self.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
        let mut text = String::new();
        gather(&document["tabs"][0]["documentTab"]["body"], &mut text);
        text
    }

    /// The batches that were answered with success, oldest first.
    pub(crate) async fn pushes(&self) -> Vec<Value> {
        let log = self.get("/admin/requests").await;
        let log = log.as_array().unwrap().iter();
        log.filter(|entry| entry["path"].as_str().unwrap().contains(":batchUpdate") && entry["status"] == 200)
            .cloned()
            .collect()
    }

    /// Types `new` over `old` as somebody else would.
    pub(crate) async fn collaborate(&self, id: &str, old: &str, new: &str) {
        let document = self.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
        let (start, end) = find(&document["tabs"][0]["documentTab"]["body"]["content"], old).unwrap();
        let mut requests = vec![json!({"deleteContentRange": {"range": {"startIndex": start, "endIndex": end}}})];
        if !new.is_empty() {
            requests.insert(0, json!({"insertText": {"location": {"index": end}, "text": new}}));
        }
        self.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": requests })).await;
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for child in [self.daemon.take(), self.emulator.take()].into_iter().flatten() {
            let mut child = child;
            if child.kill().is_ok() {
                drop(child.wait());
            }
        }
        if !std::thread::panicking() {
            drop(std::fs::remove_dir_all(&self.home));
        }
    }
}

fn find(content: &Value, wanted: &str) -> Option<(u64, u64)> {
    match content {
        Value::Object(map) => {
            if let Some(text) = map.get("textRun").and_then(|run| run["content"].as_str())
                && let Some(at) = text.find(wanted)
            {
                let before = text.get(..at).unwrap().encode_utf16().count() as u64;
                let start = map.get("startIndex").and_then(Value::as_u64).unwrap_or(0) + before;
                return Some((start, start + wanted.encode_utf16().count() as u64));
            }
            map.values().find_map(|value| find(value, wanted))
        }
        Value::Array(list) => list.iter().find_map(|value| find(value, wanted)),
        _ => None,
    }
}

/// Waits until a program prints a line; fails when it ends or is silent for too long.
fn wait_for_line(child: &mut Child, wanted: &str) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let stdout = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            drop(sender.send(line));
        }
    });
    let start = Instant::now();
    let mut seen = Vec::new();
    while start.elapsed() < PATIENCE {
        match receiver.recv_timeout(PATIENCE) {
            Ok(line) if line == wanted => return,
            Ok(line) => seen.push(line),
            Err(_) => break,
        }
    }
    panic!("the program never printed `{wanted}`, but {seen:?}");
}

/// Waits until `holds`, looking again and again.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came true: {what}");
}

/// Waits until something is as it is wanted, and says what it was last where it never became so.
pub(crate) async fn until_is<T: PartialEq + Debug>(wanted: T, look: impl Fn() -> T) {
    let start = Instant::now();
    while look() != wanted && start.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(look(), wanted);
}

/// Replaces a word in a file in place: truncated and written in one go.
pub(crate) fn edit_in_place(file: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    // Ids are drawn, and any short word may stand in one.
    let body = text.find("\n---\n").filter(|at| text.split_at(*at).1.contains(old)).unwrap_or(0);
    let (head, body) = text.split_at(body);
    assert!(body.contains(old), "{old:?} is not in {text:?}");
    std::fs::write(file, format!("{head}{}", body.replacen(old, new, 1))).unwrap();
}

fn client() -> reqwest::Client {
    // The second test of a process finds the provider installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::new()
}
