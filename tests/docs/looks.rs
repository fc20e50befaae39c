//! What was moved keeps the looks that the file does not show.

use std::collections::BTreeMap;

use crate::support::model::{applied, document, fetched};
use mcp_workspace::kinds::docs;
use serde_json::{Value, json};

const TABLE: &str = "First.\n\n| head a | head b | head c |\n| --- | --- | --- |\n| a1 | b1 | c1 |\n| a2 | b2 | c2 |\n| a3 | b3 | c3 |\n| a4 | b4 | c4 |\n\nLast.\n";

fn body(raw: &Value) -> &Vec<Value> {
    raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap()
}

fn table(raw: &Value) -> &Value {
    body(raw).iter().find(|element| element.get("table").is_some()).unwrap()
}

/// A table with colours, heights, widths and alignments that no file shows.
fn coloured() -> Value {
    coloured_text(TABLE)
}

fn coloured_text(text: &str) -> Value {
    let raw = document(text);
    let start = table(&raw)["startIndex"].clone();
    let at =
        |row: u64, column: u64| json!({"tableStartLocation": {"index": start}, "rowIndex": row, "columnIndex": column});
    let colour = |green: f64| json!({"color": {"rgbColor": {"green": green}}});
    let mut requests = Vec::new();
    for row in 1..5_u32 {
        let style = json!({"backgroundColor": colour(f64::from(row) / 10.0), "contentAlignment": "MIDDLE"});
        requests.push(json!({"updateTableCellStyle": {
            "tableRange": {"tableCellLocation": at(row.into(), 0), "rowSpan": 1, "columnSpan": 2},
            "tableCellStyle": style, "fields": "backgroundColor,contentAlignment"}}));
        requests.push(json!({"updateTableRowStyle": {"tableStartLocation": {"index": start}, "rowIndices": [row],
            "tableRowStyle": {"minRowHeight": {"magnitude": 20 + row, "unit": "PT"}}, "fields": "minRowHeight"}}));
    }
    requests.push(json!({"updateTableColumnProperties": {"tableStartLocation": {"index": start}, "columnIndices": [2],
        "tableColumnProperties": {"widthType": "FIXED_WIDTH", "width": {"magnitude": 90, "unit": "PT"}},
        "fields": "widthType,width"}}));
    let raw = applied(&raw, &requests, 7);
    let cell = &table(&raw)["table"]["tableRows"][1]["tableCells"][1]["content"][0];
    let range = json!({"startIndex": cell["startIndex"], "endIndex": cell["endIndex"]});
    let style = json!({"alignment": "END", "spaceAbove": {"magnitude": 3, "unit": "PT"}});
    applied(
        &raw,
        &[json!({"updateParagraphStyle": {"range": range, "paragraphStyle": style, "fields": "alignment,spaceAbove"}})],
        8,
    )
}

/// The looks of each cell by its text, with those of its row and its column.
fn looks(raw: &Value) -> BTreeMap<String, Vec<Value>> {
    let table = &table(raw)["table"];
    let mut looks = BTreeMap::new();
    for row in table["tableRows"].as_array().unwrap() {
        for (column, cell) in row["tableCells"].as_array().unwrap().iter().enumerate() {
            let paragraph = &cell["content"][0]["paragraph"];
            let text = paragraph["elements"][0]["textRun"]["content"].as_str().unwrap().trim().to_owned();
            let height = row["tableRowStyle"]["minRowHeight"].clone();
            let width = table["tableStyle"]["tableColumnProperties"][column].clone();
            // What is set to what it is anyway may be set or not.
            let style = &paragraph["paragraphStyle"];
            let align = style["alignment"].as_str().unwrap_or("START");
            let above = style["spaceAbove"]["magnitude"].as_f64().unwrap_or(0.0);
            looks.insert(text, vec![cell["tableCellStyle"].clone(), json!([align, above]), height, width]);
        }
    }
    looks
}

/// Puts the rows and columns of the table into another order; each of `told` is the begin of a line of the edited file.
#[track_caller]
fn check(raw: &Value, rows: [usize; 5], columns: &[usize], told: &[&str]) -> Value {
    let remote = fetched(raw);
    let text = remote.parts[0].text.clone();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let all: Vec<Vec<String>> =
        lines.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| cells(line)).collect();
    let line = |row: &[String]| {
        let cells: Vec<&str> = columns.iter().map(|column| &*row[*column]).collect();
        format!("| {} |", cells.join(" | "))
    };
    let mut written: Vec<String> = rows.iter().map(|row| line(&all[*row])).collect();
    written.insert(1, line(&cells(lines[1])));
    let edited = text.replace(&lines.join("\n"), &written.join("\n"));
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
    let at = |line: u32| edited.lines().nth(line as usize - 1).unwrap_or_default();
    let is: Vec<&str> = plan.told.iter().map(|notice| at(notice.line)).collect();
    let same = is.len() == told.len() && is.iter().zip(told).all(|(is, told)| is.starts_with(told));
    assert!(same && plan.told.iter().all(|notice| notice.code == "LOOK_LOST"), "{:#?}\n{edited}", plan.told);
    let after = applied(raw, &plan.requests, 9);
    assert_eq!(fetched(&after).parts[0].text, edited);
    after
}

#[test]
fn moved_rows_and_columns_keep_their_looks() {
    let raw = coloured();
    let was = looks(&raw);
    let all: &[usize] = &[0, 1, 2];
    for (rows, columns) in [
        ([0, 2, 3, 4, 1], all),
        ([0, 4, 1, 2, 3], all),
        ([0, 2, 1, 3, 4], all),
        ([0, 4, 3, 2, 1], all),
        ([0, 1, 4, 3, 2], all),
        ([0, 1, 2, 3, 4], &[1, 0, 2]),
        ([0, 1, 2, 3, 4], &[2, 0, 1]),
        ([0, 1, 2, 3, 4], &[1, 2, 0]),
        ([0, 2, 3, 4, 1], &[2, 1, 0]),
        ([0, 3, 1, 4, 2], &[0, 2, 1]),
    ] {
        let after = check(&raw, rows, columns, &[]);
        assert_eq!(looks(&after), was, "{rows:?} {columns:?}");
    }
}

/// A row that is moved into the place of one that is removed, and edited in the same save, brings its looks.
#[test]
fn a_moved_row_that_is_edited_too_keeps_its_looks() {
    let text = TABLE.replace("| a3 | b3 | c3 |", "| five six | b3 | c3 |");
    let raw = coloured_text(&text);
    let remote = fetched(&raw);
    let rows = "| a1 | b1 | c1 |\n| a2 | b2 | c2 |\n| five six | b3 | c3 |\n| a4 | b4 | c4 |\n";
    let colour =
        |raw: &Value, row: usize| table(raw)["table"]["tableRows"][row]["tableCells"][0]["tableCellStyle"].clone();
    for (new, from) in [
        ("| five x | b3 | c3 |\n| a2 | b2 | c2 |\n| a4 | b4 | c4 |\n", [3, 2, 4]),
        ("| a2 | b2 | c2 |\n| a4 | b4 | c4 |\n| five six | b3 x | c3 |\n", [2, 4, 3]),
        ("| n1 | n2 | n3 |\n| a2 | b2 | c2 |\n| five x | b3 | c3 |\n", [1, 2, 3]),
    ] {
        let edited = remote.parts[0].text.replacen(rows, new, 1);
        assert_ne!(edited, remote.parts[0].text);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
        let after = applied(&raw, &plan.requests, 9);
        assert_eq!(fetched(&after).parts[0].text, edited);
        for (row, from) in from.into_iter().enumerate() {
            assert_eq!(colour(&after, row + 1), colour(&raw, from), "{new}: row {row}");
        }
    }
}

#[test]
fn a_row_that_was_not_moved_keeps_its_borders() {
    let raw = document(TABLE);
    let start = table(&raw)["startIndex"].clone();
    let style = json!({"borderBottom": {"color": {"color": {"rgbColor": {"red": 1.0}}},
        "width": {"magnitude": 2, "unit": "PT"}, "dashStyle": "SOLID"}});
    let cell = json!({"tableStartLocation": {"index": start}, "rowIndex": 0, "columnIndex": 0});
    let border = json!({"updateTableCellStyle": {"tableRange": {"tableCellLocation": cell, "rowSpan": 1, "columnSpan": 3},
        "tableCellStyle": style, "fields": "borderBottom"}});
    let raw = applied(&raw, &[border], 7);
    let all: &[usize] = &[0, 1, 2];
    let head = |raw: &Value| table(raw)["table"]["tableRows"][0]["tableCells"][0]["tableCellStyle"].clone();
    // The line below the head is the head's, too.
    let after = check(&raw, [0, 2, 3, 4, 1], all, &["| a1"]);
    assert_eq!(head(&after), head(&raw));
    check(&raw, [0, 1, 2, 4, 3], all, &[]);
}

/// No cell of a file has code in which a backslash stands right before a bar: the file shows the backslash beside the code, and
/// neither that nor an edit beside it takes the look from it.
#[test]
fn code_with_a_backslash_before_a_bar_stays_in_its_cell() {
    let raw = document("First.\n\n| head |\n| --- |\n| word `ab` |\n\nLast.\n");
    let cell = &table(&raw)["table"]["tableRows"][1]["tableCells"][0]["content"][0]["paragraph"]["elements"];
    let index = cell[1]["startIndex"].as_u64().unwrap() + 1;
    let raw = applied(&raw, &[json!({"insertText": {"location": {"index": index}, "text": "\\|"}})], 5);
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    assert!(text.contains("| word `a`\\\\`\\|b` |"), "{text}");
    assert!(docs::plan(&remote, &remote.parts[0].id, text, false).unwrap().requests.is_empty());
    let edited = text.replace("| word ", "| words ");
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    assert!(plan.refused.is_empty() && plan.requests.len() == 1, "{:#?}", plan.requests);
    assert_eq!(fetched(&applied(&raw, &plan.requests, 9)).parts[0].text, edited);
}

/// Edits a file under a heading that ends a directive; `styles` are those of the paragraphs by their text afterwards.
#[track_caller]
fn check_scope(text: &str, edits: &[(&str, &str)], told: &[&str], styles: &[(&str, &str, &str)]) {
    let raw = document(text);
    let remote = fetched(&raw);
    let mut edited = remote.parts[0].text.clone();
    let start = edited.find("# {^ ").unwrap();
    let end = start + edited[start..].find('}').unwrap() + 1;
    let heading = edited[start..end].to_owned();
    for (old, new) in edits {
        let old = old.replace("# ", &heading);
        assert!(edited.contains(&old), "{old:?} in {edited}");
        edited = edited.replacen(&old, &new.replace("# ", &heading), 1);
    }
    let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:#?}", plan.refused);
    let line = |at: u32| edited.lines().nth(at as usize - 1).unwrap_or_default();
    let is: Vec<&str> =
        plan.told.iter().filter(|notice| notice.code == "SCOPE").map(|notice| line(notice.line)).collect();
    assert_eq!(is, told, "{edited}");
    let after = applied(&raw, &plan.requests, 9);
    let style = |words: &str| {
        let paragraph = body(&after).iter().find(|element| {
            let text = element["paragraph"]["elements"][0]["textRun"]["content"].as_str();
            text.is_some_and(|text| text.trim() == words)
        });
        paragraph.map(|element| element["paragraph"]["paragraphStyle"].clone()).unwrap_or_default()
    };
    for (words, field, value) in styles {
        assert_eq!(style(words)[field].as_str().unwrap_or("START"), *value, "{words} of {edited}");
    }
    // The file that is written then says the same once more.
    let again = fetched(&after);
    let plan = docs::plan(&again, &again.parts[0].id, &again.parts[0].text, false).unwrap();
    assert!(plan.requests.is_empty() && plan.told.is_empty(), "{:#?}", plan.told);
}

#[test]
fn what_a_lost_heading_shielded_is_told() {
    let text = "{!Title}\n\nDoc title\n\n# Alpha\n\nOne.\n\nTwo.\n\n# Beta\n\nThree.\n";
    let (named, plain, title) = ("namedStyleType", "NORMAL_TEXT", "TITLE");
    let both = &[("Doc title", named, title), ("One.", named, title), ("Two.", named, title), ("Three.", named, plain)];
    check_scope(text, &[("# Alpha\n\n", "")], &["One."], both);
    check_scope(text, &[("# Alpha\n", "Alpha\n")], &["Alpha"], both);
    check_scope(text, &[("# Alpha\n\n", ""), ("Three.\n", "Three.\n\n# Alpha\n")], &["One."], both);
    check_scope(text, &[("# Alpha\n\nOne.", "Won.")], &["Won."], &[("Won.", named, title), ("Two.", named, title)]);
    // What the person wrote over them counts.
    let titles = &[("One.", named, title), ("Two.", named, title), ("Three.", named, plain)];
    check_scope(text, &[("# Alpha\n", "{!Title}\n")], &[], titles);
    check_scope(
        text,
        &[("# Alpha\n\nOne.", "One.\n\n{!Subtitle}")],
        &["One."],
        &[("One.", named, title), ("Two.", named, "SUBTITLE")],
    );
    let text = "{!align:center}\n\nMid\n\n# Alpha\n\nOne.\n\n# Beta\n\nThree.\n";
    check_scope(
        text,
        &[("# Alpha\n\n", "")],
        &["One."],
        &[("One.", "alignment", "CENTER"), ("Mid", "alignment", "CENTER")],
    );
    // It need not be gone: text that stands before it now is not shielded any more.
    let moved = &[("One.", "alignment", "CENTER"), ("Three.", "alignment", "START")];
    check_scope(text, &[("# Alpha\n\nOne.", "One.\n\n# Alpha")], &["One."], moved);
    // Without a directive before it, a heading ends nothing.
    check_scope("Zero.\n\n# Alpha\n\n{!Title}\n\nOne.\n", &[("# Alpha\n\n", "")], &[], &[("One.", named, title)]);
}

#[test]
fn what_a_new_heading_takes_from_a_directive_is_told() {
    let raw = document("{!align:center}\n\nMid\n\nLow\n\nEnd\n\n# Alpha\n\nOne.\n");
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    for (old, new, told) in [
        ("Mid\n\nLow", "Mid\n\n## New\n\nLow", Some("Low")),
        ("\nMid\n", "\n## Mid\n", Some("Low")),
        ("Mid\n\nLow", "Mid\n\n## New\n\n{!align:center}\n\nLow", None),
        ("Mid\n\nLow", "Mid\n\n{!align:right}\n\nLow", None),
        ("One.", "## New\n\nOne.", None),
    ] {
        assert!(text.contains(old), "{text}");
        let edited = text.replacen(old, new, 1);
        let plan = docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap();
        let line = |at: u32| edited.lines().nth(at as usize - 1).unwrap_or_default();
        let is: Vec<&str> =
            plan.told.iter().filter(|notice| notice.code == "SCOPE").map(|notice| line(notice.line)).collect();
        assert_eq!(is, told.into_iter().collect::<Vec<_>>(), "{edited}");
    }
}

/// The text of a paragraph.
fn said(element: &Value) -> String {
    let parts = element["paragraph"]["elements"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["textRun"]["content"].as_str()).collect()
}

#[test]
fn settings_of_paragraphs_that_no_file_shows_go_with_them() {
    let text = "# Head\n\nBordered one.\n\nMiddle two.\n\nLast three.\n\n# Tail\n\nEnd.\n";
    let mut raw = document(text);
    let points = |magnitude: u32| json!({"magnitude": magnitude, "unit": "PT"});
    let border = json!({"color": {"color": {"rgbColor": {"red": 1}}}, "width": points(2), "padding": points(4),
        "dashStyle": "SOLID"});
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array_mut().unwrap();
    let bordered = content.iter_mut().find(|element| said(element).starts_with("Bordered")).unwrap();
    bordered["paragraph"]["paragraphStyle"]["borderLeft"] = border.clone();
    bordered["paragraph"]["paragraphStyle"]["keepWithNext"] = json!(true);
    let check = |edit: &dyn Fn(&str) -> String, styles: usize| {
        let remote = fetched(&raw);
        let file = edit(&remote.parts[0].text);
        assert_ne!(file, remote.parts[0].text);
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
        let after = applied(&raw, &plan.requests, 9);
        for element in body(&after) {
            let style = &element["paragraph"]["paragraphStyle"];
            let is = said(element).starts_with("Bordered");
            assert_eq!(style.get("borderLeft"), is.then_some(&border), "{file}: {}", said(element));
            assert_eq!(style.get("keepWithNext"), is.then_some(&json!(true)), "{file}: {}", said(element));
        }
        let sent = plan.requests.iter().filter(|request| {
            request["updateParagraphStyle"]["fields"].as_str().is_some_and(|fields| fields.contains("border"))
        });
        assert_eq!(sent.count(), styles, "{file}: {:#?}", plan.requests);
    };
    let behind = |text: &str, what: &str, other: &str| {
        text.replacen(&format!("{what}\n\n"), "", 1).replacen(&format!("{other}\n"), &format!("{other}\n\n{what}\n"), 1)
    };
    check(&|text| behind(text, "Bordered one.", "Last three."), 1);
    check(&|text| behind(text, "Bordered one.", "End."), 1);
    check(&|text| behind(text, "Bordered one.", "Middle two."), 1);
    check(&|text| text.replacen("Bordered one.", "Bordered first.", 1), 0);
    check(&|text| text.replacen("Middle two.", "Middle two more.", 1), 0);
    let head = fetched(&raw).parts[0].text.lines().find(|line| line.ends_with("Head")).unwrap().to_owned();
    check(&|text| behind(text, &head, "Bordered one."), 1);
}

/// Tells whether a setting is another, whichever of its parts that are zero are said.
fn means(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => one
            .keys()
            .chain(other.keys())
            .all(|key| means(one.get(key).unwrap_or(&json!(0)), other.get(key).unwrap_or(&json!(0)))),
        (one, other) => one == other || one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| one == other),
    }
}

#[test]
fn a_moved_heading_keeps_its_own_alignment_and_spacing() {
    let mut raw = document("# Head\n\nFirst.\n\n## Moved one\n\nSecond.\n\nThird.\n");
    let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array_mut().unwrap();
    let moved = content.iter_mut().find(|element| said(element).starts_with("Moved")).unwrap();
    let points = |magnitude| json!({"magnitude": magnitude, "unit": "PT"});
    let settings = [
        ("alignment", json!("CENTER")),
        ("direction", json!("RIGHT_TO_LEFT")),
        ("lineSpacing", json!(150)),
        ("spaceAbove", points(7)),
        ("spaceBelow", points(8)),
        ("indentStart", points(36)),
        ("indentEnd", points(18)),
        ("indentFirstLine", points(54)),
        ("shading", json!({"backgroundColor": {"color": {"rgbColor": {"red": 1}}}})),
    ];
    for (name, value) in &settings {
        moved["paragraph"]["paragraphStyle"][name] = value.clone();
    }
    let remote = fetched(&raw);
    let line = remote.parts[0].text.lines().find(|line| line.ends_with("Moved one")).unwrap().to_owned();
    let file = remote.parts[0].text.replacen(&format!("{line}\n\n"), "", 1);
    let file = file.replacen("Third.\n", &format!("Third.\n\n{line}\n"), 1);
    let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
    let after = applied(&raw, &plan.requests, 9);
    for element in body(&after) {
        let style = &element["paragraph"]["paragraphStyle"];
        let is = said(element).starts_with("Moved");
        for (name, value) in &settings {
            // As values: what is sent may say a number of points with its fraction, or a colour with all its parts.
            assert_eq!(means(&style[name], value), is, "{}: {name}: {style}", said(element));
        }
    }
    assert!(fetched(&after).parts[0].text.ends_with("Moved one\n"), "{:#?}", plan.requests);
}

#[test]
fn of_paragraphs_with_the_same_words_the_one_with_the_look_or_the_object_keeps_the_settings() {
    let check = |kept: &str| {
        let mut raw = document(&format!("# Head\n\n{kept}\n\nMiddle.\n\nSame.\n\nEnd.\n"));
        let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array_mut().unwrap();
        let first = content.iter_mut().find(|element| said(element).starts_with("Same")).unwrap();
        first["paragraph"]["paragraphStyle"]["keepWithNext"] = json!(true);
        let remote = fetched(&raw);
        let both = format!("{kept}\n\nMiddle.\n\nSame.");
        assert!(remote.parts[0].text.contains(&both), "{}", remote.parts[0].text);
        let file = remote.parts[0].text.replacen(&both, &format!("Same.\n\n{kept}\n\nMiddle."), 1);
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        let after = applied(&raw, &plan.requests, 9);
        assert_eq!(fetched(&after).parts[0].text, file, "{:#?}", plan.requests);
        let keeps = |element: &Value| element["paragraph"]["paragraphStyle"]["keepWithNext"] == json!(true);
        let same: Vec<bool> =
            body(&after).iter().filter(|element| said(element).starts_with("Same")).map(keeps).collect();
        assert_eq!(same, [false, true], "{:#?}", plan.requests);
    };
    check("**Same.**");
    check("Same.{^= person \"ana@x.com\"}");
}

/// The colour of the mark that stands for a letter.
fn colour(letter: char) -> Option<Value> {
    let key = match letter {
        'r' => "red",
        'g' => "green",
        'b' => "blue",
        _ => return None,
    };
    let mut colour = json!({"color": {"rgbColor": {}}});
    colour["color"]["rgbColor"][key] = json!(1.0);
    Some(colour)
}

/// The paragraphs of lists by what they say, in the body and in tables.
fn items<'a>(value: &'a mut Value, found: &mut Vec<(String, &'a mut Value)>) {
    if value["paragraph"].get("bullet").is_some() {
        let elements = value["paragraph"]["elements"].as_array().unwrap();
        let text: String = elements.iter().filter_map(|part| part["textRun"]["content"].as_str()).collect();
        found.push((text.trim().to_owned(), &mut value["paragraph"]));
        return;
    }
    match value {
        Value::Object(map) => map.values_mut().for_each(|value| items(value, found)),
        Value::Array(list) => list.iter_mut().for_each(|value| items(value, found)),
        _ => {}
    }
}

/// The marks of items, one letter each, in their order; `-` for a mark without a look of its own.
fn marks(raw: &Value) -> String {
    let (mut raw, mut found) = (raw.clone(), Vec::new());
    items(&mut raw["tabs"][0]["documentTab"]["body"], &mut found);
    let letter = |paragraph: &Value| {
        let own = &paragraph["bullet"]["textStyle"]["foregroundColor"];
        ['r', 'g', 'b'].into_iter().find(|letter| Some(own) == colour(*letter).as_ref()).unwrap_or('-')
    };
    found.iter().map(|(_, paragraph)| letter(paragraph)).collect()
}

fn marked(text: &str, letters: &str) -> Value {
    let mut raw = document(text);
    let mut found = Vec::new();
    items(&mut raw["tabs"][0]["documentTab"]["body"], &mut found);
    assert_eq!(found.len(), letters.chars().count());
    for ((_, paragraph), letter) in found.iter_mut().zip(letters.chars()) {
        if let Some(colour) = colour(letter) {
            paragraph["bullet"]["textStyle"]["foregroundColor"] = colour;
        }
    }
    raw
}

/// The texts with their looks, without marks and places.
fn runs(raw: &Value) -> Vec<Value> {
    let elements =
        body(raw).iter().flat_map(|element| element["paragraph"]["elements"].as_array().into_iter().flatten());
    elements.map(|part| part["textRun"].clone()).collect()
}

/// Edits a list whose marks have the looks `was`: afterwards they have `is`, after so many requests for styles of text.
#[track_caller]
fn check_marks(text: &str, was: &str, edited: &str, is: &str, styles: usize) {
    let raw = marked(text, was);
    let remote = fetched(&raw);
    let head = remote.parts[0].text.strip_suffix(text).unwrap_or_else(|| panic!("{}", remote.parts[0].text)).to_owned();
    let file = format!("{head}{edited}");
    let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
    assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
    let after = applied(&raw, &plan.requests, 9);
    assert_eq!(fetched(&after).parts[0].text, file);
    assert_eq!(marks(&after), is, "{edited}: {:#?}", plan.requests);
    let plain = document(edited);
    assert_eq!(runs(&after), runs(&plain), "{edited}");
    let count = plan.requests.iter().filter(|request| request.get("updateTextStyle").is_some()).count();
    assert_eq!(count, styles, "{edited}: {:#?}", plan.requests);
}

/// What stands in a document, in cells too, with its looks and those of the marks of items.
fn looks_of(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("textRun").cloned());
            found.extend(map.get("bullet").map(|bullet| bullet["textStyle"].clone()));
            map.values().for_each(|value| looks_of(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| looks_of(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn a_blank_between_words_that_lost_a_look_loses_it() {
    for (start, edited) in [
        ("~~one two~~ four\n", "**one** *two* four\n"),
        ("**one two** four\n", "~~one~~ *two* four\n"),
        ("*one two three* four\n", "~~one~~ two **three** four\n"),
        ("X ~~foo~~\n", "X ~~foo~~ **b** *i* w\n"),
        ("~~foo~~\n", "**b** *i* ~~foo~~\n"),
        ("X ***foo***\n", "X ***foo*** ~~b~~ w ~~i~~\n"),
        ("X ~~foo~~\n\nEnd\n", "X ~~foo~~\n\n**b** *i* w\n\nEnd\n"),
        (
            "| a | b |\n| --- | --- |\n| c | ~~d~~ |\n\nEnd\n",
            "| a | b |\n| --- | --- |\n| c | ~~d~~ **b** *i* w |\n\nEnd\n",
        ),
        // A blank between words that keep it does.
        ("~~one two three~~ four\n", "~~one two~~ three four\n"),
    ] {
        let raw = document(start);
        let remote = fetched(&raw);
        let text = &remote.parts[0].text;
        let file = text.strip_suffix(start).unwrap_or_else(|| panic!("{text}")).to_owned() + edited;
        let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
        assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
        let after = applied(&raw, &plan.requests, 9);
        assert_eq!(fetched(&after).parts[0].text, file);
        let (mut is, mut new) = (Vec::new(), Vec::new());
        looks_of(&after["tabs"][0]["documentTab"]["body"], &mut is);
        looks_of(&document(edited)["tabs"][0]["documentTab"]["body"], &mut new);
        assert_eq!(is, new, "{edited}: {:#?}", plan.requests);
    }
}

const ITEMS: &str = "Above.\n\n- item one\n- item two\n- item three\n\nBelow.\n";

#[test]
fn marks_of_items_keep_their_looks() {
    let order = |lines: &[&str]| format!("Above.\n\n- {}\n\nBelow.\n", lines.join("\n- "));
    let (one, two, three) = ("item one", "item two", "item three");
    // Where it comes to stand with the mark of another: all of it, then its text in two stretches that are not all of it.
    check_marks(ITEMS, "-r-", &order(&[one, three, two]), "--r", 0);
    check_marks(ITEMS, "-r-", &order(&[two, one, three]), "r--", 3);
    check_marks(ITEMS, "r--", &order(&[two, three, one]), "--r", 3);
    check_marks(ITEMS, "--r", &order(&[three, one, two]), "r--", 3);
    check_marks(ITEMS, "rgb", &order(&[three, one, two]), "brg", 3);
    check_marks(ITEMS, "rgb", &order(&[three, two, one]), "bgr", 6);
    // What is edited where it stands needs none, nor do lists with one look.
    check_marks(ITEMS, "-r-", &order(&[one, "item two more", three]), "-r-", 0);
    check_marks(ITEMS, "rgb", &order(&[one, three]), "rb", 0);
    check_marks(ITEMS, "rgb", &order(&[two, three]), "gb", 0);
    check_marks(ITEMS, "rgb", &order(&["item one item two", three]), "rb", 0);
    check_marks(ITEMS, "rgb", &order(&[one, "item", "two", three]), "rggb", 0);
    check_marks(ITEMS, "rrr", &order(&[three, one, two]), "rrr", 0);
    check_marks(ITEMS, "-r-", &ITEMS.replace("Below", "Far below"), "-r-", 0);
    // Neither does an item that the file makes bold as a whole.
    check_marks(ITEMS, "-r-", &order(&[one, "**item two**", three]), "-r-", 1);
}

#[test]
fn marks_keep_their_looks_whatever_their_items_are() {
    let all = |items: &str| format!("Above.\n\n{items}\n\nBelow.\n");
    // Nested, numbered and checked; runs of several looks, of which one ends the item.
    check_marks(
        &all("- one\n  - two\n  - three\n- four"),
        "-r-g",
        &all("- one\n  - three\n  - two\n- four"),
        "--rg",
        1,
    );
    check_marks(
        &all("- one\n  - two\n  - three\n- four"),
        "-r-g",
        &all("- one\n  - two\n- four\n  - three"),
        "-rg-",
        3,
    );
    check_marks(&all("1. one\n2. two\n3. three"), "r--", &all("1. two\n2. three\n3. one"), "--r", 3);
    check_marks(&all("- [ ] one\n- [ ] two\n- [ ] three"), "r--", &all("- [ ] two\n- [ ] three\n- [ ] one"), "--r", 3);
    let looks = "- one **bold**\n- two\n- three";
    check_marks(&all(looks), "r--", &all("- two\n- three\n- one **bold**"), "--r", 4);
}

#[test]
fn a_mark_that_cannot_be_given_its_look_is_told() {
    let text = "Above.\n\n- x\n- two\n- three\n\nBelow.\n";
    let raw = marked(text, "r--");
    let remote = fetched(&raw);
    let file = remote.parts[0].text.replace("- x\n- two\n- three\n", "- two\n- three\n- x\n");
    let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
    let told: Vec<(&str, &str)> =
        plan.told.iter().map(|notice| (&*notice.code, file.lines().nth(notice.line as usize - 1).unwrap())).collect();
    assert_eq!(told, [("LOOK_LOST", "- x")], "{:#?}", plan.told);
    assert_eq!(fetched(&applied(&raw, &plan.requests, 9)).parts[0].text, file);
}

#[test]
fn marks_in_cells_keep_their_looks() {
    // A table with a list in a cell is not edited; what stands beside it is, and leaves its marks alone.
    let mut raw = document("Above.\n\n- item one\n- item two\n\n| a1 | b1 |\n| --- | --- |\n| a2 | b2 |\n");
    let table = body(&raw).iter().position(|element| element.get("table").is_some()).unwrap();
    let list = raw["tabs"][0]["documentTab"]["lists"].clone();
    let id = list.as_object().unwrap().keys().next().unwrap().clone();
    let rows = &mut raw["tabs"][0]["documentTab"]["body"]["content"][table]["table"]["tableRows"];
    for (row, letter) in [(0, 'r'), (1, 'g')] {
        let paragraph = &mut rows[row]["tableCells"][0]["content"][0]["paragraph"];
        paragraph["bullet"] =
            json!({"listId": id, "textStyle": {"underline": false, "foregroundColor": colour(letter).unwrap()}});
    }
    let remote = fetched(&raw);
    let file = remote.parts[0].text.replace("- item one\n- item two", "- item two\n- item one");
    let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
    assert!(plan.refused.is_empty() && plan.told.is_empty(), "{:#?} {:#?}", plan.refused, plan.told);
    assert_eq!(marks(&applied(&raw, &plan.requests, 9)), "--rg");
}
