//! The bodies of the requests that this model reads.

use super::styles::{
    DOCUMENT_STYLE, DROPDOWN_DEFINITION_PROPERTIES, DROPDOWN_PROPERTIES, NAMED_STYLE, PARAGRAPH_STYLE, SECTION_STYLE,
    SECTION_TYPE, SIZE, TAB_PROPERTIES, TABLE_CELL_STYLE, TABLE_COLUMN_PROPERTIES, TABLE_ROW_STYLE, TEXT_STYLE,
};
use super::{Field, Shape};

/// A field mask.
const FIELDS: Field = ("fields", Shape::Text);

/// The tab that a request is about.
const TAB_ID: Field = ("tabId", Shape::Text);

/// A place.
const AT: Field = ("location", Shape::Message(LOCATION));

/// The end of a segment.
const AT_END: Field = ("endOfSegmentLocation", Shape::Message(END_OF_SEGMENT_LOCATION));

/// Where a table starts.
const TABLE_START: Field = ("tableStartLocation", Shape::Message(LOCATION));

/// A cell of a table.
const CELL: Field =
    ("tableCellLocation", Shape::Message(&[TABLE_START, ("rowIndex", Shape::Int), ("columnIndex", Shape::Int)]));

/// A part of a table.
const CELLS: Field = ("tableRange", Shape::Message(&[CELL, ("rowSpan", Shape::Int), ("columnSpan", Shape::Int)]));

/// `TabsCriteria`.
const TABS: Field = ("tabsCriteria", Shape::Message(&[("tabIds", Shape::List(&Shape::Text))]));

/// `HeaderFooterType`.
const HEADER_FOOTER_TYPE: Shape = Shape::Enum("HeaderFooterType", &["HEADER_FOOTER_TYPE_UNSPECIFIED", "DEFAULT"]);

/// Fields of a request for a header or a footer.
const NEW_HEADER_FOOTER: &[Field] = &[("type", HEADER_FOOTER_TYPE), ("sectionBreakLocation", Shape::Message(LOCATION))];

/// The kinds that this model carries out.
pub(crate) const REQUESTS: &[Field] = &[
    ("insertText", Shape::Message(&[("text", Shape::Text), AT, AT_END])),
    ("deleteContentRange", Shape::Message(&[("range", RANGE)])),
    ("updateTextStyle", Shape::Message(&[("range", RANGE), ("textStyle", Shape::Message(TEXT_STYLE)), FIELDS])),
    (
        "updateParagraphStyle",
        Shape::Message(&[("range", RANGE), ("paragraphStyle", Shape::Message(PARAGRAPH_STYLE)), FIELDS]),
    ),
    ("createNamedRange", Shape::Message(&[("name", Shape::Text), ("range", RANGE)])),
    ("deleteNamedRange", Shape::Message(&[("namedRangeId", Shape::Text), ("name", Shape::Text), TABS])),
    (
        "replaceNamedRangeContent",
        Shape::Message(&[("text", Shape::Text), ("namedRangeId", Shape::Text), ("namedRangeName", Shape::Text), TABS]),
    ),
    (
        "replaceAllText",
        Shape::Message(&[
            (
                "containsText",
                Shape::Message(&[("text", Shape::Text), ("matchCase", Shape::Bool), ("searchByRegex", Shape::Bool)]),
            ),
            ("replaceText", Shape::Text),
            TABS,
        ]),
    ),
    ("createParagraphBullets", Shape::Message(&[("range", RANGE), ("bulletPreset", BULLET_PRESET)])),
    ("deleteParagraphBullets", Shape::Message(&[("range", RANGE)])),
    ("insertTable", Shape::Message(&[("rows", Shape::Int), ("columns", Shape::Int), AT, AT_END])),
    ("insertTableRow", Shape::Message(&[CELL, ("insertBelow", Shape::Bool)])),
    ("insertTableColumn", Shape::Message(&[CELL, ("insertRight", Shape::Bool)])),
    ("deleteTableRow", Shape::Message(&[CELL])),
    ("deleteTableColumn", Shape::Message(&[CELL])),
    ("mergeTableCells", Shape::Message(&[CELLS])),
    ("unmergeTableCells", Shape::Message(&[CELLS])),
    ("pinTableHeaderRows", Shape::Message(&[TABLE_START, ("pinnedHeaderRowsCount", Shape::Int)])),
    (
        "updateTableCellStyle",
        Shape::Message(&[("tableCellStyle", Shape::Message(TABLE_CELL_STYLE)), FIELDS, CELLS, TABLE_START]),
    ),
    (
        "updateTableColumnProperties",
        Shape::Message(&[
            TABLE_START,
            ("columnIndices", Shape::List(&Shape::Int)),
            ("tableColumnProperties", Shape::Message(TABLE_COLUMN_PROPERTIES)),
            FIELDS,
        ]),
    ),
    (
        "updateTableRowStyle",
        Shape::Message(&[
            TABLE_START,
            ("rowIndices", Shape::List(&Shape::Int)),
            ("tableRowStyle", Shape::Message(TABLE_ROW_STYLE)),
            FIELDS,
        ]),
    ),
    ("createFootnote", Shape::Message(&[AT, AT_END])),
    ("insertPageBreak", Shape::Message(&[AT, AT_END])),
    ("insertSectionBreak", Shape::Message(&[AT, AT_END, ("sectionType", SECTION_TYPE)])),
    (
        "insertPerson",
        Shape::Message(&[
            ("personProperties", Shape::Message(&[("name", Shape::Text), ("email", Shape::Text)])),
            AT,
            AT_END,
        ]),
    ),
    ("insertDate", Shape::Message(&[("dateElementProperties", Shape::Message(DATE_ELEMENT_PROPERTIES)), AT, AT_END])),
    (
        "insertRichLink",
        Shape::Message(&[
            (
                "richLinkProperties",
                Shape::Message(&[("title", Shape::Text), ("uri", Shape::Text), ("mimeType", Shape::Text)]),
            ),
            AT,
            AT_END,
        ]),
    ),
    ("insertInlineImage", Shape::Message(&[("uri", Shape::Text), ("objectSize", SIZE), AT, AT_END])),
    (
        "replaceImage",
        Shape::Message(&[
            ("imageObjectId", Shape::Text),
            ("uri", Shape::Text),
            (
                "imageReplaceMethod",
                Shape::Enum("ImageReplaceMethod", &["IMAGE_REPLACE_METHOD_UNSPECIFIED", "CENTER_CROP"]),
            ),
            TAB_ID,
        ]),
    ),
    ("deletePositionedObject", Shape::Message(&[("objectId", Shape::Text), TAB_ID])),
    ("createHeader", Shape::Message(NEW_HEADER_FOOTER)),
    ("createFooter", Shape::Message(NEW_HEADER_FOOTER)),
    ("deleteHeader", Shape::Message(&[("headerId", Shape::Text), TAB_ID])),
    ("deleteFooter", Shape::Message(&[("footerId", Shape::Text), TAB_ID])),
    (
        "updateSectionStyle",
        Shape::Message(&[("range", RANGE), ("sectionStyle", Shape::Message(SECTION_STYLE)), FIELDS]),
    ),
    ("updateDocumentStyle", Shape::Message(&[("documentStyle", Shape::Message(DOCUMENT_STYLE)), FIELDS, TAB_ID])),
    ("updateNamedStyle", Shape::Message(&[("namedStyle", Shape::Message(NAMED_STYLE)), FIELDS, TAB_ID])),
    ("addDocumentTab", Shape::Message(&[("tabProperties", Shape::Message(TAB_PROPERTIES))])),
    ("deleteTab", Shape::Message(&[TAB_ID])),
    ("updateDocumentTabProperties", Shape::Message(&[("tabProperties", Shape::Message(TAB_PROPERTIES)), FIELDS])),
    (
        "createDropdownDefinition",
        Shape::Message(&[
            (
                "dropdownDefinition",
                Shape::Message(&[
                    ("dropdownDefinitionId", Shape::Text),
                    ("dropdownDefinitionProperties", Shape::Message(DROPDOWN_DEFINITION_PROPERTIES)),
                ]),
            ),
            TAB_ID,
        ]),
    ),
    ("deleteDropdownDefinition", Shape::Message(&[("dropdownDefinitionId", Shape::Text), TAB_ID])),
    (
        "updateDropdownDefinitionProperties",
        Shape::Message(&[
            ("dropdownDefinitionId", Shape::Text),
            ("dropdownDefinitionProperties", Shape::Message(DROPDOWN_DEFINITION_PROPERTIES)),
            FIELDS,
            ("selectedOptionIdReplacements", Shape::Map(&Shape::Text)),
            TAB_ID,
        ]),
    ),
    (
        "insertDropdown",
        Shape::Message(&[("dropdownDefinitionId", Shape::Text), ("selectedOptionId", Shape::Text), AT, AT_END]),
    ),
    (
        "updateDropdownProperties",
        Shape::Message(&[
            ("dropdownId", Shape::Text),
            ("dropdownProperties", Shape::Message(DROPDOWN_PROPERTIES)),
            FIELDS,
            TAB_ID,
        ]),
    ),
];

/// Fields of `DateElementProperties`.
const DATE_ELEMENT_PROPERTIES: &[Field] = &[
    ("timestamp", Shape::Text),
    ("locale", Shape::Text),
    ("timeZoneId", Shape::Text),
    (
        "dateFormat",
        Shape::Enum(
            "DateElementProperties.DateFormat",
            &[
                "DATE_FORMAT_UNSPECIFIED",
                "DATE_FORMAT_CUSTOM",
                "DATE_FORMAT_MONTH_DAY_ABBREVIATED",
                "DATE_FORMAT_MONTH_DAY_FULL",
                "DATE_FORMAT_MONTH_DAY_YEAR_ABBREVIATED",
                "DATE_FORMAT_ISO8601",
            ],
        ),
    ),
    (
        "timeFormat",
        Shape::Enum(
            "DateElementProperties.TimeFormat",
            &[
                "TIME_FORMAT_UNSPECIFIED",
                "TIME_FORMAT_DISABLED",
                "TIME_FORMAT_HOUR_MINUTE",
                "TIME_FORMAT_HOUR_MINUTE_TIMEZONE",
            ],
        ),
    ),
    ("displayText", Shape::Text),
];

/// Fields of `EndOfSegmentLocation`.
const END_OF_SEGMENT_LOCATION: &[Field] = &[("segmentId", Shape::Text), ("tabId", Shape::Text)];

/// `CreateParagraphBulletsRequest.BulletGlyphPreset`.
const BULLET_PRESET: Shape = Shape::Enum(
    "CreateParagraphBulletsRequest.BulletGlyphPreset",
    &[
        "BULLET_GLYPH_PRESET_UNSPECIFIED",
        "BULLET_DISC_CIRCLE_SQUARE",
        "BULLET_DIAMONDX_ARROW3D_SQUARE",
        "BULLET_CHECKBOX",
        "BULLET_ARROW_DIAMOND_DISC",
        "BULLET_STAR_CIRCLE_SQUARE",
        "BULLET_ARROW3D_CIRCLE_SQUARE",
        "BULLET_LEFTTRIANGLE_DIAMOND_DISC",
        "BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE",
        "BULLET_DIAMOND_CIRCLE_SQUARE",
        "NUMBERED_DECIMAL_ALPHA_ROMAN",
        "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS",
        "NUMBERED_DECIMAL_NESTED",
        "NUMBERED_UPPERALPHA_ALPHA_ROMAN",
        "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL",
        "NUMBERED_ZERODECIMAL_ALPHA_ROMAN",
    ],
);

/// Fields of `Location`.
const LOCATION: &[Field] = &[("index", Shape::Int), ("segmentId", Shape::Text), ("tabId", Shape::Text)];

/// `Range`.
pub(super) const RANGE: Shape = Shape::Message(&[
    ("startIndex", Shape::Int),
    ("endIndex", Shape::Int),
    ("segmentId", Shape::Text),
    ("tabId", Shape::Text),
]);
