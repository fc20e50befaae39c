//! The whole engine in a simulated world: machines with disks that lose what was not synced, people who save as editors do,
//! another person in the documents, a network that loses answers, and crashes between any two steps.
//!
//! One seed is one run. A seed that fails is printed; `SEED=n cargo test --test simulate` runs it alone and shows it, `SEEDS=n`
//! runs more of them, beginning with `FROM=n`. `OPERATIONS=n` runs longer histories of the small world, with `HISTORIES=n` only so
//! many of them, beginning with `FROM=n`; `SCENARIO=name` one scenario alone, and `PLANT=name` looks for the first seed that finds a
//! planted fault; `PLANT=all` for that of each.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod around;
#[path = "../support/dice.rs"]
mod dice;
mod disk;
mod feed;
mod file;
mod google;
mod ledger;
mod machine;
mod people;
mod plants;
mod prose;
mod run;
#[path = "../support/scenario.rs"]
mod scenario;
mod scenarios;
mod small;
mod store;
mod week;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_workspace::sync::quota::Limits;
use plants::Plant;
use run::{History, Outcome, run};
use scenario::Scenario;
use small::{CRASHES, Operation, histories};

/// Nearly all of the time goes into making and freeing small things.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Seeds of a run of the tests.
const SEEDS: u64 = 10_000;

/// Seeds beyond those that failed once.
const FOUND: [u64; 35] = [
    13_969, 155_047, 188_677, 245_563, 332_588, 15_844, 19_622, 25_790, 30_581, 40_316, 109_741, 58_161, 105_599,
    221_443, 255_093, 269_885, 299_527, 317_553, 321_220, 393_962, 444_137, 447_363, 494_003, 779_445, 796_673,
    829_653, 946_776, 958_298, 1_011_645, 1_104_627, 1_138_856, 784_996, 791_289, 807_421, 979_743,
];

/// As many of the seeds that fail are shrunk.
const SHRUNK_MAX: usize = 3;

/// Seeds within which a planted fault must be found.
const PLANT_SEEDS: u64 = 10_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Does something for each number below `count`, on all cores.
fn side_by_side(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    work(at);
                }
            });
        }
    });
}

/// Returns what does not hold in a history.
fn failure(history: &History, plant: Option<Plant>) -> Option<String> {
    let failed = catch_unwind(AssertUnwindSafe(|| run(history, plant, false))).err()?;
    Some(failed.downcast::<String>().map(|said| *said).unwrap_or_default())
}

/// Says how to see a seed fail in as few steps as it does.
fn show_shrunk(seed: u64) {
    std::panic::set_hook(Box::new(|_| {}));
    // What does not hold is said first, and then where.
    let law = |said: &str| said.split([':', ' ']).next().unwrap_or_default().to_owned();
    let history = History::of(seed);
    let fails = failure(&history, None).map(|said| law(&said));
    let history = history.shrunk(|fewer| failure(fewer, None).map(|said| law(&said)) == fails);
    drop(std::panic::take_hook());
    let steps: Vec<String> = history.steps.iter().map(usize::to_string).collect();
    println!("SEED={seed} STEPS={} cargo test --test simulate any_history -- --nocapture", steps.join(","));
}

#[test]
fn any_history_ends_in_agreement() {
    if let Some(seed) = number("SEED") {
        let mut history = History::of(seed);
        if let Ok(steps) = std::env::var("STEPS") {
            history.steps = steps.split(',').map(|step| step.parse().expect("the number of a step")).collect();
        }
        println!("{:?}", run(&history, None, true));
        return;
    }
    let from = number("FROM").unwrap_or(0);
    let seeds = number("SEEDS").unwrap_or(SEEDS);
    let (sum, failed) = (Mutex::new(Outcome::default()), Mutex::new(Vec::new()));
    side_by_side(FOUND.len() + seeds as usize, |at| {
        let seed = FOUND.get(at).copied().unwrap_or_else(|| from + (at - FOUND.len()) as u64);
        match catch_unwind(|| run(&History::of(seed), None, false)) {
            Ok(outcome) => sum.lock().unwrap().add(&outcome),
            Err(_) => failed.lock().unwrap().push(seed),
        }
    });
    let (sum, failed) = (sum.into_inner().unwrap(), failed.into_inner().unwrap());
    failed.iter().take(SHRUNK_MAX).for_each(|seed| show_shrunk(*seed));
    println!("{seeds} seeds from {from}: {sum:?}");
    assert!(failed.is_empty(), "SEED={failed:?} fail");
    // A simulation in which nothing happens proves nothing.
    // The shortest are over before the first push.
    assert!(sum.pushes > seeds / 2 && sum.conflicts > 0 && sum.crashes > seeds / 2, "{sum:?}");
}

/// Operations of the histories in the small world.
const OPERATIONS: u32 = 2;

#[test]
fn any_small_history_with_any_crash_ends_in_agreement() {
    let operations = number("OPERATIONS").map_or(OPERATIONS, |count| count as u32);
    let mut histories: Vec<Vec<Operation>> = (1..=operations).flat_map(histories).collect();
    if let Some(count) = number("HISTORIES") {
        let from = number("FROM").unwrap_or(0) as usize;
        histories = histories.into_iter().skip(from).take(count as usize).collect();
    }
    let (runs, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let fails = |history: &[Operation], crash| {
        runs.fetch_add(1, Ordering::Relaxed);
        let steps = catch_unwind(AssertUnwindSafe(|| small::run(history, crash, false)));
        let failure = |failed: Box<dyn Any + Send>| {
            let said = failed.downcast::<String>().map_or_else(|_| "a panic".into(), |said| *said);
            (history.to_vec(), crash, said)
        };
        steps.map_err(|why| failed.lock().unwrap().push(failure(why))).ok()
    };
    std::panic::set_hook(Box::new(|_| {}));
    side_by_side(histories.len(), |at| {
        let history = &histories[at];
        let steps = fails(history, None).unwrap_or_default();
        for crash in (1..=steps).flat_map(|after| CRASHES.map(|crash| (after, crash))) {
            fails(history, Some(crash));
        }
    });
    drop(std::panic::take_hook());
    let (runs, failed) = (runs.into_inner(), failed.into_inner().unwrap());
    println!("{} histories, {runs} runs, {} failed", histories.len(), failed.len());
    for (history, crash, said) in &failed {
        println!("{history:?} {crash:?}: {}", said.lines().next().unwrap_or_default());
    }
    if let Some((history, crash, _)) = failed.iter().min_by_key(|(history, ..)| history.len()) {
        small::run(history, *crash, true);
    }
    assert!(failed.is_empty());
}

#[test]
fn every_scenario_holds_at_every_speed_and_with_any_crash() {
    let mut all = scenario::scenarios();
    let wanted = std::env::var("SCENARIO").ok();
    all.retain(|scenario| wanted.as_ref().is_none_or(|wanted| *wanted == scenario.name));
    // There are no links on this disk.
    let count = all.len();
    all.retain(|scenario| scenario.steps.iter().all(|step| step.link.is_none()));
    let of_real_folders = count - all.len();
    let (runs, failed) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::panic::set_hook(Box::new(|_| {}));
    side_by_side(all.len(), |at| {
        let scenario = &all[at];
        let play = |pause_ms, crash, known: Option<&BTreeSet<String>>| {
            runs.fetch_add(1, Ordering::Relaxed);
            let played = catch_unwind(AssertUnwindSafe(|| scenarios::play(scenario, pause_ms, crash, known, false)));
            played.map_err(|failed| {
                let said = failed.downcast::<String>().map_or_else(|_| "a panic".into(), |said| *said);
                (pause_ms, crash, known.cloned(), said)
            })
        };
        let fails = |why| failed.lock().unwrap().entry(at).or_insert_with(Vec::new).push(why);
        let mut known = BTreeSet::new();
        let mut lengths = Vec::new();
        for pause_ms in scenarios::PAUSES_MS {
            match play(pause_ms, None, None) {
                Ok(played) => {
                    known.extend(played.pushed);
                    lengths.push((pause_ms, played.steps));
                }
                Err(why) => fails(why),
            }
        }
        for (pause_ms, steps) in lengths {
            for crash in (1..=steps).flat_map(|after| CRASHES.map(|crash| (after, crash))) {
                if let Err(why) = play(pause_ms, Some(crash), Some(&known)) {
                    fails(why);
                }
            }
        }
    });
    drop(std::panic::take_hook());
    let (runs, failed) = (runs.into_inner(), failed.into_inner().unwrap());
    println!("{count} scenarios, {of_real_folders} of them on real folders alone, {runs} runs");
    for (at, whys) in &failed {
        let (Scenario { name, about, .. }, (pause_ms, crash, _, said)) = (&all[*at], &whys[0]);
        println!("SCENARIO={name} ({about}): {} runs fail, the first at {pause_ms} ms, {crash:?}: {said}", whys.len());
    }
    if let Some((at, (pause_ms, crash, known, _))) = failed.iter().find_map(|(at, whys)| Some((at, whys.first()?))) {
        scenarios::play(&all[*at], *pause_ms, *crash, known.as_ref(), true);
    }
    assert!(failed.is_empty() && !all.is_empty());
}

#[test]
fn a_week_without_a_network_ends_in_agreement() {
    let week = week::run(Limits::USER, 3);
    println!("{week:?}");
    assert_eq!((week.conflicts, week.pushes), (20, 100));
    // A Google that allows less takes longer, and no less comes of it.
    let slow = week::run(Limits { reads: 20, writes: 5 }, 24);
    println!("{slow:?}");
    assert_eq!((slow.conflicts, slow.pushes), (20, 100));
    // A hundred at sixty a minute.
    assert!(week.minutes <= 2 && week.told_ms.is_some_and(|told| (30_000..120_000).contains(&told)), "{week:?}");
    assert!(slow.told_ms.is_some_and(|told| (600_000..1_500_000).contains(&told)), "{slow:?}");
    // Without a network one look at it in a while is enough, however many files wait.
    assert!(week.wakes < 7 * 24 * 60 * 3, "{} wakes", week.wakes);
}

#[test]
fn the_same_seed_is_the_same_run() {
    for seed in 0..5 {
        let history = History::of(seed);
        assert_eq!(run(&history, None, false), run(&history, None, false), "seed {seed}");
    }
}

/// The seed that found a planted fault when this was written down, in the table of the README here.
fn noted_seed(plant: Plant) -> Option<u64> {
    let rows = include_str!("README.md").lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let (_, seed) = rows
        .filter_map(|row| row.split_once(" | "))
        .find(|(faults, _)| faults.split(", ").any(|fault| fault == format!("{plant:?}")))?;
    seed.replace(',', "").parse().ok()
}

#[test]
fn planted_faults_are_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let found = Mutex::new(BTreeMap::new());
    let wanted = std::env::var("PLANT").ok();
    let plants: Vec<Plant> = Plant::ALL
        .into_iter()
        .filter(|plant| wanted.as_ref().is_none_or(|name| name == "all" || *name == format!("{plant:?}")))
        .collect();
    let fails = |seed, plant| failure(&History::of(seed), plant).is_some();
    side_by_side(plants.len(), |at| {
        let plant = plants[at];
        // What fails without the fault tells nothing of it. The seed that is written down is tried before all others.
        let noted = noted_seed(plant).filter(|_| wanted.is_none());
        let seed =
            noted.into_iter().chain(0..PLANT_SEEDS).find(|seed| fails(*seed, Some(plant)) && !fails(*seed, None));
        found.lock().unwrap().insert(format!("{plant:?}"), seed);
    });
    drop(std::panic::take_hook());
    let found = found.into_inner().unwrap();
    println!("the first seed that finds each planted fault: {found:#?}");
    assert!(found.values().all(Option::is_some), "{found:#?}");
}
