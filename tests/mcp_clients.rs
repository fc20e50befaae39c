//! Clients that mean harm, or do not know better, on the daemon's own sockets: its memory stays small, the others go
//! on, and another user is not let in. With the real binary and the embedded Google.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "support/dice.rs"]
mod dice;
#[path = "support/frames.rs"]
mod frames;
#[path = "mcp_clients/hostile.rs"]
mod hostile;
mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use frames::Era;
use hostile::{Act, Peer};
use serde_json::json;
use support::mcp::{document, memory};

/// The most memory of the daemon, as built for tests, at any time.
const MEMORY_MAX_MIB: f64 = 200.0;
/// The longest that anybody else's call may take meanwhile, on a busy machine.
const CALL_MAX: Duration = Duration::from_secs(5);
/// The connections of the crowd.
const CROWD: usize = 1000;

/// Calls on and on as a client should, until it is told to stop; returns how often, and the longest call.
fn go_on(socket: &Path, id: &str, era: Era, stop: &AtomicBool) -> (usize, Duration) {
    let mut client = Peer::connect(socket);
    client.begin(era);
    let (mut calls, mut longest) = (0, Duration::ZERO);
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        let answer = client.ask("tools/call", &json!({ "name": "fetch", "arguments": { "id": id } }), era);
        longest = longest.max(start.elapsed());
        let fetched = &answer["result"]["structuredContent"];
        assert_eq!((&fetched["id"], &fetched["title"]), (&json!(id), &json!("Ana's plan")), "{answer}");
        calls += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    (calls, longest)
}

/// Asks for as many open files as the crowd needs; returns how many there may be.
fn descriptors() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|now| now < 4096)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(4096), maximum: limit.maximum })
    {
        println!("no more files may be opened: {error}");
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Ends those who go on when the test fails, which would wait for them else.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn hostile_clients_harm_nobody() {
    let descriptors = descriptors();
    let (mut world, id) = document("hostile", "# One\n\nAlpha.\n\n# Two\n\nBeta.\n");
    // A log of every request would be most of what is measured.
    world.kill_daemon();
    world.start_daemon(&[("MCP_WORKSPACE_LOG", "warn,rmcp=error")]);
    let socket = world.home.join("run/mcp.sock");
    let before = memory(world.daemon_id(), "VmRSS");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let good: Vec<_> = [Era::Legacy, Era::Modern]
            .into_iter()
            .map(|era| {
                scope.spawn({
                    let (socket, id, stop) = (&socket, &id, &stop);
                    move || go_on(socket, id, era, stop)
                })
            })
            .collect();
        let size = if descriptors > CROWD as u64 + 100 {
            CROWD
        } else {
            println!("SKIPPED a crowd of {CROWD}: this process may open {descriptors} files");
            100
        };
        let mut crowd = hostile::crowd(&socket, size);
        // Somebody who comes after the crowd is let in.
        let mut late = Peer::connect(&socket);
        late.begin(Era::Legacy);
        println!("{size} connections: {:?} MiB", memory(world.daemon_id(), "VmRSS"));
        let acts: Vec<_> = Act::ALL
            .into_iter()
            .map(|act| {
                scope.spawn({
                    let socket = &socket;
                    move || {
                        let start = Instant::now();
                        act.run(socket);
                        (act, start.elapsed())
                    }
                })
            })
            .collect();
        for act in acts {
            let (act, time) = act.join().unwrap();
            println!("{act:?} took {time:?}: {:?} MiB", memory(world.daemon_id(), "VmRSS"));
        }
        late.ask("tools/list", &json!({}), Era::Legacy);
        // Those of the crowd that began as they should were harmed by none of this either.
        for one in crowd.iter_mut().filter(|one| one.has_begun()) {
            one.ask("ping", &json!({}), Era::Legacy);
        }
        stop.store(true, Ordering::Relaxed);
        for good in good {
            let (calls, longest) = good.join().unwrap();
            println!("a client that goes on: {calls} calls, the longest {longest:?}");
            assert!(calls > 10 && longest < CALL_MAX, "{calls} calls, the longest {longest:?}");
        }
    });
    assert!(!world.daemon_died());
    let (peak, now) = (memory(world.daemon_id(), "VmHWM"), memory(world.daemon_id(), "VmRSS"));
    println!("memory in MiB: {before:?} before, {peak:?} at most, {now:?} after");
    match peak {
        Some(peak) => assert!(peak < MEMORY_MAX_MIB, "{peak} MiB"),
        None => println!("SKIPPED the daemon's memory: there is no /proc"),
    }
    let log = std::fs::read_to_string(world.log()).unwrap();
    assert!(!log.contains("panicked"), "{log}");
    let (done, found) = world.cli(&["search", "Alpha"]);
    assert!(done && found["results"][0]["id"] == id, "{found}");
}

/// Says one line on a socket, and prints the answer or that there is none.
const KNOCK: &str = r#"
use IO::Socket::UNIX; $SIG{PIPE} = 'IGNORE'; $| = 1;
my $peer = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $ARGV[0]) or die "no connection: $!\n";
print "connected\n"; print $peer "$ARGV[1]\n"; $peer->flush;
my $line = <$peer>; print defined $line ? "answered: $line" : "closed\n";
"#;

#[test]
fn another_user_is_refused() {
    let perl = Path::new("/usr/bin/perl");
    if !rustix::process::geteuid().is_root() || !perl.exists() {
        println!(
            "SKIPPED another_user_is_refused: only root can be two users, and {} is the other's client",
            perl.display()
        );
        return;
    }
    let open = |path: &Path, mode: u32| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
        .args(["daemon", "--home"])
        .arg(home.path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let run = home.path().join("run");
    let start = Instant::now();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let status = r#"{"version":3,"command":"status"}"#;
    let doors = [
        ("mcp.sock", ping),
        ("docs.sock", ping),
        ("google-docs.sock", ping),
        ("notebooklm.sock", ping),
        ("control.sock", status),
    ];
    while !doors.iter().all(|(door, _)| run.join(door).exists()) {
        assert!(start.elapsed() < Duration::from_secs(20), "the daemon does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Everything that the file system would forbid is allowed, so that the daemon alone is left to refuse.
    open(home.path(), 0o755);
    open(&run, 0o755);
    for (door, line) in doors {
        let socket = run.join(door);
        open(&socket, 0o666);
        let knock = |user: u32| {
            let mut command = Command::new(perl);
            let output = command
                .args(["-e", KNOCK])
                .arg(&socket)
                .arg(line)
                .uid(user)
                .gid(user)
                .current_dir("/")
                .output()
                .unwrap();
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
        };
        let own = knock(0);
        assert!(own.starts_with("connected\nanswered: {"), "{door}: {own}");
        assert_eq!(knock(65_534), "connected\nclosed\n", "{door}");
    }
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}
