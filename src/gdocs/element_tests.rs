//! Cases of footnotes, breaks, chips and images.

use serde_json::{Value, json};

use super::sample::document;
use super::{Document, apply, new_document, read_requests, reindex};

/// Applies raw requests and returns the document and the replies.
fn send(document: &Document, requests: &Value) -> Result<(Document, Vec<Value>), String> {
    let requests = read_requests(requests.as_array().unwrap()).map_err(|refusal| refusal.message)?;
    let applied = apply(document, &requests, 1).map_err(|refusal| refusal.message)?;
    let mut again = applied.document.clone();
    assert_eq!(reindex(again.tabs[0].document_tab.as_mut().unwrap().segment_mut(None).unwrap()), 0);
    Ok((applied.document, applied.replies))
}

/// Returns a new document with this text.
fn of(text: &str) -> Document {
    send(&new_document("doc", "t"), &json!([{"insertText": {"location": {"index": 1}, "text": text}}])).unwrap().0
}

fn tab(document: &Document) -> Value {
    serde_json::to_value(document.tabs[0].document_tab.as_ref().unwrap()).unwrap()
}

/// Writes the body: an object is its key and, for a footnote, its number; `---` is a section break.
fn shown(document: &Document) -> Vec<String> {
    let content = tab(document)["body"]["content"].take();
    let element = |element: &Value| {
        let Some(paragraph) = element.get("paragraph") else { return "---".to_owned() };
        let runs = paragraph["elements"].as_array().unwrap().iter().map(|run| {
            if let Some(text) = run.pointer("/textRun/content") {
                return text.as_str().unwrap().replace('\n', "¶");
            }
            let fields = run.as_object().unwrap();
            let key = fields.keys().find(|key| !key.ends_with("Index")).unwrap();
            let number = run.pointer("/footnoteReference/footnoteNumber").and_then(Value::as_str).unwrap_or("");
            let style = fields[key]["textStyle"].as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(",");
            format!("[{key}{number}{style}]")
        });
        runs.collect::<String>()
    };
    content.as_array().unwrap().iter().skip(1).map(element).collect()
}

/// A request about a place.
fn at(kind: &str, index: u32, more: &Value) -> Value {
    let mut body = more.clone();
    body["location"] = json!({"index": index});
    json!({kind: body})
}

fn person(index: u32) -> Value {
    at("insertPerson", index, &json!({"personProperties": {"email": "ann@example.com"}}))
}

#[track_caller]
fn check(text: &str, requests: &[Value], expected: &[&str]) {
    assert_eq!(shown(&send(&of(text), &json!(requests)).unwrap().0), expected);
}

#[test]
fn footnotes_are_numbered_in_order() {
    let note = |index| at("createFootnote", index, &json!({}));
    check("abcd", &[note(3)], &["ab[footnoteReference1]cd¶"]);
    check("abcd", &[note(4), note(2)], &["a[footnoteReference1]bc[footnoteReference2]d¶"]);
    let end = json!({"createFootnote": {"endOfSegmentLocation": {}}});
    check("ab", &[end], &["ab[footnoteReference1]¶"]);
    let (document, replies) = send(&of("abcd"), &json!([note(4), note(2)])).unwrap();
    let ids = [0, 1].map(|reply| replies[reply]["createFootnote"]["footnoteId"].as_str().unwrap().to_owned());
    let footnotes = tab(&document)["footnotes"].take();
    for id in &ids {
        let note = &footnotes[id.as_str()];
        assert_eq!(note["content"][0]["paragraph"]["elements"][0]["textRun"]["content"], " \n");
        assert_eq!(note["content"][0]["endIndex"], 2);
        // The new footnote can be written into in the same batch.
    }
    let filled = json!([{"insertText": {"endOfSegmentLocation": {"segmentId": ids[0]}, "text": "x"}}]);
    let filled = tab(&send(&document, &filled).unwrap().0);
    let text = &filled["footnotes"][ids[0].as_str()]["content"][0]["paragraph"]["elements"][0]["textRun"];
    assert_eq!((&text["content"], &text["textStyle"]["fontSize"]["magnitude"]), (&json!(" x\n"), &json!(10)));
    let gone = json!([{"deleteContentRange": {"range": {"startIndex": 2, "endIndex": 3}}}]);
    let (document, _) = send(&document, &gone).unwrap();
    assert_eq!(shown(&document), ["abc[footnoteReference1]d¶"]);
    assert_eq!(tab(&document)["footnotes"].as_object().unwrap().len(), 1);
}

#[test]
fn breaks_take_a_newline_along() {
    let page = |index| at("insertPageBreak", index, &json!({}));
    check("abcd", &[page(3)], &["ab[pageBreak]¶", "cd¶"]);
    check("abcd", &[page(1)], &["[pageBreak]¶", "abcd¶"]);
    check("ab", &[json!({"insertPageBreak": {"endOfSegmentLocation": {}}})], &["ab[pageBreak]¶", "¶"]);
    let section = |index| at("insertSectionBreak", index, &json!({"sectionType": "NEXT_PAGE"}));
    check("abcd", &[section(3)], &["ab¶", "---", "cd¶"]);
    check("abcd", &[section(3), section(1)], &["¶", "---", "ab¶", "---", "cd¶"]);
    let (document, _) = send(&of("abcd"), &json!([section(3)])).unwrap();
    let own = tab(&document)["body"]["content"][2].take();
    assert_eq!((&own["startIndex"], &own["endIndex"]), (&json!(4), &json!(5)));
    let style =
        json!({"columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT", "sectionType": "NEXT_PAGE"});
    assert_eq!(own["sectionBreak"]["sectionStyle"], style);
    let delete = |from: u32, to: u32| json!([{"deleteContentRange": {"range": {"startIndex": from, "endIndex": to}}}]);
    assert_eq!(shown(&send(&document, &delete(3, 5)).unwrap().0), ["abcd¶"]);
    assert_eq!(shown(&send(&document, &delete(4, 5)).unwrap().0), ["ab¶", "cd¶"]);
    assert!(send(&document, &delete(3, 4)).unwrap_err().contains("Invalid deletion range."));
}

#[test]
fn chips_are_read_back_as_google_writes_them() {
    check("abcd", &[person(3)], &["ab[person]cd¶"]);
    let bold = json!({"updateTextStyle": {"range": {"startIndex": 1, "endIndex": 3}, "textStyle": {"bold": true}, "fields": "bold"}});
    check("abcd", &[bold, person(3)], &["ab[personbold]cd¶"]);
    let chip = |request: Value, key: &str| {
        let (document, replies) = send(&of("ab"), &json!([request])).unwrap();
        assert_eq!(replies, [json!({})]);
        tab(&document)["body"]["content"][1]["paragraph"]["elements"][1][key].take()
    };
    let person = chip(person(2), "person");
    assert!(person["personId"].as_str().unwrap().starts_with("kix."));
    assert_eq!(person["personProperties"], json!({"email": "ann@example.com"}));
    let date = |properties: Value| {
        chip(at("insertDate", 2, &json!({"dateElementProperties": properties})), "dateElement")["dateElementProperties"]
            .take()
    };
    assert_eq!(
        date(json!({"timestamp": "2026-11-21T10:00:00+01:00"})),
        json!({"timestamp": "2026-11-21T09:00:00Z", "locale": "en", "timeZoneId": "etc/UTC",
            "dateFormat": "DATE_FORMAT_MONTH_DAY_YEAR_ABBREVIATED", "timeFormat": "TIME_FORMAT_DISABLED",
            "displayText": "Nov 21, 2026"})
    );
    let iso = json!({"timestamp": "2026-11-21T09:00:00Z", "dateFormat": "DATE_FORMAT_ISO8601",
        "timeFormat": "TIME_FORMAT_HOUR_MINUTE", "locale": "de", "timeZoneId": "Europe/Berlin"});
    assert_eq!(date(iso)["locale"], "de");
    let uri = "https://docs.google.com/document/d/abc/edit";
    let link = chip(at("insertRichLink", 2, &json!({"richLinkProperties": {"uri": uri}})), "richLink");
    assert_eq!(
        link["richLinkProperties"],
        json!({"title": uri, "uri": uri, "mimeType": "application/vnd.google-apps.document"})
    );
}

#[test]
fn images_have_objects() {
    let image = |more: &Value| {
        let mut body = json!({"uri": "https://example.com/a.png"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        at("insertInlineImage", 2, &body)
    };
    let size = |more: &Value| {
        let (document, replies) = send(&of("ab"), &json!([image(more)])).unwrap();
        let id = replies[0]["insertInlineImage"]["objectId"].as_str().unwrap().to_owned();
        assert_eq!(shown(&document), ["a[inlineObjectElement]b¶"]);
        let object = tab(&document)["inlineObjects"][&id].take();
        assert_eq!(object["objectId"], json!(id));
        let embedded = &object["inlineObjectProperties"]["embeddedObject"];
        assert_eq!(
            embedded["imageProperties"],
            json!({"sourceUri": "https://example.com/a.png", "cropProperties": {}})
        );
        ["height", "width"].map(|side| embedded["size"][side]["magnitude"].as_f64().unwrap())
    };
    let points = |number: u32| json!({"magnitude": number, "unit": "PT"});
    assert_eq!(size(&json!({})), [100.0, 100.0]);
    assert_eq!(size(&json!({"objectSize": {"width": points(30)}})), [30.0, 30.0]);
    assert_eq!(size(&json!({"objectSize": {"width": points(30), "height": points(20)}})), [20.0, 30.0]);
    let (document, replies) = send(&of("ab"), &json!([image(&json!({}))])).unwrap();
    let id = replies[0]["insertInlineImage"]["objectId"].as_str().unwrap();
    let replace = json!([{"replaceImage": {"imageObjectId": id, "uri": "https://example.com/b.png"}}]);
    let (document, _) = send(&document, &replace).unwrap();
    let source = format!("/inlineObjects/{id}/inlineObjectProperties/embeddedObject/imageProperties/sourceUri");
    assert_eq!(tab(&document).pointer(&source).unwrap(), "https://example.com/b.png");
    let gone = json!([{"deleteContentRange": {"range": {"startIndex": 2, "endIndex": 3}}}]);
    assert_eq!(tab(&send(&document, &gone).unwrap().0).get("inlineObjects"), None);
}

#[test]
fn a_positioned_object_goes_from_its_paragraph() {
    let mut value = serde_json::to_value(of("ab")).unwrap();
    let tab_value = value.pointer_mut("/tabs/0/documentTab").unwrap();
    tab_value["positionedObjects"] = json!({"kix.pos": {"objectId": "kix.pos"}, "kix.two": {"objectId": "kix.two"}});
    tab_value["body"]["content"][1]["paragraph"]["positionedObjectIds"] = json!(["kix.pos"]);
    let document: Document = serde_json::from_value(value).unwrap();
    let delete = |id: &str| json!([{"deletePositionedObject": {"objectId": id}}]);
    let after = tab(&send(&document, &delete("kix.pos")).unwrap().0);
    assert_eq!(after["positionedObjects"], json!({"kix.two": {"objectId": "kix.two"}}));
    assert_eq!(after["body"]["content"][1]["paragraph"].get("positionedObjectIds"), None);
    assert!(send(&document, &delete("kix.none")).unwrap_err().contains("The object with ID kix.none was not found."));
}

#[test]
fn refusals_of_elements() {
    let sample = document();
    let in_cell = tab(&sample)["body"]["content"].as_array().unwrap().iter().find_map(|element| {
        element.get("table").and(element["startIndex"].as_u64()).and_then(|start| u32::try_from(start + 3).ok())
    });
    let in_cell = in_cell.unwrap();
    let segment = |kind: &str, id: &str, more: &Value| {
        let mut body = more.clone();
        body["endOfSegmentLocation"] = json!({"segmentId": id});
        json!([{kind: body}])
    };
    let image = json!({"uri": "https://example.com/a.png"});
    let date = |properties: Value| json!([at("insertDate", 3, &json!({"dateElementProperties": properties}))]);
    let link = |properties: Value| json!([at("insertRichLink", 3, &json!({"richLinkProperties": properties}))]);
    let outside = "The insertion index must be inside the bounds of an existing paragraph.";
    let cases = [
        (segment("createFootnote", "kix.note", &json!({})), "Footnotes cannot be inserted inside"),
        (segment("createFootnote", "kix.head", &json!({})), "Footnotes cannot be inserted inside"),
        (segment("insertPageBreak", "kix.head", &json!({})), "Page breaks cannot be inserted inside a header"),
        (json!([at("insertPageBreak", in_cell, &json!({}))]), "Page breaks cannot be inserted inside a table."),
        (
            json!([at("insertSectionBreak", in_cell, &json!({"sectionType": "CONTINUOUS"}))]),
            "Section breaks cannot be inserted inside a table.",
        ),
        (
            segment("insertSectionBreak", "kix.head", &json!({"sectionType": "CONTINUOUS"})),
            "Section breaks cannot be inserted inside a header",
        ),
        (json!([at("insertSectionBreak", 3, &json!({}))]), "The section type must be specified."),
        (segment("insertInlineImage", "kix.note", &image), "Inline images cannot be inserted inside a footnote."),
        (json!([at("insertInlineImage", 3, &json!({"uri": "file:///etc/passwd"}))]), "There was a problem retrieving"),
        (json!([at("insertInlineImage", 3, &json!({}))]), "There was a problem retrieving"),
        (
            json!([at("insertInlineImage", 3, &json!({"uri": format!("https://example.com/{}", "a".repeat(2048))}))]),
            "must be at most 2 kB in length.",
        ),
        (
            json!([at(
                "insertInlineImage",
                3,
                &json!({"uri": "https://a.b/c", "objectSize": {"width": {"magnitude": -1, "unit": "PT"}}})
            )]),
            "The size of the image must be positive",
        ),
        (json!([{"replaceImage": {"imageObjectId": "kix.no", "uri": "https://a.b/c"}}]), "kix.no was not found."),
        (json!([{"replaceImage": {"imageObjectId": "kix.image", "uri": "https://a.b/c"}}]), "is not an image."),
        (json!([at("createFootnote", 0, &json!({}))]), outside),
        (json!([at("insertPageBreak", 0, &json!({}))]), outside),
        (json!([person(in_cell - 3)]), outside),
        (json!([person(9000)]), "Index 9000 must be less than the end index of the referenced segment"),
        (
            json!([{"insertPerson": {"personProperties": {"email": "a@b.c"}}}]),
            "The request must specify exactly one location.",
        ),
        (
            json!([at("insertPerson", 3, &json!({"personProperties": {"email": "a@b.c", "name": "A"}}))]),
            "Insert person requests should not specify a name.",
        ),
        (json!([at("insertPerson", 3, &json!({}))]), "must specify a valid email address."),
        (date(json!({})), "must specify a valid timestamp."),
        (date(json!({"timestamp": "tomorrow"})), "must specify a valid timestamp."),
        (date(json!({"timestamp": "2026-11-21T09:00:00Z", "locale": "tlh"})), "The locale tlh is not supported."),
        (date(json!({"timestamp": "2026-11-21T09:00:00Z", "displayText": "now"})), "display_text is output only"),
        (
            date(json!({"timestamp": "2026-11-21T09:00:00Z", "dateFormat": "DAY"})),
            "Invalid value at 'requests[0].insert_date.date_element_properties.date_format'",
        ),
        (link(json!({"uri": "https://example.com/a"})), "The URL is invalid."),
        (link(json!({"uri": "https://docs.google.com.evil.example/a"})), "The URL is invalid."),
        (link(json!({})), "The URL is invalid."),
        (link(json!({"uri": "https://docs.google.com/document/d/x", "title": "T"})), "title is output only"),
    ];
    for (requests, expected) in cases {
        let refusal = send(&sample, &requests).unwrap_err();
        assert!(refusal.contains(expected), "{refusal:?} is not {expected:?}");
    }
}
