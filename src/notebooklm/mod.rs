//! How NotebookLM ("Gemini Notebook") speaks: requests, frames, rows, documents and answers, both ways. Pure.
//!
//! The personal product has no published interface: what its web page sends and gets are lists whose meaning is their
//! index. So everything here is read leniently, and what cannot be read is told by its path and shape, never by its
//! content. Recorded answers are the truth; the enterprise product has a published one, and speaks the same nouns.
//!
//! Positions in documents and answers count UTF-16 units from 0; lengths of bodies count bytes.

pub mod bootstrap;
pub mod call;
pub mod chat;
pub mod document;
pub mod enterprise;
pub mod fault;
pub mod form;
pub mod frames;
pub mod hosts;
pub mod ids;
pub mod json;
pub mod reply;
pub mod rows;
pub mod slot;
#[cfg(test)]
mod tests;

pub use bootstrap::{Landing, Page, Tokens};
pub use call::{Call, Session};
pub use document::{Document, Markdown};
pub use fault::{fault_of, fault_of_end};
pub use frames::{Ending, Frames, Writer};
pub use ids::{Operation, Overrides};
pub use reply::{Outcome, Rejection};
pub use rows::{Limits, Note, Notebook, Source, Turn};
pub use slot::{Drift, Slot};
