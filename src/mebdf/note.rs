//! What a footnote holds: paragraphs alone, so that of other blocks it has the words.

use super::braces;
use super::{Content, Marks, Run, RunContent};

/// What a block is that is no paragraph.
pub(super) const fn what(content: &Content) -> Option<&'static str> {
    match content {
        Content::Heading { .. } => Some("heading"),
        Content::Code { .. } => Some("code"),
        Content::Table { .. } => Some("table"),
        Content::Item { .. } | Content::ItemParagraph { .. } => Some("list"),
        Content::Rule | Content::Directive { .. } | Content::Footnote { .. } | Content::Paragraph { .. } => None,
    }
}

/// A run of plain text.
pub(super) fn text(text: String) -> Run {
    Run { content: RunContent::Text(text), marks: Marks::default() }
}

/// The paragraphs that a footnote has of a block.
pub(super) fn paragraphs(content: Content) -> Vec<Vec<Run>> {
    let line = |words: String| vec![text(words)];
    match content {
        Content::Heading { runs, .. }
        | Content::Paragraph { runs }
        | Content::Item { runs, .. }
        | Content::ItemParagraph { runs, .. } => vec![runs],
        Content::Code { text: code, .. } => code.lines().map(|words| line(words.to_owned())).collect(),
        Content::Table { rows, .. } => rows.into_iter().flatten().flatten().collect(),
        Content::Rule => vec![line("---".to_owned())],
        Content::Directive { properties } => vec![line(braces::print_open(&properties))],
        Content::Footnote { paragraphs, .. } => paragraphs,
    }
}
