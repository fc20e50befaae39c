//! The stretches of a text that an edit touches, between places where it can be cut. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::kinds::docs::text::landmarks::{Landmark, Landmarks, Note};

/// More pieces than these are planned on the whole.
const PIECES_MAX: usize = 32;

/// A stretch of the body that begins at a landmark and ends behind one, or reaches to an end of the body.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// In the text as it was, in bytes.
    pub(super) old: Range<usize>,
    /// In the edited text.
    pub(super) new: Range<usize>,
    /// The landmark that it begins with.
    pub(super) first: Option<Landmark>,
    /// The landmark that it ends with.
    pub(super) last: Option<Landmark>,
}

impl Piece {
    /// Tells whether nothing of the document lies between this and a later one.
    fn touches(&self, later: &Self) -> bool {
        match (self.last, later.first) {
            (Some(last), Some(first)) => first.element <= last.element + 1,
            _ => true,
        }
    }
}

/// A footnote that is planned with the pieces: the whole of its text on both sides.
#[derive(Debug, Clone)]
pub(super) struct NotePiece<'a> {
    pub(super) label: &'a str,
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// All that an edit touches, in the order of the text.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    pub(super) body: Vec<Piece>,
    pub(super) notes: Vec<NotePiece<'a>>,
}

/// Both texts, and where their bodies stand: between the head and the footnotes.
struct Sides<'a> {
    old: &'a str,
    new: &'a str,
    old_body: Range<usize>,
    new_body: Range<usize>,
}

/// Finds them; `old_start` and `new_start` tell where the heads end. `None` when that cannot be told surely.
pub(super) fn find<'a>(
    (old, old_start): (&str, usize),
    (new, new_start): (&str, usize),
    landmarks: &'a Landmarks,
) -> Option<Pieces<'a>> {
    let notes = landmarks.notes.as_ref()?;
    let old_end = notes.first().map_or(old.len(), |note| note.at);
    let new_end = match notes.first() {
        None => new.len(),
        Some(first) => {
            let begin = format!("\n\n[^{}]:", first.label);
            let mut found = new.match_indices(&begin).map(|(at, _)| at + 2);
            let at = found.next()?;
            found.next().is_none().then_some(at)?
        }
    };
    let sides = Sides { old, new, old_body: old_start..old_end, new_body: new_start..new_end };
    if old_start > old_end || new_start > new_end {
        return None;
    }
    let note_pieces = note_pieces(&sides, notes)?;
    let fixed = sides.fixed(&landmarks.cuts)?;
    let mut body = sides.edited(&fixed);
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    for (at, piece) in note_pieces.iter().enumerate() {
        if old.get(piece.old.clone())? != new.get(piece.new.clone())? {
            wanted.insert(at);
        }
    }
    if body.is_empty() && wanted.is_empty() {
        // Only the head was edited; it needs some of the body beside it.
        body.push(sides.around(0, &landmarks.cuts, &fixed)?);
    }
    if !notes.is_empty() && body.iter().any(|piece| piece.last.is_none()) {
        // What was the end of the body stands before the footnotes.
        wanted.insert(0);
    }
    for at in &wanted {
        let element = notes.get(*at)?.element;
        body.push(sides.around(element, &landmarks.cuts, &fixed)?);
    }
    let body = merged(body);
    if body.len() > PIECES_MAX || !sides.are_covered(&body) {
        return None;
    }
    let inside = |element: usize| {
        body.iter().any(|piece| {
            piece.first.is_none_or(|first| first.element <= element)
                && piece.last.is_none_or(|last| element <= last.element)
        })
    };
    let mut pairs = note_pieces.into_iter().zip(notes);
    let notes = pairs.by_ref().filter(|(_, note)| inside(note.element)).map(|(piece, _)| piece).collect();
    Some(Pieces { body, notes })
}

/// The texts of the footnotes on both sides; `None` when one came or went.
fn note_pieces<'a>(sides: &Sides<'_>, notes: &'a [Note]) -> Option<Vec<NotePiece<'a>>> {
    let region = sides.new.get(sides.new_body.end..)?;
    let mut starts: Vec<usize> = if notes.is_empty() { Vec::new() } else { vec![sides.new_body.end] };
    starts.extend(region.match_indices("\n[^").map(|(at, _)| sides.new_body.end + at + 1));
    if starts.len() != notes.len() {
        return None;
    }
    let mut pieces = Vec::with_capacity(notes.len());
    for (at, note) in notes.iter().enumerate() {
        let new_at = *starts.get(at)?;
        if !sides.new.get(new_at + 2..)?.strip_prefix(note.label.as_str())?.starts_with("]:") {
            return None;
        }
        let old_end = notes.get(at + 1).map_or(sides.old.len(), |next| next.at);
        let new_end = starts.get(at + 1).copied().unwrap_or(sides.new.len());
        pieces.push(NotePiece { label: &note.label, old: note.at..old_end, new: new_at..new_end });
    }
    Some(pieces)
}

/// A landmark that stands on both sides, and where on the new one.
#[derive(Debug, Clone, Copy)]
struct Fixed {
    mark: Landmark,
    new: usize,
}

impl Sides<'_> {
    /// Finds landmarks that surely stand on both sides: the last before all edits, the first behind all, and between them
    /// those whose line stands once on each side. In their order.
    fn fixed(&self, cuts: &[Landmark]) -> Option<Vec<Fixed>> {
        let (old_body, new_body) = (self.old.get(self.old_body.clone())?, self.new.get(self.new_body.clone())?);
        let prefix = common_prefix(old_body, new_body);
        let suffix = common_suffix(old_body.get(prefix..)?, new_body.get(prefix..)?);
        let (start, end) = (self.old_body.start + prefix, self.old_body.end - suffix);
        // The blank line behind a paragraph belongs to it: without one it would go on.
        let before = |mark: &&Landmark| mark.end + usize::from(!mark.heading) < start && self.parts(mark, mark.end);
        let shift = |at: usize| self.new_body.start + (at - self.old_body.start);
        let first = cuts.iter().take_while(|mark| mark.end < start).filter(before).last();
        let first = first.map(|mark| Fixed { mark: *mark, new: shift(mark.at) });
        let from = first.map_or(0, |first| first.mark.element + 1);
        let behind = |at: usize| (self.new_body.end + at).checked_sub(self.old_body.end);
        let last = cuts.iter().skip_while(|mark| mark.at < end || mark.element < from).find_map(|mark| {
            let fixed = Fixed { mark: *mark, new: behind(mark.at)? };
            self.begins(&fixed).then_some(fixed)
        });
        let until = last.map_or(usize::MAX, |last| last.mark.element);
        let mut fixed: Vec<Fixed> = first.into_iter().collect();
        let new_from = first.map_or(self.new_body.start, |first| first.new + (first.mark.end - first.mark.at));
        let new_until = last.map_or(self.new_body.end, |last| last.new);
        let between = cuts.iter().filter(|mark| (from..until).contains(&mark.element));
        fixed.extend(self.between(between.copied().collect(), new_from..new_until));
        fixed.extend(last);
        Some(fixed)
    }

    /// Tells whether an empty line follows a mark at `end` of the old text, so that the block ends there.
    fn parts(&self, mark: &Landmark, end: usize) -> bool {
        mark.heading || self.old.get(end..).is_some_and(|rest| rest.starts_with('\n'))
    }

    /// Tells whether a mark begins a block of its own on both sides.
    fn begins(&self, fixed: &Fixed) -> bool {
        let alone = |text: &str, at: usize, start: usize| {
            at == start
                || (at > start
                    && text
                        .get(..at)
                        .is_some_and(|before| before.ends_with(if fixed.mark.heading { "\n" } else { "\n\n" })))
        };
        alone(self.old, fixed.mark.at, self.old_body.start) && alone(self.new, fixed.new, self.new_body.start)
    }

    /// Finds the marks whose line stands once on each side, in the same order on both.
    fn between(&self, marks: Vec<Landmark>, new: Range<usize>) -> Vec<Fixed> {
        let mut places: BTreeMap<&str, (usize, Option<usize>)> = BTreeMap::new();
        let line = |mark: &Landmark| self.old.get(mark.at..mark.end);
        for mark in &marks {
            let Some(line) = line(mark) else { return Vec::new() };
            places.entry(line).or_insert((0, None)).0 += 1;
        }
        if places.is_empty() {
            return Vec::new();
        }
        let mut at = new.start;
        for line in self.new.get(new).unwrap_or_default().split_inclusive('\n') {
            if let Some((count, place)) = places.get_mut(line) {
                // A second one makes it of no use.
                *count += usize::from(place.is_some());
                *place = Some(at);
            }
            at += line.len();
        }
        let mut found: Vec<Fixed> = Vec::new();
        for mark in marks {
            let Some((1, Some(new))) = line(&mark).and_then(|line| places.get(line)).copied() else { continue };
            let fixed = Fixed { mark, new };
            let length = mark.end - mark.at;
            let parts = mark.heading || self.new.get(new + length..).is_some_and(|rest| rest.starts_with('\n'));
            if !parts || !self.parts(&mark, mark.end) || !self.begins(&fixed) {
                continue;
            }
            if found.last().is_some_and(|last| last.new >= new) {
                // Something moved: it is one edit.
                return Vec::new();
            }
            found.push(fixed);
        }
        found
    }

    /// The stretches between marks on which the sides differ.
    fn edited(&self, fixed: &[Fixed]) -> Vec<Piece> {
        let starts = std::iter::once(None).chain(fixed.iter().copied().map(Some));
        let ends = fixed.iter().copied().map(Some).chain([None]);
        let gaps = starts.zip(ends).map(|(first, last)| self.gap(first, last));
        merged(gaps.filter(|piece| self.old.get(piece.old.clone()) != self.new.get(piece.new.clone())).collect())
    }

    fn gap(&self, first: Option<Fixed>, last: Option<Fixed>) -> Piece {
        let length = |fixed: Fixed| fixed.mark.end - fixed.mark.at;
        let old = first.map_or(self.old_body.start, |first| first.mark.at)
            ..last.map_or(self.old_body.end, |last| last.mark.end);
        let new = first.map_or(self.new_body.start, |first| first.new)
            ..last.map_or(self.new_body.end, |last| last.new + length(last));
        Piece { old, new, first: first.map(|first| first.mark), last: last.map(|last| last.mark) }
    }

    /// Tells whether both bodies say the same outside of these stretches: an edit that lies in none would be dropped.
    fn are_covered(&self, pieces: &[Piece]) -> bool {
        let (mut old_at, mut new_at) = (self.old_body.start, self.new_body.start);
        for piece in pieces {
            let (old, new) = (self.old.get(old_at..piece.old.start), self.new.get(new_at..piece.new.start));
            if old.is_none() || old != new {
                return false;
            }
            (old_at, new_at) = (piece.old.end, piece.new.end);
        }
        let (old, new) = (self.old.get(old_at..self.old_body.end), self.new.get(new_at..self.new_body.end));
        old.is_some() && old == new
    }

    /// The shortest stretch around an element; the edited one where it lies in one.
    fn around(&self, element: usize, cuts: &[Landmark], fixed: &[Fixed]) -> Option<Piece> {
        let behind = fixed.partition_point(|fixed| fixed.mark.element <= element);
        let (first, last) = (behind.checked_sub(1).and_then(|at| fixed.get(at)).copied(), fixed.get(behind).copied());
        let gap = self.gap(first, last);
        if self.old.get(gap.old.clone())? != self.new.get(gap.new.clone())? {
            return Some(gap);
        }
        let shifted = |mark: &Landmark| Fixed { mark: *mark, new: gap.new.start + (mark.at - gap.old.start) };
        let inner = cuts.iter().filter(|mark| gap.old.start <= mark.at && mark.end <= gap.old.end).map(shifted);
        let (before, after): (Vec<Fixed>, Vec<Fixed>) = inner.partition(|inner| inner.mark.element <= element);
        let first = before.into_iter().rev().find(|inner| self.parts(&inner.mark, inner.mark.end)).or(first);
        let last = after.into_iter().find(|inner| self.begins(inner)).or(last);
        Some(self.gap(first, last))
    }
}

/// Puts stretches in order and joins those that touch.
fn merged(mut pieces: Vec<Piece>) -> Vec<Piece> {
    // Of two that begin alike in the old text, the one that has something before that in the new begins both.
    pieces.sort_by_key(|piece| (piece.old.start, piece.new.start, piece.old.end));
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces {
        match all.last_mut() {
            // One that ends with the mark at which the next begins is one with it.
            Some(last) if last.touches(&piece) => {
                // A heading that ends the old text is no longer than itself there, and may have text behind it in the new.
                if (piece.old.end, piece.new.end) > (last.old.end, last.new.end) {
                    (last.old.end, last.new.end, last.last) = (piece.old.end, piece.new.end, piece.last);
                }
            }
            _ => all.push(piece),
        }
    }
    all
}

/// Length of what two texts begin with alike, in bytes; a character is not torn.
fn common_prefix(old: &str, new: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    (0..=same).rev().find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at)).unwrap_or(0)
}

/// Length of what two texts end with alike, in bytes; a character is not torn.
fn common_suffix(old: &str, new: &str) -> usize {
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(old, new)| old == new).count();
    let whole = |length: &usize| old.is_char_boundary(old.len() - length) && new.is_char_boundary(new.len() - length);
    (0..=same).rev().find(whole).unwrap_or(0)
}
