//! Both sides edit one block: which edits go together, and which do not.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::super::Side;
use super::super::merge::{merge3, resolve, same_meaning};

/// Checks what becomes of two edits of a text, whoever of both made which; `None` for a conflict.
#[track_caller]
fn check(base: &str, one: &str, other: &str, both: Option<&str>) {
    for (mine, theirs) in [(one, other), (other, one)] {
        let merged = merge3(base, mine, theirs);
        let Some(both) = both else {
            assert!(!merged.conflicts.is_empty(), "{mine:?} {theirs:?}: {merged:#?}");
            assert_eq!((merged.file.as_str(), merged.push.as_str(), merged.pushes), (mine, theirs, false));
            continue;
        };
        assert!(merged.conflicts.is_empty(), "{mine:?} {theirs:?}: {merged:#?}");
        assert_eq!((merged.file.as_str(), merged.push.as_str()), (both, both), "{mine:?} {theirs:?}");
        assert_eq!(merged.base, theirs, "until it is pushed, the remote's text is agreed on");
        assert_eq!(merged.landed, mine, "once it is pushed, and the file was not written yet");
        // Whether or not the file was written by then, nothing more is pushed.
        for file in [mine, both] {
            let next = merge3(&merged.landed, file, both);
            assert_eq!(
                (next.file.as_str(), next.pushes, next.conflicts.len()),
                (both, false, 0),
                "{mine:?} {theirs:?}"
            );
        }
        for side in [Side::Mine, Side::Theirs] {
            assert_eq!(resolve(base, mine, theirs, Some(side)).push, both, "there is nothing to choose");
        }
    }
}

const FOX: &str = "The quick brown fox jumps.\n";

#[test]
fn edits_of_different_words_go_together() {
    check(FOX, "The slow brown fox jumps.\n", "The quick brown fox leaps.\n", Some("The slow brown fox leaps.\n"));
    check(FOX, "The very quick brown fox jumps.\n", "The quick brown fox.\n", Some("The very quick brown fox.\n"));
    check(FOX, "The fox jumps.\n", "The quick brown fox jumps. High.\n", Some("The fox jumps. High.\n"));
    // Neighbours.
    check(FOX, "The slow brown fox jumps.\n", "The quick red fox jumps.\n", Some("The slow red fox jumps.\n"));
    // What both did alike is done once.
    check(FOX, "The slow brown fox jumps.\n", "The slow brown fox leaps.\n", Some("The slow brown fox leaps.\n"));
}

#[test]
fn an_edit_beside_what_came_or_went_goes_together_with_another_word() {
    let text =
        |middle: &str| format!("# Head\n\nApples grow on trees.\n\n{middle}Rivers carry water.\n\n# End\n\nlast\n");
    let leaps = text("The quick brown fox leaps.\n\n");
    let slow = "The slow brown fox jumps.\n\n";
    let both = "The slow brown fox leaps.\n\n";
    let new = "Something else stands here.\n\n";
    let base = text("The quick brown fox jumps.\n\n");
    check(&base, &text(&format!("{new}{slow}")), &leaps, Some(&text(&format!("{new}{both}"))));
    check(&base, &text(&format!("{slow}{new}")), &leaps, Some(&text(&format!("{both}{new}"))));
    let apples = "Apples grow on trees.\n\n";
    check(&base, &text(slow).replace(apples, ""), &leaps, Some(&text(both).replace(apples, "")));
    // The same word is a conflict yet, and so is the same place for two new paragraphs.
    check(&base, &text(&format!("{new}The quick brown fox walks.\n\n")), &leaps, None);
    check(&base, &text(&format!("{new}{slow}")), &text("Another one.\n\nThe quick brown fox leaps.\n\n"), None);
}

#[test]
fn what_both_moved_elsewhere_is_a_conflict_also_where_its_neighbour_looks_moved() {
    let list = |items: &str| {
        let lines = items.chars().map(|item| format!("- {item} fruit\n")).collect::<String>();
        format!("# Head\n\n{lines}\nBelow.\n")
    };
    let table = |rows: &str| {
        let lines = rows.chars().map(|row| format!("| {row}nn | 10 |\n")).collect::<String>();
        format!("# Head\n\n| name | sum |\n| --- | --- |\n{lines}")
    };
    for text in [&list as &dyn Fn(&str) -> String, &table] {
        let case = |one: &str, other: &str, both: Option<&str>| {
            check(&text("abcde"), &text(one), &text(other), both.map(text).as_deref());
        };
        case("abdce", "cabde", None);
        case("bacde", "acdeb", None);
    }
    // Who moved something else has not moved it.
    check(&list("abcdefgh"), &list("bacdefgh"), &list("abcdehfg"), Some(&list("bacdehfg")));
}

#[test]
fn rows_that_come_and_go_go_together_with_edits_of_others() {
    let table = |rows: &[&str]| format!("| name | sum |\n| --- | --- |\n{}", rows.join(""));
    let (apples, pears, plums) = ("| apples | 1 |\n", "| pears | 2 |\n", "| plums | 3 |\n");
    let (red, new) = ("| red apples | 1 |\n", "| grapes | 4 |\n");
    let base = table(&[apples, pears, plums]);
    check(
        &base,
        &table(&[apples, pears, plums, new]),
        &table(&[red, pears, plums]),
        Some(&table(&[red, pears, plums, new])),
    );
    check(
        &base,
        &table(&[apples, new, pears, plums]),
        &table(&[red, pears, plums]),
        Some(&table(&[red, new, pears, plums])),
    );
    check(&base, &table(&[apples, plums]), &table(&[red, pears, plums]), Some(&table(&[red, plums])));
    check(&base, &table(&[apples, plums]), &table(&[apples, pears, plums, new]), Some(&table(&[apples, plums, new])));
    // Both added one at the same place, or one edits what the other took away, or moved.
    check(&base, &table(&[apples, pears, plums, new]), &table(&[apples, pears, plums, "| figs | 5 |\n"]), None);
    check(&base, &table(&[pears, plums]), &table(&[red, pears, plums]), None);
    check(&base, &table(&[pears, plums, apples]), &table(&[apples, pears, plums, new]), None);
    check(&base, &table(&[new, apples, pears, plums]), &table(&[apples, pears, plums, new]), None);
}

/// A value must not come under the heading of another one.
#[test]
fn other_columns_meet_what_the_other_side_did_in_the_table() {
    let table = |rows: &[&str]| {
        let columns = rows[0].matches('|').count() - 1;
        format!("{}\n|{}\n{}\n", rows[0], " --- |".repeat(columns), rows[1..].join("\n"))
    };
    let base = table(&["| Name | Price | Town |", "| ann | 10 | Oslo |", "| bob | 20 | Rome |"]);
    let row = "| new | 15 | Kyiv |";
    let grown = table(&["| Name | Price | Town |", "| ann | 10 | Oslo |", row, "| bob | 20 | Rome |"]);
    for other in [
        ["| Name | Town |", "| ann | Oslo |", "| bob | Rome |"],
        ["| Price | Town |", "| 10 | Oslo |", "| 20 | Rome |"],
        ["| Name |  | Price | Town |", "| ann |  | 10 | Oslo |", "| bob |  | 20 | Rome |"],
        ["| Name | Price | Town | Land |", "| ann | 10 | Oslo | N |", "| bob | 20 | Rome | I |"],
        ["| Town | Price | Name |", "| Oslo | 10 | ann |", "| Rome | 20 | bob |"],
    ] {
        check(&base, &table(&other), &grown, None);
        check(&base, &table(&other), &base.replace("20", "25"), None);
        check(&base, &table(&other), &base.replace("| bob | 20 | Rome |\n", ""), None);
    }
    // A heading that got another name is no other column.
    let renamed = grown.replace("Price", "Cost");
    check(&base, &base.replace("Price", "Cost"), &grown, Some(&renamed));
}

#[test]
fn edits_that_meet_are_a_conflict() {
    for (one, other) in [
        ("The slow brown fox jumps.\n", "The fast brown fox jumps.\n"),
        ("The quick brown fox jumps. Mine.\n", "The quick brown fox jumps. Theirs.\n"),
        ("The very quick brown fox jumps.\n", "The slow brown fox jumps.\n"),
        // One wrote the phrase anew in which the other wrote a word.
        ("The slow red cat jumps.\n", "The quick brown, old fox jumps.\n"),
        // Together they would take everything.
        ("The quick\n", "brown fox jumps.\n"),
        // Both moved it, or both brought it.
        ("quick brown fox jumps The.\n", "quick The brown fox jumps.\n"),
        ("The again quick brown fox jumps.\n", "The quick brown fox again jumps.\n"),
    ] {
        check(FOX, one, other, None);
    }
    // Nobody can tell which of two equal words it was.
    check("so much so much more\n", "much so much more\n", "so much much more\n", None);
}

#[test]
fn what_took_the_place_of_a_moved_block_is_no_edit_of_it() {
    let base = "beta\n\n# B\n\ngamma paragraph word\n\ndelta paragraph\n";
    let less = base.replace("gamma paragraph word", "gamma paragraph");
    // It went before the heading and was edited, and so was what stands in its place now.
    let moved = "beta\n\ngamma paragraph word more\n\n# B\n\ndelta long paragraph\n\nnew\n";
    check(base, moved, &less, None);
    // As it stood it is known for the same.
    let (moved, both) = (moved.replace(" more", ""), moved.replace(" word more", ""));
    check(base, &moved, &less, Some(&both));
    // What only looks like it is no sign of that.
    let alike = base.replace("word\n", "last word\n").replace("beta", "gamma paragraph of words");
    let both = alike.replace("gamma paragraph last word", "gamma long paragraph last word");
    check(base, &alike, &base.replace("gamma paragraph word", "gamma long paragraph word"), Some(&both));
}

#[test]
fn looks_links_and_kinds_go_with_words() {
    check(
        FOX,
        "The **quick** brown fox jumps.\n",
        "The quick brown fox leaps.\n",
        Some("The **quick** brown fox leaps.\n"),
    );
    check(
        FOX,
        "[The quick](https://x.y) brown fox jumps.\n",
        "The quick brown *fox* jumps.\n",
        Some("[The quick](https://x.y) brown *fox* jumps.\n"),
    );
    check(FOX, "**The quick brown fox jumps.**\n", "The quick brown fox leaps.\n", None);
    check(
        "# The quick brown fox\n",
        "## The quick brown fox\n",
        "# The slow brown fox\n",
        Some("## The slow brown fox\n"),
    );
    check(
        "1. one thing here\n2. two things there\n",
        "1. one thing here\n2. two things over there\n",
        "1. one thing here\n2. those things there\n",
        Some("1. one thing here\n2. those things over there\n"),
    );
    check(
        "- a\n  - deep words here\n",
        "- a\n  - deep words there\n",
        "- a\n  - deeper words here\n",
        Some("- a\n  - deeper words there\n"),
    );
    check(
        "```\none two\nthree four\n```\n",
        "```\none 2\nthree four\n```\n",
        "```\none two\nthree 4\n```\n",
        Some("```\none 2\nthree 4\n```\n"),
    );
}

#[test]
fn cells_and_notes_go_one_by_one() {
    let table = |cells: [&str; 4]| {
        let [a, b, c, d] = cells;
        format!("| {a} | {b} |\n| --- | --- |\n| {c} | {d} |\n")
    };
    let base = table(["a", "b", "c", "some words here"]);
    check(
        &base,
        &table(["x", "b", "c", "some words here"]),
        &table(["a", "b", "y", "some words here"]),
        Some(&table(["x", "b", "y", "some words here"])),
    );
    check(
        &base,
        &table(["a", "b", "c", "many words here"]),
        &table(["a", "b", "c", "some words there"]),
        Some(&table(["a", "b", "c", "many words there"])),
    );
    check(&base, &table(["x", "b", "c", "some words here"]), &table(["y", "b", "c", "some words here"]), None);
    check(
        "Text[^1]\n\n[^1]: one note here\n",
        "Text[^1]\n\n[^1]: one note there\n",
        "Text[^1]\n\n[^1]: some note here\n",
        Some("Text[^1]\n\n[^1]: some note there\n"),
    );
}

#[test]
fn a_section_that_waits_for_another_word_is_left_as_each_wrote_it() {
    let base = format!("# A\n\n{FOX}\nsame\n\n# B\n\n{FOX}");
    let mine = base.replace("quick", "slow").replace("same", "mine");
    let theirs = base.replace("jumps", "leaps").replace("same", "theirs");
    let merged = merge3(&base, &mine, &theirs);
    assert_eq!(merged.conflicts.len(), 1);
    let of = |text: &str, section: usize| text.split("# ").nth(section).unwrap().to_owned();
    assert_eq!(
        (of(&merged.file, 1), of(&merged.push, 1), of(&merged.base, 1)),
        (of(&mine, 1), of(&theirs, 1), of(&base, 1))
    );
    assert_eq!(
        (of(&merged.file, 2), of(&merged.push, 2)),
        ("B\n\nThe slow brown fox leaps.\n".into(), "B\n\nThe slow brown fox leaps.\n".into())
    );
    assert_eq!(of(&resolve(&base, &mine, &theirs, Some(Side::Mine)).push, 1), of(&mine, 1));
    assert_eq!(of(&resolve(&base, &mine, &theirs, Some(Side::Theirs)).file, 1), of(&theirs, 1));
}

#[test]
fn a_persons_own_way_of_writing_stays_where_both_wrote() {
    let merged = merge3("some **bold** words\n", "any __bold__ words\n", "some **bold** verbs\n");
    assert_eq!(merged.file, "any __bold__ verbs\n");
    assert!(same_meaning(&merged.push, "any **bold** verbs\n"), "{}", merged.push);
}

/// Words of a paragraph; few, so that they come again.
fn paragraph() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "**c**", "d,", "telling", "others"]), 1..10)
}

/// Edits of it: where, how many words go, and whether new ones come.
fn edits() -> impl Strategy<Value = Vec<(usize, usize, bool)>> {
    prop::collection::vec((0_usize..12, 0_usize..3, any::<bool>()), 1..4)
}

fn edited(base: &[&str], edits: &[(usize, usize, bool)], name: &str) -> Vec<String> {
    let mut words: Vec<String> = base.iter().map(|word| (*word).to_owned()).collect();
    for (count, (at, gone, comes)) in edits.iter().enumerate() {
        let at = at % (words.len() + 1);
        let end = (at + gone).min(words.len());
        words.splice(at..end, comes.then(|| format!("{name}{count}")));
    }
    words
}

/// Lines of words, each word of one line alone.
fn lines(count: usize) -> Vec<Vec<String>> {
    (0..count).map(|line| (0..5).map(|word| format!("l{line}telling{word}")).collect()).collect()
}

/// What a side does to lines: which, which word, and whether that is replaced or goes, or the line goes, is split or joined, or
/// another one comes before it.
fn line_edits() -> impl Strategy<Value = Vec<(usize, usize, u8)>> {
    prop::collection::vec((0_usize..6, 0_usize..6, 0_u8..6), 1..4)
}

fn edited_lines(base: &[Vec<String>], edits: &[(usize, usize, u8)], name: &str) -> Vec<Vec<String>> {
    let mut lines = base.to_vec();
    for (count, (line, word, what)) in edits.iter().enumerate() {
        let at = line % (lines.len() + 1);
        let new = format!("{name}telling{count}");
        if *what == 0 || at == lines.len() {
            lines.insert(at, vec![new]);
            continue;
        }
        let place = word % lines[at].len().max(1);
        match what {
            1 => drop(lines.remove(at)),
            2 if place < lines[at].len() => drop(lines[at].remove(place)),
            3 if at + 1 < lines.len() => {
                let next = lines.remove(at + 1);
                lines[at].extend(next);
            }
            4 => {
                let rest = lines[at].split_off(place);
                lines.insert(at + 1, rest);
            }
            _ if lines[at].is_empty() => lines[at].push(new),
            _ => lines[at][place] = new,
        }
        lines.retain(|line| !line.is_empty());
    }
    lines
}

/// Checks of a merge of texts of lines that what each side brought and took is brought and taken once.
fn check_words(sides: [&[Vec<String>]; 3], text: impl Fn(&[Vec<String>]) -> String) -> Result<(), TestCaseError> {
    let [own, mine, theirs] = sides;
    let merged = merge3(&text(own), &text(mine), &text(theirs));
    if !merged.conflicts.is_empty() {
        return Ok(());
    }
    let count = |text: &str, word: &str| text.split_whitespace().filter(|other| *other == word).count();
    for word in own.iter().chain(mine).chain(theirs).flatten() {
        let [was, here, there] = sides.map(|lines| count(&text(lines), word));
        // What one side took away may stand where the other moved it, and never twice.
        let least = if was == 0 { 1 } else { here.min(there) };
        let found = [&merged.file, &merged.push].map(|text| count(text, word));
        prop_assert!(found.iter().all(|found| (least..=1).contains(found)), "{word} {was} {here} {there}: {merged:#?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_lost_or_doubled(count in 1_usize..5, l in line_edits(), r in line_edits()) {
        let own = lines(count);
        let (mine, theirs) = (edited_lines(&own, &l, "mine"), edited_lines(&own, &r, "theirs"));
        let sides = [&*own, &*mine, &*theirs];
        check_words(sides, |lines| {
            let said: Vec<String> = lines.iter().map(|line| line.join(" ") + "\n\n").collect();
            format!("# Head\n\n{}# End\n\nlast\n", said.concat())
        })?;
        check_words(sides, |lines| {
            let said: Vec<String> = lines.iter().map(|line| format!("| {} |\n", line.join(" "))).collect();
            format!("| head |\n| --- |\n{}", said.concat())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn no_word_is_lost_or_doubled(base in paragraph(), l in edits(), r in edits()) {
        let (mine, theirs) = (edited(&base, &l, "mine"), edited(&base, &r, "theirs"));
        let text = |words: &[String]| format!("{}\n\nlast\n", words.join(" "));
        let own: Vec<String> = base.iter().map(|word| (*word).to_owned()).collect();
        let merged = merge3(&text(&own), &text(&mine), &text(&theirs));
        if merged.conflicts.is_empty() {
            let count = |text: &str, word: &str| text.split_whitespace().filter(|other| *other == word).count();
            let all = own.iter().chain(&mine).chain(&theirs);
            for word in all {
                let [was, here, there] = [&own, &mine, &theirs].map(|words| count(&text(words), word));
                // What each side brought or took of a word is brought and taken; what both did may be one.
                let least = was.saturating_sub(was.saturating_sub(here) + was.saturating_sub(there));
                let most = was + here.saturating_sub(was) + there.saturating_sub(was);
                for found in [count(&merged.file, word), count(&merged.push, word)] {
                    prop_assert!((least..=most).contains(&found), "{found} times {word}: {merged:#?}");
                    if was == 0 {
                        prop_assert_eq!(found, 1, "{} is new: {:#?}", word, merged);
                    }
                }
            }
            if !merged.pushes {
                return Ok(());
            }
            let next = merge3(&merged.landed, &text(&mine), &merged.push);
            prop_assert!(!next.pushes && next.conflicts.is_empty(), "{next:#?} after {merged:#?}");
            prop_assert!(same_meaning(&next.file, &merged.push));
        }
    }
}
