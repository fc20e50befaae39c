//! What the names of glyphs mean, and the encodings that a PDF may name.
//!
//! Source: ISO 32000-1, annex D, and the Adobe Glyph List, as far as western, Greek and Cyrillic texts have them.

/// Letters with an accent: its name, the letters, and what they are with it.
const ACCENTS: [(&str, &str, &str); 13] = [
    ("acute", "AaCcEeIiLlNnOoRrSsUuYyZz", "ÁáĆćÉéÍíĹĺŃńÓóŔŕŚśÚúÝýŹź"),
    ("grave", "AaEeIiOoUu", "ÀàÈèÌìÒòÙù"),
    ("circumflex", "AaCcEeGgHhIiJjOoSsUuWwYy", "ÂâĈĉÊêĜĝĤĥÎîĴĵÔôŜŝÛûŴŵŶŷ"),
    ("dieresis", "AaEeIiOoUuYy", "ÄäËëÏïÖöÜüŸÿ"),
    ("tilde", "AaIiNnOoUu", "ÃãĨĩÑñÕõŨũ"),
    ("caron", "CcDdEeLlNnRrSsTtZz", "ČčĎďĚěĽľŇňŘřŠšŤťŽž"),
    ("ring", "AaUu", "ÅåŮů"),
    ("cedilla", "CcSsTt", "ÇçŞşŢţ"),
    ("commaaccent", "GgKkLlNnRrSsTt", "ĢģĶķĻļŅņŖŗȘșȚț"),
    ("ogonek", "AaEeIiUu", "ĄąĘęĮįŲų"),
    ("macron", "AaEeIiOoUu", "ĀāĒēĪīŌōŪū"),
    ("breve", "AaGgUu", "ĂăĞğŬŭ"),
    ("dotaccent", "CcEeGgIZz", "ĊċĖėĠġİŻż"),
];

/// Further names.
const NAMES: [(&str, &str); 128] = [
    ("space", " "),
    ("nbspace", "\u{a0}"),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("backslash", "\\"),
    ("bracketright", "]"),
    ("asciicircum", "^"),
    ("underscore", "_"),
    ("grave", "`"),
    ("braceleft", "{"),
    ("bar", "|"),
    ("braceright", "}"),
    ("asciitilde", "~"),
    ("exclamdown", "¡"),
    ("cent", "¢"),
    ("sterling", "£"),
    ("currency", "¤"),
    ("yen", "¥"),
    ("brokenbar", "¦"),
    ("section", "§"),
    ("dieresis", "¨"),
    ("copyright", "©"),
    ("ordfeminine", "ª"),
    ("guillemotleft", "«"),
    ("logicalnot", "¬"),
    ("registered", "®"),
    ("macron", "¯"),
    ("degree", "°"),
    ("plusminus", "±"),
    ("acute", "´"),
    ("mu", "µ"),
    ("paragraph", "¶"),
    ("periodcentered", "·"),
    ("cedilla", "¸"),
    ("ordmasculine", "º"),
    ("guillemotright", "»"),
    ("onequarter", "¼"),
    ("onehalf", "½"),
    ("threequarters", "¾"),
    ("questiondown", "¿"),
    ("AE", "Æ"),
    ("ae", "æ"),
    ("OE", "Œ"),
    ("oe", "œ"),
    ("Oslash", "Ø"),
    ("oslash", "ø"),
    ("Eth", "Ð"),
    ("eth", "ð"),
    ("Thorn", "Þ"),
    ("thorn", "þ"),
    ("germandbls", "ß"),
    ("multiply", "×"),
    ("divide", "÷"),
    ("Lslash", "Ł"),
    ("lslash", "ł"),
    ("Dcroat", "Đ"),
    ("dcroat", "đ"),
    ("dotlessi", "ı"),
    ("Ohungarumlaut", "Ő"),
    ("ohungarumlaut", "ő"),
    ("Uhungarumlaut", "Ű"),
    ("uhungarumlaut", "ű"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotesinglbase", "‚"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quotedblbase", "„"),
    ("endash", "–"),
    ("emdash", "—"),
    ("bullet", "•"),
    ("ellipsis", "…"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("perthousand", "‰"),
    ("guilsinglleft", "‹"),
    ("guilsinglright", "›"),
    ("Euro", "€"),
    ("trademark", "™"),
    ("florin", "ƒ"),
    ("fraction", "⁄"),
    ("minus", "−"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("circumflex", "ˆ"),
    ("tilde", "˜"),
    ("caron", "ˇ"),
    ("breve", "˘"),
    ("dotaccent", "˙"),
    ("ring", "˚"),
    ("ogonek", "˛"),
    ("hungarumlaut", "˝"),
    ("nonbreakinghyphen", "-"),
    ("softhyphen", ""),
];

/// Greek letters.
const GREEK: [(&str, &str); 25] = [
    ("alpha", "Αα"),
    ("beta", "Ββ"),
    ("gamma", "Γγ"),
    ("delta", "Δδ"),
    ("epsilon", "Εε"),
    ("zeta", "Ζζ"),
    ("eta", "Ηη"),
    ("theta", "Θθ"),
    ("iota", "Ιι"),
    ("kappa", "Κκ"),
    ("lambda", "Λλ"),
    ("mu", "Μμ"),
    ("nu", "Νν"),
    ("xi", "Ξξ"),
    ("omicron", "Οο"),
    ("pi", "Ππ"),
    ("rho", "Ρρ"),
    ("sigma", "Σσ"),
    ("sigma1", "Σς"),
    ("tau", "Ττ"),
    ("upsilon", "Υυ"),
    ("phi", "Φφ"),
    ("chi", "Χχ"),
    ("psi", "Ψψ"),
    ("omega", "Ωω"),
];

/// The upper half of the encoding of old Macintoshes.
const MAC: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/// The standard encoding from 0xa1 on; a blank where it has nothing.
const STANDARD: &str = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß";

/// An encoding that a font names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Standard,
    Windows,
    Mac,
}

impl Encoding {
    /// What a code says in it.
    pub(super) fn letter(self, code: u8) -> Option<String> {
        let letter = match (self, code) {
            (Self::Standard, 0x27) => Some('’'),
            (Self::Standard, 0x60) => Some('‘'),
            (_, 0x20..=0x7e) => Some(char::from(code)),
            (Self::Windows, 0x80..) => Some(super::web::windows(code)).filter(|letter| !letter.is_control()),
            (Self::Mac, 0x80..) => MAC.chars().nth(usize::from(code) - 0x80),
            (Self::Standard, 0xa1..) => STANDARD.chars().nth(usize::from(code) - 0xa1).filter(|letter| *letter != ' '),
            _ => None,
        }?;
        Some(match letter {
            'ﬁ' => "fi".to_owned(),
            'ﬂ' => "fl".to_owned(),
            letter => letter.to_string(),
        })
    }
}

/// What the name of a glyph says; `None` where that is not known.
pub(super) fn named(name: &str) -> Option<String> {
    // `a.sc` is an `a` that looks otherwise.
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    if name.is_empty() {
        return None;
    }
    if name.contains('_') && name.len() > 1 {
        return name.split('_').map(one).collect();
    }
    one(name)
}

fn one(name: &str) -> Option<String> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter.to_string());
    }
    if let Some((_, said)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some((*said).to_owned());
    }
    if let Some(hex) = name.strip_prefix("uni").filter(|hex| hex.len() >= 4 && hex.len() % 4 == 0) {
        let units: Option<Vec<u16>> = hex
            .as_bytes()
            .chunks(4)
            .map(|unit| u16::from_str_radix(std::str::from_utf8(unit).ok()?, 16).ok())
            .collect();
        return String::from_utf16(&units?).ok();
    }
    if let Some(hex) = name.strip_prefix('u').filter(|hex| (4..=6).contains(&hex.len())) {
        let letter = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        return letter.map(|letter| letter.to_string());
    }
    accented(name).or_else(|| greek(name)).or_else(|| cyrillic(name)).map(|letter| letter.to_string())
}

fn accented(name: &str) -> Option<char> {
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let accent = name.get(1..)?;
    let (_, letters, with) = ACCENTS.iter().find(|(known, ..)| *known == accent)?;
    with.chars().nth(letters.chars().position(|known| known == letter)?)
}

fn greek(name: &str) -> Option<char> {
    let lower = name.to_ascii_lowercase();
    let (_, pair) = GREEK.iter().find(|(known, _)| *known == lower)?;
    pair.chars().nth(usize::from(!name.starts_with(char::is_uppercase)))
}

/// `afii10017` is the first letter of the Russian alphabet.
fn cyrillic(name: &str) -> Option<char> {
    let number: u32 = name.strip_prefix("afii")?.parse().ok()?;
    let (first, yo, at) = match number {
        10_017..=10_049 => (0x410, 'Ё', number - 10_017),
        10_065..=10_097 => (0x430, 'ё', number - 10_065),
        _ => return None,
    };
    match at {
        6 => Some(yo),
        at => char::from_u32(first + at - u32::from(at > 6)),
    }
}
