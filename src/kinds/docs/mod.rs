//! Google Docs: a document is an item, each of its tabs a file.

mod adapter;
mod extract;
mod plan;
mod recognize;
mod wire;

pub use adapter::Docs;
