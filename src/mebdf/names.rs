//! Several names in one value of a head: `INBOX, "Trips, 2026"`.

use serde_json::Value;

/// Writes names in one line, a comma between them; a name that would be taken for others is written like JSON.
#[must_use]
pub fn print_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let written = names.into_iter().map(|name| {
        let plain = !name.contains(',') && !name.starts_with('"') && name.trim() == name && !name.is_empty();
        if plain { name.to_owned() } else { Value::from(name).to_string() }
    });
    written.collect::<Vec<_>>().join(", ")
}

/// Reads names as people write them. Total: what is no JSON is a name up to the next comma.
#[must_use]
pub fn read_names(value: &str) -> Vec<String> {
    let (mut names, mut rest) = (Vec::new(), value);
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ',']);
        if rest.is_empty() {
            return names;
        }
        let mut read = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let written = if rest.starts_with('"') { read.next().and_then(Result::ok) } else { None };
        let (name, length) = match written {
            Some(name) => (name, read.byte_offset()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, names: &[&str]) {
        assert_eq!(read_names(value), names, "{value:?}");
        assert_eq!(read_names(&print_names(names.iter().copied())), names, "{value:?}");
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
        check("to: do, 会議", &["to: do", "会議"]);
    }
}
