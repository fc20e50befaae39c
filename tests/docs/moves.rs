//! Moves of text: what cannot move stays and the rest moves around it, or the whole move is held and told.

use crate::support::model::{applied, fetched, without_heading_ids};
use mcp_workspace::gdocs;
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf;
use serde_json::{Value, json};

/// A document that says `text`, with pictures for `IMAGE1`, `IMAGE2`.
fn document(text: &str) -> Value {
    let mut raw = serde_json::to_value(gdocs::new_document("1d", "Moves")).unwrap();
    raw["revisionId"] = "r".into();
    for (seed, plan) in (0..).zip(docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), text).unwrap()) {
        raw = applied(&raw, &plan.requests, seed);
    }
    let tab = &mut raw["tabs"][0]["documentTab"];
    for number in 1..=2 {
        let (name, id) = (format!("IMAGE{number}"), format!("kix.image{number}"));
        for element in tab["body"]["content"].as_array_mut().unwrap() {
            let Some(elements) = element.pointer_mut("/paragraph/elements").and_then(Value::as_array_mut) else {
                continue;
            };
            let holds = |part: &Value| part["textRun"]["content"].as_str().is_some_and(|text| text.contains(&name));
            let Some(at) = elements.iter().position(holds) else { continue };
            let content = elements[at]["textRun"]["content"].as_str().unwrap().to_owned();
            let (before, behind) = content.split_once(&name).unwrap();
            let text = |text: &str| json!({"textRun": {"content": text, "textStyle": {}}});
            let image = json!({"inlineObjectElement": {"inlineObjectId": id, "textStyle": {}}});
            let parts = [text(before), image, text(behind)];
            elements.splice(at..=at, parts.into_iter().filter(|part| part["textRun"]["content"] != ""));
        }
        tab["inlineObjects"][&id] = json!({"objectId": id, "inlineObjectProperties": {"embeddedObject": {
            "imageProperties": {"contentUri": "https://example.com/a.png"},
            "size": {"width": {"magnitude": 10, "unit": "PT"}, "height": {"magnitude": 10, "unit": "PT"}}}}});
    }
    let mut document: gdocs::Document = serde_json::from_value(raw).unwrap();
    gdocs::reindex(document.tabs[0].document_tab.as_mut().unwrap().segment_mut(None).unwrap());
    serde_json::to_value(&document).unwrap()
}

/// What a document says, without the ids of its headings.
fn body(text: &str) -> String {
    without_heading_ids(mebdf::body(text)).trim_matches('\n').to_owned()
}

/// The sections of a text that begin with `# `, and what follows them.
fn sections(text: &str) -> (String, Vec<String>, String) {
    let head = text.len() - mebdf::body(text).len();
    let notes = text.find("\n[^1]:").map_or(text.len(), |at| at + 1);
    let (mut before, mut found) = (text[..head].to_owned(), Vec::<String>::new());
    for line in text[head..notes].split_inclusive('\n') {
        if line.starts_with("# ") {
            found.push(String::new());
        }
        found.last_mut().unwrap_or(&mut before).push_str(line);
    }
    let whole = |section: &String| format!("{}\n\n", section.trim_end());
    (before, found.iter().map(whole).collect(), text[notes..].to_owned())
}

/// What comes of an edit: whole, held, or nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Whole,
    Held,
    Torn,
}

/// Edits the file of a document and checks what the document says then.
#[track_caller]
fn check_edit(raw: &Value, edited: &str, found: Option<&str>, fate: Fate) -> Value {
    let remote = fetched(raw);
    let plan = docs::plan(&remote, &remote.parts[0].id, edited, false).unwrap();
    let told: Vec<String> = plan.refused.iter().map(ToString::to_string).collect();
    assert!(plan.holds.is_empty(), "{:?}", plan.holds);
    let torn = plan.refused.iter().any(|notice| notice.code == "TORN");
    let is = if torn {
        Fate::Torn
    } else if told.is_empty() {
        Fate::Whole
    } else {
        Fate::Held
    };
    assert!(!torn || plan.requests.is_empty());
    assert!(plan.refused.iter().all(|notice| notice.line > 0), "{told:#?}");
    let after = applied(raw, &plan.requests, 7);
    let said = body(&fetched(&after).parts[0].text);
    assert_eq!(said, found.map_or_else(|| body(edited), |found| found.trim_matches('\n').to_owned()), "{told:#?}");
    assert_eq!(is, fate, "{told:#?}");
    if fate == Fate::Held {
        assert!(plan.refused.iter().any(|notice| notice.line > 0 && notice.message.contains("cannot be moved")));
    }
    after
}

/// Changes the places of the last two sections of a document that says `start`; `found` is what it says then, if not what
/// the file does.
#[track_caller]
fn check_swap(start: &str, found: Option<&str>, fate: Fate) -> Value {
    let raw = document(start);
    check_edit(&raw, &swapped(&raw), found, fate)
}

fn swapped(raw: &Value) -> String {
    let text = fetched(raw).parts[0].text.clone();
    let (before, mut sections, notes) = sections(&text);
    let count = sections.len();
    sections.swap(count - 2, count - 1);
    before + &sections.concat() + &notes
}

const PLAIN: &str = "# A\n\na one.\n\na two.\n\na three.\n\na four.\n\n# B\n\nb one.\n\n";

#[test]
fn what_cannot_move_stays_and_the_rest_moves() {
    check_swap("# A\n\na para.\n\n# B\n\nb para[^1].\n\n[^1]: n\n", None, Fate::Whole);
    for held in ["b IMAGE1 two.", "IMAGE1", "b two[^1].", "| a | b |\n| --- | --- |\n| c | d |"] {
        let note = if held.contains("[^1]") { "\n[^1]: note\n" } else { "" };
        println!("{held}");
        check_swap(&format!("top.\n\n{PLAIN}{held}\n\nb three.\n{note}"), None, Fate::Whole);
        // The same where what cannot move is in the other section.
        check_swap(
            &format!("top.\n\n# A\n\na one.\n\n{held}\n\na three.\n\n# B\n\nb one.\n\nb two.\n{note}"),
            None,
            Fate::Whole,
        );
        // Something stands above and below.
        let start = format!("top.\n\n# Z\n\nz one.\n\n{PLAIN}{held}\n\nb three.\n{note}");
        check_swap(&start, None, Fate::Whole);
    }
}

#[test]
fn what_somebody_tied_something_to_stays() {
    let mut raw = document(&format!("{PLAIN}b two.\n\nb three.\n"));
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
    let tied = content.iter().find(|element| element["paragraph"]["elements"][0]["textRun"]["content"] == "b two.\n");
    let start = tied.unwrap()["startIndex"].as_u64().unwrap();
    raw["tabs"][0]["documentTab"]["namedRanges"]["theirs"] = json!({"name": "theirs", "namedRanges": [
        {"namedRangeId": "kix.theirs", "name": "theirs", "ranges": [{"startIndex": start, "endIndex": start + 3}]}]});
    let after = check_edit(&raw, &swapped(&raw), None, Fate::Whole);
    let range = &after["tabs"][0]["documentTab"]["namedRanges"]["theirs"]["namedRanges"][0]["ranges"][0];
    assert_eq!(range["endIndex"].as_u64().unwrap() - range["startIndex"].as_u64().unwrap(), 3);
}

/// Ties a named range of another program to the words `words` of a document.
fn tie(raw: &mut Value, words: &str) {
    fn find(value: &Value, words: &str) -> Option<u64> {
        if let Some(at) = value["textRun"]["content"].as_str().and_then(|text| text.find(words)) {
            return Some(value["startIndex"].as_u64().unwrap() + at as u64);
        }
        match value {
            Value::Object(map) => map.values().find_map(|value| find(value, words)),
            Value::Array(list) => list.iter().find_map(|value| find(value, words)),
            _ => None,
        }
    }
    let tab = &mut raw["tabs"][0]["documentTab"];
    let start = find(&tab["body"], words).unwrap();
    let range = json!({"startIndex": start, "endIndex": start + words.len() as u64});
    tab["namedRanges"][words] = json!({"name": words, "namedRanges": [
        {"namedRangeId": format!("kix.{}", words.replace(' ', "")), "name": words, "ranges": [range]}]});
}

/// The words that the named ranges of a document stand on, by name.
fn tied(raw: &Value) -> Vec<(String, String)> {
    let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
    let tab = document.tabs[0].document_tab.as_ref().unwrap();
    let ranges = tab.named_ranges.iter().flat_map(|(name, group)| group.named_ranges.iter().map(move |it| (name, it)));
    ranges
        .map(|(name, named)| {
            let (mut text, range) = (String::new(), &named.ranges[0]);
            let (start, end) = (range.start_index.unwrap_or(0), range.end_index.unwrap());
            gdocs::text_between(tab.segment(None).unwrap(), start, end, &mut text);
            (name.clone(), text)
        })
        .collect()
}

/// Ties something to each of these words, edits the file, and checks that all of them keep it.
#[track_caller]
fn check_tied(start: &str, words: &[&str], (old, new): (&str, &str), found: Option<&str>, fate: Fate) -> Value {
    let mut raw = document(start);
    words.iter().for_each(|words| tie(&mut raw, words));
    let text = fetched(&raw).parts[0].text.clone();
    assert!(text.contains(old), "{old:?} in {text}");
    let after = check_edit(&raw, &text.replacen(old, new, 1), found, fate);
    let expected: Vec<(String, String)> = words.iter().map(|words| ((*words).into(), (*words).into())).collect();
    let mut kept = tied(&after);
    kept.sort_by_key(|(name, _)| words.iter().position(|words| words == name));
    assert_eq!(kept, expected);
    after
}

#[test]
fn rows_and_columns_that_somebody_tied_something_to_stay() {
    let table =
        "| a | b | c |\n| --- | --- | --- |\n| one | two | three |\n| four | five | six |\n| seven | eight | nine |\n";
    let start = format!("top.\n\n{table}\nend.\n");
    let row = ("| one | two | three |\n| four | five | six |\n", "| four | five | six |\n| one | two | three |\n");
    for words in ["one", "five"] {
        check_tied(&start, &[words], row, None, Fate::Whole);
    }
    let last = ("| four | five | six |\n| seven | eight | nine |", "| seven | eight | nine |\n| four | five | six |");
    check_tied(&start, &["four", "five", "two"], last, None, Fate::Whole);
    check_tied(&start, &["five", "nine"], last, Some(&start), Fate::Held);
    let columns = |order: [usize; 3]| {
        let line = |line: &str| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            format!("|{}|\n", order.map(|at| cells[at]).join("|"))
        };
        table.lines().map(line).collect::<String>()
    };
    for (words, order) in [("two", [1, 0, 2]), ("one", [1, 2, 0]), ("one", [2, 1, 0]), ("six", [2, 1, 0])] {
        check_tied(&start, &[words], (table, &columns(order)), None, Fate::Whole);
    }
    check_tied(&start, &["one", "five"], (table, &columns([1, 0, 2])), Some(&start), Fate::Held);
}

/// The ids of the headings of a document.
fn ids_of(raw: &Value) -> Vec<String> {
    links_of(raw).1
}

#[test]
fn a_heading_keeps_its_id_when_something_moves_past_it() {
    let check = |start: &str, words: &[&str], edit: (&str, &str), found: Option<&str>, fate: Fate| {
        let before = ids_of(&document(start));
        let after = check_tied(start, words, edit, found, fate);
        assert_eq!(ids_of(&after), before, "{edit:?}");
    };
    let table = "| a | b |\n| --- | --- |\n| c | d |";
    let start = format!("# A\n\np one.\n\n## Beta\n\nbeta text.\n\n{table}\n\nlast.\n\n## Gamma\n\ngamma.\n");
    let raw = document(&start);
    let text = body(&fetched(&raw).parts[0].text);
    let above = text.replace(&format!("{table}\n\n"), "").replace("p one.\n\n", &format!("p one.\n\n{table}\n\n"));
    let below = text.replace(&format!("{table}\n\n"), "").replace("gamma.", &format!("gamma.\n\n{table}\n\nnew."));
    // A table does not move past a heading, whatever else is edited.
    for (edited, found) in [
        (above.clone(), start.clone()),
        (above.replace("beta text", "beta new text"), start.replace("beta text", "beta new text")),
        (below, start.replace("gamma.", "gamma.\n\nnew.")),
    ] {
        let mut file = fetched(&raw).parts[0].text.clone();
        let ids = ids_of(&raw);
        let edited = ["A", "Beta", "Gamma"].iter().zip(&ids).fold(edited, |text, (name, id)| {
            text.replacen(&format!("# {name}\n"), &format!("# {{^ {id}}}{name}\n"), 1)
        });
        file.truncate(file.len() - mebdf::body(&file).len());
        let after = check_edit(&raw, &(file + &edited), Some(&found), Fate::Held);
        assert_eq!(ids_of(&after), ids);
    }
    // Nor does text that somebody tied something to; other text does, and the heading stays.
    let plain = "# A\n\np one.\n\n## Beta\n\nb one.\n\nb two.\n\nb three.\n\n## Gamma\n\ng one.\n";
    let ids = ids_of(&document(plain));
    let beta = format!("## {{^ {}}}Beta\n\n", ids[1]);
    let (was, is) =
        (format!("{beta}b one.\n\nb two.\n\nb three.\n\n"), format!("b one.\n\nb two.\n\nb three.\n\n{beta}"));
    check(plain, &["b two"], (&was, &is), Some(plain), Fate::Held);
    check(plain, &["p one"], (&was, &is), None, Fate::Whole);
    // Sections change places as before, with a table in one of them or without.
    for held in ["b two.", table] {
        check_swap(&format!("top.\n\n{PLAIN}{held}\n\nb three.\n"), None, Fate::Whole);
    }
}

#[test]
fn a_named_range_that_goes_with_its_text_is_told() {
    for (old, new, told) in [
        ("b one.\n\n", "", true),
        ("b one.\n\n", "b two.\n\n", false),
        ("b one.\n\n", "one.\n\n", true),
        ("a one.\n\n", "", false),
    ] {
        let mut raw = document(PLAIN);
        tie(&mut raw, if new == "one.\n\n" { "b" } else { "b one" });
        let remote = fetched(&raw);
        let edited = remote.parts[0].text.replace("b one.\n", "b one.\n\n").replace("b one.\n\n\n", "b one.\n\n");
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited.replacen(old, new, 1), false).unwrap();
        let codes: Vec<&str> = plan.told.iter().map(|notice| notice.code.as_str()).collect();
        assert!(!plan.requests.is_empty() && plan.refused.is_empty(), "{:#?}", plan.refused);
        assert_eq!(codes, if told { vec!["RANGE_LOST"] } else { Vec::new() }, "{:#?}", plan.told);
    }
}

#[test]
fn two_that_cannot_move_hold_the_move() {
    let start = "# A\n\na one.\n\na IMAGE1 two.\n\n# B\n\nb IMAGE2 one.\n\nb two.\n";
    let raw = document(start);
    let was = body(&fetched(&raw).parts[0].text);
    check_edit(&raw, &swapped(&raw), Some(&was), Fate::Held);
    // Other edits of the file still go out.
    let raw = document(&format!("first line.\n\n{start}"));
    let text = swapped(&raw).replace("first line", "first new line");
    let was = body(&fetched(&raw).parts[0].text).replace("first line", "first new line");
    check_edit(&raw, &text, Some(&was), Fate::Held);
    // An edit inside of what is held: nothing comes under another heading.
    let raw = document("top.\n\n# A\n\na one.\n\na IMAGE1 two.\n\n# B\n\nb one.\n\nb IMAGE2 two.\n");
    let was = body(&fetched(&raw).parts[0].text);
    check_edit(&raw, &swapped(&raw).replace("b one.", "b one changed."), Some(&was), Fate::Torn);
}

#[test]
fn what_stays_keeps_its_heading() {
    let raw = document(&format!("{PLAIN}b IMAGE1 two[^1].\n\nb three.\n\n[^1]: note\n"));
    let text = fetched(&raw).parts[0].text.clone();
    let (before, sections, notes) = sections(&text);
    let remote = fetched(&raw);
    let plan = docs::plan(&remote, &remote.parts[0].id, &(before + &sections[0] + &notes), false).unwrap();
    let said = body(&fetched(&applied(&raw, &plan.requests, 3)).parts[0].text);
    assert!(said.contains("# B\n"), "{said}");
    assert!(!plan.refused.is_empty());
}

/// Where the links of a document lead that begin with `#^`, and the ids of its headings.
fn links_of(raw: &Value) -> (Vec<String>, Vec<String>) {
    let text = fetched(raw).parts[0].text.clone();
    let all = |begin: &str, end: char| {
        text.split(begin).skip(1).map(|rest| rest.split(end).next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    (all("(#^", ')'), all("{^ ", '}'))
}

#[test]
fn a_heading_that_a_link_goes_to_keeps_its_id() {
    let after = check_swap("see [B](#b).\n\n# A\n\na one.\n\na two.\n\n# B\n\nb one.\n", None, Fate::Whole);
    let (links, ids) = links_of(&after);
    assert!(!links.is_empty() && links.iter().all(|link| ids.contains(link)), "{links:?} {ids:?}");
    // The link moves with the section, and it is the other heading's.
    let after = check_swap("# A\n\nto [B](#b).\n\na two.\n\n# B\n\nb one.\n\nb two.\n\nb three.\n", None, Fate::Whole);
    let (links, ids) = links_of(&after);
    assert!(!links.is_empty() && links.iter().all(|link| ids.contains(link)), "{links:?} {ids:?}");
    // Where both are told of, the move is held.
    let raw = document("to [A](#a), to [B](#b).\n\n# A\n\na one.\n\n# B\n\nb one.\n");
    let was = body(&fetched(&raw).parts[0].text);
    let after = check_edit(&raw, &swapped(&raw), Some(&was), Fate::Held);
    let (links, ids) = links_of(&after);
    assert!(links.len() == 2 && links.iter().all(|link| ids.contains(link)), "{links:?} {ids:?}");
}

/// Text makes way neither for a section break nor for an empty paragraph, whatever is edited beside it.
#[test]
fn a_section_break_takes_the_place_of_no_text() {
    let (title, last) = ("{!Title}\niota\n\n\\\n\n### head\n", "first\n\n");
    for (old, new, tied) in [
        (
            format!("{{!Subtitle}}\nalpha beta\n\n{title}"),
            format!(
                "\\\n\n{{!Subtitle}}\nalpha beta\n\n{{^= sectionbreak}}\n\n{}",
                title.replace("head", "other head")
            ),
            "iota",
        ),
        (
            format!("{last}alpha kappa beta gamma\n\n\\\n\nlast words here\n"),
            format!("{last}{{^= sectionbreak}}\n\n\\\n\nalpha beta gamma\n\n\\\n\nlast\n\nwords here\n"),
            "",
        ),
    ] {
        let mut raw = document(&old);
        let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap();
        if let Some(at) = content.iter().position(|element| !tied.is_empty() && element.to_string().contains(tied)) {
            // It covers the empty paragraph behind it as well.
            let range = json!({"startIndex": content[at]["startIndex"], "endIndex": content[at + 1]["endIndex"]});
            let request = json!({"insertComment": {"range": range, "content": "why?"}});
            raw = applied(&raw, &[request], 5);
        }
        let remote = fetched(&raw);
        let file = remote.parts[0].text.clone();
        let head = file.split_inclusive("---\n").take(2).collect::<String>();
        let anchor = file.lines().find_map(|line| line.strip_prefix("### {^ ")?.split_once('}')).map(|(id, _)| id);
        let new = anchor.map_or_else(|| new.clone(), |id| new.replace("### ", &format!("### {{^ {id}}}")));
        let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}\n{new}"), false).unwrap();
        assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
        let typed: String = plan.requests.iter().filter_map(|request| request["insertText"]["text"].as_str()).collect();
        assert!(!typed.contains("alpha") && !typed.contains("beta"), "{typed:?} {:#?}", plan.requests);
        let after = fetched(&applied(&raw, &plan.requests, 9)).parts[0].text.replace("{!Normal text}\n", "");
        assert!(after.ends_with(&new), "{after}\n{new}");
    }
}

/// Where a move is refused, no empty paragraph comes that it would have needed.
#[test]
fn a_refused_move_leaves_no_empty_paragraph() {
    let table = "| a | b |\n| --- | --- |\n| c | d |\n\n";
    for (old, new) in [
        (format!("# H one\n\n{table}End.\n"), format!("{table}# H one\n\nEnd.\n")),
        (format!("First.\n\n{table}# H one\n\n{table}End.\n"), format!("First.\n\n{table}{table}# H one\n\nEnd.\n")),
    ] {
        let raw = document(&old);
        let remote = fetched(&raw);
        let file = remote.parts[0].text.clone();
        let heading = file.lines().find(|line| line.starts_with('#')).unwrap();
        let edited =
            file.split_inclusive("---\n").take(2).collect::<String>() + "\n" + &new.replace("# H one", heading);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        let after = fetched(&applied(&raw, &plan.requests, 9)).parts[0].text.clone();
        assert!(!plan.refused.is_empty(), "{plan:?}");
        assert_eq!(after, file);
    }
}

#[test]
fn a_refused_table_leaves_no_empty_paragraph() {
    let ragged = "| a | b |\n| --- | --- |\n| x | y | z |\n";
    for (old, new) in [
        ("# A\n\nLast.\n", format!("# A\n\nLast.\n\n{ragged}")),
        ("# A\n\nFirst.\n\nLast.\n", format!("# A\n\nFirst.\n\n{ragged}\n# B\n\nLast.\n")),
    ] {
        let raw = document(old);
        let remote = fetched(&raw);
        let file = remote.parts[0].text.clone();
        let heading = file.lines().find(|line| line.starts_with('#')).unwrap();
        let edited = file.split_inclusive("---\n").take(2).collect::<String>() + "\n" + &new.replace("# A", heading);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        assert!(plan.refused.iter().any(|notice| notice.code == "TABLE_CELLS"), "{plan:?}");
        let after = applied(&raw, &plan.requests, 9);
        let after = fetched(&after).parts[0].text.clone();
        assert!(!after.lines().any(|line| line == "\\"), "{plan:?}\n{after}");
    }
}

#[test]
fn an_empty_paragraph_keeps_its_look() {
    for added in ["```\ncode\n```\n", "{!Title}\nCode\n\n{!Normal text}\n", "{!align:center}\nCode\n\n{!Normal text}\n"]
    {
        let raw = document("First.\n\n\\\n\n| a | b |\n| --- | --- |\n| c | d |\n\nEnd.\n");
        let remote = fetched(&raw);
        let file = remote.parts[0].text.clone();
        let with = file.replacen("\n\\\n\n", &format!("\n\\\n\n{added}\n"), 1);
        let there = docs::plan(&remote, &remote.parts[0].id, &with, false).unwrap();
        let between = applied(&raw, &there.requests, 9);
        assert!(fetched(&between).parts[0].text.lines().any(|line| line.eq_ignore_ascii_case("code")), "{there:?}");
        let remote = fetched(&between);
        let back = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        let after = applied(&between, &back.requests, 9);
        let body = |document: &Value| document["tabs"][0]["documentTab"]["body"].clone();
        assert_eq!(body(&after), body(&raw), "{added:?}: {back:?}");
    }
}

#[test]
fn a_table_becomes_text() {
    let table = "| Q | A |\n| --- | --- |\n| one | yes |\n| two | no |\n";
    for (text, refused) in [
        ("- Q A\n- one yes\n- two no\n", false),
        ("Q: A\n\none: yes\n\ntwo: no\n", false),
        ("```\none yes\ntwo no\n```\n", false),
        // Its Markdown broke: nobody wants a table to become such lines.
        ("\\| Q \\| A \\|\n\n\\| one \\| yes \\|\n\n\\| two \\| no \\|\n", true),
    ] {
        let raw = document(&format!("First.\n\n{table}\nLast.\n"));
        let remote = fetched(&raw);
        let file = remote.parts[0].text.clone();
        let edited = file.replacen(table, text, 1);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        assert_eq!(!plan.refused.is_empty(), refused, "{text:?}: {plan:?}");
        let after = fetched(&applied(&raw, &plan.requests, 9)).parts[0].text.clone();
        assert_eq!(after, if refused { file } else { edited }, "{text:?}: {plan:?}");
    }
}

#[test]
fn text_that_moved_into_a_footnote_that_cannot_be_made_stays() {
    let raw = document("# Head\n\nOne two three.\n\nFour words stand here.\n\nEnd.\n");
    let remote = fetched(&raw);
    let file = remote.parts[0].text.clone();
    let moved = file.replacen("Four words stand here.\n\n", "", 1).replacen("two", "two[^n]", 1);
    for (object, refused) in [("{^= pagebreak}", true), ("{^= equation}", true), ("", false)] {
        let edited = format!("{moved}\n[^n]: Four words stand {object} here.\n");
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        assert_eq!(!plan.refused.is_empty(), refused, "{object}: {plan:?}");
        let after = applied(&raw, &plan.requests, 9);
        let stands = fetched(&after).parts[0].text.contains("Four words stand here.");
        // The text of one that can be made is typed once it stands.
        assert_eq!((stands, plan.again), (refused, !refused), "{object}: {plan:?}");
    }
}
