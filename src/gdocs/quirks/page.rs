//! What is not settled about headers, footers, sections, the page and named styles.

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
