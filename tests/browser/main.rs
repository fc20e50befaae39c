//! A real Chromium against a small site of this machine. Where there is no Chromium a test says `SKIPPED` and ends.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "a test that was skipped says so, and what was measured is shown")]

mod notebooks;
mod server;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcp_workspace::browser::{Attach, Browser, Error, Fetch, Keeper, Launch, Page, Profile, find, has_display};
use rustix::process::{Pid, Signal};
use server::{LARGE_BYTES, Server, TEXT};

const LONG: Duration = Duration::from_secs(60);

/// One browser at a time: several would make each other slow.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Names the variable that tells the process of a test that it is to own a browser.
const OWNED: &str = "TEST_BROWSER_PROFILE";

fn launch(home: &Path) -> Option<Launch> {
    match find::find(None) {
        Ok(program) => {
            let mut launch = Launch::headless(program, Profile::at(home.join("profile")));
            // Nothing but this machine is asked for.
            launch.extra = vec!["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE 127.0.0.1".into()];
            launch.claim_within = Duration::ZERO;
            Some(launch)
        }
        Err(error) => {
            println!("SKIPPED {error}");
            None
        }
    }
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Does something, and shows how long it took.
async fn timed<T>(what: &str, doing: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = doing.await;
    println!("{what}: {} ms", begun.elapsed().as_millis());
    done
}

/// Reads a field of `/proc/<pid>/stat` that stands behind the program's name, from the state on.
fn stat(pid: u32, field: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(field).map(str::to_owned)
}

/// The processes of a browser's group that run.
fn group(leader: u32) -> Vec<u32> {
    let pids =
        std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| stat(*pid, 2) == Some(leader.to_string()) && stat(*pid, 0).is_some_and(|state| state != "Z"))
        .collect()
}

fn signal(pid: u32, signal: Signal) {
    rustix::process::kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

/// The ports on which the processes of a browser listen.
fn listening(leader: u32) -> Vec<String> {
    let sockets: Vec<_> = group(leader)
        .iter()
        .flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten())
        .filter_map(|fd| Some(std::fs::read_link(fd.path()).ok()?.to_str()?.strip_prefix("socket:[")?.replace(']', "")))
        .collect();
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let rows = tables
        .iter()
        .flat_map(|table| table.lines().skip(1))
        .map(|row| row.split_ascii_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row[3] == "0A" && sockets.iter().any(|socket| socket == row[9]))
        .map(|row| row[1].to_owned())
        .collect()
}

/// The memory of a browser in MiB, what is shared counted in parts.
fn memory_mib(leader: u32) -> usize {
    let pss = |pid: &u32| {
        let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
        rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim().trim_end_matches(" kB").parse::<usize>().ok()
    };
    group(leader).iter().filter_map(pss).sum::<usize>() / 1024
}

#[tokio::test]
async fn a_page_goes_places_and_runs_scripts() {
    let _one = ONE.lock().await;
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let Some(launch) = launch(home.path()) else { return };
    let browser = timed("start of a new profile", launch.start()).await.unwrap();
    let page = timed("a page", browser.page()).await.unwrap();

    let landed = timed("navigation", page.navigate(&server.url("/?q"), LONG)).await.unwrap();
    assert_eq!((landed.url.as_str(), landed.status), (server.url("/?q").as_str(), Some(200)));
    let landed = page.navigate(&server.url("/moved"), LONG).await.unwrap();
    assert_eq!((landed.url.as_str(), landed.status), (server.url("/?end").as_str(), Some(200)));
    let landed = page.navigate(&server.url("/?end#there"), LONG).await.unwrap();
    assert_eq!((landed.url.as_str(), landed.status), (server.url("/?end#there").as_str(), None));
    assert_eq!(page.navigate(&server.url("/missing"), LONG).await.unwrap().status, Some(404));
    let refused = page.navigate(&url::Url::parse("http://app.localhost:1/").unwrap(), LONG).await.unwrap_err();
    assert!(matches!(&refused, Error::Network { outcome_unknown: false, .. }), "{refused}");
    let never = page.navigate(&server.url("/never?secret"), Duration::from_secs(1)).await.unwrap_err();
    assert!(matches!(&never, Error::TimedOut { outcome_unknown: false, .. }) && !never.to_string().contains("secret"));
    assert!(page.navigate(&url::Url::parse("file:///etc/passwd").unwrap(), LONG).await.is_err());

    page.navigate(&server.url("/"), LONG).await.unwrap();
    assert_eq!(page.evaluate("facts", LONG).await.unwrap(), serde_json::json!({"a": 1}));
    assert_eq!(page.evaluate("new Promise(done => setTimeout(done, 50, '日本 👩'))", LONG).await.unwrap(), "日本 👩");
    let arguments = [TEXT.into(), serde_json::json!({"b": ["'\"`${1}</script>\u{2028}"]})];
    let back = page.call("(a, b) => [a, b]", &arguments, LONG).await.unwrap();
    assert_eq!(back, serde_json::Value::from(arguments.to_vec()));
    let thrown = page.evaluate("null.secret", LONG).await.unwrap_err();
    assert!(matches!(&thrown, Error::Script { class } if class == "TypeError"), "{thrown}");
    let endless = page.evaluate("new Promise(() => {})", Duration::from_millis(200)).await.unwrap_err();
    assert!(matches!(endless, Error::TimedOut { outcome_unknown: true, .. }));
    // A dialog does not hold the page up.
    assert_eq!(page.evaluate("confirm('?')", LONG).await.unwrap(), false);

    let pid = browser.process_id().unwrap();
    assert_eq!(listening(pid), Vec::<String>::new(), "a browser with a pipe listens nowhere");
    println!("idle: {} MiB in {} processes, {}", memory_mib(pid), group(pid).len(), browser.version());
    timed("close", browser.close()).await;
    assert_eq!(group(pid), Vec::<u32>::new());
    let again = timed("start of a known profile", launch.start()).await.unwrap();
    timed("close", again.close()).await;
    let ended = page.evaluate("1", LONG).await.unwrap_err();
    assert!(matches!(ended, Error::Ended { .. } | Error::PageLost { .. }), "{ended}");
}

#[tokio::test]
async fn a_page_asks_servers() {
    let _one = ONE.lock().await;
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let Some(launch) = launch(home.path()) else { return };
    let browser = launch.start().await.unwrap();
    let page = browser.page().await.unwrap();
    page.navigate(&server.url("/strict"), LONG).await.unwrap();
    let get = |path: &str| Fetch::get(server.url(path));

    let answer = timed("the first fetch", page.fetch(&get("/text"))).await.unwrap();
    assert_eq!((answer.body.as_str(), answer.head.status), (TEXT, 200));
    assert_eq!(answer.head.headers["content-type"], "text/plain");
    let echo = Fetch::post(server.url("/echo"), "text/plain", TEXT.repeat(10_000));
    let answer = timed("a fetch of 350 kB there and back", page.fetch(&echo)).await.unwrap();
    assert!(answer.body == TEXT.repeat(10_000) && answer.head.headers["etag"] == "\"one\"");
    let begun = Instant::now();
    for _ in 0..20 {
        page.fetch(&get("/")).await.unwrap();
    }
    println!("a small fetch: {} ms", begun.elapsed().as_millis() / 20);
    let both = (get("/text"), get("/"));
    let (one, two) = tokio::join!(page.fetch(&both.0), page.fetch(&both.1));
    assert_eq!((one.unwrap().body.as_str(), two.unwrap().head.status), (TEXT, 200));

    let moved = page.fetch(&get("/moved")).await.unwrap().head;
    assert!(moved.redirected && moved.final_url == server.url("/?end").as_str() && moved.status == 200);
    let stopped = page.fetch(&Fetch { follow: false, ..get("/away") }).await.unwrap().head;
    assert!(stopped.redirected && stopped.status == 0);
    assert_eq!(page.fetch(&get("/missing")).await.unwrap().head.status, 404);
    check_failures(&page, &server).await;
    check_streams(&page, &server).await;
    browser.close().await;
}

async fn check_failures(page: &Page, server: &Server) {
    let get = |path: &str| Fetch::get(server.url(path));
    let away = page.fetch(&get("/away")).await.unwrap_err();
    assert!(matches!(&away, Error::Network { outcome_unknown: true, .. }), "{away}");
    let lost = Fetch::get(url::Url::parse("http://nowhere.test/secret").unwrap());
    let lost = page.fetch(&lost).await.unwrap_err();
    assert!(matches!(&lost, Error::Network { code, .. } if code == "ERR_NAME_NOT_RESOLVED"), "{lost}");
    assert!(!lost.to_string().contains("secret"));
    let all = timed("a fetch of 5 MB", page.fetch(&get("/large"))).await.unwrap();
    assert_eq!(all.body.len(), LARGE_BYTES);
    let large = page.fetch(&Fetch { limit_bytes: LARGE_BYTES - 1, ..get("/large") }).await.unwrap_err();
    assert!(matches!(large, Error::TooLarge { .. }), "{large}");
    let hung_up = server.hung_up();
    let stalled = page.fetch(&Fetch { deadline: Duration::from_secs(1), ..get("/never?1") }).await.unwrap_err();
    assert!(matches!(stalled, Error::TimedOut { outcome_unknown: true, .. }), "{stalled}");
    until("what took too long is ended in the page", || server.hung_up() > hung_up).await;
}

async fn check_streams(page: &Page, server: &Server) {
    let get = |path: &str| Fetch::get(server.url(path));
    let mut stream = page.stream(&get("/text")).await.unwrap();
    let mut text = String::new();
    while let Some(piece) = stream.next().await.unwrap() {
        text.push_str(&piece);
    }
    assert_eq!(text, TEXT);
    assert_eq!(stream.next().await.unwrap(), None);

    // Pieces come while the answer is being written, and a wait that was dropped loses none.
    let mut stream = page.stream(&get("/slow")).await.unwrap();
    let (mut text, mut waits) = (String::new(), 0);
    while text.len() < 60 {
        waits += 1;
        if let Ok(piece) = tokio::time::timeout(Duration::from_millis(30), stream.next()).await {
            text.push_str(&piece.unwrap().unwrap());
        }
    }
    assert!(text.starts_with(&"piece ".repeat(10)) && waits > 10, "{text}");
    let hung_up = server.hung_up();
    drop(stream);
    until("the server sees that a stream was dropped", || server.hung_up() > hung_up).await;

    // One that is dropped before its answer began is ended, too.
    let never = get("/never?2");
    assert!(tokio::time::timeout(Duration::from_millis(500), page.fetch(&never)).await.is_err());
    until("the server sees that a fetch was dropped", || server.hung_up() > hung_up + 1).await;

    // Going elsewhere, and a crash, end what runs.
    for crash in [false, true] {
        let never = get("/never?3");
        let (ended, ()) = tokio::join!(page.fetch(&never), async {
            until("the request arrived", || server.has_seen("GET /never?3")).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
            if crash {
                kill_renderers();
            } else {
                page.navigate(&server.url("/?elsewhere"), LONG).await.unwrap();
            }
        });
        let ended = ended.unwrap_err();
        assert!(matches!(ended, Error::PageLost { outcome_unknown: true, .. }), "{ended:?}");
        if !crash {
            assert_eq!(page.fetch(&get("/text")).await.unwrap().body, TEXT);
        }
    }
    assert!(!page.is_open());
    let lost = page.fetch(&get("/text")).await.unwrap_err();
    assert!(matches!(lost, Error::PageLost { outcome_unknown: false, .. }), "{lost:?}");
}

/// Ends the processes of pages, as a crash does.
fn kill_renderers() {
    let own = std::process::id();
    let children: Vec<u32> = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| stat(*pid, 1) == Some(own.to_string()))
        .collect();
    for pid in children.into_iter().flat_map(group) {
        let arguments = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if arguments.contains("--type=renderer") {
            signal(pid, Signal::KILL);
        }
    }
}

#[tokio::test]
async fn cookies_that_are_to_last_outlive_the_browser() {
    let _one = ONE.lock().await;
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let Some(launch) = launch(home.path()) else { return };
    for expected in ["kept=1; __Host-kept=2; gone=3", "kept=1; __Host-kept=2"] {
        let browser = launch.start().await.unwrap();
        let page = browser.page().await.unwrap();
        page.navigate(&server.url("/"), LONG).await.unwrap();
        if expected.contains("gone") {
            page.fetch(&Fetch::get(server.url("/set"))).await.unwrap();
            assert_eq!(page.evaluate("document.cookie", LONG).await.unwrap(), "__Host-kept=2; gone=3");
        }
        assert_eq!(page.fetch(&Fetch::get(server.url("/cookies"))).await.unwrap().body, expected);
        browser.close().await;
    }
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(launch.profile.root()), mode(&launch.profile.data_folder())), (0o700, 0o700));
}

#[tokio::test]
async fn a_profile_has_one_browser() {
    let _one = ONE.lock().await;
    let home = tempfile::tempdir().unwrap();
    let Some(launch) = launch(home.path()) else { return };
    let first = launch.start().await.unwrap();
    let second = launch.start().await.unwrap_err();
    assert!(matches!(&second, Error::InUse { .. }) && second.retryable(), "{second}");
    // One that is dropped is ended in the background, and who waits gets the profile.
    let pid = first.process_id().unwrap();
    drop(first);
    let patient = Launch { claim_within: LONG, ..launch };
    let next = patient.start().await.unwrap();
    assert_eq!(group(pid), Vec::<u32>::new());
    next.close().await;
}

#[tokio::test]
async fn a_program_that_is_no_browser_is_told() {
    let home = tempfile::tempdir().unwrap();
    let no_browser = Launch::headless("/bin/false".into(), Profile::at(home.path().join("profile")));
    let said = no_browser.start().await.unwrap_err();
    assert!(matches!(&said, Error::Launch { .. }), "{said:?}");
    // One that says nothing is not waited for beyond the time, and nothing of it is left.
    let silent = home.path().join("silent");
    std::fs::write(&silent, "#!/bin/sh\nexec sleep 300\n").unwrap();
    std::fs::set_permissions(&silent, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let silent = Launch { program: silent, ready_within: Duration::from_millis(300), ..no_browser };
    for _ in 0..2 {
        let said = silent.start().await.unwrap_err();
        assert!(matches!(&said, Error::TimedOut { outcome_unknown: false, .. }), "{said:?}");
    }
    assert!(!home.path().join("profile/running.json").exists());
}

#[tokio::test]
async fn a_killed_browser_is_started_anew_and_an_idle_one_closed() {
    let _one = ONE.lock().await;
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let Some(launch) = launch(home.path()) else { return };
    let keeper = Keeper::new(launch, Duration::from_secs(1));
    let page = keeper.page().await.unwrap();
    page.navigate(&server.url("/"), LONG).await.unwrap();
    let first = page.process_id().unwrap();
    let never = Fetch::get(server.url("/never"));
    let (ended, ()) = tokio::join!(page.fetch(&never), async {
        until("the request arrived", || server.has_seen("GET /never")).await;
        signal(first, Signal::KILL);
    });
    let ended = ended.unwrap_err();
    assert!(matches!(ended, Error::Ended { outcome_unknown: true, .. }), "{ended:?}");
    assert!(!keeper.is_running());
    let again = timed("start after a kill", keeper.page()).await.unwrap();
    assert_eq!(group(first), Vec::<u32>::new());
    again.navigate(&server.url("/"), LONG).await.unwrap();
    let second = again.process_id().unwrap();
    drop((page, again));
    until("it is closed when nobody uses it", || !keeper.is_running() && group(second).is_empty()).await;
    assert!(keeper.page().await.is_ok());
    keeper.close().await;
    assert!(!keeper.is_running());
}

/// Not a test of its own: what the next one starts and kills.
#[tokio::test]
#[ignore = "it is run by another test"]
async fn owner() {
    let Some(home) = std::env::var_os(OWNED) else { return };
    let browser = launch(Path::new(&home)).unwrap().start().await.unwrap();
    println!("\nowned {}", browser.process_id().unwrap());
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_killed_owner_leaves_no_orphan() {
    let _one = ONE.lock().await;
    let home = tempfile::tempdir().unwrap();
    let Some(launch) = launch(home.path()) else { return };
    // One that can ends when its pipe breaks; one that hangs is ended by the next start.
    for hangs in [false, true] {
        let mut owner = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "owner", "--ignored", "--nocapture"])
            .env(OWNED, home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        let owned =
            lines.map_while(Result::ok).find_map(|line| line.strip_prefix("owned ")?.parse::<u32>().ok()).unwrap();
        if hangs {
            signal(owned, Signal::STOP);
        }
        owner.kill().unwrap();
        owner.wait().unwrap();
        if hangs {
            // The system lets a stopped group go on when its owner dies. It may have ended by itself by now.
            let stopped =
                rustix::process::kill_process(Pid::from_raw(owned.try_into().unwrap()).unwrap(), Signal::STOP);
            println!("stopped once more: {stopped:?}");
        }
        let browser = timed("start after the owner was killed", launch.start()).await.unwrap();
        assert_ne!(browser.process_id(), Some(owned));
        until("nothing of the old one is left", || group(owned).is_empty()).await;
        browser.close().await;
    }
}

#[tokio::test]
async fn a_window_is_its_persons_alone() {
    let _one = ONE.lock().await;
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let Some(launch) = launch(home.path()) else { return };
    if !has_display() {
        println!("SKIPPED there is no display; `xvfb-run cargo test` has one");
        return;
    }
    let window = launch.open_window(&server.url("/telling")).await.unwrap();
    let pid = window.process_id().unwrap();
    until("the page has told", || server.has_seen("GET /told")).await;
    assert!(server.has_seen("GET /told?false"), "nothing steers it");
    assert_eq!(listening(pid), Vec::<String>::new());
    assert!(!window.closed(Duration::from_millis(300)).await.unwrap());
    assert!(matches!(launch.start().await, Err(Error::InUse { .. })));
    signal(pid, Signal::TERM);
    assert!(window.closed(LONG).await.unwrap());
    window.close().await;
    assert_eq!(group(pid), Vec::<u32>::new());

    // One that is steered can be seen, too, and its pages know that it is.
    let visible = Launch { visible: true, ..launch };
    let browser = visible.start().await.unwrap();
    let page = browser.page().await.unwrap();
    page.navigate(&server.url("/"), LONG).await.unwrap();
    assert_eq!(page.evaluate("navigator.webdriver", LONG).await.unwrap(), true);
    assert_eq!(listening(browser.process_id().unwrap()), Vec::<String>::new());
    browser.close().await;
}

#[tokio::test]
async fn a_browser_that_runs_already_is_attached_to_and_left_running() {
    let _one = ONE.lock().await;
    let (home, server) = (tempfile::tempdir().unwrap(), Server::start());
    let Some(launch) = launch(home.path()) else { return };
    let mut command = Command::new(&launch.program);
    command.args(["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--password-store=basic"]);
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    let data = home.path().join("data");
    command.arg(format!("--user-data-dir={}", data.display())).args(&launch.extra).arg("about:blank");
    let mut theirs = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let told = data.join("DevToolsActivePort");
    until("it says where it listens", || std::fs::read_to_string(&told).is_ok_and(|told| told.lines().count() == 2))
        .await;
    let told = std::fs::read_to_string(&told).unwrap();
    let (port, path) = told.split_once('\n').unwrap();

    let address = Attach::parse(&format!("ws://127.0.0.1:{port}{path}")).unwrap();
    let browser = Browser::attach(&address).await.unwrap();
    let page = browser.page().await.unwrap();
    page.navigate(&server.url("/"), LONG).await.unwrap();
    assert_eq!(page.fetch(&Fetch::get(server.url("/text"))).await.unwrap().body, TEXT);
    browser.close().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(theirs.try_wait().unwrap().is_none(), "it runs on");
    let wrong = Attach::parse(&format!("ws://127.0.0.1:{port}/devtools/browser/wrong")).unwrap();
    assert!(matches!(Browser::attach(&wrong).await, Err(Error::Ended { .. })));
    signal(theirs.id(), Signal::TERM);
    theirs.wait().unwrap();
}
