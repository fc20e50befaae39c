//! The `q` of lists: Gmail's search, read into a tree.
//!
//! Nothing is an error: what is no operator is words.
//!
//! Source: <https://support.google.com/mail/answer/7190>

use crate::emulator::clock;

/// Groups that may stand in each other; what is deeper is words.
const MAX_DEPTH: usize = 32;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Search {
    /// All of them.
    All(Vec<Self>),
    /// One of them.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// One condition.
    Term(Term),
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Term {
    /// Words in a row in some header.
    Header(Field, String),
    /// A label, by its name as searches write it.
    Label(String),
    /// Anywhere, spam and trash too.
    Anywhere,
    /// Not unread.
    Read,
    /// With a file.
    Attachment,
    /// With a file of such a name.
    Filename(String),
    /// Earlier than a moment.
    Before(i64),
    /// At a moment or later.
    After(i64),
    /// The one that its header calls so.
    MessageId(String),
    /// Words in a row, wherever.
    Words(String),
}

/// Which header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Who wrote it.
    From,
    /// Who it was written to, openly or not.
    To,
    /// Who got a copy.
    Cc,
    /// Who got a copy that nobody saw.
    Bcc,
    /// What it is about.
    Subject,
}

impl Search {
    /// Reads a query; `None` when it asks for nothing.
    pub(super) fn parse(text: &str, now_ms: i64) -> Option<Self> {
        let tokens = tokens(text);
        let mut reader = Reader { tokens: &tokens, at: 0, now_ms };
        let mut all = Vec::new();
        while reader.at < tokens.len() {
            all.extend(reader.list(None, 0));
            // A parenthesis that closes nothing is passed over.
            reader.at += 1;
        }
        gather(all)
    }

    /// Tells whether it names trash or spam itself, or everything.
    pub(super) fn looks_everywhere(&self) -> bool {
        match self {
            Self::All(list) | Self::Any(list) => list.iter().any(Self::looks_everywhere),
            Self::Not(_) => false,
            Self::Term(Term::Anywhere | Term::MessageId(_)) => true,
            Self::Term(Term::Label(name)) => matches!(name.as_str(), "trash" | "spam"),
            Self::Term(_) => false,
        }
    }
}

fn gather(mut list: Vec<Search>) -> Option<Search> {
    match list.len() {
        0 => None,
        1 => list.pop(),
        _ => Some(Search::All(list)),
    }
}

/// A piece of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Open(char),
    Close,
    Minus,
    /// `name:`, with nothing between it and what follows.
    Operator(String),
    Word(String),
    Quoted(String),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '(' | '{' => found.push(Token::Open(letter)),
            ')' | '}' => found.push(Token::Close),
            '"' => found.push(Token::Quoted(letters.by_ref().take_while(|letter| *letter != '"').collect())),
            '-' => found.push(Token::Minus),
            space if space.is_whitespace() => {}
            first => {
                let mut word = String::from(first);
                while let Some(next) = letters.next_if(|next| !next.is_whitespace() && !"(){}\"".contains(*next)) {
                    word.push(next);
                    if next == ':' && is_operator(word.trim_end_matches(':')) {
                        break;
                    }
                }
                match word.strip_suffix(':').filter(|name| is_operator(name)) {
                    Some(name) => found.push(Token::Operator(name.to_ascii_lowercase())),
                    None => found.push(Token::Word(word)),
                }
            }
        }
    }
    found
}

fn is_operator(name: &str) -> bool {
    const OPERATORS: [&str; 17] = [
        "from",
        "to",
        "cc",
        "bcc",
        "subject",
        "label",
        "has",
        "filename",
        "before",
        "older",
        "after",
        "newer",
        "older_than",
        "newer_than",
        "is",
        "in",
        "rfc822msgid",
    ];
    OPERATORS.iter().any(|known| known.eq_ignore_ascii_case(name)) || name.eq_ignore_ascii_case("category")
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    now_ms: i64,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// Reads what stands up to a closing parenthesis; an operator before the group goes for each of them.
    fn list(&mut self, operator: Option<&str>, depth: usize) -> Vec<Search> {
        let mut list: Vec<Search> = Vec::new();
        let mut either = false;
        while let Some(token) = self.peek() {
            match token {
                Token::Close => break,
                Token::Word(word) if word == "OR" || word == "|" => {
                    either = !list.is_empty();
                    self.at += 1;
                    continue;
                }
                Token::Word(word) if word == "AND" => {
                    self.at += 1;
                    continue;
                }
                Token::Open(_) | Token::Minus | Token::Operator(_) | Token::Word(_) | Token::Quoted(_) => {}
            }
            let Some(item) = self.item(operator, depth) else { continue };
            match (either, list.last_mut()) {
                (true, Some(Search::Any(choices))) => choices.push(item),
                (true, Some(last)) => *last = Search::Any(vec![last.clone(), item]),
                _ => list.push(item),
            }
            either = false;
        }
        list
    }

    /// Reads one item; always moves on.
    fn item(&mut self, operator: Option<&str>, depth: usize) -> Option<Search> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Close => None,
            Token::Minus if depth < MAX_DEPTH => self.item(operator, depth + 1).map(|item| Search::Not(Box::new(item))),
            Token::Open(kind) if depth < MAX_DEPTH => {
                let list = self.list(operator, depth + 1);
                self.at += 1;
                if kind == '{' && list.len() > 1 { Some(Search::Any(list)) } else { gather(list) }
            }
            Token::Minus | Token::Open(_) => None,
            Token::Operator(name) => match self.peek() {
                Some(Token::Word(_) | Token::Quoted(_) | Token::Open(_)) if depth < MAX_DEPTH => {
                    self.item(Some(&name), depth + 1)
                }
                // An operator without a value asks for nothing.
                _ => None,
            },
            Token::Word(word) | Token::Quoted(word) => Some(Search::Term(self.term(operator, &word))),
        }
    }

    fn term(&self, operator: Option<&str>, value: &str) -> Term {
        let words = || Term::Words(operator.map_or_else(|| value.to_owned(), |name| format!("{name} {value}")));
        let small = value.to_lowercase();
        let date = || date(value);
        match operator {
            None => Term::Words(value.into()),
            Some("from") => Term::Header(Field::From, value.into()),
            Some("to") => Term::Header(Field::To, value.into()),
            Some("cc") => Term::Header(Field::Cc, value.into()),
            Some("bcc") => Term::Header(Field::Bcc, value.into()),
            Some("subject") => Term::Header(Field::Subject, value.into()),
            Some("label") => Term::Label(label_name(value)),
            Some("category") => Term::Label(label_name(&format!("category_{}", category(&small)))),
            Some("has") if small == "attachment" => Term::Attachment,
            Some("filename") => Term::Filename(small),
            Some("before" | "older") => date().map_or_else(words, Term::Before),
            Some("after" | "newer") => date().map_or_else(words, Term::After),
            Some("older_than") => self.ago(&small).map_or_else(words, Term::Before),
            Some("newer_than") => self.ago(&small).map_or_else(words, Term::After),
            Some("is") => match small.as_str() {
                "read" => Term::Read,
                "unread" | "starred" | "important" | "chat" | "draft" | "sent" => Term::Label(label_name(&small)),
                _ => words(),
            },
            Some("in") if small == "anywhere" => Term::Anywhere,
            Some("in") => Term::Label(label_name(&small)),
            Some("rfc822msgid") => Term::MessageId(value.into()),
            Some(_) => words(),
        }
    }

    /// Reads `2d`, `3m`, `1y`; returns the moment so long ago.
    fn ago(&self, text: &str) -> Option<i64> {
        let unit = text.chars().next_back()?;
        let days = match unit {
            'd' => 1,
            'm' => 30,
            'y' => 365,
            _ => return None,
        };
        let count: i64 = text.strip_suffix(unit)?.parse().ok()?;
        (0..=100_000).contains(&count).then(|| self.now_ms - count * days * DAY_MS)
    }
}

/// Returns the name of a category's label.
fn category(name: &str) -> &str {
    if name == "primary" { "personal" } else { name }
}

/// Returns a label's name as searches write it: small letters, with dashes for what parts its words.
pub(super) fn label_name(name: &str) -> String {
    let name = name.to_lowercase();
    let name = if name == "drafts" { "draft" } else { &name };
    name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect()
}

/// Reads `2026/11/20`, `2026-11-20`, `11/20/2026`, or seconds since the epoch. A day begins in UTC.
///
/// Doubt: Gmail's begins in the time zone of the account or of its servers.
fn date(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split(['/', '-']).collect();
    match parts.as_slice() {
        [seconds] if seconds.len() >= 6 => seconds.parse::<i64>().ok()?.checked_mul(1000),
        [year, month, day] if year.len() == 4 => clock::parse(&format!("{year}-{month}-{day}")),
        [month, day, year] if year.len() == 4 => clock::parse(&format!("{year}-{month}-{day}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Search {
        Search::Term(Term::Words(text.into()))
    }

    #[test]
    fn trees() {
        let label = |name: &str| Search::Term(Term::Label(name.into()));
        let from = |name: &str| Search::Term(Term::Header(Field::From, name.into()));
        for (query, wanted) in [
            ("", None),
            ("  ", None),
            (")", None),
            ("from:", None),
            ("one", Some(words("one"))),
            ("one two", Some(Search::All(vec![words("one"), words("two")]))),
            ("\"one two\"", Some(words("one two"))),
            ("a OR b c", Some(Search::All(vec![Search::Any(vec![words("a"), words("b")]), words("c")]))),
            ("{a b}", Some(Search::Any(vec![words("a"), words("b")]))),
            ("-in:inbox", Some(Search::Not(Box::new(label("inbox"))))),
            ("from:{ana bob}", Some(Search::Any(vec![from("ana"), from("bob")]))),
            ("from:(ana lee)", Some(Search::All(vec![from("ana"), from("lee")]))),
            ("label:Work/Trip", Some(label("work-trip"))),
            ("category:primary", Some(label("category-personal"))),
            ("is:purple", Some(words("is purple"))),
            ("colour:red", Some(words("colour:red"))),
            ("before:1970/01/02", Some(Search::Term(Term::Before(DAY_MS)))),
            ("after:1700000000", Some(Search::Term(Term::After(1_700_000_000_000)))),
            ("newer_than:1d", Some(Search::Term(Term::After(9 * DAY_MS)))),
            ("before:soon", Some(words("before soon"))),
            ("(a", Some(words("a"))),
            ("a OR", Some(words("a"))),
        ] {
            assert_eq!(Search::parse(query, 10 * DAY_MS), wanted, "{query}");
        }
    }

    #[test]
    fn hostile_queries_are_bounded() {
        for query in ["(".repeat(8_000), "-".repeat(8_000), "from:(".repeat(1_300), "a OR ".repeat(1_600)] {
            drop(Search::parse(&query, 0));
        }
    }
}
