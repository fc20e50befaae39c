//! Sections, the outline, and what block directives mean for the blocks that follow.

use std::borrow::Borrow;
use std::ops::Range;

use super::properties::{NORMAL_TEXT, canonical_order, named_style, rival};
use super::{Block, Content, Property, PropertyValue, Run, RunContent, Tree};

/// A heading with what follows up to the next heading, or the preamble.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading's anchor: `None` when it has none, empty for the preamble and for a new heading.
    pub anchor: Option<String>,
    /// The heading's text; empty for the preamble.
    pub title: String,
    /// The heading's level, 0 for the preamble.
    pub level: u8,
    /// Its blocks, the heading first.
    pub blocks: Range<usize>,
}

/// Splits a tree into its sections; the preamble comes first when it has blocks.
#[must_use]
pub fn sections(tree: &Tree) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (index, block) in tree.blocks.iter().enumerate() {
        if let Content::Heading { level, anchor, runs } = &block.content {
            sections.push(Section {
                anchor: anchor.clone(),
                title: title(runs),
                level: *level,
                blocks: index..index + 1,
            });
            continue;
        }
        match sections.last_mut() {
            Some(section) => section.blocks.end = index + 1,
            None => sections.push(Section {
                anchor: Some(String::new()),
                title: String::new(),
                level: 0,
                blocks: index..index + 1,
            }),
        }
    }
    sections
}

/// One heading of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// 1 to 6.
    pub level: u8,
    /// Its text.
    pub title: String,
    /// Its anchor, when it has one; empty for a new one.
    pub anchor: Option<String>,
    /// Its line in the file, from 1.
    pub line: u32,
}

/// Lists the headings of a text with their lines.
#[must_use]
pub fn outline(text: &str) -> Vec<OutlineEntry> {
    let text = super::clean(text);
    let parsed = super::parse(&text);
    let mut entries = Vec::new();
    let (mut line, mut seen) = (1_u32, 0);
    for block in &parsed.tree.blocks {
        let Content::Heading { level, anchor, runs } = &block.content else { continue };
        let start = block.span.0.start;
        let breaks = text.get(seen..start).unwrap_or("").matches('\n').count();
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        seen = start;
        entries.push(OutlineEntry { level: *level, title: title(runs), anchor: anchor.clone(), line });
    }
    entries
}

pub(super) fn title(runs: &[Run]) -> String {
    plain(runs).replace(['\n', '\u{b}'], " ").trim().to_owned()
}

/// Returns the text of runs without their looks; anchors, objects and footnotes have none.
#[must_use]
pub fn plain(runs: &[Run]) -> String {
    runs.iter()
        .map(|run| match &run.content {
            RunContent::Text(text) => text.as_str(),
            RunContent::Anchor(_) | RunContent::Object(_) | RunContent::FootnoteReference(_) => "",
        })
        .collect()
}

/// What the directives before a block say about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// The named style, when it is not that of normal text.
    pub style: Option<String>,
    /// The properties in canonical order; those that were turned off are said as off.
    pub properties: Vec<Property>,
    /// Why the block is read-only; empty when no reason is given.
    pub locked: Option<String>,
}

impl State {
    /// Lets a directive act.
    pub fn apply(&mut self, properties: &[Property]) {
        for property in properties {
            if property.name == NORMAL_TEXT {
                *self = Self::default();
            } else if let Some(style) = named_style(&property.name) {
                self.style = Some(style.to_owned());
            } else if property.name == "locked" {
                self.locked = match &property.value {
                    PropertyValue::On => Some(String::new()),
                    PropertyValue::Off => None,
                    PropertyValue::Text(reason) => Some(reason.clone()),
                };
            } else {
                let outdated = if property.value == PropertyValue::Off { "" } else { rival(&property.name) };
                self.properties.retain(|earlier| earlier.name != outdated || properties.contains(earlier));
                self.properties.push(property.clone());
            }
        }
        canonical_order(&mut self.properties);
    }
}

/// Returns for each block the state that it stands in; a heading resets it, and a directive's own state is the one
/// after it.
#[must_use]
pub fn states<B: Borrow<Block>>(blocks: &[B]) -> Vec<State> {
    let mut state = State::default();
    let mut all = Vec::with_capacity(blocks.len());
    for block in blocks {
        step(&mut state, &block.borrow().content);
        all.push(state.clone());
    }
    all
}

/// Returns the state that the block at `index` stands in.
#[must_use]
pub fn state_at(blocks: &[Block], index: usize) -> State {
    let mut state = State::default();
    for block in blocks.iter().take(index.saturating_add(1)) {
        step(&mut state, &block.content);
    }
    state
}

fn step(state: &mut State, content: &Content) {
    if let Content::Directive { properties } = content {
        state.apply(properties);
    } else if matches!(content, Content::Heading { .. }) {
        *state = State::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mebdf::parse;

    #[test]
    fn a_text_falls_into_sections() {
        let tree = parse("pre\n\n# {^ h.a}A *b*\n\ntext\n\n## B\n").tree;
        let all: Vec<_> =
            sections(&tree).into_iter().map(|s| (s.anchor, s.title, s.level, s.blocks.start, s.blocks.end)).collect();
        assert_eq!(
            all,
            [
                (Some(String::new()), String::new(), 0, 0, 1),
                (Some("h.a".to_owned()), "A b".to_owned(), 1, 1, 3),
                (None, "B".to_owned(), 2, 3, 4),
            ]
        );
    }

    #[test]
    fn an_outline_counts_the_head() {
        let lines: Vec<u32> =
            outline("---\ntitle: x\n---\n\n# A\n\ntext\n## B\n").into_iter().map(|e| e.line).collect();
        assert_eq!(lines, [5, 8]);
    }

    #[test]
    fn directives_add_up_until_a_heading() {
        let tree = parse("{!locked:why}\n\n{!mono}\n\na\n\n{!align:center, mono:false}\n\nb\n\n{!Normal text}\n\nc\n\n{!mono}\n\n# D\n\nd\n").tree;
        let text: Vec<String> = states(&tree.blocks)
            .into_iter()
            .zip(&tree.blocks)
            .filter(|(_, block)| matches!(block.content, Content::Paragraph { .. }))
            .map(|(state, _)| {
                let names: Vec<String> = state.properties.iter().map(|p| format!("{}={:?}", p.name, p.value)).collect();
                format!("{:?} {}", state.locked, names.join(" "))
            })
            .collect();
        assert_eq!(text, ["Some(\"why\") mono=On", "Some(\"why\") mono=Off align=Text(\"center\")", "None ", "None "]);
    }
}
