//! Documents, both ways: what the file shows of them, and what an edit of it asks of Google.
#![allow(
    clippy::cast_possible_truncation,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "../support/generated.rs"]
mod generated;
#[path = "../support/mod.rs"]
mod support;

mod anchors;
mod carried;
mod checklists;
mod comments;
mod creation;
mod exact;
mod head;
mod images;
mod looks;
mod making;
mod marks;
mod moves;
mod numbers;
mod plan;
mod refusals;
mod structure;
mod style_cases;
mod styles;
mod tables;
mod threads;
mod told;
mod window;
