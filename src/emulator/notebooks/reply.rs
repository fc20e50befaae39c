//! An answer that may come in pieces over time, or be cut.

use super::model::Millis;
use crate::emulator::call::Answer;

/// Why nothing here is waited for longer: a client that has not given up by then never will.
const WAIT_MS_MAX: u64 = 600_000;

/// An answer.
#[derive(Debug, Clone)]
pub(in crate::emulator) struct Reply {
    /// The HTTP status.
    pub(in crate::emulator) status: u16,
    /// The media type.
    pub(in crate::emulator) content_type: &'static str,
    /// Further headers. Of one name there may be several, as of cookies: they are to be added, not replaced.
    pub(in crate::emulator) headers: Vec<(&'static str, String)>,
    /// The body.
    pub(in crate::emulator) pieces: Vec<Piece>,
    /// How it ends.
    pub(in crate::emulator) ending: Ending,
    /// What can be cancelled; before each piece, [`super::Notebooks::goes_on`] tells whether it was.
    pub(in crate::emulator) stream: Option<String>,
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::emulator) struct Piece {
    /// How long it is waited for, after the one before it.
    pub(in crate::emulator) wait_ms: u64,
    /// What it says.
    pub(in crate::emulator) bytes: Vec<u8>,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::emulator) enum Ending {
    /// As it should.
    Whole,
    /// The connection is cut after the last piece; without one, before the head.
    Cut,
}

impl Reply {
    /// Returns an answer in one piece.
    pub(super) fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let pieces = vec![Piece { wait_ms: 0, bytes: body.into() }];
        Self { status, content_type, headers: Vec::new(), pieces, ending: Ending::Whole, stream: None }
    }

    /// Returns a page.
    pub(super) fn html(status: u16, body: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", body)
    }

    /// Leads elsewhere.
    pub(super) fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", "").with("location", location)
    }

    /// Returns an answer that never begins.
    pub(super) fn cut() -> Self {
        Self { pieces: Vec::new(), ending: Ending::Cut, ..Self::new(500, "text/plain; charset=utf-8", "") }
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Makes it come later.
    pub(super) fn later(mut self, wait_ms: u64) -> Self {
        if let Some(first) = self.pieces.first_mut() {
            first.wait_ms = (first.wait_ms + wait_ms).min(WAIT_MS_MAX);
        }
        self
    }

    /// Returns the moment at which it is whole.
    pub(super) fn ends_ms(&self, now: Millis) -> Millis {
        self.pieces.iter().fold(now, |at, piece| at.saturating_add_unsigned(piece.wait_ms))
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self { headers: answer.headers, ..Self::new(answer.status, answer.content_type, answer.body) }
    }
}
