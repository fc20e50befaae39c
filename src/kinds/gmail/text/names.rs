//! Names of attachments that are safe as names of files.

use std::collections::{HashMap, HashSet};

use crate::extract::{Format, text_name};

/// The longest name in bytes: file systems allow 255, and room is left for ` (99)`, `.md` and the like behind it.
const NAME_BYTES_MAX: usize = 180;

/// The longest ending that is kept when a name is cut, in bytes with its dot.
const ENDING_BYTES_MAX: usize = 16;

/// Names that are devices on Windows, with whatever ending.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// The names that were given in one folder. Upper and lower case are one, as on most disks of people.
#[derive(Debug, Clone, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The last number that a name was given with.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// Takes a name for something else.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_lowercase());
    }

    /// Returns a safe name for a part that says to have this one, which nobody else has; one without is named by its type.
    pub fn give(&mut self, said: Option<&str>, media_type: &str) -> String {
        let name = said.and_then(safe).unwrap_or_else(|| unnamed(media_type));
        let (stem, ending) = split(&name);
        let mut given = name.clone();
        // The text of a file stands beside it, under a name that no other file may have.
        let text = |given: &str| Format::of(given, media_type).map(|_| text_name(given).to_lowercase());
        let is_taken = |taken: &HashSet<String>, given: &str| {
            taken.contains(&given.to_lowercase()) || text(given).is_some_and(|text| taken.contains(&text))
        };
        while is_taken(&self.taken, &given) {
            let number = self.numbers.entry(name.to_lowercase()).or_insert(1);
            *number += 1;
            given = format!("{stem} ({number}){ending}");
        }
        self.taken.insert(given.to_lowercase());
        self.taken.extend(text(&given));
        given
    }
}

/// Makes a name safe: the last part of a path, without what would be no name, mislead, or be hidden; `None` when nothing is left.
#[must_use]
pub fn safe(said: &str) -> Option<String> {
    let last =
        said.rsplit(['/', '\\']).find(|part| !part.chars().all(|c| c == '.' || c.is_whitespace() || is_unseen(c)))?;
    let mut name = String::with_capacity(last.len());
    for letter in last.chars().filter(|letter| !is_unseen(*letter)) {
        match letter {
            ':' | '*' | '?' | '"' | '<' | '>' | '|' => name.push('_'),
            letter if letter.is_whitespace() => name.push(' '),
            letter => name.push(letter),
        }
    }
    // Hidden files begin with dots, and Windows drops dots and blanks at the end. `~` begins names of editors' own files.
    let bare = name.trim_start_matches(['.', ' ', '~']).trim_end_matches(['.', ' ']);
    if bare.is_empty() {
        return None;
    }
    let mut name = cut(bare);
    let stem = name.split('.').next().unwrap_or_default().trim().to_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = port.is_some_and(|port| {
        let mut letters = port.chars();
        matches!((letters.next(), letters.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    });
    if RESERVED.contains(&&*stem) || is_port {
        name.insert(0, '_');
    }
    Some(name)
}

/// Tells whether a character is not seen: control characters, and those that turn the direction of text around.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffd}' | '\u{e0000}'..='\u{e007f}')
}

/// Cuts a long name at the border of a character and keeps its ending.
fn cut(name: &str) -> String {
    if name.len() <= NAME_BYTES_MAX {
        return name.to_owned();
    }
    let (stem, ending) = split(name);
    let mut length = NAME_BYTES_MAX - ending.len();
    while !stem.is_char_boundary(length) {
        length -= 1;
    }
    format!("{}{ending}", stem.get(..length).unwrap_or_default().trim_end_matches(['.', ' ']))
}

/// Splits a name before its ending; `.tar.gz` is one.
fn split(name: &str) -> (&str, &str) {
    let dot = name.rfind('.').filter(|dot| *dot > 0 && name.len() - dot <= ENDING_BYTES_MAX);
    let Some(dot) = dot else { return (name, "") };
    let inner = name.get(..dot).and_then(|stem| stem.strip_suffix(".tar")).map(str::len).filter(|at| *at > 0);
    name.split_at(inner.unwrap_or(dot))
}

/// Names a part without a name by its type.
fn unnamed(media_type: &str) -> String {
    let (kind, form) = media_type.split_once('/').unwrap_or((media_type, ""));
    let ending = match form {
        "plain" => "txt",
        "jpeg" => "jpg",
        "svg+xml" => "svg",
        "calendar" => "ics",
        "rfc822" | "global" => "eml",
        "vcard" | "x-vcard" => "vcf",
        "markdown" => "md",
        "msword" => "doc",
        "vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        "octet-stream" | "" => "bin",
        "pgp-signature" => "asc",
        "pkcs7-signature" | "x-pkcs7-signature" => "p7s",
        "pkcs7-mime" | "x-pkcs7-mime" => "p7m",
        form if form.len() <= 5 && form.bytes().all(|byte| byte.is_ascii_alphanumeric()) => form,
        _ => "bin",
    };
    let stem = match kind {
        "image" | "audio" | "video" | "message" => kind,
        "text" if form == "calendar" => "invite",
        _ => "attachment",
    };
    format!("{stem}.{ending}")
}
