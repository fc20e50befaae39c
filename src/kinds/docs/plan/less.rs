//! What of an edit can be pushed when all of it at once cannot. Pure.
//!
//! The edit falls into changes between blocks that stay. Those that belong together, as the two ends of a move, are left
//! out together; the fewest are, and each is told with its line. What is left must stand the same checks as the whole, and
//! is compared with the whole file: no word of it may be lost or stand twice because another change waits.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::align::Step;
use super::anchors::Written;
use super::blocks::{aligned, entries, is_settled};
use super::part::{Attempt, leaves_empty, plan_task};
use super::planner::{is_mostly, text_of, words_of};
use super::tables::settle;
use super::trial::Task;
use crate::error::{Error, Result};
use crate::kinds::PushPlan;
use crate::kinds::docs::text::flat::Flat;
use crate::mebdf::{Block, Content, RunContent, Span};
use crate::model::Notice;

/// Plans tried of one edit; with more culprits than that, more is left out than would have to be.
const PLANS_MAX: usize = 24;

/// Groups of changes that are told apart; an edit with more is seldom a person's, and takes all or nothing.
const GROUPS_MAX: usize = 200;

/// Plans the most of an edit that can be pushed; `whole` is what became of all of it. When nothing can be, that is returned.
///
/// # Errors
///
/// That of `whole`.
pub(super) fn plan(task: &Task<'_>, whole: Result<Attempt>) -> Result<PushPlan> {
    let (file, _) = task.local_for(&task.remote);
    let Some(groups) = Groups::find(task, file.into_owned()) else { return whole.map(|attempt| attempt.plan) };
    let why = match &whole {
        Ok(_) => Why::Torn,
        Err(Error::PlanRejected { reason, .. }) => Why::Rejected(reason),
        Err(_) => return whole.map(|attempt| attempt.plan),
    };
    let mut search = Search { task, groups: &groups, why: &why, accepted: BTreeSet::new(), best: None, plans: 0 };
    let (first, second) = groups.halves(0..groups.count);
    search.take(first);
    search.take(second);
    let Search { best, accepted, .. } = search;
    let Some(mut plan) = best else { return whole.map(|attempt| attempt.plan) };
    // What the plan of the whole found in the changes that are left out holds still.
    let told = whole.map(|attempt| attempt.plan.refused).unwrap_or_default();
    let waits = groups.lines(task, &accepted);
    let told =
        told.into_iter().filter(|notice| notice.code != "TORN" && waits.iter().any(|l| l.contains(&notice.line)));
    plan.refused.extend(told);
    plan.refused.sort_by_key(|notice| (notice.line, notice.column));
    plan.refused.dedup();
    Ok(plan)
}

/// Why all of an edit at once cannot be pushed.
enum Why<'a> {
    /// A part of it cannot, and the rest would lose or double text.
    Torn,
    /// The plan did not stand its check.
    Rejected(&'a str),
}

impl Why<'_> {
    fn notice(&self, line: u32) -> Notice {
        let (code, message) = match self {
            Self::Torn => (
                "TORN",
                "this edit is not pushed, the rest of the file is: a part of it cannot be, and without that it would lose \
                 text, double it, or leave it under another heading"
                    .to_owned(),
            ),
            Self::Rejected(reason) => (
                "NOT_PLANNED",
                format!("this edit is not pushed, the rest of the file is: {reason}; make it in smaller steps"),
            ),
        };
        Notice { code: code.into(), line, column: 0, message }
    }
}

/// A change of the file: blocks of the document, and what the file has in their place.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
    /// The stretch without a block that stays in which it is.
    stretch: usize,
    /// Changes of one number belong together.
    group: usize,
}

/// The changes of an edit.
struct Groups {
    /// The file, in the labels of the document's footnotes and without the paragraphs that stand in no line of it.
    file: Flat,
    /// In the order of the file.
    changes: Vec<Change>,
    count: usize,
    /// The words that a change takes from another beside it.
    slid: Rc<BTreeSet<String>>,
}

impl Groups {
    /// Finds the changes of an edit; `None` when there is nothing to be told apart.
    fn find(task: &Task<'_>, mut file: Flat) -> Option<Self> {
        for at in (0..file.tree.blocks.len()).rev() {
            if file.tree.blocks.get(at).is_some_and(is_settled) {
                file.remove(at);
            }
        }
        let mut changes = changes(task, &file);
        let (count, slid) = group(task, &file, &mut changes);
        (2..=GROUPS_MAX).contains(&count).then_some(Self { file, changes, count, slid: Rc::new(slid) })
    }

    fn halves(&self, groups: Range<usize>) -> (Range<usize>, Range<usize>) {
        debug_assert!(groups.end <= self.count, "there are no more groups than that");
        let middle = groups.start + groups.len() / 2;
        (groups.start..middle, middle..groups.end)
    }

    /// The lines of the changes that are not among the accepted groups.
    fn lines(&self, task: &Task<'_>, accepted: &BTreeSet<usize>) -> Vec<Range<u32>> {
        let left = self.changes.iter().filter(|change| !accepted.contains(&change.group));
        left.map(|change| self.line(task, change.new.start)..self.line(task, change.new.end)).collect()
    }

    /// The line where a block of the file begins.
    fn line(&self, task: &Task<'_>, block: usize) -> u32 {
        let blocks = &self.file.tree.blocks;
        blocks.get(block).map_or_else(|| task.line_at(task.text.len()), |block| task.line_at(block.span.0.start))
    }

    /// The task of pushing these groups alone.
    fn task<'a>(&self, task: &Task<'a>, accepted: &BTreeSet<usize>, why: &Why<'_>) -> Task<'a> {
        let (remote, blocks) = (&task.remote, &self.file.tree.blocks);
        let mut local = Flat { tree: self.file.tree.clone(), looks: self.file.looks.clone(), ..Flat::default() };
        local.findings.clone_from(&self.file.findings);
        let (mut anchors, mut kept) = (task.anchors.clone(), task.kept_anchors.clone());
        let mut held = task.held.clone();
        let mut told = BTreeSet::new();
        // From the end to the start, so that the places before stay.
        for change in self.changes.iter().rev().filter(|change| !accepted.contains(&change.group)) {
            for at in change.new.clone().rev() {
                let span = blocks.get(at).map(|block| block.span.clone()).unwrap_or_default();
                // One that comes from elsewhere stays there.
                kept.extend(anchors.extract_if(.., |anchor| anchor.is_in(&span)).filter_map(Written::into_id));
                local.remove(at);
            }
            for (number, at) in change.old.clone().enumerate() {
                let (Some(block), Some(look)) = (remote.tree.blocks.get(at), remote.looks.get(at)) else { continue };
                // It has no place in the text, so it stands for itself behind the text.
                let start = task.text.len() + 1 + 2 * at;
                let span = Span(start..start + 1);
                for here in remote.anchors.iter().filter(|anchor| anchor.block == at) {
                    // One that goes elsewhere stays here.
                    anchors.retain(|anchor| !anchor.has(&here.id));
                    anchors.push(Written::standing(here, &span));
                }
                local.insert(change.new.start + number, Block { content: block.content.clone(), span }, look.clone());
            }
            told.insert((change.group, self.line(task, change.new.start)));
        }
        // One line for each group: that of its first change.
        let mut last = None;
        for (group, line) in told {
            if last.replace(group) != Some(group) {
                held.push(why.notice(line));
            }
        }
        kept.retain(|id| !anchors.iter().any(|anchor| anchor.has(id)));
        settle(&mut local, &remote.tree);
        task.of_less(local, (anchors, kept), held, Rc::clone(&self.slid))
    }
}

/// Finds what differs between the blocks that stay, block by block.
fn changes(task: &Task<'_>, file: &Flat) -> Vec<Change> {
    let remote = &task.remote;
    let (old, new) = entries(remote, file, &task.staying);
    let (mut changes, mut stretch, mut i, mut j) = (Vec::new(), 0, 0, 0);
    for step in aligned(remote, &old, &new) {
        let (old_end, new_end) = match step {
            Step::Pair(a, b) => (a + 1, b + 1),
            Step::Delete(a) => (a + 1, j),
            Step::Insert(b) => (i, b + 1),
        };
        let stays = matches!(step, Step::Pair(a, b) if old[a].key == new[b].key && old[a].look.is_like(new[b].look));
        if stays {
            stretch += 1;
        } else {
            changes.push(Change { old: i..old_end, new: j..new_end, stretch, group: 0 });
        }
        (i, j) = (old_end, new_end);
    }
    changes
}

/// Gives one number to the changes that share text or footnotes, or any word when they stand together; returns how many
/// numbers there are, and those words.
fn group(task: &Task<'_>, file: &Flat, changes: &mut [Change]) -> (usize, BTreeSet<String>) {
    let said = |blocks: &[Block], range: &Range<usize>| -> Vec<BTreeSet<String>> {
        blocks.get(range.clone()).into_iter().flatten().map(|block| words_of(&text_of(&block.content))).collect()
    };
    let noted = |blocks: &[Block], range: &Range<usize>| {
        blocks.get(range.clone()).into_iter().flatten().any(|block| has_footnote(&block.content))
    };
    let (remote, file) = (&task.remote.tree.blocks, &file.tree.blocks);
    let sides: Vec<_> = changes
        .iter()
        .map(|change| {
            let notes = noted(remote, &change.old) || noted(file, &change.new);
            (said(remote, &change.old), said(file, &change.new), notes)
        })
        .collect();
    // Words that a change takes from one side and that do not stand on its other side.
    let only = |one: &[BTreeSet<String>], other: &[BTreeSet<String>]| -> BTreeSet<String> {
        one.iter().flatten().filter(|word| !other.iter().any(|words| words.contains(*word))).cloned().collect()
    };
    let differ: Vec<_> = sides.iter().map(|(old, new, _)| (only(old, new), only(new, old))).collect();
    let (mut groups, mut slid): (Vec<usize>, BTreeSet<String>) = ((0..changes.len()).collect(), BTreeSet::new());
    for (a, (gone, _, notes)) in sides.iter().enumerate() {
        for (b, (_, made, others)) in sides.iter().enumerate().filter(|(b, _)| *b != a) {
            let moved = || gone.iter().any(|gone| made.iter().any(|made| is_mostly(gone, made)));
            // From one paragraph to one beside it, a single short word may have gone.
            let beside = changes[a].stretch == changes[b].stretch;
            let common = differ[a].0.intersection(&differ[b].1);
            let common: Vec<&String> = common.filter(|_| beside).collect();
            slid.extend(common.iter().copied().cloned());
            if (*notes && *others) || moved() || !common.is_empty() {
                let (from, to) = (groups[a].max(groups[b]), groups[a].min(groups[b]));
                groups.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    let numbers: BTreeSet<usize> = groups.iter().copied().collect();
    for (change, group) in changes.iter_mut().zip(groups) {
        change.group = numbers.range(..group).count();
    }
    (numbers.len(), slid)
}

fn has_footnote(content: &Content) -> bool {
    matches!(content, Content::Footnote { .. })
        || content.runs().iter().any(|run| matches!(run.content, RunContent::FootnoteReference(_)))
}

/// Looks for the groups that can be pushed together.
struct Search<'s, 't> {
    task: &'s Task<'t>,
    groups: &'s Groups,
    why: &'s Why<'s>,
    accepted: BTreeSet<usize>,
    best: Option<PushPlan>,
    plans: usize,
}

impl Search<'_, '_> {
    /// Takes in these groups, or as many of them as can be.
    fn take(&mut self, groups: Range<usize>) {
        if groups.is_empty() || self.plans == PLANS_MAX {
            return;
        }
        self.plans += 1;
        let with: BTreeSet<usize> = self.accepted.iter().copied().chain(groups.clone()).collect();
        let task = self.groups.task(self.task, &with, self.why);
        match plan_task(&task) {
            Ok(attempt) if !attempt.torn && attempt.plan.holds.is_empty() && !leaves_empty(&task, &attempt.plan) => {
                (self.accepted, self.best) = (with, Some(attempt.plan));
            }
            Ok(_) | Err(_) if groups.len() > 1 => {
                let (first, second) = self.groups.halves(groups);
                self.take(first);
                self.take(second);
            }
            Ok(_) | Err(_) => {}
        }
    }
}
