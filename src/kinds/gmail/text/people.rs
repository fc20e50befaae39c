//! The people of a message, and text of headers that is shown on one line.

use std::collections::HashSet;

use mail_parser::{Address, Message as Headers};
use serde::{Deserialize, Serialize};

/// How many addresses of a header are shown; the rest is counted. Newsletters by `To:` have hundreds.
const SHOWN_MAX: usize = 50;

/// How many people of a thread are named in one place.
const EVERYBODY_MAX: usize = 200;

/// The longest text of a header that is shown, in characters: a line of a mail has 998.
const TEXT_MAX: usize = 998;

/// Stands for a subject that there is none of.
pub(super) const NO_SUBJECT: &str = "(no subject)";

/// The title of a thread with this subject.
#[must_use]
pub fn shown_subject(subject: &str) -> String {
    let subject = one_line(subject);
    if subject.is_empty() { NO_SUBJECT.to_owned() } else { subject }
}

/// Somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// What they are called; may be empty.
    pub name: String,
    /// Their address; may be empty.
    pub address: String,
}

impl Person {
    /// `Ana Lee <ana@example.com>`
    #[must_use]
    pub fn whole(&self) -> String {
        match (self.name.is_empty() || self.name == self.address, self.address.is_empty()) {
            (true, _) => self.address.clone(),
            (false, true) => quoted(&self.name),
            (false, false) => format!("{} <{}>", quoted(&self.name), self.address),
        }
    }

    /// The name, or the address where there is none.
    pub(super) fn called(&self) -> &str {
        if self.name.is_empty() { &self.address } else { &self.name }
    }
}

/// A name that could be taken for several is written like JSON.
pub(super) fn quoted(name: &str) -> String {
    let plain = !name.contains([',', '"', '<', '>']) && name.trim() == name;
    if plain { name.to_owned() } else { serde_json::Value::from(name).to_string() }
}

/// People of a thread, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Everybody {
    /// By their addresses, or names where they have none.
    pub(super) known: HashSet<String>,
    /// As they are shown, the first [`EVERYBODY_MAX`] of them.
    pub(super) shown: Vec<String>,
}

impl Everybody {
    pub(super) fn meet<'p>(&mut self, people: impl Iterator<Item = &'p Person>) {
        for person in people {
            let key = if person.address.is_empty() { &person.name } else { &person.address };
            if self.known.insert(key.to_lowercase()) && self.shown.len() < EVERYBODY_MAX {
                self.shown.push(person.whole());
            }
        }
    }
}

/// The people of a header.
pub(super) fn people(address: Option<&Address<'_>>) -> Vec<Person> {
    let Some(address) = address else { return Vec::new() };
    let person = |addr: &mail_parser::Addr<'_>| Person {
        name: one_line(addr.name.as_deref().unwrap_or_default()),
        address: one_line(addr.address.as_deref().unwrap_or_default()),
    };
    let known = |person: &Person| !person.name.is_empty() || !person.address.is_empty();
    address.iter().map(person).filter(known).collect()
}

/// Who a message is from.
pub(super) fn sender(headers: &Headers<'_>) -> Option<Person> {
    people(headers.from()).into_iter().next().or_else(|| people(headers.sender()).into_iter().next())
}

/// People in one line.
pub(super) fn row(people: &[Person]) -> String {
    let shown: Vec<String> = people.iter().take(SHOWN_MAX).map(Person::whole).collect();
    let more = people.len().saturating_sub(SHOWN_MAX);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", shown.join(", "))
}

/// A text of a header on one line, without what is not seen or turns text around.
pub(super) fn one_line(text: &str) -> String {
    let unseen = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let clean: String = text
        .chars()
        .filter(|c| !unseen(*c))
        .map(|c| if c.is_control() || c == '\u{2028}' || c == '\u{2029}' { ' ' } else { c })
        .collect();
    let words: Vec<&str> = clean.split_whitespace().collect();
    let all = words.join(" ");
    if all.chars().count() > TEXT_MAX { format!("{}…", all.chars().take(TEXT_MAX).collect::<String>()) } else { all }
}

/// A subject without `Re:`, `Fwd:` and their like, by which subjects are compared.
pub(super) fn bare_subject(subject: &str) -> &str {
    let mut rest = subject.trim();
    while let Some((head, tail)) = rest.split_once([':', '：']) {
        let head = head.trim().to_lowercase();
        let head = head.split(['[', '(']).next().unwrap_or_default();
        let known = [
            "re",
            "fw",
            "fwd",
            "aw",
            "wg",
            "sv",
            "vs",
            "vb",
            "antw",
            "tr",
            "rv",
            "res",
            "enc",
            "odp",
            "pd",
            "ynt",
            "ilt",
            "ré",
            "回复",
            "转发",
            "答复",
            "回覆",
            "轉寄",
            "r",
            "i",
            "doorst",
            "απ",
            "πρθ",
            "hv",
            "svar",
            "fs",
            "vá",
            "továbbítás",
            "ha",
            "na",
            "ref",
        ];
        if !known.contains(&head) {
            break;
        }
        rest = tail.trim();
    }
    rest
}
