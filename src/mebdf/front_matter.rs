//! The YAML head of a mirrored file.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::FrontMatter;
use super::head_lines::{self, Fault};

/// A head, how many bytes of the text it takes, and why it was not understood.
pub(super) struct Head {
    /// What it says.
    pub(super) front_matter: FrontMatter,
    /// Bytes up to and with the newline of its closing line.
    pub(super) length: usize,
    /// What in it cannot be read, by the byte of the text; then it is kept raw: one entry without a key.
    pub(super) fault: Option<Fault>,
    /// Where a second head begins that was taken with it, as it stands in a file whose text was pasted whole.
    pub(super) again: Option<usize>,
}

/// A head as it stands in the text.
pub(super) struct Found<'t> {
    /// What stands between its lines of dashes.
    pub(super) body: &'t str,
    /// Bytes up to and with the newline of its closing line, and that of further heads.
    pub(super) length: usize,
    /// Where the next head begins that was taken with it.
    again: Option<usize>,
}

/// Reads the head of a text that has one.
pub(super) fn parse(text: &str) -> Option<Head> {
    let Found { body, length, again } = find(text)?;
    let entries = entries(body);
    let start = text.find('\n').map_or(0, |newline| newline + 1);
    let fault = entries.is_none().then(|| head_lines::fault(body));
    let fault = fault.map(|fault| Fault { at: fault.at + start, ..fault });
    let entries = entries.unwrap_or_else(|| vec![(String::new(), body.to_owned())]);
    Some(Head { front_matter: FrontMatter { entries }, length, fault, again })
}

/// Finds the head of a text that has one. Another head of a document right behind it is no text of a person's: it came along
/// when a file was pasted whole, and is part of it.
pub(super) fn find(text: &str) -> Option<Found<'_>> {
    let (body, mut length) = find_one(text)?;
    let mut again = None;
    while let Some(rest) = text.get(length..) {
        let start = length + (rest.len() - rest.trim_start_matches(['\n', ' ']).len());
        match text.get(start..).and_then(find_one) {
            Some((body, more)) if is_ours(body) => {
                again = again.or(Some(start));
                length = start + more;
            }
            Some(_) | None => break,
        }
    }
    Some(Found { body, length, again })
}

/// The keys that the heads of documents have.
const KEYS: [&str; 7] = ["title", "id", "tab", "url", "access", "header", "footer"];

/// Tells whether what stands between lines of dashes is the head of a document: it has its id, and nothing else than heads
/// have.
fn is_ours(body: &str) -> bool {
    let entries = entries(body).unwrap_or_default();
    entries.iter().any(|(key, _)| key == "id") && entries.iter().all(|(key, _)| KEYS.contains(&&**key))
}

/// What stands between the lines of dashes that a text begins with, and how many bytes it takes with them.
fn find_one(text: &str) -> Option<(&str, usize)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if first.trim_end() != "---" || !first.ends_with('\n') {
        return None;
    }
    let mut length = first.len();
    for line in lines {
        if line.trim_end() == "---" || line.trim_end() == "..." {
            let body = text.get(first.len()..length)?;
            return Some((body, length + line.len()));
        }
        length += line.len();
    }
    None
}

/// Prints a head with its two lines of dashes.
pub(super) fn print(front_matter: &FrontMatter) -> String {
    if let [(key, raw)] = front_matter.entries.as_slice()
        && key.is_empty()
    {
        let newline = if raw.is_empty() || raw.ends_with('\n') { "" } else { "\n" };
        return format!("---\n{raw}{newline}---\n");
    }
    let pretty = body(front_matter, false);
    // YAML has more ways to misread a plain scalar than a table of rules can hold, so the result is read back.
    let body = if written(&pretty).as_ref() == Some(&front_matter.entries) { pretty } else { body(front_matter, true) };
    format!("---\n{body}---\n")
}

/// Reads the pairs of a body.
fn entries(body: &str) -> Option<Vec<(String, String)>> {
    plain(body).or_else(|| written(body))
}

/// Reads a body whose lines are plain values of keys that heads have, as nearly all are. YAML says the same of it, and takes longer
/// for that than all the text below takes to be read.
fn plain(body: &str) -> Option<Vec<(String, String)>> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in body.lines() {
        let (key, value) = line.split_once(": ")?;
        let is_new = KEYS.contains(&key) && entries.iter().all(|(other, _)| other != key);
        let is_text =
            is_plain(value) && value.starts_with(char::is_alphanumeric) && !value.eq_ignore_ascii_case("null");
        if !is_new || !is_text {
            return None;
        }
        entries.push((key.to_owned(), value.to_owned()));
    }
    (!entries.is_empty()).then_some(entries)
}

/// Reads the pairs of a body as people write them, and as YAML where that is none.
fn written(body: &str) -> Option<Vec<(String, String)>> {
    if body.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Some(Vec::new());
    }
    pairs(&head_lines::as_yaml(body)).or_else(|| pairs(body))
}

/// Reads the pairs of a mapping as YAML has them.
pub(super) fn pairs(yaml: &str) -> Option<Vec<(String, String)>> {
    let Entries(entries) = serde_saphyr::from_str::<Entries>(yaml).ok()?;
    let mut seen = HashSet::new();
    let unique = entries.iter().all(|(key, _)| !key.is_empty() && seen.insert(key));
    unique.then_some(entries)
}

fn body(front_matter: &FrontMatter, quoted: bool) -> String {
    let mut out = String::new();
    for (key, value) in &front_matter.entries {
        let plain_key = !quoted
            && key.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
        if plain_key {
            out.push_str(key);
        } else {
            out.push_str(&double_quoted(key));
        }
        out.push(':');
        if !quoted && is_block(value) {
            out.push_str(if value.ends_with('\n') { " |\n" } else { " |-\n" });
            for line in value.lines() {
                if !line.is_empty() {
                    out.push_str("  ");
                    out.push_str(line);
                }
                out.push('\n');
            }
        } else {
            out.push(' ');
            out.push_str(&if quoted || !is_plain(value) { double_quoted(value) } else { value.clone() });
            out.push('\n');
        }
    }
    out
}

/// Tells whether a block scalar says the value as it is.
fn is_block(value: &str) -> bool {
    value.contains('\n')
        && !value.starts_with([' ', '\n', '\t'])
        && !value.ends_with("\n\n")
        && value.chars().all(|letter| letter == '\n' || is_printable(letter))
        && value.lines().all(|line| line.trim_end() == line && !line.starts_with("---") && !line.starts_with("..."))
}

fn is_plain(value: &str) -> bool {
    !value.is_empty()
        && value.trim() == value
        && value.starts_with(|letter: char| letter.is_alphanumeric() || letter == '/' || letter == '(')
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.ends_with(':')
        && value.chars().all(is_printable)
}

fn is_printable(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// A value as YAML has it in quotes.
pub(super) fn double_quoted(value: &str) -> String {
    let mut out = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other if is_printable(other) => out.push(other),
            other => out.push_str(&format!("\\U{:08X}", u32::from(other))),
        }
    }
    out.push('"');
    out
}

/// The pairs of a mapping in their order, each value as it is written.
struct Entries(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Entries;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a mapping of scalars")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Option<String>>()? {
                    entries.push((key, value.unwrap_or_default()));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// What YAML may take for something else than text.
    const ODD: [&str; 24] = [
        "null",
        "Null",
        "~",
        "true",
        "False",
        "yes",
        "12",
        "1.10",
        "0x1f",
        "0o7",
        "1e3",
        "1_000",
        "007",
        "2026-11-21",
        "12:30:45",
        "nan",
        "a: b",
        "a #b",
        "a:",
        "a, b",
        "x[1]",
        "k{v}",
        "b & c",
        "c * d ! e | f > g % h @ i ` j",
    ];

    fn pairs(entries: &[(&str, &str)]) -> Vec<(String, String)> {
        entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_are_kept_as_they_are_written() {
        let check = |body: &str, wanted: &[(&str, &str)]| {
            let head = parse(&format!("---\n{body}---\ntext")).unwrap();
            assert!(head.fault.is_none(), "{body}");
            assert_eq!(head.front_matter.entries, pairs(wanted), "{body}");
            assert_eq!(head.length, body.len() + 8);
        };
        check("title: Meeting notes    # why\nid: 1AbC  # never\n", &[("title", "Meeting notes"), ("id", "1AbC")]);
        check("title: Sprint #3\nid: x\n", &[("title", "Sprint #3"), ("id", "x")]);
        check("title: #3 of 4\ntitles: C# # d\n", &[("title", "#3 of 4"), ("titles", "C# # d")]);
        check("tab: t.x \"Two # 2\"\nheader: null\n", &[("tab", "t.x \"Two # 2\""), ("header", "null")]);
        check("title: [draft] @at\nfooter: - x:\n", &[("title", "[draft] @at"), ("footer", "- x:")]);
        check("title: a\n  b # c\nid: x\n", &[("title", "a b"), ("id", "x")]);
        check("tab: t.0 \"Agenda\"\n", &[("tab", "t.0 \"Agenda\"")]);
        check(
            "n: 1.10\nb: true\nh: 0x10\ne: 1e3\nz: 007\nd: 2026-11-21\n",
            &[("n", "1.10"), ("b", "true"), ("h", "0x10"), ("e", "1e3"), ("z", "007"), ("d", "2026-11-21")],
        );
        check("title: 'a: b'\nempty:\n", &[("title", "a: b"), ("empty", "")]);
        // What people write, although YAML wants quotes there.
        check("title: Plan: part 2\nid: x\n", &[("title", "Plan: part 2"), ("id", "x")]);
        check("title: \\a: \"b\"\n", &[("title", "\\a: \"b\"")]);
        check(
            "header: |\n  Acme — confidential\n  two\nx: y\n",
            &[("header", "Acme — confidential\ntwo\n"), ("x", "y")],
        );
        // What would be a scalar of another kind, if it were one.
        for text in [
            "| x", "> y", "|", ">-", "|x", "\"a\" b", "\"open", "'x", "'a'b", "[a", "[a]", "{a", "{a: b}", "&a b",
            "*x", "!x", "!!str x", "%x", "@x", "`x", "? x", "- x", ", x", "] x", "\"", "'", "~", "---x", "\"a\\q\"",
        ] {
            for key in ["title", "tab", "header", "footer"] {
                check(&format!("{key}: {text}\nid: x\n"), &[(key, text), ("id", "x")]);
                check(&format!("id: x\n{key}:  {text}  # why\n"), &[("id", "x"), (key, text)]);
            }
            if matches!(text, "|" | ">-") {
                continue;
            }
            check(
                &format!("title: {text}\n  b  # c\n\n  d\nid: x\n"),
                &[("title", &format!("{text} b\nd")), ("id", "x")],
            );
        }
        check("title: \"a\\u00e9\"  # b\nfooter: \"a\n  b\"\n", &[("title", "aé"), ("footer", "a b")]);
        check("header: >-  # why\n  a\n  b\n\nfooter: |2-\n   c\n", &[("header", "a b"), ("footer", " c")]);
        check("", &[]);
        check("# only a comment\n", &[]);
    }

    proptest! {
        /// What is read at once is what YAML reads.
        #[test]
        fn plain_values_are_what_yaml_says(
            lines in vec((select(&KEYS[..]), prop_oneof![select(&ODD[..]).prop_map(str::to_owned), "[ -~]{1,12}", "\\PC{1,8}"]), 1..5),
            end in select(vec!["\n", "\r\n", " \n", "\n\n", "\n  a\n", "\r"]),
        ) {
            let body: String = lines.iter().map(|(key, value)| format!("{key}: {value}{end}")).collect();
            prop_assert!(plain(&body).is_none_or(|read| Some(read) == written(&body)), "{body:?}");
        }
    }

    #[test]
    fn what_is_no_plain_mapping_is_kept_raw() {
        for body in
            ["- a\n", "a: [1]\n", "a:\n  b: c\n", "just text\n", "a: 1\na: 2\n", "a: \"\n", "{\n", "a: &x 1\nb: [*x]\n"]
        {
            let head = parse(&format!("---\n{body}---\n")).unwrap();
            assert!(head.fault.is_some(), "{body}");
            assert_eq!(print(&head.front_matter), format!("---\n{body}---\n"));
        }
    }

    #[test]
    fn what_cannot_be_read_has_its_line() {
        let check = |body: &str, line: usize, reason: &str| {
            let text = format!("---\n{body}---\n");
            let fault = parse(&text).unwrap().fault.unwrap();
            assert_eq!(text.get(..fault.at).unwrap().lines().count() + 1, line, "{body}: {}", fault.reason);
            assert!(fault.reason.contains(reason), "{body}: {}", fault.reason);
        };
        check("title: a\n- b\n", 3, "no `key: value`");
        check("title: a\n\n# c\nid:b\n", 5, "no `key: value`");
        check("title: a\nid: b\ntitle: c\n", 4, "`title` stands here for the second time");
        check("title: a\nid: [b]\n", 3, "`id` is no plain text");
        check("title: \"a\nid: \"b\n", 3, "`id` is no plain text");
        check("id: x\nheader: |\n    a\n\n  b\n", 6, "first line of `header`");
        check("id: x\nheader: >-  # c\n  a\n b\n", 5, "first line of `header`");
        check("id: x\nheader: |\n  a\nb\n", 5, "text of `header` above");
        check("{\n", 2, "no `key: value`");
    }

    #[test]
    fn any_value_comes_back() {
        for value in [
            "", " ", "a", "true", "null", "~", "12", "- a", "a: b", "a #b", "#", "'", "\"", "a\nb", "a\nb\n", "\n",
            "\na", "a\n\n", " a\nb", "a \nb", "---\nx", "a\tb", "\u{1}", "\u{e907}", "😀", "\u{a0}", "\u{2028}", "%x",
            "@x", "`", "[a", "{a", "|", ">", "a:", "&a", "*a", "!a", "?", "\r", "a\n---\n", "\\", "\u{85}", "\u{feff}",
            "..", "...", "a\n b\n",
        ] {
            let front_matter = FrontMatter { entries: pairs(&[("title", value), ("z", "end")]) };
            let text = print(&front_matter);
            let head = parse(&text).unwrap();
            assert!(head.fault.is_none(), "{text}");
            assert_eq!(head.front_matter, front_matter, "{text}");
            assert_eq!(head.length, text.len());
        }
    }

    #[test]
    fn long_values_come_back() {
        for value in ["x".repeat(1 << 20), "a\n".repeat(1 << 18), "\u{1}".repeat(1 << 16), "\"'".repeat(1 << 16)] {
            let front_matter = FrontMatter { entries: pairs(&[("title", &value), ("header", &value)]) };
            assert!(parse(&print(&front_matter)).is_some_and(|head| head.front_matter == front_matter));
        }
    }

    #[test]
    fn a_text_without_a_closing_line_has_no_head() {
        for text in ["", "---", "---\n", "---\na: b\n", "a\n---\n", " ---\na: b\n---\n"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
