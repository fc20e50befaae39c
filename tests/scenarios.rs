//! The scenarios of `fixtures/scenarios` on a real folder, with the real binary and the embedded Google.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "support/scenario.rs"]
mod scenario;
mod support;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use scenario::{Scenario, Step, TEXT, scenarios};
use serde_json::Value;
use support::world::World;

/// How long after the last step nothing must happen that should not: longer than the daemon waits for a file that is missing,
/// and than two looks at the change feed.
const QUIET: Duration = Duration::from_secs(5);

/// How long it may take until all holds.
const PATIENCE: Duration = Duration::from_secs(40);

/// One scenario on its way; its document has a name of its own, which stands for `doc` in the scenario.
struct Stage<'a> {
    world: &'a World,
    scenario: &'a Scenario,
    id: String,
    file: PathBuf,
    old: String,
    open: BTreeMap<String, File>,
    /// Where the last batch before the scenario stands.
    pushes: usize,
    others: BTreeMap<String, String>,
}

impl Stage<'_> {
    /// Many scenarios share a folder, so that each has names of its own.
    fn path(&self, name: &str) -> PathBuf {
        // An id may hold either word itself.
        let own = match name.contains("DOC") {
            true => name.replace("DOC", &self.id.to_uppercase()),
            false => name.replace("doc", &self.id),
        };
        let own = match name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
            _ if own != name => own,
            Some((stem, ending)) => format!("{stem}-{}.{ending}", self.id),
            None => format!("{name}-{}", self.id),
        };
        self.file.with_file_name(own)
    }

    async fn take(&mut self, step: &Step) {
        if let Some((old, new)) = &step.remote {
            self.world.collaborate(&self.id, old, new).await;
        }
        let now = fs::read_to_string(&self.file).unwrap_or_default();
        let filled = |text: &str| Scenario::filled(text, &self.old, &now);
        if let Some(name) = &step.open {
            self.open.insert(name.clone(), File::create(self.path(name)).unwrap());
        } else if let Some((name, text)) = &step.append {
            let text = filled(text);
            self.open.get_mut(name).unwrap().write_all(text.as_bytes()).unwrap();
        } else if let Some(name) = &step.close {
            drop(self.open.remove(name));
        } else if let Some((name, text)) = &step.write {
            fs::write(self.path(name), filled(text)).unwrap();
            self.others.insert(name.clone(), filled(text));
        } else if let Some((from, to)) = &step.rename {
            let text = fs::read_to_string(self.path(from)).unwrap();
            fs::rename(self.path(from), self.path(to)).unwrap();
            self.others.remove(from);
            self.others.insert(to.clone(), text);
        } else if let Some(name) = &step.remove {
            fs::remove_file(self.path(name)).unwrap();
            self.others.remove(name);
        } else if let Some((from, to)) = &step.copy {
            let text = fs::read_to_string(self.path(from)).unwrap();
            fs::write(self.path(to), &text).unwrap();
            self.others.insert(to.clone(), text);
        } else if let Some(name) = &step.date {
            let file = File::options().write(true).open(self.path(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
        } else if let Some((name, target)) = &step.link {
            std::os::unix::fs::symlink(self.path(target), self.path(name)).unwrap();
        } else if step.remove_all {
            for entry in fs::read_dir(self.file.parent().unwrap()).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "md") {
                    fs::remove_file(path).unwrap();
                }
            }
        } else if let Some(wait_ms) = step.wait_ms {
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        } else if step.rest {
            tokio::time::sleep(QUIET).await;
        } else {
            assert!(step.remote.is_some(), "a step without a key: {step:?}");
        }
    }

    /// Says what does not hold yet.
    async fn wrong(&self) -> Option<String> {
        let file = fs::read_to_string(&self.file).unwrap_or_default();
        if let Err(wrong) = self.scenario.check_words(&self.world.text(&self.id).await, &file) {
            return Some(wrong);
        }
        let then = &self.scenario.then;
        let pushes = pushes_of(self.world, &self.id).await - self.pushes;
        if then.pushes.is_some_and(|expected| expected != pushes as u64) {
            return Some(format!("{pushes} pushes"));
        }
        if let Some(word) = &then.status {
            let status = self.world.cli(&["status"]).1;
            if !shows(&status, word, &self.id) {
                return Some(format!("{word} is not in {status}"));
            }
        }
        for name in &then.stays {
            let stands = fs::read_to_string(self.path(name)).ok();
            if stands.as_ref() != self.others.get(name) {
                return Some(format!("{name} says {stands:?}"));
            }
        }
        None
    }
}

/// Tells whether the status says what the word of a scenario means.
fn shows(status: &Value, word: &str, id: &str) -> bool {
    let account = &status["accounts"][0];
    let waiting = account["waiting"].as_array().unwrap().iter().filter(|waiting| waiting["id"] == *id);
    match word {
        "halted" => account["halted"] != "",
        "hidden" | "held" | "conflict" | "unusable" => waiting.clone().any(|waiting| waiting["state"] == *word),
        code => waiting.clone().any(|waiting| waiting["message"].as_str().unwrap().contains(code)),
    }
}

async fn pushes_of(world: &World, id: &str) -> usize {
    world.pushes().await.iter().filter(|push| push["path"].as_str().unwrap().contains(id)).count()
}

fn make(world: &World) -> (String, PathBuf) {
    let source = world.home.join("source.md");
    fs::write(&source, TEXT).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Scenario", source.to_str().unwrap()]);
    assert!(done, "{made}");
    (made["id"].as_str().unwrap().to_owned(), PathBuf::from(made["path"].as_str().unwrap()))
}

async fn play(world: &World, scenario: &Scenario) -> Result<(), String> {
    let mut made = Vec::new();
    for _ in 0..scenario.documents.unwrap_or(1) {
        made.push(make(world));
    }
    let (id, file) = made.swap_remove(0);
    let old = fs::read_to_string(&file).unwrap();
    let pushes = pushes_of(world, &id).await;
    let mut stage = Stage { world, scenario, id, file, old, open: BTreeMap::new(), pushes, others: BTreeMap::new() };
    for step in &scenario.steps {
        stage.take(step).await;
    }
    let start = Instant::now();
    while let Some(wrong) = stage.wrong().await {
        if start.elapsed() > PATIENCE {
            return Err(format!("{} ({}): {wrong}\n{:?}", scenario.name, scenario.about, stage.file));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    // And it stays so.
    tokio::time::sleep(QUIET.saturating_sub(start.elapsed())).await;
    stage.wrong().await.map_or(Ok(()), |wrong| Err(format!("{} at last: {wrong}", scenario.name)))
}

fn assert_all(failed: &[String]) {
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_holds_on_a_real_folder() {
    let mut world = World::new("scenarios");
    world.start_daemon(&[]);
    let all: Vec<Scenario> = scenarios().into_iter().filter(|scenario| scenario.documents.is_none()).collect();
    assert!(all.len() > 30);
    let mut failed = Vec::new();
    // Side by side, since most of the time is spent waiting for nothing to happen.
    for some in all.chunks(10) {
        let played = join(some.iter().map(|scenario| play(&world, scenario))).await;
        failed.extend(played.into_iter().filter_map(Result::err));
    }
    assert_all(&failed);
}

/// Those that halt an account have one of their own.
#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_of_many_documents_holds_on_a_real_folder() {
    for scenario in scenarios().iter().filter(|scenario| scenario.documents.is_some()) {
        let mut world = World::new("scenario-of-many");
        world.start_daemon(&[]);
        assert_all(play(&world, scenario).await.err().as_slice());
    }
}

/// Waits for all of them, on this thread.
async fn join<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = all.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        let mut waits = false;
        for (one, output) in &mut all {
            if output.is_none() {
                match one.as_mut().poll(context) {
                    std::task::Poll::Ready(ready) => *output = Some(ready),
                    std::task::Poll::Pending => waits = true,
                }
            }
        }
        if waits { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    all.into_iter().map(|(_, output)| output.unwrap()).collect()
}

/// The paths of scenarios are names alone, so that none leads out of its folder.
#[test]
fn scenarios_name_files_of_one_folder() {
    for scenario in scenarios() {
        for step in &scenario.steps {
            let pairs = [&step.rename, &step.copy, &step.link].into_iter().flatten().flat_map(|(from, to)| [from, to]);
            let names = [&step.open, &step.close, &step.remove, &step.date].into_iter().flatten();
            let texts = [&step.append, &step.write].into_iter().flatten().map(|(name, _)| name);
            for name in pairs.chain(names).chain(texts) {
                assert_eq!(Path::new(name).components().count(), 1, "{}: {name}", scenario.name);
            }
        }
    }
}
