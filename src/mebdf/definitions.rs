//! The definitions of links, `[label]: address`, that no link uses. Markdown shows nothing of them, and so a line as
//! `[Ana]: yes` would be lost, which a person meant as text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::inline::Finding;
use super::mask::options;

/// Bytes of a label and its brackets, as Markdown has it.
const LABEL_MAX: usize = 1001;

/// What is said of a definition of a link. What no link uses is text but right above one that is used, which as text it
/// would make text, too.
pub(super) fn finding(label: &str, at: usize, used: bool) -> Finding {
    if used {
        let message = format!("the definition of `{label}` is written into the links that use it, and not kept apart");
        return Finding { at, code: "LINK_DEFINITION", message };
    }
    let message = format!(
        "no link uses the definition of `{label}`, and right under it stands one that is used, so it is not read: with a \
         blank line under it it is text"
    );
    Finding { at, code: "LINK_UNUSED", message }
}

/// Returns where definitions begin that no link uses, in bytes, those of a label that has one already among them. One right
/// above a definition that is used is not found: as text it would make text of that, too.
pub(super) fn unused(bytes: &[u8]) -> Vec<usize> {
    if !may_define(bytes) {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(bytes);
    let (used, shown) = read(&text);
    let is_used = |at: usize| used.range(..=at).next_back().is_some_and(|(_, end)| at < *end);
    let (mut found, mut shown, mut shown_to, mut fresh) = (Vec::new(), shown.into_iter().peekable(), 0, true);
    for (at, byte) in bytes.iter().enumerate() {
        while let Some(range) = shown.next_if(|range| range.start <= at) {
            shown_to = shown_to.max(range.end);
        }
        fresh |= *byte == b'\n';
        if *byte == b'[' && fresh && at >= shown_to {
            // A footnote may begin with one.
            fresh = bytes.get(at + 1) == Some(&b'^');
            if !fresh && !is_used(at) {
                found.push(at);
            }
        }
    }
    // From the last to the first, since what stays one keeps those above it.
    let line_behind = |at: usize| bytes.iter().skip(at).position(|byte| *byte == b'\n').map(|newline| at + newline + 1);
    let mut stays: BTreeSet<usize> = used.keys().copied().collect();
    for at in found.iter().rev() {
        if line_behind(*at).is_some_and(|line| stays.contains(&line)) {
            stays.insert(*at);
        }
    }
    found.retain(|at| !stays.contains(at));
    found
}

/// Returns the definitions of a text that its links use, as they are written.
#[must_use]
pub fn definitions(text: &str) -> Vec<&str> {
    let body = super::body(text);
    if !may_define(body.as_bytes()) {
        return Vec::new();
    }
    let (used, _) = read(body);
    used.into_iter().filter_map(|(start, end)| body.get(start..end).map(str::trim_end)).collect()
}

/// Where the definitions begin and end that links use, and all that Markdown shows, by where it begins.
fn read(text: &str) -> (BTreeMap<usize, usize>, Vec<Range<usize>>) {
    let (mut used, mut shown) = (BTreeMap::new(), Vec::new());
    let mut events = Parser::new_ext(text, options()).into_offset_iter();
    while let Some((event, range)) = events.next() {
        if let Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) = &event
            && let Some(definition) = events.reference_definitions().get(id)
        {
            used.insert(definition.span.start, definition.span.end);
        }
        let holds =
            matches!(event, Event::Start(Tag::List(_) | Tag::Item | Tag::FootnoteDefinition(_) | Tag::BlockQuote(_)));
        if !holds && !matches!(event, Event::End(_)) {
            shown.push(range);
        }
    }
    // The box of a task comes behind the paragraph that it stands before.
    shown.sort_unstable_by_key(|range| range.start);
    (used, shown)
}

/// Tells whether something looks like the label of a definition, and not of a footnote.
fn may_define(bytes: &[u8]) -> bool {
    let ends = bytes.windows(2).enumerate().filter(|(_, pair)| *pair == b"]:").map(|(at, _)| at);
    ends.into_iter().any(|end| {
        let before = bytes.get(end.saturating_sub(LABEL_MAX)..end).unwrap_or_default();
        let Some(begin) = before.iter().rposition(|byte| *byte == b'[') else { return false };
        let escaped = |at: usize| at.checked_sub(1).and_then(|at| before.get(at)) == Some(&b'\\');
        before.get(begin + 1) != Some(&b'^') && !escaped(begin) && !escaped(before.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_link_uses_is_found() {
        let check = |text: &str, found: &[usize]| assert_eq!(unused(text.as_bytes()), found, "{text}");
        check("[Ana]: yes\n", &[0]);
        check("see [Ana]\n\n[Ana]: yes\n[Bo]: no\n", &[22]);
        check("see [Ana]\n\n[Bo]: no\n[Ana]: yes\n", &[]);
        check("- [ ] see [Ana]\n- [x] done\n\n[Ana]: yes\n\n- [Bo]: no\n", &[42]);
        check("- [x] \\\n\n  `[x]: y`\n", &[]);
        check("- [Ana]: yes\n", &[2]);
        check("see [Ana]\n\n[ana]: yes\n", &[]);
        check("see [Ana]\n\n[Ana]: yes\n[Ana]: no\n", &[22]);
        check("text\n[Ana]: yes\n", &[]);
        check("[^1]: note\n\n\\[Ana\\]: yes\n\n```\n[Ana]: yes\n```\n", &[]);
        assert_eq!(
            definitions("---\na: b\n---\nsee [Ana] [bo]\n\n[Ana]: yes \"t\"\n\nx\n\n[Cy]: n\n\n[Bo]: no\n"),
            ["[Ana]: yes \"t\"", "[Bo]: no"]
        );
        check(&"[Ana]: yes\n".repeat(9), &(0..9).map(|at| at * 11).collect::<Vec<_>>());
    }
}
