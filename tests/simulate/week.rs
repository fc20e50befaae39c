//! A week without a network in which both sides are edited, and what comes then.

use mcp_workspace::gdocs::Document;
use mcp_workspace::model::ItemId;
use mcp_workspace::sync::ItemStatus;
use mcp_workspace::sync::quota::Limits;

use crate::around::Around;
use crate::dice::Dice;
use crate::file::{CONFLICT, File};
use crate::google::{Google, document};
use crate::machine::Machine;
use crate::people::Person;
use crate::run::{Outcome, World};

const WEEK_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Documents, and sections of each.
const DOCUMENTS: usize = 100;
const SECTIONS: usize = 10;

/// Sections of each document that each side edits.
const EDITED: usize = 5;

/// Documents of which both sides edit one paragraph, at the same place.
const OVERLAPS: usize = 20;

/// Documents of which both sides edit one paragraph, those where they edit other words of it included.
const SHARED: usize = 40;

/// What came of it.
#[derive(Debug)]
pub(crate) struct Week {
    pub(crate) minutes: u64,
    pub(crate) pushes: u64,
    pub(crate) conflicts: usize,
    /// The most that was told about how long it takes, in milliseconds.
    pub(crate) told_ms: Option<u64>,
    /// Steps of the daemon while there was no network.
    pub(crate) wakes: usize,
}

fn section(number: usize) -> String {
    format!("# Section {number}\n\nWords of section{number}e stand here.\n")
}

/// Lives through the week, and the minutes until both sides are even again; each document takes one batch.
///
/// # Panics
///
/// When something does not hold that must.
pub(crate) fn run(limits: Limits, minutes_max: u64) -> Week {
    let text: String = (0..SECTIONS).map(section).collect::<Vec<_>>().join("\n");
    let made: Document = document("doc", &text);
    let names: Vec<String> = (0..DOCUMENTS).map(|number| format!("d{number:03}")).collect();
    let documents: Vec<(&str, Document)> = names.iter().map(|name| (name.as_str(), made.clone())).collect();
    let mut around = Around::new(Google::with(&documents), None, false);
    around.faults = false;
    around.dice = Dice::seeded(7);
    let mut world = World {
        around,
        machines: vec![(Machine::new(0), Person::default())],
        is_shared: false,
        outcome: Outcome::default(),
    };
    world.machines[0].0.limits = limits;
    world.begin(0);
    world.settle(60);

    world.around.is_offline = true;
    let start = world.around.now;
    let mut edits: Vec<(usize, usize, bool)> = Vec::new();
    for number in 0..DOCUMENTS {
        let overlap = usize::from(number < SHARED);
        edits.extend((0..EDITED).map(|section| (number, section, true)));
        edits.extend((EDITED - overlap..2 * EDITED - overlap).map(|section| (number, section, false)));
    }
    // In any order.
    for at in (1..edits.len()).rev() {
        let other = world.around.dice.roll(at + 1);
        edits.swap(at, other);
    }
    let mut wakes = 0;
    for (at, (number, section, is_local)) in edits.iter().enumerate() {
        let until = start + WEEK_MS * (at as u64 + 1) / edits.len() as u64;
        wakes += pass(&mut world, until);
        let (item, was) = (ItemId(names[*number].clone()), format!("section{section}e"));
        if *is_local {
            let disk = &mut world.machines[0].0.disk;
            let edited = disk.read(&File::main(&item).name()).unwrap().replace(&was, &format!("{was} mine{section}e"));
            disk.put(&File::main(&item).name(), &edited);
            let World { around, machines, .. } = &mut world;
            machines[0].0.watch(around);
        } else {
            let theirs = format!("theirs{section}e");
            let edited = if *number < OVERLAPS { format!("{was} {theirs}") } else { format!("{theirs} {was}") };
            world.around.google.replace(&item, &was, &edited);
        }
    }

    world.around.is_offline = false;
    let back = world.around.now;
    let mut told_ms = None;
    let is_even = |world: &World| {
        let status = world.machines[0].0.status().unwrap();
        status.items.iter().all(|item| !item.waiting && item.phase == "idle") && status.poll_error.is_none()
    };
    let mut minutes = 0;
    loop {
        minutes += 1;
        let uneven = || {
            let status = world.machines[0].0.status().unwrap();
            let waits = |item: &ItemStatus| item.waiting || item.phase != "idle";
            (
                world.around.google.pushes,
                status.quota,
                status.poll_error,
                status.items.into_iter().filter(waits).collect::<Vec<_>>(),
            )
        };
        assert!(minutes <= minutes_max, "quota: it is not even after {minutes_max} minutes: {:?}", uneven());
        for part in 0..12 {
            pass(&mut world, back + (minutes - 1) * 60_000 + part * 5_000);
            told_ms = told_ms.max(world.machines[0].0.status().unwrap().left_ms);
        }
        if is_even(&world) {
            break;
        }
    }
    check(&world, &names);
    let shown = world.machines[0].0.disk.names().filter(|name| name.ends_with(CONFLICT)).count();
    Week { minutes, pushes: world.around.google.pushes, conflicts: shown, told_ms, wakes }
}

/// Lets time pass until a moment; counts how often the daemon woke up.
fn pass(world: &mut World, until: u64) -> usize {
    let mut wakes = 0;
    loop {
        while world.do_all() {}
        let Some(due) = world.machines[0].0.next_due().filter(|due| *due <= until) else { break };
        world.around.now = due.max(world.around.now + 1);
        let World { around, machines, .. } = world;
        machines[0].0.tick(around);
        wakes += 1;
    }
    world.around.now = until.max(world.around.now);
    wakes
}

/// Every edit of either side stands on both, but for the sections in which both edited the same words, which are shown.
fn check(world: &World, names: &[String]) {
    let disk = &world.machines[0].0.disk;
    for (number, name) in names.iter().enumerate() {
        let item = ItemId(name.clone());
        let (file, text) = (disk.read(&File::main(&item).name()).unwrap(), world.around.google.text(&item));
        let has_overlap = number < OVERLAPS;
        let conflict = disk.read(&File::main(&item).conflict_name());
        assert_eq!(conflict.is_some(), has_overlap, "conflicts: {name}: {conflict:?}");
        let shared = usize::from(number < SHARED);
        for section in 0..2 * EDITED - shared {
            let is_both = has_overlap && section == EDITED - 1;
            let (mine, theirs) = (format!("mine{section}e"), format!("theirs{section}e"));
            if section < EDITED {
                assert!(file.contains(&mine), "conservation: {mine} is not in the file of {name}");
                assert_eq!(text.contains(&mine), !is_both, "{mine} in {name}");
            }
            if section >= EDITED - shared {
                assert!(text.contains(&theirs), "conservation: {theirs} is not in {name}");
                assert_eq!(file.contains(&theirs), !is_both, "{theirs} in the file of {name}");
            }
            if is_both {
                assert!(conflict.is_some_and(|shown| shown.contains(&mine) && shown.contains(&theirs)));
            }
        }
    }
}
