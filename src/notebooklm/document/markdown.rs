//! A document as Markdown, and which position of it stands in which line.

use super::inline::{Line, lines};
use super::{Block, Bullet, Document, Paragraph, Range, Style, Table, escape};

/// The most columns of a table; what is further right is joined to the last.
const COLUMNS_MAX: usize = 200;

/// A document as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Markdown {
    /// The text; each line ends with a newline.
    pub text: String,
    /// From which position on which line is meant; both grow.
    starts: Vec<(u32, usize)>,
}

impl Markdown {
    /// Returns the line, from 1, in which a position of the document stands, in UTF-16 units; nothing for one before the
    /// first text. What stands beyond the end is in the last line.
    #[must_use]
    pub fn line_of(&self, position: u32) -> Option<usize> {
        let after = self.starts.partition_point(|(start, _)| *start <= position);
        self.starts.get(after.checked_sub(1)?).map(|(_, line)| *line)
    }

    /// Returns the first and the last line in which a stretch of the document stands.
    #[must_use]
    pub fn lines_of(&self, range: Range) -> Option<(usize, usize)> {
        let first = self.line_of(range.start).or(self.starts.first().map(|(_, line)| *line))?;
        let last = self.line_of(range.end.saturating_sub(1).max(range.start)).unwrap_or(first);
        Some((first, last.max(first)))
    }
}

/// Writes a document.
pub(super) fn write(document: &Document) -> Markdown {
    let mut writer = Writer::default();
    for block in &document.blocks {
        writer.block(block);
    }
    if document.cut {
        writer.begin(Last::Block);
        writer.line(&[], "*The rest is not shown: the document is longer than what is read of one.*");
    }
    writer.markdown.starts.sort_by_key(|(start, _)| *start);
    writer.markdown
}

/// What stands above the next block.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    /// Nothing.
    #[default]
    Nothing,
    /// A paragraph that ended with a line's end: the next goes on below it.
    Row,
    /// An item of a list.
    Item,
    /// Anything else.
    Block,
}

#[derive(Default)]
struct Writer {
    markdown: Markdown,
    line: usize,
    last: Last,
    /// The widths of the marks of the items that the next may be nested in.
    widths: Vec<usize>,
}

impl Writer {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(paragraph) => self.paragraph(paragraph),
            Block::Table(table) => self.table(table),
            Block::Code { range, text, language } => self.code(*range, text, language),
            Block::Rule(range) => {
                self.begin(Last::Block);
                self.line(&[range.start], "---");
            }
        }
    }

    /// Begins a block: a free line stands before it unless it goes on with what is above.
    fn begin(&mut self, next: Last) {
        let goes_on = self.last == next && matches!(next, Last::Row | Last::Item);
        if self.last != Last::Nothing && !goes_on {
            self.line(&[], "");
        }
        if next != Last::Item {
            self.widths.clear();
        }
        self.last = next;
    }

    /// Writes one line that begins at these positions.
    fn line(&mut self, positions: &[u32], text: &str) {
        self.line += 1;
        self.markdown.starts.extend(positions.iter().map(|position| (*position, self.line)));
        self.markdown.text.push_str(text.trim_end());
        self.markdown.text.push('\n');
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        let mut lines = lines(&paragraph.runs);
        // A line's end at the end of a paragraph begins no line of it.
        let row = lines.len() > 1 && lines.last().is_some_and(|line| line.text.is_empty());
        if row {
            lines.pop();
        }
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            // A free line of a text that was pasted stays one.
            if self.last == Last::Row {
                self.last = Last::Block;
            }
            return;
        }
        match (&paragraph.bullet, heading(paragraph.style)) {
            (Some(bullet), _) => self.item(bullet, &lines),
            (None, Some(level)) => self.heading(level, &lines),
            (None, None) => {
                self.begin(if row { Last::Row } else { Last::Block });
                for line in &lines {
                    self.line(&line.positions, &escape::line_start(&line.text));
                }
            }
        }
    }

    fn heading(&mut self, level: usize, lines: &[Line]) {
        self.begin(Last::Block);
        let positions: Vec<u32> = lines.iter().flat_map(|line| line.positions.iter().copied()).collect();
        let mut text = joined(lines, " ");
        // Marks at the end would be taken for the end of the heading.
        if text.ends_with('#') {
            text.insert(text.len() - 1, '\\');
        }
        self.line(&positions, &format!("{} {text}", "#".repeat(level)));
    }

    fn item(&mut self, bullet: &Bullet, lines: &[Line]) {
        self.begin(Last::Item);
        // Items are only nested in items that are there; one that skips a level would become code.
        self.widths.truncate(bullet.level);
        let indent: usize = self.widths.iter().sum();
        let mark = match bullet.number {
            Some(number) => format!("{number}. "),
            None => "- ".to_owned(),
        };
        self.widths.push(mark.len());
        let mut first = true;
        for line in lines {
            let text = escape::line_start(line.text.trim_start());
            let lead = if first { format!("{}{mark}", " ".repeat(indent)) } else { " ".repeat(indent + mark.len()) };
            if !text.is_empty() {
                self.line(&line.positions, &format!("{lead}{text}"));
                first = false;
            }
        }
    }

    fn code(&mut self, range: Range, text: &str, language: &str) {
        self.begin(Last::Block);
        let fence = "`".repeat(escape::longest_row(text, '`').max(2) + 1);
        let plain = |letter: &char| letter.is_ascii_alphanumeric() || "+#._-".contains(*letter);
        let language: String = language.chars().take(40).filter(plain).collect();
        self.line(&[range.start], &format!("{fence}{language}"));
        let mut position = range.start;
        for line in text.trim_end_matches('\n').split('\n') {
            self.line(&[position], line);
            let units = u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX);
            position = position.saturating_add(units).saturating_add(1);
        }
        self.line(&[], &fence);
    }

    /// Writes a table. Markdown has no table without a heading, so the first row is one.
    fn table(&mut self, table: &Table) {
        let columns = table.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default().min(COLUMNS_MAX);
        if columns == 0 {
            return;
        }
        self.begin(Last::Block);
        for (index, row) in table.rows.iter().enumerate() {
            let mut cells = vec![String::new(); columns];
            let mut positions = vec![row.range.start];
            for (column, blocks) in row.cells.iter().enumerate() {
                if let Some(cell) = cells.get_mut(column.min(columns - 1)) {
                    let text = cell_text(blocks, &mut positions);
                    if !cell.is_empty() && !text.is_empty() {
                        cell.push(' ');
                    }
                    cell.push_str(&text);
                }
            }
            self.line(&positions, &format!("| {} |", cells.join(" | ")));
            if index == 0 {
                self.line(&[], &format!("|{}", " --- |".repeat(columns)));
            }
        }
    }
}

const fn heading(style: Style) -> Option<usize> {
    match style {
        Style::Text => None,
        Style::Title | Style::Heading(1) => Some(1),
        Style::Subtitle | Style::Heading(2) => Some(2),
        Style::Heading(3) => Some(3),
        Style::Heading(4) => Some(4),
        Style::Heading(5) => Some(5),
        Style::Heading(_) => Some(6),
    }
}

fn joined(lines: &[Line], between: &str) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.trim()).filter(|text| !text.is_empty()).collect();
    texts.join(between)
}

/// Writes the blocks of a cell in one line. A bar would end the cell, also one in code.
fn cell_text(blocks: &[Block], positions: &mut Vec<u32>) -> String {
    cell_line(blocks, positions).replace('|', "\\|")
}

/// Writes blocks in one line. A table among them is a row of its cells.
fn cell_line(blocks: &[Block], positions: &mut Vec<u32>) -> String {
    let mut parts = Vec::new();
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) => {
                let lines = lines(&paragraph.runs);
                positions.extend(lines.iter().flat_map(|line| line.positions.iter().copied()));
                let mark = match &paragraph.bullet {
                    Some(Bullet { number: Some(number), .. }) => format!("{number}. "),
                    Some(_) => "• ".to_owned(),
                    None => String::new(),
                };
                let text = joined(&lines, "<br>");
                if !text.is_empty() {
                    parts.push(format!("{mark}{text}"));
                }
            }
            Block::Code { range, text, .. } => {
                positions.push(range.start);
                parts.extend(text.lines().filter(|line| !line.trim().is_empty()).map(escape::code));
            }
            Block::Table(table) => {
                for row in &table.rows {
                    let cells: Vec<String> = row.cells.iter().map(|cell| cell_line(cell, positions)).collect();
                    parts.push(cells.join(" · "));
                }
            }
            Block::Rule(_) => {}
        }
    }
    parts.join("<br>")
}
