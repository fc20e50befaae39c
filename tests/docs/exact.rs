//! What a document says more exactly than its file stays as it is, wherever text is typed anew; and what is new takes no
//! part in a list that it does not belong to.

use std::collections::BTreeMap;

use crate::support::model::{applied, document, fetched};
use mcp_workspace::kinds::PushPlan;
use mcp_workspace::kinds::docs;
use mcp_workspace::sync::Undone;
use serde_json::{Value, json};

/// Calls `found` for every paragraph of the body and of its tables.
fn each_paragraph(content: &Value, found: &mut impl FnMut(&Value)) {
    for element in content.as_array().into_iter().flatten() {
        if element.get("paragraph").is_some() {
            found(&element["paragraph"]);
        }
        for row in element["table"]["tableRows"].as_array().into_iter().flatten() {
            row["tableCells"].as_array().into_iter().flatten().for_each(|cell| each_paragraph(&cell["content"], found));
        }
    }
}

fn content(raw: &Value) -> &Value {
    &raw["tabs"][0]["documentTab"]["body"]["content"]
}

/// The looks of each letter of a word, wherever it stands.
fn looks(raw: &Value, word: &str) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    each_paragraph(content(raw), &mut |paragraph| {
        let (mut text, mut styles) = (String::new(), Vec::new());
        for part in paragraph["elements"].as_array().unwrap() {
            let content = part["textRun"]["content"].as_str().unwrap_or("\u{1}");
            text.push_str(content);
            styles.extend(content.bytes().map(|_| part["textRun"]["textStyle"].clone()));
        }
        all.extend(text.match_indices(word).map(|(at, _)| styles[at..at + word.len()].to_vec()));
    });
    all
}

/// Gives the first of these words a style.
fn styled(raw: &Value, words: &str, style: &Value, fields: &str) -> Value {
    let mut range = Value::Null;
    each_paragraph(content(raw), &mut |paragraph| {
        for part in paragraph["elements"].as_array().unwrap() {
            let at = part["textRun"]["content"].as_str().and_then(|text| text.find(words));
            if let (Some(at), true) = (at, range.is_null()) {
                let start = part["startIndex"].as_u64().unwrap_or(0) + at as u64;
                range = json!({"startIndex": start, "endIndex": start + words.len() as u64});
            }
        }
    });
    assert!(!range.is_null(), "{words}");
    applied(raw, &[json!({"updateTextStyle": {"range": range, "textStyle": style, "fields": fields}})], 3)
}

/// Plans an edit of the file in which the ids of headings are left out.
fn edited(raw: &Value, edit: &dyn Fn(&str) -> String) -> (PushPlan, String) {
    let remote = fetched(raw);
    let text = remote.parts[0].text.clone();
    let file = edit(&text);
    assert_ne!(file, text);
    (docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap(), file)
}

/// Puts a block behind another; both are named by how their lines end.
fn behind(text: &str, what: &str, other: &str) -> String {
    let line = |words: &str| text.lines().find(|line| line.ends_with(words)).unwrap().to_owned();
    let (what, other) = (line(what), line(other));
    let without = text.replacen(&format!("{what}\n\n"), "", 1);
    without.replacen(&format!("{other}\n"), &format!("{other}\n\n{what}\n"), 1)
}

fn fonts() -> Vec<(Value, &'static str)> {
    let color = |red: f64| json!({"color": {"rgbColor": {"red": red, "green": 0.1}}});
    vec![
        (json!({"weightedFontFamily": {"fontFamily": "Courier New", "weight": 500}}), "weightedFontFamily"),
        (json!({"weightedFontFamily": {"fontFamily": "Consolas"}}), "weightedFontFamily"),
        (json!({"foregroundColor": color(0.5004)}), "foregroundColor"),
        (
            json!({"backgroundColor": color(0.5004), "fontSize": {"magnitude": 10.6, "unit": "PT"}}),
            "backgroundColor,fontSize",
        ),
        (json!({"link": {"url": "https://a.com"}, "underline": false}), "link,underline"),
        (json!({"link": {"url": "https://a.com"}}), "link,underline,foregroundColor"),
    ]
}

/// Edits a document in which one word has such a look, for each of them, and checks that the word keeps it.
#[track_caller]
fn check_kept(text: &str, edit: &dyn Fn(&str) -> String) {
    for (style, fields) in fonts() {
        let raw = styled(&document(text), "courier", &style, fields);
        let before = looks(&raw, "courier");
        let (plan, file) = edited(&raw, edit);
        assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
        let after = applied(&raw, &plan.requests, 9);
        assert_eq!(looks(&after, "courier"), before, "{file}\n{:#?}", plan.requests);
        for other in ["plain", "tail"] {
            assert_eq!(looks(&after, other), looks(&raw, other), "{file}\n{:#?}", plan.requests);
        }
    }
}

#[test]
fn text_that_is_typed_anew_keeps_the_look_that_no_file_says_exactly() {
    let text = "## head\n\nsome courier word\n\nplain middle\n\ntail\n";
    check_kept(text, &|text| behind(text, "head", "word"));
    check_kept(text, &|text| behind(text, "word", "tail"));
    check_kept(text, &|text| behind(text, "word", "plain middle"));
    // Edited, too.
    check_kept(text, &|text| behind(text, "word", "tail").replace(" word", " words here"));
    // Inside of its paragraph.
    let text = "many words that stay and courier then other words\n\nplain\n\ntail\n";
    check_kept(text, &|text| {
        let at = text.find(" and ").unwrap() + 5;
        let end = text.find(" then").unwrap();
        let word = text[at..end].to_owned();
        text.replacen(&format!("{word} then"), "then", 1).replacen("other words", &format!("other {word} words"), 1)
    });
    let text = "- one courier\n- plain two\n- three\n\ntail\n";
    check_kept(text, &|text| {
        let line = text.lines().find(|line| line.starts_with("- one")).unwrap().to_owned();
        text.replacen(&format!("{line}\n"), "", 1).replacen("- three\n", &format!("- three\n{line}\n"), 1)
    });
    let text = "top\n\n| h | i |\n| --- | --- |\n| plain | x |\n| courier | y |\n| z | w |\n\ntail\n";
    check_kept(text, &|text| {
        let line = text.lines().find(|line| line.ends_with("| y |")).unwrap().to_owned();
        text.replacen(&format!("{line}\n"), "", 1).replacen("| --- | --- |\n", &format!("| --- | --- |\n{line}\n"), 1)
    });
}

/// Pushes an edit of a document in which a word has a colour that no file says exactly, takes it back, and checks whether the
/// word has that colour then, or the one that the file says.
#[track_caller]
fn check_taken_back(edit: &dyn Fn(&str) -> String, keeps: bool) {
    for (style, fields) in &fonts()[2..4] {
        let raw = styled(&document("some courier word\n\nplain middle\n\ntail\n"), "courier", style, fields);
        let (plan, _) = edited(&raw, edit);
        let after = applied(&raw, &plan.requests, 9);
        let (was, is) = (fetched(&raw).parts[0].text.clone(), fetched(&after).parts[0].text.clone());
        let Undone::Edit(undone) = Undone::of(&was, &is, &is) else { panic!("nothing is to be taken back of {is}") };
        let (plan, _) = edited(&after, &|_| undone.clone());
        assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
        let back = applied(&after, &plan.requests, 11);
        assert_eq!(fetched(&back).parts[0].text, was);
        assert_eq!(looks(&back, "courier") == looks(&raw, "courier"), keeps, "{is}\n{:#?}", plan.requests);
    }
}

#[test]
fn words_that_leave_an_object_behind_take_their_settings_along() {
    // Docs has a private character where its API has no object.
    let raw = document("top\n\nzetaX\n\ntail\n");
    let mut raw: Value = serde_json::from_str(&raw.to_string().replace("zetaX", "zeta\u{e907}")).unwrap();
    let paragraph = &mut raw["tabs"][0]["documentTab"]["body"]["content"][2]["paragraph"];
    paragraph["paragraphStyle"]["keepWithNext"] = json!(true);
    let (plan, file) = edited(&raw, &|text| {
        assert!(text.contains("top\n\nzeta{^= embed}\n"), "{text}");
        text.replacen("top\n\nzeta{^= embed}\n", "zeta\n\ntop\n\n{^= embed}\n", 1)
    });
    assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
    let after = applied(&raw, &plan.requests, 9);
    assert_eq!(fetched(&after).parts[0].text, file);
    let first = &content(&after)[1]["paragraph"];
    assert_eq!(first["paragraphStyle"]["keepWithNext"], true, "{:#?}", plan.requests);
}

#[test]
fn a_push_that_is_taken_back_gives_no_look_anew_that_it_left_alone() {
    for (old, new) in [
        (" word", " words here"),
        ("some ", "so many "),
        ("some ", "{!color:#123456}some {/!}"),
        ("some ", "## some "),
        ("some ", "some\n\n"),
        ("plain middle\n\n", ""),
        ("tail", "tail\n\n| a | b |\n| --- | --- |\n"),
        ("courier", "courage"),
        ("courier", "**courier**"),
        ("courier", "*cou*rier"),
    ] {
        check_taken_back(&|text| text.replacen(old, new, 1), true);
    }
    check_taken_back(&|text| behind(text, "word", "tail"), true);
    // What the push changed or took away comes back as the text from before it says.
    let opened = |text: &str| (text.find("{!").unwrap(), text.find("courier").unwrap(), text.find("{/!}").unwrap());
    let bare = |text: &str| {
        let (open, word, close) = opened(text);
        format!("{}{}{}", &text[..open], &text[word..close], &text[close + 4..])
    };
    check_taken_back(&bare, false);
    check_taken_back(
        &|text| {
            let (open, _, close) = opened(text);
            format!("{}{}", &text[..open], &text[close + 5..])
        },
        false,
    );
}

#[test]
fn what_a_file_rounds_of_a_paragraph_goes_with_it() {
    let text = "# head\n\nshaded one\n\nmiddle\n\ntail\n";
    let raw = document(text);
    let at = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap()[2].clone();
    let range = json!({"startIndex": at["startIndex"], "endIndex": at["endIndex"]});
    let shading = json!({"backgroundColor": {"color": {"rgbColor": {"red": 0.5004, "green": 0.25}}}});
    let style = json!({"shading": shading, "lineSpacing": 117.123, "spaceAbove": {"magnitude": 7.6543, "unit": "PT"}});
    let fields = "shading,lineSpacing,spaceAbove";
    let raw = applied(
        &raw,
        &[json!({"updateParagraphStyle": {"range": range, "paragraphStyle": style, "fields": fields}})],
        3,
    );
    let style = |raw: &Value| {
        let mut found = Value::Null;
        each_paragraph(content(raw), &mut |paragraph| {
            if paragraph["elements"][0]["textRun"]["content"] == "shaded one\n" {
                found = paragraph["paragraphStyle"].clone();
            }
        });
        found
    };
    let line = |text: &str| text.lines().find(|line| line.starts_with("{!")).map(|line| format!("{line}\n")).unwrap();
    let (plan, file) = edited(&raw, &|text| {
        let directive = line(text);
        let end =
            text.lines().find(|line| *line == "{!Normal text}").map(|line| format!("{line}\n")).unwrap_or_default();
        let text = text.replacen(&directive, "", 1).replacen(&end, "", 1).replacen("shaded one\n\n", "", 1);
        text.replacen("tail\n", &format!("tail\n\n{directive}shaded one\n"), 1)
    });
    assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
    let after = applied(&raw, &plan.requests, 9);
    assert_eq!(style(&after), style(&raw), "{file}\n{:#?}", plan.requests);
}

#[test]
fn a_font_is_the_one_that_the_file_names() {
    for family in ["Courier New", "Consolas", "monospace", "Calibri"] {
        for written in [format!("{{!font:\"{family}\"}}plain{{/!}}"), format!("{{!font:{family}}}plain{{/!}}")] {
            let raw = document("some plain word\n");
            let (plan, _) = edited(&raw, &|text| text.replacen("plain", &written, 1));
            assert!(plan.refused.is_empty() && plan.told.is_empty() && plan.unsaid.is_empty(), "{:#?}", plan.refused);
            let after = applied(&raw, &plan.requests, 9);
            assert_eq!(looks(&after, "plain")[0][0]["weightedFontFamily"]["fontFamily"], family);
            let text = fetched(&after).parts[0].text.clone();
            assert!(text.contains(&format!("{{!font:{family}}}plain{{/!}}")), "{text}");
        }
    }
    let raw = document("some plain word\n");
    let (plan, _) = edited(&raw, &|text| text.replacen("plain", "{!mono}plain{/!}", 1));
    let after = applied(&raw, &plan.requests, 9);
    assert_eq!(looks(&after, "plain")[0][0]["weightedFontFamily"]["fontFamily"], "Roboto Mono");
}

#[test]
fn a_link_without_a_line_is_shown_as_one() {
    let raw = styled(
        &document("some link word\n"),
        "link",
        &json!({"link": {"url": "https://a.com"}, "underline": false}),
        "link,underline",
    );
    let text = fetched(&raw).parts[0].text.clone();
    assert!(text.contains("{!underline:false}[link](https://a.com){/!}"), "{text}");
    let (plan, _) =
        edited(&raw, &|text| text.replacen("{!underline:false}[link](https://a.com){/!}", "[link](https://a.com)", 1));
    let after = applied(&raw, &plan.requests, 9);
    assert_eq!(looks(&after, "link")[0][0]["underline"], true, "{:#?}", plan.requests);
    let again = fetched(&raw);
    let plan = docs::plan(&again, &again.parts[0].id, &again.parts[0].text, false).unwrap();
    assert!(plan.requests.is_empty(), "{:#?}", plan.requests);
}

/// The list of each item, by its text.
fn lists(raw: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    each_paragraph(content(raw), &mut |paragraph| {
        if let Some(list) = paragraph["bullet"]["listId"].as_str() {
            let text = paragraph["elements"][0]["textRun"]["content"].as_str().unwrap().trim().to_owned();
            found.insert(text, list.to_owned());
        }
    });
    found
}

#[test]
fn a_new_list_above_another_is_a_list_of_its_own() {
    for (mark, next) in [("1.", "2."), ("-", "-")] {
        let text = format!("para one\n\nmid two\n\n{mark} b1\n{next} b2\n\ntail\n");
        let raw = document(&text);
        let new = format!("{mark} x\n{next} y\n\n");
        for (old, new) in [
            ("mid two\n\n".to_owned(), format!("mid two\n\n{new}sep\n\n")),
            ("mid two\n\n".to_owned(), format!("mid two\n\n{new}## Head\n\n")),
            ("mid two\n\n".to_owned(), format!("# Head\n\n{new}sep\n\n")),
        ] {
            let (plan, file) = edited(&raw, &|text| text.replacen(&old, &new, 1));
            assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
            let after = applied(&raw, &plan.requests, 9);
            let (was, is) = (lists(&raw), lists(&after));
            assert_eq!((&is["b1"], &is["b2"]), (&was["b1"], &was["b2"]), "{file}");
            assert_eq!(is["x"], is["y"], "{file}");
            assert_ne!(is["x"], is["b1"], "{file}\n{:#?}", plan.requests);
        }
    }
    let raw = document("1. a1\n2. a2\n\npara one\n\nmid two\n\n1. b1\n2. b2\n\ntail\n");
    let (plan, file) = edited(&raw, &|text| {
        text.replace("1. a1\n2. a2", "Q").replace("1. b1\n2. b2", "1. a1\n2. a2").replace('Q', "1. b1\n2. b2")
    });
    assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
    let is = lists(&applied(&raw, &plan.requests, 9));
    assert_eq!((&is["a1"], &is["b1"]), (&is["a2"], &is["b2"]), "{file}");
    assert_ne!(is["a1"], is["b1"], "{file}\n{:#?}", plan.requests);
}

/// A document with a list of which the first level is changed.
fn custom(mark: &str, change: &dyn Fn(&mut Value)) -> Value {
    let mut raw = document(&format!("top\n\n{mark} one\n{mark} two\n{mark} three\n\ntail\n"));
    for list in raw["tabs"][0]["documentTab"]["lists"].as_object_mut().unwrap().values_mut() {
        list["listProperties"]["nestingLevels"].as_array_mut().unwrap().iter_mut().for_each(change);
    }
    raw
}

#[test]
fn a_new_item_takes_part_in_a_list_that_the_api_cannot_make() {
    let numbers = custom("1.", &|level| level["startNumber"] = json!(5));
    let bullets = custom("-", &|level| level["glyphSymbol"] = json!("\u{27a4}"));
    for (raw, named) in [(&numbers, "{!list:decimal 5}"), (&bullets, "{!list:other-bullet}")] {
        let text = fetched(raw).parts[0].text.clone();
        assert!(text.contains(named), "{text}");
        let line = |words: &str| text.lines().find(|line| line.ends_with(words)).unwrap().to_owned();
        for (beside, before) in [("one", true), ("one", false), ("three", false)] {
            let (line, new) = (line(beside), line(beside).replace(beside, "new"));
            let (plan, file) = edited(raw, &|text| {
                let both = if before { format!("{new}\n{line}\n") } else { format!("{line}\n{new}\n") };
                text.replacen(&format!("{line}\n"), &both, 1)
            });
            assert!(plan.refused.is_empty(), "{:#?}\n{file}", plan.refused);
            let is = lists(&applied(raw, &plan.requests, 9));
            assert!(is.len() == 4 && is.values().all(|list| *list == is["new"]), "{is:?} of {file}");
        }
        // One that stands apart would be a list of its own, which the API cannot make.
        let (plan, file) = edited(raw, &|text| {
            let first = line("one");
            text.replacen(&first, &format!("{}\n\nsep\n\n{first}", first.replace("one", "new")), 1)
        });
        assert!(plan.refused.iter().any(|notice| notice.message.contains("cannot make a list")), "{file}");
    }
}

#[test]
fn the_text_of_a_new_footnote_takes_the_place_of_the_blank_that_google_puts_there() {
    let mut raw = document("abc def\n");
    for seed in 9..11 {
        let remote = fetched(&raw);
        let file = "abc def[^a]\n\n[^a]: my note\n";
        let head = &remote.parts[0].text[..remote.parts[0].text.find("abc").unwrap()];
        let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}{file}"), false).unwrap();
        assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
        raw = applied(&raw, &plan.requests, seed);
    }
    let notes = raw["tabs"][0]["documentTab"]["footnotes"].as_object().unwrap();
    let parts = notes.values().next().unwrap()["content"][0]["paragraph"]["elements"].as_array().unwrap().clone();
    let text: String = parts.iter().map(|part| part["textRun"]["content"].as_str().unwrap()).collect();
    assert_eq!(text, "my note\n");
}

/// Ties a named range of another program to words.
fn tied(raw: &Value, words: &str) -> Value {
    let mut start = None;
    each_paragraph(content(raw), &mut |paragraph| {
        let part = &paragraph["elements"][0];
        if part["textRun"]["content"].as_str().is_some_and(|text| text.starts_with(words)) {
            start = part["startIndex"].as_u64();
        }
    });
    let range = json!({"startIndex": start.unwrap(), "endIndex": start.unwrap() + words.len() as u64});
    applied(raw, &[json!({"createNamedRange": {"name": "theirs", "range": range}})], 3)
}

#[test]
fn a_list_that_was_moved_past_what_stays_is_moved_whole() {
    let raw = tied(&document("1. a1\n2. a2\n\npara one\n\nmid two\n\n1. b1\n2. b2\n\ntail\n"), "para");
    let (plan, file) = edited(&raw, &|text| {
        let text = text.replacen("1. a1\n2. a2\n\n", "", 1).replacen("mid two\n\n", "", 1);
        text.replacen("2. b2\n", "2. b2\n\nsep new\n\n1. a1\n2. a2\n", 1)
    });
    assert!(plan.refused.is_empty(), "{:#?}", plan.refused);
    let after = applied(&raw, &plan.requests, 9);
    assert_eq!(fetched(&after).parts[0].text, file);
    let (was, is) = (lists(&raw), lists(&after));
    assert_eq!((&is["b1"], &is["b2"], &is["a1"]), (&was["b1"], &was["b2"], &is["a2"]));
    assert_ne!(is["a1"], is["b1"]);
    // Where nobody can tell which of both was moved, both are named.
    let raw = tied(&document("1. a1\n2. a2\n\npara one\n\ntail\n"), "para");
    let (plan, _) = edited(&raw, &|text| text.replacen("1. a1\n2. a2\n\npara one\n", "para one\n\n1. a1\n2. a2\n", 1));
    let told = "changed places with the list with `a1`, which would be made anew, whichever of them was moved";
    assert!(plan.refused.len() == 1 && plan.refused[0].message.contains(told), "{:#?}", plan.refused);
}
