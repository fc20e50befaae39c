//! `insertText`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#inserttextrequest>

use serde_json::Value;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

use super::document::{Paragraph, ParagraphElement, StructuralElement, Style};
use super::ids::FreshIds;
use super::index::{relayout, segment_end, utf16_len};
use super::locate::{Spot, find_paragraph, siblings_mut};
use super::quirks;
use super::refusal::Refusal;
use super::runs::{byte_at, join_at, split_at};
use super::style::{is_heading, without_link};

/// Inserts `text` at `index`, or before the last newline for `None`; returns where and how much.
///
/// # Errors
///
/// Google's refusals of an empty text, of a place outside the paragraphs and of one inside a character.
pub(crate) fn insert_text(
    content: &mut Vec<StructuralElement>,
    index: Option<u32>,
    text: &str,
    ids: &mut FreshIds,
) -> Result<(u32, u32), Refusal> {
    let text = stripped(text);
    if text.is_empty() {
        return Err(Refusal::invalid(quirks::EMPTY_TEXT));
    }
    insert_styled(content, index, &text, ids, Neighbour::Before)
}

/// Inserts `text` at `index` with the style of the character that stands there; returns its width.
///
/// # Errors
///
/// As for [`insert_text`].
pub(crate) fn insert_like_next(
    content: &mut Vec<StructuralElement>,
    index: u32,
    text: &str,
    ids: &mut FreshIds,
) -> Result<u32, Refusal> {
    insert_styled(content, Some(index), text, ids, Neighbour::Next).map(|(_, width)| width)
}

/// Whom a new text takes its style from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    /// As Google documents it: the character before, save for links.
    Before,
    /// The character that stands at the place.
    Next,
}

/// Inserts a text that is not empty.
fn insert_styled(
    content: &mut Vec<StructuralElement>,
    index: Option<u32>,
    text: &str,
    ids: &mut FreshIds,
    like: Neighbour,
) -> Result<(u32, u32), Refusal> {
    let width = utf16_len(text);
    let insertion = Insertion::open(content, index, width)?;
    let next = || insertion.paragraph.elements.get(insertion.at).and_then(ParagraphElement::text_style);
    let style = match like {
        Neighbour::Before => insertion.style(),
        Neighbour::Next => next().cloned().map(Style).unwrap_or_default(),
    };
    let Insertion { paragraph, at, inside_run, index, spot } = insertion;
    let made = insert_pieces(paragraph, at, inside_run, text, &style, ids);
    let siblings = siblings_mut(content, &spot.path).ok_or_else(outside)?;
    siblings.splice(spot.at..spot.at, made.into_iter().map(of_paragraph));
    relayout(content);
    Ok((index, width))
}

/// Returns the text without the characters that Google takes out.
pub(crate) fn stripped(text: &str) -> String {
    text.chars().filter(|&character| !is_stripped(character)).collect()
}

/// A place in a paragraph, made ready to take something in.
pub(crate) struct Insertion<'a> {
    /// The paragraph.
    pub(crate) paragraph: &'a mut Paragraph,
    /// The element that what is inserted comes to stand before.
    pub(crate) at: usize,
    /// A run was cut in two for it.
    inside_run: bool,
    /// The place in the segment.
    pub(crate) index: u32,
    /// The paragraph's place.
    spot: Spot,
}

impl<'a> Insertion<'a> {
    /// Finds `index`, or the last newline for `None`, and cuts the run it lies in.
    ///
    /// # Errors
    ///
    /// Google's refusals of a place outside the paragraphs and inside a character, and of more than a segment holds.
    pub(crate) fn open(
        content: &'a mut Vec<StructuralElement>,
        index: Option<u32>,
        width: u32,
    ) -> Result<Self, Refusal> {
        let end = segment_end(content);
        if width > quirks::MAX_TEXT_UTF16 || end.saturating_add(width) > quirks::MAX_SEGMENT_UTF16 {
            return Err(Refusal::invalid("The inserted text is too long."));
        }
        let index = index.unwrap_or_else(|| end.saturating_sub(1));
        if index >= end {
            return Err(Refusal::invalid(quirks::index_too_large(index, end)));
        }
        let spot = find_paragraph(content, index).ok_or_else(outside)?;
        let siblings = siblings_mut(content, &spot.path).ok_or_else(outside)?;
        let element = siblings.get_mut(spot.at).ok_or_else(outside)?;
        let paragraph = element.paragraph.as_mut().ok_or_else(outside)?;
        if !is_boundary(&paragraph.elements, index) {
            return Err(Refusal::invalid(quirks::INSIDE_GRAPHEME));
        }
        let inside_run = paragraph.elements.iter().all(|element| element.start_index.utf16() != index);
        let at = split_at(&mut paragraph.elements, index).ok_or_else(outside)?;
        Ok(Self { paragraph, at, inside_run, index, spot })
    }

    /// Returns the style that something inserted here gets.
    pub(crate) fn style(&self) -> Style {
        style_for(&self.paragraph.elements, self.at)
    }
}

/// The refusal of a place that is in no paragraph.
fn outside() -> Refusal {
    Refusal::invalid(quirks::OUTSIDE_PARAGRAPH)
}

/// Puts the text before element `at`; returns the paragraphs that now stand before this one.
///
/// The original newline stays with this paragraph and so do its heading id and the images tethered to it: a
/// recording shows that the *new* paragraphs get fresh heading ids.
pub(crate) fn insert_pieces(
    paragraph: &mut Paragraph,
    at: usize,
    inside_run: bool,
    text: &str,
    style: &Style,
    ids: &mut FreshIds,
) -> Vec<Paragraph> {
    let (before, last) = text.rsplit_once('\n').map_or((None, text), |(before, last)| (Some(before), last));
    let mut made = Vec::new();
    let mut at = at;
    for piece in before.into_iter().flat_map(|before| before.split('\n')) {
        let tail = paragraph.elements.split_off(at);
        let mut elements = std::mem::replace(&mut paragraph.elements, tail);
        push_line(&mut elements, piece, style);
        join_at(&mut elements, at);
        made.push(Paragraph {
            elements,
            paragraph_style: copied_style(paragraph, ids),
            bullet: paragraph.bullet.clone(),
            ..Paragraph::default()
        });
        at = 0;
    }
    if !last.is_empty() {
        paragraph.elements.insert(at, ParagraphElement::of_text(last.to_owned(), style.clone()));
        let joined = join_at(&mut paragraph.elements, at);
        if inside_run || !joined {
            join_at(&mut paragraph.elements, if joined { at } else { at + 1 });
        }
    }
    made
}

/// Appends a line with its newline; a link never sticks to the newline.
fn push_line(elements: &mut Vec<ParagraphElement>, piece: &str, style: &Style) {
    let newline_style = without_link(style);
    if newline_style == *style {
        elements.push(ParagraphElement::of_text(format!("{piece}\n"), newline_style));
        return;
    }
    if !piece.is_empty() {
        elements.push(ParagraphElement::of_text(piece.to_owned(), style.clone()));
    }
    elements.push(ParagraphElement::of_text("\n".to_owned(), newline_style));
}

/// Returns the style of a new paragraph: the same, with a heading id of its own.
pub(crate) fn copied_style(paragraph: &Paragraph, ids: &mut FreshIds) -> Option<Style> {
    let heading = is_heading(paragraph.named_style_type());
    let mut style = paragraph.paragraph_style.clone()?;
    style.0.remove("headingId");
    if heading {
        style.0.insert("headingId".to_owned(), Value::String(ids.draw("h.")));
    }
    Some(style)
}

/// Returns the style that text before element `at` gets: that of the character before it, or of the first one.
///
/// A link is only taken over strictly inside it.
fn style_for(elements: &[ParagraphElement], at: usize) -> Style {
    let before = at.checked_sub(1).and_then(|before| elements.get(before));
    let after = elements.get(at);
    let style = before.or(after).and_then(ParagraphElement::text_style).cloned().map(Style).unwrap_or_default();
    let link = |element: Option<&ParagraphElement>| element.and_then(|e| e.text_style()?.get("link").cloned());
    match (link(before), link(after)) {
        (Some(left), Some(right)) if left == right => style,
        _ => without_link(&style),
    }
}

/// Tells whether a new text run may start at `index`: not inside what a reader sees as one character.
fn is_boundary(elements: &[ParagraphElement], index: u32) -> bool {
    let mut text = String::new();
    let mut offset = None;
    for element in elements {
        let (start, end) = (element.start_index.utf16(), element.end_index.utf16());
        let content = element.text();
        if (start..end).contains(&index) {
            match content.map(|content| (content, byte_at(content, index - start))) {
                Some((_, None)) => return false,
                Some((content, Some(byte))) if plain_around(content, byte) => return true,
                Some((_, Some(byte))) => offset = Some(text.len() + byte),
                None => offset = Some(text.len()),
            }
        }
        // An object is one character to the reader and never part of another.
        text.push_str(content.unwrap_or("\u{FFFC}"));
    }
    let Some(offset) = offset else { return true };
    let length = text.len();
    GraphemeCursor::new(offset, length, true)
        .is_boundary(&text, 0)
        .unwrap_or_else(|_| text.grapheme_indices(true).any(|(start, _)| start == offset))
}

/// Tells whether the bytes around an offset are ASCII, which leaves nothing to segment; the common case.
fn plain_around(text: &str, byte: usize) -> bool {
    let around = byte.checked_sub(1).and_then(|before| text.as_bytes().get(before..=byte));
    around.is_some_and(|pair| pair.is_ascii() && pair != b"\r\n")
}

/// Tells whether Google takes a character out of inserted text.
fn is_stripped(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{C}'..='\u{1F}' | '\u{E000}'..='\u{F8FF}')
}

/// Wraps a paragraph; where it stands is laid out afterwards.
pub(crate) fn of_paragraph(paragraph: Paragraph) -> StructuralElement {
    StructuralElement { paragraph: Some(paragraph), ..StructuralElement::default() }
}
