//! Keeps a local folder equal to the Google Workspace items a person fetched.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

pub mod config;
pub mod error;
pub mod gdocs;
pub mod kinds;
pub mod mebdf;
pub mod mirror;
pub mod model;
pub mod store;
pub mod sync;
pub mod workspace;
