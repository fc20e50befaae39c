//! What a client was given to edit, so that an import takes out only what its writer took out. Pure.
//!
//! A client may hold an export for long, and meanwhile others write into the same section: over the socket, in the file, or in the
//! document. So each connection remembers what it gave, and an import is merged with what stands there by then. A client of the newer
//! era has no session, but it has a connection all the same.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::mebdf;
use crate::model::ItemId;
use crate::sync::{self, SectionConflict};

/// The most exports that are remembered of one connection.
const EXPORTS_MAX: usize = 64;
/// The most bytes of them: as much as the longest text that is imported.
const EXPORTS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// From this length on a client may have cut what it was given before its model saw it: about 10,000 tokens.
const LONG_BYTES: usize = 30_000;
/// So much of a long text is not left out in one piece by an edit of it.
const LACKS_BYTES: usize = 4_000;
/// Nor so much at its end, where most clients cut.
const LACKS_AT_END_BYTES: usize = 1_000;

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools) struct Place {
    /// The document.
    pub(super) document: ItemId,
    /// The tab.
    pub(super) tab: String,
    /// The anchor of the section; `None` for all of the tab.
    pub(super) section: Option<String>,
}

/// The exports of one connection, the newest last.
#[derive(Debug, Default)]
pub(in crate::tools) struct Exports(VecDeque<Export>);

#[derive(Debug)]
struct Export {
    place: Place,
    /// What all of its tab said, so that it merges as files do.
    text: Arc<str>,
    /// How many bytes of the place the client has, where it was given the beginning alone.
    given: Option<usize>,
}

impl Exports {
    /// Remembers what a tab said when the client was given this of it, all or so many bytes; the oldest are forgotten.
    pub(super) fn remember(&mut self, place: Place, text: &str, given: Option<usize>) {
        self.0.retain(|other| other.place != place);
        // The sections of one text share it.
        let known = self.0.iter().rev().find(|other| &*other.text == text).map(|other| other.text.clone());
        self.0.push_back(Export { place, text: known.unwrap_or_else(|| text.into()), given });
        while self.0.len() > EXPORTS_MAX || self.bytes() > EXPORTS_BYTES_MAX {
            self.0.pop_front();
        }
    }

    /// What a tab said when the client was given this of it last, be it alone or within a larger part.
    pub(super) fn last(&self, place: &Place) -> Option<Arc<str>> {
        self.newest(place).map(|export| export.text.clone())
    }

    /// What of a place the client was not given, where its content lacks that: nobody took it out. A client that has the whole
    /// from elsewhere says most of it.
    pub(super) fn rest(&self, place: &Place, content: &str) -> Option<String> {
        let export = self.newest(place).filter(|export| export.place == *place)?;
        let part = part(&export.text, place.section.as_deref())?;
        let (given, rest) = part.split_at_checked(export.given?)?;
        let mut said = Lines::of(content);
        for line in lines(given) {
            said.take(line);
        }
        let all: usize = lines(rest).map(str::len).sum();
        let there: usize = lines(rest).filter(|line| said.take(line)).map(str::len).sum();
        (there * 2 < all).then(|| rest.to_owned())
    }

    fn newest(&self, place: &Place) -> Option<&Export> {
        let covers = |export: &&Export| {
            let given = &export.place;
            (&given.document, &given.tab) == (&place.document, &place.tab)
                && match (&given.section, &place.section) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(given), Some(section)) => given == section || is_within(&export.text, section, given),
                }
        };
        self.0.iter().rev().find(covers)
    }

    fn bytes(&self) -> usize {
        let mut seen: Vec<&Arc<str>> = Vec::new();
        for Export { text, .. } in &self.0 {
            if !seen.iter().any(|other| Arc::ptr_eq(other, text)) {
                seen.push(text);
            }
        }
        seen.iter().map(|text| text.len()).sum()
    }
}

/// Tells whether one section of a text stands within another.
fn is_within(text: &str, section: &str, around: &str) -> bool {
    let tree = mebdf::parse(text).tree;
    let (inner, outer) = (mebdf::excerpt(text, &tree, section), mebdf::excerpt(text, &tree, around));
    inner.zip(outer).is_some_and(|(inner, outer)| {
        !inner.blocks.is_empty() && outer.blocks.start <= inner.blocks.start && inner.blocks.end <= outer.blocks.end
    })
}

/// The lines of a text that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty())
}

/// How often each line stands in a text.
struct Lines<'a>(HashMap<&'a str, usize>);

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut counts = HashMap::new();
        lines(text).for_each(|line| *counts.entry(line).or_default() += 1);
        Self(counts)
    }

    /// Takes a line out once; tells whether it was there.
    fn take(&mut self, line: &str) -> bool {
        match self.0.get_mut(line).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                true
            }
            None => false,
        }
    }
}

/// A piece of a text that an import lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools) struct Lacking {
    /// How long it is.
    pub(super) bytes: usize,
    /// The line that it begins with.
    pub(super) from: String,
}

/// Finds the piece of a place that a content lacks as one that was cut on its way does: clients shorten what is long, at its end or in
/// the middle, and whoever then imports it means no deletion. What has something else in its place is edited, not cut.
pub(super) fn lacking(text: &str, section: Option<&str>, content: &str) -> Option<Lacking> {
    let was = part(text, section).filter(|was| was.len() >= LONG_BYTES)?;
    let mut said = Lines::of(content);
    let (mut here, mut longest) =
        (Lacking { bytes: 0, from: String::new() }, Lacking { bytes: 0, from: String::new() });
    for line in lines(&was) {
        if said.take(line) {
            here.bytes = 0;
            continue;
        }
        if here.bytes == 0 {
            line.clone_into(&mut here.from);
        }
        here.bytes += line.len() + 1;
        if here.bytes > longest.bytes {
            longest.clone_from(&here);
        }
    }
    let is_cut = |piece: &Lacking, from: usize| piece.bytes >= from && content.len() + piece.bytes / 4 * 3 <= was.len();
    match (is_cut(&here, LACKS_AT_END_BYTES), is_cut(&longest, LACKS_BYTES)) {
        (true, _) => Some(here),
        (false, true) => Some(longest),
        (false, false) => None,
    }
}

/// Where a text is cut to take at most so many bytes as JSON: behind a paragraph if one ends there, else behind a line.
pub(super) fn cut(text: &str, bytes_max: usize) -> usize {
    let (mut used, mut at, mut line_end, mut paragraph_end) = (0, 0, 0, 0);
    for line in text.split_inclusive('\n') {
        used += serde_json::Value::from(line).to_string().len();
        if used > bytes_max {
            break;
        }
        if line.trim().is_empty() {
            paragraph_end = line_end;
        } else {
            line_end = at + line.trim_end_matches('\n').len();
        }
        at += line.len();
    }
    // A letter takes six bytes at most.
    let letter_end =
        || text.char_indices().map(|(at, _)| at).take_while(|at| *at <= bytes_max / 6).last().unwrap_or_default();
    [paragraph_end, line_end].into_iter().find(|end| *end > 0).unwrap_or_else(letter_end)
}

/// How much of a place the client has of a text that says its content and then the `rest`, which it was not given.
pub(super) fn given(text: &str, section: Option<&str>, rest: &str) -> Option<usize> {
    let part = part(text, section)?;
    let given = part.trim_end_matches('\n').strip_suffix(rest.trim_end_matches('\n'))?;
    Some(given.len())
}

/// A tab's text with what is imported.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Woven {
    /// What the file shall say.
    pub(super) text: String,
    /// What the tab would say if nobody else had written: what the client knows from then on. `None` where it was given nothing.
    pub(super) known: Option<String>,
    /// Whether others changed what the client was given.
    pub(super) others: bool,
}

/// Puts a content into a tab that says `now` and said `base` when the client was given this part of it: all of it, or the section of
/// an anchor.
///
/// # Errors
///
/// The places that both changed.
pub(super) fn woven(
    base: Option<&str>,
    now: &str,
    section: Option<&str>,
    content: &str,
) -> Result<Woven, Vec<SectionConflict>> {
    let Some(put) = put(now, section, content) else { return Ok(Woven { text: now.to_owned(), ..Woven::default() }) };
    let Some(base) = base else { return Ok(Woven { text: put, ..Woven::default() }) };
    // A section that is put back without the id of its heading is still found by it.
    let content = &anchored(content, section);
    let (before, after) = (part(base, section), part(now, section));
    if before == after {
        return Ok(Woven { text: put, known: self::put(now, section, content), others: false });
    }
    // What the head says is the file's, unless the client gives another.
    let old = if section.is_some() { with_head_of(now, base) } else { base.to_owned() };
    let Some(mine) = self::put(&old, section, content) else {
        return Ok(Woven { text: put, ..Woven::default() });
    };
    if !sync::is_edited(&old, &mine) {
        return Ok(Woven { text: now.to_owned(), known: Some(mine), others: true });
    }
    let merged = sync::merge3(&old, &mine, now);
    match merged.conflicts.is_empty() {
        true => Ok(Woven { text: merged.file, known: Some(mine), others: true }),
        false => Err(merged.conflicts),
    }
}

/// A tab's text with a content in the place of a section, or of all; `None` where that section is not there.
fn put(text: &str, section: Option<&str>, content: &str) -> Option<String> {
    let Some(anchor) = section else {
        // Whoever gives a head means it: another title renames the document.
        let head = if mebdf::head(content).is_some() { "" } else { head_of(text) };
        return Some(format!("{head}{}\n", content.trim_matches('\n')));
    };
    let tree = mebdf::parse(text).tree;
    let found = mebdf::excerpt(text, &tree, anchor)?;
    Some(mebdf::replaced(text, &tree, &found, content))
}

/// What a client is given of a tab.
fn part(text: &str, section: Option<&str>) -> Option<String> {
    match section {
        None => Some(mebdf::body(text).to_owned()),
        Some(anchor) => mebdf::excerpt(text, &mebdf::parse(text).tree, anchor).map(|found| found.text),
    }
}

/// A section's text whose heading has the id that the section is known by.
fn anchored(content: &str, section: Option<&str>) -> String {
    let Some(anchor) = section.filter(|anchor| !anchor.is_empty() && !anchor.starts_with("s.")) else {
        return content.to_owned();
    };
    let said = content.trim_start_matches('\n');
    let title = said.trim_start_matches('#');
    match title.strip_prefix(' ') {
        Some(title) if said.starts_with('#') && !title.trim_start().starts_with("{^ ") => {
            let marks = said.strip_suffix(title).unwrap_or_default();
            format!("{marks}{{^ {anchor}}}{title}")
        }
        _ => content.to_owned(),
    }
}

/// What stands before the body of a text.
fn head_of(text: &str) -> &str {
    text.strip_suffix(mebdf::body(text)).unwrap_or_default()
}

fn with_head_of(from: &str, text: &str) -> String {
    format!("{}{}", head_of(from), mebdf::body(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "---\ntitle: t\n---\n\n";
    const BODY: &str = "Before.\n\n# {^ h.a}One\n\nAlpha beta.\n\n1. Gamma\n2. Delta\n\n## {^ h.b}Two\n\nIn two.\n\n# {^ h.c}Three\n\nLast.\n";

    fn place(document: &str, section: Option<&str>) -> Place {
        Place { document: ItemId(document.into()), tab: "t.0".into(), section: section.map(str::to_owned) }
    }

    /// A replacement of words.
    type Edit = (&'static str, &'static str);

    fn edited(text: &str, edits: &[Edit]) -> String {
        edits.iter().fold(text.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{old:?} in {text:?}");
            text.replace(old, new)
        })
    }

    /// Imports a part with `mine` into a text with `theirs`; both edits stand then, or the import is refused.
    fn check(section: Option<&str>, mine: &[Edit], theirs: &[Edit], both: Option<&[Edit]>) {
        let base = format!("{HEAD}{BODY}");
        let now = edited(&base, theirs);
        let content = edited(&part(&base, section).unwrap(), mine);
        let made = woven(Some(&base), &now, section, &content).map(|woven| woven.text).ok();
        assert_eq!(made, both.map(|both| edited(&base, both)), "{section:?} {mine:?} {theirs:?}");
    }

    #[test]
    fn an_import_takes_out_what_its_writer_took_out_alone() {
        let (mine, theirs) = (("Alpha", "Alpha mine"), ("Last.", "Last theirs."));
        check(Some("h.a"), &[mine], &[theirs], Some(&[mine, theirs]));
        for section in [Some("h.a"), None] {
            let theirs = ("2. Delta\n", "2. Delta\n3. More\n");
            check(section, &[mine], &[theirs], Some(&[mine, theirs]));
            check(section, &[], &[theirs], Some(&[theirs]));
            check(section, &[mine], &[mine], Some(&[mine]));
            check(section, &[("\n\nIn two.", "")], &[theirs], Some(&[("\n\nIn two.", ""), theirs]));
            // Other words of one paragraph, words that touch, and the same.
            check(section, &[mine], &[("beta.", "beta too.")], Some(&[mine, ("beta.", "beta too.")]));
            check(section, &[mine], &[("beta", "better")], None);
            check(section, &[("beta", "best")], &[("beta", "better")], None);
            check(section, &[("beta", "best")], &[("\n\nAlpha beta.", "")], None);
            // A number that somebody has set is no edit, but stands.
            check(section, &[], &[("1. Gamma", "5. Gamma")], Some(&[("1. Gamma", "5. Gamma")]));
        }
        // The head that the file has by now stands.
        let head = ("title: t", "title: other");
        check(Some("h.b"), &[("In", "Into")], &[head, ("two.", "2.")], Some(&[head, ("In two.", "Into 2.")]));
        check(
            Some("h.b"),
            &[("In", "Into")],
            &[head, ("two.", "two. More.")],
            Some(&[head, ("In two.", "Into two. More.")]),
        );
    }

    #[test]
    fn an_import_without_an_export_says_what_it_says() {
        let now = format!("{HEAD}{BODY}");
        let made = woven(None, &now, Some("h.b"), "## Two\n\nOther.\n").unwrap();
        assert_eq!(made, Woven { text: now.replace("{^ h.b}", "").replace("In two.", "Other."), ..Woven::default() });
    }

    #[test]
    fn a_section_without_the_id_of_its_heading_is_found_again() {
        let base = format!("{HEAD}{BODY}");
        let first = woven(Some(&base), &base, Some("h.b"), "## Two\n\nMine.\n").unwrap();
        let now = base.replace("In two.", "Mine.\n\nTheirs.");
        let second = woven(first.known.as_deref(), &now, Some("h.b"), "## Two\n\nMine again.\n").unwrap();
        assert_eq!(second.text, now.replace("Mine.", "Mine again."));
        assert!(second.others && !first.others);
    }

    #[test]
    fn the_newest_export_that_has_a_section_counts() {
        let mut exports = Exports::default();
        let check = |exports: &Exports, section: Option<&str>, expected: Option<&str>| {
            assert_eq!(exports.last(&place("d", section)).as_deref(), expected, "{section:?}");
        };
        exports.remember(place("d", Some("h.a")), BODY, None);
        check(&exports, Some("h.a"), Some(BODY));
        check(&exports, Some("h.b"), Some(BODY));
        check(&exports, Some("h.c"), None);
        check(&exports, None, None);
        exports.remember(place("d", None), "new", None);
        check(&exports, Some("h.a"), Some("new"));
        check(&exports, None, Some("new"));
        exports.remember(place("d", Some("h.a")), "newer", None);
        check(&exports, Some("h.a"), Some("newer"));
        check(&exports, None, Some("new"));
        assert_eq!(exports.last(&place("other", None)), None);
    }

    #[test]
    fn the_oldest_exports_are_forgotten() {
        let mut exports = Exports::default();
        for at in 0..=EXPORTS_MAX {
            exports.remember(place(&at.to_string(), None), "text", None);
        }
        assert_eq!((exports.0.len(), exports.bytes()), (EXPORTS_MAX, 4));
        assert_eq!(exports.last(&place("0", None)), None);
        let half = "x".repeat(EXPORTS_BYTES_MAX / 2);
        exports.remember(place("a", None), &half, None);
        assert_eq!(exports.0.len(), EXPORTS_MAX);
        exports.remember(place("b", None), &format!("{half}y"), None);
        assert_eq!((exports.last(&place("a", None)), exports.0.len()), (None, 1));
        exports.remember(place("c", None), &half.repeat(3), None);
        assert!(exports.0.is_empty());
    }

    fn long(paragraphs: std::ops::Range<usize>) -> String {
        let paragraph =
            |at: usize| format!("Paragraph {at} has words of its own, as long as paragraphs are that say a thing.\n");
        paragraphs.map(paragraph).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_text_that_was_cut_on_its_way_is_no_deletion() {
        let check = |content: &str, expected: Option<&str>| {
            let found = lacking(&format!("{HEAD}{}", long(0..1000)), None, content);
            assert_eq!(
                found.map(|piece| piece.from.split(' ').take(2).collect::<Vec<_>>().join(" ")).as_deref(),
                expected
            );
        };
        check(&long(0..1000), None);
        check(&long(0..900), Some("Paragraph 900"));
        check(&format!("{}Paragraph 90", long(0..900)), Some("Paragraph 900"));
        check(&format!("{}\n[... 70000 characters more]\n", long(0..900)), Some("Paragraph 900"));
        check(&format!("{}\n[...]\n\n{}", long(0..200), long(800..1000)), Some("Paragraph 200"));
        // What a person takes out, puts in, or says in other words.
        check(&format!("{}\n{}", long(0..200), long(220..1000)), None);
        check(&long(0..995), None);
        check(&format!("{}\n{}", long(0..900), long(900..1000).replace("words", "a few words")), None);
        check(&long(0..1000).to_uppercase(), None);
        assert_eq!(lacking(&long(0..100), None, &long(0..50)), None, "a short text comes whole");
    }

    #[test]
    fn what_a_client_was_not_given_stays() {
        let whole = format!("{HEAD}{}", long(0..100));
        let at = cut(&long(0..100), 2000);
        let given = format!("{}\n", long(0..100).get(..at).unwrap());
        assert!(given.ends_with("a thing.\n") && given.len() > 1700, "{given}");
        let mut exports = Exports::default();
        exports.remember(place("d", None), &whole, Some(at));
        let edited = given.replace("Paragraph 3 ", "Paragraph three ");
        let rest = exports.rest(&place("d", None), &edited).unwrap();
        let made = woven(Some(&whole), &whole, None, &format!("{}{rest}", edited.trim_end_matches('\n'))).unwrap();
        assert_eq!(made.text, whole.replace("Paragraph 3 ", "Paragraph three "));
        // The next import of the same client goes on from there.
        let has = super::given(&made.text, None, &rest).unwrap();
        assert_eq!(made.text.strip_prefix(HEAD).unwrap().get(..has), Some(edited.trim_end_matches('\n')));
        // Whoever has the whole from its file says it, and all of it counts.
        assert_eq!(exports.rest(&place("d", None), &long(0..100).replace("Paragraph 99 ", "P ")), None);
        exports.remember(place("d", None), &whole, None);
        assert_eq!(exports.rest(&place("d", None), &given), None);
    }

    #[test]
    fn a_text_is_cut_where_something_ends() {
        let check =
            |text: &str, bytes_max: usize, expected: usize| assert_eq!(cut(text, bytes_max), expected, "{text:?}");
        check("one\n\ntwo\nthree\n", 100, 3);
        check("one\n\ntwo\nthree\n", 12, 3);
        check("one\ntwo\nthree\n", 14, 7);
        check(&"ä".repeat(100), 60, 10);
    }
}
