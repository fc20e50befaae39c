//! What counts as a word of a text, and how many of them come and go: what a person wants to know of a push or a pull. Pure.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation as _;

use super::readings;
use crate::mebdf::{Content, RunContent};

/// The words of a text in their order, and the signs that say something by themselves: an emoji, an arrow, a currency.
pub(super) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split_word_bounds().filter(|piece| piece.chars().any(|letter| letter.is_alphanumeric() || is_sign(letter)))
}

/// The words of a text in their order, with all that stands between them but space; a line that ends within a paragraph is one.
pub(super) fn pieces_in(text: &str) -> impl Iterator<Item = &str> {
    text.split_word_bounds().filter(|piece| !piece.chars().all(is_space))
}

/// Tells whether a letter is a space, or the end of a line where a person has not ended it.
pub(super) const fn is_space(letter: char) -> bool {
    letter.is_whitespace() && letter != '\u{b}'
}

/// The piece of a line from the first of the words that are `wanted` to the last of them, of at most `most` words; where that is no
/// word, with the next one or the one before; where there is none, of the first words.
pub(super) fn quoted(line: &str, most: usize, wanted: impl Fn(&str) -> bool) -> &str {
    let is_word = |piece: &str| words_in(piece).next().is_some();
    let (mut range, mut words, mut has_word, mut before) = (None, 0, false, None);
    for (at, piece) in line.split_word_bound_indices().filter(|(_, piece)| !piece.trim().is_empty()) {
        let is_wanted = wanted(piece);
        let Some((start, end)) = range else {
            if is_wanted {
                (range, words, has_word) = (Some((at, at + piece.len())), 1, is_word(piece));
            } else if is_word(piece) {
                before = Some(at);
            }
            continue;
        };
        words += usize::from(is_word(piece));
        if words > most {
            break;
        }
        if is_wanted || !has_word && is_word(piece) {
            (range, has_word) = (Some((start, end.max(at + piece.len()))), has_word || is_word(piece));
        }
    }
    let range = range.map(|(start, end)| (before.filter(|_| !has_word).unwrap_or(start), end));
    // Where no word is wanted it begins the line.
    let end =
        line.split_word_bound_indices().filter(|(_, piece)| is_word(piece)).nth(most).map_or(line.len(), |(at, _)| at);
    range.and_then(|(start, end)| line.get(start..end)).or(line.get(..end)).unwrap_or(line).trim()
}

/// The words that a block says, without those of its marks and objects. One that has none says what stands in it: `!!!`, perhaps.
pub(super) fn words_of(content: &Content) -> Vec<&str> {
    let words: Vec<&str> = texts_of(content).flat_map(words_in).collect();
    match words.is_empty() {
        true => texts_of(content).map(str::trim).filter(|said| !said.is_empty()).collect(),
        false => words,
    }
}

/// The words that a person reads in a text: an id of a heading or an object is none.
pub(super) fn said_in(text: &str) -> Vec<String> {
    readings::of(text).parsed.tree.blocks.iter().flat_map(|block| words_of(&block.content)).map(str::to_owned).collect()
}

/// The texts of a block, without its marks and objects.
pub(super) fn texts_of(content: &Content) -> impl Iterator<Item = &str> {
    let said = content.runs().into_iter().filter_map(|run| match &run.content {
        RunContent::Text(text) => Some(text.as_str()),
        RunContent::Object(_) | RunContent::Anchor(_) | RunContent::FootnoteReference(_) => None,
    });
    let code = if let Content::Code { text, .. } = content { Some(text.as_str()) } else { None };
    said.chain(code)
}

/// Tells whether a letter is of one of Unicode's blocks of symbols: currencies, letter-like ones, arrows, mathematics, shapes,
/// braille and dingbats; or of those of pictures. (<https://www.unicode.org/Public/UNIDATA/Blocks.txt>)
const fn is_sign(letter: char) -> bool {
    let is_latin = matches!(letter, '$' | '¢'..='©' | '¬' | '®' | '°' | '±' | '×' | '÷');
    is_latin || matches!(letter, '\u{20a0}'..='\u{20cf}' | '\u{2100}'..='\u{2bff}' | '\u{1f000}'..='\u{1fbff}')
}

/// Counts of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Words that came.
    pub added: usize,
    /// Words that went.
    pub removed: usize,
}

impl Words {
    /// Counts the words that one text of MEBDF has more and fewer of than another one; what only stands elsewhere, or looks
    /// otherwise, counts for none. The head is no part of it.
    #[must_use]
    pub fn changed(before: &str, after: &str) -> Self {
        Self::changed_beside((before, after), &[])
    }

    /// Counts the words of which one text has more and fewer than another one for another reason than changes that are known,
    /// each by its texts before and after.
    #[must_use]
    pub fn changed_beside((before, after): (&str, &str), known: &[(&str, &str)]) -> Self {
        let mut counts: HashMap<String, i64> = HashMap::new();
        let mut count = |text: &str, by: i64| {
            for block in &readings::of(text).parsed.tree.blocks {
                for word in words_of(&block.content) {
                    match counts.get_mut(word) {
                        Some(count) => *count += by,
                        None => drop(counts.insert(word.to_owned(), by)),
                    }
                }
            }
        };
        count(before, -1);
        count(after, 1);
        for (before, after) in known {
            count(before, 1);
            count(after, -1);
        }
        let size = |count: i64| usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        counts.into_values().fold(Self::default(), |words, count| {
            let (added, removed) = if count > 0 { (size(count), 0) } else { (0, size(count)) };
            Self { added: words.added + added, removed: words.removed + removed }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stands_as_it_is_written() {
        let check = |line: &str, wanted: &[&str], expected: &str| {
            assert_eq!(quoted(line, 4, |word| wanted.contains(&word)), expected, "{line:?} {wanted:?}");
        };
        check("one two, three four five six", &["two", "three"], "two, three");
        check("one two three four five six", &["two", "six"], "two");
        check("It is -15 today", &["-"], "-15");
        check("Is it so?", &["?"], "so?");
        check(" !!! ", &["none"], "!!!");
        check("one two, three four five six", &["none"], "one two, three four");
    }

    fn check(before: &str, after: &str, added: usize, removed: usize) {
        assert_eq!(Words::changed(before, after), Words { added, removed }, "{before:?} {after:?}");
    }

    #[test]
    fn words_that_come_and_go_are_counted() {
        check("", "", 0, 0);
        check("", "one two\n", 2, 0);
        check("one two\n", "two one\n", 0, 0);
        check("one one\n", "one\n\nthree\n", 1, 1);
        check("one **two**\n", "one two\n", 0, 0);
        check("---\ntitle: a\n---\none\n", "---\ntitle: b\n---\none\n", 0, 0);
        check("| a | b |\n| --- | --- |\n| c | d |\n", "| a | b |\n| --- | --- |\n| c | e |\n", 1, 1);
        check("```\nlet x\n```\n", "```\nlet y z\n```\n", 2, 1);
        check("one\n", "one 🎉\n\n👍🏽\n\n→\n\n!!!\n", 4, 0);
        check("5 €, one\n", "5 $; two.\n", 2, 2);
    }

    #[test]
    fn what_is_known_counts_for_nothing() {
        let check = |texts: (&str, &str), known: &[(&str, &str)], added: usize, removed: usize| {
            assert_eq!(Words::changed_beside(texts, known), Words { added, removed }, "{texts:?} {known:?}");
        };
        check(("one\n", "one mine theirs\n"), &[("one theirs\n", "one mine theirs\n")], 1, 0);
        check(("one\n", "one mine\n"), &[("one\n", "one mine\n")], 0, 0);
        check(("one two\n", "mine\n"), &[("one\n", "one mine\n"), ("one mine\n", "mine\n")], 0, 1);
        // What somebody wrote where a section waits is not there yet.
        check(("one\n\ntwo\n", "one mine\n\ntwo\n"), &[("one\n\ntwo x\n", "one mine\n\ntwo x\n")], 0, 0);
    }
}
