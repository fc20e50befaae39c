//! The whole way of a person's edit: from the file through the daemon to the embedded Google, and what is told of it.
#![allow(
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

#[path = "../support/mod.rs"]
mod support;

mod stages;
mod stale;
mod steps;
mod tabs;
mod told;
