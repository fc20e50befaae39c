//! What is not settled about footnotes, breaks, chips and images.

/// Text for an element without a place. Doubt: never recorded.
pub(crate) const NO_ELEMENT_LOCATION: &str = "The request must specify exactly one location.";

/// Text for a footnote elsewhere than in the body. The discovery text says so; doubt for the words.
pub(crate) const FOOTNOTE_OUTSIDE_BODY: &str = "Footnotes cannot be inserted inside a header, footer or footnote.";

/// Text for a page break elsewhere than in the body. The discovery text says so; doubt for the words.
pub(crate) const PAGE_BREAK_OUTSIDE_BODY: &str = "Page breaks cannot be inserted inside a header, footer or footnote.";

/// Text for a page break in a table. Source: a public test of another client.
pub(crate) const PAGE_BREAK_IN_TABLE: &str = "Page breaks cannot be inserted inside a table.";

/// Text for a section break elsewhere than in the body. The discovery text says so; doubt for the words.
pub(crate) const SECTION_BREAK_OUTSIDE_BODY: &str =
    "Section breaks cannot be inserted inside a header, footer or footnote.";

/// Text for a section break in a table. The discovery text says so; doubt for the words.
pub(crate) const SECTION_BREAK_IN_TABLE: &str = "Section breaks cannot be inserted inside a table.";

/// Text for a section break of no type. Doubt: never recorded.
pub(crate) const NO_SECTION_TYPE: &str = "The section type must be specified.";

// Sections, assumed in `elements`: a new section has the style of the one it is cut from, without its headers, footers
// and first page number. Doubt: no recording shows one; the editor keeps margins and columns that way.

/// Text for a person chip with a name, which Google looks up itself. Source: public notes on a live trial; the
/// discovery text calls the name a field like any other.
pub(crate) const PERSON_WITH_NAME: &str = "Insert person requests should not specify a name.";

/// Text for a person chip without an address. Doubt: never recorded.
pub(crate) const NO_EMAIL: &str = "Insert person requests must specify a valid email address.";

/// Text for a field that Google alone fills in. Doubt: never recorded.
pub(crate) fn output_only(field: &str) -> String {
    format!("The field {field} is output only and must not be set.")
}

/// Text for a date without a point in time. Doubt: never recorded; `timestamp` reads as protobuf's JSON does.
pub(crate) const NO_TIMESTAMP: &str = "Insert date requests must specify a valid timestamp.";

/// Text for a date in a format of one's own, for which a request has no field. Doubt: never recorded.
pub(crate) const CUSTOM_DATE_FORMAT: &str = "The date format must not be DATE_FORMAT_CUSTOM.";

// Dates, assumed in `time`: what is shown is written in English and in UTC, whatever locale and time zone the date
// has. Doubt: the true text needs the tables of CLDR; it is output only and nothing is decided by it.

/// The locales of a date. Source: discovery text.
pub(crate) const LOCALES: &[&str] = &[
    "af", "am", "ar", "as", "az", "be", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "en-CA", "en-GB", "es",
    "es-419", "et", "eu", "fa", "fi", "fil", "fr", "fr-CA", "gl", "gu", "hi", "hr", "hu", "hy", "id", "is", "it", "iw",
    "ja", "ka", "kk", "km", "kn", "ko", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "ne", "nl", "no", "or", "pa",
    "pl", "pt-BR", "pt-PT", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tr", "uk", "ur",
    "uz", "vi", "zh-CN", "zh-HK", "zh-TW", "zu", "cy", "my",
];

/// Text for another locale. Doubt: never recorded.
pub(crate) fn bad_locale(locale: &str) -> String {
    format!("The locale {locale} is not supported.")
}

/// Text for an address that Google makes no chip of. Source: live tests of others.
pub(crate) const BAD_RICH_LINK: &str = "The URL is invalid.";

/// Hosts whose addresses become chips: files, videos, events, places. Source: the help pages; doubt for the borders
/// of the list. The title of a new chip is its address until somebody looks it up.
pub(crate) const RICH_LINK_HOSTS: &[&str] = &[
    "docs.google.com",
    "drive.google.com",
    "sheets.google.com",
    "slides.google.com",
    "calendar.google.com",
    "www.google.com",
    "maps.google.com",
    "meet.google.com",
    "maps.app.goo.gl",
    "www.youtube.com",
    "youtube.com",
    "m.youtube.com",
    "youtu.be",
];

/// The most bytes in the address of an image. Source: discovery text, "2 kB".
pub(crate) const MAX_IMAGE_URI_BYTES: usize = 2048;

/// Text for a longer one. Doubt: never recorded.
pub(crate) const IMAGE_URI_TOO_LONG: &str = "The provided image URI must be at most 2 kB in length.";

/// Text for an image that cannot be fetched. Source: public issue threads.
pub(crate) const BAD_IMAGE: &str = "There was a problem retrieving the image. The provided image should be publicly \
     accessible, within size limit, and in supported formats.";

/// Text for an image in a footnote. The discovery text says so; doubt for the words.
pub(crate) const IMAGE_IN_FOOTNOTE: &str = "Inline images cannot be inserted inside a footnote.";

/// Text for a size that is none. Doubt: never recorded.
pub(crate) const BAD_IMAGE_SIZE: &str = "The size of the image must be positive and in points.";

/// The side, in points, of an image whose resolution this model does not know. A side that is not said is taken to be
/// as long as the other; a size that is said whole is kept, though Google fits the image into it.
pub(crate) const UNKNOWN_IMAGE_SIDE: u32 = 100;

/// Text for an object that there is not. Doubt: never recorded.
pub(crate) fn unknown_object(id: &str) -> String {
    format!("The object with ID {id} was not found.")
}

/// Text for an object that is no image. Doubt: never recorded.
pub(crate) fn no_image(id: &str) -> String {
    format!("The object with ID {id} is not an image.")
}

/// Whether the tick of a checklist's box goes with the first character of its paragraph that is left: it stays when words
/// are edited, a new item has none, and of an item that is cut in two the first part keeps it. Doubt: no recording can
/// show it, since the Document JSON has no field for it; a merged paragraph is known to be what its first character was.
pub(crate) const TICKS_GO_WITH_FIRST_LEFT: bool = true;
