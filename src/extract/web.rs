//! Texts that are text already: web pages and calendars, and the charset of such.

use super::calendar as invitation;
use super::html;
use super::lines::{Fate, Line, What, blocks};
use super::paper::Paper;

/// The most bytes of a page that are read: pages that were saved whole have a tenth of it.
const PAGE_BYTES_MAX: usize = 8 << 20;

/// How windows-1252 differs from Latin-1: the letters of 0x80 to 0x9f.
pub(super) const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Reads a web page.
pub(super) fn page(bytes: &[u8], paper: &mut Paper) {
    if bytes.len() > PAGE_BYTES_MAX {
        paper.tell(format!("what stands behind the first {} MB of the page", PAGE_BYTES_MAX >> 20));
    }
    let text = decoded(bytes.get(..PAGE_BYTES_MAX).unwrap_or(bytes));
    let page = html::page(&text, &|_cid| None);
    let mut rest: Vec<Line> = Vec::new();
    for line in page.lines {
        match line.what {
            What::Heading(level) if line.depth == 0 => {
                flush(&mut rest, paper);
                paper.heading(level, line.runs);
            }
            What::Text
            | What::Heading(_)
            | What::Item { .. }
            | What::ItemText { .. }
            | What::Code
            | What::Rule
            | What::Table(_) => rest.push(line),
        }
    }
    flush(&mut rest, paper);
    if page.hidden_words > 0 {
        paper.tell(format!("{} words that cannot be seen on the page", page.hidden_words));
    }
}

/// Reads a calendar.
pub(super) fn calendar(bytes: &[u8], paper: &mut Paper) -> Result<(), String> {
    let text = decoded(bytes.get(..PAGE_BYTES_MAX).unwrap_or(bytes));
    let mut lines = invitation::lines(&text, 0);
    if lines.is_empty() {
        return Err("no event is in it".to_owned());
    }
    flush(&mut lines, paper);
    Ok(())
}

fn flush(lines: &mut Vec<Line>, paper: &mut Paper) {
    let fates = vec![Fate::Keep; lines.len()];
    paper.blocks(blocks(lines, &fates));
    lines.clear();
}

/// Makes text of bytes: by their mark, as UTF-8, or else as what Windows writes in the west, in which every byte is a letter.
pub(super) fn decoded(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ => {}
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Cut within a letter it is UTF-8 all the same.
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => bytes.iter().map(|byte| windows(*byte)).collect(),
    }
}

/// The letter of a byte in windows-1252.
pub(super) fn windows(byte: u8) -> char {
    let special = usize::from(byte).checked_sub(0x80).and_then(|at| WINDOWS.get(at));
    special.copied().unwrap_or(char::from(byte))
}
