//! Random edits of a file, as people and programs make them.

use super::dice::Dice;

const FRAGMENTS: [&str; 41] = [
    "word",
    "Zwei Worte",
    "👍🏽",
    "日本",
    "ไทย",
    "**bold**",
    "*it*",
    "~~gone~~",
    "`code`",
    "[link](https://example.com)",
    "{!color:#ff0000}red{/!}",
    "{!underline}u{/!}",
    "{!size:14pt}big{/!}",
    "{!mono}m{/!}",
    "[^1]",
    "[^new]",
    "{^}",
    "{^ h.x}",
    "{^ kix.range0}",
    "{^= pagebreak}",
    "{^= person \"Bo <bo@x.com>\"}",
    "{^= date \"2026-11-21\"}",
    "{^= toc}",
    "{^= kix.img1 image \"x\"}",
    "\\",
    "<br>",
    "|",
    "# ",
    "- ",
    "1. ",
    "> ",
    "```",
    "{!",
    "{/!}",
    "---",
    "\u{b}",
    "\u{e907}",
    "\u{0}",
    "  ",
    "\t",
    "https://x.org",
];

const BLOCKS: [&str; 24] = [
    "A new paragraph.",
    "## New heading",
    "# {^}Anchored",
    "- item",
    "- item\n  - nested\n    - deeper",
    "1. one\n2. two",
    "- [ ] open\n- [x] done",
    "| a | b |\n| --- | --- |\n| c | d |",
    "| one |\n| --- |",
    "```\ncode\nmore\n```",
    "---",
    "\\",
    "{!align:center}",
    "{!Title}",
    "{!Normal text}",
    "{!locked}",
    "{!mono}",
    "{!size:9pt, color:#00ff00}",
    "[^note]: A note.",
    "> quoted",
    "{^= pagebreak}",
    "{^= sectionbreak}",
    "line\\\nbreak",
    "<div>\nraw\n</div>",
];

/// Returns the text with one to three edits.
pub(crate) fn edit(text: &str, dice: &mut Dice<'_>) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + dice.roll(3) {
        text = once(&text, dice);
    }
    text
}

fn once(text: &str, dice: &mut Dice<'_>) -> String {
    let body = text
        .get(4..)
        .and_then(|rest| rest.find("\n---\n"))
        .filter(|_| text.starts_with("---\n"))
        .map_or(0, |at| at + 9);
    match dice.roll(12) {
        0..=3 => words(text, body, dice),
        4..=9 => lines(text, body, dice),
        10 => splice(text, body, dice),
        _ => {
            // The head, too.
            let at = boundary(text, dice.roll(body.max(1)));
            format!("{}{}{}", &text[..at], dice.pick(&FRAGMENTS), &text[at..])
        }
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Replaces, inserts, deletes, or marks one word.
fn words(text: &str, body: usize, dice: &mut Dice<'_>) -> String {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text[body..].char_indices().chain([(text.len() - body, ' ')]) {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(begin)) => {
                words.push(body + begin..body + at);
                start = None;
            }
            _ => {}
        }
    }
    if words.is_empty() {
        return format!("{text}\n{}\n", dice.pick(&FRAGMENTS));
    }
    let word = words[dice.roll(words.len())].clone();
    let old = &text[word.clone()];
    let fragment = dice.pick(&FRAGMENTS);
    let new = match dice.roll(8) {
        0 => String::new(),
        1 => format!("**{old}**"),
        2 => format!("{{!highlight:#ffff00}}{old}{{/!}}"),
        3 => format!("{old} {fragment}"),
        4 => format!("{fragment}{old}"),
        5 => format!("{old}\n\n"),
        6 => old.to_uppercase(),
        _ => fragment.to_owned(),
    };
    format!("{}{new}{}", &text[..word.start], &text[word.end..])
}

/// Moves, drops, doubles, joins, marks, or inserts lines.
fn lines(text: &str, body: usize, dice: &mut Dice<'_>) -> String {
    let (head, rest) = text.split_at(body);
    let mut lines: Vec<String> = rest.lines().map(ToOwned::to_owned).collect();
    if lines.is_empty() {
        lines.push(String::new());
    }
    let at = dice.roll(lines.len());
    match dice.roll(11) {
        0 => drop(lines.remove(at)),
        1 => {
            let line = lines.remove(at);
            let to = dice.roll(lines.len() + 1);
            lines.insert(to, line);
        }
        2 => lines.insert(at, lines[at].clone()),
        3 if at + 1 < lines.len() => {
            let next = lines.remove(at + 1);
            lines[at] = format!("{} {next}", lines[at]);
        }
        4 => lines[at] = format!("## {}", lines[at].trim_start_matches(['#', ' ', '-'])),
        5 => lines[at] = format!("- {}", lines[at].trim_start_matches(['#', ' ', '-'])),
        6 => lines[at] = lines[at].trim_start_matches(['#', ' ', '-', '1', '.']).to_owned(),
        7 => lines[at] = format!("  {}", lines[at]),
        8 if lines[at].starts_with('|') => lines[at] = format!("{} new |", lines[at]),
        9 if lines[at].starts_with('|') => {
            let row = lines[at].clone();
            lines.insert(at + 1, row);
        }
        _ => {
            let block = dice.pick(&BLOCKS);
            for line in format!("\n{block}\n").lines().rev() {
                lines.insert(at, line.to_owned());
            }
        }
    }
    let mut text = format!("{head}{}", lines.join("\n"));
    text.push('\n');
    text
}

/// Cuts a stretch and pastes it somewhere, or types something in its place.
fn splice(text: &str, body: usize, dice: &mut Dice<'_>) -> String {
    let start = boundary(text, body + dice.roll(text.len() - body));
    let end = boundary(text, (start + dice.roll(60)).min(text.len()));
    let cut = &text[start..end];
    let rest = format!("{}{}", &text[..start], &text[end..]);
    if dice.once_in(2) {
        let to = boundary(&rest, (body + dice.roll(rest.len() + 1 - body.min(rest.len()))).min(rest.len()));
        return format!("{}{cut}{}", &rest[..to], &rest[to..]);
    }
    format!("{}{}{}", &text[..start], dice.pick(&FRAGMENTS), &text[end..])
}
