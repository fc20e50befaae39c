//! The shape of the requests, as the discovery document gives it: for reading them and for field masks.

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

/// The kinds that this model carries out.
pub(crate) const REQUESTS: &[Field] = &[
    (
        "insertText",
        Shape::Message(&[
            ("text", Shape::Text),
            ("location", Shape::Message(LOCATION)),
            ("endOfSegmentLocation", Shape::Message(&[("segmentId", Shape::Text), ("tabId", Shape::Text)])),
        ]),
    ),
    ("deleteContentRange", Shape::Message(&[("range", RANGE)])),
    (
        "updateTextStyle",
        Shape::Message(&[("range", RANGE), ("textStyle", Shape::Message(TEXT_STYLE)), ("fields", Shape::Text)]),
    ),
    (
        "updateParagraphStyle",
        Shape::Message(&[
            ("range", RANGE),
            ("paragraphStyle", Shape::Message(PARAGRAPH_STYLE)),
            ("fields", Shape::Text),
        ]),
    ),
    ("createNamedRange", Shape::Message(&[("name", Shape::Text), ("range", RANGE)])),
    (
        "deleteNamedRange",
        Shape::Message(&[
            ("namedRangeId", Shape::Text),
            ("name", Shape::Text),
            ("tabsCriteria", Shape::Message(&[("tabIds", Shape::List(&Shape::Text))])),
        ]),
    ),
];

/// Fields of `Location`.
const LOCATION: &[Field] = &[("index", Shape::Int), ("segmentId", Shape::Text), ("tabId", Shape::Text)];

/// `Range`.
const RANGE: Shape = Shape::Message(&[
    ("startIndex", Shape::Int),
    ("endIndex", Shape::Int),
    ("segmentId", Shape::Text),
    ("tabId", Shape::Text),
]);

/// Fields of `TextStyle`.
pub(crate) const TEXT_STYLE: &[Field] = &[
    ("bold", Shape::Bool),
    ("italic", Shape::Bool),
    ("underline", Shape::Bool),
    ("strikethrough", Shape::Bool),
    ("smallCaps", Shape::Bool),
    ("backgroundColor", OPTIONAL_COLOR),
    ("foregroundColor", OPTIONAL_COLOR),
    ("fontSize", DIMENSION),
    ("weightedFontFamily", Shape::Message(&[("fontFamily", Shape::Text), ("weight", Shape::Int)])),
    (
        "baselineOffset",
        Shape::Enum("TextStyle.BaselineOffset", &["BASELINE_OFFSET_UNSPECIFIED", "NONE", "SUPERSCRIPT", "SUBSCRIPT"]),
    ),
    ("link", Shape::Message(LINK)),
];

/// Fields of `Link`.
const LINK: &[Field] = &[
    ("url", Shape::Text),
    ("tabId", Shape::Text),
    ("bookmark", Shape::Message(&[("id", Shape::Text), ("tabId", Shape::Text)])),
    ("heading", Shape::Message(&[("id", Shape::Text), ("tabId", Shape::Text)])),
    ("bookmarkId", Shape::Text),
    ("headingId", Shape::Text),
];

/// Fields of `ParagraphStyle`.
pub(crate) const PARAGRAPH_STYLE: &[Field] = &[
    (
        "namedStyleType",
        Shape::Enum(
            "ParagraphStyle.NamedStyleType",
            &[
                "NAMED_STYLE_TYPE_UNSPECIFIED",
                "NORMAL_TEXT",
                "TITLE",
                "SUBTITLE",
                "HEADING_1",
                "HEADING_2",
                "HEADING_3",
                "HEADING_4",
                "HEADING_5",
                "HEADING_6",
            ],
        ),
    ),
    (
        "alignment",
        Shape::Enum("ParagraphStyle.Alignment", &["ALIGNMENT_UNSPECIFIED", "START", "CENTER", "END", "JUSTIFIED"]),
    ),
    ("lineSpacing", Shape::Float),
    (
        "direction",
        Shape::Enum(
            "ParagraphStyle.ContentDirection",
            &["CONTENT_DIRECTION_UNSPECIFIED", "LEFT_TO_RIGHT", "RIGHT_TO_LEFT"],
        ),
    ),
    (
        "spacingMode",
        Shape::Enum("ParagraphStyle.SpacingMode", &["SPACING_MODE_UNSPECIFIED", "NEVER_COLLAPSE", "COLLAPSE_LISTS"]),
    ),
    ("spaceAbove", DIMENSION),
    ("spaceBelow", DIMENSION),
    ("borderBetween", BORDER),
    ("borderTop", BORDER),
    ("borderBottom", BORDER),
    ("borderLeft", BORDER),
    ("borderRight", BORDER),
    ("indentFirstLine", DIMENSION),
    ("indentStart", DIMENSION),
    ("indentEnd", DIMENSION),
    ("tabStops", Shape::List(&TAB_STOP)),
    ("keepLinesTogether", Shape::Bool),
    ("keepWithNext", Shape::Bool),
    ("avoidWidowAndOrphan", Shape::Bool),
    ("shading", Shape::Message(&[("backgroundColor", OPTIONAL_COLOR)])),
    ("pageBreakBefore", Shape::Bool),
    ("headingId", Shape::Text),
];

/// Fields of `ParagraphStyle` that Google sets and nobody else.
pub(crate) const READ_ONLY: &[&str] = &["headingId", "tabStops"];

/// `TabStop`.
const TAB_STOP: Shape = Shape::Message(&[
    ("offset", DIMENSION),
    (
        "alignment",
        Shape::Enum("TabStop.TabStopAlignment", &["TAB_STOP_ALIGNMENT_UNSPECIFIED", "START", "CENTER", "END"]),
    ),
]);

/// `OptionalColor`.
const OPTIONAL_COLOR: Shape = Shape::Message(&[(
    "color",
    Shape::Message(&[(
        "rgbColor",
        Shape::Message(&[("red", Shape::Float), ("green", Shape::Float), ("blue", Shape::Float)]),
    )]),
)]);

/// `Dimension`.
const DIMENSION: Shape =
    Shape::Message(&[("magnitude", Shape::Float), ("unit", Shape::Enum("Unit", &["UNIT_UNSPECIFIED", "PT"]))]);

/// `ParagraphBorder`.
const BORDER: Shape = Shape::Message(&[
    ("color", OPTIONAL_COLOR),
    ("width", DIMENSION),
    ("padding", DIMENSION),
    ("dashStyle", Shape::Enum("DashStyle", &["DASH_STYLE_UNSPECIFIED", "SOLID", "DOT", "DASH"])),
]);

/// Returns the shape of a field.
pub(crate) fn field(fields: &[Field], name: &str) -> Option<Shape> {
    fields.iter().find(|(own, _)| *own == name).map(|(_, shape)| *shape)
}
