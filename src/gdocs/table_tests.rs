//! Cases of rows, columns and merged cells.

use serde_json::{Value, json};

use super::{Document, apply, apply_traced, new_document, read_requests, reindex};

/// Applies raw requests.
fn send(document: &Document, requests: &Value) -> Result<Document, String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    apply(document, &requests, 1).map(|applied| applied.document).map_err(|refusal| refusal.message)
}

/// Returns a table at index 2 with these texts, the last cell filled first so that no index moves.
fn table(rows: &[&[&str]]) -> Document {
    let columns = rows[0].len();
    let mut requests = vec![json!({"insertTable": {"location": {"index": 1}, "rows": rows.len(), "columns": columns}})];
    for (row, cells) in rows.iter().enumerate().rev() {
        for (column, text) in cells.iter().enumerate().rev().filter(|(_, text)| !text.is_empty()) {
            let at = 5 + row * (2 * columns + 1) + 2 * column;
            requests.push(json!({"insertText": {"location": {"index": at}, "text": text}}));
        }
    }
    send(&new_document("doc", "t"), &Value::Array(requests)).unwrap()
}

fn body(document: &Document) -> Value {
    serde_json::to_value(&document.tabs[0].document_tab.as_ref().unwrap().body).unwrap()["content"].take()
}

/// Writes rows as `a|b`, a merged cell as `a<2x1>`, rows by columns; paragraphs of a cell are joined by `/`.
fn shown(document: &Document) -> Vec<String> {
    let mut again = document.clone();
    let tab = again.tabs[0].document_tab.as_mut().unwrap();
    assert_eq!(reindex(tab.segment_mut(None).unwrap()), 0);
    let content = body(document);
    let Some(table) = content.as_array().unwrap().iter().find_map(|element| element.get("table")) else {
        return Vec::new();
    };
    let rows = table["tableRows"].as_array().unwrap();
    assert_eq!(table["rows"], json!(rows.len()));
    assert_eq!(table["columns"], json!(rows[0]["tableCells"].as_array().unwrap().len()));
    assert_eq!(
        table["tableStyle"]["tableColumnProperties"].as_array().unwrap().len(),
        rows[0]["tableCells"].as_array().unwrap().len()
    );
    rows.iter()
        .map(|row| row["tableCells"].as_array().unwrap().iter().map(cell).collect::<Vec<_>>().join("|"))
        .collect()
}

fn cell(cell: &Value) -> String {
    let paragraphs = cell["content"].as_array().unwrap().iter().map(|element| {
        let runs = element["paragraph"]["elements"].as_array().unwrap().iter();
        runs.map(|run| run["textRun"]["content"].as_str().unwrap_or("□")).collect::<String>()
    });
    let text = paragraphs.map(|text| text.trim_end_matches('\n').to_owned()).collect::<Vec<_>>().join("/");
    let span = |key: &str| cell["tableCellStyle"][key].as_u64().unwrap();
    match (span("rowSpan"), span("columnSpan")) {
        (1, 1) => text,
        (rows, columns) => format!("{text}<{rows}x{columns}>"),
    }
}

fn at(row: u32, column: u32) -> Value {
    json!({"tableStartLocation": {"index": 2}, "rowIndex": row, "columnIndex": column})
}

fn part(row: u32, column: u32, rows: u32, columns: u32) -> Value {
    json!({"tableCellLocation": at(row, column), "rowSpan": rows, "columnSpan": columns})
}

fn merge(row: u32, column: u32, rows: u32, columns: u32) -> Value {
    json!({"mergeTableCells": {"tableRange": part(row, column, rows, columns)}})
}

fn unmerge(row: u32, column: u32, rows: u32, columns: u32) -> Value {
    json!({"unmergeTableCells": {"tableRange": part(row, column, rows, columns)}})
}

fn row(row: u32, column: u32, below: bool) -> Value {
    json!({"insertTableRow": {"tableCellLocation": at(row, column), "insertBelow": below}})
}

fn column(row: u32, column: u32, right: bool) -> Value {
    json!({"insertTableColumn": {"tableCellLocation": at(row, column), "insertRight": right}})
}

fn no_row(row: u32, column: u32) -> Value {
    json!({"deleteTableRow": {"tableCellLocation": at(row, column)}})
}

fn no_column(row: u32, column: u32) -> Value {
    json!({"deleteTableColumn": {"tableCellLocation": at(row, column)}})
}

/// Checks what a batch leaves of a table of nine cells.
#[track_caller]
fn check(requests: &[Value], expected: &[&str]) {
    let before = table(&[&["a", "b", "c"], &["d", "e", "f"], &["g", "h", "i"]]);
    assert_eq!(shown(&send(&before, &json!(requests)).unwrap()), expected);
}

#[test]
fn rows_and_columns_come_and_go() {
    check(&[], &["a|b|c", "d|e|f", "g|h|i"]);
    check(&[row(0, 1, true)], &["a|b|c", "||", "d|e|f", "g|h|i"]);
    check(&[row(0, 1, false)], &["||", "a|b|c", "d|e|f", "g|h|i"]);
    check(&[row(2, 2, true)], &["a|b|c", "d|e|f", "g|h|i", "||"]);
    check(&[column(1, 0, false)], &["|a|b|c", "|d|e|f", "|g|h|i"]);
    check(&[column(1, 2, true)], &["a|b|c|", "d|e|f|", "g|h|i|"]);
    check(&[no_row(1, 0)], &["a|b|c", "g|h|i"]);
    check(&[no_column(0, 1)], &["a|c", "d|f", "g|i"]);
    check(&[no_row(0, 0), no_row(0, 0)], &["g|h|i"]);
    // With the last row or column goes the table.
    check(&[no_row(0, 0), no_row(0, 0), no_row(0, 0)], &[]);
    check(&[no_column(0, 0), no_column(0, 0), no_column(0, 0)], &[]);
}

#[test]
fn cells_are_merged_and_taken_apart() {
    check(&[merge(0, 0, 1, 2)], &["a/b<1x2>||c", "d|e|f", "g|h|i"]);
    check(&[merge(0, 0, 2, 2)], &["a/b/d/e<2x2>||c", "||f", "g|h|i"]);
    check(&[merge(0, 0, 2, 2), unmerge(1, 1, 1, 1)], &["a/b/d/e||c", "||f", "g|h|i"]);
    check(&[merge(0, 0, 1, 2), unmerge(2, 0, 1, 3)], &["a/b<1x2>||c", "d|e|f", "g|h|i"]);
    check(&[merge(0, 0, 1, 2), merge(0, 0, 2, 3)], &["a/b/c/d/e/f<2x3>||", "||", "g|h|i"]);
    check(&[merge(1, 1, 1, 1)], &["a|b|c", "d|e|f", "g|h|i"]);
    // Empty cells add nothing, and an empty head gives way.
    let sparse = table(&[&["", "x", ""], &["", "", "y"]]);
    assert_eq!(shown(&send(&sparse, &json!([merge(0, 0, 2, 3)])).unwrap()), ["x/y<2x3>||", "||"]);
    let empty = table(&[&["", ""]]);
    assert_eq!(shown(&send(&empty, &json!([merge(0, 0, 1, 2)])).unwrap()), ["<1x2>|"]);
}

#[test]
fn merged_cells_follow_rows_and_columns() {
    let block = merge(0, 0, 2, 2);
    check(&[block.clone(), row(0, 0, true)], &["a/b/d/e<2x2>||c", "||f", "||", "g|h|i"]);
    check(&[block.clone(), row(1, 1, false)], &["||", "a/b/d/e<2x2>||c", "||f", "g|h|i"]);
    check(&[block.clone(), row(0, 2, true)], &["a/b/d/e<3x2>||c", "||", "||f", "g|h|i"]);
    check(&[block.clone(), column(2, 0, true)], &["a/b/d/e<2x3>|||c", "|||f", "g||h|i"]);
    check(&[block.clone(), column(1, 1, true)], &["a/b/d/e<2x2>|||c", "|||f", "g|h||i"]);
    check(&[block.clone(), no_row(1, 1)], &["g|h|i"]);
    check(&[block, no_column(1, 1)], &["c", "f", "i"]);
}

#[test]
fn a_merged_cell_that_loses_a_part_stays_merged() {
    let block = merge(0, 0, 2, 2);
    // The row of `f` holds no head: the cell above spans one row less.
    check(&[block.clone(), no_row(1, 2)], &["a/b/d/e<1x2>||c", "g|h|i"]);
    // The row of `c` holds the head: its text goes, what is left is merged still.
    check(&[block.clone(), no_row(0, 2)], &["<1x2>||f", "g|h|i"]);
    check(&[block.clone(), no_column(2, 1)], &["a/b/d/e<2x1>|c", "|f", "g|i"]);
    check(&[block, no_column(2, 0)], &["<2x1>|c", "|f", "h|i"]);
}

#[test]
fn new_cells_look_like_their_neighbours() {
    let styled = [
        json!({"updateTextStyle": {"range": {"startIndex": 5, "endIndex": 6}, "textStyle": {"bold": true}, "fields": "bold"}}),
        json!({"updateParagraphStyle": {"range": {"startIndex": 5, "endIndex": 6},
            "paragraphStyle": {"namedStyleType": "HEADING_2", "alignment": "CENTER"}, "fields": "namedStyleType,alignment"}}),
        json!({"updateTextStyle": {"range": {"startIndex": 5, "endIndex": 6}, "textStyle": {"italic": true}, "fields": "italic"}}),
        json!({"createParagraphBullets": {"range": {"startIndex": 5, "endIndex": 6}, "bulletPreset": "BULLET_CHECKBOX"}}),
        row(0, 0, true),
    ];
    let after = send(&table(&[&["a"]]), &json!(styled)).unwrap();
    let content = body(&after);
    let rows = &content[2]["table"]["tableRows"];
    let [old, new] = [0, 1].map(|row| &rows[row]["tableCells"][0]["content"][0]["paragraph"]);
    assert_eq!(new["paragraphStyle"]["alignment"], "CENTER");
    assert!(new["paragraphStyle"]["headingId"].is_string());
    assert_ne!(new["paragraphStyle"]["headingId"], old["paragraphStyle"]["headingId"]);
    assert_eq!(new["elements"][0]["textRun"]["textStyle"], json!({"italic": true}));
    assert_eq!((new.get("bullet").is_some(), old.get("bullet").is_some()), (false, true));
}

#[test]
fn nested_tables_are_found() {
    let nest = json!([
        {"insertTable": {"location": {"index": 5}, "rows": 1, "columns": 2}},
        {"insertTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 6}, "rowIndex": 0, "columnIndex": 1},
            "insertBelow": true}},
    ]);
    let after = send(&table(&[&["a", "b"]]), &nest).unwrap();
    let inner = body(&after);
    assert_eq!(inner[2]["table"]["tableRows"][0]["tableCells"][0]["content"][1]["table"]["rows"], 2);
}

#[test]
fn named_ranges_and_objects_follow_their_cells() {
    let name = |name: &str, from: u32, to: u32| json!({"createNamedRange": {"name": name, "range": {"startIndex": from, "endIndex": to}}});
    // a at 5, b at 8, c at 12, d at 15.
    let before = table(&[&["a", "b"], &["c", "d"]]);
    let ranges = |requests: &[Value]| {
        let mut batch = vec![name("b", 8, 9), name("c", 12, 13), name("d", 15, 16)];
        batch.extend_from_slice(requests);
        let after = send(&before, &json!(batch)).unwrap();
        let tab = after.tabs[0].document_tab.clone().unwrap();
        ["b", "c", "d"]
            .map(|name| tab.named_ranges.get(name).map(|group| group.named_ranges[0].ranges[0].start_index.unwrap()))
    };
    assert_eq!(ranges(&[]), [Some(8), Some(12), Some(15)]);
    assert_eq!(ranges(&[row(0, 0, true)]), [Some(8), Some(17), Some(20)]);
    assert_eq!(ranges(&[column(0, 0, false)]), [Some(10), Some(16), Some(19)]);
    assert_eq!(ranges(&[no_row(0, 0)]), [None, Some(5), Some(8)]);
    assert_eq!(ranges(&[no_column(0, 0)]), [Some(5), None, Some(9)]);
    assert_eq!(ranges(&[merge(0, 0, 1, 2)]), [Some(7), Some(13), Some(16)]);
    assert_eq!(ranges(&[no_row(0, 0), no_row(0, 0)]), [None, None, None]);
}

#[test]
fn merged_text_was_never_deleted() {
    let before = table(&[&["a", "b"], &["c", "d"]]);
    let requests = read_requests(&[merge(0, 0, 2, 2)]).unwrap();
    let (_, traces) = apply_traced(&before, &requests, 1).unwrap();
    let body = traces.iter().find(|trace| trace.segment_id.is_empty()).unwrap();
    for old in [5, 6, 8, 9, 12, 13, 15, 16] {
        assert!(body.units.contains(&Some(old)), "{old}: {:?}", body.units);
    }
}

#[test]
fn refusals_of_tables() {
    let before = table(&[&["a", "b"], &["c", "d"]]);
    let nowhere = "Invalid table start location. Must specify the start index of the table.";
    let cases = [
        (json!([{"insertTableRow": {"insertBelow": true}}]), nowhere),
        (json!([{"insertTableRow": {"tableCellLocation": {"rowIndex": 0}}}]), nowhere),
        (
            json!([{"deleteTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 3}, "rowIndex": 0, "columnIndex": 0}}}]),
            nowhere,
        ),
        (json!([{"deleteTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 900}}}}]), nowhere),
        (json!([row(2, 0, true)]), "The table cell location is outside the bounds of the table."),
        (json!([no_column(0, 2)]), "The table cell location is outside the bounds of the table."),
        (json!([merge(0, 0, 1, 99)]), "The table range extends outside the bounds of the table."),
        (json!([merge(2, 0, 1, 1)]), "The table range extends outside the bounds of the table."),
        (json!([merge(0, 0, 0, 1)]), "The row span and column span of the table range must be at least 1."),
        (json!([merge(0, 0, 1, 2), merge(0, 0, 2, 1)]), "The table range is not rectangular."),
        (
            json!([{"insertTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 2, "tabId": "t.x"}}}}]),
            "t.x",
        ),
        (
            json!([{"insertTableColumn": {"tableCellLocation": at(0, 0), "insertBelow": true}}]),
            "Unknown name \"insertBelow\" at 'requests[0].insert_table_column': Cannot find field.",
        ),
    ];
    for (requests, expected) in cases {
        let refusal = send(&before, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
    let full: Vec<Value> = (0..19).map(|_| column(0, 0, true)).collect();
    assert!(send(&before, &json!(full)).unwrap_err().contains("A table has at most 20 columns."));
    let mut ragged = serde_json::to_value(&before).unwrap();
    let cells = ragged.pointer_mut("/tabs/0/documentTab/body/content/2/table/tableRows/0/tableCells").unwrap();
    cells.as_array_mut().unwrap().pop();
    let mut ragged: Document = serde_json::from_value(ragged).unwrap();
    for element in ragged.tabs[0].document_tab.as_mut().unwrap().segment_mut(None).unwrap() {
        (element.start_index, element.end_index) = Default::default();
    }
    assert!(send(&ragged, &json!([row(0, 0, true)])).is_err());
}
