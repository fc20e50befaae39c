//! What Google Docs is: the JSON model and an interpreter of `batchUpdate`. Pure.

mod apply;
mod document;
mod message;
mod request;

pub use apply::{Applied, Refusal, apply, read_requests};
pub use document::*;
pub use request::*;
