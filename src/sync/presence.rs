//! What a text has of what came into its file, or lacks. Pure.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::arrival::Arrival;
use super::counts::{Counts, MOST, brought, has_share, is_mostly, is_share, new_blocks, shared};
use super::hunks::{self, placed};
use super::run::{self, Quoted, TELLING_MIN};
use super::sides::{Keys, Text};
use super::went::Line;
use super::words::{pieces_in, quoted, words_in};

/// How many words of what came are shown to a person.
const SHOWN_WORDS: usize = 8;

/// So many eighths of what came are in a text of somebody who has read it and edited it a little.
const NEARLY_ALL: usize = 7;

/// What a text has of an arrival.
pub(super) enum Presence {
    /// Some of what came.
    Has,
    /// Nothing, but where it came other words were written when it had been read; or nearly the same; or no word came, and what
    /// went is not there.
    Unknown,
    /// Nothing of what came; its first words at each place.
    Lacks(Vec<String>),
    /// Nothing of what came, nor has the newest any of that.
    Gone(Vec<String>),
    /// What went; see [`super::stale::Stale::Keeps`].
    Keeps(Vec<Line>),
}

impl Presence {
    pub(super) const fn is_older(&self) -> bool {
        matches!(self, Self::Lacks(_) | Self::Gone(_) | Self::Keeps(_))
    }
}

/// Looks in a text for what came with an arrival. What a file said before the `older` ones and that came back with this one,
/// whoever writes an older text has, too. Of what is lacked, words count and are told that `base` still has, the newest that it
/// may be made from. `was_read` tells whether some save since had what came.
pub(super) fn of(
    arrival: &Arrival,
    older: &[Arrival],
    was_read: &dyn Fn() -> bool,
    [base, text]: [&str; 2],
) -> Presence {
    let lines = arrival.lines_unlike(older, text);
    if !lines.is_empty() && arrival.is_all_in(text) {
        return Presence::Has;
    }
    let mut keys = Keys::default();
    let [before, local, after] = [&*arrival.before, text, &*arrival.after].map(|text| Text::read(text, &mut keys));
    let texts = Texts::of([&before, &local, &after], older);
    // Those that the newest still has, and those that it has not.
    let (mut lacked, mut gone) = (Vec::new(), Vec::new());
    let mut weight = Weight { there: usize::from(!lines.is_empty()), lacked: 0 };
    let said: BTreeSet<&str> = lines.into_iter().flat_map(words_in).collect();
    let newest: OnceCell<Text<'_>> = OnceCell::new();
    let left: OnceCell<[BTreeSet<&str>; 2]> = OnceCell::new();
    let earlier: OnceCell<Vec<BTreeSet<String>>> = OnceCell::new();
    // Each answer reads whole texts, and is the same in all places.
    let read: OnceCell<bool> = OnceCell::new();
    let was_read = || *read.get_or_init(was_read);
    let places = texts.places();
    if places.is_empty() {
        return texts.looks();
    }
    for place in places {
        let is_there = place.has(8) || was_read() && place.has(MOST);
        // Of what is known by its signs some may be there alone.
        let known = if !is_there && place.has_signs() { place.said() } else { BTreeSet::new() };
        let not_there: BTreeSet<&str> = place.new.difference(&known).copied().collect();
        if is_there || not_there.is_empty() {
            if !came_back(earlier.get_or_init(|| said_earlier(arrival, older)), &place.new) {
                weight.there += place.new.len();
            }
            continue;
        }
        // Two may have written nearly the same; what stands elsewhere is the other one's. In the same place words were written
        // instead, by who has read them; blocks that came are not so easily in the way.
        if not_there.len() == place.new.len()
            && (place.is_nearly_the_same() || !place.grows() && was_read() && place.is_replaced())
        {
            continue;
        }
        let [more, all] = left.get_or_init(|| {
            let words = newest.get_or_init(|| Text::read(base, &mut keys)).words();
            [brought(&texts.said, &words), words.into_keys().collect()]
        });
        let lacks: BTreeSet<&str> = not_there.difference(&said).copied().collect();
        let stands: BTreeSet<&str> = lacks.intersection(if place.by_count { more } else { all }).copied().collect();
        weight.there += place.new.len() - lacks.len();
        weight.lacked += stands.len();
        match (lacks.is_empty(), stands.is_empty()) {
            (true, _) => {}
            (false, true) => gone.extend(shown(&after.slice(&place.theirs), &lacks)),
            (false, false) => lacked.extend(shown(&after.slice(&place.theirs), &stands)),
        }
    }
    if weight.there > 0 && (weight.tells() || was_read()) {
        return Presence::Has;
    }
    match (lacked.is_empty(), gone.is_empty()) {
        (false, _) => Presence::Lacks(lacked),
        (true, false) => Presence::Gone(gone),
        (true, true) => Presence::Unknown,
    }
}

/// How many words of what came a text has, and how many it lacks.
struct Weight {
    there: usize,
    lacked: usize,
}

impl Weight {
    /// Tells whether that cannot be chance: two may have written the same few words, but of who has read what came no less is left
    /// than gone.
    const fn tells(&self) -> bool {
        self.lacked == 0 || self.there >= TELLING_MIN && self.there >= self.lacked
    }
}

/// What a file said before something came and after it, and the text that is looked at.
struct Texts<'t> {
    before: &'t Text<'t>,
    local: &'t Text<'t>,
    after: &'t Text<'t>,
    /// The words that were said before.
    said: Counts<'t>,
    /// The blocks of the text that were not there before.
    fresh: Quoted<'t>,
    /// The words of those that were not there earlier, either.
    own: Vec<Counts<'t>>,
}

impl<'t> Texts<'t> {
    fn of([before, local, after]: [&'t Text<'t>; 3], older: &[Arrival]) -> Self {
        let (said, fresh) = (before.words(), Quoted::new_in(local, before));
        let was_there = |said: &str| older.iter().any(|older| older.before.contains(said));
        let own = new_blocks(before, local, 0..local.len()).into_iter();
        let own = own.filter(|(at, _)| !was_there(local.plain(*at).trim())).map(|(_, words)| words).collect();
        Self { before, local, after, said, fresh, own }
    }

    /// What the text has of blocks that say otherwise what they said, without any word more or less: it has them, or those from
    /// before.
    fn looks(&self) -> Presence {
        let regions = hunks::places(self.before, self.local, self.after);
        let (mut has, mut lacked) = (false, Vec::new());
        for (region, mine, theirs) in placed(&regions) {
            // What went is looked for elsewhere.
            if !brought(&self.after.words_of(&theirs), &self.before.words_of(&region.base)).is_empty() {
                continue;
            }
            let [was, own, came] = [self.before.bare(&region.base), self.local.bare(&mine), self.after.bare(&theirs)];
            has |= came.iter().any(|key| !was.contains(key) && own.contains(key));
            // Where it was edited, too, it is cut as it was.
            let is_cut_as_before = mine.len() == region.base.len() && mine.len() != theirs.len();
            if is_cut_as_before || was.iter().any(|key| !came.contains(key) && own.contains(key)) {
                let said = self.after.slice(&theirs);
                lacked.extend(shown(&said, &words_in(&said).collect()));
            }
        }
        match (has, lacked.is_empty()) {
            (true, _) => Presence::Has,
            (false, false) => Presence::Lacks(lacked),
            (false, true) => Presence::Unknown,
        }
    }

    /// The places where words came.
    fn places(&self) -> Vec<Place<'_>> {
        let regions = hunks::places(self.before, self.local, self.after);
        let all = placed(&regions).map(|(region, mine, theirs)| {
            let places = [(self.before, &region.base), (self.local, &mine), (self.after, &theirs)];
            let counts = brought(&self.before.words_of(&region.base), &self.after.words_of(&theirs));
            let by_count = !counts.is_empty();
            let (mut words, mut new) = (places.map(|(text, place)| text.sequence(place)), counts);
            if !by_count {
                // What went from there may have had the very words that came there.
                new = run::brought(&words[0], &words[2]);
            }
            if new.is_empty() {
                // Or what stands between them is another: a minus, a question mark.
                words = places.map(|(text, place)| text.pieces(place));
                new = run::brought(&words[0], &words[2]);
            }
            Place { texts: self, base: region.base.clone(), mine, theirs, words, by_count, new }
        });
        all.filter(|place| !place.new.is_empty()).collect()
    }
}

/// A place where words came.
struct Place<'t> {
    texts: &'t Texts<'t>,
    /// Its blocks before that, in the text, and after.
    base: Range<usize>,
    mine: Range<usize>,
    theirs: Range<usize>,
    /// Their words, in their order.
    words: [Vec<&'t str>; 3],
    /// Those that came.
    new: BTreeSet<&'t str>,
    /// Whether there are more of those than there were.
    by_count: bool,
}

impl Place<'_> {
    /// Tells whether the text has more than so many eighths of what came, here or moved elsewhere; with 8, all.
    fn has(&self, eighths: usize) -> bool {
        let [old, own, came] = &self.words;
        let is_brought = !self.by_count || self.has_share(eighths);
        // Few words are known by what stands at their side: the end of another sentence has its full stop there.
        let is_told = || eighths < 8 || self.new.len() >= TELLING_MIN || self.stands_with_signs();
        is_brought && run::stand([old, own, came], eighths) && is_told() || !self.is_left() && self.is_moved(eighths)
    }

    /// Tells whether what came stands there with the signs beside it.
    fn stands_with_signs(&self) -> bool {
        let Texts { before, local, after, .. } = self.texts;
        let [was, is, came] =
            [(before, &self.base), (local, &self.mine), (after, &self.theirs)].map(|(text, place)| text.pieces(place));
        run::stand([&was, &is, &came], 8)
    }

    /// Tells whether the text has there an edit of a block that came, with all of what stands between its words and nothing said
    /// before: one that has the words of its neighbour is known by its exclamation mark.
    fn has_signs(&self) -> bool {
        let Texts { before, local, after, .. } = self.texts;
        let known: BTreeSet<&str> = before.pieces(&(0..before.len())).into_iter().collect();
        let is_sign = |piece: &&str| !known.contains(piece) && words_in(piece).next().is_none();
        // An edit of one that was there before has its words, and may have signs of its own.
        let was = new_blocks(local, before, 0..before.len());
        new_blocks(before, after, self.theirs.clone()).iter().any(|(at, block)| {
            let mut signs = after.pieces(&(*at..*at + 1)).into_iter().filter(is_sign).peekable();
            let is_nearest = |own: usize| {
                let own = local.sequence(&(own..own + 1));
                let way = |text: &Text<'_>, at: usize| run::distance(&text.sequence(&(at..at + 1)), &own);
                was.iter().all(|(was, _)| way(after, *at) <= way(before, *was))
            };
            let is_edit = |own: &usize| is_mostly(&local.words_of(&(*own..*own + 1)), block) && is_nearest(*own);
            signs.peek().is_some() && {
                let edits = self.beside().filter(is_edit);
                let own: Vec<&str> = edits.flat_map(|own| local.pieces(&(own..own + 1))).collect();
                signs.all(|sign| own.contains(&sign))
            }
        })
    }

    /// The words that the text says there, and beside it: what is edited may be taken for the block there.
    fn said(&self) -> BTreeSet<&str> {
        self.texts.local.sequence(&self.beside()).into_iter().collect()
    }

    fn beside(&self) -> Range<usize> {
        self.mine.start.saturating_sub(1)..(self.mine.end + 1).min(self.texts.local.len())
    }

    fn has_share(&self, eighths: usize) -> bool {
        let Texts { before, local, after, .. } = self.texts;
        has_share(&before.words_of(&self.base), &local.words_of(&self.mine), &after.words_of(&self.theirs), eighths)
    }

    /// Tells whether the text still has what was there before: then its writer has not moved that, nor what it became.
    fn is_left(&self) -> bool {
        let Texts { before, local, .. } = self.texts;
        let own = local.bare(&self.mine);
        before.bare(&self.base).iter().any(|key| own.contains(key))
    }

    fn is_moved(&self, eighths: usize) -> bool {
        let Texts { before, after, said, fresh, own, .. } = self.texts;
        if eighths == 8 {
            // What stood there before says nothing, whatever words it has in common with what came.
            let was = before.bare(&(0..before.len()));
            let is_new = |at: &usize| after.bare(&(*at..*at + 1)).iter().all(|key| !was.contains(key));
            let has_new = |at: &usize| after.sequence(&(*at..*at + 1)).iter().any(|word| self.new.contains(word));
            let brings = |at: &usize| is_new(at) && has_new(at);
            let has = |at: usize| fresh.has((after, at), said) || self.has_around(at);
            return self.theirs.clone().filter(brings).any(has);
        }
        new_blocks(before, after, self.theirs.clone()).iter().any(|(_, block)| {
            let came: Vec<&str> = self.new.iter().filter(|word| block.contains_key(**word)).copied().collect();
            own.iter().any(|own| is_mostly(own, block) && is_share(&came, |word| own.contains_key(word), eighths))
        })
    }

    /// Tells whether the text has a block there that came, with a sentence in the midst of it. Of one that was there before, whoever
    /// edited that may say the same.
    fn has_around(&self, at: usize) -> bool {
        let Texts { before, local, after, fresh, .. } = self.texts;
        let beside = self.beside();
        let words = after.words_of(&(at..at + 1));
        // Those from before that are not in a text any more.
        let gone = |text: &Text<'_>| new_blocks(text, before, 0..before.len());
        let became = |(_, was): &(usize, Counts<'_>)| is_mostly(&words, was);
        let is_nearer = |other: usize| {
            let own = local.words_of(&(other..other + 1));
            gone(local).iter().any(|(_, was)| shared(&own, was) >= shared(&own, &words))
        };
        let counts = |other: usize| beside.contains(&other) && !is_nearer(other);
        fresh.has_around((after, at), counts) && self.grows() && !gone(after).iter().any(became)
    }

    /// Tells whether more blocks stand there than before.
    fn grows(&self) -> bool {
        let Texts { before, after, .. } = self.texts;
        let (was, is) = (before.bare(&self.base), after.bare(&self.theirs));
        let ops = capture_diff_slices(Algorithm::Patience, was, is);
        ops.iter().any(|op| op.new_range().len() > op.old_range().len())
    }

    /// Tells whether the text says there what came, but for few words of that alone, and is nearer to it than to what was there
    /// before.
    fn is_nearly_the_same(&self) -> bool {
        let [was, is, came] = &self.words;
        let changes = |old: &[&str]| {
            let ops = capture_diff_slices(Algorithm::Myers, old, is).into_iter();
            ops.filter(|op| !matches!(op, DiffOp::Equal { .. })).collect::<Vec<_>>()
        };
        let way = |ops: &[DiffOp]| ops.iter().map(|op| op.old_range().len() + op.new_range().len()).sum::<usize>();
        if !self.has_share(NEARLY_ALL) {
            return false;
        }
        let edits = changes(came);
        // Who wrote more than that around a few words did not write the same.
        if way(&edits) * 2 > self.new.len() + 2 {
            return false;
        }
        let mut edited = edits.iter().flat_map(DiffOp::old_range).filter_map(|at| came.get(at));
        edited.all(|word| self.new.contains(word)) && way(&edits) < way(&changes(was))
    }

    /// Tells whether all changes of words that came lie where the text has changes of its own.
    fn is_replaced(&self) -> bool {
        let Texts { before, local, after, .. } = self.texts;
        // Who still has a block as it was before they edited it has not read that.
        let own = local.bare(&self.mine);
        let edits = new_blocks(before, after, self.theirs.clone());
        let mut stands = self.base.clone().zip(before.bare(&self.base)).filter(|(_, key)| own.contains(key));
        let is_edited = |was: &Counts<'_>| !was.is_empty() && edits.iter().any(|(_, edit)| is_mostly(edit, was));
        let goes = |key: &u32| !after.bare(&self.theirs).contains(key);
        if stands.any(|(at, key)| goes(key) && is_edited(&before.words_of(&(at..at + 1)))) {
            return false;
        }
        let [was, is, came] = &self.words;
        let ops = |new: &[&str]| capture_diff_slices(Algorithm::Myers, was, new);
        let (mine, theirs) = (ops(is), ops(came));
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
}

/// Lines that have all of these words between them, those with most of them first, and each from the first of them to the last. Of
/// what came with no word of its own the first line.
fn shown(said: &str, words: &BTreeSet<&str>) -> Vec<String> {
    let had = |line: &str| pieces_in(line).filter(|word| words.contains(word)).count();
    let mut lines: Vec<(usize, &str)> = said.lines().map(|line| (had(line), line)).collect();
    lines.sort_by_key(|(count, _)| Reverse(*count));
    let (mut told, mut shown) = (BTreeSet::new(), Vec::new());
    for (_, line) in lines {
        let has: BTreeSet<&str> = pieces_in(line).filter(|word| words.contains(word)).collect();
        if !shown.is_empty() && has.is_subset(&told) {
            continue;
        }
        let quote = quoted(line, SHOWN_WORDS, |word| has.contains(word));
        let dots = if has.is_subset(&pieces_in(quote).collect()) { "" } else { " …" };
        shown.push(format!("{quote}{dots}"));
        told.extend(has);
        if told.len() == words.len() {
            break;
        }
    }
    shown
}

/// The words of all that the file said earlier, or may have, beyond those that it said before the newest.
fn said_earlier(arrival: &Arrival, older: &[Arrival]) -> Vec<BTreeSet<String>> {
    let mut keys = Keys::default();
    let before = Text::read(&arrival.before, &mut keys);
    let was = before.words();
    let said = |text: &str| {
        let mut keys = Keys::default();
        let said = Text::read(text, &mut keys);
        brought(&was, &said.words()).into_iter().map(str::to_owned).collect()
    };
    arrival.said_earlier(older).map(said).collect()
}

/// Tells whether the file said most of the words that came at one earlier time.
fn came_back(earlier: &[BTreeSet<String>], words: &BTreeSet<&str>) -> bool {
    earlier.iter().any(|said| words.iter().filter(|word| said.contains(**word)).count() * 2 > words.len())
}
