//! From blocks to text.

use super::braces;
use super::escape::{Place, print_runs};
use super::normalize::normalize_content;
use super::{Alignment, Cell, Content, Mark, Run};

/// Prints the canonical text of one block, without a newline at its end. An item is printed with the marks of its
/// parents, so the text says everything that the block says.
#[must_use]
pub fn print_block(content: &Content) -> String {
    let mut content = content.clone();
    normalize_content(&mut content);
    if let Content::ItemParagraph { depth, runs } = &content {
        let indent = 2 * (usize::from(*depth) + 1);
        return format!("{}{}", " ".repeat(indent), paragraph(runs, indent));
    }
    let mut printer = BlockPrinter::default();
    printer.block(&content);
    printer.finish().trim_end_matches('\n').to_owned()
}

/// Prints blocks one after another and knows which lists are open.
#[derive(Default)]
pub(super) struct BlockPrinter {
    pub(super) out: String,
    pub(super) levels: Vec<Level>,
    last: Last,
}

/// An open list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) numbered: bool,
    pub(super) number: usize,
    /// The column at which its items' text begins.
    pub(super) indent: usize,
}

/// What stands before the next block.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Item,
    ItemParagraph,
    Directive,
    Other,
}

impl BlockPrinter {
    /// Returns the text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Prints one normalised block, with what must stand between it and the last. Returns where it begins, in bytes.
    pub(super) fn block(&mut self, content: &Content) -> usize {
        self.gap(content);
        let start = self.out.len();
        let text = match content {
            Content::Heading { level, anchor, runs } => heading(*level, anchor.as_deref(), runs),
            Content::Paragraph { runs } => paragraph(runs, 0),
            Content::Item { depth, mark, runs } => self.item(usize::from(*depth), *mark, runs),
            Content::ItemParagraph { depth, runs } => {
                self.levels.truncate(usize::from(*depth) + 1);
                let indent = self.levels.last().map_or(0, |level| level.indent);
                format!("{}{}", " ".repeat(indent), paragraph(runs, indent))
            }
            Content::Code { info, text } => code(info, text),
            Content::Table { alignments, rows } => table(alignments, rows),
            // At the begin of a text `---` would open a head.
            Content::Rule if self.out.is_empty() => "***".to_owned(),
            Content::Rule => "---".to_owned(),
            Content::Directive { properties } => braces::print_open(properties),
            Content::Footnote { label, paragraphs } => footnote(label, paragraphs),
        };
        self.out.push_str(&text);
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        start
    }

    /// Takes a block as it is written; `indent` is that of the item's text, when it is an item.
    pub(super) fn source(&mut self, content: &Content, text: &str, indent: usize) {
        self.gap(content);
        if let Content::Item { depth, mark, .. } = content {
            let depth = usize::from(*depth);
            let numbered = *mark == Mark::Number;
            let number = self.levels.get(depth).map_or(1, |level| level.number + 1);
            self.levels.truncate(depth);
            while self.levels.len() <= depth {
                self.levels.push(Level { numbered, number, indent });
            }
        }
        self.out.push_str(text);
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn gap(&mut self, content: &Content) {
        let kind = match content {
            Content::Item { .. } => Last::Item,
            Content::ItemParagraph { .. } => Last::ItemParagraph,
            Content::Directive { .. } => Last::Directive,
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule
            | Content::Footnote { .. } => Last::Other,
        };
        let tight = match (self.last, kind) {
            (Last::Nothing | Last::Directive, _) => true,
            (Last::Item, Last::Item) => !self.changes_list(content),
            _ => false,
        };
        if !tight && !self.out.is_empty() {
            self.out.push('\n');
        }
        if !matches!(kind, Last::Item | Last::ItemParagraph) {
            self.levels.clear();
        }
        self.last = kind;
    }

    /// Tells whether an item begins a list of another kind at the outermost level.
    fn changes_list(&self, content: &Content) -> bool {
        let Content::Item { depth: 0, mark, .. } = content else { return false };
        self.levels.first().is_some_and(|level| level.numbered != (*mark == Mark::Number))
    }

    fn item(&mut self, depth: usize, mark: Mark, runs: &[Run]) -> String {
        let numbered = mark == Mark::Number;
        self.levels.truncate(depth + 1);
        let mut line = String::new();
        match self.levels.get(depth).copied() {
            Some(level) => {
                self.levels.pop();
                let number = if level.numbered == numbered { level.number + 1 } else { 1 };
                line.push_str(&" ".repeat(self.levels.last().map_or(0, |level| level.indent)));
                self.mark(&mut line, numbered, number);
            }
            None => {
                line.push_str(&" ".repeat(self.levels.last().map_or(0, |level| level.indent)));
                // Parents that are missing are said by repeating the mark: an item whose first child is a list has no
                // text of its own.
                while self.levels.len() <= depth {
                    self.mark(&mut line, numbered, 1);
                }
            }
        }
        if let Mark::Task { checked } = mark {
            line.push_str(if checked { "[x] " } else { "[ ] " });
        }
        let indent = self.levels.last().map_or(0, |level| level.indent);
        line + &paragraph(runs, indent)
    }

    fn mark(&mut self, line: &mut String, numbered: bool, number: usize) {
        // Markdown reads nine digits.
        let number = if number > 999_999_999 { 1 } else { number };
        let mark = if numbered { format!("{number}. ") } else { "- ".to_owned() };
        let outer = self.levels.last().map_or(0, |level| level.indent);
        self.levels.push(Level { numbered, number, indent: outer + mark.len() });
        line.push_str(&mark);
    }
}

fn heading(level: u8, anchor: Option<&str>, runs: &[Run]) -> String {
    let mut out = "#".repeat(usize::from(level));
    let text = print_runs(runs, Place::Heading);
    if anchor.is_some() || !text.is_empty() {
        out.push(' ');
    }
    if let Some(id) = anchor {
        out.push_str(&braces::print_anchor(Some(id)));
    }
    out + &text
}

fn paragraph(runs: &[Run], indent: usize) -> String {
    if runs.is_empty() { "\\".to_owned() } else { print_runs(runs, Place::Lines(indent)) }
}

fn code(info: &str, text: &str) -> String {
    let mark = if info.contains('`') { '~' } else { '`' };
    let longest = text.split(|letter| letter != mark).map(str::len).max().unwrap_or(0);
    let fence = mark.to_string().repeat(longest.max(2) + 1);
    let mut escaped = String::new();
    for letter in info.chars() {
        if matches!(letter, '\\' | '&' | '~') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    format!("{fence}{escaped}\n{text}{fence}\n")
}

fn table(alignments: &[Alignment], rows: &[Vec<Cell>]) -> String {
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        out.push('|');
        for cell in row {
            let paragraphs: Vec<String> = cell.iter().map(|runs| print_runs(runs, Place::Cell)).collect();
            out.push(' ');
            out.push_str(&paragraphs.join("<br>"));
            out.push_str(" |");
        }
        out.push('\n');
        if index == 0 {
            out.push('|');
            for alignment in alignments {
                out.push_str(match alignment {
                    Alignment::None => " --- |",
                    Alignment::Left => " :--- |",
                    Alignment::Center => " :---: |",
                    Alignment::Right => " ---: |",
                });
            }
            out.push('\n');
        }
    }
    out
}

fn footnote(label: &str, paragraphs: &[Vec<Run>]) -> String {
    let all: Vec<String> = paragraphs.iter().map(|runs| paragraph(runs, 4)).collect();
    format!("[^{label}]: {}", all.join("\n\n    "))
}
