//! Each set of tools on a socket of its own, and the resources beside them.
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

mod errors;
mod google_docs;
mod resources;
mod sockets;
