//! What was written by whom: every word that must not get lost carries a name of its own.

use std::collections::{BTreeMap, BTreeSet};

use mcp_workspace::model::ItemId;

/// Length of a token: a letter for its side, a number, and a last letter.
const LENGTH: usize = 7;

/// The signs of the sides, `l`ocal and `r`emote, for tokens that are no words: of a plane for private use, since symbols are words, and
/// Google takes away what is of the private use area of the first plane.
const SIGNS: [std::ops::Range<u32>; 2] = [0xf_0000..0xf_8000, 0xf_8000..0xf_fffe];

/// Tells whether a letter is a token that is no word.
fn is_sign(letter: char) -> bool {
    SIGNS.iter().any(|signs| signs.contains(&u32::from(letter)))
}

/// Finds the tokens in a text.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && !is_sign(letter)).flat_map(|word| {
        let bytes = word.as_bytes();
        let is_token = bytes.len() == LENGTH
            && matches!(bytes.first(), Some(b'l' | b'r'))
            && bytes.last() == Some(&b'x')
            && bytes[1..LENGTH - 1].iter().all(u8::is_ascii_digit);
        word.matches(is_sign).chain(is_token.then_some(word))
    })
}

fn is_said_in(said: &BTreeMap<String, Vec<String>>, token: &str, text: &str) -> bool {
    let is_in = |said: &Vec<String>| {
        let has = |line: &str| words_in(line).windows(said.len()).any(|words| words == said);
        said.len() >= SAID_MIN && text.lines().any(has)
    };
    said.get(token).is_some_and(is_in)
}

/// The words of a text, but for signs.
fn words_in(text: &str) -> Vec<String> {
    let is_apart = |letter: char| !letter.is_alphanumeric();
    text.split(is_apart).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Tells whether a token was written at a machine.
pub(crate) fn is_local(token: &str) -> bool {
    token.starts_with(|letter: char| letter == 'l' || SIGNS[0].contains(&u32::from(letter)))
}

/// Makes of a token one that is no word.
fn signed(token: &str) -> String {
    let (side, number) = token.trim_end_matches('x').split_at(1);
    let signs = &SIGNS[usize::from(side != "l")];
    let sign = signs.clone().nth(number.parse().unwrap()).and_then(char::from_u32);
    sign.expect("not so many tokens").to_string()
}

/// So many words are a sentence that two may write.
const SAID_MIN: usize = 4;

/// All tokens that were ever written.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    count: u32,
    /// Whether tokens are signs, which nobody takes for words.
    pub(crate) signs: bool,
    /// The words that were written with tokens.
    said: BTreeMap<String, Vec<String>>,
    /// Those that nobody who saw them removed.
    alive: BTreeSet<String>,
    /// Those that somebody removed who saw them, and those that a power cut took from somebody.
    given_up: BTreeSet<String>,
    /// Those that some document says.
    remote: BTreeMap<ItemId, BTreeSet<String>>,
    /// What each document says.
    texts: BTreeMap<ItemId, String>,
    /// Those that a push brought of which nobody knows yet that it landed.
    unsure: BTreeMap<ItemId, BTreeSet<String>>,
    /// Those that a document said once, and that somebody removed there.
    gone: BTreeMap<ItemId, BTreeSet<String>>,
}

impl Ledger {
    /// Makes a new token for a side, `l`ocal or `r`emote.
    pub(crate) fn new_token(&mut self, side: char) -> String {
        self.count += 1;
        let token = format!("{side}{:05}x", self.count);
        let token = if self.signs { signed(&token) } else { token };
        self.alive.insert(token.clone());
        token
    }

    /// A token was written among some words.
    pub(crate) fn wrote(&mut self, token: &str, words: &str) {
        self.said.insert(token.to_owned(), words_in(words));
    }

    /// Tells whether a text says all that was written with a token in the words of another one: somebody wrote that, too, and
    /// nobody can tell the two apart.
    pub(crate) fn is_said_in(&self, token: &str, text: &str) -> bool {
        is_said_in(&self.said, token, text)
    }

    /// Tells whether a token may stand for another one that was written with the very same words, and that a text does not say:
    /// nobody can tell the two apart.
    fn stands_for_another(&self, token: &str, text: &str) -> bool {
        let Some(words) = self.said.get(token).filter(|words| words.len() >= SAID_MIN) else { return false };
        let is_other = |other: &&String| *other != token && self.said.get(*other) == Some(words);
        self.alive.iter().filter(is_other).any(|other| !text.contains(other.as_str()))
    }

    /// Somebody who saw a token removed it, or nobody can hold the daemon to it.
    pub(crate) fn given_up(&mut self, token: &str) {
        self.alive.remove(token);
        self.given_up.insert(token.to_owned());
    }

    /// A save did not happen: what it would have brought is nowhere, unless a document says it already.
    pub(crate) fn given_up_unless_kept(&mut self, token: &str) {
        if is_local(token) && !self.remote.values().any(|said| said.contains(token)) {
            self.given_up(token);
        }
    }

    /// Counts the tokens that were written.
    pub(crate) fn count(&self) -> u64 {
        self.count.into()
    }

    /// Tells whether a token must stand somewhere.
    pub(crate) fn is_alive(&self, token: &str) -> bool {
        self.alive.contains(token)
    }

    /// Tokens that must stand somewhere.
    pub(crate) fn alive(&self) -> impl Iterator<Item = &String> {
        self.alive.iter()
    }

    /// Who chooses a side of a conflict has read it: what was removed may come back.
    pub(crate) fn chosen(&mut self, item: &ItemId) {
        self.gone.remove(item);
    }

    /// Somebody may bring back a token that was removed.
    pub(crate) fn may_return(&mut self, item: &ItemId, token: &str) {
        if let Some(gone) = self.gone.get_mut(item) {
            gone.remove(token);
        }
    }

    /// What became of the pushes of an item is written down, but for those that bring these tokens.
    pub(crate) fn recorded(&mut self, item: &ItemId, still_unsure: impl Fn(&String) -> bool) {
        if let Some(unsure) = self.unsure.get_mut(item) {
            unsure.retain(still_unsure);
        }
    }

    /// A push left a document with this text: no token twice, none gone that nobody removed, and none back that somebody did.
    ///
    /// # Panics
    ///
    /// When it is not so.
    pub(crate) fn pushed(&mut self, item: &ItemId, text: &str) {
        let mut seen = BTreeSet::new();
        for token in tokens(text) {
            let is_once = seen.insert(token.to_owned()) || self.stands_for_another(token, text);
            assert!(is_once, "exactly once: {token} stands twice in {item}:\n{text}");
        }
        let before = self.remote.insert(item.clone(), seen).unwrap_or_default();
        let after = &self.remote[item];
        let gone = self.gone.entry(item.clone()).or_default();
        for token in before.difference(after) {
            let is_lost = self.alive.contains(token) && !is_said_in(&self.said, token, text);
            assert!(!is_lost, "conservation: a push took {token} out of {item}:\n{text}");
            gone.insert(token.clone());
        }
        self.texts.insert(item.clone(), text.to_owned());
        for token in after.difference(&before) {
            assert!(!gone.contains(token), "resurrection: a push brought {token} back into {item}:\n{text}");
            self.unsure.entry(item.clone()).or_default().insert(token.clone());
        }
    }

    /// Another person left a document with this text.
    pub(crate) fn collaborated(&mut self, item: &ItemId, text: &str) {
        let after: BTreeSet<String> = tokens(text).map(str::to_owned).collect();
        let before = self.remote.insert(item.clone(), after.clone()).unwrap_or_default();
        let said = self.texts.insert(item.clone(), text.to_owned()).unwrap_or_default();
        // Of a push without an answer that left no trace nobody can tell whether it landed; it is sent once more, with what else
        // stands in a paragraph that it moved.
        let unsure = self.unsure.get(item).into_iter().flatten();
        let unsure: BTreeSet<&str> = unsure
            .flat_map(|unsure| said.lines().filter(|line| line.contains(unsure.as_str())))
            .flat_map(tokens)
            .collect();
        let sure = before.difference(&after).filter(|token| !unsure.contains(token.as_str()));
        self.gone.entry(item.clone()).or_default().extend(sure.cloned());
    }
}
