//! Slides of `PowerPoint`: a section for each slide, with its number.
//!
//! Source: ECMA-376, part 1, chapters 19 and 21.

use super::package::Package;
use super::paper::{Paper, plain};
use super::xml::{Element, Node, Nodes};
use crate::mebdf::{Cell, Marks, Run, RunContent};

/// The most slides that are read.
const SLIDES_MAX: usize = 2_000;

/// Reads slides.
pub(super) fn read(bytes: &[u8], paper: &mut Paper) -> Result<(), String> {
    let mut package = Package::open(bytes)?;
    let main = package.main("ppt/presentation.xml");
    let Some(text) = package.part(&main) else { return Err("it has no slides".to_owned()) };
    let relations = package.relations(&main);
    let mut slides = Vec::new();
    let mut nodes = Nodes::new(&text);
    while let Some(node) = nodes.next() {
        let Node::Open(element) = node else { continue };
        if element.name() == "sldId" {
            slides.extend(element.relation("id").and_then(|id| relations.get(&id)).map(|(target, _)| target.clone()));
        }
    }
    if slides.len() > SLIDES_MAX {
        paper.tell(format!("{} slides behind the first {SLIDES_MAX}", slides.len() - SLIDES_MAX));
    }
    for (number, part) in slides.iter().take(SLIDES_MAX).enumerate() {
        if paper.is_full() {
            break;
        }
        let Some(text) = package.part(part) else {
            paper.tell(format!("slide {}, which cannot be read", number + 1));
            continue;
        };
        let slide = Slide::read(&text);
        let hidden = if slide.hidden { " (hidden)" } else { "" };
        let colon = if slide.title.is_empty() { "" } else { ": " };
        paper.heading(2, vec![plain(&format!("Slide {}{hidden}{colon}{}", number + 1, slide.title))]);
        slide.write(paper);
        let relations = package.relations(part);
        let notes = relations.values().find(|(_, kind)| kind == "notesSlide").map(|(target, _)| target.clone());
        let Some(notes) = notes.and_then(|part| package.part(&part)) else { continue };
        let notes = Slide::read(&notes);
        let said = notes.pieces.into_iter().filter(|piece| matches!(piece, Piece::Text { place: Place::Body, .. }));
        let mut first = true;
        for piece in said {
            let Piece::Text { mut runs, .. } = piece else { continue };
            if std::mem::take(&mut first) {
                runs.insert(0, plain("Notes: "));
            }
            paper.paragraph(runs);
        }
    }
    if package.is_cut() {
        paper.tell("parts of the slides that are too long or damaged");
    }
    Ok(())
}

/// What a shape is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Title,
    Body,
    /// Numbers and dates of slides, which are no text.
    Furniture,
    Free,
}

enum Piece {
    Text { place: Place, level: u8, runs: Vec<Run> },
    Table(Vec<Vec<Cell>>),
}

struct Slide {
    title: String,
    hidden: bool,
    pieces: Vec<Piece>,
    place: Place,
    level: u8,
    runs: Vec<Run>,
    marks: Marks,
    table: Option<Vec<Vec<Cell>>>,
    text: bool,
    skipped: usize,
}

impl Slide {
    fn read(text: &str) -> Self {
        let mut slide = Self {
            title: String::new(),
            hidden: false,
            pieces: Vec::new(),
            place: Place::Free,
            level: 0,
            runs: Vec::new(),
            marks: Marks::default(),
            table: None,
            text: false,
            skipped: 0,
        };
        let mut nodes = Nodes::new(text);
        while let Some(node) = nodes.next() {
            match node {
                // What older programs show instead is the same once more.
                Node::Open(element) if element.name() == "Fallback" || slide.skipped > 0 => {
                    slide.skipped += usize::from(element.name() == "Fallback");
                }
                Node::Close(name) if slide.skipped > 0 => slide.skipped -= usize::from(name == "Fallback"),
                Node::Open(element) => slide.start(&element),
                Node::Close(name) => slide.end(&name),
                Node::Text(text) if slide.text && slide.skipped == 0 => slide.say(&text),
                Node::Text(_) => {}
            }
        }
        slide
    }

    fn start(&mut self, element: &Element<'_>) {
        match element.name() {
            "sld" => self.hidden = matches!(element.value("show").as_deref(), Some("0" | "false")),
            "sp" => self.place = Place::Free,
            "ph" => {
                self.place = match element.value("type").as_deref() {
                    Some("title" | "ctrTitle") => Place::Title,
                    Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => Place::Furniture,
                    Some("subTitle") => Place::Free,
                    Some(_) | None => Place::Body,
                };
            }
            "p" => {
                self.runs.clear();
                self.level = 0;
            }
            "pPr" => self.level = element.value("lvl").and_then(|level| level.parse().ok()).unwrap_or(0),
            "rPr" => {
                let is_on = |name: &str| matches!(element.value(name).as_deref(), Some("1" | "true"));
                self.marks.bold = is_on("b");
                self.marks.italic = is_on("i");
            }
            "r" | "fld" => self.marks = Marks::default(),
            "t" => self.text = true,
            "br" => self.say("\u{b}"),
            "tbl" => self.table = Some(Vec::new()),
            "tr" => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            "tc" => {
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(Cell::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.text = false,
            "p" => self.close_paragraph(),
            "sp" => self.place = Place::Free,
            "tbl" => self.pieces.extend(self.table.take().map(Piece::Table)),
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        self.runs.push(Run { content: RunContent::Text(text.to_owned()), marks: self.marks.clone() });
    }

    fn close_paragraph(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if let Some(cell) = self.table.as_mut().and_then(|rows| rows.last_mut()).and_then(|row| row.last_mut()) {
            cell.push(runs);
            return;
        }
        match self.place {
            Place::Furniture => {}
            Place::Title => {
                for run in runs {
                    if let RunContent::Text(text) = run.content {
                        self.title.push_str(&text.replace('\u{b}', " "));
                    }
                }
                // A title of several paragraphs is one line.
                self.title.push(' ');
                self.title = self.title.trim_start().to_owned();
            }
            place @ (Place::Body | Place::Free) => self.pieces.push(Piece::Text { place, level: self.level, runs }),
        }
    }

    fn write(self, paper: &mut Paper) {
        for piece in self.pieces {
            match piece {
                Piece::Text { place: Place::Body, level, runs } => paper.item(level, false, runs),
                Piece::Text { runs, .. } => paper.paragraph(runs),
                Piece::Table(rows) => paper.table(rows),
            }
        }
    }
}
