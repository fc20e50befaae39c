#![doc = include_str!("ARCHITECTURE.md")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

pub mod browser;
pub mod cli;
pub mod clients;
pub mod config;
pub mod daemon;
pub mod emulator;
pub mod error;
pub mod extract;
pub mod gdocs;
pub mod google;
pub mod kinds;
pub mod mebdf;
pub mod mirror;
pub mod model;
pub mod notebooklm;
pub mod store;
pub mod sync;
pub mod tools;
pub mod workspace;
