//! Saves that still have what went from the document.

use super::super::arrival::Arrival;
use super::super::stale::{Stale, came_again, find};
use super::super::went::{Came, Line, came_and_went};
use super::stale::{BEFORE, lacking};

/// The line and the words that are doubted in an edit of the text from before, when `went` went meanwhile.
pub(super) fn keeps((was, is): (&str, &str), edit: impl Fn(&str) -> String) -> Option<(usize, String)> {
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
    let said = Some((10, "Last words of mine.".to_owned()));
    assert_eq!(keeps(three, |text| text.replace("Last words", "Last words of mine")), said);
    let long = ("First words.\n\nSecond words.\n\n- item one\n", "First words.\n\n- item one\n");
    assert_eq!(keeps(long, |text| text.replace("Second", "Second, third")), Some((5, "Second, third words.".into())));
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

#[test]
fn what_went_is_missed_wherever_an_older_text_still_has_it() {
    const STAYS: &str = "alpha one two three\n\nbeta four five six seven eight\n\ngamma nine ten\n";
    const GONE: &str = "mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee";
    const TABLE: &str = "| what | who |\n| --- | --- |\n| task1 | name1 |\n| task2 | name2 |\n| task2 | name2 |\n";
    let before = format!("{STAYS}\n{GONE}\n\n# Last\n\n{TABLE}\nomega\n");
    let check = |went: (&str, &str), edit: &dyn Fn(&str) -> String, words: &str| {
        assert!(before.contains(went.0), "{went:?}");
        let after = before.replacen(went.0, went.1, 1);
        let arrivals = [Arrival::noted(&before, &after, &before).unwrap()];
        let found = find(&arrivals, &after, &edit(&before));
        let lines = if let Some(Stale::Keeps(lines)) = found { lines } else { Vec::new() };
        let said: Vec<String> = lines.iter().map(|line| line.words.join(" ")).collect();
        assert_eq!(said.join(", "), words, "{went:?} {}", edit(&before));
        // Who reads on edits what is left.
        assert_eq!(find(&arrivals, &after, &edit(&after)), None, "{went:?} {}", edit(&after));
    };
    // A word of a paragraph that was edited, too.
    let word = ("beta four five", "beta five");
    for edit in [("six", "six locb"), ("six", "locb"), ("five six", "five"), ("beta", "mine beta"), ("ten", "ten more")]
    {
        check(word, &|text| text.replace(edit.0, edit.1), "four");
    }
    check(("beta four five six seven", "beta"), &|text| text.replace("eight", "eight locb"), "four five six seven");
    // A row, or a cell's text, of a table that was edited, too; and one of two alike.
    for went in [("| task1 | name1 |\n", ""), ("| task1 | name1 |", "| | |")] {
        check(went, &|text| text.replace("| task2 | name2 |\n\n", "| task2 | name2 lx |\n\n"), "task1 name1");
    }
    check(("| task2 | name2 |\n", ""), &|text| text.replace("| task1 |", "| task1 lx |"), "task2 name2");
    // A paragraph that was moved, split, or mostly rewritten.
    let gone = format!("{GONE}\n\n");
    let gone = (&*gone, "");
    let moved = |text: &str| text.replace(&format!("{GONE}\n\n"), "").replace("omega", &format!("{GONE}\n\nomega"));
    let all = "mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee";
    let found = |edit: &dyn Fn(&str) -> String| {
        let after = before.replacen(gone.0, gone.1, 1);
        let arrivals = [Arrival::noted(&before, &after, &before).unwrap()];
        match find(&arrivals, &after, &edit(&before)) {
            Some(Stale::Keeps(lines)) => lines.into_iter().flat_map(|line| line.words).collect::<Vec<_>>().join(" "),
            Some(Stale::Lacks { .. }) | None => String::new(),
        }
    };
    assert_eq!(found(&moved), all);
    assert_eq!(found(&|text| text.replace("sierra tango", "sierra\n\ntango")), all);
    let rewritten = |text: &str| text.replace("oscar papa quebec romeo sierra tango uniform", "la lb lc ld");
    assert_eq!(found(&rewritten), "mike november victor whiskey xray yankee");
    let both = |text: &str| moved(text).replace(GONE, &rewritten(GONE));
    assert_eq!(found(&both), "", "six of thirteen words elsewhere may be anybody's");
    assert_eq!(found(&|text| text.replace(GONE, "something else with whiskey")), "");
}

#[test]
fn a_word_that_went_is_missed_in_a_paragraph_or_a_row_that_was_moved() {
    let before = "# Head\n\nAna plans the great harvest.\n\nBen pays.\n\n| who | what | when |\n| --- | --- | --- |\n\
                  | Cid | the roof of zinc | today |\n| Dan | the walls | later |\n\nLast words.\n";
    let found = |went: (&str, &str), edit: &dyn Fn(&str) -> String| {
        assert_eq!(before.matches(went.0).count(), 1, "{went:?}");
        let after = before.replace(went.0, went.1);
        let arrivals = [Arrival::noted(before, &after, before).unwrap()];
        assert_eq!(find(&arrivals, &after, &edit(&after)), None, "who has seen it");
        match find(&arrivals, &after, &edit(before)) {
            Some(Stale::Keeps(lines)) => lines.into_iter().flat_map(|line| line.words).collect::<Vec<_>>().join(" "),
            Some(Stale::Lacks { .. }) | None => String::new(),
        }
    };
    // Takes what begins with one text and ends a line there to where another begins.
    let moved = |text: &str, start: &str, to: &str| {
        let line = text.lines().find(|line| line.starts_with(start)).unwrap();
        let rest = text.replace(&format!("{line}\n"), "");
        rest.replace(to, &format!("{line}\n{}{to}", if start.starts_with('|') { "" } else { "\n" }))
    };
    let paragraph = |text: &str| moved(text, "Ana", "Last");
    assert_eq!(found((" great", ""), &paragraph), "great");
    assert_eq!(found(("plans the great", "the"), &paragraph), "plans great");
    assert_eq!(found((" great", ""), &|text| paragraph(text).replace("plans", "never plans")), "great");
    let row = |text: &str| moved(text, "| Dan", "| Cid");
    assert_eq!(found((" of zinc", ""), &row), "of zinc");
    assert_eq!(found(("today", ""), &|text| moved(text, "| Cid", "\nLast")), "today");
    // The word was written elsewhere in it, by who has seen that it went.
    let after = before.replace(" great", "");
    let arrivals = [Arrival::noted(before, &after, before).unwrap()];
    assert_eq!(find(&arrivals, &after, &after.replace("Ana", "The great Ana")), None);
}

#[test]
fn what_went_from_a_very_long_place_is_missed_by_its_paragraphs() {
    let paragraph = |at: usize, end: &str| format!("start{at} {}{end}\n\n", "word ".repeat(30));
    let before: String = (0..1_000).map(|at| paragraph(at, &format!("end{at}"))).collect();
    let after: String = (0..1_000).map(|at| paragraph(at, "").replace(" \n", "\n")).collect();
    let arrivals = [Arrival::noted(&before, &after, &before).unwrap()];
    let mine = |text: &str| text.replace("start9 ", "mine start9 ");
    let Some(Stale::Keeps(lines)) = find(&arrivals, &after, &mine(&before)) else { panic!() };
    // The edited one is known, too.
    assert_eq!((lines.len(), &lines[9].words[..]), (1_000, &["end9".to_owned()][..]));
    assert_eq!(find(&arrivals, &after, &mine(&after)), None);
}

#[test]
fn what_went_and_came_again_is_not_missed_in_a_line_that_was_edited_since() {
    let (one, other) = ("Ana plans the great harvest.\n", "Ana and Cid plan the great harvest.\n");
    let arrivals = [Arrival::noted(other, one, other).unwrap(), Arrival::noted(one, other, one).unwrap()];
    for edited in ["the great big harvest", "our great harvest", "the great harvest of all", "it"] {
        assert_eq!(find(&arrivals, one, &one.replace("the great harvest", edited)), None, "{edited}");
    }
    // It may have gone from another line for good.
    let line =
        |number: usize, text: &str| Line { number, text: text.into(), words: vec!["plans".into()], is_whole: false };
    let mut lines = vec![line(1, "Ana plans our great harvest."), line(3, "Ben plans our great harvest.")];
    came_again(&mut lines, vec![line(1, "Ana plans the great harvest.")]);
    assert_eq!(lines, [line(3, "Ben plans our great harvest.")]);
}

#[test]
fn how_a_text_looks_is_none_of_its_words() {
    let came = Came::with(&[["a\n", "a\n\n{!Normal text}\nb\n"]]);
    let went =
        |text: &str| came_and_went(&came, ["a\n", text, "a\n"]).into_iter().map(|line| line.text).collect::<Vec<_>>();
    assert_eq!(went("a mine\n\n{!Normal text}\n"), Vec::<String>::new());
    assert_eq!(went("a mine\n\n{!Normal text}\nb\n"), ["b"]);
    assert_eq!(went("a mine\n\n{!bold}Normal text{/!}\n"), ["{!bold}Normal text{/!}"]);
}

#[test]
fn all_that_went_one_after_the_other_is_asked_about() {
    let first = "Ana plans the great harvest.\n\nBen pays for the new roof.\n\nLast words.\n";
    let second = first.replace(" great", "");
    let third = second.replace(" new", "");
    let arrivals = [Arrival::noted(&second, &third, &second).unwrap(), Arrival::noted(first, &second, first).unwrap()];
    let lines = |text: &str| match find(&arrivals, &third, text) {
        Some(Stale::Keeps(lines)) => {
            lines.into_iter().map(|line| (line.number, line.words.join(" "))).collect::<Vec<_>>()
        }
        Some(Stale::Lacks { .. }) | None => Vec::new(),
    };
    assert_eq!(lines(&first.replace("Last", "My last")), [(3, "new".into()), (1, "great".into())]);
    assert_eq!(lines(&second.replace("Last", "My last")), [(3, "new".into())]);
}

#[test]
fn a_paragraph_that_went_is_missed_though_one_of_the_file_alone_has_its_words() {
    let base = "First words.\n\nCall the painter about the walls. The keys are with Paul.\n\nLast words.\n";
    // A person wrote much the same elsewhere, of which the document has nothing yet.
    let before =
        format!("Call the painter about the walls of the house.\n\n{base}\nThe keys are with Paul, or with Maria.\n");
    let went = |text: &str| text.replace("Call the painter about the walls. The keys are with Paul.\n\n", "");
    let arrival = Arrival { before: before.clone(), after: went(&before), base: base.into() };
    let found = |text: &str| find(std::slice::from_ref(&arrival), &went(base), text);
    let saved = before.replace("First", "My first");
    assert!(matches!(found(&saved), Some(Stale::Keeps(lines)) if lines[0].is_whole), "{:?}", found(&saved));
    assert_eq!(found(&went(&saved)), None);
}
