//! Where the text of a part can be cut, so that what stands between two cuts means the same alone. Pure.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::extract::{Extract, Origin};
use crate::mebdf::{Block, Content, Run, RunContent, State, states};

/// A block at which a text can be cut: a heading, or a paragraph that no directive reaches over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Landmark {
    /// Where its line begins in the text of its part, in bytes.
    pub(crate) at: usize,
    /// Where its line ends, behind the newline.
    pub(crate) end: usize,
    /// Index among the body's structural elements.
    pub(crate) element: usize,
    /// Whether it is a heading: that ends all directives, also those which an edit puts before it.
    pub(crate) heading: bool,
}

/// The text of a footnote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// Its label.
    pub(crate) label: String,
    /// Where its text begins, in bytes.
    pub(crate) at: usize,
    /// The structural element of the body that refers to it.
    pub(crate) element: usize,
}

/// All that is known of the text of a part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Landmarks {
    /// In the order of the text.
    pub(crate) cuts: Vec<Landmark>,
    /// The footnotes, which stand last; `None` when it is not known which paragraph each belongs to.
    pub(crate) notes: Option<Vec<Note>>,
}

impl Landmarks {
    /// Finds them in a tab that was `presented` and printed as `text`, its blocks at `starts`.
    pub(super) fn read(extract: &Extract, presented: &[Cow<'_, Block>], starts: &[usize], text: &str) -> Self {
        let (mut cuts, mut labels) = (Vec::new(), Vec::new());
        let mut flat = extract.tree.blocks.iter().zip(&extract.origins);
        for ((block, state), at) in presented.iter().zip(states(presented)).zip(starts) {
            let source = match &block.content {
                Content::Directive { .. } => continue,
                // A code block is a row of paragraphs.
                Content::Code { text, .. } => flat.nth(text.matches('\n').count().saturating_sub(1)),
                Content::Heading { .. }
                | Content::Paragraph { .. }
                | Content::Item { .. }
                | Content::ItemParagraph { .. }
                | Content::Table { .. }
                | Content::Rule
                | Content::Footnote { .. } => flat.next(),
            };
            let Some((flat, origin)) = source else { return Self::default() };
            match (&block.content, &flat.content, origin) {
                (Content::Heading { .. }, Content::Heading { .. }, Origin::Line { element, .. }) => {
                    let end = end_of_line(text, *at);
                    cuts.push(Landmark { at: *at, end, element: *element, heading: true });
                }
                (Content::Paragraph { runs }, Content::Paragraph { .. }, Origin::Line { element, .. })
                    if is_bare(block, &state) && (matches!(block, Cow::Borrowed(_)) || runs == flat_runs(flat)) =>
                {
                    let end = end_of_line(text, *at);
                    cuts.push(Landmark { at: *at, end, element: *element, heading: false });
                }
                (Content::Footnote { label, .. }, Content::Footnote { label: same, .. }, _) if label == same => {
                    labels.push((label, *at));
                }
                _ => {}
            }
        }
        if flat.next().is_some() {
            return Self::default();
        }
        Self { cuts, notes: notes(extract, &labels) }
    }
}

fn flat_runs(block: &Block) -> &[Run] {
    if let Content::Paragraph { runs } = &block.content { runs } else { &[] }
}

/// Tells whether a block is a paragraph of one line that says all of its looks itself, where no directive is in force: none
/// can have been lifted over it, and none can reach from before it to behind it.
pub(crate) fn is_bare(block: &Block, state: &State) -> bool {
    let Content::Paragraph { runs } = &block.content else { return false };
    let plain = |run: &Run| {
        let text = matches!(&run.content, RunContent::Text(text) if !text.is_empty());
        text && !run.marks.code && run.marks.link.is_none()
    };
    let torn = |run: &Run| matches!(&run.content, RunContent::Text(text) if text.contains(['\n', '\u{b}']));
    *state == State::default()
        && runs.iter().any(plain)
        && runs.iter().all(|run| run.marks.properties.is_empty() && !torn(run))
}

/// Finds the paragraph that each footnote belongs to.
fn notes(extract: &Extract, labels: &[(&String, usize)]) -> Option<Vec<Note>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (block, origin) in extract.tree.blocks.iter().zip(&extract.origins) {
        let (Origin::Line { element, .. } | Origin::Table { element, .. }) = origin else { continue };
        for run in block.content.runs() {
            if let RunContent::FootnoteReference(label) = &run.content
                && places.insert(label, *element).is_some()
            {
                return None;
            }
        }
    }
    if labels.len() != places.len() {
        return None;
    }
    let note = |(label, at): &(&String, usize)| {
        let element = places.get(label.as_str()).copied()?;
        Some(Note { label: (*label).clone(), at: *at, element })
    };
    labels.iter().map(note).collect()
}

/// Where the line at `at` ends, behind its newline.
pub(super) fn end_of_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}
