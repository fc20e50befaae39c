//! The difference between two rows of tokens: by word, then trimmed to grapheme clusters. Pure.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::objects::email;
use crate::kinds::docs::text::line::Token;

/// A stretch of the old row that gives way to a stretch of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Indices into the old tokens.
    pub(super) old: Range<usize>,
    /// Indices into the new tokens.
    pub(super) new: Range<usize>,
}

/// Two hunks with fewer characters than this between them, and no blank, become one: inside a word of a script without
/// blanks, chance matches of single characters would cut an edit into confetti. A word that stands between blanks stays.
const CONFETTI_CHARS: usize = 5;

/// Returns what changed, in order; no hunk begins or ends inside a grapheme cluster of either row.
pub(super) fn hunks(old: &[&Token], new: &[&Token]) -> Vec<Hunk> {
    let (old_row, new_row) = (Row::of(old), Row::of(new));
    let mut hunks: Vec<Hunk> = Vec::new();
    for (old_words, new_words) in changes(&old_row, &new_row) {
        let hunk = Hunk { old: old_row.tokens(&old_words), new: new_row.tokens(&new_words) };
        match hunks.last_mut() {
            Some(last) if mergeable(old, last.old.end..hunk.old.start) => {
                last.old.end = hunk.old.end;
                last.new.end = hunk.new.end;
            }
            _ => hunks.push(hunk),
        }
    }
    for hunk in &mut hunks {
        trim(hunk, old, new, &old_row, &new_row);
    }
    hunks.retain(|hunk| !hunk.old.is_empty() || !hunk.new.is_empty());
    hunks
}

/// Beyond this many comparisons of words, each counts the same, however long it is.
const COMPARISONS_MAX: usize = 250_000;

/// The words that differ, such that as much of what people read stays as can be: a long word rather than two blanks.
fn changes(old: &Row, new: &Row) -> Vec<(Range<usize>, Range<usize>)> {
    let head = old.keys.iter().zip(&new.keys).take_while(|(old, new)| old == new).count();
    let least = old.keys.len().min(new.keys.len()) - head;
    let tail = old.keys.iter().rev().zip(new.keys.iter().rev()).take(least).take_while(|(old, new)| old == new).count();
    let (old_keys, new_keys) = (&old.keys[head..old.keys.len() - tail], &new.keys[head..new.keys.len() - tail]);
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    let ends = [(old_keys.len(), new_keys.len())];
    for (old_same, new_same) in stay(old_keys, new_keys, &old.visible[head..]).into_iter().chain(ends) {
        if i < old_same || j < new_same {
            changes.push((head + i..head + old_same, head + j..head + new_same));
        }
        (i, j) = (old_same + 1, new_same + 1);
    }
    changes
}

/// The pairs of words that stay, rising on both sides: with the most visible characters, then the most words, each as early
/// as it can be.
fn stay(old: &[String], new: &[String], visible: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (height, width) = (old.len(), new.len());
    if height.saturating_mul(width) > COMPARISONS_MAX {
        for op in capture_diff_slices(Algorithm::Myers, old, new) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                pairs.extend((0..len).map(|at| (old_index + at, new_index + at)));
            }
        }
        return pairs;
    }
    let at = |i: usize, j: usize| i * (width + 1) + j;
    let weight = |i: usize| (u64::from(visible[i]) << u32::BITS) + 1;
    let mut best = vec![0_u64; (height + 1) * (width + 1)];
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            let pair = if old[i] == new[j] { weight(i) + best[at(i + 1, j + 1)] } else { 0 };
            best[at(i, j)] = best[at(i + 1, j)].max(best[at(i, j + 1)]).max(pair);
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < height && j < width {
        if old[i] == new[j] && weight(i) + best[at(i + 1, j + 1)] == best[at(i, j)] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[at(i + 1, j)] >= best[at(i, j + 1)] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Returns what changed as [`hunks`] does, but where something that `stays` was moved inside the row, the text around it
/// moves instead: it cannot be made anew.
pub(super) fn hunks_around(old: &[&Token], new: &[&Token], stays: impl Fn(&Token) -> bool) -> Vec<Hunk> {
    let plain = hunks(old, new);
    let goes = |at: usize| plain.iter().any(|hunk| hunk.old.contains(&at));
    let only = |row: &[&Token], token: &Token| {
        let mut found = row.iter().enumerate().filter(|(_, other)| same(other, token));
        found.next().filter(|_| found.next().is_none()).map(|(at, _)| at)
    };
    let fixed = old.iter().filter(|token| stays(token));
    let pins: Vec<(usize, usize)> = fixed.filter_map(|token| Some((only(old, token)?, only(new, token)?))).collect();
    let crossed = pins.windows(2).any(|pair| pair[0].1 > pair[1].1);
    if crossed || !pins.iter().any(|(at, _)| goes(*at)) {
        return plain;
    }
    let mut found = Vec::new();
    let mut start = (0, 0);
    for end in pins.into_iter().chain([(old.len(), new.len())]) {
        let (Some(old), Some(new)) = (old.get(start.0..end.0), new.get(start.1..end.1)) else { return plain };
        found.extend(hunks(old, new).into_iter().map(|hunk| Hunk {
            old: hunk.old.start + start.0..hunk.old.end + start.0,
            new: hunk.new.start + start.1..hunk.new.end + start.1,
        }));
        start = (end.0 + 1, end.1 + 1);
    }
    found
}

/// Returns how much of two rows is the same, from 0 to 1.
pub(super) fn similarity(old: &[&Token], new: &[&Token]) -> f32 {
    let (old, new) = (Row::of(old), Row::of(new));
    similar::diff_ratio(&capture_diff_slices(Algorithm::Myers, &old.keys, &new.keys), old.keys.len(), new.keys.len())
}

fn mergeable(old: &[&Token], gap: Range<usize>) -> bool {
    let outside = |at: Option<usize>| {
        let beside = at.and_then(|at| old.get(at));
        beside.is_none_or(|token| matches!(token, Token::Char(c) if c.is_whitespace()))
    };
    let is_word = !gap.is_empty() && outside(gap.start.checked_sub(1)) && outside(Some(gap.end));
    gap.len() < CONFETTI_CHARS
        && !is_word
        && old.get(gap).is_some_and(|gap| gap.iter().all(|token| matches!(token, Token::Char(c) if !c.is_whitespace())))
}

/// Tokens cut into words, with the places where a cluster begins.
struct Row {
    keys: Vec<String>,
    /// For each word, how many of its characters and objects people see.
    visible: Vec<u32>,
    /// First token of each word, and the count of tokens at the end.
    starts: Vec<usize>,
    /// For each token, and for the end, whether a grapheme cluster begins there.
    boundary: Vec<bool>,
}

impl Row {
    fn of(tokens: &[&Token]) -> Self {
        let flat: String = tokens
            .iter()
            .map(|token| match token {
                Token::Char(character) => *character,
                Token::Object(_) | Token::Footnote(_) | Token::Anchor(_) => '\u{fffc}',
            })
            .collect();
        let mut boundary = vec![false; tokens.len()];
        let mut place = 0;
        for cluster in flat.graphemes(true) {
            if let Some(begins) = boundary.get_mut(place) {
                *begins = true;
            }
            place += cluster.chars().count();
        }
        boundary.push(true);
        let (mut keys, mut visible, mut starts, mut place) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let mut end = 0;
        for word in flat.split_word_bounds() {
            end += word.chars().count();
            // Some scripts have words that begin inside a cluster, which is written whole.
            if boundary.get(end) == Some(&false) {
                continue;
            }
            starts.push(place);
            let word = tokens.get(place..end).unwrap_or_default();
            keys.push(word.iter().map(|token| key(token)).collect());
            visible.push(word.iter().map(|token| u32::from(is_visible(token))).sum());
            place = end;
        }
        starts.push(tokens.len());
        Self { keys, visible, starts, boundary }
    }

    fn tokens(&self, words: &Range<usize>) -> Range<usize> {
        let at = |word: usize| self.starts.get(word).copied().unwrap_or(self.boundary.len() - 1);
        at(words.start)..at(words.end)
    }

    fn begins(&self, token: usize) -> bool {
        self.boundary.get(token).copied().unwrap_or(true)
    }
}

/// Tells whether people see a token.
fn is_visible(token: &Token) -> bool {
    match token {
        Token::Char(character) => !character.is_whitespace() && !character.is_control(),
        Token::Object(_) | Token::Footnote(_) => true,
        Token::Anchor(_) => false,
    }
}

/// What makes two tokens the same; an object that has an id is known by it, whatever its title.
fn key(token: &Token) -> String {
    match token {
        Token::Char(character) => character.to_string(),
        Token::Object(object) => match &object.id {
            Some(id) => format!("\u{fffc}object {id}\u{fffc}"),
            // A person is known by the address.
            None => {
                let title = email(object).or(object.title.as_deref()).unwrap_or_default();
                format!("\u{fffc}{} {title}\u{fffc}", object.kind)
            }
        },
        Token::Footnote(label) => format!("\u{fffc}footnote {label}\u{fffc}"),
        Token::Anchor(id) => format!("\u{fffc}anchor {}\u{fffc}", id.as_deref().unwrap_or_default()),
    }
}

/// Tells whether two tokens are the same one.
pub(super) fn same(old: &Token, new: &Token) -> bool {
    old == new || (!matches!(old, Token::Char(_)) && key(old) == key(new))
}

fn trim(hunk: &mut Hunk, old: &[&Token], new: &[&Token], old_row: &Row, new_row: &Row) {
    let alike = |i: usize, j: usize| matches!((old.get(i), new.get(j)), (Some(a), Some(b)) if same(a, b));
    // Outwards first, to whole clusters: what lies outside is the same on both sides.
    while hunk.old.start > 0
        && hunk.new.start > 0
        && !(old_row.begins(hunk.old.start) && new_row.begins(hunk.new.start))
    {
        hunk.old.start -= 1;
        hunk.new.start -= 1;
    }
    while hunk.old.end < old.len()
        && hunk.new.end < new.len()
        && !(old_row.begins(hunk.old.end) && new_row.begins(hunk.new.end))
    {
        hunk.old.end += 1;
        hunk.new.end += 1;
    }
    let (mut skip, mut best) = (0, 0);
    while hunk.old.start + skip < hunk.old.end
        && hunk.new.start + skip < hunk.new.end
        && alike(hunk.old.start + skip, hunk.new.start + skip)
    {
        skip += 1;
        if old_row.begins(hunk.old.start + skip) && new_row.begins(hunk.new.start + skip) {
            best = skip;
        }
    }
    hunk.old.start += best;
    hunk.new.start += best;
    (skip, best) = (0, 0);
    while hunk.old.start + skip < hunk.old.end
        && hunk.new.start + skip < hunk.new.end
        && alike(hunk.old.end - skip - 1, hunk.new.end - skip - 1)
    {
        skip += 1;
        if old_row.begins(hunk.old.end - skip) && new_row.begins(hunk.new.end - skip) {
            best = skip;
        }
    }
    hunk.old.end -= best;
    hunk.new.end -= best;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[(&str, &str)]) {
        let row = |text: &str| text.chars().map(Token::Char).collect::<Vec<_>>();
        let (old, new) = (row(old), row(new));
        let text = |tokens: &[Token]| {
            tokens.iter().map(|token| if let Token::Char(c) = token { *c } else { '\u{fffc}' }).collect::<String>()
        };
        let found: Vec<(String, String)> = hunks(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>())
            .into_iter()
            .map(|hunk| (text(&old[hunk.old]), text(&new[hunk.new])))
            .collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_are_trimmed_to_what_changed() {
        check("the cat sat", "the cart sat", &[("", "r")]);
        check("one two three", "one 2 three", &[("two", "2")]);
        check("same", "same", &[]);
        check("a b c", "a c", &[("b ", "")]);
        check("eta and tail", "line eta or tail", &[("", "line "), ("and", "or")]);
    }

    #[test]
    fn what_people_read_stays_rather_than_blanks() {
        check("iota theta", "Zwei Worte iota", &[("", "Zwei Worte "), (" theta", "")]);
        check("a b c longer", "longer a b c", &[("a b c ", ""), ("", " a b c")]);
    }

    #[test]
    fn clusters_stay_whole() {
        check("thumb 👍 up", "thumb 👍🏽 up", &[("👍", "👍🏽")]);
        check("cafe", "cafe\u{301}", &[("e", "e\u{301}")]);
        check("กำ", "กิ", &[("กำ", "กิ")]);
        check("👨‍👩‍👧 x", "👨‍👩‍👦 x", &[("👨‍👩‍👧", "👨‍👩‍👦")]);
    }
}
