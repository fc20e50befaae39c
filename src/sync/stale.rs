//! Saves of an older text: an editor that was not told of what came into the file since writes the file without it. To who
//! looks at the file and its base alone, that is a deletion of what others wrote; and what others took away looks like something
//! new. Pure.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::arrival::Arrival;
use super::counts::{Counts, MOST, brought, has_share, is_mostly, new_blocks};
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
    // Whether some save since had what came with an arrival.
    let was_read = |at: usize| {
        let next =
            |at: usize| at.checked_sub(1).and_then(|newer| arrivals.get(newer)).map_or(base, |newer| &*newer.before);
        arrivals.iter().take(at + 1).enumerate().any(|(at, arrival)| arrival.was_read_before(next(at)))
    };
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
            let is_in = |is: &Counts<'_>, came: &Counts<'_>| has_share(&was, is, came, eighths);
            let blocks = || new_blocks(&before, &after, theirs.clone());
            let moved = |block: &Counts<'_>| own.iter().any(|own| is_mostly(own, block) && is_in(own, block));
            is_in(&is, &came) || blocks().iter().any(moved)
        };
        if has(8) || has(MOST) && was_read() {
            if came_back(earlier.get_or_init(|| said_earlier(&before, older)), &new) {
                is_unclear = true;
                continue;
            }
            return Presence::Has;
        }
        if has(NEARLY_ALL) {
            // Two may have written nearly the same.
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
    let [was, is, came] = [(before, places[0]), (local, places[1]), (after, places[2])]
        .map(|(text, place)| text.blocks(place).iter().flat_map(|block| words_of(&block.content)).collect::<Vec<_>>());
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
        lacking(&[arrival], &after, &edit(BEFORE)).map(|(_, words)| words)
    }

    /// The base of a text that is an older one for certain, and what it lacks.
    fn lacking(arrivals: &[Arrival], base: &str, text: &str) -> Option<(String, String)> {
        match find(arrivals, base, text) {
            Some(Stale::Lacks { oldest, words }) => Some((arrivals[oldest].base.clone(), words.join(", "))),
            Some(Stale::Keeps(_)) | None => None,
        }
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
            assert_eq!(lacks(word, edit).as_deref(), Some("theirs"), "{}", edit(BEFORE));
            assert_eq!(lacks(paragraph, edit).as_deref(), Some("Theirs came here"), "{}", edit(BEFORE));
            assert_eq!(lacks(item, edit).as_deref(), Some("item theirs"), "{}", edit(BEFORE));
        }
    }

    #[test]
    fn what_has_some_of_it_is_not() {
        let after = BEFORE.replace("Last words.", "One two three came.\n\nFour five six.\n\nLast words.");
        let arrival = Arrival { before: BEFORE.into(), after: after.clone(), base: BEFORE.into() };
        let found = |text: &str| find(std::slice::from_ref(&arrival), &after, text);
        // Half of it was deleted, or edited, or all was moved.
        assert_eq!(found(&after.replace("One two three came.\n\n", "")), None);
        let edited = |text: &str| text.replace("three came", "three mine").replace("five six", "five");
        let read = |text: &str| text.replace("item one", "item one of mine");
        assert_eq!(find(std::slice::from_ref(&arrival), &read(&after), &edited(&read(&after))), None);
        // Two may write alike, so of what nobody had saved with before nearly all must be there.
        assert!(found(&edited(&after)).is_some());
        let long = BEFORE.replace("Second words.", "Theirs has one two three four five six seven words.");
        let came = Arrival { before: BEFORE.into(), after: long.clone(), base: BEFORE.into() };
        let found_long = |text: &str| find(std::slice::from_ref(&came), &long, text);
        assert_eq!(found_long(&long.replace("four", "forty")), None);
        assert!(found_long(&long.replace("four five", "forty fifty")).is_some());
        // And that is no sign that what came before it was read, too.
        let both = long.replace("Last words.", "More of theirs.\n\nLast words.");
        let more = BEFORE.replace("Last words.", "More of theirs.\n\nLast words.");
        let earlier = Arrival { before: BEFORE.into(), after: more.clone(), base: BEFORE.into() };
        let later = Arrival { before: more.clone(), after: both.clone(), base: more };
        let alike = long.replace("four", "forty");
        assert_eq!(lacking(&[later, earlier], &both, &alike).map(|(base, _)| base).as_deref(), Some(BEFORE));
        let (came, rest) = ("One two three came.\n\nFour five six.\n\n", "First words.\n");
        assert_eq!(found(&after.replace(came, "").replace(rest, &format!("{came}{rest}"))), None);
        assert!(found(&after.replace(came, "")).is_some());
        // A word that came was replaced where it stands by somebody who had saved with it before, which is what people do.
        let worded = BEFORE.replace("Second words", "Second theirs words");
        let arrival_of = |after: &str| Arrival { before: BEFORE.into(), after: after.into(), base: BEFORE.into() };
        let replaced = |new: &str| find(&[arrival_of(&worded)], &read(&worded), &read(&worded).replace("theirs", new));
        assert_eq!(replaced("mine"), None);
        assert_eq!(replaced("mine and more"), None);
        // Else nobody knows whether they have read it.
        for new in ["mine", "mine and more"] {
            assert!(find(&[arrival_of(&worded)], &worded, &worded.replace("theirs", new)).is_some(), "{new}");
        }
        assert!(find(&[arrival_of(&worded)], &worded, &BEFORE.replace("Second words", "Second words mine")).is_some());
        // But who replaces the word beside it may have an older text.
        for (word, other) in [("Second", "Other"), ("words.\n\n- item", "lines.\n\n- item")] {
            assert!(find(&[arrival_of(&worded)], &worded, &BEFORE.replace(word, other)).is_some(), "{word}");
        }
        // Who takes away the paragraph that they replaced has not read theirs.
        let changed = BEFORE.replace("Second words.", "Theirs came.");
        let (gone, mine) = (BEFORE.replace("Second words.\n\n", ""), "\n\nMine.\n");
        assert!(find(&[arrival_of(&changed)], &changed, &format!("{}{mine}", gone.trim_end())).is_some());
        // Nor who writes behind it.
        assert!(
            find(&[arrival_of(&changed)], &changed, &BEFORE.replace("words.\n\n- item", "words.\n\nMine.\n\n- item"))
                .is_some()
        );
        let instead = |text: &str| text.replace("Theirs came.", "Mine instead.");
        assert_eq!(find(&[arrival_of(&changed)], &read(&changed), &instead(&read(&changed))), None);
        assert!(find(&[arrival_of(&changed)], &changed, &instead(&changed)).is_some());
        // What was saved from an older text and put together with what came is no sign of reading.
        let (saved, whole) = (read(BEFORE), read(&changed));
        let put_back = Arrival { before: saved, after: whole.clone(), base: BEFORE.into() };
        let arrivals = [put_back, arrival_of(&changed)];
        assert!(find(&arrivals, &whole, &instead(&whole)).is_some());
        // Nor who writes where they took something away that he has never seen, and still has the line beside as it was.
        let more = BEFORE.replace("Second words.", "Second words.\n\nMore of it.");
        let less = BEFORE.replace("Second words.", "Second words of theirs.");
        let both = Arrival { before: more.clone(), after: less.clone(), base: more };
        let written = BEFORE.replace("Second words.", "Second words.\n\nMine.");
        assert!(lacking(&[both], &less, &written).is_some());
        // Two who write a paragraph at the same end have not read each other.
        let appended = |line: &str| format!("{BEFORE}\n{line}\n");
        let (theirs, mine) = (appended("Theirs at the end."), appended("Mine there too."));
        assert!(find(&[arrival_of(&theirs)], &theirs, &mine).is_some());
        // What is gone by now cannot be lacked.
        assert_eq!(find(&[arrival], BEFORE, &BEFORE.replace("First", "My first")), None);
    }

    #[test]
    fn what_came_back_tells_nothing_of_who_had_it_before() {
        // Others wrote words and took them away again, and more stands since.
        let arrivals = |texts: &[&str]| -> Vec<Arrival> {
            texts.windows(2).rev().map(|pair| Arrival::noted(pair[0], pair[1], pair[0]).unwrap()).collect()
        };
        let more = |text: &str| text.replace("Last words.", "Theirs came here.\n\nLast words.");
        let changed = BEFORE.replace("First words", "First of theirs");
        let mine = |text: &str| text.replace("item two", "item two of mine");
        for came in [BEFORE.replace("First words", "First theirs words"), changed] {
            // The rest of what came with them stands yet.
            let (first, last) = (more(&came), more(BEFORE));
            let notes = arrivals(&[BEFORE, &first, &last]);
            let words = lacking(&notes, &last, &mine(BEFORE)).map(|(_, words)| words);
            assert_eq!(words.as_deref(), Some("Theirs came here"), "{came}: what is gone again is not put back");
            assert_eq!(find(&notes, &last, &mine(&last)), None, "{came}");
            // Nor where the line that came back was edited.
            let edited = |text: &str| mine(text).replace("First words", "First words too");
            assert!(lacking(&notes, &last, &edited(BEFORE)).is_some(), "{came}");
            assert_eq!(find(&notes, &last, &edited(&last)), None, "{came}");
            // Something else came when they went.
            let notes = arrivals(&[BEFORE, &came, &last]);
            assert!(lacking(&notes, &last, &mine(BEFORE)).is_some(), "{came}");
            assert_eq!(find(&notes, &last, &mine(&last)), None, "{came}");
        }
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
        let base = |text: &str| lacking(&arrivals, &second, text).map(|(base, _)| base);
        assert_eq!(base(&BEFORE.replace("Second", "My second")).as_deref(), Some("base of the first"));
        assert_eq!(base(&first.replace("Second", "My second")).as_deref(), Some("base of the second"));
        assert_eq!(base(&second.replace("Second", "My second")), None);
        // One note may be several that became one: who has some of it and nothing of the newer ones has not deleted the rest.
        let more = first.replace("- item two", "- item two, more");
        let last = more.replace("Last words.", "Last words, two.");
        let arrivals = [arrival(&more, &last, "base of the last"), arrival(BEFORE, &more, "base of both")];
        let base = |text: &str| lacking(&arrivals, &last, text).map(|(base, _)| base);
        assert_eq!(base(&first.replace("Second", "My second")).as_deref(), Some("base of both"));
        assert_eq!(base(&more.replace("Second", "My second")).as_deref(), Some("base of the last"));
        // Nor does who is without what had gone by the newest text that they may have.
        let gone = more.replace("First words, one.\n\n", "");
        let last = gone.replace("Last words.", "Last words, two.");
        let arrivals = [
            arrival(&gone, &last, "base of the last"),
            arrival(&more, &gone, "base of what went"),
            arrival(BEFORE, &more, "base of both"),
        ];
        let base = |text: &str| lacking(&arrivals, &last, text).map(|(base, _)| base);
        assert_eq!(base(&gone.replace("Second", "My second")).as_deref(), Some("base of the last"));
        // It was put back into a file that was saved without it, which goes on as it was.
        let saved = BEFORE.replace("Second", "My second");
        let whole = first.replace("Second", "My second");
        let arrivals = [arrival(&saved, &whole, "base of the save"), arrival(BEFORE, &first, "base of the first")];
        let stale = lacking(&arrivals, &whole, &saved.replace("My", "My own"));
        assert_eq!(stale.map(|(base, _)| base).as_deref(), Some("base of the save"));
    }

    /// The line and the words that are doubted in an edit of the text from before, when `went` went meanwhile.
    fn keeps((was, is): (&str, &str), edit: impl Fn(&str) -> String) -> Option<(usize, String)> {
        assert!(BEFORE.contains(was), "{was:?}");
        let after = BEFORE.replacen(was, is, 1);
        let arrivals = [Arrival::noted(BEFORE, &after, BEFORE).unwrap()];
        // Who edits the text without it is never doubted.
        assert_eq!(find(&arrivals, &after, &edit(&after)), None, "{was:?}");
        match find(&arrivals, &after, &edit(BEFORE)) {
            Some(Stale::Keeps(lines)) => lines.first().map(|line| (line.number, line.text.clone())),
            Some(Stale::Lacks { .. }) | None => None,
        }
    }

    #[test]
    fn a_save_that_has_what_went_is_doubted() {
        let paragraph = ("Second words.\n\n", "");
        let word = ("First words.", "First.");
        let items = ("- item one\n- item two\n", "");
        let edits: [fn(&str) -> String; 4] = [
            str::to_owned,
            |text| text.replace("Last words", "My last words"),
            |text| text.replace("# Head\n", "# Head of mine\n"),
            |text| text.replace("Last words.\n", "Last words.\n\nMine.\n"),
        ];
        for edit in edits {
            assert_eq!(keeps(paragraph, edit), Some((5, "Second words.".into())), "{}", edit(BEFORE));
            assert_eq!(keeps(word, edit), Some((3, "First words.".into())), "{}", edit(BEFORE));
            assert_eq!(keeps(items, edit), Some((7, "- item one".into())), "{}", edit(BEFORE));
        }
        // Who has edited it may not know either; what was written instead is meant, and what both deleted is not there.
        let three = ("- item two\n\nLast words.\n", "- item two\n");
        assert_eq!(keeps(three, |text| text.replace("Last words", "Last words of mine")), None, "two words say little");
        let long = ("First words.\n\nSecond words.\n\n- item one\n", "First words.\n\n- item one\n");
        assert_eq!(keeps(long, |text| text.replace("Second", "Second, third")), None);
        assert_eq!(keeps(paragraph, |text| text.replace("Second words.\n\n", "")), None);
        assert_eq!(keeps(items, |text| text.replace("- item one\n- item two\n", "- item three\n")), None);
        assert_eq!(keeps(items, |text| text.replace("- item one\n", "")), Some((7, "- item two".into())));
    }

    #[test]
    fn one_of_several_that_went_is_missed_and_so_is_an_edited_one() {
        let before = format!("{BEFORE}\nStatus: open\n\nDelivery takes two weeks.\n\nStatus: open\n");
        let check = |after: &str, text: &str, line: Option<&str>| {
            let arrivals = [Arrival::noted(&before, after, &before).unwrap()];
            let found = find(&arrivals, after, text);
            let lines = match &found {
                Some(Stale::Keeps(lines)) => lines.as_slice(),
                Some(Stale::Lacks { .. }) | None => &[],
            };
            assert_eq!(lines.first().map(|line| &*line.text), line, "{text}");
        };
        let mine = |text: &str| text.replace("Last words", "My last words");
        let less = before.trim_end().trim_end_matches("Status: open").trim_end().to_owned() + "\n";
        check(&less, &mine(&before), Some("Status: open"));
        check(&less, &mine(&less), None);
        let other = less.replace("Last words", "Status: open\n\nLast words");
        check(&less, &other, None);
        let later = before.replace("Delivery takes two weeks.\n\n", "");
        check(&later, &before.replace("two weeks", "two long weeks"), Some("Delivery takes two long weeks."));
        check(&later, &before.replace("takes two weeks", "is free"), None);
        // Of a sentence that lost a word, who reads on there edits what is left.
        let word = before.replace("takes two", "two");
        check(&word, &word.replace("two weeks", "two long weeks takes"), None);
    }

    #[test]
    fn who_has_read_more_since_means_what_stands_there() {
        let after = BEFORE.replace("- item two\n", "");
        let went = Arrival::noted(BEFORE, &after, BEFORE).unwrap();
        let doubts =
            |arrivals: &[Arrival], base: &str, text: &str| matches!(find(arrivals, base, text), Some(Stale::Keeps(_)));
        assert!(doubts(std::slice::from_ref(&went), &after, BEFORE));
        // Words of the person's own that came to the document later, and words of others.
        let base = after.replace("Last", "My last");
        assert!(!doubts(std::slice::from_ref(&went), &base, &BEFORE.replace("Last", "My last")));
        assert!(doubts(std::slice::from_ref(&went), &base, BEFORE));
        let theirs = after.replace("First", "Theirs first");
        let both = [Arrival::noted(&after, &theirs, &after).unwrap(), went.clone()];
        assert_eq!(find(&both, &theirs, &BEFORE.replace("First", "Theirs first")), None);
        // Who lacks these for certain has not put anything back: then both go on from the oldest text.
        assert_eq!(lacking(&both, &theirs, BEFORE), Some((BEFORE.to_owned(), "Theirs first".to_owned())));
        // What came and went again says nothing of what had gone with it.
        let first = BEFORE.replace("First", "Theirs first").replace("Second words.\n\n", "");
        let second = first.replace("Theirs first words.\n\n", "");
        let two = [Arrival::noted(&first, &second, &first).unwrap(), Arrival::noted(BEFORE, &first, BEFORE).unwrap()];
        assert!(doubts(&two, &second, &BEFORE.replace("Last", "My last")));
        // It is there again, and both sides know.
        assert_eq!(find(std::slice::from_ref(&went), BEFORE, &BEFORE.replace("Last", "My last")), None);
        // What stood in the file alone went because its person chose so, and may come back.
        let own = Arrival { base: after.clone(), ..went };
        assert_eq!(find(&[own], &after, BEFORE), None);
    }
}
