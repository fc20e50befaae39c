//! Text of a PDF: what its pages show, in the order in which they show it.
//!
//! A page says where each piece of text goes and nothing of words, lines or paragraphs. What stands on one base line is a line, a gap
//! in it a blank, and more than a line's room below it a new paragraph. Columns stay apart, since programs write one after the other.
//!
//! Source: ISO 32000-1, chapters 8 and 9.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::{Operator, UntypedIter};
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::Resources;
use hayro_syntax::{LoadPdfError, Pdf};

use super::paper::{Paper, plain};
use super::pdf_font::Font;

/// The most pages that are read.
const PAGES_MAX: usize = 5_000;

/// The most instructions that are carried out.
const STEPS_MAX: usize = 20_000_000;

/// How deep drawings that pages share may stand in one another, and how many states may be kept.
const FORMS_MAX: usize = 12;
const STATES_MAX: usize = 64;

/// The most bytes of drawings that pages share, each time it is shown.
const FORM_BYTES_MAX: usize = 256 << 20;

/// The most fonts that are known at once.
const FONTS_MAX: usize = 4_000;

/// Reads a PDF.
pub(super) fn read(bytes: &[u8], paper: &mut Paper) -> Result<(), String> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => "it asks for a password, or is encrypted in an unknown way".to_owned(),
        LoadPdfError::Invalid => "it is no PDF, or damaged".to_owned(),
    })?;
    let pages = pdf.pages();
    let count = pages.len();
    if count > PAGES_MAX {
        paper.tell(format!("{} pages behind the first {PAGES_MAX}", count - PAGES_MAX));
    }
    let mut reading = Reading::default();
    let mut said = false;
    for (number, page) in pages.iter().take(PAGES_MAX).enumerate() {
        if paper.is_full() || reading.steps > STEPS_MAX {
            break;
        }
        reading.page();
        if let Some(content) = page.page_stream() {
            reading.content(content, page.resources(), 0);
        }
        let lines = reading.take();
        if lines.is_empty() {
            continue;
        }
        said = true;
        if count > 1 {
            paper.heading(2, vec![plain(&format!("Page {}", number + 1))]);
        }
        for paragraph in lines {
            paper.paragraph(vec![plain(&paragraph)]);
        }
    }
    if reading.steps > STEPS_MAX {
        paper.tell("pages behind those that took too long to read");
    }
    if reading.skipped {
        paper.tell("drawings that stand too deep in others, or are shown too often");
    }
    if reading.unknown > 0 {
        paper.tell(format!("{} characters whose fonts do not say what they mean", reading.unknown));
    }
    if !said && reading.unknown == 0 {
        let pages = if count == 1 { "its page has".to_owned() } else { format!("none of its {count} pages has") };
        let no = if count == 1 { " no" } else { "" };
        return Err(format!("{pages}{no} text; pictures of text are not read"));
    }
    Ok(())
}

/// How coordinates are changed: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Debug, Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then the other.
    fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, other.0);
        Self([a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u])
    }

    fn moved(self, x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }
}

/// What text is shown with.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter: f64,
    word: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl Default for State {
    fn default() -> Self {
        let (size, letter, word, scale, leading, rise) = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
        Self { matrix: Matrix::ONE, font: None, size, letter, word, scale, leading, rise }
    }
}

/// Where the last text ended: along its direction, across it, its size, and the direction.
#[derive(Clone, Copy)]
struct End {
    along: f64,
    across: f64,
    size: f64,
    direction: (f64, f64),
}

#[derive(Default)]
struct Reading {
    fonts: HashMap<ObjectIdentifier, Rc<Font>>,
    steps: usize,
    form_bytes: usize,
    /// Whether drawings that pages share stood too deep in one another, or were shown too often.
    skipped: bool,
    unknown: usize,
    state: State,
    states: Vec<State>,
    text: Option<(Matrix, Matrix)>,
    paragraphs: Vec<String>,
    open: String,
    end: Option<End>,
}

impl Reading {
    fn page(&mut self) {
        (self.state, self.states, self.text, self.end) = (State::default(), Vec::new(), None, None);
    }

    /// Returns the paragraphs of the page.
    fn take(&mut self) -> Vec<String> {
        self.paragraph();
        std::mem::take(&mut self.paragraphs)
    }

    fn paragraph(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.trim().is_empty() {
            self.paragraphs.push(open);
        }
    }

    fn content(&mut self, content: &[u8], resources: &Resources<'_>, depth: usize) {
        let mut instructions = UntypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            self.steps += 1;
            if self.steps > STEPS_MAX {
                return;
            }
            if instruction.operator.len() > 2 {
                continue;
            }
            let operands: Vec<&Object<'_>> = instruction.operands().take(8).collect();
            self.step(instruction.operator, &operands, resources, depth);
        }
    }

    fn step(&mut self, operator: &Operator<'_>, operands: &[&Object<'_>], resources: &Resources<'_>, depth: usize) {
        let number = |at: usize| match operands.get(at) {
            Some(Object::Number(number)) => finite(number.as_f64()),
            Some(_) | None => 0.0,
        };
        let matrix = || Matrix([number(0), number(1), number(2), number(3), number(4), number(5)]);
        match &**operator {
            b"q" if self.states.len() < STATES_MAX => self.states.push(self.state.clone()),
            b"Q" => self.state = self.states.pop().unwrap_or_else(|| self.state.clone()),
            b"cm" => self.state.matrix = matrix().then(self.state.matrix),
            b"BT" => self.text = Some((Matrix::ONE, Matrix::ONE)),
            b"Tc" => self.state.letter = number(0),
            b"Tw" => self.state.word = number(0),
            b"Tz" => self.state.scale = number(0) / 100.0,
            b"TL" => self.state.leading = number(0),
            b"Ts" => self.state.rise = number(0),
            b"Tf" => {
                if let Some(Object::Name(name)) = operands.first() {
                    self.state.font = self.font(name, resources);
                }
                self.state.size = number(1);
            }
            b"Td" => self.line(number(0), number(1)),
            b"TD" => {
                self.state.leading = -number(1);
                self.line(number(0), number(1));
            }
            b"Tm" => self.text = Some((matrix(), matrix())),
            b"T*" => self.line(0.0, -self.state.leading),
            b"Tj" => self.show_first(operands.first()),
            b"'" => {
                self.line(0.0, -self.state.leading);
                self.show_first(operands.first());
            }
            b"\"" => {
                (self.state.word, self.state.letter) = (number(0), number(1));
                self.line(0.0, -self.state.leading);
                self.show_first(operands.get(2));
            }
            b"TJ" => {
                if let Some(Object::Array(pieces)) = operands.first() {
                    self.show_all(pieces);
                }
            }
            b"Do" => {
                if let Some(Object::Name(name)) = operands.first() {
                    self.form(name, resources, depth);
                }
            }
            _ => {}
        }
    }

    fn line(&mut self, x: f64, y: f64) {
        let (_, start) = self.text.unwrap_or((Matrix::ONE, Matrix::ONE));
        let start = start.moved(x, y);
        self.text = Some((start, start));
    }

    fn font(&mut self, name: &Name<'_>, resources: &Resources<'_>) -> Option<Rc<Font>> {
        let dict = resources.get_font(name)?;
        let id = dict.obj_id();
        if let Some(font) = id.and_then(|id| self.fonts.get(&id)) {
            return Some(font.clone());
        }
        let font = Rc::new(Font::read(&dict));
        if let Some(id) = id.filter(|_| self.fonts.len() < FONTS_MAX) {
            self.fonts.insert(id, font.clone());
        }
        Some(font)
    }

    /// Shows a drawing that pages share.
    fn form(&mut self, name: &Name<'_>, resources: &Resources<'_>, depth: usize) {
        let Some(stream) = resources.get_x_object(name) else { return };
        let is_form = stream.dict().get::<Name<'_>>(b"Subtype").is_some_and(|kind| &*kind == b"Form");
        if !is_form {
            return;
        }
        if depth >= FORMS_MAX || self.form_bytes > FORM_BYTES_MAX {
            self.skipped = true;
            return;
        }
        let Ok(content) = Stream::decoded_data(&stream) else { return };
        self.form_bytes += content.len();
        let matrix = stream.dict().get::<Array<'_>>(b"Matrix").map(|list| {
            let mut numbers = list.iter::<f64>().map(finite);
            let mut next = || numbers.next().unwrap_or(0.0);
            Matrix([next(), next(), next(), next(), next(), next()])
        });
        let (state, text) = (self.state.clone(), self.text.take());
        let states = std::mem::take(&mut self.states);
        self.state.matrix = matrix.unwrap_or(Matrix::ONE).then(self.state.matrix);
        match stream.dict().get::<Dict<'_>>(b"Resources") {
            Some(own) => self.content(&content, &Resources::new(own), depth + 1),
            None => self.content(&content, resources, depth + 1),
        }
        (self.state, self.text, self.states) = (state, text, states);
    }

    fn show_first(&mut self, operand: Option<&&Object<'_>>) {
        if let Some(Object::String(text)) = operand {
            self.show(text.as_bytes());
        }
    }

    fn show_all(&mut self, pieces: &Array<'_>) {
        for piece in pieces.iter::<Object<'_>>() {
            match piece {
                Object::String(text) => self.show(text.as_bytes()),
                Object::Number(number) => {
                    let back = finite(number.as_f64()) / 1000.0 * self.state.size * self.state.scale;
                    self.advance(-back);
                }
                Object::Null(_)
                | Object::Boolean(_)
                | Object::Name(_)
                | Object::Dict(_)
                | Object::Array(_)
                | Object::Stream(_) => {}
            }
        }
    }

    fn advance(&mut self, by: f64) {
        let (now, start) = self.text.unwrap_or((Matrix::ONE, Matrix::ONE));
        self.text = Some((now.moved(by, 0.0), start));
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        self.steps += bytes.len();
        let State { size, letter, word, scale, rise, .. } = self.state;
        font.codes(bytes, |code| {
            let (now, _) = self.text.unwrap_or((Matrix::ONE, Matrix::ONE));
            let place = now.moved(0.0, rise).then(self.state.matrix);
            let width = code.width * size * scale;
            match code.text {
                Some(text) => self.put(&text, place, width),
                None => self.unknown += 1,
            }
            self.advance(width + (letter + if code.blank { word } else { 0.0 }) * scale);
        });
    }

    /// Puts text where it is shown, behind what was shown before.
    fn put(&mut self, text: &str, place: Matrix, width: f64) {
        let [a, b, c, d, x, y] = place.0;
        let stretch = a.hypot(b);
        if stretch < 1e-9 || !stretch.is_finite() {
            return;
        }
        let direction = (a / stretch, b / stretch);
        let size = (c.hypot(d) * self.state.size).abs().max(1e-6);
        let along = x * direction.0 + y * direction.1;
        let across = y * direction.0 - x * direction.1;
        if let Some(last) = self.end {
            self.between(last, End { along, across, size, direction });
        }
        if text == " " {
            if !self.open.ends_with([' ', '\n']) {
                self.open.push(' ');
            }
        } else {
            self.open.push_str(text);
        }
        self.end = Some(End { along: along + width * stretch, across, size, direction });
    }

    /// Writes what stands between two pieces of text: nothing, a blank, the end of a line or that of a paragraph.
    fn between(&mut self, last: End, next: End) {
        let turned = (last.direction.0 - next.direction.0).abs() + (last.direction.1 - next.direction.1).abs() > 0.02;
        let (size, lower) = (last.size.max(next.size), last.across - next.across);
        let gap = next.along - last.along;
        if !turned && lower.abs() < 0.4 * size && gap > -0.8 * size {
            let blank = gap > 0.17 * last.size.min(next.size);
            if blank && !self.open.ends_with([' ', '\n']) && !self.open.is_empty() {
                self.open.push(' ');
            }
            return;
        }
        let changed = (last.size - next.size).abs() > 0.15 * size;
        if turned || lower < -0.4 * size || lower > 1.75 * size || changed {
            self.paragraph();
        } else if !self.open.is_empty() {
            self.open.push('\n');
        }
    }
}

/// Numbers of a file may be none.
fn finite(number: f64) -> f64 {
    if number.is_finite() { number.clamp(-1e9, 1e9) } else { 0.0 }
}
