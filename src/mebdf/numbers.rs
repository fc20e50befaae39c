//! The numbers that a text writes at its items. The tree has none, since Markdown counts by itself.

use std::ops::Range;

use super::mask::list_mark;
use super::{Content, Mark, Tree};

/// An item of a numbered list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// Its block.
    pub block: usize,
    /// The number that it has, counted from the first of its list.
    pub counted: u64,
    /// The number that is written, and where.
    pub written: Option<(u64, Range<usize>)>,
    /// Whether its list begins with it.
    pub is_first: bool,
}

impl Numbered {
    /// Tells whether its number is written or counted.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.counted == number || self.is_written(number)
    }

    /// Tells whether its number is written.
    #[must_use]
    pub fn is_written(&self, number: u64) -> bool {
        self.written.as_ref().is_some_and(|(written, _)| *written == number)
    }
}

/// Finds the items of numbered lists in a text and its tree.
#[must_use]
pub fn numbered(text: &str, tree: &Tree) -> Vec<Numbered> {
    let mut found = Vec::new();
    // The number of the last item at each depth, as long as its list goes on.
    let mut counts: Vec<Option<u64>> = Vec::new();
    for (block, one) in tree.blocks.iter().enumerate() {
        let (depth, mark) = match &one.content {
            Content::Item { depth, mark, .. } => (usize::from(*depth), *mark),
            Content::ItemParagraph { .. } => continue,
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule
            | Content::Directive { .. }
            | Content::Footnote { .. } => {
                counts.clear();
                continue;
            }
        };
        counts.resize(depth + 1, None);
        let Some(count) = counts.get_mut(depth) else { continue };
        if mark != Mark::Number {
            *count = None;
            continue;
        }
        let written = digits(text, one.span.0.start);
        let spelled = written.as_ref().map(|(number, _)| *number);
        let is_first = count.is_none();
        let counted = count.map_or_else(|| spelled.unwrap_or(1), |before| before.saturating_add(1));
        *count = Some(counted);
        found.push(Numbered { block, counted, written, is_first });
    }
    found
}

/// The number that a line begins with, and where it stands: that of the innermost list, where several begin in the line.
fn digits(text: &str, line: usize) -> Option<(u64, Range<usize>)> {
    let rest = text.get(line..)?;
    let mut at = line + rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let mut found = None;
    loop {
        let rest = text.get(at..)?.lines().next().unwrap_or_default();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mark = list_mark(rest);
        // A number without a text has no blank behind it.
        if mark.is_none() && (found.is_some() || length == 0) {
            return found;
        }
        found = rest.get(..length).and_then(|digits| digits.parse().ok()).map(|number| (number, at..at + length));
        let Some(mark) = mark else { return found };
        at += mark;
    }
}
