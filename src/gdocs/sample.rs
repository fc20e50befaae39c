//! A document with one of everything, for tests.

use serde_json::{Value, json};

use super::{Document, new_document, reindex};

/// The text of the paragraph that holds every kind of character.
pub(crate) const MIXED: &str = " end 🙂 👍🏽 👨‍👩‍👧 ที่นี่ e\u{301}a שלום\n";

/// Returns a document with headings, runs, a link, a list, an image, a footnote, a table in a table, a table of
/// contents, a header and two named ranges. Positions are filled in.
pub(crate) fn document() -> Document {
    let bold = json!({"bold": true});
    let link = json!({"underline": true, "link": {"url": "https://example.com"},
        "foregroundColor": {"color": {"rgbColor": {"red": 0.06666667, "green": 0.33333334, "blue": 0.8}}}});
    let item = json!({"bullet": {"listId": "kix.list", "textStyle": {"underline": false}}});
    let image = json!({"inlineObjectElement": {"inlineObjectId": "kix.image", "textStyle": {}}});
    let note = json!({"footnoteReference": {"footnoteId": "kix.note", "footnoteNumber": "1", "textStyle": {}}});
    let inner = table(&[&[vec![normal(&[run("deep\n", &json!({}))])]]]);
    let cells = table(&[
        &[vec![normal(&[run("a1\n", &json!({}))])], vec![normal(&[run("b1\n", &bold)])]],
        &[
            vec![normal(&[run("\n", &json!({}))]), inner, normal(&[run("\n", &json!({}))])],
            vec![normal(&[run("b2 🙂\n", &json!({}))])],
        ],
    ]);
    let body = json!([
        {"endIndex": 1, "sectionBreak": {"sectionStyle": {}}},
        heading(1, "Title\n"),
        normal(&[run("plain ", &json!({})), run("bold", &bold), run(" ", &json!({})), run("linked words", &link),
            run(MIXED, &json!({}))]),
        with(normal(&[run("one\n", &json!({}))]), &item),
        with(normal(&[run("two\n", &bold)]), &item),
        normal(&[run("see ", &json!({})), image, run(" here", &json!({})), note, run("\n", &json!({}))]),
        cells,
        heading(2, "Part\n"),
        normal(&[run("before contents\n", &json!({}))]),
        {"tableOfContents": {"content": [normal(&[run("Title\n", &json!({}))])]}},
        normal(&[run("all bold\n", &bold)]),
        normal(&[run("\n", &json!({}))]),
    ]);
    let mut value = serde_json::to_value(new_document("doc", "Sample")).unwrap();
    let tab = value.pointer_mut("/tabs/0/documentTab").unwrap();
    tab["body"]["content"] = body;
    tab["lists"] = json!({"kix.list": {"listProperties": {}}});
    tab["inlineObjects"] = json!({"kix.image": {"objectId": "kix.image"}});
    tab["headers"] = json!({"kix.head": {"headerId": "kix.head", "content": [normal(&[run("top\n", &json!({}))])]}});
    tab["footnotes"] =
        json!({"kix.note": {"footnoteId": "kix.note", "content": [normal(&[run(" note\n", &json!({}))])]}});
    tab["namedRanges"] = json!({"a": {"name": "a", "namedRanges": [
        {"namedRangeId": "kix.a", "name": "a", "ranges": [{"startIndex": 3, "endIndex": 20}]}]}});
    let mut document: Document = serde_json::from_value(value).unwrap();
    let tab = document.tabs.first_mut().unwrap().document_tab.as_mut().unwrap();
    for segment in [None, Some("kix.head"), Some("kix.note")] {
        assert_eq!(reindex(tab.segment_mut(segment).unwrap()), 0);
    }
    document
}

fn run(text: &str, style: &Value) -> Value {
    json!({"textRun": {"content": text, "textStyle": style}})
}

fn normal(elements: &[Value]) -> Value {
    json!({"paragraph": {"elements": elements,
        "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}})
}

fn heading(level: u32, text: &str) -> Value {
    let style = json!({"namedStyleType": format!("HEADING_{level}"), "direction": "LEFT_TO_RIGHT",
        "headingId": format!("h.level{level}")});
    json!({"paragraph": {"elements": [run(text, &json!({}))], "paragraphStyle": style}})
}

fn with(mut paragraph: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        paragraph["paragraph"][key] = value.clone();
    }
    paragraph
}

fn table(rows: &[&[Vec<Value>]]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|cells| {
            let cells: Vec<Value> = cells.iter().map(|content| json!({"content": content})).collect();
            json!({"tableCells": cells})
        })
        .collect();
    json!({"table": {"tableRows": rows}})
}
