//! What of a change stands in another text. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::mebdf::{self, Tree};

use super::counts::{Counts, brought, is_mostly, new_blocks, shared};
use super::hunks::{self, placed};
use super::run::{self, Quoted, TELLING_MIN};
use super::sides::{Keys, Text};

/// Tells whether all that a change from `before` to `after` brought stands in `there`: where it was written, or in a block of its
/// own elsewhere.
pub(super) fn is_whole_in(before: &str, after: &str, there: &str) -> bool {
    let mut keys = Keys::default();
    let [before, after, there] = [before, after, there].map(|text| Text::read(text, &mut keys));
    let change = Change::of(&before, &after, &there);
    let places = change.places();
    let brings = || places.iter().filter(|place| place.brings());
    // It came as a whole, so where some of it stands as it was written the rest may have been edited since.
    let some_is_whole = || brings().any(Place::is_whole);
    let stands = |place: &Place<'_>| place.is_whole() || place.is_around() && some_is_whole();
    let words = || brings().map(|place| place.came.len()).sum::<usize>();
    brings().next().is_some() && brings().all(stands) && (words() >= TELLING_MIN || !change.is_all_left())
}

/// Tells whether a change that brought no words is made in `there`: of the blocks that it took away or made others of no more are
/// left, and those that they became stand there.
pub(super) fn is_made_in(before: &str, after: &str, there: &str) -> bool {
    let mut keys = Keys::default();
    let [before, after, there] = [before, after, there].map(|text| Text::read(text, &mut keys));
    if !brought(&before.words(), &after.words()).is_empty() {
        return false;
    }
    let [was, is, other] = [&before, &after, &there].map(|text| counts(text.bare(&(0..text.len()))));
    let count = |counts: &BTreeMap<u32, usize>, key: &u32| counts.get(key).copied().unwrap_or_default();
    let mut changed = was.keys().chain(is.keys()).filter(|key| count(&was, key) != count(&is, key)).peekable();
    changed.peek().is_some()
        && changed.all(|key| {
            let [was, is, other] = [&was, &is, &other].map(|counts| count(counts, key));
            if is > was { other >= is } else { other <= is }
        })
}

/// Returns `before` with those blocks in it that `after` brought and that stand in `there`, perhaps edited since; `None` when there
/// are none. No block stands in it more often than in one of the two: what was moved stands where it came to.
pub(super) fn in_text(before: &str, after: &str, there: &str) -> Option<String> {
    let mut keys = Keys::default();
    let [before, after, there] = [before, after, there].map(|text| Text::read(text, &mut keys));
    let change = Change::of(&before, &after, &there);
    let places = change.places();
    let found: BTreeSet<usize> =
        places.iter().flat_map(|place| place.blocks.clone().filter(|at| place.has(*at))).collect();
    let there_keys = there.bare(&(0..there.len()));
    let (mut pieces, mut finds) = (Vec::new(), false);
    for op in capture_diff_slices(Algorithm::Patience, before.bare(&(0..before.len())), after.bare(&(0..after.len()))) {
        let (was, is) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            pieces.extend(was.map(Piece::Kept));
            continue;
        }
        let left: Vec<usize> = is.clone().filter(|at| found.contains(at)).collect();
        finds |= !left.is_empty();
        // What stands there as it was before is not what was brought.
        let stands = |at: &usize| before.bare(&(*at..*at + 1)).iter().all(|key| there_keys.contains(key));
        if !left.is_empty() && was.len() == is.len() {
            // As many as before: each in the place of one.
            for (old, new) in was.zip(is) {
                let is_left = left.contains(&new);
                pieces.extend(Some(old).filter(|old| !is_left || stands(old)).map(Piece::Old));
                pieces.extend(Some(new).filter(|_| is_left).map(Piece::Brought));
            }
            continue;
        }
        let is_instead = !is.is_empty() && left.len() == is.len();
        pieces.extend(was.filter(|at| !is_instead || stands(at)).map(Piece::Old));
        pieces.extend(left.into_iter().map(Piece::Brought));
    }
    finds.then(|| joined(&before, &after, pieces))
}

/// A block of a text that is joined of two.
enum Piece {
    /// One of the older text that the newer one has there, too.
    Kept(usize),
    /// One of the older text that the newer one does not have there.
    Old(usize),
    /// One of the newer text that the older one does not have there.
    Brought(usize),
}

/// Prints the pieces of two texts. Those of the older one are left out that would stand there more often than in either text.
fn joined(before: &Text<'_>, after: &Text<'_>, pieces: Vec<Piece>) -> String {
    let key = |piece: &Piece| match piece {
        Piece::Kept(at) | Piece::Old(at) => before.bare(&(*at..*at + 1)).first().copied(),
        Piece::Brought(at) => after.bare(&(*at..*at + 1)).first().copied(),
    };
    let [was, is] = [before, after].map(|text| counts(text.bare(&(0..text.len()))));
    let mut stand = counts(&pieces.iter().filter_map(key).collect::<Vec<_>>());
    let mut blocks = Vec::new();
    for piece in pieces {
        let most = key(&piece).map(|key| was.get(&key).max(is.get(&key)).copied().unwrap_or_default());
        let count = key(&piece).and_then(|key| stand.get_mut(&key));
        match (&piece, count) {
            (Piece::Old(_), Some(count)) if most.is_some_and(|most| *count > most) => *count -= 1,
            (Piece::Kept(at) | Piece::Old(at), _) => blocks.extend_from_slice(before.blocks(&(*at..*at + 1))),
            (Piece::Brought(at), _) => blocks.extend_from_slice(after.blocks(&(*at..*at + 1))),
        }
    }
    mebdf::print(&Tree { front_matter: before.tree().front_matter.clone(), blocks })
}

/// How often each of some blocks stands there.
fn counts(keys: &[u32]) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
    counts
}

/// A change of a text, and a text that may have it.
struct Change<'t> {
    before: &'t Text<'t>,
    after: &'t Text<'t>,
    there: &'t Text<'t>,
    /// The words that were said before.
    said: Counts<'t>,
    /// The blocks of the other text that were not there before.
    fresh: Quoted<'t>,
    /// The blocks from before that the other text does not have.
    gone: Quoted<'t>,
}

impl<'t> Change<'t> {
    fn of(before: &'t Text<'t>, after: &'t Text<'t>, there: &'t Text<'t>) -> Self {
        let (fresh, gone) = (Quoted::new_in(there, before), Quoted::new_in(before, there));
        Self { before, after, there, said: before.words(), fresh, gone }
    }

    fn places(&self) -> Vec<Place<'_>> {
        let place = |(place, others, blocks): (&hunks::Region, Range<usize>, Range<usize>)| {
            let was = self.before.words_of(&place.base);
            let came = brought(&was, &self.after.words_of(&blocks));
            let new = brought(&was, &self.there.words_of(&others));
            Place { change: self, base: place.base.clone(), blocks, others, came, new }
        };
        placed(&hunks::places(self.before, self.there, self.after)).map(place).collect()
    }

    /// Tells whether the change took blocks away, all of which the other text still has.
    fn is_all_left(&self) -> bool {
        let Change { before, after, there, .. } = self;
        let edits = new_blocks(before, after, 0..after.len());
        let went = new_blocks(after, before, 0..before.len());
        let mut went = went.iter().filter(|(_, was)| !edits.iter().any(|(_, edit)| is_mostly(edit, was))).peekable();
        let all = there.bare(&(0..there.len()));
        let is_left = |at: usize| before.bare(&(at..at + 1)).iter().all(|key| all.contains(key));
        went.peek().is_some() && went.all(|(at, _)| is_left(*at))
    }

    /// Tells whether more blocks of the other text are like one that was brought than were before.
    fn has_elsewhere(&self, at: usize) -> bool {
        let key = self.after.bare(&(at..at + 1));
        let count = |text: &Text<'_>| text.bare(&(0..text.len())).iter().filter(|other| key.contains(other)).count();
        count(self.there) > count(self.before)
    }
}

/// A place where a text was changed, and the same place of a text that may have the change.
struct Place<'t> {
    change: &'t Change<'t>,
    /// The blocks there before the change.
    base: Range<usize>,
    /// Those after it.
    blocks: Range<usize>,
    /// Those of the other text.
    others: Range<usize>,
    /// The words that the change brought there.
    came: BTreeSet<&'t str>,
    /// Those that the other text has more than there were.
    new: BTreeSet<&'t str>,
}

impl Place<'_> {
    /// Tells whether the change brought words there, or a block without any.
    fn brings(&self) -> bool {
        !self.came.is_empty() || self.blocks.clone().any(|at| self.is_sign(at))
    }

    /// Tells whether a block did not stand there before.
    fn is_new(&self, at: usize) -> bool {
        let Change { before, after, .. } = self.change;
        after.bare(&(at..at + 1)).iter().all(|key| !before.bare(&self.base).contains(key))
    }

    /// Tells whether a block that was brought has no word, but an object: a picture, perhaps.
    fn is_sign(&self, at: usize) -> bool {
        let after = self.change.after;
        self.is_new(at) && after.has_words(at) && after.sequence(&(at..at + 1)).is_empty()
    }

    /// Tells whether all that was brought there stands in the other text.
    fn is_whole(&self) -> bool {
        let has = |at: usize| match self.is_sign(at) {
            true => self.change.has_elsewhere(at),
            false => !self.is_new(at) || self.came_in(at).is_empty() || self.has(at),
        };
        let comes = || self.blocks.clone().any(|at| self.is_new(at)) && self.blocks.clone().all(has);
        !self.base.is_empty() && self.stands(&self.blocks) || comes()
    }

    /// Tells whether all that was brought there stands in the other text, with sentences in the midst of it.
    fn is_around(&self) -> bool {
        let Change { before, after, fresh, .. } = self.change;
        let ops = capture_diff_slices(Algorithm::Patience, before.bare(&self.base), after.bare(&self.blocks));
        // What became another block is looked for where it stood.
        let is_inserted = |at: usize| {
            let at = at.saturating_sub(self.blocks.start);
            ops.iter().any(|op| op.old_range().is_empty() && op.new_range().contains(&at))
        };
        let beside = self.others.start.saturating_sub(1)..self.others.end + 1;
        let mut new = self.blocks.clone().filter(|at| self.is_new(*at));
        new.all(|at| self.has(at) || is_inserted(at) && fresh.has_around((after, at), |other| beside.contains(&other)))
    }

    /// Tells whether the words that some of the blocks brought stand in the other text where they were written.
    fn stands(&self, blocks: &Range<usize>) -> bool {
        let Change { before, after, there, .. } = self.change;
        let [was, is, came] = [before.sequence(&self.base), there.sequence(&self.others), after.sequence(blocks)];
        // Few words are known by what stands at their side: the end of another sentence has its full stop there.
        let is_beside = || {
            let [was, is, came] = [before.pieces(&self.base), there.pieces(&self.others), after.pieces(blocks)];
            run::stand([&was, &is, &came], 8)
        };
        let is_telling = self.came.len() >= TELLING_MIN;
        self.came.is_subset(&self.new) && run::stand([&was, &is, &came], 8) && (is_telling || is_beside())
    }

    /// The words of a block that were brought, and how often it has them.
    fn came_in(&self, at: usize) -> Counts<'_> {
        let mut words = self.change.after.words_of(&(at..at + 1));
        words.retain(|word, _| self.came.contains(word));
        words
    }

    /// Tells whether a block that was brought stands in the other text: as it was, perhaps with words at its ends, or edited since
    /// in the place where it was written.
    fn has(&self, at: usize) -> bool {
        let came = self.came_in(at);
        if came.is_empty() {
            return false;
        }
        let Change { after, there, said, fresh, .. } = self.change;
        let words = after.sequence(&(at..at + 1));
        let is_in_place = || {
            let stands = || self.base.is_empty() || self.stands(&(at..at + 1));
            let mut others = self.others.clone();
            came.keys().all(|word| self.new.contains(word)) && others.any(|other| self.is_edit(at, other)) && stands()
        };
        // What is edited there may be taken for the block beside it.
        let beside = self.others.start.saturating_sub(1)..self.others.end + 1;
        let is_beside =
            |other: &usize| self.is_edit(at, *other) && run::is_along(&words, &there.sequence(&(*other..*other + 1)));
        let is_elsewhere = || {
            // What was edited in its own place must have the words where they were written.
            let is_own = |other: &usize| !self.base.is_empty() && self.others.contains(other);
            let mut near = fresh.blocks().filter(|other| beside.contains(other) && !is_own(other));
            near.any(|other| is_beside(&other)) || self.change.has_elsewhere(at) || fresh.has((after, at), said)
        };
        // The very block was brought beside what was there before, of which others may have been edited meanwhile.
        let is_itself =
            || self.is_new(at) && after.bare(&(at..at + 1)).iter().all(|key| there.bare(&self.others).contains(key));
        // Where what was there before still stands, what it became does not stand elsewhere.
        is_itself() || is_in_place() || !self.is_left() && is_elsewhere()
    }

    /// Tells whether the other text still has any of what was there before the change, where it was.
    fn is_left(&self) -> bool {
        let Change { before, there, .. } = self.change;
        let others = there.bare(&self.others);
        before.bare(&self.base).iter().any(|key| others.contains(key))
    }

    /// Tells whether a block of the other text is one that was brought, edited since: more of it than of any that stood there.
    fn is_edit(&self, at: usize, other: usize) -> bool {
        let Change { before, after, there, said, gone, .. } = self.change;
        // What says in one piece what stood somewhere else, and went from there, is an edit of that.
        let (words, others) = (after.sequence(&(at..at + 1)), there.sequence(&(other..other + 1)));
        let is_of_another = || gone.any_in(&others, words.len() / 2, |old| !self.base.contains(&old));
        if !run::has_piece(&others, &words) && is_of_another() {
            return false;
        }
        let (block, other) = (after.words_of(&(at..at + 1)), there.words_of(&(other..other + 1)));
        let has_all = || self.came_in(at).iter().all(|(word, count)| other.get(word) >= Some(count));
        let is_unsaid = || block.keys().all(|word| !said.contains_key(*word));
        let times = || if is_unsaid() { 3 } else { 2 };
        let is_alike = || is_mostly(&other, &block) && block.len() * times() >= other.len();
        // Those beside it, too, for which it may be taken.
        let mut near = self.base.start.saturating_sub(1)..(self.base.end + 1).min(before.len());
        let is_nearer_to = |old: usize| shared(&other, &before.words_of(&(old..old + 1))) >= shared(&other, &block);
        has_all() && is_alike() && !near.any(is_nearer_to)
    }
}
