//! Saves of an older text: an editor that was not told of what came into the file since writes the file without it. To who
//! looks at the file and its base alone, that is a deletion of what others wrote; and what others took away looks like something
//! new. Pure.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::arrival::Arrival;
use super::counts::shared;
use super::presence::{self, Presence};
use super::sides::{Keys, Text};
use super::went::{self, Line};
use super::words::words_in;

/// The most places that are compared with each other.
const DISTINCT_MAX: usize = 1_000;

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
    let (mut oldest, mut lacks, mut keeps): (Option<usize>, Vec<String>, Vec<Line>) = (None, Vec::new(), Vec::new());
    // What the file said last before something else came.
    let next = |at: usize| at.checked_sub(1).and_then(|newer| arrivals.get(newer)).map_or(base, |newer| &*newer.before);
    // Whether some save since had what came with an arrival.
    let was_read = |at: usize| {
        let mut since = arrivals.iter().take(at + 1).enumerate();
        since.any(|(at, arrival)| arrival.was_read_before(&older(arrivals, at), next(at)))
    };
    for (at, arrival) in arrivals.iter().enumerate() {
        // What came may have gone again since, or come once more with a newer one into a file that was saved without it; and what
        // went may have come again, or gone once more. Then it tells nothing.
        let newer = oldest.and_then(|newer| arrivals.get(newer)).map(|newer| &*newer.before);
        let later = || std::iter::once(base).chain(newer);
        let older = &*older(arrivals, at);
        let came = if later().any(|text| presence::of(arrival, older, &|| was_read(at), [base, text]).is_older()) {
            Presence::Unknown
        } else {
            presence::of(arrival, older, &|| was_read(at), [newer.unwrap_or(base), text])
        };
        // What the newest has not either was written over since. Who wrote on in that is nearer to it than to what stood before.
        let came = match came {
            Presence::Gone(_) if is_nearer(text, [newer.unwrap_or(base), &arrival.before]) => Presence::Unknown,
            Presence::Gone(words) => Presence::Lacks(words),
            came @ (Presence::Has | Presence::Unknown | Presence::Lacks(_) | Presence::Keeps(_)) => came,
        };
        let found = match came {
            Presence::Unknown => {
                let mut lines = went::kept(arrival, text);
                if !lines.is_empty() {
                    later().for_each(|text| came_again(&mut lines, went::kept(arrival, text)));
                }
                if lines.is_empty() { Presence::Unknown } else { Presence::Keeps(lines) }
            }
            came @ (Presence::Has | Presence::Lacks(_) | Presence::Gone(_) | Presence::Keeps(_)) => came,
        };
        match found {
            // Who lacks what is newer has not deleted the rest of what he has some of, unless it has gone by then.
            Presence::Has if !lacks.is_empty() && !arrival.is_left_in(newer.unwrap_or(base), text) => {
                oldest = Some(at);
                break;
            }
            // What the file said before that, too, may have been of an older text, and waits.
            Presence::Has if lacks.is_empty() => return kept(keeps).or_else(|| still_kept(arrivals, at, text)),
            Presence::Has => break,
            Presence::Keeps(_) if went::has_read_more(arrival, older, base, text) => break,
            // What was written by who had read it is there, so who takes that away means it.
            Presence::Lacks(_) | Presence::Gone(_) | Presence::Keeps(_)
                if arrival.was_read_by_who_wrote(older, next(at), text) =>
            {
                break;
            }
            // Whether who wrote that had read it, an older one may tell.
            Presence::Unknown => continue,
            Presence::Lacks(words) | Presence::Gone(words) => {
                let new = words.into_iter().filter(|words| !lacks.contains(words)).collect::<Vec<_>>();
                lacks.extend(new);
            }
            // Who is asked about what went last is asked about what went before that, too.
            Presence::Keeps(lines) => join(&mut keeps, lines),
        }
        oldest = Some(at);
    }
    // What lacks what came was made from an older text for certain, so what went before that goes once more.
    match oldest {
        Some(oldest) if !lacks.is_empty() => Some(Stale::Lacks { oldest, words: distinct(lacks) }),
        _ => kept(keeps),
    }
}

/// Leaves out what has no word that another one has not: what came and was edited is noted more than once.
fn distinct(lacks: Vec<String>) -> Vec<String> {
    if lacks.len() > DISTINCT_MAX {
        return lacks;
    }
    let said: Vec<BTreeSet<&str>> = lacks.iter().map(|words| words_in(words).collect()).collect();
    let is_covered = |at: usize, words: &BTreeSet<&str>| {
        let others = said.iter().enumerate().filter(|(other, _)| *other != at);
        !words.is_empty()
            && others.into_iter().any(|(other, more)| words.is_subset(more) && (words.len() < more.len() || other < at))
    };
    let keeps: Vec<bool> = said.iter().enumerate().map(|(at, words)| !is_covered(at, words)).collect();
    lacks.into_iter().zip(keeps).filter_map(|(words, keeps)| keeps.then_some(words)).collect()
}

/// What came before the arrival at a place, newest first, and before that the other saves that were joined to the same text: none of
/// them had read it.
fn older(arrivals: &[Arrival], at: usize) -> Cow<'_, [Arrival]> {
    let older = arrivals.get(at + 1..).unwrap_or_default();
    let newer = arrivals.get(..at).unwrap_or_default().iter().rev();
    let joined = newer.take_while(|newer| arrivals.get(at).is_some_and(|arrival| newer.after == arrival.after));
    let joined: Vec<Arrival> = joined.cloned().collect();
    if joined.is_empty() { Cow::Borrowed(older) } else { Cow::Owned([&joined, older].concat()) }
}

fn kept(lines: Vec<Line>) -> Option<Stale> {
    (!lines.is_empty()).then_some(Stale::Keeps(lines))
}

/// Adds lines to others, of which some may be the same.
fn join(all: &mut Vec<Line>, lines: Vec<Line>) {
    for line in lines {
        match all.iter_mut().find(|known| known.number == line.number) {
            Some(known) => {
                let new = line.words.into_iter().filter(|word| !known.words.contains(word)).collect::<Vec<_>>();
                known.words.extend(new);
                known.is_whole |= line.is_whole;
            }
            None => all.push(line),
        }
    }
}

/// Leaves out the lines whose words a later text has, too: they came again. Each line of that tells of one that has been edited
/// since.
pub(super) fn came_again(lines: &mut Vec<Line>, mut again: Vec<Line>) {
    lines.retain(|line| {
        let same = again.iter().position(|other| other.words == line.words);
        !again.iter().any(|other| other.says(line)) && same.map(|at| again.swap_remove(at)).is_none()
    });
}

/// Tells whether fewer words make the difference between a text and the first of two others than the second.
fn is_nearer(text: &str, others: [&str; 2]) -> bool {
    let mut keys = Keys::default();
    let said = Text::read(text, &mut keys);
    let said = said.words();
    let [one, other] = others.map(|other| {
        let other = Text::read(other, &mut keys);
        let other = other.words();
        other.values().sum::<usize>() + said.values().sum::<usize>() - 2 * shared(&said, &other)
    });
    one < other
}

/// What a text still has that went before an arrival, where what the file said before that had it already.
fn still_kept(arrivals: &[Arrival], at: usize, text: &str) -> Option<Stale> {
    let (arrival, older) = (arrivals.get(at)?, arrivals.get(at + 1..)?);
    let keeps = |text: &str| find(older, &arrival.base, text).filter(|found| matches!(found, Stale::Keeps(_)));
    keeps(&arrival.before).and_then(|_| keeps(text))
}
