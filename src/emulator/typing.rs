//! What somebody typed on the page, as the smallest edit that says it.

use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::gdocs::{DocumentTab, Paragraph, StructuralElement};

/// What stands for an object in the text of a paragraph.
pub(super) const OBJECT: char = '\u{FFFC}';

/// A paragraph as the page sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Its text without the newline, [`OBJECT`] for each object.
    pub(super) text: String,
    /// For each character of the text and for its end: the offset in bytes and the place in UTF-16 units.
    places: Vec<(usize, u32)>,
}

impl Line {
    /// Reads a paragraph that starts at `start_utf16`.
    pub(super) fn of(paragraph: &Paragraph, start_utf16: u32) -> Self {
        let mut line = Self::default();
        let mut at = start_utf16;
        for element in &paragraph.elements {
            match element.text() {
                Some(text) => {
                    for c in text.chars() {
                        line.places.push((line.text.len(), at));
                        line.text.push(c);
                        at += if c.len_utf16() == 2 { 2 } else { 1 };
                    }
                }
                None => {
                    line.places.push((line.text.len(), at));
                    line.text.push(OBJECT);
                    at += element.width_utf16();
                }
            }
        }
        if line.text.ends_with('\n') {
            line.text.pop();
        } else {
            line.places.push((line.text.len(), at));
        }
        line
    }

    /// Returns the place of an offset in bytes.
    fn place(&self, byte: usize) -> Option<u32> {
        let found = self.places.binary_search_by_key(&byte, |(own, _)| *own).ok()?;
        self.places.get(found).map(|(_, place)| *place)
    }

    /// Returns the requests that make this paragraph say `new`: one insertion, one deletion, or both, trimmed to
    /// grapheme clusters. `None` when `new` holds an object that was not there.
    pub(super) fn requests(&self, new: &str, tab: &str, segment: &str) -> Option<Vec<Value>> {
        let before: Vec<&str> = self.text.graphemes(true).collect();
        let after: Vec<&str> = new.graphemes(true).collect();
        let prefix = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let room = before.len().min(after.len()) - prefix;
        let suffix = before.iter().rev().zip(after.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
        let bytes = |list: &[&str]| list.iter().map(|piece| piece.len()).sum::<usize>();
        let start = self.place(bytes(before.get(..prefix)?))?;
        let end = self.place(bytes(before.get(..before.len() - suffix)?))?;
        let text = after.get(prefix..after.len() - suffix)?.concat();
        if text.contains(OBJECT) {
            return None;
        }
        let mut requests = Vec::new();
        if !text.is_empty() {
            // At the end of what it replaces, so that it takes the style of what was there.
            requests.push(json!({"insertText": {
                "location": {"index": end, "segmentId": segment, "tabId": tab}, "text": text}}));
        }
        if start < end {
            requests.push(json!({"deleteContentRange": {
                "range": {"startIndex": start, "endIndex": end, "segmentId": segment, "tabId": tab}}}));
        }
        Some(requests)
    }
}

/// Finds the paragraph that somebody typed into: where it stood, or else the only one with the same text.
pub(super) fn find(tab: &DocumentTab, segment: &str, start_utf16: u32, old: &str) -> Option<Line> {
    let mut lines = Vec::new();
    collect(tab.segment(Some(segment))?, &mut lines);
    if let Some((_, line)) = lines.iter().find(|(start, line)| *start == start_utf16 && line.text == old) {
        return Some(line.clone());
    }
    let mut same = lines.into_iter().filter(|(_, line)| line.text == old && !old.is_empty());
    let (_, only) = same.next()?;
    same.next().is_none().then_some(only)
}

/// Collects the paragraphs of a segment with their places, those in tables too.
fn collect(content: &[StructuralElement], lines: &mut Vec<(u32, Line)>) {
    for element in content {
        let start = element.start_index.utf16();
        if let Some(paragraph) = &element.paragraph {
            lines.push((start, Line::of(paragraph, start)));
        }
        for row in element.table.iter().flat_map(|table| &table.table_rows) {
            for cell in &row.table_cells {
                collect(&cell.content, lines);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, wanted: &[Value]) {
        let value = json!({"elements": [{"startIndex": 10, "textRun": {"content": format!("{old}\n")}}]});
        let paragraph: Paragraph = serde_json::from_value(value).unwrap();
        let requests = Line::of(&paragraph, 10).requests(new, "t.0", "").unwrap();
        assert_eq!(requests, wanted, "{old:?} -> {new:?}");
    }

    fn insert(index: u32, text: &str) -> Value {
        json!({"insertText": {"location": {"index": index, "segmentId": "", "tabId": "t.0"}, "text": text}})
    }

    fn delete(start: u32, end: u32) -> Value {
        json!({"deleteContentRange": {
            "range": {"startIndex": start, "endIndex": end, "segmentId": "", "tabId": "t.0"}}})
    }

    #[test]
    fn smallest_edits() {
        check("same", "same", &[]);
        check("", "new", &[insert(10, "new")]);
        check("gone", "", &[delete(10, 14)]);
        check("one two three", "one 2 three", &[insert(17, "2"), delete(14, 17)]);
        check("aaa", "aaaa", &[insert(13, "a")]);
        check("🙂 x", "🙂 y", &[insert(14, "y"), delete(13, 14)]);
        // A skin tone or a combining mark is never cut from what it belongs to.
        check("👍🏽!", "👍🏿!", &[insert(14, "👍🏿"), delete(10, 14)]);
        check("cafe\u{301}", "cafe", &[insert(15, "e"), delete(13, 15)]);
        check("split me", "split\nme", &[insert(16, "\n"), delete(15, 16)]);
    }

    #[test]
    fn objects_have_their_own_width() {
        let value = json!({"elements": [
            {"startIndex": 1, "endIndex": 3, "textRun": {"content": "a "}},
            {"startIndex": 3, "endIndex": 7, "equation": {}},
            {"startIndex": 7, "endIndex": 10, "textRun": {"content": " b\n"}}]});
        let paragraph: Paragraph = serde_json::from_value(value).unwrap();
        let line = Line::of(&paragraph, 1);
        assert_eq!(line.text, "a \u{FFFC} b");
        assert_eq!(line.requests("a \u{FFFC} c", "t.0", ""), Some(vec![insert(9, "c"), delete(8, 9)]));
        assert_eq!(line.requests("a  b", "t.0", ""), Some(vec![delete(3, 7)]));
        assert_eq!(line.requests("a \u{FFFC}\u{FFFC} b", "t.0", ""), None);
    }
}
