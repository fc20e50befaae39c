//! The definitions of links, `[label]: address`, that no link uses. Markdown shows nothing of them, and so a line as
//! `[Ana]: yes` would be lost, which a person meant as text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::inline::Finding;
use super::mask::{mask, options};

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
    (used, shown)
}

/// Writes the links that a definition gives their address, and title, with these in place, as `[text](address "title")`, and
/// leaves those definitions out. Takes the text of a file without its head; `None` when there is nothing to write out.
pub(super) fn written_out(source: &str) -> Option<String> {
    if !may_define(source.as_bytes()) {
        return None;
    }
    let masked = mask(source);
    let mut events = Parser::new_ext(&masked.text, options()).into_offset_iter();
    let mut edits: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    let mut pictures = BTreeSet::new();
    while let Some((event, range)) = events.next() {
        let Event::Start(Tag::Link { id, link_type, .. } | Tag::Image { id, link_type, .. }) = &event else {
            continue;
        };
        let Some(definition) = events.reference_definitions().get(id).map(|definition| definition.span.clone()) else {
            continue;
        };
        if matches!(event, Event::Start(Tag::Image { .. })) {
            pictures.insert(definition.start);
            continue;
        }
        let written = source.get(range.clone())?;
        let text = match link_type {
            LinkType::Reference => written.get(..written.rfind('[')?)?,
            _ => written,
        };
        // What follows the label says the address and the title as a link does.
        let target =
            source.get(definition.clone())?.split_once("]:")?.1.split_whitespace().collect::<Vec<_>>().join(" ");
        // The brackets of `[text][]` are not in its range.
        let collapsed = *link_type == LinkType::Collapsed && source.get(range.end..)?.starts_with("[]");
        let end = range.end + if collapsed { "[]".len() } else { 0 };
        edits.insert(range.start, (end, format!("{text}({target})")));
        let newline = source.get(definition.end..).is_some_and(|rest| rest.starts_with('\n'));
        edits.insert(definition.start, (definition.end + usize::from(newline), String::new()));
    }
    edits.retain(|at, _| !pictures.contains(at));
    let mut written = String::with_capacity(source.len());
    let mut at = 0;
    for (start, (end, text)) in &edits {
        written += source.get(at..*start)?;
        written += text;
        at = *end;
    }
    written += source.get(at..)?;
    (!edits.is_empty()).then_some(written)
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
        check("- [Ana]: yes\n", &[2]);
        check("see [Ana]\n\n[ana]: yes\n", &[]);
        check("see [Ana]\n\n[Ana]: yes\n[Ana]: no\n", &[22]);
        check("text\n[Ana]: yes\n", &[]);
        check("[^1]: note\n\n\\[Ana\\]: yes\n\n```\n[Ana]: yes\n```\n", &[]);
        check(&"[Ana]: yes\n".repeat(9), &(0..9).map(|at| at * 11).collect::<Vec<_>>());
    }

    #[test]
    fn links_are_written_with_their_addresses() {
        let check = |text: &str, written: Option<&str>| assert_eq!(written_out(text).as_deref(), written, "{text}");
        check("see [a](https://e.com)\n", None);
        check("see [a]\n\n[a]: https://e.com\n", Some("see [a](https://e.com)\n\n"));
        check(
            "[a] [b c][A] [A][]\n\n[a]: e,f 'T'\n\nend\n",
            Some("[a](e,f 'T') [b c](e,f 'T') [A](e,f 'T')\n\n\nend\n"),
        );
        check(
            "{!bold}[a]{/!} {^ kix.1}ü [*b*][a]\n\n[a]: e\n  \"T\n  t\"",
            Some("{!bold}[a](e \"T t\"){/!} {^ kix.1}ü [*b*](e \"T t\")\n\n"),
        );
        // What no link uses stays, and so does what a picture's text uses.
        check("[a]\n\n[a]: e\n[b]: f\n", Some("[a](e)\n\n[b]: f\n"));
        check("[a] ![a]\n\n[a]: e\n", Some("[a](e) ![a]\n\n[a]: e\n"));
        check("[a]: yes\n", None);
        check("[^1]: note\n", None);
    }
}
