//! From the inline events of one block to runs.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::TagEnd;

use super::braces::Form;
use super::properties;
use super::{Marks, Property, Run, RunContent};

/// How deep spans may nest.
const SPANS_MAX: usize = 64;
/// How many properties may be open at once.
const OPEN_PROPERTIES_MAX: usize = 128;

/// A link that stands on objects and anchors alone, which the file does not say of a Doc.
pub(super) const LINK_WITHOUT_TEXT: &str = "LINK_WITHOUT_TEXT";

/// Something that was not understood, with its byte offset.
pub(super) struct Finding {
    /// Where.
    pub(super) at: usize,
    /// Which.
    pub(super) code: &'static str,
    /// Why.
    pub(super) message: String,
}

enum Piece {
    Text(String, Marks),
    Atom(RunContent, Marks),
    Open { properties: Vec<Property>, source: String, marks: Marks, at: usize, matched: bool },
    Close { marks: Marks, at: usize, matched: bool },
    Break,
}

/// Collects one inline text. Spans are matched as they come: a form never reaches over the end of the emphasis or link
/// that it stands in.
#[derive(Default)]
pub(super) struct Inline {
    pieces: Vec<Piece>,
    /// The spans that are open: the place of the piece and the scope it stands in.
    opens: Vec<(usize, usize)>,
    open_properties: usize,
    scopes: Vec<usize>,
    next_scope: usize,
    bold: u32,
    italic: u32,
    strike: u32,
    /// The links that are open: where each goes, and its first piece.
    links: Vec<(String, usize)>,
    /// Set after `<br>`, whose following blanks mean nothing.
    trim_next: bool,
    /// The bytes seen so far.
    pub(super) range: Option<Range<usize>>,
    findings: Vec<Finding>,
}

/// What emphasis an event opens or closes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Emphasis {
    Bold,
    Italic,
    Strike,
}

impl Emphasis {
    /// What a tag stands for, if it stands for one.
    pub(super) fn of(tag: &TagEnd) -> Option<Self> {
        if *tag == TagEnd::Strong {
            Some(Self::Bold)
        } else if *tag == TagEnd::Emphasis {
            Some(Self::Italic)
        } else {
            (*tag == TagEnd::Strikethrough).then_some(Self::Strike)
        }
    }
}

impl Inline {
    /// Tells whether nothing was seen.
    pub(super) fn is_empty(&self) -> bool {
        self.range.is_none()
    }

    /// Notes that the text reaches over `range`.
    pub(super) fn cover(&mut self, range: &Range<usize>) {
        let known = self.range.get_or_insert_with(|| range.clone());
        known.start = known.start.min(range.start);
        known.end = known.end.max(range.end);
    }

    pub(super) fn text(&mut self, text: &str, code: bool) {
        let text = if self.trim_next && !code { text.trim_start_matches([' ', '\t']) } else { text };
        if text.is_empty() {
            return;
        }
        self.trim_next = false;
        let marks = Marks { code, ..self.marks() };
        self.pieces.push(Piece::Text(text.to_owned(), marks));
    }

    /// Takes text that was escaped, so that it is kept even where blanks mean nothing.
    pub(super) fn entity(&mut self, text: &str) {
        self.trim_next = false;
        self.text(text, false);
    }

    pub(super) fn atom(&mut self, content: RunContent) {
        self.trim_next = false;
        let marks = self.marks();
        self.pieces.push(Piece::Atom(content, marks));
    }

    /// Takes a brace form; `source` is how it is written.
    pub(super) fn form(&mut self, form: &Form, source: &str, at: usize) {
        match form {
            Form::Open { properties, duplicates } => self.open(properties, duplicates, source, at),
            Form::Close => self.close(at),
            Form::Empty => {
                self.find(at, "EMPTY_FORMAT", "`{!}` names no property; it is kept as text".into());
                self.text(source, false);
            }
            Form::Malformed => {
                self.find(at, "UNCLOSED_FORMAT", format!("`{source}` begins no well-formed form; it is kept as text"));
                self.text(source, false);
            }
            Form::Anchor(id) => self.atom(RunContent::Anchor(id.clone())),
            Form::Object(object) => {
                if !super::is_object_kind(&object.kind) {
                    let message = format!("`{}` is no known type of object; it is kept as an embed", object.kind);
                    self.find(at, "UNKNOWN_OBJECT_TYPE", message);
                }
                self.atom(RunContent::Object(object.clone()));
            }
            Form::Footnote(label) => self.atom(RunContent::FootnoteReference(label.clone())),
            Form::Break => {
                self.pieces.push(Piece::Break);
                self.trim_next = true;
            }
        }
    }

    pub(super) fn begin(&mut self, emphasis: Emphasis) {
        *self.count(emphasis) += 1;
        self.enter();
    }

    pub(super) fn end(&mut self, emphasis: Emphasis) {
        self.leave();
        let count = self.count(emphasis);
        *count = count.saturating_sub(1);
    }

    pub(super) fn begin_link(&mut self, destination: String) {
        self.links.push((destination, self.pieces.len()));
        self.enter();
    }

    /// Ends a link; `written` is how it is written. One without a text is text itself: a Doc has no such links.
    pub(super) fn end_link(&mut self, written: &str, at: usize) {
        self.leave();
        let Some((_, first)) = self.links.pop() else { return };
        let inside = self.pieces.get(first..).unwrap_or_default();
        if inside.iter().any(|piece| matches!(piece, Piece::Text(..))) {
            return;
        }
        if inside.iter().any(|piece| matches!(piece, Piece::Atom(..))) {
            return self.find(at, LINK_WITHOUT_TEXT, "a link needs a text to stand on; this one is not kept".into());
        }
        self.pieces.truncate(first);
        self.find(at, "EMPTY_LINK", "a link needs a text to stand on; this is kept as text".into());
        self.text(written, false);
    }

    pub(super) fn find(&mut self, at: usize, code: &'static str, message: String) {
        self.findings.push(Finding { at, code, message });
    }

    /// Ends the text: the paragraphs it holds (one but in table cells), and what was not understood.
    pub(super) fn finish(mut self) -> (Vec<Vec<Run>>, Vec<Finding>) {
        self.unwind(None);
        let mut paragraphs = vec![Vec::new()];
        let mut stack: Vec<Vec<Property>> = Vec::new();
        let mut findings = self.findings;
        let mut opened_at = None;
        let mut literal = BTreeSet::new();
        for piece in self.pieces {
            let previous = opened_at.take();
            let (content, marks) = match piece {
                Piece::Break => {
                    paragraphs.push(Vec::new());
                    continue;
                }
                Piece::Open { properties, matched: true, at, .. } => {
                    let outer = stack.last().map_or(&[] as &[Property], Vec::as_slice);
                    stack.push(properties::overlay(outer, &properties));
                    opened_at = Some(at);
                    continue;
                }
                Piece::Close { matched: true, .. } => {
                    stack.pop();
                    if let Some(at) = previous {
                        let message = "there is nothing between `{!…}` and `{/!}`".to_owned();
                        findings.push(Finding { at, code: "EMPTY_FORMAT", message });
                    }
                    continue;
                }
                Piece::Open { source, marks, at, .. } => {
                    let message = "`{!…}` is not closed in its paragraph; it is kept as text".to_owned();
                    findings.push(Finding { at, code: "UNCLOSED_FORMAT", message });
                    literal.insert(at);
                    (RunContent::Text(source), marks)
                }
                Piece::Close { marks, at, .. } => {
                    let message = "`{/!}` closes nothing; it is kept as text".to_owned();
                    findings.push(Finding { at, code: "STRAY_CLOSE", message });
                    (RunContent::Text("{/!}".to_owned()), marks)
                }
                Piece::Text(text, marks) => (RunContent::Text(text), marks),
                Piece::Atom(content, marks) => (content, marks),
            };
            let properties = stack.last().cloned().unwrap_or_default();
            if let Some(paragraph) = paragraphs.last_mut() {
                push(paragraph, Run { content, marks: Marks { properties, ..marks } });
            }
        }
        // What is text has no properties that could be wrong.
        findings.retain(|finding| finding.code == "UNCLOSED_FORMAT" || !literal.contains(&finding.at));
        (paragraphs, findings)
    }

    fn open(&mut self, properties: &[Property], duplicates: &[String], source: &str, at: usize) {
        for finding in property_findings(properties, duplicates, at) {
            self.findings.push(finding);
        }
        let marks = self.marks();
        let fits = self.opens.len() < SPANS_MAX && self.open_properties + properties.len() <= OPEN_PROPERTIES_MAX;
        if fits {
            self.open_properties += properties.len();
            self.opens.push((self.pieces.len(), self.scope()));
        }
        self.trim_next = false;
        self.pieces.push(Piece::Open {
            properties: properties.to_vec(),
            source: source.to_owned(),
            marks,
            at,
            matched: false,
        });
    }

    fn close(&mut self, at: usize) {
        let scope = self.scope();
        let mut matched = false;
        if let Some((index, opened)) = self.opens.last().copied()
            && opened == scope
        {
            self.opens.pop();
            if let Some(Piece::Open { matched: open, properties, .. }) = self.pieces.get_mut(index) {
                *open = true;
                matched = true;
                self.open_properties = self.open_properties.saturating_sub(properties.len());
            }
        }
        let marks = self.marks();
        self.pieces.push(Piece::Close { marks, at, matched });
    }

    fn marks(&self) -> Marks {
        Marks {
            bold: self.bold > 0,
            italic: self.italic > 0,
            strike: self.strike > 0,
            code: false,
            link: self.links.last().map(|(destination, _)| destination.clone()),
            properties: Vec::new(),
        }
    }

    fn count(&mut self, emphasis: Emphasis) -> &mut u32 {
        match emphasis {
            Emphasis::Bold => &mut self.bold,
            Emphasis::Italic => &mut self.italic,
            Emphasis::Strike => &mut self.strike,
        }
    }

    fn scope(&self) -> usize {
        self.scopes.last().copied().unwrap_or(0)
    }

    fn enter(&mut self) {
        self.trim_next = false;
        self.next_scope += 1;
        self.scopes.push(self.next_scope);
    }

    fn leave(&mut self) {
        let scope = self.scope();
        self.unwind(Some(scope));
        self.scopes.pop();
    }

    /// Gives up the spans that are still open in `scope`, or all.
    fn unwind(&mut self, scope: Option<usize>) {
        while let Some((index, opened)) = self.opens.last().copied() {
            if scope.is_some_and(|scope| scope != opened) {
                return;
            }
            self.opens.pop();
            if let Some(Piece::Open { properties, .. }) = self.pieces.get(index) {
                self.open_properties = self.open_properties.saturating_sub(properties.len());
            }
        }
    }
}

/// What is to be said about the properties of one form.
pub(super) fn property_findings(properties: &[Property], duplicates: &[String], at: usize) -> Vec<Finding> {
    let twice = duplicates.iter().map(|name| Finding {
        at,
        code: "DUPLICATE_PROPERTY",
        message: format!("`{name}` stands twice; the last one counts"),
    });
    let unknown = properties.iter().filter(|property| !properties::is_known(&property.name)).map(|property| Finding {
        at,
        code: "UNKNOWN_PROPERTY",
        message: format!("`{}` is no known property; it is kept but means nothing", property.name),
    });
    twice.chain(unknown).collect()
}

fn push(runs: &mut Vec<Run>, run: Run) {
    if let (Some(Run { content: RunContent::Text(before), marks }), RunContent::Text(text)) =
        (runs.last_mut(), &run.content)
        && *marks == run.marks
    {
        before.push_str(text);
        return;
    }
    runs.push(run);
}
