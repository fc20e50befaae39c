//! Pushes whose answer was lost: what the remote says now tells whether they landed. They are never sent again as they
//! were: if one did not land, the merge finds the edit again and it is planned anew.
//!
//! While the remote is still at the version that a push requires, the push may land at any moment: it may be slow and not lost.
//! Nothing can be told of it before another version stands there, or so much time has passed that nothing is under way any more.

use crate::model::{Millis, Notice, PartId, Revision};

use super::arrival::Arrival;
use super::carried::Walk;
use super::item::{Item, Unknown, notice};
use super::merge::{self, Merged};
use super::named::{self, Named};
use super::older;
use super::standing;
use super::{JobEnd, JobId, Local, Observation, Remote, head};

/// How long after it was sent a push may land, in milliseconds; no connection of ours is kept half as long.
const LANDS_MS: u64 = 600_000;

/// Pushes of one item that may land at any moment, at most: so many answers are lost in a row while nobody else edits.
const OPEN_MAX: usize = 16;

/// The code of what tells that a push without an answer is sent once more though others may have taken it back.
const SENT_AGAIN: &str = "SENT_AGAIN";

const SENT_AGAIN_MESSAGE: &str = "nobody knew whether an earlier push of this file had landed, and the document, in which others had \
     written since, did not have what it brought, so that was sent again; if they had taken it back on purpose, `undo` this push";

/// Tells of each push whose answer was lost whether it landed: then its base holds. What the remote gave ids to is still
/// asked for by the file, which must not ask twice.
pub(super) fn settle(item: &mut Item, walk: &mut Walk, remote: &Remote, now: Millis) {
    let mut all = std::mem::take(&mut item.state.unknown);
    for unknown in &mut all {
        entitle(unknown, walk, remote);
    }
    let fate = |(at, unknown)| (unknown, Fate::of(unknown, all.get(at + 1..).unwrap_or_default(), item, walk, remote));
    let fates: Vec<(&Unknown, Fate)> = all.iter().enumerate().map(fate).collect();
    let mut open = Vec::new();
    for (at, (unknown, fate)) in fates.iter().copied().enumerate() {
        let after = fates.iter().skip(at + 1);
        let later = after.filter(|(_, fate)| *fate != Fate::Open).any(|(other, _)| other.part == unknown.part);
        let named = if fate == Fate::Landed { None } else { named(unknown, remote, later || fate == Fate::LeftWords) };
        if let (Some(named), Some(Observation { local: Local::Text { text, .. }, .. })) =
            (&named, walk.observed.get_mut(&unknown.part))
            && let Some(with_ids) = named::put(text, named)
        {
            *text = with_ids;
            walk.rewritten.insert(unknown.part.clone());
        }
        if fate == Fate::Open && named.is_none() {
            if moved(unknown, remote) || now.0 >= unknown.at.0.saturating_add(LANDS_MS) {
                // A push that landed from the same version took its place, and nobody else wrote there.
                let is_forestalled =
                    fates.iter().any(|(other, fate)| *fate != Fate::Open && other.revision == unknown.revision);
                if moved(unknown, remote) && !is_forestalled && still_asks(unknown, walk) {
                    item.state.unlanded.push((unknown.part.clone(), unknown.expected.clone()));
                }
                if let Some(base) = left_blocks(unknown, item, walk, remote) {
                    hold(item, walk, &unknown.part, base);
                }
                item.state.ended.push((unknown.job, JobEnd::Reconciled));
            } else {
                open.push(at);
            }
            continue;
        }
        item.parts.or_default(&unknown.part).state.told.landed(unknown.told.clone(), now);
        if let Some(base) = unknown.base.as_ref() {
            if is_noted(walk, unknown) {
                walk.before_note.insert(unknown.part.clone());
            }
            // The ids are no edit of the remote's: else they would meet what of the edit waits in the same block.
            let with_ids = named.as_ref().and_then(|named| named::put(base, named));
            let stored = walk.observed.get(&unknown.part).and_then(|observation| observation.base.as_ref());
            let state = &mut *item.state;
            if let Some(before) = state.bases.get(&unknown.part).or(stored).filter(|_| unknown.power_failed) {
                state.before_push.entry(unknown.part.clone()).or_insert_with(|| before.clone());
            }
            let came = came_before(item, walk, unknown);
            hold(item, walk, &unknown.part, with_ids.unwrap_or_else(|| base.clone()));
            if let Some(came) = came {
                note(item, walk, &unknown.part, came);
            }
        }
        item.state.ended.push((unknown.job, JobEnd::Accepted));
        walk.requests += unknown.requests;
        item.state.push_failures = 0;
    }
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        open.contains(&(at - 1))
    });
    for dropped in all.drain(..all.len().saturating_sub(OPEN_MAX)) {
        item.state.ended.push((dropped.job, JobEnd::Reconciled));
    }
    item.state.unknown = all;
}

/// What is told with a push of a file that sends once more what one without an answer brought; nothing where that is in conflict.
pub(super) fn sent_again(item: &Item, part: &PartId, remote: &str, merged: &Merged) -> Option<Notice> {
    let goes_out =
        |brought: &String| merged.conflicts.is_empty() || standing::in_text(remote, brought, &merged.push).is_some();
    let mut unlanded = item.state.unlanded.iter().filter(|(other, _)| other == part);
    unlanded.any(|(_, brought)| goes_out(brought)).then(|| notice(SENT_AGAIN, SENT_AGAIN_MESSAGE))
}

/// Lets a base hold. For a save of an older text an older one goes on to hold, with what of the newer stands in that text.
fn hold(item: &mut Item, walk: &mut Walk, part: &PartId, base: String) {
    let seen = walk.observed.get_mut(part).filter(|_| !item.state.bases.contains_key(part));
    if let (Some(Observation { local: Local::Text { text, .. }, base: Some(older), .. }), Some(newest)) =
        (seen, walk.newest.get_mut(part))
    {
        if let Some(with_pushed) = standing::in_text(older, &base, text) {
            *older = with_pushed;
        }
        newest.clone_from(&base);
        walk.unrecorded.insert(part.clone(), base);
    } else {
        item.state.bases.insert(part.clone(), base);
    }
}

/// What had come into a file when a push was made from there, though that was not recorded: its base has it. Who saves a text
/// from before has deleted none of it.
fn came_before(item: &Item, walk: &Walk, unknown: &Unknown) -> Option<Arrival> {
    let Observation { base: stored, intent, arrivals, .. } = walk.observed.get(&unknown.part)?;
    let intent = intent.as_ref().filter(|intent| !intent.pushes.contains(&unknown.job))?;
    let noted = item.state.arrived.get(&unknown.part).into_iter().flatten().chain(arrivals);
    let was = intent.was.as_ref().or(stored.as_ref())?;
    let pushed = unknown.base.as_deref()?;
    let has_come = standing::is_whole_in(was, &intent.base, pushed);
    let is_known = noted.into_iter().any(|arrival| intent.is_of(arrival));
    (has_come && !is_known).then(|| Arrival::noted(&intent.before, &intent.after, was)).flatten()
}

/// Notes what had come into a file, and looks at the file once more with that.
fn note(item: &mut Item, walk: &mut Walk, part: &PartId, came: Arrival) {
    item.note_arrival(part, Some(came.clone()));
    let Some(newest) = item.state.bases.get(part).cloned() else { return };
    if let Some(mut observation) = walk.observed.remove(part) {
        observation.base = Some(newest);
        observation.arrivals.insert(0, came);
        older::look(item, walk, &mut observation);
        walk.observed.insert(part.clone(), observation);
    }
}

/// A power cut may have brought back the text of a file from before a push that had landed. Then the older base holds, which takes
/// nobody's words for deleted.
pub(super) fn doubt(item: &mut Item, walk: &mut Walk) {
    let state = &mut *item.state;
    for (part, older) in &state.before_push {
        let Some(Observation { local: Local::Text { text, .. }, base, .. }) = walk.observed.get_mut(part) else {
            continue;
        };
        let brought = state.bases.get(part).and_then(|newest| Arrival::of(older, newest, ""));
        if brought.is_none_or(|arrival| !arrival.is_missing_in(text)) {
            continue;
        }
        *base = Some(older.clone());
        if let Some(newest) = state.bases.remove(part) {
            walk.unrecorded.insert(part.clone(), newest.clone());
            walk.newest.insert(part.clone(), newest);
        }
    }
}

/// Ends the pushes that had landed before a text came into a file, whose note names them: its base is newer than theirs, and
/// holds also once the note is gone. What became of those before them was known by then.
pub(super) fn end_noted(item: &mut Item, part: &PartId, pushes: &[JobId], now: Millis) {
    let newest = pushes.iter().max();
    let is_before = |unknown: &mut Unknown| unknown.part == *part && Some(&unknown.job) <= newest;
    let state = &mut *item.state;
    for unknown in state.unknown.extract_if(.., is_before) {
        if pushes.contains(&unknown.job) {
            item.parts.or_default(part).state.told.landed(unknown.told, now);
            state.ended.push((unknown.job, JobEnd::Accepted));
        } else {
            state.ended.push((unknown.job, JobEnd::Reconciled));
        }
    }
}

/// A push has landed on a version, so that no other push that requires this one ever can.
pub(super) fn forestall(item: &mut Item, revision: &Revision) {
    let lost = |unknown: &Unknown| unknown.revision == *revision;
    let state = &mut *item.state;
    let ended = state.unknown.iter().filter(|unknown| lost(unknown)).map(|unknown| (unknown.job, JobEnd::Reconciled));
    state.ended.extend(ended);
    state.unknown.retain(|unknown| !lost(unknown));
}

/// Tells whether a note of what a file was about to say names a push as one that had landed.
fn is_noted(walk: &Walk, unknown: &Unknown) -> bool {
    let intent = walk.observed.get(&unknown.part).and_then(|observation| observation.intent.as_ref());
    intent.is_some_and(|intent| intent.pushes.contains(&unknown.job))
}

/// What the text of the remote tells of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It stands there as it was expected.
    Landed,
    /// What it brought stands there, among what others wrote since; or it is known to have landed, whatever they wrote.
    LeftWords,
    /// Nothing.
    Open,
}

impl Fate {
    /// `later` are the pushes that were planned after it: one of this file tells what the remote said by then.
    fn of(unknown: &Unknown, later: &[Unknown], item: &Item, walk: &Walk, remote: &Remote) -> Self {
        let stood_before = |other: &Unknown| {
            let there = other.before.as_ref().filter(|_| other.part == unknown.part);
            there.filter(|_| other.revision != unknown.revision).is_some_and(|there| {
                merge::same_meaning(there, &unknown.expected) || left_words(unknown, item, walk, there)
            })
        };
        let there = text_of(remote, &unknown.part).filter(|_| moved(unknown, remote));
        if there.is_some_and(|there| merge::same_meaning(there, &unknown.expected)) {
            Self::Landed
        } else if unknown.answered
            || is_noted(walk, unknown)
            || there.is_some_and(|there| left_words(unknown, item, walk, there))
            || later.iter().any(stood_before)
        {
            Self::LeftWords
        } else {
            Self::Open
        }
    }
}

fn text_of<'a>(remote: &'a Remote, part: &PartId) -> Option<&'a String> {
    remote.parts.iter().find(|(id, _)| id == part).map(|(_, text)| text)
}

fn moved(unknown: &Unknown, remote: &Remote) -> bool {
    remote.revision.as_ref() != Some(&unknown.revision)
}

/// Tells whether a file still says what a push was made from: what did not land of it is pushed once more.
fn still_asks(unknown: &Unknown, walk: &Walk) -> bool {
    let seen = walk.observed.get(&unknown.part);
    let Some(Observation { local: Local::Text { text, .. }, base: Some(base), .. }) = seen else { return false };
    merge::is_edited(base, text)
}

/// Tells whether all that a push brought stands in what the remote says at another version, though others wrote there since, or,
/// where it brought no words, whether all that it did is done there: it landed whole or not at all. Taken for edits of the other side
/// its words would stand twice, and what it took away would be theirs.
fn left_words(unknown: &Unknown, item: &Item, walk: &Walk, there: &str) -> bool {
    let is_in = |before: &str, after: &str| {
        standing::is_whole_in(before, after, there) || standing::is_made_in(before, after, there)
    };
    texts(unknown, item, walk, there).is_some_and(|texts| match texts.around() {
        Some(around) => is_in(&around, &unknown.expected),
        None => is_in(texts.before, texts.after),
    })
}

/// The base with the blocks of a push in it that stand in the remote, where others took away or wrote over the rest of what it
/// brought; `None` when there are none. What is not there stays the file's edit: nobody can tell whether it ever was.
fn left_blocks(unknown: &Unknown, item: &Item, walk: &Walk, remote: &Remote) -> Option<String> {
    let there = text_of(remote, &unknown.part).filter(|_| moved(unknown, remote))?;
    let texts = texts(unknown, item, walk, there)?;
    let Some(around) = texts.around() else { return standing::in_text(texts.before, texts.after, texts.there) };
    let left = standing::in_text(&around, &unknown.expected, texts.there)?;
    // Where what others took away stands beside it in the base, that alone tells where it belongs.
    merge::graft(&around, &left, texts.before).or_else(|| standing::in_text(texts.before, texts.after, texts.there))
}

/// What tells of a push whether it landed.
struct Texts<'a> {
    /// The base from before it.
    before: &'a str,
    /// The base from after it.
    after: &'a str,
    /// What the remote was expected to say after it.
    expected: &'a str,
    /// What the remote said when it was planned, where that is known.
    planned_on: Option<&'a String>,
    /// What the remote says now that it is at another version.
    there: &'a str,
}

impl Texts<'_> {
    /// What the remote said before the push: all else that differs from that has been written since. The base may be older than the
    /// one from which the push was made, so it is asked only where nothing else tells.
    fn around(&self) -> Option<String> {
        self.planned_on.cloned().or_else(|| merge::graft(self.after, self.before, self.expected))
    }
}

fn texts<'a>(unknown: &'a Unknown, item: &'a Item, walk: &'a Walk, there: &'a str) -> Option<Texts<'a>> {
    let stored = walk.observed.get(&unknown.part).and_then(|observation| observation.base.as_ref());
    let held = item.state.bases.get(&unknown.part).or(walk.newest.get(&unknown.part));
    let before = held.or(stored)?;
    let planned_on = unknown.before.as_ref();
    Some(Texts { before, after: unknown.base.as_ref()?, expected: &unknown.expected, planned_on, there })
}

/// The title is given after the text has landed: where it is still the one that it was, that waits, and the rest may stand.
fn entitle(unknown: &mut Unknown, walk: &Walk, remote: &Remote) {
    let base = walk.observed.get(&unknown.part).and_then(|observation| observation.base.as_deref());
    let Some(title) = text_of(remote, &unknown.part).and_then(|text| head::title(text)) else { return };
    if base.and_then(head::title).as_ref() != Some(&title) {
        return;
    }
    if let Some(expected) = head::with_title(&unknown.expected, &title) {
        unknown.expected = expected;
        unknown.base = unknown.base.take().map(|base| head::with_title(&base, &title).unwrap_or(base));
    }
}

/// What the remote has where a push asked for something new, when all else is as the push has left it; of a push that is
/// known to have landed before something `later`, when the blocks that ask are.
fn named(unknown: &Unknown, remote: &Remote, later: bool) -> Option<Vec<Named>> {
    let text = text_of(remote, &unknown.part).filter(|_| moved(unknown, remote))?;
    let found = named::found(&unknown.expected, text);
    found.or_else(|| later.then(|| named::found_in_blocks(&unknown.expected, text)).flatten())
}
