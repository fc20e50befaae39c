//! What Google Docs is: the JSON model and an interpreter of `batchUpdate`. Pure.
//!
//! Recorded answers of the real service are its truth; what they do not settle stands in one table, `quirks`.

mod access;
mod apply;
mod delete;
mod document;
mod ids;
mod index;
mod insert;
#[cfg(test)]
mod laws;
mod legacy;
mod locate;
mod mask;
mod message;
mod named_range;
mod new_document;
mod objects;
mod paragraph_style;
mod quirks;
mod read;
mod refusal;
mod request;
mod runs;
#[cfg(test)]
mod sample;
mod schema;
mod style;
#[cfg(test)]
mod tests;
mod text_style;

pub use access::ElementKind;
pub use apply::{Applied, apply};
pub use document::*;
pub use index::{reindex, segment_end, utf16_len};
pub use legacy::to_legacy;
pub use new_document::new_document;
pub use read::read_requests;
pub use refusal::Refusal;
pub use request::*;
