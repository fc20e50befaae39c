//! Saves of an older text: an editor that was not told of what came into the file since writes the file without it. To who
//! looks at the file and its base alone, that is a deletion of what others wrote; and what others took away looks like something
//! new. Pure.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::arrival::Arrival;
use super::counts::{Counts, MOST, brought, has_share, is_mostly, is_share, new_blocks};
use super::hunks::{self, placed};
use super::moved::words_of;
use super::sides::{Keys, Text};
use super::went::{self, Line};
use crate::mebdf;

/// How many words of what came are shown to a person.
const SHOWN_WORDS: usize = 8;

/// So many eighths of what came are in a text of somebody who has read it and edited it a little.
const NEARLY_ALL: usize = 7;

/// A save that was made from an older text, or may have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stale {
    /// It was: it lacks what came.
    Lacks {
        /// The place of the note of what came first of that; its base is the one that the save was made from.
        oldest: usize,
        /// The first words that it lacks, at each place.
        words: Vec<String>,
    },
    /// It has what went. Its writer may not know that, or may have put it back.
    Keeps(Vec<Line>),
}

/// Tells which base a saved text was made from when it was not `base`, the newest. `arrivals` are what came into the file and
/// went from it, newest first. A text that has any of what came with the newest is not stale, whatever else a person took from
/// it. What was written at the very place of what came, and has not nearly all of that, is of somebody who did not see it, too,
/// unless some save since had it.
pub(super) fn find(arrivals: &[Arrival], base: &str, text: &str) -> Option<Stale> {
    let (mut oldest, mut lacks, mut keeps): (Option<usize>, Vec<String>, Option<Stale>) = (None, Vec::new(), None);
    // What the file said last before something else came.
    let next = |at: usize| at.checked_sub(1).and_then(|newer| arrivals.get(newer)).map_or(base, |newer| &*newer.before);
    // Whether some save since had what came with an arrival.
    let was_read =
        |at: usize| arrivals.iter().take(at + 1).enumerate().any(|(at, arrival)| arrival.was_read_before(next(at)));
    for (at, arrival) in arrivals.iter().enumerate() {
        // What came may have gone again since, or come once more with a newer one into a file that was saved without it; and what
        // went may have come again, or gone once more. Then it tells nothing.
        let newer = oldest.and_then(|newer| arrivals.get(newer)).map(|newer| &*newer.before);
        let later = || std::iter::once(base).chain(newer);
        let came = if later().any(|text| lacked(arrival, &[], &|| true, [base, text]).is_older()) {
            Presence::Unknown
        } else {
            lacked(arrival, arrivals.get(at + 1..).unwrap_or_default(), &|| was_read(at), [base, text])
        };
        let kept = |text: &str| went::kept(arrival, text);
        let found = match came {
            Presence::Unknown if later().any(|text| !kept(text).is_empty()) => Presence::Unknown,
            Presence::Unknown => {
                Some(kept(text)).filter(|lines| !lines.is_empty()).map_or(Presence::Unknown, Presence::Keeps)
            }
            came @ (Presence::Has | Presence::Lacks(_) | Presence::Keeps(_)) => came,
        };
        match found {
            // Who lacks what is newer has not deleted the rest of what he has some of, unless it has gone by then.
            Presence::Has if !lacks.is_empty() && !arrival.is_left_in(newer.unwrap_or(base), text) => {
                oldest = Some(at);
                break;
            }
            Presence::Has => break,
            Presence::Keeps(_) if went::has_read_more(arrival, base, text) => break,
            // What was written by who had read it is there, so who takes that away means it.
            Presence::Lacks(_) | Presence::Keeps(_) if arrival.was_read_by_who_wrote(next(at), text) => break,
            // Whether who wrote that had read it, an older one may tell.
            Presence::Unknown => continue,
            Presence::Lacks(words) => {
                let new = words.into_iter().filter(|words| !lacks.contains(words)).collect::<Vec<_>>();
                lacks.extend(new);
            }
            Presence::Keeps(lines) => drop(keeps.get_or_insert(Stale::Keeps(lines))),
        }
        oldest = Some(at);
    }
    // What lacks what came was made from an older text for certain, so what went before that goes once more.
    match oldest {
        Some(oldest) if !lacks.is_empty() => Some(Stale::Lacks { oldest, words: lacks }),
        _ => keeps,
    }
}

/// What a text has of an arrival.
enum Presence {
    /// Some of what came.
    Has,
    /// Nothing, but where it came other words were written when it had been read; or nearly the same; or no word came, and what
    /// went is not there.
    Unknown,
    /// Nothing of what came; its first words at each place.
    Lacks(Vec<String>),
    /// What went; see [`Stale::Keeps`].
    Keeps(Vec<Line>),
}

impl Presence {
    const fn is_older(&self) -> bool {
        matches!(self, Self::Lacks(_) | Self::Keeps(_))
    }
}

/// Looks in a text for what came with an arrival. What a file said before the `older` ones and that came back with this one,
/// whoever writes an older text has, too. Of what is lacked, words are told that `base`, the newest, still has. `was_read` tells
/// whether some save since had what came.
fn lacked(arrival: &Arrival, older: &[Arrival], was_read: &dyn Fn() -> bool, [base, text]: [&str; 2]) -> Presence {
    if arrival.has_line_unlike(older, text) {
        return Presence::Has;
    }
    let mut keys = Keys::default();
    let [before, local, after] = [&*arrival.before, text, &*arrival.after].map(|text| Text::read(text, &mut keys));
    if brought(&before.words(), &after.words()).is_empty() {
        return Presence::Unknown;
    }
    let own = new_blocks(&before, &local, 0..local.len());
    // Those that the newest still has, and those that it has not.
    let (mut lacked, mut gone, mut is_unclear) = (Vec::new(), Vec::new(), false);
    let left: OnceCell<BTreeSet<&str>> = OnceCell::new();
    let earlier: OnceCell<Vec<BTreeSet<String>>> = OnceCell::new();
    for (region, mine, theirs) in placed(&hunks::regions(&before, &local, &after)) {
        let (was, is) = (before.words_of(&region.base), local.words_of(&mine));
        let came = after.words_of(&theirs);
        let new = brought(&was, &came);
        if new.is_empty() {
            continue;
        }
        // Here or moved elsewhere.
        let has = |eighths: usize| {
            let blocks = || new_blocks(&before, &after, theirs.clone());
            let moved = |block: &Counts<'_>| {
                let came: Vec<&str> = new.iter().filter(|word| block.contains_key(**word)).copied().collect();
                own.iter().any(|own| is_mostly(own, block) && is_share(&came, |word| own.contains_key(word), eighths))
            };
            has_share(&was, &is, &came, eighths) || blocks().iter().any(moved)
        };
        if has(8) || has(MOST) && was_read() {
            if came_back(earlier.get_or_init(|| said_earlier(&before, older)), &new) {
                is_unclear = true;
                continue;
            }
            return Presence::Has;
        }
        // Two may have written nearly the same; what stands elsewhere is the other one's.
        if has_share(&was, &is, &came, NEARLY_ALL)
            && is_edit_of([&before, &local, &after], [&region.base, &mine, &theirs], &new)
        {
            is_unclear = true;
            continue;
        }
        // In the same place words were written instead, by who has read them; blocks that came are not so easily in the way.
        let ops = capture_diff_slices(Algorithm::Patience, before.bare(&region.base), after.bare(&theirs));
        let grows = ops.iter().any(|op| op.new_range().len() > op.old_range().len());
        if !grows && was_read() && is_replaced(&before, &local, &after, [&region.base, &mine, &theirs]) {
            is_unclear = true;
            continue;
        }
        let left = left.get_or_init(|| mebdf::body(base).unicode_words().collect());
        let stands: BTreeSet<&str> = new.intersection(left).copied().collect();
        match stands.is_empty() {
            true => gone.push(shown(&after.slice(&theirs), &new)),
            false => lacked.push(shown(&after.slice(&theirs), &stands)),
        }
    }
    match (lacked.is_empty() && gone.is_empty(), is_unclear) {
        (false, _) => Presence::Lacks(if lacked.is_empty() { gone } else { lacked }),
        (true, true) => Presence::Unknown,
        (true, false) => Presence::Has,
    }
}

/// Tells whether a text says in one place what came there, but for words of that alone, and is nearer to it than to what was there
/// before.
fn is_edit_of(texts: [&Text<'_>; 3], places: [&Range<usize>; 3], new: &BTreeSet<&str>) -> bool {
    let [was, is, came] = sequences(texts, places);
    let changes = |old: &[&str]| {
        let ops = capture_diff_slices(Algorithm::Myers, old, &is).into_iter();
        ops.filter(|op| !matches!(op, DiffOp::Equal { .. })).collect::<Vec<_>>()
    };
    let way = |ops: &[DiffOp]| ops.iter().map(|op| op.old_range().len() + op.new_range().len()).sum::<usize>();
    let edits = changes(&came);
    let mut edited = edits.iter().flat_map(DiffOp::old_range).filter_map(|at| came.get(at));
    edited.all(|word| new.contains(word)) && way(&edits) < way(&changes(&was))
}

/// The words of three texts in their places, in their order.
fn sequences<'t>(texts: [&'t Text<'_>; 3], places: [&Range<usize>; 3]) -> [Vec<&'t str>; 3] {
    let words = |(text, place): (&'t Text<'_>, &Range<usize>)| {
        text.blocks(place).iter().flat_map(|block| words_of(&block.content)).collect()
    };
    let ([before, local, after], [base, mine, theirs]) = (texts, places);
    [(before, base), (local, mine), (after, theirs)].map(words)
}

/// The words of the line that has most of `words`, from the first of these to the last.
fn shown(said: &str, words: &BTreeSet<&str>) -> String {
    let count = |line: &&str| line.unicode_words().filter(|word| words.contains(word)).count();
    let line = said.lines().rev().max_by_key(count).unwrap_or_default();
    let from_first = line.unicode_words().skip_while(|word| !words.contains(word));
    let mut shown: Vec<&str> = from_first.take(SHOWN_WORDS).collect();
    shown.truncate(shown.iter().rposition(|word| words.contains(word)).map_or(0, |last| last + 1));
    shown.join(" ")
}

/// The words that the file said before each of the older arrivals, beyond those that it said before the newest.
fn said_earlier(before: &Text<'_>, older: &[Arrival]) -> Vec<BTreeSet<String>> {
    let was = before.words();
    let said = |older: &Arrival| {
        let mut keys = Keys::default();
        let said = Text::read(&older.before, &mut keys);
        brought(&was, &said.words()).into_iter().map(str::to_owned).collect()
    };
    older.iter().map(said).collect()
}

/// Tells whether the file said most of the words that came at one earlier time.
fn came_back(earlier: &[BTreeSet<String>], words: &BTreeSet<&str>) -> bool {
    earlier.iter().any(|said| words.iter().filter(|word| said.contains(**word)).count() * 2 > words.len())
}

/// Tells whether all changes of words that came lie where the text has changes of its own.
fn is_replaced(before: &Text<'_>, local: &Text<'_>, after: &Text<'_>, places: [&Range<usize>; 3]) -> bool {
    // Who still has a block as it was before they edited it has not read that.
    let own = local.bare(places[1]);
    let edits = new_blocks(before, after, places[2].clone());
    let mut stands = places[0].clone().zip(before.bare(places[0])).filter(|(_, key)| own.contains(key));
    let is_edited = |was: &Counts<'_>| !was.is_empty() && edits.iter().any(|edit| is_mostly(edit, was));
    let goes = |key: &u32| !after.bare(places[2]).contains(key);
    if stands.any(|(at, key)| goes(key) && is_edited(&before.words_of(&(at..at + 1)))) {
        return false;
    }
    let [was, is, came] = sequences([before, local, after], places);
    let ops = |new: &[&str]| capture_diff_slices(Algorithm::Myers, &was, new);
    let (mine, theirs) = (ops(&is), ops(&came));
    let is_change = |op: &&DiffOp| !matches!(op, DiffOp::Equal { .. });
    // Who takes away what stood there before has read no more than that, and who still has what they replaced not even that.
    let writes = |op: &&DiffOp| is_change(op) && !matches!(op, DiffOp::Delete { .. });
    let has_gone = |at: usize| mine.iter().filter(is_change).any(|op| op.old_range().contains(&at));
    theirs.iter().filter(writes).map(DiffOp::old_range).all(|place| {
        // Who replaces the word beside what was only written there has not written in its stead.
        let is_near = |own: Range<usize>| {
            if place.is_empty() { own == place } else { own.start <= place.end && place.start <= own.end }
        };
        mine.iter().filter(writes).any(|op| is_near(op.old_range())) && place.clone().all(has_gone)
    })
}
