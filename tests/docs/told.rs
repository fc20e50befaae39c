//! What goes with a push though the file does not show it is told with its line, and is no refusal.

use crate::support::model::{applied, document, fetched};
use mcp_workspace::kinds::docs;
use serde_json::{Value, json};

/// Where words begin in a tab, in UTF-16 units.
fn find(value: &Value, words: &str) -> Option<u64> {
    if let Some(at) = value["textRun"]["content"].as_str().and_then(|text| text.find(words)) {
        return Some(value["startIndex"].as_u64().unwrap_or(0) + at as u64);
    }
    match value {
        Value::Object(map) => map.values().find_map(|value| find(value, words)),
        Value::Array(list) => list.iter().find_map(|value| find(value, words)),
        _ => None,
    }
}

/// Sets a comment, or a named range, on words.
fn tie(raw: &Value, what: &str, words: &str) -> Value {
    let tab = &raw["tabs"][0]["documentTab"];
    let note = |(id, note): (&String, &Value)| Some((Some(id.clone()), find(&note["content"], words)?));
    let notes = || tab.get("footnotes")?.as_object()?.iter().find_map(note);
    let (segment, start) = find(&tab["body"], words).map(|start| (None, start)).or_else(notes).unwrap();
    let mut range = json!({"startIndex": start, "endIndex": start + words.len() as u64});
    if let Some(segment) = segment {
        range["segmentId"] = segment.into();
    }
    let request = match what {
        "comment" => json!({"insertComment": {"range": range, "content": "why?"}}),
        _ => json!({"createNamedRange": {"range": range, "name": words}}),
    };
    applied(raw, &[request], 5)
}

/// Edits the file of a document. Each of `told` is a code and the line of the edited file that begins with these words.
#[track_caller]
fn check(raw: &Value, edits: &[(&str, &str)], told: &[(&str, &str)]) -> Value {
    let remote = fetched(raw);
    let mut edited = remote.parts[0].text.clone();
    for (old, new) in edits {
        assert!(edited.contains(old), "{old:?} in {edited}");
        edited = edited.replacen(old, new, 1);
    }
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
    assert!(!plan.requests.is_empty());
    let line = |at: u32| edited.lines().nth(at as usize - 1).unwrap_or_default();
    let is: Vec<(&str, &str)> = plan.told.iter().map(|notice| (&*notice.code, line(notice.line))).collect();
    let same =
        is.len() == told.len() && is.iter().zip(told).all(|(is, told)| is.0 == told.0 && is.1.starts_with(told.1));
    assert!(same, "{edits:?}: {:#?}\n{edited}", plan.told);
    let after = applied(raw, &plan.requests, 9);
    // Once only: what is gone is gone.
    let again = docs::plan(&fetched(&after), &remote.parts[0].id, &edited, false).unwrap();
    assert!(again.told.is_empty() && again.requests.is_empty(), "{:#?}", again.told);
    after
}

/// The id that the heading with these words has.
fn id_of(raw: &Value, words: &str) -> String {
    let text = fetched(raw).parts[0].text.clone();
    let line = text.lines().find(|line| line.starts_with('#') && line.ends_with(words)).unwrap();
    line.split_once("{^ ").unwrap().1.split_once('}').unwrap().0.to_owned()
}

#[test]
fn what_stood_on_words_is_told_where_they_stood() {
    let text = "First.\n\n# Head\n\nalpha beta zz.\n\n| a1 | b1 |\n| --- | --- |\n| a2 | gamma b2 |\n\n- one\n- delta two\n\nlast[^1] words\n\n[^1]: A note epsilon.\n";
    for (what, code) in [("comment", "COMMENT_LOST"), ("range", "RANGE_LOST")] {
        for (words, old, new, line) in [
            ("beta", "alpha beta zz.", "alpha zz.", "alpha zz."),
            ("alpha beta", "alpha beta zz.\n\n", "", "| a1"),
            ("gamma", "gamma b2", "b2", "| a2 | b2"),
            ("delta", "- delta two\n", "", "last"),
            ("epsilon", "note epsilon", "note", "[^1]: A note"),
            ("last", "last[^1] words\n\n[^1]: A note epsilon.\n", "", "- delta two"),
        ] {
            let raw = tie(&document(text), what, words);
            // Lines before it come and go.
            check(&raw, &[("First.\n", "First.\n\nSecond.\n\nThird.\n"), (old, new)], &[(code, line)]);
        }
        let raw = tie(&document(text), what, "beta");
        check(&raw, &[("alpha ", "")], &[]);
    }
}

/// What stands on a chip or on the mark of a footnote alone is told as what stands on words is.
#[test]
fn what_stood_on_no_words_is_told() {
    let text = "First.\n\nwith {^= person \"Ana <ana@x.com>\"} here[^1] and\n\nLast.\n\n[^1]: A note.\n";
    for (what, code) in [("comment", "COMMENT_LOST"), ("range", "RANGE_LOST")] {
        for (kind, gone) in [("person", "{^= person "), ("footnoteReference", "[^1]")] {
            let raw = document(text);
            let mut start = None;
            let elements = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap().iter();
            for part in elements.flat_map(|element| element["paragraph"]["elements"].as_array().into_iter().flatten()) {
                start = start.or_else(|| part.get(kind).and_then(|_| part["startIndex"].as_u64()));
            }
            let range = json!({"startIndex": start.unwrap(), "endIndex": start.unwrap() + 1});
            let request = match what {
                "comment" => json!({"insertComment": {"range": range, "content": "why?"}}),
                _ => json!({"createNamedRange": {"range": range, "name": "n"}}),
            };
            let raw = applied(&raw, &[request], 5);
            let file = fetched(&raw).parts[0].text.clone();
            let from = file.find(gone).unwrap();
            let end = file[from..].find(['}', ']']).unwrap() + from + 1;
            let (form, edited) = (&file[from..end], "Last, with an edit.");
            check(&raw, &[("Last.", edited)], &[]);
            let note = if kind == "person" { "" } else { "\n[^1]: A note.\n" };
            let line = "with ";
            check(&raw, &[(form, ""), (note, "")], &[(code, line)]);
        }
    }
}

/// A heading that comes back has not got its id again.
#[test]
fn a_heading_that_comes_back_is_told_to_have_another_id() {
    let raw = document("See.\n\n# Two\n\nBelow.\n");
    let id = id_of(&raw, "Two");
    let heading = format!("# {{^ {id}}}Two\n\n");
    let without = check(&raw, &[(&heading, "")], &[]);
    check(&without, &[("Below.", &format!("{heading}Below."))], &[("HEADING_ID", "# ")]);
    check(&without, &[("Below.", "# Two\n\nBelow.")], &[]);
}

/// What stands on words that change places with others is told, whether it goes, stays on what stands there now, or is lost.
#[test]
fn what_words_leave_behind_when_they_move_is_told() {
    let text = "x alpha one y beta two z.\n\n| a1 one | b1 two |\n| --- | --- |\n| gamma three | delta four |\n| | c3 |\n\nLast.\n";
    let swapped = ("| gamma three | delta four |", "| delta four | gamma three |");
    for what in ["COMMENT", "RANGE"] {
        let moved = |words: &str, edit: (&str, &str), fate: &str, line: &str| {
            let raw = tie(&document(text), &what.to_lowercase(), words);
            check(&raw, &[edit], &[(&*format!("{what}_{fate}"), line)]);
        };
        moved("three", swapped, "MOVED", "| delta");
        moved("gamma three", swapped, "MOVED", "| delta");
        moved("delta four", ("| delta four |\n|  | c3 |", "|  |\n| delta four | c3 |"), "LOST", "| delta four");
        // Words that stay where they are while others pass them keep it.
        let raw = tie(&document(text), &what.to_lowercase(), "alpha one");
        check(&raw, &[("alpha one y beta two", "beta two y alpha one")], &[]);
    }
}

const LINKED: &str =
    "Go [there](#target).\n\n# Other\n\nSee [it](#target) twice.\n\n# Target\n\nBelow.\n\n# Last\n\nEnd.\n";

/// A row or column to whose text something is tied stays, whatever else of the table changes in the same save.
#[test]
fn what_is_tied_to_a_cell_outlives_moves_and_edits_of_its_table() {
    let text =
        "First.\n\n| a1 x | b1 y |\n| --- | --- |\n| one two | r2 |\n| three four | r3 |\n| five six | r4 |\n\nLast.\n";
    let rows = &text[text.find('|').unwrap()..text.find("\n\nLast").unwrap()];
    for new in [
        // A row was moved, and a column came.
        "| a1 x | b1 y | c |\n| --- | --- | --- |\n| three four | r3 |  |\n| one two | r2 |  |\n| five six | r4 |  |",
        "| c | a1 x | b1 y |\n| --- | --- | --- |\n|  | five six | r4 |\n|  | three four | r3 |\n| z | one two | r2 |",
        // A row was moved and edited.
        "| a1 x | b1 y |\n| --- | --- |\n| three four | r3 |\n| one two | r2x |\n| five six | r4 |",
        "| a1 x | b1 y |\n| --- | --- |\n| five six | r4 |\n| three four | r3 |\n| one two zz | r2 |",
        // A row was moved, another came or went.
        "| a1 x | b1 y |\n| --- | --- |\n| three four | r3 |\n| new row | q |\n| one two | r2 |\n| five six | r4 |",
        "| a1 x | b1 y |\n| --- | --- |\n| five six | r4 |\n| one two | r2 |",
        // Columns changed places, and a row was edited.
        "| b1 y | a1 x |\n| --- | --- |\n| r2 | one two |\n| r3 | three five |\n| r4 | five six |",
        "| b1 y | a1 x |\n| --- | --- |\n| r2 | one two |\n| r4 | five six |",
    ] {
        for what in ["comment", "range"] {
            let raw = tie(&document(text), what, "two");
            let after = check(&raw, &[(rows, new)], &[]);
            let tab = &after["tabs"][0]["documentTab"];
            let anchor = tab["commentAnchors"].as_object().and_then(|all| all.values().next()).cloned();
            let range = anchor.unwrap_or_else(|| tab["namedRanges"]["two"]["namedRanges"][0].clone());
            let start = find(&tab["body"], "two").map(Value::from);
            assert_eq!(range["ranges"][0].get("startIndex"), start.as_ref(), "{new}: {range}");
        }
    }
}

#[test]
fn a_link_that_leads_nowhere_is_told() {
    let raw = document(LINKED);
    let id = id_of(&raw, "Target");
    let heading = format!("# {{^ {id}}}Target");
    let (first, second) = (("LINK_LOST", "Go "), ("LINK_LOST", "See "));
    // Deleted, made a paragraph, merged away: above and below.
    check(&raw, &[(&format!("{heading}\n\n"), "")], &[first, second]);
    check(&raw, &[(&heading, "Target")], &[first, second]);
    check(&raw, &[(&format!(" twice.\n\n{heading}"), " twice. Target")], &[first, second]);
    check(&raw, &[(&format!("{heading}\n\nBelow.\n\n"), ""), ("Go ", "Went\n\nGo ")], &[first, second]);
    // As long as the link goes with it, nothing is.
    let links = [(format!("[there](#^{id})"), "there".to_owned()), (format!("[it](#^{id})"), "it".to_owned())];
    let without: Vec<(&str, &str)> = links.iter().map(|(old, new)| (&**old, &**new)).collect();
    let gone = format!("{heading}\n\n");
    check(&raw, &[&without[..], &[(&gone, "")]].concat(), &[]);
    check(&raw, &[&without[1..], &[(&gone, "")]].concat(), &[first]);
    // Other headings and other edits of this one are nobody's loss.
    check(&raw, &[("Target\n", "Aim\n")], &[]);
    check(&raw, &[(&format!("# {{^ {}}}Other\n\n", id_of(&raw, "Other")), "")], &[]);
    check(&raw, &[(&heading, &format!("##{}", &heading[1..]))], &[]);
}

#[test]
fn a_link_in_another_tab_is_told_where_the_heading_stood() {
    let raw = document(&LINKED.replace("[there](#target)", "there").replace("[it](#target)", "it"));
    let (mut raw, id) = (raw.clone(), id_of(&raw, "Target"));
    let mut other = document("Elsewhere a [link](https://example.com/x) stands.\n")["tabs"][0].clone();
    other["tabProperties"] = json!({"tabId": "t.other", "title": "Notes", "index": 1});
    for link in [json!({"headingId": id}), json!({"heading": {"id": id, "tabId": "t.0"}})] {
        set_link(&mut other, &link);
        raw["tabs"] = json!([raw["tabs"][0], other]);
        let heading = format!("# {{^ {id}}}Target");
        check(&raw, &[(&format!("{heading}\n\n"), "")], &[("LINK_LOST", "Below.")]);
        check(&raw, &[(&heading, "Target")], &[("LINK_LOST", "Target")]);
        check(&raw, &[("Below.", "Above.")], &[]);
    }
}

/// Headings that say the same have their names in links in their order, whether they stand there or come with the link.
#[test]
fn a_link_finds_the_second_heading_of_a_name() {
    let raw = document("See one.\n\n# Beta\n\n# Beta\n\n# Beta-1\n\n# Last\n");
    let text = fetched(&raw).parts[0].text.clone();
    let ids: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# {^ ")?.split_once('}')).map(|at| at.0).collect();
    for (name, id) in [("beta", Some(ids[0])), ("beta-1", Some(ids[1])), ("beta-1-1", Some(ids[2])), ("beta-2", None)] {
        let edit = format!("See [one](#{name}).");
        let remote = fetched(&raw);
        let edited = text.replacen("See one.", &edit, 1);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        let linked = id.map(|id| format!("\"heading\":{{\"id\":\"{id}\""));
        let sent: String = plan.requests.iter().map(Value::to_string).collect();
        assert!(linked.is_none_or(|linked| sent.contains(&linked)), "{name}: {sent}");
        assert_eq!(plan.refused.len(), usize::from(id.is_none()), "{name}: {:#?}", plan.refused);
    }
    // The link and a further heading of the name come in one save: the heading has no id yet.
    let edited = text.replacen("See one.", "See [one](#last-1).", 1) + "\n# Last\n";
    let remote = fetched(&raw);
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    assert!(plan.refused.is_empty() && plan.again, "{:#?}", plan.refused);
}

/// Lets every link of a tab go there.
fn set_link(value: &mut Value, link: &Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(|value| set_link(value, link));
            if let Some(old) = map.get_mut("link") {
                *old = link.clone();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| set_link(value, link)),
        _ => {}
    }
}

/// In a long document an edit is planned on a part of it, and the link stands in another.
#[test]
fn a_link_far_away_is_told() {
    let mut text = String::from("Go [there](#part-50).\n\n");
    (0..80).for_each(|n| text.push_str(&format!("# Part {n}\n\nText {n}.\n\n")));
    let raw = document(&text);
    let id = id_of(&raw, "Part 50");
    check(&raw, &[(&format!("# {{^ {id}}}Part 50\n\n"), "")], &[("LINK_LOST", "Go ")]);
    check(&tie(&raw, "comment", "Text 50"), &[("Text 50.\n\n", "")], &[("COMMENT_LOST", "# ")]);
    check(&tie(&raw, "comment", "Text 50"), &[("Text 51.\n\n", ""), ("Text 5.\n\n", "")], &[]);
}

#[test]
fn an_id_that_goes_to_other_words_is_told() {
    let raw = document("a.\n\n# Alpha one Bravo two\n\nx.\n\n# Last\n");
    let id = id_of(&raw, "Bravo two");
    // Wherever the id stands in the end, the file is told when it is not where the file has it.
    for (old, new) in [
        (format!("# {{^ {id}}}Alpha one Bravo two"), format!("# {{^ {id}}}Alpha one\n\n# Bravo two")),
        (format!("# {{^ {id}}}Alpha one Bravo two"), format!("# Alpha one\n\n# {{^ {id}}}Bravo two")),
        ("Last\n".into(), "Last\n\nnew text\n".into()),
        ("Last\n".into(), "Last\n\n# Next\n\nnew\n".into()),
        ("Last\n".into(), "Last\n\n| a | b |\n| --- | --- |\n| c | d |\n".into()),
        ("Last\n".into(), "Last\n\n- item\n- item\n".into()),
        (format!("# {{^ {id}}}Alpha one Bravo two\n\nx."), format!("x.\n\n# {{^ {id}}}Alpha one Bravo two\n\ny.")),
    ] {
        check_ids(&raw, &old, &new);
    }
    let raw = document("# Head\n\n| a | b |\n| --- | --- |\n| c | d |\n\n# Two\n\ntwo.\n\n# Three\n\nthree.\n");
    let (two, three) = (id_of(&raw, "Two"), id_of(&raw, "Three"));
    check_ids(&raw, "Head\n", "Head\n\nbetween\n");
    check_ids(&raw, "Head\n", "Head\n\n### New\n");
    let (two, three) = (format!("# {{^ {two}}}Two\n\ntwo.\n"), format!("# {{^ {three}}}Three\n\nthree.\n"));
    check_ids(&raw, &format!("{two}\n{three}"), &format!("{three}\n{two}"));
}

/// Checks that each heading of the file stands with its id, or that this is told.
#[track_caller]
fn check_ids(raw: &Value, old: &str, new: &str) {
    let remote = fetched(raw);
    let text = &remote.parts[0].text;
    assert!(text.contains(old), "{old:?} in {text}");
    let edited = text.replacen(old, new, 1);
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    let after = applied(raw, &plan.requests, 9);
    let again = fetched(&after);
    let after = again.parts[0].text.clone();
    assert!(plan.refused.is_empty() && !plan.requests.is_empty(), "{:#?}", plan.refused);
    for (number, line) in (1..).zip(edited.lines()).filter(|(_, line)| line.starts_with('#') && line.contains("{^ ")) {
        let stands = after.lines().any(|is| is == line);
        let told = plan.told.iter().any(|notice| notice.code == "HEADING_ID" && notice.line == number);
        assert_eq!(stands, !told, "{line}: {:#?}\n{after}", plan.told);
    }
    // It is told of the push that does it, not of those that come before the file says the new id.
    let more = edited.replacen("---\n\n", "---\n\nfirst words\n\n", 1);
    let plan = docs::plan(&again, &remote.parts[0].id, &more, false).unwrap();
    assert!(plan.expected.contains("first words") && plan.told.is_empty(), "{:#?}", plan.told);
}

#[test]
fn an_empty_paragraph_that_stays_is_no_refusal() {
    let raw = document("a.\n\n| x | y |\n| --- | --- |\n| z | w |\n\nend.\n");
    check(&raw, &[("a.\n\n", "")], &[("STRUCTURE", "| x")]);
    check(&raw, &[("\nend.\n", "")], &[("STRUCTURE", "| x")]);
}
