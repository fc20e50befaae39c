//! Several names in one value of a head: `INBOX, "Trips, 2026"`.

use serde_json::Value;

/// The entry of a head that holds the names of labels.
pub const LABELS: &str = "labels";

/// Writes names in one line, a comma between them; a name that would be taken for others is written like JSON.
#[must_use]
pub fn print_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let written = names.into_iter().map(|name| {
        let plain =
            !name.contains(',') && !name.starts_with(['"', '\'', '[']) && name.trim() == name && !name.is_empty();
        if plain { name.to_owned() } else { Value::from(name).to_string() }
    });
    written.collect::<Vec<_>>().join(", ")
}

/// Writes the first names of many, and how many more there are.
#[must_use]
pub fn print_some_names(names: &[&str], max: usize) -> String {
    let some = print_names(names.iter().take(max).copied());
    match names.len().saturating_sub(max) {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

/// Reads names as people write them, in brackets and quotes as YAML has them, too. Total: what is not quoted whole is a name up to the
/// next comma.
#[must_use]
pub fn read_names(value: &str) -> Vec<String> {
    let bare = value.trim().strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let (mut names, mut rest) = (Vec::new(), bare.filter(|bare| !bare.contains(['[', ']'])).unwrap_or(value));
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ',']);
        if rest.is_empty() {
            return names;
        }
        let mut read = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let written = if rest.starts_with('"') { read.next().and_then(Result::ok) } else { None };
        let (name, length) = match written.map(|name| (name, read.byte_offset())).or_else(|| single_quoted(rest)) {
            Some(read) => read,
            None => {
                let length = rest.find([',', '\n']).unwrap_or(rest.len());
                (rest.get(..length).unwrap_or(rest).trim_end().to_owned(), length)
            }
        };
        if !name.trim().is_empty() {
            names.push(name);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// A name in single quotes, in which two of them are one, and how many bytes it takes.
fn single_quoted(text: &str) -> Option<(String, usize)> {
    let within = text.strip_prefix('\'')?;
    let mut at = 0;
    loop {
        at += within.get(at..)?.find('\'')?;
        if !within.get(at + 1..)?.starts_with('\'') {
            let behind = within.get(at + 1..)?.trim_start_matches([' ', '\t']);
            return (behind.is_empty() || behind.starts_with([',', '\n']))
                .then(|| (within.get(..at).unwrap_or_default().replace("''", "'"), at + 2));
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, names: &[&str]) {
        assert_eq!(read_names(value), names, "{value:?}");
        assert_eq!(read_names(&print_names(names.iter().copied())), names, "{value:?}");
    }

    #[test]
    fn of_many_names_some_are_written() {
        for (max, expected) in
            [(0, " and 3 more"), (2, "a, \"b, c\" and 1 more"), (3, "a, \"b, c\", d"), (9, "a, \"b, c\", d")]
        {
            assert_eq!(print_some_names(&["a", "b, c", "d"], max), expected);
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        check("", &[]);
        check("INBOX", &["INBOX"]);
        check("INBOX, STARRED", &["INBOX", "STARRED"]);
        check(" INBOX ,,STARRED, ", &["INBOX", "STARRED"]);
        check(r#""Trips, 2026", Work/Łódź"#, &["Trips, 2026", "Work/Łódź"]);
        check(r#""\"a\"", b"#, &["\"a\"", "b"]);
        check(r#""open, b"#, &["\"open", "b"]);
        check(r#""a" b, c"#, &["a", "b", "c"]);
        check("a\nb", &["a", "b"]);
        check("[INBOX, \"a, b\"]", &["INBOX", "a, b"]);
        check("[]", &[]);
        check("[Imap]/Sent, [b]", &["[Imap]/Sent", "[b]"]);
        check("'a, b' , 'it''s', c", &["a, b", "it's", "c"]);
        check("'tis, 'a' b", &["'tis", "'a' b"]);
        check("to: do, 会議", &["to: do", "会議"]);
    }
}
