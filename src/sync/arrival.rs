//! What came from the remote into a file, or went from it, while a person may have had it open. Pure.

use std::collections::BTreeSet;

use super::counts::{Counts, brought, has_most};
use super::sides::{Keys, Text};
use super::words::{is_space, words_in};
use crate::mebdf;

/// What came from the remote into a file, or went from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The file before.
    pub before: String,
    /// The file after it, and after nothing else.
    pub after: String,
    /// What both sides agreed on while the file said what it said before.
    pub base: String,
}

impl Arrival {
    /// Of a text that the file said while both sides agreed on `base`, and with which nothing came: who wrote it has read no more than
    /// that, whatever comes later.
    #[must_use]
    pub fn of_none(text: &str, base: &str) -> Self {
        Self { before: text.to_owned(), after: text.to_owned(), base: base.to_owned() }
    }

    /// What comes into a file by a deposit; `None` when that is no word.
    pub(super) fn of(before: &str, after: &str, base: &str) -> Option<Self> {
        let mut keys = Keys::default();
        let (was, is) = (Text::read(before, &mut keys), Text::read(after, &mut keys));
        let came = !brought(&was.words(), &is.words()).is_empty();
        came.then(|| Self { before: before.to_owned(), after: after.to_owned(), base: base.to_owned() })
    }

    /// What comes into a file by a deposit, goes from it, or stands elsewhere or otherwise after it; `None` when all blocks say
    /// what they said, in their order.
    pub(super) fn noted(before: &str, after: &str, base: &str) -> Option<Self> {
        let is_noted = !says_the_same(before, after);
        is_noted.then(|| Self { before: before.to_owned(), after: after.to_owned(), base: base.to_owned() })
    }

    /// Tells whether somebody wrote on in the file with what came in it, before it said `next` and nothing else came. What was
    /// agreed on already, though the file did not say it, was not written since; nor what came back of what the file said when
    /// `older` ones came.
    pub(super) fn was_read_before(&self, older: &[Self], next: &str) -> bool {
        let mut keys = Keys::default();
        let texts = [&*self.before, &*self.after, &*self.base, next].map(|text| Text::read(text, &mut keys));
        let [was, is, agreed, later] = texts.each_ref().map(Text::words);
        let written = later.into_iter().filter(|(word, count)| {
            let [was, is, agreed] = [&was, &is, &agreed].map(|words| words.get(word).copied().unwrap_or_default());
            // What came, and what waited in the file.
            *count > agreed + is.saturating_sub(was) + was.saturating_sub(agreed)
        });
        let mut written = written.peekable();
        if written.peek().is_none() || self.is_missing_in(next) {
            return false;
        }
        let earlier = said_with(older);
        written.any(|(word, count)| earlier.get(word).is_none_or(|said| *said < count))
    }

    /// Tells whether a text has most of what somebody wrote into the file, which then said `next`, having read what came.
    pub(super) fn was_read_by_who_wrote(&self, older: &[Self], next: &str, text: &str) -> bool {
        if !self.was_read_before(older, next) {
            return false;
        }
        let mut keys = Keys::default();
        let texts = [&*self.after, &*self.base, next, text];
        let [is, agreed, later, local] = texts.map(|text| Text::read(text, &mut keys));
        let (is, agreed, later, local) = (is.words(), agreed.words(), later.words(), local.words());
        let earlier = said_with(older);
        // Words of which there were none tell most.
        let is_new = |word: &&&str| [&is, &agreed, &earlier].iter().all(|said| !said.contains_key(**word));
        let written: Vec<&&str> = later.keys().filter(is_new).collect();
        let there = written.iter().filter(|word| local.contains_key(**word)).count();
        if written.is_empty() { has_most(&is, &local, &later) } else { there * 2 > written.len() }
    }

    /// The lines of a text that came and that the file did not say before, nor may have.
    pub(super) fn lines_unlike(&self, older: &[Self], text: &str) -> BTreeSet<&str> {
        let mut new = new_lines_in(&self.before, &self.after, text);
        for said in self.said_earlier(older) {
            if new.is_empty() {
                break;
            }
            for line in mebdf::body(said).lines() {
                new.remove(line);
            }
        }
        new
    }

    /// What the file said before each of the `older` ones, and texts that came in the place of this one, of which nobody knows whether
    /// they ever stood there: who has only what those say, too, has not read this one.
    pub(super) fn said_earlier<'a>(&'a self, older: &'a [Self]) -> impl Iterator<Item = &'a str> {
        let in_its_stead = older.iter().filter(|older| older.before == self.before && older.after != self.after);
        older.iter().map(|older| &*older.before).chain(in_its_stead.map(|older| &*older.after))
    }

    /// Tells whether a text has all lines that came: the quick answer for nearly every save.
    pub(super) fn is_all_in(&self, text: &str) -> bool {
        has_all_new_lines(&self.before, &self.after, text)
    }

    /// Tells whether a text has no line of what came, nor most of its words.
    pub(super) fn is_missing_in(&self, text: &str) -> bool {
        let mut keys = Keys::default();
        let [before, local, after] = [&*self.before, text, &*self.after].map(|text| Text::read(text, &mut keys));
        let is_there = !new_lines_in(&self.before, &self.after, text).is_empty();
        !is_there && !has_most(&before.words(), &local.words(), &after.words())
    }

    /// Tells whether a text has all that came and that a later text still has.
    pub(super) fn is_left_in(&self, later: &str, text: &str) -> bool {
        let mut keys = Keys::default();
        let texts = [&*self.before, text, &*self.after, later];
        let [before, local, after, later] = texts.map(|text| Text::read(text, &mut keys));
        let (was, is, left) = (before.words(), local.words(), later.words());
        let (has, stays) = (brought(&was, &is), brought(&was, &left));
        brought(&was, &after.words()).iter().all(|word| has.contains(word) || !stays.contains(word))
    }
}

/// How often a file said each word, at most, when these came into it.
pub(super) fn said_with(arrivals: &[Arrival]) -> Counts<'_> {
    let texts: BTreeSet<&str> = arrivals.iter().flat_map(|arrival| [&*arrival.before, &*arrival.after]).collect();
    let mut most = Counts::new();
    for text in texts {
        let mut counts = Counts::new();
        words_in(mebdf::body(text)).for_each(|word| *counts.entry(word).or_default() += 1);
        for (word, count) in counts {
            let known = most.entry(word).or_default();
            *known = count.max(*known);
        }
    }
    most
}

/// Tells whether all blocks of two texts say the same, in the same order.
pub(super) fn says_the_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let mut keys = Keys::default();
    let (one, other) = (Text::read(one, &mut keys), Text::read(other, &mut keys));
    let said = |text: &Text<'_>| {
        let words = |at: usize| {
            let said = text.plain(at);
            said.split(is_space).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        (0..text.len()).map(words).filter(|block| !block.is_empty()).collect::<Vec<_>>()
    };
    said(&one) == said(&other)
}

/// Tells whether a text has most of the words that came when `after` took the place of `before`, and a line as it came: who had
/// read that may have deleted some.
pub(super) fn has_most_of(before: &str, after: &str, text: &str) -> bool {
    let mut keys = Keys::default();
    let [was, local, came] = [before, text, after].map(|text| Text::read(text, &mut keys));
    !new_lines_in(before, after, text).is_empty() && has_most(&was.words(), &local.words(), &came.words())
}

/// Tells whether all lines that are new in `after` stand in the text.
pub(super) fn has_all_new_lines(before: &str, after: &str, text: &str) -> bool {
    let new = new_lines(before, after);
    let said: BTreeSet<&str> = mebdf::body(text).lines().collect();
    !new.is_empty() && new.is_subset(&said)
}

/// The lines that are new in `after` and stand in the text.
fn new_lines_in<'t>(before: &str, after: &'t str, text: &str) -> BTreeSet<&'t str> {
    let said: BTreeSet<&str> = mebdf::body(text).lines().collect();
    new_lines(before, after).into_iter().filter(|line| said.contains(line)).collect()
}

/// The lines with words that are in `after` alone.
fn new_lines<'t>(before: &str, after: &'t str) -> BTreeSet<&'t str> {
    let old: BTreeSet<&str> = mebdf::body(before).lines().collect();
    let is_new = |line: &&str| !old.contains(line) && words_in(line).next().is_some();
    mebdf::body(after).lines().filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# Head\n\nFirst words.\n\nSecond words.\n\n- item one\n- item two\n\nLast words.\n";

    #[test]
    fn a_deletion_or_another_look_is_no_arrival() {
        let of = |after: &str| Arrival::of(BEFORE, after, BEFORE).is_some();
        assert!(of(&BEFORE.replace("First", "Theirs first")));
        assert!(!of(&BEFORE.replace("First words.\n\n", "")));
        assert!(!of(&BEFORE.replace("First", "**First**")));
        assert!(!of(&BEFORE.replace("# Head", "# {^ h.1}Head")));
        let noted = |after: &str| Arrival::noted(BEFORE, after, BEFORE).is_some();
        assert!(noted(&BEFORE.replace("First words.\n\n", "")));
        assert!(!noted(&BEFORE.replace("First", "**First**")));
    }
}
