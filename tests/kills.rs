//! The real binary under fire: it is killed at named points and at any moment while a person saves files, also in the place of
//! links to them, makes documents in `new/`, a colleague writes, and the network loses answers. Afterwards each word that somebody
//! wrote stands in a document, in its file, or in what waits beside it, and none stands twice; no document was made twice, nothing
//! lies about half-written, and `doctor` finds nothing to mend.
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

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dice::Dice;
use serde_json::json;
use support::world::World;

/// Kills of a run of the tests.
const KILLS: usize = 24;

/// So many kills come before everything is looked at.
const KILLS_BETWEEN: usize = 12;

/// What somebody does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// Saves a file.
    Save,
    /// Saves in the place of a link to it.
    SaveLink,
    /// Saves a new one in `new/`.
    Make,
    /// Writes in a document.
    Collaborate,
    /// Makes the network fail.
    Disturb,
}

const DEEDS: [Deed; 7] =
    [Deed::Save, Deed::Save, Deed::SaveLink, Deed::Make, Deed::Collaborate, Deed::Collaborate, Deed::Disturb];

/// Where the daemon kills itself, and what brings it there.
const POINTS: [(&str, Deed); 12] = [
    ("before_journal", Deed::Save),
    ("after_journal", Deed::Save),
    ("after_post", Deed::Save),
    ("after_reply", Deed::Save),
    ("during_deposit", Deed::Collaborate),
    ("after_deposit", Deed::Collaborate),
    ("after_record", Deed::Save),
    ("after_adopting", Deed::SaveLink),
    ("after_making_noted", Deed::Make),
    ("after_making_empty", Deed::Make),
    ("after_making", Deed::Make),
    ("after_making_of_file", Deed::Make),
];

/// For so long it is waited for; what is saved in `new/` or in a link's place must stand still for two seconds first.
const PATIENCE: Duration = Duration::from_millis(700);
const PATIENCE_OF_NEW: Duration = Duration::from_millis(3_500);

const TEXT: &str =
    "# Head\n\nAlpha bravo charlie.\n\nDelta echo.\n\n## Second\n\nFoxtrot golf hotel.\n\nIndia juliett.\n";

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// A document, its file, and a link to that.
struct Item {
    id: String,
    file: PathBuf,
    link: PathBuf,
}

/// What was written, and by whom.
struct Ledger {
    count: usize,
    /// Words that nobody has given up.
    alive: BTreeSet<String>,
    /// Titles of the documents that were to be made in `new/`.
    titles: Vec<String>,
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
    // Links are not followed by what replaces them.
    let way = if file.is_symlink() { 1 } else { dice.roll(3) };
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
    match way {
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

/// Somebody does something.
async fn act(world: &World, items: &[Item], deed: Deed, ledger: &mut Ledger, dice: &mut Dice<'_>) {
    let item = &items[dice.roll(items.len())];
    match deed {
        Deed::Save => save(&item.file, &ledger.new_word('l'), dice),
        Deed::SaveLink => save(&item.link, &ledger.new_word('l'), dice),
        Deed::Make => {
            let word = ledger.new_word('l');
            let title = format!("Made {word}");
            let new = account(items).join("new");
            std::fs::write(new.join(format!("{title}.md")), format!("{word}\n")).unwrap();
            ledger.titles.push(title);
        }
        Deed::Collaborate => {
            let word = ledger.new_word('r');
            collaborate(world, &item.id, &word, dice).await;
        }
        Deed::Disturb => disturb(world, dice).await,
    }
}

/// The folder of the account.
fn account(items: &[Item]) -> &Path {
    items[0].file.ancestors().nth(2).unwrap()
}

/// All text of the Markdown files below a folder, each with its name; links are not followed.
fn everything_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map_while(Result::ok) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            all.append(&mut everything_below(&path));
        } else if kind.is_file() {
            let text = std::fs::read(&path).unwrap_or_default();
            all.push((path, String::from_utf8_lossy(&text).into_owned()));
        }
    }
    all
}

/// Lets a document and its file come to agree. A conflict ends with the file's text.
async fn agree(world: &World, Item { id, file, .. }: &Item, ledger: &mut Ledger) {
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

/// Waits until what was saved in `new/` has become documents, or is told to wait there.
async fn until_made(world: &World, titles: &[String], new: &Path) {
    let start = Instant::now();
    loop {
        let documents = world.documents().await;
        let (_, status) = world.cli(&["status"]);
        let (status, mut all) = (status.to_string(), true);
        for title in titles {
            let count = documents.iter().filter(|(name, _)| name == title).count();
            assert!(count <= 1, "exactly once: {count} documents of the name {title:?}; see {}", world.log().display());
            let is_link = new.join(format!("{title}.md")).is_symlink();
            all &= is_link && count == 1 || status.contains(title.as_str());
        }
        if all {
            return;
        }
        let log = world.log();
        assert!(start.elapsed() < Duration::from_secs(60), "making: {titles:?}: {status}; see {}", log.display());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Lets everything come to rest, and looks at it.
async fn check(world: &World, items: &[Item], ledger: &mut Ledger) {
    until_made(world, &ledger.titles, &account(items).join("new")).await;
    for item in items {
        let start = Instant::now();
        while !item.link.is_symlink() {
            let log = world.log();
            assert!(start.elapsed() < Duration::from_secs(60), "{:?} is no link; see {}", item.link, log.display());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        agree(world, item, ledger).await;
        let text = world.text(&item.id).await;
        for word in TEXT.split(|letter: char| !letter.is_alphabetic()).filter(|word| word.len() > 4) {
            assert_eq!(text.matches(word).count(), 1, "{word} in\n{text}");
        }
    }
    let files = everything_below(&world.home);
    let half: Vec<&PathBuf> =
        files.iter().map(|(path, _)| path).filter(|path| path.to_string_lossy().contains(".mcpw-new")).collect();
    assert!(half.is_empty(), "half-written: {half:?}");
    let mut everywhere: String = files
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "md"))
        .map(|(_, text)| text.as_str())
        .collect();
    for (_, id) in world.documents().await {
        everywhere.push_str(&world.text(&id).await);
    }
    for word in &ledger.alive {
        assert!(everywhere.contains(word), "conservation: {word} is lost; see {}", world.log().display());
    }
    let (healthy, found) = world.cli(&["doctor", "--remote", "100"]);
    assert!(healthy, "{found}; see {}", world.log().display());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_killed_at_any_moment_loses_nothing() {
    let mut world = World::new("kills");
    let mut dice = Dice::seeded(number("SEED").unwrap_or(1) as u64);
    let mut ledger = Ledger { count: 0, alive: BTreeSet::new(), titles: Vec::new() };
    world.start_daemon(&[]);
    let source = world.home.join("source.md");
    std::fs::write(&source, TEXT).unwrap();
    let beside = world.home.join("beside");
    std::fs::create_dir(&beside).unwrap();
    let make = |title: &str| {
        let (done, made) = world.cli(&["create", "--title", title, source.to_str().unwrap()]);
        assert!(done, "{made}");
        let item = |key: &str| made[key].as_str().unwrap().to_owned();
        let (linked, link) = world.cli(&["link", &item("id"), beside.to_str().unwrap()]);
        assert!(linked, "{link}");
        Item { id: item("id"), file: PathBuf::from(item("path")), link: beside.join(format!("{title}.md")) }
    };
    let items = ["One", "Two", "Three"].map(make);
    let kills = number("KILLS").unwrap_or(KILLS);
    let (mut at_points, mut starts) = (BTreeMap::new(), Vec::new());
    for kill in 1..=kills {
        world.kill_daemon();
        for _ in 0..dice.roll(3) {
            let deed = dice.pick(&DEEDS);
            act(&world, &items, deed, &mut ledger, &mut dice).await;
        }
        let point = dice.once_in(2).then(|| dice.pick(&POINTS));
        let chosen = point.map(|(name, _)| format!("{name}:{}", 1 + dice.roll(2)));
        let start = Instant::now();
        match &chosen {
            Some(chosen) => world.start_daemon(&[("MCP_WORKSPACE_CRASH", chosen)]),
            None => world.start_daemon(&[]),
        }
        starts.push(start.elapsed());
        for _ in 0..=dice.roll(3) {
            let deed = dice.pick(&DEEDS);
            act(&world, &items, deed, &mut ledger, &mut dice).await;
            std::thread::sleep(Duration::from_millis(dice.roll(120) as u64));
        }
        if let Some((name, deed)) = point {
            act(&world, &items, deed, &mut ledger, &mut dice).await;
            let patience = if matches!(deed, Deed::Make | Deed::SaveLink) { PATIENCE_OF_NEW } else { PATIENCE };
            let start = Instant::now();
            while !world.daemon_died() && start.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(10));
            }
            if world.daemon_died() {
                *at_points.entry(name).or_insert(0_usize) += 1;
            }
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
        "{kills} kills, of them {at_points:?}, {} words; a start takes {:?}, the longest {:?}",
        ledger.count,
        starts[starts.len() / 2],
        starts[starts.len() - 1]
    );
}
