//! Saves of an older text: an editor that was not told of what came into the file since writes the file without it. To who
//! looks at the file and its base alone, that is a deletion of what others wrote. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::mebdf;

use super::hunks::{self, Region};
use super::moved::words_of;
use super::sides::{Keys, Text};

/// How many words of what came are shown to a person.
const SHOWN_WORDS: usize = 8;

/// Blocks that are looked through for one that was moved.
const BLOCKS_MAX: usize = 1_000;

/// What came from the remote into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The file without it.
    pub before: String,
    /// The file with it, and with nothing else.
    pub after: String,
    /// What both sides agreed on when the file was without it.
    pub base: String,
}

impl Arrival {
    /// What comes into a file by a deposit; `None` when that is no word.
    pub(super) fn of(before: &str, after: &str, base: &str) -> Option<Self> {
        let mut keys = Keys::default();
        let (was, is) = (Text::read(before, &mut keys), Text::read(after, &mut keys));
        let came = !brought(&was.words(), &is.words()).is_empty();
        came.then(|| Self { before: before.to_owned(), after: after.to_owned(), base: base.to_owned() })
    }

    /// Tells whether a text has all of it, wherever that stands by now.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let mut keys = Keys::default();
        let [before, local, after] = [&*self.before, text, &*self.after].map(|text| Text::read(text, &mut keys));
        let was = before.words();
        brought(&was, &after.words()).is_subset(&brought(&was, &local.words()))
    }
}

/// A save that was made from an older text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stale {
    /// The base that it was made from.
    pub(super) base: String,
    /// The first words that it lacks.
    pub(super) lacks: String,
}

/// Tells which base a saved text was made from when it was not `base`, the newest. `arrivals` are what came into the file,
/// newest first. A text that has any of the newest is not stale, whatever else a person took from it.
pub(super) fn find(arrivals: &[Arrival], base: &str, text: &str) -> Option<Stale> {
    let mut found: Option<(&Arrival, String)> = None;
    for arrival in arrivals {
        if lacked(arrival, base).is_lacking() {
            // It went again since, and both sides know.
            continue;
        }
        if found.as_ref().is_some_and(|(newer, _)| lacked(arrival, &newer.before).is_lacking()) {
            // It came once more with the newer one, into a file that was saved without it.
            continue;
        }
        match lacked(arrival, text) {
            Presence::Has => break,
            // Whether who wrote that had read it, an older one may tell.
            Presence::Replaced => {}
            Presence::Lacks(lacks) => {
                let lacks = found.map_or(lacks, |(_, newest)| newest);
                found = Some((arrival, lacks));
            }
        }
    }
    found.map(|(oldest, lacks)| Stale { base: oldest.base.clone(), lacks })
}

/// What a text has of an arrival.
enum Presence {
    /// Some of it.
    Has,
    /// Nothing, but where it came other words were written.
    Replaced,
    /// Nothing; its first words.
    Lacks(String),
}

impl Presence {
    const fn is_lacking(&self) -> bool {
        matches!(self, Self::Lacks(_))
    }
}

/// Looks for an arrival in a text.
fn lacked(arrival: &Arrival, text: &str) -> Presence {
    if has_new_line(arrival, text) {
        return Presence::Has;
    }
    let mut keys = Keys::default();
    let [before, local, after] = [&*arrival.before, text, &*arrival.after].map(|text| Text::read(text, &mut keys));
    let own = new_blocks(&before, &local, 0..local.len());
    let (mut lacked, mut is_replaced_somewhere) = (None, false);
    for (region, mine, theirs) in placed(&hunks::regions(&before, &local, &after)) {
        let (was, is) = (before.words_of(&region.base), local.words_of(&mine));
        let came = after.words_of(&theirs);
        let new = brought(&was, &came);
        if new.is_empty() {
            continue;
        }
        let moved = || {
            let blocks = new_blocks(&before, &after, theirs.clone());
            blocks.iter().any(|block| own.iter().any(|own| is_mostly(own, block) && has_most(&was, own, block)))
        };
        if has_most(&was, &is, &came) || moved() {
            return Presence::Has;
        }
        // In the same place words were written instead, as by who reads them; blocks that came are not so easily in the way.
        let ops = capture_diff_slices(Algorithm::Patience, before.bare(&region.base), after.bare(&theirs));
        let grows = ops.iter().any(|op| op.new_range().len() > op.old_range().len());
        if !grows && is_replaced(&before, &local, &after, [&region.base, &mine, &theirs]) {
            is_replaced_somewhere = true;
            continue;
        }
        let shown = || {
            let said = after.slice(&theirs);
            let count = |line: &&str| line.unicode_words().filter(|word| new.contains(word)).count();
            let line = said.lines().rev().max_by_key(count).unwrap_or_default();
            let words = line.unicode_words().skip_while(|word| !new.contains(word)).take(SHOWN_WORDS);
            words.collect::<Vec<_>>().join(" ")
        };
        lacked.get_or_insert_with(shown);
    }
    match lacked {
        Some(lacked) => Presence::Lacks(lacked),
        None if is_replaced_somewhere => Presence::Replaced,
        None => Presence::Has,
    }
}

/// How often each word stands somewhere.
type Counts<'a> = BTreeMap<&'a str, usize>;

impl Text<'_> {
    fn words(&self) -> Counts<'_> {
        self.words_of(&(0..self.len()))
    }

    fn words_of(&self, range: &Range<usize>) -> Counts<'_> {
        let mut counts = Counts::new();
        for word in self.blocks(range).iter().flat_map(|block| words_of(&block.content)) {
            *counts.entry(word).or_default() += 1;
        }
        counts
    }
}

/// The words of which more came than were.
fn brought<'a>(was: &Counts<'_>, came: &Counts<'a>) -> BTreeSet<&'a str> {
    let more = came.iter().filter(|(word, count)| was.get(*word).is_none_or(|was| was < *count));
    more.map(|(word, _)| *word).collect()
}

/// Tells whether all changes of words that came lie where the text has changes of its own.
fn is_replaced(before: &Text<'_>, local: &Text<'_>, after: &Text<'_>, places: [&Range<usize>; 3]) -> bool {
    let [was, is, came] = [(before, places[0]), (local, places[1]), (after, places[2])]
        .map(|(text, place)| text.blocks(place).iter().flat_map(|block| words_of(&block.content)).collect::<Vec<_>>());
    let ops = |new: &[&str]| capture_diff_slices(Algorithm::Myers, &was, new);
    let (mine, theirs) = (ops(&is), ops(&came));
    let is_change = |op: &&DiffOp| !matches!(op, DiffOp::Equal { .. });
    // Who takes away what stood there before has read no more than that, and who still has what they replaced not even that.
    let writes = |op: &&DiffOp| is_change(op) && !matches!(op, DiffOp::Delete { .. });
    let has_gone = |at: usize| mine.iter().filter(is_change).any(|op| op.old_range().contains(&at));
    theirs.iter().filter(writes).map(DiffOp::old_range).all(|place| {
        let is_near = |own: Range<usize>| own.start <= place.end && place.start <= own.end;
        mine.iter().filter(writes).any(|op| is_near(op.old_range())) && place.clone().all(has_gone)
    })
}

/// The words of each block of a range that the text before does not have.
fn new_blocks<'t>(before: &Text<'_>, text: &'t Text<'_>, range: Range<usize>) -> Vec<Counts<'t>> {
    let old: BTreeSet<u32> = before.bare(&(0..before.len())).iter().copied().collect();
    let blocks = range.clone().zip(text.bare(&range)).filter(|(_, key)| !old.contains(key));
    blocks.map(|(at, _)| text.words_of(&(at..at + 1))).filter(|words| !words.is_empty()).take(BLOCKS_MAX).collect()
}

/// Tells whether a block has three quarters of the words of another.
fn is_mostly(one: &Counts<'_>, other: &Counts<'_>) -> bool {
    other.keys().filter(|word| one.contains_key(*word)).count() * 4 >= other.len() * 3
}

/// Tells whether a text has most of the words that came.
fn has_most(was: &Counts<'_>, is: &Counts<'_>, came: &Counts<'_>) -> bool {
    let (has, brought) = (brought(was, is), brought(was, came));
    brought.iter().filter(|word| has.contains(*word)).count() * 2 > brought.len()
}

/// Tells whether a line that came stands in the text: the quick answer for nearly every save.
fn has_new_line(arrival: &Arrival, text: &str) -> bool {
    let old: BTreeSet<&str> = mebdf::body(&arrival.before).lines().collect();
    let is_new = |line: &&str| !old.contains(line) && line.unicode_words().next().is_some();
    let new: BTreeSet<&str> = mebdf::body(&arrival.after).lines().filter(is_new).collect();
    mebdf::body(text).lines().any(|line| new.contains(line))
}

/// The regions, each with its blocks in the file and in the remote.
fn placed(regions: &[Region]) -> impl Iterator<Item = (&Region, Range<usize>, Range<usize>)> {
    let (mut base, mut local, mut remote) = (0, 0, 0);
    regions.iter().map(move |region| {
        let same = region.base.start.saturating_sub(base);
        base = region.base.end;
        let mine = local + same..local + same + region.local_len;
        let theirs = remote + same..remote + same + region.remote_len;
        (local, remote) = (mine.end, theirs.end);
        (region, mine, theirs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# Head\n\nFirst words.\n\nSecond words.\n\n- item one\n- item two\n\nLast words.\n";

    /// What is lacked by an edit of the text from before, when `came` came meanwhile.
    fn lacks(came: (&str, &str), edit: impl Fn(&str) -> String) -> Option<String> {
        assert!(BEFORE.contains(came.0), "{came:?}");
        let after = BEFORE.replacen(came.0, came.1, 1);
        let arrival = Arrival { before: BEFORE.into(), after: after.clone(), base: BEFORE.into() };
        // Who edits the text with it is never taken for one who did not see it.
        assert_eq!(find(std::slice::from_ref(&arrival), &after, &edit(&after)), None, "{came:?}");
        find(&[arrival], &after, &edit(BEFORE)).map(|stale| stale.lacks)
    }

    #[test]
    fn a_save_of_an_older_text_is_known() {
        let word = ("Second words.", "Second theirs words.");
        let paragraph = ("Last words.", "Theirs came here.\n\nLast words.");
        let item = ("- item two\n", "- item two\n- item theirs\n");
        let edits: [fn(&str) -> String; 6] = [
            str::to_owned,
            |text| text.replace("First", "My first"),
            |text| text.replace("Second words.", "Second words of mine."),
            |text| text.replace("Last words.\n", "Last words.\n\nMine.\n"),
            |text| text.replace("First words.\n\n", ""),
            |text| text.replace("- item one\n", "- item one\n- item mine\n"),
        ];
        for edit in edits {
            assert_eq!(lacks(word, edit).as_deref(), Some("theirs words"), "{}", edit(BEFORE));
            assert_eq!(lacks(paragraph, edit).as_deref(), Some("Theirs came here"), "{}", edit(BEFORE));
            assert_eq!(lacks(item, edit).as_deref(), Some("item theirs"), "{}", edit(BEFORE));
        }
    }

    #[test]
    fn what_has_some_of_it_is_not() {
        let after = BEFORE.replace("Last words.", "One two three came.\n\nFour five six.\n\nLast words.");
        let arrival = Arrival { before: BEFORE.into(), after: after.clone(), base: BEFORE.into() };
        let found = |text: &str| find(std::slice::from_ref(&arrival), &after, text).map(|stale| stale.lacks);
        // Half of it was deleted, or edited, or all was moved.
        assert_eq!(found(&after.replace("One two three came.\n\n", "")), None);
        assert_eq!(found(&after.replace("three came", "three mine").replace("five six", "five")), None);
        let (came, rest) = ("One two three came.\n\nFour five six.\n\n", "First words.\n");
        assert_eq!(found(&after.replace(came, "").replace(rest, &format!("{came}{rest}"))), None);
        assert!(found(&after.replace(came, "")).is_some());
        // A word that came was replaced where it stands, which is what people do.
        let worded = BEFORE.replace("Second words", "Second theirs words");
        let arrival_of = |after: &str| Arrival { before: BEFORE.into(), after: after.into(), base: BEFORE.into() };
        let replaced = |new: &str| find(&[arrival_of(&worded)], &worded, &worded.replace("theirs", new));
        assert_eq!(replaced("mine"), None);
        assert_eq!(replaced("mine and more"), None);
        assert!(find(&[arrival_of(&worded)], &worded, &BEFORE.replace("Second words", "Second words mine")).is_some());
        // Who takes away the paragraph that they replaced has not read theirs.
        let changed = BEFORE.replace("Second words.", "Theirs came.");
        let (gone, mine) = (BEFORE.replace("Second words.\n\n", ""), "\n\nMine.\n");
        assert!(find(&[arrival_of(&changed)], &changed, &format!("{}{mine}", gone.trim_end())).is_some());
        // Nor who writes behind it.
        assert!(
            find(&[arrival_of(&changed)], &changed, &BEFORE.replace("words.\n\n- item", "words.\n\nMine.\n\n- item"))
                .is_some()
        );
        assert_eq!(find(&[arrival_of(&changed)], &changed, &changed.replace("Theirs came.", "Mine instead.")), None);
        // Two who write a paragraph at the same end have not read each other.
        let appended = |line: &str| format!("{BEFORE}\n{line}\n");
        let (theirs, mine) = (appended("Theirs at the end."), appended("Mine there too."));
        assert!(find(&[arrival_of(&theirs)], &theirs, &mine).is_some());
        // What is gone by now cannot be lacked.
        assert_eq!(find(&[arrival], BEFORE, &BEFORE.replace("First", "My first")), None);
    }

    #[test]
    fn the_oldest_text_that_it_may_come_from_is_its_base() {
        let first = BEFORE.replace("First words.", "First words, one.");
        let second = first.replace("Last words.", "Last words, two.");
        let arrival = |before: &str, after: &str, base: &str| Arrival {
            before: before.into(),
            after: after.into(),
            base: base.into(),
        };
        let arrivals = [arrival(&first, &second, "base of the second"), arrival(BEFORE, &first, "base of the first")];
        let base = |text: &str| find(&arrivals, &second, text).map(|stale| stale.base);
        assert_eq!(base(&BEFORE.replace("Second", "My second")).as_deref(), Some("base of the first"));
        assert_eq!(base(&first.replace("Second", "My second")).as_deref(), Some("base of the second"));
        assert_eq!(base(&second.replace("Second", "My second")), None);
        // It was put back into a file that was saved without it, which goes on as it was.
        let saved = BEFORE.replace("Second", "My second");
        let whole = first.replace("Second", "My second");
        let arrivals = [arrival(&saved, &whole, "base of the save"), arrival(BEFORE, &first, "base of the first")];
        let stale = find(&arrivals, &whole, &saved.replace("My", "My own"));
        assert_eq!(stale.map(|stale| stale.base).as_deref(), Some("base of the save"));
    }

    #[test]
    fn a_deletion_or_another_look_is_no_arrival() {
        let of = |after: &str| Arrival::of(BEFORE, after, BEFORE).is_some();
        assert!(of(&BEFORE.replace("First", "Theirs first")));
        assert!(!of(&BEFORE.replace("First words.\n\n", "")));
        assert!(!of(&BEFORE.replace("First", "**First**")));
        assert!(!of(&BEFORE.replace("# Head", "# {^ h.1}Head")));
    }
}
