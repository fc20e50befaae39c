//! One of the three texts of a merge, with a key for the meaning of each of its blocks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::readings::{self, Meaning, Reading};
use crate::mebdf::{Block, Content, Tree};

/// Gives equal meanings equal numbers.
#[derive(Debug, Default)]
pub(super) struct Keys(BTreeMap<Meaning, u32>);

impl Keys {
    fn of(&mut self, meaning: &Meaning) -> u32 {
        // More than 2³² different blocks do not fit into memory.
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(meaning.clone()).or_insert(next)
    }
}

/// A text that was read.
#[derive(Debug)]
pub(super) struct Text<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// What it says.
    reading: Rc<Reading>,
    /// The meaning of each block under the directives that apply to it.
    pub(super) keys: Vec<u32>,
    /// The meaning of each block alone.
    bare: Vec<u32>,
}

impl<'a> Text<'a> {
    /// Reads a text.
    pub(super) fn read(text: &'a str, keys: &mut Keys) -> Self {
        let reading = readings::of(text);
        let mut numbers = |meanings: &[Meaning]| meanings.iter().map(|meaning| keys.of(meaning)).collect();
        let bare = numbers(&reading.bare);
        let full = numbers(&reading.full);
        Self { text, reading, keys: full, bare }
    }

    /// Returns what it says.
    pub(super) fn tree(&self) -> &Tree {
        &self.reading.parsed.tree
    }

    /// Returns the count of blocks.
    pub(super) fn len(&self) -> usize {
        self.tree().blocks.len()
    }

    /// Returns what a block is.
    pub(super) fn content(&self, index: usize) -> Option<&Content> {
        self.tree().blocks.get(index).map(|block| &block.content)
    }

    /// Returns a run of blocks.
    pub(super) fn blocks(&self, range: &Range<usize>) -> &[Block] {
        self.tree().blocks.get(range.clone()).unwrap_or_default()
    }

    /// Returns the keys of a run of blocks.
    pub(super) fn keys_of(&self, range: &Range<usize>) -> &[u32] {
        self.keys.get(range.clone()).unwrap_or_default()
    }

    /// Returns the meanings of a run of blocks, each alone.
    pub(super) fn bare(&self, range: &Range<usize>) -> &[u32] {
        self.bare.get(range.clone()).unwrap_or_default()
    }

    /// Tells whether a block is a heading.
    pub(super) fn is_heading(&self, index: usize) -> bool {
        matches!(self.content(index), Some(Content::Heading { .. }))
    }

    /// Tells whether a block says something that no document has.
    pub(super) fn has_unsaid(&self, index: usize) -> bool {
        self.reading.unsaid.contains(&index)
    }

    /// Tells whether a block holds anything of its own: not an empty paragraph, a rule, or a directive.
    pub(super) fn has_words(&self, index: usize) -> bool {
        match self.content(index) {
            Some(
                Content::Heading { runs, .. }
                | Content::Paragraph { runs }
                | Content::Item { runs, .. }
                | Content::ItemParagraph { runs, .. },
            ) => !runs.is_empty(),
            Some(Content::Code { .. } | Content::Table { .. } | Content::Footnote { .. }) => true,
            Some(Content::Rule | Content::Directive { .. }) | None => false,
        }
    }

    /// Returns the lines of a run of blocks with everything up to the next block.
    pub(super) fn slice(&self, range: &Range<usize>) -> String {
        if range.is_empty() {
            return String::new();
        }
        let start = self.start(range.start);
        self.text.get(start..self.start(range.end)).unwrap_or_default().trim_end_matches('\n').to_owned() + "\n"
    }

    /// Returns the text with other lines in the places of some blocks; what stands between blocks stays.
    pub(super) fn with(&self, instead: &BTreeMap<usize, String>) -> Option<String> {
        let mut text = self.head().to_owned();
        for at in 0..self.len() {
            let end = if at + 1 < self.len() { self.start(at + 1) } else { self.text.len() };
            let own = self.text.get(self.start(at)..end)?;
            if let Some(lines) = instead.get(&at) {
                text.push_str(lines.trim_end_matches('\n'));
                text.push_str(&"\n".repeat(own.len() - own.trim_end_matches('\n').len()));
            } else {
                text.push_str(own);
            }
        }
        Some(text)
    }

    /// Returns what stands before the first block.
    pub(super) fn head(&self) -> &str {
        self.text.get(..self.start(0)).unwrap_or_default()
    }

    /// Returns where the line of a block begins, in bytes; behind the last, the end. Its indent is what it stands under.
    pub(super) fn start(&self, index: usize) -> usize {
        let Some(block) = self.tree().blocks.get(index) else { return self.text.len() };
        let start = block.span.0.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or_default();
        let line = before.trim_end_matches([' ', '\t']);
        if line.is_empty() || line.ends_with('\n') { line.len() } else { start }
    }
}
