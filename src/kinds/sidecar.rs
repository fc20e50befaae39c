//! Files beside an item's own that are only read: how one of ours is told from one that somebody edited. Pure.
//!
//! A seal in the file's head says what the file said when it was written. Nothing has to be remembered elsewhere, so a
//! crash cannot part the file from what is known of it.

/// What stands before the seal in its line.
const KEY: &str = "check: ";

/// A seal that was not set yet; the head of a file is printed with it.
pub const UNSEALED: &str = "c-0000000000000000";

/// Sets the seal of a text that was printed with [`UNSEALED`] in its head.
#[must_use]
pub fn seal(text: &str) -> String {
    let text = as_read(text);
    text.replacen(UNSEALED, &seal_of(&text), 1)
}

/// Returns a text as it is read once it stands in a file: whoever reads takes `\r\n` for a line end.
#[must_use]
pub fn as_read(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    lines.join("\n")
}

/// Tells whether a text is word for word what was sealed.
#[must_use]
pub fn is_sealed(text: &str) -> bool {
    let Some(line) = text.lines().skip(1).take_while(|line| *line != "---").find(|line| line.starts_with(KEY)) else {
        return false;
    };
    let seal = line.trim_start_matches(KEY);
    seal.len() == UNSEALED.len() && seal != UNSEALED && seal_of(&text.replacen(seal, UNSEALED, 1)) == seal
}

/// Returns the seal of a text that holds [`UNSEALED`] in its place.
fn seal_of(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("c-{}", hash.get(..UNSEALED.len() - 2).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_breaks_with_any_edit() {
        let text = format!("---\ntitle: x\n{KEY}{UNSEALED}\n---\n\n# Words\n");
        let sealed = seal(&text);
        assert_ne!(sealed, text);
        assert!(is_sealed(&sealed) && !is_sealed(&text));
        for ends in ["\r\n", "\r\r\n"] {
            assert_eq!(seal(&text.replace('\n', ends)), sealed);
        }
        for edited in [
            sealed.replace("Words", "words"),
            sealed.replace("title: x", "title: y"),
            format!("{sealed}\n"),
            sealed.replace("check: c-", "check: c-0"),
            sealed.lines().skip(1).collect::<Vec<_>>().join("\n"),
            String::new(),
        ] {
            assert!(!is_sealed(&edited), "{edited}");
        }
    }
}
