//! How many words of a text come and go: what a person wants to know of a push or a pull. Pure.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::moved::words_of;
use crate::mebdf;

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
        let (before, after) = (mebdf::parse(before).tree, mebdf::parse(after).tree);
        let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
        for word in before.blocks.iter().flat_map(|block| words_of(&block.content)) {
            counts.entry(word).or_default().0 += 1;
        }
        for word in after.blocks.iter().flat_map(|block| words_of(&block.content)) {
            counts.entry(word).or_default().1 += 1;
        }
        let counts = counts.into_values();
        counts.fold(Self::default(), |words, (before, after)| Self {
            added: words.added + after.saturating_sub(before),
            removed: words.removed + before.saturating_sub(after),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
