//! The body of sources, answers and saved notes: paragraphs, tables, code, with positions in UTF-16 units.
//!
//! One shape serves all of them. A block is a list whose third place is a paragraph, whose fifth a table, whose seventh
//! code and whose twelfth a rule; others are what a model thought or which tools it used. Positions run through all text
//! without gaps, and citations name them. Source: recorded sources, answers and notes of 2026.

mod escape;
mod inline;
mod markdown;

use serde_json::Value;

use super::slot::Slot;

pub use markdown::Markdown;

/// How deep tables within tables are read.
const DEPTH_MAX: usize = 8;

/// The most blocks, runs, rows and cells of one document that are read. The longest source has 500 000 words.
const PARTS_MAX: usize = 2_000_000;

/// A stretch of a document, in UTF-16 units from 0; the end is the first that is no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Range {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// What it says.
    pub blocks: Vec<Block>,
    /// Where citations stand in it: after the end of each of these stretches.
    pub anchors: Vec<Anchor>,
    /// What a model thought before it answered.
    pub thinking: Vec<String>,
    /// Whether more was there than is read.
    pub cut: bool,
}

/// The place of a citation in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The id of the passage that is cited.
    pub passage: String,
    /// What it is cited for.
    pub range: Range,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A paragraph, a heading or an item of a list.
    Paragraph(Paragraph),
    /// A table.
    Table(Table),
    /// Code.
    Code {
        /// Where it stands.
        range: Range,
        /// It.
        text: String,
        /// Its language; empty where none was told.
        language: String,
    },
    /// A line across.
    Rule(Range),
}

/// A paragraph, a heading or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paragraph {
    /// Where it stands.
    pub range: Range,
    /// What it says.
    pub runs: Vec<Run>,
    /// How it looks.
    pub style: Style,
    /// Its mark, for an item of a list.
    pub bullet: Option<Bullet>,
}

/// How a paragraph looks. The numbers are those of the named styles of Google Docs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// 1, or none.
    #[default]
    Text,
    /// 2.
    Title,
    /// 3.
    Subtitle,
    /// 4 to 9: of level 1 to 6.
    Heading(u8),
}

/// The mark of an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bullet {
    /// Nesting from 0.
    pub level: usize,
    /// The mark as it is shown.
    pub glyph: String,
    /// Which item it is, from 1, in a list of numbers.
    pub number: Option<u32>,
}

/// A stretch of text of one look, or a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Where it stands.
    pub range: Range,
    /// What stands there.
    pub content: Content,
}

/// What stands in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text {
        /// It.
        text: String,
        /// How it looks.
        marks: Marks,
    },
    /// A picture, and where it can be had with the cookies of the account.
    Image(String),
}

/// How text looks, as far as Markdown can say it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Of fixed width, as code is.
    pub code: bool,
    /// What it links to.
    pub link: Option<String>,
    /// A formula, within a line or on its own.
    pub math: Option<Math>,
}

/// How a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Math {
    /// Within a line.
    Inline,
    /// On its own.
    Display,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Where it stands.
    pub range: Range,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Where it stands.
    pub range: Range,
    /// Its cells, each of blocks.
    pub cells: Vec<Vec<Block>>,
    /// Whether it is a heading of columns.
    pub header: bool,
}

impl Range {
    /// Reads `[null, start, end]`, where a zero may be left out.
    #[must_use]
    pub fn read(slot: Slot<'_>) -> Option<Self> {
        let end = position(slot.at(2))?;
        Some(Self { start: position(slot.at(1)).unwrap_or_default(), end })
    }
}

impl Document {
    /// Returns the text alone, a line for each block.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut text = String::new();
        plain(&self.blocks, &mut text);
        text.truncate(text.trim_end().len());
        text
    }

    /// Returns the document in Markdown, and which position stands in which line of it.
    #[must_use]
    pub fn markdown(&self) -> Markdown {
        markdown::write(self)
    }
}

/// Reads a document: `[body, …]`.
#[must_use]
pub fn document(slot: Slot<'_>) -> Document {
    body(slot.at(0))
}

/// Reads a body: `[blocks, anchors]`.
#[must_use]
pub fn body(slot: Slot<'_>) -> Document {
    let mut reader = Reader::default();
    let blocks = reader.blocks(slot.at(0), 0);
    let mut anchors = Vec::new();
    for row in slot.at(1).list().unwrap_or_default().iter().take(PARTS_MAX) {
        let row = Slot::new("anchor", row);
        if let (Some(passage), Some(range)) = (row.at(0).at(0).text(), Range::read(row.at(1))) {
            anchors.push(Anchor { passage: passage.to_owned(), range });
        }
    }
    Document { blocks, anchors, thinking: reader.thinking, cut: reader.cut }
}

/// Reads the blocks of a body, without what else it has.
#[must_use]
pub fn blocks(slot: Slot<'_>) -> Document {
    let mut reader = Reader::default();
    let blocks = reader.blocks(slot, 0);
    Document { blocks, thinking: reader.thinking, cut: reader.cut, anchors: Vec::new() }
}

/// What is known while a document is read.
#[derive(Default)]
struct Reader {
    /// Where the last part ended: the place of one that does not say where it stands.
    end: u32,
    parts: usize,
    thinking: Vec<String>,
    cut: bool,
}

impl Reader {
    fn blocks(&mut self, slot: Slot<'_>, depth: usize) -> Vec<Block> {
        if depth > DEPTH_MAX {
            self.cut = true;
            return Vec::new();
        }
        let mut blocks = Vec::new();
        for index in 0..self.count(slot) {
            let block = slot.at(index);
            let range = self.range(block);
            if block.at(2).list().is_some() {
                blocks.push(Block::Paragraph(self.paragraph(block.at(2), range)));
            } else if block.at(4).list().is_some() {
                blocks.push(Block::Table(self.table(block.at(4), range, depth)));
            } else if block.at(6).list().is_some() {
                let text = block.at(6).at(0).text().unwrap_or_default().to_owned();
                let language = block.at(6).at(1).text().unwrap_or_default().to_owned();
                blocks.push(Block::Code { range, text, language });
            } else if block.at(8).list().is_some() {
                self.thought(block.at(8));
            } else if block.at(11).list().is_some() {
                blocks.push(Block::Rule(range));
            }
            self.end = range.end.max(self.end);
        }
        blocks
    }

    /// Returns how many parts of a list are read.
    fn count(&mut self, slot: Slot<'_>) -> usize {
        let wanted = slot.list().map_or(0, <[Value]>::len);
        let count = wanted.min(PARTS_MAX.saturating_sub(self.parts));
        self.cut |= count < wanted;
        self.parts += count;
        count
    }

    fn range(&self, slot: Slot<'_>) -> Range {
        let start = position(slot.at(0)).unwrap_or(self.end);
        Range { start, end: position(slot.at(1)).unwrap_or(start).max(start) }
    }

    /// Reads `[runs, [null, style], null, bullet]`. Some tools of others leave out a level: `[run, run, …]`.
    fn paragraph(&mut self, slot: Slot<'_>, range: Range) -> Paragraph {
        self.end = range.start;
        let bare = slot.at(0).at(0).integer().is_some();
        let runs = if bare { slot } else { slot.at(0) };
        let mut paragraph = Paragraph { range, ..Paragraph::default() };
        for index in 0..self.count(runs) {
            paragraph.runs.extend(self.run(runs.at(index)));
        }
        if !bare {
            paragraph.style = style(slot.at(1).at(1).integer());
            paragraph.bullet = bullet(slot.at(3));
        }
        paragraph
    }

    fn run(&mut self, slot: Slot<'_>) -> Option<Run> {
        let range = self.range(slot);
        self.end = range.end.max(self.end);
        if let Some(url) = slot.at(3).at(0).text() {
            return Some(Run { range, content: Content::Image(url.to_owned()) });
        }
        let text = slot.at(2).at(0).text()?.to_owned();
        Some(Run { range, content: Content::Text { text, marks: marks(slot.at(2).at(1)) } })
    }

    /// Reads `[rows, columns, [row…]]`; the numbers are not believed.
    fn table(&mut self, slot: Slot<'_>, range: Range, depth: usize) -> Table {
        let mut table = Table { range, rows: Vec::new() };
        let rows = slot.at(2);
        for index in 0..self.count(rows) {
            let row = rows.at(index);
            let range = self.range(row);
            let mut cells = Vec::new();
            for cell in 0..self.count(row.at(2)) {
                cells.push(self.blocks(row.at(2).at(cell).at(2), depth + 1));
            }
            table.rows.push(Row { range, cells, header: row.at(3).at(1).flag() == Some(true) });
        }
        table
    }

    /// Keeps what a model thought: all strings below, in their order.
    fn thought(&mut self, slot: Slot<'_>) {
        let mut thought = String::new();
        strings(slot.value(), &mut thought, 0);
        if !thought.trim().is_empty() {
            self.thinking.push(thought.trim().to_owned());
        }
    }
}

fn strings(value: Option<&Value>, text: &mut String, depth: usize) {
    match value {
        Some(Value::String(found)) => text.push_str(found),
        Some(Value::Array(list)) if depth < 16 => list.iter().for_each(|value| strings(Some(value), text, depth + 1)),
        Some(_) | None => {}
    }
}

fn position(slot: Slot<'_>) -> Option<u32> {
    u32::try_from(slot.integer()?).ok()
}

const fn style(code: Option<i64>) -> Style {
    match code {
        Some(2) => Style::Title,
        Some(3) => Style::Subtitle,
        Some(4) => Style::Heading(1),
        Some(5) => Style::Heading(2),
        Some(6) => Style::Heading(3),
        Some(7) => Style::Heading(4),
        Some(8) => Style::Heading(5),
        Some(9) => Style::Heading(6),
        Some(_) | None => Style::Text,
    }
}

/// Reads `[null, null, level, {"101": glyph, "102": 1 bullet or 2 number, "103": which, "104": number}]`.
fn bullet(slot: Slot<'_>) -> Option<Bullet> {
    slot.list()?;
    let level = slot.at(2).integer().and_then(|level| usize::try_from(level).ok()).unwrap_or_default();
    let facts = slot.at(3).value();
    let fact = |key: &str| facts.and_then(|facts| facts.get(key));
    let number = |key: &str| fact(key).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    let glyph = fact("101").and_then(Value::as_str).unwrap_or("•").to_owned();
    let numbered = number("102") == Some(2);
    Some(Bullet { level, glyph, number: if numbered { number("103").or_else(|| number("104")) } else { None } })
}

/// Reads the looks of text: 0 bold, 1 italic, 3 link, 7 fixed width, 9 formula. 4 and 5 are fonts and colours; 2 and 8
/// were not told apart by any recording, so they change nothing here.
fn marks(slot: Slot<'_>) -> Marks {
    Marks {
        bold: slot.at(0).flag() == Some(true),
        italic: slot.at(1).flag() == Some(true),
        code: slot.at(7).flag() == Some(true),
        link: slot.at(3).text().filter(|link| !link.is_empty()).map(str::to_owned),
        math: match slot.at(9).integer() {
            Some(1) => Some(Math::Inline),
            Some(2) => Some(Math::Display),
            Some(_) | None => None,
        },
    }
}

fn plain(blocks: &[Block], text: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) => {
                for run in &paragraph.runs {
                    if let Content::Text { text: piece, .. } = &run.content {
                        text.push_str(piece);
                    }
                }
            }
            Block::Table(table) => table.rows.iter().flat_map(|row| &row.cells).for_each(|cell| plain(cell, text)),
            Block::Code { text: code, .. } => text.push_str(code),
            Block::Rule(_) => {}
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
}
