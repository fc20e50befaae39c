//! An answer that comes in a stream, and the answers of earlier turns.
//!
//! Each chunk has all that was written so far. Until mid-2026 what the model thought came in chunks of its own, marked 2;
//! since August 2026 it stands within the document of an answer whose text is empty as long as nothing else is known.

use serde_json::Value;

use super::document::{Document, Range, body, document};
use super::frames::{Ending, Frames, TooMuch};
use super::json::{self, Unreadable};
use super::reply::{Rejection, error_of, is_page, rejection_of};
use super::slot::{Drift, Slot};

/// The most citations, spans and questions that are read of one answer.
const LIST_MAX: usize = 10_000;

/// How much of the beginning of a stream is kept, to tell a page from an answer.
const HEAD_CHARS: usize = 256;

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// It, in Markdown, with marks as `[1, 2]` where it cites.
    pub text: String,
    /// What it cites, in the order of the marks.
    pub citations: Vec<Citation>,
    /// Which of its stretches cite what.
    pub spans: Vec<Span>,
    /// Questions to ask next.
    pub follow_ups: Vec<String>,
    /// What names the stream that it came in.
    pub session: Option<Session>,
    /// It, as a document: without the marks, and with the positions that spans name.
    pub document: Document,
}

/// What names the stream of an answer. It is no conversation: to ask with it makes a turn that nobody sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The id of the stream.
    pub stream: String,
    /// The id of the turn.
    pub turn: Option<String>,
    /// A number.
    pub code: Option<i64>,
}

/// A passage that an answer cites.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Citation {
    /// Its number in the text, from 1.
    pub number: usize,
    /// The id of the passage.
    pub passage: Option<String>,
    /// The source it stands in.
    pub source_id: Option<String>,
    /// The revision of that source: the one that the source's row told when the answer was written.
    pub revision_id: Option<String>,
    /// How well it fits, from 0 to 1.
    pub score: Option<f64>,
    /// Where it stands in the source, in UTF-16 units.
    pub range: Option<Range>,
    /// What it says.
    pub excerpt: String,
}

/// A stretch of an answer that cites something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it stands in [`Answer::document`].
    pub range: Range,
    /// The numbers of what it cites, as in [`Citation::number`].
    pub numbers: Vec<usize>,
}

/// How far an answer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// What the model thinks at the moment.
    Thinking(String),
    /// What is written so far: all of it, not only what is new.
    Partial(String),
}

/// How a stream ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// With an answer, which the product said is whole.
    Answered(Box<Answer>),
    /// Without that: here is the longest that came, if anything did.
    Unfinished(Option<Box<Answer>>),
    /// The question was refused.
    Rejected(Rejection),
    /// Nothing was said: no more questions are answered on this plan for now.
    Exhausted,
    /// A page came instead.
    Interstitial,
    /// An answer came in a shape that is not known.
    Drifted(Drift),
    /// What came cannot be read.
    Unreadable(Unreadable),
}

/// Reads a stream that comes in pieces.
#[derive(Debug, Default)]
pub struct Fold {
    frames: Frames,
    head: String,
    finished: Option<Value>,
    longest: Option<Value>,
    longest_units: usize,
    rejection: Option<Rejection>,
    drift: Option<Drift>,
    unreadable: Option<Unreadable>,
}

impl Fold {
    /// Begins to read.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece and returns how far the answer is after each chunk that ends in it.
    ///
    /// # Errors
    ///
    /// [`TooMuch`], after which nothing more is to be read.
    pub fn push(&mut self, piece: &str) -> Result<Vec<Progress>, TooMuch> {
        let wanted = HEAD_CHARS.saturating_sub(self.head.chars().count());
        self.head.extend(piece.chars().take(wanted));
        let chunks = self.frames.push(piece)?;
        let rows = chunks.iter().filter_map(Value::as_array).flatten();
        Ok(rows.filter_map(|row| self.row(row)).collect())
    }

    /// Ends the reading.
    #[must_use]
    pub fn finish(self) -> Ended {
        let summary = self.frames.finish();
        if let Some(chunk) = &self.finished {
            return match answer_of_chunk(chunk) {
                Ok(answer) => Ended::Answered(Box::new(answer)),
                Err(drift) => Ended::Drifted(drift),
            };
        }
        if let Some(rejection) = self.rejection {
            return Ended::Rejected(rejection);
        }
        if let Some(answer) = self.longest.as_ref().and_then(|chunk| answer_of_chunk(chunk).ok()) {
            return Ended::Unfinished(Some(Box::new(answer)));
        }
        if let Some(drift) = self.drift {
            return Ended::Drifted(drift);
        }
        if let Some(why) = self.unreadable.or(summary.first_unreadable) {
            return Ended::Unreadable(why);
        }
        match summary.ending {
            Ending::Closed => Ended::Exhausted,
            Ending::Foreign if is_page(&self.head) => Ended::Interstitial,
            Ending::Open | Ending::Cut | Ending::Foreign => Ended::Unfinished(None),
        }
    }

    fn row(&mut self, row: &Value) -> Option<Progress> {
        let row = Slot::new("chat", row);
        if row.at(0).text() == Some("er") {
            self.rejection = Some(error_of(row));
            return None;
        }
        if row.at(0).text() != Some("wrb.fr") {
            return None;
        }
        let Some(text) = row.at(2).text() else {
            self.rejection = rejection_of(row.at(5)).or_else(|| self.rejection.take());
            return None;
        };
        match json::read(text) {
            Ok(chunk) => self.chunk(chunk),
            Err(why) => {
                self.unreadable.get_or_insert(why);
                None
            }
        }
    }

    fn chunk(&mut self, chunk: Value) -> Option<Progress> {
        let slot = Slot::new("chat", &chunk);
        let row = slot.at(0);
        let text = match row.at(0).string() {
            Ok(text) => text.to_owned(),
            Err(drift) => {
                // Rows without an answer keep other books.
                if !row.is_absent() {
                    self.drift.get_or_insert(drift);
                }
                return None;
            }
        };
        if row.at(4).at(4).integer() == Some(2) {
            return Some(Progress::Thinking(text));
        }
        if text.is_empty() {
            return document(row.at(4)).thinking.pop().map(Progress::Thinking);
        }
        let units = text.len();
        if slot.at(4).flag() == Some(true) {
            self.finished = Some(chunk);
        } else if units >= self.longest_units {
            self.longest_units = units;
            self.longest = Some(chunk);
        }
        Some(Progress::Partial(text))
    }
}

/// Reads a chunk: `[answer, citations, spans, questions, final, [[question, number]…]…]`.
///
/// # Errors
///
/// [`Drift`] when there is no answer in it.
pub fn answer_of_chunk(chunk: &Value) -> Result<Answer, Drift> {
    let slot = Slot::new("chat", chunk);
    let mut answer = answer_of_row(slot.at(0))?;
    let row = slot.at(0).at(4);
    answer.citations = citations_of(row.at(3), slot.at(1));
    let spans = spans(slot.at(2), answer.citations.len());
    if !spans.is_empty() {
        answer.spans = spans;
    }
    let next = strings(slot.at(5).at(0), true);
    answer.follow_ups = if next.is_empty() { strings(slot.at(3).at(0), false) } else { next };
    Ok(answer)
}

/// Reads the row of an answer: `[text, null, [stream, turn, number], null, document]`.
///
/// # Errors
///
/// [`Drift`] when there is no text in it.
pub fn answer_of_row(row: Slot<'_>) -> Result<Answer, Drift> {
    let text = row.at(0).string()?.to_owned();
    let document = document(row.at(4));
    let citations = citations_of(row.at(4).at(3), Slot::new("none", &Value::Null));
    let spans = spans_of_anchors(&document, &citations);
    let session = row.at(2).at(0).text().map(|stream| Session {
        stream: stream.to_owned(),
        turn: row.at(2).at(1).text().map(str::to_owned),
        code: row.at(2).at(2).integer(),
    });
    Ok(Answer { text, citations, spans, follow_ups: Vec::new(), session, document })
}

/// Reads citations: those with the ids of their passages in front, or else those without.
#[must_use]
pub fn citations_of(named: Slot<'_>, bare: Slot<'_>) -> Vec<Citation> {
    let count = |slot: Slot<'_>| slot.list().map_or(0, <[Value]>::len).min(LIST_MAX);
    if count(named) > 0 {
        return (0..count(named))
            .map(|index| citation(index + 1, named.at(index).at(1), named.at(index).at(0)))
            .collect();
    }
    (0..count(bare)).map(|index| citation(index + 1, bare.at(index), bare.at(index).at(6))).collect()
}

/// Reads `[null, null, score, [[null, start, end]], body, [[[source], revision]], [passage]]`.
fn citation(number: usize, slot: Slot<'_>, passage: Slot<'_>) -> Citation {
    let origin = slot.at(5).at(0);
    let text = |slot: Slot<'_>| slot.text().map(str::to_owned);
    Citation {
        number,
        passage: text(passage.at(0)).or_else(|| text(slot.at(6).at(0))),
        source_id: text(origin.at(0).at(0)),
        revision_id: text(origin.at(1)),
        score: slot.at(2).number(),
        range: Range::read(slot.at(3).at(0)),
        excerpt: body(slot.at(4)).plain(),
    }
}

/// Reads `[[[null, start, end], [index…]]…]`; the indexes count from 0, and those of nothing are passed over.
fn spans(slot: Slot<'_>, citations: usize) -> Vec<Span> {
    let count = slot.list().map_or(0, <[Value]>::len).min(LIST_MAX);
    let mut spans = Vec::new();
    for row in (0..count).map(|index| slot.at(index)) {
        let Some(range) = Range::read(row.at(0)) else { continue };
        let indexes = row.at(1).list().unwrap_or_default().iter().take(LIST_MAX);
        let indexes = indexes.filter_map(Value::as_u64).filter_map(|index| usize::try_from(index).ok());
        let numbers: Vec<usize> = indexes.filter(|index| *index < citations).map(|index| index + 1).collect();
        if !numbers.is_empty() {
            spans.push(Span { range, numbers });
        }
    }
    spans
}

/// Finds the spans of an answer of which only the places of citations are known, as that of an earlier turn.
fn spans_of_anchors(document: &Document, citations: &[Citation]) -> Vec<Span> {
    let mut numbers = std::collections::HashMap::new();
    for citation in citations {
        if let Some(passage) = citation.passage.as_deref() {
            numbers.entry(passage).or_insert(citation.number);
        }
    }
    let mut spans: Vec<Span> = Vec::new();
    for anchor in &document.anchors {
        let Some(number) = numbers.get(anchor.passage.as_str()) else { continue };
        match spans.last_mut() {
            Some(span) if span.range == anchor.range => span.numbers.push(*number),
            Some(_) | None => spans.push(Span { range: anchor.range, numbers: vec![*number] }),
        }
    }
    spans
}

/// Reads a list of strings, or of lists that begin with one.
fn strings(slot: Slot<'_>, nested: bool) -> Vec<String> {
    let list = slot.list().unwrap_or_default().iter().take(LIST_MAX);
    let text = |value: &Value| {
        let value = if nested { value.get(0)?.clone() } else { value.clone() };
        value.as_str().map(str::to_owned)
    };
    list.filter_map(text).collect()
}
