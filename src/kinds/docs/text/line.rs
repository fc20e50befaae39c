//! A paragraph of the document: units of text with their places in the document. Pure.

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;

use super::style::{self, Base};
use crate::gdocs::{DocumentTab, Paragraph, ParagraphElement, StructuralElement};
use crate::mebdf::{Content, Marks, Object, Run, RunContent, normalize_runs};

/// One unit of a paragraph: a character, or an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A character; U+000B is a line break.
    Char(char),
    /// An opaque object.
    Object(Box<Object>),
    /// A reference to a footnote.
    Footnote(Box<str>),
    /// An anchor in the text.
    Anchor(Option<Box<str>>),
}

/// A token that is visible in the file, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// Start in the segment, in UTF-16 units.
    pub(crate) at: u32,
    /// Width in UTF-16 units; 0 for an object that is tethered to the paragraph and stands nowhere in its text.
    pub(crate) len: u32,
    /// What it is.
    pub(crate) token: Token,
    /// How it looks in the file.
    pub(crate) marks: Rc<Marks>,
}

/// One paragraph of the document.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// The segment it stands in; `None` for the body.
    pub(crate) segment: Option<String>,
    /// Start in the segment, in UTF-16 units.
    pub(crate) start: u32,
    /// End in the segment, behind its newline.
    pub(crate) end: u32,
    /// What the file shows, without the blanks at the ends of lines.
    pub(crate) units: Vec<Unit>,
    /// Why it cannot be edited, if so.
    pub(crate) lock: Option<String>,
    /// `NORMAL_TEXT`, `HEADING_1`, …
    pub(crate) named_style: String,
    /// The fields of its style that are direct overrides.
    pub(crate) overrides: Vec<&'static str>,
    /// Whether it is in a list.
    pub(crate) bullet: bool,
}

impl Line {
    /// Reads a paragraph. Returns its runs in canonical form beside it; `one_line` tells that its block has no room for
    /// a line break, as a heading or a cell. Without `placed` the line has no units: a text alone needs none, and there
    /// are as many of them as characters.
    pub(crate) fn read(
        element: &StructuralElement,
        paragraph: &Paragraph,
        segment: Option<&str>,
        tab: &DocumentTab,
        one_line: bool,
        placed: bool,
    ) -> (Self, Vec<Run>) {
        let mut raw: Vec<(u32, u32, Token)> = Vec::new();
        let mut runs: Vec<Run> = Vec::new();
        let start = element.start_index.utf16();
        for object in tethered(paragraph, tab) {
            raw.push((start, 0, Token::Object(Box::new(object.clone()))));
            runs.push(Run { content: RunContent::Object(object), marks: Marks::default() });
        }
        let mut lock = suggestion_keys(&paragraph.rest).then(|| SUGGESTIONS.to_owned());
        let named_style = paragraph.named_style_type().to_owned();
        let footnote = segment.is_some_and(|id| tab.footnotes.contains_key(id));
        let base = Base { tab, named: &named_style, footnote };
        for part in &paragraph.elements {
            if part.rest.values().any(|value| value.as_object().is_some_and(suggestion_keys))
                || part.text_run.as_ref().is_some_and(|run| suggestion_keys(&run.rest))
            {
                lock = Some(SUGGESTIONS.to_owned());
            }
            read_element(part, base, placed.then_some(&mut raw), &mut runs);
        }
        let runs = normalize_runs(runs, one_line);
        let fields = paragraph.paragraph_style.as_ref();
        let mut overrides: Vec<&'static str> = style::OVERRIDE_FIELDS
            .into_iter()
            .filter(|name| fields.is_some_and(|style| style.0.contains_key(*name)))
            .collect();
        if style::has_own_direction(fields, base) {
            overrides.push("direction");
        }
        let line = Self {
            segment: segment.map(ToOwned::to_owned),
            start,
            end: element.end_index.utf16(),
            units: if placed { visible(&raw, &runs) } else { Vec::new() },
            lock,
            bullet: paragraph.bullet.is_some(),
            named_style,
            overrides,
        };
        (line, runs)
    }

    /// Its text, with a blank for what is none.
    pub(crate) fn text(&self) -> String {
        self.units.iter().map(|unit| if let Token::Char(character) = unit.token { character } else { ' ' }).collect()
    }

    /// Where text appended to the paragraph goes: before its newline.
    pub(crate) const fn newline_at(&self) -> u32 {
        self.end.saturating_sub(1)
    }
}

/// Splits runs into tokens; a soft line break is a space.
pub(crate) fn tokens(runs: &[Run]) -> Vec<(Token, Rc<Marks>)> {
    let mut tokens = Vec::new();
    for run in runs {
        // One for the run: a long document has a million characters and a few thousand looks.
        let marks = Rc::new(run.marks.clone());
        match &run.content {
            RunContent::Text(text) => {
                for character in text.chars() {
                    let character = if character == '\n' { ' ' } else { character };
                    tokens.push((Token::Char(character), Rc::clone(&marks)));
                }
            }
            RunContent::Object(object) => tokens.push((Token::Object(Box::new(object.clone())), marks)),
            RunContent::FootnoteReference(label) => tokens.push((Token::Footnote(label.as_str().into()), marks)),
            RunContent::Anchor(id) => tokens.push((Token::Anchor(id.as_deref().map(Into::into)), marks)),
        }
    }
    tokens
}

/// Why a paragraph with suggestions is locked.
pub(super) const SUGGESTIONS: &str = "it holds suggestions that wait for an answer";

/// Tells whether a message carries suggested changes.
pub(super) fn suggestion_keys(fields: &serde_json::Map<String, Value>) -> bool {
    fields.keys().any(|key| key.starts_with("suggested"))
}

/// Finds the raw units that the canonical runs still show: the canonical form leaves out blanks at the ends of lines,
/// and shows a line break as a blank where a block has but one line.
fn visible(raw: &[(u32, u32, Token)], runs: &[Run]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut rest = raw.iter();
    for (token, marks) in tokens(runs) {
        let Some((at, len, _)) = rest.by_ref().find(|(_, _, candidate)| shows(candidate, &token)) else { break };
        units.push(Unit { at: *at, len: *len, token, marks });
    }
    units
}

fn shows(raw: &Token, shown: &Token) -> bool {
    match (raw, shown) {
        (Token::Char(raw), Token::Char(shown)) => raw == shown || (*raw == '\u{b}' && *shown == ' '),
        (Token::Object(_), Token::Object(_)) | (Token::Footnote(_), Token::Footnote(_)) => true,
        _ => false,
    }
}

/// The raw units of a paragraph, when their places are asked for: start and width in UTF-16 units, and what it is.
type RawUnits<'a> = Option<&'a mut Vec<(u32, u32, Token)>>;

fn read_element(element: &ParagraphElement, base: Base<'_>, mut raw: RawUnits<'_>, runs: &mut Vec<Run>) {
    let at = element.start_index.utf16();
    let Some(run) = &element.text_run else {
        let len = element.end_index.utf16().saturating_sub(at);
        let (token, content) = if let Some(label) = element.rest.get("footnoteReference").map(footnote_label) {
            (Token::Footnote(label.as_str().into()), RunContent::FootnoteReference(label))
        } else {
            let object = object_of(element, base.tab);
            (Token::Object(Box::new(object.clone())), RunContent::Object(object))
        };
        raw.iter_mut().for_each(|raw| raw.push((at, len, token.clone())));
        runs.push(Run { content, marks: Marks::default() });
        return;
    };
    let mut marks = style::marks(run.text_style.as_ref(), base);
    for (field, name) in
        [("suggestedInsertionIds", "suggested-insertion"), ("suggestedDeletionIds", "suggested-deletion")]
    {
        if let Some(id) = run.rest.get(field).and_then(|ids| ids.get(0)).and_then(Value::as_str) {
            let value = crate::mebdf::PropertyValue::Text(id.to_owned());
            marks.properties.push(crate::mebdf::Property { name: name.into(), value });
        }
    }
    let content = run.content.strip_suffix('\n').unwrap_or(&run.content);
    if let Some(raw) = &mut raw {
        let mut place = at;
        for character in content.chars() {
            let len = if character.len_utf16() == 2 { 2 } else { 1 };
            raw.push((
                place,
                len,
                if is_private(character) { unmodelled_token() } else { Token::Char(shown(character)) },
            ));
            place += len;
        }
    }
    // Most text is ASCII, which has none of them.
    if content.is_ascii() {
        if !content.is_empty() {
            push_text(runs, content, &marks);
        }
        return;
    }
    // Pieces between the characters that stand for what the API has no words for.
    for (number, text) in content.split(is_private).enumerate() {
        if number > 0 {
            runs.push(Run { content: RunContent::Object(unmodelled()), marks: Marks::default() });
        }
        if !text.is_empty() {
            push_text(runs, text, &marks);
        }
    }
}

/// Appends text to the last run where that looks the same: Docs cuts runs where nothing can be seen.
fn push_text(runs: &mut Vec<Run>, text: &str, marks: &Marks) {
    let text = if text.contains('\n') { Cow::Owned(text.replace('\n', "\u{b}")) } else { Cow::Borrowed(text) };
    match runs.last_mut() {
        Some(Run { content: RunContent::Text(last), marks: same }) if same == marks => last.push_str(&text),
        _ => runs.push(Run { content: RunContent::Text(text.into_owned()), marks: marks.clone() }),
    }
}

/// Docs puts a private character where its API has no words for what stands there.
pub(crate) const fn is_private(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{f8ff}')
}

/// What stands in the text for something that the API has no words for.
fn unmodelled() -> Object {
    Object { id: None, kind: "embed".into(), title: None }
}

fn unmodelled_token() -> Token {
    Token::Object(Box::new(unmodelled()))
}

/// A newline inside a run breaks Docs' own rule; it can only be shown as a line break.
const fn shown(character: char) -> char {
    if character == '\n' { '\u{b}' } else { character }
}

/// The label of a footnote reference: its number, or its id where it has none.
pub(super) fn footnote_label(reference: &Value) -> String {
    let text = |name: &str| reference.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("footnoteNumber").or_else(|| text("footnoteId")).unwrap_or("?").to_owned()
}

fn tethered(paragraph: &Paragraph, tab: &DocumentTab) -> Vec<Object> {
    let ids = paragraph.rest.get("positionedObjectIds").and_then(Value::as_array);
    ids.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|id| {
            let properties = tab.positioned_objects.get(id).and_then(|object| object.get("positionedObjectProperties"));
            embedded(id, properties.and_then(|properties| properties.get("embeddedObject")))
        })
        .collect()
}

/// The title of a horizontal rule that stands in text.
const RULE: &str = "horizontal rule";

/// Tells whether an object is a horizontal rule, which holds nothing that would be lost.
pub(crate) fn is_rule(object: &Object) -> bool {
    object.id.is_none() && object.kind == "embed" && object.title.as_deref() == Some(RULE)
}

fn object_of(element: &ParagraphElement, tab: &DocumentTab) -> Object {
    let plain = |kind: &str| Object { id: None, kind: kind.into(), title: None };
    let Some((key, value)) = element.rest.iter().find(|(_, value)| value.is_object()) else { return plain("embed") };
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    match key.as_str() {
        "inlineObjectElement" => {
            let id = text("/inlineObjectId").unwrap_or_default();
            let properties = tab.inline_objects.get(id).and_then(|object| object.get("inlineObjectProperties"));
            embedded(id, properties.and_then(|properties| properties.get("embeddedObject")))
        }
        "pageBreak" => plain("pagebreak"),
        "columnBreak" => plain("columnbreak"),
        "autoText" => plain("autotext"),
        "equation" => plain("equation"),
        "person" => {
            let name = text("/personProperties/name");
            let email = text("/personProperties/email").unwrap_or_default();
            let title = name.map_or_else(|| email.to_owned(), |name| format!("{name} <{email}>"));
            Object { id: None, kind: "person".into(), title: Some(title) }
        }
        "dateElement" => {
            let shown = text("/dateElementProperties/displayText").or_else(|| text("/dateElementProperties/timestamp"));
            Object { id: None, kind: "date".into(), title: shown.map(ToOwned::to_owned) }
        }
        "richLink" => {
            let uri = text("/richLinkProperties/uri").unwrap_or_default();
            let host = uri.split('/').nth(2).unwrap_or_default();
            let video = host.ends_with("youtube.com") || host == "youtu.be";
            let title = text("/richLinkProperties/title");
            let title = title.map_or_else(|| uri.to_owned(), |title| format!("{title} <{uri}>"));
            let id = text("/richLinkId").map(ToOwned::to_owned);
            Object { id, kind: if video { "video" } else { "embed" }.into(), title: Some(title) }
        }
        "horizontalRule" => Object { id: None, kind: "embed".into(), title: Some(RULE.into()) },
        other => Object { id: None, kind: "embed".into(), title: Some(other.to_owned()) },
    }
}

/// Names an embedded object; a linked chart carries image properties too, so it is asked for first.
fn embedded(id: &str, object: Option<&Value>) -> Object {
    let has = |name: &str| object.is_some_and(|object| object.get(name).is_some());
    let chart = object.and_then(|object| object.pointer("/linkedContentReference/sheetsChartReference")).is_some();
    let kind = if chart {
        "chart"
    } else if has("embeddedDrawingProperties") {
        "drawing"
    } else if has("imageProperties") || has("linkedContentReference") {
        "image"
    } else {
        "embed"
    };
    let text =
        |name: &str| object.and_then(|object| object.get(name)).and_then(Value::as_str).filter(|text| !text.is_empty());
    let title = text("title").or_else(|| text("description")).map(ToOwned::to_owned);
    Object { id: Some(id.to_owned()), kind: kind.into(), title }
}

/// The runs of a block that is one paragraph.
pub(crate) fn block_runs(content: &Content) -> &[Run] {
    match content {
        Content::Heading { runs, .. }
        | Content::Paragraph { runs }
        | Content::Item { runs, .. }
        | Content::ItemParagraph { runs, .. } => runs,
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => &[],
    }
}
