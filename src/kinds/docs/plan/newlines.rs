//! Where paragraphs begin and end: splitting one is an inserted newline, merging two is a deleted one, so that every
//! character on both sides of it stays itself, with its comments, objects and style. Pure.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use unicode_segmentation::UnicodeSegmentation as _;

use super::align::{COMPARISONS_MAX, Step, stretches};
use super::blocks::{Entry, Row, aligned, entries};
use super::edit::{Group, Shape, delete_range, insert_text, shape};
use super::moves::Staying;
use super::planner::Planner;
use super::words::{Hunk, hunks};
use crate::gdocs::Request;
use crate::kinds::docs::text::extract::{Extract, Origin};
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::mebdf::{Cell, Content, Marks};

/// Most paragraphs that one is split into, or that are merged into one, at once.
const PIECES_MAX: usize = 8;

/// What joining several paragraphs costs against pairing them one by one, in characters: without it, a chance word in
/// common would tear a paragraph that was rewritten.
const REGROUPING_COST: usize = 2;

/// The end of a paragraph, as a token.
const END: Token = Token::Char('\n');

/// Tells whether more may have changed than the text of single paragraphs; most edits are no more than that.
pub(super) fn may_differ(remote: &Extract, local: &Flat, staying: &Staying) -> bool {
    let (old, new) = entries(remote, local, staying);
    let row = Row::of(&old, &new);
    stretches(&row.old, &row.new, &row.stay).into_iter().any(|(old_range, new_range)| {
        let ([old], [new]) = (&old[old_range], &new[new_range]) else { return true };
        match (&old.block.content, &new.block.content) {
            (Content::Footnote { paragraphs: old, .. }, Content::Footnote { paragraphs: new, .. }) => {
                old.len() != new.len()
            }
            (old, new) => !is_paragraph(old) || !is_paragraph(new),
        }
    })
}

const fn is_paragraph(content: &Content) -> bool {
    matches!(content, Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. })
}

impl Planner<'_> {
    /// Gives the document as many paragraphs as the file has, where paragraphs were split or merged; their words are left
    /// to the edit of the text.
    pub(super) fn newlines(&mut self, local: &Flat) {
        let (old, new) = entries(self.remote, local, self.staying);
        let row = Row::of(&old, &new);
        for (old_range, new_range) in stretches(&row.old, &row.new, &row.stay) {
            let (old, new) = (&old[old_range], &new[new_range]);
            for (old, new) in regrouped(self, old, new) {
                self.regroup(old, new);
            }
            for step in aligned(self.remote, old, new) {
                if let Step::Pair(i, j) = step {
                    self.inner_newlines(&old[i], &new[j]);
                }
            }
        }
        // In the order of the document: what stands inside a block was found after the stretch it is in.
        self.groups.sort_by_key(|group| group.elements.first().copied());
    }

    /// Makes one row of paragraphs into another.
    fn regroup(&mut self, old: &[Entry<'_>], new: &[Entry<'_>]) {
        let origins = old.iter().map(|entry| &self.remote.origins[entry.index]);
        let (mut elements, mut lines) = (Vec::new(), Vec::new());
        for origin in origins {
            let Origin::Line { element, line } = origin else { return };
            elements.push(*element);
            lines.push(line);
        }
        let wanted: Vec<_> = new.iter().map(|entry| tokens(block_runs(&entry.block.content))).collect();
        let requests = newline_edits(&lines, &wanted, self.tab_id.as_deref());
        self.groups.push(Group { elements, requests });
    }

    /// Gives the cells of a table, or a footnote, as many paragraphs as the file has.
    fn inner_newlines(&mut self, old: &Entry<'_>, new: &Entry<'_>) {
        if old.look.locked.is_some() || new.look.locked.is_some() || self.unread(new.block).is_some() {
            return;
        }
        let (elements, cells): (Vec<usize>, Vec<(&Vec<Line>, &Cell)>) =
            match (&new.block.content, &self.remote.origins[old.index]) {
                (Content::Table { rows, .. }, Origin::Table { element, cells, lock: None, .. }) => {
                    // Where rows or columns could not come or go, no cell is the one in its place.
                    if !cells.iter().map(Vec::len).eq(rows.iter().map(Vec::len)) {
                        return;
                    }
                    (vec![*element], cells.iter().flatten().zip(rows.iter().flatten()).collect())
                }
                (Content::Footnote { paragraphs, .. }, Origin::Footnote { lines }) => {
                    (Vec::new(), vec![(lines, paragraphs)])
                }
                _ => return,
            };
        let mut requests = Vec::new();
        for (lines, cell) in cells.into_iter().rev().filter(|(lines, cell)| lines.len() != cell.len()) {
            if lines.iter().all(is_open) && !lines.is_empty() {
                let wanted: Vec<_> = cell.iter().map(|runs| tokens(runs)).collect();
                requests.extend(newline_edits(&lines.iter().collect::<Vec<_>>(), &wanted, self.tab_id.as_deref()));
            }
        }
        self.groups.push(Group { elements, requests });
    }
}

/// Tells whether newlines in and behind a paragraph can change: not where suggestions wait, and not where an object is
/// tethered, since that goes with the newline and not with the text.
fn is_open(line: &Line) -> bool {
    line.lock.is_none() && line.units.iter().all(|unit| unit.len > 0)
}

/// Finds the rows of paragraphs of a stretch that were split, merged, or cut anew.
fn regrouped<'a, 'b>(
    planner: &Planner<'_>,
    old: &'a [Entry<'b>],
    new: &'a [Entry<'b>],
) -> Vec<(&'a [Entry<'b>], &'a [Entry<'b>])> {
    if old.len() + new.len() < 3 || old.is_empty() || new.is_empty() || old.len() * new.len() > COMPARISONS_MAX {
        return Vec::new();
    }
    let stretch = Stretch::read(planner, old, new);
    let (height, width) = (old.len(), new.len());
    // The most characters that can stay from here on, and the step that keeps them.
    let mut best = vec![vec![(0_usize, (0_usize, 0_usize)); width + 1]; height + 1];
    for i in (0..=height).rev() {
        for j in (0..=width).rev() {
            let mut choice = (0, (height - i, width - j));
            let mut consider = |a: usize, b: usize, kept: usize| {
                if let Some((rest, _)) = best.get(i + a).and_then(|row| row.get(j + b))
                    && rest + kept > choice.0
                {
                    choice = (rest + kept, (a, b));
                }
            };
            consider(1, 0, 0);
            consider(0, 1, 0);
            if i < height && j < width {
                consider(1, 1, stretch.kept(i..i + 1, j..j + 1));
                for (a, b) in regroupings(height - i, width - j) {
                    if let Some(kept) = stretch.regrouping(i..i + a, j..j + b) {
                        consider(a, b, kept);
                    }
                }
            }
            best[i][j] = choice;
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < height && j < width && best[i][j].0 > 0 {
        let (a, b) = best[i][j].1;
        if a > 0 && b > 0 && a + b > 2 {
            found.push((&old[i..i + a], &new[j..j + b]));
        }
        (i, j) = (i + a, j + b);
    }
    found
}

/// The regroupings that are looked at: one into several, several into one, and few into few.
fn regroupings(height: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let split = (2..=PIECES_MAX).map(|pieces| (1, pieces));
    let merge = (2..=PIECES_MAX).map(|pieces| (pieces, 1));
    let few = [(2, 2), (2, 3), (3, 2)];
    split.chain(merge).chain(few).filter(move |(a, b)| *a <= height && *b <= width)
}

/// A stretch with the words of its blocks.
struct Stretch {
    old: Vec<Piece>,
    new: Vec<Piece>,
}

/// A block of a stretch.
struct Piece {
    /// Its words.
    order: Vec<Rc<str>>,
    /// How often each word stands in it.
    words: BTreeMap<Rc<str>, usize>,
    /// Characters in those words.
    chars: usize,
    /// What kind it is; `None` when its newlines cannot change.
    shape: Option<Shape>,
    /// Its place in the body; of no meaning in the file.
    place: Range<u32>,
}

impl Stretch {
    fn read(planner: &Planner<'_>, old: &[Entry<'_>], new: &[Entry<'_>]) -> Self {
        let old = old.iter().map(|entry| {
            let Origin::Line { line, .. } = &planner.remote.origins[entry.index] else {
                return Piece::read(&entry.block.content, false, 0..0);
            };
            let open = entry.look.locked.is_none() && is_open(line) && is_paragraph(&entry.block.content);
            Piece::read(&entry.block.content, open, line.start..line.end)
        });
        let new = new.iter().map(|entry| {
            let open = entry.look.locked.is_none() && is_paragraph(&entry.block.content);
            Piece::read(&entry.block.content, open, 0..0)
        });
        Self { old: old.collect(), new: new.collect() }
    }

    /// Characters that stay when these blocks become those.
    fn kept(&self, old: Range<usize>, new: Range<usize>) -> usize {
        in_order(&self.old[old], &self.new[new])
    }

    /// The same for blocks that would be cut anew; `None` when that is not what happened.
    fn regrouping(&self, old: Range<usize>, new: Range<usize>) -> Option<usize> {
        let (old, new) = (&self.old[old], &self.new[new]);
        let first = old.first()?.shape.as_ref()?;
        let several = old.len() > 1 && new.len() > 1;
        let fits =
            |piece: &Piece| piece.chars > 0 && piece.shape.as_ref().is_some_and(|shape| !several || shape == first);
        let open = |piece: &Piece| piece.chars > 0 && piece.shape.is_some();
        let apart = old.windows(2).any(|pair| pair[0].place.end != pair[1].place.start);
        if apart || !new.iter().all(fits) || !old.iter().all(open) || (several && !old.iter().all(fits)) {
            return None;
        }
        let (old_words, new_words) = (sum(old), sum(new));
        // Most of each side comes from the other: what has become something else is not cut anew.
        let mostly = |pieces: &[Piece], other: &BTreeMap<Rc<str>, usize>| {
            pieces.iter().all(|piece| overlap(&piece.words, other) * 2 >= piece.chars)
        };
        let kept = in_order(old, new);
        let all = |pieces: &[Piece]| pieces.iter().map(|piece| piece.chars).sum::<usize>() == kept;
        // Where every word of the old stands in the new, nothing was rewritten.
        let cost = if all(old) { 0 } else { REGROUPING_COST };
        (mostly(new, &old_words) && mostly(old, &new_words)).then(|| kept.saturating_sub(cost))
    }
}

impl Piece {
    fn read(content: &Content, open: bool, place: Range<u32>) -> Self {
        let text: String = tokens(block_runs(content)).iter().map(|(token, _)| character(token)).collect();
        let (mut order, mut words, mut chars) = (Vec::new(), BTreeMap::new(), 0);
        for word in text.split_word_bounds().filter(|word| !word.trim().is_empty()) {
            let shared: Rc<str> = Rc::from(word);
            *words.entry(Rc::clone(&shared)).or_insert(0) += 1;
            order.push(shared);
            chars += word.chars().count();
        }
        Self { order, words, chars, shape: open.then(|| shape(content)), place }
    }
}

const fn character(token: &Token) -> char {
    match token {
        Token::Char(character) => *character,
        Token::Object(_) | Token::Footnote(_) | Token::Anchor(_) => '\u{fffc}',
    }
}

fn sum(pieces: &[Piece]) -> BTreeMap<Rc<str>, usize> {
    let mut sum: BTreeMap<Rc<str>, usize> = BTreeMap::new();
    for (word, count) in pieces.iter().flat_map(|piece| &piece.words) {
        *sum.entry(Rc::clone(word)).or_insert(0) += count;
    }
    sum
}

/// Beyond this many comparisons of words, their order is not looked at.
const WORDS_MAX: usize = 10_000;

/// The characters of the words that stand on both sides in one order.
fn in_order(old: &[Piece], new: &[Piece]) -> usize {
    let words =
        |pieces: &'_ [Piece]| -> Vec<Rc<str>> { pieces.iter().flat_map(|piece| &piece.order).cloned().collect() };
    let (old_words, new_words) = (words(old), words(new));
    if old_words.len() * new_words.len() > WORDS_MAX {
        return overlap(&sum(old), &sum(new));
    }
    let mut kept = vec![0_usize; new_words.len() + 1];
    for word in &old_words {
        let mut corner = 0;
        for (at, other) in new_words.iter().enumerate() {
            let best = if word == other { corner + word.chars().count() } else { kept[at].max(kept[at + 1]) };
            corner = std::mem::replace(&mut kept[at + 1], best);
        }
    }
    kept.last().copied().unwrap_or(0)
}

fn overlap(a: &BTreeMap<Rc<str>, usize>, b: &BTreeMap<Rc<str>, usize>) -> usize {
    a.iter().map(|(word, count)| word.chars().count() * b.get(word).map_or(0, |other| (*other).min(*count))).sum()
}

/// Returns the requests that give `lines` as many paragraphs as `wanted` has, last first: only newlines come and go,
/// and the blanks that take their place.
fn newline_edits(lines: &[&Line], wanted: &[Vec<(Token, Rc<Marks>)>], tab: Option<&str>) -> Vec<Request> {
    let mut old: Vec<(u32, u32, &Token)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        old.extend(line.units.iter().map(|unit| (unit.at, unit.len, &unit.token)));
        if at + 1 < lines.len() {
            old.push((line.newline_at(), 1, &END));
        }
    }
    let mut new: Vec<&Token> = Vec::new();
    for (at, line) in wanted.iter().enumerate() {
        new.extend(line.iter().map(|(token, _)| token));
        if at + 1 < wanted.len() {
            new.push(&END);
        }
    }
    let old_tokens: Vec<&Token> = old.iter().map(|(_, _, token)| *token).collect();
    let segment = lines.first().and_then(|line| line.segment.as_deref());
    let mut requests = Vec::new();
    let hunks = hunks(&old_tokens, &new);
    for (number, hunk) in hunks.iter().enumerate().rev() {
        let ends = |row: &[&Token]| row.iter().filter(|token| ***token == END).count();
        let (has, wants) = (ends(&old_tokens[hunk.old.clone()]), ends(&new[hunk.new.clone()]));
        let edit = Edit { old: &old, start: lines.first().map_or(0, |line| line.start), segment, tab };
        if has < wants {
            let before = number.checked_sub(1).and_then(|before| hunks.get(before)).map_or(0, |before| before.old.end);
            for place in edit.split(hunk, wants - has, has > 0, &new, before).into_iter().rev() {
                edit.break_at(&place, &mut requests);
            }
        } else if has > wants {
            edit.merge(hunk, wants, &new, &mut requests);
        }
    }
    requests
}

/// The paragraphs whose newlines change.
struct Edit<'a> {
    /// Start, width and token of each unit, and of the newlines between the paragraphs.
    old: &'a [(u32, u32, &'a Token)],
    /// Where the first paragraph begins.
    start: u32,
    segment: Option<&'a str>,
    tab: Option<&'a str>,
}

impl Edit<'_> {
    /// Finds the places of `count` newlines inside a hunk, preferably those of blanks; the last edit before it ends at
    /// `before`.
    fn split(&self, hunk: &Hunk, count: usize, at_end: bool, new: &[&Token], before: usize) -> Vec<Range<usize>> {
        let is_blank = |at: usize| matches!(self.old[at].2, Token::Char(c) if c.is_whitespace() && *c != '\n');
        let mut blanks: Vec<Range<usize>> = Vec::new();
        for at in hunk.old.clone().filter(|at| is_blank(*at)) {
            match blanks.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => blanks.push(at..at + 1),
            }
        }
        // Each newline goes to the blank that lies about as far into the hunk as it does itself.
        let ends = hunk.new.clone().filter(|at| *new[*at] == END).take(count);
        let mut places: Vec<Range<usize>> = Vec::new();
        for end in ends {
            let wanted = (end - hunk.new.start) * hunk.old.len() / hunk.new.len().max(1) + hunk.old.start;
            let free = blanks.iter().enumerate().min_by_key(|(_, blank)| blank.start.abs_diff(wanted));
            let place = match free.map(|(index, _)| index) {
                Some(index) if !at_end => {
                    let blank = blanks[index].clone();
                    blanks.drain(..=index);
                    blank
                }
                Some(_) | None => hunk.old.end..hunk.old.end,
            };
            places.push(place);
        }
        // No file shows a blank at the end of a paragraph, so that one that stays there would never go.
        let mut free = before;
        for place in &mut places {
            let is_space = |at: usize| *self.old[at].2 == Token::Char(' ');
            while place.start > free && is_space(place.start - 1) {
                place.start -= 1;
            }
            free = free.max(place.end);
        }
        places
    }

    /// Ends a paragraph in the place of some units.
    fn break_at(&self, place: &Range<usize>, requests: &mut Vec<Request>) {
        let at = self.place(place.start);
        requests.push(insert_text(self.segment, self.tab, at, "\n"));
        if let Some(last) = place.end.checked_sub(1).filter(|last| *last >= place.start) {
            let end = self.old[last].0 + self.old[last].1;
            requests.push(delete_range(self.segment, self.tab, at + 1, end + 1));
        }
    }

    /// Deletes the newlines of a hunk but the first `keep`; what takes their place goes in before.
    fn merge(&self, hunk: &Hunk, keep: usize, new: &[&Token], requests: &mut Vec<Request>) {
        let ends: Vec<usize> = hunk.old.clone().filter(|at| *self.old[*at].2 == END).skip(keep).collect();
        let inserted: String = new[hunk.new.clone()].iter().map(|token| character(token)).collect();
        // Without a blank, words that meet would become one, and be written anew as one.
        let letter = |at: Option<usize>| {
            let beside = at.and_then(|at| self.old.get(at));
            matches!(beside, Some((_, _, Token::Char(character))) if character.is_alphanumeric())
        };
        let meet = ends.first().is_some_and(|end| letter(end.checked_sub(1)) && letter(end.checked_add(1)));
        let plain = |c: char| match c {
            '\t' | '\u{b}' => true,
            '\u{fffc}' | '\u{e000}'..='\u{f8ff}' => false,
            c => !c.is_control(),
        };
        let fits = |c: char| c == ' ' || (meet && plain(c));
        let inserted = if ends.len() == hunk.old.len() && !inserted.is_empty() && inserted.chars().all(fits) {
            inserted
        } else {
            " ".repeat(usize::from(meet && (!inserted.is_empty() || ends.len() < hunk.old.len())))
        };
        let blank = !inserted.is_empty();
        for (number, end) in ends.iter().enumerate().rev() {
            let at = self.old[*end].0;
            if blank && number == 0 {
                let behind = at + u32::try_from(inserted.encode_utf16().count()).unwrap_or(0);
                requests.push(insert_text(self.segment, self.tab, at, &inserted));
                requests.push(delete_range(self.segment, self.tab, behind, behind + 1));
            } else {
                requests.push(delete_range(self.segment, self.tab, at, at + 1));
            }
        }
    }

    /// Where an insertion goes that comes behind the unit before `index`.
    fn place(&self, index: usize) -> u32 {
        let before = index.checked_sub(1).and_then(|before| self.old.get(before));
        before.map_or(self.start, |(at, len, _)| at + len)
    }
}
