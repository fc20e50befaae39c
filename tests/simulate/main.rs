//! The whole engine in a simulated world: machines with disks that lose what was not synced, people who save as editors do,
//! another person in the documents, a network that loses answers, and crashes between any two steps.
//!
//! One seed is one run. A seed that fails is printed; `SEED=n cargo test --test simulate` runs it alone and shows it, `SEEDS=n`
//! runs more of them, beginning with `FROM=n`.
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
mod google;
mod ledger;
mod machine;
mod people;
mod plants;
mod run;
mod store;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use plants::Plant;
use run::{Outcome, run};

/// Seeds of a run of the tests.
const SEEDS: u64 = 300;

/// Seeds within which a planted fault must be found.
const PLANT_SEEDS: u64 = 10_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn any_history_ends_in_agreement() {
    if let Some(seed) = number("SEED") {
        println!("{:?}", run(seed, None, true));
        return;
    }
    let from = number("FROM").unwrap_or(0);
    let seeds = number("SEEDS").unwrap_or(SEEDS);
    let mut sum = Outcome::default();
    let mut failed = Vec::new();
    for seed in from..from + seeds {
        match catch_unwind(|| run(seed, None, false)) {
            Ok(outcome) => sum.add(&outcome),
            Err(_) => failed.push(seed),
        }
    }
    println!("{seeds} seeds from {from}: {sum:?}");
    assert!(failed.is_empty(), "SEED={failed:?} fail");
    // A simulation in which nothing happens proves nothing.
    assert!(sum.pushes > seeds && sum.conflicts > 0 && sum.crashes > seeds / 2, "{sum:?}");
}

#[test]
fn the_same_seed_is_the_same_run() {
    for seed in 0..5 {
        assert_eq!(run(seed, None, false), run(seed, None, false), "seed {seed}");
    }
}

#[test]
fn planted_faults_are_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let fails = |seed, plant| catch_unwind(AssertUnwindSafe(|| run(seed, plant, false))).is_err();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(plant) = Plant::ALL.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                    // What fails without the fault tells nothing of it.
                    let seed = (0..PLANT_SEEDS).find(|seed| fails(*seed, Some(plant)) && !fails(*seed, None));
                    found.lock().unwrap().insert(format!("{plant:?}"), seed);
                }
            });
        }
    });
    drop(std::panic::take_hook());
    let found = found.into_inner().unwrap();
    println!("the first seed that finds each planted fault: {found:#?}");
    assert!(found.values().all(Option::is_some), "{found:#?}");
}
