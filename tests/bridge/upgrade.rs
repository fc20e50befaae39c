//! Clients that go on and on while their daemon is upgraded, and killed once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::mcp::{Client, PROGRAM, WAIT, document};
use super::support::world::World;
use super::{Cleanup, daemon, end};

/// How the daemons end, one after the other.
const ENDS: [Signal; 4] = [Signal::TERM, Signal::TERM, Signal::KILL, Signal::TERM];
/// The clients, half of each era.
const CLIENTS: usize = 4;
/// The most calls that one has in flight.
const CALLS_AT_ONCE: usize = 4;
/// The most documents that one makes: Google allows so many calls a minute.
const TITLES_MAX: usize = 10;
/// The longest that an answer may take, with a daemon that starts meanwhile, on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(15);

/// A daemon that a service manager has started.
struct Managed(Child);

impl Managed {
    fn start(world: &World) -> Self {
        let log = File::options().create(true).append(true).open(world.log()).unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg("--home").arg(&world.home).arg("daemon").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Self(command.spawn().unwrap())
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// What one client was answered.
#[derive(Debug, Default)]
struct Tally {
    worked: usize,
    failed: Vec<String>,
    longest: Duration,
    /// The documents that it made, and whether it was told so.
    titles: Vec<(String, bool)>,
}

/// Tells whether a call worked, or how it failed: with a message that says what to do.
fn judge(answer: &Value) -> Result<(), String> {
    if let Some(error) = answer.get("error") {
        assert_eq!(error["code"], -32000, "{answer}");
        let message = error["message"].as_str().unwrap();
        assert!(message.matches(". ").count() == 1 && message.ends_with('.'), "{answer}");
        return Err(message.to_owned());
    }
    let result = &answer["result"];
    if result["isError"] == true {
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert!(text["suggestion"].as_str().is_some_and(|suggestion| !suggestion.is_empty()), "{answer}");
        return Err(text.to_string());
    }
    assert!(result["structuredContent"].is_object(), "{answer}");
    Ok(())
}

/// Calls on and on, several at once, until it is told to stop.
fn go_on(world: &World, id: &str, number: usize, stop: &AtomicBool) -> Tally {
    let is_modern = number % 2 == 1;
    let mut client = if is_modern { Client::modern(world, "default") } else { Client::new(world, "default") };
    let (mut tally, mut calls, mut announced) = (Tally::default(), 0, 0);
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let mut waiting = HashMap::new();
        for _ in 0..=calls % CALLS_AT_ONCE {
            calls += 1;
            let makes = calls % 16 == 0 && tally.titles.len() < TITLES_MAX;
            let title = makes.then(|| format!("Made by {number} at {calls}."));
            let (name, arguments) = match &title {
                Some(title) => ("create", json!({ "title": title, "content": "# Made\n" })),
                None if calls % 2 == 0 => ("fetch", json!({ "id": id })),
                None => ("search", json!({ "query": "Alpha" })),
            };
            waiting.insert(client.begin("tools/call", &json!({ "name": name, "arguments": arguments })), title);
        }
        while !waiting.is_empty() {
            let message = client.next();
            let Some(answered) = message.get("id") else {
                announced += 1;
                continue;
            };
            let answered = u32::try_from(answered.as_u64().unwrap()).unwrap();
            let title = waiting.remove(&answered).unwrap_or_else(|| panic!("nobody waits for this: {message}"));
            let judged = judge(&message);
            tally.titles.extend(title.map(|title| (title, judged.is_ok())));
            match judged {
                Ok(()) => tally.worked += 1,
                Err(why) => tally.failed.push(why),
            }
        }
        tally.longest = tally.longest.max(begun.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    // A client of the older era was told of each daemon, one of the newer of none.
    assert_eq!(announced > 0, !is_modern, "{announced}");
    // And the conversation goes on.
    client.done("fetch", &json!({ "id": id }));
    tally
}

/// Ends those who go on when the test fails, which would wait for them else.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn wait_for_another(home: &Path, than: rustix::process::Pid) {
    let begun = Instant::now();
    while daemon(home).is_none_or(|(pid, _)| pid == than) {
        assert!(begun.elapsed() < WAIT, "no daemon comes back");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn clients_go_on_through_upgrades_and_a_kill() {
    let (world, id) = document("upgrade", "# One\n\nAlpha.\n");
    // It is a demo's home no longer: bridges start no daemon for one.
    fs::remove_file(world.home.join("state/demo.json")).unwrap();
    let _cleanup = Cleanup(&world.home);
    let stop = AtomicBool::new(false);
    let mut managed = Vec::new();
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        let (world, id, stop) = (&world, &id, &stop);
        let clients: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(move || go_on(world, id, number, stop))).collect();
        for signal in ENDS {
            std::thread::sleep(Duration::from_secs(1));
            let ended = end(&world.home, signal);
            // At once, as a service manager does. A bridge that was faster has started one, and then this one ends.
            managed.push(Managed::start(world));
            wait_for_another(&world.home, ended);
        }
        std::thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::Relaxed);
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let made = runtime.block_on(world.documents());
    for (number, tally) in tallies.iter().enumerate() {
        println!(
            "client {number}: {} calls worked, {} failed, the longest took {:?}; {} documents",
            tally.worked,
            tally.failed.len(),
            tally.longest,
            tally.titles.len()
        );
        assert!(tally.worked > 20 && tally.longest < ANSWER_MAX, "{tally:?}");
        // No more than were at work when a daemon ended.
        assert!(tally.failed.len() <= ENDS.len() * CALLS_AT_ONCE, "{tally:?}");
        for (title, worked) in &tally.titles {
            let count = made.iter().filter(|(name, _)| name == title).count();
            assert!(count == 1 || (count == 0 && !worked), "{title:?} was made {count} times, told: {worked}");
        }
    }
    let log = fs::read_to_string(world.log()).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}
