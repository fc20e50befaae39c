//! Which saves are known to be of an older text, and what they are said to lack or to have.

use super::super::arrival::Arrival;
use super::super::stale::{Stale, find};

pub(super) const BEFORE: &str = "# Head\n\nFirst words.\n\nSecond words.\n\n- item one\n- item two\n\nLast words.\n";

/// What is lacked by an edit of the text from before, when `came` came meanwhile.
pub(super) fn lacks(came: (&str, &str), edit: impl Fn(&str) -> String) -> Option<String> {
    assert!(BEFORE.contains(came.0), "{came:?}");
    let after = BEFORE.replacen(came.0, came.1, 1);
    let arrival = Arrival { before: BEFORE.into(), after: after.clone(), base: BEFORE.into() };
    // Who edits the text with it is never taken for one who did not see it.
    assert_eq!(find(std::slice::from_ref(&arrival), &after, &edit(&after)), None, "{came:?}");
    lacking(&[arrival], &after, &edit(BEFORE)).map(|(_, words)| words)
}

/// The base of a text that is an older one for certain, and what it lacks.
pub(super) fn lacking(arrivals: &[Arrival], base: &str, text: &str) -> Option<(String, String)> {
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
fn what_has_the_words_of_its_neighbour_is_known_by_what_stands_between_them() {
    let before = "First.\n\nThe keys are with Paul.\n\nLast.\n";
    let after = before.replace("The keys", "The keys are with Paul!\n\nThe keys");
    let arrivals = [Arrival { before: before.into(), after: after.clone(), base: before.into() }];
    let saved = |end: &str| before.replace("with Paul.", &format!("with Maria or Paul{end}"));
    assert_eq!(lacking(&arrivals, &after, &saved("!")), None);
    assert!(lacking(&arrivals, &after, &saved(".")).is_some());
    // It stands in another place.
    assert!(lacking(&arrivals, &after, &saved(".").replace("Last.", "Last!")).is_some());
    // Or in an edit of what was there before, which has the words of what came.
    let before = "The plan for the house.\n\n- Call Maria\n";
    let after = before.replace("- Call", "- The keys for the house are with Paul!\n- Call");
    let arrivals = [Arrival { before: before.into(), after: after.clone(), base: before.into() }];
    let saved = before.replace("the house", "the The keys are with Maria! house");
    assert!(lacking(&arrivals, &after, &saved).is_some());
}

#[test]
fn what_was_written_over_what_came_has_a_next_save() {
    let came = BEFORE.replace("Second words", "Second theirs words");
    let arrival = Arrival { before: BEFORE.into(), after: came.clone(), base: BEFORE.into() };
    let found = |newest: &str, text: &str| find(std::slice::from_ref(&arrival), newest, text);
    for newest in ["# Head\n\nTiny.\n", "Tiny.\n"]
        .map(str::to_owned)
        .into_iter()
        .chain([came.replace("Second theirs words", "Mine")])
    {
        for next in [newest.replace("Tiny", "Teeny").replace("Mine", "Mine now"), format!("{newest}\nMore.\n")] {
            assert_eq!(found(&newest, &next), None, "{newest}{next}");
        }
    }
    // And where nothing was agreed on once.
    let arrival = Arrival { base: String::new(), ..arrival.clone() };
    assert_eq!(find(std::slice::from_ref(&arrival), "Tiny.\n", "Teeny.\n"), None);
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

#[test]
fn who_wrote_on_beside_what_came_may_delete_it() {
    let after = BEFORE.replace("Last words.", "Theirs came here.\n\nLast words.");
    let came = Arrival { before: BEFORE.into(), after: after.clone(), base: BEFORE.into() };
    let mine = |text: &str| text.replace("Second", "Seventh");
    let deleted = |text: &str| text.replace("Theirs came here.\n\n", "");
    let lacks = |base: &str, text: &str| lacking(std::slice::from_ref(&came), base, text).is_some();
    // A save had both; who has the words of that has read it.
    assert!(!lacks(&mine(&after), &deleted(&mine(&after))));
    assert!(lacks(&mine(&after), BEFORE), "this one has nothing of what was written");
    assert!(lacks(&after, &deleted(&mine(&after))), "nobody knows where that was written");
    // What was written before what came was put back proves nothing.
    let put_back = Arrival { before: mine(BEFORE), after: mine(&after), base: BEFORE.into() };
    let arrivals = [put_back, came.clone()];
    assert!(lacking(&arrivals, &mine(&after), &mine(BEFORE).replace("First", "My first")).is_some());
}

const ROWS: &str = "| what | who | state |\n| --- | --- | --- |\n| Desks | Anna | ordered |\n| Lamps | Peter | open |\n\
                    | Shelves | Peter | open |\n\nThe office moves in May.\n\nNo furniture is included.\n";

#[test]
fn what_is_like_other_lines_is_not_taken_for_what_went() {
    let went = ROWS.replace("| Lamps | Peter | open |\n", "");
    let gone = Arrival::noted(ROWS, &went, ROWS).unwrap();
    for row in ["| Carpets | Peter | open |\n", "| Lockers | Peter | ordered |\n"] {
        let mine = went.replace("| Shelves", &format!("{row}| Shelves"));
        assert_eq!(find(std::slice::from_ref(&gone), &went, &mine), None, "{row}");
    }
    // One like it came since. Who has neither seen that nor that the other went has an older text.
    let came = went.replace("\n\nThe office", "\n| Plants | Maria | open |\n\nThe office");
    let arrivals =
        [Arrival::noted(&went, &came, "base of what came").unwrap(), Arrival::noted(ROWS, &went, ROWS).unwrap()];
    for edit in [("May", "June"), ("Desks", "Tables"), ("ordered", "ordered today")] {
        let base = lacking(&arrivals, &came, &ROWS.replace(edit.0, edit.1)).map(|(base, _)| base);
        assert_eq!(base.as_deref(), Some(ROWS), "{edit:?}");
    }
}

#[test]
fn words_that_everybody_writes_do_not_tell_what_was_read() {
    let before = "The office moves in May.\n\n- call the painter\n\nThe sum is small. No furniture is included.\n\nPlease send remarks.\n";
    let first = before.replace("painter\n", "painter\n- call the carpenter about the doors\n");
    let second = first.replace(" No furniture is included.", "");
    let third = second.replace("- call the painter", "- call the bank about the money\n- call the painter");
    let arrivals = [
        Arrival::noted(&second, &third, &second).unwrap(),
        Arrival::noted(&first, &second, &first).unwrap(),
        Arrival::noted(before, &first, before).unwrap(),
    ];
    let mine = before.replace("remarks.", "remarks. The keys must be fetched from the house by the end of the week.");
    let base = lacking(&arrivals, &third, &mine).map(|(base, _)| base);
    assert_eq!(base.as_deref(), Some(before));
}

#[test]
fn a_sentence_like_one_that_came_elsewhere_is_not_that() {
    let came = "Peter will bring the keys to the new building on Monday.";
    let alike = came.replace("keys", "plans");
    for place in ["Second words.", "Last words."] {
        for own in ["First words.", "Second words. And more.", "Last words."] {
            let before = BEFORE.replace("Second words.", "Second words. And more.");
            let after = before.replace(place, &format!("{place} {came}"));
            let mine = before.replace(own, &format!("{own} {alike}"));
            let arrivals = [Arrival::noted(&before, &after, &before).unwrap()];
            // At the very place nobody knows.
            let is_known = place != own;
            assert_eq!(lacking(&arrivals, &after, &mine).is_some(), is_known, "{place} {own}");
            // Who edits it where it stands has read it.
            assert_eq!(find(&arrivals, &after, &after.replace("keys", "plans")), None, "{place}");
        }
    }
}

#[test]
fn what_the_file_did_not_say_when_something_came_was_not_written_since() {
    // The person took away the first line, and that waits; a sentence came that has most of its words in common with others.
    let (old, sentence) =
        ("Read this before.\n\nCall the painter about the walls.\n\nLast.\n", "Call the owner about the walls.");
    let came = |text: &str| text.replace("Last.", &format!("{sentence}\n\nLast."));
    let before = old.replace("Read this before.\n\n", "");
    let arrival = Arrival { before: before.clone(), after: came(&before), base: old.into() };
    let text = before.replace("the painter", "the old painter");
    let found = lacking(&[arrival], &came(old), &text);
    assert_eq!(found, Some((old.into(), sentence.trim_end_matches('.').into())));
}

#[test]
fn the_words_of_what_came_elsewhere_or_of_what_stood_there_are_no_sign_of_reading() {
    let old = "# House\n\nThe keys are with Maria.\n\nThe meeting is on Monday at ten.\n\n# Garden\n\nPlease call the painter.\n";
    let check = |came: &[(&str, &str)], edit: &[(&str, &str)], expected: &str| {
        let with = |changes: &[(&str, &str)]| {
            changes.iter().fold(old.to_owned(), |text, (was, is)| {
                assert_eq!(text.matches(was).count(), 1, "{was:?}");
                text.replace(was, is)
            })
        };
        let (after, text) = (with(came), with(edit));
        let arrival = Arrival { before: old.into(), after: after.clone(), base: old.into() };
        let found = lacking(std::slice::from_ref(&arrival), &after, &text).map(|(_, words)| words);
        assert_eq!(found.as_deref(), Some(expected), "{text}");
        // Nor do they make the base newer than it is.
        assert_eq!(super::super::standing::in_text(old, &after, &text), None, "{text}");
    };
    // Two paragraphs are made one.
    let sentence = ("Maria.\n", "Maria.\n\nThe keys for the house are with Paul.\n");
    check(&[sentence], &[("Maria.\n\nThe", "Maria. The")], "The keys for the house are with Paul");
    // What was corrected is said in a sentence of the person's own.
    let word = ("painter", "plumber");
    check(&[word], &[("Maria.\n", "Maria.\n\nPlease call the plumber and Otto.\n")], "plumber");
    check(&[word], &[("painter.\n", "painter.\n\nPlease call the plumber and Otto.\n")], "plumber");
    let noon = ("at ten.", "at noon.");
    check(&[noon], &[("at ten.", "at ten. Lunch is at noon, not on Friday.")], "noon");
    let paul = ("with Maria", "with Paul");
    check(&[paul], &[("Maria.\n", "Maria.\n\nThe keys for the house are with Paul.\n")], "Paul");
    check(&[paul], &[("Maria.", "Maria. The keys for the house are with Paul.")], "Paul");
}

#[test]
fn what_came_without_a_letter_or_in_another_order_is_lacked_too() {
    let old = "Paul pays Maria.\n\nThe bill is 5 € for all.\n\nWe meet at ten.\n\nLast words.\n";
    let check = |came: (&str, &str), expected: &str| {
        assert_eq!(old.matches(came.0).count(), 1, "{came:?}");
        let after = old.replace(came.0, came.1);
        let arrival = Arrival::noted(old, &after, old).unwrap();
        let edit = |text: &str| text.replace("Last words.", "Last words of mine.");
        let found = lacking(std::slice::from_ref(&arrival), &after, &edit(old)).map(|(_, words)| words);
        assert_eq!(found.as_deref(), Some(expected), "{came:?}");
        // In the same sentence, too.
        let near =
            |text: &str| text.replace("bill", "old bill").replace("pays", "never pays").replace("meet", "all meet");
        assert!(lacking(std::slice::from_ref(&arrival), &after, &near(old)).is_some(), "{came:?}");
        assert_eq!(find(&[arrival], &after, &edit(&after)), None, "{came:?}");
    };
    check(("ten.\n", "ten.\n\n🎉\n"), "🎉");
    check(("ten.\n", "ten.\n\n!!!\n"), "!!!");
    check(("ten.\n", "ten. →\n"), "→");
    check(("5 €", "5 £"), "£");
    check(("5 €", "5 $"), "$");
    check(("ten.", "ten?"), "ten?");
    check(("5 €", "-5 €"), "-5");
    check(("Paul pays Maria", "Maria pays Paul"), "Maria pays");
    check(("Paul pays Maria", "Paul pays\\\nMaria"), "Paul pays\\");
    check(
        ("Paul pays Maria.\n\nThe bill is 5 € for all.\n\nWe", "The bill is 5 € for all.\n\nPaul pays Maria.\n\nWe"),
        "The bill is 5 € for all",
    );
}

#[test]
fn few_words_that_both_wrote_do_not_tell_that_the_rest_was_deleted() {
    let old = "We meet at tne.\n\nFirst words.\n\nLast words.\n";
    let came = "We meet at ten.\n\nFirst words.\n\nTheir whole new paragraph stands here.\n\nLast words.\n";
    let arrival = Arrival::noted(old, came, old).unwrap();
    let found = |text: &str| lacking(std::slice::from_ref(&arrival), came, text).map(|(_, words)| words);
    let whole = Some("Their whole new paragraph stands here");
    assert_eq!(found(&old.replace("tne", "ten")).as_deref(), whole);
    // Who has most of it has read it.
    assert_eq!(found(&came.replace("ten", "tne")), None);
    // So has who saved with it since.
    let read = came.replace("First words", "First words, all of them mine");
    let text = read.replace("Their whole new paragraph stands here.\n\n", "");
    assert_eq!(find(&[arrival], &read, &text), None);
}

#[test]
fn a_short_paragraph_that_came_and_was_moved_and_gone_on_with_is_there() {
    let old = "First words.\n\n# End\n\nMore words.\n";
    let came = "Glazier more.\n\nFirst words.\n\n# End\n\nMore words.\n";
    let arrival = Arrival::noted(old, came, old).unwrap();
    let found = |text: &str| find(std::slice::from_ref(&arrival), came, text);
    assert_eq!(found("First words.\n\n# End\n\nGlazier more. Today.\n\nMore words.\n"), None);
}

#[test]
fn a_short_paragraph_that_came_and_was_edited_where_the_one_above_went_is_there() {
    let old = "First words.\n\nSecond words.\n\nBye.\n";
    let came = "First words.\n\nSecond words.\n\nGlazier more.\n\nBye.\n";
    let arrival = Arrival::noted(old, came, old).unwrap();
    let found = |text: &str| find(std::slice::from_ref(&arrival), came, text);
    assert_eq!(found("First words.\n\nGlazier never more.\n\nBye.\n"), None);
    // Words of which one alone was written there tell nothing.
    assert!(found("First words.\n\nGlazier or roofer.\n\nBye.\n").is_some());
    assert!(found("First words.\n\nMore of a glazier.\n\nBye.\n").is_some());
}

#[test]
fn a_sentence_that_came_is_there_where_another_was_written_in_its_midst() {
    let old = "- Call the painter\n- Call the carpenter\n";
    let came = "- Call the painter\n- Call the painter about the old walls\n- Call the carpenter\n";
    let arrival = Arrival::noted(old, came, old).unwrap();
    let found = |text: &str| find(std::slice::from_ref(&arrival), came, text);
    assert_eq!(found(&came.replace("about", "The keys are with Maria, whom I asked. about")), None);
    // So where the one behind it went.
    let keys = "The keys are with Maria.\n\nBye.\n";
    let more = format!("The keys for the house are with Maria.\n\n{keys}");
    let text = "The keys, call the roofer about the walls, for the house are with Maria.\n\nBye.\n";
    assert_eq!(find(&[Arrival::noted(keys, &more, keys).unwrap()], &more, text), None);
    // Where the same sentence stood beside it, that was edited.
    let (first, second) = ("The meeting is on Monday\u{f0001} at ten.", "The meeting is on Monday\u{f0002} at ten.");
    let (old, more) = (format!("{first}\n\nBye.\n"), format!("{first}\n\n{second}\n\nBye.\n"));
    let text = "The meeting is and the roof on Monday\u{f0001} at ten.\n\nBye.\n";
    assert!(find(&[Arrival::noted(&old, &more, &old).unwrap()], &more, text).is_some());
    // One that has its words here and there is another one.
    let other = "- Call and ask the painter\n- Call what the man says painter and about the or so old to walls\n";
    assert!(found(&format!("{other}- Call the carpenter\n")).is_some());
}

#[test]
fn a_paragraph_that_was_cut_in_two_is_lacked_and_one_of_signs_that_went_is_kept() {
    let old = "First words. And more.\n\n?!\n\nLast words.\n";
    let came = old.replace("words. And", "words.\n\nAnd");
    let arrival = Arrival::noted(old, &came, old).unwrap();
    let edits: [fn(&str) -> String; 2] =
        [|text| text.replace("Last", "My last"), |text| text.replace("more", "much more")];
    for edit in edits {
        assert!(lacking(std::slice::from_ref(&arrival), &came, &edit(old)).is_some(), "{}", edit(old));
        assert_eq!(find(std::slice::from_ref(&arrival), &came, &edit(&came)), None, "{}", edit(&came));
    }
    let went = old.replace("?!\n\n", "");
    let arrival = Arrival::noted(old, &went, old).unwrap();
    let found = find(&[arrival], &went, &old.replace("Last", "My last"));
    assert!(matches!(found, Some(Stale::Keeps(_))), "{found:?}");
}

#[test]
fn a_word_that_came_beside_itself_is_not_there_where_it_was() {
    let old = "| Who | What |\n| --- | --- |\n| Maria | the keys |\n\n# End of Monday and Maria\n\nBye.\n";
    let came = "| Who | What |\n| --- | --- |\n| Maria Maria! | the keys |\n\nBye.\n";
    let arrival = Arrival::noted(old, came, old).unwrap();
    let found = |text: &str| find(std::slice::from_ref(&arrival), came, text);
    assert!(found(&old.replace("Bye.", "Bye to all.")).is_some());
    assert_eq!(found(&came.replace("Bye.", "Bye to all.")), None);
}

#[test]
fn who_brings_back_words_of_an_older_text_has_not_read_what_went_since() {
    // A paragraph came; a person deleted a word; others deleted the paragraph; and the first text was saved once more.
    let first = "One two fifteen.\n\nThree four.\n";
    let second = "One two fifteen.\n\nThree four.\n\nTheirs came here.\n";
    let [third, fourth] = [second, first].map(|text| text.replace(" fifteen", ""));
    let arrivals = [
        Arrival { before: third.clone(), after: fourth.clone(), base: third.clone() },
        Arrival { before: first.into(), after: second.into(), base: first.into() },
    ];
    let found = |base: &str, text: &str| find(&arrivals, base, text);
    let saved = second.replace("Three", "Three and more");
    for base in [&*fourth, first] {
        assert!(matches!(found(base, &saved), Some(Stale::Keeps(_))), "{base:?}: {:?}", found(base, &saved));
    }
    // Who has written something of their own since has read it.
    let own = first.replace("four", "four and own");
    assert_eq!(found(&own, &format!("{own}\nTheirs came here.\n")), None);
}

#[test]
fn a_word_that_came_at_the_end_does_not_stand_at_the_end_of_a_sentence_of_ones_own() {
    let old = "The keys are with Maria.\n\nCall the painter.\n\nPlease bring your slides.\n";
    let came = old.replace("slides.", "slides. Maria");
    let arrival = Arrival::noted(old, &came, old).unwrap();
    let found = |text: &str| lacking(std::slice::from_ref(&arrival), &came, text).map(|(_, words)| words);
    let moved = "The keys are with Maria.\n\nPlease bring your slides. And tea.\n\nCall the painter.\n";
    assert_eq!(found(moved).as_deref(), Some("Maria"));
    assert_eq!(found(&format!("{moved}\nThe tea is with Maria.\n")).as_deref(), Some("Maria"));
    assert_eq!(found(&came.replace("Maria\n", "Maria and tea\n")), None);
}

#[test]
fn what_is_known_by_its_sign_tells_nothing_of_the_rest_that_came() {
    let old = "Please read this.\n\n# Keys\n\nCall the painter about the walls.\n\nPlease bring your slides.\n";
    let came = "Please read this.\n\nPlease bring your maps to the tower.\n\nPlease call Paul about it!\n\n# Keys\n\n\
                Call the painter about the walls.\n\nPlease bring your slides. Maria pays.\n";
    let arrival = Arrival::noted(old, came, old).unwrap();
    let text = old.replace("# Keys", "Please call Anna about it!\n\n# Keys");
    let found = lacking(std::slice::from_ref(&arrival), came, &text).map(|(_, words)| words);
    assert_eq!(found.as_deref(), Some("bring your maps to the tower, Paul, Maria pays"));
    assert_eq!(find(&[arrival], came, &came.replace("call Paul", "call Anna")), None);
}

#[test]
fn what_another_text_had_that_may_have_stood_there_is_no_sign_of_reading() {
    // A text was on its way into the file, and nobody knows whether it stood there, when a newer one came in its stead.
    let before = "The plan for the house.\n\n- Call the carpenter about the roof\n\n| Who | What |\n| --- | --- |\n\
                  | Paul | the painter |\n\nThe keys are with Maria.\n";
    let first = before.replace("| Paul |", "| Paul and house† |");
    let second = first.replace("the roof", "the roof Paul‡");
    let noted = |after: &str| Arrival::noted(before, after, before).unwrap();
    let found = |text: &str| lacking(&[noted(&second), noted(&first)], &second, text).map(|(_, words)| words);
    let edit = |text: &str| text.replace("The keys", "Please bring your slides.\n\nThe keys");
    assert_eq!(found(&edit(&first)).as_deref(), Some("Paul"));
    assert_eq!(found(&edit(&second)), None);
    assert!(found(&edit(before)).is_some());
}

#[test]
fn what_its_own_push_left_as_the_base_lacks_nothing_that_came_before() {
    // Two texts came, and an older one was saved and has landed; its base has nothing of what came, for all that it says the words
    // that the second brought.
    let before = "Please read this.\n\n# Keys\n\nThe keys are with Maria.\n\nThe house is with Paul.\n\n# Walls\n\n\
                  Call the painter about the walls.\n\nPlease bring your slides to the meeting.\n";
    let first = before.replace("Please read this.\n\n", "").replace("keys are", "keys are house†");
    let second = first.replace("Call", "Call the painter about the house‡ walls.\n\nCall");
    let arrival = |before: &str, after: &str| Arrival::noted(before, after, before).unwrap();
    let arrivals = [arrival(&first, &second), arrival(before, &first)];
    let saved = before.replace("Call", "and roof Call").replace("bring", "carpenter bring");
    let saved = format!("{saved}\nPlease call walls about it.\n")
        .replace("Maria.\n", "Maria.\n\nPlease bring your slides\u{a7} to the meeting.\n");
    assert_eq!(lacking(&arrivals, &second, &saved).map(|(base, _)| base).as_deref(), Some(before));
    for text in [saved.replace("\n\n", "\n\n\n"), saved.replace("walls.", "walls.\n\nMore of mine.")] {
        assert_eq!(find(&arrivals, &saved, &text), None, "{text}");
    }
}

#[test]
fn what_a_push_without_an_answer_brought_is_no_sign_of_reading() {
    // Something came, and more once the file was fetched anew: a push of it had landed of which nothing was known.
    let (first, base) = ("Alpha is one.\n\nBravo is two.\n", "Alpha, theirs†, is one.\n\nBravo is two.\n");
    let pushed = base.replace("two.\n", "two.\n\nMine is three.\n");
    let there = pushed.replace("Bravo is", "Bravo theirs‡ is");
    let arrival = |before: &str, after: &str| Arrival::noted(before, after, before).unwrap();
    let arrivals = [arrival(base, &there), Arrival::of_none(&pushed, base), arrival(first, base)];
    let more = |text: &str| text.replace("three.\n", "three.\n\nAnd more.\n");
    let found = |text: &str| lacking(&arrivals, &there, &more(text));
    assert_eq!(found(&pushed), Some((base.into(), "theirs".into())));
    assert_eq!(found(&there), None);
    // Who wrote what was pushed had read the first, and takes that away.
    assert_eq!(found(&pushed.replace(", theirs†,", "")), Some((base.into(), "theirs".into())));
}

#[test]
fn what_came_and_was_edited_is_named_once() {
    let old = "Please read this.\n\nCall the painter.\n";
    let came = old.replace("painter.", "painter on Monday.");
    let newest = came.replace("on Monday", "on Monday at ten");
    let arrivals = [Arrival::noted(&came, &newest, &came).unwrap(), Arrival::noted(old, &came, old).unwrap()];
    let text = old.replace("this", "this now");
    let found = lacking(&arrivals, &newest, &text).map(|(_, words)| words);
    assert_eq!(found.as_deref(), Some("at ten, on Monday"));
    let newest = came.replace("on Monday", "on Monday on Tuesday");
    let arrivals = [Arrival::noted(&came, &newest, &came).unwrap(), Arrival::noted(old, &came, old).unwrap()];
    let found = lacking(&arrivals, &newest, &text).map(|(_, words)| words);
    assert_eq!(found.as_deref(), Some("on Monday on Tuesday"));
}
