//! The lines of a head as people write them, where YAML would read other things than text, and what in them cannot be read.

use std::collections::HashSet;

use super::front_matter::{double_quoted, pairs};
use super::names::LABELS;

/// The keys whose values are texts, whatever they look like.
const TEXTS: [&str; 5] = ["title", "tab", "header", "footer", LABELS];

/// What in a head cannot be read.
#[derive(Debug)]
pub(super) struct Fault {
    /// Where its line begins, in bytes.
    pub(super) at: usize,
    /// Why, as a sentence without its end.
    pub(super) reason: String,
}

/// A body with the values quoted that hold what YAML takes for more than text: people write `title: Plan: part 2`,
/// `title: Sprint #3` and `title: "Plan" of May`.
pub(super) fn as_yaml(body: &str) -> String {
    entries(body).into_iter().map(|(_, entry)| entry_as_yaml(entry)).collect()
}

/// Finds the line of a body that cannot be read, and why.
pub(super) fn fault(body: &str) -> Fault {
    let (mut seen, mut before) = (HashSet::new(), "");
    for (at, entry) in entries(body) {
        let first = entry.lines().next().unwrap_or_default();
        if first.trim().is_empty() || first.starts_with('#') {
            continue;
        }
        let Some((key, value)) = key_and_value(first) else {
            let reason = match key_and_value(before) {
                Some((key, value)) if is_block(value) => {
                    format!("this line stands further left than the text of `{key}` above it, which ends there")
                }
                Some(_) | None => "this line is no `key: value`".to_owned(),
            };
            return Fault { at, reason };
        };
        if !seen.insert(key) {
            return Fault { at, reason: format!("`{key}` stands here for the second time") };
        }
        if pairs(&entry_as_yaml(entry)).is_none() {
            if is_block(value)
                && let Some(behind) = less_indented(entry)
            {
                let reason = format!("this line stands further left than the first line of `{key}`: indent both alike");
                return Fault { at: at + behind, reason };
            }
            if !is_block(value)
                && pairs(&entry_as_yaml(first)).is_some()
                && let Some(behind) = second_line(entry)
            {
                let reason = format!("this line is indented, so it goes on with the value of `{key}`, which cannot be");
                return Fault { at: at + behind, reason };
            }
            let reason = format!("the value of `{key}` is no plain text: put it in quotes");
            return Fault { at, reason };
        }
        before = first;
    }
    Fault { at: 0, reason: "it is no list of `key: value` lines".to_owned() }
}

/// The entries of a body, each with the indented and the blank lines behind its own, and where they begin, in bytes.
fn entries(body: &str) -> Vec<(usize, &str)> {
    let (mut starts, mut at) = (vec![0], 0);
    for line in body.split_inclusive('\n') {
        if at > 0 && !is_indented(line) && !line.trim().is_empty() {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    starts.iter().zip(ends).map(|(start, end)| (*start, body.get(*start..end).unwrap_or_default())).collect()
}

/// Where the first line behind an entry's own begins that is not blank, in bytes.
fn second_line(entry: &str) -> Option<usize> {
    let mut at = 0;
    entry.split_inclusive('\n').find_map(|line| {
        let begin = at;
        at += line.len();
        (begin > 0 && !line.trim().is_empty()).then_some(begin)
    })
}

fn entry_as_yaml(entry: &str) -> String {
    quoted(entry).unwrap_or_else(|| entry.to_owned())
}

/// An entry with its value quoted, where that is a text which YAML would read otherwise.
fn quoted(entry: &str) -> Option<String> {
    let line = entry.lines().next()?;
    let goes_on = entry.lines().skip(1).any(|line| !line.trim().is_empty());
    if line.starts_with('#') && !goes_on {
        // Comments may hold what YAML cannot.
        return Some("\n".to_owned());
    }
    let (key, first) = key_and_value(line)?;
    let value = without_comment(first).trim();
    let plain = key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    if !plain {
        return None;
    }
    if value.is_empty() {
        return (!goes_on).then(|| format!("{key}:\n"));
    }
    if !TEXTS.contains(&key) {
        let holds_more = value.contains(": ") || value.contains(" #") || value.starts_with('#') || value.ends_with(':');
        let is_text = holds_more && !goes_on && !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!']);
        return is_text.then(|| format!("{key}: {}\n", double_quoted(value)));
    }
    let is_yaml = if value.starts_with(['"', '\'']) {
        pairs(entry).is_some()
    } else if is_block(first) {
        goes_on
    } else {
        let says_more = ['|', '>', '[', ']', '{', '}', ',', '&', '*', '!', '%', '@', '`', '#', '?', '-', ':'];
        goes_on && !value.starts_with(says_more) && pairs(entry).is_some()
    };
    (!is_yaml).then(|| format!("{key}: {}\n", double_quoted(&folded(first, entry))))
}

/// The text of an entry whose lines are one paragraph, but where blank ones stand between them.
fn folded(first: &str, entry: &str) -> String {
    let mut text = without_comment(first).trim().to_owned();
    let mut blank = 0;
    for line in entry.lines().skip(1).map(|line| without_comment(line).trim()) {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        text.push_str(&if blank == 0 { " ".to_owned() } else { "\n".repeat(blank) });
        text.push_str(line);
        blank = 0;
    }
    text
}

/// The key of an entry and what stands behind its colon.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let parted = value.is_empty() || value.starts_with([' ', '\t']);
    (parted && !key.is_empty() && !is_indented(key)).then_some((key, value))
}

/// Tells whether a value stands in the lines below: `|`, `>-`, `|2  # why`.
fn is_block(value: &str) -> bool {
    let value = without_comment(value).trim();
    value.strip_prefix(['|', '>']).is_some_and(|how| {
        how.len() <= 2 && how.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '+' | '-'))
    })
}

/// The first line of a block that stands further left than the one that it begins with, in bytes.
fn less_indented(entry: &str) -> Option<usize> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let (mut at, mut least) = (0, None);
    for (number, line) in entry.split_inclusive('\n').enumerate() {
        if number > 0 && !line.trim().is_empty() && indent(line) < *least.get_or_insert(indent(line)) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// A value without the comment behind it, which two blanks part from it: one alone stands in titles, too.
fn without_comment(rest: &str) -> &str {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let bytes = rest.as_bytes();
    let comment = rest.match_indices('#').map(|(at, _)| at).find(|at| {
        let before = |count: usize| at.checked_sub(count).and_then(|at| bytes.get(at));
        is_blank(before(1)) && is_blank(before(2))
    });
    comment.and_then(|at| rest.get(..at)).unwrap_or(rest)
}
