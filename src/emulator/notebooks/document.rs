//! A text in Markdown as the product keeps it: blocks with positions in UTF-16 units, which citations name.

use serde_json::{Value, json};

use crate::notebooklm::json::utf16_len;

/// A document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Doc {
    /// Its blocks; their positions run through without gaps.
    pub(super) blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// Where it begins, in UTF-16 units from 0.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// What stands there.
    pub(super) content: Content,
}

/// What stands in a block.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// A paragraph, a heading or an item of a list.
    Text {
        /// What it says.
        runs: Vec<Run>,
        /// The product's number for how it looks; a plain paragraph may have none.
        style: Option<i64>,
        /// Its mark, for an item of a list.
        bullet: Option<Bullet>,
    },
    /// A table: rows of cells; the first is the heading of the columns.
    Table(Vec<Vec<Vec<Run>>>),
    /// Code, and its language.
    Code(String, String),
    /// A line across.
    Rule,
}

/// A stretch of text of one look.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Run {
    /// It.
    pub(super) text: String,
    /// How it looks.
    pub(super) marks: Marks,
}

/// How text looks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Marks {
    /// Bold.
    pub(super) bold: bool,
    /// Italic.
    pub(super) italic: bool,
    /// Of fixed width.
    pub(super) code: bool,
    /// What it links to.
    pub(super) link: Option<String>,
}

/// The mark of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bullet {
    /// Nesting from 0.
    pub(super) level: usize,
    /// Whether it is a number, and not a dot.
    pub(super) numbered: bool,
    /// Which item it is, from 1.
    pub(super) number: u64,
}

impl Run {
    /// Returns a run of a text that looks like nothing special.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), marks: Marks::default() }
    }
}

impl Content {
    /// Counts its UTF-16 units. A line across takes one, although it says nothing.
    pub(super) fn units(&self) -> usize {
        match self {
            Self::Text { runs, .. } => units_of(runs),
            Self::Table(rows) => rows.iter().flatten().map(|runs| units_of(runs)).sum(),
            Self::Code(code, _) => utf16_len(code),
            Self::Rule => 1,
        }
    }
}

impl Doc {
    /// Adds a block at the end. One that says nothing is left out.
    pub(super) fn push(&mut self, content: Content) {
        let start = self.blocks.last().map_or(0, |block| block.end);
        let end = start + content.units();
        if end > start {
            self.blocks.push(Block { start, end, content });
        }
    }

    /// Returns the list of its blocks, as answers have it.
    pub(super) fn values(&self) -> Value {
        self.blocks.iter().map(Block::value).collect()
    }
}

impl Block {
    /// Returns it as answers have it.
    pub(super) fn value(&self) -> Value {
        let (start, end) = (self.start, self.end);
        match &self.content {
            Content::Text { runs, style, bullet } => {
                let mut paragraph = vec![runs_value(runs, start)];
                if bullet.is_some() || style.is_some() {
                    paragraph.push(json!([null, style.unwrap_or(1)]));
                }
                if let Some(bullet) = bullet {
                    paragraph.extend([Value::Null, bullet.value()]);
                }
                json!([start, end, paragraph])
            }
            Content::Table(rows) => {
                let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
                json!([start, end, null, null, [rows.len(), columns, rows_value(rows, start)]])
            }
            Content::Code(code, language) => json!([start, end, null, null, null, null, [code, language]]),
            Content::Rule => json!([start, end, null, null, null, null, null, null, null, null, null, []]),
        }
    }

    /// Returns what it says, without marks.
    pub(super) fn text(&self) -> String {
        match &self.content {
            Content::Text { runs, .. } => text_of(runs),
            Content::Table(rows) => {
                let row = |row: &Vec<Vec<Run>>| row.iter().map(|runs| text_of(runs)).collect::<Vec<_>>().join(" | ");
                rows.iter().map(row).collect::<Vec<_>>().join("\n")
            }
            Content::Code(code, _) => code.clone(),
            Content::Rule => String::new(),
        }
    }

    /// Returns what it says in Markdown, as the search for passages does.
    pub(super) fn markdown(&self) -> String {
        match &self.content {
            Content::Text { style: Some(style), .. } if *style >= 4 => {
                let level = usize::try_from(*style - 3).unwrap_or(1);
                format!("{} {}\n", "#".repeat(level), self.text())
            }
            Content::Text { bullet: Some(bullet), .. } if bullet.numbered => {
                format!("{}.  {}\n", bullet.number, self.text())
            }
            Content::Text { bullet: Some(_), .. } => format!("*  {}\n", self.text()),
            Content::Text { .. } | Content::Table(_) => format!("{}\n", self.text()),
            Content::Code(code, language) => format!("```{language}\n{code}\n```\n"),
            Content::Rule => "---\n".to_owned(),
        }
    }

    /// Tells whether it is a heading.
    pub(super) fn is_heading(&self) -> bool {
        matches!(&self.content, Content::Text { style: Some(style), .. } if *style >= 2)
    }
}

impl Bullet {
    fn value(self) -> Value {
        let glyph = if self.numbered { format!("{}.", self.number) } else { "•".to_owned() };
        let kind = if self.numbered { 2 } else { 1 };
        // Recorded: the last number counts from 0 for dots, and from 1 for numbers.
        let last = if self.numbered { self.number } else { self.number.saturating_sub(1) };
        json!([null, null, self.level, {"101": glyph, "102": kind, "103": self.number, "104": last}])
    }
}

impl Marks {
    /// Returns the list of looks, up to the last that is set; nothing for none.
    fn value(&self) -> Option<Value> {
        let mut list = vec![Value::Null; 8];
        let set = [(0, self.bold), (1, self.italic), (7, self.code)];
        for (place, _) in set.into_iter().filter(|(_, set)| *set) {
            if let Some(slot) = list.get_mut(place) {
                *slot = Value::Bool(true);
            }
        }
        if let (Some(slot), Some(link)) = (list.get_mut(3), &self.link) {
            *slot = link.as_str().into();
        }
        let count = list.iter().rposition(|value| !value.is_null())? + 1;
        list.truncate(count);
        Some(Value::Array(list))
    }
}

/// Returns runs as answers have them.
fn runs_value(runs: &[Run], start: usize) -> Value {
    let mut at = start;
    let each = runs.iter().map(|run| {
        let begin = at;
        at += utf16_len(&run.text);
        match run.marks.value() {
            Some(marks) => json!([begin, at, [run.text, marks]]),
            None => json!([begin, at, [run.text]]),
        }
    });
    each.collect()
}

/// Returns the rows of a table as answers have them.
fn rows_value(rows: &[Vec<Vec<Run>>], start: usize) -> Value {
    let mut at = start;
    let mut values = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let row_start = at;
        let mut cells = Vec::new();
        for runs in row {
            let begin = at;
            at += units_of(runs);
            // An empty cell has no third place.
            if begin == at {
                cells.push(json!([begin, at]));
            } else {
                cells.push(json!([begin, at, [[begin, at, [runs_value(runs, begin), [null, 1]]]]]));
            }
        }
        let mut value = vec![json!(row_start), json!(at), Value::Array(cells)];
        if index == 0 {
            value.push(json!([null, true]));
        }
        values.push(Value::Array(value));
    }
    Value::Array(values)
}

/// Counts the UTF-16 units of runs.
pub(super) fn units_of(runs: &[Run]) -> usize {
    runs.iter().map(|run| utf16_len(&run.text)).sum()
}

/// Returns what runs say.
pub(super) fn text_of(runs: &[Run]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}
