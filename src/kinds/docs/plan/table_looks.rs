//! What a row or column that was moved takes with it and the file does not show: a move is a deletion and an insertion, and
//! what is inserted looks like its neighbour. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::align::Step;
use super::edit::range;
use super::planner::{Planner, is_mostly, words_of};
use super::tables::cell_text;
use crate::gdocs::{
    Document, Location, Paragraph, Request, Style, Tab, Table, TableCell, TableCellLocation, TableRange, TableRow,
    UpdateParagraphStyle, UpdateTableCellStyle, UpdateTableColumnProperties, UpdateTableRowStyle, apply,
};
use crate::kinds::docs::text::extract::tab_of;
use crate::mebdf::Cell;
use crate::model::PartId;

/// Fields of a cell that are no borders.
const CELL_FIELDS: [&str; 6] =
    ["backgroundColor", "contentAlignment", "paddingLeft", "paddingRight", "paddingTop", "paddingBottom"];

/// Borders of a cell: the same line on the cell beyond, and where that stands.
const BORDERS: [(&str, &str, (isize, isize)); 4] = [
    ("borderLeft", "borderRight", (0, -1)),
    ("borderRight", "borderLeft", (0, 1)),
    ("borderTop", "borderBottom", (-1, 0)),
    ("borderBottom", "borderTop", (1, 0)),
];

/// Fields of a row that can be set.
const ROW_FIELDS: [&str; 2] = ["minRowHeight", "preventOverflow"];

/// Fields of the paragraphs in a cell.
const PARAGRAPH_FIELDS: [&str; 19] = [
    "namedStyleType",
    "alignment",
    "lineSpacing",
    "direction",
    "spacingMode",
    "spaceAbove",
    "spaceBelow",
    "indentFirstLine",
    "indentStart",
    "indentEnd",
    "keepLinesTogether",
    "keepWithNext",
    "avoidWidowAndOrphan",
    "shading",
    "borderBetween",
    "borderTop",
    "borderBottom",
    "borderLeft",
    "borderRight",
];

/// Where a row or column of the file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Source {
    /// Its place in the document; `None` for a new one.
    from: Option<usize>,
    /// Whether it does not simply stay.
    moved: bool,
}

/// Where the rows and columns of a table come from.
pub(super) struct Sources {
    rows: Vec<Source>,
    columns: Vec<Source>,
}

impl Sources {
    /// Finds out by what stands in them; what the alignment pairs and nothing contradicts has stayed.
    pub(super) fn of(rows: &[Step], columns: &[Step], old: &[Vec<Cell>], new: &[Vec<Cell>]) -> Self {
        let texts = |table: &[Vec<Cell>]| -> Vec<Vec<String>> {
            table.iter().map(|row| row.iter().map(cell_text).collect()).collect()
        };
        let (old, new) = (texts(old), texts(new));
        let shuffled = columns.iter().enumerate().any(|(at, step)| *step != Step::Pair(at, at));
        let joined = |rows: &[Vec<String>]| -> Vec<String> {
            let row = |row: &Vec<String>| {
                let mut cells = row.clone();
                if shuffled {
                    cells.sort();
                }
                cells.join("\t")
            };
            rows.iter().map(row).collect()
        };
        let rows = sources(rows, &joined(&old), &joined(&new));
        let known: Vec<(usize, usize)> =
            rows.iter().enumerate().filter_map(|(j, source)| Some((source.from?, j))).collect();
        let column = |table: &[Vec<String>], at: usize, rows: Vec<usize>| -> String {
            let cells = rows.into_iter().filter_map(|row| table.get(row)?.get(at)).map(String::as_str);
            cells.collect::<Vec<_>>().join("\n")
        };
        let columns_of = |table: &[Vec<String>], rows: &dyn Fn(&(usize, usize)) -> usize| -> Vec<String> {
            let width = table.first().map_or(0, Vec::len);
            (0..width).map(|at| column(table, at, known.iter().map(rows).collect())).collect()
        };
        let columns = sources(columns, &columns_of(&old, &|pair| pair.0), &columns_of(&new, &|pair| pair.1));
        Self { rows, columns }
    }

    fn any_moved(&self) -> bool {
        self.rows.iter().chain(&self.columns).any(|source| source.moved && source.from.is_some())
    }

    /// The cell of the document that one of the file comes from, when it was moved.
    fn cell(&self, row: usize, column: usize) -> Option<(usize, usize)> {
        let (row, column) = (self.rows.get(row)?, self.columns.get(column)?);
        (row.moved || column.moved).then_some(())?;
        Some((row.from?, column.from?))
    }
}

fn sources(steps: &[Step], old: &[String], new: &[String]) -> Vec<Source> {
    let mut found = vec![Source { from: None, moved: true }; new.len()];
    let mut free: BTreeSet<usize> = (0..old.len()).collect();
    let pairs = || steps.iter().filter_map(|step| if let Step::Pair(i, j) = step { Some((*i, *j)) } else { None });
    let mut take = |j: usize, from: usize, moved: bool, free: &mut BTreeSet<usize>| {
        if let Some(slot) = found.get_mut(j).filter(|slot| slot.from.is_none())
            && free.remove(&from)
        {
            *slot = Source { from: Some(from), moved };
        }
    };
    for (i, j) in pairs().filter(|(i, j)| old.get(*i) == new.get(*j)) {
        take(j, i, false, &mut free);
    }
    for (j, text) in new.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        // What stays is taken already, so nothing is found for it.
        let stays = pairs().any(|(i, other)| other == j && old.get(i) == Some(text));
        if let Some(from) = free.iter().copied().find(|i| !stays && old.get(*i) == Some(text)) {
            take(j, from, true, &mut free);
        }
    }
    let words = |texts: &[String], at: usize| texts.get(at).map(|text| words_of(text)).unwrap_or_default();
    // One of whose words none is left stands only in the place of what was written there.
    let replaced = |i: usize, j: usize| {
        let (was, is) = (words(old, i), words(new, j));
        !was.is_empty() && !is.is_empty() && was.is_disjoint(&is)
    };
    let (others, stay): (Vec<_>, Vec<_>) = pairs().partition(|(i, j)| replaced(*i, *j));
    for (i, j) in stay {
        take(j, i, false, &mut free);
    }
    let inserted = steps.iter().filter_map(|step| if let Step::Insert(j) = *step { Some(j) } else { None });
    for j in inserted.chain(others.iter().map(|(_, j)| *j)) {
        let is = words(new, j);
        if let Some(from) = free.iter().copied().find(|i| is_mostly(&words(old, *i), &is)) {
            take(j, from, true, &mut free);
        }
    }
    for (i, j) in others {
        take(j, i, false, &mut free);
    }
    found
}

/// What makes moved rows and columns look as they did.
#[derive(Default)]
pub(super) struct Restored {
    pub(super) requests: Vec<Request>,
    /// The rows and the columns of the file of which something is lost.
    pub(super) rows: BTreeSet<usize>,
    pub(super) columns: BTreeSet<usize>,
}

impl Planner<'_> {
    /// Returns what gives the rows and columns of a table that were moved by `requests` their looks again, and tells what
    /// cannot be given. `number` is the table's line.
    pub(super) fn looks_of_moved(
        &mut self,
        start: u32,
        sources: &Sources,
        requests: &[Request],
        number: u32,
    ) -> Vec<Request> {
        let Some((document, part)) = self.document.filter(|_| sources.any_moved()) else { return Vec::new() };
        let Some(restored) = restored(document, part, start, sources, requests) else { return Vec::new() };
        let lost = |which: &str, of: &str| {
            format!(
                "the {which} that was moved here has lost what the file does not show of its looks, such as a border of its \
                 own beside {of} that stayed"
            )
        };
        for row in restored.rows {
            // Below the first row stands the one of dashes.
            let below = u32::try_from(row).unwrap_or(u32::MAX).saturating_add(u32::from(row > 0));
            self.lost.refuse("LOOK_LOST", number.saturating_add(below), lost("row", "one"));
        }
        if !restored.columns.is_empty() {
            self.lost.refuse("LOOK_LOST", number, lost("column", "one"));
        }
        restored.requests
    }
}

fn restored(
    document: &Document,
    part: &PartId,
    start: u32,
    sources: &Sources,
    requests: &[Request],
) -> Option<Restored> {
    let after = apply(document, requests, 0).ok()?.document;
    let tab = tab_of(document, part)?;
    let tab_id = tab.tab_properties.as_ref().map(|properties| properties.tab_id.clone()).filter(|id| !id.is_empty());
    let (old, new) = (table_at(tab, start)?, table_at(tab_of(&after, part)?, start)?);
    let place = Location { index: start, segment_id: None, tab_id };
    let mut restoring = Restoring { old, new, sources, place, restored: Restored::default() };
    restoring.columns();
    for row in 0..new.table_rows.len() {
        restoring.row(row);
    }
    Some(restoring.restored)
}

fn table_at(tab: &Tab, start: u32) -> Option<&Table> {
    let content = &tab.document_tab.as_ref()?.body.as_ref()?.content;
    content.iter().find(|element| element.start_index.utf16() == start)?.table.as_ref()
}

/// The table before and after its rows and columns came and went.
struct Restoring<'a> {
    old: &'a Table,
    new: &'a Table,
    sources: &'a Sources,
    place: Location,
    restored: Restored,
}

impl Restoring<'_> {
    fn columns(&mut self) {
        let properties = |table: &Table, at: usize| {
            let all = table.rest.get("tableStyle")?.get("tableColumnProperties")?.as_array()?.clone();
            all.get(at).and_then(Value::as_object).cloned()
        };
        for (column, source) in self.sources.columns.iter().enumerate().filter(|(_, source)| source.moved) {
            let Some(from) = source.from else { continue };
            let (Some(was), Some(is)) = (properties(self.old, from), properties(self.new, column)) else { continue };
            let fields = if was.get("widthType").and_then(Value::as_str) == Some("FIXED_WIDTH") {
                differing(&["width", "widthType"], &was, &is)
            } else {
                differing(&["widthType"], &was, &is)
            };
            if let Some((style, fields)) = fields {
                self.restored.requests.push(Request::UpdateTableColumnProperties(UpdateTableColumnProperties {
                    table_start_location: Some(self.place.clone()),
                    column_indices: vec![number(column)],
                    table_column_properties: style,
                    fields,
                }));
            }
        }
    }

    fn row(&mut self, row: usize) {
        let Some(new) = self.new.table_rows.get(row) else { return };
        let source = self.sources.rows.get(row).copied().filter(|source| source.moved);
        let old = source.and_then(|source| self.old.table_rows.get(source.from?));
        let style = |row: &TableRow| object(&row.rest, "tableRowStyle");
        if let Some((style, fields)) = old.and_then(|old| differing(&ROW_FIELDS, &style(old), &style(new))) {
            self.restored.requests.push(Request::UpdateTableRowStyle(UpdateTableRowStyle {
                table_start_location: Some(self.place.clone()),
                row_indices: vec![number(row)],
                table_row_style: style,
                fields,
            }));
        }
        let mut styles: Vec<(usize, u32, Style, String)> = Vec::new();
        for (column, cell) in new.table_cells.iter().enumerate() {
            let from = self.sources.cell(row, column);
            let Some(old) = from.and_then(|(row, column)| self.old.table_rows.get(row)?.table_cells.get(column)) else {
                continue;
            };
            if let Some((style, fields)) = self.cell(row, column, old, cell) {
                match styles.last_mut() {
                    Some((first, span, last, names))
                        if *first + *span as usize == column && *last == style && *names == fields =>
                    {
                        *span += 1;
                    }
                    _ => styles.push((column, 1, style, fields)),
                }
            }
            self.paragraphs(row, column, old, cell);
        }
        self.restored.requests.extend(styles.into_iter().map(|(column, column_span, table_cell_style, fields)| {
            let cell = TableCellLocation {
                table_start_location: Some(self.place.clone()),
                row_index: number(row),
                column_index: number(column),
            };
            Request::UpdateTableCellStyle(UpdateTableCellStyle {
                table_range: Some(TableRange { table_cell_location: Some(cell), row_span: 1, column_span }),
                table_start_location: None,
                table_cell_style,
                fields,
            })
        }));
    }

    /// What makes one cell look as another did. A border is also that of the cell beyond: it is set where nothing that
    /// stayed would change.
    fn cell(&mut self, row: usize, column: usize, old: &TableCell, new: &TableCell) -> Option<(Style, String)> {
        let (was, is) = (cell_style(old), cell_style(new));
        let mut fields = CELL_FIELDS.to_vec();
        for (border, opposite, (down, right)) in BORDERS {
            let (Some(wanted), true) = (was.get(border), was.get(border) != is.get(border)) else {
                if was.get(border) != is.get(border) {
                    self.lose(row, column);
                }
                continue;
            };
            let beyond = row.checked_add_signed(down).zip(column.checked_add_signed(right));
            let cell = beyond.and_then(|(row, column)| self.new.table_rows.get(row)?.table_cells.get(column));
            let fits = beyond.is_some_and(|(row, column)| self.sources.cell(row, column).is_some())
                || cell.is_none_or(|cell| cell_style(cell).get(opposite) == Some(wanted));
            let opaque = wanted.get("color").is_some_and(|color| color.get("color").is_some());
            if fits && opaque {
                fields.push(border);
            } else {
                self.lose(row, column);
            }
        }
        differing(&fields, &was, &is)
    }

    fn paragraphs(&mut self, row: usize, column: usize, old: &TableCell, new: &TableCell) {
        let paragraphs = |cell: &'_ TableCell| -> Vec<(u32, u32, Map<String, Value>)> {
            let style = |paragraph: &Paragraph| paragraph.paragraph_style.clone().unwrap_or_default().0;
            let elements = cell.content.iter();
            elements
                .filter_map(|element| {
                    let style = style(element.paragraph.as_ref()?);
                    Some((element.start_index.utf16(), element.end_index.utf16(), style))
                })
                .collect()
        };
        let (old, new) = (paragraphs(old), paragraphs(new));
        for ((_, _, was), (start, end, is)) in old.iter().zip(&new) {
            if let Some((paragraph_style, fields)) = differing(&PARAGRAPH_FIELDS, was, is) {
                let range = range(None, self.place.tab_id.as_deref(), *start, *end);
                let update = UpdateParagraphStyle { range, paragraph_style, fields };
                self.restored.requests.push(Request::UpdateParagraphStyle(update));
            }
        }
        // Paragraphs that are still to come look like the last that is there.
        let last = new.len().checked_sub(1).and_then(|last| old.get(last));
        let differs = |(_, _, was): &(_, _, Map<_, _>)| {
            last.is_some_and(|last| differing(&PARAGRAPH_FIELDS, was, &last.2).is_some())
        };
        if old.iter().skip(new.len()).any(differs) {
            self.lose(row, column);
        }
    }

    fn lose(&mut self, row: usize, column: usize) {
        if self.sources.rows.get(row).is_some_and(|source| source.moved) {
            self.restored.rows.insert(row);
        } else {
            self.restored.columns.insert(column);
        }
    }
}

fn cell_style(cell: &TableCell) -> Map<String, Value> {
    object(&cell.rest, "tableCellStyle")
}

fn object(rest: &Map<String, Value>, key: &str) -> Map<String, Value> {
    rest.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The style and the mask that give the fields of `is` that differ the values they have in `was`.
fn differing(fields: &[&str], was: &Map<String, Value>, is: &Map<String, Value>) -> Option<(Style, String)> {
    let fields: Vec<&str> = fields.iter().copied().filter(|field| was.get(*field) != is.get(*field)).collect();
    if fields.is_empty() {
        return None;
    }
    let values = fields.iter().filter_map(|field| Some(((*field).to_owned(), was.get(*field)?.clone())));
    Some((Style(values.collect()), fields.join(",")))
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
