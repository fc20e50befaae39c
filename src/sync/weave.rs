//! Blocks that both sides edited, where the two edits do not meet: they are woven into one block before the texts are merged.
//!
//! What a file says and no document ever does, such as the language of code, stays in the file as an edit for ever: where
//! somebody else edits the same block, only one side edited what both can say. And both may have edited different words.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::hunks::{self, Verdict};
use super::moved;
use super::readings;
use super::sides::{Keys, Text};
use super::within;
use crate::mebdf::{Block, Content, Mark, Marks, Run, RunContent, print_block};

/// Blocks of one text, at most, in which words are woven; the others are conflicts.
const BLOCKS_MAX: usize = 100;

/// What stands in the place of a block: its lines, and what they say.
type Instead<'a> = BTreeMap<usize, (String, &'a Content)>;

/// Returns a base and a file in which the remote's edits stand of all blocks of which the file changed nothing that a document
/// can say; `None` when there are none. The words of both are those of the remote there, which is checked.
pub(super) fn unsaid(base: &str, local: &str, remote: &str) -> Option<(String, String)> {
    let mut keys = Keys::default();
    let [base, local, remote] = [base, local, remote].map(|text| Text::read(text, &mut keys));
    let theirs = edited(&base, &remote);
    let (mut of_base, mut of_local) = (Instead::new(), Instead::new());
    for (was, mine) in dressed_only(&base, &local) {
        let Some(there) = theirs.get(&was).copied() else { continue };
        let Some(content) = remote.content(there) else { continue };
        let lines = lines(&remote, there);
        if let Some(text) = within::merged_text(&self::lines(&base, was), &self::lines(&local, mine), &lines) {
            of_base.insert(was, (lines, content));
            of_local.insert(mine, (text, content));
        }
    }
    if of_local.is_empty() {
        return None;
    }
    Some((put(&base, &of_base, said)?, put(&local, &of_local, said)?))
}

/// The texts of a merge once the edits of both sides stand together where they edited different words of a block.
pub(super) struct Woven {
    /// The base with the remote's blocks there.
    pub(super) base: String,
    /// The file with the edits of both there.
    pub(super) local: String,
    /// The remote without its own edits there.
    pub(super) remote: String,
}

/// A block that holds the edits of both sides.
struct Blend {
    was: usize,
    mine: usize,
    theirs: usize,
    lines: String,
    content: Content,
}

/// Weaves the edits of both sides where they edited different words of a block, in sections in which they meet nowhere;
/// `None` when there are none such.
pub(super) fn words(base: &str, local: &str, remote: &str) -> Option<Woven> {
    let mut keys = Keys::default();
    let texts = [base, local, remote].map(|text| Text::read(text, &mut keys));
    let [old, mine, theirs] = &texts;
    let places = hunks::edited_by_both(old, mine, theirs);
    if places.is_empty() {
        return None;
    }
    let [here, there] = [mine, theirs].map(|text| moved::Brought::by(old, text));
    let stays =
        |[was, mine, theirs]: &[usize; 3]| !here.has_elsewhere(*was, *mine) && !there.has_elsewhere(*was, *theirs);
    let places = places.into_iter().take(BLOCKS_MAX).filter(stays);
    let mut blends: Vec<Blend> = places.filter_map(|[was, mine, theirs]| blend(&texts, was, mine, theirs)).collect();
    spell(mine, &mut blends);
    while !blends.is_empty() {
        let woven = woven(&texts, &blends)?;
        let [old, mine] = [&woven.base, &woven.local].map(|text| Text::read(text, &mut keys));
        let regions = moved::regions(&old, &mine, theirs);
        let is_frozen = |blend: &Blend| {
            let frozen = regions.iter().filter(|region| region.verdict == Verdict::Conflict);
            frozen.into_iter().any(|region| region.base.contains(&blend.was))
        };
        let count = blends.len();
        blends.retain(|blend| !is_frozen(blend));
        if blends.len() == count {
            return Some(woven);
        }
    }
    None
}

/// Puts the edits of both sides into one block, written as the file writes it.
fn blend([base, local, remote]: &[Text<'_>; 3], was: usize, mine: usize, theirs: usize) -> Option<Blend> {
    if local.has_unsaid(mine) {
        return None;
    }
    let content = within::merged(base.content(was)?, local.content(mine)?, remote.content(theirs)?)?;
    let as_written = within::merged_text(&lines(base, was), &lines(local, mine), &lines(remote, theirs));
    let lines = as_written.unwrap_or_else(|| print_block(&content));
    Some(Blend { was, mine, theirs, lines, content })
}

/// Spells the blocks in canonical form that would not say what they shall as the file writes them; drops those that do so in
/// neither way.
fn spell(local: &Text<'_>, blends: &mut Vec<Blend>) {
    let says = |blends: &[Blend]| {
        let instead = blends.iter().map(|blend| (blend.mine, (blend.lines.clone(), &blend.content))).collect();
        put(local, &instead, flowing).is_some()
    };
    if says(blends) {
        return;
    }
    blends.retain_mut(|blend| {
        says(std::slice::from_ref(blend)) || {
            blend.lines = print_block(&blend.content);
            says(std::slice::from_ref(blend))
        }
    });
}

fn woven([base, local, remote]: &[Text<'_>; 3], blends: &[Blend]) -> Option<Woven> {
    let (mut of_base, mut of_local, mut of_remote) = (Instead::new(), Instead::new(), Instead::new());
    for blend in blends {
        of_base.insert(blend.was, (lines(remote, blend.theirs), remote.content(blend.theirs)?));
        of_local.insert(blend.mine, (blend.lines.clone(), &blend.content));
        of_remote.insert(blend.theirs, (lines(base, blend.was), base.content(blend.was)?));
    }
    Some(Woven {
        base: put(base, &of_base, flowing)?,
        local: put(local, &of_local, flowing)?,
        remote: put(remote, &of_remote, flowing)?,
    })
}

fn lines(text: &Text<'_>, at: usize) -> String {
    text.slice(&(at..at + 1)).trim_end_matches('\n').to_owned()
}

/// Finds the blocks of the file that say what they said in the base, but for what no document says.
fn dressed_only(base: &Text<'_>, local: &Text<'_>) -> Vec<(usize, usize)> {
    let said = |text: &Text<'_>| text.tree().blocks.iter().map(|block| said(&block.content)).collect::<Vec<_>>();
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
fn said(content: &Content) -> String {
    let mut content = content.clone();
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

/// What a block says in the file, without the anchor of a heading; a soft break is the space that it means.
fn flowing(content: &Content) -> String {
    let mut content = content.clone();
    if let Content::Heading { anchor, .. } = &mut content {
        *anchor = None;
    }
    content.runs_mut().into_iter().for_each(Run::flow);
    print_block(&content)
}

/// A text with other blocks in places; `None` when it would not say there what it shall, or something else elsewhere.
fn put(text: &Text<'_>, blocks: &Instead<'_>, says: fn(&Content) -> String) -> Option<String> {
    let out = text.with(&blocks.iter().map(|(at, (lines, _))| (*at, lines.clone())).collect())?;
    let there = |(at, block): (usize, &Block)| blocks.get(&at).map_or_else(|| says(&block.content), |(_, it)| says(it));
    let expected: Vec<String> = text.tree().blocks.iter().enumerate().map(there).collect();
    let found: Vec<String> = readings::of(&out).parsed.tree.blocks.iter().map(|block| says(&block.content)).collect();
    (found == expected).then_some(out)
}
