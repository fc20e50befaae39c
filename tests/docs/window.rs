//! An edit planned on its sections alone is the edit planned on the whole document.

use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::kinds::{Fetched, Reading};

const URL: &str = "https://docs.google.com/document/d/x/edit";

/// What stands in the way of a cut, at places where a person may type it.
const INSERTED: [&str; 18] = [
    "X",
    "\n\nA new paragraph.\n\n",
    "\n\n## A new heading\n\n",
    "\n```\n",
    "\n<!--\n",
    "\n- item\n",
    "\n1. item\n",
    "\n---\n",
    " [^1] ",
    " [a](#b) ",
    "\n[a]: https://example.com\n",
    "\n{!align:center}\n",
    "\n\n{!list:upper-alpha}\n- item\n\n",
    " [a](#^h.p3) ",
    " [a](#page-3-of-the-report) ",
    "\n\n[^3]: again\n\n",
    "\n\n\\\n\n",
    "{!color:#ff0000}red{/!}",
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Deletes a stretch of up to `longest` bytes somewhere and types something there.
fn torn(text: &str, longest: usize, dice: &mut Dice) -> String {
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    let start = boundary(dice.roll(text.len()));
    let end = boundary((start + dice.roll(longest)).min(text.len()));
    let new = if dice.roll(4) == 0 { "" } else { INSERTED[dice.roll(INSERTED.len())] };
    format!("{}{new}{}", &text[..start], &text[end..])
}

/// Plans on the sections and on the whole; returns whether there was anything to compare.
fn check(name: &str, remote: &Fetched, edited: &str, part: usize) {
    let id = &remote.parts[part].id;
    let whole = Fetched { reading: Reading::default(), ..remote.clone() };
    let (some, all) = (docs::plan(remote, id, edited, false), docs::plan(&whole, id, edited, false));
    let (Ok(some), Ok(all)) = (&some, &all) else {
        assert_eq!(some.is_ok(), all.is_ok(), "{name}: {some:?} {all:?}");
        return;
    };
    assert_eq!(some.requests, all.requests, "{name}: {edited}");
    assert_eq!(some.refused, all.refused, "{name}: {edited}");
    assert_eq!(some.holds, all.holds, "{name}: {edited}");
    assert_eq!(some.expected, all.expected, "{name}: {edited}");
}

/// Tears a text at one place, or at both its ends.
fn torn_somewhere(text: &str, dice: &mut Dice) -> String {
    let longest = if dice.roll(3) == 0 { 400 } else { 8 };
    if dice.roll(3) > 0 {
        return torn(text, longest, dice);
    }
    let middle = (text.len() / 2..).find(|at| text.is_char_boundary(*at)).unwrap();
    let (one, other) = text.split_at(middle);
    format!("{}{}", torn(one, longest, dice), torn(other, 8, dice))
}

fn check_document(name: &str, raw: Vec<u8>, rounds: usize, dice: &mut Dice) {
    let remote = docs::read(raw, Access::Edit, URL).unwrap();
    for part in 0..remote.parts.len() {
        for _ in 0..rounds {
            let edited = torn_somewhere(&remote.parts[part].text, dice);
            check(name, &remote, &edited, part);
        }
    }
}

fn rounds(default: usize) -> usize {
    std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

#[test]
fn a_recorded_document_is_planned_alike() {
    let Some(documents) = crate::support::raw_documents("a_recorded_document_is_planned_alike") else { return };
    let mut dice = Dice(11);
    for (name, raw) in documents {
        check_document(&name, serde_json::to_vec(&raw).unwrap(), rounds(6), &mut dice);
    }
}

#[test]
fn a_long_document_is_planned_alike() {
    check_document("generated", crate::generated::document(12), rounds(10), &mut Dice(12));
}

#[test]
fn a_long_document_of_another_form_is_planned_alike() {
    let mut dice = Dice(13);
    for (headings, notes) in [(true, true), (false, false), (false, true)] {
        let raw = crate::generated::document_of(12, crate::generated::Form { headings, notes });
        check_document(&format!("headings {headings}, notes {notes}"), raw, rounds(10), &mut dice);
    }
}
