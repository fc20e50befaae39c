//! What can be made arrives whole, in one push: tables beside anything, chips, lists.

use std::collections::BTreeMap;

use crate::support::model::without_heading_ids;
use mcp_workspace::gdocs;
use mcp_workspace::kinds::PushPlan;
use mcp_workspace::kinds::docs::{self, Access};
use serde_json::Value;

const URL: &str = "https://docs.google.com/document/d/x/edit";

pub(crate) fn text_of(raw: &Value) -> String {
    let fetched = docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, URL).unwrap();
    let text = &fetched.parts[0].text;
    text.splitn(3, "---\n").nth(2).unwrap_or(text).trim_start().to_owned()
}

pub(crate) fn created(text: &str) -> Result<Value, String> {
    let mut raw = serde_json::to_value(gdocs::new_document("x", "New")).unwrap();
    raw["revisionId"] = "r".into();
    let plans = docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), text).map_err(|error| error.to_string())?;
    for (seed, plan) in plans.iter().enumerate() {
        let document: gdocs::Document = serde_json::from_value(raw).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        raw = serde_json::to_value(gdocs::apply(&document, &requests, seed as u64).unwrap().document).unwrap();
    }
    Ok(raw)
}

/// Pushes a file as the daemon does: once, and again while a plan asks for it. Returns the codes and lines of what is not
/// pushed by the first plan, and the document.
pub(crate) fn pushed(raw: &Value, edited: &str) -> (Vec<String>, Value) {
    let (mut raw, mut told) = (raw.clone(), None);
    for round in 0..4 {
        let remote = docs::read(serde_json::to_vec(&raw).unwrap(), Access::Edit, URL).unwrap();
        let head = &remote.parts[0].text[..remote.parts[0].text.len() - text_of(&raw).len()];
        let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}{edited}"), false).unwrap();
        let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        let after =
            gdocs::apply(&document, &requests, 77 + round).unwrap_or_else(|refusal| panic!("{}", refusal.message));
        raw = serde_json::to_value(after.document).unwrap();
        let notices = plan.refused.iter().chain(&plan.holds);
        told.get_or_insert(notices.map(|notice| format!("{} {}", notice.code, notice.line)).collect());
        if !plan.again {
            let again = docs::read(serde_json::to_vec(&raw).unwrap(), Access::Edit, URL).unwrap();
            let text = again.parts[0].text.clone();
            assert!(docs::plan(&again, &again.parts[0].id, &text, false).unwrap().requests.is_empty(), "{edited}");
            return (told.unwrap(), raw);
        }
    }
    panic!("the plan asks for another without end: {edited}");
}

/// The lists of the items of a document, by order of appearance.
pub(crate) fn lists(raw: &Value) -> Vec<usize> {
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
    let mut known: Vec<&Value> = Vec::new();
    let ids = content.iter().filter_map(|element| element["paragraph"]["bullet"].get("listId"));
    ids.map(|id| {
        known.iter().position(|other| *other == id).unwrap_or_else(|| {
            known.push(id);
            known.len() - 1
        })
    })
    .collect()
}

const TABLE: &str = "| h | i |\n| --- | --- |\n| x | y |\n";

/// What a file says without anchors of headings; `T` stands for a table.
fn canonical(text: &str) -> String {
    without_heading_ids(&text.replace(TABLE, "T\n")).trim_end().to_owned()
}

/// Creates a document; it says `found`, or the text itself where that is empty. `T` stands for a table.
#[track_caller]
fn check_created(text: &str, found: &str) {
    let text_of_file = text.replace("T\n", TABLE);
    let raw = created(&text_of_file).unwrap();
    // Once it says the text, nothing is left to write.
    let left = docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), &text_of_file).unwrap();
    assert!(left.iter().all(|plan| plan.requests.is_empty()), "{text}: {left:?}");
    assert_eq!(canonical(&text_of(&raw)), if found.is_empty() { text } else { found }.trim_end(), "{text}");
}

#[test]
fn a_long_text_with_tables_is_created() {
    for sections in [15, 60] {
        let text: String = (0..sections)
            .map(|at| format!("# Sec {at}\n\npara {at}\n\n- [ ] a{at}\n- [ ] b{at}\n\nT\n\nclosing {at}\n\n"))
            .collect();
        check_created(&text, "");
    }
}

#[test]
fn tables_are_created_beside_anything() {
    check_created("# h1\n\nT\n\npara\n", "");
    check_created("- i\n\nT\n", "- i\n\nT\n\n\\");
    check_created("T\n", "\\\n\nT\n\n\\");
    check_created("T\n\nT\n", "\\\n\nT\n\n\\\n\nT\n\n\\");
    check_created("T\n\n# H\n\nT\n", "\\\n\nT\n\n# H\n\nT\n\n\\");
    check_created("T\n\n- i\n", "\\\n\nT\n\n- i");
    check_created("1. a\n2. b\n\nT\n\n1. c\n\nT\n\n- d\n", "");
    check_created("# A\n\n# B\n\nT\n\n## C\n\nT\n\npara\n\nT\n\nend\n", "");
    check_created("- a\n  - b\n\nT\n\npara\n\nT\n\n- c\n  - d\n", "");
    check_created("# H\n", "");
    check_created("- a\n- b\n", "");
    check_created("\\\n\n\\\n\nT\n\n# h\n", "");
    check_created("p\n\n\\\n\n\\\n\nT\n\n- h\n", "");
    check_created("p\n\n\\\n\n\\\n\nT\n\n\\\n\n\\\n\n# h\n", "");
}

#[test]
fn what_a_new_document_does_without_is_told() {
    for (text, found, told) in [
        ("- [x] aa\n- [ ] bb\n", "- [ ] aa\n- [ ] bb\n", &["TICK 1"][..]),
        ("aa[^1]\n\n- [x] bb\n\n[^1]: cc\n", "aa[^1]\n\n- [ ] bb\n\n[^1]: cc\n", &["TICK 3"]),
        ("```js\nlet a;\n```\n", "```\nlet a;\n```\n", &["CODE_LANGUAGE 1"]),
        ("aa \0 b\n\nc\n\nd\0\n", "aa \u{fffd} b\n\nc\n\nd\u{fffd}\n", &["CHARACTER 1", "CHARACTER 5"]),
        ("```\na\n\0b  \n```\n", "```\na\n\u{fffd}b\n```\n", &["CHARACTER 3", "CODE_BLANKS 3"]),
        (
            "a[^1]\nb[^1] c[^2]\n\n[^1]: n\n\n[^2]: m\n",
            "a[^1] b[^2] c[^3]\n\n[^1]: n\n\n[^2]: n\n\n[^3]: m\n",
            &["FOOTNOTE 2"],
        ),
        ("aa\n\n3. bb\n", "aa\n\n1. bb\n", &["LIST_START 3"]),
        ("> aa\n\n{!color:red}bb\n", "\\> aa\n\n\\{!color:red}bb\n", &["BLOCK_QUOTE 1", "UNCLOSED_FORMAT 3"]),
        ("aa ![b](c)\n", "aa !\\[b\\](c)\n", &["MARKDOWN_IMAGE 1"]),
        ("{!list:star}\naa [b](#c)\n", "aa b\n", &["LINK_LOCKED 2", "NO_EFFECT 1"]),
        ("aa\n\n- bb\n", "aa\n\n- bb\n", &[]),
        ("aa\n\n---\n\nbb\n", "aa\n\nbb\n", &["LOCKED 3"]),
        ("***\naa\n***\n- bb\n***\n", "aa\n\n- bb\n", &["LOCKED 1", "LOCKED 3", "LOCKED 5"]),
        ("1. aa\n\n---\n\n1. bb\n", "1. aa\n\n\\\n\n1. bb\n", &["LOCKED 3"]),
        ("T\n\n---\n\nT\n", "\\\n\nT\n\n\\\n\nT\n\n\\", &["LOCKED 5"]),
    ] {
        let text = &text.replace("T\n", TABLE);
        let blank = serde_json::to_vec(&gdocs::new_document("x", "New")).unwrap();
        let plans = docs::plan_creation(&blank, text).unwrap();
        let told_of = |plan: &PushPlan| plan.refused.iter().chain(&plan.told).cloned().collect::<Vec<_>>();
        let mut is: Vec<_> = plans.iter().flat_map(told_of).map(|n| format!("{} {}", n.code, n.line)).collect();
        is.sort();
        is.dedup();
        assert_eq!(is, told, "{text}");
        check_created(text, found);
    }
    // Docs has no table with so many columns, and the words would be lost.
    let error = created(&format!("| a |\n| --- |\n|{}\n", " b |".repeat(21))).unwrap_err();
    assert!(error.starts_with("the text cannot become a document as it is: line 3: TABLE_CELLS"), "{error}");
}

#[test]
fn footnotes_are_created_in_any_order() {
    let found = "b[^1] a[^2]\n\n[^1]: two\n\n[^2]: one\n";
    check_created("b[^2] a[^1]\n\n[^1]: one\n\n[^2]: two\n", found);
    check_created("b[^x] a[^y]\n\n[^y]: one\n\n[^x]: two\n", found);
    let who = "{^= person \"a@x.com\"}";
    check_created(
        &format!("b[^2] a[^1]\n\n[^1]: {who} and one\n\n[^2]: {who}\n"),
        &format!("b[^1] a[^2]\n\n[^1]: {who}\n\n[^2]: {who} and one\n"),
    );
    // Docs has a footnote for each reference.
    check_created("a[^1] b[^1]\n\n[^1]: one\n", "a[^1] b[^2]\n\n[^1]: one\n\n[^2]: one\n");
    check_created(
        "a[^2] b[^1]\n\n- c[^2]\n\n[^1]: one\n\n[^2]: two\n",
        "a[^1] b[^2]\n\n- c[^3]\n\n[^1]: two\n\n[^2]: one\n\n[^3]: two\n",
    );
    // Pushed as well.
    for (start, text, found) in [
        ("x\n", "b[^2] a[^1]\n\n[^1]: one\n\n[^2]: two\n", found),
        (
            "x[^1]\n\n[^1]: old\n",
            "b[^3] a[^2] x[^1]\n\n[^1]: old\n\n[^2]: one\n\n[^3]: two\n",
            "b[^1] a[^2] x[^3]\n\n[^1]: two\n\n[^2]: one\n\n[^3]: old\n",
        ),
    ] {
        let (told, raw) = pushed(&created(start).unwrap(), text);
        assert_eq!((told, &*text_of(&raw)), (Vec::new(), found), "{text}");
    }
}

#[test]
fn looks_are_created() {
    check_created("p\n\n{!Title}\n- a\n- b\n", "");
    check_created("- a\n\n{!Title}\n- b\n", "");
    check_created("```\na\n\nb\n```\n", "");
    check_created("p\n\n```\na\n\n\nb\n```\n\nq\n", "");
    let raw = created("p\n\n\\\n\nq\n").unwrap();
    let (told, raw) = pushed(&raw, "p\n\n```\na\n\nb\n```\n\nq\n");
    assert_eq!((told, &*text_of(&raw)), (Vec::new(), "p\n\n```\na\n\nb\n```\n\nq\n"));
}

#[test]
fn objects_are_created_beside_each_other() {
    let (one, two) = ("{^= date \"2026-12-24\"}", "{^= date \"2026-12-25\"}");
    let who = "{^= person \"a@x.com\"}";
    for text in [
        format!("x {one} and {two}."),
        format!("{one} and {two}"),
        "On {^= date \"Mar 4, 2026\"} at {^= date \"Mar 4, 2026 3:30 PM\"}.".into(),
        format!("{who}{one}"),
        format!("{one}, {one} and\\\n{two} or {who}."),
        format!("- {who} and {one} of {two}\n- b {one}, {two}"),
        format!("# H {one}, {two}\n\n{one}"),
        format!("x\n\n| h {one} and {two} | {who} |\n| --- | --- |\n| {who} {who} | {one}, {who}. |\n\ny"),
        "a\n\n{^= pagebreak}\n\nb\n\n{^= pagebreak}\n\n{^= pagebreak}\n\nc".into(),
        "# H\n\n{^= pagebreak}\n\n# I\n\n{^= pagebreak}\n\n- a".into(),
        format!("x[^1] and y[^2] on {one}[^3].\n\n[^1]: one\n\n[^2]: on {one} and {two}\n\n[^3]: {two}"),
    ] {
        check_created(&text, "");
    }
}

#[test]
fn tables_are_pushed_beside_anything() {
    let start = created("a\n\nb\n\n- c\n").unwrap();
    for (text, found) in [
        ("a\n\nb\n\n- c\n- l1\n- l2\n\nT\n\n# N2\n\nT\n\n- tail", ""),
        ("a\n\n- l1\n- l2\n\nT\n\n# N2\n\nT\n\nb\n\n- c", ""),
        ("# H\n\nT\n\na\n\nb\n\n- c", ""),
        ("a\n\n# H\n\nT\n\n# H\n\nb\n\n- c", ""),
        ("a\n\n# H\n\nT\n\nT\n\n# H\n\nT\n\nb\n\n- c", "a\n\n# H\n\nT\n\n\\\n\nT\n\n# H\n\nT\n\nb\n\n- c"),
        ("a\n\nb\n\n- c\n\nT\n\nT", "a\n\nb\n\n- c\n\nT\n\n\\\n\nT\n\n\\"),
        ("T\n\n- a\n- b\n\nT\n\nb", "\\\n\nT\n\n- a\n- b\n\nT\n\nb"),
    ] {
        let (told, raw) = pushed(&start, &format!("{text}\n").replace("T\n", TABLE));
        assert_eq!(told, Vec::<String>::new(), "{text}");
        assert_eq!(canonical(&text_of(&raw)), if found.is_empty() { text } else { found });
    }
}

#[test]
fn tables_are_pushed_beside_empty_paragraphs() {
    for (start, text) in [
        ("x\n\n\\\n\n- it", "x\n\n\\\n\nT\n\n- it"),
        ("- a\n\n\\\n\n- it", "- a\n\n\\\n\nT\n\n- it"),
        ("x\n\n\\\n\n1. it\n2. b", "x\n\n\\\n\nT\n\n1. it\n2. b"),
        ("x", "x\n\n\\\n\n\\\n\nT\n\n# h"),
        ("x\n\n\\\n\n- a\n\nT\n\n\\", "x\n\n\\\n\nT\n\n\\"),
        ("p\n\nq", "p\n\n\\\n\nT\n\n\\\n\n\\\n\nT\n\n# h\n\n\\\n\n{^= pagebreak}\n\n- i"),
    ] {
        let start = created(&format!("{start}\n").replace("T\n", TABLE)).unwrap();
        let (told, raw) = pushed(&start, &format!("{text}\n").replace("T\n", TABLE));
        assert_eq!((told, canonical(&text_of(&raw))), (Vec::new(), text.to_owned()));
    }
}

#[test]
fn a_break_an_empty_paragraph_and_a_footnote_are_pushed_at_once() {
    for text in [
        "x\n\n{^= pagebreak}\n\n\\\n\n## z[^1]\n\nend\n\n[^1]: n",
        "z[^1] a\n\n\\\n\n{^= pagebreak}\n\nnext\n\n[^1]: n",
        "\\\n\nz[^1] x\n\n\\\n\n{^= pagebreak}\n\n\\\n\n[^1]: n {^= person \"a@x.com\"}",
    ] {
        check_created(text, "");
        let (told, raw) = pushed(&created("x\n").unwrap(), &format!("{text}\n"));
        assert_eq!((told, canonical(&text_of(&raw))), (Vec::new(), text.to_owned()));
    }
    let text = "\\\n\na[^1]\n\nT\n\n1. b\n\n[^1]: n";
    let (told, raw) = pushed(&created("\\\n\n1. b\n").unwrap(), &text.replace("T\n", TABLE));
    assert_eq!((told, canonical(&text_of(&raw))), (Vec::new(), text.to_owned()));
}

#[test]
fn footnotes_are_known_by_text_and_place() {
    for (start, text, found) in [
        (
            "a\n\nb[^1]\n\n[^1]: note beta",
            "a[^1]\n\nb[^2]\n\n[^1]: new\n\n[^2]: note beta x",
            "a[^1]\n\nb[^2]\n\n[^1]: new\n\n[^2]: note beta x",
        ),
        (
            "a one[^1] two b[^2] c\n\n[^1]: first\n\n[^2]: second",
            "a one[^1] two[^n] b[^2] c\n\n[^1]: first changed\n\n[^2]: entirely other\n\n[^n]: new",
            "a one[^1] two[^2] b[^3] c\n\n[^1]: first changed\n\n[^2]: new\n\n[^3]: entirely other",
        ),
        (
            "a one[^1] two b[^2] c\n\n[^1]: first thing\n\n[^2]: second thing",
            "a one[^2] two[^1] b[^3] c\n\n[^1]: new\n\n[^2]: other words\n\n[^3]: second thing here",
            "a one[^1] two[^2] b[^3] c\n\n[^1]: other words\n\n[^2]: new\n\n[^3]: second thing here",
        ),
        // One goes and another comes: the label alone makes them no one footnote.
        (
            "one two[^1]\n\nb\n\n\\\n\n[^1]: old",
            "b\n\n\\\n\nthree four[^1]\n\n[^1]: new",
            "b\n\n\\\n\nthree four[^1]\n\n[^1]: new",
        ),
    ] {
        let (told, raw) = pushed(&created(start).unwrap(), text);
        assert_eq!((told, text_of(&raw).trim_end()), (Vec::new(), found));
    }
}

/// Each footnote of a document, by its id, with its words.
fn notes(raw: &Value) -> BTreeMap<String, String> {
    let notes = raw["tabs"][0]["documentTab"]["footnotes"].as_object().into_iter().flatten();
    let words = |note: &Value| {
        let runs = note.pointer("/content/0/paragraph/elements").unwrap().as_array().unwrap().iter();
        runs.filter_map(|run| run["textRun"]["content"].as_str()).collect::<String>().trim().to_owned()
    };
    notes.map(|(id, note)| (id.clone(), words(note))).collect()
}

/// A paragraph that says nothing of its own but a footnote is that footnote's, and no other's that says the same.
#[test]
fn a_footnote_that_nobody_edited_keeps_its_words() {
    const THREE: &str = "intro\n\n## Nets\n\nSource[^1]\n\n## Boats\n\nSource[^2]\n\n## Ropes\n\nSource[^3]\n\n\
                         [^1]: one\n\n[^2]: two\n\n[^3]: three";
    for (start, text, found) in [
        (
            THREE,
            "intro\n\n## Boats\n\nSource[^2]\n\n## Ropes\n\nSource[^3]\n\n[^2]: two\n\n[^3]: three",
            "intro\n\n## Boats\n\nSource[^1]\n\n## Ropes\n\nSource[^2]\n\n[^1]: two\n\n[^2]: three",
        ),
        (
            "intro\n\n## Boats\n\nSource[^1]\n\n[^1]: Smith",
            "intro\n\n## Nets\n\nSource[^b]\n\n## Boats\n\nSource[^1]\n\n[^1]: Smith\n\n[^b]: Miller",
            "intro\n\n## Nets\n\nSource[^1]\n\n## Boats\n\nSource[^2]\n\n[^1]: Miller\n\n[^2]: Smith",
        ),
        (
            "Source[^1]\n\nend\n\n[^1]: Smith",
            "Source[^v]\n\nSource[^1]\n\nend\n\n[^1]: Smith\n\n[^v]: Miller",
            "Source[^1]\n\nSource[^2]\n\nend\n\n[^1]: Miller\n\n[^2]: Smith",
        ),
        (
            "| Ann | see[^1] |\n| --- | --- |\n| Eve | x |\n\nend\n\n[^1]: tea",
            "\\\n\n| Bob | see[^u] |\n| --- | --- |\n| Ann | see[^1] |\n| Eve | x |\n\nend\n\n[^1]: tea\n\n[^u]: uma",
            "\\\n\n| Bob | see[^1] |\n| --- | --- |\n| Ann | see[^2] |\n| Eve | x |\n\nend\n\n[^1]: uma\n\n[^2]: tea",
        ),
    ] {
        let raw = created(start).unwrap();
        let (told, after) = pushed(&raw, text);
        assert_eq!((told, canonical(&text_of(&after)).as_str()), (Vec::new(), found), "{text}");
        let after = notes(&after);
        for (id, words) in notes(&raw) {
            assert!(after.get(&id).is_none_or(|is| *is == words), "{id} said {words:?}: {after:?}\n{text}");
        }
    }
}

#[test]
fn an_item_joins_the_numbers_beside_it() {
    for (start, steps) in [
        ("1. a\n2. b\n3. c\n", &["a\n\n1. b\n2. c\n", "1. a\n2. b\n3. c\n"][..]),
        ("1. a\n2. b\n3. c\n", &["1. a\n\nb\n\n1. c\n", "1. a\n2. b\n3. c\n"]),
        ("1. a\n2. b\n3. c\n", &["1. a\n2. b\n\nc\n", "1. a\n2. b\n3. c\n"]),
        ("x\n\n1. a\n   1. b\n   2. c\n\ny\n", &["1. x\n2. a\n   1. b\n   2. c\n\ny\n"]),
        ("1. a\n\nx\n\n1. b\n2. c\n", &["1. a\n2. x\n3. b\n4. c\n"]),
        ("x\n\n1. b\n2. c\n", &["n\n\nx\n\n1. m\n2. b\n3. c\n", "1. n\n2. x\n3. m\n4. b\n5. c\n"]),
    ] {
        let mut raw = created(start).unwrap();
        for step in steps {
            let (told, after) = pushed(&raw, step);
            raw = after;
            assert_eq!((told, text_of(&raw)), (Vec::new(), (*step).to_owned()));
            assert!(lists(&raw).iter().all(|list| *list == 0), "{start:?} {step:?}: {:?}", lists(&raw));
        }
    }
    // Two lists that were apart stay so, whatever is edited beside them.
    let raw = created("1. a\n\nx\n\n1. b\n").unwrap();
    let (told, raw) = pushed(&raw, "1. aa\n\nx\n\n1. b\n2. c\n");
    assert_eq!((told, lists(&raw)), (Vec::new(), vec![0, 1, 1]));
}

#[test]
fn the_first_number_of_a_list_is_told() {
    let raw = created("1. aa\n2. bb\n").unwrap();
    for (text, told, found) in [
        ("7. aa\n8. bb\n", &["LIST_START 8"][..], "1. aa\n2. bb\n"),
        ("7. aa\n8. cc\n", &["LIST_START 8"], "1. aa\n2. cc\n"),
        ("1. aa\n7. cc\n", &[], "1. aa\n2. cc\n"),
        ("0. aa\n1. bb\n", &["LIST_START 8"], "1. aa\n2. bb\n"),
    ] {
        let (is, after) = pushed(&raw, text);
        assert_eq!((is.iter().map(String::as_str).collect::<Vec<_>>(), &*text_of(&after)), (told.to_vec(), found));
    }
    // A list of the document that begins with another number is written with the directive that says so.
    let mut raw = raw;
    for list in raw["tabs"][0]["documentTab"]["lists"].as_object_mut().unwrap().values_mut() {
        list["listProperties"]["nestingLevels"][0]["startNumber"] = 5.into();
    }
    let text = text_of(&raw);
    assert_eq!(text, "{!list:decimal 5}\n1. aa\n2. bb\n");
    assert_eq!(pushed(&raw, &text).0, Vec::<String>::new());
    assert_eq!(pushed(&raw, &text.replace("1. aa\n2.", "5. aa\n6.")).0, Vec::<String>::new());
    assert_eq!(pushed(&raw, &text.replace("1. aa\n2.", "7. aa\n8.")).0, ["LIST_START 9"]);
}
