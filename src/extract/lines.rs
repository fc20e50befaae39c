//! The lines of a message's body, whatever they were written in, and the blocks that they become.

use crate::mebdf::{Alignment, Block, Cell, Content, Mark as Bullet, Marks, Run, RunContent};

/// How deep quotes are shown; what is deeper is shown at this depth.
const DEPTH_MAX: usize = 20;

/// What a mail program says a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mark {
    /// Nothing.
    #[default]
    None,
    /// The line above a quote.
    Attribution,
    /// A signature.
    Signature,
    /// A part of its own: an attached message, an invitation. It is no text of the writer's and always shown.
    Attached,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is shown.
    Keep,
    /// It is folded, since it stands in an earlier message.
    Quoted,
    /// It is folded, since it is a signature.
    Signature,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// Text.
    Text,
    /// A heading of this level. That of a message is shown in bold: the headings of its file are the messages.
    Heading(u8),
    /// The first line of an item of a list.
    Item {
        /// Nesting from 0.
        depth: u8,
        /// Its mark.
        bullet: Bullet,
    },
    /// A further paragraph of an item.
    ItemText {
        /// Nesting from 0.
        depth: u8,
    },
    /// A line of code.
    Code,
    /// A stroke.
    Rule,
    /// A table of data.
    Table(Vec<Vec<Cell>>),
}

/// A line that is not blank.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// How many quotes it stands in.
    pub(crate) depth: usize,
    /// What it is.
    pub(crate) what: What,
    /// Its text.
    pub(crate) runs: Vec<Run>,
    /// Whether a blank line stands above.
    pub(crate) apart: bool,
    /// What the writer's program says it is.
    pub(crate) mark: Mark,
}

impl Line {
    /// A line of plain text.
    pub(crate) fn text(text: &str, depth: usize, apart: bool) -> Self {
        Self { depth, what: What::Text, runs: vec![plain(text)], apart, mark: Mark::None }
    }

    /// What the line says, with where its links lead.
    pub(crate) fn said(&self) -> String {
        let mut out = String::new();
        said(&self.runs, &mut out);
        if let What::Table(rows) = &self.what {
            for runs in rows.iter().flatten().flatten() {
                out.push(' ');
                said(runs, &mut out);
            }
        }
        out
    }

    /// How many bytes the line takes in the file, nearly: its text, marks and indent.
    pub(crate) fn weight(&self) -> usize {
        let (depth, cells) = match &self.what {
            What::Item { depth, .. } | What::ItemText { depth } => (usize::from(*depth), 0),
            What::Table(rows) => (0, rows.iter().map(Vec::len).sum()),
            What::Text | What::Heading(_) | What::Code | What::Rule => (0, 0),
        };
        self.said().len() + 4 + 3 * depth + self.depth.min(DEPTH_MAX) + 4 * cells + 4 * self.runs.len()
    }
}

fn said(runs: &[Run], out: &mut String) {
    for run in runs {
        let RunContent::Text(text) = &run.content else { continue };
        out.push_str(text);
        // A picture that is a part of the message is known by its name; its path is ours.
        let told = run.marks.link.as_ref().filter(|link| !is_same(text, link) && !link.starts_with("attachments/"));
        if let Some(link) = told {
            out.push_str(" <");
            out.push_str(link);
            out.push_str("> ");
        }
    }
}

/// Tells whether a link's text is where it leads.
fn is_same(text: &str, link: &str) -> bool {
    let text = text.trim().trim_end_matches('/');
    let link = link.trim_end_matches('/');
    let bare =
        ["mailto:", "tel:", "https://", "http://"].iter().find_map(|scheme| link.strip_prefix(scheme)).unwrap_or(link);
    text == link || text == bare
}

/// A run of plain text.
pub(crate) fn plain(text: &str) -> Run {
    Run { content: RunContent::Text(text.to_owned()), marks: Marks::default() }
}

/// Makes blocks of the lines that are shown, with a line in place of those that are folded.
pub(crate) fn blocks(lines: &[Line], fates: &[Fate]) -> Vec<Block> {
    let mut out = Paragraphs::default();
    let (mut quoted, mut signature) = (0, 0);
    for (line, fate) in lines.iter().zip(fates) {
        match fate {
            Fate::Quoted => quoted += 1,
            Fate::Signature => signature += 1,
            Fate::Keep => {
                out.note(&mut quoted, &mut signature);
                out.line(line);
            }
        }
    }
    out.note(&mut quoted, &mut signature);
    out.blocks
}

#[derive(Default)]
struct Paragraphs {
    blocks: Vec<Block>,
    /// The depth of the paragraph that is open to further lines.
    open: Option<usize>,
}

impl Paragraphs {
    fn push(&mut self, content: Content) {
        self.blocks.push(Block::new(content));
    }

    fn line(&mut self, line: &Line) {
        if line.depth > 0 {
            for runs in flat(line) {
                self.text(&runs, line.depth.min(DEPTH_MAX), line.apart);
            }
            return;
        }
        let runs = line.runs.clone();
        match &line.what {
            What::Text => return self.text(&runs, 0, line.apart),
            What::Heading(_) => self.push(Content::Paragraph { runs: bold(runs) }),
            What::Item { depth, bullet } => self.push(Content::Item { depth: *depth, mark: *bullet, runs }),
            What::ItemText { depth } => self.push(Content::ItemParagraph { depth: *depth, runs }),
            What::Code => self.push(Content::Code { info: String::new(), text: format!("{}\n", line.said()) }),
            What::Rule => self.push(Content::Rule),
            What::Table(rows) => {
                let width = rows.iter().map(Vec::len).max().unwrap_or(0);
                self.push(Content::Table { alignments: vec![Alignment::None; width], rows: rows.clone() });
            }
        }
        self.open = None;
    }

    /// Adds a line to the paragraph that is open, or opens one.
    fn text(&mut self, runs: &[Run], depth: usize, apart: bool) {
        let mut all = Vec::new();
        if depth > 0 {
            all.push(plain(&format!("{} ", ">".repeat(depth))));
        }
        all.extend_from_slice(runs);
        let open = self.open.is_some_and(|open| (open == 0) == (depth == 0)) && !apart;
        self.open = Some(depth);
        match self.blocks.last_mut().map(|block| &mut block.content) {
            Some(Content::Paragraph { runs }) if open => {
                runs.push(plain("\u{b}"));
                runs.append(&mut all);
            }
            Some(_) | None => self.push(Content::Paragraph { runs: all }),
        }
    }

    /// Says how many lines were folded here.
    fn note(&mut self, quoted: &mut usize, signature: &mut usize) {
        let mut said = Vec::new();
        match *quoted {
            0 => {}
            1 => said.push("1 quoted line folded: it stands above".to_owned()),
            count => said.push(format!("{count} quoted lines folded: they stand above")),
        }
        match *signature {
            0 => {}
            1 => said.push("1 line of signature folded".to_owned()),
            count => said.push(format!("{count} lines of signature folded")),
        }
        if !said.is_empty() {
            self.push(Content::Paragraph { runs: vec![plain(&format!("({})", said.join("; ")))] });
            self.open = None;
        }
        (*quoted, *signature) = (0, 0);
    }
}

/// The lines of a line within a quote, which can hold nothing but text.
fn flat(line: &Line) -> Vec<Vec<Run>> {
    let marked = |mark: &str| std::iter::once(plain(mark)).chain(line.runs.iter().cloned()).collect();
    match &line.what {
        What::Text | What::Code | What::ItemText { .. } => vec![line.runs.clone()],
        What::Heading(_) => vec![bold(line.runs.clone())],
        What::Item { bullet: Bullet::Number, .. } => vec![marked("1. ")],
        What::Item { .. } => vec![marked("- ")],
        What::Rule => vec![vec![plain("---")]],
        What::Table(rows) => rows.iter().map(|row| bars(row, " / ")).collect(),
    }
}

/// A row of a table as one line, with a sign between the paragraphs of a cell.
pub(super) fn bars(row: &[Cell], between: &str) -> Vec<Run> {
    let mut out = Vec::new();
    for (number, cell) in row.iter().enumerate() {
        if number > 0 {
            out.push(plain(" | "));
        }
        for (number, runs) in cell.iter().enumerate() {
            if number > 0 {
                out.push(plain(between));
            }
            out.extend_from_slice(runs);
        }
    }
    out
}

fn bold(mut runs: Vec<Run>) -> Vec<Run> {
    for run in &mut runs {
        run.marks.bold = true;
    }
    runs
}
