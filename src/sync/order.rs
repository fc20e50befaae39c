//! Whether a merge has the order that each side gave to what stands in all of the texts. Pure.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

/// Pairs that are compared, at most; beyond that, whatever was moved counts as contradicted.
const PAIRS_MAX: usize = 20_000_000;

/// Where a thing stands in the base, on the two sides, and in the merge.
type Places = [usize; 4];

const BASE: usize = 0;
const MINE: usize = 1;
const THEIRS: usize = 2;
const MERGED: usize = 3;

/// Returns what a side moved and the merge has as it was before, each with what it was moved past: the other side has moved one of
/// the two elsewhere. Only what stands once in each of the four is looked at.
pub(super) fn contradicted<K: Eq + Hash + Ord + Clone>(
    base: &[K],
    mine: &[K],
    theirs: &[K],
    merged: &[K],
) -> BTreeSet<K> {
    let others = [mine, theirs, merged].map(once);
    let places = |(key, at): (&K, usize)| -> Option<Places> {
        let [mine, theirs, merged] =
            [0, 1, 2].map(|text| others.get(text).and_then(|places| places.get(key).copied()?));
        Some([at, mine?, theirs?, merged?])
    };
    let mut all: Vec<Places> = once(base).into_iter().filter_map(|(key, at)| places((key, at?))).collect();
    all.sort_unstable();
    let moved = [MINE, THEIRS].map(|side| moved(&all, side));
    if moved.iter().any(BTreeSet::is_empty) {
        // What only one side has moved stands where that side has it.
        return BTreeSet::new();
    }
    let count: usize = moved.iter().map(BTreeSet::len).sum();
    let mut found: BTreeSet<usize> = BTreeSet::new();
    if count.saturating_mul(all.len()) > PAIRS_MAX {
        found.extend(moved.iter().flatten());
    } else {
        for (side, moved) in [MINE, THEIRS].into_iter().zip(&moved) {
            for (at, one) in moved.iter().filter_map(|at| Some((*at, all.get(*at)?))) {
                let is_other = |(_, other): &(usize, &Places)| {
                    let before = |text: usize| one.get(text) < other.get(text);
                    before(side) != before(BASE) && before(MERGED) == before(BASE)
                };
                let others: Vec<usize> = all
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .filter(is_other)
                    .map(|(at, _)| at)
                    .collect();
                if !others.is_empty() {
                    found.insert(at);
                    found.extend(others);
                }
            }
        }
    }
    found.into_iter().filter_map(|at| base.get(*all.get(at)?.get(BASE)?).cloned()).collect()
}

/// Where each thing stands; of what stands more than once, nothing.
fn once<K: Eq + Hash>(text: &[K]) -> HashMap<&K, Option<usize>> {
    let mut places = HashMap::new();
    for (at, key) in text.iter().enumerate() {
        places.entry(key).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// The fewest things that must have been moved for a side to have the order that it has: all but its longest run, with gaps, that
/// stands as in the base. `all` are in the order of the base.
fn moved(all: &[Places], side: usize) -> BTreeSet<usize> {
    let place = |at: usize| all.get(at).and_then(|places| places.get(side)).copied().unwrap_or_default();
    // The ends of the runs of each length that end first, and what stands before each thing in its run.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::with_capacity(all.len()));
    for at in 0..all.len() {
        let length = ends.partition_point(|end| place(*end) < place(at));
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut moved: BTreeSet<usize> = (0..all.len()).collect();
    let mut last = ends.last().copied();
    while let Some(at) = last {
        moved.remove(&at);
        last = before.get(at).copied().flatten();
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mine: &str, theirs: &str, merged: &str, expected: &str) {
        let [base, mine, theirs, merged] =
            ["abcdef", mine, theirs, merged].map(|text| text.chars().collect::<Vec<_>>());
        let found: String = contradicted(&base, &mine, &theirs, &merged).into_iter().collect();
        assert_eq!(found, expected, "{mine:?} {theirs:?} {merged:?}");
    }

    #[test]
    fn what_a_side_moved_stands_as_that_side_has_it() {
        // Both moved other things.
        check("bacdef", "abcdfe", "bacdfe", "");
        // One side moved nothing.
        check("abcdef", "fabcde", "fabcde", "");
        // Both moved the same thing: behind its neighbour, and to the top.
        check("abdcef", "cabdef", "cabdef", "cd");
        // To the bottom is behind its neighbour, too.
        check("abdcef", "abdefc", "abdefc", "");
        // Both have done the same.
        check("abdcef", "abdcef", "abdcef", "");
        // What came, went, or stands twice says nothing.
        check("axbdcef", "cabdeff", "caxbdeff", "cd");
        check("abdef", "cabdef", "cabdef", "");
        check("abdccef", "cabdef", "cabdef", "");
    }
}
