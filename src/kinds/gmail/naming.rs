//! What Gmail is asked for the threads that a rule names. Pure.

use std::collections::BTreeMap;

use super::text::label_name;
use crate::error::{Error, Result};
use crate::mebdf;
use crate::model::{Rule, begin_of_day};

/// The longest query of a rule, in bytes; Gmail's box takes about two thousand.
const QUERY_MAX: usize = 2_000;

/// How many labels an error names.
const NAMED_MAX: usize = 40;

/// Returns what `q` is for a rule.
///
/// # Errors
///
/// `InvalidInput` for a day that is none, and a query that is too long.
///
/// Source: <https://developers.google.com/workspace/gmail/api/guides/filtering>
pub(super) fn query(rule: &Rule) -> Result<String> {
    let query = rule.query.trim();
    if query.len() > QUERY_MAX || query.contains('\0') {
        return Err(Error::InvalidInput {
            what: format!("the query has more than {QUERY_MAX} letters"),
            suggestion: "Make several rules of it.".into(),
        });
    }
    let Some(since) = &rule.since else { return Ok(query.to_owned()) };
    let begin = begin_of_day(since).ok_or_else(|| Error::InvalidInput {
        what: format!("`{}` is no day", since.escape_debug()),
        suggestion: "Write it like 2026-01-31.".into(),
    })?;
    // A moment means the same in every time zone, a day does not. What is in parentheses is one condition, whatever it holds.
    Ok(match query.is_empty() {
        true => format!("after:{begin}"),
        false => format!("({query}) after:{begin}"),
    })
}

/// Returns the id of the label of a name; upper and lower case are one.
///
/// # Errors
///
/// `InvalidInput` when there is none, with those that there are.
pub(super) fn label_id(name: &str, labels: &BTreeMap<String, String>) -> Result<String> {
    let wanted = name.trim().to_lowercase();
    let found = labels.iter().find(|(_, known)| label_name(known).to_lowercase() == wanted);
    found.map(|(id, _)| id.clone()).ok_or_else(|| {
        let known: Vec<String> = labels.values().map(|name| label_name(name)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Error::InvalidInput {
            what: format!("there is no label `{}` in Gmail", name.escape_debug()),
            suggestion: format!("Take one of {}.", mebdf::print_some_names(&known, NAMED_MAX)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, since: Option<&str>, expected: Option<&str>) {
        let rule = Rule { query: query.into(), since: since.map(str::to_owned), ..Rule::default() };
        assert_eq!(self::query(&rule).ok().as_deref(), expected, "{query:?} {since:?}");
    }

    #[test]
    fn rules_are_asked_as_gmail_is_searched() {
        check("", None, Some(""));
        check(" from:ana OR to:ana ", None, Some("from:ana OR to:ana"));
        check("", Some("2026-01-31"), Some("after:1769817600"));
        check("", Some("2026/1/31"), Some("after:1769817600"));
        check("from:ana OR to:ana", Some("2024-02-29"), Some("(from:ana OR to:ana) after:1709164800"));
        for day in [
            "2026-02-30",
            "2025-02-29",
            "2026-13-01",
            "31.1.2026",
            "2026-01-31T00",
            "",
            "2026-01-00",
            "0000-01-01",
            "2026-01-31-1",
        ] {
            check("x", Some(day), None);
        }
        check(&"x".repeat(3_000), None, None);
    }

    #[test]
    fn labels_are_found_by_their_names() {
        let labels = [("INBOX", "INBOX"), ("Label_1", "Trips, 2026")];
        let labels = labels.map(|(id, name)| (id.to_owned(), name.to_owned())).into();
        assert_eq!(label_id(" trips, 2026", &labels).unwrap(), "Label_1");
        let error = label_id("Tripz", &labels).unwrap_err();
        assert!(error.suggestion().contains("INBOX, \"Trips, 2026\""), "{error}");
    }
}
