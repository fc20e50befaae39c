//! The marks of list items whose look stands on the newline alone, and lists that something tied is moved past.

use crate::support::model::{applied, document, fetched};
use mcp_workspace::kinds::docs;
use mcp_workspace::model::Notice;
use serde_json::{Value, json};

/// Which letter stands for which part of a colour.
const LETTERS: [(char, &str); 3] = [('r', "red"), ('g', "green"), ('b', "blue")];

fn colour(letter: char) -> Option<Value> {
    let (_, part) = LETTERS.into_iter().find(|(own, _)| *own == letter)?;
    let mut rgb = json!({});
    rgb[part] = json!(1.0);
    Some(json!({"color": {"rgbColor": rgb}}))
}

fn letter(style: &Value) -> char {
    let own = |(letter, _): &(char, &str)| colour(*letter).as_ref() == style.get("foregroundColor");
    LETTERS.into_iter().find(own).map_or('-', |(letter, _)| letter)
}

fn items(raw: &mut Value) -> impl Iterator<Item = &mut Value> {
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array_mut().unwrap();
    content.iter_mut().map(|element| &mut element["paragraph"]).filter(|paragraph| paragraph.get("bullet").is_some())
}

/// Where a document keeps the look of a mark: Docs shows that of the newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Newline,
    Both,
}

/// A document that says `text`; each newline of an item has the colour of its letter, the text is plain.
fn marked(text: &str, letters: &str, at: At) -> Value {
    let mut raw = document(text);
    assert_eq!(items(&mut raw).count(), letters.len());
    for (paragraph, colour) in items(&mut raw).zip(letters.chars().map(colour)) {
        let Some(colour) = colour else { continue };
        if at == At::Both {
            paragraph["bullet"]["textStyle"]["foregroundColor"] = colour.clone();
        }
        let elements = paragraph["elements"].as_array_mut().unwrap();
        let last = elements.last_mut().unwrap();
        let end = last["endIndex"].as_u64().unwrap();
        let content = last["textRun"]["content"].as_str().unwrap().trim_end_matches('\n').to_owned();
        let mut newline = json!({"startIndex": end - 1, "endIndex": end,
            "textRun": {"content": "\n", "textStyle": last["textRun"]["textStyle"]}});
        newline["textRun"]["textStyle"]["foregroundColor"] = colour;
        if content.is_empty() {
            *last = newline;
        } else {
            last["textRun"]["content"] = content.into();
            last["endIndex"] = json!(end - 1);
            elements.push(newline);
        }
    }
    raw
}

/// The colours of the newlines of items in their order, those of the marks, and how many texts have one.
fn looks(raw: &Value) -> (String, String, usize) {
    let mut raw = raw.clone();
    let (mut newlines, mut marks, mut texts) = (String::new(), String::new(), 0);
    for paragraph in items(&mut raw) {
        let elements = paragraph["elements"].as_array().unwrap();
        newlines.push(letter(&elements.last().unwrap()["textRun"]["textStyle"]));
        marks.push(letter(&paragraph["bullet"]["textStyle"]));
        let shown = |part: &&Value| part["textRun"]["content"].as_str().is_some_and(|text| !text.trim().is_empty());
        texts += elements.iter().filter(shown).filter(|part| letter(&part["textRun"]["textStyle"]) != '-').count();
    }
    (newlines, marks, texts)
}

fn lines_of(notices: &[Notice], file: &str) -> Vec<(String, String)> {
    let line = |at: u32| file.lines().nth(at as usize - 1).unwrap_or_default().to_owned();
    notices.iter().map(|notice| (notice.code.clone(), line(notice.line))).collect()
}

/// Edits a list whose newlines have the looks `was`: afterwards they have `is`, and the marks with them.
#[track_caller]
fn check(was: (&str, &str), is: (&str, &str)) {
    for at in [At::Newline, At::Both] {
        let raw = marked(was.0, was.1, at);
        let remote = fetched(&raw);
        let file = remote.parts[0].text.replace(was.0, is.0);
        assert_ne!(file, remote.parts[0].text);
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
        let after = applied(&raw, &plan.requests, 9);
        assert_eq!(fetched(&after).parts[0].text, file);
        let (newlines, marks, texts) = looks(&after);
        assert_eq!(newlines, is.1, "{at:?} {}: {:#?}", is.0, plan.requests);
        assert_eq!(texts, 0, "{at:?} {}: {:#?}", is.0, plan.requests);
        if at == At::Both {
            assert_eq!(marks, is.1, "{}: {:#?}", is.0, plan.requests);
        }
    }
}

fn list(items: &[&str]) -> String {
    format!("Above.\n\n- {}\n\nBelow.\n", items.join("\n- "))
}

const ITEMS: [&str; 3] = ["item one", "item two", "item three"];

#[test]
fn what_is_moved_keeps_the_look_of_its_newline() {
    let [one, two, three] = ITEMS;
    let text = &*list(&ITEMS);
    check((text, "r--"), (&list(&[two, three, one]), "--r"));
    check((text, "--r"), (&list(&[three, one, two]), "r--"));
    check((text, "rg-"), (&list(&[two, one, three]), "gr-"));
    check((text, "rgb"), (&list(&[three, two, one]), "bgr"));
    // To another list, between its items and behind them.
    let lists = |above: &[&str], below: &[&str]| {
        format!("Above.\n\n- {}\n\nMiddle.\n\n- {}\n\nBelow.\n", above.join("\n- "), below.join("\n- "))
    };
    let text = &*lists(&ITEMS, &["next one", "next two"]);
    check((text, "-r---"), (&lists(&[one, three], &["next one", two, "next two"]), "---r-"));
    check((text, "--r-g"), (&lists(&[one, two], &["next one", "next two", three]), "---gr"));
    // Nested, numbered, and with runs of several looks.
    let nested = "- one\n  - two\n  - three\n- four\n\nBelow.\n";
    check((nested, "-r-g"), ("- one\n  - three\n  - two\n- four\n\nBelow.\n", "--rg"));
    check((nested, "-r-g"), ("- one\n  - three\n- four\n  - two\n\nBelow.\n", "--gr"));
    check(("1. one\n2. two\n3. three\n", "r-g"), ("1. two\n2. three\n3. one\n", "-gr"));
    let linked = "item [two](https://example.com)";
    for last in ["item **one**", linked] {
        check((&list(&[last, "two", three]), "r--"), (&list(&["two", three, last]), "--r"));
    }
}

#[test]
fn what_is_edited_keeps_the_look_of_its_newline() {
    let [one, two, three] = ITEMS;
    let text = &*list(&ITEMS);
    // What is new behind it takes that of Docs, which is the same.
    check((text, "ggr"), (&list(&[one, two, "item three more", "brand new words"]), "ggrr"));
    check((text, "--r"), (&list(&[one, two, "third thing", "brand new words"]), "--rr"));
    check((text, "--r"), (&list(&[one, two, "abc", "xyz"]), "--rr"));
    check((text, "gg-"), (&list(&[one, two, "item 3", "item four"]), "gg--"));
    check((text, "r--"), (&list(&["item one more", two, three]), "r--"));
    check((text, "r--"), (&list(&["item one **bold**", two, three]), "r--"));
    check((text, "-r-"), (&list(&[one, "zyx", three]), "-r-"));
    // Joined, the first counts; split, both have it.
    check((text, "rg-"), (&list(&["item one item two", three]), "r-"));
    check((text, "rg-"), (&list(&[one, "item two item three"]), "rg"));
    check((&list(&[one, "item two three four"]), "-r"), (&list(&[one, "item two", "three four"]), "-rr"));
}

#[test]
fn what_stands_before_an_edited_item_leaves_it_its_look() {
    let [_, two, three] = ITEMS;
    for (file, first) in [(["brand new words", "item one more"], "-r"), (["item zero", "item first"], "rr")] {
        let raw = marked(&list(&ITEMS), "r--", At::Newline);
        let remote = fetched(&raw);
        let file = remote.parts[0].text.replace(&list(&ITEMS), &list(&[file[0], file[1], two, three]));
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
        assert_eq!(looks(&applied(&raw, &plan.requests, 9)).0, format!("{first}--"), "{file}");
    }
}

#[test]
fn a_list_that_is_not_edited_needs_no_request() {
    let text = list(&ITEMS);
    for at in [At::Newline, At::Both] {
        let raw = marked(&text, "rgb", at);
        let remote = fetched(&raw);
        let file = remote.parts[0].text.replace("Below.", "Far below.").replace("item two", "item two more");
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert!(plan.requests.iter().all(|request| request.get("updateTextStyle").is_none()), "{:#?}", plan.requests);
    }
}

#[test]
fn a_mark_that_cannot_have_its_look_is_told() {
    let text = list(&["x", "two", "three"]);
    for (at, told) in [(At::Newline, Vec::new()), (At::Both, vec![("LOOK_LOST".to_owned(), "- x".to_owned())])] {
        let raw = marked(&text, "r--", at);
        let remote = fetched(&raw);
        let file = remote.parts[0].text.replace(&text, &list(&["two", "three", "x"]));
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert_eq!(lines_of(&plan.told, &file), told, "{:#?}", plan.told);
        let after = applied(&raw, &plan.requests, 9);
        assert_eq!((fetched(&after).parts[0].text.clone(), looks(&after).0), (file, "--r".to_owned()));
    }
}

/// Moves a paragraph that a named range or a comment is tied to: the lists stay what they are, and `told` begins the line
/// that tells what is held; without it the edit arrives.
#[track_caller]
fn check_tied(was: (&str, &str), file: &str, told: Option<&str>) {
    for comment in [false, true] {
        let mut raw = marked(was.0, was.1, At::Both);
        let tab = &mut raw["tabs"][0]["documentTab"];
        let content = tab["body"]["content"].as_array().unwrap();
        let tied = |element: &&Value| {
            element["paragraph"]["elements"][0]["textRun"]["content"]
                .as_str()
                .is_some_and(|text| text.starts_with("Tied"))
        };
        let start = content.iter().find(tied).unwrap()["startIndex"].as_u64().unwrap();
        let range = json!({"startIndex": start, "endIndex": start + 4});
        if comment {
            tab["commentAnchors"]["theirs"] = json!({"ranges": [range]});
        } else {
            tab["namedRanges"]["theirs"] = json!({"name": "theirs", "namedRanges": [{"namedRangeId": "kix.theirs", "name": "theirs", "ranges": [range]}]});
        }
        let before = raw.clone();
        let remote = fetched(&raw);
        let file = remote.parts[0].text.replace(was.0, file);
        assert_ne!(file, remote.parts[0].text);
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        let after = applied(&raw, &plan.requests, 9);
        let Some(told) = told else {
            assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
            assert_eq!(fetched(&after).parts[0].text, file);
            continue;
        };
        let lines = lines_of(&plan.refused, &file);
        assert!(matches!(&*lines, [(code, line)] if code == "LOCKED" && line.starts_with(told)), "{:#?}", plan.refused);
        let lists = |raw: &Value| {
            let mut raw = raw.clone();
            items(&mut raw).map(|item| item["bullet"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(lists(&after), lists(&before), "{file}");
        assert_eq!(looks(&after), looks(&before), "{file}");
    }
}

#[test]
fn a_list_stays_when_something_tied_is_moved_past_it() {
    let items = "- item one\n- item two\n- item three\n\n";
    let nested = "1. item one\n   1. item two\n2. item three\n\n";
    for list in [items, nested] {
        let above = &*format!("Above.\n\nTied words.\n\n{list}Below.\n");
        let below = &*format!("Above.\n\n{list}Tied words.\n\nBelow.\n");
        check_tied((above, "rgb"), below, Some("Tied"));
        check_tied((below, "rgb"), above, Some("Tied"));
        // Other edits go out.
        check_tied((above, "rgb"), &below.replace("two", "two more").replace("Below", "Far below"), Some("Tied"));
        check_tied((above, "rgb"), &below.replace("item ", "edited item "), Some("Tied"));
    }
    let one = ("Above.\n\nTied words.\n\n- item one\n\nBelow.\n", "Above.\n\n- item one\n\nTied words.\n\nBelow.\n");
    check_tied((one.0, "r"), one.1, Some("Tied"));
    // A plain list is no other when it is made anew, so it makes way.
    check_tied((one.0, "-"), one.1, None);
    check_tied((one.1, "-"), one.0, None);
    for list in [items, "- item one\n  - item two\n- item three\n\n"] {
        let above = &*format!("Above.\n\nTied words.\n\n{list}Below.\n");
        let below = &*format!("Above.\n\n{list}Tied words.\n\nBelow.\n");
        check_tied((above, "---"), below, None);
        check_tied((below, "---"), above, None);
        check_tied((above, "---"), &below.replace("two", "two more").replace("Below", "Far below"), None);
    }
    check_tied((&one.0.replace("- ", "1. "), "-"), &one.1.replace("- ", "1. "), Some("Tied"));
    // What was moved along is held, too; two lists are as one.
    let two = format!("Above.\n\nAlong.\n\nTied words.\n\n{items}Middle.\n\n{nested}Below.\n");
    let past = format!("Above.\n\n{items}Middle.\n\n{nested}Along.\n\nTied words.\n\nBelow.\n");
    check_tied((&two, "rgbrgb"), &past, Some("Along"));
    // Inside of its list, and where a single item is moved out of one, nothing else becomes another list's.
    check_tied(
        ("- Tied words\n- item two\n- item three\n\nBelow.\n", "rgb"),
        "- item two\n- item three\n- Tied words\n\nBelow.\n",
        None,
    );
    let out = format!("Above.\n\n- item one\n\nTied words.\n\n{}Below.\n", items.replace("- item one\n", ""));
    check_tied((&format!("Above.\n\nTied words.\n\n{items}Below.\n"), "rgb"), &out, None);
}
