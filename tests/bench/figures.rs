//! The figures of the design that can be measured: each beside its reference, measured in the same run.
//!
//! `cargo bench --bench figures` prints a table; with `-- --check` it fails when a target is missed, with `-- NAME…` it
//! measures only these groups.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::needless_pass_by_value,
    clippy::exit,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a measuring program says what it measured and may fail"
)]

mod bare;
mod calls;
mod daemon;
mod documents;
#[path = "../support/generated.rs"]
mod generated;
mod mail;
mod report;
#[allow(
    dead_code,
    unused_qualifications,
    clippy::wildcard_enum_match_arm,
    reason = "other programs use the rest of it"
)]
#[path = "../support/world.rs"]
mod world;

use report::Report;

/// A group of figures, by the name that chooses it.
type Group = (&'static str, fn(&mut Report));

const GROUPS: [Group; 10] = [
    ("reading", documents::reading),
    ("no_edit", documents::no_edit),
    ("one_word", documents::one_word),
    ("forms", documents::forms),
    ("scaling", documents::scaling),
    ("long_document", daemon::long_document),
    ("save_to_post", daemon::save_to_post),
    ("restart", daemon::restart),
    ("calls", calls::calls),
    ("mail", mail::mail),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if bare::play(&arguments) {
        return;
    }
    println!("{}", report::circumstances());
    let check = arguments.iter().any(|argument| argument == "--check");
    let names: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let mut report = Report::default();
    for (name, measure) in GROUPS {
        if names.is_empty() || names.iter().any(|chosen| *chosen == name) {
            measure(&mut report);
        }
    }
    report.print();
    if check && report.missed() > 0 {
        std::process::exit(1);
    }
}
