//! The requests of `documents.batchUpdate` as types, a file for each family.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request>

mod comment;
mod dropdown;
mod list;
mod object;
mod page;
mod suggestion;
mod tab;
mod table;
mod text;

use serde::{Deserialize, Serialize};

pub use comment::*;
pub use dropdown::*;
pub use list::*;
pub use object::*;
pub use page::*;
pub use suggestion::*;
pub use tab::*;
pub use table::*;
pub use text::*;

/// Defines the enum of requests: each variant holds the type of its own name.
macro_rules! requests {
    ($( $(#[$meta:meta])* $variant:ident = $kind:literal, )*) => {
        /// One request that the interpreter reads; JSON as Google spells it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum Request {
            $( $(#[$meta])* #[serde(rename = $kind)] $variant($variant), )*
        }

        impl Request {
            /// Returns the kind as Google spells it.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => $kind, )*
                }
            }
        }
    };
}

requests! {
    /// Inserts text.
    InsertText = "insertText",
    /// Deletes a range.
    DeleteContentRange = "deleteContentRange",
    /// Replaces every occurrence of a text.
    ReplaceAllText = "replaceAllText",
    /// Sets fields of the text style of a range.
    UpdateTextStyle = "updateTextStyle",
    /// Sets fields of the paragraph style of all paragraphs that a range touches.
    UpdateParagraphStyle = "updateParagraphStyle",
    /// Makes all paragraphs that a range touches items of a list.
    CreateParagraphBullets = "createParagraphBullets",
    /// Takes all paragraphs that a range touches out of their lists.
    DeleteParagraphBullets = "deleteParagraphBullets",
    /// Names a range.
    CreateNamedRange = "createNamedRange",
    /// Removes named ranges.
    DeleteNamedRange = "deleteNamedRange",
    /// Replaces what named ranges hold.
    ReplaceNamedRangeContent = "replaceNamedRangeContent",
    /// Inserts an empty table behind a newline.
    InsertTable = "insertTable",
    /// Inserts an empty row.
    InsertTableRow = "insertTableRow",
    /// Inserts an empty column.
    InsertTableColumn = "insertTableColumn",
    /// Deletes rows.
    DeleteTableRow = "deleteTableRow",
    /// Deletes columns.
    DeleteTableColumn = "deleteTableColumn",
    /// Makes one cell of many.
    MergeTableCells = "mergeTableCells",
    /// Takes merged cells apart.
    UnmergeTableCells = "unmergeTableCells",
    /// Pins rows at the top of a table.
    PinTableHeaderRows = "pinTableHeaderRows",
    /// Sets fields of the style of cells.
    UpdateTableCellStyle = "updateTableCellStyle",
    /// Sets fields of columns.
    UpdateTableColumnProperties = "updateTableColumnProperties",
    /// Sets fields of the style of rows.
    UpdateTableRowStyle = "updateTableRowStyle",
    /// Inserts a footnote.
    CreateFootnote = "createFootnote",
    /// Inserts a page break.
    InsertPageBreak = "insertPageBreak",
    /// Inserts a section break.
    InsertSectionBreak = "insertSectionBreak",
    /// Inserts a person chip.
    InsertPerson = "insertPerson",
    /// Inserts a date chip.
    InsertDate = "insertDate",
    /// Inserts a chip for a file, a video, an event.
    InsertRichLink = "insertRichLink",
    /// Inserts an image.
    InsertInlineImage = "insertInlineImage",
    /// Replaces an image by another.
    ReplaceImage = "replaceImage",
    /// Deletes an image that is tethered to a paragraph.
    DeletePositionedObject = "deletePositionedObject",
    /// Makes a header.
    CreateHeader = "createHeader",
    /// Makes a footer.
    CreateFooter = "createFooter",
    /// Deletes a header.
    DeleteHeader = "deleteHeader",
    /// Deletes a footer.
    DeleteFooter = "deleteFooter",
    /// Sets fields of the style of sections.
    UpdateSectionStyle = "updateSectionStyle",
    /// Sets fields of the style of a tab.
    UpdateDocumentStyle = "updateDocumentStyle",
    /// Sets fields of a named style.
    UpdateNamedStyle = "updateNamedStyle",
    /// Adds a tab.
    AddDocumentTab = "addDocumentTab",
    /// Deletes a tab with its children.
    DeleteTab = "deleteTab",
    /// Sets fields of a tab.
    UpdateDocumentTabProperties = "updateDocumentTabProperties",
    /// Makes a list of options for chips.
    CreateDropdownDefinition = "createDropdownDefinition",
    /// Deletes a list of options.
    DeleteDropdownDefinition = "deleteDropdownDefinition",
    /// Sets fields of a list of options.
    UpdateDropdownDefinitionProperties = "updateDropdownDefinitionProperties",
    /// Inserts a drop-down chip.
    InsertDropdown = "insertDropdown",
    /// Sets fields of a drop-down chip.
    UpdateDropdownProperties = "updateDropdownProperties",
    /// Puts a comment on a range.
    InsertComment = "insertComment",
    /// Adds a post to a thread.
    AddCommentReply = "addCommentReply",
    /// Changes what a post says.
    UpdateCommentPost = "updateCommentPost",
    /// Deletes a comment with its replies.
    DeleteComment = "deleteComment",
    /// Deletes one reply.
    DeleteCommentReply = "deleteCommentReply",
    /// Makes a suggested change real.
    AcceptSuggestion = "acceptSuggestion",
    /// Undoes a suggested change, as an editor does.
    RejectSuggestion = "rejectSuggestion",
    /// Undoes a suggested change, as its author does.
    DeleteSuggestion = "deleteSuggestion",
}

/// A place, in UTF-16 units of its segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The place.
    #[serde(default)]
    pub index: u32,
    /// Absent for the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_id: Option<String>,
    /// Absent for the first tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// The end of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndOfSegmentLocation {
    /// Absent for the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_id: Option<String>,
    /// Absent for the first tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}
