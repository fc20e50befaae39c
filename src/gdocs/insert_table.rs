//! `insertTable`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#inserttablerequest>

use serde_json::{Map, Value, json};

use super::document::{DocumentTab, Paragraph, ParagraphElement, StructuralElement, Style, Table, TableCell, TableRow};
use super::index::{relayout, segment_end};
use super::insert::insert_text;
use super::locate::{find_paragraph, siblings_mut};
use super::quirks;
use super::refusal::Refusal;
use super::segment::Segment;
use super::style::{inherited_text, same, without_link};

/// The size of a new table, within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Count of rows.
    rows: u32,
    /// Count of columns.
    columns: u32,
}

impl Size {
    /// Checks a size.
    ///
    /// # Errors
    ///
    /// A refusal of a table without cells and of one that is too large.
    pub(crate) fn check(rows: u32, columns: u32) -> Result<Self, Refusal> {
        if !(1..=quirks::MAX_TABLE_ROWS).contains(&rows) {
            return Err(Refusal::invalid(quirks::bad_table_size("rows", rows, quirks::MAX_TABLE_ROWS)));
        }
        if !(1..=quirks::MAX_TABLE_COLUMNS).contains(&columns) {
            return Err(Refusal::invalid(quirks::bad_table_size("columns", columns, quirks::MAX_TABLE_COLUMNS)));
        }
        Ok(Self { rows, columns })
    }

    /// Returns the count of cells.
    pub(crate) const fn cells(self) -> u32 {
        self.rows * self.columns
    }

    /// Returns the UTF-16 units of the table: a marker at both ends, one for each row, two for each empty cell.
    const fn width(self) -> u32 {
        2 + self.rows + 2 * self.cells()
    }
}

/// Inserts a newline at `index`, or before the last newline for `None`, and a table behind it; returns where and
/// how much.
///
/// # Errors
///
/// Google's refusals of a place outside the paragraphs, inside a character and in a footnote.
pub(crate) fn insert_table(segment: &mut Segment<'_>, index: Option<u32>, size: Size) -> Result<(u32, u32), Refusal> {
    let Segment { tab, content, id, ids, .. } = segment;
    if tab.footnotes.contains_key(*id) {
        return Err(Refusal::invalid(quirks::TABLE_IN_FOOTNOTE));
    }
    if segment_end(content).saturating_add(size.width()) >= quirks::MAX_SEGMENT_UTF16 {
        return Err(Refusal::invalid("The inserted table is too large."));
    }
    let (index, newline) = insert_text(content, index, "\n", ids)?;
    let outside = || Refusal::invalid(quirks::OUTSIDE_PARAGRAPH);
    let spot = find_paragraph(content, index).ok_or_else(outside)?;
    if spot.path.len() >= quirks::MAX_INSERTED_TABLE_DEPTH {
        return Err(Refusal::invalid(quirks::TABLE_TOO_DEEP));
    }
    let siblings = siblings_mut(content, &spot.path).ok_or_else(outside)?;
    let before = siblings.get(spot.at).and_then(|element| element.paragraph.as_ref()).ok_or_else(outside)?;
    let table = table(size, cell_text_style(tab, before));
    siblings.insert(spot.at + 1, table);
    relayout(content);
    Ok((index, newline.saturating_add(size.width())))
}

/// Makes an empty table; where it stands is laid out afterwards.
fn table(size: Size, text_style: Style) -> StructuralElement {
    let cell = cell(text_style);
    let repeated = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    let row = TableRow {
        table_cells: vec![cell; repeated(size.columns)],
        rest: Map::from_iter([("tableRowStyle".to_owned(), json!({ "minRowHeight": { "unit": "PT" } }))]),
        ..TableRow::default()
    };
    let columns = vec![json!({ "widthType": "EVENLY_DISTRIBUTED" }); repeated(size.columns)];
    let table = Table {
        rows: Some(size.rows),
        columns: Some(size.columns),
        table_rows: vec![row; repeated(size.rows)],
        rest: Map::from_iter([("tableStyle".to_owned(), json!({ "tableColumnProperties": columns }))]),
    };
    StructuralElement { table: Some(table), ..StructuralElement::default() }
}

/// Makes an empty cell.
fn cell(text_style: Style) -> TableCell {
    let paragraph = Paragraph {
        elements: vec![ParagraphElement::of_text("\n".to_owned(), text_style)],
        paragraph_style: Some(cell_paragraph_style()),
        ..Paragraph::default()
    };
    let padding = json!({ "magnitude": 5, "unit": "PT" });
    let style = json!({
        "rowSpan": 1, "columnSpan": 1, "backgroundColor": {}, "contentAlignment": "TOP",
        "paddingLeft": padding, "paddingRight": padding, "paddingTop": padding, "paddingBottom": padding,
    });
    TableCell {
        content: vec![StructuralElement { paragraph: Some(paragraph), ..StructuralElement::default() }],
        rest: Map::from_iter([("tableCellStyle".to_owned(), style)]),
        ..TableCell::default()
    }
}

/// Returns the style that the paragraph of a new cell says in full, as recorded.
fn cell_paragraph_style() -> Style {
    let zero = json!({ "unit": "PT" });
    let border = json!({ "color": {}, "width": zero, "padding": zero, "dashStyle": "SOLID" });
    let style = json!({
        "namedStyleType": "NORMAL_TEXT", "alignment": "START", "lineSpacing": 100, "direction": "LEFT_TO_RIGHT",
        "spacingMode": "COLLAPSE_LISTS", "spaceAbove": zero, "spaceBelow": zero,
        "borderBetween": border, "borderTop": border, "borderBottom": border, "borderLeft": border,
        "borderRight": border, "indentFirstLine": zero, "indentStart": zero, "indentEnd": zero,
        "keepLinesTogether": false, "keepWithNext": false, "avoidWidowAndOrphan": false,
        "shading": { "backgroundColor": {} }, "pageBreakBefore": false,
    });
    match style {
        Value::Object(fields) => Style(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Style::default(),
    }
}

/// Returns the text style of new cells: what the newline before the table looks like, where that is not how normal
/// text looks. Recorded: behind a newline at a heading, cells have the size of the heading.
fn cell_text_style(tab: &DocumentTab, before: &Paragraph) -> Style {
    let named = tab.named_style(before.named_style_type()).and_then(|named| named.text_style.as_ref());
    let mut look = named.map(|style| style.0.clone()).unwrap_or_default();
    let direct = before.elements.last().and_then(ParagraphElement::text_style).cloned().map(Style);
    look.extend(direct.map(|style| without_link(&style).0).unwrap_or_default());
    look.retain(|key, value| !same(value, inherited_text(tab, "NORMAL_TEXT", key).unwrap_or(&Value::Null)));
    Style(look)
}
