//! What is not settled about tables.

/// Text for a place where no table starts. Source: public issue threads, for `insertTableColumn`.
pub(crate) const NO_TABLE_THERE: &str = "Invalid table start location. Must specify the start index of the table.";

/// Text for a cell that a table does not have. Doubt: never recorded.
pub(crate) const CELL_OUTSIDE: &str = "The table cell location is outside the bounds of the table.";

/// Text for a part that reaches out of its table. Source: a public test log, for `mergeTableCells`.
pub(crate) const RANGE_OUTSIDE_TABLE: &str = "The table range extends outside the bounds of the table.";

/// Text for a part of no cells. Doubt: never recorded.
pub(crate) const EMPTY_TABLE_RANGE: &str = "The row span and column span of the table range must be at least 1.";

/// Text for cells that form no rectangle. The discovery text says so; doubt for the words.
pub(crate) const NOT_RECTANGULAR: &str = "The table range is not rectangular.";

/// Text for a table whose rows differ in length; never Google's, which counts such tables in a way not recorded.
pub(crate) const RAGGED_TABLE: &str =
    "a table whose rows have different numbers of cells is not interpreted by this model";

/// Text for one row or column too many. Doubt: never recorded.
pub(crate) fn too_many(what: &str, most: u32) -> String {
    format!("A table has at most {most} {what}.")
}

// Tables, assumed throughout `table_rows` and `table_merge`. Documented: a row goes above or below the whole of a
// merged cell, all rows that a cell spans are deleted with it, the text of merged cells is concatenated. Live tests of
// others: a new row looks like the row it was made from. Doubt for the rest: a new cell takes the style of the first
// paragraph and character of its model, but no list and no span; a merged cell that a new row crosses spans it; a
// merged cell that loses its head loses its text, and what is left of it stays merged; the paragraphs of merged cells
// follow one another, empty cells add none; a merge of one cell does nothing.

/// Text for more pinned rows than there are. Doubt: never recorded.
pub(crate) const TOO_MANY_PINNED: &str = "The number of pinned header rows must not exceed the number of rows.";

/// Text for the style of no cells. Doubt: never recorded.
pub(crate) const NO_CELLS: &str = "The request must specify either a table range or a table start location.";

/// Text for a border one can see through. The discovery text says so; doubt for the words.
pub(crate) const TRANSPARENT_BORDER: &str = "Table cell borders cannot be transparent.";

/// Text for a row or column that a table does not have. Doubt: never recorded.
pub(crate) fn outside_table(what: &str, number: u32) -> String {
    format!("The {what} index {number} is outside the bounds of the table.")
}

/// The least width of a column in points. Source: discovery text.
pub(crate) const MIN_COLUMN_WIDTH: f64 = 5.0;

/// Text for a narrower one. The discovery text says so; doubt for the words.
pub(crate) const NARROW_COLUMN: &str = "The width of a table column must be at least 5 points.";

/// Text for columns at a place where no table starts. Source: a public log of live trials.
pub(crate) const NO_TABLE_FOR_COLUMNS: &str = "The provided table start location is invalid.";

// Styles of cells, assumed in `table_style`: what is reset goes back to what a new cell has; a border is not set on a
// cell that a merged one covers, everything else is; a width makes a column one of fixed width. Doubt for all three.
