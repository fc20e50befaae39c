//! What becomes of a save that was made from an older text than the newest, or may have been: what it lacks is put back, and what
//! it still has waits for its person. Pure.

use std::collections::BTreeSet;

use crate::mebdf;
use crate::model::{Millis, Notice, PartId};

use super::arrival::Arrival;
use super::carried::Walk;
use super::counts::counted;
use super::intent::Intent;
use super::item::{Item, Part, PartState, notice};
use super::merge::Merged;
use super::presence::{self, Presence};
use super::stale::{self, Stale};
use super::went::{self, Came, Line};
use super::words::words_in;
use super::{Local, Observation, accepted, alike, hold, merge, run, standing};

/// The code of what tells that a file got back what it lacked.
pub(super) const PUT_BACK: &str = "PUT_BACK";

/// The code of what tells that a save waits which is once more without what was put back.
const TAKEN_AGAIN: &str = "TAKEN_AGAIN";

/// The code of what tells what a save lacks, too, that waits for something else.
const LACKS: &str = "LACKS";

/// The code of what tells why a save waits with which a paragraph would stand twice.
const STANDS_TWICE: &str = "STANDS_TWICE";

/// How much of a paragraph is shown to a person, in characters.
const SHOWN_CHARS: usize = 80;

/// How many words of a line are shown to a person.
const SHOWN_WORDS: usize = 8;

/// How many places are shown to a person.
const SHOWN_PLACES: usize = 5;

/// Looks whether a file was saved from an older text, whose base holds then. Tells whether it was for certain.
pub(super) fn look(item: &mut Item, walk: &mut Walk, observation: &mut Observation) -> bool {
    let Observation { part: id, local: Local::Text { hash, text, .. }, base, arrivals, .. } = observation else {
        return false;
    };
    let part = item.parts.or_default(id);
    let Some(newest) = base.as_ref().filter(|newest| *newest != text) else { return false };
    if walk.doubted.contains(id) {
        return false;
    }
    let asked = walk.why.dry_accept.contains(id).then(|| Lacked::told(&part.state));
    let accepted = part.state.accepted.as_ref().filter(|accepted| accepted.hash == *hash);
    let goes =
        asked.is_some() || accepted.is_some_and(|accepted| accepted::goes(&walk.why, &walk.released, id, accepted));
    let told = asked.or(accepted.map(|accepted| accepted.lacks.clone())).unwrap_or_default();
    match stale::find(arrivals, newest, text) {
        // Who says that the file is meant as it stands has been told of this.
        Some(Stale::Lacks { words, .. }) if goes && told.has(text, &words) => {
            walk.let_go.insert(id.clone(), if told.is_again { taken_again(&words) } else { gone_with_it(&words) });
            false
        }
        // Half a file lacks much, and waits whole; who lets it go is asked about that, too.
        Some(Stale::Lacks { words, .. }) if !hold::holds(Some(newest), text).is_empty() => {
            if !walk.why.dry && !told.has(text, &words) {
                part.state.accepted = None;
            }
            walk.lacks.insert(id.clone(), words);
            false
        }
        Some(Stale::Lacks { oldest, mut words }) => {
            if told.has(text, &words) && !walk.why.dry {
                // They know of it, so it is not put back but asked.
                part.state.put_back = Some(text.clone());
            }
            let older = older_base(arrivals, oldest, newest, text);
            let all = put_back_to(&older, newest, text);
            let is_new = |more: &String| !words.iter().any(|known| has_words_of(known, more));
            let own: Vec<String> = all.into_iter().filter(is_new).collect();
            words.extend(own);
            walk.stale.insert(id.clone(), Older { saved: text.clone(), lacks: words, since: oldest });
            if part.state.put_back.as_ref().is_none_or(|saved| !merge::same_meaning(saved, text)) {
                walk.unrecorded.extend(item.state.bases.remove(id).map(|newest| (id.clone(), newest)));
                walk.newest.extend(base.replace(older).map(|newest| (id.clone(), newest)));
            }
            true
        }
        Some(Stale::Keeps(lines)) => {
            walk.doubtful.insert(id.clone(), lines);
            false
        }
        None => false,
    }
}

/// The base of a text that was made before what is noted at `oldest`. What was agreed on since and stands there, too, was pushed
/// from there: it is nothing new. Where nothing was agreed on then, nothing is.
pub(super) fn older_base(arrivals: &[Arrival], oldest: usize, newest: &str, text: &str) -> String {
    let mut bases = arrivals.iter().take(oldest + 1).rev().map(|arrival| &*arrival.base);
    let oldest = bases.next().unwrap_or(newest).to_owned();
    if oldest.is_empty() {
        return oldest;
    }
    let since = bases.chain([newest]);
    since.fold(oldest, |base, newer| standing::in_text(&base, newer, text).unwrap_or(base))
}

/// What a text lacks that leads from its base to the newest, wherever that came from: the first words of it at each place, and of
/// each line there of which it has few words. What was written in the file itself since goes into the older text again, too.
fn put_back_to(older: &str, newest: &str, text: &str) -> Vec<String> {
    let since = Arrival { before: older.into(), after: newest.into(), base: older.into() };
    let mut lacks = match presence::of(&since, &[], &|| false, [newest, text]) {
        Presence::Lacks(words) => words,
        Presence::Has | Presence::Unknown | Presence::Gone(_) | Presence::Keeps(_) => Vec::new(),
    };
    let [said, has] = [older, text].map(mebdf::body);
    let has: BTreeSet<&str> = words_in(has).collect();
    for line in mebdf::body(newest).lines().filter(|line| !said.lines().any(|other| other == *line)) {
        let words: Vec<String> = words_in(line).map(str::to_owned).collect();
        let is_there = words.iter().filter(|word| has.contains(word.as_str())).count() * 2 >= words.len();
        if !is_there && !lacks.iter().any(|known| has_words_of(known, line)) {
            lacks.push(first_words(&words));
        }
    }
    lacks
}

/// Tells whether some words have all that are in others.
fn has_words_of(words: &str, others: &str) -> bool {
    let said: BTreeSet<&str> = words_in(words).collect();
    words_in(others).all(|word| said.contains(word))
}

/// What a person was told that a text lacks, which came into its file. Who says that it is meant as it stands lets go what they were
/// asked about, or what was put back, and nothing else.
#[derive(Debug, Clone, Default)]
pub(super) struct Lacked {
    /// The first words of each place that was named.
    named: BTreeSet<String>,
    /// How many places were counted beside these.
    counted: usize,
    /// Whether it lacked what had been put back.
    is_again: bool,
    /// The text into which all that it lacks was put back.
    saved: Option<String>,
}

impl Lacked {
    /// What is told of a file now.
    pub(super) fn told(part: &PartState) -> Self {
        let asked = part.held.iter().filter(|held| [LACKS, TAKEN_AGAIN, STANDS_TWICE].contains(&held.code.as_str()));
        let put_back = part.told.notices.iter().filter(|told| told.code == PUT_BACK);
        let messages: Vec<&str> = asked.chain(put_back).map(|told| &*told.message).collect();
        Self {
            named: messages.iter().flat_map(|message| quoted(message)).collect(),
            counted: messages.iter().map(|message| counted_beside(message)).sum(),
            is_again: part.held.iter().any(|held| held.code == TAKEN_AGAIN),
            saved: part.put_back.clone(),
        }
    }

    /// What was told at two times.
    pub(super) fn and(mut self, later: Self) -> Self {
        self.named.extend(later.named);
        Self {
            named: self.named,
            counted: self.counted.max(later.counted),
            is_again: self.is_again || later.is_again,
            saved: later.saved.or(self.saved),
        }
    }

    /// Tells whether that is all that a text lacks.
    fn has(&self, text: &str, lacks: &[String]) -> bool {
        let is_same = self.saved.as_ref().is_some_and(|saved| merge::same_meaning(saved, text));
        let is_named = |words: &&String| self.named.iter().any(|named| has_words_of(named, words));
        is_same || lacks.iter().filter(|words| !is_named(words)).count() <= self.counted
    }
}

/// A save that was made from an older text.
#[derive(Debug)]
pub(super) struct Older {
    /// What the file said.
    pub(super) saved: String,
    /// The first words that it lacked, at each place.
    pub(super) lacks: Vec<String>,
    /// The place of the note of what came first of that.
    since: usize,
}

impl Older {
    /// Those of the words that the file lacked which stand in it now, or most of them: some may have been edited since. What is in
    /// conflict is not put back, nor what the file had elsewhere; and the same words of several places are told once.
    pub(super) fn put_back(&self, file: &str) -> Vec<String> {
        let [had, has] = [&self.saved, file].map(|text| counted(words_in(mebdf::body(text))));
        let stand = |words: &&String| {
            let (there, gone): (Vec<&str>, Vec<&str>) = words_in(words).partition(|word| has.contains_key(word));
            let is_new = there.iter().any(|word| has.get(word) > had.get(word));
            // Of what has no word, the whole.
            let stands_whole = || there.is_empty() && gone.is_empty() && file.contains(words.as_str());
            is_new && there.len() > gone.len() || stands_whole()
        };
        let mut told: Vec<String> = Vec::new();
        for words in self.lacks.iter().filter(stand) {
            if !told.contains(words) {
                told.push(words.clone());
            }
        }
        told
    }
}

/// Tells that a file gets back what it lacked since it was saved from an older text.
pub(super) fn tell_put_back(part: &mut Part, lacks: &[String], now: Millis) {
    let message = format!(
        "the file was saved without {}, as if from an older text, and that was put back; to delete it, delete it once more and push \
         the file with `push --accept`",
        places(lacks)
    );
    // What an earlier one named is not told twice.
    let shown: BTreeSet<String> = quoted(&message);
    part.state.told.notices.retain(|told| told.code != PUT_BACK || !quoted(&told.message).is_subset(&shown));
    part.state.told.landed(vec![notice(PUT_BACK, message)], now);
}

/// What a message quotes.
fn quoted(message: &str) -> BTreeSet<String> {
    message.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What goes with a save that waits for something else, when somebody lets that go.
pub(super) fn lacks_too(lacks: &[String]) -> Notice {
    let message = format!(
        "this text is without {}, too, which came into the file: `push --accept` deletes that in the document as well; to keep it, \
         put it into the file again",
        places(lacks)
    );
    notice(LACKS, message)
}

/// What goes with a save that somebody let go, having been told that it was put back.
fn gone_with_it(lacks: &[String]) -> Notice {
    notice(accepted::RELEASED, format!("this text is without {}, which had come into the file", places(lacks)))
}

/// Why a save waits that is without what was put back into it once.
pub(super) fn taken_again(lacks: &[String]) -> Notice {
    let message = format!(
        "this text is once more without {}, which came into the file and was put back; to delete it in the document, push \
         the file with `push --accept`, else read the file again and save",
        places(lacks)
    );
    notice(TAKEN_AGAIN, message)
}

/// Shows words of several places.
fn places(words: &[String]) -> String {
    let shown: Vec<String> = words.iter().take(SHOWN_PLACES).map(|words| format!("`{words}`")).collect();
    format!("{}{}", shown.join(", "), more_places(words.len().saturating_sub(SHOWN_PLACES)))
}

/// How many places a message counts beside those that it names.
fn counted_beside(message: &str) -> usize {
    let said = message.split('`').step_by(2).find_map(|said| said.split_once(" more place"));
    match said.and_then(|(said, _)| said.split(' ').next_back()) {
        None => 0,
        Some("one") => 1,
        Some(count) => count.parse().unwrap_or(0),
    }
}

fn more_places(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " and one more place".to_owned(),
        more => format!(" and {more} more places"),
    }
}

/// Why a save waits that still has words which went from the document; `None` when the remote has all of them. The text was made
/// from `base`, or from one of the `fleeting` ones.
pub(super) fn deleted_there(
    (walk, id, part): (&Walk, &PartId, &Part),
    fleeting: &[Intent],
    [base, text, remote]: [&str; 3],
) -> Option<Notice> {
    let seen = walk.observed.get(id)?;
    let doubtful = walk.doubtful.get(id).map(|lines| still_gone(lines, text, remote)).unwrap_or_default();
    // What came since the base, or may have stood there: a few words of it do not tell that it was read.
    let since = walk.stale.get(id).and_then(|older| seen.arrivals.get(..=older.since)).unwrap_or_default();
    let since = since.iter().map(|arrival| [&*arrival.before, &*arrival.after]);
    let fleeting = seen.intent.iter().chain(fleeting).map(|intent| [&*intent.before, &*intent.after]);
    let mut came = Came::with(&since.chain(fleeting).collect::<Vec<_>>());
    if part.behind {
        // What is in conflict is not in the base, though it came and was read.
        came.stayed(&seen.arrivals);
    }
    came.without_own(&seen.arrivals, base);
    let gone: Vec<Line> = doubtful.into_iter().chain(went::came_and_went(&came, [base, text, remote])).collect();
    let shown: Vec<String> = gone.iter().map(|line| first_words(&line.words)).collect();
    let message = format!(
        "this text still has {}, which was deleted in the document; delete that here, too, or push the file with \
         `push --accept` to have it there again",
        places(&shown)
    );
    let number = u32::try_from(gone.first()?.number).unwrap_or(u32::MAX);
    Some(Notice { line: number, ..notice("DELETED_THERE", message) })
}

/// Those of the lines of a text that the remote has fewer of, and of their words, too, where no line of it says these; what went
/// whole is not said by who has some words of it.
fn still_gone(lines: &[Line], text: &str, remote: &str) -> Vec<Line> {
    let [(my_lines, my_words), (their_lines, their_words)] = [text, remote].map(|said| {
        let body = mebdf::body(said);
        (counted(body.lines().map(str::trim)), counted(words_in(body)))
    });
    let their_said: Vec<Vec<&str>> = their_lines.keys().map(|line| words_in(line).collect()).collect();
    let is_less = |line: &&Line| {
        let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
        let fewer_words = words.iter().any(|word| their_words.get(word) < my_words.get(word));
        let is_said = || their_said.iter().any(|said| run::is_said(&words, said));
        their_lines.get(&*line.text) < my_lines.get(&*line.text) && (line.is_whole || fewer_words || !is_said())
    };
    lines.iter().filter(is_less).cloned().collect()
}

/// Why a save waits of which a merge would make two of a paragraph, in the file or in the document: as it came, and as its writer has
/// edited it.
pub(super) fn stands_twice(walk: &Walk, id: &PartId, text: &str, merged: &Merged) -> Option<Notice> {
    let older = walk.stale.get(id)?;
    let arrivals = walk.observed.get(id)?.arrivals.get(..=older.since)?;
    let pair = [&merged.file, &merged.push].into_iter().find_map(|both| alike::find(arrivals, text, both))?;
    let said: BTreeSet<&str> = words_in(&pair.came).collect();
    let is_other = |words: &&String| !words_in(words).all(|word| said.contains(word));
    let others: Vec<String> = older.lacks.iter().filter(is_other).cloned().collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!(", which also takes away {} that came", places(&others)),
    };
    let message = format!(
        "`{}` may be an edit of `{}`, which came from the document, and both would stand there: to have yours in its place, \
         push the file with `push --accept`{others}; to have both, put the other one into the file, too",
        shortened(&pair.mine),
        shortened(&pair.came)
    );
    let number = u32::try_from(pair.number).unwrap_or(u32::MAX);
    Some(Notice { line: number, ..notice(STANDS_TWICE, message) })
}

/// The first of some words, and a sign where there are more.
fn first_words(words: &[String]) -> String {
    let dots = if words.len() > SHOWN_WORDS { " …" } else { "" };
    format!("{}{dots}", words.iter().take(SHOWN_WORDS).map(String::as_str).collect::<Vec<_>>().join(" "))
}

/// The beginning of a paragraph.
fn shortened(said: &str) -> String {
    let (shown, rest) = said.char_indices().nth(SHOWN_CHARS).map_or((said, ""), |(at, _)| said.split_at(at));
    let dots = if rest.is_empty() { "" } else { "…" };
    format!("{shown}{dots}").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_file_had_elsewhere_was_not_put_back() {
        let told = |saved: &str, lacks: &[&str], file: &str| {
            let lacks = lacks.iter().map(|words| (*words).to_owned()).collect();
            Older { saved: saved.into(), lacks, since: 0 }.put_back(file).join(", ")
        };
        // Once more, in another order, or moved.
        assert_eq!(told("a\n", &["more words"], "a more words\n"), "more words");
        assert_eq!(told("a\n\nmore words\n", &["more words"], "a more words\n\nmore words\n"), "more words");
        assert_eq!(told("a\n\nmore words\n", &["more words"], "a\n\nmore words\n"), "");
        assert_eq!(told("a\n", &["more words", "more words"], "a more words\n\nmore words\n"), "more words");
        // Some of it was edited, or most.
        assert_eq!(told("a\n", &["three more words"], "a more words\n"), "three more words");
        assert_eq!(told("a\n", &["three more words"], "a words\n"), "");
        assert_eq!(told("a\n", &["!!!"], "a\n\n!!!\n"), "!!!");
    }

    #[test]
    fn whole_lines_that_go_back_into_a_text_are_named() {
        let (older, text) = ("a\n\nc cx\n", "a\n\nc cx\n");
        let newest = "a\n\nc cx\n\nown one two\n\nb theirs\n";
        assert_eq!(put_back_to(older, newest, text), ["own one two", "b theirs"]);
        // One that was only edited is told by its words.
        assert_eq!(put_back_to("a b c d\n", "a b new c d\n", "a b c d\n"), ["new"]);
    }

    #[test]
    fn places_that_are_counted_alone_are_known_too() {
        let words = |count: usize| (0..count).map(|number| format!("w{number} more places")).collect::<Vec<_>>();
        for (count, beside) in [(1, 0), (SHOWN_PLACES, 0), (SHOWN_PLACES + 1, 1), (SHOWN_PLACES + 12, 12)] {
            for told in [lacks_too(&words(count)), taken_again(&words(count)), gone_with_it(&words(count))] {
                assert_eq!(counted_beside(&told.message), beside, "{}", told.message);
            }
        }
    }

    #[test]
    fn it_is_told_where_more_went_than_is_shown() {
        let words = |count: usize| vec!["w".to_owned(); count];
        assert_eq!(first_words(&words(8)), "w w w w w w w w");
        assert_eq!(first_words(&words(9)), "w w w w w w w w …");
    }

    #[test]
    fn what_was_agreed_on_between_two_notes_is_nothing_new() {
        let first = "a\n\nb\n";
        let came = |base: &str| Arrival { before: base.into(), after: String::new(), base: base.into() };
        let arrivals = [came("a one\n\nmine it was\n\nb\n"), came(first)];
        // The push that brought `mine` is told by the base of the newer note alone: others have edited that paragraph since.
        let newest = "a one\n\nedited: mine it was\n\nb two\n";
        let base = |oldest: usize, text: &str| older_base(&arrivals, oldest, newest, text);
        assert_eq!(base(1, "a\n\nmine it was\n\nb more\n"), "a\n\nmine it was\n\nb\n");
        assert_eq!(base(1, "a\n\nb more\n"), first);
        assert_eq!(base(0, "a one\n\nmine it was\n\nb more\n"), "a one\n\nmine it was\n\nb\n");
    }
}
