//! The words of texts, by which quotes are found again, however they were wrapped and marked.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How many words are compared for one message before no more quotes are looked for: a text of one word a million times takes
/// as many for each of its lines.
const COMPARED_MAX: usize = 8_000_000;

/// The words of a text. Letters and digits make words, a letter of a script without blanks is one by itself, and so is a sign that
/// says something, such as `%` or an emoji; quote marks, emphasis and punctuation are none.
pub(super) fn words(text: &str) -> Vec<u64> {
    // What programs write into plain text in place of a picture is its name.
    let named = text.contains("[image: ").then(|| text.replace("[image: ", "["));
    let text = named.as_deref().unwrap_or(text);
    let mut found = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let alone = is_alone(letter);
        if letter.is_alphanumeric() && !alone {
            word.extend(letter.to_lowercase());
        } else {
            flush(&mut word, &mut found);
            let minus = letter == '-' && !before.is_alphanumeric() && letters.peek().is_some_and(char::is_ascii_digit);
            if alone || minus || says_something(letter) {
                word.push(letter);
                flush(&mut word, &mut found);
            }
        }
        before = letter;
    }
    flush(&mut word, &mut found);
    found
}

fn flush(word: &mut String, found: &mut Vec<u64>) {
    if !word.is_empty() {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        found.push(hasher.finish());
        word.clear();
    }
}

/// Tells whether a letter is of a script that has no blanks between words, where a line may end behind any.
fn is_alone(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Tells whether a sign is more than punctuation.
fn says_something(letter: char) -> bool {
    matches!(letter, '%' | '$' | '€' | '£' | '¥' | '+' | '=' | '@' | '&' | '§' | '°' | '±' | '×' | '÷')
        || matches!(letter, '\u{2190}'..='\u{21ff}' | '\u{2200}'..='\u{22ff}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}

/// The words of one earlier message, and where each stands.
#[derive(Debug, Default)]
struct Index {
    words: Vec<u64>,
    places: HashMap<u64, Vec<usize>>,
}

/// The bodies of the earlier messages of a thread.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    messages: Vec<Index>,
}

impl Earlier {
    /// Takes the text that a message shows, its signature included.
    pub(super) fn push(&mut self, text: &str) {
        let words = words(text);
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            places.entry(*word).or_default().push(at);
        }
        self.messages.push(Index { words, places });
    }
}

/// A reading of one message's quotes: how far in each earlier message they have come.
pub(super) struct Search<'e> {
    earlier: &'e Earlier,
    reached: Vec<usize>,
    found: Vec<usize>,
    last: usize,
    compared: usize,
}

impl<'e> Search<'e> {
    pub(super) fn new(earlier: &'e Earlier) -> Self {
        let none = vec![0; earlier.messages.len()];
        Self { earlier, reached: none.clone(), found: none, last: usize::MAX, compared: 0 }
    }

    /// Begins another quote, which may begin anywhere.
    pub(super) fn begin(&mut self) {
        self.reached.fill(0);
        self.found.fill(0);
        self.last = usize::MAX;
    }

    /// Finds a line behind the one before it, in the same earlier message or another. A line without words is everywhere.
    pub(super) fn finds(&mut self, words: &[u64]) -> bool {
        let Some(first) = words.first() else { return true };
        // Right behind the last line is where it stands most often; a short line stands in many places.
        let newest_first = (0..self.reached.len()).rev();
        let order: Vec<usize> =
            (self.last != usize::MAX).then_some(self.last).into_iter().chain(newest_first).collect();
        for &message in &order {
            let (Some(index), Some(at)) = (self.earlier.messages.get(message), self.reached.get(message)) else {
                continue;
            };
            if index.words.get(*at..).is_some_and(|rest| rest.starts_with(words)) {
                return self.take(message, *at + words.len(), words.len());
            }
        }
        for &message in &order {
            let (Some(index), Some(reached)) = (self.earlier.messages.get(message), self.reached.get(message)) else {
                continue;
            };
            let places = index.places.get(first).map_or(&[][..], Vec::as_slice);
            let from = places.partition_point(|place| place < reached);
            for place in places.get(from..).unwrap_or_default() {
                let rest = index.words.get(*place..).unwrap_or_default();
                let same = rest.iter().zip(words).take_while(|(left, right)| left == right).count();
                self.compared += same + 1;
                if self.compared > COMPARED_MAX {
                    return false;
                }
                if same == words.len() {
                    return self.take(message, *place + words.len(), words.len());
                }
            }
        }
        false
    }

    fn take(&mut self, message: usize, reached: usize, count: usize) -> bool {
        if let (Some(place), Some(found)) = (self.reached.get_mut(message), self.found.get_mut(message)) {
            *place = reached;
            *found += count;
        }
        self.last = message;
        true
    }

    /// Tells whether what was found since the quote began is nearly all that some message says.
    pub(super) fn covers_one(&self) -> bool {
        let both = self.found.iter().zip(&self.earlier.messages);
        both.into_iter().any(|(found, index)| *found > 0 && found * 10 >= index.words.len() * 9)
    }
}
