//! The body of a document as programs know it that count its letters: paragraphs and tables with their places, and looks that are set
//! on a range. Pure data.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::ItemId;

/// What stands in the bodies of a document's tabs.
#[derive(Debug, Clone, PartialEq)]
pub struct Elements {
    /// The document.
    pub id: ItemId,
    /// Its name.
    pub title: String,
    /// What stands there, tab by tab.
    pub elements: Vec<Element>,
    /// What stands beside the bodies, tab by tab: footnotes in the order of their marks, then headers and footers.
    pub apart: Vec<Apart>,
}

/// A text that stands beside a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// What it is.
    pub kind: ApartKind,
    /// The tab.
    pub tab_id: String,
    /// What it says, paragraph by paragraph and table by table.
    pub elements: Vec<Element>,
}

/// What stands beside a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApartKind {
    /// A footnote, with its number.
    Footnote(String),
    /// A header; there may be others for the first and for even pages.
    Header,
    /// A footer, likewise.
    Footer,
}

/// A paragraph, a table, or a break. Places are counted in UTF-16 units, each tab from 0, as Google counts them; the first letter of a
/// tab stands at 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Element {
    /// `paragraph`, `table`, `section_break`, or `table_of_contents`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The tab.
    pub tab_id: String,
    /// Where it begins.
    pub start_index: u32,
    /// Where it ends: behind the newline of a paragraph.
    pub end_index: u32,
    /// What a paragraph says, without its newline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How a paragraph looks: its heading type, and what is set on it alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph_style: Option<Map<String, Value>>,
    /// Depth of a list item, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nesting_level: Option<u32>,
    /// The pieces of a paragraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_runs: Option<Vec<TextRun>>,
    /// What stands in the cells of a table, row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Vec<Vec<Self>>>>,
}

/// Text of one look, or an object.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextRun {
    /// The text, without the newline that ends the paragraph; empty for an object.
    pub content: String,
    /// Where it begins.
    pub start_index: u32,
    /// Where it ends.
    pub end_index: u32,
    /// What is set on it alone.
    pub style: Map<String, Value>,
    /// What it is, as Google names it, when it is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

/// Looks to be set on a range; what is not said is left as it is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Look {
    /// Bold or not.
    pub bold: Option<bool>,
    /// Italic or not.
    pub italic: Option<bool>,
    /// Underlined or not.
    pub underline: Option<bool>,
    /// Struck through or not.
    pub strikethrough: Option<bool>,
    /// In points.
    pub font_size: Option<f64>,
    /// A family, such as `Arial`.
    pub font_family: Option<String>,
    /// `#rgb` or `#rrggbb`.
    pub foreground_color: Option<String>,
    /// `#rgb` or `#rrggbb`.
    pub background_color: Option<String>,
    /// Where a link leads.
    pub link_url: Option<String>,
    /// A named style as Google writes it, such as `HEADING_1`.
    pub heading_type: Option<String>,
    /// `START`, `CENTER`, `END` or `JUSTIFIED`.
    pub alignment: Option<String>,
    /// In percent.
    pub line_spacing: Option<f64>,
    /// In points.
    pub space_above: Option<f64>,
    /// In points.
    pub space_below: Option<f64>,
}
