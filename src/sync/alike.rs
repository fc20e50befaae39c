//! A paragraph that came and an edit of it, of which a merge makes two. Pure.

use std::collections::BTreeSet;
use std::ops::Range;

use super::arrival::Arrival;
use super::sides::{Keys, Text};

/// Words that one paragraph must share with another, at least, of those that nothing said before, to be an edit of it; where only one
/// such word came, that.
const SHARED_MIN: usize = 2;

/// Two paragraphs of which one is an edit of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    /// The line where the person's stands, from 1.
    pub(super) number: usize,
    /// What it says.
    pub(super) mine: String,
    /// What the one says that came.
    pub(super) came: String,
}

/// Finds a paragraph of a text that has half of the new words of one that came with the arrivals, where `merged` has both. The text
/// was taken for older than these, so that what its writer made of them looks like something of their own.
pub(super) fn find(arrivals: &[Arrival], text: &str, merged: &str) -> Option<Pair> {
    arrivals.iter().find_map(|arrival| {
        let mut keys = Keys::default();
        let [before, local, after, merged] =
            [&*arrival.before, text, &*arrival.after, merged].map(|text| Text::read(text, &mut keys));
        let [old, own, new, both] = [&before, &local, &after, &merged].map(keys_of);
        let known = before.words();
        let words = |text: &Text<'_>, at: usize| -> BTreeSet<String> {
            let words = text.words_of(&one(at)).into_keys().filter(|word| !known.contains_key(*word));
            words.map(str::to_owned).collect()
        };
        let of = |text: &Text<'_>, is_it: &dyn Fn(&u32) -> bool| -> Vec<(usize, BTreeSet<String>)> {
            let blocks = (0..text.len()).filter(|at| text.bare(&one(*at)).iter().all(is_it));
            blocks.map(|at| (at, words(text, at))).collect()
        };
        let came = of(&after, &|key| both.contains(key) && !old.contains(key) && !own.contains(key));
        let mine = of(&local, &|key| both.contains(key) && !old.contains(key) && !new.contains(key));
        let is_edit = |mine: &BTreeSet<String>, came: &BTreeSet<String>| {
            let shared = mine.intersection(came).count();
            shared > 0 && shared >= SHARED_MIN.min(came.len()) && shared * 2 >= came.len()
        };
        let pairs = mine.iter().flat_map(|mine| came.iter().map(move |came| (mine, came)));
        let (mine, came) = pairs.into_iter().find(|((_, mine), (_, came))| is_edit(mine, came))?;
        Some(Pair {
            number: text.get(..local.start(mine.0)).unwrap_or_default().lines().count() + 1,
            mine: local.slice(&one(mine.0)).trim().to_owned(),
            came: after.slice(&one(came.0)).trim().to_owned(),
        })
    })
}

fn keys_of(text: &Text<'_>) -> BTreeSet<u32> {
    text.bare(&(0..text.len())).iter().copied().collect()
}

const fn one(at: usize) -> Range<usize> {
    at..at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_of_what_came_is_known_where_both_would_stand() {
        let (before, came) = ("One here.\n\nTwo here.\n", "Please bring your slides");
        let after = format!("{before}\n{came}\n");
        let arrival = [Arrival { before: before.into(), after: after.clone(), base: before.into() }];
        let found =
            |text: &str, merged: &str| find(&arrival, text, merged).map(|pair| (pair.number, pair.mine, pair.came));
        let mine = after.replace("slides", "drawings");
        let both = format!("{mine}\n{came}\n");
        assert_eq!(found(&mine, &both), Some((5, "Please bring your drawings".into(), came.into())));
        // One word came, and was moved.
        let after = before.replace("One", "One sharp");
        let arrival = [Arrival { before: before.into(), after: after.clone(), base: before.into() }];
        let (mine, both) = (before.replace("Two", "Two sharp"), after.replace("Two", "Two sharp"));
        let pair = find(&arrival, &mine, &both).map(|pair| (pair.mine, pair.came));
        assert_eq!(pair, Some(("Two sharp here.".into(), "One sharp here.".into())));
        // One of them stands alone, or they have only old words in common.
        assert_eq!(found(&mine, &mine), None);
        let other = after.replace(came, "Two slides");
        assert_eq!(found(&other, &format!("{other}\n{came}\n")), None);
    }
}
