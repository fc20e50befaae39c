//! A tab of a Document as MEBDF text, with the place of everything in it. Pure and total: whatever the text cannot
//! say becomes a warning, never an error.

use std::borrow::Cow;

use serde_json::Value;

use super::anchors;
use super::flat::Look;
use super::head::{self, Segment};
use super::landmarks::Landmarks;
use super::line::{Line, footnote_label};
use super::lists::{Counts, DEPTH_MAX, Lists};
use super::present::present;
use super::style::{self, Base};
use crate::gdocs::{Document, DocumentTab, Paragraph, StructuralElement, Tab, Table, Ticks};
use crate::kinds::Part;
use crate::mebdf::{
    Alignment, Block, Cell, Content, FrontMatter, Mark, Object, Run, RunContent, Tree, normalize_content,
    print_normalized,
};
use crate::model::{Notice, PartId};

/// A tab as a tree, and where each of its blocks came from.
#[derive(Debug, Clone)]
pub(crate) struct Extract {
    /// The tab in flat form: without directives.
    pub(crate) tree: Tree,
    /// How each block of the tree is styled.
    pub(crate) looks: Vec<Look>,
    /// One for each block of the tree.
    pub(crate) origins: Vec<Origin>,
    /// The number of each block in its list, when it is a numbered item.
    pub(crate) numbers: Vec<Option<u64>>,
    /// What the text cannot say.
    pub(crate) warnings: Vec<Notice>,
    /// The header and footer that the head shows.
    pub(crate) segments: Vec<Segment>,
    /// Whether it is the document's first tab.
    pub(crate) first_tab: bool,
    /// What the other tabs are called.
    pub(crate) other_tabs: Vec<String>,
    /// The anchors in the text, which the tree does not hold.
    pub(crate) anchors: Vec<anchors::Placed>,
}

/// Where a block came from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
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
        /// Start and end in the body, in UTF-16 units.
        place: (u32, u32),
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
}

impl Extract {
    /// The tab as its file says it, in canonical form.
    pub(crate) fn presented(&self) -> Tree {
        self.presented_with(|id| Some(id.to_owned()))
    }

    /// The same, with anchors by the names that `name` gives to their ids.
    pub(crate) fn presented_with(&self, name: impl Fn(&str) -> Option<String>) -> Tree {
        let blocks = self.with_anchors(name);
        let blocks = present(&blocks, &self.looks).into_iter().map(Cow::into_owned).collect();
        Tree { front_matter: self.tree.front_matter.clone(), blocks }
    }

    /// The blocks with the anchors in them.
    fn with_anchors(&self, name: impl Fn(&str) -> Option<String>) -> Cow<'_, [Block]> {
        if self.anchors.is_empty() {
            return Cow::Borrowed(&self.tree.blocks);
        }
        let mut blocks = self.tree.blocks.clone();
        anchors::show(&mut blocks, &self.anchors, name);
        blocks.iter_mut().for_each(|block| normalize_content(&mut block.content));
        Cow::Owned(blocks)
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> String {
        let blocks = self.with_anchors(|id| Some(id.to_owned()));
        print_normalized(self.tree.front_matter.as_ref(), &present(&blocks, &self.looks)).text
    }

    /// The same, and where it can be cut.
    fn printed(&self) -> (String, Landmarks) {
        let blocks = self.with_anchors(|id| Some(id.to_owned()));
        let presented = present(&blocks, &self.looks);
        let printed = print_normalized(self.tree.front_matter.as_ref(), &presented);
        let landmarks = Landmarks::read(self, &presented, &printed.starts, &printed.text);
        (printed.text, landmarks)
    }
}

/// Returns the files of a document: one for each tab, the first tab under the empty part id. Beside each stands
/// where its text can be cut. `ticks` are the boxes that are shown as ticked.
pub(crate) fn parts(document: &Document, ticks: &Ticks, access: &str, url: &str) -> Vec<(Part, Landmarks)> {
    let tabs = document.all_tabs();
    let several = tabs.len() > 1;
    let mut parts = Vec::new();
    for (index, tab) in tabs.iter().enumerate() {
        let properties = tab.tab_properties.clone().unwrap_or_default();
        // The places of characters are only needed to find anchors among them.
        let placed = tab.document_tab.as_ref().is_some_and(anchors::any);
        let extract = read(document, ticks, tab, (access, url), several, placed);
        debug_assert!(is_canonical(&extract.presented()), "what is shown is in canonical form");
        let (text, landmarks) = extract.printed();
        let id = if index == 0 { PartId::default() } else { PartId(properties.tab_id.clone()) };
        let title = if several { properties.title } else { document.title.clone() };
        parts.push((Part { id, title, text, warnings: extract.warnings }, landmarks));
    }
    parts
}

/// Finds the tab that a part shows.
pub(crate) fn tab_of<'a>(document: &'a Document, part: &PartId) -> Option<&'a Tab> {
    let tabs = document.all_tabs();
    if part.0.is_empty() {
        return tabs.first().copied();
    }
    tabs.into_iter().find(|tab| tab.tab_properties.as_ref().is_some_and(|properties| properties.tab_id == part.0))
}

/// Reads one tab with the place of everything in it. Its head says neither access nor URL, which no document knows.
pub(crate) fn extract(document: &Document, ticks: &Ticks, tab: &Tab, several: bool) -> Extract {
    read(document, ticks, tab, ("", ""), several, true)
}

fn read(
    document: &Document,
    ticks: &Ticks,
    tab: &Tab,
    (access, url): (&str, &str),
    several: bool,
    placed: bool,
) -> Extract {
    let empty = DocumentTab::default();
    let content = tab.document_tab.as_ref().unwrap_or(&empty);
    let mut reader = Reader {
        tab: content,
        ticked: &|start| ticks.has(tab.id(), "", start),
        placed,
        blocks: Vec::new(),
        looks: Vec::new(),
        origins: Vec::new(),
        numbers: Vec::new(),
        counts: Counts::default(),
        warnings: Vec::new(),
        lists: Lists::of(content.body.as_ref().map_or(&[], |body| &body.content)),
        footnotes: Vec::new(),
    };
    for (index, element) in content.body.iter().flat_map(|body| &body.content).enumerate() {
        reader.element(index, element);
    }
    reader.footnotes();
    let segments = head::segments(content);
    let front_matter = Some(front_matter(document, tab, &segments, access, url, several));
    let tree = Tree { front_matter, blocks: reader.blocks.into_iter().map(Block::new).collect() };
    debug_assert!(is_canonical(&tree), "what was extracted is in canonical form");
    let anchors = if placed { anchors::placed(content, &tree.blocks, &reader.origins) } else { Vec::new() };
    let tabs = document.all_tabs();
    let others = tabs.iter().filter(|other| other.id() != tab.id());
    Extract {
        tree,
        looks: reader.looks,
        origins: reader.origins,
        numbers: reader.numbers,
        warnings: reader.warnings,
        segments,
        first_tab: tabs.first().is_some_and(|first| first.id() == tab.id()),
        other_tabs: others.map(|other| other.title().to_owned()).collect(),
        anchors,
    }
}

/// Tells whether a tree is in canonical form: each paragraph is brought into it when it is read.
fn is_canonical(tree: &Tree) -> bool {
    let mut canonical = tree.clone();
    canonical.normalize();
    canonical == *tree
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

/// The alignment that all paragraphs of a column share. Left is what a column has anyway.
fn alignment(table: &Table, column: usize) -> Alignment {
    let cells = table.table_rows.iter().filter_map(|row| row.table_cells.get(column));
    let mut found = cells.flat_map(|cell| &cell.content).map(|element| {
        let style = element.paragraph.as_ref().and_then(|paragraph| paragraph.paragraph_style.as_ref());
        match style.and_then(|style| style.0.get("alignment")).and_then(Value::as_str) {
            Some("CENTER") => Alignment::Center,
            Some("END") => Alignment::Right,
            Some(_) | None => Alignment::None,
        }
    });
    let first = found.next().unwrap_or_default();
    if found.all(|other| other == first) { first } else { Alignment::None }
}

struct Reader<'a> {
    tab: &'a DocumentTab,
    /// Whether the box of the item that starts there is ticked.
    ticked: &'a dyn Fn(u32) -> bool,
    /// Whether the place of each character is asked for.
    placed: bool,
    blocks: Vec<Content>,
    looks: Vec<Look>,
    origins: Vec<Origin>,
    numbers: Vec<Option<u64>>,
    /// How far the lists have counted.
    counts: Counts,
    warnings: Vec<Notice>,
    /// What the lists look like.
    lists: Lists,
    /// Label and segment id of each footnote, in the order of their references.
    footnotes: Vec<(String, String)>,
}

impl Reader<'_> {
    fn push(&mut self, content: Content, look: Look, origin: Origin) {
        self.blocks.push(content);
        self.looks.push(look);
        self.origins.push(origin);
        self.numbers.push(None);
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
            let place = (element.start_index.utf16(), element.end_index.utf16());
            self.table(index, place, table);
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
        self.push(Content::Paragraph { runs }, Look::default(), Origin::Fixed { element });
    }

    fn paragraph(&mut self, index: usize, element: &StructuralElement, paragraph: &Paragraph) {
        self.note_footnotes(paragraph);
        let number = paragraph.bullet.as_ref().map(|bullet| self.counts.next(bullet));
        let heading = paragraph.named_style_type().starts_with("HEADING_");
        let (line, runs) = Line::read(element, paragraph, None, self.tab, heading, self.placed);
        let rule = matches!(paragraph.elements.first(), Some(first) if first.rest.contains_key("horizontalRule"))
            && runs.len() == 1;
        let level = line.named_style.strip_prefix("HEADING_").and_then(|level| level.parse::<u8>().ok());
        let fields = paragraph.paragraph_style.as_ref();
        let base = Base { tab: self.tab, named: &line.named_style, footnote: false };
        let named = match line.named_style.as_str() {
            "TITLE" => Some("Title".to_owned()),
            "SUBTITLE" => Some("Subtitle".to_owned()),
            _ => None,
        };
        let mut look = Look { named, ..Look::default() };
        let content = if rule {
            look = Look::default();
            Content::Rule
        } else if let Some(level) = level.filter(|level| (1..=6).contains(level)) {
            if paragraph.bullet.is_some() {
                self.warn("HEADING_IN_LIST", "a heading is also a list item; only the heading is shown");
            }
            // A heading shows no overrides of its paragraph: a directive would end at it.
            Content::Heading { level, anchor: paragraph.heading_id().map(ToOwned::to_owned), runs }
        } else if let Some(bullet) = &paragraph.bullet {
            look.properties = style::block_properties(fields, base, true);
            let depth = u8::try_from(bullet.nesting_level.unwrap_or(0)).unwrap_or(u8::MAX).min(DEPTH_MAX);
            let (mut mark, list) = self.lists.glyphs(self.tab, &bullet.list_id, depth);
            look.list = list;
            if let Mark::Task { checked } = &mut mark {
                *checked = (self.ticked)(line.start);
            }
            Content::Item { depth, mark, runs }
        } else {
            look.properties = style::block_properties(fields, base, false);
            Content::Paragraph { runs }
        };
        let number = number.filter(|_| matches!(content, Content::Item { mark: Mark::Number, .. }));
        self.push(content, look, Origin::Line { element: index, line });
        if let Some(last) = self.numbers.last_mut() {
            *last = number;
        }
    }

    fn table(&mut self, element: usize, place: (u32, u32), table: &Table) {
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
        let alignments = (0..columns).map(|column| alignment(table, column)).collect();
        let content = Content::Table { alignments, rows };
        let lock = lock.map(ToOwned::to_owned);
        let look = Look { locked: lock.clone(), ..Look::default() };
        self.push(content, look, Origin::Table { element, place, cells: origins, lock });
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
                if let Some(bullet) = &paragraph.bullet {
                    self.counts.next(bullet);
                    *lock = Some("a list in a cell");
                }
                let (line, runs) = Line::read(element, paragraph, None, self.tab, true, self.placed);
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
        for (label, id) in std::mem::take(&mut self.footnotes) {
            let mut paragraphs = Vec::new();
            let mut lines = Vec::new();
            for element in self.tab.footnotes.get(&id).into_iter().flat_map(|segment| &segment.content) {
                if let Some(paragraph) = &element.paragraph {
                    let (line, runs) = Line::read(element, paragraph, Some(&id), self.tab, false, self.placed);
                    paragraphs.push(runs);
                    lines.push(line);
                }
            }
            self.push(Content::Footnote { label, paragraphs }, Look::default(), Origin::Footnote { lines });
        }
    }
}

/// The paragraphs of a block in order.
pub(crate) fn lines(origin: &Origin) -> Vec<&Line> {
    match origin {
        Origin::Line { line, .. } => vec![line],
        Origin::Table { cells, .. } => cells.iter().flatten().flatten().collect(),
        Origin::Footnote { lines } => lines.iter().collect(),
        Origin::Fixed { .. } => Vec::new(),
    }
}
