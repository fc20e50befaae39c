//! Where a part of an edit cannot be pushed: no word is lost or doubled, no sentence is sent by halves, and all is told.

use crate::support::model::{applied, document, fetched, without_heading_ids};
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf;
use serde_json::{Value, json};

/// Saves `edited` as the file of a document that says `start`; returns what the document says then, and what was told.
fn saved(start: &str, edited: &str) -> (String, Vec<String>) {
    let raw = document(start);
    let remote = fetched(&raw);
    let head = mebdf::head(&remote.parts[0].text).unwrap();
    let head = mebdf::print(&mebdf::Tree { front_matter: Some(head), blocks: Vec::new() });
    let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}\n{edited}"), false).unwrap();
    let after = fetched(&applied(&raw, &plan.requests, 99));
    let told = plan.refused.iter().chain(&plan.holds).chain(&plan.told).map(ToString::to_string).collect();
    (mebdf::body(&after.parts[0].text).to_owned(), told)
}

/// Checks that the document says `found`, but for the ids of headings, after `edited` was saved, and that each of `told`
/// is told.
#[track_caller]
fn check(start: &str, edited: &str, found: &str, told: &[&str]) {
    let (text, notices) = saved(start, edited);
    let text = without_heading_ids(&text);
    assert_eq!(text.trim_end(), found.trim_end(), "{notices:#?}");
    for part in told {
        assert!(notices.iter().any(|notice| notice.contains(part)), "{part:?} is not told: {notices:#?}");
    }
    assert_eq!(notices.is_empty(), told.is_empty(), "{notices:#?}");
}

#[test]
fn a_paragraph_that_changes_places_with_a_table_stands_once() {
    let table = "| aa | bb |\n| --- | --- |\n| cc | dd |";
    for line in ["to be or not", "I am", "42", "日本語", "🙂", "some longer sentence of words", "- a b", "See it."]
    {
        let start = format!("intro here\n\n{table}\n\nmid para\n\n# Head\n\n{line}\n\nlast para\n");
        let edited = format!("intro here\n\n{line}\n\nmid para\n\n# Head\n\n{table}\n\nlast para\n");
        let (text, told) = saved(&start, &edited);
        assert_eq!(text.matches(line.trim_start_matches("- ")).count(), 1, "{line}: {text}\n{told:#?}");
        assert_eq!(text.matches("aa").count(), 1, "{line}: {text}\n{told:#?}");
    }
}

#[test]
fn what_a_row_has_no_cell_for_is_not_taken_from_where_it_stood() {
    let start = "intro\n\nlonger words here\n\nmid para\n\n| aa | bb |\n| --- | --- |\n| cc | dd |\n\nlast\n";
    let edited = "intro\n\nmid para\n\n| aa | bb |\n| --- | --- |\n| cc | dd | longer words here |\n\nlast\n";
    check(start, edited, start, &["TABLE_CELLS", "KEPT"]);
    let edited = start.replace("| cc | dd |", "| cc | dd | more |");
    check(start, &edited, start, &["TABLE_CELLS"]);
}

/// Markdown takes a nested list that begins with 2 for words of the item above it.
#[test]
fn a_nested_list_stays_one_when_its_first_item_goes() {
    let start = "1. aa\n2. bb\n   1. cc\n   2. dd\n   3. ee\n3. ff\n";
    let found = "1. aa\n2. bb\n   1. dd\n   2. ee\n3. ff\n";
    check(start, &start.replace("   1. cc\n", ""), found, &[]);
}

#[test]
fn a_paragraph_that_ends_with_a_chip_takes_the_place_of_words() {
    let chip = "{^= person \"p@x.com\"}";
    let table = "| a | b |\n| --- | --- |\n| c | d |";
    let page = |first: &str, last: &str| format!("Begin.\n\n{first}\n\n{table}\n\n{last}\n\nEnd.\n");
    let (words, chipped) = ("alpha1 gamma2 zeta3", &format!("eta17 {chip}"));
    check(&page(words, chipped), &page(chipped, words), &page(chipped, words), &[]);
    check(&page(words, "x"), &page(&format!("alpha1 {chip}"), "x"), &page(&format!("alpha1 {chip}"), "x"), &[]);
    let broken = &format!("alpha1 {chip}\\\nzeta3");
    check(&page("alpha1 gamma2\\\nzeta3", "x"), &page(broken, "x"), &page(broken, "x"), &[]);
}

/// A date shows what its language makes of it, and nothing else of it stands in the file.
#[test]
fn a_date_that_shows_too_little_to_be_made_again_is_asked_about() {
    let chip = |shown: &str| format!("{{^= date \"{shown}\"}}");
    let raw = |text: &str, shown: &str| -> Value {
        let raw = document(&text.replace("D", &chip("Mar 4, 2026")));
        serde_json::from_str(&raw.to_string().replace("Mar 4, 2026", shown)).unwrap()
    };
    for (shown, start, edited, is_asked) in [
        ("4 mars 2026", "On D it is.\n", "On it is.\n", true),
        ("Mar 4", "On D it is.\n", "On it is.\n", true),
        ("Mar 4", "Begin.\n\nD\n\nEnd.\n", "Begin.\n\nEnd.\n", true),
        ("Mar 4", "| a | b |\n| --- | --- |\n| c D | d |\n", "| a | b |\n| --- | --- |\n| c | d |\n", true),
        ("Mar 4", "On D it is.\n\nEnd.\n", "On it is.\n\nEnd D.\n", false),
        ("Mar 4", "On D it is.\n\nEnd D.\n", "On it is.\n\nEnd D.\n", false),
        ("Mar 4, 2026", "On D it is.\n", "On it is.\n", false),
    ] {
        let raw = raw(start, shown);
        let remote = fetched(&raw);
        let head = mebdf::print(&mebdf::Tree { front_matter: mebdf::head(&remote.parts[0].text), blocks: Vec::new() });
        let file = format!("{head}\n{}", edited.replace("D", &chip(shown)));
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        let codes: Vec<&str> = plan.holds.iter().map(|notice| notice.code.as_str()).collect();
        assert_eq!(codes == ["DESTROYS_OBJECT"], is_asked, "{shown} {edited}: {:?} {:?}", plan.holds, plan.refused);
        assert!(codes.is_empty() != is_asked && plan.refused.is_empty(), "{shown} {edited}: {:?}", plan.refused);
    }
}

#[test]
fn rows_that_cannot_be_joined_leave_no_empty_paragraph() {
    let page = |rows: &str| format!("Begin.\n\n{rows}\n\nEnd.\n\n[^1]: N1.\n");
    let head = "| x | y |\n| --- | --- |\n";
    for (was, file) in [
        ("| a | b |\n| --- | --- |\n| c[^1] | d |", "| a<br>c[^1] | b<br>d |\n| --- | --- |"),
        (&format!("{head}| a | b |\n| c[^1] | d |"), &format!("{head}| a<br>c[^1] | b<br>d |")),
        (&format!("{head}| a[^1] | b |\n| c | d |"), &format!("{head}| a[^1]<br>c | b<br>d |")),
        (&format!("{head}| aa bb[^1] | b |\n| cc | d |"), &format!("{head}| aa | bb[^1]<br>cc b d |")),
        ("| a | b[^1] | c |\n| --- | --- | --- |", "| a<br>b[^1] | c |\n| --- | --- |"),
    ] {
        let (text, told) = saved(&page(was), &page(file));
        // Either the rows are joined whole, or nothing is.
        assert!([page(was), page(file)].iter().any(|page| page.trim_end() == text.trim_end()), "{text}\n{told:#?}");
        assert_eq!(told.len(), usize::from(text.trim_end() == page(was).trim_end()), "{told:#?}");
    }
}

#[test]
fn a_paragraph_is_pushed_whole_or_not_at_all() {
    let start = "abc bold note[^1] end.\n\nzz\n\n[^1]: nn\n";
    let edited = "some quite different **important** words here.\n\nzz and more\n\n[^1]: nn\n";
    check(start, edited, "abc bold note[^1] end.\n\nzz and more\n\n[^1]: nn\n", &["line 8: LOCKED"]);
    let edited = "{!color:red}abc64x{/!}\n\nzz\n\n[^1]: nn\n";
    check(start, edited, start, &["line 8: LOCKED"]);
    let edited = "## some quite different words here.\n\nzz\n\n[^1]: nn\n";
    check(start, edited, start, &["LOCKED"]);
    let start = "intro\n\nlonger words here\n\nmid para\n\nlast\n";
    let (text, told) = saved(start, "intro\n\nmid {^= columnbreak} longer words here para\n\nlast\n");
    for word in ["mid", "longer words here", "para"] {
        assert_eq!(text.matches(word).count(), 1, "{word}: {text}\n{told:#?}");
    }
    assert!(!told.is_empty());
}

#[test]
fn a_form_that_is_read_as_text_is_told() {
    let start = "one two three.\n";
    check(start, "{!color:red}one two three.\n", "\\{!color:red}one two three.\n", &["line 8: UNCLOSED_FORMAT"]);
    check(start, "one{/!} two three.\n", "one\\{/!} two three.\n", &["STRAY_CLOSE"]);
    check(
        start,
        "one two three. ![a](http://x.y/z.png)\n",
        "one two three. !\\[a\\](http://x.y/z.png)\n",
        &["MARKDOWN_IMAGE"],
    );
    check(
        start,
        "one two three.\n\n> four\n> five\n",
        "one two three.\n\n\\> four > five\n",
        &["line 10: BLOCK_QUOTE"],
    );
    check(start, "- > one\n- \\> two\n", "- \\> one\n- \\> two\n", &["line 8: BLOCK_QUOTE"]);
    check(start, "a > b\n\n\\> c\n\n```\n> d\n```\n", "a > b\n\n\\> c\n\n```\n> d\n```\n", &[]);
    let table = |cell: &str| format!("one two three.\n\n| h | {cell} |\n| --- | --- |\n\n\\\n");
    check(start, &table("- a<br>- b"), &table("\\- a<br>\\- b"), &["line 10: LIST_IN_CELL"]);
    check(start, &table("a<br>2) b"), &table("a<br>2\\) b"), &["line 10: LIST_IN_CELL"]);
    check(start, &table("\\- a - b"), &table("\\- a - b"), &[]);
    check(start, &table("-"), &table("\\-"), &[]);
}

#[test]
fn a_picture_of_another_document_is_left_out_of_its_words() {
    let start = "one two\n\n| a | b |\n| --- | --- |\n\nlast\n";
    let told = &["`kix.abc` is no image", "write `{^= new image \"path\"}`"];
    let picture = "{^= kix.abc image \"x\"}";
    for place in ["one", "two", "| a", "last"] {
        let behind = |what: &str| start.replace(place, &format!("{place} {what}"));
        check(start, &behind(&format!("{picture} more")), &behind("more"), told);
    }
    let edited = start.replace("one", &format!("{picture} one")).replace("last", &format!("{picture}\n\nlast end"));
    check(start, &edited, &start.replace("last", "last end"), &["line 8: IMAGE", "line 13: IMAGE"]);
    let new = start.replace("last", &format!("- an item {picture}\n\nlast"));
    check(start, &new, &start.replace("last", "- an item\n\nlast"), told);
    let drawing = start.replace("one", "one {^= kix.abc drawing}");
    check(start, &drawing, start, &["`kix.abc` is no drawing", "the API cannot make one"]);
}

#[test]
fn a_directive_that_does_not_reach_what_stands_under_it_is_told() {
    let table = "| a | b |\n| --- | --- |\n| c | d |";
    let start = format!("aa\n\n{table}\n\nzz\n");
    let behind = |directive: &str| format!("aa\n\n{table}\n\n{directive}\nzz\n");
    for directive in ["{!align:center}", "{!space-before:12pt}", "{!Subtitle}"] {
        let edited = start.replace(table, &format!("{directive}\n{table}"));
        check(&start, &edited, &behind(directive), &["line 10: NO_EFFECT"]);
        // What stood over the table all along is no news.
        check(&edited, &edited.replace("zz", "zz end"), &behind(directive).replace("zz", "zz end"), &["NO_EFFECT"]);
    }
    let centered = "{!align:center}\naa\n\n| a |\n| --- |\n\nzz\n";
    check(centered, &centered.replace("zz", "yy"), &centered.replace("zz", "yy"), &[]);
    let start = "aa\n\n```\ncode\n```\n\nzz\n";
    let edited = "aa\n\n{!color:#c00000}\n```\ncode\n```\n\nzz\n";
    check(start, edited, "aa\n\n```\ncode\n```\n\n{!color:#c00000}zz{/!}\n", &["line 10: NO_EFFECT: `color`"]);
}

#[test]
fn glyphs_that_no_list_takes_are_told() {
    let start = "aa\n\nzz\n";
    check(start, "aa\n\n{!list:star}\nzz\n", start, &["line 10: NO_EFFECT: `star`"]);
    check(start, "aa\n\nzz\n\n{!list:star}\n", start, &["line 12: NO_EFFECT"]);
    check(start, "aa\n\n{!list:star}\n# Head\n\nzz\n", "aa\n\n# Head\n\nzz\n", &["line 10: NO_EFFECT"]);
    check(start, "aa\n\n{!list:check}\n1. zz\n", "aa\n\n1. zz\n", &["line 10: NO_EFFECT: `check`"]);
    check(start, "aa\n\n{!list:upper-roman}\n- zz\n", "aa\n\n- zz\n", &["NO_EFFECT: `upper-roman`"]);
    let found = "aa\n\nzz\n\n{!list:star}\n- ii\n";
    check(start, "{!list:star}\naa\n\nzz\n\n- ii\n", found, &[]);
    check(start, "aa\n\nzz\n\n{!list:disc}\n- ii\n", "aa\n\nzz\n\n- ii\n", &[]);
}

#[test]
fn a_list_that_cannot_be_made_holds_nothing_up() {
    let start = "intro\n\nmid\n\nlast\n";
    for list in ["{!list:decimal 5}\n5. mid", "{!list:foo}\n- mid"] {
        check(
            start,
            &format!("intro two\n\n{list}\n\nlast\n"),
            "intro two\n\nmid\n\nlast\n",
            &["line 11: LIST_LOCKED"],
        );
    }
    for list in ["{!list:roman}\n1. new", "{!list:decimal 5}\n5. new", "{!list:foo}\n- new"] {
        let edited = format!("intro two\n\nmid\n\nlast\n\n{list}\n");
        check(start, &edited, "intro two\n\nmid\n\nlast\n", &["line 15: LOCKED"]);
    }
}

/// A document whose first paragraph links to the heading `Old name`, with the id of that.
fn linked(start: &str) -> (Value, String) {
    let raw = document(start);
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    let id = text.split_once("{^ ").unwrap().1.split_once('}').unwrap().0.to_owned();
    let plan = docs::plan(&remote, &remote.parts[0].id, &text.replacen("here", &format!("[here](#^{id})"), 1), false);
    (applied(&raw, &plan.unwrap().requests, 5), id)
}

#[test]
fn a_heading_that_a_link_goes_to_keeps_its_id() {
    let check = |start: &str, old: &str, new: &str, found: &str, told: &[&str]| {
        let (raw, id) = linked(start);
        let remote = fetched(&raw);
        let text = &remote.parts[0].text;
        let (old, new) = (old.replace("ID", &id), new.replace("ID", &id));
        assert!(text.contains(&old), "{text}");
        let plan = docs::plan(&remote, &remote.parts[0].id, &text.replacen(&old, &new, 1), false).unwrap();
        let after = fetched(&applied(&raw, &plan.requests, 99)).parts[0].text.clone();
        assert!(after.contains(&found.replace("ID", &id)), "{after}\n{:#?}", plan.refused);
        let codes: Vec<&str> = plan.refused.iter().chain(&plan.holds).map(|notice| &*notice.code).collect();
        assert_eq!(codes, told, "{:#?}", plan.refused);
    };
    let start = "see here now\n\n## Old name\n\n| a |\n| --- |\n| b |\n\nend\n";
    // Nothing can be put between it and a table, and nothing else waits for that.
    check(
        start,
        "now\n\n## {^ ID}Old name\n\n",
        "then\n\n## {^ ID}Old name\n\nnew text\n\n",
        "then\n\n## {^ ID}Old name\n\n| a |",
        &["LOCKED"],
    );
    // One that is split keeps it, too.
    let start = "see here now\n\n## Old name\n\nend\n";
    check(start, "## {^ ID}Old name\n", "## {^ ID}Old\n\nname\n", "## {^ ID}Old\n\nname\n", &[]);
}

#[test]
fn what_was_moved_and_edited_beside_a_refusal_stands_once() {
    let start = "# H one\n\nbody\n";
    let (text, told) = saved(start, "{^= equation}\n\nbody\n\n# H one x\n");
    assert_eq!(text.matches("H one").count(), 1, "{text}\n{told:#?}");
    let start = "- item\n\nmoved text\n\n# Last\n";
    check(start, "- [ ] item {^= equation}\n\n# Last\n\nmoved text\n", "- item\n\n# Last\n\nmoved text\n", &["LOCKED"]);
}

#[test]
fn what_is_refused_is_named() {
    let wide = |cell: &str| format!("|{}", format!(" {cell} |").repeat(21));
    let table = format!("{}\n{}", wide("a"), wide("---"));
    check(
        "aa\n\nzz\n",
        &format!("aa\n\n{table}\n\nzz\n"),
        "aa\n\nzz\n",
        &["line 10: LOCKED: this table could not be made here: it has 21 columns, and at most 20 can be made"],
    );
    let start = "one words. more sentence here\n\ntwo\n\n| a | b |\n| --- | --- |\n| c | d |\n\nend\n";
    let edited = start.replace(" more sentence here", "").replace("| d |", "| d | more sentence here |");
    check(
        start,
        &edited,
        start,
        &["line 8: KEPT: the words `more sentence here` were removed", "line 14: TABLE_CELLS"],
    );
    let edited = start
        .replace("one words. more sentence here\n\n", "")
        .replace("| d |", "| d | one words. more sentence here |");
    check(start, &edited, start, &["KEPT: the paragraph `one words. more sentence here` was removed", "TABLE_CELLS"]);
    check("one\n\ntwo\n", "---\n\ntwo\n", "one\n\ntwo\n", &["line 8: KEPT: `one` was removed here", "line 8: LOCKED"]);
    let start = "# One\n\naa\n\n## Two\n\nbb note[^1]\n\n# Three\n\ncc\n\n[^1]: nn\n";
    let edited = "# One\n\naa\n\n# Three\n\ncc bb note[^1]\n\n[^1]: nn\n";
    check(
        start,
        edited,
        start,
        &["line 12: KEPT: the heading `Two` was removed", "line 12: LOCKED", "line 14: LOCKED"],
    );
}

/// A document of which the paragraph `two` has a picture beside it.
fn tethered() -> Value {
    let mut raw = document("one\n\ntwo\n\nend\n");
    let tab = &mut raw["tabs"][0]["documentTab"];
    tab["positionedObjects"] = json!({"kix.p": {"objectId": "kix.p", "positionedObjectProperties": {
        "embeddedObject": {"title": "Map", "imageProperties": {}}}}});
    let content = tab["body"]["content"].as_array_mut().unwrap();
    let line = content.iter_mut().find(|element| element["paragraph"].to_string().contains("two")).unwrap();
    line["paragraph"]["positionedObjectIds"] = json!(["kix.p"]);
    raw
}

#[test]
fn text_goes_beside_what_is_tethered_wherever_the_file_has_that() {
    let raw = tethered();
    let remote = fetched(&raw);
    let id = &remote.parts[0].id;
    let shown = "{^= kix.p image \"Map\"}two";
    for (edited, found) in [
        ("now {^= kix.p image \"Map\"}two", "{^= kix.p image \"Map\"}now two"),
        ("two {^= kix.p image \"Map\"}", "{^= kix.p image \"Map\"}two"),
        ("{^= pagebreak}{^= kix.p image \"Map\"}two", "{^= kix.p image \"Map\"}{^= pagebreak}two"),
    ] {
        let file = remote.parts[0].text.replace(shown, edited);
        let plan = docs::plan(&remote, id, &file, false).unwrap();
        assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
        let after = fetched(&applied(&raw, &plan.requests, 9));
        assert!(after.parts[0].text.contains(found), "{}", after.parts[0].text);
        let again = docs::plan(&after, id, &file, false).unwrap();
        assert!(again.requests.is_empty() && again.refused.is_empty(), "{edited}: {:#?}", again.requests);
    }
}

#[test]
fn what_stands_beside_a_paragraph_is_named_when_that_is_removed() {
    let raw = tethered();
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    let shown = text.lines().find(|line| line.ends_with("two")).unwrap();
    for (accept, other, otherwise) in [(false, "end", "ending"), (true, "end", "ending"), (true, "one", "first")] {
        let edited = text.replace(&format!("{shown}\n\n"), "").replace(other, otherwise);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, accept).unwrap();
        let told: Vec<String> = plan.refused.iter().map(ToString::to_string).collect();
        assert!(
            matches!(&told[..], [one] if one.contains("image \"Map\" stands beside") && !one.contains("footnote")),
            "{told:#?}"
        );
        let after = fetched(&applied(&raw, &plan.requests, 9)).parts[0].text.clone();
        assert!(after.contains(shown), "{after}");
        assert!(after.contains(otherwise) || otherwise == "ending", "{after}");
    }
}

/// The file does not show a blank before a line break, so no edit of it is meant for that blank.
#[test]
fn a_blank_before_a_line_break_stays() {
    let insert = json!({"insertText": {"location": {"index": 1}, "text": "one \u{b}two  \u{b}\u{b}three"}});
    let raw = applied(&document("zz\n"), &[insert], 3);
    let remote = fetched(&raw);
    let text = remote.parts[0].text.clone();
    assert!(text.contains("one\\\ntwo"), "{text}");
    for (old, new) in
        [("one", "1"), ("two", "2"), ("three", "3"), ("one", "one more"), ("two", "some two"), ("zz", "yy")]
    {
        let plan = docs::plan(&remote, &remote.parts[0].id, &text.replace(old, new), false).unwrap();
        assert!(plan.refused.is_empty(), "{:?}", plan.refused);
        let after = applied(&raw, &plan.requests, 99).to_string();
        let said = "one \\u000btwo  \\u000b\\u000bthree".replace(old, new);
        assert!(after.contains(&said), "{said}: {after}");
    }
}

#[test]
fn text_behind_an_empty_paragraph_is_a_paragraph() {
    check("one\n\n\\\n", "one\n\n\\\ntwo\n", "one\n\n\\\n\ntwo\n", &[]);
}

/// All the ways to cut words into paragraphs, at most three.
fn cuts(words: &[&str]) -> Vec<Vec<String>> {
    let mut cuts = vec![vec![words.join(" ")]];
    for a in 1..words.len() {
        cuts.push(vec![words[..a].join(" "), words[a..].join(" ")]);
        cuts.extend(
            (a + 1..words.len()).map(|b| vec![words[..a].join(" "), words[a..b].join(" "), words[b..].join(" ")]),
        );
    }
    cuts
}

#[test]
fn what_slid_to_a_paragraph_beside_a_refusal_stays() {
    check(
        "alpha one two x\n\nthree\n",
        "alpha one {^= equation} x\n\ntwo three\n",
        "alpha one two x\n\nthree\n",
        &["TORN"],
    );
    let start = "alpha one two three four x\n\nfive six\n";
    check(start, "alpha one {^= equation} x\n\ntwo three four five six\n", start, &["TORN"]);
    // A short word that is there twice by chance, in changes that do not touch, holds nothing up.
    check(
        "see the cat\n\nmid para\n\nzz\n",
        "see it {^= equation}\n\nmid para\n\nthe zz\n",
        "see the cat\n\nmid para\n\nthe zz\n",
        &["LOCKED"],
    );
}

#[test]
fn paragraphs_that_are_cut_anew_beside_a_refusal_are_old_or_new() {
    let words = ["al", "to be", "ga", "or", "ep", "no"];
    for start in cuts(&words[..5]) {
        for (edited, at) in cuts(&words).into_iter().flat_map(|cut| (0..cut.len()).map(move |at| (cut.clone(), at))) {
            let mut refused = edited.clone();
            refused[at] = format!("{} {{^= equation}}", edited[at]);
            let (text, told) = saved(&start.join("\n\n"), &refused.join("\n\n"));
            let context = || format!("{start:?} -> {refused:?}: {text:?} {told:#?}");
            assert!(!told.is_empty(), "{}", context());
            for paragraph in text.lines().filter(|line| !line.is_empty()) {
                let known = start.iter().chain(&edited).any(|known| known == paragraph.trim_end());
                assert!(known, "{paragraph:?} is nobody's: {}", context());
            }
            for word in &words[..5] {
                assert_eq!(text.matches(word).count(), 1, "{word}: {}", context());
            }
        }
    }
}

#[test]
fn what_cannot_stand_behind_a_last_heading_is_told_with_a_way_out() {
    let start = "see [H](#h) here\n\n# H\n";
    let raw = document(start);
    let text = fetched(&raw).parts[0].text.clone();
    for more in ["new text\n", "| a |\n| --- |\n| b |\n", "# Next\n\nbody\n"] {
        let edited = format!("{}\n{more}", text.replace("see", "see now"));
        let remote = fetched(&raw);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        assert!(plan.refused.iter().all(|notice| notice.message.contains("press Enter")), "{:#?}", plan.refused);
        assert!(!plan.refused.is_empty() && plan.refused[0].line > 8, "{:#?}", plan.refused);
        let after = fetched(&applied(&raw, &plan.requests, 99)).parts[0].text.clone();
        assert_eq!(after, text.replace("see", "see now"));
        // The way out: the paragraph that Google Docs makes behind the heading takes it.
        let raw = document(&format!("{start}\n\\\n"));
        let remote = fetched(&raw);
        let text = remote.parts[0].text.replace("\\\n", more);
        let plan = docs::plan(&remote, &remote.parts[0].id, &text, false).unwrap();
        assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
    }
}

/// All orders of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

#[test]
fn rows_and_columns_move_whole_or_not_at_all() {
    let cells = [["Ana", "old", "111"], ["Ben", "new", "222"], ["Cid", "mid", "333"]];
    let table = |note: (usize, usize), rows: [usize; 3], columns: [usize; 3]| {
        let row = |row: usize| {
            let cell =
                |column: usize| format!("{}{}", cells[row][column], if note == (row, column) { "[^1]" } else { "" });
            format!("| {} |\n", columns.map(cell).join(" | "))
        };
        let [first, second, third] = rows.map(row);
        format!("one\n\n{first}| --- | --- | --- |\n{second}{third}\ntwo\n\n[^1]: a note.\n")
    };
    for note in (0..9).map(|at| (at / 3, at % 3)) {
        let start = table(note, ORDERS[0], ORDERS[0]);
        let orders = ORDERS.iter().flat_map(|order| [(*order, ORDERS[0]), (ORDERS[0], *order)]);
        for (rows, columns) in orders.skip(2) {
            let edited = table(note, rows, columns).replace("two", "two three");
            let (text, told) = saved(&start, &edited);
            let kept = start.replace("two", "two three");
            assert!(text == edited || (text == kept && !told.is_empty()), "{start}\n{edited}\n{text}\n{told:#?}");
        }
    }
}

/// Lines of the text stand in the file below its head.
#[test]
fn what_is_refused_in_a_table_names_its_row() {
    let start = "intro\n\n| aa | bb |\n| --- | --- |\n| cc | dd |\n| ee | ff |\n\nlast\n";
    let edit = |old: &str, new: &str| start.replace(old, new);
    check(start, &edit("ee |", "ee {^= equation} |"), start, &["line 13: LOCKED: the API cannot make this: equation"]);
    check(start, &edit("aa |", "aa {^= equation} |"), start, &["line 10: LOCKED"]);
    check(start, &edit("cc |", "cc {^= pagebreak} |"), start, &["line 12: LOCKED"]);
    check(start, &edit("ff |", "ff[^x] |"), start, &["line 13: LOCKED: the reference [^x]"]);
    check(start, &edit("dd", "[dd](nowhere)"), start, &["line 12: LINK_LOCKED"]);
    check(
        start,
        &edit("cc | dd", "cc1 | dd {^= new image \"ftp://x\"}").replace("ff", "ff2"),
        &edit("cc", "cc1").replace("ff", "ff2"),
        &["line 12: IMAGE: `ftp://x` is neither"],
    );
}

#[test]
fn a_row_with_a_cell_too_many_says_that_its_table_waits() {
    let start = "intro\n\n| aa | bb |\n| --- | --- |\n| cc | dd |\n| ee | ff |\n\nlast\n";
    let edited = start.replace("| cc | dd |", "| cc | dd | more |").replace("ff", "ff2").replace("last", "last2");
    let told = ["line 12: TABLE_CELLS: ", "all edits of this table wait until the row fits"];
    check(start, &edited, &start.replace("last", "last2"), &told);
}

#[test]
fn a_row_that_was_moved_names_the_picture_that_it_lacks() {
    let start = "intro\n\n| aa | bb |\n| --- | --- |\n| aa2 | 1 |\n| cc3 | 2 |\n| dd4 | 3 |\n\nlast\n";
    let edited = "intro\n\n| aa | bb |\n| --- | --- |\n| cc3 | 2 |\n| dd4 | 3 |\n| aa2 {^= new image \"ftp://x\"} | 1 |\n\nlast\n";
    let (text, told) = saved(start, edited);
    assert_eq!(text.matches("aa2").count(), 1, "{text}\n{told:#?}");
    assert!(told.iter().any(|told| told.contains("`ftp://x` is neither")), "{text}\n{told:#?}");
}

#[test]
fn a_footnote_without_a_reference_is_told_so() {
    let start = "one[^1] two\n\nlast\n\n[^1]: note\n";
    check(start, &start.replace("note\n", "note\n\n[^9]: more\n"), start, &["line 14: LOCKED: no text refers to this"]);
    let doubled = start.replace("note\n", "note\n\n[^1]: more\n");
    let (text, told) = saved(start, &doubled);
    assert_eq!(text, start, "{told:#?}");
    assert!(told.iter().any(|told| told.contains("the footnote of this label has a text already")), "{told:#?}");
}

#[test]
fn footnotes_that_change_texts_are_pushed() {
    let start = "one[^1] two\n\nthree[^2] four\n\n[^1]: first note\n\n[^2]: second one\n";
    let edited = "one[^1] two\n\nthree[^2] four\n\n[^1]: second one\n\n[^2]: first note\n";
    check(start, edited, edited, &[]);
    // Where the reference stands as it did, it is the same footnote, whatever took the place of its text.
    let edited = "one[^1] two\n\n- three[^2] four\n\n[^1]: some second one\n";
    let (text, told) = saved(start, edited);
    assert!(text.starts_with("one[^1] two\n") && text.contains("[^2] four"), "{text}\n{told:#?}");
    // With the references it is nothing but another order of the labels.
    check(start, "one[^2] two\n\nthree[^1] four\n\n[^1]: second one\n\n[^2]: first note\n", start, &[]);
}

/// Who copies a sentence with its footnote takes no footnote from the document, whatever becomes of the text of that.
#[test]
fn a_second_reference_leaves_the_first_its_footnote() {
    let start = "one\n\ntwo[^1] three\n\n[^1]: a first note\n";
    for note in ["a first note", "all other words"] {
        let edited = format!("one[^1] more\n\ntwo[^1] three\n\n[^1]: {note}\n");
        check(
            start,
            &edited,
            &format!("one\n\ntwo[^1] three\n\n[^1]: {note}\n"),
            &["line 8: LOCKED: the reference [^1] cannot be made here"],
        );
    }
}

#[test]
fn a_code_block_that_is_not_closed_is_named() {
    let start = "one[^1] two\n\nmid\n\nlast\n\n[^1]: note\n";
    let (_, told) = saved(start, &start.replace("mid", "```\nmid"));
    assert!(told.iter().any(|told| told.contains("line 10: CODE_OPEN")), "{told:#?}");
    check("one\n\nlast\n", "one\n\n```\nlast\n```\n\nend {^= equation}\n", "one\n\n```\nlast\n```\n", &["LOCKED"]);
}

#[test]
fn words_that_a_fence_takes_from_the_document_are_refused() {
    let start = "# Section One\n\nin Python\n\nend\n";
    let codes = |old: &str, edited: &str| {
        let raw = document(start);
        let remote = fetched(&raw);
        let text = &remote.parts[0].text;
        let id = text.split_once("{^ ").unwrap().1.split_once('}').unwrap().0;
        let text = text.replace(&format!("{{^ {id}}}"), "");
        assert!(text.contains(old), "{text}");
        let plan = docs::plan(&remote, &remote.parts[0].id, &text.replace(old, edited), false).unwrap();
        let after = fetched(&applied(&raw, &plan.requests, 9)).parts[0].text.clone();
        let code = |notices: &[mcp_workspace::model::Notice]| {
            notices.iter().map(|notice| notice.code.clone()).collect::<Vec<_>>()
        };
        (code(&plan.refused), code(&plan.unsaid), after.contains("Section One"))
    };
    let language = vec!["CODE_LANGUAGE".to_owned()];
    for name in ["Python", "rust", "c++"] {
        let edited = format!("in Python\n\n```{name}\nx = 1\n```");
        assert_eq!(codes("in Python", &edited), (vec![], language.clone(), true));
    }
    let (refused, unsaid, stands) = codes("# Section One\n\nin Python", "```## Section One\nin Python\n```");
    assert!(
        refused == language && unsaid.is_empty() || !refused.is_empty() && stands,
        "{refused:?} {unsaid:?} {stands}"
    );
}

#[test]
fn a_value_that_is_none_is_told_where_the_directive_says_it() {
    let start = "one\n\ntwo\n\nthree\n";
    check(start, "one\n\n{!align:sideways}\ntwo\n\nthree\n", start, &["line 10: STYLE_VALUE: `sideways` is no value"]);
    check(
        start,
        "one\n\ntwo {!color:nocolor}three{/!} four\n\nthree\n",
        "one\n\ntwo three four\n\nthree\n",
        &["line 10: STYLE_VALUE"],
    );
}

#[test]
fn a_row_or_column_with_a_footnote_goes_with_its_text_or_stays() {
    let start = "intro\n\n| h1 | h2 | h3 |\n| --- | --- | --- |\n| aa1 | bb1[^1] | cc1 |\n| aa2 | bb2 | cc2 |\n| aa3 | bb3 | cc3 |\n\nend\n\n[^1]: note text\n";
    let (text, row) = ("\n\n[^1]: note text", "| aa1 | bb1[^1] | cc1 |\n");
    let without_column = "intro\n\n| h1 | h3 |\n| --- | --- |\n| aa1 | cc1 |\n| aa2 | cc2 |\n| aa3z | cc3 |\n\nend\n";
    let edited = start.replace(row, "").replace(text, "").replace("aa3", "aa3z");
    check(start, &edited, &edited, &[]);
    check(start, without_column, without_column, &[]);
    // Where the text stands, the footnote does, and the other edits of the table are pushed.
    let pushed = start.replace("aa3", "aa3z");
    let once = |edited: &str, line: &str| {
        check(start, edited, &pushed, &[line]);
        assert_eq!(saved(start, edited).1.len(), 1, "{:#?}", saved(start, edited).1);
    };
    once(
        &pushed.replace(row, ""),
        "line 12: LOCKED: a row that was removed here stays in the document: the text of a footnote",
    );
    let noted = format!("{without_column}\n[^1]: note text\n");
    once(&noted, "line 10: LOCKED: a column that was removed here stays");
    // With a new column, the row that stays has an empty cell there.
    let wide = "intro\n\n| h1 | h2 | h3 | h4 |\n| --- | --- | --- | --- |\n| aa2 | bb2 | cc2 | dd2 |\n| aa3 | bb3 | cc3 | dd3 |\n\nend\n\n[^1]: note text\n";
    let stays = wide.replace("| aa2", "| aa1 | bb1[^1] | cc1 |  |\n| aa2");
    check(start, wide, &stays, &["a row that was removed here stays"]);
}

/// What a tab says, each paragraph with the blanks that no file shows.
fn paragraphs(raw: &Value) -> Vec<String> {
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap().iter();
    let elements = content.filter_map(|element| element["paragraph"]["elements"].as_array());
    let text = |elements: &Vec<Value>| elements.iter().filter_map(|part| part["textRun"]["content"].as_str()).collect();
    elements.map(text).collect()
}

#[test]
fn a_paragraph_that_is_split_leaves_no_blank_at_an_end() {
    for (start, edited) in [
        ("one two beta three four gamma five six", "beta three four\n\none two\n\ngamma five six"),
        ("one two. **beta three four.** gamma", "**beta three four.**\n\none two.\n\ngamma"),
        ("alpha to", "alpha new\n\nto"),
        ("alpha zeta I", "alpha I\n\nzeta"),
        ("I eps beta\n\nto", "eps I\n\nbeta\n\nto"),
    ] {
        let raw = document(&format!("{start}\n\nlast\n"));
        let remote = fetched(&raw);
        let file = remote.parts[0].text.replace(start, edited);
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
        let after = applied(&raw, &plan.requests, 99);
        let expected: Vec<String> =
            format!("{edited}\n\nlast").split("\n\n").map(|line| line.replace("**", "") + "\n").collect();
        assert_eq!(paragraphs(&after), expected, "{start}");
    }
}

#[test]
fn a_character_that_no_doc_has_is_left_out_wherever_it_stands() {
    let start = "alpha beta\n\nlast\n";
    let told = &["line 8: CHARACTER: the character U+E000 cannot stand in a Google Doc"];
    for (words, found) in [
        ("alpha be\u{e000}ta more", "alpha beta more"),
        ("alpha new\u{e000}word beta", "alpha newword beta"),
        ("alpha `a\u{e000}b` beta", "alpha `ab` beta"),
        ("alpha **\u{e000}** beta", "alpha  beta"),
    ] {
        let (text, notices) = saved(start, &start.replace("alpha beta", words));
        assert_eq!(text, start.replace("alpha beta", found), "{notices:#?}");
        assert!(notices.len() == 1 && notices[0].starts_with(told[0]), "{notices:#?}");
    }
    let code = "alpha beta\n\n```\nx\u{e000}y\n```\n\nlast\n";
    let (text, notices) = saved(start, code);
    assert_eq!(text, code.replace('\u{e000}', ""), "{notices:#?}");
    assert!(notices.len() == 1 && notices[0].contains("CHARACTER"), "{notices:#?}");
}

/// A line that says so is for whoever reads.
#[test]
fn only_the_document_says_what_is_read_only() {
    let raw = document("intro\n\n| aa | bb |\n| --- | --- |\n| cc | dd |\n\nmid\n\nlast\n");
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
    let table = content.iter().find(|element| element["table"].is_object()).unwrap()["startIndex"].as_u64().unwrap();
    let cell = json!({ "tableStartLocation": { "index": table }, "rowIndex": 0, "columnIndex": 0 });
    let range = json!({ "tableCellLocation": cell, "rowSpan": 1, "columnSpan": 2 });
    let raw = applied(&raw, &[json!({ "mergeTableCells": { "tableRange": range } })], 5);
    let remote = fetched(&raw);
    let part = &remote.parts[0];
    let stays = "this part stays read-only: merged cells; put the `{!locked}` line before it back";
    let nothing = "a file locks nothing: take the `{!locked}` line away, or end its part with `{!locked:false}`";
    for (was, becomes, told) in [
        ("{!locked:merged cells}\n", "", ("| aa<br>bb", stays)),
        ("{!locked:false}\n", "", ("mid", nothing)),
        ("last\n", "{!locked}\nlast\n", ("last", nothing)),
    ] {
        assert_eq!(part.text.matches(was).count(), 1, "{}", part.text);
        let edited = part.text.replace(was, becomes);
        let plan = docs::plan(&remote, &part.id, &edited, false).unwrap();
        let line = edited.lines().position(|line| line.starts_with(told.0)).unwrap() as u32 + 1;
        let found: Vec<_> = plan.refused.iter().map(|notice| (&*notice.code, notice.line, &*notice.message)).collect();
        assert_eq!((plan.requests.len(), found), (0, vec![("LOCKED", line, told.1)]), "{edited}");
    }
}
