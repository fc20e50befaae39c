//! One run: a history with faults, then rest without any, then what must hold.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use mcp_workspace::gdocs::Document;
use mcp_workspace::model::{ItemId, Revision};
use mcp_workspace::sync::{Command, ItemStatus, PartStatus, Side};

use crate::around::Around;
use crate::dice::Dice;
use crate::feed::Reach;
use crate::file::{CONFLICT, File};
use crate::google::{Google, Landed, Main, document, with_tab};
use crate::machine::{Machine, REPLACED, RETIRED};
use crate::people::Person;
use crate::plants::Plant;
use crate::prose::{self, Speech};

/// Steps of a history: short ones are soon run, and long ones get into more.
const STEPS: [usize; 4] = [40, 80, 140, 260];

/// The number of the step after the last.
const REST: usize = usize::MAX;

/// The number of what tells how people write.
const SPEECH: usize = REST - 1;

/// The number of what tells whether documents have tabs.
const TABS: usize = REST - 2;

/// Of how many histories one is of documents with tabs.
const WITH_TABS: usize = 3;

/// How often somebody who writes in documents with tabs changes those: once in so many times.
const TAB_CHANGES: usize = 5;

/// Moments for which somebody waits because of Google's limits, at most.
const WAITS_MAX: usize = 1_000;

/// Steps within which everything comes to rest.
const REST_MAX: usize = 20_000;

/// What the clock of a machine is ahead of the true time by when somebody has set it, in milliseconds.
const CLOCKS_OFF_MS: [i64; 6] = [-40_000_000_000, -86_400_000, -400_000, 0, 400_000, 40_000_000_000];

/// As long as an editor may have been open when the state was lost, in milliseconds.
const EDITORS_OPEN_MS: i64 = 7 * 86_400_000;

/// The texts that documents begin with.
const TEXTS: [(&str, &str); 2] = [
    (
        "one",
        "preamble words\n\n# A\n\nalpha paragraph\n\nbeta paragraph\n\n# B\n\ngamma paragraph\n\ndelta paragraph\n",
    ),
    (
        "two",
        "First words.\n\n- item one\n- item two\n\nLast 👍🏽 words.\n\n| left | right |\n| --- | --- |\n| here | there |\n| third | fourth |\n| fifth | sixth |\n\n# End\n\nBye.\n",
    ),
];

/// What the second tab of a document says to begin with.
const SECOND: &str = "words of the other tab\nepsilon paragraph\nzeta paragraph\neta paragraph\ntheta paragraph\n";

/// What happened in a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) pushes: u64,
    pub(crate) deposits: u64,
    pub(crate) conflicts: u64,
    pub(crate) crashes: u64,
    /// Saves that waited at the end since the state had been lost.
    pub(crate) unknown: u64,
    /// Files that were told at the end to say what nobody can write into a document.
    pub(crate) locked: u64,
    /// Files that stood at the end though their tabs were gone.
    pub(crate) alone: u64,
    /// Tokens that were written.
    pub(crate) tokens: u64,
    /// Stands for all that happened.
    pub(crate) trace: u64,
}

impl Outcome {
    /// Counts the outcome of another run, too.
    pub(crate) fn add(&mut self, other: &Self) {
        self.pushes += other.pushes;
        self.deposits += other.deposits;
        self.conflicts += other.conflicts;
        self.crashes += other.crashes;
        self.unknown += other.unknown;
        self.locked += other.locked;
        self.alone += other.alone;
        self.tokens += other.tokens;
        self.trace ^= other.trace;
    }
}

/// Tells whether a file waits for nothing but that what is locked in it stands again as it does in the document; what else was
/// written around that waits with it.
fn is_locked(part: &PartStatus) -> bool {
    const WITH_IT: [&str; 4] = ["LOCKED", "TORN", "KEPT", "STRUCTURE"];
    let codes = || part.refused.iter().map(|notice| notice.code.as_str());
    codes().any(|code| code == "LOCKED") && codes().all(|code| WITH_IT.contains(&code))
}

/// Checks that a file says what the document does, and that this is agreed.
fn check_same(machine: &Machine, file: &File, remote: &str, when: &str) {
    let same = |text: &str| mcp_workspace::sync::merge::same_meaning(text, remote);
    let (says, status) = (machine.disk.read(&file.name()).unwrap_or("(no file)"), machine.status());
    assert!(same(says), "convergence {when}: {file:?}:\n{says}\nremote:\n{remote}\n{status:?}");
    let base = machine.store.base(file).unwrap_or_default();
    assert!(same(&base), "convergence {when}: the base of {file:?}:\n{base}\nremote:\n{remote}");
}

/// All that takes part in a run.
pub(crate) struct World {
    pub(crate) around: Around,
    pub(crate) machines: Vec<(Machine, Person)>,
    /// Whether the machines are accounts of one daemon, which die together.
    pub(crate) is_shared: bool,
    pub(crate) outcome: Outcome,
}

/// What can happen, and how often it does, in the order of [`World::happen`]: people save, others write, a crash, time passes, a
/// push is asked for or a document is forgotten, events are lost, a machine sleeps, a late push arrives, a machine starts, a save
/// goes on or a file is thrown away, the watcher is heard, an owner lets an account see or edit a document or does so no more, and
/// the daemon works.
const TEMPERS: [[usize; 13]; 5] = [
    [3, 2, 1, 1, 1, 1, 1, 1, 1, 7, 6, 1, 15],
    // Saves take long; the watcher is slow; much goes wrong.
    [5, 4, 0, 4, 1, 0, 0, 1, 1, 2, 8, 0, 14],
    [5, 4, 0, 4, 1, 0, 0, 1, 1, 4, 1, 1, 19],
    [2, 5, 6, 4, 0, 1, 1, 1, 4, 4, 5, 1, 13],
    // The daemon is quicker than who saves, and dies now and then.
    [5, 3, 3, 6, 0, 0, 0, 0, 4, 3, 8, 1, 28],
];

/// What a seed brings about. Each step has its own chance, so that the others stay the same without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct History {
    pub(crate) seed: u64,
    pub(crate) steps: Vec<usize>,
}

impl History {
    /// Returns all of what a seed brings about.
    pub(crate) fn of(seed: u64) -> Self {
        Self { seed, steps: (0..Dice::seeded(mixed(seed, REST)).pick(&STEPS)).collect() }
    }

    /// Leaves out of a history whatever it fails without.
    pub(crate) fn shrunk(mut self, fails: impl Fn(&Self) -> bool) -> Self {
        let mut count = self.steps.len().div_ceil(2);
        while count > 0 {
            let (mut at, before) = (0, self.steps.len());
            while at < self.steps.len() {
                let mut fewer = self.clone();
                fewer.steps.drain(at..(at + count).min(self.steps.len()));
                if fails(&fewer) {
                    self = fewer;
                } else {
                    at += count;
                }
            }
            if self.steps.len() == before || count > 1 {
                count /= 2;
            }
        }
        self
    }
}

/// Makes one number of two that differs greatly where they differ little.
const fn mixed(seed: u64, step: usize) -> u64 {
    let sum = seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(step as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 31)
}

/// The documents, made once: of one tab each and, behind those, one with two.
static DOCUMENTS: LazyLock<[Vec<(&str, Document)>; 4]> = LazyLock::new(|| {
    let made = |texts: &[(&'static str, &str)]| -> Vec<_> {
        texts.iter().map(|(name, text)| (*name, document(name, text))).collect()
    };
    let of_two = |(at, (name, document)): (usize, &(&'static str, Document))| {
        (*name, if at == 0 { with_tab(document, SECOND) } else { document.clone() })
    };
    let all = [made(&TEXTS), made(&prose::TEXTS)];
    let [tokens, prose] = all.each_ref().map(|made| made.iter().enumerate().map(of_two).collect());
    let [one, other] = all;
    [one, other, tokens, prose]
});

/// Runs one history.
///
/// # Panics
///
/// When something does not hold that must.
pub(crate) fn run(history: &History, plant: Option<Plant>, shows: bool) -> Outcome {
    let speech = Dice::seeded(mixed(history.seed, SPEECH)).pick(&[Speech::Tokens, Speech::Prose]);
    let has_tabs = Dice::seeded(mixed(history.seed, TABS)).once_in(WITH_TABS);
    let documents = &DOCUMENTS[usize::from(speech == Speech::Prose) + if has_tabs { 2 } else { 0 }];
    let mut around = Around::new(Google::with(documents), plant, shows);
    around.has_tabs = has_tabs;
    around.speech = speech;
    around.ledger.signs = speech == Speech::Prose;
    around.dice = Dice::seeded(mixed(history.seed, REST));
    let count = if around.dice.once_in(4) { 2 } else { 1 };
    let is_shared = count > 1 && around.dice.once_in(2);
    let account = |at| if is_shared { at } else { 0 };
    let machines = (0..count).map(|at| (Machine::of(account(at), at), Person::default())).collect();
    let mut world = World { around, machines, is_shared, outcome: Outcome::default() };
    let temper = world.around.dice.pick(&TEMPERS);
    for at in 0..count {
        world.begin(at);
    }
    for step in &history.steps {
        world.around.dice = Dice::seeded(mixed(history.seed, *step));
        world.happen(&temper);
    }
    world.around.dice = Dice::seeded(mixed(history.seed, REST));
    world.rest();
    world.check("after the history");
    world.outcome.conflicts += world.conflicts().len() as u64;
    world.resolve();
    world.check("after the conflicts");
    assert!(world.conflicts().is_empty(), "a conflict outlived its end");
    world.check_idle();
    let World { around, mut outcome, machines, .. } = world;
    // What is true of the answers is true of all runs, and asked in some.
    if history.seed.is_multiple_of(32) {
        around.google.check_answers();
    }
    outcome.pushes = around.google.pushes;
    outcome.deposits = machines.iter().map(|(machine, _)| machine.deposits).sum();
    outcome.tokens = around.ledger.count();
    outcome.trace = around.trace_hash();
    outcome
}

impl World {
    /// Starts a machine and asks for what it does not mirror yet.
    pub(crate) fn begin(&mut self, at: usize) {
        let (machine, person) = &mut self.machines[at];
        // A daemon's clock never goes back. The next one begins with that of the machine, which somebody may have set.
        if self.around.fault(6) {
            machine.clock_off = self.around.dice.pick(&CLOCKS_OFF_MS);
            self.around.trace(&("clock", at, machine.clock_off));
            person.wake_up();
        }
        let slowest_off = machine.slowest_off;
        machine.slowest_off = slowest_off.map(|slowest| slowest.min(machine.clock_off));
        if slowest_off.is_some_and(|slowest| machine.clock_off - slowest > EDITORS_OPEN_MS) {
            // To that clock all files are old, so nobody has had them open for so long.
            person.leave(&machine.disk);
            self.give_up_unsynced();
        }
        let (machine, _) = &mut self.machines[at];
        machine.start(&mut self.around);
        for item in self.around.google.items() {
            if !machine.store.holds(&item) {
                machine.ask(&mut self.around, Command::Fetch(item));
            }
        }
    }

    /// Lets one thing happen.
    fn happen(&mut self, temper: &[usize]) {
        let at = self.around.dice.roll(self.machines.len());
        let items = self.around.google.items();
        let item = self.around.dice.roll(items.len());
        let item = &items[item];
        let around = &mut self.around;
        let (machine, person) = &mut self.machines[at];
        let file = &machine.some_file(item, &mut around.dice);
        let mut left = around.dice.roll(temper.iter().sum());
        let what = temper.iter().position(|weight| {
            left.checked_sub(*weight).is_none_or(|rest| {
                left = rest;
                false
            })
        });
        match what.unwrap_or(temper.len()) {
            // An editor that is open matters when something comes meanwhile.
            0 if person.shows_newest(&machine.disk, file) && !around.dice.once_in(16) => {
                around.google.collaborate(item, around.speech, &mut around.dice, &mut around.ledger);
            }
            0 => {
                around.show(&("at machine", at));
                let base = machine.store.base(file);
                let came = machine.store.intent(file).map(|intent| intent.base.clone());
                person.edit(around, &mut machine.disk, file, (base.as_deref(), came.as_deref()));
            }
            1 if around.has_tabs && around.dice.once_in(TAB_CHANGES) => {
                around.google.change_tabs(item, around.speech, &mut around.dice, &mut around.ledger);
            }
            1 => around.google.collaborate(item, around.speech, &mut around.dice, &mut around.ledger),
            2 if around.fault(3) => self.crash(at),
            3 => self.pass_time(),
            4 if around.dice.once_in(4) && machine.runs() && machine.store.holds(item) => {
                let main = machine.store.main(item);
                let is_read = machine.forgot(file) && person.has_all_of(around, &machine.disk, file, main.as_deref());
                let is_meant = is_read || machine.is_doubtful(file);
                let accept = is_meant && person.accept(around, &machine.disk, file);
                let dry_run = !accept && around.dice.once_in(2);
                let accept = accept.then(|| file.part.clone());
                machine.ask(around, Command::Push { item: item.clone(), accept, dry_run });
            }
            4 if around.dice.once_in(12) && machine.runs() => {
                let command = if around.dice.once_in(3) { Command::Pause } else { Command::Resume };
                machine.ask(around, command);
            }
            4 if machine.runs() && !machine.store.holds(item) => machine.ask(around, Command::Fetch(item.clone())),
            4 if around.dice.once_in(6) && machine.runs() => {
                // Who has the file open does not look at it.
                machine.ask(around, Command::Forget(item.clone()));
            }
            5 if around.fault(16) => {
                let watches = !machine.is_watching();
                machine.watches(around, watches);
            }
            5 if around.fault(8) => machine.overflow(),
            6 if around.fault(12) => {
                // It slept: its clock catches up, and what was seen meanwhile is not known.
                machine.clock_off += around.dice.roll(10_000_000) as i64;
                person.wake_up();
                machine.overflow();
            }
            7 if !around.google.late.is_empty() => {
                let late = around.dice.roll(around.google.late.len());
                let landed = around.google.arrive(late, around.now, &mut around.ledger);
                assert!(!matches!(landed, Landed::Refused(_)), "{landed:?}");
            }
            8 if !machine.runs() && self.is_shared => (0..self.machines.len()).for_each(|at| self.begin(at)),
            8 if !machine.runs() => self.begin(at),
            // More of them at once would be a folder that is lost.
            9 if around.dice.once_in(6)
                && items
                    .iter()
                    .flat_map(|item| machine.expected(item))
                    .all(|other| other == *file || machine.disk.read(&other.name()).is_some()) =>
            {
                person.mislay(around, &mut machine.disk, file);
            }
            9 => drop(person.work(around, &mut machine.disk)),
            10 => drop(machine.hear(around)),
            11 if around.fault(3) => {
                let reach = around.dice.pick(&[Reach::Edit, Reach::Edit, Reach::Read, Reach::Trash, Reach::Nothing]);
                around.trace(&("reach", machine.account, item, reach));
                around.google.set_reach(machine.account, item, reach);
            }
            _ => {
                if !machine.work(around) && !machine.hear(around) && !person.work(around, &mut machine.disk) {
                    self.pass_time();
                }
            }
        }
        for (machine, _) in &mut self.machines {
            machine.watch(&mut self.around);
        }
    }

    /// The daemon dies, or the whole machine.
    fn crash(&mut self, at: usize) {
        let around = &mut self.around;
        self.outcome.crashes += 1;
        let all = if self.is_shared { 0..self.machines.len() } else { at..at + 1 };
        let is_dark = around.dice.once_in(2);
        let is_lost = is_dark && around.dice.once_in(12);
        // Somebody else may have taken it away, while the machine runs on and editors are open.
        let is_dark = is_dark && !(is_lost && around.dice.once_in(2));
        for at in all.clone() {
            let (machine, person) = &mut self.machines[at];
            around.trace(&("crash", at));
            machine.kill();
            if is_dark {
                around.trace(&("power cut", at));
                machine.cut_power(&mut around.dice);
                let names: Vec<String> = machine.disk.names().cloned().collect();
                let own = names.iter().filter(|name| File::named(name).is_some());
                own.for_each(|name| machine.disk.check_whole(name));
                person.leave(&machine.disk);
            }
            if is_lost {
                around.trace(&("state lost", at));
                machine.lose_state(around);
            }
        }
        if is_dark {
            self.give_up_unsynced();
        }
        if self.around.dice.once_in(2) {
            all.for_each(|at| self.begin(at));
        }
    }

    /// What nobody but a disk without power knew is nobody's fault. That a conflict file quotes what an editor was just writing
    /// anew does not bring it back, nor does what was replaced and is not read any more.
    pub(crate) fn give_up_unsynced(&mut self) {
        let everywhere = self.everywhere(|machine, name| !name.ends_with(CONFLICT) && !machine.is_done_with(name));
        let lost: Vec<String> = self
            .around
            .ledger
            .alive()
            .filter(|token| crate::ledger::is_local(token) && !everywhere.contains(*token))
            .cloned()
            .collect();
        lost.iter().for_each(|token| self.around.ledger.given_up(token));
    }

    /// Goes on to the next moment for which somebody waits.
    pub(crate) fn pass_time(&mut self) {
        let due = self.machines.iter().filter_map(|(machine, _)| machine.next_due()).min();
        self.around.now = due.unwrap_or(0).max(self.around.now + 1);
        let now = self.around.now;
        for (machine, _) in &mut self.machines {
            if machine.next_due().is_some_and(|due| due <= now) {
                machine.tick(&mut self.around);
            }
        }
    }

    /// Lets everything come to rest without faults.
    pub(crate) fn rest(&mut self) {
        self.around.faults = false;
        while !self.around.google.late.is_empty() {
            drop(self.around.google.arrive(0, self.around.now, &mut self.around.ledger));
        }
        // Edits of an account that was only mirrored go out once it is mirrored both ways.
        if self.machines.iter().any(|(machine, _)| machine.runs() && machine.is_mirror) {
            let is_over = |(machine, _): &&mut (Machine, Person)| self.is_shared || machine.is_mirror;
            self.machines.iter_mut().filter(is_over).for_each(|(machine, _)| machine.kill());
        }
        for at in 0..self.machines.len() {
            if !self.machines[at].0.runs() {
                self.begin(at);
            }
        }
        for (machine, _) in &mut self.machines {
            machine.watches(&mut self.around, true);
            // Who goes on looks at everything, which nobody else has to.
            if machine.is_paused() {
                machine.ask(&mut self.around, Command::Resume);
            }
        }
        // What still fails was under way before.
        self.settle(3);
        self.open_up();
        self.settle(60);
        self.put_right();
    }

    /// Documents come back to those who lost them, or do not; and people ask once more for what they miss.
    fn open_up(&mut self) {
        for item in self.around.google.items() {
            for at in 0..self.machines.len() {
                let account = self.machines[at].0.account;
                let is_gone = !self.around.google.feed.reach(account, &item).is_there();
                if !is_gone || self.around.dice.once_in(2) {
                    self.around.google.set_reach(account, &item, Reach::Edit);
                }
            }
            for (machine, _) in &mut self.machines {
                let status = machine.status().unwrap();
                let known = status.items.into_iter().find(|known| known.id == item);
                // What was there once comes back by itself.
                if known.is_some_and(|known| known.error.is_some()) || !machine.store.remembers(&item) {
                    machine.ask(&mut self.around, Command::Fetch(item.clone()));
                }
            }
        }
    }

    /// Does one thing that is to be done; false when there is none.
    pub(crate) fn do_all(&mut self) -> bool {
        let mut any = false;
        for (machine, person) in &mut self.machines {
            any |= person.work(&mut self.around, &mut machine.disk);
            machine.watch(&mut self.around);
            any |= machine.hear(&mut self.around);
            any |= machine.work(&mut self.around);
            machine.watch(&mut self.around);
        }
        any
    }

    /// People bring back the files that a power cut left empty, or that an editor did not write to their end, or in which they moved
    /// a table, which nobody can do from there.
    fn put_right(&mut self) {
        let mut any = false;
        let items = self.around.google.items();
        for (machine, _) in &mut self.machines {
            let status = machine.status().unwrap();
            for item in &items {
                let Some(there) = self.around.google.fetch_as(machine.account, item) else { continue };
                let known = status.items.iter().find(|status| status.id == *item);
                let known: Vec<&PartStatus> = known.iter().flat_map(|known| &known.parts).collect();
                let there = Main::known(machine.store.main(item)).given(there);
                let there: BTreeSet<File> = there.parts.iter().map(|part| File::of(item, &part.id)).collect();
                let of = |file: &File| known.iter().find(|part| part.part == file.part);
                let is_locked = |file: &File| of(file).is_some_and(|part| is_locked(part));
                let is_well = |part: &PartStatus| part.held.is_empty() && part.unusable.is_none() && !part.hidden;
                let is_ill = |file: &&File| {
                    !there.contains(*file) || !of(file).is_some_and(|part| is_well(part)) || is_locked(file)
                };
                let files = machine.files(item);
                let ill: Vec<&File> = files.union(&there).filter(is_ill).collect();
                for file in &ill {
                    any = true;
                    self.outcome.locked += u64::from(is_locked(file));
                    self.outcome.unknown += u64::from(machine.forgot(file));
                    self.outcome.alone += u64::from(!there.contains(*file));
                    for name in [file.name(), file.conflict_name()] {
                        let text = machine.disk.read(&name).unwrap_or_default().to_owned();
                        crate::ledger::tokens(&text).for_each(|token| self.around.ledger.given_up_unless_kept(token));
                    }
                    machine.disk.remove(&file.name());
                    machine.watch(&mut self.around);
                }
                if !ill.is_empty() {
                    let command = if known.is_empty() { Command::Fetch } else { Command::Restore };
                    machine.ask(&mut self.around, command(item.clone()));
                }
            }
        }
        if any {
            self.give_up_unsynced();
            self.settle(20);
        }
    }

    pub(crate) fn settle(&mut self, rounds: usize) {
        for _ in 0..rounds {
            let mut steps = 0;
            while self.do_all() {
                steps += 1;
                assert!(steps < REST_MAX, "it does not come to rest");
            }
            self.pass_time();
        }
        while self.do_all() {}
        // Who has to wait for Google's limits has its turn all the same.
        for _ in 0..WAITS_MAX {
            let waits = |machine: &Machine| machine.status().is_some_and(|status| status.quota.waiting > 0);
            if !self.machines.iter().any(|(machine, _)| waits(machine)) {
                return;
            }
            self.pass_time();
            while self.do_all() {}
        }
        panic!("quota: somebody waits for ever");
    }

    /// The conflicts that stand: the machine and the file.
    pub(crate) fn conflicts(&self) -> Vec<(usize, File)> {
        let of = |(at, (machine, _)): (usize, &(Machine, Person))| {
            let items = machine.status().map(|status| status.items).unwrap_or_default();
            let is_seen = |item: &ItemId| self.around.google.feed.reach(machine.account, item).is_there();
            let open = |item: ItemStatus| {
                let parts = item.parts.into_iter().filter(|part| !part.conflicts.is_empty());
                parts.map(move |part| (at, File { item: item.id.clone(), part: part.part }))
            };
            items.into_iter().filter(|item| is_seen(&item.id)).flat_map(open).collect::<Vec<_>>()
        };
        self.machines.iter().enumerate().flat_map(of).collect()
    }

    /// People end all conflicts.
    pub(crate) fn resolve(&mut self) {
        for _ in 0..6 {
            let conflicts = self.conflicts();
            if conflicts.is_empty() {
                break;
            }
            for (at, file) in conflicts {
                let side = if self.around.dice.once_in(2) { Side::Mine } else { Side::Theirs };
                let (machine, person) = &mut self.machines[at];
                // What waits is seen to first, as the answer says.
                if machine.is_doubtful(&file) {
                    let accept = person.accept(&mut self.around, &machine.disk, &file);
                    let File { item, part } = file;
                    let accept = accept.then_some(part);
                    machine.ask(&mut self.around, Command::Push { item, accept, dry_run: false });
                    continue;
                }
                // Who chooses has read the conflict file.
                let shown = machine.disk.read(&file.conflict_name()).unwrap_or_default().to_owned();
                crate::ledger::tokens(&shown).for_each(|token| self.around.ledger.given_up(token));
                self.around.ledger.chosen(&file.item);
                let File { item, part } = file;
                machine.ask(&mut self.around, Command::Resolve { item, part, side });
            }
            self.settle(3);
            for (machine, _) in &mut self.machines {
                machine.ask(&mut self.around, Command::Poll);
            }
            self.settle(20);
        }
        // A side that was chosen may have had a table elsewhere.
        self.put_right();
    }

    /// All text that stands anywhere, of the files whose names count.
    fn everywhere(&self, counts: impl Fn(&Machine, &str) -> bool) -> String {
        let mut all = String::new();
        for item in self.around.google.items() {
            all.push_str(&self.around.google.text(&item));
        }
        for (machine, _) in &self.machines {
            // What an editor keeps beside a file is its own.
            let names = machine.disk.names().filter(|name| name.ends_with(".md") || name.starts_with(RETIRED));
            for name in names.filter(|name| counts(machine, name)) {
                all.push_str(machine.disk.read(name).unwrap_or_default());
                all.push('\n');
            }
        }
        all
    }

    /// Checks what holds at rest.
    pub(crate) fn check(&self, when: &str) {
        let everywhere = self.everywhere(|_, name| !name.starts_with(REPLACED));
        for token in self.around.ledger.alive() {
            let stands = everywhere.contains(token) || self.around.ledger.is_said_in(token, &everywhere);
            assert!(stands, "conservation {when}: {token} is lost:\n{everywhere}");
        }
        let conflicts = self.conflicts();
        for (at, (machine, _)) in self.machines.iter().enumerate() {
            assert!(machine.unanswered().is_empty(), "answers {when}: nobody answers {:?}", machine.unanswered());
            let google = &self.around.google;
            let may_land = |item: &ItemId, revision: &Revision| {
                google.stands_at(item, revision) || google.fetch_as(machine.account, item).is_none()
            };
            assert!(machine.store.is_quiet(may_land), "journal {when}: a push never ended");
            for item in self.around.google.items() {
                let Some(there) = google.fetch_as(machine.account, &item) else {
                    // Where the document is gone its files stay if one was edited, and no others.
                    let differs = |file: &File| machine.disk.read(&file.name()) != machine.store.base(file).as_deref();
                    let stand = |file: &File| machine.disk.read(&file.name()).is_some();
                    let standing: Vec<File> = machine.files(&item).into_iter().filter(stand).collect();
                    let is_kept = !machine.store.holds(&item) || standing.is_empty() || standing.iter().any(differs);
                    assert!(is_kept, "gone {when}: {item} on machine {at}: {:?}", machine.files(&item));
                    continue;
                };
                let there = Main::known(machine.store.main(&item)).given(there);
                let mut standing = machine.files(&item);
                for part in &there.parts {
                    let file = File::of(&item, &part.id);
                    standing.remove(&file);
                    if !conflicts.contains(&(at, file.clone())) {
                        check_same(machine, &file, &part.text, &format!("{when}, on machine {at}"));
                    }
                }
                assert!(standing.is_empty(), "convergence {when}: {standing:?} on machine {at} are of no tab");
            }
        }
    }

    /// Checks that nothing happens any more.
    fn check_idle(&mut self) {
        let deposits = |world: &Self| world.machines.iter().map(|(machine, _)| machine.deposits).sum::<u64>();
        let before = (self.around.google.pushes, deposits(self));
        for (machine, _) in &mut self.machines {
            machine.overflow();
        }
        self.settle(20);
        assert_eq!((self.around.google.pushes, deposits(self)), before, "it does not stay at rest");
    }
}
