//! The alignment of two rows of blocks. Pure.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// How much an old block wants to stay where the file has it elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stay {
    /// It moves as well as any.
    #[default]
    Free,
    /// Of rows with as much in them, the one with more of these: it was not edited.
    Kept,
    /// It stays rather than what is free: a heading has its id.
    Rather,
    /// A move would lose something.
    Fixed,
}

/// One step of the way through both rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// An old block that became, or is, a new one.
    Pair(usize, usize),
    /// An old block that is no more.
    Delete(usize),
    /// A new block.
    Insert(usize),
}

/// Beyond this many comparisons inside one changed stretch, blocks are paired in order instead of by likeness.
pub(super) const COMPARISONS_MAX: usize = 2_500;

/// Beyond this many places in the table of both rows, blocks that want to stay are not sought out.
const CELLS_MAX: usize = 1_000_000;

/// Aligns two rows by their keys, and inside a changed stretch by `likeness`: `None` when two blocks cannot become one
/// another, else more for what is more alike. Deletions come before insertions at one place, and where both remain
/// they are paired in order if they can be. What is fixed among the old stays rather than anything else; a row of `stay`
/// that is too short says that nothing is. Of blocks that are the same, those are paired that look `alike` where others are
/// as good.
pub(super) fn align(
    old: &[String],
    new: &[String],
    stay: &[Stay],
    likeness: impl Fn(usize, usize) -> Option<f32>,
    alike: impl Fn(usize, usize) -> bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (old_same, new_same) in by_looks(same(old, new, stay), (old, new), stay, alike) {
        stretch((old, new), i..old_same, j..new_same, &likeness, &mut steps);
        steps.push(Step::Pair(old_same, new_same));
        (i, j) = (old_same + 1, new_same + 1);
    }
    stretch((old, new), i..old.len(), j..new.len(), &likeness, &mut steps);
    steps
}

/// Returns the stretches of both rows between the blocks that are the same on both sides, where they differ.
pub(super) fn stretches(old: &[String], new: &[String], stay: &[Stay]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (old_same, new_same) in same(old, new, stay).into_iter().chain([(old.len(), new.len())]) {
        if i < old_same || j < new_same {
            found.push((i..old_same, j..new_same));
        }
        (i, j) = (old_same + 1, new_same + 1);
    }
    found
}

/// Pairs what is the same on both sides, rising on both: as much as can be, but what wants to stay before all else.
pub(super) fn same(old: &[String], new: &[String], stay: &[Stay]) -> Vec<(usize, usize)> {
    let pairs = common(old, new);
    if crossing(old, new, (stay, Stay::Kept), &pairs).next().is_none() {
        return pairs;
    }
    heaviest(old, new, stay).unwrap_or(pairs)
}

/// Lets a pair of blocks that look differently take the place of another one that says the same and stands in no pair, between
/// its neighbours.
fn by_looks(
    mut pairs: Vec<(usize, usize)>,
    (old, new): (&[String], &[String]),
    stay: &[Stay],
    alike: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let stays = |at: usize| stay.get(at).copied().unwrap_or_default();
    for at in 0..pairs.len() {
        let (i, j) = pairs[at];
        if alike(i, j) {
            continue;
        }
        let (old_from, new_from) =
            at.checked_sub(1).map_or((0, 0), |before| (pairs[before].0 + 1, pairs[before].1 + 1));
        let (old_end, new_end) = pairs.get(at + 1).copied().unwrap_or((old.len(), new.len()));
        let other =
            (old_from..old_end).find(|other| old[*other] == old[i] && stays(*other) >= stays(i) && alike(*other, j));
        if let Some(other) = other {
            pairs[at].0 = other;
        } else if let Some(other) = (new_from..new_end).find(|other| new[*other] == new[j] && alike(i, *other)) {
            pairs[at].1 = other;
        }
    }
    pairs
}

/// What the key of a block begins with in which nothing stands.
pub(super) const BLANK: char = '\u{5}';

/// The longest rising row of pairs, what is said before what is empty: an empty block is like any other, and text that
/// stays is not moved for it.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let said = |row: &[String]| (0..row.len()).filter(|at| !row[*at].starts_with(BLANK)).collect::<Vec<_>>();
    let (old_said, new_said) = (said(old), said(new));
    if old_said.len() == old.len() && new_said.len() == new.len() {
        return longest(old, new);
    }
    if let Some(pairs) = heaviest(old, new, &[]) {
        return pairs;
    }
    let keys = |row: &'_ [String], at: &[usize]| at.iter().map(|at| row[*at].clone()).collect::<Vec<_>>();
    let texts = longest(&keys(old, &old_said), &keys(new, &new_said));
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    let ends = [(old.len(), new.len())];
    for (old_text, new_text) in texts.into_iter().map(|(i, j)| (old_said[i], new_said[j])).chain(ends) {
        pairs.extend(longest(&old[i..old_text], &new[j..new_text]).into_iter().map(|(a, b)| (i + a, j + b)));
        if old_text < old.len() && new_text < new.len() {
            pairs.push((old_text, new_text));
        }
        (i, j) = (old_text + 1, new_text + 1);
    }
    pairs
}

fn longest(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|at| (old_index + at, new_index + at)));
        }
    }
    pairs
}

/// Finds what wants to stay at `least` that much, is not among the `pairs`, and stands elsewhere in the new row.
pub(super) fn crossing<'a>(
    old: &'a [String],
    new: &'a [String],
    (stay, least): (&'a [Stay], Stay),
    pairs: &[(usize, usize)],
) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let (mut stays, mut known) = (vec![false; old.len()], vec![false; new.len()]);
    for (i, j) in pairs {
        (stays[*i], known[*j]) = (true, true);
    }
    let left = (0..old.len()).filter(move |i| stay.get(*i).is_some_and(|stay| *stay >= least) && !stays[*i]);
    left.filter_map(move |i| (0..new.len()).find(|j| !known[*j] && new[*j] == old[i]).map(|j| (i, j)))
}

/// The row of pairs with most of what is fixed, then of what would rather stay, then of the rest, and of that with most of what
/// was not edited; `None` when there is too much to compare.
fn heaviest(old: &[String], new: &[String], stay: &[Stay]) -> Option<Vec<(usize, usize)>> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let least = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(least).take_while(|(old, new)| old == new).count();
    let (height, width) = (old.len() - head - tail, new.len() - head - tail);
    if (height + 1).checked_mul(width + 1)? > CELLS_MAX {
        return None;
    }
    let at = |i: usize, j: usize| i * (width + 1) + j;
    // One outweighs all that want to stay less.
    let heavy = height.min(width) + 1;
    let weight = |i: usize, j: usize| {
        let weight = match stay.get(head + i).copied().unwrap_or_default() {
            Stay::Fixed => heavy.pow(5),
            _ if old[head + i].starts_with(BLANK) => heavy,
            Stay::Rather => heavy.pow(4),
            Stay::Kept => heavy.pow(3) + heavy.pow(2),
            Stay::Free => heavy.pow(3),
        };
        (old[head + i] == new[head + j]).then_some(weight)
    };
    // Of rows that weigh the same, the one in which most of what differs stands opposite something that it may have become.
    let beside = |i: usize, j: usize| usize::from(kind(&old[head + i]) == kind(&new[head + j]));
    let mut best = vec![0_usize; (height + 1) * (width + 1)];
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            let both = weight(i, j).unwrap_or_else(|| beside(i, j)) + best[at(i + 1, j + 1)];
            best[at(i, j)] = best[at(i + 1, j)].max(best[at(i, j + 1)]).max(both);
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    let (mut i, mut j) = (0, 0);
    while i < height && j < width {
        let (here, behind) = (best[at(i, j)], best[at(i + 1, j + 1)]);
        if weight(i, j).is_some_and(|weight| weight + behind == here) {
            pairs.push((head + i, head + j));
            (i, j) = (i + 1, j + 1);
        } else if weight(i, j).is_none() && beside(i, j) + behind == here {
            (i, j) = (i + 1, j + 1);
        } else if best[at(i + 1, j)] >= best[at(i, j + 1)] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs.extend((0..tail).map(|at| (head + height + at, head + width + at)));
    Some(pairs)
}

/// What a block can only become more of, as far as its key tells: a table, a section break, or text.
fn kind(key: &str) -> u8 {
    if key.starts_with('|') {
        1
    } else if key.starts_with("{^= sectionbreak") {
        2
    } else {
        0
    }
}

fn stretch(
    keys: (&[String], &[String]),
    old: Range<usize>,
    new: Range<usize>,
    likeness: &impl Fn(usize, usize) -> Option<f32>,
    steps: &mut Vec<Step>,
) {
    let (mut i, mut j) = (old.start, new.start);
    if old.len() * new.len() > COMPARISONS_MAX {
        // Tables are few and have a shape, so they part what is too long.
        for (old_table, new_table) in tables(keys, &old, &new) {
            if likeness(old_table, new_table).is_some() {
                short_stretch(i..old_table, j..new_table, likeness, steps);
                steps.push(Step::Pair(old_table, new_table));
                (i, j) = (old_table + 1, new_table + 1);
            }
        }
    }
    short_stretch(i..old.end, j..new.end, likeness, steps);
}

/// The longest rising row of tables of one shape, told by their keys, which are their canonical text.
fn tables(
    (old, new): (&[String], &[String]),
    old_range: &Range<usize>,
    new_range: &Range<usize>,
) -> Vec<(usize, usize)> {
    let shapes = |keys: &[String], range: &Range<usize>| -> Vec<(usize, String)> {
        let tables = range.clone().filter(|at| keys[*at].starts_with('|'));
        let shape = |key: &str| {
            let bars = key.lines().nth(1).unwrap_or_default().matches('|').count();
            format!("{} {bars}", key.lines().count())
        };
        tables.map(|at| (at, shape(&keys[at]))).collect()
    };
    let (old, new) = (shapes(old, old_range), shapes(new, new_range));
    let keys = |tables: &[(usize, String)]| tables.iter().map(|(_, shape)| shape.clone()).collect::<Vec<_>>();
    longest(&keys(&old), &keys(&new)).into_iter().map(|(i, j)| (old[i].0, new[j].0)).collect()
}

fn short_stretch(
    old: Range<usize>,
    new: Range<usize>,
    likeness: &impl Fn(usize, usize) -> Option<f32>,
    steps: &mut Vec<Step>,
) {
    let pairs = if old.len() * new.len() > COMPARISONS_MAX || old.is_empty() || new.is_empty() {
        Vec::new()
    } else {
        likeliest(&old, &new, likeness)
    };
    let (mut i, mut j) = (old.start, new.start);
    for (old_pair, new_pair) in pairs.into_iter().chain([(old.end, new.end)]) {
        // What lies between two pairs is paired in order as far as it can be.
        while i < old_pair && j < new_pair && likeness(i, j).is_some() {
            steps.push(Step::Pair(i, j));
            i += 1;
            j += 1;
        }
        steps.extend((i..old_pair).map(Step::Delete));
        steps.extend((j..new_pair).map(Step::Insert));
        if old_pair < old.end || new_pair < new.end {
            steps.push(Step::Pair(old_pair, new_pair));
        }
        (i, j) = (old_pair + 1, new_pair + 1);
    }
}

/// The row of pairs, rising on both sides, with the greatest sum of likeness.
fn likeliest(
    old: &Range<usize>,
    new: &Range<usize>,
    likeness: &impl Fn(usize, usize) -> Option<f32>,
) -> Vec<(usize, usize)> {
    let (height, width) = (old.len(), new.len());
    let at = |i: usize, j: usize| i * (width + 1) + j;
    let scores: Vec<Option<f32>> =
        old.clone().flat_map(|i| new.clone().map(move |j| (i, j))).map(|(i, j)| likeness(i, j)).collect();
    let score = |i: usize, j: usize| scores.get(i * width + j).copied().flatten();
    let mut best = vec![0.0_f32; (height + 1) * (width + 1)];
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            let skip = best[at(i + 1, j)].max(best[at(i, j + 1)]);
            let pair = score(i, j).map_or(f32::MIN, |score| score + best[at(i + 1, j + 1)]);
            best[at(i, j)] = skip.max(pair);
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < height && j < width {
        let here = best[at(i, j)];
        if score(i, j).is_some_and(|score| score + best[at(i + 1, j + 1)] >= here) {
            pairs.push((old.start + i, new.start + j));
            i += 1;
            j += 1;
        } else if best[at(i + 1, j)] >= best[at(i, j + 1)] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &[&str], new: &[&str], expected: &[Step]) {
        let row = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let common = |i: usize, j: usize| {
            let shared = old[i].chars().zip(new[j].chars()).filter(|(a, b)| a == b).count();
            Some(f32::from(u16::try_from(shared).unwrap()) + 0.1)
        };
        assert_eq!(align(&row(old), &row(new), &[], common, |_, _| true), expected);
    }

    #[test]
    fn of_what_says_the_same_those_are_paired_that_look_alike() {
        // A letter of a word is how it looks.
        let check = |old: &str, new: &str, expected: &[(usize, usize)]| {
            let read = |text: &str| -> (Vec<String>, Vec<char>) {
                text.split(' ').map(|word| (word.chars().take(1).collect(), word.chars().nth(1).unwrap_or(' '))).unzip()
            };
            let ((old, old_looks), (new, new_looks)) = (read(old), read(new));
            let alike = |i: usize, j: usize| old_looks[i] == new_looks[j];
            assert_eq!(by_looks(same(&old, &new, &[]), (&old, &new), &[], alike), expected, "{old:?} {new:?}");
        };
        check("at a b", "at x y b", &[(0, 0), (2, 3)]);
        check("a at b", "x at y b", &[(1, 1), (2, 3)]);
        check("at b", "a at b", &[(0, 1), (1, 2)]);
        check("at b", "a b", &[(0, 0), (1, 1)]);
        check("a a at", "at", &[(2, 0)]);
        check("a b a", "at b at", &[(0, 0), (1, 1), (2, 2)]);
    }

    #[test]
    fn edits_pair_with_what_they_came_from() {
        check(&["aaa", "bbb"], &["aaa", "bbx"], &[Step::Pair(0, 0), Step::Pair(1, 1)]);
        check(&["aaa", "bbb"], &["new", "aaa", "bbx"], &[Step::Insert(0), Step::Pair(0, 1), Step::Pair(1, 2)]);
        check(&["aaa", "bbb", "ccc"], &["aax", "ccx"], &[Step::Pair(0, 0), Step::Delete(1), Step::Pair(2, 1)]);
        check(&["aaa"], &[], &[Step::Delete(0)]);
        check(&[], &["aaa"], &[Step::Insert(0)]);
    }

    #[test]
    fn text_stays_rather_than_what_is_empty() {
        let row = |text: &str| text.split(' ').map(|key| key.replace('_', "\u{5}")).collect::<Vec<_>>();
        let check = |old, new, expected: &[(usize, usize)]| assert_eq!(same(&row(old), &row(new), &[]), expected);
        check("a b _", "_ a c", &[(0, 1)]);
        check("a _ b _", "_ a _ b", &[(0, 1), (1, 2), (2, 3)]);
        check("_ _ a", "_ a _", &[(0, 0), (2, 1)]);
        check("a _ _ b", "x _ y b", &[(1, 1), (3, 3)]);
    }

    #[test]
    fn what_is_fixed_stays() {
        let row = |text: &str| text.split(' ').map(ToOwned::to_owned).collect::<Vec<_>>();
        let check = |old: &str, new: &str, expected: &[&str]| {
            let stay = |text: &str| match text.as_bytes()[0] {
                b'!' => Stay::Fixed,
                b'#' => Stay::Rather,
                b'+' => Stay::Kept,
                _ => Stay::Free,
            };
            let stay: Vec<Stay> = old.split(' ').map(stay).collect();
            let (old, new) = (row(old), row(new));
            let stays: Vec<&str> = same(&old, &new, &stay).into_iter().map(|(i, _)| &*old[i]).collect();
            assert_eq!(stays, expected);
        };
        check("a b c d !e f", "d !e f a b c", &["d", "!e", "f"]);
        check("a b c d e f", "d e f a b c x", &["d", "e", "f"]);
        check("p a b c !d q", "p !d a b c q", &["p", "!d", "q"]);
        check("a !b c !d", "c !d a !b", &["c", "!d"]);
        check("!a b c !d e", "!d e !a b c", &["!a", "b", "c"]);
        check("#h a b c", "a b c #h", &["#h"]);
        check("#h a #i #j b", "#i #j b #h a", &["#i", "#j", "b"]);
        check("#h a b !c #i", "!c #h a b #i", &["!c", "#i"]);
        // Of rows with as much in them the one that was not edited, and no shorter one for that.
        check("a +b", "+b a", &["+b"]);
        check("+b a", "a +b", &["+b"]);
        check("+b a c", "a c +b", &["a", "c"]);
        check("+b #h", "#h +b", &["#h"]);
    }
}
