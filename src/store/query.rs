//! What people type to find something, as an expression of the index. Pure.
//!
//! Words are words and never syntax, but for the operators of Gmail's search that can be answered here.
//! Source: <https://support.google.com/mail/answer/7190>

use std::fmt::Write as _;

use super::index::{self, Column};
use crate::model::{Millis, begin_of_day};

/// How many words, phrases and operators a query may have.
pub(super) const TERMS_MAX: usize = 32;

/// How many letters a word has at least that may go on.
const BEGINNING_MIN: usize = 3;

/// Stands between terms: without it a column behind a word is none for FTS5.
const AND: &str = " AND ";

/// Operators that can be answered here.
const OPERATORS: [&str; 16] = [
    "from",
    "to",
    "cc",
    "bcc",
    "subject",
    "label",
    "category",
    "has",
    "is",
    "in",
    "before",
    "after",
    "older",
    "newer",
    "older_than",
    "newer_than",
];

/// Operators that only Gmail can answer.
const OF_GMAIL: [&str; 8] = ["filename", "larger", "smaller", "size", "list", "deliveredto", "rfc822msgid", "around"];

/// Who asks, and when.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The address of the account; what `me` means.
    pub account: &'a str,
    /// The time, which `newer_than:` counts from.
    pub now: Millis,
}

/// A query as the index is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query {
    /// The words that must match, by which what is found can be ranked.
    pub(super) words: String,
    /// The same if the last word may go on.
    pub(super) unfinished: Option<String>,
    /// What must match beside them.
    pub(super) filters: String,
    /// Something was written in it since then, in seconds since 1970.
    pub(super) after: Option<i64>,
    /// Something was written in it before that, in seconds since 1970.
    pub(super) before: Option<i64>,
    /// What only Gmail can answer, as it was typed: no file here is known to meet it.
    pub(super) elsewhere: Vec<String>,
    /// Whether it has more than [`TERMS_MAX`] of all that.
    pub(super) too_long: bool,
}

impl Query {
    /// Reads what a person typed: all words must occur, words in double quotes side by side, and the last word may be unfinished.
    /// `None` when there is no word and no operator in it.
    pub(super) fn read(typed: &str, asker: Asker<'_>) -> Option<Self> {
        let pieces = pieces(typed);
        let mut query = Self { too_long: pieces.len() > TERMS_MAX, ..Self::default() };
        let has_operator = pieces.iter().any(|piece| piece.operator.is_some());
        for (at, piece) in pieces.iter().enumerate().take(TERMS_MAX) {
            match piece.operator {
                None if has_operator && piece.text == "OR" => query.elsewhere.push(piece.text.to_owned()),
                None => {
                    let found = term(&mut query.words, None, piece.text);
                    if found && at + 1 == pieces.len() && piece.may_go_on() {
                        query.unfinished = Some(format!("{}*", query.words));
                    }
                }
                Some(operator) => {
                    if query.operator(operator, piece, asker).is_none() {
                        query.elsewhere.push(piece.whole.to_owned());
                    }
                }
            }
        }
        if query.words.is_empty() && query.filters.is_empty() {
            let bare = query.after.is_none() && query.before.is_none() && query.elsewhere.is_empty() && !has_operator;
            if bare {
                return None;
            }
            query.fact(index::ANY);
        }
        Some(query)
    }

    /// Returns all that must match, with these words.
    pub(super) fn expression(&self, words: &str) -> String {
        let both = if words.is_empty() || self.filters.is_empty() { "" } else { AND };
        format!("{words}{both}{}", self.filters)
    }

    /// Returns what must match if the words are looked for in titles alone.
    pub(super) fn in_title(&self, words: &str) -> String {
        self.expression(&format!("{} : ({words})", Column::Title.name()))
    }

    fn fact(&mut self, token: &str) {
        let and = if self.filters.is_empty() { "" } else { AND };
        write!(self.filters, "{and}{} : \"{token}\"", Column::Facts.name()).unwrap_or_default();
    }

    fn label(&mut self, name: &str) {
        self.fact(&index::label(name));
    }

    /// Adds what an operator asks for; `None` when that cannot be answered here.
    fn operator(&mut self, operator: &str, piece: &Piece<'_>, asker: Asker<'_>) -> Option<()> {
        let value = piece.text;
        let lower = value.to_lowercase();
        match operator {
            "from" if lower == "me" => self.label("SENT"),
            "to" | "cc" | "bcc" if lower == "me" => self.each(Column::Recipient, asker.account, false)?,
            "from" => self.each(Column::Sender, value, piece.grouped)?,
            "to" | "cc" | "bcc" => self.each(Column::Recipient, value, piece.grouped)?,
            "subject" => self.each(Column::Title, value, piece.grouped)?,
            "label" if !piece.grouped && !value.is_empty() => self.label(value),
            "category" if !value.is_empty() => self.label(&format!("CATEGORY_{value}")),
            "has" if lower == "attachment" => self.fact(index::ATTACHMENT),
            "is" if lower == "read" => self.fact(index::READ),
            "is" if matches!(&*lower, "unread" | "starred" | "important") => self.label(&lower),
            "in" if lower == "anywhere" => {}
            "in" if matches!(&*lower, "inbox" | "sent" | "spam" | "trash") => self.label(&lower),
            "in" if matches!(&*lower, "draft" | "drafts") => self.label("draft"),
            "before" | "older" => self.before = earliest(self.before, moment(value)?),
            "after" | "newer" => self.after = latest(self.after, moment(value)?),
            "older_than" => self.before = earliest(self.before, ago(&lower, asker.now)?),
            "newer_than" => self.after = latest(self.after, ago(&lower, asker.now)?),
            _ => return None,
        }
        Some(())
    }

    /// Adds what an operator asks of a column: the words side by side, or each for itself where parentheses stood around them.
    fn each(&mut self, column: Column, value: &str, grouped: bool) -> Option<()> {
        if !grouped {
            return term(&mut self.filters, Some(column), value).then_some(());
        }
        let words: Vec<&str> = value.split_whitespace().collect();
        // What stands between parentheses has operators of its own.
        if words.iter().any(|word| *word == "OR" || word.starts_with(['-', '"', '{', '('])) {
            return None;
        }
        words.into_iter().all(|word| term(&mut self.filters, Some(column), word)).then_some(())
    }
}

/// Adds a term to an expression, in one column only if that is given; tells whether there is a word in it.
fn term(expression: &mut String, column: Option<Column>, text: &str) -> bool {
    // A term without a letter or digit has no token, and a phrase without tokens would match nothing.
    if !text.chars().any(char::is_alphanumeric) {
        return false;
    }
    if !expression.is_empty() {
        expression.push_str(AND);
    }
    if let Some(column) = column {
        write!(expression, "{} : ", column.name()).unwrap_or_default();
    }
    // Every term is quoted for FTS5, and holds no quote itself.
    let spelled: String = text.chars().filter(|c| !c.is_control() && *c != '"').collect();
    write!(expression, "\"{}\"", index::spaced(&spelled)).unwrap_or_default();
    true
}

fn earliest(known: Option<i64>, moment: i64) -> Option<i64> {
    Some(known.map_or(moment, |known| known.min(moment)))
}

fn latest(known: Option<i64>, moment: i64) -> Option<i64> {
    Some(known.map_or(moment, |known| known.max(moment)))
}

/// Reads a day, or seconds since 1970.
fn moment(value: &str) -> Option<i64> {
    begin_of_day(value).or_else(|| value.parse().ok().filter(|seconds| *seconds > 9_999))
}

/// Reads how long ago something was: `3d`, `2m`, `1y`.
fn ago(value: &str, now: Millis) -> Option<i64> {
    let unit = value.chars().next_back()?;
    let days = match unit {
        'd' => 1,
        'm' => 30,
        'y' => 365,
        _ => return None,
    };
    let count: i64 = value.strip_suffix(unit)?.parse::<u16>().ok()?.into();
    Some(i64::try_from(now.0 / 1000).ok()? - count * days * 86_400)
}

/// A word, a phrase or an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece<'a> {
    /// As it was typed.
    whole: &'a str,
    /// The operator, in lower case; one that nobody here knows is among [`OF_GMAIL`].
    operator: Option<&'static str>,
    /// The word, or what stands behind the operator.
    text: &'a str,
    /// Whether it is finished, since a quote or a parenthesis closes it, or something follows.
    closed: bool,
    /// Whether parentheses stand around it.
    grouped: bool,
}

impl Piece<'_> {
    /// Tells whether it may be the beginning of a word. Of one or two letters half the language is.
    fn may_go_on(&self) -> bool {
        let last: Vec<char> = self.text.chars().rev().take_while(|letter| letter.is_alphanumeric()).collect();
        !self.closed && last.len() >= BEGINNING_MIN
    }
}

/// Takes apart what was typed.
fn pieces(typed: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let (piece, left) = piece(rest);
        if !piece.text.is_empty() || piece.operator.is_some() {
            found.push(piece);
        }
        rest = left.trim_start();
    }
    found
}

/// Takes the first piece of a text that does not begin with a blank.
fn piece(typed: &str) -> (Piece<'_>, &str) {
    if let Some(quoted) = typed.strip_prefix('"') {
        let (text, left, closed) = until(quoted, '"');
        return (Piece { whole: typed, operator: None, text, closed, grouped: false }, left);
    }
    let end = typed.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(typed.len());
    let (word, left) = typed.split_at_checked(end).unwrap_or((typed, ""));
    let Some((operator, value)) = operator(word, left.starts_with('"')) else {
        // Blanks behind it say that it is finished.
        return (Piece { whole: word, operator: None, text: word, closed: !left.is_empty(), grouped: false }, left);
    };
    let whole = word;
    let behind = typed.get(word.len() - value.len()..).unwrap_or_default();
    for (open, close) in [('"', '"'), ('(', ')')] {
        if let Some(inner) = behind.strip_prefix(open) {
            let (text, left, closed) = until(inner, close);
            let whole = typed.get(..typed.len() - left.len()).unwrap_or(typed);
            return (Piece { whole, operator: Some(operator), text, closed, grouped: open == '(' }, left);
        }
    }
    (Piece { whole, operator: Some(operator), text: value, closed: true, grouped: false }, left)
}

/// Cuts a text at a sign, which neither half has; tells whether it was there.
fn until(text: &str, sign: char) -> (&str, &str, bool) {
    text.split_once(sign).map_or((text, "", false), |(inner, left)| (inner, left, true))
}

/// Reads a word as an operator with its value: `from:ana`. One that is negated or begins a group is none that can be answered here.
/// Only a quote makes a value of one that stands alone.
fn operator(word: &str, is_quoted: bool) -> Option<(&'static str, &str)> {
    let bare = word.trim_start_matches(['-', '(', '{']);
    let (name, value) = bare.split_once(':')?;
    let name = name.to_lowercase();
    let known = OPERATORS.iter().chain(&OF_GMAIL).find(|operator| **operator == name)?;
    let is_plain = bare.len() == word.len();
    (is_quoted || !value.is_empty()).then_some((if is_plain { known } else { "around" }, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKER: Asker<'static> = Asker { account: "me@example.org", now: Millis(1_700_000_000_000) };

    #[track_caller]
    fn check(typed: &str, expected: Option<&str>) {
        let query = Query::read(typed, ASKER);
        if let Some(query) = &query {
            assert_eq!((query.after, query.before, &query.elsewhere), (None, None, &Vec::new()), "{typed:?}");
        }
        let said = query.map(|query| query.expression(query.unfinished.as_ref().unwrap_or(&query.words)));
        assert_eq!(said.as_deref(), expected, "{typed:?}");
    }

    #[test]
    fn words_are_never_syntax() {
        check("meeting", Some("\"meeting\"*"));
        check("meeting notes ", Some("\"meeting\" AND \"notes\""));
        check("a AND bat", Some("\"a\" AND \"AND\" AND \"bat\"*"));
        check("a OR b", Some("\"a\" AND \"OR\" AND \"b\""));
        check("title:x", Some("\"title:x\""));
        check("facts:xyz", Some("\"facts:xyz\"*"));
        check("\"exact phrase\"", Some("\"exact phrase\""));
        check("\"open phrase", Some("\"open phrase\"*"));
        check("wor\"exact phrase\"", Some("\"wor\" AND \"exact phrase\""));
        check("x* -y ^z", Some("\"x*\" AND \"-y\" AND \"^z\""));
        check("NEAR(a b, 3)", Some("\"NEAR(a\" AND \"b,\" AND \"3)\""));
        check("from: ana", Some("\"from:\" AND \"ana\"*"));
        check("- * \"", None);
        check("", None);
        check("\u{e000}all", Some("\"all\"*"));
    }

    #[test]
    fn scripts_without_blanks_are_phrases_of_letters() {
        check("会議室", Some("\"会\u{200b}議\u{200b}室\"*"));
        check("Q3会議 ", Some("\"Q3\u{200b}会\u{200b}議\""));
    }

    #[test]
    fn operators_ask_for_columns() {
        let fact = |name: &str| format!("facts : \"{}\"", index::label(name));
        check("from:ana", Some("sender : \"ana\""));
        check("from:Ana@Example.org plan", Some("\"plan\"* AND sender : \"Ana@Example.org\""));
        check("FROM:\"Ana Lee\" to:bo", Some("sender : \"Ana Lee\" AND recipient : \"bo\""));
        check("subject:(tax return)", Some("title : \"tax\" AND title : \"return\""));
        check("subject:\"tax return\" x", Some("\"x\" AND title : \"tax return\""));
        check("to:me", Some("recipient : \"me@example.org\""));
        check("from:me", Some(&fact("sent")));
        check("label:Work/Trips", Some(&fact("work-trips")));
        check("label:\"Work Trips\"", Some(&fact("WORK TRIPS")));
        check("is:unread", Some(&fact("UNREAD")));
        check("in:inbox", Some(&fact("INBOX")));
        check("category:social", Some(&fact("CATEGORY_SOCIAL")));
        check("in:anywhere plan", Some("\"plan\"*"));
        check("in:anywhere", Some(&format!("facts : \"{}\"", index::ANY)));
        check(
            "has:attachment is:read",
            Some(&format!("facts : \"{}\" AND facts : \"{}\"", index::ATTACHMENT, index::READ)),
        );
    }

    #[test]
    fn days_are_bounds() {
        let check = |typed: &str, after: Option<i64>, before: Option<i64>| {
            let query = Query::read(typed, ASKER).unwrap();
            assert_eq!((query.after, query.before, query.elsewhere), (after, before, Vec::new()), "{typed:?}");
        };
        check("after:2026/01/31", Some(1_769_817_600), None);
        check("newer:2026-1-31 before:2026-02-01", Some(1_769_817_600), Some(1_769_904_000));
        check("after:1700000000", Some(1_700_000_000), None);
        check("newer_than:2d x", Some(1_699_827_200), None);
        check("older_than:1y", None, Some(1_668_464_000));
    }

    #[test]
    fn nothing_of_a_long_query_is_left_out_untold() {
        for (typed, too_long) in [("word ".repeat(TERMS_MAX), false), ("word ".repeat(TERMS_MAX + 1), true)] {
            assert_eq!(Query::read(&typed, ASKER).unwrap().too_long, too_long, "{typed}");
        }
        let phrase = format!("\"{}\"", "word ".repeat(100));
        assert!(!Query::read(&phrase, ASKER).unwrap().too_long);
    }

    #[test]
    fn what_only_gmail_knows_is_told() {
        let check = |typed: &str, elsewhere: &[&str]| {
            assert_eq!(Query::read(typed, ASKER).unwrap().elsewhere, elsewhere, "{typed:?}");
        };
        check("larger:5M plan", &["larger:5M"]);
        check("-from:ana plan", &["-from:ana"]);
        check("{from:ana from:bo}", &["{from:ana"]);
        check("from:ana OR from:bo", &["OR"]);
        check("from:(ana OR bo) x", &["from:(ana OR bo)"]);
        check("has:drive", &["has:drive"]);
        check("is:muted", &["is:muted"]);
        check("before:yesterday", &["before:yesterday"]);
        check("filename:\"a b.pdf\" x", &["filename:\"a b.pdf\""]);
    }
}
