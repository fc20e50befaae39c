//! What the hops of a call cost by themselves: between client, bridge and daemon, processes that pass lines on and do
//! nothing else. It bounds what any bridge can reach on a machine.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write};
use std::os::fd::AsFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// The words that make a process of this program one of the bare ones.
const BRIDGE: &str = "--bare-bridge";
const DAEMON: &str = "--bare-daemon";

/// Plays the part that the arguments name; returns at once when they name none.
pub(crate) fn play(arguments: &[String]) -> bool {
    match arguments {
        [part, socket] if part == BRIDGE => bridge(Path::new(socket)),
        [part, socket, result] if part == DAEMON => {
            daemon(Path::new(socket), &std::fs::read_to_string(result).unwrap());
        }
        _ => return false,
    }
    true
}

fn bridge(socket: &Path) {
    let daemon = UnixStream::connect(socket).unwrap();
    let answers = daemon.try_clone().unwrap();
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned().unwrap());
    std::thread::spawn(move || pass(answers, output));
    pass(File::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap()), daemon);
}

fn pass(from: impl std::io::Read, mut to: impl Write) {
    let (mut from, mut line) = (BufReader::new(from), Vec::new());
    while from.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) && to.write_all(&line).is_ok() {
        line.clear();
    }
}

/// Answers each request with the same result, under its id, but for a ping.
fn daemon(socket: &Path, result: &str) {
    for client in UnixListener::bind(socket).unwrap().incoming() {
        let mut output = client.unwrap();
        let (input, result) = (BufReader::new(output.try_clone().unwrap()), result.to_owned());
        std::thread::spawn(move || {
            for line in input.lines().map_while(Result::ok) {
                let id = line.split("\"id\":").nth(1).map(|rest| rest.split([',', '}']).next().unwrap_or_default());
                let Some(id) = id.filter(|id| id.parse::<u32>().is_ok()) else { continue };
                let result = if line.contains("\"ping\"") { "{}" } else { result.as_str() };
                let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
                if output.write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        });
    }
}

/// A bare daemon; it ends when dropped.
pub(crate) struct Bare {
    daemon: Child,
    socket: PathBuf,
}

impl Bare {
    /// Starts one that answers with this result.
    pub(crate) fn new(folder: &Path, result: &str) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let (socket, file) = (folder.join("bare.sock"), folder.join("bare.json"));
        std::fs::write(&file, result).unwrap();
        let daemon = this_program().arg(DAEMON).arg(&socket).arg(file).spawn().unwrap();
        while UnixStream::connect(&socket).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Self { daemon, socket }
    }

    /// The command of a bare bridge to it.
    pub(crate) fn bridge(&self) -> Command {
        let mut command = this_program();
        command.arg(BRIDGE).arg(&self.socket);
        command
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        drop(self.daemon.kill());
        drop(self.daemon.wait());
    }
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}
