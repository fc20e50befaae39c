//! Whether what a change brought stands in another text, though people write sentences that have most of their words in common.

use super::super::standing::{in_text, is_made_in, is_whole_in};

const BEFORE: &str = "The plan for the house.\n\n- Call the painter\n- Call the carpenter about the roof\n\nThe meeting is on \
                      Monday at ten.\n\n# End\n\nThe keys are with Maria.\n";

/// Checks whether all that leads from the plan to `after` stands in `there`; both are told as replacements.
fn check(after: &[(&str, &str)], there: &[(&str, &str)], expected: bool) {
    let with = |changes: &[(&str, &str)]| {
        changes.iter().fold(BEFORE.to_owned(), |text, (old, new)| {
            assert_eq!(text.matches(old).count(), 1, "{old:?} in {text}");
            text.replace(old, new)
        })
    };
    let (after, there) = (with(after), with(there));
    assert_eq!(is_whole_in(BEFORE, &after, &there), expected, "{after}\n{there}");
}

#[test]
fn what_was_brought_stands_where_it_was_written_or_as_it_was() {
    let insertion = [("The meeting", "Call Paul.\n\nThe meeting")];
    check(&insertion, &insertion, true);
    check(&insertion, &[], false);
    // Others wrote around it, or went on in it.
    check(&insertion, &[("The meeting", "Call Paul.\n\nOn Monday\n\nThe meeting")], true);
    check(&insertion, &[("The meeting", "Call Paul today.\n\nThe meeting")], true);
    check(&insertion, &[("The meeting", "Call Paul.\n\nThe long meeting"), ("# End\n\n", "")], true);
    let sentence = [("The plan", "The keys for the house are with Paul.\n\nThe plan")];
    let edited = "The keys for the house or the walls are with Paul.\n\nThe plan for the big house.";
    check(&sentence, &[("The plan for the house.", edited)], true);
    // It was moved.
    check(&insertion, &[("The keys", "Call Paul.\n\nThe keys")], true);
    let words = [("carpenter about", "carpenter or Paul about")];
    check(&words, &[("carpenter about", "old carpenter or Paul soon about")], true);
    check(&words, &[("- Call the painter\n- Call the carpenter about", "- Call the carpenter or Paul about")], true);
    check(&[("# End", "👍\n\n# End")], &[("# End", "👍\n\n# End now")], true);
}

#[test]
fn the_same_words_elsewhere_are_not_what_was_brought() {
    // Two words of which one stood there before, and the other came with something else.
    check(&[("- Call the carp", "- and Monday Call the carp")], &[("# End", "# End and Maria")], false);
    check(&[("# End", "Call carpenter.\n\n# End")], &[("roof", "roof and walls"), ("# End\n\n", "")], false);
    let sentence = [("The meeting", "The keys for the house are with Paul.\n\nThe meeting")];
    check(&sentence, &[("with Maria", "with Paul or Maria for the house")], false);
    check(
        &[("with Maria", "with for the carpenter Maria")],
        &[("The meeting", "for the carpenter\n\nThe meeting")],
        false,
    );
    // A short one is said by a longer one that others wrote, there or elsewhere.
    let short = [("The plan", "carpenter\n\nThe plan")];
    check(&short, &[("The plan", "Please bring your carpenter to the meeting.\n\nThe plan")], false);
    check(&short, &[("# End", "Call the carpenter.\n\n# End")], false);
    check(&[("# End", "👍\n\n# End")], &[("# End", "Call\n\n# End")], false);
    check(&[("Maria.", "Maria. with Paul")], &[("The keys", "with Paul The keys")], false);
    // What ends a sentence of others, or begins one.
    check(&[("Maria.", "Maria. walls")], &[("Maria.", "Maria. Call Paul about the walls.")], false);
    check(&[("Maria.", "Maria. walls")], &[("Maria.", "Maria. Call Paul about the walls")], true);
    check(&[("The keys", "The walls keys")], &[("The keys", "The old man sees walls. keys")], false);
    check(&[("The keys", "The walls keys")], &[("The keys", "The walls, the roof and the keys")], true);
}

#[test]
fn an_edit_of_what_stood_there_before_is_not_what_was_brought_beside_it() {
    let before = "a\n\nCall the painter about the walls.\n\nb\n\nThe keys are with Maria.\n";
    let check = |brought: &str, there: &str| {
        let after = before.replace("a\n\n", &format!("a\n\n{brought}\n\n"));
        assert!(is_whole_in(before, &after, &after), "{brought}");
        assert!(!is_whole_in(before, &after, there), "{brought}");
        assert_eq!(in_text(before, &after, there), None, "{brought}");
    };
    let longer = before.replace("the walls.", "the walls. Call Maria about the walls.");
    check("Call the painter about the walls walls.", &longer);
    let edited = before.replace("the walls.", "the walls walls.");
    assert!(!is_whole_in(before, &edited, &longer));
    assert_eq!(in_text(before, &edited, &longer), None);
    // It was moved there, too.
    let moved = "a\n\nThe keys are with Maria. slides and Maria\n\nCall the painter about the walls.\n\nb\n";
    check("The keys Maria are with Maria.", moved);
}

#[test]
fn a_block_that_stood_there_was_not_brought() {
    let (before, after) = (
        "a\n\nCall the painter about the walls.\n\nb\n",
        "a\n\nCall the painter about the slides walls.\n\nCall the painter about the walls.\n\nb\n",
    );
    let there = "a\n\nCall the painter about the slides walls.\n\nCall the painter about Monday the walls.\n\nb\n";
    assert!(is_whole_in(before, after, there));
    assert_eq!(in_text(before, after, there).as_deref(), Some(after));
}

#[test]
fn where_some_stands_as_it_was_written_a_sentence_may_stand_in_the_midst_of_the_rest() {
    let before = "Call the painter about the walls.\n\nhouse Please bring your slides to the meeting.\n";
    let after = "Call carpenter the painter about the walls.\n\nhouse Please bring your slides to the meeting.\n\n\
                 Please bring your walls to the meeting.\n";
    let there = "house Call carpenter the painter about the walls.\n\nhouse Please bring your slides to the meeting.\n\n\
                 Please bring your walls to the The keys are with house. meeting.\n";
    assert!(is_whole_in(before, after, there));
    // Its words are there, but in three pieces and for something else.
    let there = there.replace("bring your walls to the The", "hang your walls up, bring the keys to the The");
    assert!(!is_whole_in(before, after, &there));
}

#[test]
fn few_words_do_not_stand_in_a_text_that_has_all_that_went_with_them() {
    let after = [("- Call the carpenter about the roof\n", ""), ("# End\n\n", ""), ("Maria.", "Maria. Maria")];
    check(&after, &[("Maria.", "roof and Maria. Maria")], false);
    check(&after, &[("# End\n\n", ""), ("Maria.", "roof and Maria. Maria")], true);
    let many = [("- Call the carpenter about the roof\n", ""), ("Maria.", "Maria. Bring all the slides, please.")];
    check(&many, &[("Maria.", "Maria. Bring all the slides, please.")], true);
}

#[test]
fn a_block_that_was_brought_beside_one_that_became_another_is_there() {
    let before = "beta one\n\n# B\n\ngamma\n";
    let after = "# other more\n\n# B and all\n\n# mine\n\ngamma\n";
    let there = "beta one\n\n# B\n\n# mine\n\ngamma\n";
    assert_eq!(in_text(before, after, there).as_deref(), Some(there));
    assert!(!is_whole_in(before, after, there));
}

#[test]
fn what_went_when_something_was_brought_is_left_where_it_stands() {
    let (before, after) = ("# The keys\n\nLast.\n", "Glazier comes on Monday.\n\nLast.\n");
    let there = "# The keys\n\nGlazier comes on Monday.\n\nLast.\n";
    assert_eq!(in_text(before, after, there).as_deref(), Some(there));
    assert_eq!(in_text(before, after, after).as_deref(), Some(after));
}

#[test]
fn of_blocks_that_were_edited_side_by_side_the_one_that_stands_takes_the_place_of_its_own() {
    let (before, after) = ("a one\n\nb two\n\nc three\n", "a one sharp\n\nb two, after the tour\n\nc three\n");
    let check = |there: &str, expected: &str| assert_eq!(in_text(before, after, there).as_deref(), Some(expected));
    check("a one sharp\n\nb two\n\nc three for all\n", "a one sharp\n\nb two\n\nc three\n");
    check("a one\n\nb two, after the tour\n\nc three\n", "a one\n\nb two, after the tour\n\nc three\n");
    // Beside what stood there before it is one more.
    check("a one sharp\n\na one\n\nb two\n", "a one\n\na one sharp\n\nb two\n\nc three\n");
}

#[test]
fn what_a_change_without_new_words_did_is_done_where_nothing_of_it_is_left_to_do() {
    let before = "one two\n\nthree\n\nthree\n\nfour five\n\nsix\n";
    for (old, new, is_done, is_not) in [
        // A word goes, a paragraph, one of two alike; one is joined with the next; one becomes bold.
        ("one two", "one", "one\n\nthree\n\nsix theirs\n", "one two\n\nsix theirs\n"),
        ("\n\nsix", "", "one two\n\ntheirs\n\nfour five\n", "one\n\nthree\n\nsix\n"),
        ("three\n\nthree", "three", "one\n\nthree\n\nsix\n", "one\n\nthree\n\nthree\n\nsix\n"),
        ("five\n\nsix", "five six", "one\n\nfour five six\n", "one\n\nfour five\n\nsix\n"),
        ("six", "**six**", "one\n\n**six**\n", "one\n\nsix\n"),
    ] {
        let after = before.replace(old, new);
        assert!(is_made_in(before, &after, &after) && is_made_in(before, &after, is_done), "{after}");
        assert!(!is_made_in(before, &after, before) && !is_made_in(before, &after, is_not), "{after}");
    }
    // What brings words is asked for these, and what does nothing has not been done.
    let brought = before.replace("six", "six seven");
    assert!(!is_made_in(before, &brought, &brought) && !is_made_in(before, before, before));
}

#[test]
fn what_was_moved_stands_once_where_it_came_to() {
    let (first, second) = ("The keys are with Maria.\n", "The meeting is on Monday at ten.\n");
    let table = "| Who | What |\n| --- | --- |\n| Ana | the roof |\n";
    let before = format!("{first}\n{second}\n{table}");
    let after = format!("{table}\n{first}\n{second}");
    for there in [after.clone(), after.replace(" at ten", ""), after.replace("the roof", "the old roof")] {
        let joined = in_text(&before, &after, &there).unwrap_or_else(|| before.clone());
        for once in ["| Ana", "keys", "meeting"] {
            assert_eq!(joined.matches(once).count(), 1, "{joined}");
        }
    }
    // Of two that are alike both stay.
    let (before, after) =
        (format!("{table}\n{first}\n{second}\n{table}"), format!("{table}\n{table}\n{first}\n{second}"));
    assert_eq!(in_text(&before, &after, &after).unwrap_or(before).matches("| Ana").count(), 2);
}
