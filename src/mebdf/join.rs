//! Builds a text from blocks, each printed or taken as somebody wrote it.

use super::normalize::normalize_content;
use super::print::BlockPrinter;
use super::{Block, Content, Tree, parse};

/// Builds a text from `blocks`: each is taken as its source slice says it, or printed when it has none. A slice that
/// would mean something else where it now stands is printed too, so the result always parses to the blocks.
#[must_use]
pub fn join(blocks: &[(&Content, Option<&str>)]) -> String {
    let mut tree =
        Tree { front_matter: None, blocks: blocks.iter().map(|(content, _)| Block::new((*content).clone())).collect() };
    tree.normalize();
    if tree.blocks.len() != blocks.len() {
        return super::print(&tree);
    }
    let wanted: Vec<Content> = tree.blocks.into_iter().map(|block| block.content).collect();
    let mut slices: Vec<Option<&str>> = wanted
        .iter()
        .zip(blocks)
        .map(|(content, (_, slice))| slice.filter(|slice| is_list(content) || stands_alone(content, slice)))
        .collect();
    // A list is judged as a whole: the indentation of an item means something only under the items before it.
    let mut start = 0;
    while start < wanted.len() {
        let length = wanted.iter().skip(start).take_while(|content| is_list(content)).count();
        let end = start + length;
        if length > 0 && !reads_back(&wanted, &slices, start, end) {
            for (slice, content) in slices.iter_mut().zip(&wanted).take(end).skip(start) {
                // Items that mean the same anywhere may stay as they are.
                *slice = slice.filter(|slice| is_plain_item(content, slice));
            }
            if !reads_back(&wanted, &slices, start, end) {
                slices.iter_mut().take(end).skip(start).for_each(|slice| *slice = None);
            }
        }
        start = end.max(start + 1);
    }
    if reads_back(&wanted, &slices, 0, wanted.len()) {
        return build(&wanted, &slices, 0, wanted.len());
    }
    // Something reaches over the end of its block, such as an indented paragraph after a list.
    let mut after_container = false;
    for (slice, content) in slices.iter_mut().zip(&wanted) {
        *slice = slice.filter(|slice| {
            let indented = slice.starts_with([' ', '\t']) && after_container;
            let open_fence = matches!(content, Content::Code { .. }) && !has_closing_fence(slice);
            !indented && !open_fence
        });
        after_container = is_list(content) || matches!(content, Content::Footnote { .. });
    }
    if !reads_back(&wanted, &slices, 0, wanted.len()) {
        slices.iter_mut().for_each(|slice| *slice = None);
    }
    build(&wanted, &slices, 0, wanted.len())
}

fn build(wanted: &[Content], slices: &[Option<&str>], start: usize, end: usize) -> String {
    let mut printer = BlockPrinter::default();
    for (content, slice) in wanted.iter().zip(slices).take(end).skip(start) {
        match slice {
            Some(text) => printer.source(content, text, text_column(text)),
            None => {
                printer.block(content);
            }
        }
    }
    printer.finish()
}

fn reads_back(wanted: &[Content], slices: &[Option<&str>], start: usize, end: usize) -> bool {
    if slices.iter().take(end).skip(start).all(Option::is_none) {
        return true;
    }
    let tree = parse(&build(wanted, slices, start, end)).tree;
    tree.front_matter.is_none()
        && tree.blocks.iter().map(|block| &block.content).eq(wanted.iter().take(end).skip(start))
}

fn stands_alone(content: &Content, slice: &str) -> bool {
    // A rule that begins a text could be read as a head, so it is judged behind another block.
    let mut wanted = content.clone();
    normalize_content(&mut wanted);
    let tree = parse(&format!("x\n\n{slice}")).tree;
    matches!(tree.blocks.as_slice(), [_, only] if only.content == wanted)
}

fn is_list(content: &Content) -> bool {
    matches!(content, Content::Item { .. } | Content::ItemParagraph { .. })
}

fn is_plain_item(content: &Content, slice: &str) -> bool {
    matches!(content, Content::Item { depth: 0, .. }) && (slice.starts_with("- ") || slice.starts_with("1. "))
}

fn has_closing_fence(slice: &str) -> bool {
    let mut lines = slice.trim_end().lines();
    let first = lines.next().unwrap_or("").trim_start();
    let mark = first.chars().next().unwrap_or(' ');
    let length = first.chars().take_while(|letter| *letter == mark).count();
    let closing = lines.last().unwrap_or("").trim();
    matches!(mark, '`' | '~') && closing.chars().count() >= length && closing.chars().all(|letter| letter == mark)
}

/// Returns the column at which the text of an item begins.
fn text_column(slice: &str) -> usize {
    let line = slice.lines().next().unwrap_or("");
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = line.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mark = digits + 1;
    let spaces = rest.bytes().skip(mark).take_while(|byte| *byte == b' ').count();
    indent + mark + if (1..=4).contains(&spaces) { spaces } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mebdf::clean;

    /// Joins the blocks of a text as slices, but for those whose index is in `reprinted`.
    fn rejoin(text: &str, reprinted: &[usize]) -> String {
        let text = clean(text);
        let tree = parse(&text).tree;
        let blocks: Vec<(&Content, Option<&str>)> = tree
            .blocks
            .iter()
            .enumerate()
            .map(|(index, block)| {
                (&block.content, (!reprinted.contains(&index)).then(|| text.get(block.span.0.clone()).unwrap()))
            })
            .collect();
        join(&blocks)
    }

    #[test]
    fn a_persons_own_way_of_writing_stays() {
        let check = |text: &str, reprinted: &[usize], joined: &str| assert_eq!(rejoin(text, reprinted), joined);
        check("Title\n=====\n\n* a\n* b\n\n__x__ _y_\n", &[], "Title\n=====\n\n* a\n* b\n\n__x__ _y_\n");
        check("__x__\n\n__y__\n", &[1], "__x__\n\n**y**\n");
        check("*   a\n    *   b\n*   c\n", &[], "*   a\n    *   b\n*   c\n");
        check("x\n\n***\n\ny\n", &[0], "x\n\n***\n\ny\n");
        check("- a\n- b\n- c\n", &[1], "- a\n- b\n- c\n");
        check("1. a\n1. b\n1. c\n", &[1], "1. a\n2. b\n1. c\n");
        check("- a\n\n  p\n\n- b\n", &[0], "- a\n\n  p\n\n- b\n");
    }

    #[test]
    fn a_slice_that_would_mean_something_else_is_printed() {
        let a = parse("- a\n").tree.blocks.remove(0).content;
        let p = parse("  p\n").tree.blocks.remove(0).content;
        assert_eq!(join(&[(&a, Some("- a\n")), (&p, Some("  p\n"))]), "- a\n\np\n");
        assert_eq!(join(&[(&p, Some("```\nother\n"))]), "p\n");
    }
}
