//! Fonts of a PDF, as far as they tell which text their codes are and how wide it is.
//!
//! Source: ISO 32000-1, 9.6 to 9.10.

use std::collections::HashMap;

use hayro_cmap::{BfString, CMap};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::glyphs::{self, Encoding};

/// The most widths of a font that are known.
const WIDTHS_MAX: usize = 70_000;

/// The largest table from codes to text that is read, in bytes.
const CMAP_BYTES_MAX: usize = 4 << 20;

/// A font.
pub(super) struct Font {
    to_unicode: Option<CMap>,
    /// What each code of one byte says.
    letters: Vec<Option<String>>,
    /// Whether codes have two bytes.
    wide: bool,
    /// Whether those are UTF-16 themselves.
    utf16: bool,
    widths: HashMap<u32, f64>,
    width: f64,
}

/// A code of a shown text.
pub(super) struct Code {
    /// What it says; `None` where the font does not tell.
    pub(super) text: Option<String>,
    /// How wide it is, for a size of one.
    pub(super) width: f64,
    /// Whether it is the blank that the spacing of words counts.
    pub(super) blank: bool,
}

impl Font {
    pub(super) fn read(dict: &Dict<'_>) -> Self {
        let kind = dict.get::<Name<'_>>(b"Subtype").map(|name| name.as_str().to_owned()).unwrap_or_default();
        let to_unicode = dict.get::<Stream<'_>>(b"ToUnicode").and_then(|stream| cmap(&stream));
        let wide = kind == "Type0";
        let mut font = Self { to_unicode, letters: Vec::new(), wide, utf16: false, widths: HashMap::new(), width: 0.5 };
        if wide {
            font.composite(dict);
        } else {
            font.simple(dict, &kind);
        }
        font
    }

    fn composite(&mut self, dict: &Dict<'_>) {
        let encoding = dict.get::<Name<'_>>(b"Encoding").map(|name| name.as_str().to_owned()).unwrap_or_default();
        self.utf16 = encoding.contains("UCS2") || encoding.contains("UTF16");
        self.width = 1.0;
        let inner = dict.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let Some(inner) = inner else { return };
        if let Some(width) = inner.get::<f64>(b"DW") {
            self.width = width / 1000.0;
        }
        let Some(widths) = inner.get::<Array<'_>>(b"W") else { return };
        // `c [w1 w2 …]` or `first last w`.
        let mut numbers: Vec<f64> = Vec::new();
        for object in widths.iter::<Object<'_>>() {
            if self.widths.len() >= WIDTHS_MAX {
                return;
            }
            match object {
                Object::Array(list) => {
                    let first = code(numbers.last().copied().unwrap_or(0.0));
                    for (at, width) in list.iter::<f64>().take(WIDTHS_MAX).enumerate() {
                        let at = u32::try_from(at).unwrap_or(u32::MAX);
                        self.widths.insert(first.saturating_add(at), width / 1000.0);
                    }
                    numbers.clear();
                }
                Object::Number(number) => {
                    numbers.push(number.as_f64());
                    if let [first, last, width] = numbers[..] {
                        let (first, last) = (code(first), code(last));
                        let all = first..=last.min(first.saturating_add(0xffff));
                        self.widths.extend(all.take(WIDTHS_MAX).map(|code| (code, width / 1000.0)));
                        numbers.clear();
                    }
                }
                Object::Null(_)
                | Object::Boolean(_)
                | Object::String(_)
                | Object::Name(_)
                | Object::Dict(_)
                | Object::Stream(_) => {}
            }
        }
    }

    fn simple(&mut self, dict: &Dict<'_>, kind: &str) {
        let base = |name: &Name<'_>| match name.as_str() {
            "WinAnsiEncoding" => Some(Encoding::Windows),
            "MacRomanEncoding" => Some(Encoding::Mac),
            "StandardEncoding" => Some(Encoding::Standard),
            _ => None,
        };
        let name = dict.get::<Name<'_>>(b"BaseFont").map(|name| name.as_str().to_owned()).unwrap_or_default();
        let descriptor = dict.get::<Dict<'_>>(b"FontDescriptor");
        let own = dict.get::<Dict<'_>>(b"Encoding");
        let said = dict
            .get::<Name<'_>>(b"Encoding")
            .or_else(|| own.as_ref().and_then(|own| own.get::<Name<'_>>(b"BaseEncoding")))
            .and_then(|name| base(&name));
        // Letters of these are signs, and what an encoding would say of them is wrong.
        let is_signs = name.ends_with("Symbol") || name.contains("Dingbats") || kind == "Type3";
        let fallback = if kind == "TrueType" { Encoding::Windows } else { Encoding::Standard };
        let encoding = said.or(if is_signs { None } else { Some(fallback) });
        self.letters = (0..=u8::MAX).map(|code| encoding.and_then(|encoding| encoding.letter(code))).collect();
        if let Some(differences) = own.and_then(|own| own.get::<Array<'_>>(b"Differences")) {
            let mut at = 0_usize;
            for object in differences.iter::<Object<'_>>().take(2_000) {
                match object {
                    Object::Number(number) => at = usize::try_from(number.as_i64()).unwrap_or(usize::MAX),
                    Object::Name(name) => {
                        if let Some(letter) = self.letters.get_mut(at) {
                            *letter = glyphs::named(name.as_str());
                        }
                        at = at.saturating_add(1);
                    }
                    Object::Null(_)
                    | Object::Boolean(_)
                    | Object::String(_)
                    | Object::Dict(_)
                    | Object::Array(_)
                    | Object::Stream(_) => {}
                }
            }
        }
        // The glyphs of a Type 3 font have a scale of their own.
        let scale = dict
            .get::<Array<'_>>(b"FontMatrix")
            .and_then(|matrix| matrix.iter::<f64>().next())
            .filter(|scale| kind == "Type3" && scale.is_finite())
            .unwrap_or(0.001);
        if let Some(width) =
            descriptor.and_then(|descriptor| descriptor.get::<f64>(b"MissingWidth")).filter(|w| *w > 0.0)
        {
            self.width = width * scale;
        }
        if name.contains("Courier") {
            self.width = 0.6;
        }
        let first = dict.get::<i32>(b"FirstChar").and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
        if let Some(widths) = dict.get::<Array<'_>>(b"Widths") {
            let widths = widths.iter::<f64>().take(256).enumerate();
            self.widths = widths
                .map(|(at, width)| (first.saturating_add(u32::try_from(at).unwrap_or(0)), width * scale))
                .collect();
        }
    }

    /// Reads the codes of a shown text.
    pub(super) fn codes(&self, bytes: &[u8], mut each: impl FnMut(Code)) {
        let size = if self.wide { 2 } else { 1 };
        for piece in bytes.chunks(size) {
            let number = piece.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
            let width = self.widths.get(&number).copied().filter(|width| width.is_finite()).unwrap_or(self.width);
            each(Code { text: self.says(number), width, blank: piece == [b' '] });
        }
    }

    fn says(&self, number: u32) -> Option<String> {
        let known = self.to_unicode.as_ref().and_then(|map| map.lookup_bf_string(number));
        let known = known.map(|said| match said {
            BfString::Char(letter) => letter.to_string(),
            BfString::String(text) => text,
        });
        // Some writers map what they do not know to nothing.
        if let Some(text) = known.filter(|text| !text.chars().all(|letter| matches!(letter, '\0' | '\u{fffd}'))) {
            return Some(text);
        }
        if self.utf16 {
            return char::from_u32(number).map(|letter| letter.to_string());
        }
        if self.wide {
            return None;
        }
        self.letters.get(usize::try_from(number).ok()?)?.clone()
    }
}

fn cmap(stream: &Stream<'_>) -> Option<CMap> {
    let data = stream.decoded_data().ok()?;
    CMap::parse(data.get(..CMAP_BYTES_MAX).unwrap_or(&data), |_base| None)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to what fits")]
fn code(number: f64) -> u32 {
    number.clamp(0.0, 1e9) as u32
}
