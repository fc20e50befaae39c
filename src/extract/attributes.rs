//! The attributes of HTML elements that matter in mail.

use html5gum::StartTag;

use super::look::{self, Said};

/// How many attributes of an element are read, and how long a value may be, in bytes: an address has 2,000 at most.
const ATTRIBUTES_MAX: usize = 64;
const ADDRESS_BYTES_MAX: usize = 8 << 10;

/// Tells whether a table says that it only places things.
pub(super) fn is_layout(tag: &StartTag<()>) -> bool {
    attribute(tag, "role").is_some_and(|role| matches!(&*role, "presentation" | "none"))
}

/// How many columns a cell spans.
pub(super) fn span(tag: &StartTag<()>) -> usize {
    attribute(tag, "colspan").and_then(|span| span.trim().parse().ok()).unwrap_or(1)
}

/// The value of an attribute, unless it is too long to be one.
pub(super) fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.get(name.as_bytes())?;
    (value.len() <= ADDRESS_BYTES_MAX).then(|| String::from_utf8_lossy(value).into_owned())
}

/// Reads the attributes that say how an element looks.
pub(super) fn said(tag: &StartTag<()>) -> Said {
    let mut said = Said::default();
    if tag.attributes.is_empty() || tag.attributes.len() > ATTRIBUTES_MAX {
        return said;
    }
    said.hidden = tag.attributes.contains_key(&b"hidden"[..]);
    said.width = attribute(tag, "width").and_then(|value| look::pixels(&value));
    said.height = attribute(tag, "height").and_then(|value| look::pixels(&value));
    said.background = attribute(tag, "bgcolor").map(|value| look::color(&value));
    if tag.attributes.contains_key(&b"background"[..]) {
        said.background = Some(u32::MAX);
    }
    if tag.name.as_slice() == b"font" {
        said.color = attribute(tag, "color").map(|value| look::color(&value));
    }
    if let Some(style) = attribute(tag, "style") {
        look::style(&style, &mut said);
    }
    said
}

/// What mail programs mark an element as.
pub(super) enum Container {
    Signature,
    Attribution,
    Quote,
}

/// Tells what a mail program marks an element as, by its class or id.
pub(super) fn container(tag: &StartTag<()>) -> Option<Container> {
    let class = attribute(tag, "class").unwrap_or_default();
    let id = attribute(tag, "id").unwrap_or_default();
    let names = || class.split_whitespace().chain(Some(&*id));
    let is = |wanted: &[&str]| {
        names().any(|name| wanted.iter().any(|wanted| name.strip_prefix("x_").unwrap_or(name) == *wanted))
    };
    let signatures = [
        "gmail_signature",
        "moz-signature",
        "Signature",
        "ms-outlook-mobile-signature",
        "AppleMailSignature",
        "protonmail_signature_block",
        "tutanota_signature",
        "zmail_signature",
    ];
    if is(&signatures) || attribute(tag, "data-smartmail").is_some_and(|value| value == "gmail_signature") {
        return Some(Container::Signature);
    }
    if is(&["gmail_attr", "moz-cite-prefix", "moz-email-headers-table", "yahoo-quoted-begin"]) {
        return Some(Container::Attribution);
    }
    is(&["yahoo_quoted", "OLK_SRC_BODY_SECTION", "zmail_extra_quote"]).then_some(Container::Quote)
}

/// Reads where a link leads; `None` where that is nowhere that a reader can go.
pub(super) fn address(href: &str) -> Option<String> {
    let href: String = href.chars().filter(|letter| !letter.is_control()).collect();
    let href = href.trim().replace(' ', "%20");
    let scheme = href.split_once(':')?.0.to_ascii_lowercase();
    (matches!(&*scheme, "http" | "https" | "mailto" | "tel" | "ftp" | "sip" | "callto" | "webcal")
        && href.len() > scheme.len() + 1)
        .then_some(href)
}
