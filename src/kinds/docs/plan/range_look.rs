//! The requests that set looks on a range of a tab. Pure.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::kinds::Look;
use crate::kinds::docs::text::values::{dimension, hex_value, is_font, number};

/// Named styles as Google writes them.
/// Source: <https://developers.google.com/docs/api/reference/rest/v1/documents#namedstyletype>
const NAMED_STYLES: [&str; 9] =
    ["NORMAL_TEXT", "TITLE", "SUBTITLE", "HEADING_1", "HEADING_2", "HEADING_3", "HEADING_4", "HEADING_5", "HEADING_6"];
/// Source: <https://developers.google.com/docs/api/reference/rest/v1/documents#alignment>
const ALIGNMENTS: [&str; 4] = ["START", "CENTER", "END", "JUSTIFIED"];
/// The longest address of a link.
const URL_BYTES_MAX: usize = 2048;
/// The largest font, the widest line and the longest space that are set.
const SIZE_POINTS_MAX: f64 = 400.0;
/// Below that, a factor was meant.
const LINES_PERCENT_MIN: f64 = 10.0;
const LINES_PERCENT_MAX: f64 = 10_000.0;
const SPACE_POINTS_MAX: f64 = 10_000.0;

/// What sets a look on a range.
#[derive(Debug, Default)]
pub(crate) struct RangeLook {
    /// The requests: of paragraphs first, since a named style may take looks from text.
    pub(crate) requests: Vec<Value>,
    /// What is set, each by its name, with its value unless that is `true`.
    pub(crate) applied: Vec<String>,
}

/// Plans a look on the letters from `start` to `end` of a tab; `place` gives the link to a place of the document, by its id.
///
/// # Errors
///
/// `InvalidInput` for a look that means nothing.
pub(crate) fn plan(
    tab: &str,
    (start, end): (u32, u32),
    look: &Look,
    place: impl Fn(&str) -> Option<Value>,
) -> Result<RangeLook> {
    let (mut text, mut paragraph) = (Fields::default(), Fields::default());
    for (name, key, value) in [
        ("bold", "bold", look.bold),
        ("italic", "italic", look.italic),
        ("underline", "underline", look.underline),
        ("strikethrough", "strikethrough", look.strikethrough),
    ] {
        let Some(value) = value else { continue };
        text.set(key, json!(value), if value { name.to_owned() } else { format!("{name}:false") });
    }
    if let Some(size) = within("font_size", look.font_size, (1.0, SIZE_POINTS_MAX), "a size in points, such as 12")? {
        text.set("fontSize", dimension(size), format!("font_size:{size}"));
    }
    if let Some(family) = look.font_family.as_deref().map(str::trim) {
        if !is_font(family) {
            return Err(bad("font_family", family, "the name of a font, such as Arial"));
        }
        text.set("weightedFontFamily", json!({ "fontFamily": family }), format!("font_family:{family}"));
    }
    for (name, key, hex) in [
        ("foreground_color", "foregroundColor", &look.foreground_color),
        ("background_color", "backgroundColor", &look.background_color),
    ] {
        let Some(given) = hex else { continue };
        let value = six_digits(given).and_then(|hex| hex_value(&hex));
        let value = value.ok_or_else(|| bad(name, given, "a colour in hex, such as #FF0000 or #F00"))?;
        text.set(key, value, format!("{name}:{given}"));
    }
    if let Some(url) = named("link_url", look.link_url.as_deref(), URL_BYTES_MAX, "the address of a page")? {
        text.set("link", link(url, place)?, format!("link_url:{url}"));
    }
    for (name, key, given, known) in [
        ("heading_type", "namedStyleType", &look.heading_type, NAMED_STYLES.as_slice()),
        ("alignment", "alignment", &look.alignment, ALIGNMENTS.as_slice()),
    ] {
        let Some(given) = given else { continue };
        if !known.contains(&given.as_str()) {
            return Err(bad(name, given, &format!("one of {}", known.join(", "))));
        }
        paragraph.set(key, json!(given), format!("{name}:{given}"));
    }
    if let Some(lines) = within(
        "line_spacing",
        look.line_spacing,
        (LINES_PERCENT_MIN, LINES_PERCENT_MAX),
        "percent: 100 is single, 150 one and a half",
    )? {
        paragraph.set("lineSpacing", number(lines), format!("line_spacing:{lines}"));
    }
    for (name, key, given) in
        [("space_above", "spaceAbove", look.space_above), ("space_below", "spaceBelow", look.space_below)]
    {
        if let Some(space) = within(name, given, (0.0, SPACE_POINTS_MAX), "a length in points, such as 6")? {
            paragraph.set(key, dimension(space), format!("{name}:{space}"));
        }
    }
    let range = json!({ "startIndex": start, "endIndex": end, "tabId": tab });
    let mut all = RangeLook::default();
    for (fields, request, style) in
        [(&paragraph, "updateParagraphStyle", "paragraphStyle"), (&text, "updateTextStyle", "textStyle")]
    {
        if let Some(mask) = fields.mask() {
            all.requests.push(json!({ request: { style: fields.values, "fields": mask, "range": range } }));
        }
    }
    all.applied = text.applied.into_iter().chain(paragraph.applied).collect();
    Ok(all)
}

/// Fields of a style that are set.
#[derive(Debug, Default)]
struct Fields {
    values: Map<String, Value>,
    applied: Vec<String>,
}

impl Fields {
    fn set(&mut self, key: &str, value: Value, applied: String) {
        self.values.insert(key.to_owned(), value);
        self.applied.push(applied);
    }

    fn mask(&self) -> Option<String> {
        let keys: Vec<&str> = self.values.keys().map(String::as_str).collect();
        (!keys.is_empty()).then(|| keys.join(","))
    }
}

/// Reads a colour of three or six digits as one of six.
fn six_digits(given: &str) -> Option<String> {
    let digits = given.strip_prefix('#').unwrap_or(given);
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    match digits.len() {
        6 => Some(format!("#{digits}")),
        3 => Some(digits.chars().fold("#".to_owned(), |hex, digit| format!("{hex}{digit}{digit}"))),
        _ => None,
    }
}

fn within(name: &str, given: Option<f64>, (low, high): (f64, f64), example: &str) -> Result<Option<f64>> {
    let Some(value) = given else { return Ok(None) };
    if (low..=high).contains(&value) { Ok(Some(value)) } else { Err(bad(name, &value.to_string(), example)) }
}

/// Returns the link to a page, to who gets mail, or to a place of the document: `#^id` as the structured form has it, or as the
/// address of a heading or bookmark ends.
fn link(given: &str, place: impl Fn(&str) -> Option<Value>) -> Result<Value> {
    let inner = ["#^", "#heading=", "#bookmark="].into_iter().find_map(|form| given.strip_prefix(form));
    if let Some(id) = inner {
        return place(id).ok_or_else(|| {
            bad(
                "link_url",
                given,
                "the id of a heading that the document has, as link_url or raw show it, such as #^h.abc",
            )
        });
    }
    let is_address = url::Url::parse(given).is_ok_and(|url| match url.scheme() {
        "http" | "https" => url.host_str().is_some_and(|host| !host.is_empty()),
        "mailto" => !url.path().is_empty(),
        _ => false,
    });
    // The parser takes spaces at its ends away, and mends what lacks its slashes.
    let is_plain = !given.contains(char::is_whitespace) && (given.contains("://") || !given.starts_with(['h', 'H']));
    let allowed =
        "an address that begins with https://, http:// or mailto:, or #^ with the id of a heading of this document";
    if is_address && is_plain { Ok(json!({ "url": given })) } else { Err(bad("link_url", given, allowed)) }
}

fn named<'g>(name: &str, given: Option<&'g str>, bytes_max: usize, example: &str) -> Result<Option<&'g str>> {
    let Some(value) = given else { return Ok(None) };
    let is_name = !value.trim().is_empty() && value.len() <= bytes_max && !value.chars().any(char::is_control);
    if is_name { Ok(Some(value)) } else { Err(bad(name, value, example)) }
}

fn bad(name: &str, given: &str, example: &str) -> Error {
    let shown: String = given.chars().take(50).collect();
    Error::InvalidInput {
        what: format!("`{name}` cannot be `{}`", shown.escape_debug()),
        suggestion: format!("Give {example}; nothing was changed."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_requests_of_text_and_of_paragraphs() {
        let look: Look = serde_json::from_value(json!({
            "bold": true, "italic": false, "font_size": 12.5, "font_family": "Arial", "foreground_color": "#F00",
            "background_color": "#00ff00", "link_url": "https://example.com", "heading_type": "HEADING_1",
            "alignment": "CENTER", "line_spacing": 150, "space_above": 6, "space_below": 0,
        }))
        .unwrap();
        let found = plan("t.0", (1, 5), &look, |_| None).unwrap();
        let [paragraph, text] = &found.requests[..] else { panic!("{:?}", found.requests) };
        let range = json!({ "startIndex": 1, "endIndex": 5, "tabId": "t.0" });
        assert_eq!(
            paragraph["updateParagraphStyle"],
            json!({ "range": range, "fields": "alignment,lineSpacing,namedStyleType,spaceAbove,spaceBelow",
                "paragraphStyle": { "namedStyleType": "HEADING_1", "alignment": "CENTER", "lineSpacing": 150,
                    "spaceAbove": { "magnitude": 6, "unit": "PT" }, "spaceBelow": { "magnitude": 0, "unit": "PT" } } })
        );
        let style = &text["updateTextStyle"]["textStyle"];
        assert_eq!(style["foregroundColor"]["color"]["rgbColor"], json!({ "red": 1.0, "green": 0.0, "blue": 0.0 }));
        assert_eq!((&style["bold"], &style["italic"]), (&json!(true), &json!(false)));
        assert_eq!(style["fontSize"], json!({ "magnitude": 12.5, "unit": "PT" }));
        let applied = ["bold", "italic:false", "font_size:12.5", "font_family:Arial", "foreground_color:#F00"];
        assert_eq!(found.applied[..5], applied);
        assert_eq!(found.applied.len(), 12);
    }

    #[test]
    fn links_lead_to_pages_mail_and_places_of_the_document() {
        let check = |address: &str, expected: Value| {
            let look = Look { link_url: Some(address.to_owned()), ..Look::default() };
            let place = |id: &str| (id == "h.1").then(|| json!({ "heading": { "id": id } }));
            let found = plan("t.0", (1, 5), &look, place).unwrap();
            assert_eq!(found.requests[0]["updateTextStyle"]["textStyle"]["link"], expected, "{address}");
        };
        for address in ["https://x.org", "HTTP://x.org/a?b=c#d", "mailto:ana@example.com", "https://例え.jp/ü"] {
            check(address, json!({ "url": address }));
        }
        for address in ["#^h.1", "#heading=h.1", "#bookmark=h.1"] {
            check(address, json!({ "heading": { "id": "h.1" } }));
        }
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let check = |look: Value, name: &str| {
            let look: Look = serde_json::from_value(look).unwrap();
            let error = plan("t.0", (1, 5), &look, |_| None).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        };
        for hex in ["red", "#12", "#12345", "#gggggg", "##FF0000", "#1234567", "#é1"] {
            check(json!({ "foreground_color": hex }), "foreground_color");
        }
        check(json!({ "font_size": 0 }), "font_size");
        check(json!({ "font_size": -1 }), "font_size");
        for family in ["", " ", "A\"}{", "Ari\nal", "Ari\u{0}al", "<b>", &"A".repeat(101)] {
            check(json!({ "font_family": family }), "font_family");
        }
        check(json!({ "heading_type": "HEADING_7" }), "heading_type");
        check(json!({ "alignment": "LEFT" }), "alignment");
        for address in [
            "",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ftp://x.org/a",
            "example.com",
            "http:",
            "https://",
            "http:/x",
            "mailto:",
            "https://a b",
            " https://x.org",
            "#^h.none",
            "#heading=h.none",
            "#top",
            "#",
        ] {
            check(json!({ "link_url": address }), "link_url");
        }
        check(json!({ "space_below": 1e9 }), "space_below");
        check(json!({ "line_spacing": 0 }), "line_spacing");
        check(json!({ "line_spacing": 1.5 }), "line_spacing");
        let nothing = plan("t.0", (1, 5), &Look::default(), |_| None).unwrap();
        assert!(nothing.requests.is_empty());
    }
}
