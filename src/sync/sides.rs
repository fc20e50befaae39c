//! One of the three texts of a merge, with a key for the meaning of each of its blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::mebdf::{self, Block, Content, PropertyValue, Tree};

/// Gives equal meanings equal numbers.
#[derive(Debug, Default)]
pub(super) struct Keys(HashMap<String, u32>);

impl Keys {
    fn of(&mut self, meaning: String) -> u32 {
        // More than 2³² different blocks do not fit into memory.
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(meaning).or_insert(next)
    }
}

/// A text that was read.
#[derive(Debug)]
pub(super) struct Text<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// What it says.
    pub(super) tree: Tree,
    /// The meaning of each block under the directives that apply to it.
    pub(super) keys: Vec<u32>,
    /// The meaning of each block alone.
    bare: Vec<u32>,
    /// The blocks that say something that no document has.
    unsaid: BTreeSet<usize>,
}

impl<'a> Text<'a> {
    /// Reads a text.
    pub(super) fn read(text: &'a str, keys: &mut Keys) -> Self {
        let parsed = mebdf::parse(text);
        let unsaid = unsaid(text, &parsed);
        let tree = parsed.tree;
        let mut state = BTreeMap::new();
        let mut full = Vec::with_capacity(tree.blocks.len());
        let mut bare = Vec::with_capacity(tree.blocks.len());
        for (at, block) in tree.blocks.iter().enumerate() {
            let meaning = meaning(&block.content) + unsaid.get(&at).map_or("", String::as_str);
            bare.push(keys.of(format!("bare {meaning}")));
            advance(&mut state, &block.content);
            let is_directive = matches!(block.content, Content::Directive { .. });
            full.push(keys.of(if is_directive || state.is_empty() { meaning } else { format!("{state:?} {meaning}") }));
        }
        Self { text, tree, keys: full, bare, unsaid: unsaid.into_keys().collect() }
    }

    /// Returns the count of blocks.
    pub(super) const fn len(&self) -> usize {
        self.tree.blocks.len()
    }

    /// Returns what a block is.
    pub(super) fn content(&self, index: usize) -> Option<&Content> {
        self.tree.blocks.get(index).map(|block| &block.content)
    }

    /// Returns a run of blocks.
    pub(super) fn blocks(&self, range: &Range<usize>) -> &[Block] {
        self.tree.blocks.get(range.clone()).unwrap_or_default()
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
        self.unsaid.contains(&index)
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
        let Some(block) = self.tree.blocks.get(index) else { return self.text.len() };
        let start = block.span.0.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or_default();
        let line = before.trim_end_matches([' ', '\t']);
        if line.is_empty() || line.ends_with('\n') { line.len() } else { start }
    }
}

/// What a text says and no document has, by the block that it stands in or behind: it counts, so that it is told and stays
/// in the file.
fn unsaid(text: &str, parsed: &mebdf::Parsed) -> BTreeMap<usize, String> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for notice in parsed.unsaid() {
        let lines = usize::try_from(notice.line).unwrap_or(usize::MAX);
        let end: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
        let behind = parsed.tree.blocks.partition_point(|block| block.span.0.start < end);
        found.entry(behind.saturating_sub(1)).or_default().push_str(&format!("\nunsaid {}", notice.message));
    }
    found
}

/// Returns what a block says: its canonical form, without a heading's anchor, which is Google's, and with soft breaks
/// as the spaces that they mean.
fn meaning(content: &Content) -> String {
    let print = |content: Content| mebdf::print(&Tree { front_matter: None, blocks: vec![Block::new(content)] });
    match content {
        Content::Heading { level, runs, .. } => {
            let plain = Content::Heading { level: *level, anchor: None, runs: runs.clone() };
            format!("heading {}", unwrapped(&print(plain)))
        }
        Content::Paragraph { .. } => format!("paragraph {}", unwrapped(&print(content.clone()))),
        Content::Item { depth, mark, runs } => {
            let flat = Content::Paragraph { runs: runs.clone() };
            format!("item {depth} {mark:?} {}", unwrapped(&print(flat)))
        }
        Content::ItemParagraph { depth, runs } => {
            let flat = Content::Paragraph { runs: runs.clone() };
            format!("item paragraph {depth} {}", unwrapped(&print(flat)))
        }
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => print(content.clone()),
    }
}

fn unwrapped(printed: &str) -> String {
    printed.trim_end_matches('\n').replace('\n', " ")
}

/// Applies a block to the state of block directives: they accumulate, and a heading resets them.
fn advance(state: &mut BTreeMap<String, String>, content: &Content) {
    match content {
        Content::Heading { .. } => state.clear(),
        Content::Directive { properties } => {
            for property in properties {
                let is_style = property.name.chars().next().is_some_and(char::is_uppercase);
                match &property.value {
                    PropertyValue::On if property.name == "Normal text" => state.clear(),
                    PropertyValue::On if is_style => {
                        state.insert("style".into(), property.name.clone());
                    }
                    PropertyValue::On => {
                        state.insert(property.name.clone(), String::new());
                    }
                    PropertyValue::Off => {
                        state.remove(&property.name);
                    }
                    PropertyValue::Text(value) => {
                        state.insert(property.name.clone(), value.clone());
                    }
                }
            }
        }
        Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Footnote { .. } => {}
    }
}
