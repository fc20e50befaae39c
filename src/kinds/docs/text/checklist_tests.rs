//! Cases of the boxes of checklists: a document, its export, and what the file then shows.

use std::fmt::Write as _;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::checklist;
use crate::kinds::docs::{Access, Boxes, document, plan, read, read_exported, recalled};
use crate::kinds::{Fetched, Lack};
use crate::model::PartId;

const URL: &str = "https://docs.google.com/document/d/doc/edit";

/// Writes a paragraph: `- ` makes it an item of a checklist, two blanks before that a nested one.
fn paragraph(line: &str, at: &mut u32) -> Value {
    let level = (line.len() - line.trim_start_matches(' ').len()) / 2;
    let (text, bullet) = match line.trim_start().strip_prefix('-') {
        Some(text) => (text.trim_start(), json!({"listId": "kix.check", "nestingLevel": level})),
        None => (line, Value::Null),
    };
    let start = *at;
    let text = format!("{text}\n");
    *at += u32::try_from(text.encode_utf16().count()).unwrap();
    let mut paragraph = json!({"elements": [{"startIndex": start, "endIndex": *at, "textRun": {"content": text}}],
        "paragraphStyle": {"namedStyleType": "NORMAL_TEXT"}});
    if !bullet.is_null() {
        paragraph["bullet"] = bullet;
    }
    json!({"startIndex": start, "endIndex": *at, "paragraph": paragraph})
}

/// Writes a tab; a line that begins with `|` is a table of one cell.
fn tab(number: usize, lines: &[&str]) -> Value {
    let mut at = 1;
    let mut content = vec![json!({"endIndex": 1, "sectionBreak": {}})];
    for line in lines {
        let Some(cell) = line.strip_prefix('|') else {
            content.push(paragraph(line, &mut at));
            continue;
        };
        let start = at;
        at += 3;
        let inside = paragraph(cell, &mut at);
        content.push(json!({"startIndex": start, "endIndex": at + 1, "table": {"rows": 1, "columns": 1, "tableRows": [
            {"startIndex": start + 1, "endIndex": at, "tableCells": [
                {"startIndex": start + 2, "endIndex": at, "content": [inside]}]}]}}));
        at += 1;
    }
    content.push(paragraph("", &mut at));
    let levels = vec![json!({"glyphType": "GLYPH_TYPE_UNSPECIFIED", "glyphFormat": "%0"}); 9];
    json!({"tabProperties": {"tabId": format!("t.{number}"), "title": format!("Tab {number}"), "index": number},
        "documentTab": {"body": {"content": content},
            "lists": {"kix.check": {"listProperties": {"nestingLevels": levels}}}}})
}

fn raw(tabs: &[&[&str]]) -> Vec<u8> {
    let tabs: Vec<Value> = tabs.iter().enumerate().map(|(number, lines)| tab(number, lines)).collect();
    serde_json::to_vec(&json!({"documentId": "doc", "title": "t", "revisionId": "r", "tabs": tabs})).unwrap()
}

fn fetched(tabs: &[&[&str]], export: &str) -> Fetched {
    read_exported(raw(tabs), export.as_bytes().to_vec(), Access::Edit, URL).unwrap()
}

/// The boxes of all files, and how many are told as not found.
fn shown(fetched: &Fetched) -> (Vec<bool>, usize) {
    let lines = fetched.parts.iter().flat_map(|part| part.text.lines());
    let boxes = lines.filter_map(|line| match line.trim_start().get(..5) {
        Some("- [x]") => Some(true),
        Some("- [ ]") => Some(false),
        _ => None,
    });
    let number = |message: &str| message.split(' ').find_map(|word| word.parse::<usize>().ok()).unwrap_or(0);
    let notices = fetched.parts.iter().flat_map(|part| &part.warnings).filter(|notice| notice.code == "CHECKLIST");
    (boxes.collect(), notices.map(|notice| number(&notice.message)).sum())
}

/// `expected` has an `x` for each ticked box, a dot for each that is not, a question mark for one that was not found.
#[track_caller]
fn check(tabs: &[&[&str]], export: &str, expected: &str) {
    let (boxes, missing) = shown(&fetched(tabs, export));
    let expected: Vec<char> = expected.chars().collect();
    let ticked: Vec<bool> = expected.iter().map(|state| *state == 'x').collect();
    assert_eq!(boxes, ticked, "{export}");
    assert_eq!(missing, expected.iter().filter(|state| **state == '?').count(), "{export}");
}

#[test]
fn boxes_are_found_by_order_and_words() {
    let list: &[&str] = &["Buy:", "- milk", "- bread", "- eggs"];
    check(&[list], "Buy:\n\n- [x] milk\n- [ ] bread\n- [x] eggs\n", "x.x");
    check(&[list], "\u{feff}Buy:\r\n\r\n* [ ] milk  \r\n* [X] bread\r\n+ [ ] eggs\r\n", ".x.");
    check(&[list], "1. [x] milk\n2) [ ] bread\n- - [x] eggs", "x.x");
    // One that the export does not show yet, or that the document did not have.
    check(&[list], "- [ ] milk\n- [x] eggs\n", ".?x");
    check(&[list], "- [x] new\n- [ ] milk\n- [x] butter\n- [ ] bread\n- [x] eggs\n", "..x");
    check(&[list], "", "???");
    // A few words were changed meanwhile; others are another item.
    check(&[list], "- [x] oat milk\n- [ ] bread\n- [x] honey\n", "x.?");
    // What is text is escaped.
    check(&[list], "\\- \\[x\\] milk\n- \\[x\\] bread\n-[x] eggs\n- [xx] eggs\n- [x]eggs", "???");
    // Equal words are told apart by their order.
    let equal: &[&str] = &["- call", "- write", "- call", "- call"];
    check(&[equal], "- [ ] call\n- [x] write\n- [x] call\n- [ ] call\n", ".xx.");
    check(&[equal], "- [ ] write\n- [x] call\n- [ ] call\n", "?.x.");
    check(&[&["-", "- one", "-"]], "- [x] \n- [ ] one\n- [x]\n", "x.x");
    check(&[&["no list"]], "- [x] no list", "");
}

#[test]
fn what_markdown_does_to_words_is_taken_off() {
    let one = |words: &str, export: &str| {
        check(&[&[&format!("- {words}"), "- other"]], &format!("- [x] {export}\n- [ ] other\n"), "x.");
    };
    one("a*b_c [d] #1 1. x|y <z> & ~ `q` \\ !", "a\\*b\\_c \\[d\\] \\#1 1\\. x\\|y \\<z\\> & \\~ \\`q\\` \\\\ \\!");
    one("bold words here", "**bold** *words* ~~here~~");
    one("struck through", "~~struck through~~");
    one("see the page, now", "see [the page](https://example.com/a_(b)?c=[d]), now");
    one("see the page", "[see *the* page][1]");
    one("a note at the end", "a note[^1] at[^note] the end");
    one("a picture", "a ![][image1]picture![alt text](data:image/png;base64,AAAA)");
    one("up and down", "up<sup> and</sup> <u>down</u><br>");
    one("x < y & z", "x &lt; y &amp; z");
    one("AT&T; really", "AT\\&T; really");
    one("first\u{b}second", "first  \n  second");
    one("nbsp\u{a0}and soft\u{200b}", "nbsp and soft");
    one("👍🏽 ünïcode 東京", "👍🏽 ünïcode 東京");
    one("chip \u{e907} here", "chip here");
    one("old new", "old new");
    one("mail https://example.com/x now", "mail [https://example.com/x](https://example.com/x) now");
    let long = "word ".repeat(2_000);
    one(long.trim(), long.trim());
}

#[test]
fn nested_items_cells_and_tabs() {
    let nested: &[&str] = &["- top", "  - inner", "    - deep", "- end"];
    check(&[nested], "- [ ] top\n  - [x] inner\n      - [x] deep\n- [ ] end\n", ".xx.");
    // The items of a cell are not shown, and do not take the state of others.
    let cells: &[&str] = &["- a", "|- a", "- a"];
    check(&[cells], "- [ ] a\n\n| - [x] a |\n| :---- |\n\n- [ ] a\n", "..");
    check(&[cells], "- [x] a\n\n| [ ] a<br>plain |\n| :---- |\n\n- [x] a\n", "xx");
    let two: [&[&str]; 2] = [&["- same", "- one"], &["- same", "- two"]];
    check(&two, "# Tab 0\n\n- [ ] same\n- [x] one\n\n# Tab 1\n\n- [x] same\n- [ ] two\n", ".xx.");
    // Tabs in another order are found by their words.
    let apart: [&[&str]; 2] = [&["- a", "- b", "- c"], &["- d"]];
    check(&apart, "- [x] d\n\n- [ ] a\n- [x] b\n- [ ] c\n", ".x.x");
}

#[test]
fn each_tab_tells_its_own() {
    let two: [&[&str]; 3] = [&["- a", "- b"], &["no list"], &["- c"]];
    let fetched = fetched(&two, "- [x] a\n");
    let told: Vec<usize> = fetched.parts.iter().map(|part| part.warnings.len()).collect();
    assert_eq!(told, [1, 0, 1]);
    let untold = read(raw(&two), Access::Edit, URL).unwrap();
    assert_eq!(shown(&untold).0, [false, false, false]);
    assert_eq!(untold.parts.iter().map(|part| part.warnings.len()).collect::<Vec<_>>(), [1, 0, 1]);
}

/// What the file shows when the export fails: what it showed before, as far as its words are still there.
#[test]
fn a_failed_export_changes_no_tick() {
    let before: [&[&str]; 2] = [&["- milk", "- two loaves of bread", "- eggs"], &["- call", "- call"]];
    let was = fetched(&before, "- [x] milk\n- [x] two loaves of bread\n- [ ] eggs\n- [ ] call\n- [x] call\n");
    let known: Vec<(PartId, String)> = was.parts.iter().map(|part| (part.id.clone(), part.text.clone())).collect();
    let now: [&[&str]; 2] = [&["- butter", "- milk", "- three loaves of bread", "- eggs"], &["- call", "- call"]];
    let failed = |passes| {
        let boxes = Boxes::Failed { why: "HTTP 500".into(), passes };
        let raw = raw(&now);
        let document = document(&raw).unwrap();
        crate::kinds::docs::read_with(raw, document, Access::Edit, URL, &boxes, |_| crate::kinds::Comments::Unread)
    };
    assert_eq!((failed(true).lack, failed(false).lack, was.lack), (Lack::ForNow, Lack::ForGood, Lack::Nothing));
    assert_eq!(shown(&failed(true)).0, [false; 6]);
    let recalled = recalled(failed(true), &known);
    assert_eq!(shown(&recalled).0, [false, true, true, false, false, true]);
    assert!(recalled.parts[0].warnings[0].message.contains("HTTP 500"));
    // The plans know it too.
    for (part, text) in recalled.parts.iter().map(|part| (&part.id, &part.text)) {
        let plan = plan(&recalled, part, &text.replace("loaves", "slices"), false).unwrap();
        assert_eq!((plan.expected, plan.refused), (text.replace("loaves", "slices"), Vec::new()));
    }
}

/// Plans an edit of the first tab; returns what it refuses.
#[track_caller]
fn check_plan(
    edit: impl Fn(&str) -> String,
    requests: bool,
    expected: impl Fn(&str) -> String,
    refused: &[(u32, &str)],
) {
    let tabs: [&[&str]; 1] = [&["Buy:", "- milk", "- bread", "  - rye", "- eggs", "Done."]];
    let export = "Buy:\n\n- [x] milk\n- [ ] bread\n  - [x] rye\n- [x] eggs\n\nDone.\n";
    let whole = fetched(&tabs, export);
    let text = whole.parts[0].text.clone();
    // A reading that nothing was kept of says the same by its text.
    let bare = Fetched { reading: crate::kinds::Reading::default(), ..whole.clone() };
    for remote in [whole, bare] {
        let plan = plan(&remote, &PartId::default(), &edit(&text), false).unwrap();
        let told: Vec<(u32, &str)> = plan.refused.iter().map(|notice| (notice.line, notice.code.as_str())).collect();
        assert_eq!(told, refused, "{:?}", plan.refused);
        assert_eq!(!plan.requests.is_empty(), requests, "{:?}", plan.requests);
        assert_eq!(plan.expected, expected(&text));
    }
}

#[test]
fn edits_of_ticked_items_are_planned_and_ticks_are_not() {
    let same = |text: &str| text.to_owned();
    // The head has six lines, and `Buy:` stands between blank ones.
    const MILK: u32 = 10;
    check_plan(same, false, same, &[]);
    let words = |text: &str| text.replace("milk", "oat milk").replace("rye", "wheat");
    check_plan(words, true, words, &[]);
    let all_words = |text: &str| text.replace("milk", "tea").replace("eggs", "nuts");
    check_plan(all_words, true, all_words, &[]);
    check_plan(|text| text.replace("[x] milk", "[ ] milk"), false, same, &[(MILK, "TICK")]);
    check_plan(|text| text.replace("[ ] bread", "[x] bread"), false, same, &[(MILK + 1, "TICK")]);
    let bread = |text: &str| text.replace("bread", "toast");
    check_plan(|text| bread(text).replace("[ ] toast", "[x] toast"), true, bread, &[(MILK + 1, "TICK")]);
    // A new item has no tick, whichever neighbour lends its place.
    for place in ["- [x] milk\n", "- [ ] bread\n", "  - [x] rye\n", "- [x] eggs\n"] {
        let line = |mark: &str| format!("{place}{}- [{mark}] new\n", if place.starts_with(' ') { "  " } else { "" });
        let added = |text: &str| text.replace(place, &line(" "));
        check_plan(added, true, added, &[]);
        let number =
            |text: &str| u32::try_from(text.lines().position(|line| line.ends_with("] new")).unwrap() + 1).unwrap();
        let tabs: [&[&str]; 1] = [&["Buy:", "- milk", "- bread", "  - rye", "- eggs", "Done."]];
        let at = number(&added(&fetched(&tabs, "- [x] milk\n- [ ] bread\n- [x] rye\n- [x] eggs").parts[0].text));
        check_plan(|text| text.replace(place, &line("x")), true, added, &[(at, "TICK")]);
    }
    let removed = |text: &str| text.replace("- [x] milk\n", "").replace("  - [x] rye\n", "");
    check_plan(removed, true, removed, &[]);
    let no_list = |text: &str| text.replace("- [x] eggs\n", "").replace("Done.", "eggs\n\nDone.");
    check_plan(no_list, true, no_list, &[]);
    let deeper = |text: &str| text.replace("- [x] eggs", "  - [x] eggs");
    check_plan(deeper, true, deeper, &[]);
}

/// What is ticked stays where it is, and what is not makes way for it; where that cannot be, the move is held.
#[test]
fn a_move_takes_no_tick() {
    let tabs: [&[&str]; 1] = [&["- one", "- two", "- three", "- four"]];
    let fetched = fetched(&tabs, "- [ ] one\n- [ ] two\n- [x] three\n- [x] four\n");
    let text = &fetched.parts[0].text;
    let list = |lines: [&str; 4]| {
        text.replace("- [ ] one\n- [ ] two\n- [x] three\n- [x] four", &lines.map(|line| format!("- {line}")).join("\n"))
    };
    let planned = |new: &str| {
        let plan = plan(&fetched, &PartId::default(), new, false).unwrap();
        let codes: Vec<String> = plan.refused.into_iter().map(|notice| notice.code).collect();
        (plan.expected, codes, !plan.requests.is_empty())
    };
    let up = list(["[x] three", "[ ] one", "[ ] two", "[x] four"]);
    assert_eq!(planned(&up), (up, Vec::new(), true));
    let crossed = list(["[ ] one", "[ ] two", "[x] four", "[x] three"]);
    assert_eq!(planned(&crossed), (text.clone(), vec!["LOCKED".to_owned()], false));
    let unticked = list(["[ ] one", "[ ] two", "[ ] four", "[x] three"]);
    assert_eq!(planned(&unticked), (unticked, Vec::new(), true));
}

#[test]
fn a_long_list_takes_no_longer_than_its_length() {
    let lists: [fn(usize) -> String; 3] = [
        |n| format!("item {n}"),
        |n| format!("item {}", n % 2),
        |n| format!("{}", n.wrapping_mul(2_654_435_761) % 10_007),
    ];
    for words in lists {
        let lines: Vec<String> = (0..10_000).map(|n| format!("- {}", words(n))).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut export = String::new();
        // Every 97th is not in the export, every other is ticked.
        for n in (0..10_000).filter(|n| n % 97 != 96) {
            writeln!(export, "- [{}] {}", if n % 2 == 0 { 'x' } else { ' ' }, words(n)).unwrap();
        }
        let raw = raw(&[&lines]);
        let parsed = document(&raw).unwrap();
        let begun = Instant::now();
        let known = checklist::read(export.as_bytes(), &parsed);
        let reversed = export.lines().rev().fold(String::new(), |text, line| text + line + "\n");
        checklist::read(reversed.as_bytes(), &parsed);
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        assert!(known.unmatched.values().sum::<usize>() <= 104);
    }
}

/// Eight megabytes that are one line, or nothing but brackets.
#[test]
fn strange_exports_are_read_in_time() {
    let lines = ["](", "[^", "![", "![a](", "<", "&", "\\*"]
        .map(|piece| format!("- [x] {}\n", piece.repeat(4_000 / piece.len())));
    let pieces = ["- [x] [](", "[", "- [x] ![](", "<", "&", "\\", "| [x] ", "- - - - ", "1", "- [x] a\n"];
    for piece in pieces.into_iter().chain(lines.iter().map(String::as_str)) {
        let begun = Instant::now();
        let export = piece.repeat((8 << 20) / piece.len());
        check(&[&["- word"]], &export, "?");
        assert!(begun.elapsed().as_secs() < 10, "{piece:?}: {:?}", begun.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever stands in the export, the file is there and has as many boxes as the document.
    #[test]
    fn no_export_does_harm(export in any::<Vec<u8>>(), lines in "[-\\[\\]x !\\\\<>&|()^\\n\\r\u{e4}]{0,80}") {
        let tabs: [&[&str]; 1] = [&["- one", "- x", "- two"]];
        for export in [export, lines.into_bytes()] {
            let fetched = read_exported(raw(&tabs), export, Access::Edit, URL).unwrap();
            prop_assert_eq!(shown(&fetched).0.len(), 3);
        }
    }
}
