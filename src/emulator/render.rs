//! A document as HTML: enough to read it and to type into it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::gdocs::{DocumentTab, ElementKind, Paragraph, ParagraphElement, StructuralElement, Table, check_items};

/// Tables that may be nested.
const MAX_DEPTH: usize = 8;

/// One block of the page.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Block {
    /// Its HTML. It holds no positions, so that it only changes when its content does.
    pub(super) html: String,
    /// Where its editable paragraphs stand, in order.
    pub(super) spots: Vec<Spot>,
}

/// Where an editable paragraph stands.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Spot {
    /// The segment, empty for the body.
    segment: String,
    /// Its start in UTF-16 units.
    start: u32,
}

/// Renders a tab: headers, the body, footers, footnotes. `ticked` tells whether the box of the item of the body that
/// starts there is ticked.
pub(super) fn blocks(tab: &DocumentTab, ticked: &dyn Fn(u32) -> bool) -> Vec<Block> {
    let mut out = Vec::new();
    let boxes = check_items(tab, "").iter().map(|item| (item.start, ticked(item.start))).collect();
    let mut numbers = Numbers { boxes, ..Numbers::default() };
    for (name, ids) in [
        ("Header", tab.headers.keys().map(String::as_str).collect::<Vec<_>>()),
        ("", vec![""]),
        ("Footer", tab.footers.keys().map(String::as_str).collect()),
        ("Footnote", tab.footnotes.keys().map(String::as_str).collect()),
    ] {
        for id in ids {
            if !name.is_empty() {
                out.push(Block { html: format!("<h6 class=\"part\">{name}</h6>"), spots: Vec::new() });
            }
            for element in tab.segment(Some(id)).unwrap_or_default() {
                let mut block = Block::default();
                render(tab, id, element, &mut numbers, &mut block, 0);
                if !block.html.is_empty() {
                    out.push(block);
                }
            }
        }
    }
    out
}

/// What the bullets of items say.
#[derive(Debug, Default)]
struct Numbers {
    /// How far each numbered list has counted, by list and level.
    counts: BTreeMap<(String, u32), u32>,
    /// The boxes of the body by where their items start, and whether they are ticked.
    boxes: BTreeMap<u32, bool>,
}

/// Renders one element.
fn render(
    tab: &DocumentTab,
    segment: &str,
    element: &StructuralElement,
    numbers: &mut Numbers,
    block: &mut Block,
    depth: usize,
) {
    if let Some(paragraph) = &element.paragraph {
        block.spots.push(Spot { segment: segment.to_owned(), start: element.start_index.utf16() });
        let checked = numbers.boxes.get(&element.start_index.utf16()).copied().filter(|_| segment.is_empty());
        render_paragraph(tab, paragraph, checked, numbers, &mut block.html);
    } else if let Some(table) = &element.table {
        if depth < MAX_DEPTH {
            render_table(tab, segment, table, numbers, block, depth + 1);
        } else {
            block.html.push_str("<p class=\"object\">[table]</p>");
        }
    } else if element.table_of_contents.is_some() {
        block.html.push_str("<p class=\"object\">[table of contents]</p>");
    } else if element.section_break.is_some() && element.start_index.utf16() > 0 {
        block.html.push_str("<hr class=\"section\">");
    }
}

/// Renders a table; every paragraph in it can be typed into.
fn render_table(
    tab: &DocumentTab,
    segment: &str,
    table: &Table,
    numbers: &mut Numbers,
    block: &mut Block,
    depth: usize,
) {
    block.html.push_str("<table>");
    for row in &table.table_rows {
        block.html.push_str("<tr>");
        for cell in &row.table_cells {
            block.html.push_str("<td>");
            for element in &cell.content {
                render(tab, segment, element, numbers, block, depth);
            }
            block.html.push_str("</td>");
        }
        block.html.push_str("</tr>");
    }
    block.html.push_str("</table>");
}

/// Renders a paragraph; `checked` tells the state of its box, if it has one.
fn render_paragraph(
    tab: &DocumentTab,
    paragraph: &Paragraph,
    checked: Option<bool>,
    numbers: &mut Numbers,
    html: &mut String,
) {
    let (tag, class) = match paragraph.named_style_type() {
        "TITLE" => ("h1", "title"),
        "SUBTITLE" => ("p", "subtitle"),
        "HEADING_1" => ("h1", ""),
        "HEADING_2" => ("h2", ""),
        "HEADING_3" => ("h3", ""),
        "HEADING_4" => ("h4", ""),
        "HEADING_5" => ("h5", ""),
        "HEADING_6" => ("h6", ""),
        _ => ("p", ""),
    };
    let mut attributes = format!(" class=\"line {class}\"");
    if let Some(bullet) = &paragraph.bullet {
        let level = bullet.nesting_level.unwrap_or(0);
        let (glyph, state) = match checked {
            Some(true) => ("\u{2611}".to_owned(), " data-checked=\"true\""),
            Some(false) => ("\u{2610}".to_owned(), " data-checked=\"false\""),
            None => (glyph(tab, &bullet.list_id, level, &mut numbers.counts), ""),
        };
        attributes = format!(
            " class=\"line item {class}\" data-level=\"{}\" data-glyph=\"{}\"{state}",
            level.min(8),
            escape(&glyph)
        );
    }
    html.push_str(&format!("<{tag}{attributes} contenteditable=\"plaintext-only\" spellcheck=\"false\">"));
    for (index, element) in paragraph.elements.iter().enumerate() {
        let last = index + 1 == paragraph.elements.len();
        render_element(tab, element, last, html);
    }
    html.push_str(&format!("</{tag}>"));
}

/// Returns the bullet or number of a list item.
fn glyph(tab: &DocumentTab, list_id: &str, level: u32, numbers: &mut BTreeMap<(String, u32), u32>) -> String {
    let properties = tab
        .lists
        .get(list_id)
        .and_then(|list| list.pointer(&format!("/listProperties/nestingLevels/{level}")))
        .cloned()
        .unwrap_or_default();
    // A deeper level counts from the beginning again.
    numbers.retain(|(list, own), _| list != list_id || *own <= level);
    let kind = properties.get("glyphType").and_then(Value::as_str).unwrap_or_default();
    if kind.is_empty() || kind == "NONE" || kind == "GLYPH_TYPE_UNSPECIFIED" {
        let symbol = properties.get("glyphSymbol").and_then(Value::as_str).unwrap_or("•");
        return symbol.to_owned();
    }
    let count = numbers.entry((list_id.to_owned(), level)).or_insert(0);
    *count = count.saturating_add(1);
    format!("{count}.")
}

/// Renders a run or an object.
fn render_element(tab: &DocumentTab, element: &ParagraphElement, last: bool, html: &mut String) {
    let none = Map::new();
    let style = element.text_style().unwrap_or(&none);
    let Some(text) = element.text() else {
        let (class, label) = object(tab, element);
        html.push_str(&format!(
            "<span class=\"object {class}\" contenteditable=\"false\" data-object>{}</span>",
            escape(&label)
        ));
        return;
    };
    let text = if last { text.strip_suffix('\n').unwrap_or(text) } else { text };
    if text.is_empty() {
        return;
    }
    let on = |name: &str| style.get(name).and_then(Value::as_bool).unwrap_or(false);
    let mut classes: Vec<&str> =
        [("bold", "b"), ("italic", "i"), ("underline", "u"), ("strikethrough", "s"), ("smallCaps", "c")]
            .iter()
            .filter(|(name, _)| on(name))
            .map(|(_, class)| *class)
            .collect();
    match style.get("baselineOffset").and_then(Value::as_str) {
        Some("SUPERSCRIPT") => classes.push("sup"),
        Some("SUBSCRIPT") => classes.push("sub"),
        _ => {}
    }
    for (key, class) in [("suggestedInsertionIds", "ins"), ("suggestedDeletionIds", "del")] {
        if element.text_run.as_ref().is_some_and(|run| run.rest.contains_key(key)) {
            classes.push(class);
        }
    }
    // A soft line break is one character, so the page must know it from a new paragraph.
    let inner = escape(text).replace('\u{b}', "<br data-soft>");
    let url = style.get("link").and_then(|link| link.get("url")).and_then(Value::as_str);
    let safe = url.filter(|url| ["https://", "http://", "mailto:"].iter().any(|scheme| url.starts_with(scheme)));
    let class = classes.join(" ");
    match safe {
        Some(url) => html.push_str(&format!(
            "<a class=\"{class}\" href=\"{}\" rel=\"noopener noreferrer\" target=\"_blank\">{inner}</a>",
            escape(url)
        )),
        None if style.contains_key("link") => html.push_str(&format!("<span class=\"link {class}\">{inner}</span>")),
        None if class.is_empty() => html.push_str(&inner),
        None => html.push_str(&format!("<span class=\"{class}\">{inner}</span>")),
    }
}

/// Returns the class and the label of an object.
fn object(tab: &DocumentTab, element: &ParagraphElement) -> (&'static str, String) {
    let value = element.raw().map(|(_, value)| value.clone()).unwrap_or_default();
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let named = |word: &str, name: String| if name.is_empty() { word.to_owned() } else { name };
    match element.kind() {
        ElementKind::InlineObject => {
            let embedded = tab
                .inline_objects
                .get(&text("/inlineObjectId"))
                .and_then(|object| object.pointer("/inlineObjectProperties/embeddedObject").cloned())
                .unwrap_or_default();
            let title = ["title", "description"]
                .iter()
                .find_map(|key| embedded.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()));
            ("image", format!("[{}]", title.unwrap_or("image")))
        }
        ElementKind::PageBreak => ("break", "page break".into()),
        ElementKind::ColumnBreak => ("break", "column break".into()),
        ElementKind::HorizontalRule => ("rule", String::new()),
        ElementKind::FootnoteReference => ("note", text("/footnoteNumber")),
        ElementKind::AutoText => ("chip", "#".into()),
        ElementKind::Person => {
            ("chip", named("person", named(&text("/personProperties/email"), text("/personProperties/name"))))
        }
        ElementKind::RichLink => ("chip", named("link", text("/richLinkProperties/title"))),
        ElementKind::Date => ("chip", named("date", text("/dateElementProperties/displayText"))),
        ElementKind::Dropdown => ("chip", "drop-down".into()),
        ElementKind::Equation => ("chip", "equation".into()),
        ElementKind::TextRun | ElementKind::Unknown => ("chip", "object".into()),
    }
}

/// Makes text safe for HTML, in quoted attributes too.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // The HTML parser would drop or change these.
            '\r' | '\0' => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_from_a_document_is_markup() {
        let evil = "<script>alert(1)</script>\"'&";
        let tab: DocumentTab = serde_json::from_value(json!({
            "body": {"content": [{"startIndex": 1, "paragraph": {"elements": [
                {"textRun": {"content": evil, "textStyle": {"link": {"url": "javascript:alert(1)"}}}},
                {"textRun": {"content": evil, "textStyle": {"link": {"url": "https://x/\"onclick=\"y"}}}},
                {"person": {"personProperties": {"name": evil}}},
                {"inlineObjectElement": {"inlineObjectId": "o"}}],
                "bullet": {"listId": "l"}}}]},
            "lists": {"l": {"listProperties": {"nestingLevels": [{"glyphSymbol": evil}]}}},
            "inlineObjects": {"o": {"inlineObjectProperties": {"embeddedObject": {"title": evil}}}},
        }))
        .unwrap();
        let html: String = blocks(&tab, &|_| false).into_iter().map(|block| block.html).collect();
        assert!(!html.contains("<script") && !html.contains("javascript:") && !html.contains("\"onclick"), "{html}");
        assert_eq!(html.matches("&lt;script&gt;").count(), 5, "{html}");
    }

    #[test]
    fn numbers_count_and_start_again() {
        let mut numbers = BTreeMap::default();
        let level = json!({"glyphType": "DECIMAL"});
        let mut tab = DocumentTab::default();
        tab.lists.insert("l".into(), json!({"listProperties": {"nestingLevels": [level, level]}}).into());
        let seen: Vec<String> = [0, 1, 1, 0, 1].iter().map(|&at| glyph(&tab, "l", at, &mut numbers)).collect();
        assert_eq!(seen, ["1.", "1.", "2.", "2.", "1."]);
    }
}
