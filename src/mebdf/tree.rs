//! The tree: what a MEBDF text says, flat as Docs is flat.
//!
//! A document is a row of blocks and a block a row of runs. Lists are not nested: an item knows its depth, as a
//! paragraph of a Doc does. Text holds U+000B for a hard line break, as Docs does, and `\n` for a soft one (which
//! means a space).

use std::ops::Range;

/// A parsed file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tree {
    /// The YAML head, when there is one.
    pub front_matter: Option<FrontMatter>,
    /// The blocks in order.
    pub blocks: Vec<Block>,
}

/// The head of a mirrored file. Order and unknown keys are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Keys with their values, in the order of the file.
    pub entries: Vec<(String, String)>,
}

impl FrontMatter {
    /// Returns the value of a key, the first one where it stands twice.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Returns the id in `tab: t.2 "Its title"`, or whatever word stands in its place; no document of one tab has it.
    #[must_use]
    pub fn tab_id(&self) -> Option<&str> {
        self.value("tab")?.split_whitespace().next()
    }
}

/// A block and where it stood in the text that was parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// What it is.
    pub content: Content,
    /// Its lines in the source.
    pub span: Span,
}

/// A byte range of the source that covers whole lines; any two compare equal, since where a block stands is not what
/// it says.
#[derive(Debug, Clone, Default)]
pub struct Span(pub Range<usize>);

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Block {
    /// Wraps content that was not parsed from a text.
    #[must_use]
    pub fn new(content: Content) -> Self {
        Self { content, span: Span::default() }
    }
}

/// What a block is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// `## {^ h.abc}Title`
    Heading {
        /// 1 to 6.
        level: u8,
        /// The anchor directly after the marks: `None` when there is no form, `Some("")` for the new one, `{^}`.
        anchor: Option<String>,
        /// The text.
        runs: Vec<Run>,
    },
    /// A paragraph; without runs it is the empty one, `\`.
    Paragraph {
        /// The text.
        runs: Vec<Run>,
    },
    /// One item of a list.
    Item {
        /// Nesting from 0.
        depth: u8,
        /// Its mark.
        mark: Mark,
        /// The text; empty for an empty item.
        runs: Vec<Run>,
    },
    /// A further paragraph inside a list item, indented under it. Docs has no such thing.
    ItemParagraph {
        /// Nesting of the item it belongs to, from 0.
        depth: u8,
        /// The text.
        runs: Vec<Run>,
    },
    /// A fenced code block.
    Code {
        /// What stands behind the fence.
        info: String,
        /// The lines, each with its newline.
        text: String,
    },
    /// A GFM table; the first row is the head.
    Table {
        /// The alignment of each column.
        alignments: Vec<Alignment>,
        /// Rows of cells, each row as long as `alignments`; a cell is a row of paragraphs, joined by `<br>`.
        rows: Vec<Vec<Cell>>,
    },
    /// `---`
    Rule,
    /// `{!…}` alone on its line.
    Directive {
        /// The properties, in canonical order.
        properties: Vec<Property>,
    },
    /// `[^label]: …`
    Footnote {
        /// The label.
        label: String,
        /// Its paragraphs.
        paragraphs: Vec<Vec<Run>>,
    },
}

impl Content {
    /// All runs of the block, those of cells and footnotes included.
    #[must_use]
    pub fn runs(&self) -> Vec<&Run> {
        match self {
            Self::Table { rows, .. } => rows.iter().flatten().flatten().flatten().collect(),
            Self::Footnote { paragraphs, .. } => paragraphs.iter().flatten().collect(),
            Self::Heading { runs, .. }
            | Self::Paragraph { runs }
            | Self::Item { runs, .. }
            | Self::ItemParagraph { runs, .. } => runs.iter().collect(),
            Self::Code { .. } | Self::Rule | Self::Directive { .. } => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn runs_mut(&mut self) -> Vec<&mut Run> {
        match self {
            Self::Table { rows, .. } => rows.iter_mut().flatten().flatten().flatten().collect(),
            Self::Footnote { paragraphs, .. } => paragraphs.iter_mut().flatten().collect(),
            Self::Heading { runs, .. }
            | Self::Paragraph { runs }
            | Self::Item { runs, .. }
            | Self::ItemParagraph { runs, .. } => runs.iter_mut().collect(),
            Self::Code { .. } | Self::Rule | Self::Directive { .. } => Vec::new(),
        }
    }

    /// Tells whether the block is a paragraph that holds one object of this kind and nothing else.
    #[must_use]
    pub fn is_object(&self, kind: &str) -> bool {
        let Self::Paragraph { runs } = self else { return false };
        matches!(&runs[..], [run] if matches!(&run.content, RunContent::Object(object) if object.kind == kind))
    }

    /// Tells whether the block stands for something that is no paragraph in a document: a section break or a table of contents.
    #[must_use]
    pub fn is_structure(&self) -> bool {
        self.is_object("sectionbreak") || self.is_object("toc")
    }
}

/// The paragraphs of one cell; an empty cell has one paragraph without runs.
pub type Cell = Vec<Vec<Run>>;

/// The mark of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `-`
    Bullet,
    /// `1.`; the number itself is not kept, the printer counts.
    Number,
    /// `- [ ]` or `- [x]`
    Task {
        /// Whether it is ticked.
        checked: bool,
    },
}

/// The alignment of a table's column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Alignment {
    /// Not said.
    #[default]
    None,
    /// `:--`
    Left,
    /// `:-:`
    Center,
    /// `--:`
    Right,
}

/// A piece of a block with one set of marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it is.
    pub content: RunContent,
    /// How it looks.
    pub marks: Marks,
}

impl Run {
    /// Lets soft breaks be the spaces that they mean.
    pub fn flow(&mut self) {
        if let RunContent::Text(text) = &mut self.content
            && text.contains('\n')
        {
            *text = text.replace('\n', " ");
        }
    }
}

/// What a run is.
#[derive(Debug, Clone, PartialEq)]
pub enum RunContent {
    /// Text; U+000B is a hard break, `\n` a soft one.
    Text(String),
    /// `{^ id}`; `None` for the new one, `{^}`.
    Anchor(Option<String>),
    /// `{^= id type "title"}`
    Object(Object),
    /// `[^label]`
    FootnoteReference(String),
}

/// An embedded object: opaque, only its place can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its id; equations and breaks have none. `new` asks for an image to be inserted.
    pub id: Option<String>,
    /// `image`, `equation`, … as written; an unknown one is an embed.
    pub kind: String,
    /// What people read.
    pub title: Option<String>,
}

/// How a run looks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// `**`
    pub bold: bool,
    /// `*`
    pub italic: bool,
    /// `~~`
    pub strike: bool,
    /// `` ` ``
    pub code: bool,
    /// The link's destination.
    pub link: Option<String>,
    /// Brace properties, in canonical order, each name once.
    pub properties: Vec<Property>,
}

/// One brace property: `size:12pt`, `underline`, `Title`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Its name as in the table of properties; a named style is written as `Title`.
    pub name: String,
    /// Its value.
    pub value: PropertyValue,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyValue {
    /// A bare name: on.
    On,
    /// `name:false`
    Off,
    /// Anything else, unquoted.
    Text(String),
}
