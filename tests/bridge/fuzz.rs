//! Whatever a client may write, through the real bridge in front of a real daemon.
//!
//! `SEEDS=1000 cargo test --test bridge whatever -- --nocapture` writes more of it; `SEED=n` plays
//! one conversation again.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use super::dice::Dice;
use super::frames::{Era, noise, request, tampered};
use super::support::mcp::{Client, message_of};
use super::{Cleanup, daemon, home};

/// Conversations of a run of the tests.
const SEEDS: u64 = 200;
/// Conversations at once.
const THREADS: usize = 4;

#[test]
fn whatever_is_written_the_conversation_goes_on() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let (first, seeds) = match number("SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("SEEDS").unwrap_or(SEEDS)),
    };
    let home = home();
    let _cleanup = Cleanup(home.path());
    let mut patient = Client::bridge(home.path());
    patient.greet();
    let (pid, _) = daemon(home.path()).expect("a daemon");
    let (next, begun) = (AtomicU64::new(first), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + seeds {
                        return;
                    }
                    converse(home.path(), seed);
                }
            });
        }
    });
    println!("{seeds} conversations took {:?}", begun.elapsed());
    assert_eq!(patient.tools(), ["create", "fetch", "search"]);
    assert!(patient.leave().0.success());
    assert_eq!(daemon(home.path()).expect("the daemon went on").0, pid);
}

/// One client that writes what follows from a seed, and now and then asks something, which must be answered once.
fn converse(home: &Path, seed: u64) {
    let mut dice = Dice::seeded(seed);
    let era = dice.pick(&[Era::Legacy, Era::Modern]);
    let mut client = Client::bridge(home);
    let is_greeted = era == Era::Legacy && !dice.once_in(4);
    if is_greeted {
        client.greet();
    }
    let mut answers: HashMap<String, Option<Value>> = HashMap::new();
    let mut ask = |client: &mut Client, id: String| {
        client.write(format!("{}\n", request(&json!(id), "ping", &json!({}), era)).as_bytes());
        answers.insert(id, None);
    };
    for number in 0..10 + dice.roll(30) {
        client.write(&line(&mut dice, era));
        client.write(b"\n");
        if dice.once_in(3) {
            ask(&mut client, format!("ping-{number}"));
        }
    }
    ask(&mut client, "last".into());
    let mut hear = |message: Value| {
        let Some(answer) = message["id"].as_str().and_then(|id| answers.get_mut(id)) else { return false };
        assert!(answer.is_none(), "seed {seed}: twice: {message}");
        *answer = Some(message);
        answers.values().all(Option::is_some)
    };
    while !hear(client.next()) {}
    // Some leave in order, with whatever is still at work; half a line is their last word.
    if seed.is_multiple_of(4) {
        client.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"half\",\"meth");
        let (status, left) = client.leave();
        assert!(status.success(), "seed {seed}: {status}");
        for line in left {
            hear(message_of(&line));
        }
    }
    let last = answers.remove("last").flatten().unwrap();
    // A second `initialize` with a nonsense version makes a session one of the newer era, which has no `ping`.
    let is_known = last.get("result").is_some() || last["error"]["code"] == -32601;
    assert!(!is_greeted || is_known, "seed {seed}: {last}");
}

fn line(dice: &mut Dice<'_>, era: Era) -> Vec<u8> {
    let fetch = |id: Value, filling: &str| {
        let params = json!({ "name": "fetch", "arguments": { "id": filling } });
        request(&id, "tools/call", &params, era).to_string().into_bytes()
    };
    match dice.roll(16) {
        0 => noise(dice),
        1 => vec![0; dice.roll(100)],
        2 => {
            let mut line = fetch(json!(dice.roll(6)), "text");
            let at = dice.roll(line.len());
            line.splice(at..at, [0xff, 0xc0, 0x80]).for_each(drop);
            line
        }
        3 => {
            let batch: Vec<Value> = (0..dice.roll(4)).map(|id| request(&json!(id), "ping", &json!({}), era)).collect();
            Value::from(batch).to_string().into_bytes()
        }
        4 => {
            let depth = dice.roll(300);
            let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{{"a":[{deep}]}}}}"#).into_bytes()
        }
        5 => {
            let end = dice.pick(&[r#""result":{}"#, r#""error":{"code":1,"message":""}"#, r#""result":7"#, r#""a":1"#]);
            format!(r#"{{"jsonrpc":"2.0","id":{},{end}}}"#, dice.roll(6)).into_bytes()
        }
        6 => {
            let method =
                dice.pick(&["notifications/cancelled", "notifications/initialized", "notifications/x", "x", ""]);
            json!({ "jsonrpc": "2.0", "method": method, "params": { "requestId": dice.roll(6) } })
                .to_string()
                .into_bytes()
        }
        7 => vec![b' '; dice.roll(5)],
        8 => {
            let mut line = fetch(json!(dice.roll(6)), "cut off");
            line.truncate(dice.roll(line.len()));
            line
        }
        9 => fetch(
            dice.pick(&["null", "true", "[]", "{}", "0.5", "1e2", "-1", "18446744073709551615", "\"\""])
                .parse()
                .unwrap(),
            "wrong",
        ),
        10 => fetch(json!(dice.roll(1000)), &"long ".repeat(dice.roll(40_000))),
        11 if dice.once_in(8) => fetch(json!("far too long"), &"long ".repeat(4 << 20)),
        _ => tampered(dice, era),
    }
}
