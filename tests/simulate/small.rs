//! Every history of a few operations on a few paragraphs, with a crash after every step of each: faults of this kind need few.

use std::sync::LazyLock;

use mcp_workspace::gdocs::Document;
use mcp_workspace::model::ItemId;

use crate::around::Around;
use crate::dice::Dice;
use crate::google::{Edit, Google, document};
use crate::machine::Machine;
use crate::people::{Person, edit_at};
use crate::run::{Outcome, World};

/// Paragraphs of the document.
const PARAGRAPHS: usize = 3;

/// Moments that pass before the next operation where the machine comes to rest in between.
const MOMENTS: usize = 4;

/// Who edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// The person at the machine.
    Local,
    /// Another one.
    Remote,
}

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    who: Who,
    edit: (Edit, usize),
    /// Whether the machine comes to rest before the next one.
    rests: bool,
}

/// How a machine ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crash {
    /// The daemon is killed.
    Killed,
    /// The power fails; the number chooses what the disk has.
    PowerCut(u64),
}

/// All ways in which a machine ends.
pub(crate) const CRASHES: [Crash; 3] = [Crash::Killed, Crash::PowerCut(0), Crash::PowerCut(1)];

/// Returns all histories of so many operations. After the last one the machine rests.
pub(crate) fn histories(operations: u32) -> impl Iterator<Item = Vec<Operation>> {
    const EDITS: [Edit; 3] = [Edit::Write, Edit::Add, Edit::Remove];
    let mut all = Vec::new();
    for who in [Who::Local, Who::Remote] {
        for edit in EDITS {
            for at in 0..PARAGRAPHS {
                all.extend([true, false].map(|rests| Operation { who, edit: (edit, at), rests }));
            }
        }
    }
    let count = all.len().pow(operations);
    let history = move |number: usize| {
        let digit = |place: u32| all[number / all.len().pow(place) % all.len()];
        (0..operations).map(digit).collect::<Vec<_>>()
    };
    (0..count).map(history).filter(|history| history.last().is_none_or(|last| last.rests))
}

/// The document, made once.
static DOCUMENTS: LazyLock<[(&str, Document); 1]> =
    LazyLock::new(|| [("small", document("small", "First paragraph.\n\nSecond one.\n\nThird one here.\n"))]);

/// Runs one history, with a crash after so many steps of the machine; returns how many it took, all in all.
///
/// # Panics
///
/// When something does not hold that must.
pub(crate) fn run(history: &[Operation], crash: Option<(usize, Crash)>, shows: bool) -> usize {
    let mut around = Around::new(Google::with(&*DOCUMENTS), None, shows);
    around.faults = false;
    around.dice = Dice::seeded(if let Some((_, Crash::PowerCut(seed))) = crash { seed } else { 0 });
    let machines = vec![(Machine::new(0), Person::default())];
    let mut small =
        Small { world: World { around, machines, is_shared: false, outcome: Outcome::default() }, steps: 0, crash };
    small.world.begin(0);
    small.world.settle(1);
    for operation in history {
        small.edit(operation);
        if operation.rests {
            small.come_to_rest();
        }
    }
    let Small { mut world, steps, .. } = small;
    world.rest();
    world.check("after the history");
    world.resolve();
    world.check("after the conflicts");
    assert!(world.conflicts().is_empty(), "conflicts: one outlived its end");
    steps
}

struct Small {
    world: World,
    /// Steps that the machine took.
    steps: usize,
    crash: Option<(usize, Crash)>,
}

impl Small {
    fn edit(&mut self, Operation { who, edit, .. }: &Operation) {
        let item = ItemId("small".into());
        let World { around, machines, .. } = &mut self.world;
        around.trace(&(who, edit));
        match who {
            Who::Local => edit_at(&mut machines[0].0.disk, &item, *edit, &mut around.ledger),
            Who::Remote => around.google.edit(&item, *edit, &mut around.ledger),
        }
        machines[0].0.watch(around);
    }

    /// Lets the machine work until nothing is left for it to do; it may crash on the way.
    fn come_to_rest(&mut self) {
        for _ in 0..MOMENTS {
            loop {
                self.steps += 1;
                if let Some((_, crash)) = self.crash.filter(|(after, _)| *after == self.steps) {
                    self.end(crash);
                }
                let World { around, machines, .. } = &mut self.world;
                let (machine, _) = &mut machines[0];
                machine.watch(around);
                if !machine.hear(around) && !machine.work(around) {
                    break;
                }
            }
            self.world.pass_time();
        }
    }

    /// The machine ends and begins anew.
    fn end(&mut self, crash: Crash) {
        let World { around, machines, .. } = &mut self.world;
        let (machine, _) = &mut machines[0];
        around.trace(&crash);
        machine.kill();
        if crash != Crash::Killed {
            machine.cut_power(&mut around.dice);
            machine.disk.check_whole("small.md");
            self.world.give_up_unsynced();
        }
        self.world.begin(0);
    }
}
