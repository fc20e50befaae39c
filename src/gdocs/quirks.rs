//! What is not settled by a recording, in one table: what this model assumes, where that comes from, how sure it is.
//!
//! A later look at the real service corrects a line here and nothing else.

mod threads;

use serde_json::Value;

pub(crate) use threads::*;

/// The most requests in one batch. Google publishes no bound; this one keeps a batch in memory.
pub(crate) const MAX_REQUESTS: usize = 100_000;

/// The most UTF-16 units in one inserted text. A document holds about 1.02 million characters (help pages).
pub(crate) const MAX_TEXT_UTF16: u32 = 2_000_000;

/// The most UTF-16 units in one segment; keeps every sum of positions far from `u32::MAX`.
pub(crate) const MAX_SEGMENT_UTF16: u32 = 16_000_000;

/// The most tables nested in one another that are looked into. JSON itself ends at 128 levels.
pub(crate) const MAX_TABLE_DEPTH: usize = 64;

/// The most UTF-16 units in the name of a named range. Source: discovery text.
pub(crate) const MAX_RANGE_NAME_UTF16: u32 = 256;

/// What a link adds to text that does not say otherwise: underline, and this colour. Source: recorded documents.
pub(crate) const LINK_COLOR: (f64, f64, f64) = (0.066_666_67, 0.333_333_34, 0.8);

/// Direct overrides that a heading's named style takes away. Live tests by others saw `bold` go, always; they also
/// saw inherited italic and underline go, which are no direct overrides and so nothing to remove here.
pub(crate) const CLEARED_BY_HEADING: &[&str] = &["bold"];

/// Whether text inserted exactly at the start of a named range stands before it, and at the end behind it.
/// Doubt: seen by nobody; "inserting inside grows it" is all the discovery text says.
pub(crate) const RANGE_EDGES_STAY_OUTSIDE: bool = true;

/// Whether entries of `inlineObjects`, `positionedObjects` and `footnotes` go with their deleted reference.
/// Doubt: no recording deletes one; empty maps are omitted and every recorded entry is referenced.
pub(crate) const OBJECTS_GO_WITH_REFERENCES: bool = true;

/// Whether the footnotes left are numbered anew after one was deleted. Doubt: the number is what the page shows.
pub(crate) const FOOTNOTES_ARE_RENUMBERED: bool = true;

/// Whether a range in a named range names its tab when the document has more than one tab.
/// Recorded for one tab only: there `tabId` is left out, also when the request named it.
pub(crate) const RANGES_NAME_LATER_TABS: bool = true;

/// The length of a fresh id behind its prefix. Recorded: 10 to 13, mostly 12.
pub(crate) const ID_LENGTH: usize = 12;

/// The deepest nesting level of a list; more leading tabs than that go and do not nest deeper. Nine levels are
/// documented and recorded; doubt: what further tabs do.
pub(crate) const MAX_NESTING_LEVEL: u32 = 8;

/// The types of number whose glyphs are aligned at their end. Recorded for `ROMAN`; doubt for the upper case.
pub(crate) const END_ALIGNED_GLYPHS: &[&str] = &["ROMAN", "UPPER_ROMAN"];

// Lists, assumed throughout `bullets`: the nesting level of an item that is bulleted again counts its tabs alone;
// one request makes at most one list, also across the cells of a table; a list whose last item left it stays in
// `lists`; an item that leaves its list keeps both indents as they were. Doubt: no recording shows any of these,
// only that every recorded list has items.

/// Text for bullets of no preset. Doubt: never recorded.
pub(crate) const NO_BULLET_PRESET: &str = "The bullet preset must be specified.";

/// The most rows of a new table. Doubt: Google publishes no bound; this one keeps a table in memory.
pub(crate) const MAX_TABLE_ROWS: u32 = 1_000;

/// The most columns of a new table. The editor makes no more than 20; doubt for the API.
pub(crate) const MAX_TABLE_COLUMNS: u32 = 20;

/// The most cells that one batch makes, a table of the largest size; keeps a batch in memory. Never Google's.
pub(crate) const MAX_BATCH_CELLS: u32 = 20_000;

/// The most tables around one another that `insertTable` makes, so that the answer stays within the 128 levels
/// that readers of JSON take. Never Google's.
pub(crate) const MAX_INSERTED_TABLE_DEPTH: usize = 8;

/// Text for a table inside more tables than that. Never Google's.
pub(crate) const TABLE_TOO_DEEP: &str = "The table is nested too deeply.";

/// Text for a table in a footnote. The discovery text says so; doubt for the words.
pub(crate) const TABLE_IN_FOOTNOTE: &str = "Tables cannot be inserted inside a footnote.";

/// Text for a table without a place. Doubt: never recorded.
pub(crate) const NO_TABLE_LOCATION: &str = "Insert table requests must specify a location";

/// Text for a table with too few or too many rows or columns. Doubt: never recorded.
pub(crate) fn bad_table_size(what: &str, given: u32, most: u32) -> String {
    format!("The number of {what} must be between 1 and {most}, not {given}.")
}

/// Text for a tab id that the document does not have. Doubt: never recorded.
pub(crate) fn unknown_tab(id: &str) -> String {
    format!("The document does not contain a tab with ID {id}.")
}

/// Text for a segment that the tab does not have. Source: public issue threads.
pub(crate) fn unknown_segment(id: &str) -> String {
    format!("Segment with ID {id} was not found")
}

/// Text for an index behind the segment. Recorded for `insertComment`, where the start of the range is named first.
pub(crate) fn index_too_large(index: u32, segment_end: u32) -> String {
    format!("Index {index} must be less than the end index of the referenced segment, {segment_end}.")
}

/// Text for an empty range. Source: public issue threads.
pub(crate) const EMPTY_RANGE: &str = "The range should not be empty.";

/// Text for an insertion between paragraphs. Source: public issue threads.
pub(crate) const OUTSIDE_PARAGRAPH: &str = "The insertion index must be inside the bounds of an existing paragraph. \
     You can still create new paragraphs by inserting newlines.";

/// Text for an insertion inside what a reader sees as one character. Source: public issue threads.
pub(crate) const INSIDE_GRAPHEME: &str = "The insertion index cannot be within a grapheme cluster.";

/// Text for an insertion of nothing. Source: public issue threads.
pub(crate) const EMPTY_TEXT: &str = "Insert text requests must specify text";

/// Text for an insertion without a place. Doubt: never recorded.
pub(crate) const NO_LOCATION: &str = "Insert text requests must specify a location";

/// Text for a deletion that would break the structure. Source: public issue threads.
pub(crate) const BAD_DELETION: &str = "Invalid deletion range. Cannot delete the requested range.";

/// Text for a deletion of the last newline. Source: public issue threads.
pub(crate) const LAST_NEWLINE: &str = "The range cannot include the newline character at the end of the segment.";

/// Text for a selector without a value. Source: public issue threads.
pub(crate) const NO_RANGE_SELECTOR: &str = "ID or name for named range must be set";

/// Text for an empty field mask. Source: the sister services' wording; doubt for Docs.
pub(crate) const NO_FIELDS: &str = "At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)";

/// Text for a path that the style does not have. Source: the sister services' wording; doubt for Docs.
pub(crate) fn invalid_field(path: &str) -> String {
    format!("Invalid field: {path}")
}

/// Text for a name out of bounds. Doubt: never recorded.
pub(crate) const BAD_RANGE_NAME: &str = "The name must be between 1 and 256 UTF-16 code units.";

/// Text for an id that no named range has. Doubt: never recorded. An unknown *name* removes nothing and is no error.
pub(crate) fn unknown_range(id: &str) -> String {
    format!("The named range with ID {id} was not found.")
}

/// Text for a styled range that ends inside a surrogate pair or an equation. Doubt: never recorded.
pub(crate) const INSIDE_CHARACTER: &str = "The range cannot start or end within a character.";

/// Text for a segment whose recorded indices this model cannot account for; never Google's.
pub(crate) const UNCOUNTED: &str =
    "the indices recorded in this segment are not what this model counts, so no index in a request is safe";

/// Text for a name that a message does not have. Source: public issue threads; `path` in Google's snake case.
pub(crate) fn unknown_name(name: &str, path: &str) -> String {
    format!("Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.")
}

/// Text for a value of the wrong type. Source: public issue threads of Google's JSON front end.
pub(crate) fn bad_value(path: &str, type_name: &str, value: &Value) -> String {
    let value: String = value.to_string().chars().take(200).collect();
    format!("Invalid value at '{path}' ({type_name}), {value}")
}

/// Text for a second kind in one request. Source: the JSON front end's words for any oneof; doubt for Docs.
pub(crate) fn second_kind(path: &str, kind: &str) -> String {
    format!("Invalid value at '{path}' (oneof), oneof field 'request' is already set. Cannot set '{kind}'")
}

/// Text for a request without a kind. Doubt: never recorded.
pub(crate) fn no_kind(path: &str) -> String {
    format!("Invalid {path}: No request set.")
}

/// Text for a negative index. Doubt: never recorded.
pub(crate) fn negative(path: &str, number: i32) -> String {
    format!("Invalid value at '{path}': {number} must not be negative.")
}

/// Text for a kind that Google knows and this model does not; never Google's.
pub(crate) fn not_interpreted(number: usize, kind: &str) -> String {
    format!("requests[{number}].{kind} is not interpreted by this model yet")
}

/// Text for a kind that this model reads and cannot carry out; never Google's.
pub(crate) fn not_carried_out(kind: &str) -> String {
    format!("{kind} is not interpreted by this model yet")
}

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

/// Text for an element without a place. Doubt: never recorded.
pub(crate) const NO_ELEMENT_LOCATION: &str = "The request must specify exactly one location.";

/// Text for a footnote elsewhere than in the body. The discovery text says so; doubt for the words.
pub(crate) const FOOTNOTE_OUTSIDE_BODY: &str = "Footnotes cannot be inserted inside a header, footer or footnote.";

/// Text for a page break elsewhere than in the body. The discovery text says so; doubt for the words.
pub(crate) const PAGE_BREAK_OUTSIDE_BODY: &str = "Page breaks cannot be inserted inside a header, footer or footnote.";

/// Text for a page break in a table. Source: a public test of another client.
pub(crate) const PAGE_BREAK_IN_TABLE: &str = "Page breaks cannot be inserted inside a table.";

/// Text for a section break elsewhere than in the body. The discovery text says so; doubt for the words.
pub(crate) const SECTION_BREAK_OUTSIDE_BODY: &str =
    "Section breaks cannot be inserted inside a header, footer or footnote.";

/// Text for a section break in a table. The discovery text says so; doubt for the words.
pub(crate) const SECTION_BREAK_IN_TABLE: &str = "Section breaks cannot be inserted inside a table.";

/// Text for a section break of no type. Doubt: never recorded.
pub(crate) const NO_SECTION_TYPE: &str = "The section type must be specified.";

// Sections, assumed in `elements`: a new section has the style of the one it is cut from, without its headers, footers
// and first page number. Doubt: no recording shows one; the editor keeps margins and columns that way.

/// Text for a person chip with a name, which Google looks up itself. Source: public notes on a live trial; the
/// discovery text calls the name a field like any other.
pub(crate) const PERSON_WITH_NAME: &str = "Insert person requests should not specify a name.";

/// Text for a person chip without an address. Doubt: never recorded.
pub(crate) const NO_EMAIL: &str = "Insert person requests must specify a valid email address.";

/// Text for a field that Google alone fills in. Doubt: never recorded.
pub(crate) fn output_only(field: &str) -> String {
    format!("The field {field} is output only and must not be set.")
}

/// Text for a date without a point in time. Doubt: never recorded; `timestamp` reads as protobuf's JSON does.
pub(crate) const NO_TIMESTAMP: &str = "Insert date requests must specify a valid timestamp.";

/// Text for a date in a format of one's own, for which a request has no field. Doubt: never recorded.
pub(crate) const CUSTOM_DATE_FORMAT: &str = "The date format must not be DATE_FORMAT_CUSTOM.";

// Dates, assumed in `time`: what is shown is written in English and in UTC, whatever locale and time zone the date
// has. Doubt: the true text needs the tables of CLDR; it is output only and nothing is decided by it.

/// The locales of a date. Source: discovery text.
pub(crate) const LOCALES: &[&str] = &[
    "af", "am", "ar", "as", "az", "be", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "en-CA", "en-GB", "es",
    "es-419", "et", "eu", "fa", "fi", "fil", "fr", "fr-CA", "gl", "gu", "hi", "hr", "hu", "hy", "id", "is", "it", "iw",
    "ja", "ka", "kk", "km", "kn", "ko", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "ne", "nl", "no", "or", "pa",
    "pl", "pt-BR", "pt-PT", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tr", "uk", "ur",
    "uz", "vi", "zh-CN", "zh-HK", "zh-TW", "zu", "cy", "my",
];

/// Text for another locale. Doubt: never recorded.
pub(crate) fn bad_locale(locale: &str) -> String {
    format!("The locale {locale} is not supported.")
}

/// Text for an address that Google makes no chip of. Source: live tests of others.
pub(crate) const BAD_RICH_LINK: &str = "The URL is invalid.";

/// Hosts whose addresses become chips: files, videos, events, places. Source: the help pages; doubt for the borders
/// of the list. The title of a new chip is its address until somebody looks it up.
pub(crate) const RICH_LINK_HOSTS: &[&str] = &[
    "docs.google.com",
    "drive.google.com",
    "sheets.google.com",
    "slides.google.com",
    "calendar.google.com",
    "www.google.com",
    "maps.google.com",
    "meet.google.com",
    "maps.app.goo.gl",
    "www.youtube.com",
    "youtube.com",
    "m.youtube.com",
    "youtu.be",
];

/// The most bytes in the address of an image. Source: discovery text, "2 kB".
pub(crate) const MAX_IMAGE_URI_BYTES: usize = 2048;

/// Text for a longer one. Doubt: never recorded.
pub(crate) const IMAGE_URI_TOO_LONG: &str = "The provided image URI must be at most 2 kB in length.";

/// Text for an image that cannot be fetched. Source: public issue threads.
pub(crate) const BAD_IMAGE: &str = "There was a problem retrieving the image. The provided image should be publicly \
     accessible, within size limit, and in supported formats.";

/// Text for an image in a footnote. The discovery text says so; doubt for the words.
pub(crate) const IMAGE_IN_FOOTNOTE: &str = "Inline images cannot be inserted inside a footnote.";

/// Text for a size that is none. Doubt: never recorded.
pub(crate) const BAD_IMAGE_SIZE: &str = "The size of the image must be positive and in points.";

/// The side, in points, of an image whose resolution this model does not know. A side that is not said is taken to be
/// as long as the other; a size that is said whole is kept, though Google fits the image into it.
pub(crate) const UNKNOWN_IMAGE_SIDE: u32 = 100;

/// Text for an object that there is not. Doubt: never recorded.
pub(crate) fn unknown_object(id: &str) -> String {
    format!("The object with ID {id} was not found.")
}

/// Text for an object that is no image. Doubt: never recorded.
pub(crate) fn no_image(id: &str) -> String {
    format!("The object with ID {id} is not an image.")
}

/// Text for a header or footer of no type. Doubt: never recorded.
pub(crate) fn no_header_type(what: &str) -> String {
    format!("The {what} type must be specified.")
}

/// Text for a header or footer that is there. Source: public clients that look for these words; a footer is taken to
/// be refused likewise.
pub(crate) fn already_exists(what: &str) -> String {
    format!("Default {what} already exists.")
}

/// Text for a header or footer at a place that is no section break. Doubt: never recorded.
pub(crate) const NO_SECTION_BREAK: &str = "The section break location must refer to a section break.";

/// Text for the style of sections elsewhere than in the body. Doubt for the words.
pub(crate) const SECTION_OUTSIDE_BODY: &str = "Section styles can only be updated in the body.";

/// The most columns of a section. Source: discovery text.
pub(crate) const MAX_SECTION_COLUMNS: usize = 3;

/// Text for more. Doubt for the words.
pub(crate) const TOO_MANY_SECTION_COLUMNS: &str = "A section can have no more than 3 columns.";

/// The gap between two columns of a section, in points, when none is said. The editor's; doubt for the API.
pub(crate) const SECTION_COLUMN_GAP: u32 = 36;

/// Text for a field of a section that cannot be reset. The discovery text says so; doubt for the words.
pub(crate) fn must_be_set(name: &str) -> String {
    format!("The field {name} must be set to a concrete value.")
}

/// Text for a named style without a type. The discovery text says so; doubt for the words.
pub(crate) const NO_NAMED_STYLE: &str = "The named style type must be specified.";

// Styles of the page, assumed in `page_style`: what is reset on a document goes back to what a new one has, on normal
// text likewise, on another named style to what normal text has; a mask that names `textStyle` and fields of it means
// the fields. Doubt: no recording shows any of these.

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
