//! Text replaced in small files.

use super::super::{markup, parse};
use super::*;

fn edited(text: &str, edit: impl FnOnce(&mut Tree) -> usize) -> (String, usize) {
    let was = parse(text).tree;
    let mut is = was.clone();
    let count = edit(&mut is);
    (rewritten(text, &was, &is), count)
}

fn check(text: &str, (old, new): (&str, &str), expected: &str, count: usize) {
    let find = Find { text: old, match_case: true, all: count > 1 };
    let found = edited(text, |tree| replace(tree, find, By::Text(new)));
    assert_eq!((found.0.as_str(), found.1), (expected, count), "{old:?} -> {new:?} in {text:?}");
}

#[test]
fn text_is_replaced_where_it_stands() {
    check("Keep  this.\n\n\nAn old word.\n", ("old", "new"), "Keep  this.\n\n\nAn new word.\n", 1);
    check("one one\n\none\n", ("one", "two"), "two two\n\ntwo\n", 3);
    check("one one\n", ("one", "two"), "two one\n", 1);
    // Across looks, with those of its first letter.
    check("a **bold wo**rd b\n", ("bold word", "x"), "a **x** b\n", 1);
    check("a **b** c\n", ("c", ""), "a **b**\n", 1);
    check("- one\n- two\n\nend\n", ("two", "2"), "- one\n- 2\n\nend\n", 1);
    check("```\nlet x = 1;\nlet y;\n```\n", ("1;\nlet", "2;\nmut"), "```\nlet x = 2;\nmut y;\n```\n", 1);
    check("| a | b |\n| --- | --- |\n| old | c |\n", ("old", "new"), "| a | b |\n| --- | --- |\n| new | c |\n", 1);
    check("| a | b |\n| --- | --- |\n| c | d |\n", ("c", "x\ny"), "| a | b |\n| --- | --- |\n| x<br>y | d |\n", 1);
    check("a[^1]\n\n[^1]: old note\n", ("old", "new"), "a[^1]\n\n[^1]: new note\n", 1);
    check("soft\nbreak\n", ("soft break", "x"), "x\n", 1);
    // What it says is text, whatever it looks like.
    check("a\n", ("a", "**b** {^} # c"), "\\*\\*b\\*\\* \\{^} # c\n", 1);
    check("a\n", ("b", "c"), "a\n", 0);
    check("a **b** c 🎉 d\n", ("🎉 d", "é"), "a **b** c é\n", 1);
}

#[test]
fn paragraphs_are_joined_parted_and_taken_away() {
    check("a one\n\ntwo b\n\nc\n", ("one\ntwo", "x"), "a x b\n\nc\n", 1);
    check("a\n\nb\n\nc\n", ("b", ""), "a\n\nc\n", 1);
    check("a\n\nb\n\n# c\n", ("b\n", ""), "a\n\n# c\n", 1);
    check("# {^ h.1}Head\n\na\n", ("Head", "Head\nmore"), "# {^ h.1}Head\n\nmore\n\na\n", 1);
    check("- one\n- two\n", ("one", "one\nhalf"), "- one\n- half\n- two\n", 1);
    check("a\n\nb\n", ("a", "a\n\nx"), "a\n\n\\\n\nx\n\nb\n", 1);
    // Two cells are not one text, nor is what stands around a table.
    check("| a | b |\n| --- | --- |\n| c | d |\n", ("a\nb", "x"), "| a | b |\n| --- | --- |\n| c | d |\n", 0);
    check("a\n\n---\n\nb\n", ("a\nb", "x"), "a\n\n---\n\nb\n", 0);
    check("a {^= kix.1 image} b\n", ("a", "x"), "x {^= kix.1 image} b\n", 1);
}

#[test]
fn what_both_texts_have_stays_as_it_is() {
    check(
        "intro\n\n# {^ h.1}Heading\n\nbody\n",
        ("intro\nHeading", "intro text\nHeading"),
        "intro text\n\n# {^ h.1}Heading\n\nbody\n",
        1,
    );
    check(
        "intro\n\n# {^ h.1}Heading\n\nbody\n",
        ("intro\nHeading\nbody", "intro\nHeading\nbody changed"),
        "intro\n\n# {^ h.1}Heading\n\nbody changed\n",
        1,
    );
    check("h\n\n- item one\n- item two\n", ("h\nitem one", "h\nitem 1"), "h\n\n- item 1\n- item two\n", 1);
    check("p\n\n1. a1\n2. b2\n", ("p\na1", "Z\np\na1"), "Z\n\np\n\n1. a1\n2. b2\n", 1);
    check("## h\n\n- a1\n- b2 c\n", ("h\na1", "left h\na1"), "## left h\n\n- a1\n- b2 c\n", 1);
    check("a s**s b**s c\n", ("ss bs c", "SS BS C"), "a SS **BS** C\n", 1);
    check("the **old** plan\n", ("the old plan", "a new idea"), "a **new** idea\n", 1);
    check("a **b** c\n", ("a b c", "a b c d"), "a **b** c d\n", 1);
    let (many, said) = ("x\n".repeat(LINES_MAX), "x\n\n".repeat(LINES_MAX));
    check("a\n\nb\n", ("a\nb", &format!("a\n{many}b")), &format!("a\n\n{said}b\n"), 1);
}

#[test]
fn empty_paragraphs_are_places_too() {
    check("Intro\n\n\\\n\nBody text\n", ("\nBody", "\nBODY"), "Intro\n\n\\\n\nBODY text\n", 1);
    check("mid\n\n\\\n\nq text\n", ("\nq ", "\nq "), "mid\n\n\\\n\nq text\n", 1);
    check("ab\n\n\\\n\ncd\n\n\\\n\nef\n", ("\n", "; "), "ab; ; cd; ; ef\n", 4);
    check("Intro\n\n\\\n\n\\\n\n\\\n\nBody text\n", ("\n\n", "\n"), "Intro\n\n\\\n\nBody text\n", 2);
    check("\\\n\n\\\n\nend x\n", ("end", "fin"), "\\\n\n\\\n\nfin x\n", 1);
}

#[test]
fn looks_between_paragraphs_part_no_text() {
    check(
        "body\n\n{!align:center}\n\ncent\n\nmore\n",
        ("y\nc", "y\nC"),
        "body\n\n{!align:center}\n\nCent\n\nmore\n",
        1,
    );
    check(
        "{!Title}\n\nTitle here\n\n{!Normal text}\n\nbody\n",
        ("Title here\nbody", "Title\nbody"),
        "{!Title}\n\nTitle\n\n{!Normal text}\n\nbody\n",
        1,
    );
    check("body\n\n{!align:center}\n\ncent\n\nmore\n", ("y\nc", "x"), "bodxent\n\n{!align:center}\n\nmore\n", 1);
}

#[test]
fn a_list_keeps_its_numbers_and_depths() {
    check("1. a1\n2. b2\n3. c3\n4. d4\n", ("b2", "b2 x"), "1. a1\n2. b2 x\n3. c3\n4. d4\n", 1);
    check("1. a1\n2. b2\n", ("b2", "b2\nc3"), "1. a1\n2. b2\n3. c3\n", 1);
    check("- one\n  - two\n  - three\n", ("two", "two x"), "- one\n  - two x\n  - three\n", 1);
}

#[test]
fn capital_letters_may_not_matter() {
    let find = |match_case| Find { text: "ÄRGER", match_case, all: true };
    let (text, count) = edited("Ärger ärger\n", |tree| replace(tree, find(false), By::Text("x")));
    assert_eq!((text.as_str(), count), ("x x\n", 2));
    assert_eq!(edited("Ärger\n", |tree| replace(tree, find(true), By::Text("x"))).1, 0);
}

#[test]
fn what_looks_as_it_says_is_found_by_its_looks() {
    let check = |text: &str, (old, new): (&str, &str), expected: &str| {
        let find = Find { text: old, match_case: true, all: false };
        let (found, _) = edited(text, |tree| replace_blocks(tree, &markup(old), find, &markup(new)));
        assert_eq!(found, expected, "{old:?} -> {new:?} in {text:?}");
    };
    let text = "Introduction here.\n\n# {^ h.1}Introduction\n\nOld.\n";
    check(
        text,
        ("# Introduction", "# Introduction\n\nA **new** one."),
        "Introduction here.\n\n# {^ h.1}Introduction\n\nA **new** one.\n\nOld.\n",
    );
    check(text, ("## Introduction", "x"), text);
    check(text, ("# Introduction\n\nOld.", "# Start\n- a"), "Introduction here.\n\n# {^ h.1}Start\n\n- a\n");
    check("a **b** c\n", ("**b**", "*d*"), "a *d* c\n");
    check("a b\n\n- b c\n", ("- b c", "- x\n- y"), "a b\n\n- x\n- y\n");
}

#[test]
fn text_goes_to_the_end_of_the_last_paragraph() {
    let check = |text: &str, more: &str, expected: &str| {
        let (found, _) = edited(text, |tree| {
            append(tree, more);
            1
        });
        assert_eq!(found, expected, "{more:?} to {text:?}");
    };
    check("a\n", " b", "a b\n");
    check("a\n", "\nb", "a\n\nb\n");
    check("a **b**\n", "c\n# d", "a **bc**\n\n\\# d\n");
    check("- a\n", "\nb", "- a\n- b\n");
    check("| a |\n| --- |\n", "b", "| a |\n| --- |\n\nb\n");
    check("a[^1]\n\n[^1]: note\n", " b", "a[^1] b\n\n[^1]: note\n");
    check("", "b", "b\n");
    check("---\ntitle: x\n---\n\na\n", " b", "---\ntitle: x\n---\n\na b\n");
}
