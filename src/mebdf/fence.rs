//! Code blocks that no line ends: all behind them is read as code.

use super::{Content, Tree};

/// Returns where the last code block of a text begins that no line of its marks ends, in bytes; `tree` is what the text says.
#[must_use]
pub fn open_fence(text: &str, tree: &Tree) -> Option<usize> {
    let block = tree.blocks.iter().rfind(|block| matches!(block.content, Content::Code { .. }))?;
    let source = text.get(block.span.0.clone())?;
    let mut lines = source.trim_end().lines();
    let mark = lines.next()?.trim_start().chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let width = |line: &str| line.chars().take_while(|letter| *letter == mark).count();
    let opened = width(source.trim_start());
    let last = lines.last().map(str::trim).unwrap_or_default();
    let closed = width(last) >= opened && last.chars().all(|letter| letter == mark);
    (!closed).then_some(block.span.0.start)
}
