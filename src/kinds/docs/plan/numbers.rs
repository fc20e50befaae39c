//! The numbers that the file writes at its items and the document would not have: a list that the file counts on from the item
//! above is made part of the list of that, and the rest is told. In the document a list is one wherever its items stand; the
//! file shows each run of items as one. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::align::Step;
use super::blocks::{aligned, entries, is_settled};
use super::edit::{Expected, What, range};
use super::joins::Blocks;
use super::lists;
use super::planner::Notices;
use super::trial::{Task, Trial};
use crate::gdocs::{DeleteParagraphBullets, Request};
use crate::kinds::docs::text::extract::{Extract, tab_of};
use crate::mebdf::{Block, Content, Mark, Numbered, numbered, print_block};

/// Most lists that one plan makes anew for the sake of their numbers; what would need more is told.
const TRIES_MAX: usize = 100;

/// An item that the file numbers otherwise than the document would.
pub(super) struct Differing {
    /// Its place among the blocks of the document.
    block: usize,
    line: u32,
    /// The number in the file.
    wanted: u64,
    /// The number in the document.
    is: u64,
    what: Wish,
    /// Nobody wrote its number: it is made where that can be, and nothing is told.
    had: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// To count on from the item above.
    Join,
    /// To begin with another number than 1.
    Start,
    /// To begin anew what was one list.
    Anew,
}

/// What is told of numbers: what is refused, and what goes with the edit.
#[derive(Default)]
pub(super) struct Told {
    pub(super) refused: Notices,
    pub(super) lost: Notices,
}

/// Joins the lists that the file counts on, tells of the numbers that cannot be made, and returns the elements whose lists
/// change, by their places before the text was edited.
pub(super) fn settle(trial: &mut Trial<'_>, expected: &[Expected], told: &mut Told) -> Vec<usize> {
    let file = File::read(trial.task);
    let (mut touched, mut tried) = (Vec::new(), BTreeSet::new());
    loop {
        let found = file.differing(&trial.extract);
        let is_new =
            |item: &&Differing| item.what == Wish::Join && tried.len() < TRIES_MAX && !tried.contains(&item.block);
        let Some(next) = found.iter().find(is_new) else {
            found.iter().filter(|item| !item.had).for_each(|item| item.tell(told));
            return touched;
        };
        tried.insert(next.block);
        let Some((blocks, requests)) = join(trial, &file, next, expected) else { continue };
        let before = trial.state();
        let done = trial.carry_out(requests);
        if done.is_err() || file.differing(&trial.extract).iter().any(|item| item.block == next.block) {
            trial.put_back(before);
            continue;
        }
        touched.extend(expected.get(blocks).into_iter().flatten().filter_map(|expected| expected.element));
    }
}

/// Tells whether the file numbers items otherwise than the document does.
pub(super) fn differ(task: &Task<'_>, extract: &Extract) -> bool {
    !File::read(task).differing(extract).is_empty()
}

impl Differing {
    fn tell(&self, told: &mut Told) {
        let Self { line, wanted, is, what, .. } = self;
        match what {
            Wish::Join => {
                let message = format!(
                    "in the document this item is {is} and not {wanted}: it begins another list there, which cannot be made part \
                     of the one above without changing items that nobody edited, or looks that no file shows; write {is} here, or \
                     take the list out, save, and write it anew"
                );
                told.refused.refuse("LIST_START", *line, message);
            }
            Wish::Start => {
                let message = format!(
                    "the API cannot set the number that a list begins with: in the document this item is {is} and not {wanted}, as \
                     a new list begins with 1 and one goes on only where it did; write {is} here"
                );
                told.refused.refuse("LIST_START", *line, message);
            }
            Wish::Anew => {
                let message = format!(
                    "in the document this item is {is}: it is still of the list above, which goes on behind what parts the two. To \
                     begin anew, save its items as paragraphs and then as items again"
                );
                told.lost.refuse("LIST_GOES_ON", *line, message);
            }
        }
    }
}

/// The numbers of the file.
struct File<'a> {
    task: &'a Task<'a>,
    /// Its numbered items, by the byte where each begins.
    items: BTreeMap<usize, Numbered>,
    /// The numbers that the file showed for them before, by the same.
    shown: BTreeMap<usize, u64>,
    /// The same by what they say.
    said: BTreeSet<(String, u64)>,
}

impl<'a> File<'a> {
    fn read(task: &'a Task<'a>) -> Self {
        let blocks = &task.parsed.blocks;
        let found = numbered(&task.text, &task.parsed);
        let items: BTreeMap<usize, Numbered> =
            found.into_iter().filter_map(|item| Some((blocks.get(item.block)?.span.0.start, item))).collect();
        let mut file = Self { task, items, shown: BTreeMap::new(), said: BTreeSet::new() };
        if file.items.is_empty() {
            return file;
        }
        let counted = numbered("", &task.remote.presented()).into_iter().map(|item| item.counted);
        let remote = task.remote.tree.blocks.iter().enumerate();
        let of_remote = remote.filter(|(_, block)| matches!(block.content, Content::Item { mark: Mark::Number, .. }));
        let were: BTreeMap<usize, u64> = of_remote.map(|(at, _)| at).zip(counted).collect();
        for (at, number) in &were {
            file.said.extend(task.remote.tree.blocks.get(*at).map(|block| (print_block(&block.content), *number)));
        }
        for (at, byte) in pairs(task, &task.remote) {
            file.shown.extend(were.get(&at).map(|number| (byte, *number)));
        }
        file
    }

    /// Finds the first item of each list of the file that has another number there than it would have.
    fn differing(&self, after: &Extract) -> Vec<Differing> {
        let mut found = Vec::new();
        if self.items.is_empty() {
            return found;
        }
        let mut is_told = false;
        for (at, byte) in pairs(self.task, after) {
            let (Some(item), Some(is)) = (self.items.get(&byte), after.numbers.get(at).copied().flatten()) else {
                continue;
            };
            is_told &= !item.is_first;
            let Some((literal, _)) = item.written else { continue };
            let name = after.looks.get(at).and_then(|look| look.list.as_deref());
            let start = name.and_then(|name| name.rsplit_once(' ')?.1.parse::<u64>().ok()).unwrap_or(1);
            if is_told || item.has(is) || literal == is.saturating_add(start).saturating_sub(1) {
                continue;
            }
            let what = match (item.is_first, literal) {
                (false, _) if is_behind_item(after, at) => Wish::Join,
                // What stands in an item of the file and in none of the document is told by itself.
                (false, _) => continue,
                (true, 1) => Wish::Anew,
                (true, _) => Wish::Start,
            };
            // A number that the file showed, or that an item brought along from where it stood, is no wish.
            let content = || after.tree.blocks.get(at).map(|block| print_block(&block.content)).unwrap_or_default();
            let had = match self.shown.get(&byte) {
                Some(number) => *number == literal,
                None => self.said.contains(&(content(), literal)),
            };
            // Right behind an item all but 1 counts on from that, whatever number it is: so it is read, and so it is made.
            if had && (what != Wish::Join || literal == 1) {
                continue;
            }
            is_told = true;
            let wanted = if item.is_first { literal } else { item.counted };
            found.push(Differing { block: at, line: self.task.line_at(byte), wanted, is, what, had });
        }
        found
    }

    /// Tells whether a list begins with a block of the file.
    fn begins(&self, byte: usize) -> bool {
        self.items.get(&byte).is_some_and(|item| item.is_first)
    }
}

/// Tells whether an item stands right behind another of its depth, with what is nested in that between the two.
fn is_behind_item(after: &Extract, at: usize) -> bool {
    let depth = |at: usize| match after.tree.blocks.get(at).map(|block| &block.content) {
        Some(Content::Item { depth, .. }) => Some(*depth),
        _ => None,
    };
    let above = (0..at).rev().find(|above| depth(*above).is_none_or(|above| Some(above) <= depth(at)));
    above.and_then(depth) == depth(at)
}

/// The items of a document that stand in the file, by their places among the blocks, and the bytes where they begin there.
fn pairs(task: &Task<'_>, remote: &Extract) -> Vec<(usize, usize)> {
    let (local, _) = task.local_for(remote);
    let (old, new) = entries(remote, &local, &task.staying);
    let is_item = |block: &Block| matches!(block.content, Content::Item { .. });
    let found = aligned(remote, &old, &new).into_iter().filter_map(|step| {
        let Step::Pair(i, j) = step else { return None };
        let (old, new) = (old.get(i)?, new.get(j)?.block);
        let stands = !is_settled(new) && new.span.0.start < task.text.len();
        (stands && is_item(old.block) && is_item(new)).then_some((old.index, new.span.0.start))
    });
    found.collect()
}

/// Finds what makes an item, and those that follow it in its list, part of the list of the item above: which blocks are made
/// anew, and by which requests.
///
/// `None` where something would be lost by that, or an item of another list that nobody edited would come into a new one.
fn join(
    trial: &Trial<'_>,
    file: &File<'_>,
    item: &Differing,
    expected: &[Expected],
) -> Option<(Range<usize>, Vec<Request>)> {
    let tab = tab_of(&trial.document, trial.task.part)?.document_tab.as_ref()?;
    let blocks = Blocks { tab, after: &trial.extract };
    let bytes: BTreeMap<usize, usize> = pairs(trial.task, &trial.extract).into_iter().collect();
    let (depth, mark, name) = blocks.item(item.block)?;
    let own = blocks.list(item.block)?;
    let is_deeper = |at: usize| blocks.item(at).is_some_and(|(of, ..)| of > depth);
    let above = (0..item.block).rev().find(|at| !is_deeper(*at))?;
    let list = blocks.list(above).filter(|list| *list != own && blocks.item(above) == Some((depth, mark, name)))?;
    // Right behind an item of that list what is made joins it.
    let start = (above + 1..=item.block).rev().take_while(|at| blocks.list(*at) != Some(list)).last()?;
    let begins = |at: usize| bytes.get(&at).is_none_or(|byte| file.begins(*byte));
    let goes_on = |at: &usize| is_deeper(*at) || (blocks.item(*at) == Some((depth, mark, name)) && !begins(*at));
    let mut end = item.block + 1 + (item.block + 1..).take_while(goes_on).count();
    // What is nested behind the last item, and in another list, stays as it is.
    while end > item.block + 1 && is_deeper(end - 1) && blocks.list(end - 1) != Some(own) {
        end -= 1;
    }
    let is_edited = |at: usize| expected.get(at).is_some_and(|expected| matches!(expected.what, What::Edited { .. }));
    if !(start..end).all(|at| blocks.list(at) == Some(own) || is_edited(at)) {
        return None;
    }
    let items = (start..end).map(|at| blocks.remade(at)).collect::<Option<Vec<_>>>()?;
    let preset = items.get(item.block - start)?.preset;
    let tab = trial.task.tab_id.as_deref();
    let range = range(None, tab, items.first()?.start, items.last()?.end);
    let mut requests = vec![Request::DeleteParagraphBullets(DeleteParagraphBullets { range })];
    requests.extend(lists::create_in_one(&items, preset, tab));
    Some((start..end, requests))
}
