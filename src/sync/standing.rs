//! What of a change stands in another text. Pure.

use std::collections::BTreeSet;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::mebdf::{self, Tree};

use super::counts::{Counts, brought, is_mostly};
use super::moved::words_of;
use super::sides::{Keys, Text};

/// Returns `before` with those blocks in it that `after` brought and that stand in `there`, perhaps edited since; `None` when there
/// are none.
pub(super) fn in_text(before: &str, after: &str, there: &str) -> Option<String> {
    let mut keys = Keys::default();
    let [before, after, there] = [before, after, there].map(|text| Text::read(text, &mut keys));
    let stands: Vec<Counts<'_>> = (0..there.len()).map(|at| there.words_of(&(at..at + 1))).collect();
    // Words that stood elsewhere, too, were brought once more.
    let (was, is) = (before.words(), after.words());
    let new = brought(&was, &is);
    let is_there = |at: usize| {
        let block = after.words_of(&(at..at + 1));
        let came: Vec<(&str, usize)> =
            block.iter().filter(|(word, _)| new.contains(*word)).map(|(word, count)| (*word, *count)).collect();
        let has_all = |other: &&Counts<'_>| came.iter().all(|(word, count)| other.get(word) >= Some(count));
        !came.is_empty() && stands.iter().filter(has_all).any(|other| is_mostly(other, &block))
    };
    let (mut blocks, mut finds) = (Vec::new(), false);
    for op in capture_diff_slices(Algorithm::Patience, before.bare(&(0..before.len())), after.bare(&(0..after.len()))) {
        let (was, is) = (before.blocks(&op.old_range()), op.new_range());
        let left: Vec<usize> = is.clone().filter(|at| !matches!(op, DiffOp::Equal { .. }) && is_there(*at)).collect();
        finds |= !left.is_empty();
        if left.is_empty() || left.len() < is.len() {
            blocks.extend_from_slice(was);
        }
        blocks.extend(left.iter().flat_map(|at| after.blocks(&(*at..*at + 1))).cloned());
    }
    finds.then(|| mebdf::print(&Tree { front_matter: before.tree.front_matter.clone(), blocks }))
}

/// The words of each block.
pub(super) fn said(tree: &Tree) -> Vec<BTreeSet<String>> {
    tree.blocks.iter().map(|block| words_of(&block.content).into_iter().map(str::to_owned).collect()).collect()
}
