//! What a file says and no document ever does, such as the language of code, stays in the file as an edit for ever. Where
//! somebody else edits the same block, only one side edited what both can say: the two are woven into one text.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::sides::{Keys, Text};
use crate::mebdf::{Block, Content, Mark, Marks, RunContent, print_block};

/// Returns a base and a file in which the remote's edits stand of all blocks of which the file changed nothing that a document
/// can say; `None` when there are none. The words of both are those of the remote there, which is checked.
pub(super) fn woven(base: &str, local: &str, remote: &str) -> Option<(String, String)> {
    let mut keys = Keys::default();
    let read = |text, keys: &mut Keys| Text::read(text, keys);
    let (base, local, remote) = (read(base, &mut keys), read(local, &mut keys), read(remote, &mut keys));
    let theirs = edited(&base, &remote);
    let (mut of_base, mut of_local) = (BTreeMap::new(), BTreeMap::new());
    for (was, mine) in unsaid(&base, &local) {
        let Some(there) = theirs.get(&was) else { continue };
        let slice = |text: &Text<'_>, at: usize| text.slice(&(at..at + 1)).trim_end_matches('\n').to_owned();
        if let Some(text) = merged(&slice(&base, was), &slice(&local, mine), &slice(&remote, *there)) {
            of_base.insert(was, (slice(&remote, *there), *there));
            of_local.insert(mine, (text, *there));
        }
    }
    if of_local.is_empty() {
        return None;
    }
    Some((put(&base, &of_base, &remote)?, put(&local, &of_local, &remote)?))
}

/// Finds the blocks of the file that say what they said in the base, but for what no document says.
fn unsaid(base: &Text<'_>, local: &Text<'_>) -> Vec<(usize, usize)> {
    let said = |text: &Text<'_>| text.tree.blocks.iter().map(said).collect::<Vec<_>>();
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &said(base), &said(local)) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            let pairs = (0..len).map(|at| (old_index + at, new_index + at));
            found.extend(pairs.filter(|(was, is)| base.bare(&(*was..was + 1)) != local.bare(&(*is..is + 1))));
        }
    }
    found
}

/// Finds the blocks of the base that the remote edited, each with the one it became.
fn edited(base: &Text<'_>, remote: &Text<'_>) -> BTreeMap<usize, usize> {
    let (one, other) = (base.bare(&(0..base.len())), remote.bare(&(0..remote.len())));
    let mut found = BTreeMap::new();
    for op in capture_diff_slices(Algorithm::Patience, one, other) {
        if let DiffOp::Replace { old_index, old_len, new_index, new_len } = op
            && old_len == new_len
        {
            found.extend((0..old_len).map(|at| (old_index + at, new_index + at)));
        }
    }
    found
}

/// What a block says in a document.
fn said(block: &Block) -> String {
    let mut content = block.content.clone();
    match &mut content {
        Content::Code { info, text } => {
            info.clear();
            *text = text.lines().map(|line| format!("{}\n", line.trim_end_matches([' ', '\t']))).collect();
        }
        Content::Heading { anchor, .. } => *anchor = None,
        Content::Item { mark: Mark::Task { checked }, .. } => *checked = false,
        Content::Item { .. }
        | Content::Paragraph { .. }
        | Content::ItemParagraph { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => {}
    }
    for run in content.runs_mut() {
        if matches!(run.content, RunContent::Object(_)) {
            run.marks = Marks::default();
        }
    }
    print_block(&content)
}

/// A text with other blocks in places, each with the place of the remote's; `None` when it would not say there what the remote
/// says, or something else elsewhere.
fn put(text: &Text<'_>, blocks: &BTreeMap<usize, (String, usize)>, remote: &Text<'_>) -> Option<String> {
    let out = text.with(&blocks.iter().map(|(at, (instead, _))| (*at, instead.clone())).collect())?;
    let there = |(at, block)| blocks.get(&at).map_or(Some(block), |(_, there)| remote.tree.blocks.get(*there));
    let expected: Option<Vec<String>> = text.tree.blocks.iter().enumerate().map(|at| there(at).map(said)).collect();
    let found: Vec<String> = crate::mebdf::parse(&out).tree.blocks.iter().map(said).collect();
    (found == expected?).then_some(out)
}

/// A change of a text: what of it goes, in words, and what comes instead.
type Change = (Range<usize>, String);

/// Makes the changes that lead from `base` to `one` and to `other`; `None` where they meet.
fn merged(base: &str, one: &str, other: &str) -> Option<String> {
    let words = |text: &'_ str| text.split_word_bounds().map(str::to_owned).collect::<Vec<_>>();
    let base = words(base);
    let changes = |text: &str| -> Vec<Change> {
        let text = words(text);
        let ops = capture_diff_slices(Algorithm::Myers, &base, &text);
        let differ = ops.into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
        differ.map(|op| (op.old_range(), text.get(op.new_range()).unwrap_or_default().concat())).collect()
    };
    let mut all = [changes(one), changes(other)].concat();
    all.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut at, mut last) = (String::new(), 0, None);
    for (range, text) in all {
        // Both may not insert at one place, since nobody knows in which order.
        if range.start < at || last == Some(range.start) {
            return None;
        }
        out.push_str(&base.get(at..range.start)?.concat());
        out.push_str(&text);
        (at, last) = (range.end, Some(range.end));
    }
    out.push_str(&base.get(at..)?.concat());
    Some(out)
}
