//! `files.export`: a document as Markdown, with the ticks of its checklists, which nothing else shows.
//!
//! Source: <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export>

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::call::{Answer, Call, Handled};
use super::errors::{self, file_not_found, legacy};
use super::images::{key_of, media_type, to_base64};
use super::state::{File, Google};
use crate::gdocs::{
    Bullet, DocumentTab, ElementKind, Paragraph, ParagraphElement, StructuralElement, Tab, Table, Ticks, check_items,
};

/// The type of the only export that is built.
const MARKDOWN: &str = "text/markdown";

/// Other types that Google exports a Doc to.
///
/// Source: <https://developers.google.com/workspace/drive/api/guides/ref-export-formats>
const OTHERS: [&str; 8] = [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.text",
    "application/rtf",
    "application/pdf",
    "text/plain",
    "text/html",
    "application/zip",
    "application/epub+zip",
];

/// Bytes that an export has at most.
const EXPORT_BYTES_MAX: usize = 10 << 20;

/// Tables that may be nested.
const DEPTH_MAX: usize = 8;

/// Answers `files.export`.
pub(super) fn export(google: &Google, call: &Call, id: &str) -> Handled {
    // What is missing is told before the file is looked for, as at Google.
    let Some(wanted) = call.parameter("mimeType") else {
        return Err(legacy(400, "required", "Required parameter: mimeType", Some(("mimeType", "parameter"))));
    };
    let world = google.world();
    let file = world.visible(id).ok_or_else(|| file_not_found(id))?.clone();
    drop(world);
    if file.blob.is_some() {
        return Err(legacy(403, "fileNotExportable", "Export only supports Docs Editors files.", None));
    }
    if OTHERS.iter().any(|kind| kind.eq_ignore_ascii_case(wanted)) {
        return Err(errors::not_built(&format!("an export to {wanted}")));
    }
    if !wanted.eq_ignore_ascii_case(MARKDOWN) {
        let message = "The requested conversion is not supported.";
        return Err(legacy(400, "badRequest", message, Some(("convertTo", "parameter"))));
    }
    let text = markdown(&file, |uri| google.bytes(key_of(uri)?).map(|bytes| bytes.to_vec()));
    within_limit(&text)?;
    Ok(Answer::text(200, MARKDOWN, &text))
}

/// Refuses an export that is too large.
fn within_limit(text: &str) -> Result<(), Answer> {
    if text.len() > EXPORT_BYTES_MAX {
        return Err(legacy(403, "exportSizeLimitExceeded", "This file is too large to be exported.", None));
    }
    Ok(())
}

/// Writes all tabs of a document in order; `bytes` finds those of a picture by its `contentUri`.
pub(super) fn markdown(file: &File, bytes: impl Fn(&str) -> Option<Vec<u8>>) -> String {
    let mut writer = Writer::new(&file.ticks);
    for tab in file.document.all_tabs() {
        writer.tab(tab);
    }
    let mut text = writer.out.trim_end().to_owned();
    text.push('\n');
    for (number, uri) in writer.images.iter().enumerate() {
        let data = bytes(uri).unwrap_or_default();
        let (kind, data) = (media_type(&data), to_base64(&data));
        text.push_str(&format!("\n[image{}]: <data:{kind};base64,{data}>\n", number + 1));
    }
    text
}

struct Writer<'a> {
    ticks: &'a Ticks,
    out: String,
    /// Whether the last block was an item, and the next item stands directly below it.
    in_list: bool,
    /// How far each numbered list has counted, by list and level.
    numbers: BTreeMap<(String, u32), u32>,
    /// The pictures in the order in which they are named.
    images: Vec<String>,
    /// Number and segment of the footnotes whose text is still to come.
    notes: Vec<(String, String)>,
}

impl<'a> Writer<'a> {
    const fn new(ticks: &'a Ticks) -> Self {
        Self {
            ticks,
            out: String::new(),
            in_list: false,
            numbers: BTreeMap::new(),
            images: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn tab(&mut self, tab: &Tab) {
        let Some(content) = &tab.document_tab else { return };
        let ticked = |start: u32| self.ticks.has(tab.id(), "", start);
        let boxes: BTreeMap<u32, bool> =
            check_items(content, "").iter().map(|item| (item.start, ticked(item.start))).collect();
        let page = Page { tab: content, boxes };
        for element in content.segment(None).unwrap_or_default() {
            self.element(&page, element);
        }
        for (number, id) in std::mem::take(&mut self.notes) {
            let lines = content.segment(Some(&id)).unwrap_or_default();
            let lines: Vec<String> = lines
                .iter()
                .filter_map(|element| element.paragraph.as_ref())
                .map(|paragraph| self.inline(&page, paragraph, " ").trim().to_owned())
                .collect();
            self.block(&format!("[^{number}]:  {}", lines.join("\n\n    ")), false);
        }
    }

    fn block(&mut self, text: &str, item: bool) {
        if !self.out.is_empty() {
            self.out.push_str(if item && self.in_list { "\n" } else { "\n\n" });
        }
        self.in_list = item;
        self.out.push_str(text);
    }

    fn element(&mut self, page: &Page<'_>, element: &StructuralElement) {
        if let Some(paragraph) = &element.paragraph {
            self.paragraph(page, element.start_index.utf16(), paragraph);
        } else if let Some(table) = &element.table {
            self.table(page, table);
        }
    }

    fn paragraph(&mut self, page: &Page<'_>, start: u32, paragraph: &Paragraph) {
        let rule = paragraph.elements.first().is_some_and(|first| first.kind() == ElementKind::HorizontalRule);
        if rule {
            return self.block("---", false);
        }
        let prefix = match paragraph.named_style_type() {
            "TITLE" | "HEADING_1" => "# ",
            "HEADING_2" => "## ",
            "HEADING_3" => "### ",
            "HEADING_4" => "#### ",
            "HEADING_5" => "##### ",
            "HEADING_6" => "###### ",
            _ => "",
        };
        let (mark, indent) = match &paragraph.bullet {
            Some(bullet) => {
                let level = usize::try_from(bullet.nesting_level.unwrap_or(0).min(8)).unwrap_or(0);
                let mark = match page.boxes.get(&start) {
                    Some(true) => "- [x] ".to_owned(),
                    Some(false) => "- [ ] ".to_owned(),
                    None => self.mark(page, bullet),
                };
                // What stands under an item begins below its words; a number is wider than a dash.
                let step = if mark.starts_with(|c: char| c.is_ascii_digit()) { 3 } else { 2 };
                (mark, step * level)
            }
            None => (String::new(), 0),
        };
        let soft = format!("  \n{}", " ".repeat(indent + mark.len().min(2)));
        let text = self.inline(page, paragraph, &soft);
        if paragraph.bullet.is_none() && text.trim().is_empty() {
            return;
        }
        let text = if mark.is_empty() && prefix.is_empty() { escape_start(&text) } else { text };
        self.block(&format!("{}{mark}{prefix}{text}", " ".repeat(indent)), paragraph.bullet.is_some());
    }

    /// The mark of an item without a box.
    fn mark(&mut self, page: &Page<'_>, bullet: &Bullet) -> String {
        let level = bullet.nesting_level.unwrap_or(0);
        let pointer = format!("/listProperties/nestingLevels/{level}/glyphType");
        let kind = page.tab.lists.get(&bullet.list_id).and_then(|list| list.pointer(&pointer)).and_then(Value::as_str);
        self.numbers.retain(|(list, own), _| *list != bullet.list_id || *own <= level);
        if matches!(kind, None | Some("" | "NONE" | "GLYPH_TYPE_UNSPECIFIED")) {
            return "* ".to_owned();
        }
        let count = self.numbers.entry((bullet.list_id.clone(), level)).or_insert(0);
        *count = count.saturating_add(1);
        format!("{count}. ")
    }

    fn table(&mut self, page: &Page<'_>, table: &Table) {
        let width = table.table_rows.iter().map(|row| row.table_cells.len()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for row in &table.table_rows {
            let mut cells: Vec<String> = Vec::new();
            for cell in &row.table_cells {
                let mut pieces = Vec::new();
                self.cell(page, &cell.content, &mut pieces, 0);
                cells.push(pieces.join("<br>"));
            }
            cells.resize(width, String::new());
            lines.push(format!("| {} |", cells.join(" | ")));
            if lines.len() == 1 {
                lines.push(format!("|{}", " :---- |".repeat(width)));
            }
        }
        self.block(&lines.join("\n"), false);
    }

    fn cell(&mut self, page: &Page<'_>, content: &[StructuralElement], pieces: &mut Vec<String>, depth: usize) {
        for element in content {
            if let Some(paragraph) = &element.paragraph {
                let mark = match (page.boxes.get(&element.start_index.utf16()), &paragraph.bullet) {
                    (Some(true), _) => "- [x] ".to_owned(),
                    (Some(false), _) => "- [ ] ".to_owned(),
                    (None, Some(bullet)) => self.mark(page, bullet),
                    (None, None) => String::new(),
                };
                let text = self.inline(page, paragraph, "<br>");
                pieces.push(format!("{mark}{text}").trim().to_owned());
            }
            for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
                if depth < DEPTH_MAX {
                    self.cell(page, &cell.content, pieces, depth + 1);
                }
            }
        }
    }

    /// Writes the words of a paragraph; `soft` stands for a line break in it.
    fn inline(&mut self, page: &Page<'_>, paragraph: &Paragraph, soft: &str) -> String {
        let mut text = String::new();
        for (index, element) in paragraph.elements.iter().enumerate() {
            let last = index + 1 == paragraph.elements.len();
            match element.text() {
                Some(run) => {
                    let run = if last { run.strip_suffix('\n').unwrap_or(run) } else { run };
                    text.push_str(&styled(run, element, soft));
                }
                None => text.push_str(&self.object(page, element)),
            }
        }
        text.trim_end().to_owned()
    }

    fn object(&mut self, page: &Page<'_>, element: &ParagraphElement) -> String {
        let value = element.raw().map(|(_, value)| value.clone()).unwrap_or_default();
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        match element.kind() {
            ElementKind::InlineObject => {
                let properties = page.tab.inline_objects.get(&text("/inlineObjectId"));
                let uri = properties.and_then(|object| {
                    object.pointer("/inlineObjectProperties/embeddedObject/imageProperties/contentUri")?.as_str()
                });
                let Some(uri) = uri else { return String::new() };
                self.images.push(uri.to_owned());
                format!("![][image{}]", self.images.len())
            }
            ElementKind::FootnoteReference => {
                let number = text("/footnoteNumber");
                self.notes.push((number.clone(), text("/footnoteId")));
                format!("[^{number}]")
            }
            ElementKind::Person => {
                let (name, email) = (text("/personProperties/name"), text("/personProperties/email"));
                format!("[{}](mailto:{email})", escape(if name.is_empty() { &email } else { &name }))
            }
            ElementKind::RichLink => {
                format!("[{}]({})", escape(&text("/richLinkProperties/title")), text("/richLinkProperties/uri"))
            }
            ElementKind::Date => escape(&text("/dateElementProperties/displayText")),
            ElementKind::TextRun
            | ElementKind::PageBreak
            | ElementKind::ColumnBreak
            | ElementKind::AutoText
            | ElementKind::HorizontalRule
            | ElementKind::Dropdown
            | ElementKind::Equation
            | ElementKind::Unknown => String::new(),
        }
    }
}

/// A tab, and its boxes by where their paragraphs start.
struct Page<'a> {
    tab: &'a DocumentTab,
    boxes: BTreeMap<u32, bool>,
}

/// Writes a run with its emphasis and its link; blanks at its ends stay outside, where Markdown wants them.
fn styled(run: &str, element: &ParagraphElement, soft: &str) -> String {
    let none = Map::new();
    let style = element.text_style().unwrap_or(&none);
    let words = run.trim_matches([' ', '\u{b}', '\u{a0}']);
    let written = |text: &str| escape(text).replace('\u{b}', soft);
    let Some(at) = run.find(words).filter(|_| !words.is_empty()) else { return written(run) };
    let on = |name: &str| style.get(name).and_then(Value::as_bool).unwrap_or(false);
    let mut text = written(words);
    for (name, mark) in [("italic", "*"), ("bold", "**"), ("strikethrough", "~~")] {
        if on(name) {
            text = format!("{mark}{text}{mark}");
        }
    }
    if let Some(url) = style.get("link").and_then(|link| link.get("url")).and_then(Value::as_str) {
        text = format!("[{text}]({url})");
    }
    let (before, behind) = (run.get(..at).unwrap_or_default(), run.get(at + words.len()..).unwrap_or_default());
    format!("{}{text}{}", written(before), written(behind))
}

/// Escapes what Markdown would read otherwise.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '~' | '|' | '!' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Escapes what would begin a list or a rule at the start of a paragraph.
fn escape_start(text: &str) -> String {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let at = if text.starts_with(['-', '+', '=']) {
        0
    } else if digits > 0 && text.get(digits..).is_some_and(|rest| rest.starts_with(['.', ')'])) {
        digits
    } else {
        return text.to_owned();
    };
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    format!("{before}\\{behind}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::gdocs::{apply, new_document, read_requests};

    /// Applies requests to a new document, ticks the items that start there, and compares its Markdown.
    #[track_caller]
    fn check(requests: &Value, ticked: &[u32], expected: &str) {
        let requests = read_requests(requests.as_array().unwrap()).unwrap();
        let document = apply(&new_document("doc", "t"), &requests, 1).unwrap().document;
        let mut file = File::new(document, None, 0);
        for start in ticked {
            file.ticks.set("t.0", "", *start, true);
        }
        assert_eq!(markdown(&file, |_| Some(b"abc".to_vec())), expected);
    }

    fn insert(text: &str) -> Value {
        json!({"insertText": {"location": {"index": 1}, "text": text}})
    }

    fn range(start: u32, end: u32) -> Value {
        json!({"startIndex": start, "endIndex": end})
    }

    #[test]
    fn lists_and_their_ticks() {
        let bullets = |start, end, preset: &str| json!({"createParagraphBullets": {"range": range(start, end), "bulletPreset": preset}});
        check(
            &json!([insert("one\n\ttwo\nthree\nend"), bullets(1, 15, "BULLET_CHECKBOX")]),
            &[1, 5],
            "- [x] one\n  - [x] two\n- [ ] three\n\nend\n",
        );
        check(
            &json!([
                insert("a\nb\nc\n1. d"),
                bullets(1, 4, "NUMBERED_DECIMAL_ALPHA_ROMAN"),
                bullets(5, 6, "BULLET_DISC_CIRCLE_SQUARE")
            ]),
            &[],
            "1. a\n2. b\n* c\n\n1\\. d\n",
        );
    }

    #[test]
    fn words_and_their_looks() {
        let style = |start, end, style: Value| {
            let fields: Vec<String> = style.as_object().unwrap().keys().cloned().collect();
            json!({"updateTextStyle": {"range": range(start, end), "textStyle": style, "fields": fields.join(",")}})
        };
        check(
            &json!([
                insert("a*b [x] <c>\u{b}d\n- e"),
                style(1, 4, json!({"bold": true, "italic": true})),
                style(5, 8, json!({"link": {"url": "https://x.example"}}))
            ]),
            &[],
            "***a\\*b*** [\\[x\\]](https://x.example) \\<c\\>  \nd\n\n\\- e\n",
        );
        let heading = json!({"updateParagraphStyle": {"range": range(1, 2),
            "paragraphStyle": {"namedStyleType": "HEADING_2"}, "fields": "namedStyleType"}});
        check(
            &json!([insert("Head\nbody"), heading, {"createFootnote": {"location": {"index": 10}}}]),
            &[],
            "## Head\n\nbody[^1]\n\n[^1]:\n",
        );
        check(
            &json!([{"insertTable": {"rows": 2, "columns": 2, "location": {"index": 1}}},
                {"insertText": {"location": {"index": 5}, "text": "x|y"}}]),
            &[],
            "| x\\|y |  |\n| :---- | :---- |\n|  |  |\n",
        );
    }

    #[test]
    fn pictures_stand_at_the_end() {
        let requests = json!([insert("see "), {"insertInlineImage": {"location": {"index": 5}, "uri": "https://x.example/a.png"}}]);
        let requests = read_requests(requests.as_array().unwrap()).unwrap();
        let document = apply(&new_document("doc", "t"), &requests, 1).unwrap().document;
        let mut value = serde_json::to_value(&document).unwrap();
        let objects = value["tabs"][0]["documentTab"]["inlineObjects"].as_object_mut().unwrap();
        for object in objects.values_mut() {
            object["inlineObjectProperties"]["embeddedObject"]["imageProperties"]["contentUri"] = "embedded:k".into();
        }
        let file = File::new(serde_json::from_value(value).unwrap(), None, 0);
        let text = markdown(&file, |uri| (uri == "embedded:k").then(|| b"abc".to_vec()));
        assert_eq!(text, "see ![][image1]\n\n[image1]: <data:application/octet-stream;base64,YWJj>\n");
    }

    #[test]
    fn ten_megabytes_are_the_limit() {
        let refusal = within_limit(&"x".repeat(EXPORT_BYTES_MAX + 1)).unwrap_err();
        let body: Value = serde_json::from_slice(&refusal.body).unwrap();
        assert_eq!((refusal.status, &body["error"]["errors"][0]["reason"]), (403, &json!("exportSizeLimitExceeded")));
        assert!(within_limit(&"x".repeat(EXPORT_BYTES_MAX)).is_ok());
    }
}
