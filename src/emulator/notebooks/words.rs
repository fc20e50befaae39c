//! The passages of sources that have most words in common with a question.

use std::collections::BTreeSet;

use super::document::{Content, Doc};
use super::model::is_ideograph;

/// How long a passage is at most, in UTF-16 units, unless one block alone is longer.
const PASSAGE_UNITS_MAX: usize = 900;

/// Words that say nothing of what is meant.
const EMPTY_WORDS: [&str; 40] = [
    "about", "all", "and", "any", "are", "but", "can", "das", "der", "did", "die", "does", "for", "from", "has",
    "have", "how", "into", "ist", "its", "mit", "not", "one", "say", "that", "the", "their", "there", "this", "tell",
    "und", "was", "were", "what", "when", "which", "who", "why", "with", "you",
];

/// A stretch of a document that is quoted as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passage {
    /// Its first block.
    pub(super) first: usize,
    /// The first block that is no part of it.
    pub(super) last: usize,
    /// Where it begins.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

/// Returns the words of a text by which it is found: in small letters, without those that say nothing. Of scripts
/// without spaces, each two letters that follow each other are a word.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for run in text.split(|letter: char| !letter.is_alphanumeric()) {
        let letters: Vec<char> = run.chars().collect();
        if letters.iter().any(|letter| is_ideograph(*letter)) {
            words.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
            continue;
        }
        let word = run.to_lowercase();
        // The plural of most words is found with the singular.
        let stem = if word.len() > 4 { word.strip_suffix('s').unwrap_or(&word) } else { &word };
        if letters.len() > 2 && !EMPTY_WORDS.contains(&word.as_str()) {
            words.insert(stem.to_owned());
        }
    }
    words
}

/// Counts the words of a question that a text has.
pub(super) fn in_common(question: &BTreeSet<String>, text: &str) -> usize {
    words(text).intersection(question).count()
}

/// Parts a document into passages: each begins with a heading, or where the one before it is long enough.
pub(super) fn passages(doc: &Doc) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    for (index, block) in doc.blocks.iter().enumerate() {
        let after_text = index.checked_sub(1).and_then(|at| doc.blocks.get(at)).is_some_and(|last| !last.is_heading());
        let fits =
            |passage: &Passage| block.end - passage.start <= PASSAGE_UNITS_MAX && !(block.is_heading() && after_text);
        match passages.last_mut() {
            Some(passage) if fits(passage) => {
                passage.last = index + 1;
                passage.end = block.end;
            }
            Some(_) | None => {
                passages.push(Passage { first: index, last: index + 1, start: block.start, end: block.end });
            }
        }
    }
    passages
}

/// Returns what a passage says, in Markdown.
pub(super) fn passage_text(doc: &Doc, passage: &Passage) -> String {
    let blocks = doc.blocks.get(passage.first..passage.last).unwrap_or_default();
    blocks.iter().map(super::document::Block::markdown).collect()
}

/// Returns the sentence of a passage that has most words of a question, as it stands there, and whether it is code.
pub(super) fn best_sentence(doc: &Doc, passage: &Passage, question: &BTreeSet<String>) -> Option<(String, bool)> {
    let blocks = doc.blocks.get(passage.first..passage.last).unwrap_or_default();
    let mut best: Option<(usize, String, bool)> = None;
    for block in blocks.iter().filter(|block| !block.is_heading()) {
        let is_code = matches!(block.content, Content::Code(..));
        let text = block.text();
        let parts: Vec<&str> = match block.content {
            Content::Text { .. } => sentences(&text),
            // The heading of the columns says nothing by itself.
            Content::Table(_) => text.lines().skip(1).collect(),
            Content::Code(..) => text.lines().collect(),
            Content::Rule => Vec::new(),
        };
        for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
            // A long word says more of what is meant than a short one.
            let weight: usize = words(part).intersection(question).map(|word| word.chars().count()).sum();
            if best.as_ref().is_none_or(|(most, ..)| weight > *most) {
                best = Some((weight, part.to_owned(), is_code));
            }
        }
    }
    best.map(|(_, text, is_code)| (text, is_code))
}

/// Parts a text into sentences. A dot ends one only before a space.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let spaced = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(letter, '。' | '！' | '？') || matches!(letter, '.' | '!' | '?') && spaced {
            let end = at + letter.len_utf8();
            found.extend(text.get(begin..end));
            begin = end;
        }
    }
    found.extend(text.get(begin..).filter(|rest| !rest.trim().is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    #[test]
    fn the_passage_with_most_words_is_found() {
        let doc = parse(
            "# Bread\n\nFlour and water. The starter sleeps in the fridge.\n\n# Oven\n\nHeat it to 250 °C. Steam helps.\n\n\
             # 水\n\n水温は三十度です。塩は後で入れます。",
        );
        let passages = passages(&doc);
        assert_eq!(passages.len(), 3);
        assert_eq!((passages[0].start, passages[2].end), (0, doc.blocks.last().unwrap().end));
        for (question, place, sentence) in [
            ("Where does the starter sleep?", 0, "The starter sleeps in the fridge."),
            ("How hot is the oven, and does steam help?", 1, "Steam helps."),
            ("水温は何度ですか", 2, "水温は三十度です。"),
        ] {
            let asked = words(question);
            let best = passages.iter().max_by_key(|passage| in_common(&asked, &passage_text(&doc, passage))).unwrap();
            assert_eq!(best, &passages[place], "{question}");
            assert_eq!(best_sentence(&doc, best, &asked).unwrap().0, sentence);
        }
    }
}
