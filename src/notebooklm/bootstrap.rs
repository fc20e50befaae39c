//! What the product's page says of the session that it was given to.
//!
//! The page has an object with keys that no one would guess; it is read from the text, since scripts of the page use it
//! up. Google's page to sign in has the same keys with other values: look at the address first ([`Landing`]).
//!
//! Source: recorded pages of 2025 and September 2026.

use std::fmt;

pub use super::hosts::{Base, Landing};

use super::call::Session;

/// The most bytes of a page that are looked at. Recorded ones have a quarter of a megabyte.
const PAGE_BYTES_MAX: usize = 8 << 20;

/// The most bytes of a value.
const VALUE_BYTES_MAX: usize = 4096;

/// The path of the personal product, which its pages name.
const PRODUCT_PATH: &str = "/_/LabsTailwindUi";

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// It is the product, and somebody is signed in.
    App(Tokens),
    /// Nobody is signed in. Since October 2026 the product shows a page then, with status 200.
    Landing,
    /// It is the page of something else, by what it says of itself.
    Foreign,
}

/// What every request carries.
///
/// Whoever has these and the cookies acts for the person, so none is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The token against forged requests.
    pub at: String,
    /// The id of the session, a number that may be negative.
    pub session: String,
    /// The build of the page.
    pub build: Option<String>,
    /// The address of the account.
    pub email: Option<String>,
    /// The id of the account.
    pub user: Option<String>,
    /// Which of several signed-in accounts this is.
    pub authuser: Option<String>,
}

impl Tokens {
    /// Returns what a request needs of these.
    #[must_use]
    pub fn as_session<'a>(&'a self, language: &'a str) -> Session<'a> {
        Session {
            at: &self.at,
            session: &self.session,
            build: self.build.as_deref(),
            authuser: self.authuser.as_deref(),
            request: None,
            language,
        }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tokens").field("build", &self.build).finish_non_exhaustive()
    }
}

/// Reads a page.
#[must_use]
pub fn read_page(html: &str) -> Page {
    if value(html, "Im6cmf").is_some_and(|path| path != PRODUCT_PATH) {
        return Page::Foreign;
    }
    let (Some(at), Some(session)) = (value(html, "SNlM0e"), value(html, "FdrFJe")) else {
        return Page::Landing;
    };
    // The key of the address was another once.
    let address = ["oPEP7c", "oM1Kwf"].into_iter().find_map(|key| value(html, key));
    Page::App(Tokens {
        at,
        session,
        build: value(html, "cfb2h").or_else(|| value(html, "KjTSIf")),
        email: address,
        user: value(html, "S06Grb").or_else(|| value(html, "qDCSke")),
        authuser: value(html, "QrtxK"),
    })
}

/// Finds the value of a key, in any of the quotes that pages use; nothing for an empty one.
fn value(html: &str, key: &str) -> Option<String> {
    let html = prefix(html, PAGE_BYTES_MAX);
    html.match_indices(key).find_map(|(at, _)| {
        let before = html.get(..at)?;
        let after = html.get(at + key.len()..)?;
        ["\"", "'", "&quot;", "&#34;", "\\\"", "\\x22"].into_iter().find_map(|quote| {
            let after = after.strip_prefix(quote).filter(|_| before.ends_with(quote))?;
            let after = after.trim_start().strip_prefix(':')?.trim_start();
            let found = match after.strip_prefix(quote) {
                Some(text) => unescaped(text.get(..end_of(text, quote)?)?),
                // A number may stand without quotes.
                None => after.chars().take(64).take_while(|letter| *letter == '-' || letter.is_ascii_digit()).collect(),
            };
            (!found.is_empty()).then_some(found)
        })
    })
}

/// Returns the length of a text that fits into a bound and ends between letters.
fn prefix(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}

/// Finds the quote that ends a value: one that no backslash stands before, unless that is part of the quote.
fn end_of(text: &str, quote: &str) -> Option<usize> {
    let text = prefix(text, VALUE_BYTES_MAX);
    let ends = |(at, _): &(usize, &str)| {
        let slashes = text.get(..*at).map_or(0, |before| before.len() - before.trim_end_matches('\\').len());
        slashes % 2 == 0 || quote.starts_with('\\')
    };
    text.match_indices(quote).find(ends).map(|(at, _)| at)
}

/// Undoes the escapes of a value: `\u003d` and `\x3d`, and a backslash before any other letter.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = match after.as_bytes().first() {
            Some(b'u') => 4,
            Some(b'x') => 2,
            Some(_) | None => 0,
        };
        let code = after.get(1..=digits).filter(|_| digits > 0).and_then(|code| u32::from_str_radix(code, 16).ok());
        if let Some(letter) = code.and_then(char::from_u32) {
            plain.push(letter);
            rest = after.get(1 + digits..).unwrap_or_default();
        } else {
            let mut letters = after.chars();
            plain.extend(letters.next());
            rest = letters.as_str();
        }
    }
    plain.push_str(rest);
    plain.replace("&amp;", "&")
}
