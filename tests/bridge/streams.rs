//! What stdin and stdout of a bridge may be: pipes, sockets as Node gives them, one socket for both, files. They stay
//! as they were given, since others may hold them, too.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl};
use serde_json::{Value, json};

use super::support::mcp::PROGRAM;
use super::{Cleanup, home};

/// Requests that are written before an answer is read; their answers fill any pipe and any socket several times.
const REQUESTS: u32 = 200;

/// The streams of a bridge: its own ends, and ours.
struct Streams {
    input: OwnedFd,
    output: OwnedFd,
    to: Box<dyn Write + Send>,
    from: Box<dyn Read>,
    /// Ends what it reads.
    close: Box<dyn FnOnce() + Send>,
}

fn pipes() -> Streams {
    let ((input, to), (from, output)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
    Streams {
        input: input.into(),
        output: output.into(),
        to: Box::new(to),
        from: Box::new(from),
        close: Box::new(|| {}),
    }
}

fn sockets() -> Streams {
    let ((input, to), (from, output)) = (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
    Streams {
        input: input.into(),
        output: output.into(),
        to: Box::new(to),
        from: Box::new(from),
        close: Box::new(|| {}),
    }
}

fn one_socket() -> Streams {
    let (theirs, ours) = UnixStream::pair().unwrap();
    let (to, end) = (ours.try_clone().unwrap(), ours.try_clone().unwrap());
    let close = Box::new(move || end.shutdown(Shutdown::Write).unwrap());
    let input = theirs.try_clone().unwrap().into();
    Streams { input, output: theirs.into(), to: Box::new(to), from: Box::new(ours), close }
}

fn start(home: &std::path::Path, input: Stdio, output: Stdio) -> Child {
    Command::new(PROGRAM)
        .arg("--home")
        .arg(home)
        .arg("bridge")
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn greeting() -> String {
    let client = json!({ "name": "t", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let asked = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    format!("{asked}\n{ready}\n")
}

fn request(id: u32) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }))
}

/// Whoever asks much and then reads slowly gets each answer once, whole.
#[test]
fn pipes_and_sockets_carry_all_and_stay_as_they_were() {
    let home = home();
    let _cleanup = Cleanup(home.path());
    for (name, streams) in [("pipes", pipes()), ("sockets", sockets()), ("one socket", one_socket())] {
        let Streams { input, output, mut to, from, close } = streams;
        let flags = || [&input, &output].map(|stream| fcntl_getfl(stream).unwrap());
        let before = flags();
        let give = |stream: &OwnedFd| Stdio::from(stream.try_clone().unwrap());
        let mut bridge = start(home.path(), give(&input), give(&output));
        to.write_all(greeting().as_bytes()).unwrap();
        let mut lines = BufReader::new(from).lines();
        let hello: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(hello["result"]["serverInfo"]["name"], "mcp-workspace", "{name}: {hello}");
        let asking = std::thread::spawn(move || {
            for id in 1..=REQUESTS {
                to.write_all(request(id).as_bytes()).unwrap();
            }
            to
        });
        std::thread::sleep(Duration::from_millis(300));
        let mut answered: Vec<u64> = Vec::new();
        while answered.len() < REQUESTS as usize {
            let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            assert!(answer["result"]["tools"].as_array().is_some_and(|tools| tools.len() == 3), "{name}: {answer}");
            answered.push(answer["id"].as_u64().unwrap());
        }
        answered.sort_unstable();
        assert_eq!(answered, (1..=u64::from(REQUESTS)).collect::<Vec<_>>(), "{name}");
        assert!(before.iter().all(|flags| !flags.contains(OFlags::NONBLOCK)));
        assert_eq!(flags(), before, "{name}: it left the streams another way");
        drop(asking.join().unwrap());
        close();
        assert!(bridge.wait().unwrap().success(), "{name}");
        drop((input, output));
        assert!(lines.next().is_none(), "{name}: more than was asked for");
    }
}

#[test]
fn files_are_read_to_their_end_and_written_to() {
    let home = home();
    let _cleanup = Cleanup(home.path());
    let (said, heard) = (home.path().join("said"), home.path().join("heard"));
    let requests: String = (1..=5).map(request).collect();
    std::fs::write(&said, format!("{}{requests}", greeting())).unwrap();
    let mut bridge = start(home.path(), File::open(&said).unwrap().into(), File::create(&heard).unwrap().into());
    assert!(bridge.wait().unwrap().success());
    let heard = std::fs::read_to_string(&heard).unwrap();
    let mut answered: Vec<u64> = heard
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| answer.get("result").and(answer["id"].as_u64()).unwrap_or_else(|| panic!("{answer}")))
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, [0, 1, 2, 3, 4, 5]);
}
