//! How an answer is framed, both ways.
//!
//! An answer begins with `)]}'`, which makes it no script, and goes on with chunks, each a line with a number and a line
//! with JSON. The number counts UTF-16 units and two more, for the newlines around the chunk. The last row of the last
//! chunk counts the rows and the bytes of the whole. Source: recorded answers, of which each is written here to the byte.

use serde_json::{Value, json};

use super::json::{self, Unreadable, utf16_len};

/// What an answer begins with.
pub const PREFIX: &str = ")]}'";

/// The most bytes of one answer.
pub const BODY_BYTES_MAX: usize = 128 << 20;

/// The most chunks of one answer. A long chat has about a hundred.
pub const CHUNKS_MAX: usize = 100_000;

/// Why the reading of an answer ends before the answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// The answer is longer than [`BODY_BYTES_MAX`].
    #[error("the answer is longer than {BODY_BYTES_MAX} bytes")]
    Bytes,
    /// It has more than [`CHUNKS_MAX`] chunks.
    #[error("the answer has more than {CHUNKS_MAX} chunks")]
    Chunks,
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With the row that says so.
    Closed,
    /// After a chunk, without that row.
    Open,
    /// Within a chunk.
    Cut,
    /// It was no answer: nothing was framed.
    Foreign,
}

/// What was seen of an answer, told at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// How it ended.
    pub ending: Ending,
    /// How many chunks were read.
    pub chunks: usize,
    /// How many chunks were no JSON and were passed over, and why the first was.
    pub unreadable: usize,
    /// Why the first of those was none.
    pub first_unreadable: Option<Unreadable>,
    /// How many bytes stood between the chunks that are neither numbers nor space, as those of a page in HTML do.
    pub stray_bytes: usize,
    /// The bytes of the whole, by the last row.
    pub declared_bytes: Option<u64>,
    /// The bytes of the whole, counted.
    pub bytes: usize,
}

/// Reads an answer that comes in pieces.
///
/// The numbers before the chunks are not believed: what passed through a scrubber or a proxy has others. A chunk ends
/// where its brackets do.
#[derive(Debug, Default)]
pub struct Frames {
    chunk: String,
    depth: usize,
    in_string: bool,
    escaped: bool,
    chunks: usize,
    unreadable: usize,
    first_unreadable: Option<Unreadable>,
    stray_bytes: usize,
    bytes: usize,
    prefix: usize,
    declared_bytes: Option<u64>,
    closed: bool,
}

impl Frames {
    /// Begins to read.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece and returns the chunks that end in it, each a list of rows.
    ///
    /// # Errors
    ///
    /// [`TooMuch`], after which nothing more is to be read.
    pub fn push(&mut self, piece: &str) -> Result<Vec<Value>, TooMuch> {
        let before = self.bytes;
        self.bytes += piece.len();
        if self.bytes > BODY_BYTES_MAX {
            return Err(TooMuch::Bytes);
        }
        let mut found = Vec::new();
        let mut begin = 0;
        for (at, letter) in piece.char_indices() {
            if self.depth == 0 {
                if letter == '[' {
                    self.depth = 1;
                    begin = at;
                } else {
                    self.between(letter, before + at);
                }
                continue;
            }
            self.inside(letter);
            if self.depth == 0 {
                // What ends a chunk is a bracket, which is one byte long.
                self.chunk.push_str(piece.get(begin..=at).unwrap_or_default());
                found.extend(self.complete()?);
            }
        }
        if self.depth > 0 {
            self.chunk.push_str(piece.get(begin..).unwrap_or_default());
        }
        Ok(found)
    }

    /// Ends the reading and tells how the answer ended.
    #[must_use]
    pub fn finish(self) -> Summary {
        let ending = if self.depth > 0 {
            Ending::Cut
        } else if self.closed {
            Ending::Closed
        } else if self.chunks > 0 {
            Ending::Open
        } else {
            Ending::Foreign
        };
        Summary {
            ending,
            chunks: self.chunks,
            unreadable: self.unreadable,
            first_unreadable: self.first_unreadable,
            stray_bytes: self.stray_bytes,
            declared_bytes: self.declared_bytes,
            bytes: self.bytes,
        }
    }

    /// Looks at a letter between chunks: one of the prefix, of a number, of a line's end, or none of them.
    fn between(&mut self, letter: char, at: usize) {
        let of_prefix = at == self.prefix && PREFIX.get(at..).is_some_and(|rest| rest.starts_with(letter));
        if of_prefix {
            self.prefix += 1;
        } else if !letter.is_ascii_digit() && !letter.is_whitespace() {
            self.stray_bytes += letter.len_utf8();
        }
    }

    fn inside(&mut self, letter: char) {
        if self.in_string {
            match letter {
                _ if self.escaped => self.escaped = false,
                '\\' => self.escaped = true,
                '"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match letter {
            '"' => self.in_string = true,
            '[' | '{' => self.depth += 1,
            ']' | '}' => self.depth -= 1,
            _ => {}
        }
    }

    /// Takes the chunk that is complete.
    fn complete(&mut self) -> Result<Option<Value>, TooMuch> {
        let text = std::mem::take(&mut self.chunk);
        if self.chunks + self.unreadable >= CHUNKS_MAX {
            return Err(TooMuch::Chunks);
        }
        match json::read(&text) {
            Ok(chunk) => {
                self.chunks += 1;
                if let Some(bytes) = end_row(&chunk) {
                    self.closed = true;
                    self.declared_bytes = bytes;
                }
                Ok(Some(chunk))
            }
            Err(why) => {
                self.unreadable += 1;
                self.first_unreadable.get_or_insert(why);
                Ok(None)
            }
        }
    }
}

/// Reads a whole answer.
///
/// # Errors
///
/// [`TooMuch`].
pub fn read(body: &str) -> Result<(Vec<Value>, Summary), TooMuch> {
    let mut frames = Frames::new();
    let chunks = frames.push(body)?;
    Ok((chunks, frames.finish()))
}

/// Returns what the row that ends an answer says of its bytes, if a chunk has that row.
fn end_row(chunk: &Value) -> Option<Option<u64>> {
    let row = chunk.as_array()?.iter().find(|row| row.get(0).and_then(Value::as_str) == Some("e"))?;
    Some(row.get(4).and_then(Value::as_u64))
}

/// Writes an answer, chunk by chunk, as it is sent in time.
#[derive(Debug, Default)]
pub struct Writer {
    rows: usize,
    bytes: usize,
}

impl Writer {
    /// Begins an answer; returns its first bytes.
    #[must_use]
    pub fn begin() -> (Self, String) {
        let text = format!("{PREFIX}\n\n");
        (Self { rows: 0, bytes: text.len() }, text)
    }

    /// Writes a chunk of rows.
    pub fn chunk(&mut self, rows: &[Value]) -> String {
        self.rows += rows.len();
        let text = frame(&Value::Array(rows.to_vec()));
        self.bytes += text.len();
        text
    }

    /// Writes the chunk that ends the answer. It counts itself, among the rows and among the bytes.
    #[must_use]
    pub fn end(self) -> String {
        let rows = self.rows + 1;
        let text = |bytes: usize| frame(&json!([["e", rows, null, null, bytes]]));
        // A longer number makes the answer longer, so this looks for the number that says its own length; a few steps
        // reach it, since it grows by at most a digit in each.
        let mut bytes = self.bytes;
        for _ in 0..4 {
            bytes = self.bytes + text(bytes).len();
        }
        text(bytes)
    }
}

/// Writes a whole answer: the chunks, without the one that ends it, and then that.
#[must_use]
pub fn write(chunks: &[Vec<Value>]) -> String {
    let (mut writer, mut body) = Writer::begin();
    for rows in chunks {
        body.push_str(&writer.chunk(rows));
    }
    body.push_str(&writer.end());
    body
}

fn frame(chunk: &Value) -> String {
    let text = json::write(chunk);
    format!("{}\n{text}\n", utf16_len(&text) + 2)
}
