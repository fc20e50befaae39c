//! The merge: tables for its decisions, properties for its promises.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::super::hold::holds;
use super::super::merge::{graft, merge3, resolve, same_meaning};
use super::super::{Merged, Side};

/// Writes a text for a row of words: an upper-case word is a heading, any other a paragraph.
fn text(words: &str) -> String {
    let blocks: Vec<String> = words
        .split_whitespace()
        .map(|word| {
            if word.chars().all(|character| !character.is_lowercase()) {
                format!("# {word}\n")
            } else {
                format!("{word}\n")
            }
        })
        .collect();
    blocks.join("\n")
}

/// Turns a text back into its words.
fn words(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "#").collect::<Vec<_>>().join(" ")
}

/// Checks a merge, given as words; `conflicts` is the row of headings in conflict, `.` for the preamble.
fn check(base: &str, local: &str, remote: &str, file: &str, push: &str, conflicts: &str) {
    let merged = merge3(&text(base), &text(local), &text(remote));
    let headings: Vec<&str> = merged
        .conflicts
        .iter()
        .map(|conflict| if conflict.heading.is_empty() { "." } else { conflict.heading.as_str() })
        .collect();
    let found = (words(&merged.file), words(&merged.push), headings.join(" "));
    assert_eq!(found, (file.into(), push.into(), conflicts.into()), "base {base:?} local {local:?} remote {remote:?}");
    assert_eq!(merged.pushes, !same_meaning(&merged.push, &text(remote)));
}

#[test]
fn one_side_changed() {
    check("a b c", "a b c", "a b c", "a b c", "a b c", "");
    check("a b c", "a x c", "a b c", "a x c", "a x c", "");
    check("a b c", "a b c", "a x c", "a x c", "a x c", "");
    check("a b c", "a c", "a b c", "a c", "a c", "");
    check("a b c", "a b c", "b", "b", "b", "");
    check("A a B b", "A a", "A a B b", "A a", "A a", "");
}

#[test]
fn what_one_side_moved_and_the_other_took_away_is_a_conflict() {
    let (base, moved, gone) = ("A one b B c d", "A b B c d one", "A b B c d");
    check(base, moved, gone, moved, gone, "A B");
    check(base, gone, moved, gone, moved, "A B");
    check(base, "A b B c one d", "A b B c d one", "A b B c one d", "A b B c d one", "A B B");
    // Both moved it to one place, or one side alone did.
    check(base, moved, moved, moved, moved, "");
    check(base, moved, base, moved, moved, "");
    check(base, moved, "A one b x B c d", "A b x B c d one", "A b x B c d one", "");
}

#[test]
fn both_sides_changed_different_blocks() {
    check("a b c d", "x b c d", "a b c y", "x b c y", "x b c y", "");
    // Neighbours.
    check("a b c d", "a x c d", "a b y d", "a x y d", "a x y d", "");
    check("a b", "x b", "a y", "x y", "x y", "");
    check("a b c", "a x b c", "a y c", "a x y c", "a x y c", "");
    check("A a B b", "A a x B b", "A a B b y", "A a x B b y", "A a x B b y", "");
    // A new section on one side, an edit on the other.
    check("A a B b", "A a N n B b", "A a B y", "A a N n B y", "A a N n B y", "");
}

#[test]
fn both_sides_made_the_same_change() {
    check("a b c", "a x c", "a x c", "a x c", "a x c", "");
    check("a b", "a x b", "a x b", "a x b", "a x b", "");
    check("a A d", "a A N", "a N", "a A N", "a N", "A");
    check("a b c", "a c", "a c", "a c", "a c", "");
    // The remote has the first of two new paragraphs already.
    check("a b", "a x y b", "a x b", "a x y b", "a x y b", "");
}

#[test]
fn the_same_block_freezes_its_section_only() {
    check("A a B b C c", "A a B x C c", "A a B y C c", "A a B x C c", "A a B y C c", "B");
    check("A a B b C c", "A l B x C c", "A a B y C r", "A l B x C r", "A l B y C r", "B");
    check("p A a", "x A a", "y A z", "x A z", "y A z", ".");
    // Different insertions at one place.
    check("A a B b", "A a x B b", "A a y B b", "A a x B b", "A a y B b", "A");
    // Changed here, deleted there.
    check("A a b B c", "A a x B c", "A a B c", "A a x B c", "A a B c", "A");
    // Two sections with the same change on one side: one zone for each.
    check("A a B b", "A x B y", "A v B w", "A x B y", "A v B w", "A B");
    // Moved here into a conflict, deleted there.
    check("p A a b", "a p A b", "x y A b", "a p A b", "x y A b", ". A");
    // A paragraph is added to a section whose heading is deleted.
    check("A a B b", "A a x B b", "B b", "A a x B b", "B b", "A");
}

#[test]
fn an_edit_beside_a_frozen_section_flows() {
    check("A a B b", "A x B b N n", "A y B b", "A x B b N n", "A y B b N n", "A");
    check("A a B b", "A x N n B b", "A y B b", "A x N n B b", "A y N n B b", "A");
}

#[test]
fn a_frozen_section_stays_frozen_and_ends_by_agreement() {
    let merged = merge3(&text("A a B b"), &text("A x B l"), &text("A y B b"));
    assert_eq!(merged.conflicts.len(), 1);
    let again = merge3(&merged.base, &merged.file, &merged.push);
    assert_eq!(again.conflicts, merged.conflicts);
    assert_eq!((&again.file, &again.push), (&merged.file, &merged.push));
    let ended = merge3(&merged.base, &text("A y B l"), &merged.push);
    assert!(ended.conflicts.is_empty() && !ended.pushes);
}

/// Only one side edited what both can say, so there is nothing to choose.
#[test]
fn what_no_document_says_is_no_edit_that_others_meet() {
    for (base, local, remote, file) in [
        (
            "```\nx = 1\ny = 2\n```\n",
            "```rust\nx = 1\ny = 2\n```\n",
            "```\nx = 1\ny = 3\n```\n",
            "```rust\nx = 1\ny = 3\n```\n",
        ),
        ("```\nx\ny\n```\n", "```\nx  \ny\n```\n", "```\nx\nz\n```\n", "```\nx  \nz\n```\n"),
        (
            "# H\n\nsee [s](https://u.x) now\n\nend\n",
            "# H\n\nsee [s](https://u.x \"T\") now\n\nthe end\n",
            "# H\n\nsee [s](https://u.x) right now\n\nend\n",
            "# H\n\nsee [s](https://u.x \"T\") right now\n\nthe end\n",
        ),
        ("- [ ] a b\n", "- [x] a b\n", "- [ ] a b c\n", "- [x] a b c\n"),
        ("- a b\n- c\n", "- # a b\n- c\n", "- a b c\n- c\n", "- # a b c\n- c\n"),
        ("1. a\n   - b c\n", "1. a\n   - b [c](https://u.x \"T\")\n", "1. a\n   - b c d\n", ""),
    ] {
        for side in [None, Some(Side::Mine)] {
            let merged = resolve(base, local, remote, side);
            if file.is_empty() {
                assert_eq!(
                    merged.conflicts.is_empty(),
                    side.is_some(),
                    "words of the file were edited, too: {merged:?}"
                );
                continue;
            }
            assert_eq!((&*merged.file, &*merged.push, &*merged.landed), (file, file, base), "{merged:?}");
            assert!(merged.conflicts.is_empty() && merged.pushes && same_meaning(&merged.base, remote));
        }
    }
    // What meets in one place is a conflict.
    let merged = merge3("```\nx\n```\n", "```\nx  \n```\n", "```\nx y\n```\n");
    assert_eq!(merged.conflicts.len(), 1, "{merged:?}");
}

/// Of a document without a text one empty paragraph is left, which a file need not say.
#[test]
fn what_was_emptied_is_no_edit_any_more() {
    let head = "---\ntitle: T\nid: 1a\n---\n";
    let empty = format!("{head}\n\\\n");
    for local in [head.to_owned(), format!("{head}\n\n"), empty.clone()] {
        assert!(same_meaning(&empty, &local) && holds(Some(&empty), &local).is_empty(), "{local:?}");
        let merged = merge3(&empty, &local, &empty);
        assert_eq!((&merged.file, &merged.push, merged.pushes), (&local, &empty, false));
        // What somebody else writes then arrives, and the title goes.
        let theirs = format!("{head}\nwords\n");
        let merged = merge3(&empty, &local, &theirs);
        assert_eq!((&merged.file, merged.pushes, merged.conflicts.len()), (&theirs, false, 0), "{local:?}");
        let merged = merge3(&empty, &local.replace("title: T", "title: U"), &theirs);
        assert_eq!((&merged.push, merged.pushes), (&theirs.replace("title: T", "title: U"), true), "{local:?}");
    }
    let merged = merge3(&empty, "", &empty);
    assert_eq!((&merged.file, merged.pushes), (&empty, false));
    // Of a text it is one.
    let words = format!("{head}\nwords\n");
    assert!(!same_meaning(&words, head) && !same_meaning(&words, &empty));
    assert!(merge3(&words, head, &words).pushes && merge3(&empty, &words, &empty).pushes);
}

#[test]
fn where_lines_are_broken_says_nothing() {
    for (broken, whole) in [
        // What would begin something else at the start of a line needs no backslash within it.
        ("| Who | What |\n| -\n", "\\| Who | What | | -\n"),
        ("one\n\\- two\n", "one - two\n"),
        ("- one\n  \\# two\n", "- one # two\n"),
        ("one[^1]\n\n[^1]: note\n    and more\n", "one[^1]\n\n[^1]: note and more\n"),
    ] {
        assert!(same_meaning(broken, whole), "{broken:?} {whole:?}");
    }
}

#[test]
fn a_side_ends_a_conflict() {
    let (base, local, remote) = (text("A a B b C c"), text("A x B l C c"), text("A y B b C r"));
    let mine = resolve(&base, &local, &remote, Some(Side::Mine));
    assert_eq!((words(&mine.file), words(&mine.push)), ("A x B l C r".into(), "A x B l C r".into()));
    assert!(mine.pushes && mine.conflicts.is_empty());
    let theirs = resolve(&base, &local, &remote, Some(Side::Theirs));
    assert_eq!((words(&theirs.file), words(&theirs.push)), ("A y B l C r".into(), "A y B l C r".into()));
}

#[test]
fn without_a_base_neither_side_wins() {
    let merged = merge3("", &text("a b"), &text("a b c"));
    assert_eq!((merged.conflicts.len(), merged.pushes), (1, false));
    assert_eq!(merged.file, text("a b"));
    assert_eq!(merged.push, text("a b c"));
    let next = merge3(&merged.base, &merged.file, &merged.push);
    assert_eq!(next, merged);
    assert!(merge3("", &text("a b"), &text("a b")).conflicts.is_empty());
    assert_eq!(merge3("", "", &text("a b")).file, text("a b"));
    assert_eq!(merge3("", "---\ntitle: T\n---\n\n", &text("a b")).file, text("a b"));
}

#[test]
fn a_persons_own_way_of_writing_stays() {
    let base = "# {^ h.1}Title\n\none two\n\nthree\n";
    let local = "\n\n# {^ h.1}Title\n\none\ntwo\n\n\n\nthree";
    let same = merge3(base, local, base);
    assert_eq!((same.file.as_str(), same.pushes), (local, false));
    let merged = merge3(base, local, "# {^ h.1}Title\n\none two\n\nchanged\n");
    assert!(merged.file.contains("one\ntwo\n"), "{}", merged.file);
    assert!(merged.file.ends_with("changed\n"));
    assert!(!merged.pushes);
}

#[test]
fn a_heading_gains_the_anchor_that_google_gave() {
    let merged = merge3("# A\n\na\n", "# A\n\nx\n", "# {^ h.1}A\n\na\n");
    assert_eq!(merged.file, "# {^ h.1}A\n\nx\n");
    assert_eq!(merged.push, "# {^ h.1}A\n\nx\n");
}

#[test]
fn a_tab_that_both_sides_gave_another_name_is_in_conflict() {
    let head = |tab: &str| format!("---\ntitle: a\nid: 1\ntab: {tab}\n---\n\nx\n");
    let (base, local, remote) = (head("t.1 \"Plan\""), head("t.1 \"Plan mine\""), head("t.1 \"Plan theirs\""));
    let merged = merge3(&base, &local, &remote);
    assert_eq!((merged.conflicts.len(), merged.file.as_str()), (1, local.as_str()));
    assert!(merged.conflicts[0].theirs.contains("Plan theirs"), "{:?}", merged.conflicts);
    let chosen = |side: Side| resolve(&base, &local, &remote, Some(side));
    assert_eq!((chosen(Side::Mine).push, chosen(Side::Theirs).file), (local.clone(), remote.clone()));
    // One side alone is followed; and which tab it is only Google says.
    assert_eq!(merge3(&base, &local, &base).push, local);
    assert_eq!(merge3(&base, &base, &remote).file, remote);
    let other = head("t.2 \"Other\"");
    assert_eq!((merge3(&base, &local, &other).file, merge3(&base, &local, &other).conflicts.len()), (other, 0));
}

#[test]
fn the_head_is_merged_by_entries() {
    let head = |title: &str, body: &str| format!("---\ntitle: {title}\nid: 1\n---\n\n{body}\n");
    let merged = merge3(&head("a", "x"), &head("b", "x"), &head("a", "y"));
    assert_eq!((merged.file, merged.push, merged.pushes), (head("b", "y"), head("b", "y"), true));
    let merged = merge3(&head("a", "x"), &head("a", "y"), &head("c", "x"));
    assert_eq!((merged.file, merged.push), (head("c", "y"), head("c", "y")));
    let merged = merge3(&head("a", "x"), &head("b", "y"), &head("c", "x"));
    assert_eq!((merged.file, merged.push, merged.base), (head("b", "y"), head("c", "y"), head("a", "x")));
    assert_eq!(merged.conflicts.len(), 1);
}

/// Checks the merge of lists of labels: what the file and the remote shall have, `None` where nothing is pushed.
#[track_caller]
fn check_labels(base: &str, local: &str, remote: &str, file: &str, push: Option<&str>) {
    let head = |labels: &str| format!("---\ntitle: a\nid: 1\n{labels}---\n\nx\n");
    let merged = merge3(&head(base), &head(local), &head(remote));
    assert_eq!(merged.file, head(file), "{base:?} {local:?} {remote:?}");
    assert_eq!(merged.push, head(push.unwrap_or(remote)), "{base:?} {local:?} {remote:?}");
    assert_eq!((merged.pushes, merged.conflicts.len()), (push.is_some(), 0), "{base:?} {local:?} {remote:?}");
    assert_eq!(merged.base, head(remote));
}

#[test]
fn labels_are_merged_name_by_name() {
    let (one, both) = ("labels: INBOX, UNREAD\n", "labels: INBOX, Trips, UNREAD\n");
    check_labels(one, both, one, both, Some(both));
    // Opened in Gmail meanwhile, and archived here.
    check_labels(one, both, "labels: INBOX\n", "labels: INBOX, Trips\n", Some("labels: INBOX, Trips\n"));
    check_labels(one, "labels: UNREAD\n", "labels: INBOX\n", "labels: \"\"\n", Some("labels: \"\"\n"));
    check_labels(
        one,
        "labels: UNREAD\n",
        "labels: INBOX, STARRED, UNREAD\n",
        "labels: STARRED, UNREAD\n",
        Some("labels: STARRED, UNREAD\n"),
    );
    // Both did the same, in another order or with other letters.
    check_labels(one, both, both, both, None);
    check_labels(one, "labels: trips,UNREAD , INBOX\n", both, "labels: trips,UNREAD , INBOX\n", None);
    // A line that the file lost says nothing; one without a name takes all away.
    check_labels(one, "", one, one, None);
    check_labels(one, "labels:\n", one, "labels:\n", Some("labels:\n"));
    let quoted = "labels: \"Trips, 2026\", INBOX, UNREAD\n";
    check_labels(one, quoted, one, quoted, Some(quoted));
}

#[test]
fn an_answer_and_a_mail_that_comes_meanwhile_both_stay() {
    let (base, answer) = ("## {^ msg.a}Ana\n\nTea?\n", "\n## Draft reply\n\nDear Ana\n");
    let (local, mail) = (format!("{base}{answer}"), "\n## {^ msg.b}Carl\n\nCoffee!\n");
    let merged = merge3(base, &local, &format!("{base}{mail}"));
    let both = format!("{base}{mail}{answer}");
    assert_eq!((merged.file.as_str(), merged.push.as_str(), merged.conflicts.len()), (both.as_str(), both.as_str(), 0));
    assert_eq!((merged.base, merged.landed, merged.pushes), (format!("{base}{mail}"), local, true));
}

#[test]
fn a_landed_push_moves_the_base_by_the_pushed_edits_alone() {
    let (base, local, remote) = (text("A a B b C c"), text("A x B l C c"), text("A y B b C r"));
    let merged = merge3(&base, &local, &remote);
    assert_eq!(words(&merged.landed), "A a B l C c");
    let next = merge3(&merged.landed, &local, &merged.push);
    assert_eq!((words(&next.file), next.conflicts.len(), next.pushes), ("A x B l C r".into(), 1, false));
    // What the plan left out stays an edit.
    assert_eq!(words(&graft(&text("a x b"), &text("a b"), &text("a x c")).unwrap()), "a c");
}

/// One edit of a row of words: where, how many go, what comes.
type Edit = (usize, usize, Vec<bool>);

/// Applies edits with fresh words, so that every word of a side can be found again.
fn edited(base: &[String], edits: &[Edit], name: char) -> Vec<String> {
    let mut words = base.to_vec();
    for (count, (at, gone, fresh)) in edits.iter().enumerate() {
        let at = at % (words.len() + 1);
        let end = (at + gone).min(words.len());
        let fresh: Vec<String> = fresh
            .iter()
            .enumerate()
            .map(|(index, heading)| {
                if *heading {
                    format!("{}{count}{index}", name.to_uppercase())
                } else {
                    format!("{name}{count}{index}")
                }
            })
            .collect();
        words.splice(at..end, fresh);
    }
    words
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec((0_usize..20, 0_usize..3, prop::collection::vec(prop::bool::weighted(0.2), 0..3)), 0..4)
}

fn base_words() -> impl Strategy<Value = Vec<String>> {
    let few = vec!["a", "b", "c", "\\", "A", "B", "d", "e"];
    let many = vec!["a", "b", "A", "c", "d", "e", "B", "f", "g", "C", "h"];
    prop_oneof![
        // Few different words, so that blocks repeat.
        prop::collection::vec(prop::sample::select(few), 1..12),
        prop::sample::subsequence(many, 1..11),
    ]
    .prop_map(|words| words.into_iter().map(String::from).collect())
}

fn all_words(merged: &Merged) -> Vec<String> {
    let mut all: Vec<String> = words(&merged.file).split(' ').map(String::from).collect();
    for conflict in &merged.conflicts {
        all.extend(words(&conflict.mine).split(' ').map(String::from));
        all.extend(words(&conflict.theirs).split(' ').map(String::from));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn the_merge_keeps_its_promises(base in base_words(), l in edits(), r in edits()) {
        let join = |words: &[String]| text(&words.join(" "));
        let (local, remote) = (edited(&base, &l, 'l'), edited(&base, &r, 'r'));
        let (base, local_text, remote_text) = (join(&base), join(&local), join(&remote));
        let merged = merge3(&base, &local_text, &remote_text);

        // Nothing that one side wrote is lost.
        let all = all_words(&merged);
        for word in local.iter().chain(&remote).filter(|word| word.len() > 1) {
            prop_assert!(all.contains(word), "{word} is lost in {merged:?}");
        }
        let pushed = words(&merged.push);
        for word in remote.iter().filter(|word| word.len() > 1) {
            prop_assert!(pushed.split(' ').any(|other| other == word), "{word} would be deleted remotely");
        }

        // One side alone wins.
        if same_meaning(&base, &local_text) {
            prop_assert!(same_meaning(&merged.file, &remote_text) && !merged.pushes);
        }
        if same_meaning(&base, &remote_text) {
            prop_assert!(merged.file == local_text && same_meaning(&merged.push, &local_text));
        }

        // Both sides are treated alike.
        let mirrored = merge3(&base, &remote_text, &local_text);
        prop_assert_eq!(merged.conflicts.len(), mirrored.conflicts.len());
        if merged.conflicts.is_empty() {
            prop_assert!(same_meaning(&merged.file, &mirrored.file));
            prop_assert!(same_meaning(&merged.file, &merged.push));
        }

        // The next merge finds the same. Where headings went or blocks repeat, they can be paired in another way the
        // next time, so that a conflict among them may end by itself; what each side wrote is kept once then too.
        let again = merge3(&merged.base, &merged.file, &merged.push);
        let found = all_words(&again);
        for word in local.iter().chain(&remote).filter(|word| word.len() > 1) {
            prop_assert!(found.contains(word), "{word} is lost in {again:?} after {merged:?}");
            for text in [&merged.file, &merged.push, &again.file, &again.push] {
                let count = words(text).split(' ').filter(|other| other == word).count();
                prop_assert!(count < 2, "{word} came twice in {again:?} after {merged:?}");
            }
        }
        if merged.conflicts.is_empty() {
            prop_assert!(!again.pushes, "{again:?} after {merged:?}");
            prop_assert_eq!(&again.file, &merged.file);
            prop_assert_eq!(&again.push, &merged.push);
            prop_assert_eq!(again.conflicts.is_empty(), merged.conflicts.is_empty());
            // The same with what stands when the push never happens.
            let unpushed = merge3(&merged.base, &merged.file, &remote_text);
            prop_assert_eq!(&unpushed.file, &merged.file);
        }

        for side in [Side::Mine, Side::Theirs] {
            let ended = resolve(&base, &local_text, &remote_text, Some(side));
            prop_assert!(ended.conflicts.is_empty() && same_meaning(&ended.file, &ended.push));
            let kept = if side == Side::Mine { &local } else { &remote };
            for word in kept.iter().filter(|word| word.len() > 1) {
                prop_assert!(words(&ended.file).split(' ').any(|other| other == word));
            }
        }
    }

    #[test]
    fn any_text_can_be_merged(base in ".{0,40}", local in "(\\PC|\n){0,60}", remote in "(\\PC|\n){0,60}") {
        let merged = merge3(&base, &local, &remote);
        let again = merge3(&merged.base, &merged.file, &merged.push);
        prop_assert_eq!(again.file, merged.file);
    }
}

/// A word stands once in what is pushed and in the file when it stood once on both sides.
#[track_caller]
fn check_once(base: &str, local: &str, remote: &str, word: &str) {
    let merged = merge3(base, local, remote);
    for text in [&merged.file, &merged.push, &merged.base, &merged.landed] {
        assert!(text.matches(word).count() <= 1, "{word} stands twice:\n{text}\n{merged:#?}");
    }
}

#[test]
fn a_paragraph_that_changed_its_section_stands_once() {
    // The heading went, so the text before it and behind it is one run of changes.
    check_once(
        "First.\n\nlast words once\n\n# End\n\nBye.\n",
        "First.\n\nmine\n\nlast words once\n\n# End\n\nBye.\n",
        "First. theirs\n\nmore\n\nlast words once theirs\n\nBye.\n",
        "once",
    );
    // The other side moved it out of a section in conflict.
    check_once(
        "First words.\n\nlast words once\n\n# End\n\nBye.\n",
        "last words once mine\n\nFirst words.\n\n# End\n\nBye.\n",
        "First words. theirs\n\n# End\n\nlast words once theirs\n\nBye.\n",
        "once",
    );
    // Another paragraph of the section shares a word with it.
    check_once(
        "First words once.\n\n- one\n- two\n\nLast words.\n\n# End\n\nBye.\n",
        "- two mine\n\nLast words. too\n\nanother\n\n# End\n\nFirst words once. mine\n\nBye. too\n",
        "First words once. theirs\n\n- two\n\nLast words. too\n\n# End\n\nBye. too\n",
        "once",
    );
}

#[test]
fn what_stands_under_an_item_stays_under_it() {
    let link = |title: &str| format!("[Words](https://x.y{title}) here.\n\n");
    let list = |under: &str| format!("1. two\n{under}\n");
    let (plain, titled) = (link(""), link(" \"t\""));
    let under = "\n   second para in item\n   - deeper\n";
    let base = format!("# Apples\n\n{plain}{}## Heading full\n\nafter heading\n", list(""));
    let local = format!("# Apples\n\n{titled}{}## Heading full\n\nafter heading\n", list(under));
    // What the document does not say is pushed again with each save, and never meets the id of the heading.
    let remote = base.replace("## ", "## {^ h.1}");
    let merged = merge3(&base, &local, &remote);
    assert!(merged.conflicts.is_empty(), "{merged:#?}");
    assert_eq!(merged.file, local.replace("## ", "## {^ h.1}"));
    assert_eq!(merged.push, merged.file);
}

#[test]
fn a_move_past_the_border_of_a_conflict_waits_with_it() {
    let base = "# A\n\nfirst thing\n\nmoved along\n\n# B\n\nsecond thing\n\nother text\n";
    // The first conflict is in A, from which it was moved and edited; the second in B, into which it was.
    let local = "# A\n\nfirst thing here\n\n# B\n\nsecond thing\n\nmoved along more\n\nother text\n";
    let over = "# A\n\nfirst thing here\n\n# B\n\nsecond thing here\n\nmoved along more\n\nother text\n";
    for (local, remote) in [
        (local, "# A\n\nfirst thing there\n\nmoved along\n\n# B\n\nsecond thing\n\nother text\n"),
        (over, "# A\n\nfirst thing\n\nmoved along\n\n# B\n\nsecond thing there\n\nother text\n"),
    ] {
        let merged = merge3(base, local, remote);
        assert!(!merged.conflicts.is_empty(), "{merged:#?}");
        assert_eq!(merged.push.matches("moved along").count(), 1, "{}", merged.push);
        assert_eq!(merged.file.matches("moved along").count(), 1, "{}", merged.file);
        for side in [Side::Mine, Side::Theirs] {
            let ended = resolve(&merged.base, &merged.file, remote, Some(side));
            assert_eq!(ended.push.matches("moved along").count(), 1, "{side:?}: {}", ended.push);
            assert_eq!(ended.file.matches("moved along").count(), 1, "{side:?}: {}", ended.file);
        }
    }
    // An edit elsewhere that has nothing of it is pushed all the same.
    let merged = merge3(
        base,
        &base.replace("first thing", "mine").replace("other", "another"),
        &base.replace("first thing", "x"),
    );
    assert!(merged.push.contains("another text"), "{}", merged.push);
}

#[test]
fn a_paragraph_moved_here_and_edited_there_stands_once() {
    let base = "# A\n\nfirst\n\nmoved\n\n# B\n\nsecond\n";
    let local = "# A\n\nfirst\n\n# B\n\nsecond\n\nmoved\n";
    let remote = "# A\n\nfirst\n\nmoved, edited\n\n# B\n\nsecond\n";
    let merged = merge3(base, local, remote);
    assert_eq!(merged.push.matches("moved").count(), 1, "{}", merged.push);
    assert_eq!(merged.file, local);
    assert_eq!(merged.conflicts.len(), 2);
    assert!(!merged.pushes);
    // It is found again, and ends as one.
    let again = merge3(&merged.base, &merged.file, &merged.push);
    assert_eq!((again.push, again.conflicts.len()), (merged.push, 2));
    assert_eq!(resolve(&merged.base, local, remote, Some(Side::Mine)).push.matches("moved").count(), 1);
    assert_eq!(resolve(&merged.base, local, remote, Some(Side::Theirs)).file.matches("moved").count(), 1);
}

/// Checks which first numbers of lists a merge pushes, and that the next merge on what both then agree on pushes them
/// again, or none when there are none: what cannot be pushed is told as long as it stands in the file.
#[track_caller]
fn check_numbers(base: &str, local: &str, remote: &str, push: &str) {
    let merged = merge3(base, local, remote);
    assert_eq!(merged.push, push, "{base:?} {local:?}");
    let starts = push.lines().find(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let is_told = starts.is_some_and(|line| !line.starts_with("1."));
    let landed = crate::mebdf::print(&crate::mebdf::parse(push).tree);
    let again = merge3(&merged.landed, &merged.file, &landed);
    assert_eq!(again.file, merged.file);
    let first =
        |text: &str| text.lines().find(|line| line.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned);
    assert_eq!(
        (again.pushes, first(&again.push)),
        (is_told, first(push)),
        "again: {base:?} {local:?} {:?}",
        merged.landed
    );
}

#[test]
fn first_numbers_are_pushed_where_a_person_set_them() {
    let two = "1. x\n2. y\n";
    for (base, local, push) in [
        // Set.
        (two, "4. x\n5. y\n", "4. x\n5. y\n"),
        (two, "4. xx\n5. y\n", "4. xx\n5. y\n"),
        (two, "0. x\n1. y\n", "0. x\n1. y\n"),
        ("1. x\n   - n\n2. y\n", "10. x\n    - n\n11. y\n", "10. x\n    - n\n11. y\n"),
        ("p\n", "p\n\n5. x\n", "p\n\n5. x\n"),
        ("p\n\n1. x\n", "pp\n\n3. x\n", "pp\n\n3. x\n"),
        // Not set: Markdown counts by itself, and items go and come.
        (two, "1. x\n1. y\n", "1. x\n2. y\n"),
        (two, "1. x\n7. y\n", "1. x\n2. y\n"),
        (two, "2. y\n", "1. y\n"),
        (two, "1. y\n", "1. y\n"),
        (two, "2. yy\n", "1. yy\n"),
        ("1. x\n2. y\n3. z\n", "3. z\n", "1. z\n"),
        ("1. x\n2. y\n3. z\n", "2. y\n1. x\n3. z\n", "1. y\n1. x\n3. z\n"),
        // A list may go on behind what parts it; one that is numbered on from the item above is to be joined.
        (two, "1. x\n\np\n\n2. y\n", "1. x\n\np\n\n2. y\n"),
        (two, "1. x\n\np\n\n1. y\n", "1. x\n\np\n\n1. y\n"),
        ("1. x\n\np\n\n1. y\n", "1. x\n2. y\n", "1. x\n2. y\n"),
        ("1. x\n\np\n\n1. y\n", "1. x\n1. y\n", "1. x\n1. y\n"),
    ] {
        check_numbers(base, local, base, push);
    }
}

#[test]
fn a_number_that_an_item_brought_along_is_never_taken_for_set() {
    let (base, local) = ("1. x\n2. y\n\np\n", "2. y\n\np\n");
    let first = merge3(base, local, base);
    // Landed, read again, and edited: what the base remembers outlives all of it.
    let again = merge3(&first.landed, "2. y\n\nq\n", "1. y\n\np\n");
    assert_eq!(again.push, "1. y\n\nq\n");
    let third = merge3(&again.base, "2. y\n\nr\n", "1. y\n\np\n");
    assert_eq!(third.push, "1. y\n\nr\n");
    // Set then, it is told.
    assert_eq!(merge3(&again.base, "3. y\n\nr\n", "1. y\n\np\n").push, "3. y\n\nr\n");
}

#[test]
fn what_only_google_says_in_a_head_is_no_conflict() {
    let text = |access: &str, words: &str| format!("---\ntitle: T\nid: x\naccess: {access}\n---\n\n{words}\n");
    // Nothing is known of what both agreed on, and the access has changed meanwhile.
    let merged = merge3("", &text("read", "a"), &text("edit", "a"));
    assert_eq!((merged.conflicts.len(), merged.file), (0, text("edit", "a")));
    let merged = merge3("", &text("read", "a"), &text("edit", "b"));
    assert_eq!((merged.conflicts.len(), merged.file), (1, text("edit", "a")));
    let merged = resolve("", &text("read", "a"), &text("edit", "b"), Some(Side::Mine));
    assert_eq!((merged.file, merged.push), (text("edit", "a"), text("edit", "a")));
}

#[test]
fn what_is_moved_out_of_a_conflict_and_shortened_waits_with_it() {
    let base = "## A\n\none two three\n\n## Head H hone\n\nbody words\n\n## C\n\nfour five six\n";
    let remote = base.replace("two", "theirs");
    for (came, is_edit) in [("## Head H\n\n", true), ("## Head H hone\n\n", true), ("## Something else\n\n", false)] {
        let local = base.replace("## Head H hone\n\n", "").replace("two", "mine");
        let local = local.replace("## C\n", &format!("{came}## C\n"));
        let merged = merge3(base, &local, &remote);
        assert!(!merged.conflicts.is_empty(), "{came:?}");
        // Its half does not stand in the document beside what it was made from.
        let heads = |text: &str| text.matches("## Head H").count();
        assert_eq!((heads(&merged.push), heads(&merged.file)), (1, usize::from(is_edit)), "{came:?}: {}", merged.push);
        let theirs = resolve(base, &local, &remote, Some(Side::Theirs));
        assert_eq!(heads(&theirs.file), 1, "{came:?}: {}", theirs.file);
    }
}

#[test]
fn the_line_of_a_tab_goes_with_the_last_other_one() {
    let text = |tab: &str, words: &str| format!("---\ntitle: T\nid: x\n{tab}url: u\n---\n\n{words}\n");
    let tab = "tab: t.0 \"One\"\n";
    // Whether or not it is known that both had it.
    for (base, local, remote) in [
        (text(tab, "a"), text(tab, "a b"), text("", "a")),
        (text("", "a"), text(tab, "a b"), text("", "a")),
        (text("", "a"), text(tab, "a b"), text("", "a c")),
    ] {
        let merged = resolve(&base, &local, &remote, Some(Side::Mine));
        assert_eq!((merged.file.contains("tab:"), merged.base.contains("tab:")), (false, false), "{merged:?}");
        let again = merge3(&merged.base, &merged.file, &remote);
        assert!(!again.push.contains("tab:") && !again.file.contains("tab:"), "{again:?}");
    }
    let merged = resolve("", &text(tab, "a"), &text("", "b"), Some(Side::Mine));
    assert_eq!((merged.file, merged.push), (text("", "a"), text("", "a")));
    // One that the file lacks comes to its place, and in whatever place it stands it says the same.
    let merged = resolve("", &text("", "a"), &text(tab, "b"), Some(Side::Mine));
    assert_eq!((&merged.file, &merged.push), (&text(tab, "a"), &text(tab, "a")));
    let moved = format!("---\ntitle: T\nid: x\nurl: u\n{tab}---\n\na\n");
    assert!(same_meaning(&moved, &text(tab, "a")));
    assert!(!same_meaning(&moved, &text("tab: t.1 \"One\"\n", "a")));
    assert!(!same_meaning(&moved, &text("", "a")) && !same_meaning(&text("", "a"), &moved));
}

#[test]
fn a_text_that_was_emptied_before_may_be_without_any_paragraph() {
    let head = "---\ntitle: T\nid: x\n---\n";
    let (base, local) = (format!("{head}\n"), head.to_owned());
    for side in [None, Some(Side::Mine), Some(Side::Theirs)] {
        for remote in [format!("{head}\n\\\n"), format!("{head}\nBob\n")] {
            let merged = resolve(&base, &local, &remote, side);
            assert_eq!((merged.conflicts.len(), merged.push, merged.pushes), (0, remote, false), "{side:?}");
        }
    }
}

#[test]
fn a_row_is_merged_with_itself_alone() {
    let table = |rows: &[&str]| {
        let rows: String = rows.iter().map(|row| format!("| {} |\n", row.replace(' ', " | "))).collect();
        format!("| what | who | state |\n| --- | --- | --- |\n{rows}")
    };
    let base = table(&["Desks Anna ordered", "Chairs Anna ordered", "Lamps Peter open", "Shelves Peter open"]);
    let mine = base.replace("Lamps | Peter | open", "Lamps | Peter | ordered");
    // As many rows came as went: those below stand elsewhere.
    for theirs in [
        table(&["Desks Anna ordered", "Plants Maria open", "Chairs Anna ordered", "Shelves Peter open"]),
        table(&["Desks Anna ordered", "Chairs Anna ordered", "Plants Maria new", "Shelves Peter open"]),
    ] {
        let merged = merge3(&base, &mine, &theirs);
        assert_eq!(merged.conflicts.len(), 1, "{theirs}");
        let elsewhere = base.replace("Desks", "Tables");
        let merged = merge3(&base, &elsewhere, &theirs);
        assert_eq!((merged.conflicts.len(), &merged.file), (0, &theirs.replace("Desks", "Tables")), "{theirs}");
    }
}

#[test]
fn of_two_that_say_nearly_the_same_the_one_was_moved_that_says_more_of_it() {
    // The section before is in conflict, and what may have been moved into it waits; the last but one became the first, though
    // the one there has the same words, but for one that the other has twice.
    let base = "# Keys\n\nThe keys are with Maria.\n\nThe keys for the house are with Paul.\n\n# Walls\n\nCall the painter \
                about the walls.\n\nCall the painter about the walls → walls.\n\nPlease bring your slides.\n";
    let mine = base.replace("Maria.\n", "Maria.\n\nPlease bring your roof ← here.\n");
    let theirs = base
        .replace("# Keys\n", "# Keys\n\nCall the painter about the carpenter → walls.\n")
        .replace("Maria.\n", "Maria.\n\nPlease bring your slides on roof → four.\n")
        .replace("# Walls", "# The meeting is on slides → ten.\n\n# Walls")
        .replace("Call the painter about the walls.\n\n", "")
        .replace(
            "Call the painter about the walls → walls.",
            "Today → Call the painter about the walls → walls.\n\nCall Paul →.",
        );
    let merged = merge3(base, &mine, &theirs);
    assert!(merged.conflicts.iter().any(|conflict| conflict.heading == "Keys"), "{merged:#?}");
    assert_eq!(merged.file.matches("walls → walls.").count(), 1, "{}", merged.file);
}

#[test]
fn half_of_a_move_into_or_out_of_another_paragraph_does_not_go_on() {
    let piece = "seven eight nine ten eleven twelve";
    let base = format!("# A\n\none two\n\nsecond paragraph with words here\n\n# B\n\n{piece}\n\nlast one\n");
    let remote = base.replace("one two", "one theirs");
    let local = base.replace("one two", "one mine");
    let longer = format!("second paragraph with words here {piece}");
    for (base, local) in [
        // A whole paragraph became the end of one in the conflict, and the other way round.
        (base.clone(), local.replace(&format!("{piece}\n\n"), "").replace("second paragraph with words here", &longer)),
        (base.replace(&format!("{piece}\n\n"), "").replace("second paragraph with words here", &longer), local.clone()),
        // The end of one became the end of another.
        (
            base.replace("last one", &format!("last one {piece}")).replace(&format!("{piece}\n\nlast"), "last"),
            local.replace(&format!("{piece}\n\n"), "").replace("second paragraph with words here", &longer),
        ),
    ] {
        let remote = base.replace("one two", "one theirs");
        let merged = merge3(&base, &local, &remote);
        let headings: Vec<&str> = merged.conflicts.iter().map(|conflict| conflict.heading.as_str()).collect();
        assert_eq!((headings, merged.push.as_str()), (vec!["A", "B"], remote.as_str()), "{local}");
        assert_eq!(merged.file, local);
    }
    // What has nothing to do with it goes on.
    let merged = merge3(&base, &local.replace("last one", "last of mine"), &remote);
    assert!(merged.push.contains("last of mine"), "{}", merged.push);
}
