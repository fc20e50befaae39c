//! What is written of a file: blocks, until there is no more room.

use std::collections::BTreeSet;

use crate::mebdf::{Alignment, Block, Cell, Content, Mark, Marks, Run, RunContent};

/// The most bytes of text that are taken of one file: a long book has one million.
const TEXT_BYTES_MAX: usize = 2 << 20;

/// What a block counts beside its text.
const BLOCK_BYTES: usize = 8;

/// What a cell of a table counts beside its text.
const CELL_BYTES: usize = 3;

/// The deepest list, as the format has it.
const LISTS_MAX: u8 = 31;

/// The widest table, in columns.
pub(super) const COLUMNS_MAX: usize = 256;

/// The longest table, in rows.
pub(super) const ROWS_MAX: usize = 20_000;

/// The blocks that a text is made of.
pub(super) struct Paper {
    blocks: Vec<Block>,
    left: usize,
    full: bool,
    /// What was left out.
    told: BTreeSet<String>,
}

impl Paper {
    pub(super) fn new() -> Self {
        Self { blocks: Vec::new(), left: TEXT_BYTES_MAX, full: false, told: BTreeSet::new() }
    }

    /// Tells whether nothing more is taken.
    pub(super) const fn is_full(&self) -> bool {
        self.full
    }

    /// Says at the end that something was left out.
    pub(super) fn tell(&mut self, what: impl Into<String>) {
        self.told.insert(what.into());
    }

    pub(super) fn heading(&mut self, level: u8, runs: Vec<Run>) {
        let runs = tidy(runs, true);
        if !runs.is_empty() {
            self.push(Content::Heading { level: level.clamp(1, 6), anchor: None, runs });
        }
    }

    pub(super) fn paragraph(&mut self, runs: Vec<Run>) {
        let runs = tidy(runs, false);
        if !runs.is_empty() {
            self.push(Content::Paragraph { runs });
        }
    }

    pub(super) fn item(&mut self, depth: u8, numbered: bool, runs: Vec<Run>) {
        let runs = tidy(runs, false);
        let mark = if numbered { Mark::Number } else { Mark::Bullet };
        if !runs.is_empty() {
            self.push(Content::Item { depth: depth.min(LISTS_MAX), mark, runs });
        }
    }

    /// Adds a table; its first row is the head. One of a single cell is a paragraph.
    pub(super) fn table(&mut self, mut rows: Vec<Vec<Cell>>) {
        let filled = |cell: &Cell| cell.iter().any(|runs| !is_blank(runs));
        rows.retain(|row| row.iter().any(filled));
        let width = rows.iter().map(|row| row.iter().rposition(filled).map_or(0, |at| at + 1)).max().unwrap_or(0);
        if width == 0 {
            return;
        }
        if width == 1 && rows.len() == 1 {
            for runs in rows.into_iter().flatten().flatten() {
                self.paragraph(runs);
            }
            return;
        }
        if rows.len() > ROWS_MAX {
            self.tell(format!("{} rows of a table", rows.len() - ROWS_MAX));
            rows.truncate(ROWS_MAX);
        }
        if width > COLUMNS_MAX {
            self.tell(format!("columns of a table beyond the first {COLUMNS_MAX}"));
        }
        let width = width.min(COLUMNS_MAX);
        let mut taken = Vec::new();
        for mut row in rows {
            row.resize_with(width, Cell::new);
            let row: Vec<Cell> = row.into_iter().map(cell).collect();
            let weight: usize = row.iter().flatten().map(|runs| weight(runs)).sum();
            if !self.take(weight + CELL_BYTES * width) {
                break;
            }
            taken.push(row);
        }
        if !taken.is_empty() {
            self.blocks.push(Block::new(Content::Table { alignments: vec![Alignment::None; width], rows: taken }));
        }
    }

    /// Adds the text of a footnote.
    pub(super) fn footnote(&mut self, label: &str, paragraphs: Vec<Vec<Run>>) {
        let mut paragraphs: Vec<Vec<Run>> = paragraphs.into_iter().map(|runs| tidy(runs, false)).collect();
        paragraphs.retain(|runs| !runs.is_empty());
        if !paragraphs.is_empty() && self.take(paragraphs.iter().map(|runs| weight(runs)).sum()) {
            self.blocks.push(Block::new(Content::Footnote { label: label.to_owned(), paragraphs }));
        }
    }

    /// Adds blocks that are made already.
    pub(super) fn blocks(&mut self, blocks: Vec<Block>) {
        for block in blocks {
            self.push(block.content);
        }
    }

    fn push(&mut self, content: Content) {
        let code = if let Content::Code { text, .. } = &content { text.len() } else { 0 };
        let weight: usize = content.runs().iter().map(|run| run_weight(run)).sum();
        if self.take(weight + code + BLOCK_BYTES) {
            self.blocks.push(Block::new(content));
        }
    }

    fn take(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes).filter(|_| !self.full) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.full = true;
                false
            }
        }
    }

    /// Returns the blocks, with what was left out.
    pub(super) fn finish(mut self) -> Vec<Block> {
        let mut notes = Vec::new();
        if self.full {
            notes.push(format!("(The text goes on; only the first {} MB are shown.)", TEXT_BYTES_MAX >> 20));
        }
        if !self.told.is_empty() {
            notes.push(format!("(Not shown: {}.)", self.told.into_iter().collect::<Vec<_>>().join("; ")));
        }
        for note in notes {
            self.blocks.push(Block::new(Content::Paragraph { runs: vec![plain(&note)] }));
        }
        self.blocks
    }
}

/// A run of plain text.
pub(super) fn plain(text: &str) -> Run {
    Run { content: RunContent::Text(text.to_owned()), marks: Marks::default() }
}

/// Returns the first characters of a text, and whether it has more.
pub(super) fn begin(text: &str, characters: usize) -> (String, bool) {
    match text.char_indices().nth(characters) {
        Some((end, _)) => (text.get(..end).unwrap_or_default().to_owned(), true),
        None => (text.to_owned(), false),
    }
}

/// The cell of a plain text.
pub(super) fn plain_cell(text: &str) -> Cell {
    vec![vec![plain(text)]]
}

/// Makes a text one that may stand in a paragraph: no control characters, and breaks of lines are blanks.
pub(super) fn clean(text: &str) -> String {
    text.chars().filter_map(letter).map(|letter| if matches!(letter, '\u{b}' | '\n') { ' ' } else { letter }).collect()
}

fn letter(letter: char) -> Option<char> {
    match letter {
        // Breaks of a line, as the tree has them: hard ones, and those that mean a blank.
        '\u{b}' | '\n' => Some(letter),
        letter if letter.is_whitespace() => Some(if matches!(letter, '\u{a0}' | '\u{202f}') { letter } else { ' ' }),
        letter if letter.is_control() || matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{ad}') => None,
        letter => Some(letter),
    }
}

fn is_blank(runs: &[Run]) -> bool {
    runs.iter().all(|run| matches!(&run.content, RunContent::Text(text) if text.trim().is_empty()))
}

/// Cleans the text of runs, joins those that look alike, and takes blanks from both ends; nothing is left of blanks alone.
fn tidy(runs: Vec<Run>, one_line: bool) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    let mut blank = true;
    for run in runs {
        let RunContent::Text(text) = &run.content else {
            out.push(run);
            blank = false;
            continue;
        };
        let mut said = String::with_capacity(text.len());
        for letter in text.chars().filter_map(letter) {
            let letter = if one_line && matches!(letter, '\u{b}' | '\n') { ' ' } else { letter };
            if matches!(letter, ' ' | '\n') && blank {
                continue;
            }
            // Nothing but the break stands at the end of a line.
            if matches!(letter, '\u{b}' | '\n') {
                said.truncate(said.trim_end_matches(' ').len());
            }
            blank = matches!(letter, ' ' | '\n' | '\u{b}');
            said.push(letter);
        }
        if said.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some(Run { content: RunContent::Text(last), marks }) if *marks == run.marks => last.push_str(&said),
            Some(_) | None => out.push(Run { content: RunContent::Text(said), marks: run.marks }),
        }
    }
    while let Some(Run { content: RunContent::Text(text), .. }) = out.last_mut() {
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            break;
        }
        out.pop();
    }
    if is_blank(&out) { Vec::new() } else { out }
}

fn cell(cell: Cell) -> Cell {
    let mut paragraphs: Cell = cell.into_iter().map(|runs| tidy(runs, true)).filter(|runs| !runs.is_empty()).collect();
    if paragraphs.is_empty() {
        paragraphs.push(Vec::new());
    }
    paragraphs
}

fn weight(runs: &[Run]) -> usize {
    runs.iter().map(run_weight).sum()
}

fn run_weight(run: &Run) -> usize {
    let text = if let RunContent::Text(text) = &run.content { text.len() } else { 4 };
    text + run.marks.link.as_ref().map_or(0, String::len)
}
