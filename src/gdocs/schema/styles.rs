//! The fields of styles and properties, which field masks name.

use super::{Field, Shape};

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
pub(crate) const LINK: &[Field] = &[
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

/// Fields of any style that Google sets and nobody else.
pub(crate) const READ_ONLY: &[&str] = &[
    "headingId",
    "tabStops",
    "sectionType",
    "defaultHeaderId",
    "defaultFooterId",
    "firstPageHeaderId",
    "firstPageFooterId",
    "evenPageHeaderId",
    "evenPageFooterId",
    "useCustomHeaderFooterMargins",
    "rowSpan",
    "columnSpan",
];

/// `TabStop`.
pub(crate) const TAB_STOP: Shape = Shape::Message(&[
    ("offset", DIMENSION),
    (
        "alignment",
        Shape::Enum("TabStop.TabStopAlignment", &["TAB_STOP_ALIGNMENT_UNSPECIFIED", "START", "CENTER", "END"]),
    ),
]);

/// `OptionalColor`.
pub(crate) const OPTIONAL_COLOR: Shape = Shape::Message(&[(
    "color",
    Shape::Message(&[(
        "rgbColor",
        Shape::Message(&[("red", Shape::Float), ("green", Shape::Float), ("blue", Shape::Float)]),
    )]),
)]);

/// `Dimension`.
pub(crate) const DIMENSION: Shape =
    Shape::Message(&[("magnitude", Shape::Float), ("unit", Shape::Enum("Unit", &["UNIT_UNSPECIFIED", "PT"]))]);

/// `ParagraphBorder`.
pub(crate) const BORDER: Shape = Shape::Message(&[
    ("color", OPTIONAL_COLOR),
    ("width", DIMENSION),
    ("padding", DIMENSION),
    ("dashStyle", Shape::Enum("DashStyle", &["DASH_STYLE_UNSPECIFIED", "SOLID", "DOT", "DASH"])),
]);

/// `ParagraphStyle.NamedStyleType`.
pub(crate) const NAMED_STYLE_TYPE: Shape = Shape::Enum(
    "NamedStyle.NamedStyleType",
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
);

/// Fields of `NamedStyle`.
pub(crate) const NAMED_STYLE: &[Field] = &[
    ("namedStyleType", NAMED_STYLE_TYPE),
    ("textStyle", Shape::Message(TEXT_STYLE)),
    ("paragraphStyle", Shape::Message(PARAGRAPH_STYLE)),
];

/// Fields of `DocumentStyle`.
pub(crate) const DOCUMENT_STYLE: &[Field] = &[
    ("background", Shape::Message(&[("color", OPTIONAL_COLOR)])),
    ("defaultHeaderId", Shape::Text),
    ("defaultFooterId", Shape::Text),
    ("evenPageHeaderId", Shape::Text),
    ("evenPageFooterId", Shape::Text),
    ("firstPageHeaderId", Shape::Text),
    ("firstPageFooterId", Shape::Text),
    ("useFirstPageHeaderFooter", Shape::Bool),
    ("useEvenPageHeaderFooter", Shape::Bool),
    ("pageNumberStart", Shape::Int),
    ("marginTop", DIMENSION),
    ("marginBottom", DIMENSION),
    ("marginRight", DIMENSION),
    ("marginLeft", DIMENSION),
    ("pageSize", SIZE),
    ("marginHeader", DIMENSION),
    ("marginFooter", DIMENSION),
    ("useCustomHeaderFooterMargins", Shape::Bool),
    ("flipPageOrientation", Shape::Bool),
    (
        "documentFormat",
        Shape::Message(&[(
            "documentMode",
            Shape::Enum("DocumentFormat.DocumentMode", &["DOCUMENT_MODE_UNSPECIFIED", "PAGES", "PAGELESS"]),
        )]),
    ),
];

/// `SectionType`.
pub(crate) const SECTION_TYPE: Shape =
    Shape::Enum("SectionType", &["SECTION_TYPE_UNSPECIFIED", "CONTINUOUS", "NEXT_PAGE"]);

/// Fields of `SectionStyle`.
pub(crate) const SECTION_STYLE: &[Field] = &[
    ("columnProperties", Shape::List(&Shape::Message(&[("width", DIMENSION), ("paddingEnd", DIMENSION)]))),
    (
        "columnSeparatorStyle",
        Shape::Enum(
            "SectionStyle.ColumnSeparatorStyle",
            &["COLUMN_SEPARATOR_STYLE_UNSPECIFIED", "NONE", "BETWEEN_EACH_COLUMN"],
        ),
    ),
    (
        "contentDirection",
        Shape::Enum(
            "SectionStyle.ContentDirection",
            &["CONTENT_DIRECTION_UNSPECIFIED", "LEFT_TO_RIGHT", "RIGHT_TO_LEFT"],
        ),
    ),
    ("marginTop", DIMENSION),
    ("marginBottom", DIMENSION),
    ("marginRight", DIMENSION),
    ("marginLeft", DIMENSION),
    ("marginHeader", DIMENSION),
    ("marginFooter", DIMENSION),
    ("sectionType", SECTION_TYPE),
    ("defaultHeaderId", Shape::Text),
    ("defaultFooterId", Shape::Text),
    ("firstPageHeaderId", Shape::Text),
    ("firstPageFooterId", Shape::Text),
    ("evenPageHeaderId", Shape::Text),
    ("evenPageFooterId", Shape::Text),
    ("useFirstPageHeaderFooter", Shape::Bool),
    ("pageNumberStart", Shape::Int),
    ("flipPageOrientation", Shape::Bool),
];

/// `Size`.
pub(crate) const SIZE: Shape = Shape::Message(&[("height", DIMENSION), ("width", DIMENSION)]);

/// `TableCellBorder`.
const CELL_BORDER: Shape = Shape::Message(&[
    ("color", OPTIONAL_COLOR),
    ("width", DIMENSION),
    ("dashStyle", Shape::Enum("DashStyle", &["DASH_STYLE_UNSPECIFIED", "SOLID", "DOT", "DASH"])),
]);

/// Fields of `TableCellStyle`.
pub(crate) const TABLE_CELL_STYLE: &[Field] = &[
    ("rowSpan", Shape::Int),
    ("columnSpan", Shape::Int),
    ("backgroundColor", OPTIONAL_COLOR),
    ("borderLeft", CELL_BORDER),
    ("borderRight", CELL_BORDER),
    ("borderTop", CELL_BORDER),
    ("borderBottom", CELL_BORDER),
    ("paddingLeft", DIMENSION),
    ("paddingRight", DIMENSION),
    ("paddingTop", DIMENSION),
    ("paddingBottom", DIMENSION),
    (
        "contentAlignment",
        Shape::Enum(
            "ContentAlignment",
            &["CONTENT_ALIGNMENT_UNSPECIFIED", "CONTENT_ALIGNMENT_UNSUPPORTED", "TOP", "MIDDLE", "BOTTOM"],
        ),
    ),
];

/// Fields of `TableColumnProperties`.
pub(crate) const TABLE_COLUMN_PROPERTIES: &[Field] = &[
    (
        "widthType",
        Shape::Enum(
            "TableColumnProperties.WidthType",
            &["WIDTH_TYPE_UNSPECIFIED", "EVENLY_DISTRIBUTED", "FIXED_WIDTH"],
        ),
    ),
    ("width", DIMENSION),
];

/// Fields of `TableRowStyle`.
pub(crate) const TABLE_ROW_STYLE: &[Field] =
    &[("minRowHeight", DIMENSION), ("tableHeader", Shape::Bool), ("preventOverflow", Shape::Bool)];

/// Fields of `TabProperties`.
pub(crate) const TAB_PROPERTIES: &[Field] = &[
    ("tabId", Shape::Text),
    ("title", Shape::Text),
    ("parentTabId", Shape::Text),
    ("index", Shape::Int),
    ("nestingLevel", Shape::Int),
    ("iconEmoji", Shape::Text),
];

/// Fields of `DropdownDefinitionProperties`.
pub(crate) const DROPDOWN_DEFINITION_PROPERTIES: &[Field] = &[
    ("title", Shape::Text),
    (
        "options",
        Shape::List(&Shape::Message(&[
            ("optionId", Shape::Text),
            ("displayValue", Shape::Text),
            ("textStyle", Shape::Message(TEXT_STYLE)),
        ])),
    ),
];

/// Fields of `DropdownProperties`.
pub(crate) const DROPDOWN_PROPERTIES: &[Field] =
    &[("dropdownDefinitionId", Shape::Text), ("selectedOptionId", Shape::Text), ("displayValue", Shape::Text)];
