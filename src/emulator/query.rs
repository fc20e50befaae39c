//! The `q` of `files.list`.
//!
//! Source: <https://developers.google.com/workspace/drive/api/guides/ref-search-terms>

use super::DEMO_ACCOUNT;
use super::clock;
use super::drive::ROOT_FOLDER;
use super::state::{File, Role};

/// Parentheses and `not` that may be nested.
const MAX_DEPTH: usize = 64;

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Query {
    /// All of them.
    And(Vec<Self>),
    /// One of them.
    Or(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// One term.
    Term(Term),
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Term {
    /// The name is, or is not, exactly this.
    Name(bool, String),
    /// The name has words that start like these.
    NameContains(String),
    /// The name or the text has these words.
    FullText(String),
    /// The type is, or is not, this.
    Type(bool, String),
    /// The type starts with this.
    TypeContains(String),
    /// A time compared with a moment.
    Time(TimeField, Operator, i64),
    /// Whether it is in the trash.
    Trashed(bool),
    /// Whether it is starred; nothing here is.
    Starred(bool),
    /// Shared by somebody else.
    SharedWithMe(bool),
    /// Somebody is among its owners, writers, readers, or a folder among its parents.
    In(String, Collection),
}

/// Which time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeField {
    /// When it was made.
    Created,
    /// When it was changed.
    Modified,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`
    Other,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

/// A list that a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collection {
    /// Its owners.
    Owners,
    /// Those who may edit.
    Writers,
    /// Those who may read.
    Readers,
    /// Its folders.
    Parents,
}

/// A token of the grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Sign(&'static str),
}

impl Query {
    /// Reads a query; `None` is Google's "Invalid Value".
    pub(super) fn parse(text: &str) -> Option<Self> {
        let tokens = tokens(text)?;
        if tokens.is_empty() {
            return Some(Self::And(Vec::new()));
        }
        let mut reader = Reader { tokens: &tokens, depth: 0 };
        let query = reader.any()?;
        reader.tokens.is_empty().then_some(query)
    }

    /// Tells whether a file answers the query.
    pub(super) fn matches(&self, file: &File) -> bool {
        match self {
            Self::And(all) => all.iter().all(|query| query.matches(file)),
            Self::Or(any) => any.iter().any(|query| query.matches(file)),
            Self::Not(query) => !query.matches(file),
            Self::Term(term) => term.matches(file),
        }
    }

    /// Tells whether it has a `fullText` term, which forbids an order.
    pub(super) fn has_full_text(&self) -> bool {
        match self {
            Self::And(list) | Self::Or(list) => list.iter().any(Self::has_full_text),
            Self::Not(query) => query.has_full_text(),
            Self::Term(term) => matches!(term, Term::FullText(_)),
        }
    }
}

impl Term {
    /// Tells whether a file fulfils it.
    fn matches(&self, file: &File) -> bool {
        let name = &file.document.title;
        match self {
            Self::Name(same, text) => (name == text) == *same,
            Self::NameContains(text) => has_words(name, text, true),
            Self::FullText(text) => has_words(&format!("{name} {}", full_text(file)), text, false),
            Self::Type(same, text) => (text == file.media_type()) == *same,
            Self::TypeContains(text) => file.media_type().starts_with(text.as_str()),
            Self::Time(field, operator, ms) => {
                let own = match field {
                    TimeField::Created => file.created_ms,
                    TimeField::Modified => file.modified_ms,
                };
                operator.holds(own, *ms)
            }
            Self::Trashed(wanted) => file.trashed == *wanted,
            Self::Starred(wanted) => !*wanted,
            Self::SharedWithMe(wanted) => (file.role != Role::Owner) == *wanted,
            Self::In(who, collection) => {
                let me = who == "me" || who.eq_ignore_ascii_case(DEMO_ACCOUNT);
                match collection {
                    Collection::Owners => me && file.role == Role::Owner,
                    Collection::Writers => me && file.role.can_edit(),
                    Collection::Readers => me,
                    Collection::Parents => match &file.parent {
                        Some(parent) => parent == who,
                        None => (who == "root" || who == ROOT_FOLDER) && file.role == Role::Owner,
                    },
                }
            }
        }
    }
}

impl Operator {
    /// Tells whether `left operator right` holds.
    const fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Equal => left == right,
            Self::Other => left != right,
            Self::AtLeast => left >= right,
            Self::Greater => left > right,
        }
    }
}

/// Tells whether `text` has all words of `wanted`, in any order; with `prefix` a word's beginning is enough.
fn has_words(text: &str, wanted: &str, prefix: bool) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let own = words(text);
    words(wanted).iter().all(|word| own.iter().any(|own| if prefix { own.starts_with(word) } else { own == word }))
}

/// Returns all text of a document, for searching.
fn full_text(file: &File) -> String {
    fn collect(value: &serde_json::Value, out: &mut String) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, item) in map {
                    match item.as_str() {
                        Some(text) if key == "content" => out.push_str(text),
                        Some(_) | None => collect(item, out),
                    }
                }
            }
            serde_json::Value::Array(list) => list.iter().for_each(|item| collect(item, out)),
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_) => {}
        }
    }
    let mut out = String::new();
    collect(&serde_json::to_value(&file.document.tabs).unwrap_or_default(), &mut out);
    out
}

/// Splits a query into tokens; `None` when a string does not end or a sign is unknown.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let token = match c {
            c if c.is_whitespace() => continue,
            '(' => Token::Sign("("),
            ')' => Token::Sign(")"),
            '=' => Token::Sign("="),
            '!' => chars.next_if_eq(&'=').map(|_| Token::Sign("!="))?,
            '<' => Token::Sign(if chars.next_if_eq(&'=').is_some() { "<=" } else { "<" }),
            '>' => Token::Sign(if chars.next_if_eq(&'=').is_some() { ">=" } else { ">" }),
            '\'' | '"' => {
                let mut value = String::new();
                loop {
                    match chars.next()? {
                        '\\' => value.push(chars.next().filter(|next| matches!(next, '\'' | '"' | '\\'))?),
                        end if end == c => break,
                        other => value.push(other),
                    }
                }
                Token::Text(value)
            }
            c if c.is_ascii_alphanumeric() => {
                let mut word = String::from(c);
                while let Some(next) = chars.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')) {
                    word.push(next);
                }
                Token::Word(word)
            }
            _ => return None,
        };
        tokens.push(token);
    }
    Some(tokens)
}

/// Reads tokens from the left.
struct Reader<'a> {
    tokens: &'a [Token],
    depth: usize,
}

impl Reader<'_> {
    /// Reads `all (or all)*`.
    fn any(&mut self) -> Option<Query> {
        let mut list = vec![self.all()?];
        while self.keyword("or") {
            list.push(self.all()?);
        }
        if list.len() == 1 { list.pop() } else { Some(Query::Or(list)) }
    }

    /// Reads `one (and one)*`.
    fn all(&mut self) -> Option<Query> {
        let mut list = vec![self.one()?];
        while self.keyword("and") {
            list.push(self.one()?);
        }
        if list.len() == 1 { list.pop() } else { Some(Query::And(list)) }
    }

    /// Reads `not one`, `(any)`, or a term.
    fn one(&mut self) -> Option<Query> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let query = if self.keyword("not") {
            Query::Not(Box::new(self.one()?))
        } else if self.sign("(") {
            let query = self.any()?;
            if !self.sign(")") {
                return None;
            }
            query
        } else {
            Query::Term(self.term()?)
        };
        self.depth -= 1;
        Some(query)
    }

    /// Reads one term.
    fn term(&mut self) -> Option<Term> {
        let field = match self.next()? {
            Token::Text(who) => {
                if !self.keyword("in") {
                    return None;
                }
                let Token::Word(collection) = self.next()? else { return None };
                let collection = match collection.as_str() {
                    "owners" => Collection::Owners,
                    "writers" => Collection::Writers,
                    "readers" => Collection::Readers,
                    "parents" => Collection::Parents,
                    _ => return None,
                };
                return Some(Term::In(who, collection));
            }
            Token::Word(field) => field,
            Token::Sign(_) => return None,
        };
        if field == "sharedWithMe" && !matches!(self.tokens.first(), Some(Token::Sign("=" | "!="))) {
            return Some(Term::SharedWithMe(true));
        }
        let operator = self.next()?;
        let value = self.next()?;
        match (field.as_str(), operator, value) {
            ("name", Token::Sign(sign @ ("=" | "!=")), Token::Text(text)) => Some(Term::Name(sign == "=", text)),
            ("name", Token::Word(word), Token::Text(text)) if word == "contains" => Some(Term::NameContains(text)),
            ("fullText", Token::Word(word), Token::Text(text)) if word == "contains" => Some(Term::FullText(text)),
            ("mimeType", Token::Sign(sign @ ("=" | "!=")), Token::Text(text)) => Some(Term::Type(sign == "=", text)),
            ("mimeType", Token::Word(word), Token::Text(text)) if word == "contains" => Some(Term::TypeContains(text)),
            ("trashed", sign, value) => Some(Term::Trashed(truth(&sign, &value)?)),
            ("starred", sign, value) => Some(Term::Starred(truth(&sign, &value)?)),
            ("sharedWithMe", sign, value) => Some(Term::SharedWithMe(truth(&sign, &value)?)),
            ("modifiedTime" | "viewedByMeTime", Token::Sign(sign), Token::Text(text)) => {
                Some(Term::Time(TimeField::Modified, comparison(sign)?, clock::parse(&text)?))
            }
            ("createdTime", Token::Sign(sign), Token::Text(text)) => {
                Some(Term::Time(TimeField::Created, comparison(sign)?, clock::parse(&text)?))
            }
            _ => None,
        }
    }

    /// Takes the next token.
    fn next(&mut self) -> Option<Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first.clone())
    }

    /// Takes a word if it comes next.
    fn keyword(&mut self, word: &str) -> bool {
        match self.tokens.split_first() {
            Some((Token::Word(next), rest)) if next.eq_ignore_ascii_case(word) => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes a sign if it comes next.
    fn sign(&mut self, sign: &str) -> bool {
        match self.tokens.split_first() {
            Some((Token::Sign(next), rest)) if *next == sign => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }
}

/// Returns the comparison that a sign stands for.
fn comparison(sign: &str) -> Option<Operator> {
    Some(match sign {
        "<" => Operator::Less,
        "<=" => Operator::AtMost,
        "=" => Operator::Equal,
        "!=" => Operator::Other,
        ">=" => Operator::AtLeast,
        ">" => Operator::Greater,
        _ => return None,
    })
}

/// Returns what `= true` and the like ask for.
fn truth(sign: &Token, value: &Token) -> Option<bool> {
    let value = match value {
        Token::Word(word) => word.parse::<bool>().ok()?,
        Token::Text(_) | Token::Sign(_) => return None,
    };
    match sign {
        Token::Sign("=") => Some(value),
        Token::Sign("!=") => Some(!value),
        Token::Sign(_) | Token::Word(_) | Token::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdocs::Document;

    fn file(title: &str) -> File {
        File::new(Document { title: title.into(), ..Document::default() }, None, 1_600_000_000_000)
    }

    #[test]
    fn queries() {
        let file = file("Team report, it's 2020");
        for (query, wanted) in [
            ("", true),
            ("name contains 'rep'", true),
            ("name contains 'eport'", false),
            ("name contains '2020 team'", true),
            (r"name = 'Team report, it\'s 2020'", true),
            ("name != 'x' and not name = 'y'", true),
            ("(name = 'none' or name contains 'team') and trashed = false", true),
            ("name = 'none' or name contains 'team' and trashed = true", false),
            ("modifiedTime > '2020-01-01T00:00:00'", true),
            ("modifiedTime > '2021-01-01T00:00:00'", false),
            ("'me' in owners and 'root' in parents", true),
            ("'demo@example.com' in writers", true),
            ("'ana@example.com' in owners", false),
            ("sharedWithMe", false),
            ("mimeType contains 'application/vnd.google-apps'", true),
            ("NOT trashed=true AND starred != true", true),
        ] {
            assert_eq!(Query::parse(query).unwrap().matches(&file), wanted, "{query}");
        }
    }

    #[test]
    fn bad_queries() {
        let deep = "(".repeat(5000);
        for query in [
            "name ~~ 'x'",
            "name",
            "name =",
            "name = x",
            "name = 'x",
            "name = 'x' and",
            "and",
            "(name = 'x'",
            "name = 'x')",
            "trashed = maybe",
            "modifiedTime > 'soon'",
            "'me' in bed",
            "size > '1'",
            "!",
            "name = '\\n'",
            deep.as_str(),
        ] {
            assert_eq!(Query::parse(query), None, "{query}");
        }
    }
}
