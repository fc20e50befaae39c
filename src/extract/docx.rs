//! Documents of Word.
//!
//! Source: ECMA-376, part 1, chapter 17.

use std::collections::HashMap;

use super::lines::bars;
use super::package::Package;
use super::paper::{Paper, plain};
use super::xml::{Element, Node, Nodes};
use crate::mebdf::{Cell, Marks, Run, RunContent};

/// How deep tables nest that stay tables; those within a cell are its lines in any case.
const TABLES_MAX: usize = 16;

/// Styles, lists and links that are known at most.
const KNOWN_MAX: usize = 20_000;

/// Reads a document.
pub(super) fn read(bytes: &[u8], paper: &mut Paper) -> Result<(), String> {
    let mut package = Package::open(bytes)?;
    let main = package.main("word/document.xml");
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let Some(text) = package.part(&main) else { return Err("it has no text of a document".to_owned()) };
    let beside = |name: &str| format!("{folder}/{name}");
    let known = Known {
        headings: package.part(&beside("styles.xml")).map(|text| headings(&text)).unwrap_or_default(),
        numbered: package.part(&beside("numbering.xml")).map(|text| numbered(&text)).unwrap_or_default(),
        links: package.relations(&main).into_iter().map(|(id, (target, _))| (id, target)).collect(),
    };
    let mut walk = Walk::new(&known, paper);
    walk.read(&text);
    let notes: Vec<String> = std::mem::take(&mut walk.notes);
    if let Some(text) = package.part(&beside("footnotes.xml")).filter(|_| !notes.is_empty()) {
        footnotes(&text, &notes, &known, paper);
    }
    if package.is_cut() {
        paper.tell("parts of the document that are too long or damaged");
    }
    Ok(())
}

/// What is known beside the text.
struct Known {
    /// The levels of styles that are headings.
    headings: HashMap<String, u8>,
    /// Which levels of which lists are numbered.
    numbered: HashMap<(String, String), bool>,
    /// Where links lead, by the ids of their relations.
    links: HashMap<String, String>,
}

/// Reads which styles are headings: their names are English in every language.
fn headings(text: &str) -> HashMap<String, u8> {
    let mut out = HashMap::new();
    let (mut nodes, mut style) = (Nodes::new(text), None::<String>);
    while let Some(node) = nodes.next() {
        let Node::Open(element) = node else { continue };
        let level = match element.name() {
            "style" => {
                style = element.value("styleId");
                None
            }
            "name" => match element.value("val").unwrap_or_default().to_ascii_lowercase().as_str() {
                "title" => Some(1),
                name => name.strip_prefix("heading ").and_then(|level| level.parse().ok()),
            },
            "outlineLvl" => element.value("val").and_then(|level| level.parse::<u8>().ok()).map(|level| level + 1),
            _ => None,
        };
        if let (Some(level @ 1..=9), Some(style)) = (level, &style)
            && out.len() < KNOWN_MAX
        {
            out.entry(style.clone()).or_insert(level);
        }
    }
    out
}

/// Reads which lists are numbered, by the number of the list and the level.
fn numbered(text: &str) -> HashMap<(String, String), bool> {
    let mut kinds: HashMap<String, Vec<(String, bool)>> = HashMap::new();
    let mut out = HashMap::new();
    let (mut nodes, mut kind, mut number, mut level) =
        (Nodes::new(text), None::<String>, None::<String>, None::<String>);
    while let Some(node) = nodes.next() {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "abstractNum" => kind = element.value("abstractNumId"),
            "lvl" => level = element.value("ilvl"),
            "numFmt" => {
                let counts = !matches!(element.value("val").as_deref(), Some("bullet" | "none") | None);
                if let (Some(kind), Some(level)) = (&kind, &level)
                    && kinds.len() < KNOWN_MAX
                {
                    kinds.entry(kind.clone()).or_default().push((level.clone(), counts));
                }
            }
            "num" => number = element.value("numId"),
            "abstractNumId" => {
                let levels = element.value("val").and_then(|kind| kinds.get(&kind));
                let Some((number, levels)) = number.as_ref().zip(levels).filter(|_| out.len() < KNOWN_MAX) else {
                    continue;
                };
                out.extend(levels.iter().take(9).map(|(level, counts)| ((number.clone(), level.clone()), *counts)));
            }
            _ => {}
        }
    }
    out
}

/// A paragraph that is open.
#[derive(Default)]
struct Paragraph {
    runs: Vec<Run>,
    style: Option<String>,
    outline: Option<u8>,
    list: Option<String>,
    level: Option<String>,
    /// How text looks, and where it links.
    marks: Marks,
    link: Option<String>,
    /// Whether properties of the paragraph itself are read, or of its mark.
    head: bool,
}

/// Rows that are open, and the cell in them.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<Cell>>,
    /// Further columns that the cell covers.
    span: usize,
}

struct Walk<'k, 'p> {
    known: &'k Known,
    paper: &'p mut Paper,
    open: Vec<Paragraph>,
    tables: Vec<Table>,
    /// Elements that are skipped, which may nest.
    skipped: usize,
    /// Whether text stands here; between runs only blanks do.
    text: bool,
    /// The footnotes that the text names, in order.
    notes: Vec<String>,
    /// The paragraphs of the footnote that is read.
    note: Option<Vec<Vec<Run>>>,
}

impl<'k, 'p> Walk<'k, 'p> {
    fn new(known: &'k Known, paper: &'p mut Paper) -> Self {
        Self {
            known,
            paper,
            open: Vec::new(),
            tables: Vec::new(),
            skipped: 0,
            text: false,
            notes: Vec::new(),
            note: None,
        }
    }

    fn read(&mut self, text: &str) {
        let mut nodes = Nodes::new(text);
        while let Some(node) = nodes.next() {
            self.node(node);
            if self.paper.is_full() {
                return;
            }
        }
        self.close_all();
        if nodes.is_damaged() {
            self.paper.tell("what stands behind a place where the file is damaged");
        }
    }

    fn close_all(&mut self) {
        while !self.open.is_empty() {
            self.close_paragraph();
        }
        while !self.tables.is_empty() {
            self.close_table();
        }
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Open(element) if is_skipped(element.name()) || self.skipped > 0 => {
                self.skipped += usize::from(is_skipped(element.name()));
            }
            Node::Close(name) if self.skipped > 0 => self.skipped -= usize::from(is_skipped(&name)),
            Node::Open(element) => self.start(&element),
            Node::Close(name) => self.end(&name),
            Node::Text(text) if self.text && self.skipped == 0 => self.say(&text),
            Node::Text(_) => {}
        }
    }

    fn start(&mut self, element: &Element<'_>) {
        match element.name() {
            "p" => self.open.push(Paragraph::default()),
            "tbl" if self.tables.len() < TABLES_MAX => self.tables.push(Table::default()),
            "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            "tc" => {
                if let Some(row) = self.tables.last_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(Cell::new());
                }
            }
            // A cell over several columns leaves the others empty.
            "gridSpan" => {
                let span = element.value("val").and_then(|span| span.parse::<usize>().ok()).unwrap_or(1);
                if let Some(table) = self.tables.last_mut() {
                    table.span = span.saturating_sub(1).min(64);
                }
            }
            "t" => self.text = true,
            "tab" if self.in_run() => self.say("\t"),
            "br" | "cr" if self.in_run() => self.say("\u{b}"),
            "noBreakHyphen" => self.say("-"),
            "footnoteReference" => self.refer(element),
            _ => self.property(element),
        }
    }

    /// Whether the place is one of text, and not of what is said of a paragraph.
    fn in_run(&self) -> bool {
        self.open.last().is_some_and(|paragraph| !paragraph.head)
    }

    /// Takes what is said of a paragraph or of a piece of it.
    fn property(&mut self, element: &Element<'_>) {
        let links = &self.known.links;
        let Some(paragraph) = self.open.last_mut() else { return };
        let is_on = || !matches!(element.value("val").as_deref(), Some("0" | "false" | "none" | "off"));
        match element.name() {
            "pPr" => paragraph.head = true,
            "r" => paragraph.marks = Marks::default(),
            "hyperlink" => {
                let target = element.relation("id").and_then(|id| links.get(&id).cloned());
                paragraph.link = target.filter(|target| target.starts_with("http") || target.starts_with("mailto:"));
            }
            "pStyle" => paragraph.style = element.value("val"),
            "outlineLvl" => paragraph.outline = element.value("val").and_then(|level| level.parse().ok()),
            "numId" => paragraph.list = element.value("val").filter(|number| number != "0"),
            "ilvl" => paragraph.level = element.value("val"),
            "b" if !paragraph.head => paragraph.marks.bold = is_on(),
            "i" if !paragraph.head => paragraph.marks.italic = is_on(),
            "strike" | "dstrike" if !paragraph.head => paragraph.marks.strike = is_on(),
            _ => {}
        }
    }

    fn refer(&mut self, element: &Element<'_>) {
        let Some(id) = element.value("id").filter(|_| self.note.is_none()) else { return };
        if self.notes.len() >= KNOWN_MAX {
            self.paper.tell(format!("notes behind the first {KNOWN_MAX}"));
            return;
        }
        let Some(paragraph) = self.open.last_mut() else { return };
        self.notes.push(id);
        let label = self.notes.len().to_string();
        paragraph.runs.push(Run { content: RunContent::FootnoteReference(label), marks: Marks::default() });
    }

    fn end(&mut self, name: &str) {
        match name {
            "p" => self.close_paragraph(),
            "tbl" => self.close_table(),
            "t" => self.text = false,
            "tc" => {
                let Some(table) = self.tables.last_mut() else { return };
                let span = std::mem::take(&mut table.span);
                if let Some(row) = table.rows.last_mut() {
                    row.resize_with(row.len() + span, Cell::new);
                }
            }
            "pPr" => {
                if let Some(paragraph) = self.open.last_mut() {
                    paragraph.head = false;
                }
            }
            "hyperlink" => {
                if let Some(paragraph) = self.open.last_mut() {
                    paragraph.link = None;
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        let Some(paragraph) = self.open.last_mut() else { return };
        let marks = Marks { link: paragraph.link.clone(), ..paragraph.marks.clone() };
        match paragraph.runs.last_mut() {
            Some(Run { content: RunContent::Text(last), marks: same }) if *same == marks => last.push_str(text),
            Some(_) | None => {
                paragraph.runs.push(Run { content: RunContent::Text(text.to_owned()), marks });
            }
        }
    }

    fn close_paragraph(&mut self) {
        let Some(paragraph) = self.open.pop() else { return };
        let style = paragraph.style.as_ref().and_then(|style| self.known.headings.get(style)).copied();
        let heading = paragraph.outline.filter(|level| *level < 9).map(|level| level + 1).or(style);
        let depth = paragraph.level.clone().unwrap_or_else(|| "0".to_owned());
        let numbered = paragraph.list.map(|list| {
            let key = (list, depth.clone());
            self.known.numbered.get(&key).copied().unwrap_or(false)
        });
        let mut runs = paragraph.runs;
        if let Some(note) = &mut self.note {
            note.push(runs);
            return;
        }
        if let Some(cell) =
            self.tables.last_mut().and_then(|table| table.rows.last_mut()).and_then(|row| row.last_mut())
        {
            if numbered.is_some() {
                runs.insert(0, plain("- "));
            }
            cell.push(runs);
            return;
        }
        match (heading, numbered) {
            (Some(level), _) => self.paper.heading(level, without_bold(runs)),
            (None, Some(numbered)) => self.paper.item(depth.parse().unwrap_or(0), numbered, runs),
            (None, None) => self.paper.paragraph(runs),
        }
    }

    fn close_table(&mut self) {
        let Some(table) = self.tables.pop() else { return };
        let outer = self.tables.last_mut().and_then(|table| table.rows.last_mut()).and_then(|row| row.last_mut());
        let Some(cell) = outer else { return self.paper.table(table.rows) };
        for row in table.rows {
            cell.push(bars(&row, " "));
        }
    }
}

/// Headings are bold without being told.
fn without_bold(mut runs: Vec<Run>) -> Vec<Run> {
    for run in &mut runs {
        run.marks.bold = false;
    }
    runs
}

/// Reads the footnotes that the text names.
fn footnotes(text: &str, notes: &[String], known: &Known, paper: &mut Paper) {
    let mut found: HashMap<String, Vec<Vec<Run>>> = HashMap::new();
    let mut walk = Walk::new(known, paper);
    walk.note = Some(Vec::new());
    let mut nodes = Nodes::new(text);
    let mut id = None;
    while let Some(node) = nodes.next() {
        match &node {
            Node::Open(element) if element.name() == "footnote" => id = element.value("id"),
            Node::Close(name) if name == "footnote" => {
                walk.close_all();
                let paragraphs = walk.note.replace(Vec::new()).unwrap_or_default();
                if let Some(id) = id.take().filter(|_| found.len() < KNOWN_MAX) {
                    found.insert(id, paragraphs);
                }
            }
            Node::Open(_) | Node::Close(_) | Node::Text(_) => {}
        }
        walk.node(node);
    }
    for (number, id) in notes.iter().enumerate() {
        let paragraphs = found.remove(id).unwrap_or_else(|| vec![vec![plain("(This note is missing.)")]]);
        paper.footnote(&(number + 1).to_string(), paragraphs);
    }
}

/// Tells whether an element holds what is no text of the document: what was deleted or moved away, what older programs show
/// instead, and the codes of fields.
fn is_skipped(name: &str) -> bool {
    matches!(name, "del" | "moveFrom" | "Fallback" | "instrText" | "delText" | "rPrChange" | "pPrChange")
}
