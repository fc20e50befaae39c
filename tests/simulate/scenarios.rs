//! The scenarios of `fixtures/scenarios` with a crash at every step: what programs do to a file, at three speeds.

use std::collections::{BTreeMap, BTreeSet};

use mcp_workspace::gdocs::Document;
use mcp_workspace::model::ItemId;

use crate::around::Around;
use crate::dice::Dice;
use crate::file::File;
use crate::google::{Google, document};
use crate::machine::Machine;
use crate::people::Person;
use crate::run::{Outcome, World};
use crate::scenario::{Scenario, Step, TEXT};
use crate::small::Crash;

/// Milliseconds between two steps of a program: none, some, and so many that a person would notice.
pub(crate) const PAUSES_MS: [u64; 3] = [0, 100, 3_000];

/// Names of the documents.
const NAMES: [&str; 8] = ["doc", "doc1", "doc2", "doc3", "doc4", "doc5", "doc6", "doc7"];

/// A scenario on its way.
struct Stage<'a> {
    scenario: &'a Scenario,
    world: World,
    /// What `doc.md` said to begin with.
    old: String,
    /// The files that are open.
    open: BTreeMap<String, u64>,
    /// What other files said when they were written.
    others: BTreeMap<String, String>,
    /// Steps of the machine and of the programs so far.
    steps: usize,
    crash: Option<(usize, Crash)>,
    /// The power failed: the programs of before are gone.
    is_dark: bool,
}

/// What came of a scenario.
#[derive(Debug)]
pub(crate) struct Played {
    /// Steps that it took.
    pub(crate) steps: usize,
    /// Every text that a push made of a document.
    pub(crate) pushed: BTreeSet<String>,
}

/// Plays a scenario, with a crash after so many steps. `known` are the texts that pushes may make; without them any.
///
/// # Panics
///
/// When something does not hold that must.
pub(crate) fn play(
    scenario: &Scenario,
    pause_ms: u64,
    crash: Option<(usize, Crash)>,
    known: Option<&BTreeSet<String>>,
    shows: bool,
) -> Played {
    let made: Document = document("doc", TEXT);
    let count = scenario.documents.unwrap_or(1);
    let documents: Vec<(&str, Document)> = NAMES.iter().take(count).map(|name| (*name, made.clone())).collect();
    let mut around = Around::new(Google::with(&documents), None, shows);
    around.faults = false;
    // As if somebody had edited a while ago: who has been idle for longer asks so seldom that a rest ends before the next look.
    around.now = 1_000_000;
    around.dice = Dice::seeded(if let Some((_, Crash::PowerCut(seed))) = crash { seed } else { 0 });
    let mut world = World {
        around,
        machines: vec![(Machine::new(0), Person::default())],
        is_shared: false,
        outcome: Outcome::default(),
    };
    world.begin(0);
    world.settle(3);
    let old = world.machines[0].0.disk.read("doc.md").unwrap().to_owned();
    let mut stage =
        Stage { scenario, world, old, open: BTreeMap::new(), others: BTreeMap::new(), steps: 0, crash, is_dark: false };
    for step in &scenario.steps {
        stage.take(step);
        stage.go_on(pause_ms);
    }
    stage.rest();
    let is_cut = matches!(crash, Some((_, Crash::PowerCut(_))));
    stage.check(is_cut, known);
    let pushed = stage.world.around.google.said.iter().map(|(_, text)| text.clone()).collect();
    Played { steps: stage.steps, pushed }
}

impl Stage<'_> {
    /// A program, or somebody else, does something.
    fn take(&mut self, step: &Step) {
        self.count();
        if self.is_dark && step.remote.is_none() {
            return;
        }
        let disk = &mut self.world.machines[0].0.disk;
        let now = disk.read("doc.md").unwrap_or_default().to_owned();
        let filled = |text: &str| Scenario::filled(text, &self.old, &now);
        if let Some((old, new)) = &step.remote {
            self.world.around.google.replace(&ItemId("doc".into()), old, new);
        }
        if let Some(name) = &step.open {
            self.open.insert(name.clone(), disk.open_empty(name));
        } else if let Some((name, text)) = &step.append {
            disk.append(self.open[name], &filled(text));
        } else if let Some(name) = &step.close {
            disk.close(self.open[name]);
        } else if let Some((name, text)) = &step.write {
            let open = disk.open_empty(name);
            disk.append(open, &filled(text));
            disk.close(open);
            self.others.insert(name.clone(), filled(text));
        } else if let Some((from, to)) = &step.rename {
            let text = disk.read(from).unwrap_or_default().to_owned();
            disk.rename(from, to);
            self.others.remove(from);
            self.others.insert(to.clone(), text);
        } else if let Some(name) = &step.remove {
            disk.remove(name);
            self.others.remove(name);
        } else if let Some((from, to)) = &step.copy {
            let text = disk.read(from).unwrap_or_default().to_owned();
            let open = disk.open_empty(to);
            disk.append(open, &text);
            disk.close(open);
            self.others.insert(to.clone(), text);
        } else if let Some(name) = &step.date {
            disk.date(name);
        } else if step.remove_all {
            let names: Vec<String> = disk.names().filter(|name| name.ends_with(".md")).cloned().collect();
            names.iter().for_each(|name| disk.remove(name));
        } else if let Some(wait_ms) = step.wait_ms {
            self.go_on(wait_ms);
        } else if step.rest {
            self.rest();
        } else {
            assert!(step.remote.is_some(), "a step without a key: {step:?}");
        }
        let World { around, machines, .. } = &mut self.world;
        machines[0].0.watch(around);
    }

    /// Counts a step, after which the machine may crash.
    fn count(&mut self) {
        self.steps += 1;
        let Some((_, crash)) = self.crash.filter(|(after, _)| *after == self.steps) else { return };
        let World { around, machines, .. } = &mut self.world;
        let (machine, _) = &mut machines[0];
        around.trace(&crash);
        machine.kill();
        if crash != Crash::Killed {
            machine.cut_power(&mut around.dice);
            machine.disk.check_whole("doc.md");
            self.is_dark = true;
        }
        self.world.begin(0);
    }

    /// The machine works until it has nothing to do, and then until so much time has passed.
    fn go_on(&mut self, pause_ms: u64) {
        let until = self.world.around.now + pause_ms;
        loop {
            self.work();
            let due = self.world.machines[0].0.next_due().filter(|due| *due <= until);
            let Some(due) = due else { break };
            self.world.around.now = due.max(self.world.around.now);
            let World { around, machines, .. } = &mut self.world;
            machines[0].0.tick(around);
        }
        self.world.around.now = until;
    }

    fn work(&mut self) {
        loop {
            self.count();
            let World { around, machines, .. } = &mut self.world;
            let (machine, _) = &mut machines[0];
            machine.watch(around);
            if !machine.hear(around) && !machine.work(around) {
                return;
            }
        }
    }

    fn rest(&mut self) {
        self.go_on(200_000);
    }

    fn check(&mut self, is_cut: bool, known: Option<&BTreeSet<String>>) {
        let World { around, machines, .. } = &self.world;
        let (machine, item) = (&machines[0].0, ItemId("doc".into()));
        for (item, text) in &around.google.said {
            assert!(known.is_none_or(|known| known.contains(text)), "transient: a push made {text:?} of {item}");
        }
        // What a power cut takes from a program's own files is between the two.
        if is_cut {
            return;
        }
        let file = machine.disk.read(&File::main(&item).name()).unwrap_or_default();
        self.scenario.check_words(&around.google.text(&item), file).unwrap_or_else(|wrong| panic!("{wrong}"));
        let then = &self.scenario.then;
        if let Some(pushes) = then.pushes {
            assert_eq!(around.google.pushes, pushes, "pushes: {:?}", around.google.said);
        }
        if let Some(word) = &then.status {
            let status = format!("{:?}", machine.status().unwrap());
            assert!(shows(&status, word), "status: {word} is not in {status}");
        }
        for name in &then.stays {
            assert_eq!(machine.disk.read(name), self.others.get(name).map(String::as_str), "stays: {name}");
        }
    }
}

/// Tells whether the engine's status says what the word of a scenario means.
fn shows(status: &str, word: &str) -> bool {
    match word {
        "hidden" => status.contains("hidden: true"),
        "held" => status.contains("held: [Notice"),
        "halted" => status.contains("halted: Some"),
        "conflict" => status.contains("conflicts: [\""),
        "unusable" => status.contains("unusable: Some"),
        code => status.contains(code),
    }
}
