//! Anchors in the text: `{^}` asks for one, `{^ id}` is one that stands. Pure.
//!
//! Docs keeps them as named ranges of one name of ours. The named ranges of other programs are not shown: a citation
//! manager sets one on every citation, and the text would drown. An anchor stands before what its range begins with. It is
//! no part of the text, so a tab is read without any, and they are shown when its file is written.

use super::extract::{Origin, lines};
use super::line::block_runs;
use crate::gdocs::{DocumentTab, NamedRange};
use crate::mebdf::{Block, Content, Marks, Run, RunContent, normalize_runs};

/// The name of the named ranges that are anchors.
pub(crate) const NAME: &str = "mcp-workspace anchor";

/// Anchors of one tab that are shown; more than anybody sets by hand.
const ANCHORS_MAX: usize = 10_000;

/// Where an anchor stands in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    /// Index among the block's paragraphs.
    pub(crate) paragraph: usize,
    /// Characters and objects of the paragraph before it, as the file shows them.
    pub(crate) offset: usize,
}

/// An anchor of the document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    /// Index among the blocks.
    pub(crate) block: usize,
    pub(crate) spot: Spot,
    /// `kix.…`
    pub(crate) id: String,
}

/// Tells whether a tab has anchors.
pub(crate) fn any(tab: &DocumentTab) -> bool {
    tab.named_ranges.contains_key(NAME)
}

/// Finds the anchors of a tab in its blocks, which know their places.
pub(crate) fn placed(tab: &DocumentTab, blocks: &[Block], origins: &[Origin]) -> Vec<Placed> {
    let Some(group) = tab.named_ranges.get(NAME) else { return Vec::new() };
    let mut starts: Vec<(Option<&str>, u32, &str)> = group.named_ranges.iter().filter_map(start).collect();
    starts.sort_unstable();
    starts.truncate(ANCHORS_MAX);
    let mut found = Vec::new();
    for (block, (content, origin)) in blocks.iter().zip(origins).enumerate() {
        let lines = lines(origin);
        if paragraphs(&content.content).len() != lines.len() {
            continue;
        }
        for (paragraph, line) in lines.into_iter().enumerate() {
            let segment = line.segment.as_deref();
            let first = starts.partition_point(|(other, at, _)| (*other, *at) < (segment, line.start));
            let here = starts.iter().skip(first).take_while(|(other, at, _)| *other == segment && *at < line.end);
            for (_, at, id) in here {
                let offset = line.units.iter().take_while(|unit| unit.at < *at || unit.len == 0).count();
                // At its begin, a heading without an id would take it for its own.
                let heads = matches!(content.content, Content::Heading { anchor: None, .. }) && offset == 0;
                if !heads {
                    found.push(Placed { block, spot: Spot { paragraph, offset }, id: (*id).to_owned() });
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// The segment and place that a named range begins at, and its id.
fn start(named: &NamedRange) -> Option<(Option<&str>, u32, &str)> {
    let first = named.ranges.iter().min_by_key(|range| range.start_index)?;
    let segment = first.segment_id.as_deref().filter(|segment| !segment.is_empty());
    Some((segment, first.start_index.unwrap_or(0), named.named_range_id.as_str()))
}

/// Shows anchors in the blocks that they stand in, by the names that `name` gives to their ids.
pub(crate) fn show(blocks: &mut [Block], anchors: &[Placed], name: impl Fn(&str) -> Option<String>) {
    for anchor in anchors.iter().rev() {
        let Some(content) = blocks.get_mut(anchor.block).map(|block| &mut block.content) else { continue };
        let one_line = matches!(content, Content::Heading { .. } | Content::Table { .. });
        let Some(runs) = paragraphs_mut(content).into_iter().nth(anchor.spot.paragraph) else { continue };
        insert(runs, anchor.spot.offset, RunContent::Anchor(name(&anchor.id)));
        *runs = normalize_runs(std::mem::take(runs), one_line);
    }
}

/// Inserts something into runs behind so many characters and objects.
fn insert(runs: &mut Vec<Run>, offset: usize, content: RunContent) {
    let mut passed = 0;
    for at in 0..runs.len() {
        let Some(run) = runs.get_mut(at) else { break };
        let count = if let RunContent::Text(text) = &run.content {
            text.chars().count()
        } else {
            usize::from(!matches!(run.content, RunContent::Anchor(_)))
        };
        if passed + count < offset || (passed + count == offset && count == 0) {
            passed += count;
            continue;
        }
        let marks = run.marks.clone();
        let mut behind = None;
        if let RunContent::Text(text) = &mut run.content {
            let split = text.char_indices().nth(offset - passed).map_or(text.len(), |(byte, _)| byte);
            behind = Some(text.split_off(split)).filter(|rest| !rest.is_empty());
        }
        // An object has one place, and the anchor is before or behind it.
        let place = at + usize::from(passed < offset || matches!(run.content, RunContent::Text(_)));
        let marks_of_anchor = if behind.is_some() { marks.clone() } else { Marks::default() };
        let mut pieces = vec![Run { content, marks: marks_of_anchor }];
        pieces.extend(behind.map(|rest| Run { content: RunContent::Text(rest), marks }));
        runs.splice(place..place, pieces);
        runs.retain(|run| !matches!(&run.content, RunContent::Text(text) if text.is_empty()));
        return;
    }
    runs.push(Run { content, marks: Marks::default() });
}

/// The runs of each paragraph of a block.
pub(crate) fn paragraphs(content: &Content) -> Vec<&[Run]> {
    match content {
        Content::Table { rows, .. } => rows.iter().flatten().flatten().map(Vec::as_slice).collect(),
        Content::Footnote { paragraphs, .. } => paragraphs.iter().map(Vec::as_slice).collect(),
        Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. } | Content::ItemParagraph { .. } => {
            vec![block_runs(content)]
        }
        Content::Code { .. } | Content::Rule | Content::Directive { .. } => Vec::new(),
    }
}

/// The same, to be changed.
pub(crate) fn paragraphs_mut(content: &mut Content) -> Vec<&mut Vec<Run>> {
    match content {
        Content::Table { rows, .. } => rows.iter_mut().flatten().flatten().collect(),
        Content::Footnote { paragraphs, .. } => paragraphs.iter_mut().collect(),
        Content::Heading { runs, .. }
        | Content::Paragraph { runs }
        | Content::Item { runs, .. }
        | Content::ItemParagraph { runs, .. } => vec![runs],
        Content::Code { .. } | Content::Rule | Content::Directive { .. } => Vec::new(),
    }
}
