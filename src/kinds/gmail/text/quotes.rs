//! Which lines of a message repeat what stands in its thread already.
//!
//! A quote is folded away only when each of its lines is found, by its words and in order, in an earlier message of the thread;
//! whoever reads the thread reads it there. The line above it (`On … wrote:`) goes with it and never alone. Kept, whatever is
//! found: a quote that an answer follows, since it says what is answered; one without a line above that repeats but a part of a message,
//! since its writer chose it; and all of a forwarded message. When in doubt a line is kept.

use std::borrow::Cow;
use std::ops::Range;

use super::phrases::{Field, begins_attribution, begins_forward, field, is_attribution, is_separator};
use super::signature;
use super::words::{Earlier, Search, words};
use crate::extract::lines::{Fate, Line, Mark};

/// The most lines that the line above a quote was wrapped to.
const ATTRIBUTION_LINES_MAX: usize = 4;

/// The most lines of a copied head of a message: lists of recipients are wrapped to several.
const HEAD_LINES_MAX: usize = 14;

/// A line that is not blank, as far as it is looked at for folding.
#[derive(Debug, Clone)]
pub(super) struct Seen<'t> {
    /// How many quotes it stands in.
    pub(super) depth: usize,
    /// Its words, without quote marks.
    pub(super) text: Cow<'t, str>,
    /// What the writer's program says it is.
    pub(super) mark: Mark,
    /// Whether a blank line stands above.
    pub(super) apart: bool,
}

impl Line {
    /// The line as it is looked at for folding.
    pub(super) fn seen(&self) -> Seen<'_> {
        Seen { depth: self.depth, text: self.said().into(), mark: self.mark, apart: self.apart }
    }
}

/// What is known of the thread that a message stands in.
#[derive(Clone, Copy)]
pub(super) enum Thread<'e> {
    /// Nothing: the text stands alone, and whoever asks wants to know what is new in it.
    Unknown,
    /// Its earlier messages; the first message of a thread has none, and all that it quotes stays.
    Known(&'e Earlier),
}

/// A text without the quotes and the signature that were folded away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// What is left, without blank lines at its end.
    pub text: String,
    /// How many lines of quotes were folded, with the lines above them; blank ones do not count.
    pub quoted_lines: usize,
    /// How many lines of signature were folded.
    pub signature_lines: usize,
}

/// Folds the quotes and the signature of a plain text away.
///
/// With earlier messages nothing is folded but what stands in one of them, and a signature. Without any the text stands alone: there
/// is no thread in which its quote could be looked up, and none that would show it. Then a quote is folded that begins behind a dated
/// line such as `On Monday, 3 Feb 2026, Bob wrote:` and has nothing behind it to the end of the text: that is what mail programs put there, and
/// all else is kept. The files of threads are not made that way: there even the first message is one of a known thread
/// ([`fold_in_thread`]).
#[must_use]
pub fn fold(body: &str, earlier: &[&str]) -> Folded {
    if earlier.is_empty() { fold_plain(body, Thread::Unknown) } else { fold_in_thread(body, earlier) }
}

/// Folds as [`fold`] does for a message of a thread whose earlier messages are all there: with none it is the first.
#[must_use]
pub fn fold_in_thread(body: &str, earlier: &[&str]) -> Folded {
    let mut all = Earlier::default();
    for text in earlier {
        all.push(text);
    }
    fold_plain(body, Thread::Known(&all))
}

fn fold_plain(body: &str, thread: Thread<'_>) -> Folded {
    let body = body.replace("\r\n", "\n");
    let mut seen = Vec::new();
    let mut apart = true;
    for line in body.split('\n') {
        let (depth, text) = unquoted(line);
        if text.trim().is_empty() {
            apart = true;
        } else {
            seen.push(Seen { depth, text: Cow::Borrowed(text), mark: Mark::None, apart });
            apart = false;
        }
    }
    let fates = fates(&seen, thread, false);
    let mut fate = fates.iter().copied();
    let (mut out, mut folding): (Vec<&str>, bool) = (Vec::new(), false);
    for line in body.split('\n') {
        let (depth, text) = unquoted(line);
        if text.trim().is_empty() {
            // A blank line beside what was folded went with it, but for one.
            let above_is_blank = out.last().is_none_or(|above| above.trim().is_empty());
            if !(folding && (depth > 0 || above_is_blank)) {
                out.push(line);
            }
            continue;
        }
        folding = fate.next() != Some(Fate::Keep);
        if !folding {
            out.push(line);
        }
    }
    let count = |wanted| fates.iter().filter(|fate| **fate == wanted).count();
    let (quoted_lines, signature_lines) = (count(Fate::Quoted), count(Fate::Signature));
    let text = if quoted_lines + signature_lines == 0 { body } else { out.join("\n").trim_end().to_owned() };
    Folded { text, quoted_lines, signature_lines }
}

/// Takes the quote marks off a line and counts them: `> > text`, `>> text`.
pub(super) fn unquoted(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    while let Some(inner) = rest.strip_prefix('>') {
        depth += 1;
        rest = inner.strip_prefix(' ').filter(|inner| inner.starts_with('>')).unwrap_or(inner);
    }
    (depth, if depth > 0 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest })
}

/// Decides what becomes of each line. `forwards`: the message says that it forwards another, so that no copied head begins a quote.
pub(super) fn fates(lines: &[Seen<'_>], thread: Thread<'_>, forwards: bool) -> Vec<Fate> {
    let mut fates = vec![Fate::Keep; lines.len()];
    let end = forward(lines).unwrap_or(lines.len());
    let own = lines.get(..end).unwrap_or_default();
    let segments = segments(own, forwards);
    for (number, segment) in segments.iter().enumerate() {
        let followed = segments.get(number + 1..).is_some_and(|rest| rest.iter().any(|next| next.kind == Kind::Own))
            || end < lines.len();
        let alone = segments.iter().filter(|other| other.kind != Kind::Own).count() == 1;
        match thread {
            Thread::Unknown => {
                if segment.kind == Kind::Quote && segment.dated && !followed && number + 1 == segments.len() {
                    fill(&mut fates, segment.header.start..segment.lines.end);
                }
            }
            Thread::Known(earlier) => look_up(own, segment, followed, alone, &mut Search::new(earlier), &mut fates),
        }
    }
    if end == lines.len() {
        let kept = fates.iter().rposition(|fate| *fate == Fate::Keep).map_or(0, |last| last + 1);
        let begin = segments.iter().rev().find(|part| part.lines.start < kept);
        if let Some(part) = begin.filter(|part| part.kind == Kind::Own)
            && let Some(own) = lines.get(part.lines.start..kept)
            && let Some(at) = signature::begin(own)
        {
            for fate in fates.iter_mut().take(kept).skip(part.lines.start + at) {
                *fate = Fate::Signature;
            }
        }
    }
    fates
}

fn fill(fates: &mut [Fate], range: Range<usize>) {
    for fate in fates.iter_mut().take(range.end).skip(range.start) {
        *fate = Fate::Quoted;
    }
}

/// Finds where a forwarded message begins. One that was quoted in an answer is part of the quote.
fn forward(lines: &[Seen<'_>]) -> Option<usize> {
    let first = lines.iter().position(|line| begins_forward(&line.text))?;
    let quoted = lines.get(first).is_some_and(|line| line.depth > 0);
    let answers = || (0..first).any(|at| header(lines, at, false).is_some());
    (!quoted || !answers()).then_some(first)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The writer's own words.
    Own,
    /// Lines with quote marks.
    Quote,
    /// A copied message without quote marks: the rest of the text.
    Copy,
}

/// A row of lines of one kind.
struct Segment {
    kind: Kind,
    /// The line above the quote; empty when there is none.
    header: Range<usize>,
    /// Whether that has a date, or fields of a head.
    dated: bool,
    lines: Range<usize>,
}

/// Cuts a text where quotes begin and end.
fn segments(lines: &[Seen<'_>], forwards: bool) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.depth > 0 {
            let end = quote_end(lines, at);
            found.push(Segment { kind: Kind::Quote, header: at..at, dated: false, lines: at..end });
            at = end;
            continue;
        }
        let above = header(lines, at, forwards);
        if let Some(above) = above {
            if lines.get(above.end).is_some_and(|next| next.depth > 0) {
                let end = quote_end(lines, above.end);
                found.push(Segment {
                    kind: Kind::Quote,
                    header: at..above.end,
                    dated: above.dated,
                    lines: above.end..end,
                });
                at = end;
                continue;
            }
            if above.dated && above.end < lines.len() {
                found.push(Segment {
                    kind: Kind::Copy,
                    header: at..above.end,
                    dated: true,
                    lines: above.end..lines.len(),
                });
                break;
            }
        }
        match found.last_mut() {
            Some(last) if last.kind == Kind::Own => last.lines.end = at + 1,
            Some(_) | None => found.push(Segment { kind: Kind::Own, header: at..at, dated: false, lines: at..at + 1 }),
        }
        at += 1;
    }
    found
}

/// A quote goes on over the lines above deeper quotes that some programs leave unquoted.
fn quote_end(lines: &[Seen<'_>], from: usize) -> usize {
    lines.iter().skip(from).position(|line| line.depth == 0).map_or(lines.len(), |count| from + count)
}

/// What stands above a quote.
struct Header {
    end: usize,
    dated: bool,
}

/// Reads what stands above a quote, if it begins at a line.
fn header(lines: &[Seen<'_>], at: usize, forwards: bool) -> Option<Header> {
    let first = lines.get(at)?;
    if first.mark == Mark::Attribution {
        let count = lines
            .iter()
            .skip(at)
            .take_while(|line| line.mark == Mark::Attribution && line.depth == first.depth)
            .count();
        return Some(Header { end: at + count, dated: true });
    }
    attribution(lines, at).or_else(|| if forwards { None } else { copied_head(lines, at) })
}

/// `On … wrote:`, wrapped to several lines; the shortest row of lines that reads so begins at its last possible line, so that no line above
/// is taken with it.
fn attribution(lines: &[Seen<'_>], at: usize) -> Option<Header> {
    let depth = lines.get(at)?.depth;
    for count in 1..=ATTRIBUTION_LINES_MAX {
        let row = lines.get(at..at + count)?;
        let goes_on = row.iter().skip(1).all(|line| line.depth == depth && !line.apart);
        if !goes_on {
            return None;
        }
        // Only a last line ends with a colon.
        if !row
            .last()?
            .text
            .trim_end()
            .trim_end_matches(['\u{200e}', '\u{200f}', '\u{202c}', '*'])
            .ends_with([':', '：'])
        {
            continue;
        }
        let quoted = lines.get(at + count).is_some_and(|next| next.depth > depth);
        let reads = |row: &[Seen<'_>], dated| {
            let texts: Vec<&str> = row.iter().map(|line| line.text.trim()).collect();
            is_attribution(&texts.join(" "), dated)
        };
        // A line above is taken with it only where it begins as such lines do.
        let begins = row.first().is_some_and(|line| begins_attribution(&line.text));
        let shorter = !begins && (1..count).any(|from| row.get(from..).is_some_and(|row| reads(row, true)));
        // One line that stands right below text, and begins like no line above a quote, may hold words of that text.
        let alone = begins || at == 0 || row.first().is_some_and(|line| line.apart || line.text.contains('@'));
        let dated = alone && reads(row, true);
        let named = quoted && count == 1 && row.first().is_some_and(|line| line.text.split_whitespace().count() <= 6);
        if shorter || !(dated || (named && reads(row, false))) {
            return None;
        }
        return Some(Header { end: at + count, dated });
    }
    None
}

/// `From: … Sent: … To: … Subject: …`, with the line that parts it from the text above.
fn copied_head(lines: &[Seen<'_>], at: usize) -> Option<Header> {
    let depth = lines.get(at)?.depth;
    let begin =
        at + lines.iter().skip(at).take(2).take_while(|line| line.depth == depth && is_separator(&line.text)).count();
    let (mut end, mut seen): (usize, Vec<Field>) = (begin, Vec::new());
    let mut between = 0;
    for (place, line) in lines.iter().enumerate().skip(begin).take(HEAD_LINES_MAX) {
        if line.depth != depth || (line.apart && place > begin) {
            break;
        }
        match field(&line.text) {
            Some(field) => {
                if !seen.contains(&field) {
                    seen.push(field);
                }
                (end, between) = (place + 1, 0);
            }
            None if place == begin => break,
            None => between += 1,
        }
        if between > 3 {
            break;
        }
    }
    let is_head = seen.len() >= 3
        || (seen.len() == 2 && (begin > at || seen.contains(&Field::From)) && seen.contains(&Field::Sent));
    if is_head {
        return Some(Header { end, dated: true });
    }
    let words = lines.get(at).is_some_and(|line| line.text.contains(char::is_alphabetic));
    (begin > at && words).then_some(Header { end: begin, dated: true })
}

/// Looks the lines of a quote up in the earlier messages, and folds what is found.
fn look_up(
    lines: &[Seen<'_>],
    segment: &Segment,
    followed: bool,
    alone: bool,
    search: &mut Search<'_>,
    fates: &mut [Fate],
) {
    if segment.kind == Kind::Own {
        return;
    }
    let blocks = blocks(lines, segment.lines.clone());
    // Some programs put the line above within the quote.
    let has_header = !segment.header.is_empty() || blocks.first().is_some_and(|block| !block.header.is_empty());
    // An answer follows, and other quotes are answered, too: then each stands beside its answer.
    if followed && !(alone && has_header) {
        return;
    }
    search.begin();
    let mut found: Vec<bool> = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let here = block.lines.clone().all(|at| lines.get(at).is_some_and(|line| finds(search, &line.text)));
        // A line above that has nothing below goes with the lines before it.
        found.push(here && (!block.lines.is_empty() || found.last().copied().unwrap_or_default()));
    }
    let all = found.iter().all(|found| *found);
    if (followed || !has_header) && !(all && search.covers_one()) {
        return;
    }
    for (block, found) in blocks.iter().zip(&found) {
        if *found {
            fill(fates, block.header.start..block.lines.end);
        }
    }
    if found.first().is_some_and(|found| *found) {
        fill(fates, segment.header.clone());
    }
}

/// Finds a line. The number of an item is no word of it where the item stands in a list, and the list counts for itself.
fn finds(search: &mut Search<'_>, text: &str) -> bool {
    let all = words(text);
    if search.finds(&all) {
        return true;
    }
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_item = (1..=3).contains(&digits)
        && text.get(digits..).is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "));
    is_item && all.len() > 1 && search.finds(all.get(1..).unwrap_or_default())
}

/// Lines of one depth within a quote, with the line above them.
struct Block {
    header: Range<usize>,
    lines: Range<usize>,
}

/// Cuts a quote where its depth changes and where another message begins in it.
fn blocks(lines: &[Seen<'_>], range: Range<usize>) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let Some(line) = lines.get(at) else { break };
        if let Some(above) = header(lines, at, false).filter(|above| above.dated) {
            let end = above.end.min(range.end);
            found.push(Block { header: at..end, lines: end..end });
            at = end;
            continue;
        }
        match found.last_mut() {
            // The first line below a line above, or one more of the same depth.
            Some(last) if last.lines.is_empty() && last.lines.end == at => last.lines.end = at + 1,
            Some(last) if lines.get(last.lines.start).is_some_and(|first| first.depth == line.depth) => {
                last.lines.end = at + 1;
            }
            Some(_) | None => found.push(Block { header: at..at, lines: at..at + 1 }),
        }
        at += 1;
    }
    found
}
