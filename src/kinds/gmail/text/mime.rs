//! The parts of a raw message.
//!
//! Headers, encoded words, charsets and transfer encodings are read by `mail-parser`. The tree of parts is split here, since
//! that crate nests what is nested, without a limit, and looks for a boundary through the rest of the message for each part
//! that names one: a message made for it takes hours or the stack. Here each byte is looked at once for each level, and the
//! levels and parts have limits.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Message as Headers, MessageParser, MessagePart, MimeHeaders as _};

/// How deep parts nest; people's mail has five levels, a chain of forwards a dozen. What lies deeper is one attachment.
pub(super) const DEPTH_MAX: usize = 24;

/// How many parts of one message are told apart; the rest is counted.
pub(super) const PARTS_MAX: usize = 1_000;

/// The longest head of a part that is read, in bytes: chains of relays fill some tens of thousands.
const HEAD_BYTES_MAX: usize = 256 << 10;

/// A part of a message.
pub(super) struct Part<'r> {
    /// Its headers.
    pub(super) headers: Headers<'r>,
    /// Its media type in lower case.
    pub(super) media_type: String,
    /// Its body as it stands in the message, encoded.
    pub(super) body: &'r [u8],
    /// Where it stands: `1.2` is the second part of the first; the message itself is the empty text.
    pub(super) path: String,
    /// Its parts, for a multipart.
    pub(super) children: Vec<Self>,
}

/// How many parts are left to be told apart.
pub(super) struct Budget {
    left: usize,
    /// Parts beyond it.
    pub(super) beyond: usize,
    /// Whether parts were nested too deep.
    pub(super) too_deep: bool,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { left: PARTS_MAX, beyond: 0, too_deep: false }
    }
}

/// Splits a message, or one that stands in another.
pub(super) fn split<'r>(
    parser: &MessageParser,
    raw: &'r [u8],
    path: &str,
    depth: usize,
    budget: &mut Budget,
) -> Part<'r> {
    part(parser, raw, path.to_owned(), depth, budget, "text/plain")
}

fn part<'r>(
    parser: &MessageParser,
    raw: &'r [u8],
    path: String,
    depth: usize,
    budget: &mut Budget,
    usual: &str,
) -> Part<'r> {
    let body_at = head_end(raw);
    let head = raw.get(..body_at.min(HEAD_BYTES_MAX)).unwrap_or_default();
    let body = raw.get(body_at..).unwrap_or_default();
    let none = || Headers { parts: vec![MessagePart::default()], ..Headers::default() };
    let headers = parser.parse_headers(head).filter(|headers| !headers.parts.is_empty()).unwrap_or_else(none);
    let media_type = headers.content_type().map_or_else(
        || usual.to_owned(),
        |found| format!("{}/{}", found.ctype(), found.subtype().unwrap_or("plain")).to_ascii_lowercase(),
    );
    let mut part = Part { headers, media_type, body, path, children: Vec::new() };
    let boundary = part.headers.content_type().and_then(|found| found.attribute("boundary")).map(str::to_owned);
    if !part.media_type.starts_with("multipart/") {
        return part;
    }
    if depth >= DEPTH_MAX {
        budget.too_deep = true;
        return part;
    }
    let usual = if part.media_type == "multipart/digest" { "message/rfc822" } else { "text/plain" };
    for (number, slice) in boundary.iter().flat_map(|boundary| pieces(body, boundary.as_bytes())).enumerate() {
        if budget.left == 0 {
            budget.beyond += 1;
            continue;
        }
        budget.left -= 1;
        let dot = if part.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{}", part.path, number + 1);
        part.children.push(self::part(parser, slice, path, depth + 1, budget, usual));
    }
    part
}

/// Finds where the body begins: behind the first empty line, or at once when the first line is no header.
fn head_end(raw: &[u8]) -> usize {
    let mut at = 0;
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        let is_empty = line.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
        if is_empty {
            return at + line.len();
        }
        let name = line.iter().position(|byte| *byte == b':').and_then(|colon| line.get(..colon));
        let is_header = name.is_some_and(|name| !name.is_empty() && name.iter().all(|byte| matches!(byte, 33..=126)));
        let goes_on = at > 0 && matches!(line.first(), Some(b' ' | b'\t'));
        // A mailbox's line `From ana@example.com …` stands before some.
        let is_mailbox = at == 0 && (line.starts_with(b"From ") || line.starts_with(b">From "));
        if !is_header && !goes_on && !is_mailbox {
            return at;
        }
        at += line.len();
    }
    at
}

/// The parts between the lines of a boundary.
fn pieces<'r>(body: &'r [u8], boundary: &[u8]) -> Vec<&'r [u8]> {
    let (mut found, mut begin, mut at) = (Vec::new(), None, 0);
    let boundary = boundary.trim_ascii();
    if boundary.is_empty() {
        return found;
    }
    let mut ended = false;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let rest = line.strip_prefix(b"--").and_then(|rest| rest.strip_prefix(boundary));
        let rest = rest.map(<[u8]>::trim_ascii);
        if matches!(rest, Some(b"" | b"--")) {
            found.extend(begin.and_then(|begin| body.get(begin..at)).map(without_newline));
            ended = rest == Some(b"--");
            begin = (!ended).then_some(at + line.len());
            if ended {
                break;
            }
        }
        at += line.len();
    }
    // The last line is missing where a message was cut.
    found.extend(begin.filter(|_| !ended).and_then(|begin| body.get(begin..)).filter(|rest| !rest.is_empty()));
    found
}

/// The newline before a boundary is part of that.
fn without_newline(slice: &[u8]) -> &[u8] {
    let slice = slice.strip_suffix(b"\n").unwrap_or(slice);
    slice.strip_suffix(b"\r").unwrap_or(slice)
}

impl<'r> Part<'r> {
    /// The bytes that the body stands for.
    pub(super) fn bytes(&self) -> Cow<'r, [u8]> {
        let encoding = self.headers.content_transfer_encoding().unwrap_or_default().trim().to_ascii_lowercase();
        match &*encoding {
            "base64" => Cow::Owned(base64(self.body)),
            "quoted-printable" => Cow::Owned(quoted_printable_decode(self.body).unwrap_or_else(|| lenient(self.body))),
            _ => Cow::Borrowed(self.body),
        }
    }

    /// How many bytes the body stands for, nearly.
    pub(super) fn size(&self) -> usize {
        let encoding = self.headers.content_transfer_encoding().unwrap_or_default();
        if encoding.trim().eq_ignore_ascii_case("base64") {
            let letters = self.body.iter().filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
            return letters.count() * 3 / 4;
        }
        self.bytes().len()
    }

    /// The text of the body, of which at most so many bytes are read, and whether that was all.
    pub(super) fn text(&self, bytes_max: usize) -> (String, bool) {
        let bytes = self.bytes();
        let all = bytes.len() <= bytes_max;
        let bytes = bytes.get(..bytes_max).unwrap_or(&bytes);
        let said = self.headers.content_type().and_then(|found| found.attribute("charset"));
        let text = in_charset(bytes, said, self.media_type == "text/html");
        (text.replace('\0', "\u{fffd}"), all)
    }

    /// The name that the part says to have.
    pub(super) fn name(&self) -> Option<&str> {
        let disposition = self.headers.content_disposition().and_then(|found| found.attribute("filename"));
        disposition.or_else(|| self.headers.content_type().and_then(|found| found.attribute("name")))
    }

    /// Tells whether the part says to be an attachment.
    pub(super) fn is_attachment(&self) -> bool {
        self.headers.content_disposition().is_some_and(mail_parser::ContentType::is_attachment)
    }
}

/// Reads text in its charset; where that is not said, or is not what it says, UTF-8, and what is not that as most programs
/// that say nothing write it.
fn in_charset(bytes: &[u8], said: Option<&str>, is_html: bool) -> String {
    let said = said.map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty());
    let own = if said.is_none() && is_html { charset_within(bytes) } else { None };
    let name = said.or(own).unwrap_or_default();
    let is_utf8 = matches!(&*name, "" | "utf-8" | "utf8" | "us-ascii" | "ascii");
    if !is_utf8 && let Some(decode) = charset_decoder(name.as_bytes()) {
        return decode(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // A text that was cut ends within a character.
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => {
            let lossy = String::from_utf8_lossy(bytes);
            let wrong = lossy.chars().filter(|letter| *letter == '\u{fffd}').count();
            let right = lossy.chars().filter(|letter| !letter.is_ascii() && *letter != '\u{fffd}').count();
            match charset_decoder(b"windows-1252") {
                Some(decode) if wrong > right => decode(bytes),
                Some(_) | None => lossy.into_owned(),
            }
        }
    }
}

/// Finds the charset that a page names within itself.
fn charset_within(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(bytes.get(..1024).unwrap_or(bytes)).to_ascii_lowercase();
    let (_, rest) = head.split_once("charset=")?;
    let name: String = rest
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c))
        .collect();
    Some(name).filter(|name| !name.is_empty())
}

fn base64(body: &[u8]) -> Vec<u8> {
    if let Some(bytes) = base64_decode(body).filter(|bytes| !bytes.is_empty()) {
        return bytes;
    }
    // What is no digit is passed over, and a second part behind the padding of the first is read, too.
    let (mut out, mut held, mut bits) = (Vec::with_capacity(body.len() / 4 * 3), 0_u32, 0_u32);
    for byte in body {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                bits = 0;
                continue;
            }
            _ => continue,
        };
        (held, bits) = ((held << 6 | u32::from(six)) & 0xff_ffff, bits + 6);
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(held >> bits & 0xff).unwrap_or_default());
        }
    }
    out
}

/// Quoted-printable in which what is malformed stands for itself.
fn lenient(body: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(body.len()), 0);
    let hex = |byte: Option<&u8>| {
        byte.and_then(|byte| char::from(*byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok())
    };
    while let Some(byte) = body.get(at) {
        at += 1;
        if *byte != b'=' {
            out.push(*byte);
        } else if let (Some(high), Some(low)) = (hex(body.get(at)), hex(body.get(at + 1))) {
            out.push(high << 4 | low);
            at += 2;
        } else if body.get(at) == Some(&b'\n') {
            at += 1;
        } else if body.get(at) == Some(&b'\r') && body.get(at + 1) == Some(&b'\n') {
            at += 2;
        } else {
            out.push(b'=');
        }
    }
    out
}
