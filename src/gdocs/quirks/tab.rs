//! What is not settled about replacements, tabs and drop-downs.

/// Text for a search for nothing. Doubt: never recorded.
pub(crate) const NOTHING_TO_FIND: &str = "The text to find must not be empty.";

/// The most bytes of a compiled pattern; keeps a search in memory. Never Google's.
pub(crate) const MAX_PATTERN_BYTES: usize = 4_000_000;

/// Text for a pattern that is none. Doubt: never recorded.
pub(crate) const BAD_PATTERN: &str = "The text to find is not a valid regular expression.";

// Replacements, assumed in `replace`. Recorded: plain text in plain paragraphs. Told by others: the new text looks like
// the first character of the old. Doubt for the rest: nothing is found across paragraphs, across an object and in a
// table of contents; a pattern's groups are not put into the new text; a named range that held all of the old text
// holds the new one; the content of a named range is replaced by inserting before deleting, so that the first paragraph
// keeps its style.

/// Text for a new tab with an id. Source: a public log of a live trial.
pub(crate) const TAB_WITH_ID: &str = "Tab ID should not be specified in the properties when adding a tab.";

/// Text for a title that another tab has. Source: public notes on live trials, for `addDocumentTab`; doubt for
/// `updateDocumentTabProperties`.
pub(crate) const TAB_TITLE_TAKEN: &str = "Tab title must be unique";

/// Text for a tab without a title. Doubt: never recorded.
pub(crate) const NO_TAB_TITLE: &str = "Tab title must not be empty";

/// Text for the deletion of the last tab. Doubt for the words.
pub(crate) const LAST_TAB: &str = "The last tab of a document cannot be deleted.";

/// The most levels of tabs. Source: public notes on live trials.
pub(crate) const MAX_TAB_LEVELS: u32 = 3;

/// Text for one level more. Doubt: never recorded.
pub(crate) const TAB_TOO_DEEP: &str = "Tabs cannot be nested more than 3 levels deep.";

/// Text for a tab behind the place behind the last one. Doubt: never recorded.
pub(crate) const BAD_TAB_INDEX: &str = "The tab index is out of bounds.";

/// Text for an icon that is not one emoji. The discovery text says so; doubt for the words.
pub(crate) const BAD_EMOJI: &str = "The icon emoji must be a single emoji.";

// Tabs, assumed in `tabs`: a new tab has the default styles of a new document and, without a title, is called `Tab n`;
// a tab is moved by its index and its parent. Doubt for all of it.

/// The fewest options of a drop-down. Source: discovery text.
pub(crate) const MIN_DROPDOWN_OPTIONS: usize = 2;

/// The most options of a drop-down. Source: discovery text.
pub(crate) const MAX_DROPDOWN_OPTIONS: usize = 50;

/// Text for fewer or more. The discovery text says so; doubt for the words.
pub(crate) const BAD_OPTION_COUNT: &str = "A dropdown definition must have between 2 and 50 options.";

/// Text for an option in a style of its own. The discovery text says so; doubt for the words.
pub(crate) const OPTION_STYLE: &str = "Dropdown options only support foreground_color and background_color.";

/// Text for an id of the wrong form. The discovery text says so; doubt for the words.
pub(crate) fn bad_id(id: &str, prefix: &str) -> String {
    format!("The ID {id} must start with '{prefix}' and have 2 to 14 letters, digits, '_' or '-' behind it.")
}

/// Text for an id in use. The discovery text says so; doubt for the words.
pub(crate) fn id_taken(id: &str) -> String {
    format!("The ID {id} is already in use.")
}

/// Text for a definition that there is not. Doubt: never recorded.
pub(crate) fn unknown_definition(id: &str) -> String {
    format!("The dropdown definition with ID {id} was not found.")
}

/// Text for a definition that chips use. The discovery text says so; doubt for the words.
pub(crate) fn definition_used(id: &str) -> String {
    format!("The dropdown definition with ID {id} is in use.")
}

/// Text for an option that a definition does not have. The discovery text says so; doubt for the words.
pub(crate) fn unknown_option(id: &str) -> String {
    format!("The dropdown option with ID {id} was not found.")
}

/// Text for a chip that there is not. Doubt: never recorded.
pub(crate) fn unknown_dropdown(id: &str) -> String {
    format!("The dropdown with ID {id} was not found.")
}

/// Text for the replacement of an option that stays or never was. Doubt: never recorded.
pub(crate) fn option_stays(id: &str) -> String {
    format!("The dropdown option with ID {id} is not being deleted, so it cannot be replaced.")
}

/// Text for an option that is selected, goes, and has no replacement. The discovery text says so; doubt for the words.
pub(crate) const NO_REPLACEMENT: &str = "A selected dropdown option is being deleted without a replacement.";
