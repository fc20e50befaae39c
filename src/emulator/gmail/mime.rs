//! The parts of a message, from its raw bytes: bounded in depth, count and time whatever the bytes are.
//!
//! Where parts begin and end is found here, so that hostile nesting costs no more than its bytes; what stands in them
//! (encoded words, parameters, transfer encodings, charsets) is read by `mail-parser`.
//!
//! Sources: RFC 2045 to 2047, RFC 2231, RFC 5322.

use std::borrow::Cow;
use std::ops::Range;

use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, HeaderValue};

use crate::emulator::images::from_base64;

/// Parts that a message may have; what comes after them is not told apart.
const MAX_PARTS: usize = 20_000;

/// Parts that may stand in each other; a deeper one is shown as a whole.
const MAX_DEPTH: usize = 50;

/// Headers of a part that are read.
const MAX_HEADERS: usize = 1_000;

/// Bytes of a header that are read.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// Parameters of a header that are looked at, in bytes: they are read by a parser that is not ours.
const MAX_PARAMETER_BYTES: usize = 8 << 10;

/// A header as Gmail tells it: unfolded, its encoded words decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Its name, as it was written.
    pub(super) name: String,
    /// Its value.
    pub(super) value: String,
}

/// One part; the first is the message itself.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// `""` for the message, then `0`, `0.1`, …
    pub(super) id: String,
    /// Its headers in order.
    pub(super) headers: Vec<Header>,
    /// Its media type in small letters.
    pub(super) media_type: String,
    /// Its file name, or nothing.
    pub(super) filename: String,
    /// The parts in it, by their number.
    pub(super) children: Vec<usize>,
    charset: Option<String>,
    boundary: Option<String>,
    body: Range<usize>,
}

impl Part {
    /// Returns the first header of a name.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.as_str())
    }

    /// Tells whether it is text that is shown where it stands.
    pub(super) fn is_text(&self) -> bool {
        self.media_type.starts_with("text/")
    }

    /// Tells whether it holds nothing but other parts.
    pub(super) fn is_multipart(&self) -> bool {
        self.media_type.starts_with("multipart/") && !self.children.is_empty()
    }
}

/// A message that was read.
#[derive(Debug)]
pub(super) struct Mail<'x> {
    raw: &'x [u8],
    /// Its parts; the first always stands.
    pub(super) parts: Vec<Part>,
}

impl<'x> Mail<'x> {
    /// Reads a message with all of its parts.
    pub(super) fn read(raw: &'x [u8]) -> Self {
        let mut mail = Self { raw, parts: Vec::new() };
        let mut waiting = vec![(0..raw.len(), String::new(), 0, None)];
        while let Some((range, id, depth, parent)) = waiting.pop() {
            if mail.parts.len() >= MAX_PARTS {
                break;
            }
            let number = mail.parts.len();
            mail.parts.push(read_part(raw, range, id));
            if let Some(parent) = parent.and_then(|parent: usize| mail.parts.get_mut(parent)) {
                parent.children.push(number);
            }
            if depth >= MAX_DEPTH {
                continue;
            }
            let left = MAX_PARTS.saturating_sub(mail.parts.len() + waiting.len());
            let inner = mail.parts.get(number).map(|part| inner_ranges(raw, part, left)).unwrap_or_default();
            let id = mail.parts.get(number).map(|part| part.id.clone()).unwrap_or_default();
            // The last is pushed first, so that parts are numbered in the order in which they stand.
            for (place, range) in inner.into_iter().enumerate().rev() {
                let id = if id.is_empty() { place.to_string() } else { format!("{id}.{place}") };
                waiting.push((range, id, depth + 1, Some(number)));
            }
        }
        mail
    }

    /// Reads the headers of a message alone.
    pub(super) fn head(raw: &'x [u8]) -> Self {
        Self { raw, parts: vec![read_part(raw, 0..raw.len(), String::new())] }
    }

    /// Returns the message itself.
    pub(super) fn root(&self) -> Option<&Part> {
        self.parts.first()
    }

    /// Returns a header of the message.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.root().and_then(|root| root.header(name))
    }

    /// Returns the bytes of a part, its transfer encoding undone.
    pub(super) fn bytes(&self, part: &Part) -> Cow<'x, [u8]> {
        let body = self.raw.get(part.body.clone()).unwrap_or_default();
        match encoding(part).as_str() {
            "base64" => Cow::Owned(lenient_base64(body)),
            // What is no valid encoding stays as it stands, so that no byte of it is lost.
            "quoted-printable" => quoted_printable_decode(body).map_or(Cow::Borrowed(body), Cow::Owned),
            _ => Cow::Borrowed(body),
        }
    }

    /// Returns what a part of text says.
    pub(super) fn text(&self, part: &Part) -> String {
        let bytes = self.bytes(part);
        match part.charset.as_deref().filter(|charset| !charset.is_empty()) {
            Some(charset) if !charset.eq_ignore_ascii_case("utf-8") => match charset_decoder(charset.as_bytes()) {
                Some(decode) => decode(&bytes),
                None => String::from_utf8_lossy(&bytes).into_owned(),
            },
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// Returns the transfer encoding of a part in small letters.
fn encoding(part: &Part) -> String {
    part.header("content-transfer-encoding").unwrap_or_default().trim().to_ascii_lowercase()
}

/// Reads the head of a part.
fn read_part(raw: &[u8], range: Range<usize>, id: String) -> Part {
    let (headers, at) = read_headers(raw.get(range.clone()).unwrap_or_default());
    let mut part = Part { id, headers, body: range.start + at..range.end, ..Part::default() };
    let kind = part.header("content-type").and_then(parameters);
    part.media_type = match &kind {
        Some(kind) => format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("plain")).to_ascii_lowercase(),
        None => "text/plain".into(),
    };
    let attribute =
        |kind: Option<&ContentType<'_>>, name: &str| kind.and_then(|k| k.attribute(name)).map(str::to_owned);
    part.charset = attribute(kind.as_ref(), "charset");
    part.boundary = attribute(kind.as_ref(), "boundary").filter(|boundary| !boundary.is_empty());
    let disposition = part.header("content-disposition").and_then(parameters);
    let name = attribute(disposition.as_ref(), "filename").or_else(|| attribute(kind.as_ref(), "name"));
    part.filename = name.map(|name| decode_words(&name)).unwrap_or_default();
    part
}

/// Reads a header of the form `a/b; c=d`.
fn parameters(value: &str) -> Option<ContentType<'static>> {
    if value.len() > MAX_PARAMETER_BYTES {
        return None;
    }
    let line = format!("{value}\n");
    match MessageStream::new(line.as_bytes()).parse_content_type().into_owned() {
        HeaderValue::ContentType(kind) => Some(kind),
        HeaderValue::Address(_)
        | HeaderValue::Text(_)
        | HeaderValue::TextList(_)
        | HeaderValue::DateTime(_)
        | HeaderValue::Received(_)
        | HeaderValue::Empty => None,
    }
}

/// Reads headers up to the empty line, or up to the first line that is none; returns where the body begins.
fn read_headers(bytes: &[u8]) -> (Vec<Header>, usize) {
    let mut headers: Vec<(String, Vec<u8>)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = line_end(bytes, at);
        let line = trimmed(bytes.get(at..end).unwrap_or_default());
        if line.is_empty() {
            at = end;
            break;
        }
        let folded = matches!(line.first(), Some(b' ' | b'\t'));
        match (folded, headers.last_mut()) {
            (true, Some((_, value))) if value.len() + line.len() <= MAX_HEADER_BYTES => value.extend_from_slice(line),
            (true, _) => {}
            (false, _) => match header_line(line) {
                Some((name, value)) if headers.len() < MAX_HEADERS => headers.push((name, value.to_vec())),
                Some(_) => {}
                // The line that begins a message in a mailbox file.
                None if at == 0 && line.starts_with(b"From ") => {}
                None => break,
            },
        }
        at = end;
    }
    let read = |(name, value): (String, Vec<u8>)| {
        let value = decode_words(String::from_utf8_lossy(&value).trim());
        Header { name, value }
    };
    (headers.into_iter().map(read).collect(), at)
}

/// Splits a line into a header's name and value.
fn header_line(line: &[u8]) -> Option<(String, &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = line.get(..colon)?.trim_ascii_end();
    let named = !name.is_empty() && name.len() <= 200 && name.iter().all(u8::is_ascii_graphic);
    let value = line.get(colon + 1..)?;
    let value = value.get(..value.len().min(MAX_HEADER_BYTES))?;
    named.then(|| (String::from_utf8_lossy(name).into_owned(), value))
}

/// Decodes the encoded words of a header.
pub(super) fn decode_words(value: &str) -> String {
    if !value.contains("=?") {
        return value.to_owned();
    }
    let line = format!("{value}\n");
    match MessageStream::new(line.as_bytes()).parse_unstructured() {
        HeaderValue::Text(text) => text.trim().to_owned(),
        HeaderValue::Address(_)
        | HeaderValue::TextList(_)
        | HeaderValue::DateTime(_)
        | HeaderValue::ContentType(_)
        | HeaderValue::Received(_)
        | HeaderValue::Empty => value.to_owned(),
    }
}

/// Returns where the parts stand that a part holds.
fn inner_ranges(raw: &[u8], part: &Part, limit: usize) -> Vec<Range<usize>> {
    let body = part.body.clone();
    if part.media_type.starts_with("multipart/") {
        let Some(boundary) = &part.boundary else { return Vec::new() };
        let bytes = raw.get(body.clone()).unwrap_or_default();
        return pieces(bytes, boundary, limit)
            .into_iter()
            .map(|piece| body.start + piece.start..body.start + piece.end)
            .collect();
    }
    let whole = matches!(part.media_type.as_str(), "message/rfc822" | "message/global");
    let plain = matches!(encoding(part).as_str(), "" | "7bit" | "8bit" | "binary");
    if whole && plain && limit > 0 && !body.is_empty() { vec![body] } else { Vec::new() }
}

/// Splits the body of a multipart; the line break before a boundary belongs to the boundary.
pub(in crate::emulator) fn pieces(bytes: &[u8], boundary: &str, limit: usize) -> Vec<Range<usize>> {
    let mark = format!("--{boundary}");
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    let mut at = 0;
    while at < bytes.len() {
        let end = line_end(bytes, at);
        let rest = bytes.get(at..end).and_then(|line| line.strip_prefix(mark.as_bytes()));
        let ends = rest.is_some_and(|rest| rest.starts_with(b"--"));
        if rest.is_some_and(|rest| ends || rest.trim_ascii().is_empty()) {
            if let Some(start) = start.filter(|_| found.len() < limit) {
                found.push(start..before_break(bytes, at).max(start));
            }
            start = (!ends).then_some(end);
            if ends || found.len() >= limit {
                return found;
            }
        }
        at = end;
    }
    // A message that was cut off still has what it has.
    found.extend(start.filter(|start| *start < bytes.len() && found.len() < limit).map(|start| start..bytes.len()));
    found
}

/// Returns the end of a line, its line break included.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |found| at + found + 1)
}

/// Returns a line without its line break.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the place before the line break that ends at a place.
fn before_break(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default();
    trimmed(before).len()
}

/// Decodes base64 as mail has it: what is no letter of it is passed over.
fn lenient_base64(body: &[u8]) -> Vec<u8> {
    let letter = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut text: String =
        body.iter().take_while(|byte| **byte != b'=').filter(letter).map(|b| char::from(*b)).collect();
    if text.len() % 4 == 1 {
        text.pop();
    }
    from_base64(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the tree: id and media type of each part.
    fn check(raw: &str, wanted: &[(&str, &str)]) {
        let mail = Mail::read(raw.as_bytes());
        let seen: Vec<(&str, &str)> = mail.parts.iter().map(|p| (p.id.as_str(), p.media_type.as_str())).collect();
        assert_eq!(seen, wanted, "{raw}");
    }

    #[test]
    fn trees() {
        check("", &[("", "text/plain")]);
        check("Subject: x\r\n\r\nbody", &[("", "text/plain")]);
        let mixed =
            "Content-Type: multipart/mixed; boundary=b\n\nbefore\n--b\n\none\n--b\nContent-Type: text/html\n\ntwo\n";
        check(&format!("{mixed}--b--\nafter"), &[("", "multipart/mixed"), ("0", "text/plain"), ("1", "text/html")]);
        check(mixed, &[("", "multipart/mixed"), ("0", "text/plain"), ("1", "text/html")]);
        check(
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nSubject: in\n\nhi\n--b--\n",
            &[("", "multipart/mixed"), ("0", "message/rfc822"), ("0.0", "text/plain")],
        );
        check("Content-Type: multipart/mixed\n\n--b\n\none\n", &[("", "multipart/mixed")]);
    }

    #[test]
    fn headers_are_unfolded_and_decoded() {
        let raw = "Subject: =?UTF-8?B?8J+OiSBQYXJ0eQ==?=\r\nReceived: by x;\r\n        Fri\r\nNo header here\r\nbody";
        let mail = Mail::read(raw.as_bytes());
        assert_eq!(mail.header("subject"), Some("🎉 Party"));
        assert_eq!(mail.header("Received"), Some("by x;        Fri"));
        assert_eq!(mail.text(mail.root().unwrap()), "No header here\r\nbody");
    }

    #[test]
    fn bodies_are_decoded() {
        for (head, body, wanted) in [
            ("Content-Transfer-Encoding: base64", "aGVs\r\nbG8=", "hello"),
            ("Content-Transfer-Encoding: base64", "aGVs*bG8", "hello"),
            ("Content-Transfer-Encoding: quoted-printable", "caf=C3=A9=\r\n!", "café!"),
            ("Content-Transfer-Encoding: quoted-printable", "50% =off", "50% =off"),
            ("Content-Type: text/plain; charset=no-such-one", "plain", "plain"),
        ] {
            let raw = format!("{head}\r\n\r\n{body}");
            let mail = Mail::read(raw.as_bytes());
            assert_eq!(mail.text(mail.root().unwrap()), wanted, "{raw}");
        }
    }

    #[test]
    fn file_names() {
        for (header, wanted) in [
            ("Content-Disposition: attachment; filename=\"../../x.txt\"", "../../x.txt"),
            ("Content-Disposition: attachment; filename*=UTF-8''%E5%8C%97.pdf", "北.pdf"),
            ("Content-Disposition: attachment; filename=\"=?UTF-8?B?5YyX?=.pdf\"", "北.pdf"),
            ("Content-Type: text/plain; name=a.txt", "a.txt"),
        ] {
            let raw = format!("{header}\n\n");
            assert_eq!(Mail::read(raw.as_bytes()).root().unwrap().filename.replace(' ', ""), wanted, "{header}");
        }
    }

    #[test]
    fn bombs_are_bounded() {
        let many = format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(100_000));
        assert_eq!(Mail::read(many.as_bytes()).parts.len(), MAX_PARTS);
        let mut deep = String::new();
        for level in 0..2_000 {
            deep.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
        }
        assert_eq!(Mail::read(deep.as_bytes()).parts.len(), MAX_DEPTH + 1);
        let messages = "Content-Type: message/rfc822\n\n".repeat(50_000);
        assert_eq!(Mail::read(messages.as_bytes()).parts.len(), MAX_DEPTH + 1);
    }
}
