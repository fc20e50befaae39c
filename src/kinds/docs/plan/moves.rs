//! A move is whole or it is held: moving is deleting and typing anew, so what would lose something stays, and the text
//! around it moves. Where two such blocks change places, one of the moves is held; so is one past a heading, which would
//! get another id, and one past a list that would be another. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::ops::Range;
use std::rc::Rc;

use super::align::{BLANK, Stay, Step, crossing, same};
use super::blocks::{Entry, Row, aligned, entries, is_same};
use super::edit::name_of;
use super::glyphs;
use super::planner::{excerpt, is_mostly, text_of, words_of};
use crate::gdocs::DocumentTab;
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::mebdf::{Block, Content, Mark, Run, Tree};

/// Most moves that are held one by one; an edit with more of them is seldom a person's.
const HELD_MAX: usize = 100;

/// What of the document stays, by the keys of its blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Staying {
    /// The blocks that a comment or a named range is tied to, with what it is.
    tied: BTreeMap<String, &'static str>,
    /// The blocks that the file, as it was edited, leaves where they are.
    kept: BTreeSet<String>,
    /// The headings of the document by their ids, before its structure changes; `None` where that is not asked for.
    headings: Option<Rc<BTreeMap<String, Content>>>,
}

impl Staying {
    /// Finds what stays when `remote` shall say what `file` does, of which nothing is held yet.
    pub(super) fn of(tied: BTreeMap<String, &'static str>, remote: &Extract, file: &Flat) -> Self {
        let headings = ids(&remote.tree).into_iter().map(|(id, heading)| (id.to_owned(), heading.clone())).collect();
        let mut staying = Self { tied, kept: BTreeSet::new(), headings: Some(Rc::new(headings)) };
        let (old, new) = entries(remote, file, &staying);
        let row = Row::of(&old, &new);
        let kept = same(&row.old, &row.new, &row.stay).into_iter().filter_map(|(i, _)| row.old.get(i));
        staying.kept = kept.filter(|key| !key.starts_with(char::is_control)).cloned().collect();
        staying
    }

    /// What is tied to the block with this key.
    pub(super) fn tied(&self, key: &str) -> Option<&'static str> {
        self.tied.get(key.trim_start_matches(BLANK)).copied()
    }

    /// Tells whether the file as it was edited leaves the block with this key where it is. Whatever of the edit is held or
    /// done in steps, that stays rather than what was moved.
    pub(super) fn is_kept(&self, key: &str) -> bool {
        self.kept.contains(key)
    }

    /// Tells whether a change of structure made this heading: neither the document nor the file, whose headings these are,
    /// has its id with what it says. An id goes with the end of its paragraph, so the last part of a heading that was split
    /// has it, and that part is no heading which says the same elsewhere in the file.
    fn is_made(&self, heading: &Content, file: &BTreeMap<&str, &Content>) -> bool {
        let (Some(headings), Some(id)) = (self.headings.as_ref(), anchor(heading)) else { return false };
        let says = |other: Option<&Content>| other.is_some_and(|other| is_same(other, heading));
        !says(headings.get(id)) && !says(file.get(id).copied())
    }
}

/// Finds what would be lost by a move of each of these blocks; `file` is what they shall say.
pub(super) fn fix(remote: &Extract, file: &Tree, entries: &mut [Entry<'_>], staying: &Staying) {
    let heading = |entry: &Entry<'_>| matches!(entry.block.content, Content::Heading { .. });
    let (targets, wanted) = if entries.iter().any(heading) {
        (targets([&remote.tree, file].into_iter()), ids(file))
    } else {
        Default::default()
    };
    for entry in entries {
        entry.made = staying.is_made(&entry.block.content, &wanted);
        let tied = staying.tied(&entry.key).map(ToOwned::to_owned);
        let reason = remote.origins.get(entry.index).and_then(|origin| reason(entry, origin, &targets));
        entry.fixed = reason.or(tied);
    }
}

fn reason(entry: &Entry<'_>, origin: &Origin, targets: &BTreeSet<&str>) -> Option<String> {
    if entry.look.locked.is_some() {
        return Some("a read-only part".into());
    }
    let line = match origin {
        Origin::Line { line, .. } => line,
        Origin::Table { .. } => return Some("a table".into()),
        Origin::Fixed { .. } => return Some("a section break or a table of contents".into()),
        Origin::Footnote { .. } => return None,
    };
    match &entry.block.content {
        Content::Rule => return Some("a horizontal rule".into()),
        Content::Heading { anchor: Some(anchor), .. } if !entry.made && targets.contains(&**anchor) => {
            return Some("a heading that a link goes to".into());
        }
        // What is typed anew has no tick, and no request sets one.
        Content::Item { mark: Mark::Task { checked: true }, .. } => return Some("a ticked box".into()),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Directive { .. }
        | Content::Footnote { .. } => {}
    }
    if line.lock.is_some() {
        return Some("a paragraph that cannot be edited".into());
    }
    held_in(line)
}

/// Finds what a paragraph holds that cannot be made anew.
pub(super) fn held_in(line: &Line) -> Option<String> {
    line.units.iter().find_map(|unit| match &unit.token {
        Token::Footnote(_) => Some("a footnote".to_owned()),
        Token::Object(object) if unit.len > 0 && matches!(&*object.kind, "person" | "date" | "pagebreak") => None,
        Token::Object(object) => Some(name_of(object)),
        Token::Char(_) | Token::Anchor(_) => None,
    })
}

/// The ids that links of these texts go to.
pub(super) fn targets<'a>(trees: impl Iterator<Item = &'a Tree>) -> BTreeSet<&'a str> {
    let runs = trees.flat_map(|tree| &tree.blocks).flat_map(|block| block.content.runs());
    runs.filter_map(|run| run.marks.link.as_deref()?.strip_prefix("#^")).collect()
}

/// A file without the moves that are held, and where each was, in bytes of the file, with the reason: a sentence.
pub(super) type Held = (Flat, Vec<(usize, String)>);

/// Puts back what was moved past another block when neither can move; `None` when there is no such move.
pub(super) fn hold(remote: &Extract, file: &Flat, staying: &Staying, tab: &DocumentTab) -> Option<Held> {
    let mut held: Option<Held> = None;
    for _ in 0..HELD_MAX {
        let now = held.as_ref().map_or(file, |(flat, _)| flat);
        let Some((order, at, reason)) = put_back(remote, now, staying, tab) else { break };
        let (flat, told) = held.get_or_insert_with(|| (file.clone(), Vec::new()));
        flat.reorder(&order);
        told.push((at, reason));
    }
    held
}

/// Finds one such move: the order of the file's blocks without it, where it was, and the reason.
fn put_back(
    remote: &Extract,
    file: &Flat,
    staying: &Staying,
    tab: &DocumentTab,
) -> Option<(Vec<usize>, usize, String)> {
    let (old, new) = entries(remote, file, staying);
    let row = Row::of(&old, &new);
    if !row.stay.contains(&Stay::Fixed) {
        return None;
    }
    let pairs = same(&row.old, &row.new, &row.stay);
    let Some((i, j)) = crossing(&row.old, &row.new, (&row.stay, Stay::Fixed), &pairs).next() else {
        let is_plain = |i: usize| match old.get(i).and_then(|entry| remote.origins.get(entry.index)) {
            Some(Origin::Line { element, .. }) => glyphs::is_plain(tab, *element),
            Some(Origin::Table { .. } | Origin::Fixed { .. } | Origin::Footnote { .. }) | None => false,
        };
        return past_heading(&old, &new, &row, &pairs)
            .or_else(|| past_list((&old, &new), &row, &pairs, staying, is_plain));
    };
    let reason = format!(
        "it holds {}, which cannot be moved, and it was moved past another part that cannot be moved either",
        old[i].fixed.as_ref()?
    );
    let stays: BTreeMap<usize, usize> = pairs.iter().copied().collect();
    let known: BTreeSet<usize> = stays.values().copied().collect();
    let moved = |i: usize, j: usize| {
        !stays.contains_key(&i) && !known.contains(&j) && row.old.get(i).is_some_and(|key| row.new.get(j) == Some(key))
    };
    // What was moved along with it is held, too.
    let before = (1..=i.min(j)).take_while(|step| moved(i - step, j - step)).count();
    let behind = (1..).take_while(|step| moved(i + step, j + step)).count();
    let (first, run) = (i - before, j - before..j + behind + 1);
    // Between what it stood between, edited or not.
    let steps = aligned(remote, &old, &new).into_iter();
    let partners: BTreeMap<usize, usize> = steps
        .filter_map(|step| if let Step::Pair(i, j) = step { Some((i, j)) } else { None })
        .filter(|(_, j)| !run.contains(j))
        .collect();
    let above = partners.range(..first).next_back();
    let below = partners.get(&(first + run.len()));
    let place = match (above, below) {
        (Some((above, _)), Some(below)) if above + 1 < first => *below,
        (Some((_, partner)), _) => partner + 1,
        (None, below) => below.copied().unwrap_or(0),
    };
    Some((put(&run, place, new.len()), new[run.start].block.span.0.start, reason))
}

/// The order of so many blocks in which a run of them stands before the one at `place`.
fn put(run: &Range<usize>, place: usize, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..place).filter(|at| !run.contains(at)).collect();
    order.extend(run.clone());
    order.extend((place..count).filter(|at| !run.contains(at)));
    order
}

/// Finds a block that cannot move and was moved past a heading: the heading cannot make way for it without getting another
/// id, which links from elsewhere may go to. Where headings change places, one of them gets another anyway.
fn past_heading(
    old: &[Entry<'_>],
    new: &[Entry<'_>],
    row: &Row,
    pairs: &[(usize, usize)],
) -> Option<(Vec<usize>, usize, String)> {
    let passed: Vec<(usize, usize)> = crossing(&row.old, &row.new, (&row.stay, Stay::Rather), pairs).collect();
    let heading = |i: usize| matches!(old[i].block.content, Content::Heading { .. });
    let headings: Vec<(usize, usize)> = pairs.iter().chain(&passed).copied().filter(|(i, _)| heading(*i)).collect();
    for at in passed {
        if headings.iter().any(|other| *other != at && cross(*other, at)) {
            continue;
        }
        let fixed = |(a, b): &&(usize, usize)| row.stay.get(*a) == Some(&Stay::Fixed) && cross((*a, *b), at);
        let Some(&(a, b)) = pairs.iter().find(fixed) else { continue };
        let run = along(pairs, (a, b), at);
        let place = before_move(pairs, &run, at, new.len());
        let reason = format!(
            "it holds {}, which cannot be moved, and the heading `{}` that it was moved past would get another id, to which \
             links may go",
            old[a].fixed.as_ref()?,
            excerpt(&said(&old[at.0].block.content))
        );
        return Some((put(&run, place, new.len()), new[run.start].block.span.0.start, reason));
    }
    None
}

/// Finds a block that something is tied to and that was moved past a list: what makes way for it is typed anew, and a list that is would be
/// another list. Plain items are the same in another one. Where less of the list was moved than of what stands around the block,
/// it is the list that was moved, and so it is where an item was edited and moved by itself; and inside of one list, items are
/// typed into that again.
fn past_list(
    (old, new): (&[Entry<'_>], &[Entry<'_>]),
    row: &Row,
    pairs: &[(usize, usize)],
    staying: &Staying,
    is_plain: impl Fn(usize) -> bool,
) -> Option<(Vec<usize>, usize, String)> {
    let passed = moved(old, new, row, pairs);
    let is_item = |i: usize| old.get(i).is_some_and(|entry| matches!(entry.block.content, Content::Item { .. }));
    for (i, there) in passed.iter().filter(|(i, _)| is_item(*i) && !is_plain(*i)) {
        let Some(at) = there.first().map(|j| (*i, *j)) else { continue };
        let beside = |(a, b): &&(usize, usize)| {
            old.get(*a).is_some_and(|entry| staying.tied(&entry.key).is_some())
                && there.iter().all(|j| cross((*a, *b), (*i, *j)))
                && !are_of_one_list(old, *a, *i)
        };
        let Some(&(a, b)) = pairs.iter().find(beside) else { continue };
        let run = along(pairs, (a, b), at);
        let count = passed.iter().filter(|(i, there)| there.iter().all(|j| cross((a, b), (*i, *j)))).count();
        let stays = |i: usize| pairs.binary_search_by_key(&i, |(i, _)| *i).is_ok();
        let up = (0..*i).rev().take_while(|i| is_item(*i));
        let rest_stays = || up.chain((i + 1..).take_while(|i| is_item(*i))).any(stays);
        let edited = row.old[*i] != row.new[at.1];
        if count < run.len() || (count == run.len() && (edited || rest_stays())) {
            continue;
        }
        let place = before_move(pairs, &run, at, new.len());
        // Where it would then stand on the other side of what stays, it is the list that was moved.
        if pairs.iter().any(|(i, j)| !run.contains(j) && (*i < a) != (*j < place)) {
            continue;
        }
        let reason = format!(
            "it holds {}, which cannot be moved, and changed places with the list with `{}`, which would be made anew, \
             whichever of them was moved",
            old[a].fixed.as_ref()?,
            excerpt(&said(&old[at.0].block.content))
        );
        return Some((put(&run, place, new.len()), new[run.start].block.span.0.start, reason));
    }
    None
}

/// What stands elsewhere in the file, with all the places where it may: itself, or else what says mostly the same.
fn moved(old: &[Entry<'_>], new: &[Entry<'_>], row: &Row, pairs: &[(usize, usize)]) -> Vec<(usize, Vec<usize>)> {
    let said = |keys: &[String], at: usize| keys.get(at).is_some_and(|key| !key.starts_with(BLANK));
    let known: (BTreeSet<usize>, BTreeSet<usize>) = pairs.iter().copied().unzip();
    let words = |entries: &[Entry<'_>], at: usize| words_of(&text_of(&entries[at].block.content));
    let free: Vec<(usize, BTreeSet<String>)> =
        (0..new.len()).filter(|j| !known.1.contains(j) && said(&row.new, *j)).map(|j| (j, words(new, j))).collect();
    let left = (0..old.len()).filter(|i| !known.0.contains(i) && said(&row.old, *i));
    let places = left.map(|i| {
        let same: Vec<usize> = free.iter().map(|(j, _)| *j).filter(|j| row.new[*j] == row.old[i]).collect();
        if !same.is_empty() {
            return (i, same);
        }
        let gone = words(old, i);
        (i, free.iter().filter(|(_, words)| is_mostly(words, &gone)).map(|(j, _)| *j).collect())
    });
    places.filter(|(_, there)| !there.is_empty()).collect()
}

/// Tells whether two blocks are items beside each other with marks of one kind, and all between them, too.
fn are_of_one_list(old: &[Entry<'_>], one: usize, other: usize) -> bool {
    let list = |entry: &Entry<'_>| match &entry.block.content {
        Content::Item { mark, .. } => Some((discriminant(mark), entry.look.list.clone())),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => None,
    };
    let between = old.get(one.min(other)..=one.max(other)).unwrap_or_default();
    let mut lists = between.iter().map(list);
    let first = lists.next().flatten();
    first.is_some() && lists.all(|list| list == first)
}

/// Tells whether two moves, or what stays and a move, change the order of what they are of.
const fn cross((a, b): (usize, usize), (i, j): (usize, usize)) -> bool {
    (a < i) != (b < j)
}

/// What of the file was moved past `at` along with the pair `(a, b)`, which stays: it is held, too.
fn along(pairs: &[(usize, usize)], (a, b): (usize, usize), at: (usize, usize)) -> Range<usize> {
    let along = |pair: (usize, usize)| pairs.binary_search(&pair).is_ok() && cross(pair, at);
    let before = (1..=a.min(b)).take_while(|step| along((a - step, b - step))).count();
    let behind = (1..).take_while(|step| along((a + step, b + step))).count();
    b - before..b + behind + 1
}

/// Where a run of the file, of so many blocks, stood before it was moved past `at`: on the other side of that.
fn before_move(pairs: &[(usize, usize)], run: &Range<usize>, at: (usize, usize), count: usize) -> usize {
    let olds = |pair: &(usize, usize)| run.contains(&pair.1).then_some(pair.0);
    let (first, last) = (pairs.iter().find_map(olds), pairs.iter().rev().find_map(olds));
    let (first, last) = (first.unwrap_or(at.0), last.unwrap_or(at.0));
    if first < at.0 {
        pairs.iter().rev().find(|(i, j)| *i < first && *j < at.1).map_or(0, |(_, j)| j + 1)
    } else {
        pairs.iter().find(|(i, j)| *i > last && *j > at.1).map_or(count, |(_, j)| *j)
    }
}

/// Why a plan would leave a block where it belongs on neither side.
pub(super) enum Misplaced<'a> {
    /// Text that would stand under a heading under which it stood neither in the document nor in the file.
    Text(String),
    /// A heading of the file that would lose the id that a link goes to.
    Target(&'a Block),
}

/// Checks that every link to a heading that stays still finds it.
///
/// # Errors
///
/// The heading of the file that would lose its id.
pub(super) fn links_are_kept<'a>(before: &Tree, local: &'a Tree, after: &Tree) -> Result<(), Misplaced<'a>> {
    let (was, is) = (ids(before), ids(after));
    if was.keys().all(|id| is.contains_key(id)) {
        return Ok(());
    }
    let targets = targets([local, after].into_iter());
    let lost = |block: &&Block| {
        let id = anchor(&block.content);
        id.is_some_and(|id| was.contains_key(id) && targets.contains(id) && !is.contains_key(id))
    };
    local.blocks.iter().find(lost).map_or(Ok(()), |block| Err(Misplaced::Target(block)))
}

/// Checks that a plan that carries out only a part of an edit puts no text under another heading than it had in the
/// document or has in the file.
///
/// # Errors
///
/// The text that would stand elsewhere.
pub(super) fn headings_are_kept<'a>(before: &Tree, local: &Tree, after: &Tree) -> Result<(), Misplaced<'a>> {
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for tree in [before, local] {
        for (heading, text) in under_headings(tree) {
            known.entry(text).or_default().insert(heading.map(said).unwrap_or_default());
        }
    }
    let (was, wanted) = (ids(before), ids(local));
    for (heading, text) in under_headings(after) {
        let Some(places) = known.get(&text) else { continue };
        let name = heading.map(said).unwrap_or_default();
        // A heading that was renamed is still that heading.
        let id = heading.and_then(anchor);
        let other = |ids: &BTreeMap<&str, &Content>| id.and_then(|id| ids.get(id)).map(|content| said(content));
        let names = [Some(name), other(&was), other(&wanted)];
        if !names.iter().flatten().any(|name| places.contains(name)) {
            return Err(Misplaced::Text(text));
        }
    }
    Ok(())
}

/// What a tree says, block by block, each with the heading that it stands under.
fn under_headings(tree: &Tree) -> impl Iterator<Item = (Option<&Content>, String)> {
    let mut heading = None;
    tree.blocks.iter().filter_map(move |block| {
        if matches!(block.content, Content::Heading { .. }) {
            heading = Some(&block.content);
            return None;
        }
        let footnote = matches!(block.content, Content::Footnote { .. });
        Some((heading, said(&block.content))).filter(|(_, text)| !footnote && !text.is_empty())
    })
}

/// The text of a block with its objects, whatever it looks like and however its footnotes are counted.
pub(super) fn said(content: &Content) -> String {
    let text = |runs: &[Run]| -> String {
        let mut text = String::new();
        for (token, _) in tokens(runs) {
            match token {
                Token::Char(character) => text.push(character),
                Token::Object(object) => text.push_str(object.id.as_ref().unwrap_or(&object.kind)),
                Token::Footnote(_) => text.push('\u{fffc}'),
                Token::Anchor(_) => {}
            }
        }
        text.trim().to_owned()
    };
    match content {
        Content::Table { rows, .. } => {
            rows.iter().flatten().flatten().map(|runs| text(runs)).collect::<Vec<_>>().join("\n").trim().to_owned()
        }
        Content::Code { text, .. } => text.clone(),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => text(block_runs(content)),
    }
}

/// The headings of a tree by their ids.
pub(super) fn ids(tree: &Tree) -> BTreeMap<&str, &Content> {
    let contents = tree.blocks.iter().map(|block| &block.content);
    contents.filter_map(|content| Some((anchor(content)?, content))).collect()
}

fn anchor(content: &Content) -> Option<&str> {
    if let Content::Heading { anchor: Some(anchor), .. } = content { Some(anchor) } else { None }
}
