//! `bridge` and `serve --stdio` as clients start them: processes, pipes, signals.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]
#![cfg(target_os = "linux")] // the daemon's pid is looked up through its socket

#[path = "support/dice.rs"]
mod dice;
#[path = "support/frames.rs"]
mod frames;
#[path = "bridge/fuzz.rs"]
mod fuzz;
#[path = "bridge/streams.rs"]
mod streams;
mod support;
#[path = "bridge/upgrade.rs"]
mod upgrade;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use support::mcp::{Client, PROGRAM, WAIT, ended, memory, reader};

fn home() -> tempfile::TempDir {
    // A socket's path must be short, and the workspace watched: not the system's temporary folder.
    tempfile::Builder::new().prefix("b").tempdir_in("/var/tmp").expect("a folder")
}

fn stdio(home: &Path) -> Client {
    Client::start(Path::new(PROGRAM), home, &["serve", "--stdio"])
}

/// Who answers on the control socket; the connection stays open, which tells when that one has ended.
fn daemon(home: &Path) -> Option<(Pid, UnixStream)> {
    let stream = UnixStream::connect(home.join("run/control.sock")).ok()?;
    let pid = rustix::net::sockopt::socket_peercred(&stream).ok()?.pid;
    Some((pid, stream))
}

/// The daemon of a home, killed when dropped, so that none outlives its test.
struct Cleanup<'a>(&'a Path);

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(5);
        // Another one may be on its way.
        while Instant::now() < deadline {
            match daemon(self.0) {
                Some(_) => drop(kill(self.0)),
                None => return,
            }
        }
    }
}

/// Kills the daemon of a home, waits until it is gone, and returns its pid.
fn kill(home: &Path) -> Pid {
    end(home, Signal::KILL)
}

/// Ends the daemon of a home with a signal, waits until it is gone, and returns its pid.
fn end(home: &Path, signal: Signal) -> Pid {
    let (pid, mut stream) = daemon(home).expect("a daemon");
    kill_process(pid, signal).expect("it runs");
    // The end of its side is nearly its end; a child of ours that has ended is still there, as a zombie.
    drop(stream.read(&mut [0]));
    let begun = Instant::now();
    let stat = format!("/proc/{}/stat", pid.as_raw_nonzero());
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z")) {
        assert!(begun.elapsed() < WAIT, "it does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
    pid
}

#[test]
fn bridges_that_start_together_start_one_daemon() {
    let home = home();
    let _cleanup = Cleanup(home.path());
    let mut bridges: Vec<Client> = (0..4).map(|_| Client::bridge(home.path())).collect();
    for bridge in &mut bridges {
        assert!(bridge.greet()["result"]["serverInfo"]["name"] == "mcp-workspace");
        assert_eq!(bridge.tools(), ["create", "fetch", "search"]);
    }
    let log = fs::read_to_string(home.path().join("run/daemon.log")).expect("the log");
    assert!(!log.contains("another daemon"), "{log}");
    let (pid, _) = daemon(home.path()).expect("a daemon");
    for bridge in &mut bridges {
        let (status, left) = bridge.leave();
        assert!(status.success() && left.is_empty(), "{status} {left:?}");
    }
    assert_eq!(daemon(home.path()).expect("it outlives its bridges").0, pid);
}

#[test]
fn a_killed_daemon_is_replaced_within_a_moment() {
    let home = home();
    let _cleanup = Cleanup(home.path());
    // An upgrade puts another file at the path of the program.
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let program = folder.path().join("mcp-workspace");
    fs::copy(PROGRAM, &program).expect("a program");
    let mut bridge = Client::start(&program, home.path(), &["bridge"]);
    bridge.greet();
    let mut slowest = Duration::ZERO;
    for round in 0..5 {
        if round == 2 {
            let newer = folder.path().join("newer");
            fs::copy(PROGRAM, &newer).expect("a program");
            fs::rename(&newer, &program).expect("an upgrade");
        }
        let killed = kill(home.path());
        let begun = Instant::now();
        assert_eq!(bridge.tools(), ["create", "fetch", "search"]);
        slowest = slowest.max(begun.elapsed());
        assert_ne!(daemon(home.path()).expect("a new daemon").0, killed);
    }
    println!("after a kill the client was served again within {} ms", slowest.as_millis());
    // A second is the promise; a machine that is busy with other tests gets more.
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

/// A service manager starts the daemon again; the bridge leaves that to it, and two never meet.
#[test]
fn a_daemon_that_comes_back_by_itself_is_joined() {
    let home = home();
    let _cleanup = Cleanup(home.path());
    let mut bridge = Client::bridge(home.path());
    bridge.greet();
    kill(home.path());
    let mut again = Client::start(Path::new(PROGRAM), home.path(), &["daemon"]);
    let begun = Instant::now();
    assert_eq!(bridge.tools(), ["create", "fetch", "search"]);
    println!("a daemon that came back was joined within {} ms", begun.elapsed().as_millis());
    // Whose daemon won does not matter on a busy machine, but it must be one, and the other must have ended.
    let (pid, _) = daemon(home.path()).expect("a daemon");
    if pid != Pid::from_child(&again.child) {
        assert!(!ended(&mut again.child).success());
    }
}

#[test]
fn a_daemon_that_cannot_start_is_explained_at_once() {
    let home = home();
    fs::create_dir_all(home.path().join("config")).expect("a folder");
    fs::write(home.path().join("config/config.toml"), "poll_ms = 7\nnonsense = 1\n").expect("a file");
    for arguments in [&["bridge"][..], &["serve", "--stdio"]] {
        let mut client = Client::start(Path::new(PROGRAM), home.path(), arguments);
        let begun = Instant::now();
        let answer = client.greet();
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(message.contains("line 2") && message.contains("Correct "), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
        // Once that is mended, a bridge works without being started again.
        if arguments == ["bridge"] {
            fs::write(home.path().join("config/config.toml"), "poll_ms = 7\n").expect("a file");
            let _cleanup = Cleanup(home.path());
            assert!(client.greet()["result"].is_object());
            fs::write(home.path().join("config/config.toml"), "poll_ms = 7\nnonsense = 1\n").expect("a file");
        }
        let (status, left) = client.leave();
        assert_eq!((status.success(), left.as_slice()), (arguments == ["bridge"], &[][..]));
    }
}

#[test]
fn stdout_carries_mcp_alone() {
    let home = home();
    for arguments in [
        &["--json", "bridge", "--nonsense"][..],
        &["bridge", "--json", "--profile", "nonsense"],
        &["serve", "--json"],
        &["--json", "serve", "--stdio", "--profile", "x"],
    ] {
        let mut client = Client::start(Path::new(PROGRAM), home.path(), arguments);
        let (status, left) = client.leave();
        assert_eq!((status.code(), left.as_slice()), (Some(2), &[][..]), "{arguments:?}");
        client.said("error: ");
    }
    let long = home.path().join("x".repeat(120));
    for arguments in [&["bridge", "--json"][..], &["serve", "--stdio", "--json"]] {
        let mut client = Client::start(Path::new(PROGRAM), &long, arguments);
        let answer = client.greet();
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("shorter")), "{answer}");
        let (status, left) = client.leave();
        assert_eq!((status.code(), left.as_slice()), (Some(1), &[][..]), "{arguments:?}");
        client.said("error: ");
    }
}

#[test]
fn one_process_serves_and_ends_with_its_client() {
    let home = home();
    let mut client = stdio(home.path());
    client.greet();
    assert_eq!(client.tools(), ["create", "fetch", "search"]);
    let (pid, _) = daemon(home.path()).expect("the command line can ask it");
    assert_eq!(pid, Pid::from_child(&client.child), "it is the daemon itself");
    let (status, left) = client.leave();
    assert!(status.success() && left.is_empty(), "{status} {left:?}");
    assert!(daemon(home.path()).is_none());
    assert!(!home.path().join("run/mcp.sock").exists());

    let mut docs = Client::start(Path::new(PROGRAM), home.path(), &["serve", "--stdio", "--profile", "docs"]);
    docs.greet();
    assert!(docs.tools().contains(&"import_section".to_owned()));
    kill_process(Pid::from_child(&docs.child), Signal::TERM).expect("it runs");
    assert_eq!(ended(&mut docs.child).code(), Some(0), "a signal is a good end");
    assert!(daemon(home.path()).is_none());
    assert!(docs.leave().1.is_empty(), "nothing but answers");
}

#[test]
fn a_second_process_joins_the_first_and_takes_its_place() {
    let home = home();
    let mut first = stdio(home.path());
    first.greet();
    let mut second = stdio(home.path());
    second.greet();
    second.said("joined it");
    assert_eq!(second.tools(), ["create", "fetch", "search"]);
    assert_eq!(daemon(home.path()).expect("a daemon").0, Pid::from_child(&first.child));
    assert!(first.leave().0.success());
    assert_eq!(second.tools(), ["create", "fetch", "search"]);
    second.said("serving by myself");
    assert_eq!(daemon(home.path()).expect("a daemon").0, Pid::from_child(&second.child));

    // What joined leaves the daemon alone when it ends, by its client or by a signal.
    let mut third = stdio(home.path());
    third.greet();
    third.said("joined it");
    assert!(third.leave().0.success());
    let mut fourth = stdio(home.path());
    fourth.greet();
    kill_process(Pid::from_child(&fourth.child), Signal::TERM).expect("it runs");
    assert_eq!(ended(&mut fourth.child).code(), Some(0));
    assert_eq!(daemon(home.path()).expect("a daemon").0, Pid::from_child(&second.child));
    assert!(second.leave().0.success());
}

/// Two homes with one state would be two daemons on one database.
#[test]
fn a_state_has_one_daemon_wherever_its_sockets_are() {
    let home = home();
    let runtime = |name: &str| {
        let dir = home.path().join(name);
        fs::create_dir(&dir).expect("a folder");
        let mut command = Command::new(PROGRAM);
        command.arg("daemon").env("HOME", home.path()).env("XDG_RUNTIME_DIR", &dir).env_remove("MCP_WORKSPACE_HOME");
        for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        (dir, command)
    };
    let (dir, mut command) = runtime("r1");
    let mut one = command.spawn().expect("it starts");
    let deadline = Instant::now() + WAIT;
    while UnixStream::connect(dir.join("mcp-workspace/docs.sock")).is_err() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (_, mut command) = runtime("r2");
    let other = command.output().expect("it ends");
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    one.kill().and_then(|()| one.wait()).expect("it ran");
    assert_eq!(other.status.code(), Some(1));
    assert!(said.contains(&dir.join("mcp-workspace").display().to_string()), "it says where the other is: {said}");
}

/// Two daemons in one workspace would take each other's files for a person's.
#[test]
fn a_workspace_has_one_daemon_whatever_its_home() {
    let (home, other) = (home(), home());
    let _cleanup = Cleanup(home.path());
    let mut bridge = Client::bridge(home.path());
    bridge.greet();
    let workspace = home.path().join("workspace");
    fs::create_dir_all(other.path().join("config")).expect("a folder");
    let config = format!("workspace = '{}'\n", workspace.display());
    fs::write(other.path().join("config/config.toml"), config).expect("a file");
    let second = || {
        let mut command = Command::new(PROGRAM);
        command.arg("--home").arg(other.path()).arg("daemon").stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let refused = second().wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1));
    assert!(said.contains("already serves") && said.contains(&workspace.display().to_string()), "{said}");
    // It is for the living: one that was killed leaves nothing behind.
    assert!(bridge.leave().0.success());
    kill(home.path());
    let mut second = second();
    let deadline = Instant::now() + WAIT;
    let answers = || UnixStream::connect(other.path().join("run/docs.sock")).is_ok();
    while !answers() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let is_served = answers();
    second.kill().and_then(|()| second.wait()).expect("it ran");
    assert!(is_served, "the other home has the workspace now");
}

/// What was asked before stdin ended is answered, though it takes a while.
#[test]
fn what_is_at_work_is_finished_when_stdin_ends() {
    let home = home();
    let mut google = Command::new(PROGRAM)
        .args(["emulator", "--listen", "127.0.0.1:0", "--token", "t", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let lines = reader(google.stdout.take().expect("a pipe"));
    let told: Value = serde_json::from_str(&lines.recv_timeout(WAIT).expect("a line")).expect("JSON");
    let url = told["url"].as_str().expect("a URL");
    fs::create_dir_all(home.path().join("config")).expect("a folder");
    let config = format!(
        "[[accounts]]\nemail = 'demo@example.com'\nbearer = 't'\n[endpoints]\ndocs = '{url}'\ndrive = '{url}'\ntoken = '{url}'\n"
    );
    fs::write(home.path().join("config/config.toml"), config).expect("a file");
    let mut client = stdio(home.path());
    client.greet();
    let arguments = json!({ "title": "Last words", "content": "# Said in time\n" });
    let params = json!({ "name": "create", "arguments": arguments });
    client.send(&json!({ "jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": params }));
    let (status, left) = client.leave();
    google.kill().and_then(|()| google.wait()).expect("it ran");
    assert!(status.success(), "{status}");
    let answer: Value = serde_json::from_str(left.last().expect("an answer")).expect("JSON");
    assert_eq!(answer["id"], "w");
    let path = answer["result"]["structuredContent"]["path"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(fs::read_to_string(path).expect("the file").contains("Said in time"));
}

#[test]
fn a_line_that_nobody_can_read_gets_an_answer() {
    let home = home();
    let mut client = Client::bridge(home.path());
    for (line, id) in
        [("{bad json", Value::Null), (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud83d"}}"#, json!(7))]
    {
        client.write(format!("{line}\n").as_bytes());
        let answer = client.next();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &id), "{answer}");
    }
}

/// The id of a request stands behind what is long in it; what was passed over is not kept.
#[test]
fn a_line_that_is_far_too_long_gets_an_answer_and_costs_little() {
    let home = home();
    let _cleanup = Cleanup(home.path());
    let mut client = Client::bridge(home.path());
    client.greet();
    client.write(br#"{"method":"tools/call","params":{"name":"create","arguments":{"title":""#);
    let chunk = vec![b'x'; 1 << 16];
    for _ in 0..(200 << 20) / chunk.len() {
        client.write(&chunk);
    }
    client.write(b"\"}},\"jsonrpc\":\"2.0\",\"id\":\"huge\"}\n");
    let answer = client.next();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!("huge")), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("16 MiB"), "{answer}");
    assert_eq!(client.tools(), ["create", "fetch", "search"]);
    let peak = memory(client.child.id(), "VmHWM").expect("there is /proc");
    println!("a line of 200 MiB cost the bridge {peak:.0} MiB at most");
    assert!(peak < 100.0, "{peak} MiB");
    assert!(client.leave().0.success());
}

#[test]
fn a_client_that_hears_nothing_any_more_has_left() {
    for arguments in [&["bridge"][..], &["serve", "--stdio"]] {
        let home = home();
        let _cleanup = Cleanup(home.path());
        let mut child = Command::new(PROGRAM)
            .arg("--home")
            .arg(home.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {} });
        writeln!(input, "{ask}").expect("it reads");
        output.read_line(&mut String::new()).expect("an answer");
        drop(output);
        writeln!(input, "{ask}").expect("it reads");
        // Stdin stays open: the end of stdout is enough.
        let status = ended(&mut child);
        let mut errors = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("UTF-8");
        assert!(status.success() && errors.is_empty(), "{arguments:?}: {status} {errors}");
        drop(input);
    }
}
