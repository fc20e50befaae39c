//! A tab of a Document as MEBDF text, with the place of everything in it. Pure and total: whatever the text cannot
//! say becomes a warning, never an error.

use serde_json::Value;

use super::head::{self, Segment};
use super::line::{Line, footnote_label};
use super::style;
use crate::gdocs::{Document, DocumentTab, Paragraph, StructuralElement, Tab, Table};
use crate::kinds::Part;
use crate::mebdf::{
    Alignment, Block, Cell, Content, FrontMatter, Mark, Object, Property, PropertyValue, Run, RunContent, Tree, print,
};
use crate::model::{Notice, PartId};

/// A tab as a tree, and where each of its blocks came from.
pub(super) struct Extract {
    /// The tab in canonical form.
    pub(super) tree: Tree,
    /// One for each block of the tree.
    pub(super) origins: Vec<Origin>,
    /// What the text cannot say.
    pub(super) warnings: Vec<Notice>,
    /// The header and footer that the head shows.
    pub(super) segments: Vec<Segment>,
    /// Whether it is the document's first tab.
    pub(super) first_tab: bool,
    /// What the other tabs are called.
    pub(super) other_tabs: Vec<String>,
}

/// Where a block came from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A paragraph of the body.
    Line {
        /// Index among the body's structural elements.
        element: usize,
        /// The paragraph.
        line: Line,
    },
    /// A table of the body.
    Table {
        /// Index among the body's structural elements.
        element: usize,
        /// The paragraphs of each cell, row by row.
        cells: Vec<Vec<Vec<Line>>>,
        /// Why it cannot be edited, if so.
        lock: Option<String>,
    },
    /// Something that is only shown.
    Fixed {
        /// Index among the body's structural elements.
        element: usize,
    },
    /// A footnote.
    Footnote {
        /// Its paragraphs.
        lines: Vec<Line>,
    },
    /// A directive that the extractor wrote.
    Directive,
}

/// Returns the files of a document: one for each tab, the first tab under the empty part id.
pub(super) fn parts(document: &Document, access: &str, url: &str) -> Vec<Part> {
    let tabs = document.all_tabs();
    let several = tabs.len() > 1;
    let mut parts = Vec::new();
    for (index, tab) in tabs.iter().enumerate() {
        let properties = tab.tab_properties.clone().unwrap_or_default();
        let extract = extract(document, tab, access, url, several);
        let id = if index == 0 { PartId::default() } else { PartId(properties.tab_id.clone()) };
        let title = if several { properties.title } else { document.title.clone() };
        parts.push(Part { id, title, text: print(&extract.tree), warnings: extract.warnings });
    }
    parts
}

/// Finds the tab that a part shows.
pub(super) fn tab_of<'a>(document: &'a Document, part: &PartId) -> Option<&'a Tab> {
    let tabs = document.all_tabs();
    if part.0.is_empty() {
        return tabs.first().copied();
    }
    tabs.into_iter().find(|tab| tab.tab_properties.as_ref().is_some_and(|properties| properties.tab_id == part.0))
}

/// Reads one tab.
pub(super) fn extract(document: &Document, tab: &Tab, access: &str, url: &str, several: bool) -> Extract {
    let empty = DocumentTab::default();
    let content = tab.document_tab.as_ref().unwrap_or(&empty);
    let mut reader = Reader {
        tab: content,
        blocks: Vec::new(),
        origins: Vec::new(),
        warnings: Vec::new(),
        state: Vec::new(),
        footnotes: Vec::new(),
    };
    for (index, element) in content.body.iter().flat_map(|body| &body.content).enumerate() {
        reader.element(index, element);
    }
    reader.footnotes();
    let segments = head::segments(content);
    let front_matter = Some(front_matter(document, tab, &segments, access, url, several));
    let mut tree = Tree { front_matter, blocks: reader.blocks.into_iter().map(Block::new).collect() };
    tree.normalize();
    debug_assert_eq!(
        tree.blocks.len(),
        reader.origins.len(),
        "the canonical form of what was extracted has the same blocks"
    );
    let tabs = document.all_tabs();
    let others = tabs.iter().filter(|other| other.id() != tab.id());
    Extract {
        tree,
        origins: reader.origins,
        warnings: reader.warnings,
        segments,
        first_tab: tabs.first().is_some_and(|first| first.id() == tab.id()),
        other_tabs: others.map(|other| other.title().to_owned()).collect(),
    }
}

fn front_matter(
    document: &Document,
    tab: &Tab,
    segments: &[Segment],
    access: &str,
    url: &str,
    several: bool,
) -> FrontMatter {
    let mut entries =
        vec![("title".to_owned(), document.title.clone()), ("id".to_owned(), document.document_id.clone())];
    if several && let Some(properties) = &tab.tab_properties {
        entries.push(("tab".into(), format!("{} \"{}\"", properties.tab_id, properties.title)));
    }
    entries.push(("url".into(), url.to_owned()));
    entries.push(("access".into(), access.to_owned()));
    entries.extend(segments.iter().map(|segment| (segment.name.to_owned(), segment.text())));
    FrontMatter { entries }
}

struct Reader<'a> {
    tab: &'a DocumentTab,
    blocks: Vec<Content>,
    origins: Vec<Origin>,
    warnings: Vec<Notice>,
    /// The block properties in force.
    state: Vec<Property>,
    /// Label and segment id of each footnote, in the order of their references.
    footnotes: Vec<(String, String)>,
}

impl Reader<'_> {
    fn push(&mut self, content: Content, origin: Origin) {
        self.blocks.push(content);
        self.origins.push(origin);
    }

    fn directive(&mut self, properties: Vec<Property>) {
        self.push(Content::Directive { properties }, Origin::Directive);
    }

    fn warn(&mut self, code: &str, message: &str) {
        let notice = Notice { code: code.into(), line: 0, column: 0, message: message.into() };
        if !self.warnings.contains(&notice) {
            self.warnings.push(notice);
        }
    }

    fn element(&mut self, index: usize, element: &StructuralElement) {
        if let Some(paragraph) = &element.paragraph {
            self.paragraph(index, element, paragraph);
        } else if let Some(table) = &element.table {
            self.table(index, table);
        } else if element.table_of_contents.is_some() {
            self.fixed(index, "toc", None);
        } else if element.section_break.is_some() {
            // Every body begins with one that nobody made.
            if index > 0 {
                self.fixed(index, "sectionbreak", None);
            }
        } else {
            let title = element.rest.keys().next().cloned();
            self.warn(
                "UNKNOWN_ELEMENT",
                "the document holds an element of an unknown kind; it is shown as a placeholder",
            );
            self.fixed(index, "embed", title);
        }
    }

    fn fixed(&mut self, element: usize, kind: &str, title: Option<String>) {
        let object = Object { id: None, kind: kind.into(), title };
        let runs = vec![Run { content: RunContent::Object(object), marks: crate::mebdf::Marks::default() }];
        self.push(Content::Paragraph { runs }, Origin::Fixed { element });
    }

    fn paragraph(&mut self, index: usize, element: &StructuralElement, paragraph: &Paragraph) {
        self.note_footnotes(paragraph);
        let heading = paragraph.named_style_type().starts_with("HEADING_");
        let (line, runs) = Line::read(element, paragraph, None, self.tab, heading);
        let rule = matches!(paragraph.elements.first(), Some(first) if first.rest.contains_key("horizontalRule"))
            && line.units.len() == 1;
        let level = line.named_style.strip_prefix("HEADING_").and_then(|level| level.parse::<u8>().ok());
        let content = if rule {
            Content::Rule
        } else if let Some(level) = level.filter(|level| (1..=6).contains(level)) {
            let anchor = paragraph.paragraph_style.as_ref().and_then(|style| style.0.get("headingId"));
            let anchor = anchor.and_then(Value::as_str).map(ToOwned::to_owned);
            if paragraph.bullet.is_some() {
                self.warn("HEADING_IN_LIST", "a heading is also a list item; only the heading is shown");
            }
            // A heading ends every directive.
            self.state.clear();
            Content::Heading { level, anchor, runs }
        } else if let Some(bullet) = &paragraph.bullet {
            self.enter(style::block_properties(paragraph.paragraph_style.as_ref(), true));
            let depth = u8::try_from(bullet.nesting_level.unwrap_or(0)).unwrap_or(u8::MAX).min(8);
            let mark = self.mark(&bullet.list_id, depth);
            Content::Item { depth, mark, runs }
        } else {
            // An empty paragraph looks the same in every style; telling its own would only be noise between the others.
            if !runs.is_empty() {
                self.enter(style::block_properties(paragraph.paragraph_style.as_ref(), false));
            }
            Content::Paragraph { runs }
        };
        self.push(content, Origin::Line { element: index, line });
    }

    /// Brings the block properties in force to `wanted`.
    fn enter(&mut self, wanted: Vec<Property>) {
        if wanted == self.state {
            return;
        }
        let keeps = self.state.iter().all(|old| wanted.iter().any(|new| new.name == old.name));
        if !keeps {
            self.directive(vec![Property { name: "Normal text".into(), value: PropertyValue::On }]);
            self.state.clear();
        }
        let missing: Vec<Property> = wanted.iter().filter(|new| !self.state.contains(new)).cloned().collect();
        if !missing.is_empty() {
            self.directive(missing);
        }
        self.state = wanted;
    }

    fn mark(&mut self, list: &str, depth: u8) -> Mark {
        let level = self
            .tab
            .lists
            .get(list)
            .and_then(|list| list.pointer("/listProperties/nestingLevels"))
            .and_then(|levels| levels.get(usize::from(depth)));
        let text = |name: &str| level.and_then(|level| level.get(name)).and_then(Value::as_str);
        match (text("glyphType"), text("glyphSymbol")) {
            (_, Some(_)) => Mark::Bullet,
            (Some("GLYPH_TYPE_UNSPECIFIED"), None) => {
                self.warn("CHECKLIST", "the API does not tell which boxes of a checklist are ticked");
                Mark::Task { checked: false }
            }
            (Some("NONE") | None, None) => Mark::Bullet,
            (Some("DECIMAL"), None) => Mark::Number,
            (Some(_), None) => {
                self.warn("LIST_GLYPH", "a list counts with letters or roman numbers; it is shown with numbers");
                Mark::Number
            }
        }
    }

    fn table(&mut self, element: usize, table: &Table) {
        let columns = table.table_rows.iter().map(|row| row.table_cells.len()).max().unwrap_or(0);
        if columns == 0 {
            return self.fixed(element, "embed", Some("empty table".into()));
        }
        let mut lock = None;
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        let mut origins = Vec::new();
        for row in &table.table_rows {
            let mut cells: Vec<Cell> = Vec::new();
            let mut lines = Vec::new();
            for cell in &row.table_cells {
                let merged = ["rowSpan", "columnSpan"].into_iter().any(|span| {
                    let style = cell.rest.get("tableCellStyle").and_then(|style| style.get(span));
                    style.and_then(Value::as_u64).is_some_and(|span| span > 1)
                });
                if merged {
                    lock = Some("merged cells");
                }
                let mut paragraphs = Vec::new();
                let mut cell_lines = Vec::new();
                self.cell(&cell.content, &mut paragraphs, &mut cell_lines, &mut lock);
                if paragraphs.is_empty() {
                    paragraphs.push(Vec::new());
                }
                cells.push(paragraphs);
                lines.push(cell_lines);
            }
            if cells.len() < columns {
                lock = Some("rows of different length");
                cells.resize_with(columns, || vec![Vec::new()]);
            }
            rows.push(cells);
            origins.push(lines);
        }
        let content = Content::Table { alignments: vec![Alignment::None; columns], rows };
        if let Some(reason) = lock {
            let locked = |value| vec![Property { name: "locked".into(), value }];
            self.directive(locked(PropertyValue::Text(reason.into())));
            self.push(content, Origin::Table { element, cells: origins, lock: Some(reason.into()) });
            self.directive(locked(PropertyValue::Off));
        } else {
            self.push(content, Origin::Table { element, cells: origins, lock: None });
        }
    }

    fn cell(
        &mut self,
        content: &[StructuralElement],
        paragraphs: &mut Vec<Vec<Run>>,
        lines: &mut Vec<Line>,
        lock: &mut Option<&'static str>,
    ) {
        for element in content {
            if let Some(paragraph) = &element.paragraph {
                self.note_footnotes(paragraph);
                if paragraph.bullet.is_some() {
                    *lock = Some("a list in a cell");
                }
                let (line, runs) = Line::read(element, paragraph, None, self.tab, true);
                paragraphs.push(runs);
                lines.push(line);
            } else if let Some(table) = &element.table {
                *lock = Some("a table in a cell");
                for cell in table.table_rows.iter().flat_map(|row| &row.table_cells) {
                    self.cell(&cell.content, paragraphs, lines, lock);
                }
            }
        }
    }

    fn note_footnotes(&mut self, paragraph: &Paragraph) {
        for reference in paragraph.elements.iter().filter_map(|element| element.rest.get("footnoteReference")) {
            let id = reference.get("footnoteId").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.footnotes.push((footnote_label(reference), id));
        }
    }

    fn footnotes(&mut self) {
        if !self.footnotes.is_empty() && !self.state.is_empty() {
            self.enter(Vec::new());
        }
        for (label, id) in std::mem::take(&mut self.footnotes) {
            let mut paragraphs = Vec::new();
            let mut lines = Vec::new();
            for element in self.tab.footnotes.get(&id).into_iter().flat_map(|segment| &segment.content) {
                if let Some(paragraph) = &element.paragraph {
                    let (line, runs) = Line::read(element, paragraph, Some(&id), self.tab, false);
                    paragraphs.push(runs);
                    lines.push(line);
                }
            }
            self.push(Content::Footnote { label, paragraphs }, Origin::Footnote { lines });
        }
    }
}
