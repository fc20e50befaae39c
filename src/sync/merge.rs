//! The three-way merge: what the file shall say, what the remote shall say, and what both then agree on.
//!
//! Blocks are compared by meaning, never by spelling, so a person's own way of writing Markdown is neither an edit nor
//! lost. A section that both sides changed keeps its old text in the new base, the file's in the file and the
//! remote's in the remote: the conflict is found again by the next merge, so it is never stored as state.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::mebdf::{self, Block, Content, FrontMatter, RunContent, Tree};

use super::SectionConflict;
use super::Side;
use super::head::{self, Heads};
use super::hunks::{Region, Verdict};
use super::moved;
use super::numbers::{self, Starts};
use super::readings;
use super::sides::{Keys, Text};
use super::weave;

/// The outcome of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// What the file shall say.
    pub file: String,
    /// What the remote shall say.
    pub push: String,
    /// The base if nothing is pushed: the remote's text, but sections in conflict keep their old base.
    pub base: String,
    /// The base once `push` has landed: the old base with what only the file changed. What only the remote changed is
    /// not in it, since the file need not hold that yet.
    pub landed: String,
    /// Sections that both sides changed.
    pub conflicts: Vec<SectionConflict>,
    /// Whether `push` says anything that the remote does not say yet.
    pub pushes: bool,
}

/// Which of the three texts a piece comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Base,
    Local,
    Remote,
}

/// A run of blocks of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    from: From,
    blocks: Range<usize>,
}

/// The three texts.
struct Three<'a> {
    base: Text<'a>,
    local: Text<'a>,
    remote: Text<'a>,
}

impl<'a> Three<'a> {
    const fn text(&self, from: From) -> &Text<'a> {
        match from {
            From::Base => &self.base,
            From::Local => &self.local,
            From::Remote => &self.remote,
        }
    }
}

/// Returns the merge of a file that does not stand yet: the remote's text.
#[must_use]
pub fn adopt(remote: &str) -> Merged {
    Merged {
        file: remote.into(),
        push: remote.into(),
        base: remote.into(),
        landed: remote.into(),
        conflicts: Vec::new(),
        pushes: false,
    }
}

/// Tells whether two texts say the same, however they are written.
#[must_use]
pub fn same_meaning(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let are_empty = says_nothing(one) && says_nothing(other);
    let mut keys = Keys::default();
    let one = Text::read(one, &mut keys);
    let other = Text::read(other, &mut keys);
    (are_empty || one.keys == other.keys)
        && head::same(one.tree().front_matter.as_ref(), other.tree().front_matter.as_ref())
}

/// Tells whether a text says nothing below its head: of an empty document one empty paragraph is left.
pub(super) fn says_nothing(text: &str) -> bool {
    matches!(mebdf::body(text).trim(), "" | "\\")
}

/// Tells whether a file says anything that its base does not: another meaning, or another first number of a list.
#[must_use]
pub fn is_edited(base: &str, local: &str) -> bool {
    !same_meaning(base, local) || numbers::are_set(base, local)
}

/// Merges `local` and `remote`, which both come from `base`. Total.
#[must_use]
pub fn merge3(base: &str, local: &str, remote: &str) -> Merged {
    resolve(base, local, remote, None)
}

/// Merges like [`merge3`]; with a side, conflicts end with that side's text.
#[must_use]
pub fn resolve(base: &str, local: &str, remote: &str, side: Option<Side>) -> Merged {
    if local == remote {
        return adopt(remote);
    }
    if base.trim().is_empty() && mebdf::body(local).trim().is_empty() {
        // A file without a text, nor one before: half of a save, or a new one. It has nothing that could be lost.
        return adopt(remote);
    }
    if base.trim().is_empty() && !remote.trim().is_empty() {
        // Nobody knows what both sides last agreed on, so neither side's silence is a deletion. What only Google says is not in
        // question.
        let owned = head::with_owned(local, remote);
        let local = owned.as_deref().unwrap_or(local);
        return if same_meaning(local, remote) {
            adopt_as_written(local, remote)
        } else {
            whole(base, local, remote, side)
        };
    }
    if mebdf::body(local).trim().is_empty() && mebdf::body(base).trim() == "\\" {
        // It was emptied before, and the paragraph that no document can be without is still in both.
        let head = local.strip_suffix(mebdf::body(local)).unwrap_or_default();
        let with_it = format!("{}{}", with_blank_line(head), mebdf::body(base));
        let merged = resolve(base, &with_it, remote, side);
        let file = if merged.file == with_it { local.into() } else { merged.file };
        return Merged { file, ..merged };
    }
    if local == base {
        return if numbers::is_written(base, remote) {
            Merged { file: local.into(), base: base.into(), landed: base.into(), ..adopt(remote) }
        } else {
            adopt(remote)
        };
    }
    let merged = pieced(base, local, remote, side);
    let is_conflict = side.is_some() || merged.as_ref().is_none_or(|merged| !merged.conflicts.is_empty());
    if is_conflict && let Some((new_base, woven)) = weave::unsaid(base, local, remote) {
        // The file need not hold yet what is woven in, so nothing of it is agreed on before it does.
        return Merged { landed: base.into(), ..resolve(&new_base, &woven, remote, side) };
    }
    if is_conflict
        && let Some(woven) = weave::words(base, local, remote)
        && let Some(merged) = pieced(&woven.base, &woven.local, remote, side)
    {
        // The file need not hold yet what the remote wrote there; what it wrote itself lands.
        let alone = pieced(base, local, &woven.remote, side);
        let landed = alone.filter(|alone| alone.conflicts.len() == merged.conflicts.len());
        return Merged { landed: landed.map_or_else(|| base.into(), |alone| alone.landed), ..merged };
    }
    if let Some(merged) = merged {
        return merged;
    }
    // The definitions of links stand apart from what uses them, so pieces of such a text say something else.
    let written_out = mebdf::print(&readings::of(local).parsed.tree);
    let pieced_anew = || pieced(base, &written_out, remote, side);
    if let Some(merged) = same_meaning(local, &written_out).then(pieced_anew).flatten() {
        return merged;
    }
    // Nobody else edited anything that it could meet.
    let side = side.or_else(|| (remote == base).then_some(Side::Mine));
    whole(base, local, remote, side)
}

/// Merges piece by piece; `None` when a result would not say what its pieces say.
fn pieced(base: &str, local: &str, remote: &str, side: Option<Side>) -> Option<Merged> {
    let mut keys = Keys::default();
    let three = Three {
        base: Text::read(base, &mut keys),
        local: Text::read(local, &mut keys),
        remote: Text::read(remote, &mut keys),
    };
    let regions = moved::regions(&three.base, &three.local, &three.remote);
    let heads = head::merge(&three.base, &three.local, &three.remote, side);
    let starts = numbers::starts(&three.base, &three.local, &regions);
    let restarted = numbers::lists_of(&starts, &three.local);
    let merger = Merger { three, side, starts, restarted };
    merger.merged(&regions, heads, &mut keys)
}

/// Carries what leads from `from` to `to` over to `onto`, which comes from `from` too; `None` when the two meet.
#[must_use]
pub fn graft(from: &str, to: &str, onto: &str) -> Option<String> {
    let merged = merge3(from, to, onto);
    merged.conflicts.is_empty().then_some(merged.push)
}

/// Both sides say the same without a base: the file keeps its way of writing.
fn adopt_as_written(local: &str, remote: &str) -> Merged {
    Merged { file: local.into(), ..adopt(remote) }
}

/// The last resort: the whole text is one conflict.
fn whole(base: &str, local: &str, remote: &str, side: Option<Side>) -> Merged {
    match side {
        Some(Side::Mine) => Merged {
            file: local.into(),
            push: local.into(),
            base: remote.into(),
            landed: local.into(),
            conflicts: Vec::new(),
            pushes: !same_meaning(local, remote),
        },
        Some(Side::Theirs) => adopt(remote),
        None => Merged {
            file: local.into(),
            push: remote.into(),
            base: base.into(),
            landed: base.into(),
            conflicts: vec![SectionConflict {
                heading: "the whole text".into(),
                base: base.into(),
                mine: local.into(),
                theirs: remote.into(),
            }],
            pushes: false,
        },
    }
}

struct Merger<'a> {
    three: Three<'a>,
    side: Option<Side>,
    /// The first numbers of the file's lists.
    starts: Starts,
    /// The blocks of the file's lists in which one was set.
    restarted: BTreeSet<usize>,
}

/// The three results while they are put together.
#[derive(Default)]
struct Results {
    file: Vec<Piece>,
    push: Vec<Piece>,
    base: Vec<Piece>,
    landed: Vec<Piece>,
}

impl Merger<'_> {
    /// Puts the results together; `None` when a result would not say what its pieces say.
    fn merged(&self, regions: &[Region], heads: Heads, keys: &mut Keys) -> Option<Merged> {
        let mut results = Results::default();
        let mut conflicts: Vec<SectionConflict> = heads.conflict.into_iter().collect();
        let mut pushes = heads.pushes;
        let (mut base, mut local, mut remote) = (0, 0, 0);
        for region in regions {
            let same = region.base.start.saturating_sub(base);
            self.add_same(&mut results, local..local + same, remote..remote + same);
            push_piece(&mut results.landed, From::Base, &(base..base + same));
            (local, remote) = (local + same, remote + same);
            base = region.base.end;
            pushes |= self.is_restarted(&(local - same..local));
            let mine = local..local + region.local_len;
            let theirs = remote..remote + region.remote_len;
            (local, remote) = (mine.end, theirs.end);
            let mine_lands = match region.verdict {
                Verdict::Agree | Verdict::Local | Verdict::Both => true,
                Verdict::Remote => false,
                Verdict::Conflict => self.side == Some(Side::Mine),
            };
            if mine_lands {
                push_piece(&mut results.landed, From::Local, &mine);
            } else {
                push_piece(&mut results.landed, From::Base, &region.base);
            }
            match region.verdict {
                Verdict::Agree => {
                    pushes |= self.is_restarted(&mine);
                    self.add_same(&mut results, mine, theirs);
                }
                Verdict::Local => {
                    pushes = true;
                    results.add([From::Local, From::Local, From::Remote], [&mine, &mine, &theirs]);
                }
                Verdict::Remote => {
                    results.add([From::Remote, From::Remote, From::Remote], [&theirs, &theirs, &theirs]);
                }
                Verdict::Both => {
                    pushes = true;
                    for list in [&mut results.file, &mut results.push] {
                        push_piece(list, From::Remote, &theirs);
                        push_piece(list, From::Local, &mine);
                    }
                    push_piece(&mut results.base, From::Remote, &theirs);
                }
                Verdict::Conflict => match self.side {
                    Some(Side::Mine) => {
                        pushes = true;
                        results.add([From::Local, From::Local, From::Remote], [&mine, &mine, &theirs]);
                    }
                    Some(Side::Theirs) => {
                        results.add([From::Remote, From::Remote, From::Remote], [&theirs, &theirs, &theirs]);
                    }
                    None => {
                        conflicts.push(self.conflict(&region.base, &mine, &theirs));
                        results.add([From::Local, From::Remote, From::Base], [&mine, &theirs, &region.base]);
                    }
                },
            }
        }
        let same = self.three.base.len().saturating_sub(base);
        self.add_same(&mut results, local..local + same, remote..remote + same);
        push_piece(&mut results.landed, From::Base, &(base..base + same));
        pushes |= self.is_restarted(&(local..local + same));
        let push = self.assemble(&results.push, heads.push.as_ref(), keys)?;
        let base = self.assemble(&results.base, heads.base.as_ref(), keys)?;
        let landed = self.assemble(&results.landed, heads.landed.as_ref(), keys)?;
        // What is pushed says a first number only where a person set it or a list may go on, and what both sides agree on only
        // where nobody set it.
        let origins: Vec<(From, usize)> =
            results.push.iter().flat_map(|piece| piece.blocks.clone().map(|block| (piece.from, block))).collect();
        let is_set =
            |at: usize| matches!(origins.get(at), Some((From::Local, block)) if self.starts.set.contains(block));
        let landed = numbers::plain(landed, keys, |_, _| false);
        Some(Merged {
            file: self.assemble(&results.file, heads.file.as_ref(), keys)?,
            push: numbers::plain(push, keys, |at, goes_on| goes_on || is_set(at)),
            base: numbers::brought(&self.starts, &self.three.local, base, keys),
            landed: numbers::brought(&self.starts, &self.three.local, landed, keys),
            conflicts,
            pushes,
        })
    }

    /// Tells whether the first number of a list was set in a run of the file's blocks.
    fn is_restarted(&self, mine: &Range<usize>) -> bool {
        self.starts.set.range(mine.clone()).next().is_some()
    }

    /// Adds blocks that say the same on both sides: the file keeps its own lines, but gains the remote's anchors.
    fn add_same(&self, results: &mut Results, mine: Range<usize>, theirs: Range<usize>) {
        push_piece(&mut results.base, From::Remote, &theirs);
        for (mine, theirs) in mine.zip(theirs) {
            if self.restarted.contains(&mine) {
                push_piece(&mut results.push, From::Local, &(mine..mine + 1));
            } else {
                push_piece(&mut results.push, From::Remote, &(theirs..theirs + 1));
            }
            let anchored = match (self.three.local.content(mine), self.three.remote.content(theirs)) {
                (Some(Content::Heading { anchor: one, .. }), Some(Content::Heading { anchor: other, .. })) => {
                    other.is_some() && one != other
                }
                _ => false,
            };
            if anchored {
                push_piece(&mut results.file, From::Remote, &(theirs..theirs + 1));
            } else {
                push_piece(&mut results.file, From::Local, &(mine..mine + 1));
            }
        }
    }

    fn conflict(&self, base: &Range<usize>, mine: &Range<usize>, theirs: &Range<usize>) -> SectionConflict {
        let heading = [
            self.three.base.content(base.start).filter(|_| !base.is_empty()),
            self.three.local.content(mine.start).filter(|_| !mine.is_empty()),
            self.three.remote.content(theirs.start).filter(|_| !theirs.is_empty()),
        ]
        .into_iter()
        .flatten()
        .find_map(heading_text)
        .or_else(|| (0..base.start).rev().filter_map(|at| self.three.base.content(at)).find_map(heading_text))
        .unwrap_or_default();
        SectionConflict {
            heading,
            base: self.three.base.slice(base),
            mine: self.three.local.slice(mine),
            theirs: self.three.remote.slice(theirs),
        }
    }

    /// Joins pieces to a text and checks that it says what they say.
    fn assemble(&self, pieces: &[Piece], head: Option<&FrontMatter>, keys: &mut Keys) -> Option<String> {
        // A text that comes whole from one side keeps every byte of it.
        for from in [From::Local, From::Remote, From::Base] {
            let text = self.three.text(from);
            let is_whole = match pieces {
                [] => text.len() == 0,
                [piece] => piece.from == from && piece.blocks == (0..text.len()),
                _ => false,
            };
            if is_whole && text.tree().front_matter.as_ref() == head {
                return Some(text.text.to_owned());
            }
        }
        let expected: Vec<u32> =
            pieces.iter().flat_map(|piece| self.three.text(piece.from).bare(&piece.blocks).iter().copied()).collect();
        let says = |text: &str, keys: &mut Keys| {
            let read = Text::read(text, keys);
            read.bare(&(0..read.len())) == expected && read.tree().front_matter.as_ref() == head
        };
        let joined = self.join(pieces, head);
        if says(&joined, keys) {
            return Some(joined);
        }
        // What a link of the file leads to may stand with a block that comes from elsewhere.
        let defined: Vec<&str> =
            mebdf::definitions(self.three.local.text).into_iter().filter(|line| !joined.contains(line)).collect();
        if !defined.is_empty() {
            let joined = format!("{joined}\n{}\n", defined.join("\n"));
            if says(&joined, keys) {
                return Some(joined);
            }
        }
        // Lines of two texts can mean something else side by side; then the whole is written in canonical form.
        let blocks = pieces
            .iter()
            .flat_map(|piece| self.three.text(piece.from).blocks(&piece.blocks))
            .map(|block| Block::new(block.content.clone()))
            .collect();
        let printed = mebdf::print(&Tree { front_matter: head.cloned(), blocks });
        says(&printed, keys).then_some(printed)
    }

    fn join(&self, pieces: &[Piece], head: Option<&FrontMatter>) -> String {
        let mut out = self.head_text(head);
        let mut last: Option<&Content> = None;
        for piece in pieces {
            let text = self.three.text(piece.from);
            let slice = text.slice(&piece.blocks);
            let first = text.content(piece.blocks.start);
            match (last, first) {
                (None, _) => {}
                // A further paragraph right below an item's line would be more of that line.
                (Some(above), Some(Content::Item { .. })) if is_listed(above) => out.push('\n'),
                (Some(_), _) => out.push_str("\n\n"),
            }
            out.push_str(slice.trim_end_matches('\n'));
            last = piece.blocks.end.checked_sub(1).and_then(|end| text.content(end));
        }
        if last.is_some() {
            out.push('\n');
        }
        out
    }

    /// Returns the head as one of the sides wrote it, or in canonical form.
    fn head_text(&self, head: Option<&FrontMatter>) -> String {
        let Some(head) = head else { return String::new() };
        for text in [&self.three.local, &self.three.remote, &self.three.base] {
            if text.tree().front_matter.as_ref() == Some(head) {
                return with_blank_line(text.head());
            }
        }
        with_blank_line(&mebdf::print(&Tree { front_matter: Some(head.clone()), blocks: Vec::new() }))
    }
}

impl Results {
    fn add(&mut self, from: [From; 3], blocks: [&Range<usize>; 3]) {
        push_piece(&mut self.file, from[0], blocks[0]);
        push_piece(&mut self.push, from[1], blocks[1]);
        push_piece(&mut self.base, from[2], blocks[2]);
    }
}

/// Adds a run of blocks; runs that touch in their own text become one, so that what stands between them is kept.
fn push_piece(pieces: &mut Vec<Piece>, from: From, blocks: &Range<usize>) {
    if blocks.is_empty() {
        return;
    }
    match pieces.last_mut() {
        Some(last) if last.from == from && last.blocks.end == blocks.start => last.blocks.end = blocks.end,
        _ => pieces.push(Piece { from, blocks: blocks.clone() }),
    }
}

fn with_blank_line(head: &str) -> String {
    let head = head.trim_end_matches('\n');
    if head.is_empty() { String::new() } else { format!("{head}\n\n") }
}

const fn is_listed(content: &Content) -> bool {
    matches!(content, Content::Item { .. } | Content::ItemParagraph { .. })
}

/// Returns the text of a heading as people read it.
fn heading_text(content: &Content) -> Option<String> {
    let Content::Heading { runs, .. } = content else { return None };
    let text: String = runs
        .iter()
        .filter_map(|run| match &run.content {
            RunContent::Text(text) => Some(text.as_str()),
            RunContent::Anchor(_) | RunContent::Object(_) | RunContent::FootnoteReference(_) => None,
        })
        .collect();
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}
