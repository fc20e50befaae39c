//! JSON as Google reads and writes it, with an end to size and depth.

use std::borrow::Cow;

use serde_json::Value;

/// The most bytes of one JSON text. The largest recorded one has half a megabyte; a source may have 500 000 words.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// Why a text is no JSON that is read here. The text itself is not told: it may be somebody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It ends too early.
    #[error("the JSON is cut off")]
    Cut,
    /// It is longer than [`TEXT_BYTES_MAX`].
    #[error("the JSON is longer than {TEXT_BYTES_MAX} bytes")]
    TooLong,
    /// It is no JSON, or nested deeper than 127 levels.
    #[error("no JSON at line {line}, column {column}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The byte of that line, from 1.
        column: usize,
    },
}

/// Reads a JSON text.
///
/// A text that was cut between the halves of a surrogate pair is read with U+FFFD there: passages of sources are cut
/// at counts of UTF-16 units, which may be within an emoji.
///
/// # Errors
///
/// [`Unreadable`], which says nothing of the content.
pub fn read(text: &str) -> Result<Value, Unreadable> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Unreadable::TooLong);
    }
    let failed = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mended = match mend_surrogates(text) {
        Cow::Owned(mended) => serde_json::from_str(&mended),
        Cow::Borrowed(_) => Err(failed),
    };
    mended.map_err(|error| {
        if error.is_eof() {
            return Unreadable::Cut;
        }
        Unreadable::Malformed { line: error.line(), column: error.column() }
    })
}

/// Writes a JSON text as Google's servers do: without spaces, and with `<`, `>`, `&`, `=` and the two line separators
/// of Unicode escaped. All else that is not ASCII stands as it is.
#[must_use]
pub fn write(value: &Value) -> String {
    let plain = value.to_string();
    if !plain.contains(is_escaped) {
        return plain;
    }
    // These characters are no part of JSON's own marks, so all of them stand within strings.
    let mut text = String::with_capacity(plain.len() + 64);
    for character in plain.chars() {
        if is_escaped(character) {
            text.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            text.push(character);
        }
    }
    text
}

fn is_escaped(character: char) -> bool {
    matches!(character, '<' | '>' | '&' | '=' | '\u{2028}' | '\u{2029}')
}

/// Counts the UTF-16 units of a text.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Writes U+FFFD for each escape of half a surrogate pair that stands alone.
fn mend_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended = String::new();
    let mut kept = 0;
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        if byte != b'\\' {
            index += 1;
            continue;
        }
        let Some(unit) = escaped_unit(bytes, index) else {
            // Whatever is escaped here, it is one byte long or no JSON.
            index += 2;
            continue;
        };
        if (0xd800..0xdc00).contains(&unit)
            && escaped_unit(bytes, index + 6).is_some_and(|next| (0xdc00..0xe000).contains(&next))
        {
            index += 12;
            continue;
        }
        if (0xd800..0xe000).contains(&unit) {
            mended.push_str(text.get(kept..index).unwrap_or_default());
            mended.push_str("\\ufffd");
            kept = index + 6;
        }
        index += 6;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(mended)
}

/// Reads the unit of an escape `\uXXXX` that begins at a byte.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
}
