//! The headings of a file, with the lines they stand on.

use serde::{Deserialize, Serialize};

/// One heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// Line in the file, from 1.
    pub line: usize,
    /// The last line of what belongs to it: up to the next heading of the same or a higher level.
    pub end_line: usize,
    /// 1 to 6.
    pub level: usize,
    /// The heading's id; empty when it has none yet.
    pub anchor: String,
    /// Its text, as it stands in the file.
    pub title: String,
}

/// Lists the headings of a mirrored text. Code blocks and the front matter are passed over.
#[must_use]
pub fn outline(text: &str) -> Vec<OutlineEntry> {
    let mut entries: Vec<OutlineEntry> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut in_front_matter = false;
    let mut last_line = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        last_line = number;
        if number == 1 && line == "---" {
            in_front_matter = true;
            continue;
        }
        if in_front_matter {
            in_front_matter = line != "---";
            continue;
        }
        if let Some((mark, length)) = fence {
            let (run, rest) = fence_run(line, mark);
            if run >= length && rest.trim().is_empty() {
                fence = None;
            }
            continue;
        }
        fence = ['`', '~'].into_iter().find_map(|mark| {
            let (run, rest) = fence_run(line, mark);
            (run >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, run))
        });
        if fence.is_none()
            && let Some(entry) = heading(line, number)
        {
            entries.push(entry);
        }
    }
    for index in 0..entries.len() {
        let level = entries[index].level;
        let next = entries.iter().skip(index + 1).find(|entry| entry.level <= level);
        entries[index].end_line = next.map_or(last_line, |entry| entry.line - 1);
    }
    entries
}

/// Counts the fence marks that a line begins with, up to three spaces in, and returns what follows.
fn fence_run(line: &str, mark: char) -> (usize, &str) {
    let unindented = line.trim_start_matches(' ');
    if line.len() - unindented.len() > 3 {
        return (0, "");
    }
    let rest = unindented.trim_start_matches(mark);
    (unindented.len() - rest.len(), rest)
}

fn heading(line: &str, number: usize) -> Option<OutlineEntry> {
    let unindented = line.trim_start_matches(' ');
    let rest = unindented.trim_start_matches('#');
    let level = unindented.len() - rest.len();
    if line.len() - unindented.len() > 3 || !(1..=6).contains(&level) {
        return None;
    }
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = rest.trim();
    let (anchor, title) = match text.strip_prefix("{^").and_then(|form| form.split_once('}')) {
        // `{^=` is an object in the heading, not its anchor.
        Some((form, title)) if !form.starts_with('=') => (form.trim(), title.trim()),
        Some(_) | None => ("", text),
    };
    Some(OutlineEntry { line: number, end_line: number, level, anchor: anchor.into(), title: title.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, usize, usize, &str, &str)]) {
        let found = outline(text);
        let found: Vec<_> =
            found.iter().map(|e| (e.line, e.end_line, e.level, e.anchor.as_str(), e.title.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn headings_have_lines_and_extents() {
        check("", &[]);
        check("text\n", &[]);
        check(
            "---\ntitle: x\n# not\n---\n# {^ h.a}One\ntext\n## {^ h.b} Two\n\ntext\n# Three\n",
            &[(5, 9, 1, "h.a", "One"), (7, 9, 2, "h.b", "Two"), (10, 10, 1, "", "Three")],
        );
    }

    #[test]
    fn what_looks_like_a_heading_is_not_always_one() {
        check("```\n# code\n```\n# yes\n", &[(4, 4, 1, "", "yes")]);
        check("~~~~\n# code\n~~~\n# code\n~~~~\n# yes\n", &[(6, 6, 1, "", "yes")]);
        check("`` ` `` # no\n#no\n\\# no\n    # no\n####### no\n", &[]);
        check("# {^= kix.1 image \"x\"}\n", &[(1, 1, 1, "", "{^= kix.1 image \"x\"}")]);
        check("## {^}new\n", &[(1, 1, 2, "", "new")]);
    }
}
