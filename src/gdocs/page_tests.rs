//! Cases of headers, footers, sections, the page, named styles, and the styles of tables.

use serde_json::{Value, json};

use super::sample::document;
use super::{Document, apply, new_document, read_requests};

/// Applies raw requests and returns the document and the replies.
fn send(document: &Document, requests: &Value) -> Result<(Document, Vec<Value>), String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    let applied = apply(document, &requests, 1).map_err(|refusal| refusal.message)?;
    Ok((applied.document, applied.replies))
}

/// Returns a new document with this text.
fn of(text: &str) -> Document {
    send(&new_document("doc", "t"), &json!([{"insertText": {"location": {"index": 1}, "text": text}}])).unwrap().0
}

fn tab(document: &Document) -> Value {
    serde_json::to_value(document.tabs[0].document_tab.as_ref().unwrap()).unwrap()
}

/// Returns the tab after a batch.
#[track_caller]
fn after(document: &Document, requests: &Value) -> Value {
    tab(&send(document, requests).unwrap().0)
}

fn points(number: f64) -> Value {
    json!({"magnitude": number, "unit": "PT"})
}

/// A document of two sections: the second starts at 5.
fn sections() -> Document {
    let cut = json!([{"insertSectionBreak": {"location": {"index": 3}, "sectionType": "CONTINUOUS"}}]);
    send(&of("abcd"), &cut).unwrap().0
}

#[test]
fn headers_and_footers_come_and_go() {
    let make = json!([{"createHeader": {"type": "DEFAULT"}}, {"createFooter": {"type": "DEFAULT"}}]);
    let (made, replies) = send(&of("ab"), &make).unwrap();
    let [header, footer] = [("createHeader", "headerId"), ("createFooter", "footerId")]
        .map(|(kind, key)| replies.iter().find_map(|reply| reply.pointer(&format!("/{kind}/{key}"))).unwrap().clone());
    let style = &tab(&made)["documentStyle"];
    assert_eq!((&style["defaultHeaderId"], &style["defaultFooterId"]), (&header, &footer));
    assert_eq!(tab(&made)["headers"][header.as_str().unwrap()]["headerId"], header);
    // It can be written into at once, and named ranges in it go with it.
    let more = json!([
        {"insertText": {"location": {"index": 0, "segmentId": header}, "text": "top"}},
        {"createNamedRange": {"name": "n", "range": {"startIndex": 0, "endIndex": 3, "segmentId": header}}},
    ]);
    let (made, _) = send(&made, &more).unwrap();
    assert!(tab(&made).get("namedRanges").is_some());
    let gone = after(&made, &json!([{"deleteHeader": {"headerId": header}}, {"deleteFooter": {"footerId": footer}}]));
    for key in ["headers", "footers", "namedRanges"] {
        assert_eq!(gone.get(key), None, "{key}");
    }
    assert_eq!(gone["documentStyle"].get("defaultHeaderId"), None);
    assert_eq!(gone["documentStyle"].get("defaultFooterId"), None);
    // The second section has a header of its own, and loses it with its break.
    let own = json!([{"createHeader": {"type": "DEFAULT"}},
        {"createHeader": {"type": "DEFAULT", "sectionBreakLocation": {"index": 4}}}]);
    let (made, replies) = send(&sections(), &own).unwrap();
    let id = &replies[1]["createHeader"]["headerId"];
    assert_eq!(&tab(&made)["body"]["content"][2]["sectionBreak"]["sectionStyle"]["defaultHeaderId"], id);
    assert_eq!(tab(&made)["headers"].as_object().unwrap().len(), 2);
    let cut = json!([{"deleteContentRange": {"range": {"startIndex": 3, "endIndex": 5}}}]);
    assert_eq!(after(&made, &cut)["headers"].as_object().unwrap().len(), 1);
    let delete = after(&made, &json!([{"deleteHeader": {"headerId": id}}]));
    assert_eq!(delete["body"]["content"][2]["sectionBreak"]["sectionStyle"].get("defaultHeaderId"), None);
}

#[test]
fn sections_have_styles() {
    let update = |from: u32, to: u32, style: Value, fields: &str| json!([{"updateSectionStyle": {"range": {"startIndex": from, "endIndex": to}, "sectionStyle": style, "fields": fields}}]);
    let styles = |requests: &Value| {
        let content = after(&sections(), requests)["body"]["content"].take();
        [0, 2].map(|at| content[at]["sectionBreak"]["sectionStyle"].clone())
    };
    let [first, second] = styles(&update(6, 7, json!({"marginTop": points(10.0)}), "marginTop"));
    assert_eq!((first.get("marginTop"), &second["marginTop"]), (None, &points(10.0)));
    let [first, second] = styles(&update(1, 7, json!({"marginTop": points(10.0)}), "margin_top"));
    assert_eq!((&first["marginTop"], &second["marginTop"]), (&points(10.0), &points(10.0)));
    let two =
        json!({"columnProperties": [{"paddingEnd": points(36.0)}, {}], "columnSeparatorStyle": "BETWEEN_EACH_COLUMN"});
    let [first, _] = styles(&update(1, 2, two, "columnProperties,columnSeparatorStyle"));
    assert_eq!(first["columnProperties"][0], json!({"width": points(216.0), "paddingEnd": points(36.0)}));
    assert_eq!(first["columnProperties"][1], json!({"width": points(216.0), "paddingEnd": {"unit": "PT"}}));
    // Set on the document, a margin is no section's own any more, and columns take the new room.
    let mut both =
        update(1, 7, json!({"columnProperties": [{}, {}], "marginLeft": points(10.0)}), "columnProperties,marginLeft");
    both.as_array_mut()
        .unwrap()
        .push(json!({"updateDocumentStyle": {"documentStyle": {"marginLeft": points(172.0)}, "fields": "marginLeft"}}));
    let [first, _] = styles(&both);
    assert_eq!(first.get("marginLeft"), None);
    assert_eq!(first["columnProperties"][0]["width"], points(166.0));
    let refusals = [
        (update(1, 2, json!({}), "marginTop"), "The field marginTop must be set to a concrete value."),
        (update(1, 2, json!({"sectionType": "NEXT_PAGE"}), "sectionType"), "Invalid field: sectionType"),
        (update(1, 2, json!({"columnProperties": [{}, {}, {}, {}]}), "columnProperties"), "no more than 3 columns"),
        (update(2, 2, json!({"marginTop": points(1.0)}), "marginTop"), "The range should not be empty."),
        (update(1, 2, json!({}), ""), "At least one field must be listed"),
        (
            json!([{"updateSectionStyle": {"range": {"startIndex": 0, "endIndex": 1, "segmentId": "kix.head"},
                "sectionStyle": {"marginTop": points(1.0)}, "fields": "marginTop"}}]),
            "Section styles can only be updated in the body.",
        ),
    ];
    for (requests, expected) in refusals {
        let refusal = send(&sections(), &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}

#[test]
fn documents_have_styles() {
    let update =
        |style: Value, fields: &str| json!({"updateDocumentStyle": {"documentStyle": style, "fields": fields}});
    let style = |requests: &[Value]| after(&of("ab"), &json!(requests))["documentStyle"].take();
    let margin = update(
        json!({"marginTop": points(10.0), "useEvenPageHeaderFooter": true}),
        "marginTop,useEvenPageHeaderFooter",
    );
    let changed = style(std::slice::from_ref(&margin));
    assert_eq!((&changed["marginTop"], &changed["useEvenPageHeaderFooter"]), (&points(10.0), &json!(true)));
    assert_eq!(style(&[margin, update(json!({}), "*")]), style(&[]), "a reset gives back what a new document has");
    let pageless = update(json!({"documentFormat": {"documentMode": "PAGELESS"}}), "documentFormat.documentMode");
    assert_eq!(style(&[pageless])["documentFormat"]["documentMode"], "PAGELESS");
    let refused =
        send(&of("ab"), &json!([update(json!({"defaultHeaderId": "kix.x"}), "defaultHeaderId")])).unwrap_err();
    assert!(refused.contains("Invalid field: defaultHeaderId"));
}

#[test]
fn values_of_styles_that_there_are_not_are_refused() {
    let family = "font_family must also be set with a non-empty value";
    let weight = |weight: i32| json!({"weightedFontFamily": {"fontFamily": "Arial", "weight": weight}});
    let border = json!({"width": points(1.0), "padding": points(1.0), "dashStyle": "SOLID"});
    for (style, fields, refused) in [
        (json!({"weightedFontFamily": {"weight": 700}}), "weightedFontFamily", Some(family)),
        (json!({"weightedFontFamily": {"fontFamily": "", "weight": 700}}), "weightedFontFamily", Some(family)),
        (json!({"weightedFontFamily": {}}), "weightedFontFamily", Some(family)),
        (json!({"weightedFontFamily": {"weight": 700}}), "weightedFontFamily.weight", Some(family)),
        (json!({}), "weightedFontFamily", None),
        (weight(700), "weightedFontFamily", None),
        (weight(450), "weightedFontFamily", Some("multiple of 100")),
        (weight(1000), "weightedFontFamily", Some("multiple of 100")),
        (json!({"fontSize": points(-1.0)}), "fontSize", Some("must not be negative")),
        (json!({"fontSize": points(-1.0), "bold": true}), "bold", None),
    ] {
        let range = json!({"startIndex": 1, "endIndex": 2});
        let text = json!([{"updateTextStyle": {"range": range, "textStyle": style, "fields": fields}}]);
        let named = json!([{"updateNamedStyle": {"namedStyle": {"namedStyleType": "HEADING_1", "textStyle": style},
            "fields": format!("textStyle.{fields}")}}]);
        for requests in [text, named] {
            match (send(&of("ab"), &requests), refused) {
                (Ok(_), None) => {}
                (Err(is), Some(wanted)) => assert!(is.contains(wanted), "{is} of {requests}"),
                (is, _) => panic!("{requests}: {:?}", is.err()),
            }
        }
    }
    let link = |link: Value| json!([{"updateTextStyle": {"range": {"startIndex": 1, "endIndex": 2}, "textStyle": {"link": link}, "fields": "link"}}]);
    let both = link(json!({"url": "https://example.com", "headingId": "h.a"}));
    assert!(send(&of("ab"), &both).unwrap_err().contains("one destination"));
    assert!(send(&of("ab"), &link(json!({"url": "https://example.com"}))).is_ok());
    for (style, fields, is_fine) in [
        (json!({"borderLeft": border}), "borderLeft", true),
        (json!({}), "borderLeft", true),
        (json!({"borderLeft": {"width": points(1.0)}}), "borderLeft", false),
        (json!({"borderLeft": border}), "borderLeft.width", false),
    ] {
        let requests = json!([{"updateParagraphStyle": {"range": {"startIndex": 1, "endIndex": 2}, "paragraphStyle": style, "fields": fields}}]);
        assert_eq!(send(&of("ab"), &requests).is_ok(), is_fine, "{requests}");
    }
}

#[test]
fn named_styles_are_changed() {
    let update = |style: Value, fields: &str| json!([{"updateNamedStyle": {"namedStyle": style, "fields": fields}}]);
    let style = |kind: &str, requests: &Value| {
        let styles = after(&of("ab"), requests)["namedStyles"]["styles"].take();
        styles.as_array().unwrap().iter().find(|style| style["namedStyleType"] == kind).unwrap().clone()
    };
    let untouched = style("HEADING_1", &json!([]));
    let red = json!({"namedStyleType": "HEADING_1", "textStyle": {"italic": true, "bold": true}});
    let changed = style("HEADING_1", &update(red.clone(), "namedStyleType,textStyle.italic"));
    assert_eq!(changed["textStyle"]["italic"], true);
    assert_eq!(changed["textStyle"]["fontSize"], untouched["textStyle"]["fontSize"]);
    assert_eq!(changed["textStyle"].get("bold"), untouched["textStyle"].get("bold"));
    let both = style("HEADING_1", &update(red, "text_style,text_style.bold"));
    assert_eq!(
        (both["textStyle"].get("italic"), &both["textStyle"]["bold"]),
        (untouched["textStyle"].get("italic"), &json!(true))
    );
    let reset = style("HEADING_1", &update(json!({"namedStyleType": "HEADING_1"}), "textStyle,paragraphStyle"));
    assert_eq!(reset["textStyle"], json!({}));
    assert_eq!(reset["paragraphStyle"]["direction"], untouched["paragraphStyle"]["direction"]);
    let normal = style("NORMAL_TEXT", &update(json!({"namedStyleType": "NORMAL_TEXT"}), "*"));
    assert_eq!(normal, style("NORMAL_TEXT", &json!([])));
    for (requests, expected) in [
        (update(json!({"textStyle": {"bold": true}}), "textStyle.bold"), "The named style type must be specified."),
        (
            update(json!({"namedStyleType": "HEADING_1"}), "paragraphStyle.headingId"),
            "Invalid field: paragraphStyle.headingId",
        ),
        (update(json!({"namedStyleType": "HEADING_1"}), "textStyle.colour"), "Invalid field: textStyle.colour"),
        (update(json!({"namedStyleType": "HEADING_9"}), "*"), "Invalid value at 'requests[0].update_named_style"),
    ] {
        let refusal = send(&of("ab"), &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}

/// Returns the table at 2, two by two, after a batch.
#[track_caller]
fn table(requests: &[Value]) -> Value {
    let mut batch = vec![json!({"insertTable": {"location": {"index": 1}, "rows": 2, "columns": 2}})];
    batch.extend_from_slice(requests);
    after(&new_document("doc", "t"), &json!(batch))["body"]["content"][2]["table"].take()
}

#[test]
fn rows_are_pinned_and_styled() {
    let pin =
        |rows: u32| json!({"pinTableHeaderRows": {"tableStartLocation": {"index": 2}, "pinnedHeaderRowsCount": rows}});
    let headers = |requests: &[Value]| {
        let table = table(requests);
        [0, 1].map(|row| table["tableRows"][row]["tableRowStyle"].get("tableHeader").is_some())
    };
    assert_eq!(headers(&[pin(1)]), [true, false]);
    assert_eq!(headers(&[pin(2), pin(0)]), [false, false]);
    let above =
        json!({"insertTableRow": {"tableCellLocation": {"tableStartLocation": {"index": 2}}, "insertBelow": true}});
    assert_eq!(headers(&[pin(1), above.clone()]), [true, false]);
    assert_eq!(headers(&[pin(2), above]), [true, true]);
    let rows = |rows: Value, style: Value, fields: &str| json!({"updateTableRowStyle": {"tableStartLocation": {"index": 2}, "rowIndices": rows, "tableRowStyle": style, "fields": fields}});
    let tall = rows(
        json!([1]),
        json!({"minRowHeight": points(30.0), "preventOverflow": true}),
        "minRowHeight,preventOverflow",
    );
    let styled = table(std::slice::from_ref(&tall));
    assert_eq!(styled["tableRows"][0]["tableRowStyle"], json!({"minRowHeight": {"unit": "PT"}}));
    assert_eq!(styled["tableRows"][1]["tableRowStyle"], json!({"minRowHeight": points(30.0), "preventOverflow": true}));
    assert_eq!(table(&[tall, rows(json!([]), json!({}), "*")]), table(&[]));
}

#[test]
fn columns_have_widths() {
    let columns = |columns: Value, properties: Value, fields: &str| {
        json!({"updateTableColumnProperties": {"tableStartLocation": {"index": 2}, "columnIndices": columns,
            "tableColumnProperties": properties, "fields": fields}})
    };
    let properties = |requests: &[Value]| table(requests)["tableStyle"]["tableColumnProperties"].take();
    let even = json!({"widthType": "EVENLY_DISTRIBUTED"});
    let fixed = json!({"widthType": "FIXED_WIDTH", "width": points(50.0)});
    assert_eq!(properties(&[columns(json!([1]), fixed.clone(), "width,widthType")]), json!([even, fixed]));
    assert_eq!(properties(&[columns(json!([]), json!({"width": points(50.0)}), "width")]), json!([fixed, fixed]));
    let back = [columns(json!([]), fixed.clone(), "*"), columns(json!([0]), even.clone(), "*")];
    assert_eq!(properties(&back), json!([even, fixed]));
    let wider =
        json!({"insertTableColumn": {"tableCellLocation": {"tableStartLocation": {"index": 2}, "columnIndex": 1}}});
    assert_eq!(properties(&[columns(json!([1]), fixed.clone(), "*"), wider]), json!([even, fixed, fixed]));
}

#[test]
fn cells_have_styles_and_shared_borders() {
    let cells = |row: u32, column: u32, style: &Value, fields: &str| {
        let start = json!({"index": 2});
        json!({"updateTableCellStyle": {"tableCellStyle": style, "fields": fields, "tableRange": {"rowSpan": 1, "columnSpan": 1,
            "tableCellLocation": {"tableStartLocation": start, "rowIndex": row, "columnIndex": column}}}})
    };
    let style = |table: &Value, row: usize, column: usize| {
        table["tableRows"][row]["tableCells"][column]["tableCellStyle"].clone()
    };
    let red = json!({"color": {"rgbColor": {"red": 1.0}}});
    let border = json!({"color": red, "width": points(2.0), "dashStyle": "SOLID"});
    let all = json!({"backgroundColor": red, "contentAlignment": "MIDDLE", "paddingTop": points(1.0), "borderRight": border,
        "borderBottom": border});
    let fields = "backgroundColor,contentAlignment,paddingTop,borderRight,borderBottom";
    let set = cells(0, 0, &all, fields);
    let styled = table(std::slice::from_ref(&set));
    let own = style(&styled, 0, 0);
    assert_eq!(
        (&own["backgroundColor"], &own["contentAlignment"], &own["borderRight"]),
        (&red, &json!("MIDDLE"), &border)
    );
    assert_eq!(style(&styled, 0, 1)["borderLeft"], border);
    assert_eq!(style(&styled, 1, 0)["borderTop"], border);
    assert_eq!(style(&styled, 1, 1), style(&table(&[]), 1, 1));
    let reset =
        json!({"updateTableCellStyle": {"tableCellStyle": {}, "fields": "*", "tableStartLocation": {"index": 2}}});
    assert_eq!(table(&[set.clone(), reset]), table(&[]));
    let merge = json!({"mergeTableCells": {"tableRange": {"tableCellLocation": {"tableStartLocation": {"index": 2}}, "rowSpan": 2, "columnSpan": 1}}});
    let styled = table(&[merge, set]);
    assert_eq!([0, 1].map(|row| style(&styled, row, 1)["borderLeft"] == border), [true, true], "along the whole cell");
    assert_eq!(style(&styled, 1, 0).get("borderTop"), None, "what is covered has no border to be seen");
}

#[test]
fn refusals_of_pages_and_tables() {
    let sample = document();
    let start = tab(&sample)["body"]["content"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|element| element.get("table").and(element["startIndex"].as_u64()));
    let at = json!({"index": start.unwrap()});
    let transparent = json!({"borderTop": {"color": {}, "width": points(1.0)}});
    let cases = [
        (
            json!([{"updateParagraphStyle": {"range": {"startIndex": 0, "endIndex": 1, "segmentId": "kix.head"},
                "paragraphStyle": {"pageBreakBefore": true}, "fields": "pageBreakBefore"}}]),
            "The page break before property cannot be updated in a table",
        ),
        (
            json!([{"updateParagraphStyle": {"range": {"startIndex": start.unwrap() - 1, "endIndex": start.unwrap() + 4},
                "paragraphStyle": {"pageBreakBefore": true}, "fields": "*"}}]),
            "The page break before property cannot be updated in a table",
        ),
        (json!([{"createHeader": {}}]), "The header type must be specified."),
        (
            json!([{"createHeader": {"type": "DEFAULT"}}, {"createHeader": {"type": "DEFAULT"}}]),
            "Default header already exists.",
        ),
        (
            json!([{"createFooter": {"type": "DEFAULT"}}, {"createFooter": {"type": "DEFAULT"}}]),
            "Default footer already exists.",
        ),
        (
            json!([{"createFooter": {"type": "DEFAULT", "sectionBreakLocation": {"index": 3}}}]),
            "must refer to a section break.",
        ),
        (json!([{"createFooter": {"type": "FIRST_PAGE"}}]), "Invalid value at 'requests[0].create_footer.type'"),
        (json!([{"deleteHeader": {"headerId": "kix.none"}}]), "Segment with ID kix.none was not found"),
        (json!([{"deleteFooter": {"footerId": "kix.head"}}]), "Segment with ID kix.head was not found"),
        (json!([{"deleteHeader": {"headerId": "kix.head", "tabId": "t.9"}}]), "t.9"),
        (json!([{"pinTableHeaderRows": {"tableStartLocation": at, "pinnedHeaderRowsCount": 3}}]), "must not exceed"),
        (json!([{"pinTableHeaderRows": {"pinnedHeaderRowsCount": 1}}]), "Invalid table start location."),
        (json!([{"updateTableCellStyle": {"tableStartLocation": at, "fields": "rowSpan"}}]), "Invalid field: rowSpan"),
        (json!([{"updateTableCellStyle": {"fields": "borderTop"}}]), "either a table range or a table start location."),
        (
            json!([{"updateTableCellStyle": {"tableStartLocation": at, "fields": "borderTop", "tableCellStyle": transparent}}]),
            "Table cell borders cannot be transparent.",
        ),
        (
            json!([{"updateTableColumnProperties": {"tableStartLocation": at, "fields": "width",
                "tableColumnProperties": {"width": points(4.0)}}}]),
            "at least 5 points.",
        ),
        (
            json!([{"updateTableColumnProperties": {"tableStartLocation": at, "fields": "widthType", "columnIndices": [2]}}]),
            "The column index 2 is outside the bounds of the table.",
        ),
        (
            json!([{"updateTableColumnProperties": {"tableStartLocation": {"index": 1}, "fields": "widthType"}}]),
            "The provided table start location is invalid.",
        ),
        (
            json!([{"updateTableRowStyle": {"tableStartLocation": at, "fields": "minRowHeight", "rowIndices": [7]}}]),
            "The row index 7 is outside the bounds of the table.",
        ),
    ];
    for (requests, expected) in cases {
        let refusal = send(&sample, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}
