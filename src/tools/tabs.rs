//! Which tab is meant: by its id, by its title, or by the URL that somebody copied.

use percent_encoding::percent_decode_str;

use super::host::{Host, ItemReport, PartReport};
use super::verbs::{OUTLINE_BYTES_MAX, excerpt, read_file};
use crate::error::{Error, Result};
use crate::mebdf;

/// The tab that every new document has.
const FIRST_EVER: &str = "t.0";

/// Returns the tab that the URL of a document names, as a browser shows it; `None` for an id.
pub(super) fn of_url(id_or_url: &str) -> Option<String> {
    let (_, query) = id_or_url.trim().split('#').next()?.split_once('?')?;
    let tab = query.split('&').find_map(|pair| pair.strip_prefix("tab="))?;
    let tab = percent_decode_str(tab).decode_utf8().ok()?.trim().to_owned();
    (!tab.is_empty()).then_some(tab)
}

/// Returns the tab that is meant: the one that was given before the one in the URL, and an empty id for neither.
pub(super) fn meant(given: &str, id_or_url: &str) -> String {
    let given = given.trim();
    if given.is_empty() { of_url(id_or_url).unwrap_or_default() } else { given.to_owned() }
}

/// Returns the id of a tab, as the head of its file says it; the only tab of a document has no name there.
pub(super) fn in_head(text: &str) -> Option<String> {
    mebdf::head(text)?.tab_id().map(str::to_owned)
}

/// Finds the file of a tab by id or title; the main file for an empty one.
///
/// # Errors
///
/// `TabNotFound`, with the tabs that there are.
pub(super) async fn part_of<'report>(
    host: &dyn Host,
    report: &'report ItemReport,
    tab: &str,
) -> Result<&'report PartReport> {
    let tab = tab.trim();
    let not_found = |first: Option<&str>| Error::TabNotFound {
        id: report.id.0.clone(),
        tab: excerpt(tab),
        tabs: report.parts.iter().map(|part| named(part, first)).collect(),
    };
    let Some(main) = report.parts.first() else { return Err(not_found(None)) };
    if tab.is_empty() {
        return Ok(main);
    }
    let by_id = report.parts.iter().find(|part| part.part.0 == tab);
    if let Some(part) = by_id.or_else(|| report.parts.iter().find(|part| part.title == tab)) {
        return Ok(part);
    }
    match first_id(host, report, main, tab).await {
        Some(first) if first == tab => Ok(main),
        first => Err(not_found(first.as_deref())),
    }
}

/// Finds out which tab the main file is of, whose name says it not.
async fn first_id(host: &dyn Host, report: &ItemReport, main: &PartReport, wanted: &str) -> Option<String> {
    let text = read_file(main.path.clone(), OUTLINE_BYTES_MAX).await.unwrap_or_default();
    if let Some(id) = in_head(&text) {
        return Some(id);
    }
    // An address out of a browser names it for nearly every document, and nothing need be asked for that.
    if report.parts.len() == 1 && wanted == FIRST_EVER {
        return Some(FIRST_EVER.to_owned());
    }
    // Who cannot be reached names none; then the wanted one is not known here.
    let facts = host.facts(&report.id.0).await.ok()?;
    facts.tabs.into_iter().next().map(|(id, _)| id)
}

fn named(part: &PartReport, first: Option<&str>) -> String {
    match (part.part.0.as_str(), first) {
        ("", Some(id)) => format!("{id} \"{}\" (the main file)", part.title),
        ("", None) => format!("\"{}\" (the main file)", part.title),
        (id, _) => format!("{id} \"{}\"", part.title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_tab() {
        let check = |url: &str, expected: Option<&str>| assert_eq!(of_url(url).as_deref(), expected, "{url}");
        check("https://docs.google.com/document/d/1Ab/edit?tab=t.x#heading=h.y", Some("t.x"));
        check("docs.google.com/document/d/1Ab/edit?usp=sharing&tab=t.0", Some("t.0"));
        check("https://docs.google.com/document/d/1Ab/edit?tab=t%2E5", Some("t.5"));
        check("https://docs.google.com/document/d/1Ab/edit?tab=", None);
        check("https://docs.google.com/document/d/1Ab/edit#tab=t.x", None);
        check("https://docs.google.com/document/d/1Ab/edit?mytab=t.x", None);
        check("1AbCdEfGhIjKlMn", None);
        assert_eq!(meant(" t.1 ", "https://docs.google.com/document/d/1Ab/edit?tab=t.x"), "t.1");
        assert_eq!(meant("", "https://docs.google.com/document/d/1Ab/edit?tab=t.x"), "t.x");
    }
}
