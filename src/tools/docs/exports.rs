//! What a client was given to edit, so that an import takes out only what its writer took out. Pure.
//!
//! A client may hold an export for long, and meanwhile others write into the same section: over the socket, in the file, or in the
//! document. So each connection remembers what it gave, and an import is merged with what stands there by then. A client of the newer
//! era has no session, but it has a connection all the same.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::mebdf;
use crate::model::ItemId;
use crate::sync::{self, SectionConflict};

/// The most exports that are remembered of one connection.
const EXPORTS_MAX: usize = 64;
/// The most bytes of them: as much as the longest text that is imported.
const EXPORTS_BYTES_MAX: usize = 4 * 1024 * 1024;

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

/// The exports of one connection, the newest last. Each is kept with all of its tab, so that it merges as files do.
#[derive(Debug, Default)]
pub(in crate::tools) struct Exports(VecDeque<(Place, Arc<str>)>);

impl Exports {
    /// Remembers what a tab said when the client was given this of it; the oldest are forgotten.
    pub(super) fn remember(&mut self, place: Place, text: &str) {
        self.0.retain(|(other, _)| *other != place);
        // The sections of one text share it.
        let known = self.0.iter().rev().find(|(_, known)| &**known == text).map(|(_, known)| known.clone());
        self.0.push_back((place, known.unwrap_or_else(|| text.into())));
        while self.0.len() > EXPORTS_MAX || self.bytes() > EXPORTS_BYTES_MAX {
            self.0.pop_front();
        }
    }

    /// What a tab said when the client was given this of it last, be it alone or within a larger part.
    pub(super) fn last(&self, place: &Place) -> Option<Arc<str>> {
        let covers = |(given, text): &&(Place, Arc<str>)| {
            (&given.document, &given.tab) == (&place.document, &place.tab)
                && match (&given.section, &place.section) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(given), Some(section)) => given == section || is_within(text, section, given),
                }
        };
        self.0.iter().rev().find(covers).map(|(_, text)| text.clone())
    }

    fn bytes(&self) -> usize {
        let mut seen: Vec<&Arc<str>> = Vec::new();
        for (_, text) in &self.0 {
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
        exports.remember(place("d", Some("h.a")), BODY);
        check(&exports, Some("h.a"), Some(BODY));
        check(&exports, Some("h.b"), Some(BODY));
        check(&exports, Some("h.c"), None);
        check(&exports, None, None);
        exports.remember(place("d", None), "new");
        check(&exports, Some("h.a"), Some("new"));
        check(&exports, None, Some("new"));
        exports.remember(place("d", Some("h.a")), "newer");
        check(&exports, Some("h.a"), Some("newer"));
        check(&exports, None, Some("new"));
        assert_eq!(exports.last(&place("other", None)), None);
    }

    #[test]
    fn the_oldest_exports_are_forgotten() {
        let mut exports = Exports::default();
        for at in 0..=EXPORTS_MAX {
            exports.remember(place(&at.to_string(), None), "text");
        }
        assert_eq!((exports.0.len(), exports.bytes()), (EXPORTS_MAX, 4));
        assert_eq!(exports.last(&place("0", None)), None);
        let half = "x".repeat(EXPORTS_BYTES_MAX / 2);
        exports.remember(place("a", None), &half);
        assert_eq!(exports.0.len(), EXPORTS_MAX);
        exports.remember(place("b", None), &format!("{half}y"));
        assert_eq!((exports.last(&place("a", None)), exports.0.len()), (None, 1));
        exports.remember(place("c", None), &half.repeat(3));
        assert!(exports.0.is_empty());
    }
}
