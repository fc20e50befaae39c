//! What a file spells otherwise than the remote though both say the same: a person by the name that somebody typed, a link
//! to a heading by its words, the label of a footnote. Once such a text has landed the file takes the remote's way of
//! writing it, since what differs from the remote for ever would meet every later edit of the other side.

use std::ops::Range;

use crate::mebdf::{Block, Content, Run, RunContent, print_block};

use super::hunks::{Region, Verdict};
use super::sides::Text;

/// Leaves to the file what the remote says otherwise in more than its spelling. Before, every region is the remote's.
///
/// References and definitions of footnotes need each other's labels, so all of them are the remote's or none is; where the
/// file has a definition says nothing.
pub(super) fn keep_others(regions: &mut [Region], file: &Text<'_>, remote: &Text<'_>) {
    let mut at = Places::default();
    let mut notes = [Vec::new(), Vec::new()];
    let mut judged = Vec::with_capacity(regions.len());
    for region in regions.iter() {
        let (mine, theirs) = at.next(region);
        let sides = [file.blocks(&mine), remote.blocks(&theirs)];
        let has_unsaid = mine.clone().any(|block| file.has_unsaid(block));
        let same = !has_unsaid && of_text(sides[0]).eq(of_text(sides[1]));
        let has_footnote = sides.into_iter().flatten().any(has_footnote);
        judged.push((same, has_footnote));
        for (notes, blocks) in notes.iter_mut().zip(sides) {
            notes.extend(blocks.iter().filter(|block| is_footnote(block)).map(|block| print_block(&unspelled(block))));
        }
    }
    notes.iter_mut().for_each(|notes| notes.sort_unstable());
    let notes_agree = notes[0] == notes[1] && judged.iter().all(|(same, has_footnote)| *same || !has_footnote);
    for (region, (same, has_footnote)) in regions.iter_mut().zip(judged) {
        if !same || has_footnote && !notes_agree {
            region.verdict = Verdict::Local;
        }
    }
}

/// Where the regions stand in the file and in the remote.
#[derive(Default)]
struct Places {
    base: usize,
    mine: usize,
    theirs: usize,
}

impl Places {
    fn next(&mut self, region: &Region) -> (Range<usize>, Range<usize>) {
        let same = region.base.start.saturating_sub(self.base);
        let mine = self.mine + same..self.mine + same + region.local_len;
        let theirs = self.theirs + same..self.theirs + same + region.remote_len;
        *self = Self { base: region.base.end, mine: mine.end, theirs: theirs.end };
        (mine, theirs)
    }
}

/// What blocks say but for their footnotes.
fn of_text(blocks: &[Block]) -> impl Iterator<Item = Content> {
    blocks.iter().filter(|block| !is_footnote(block)).map(unspelled)
}

const fn is_footnote(block: &Block) -> bool {
    matches!(block.content, Content::Footnote { .. })
}

fn has_footnote(block: &Block) -> bool {
    let is_reference = |run: &&Run| matches!(run.content, RunContent::FootnoteReference(_));
    is_footnote(block) || block.content.runs().iter().any(is_reference)
}

/// A block without what the remote has its own names for.
fn unspelled(block: &Block) -> Content {
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
    content
}
