//! The text format: parse, print, sections. Pure.

mod tree;

pub use tree::*;

use crate::model::Notice;

/// What a text says, and what in it was not understood.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The tree; it always stands for the whole text.
    pub tree: Tree,
    /// Malformed forms, which were read as literal text.
    pub diagnostics: Vec<Notice>,
}

/// Reads a text. Total: malformed forms are literal text plus a diagnostic.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let _ = text;
    Parsed::default()
}

/// Prints a tree in canonical form.
#[must_use]
pub fn print(tree: &Tree) -> String {
    let _ = tree;
    String::new()
}
