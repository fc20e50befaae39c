//! Which blocks of a change are edits of which: so that a paragraph that was edited beside one that came or went is an edit of its
//! own. Pure.

use std::collections::BTreeSet;
use std::ops::Range;

use super::counts::{Counts, is_mostly};
use super::hunks::TELLING_BYTES;
use super::sides::Text;

/// Blocks of one change that are compared, at most; a longer one stays whole.
const BLOCKS_MAX: usize = 50;

/// Cuts a change of `old` blocks into `new` ones into its edits, each of one block, and what came or went between them, in order;
/// `None` where no block is for certain an edit of another, or words went from one block into another.
pub(super) fn parts(
    (base, old): (&Text<'_>, &Range<usize>),
    (text, new): (&Text<'_>, &Range<usize>),
) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    if old.is_empty() || new.is_empty() || old.len().max(new.len()) > BLOCKS_MAX {
        return None;
    }
    if old.clone().any(|at| base.is_heading(at)) || new.clone().any(|at| text.is_heading(at)) {
        return None;
    }
    let (was, is) = (words(base, old), words(text, new));
    let pairs = pairs(&was, &is);
    if pairs.is_empty() || moves(&was, &is, &pairs) {
        return None;
    }
    let mut parts = Vec::new();
    let (mut from, mut to) = (old.start, new.start);
    for (old_at, new_at) in pairs.into_iter().map(|(was, is)| (old.start + was, new.start + is)) {
        if from < old_at || to < new_at {
            parts.push((from..old_at, to..new_at));
        }
        parts.push((old_at..old_at + 1, new_at..new_at + 1));
        (from, to) = (old_at + 1, new_at + 1);
    }
    if from < old.end || to < new.end {
        parts.push((from..old.end, to..new.end));
    }
    Some(parts)
}

/// Tells whether words went from one block into another where each block of a change took the place of the one at its place.
pub(super) fn moves_words((base, old): (&Text<'_>, &Range<usize>), (text, new): (&Text<'_>, &Range<usize>)) -> bool {
    if old.len() < 2 || old.len() > BLOCKS_MAX {
        return false;
    }
    let pairs: Vec<(usize, usize)> = (0..old.len()).map(|at| (at, at)).collect();
    moves(&words(base, old), &words(text, new), &pairs)
}

fn words<'t>(text: &'t Text<'_>, range: &Range<usize>) -> Vec<Counts<'t>> {
    range.clone().map(|at| text.words_of(&(at..at + 1))).collect()
}

/// Pairs each block with the next one that has most of its words, or of which it has most.
fn pairs(was: &[Counts<'_>], is: &[Counts<'_>]) -> Vec<(usize, usize)> {
    let alike = |one: &Counts<'_>, other: &Counts<'_>| {
        !one.is_empty() && !other.is_empty() && (is_mostly(one, other) || is_mostly(other, one))
    };
    let (mut pairs, mut next) = (Vec::new(), 0);
    for (at, old) in was.iter().enumerate() {
        let found = is.iter().enumerate().skip(next).find(|(_, new)| alike(old, new));
        if let Some((place, _)) = found {
            pairs.push((at, place));
            next = place + 1;
        }
    }
    pairs
}

/// Tells whether words went from one block into another: cut there, who edits them elsewhere would have them twice, or not at all.
fn moves(was: &[Counts<'_>], is: &[Counts<'_>], pairs: &[(usize, usize)]) -> bool {
    let minus = |words: &Counts<'_>, other: Option<&Counts<'_>>| -> Vec<String> {
        let tells = |word: &&&str| word.len() >= TELLING_BYTES;
        let left = words.keys().filter(tells).filter(|word| other.is_none_or(|other| !other.contains_key(*word)));
        left.map(|word| (*word).to_owned()).collect()
    };
    let new_of = |at: usize| pairs.iter().find(|(old, _)| *old == at).and_then(|(_, new)| is.get(*new));
    let old_of = |at: usize| pairs.iter().find(|(_, new)| *new == at).and_then(|(old, _)| was.get(*old));
    let gone: BTreeSet<String> = was.iter().enumerate().flat_map(|(at, words)| minus(words, new_of(at))).collect();
    is.iter().enumerate().any(|(at, words)| minus(words, old_of(at)).iter().any(|word| gone.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::sides::Keys;

    /// Checks what a change of all of one text into another is cut into, as counts of blocks that went and came.
    fn check(old: &str, new: &str, expected: Option<&[(usize, usize)]>) {
        let mut keys = Keys::default();
        let (base, text) = (Text::read(old, &mut keys), Text::read(new, &mut keys));
        let found = parts((&base, &(0..base.len())), (&text, &(0..text.len())));
        let sizes = found.map(|parts| parts.into_iter().map(|(old, new)| (old.len(), new.len())).collect::<Vec<_>>());
        assert_eq!(sizes.as_deref(), expected, "{old:?} {new:?}");
    }

    #[test]
    fn an_edit_beside_what_came_or_went_is_one_of_its_own() {
        let old = "Machines hum inside the dark factory hall.\n";
        let edited = "Machines hum inside the dark factory mine hall.\n";
        check(old, &format!("Something else.\n\n{edited}"), Some(&[(0, 1), (1, 1)]));
        check(old, &format!("{edited}\nSomething else.\n"), Some(&[(1, 1), (0, 1)]));
        check(&format!("Apples grow on trees.\n\n{old}"), edited, Some(&[(1, 0), (1, 1)]));
        check(&format!("{old}\nApples grow on trees.\n"), edited, Some(&[(1, 1), (1, 0)]));
        let both = format!("Apples grow on trees.\n\n{old}");
        let new = format!("Apples grow on mine trees.\n\nSomething else.\n\n{edited}");
        check(&both, &new, Some(&[(1, 1), (0, 1), (1, 1)]));
    }

    #[test]
    fn what_was_split_joined_or_is_another_stays_whole() {
        let old = "Machines hum inside the dark factory hall.\n";
        check(old, "Machines hum inside the dark\n\nfactory hall.\n", None);
        check("Machines hum inside the dark\n\nfactory hall.\n", old, None);
        check(old, "Something else.\n\nAnd more.\n", None);
        check(old, "# Machines hum inside the dark factory hall\n\nmore\n", None);
        check("factory hall here\n\ngrow on tall trees\n", "grow on tall trees factory\n", None);
    }
}
