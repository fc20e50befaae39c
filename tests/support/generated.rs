//! A long document as `documents.get` answers it: headings, paragraphs of mixed runs, lists and tables.

use mcp_workspace::gdocs::{Document, reindex};
use serde_json::{Value, json};

const WORDS: [&str; 40] = [
    "the",
    "quarter",
    "revenue",
    "of",
    "a",
    "market",
    "grew",
    "and",
    "customers",
    "in",
    "report",
    "is",
    "team",
    "plan",
    "to",
    "budget",
    "for",
    "naïve",
    "über",
    "日本",
    "review",
    "with",
    "on",
    "launch",
    "owner",
    "risk",
    "by",
    "open",
    "question",
    "we",
    "decided",
    "that",
    "support",
    "costs",
    "fell",
    "while",
    "🙂",
    "growth",
    "remained",
    "steady",
];

/// What a long document is made of besides paragraphs, lists and tables.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// Whether each page begins with a heading.
    pub(crate) headings: bool,
    /// Whether each page has a footnote and a link to a heading.
    pub(crate) notes: bool,
}

/// Returns the raw JSON of a document of about `pages` pages of some 450 words each.
pub(crate) fn document(pages: usize) -> Vec<u8> {
    document_of(pages, Form { headings: true, notes: false })
}

/// Returns the same in another form.
pub(crate) fn document_of(pages: usize, form: Form) -> Vec<u8> {
    let mut dice = Dice(7);
    let mut footnotes = serde_json::Map::new();
    let mut body = vec![json!({"sectionBreak": {"sectionStyle": {
        "columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT", "sectionType": "CONTINUOUS"}}})];
    for page in 0..pages {
        let level = if page % 5 == 0 { 1 } else { 2 };
        let style = json!({"namedStyleType": format!("HEADING_{level}"), "headingId": format!("h.p{page}"), "direction": "LEFT_TO_RIGHT"});
        if form.headings {
            body.push(paragraph(&[(format!("Page {page} of the report\n"), json!({}))], style));
        }
        for at in 0..5 {
            let mut text = paragraph(&mixed(&mut dice), normal());
            if form.notes && at == 2 {
                let id = format!("kix.note{page}");
                let link = json!({"textRun": {"content": "see there", "textStyle": {
                    "underline": true, "link": {"heading": {"id": format!("h.p{}", page * 7 % pages), "tabId": "t.0"}}}}});
                let reference = json!({"footnoteReference": {
                    "footnoteId": id, "footnoteNumber": (page + 1).to_string(), "textStyle": {}}});
                let elements = text["paragraph"]["elements"].as_array_mut().unwrap();
                elements.splice(2..2, [reference, link]);
                footnotes.insert(id.clone(), note(&id, &mut dice));
            }
            body.push(text);
        }
        for _ in 0..4 {
            let mut item = paragraph(&[(format!("{}\n", words(&mut dice, 9)), json!({}))], list_style());
            item["paragraph"]["bullet"] = json!({"listId": "kix.list", "textStyle": {"underline": false}});
            body.push(item);
        }
        if page % 3 == 0 {
            body.push(table(&mut dice));
            body.push(paragraph(&[(format!("{}\n", words(&mut dice, 20)), json!({}))], normal()));
        }
    }
    body.push(paragraph(&[("\n".to_owned(), json!({}))], normal()));
    let level = |n: usize| {
        json!({"bulletAlignment": "START", "glyphSymbol": "●", "glyphFormat": format!("%{n}"),
        "indentFirstLine": {"magnitude": 18 + 36 * n, "unit": "PT"}, "indentStart": {"magnitude": 36 + 36 * n, "unit": "PT"},
        "textStyle": {"underline": false}, "startNumber": 1})
    };
    let list = json!({"listProperties": {"nestingLevels": (0..9).map(level).collect::<Vec<_>>()}});
    let raw = json!({
        "title": "A long report", "documentId": "1longreport0000000000000000000000000000000000", "revisionId": "r1",
        "suggestionsViewMode": "SUGGESTIONS_INLINE",
        "tabs": [{"tabProperties": {"tabId": "t.0", "title": "Tab 1", "index": 0}, "documentTab": {
            "body": {"content": body}, "footnotes": footnotes, "lists": {"kix.list": list}}}],
    });
    let mut document: Document = serde_json::from_value(raw).unwrap();
    for tab in &mut document.tabs {
        let tab = tab.document_tab.as_mut().unwrap();
        reindex(&mut tab.body.as_mut().unwrap().content);
        for note in tab.footnotes.values_mut() {
            reindex(&mut note.content);
        }
    }
    serde_json::to_vec_pretty(&document).unwrap()
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn words(dice: &mut Dice, count: usize) -> String {
    (0..count).map(|_| WORDS[dice.roll(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

/// Runs of a paragraph of some seventy words, some of them bold, linked or coloured.
fn mixed(dice: &mut Dice) -> Vec<(String, Value)> {
    let mut runs = Vec::new();
    for at in 0..3 {
        let style = match dice.roll(6) {
            0 => json!({"bold": true}),
            1 => json!({"italic": true}),
            2 => json!({"foregroundColor": {"color": {"rgbColor": {"red": 0.6}}}}),
            _ => json!({}),
        };
        runs.push((format!("{} ", words(dice, 20)), json!({})));
        let end = if at == 2 { "." } else { " " };
        runs.push((words(dice, 3), style));
        runs.push((end.to_owned(), json!({})));
    }
    runs.push(("\n".to_owned(), json!({})));
    runs
}

fn normal() -> Value {
    json!({"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"})
}

fn list_style() -> Value {
    json!({"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT",
        "indentFirstLine": {"magnitude": 18, "unit": "PT"}, "indentStart": {"magnitude": 36, "unit": "PT"}})
}

fn paragraph(runs: &[(String, Value)], style: Value) -> Value {
    let elements: Vec<Value> =
        runs.iter().map(|(text, style)| json!({"textRun": {"content": text, "textStyle": style}})).collect();
    json!({"paragraph": {"elements": elements, "paragraphStyle": style}})
}

/// The text of a footnote.
fn note(id: &str, dice: &mut Dice) -> Value {
    let text = paragraph(&[(format!("{}\n", words(dice, 12)), json!({}))], normal());
    json!({"footnoteId": id, "content": [text]})
}

fn table(dice: &mut Dice) -> Value {
    let rows: Vec<Value> = (0..3)
        .map(|_| {
            let cells: Vec<Value> = (0..3)
                .map(|_| json!({"content": [paragraph(&[(format!("{}\n", words(dice, 3)), json!({}))], normal())]}))
                .collect();
            json!({"tableCells": cells})
        })
        .collect();
    json!({"table": {"rows": 3, "columns": 3, "tableRows": rows}})
}
