//! Which messages a search takes.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::mailbox::{LabelNumber, Mailbox, Message};
use super::mime::Mail;
use super::search::{Field, Search, Term, label_name};
use super::words;
use crate::emulator::DEMO_ACCOUNT;
use crate::emulator::state::Google;

/// Looks messages up for one search.
pub(super) struct Matcher<'g> {
    google: &'g Google,
    mailbox: &'g Mailbox,
    labels: HashMap<String, LabelNumber>,
    unread: Option<LabelNumber>,
}

/// A message, as much of it as was asked for.
struct Seen<'g> {
    google: &'g Google,
    message: &'g Message,
    raw: OnceCell<Vec<u8>>,
    words: OnceCell<Vec<String>>,
}

impl<'g> Matcher<'g> {
    /// Begins a search.
    pub(super) fn new(google: &'g Google, mailbox: &'g Mailbox) -> Self {
        let labels = mailbox.labels.iter().enumerate().filter(|(_, label)| !label.deleted);
        let labels = labels.filter_map(|(at, label)| Some((label_name(&label.name), LabelNumber::try_from(at).ok()?)));
        Self { google, mailbox, labels: labels.collect(), unread: mailbox.label("UNREAD") }
    }

    /// Tells whether a search takes a message.
    pub(super) fn takes(&self, search: &Search, message: &Message) -> bool {
        let seen = Seen { google: self.google, message, raw: OnceCell::new(), words: OnceCell::new() };
        self.holds(search, &seen)
    }

    fn holds(&self, search: &Search, seen: &Seen<'_>) -> bool {
        match search {
            Search::All(list) => {
                // What needs no reading is looked at first.
                list.iter().filter(|each| is_cheap(each)).all(|each| self.holds(each, seen))
                    && list.iter().filter(|each| !is_cheap(each)).all(|each| self.holds(each, seen))
            }
            Search::Any(list) => list.iter().any(|each| self.holds(each, seen)),
            Search::Not(inner) => !self.holds(inner, seen),
            Search::Term(term) => self.term(term, seen),
        }
    }

    fn term(&self, term: &Term, seen: &Seen<'_>) -> bool {
        let message = seen.message;
        let labelled = |number: &LabelNumber| message.labels.binary_search(number).is_ok();
        match term {
            Term::Anywhere => true,
            Term::Read => !self.unread.as_ref().is_some_and(labelled),
            Term::Label(name) => self.labels.get(name).is_some_and(labelled),
            Term::Before(moment) => message.date_ms < *moment,
            Term::After(moment) => message.date_ms >= *moment,
            Term::Header(field, words) => seen.header_says(*field, words),
            // Copies of a message stand in its thread, so that no other one need be read.
            Term::MessageId(id) if self.mailbox.named(id).is_none_or(|named| named.thread != message.thread) => false,
            Term::MessageId(id) => {
                let bare = |id: &str| id.trim().trim_start_matches('<').trim_end_matches('>').to_owned();
                Mail::head(seen.raw()).header("message-id").is_some_and(|own| bare(own) == bare(id))
            }
            Term::Attachment => seen.files().any(|_| true),
            Term::Filename(name) => seen.files().any(|file| file_is(&file, name)),
            Term::Words(words) => {
                let wanted = split(words);
                wanted.is_empty() || in_a_row(seen.words(), &wanted)
            }
        }
    }
}

fn is_cheap(search: &Search) -> bool {
    match search {
        Search::Term(Term::Anywhere | Term::Read | Term::Label(_) | Term::Before(_) | Term::After(_)) => true,
        Search::Not(inner) => is_cheap(inner),
        Search::All(list) | Search::Any(list) => list.iter().all(is_cheap),
        Search::Term(_) => false,
    }
}

impl Seen<'_> {
    fn raw(&self) -> &[u8] {
        self.raw.get_or_init(|| self.google.raw(self.message))
    }

    fn header_says(&self, field: Field, words: &str) -> bool {
        let mail = Mail::head(self.raw());
        let names: &[&str] = match field {
            Field::From => &["from"],
            Field::To => &["to", "cc", "bcc"],
            Field::Cc => &["cc"],
            Field::Bcc => &["bcc"],
            Field::Subject => &["subject"],
        };
        let me = field != Field::Subject && words.eq_ignore_ascii_case("me");
        let wanted = split(if me { DEMO_ACCOUNT } else { words });
        let headers = mail.root().map(|root| root.headers.as_slice()).unwrap_or_default();
        let mut named = headers.iter().filter(|header| names.iter().any(|name| header.name.eq_ignore_ascii_case(name)));
        named.any(|header| in_a_row(&split(&header.value), &wanted))
    }

    /// Returns the names of the files, in small letters.
    fn files(&self) -> impl Iterator<Item = String> {
        let mail = Mail::read(self.raw());
        mail.parts.into_iter().filter(|part| !part.filename.is_empty()).map(|part| part.filename.to_lowercase())
    }

    /// Returns all words of subject, addresses and bodies.
    fn words(&self) -> &[String] {
        self.words.get_or_init(|| {
            let mail = Mail::read(self.raw());
            let mut all = String::new();
            for name in ["subject", "from", "to", "cc", "bcc"] {
                all.push_str(mail.header(name).unwrap_or_default());
                all.push('\n');
            }
            all.push_str(&words::text(&mail));
            for part in &mail.parts {
                all.push('\n');
                all.push_str(&part.filename);
            }
            split(&all)
        })
    }
}

/// Tells whether a file has a name, a beginning of one, or an ending.
fn file_is(file: &str, wanted: &str) -> bool {
    file == wanted || file.starts_with(wanted) || file.rsplit_once('.').is_some_and(|(_, ending)| ending == wanted)
}

/// Splits text into words in small letters; a letter of a script without spaces is a word of its own.
fn split(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        let alone = is_cjk(letter);
        if (alone || !letter.is_alphanumeric()) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if alone {
            found.push(letter.to_string());
        } else if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// Tells whether words are written without spaces between them.
const fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0e7f}')
}

/// Tells whether words stand in a row among others.
fn in_a_row(words: &[String], wanted: &[String]) -> bool {
    wanted.is_empty() || words.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_rows() {
        let text = split("Überfall: Ana-Lee <ana@example.com> 東京タワー");
        for (phrase, wanted) in [
            ("ana lee", true),
            ("ANA@EXAMPLE.com", true),
            ("überfall", true),
            ("lee ana", true),
            ("example ana", false),
            ("fall", false),
            ("京タ", true),
            ("京東", false),
            ("!!", true),
        ] {
            assert_eq!(in_a_row(&text, &split(phrase)), wanted, "{phrase}");
        }
    }
}
