//! Headings that are gone and ended what a directive said: it now says that of what stands behind them, too. And new ones,
//! which end it now. Pure.

use std::collections::BTreeMap;

use super::align::Step;
use super::blocks::{Entry, aligned, entries, key};
use super::moves::Staying;
use super::planner::{excerpt, text_of};
use crate::gdocs::DocumentTab;
use crate::kinds::docs::text::extract::Extract;
use crate::kinds::docs::text::flat::{Flat, Look, flatten, flatten_ended};
use crate::mebdf::{Block, Content, Property, State, Tree, states};

/// A directive that reaches further than it did, or less far.
pub(super) struct Reach {
    /// Where the first block stands that it did not reach, or does not reach any more, in bytes.
    pub(super) at: usize,
    /// What it says.
    pub(super) says: String,
    /// The new heading that ends it; `None` where it reaches further.
    pub(super) ended_by: Option<String>,
}

/// Brings a file into flat form; also returns the directives that reach further than they did, since the file does not have
/// the headings any more that ended them, and those that new headings end. A directive that was written since is none of them.
pub(super) fn flattened(parsed: &Tree, text: &str, tab: &DocumentTab, remote: &Extract) -> (Flat, Vec<Reach>) {
    let plain = flatten(parsed, text, tab);
    let directs = |block: &Block| matches!(block.content, Content::Directive { .. });
    let as_before = || headings(&remote.tree) == headings(&plain.tree) && !any_restyled(remote, &plain);
    if !parsed.blocks.iter().any(directs) || as_before() {
        return (plain, Vec::new());
    }
    let (old, new) = entries(remote, &plain, &Staying::default());
    let sides = Sides { steps: aligned(remote, &old, &new), old, new };
    let mut reaches = closed(parsed, &sides);
    reaches.extend(passed(parsed, &sides));
    let ends = ends(parsed, &plain, &sides);
    if ends.is_empty() {
        reaches.sort_by_key(|reach| reach.at);
        return (plain, reaches);
    }
    let all: Vec<usize> = ends.iter().map(|(at, _)| *at).collect();
    let ended = flatten_ended(parsed, text, tab, &all);
    for (at, state) in ends {
        let from = at.checked_sub(1).and_then(|before| parsed.blocks.get(before)).map_or(0, |block| block.span.0.end);
        let mut behind = plain.tree.blocks.iter().zip(&plain.looks).zip(ended.tree.blocks.iter().zip(&ended.looks));
        let other = behind.find(|((block, look), (is, looks))| {
            block.span.0.start >= from && (block.content != is.content || look != looks)
        });
        if let Some(((block, _), _)) = other {
            reaches.push(Reach { at: block.span.0.start, says: said(&state), ended_by: None });
        }
    }
    reaches.sort_by_key(|reach| reach.at);
    reaches.dedup_by_key(|reach| reach.at);
    (plain, reaches)
}

/// The blocks of the document and of the file, and which of them belong together.
struct Sides<'a> {
    old: Vec<Entry<'a>>,
    new: Vec<Entry<'a>>,
    steps: Vec<Step>,
}

/// The directives that a new heading ends, each with the first block behind it that nobody edited and that loses its look.
fn closed(parsed: &Tree, Sides { old, new, steps }: &Sides<'_>) -> Vec<Reach> {
    let states = states(&parsed.blocks);
    let state = |block: &Block| {
        let at = parsed.blocks.partition_point(|other| other.span.0.start <= block.span.0.start);
        at.checked_sub(1).map(|at| (at, states.get(at)))
    };
    let mut found = Vec::new();
    let mut heading: Option<&Block> = None;
    for step in steps {
        match *step {
            Step::Insert(j) if is_heading(new[j].block) => heading = Some(new[j].block),
            Step::Pair(i, j) if is_heading(new[j].block) => {
                heading = (!is_heading(old[i].block)).then_some(new[j].block);
            }
            Step::Pair(i, j) if key(&old[i].block.content) == key(&new[j].block.content) => {
                let Some(ends) = heading.filter(|_| !old[i].look.is_like(new[j].look)) else { continue };
                let is_plain = state(new[j].block).is_some_and(|(_, now)| now == Some(&State::default()));
                let before = state(ends).and_then(|(at, _)| states.get(at.checked_sub(1)?));
                if let Some(before) = before.filter(|before| is_plain && **before != State::default()) {
                    let ended_by = Some(excerpt(&text_of(&ends.content)));
                    found.push(Reach { at: new[j].block.span.0.start, says: said(before), ended_by });
                    heading = None;
                }
            }
            Step::Pair(..) | Step::Insert(_) | Step::Delete(_) => {}
        }
    }
    found
}

/// Tells whether anything that the file says as the document does looks otherwise in it.
fn any_restyled(remote: &Extract, plain: &Flat) -> bool {
    let mut looks: BTreeMap<String, Vec<&Look>> = BTreeMap::new();
    for (block, look) in remote.tree.blocks.iter().zip(&remote.looks) {
        looks.entry(key(&block.content)).or_default().push(look);
    }
    plain.tree.blocks.iter().zip(&plain.looks).any(|(block, look)| {
        !is_heading(block)
            && looks.get(&key(&block.content)).is_some_and(|looks| !looks.iter().any(|other| other.is_like(look)))
    })
}

/// Text that nobody edited and that stands before the heading now that ended a directive for it, each with the directive.
fn passed(parsed: &Tree, Sides { old, new, steps }: &Sides<'_>) -> Vec<Reach> {
    let states = states(&parsed.blocks);
    let state = |block: &Block| {
        let at = parsed.blocks.partition_point(|other| other.span.0.start <= block.span.0.start);
        at.checked_sub(1).and_then(|at| states.get(at))
    };
    let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
    let mut gone: BTreeMap<&str, usize> = BTreeMap::new();
    for step in steps {
        if let Step::Pair(i, j) = *step {
            pairs.insert(i, j);
        } else if let Step::Delete(i) = *step {
            gone.insert(&old[i].key, i);
        }
    }
    let mut found: Vec<Reach> = Vec::new();
    let (mut kept, mut told) = (None, None);
    for step in steps {
        match *step {
            Step::Pair(i, j) => kept = old[i].look.is_like(new[j].look).then(|| state(new[j].block)).flatten(),
            Step::Insert(j) if !is_heading(new[j].block) => {
                let Some(i) = gone.get(&*new[j].key).copied().filter(|i| !old[*i].look.is_like(new[j].look)) else {
                    continue;
                };
                let ends = (0..i).rev().find(|at| is_heading(old[*at].block));
                let passed = ends.filter(|at| pairs.get(at).is_some_and(|now| *now > j));
                let now = state(new[j].block).filter(|now| kept == Some(*now) && **now != State::default());
                if let (Some(heading), Some(now)) = (passed, now)
                    && told.replace(heading) != Some(heading)
                {
                    found.push(Reach { at: new[j].block.span.0.start, says: said(now), ended_by: None });
                }
            }
            Step::Insert(_) | Step::Delete(_) => {}
        }
    }
    found
}

fn headings(tree: &Tree) -> Vec<String> {
    tree.blocks.iter().filter(|block| is_heading(block)).map(|block| key(&block.content)).collect()
}

const fn is_heading(block: &Block) -> bool {
    matches!(block.content, Content::Heading { .. })
}

/// The blocks of the file before which a heading stood that ended the state told with it.
fn ends(parsed: &Tree, plain: &Flat, Sides { old, new, steps }: &Sides<'_>) -> Vec<(usize, State)> {
    let states = states(&parsed.blocks);
    let place = |flat: usize| {
        let start = plain.tree.blocks.get(flat)?.span.0.start;
        parsed.blocks.partition_point(|block| block.span.0.start <= start).checked_sub(1)
    };
    let mut found: Vec<(usize, State)> = Vec::new();
    // The last block that both sides have with one look, and the last of the file.
    let (mut kept, mut last): (Option<usize>, Option<usize>) = (None, None);
    for step in steps {
        let gone = match *step {
            Step::Pair(i, j) => is_heading(old[i].block) && !is_heading(new[j].block),
            Step::Delete(i) => is_heading(old[i].block),
            Step::Insert(_) => false,
        };
        if gone
            && let (Some(kept), Some(last)) = (kept.and_then(place), last.and_then(place))
            && let (Some(was), Some(state)) = (states.get(kept), states.get(last))
            && was == state
            && *state != State::default()
            && found.last().is_none_or(|(at, _)| *at != last + 1)
        {
            found.push((last + 1, state.clone()));
        }
        match *step {
            Step::Pair(i, j) => {
                kept = old[i].look.is_like(new[j].look).then_some(new[j].index);
                last = Some(new[j].index);
            }
            Step::Insert(j) => last = Some(new[j].index),
            Step::Delete(_) => {}
        }
    }
    found
}

/// A state as a directive says it.
fn said(state: &State) -> String {
    let names = state.properties.iter().map(|Property { name, .. }| name.clone());
    let mut said: Vec<String> = state.style.iter().cloned().chain(names).collect();
    if state.locked.is_some() {
        said.push("locked".to_owned());
    }
    format!("{{!{}}}", said.join(" "))
}
