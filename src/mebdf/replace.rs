//! Text found in what a tree says, and replaced: across formatting, in cells and footnotes, over the ends of paragraphs.

use std::ops::Range;

use regex::RegexBuilder;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::flat::{Flat, Place, THING, WALL, is_line, is_text, paragraphs, text_run};
use super::join::join;
use super::{Block, Content, Marks, Run, RunContent, Tree, front_matter};

/// The longest text that is looked for, in bytes.
pub const FIND_BYTES_MAX: usize = 64 << 10;

/// Lines of both texts, at most, that are compared one by one; of more the whole is replaced.
const LINES_MAX: usize = 2_000;

/// What is looked for, and how.
#[derive(Debug, Clone, Copy)]
pub struct Find<'t> {
    /// The text; a paragraph ends with `\n`.
    pub text: &'t str,
    /// Whether capital letters are others than small ones.
    pub match_case: bool,
    /// All places, or the first.
    pub all: bool,
}

/// What is put in the place of what was found.
#[derive(Debug, Clone, Copy)]
pub enum By<'t> {
    /// Text that looks as what was there; each `\n` ends a paragraph.
    Text(&'t str),
    /// Blocks with looks of their own.
    Blocks(&'t [Block]),
}

/// Replaces text of a tree; returns how many places were replaced. A paragraph of which nothing is left goes, too.
pub fn replace(tree: &mut Tree, find: Find<'_>, by: By<'_>) -> usize {
    let flat = Flat::of(tree);
    let found = places(&flat, &find);
    for range in found.iter().rev() {
        match by {
            // What stays is left alone, and keeps its looks.
            By::Text(new) => {
                let old = flat.text.get(range.clone()).unwrap_or_default();
                for (part, text) in hunks(old, new).iter().rev() {
                    put(tree, &flat, &(range.start + part.start..range.start + part.end), By::Text(text));
                }
            }
            By::Blocks(_) => put(tree, &flat, range, by),
        }
    }
    tree.normalize();
    found.len()
}

/// Replaces blocks of a tree by others where they say what `old` says: headings those of headings of the same level, and items those
/// of items. Returns how many places were replaced.
pub fn replace_blocks(tree: &mut Tree, old: &[Block], find: Find<'_>, new: &[Block]) -> usize {
    let flat = Flat::of(tree);
    let said = Flat::of(&Tree { front_matter: None, blocks: old.to_vec() });
    let text = said.text.trim_matches('\n');
    if text.is_empty() || text.contains([WALL, THING]) {
        return 0;
    }
    let is_like = |range: &Range<usize>| {
        let (first, last) = flat.blocks_of(range);
        let blocks = tree.blocks.get(first..last + 1).unwrap_or_default();
        let blocks: Vec<&Block> = blocks.iter().filter(|block| !is_directive(block)).collect();
        let whole = flat.is_start(range.start);
        blocks.len() == old.len()
            && blocks.iter().zip(old).enumerate().all(|(at, (block, old))| match (&block.content, &old.content) {
                (Content::Heading { level, .. }, Content::Heading { level: wanted, .. }) => {
                    level == wanted && (at > 0 || whole)
                }
                (Content::Item { .. }, Content::Item { .. }) => at > 0 || whole,
                (_, Content::Paragraph { .. }) => true,
                _ => false,
            })
    };
    let all = places(&flat, &Find { text, all: true, ..find });
    let found = all.into_iter().filter(is_like).take(if find.all { usize::MAX } else { 1 });
    let found: Vec<Range<usize>> = found.collect();
    for range in found.iter().rev() {
        put(tree, &flat, range, By::Blocks(new));
    }
    tree.normalize();
    found.len()
}

/// Puts text at the end of the last paragraph of a tree, looking as that does; below what is none.
pub fn append(tree: &mut Tree, text: &str) {
    let end = body_end(tree);
    let lines: Vec<&str> = text.split('\n').collect();
    let Some((first, more)) = lines.split_first() else { return };
    let mut new = Vec::new();
    match end.checked_sub(1).and_then(|at| tree.blocks.get_mut(at)).and_then(|block| own_runs(&mut block.content)) {
        Some(runs) => {
            let marks = runs.iter().rev().find(|run| is_text(run)).map(|run| run.marks.clone()).unwrap_or_default();
            runs.push(text_run(first, Marks { link: None, ..marks }));
        }
        None => new.push(paragraph(first)),
    }
    let like = end.checked_sub(1).and_then(|at| tree.blocks.get(at)).map(|block| block.content.clone());
    new.extend(more.iter().map(|line| Block::new(next_line(like.as_ref(), vec![text_run(line, Marks::default())]))));
    tree.blocks.splice(end..end, new);
    tree.normalize();
}

/// Where the body of a tree ends: before the footnotes at its end.
#[must_use]
pub fn body_end(tree: &Tree) -> usize {
    let is_note = |block: &&Block| matches!(block.content, Content::Footnote { .. });
    tree.blocks.len() - tree.blocks.iter().rev().take_while(is_note).count()
}

/// Writes a tree that was made from the tree of `text` by changing some of its blocks, or its head: all others keep their lines.
#[must_use]
pub fn rewritten(text: &str, was: &Tree, is: &Tree) -> String {
    if was.front_matter != is.front_matter {
        let head = is.front_matter.as_ref().map(front_matter::print).unwrap_or_default();
        let with_old_head = Tree { front_matter: was.front_matter.clone(), blocks: is.blocks.clone() };
        let spliced = format!("{head}{}", super::body(&rewritten(text, was, &with_old_head)));
        return if super::parse(&spliced).tree == *is { spliced } else { super::print(is) };
    }
    let same = |(one, other): &(&Block, &Block)| one == other;
    let mut head = was.blocks.iter().zip(&is.blocks).take_while(same).count();
    let (was_left, is_left) = (was.blocks.len() - head, is.blocks.len() - head);
    let alike = was.blocks.iter().rev().zip(is.blocks.iter().rev()).take(was_left.min(is_left)).take_while(same);
    let mut tail = alike.count();
    let kept = (head, tail);
    let listed = |block: Option<&Block>| block.is_some_and(|block| is_listed(&block.content));
    let are_items =
        |one: usize| listed(one.checked_sub(1).and_then(|at| is.blocks.get(at))) && listed(is.blocks.get(one));
    // A list is written as a whole: its numbers and indents mean something in it alone.
    while are_items(head) {
        head -= 1;
    }
    while tail > 0 && are_items(is.blocks.len() - tail) {
        tail -= 1;
    }
    let start = |at: usize| was.blocks.get(at).map_or(text.len(), |block| block.span.0.start);
    let slice = |at: usize| {
        // Where the block stood before, if it did.
        let from_end = is.blocks.len() - at;
        let old = if at < kept.0 {
            Some(at)
        } else if from_end <= kept.1 {
            Some(was.blocks.len() - from_end)
        } else {
            None
        };
        old.and_then(|old| text.get(was.blocks.get(old)?.span.0.clone()))
    };
    let window = (head..is.blocks.len() - tail).zip(is.blocks.get(head..is.blocks.len() - tail).unwrap_or_default());
    let printed = join(&window.map(|(at, block)| (&block.content, slice(at))).collect::<Vec<_>>());
    let before = text.get(..start(head)).unwrap_or_default();
    let behind = text.get(start(was.blocks.len() - tail)..).unwrap_or_default();
    let gap = |touches: bool| if touches || printed.is_empty() { "" } else { "\n" };
    let above = gap(before.is_empty() || before.ends_with("\n\n") || are_items(head));
    let below = gap(behind.is_empty() || are_items(is.blocks.len() - tail));
    let spliced = format!("{before}{above}{printed}{below}{behind}");
    let read = super::parse(&spliced).tree;
    let mut wanted = is.clone();
    wanted.normalize();
    // Lines can mean something else beside others; then the whole is written anew.
    if read == wanted { spliced } else { super::print(is) }
}

/// Finds where a text is said.
fn places(flat: &Flat, find: &Find<'_>) -> Vec<Range<usize>> {
    found_in(&flat.text, find)
}

/// Finds a text in another one.
pub(super) fn found_in(text: &str, find: &Find<'_>) -> Vec<Range<usize>> {
    if find.text.is_empty() || find.text.len() > FIND_BYTES_MAX || find.text.contains([WALL, THING]) {
        return Vec::new();
    }
    let pattern = RegexBuilder::new(&regex::escape(find.text)).case_insensitive(!find.match_case).build();
    // Only a text that is too long makes none.
    let Ok(pattern) = pattern else { return Vec::new() };
    let most = if find.all { usize::MAX } else { 1 };
    pattern.find_iter(text).map(|found| found.range()).take(most).collect()
}

/// Cuts the way from one text to another into its edits, line by line: each a piece of the old text, in bytes, and what takes its
/// place.
fn hunks(old: &str, new: &str) -> Vec<(Range<usize>, String)> {
    let (was, is): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    if was.len() + is.len() > LINES_MAX {
        return vec![trimmed(old, 0..old.len(), new)];
    }
    let mut starts = vec![0];
    starts.extend(was.iter().scan(0, |at, line| {
        *at += line.len() + 1;
        Some(*at)
    }));
    let start = |line: usize| starts.get(line).copied().unwrap_or(old.len());
    let end = |line: usize| start(line) + was.get(line).map_or(0, |line| line.len());
    let lines = |range: Range<usize>| is.get(range).unwrap_or_default().join("\n");
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &was, &is) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_index, old_len, .. } if old_index > 0 => {
                edits.push((end(old_index - 1)..end(old_index + old_len - 1), String::new()));
            }
            DiffOp::Delete { old_len, .. } => edits.push((0..start(old_len).min(old.len()), String::new())),
            DiffOp::Insert { old_index, new_index, new_len } if old_index > 0 => {
                let at = end(old_index - 1);
                edits.push((at..at, format!("\n{}", lines(new_index..new_index + new_len))));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                edits.push((0..0, format!("{}\n", lines(new_index..new_index + new_len))));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                // Line for line, and the last with all that is left.
                let pairs = old_len.min(new_len) - 1;
                let pair =
                    |at: usize| (start(old_index + at)..end(old_index + at), lines(new_index + at..new_index + at + 1));
                edits.extend((0..pairs).map(pair));
                let rest = start(old_index + pairs)..end(old_index + old_len - 1);
                edits.push((rest, lines(new_index + pairs..new_index + new_len)));
            }
        }
    }
    let edits = edits.into_iter().flat_map(|(range, text)| by_words(old, range, &text));
    edits
        .map(|(range, text)| trimmed(old, range, &text))
        .filter(|(range, text)| !(range.is_empty() && text.is_empty()))
        .collect()
}

/// Cuts an edit into its words where both texts have as many, so that each new one looks like the one in its place.
fn by_words(old: &str, range: Range<usize>, new: &str) -> Vec<(Range<usize>, String)> {
    let was = old.get(range.clone()).unwrap_or_default();
    let (words, new_words): (Vec<&str>, Vec<&str>) = (was.split(' ').collect(), new.split(' ').collect());
    if words.len() != new_words.len() {
        return vec![(range, new.to_owned())];
    }
    let mut at = range.start;
    let edits = words.into_iter().zip(new_words).map(|(word, new)| {
        let start = at;
        at += word.len() + 1;
        (start..start + word.len(), new.to_owned())
    });
    edits.collect()
}

/// Leaves out of an edit what is the same at its begin and its end.
fn trimmed(old: &str, range: Range<usize>, new: &str) -> (Range<usize>, String) {
    let was = old.get(range.clone()).unwrap_or_default();
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let head: usize = was.chars().zip(new.chars()).take_while(same).map(|(letter, _)| letter.len_utf8()).sum();
    let (was, new) = (was.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let backwards = was.chars().rev().zip(new.chars().rev());
    let tail: usize = backwards.take_while(same).map(|(letter, _)| letter.len_utf8()).sum();
    let text = new.get(..new.len() - tail).unwrap_or_default().to_owned();
    (range.start + head..range.end - tail, text)
}

/// Puts something in the place of what was found. What stands behind it in the same block may have been replaced by now; what stands
/// before is as it was.
fn put(tree: &mut Tree, flat: &Flat, range: &Range<usize>, by: By<'_>) {
    let (first, last) = flat.blocks_of(range);
    let start = flat.paragraphs.iter().find(|(_, place)| place.block == first).map_or(0, |(range, _)| range.start);
    let mut part = Tree { front_matter: None, blocks: tree.blocks.splice(first..=last, []).collect() };
    let flat = Flat::of(&part);
    put_in(&mut part, &flat, &(range.start - start..range.end - start), by);
    tree.blocks.splice(first..first, part.blocks);
}

fn put_in(tree: &mut Tree, flat: &Flat, range: &Range<usize>, by: By<'_>) {
    match (flat.place(range.start), flat.place(range.end)) {
        (Some((_, first)), Some((_, last))) if first == last => put_within(tree, flat, range, first, by),
        (Some((_, first)), Some((_, last))) => put_over(tree, flat, (range, first, last), by),
        _ => {}
    }
}

/// Replaces what stands within one paragraph.
fn put_within(tree: &mut Tree, flat: &Flat, range: &Range<usize>, place: Place, by: By<'_>) {
    let Some(block) = tree.blocks.get_mut(place.block) else { return };
    if let Content::Code { text, .. } = &mut block.content {
        let By::Text(new) = by else { return };
        let start = flat.place(range.start).map_or(0, |(paragraph, _)| paragraph.start);
        text.replace_range(range.start - start..range.end - start, new);
        return;
    }
    if is_line(&block.content) {
        put_over(tree, flat, (range, place, place), by);
        return;
    }
    // Of a cell or a footnote, paragraphs cannot become blocks.
    let lines: Vec<Vec<Run>> = match by {
        By::Text(new) => {
            let runs = paragraphs(&block.content).get(place.paragraph).map(|runs| runs.to_vec()).unwrap_or_default();
            let marks = flat.marks(&runs, place, range);
            new.split('\n').map(|line| vec![text_run(line, marks.clone())]).collect()
        }
        By::Blocks(new) => new.iter().flat_map(|block| paragraphs(&block.content)).map(<[Run]>::to_vec).collect(),
    };
    replace_paragraph(&mut block.content, place.paragraph, |runs| {
        let (mut before, behind) = (flat.cut(runs, place, range.start).0, flat.cut(runs, place, range.end).1);
        let mut lines = lines.into_iter();
        before.extend(lines.next().unwrap_or_default());
        let mut all = vec![before];
        all.extend(lines);
        all.iter_mut().last().into_iter().for_each(|last| last.extend(behind.clone()));
        all
    });
}

/// Replaces what stands in one or more blocks that are a line each.
fn put_over(tree: &mut Tree, flat: &Flat, (range, first, last): (&Range<usize>, Place, Place), by: By<'_>) {
    let (Some(from), Some(to)) = (tree.blocks.get(first.block), tree.blocks.get(last.block)) else { return };
    let (from, to) = (from.content.clone(), to.content.clone());
    let between = tree.blocks.get(first.block..=last.block).unwrap_or_default();
    let looks: Vec<Block> = between.iter().filter(|block| is_directive(block)).cloned().collect();
    let [from_runs, to_runs] = [&from, &to].map(|content| paragraphs(content).concat());
    let before = flat.cut(&from_runs, first, range.start).0;
    let behind = flat.cut(&to_runs, last, range.end).1;
    let mut new: Vec<Content> = match by {
        By::Text(text) => {
            let marks = flat.marks(&from_runs, first, range);
            let mut lines = text.split('\n').map(|line| text_run(line, marks.clone()));
            let head = lines.next().into_iter().collect();
            // What is deleted up to the end of its paragraph leaves the next one as it is.
            let kept = if text.is_empty() && before.is_empty() { &to } else { &from };
            let mut new = vec![with_runs(kept, head)];
            new.extend(lines.map(|line| next_line(Some(&from), vec![line])));
            new
        }
        By::Blocks(blocks) => blocks.iter().map(|block| block.content.clone()).collect(),
    };
    if let (Some(Content::Heading { level, anchor, .. }), Content::Heading { level: was, anchor: id, .. }) =
        (new.first_mut(), &from)
        && level == was
        && anchor.is_none()
    {
        // It is the same heading, with other words.
        anchor.clone_from(id);
    }
    join_before(&mut new, before, &from);
    join_behind(&mut new, behind, &to);
    let says = |run: &Run| !matches!(&run.content, RunContent::Text(text) if text.is_empty());
    // A paragraph of which all was deleted goes; where ends of paragraphs alone were, what is left stays one.
    let takes_text = flat.text.get(range.clone()).is_some_and(|text| text.contains(|letter| letter != '\n'));
    let goes = takes_text && matches!(by, By::Text(""));
    let is_left = |content: &Content| !goes || paragraphs(content).concat().iter().any(says);
    new.retain(is_left);
    let mut new: Vec<Block> = new.into_iter().map(Block::new).collect();
    // What is set between the first and the last is meant for the last, and for what follows.
    let place = if new.len() > 1 { new.len() - 1 } else { new.len() };
    new.splice(place..place, looks);
    tree.blocks.splice(first.block..=last.block, new);
}

/// Puts what stood before the place in front of what is new.
fn join_before(new: &mut Vec<Content>, before: Vec<Run>, from: &Content) {
    if before.is_empty() {
        return;
    }
    match new.first_mut() {
        Some(first) if std::mem::discriminant(first) == std::mem::discriminant(from) || is_paragraph(first) => {
            let runs = own_runs(first).map(std::mem::take).unwrap_or_default();
            *first = with_runs(from, [before, runs].concat());
        }
        _ => new.insert(0, with_runs(from, before)),
    }
}

/// Puts what stood behind the place after what is new.
fn join_behind(new: &mut Vec<Content>, behind: Vec<Run>, to: &Content) {
    if behind.is_empty() {
        return;
    }
    match new.last_mut().and_then(own_runs) {
        Some(runs) => runs.extend(behind),
        None => new.push(with_runs(to, behind)),
    }
}

const fn is_directive(block: &Block) -> bool {
    matches!(block.content, Content::Directive { .. })
}

const fn is_listed(content: &Content) -> bool {
    matches!(content, Content::Item { .. } | Content::ItemParagraph { .. })
}

const fn is_paragraph(content: &Content) -> bool {
    matches!(content, Content::Paragraph { .. })
}

fn paragraph(text: &str) -> Block {
    Block::new(Content::Paragraph { runs: vec![text_run(text, Marks::default())] })
}

/// The text of a block that is one paragraph.
fn own_runs(content: &mut Content) -> Option<&mut Vec<Run>> {
    if !is_line(content) {
        return None;
    }
    match content {
        Content::Heading { runs, .. }
        | Content::Paragraph { runs }
        | Content::Item { runs, .. }
        | Content::ItemParagraph { runs, .. } => Some(runs),
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => None,
    }
}

/// A block like another one, with another text.
fn with_runs(content: &Content, runs: Vec<Run>) -> Content {
    let mut content = content.clone();
    match own_runs(&mut content) {
        Some(own) => {
            *own = runs;
            content
        }
        None => Content::Paragraph { runs },
    }
}

/// The line after one: items go on as items, and below a heading stands a paragraph.
fn next_line(content: Option<&Content>, runs: Vec<Run>) -> Content {
    match content {
        Some(item @ (Content::Item { .. } | Content::ItemParagraph { .. })) => with_runs(item, runs),
        _ => Content::Paragraph { runs },
    }
}

/// Replaces one of the paragraphs of a cell or a footnote by others.
fn replace_paragraph(content: &mut Content, place: usize, change: impl FnOnce(&[Run]) -> Vec<Vec<Run>>) {
    let holders: Vec<&mut Vec<Vec<Run>>> = match content {
        Content::Table { rows, .. } => rows.iter_mut().flatten().collect(),
        Content::Footnote { paragraphs, .. } => vec![paragraphs],
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Rule
        | Content::Directive { .. } => Vec::new(),
    };
    let mut at = place;
    for holder in holders {
        match holder.get(at) {
            Some(runs) => {
                let new = change(runs);
                holder.splice(at..=at, new);
                return;
            }
            None => at -= holder.len(),
        }
    }
}

#[cfg(test)]
#[path = "replace_tests.rs"]
mod tests;
