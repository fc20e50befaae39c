//! New items that stand apart in the file are a list of their own: what is typed beside a list takes part in that, also where
//! a paragraph that was typed with it parts the two. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::edit::{Expected, Shape, What};
use crate::gdocs::DocumentTab;
use crate::kinds::docs::text::extract::{Extract, Origin};

/// Finds the new items, by their places among all blocks, that are in a list of which the file has other items elsewhere.
pub(super) fn found(tab: &DocumentTab, after: &Extract, expected: &[Expected]) -> BTreeSet<usize> {
    let list = |at: usize| {
        let Origin::Line { element, .. } = after.origins.get(at)? else { return None };
        let paragraph = tab.body.as_ref()?.content.get(*element)?.paragraph.as_ref()?;
        Some(paragraph.bullet.as_ref()?.list_id.as_str())
    };
    let stays = |at: usize| match expected.get(at).map(|expected| &expected.what) {
        Some(What::Edited { shape, .. }) => matches!(shape, Shape::Item(..)),
        Some(What::Kept(_)) => list(at).is_some(),
        None => false,
    };
    let is_new = |at: usize| {
        matches!(expected.get(at).map(|expected| &expected.what), Some(What::Edited { fresh: Some(_), .. }))
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for list in (0..expected.len()).filter(|at| stays(*at)).filter_map(list) {
        *counts.entry(list).or_default() += 1;
    }
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < expected.len() {
        let count = (at..expected.len()).take_while(|at| stays(*at)).count();
        let run = at..at + count;
        at += count.max(1);
        if run.is_empty() || !run.clone().all(is_new) {
            continue;
        }
        let mut own: BTreeMap<&str, usize> = BTreeMap::new();
        for list in run.clone().filter_map(list) {
            *own.entry(list).or_default() += 1;
        }
        if own.iter().any(|(list, count)| counts.get(list).is_some_and(|all| all > count)) {
            for (list, count) in own {
                if let Some(all) = counts.get_mut(list) {
                    *all -= count;
                }
            }
            found.extend(run.filter(|at| list(*at).is_some()));
        }
    }
    found
}
