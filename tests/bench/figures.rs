//! The figures of the design that can be measured: each beside its reference, measured in the same run.
//!
//! `cargo bench` prints a table; `cargo bench -- --check` fails when a target is missed.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a measuring program says what it measured and may fail"
)]

mod documents;
#[path = "../support/generated.rs"]
mod generated;
mod report;

use report::Report;

fn main() {
    let check = std::env::args().any(|argument| argument == "--check");
    let mut report = Report::default();
    documents::reading(&mut report);
    documents::no_edit(&mut report);
    documents::one_word(&mut report);
    documents::scaling(&mut report);
    report.print();
    if check && report.missed() > 0 {
        std::process::exit(1);
    }
}
