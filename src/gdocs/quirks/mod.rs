//! What is not settled by a recording, in one table: what this model assumes, where that comes from, how sure it is.
//!
//! A later look at the real service corrects a line here and nothing else.

mod element;
mod page;
mod tab;
mod table;
mod threads;

use serde_json::Value;

pub(crate) use element::*;
pub(crate) use page::*;
pub(crate) use tab::*;
pub(crate) use table::*;
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

/// Whether a list goes at the end of the batch that took its last item. Doubt: no recording takes one; every recorded
/// list has items.
pub(crate) const LISTS_GO_WITH_ITEMS: bool = true;

// Lists, assumed throughout `bullets`: the nesting level of an item that is bulleted again counts its tabs alone;
// one request makes at most one list, also across the cells of a table; an item that leaves its list keeps both indents
// as they were. Doubt: no recording shows any of these.

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

/// Text for a tab id that the document does not have. Source: a public client's test, for `deleteTab`.
pub(crate) fn unknown_tab(id: &str) -> String {
    format!("A tab with ID {id} does not exist.")
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

/// Text for a font of which only the weight is said. The discovery text says so; doubt for the first words.
pub(crate) const NO_FONT_FAMILY: &str =
    "If weighted_font_family is set, then font_family must also be set with a non-empty value.";

/// Text for a weight that no font has. The discovery text names those that there are; doubt for the refusal and its words.
pub(crate) const BAD_FONT_WEIGHT: &str = "The font weight must be a multiple of 100 between 100 and 900, inclusive.";

/// Text for a size below zero. Doubt: never recorded, and the discovery text is silent.
pub(crate) const NEGATIVE_FONT_SIZE: &str = "The font size must not be negative.";

/// Text for a link to several places. Source: the reference calls them a union; doubt for the words.
/// <https://developers.google.com/docs/api/reference/rest/v1/documents#link>
pub(crate) const LINK_TO_SEVERAL: &str = "A link must have one destination only.";

/// Text for a part of a border. The discovery text says that it must be specified in its entirety; doubt for the words, and
/// for a border without a colour, which is taken.
pub(crate) const PART_OF_BORDER: &str =
    "Paragraph borders cannot be partially updated. The new border must be specified in its entirety.";

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

/// Text for a page break before a paragraph of a table, header, footer or footnote. Live tests of others saw it refused;
/// doubt for the words.
pub(crate) const PAGE_BREAK_BEFORE: &str =
    "The page break before property cannot be updated in a table, header, footer or footnote.";
