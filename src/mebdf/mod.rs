//! The text format: parse, print, sections. Pure.

mod braces;
mod definitions;
mod elsewhere;
mod emphasis;
mod escape;
mod excerpt;
mod fence;
mod flat;
mod front_matter;
mod head_lines;
mod html;
mod inline;
mod join;
mod markup;
mod mask;
mod names;
mod nested;
mod normalize;
mod note;
mod numbers;
mod parse;
mod print;
mod properties;
mod replace;
mod row;
mod section;
#[cfg(test)]
mod tests;
mod tree;

use std::borrow::{Borrow, Cow};
use std::ops::Range;

pub use braces::is_object_kind;
pub use definitions::definitions;
pub use elsewhere::{object_that_says, replace_in_head, says};
pub use excerpt::{Excerpt, Heading, excerpt, headings, replaced};
pub use fence::open_fence;
pub use flat::said;
pub use html::html;
pub use join::join;
pub use markup::{literal, markdown, markup};
pub use names::{LABELS, print_names, print_some_names, read_names};
pub use normalize::{normalize_content, normalize_runs};
pub use numbers::{Numbered, numbered};
pub use print::print_block;
pub use properties::{canonical_order as sort_properties, color, is_known, named_style, rival};
pub use replace::{By, FIND_BYTES_MAX, Find, append, body_end, replace, replace_blocks, rewritten};
pub use row::cell_count;
pub use section::{OutlineEntry, Section, State, outline, plain, sections, state_at, states};
pub use tree::*;

use crate::model::Notice;

/// The longest text that is parsed, in bytes; a longer one is one literal paragraph.
pub const TEXT_BYTES_MAX: usize = 16 << 20;

/// What the anchors of mails begin with.
pub const MAIL_ANCHOR: &str = "msg.";

/// The code of the notice that the head of a text cannot be read.
pub const HEAD_FAULT: &str = "FRONT_MATTER";

/// What a text says, and what in it was not understood.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The tree; it always stands for the whole text.
    pub tree: Tree,
    /// Malformed forms, which were read as literal text.
    pub diagnostics: Vec<Notice>,
}

impl Parsed {
    /// Returns what the text says and no document has: titles of links, links without a text, and headings in items. The
    /// tree says nothing of them.
    pub fn unsaid(&self) -> impl Iterator<Item = &Notice> {
        let codes = [parse::LINK_TITLE, parse::HEADING_IN_ITEM, inline::LINK_WITHOUT_TEXT];
        self.diagnostics.iter().filter(move |notice| codes.contains(&notice.code.as_str()))
    }
}

/// Takes byte order marks from the begin of a text and makes its line ends `\n`; doing it twice changes nothing. All spans refer to the text after that.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    let text = text.trim_start_matches('\u{feff}');
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// Reads a text. Total: malformed forms are literal text plus a diagnostic. The tree is normalised; the spans of its
/// blocks refer to the text after [`clean`].
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let text = clean(text);
    if text.len() > TEXT_BYTES_MAX {
        return as_one_paragraph(&text);
    }
    let mut found = Vec::new();
    let head = front_matter::parse(&text);
    let base = head.as_ref().map_or(0, |head| head.length);
    if let Some(head_lines::Fault { at, reason }) = head.as_ref().and_then(|head| head.fault.as_ref()) {
        let message = format!("the head cannot be read: {reason}");
        found.push(inline::Finding { at: *at, code: HEAD_FAULT, message });
    }
    let body = text.get(base..).unwrap_or("");
    if let Some(at) = head.as_ref().and_then(|head| head.again) {
        let message = "a second head stands under the first and is not read; take it out of the file".to_owned();
        found.push(inline::Finding { at, code: "FRONT_MATTER_TWICE", message });
    }
    let (mut blocks, findings) = parse::blocks(body);
    fix_spans(&mut blocks, body, base);
    found.extend(findings.into_iter().map(|finding| inline::Finding { at: finding.at + base, ..finding }));
    let mut tree = Tree { front_matter: head.map(|head| head.front_matter), blocks };
    tree.normalize();
    Parsed { tree, diagnostics: notices(found, &text) }
}

/// Reads the head of a text alone; `None` when it has none.
#[must_use]
pub fn head(text: &str) -> Option<FrontMatter> {
    front_matter::parse(&clean(text)).map(|head| head.front_matter)
}

/// Returns a text without its head. The text is one that [`clean`] would not change.
#[must_use]
pub fn body(text: &str) -> &str {
    let length = front_matter::find(text).map_or(0, |found| found.length);
    text.get(length..).unwrap_or(text).trim_start_matches('\n')
}

/// Prints a tree in canonical form.
#[must_use]
pub fn print(tree: &Tree) -> String {
    let mut tree = tree.clone();
    tree.normalize();
    print_normalized(tree.front_matter.as_ref(), &tree.blocks).text
}

/// A text, and where its blocks stand in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// Where the first line of each block begins, in bytes.
    pub starts: Vec<usize>,
}

/// Prints the head and the blocks of a tree that [`Tree::normalize`] would not change.
#[must_use]
pub fn print_normalized<B: Borrow<Block>>(head: Option<&FrontMatter>, blocks: &[B]) -> Printed {
    let head = head.map(front_matter::print).unwrap_or_default();
    let gap = if head.is_empty() || blocks.is_empty() { "" } else { "\n" };
    let base = head.len() + gap.len();
    let mut printer = print::BlockPrinter::default();
    let mut starts = Vec::with_capacity(blocks.len());
    for block in blocks {
        starts.push(base + printer.block(&block.borrow().content));
    }
    Printed { text: format!("{head}{gap}{}", printer.finish()), starts }
}

fn as_one_paragraph(text: &str) -> Parsed {
    let run = Run { content: RunContent::Text(text.to_owned()), marks: Marks::default() };
    let block = Block { content: Content::Paragraph { runs: vec![run] }, span: Span(0..text.len()) };
    let found = inline::Finding {
        at: 0,
        code: "TEXT_TOO_LARGE",
        message: format!("the text is longer than {TEXT_BYTES_MAX} bytes; it is read as one paragraph"),
    };
    Parsed { tree: Tree { front_matter: None, blocks: vec![block] }, diagnostics: notices(vec![found], "") }
}

/// Widens every span to whole lines, in order and apart from each other. Two blocks on one line share it so that the
/// first has none of it.
fn fix_spans(blocks: &mut [Block], body: &str, base: usize) {
    let bytes = body.as_bytes();
    let mut previous = 0;
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(blocks.len());
    for block in blocks.iter() {
        let range = &block.span.0;
        let end = range.end.min(bytes.len());
        let head = bytes.get(..range.start.min(end)).unwrap_or(&[]);
        let start = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let content = bytes.get(range.start.min(end)..end).unwrap_or(&[]);
        let blank = content.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        let end = (end - blank).max(start);
        let tail = bytes.get(end..).unwrap_or(&[]);
        let end = tail.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| end + at + 1);
        if let Some(last) = ranges.last_mut()
            && last.end > start
        {
            last.end = start.max(last.start);
        }
        let start = start.max(previous.min(end));
        previous = start;
        ranges.push(start..end.max(start));
    }
    for (block, range) in blocks.iter_mut().zip(ranges) {
        block.span = Span(range.start + base..range.end + base);
    }
}

/// Gives every finding its line and column.
fn notices(mut found: Vec<inline::Finding>, text: &str) -> Vec<Notice> {
    found.sort_by_key(|finding| finding.at);
    let (mut line, mut column, mut seen) = (1_u32, 1_u32, 0);
    let mut notices = Vec::with_capacity(found.len());
    for inline::Finding { at, code, message } in found {
        for letter in text.get(seen..at).unwrap_or("").chars() {
            column = column.saturating_add(1);
            if letter == '\n' {
                (line, column) = (line.saturating_add(1), 1);
            }
        }
        seen = at.max(seen);
        notices.push(Notice { code: code.to_owned(), line, column, message });
    }
    notices
}
