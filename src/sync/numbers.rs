//! The numbers that a file writes at its lists. They are no part of what a block means, since Markdown counts by itself
//! and a list may be written `1. 1. 1.`; but who sets another first number wants the list to begin with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::hunks::{Region, Verdict};
use super::readings;
use super::sides::{Keys, Text};
use crate::mebdf::{Content, Numbered, numbered};

/// The number that the list of an item begins with, unless that is the one with which every list does.
fn start(item: &Numbered) -> Option<u64> {
    item.written.as_ref().map(|(number, _)| *number).filter(|number| item.is_first && *number != 1)
}

/// The first numbers of the file's lists, by block.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Those that a person has set.
    pub(super) set: BTreeSet<usize>,
    /// Those that an item brought along from where it stood in the base: what stood before it has gone.
    brought: BTreeMap<usize, u64>,
}

/// Tells the numbers that a person has set from those that were left by other edits: the first of a list, and that of an
/// item that begins a list on one side and goes on with another on the other.
pub(super) fn starts(base: &Text<'_>, local: &Text<'_>, regions: &[Region]) -> Starts {
    let mut found = Starts::default();
    let mine = numbered(local.text, local.tree());
    if mine.is_empty() {
        return found;
    }
    let olds = Olds::read(base, local, regions);
    for item in mine {
        let Some((number, _)) = item.written else { continue };
        if !item.is_first {
            let begins = |old: &&Numbered| old.is_first || !old.is_written(old.counted);
            let (mut same, is_counted) = (olds.same(item.block), number == item.counted);
            if is_counted && same.clone().any(|old| begins(&old)) && !same.any(|old| old.is_written(number)) {
                found.set.insert(item.block);
            }
        } else if number != 1 {
            if olds.same(item.block).any(|old| old.has(number)) || olds.replaced(item.block).any(|old| old.has(number))
            {
                found.brought.insert(item.block, number);
            } else {
                found.set.insert(item.block);
            }
        } else {
            // It begins anew what went on before.
            let mut was = olds.same(item.block).chain(olds.replaced(item.block)).peekable();
            if was.peek().is_some() && !was.any(|old| old.has(1)) {
                found.set.insert(item.block);
            }
        }
    }
    found
}

/// The numbered items of the base, to be asked for by those of the file.
struct Olds<'a> {
    items: Vec<Numbered>,
    /// The items by what they say.
    by_key: BTreeMap<&'a [u32], Vec<usize>>,
    /// Where each region that the file changed stands in the base and in the file.
    places: Vec<(Range<usize>, Range<usize>)>,
    local: &'a Text<'a>,
}

impl<'a> Olds<'a> {
    fn read(base: &'a Text<'_>, local: &'a Text<'_>, regions: &[Region]) -> Self {
        let items = numbered(base.text, base.tree());
        let mut by_key: BTreeMap<&[u32], Vec<usize>> = BTreeMap::new();
        for (at, old) in items.iter().enumerate() {
            by_key.entry(base.bare(&(old.block..old.block + 1))).or_default().push(at);
        }
        Self { items, by_key, places: places(regions), local }
    }

    /// Those that say what a block of the file does.
    fn same(&self, block: usize) -> impl Iterator<Item = &Numbered> + Clone {
        let found = self.by_key.get(self.local.bare(&(block..block + 1)));
        found.into_iter().flatten().filter_map(|at| self.items.get(*at))
    }

    /// Those in whose place a block of the file stands: an item that was also changed is told by its place.
    fn replaced(&self, block: usize) -> impl Iterator<Item = &Numbered> {
        let here = self.places.iter().find(|(_, local)| local.contains(&block));
        let was = here.map_or(0..0, |(was, is)| {
            let at = was.start + block - is.start;
            if was.len() == is.len() { at..at + 1 } else { was.clone() }
        });
        self.items.iter().filter(move |old| was.contains(&old.block))
    }
}

/// Where each region that the file changed stands in the base and in the file.
fn places(regions: &[Region]) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut at, mut passed) = (0, 0);
    let mut places = Vec::with_capacity(regions.len());
    for region in regions {
        at += region.base.start.saturating_sub(passed);
        passed = region.base.end;
        let here = at..at + region.local_len;
        at = here.end;
        if region.verdict != Verdict::Remote {
            places.push((region.base.clone(), here));
        }
    }
    places
}

/// Tells whether a file that otherwise says what its base does sets the first number of a list.
pub(super) fn are_set(base: &str, local: &str) -> bool {
    let mut keys = Keys::default();
    let (base, local) = (Text::read(base, &mut keys), Text::read(local, &mut keys));
    !starts(&base, &local, &[]).set.is_empty()
}

/// The blocks of the lists in which a person has set a first number: they are pushed as the file has them.
pub(super) fn lists_of(starts: &Starts, local: &Text<'_>) -> BTreeSet<usize> {
    let is_listed =
        |at: &usize| matches!(local.content(*at), Some(Content::Item { .. } | Content::ItemParagraph { .. }));
    let mut found = BTreeSet::new();
    for block in &starts.set {
        found.extend((0..*block).rev().take_while(is_listed));
        found.extend((*block..local.len()).take_while(is_listed));
    }
    found
}

/// Lets every list of a text begin with 1 but for those that begin with a block that `keeps`, which is also told whether a
/// numbered item of that depth stands before it: a list may go on there.
pub(super) fn plain(text: String, keys: &mut Keys, keeps: impl Fn(usize, bool) -> bool) -> String {
    let reading = readings::of(&text);
    let tree = &reading.parsed.tree;
    let mut depths = BTreeSet::new();
    let mut edits = Vec::new();
    for item in numbered(&text, tree) {
        let goes_on = match tree.blocks.get(item.block).map(|block| &block.content) {
            Some(Content::Item { depth, .. }) => !depths.insert(*depth),
            _ => false,
        };
        if start(&item).is_some() && !keeps(item.block, goes_on) {
            edits.extend(item.written.map(|(_, place)| (place, 1)));
        }
    }
    written(&text, &edits, keys).unwrap_or(text)
}

/// Lets the lists of `onto` begin with the numbers that its items have brought along in the file, so that what was
/// brought once is not taken for set later.
pub(super) fn brought(starts: &Starts, local: &Text<'_>, onto: String, keys: &mut Keys) -> String {
    if starts.brought.is_empty() {
        return onto;
    }
    carried(local, |block| starts.brought.get(&block).copied(), &onto, keys).unwrap_or(onto)
}

/// Lets the lists of `onto` begin with the numbers that they begin with in `from`.
pub(super) fn carry(from: &str, onto: String) -> String {
    let items = numbered(from, &readings::of(from).parsed.tree);
    let starts: BTreeMap<usize, u64> = items.iter().filter_map(|item| Some((item.block, start(item)?))).collect();
    if starts.is_empty() {
        return onto;
    }
    let mut keys = Keys::default();
    let from = Text::read(from, &mut keys);
    carried(&from, |block| starts.get(&block).copied(), &onto, &mut keys).unwrap_or(onto)
}

/// Tells whether `base` is `remote` with other numbers at its lists.
pub(super) fn is_written(base: &str, remote: &str) -> bool {
    fn others(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(|byte| !byte.is_ascii_digit())
    }
    // Most texts that differ do so elsewhere, and need not be read to see that.
    if !others(base).eq(others(remote)) {
        return false;
    }
    readings::of(base).parsed.tree == readings::of(remote).parsed.tree
}

fn carried(from: &Text<'_>, start: impl Fn(usize) -> Option<u64>, onto: &str, keys: &mut Keys) -> Option<String> {
    let onto = Text::read(onto, keys);
    let mut pairs = BTreeMap::new();
    let (one, other) = (from.bare(&(0..from.len())), onto.bare(&(0..onto.len())));
    for op in capture_diff_slices(Algorithm::Myers, one, other) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|at| (new_index + at, old_index + at)));
        }
    }
    let firsts = numbered(onto.text, onto.tree()).into_iter().filter(|item| item.is_first);
    let edits: Vec<_> = firsts
        .filter_map(|item| Some((item.written?.1, pairs.get(&item.block).and_then(|from| start(*from))?)))
        .collect();
    written(onto.text, &edits, keys)
}

/// A text with other numbers; `None` when there are none, or when it would say something else.
fn written(text: &str, edits: &[(Range<usize>, u64)], keys: &mut Keys) -> Option<String> {
    if edits.is_empty() {
        return None;
    }
    let mut out = text.to_owned();
    for (range, number) in edits.iter().rev() {
        out.replace_range(range.clone(), &number.to_string());
    }
    let is_same = Text::read(&out, keys).keys == Text::read(text, keys).keys;
    is_same.then_some(out)
}
