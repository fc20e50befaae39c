//! Cases of lists and new tables.

use serde_json::{Value, json};

use super::sample::document;
use super::{Document, apply, new_document, read_requests};

/// Applies raw requests.
fn send(document: &Document, requests: &Value) -> Result<Document, String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    apply(document, &requests, 1).map(|applied| applied.document).map_err(|refusal| refusal.message)
}

/// Returns a new document with this text.
fn of(text: &str) -> Document {
    send(&new_document("doc", "t"), &json!([{"insertText": {"location": {"index": 1}, "text": text}}])).unwrap()
}

fn bullets(from: u32, to: u32, preset: &str) -> Value {
    json!({"createParagraphBullets": {"range": {"startIndex": from, "endIndex": to}, "bulletPreset": preset}})
}

fn no_bullets(from: u32, to: u32) -> Value {
    json!({"deleteParagraphBullets": {"range": {"startIndex": from, "endIndex": to}}})
}

fn tab(document: &Document) -> Value {
    serde_json::to_value(document.tabs.first().unwrap().document_tab.as_ref().unwrap()).unwrap()
}

/// Writes paragraphs as `L0.1 18/36 text`: the list by order of appearance, the level, the indents in points.
fn shown(document: &Document) -> Vec<String> {
    let tab = tab(document);
    let mut lists: Vec<Value> = Vec::new();
    let paragraphs = tab["body"]["content"].as_array().unwrap().iter().filter_map(|element| element.get("paragraph"));
    paragraphs
        .map(|paragraph| {
            let text: String = paragraph["elements"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|e| e["textRun"]["content"].as_str())
                .collect();
            let item = paragraph.get("bullet").map(|bullet| {
                let id = &bullet["listId"];
                let at = lists.iter().position(|known| known == id).unwrap_or_else(|| {
                    lists.push(id.clone());
                    lists.len() - 1
                });
                format!("L{at}.{} ", bullet.get("nestingLevel").unwrap_or(&json!(0)))
            });
            let indent = |key: &str| paragraph["paragraphStyle"][key]["magnitude"].as_u64();
            let indents = indent("indentFirstLine").zip(indent("indentStart"));
            let indents = indents.map(|(first, start)| format!("{first}/{start} "));
            format!("{}{}{}", item.unwrap_or_default(), indents.unwrap_or_default(), text.replace('\n', "¶"))
        })
        .collect()
}

/// Checks what a batch on a text of plain paragraphs leaves.
#[track_caller]
fn check(text: &str, requests: &Value, expected: &[&str]) {
    assert_eq!(shown(&send(&of(text), requests).unwrap()), expected);
}

const DISC: &str = "BULLET_DISC_CIRCLE_SQUARE";
const NUMBERS: &str = "NUMBERED_DECIMAL_ALPHA_ROMAN";

#[test]
fn tabs_become_levels_and_go() {
    let items = ["L0.0 18/36 a¶", "L0.1 54/72 b¶", "L0.2 90/108 ¶", "d¶"];
    check("a\n\tb\n\t\t\nd", &json!([bullets(1, 7, DISC)]), &items);
    // The next request counts without the tabs.
    let after = json!([bullets(1, 7, DISC), {"insertText": {"location": {"index": 3}, "text": "X"}}]);
    check("a\n\tb\n\t\t\nd", &after, &["L0.0 18/36 a¶", "L0.1 54/72 Xb¶", "L0.2 90/108 ¶", "d¶"]);
    // Nine levels are all there are; a tab behind text is text.
    check(&format!("{}a\tb", "\t".repeat(12)), &json!([bullets(1, 2, DISC)]), &["L0.8 306/324 a\tb¶"]);
    // Tabs of several styles are still leading tabs.
    let bold = json!({"updateTextStyle": {"range": {"startIndex": 1, "endIndex": 2}, "textStyle": {"bold": true},
        "fields": "bold"}});
    check("\t\ta", &json!([bold, bullets(1, 2, DISC)]), &["L0.2 90/108 a¶"]);
}

#[test]
fn a_list_right_above_with_the_same_preset_is_joined() {
    let two = ["L0.0 18/36 a¶", "L0.0 18/36 b¶", "c¶"];
    check("a\nb\nc", &json!([bullets(1, 2, DISC), bullets(3, 4, DISC)]), &two);
    let apart = ["L0.0 18/36 a¶", "L1.0 18/36 b¶", "c¶"];
    check("a\nb\nc", &json!([bullets(1, 2, DISC), bullets(3, 4, NUMBERS)]), &apart);
    // The list below is not joined, nor one with a paragraph between.
    check("a\nb\nc", &json!([bullets(3, 4, DISC), bullets(1, 2, DISC)]), &apart);
    let between = ["L0.0 18/36 a¶", "b¶", "L1.0 18/36 c¶"];
    check("a\nb\nc", &json!([bullets(1, 2, DISC), bullets(5, 6, DISC)]), &between);
}

#[test]
fn every_preset_has_its_glyphs() {
    let cases = [
        ("BULLET_DISC_CIRCLE_SQUARE", "START ● %0|START ○ %1|START ■ %2|START ● %3"),
        ("BULLET_DIAMONDX_ARROW3D_SQUARE", "START ❖ %0|START ➢ %1|START ■ %2|START ❖ %3"),
        (
            "BULLET_CHECKBOX",
            "START GLYPH_TYPE_UNSPECIFIED %0|START GLYPH_TYPE_UNSPECIFIED %1|START GLYPH_TYPE_UNSPECIFIED %2|\
             START GLYPH_TYPE_UNSPECIFIED %3",
        ),
        ("BULLET_ARROW_DIAMOND_DISC", "START ➔ %0|START ◆ %1|START ● %2|START ➔ %3"),
        ("BULLET_STAR_CIRCLE_SQUARE", "START ★ %0|START ○ %1|START ■ %2|START ★ %3"),
        ("BULLET_ARROW3D_CIRCLE_SQUARE", "START ➢ %0|START ○ %1|START ■ %2|START ➢ %3"),
        ("BULLET_LEFTTRIANGLE_DIAMOND_DISC", "START ◄ %0|START ◆ %1|START ● %2|START ◄ %3"),
        ("BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE", "START ❖ %0|START ◇ %1|START ■ %2|START ❖ %3"),
        ("BULLET_DIAMOND_CIRCLE_SQUARE", "START ◆ %0|START ○ %1|START ■ %2|START ◆ %3"),
        (NUMBERS, "START DECIMAL %0.|START ALPHA %1.|END ROMAN %2.|START DECIMAL %3."),
        ("NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS", "START DECIMAL %0)|START ALPHA %1)|END ROMAN %2)|START DECIMAL %3)"),
        (
            "NUMBERED_DECIMAL_NESTED",
            "START DECIMAL %0.|START DECIMAL %0.%1.|START DECIMAL %0.%1.%2.|START DECIMAL %0.%1.%2.%3.",
        ),
        (
            "NUMBERED_UPPERALPHA_ALPHA_ROMAN",
            "START UPPER_ALPHA %0.|START ALPHA %1.|END ROMAN %2.|START UPPER_ALPHA %3.",
        ),
        (
            "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL",
            "END UPPER_ROMAN %0.|START UPPER_ALPHA %1.|START DECIMAL %2.|END UPPER_ROMAN %3.",
        ),
        (
            "NUMBERED_ZERODECIMAL_ALPHA_ROMAN",
            "START ZERO_DECIMAL %0.|START ALPHA %1.|END ROMAN %2.|START ZERO_DECIMAL %3.",
        ),
    ];
    for (preset, expected) in cases {
        let lists = tab(&send(&of("a"), &json!([bullets(1, 2, preset)])).unwrap())["lists"].take();
        let lists = lists.as_object().unwrap();
        assert_eq!(lists.len(), 1, "{preset}");
        let levels = lists.values().next().unwrap()["listProperties"]["nestingLevels"].as_array().unwrap();
        let glyphs = levels.iter().map(|level| {
            let glyph = level.get("glyphSymbol").or_else(|| level.get("glyphType")).unwrap();
            [&level["bulletAlignment"], glyph, &level["glyphFormat"]].map(|part| part.as_str().unwrap()).join(" ")
        });
        assert_eq!(glyphs.take(4).collect::<Vec<_>>().join("|"), expected, "{preset}");
        assert_eq!(levels.len(), 9);
    }
}

#[test]
fn a_heading_keeps_its_heading_in_a_list() {
    let heading = json!({"updateParagraphStyle": {"range": {"startIndex": 1, "endIndex": 2},
        "paragraphStyle": {"namedStyleType": "HEADING_2"}, "fields": "namedStyleType"}});
    let before = send(&of("a"), &json!([heading])).unwrap();
    let style = |document: &Document| tab(document)["body"]["content"][1]["paragraph"]["paragraphStyle"].clone();
    let after = send(&before, &json!([bullets(1, 2, DISC)])).unwrap();
    for key in ["namedStyleType", "headingId"] {
        assert_eq!(style(&after)[key], style(&before)[key]);
        assert!(style(&after)[key].is_string());
    }
}

#[test]
fn a_paragraph_that_leaves_its_list_keeps_its_indent() {
    let left = ["L0.0 18/36 a¶", "54/72 b¶"];
    let left = send(&of("a\n\tb"), &json!([bullets(1, 5, DISC), no_bullets(3, 4)])).map(|d| (shown(&d), left)).unwrap();
    assert_eq!(left.0, left.1);
    // An item that does not say its indents gets those of its list.
    let mut silent = send(&of("a"), &json!([bullets(1, 2, NUMBERS)])).unwrap();
    let body = silent.tabs.first_mut().unwrap().document_tab.as_mut().unwrap().body.as_mut().unwrap();
    let style = &mut body.content.get_mut(1).unwrap().paragraph.as_mut().unwrap().paragraph_style.as_mut().unwrap().0;
    style.retain(|key, _| !key.starts_with("indent"));
    assert_eq!(shown(&silent), ["L0.0 a¶"]);
    assert_eq!(shown(&send(&silent, &json!([no_bullets(1, 2)])).unwrap()), ["18/36 a¶"]);
    check("a", &json!([no_bullets(1, 2)]), &["a¶"]);
}

#[test]
fn a_list_goes_with_its_last_item() {
    let lists = |document: &Document| tab(document).get("lists").map_or(0, |lists| lists.as_object().unwrap().len());
    let two = send(&of("a\nb\nc"), &json!([bullets(1, 2, DISC), bullets(5, 6, NUMBERS)])).unwrap();
    assert_eq!(lists(&two), 2);
    assert_eq!(lists(&send(&two, &json!([no_bullets(1, 2)])).unwrap()), 1);
    assert_eq!(lists(&send(&two, &json!([no_bullets(1, 6)])).unwrap()), 0);
    let delete = json!([{"deleteContentRange": {"range": {"startIndex": 1, "endIndex": 3}}}]);
    assert_eq!(lists(&send(&two, &delete).unwrap()), 1);
    assert_eq!(lists(&send(&two, &json!([bullets(1, 2, NUMBERS)])).unwrap()), 2, "the old one goes, a new one comes");
    // A list without items that was there before is nobody's to remove.
    let mut idle = two.clone();
    let own = &mut idle.tabs.first_mut().unwrap().document_tab.as_mut().unwrap().lists;
    own.insert("kix.idle".to_owned(), json!({"listProperties": {}}).into());
    assert_eq!(lists(&send(&idle, &json!([no_bullets(1, 6)])).unwrap()), 1);
}

#[test]
fn named_ranges_move_with_the_tabs_that_go() {
    let name = |from: u32, to: u32, name: &str| {
        json!({"createNamedRange": {"name": name,
            "range": {"startIndex": from, "endIndex": to}}})
    };
    let batch = json!([name(1, 3, "tabs"), name(4, 7, "text"), bullets(1, 7, DISC)]);
    let ranges = tab(&send(&of("\t\ta\n\tb"), &batch).unwrap())["namedRanges"].take();
    assert_eq!(ranges.get("tabs"), None);
    assert_eq!(
        ranges["text"]["namedRanges"][0]["ranges"][0],
        json!({"startIndex": 2, "endIndex": 4}),
        "the newline of a, b without its tab"
    );
}

/// Inserts a table of two columns.
fn table(at: u32, rows: u32) -> Value {
    json!({"insertTable": {"location": {"index": at}, "rows": rows, "columns": 2}})
}

#[test]
fn a_table_comes_behind_a_newline() {
    let at = |batch: &Value| {
        let document = send(&of("ab"), batch).unwrap();
        let content = tab(&document)["body"]["content"].take();
        let table = content.as_array().unwrap().iter().find(|element| element.get("table").is_some()).unwrap();
        (shown(&document), table["startIndex"].as_u64().unwrap(), table["endIndex"].as_u64().unwrap())
    };
    // Width of an empty table: 2, one for a row, two for a cell.
    assert_eq!(at(&json!([table(2, 3)])), (vec!["a¶".into(), "b¶".into()], 3, 3 + 2 + 3 + 12));
    let end = json!([{"insertTable": {"endOfSegmentLocation": {}, "rows": 1, "columns": 1}}]);
    assert_eq!(at(&end), (vec!["ab¶".into(), "¶".into()], 4, 9));
    // The first cell's content is where the documented arithmetic puts it: the place + 4.
    let filled = send(&of("ab"), &json!([table(2, 1), {"insertText": {"location": {"index": 6}, "text": "X"}}]));
    let cell = "/body/content/2/table/tableRows/0/tableCells/0/content/0/paragraph/elements/0/textRun/content";
    assert_eq!(tab(&filled.unwrap()).pointer(cell).unwrap(), "X\n");
    let nested = send(&of("ab"), &json!([table(2, 1), table(6, 1)])).unwrap();
    let inner = "/body/content/2/table/tableRows/0/tableCells/0/content/1/table/rows";
    assert_eq!(tab(&nested).pointer(inner), Some(&json!(1)));
}

#[test]
fn refusals_of_lists_and_tables() {
    let sample = document();
    let table_start = tab(&sample)["body"]["content"].as_array().unwrap().iter().find_map(|element| {
        element.get("table").and(element["startIndex"].as_u64()).and_then(|start| u32::try_from(start).ok())
    });
    let sized = |rows: i32, columns: i32| json!([{"insertTable": {"location": {"index": 1}, "rows": rows, "columns": columns}}]);
    // Nested at the place + 4 again and again.
    let deep: Vec<Value> = (0..9).map(|level| table(1 + 4 * level, 1)).collect();
    let many: Vec<Value> =
        (0..2).map(|_| json!({"insertTable": {"location": {"index": 1}, "rows": 600, "columns": 20}})).collect();
    let cases = [
        (json!([bullets(1, 2, "BULLET_GLYPH_PRESET_UNSPECIFIED")]), "createParagraphBullets: The bullet preset must"),
        (
            json!([{"createParagraphBullets": {"bulletPreset": DISC}}]),
            "createParagraphBullets: The range should not be empty.",
        ),
        (json!([no_bullets(2, 2)]), "deleteParagraphBullets: The range should not be empty."),
        (json!([no_bullets(9000, 9001)]), "deleteParagraphBullets: Index 9000 must be less than the end index"),
        (
            json!([bullets(1, 2, "BULLET_STARS")]),
            "Invalid value at 'requests[0].create_paragraph_bullets.bullet_preset'",
        ),
        (
            json!([{"deleteParagraphBullets": {"bulletPreset": DISC}}]),
            "Unknown name \"bulletPreset\" at 'requests[0].delete_paragraph_bullets': Cannot find field.",
        ),
        (
            json!([table(table_start.unwrap(), 1)]),
            "insertTable: The insertion index must be inside the bounds of an existing paragraph.",
        ),
        (json!([table(0, 1)]), "insertTable: The insertion index must be inside the bounds of an existing paragraph."),
        (json!([table(9000, 1)]), "insertTable: Index 9000 must be less than the end index"),
        (
            json!([{"insertTable": {"location": {"segmentId": "kix.note"}, "rows": 1, "columns": 1}}]),
            "insertTable: Tables cannot be inserted inside a footnote.",
        ),
        (
            json!([{"insertTable": {"rows": 1, "columns": 1}}]),
            "insertTable: Insert table requests must specify a location",
        ),
        (json!([{"insertTable": {"location": {"index": 1}, "columns": 1}}]), "insertTable: The number of rows must"),
        (sized(1, 0), "insertTable: The number of columns must be between 1 and 20, not 0."),
        (sized(1, 21), "insertTable: The number of columns must be between 1 and 20, not 21."),
        (sized(1001, 1), "insertTable: The number of rows must be between 1 and 1000, not 1001."),
        (json!(deep), "requests[8].insertTable: The table is nested too deeply."),
        (json!(many), "requests[1].insertTable: A batch makes at most 20000 table cells."),
    ];
    for (requests, expected) in cases {
        let refusal = send(&sample, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}
