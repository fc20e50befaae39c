//! What a file spells otherwise than the remote though both say the same: a person by the name that somebody typed, a link
//! to a heading by its words, the label of a footnote. Once such a text has landed the file takes the remote's way of
//! writing it, since what differs from the remote for ever would meet every later edit of the other side.

use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::mebdf::{self, Block, Content, Run, RunContent, print_block};

use super::sides::{Keys, Text};

/// Blocks of a file that its document does not say, as they are written.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeSet<String>);

impl Waiting {
    /// The blocks of a file that stand on these lines, which count from 1.
    pub(super) fn of(file: &str, lines: &[u32]) -> Self {
        if lines.is_empty() {
            return Self::default();
        }
        let ends: Vec<usize> = file.match_indices('\n').map(|(at, _)| at).collect();
        let line_of = |at: usize| u32::try_from(ends.partition_point(|end| *end < at) + 1).unwrap_or(u32::MAX);
        let blocks = mebdf::parse(file).tree.blocks;
        let here = |block: &&Block| {
            let (first, behind) = (line_of(block.span.0.start), line_of(block.span.0.end.saturating_sub(1)));
            lines.iter().any(|line| (first..=behind).contains(line))
        };
        Self(blocks.iter().filter(here).map(|block| print_block(&block.content)).collect())
    }
}

/// Returns a file that the remote says all of, but for what waits, with the remote's way of writing the blocks that the two
/// spell in different ways; `None` when there are none. All else of the file keeps its bytes.
///
/// References and definitions of footnotes need each other's labels, so all of them are the remote's or none is; where the
/// file has a definition says nothing.
pub(super) fn respelled(file: &str, remote: &str, waiting: &Waiting) -> Option<String> {
    let mut keys = Keys::default();
    let (file, remote) = (Text::read(file, &mut keys), Text::read(remote, &mut keys));
    let pairs = pairs(&file.tree.blocks, &remote.tree.blocks);
    let differ = |(i, j): &(usize, usize)| file.bare(&(*i..i + 1)) != remote.bare(&(*j..j + 1));
    let waits = |i: usize| {
        file.has_unsaid(i)
            || file.tree.blocks.get(i).is_some_and(|block| waiting.0.contains(&print_block(&block.content)))
    };
    let (mut theirs, kept): (BTreeMap<usize, usize>, BTreeMap<usize, usize>) =
        pairs.iter().copied().filter(differ).partition(|(i, _)| !waits(*i));
    // A footnote of which something is the file's own keeps the labels of all.
    let notes = |text: &Text<'_>| (0..text.len()).filter(|at| has_footnote(text, *at)).collect::<Vec<_>>();
    let (mine, others) = (notes(&file), notes(&remote));
    let paired = |at: &usize| pairs.iter().any(|(i, _)| i == at) && !kept.contains_key(at);
    if mine.len() != others.len() || !mine.iter().all(paired) {
        theirs.retain(|at, _| !has_footnote(&file, *at));
    }
    if theirs.is_empty() {
        return None;
    }
    let text = file.with(&theirs.iter().map(|(at, there)| (*at, remote.slice(&(*there..there + 1)))).collect())?;
    let said = |at| theirs.get(&at).map_or_else(|| file.bare(&(at..at + 1)), |there| remote.bare(&(*there..there + 1)));
    let expected: Vec<u32> = (0..file.len()).flat_map(said).copied().collect();
    let read = Text::read(&text, &mut keys);
    (read.bare(&(0..read.len())) == expected).then_some(text)
}

/// Pairs the blocks of a file with those of the remote that say the same but for their spelling: in their order, and
/// footnotes wherever they stand.
fn pairs(file: &[Block], remote: &[Block]) -> Vec<(usize, usize)> {
    let (mine, theirs) =
        (file.iter().map(unspelled).collect::<Vec<_>>(), remote.iter().map(unspelled).collect::<Vec<_>>());
    let texts = |said: &[String], blocks: &[Block]| -> Vec<(usize, String)> {
        let of_text = blocks.iter().zip(said).enumerate().filter(|(_, (block, _))| !is_footnote(block));
        of_text.map(|(at, (_, said))| (at, said.clone())).collect()
    };
    let (one, other) = (texts(&mine, file), texts(&theirs, remote));
    let said = |texts: &[(usize, String)]| texts.iter().map(|(_, said)| said.clone()).collect::<Vec<_>>();
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &said(&one), &said(&other)) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            found.extend((0..len).filter_map(|at| Some((one.get(old_index + at)?.0, other.get(new_index + at)?.0))));
        }
    }
    let mut free: Vec<usize> = (0..remote.len()).filter(|at| remote.get(*at).is_some_and(is_footnote)).collect();
    for (at, _) in file.iter().enumerate().filter(|(_, block)| is_footnote(block)) {
        if let Some(place) = free.iter().position(|there| theirs.get(*there) == mine.get(at)) {
            found.push((at, free.remove(place)));
        }
    }
    found
}

const fn is_footnote(block: &Block) -> bool {
    matches!(block.content, Content::Footnote { .. })
}

fn has_footnote(text: &Text<'_>, at: usize) -> bool {
    let is_reference = |run: &&Run| matches!(run.content, RunContent::FootnoteReference(_));
    text.blocks(&(at..at + 1)).iter().any(|block| is_footnote(block) || block.content.runs().iter().any(is_reference))
}

/// What a block says without what the remote has its own names for.
fn unspelled(block: &Block) -> String {
    let mut content = block.content.clone();
    match &mut content {
        Content::Heading { anchor, .. } => *anchor = None,
        Content::Footnote { label, .. } => label.clear(),
        Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. } => {}
    }
    for run in content.runs_mut() {
        if let Some(link) = run.marks.link.as_mut().filter(|link| link.starts_with('#')) {
            link.truncate(1);
        }
        match &mut run.content {
            RunContent::Anchor(id) => *id = None,
            RunContent::Object(object) => (object.id, object.title) = (None, None),
            RunContent::FootnoteReference(label) => label.clear(),
            RunContent::Text(_) => {}
        }
    }
    print_block(&content)
}
