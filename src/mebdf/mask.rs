//! Hides from the Markdown parser what Markdown does not know.
//!
//! Brace forms hold quotes, stars and bars that Markdown would take for its own; HTML and block quotes mean nothing in
//! a Doc. So the parser reads a text of the same length in which the inside of every form is letters and the angle
//! brackets of HTML and quotes are percent signs; what stood there is looked up by its offset in the source.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Property;
use super::braces::{self, Form};
use super::definitions;
use super::nested;

/// A text that is safe to give to the Markdown parser.
pub(super) struct Masked {
    /// As long as the source, byte by byte.
    pub(super) text: String,
    /// The forms outside code, in order.
    pub(super) tokens: Vec<Token>,
    /// The block directives, in order: where each stands, its form and its properties.
    pub(super) directives: Vec<Directive>,
    /// Where block quotes would begin, each row of lines once.
    pub(super) quotes: Vec<usize>,
}

impl Masked {
    /// Tells whether a paragraph of a cell begins like an item: Markdown has no lists in tables.
    pub(super) fn has_list(&self, source: &str, cell: &Range<usize>) -> bool {
        let first = self.tokens.partition_point(|token| token.range.start < cell.start);
        let inside = self.tokens.iter().skip(first).take_while(|token| token.range.end <= cell.end);
        let breaks = inside.filter(|token| token.form == Form::Break).map(|token| token.range.clone());
        let mut start = cell.start;
        for end in breaks.chain(std::iter::once(cell.end..cell.end)) {
            let text = source.get(start..end.start).unwrap_or_default().trim_matches([' ', '\t', '|']);
            if list_mark(text).is_some() {
                return true;
            }
            start = end.end;
        }
        false
    }
}

/// A form and where it stands.
pub(super) struct Token {
    /// Its bytes in the source.
    pub(super) range: Range<usize>,
    /// What it is.
    pub(super) form: Form,
}

/// A form that is alone on its line.
pub(super) struct Directive {
    /// Its bytes in the source.
    pub(super) range: Range<usize>,
    /// Its properties.
    pub(super) properties: Vec<Property>,
    /// Names that stood twice.
    pub(super) duplicates: Vec<String>,
}

/// The Markdown extensions that are read.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES
}

/// Masks a text, in three readings: where code is, so that directives in it stay; where the inline texts are, so that
/// code spans and forms do not reach over their ends; then the forms themselves.
pub(super) fn mask(source: &str) -> Masked {
    let mut bytes = source.as_bytes().to_vec();
    for byte in &mut bytes {
        if matches!(byte, b'<' | b'>') {
            *byte = b'%';
        }
    }
    flatten_definitions(&mut bytes);
    let nested = nested::numbers(source);
    nested.iter().for_each(|digits| make_first(&mut bytes, digits));
    let mut unused = definitions::unused(&bytes);
    unused.iter().for_each(|at| put(&mut bytes, *at, b'%'));
    let mut directives = directive_lines(source);
    if !directives.is_empty() {
        let layout = Layout::read(&bytes);
        directives.retain(|directive| !layout.is_code(directive.range.start));
        for directive in &directives {
            rule(&mut bytes, &directive.range);
        }
    }
    let layout = Layout::read(&bytes);
    unused.retain(|at| !layout.is_code(*at));
    let mut bytes = source.as_bytes().to_vec();
    for directive in &directives {
        rule(&mut bytes, &directive.range);
    }
    unused.iter().for_each(|at| put(&mut bytes, *at, b'%'));
    nested.iter().for_each(|digits| make_first(&mut bytes, digits));
    mask_line_starts(&mut bytes, &layout);
    let quotes = quotes(source, &layout);
    let mut tokens = Vec::new();
    for leaf in &layout.leaves {
        Scanner::new(source, leaf).run(&mut bytes, &mut tokens);
    }
    // Once forms are letters, what was none before may be a definition.
    let more = definitions::unused(&bytes);
    more.into_iter().filter(|at| !layout.is_code(*at)).for_each(|at| put(&mut bytes, at, b'%'));
    Masked { text: into_text(bytes), tokens, directives, quotes }
}

/// Only whole forms are overwritten, by ASCII, so the bytes stay UTF-8.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Makes a number 1, with zeros before it.
fn make_first(bytes: &mut [u8], digits: &Range<usize>) {
    digits.clone().for_each(|at| put(bytes, at, b'0'));
    put(bytes, digits.end.saturating_sub(1), b'1');
}

fn rule(bytes: &mut [u8], range: &Range<usize>) {
    for (index, byte) in bytes.iter_mut().take(range.end).skip(range.start).enumerate() {
        *byte = if index < 3 { b'*' } else { b' ' };
    }
}

fn directive_lines(source: &str) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let body = line.get(indent..).unwrap_or("");
        if body.starts_with("{!")
            && let Some((Form::Open { properties, duplicates }, length)) = braces::scan(body)
            && body.get(length..).unwrap_or("x").trim().is_empty()
        {
            found.push(Directive { range: at + indent..at + indent + length, properties, duplicates });
        }
        at += line.len();
    }
    found
}

/// A footnote inside a footnote means nothing, and the Markdown parser takes quadratic time for a row of them: on each
/// line only the first `[^…]:` is left.
fn flatten_definitions(bytes: &mut [u8]) {
    let mut defined = false;
    for at in 0..bytes.len() {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\n'), _) => defined = false,
            (Some(b']'), Some(b':')) => defined = true,
            (Some(b'['), Some(b'^')) if defined => put(bytes, at, b'%'),
            _ => {}
        }
    }
}

/// An angle bracket at the begin of a line could open an HTML block or a quote even where no inline text was seen.
fn mask_line_starts(bytes: &mut [u8], layout: &Layout) {
    let mut fresh = true;
    for at in 0..bytes.len() {
        match bytes.get(at).copied() {
            Some(b'\n') => fresh = true,
            Some(b' ' | b'\t') => {}
            Some(b'>') if fresh => {
                if !layout.is_code(at)
                    && let Some(byte) = bytes.get_mut(at)
                {
                    *byte = b'%';
                }
            }
            Some(_) | None => fresh = false,
        }
    }
}

/// Finds the lines that a block quote begins with: `>` behind the indent and the marks of list items.
fn quotes(source: &str, layout: &Layout) -> Vec<usize> {
    let (mut found, mut at, mut quoted) = (Vec::new(), 0, false);
    for line in source.split_inclusive('\n') {
        let mut text = line.trim_start_matches([' ', '\t']);
        while let Some(length) = list_mark(text) {
            text = text.get(length..).unwrap_or_default();
        }
        let start = at + line.len() - text.len();
        let quotes = text.starts_with('>') && !layout.is_code(start);
        if quotes && !quoted {
            found.push(start);
        }
        quoted = quotes;
        at += line.len();
    }
    found
}

/// Returns the length of the mark of a list item that a text begins with, and of the blanks behind it.
pub(super) fn list_mark(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match (digits, text.as_bytes().get(digits)?) {
        (0, b'-' | b'*' | b'+') => 1,
        (1..=9, b'.' | b')') => digits + 1,
        _ => return None,
    };
    let rest = text.get(mark..)?;
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    (blanks > 0).then_some(mark + blanks)
}

/// What the blocks of a text are, as far as masking must know.
struct Layout {
    code: Vec<Range<usize>>,
    leaves: Vec<Leaf>,
}

/// The extent of one inline text.
struct Leaf {
    range: Range<usize>,
    is_cell: bool,
}

impl Layout {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is not ours; every other event is inline")]
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut layout = Self { code: Vec::new(), leaves: Vec::new() };
        let mut open: Option<Leaf> = None;
        let mut in_code = false;
        let mut is_cell = false;
        for (event, range) in Parser::new_ext(&text, options()).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => {
                    in_code = true;
                    layout.code.push(range);
                    layout.leaves.extend(open.take());
                }
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Start(tag) if is_inline(&tag.to_end()) => grow(&mut open, range, is_cell),
                Event::Start(tag) => {
                    is_cell = matches!(tag, Tag::TableCell);
                    layout.leaves.extend(open.take());
                }
                Event::End(tag) if is_inline(&tag) => {}
                Event::End(_) => {
                    is_cell = false;
                    layout.leaves.extend(open.take());
                }
                Event::Rule => layout.leaves.extend(open.take()),
                _ if in_code => {}
                _ => grow(&mut open, range, is_cell),
            }
        }
        layout.leaves.extend(open.take());
        // The backslash of an escape is not part of the event that follows it.
        for leaf in &mut layout.leaves {
            while leaf.range.start > 0 && bytes.get(leaf.range.start - 1) == Some(&b'\\') {
                leaf.range.start -= 1;
            }
        }
        layout
    }

    fn is_code(&self, at: usize) -> bool {
        let index = self.code.partition_point(|range| range.end <= at);
        self.code.get(index).is_some_and(|range| range.contains(&at))
    }
}

/// Tells whether a tag stands inside an inline text.
pub(super) fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Superscript
            | TagEnd::Subscript
    )
}

fn grow(open: &mut Option<Leaf>, range: Range<usize>, is_cell: bool) {
    match open {
        Some(leaf) => {
            leaf.range.start = leaf.range.start.min(range.start);
            leaf.range.end = leaf.range.end.max(range.end);
        }
        None => *open = Some(Leaf { range, is_cell }),
    }
}

/// Walks one inline text from left to right, as Markdown does: what opens first wins.
struct Scanner<'a> {
    source: &'a str,
    end: usize,
    at: usize,
    is_cell: bool,
    /// The runs of backticks by their length, last first, so that the nearest is taken from the end.
    ticks: HashMap<usize, Vec<usize>>,
    brackets: usize,
}

impl<'a> Scanner<'a> {
    fn new(source: &'a str, leaf: &Leaf) -> Self {
        let bytes = source.as_bytes();
        let mut ticks: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut at = leaf.range.start;
        while at < leaf.range.end {
            let length = run_length(bytes, at, leaf.range.end, b'`');
            if length > 0 {
                ticks.entry(length).or_default().push(at);
            }
            at += length.max(1);
        }
        for runs in ticks.values_mut() {
            runs.reverse();
        }
        Self { source, end: leaf.range.end, at: leaf.range.start, is_cell: leaf.is_cell, ticks, brackets: 0 }
    }

    fn run(mut self, bytes: &mut [u8], tokens: &mut Vec<Token>) {
        let source = self.source.as_bytes();
        while self.at < self.end {
            match source.get(self.at).copied().unwrap_or(0) {
                b'\\' => {
                    let escapes = source.get(self.at + 1).is_some_and(u8::is_ascii_punctuation);
                    self.at += if escapes { 2 } else { 1 };
                }
                b'`' => self.skip_code(),
                b'<' => self.angle(bytes, tokens),
                b'>' => {
                    put(bytes, self.at, b'%');
                    self.at += 1;
                }
                b'{' => self.form(bytes, tokens),
                b'[' if source.get(self.at + 1) == Some(&b'^') => self.form(bytes, tokens),
                b'[' => {
                    self.brackets += 1;
                    self.at += 1;
                }
                b']' => {
                    let opened = self.brackets > 0;
                    self.brackets = self.brackets.saturating_sub(1);
                    self.at += 1;
                    if opened && source.get(self.at) == Some(&b'(') {
                        self.at += 1;
                        self.skip_destination();
                    } else if opened && source.get(self.at) == Some(&b':') {
                        self.at += 1;
                        if self.rest().trim_start_matches([' ', '\t']).starts_with('<') {
                            self.skip_destination();
                        }
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..self.end).unwrap_or("")
    }

    fn skip_code(&mut self) {
        let length = run_length(self.source.as_bytes(), self.at, self.end, b'`');
        let after = self.at + length;
        self.at = after;
        if let Some(runs) = self.ticks.get_mut(&length) {
            while runs.last().is_some_and(|start| *start < after) {
                runs.pop();
            }
            if let Some(start) = runs.pop() {
                self.at = start + length;
            }
        }
    }

    fn angle(&mut self, bytes: &mut [u8], tokens: &mut Vec<Token>) {
        if let Some(length) = autolink(self.rest()) {
            self.at += length;
            return;
        }
        if self.is_cell
            && let Some(length) = line_break(self.rest())
        {
            let range = self.at..self.at + length;
            hide(bytes, &range);
            self.at = range.end;
            tokens.push(Token { range, form: Form::Break });
            return;
        }
        put(bytes, self.at, b'%');
        self.at += 1;
    }

    fn form(&mut self, bytes: &mut [u8], tokens: &mut Vec<Token>) {
        let Some((form, length)) = braces::scan(self.rest()) else {
            // What is no footnote may still begin a link.
            self.brackets += usize::from(self.rest().starts_with('['));
            self.at += 1;
            return;
        };
        let range = self.at..self.at + length;
        if form != Form::Malformed {
            hide(bytes, &range);
        }
        self.at = range.end;
        tokens.push(Token { range, form });
    }

    /// A form in a link's destination is part of the destination.
    fn skip_destination(&mut self) {
        let bytes = self.source.as_bytes();
        let mut at = self.at;
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let pointed = bytes.get(at) == Some(&b'<');
        let mut depth = 0_usize;
        at += usize::from(pointed);
        while at < self.end {
            match bytes.get(at).copied().unwrap_or(b'\n') {
                b'\n' => return,
                b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
                b'<' if pointed => return,
                b'>' if pointed => {
                    self.at = at + 1;
                    return;
                }
                b'(' if !pointed => depth += 1,
                b')' if !pointed && depth == 0 => break,
                b')' if !pointed => depth -= 1,
                b' ' | b'\t' if !pointed => break,
                _ => {}
            }
            at += 1;
        }
        if !pointed {
            self.at = at.min(self.end);
        }
    }
}

/// Overwrites a form by braces with letters between them: to Markdown it stays punctuation without meaning.
fn hide(bytes: &mut [u8], range: &Range<usize>) {
    for at in range.clone() {
        let byte = if at == range.start {
            b'{'
        } else if at + 1 == range.end {
            b'}'
        } else {
            b'x'
        };
        put(bytes, at, byte);
    }
}

fn put(bytes: &mut [u8], at: usize, byte: u8) {
    if let Some(place) = bytes.get_mut(at) {
        *place = byte;
    }
}

fn run_length(bytes: &[u8], at: usize, end: usize, wanted: u8) -> usize {
    bytes.iter().take(end).skip(at).take_while(|byte| **byte == wanted).count()
}

/// Returns the length of `<br>` in any of its spellings.
fn line_break(text: &str) -> Option<usize> {
    ["<br>", "<br/>", "<br />"].into_iter().find_map(|spelling| {
        let head = text.get(..spelling.len())?;
        head.eq_ignore_ascii_case(spelling).then_some(spelling.len())
    })
}

/// Returns the length of `<scheme:…>` or `<name@host>`.
fn autolink(text: &str) -> Option<usize> {
    let body = text.strip_prefix('<')?;
    // Addresses are short; the limit keeps a row of `<` from being read again and again.
    let end = body.bytes().take(4096).position(|byte| byte <= b' ' || matches!(byte, b'<' | b'>'))?;
    if body.as_bytes().get(end) != Some(&b'>') {
        return None;
    }
    let inner = body.get(..end)?;
    let is_url = inner.split_once(':').is_some_and(|(scheme, _)| {
        (2..=32).contains(&scheme.len())
            && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
    });
    let is_address = inner.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte))
            && !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
    });
    (is_url || is_address).then_some(end + 2)
}
