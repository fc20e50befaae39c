//! The empty paragraph that new text takes where nothing beside it could lend a place: between two tables, in a new
//! document, or behind a heading, whose id would go to what is put behind it. Pure.

use super::align::Step;
use super::blocks::Entry;
use super::edit::shape;
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::line::block_runs;
use crate::mebdf::{Block, Content};

/// Pairs an empty paragraph that would go, and whose newline cannot, with one of the new blocks that would come there:
/// they have no other place. `steps` are in the order of both sides.
pub(super) fn taken(steps: Vec<Step>, old: &[Entry<'_>], new: &[Entry<'_>], remote: &Extract) -> Vec<Step> {
    let is_line = |i: usize| {
        let origin = old.get(i).and_then(|entry| remote.origins.get(entry.index));
        matches!(origin, Some(Origin::Line { .. }))
    };
    let is_heading = |i: usize| old.get(i).is_some_and(|entry| matches!(entry.block.content, Content::Heading { .. }));
    let mut taken = Vec::with_capacity(steps.len());
    let mut rest = steps.into_iter().peekable();
    let mut before = None;
    while let Some(step) = rest.next() {
        if let Step::Pair(i, _) = step {
            before = Some(i);
            taken.push(step);
            continue;
        }
        let mut gap = vec![step];
        while let Some(step) = rest.next_if(|step| !matches!(step, Step::Pair(..))) {
            gap.push(step);
        }
        let behind = rest.peek().and_then(|step| if let Step::Pair(i, _) = step { Some(*i) } else { None });
        let pair = taken.last().copied().filter(|_| !behind.is_some_and(is_line));
        if let Some((own, steps)) = pair.and_then(|pair| inherited(pair, &gap, old, new, remote)) {
            if !own {
                taken.pop();
            }
            taken.extend(steps);
        } else if before.is_some_and(|before| is_line(before) && !is_heading(before)) || behind.is_some_and(is_line) {
            taken.append(&mut gap);
        } else {
            taken.extend(seated(gap, old, new, remote));
        }
    }
    taken
}

/// The steps behind a pair with an empty paragraph, where that would become what the last of those is that go behind it: what
/// is deleted from the start of a paragraph on leaves the newline of the last one, and with it what that is. So the last is
/// paired as well, with what is new there, or else with what the empty one was paired with. Tells whether that keeps its pair.
fn inherited(
    pair: Step,
    gap: &[Step],
    old: &[Entry<'_>],
    new: &[Entry<'_>],
    remote: &Extract,
) -> Option<(bool, Vec<Step>)> {
    let Step::Pair(i, j) = pair else { return None };
    let gone = || gap.iter().filter_map(|step| if let Step::Delete(i) = step { Some(*i) } else { None });
    let made = || gap.iter().filter_map(|step| if let Step::Insert(j) = step { Some(*j) } else { None });
    let last = gone().next_back()?;
    let is_line = |i: usize| matches!(remote.origins.get(old[i].index), Some(Origin::Line { .. }));
    if !gone().all(is_line) || !is_heir(&old[i], &old[last], remote) {
        return None;
    }
    let rest = gone().filter(|gone| *gone != last).map(Step::Delete);
    let Some(sitter) = made().next_back() else {
        return Some((false, [Step::Delete(i)].into_iter().chain(rest).chain([Step::Pair(last, j)]).collect()));
    };
    let sits = new[sitter].look.locked.is_none() && is_text(new[sitter].block) && is_seat(&old[last], remote);
    let others = made().filter(|made| *made != sitter).map(Step::Insert);
    sits.then(|| (true, rest.chain(others).chain([Step::Pair(last, sitter)]).collect()))
}

/// The steps between two pairs, with a pair among them where there can be one.
fn seated(gap: Vec<Step>, old: &[Entry<'_>], new: &[Entry<'_>], remote: &Extract) -> Vec<Step> {
    let olds = || gap.iter().filter_map(|step| if let Step::Delete(i) = step { Some(*i) } else { None });
    let news = || gap.iter().filter_map(|step| if let Step::Insert(j) = step { Some(*j) } else { None });
    let is_seat = |i: &usize| old.get(*i).is_some_and(|entry| is_seat(entry, remote));
    let sits = |j: &usize| new.get(*j).is_some_and(|entry| entry.look.locked.is_none() && is_text(entry.block));
    let (Some(seat), Some(sitter)) = (olds().find(is_seat), news().find(sits)) else { return gap };
    let mut steps: Vec<Step> = olds().filter(|i| *i < seat).map(Step::Delete).collect();
    steps.extend(news().filter(|j| *j < sitter).map(Step::Insert));
    steps.push(Step::Pair(seat, sitter));
    steps.extend(olds().filter(|i| *i > seat).map(Step::Delete));
    steps.extend(news().filter(|j| *j > sitter).map(Step::Insert));
    steps
}

/// Tells whether an empty paragraph would become what the last of those is that go behind it, for their newlines cannot.
fn is_heir(empty: &Entry<'_>, last: &Entry<'_>, remote: &Extract) -> bool {
    let open = |entry: &Entry<'_>| {
        let origin = remote.origins.get(entry.index);
        entry.look.locked.is_none() && matches!(origin, Some(Origin::Line { line, .. }) if line.lock.is_none())
    };
    is_text(empty.block)
        && block_runs(&empty.block.content).is_empty()
        && is_text(last.block)
        && shape(&empty.block.content) != shape(&last.block.content)
        && open(empty)
        && open(last)
}

/// Tells whether a block of the document is an empty paragraph, or a rule, that can be edited.
fn is_seat(entry: &Entry<'_>, remote: &Extract) -> bool {
    let open = matches!(remote.origins.get(entry.index), Some(Origin::Line { line, .. }) if line.lock.is_none());
    let empty = is_text(entry.block) && block_runs(&entry.block.content).is_empty();
    open && entry.look.locked.is_none() && (empty || matches!(entry.block.content, Content::Rule))
}

fn is_text(block: &Block) -> bool {
    let text = matches!(block.content, Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. });
    text && !block.content.is_structure()
}
