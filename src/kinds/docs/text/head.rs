//! The header and the footer that the head of a file shows. Pure.
//!
//! Of a header or footer the head shows the words alone. What it does not show, such as a page number, a picture or a
//! table, stands between the words as a hole.

use serde_json::Value;

use super::line::{SUGGESTIONS, Token, suggestion_keys};
use crate::gdocs::{DocumentTab, Paragraph, StructuralElement};

/// A header or footer as the head of the file shows it.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// `header` or `footer`.
    pub(crate) name: &'static str,
    /// Its id in the document.
    pub(crate) id: String,
    /// What the head shows of it.
    pub(crate) units: Vec<Unit>,
    /// Where text goes when it shows nothing.
    pub(crate) start: u32,
    /// Why it cannot be edited, if so.
    pub(crate) lock: Option<&'static str>,
}

/// A character that the head shows, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub(crate) at: u32,
    pub(crate) len: u32,
    pub(crate) token: Token,
    /// Set for a newline that holds the structure together, so it cannot go.
    pub(crate) fixed: bool,
}

/// Reads the header and the footer that the head of a tab's file shows: those of every page that has none of its own.
pub(crate) fn segments(tab: &DocumentTab) -> Vec<Segment> {
    let mut found = Vec::new();
    for (name, field, segments) in
        [("header", "defaultHeaderId", &tab.headers), ("footer", "defaultFooterId", &tab.footers)]
    {
        let named = |field: &str| tab.document_style.as_ref()?.get(field)?.as_str();
        // Without a word about which one it is, it is one that is not said to be for first or even pages alone.
        let special = ["firstPageHeaderId", "firstPageFooterId", "evenPageHeaderId", "evenPageFooterId"].map(named);
        let plain = || segments.iter().find(|(id, _)| !special.contains(&Some(id.as_str())));
        if let Some((id, segment)) = named(field).and_then(|id| segments.get_key_value(id)).or_else(plain) {
            found.push(read_segment(name, id, &segment.content));
        }
    }
    found
}

pub(crate) fn read_segment(name: &'static str, id: &str, content: &[StructuralElement]) -> Segment {
    let mut segment = Segment { name, id: id.to_owned(), units: Vec::new(), start: 0, lock: None };
    let mut previous: Option<(u32, bool)> = None;
    for element in content {
        let Some(paragraph) = &element.paragraph else {
            // A table, whose rows are not shown.
            continue;
        };
        let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
        let tethers = paragraph.rest.get("positionedObjectIds").and_then(Value::as_array);
        let holds = tethers.is_some_and(|ids| !ids.is_empty());
        match previous {
            None => segment.start = start,
            Some((last, held)) => segment.units.push(Unit {
                at: last.saturating_sub(1),
                len: 1,
                token: Token::Char('\n'),
                fixed: last != start || held || holds,
            }),
        }
        segment.read_paragraph(paragraph);
        previous = Some((end, holds));
    }
    while segment.units.last().is_some_and(|unit| unit.token == Token::Char('\n')) {
        segment.units.pop();
    }
    segment
}

impl Segment {
    fn read_paragraph(&mut self, paragraph: &Paragraph) {
        if suggestion_keys(&paragraph.rest) {
            self.lock = Some(SUGGESTIONS);
        }
        for element in &paragraph.elements {
            if element.rest.values().any(|value| value.as_object().is_some_and(suggestion_keys)) {
                self.lock = Some(SUGGESTIONS);
            }
            let Some(run) = &element.text_run else { continue };
            if suggestion_keys(&run.rest) {
                self.lock = Some(SUGGESTIONS);
            }
            let mut at = element.start_index.utf16();
            for character in run.content.strip_suffix('\n').unwrap_or(&run.content).chars() {
                let len = if character.len_utf16() == 2 { 2 } else { 1 };
                // Docs puts a private character where its API has no words for what stands there.
                if !('\u{e000}'..='\u{f8ff}').contains(&character) {
                    let shown = if matches!(character, '\n' | '\u{b}') { ' ' } else { character };
                    self.units.push(Unit { at, len, token: Token::Char(shown), fixed: false });
                }
                at += len;
            }
        }
    }

    /// The text that the head shows: a line for each paragraph.
    pub(crate) fn text(&self) -> String {
        self.units.iter().filter_map(|unit| char_of(&unit.token)).collect()
    }
}

pub(crate) const fn char_of(token: &Token) -> Option<char> {
    match token {
        Token::Char(character) => Some(*character),
        Token::Object(_) | Token::Footnote(_) | Token::Anchor(_) => None,
    }
}
