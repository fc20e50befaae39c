//! The Document as `documents.get` answers it, with `includeTabsContent=true`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents>

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::message::{Absent, open_message};
use super::shared::Shared;
use super::thread::{CommentAnchor, CommentThread, SuggestionThread};

/// A place in a segment, in UTF-16 units; Google leaves 0 out of the JSON.
///
/// **Positions are not content: any two compare equal.** An edit moves everything behind it, and the question asked
/// of a document after an edit is whether anything *else* changed; so `==` on elements looks past where they stand.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub Option<u32>);

impl Position {
    /// Returns the position at `utf16` units; 0 is the absent one.
    #[must_use]
    pub const fn at(utf16: u32) -> Self {
        if utf16 == 0 { Self(None) } else { Self(Some(utf16)) }
    }

    /// Returns the position in UTF-16 units.
    #[must_use]
    pub fn utf16(self) -> u32 {
        self.0.unwrap_or(0)
    }
}

impl PartialEq for Position {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Absent for Position {
    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

/// A text style, paragraph style, or any other style message: a bag of fields, as `fields` masks see it.
///
/// A field that is absent is inherited; `"bold": false` is an override.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Style(pub Map<String, Value>);

open_message! {
    /// A whole document.
    pub struct Document {
        /// The Drive file id.
        document_id: String = "documentId",
        /// The name of the document.
        title: String = "title",
        /// Opaque; only compared for equality. Absent without edit access.
        revision_id: Option<String> = "revisionId",
        /// The tabs of the first level, in order.
        tabs: Vec<Tab> = "tabs",
        /// The comment threads; only read where comments are asked for.
        comments: Vec<CommentThread> = "comments",
        /// The suggestion threads; only read where comments are asked for.
        suggestions: Vec<SuggestionThread> = "suggestions",
    }
}

open_message! {
    /// A tab with its children.
    pub struct Tab {
        /// Id, title, and place.
        tab_properties: Option<TabProperties> = "tabProperties",
        /// The content.
        document_tab: Option<DocumentTab> = "documentTab",
        /// Tabs nested under this one.
        child_tabs: Vec<Tab> = "childTabs",
    }
}

open_message! {
    /// Id, title, and place of a tab.
    pub struct TabProperties {
        /// `t.0` for the first tab of a new document.
        tab_id: String = "tabId",
        /// The name of the tab.
        title: String = "title",
        /// Place among its siblings, from 0.
        index: Option<u32> = "index",
        /// The tab this one is nested under.
        parent_tab_id: Option<String> = "parentTabId",
        /// Depth of nesting, from 0.
        nesting_level: Option<u32> = "nestingLevel",
        /// One emoji; absent for the default icon.
        icon_emoji: Option<String> = "iconEmoji",
    }
}

open_message! {
    /// The content of one tab.
    pub struct DocumentTab {
        /// The body segment.
        body: Option<Body> = "body",
        /// Header segments by id.
        headers: BTreeMap<String, Segment> = "headers",
        /// Footer segments by id.
        footers: BTreeMap<String, Segment> = "footers",
        /// Footnote segments by id.
        footnotes: BTreeMap<String, Segment> = "footnotes",
        /// Page size, margins, default header ids, and the like.
        document_style: Option<Value> = "documentStyle",
        /// What each named style gives.
        named_styles: Option<Shared<NamedStyles>> = "namedStyles",
        /// Lists by id.
        lists: BTreeMap<String, Shared<Value>> = "lists",
        /// Named ranges by name.
        named_ranges: BTreeMap<String, NamedRanges> = "namedRanges",
        /// Where comments stand, by anchor id; only read where comments are asked for.
        comment_anchors: BTreeMap<String, CommentAnchor> = "commentAnchors",
        /// Images, drawings, and charts in the text, by id.
        inline_objects: BTreeMap<String, Value> = "inlineObjects",
        /// Images tethered to a paragraph, by id.
        positioned_objects: BTreeMap<String, Value> = "positionedObjects",
        /// What drop-down chips offer, by id.
        dropdown_definitions: BTreeMap<String, Value> = "dropdownDefinitions",
    }
}

open_message! {
    /// The main segment of a tab.
    pub struct Body {
        /// Elements in order, without gaps.
        content: Vec<StructuralElement> = "content",
    }
}

open_message! {
    /// A header, footer, or footnote; its id stands in `rest`.
    pub struct Segment {
        /// Elements in order, without gaps.
        content: Vec<StructuralElement> = "content",
    }
}

open_message! {
    /// What each named style gives.
    pub struct NamedStyles {
        /// One for each named style type.
        styles: Vec<NamedStyle> = "styles",
    }
}

open_message! {
    /// One named style.
    pub struct NamedStyle {
        /// `NORMAL_TEXT`, `HEADING_1`, …
        named_style_type: String = "namedStyleType",
        /// What it gives to text.
        text_style: Option<Style> = "textStyle",
        /// What it gives to paragraphs.
        paragraph_style: Option<Style> = "paragraphStyle",
    }
}

open_message! {
    /// A paragraph, table, section break, or table of contents.
    pub struct StructuralElement {
        /// Start in its segment.
        start_index: Position = "startIndex",
        /// End in its segment, exclusive.
        end_index: Position = "endIndex",
        /// Set for a paragraph.
        paragraph: Option<Paragraph> = "paragraph",
        /// Set for a table.
        table: Option<Table> = "table",
        /// Set for a section break.
        section_break: Option<Value> = "sectionBreak",
        /// Set for a table of contents.
        table_of_contents: Option<TableOfContents> = "tableOfContents",
    }
}

open_message! {
    /// A paragraph; the last text run ends with its newline.
    pub struct Paragraph {
        /// Runs and objects in order, without gaps.
        elements: Vec<ParagraphElement> = "elements",
        /// Named style and direct overrides.
        paragraph_style: Option<Style> = "paragraphStyle",
        /// Set for a list item.
        bullet: Option<Bullet> = "bullet",
    }
}

open_message! {
    /// The membership of a paragraph in a list.
    pub struct Bullet {
        /// Key into the tab's lists.
        list_id: String = "listId",
        /// Depth from 0; absent at 0.
        nesting_level: Option<u32> = "nestingLevel",
        /// Style of the glyph.
        text_style: Option<Style> = "textStyle",
    }
}

open_message! {
    /// A run of text or one object. Objects stand in `rest` under their own key.
    pub struct ParagraphElement {
        /// Start in its segment.
        start_index: Position = "startIndex",
        /// End in its segment, exclusive.
        end_index: Position = "endIndex",
        /// Set for text.
        text_run: Option<TextRun> = "textRun",
    }
}

open_message! {
    /// Text of one style. Suggestion ids and suggested styles stand in `rest`.
    pub struct TextRun {
        /// The text; only the last character may be a newline.
        content: String = "content",
        /// Direct overrides.
        text_style: Option<Style> = "textStyle",
    }
}

open_message! {
    /// A table.
    pub struct Table {
        /// Count of rows.
        rows: Option<u32> = "rows",
        /// Count of columns.
        columns: Option<u32> = "columns",
        /// The rows.
        table_rows: Vec<TableRow> = "tableRows",
    }
}

open_message! {
    /// A row of a table.
    pub struct TableRow {
        /// Start in its segment.
        start_index: Position = "startIndex",
        /// End in its segment, exclusive.
        end_index: Position = "endIndex",
        /// The cells, also those covered by a merged one.
        table_cells: Vec<TableCell> = "tableCells",
    }
}

open_message! {
    /// A cell of a table.
    pub struct TableCell {
        /// Start in its segment.
        start_index: Position = "startIndex",
        /// End in its segment, exclusive.
        end_index: Position = "endIndex",
        /// Paragraphs and nested tables.
        content: Vec<StructuralElement> = "content",
    }
}

open_message! {
    /// A table of contents; read-only.
    pub struct TableOfContents {
        /// Its paragraphs.
        content: Vec<StructuralElement> = "content",
    }
}

open_message! {
    /// All named ranges of one name.
    pub struct NamedRanges {
        /// The name they share.
        name: String = "name",
        /// The ranges.
        named_ranges: Vec<NamedRange> = "namedRanges",
    }
}

open_message! {
    /// One named range.
    pub struct NamedRange {
        /// `kix.…`
        named_range_id: String = "namedRangeId",
        /// Not unique.
        name: String = "name",
        /// Where it stands; more than one after an edit inside it.
        ranges: Vec<Range> = "ranges",
    }
}

open_message! {
    /// A range of a segment, in UTF-16 units.
    pub struct Range {
        /// Start, inclusive.
        start_index: Option<u32> = "startIndex",
        /// End, exclusive.
        end_index: Option<u32> = "endIndex",
        /// Absent for the body.
        segment_id: Option<String> = "segmentId",
        /// Absent for the first tab.
        tab_id: Option<String> = "tabId",
    }
}
