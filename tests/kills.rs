//! The real binary under fire: it is killed at named points and at any moment while a person saves, a colleague writes, and the
//! network loses answers. Afterwards each word that somebody wrote stands in the document, in its file, or in what waits beside
//! it, and none stands twice.
//!
//! `KILLS=1000 cargo test --test kills -- --nocapture` kills it more often; `SEED=n` makes other choices.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "support/dice.rs"]
mod dice;
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dice::Dice;
use serde_json::json;
use support::world::World;

/// Kills of a run of the tests.
const KILLS: usize = 24;

/// So many kills come before everything is looked at.
const KILLS_BETWEEN: usize = 12;

/// Where the daemon kills itself.
const POINTS: [&str; 7] =
    ["before_journal", "after_journal", "after_post", "after_reply", "during_deposit", "after_deposit", "after_record"];

const TEXT: &str =
    "# Head\n\nAlpha bravo charlie.\n\nDelta echo.\n\n## Second\n\nFoxtrot golf hotel.\n\nIndia juliett.\n";

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// A document and its file.
struct Item {
    id: String,
    file: PathBuf,
}

/// What was written, and by whom.
struct Ledger {
    count: usize,
    /// Words that nobody has given up.
    alive: BTreeSet<String>,
}

impl Ledger {
    fn new_word(&mut self, side: char) -> String {
        self.count += 1;
        let word = format!("{side}{:05}x", self.count);
        self.alive.insert(word.clone());
        word
    }
}

/// The words of a ledger in a text, each as often as it stands there.
fn words(text: &str) -> Vec<&str> {
    let is_ours = |word: &&str| {
        let bytes = word.as_bytes();
        bytes.len() == 7
            && matches!(bytes[0], b'l' | b'r')
            && bytes[6] == b'x'
            && bytes[1..6].iter().all(u8::is_ascii_digit)
    };
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(is_ours).collect()
}

/// A person saves a new word in a file, as one of several editors does.
fn save(file: &Path, word: &str, dice: &mut Dice<'_>) {
    let text = std::fs::read_to_string(file).unwrap();
    let (head, body) = text.split_at(text.find("\n---\n").unwrap() + 5);
    let mut blocks: Vec<String> = body.trim().split("\n\n").map(str::to_owned).collect();
    let at = dice.roll(blocks.len());
    if dice.once_in(2) {
        blocks.insert(at, word.to_owned());
    } else {
        blocks[at] = format!("{} {word}", blocks[at].trim_end());
    }
    let text = format!("{head}\n{}\n", blocks.join("\n\n"));
    match dice.roll(3) {
        0 => std::fs::write(file, text).unwrap(),
        1 => {
            let beside = file.with_extension("md.tmp");
            std::fs::write(&beside, text).unwrap();
            std::fs::rename(beside, file).unwrap();
        }
        _ => {
            let backup = file.with_extension("md~");
            std::fs::rename(file, &backup).unwrap();
            std::fs::write(file, text).unwrap();
            std::fs::remove_file(backup).unwrap();
        }
    }
}

/// A colleague writes a new word at an end of a document.
async fn collaborate(world: &World, id: &str, word: &str, dice: &mut Dice<'_>) {
    let request = if dice.once_in(2) {
        json!({"insertText": {"location": {"index": 1}, "text": format!("{word}\n")}})
    } else {
        json!({"insertText": {"endOfSegmentLocation": {}, "text": format!("\n{word}")}})
    };
    world.post(&format!("/admin/documents/{id}:edit"), &json!({ "requests": [request] })).await;
}

/// The next answers get lost, or come with an error.
async fn disturb(world: &World, dice: &mut Dice<'_>) {
    let fault = dice.pick(&["lost_reply", "503", "429", "drop", "truncated", "500"]);
    let path = dice.pick(&[":batchUpdate", "/v1/documents/", "/drive/v3/"]);
    world.post("/admin/faults", &json!([{"match": {"path": path}, "times": 1, "fault": fault}])).await;
}

/// One thing that somebody does.
async fn act(world: &World, items: &[Item], ledger: &mut Ledger, dice: &mut Dice<'_>) {
    let item = &items[dice.roll(items.len())];
    match dice.roll(5) {
        0 | 1 => save(&item.file, &ledger.new_word('l'), dice),
        2 | 3 => {
            let word = ledger.new_word('r');
            collaborate(world, &item.id, &word, dice).await;
        }
        _ => disturb(world, dice).await,
    }
}

/// All text below a folder.
fn everything_below(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap().map_while(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            all.push_str(&everything_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            all.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
            all.push('\n');
        }
    }
    all
}

/// Lets everything come to rest, and looks at it. Conflicts end with the file's text.
async fn check(world: &World, items: &[Item], ledger: &mut Ledger) {
    for Item { id, file } in items {
        let path = file.to_str().unwrap();
        let start = Instant::now();
        loop {
            let (_, fetched) = world.cli(&["fetch", id]);
            let (pushed, push) = world.cli(&["push", path]);
            let (document, text) = (world.text(id).await, std::fs::read_to_string(file).unwrap());
            let (there, here) = (words(&document), words(&text));
            let twice: Vec<_> =
                there.iter().filter(|word| there.iter().filter(|other| other == word).count() > 1).collect();
            assert!(twice.is_empty(), "exactly once: {twice:?} in\n{document}");
            let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
            if pushed && set(&there) == set(&here) {
                break;
            }
            if push["message"].as_str().is_some_and(|message| message.contains("in conflict")) {
                // What the document alone says is given up with this choice.
                let (resolved, _) = world.cli(&["resolve", path, "--mine"]);
                if resolved {
                    ledger.alive.retain(|word| !there.contains(&word.as_str()) || here.contains(&word.as_str()));
                }
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "convergence: {id}: {fetched} {push}\n{document}\n{text}; see {}",
                world.log().display()
            );
        }
    }
    let mut everywhere = everything_below(items[0].file.parent().unwrap());
    for item in items {
        everywhere.push_str(&world.text(&item.id).await);
    }
    for word in &ledger.alive {
        assert!(everywhere.contains(word), "conservation: {word} is lost; see {}", world.log().display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_killed_at_any_moment_loses_nothing() {
    let mut world = World::new("kills");
    let mut dice = Dice::seeded(number("SEED").unwrap_or(1) as u64);
    let mut ledger = Ledger { count: 0, alive: BTreeSet::new() };
    world.start_daemon(&[]);
    let source = world.home.join("source.md");
    std::fs::write(&source, TEXT).unwrap();
    let make = |title: &str| {
        let (done, made) = world.cli(&["create", "--title", title, source.to_str().unwrap()]);
        assert!(done, "{made}");
        let item = |key: &str| made[key].as_str().unwrap().to_owned();
        Item { id: item("id"), file: PathBuf::from(item("path")) }
    };
    let items = ["One", "Two", "Three"].map(make);
    let kills = number("KILLS").unwrap_or(KILLS);
    let (mut at_points, mut starts) = (0, Vec::new());
    for kill in 1..=kills {
        world.kill_daemon();
        for _ in 0..dice.roll(3) {
            act(&world, &items, &mut ledger, &mut dice).await;
        }
        let point = dice.once_in(2).then(|| format!("{}:{}", dice.pick(&POINTS), 1 + dice.roll(2)));
        let start = Instant::now();
        match &point {
            Some(point) => world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]),
            None => world.start_daemon(&[]),
        }
        starts.push(start.elapsed());
        for _ in 0..=dice.roll(3) {
            act(&world, &items, &mut ledger, &mut dice).await;
            std::thread::sleep(Duration::from_millis(dice.roll(120) as u64));
        }
        if point.is_some() {
            let patience = Instant::now();
            while !world.daemon_died() && patience.elapsed() < Duration::from_millis(700) {
                std::thread::sleep(Duration::from_millis(10));
            }
            at_points += usize::from(world.daemon_died());
        }
        world.kill_daemon();
        if kill % KILLS_BETWEEN == 0 || kill == kills {
            world.delete("/admin/faults").await;
            world.start_daemon(&[]);
            check(&world, &items, &mut ledger).await;
            // No death makes an older state of the newest.
            let (_, status) = world.cli(&["status"]);
            assert!(!status.to_string().contains("\"recovered\""), "{status}");
        }
    }
    starts.sort_unstable();
    println!(
        "{kills} kills, {at_points} of them at named points, {} words; a start takes {:?}, the longest {:?}",
        ledger.count,
        starts[starts.len() / 2],
        starts[starts.len() - 1]
    );
}
