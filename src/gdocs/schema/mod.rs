//! The shape of the requests, as the discovery document gives it: for reading them and for field masks.

mod requests;
mod styles;
mod threads;

pub(crate) use requests::REQUESTS;
pub(crate) use styles::*;
pub(crate) use threads::THREAD_REQUESTS;

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string.
    Text,
    /// A whole number of 32 bits.
    Int,
    /// A number.
    Float,
    /// True or false.
    Bool,
    /// One of these names; the first part is Google's name of the type.
    Enum(&'static str, &'static [&'static str]),
    /// A message with these fields.
    Message(&'static [Field]),
    /// A list of these.
    List(&'static Self),
    /// A map from strings to these.
    Map(&'static Self),
}

/// A field: its name and its shape.
pub(crate) type Field = (&'static str, Shape);

/// All kinds of request that Google knows (discovery revision 20261006).
pub(crate) const KINDS: &[&str] = &[
    "acceptSuggestion",
    "addCommentReply",
    "addDocumentTab",
    "createDropdownDefinition",
    "createFooter",
    "createFootnote",
    "createHeader",
    "createNamedRange",
    "createParagraphBullets",
    "deleteComment",
    "deleteCommentReply",
    "deleteContentRange",
    "deleteDropdownDefinition",
    "deleteFooter",
    "deleteHeader",
    "deleteNamedRange",
    "deleteParagraphBullets",
    "deletePositionedObject",
    "deleteSuggestion",
    "deleteTab",
    "deleteTableColumn",
    "deleteTableRow",
    "insertComment",
    "insertDate",
    "insertDropdown",
    "insertInlineImage",
    "insertPageBreak",
    "insertPerson",
    "insertRichLink",
    "insertSectionBreak",
    "insertTable",
    "insertTableColumn",
    "insertTableRow",
    "insertText",
    "mergeTableCells",
    "pinTableHeaderRows",
    "rejectSuggestion",
    "replaceAllText",
    "replaceImage",
    "replaceNamedRangeContent",
    "unmergeTableCells",
    "updateCommentPost",
    "updateDocumentStyle",
    "updateDocumentTabProperties",
    "updateDropdownDefinitionProperties",
    "updateDropdownProperties",
    "updateNamedStyle",
    "updateParagraphStyle",
    "updateSectionStyle",
    "updateTableCellStyle",
    "updateTableColumnProperties",
    "updateTableRowStyle",
    "updateTextStyle",
];

/// Returns the shape of a field.
pub(crate) fn field(fields: &[Field], name: &str) -> Option<Shape> {
    fields.iter().find(|(own, _)| *own == name).map(|(_, shape)| *shape)
}
