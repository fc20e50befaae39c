//! Streams of lines, read and written a piece at a time, so that whoever waits for one side can listen to the other.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use super::skim::Skim;
use super::socket::LINE_BYTES_MAX;

/// The bytes that are read at once.
const READ_BYTES: usize = 64 * 1024;

/// One line, without its end.
#[derive(Debug)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// It was passed over; what could be told of it.
    TooLong(Skim),
}

/// Reads lines of at most [`LINE_BYTES_MAX`] bytes. Of a longer one no more than that is ever kept.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    too_long: Option<Skim>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(read: R) -> Self {
        Self { reader: BufReader::with_capacity(READ_BYTES, read), line: Vec::new(), too_long: None }
    }

    /// Returns the next line; `None` at the end of the stream. An unfinished last line is a message cut off: nobody
    /// may act on it. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let filled = self.reader.fill_buf().await?;
            if filled.is_empty() {
                return Ok(None);
            }
            let end = filled.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(filled.len(), |end| end + 1);
            let part = filled.get(..end.unwrap_or(taken)).unwrap_or_default();
            match &mut self.too_long {
                Some(skim) => skim.read(part),
                None => self.line.extend_from_slice(part),
            }
            self.reader.consume(taken);
            if self.line.len() > LINE_BYTES_MAX {
                self.too_long = Some(Skim::of(&std::mem::take(&mut self.line)));
            }
            if end.is_some() {
                let whole = std::mem::take(&mut self.line);
                return Ok(Some(self.too_long.take().map_or(Line::Whole(whole), Line::TooLong)));
            }
        }
    }
}

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    lines: VecDeque<Vec<u8>>,
    /// How much of the first is written.
    written: usize,
    bytes: usize,
    wants_flush: bool,
    is_closed: bool,
}

impl Outbox {
    pub(super) fn push(&mut self, mut line: Vec<u8>) {
        if self.is_closed {
            return;
        }
        line.push(b'\n');
        self.bytes += line.len();
        self.lines.push_back(line);
    }

    /// Drops what waits, and whatever comes: nobody reads it.
    pub(super) fn close(&mut self) {
        *self = Self { is_closed: true, ..Self::default() };
    }

    /// Tells whether all of it has been handed over.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && !self.wants_flush
    }

    /// Returns how many bytes wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes a piece, and for ever does nothing when there is none. Nothing is lost or doubled when the future is
    /// dropped.
    pub(super) async fn write<W: AsyncWrite + Unpin>(&mut self, writer: &mut W) -> io::Result<()> {
        let Some(line) = self.lines.front() else {
            if !self.wants_flush {
                return std::future::pending().await;
            }
            writer.flush().await?;
            self.wants_flush = false;
            return Ok(());
        };
        let count = writer.write(line.get(self.written..).unwrap_or_default()).await?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.written += count;
        self.bytes = self.bytes.saturating_sub(count);
        self.wants_flush = true;
        if self.written >= line.len() {
            self.lines.pop_front();
            self.written = 0;
        }
        if self.lines.is_empty() {
            writer.flush().await?;
            self.wants_flush = false;
        }
        Ok(())
    }

    /// Returns the lines that nobody can have read whole.
    pub(super) fn into_unwritten(self) -> impl Iterator<Item = Vec<u8>> {
        self.lines.into_iter().map(|mut line| {
            line.pop();
            line
        })
    }
}
