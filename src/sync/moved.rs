//! Text that one side moved out of a conflict or into it. Half of a move must not go on: the text would stand on the other
//! side twice, or nowhere, until the conflict ends. So the other half waits with it. And text that one side moved and the other
//! took away, or moved elsewhere: that is a conflict as any other edit of it would be, also where it is only its neighbour that
//! looks moved.

use std::collections::BTreeSet;
use std::ops::Range;

use super::hunks::{self, Region, Verdict, placed};
use super::order;
use super::run::TELLING_MIN;
use super::sides::Text;

/// Blocks that are compared with blocks; beyond that, only those that say the very same count as moved.
const PAIRS_MAX: usize = 1_000_000;

/// Blocks that one side brought and that are looked through for what it may have moved. Beyond that, any may have moved.
const BROUGHT_MAX: usize = 5_000;

/// What a side did in a region.
#[derive(Clone)]
struct Change {
    /// Blocks that it took away.
    gone: Vec<Said>,
    /// Blocks that it brought.
    came: Vec<Said>,
    /// The words that it wrote into blocks which it edited where they stand, by block.
    joined: Vec<Words>,
    /// The words that it took out of them.
    parted: Vec<Words>,
}

impl Change {
    /// Nothing.
    const NONE: Self = Self { gone: Vec::new(), came: Vec::new(), joined: Vec::new(), parted: Vec::new() };

    /// Tells whether any of what it took away stands in what another change brought: as a block, or as a piece of one.
    fn is_moved_to(&self, to: &Self, by_words: bool) -> bool {
        let blocks = || self.gone.iter().any(|gone| to.came.iter().any(|came| gone.is_moved_to(came, by_words)));
        let into_block = || self.gone.iter().any(|gone| to.joined.iter().any(|joined| is_piece(&gone.words, joined)));
        let out_of_block = || to.came.iter().any(|came| self.parted.iter().any(|parted| is_piece(&came.words, parted)));
        let between = || self.parted.iter().any(|parted| to.joined.iter().any(|joined| is_piece(parted, joined)));
        blocks() || by_words && (into_block() || out_of_block() || between())
    }
}

/// Words, each as often as they are said.
type Words = BTreeSet<(String, usize)>;

/// Tells whether so many words that they are known by themselves stand among others, but for a quarter of them.
fn is_piece(words: &Words, others: &Words) -> bool {
    words.len() >= TELLING_MIN && words.intersection(others).count() * 4 >= words.len() * 3
}

/// The words that a block has more than another.
fn more(said: &Said, than: &Said) -> Words {
    let is_more = |(word, nth): &&(String, usize)| {
        let others = than.words.range((word.clone(), 0)..=(word.clone(), usize::MAX)).count();
        said.words.contains(&(word.clone(), nth + others))
    };
    said.words.iter().filter(is_more).cloned().collect()
}

/// What a block says: its meaning, and its words, each as often as it has it.
#[derive(Clone)]
struct Said {
    key: u32,
    words: Words,
}

impl Said {
    /// Tells whether a block is this one, perhaps edited: it has three quarters of its words, or half of them and no others.
    fn is_moved_to(&self, came: &Self, by_words: bool) -> bool {
        let is_edit = || {
            let (shared, all) = (self.shared(came), self.words.len());
            shared * 4 >= all * 3 || shared * 2 >= all && shared == came.words.len()
        };
        self.key == came.key || by_words && !self.words.is_empty() && is_edit()
    }

    /// Tells whether this block was edited to that one where it stands.
    fn is_edited_to(&self, came: &Self) -> bool {
        let shared = self.shared(came);
        shared > 0 && shared * 2 >= self.words.len().min(came.words.len())
    }

    fn shared(&self, other: &Self) -> usize {
        self.words.intersection(&other.words).count()
    }
}

/// Returns the regions in order, those frozen between which and a conflict a side moved text; between them all three say the same.
pub(super) fn regions(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>) -> Vec<Region> {
    let mut regions = hunks::regions(base, local, remote);
    freeze(base, local, remote, &mut regions);
    regions
}

/// What a side, which says `text`, brought anywhere.
pub(super) struct Brought<'a> {
    base: &'a Text<'a>,
    text: &'a Text<'a>,
    /// Its blocks that the base does not have.
    new: Vec<(usize, Said)>,
}

impl<'a> Brought<'a> {
    pub(super) fn by(base: &'a Text<'a>, text: &'a Text<'a>) -> Self {
        let known: BTreeSet<u32> = base.bare(&(0..base.len())).iter().copied().collect();
        let all = (0..text.len()).zip(text.bare(&(0..text.len())));
        let new = all.filter(|(_, key)| !known.contains(key)).take(BROUGHT_MAX + 1);
        Self { base, text, new: new.map(|(at, key)| (at, Said { key: *key, words: words(text, at) })).collect() }
    }

    /// Tells whether the block `was` of the base stands elsewhere than in its place, where the side has `is`: as it was, or
    /// edited, with more of its words than `is`.
    pub(super) fn has_elsewhere(&self, was: usize, is: usize) -> bool {
        let Some(key) = self.base.bare(&(was..was + 1)).first() else { return false };
        let count = |text: &Text<'_>| text.bare(&(0..text.len())).iter().filter(|other| *other == key).count();
        let gone = Said { key: *key, words: words(self.base, was) };
        let here = self.new.iter().find(|(at, _)| *at == is).map_or(0, |(_, here)| gone.shared(here));
        let mut others = self.new.iter().filter(|(at, _)| *at != is);
        self.new.len() > BROUGHT_MAX
            || count(self.text) >= count(self.base)
            || others.any(|(_, other)| gone.is_moved_to(other, true) && gone.shared(other) > here)
    }
}

/// Freezes the regions between which and a frozen one a side moved text.
fn freeze(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>, regions: &mut [Region]) {
    let frozen = |regions: &[Region]| regions.iter().filter(|region| region.verdict == Verdict::Conflict).count();
    contend(base, local, regions, Verdict::Local);
    contend(base, remote, regions, Verdict::Remote);
    disorder(base, local, remote, regions);
    let mut before = 0;
    while frozen(regions) > before {
        before = frozen(regions);
        freeze_moved(base, local, regions, Verdict::Local);
        freeze_moved(base, remote, regions, Verdict::Remote);
    }
}

/// Freezes the regions in which both sides took away what that side, which says `text`, brought elsewhere.
fn contend(base: &Text<'_>, text: &Text<'_>, regions: &mut [Region], side: Verdict) {
    let agreed = |region: &Region| region.verdict == Verdict::Agree;
    if !regions.iter().any(|region| agreed(region) && !region.base.is_empty()) {
        return;
    }
    let changes = changes(base, text, regions, side, true);
    let brought: Vec<&Said> = regions
        .iter()
        .zip(&changes)
        .filter(|(region, _)| [Verdict::Conflict, side].contains(&region.verdict))
        .flat_map(|(_, change)| &change.came)
        .collect();
    let gone: usize =
        regions.iter().zip(&changes).filter(|(region, _)| agreed(region)).map(|(_, change)| change.gone.len()).sum();
    let by_words = gone.saturating_mul(brought.len()) <= PAIRS_MAX;
    for (region, change) in regions.iter_mut().zip(&changes) {
        let moved = |gone: &Said| brought.iter().any(|came| gone.is_moved_to(came, by_words));
        if agreed(region) && change.gone.iter().any(moved) {
            region.verdict = Verdict::Conflict;
        }
    }
}

/// Freezes the regions in which something came or went that one side moved past what the other moved elsewhere, where together
/// they would take one of the two moves back.
fn disorder(base: &Text<'_>, local: &Text<'_>, remote: &Text<'_>, regions: &mut [Region]) {
    let mut merged: Vec<u32> = Vec::new();
    let mut at = 0;
    for (region, mine, theirs) in placed(regions) {
        merged.extend(base.bare(&(at..region.base.start)));
        match region.verdict {
            Verdict::Agree | Verdict::Local => merged.extend(local.bare(&mine)),
            Verdict::Remote => merged.extend(remote.bare(&theirs)),
            Verdict::Both => merged.extend(remote.bare(&theirs).iter().chain(local.bare(&mine))),
            Verdict::Conflict => {}
        }
        at = region.base.end;
    }
    merged.extend(base.bare(&(at..base.len())));
    let all = |text: &Text<'_>| text.bare(&(0..text.len())).to_vec();
    let contradicted = order::contradicted(&all(base), &all(local), &all(remote), &merged);
    if contradicted.is_empty() {
        return;
    }
    let hit: Vec<bool> = placed(regions)
        .map(|(region, mine, theirs)| {
            let mut keys = base.bare(&region.base).iter().chain(local.bare(&mine)).chain(remote.bare(&theirs));
            keys.any(|key| contradicted.contains(key))
        })
        .collect();
    regions.iter_mut().zip(hit).filter(|(_, hit)| *hit).for_each(|(region, _)| region.verdict = Verdict::Conflict);
}

/// Freezes the regions with the verdict `side` between which and a frozen one that side, which says `text`, moved text.
fn freeze_moved(base: &Text<'_>, text: &Text<'_>, regions: &mut [Region], side: Verdict) {
    let changes = changes(base, text, regions, side, false);
    let gone: usize = changes.iter().map(|change| change.gone.len() + change.parted.len()).sum();
    let came: usize = changes.iter().map(|change| change.came.len() + change.joined.len()).sum();
    let by_words = gone.saturating_mul(came) <= PAIRS_MAX;
    let mut frozen: Vec<usize> = (0..regions.len())
        .filter(|at| regions.get(*at).is_some_and(|region| region.verdict == Verdict::Conflict))
        .collect();
    // What is frozen now may have been moved further.
    while let Some(at) = frozen.pop() {
        let Some(here) = changes.get(at) else { continue };
        for (other, (region, there)) in regions.iter_mut().zip(&changes).enumerate() {
            if region.verdict == side && (here.is_moved_to(there, by_words) || there.is_moved_to(here, by_words)) {
                region.verdict = Verdict::Conflict;
                frozen.push(other);
            }
        }
    }
}

/// What a side did in the frozen regions and those that it alone changed; with `agreed` also where both did the same.
fn changes(base: &Text<'_>, text: &Text<'_>, regions: &[Region], side: Verdict, agreed: bool) -> Vec<Change> {
    let (mut at, mut passed) = (0, 0);
    let own = |region: &Region| {
        at += region.base.start.saturating_sub(passed);
        passed = region.base.end;
        let now = at..at + if side == Verdict::Local { region.local_len } else { region.remote_len };
        at = now.end;
        let counts = [Verdict::Conflict, side].contains(&region.verdict) || agreed && region.verdict == Verdict::Agree;
        if !counts {
            return Change::NONE;
        }
        let (was, is) = (base.bare(&region.base), text.bare(&now));
        Change { gone: without(base, &region.base, is), came: without(text, &now, was), ..Change::NONE }
    };
    let all: Vec<Change> = regions.iter().map(own).collect();
    (0..all.len()).map(|at| moves_alone(&all, at)).collect()
}

/// Leaves out of one of the changes what was edited where it stands.
fn moves_alone(all: &[Change], at: usize) -> Change {
    let Some(Change { gone, came, .. }) = all.get(at) else { return Change::NONE };
    if gone.len().saturating_mul(came.len()) > PAIRS_MAX {
        return Change { gone: gone.clone(), came: came.clone(), ..Change::NONE };
    }
    // What shares more words with a block elsewhere went there, or came from there. All are looked through for each.
    let count: usize = all.iter().map(|change| change.gone.len() + change.came.len()).sum();
    let others = if count.saturating_mul(count) <= PAIRS_MAX { all } else { &[] };
    let elsewhere = || others.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, change)| change);
    let went = |was: &Said| {
        elsewhere()
            .flat_map(|change| &change.came)
            .filter(|is| was.is_moved_to(is, true))
            .map(|is| was.shared(is))
            .max()
    };
    let came_from = |is: &Said| {
        elsewhere()
            .flat_map(|change| &change.gone)
            .filter(|was| was.is_moved_to(is, true))
            .map(|was| was.shared(is))
            .max()
    };
    let goners: Vec<usize> = gone.iter().map(|was| went(was).unwrap_or_default()).collect();
    let comers: Vec<usize> = came.iter().map(|is| came_from(is).unwrap_or_default()).collect();
    // Of several that share words, those became each other that share most.
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for ((i, was), went) in gone.iter().enumerate().zip(goners) {
        let edits = came
            .iter()
            .enumerate()
            .zip(&comers)
            .filter(|((_, is), from)| was.is_edited_to(is) && was.shared(is) >= went.max(**from));
        pairs.extend(edits.map(|((j, is), _)| (was.shared(is), i, j)));
    }
    pairs.sort_by_key(|(shared, i, j)| (std::cmp::Reverse(*shared), *i, *j));
    let (mut was_edited, mut is_edit) = (BTreeSet::new(), BTreeSet::new());
    let (mut joined, mut parted) = (Vec::new(), Vec::new());
    for (_, i, j) in pairs {
        if !was_edited.contains(&i) && is_edit.insert(j) {
            was_edited.insert(i);
            if let (Some(was), Some(is)) = (gone.get(i), came.get(j)) {
                joined.push(more(is, was));
                parted.push(more(was, is));
            }
        }
    }
    let alone = |blocks: &[Said], edited: &BTreeSet<usize>| -> Vec<Said> {
        blocks.iter().enumerate().filter(|(at, _)| !edited.contains(at)).map(|(_, said)| said.clone()).collect()
    };
    Change { gone: alone(gone, &was_edited), came: alone(came, &is_edit), joined, parted }
}

/// What the blocks of a range say that have words and are none of `known`.
fn without(text: &Text<'_>, range: &Range<usize>, known: &[u32]) -> Vec<Said> {
    let known: BTreeSet<u32> = known.iter().copied().collect();
    let blocks = range.clone().zip(text.bare(range));
    let own = blocks.filter(|(at, key)| !known.contains(key) && text.has_words(*at));
    own.map(|(at, key)| Said { key: *key, words: words(text, at) }).collect()
}

fn words(text: &Text<'_>, at: usize) -> Words {
    let counts = text.words_of(&(at..at + 1));
    counts.into_iter().flat_map(|(word, count)| (0..count).map(|nth| (word.to_owned(), nth))).collect()
}
