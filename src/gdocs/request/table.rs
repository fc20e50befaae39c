//! Requests about tables.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

use serde::{Deserialize, Serialize};

use super::super::document::Style;
use super::{EndOfSegmentLocation, Location};

/// Inserts a newline and behind it an empty table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertTable {
    /// Count of rows.
    pub rows: u32,
    /// Count of columns.
    pub columns: u32,
    /// Where the newline comes to stand; the table starts one behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Or at the end of this segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_segment_location: Option<EndOfSegmentLocation>,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TableCellLocation {
    /// Where the table starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_start_location: Option<Location>,
    /// The row, from 0.
    pub row_index: u32,
    /// The column, from 0.
    pub column_index: u32,
}

/// A part of a table: a cell and how far it reaches from there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TableRange {
    /// The cell it starts at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_cell_location: Option<TableCellLocation>,
    /// Count of rows.
    pub row_span: u32,
    /// Count of columns.
    pub column_span: u32,
}

/// Inserts an empty row beside a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertTableRow {
    /// The cell beside which the row comes to stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_cell_location: Option<TableCellLocation>,
    /// Below the cell and not above it.
    pub insert_below: bool,
}

/// Inserts an empty column beside a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InsertTableColumn {
    /// The cell beside which the column comes to stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_cell_location: Option<TableCellLocation>,
    /// To the right of the cell and not to the left.
    pub insert_right: bool,
}

/// Deletes all rows that a cell spans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteTableRow {
    /// The cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_cell_location: Option<TableCellLocation>,
}

/// Deletes all columns that a cell spans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeleteTableColumn {
    /// The cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_cell_location: Option<TableCellLocation>,
}

/// Makes one cell of many; the text of all goes to the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MergeTableCells {
    /// The cells, which must form a rectangle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_range: Option<TableRange>,
}

/// Takes merged cells apart; the text stays in the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UnmergeTableCells {
    /// The cells; those not merged stay as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_range: Option<TableRange>,
}

/// Sets how many rows at the top of a table are pinned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PinTableHeaderRows {
    /// Where the table starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_start_location: Option<Location>,
    /// Count of rows; 0 unpins all.
    pub pinned_header_rows_count: u32,
}

/// Sets the fields named in `fields` of a part of a table or of the whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateTableCellStyle {
    /// The values.
    pub table_cell_style: Style,
    /// A field mask, comma separated.
    pub fields: String,
    /// The cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_range: Option<TableRange>,
    /// Or all cells of the table that starts here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_start_location: Option<Location>,
}

/// Sets the fields named in `fields` of some columns, or of all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateTableColumnProperties {
    /// Where the table starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_start_location: Option<Location>,
    /// The columns, from 0; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub column_indices: Vec<u32>,
    /// The values.
    pub table_column_properties: Style,
    /// A field mask, comma separated.
    pub fields: String,
}

/// Sets the fields named in `fields` of some rows, or of all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateTableRowStyle {
    /// Where the table starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_start_location: Option<Location>,
    /// The rows, from 0; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub row_indices: Vec<u32>,
    /// The values.
    pub table_row_style: Style,
    /// A field mask, comma separated.
    pub fields: String,
}
