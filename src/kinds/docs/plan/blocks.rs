//! The blocks of both sides: which became which, and what stands between. Pure.

use std::cell::OnceCell;
use std::rc::Rc;

use super::align::{BLANK, Stay, Step, align};
use super::edit::{Expected, Shape, shape};
use super::moves::Staying;
use super::planner::{Planner, because, text_of, words_of};
use super::words::similarity;
use super::{gap, moves, paragraphs, seats, tables};
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::flat::{Flat, Look};
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::mebdf::{Alignment, Block, Content, Tree, print_block};

/// A block of one side, with its place among all blocks of its side and how it is styled.
pub(super) struct Entry<'a> {
    /// Its place among all blocks.
    pub(super) index: usize,
    /// The block.
    pub(super) block: &'a Block,
    /// How it is styled.
    pub(super) look: &'a Look,
    /// What makes it the same as another.
    pub(super) key: String,
    /// What would be lost if it moved; looked for where both sides differ alone.
    pub(super) fixed: Option<String>,
    /// Whether the file, as it was edited, leaves it where it is; looked for there, too.
    kept: bool,
    /// Whether it is a heading that a change of structure made, so that its id stood elsewhere; looked for there, too.
    pub(super) made: bool,
}

impl Entry<'_> {
    fn stay(&self) -> Stay {
        match self.block.content {
            _ if self.fixed.is_some() => Stay::Fixed,
            // Links from elsewhere may go to its id.
            Content::Heading { anchor: Some(_), .. } if !self.made => Stay::Rather,
            _ if self.kept => Stay::Kept,
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule
            | Content::Directive { .. }
            | Content::Footnote { .. } => Stay::Free,
        }
    }
}

/// The blocks of both sides. What begins and ends both sides alike is known without being printed: an edit of a long
/// document touches little of it.
pub(super) fn entries<'a>(remote: &'a Extract, local: &'a Flat, staying: &Staying) -> (Vec<Entry<'a>>, Vec<Entry<'a>>) {
    let (mut old, mut new) = (unkeyed(&remote.tree, &remote.looks), unkeyed(&local.tree, &local.looks));
    let alike = |pair: &(&Entry<'_>, &Entry<'_>)| is_same(&pair.0.block.content, &pair.1.block.content);
    let head = old.iter().zip(&new).take_while(alike).count();
    let least = old.len().min(new.len());
    let tail = old.iter().rev().zip(new.iter().rev()).take(least - head).take_while(alike).count();
    for side in [&mut old, &mut new] {
        let behind = side.len() - tail;
        for (at, entry) in side.iter_mut().enumerate() {
            // No block prints like this: none begins with a control character.
            entry.key = if at < head {
                format!("\u{1}{at}")
            } else if at >= behind {
                format!("\u{2}{}", at - behind)
            } else {
                key(&entry.block.content)
            };
        }
    }
    let behind = old.len() - tail;
    moves::fix(remote, &local.tree, &mut old[head..behind], staying);
    old[head..behind].iter_mut().for_each(|entry| entry.kept = staying.is_kept(&entry.key));
    tables::unkey_gaps(&mut old);
    let behind = new.len() - tail;
    for (at, entry) in new[head..behind].iter_mut().enumerate().filter(|(_, entry)| is_settled(entry.block)) {
        // It may become any empty paragraph, but takes none from the text that stands before or behind that.
        entry.key = format!("\u{4}{at}");
    }
    for entry in old.iter_mut().chain(&mut new).filter(|entry| !entry.key.starts_with(char::is_control)) {
        let empty = block_runs(&entry.block.content).is_empty()
            && matches!(
                entry.block.content,
                Content::Paragraph { .. } | Content::Heading { .. } | Content::Item { .. }
            );
        if empty {
            entry.key.insert(0, BLANK);
        }
    }
    (old, new)
}

/// Aligns the blocks of both sides.
pub(super) fn aligned(remote: &Extract, old: &[Entry<'_>], new: &[Entry<'_>]) -> Vec<Step> {
    let row = Row::of(old, new);
    let likeness = |i: usize, j: usize| likeness(old[i].block, &remote.origins[old[i].index], new[j].block);
    align(&row.old, &row.new, &row.stay, likeness, |i, j| old[i].look.is_like(new[j].look))
}

/// What blocks are aligned by.
pub(super) struct Row {
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) stay: Vec<Stay>,
}

impl Row {
    pub(super) fn of(old: &[Entry<'_>], new: &[Entry<'_>]) -> Self {
        let keys = |entries: &[Entry<'_>]| entries.iter().map(|entry| entry.key.clone()).collect();
        Self { old: keys(old), new: keys(new), stay: old.iter().map(Entry::stay).collect() }
    }
}

fn unkeyed<'a>(tree: &'a Tree, looks: &'a [Look]) -> Vec<Entry<'a>> {
    let blocks = tree.blocks.iter().zip(looks).enumerate();
    blocks
        .map(|(index, (block, look))| Entry {
            index,
            block,
            look,
            key: String::new(),
            fixed: None,
            kept: false,
            made: false,
        })
        .collect()
}

/// Tells whether two blocks say the same, but for the anchor of a heading.
pub(super) fn is_same(old: &Content, new: &Content) -> bool {
    match (old, new) {
        (
            Content::Heading { level: old_level, runs: old, .. },
            Content::Heading { level: new_level, runs: new, .. },
        ) => old_level == new_level && old == new,
        (old, new) => old == new,
    }
}

/// What makes two blocks the same: their canonical text, without the anchor of a heading.
pub(super) fn key(content: &Content) -> String {
    if let Content::Heading { level, runs, .. } = content {
        return print_block(&Content::Heading { level: *level, anchor: None, runs: runs.clone() });
    }
    if let Content::Table { alignments, rows } = content
        && alignments.contains(&Alignment::Left)
    {
        // Left is what a column has anyway, and the document does not say it.
        return print_block(&Content::Table { alignments: unaligned_left(alignments), rows: rows.clone() });
    }
    print_block(content)
}

/// The alignments of columns as a document says them.
pub(super) fn unaligned_left(alignments: &[Alignment]) -> Vec<Alignment> {
    let said = |alignment: &Alignment| if *alignment == Alignment::Left { Alignment::None } else { *alignment };
    alignments.iter().map(said).collect()
}

impl Planner<'_> {
    pub(super) fn blocks(&mut self, local: &Flat) {
        let (old, new) = entries(self.remote, local, self.staying);
        let steps = aligned(self.remote, &old, &new);
        let steps = seats::taken(steps, &old, &new, self.remote);
        self.note_anchored(&old, &steps);
        self.note_moved_tables(&old, &new, &steps);
        let (mut at, mut passed_old, mut passed_new) = (0, 0, 0);
        while let Some(step) = steps.get(at) {
            if let Step::Pair(i, j) = *step {
                self.pair(&old[i], &new[j]);
                (at, passed_old, passed_new) = (at + 1, i + 1, j + 1);
                continue;
            }
            let gap = steps[at..].iter().take_while(|step| !matches!(step, Step::Pair(..)));
            let (mut deleted, mut inserted) = (0, 0);
            for step in gap {
                match step {
                    Step::Delete(_) => deleted += 1,
                    Step::Insert(_) => inserted += 1,
                    Step::Pair(..) => {}
                }
            }
            let (old_end, new_end) = (passed_old + deleted, passed_new + inserted);
            let line = self.line_of(&new, passed_new);
            let links = OnceCell::new();
            let linked = |content: &Content| {
                let Content::Heading { anchor: Some(anchor), .. } = content else { return false };
                let trees = || [&self.remote.tree, &local.tree].into_iter();
                links.get_or_init(|| moves::targets(trees())).contains(&**anchor)
            };
            let neighbour = |entry: &Entry<'_>| Neighbour {
                origin: self.remote.origins[entry.index].clone(),
                shape: shape(&entry.block.content),
                list: entry.look.list.clone(),
                linked: linked(&entry.block.content),
            };
            let gap = Gap {
                line,
                previous: passed_old.checked_sub(1).and_then(|i| old.get(i)).map(neighbour),
                deleted: old[passed_old..old_end]
                    .iter()
                    .map(|entry| Gone {
                        block: entry.block,
                        origin: &self.remote.origins[entry.index],
                        lock: entry.look.locked.clone(),
                        list: entry.look.list.clone(),
                    })
                    .collect(),
                inserted: new[passed_new..new_end]
                    .iter()
                    .filter(|entry| !self.is_new_footnote(entry.block))
                    .map(|entry| New {
                        block: entry.block,
                        line: self.line_number(entry.block),
                        lock: entry.look.locked.clone(),
                        named_style: entry.look.named_style(),
                        look: entry.look.clone(),
                    })
                    .collect(),
                next: old.get(old_end).map(neighbour),
            };
            gap::plan(self, &gap);
            (at, passed_old, passed_new) = (at + deleted + inserted, old_end, new_end);
        }
    }

    /// The line of a block of the file, or of the last one: where what is gone would stand.
    pub(super) fn line_of(&self, new: &[Entry<'_>], at: usize) -> u32 {
        new.get(at).or(new.last()).map_or(1, |entry| self.line_number(entry.block))
    }

    /// Tells whether a block is the text of a footnote that is still to be made.
    fn is_new_footnote(&self, block: &Block) -> bool {
        let fresh = |label: &String| self.new_footnotes.is_some_and(|fresh| fresh.contains(label));
        matches!(&block.content, Content::Footnote { label, .. } if fresh(label))
    }

    /// Notes the words of blocks that are gone and that people or programs have tied something to.
    pub(super) fn note_anchored(&mut self, old: &[Entry<'_>], steps: &[Step]) {
        for step in steps {
            if let Step::Delete(i) = *step
                && let Some(what) = self.staying.tied(&old[i].key)
            {
                self.tied.push((words_of(&text_of(&old[i].block.content)), what));
            }
        }
    }

    fn pair(&mut self, old: &Entry<'_>, new: &Entry<'_>) {
        let line = self.line_number(new.block);
        if is_settled(new.block) && !block_runs(&old.block.content).is_empty() {
            self.structure_stays(line);
        }
        let origin = &self.remote.origins[old.index];
        let restyled = is_styled(new.block, new.look, origin) && !old.look.is_like(new.look);
        if old.key == new.key && !restyled && self.unread(new.block).is_none() {
            self.lock_stays(old.look, new.look, line);
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        if let Some(unread) = self.unread(new.block) {
            self.refused.0.push(unread);
            self.unplaced(&text_of(&new.block.content), &text_of(&old.block.content));
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        if let Some(reason) = old.look.locked.as_ref().or(new.look.locked.as_ref()) {
            let line = self.differing_row(old.block, new.block);
            self.refuse("LOCKED", line, format!("this part is read-only{}", because(reason)));
            self.unplaced(&text_of(&new.block.content), &text_of(&old.block.content));
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        if let Origin::Line { line: Line { lock: Some(reason), .. }, .. } = origin
            && (restyled || shape(&old.block.content) != shape(&new.block.content))
        {
            // What somebody suggests about its words is about the paragraph that they stand in.
            self.refuse("LOCKED", line, format!("this paragraph cannot be edited here: {reason}"));
            self.unplaced(&text_of(&new.block.content), &text_of(&old.block.content));
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        paragraphs::pair(self, old.block, old.look, new.block, new.look, origin);
    }

    /// Tells that only the document says what is read-only; once of all blocks of a part.
    fn lock_stays(&mut self, old: &Look, new: &Look, line: u32) {
        let message = match (&old.locked, &new.locked) {
            (Some(reason), None) => {
                format!("this part stays read-only{}; put the `{{!locked}}` line before it back", because(reason))
            }
            (None, Some(_)) => {
                "a file locks nothing: take the `{!locked}` line away, or end its part with `{!locked:false}`"
                    .to_owned()
            }
            (Some(_), Some(_)) | (None, None) => return,
        };
        if self.refused.0.last().is_none_or(|last| last.message != message) {
            self.refuse("LOCKED", line, message);
        }
    }
}

/// Tells whether the file says how a block looks; of an empty paragraph it does so only in a code block.
fn is_styled(block: &Block, look: &Look, origin: &Origin) -> bool {
    let (Content::Paragraph { runs } | Content::Item { runs, .. }) = &block.content else { return false };
    matches!(origin, Origin::Line { .. }) && (!runs.is_empty() || look.is_like(&Look::code()))
}

/// Tells whether a block is an empty paragraph that stands in no line of the file: Docs wants it there.
pub(super) fn is_settled(block: &Block) -> bool {
    matches!(&block.content, Content::Paragraph { runs } if runs.is_empty()) && block.span.0.is_empty()
}

/// What stands between two pairs: blocks that are gone, and blocks that are new.
pub(super) struct Gap<'a> {
    /// Line of the file, for what is gone.
    pub(super) line: u32,
    /// The old block before.
    pub(super) previous: Option<Neighbour>,
    /// The old blocks that are gone.
    pub(super) deleted: Vec<Gone<'a>>,
    /// The new blocks.
    pub(super) inserted: Vec<New<'a>>,
    /// The old block behind.
    pub(super) next: Option<Neighbour>,
}

/// A block beside a gap.
#[derive(Clone)]
pub(super) struct Neighbour {
    /// Where it stands in the document.
    pub(super) origin: Origin,
    /// What kind of block it is.
    pub(super) shape: Shape,
    /// The glyphs of its list, where its mark does not say them.
    pub(super) list: Option<String>,
    /// Whether it is a heading that a link goes to.
    pub(super) linked: bool,
}

/// A block that the file no longer has.
pub(super) struct Gone<'a> {
    /// What it was.
    pub(super) block: &'a Block,
    /// Where it stands in the document.
    pub(super) origin: &'a Origin,
    /// Why it is read-only, if so.
    pub(super) lock: Option<String>,
    /// The glyphs of its list, where its mark does not say them.
    pub(super) list: Option<String>,
}

/// A block that the document does not have.
pub(super) struct New<'a> {
    /// What it says.
    pub(super) block: &'a Block,
    /// Its line in the file.
    pub(super) line: u32,
    /// Why it is read-only, if so.
    pub(super) lock: Option<String>,
    /// The named style that the directives in force ask for.
    pub(super) named_style: &'static str,
    /// What the directives in force ask for.
    pub(super) look: Look,
}

/// Tells how alike two blocks are; `None` when one cannot become the other.
pub(super) fn likeness(old: &Block, origin: &Origin, new: &Block) -> Option<f32> {
    const SAME_KIND: f32 = 0.2;
    const OTHER_KIND: f32 = 0.05;
    const TABLE_LIKENESS_MIN: f32 = 0.25;
    const MADE_FOR_IT: f32 = 1.4;
    /// More than text and nothing have in common, and less than any table.
    const BOTH_EMPTY: f32 = 0.05;
    /// Less than any block has that kept a word.
    const EMPTIED: f32 = 0.01;
    let score = match (&old.content, &new.content, origin) {
        (Content::Table { rows: old, .. }, Content::Table { rows: new, .. }, Origin::Table { .. }) => {
            let shape = |rows: &[Vec<crate::mebdf::Cell>]| rows.iter().map(Vec::len).collect::<Vec<_>>();
            let same = shape(old) == shape(new);
            // Rows and columns come and go, but a table of another shape in which nothing is left is another one.
            let alike = tables::alike(old, new);
            // It is as many blocks as it has cells: made anew for the sake of a few lines beside it, all of those would be lost.
            let cells = f32::from(u16::try_from(old.iter().flatten().count()).unwrap_or(u16::MAX));
            if same && old.iter().flatten().flatten().all(Vec::is_empty) {
                // It was made for a table of the file.
                return Some(MADE_FOR_IT * cells);
            }
            let bonus = if same { SAME_KIND } else { 0.0 };
            return (same || alike >= TABLE_LIKENESS_MIN).then_some((alike + SAME_KIND + bonus) * cells);
        }
        (Content::Footnote { label: old, .. }, Content::Footnote { label: new, .. }, Origin::Footnote { .. }) => {
            return (old == new).then_some(1.0 + SAME_KIND);
        }
        (Content::Heading { .. }, Content::Heading { .. }, Origin::Line { .. })
        | (Content::Paragraph { .. }, Content::Paragraph { .. }, Origin::Line { .. })
        | (Content::Item { .. }, Content::Item { .. }, Origin::Line { .. })
            if !new.content.is_structure() =>
        {
            SAME_KIND
        }
        (
            Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. },
            Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. },
            Origin::Line { .. },
        ) if !new.content.is_structure() => OTHER_KIND,
        _ => return None,
    };
    let old_tokens = tokens(block_runs(&old.content));
    let new_tokens = tokens(block_runs(&new.content));
    if old_tokens.is_empty() && !new_tokens.is_empty() && shape(&old.content) != shape(&new.content) && !is_settled(new)
    {
        // Nothing is kept by turning an empty block into another kind, unless that is empty, too.
        return None;
    }
    if old_tokens.is_empty() && new_tokens.is_empty() {
        return Some(score + BOTH_EMPTY);
    }
    if new_tokens.is_empty() {
        return Some(EMPTIED);
    }
    let row = |tokens: &'_ [(Token, Rc<crate::mebdf::Marks>)]| {
        tokens.iter().map(|(token, _)| token.clone()).collect::<Vec<_>>()
    };
    let (old_row, new_row) = (row(&old_tokens), row(&new_tokens));
    Some(score + similarity(&old_row.iter().collect::<Vec<_>>(), &new_row.iter().collect::<Vec<_>>()))
}
