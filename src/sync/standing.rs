//! What of a change stands in another text. Pure.

use std::collections::BTreeSet;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::mebdf::{self, Tree};

use super::counts::brought;
use super::moved::words_of;
use super::sides::{Keys, Text};

/// Returns `before` with those blocks in it that `after` brought and that stand in `there`, perhaps edited since; `None` when there
/// are none.
pub(super) fn in_text(before: &str, after: &str, there: &str) -> Option<String> {
    let mut keys = Keys::default();
    let [before, after, there] = [before, after, there].map(|text| Text::read(text, &mut keys));
    let [pushed, stands] = [&after, &there].map(|text| said(&text.tree));
    // Words that stood elsewhere, too, were brought once more.
    let (was, is) = (before.words(), after.words());
    let new = brought(&was, &is);
    let is_there = |at: usize| {
        let Some(block) = pushed.get(at) else { return false };
        let is_brought = |word: &&String| new.contains(word.as_str());
        let has_all = |other: &&BTreeSet<String>| block.iter().filter(is_brought).all(|word| other.contains(word));
        let is_most = |other: &BTreeSet<String>| block.intersection(other).count() * 4 >= block.len() * 3;
        block.iter().any(|word| is_brought(&word)) && stands.iter().filter(has_all).any(is_most)
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
