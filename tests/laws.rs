//! The laws of the format over random documents and random edits of them.
//!
//! `PAIRS=10000000 cargo test --release --test laws` runs longer, `SEED=n` runs one pair again.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::wildcard_enum_match_arm,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test may fail, and says what it saw"
)]

#[path = "support/arithmetic.rs"]
mod arithmetic;
#[path = "support/dice.rs"]
mod dice;
#[path = "support/documents.rs"]
mod documents;
#[path = "support/edits.rs"]
mod edits;
#[path = "support/laws.rs"]
mod laws;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use dice::Dice;
use laws::{Fate, check_edit, check_unedited};

/// Pairs of a document and an edit that a plain `cargo test` checks.
const PAIRS: u64 = 20_000;

/// Edits of one document.
const EDITS: u64 = 10;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Checks one document and [`EDITS`] edits of it; counts their fates.
fn check(seed: u64, fates: &[AtomicU64; 4]) {
    let mut dice = Dice::seeded(seed);
    let raw = documents::document(&mut dice);
    let remote = check_unedited(&raw);
    for _ in 0..EDITS {
        let part = dice.roll(remote.parts.len());
        let edited = edits::edit(&remote.parts[part].text, &mut dice);
        let fate = catch_unwind(AssertUnwindSafe(|| check_edit(&raw, &remote, part, &edited)));
        match fate {
            Ok(fate) => fates[fate as usize].fetch_add(1, Ordering::Relaxed),
            Err(panic) => {
                println!("--- the file:\n{}\n--- as edited:\n{edited}\n---", remote.parts[part].text);
                std::panic::resume_unwind(panic);
            }
        };
    }
}

#[test]
fn any_edit_of_any_document_keeps_the_laws() {
    let fates: [AtomicU64; 4] = Default::default();
    if let Some(seed) = number("SEED") {
        check(seed, &fates);
        return;
    }
    let documents = number("PAIRS").unwrap_or(PAIRS) / EDITS;
    let next = AtomicU64::new(number("FROM").unwrap_or(0));
    let end = next.load(Ordering::Relaxed) + documents;
    let failed = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || failed.lock().unwrap().len() >= number("FAILURES").map_or(5, |most| most as usize)
                    {
                        return;
                    }
                    if catch_unwind(AssertUnwindSafe(|| check(seed, &fates))).is_err() {
                        failed.lock().unwrap().push(seed);
                    }
                }
            });
        }
    });
    let count = |fate: Fate| fates[fate as usize].load(Ordering::Relaxed);
    println!(
        "{} said nothing new, {} arrived, {} were told in part, {} were rejected",
        count(Fate::Nothing),
        count(Fate::Arrived),
        count(Fate::Told),
        count(Fate::Rejected)
    );
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "run again one of these: SEED={failed:?}");
}
