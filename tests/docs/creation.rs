//! A text becomes a document whatever stands in it: what cannot be made is left out or said otherwise, and told with its
//! line. No word goes untold.

use crate::support::model::{applied, document, fetched, without_heading_ids};
use mcp_workspace::gdocs;
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf;

/// Makes a document of a text; returns what it says, and what is told.
fn created(text: &str) -> (String, Vec<String>) {
    let blank = serde_json::to_vec(&gdocs::new_document("1d", "A text")).unwrap();
    let plans = docs::plan_creation(&blank, text).unwrap();
    let mut told: Vec<String> = Vec::new();
    for notice in plans.iter().flat_map(|plan| plan.refused.iter().chain(&plan.told)) {
        let notice = notice.to_string();
        if !told.contains(&notice) {
            told.push(notice);
        }
    }
    (fetched(&document(text)).parts[0].text.clone(), told)
}

/// Checks that the document says `found`, but for the ids of headings, and that each of `told` is told, and no more.
#[track_caller]
fn check(text: &str, found: &str, told: &[&str]) {
    let (said, notices) = created(text);
    let said = without_heading_ids(mebdf::body(&said));
    assert_eq!(said.trim_end(), found.trim_end(), "{notices:#?}");
    for part in told {
        assert!(notices.iter().any(|notice| notice.contains(part)), "{part:?} is not told: {notices:#?}");
    }
    assert_eq!(notices.len(), told.len(), "{notices:#?}");
}

#[test]
fn a_further_paragraph_of_an_item_stands_behind_it() {
    let found = "1. a\n\n{!indent-left:36pt, first-line-indent:36pt}\nmore\n\n{!Normal text}\n1. b\n";
    check("1. a\n\n   more\n2. b\n", found, &["line 3: ITEM_PARAGRAPH"]);
    let found = "- a\n  - b\n\n{!indent-left:72pt, first-line-indent:72pt}\n**more**\n\n{!Normal text}\nend\n";
    check("- a\n  - b\n\n    **more**\n\nend\n", found, &["line 4: ITEM_PARAGRAPH"]);
}

#[test]
fn a_table_gets_the_columns_that_its_rows_have() {
    check(
        "a\n\n| h | i |\n| --- | --- |\n| 1 | 2 | 3 |\n| 4 |\n\nb\n",
        "a\n\n| h | i |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 |  |  |\n\nb\n",
        &["line 5: TABLE_CELLS: this row has 3 cells and its table 2 columns; the table got 3 columns"],
    );
    check(
        "x\n\na | b\n--- | ---\n1 | 2 | 3\n1 | 2 | 3 | 4\n\ny\n",
        "x\n\n| a | b |  |  |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 |  |\n| 1 | 2 | 3 | 4 |\n\ny\n",
        &["line 5: TABLE_CELLS", "line 6: TABLE_CELLS"],
    );
}

#[test]
fn notes_without_a_reference_and_references_without_a_note_are_text() {
    check("a[^q] b\n", "a\\[^q\\] b\n", &["line 1: FOOTNOTE: [^q]"]);
    check("a\n\n[^1]: unused words\n", "a\n\n\\[^1\\]: unused words\n", &["line 3: FOOTNOTE: no text refers to [^1]"]);
    check(
        "a[^1]\n\n[^1]: see [^2]\n\n[^2]: two\n",
        "a[^1]\n\n\\[^2\\]: two\n\n[^1]: see \\[^2\\]\n",
        &["line 3: FOOTNOTE: [^2]", "line 5: FOOTNOTE: no text refers to [^2]"],
    );
    check(
        "{!Title}\na[^1]\n\n[^1]: one\n\n[^1]: two\n\n    three\n",
        "{!Title}\na[^1]\n\n{!Normal text}\n\\[^1\\]: two\n\nthree\n\n[^1]: one\n",
        &["line 6: FOOTNOTE: [^1] has a text already"],
    );
}

#[test]
fn objects_that_cannot_be_made_leave_their_words() {
    check("a {^= equation} b\n", "a b\n", &["line 1: LOCKED: the API cannot make this: equation; it was left out"]);
    check("a {^= equation} {^= toc} **b**\n", "a **b**\n", &["equation", "toc"]);
    check("a {^= kix.1 image \"alt words\"} b\n", "a alt words b\n", &["line 1: IMAGE: `kix.1`"]);
    check("- a\n- {^= equation}\n- b\n\n{^= toc}\n\nc\n", "- a\n- b\n\nc\n", &["line 2: LOCKED", "line 5: LOCKED"]);
    check("1. a\n\n{^= toc}\n\n1. b\n", "1. a\n\n\\\n\n1. b\n", &["line 3: LOCKED"]);
    check("{^= toc}\n", "\\\n", &["line 1: LOCKED"]);
    check("{^= date \"soon\"} {^= person \"Ana\"}.\n", "soon Ana.\n", &["no date", "a person is written as"]);
    check(
        "# H {^= pagebreak}\n\n| a {^= equation} | {^= pagebreak} |\n| --- | --- |\n\nc\n",
        "# H\n\n| a |  |\n| --- | --- |\n\nc\n",
        &["line 1: LOCKED", "line 3: LOCKED: the API", "line 3: LOCKED: a page break"],
    );
    check(
        "a[^1]\n\n[^1]: x {^= new image \"a.png\"} y {^= pagebreak}\n",
        "a[^1]\n\n[^1]: x y\n",
        &["line 3: IMAGE", "line 3: LOCKED"],
    );
    check("a {^= new image \"http://x.y/z.png\"} b\n", "a b\n", &["line 1: IMAGE: `http://x.y/z.png`"]);
}

#[test]
fn characters_anchors_and_links_that_cannot_be_are_told() {
    check("a\u{c}b c\n", "ab c\n", &["line 1: CHARACTER: the character U+000C"]);
    check(
        "```\na\u{1}b\n```\n\nx[^1]\u{c} y\n\n[^1]: n\n",
        "```\nab\n```\n\nx[^1] y\n\n[^1]: n\n",
        &["line 1: CHARACTER", "line 5: CHARACTER"],
    );
    check("a {^ kix.9}b\n", "a b\n", &["line 1: ANCHOR"]);
    let told = &["`/y` is not", "`javascript:x` is not", "has no address", "`x.md` is not"];
    check("[b](/y) and [d](javascript:x), [e](), [f](x.md)\n", "b and d, e, f\n", told);
    check("{!list:roman}\n1. a\n2. b\n", "1. a\n2. b\n", &["line 2: LIST_LOCKED"]);
}

#[test]
fn a_heading_in_an_item_is_the_item() {
    check("- # head\n- b\n", "- head\n- b\n", &["line 1: HEADING_IN_ITEM"]);
    check("1. ## **a**\n   1. # b\n", "1. **a**\n   1. b\n", &["line 1: HEADING_IN_ITEM", "line 2: HEADING_IN_ITEM"]);
}

#[test]
fn code_in_an_item_stands_behind_it() {
    check("- a\n- ```\n  x\n  ```\n", "- a\n- \\\n\n```\nx\n```\n", &["line 2: BLOCK_IN_ITEM: a Doc has no code"]);
    check("- a\n\n  ```\n  x\n  ```\n", "- a\n\n```\nx\n```\n", &[]);
}

#[test]
fn the_head_gives_header_and_footer() {
    let text = "---\ntitle: Other\nid: 1x\nheader: |\n  Head words\n  two\nfooter: Foot\ncolor: red\n---\n\ntext[^1]\n\n[^1]: n\n";
    let (said, told) = created(text);
    assert!(said.contains("header: |-\n  Head words\n  two\nfooter: Foot\n---\n\ntext[^1]\n\n[^1]: n\n"), "{said}");
    assert!(said.starts_with("---\ntitle: A text\nid: 1d\n"), "{said}");
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(told[0].starts_with("line 2: FRONT_MATTER: the document is called \"A text\""), "{told:#?}");
    assert!(told[1].starts_with("line 8: FRONT_MATTER: `color`"), "{told:#?}");
    let (said, told) = created("---\ntitle: A text\nfooter: Foot\n---\n");
    assert!(said.contains("footer: Foot\n---\n") && told.is_empty(), "{said} {told:#?}");
    let (said, told) = created("---\ntitle: A text\nheader: [x\n  y\n---\n");
    assert!(said.contains("header: \"[x y\"\n") && told.is_empty(), "{said} {told:#?}");
    check("---\nheader: x\nfooter\n---\n\ntext\n", "text\n", &["line 3: FRONT_MATTER"]);
}

#[test]
fn a_head_that_was_pasted_twice_is_no_text() {
    let head = "---\ntitle: T\nid: 1d\nurl: https://x.y\n---\n";
    for gap in ["", "\n"] {
        let text = format!("---\ntitle: A text\n---\n{gap}{head}\ntext\n");
        let line = if gap.is_empty() { "line 4: FRONT_MATTER_TWICE" } else { "line 5: FRONT_MATTER_TWICE" };
        check(&text, "text\n", &[line]);
        // In the file of a document as well.
        let raw = document("text\n");
        let remote = fetched(&raw);
        let own = mebdf::print(&mebdf::Tree { front_matter: mebdf::head(&remote.parts[0].text), blocks: Vec::new() });
        let file = format!("{own}{gap}{head}\ntext more\n");
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert_eq!(plan.refused.iter().map(|notice| &*notice.code).collect::<Vec<_>>(), ["FRONT_MATTER_TWICE"]);
        assert_eq!(mebdf::body(&fetched(&applied(&raw, &plan.requests, 9)).parts[0].text), "text more\n");
    }
    // What is no head of a document is a person's.
    check("---\ntitle: A text\n---\n\n---\nsome: words\n---\n", "## some: words\n", &["line 5: LOCKED"]);
}

#[test]
fn pictures_stand_beside_what_a_later_batch_makes() {
    let (picture, who) = ("{^= new image \"https://x.y/a.png\"}", "{^= person \"a@x.com\"}");
    let day = "{^= date \"2026-12-24\"}";
    for text in [
        format!("a {picture} {who} b\n"),
        format!("# H {picture} {picture}\n\nx[^1]\n\n| {picture} {day} |\n| --- |\n\ny\n\n[^1]: n\n"),
        format!("---\nheader: Words\n---\n\na {picture}\n\n{{^= pagebreak}}\n\nb {who} {picture} [H](#h)\n\n# H\n"),
    ] {
        let (said, told) = created(&text);
        let count = text.matches(picture).count();
        assert_eq!((said.matches(" image").count(), told), (count, Vec::new()), "{said}");
    }
    let text = format!("## {picture} words[^q]\n\n| a [b]() |\n| --- |\n\nc\n");
    let (said, told) = created(&text);
    assert_eq!((said.matches(" image").count(), told.len()), (1, 2), "{said} {told:#?}");
}

#[test]
fn text_between_two_rules_is_no_head() {
    check("---\n\n- a b\n\n---\n\nc\n", "- a b\n\nc\n", &["line 1: LOCKED", "line 5: LOCKED"]);
    check("---\n# a: b\n\n---\n\nc\n", "# a: b\n\nc\n", &["line 1: LOCKED", "line 4: LOCKED"]);
    check("---\n\nc\n", "c\n", &["line 1: LOCKED"]);
    check("---\n\n{^= toc}\n\na\n\n---\n", "a\n", &["line 1: LOCKED", "line 3: LOCKED", "line 7: LOCKED"]);
}
