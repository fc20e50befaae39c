//! The numbers that a file writes at its lists. They are no part of what a block means, since Markdown counts by itself
//! and a list may be written `1. 1. 1.`; but who sets another first number wants the list to begin with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::hunks::{Region, Verdict};
use super::sides::{Keys, Text};
use crate::mebdf::{self, Content, Mark, Tree};

/// An item of a numbered list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbered {
    /// Its block.
    block: usize,
    /// The number that it has, counted from the first of its list.
    counted: u64,
    /// The number that is written, and where.
    written: Option<(u64, Range<usize>)>,
    /// Whether its list begins with it.
    is_first: bool,
}

impl Numbered {
    /// The number that its list begins with, unless that is the one with which every list does.
    fn start(&self) -> Option<u64> {
        self.written.as_ref().map(|(number, _)| *number).filter(|number| self.is_first && *number != 1)
    }

    fn has(&self, number: u64) -> bool {
        self.counted == number || self.written.as_ref().is_some_and(|(written, _)| *written == number)
    }
}

/// Finds the items of numbered lists.
fn numbered(text: &str, tree: &Tree) -> Vec<Numbered> {
    let mut found = Vec::new();
    // The number of the last item at each depth, as long as its list goes on.
    let mut counts: Vec<Option<u64>> = Vec::new();
    for (block, one) in tree.blocks.iter().enumerate() {
        let (depth, mark) = match &one.content {
            Content::Item { depth, mark, .. } => (usize::from(*depth), *mark),
            Content::ItemParagraph { .. } => continue,
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule
            | Content::Directive { .. }
            | Content::Footnote { .. } => {
                counts.clear();
                continue;
            }
        };
        counts.resize(depth + 1, None);
        let Some(count) = counts.get_mut(depth) else { continue };
        if mark != Mark::Number {
            *count = None;
            continue;
        }
        let written = digits(text, one.span.0.start);
        let spelled = written.as_ref().map(|(number, _)| *number);
        let is_first = count.is_none();
        let counted = count.map_or_else(|| spelled.unwrap_or(1), |before| before.saturating_add(1));
        *count = Some(counted);
        found.push(Numbered { block, counted, written, is_first });
    }
    found
}

/// The number that a line begins with, and where it stands.
fn digits(text: &str, line: usize) -> Option<(u64, Range<usize>)> {
    let rest = text.get(line..)?;
    let start = line + rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let rest = text.get(start..)?;
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..length)?.parse().ok()?;
    Some((number, start..start + length))
}

/// The first numbers of the file's lists, by block.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Those that a person has set.
    pub(super) set: BTreeSet<usize>,
    /// Those that an item brought along from where it stood in the base: what stood before it has gone.
    brought: BTreeMap<usize, u64>,
}

/// Tells the first numbers that a person has set from those that were left by other edits.
pub(super) fn starts(base: &Text<'_>, local: &Text<'_>, regions: &[Region]) -> Starts {
    let mine: Vec<(Numbered, u64)> = numbered(local.text, &local.tree)
        .into_iter()
        .filter_map(|item| item.start().map(|start| (item, start)))
        .collect();
    let mut found = Starts::default();
    if mine.is_empty() {
        return found;
    }
    let base_items = numbered(base.text, &base.tree);
    let places = places(regions);
    for (item, start) in mine {
        let key = local.bare(&(item.block..item.block + 1));
        let was = |old: &&Numbered| base.bare(&(old.block..old.block + 1)) == key;
        let has_been = base_items.iter().filter(was).any(|old| old.has(start));
        // An item that was also changed is told by its place.
        let here = places.iter().find(|(_, local)| local.contains(&item.block));
        let replaces = here.is_some_and(|(was, is)| {
            let mut old = base_items.iter().filter(|old| was.contains(&old.block));
            if was.len() == is.len() {
                let at = was.start + item.block - is.start;
                old.any(|old| old.block == at && old.has(start))
            } else {
                old.any(|old| old.has(start))
            }
        });
        if has_been || replaces {
            found.brought.insert(item.block, start);
        } else {
            found.set.insert(item.block);
        }
    }
    found
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

/// Lets every list of a text begin with 1 but for those that begin with a block that `keeps`.
pub(super) fn plain(text: String, keys: &mut Keys, keeps: impl Fn(usize) -> bool) -> String {
    let items = numbered(&text, &mebdf::parse(&text).tree);
    let others = items.into_iter().filter(|item| item.start().is_some() && !keeps(item.block));
    let edits: Vec<_> = others.filter_map(|item| Some((item.written?.1, 1))).collect();
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
    let items = numbered(from, &mebdf::parse(from).tree);
    let starts: BTreeMap<usize, u64> = items.iter().filter_map(|item| Some((item.block, item.start()?))).collect();
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
    let (base, remote) = (mebdf::parse(base).tree, mebdf::parse(remote).tree);
    let contents = |tree: &Tree| tree.blocks.iter().map(|block| block.content.clone()).collect::<Vec<_>>();
    base.front_matter == remote.front_matter && contents(&base) == contents(&remote)
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
    let firsts = numbered(onto.text, &onto.tree).into_iter().filter(|item| item.is_first);
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
