//! Which of two bodies says more: the plain one or the HTML.

use std::collections::HashSet;

use super::words::words;
use crate::extract::html::Page;
use crate::extract::lines::Line;

/// How many links are looked for in the plain text.
const LINKS_MAX: usize = 200;

/// What a plain text says that stands for a page, in lower case.
const SEE_THE_PAGE: &[&str] = &[
    "view this email in your browser",
    "view in browser",
    "view it in your browser",
    "view this message in",
    "does not support html",
    "doesn't support html",
    "cannot display html",
    "html-enabled",
    "enable html",
    "html email",
    "im browser ansehen",
    "im browser anzeigen",
    "unterstützt kein html",
    "voir dans le navigateur",
    "version en ligne",
    "ver en el navegador",
    "visualizza nel browser",
    "bekijk in browser",
    "открыть в браузере",
];

/// Tells whether the HTML says more than the plain text: something that this has not, such as links, pictures in their places, a table of data.
pub(super) fn html_says_more(plain: &[Line], page: &Page) -> bool {
    let plain_text: String = plain.iter().map(|line| line.said() + "\n").collect();
    let page_text: String = page.lines.iter().map(|line| line.said() + "\n").collect();
    let (in_plain, in_page) = (words(&plain_text), words(&page_text));
    if in_plain.is_empty() || in_page.is_empty() {
        return in_plain.is_empty() && (!in_page.is_empty() || !page.placed.is_empty());
    }
    let short = in_plain.len() < 60 || in_plain.len() * 4 < in_page.len();
    let lower = if short { plain_text.to_lowercase() } else { String::new() };
    if short && in_page.len() > in_plain.len() && SEE_THE_PAGE.iter().any(|phrase| lower.contains(phrase)) {
        return true;
    }
    let (set_of_plain, set_of_page): (HashSet<u64>, HashSet<u64>) =
        (in_plain.iter().copied().collect(), in_page.iter().copied().collect());
    let only_plain = set_of_plain.difference(&set_of_page).count();
    let only_page = set_of_page.difference(&set_of_plain).count();
    // A page that lacks much of what the plain text says is not the whole message.
    if only_plain > only_page && only_plain * 4 > set_of_plain.len() && only_plain >= 8 {
        return false;
    }
    let squeezed: String = plain_text.split_whitespace().collect();
    let web = page.links.iter().filter(|link| link.starts_with("http")).take(LINKS_MAX);
    let missing_link = web.into_iter().any(|link| !squeezed.contains(link.trim_end_matches('/')));
    page.has_table || missing_link || !page.placed.is_empty() || only_page * 10 > set_of_page.len()
}
