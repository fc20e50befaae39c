//! From Markdown's events to blocks.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd};

use super::definitions;
use super::inline::{Emphasis, Finding, Inline, property_findings};
use super::mask::{self, Masked, is_inline};
use super::note;
use super::row::surplus;
use super::{Alignment, Block, Cell, Content, Mark, Run, RunContent, Span};

/// How deep lists nest; deeper items are read at the last level.
pub(super) const DEPTH_MAX: u8 = 31;

/// The title of a link, which a Doc does not have.
pub(super) const LINK_TITLE: &str = "LINK_TITLE";

/// A heading that is the text of an item, which a Doc does not have.
pub(super) const HEADING_IN_ITEM: &str = "HEADING_IN_ITEM";

/// Reads the blocks of `source`, which has no front matter.
pub(super) fn blocks(source: &str) -> (Vec<Block>, Vec<Finding>) {
    let masked = mask::mask(source);
    let mut builder = Builder {
        source,
        masked: &masked,
        blocks: Vec::new(),
        findings: Vec::new(),
        inline: Inline::default(),
        items: Vec::new(),
        ordered: Vec::new(),
        footnotes: Vec::new(),
        table: None,
        code: None,
        images: 0,
        block_range: 0..0,
    };
    for at in &masked.quotes {
        let message = "a Doc has no block quotes; `>` is kept as text".to_owned();
        builder.findings.push(Finding { at: *at, code: "BLOCK_QUOTE", message });
    }
    let mut events = Parser::new_ext(&masked.text, mask::options()).into_offset_iter();
    let mut used = BTreeSet::new();
    while let Some((event, range)) = events.next() {
        if let Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) = &event {
            used.extend(events.reference_definitions().get(id).map(|definition| definition.span.start));
        }
        builder.event(event, range);
    }
    for (label, definition) in events.reference_definitions().iter() {
        let at = definition.span.start;
        builder.findings.push(definitions::finding(label, at, used.contains(&at)));
    }
    builder.flush();
    (builder.blocks, builder.findings)
}

struct Builder<'a> {
    source: &'a str,
    masked: &'a Masked,
    blocks: Vec<Block>,
    findings: Vec<Finding>,
    inline: Inline,
    items: Vec<OpenItem>,
    /// For each open list whether it is numbered.
    ordered: Vec<bool>,
    footnotes: Vec<OpenFootnote>,
    table: Option<OpenTable>,
    code: Option<(String, String)>,
    /// How many images are open: their inside is literal text and was taken whole.
    images: usize,
    /// The range of the paragraph or heading that is open.
    block_range: Range<usize>,
}

struct OpenItem {
    start: usize,
    task: Option<bool>,
    /// Whether something was emitted for it: its text, or a list that stands first in it.
    begun: bool,
}

struct OpenFootnote {
    label: String,
    start: usize,
    paragraphs: Vec<Vec<Run>>,
}

#[derive(Default)]
struct OpenTable {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
}

impl Builder<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is not ours; what is left out cannot come")]
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.images > 0 {
            match event {
                Event::Start(Tag::Image { .. }) => self.images += 1,
                Event::End(TagEnd::Image) => self.images -= 1,
                _ => {}
            }
            return;
        }
        match event {
            Event::Start(tag) if is_inline(&tag.to_end()) => {
                self.inline.cover(&range);
                self.start_inline(tag, &range);
            }
            Event::End(tag) if is_inline(&tag) => self.end_inline(tag, &range),
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Rule => self.rule(range),
            Event::Text(text) if self.code.is_some() => {
                // What was masked in code by mistake is as it stands in the source.
                let masked = slice(&self.masked.text, &range) == &*text;
                let text = if masked { slice(self.source, &range) } else { &text };
                if let Some((_, code)) = &mut self.code {
                    code.push_str(text);
                }
            }
            Event::Text(text) => self.text(&text, range),
            Event::Code(text) => {
                self.inline.cover(&range);
                let code = self.code_span(&text, &range);
                self.inline.text(&code, true);
            }
            Event::SoftBreak => self.literal("\n", &range),
            Event::HardBreak => self.literal("\u{b}", &range),
            Event::TaskListMarker(checked) => {
                self.inline.cover(&range);
                if let Some(item) = self.items.last_mut() {
                    item.task = Some(checked);
                }
            }
            Event::FootnoteReference(label) => {
                self.inline.cover(&range);
                self.inline.atom(RunContent::FootnoteReference(label.to_string()));
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                let text = lines_joined(slice(self.source, &range));
                self.literal(&text, &range);
            }
            _ => {}
        }
    }

    fn literal(&mut self, text: &str, range: &Range<usize>) {
        self.inline.cover(range);
        self.inline.text(text, false);
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        self.inline.cover(&range);
        if slice(&self.masked.text, &range) != text {
            self.inline.entity(text);
            return;
        }
        let tokens = &self.masked.tokens;
        let first = tokens.partition_point(|token| token.range.start < range.start);
        let mut at = range.start;
        for token in tokens.iter().skip(first).take_while(|token| token.range.end <= range.end) {
            self.inline.text(slice(self.source, &(at..token.range.start)), false);
            let written = slice(self.source, &token.range);
            self.inline.form(&token.form, written, token.range.start);
            at = token.range.end;
        }
        self.inline.text(slice(self.source, &(at..range.end)), false);
    }

    fn code_span(&self, text: &str, range: &Range<usize>) -> String {
        let source = slice(self.source, range);
        if source == slice(&self.masked.text, range) {
            return text.to_owned();
        }
        let ticks = source.len() - source.trim_start_matches('`').len();
        let inner = slice(source, &(ticks..source.len().saturating_sub(ticks)));
        lines_joined(inner).replace('\n', " ")
    }

    fn start_inline(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        if let Some(emphasis) = Emphasis::of(&tag.to_end()) {
            self.inline.begin(emphasis);
        } else if let Tag::Link { link_type, dest_url, title, .. } = tag {
            let scheme = if link_type == LinkType::Email { "mailto:" } else { "" };
            self.inline.begin_link(format!("{scheme}{dest_url}"));
            if !title.is_empty() {
                let message = format!("a Doc's link has no title; `{title}` is not kept");
                self.inline.find(range.start, LINK_TITLE, message);
            }
        } else if matches!(tag, Tag::Image { .. }) {
            self.images = 1;
            let text = lines_joined(slice(self.source, range));
            self.inline.text(&text, false);
            let message = "an image is inserted by `{^= new image \"path or URL\"}`; this is kept as text".to_owned();
            self.inline.find(range.start, "MARKDOWN_IMAGE", message);
        }
    }

    fn end_inline(&mut self, tag: TagEnd, range: &Range<usize>) {
        if let Some(emphasis) = Emphasis::of(&tag) {
            self.inline.end(emphasis);
        } else if tag == TagEnd::Link {
            let written = lines_joined(slice(self.source, range));
            self.inline.end_link(&written, range.start);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is not ours; other blocks are transparent")]
    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if !self.inline.is_empty() {
            self.flush();
        }
        match tag {
            Tag::Paragraph | Tag::Heading { .. } => self.block_range = range,
            Tag::List(first) => {
                if let Some(item) = self.items.last_mut() {
                    // An item whose first child is a list has no text of its own.
                    item.begun = true;
                }
                self.ordered.push(first.is_some());
                if let Some(first) = first.filter(|first| *first != 1 && self.footnotes.is_empty()) {
                    let message = format!("this list begins with {first}; the number is not kept");
                    self.findings.push(Finding { at: range.start, code: "LIST_START", message });
                }
            }
            Tag::Item => self.items.push(OpenItem { start: range.start, task: None, begun: false }),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((info, String::new()));
            }
            Tag::Table(alignments) => {
                let alignments = alignments.into_iter().map(alignment).collect();
                self.table = Some(OpenTable { alignments, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::FootnoteDefinition(label) => self.footnotes.push(OpenFootnote {
                label: label.to_string(),
                start: range.start,
                paragraphs: Vec::new(),
            }),
            _ => {}
        }
    }

    /// Tells when a row has more cells than its table. GFM ignores the rest, which would drop what a person wrote, so it is
    /// read as text of the last cell.
    fn surplus_cells(&mut self, range: Range<usize>) {
        let Some(table) = &mut self.table else { return };
        let row = self.source.get(range.start..).unwrap_or_default();
        let Some((message, rest)) = surplus(row, table.alignments.len()) else { return };
        self.findings.push(Finding { at: range.start, code: "TABLE_CELLS", message });
        if let (Some(rest), Some(cell)) = (rest, table.rows.last_mut().and_then(|row| row.last_mut())) {
            let last = cell.pop().unwrap_or_default();
            let bar = if last.is_empty() { "| " } else { " | " };
            cell.push(last.into_iter().chain([note::text(format!("{bar}{rest}"))]).collect());
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is not ours; other blocks are transparent")]
    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(level) => {
                let runs = self.runs();
                self.heading(level as u8, runs, range);
            }
            TagEnd::List(_) => {
                self.ordered.pop();
            }
            TagEnd::Item => {
                if !self.inline.is_empty() {
                    self.flush();
                }
                self.begin_item();
                self.items.pop();
            }
            TagEnd::CodeBlock => {
                if let Some((info, text)) = self.code.take() {
                    self.push(Content::Code { info, text }, range);
                }
            }
            TagEnd::TableCell => {
                if self.masked.has_list(self.source, &range) {
                    let message = "a cell holds no list here; the mark of the item is kept as text".to_owned();
                    self.findings.push(Finding { at: range.start, code: "LIST_IN_CELL", message });
                }
                let cell = self.paragraphs();
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::TableRow => self.surplus_cells(range),
            TagEnd::Table => {
                if let Some(OpenTable { alignments, rows }) = self.table.take() {
                    self.push(Content::Table { alignments, rows }, range);
                }
            }
            TagEnd::FootnoteDefinition => {
                if !self.inline.is_empty() {
                    self.flush();
                }
                if let Some(OpenFootnote { label, start, paragraphs }) = self.footnotes.pop() {
                    let content = Content::Footnote { label, paragraphs };
                    self.blocks.push(Block { content, span: Span(start..range.end) });
                }
            }
            _ => {}
        }
    }

    fn rule(&mut self, range: Range<usize>) {
        if !self.inline.is_empty() {
            self.flush();
        }
        let directives = &self.masked.directives;
        let index = directives.partition_point(|directive| directive.range.start < range.start);
        let content = match directives.get(index) {
            Some(directive) if directive.range.start < range.end => {
                let at = directive.range.start;
                self.findings.extend(property_findings(&directive.properties, &directive.duplicates, at));
                Content::Directive { properties: directive.properties.clone() }
            }
            Some(_) | None => Content::Rule,
        };
        self.push(content, range);
    }

    fn runs(&mut self) -> Vec<Run> {
        self.paragraphs().into_iter().flatten().collect()
    }

    fn paragraphs(&mut self) -> Vec<Vec<Run>> {
        let inline = std::mem::take(&mut self.inline);
        let (paragraphs, findings) = inline.finish();
        self.findings.extend(findings);
        paragraphs
    }

    /// Ends a paragraph, or the text of an item in a tight list.
    fn flush(&mut self) {
        let Some(mut range) = self.inline.range.clone() else { return };
        let lone = self.is_lone_backslash(&range);
        let mut runs = self.runs();
        if lone {
            runs.clear();
        }
        if let Some(footnote) = self.footnotes.last_mut() {
            footnote.paragraphs.push(runs);
            if let Some(item) = self.items.last_mut()
                && !std::mem::replace(&mut item.begun, true)
            {
                let at = item.start;
                self.flattened(at, "list");
            }
            return;
        }
        if self.items.is_empty() && !lone {
            self.empty_paragraphs(&mut range, &mut runs);
        }
        let depth = self.depth();
        let mark = self.mark();
        let content = match self.items.last_mut() {
            None => Content::Paragraph { runs },
            Some(item) if item.begun => Content::ItemParagraph { depth, runs },
            Some(item) => {
                item.begun = true;
                let range = item.start..range.end;
                self.blocks.push(Block { content: Content::Item { depth, mark, runs }, span: Span(range) });
                return;
            }
        };
        self.blocks.push(Block { content, span: Span(range) });
    }

    /// Takes lines that hold only `\` from the begin of a paragraph: each is an empty paragraph, also when somebody wrote
    /// on behind it without a blank line.
    fn empty_paragraphs(&mut self, range: &mut Range<usize>, runs: &mut Vec<Run>) {
        while let Some(length) = slice(self.source, range).find('\n').map(|end| end + 1) {
            let first = slice(self.source, &(range.start..range.start + length));
            let Some(Run { content: RunContent::Text(text), .. }) = runs.first_mut() else { return };
            if first.trim() != "\\" || !text.starts_with('\u{b}') {
                return;
            }
            text.remove(0);
            if text.is_empty() {
                runs.remove(0);
            }
            let span = Span(range.start..range.start + length);
            self.blocks.push(Block { content: Content::Paragraph { runs: Vec::new() }, span });
            range.start += length;
        }
    }

    /// A paragraph that holds only `\` is the empty paragraph; `\\` is one that says a backslash.
    fn is_lone_backslash(&self, range: &Range<usize>) -> bool {
        let text = slice(self.source, range);
        let text = match text.strip_prefix('[') {
            Some(task) => task.get(2..).unwrap_or(""),
            None => text,
        };
        let escaped = slice(self.source, &(0..range.start)).ends_with('\\');
        text.trim_matches([' ', '\t', '\n']) == "\\" && !escaped
    }

    fn depth(&self) -> u8 {
        u8::try_from(self.items.len().saturating_sub(1)).unwrap_or(DEPTH_MAX).min(DEPTH_MAX)
    }

    fn mark(&self) -> Mark {
        match (self.items.last().and_then(|item| item.task), self.ordered.last()) {
            (Some(checked), _) => Mark::Task { checked },
            (None, Some(true)) => Mark::Number,
            (None, Some(false) | None) => Mark::Bullet,
        }
    }

    /// A heading; Docs has none in an item, so that one that would be its text gives it its words.
    fn heading(&mut self, level: u8, runs: Vec<Run>, range: Range<usize>) {
        let is_first = self.footnotes.is_empty() && self.items.last().is_some_and(|item| !item.begun);
        if !is_first {
            return self.push(Content::Heading { level, anchor: None, runs }, range);
        }
        let message = "a Doc has no heading in a list item: its words are those of the item, and the `#` stays in the file \
                       alone; take the mark of the item away to have a heading";
        self.findings.push(Finding { at: range.start, code: HEADING_IN_ITEM, message: message.to_owned() });
        let (depth, mark) = (self.depth(), self.mark());
        if let Some(item) = self.items.last_mut() {
            item.begun = true;
            let span = Span(item.start..range.end);
            self.blocks.push(Block { content: Content::Item { depth, mark, runs }, span });
        }
    }

    /// Tells that a footnote has the words of something alone: that of a Doc holds paragraphs.
    fn flattened(&mut self, at: usize, what: &str) {
        let message = format!("a footnote holds paragraphs alone; the words of this {what} are kept");
        self.findings.push(Finding { at, code: "FOOTNOTE_FORM", message });
    }

    /// Says the item that is open, if nothing was said of it yet.
    fn begin_item(&mut self) {
        let (depth, mark) = (self.depth(), self.mark());
        if let Some(item) = self.items.last_mut()
            && !item.begun
        {
            item.begun = true;
            let span = Span(item.start..item.start + 1);
            if let Some(footnote) = self.footnotes.last_mut() {
                footnote.paragraphs.push(Vec::new());
                return;
            }
            self.blocks.push(Block { content: Content::Item { depth, mark, runs: Vec::new() }, span });
        }
    }

    fn push(&mut self, content: Content, range: Range<usize>) {
        if let Some(footnote) = self.footnotes.last_mut() {
            let what = note::what(&content);
            footnote.paragraphs.extend(note::paragraphs(content));
            if let Some(what) = what {
                self.flattened(range.start, what);
            }
            return;
        }
        if self.items.last().is_some_and(|item| !item.begun)
            && let Some(what) = note::what(&content)
        {
            let message = format!(
                "a Doc has no {what} in a list item: the item is empty and the {what} stands behind it; take the mark of the \
                 item away to have the {what} alone"
            );
            self.findings.push(Finding { at: range.start, code: "BLOCK_IN_ITEM", message });
        }
        self.begin_item();
        self.blocks.push(Block { content, span: Span(range) });
    }
}

fn alignment(alignment: pulldown_cmark::Alignment) -> Alignment {
    match alignment {
        pulldown_cmark::Alignment::None => Alignment::None,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}

/// Takes the indentation from the lines that follow the first.
fn lines_joined(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or("").to_owned();
    for line in lines {
        out.push('\n');
        out.push_str(line.trim_start_matches([' ', '\t']));
    }
    out
}

/// Returns a range of the text, or nothing when the range is not one of whole characters.
pub(super) fn slice<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or("")
}
