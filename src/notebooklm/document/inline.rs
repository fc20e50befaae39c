//! The runs of a paragraph as the lines of Markdown that they become.

use super::escape;
use super::{Content, Marks, Math, Run};

/// A line: where it begins in the document, and what it says. What makes marks of its beginning is not escaped yet.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Where each piece of it begins, in UTF-16 units.
    pub(super) positions: Vec<u32>,
    /// It.
    pub(super) text: String,
}

/// A stretch of one line and one look.
struct Piece {
    start: u32,
    text: String,
    marks: Marks,
    image: bool,
}

/// Writes the runs of a paragraph. There is a line for each line's end in them, and one more.
pub(super) fn lines(runs: &[Run]) -> Vec<Line> {
    let mut lines = Vec::new();
    for pieces in split(runs) {
        let mut line = Line::default();
        for (index, piece) in pieces.iter().enumerate() {
            let after = pieces.get(index + 1).and_then(|next| next.text.chars().next());
            line.positions.push(piece.start);
            let written = write(piece, line.text.chars().last(), after);
            line.text.push_str(&written);
        }
        lines.push(line);
    }
    lines
}

/// Cuts runs at the ends of lines, and joins neighbours of one look, since `**a****b**` is no bold text.
fn split(runs: &[Run]) -> Vec<Vec<Piece>> {
    let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut add = |piece: Option<Piece>, ends: bool| {
        if let (Some(piece), Some(line)) = (piece, lines.last_mut()) {
            match line.last_mut() {
                Some(last) if !last.image && !piece.image && last.marks == piece.marks => {
                    last.text.push_str(&piece.text);
                }
                Some(_) | None => line.push(piece),
            }
        }
        if ends {
            lines.push(Vec::new());
        }
    };
    for run in runs {
        match &run.content {
            Content::Image(url) => {
                let marks = Marks { link: Some(url.clone()), ..Marks::default() };
                add(Some(Piece { start: run.range.start, text: "image".to_owned(), marks, image: true }), false);
            }
            Content::Text { text, marks } => {
                let mut piece =
                    Piece { start: run.range.start, text: String::new(), marks: marks.clone(), image: false };
                let mut position = run.range.start;
                for letter in text.chars() {
                    // A run's positions may end before its text does: what passed through a scrubber does so.
                    position = position.saturating_add(u32::from(letter.len_utf16() == 2) + 1);
                    if matches!(letter, '\n' | '\u{b}' | '\u{2028}' | '\u{2029}') {
                        let next = Piece { start: position, text: String::new(), marks: marks.clone(), image: false };
                        let done = std::mem::replace(&mut piece, next);
                        add((!done.text.is_empty()).then_some(done), true);
                    } else if letter == '\t' || !letter.is_control() {
                        piece.text.push(letter);
                    }
                }
                add((!piece.text.is_empty()).then_some(piece), false);
            }
        }
    }
    lines
}

/// Writes a piece. Spaces at its ends stand outside of its marks, since `** a **` is no bold text.
fn write(piece: &Piece, before: Option<char>, after: Option<char>) -> String {
    if piece.image {
        return piece
            .marks
            .link
            .as_deref()
            .and_then(escape::address)
            .map_or_else(String::new, |url| format!("![image]({url})"));
    }
    let formula = !piece.marks.code && piece.marks.link.is_none() && !piece.text.contains('$');
    if let Some(math) = piece.marks.math
        && formula
    {
        return match math {
            Math::Inline => format!("${}$", piece.text),
            Math::Display => format!("$${}$$", piece.text),
        };
    }
    let link = piece.marks.link.as_deref().and_then(escape::address);
    let marked = piece.marks.bold || piece.marks.italic || piece.marks.code || link.is_some();
    let text = piece.text.trim();
    if !marked || text.is_empty() {
        return escape::inline(&piece.text, before, after, false);
    }
    let spaces = piece.text.len() - piece.text.trim_start().len();
    let lead = piece.text.get(..spaces).unwrap_or_default();
    let trail = piece.text.get(spaces + text.len()..).unwrap_or_default();
    let inner = if piece.marks.code { escape::code(text) } else { escape::inline(text, None, None, link.is_some()) };
    let inner = match link {
        Some(url) => format!("[{inner}]({url})"),
        None => inner,
    };
    let before = lead.chars().last().or(before);
    let after = trail.chars().next().or(after);
    format!("{lead}{}{trail}", emphasised(&inner, &piece.marks, before, after))
}

/// Puts the marks around text. Beside letters, stars work only around letters, so that others are said in HTML.
fn emphasised(text: &str, marks: &Marks, before: Option<char>, after: Option<char>) -> String {
    let word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let star = |letter: Option<char>| letter == Some('*');
    let fits = (!word(before) || word(text.chars().next())) && (!word(after) || word(text.chars().last()));
    let fits = fits && !star(before) && !star(after);
    let (open, close) = match (marks.bold, marks.italic, fits) {
        (false, false, _) => ("", ""),
        (true, false, true) => ("**", "**"),
        (false, true, true) => ("*", "*"),
        (true, true, true) => ("***", "***"),
        (true, false, false) => ("<b>", "</b>"),
        (false, true, false) => ("<i>", "</i>"),
        (true, true, false) => ("<b><i>", "</i></b>"),
    };
    format!("{open}{text}{close}")
}
