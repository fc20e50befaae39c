//! Random documents as `documents.get` answers them, with an element of every kind.

use mcp_workspace::gdocs::{Document, new_document, reindex};
use serde_json::{Value, json};

use super::dice::Dice;

const WORDS: [&str; 34] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "naïve",
    "🙂",
    "👍🏽",
    "👨‍👩‍👧",
    "日本語",
    "ไทยกำลัง",
    "שלום",
    "e\u{301}tude",
    "under_score",
    "*star*",
    "# no",
    "1. no",
    "- no",
    "{!mono}",
    "{^ x}",
    "[x](y)",
    "`tick`",
    "<b>",
    "a|b",
    "&amp;",
    "~~x~~",
    "\\",
    "https://example.com/a_b",
];

/// What each tab has of its own.
const SEVERAL: [&str; 8] =
    ["inlineObjects", "positionedObjects", "footnotes", "headers", "footers", "lists", "namedRanges", "commentAnchors"];

/// A document and what it holds.
struct Maker<'a, 'b> {
    dice: &'a mut Dice<'b>,
    next: usize,
    inline: serde_json::Map<String, Value>,
    positioned: serde_json::Map<String, Value>,
    footnotes: serde_json::Map<String, Value>,
    notes: usize,
}

/// Makes the raw JSON of a document of a few paragraphs; positions are filled in.
pub(crate) fn document(dice: &mut Dice<'_>, cites: bool) -> Value {
    let mut value = serde_json::to_value(new_document("1random00000000000000000000", "Random")).unwrap();
    value["revisionId"] = json!("r1");
    let first = tab(dice, 0, cites);
    merge(&mut value["tabs"][0]["documentTab"], first);
    if dice.once_in(8) {
        let mut second = value["tabs"][0].clone();
        second["tabProperties"] = json!({"tabId": "t.second", "title": "Second", "index": 1});
        for key in SEVERAL {
            second["documentTab"].as_object_mut().unwrap().remove(key);
        }
        let content = tab(dice, 100, false);
        merge(&mut second["documentTab"], content);
        value["tabs"].as_array_mut().unwrap().push(second);
    }
    if dice.once_in(10) {
        let mut child = value["tabs"][0].clone();
        child["tabProperties"] =
            json!({"tabId": "t.child", "title": "Child", "index": 0, "parentTabId": "t.0", "nestingLevel": 1});
        for key in SEVERAL {
            child["documentTab"].as_object_mut().unwrap().remove(key);
        }
        let content = tab(dice, 200, false);
        merge(&mut child["documentTab"], content);
        value["tabs"][0]["childTabs"] = json!([child]);
    }
    let mut document: Document = serde_json::from_value(value).unwrap();
    let ids: Vec<String> = document.all_tabs().iter().map(|tab| tab.id().to_owned()).collect();
    for id in &ids {
        let tab = document.tab_mut(Some(id)).unwrap().document_tab.as_mut().unwrap();
        let segments: Vec<String> =
            tab.footnotes.keys().chain(tab.headers.keys()).chain(tab.footers.keys()).cloned().collect();
        reindex(tab.segment_mut(None).unwrap());
        for segment in segments {
            reindex(tab.segment_mut(Some(&segment)).unwrap());
        }
    }
    let mut value = serde_json::to_value(&document).unwrap();
    for (number, id) in ids.iter().enumerate() {
        let mut path = "/tabs/0".to_owned();
        match id.as_str() {
            "t.second" => path = "/tabs/1".to_owned(),
            "t.child" => path.push_str("/childTabs/0"),
            _ => {}
        }
        let tab = value.pointer_mut(&format!("{path}/documentTab")).unwrap();
        let threads = tie(tab, (number > 0).then_some(id), dice);
        if !threads.is_empty() {
            let mut all = value["comments"].as_array().cloned().unwrap_or_default();
            all.extend(threads);
            value["comments"] = Value::Array(all);
        }
    }
    value
}

/// Ties named ranges and comments to stretches of a tab: overlapping, adjacent, over several paragraphs, in cells, in
/// headers and footnotes. Returns the threads of the comments.
fn tie(tab: &mut Value, id: Option<&String>, dice: &mut Dice<'_>) -> Vec<Value> {
    let mut segments = vec![(None, end_of(&tab["body"]))];
    for kind in ["footnotes", "headers", "footers"] {
        for (segment, value) in tab[kind].as_object().into_iter().flatten() {
            segments.push((Some(segment.clone()), end_of(value)));
        }
    }
    let mut threads = Vec::new();
    let mut last = 1;
    for number in 0..dice.roll(6) {
        let (segment, end) =
            if dice.once_in(4) { segments[dice.roll(segments.len())].clone() } else { segments[0].clone() };
        let first = usize::from(segment.is_none());
        let start = if dice.once_in(4) { last.clamp(first, end - 1) } else { first + dice.roll(end - first) };
        let most = if dice.once_in(4) { 120 } else { 14 };
        let stop = (start + 1 + dice.roll(most)).min(end);
        last = stop;
        let mut range = json!({"startIndex": start, "endIndex": stop});
        if start == 0 {
            range.as_object_mut().unwrap().remove("startIndex");
        }
        if let Some(segment) = &segment {
            range["segmentId"] = json!(segment);
        }
        if let Some(id) = id {
            range["tabId"] = json!(id);
        }
        let suffix = format!("{number}{}", id.map_or("", String::as_str));
        if dice.once_in(2) {
            let name = dice.pick(&["one", "two", super::identities::ANCHOR]);
            let named = json!({"namedRangeId": format!("kix.range{suffix}"), "name": name, "ranges": [range]});
            if tab["namedRanges"][name].is_null() {
                tab["namedRanges"][name] = json!({"name": name, "namedRanges": []});
            }
            tab["namedRanges"][name]["namedRanges"].as_array_mut().unwrap().push(named);
        } else {
            let anchor = format!("kix.anchor{suffix}");
            tab["commentAnchors"][&anchor] = json!({"anchorId": anchor, "ranges": [range]});
            threads.push(json!({"commentId": format!("AAA{suffix}"), "anchorId": anchor, "status": "OPEN",
                "headPost": {"postId": format!("AAA{suffix}"), "content": "Why?"}}));
        }
    }
    threads
}

fn end_of(segment: &Value) -> usize {
    let last = segment["content"].as_array().unwrap().last().unwrap();
    last["endIndex"].as_u64().unwrap() as usize
}

fn merge(tab: &mut Value, content: Value) {
    for (key, value) in content.as_object().unwrap() {
        tab[key] = value.clone();
    }
}

fn tab(dice: &mut Dice<'_>, next: usize, cites: bool) -> Value {
    let mut maker = Maker {
        dice,
        next,
        inline: serde_json::Map::new(),
        positioned: serde_json::Map::new(),
        footnotes: serde_json::Map::new(),
        notes: 0,
    };
    let mut body = vec![json!({"endIndex": 1, "sectionBreak": {"sectionStyle": {
        "columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT", "sectionType": "CONTINUOUS"}}})];
    // Most of what goes wrong does so between a few blocks, and of small documents more can be tried.
    let most = if maker.dice.once_in(8) { 9 } else { 3 };
    let blocks = 1 + maker.dice.roll(most);
    for _ in 0..blocks {
        maker.block(&mut body);
    }
    if cites {
        maker.citations(&mut body);
    }
    let last = if maker.dice.once_in(4) { maker.heading() } else { maker.paragraph() };
    body.push(last);
    let mut lists = lists();
    if !maker.dice.once_in(4) {
        let text = Value::Array(body.clone()).to_string();
        lists.as_object_mut().unwrap().retain(|id, _| text.contains(&**id));
    }
    let mut tab = json!({"body": {"content": body}, "lists": lists});
    for (key, map) in
        [("inlineObjects", maker.inline), ("positionedObjects", maker.positioned), ("footnotes", maker.footnotes)]
    {
        if !map.is_empty() {
            tab[key] = Value::Object(map);
        }
    }
    if maker.dice.once_in(6) {
        let head = json!({"headerId": "kix.head", "content": [paragraph(vec![run("top 🙂\n", json!({}))], json!({}))]});
        tab["headers"] = json!({"kix.head": head});
    }
    if maker.dice.once_in(6) {
        let foot = json!({"footerId": "kix.foot", "content": [
            paragraph(vec![run("page ", json!({})), object("autoText", json!({"type": "PAGE_NUMBER"})), run("\n", json!({}))], json!({})),
            paragraph(vec![run("bottom\n", json!({"bold": true}))], json!({})),
        ]});
        tab["footers"] = json!({"kix.foot": foot});
    }
    tab
}

/// Lists of bullets, numbers and boxes.
pub(crate) fn lists() -> Value {
    let list = |glyph: &dyn Fn(usize) -> Value| {
        let levels: Vec<Value> = (0..9)
            .map(|n| {
                let mut level = glyph(n);
                level["bulletAlignment"] = json!("START");
                level["indentFirstLine"] = json!({"magnitude": 18 + 36 * n, "unit": "PT"});
                level["indentStart"] = json!({"magnitude": 36 + 36 * n, "unit": "PT"});
                level["textStyle"] = json!({"underline": false});
                level["startNumber"] = json!(1);
                level
            })
            .collect();
        json!({"listProperties": {"nestingLevels": levels}})
    };
    json!({
        "kix.bullets": list(&|n| json!({"glyphSymbol": (["●", "○", "■"][n % 3]), "glyphFormat": format!("%{n}")})),
        "kix.numbers": list(&|n| json!({"glyphType": (["DECIMAL", "ALPHA", "ROMAN"][n % 3]), "glyphFormat": format!("%{n}.")})),
        "kix.checks": list(&|n| json!({"glyphType": "GLYPH_TYPE_UNSPECIFIED", "glyphFormat": format!("%{n}")})),
    })
}

impl Maker<'_, '_> {
    fn block(&mut self, body: &mut Vec<Value>) {
        match self.dice.roll(20) {
            0..=6 => body.push(self.paragraph()),
            7..=9 => body.push(self.heading()),
            10..=13 => self.list(body),
            14 | 15 => {
                if body.last().is_some_and(|last| last.get("paragraph").is_none()) {
                    body.push(self.paragraph());
                }
                let table = self.table(0);
                body.push(table);
                body.push(self.paragraph());
            }
            16 => body.push(paragraph(vec![run("\n", json!({}))], json!({}))),
            17 => body.push(paragraph(vec![object("horizontalRule", json!({})), run("\n", json!({}))], json!({}))),
            18 => {
                let style = self.dice.pick(&["TITLE", "SUBTITLE"]);
                let text = format!("{}\n", self.words());
                body.push(paragraph(vec![run(&text, json!({}))], json!({"namedStyleType": style})));
            }
            _ => self.rare(body),
        }
    }

    fn rare(&mut self, body: &mut Vec<Value>) {
        match self.dice.roll(3) {
            0 => {
                body.push(self.paragraph());
                body.push(json!({"sectionBreak": {"sectionStyle": {"sectionType": "NEXT_PAGE"}}}));
                body.push(self.paragraph());
            }
            1 => {
                let entry = paragraph(vec![run("Contents\n", json!({}))], json!({}));
                body.push(json!({"tableOfContents": {"content": [entry]}}));
                body.push(self.paragraph());
            }
            _ => {
                let id = self.id("kix.pos");
                let mut tethered = self.paragraph();
                tethered["paragraph"]["positionedObjectIds"] = json!([id]);
                self.positioned.insert(
                    id.clone(),
                    json!({"objectId": id, "positionedObjectProperties": {
                    "embeddedObject": {"imageProperties": {}, "title": "floating"}}}),
                );
                body.push(tethered);
            }
        }
    }

    fn id(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn words(&mut self) -> String {
        let count = 1 + self.dice.roll(5);
        (0..count).map(|_| self.dice.pick(&WORDS)).collect::<Vec<_>>().join(" ")
    }

    fn text_style(&mut self) -> Value {
        match self.dice.roll(18) {
            16 => {
                let to = self.dice.pick(&[
                    r#"{"heading": {"id": "h.h1", "tabId": "t.0"}}"#,
                    r#"{"bookmark": {"id": "id.mark", "tabId": "t.0"}}"#,
                    r#"{"tabId": "t.0"}"#,
                ]);
                json!({"underline": true, "foregroundColor": {"color": {"rgbColor": {
                    "red": 0.06666667, "green": 0.33333334, "blue": 0.8}}}, "link": serde_json::from_str::<Value>(to).unwrap()})
            }
            0 => json!({"bold": true}),
            1 => json!({"italic": true}),
            2 => json!({"strikethrough": true}),
            3 => json!({"bold": true, "italic": true}),
            4 => json!({"foregroundColor": {"color": {"rgbColor": {"red": 1}}}}),
            5 => json!({"weightedFontFamily": {"fontFamily": "Roboto Mono", "weight": 400}}),
            6 => json!({"fontSize": {"magnitude": 14, "unit": "PT"}}),
            7 => json!({"underline": true, "foregroundColor": {"color": {"rgbColor": {
                "red": 0.06666667, "green": 0.33333334, "blue": 0.8}}}, "link": {"url": "https://example.com"}}),
            _ => json!({}),
        }
    }

    fn runs(&mut self) -> Vec<Value> {
        let mut runs = Vec::new();
        for _ in 0..1 + self.dice.roll(3) {
            let text = self.words();
            let style = self.text_style();
            runs.push(run(&text, style));
            runs.push(run(" ", json!({})));
        }
        if self.dice.once_in(6) {
            let inline = self.inline();
            let at = self.dice.roll(runs.len());
            runs.insert(at, inline);
        }
        if self.dice.once_in(20) && runs[0].get("textRun").is_some() {
            let kind = self.dice.pick(&["suggestedInsertionIds", "suggestedDeletionIds"]);
            runs[0]["textRun"][kind] = json!(["suggest.abc"]);
        }
        if self.dice.once_in(12) {
            runs.push(run("line\u{b}break", json!({})));
        }
        runs
    }

    fn inline(&mut self) -> Value {
        match self.dice.roll(9) {
            0 | 1 => {
                let id = self.id("kix.img");
                let properties = json!({"embeddedObject": {"imageProperties": {}, "title": "a \"picture\""}});
                self.inline.insert(id.clone(), json!({"objectId": id, "inlineObjectProperties": properties}));
                object("inlineObjectElement", json!({"inlineObjectId": id}))
            }
            2 => object(
                "person",
                json!({"personId": "kix.p", "personProperties": {"name": "Ana Lee", "email": "ana@x.com"}}),
            ),
            3 => object(
                "dateElement",
                json!({"dateId": "kix.d", "dateElementProperties": {
                "timestamp": "2026-11-21T12:00:00Z", "displayText": "Nov 21, 2026"}}),
            ),
            4 => object(
                "richLink",
                json!({"richLinkId": "kix.r", "richLinkProperties": {
                "title": "Sheet", "uri": "https://docs.google.com/spreadsheets/d/x"}}),
            ),
            5 => object("equation", json!({})),
            6 => object("autoText", json!({"type": "PAGE_NUMBER"})),
            7 => run("\u{e907}", json!({})),
            _ => self.note(),
        }
    }

    fn note(&mut self) -> Value {
        self.notes += 1;
        let id = self.id("kix.fn");
        let content = vec![paragraph(vec![run(&format!(" {}\n", self.words()), json!({}))], json!({}))];
        self.footnotes.insert(id.clone(), json!({"footnoteId": id, "content": content}));
        object("footnoteReference", json!({"footnoteId": id, "footnoteNumber": self.notes.to_string()}))
    }

    /// Sections or paragraphs that say where something is from, and nothing else.
    fn citations(&mut self, body: &mut Vec<Value>) {
        for _ in 0..2 + self.dice.roll(2) {
            if self.dice.once_in(2) {
                body.push(self.heading());
            }
            let note = self.note();
            body.push(paragraph(vec![run("Source", json!({})), note, run("\n", json!({}))], json!({})));
        }
    }

    fn paragraph(&mut self) -> Value {
        let mut runs = self.runs();
        runs.push(run("\n", json!({})));
        let mut style = match self.dice.roll(10) {
            0 => json!({"alignment": "CENTER"}),
            1 => json!({"spaceAbove": {"magnitude": 12, "unit": "PT"}}),
            _ => json!({}),
        };
        settle(&mut style, &runs);
        paragraph(consolidated(runs), style)
    }

    fn heading(&mut self) -> Value {
        let mut runs = self.runs();
        runs.push(run("\n", json!({})));
        let level = 1 + self.dice.roll(6);
        let mut style = json!({"namedStyleType": format!("HEADING_{level}")});
        if !self.dice.once_in(8) {
            style["headingId"] = json!(self.id("h.h"));
        }
        settle(&mut style, &runs);
        paragraph(consolidated(runs), style)
    }

    fn list(&mut self, body: &mut Vec<Value>) {
        let list = self.dice.pick(&["kix.bullets", "kix.numbers", "kix.checks"]);
        let mut depth = 0;
        for _ in 0..1 + self.dice.roll(4) {
            let mut runs = self.runs();
            // By what stands in it and not by the dice, so that every seed makes the document that it made before.
            let length = Value::Array(runs.clone()).to_string().len();
            // Docs shows a mark with the look of the newline, which may be that alone.
            let ending = match length % 7 {
                1 => json!({"foregroundColor": {"color": {"rgbColor": {"green": 1.0}}}}),
                2 => json!({"italic": true}),
                _ => json!({}),
            };
            runs.push(run("\n", ending));
            let style = json!({"indentFirstLine": {"magnitude": 18 + 36 * depth, "unit": "PT"},
                "indentStart": {"magnitude": 36 + 36 * depth, "unit": "PT"}});
            let mut item = paragraph(consolidated(runs), style);
            item["paragraph"]["bullet"] = json!({"listId": list, "textStyle": {"underline": false}});
            if let 1 | 2 = length % 4 {
                let colour = if length % 4 == 1 { "red" } else { "blue" };
                item["paragraph"]["bullet"]["textStyle"]["foregroundColor"] =
                    json!({"color": {"rgbColor": {colour: 1.0}}});
            }
            if depth > 0 {
                item["paragraph"]["bullet"]["nestingLevel"] = json!(depth);
            }
            body.push(item);
            depth = if self.dice.once_in(3) { depth + 1 } else { depth.min(self.dice.roll(3)) };
        }
    }

    fn table(&mut self, nested: usize) -> Value {
        let (rows, columns) = (1 + self.dice.roll(3), 1 + self.dice.roll(3));
        let mut table_rows = Vec::new();
        for _ in 0..rows {
            let mut cells = Vec::new();
            for _ in 0..columns {
                let mut content = vec![self.paragraph()];
                if self.dice.once_in(6) {
                    content.push(self.paragraph());
                }
                if nested == 0 && self.dice.once_in(20) {
                    content.push(self.table(1));
                    content.push(self.paragraph());
                }
                cells.push(json!({"content": content, "tableCellStyle": {}}));
            }
            table_rows.push(json!({"tableCells": cells, "tableRowStyle": {}}));
        }
        json!({"table": {"rows": rows, "columns": columns, "tableRows": table_rows, "tableStyle": {}}})
    }
}

/// Joins neighbouring runs of one look, as Docs does.
fn consolidated(runs: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for run in runs {
        if let Some(last) = joined.last_mut()
            && let (Some(before), Some(text)) =
                (last["textRun"]["content"].as_str(), run["textRun"]["content"].as_str())
        {
            let text = format!("{before}{text}");
            let mut candidate = run.clone();
            candidate["textRun"]["content"] = last["textRun"]["content"].clone();
            if candidate == *last {
                last["textRun"]["content"] = json!(text);
                continue;
            }
        }
        joined.push(run);
    }
    joined
}

fn run(text: &str, style: Value) -> Value {
    json!({"textRun": {"content": text, "textStyle": style}})
}

fn object(kind: &str, mut value: Value) -> Value {
    value["textStyle"] = json!({});
    json!({ kind: value })
}

/// Gives a paragraph settings that no file shows, by what stands in it and not by the dice, so that every seed makes the
/// document that it made before.
fn settle(style: &mut Value, runs: &[Value]) {
    let points = |magnitude: u32| json!({"magnitude": magnitude, "unit": "PT"});
    match Value::Array(runs.to_vec()).to_string().len() % 6 {
        // A heading's named style says that already.
        0 if style.get("namedStyleType").is_none() => style["keepWithNext"] = json!(true),
        0 | 1 => {
            let colour = json!({"color": {"rgbColor": {"red": 1.0}}});
            style["borderLeft"] =
                json!({"color": colour, "width": points(2), "padding": points(4), "dashStyle": "SOLID"});
        }
        _ => {}
    }
}

fn paragraph(elements: Vec<Value>, mut style: Value) -> Value {
    if style.get("namedStyleType").is_none() {
        style["namedStyleType"] = json!("NORMAL_TEXT");
    }
    style["direction"] = json!("LEFT_TO_RIGHT");
    json!({"paragraph": {"elements": elements, "paragraphStyle": style}})
}
