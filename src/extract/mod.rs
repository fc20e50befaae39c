//! Text of files: bytes in, Markdown out, for files that people send one another. Pure.
//!
//! What a file says becomes a tree of the text format and is printed by [`mebdf`], so that no file's words can become structure, a
//! brace form or the head of a file of ours. Each format has a file here; `lines`, `html` and `calendar` read mails, too.
//!
//! The bytes come from anybody. Each reader walks them without recursion, or to a named depth, and takes no more than the limits say;
//! what was cut is said in the text. Yet the libraries below may fail, and a page of a PDF is unpacked whole: who must not fall runs
//! this in a process of its own.

mod attributes;
pub(crate) mod calendar;
mod csv;
mod docx;
mod glyphs;
pub(crate) mod html;
pub(crate) mod lines;
mod look;
mod package;
mod paper;
mod pdf;
mod pdf_font;
mod pptx;
mod tables;
#[cfg(test)]
mod tests;
mod web;
mod xlsx;
mod xml;

use serde::{Deserialize, Serialize};

use self::paper::Paper;
use crate::mebdf::{self, Block, Content, Marks, Run, RunContent, Tree};

/// Counts the changes of what is read from the same bytes: a text of an older number is read anew.
pub const VERSION: i64 = 2;

/// The most bytes of a file that are read.
pub const INPUT_BYTES_MAX: usize = 50 << 20;

/// The most bytes that a text may have once it is printed: what the readers take, each character escaped, is less.
pub const OUTPUT_BYTES_MAX: usize = 16 << 20;

/// What ends the name of the file that holds a text.
const ENDING: &str = ".md";

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// A document of Word.
    Docx,
    /// A workbook of Excel.
    Xlsx,
    /// Slides of `PowerPoint`.
    Pptx,
    /// Values with commas, or other signs, between them.
    Csv,
    /// A calendar.
    Ics,
    /// A web page.
    Html,
}

impl Format {
    /// Tells a format by the name of a file, and by its media type where the name says nothing; `None` for all that are not read.
    ///
    /// Nothing else counts, so that what is said of a file never depends on what became of it.
    #[must_use]
    pub fn of(name: &str, media_type: &str) -> Option<Self> {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let by_name = match ending.as_deref().unwrap_or_default() {
            "pdf" => Some(Self::Pdf),
            "docx" | "docm" | "dotx" | "dotm" => Some(Self::Docx),
            "xlsx" | "xlsm" | "xltx" | "xltm" => Some(Self::Xlsx),
            "pptx" | "pptm" | "ppsx" | "ppsm" | "potx" => Some(Self::Pptx),
            "csv" | "tsv" => Some(Self::Csv),
            "ics" | "ical" | "ifb" => Some(Self::Ics),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            _ => None,
        };
        by_name.or_else(|| match media_type.to_ascii_lowercase().as_str() {
            "application/pdf" | "application/x-pdf" => Some(Self::Pdf),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => Some(Self::Docx),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => Some(Self::Xlsx),
            "application/vnd.openxmlformats-officedocument.presentationml.presentation" => Some(Self::Pptx),
            "text/csv" | "text/tab-separated-values" => Some(Self::Csv),
            "text/calendar" | "application/ics" => Some(Self::Ics),
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            _ => None,
        })
    }
}

/// Returns the name of the file that holds the text of a file with this name.
#[must_use]
pub fn text_name(name: &str) -> String {
    format!("{name}{ENDING}")
}

/// Reads the text of a file.
///
/// # Errors
///
/// A sentence that says why there is no text; it says nothing of what the file holds.
pub fn text(format: Format, bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(format!("it has more than {} MB", INPUT_BYTES_MAX >> 20));
    }
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut paper = Paper::new();
    match format {
        Format::Pdf => pdf::read(bytes, &mut paper)?,
        Format::Docx => docx::read(bytes, &mut paper)?,
        Format::Xlsx => xlsx::read(bytes, &mut paper)?,
        Format::Pptx => pptx::read(bytes, &mut paper)?,
        Format::Csv => csv::read(bytes, &mut paper),
        Format::Ics => web::calendar(bytes, &mut paper)?,
        Format::Html => web::page(bytes, &mut paper),
    }
    let blocks = paper.finish();
    if blocks.is_empty() {
        return Err("no text is in it".to_owned());
    }
    Ok(mebdf::print(&Tree { front_matter: None, blocks }))
}

/// Returns the text of the file that stands beside the one named: what it was made from, the address of a copy in Drive, and the
/// text, or why there is none.
#[must_use]
pub fn beside(name: &str, copy: Option<&str>, text: Result<&str, &str>) -> String {
    let made = match text {
        Ok(_) => format!("(The text of {name}. It was made from that file; edits here are sent nowhere.)"),
        Err(problem) => format!("(The text of {name} could not be read: {problem}. Edits here are sent nowhere.)"),
    };
    let run = |text: &str, link: Option<&str>| Run {
        content: RunContent::Text(paper::clean(text)),
        marks: Marks { link: link.map(paper::clean), ..Marks::default() },
    };
    let paragraph = |runs: Vec<Run>| Block::new(Content::Paragraph { runs });
    let mut blocks = vec![paragraph(vec![run(&made, None)])];
    if let Some(address) = copy {
        // In the text itself signs of an address would be escaped.
        let runs = vec![run("(The same file is ", None), run("in Google Drive", Some(address)), run(".)", None)];
        blocks.push(paragraph(runs));
    }
    let mut out = mebdf::print(&Tree { front_matter: None, blocks });
    if let Ok(text) = text {
        out.push('\n');
        out.push_str(text);
    }
    out
}
