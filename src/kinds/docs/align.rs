//! The alignment of two rows of blocks. Pure.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

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

/// Aligns two rows by their keys, and inside a changed stretch by `likeness`: `None` when two blocks cannot become one
/// another, else more for what is more alike. Deletions come before insertions at one place, and where both remain
/// they are paired in order if they can be.
pub(super) fn align(old: &[String], new: &[String], likeness: impl Fn(usize, usize) -> Option<f32>) -> Vec<Step> {
    let mut steps = Vec::new();
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    let mut pending: Option<(usize, usize, usize, usize)> = None;
    for op in ops {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            if let Some((old_start, old_end, new_start, new_end)) = pending.take() {
                stretch(old_start..old_end, new_start..new_end, &likeness, &mut steps);
            }
            steps.extend((0..len).map(|i| Step::Pair(old_index + i, new_index + i)));
        } else {
            let (old, new) = (op.old_range(), op.new_range());
            pending = Some(pending.map_or((old.start, old.end, new.start, new.end), |(old_start, _, new_start, _)| {
                (old_start, old.end, new_start, new.end)
            }));
        }
    }
    if let Some((old_start, old_end, new_start, new_end)) = pending {
        stretch(old_start..old_end, new_start..new_end, &likeness, &mut steps);
    }
    steps
}

/// Returns the stretches of both rows between the blocks that are the same on both sides, where they differ.
pub(super) fn stretches(old: &[String], new: &[String]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        match found.last_mut() {
            Some((old_last, new_last)) if old_last.end == old.start && new_last.end == new.start => {
                (old_last.end, new_last.end) = (old.end, new.end);
            }
            _ => found.push((old, new)),
        }
    }
    found
}

fn stretch(
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
        assert_eq!(align(&row(old), &row(new), common), expected);
    }

    #[test]
    fn edits_pair_with_what_they_came_from() {
        check(&["aaa", "bbb"], &["aaa", "bbx"], &[Step::Pair(0, 0), Step::Pair(1, 1)]);
        check(&["aaa", "bbb"], &["new", "aaa", "bbx"], &[Step::Insert(0), Step::Pair(0, 1), Step::Pair(1, 2)]);
        check(&["aaa", "bbb", "ccc"], &["aax", "ccx"], &[Step::Pair(0, 0), Step::Delete(1), Step::Pair(2, 1)]);
        check(&["aaa"], &[], &[Step::Delete(0)]);
        check(&[], &["aaa"], &[Step::Insert(0)]);
    }
}
