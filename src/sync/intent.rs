//! What a file is about to say. When the daemon dies between the file and the base, what came with the file would look like
//! edits of a person, and come a second time. Pure.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::arrival::{self, Arrival};
use super::blind::Blind;
use super::item::Item;
use super::run;
use super::sides::{Keys, Text};
use super::standing;
use super::unknown;
use super::words::Words;
use super::{JobId, Local, Observation};
use crate::model::{Millis, PartId};

/// A text on its way into a file, and what both sides agree on once it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// What stood in the file, or what it said last when it is gone or empty; empty when there was none.
    pub before: String,
    /// The base while that stands there, which may not be recorded either; `None` when there is none.
    pub was: Option<String>,
    /// What it shall say.
    pub after: String,
    /// The base then.
    pub base: String,
    /// The pushes of which it was known then that they had landed, though it was not recorded: what they brought is in both bases.
    pub pushes: Vec<JobId>,
    /// What is known of the file where nothing is known of it from before, as [`RowPart::blind`](super::RowPart::blind) tells once it
    /// is recorded.
    pub blind: Option<Blind>,
}

impl Intent {
    /// Tells whether the text has come into a file that says `text`, perhaps edited since: all that it brought is there, or most.
    /// What stood before may have been half a save: who has the whole text open has its words. Where nothing is known of any text
    /// before, nothing tells an edit from another file that somebody put there. Where one of the `arrivals` is known to have come in
    /// its stead, and is nearer to the file, that was read by who wrote it, who has deleted nothing of this.
    fn stands_in<'a>(&self, text: &str, arrivals: impl Iterator<Item = &'a Arrival>) -> bool {
        if self.was.is_none() && self.before.is_empty() {
            return text == self.after;
        }
        let has_most = |was: &String| {
            [was, &self.before].iter().all(|older| arrival::has_most_of(older, &self.after, text))
                && !was.trim().is_empty()
        };
        let mut in_its_stead = arrivals.filter(|arrival| arrival.before == self.before && arrival.after != self.after);
        let mut is_another = || in_its_stead.any(|other| words_between(&other.after, text) <= self.way_to(text));
        let has_all = || {
            standing::is_whole_in(&self.before, &self.after, text)
                || arrival::has_all_new_lines(&self.before, &self.after, text)
        };
        text == self.after || has_all() || self.was.as_ref().is_some_and(has_most) && !is_another()
    }

    /// Tells whether fewer words lead from the text to what a file says than from what was there before.
    fn is_nearest(&self, text: &str) -> bool {
        let Some(was) = self.was.as_ref().filter(|was| !was.trim().is_empty()) else { return false };
        let way = self.way_to(text);
        [was, &self.before].into_iter().all(|older| way < words_between(older, text))
    }

    /// How many words differ between the text and what a file says.
    fn way_to(&self, text: &str) -> usize {
        words_between(&self.after, text)
    }

    /// What comes with the text.
    #[must_use]
    pub fn arrival(self) -> Arrival {
        let base = self.was.unwrap_or_else(|| self.before.clone());
        Arrival { before: self.before, after: self.after, base }
    }

    /// Tells whether an arrival is that of this text.
    pub(super) fn is_of(&self, arrival: &Arrival) -> bool {
        (&self.before, &self.after) == (&arrival.before, &arrival.after)
    }
}

/// Finds the text that stood in a file for a moment before `next` was to come, and from which `text` was made: it is nearer to
/// that than to any other, or as near as to the next.
fn read_for_a_moment(item: &Item, part: &PartId, next: &Intent, text: &str) -> Option<Intent> {
    let fleeting =
        item.state.fleeting.get(part)?.iter().filter(|other| other.after != next.after && other.is_nearest(text));
    let nearest = fleeting.map(|other| (other.way_to(text), other)).min_by_key(|(way, _)| *way);
    nearest.filter(|(way, _)| *way <= next.way_to(text)).map(|(_, other)| other.clone())
}

/// How far one text is from another: the words that must go from it and come into it, each where it stands; and less than these,
/// all words of the blocks that are not the same, since those that come may be the words of another sentence.
fn words_between(one: &str, other: &str) -> usize {
    let mut keys = Keys::default();
    let [one, other] = [one, other].map(|text| Text::read(text, &mut keys));
    let [old, new] = [&one, &other].map(|text| text.bare(&(0..text.len())));
    let size = |text: &Text<'_>, range| text.pieces(&range).len();
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    let changes = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    let blocks: usize = changes.map(|op| size(&one, op.old_range()) + size(&other, op.new_range())).sum();
    let [one, other] = [&one, &other].map(|text| text.pieces(&(0..text.len())));
    2 * run::distance(&one, &other) + blocks
}

/// Gives a file that was read the base that holds for it: that of a push that landed or of a text that was written, though
/// they are not recorded yet. Tells whether a text that was to be written has decided it: then the item is not as it was
/// recorded, whatever the file says.
pub(super) fn rebase(item: &mut Item, observation: &mut Observation, is_being_saved: bool, now: Millis) -> bool {
    let part = &observation.part;
    let recorded = observation.base.clone();
    // Where a base holds that is newer than the recorded one, the note counts if it was made from that.
    let counts = |intent: &&Intent| item.state.bases.get(part).is_none_or(|base| intent.was.as_ref() == Some(base));
    let intent = observation.intent.as_ref().filter(counts);
    // Whoever died before the text was recorded had not recorded either that the file stood there unknown.
    let noted = observation.intent.as_ref().filter(|_| recorded.is_none()).and_then(|intent| intent.blind.as_ref());
    if let Some(blind) = observation.blind.as_ref().or(noted).filter(|blind| now < blind.until) {
        item.parts.or_default(part).state.blind.get_or_insert_with(|| blind.clone());
    }
    // Half a text is as near to any text as chance has it; the next look decides.
    if let (Some(intent), Local::Text { text, .. }, false) = (intent, &observation.local, is_being_saved) {
        let was = intent.was.as_ref().or(observation.base.as_ref());
        if let Some(read) = read_for_a_moment(item, part, intent, text) {
            item.note_arrival(part, read.was.as_ref().and_then(|was| Arrival::noted(&read.before, &read.after, was)));
            unknown::end_noted(item, part, &read.pushes, now);
            item.state.bases.insert(part.clone(), read.base);
        } else if intent.stands_in(text, known(item, observation)) {
            // What was never recorded had nothing that could be lacked.
            let arrival = was.and_then(|base| Arrival::noted(&intent.before, &intent.after, base));
            let arrival = arrival.filter(|arrival| known(item, observation).next() != Some(arrival));
            item.note_arrival(part, arrival);
            item.state.bases.insert(part.clone(), intent.base.clone());
            unknown::end_noted(item, part, &intent.pushes, now);
        } else if let Some(was) =
            intent.was.as_ref().filter(|was| has_come(observation.base.as_deref(), was, intent, text))
        {
            // Whoever died before this one came may have written the file, too.
            item.state.bases.insert(part.clone(), was.clone());
            unknown::end_noted(item, part, &intent.pushes, now);
        }
    }
    if let (Some(intent), Local::Absent) = (intent, &observation.local) {
        // Whoever removed it may bring back what stood there before.
        let was = intent.was.as_ref().or(observation.base.as_ref());
        let arrival = was.and_then(|base| Arrival::noted(&intent.before, &intent.after, base));
        if arrival.as_ref().is_some_and(|arrival| known(item, observation).all(|known| known != arrival)) {
            item.note_arrival(part, arrival);
        }
    }
    if let Some(base) = item.state.bases.get(part) {
        observation.base = Some(base.clone());
    }
    observation.arrivals.splice(0..0, item.state.arrived.get(part).into_iter().flatten().cloned());
    observation.intent.is_some() && observation.base != recorded
}

/// What is known to have come into a file or gone from it, newest first.
fn known<'a>(item: &'a Item, observation: &'a Observation) -> impl Iterator<Item = &'a Arrival> {
    item.state.arrived.get(&observation.part).into_iter().flatten().chain(&observation.arrivals)
}

/// Tells whether a file that says `text` has what led from the recorded base to `was`, of which nothing is recorded. A power cut
/// may have brought back the file from before; then the older base holds, which takes nobody's words for deleted. Where nothing is
/// recorded, the text that was to be the file's first may never have stood there: an older one that somebody brought back deletes
/// nothing of that, so who has read it has all of its words.
fn has_come(recorded: Option<&str>, was: &str, intent: &Intent, text: &str) -> bool {
    text == intent.before
        || match recorded {
            Some(recorded) => standing::is_whole_in(recorded, was, text),
            None => Words::changed(was, text).removed == 0,
        }
}
