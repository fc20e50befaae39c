//! `pinTableHeaderRows`, `updateTableCellStyle`, `updateTableColumnProperties` and `updateTableRowStyle`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#updatetablecellstylerequest>

use serde_json::{Map, Value, json};

use super::batch::Batch;
use super::document::{Table, TableRow};
use super::mask::Mask;
use super::quirks;
use super::refusal::Refusal;
use super::request::{PinTableHeaderRows, UpdateTableCellStyle, UpdateTableColumnProperties, UpdateTableRowStyle};
use super::schema::{TABLE_CELL_STYLE, TABLE_COLUMN_PROPERTIES, TABLE_ROW_STYLE};
use super::table::{Region, cell_mut, columns_of, merged, object_mut, on_range, on_table, to_place};

/// Borders in the order Google sets them in, each with the one it is on the cell beyond.
const BORDERS: [(&str, &str); 4] = [
    ("borderRight", "borderLeft"),
    ("borderLeft", "borderRight"),
    ("borderBottom", "borderTop"),
    ("borderTop", "borderBottom"),
];

/// Carries out `pinTableHeaderRows`.
///
/// # Errors
///
/// Google's refusal of a place where no table starts; a refusal of more rows than there are.
pub(crate) fn pin(batch: &mut Batch, request: &PinTableHeaderRows) -> Result<(), Refusal> {
    on_table(batch, request.table_start_location.as_ref(), |segment, spot| {
        let table = spot.table(segment.content)?;
        let pinned = to_place(request.pinned_header_rows_count);
        if pinned > table.table_rows.len() {
            return Err(Refusal::invalid(quirks::TOO_MANY_PINNED));
        }
        for (number, row) in table.table_rows.iter_mut().enumerate() {
            if let Some(style) = row_style_mut(row) {
                if number < pinned {
                    style.insert("tableHeader".to_owned(), json!(true));
                } else {
                    style.remove("tableHeader");
                }
            }
        }
        Ok(())
    })
}

/// Returns the style of a row, made when it is absent.
fn row_style_mut(row: &mut TableRow) -> Option<&mut Map<String, Value>> {
    object_mut(&mut row.rest, "tableRowStyle")
}

/// Carries out `updateTableCellStyle`.
///
/// # Errors
///
/// Google's refusals of a bad mask, of a place where no table starts, of a part that reaches out of the table; a
/// refusal of a border one can see through.
pub(crate) fn update_cells(batch: &mut Batch, request: &UpdateTableCellStyle) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, TABLE_CELL_STYLE)?;
    let values = &request.table_cell_style.0;
    for (border, _) in BORDERS.iter().filter(|(border, _)| mask.names(border)) {
        let color = values.get(*border).and_then(|border| border.get("color"));
        if color.is_some_and(|color| color.get("color").is_none()) {
            return Err(Refusal::invalid(quirks::TRANSPARENT_BORDER));
        }
    }
    match (&request.table_range, &request.table_start_location) {
        (Some(range), None) => on_range(batch, Some(range), |segment, spot, asked| {
            style_cells(spot.table(segment.content)?, asked, &mask, values);
            Ok(())
        }),
        (None, start @ Some(_)) => on_table(batch, start.as_ref(), |segment, spot| {
            let table = spot.table(segment.content)?;
            let all = Region { row: 0, column: 0, rows: table.table_rows.len(), columns: columns_of(table) };
            style_cells(table, all, &mask, values);
            Ok(())
        }),
        (None, None) | (Some(_), Some(_)) => Err(Refusal::invalid(quirks::NO_CELLS)),
    }
}

/// Sets the style of cells: what is no border everywhere, the borders of those that can be seen.
fn style_cells(table: &mut Table, asked: Region, mask: &Mask, values: &Map<String, Value>) {
    let borders: Vec<&str> = BORDERS.iter().map(|(border, _)| *border).collect();
    let merged = merged(table);
    for (row, column) in asked.cells() {
        let style = cell_mut(table, row, column).and_then(|cell| object_mut(&mut cell.rest, "tableCellStyle"));
        if let Some(style) = style {
            mask.copy(values, style, &borders);
            fill_defaults(style, mask);
        }
    }
    for (border, opposite) in BORDERS.into_iter().filter(|(border, _)| mask.names(border)) {
        for (row, column) in asked.cells() {
            let region = merged.iter().copied().find(|region| region.holds(row, column));
            let region = region.unwrap_or(Region { row, column, rows: 1, columns: 1 });
            if (region.row, region.column) != (row, column) {
                continue;
            }
            let style = cell_mut(table, row, column).and_then(|cell| object_mut(&mut cell.rest, "tableCellStyle"));
            let Some(style) = style else { continue };
            mask.copy_only(values, style, border);
            let own = style.get(border).cloned();
            for (row, column) in beyond(region, border) {
                let head = merged.iter().find(|region| region.holds(row, column));
                let (row, column) = head.map_or((row, column), |head| (head.row, head.column));
                let cell = cell_mut(table, row, column);
                if let Some(style) = cell.and_then(|cell| object_mut(&mut cell.rest, "tableCellStyle")) {
                    match &own {
                        Some(own) => style.insert(opposite.to_owned(), own.clone()),
                        None => style.remove(opposite),
                    };
                }
            }
        }
    }
}

/// Returns the cells beyond a border; some of them may not be there.
fn beyond(region: Region, border: &str) -> Vec<(usize, usize)> {
    let (row, column) = match border {
        "borderRight" => (None, Some(region.column_range().end)),
        "borderLeft" => (None, region.column.checked_sub(1)),
        "borderBottom" => (Some(region.row_range().end), None),
        _ => (region.row.checked_sub(1), None),
    };
    match (row, column) {
        (Some(row), _) => region.column_range().map(|column| (row, column)).collect(),
        (None, Some(column)) => region.row_range().map(|row| (row, column)).collect(),
        (None, None) => Vec::new(),
    }
}

/// Gives back what a reset took that every recorded cell says.
fn fill_defaults(style: &mut Map<String, Value>, mask: &Mask) {
    let padding = json!({ "magnitude": 5, "unit": "PT" });
    let defaults = [
        ("backgroundColor", json!({})),
        ("contentAlignment", json!("TOP")),
        ("paddingLeft", padding.clone()),
        ("paddingRight", padding.clone()),
        ("paddingTop", padding.clone()),
        ("paddingBottom", padding),
    ];
    for (key, default) in defaults.into_iter().filter(|(key, _)| mask.names(key)) {
        let unset = style.get(key).is_none_or(|value| value.as_str().is_some_and(|text| text.ends_with("UNSPECIFIED")));
        if unset {
            style.insert(key.to_owned(), default);
        }
    }
}

/// Returns the places that numbers name, all of them when there are none.
///
/// # Errors
///
/// A refusal of a number out of bounds.
fn chosen(numbers: &[u32], count: usize, what: &str) -> Result<Vec<usize>, Refusal> {
    if numbers.is_empty() {
        return Ok((0..count).collect());
    }
    let places = numbers.iter().map(|number| {
        let place = to_place(*number);
        if place < count { Ok(place) } else { Err(Refusal::invalid(quirks::outside_table(what, *number))) }
    });
    places.collect()
}

/// Carries out `updateTableColumnProperties`.
///
/// # Errors
///
/// Google's refusals of a bad mask, of a place where no table starts and of a column narrower than five points.
pub(crate) fn update_columns(batch: &mut Batch, request: &UpdateTableColumnProperties) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, TABLE_COLUMN_PROPERTIES)?;
    let values = &request.table_column_properties.0;
    let width = values.get("width").filter(|_| mask.names("width"));
    let points = width.map(|width| width.get("magnitude").and_then(Value::as_f64).unwrap_or(0.0));
    if points.is_some_and(|points| points < quirks::MIN_COLUMN_WIDTH) {
        return Err(Refusal::invalid(quirks::NARROW_COLUMN));
    }
    let found = on_table(batch, request.table_start_location.as_ref(), |segment, spot| {
        let table = spot.table(segment.content)?;
        let columns = columns_of(table);
        let style = object_mut(&mut table.rest, "tableStyle");
        let Some(properties) =
            style.and_then(|style| style.entry("tableColumnProperties").or_insert_with(|| json!([])).as_array_mut())
        else {
            return Ok(());
        };
        properties.resize_with(columns, || json!({ "widthType": "EVENLY_DISTRIBUTED" }));
        for column in chosen(&request.column_indices, columns, "column")? {
            let Some(own) = properties.get_mut(column).and_then(Value::as_object_mut) else { continue };
            mask.copy(values, own, &[]);
            settle_width(own, width.is_some() && !mask.names("widthType"));
        }
        Ok(())
    });
    // Google words this one kind's refusal in its own way.
    found.map_err(|refusal| match refusal.message.as_str() {
        quirks::NO_TABLE_THERE => Refusal::invalid(quirks::NO_TABLE_FOR_COLUMNS),
        _ => refusal,
    })
}

/// Makes width and type of width agree: a fixed column has one, an evenly distributed one has none.
fn settle_width(own: &mut Map<String, Value>, fixed: bool) {
    let known = own.get("widthType").and_then(Value::as_str).filter(|kind| !kind.ends_with("UNSPECIFIED"));
    let fixed = fixed || (known == Some("FIXED_WIDTH") && own.contains_key("width"));
    own.insert("widthType".to_owned(), json!(if fixed { "FIXED_WIDTH" } else { "EVENLY_DISTRIBUTED" }));
    if !fixed {
        own.remove("width");
    }
}

/// Carries out `updateTableRowStyle`.
///
/// # Errors
///
/// Google's refusals of a bad mask and of a place where no table starts.
pub(crate) fn update_rows(batch: &mut Batch, request: &UpdateTableRowStyle) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, TABLE_ROW_STYLE)?;
    on_table(batch, request.table_start_location.as_ref(), |segment, spot| {
        let table = spot.table(segment.content)?;
        for row in chosen(&request.row_indices, table.table_rows.len(), "row")? {
            let Some(style) = table.table_rows.get_mut(row).and_then(row_style_mut) else { continue };
            mask.copy(&request.table_row_style.0, style, &[]);
            if mask.names("minRowHeight") {
                style.entry("minRowHeight").or_insert_with(|| json!({ "unit": "PT" }));
            }
            for flag in ["tableHeader", "preventOverflow"] {
                if mask.names(flag) && style.get(flag) == Some(&json!(false)) {
                    style.remove(flag);
                }
            }
        }
        Ok(())
    })
}
