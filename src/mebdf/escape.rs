//! From the runs of one paragraph to text that reads back as those runs.

use super::emphasis::{Token, is_inert, split_definitions, tokens};
use super::{Marks, Run, RunContent};

/// Where an inline text is to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A paragraph or item whose further lines are indented by so many spaces.
    Lines(usize),
    /// A heading: one line.
    Heading,
    /// A cell: one line, in which bars are escaped.
    Cell,
}

/// Prints normalised runs.
pub(super) fn print_runs(runs: &[Run], place: Place) -> String {
    if let Some(text) = as_it_stands(runs) {
        debug_assert_eq!(text, print_escaped(runs, place), "what needs no escape has none");
        return text.to_owned();
    }
    print_escaped(runs, place)
}

/// The text of runs that say nothing but it, where certainly none of its characters would mean something: most text needs
/// no more than this look.
fn as_it_stands(runs: &[Run]) -> Option<&str> {
    let [Run { content: RunContent::Text(text), marks }] = runs else { return None };
    let plain = text.starts_with(char::is_alphabetic) && !text.ends_with(' ') && text.chars().all(is_inert);
    (plain && *marks == Marks::default()).then_some(text)
}

fn print_escaped(runs: &[Run], place: Place) -> String {
    let split = split_definitions(runs);
    let runs = split.as_deref().unwrap_or(runs);
    // Stars alone are what people write. Where one emphasis ends and another begins without a character between, four
    // or five stars would meet, and between punctuation an inner star could as well close the outer one; there the
    // italic is written with underscores, so that neither can be taken for the other.
    let (stars, collides) = tokens(runs, place, '*');
    if !collides {
        let mut printer = Printer::new(stars, place);
        printer.force();
        if !printer.is_ambiguous() {
            return printer.print();
        }
    }
    let mut printer = Printer::new(tokens(runs, place, '_').0, place);
    printer.force();
    printer.print()
}

/// Tells whether `&` before these characters would be an entity.
pub(super) fn is_entity(mut after: impl Iterator<Item = char>) -> bool {
    // The longest name has 31 characters; the rest is a margin.
    after.by_ref().take(40).find(|letter| !letter.is_ascii_alphanumeric() && *letter != '#') == Some(';')
}

/// How a character looks to the rule of flanking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Punctuation,
    /// A letter, or something that may be taken for one.
    Other,
    /// Neither a blank nor certainly something else.
    Unknown,
}

struct Printer<'a> {
    tokens: Vec<Token<'a>>,
    /// Characters that are written as numeric entities.
    entity: Vec<bool>,
    place: Place,
    out: String,
}

impl<'a> Printer<'a> {
    fn new(tokens: Vec<Token<'a>>, place: Place) -> Self {
        let entity = vec![false; tokens.len()];
        Self { tokens, entity, place, out: String::new() }
    }

    fn print(mut self) -> String {
        let mut line_start = true;
        // The place of the full stop or bracket of a number that begins a line.
        let mut numbered = None;
        for at in 0..self.tokens.len() {
            let letter = match self.tokens.get(at) {
                Some(Token::Letter(letter)) => *letter,
                Some(Token::Raw(text)) => {
                    self.out.push_str(text);
                    line_start = false;
                    continue;
                }
                Some(Token::Plain(text)) => {
                    self.out.push_str(text);
                    line_start = false;
                    continue;
                }
                Some(Token::Mark { delimiter, twice, .. }) => {
                    for _ in 0..=usize::from(*twice) {
                        self.out.push(*delimiter);
                    }
                    line_start = false;
                    continue;
                }
                None => return self.out,
            };
            if self.is_entity(at) {
                self.out.push_str(&format!("&#{};", u32::from(letter)));
                line_start = false;
                continue;
            }
            if let ('\n' | '\u{b}', Place::Lines(indent)) = (letter, self.place) {
                if letter == '\u{b}' {
                    self.out.push('\\');
                }
                self.out.push('\n');
                self.out.push_str(&" ".repeat(indent));
                line_start = true;
                continue;
            }
            if line_start {
                numbered = self.number_end(at);
            }
            if numbered == Some(at) || (line_start && self.begins_block(at)) || self.means_something(at, letter) {
                self.out.push('\\');
            }
            self.out.push(letter);
            line_start = false;
        }
        self.out
    }

    /// Decides which characters must be entities.
    fn force(&mut self) {
        self.force_blanks();
        self.force_flanks();
    }

    /// Tells whether somewhere inside an emphasis by stars stand stars that could both open and close.
    fn is_ambiguous(&self) -> bool {
        let mut depth = 0_usize;
        let mut at = 0;
        while at < self.tokens.len() {
            let stars = |token: &&Token<'_>| matches!(token, Token::Mark { delimiter: '*', .. });
            let length = self.tokens.iter().skip(at).take_while(stars).count();
            if length == 0 {
                at += 1;
                continue;
            }
            let opens = matches!(self.tokens.get(at), Some(Token::Mark { opens: true, .. }));
            let before = self.class(at.checked_sub(1));
            let after = self.class(Some(at + length));
            let wordy = |class| matches!(class, Class::Other | Class::Unknown);
            let soft = |class| matches!(class, Class::Punctuation | Class::Unknown);
            let both = (wordy(before) && wordy(after)) || (soft(before) && soft(after));
            let outer = if opens { depth > 0 } else { depth > length };
            let inside = if opens { length > 1 } else { depth > 1 };
            if both && (outer || inside) {
                return true;
            }
            depth = if opens { depth + length } else { depth.saturating_sub(length) };
            at += length;
        }
        false
    }

    fn letter(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Letter(letter)) if !self.is_entity(at) => Some(*letter),
            Some(Token::Letter(_) | Token::Plain(_) | Token::Raw(_) | Token::Mark { .. }) | None => None,
        }
    }

    fn before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).and_then(|index| self.letter(index))
    }

    fn is_entity(&self, at: usize) -> bool {
        self.entity.get(at).copied().unwrap_or(false)
    }

    fn force_one(&mut self, at: usize) -> bool {
        if !matches!(self.tokens.get(at), Some(Token::Letter(_))) {
            return false;
        }
        match self.entity.get_mut(at) {
            Some(flag) if !*flag => {
                *flag = true;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Blanks that Markdown would drop, and characters that it reads as something else, become entities.
    fn force_blanks(&mut self) {
        let last = self.tokens.len().saturating_sub(1);
        let one_line = !matches!(self.place, Place::Lines(_));
        let mut line_start = true;
        for at in 0..self.tokens.len() {
            let Some(Token::Letter(letter)) = self.tokens.get(at) else {
                line_start = false;
                continue;
            };
            let letter = *letter;
            let after_open =
                at > 0 && matches!(self.tokens.get(at - 1), Some(Token::Raw(raw)) if raw.starts_with("{!"));
            // A break at the end of a link, span or emphasis: the line after it would begin with what closes.
            let before_close = match self.tokens.get(at + 1) {
                Some(Token::Raw(raw)) => raw.starts_with(']') || raw == "{/!}",
                Some(Token::Mark { opens, .. }) => !opens,
                Some(Token::Letter(_) | Token::Plain(_)) | None => false,
            };
            let force = match letter {
                ' ' | '\t' => line_start || at == last,
                '\n' => one_line || at == last || at == 0 || after_open || before_close,
                // A line that holds only what breaks it would be an empty paragraph.
                '\u{b}' => one_line || at == last || at == 0 || before_close,
                '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}' => true,
                other => other.is_control(),
            };
            if force {
                self.force_one(at);
            }
            line_start = !force && matches!(letter, '\n' | '\u{b}');
        }
    }

    /// Makes every delimiter open or close as it is meant to, by writing neighbours as entities, which are punctuation
    /// to the rule of flanking.
    fn force_flanks(&mut self) {
        // One character can stand between two delimiters, so that a change travels; it can only travel one way in a
        // row, and each round goes both ways.
        let is_mark = |at: &usize| matches!(self.tokens.get(*at), Some(Token::Mark { .. }));
        let marks: Vec<usize> = (0..self.tokens.len()).filter(is_mark).collect();
        loop {
            let mut changed = false;
            for at in marks.iter().chain(marks.iter().rev()).copied() {
                changed |= self.force_flank(at);
            }
            if !changed {
                return;
            }
        }
    }

    fn force_flank(&mut self, at: usize) -> bool {
        let Some(Token::Mark { delimiter, opens, .. }) = self.tokens.get(at) else { return false };
        let (delimiter, opens) = (*delimiter, *opens);
        let same = |token: Option<&Token<'_>>| matches!(token, Some(Token::Mark { delimiter: other, .. }) if *other == delimiter);
        let mut first = at;
        while first > 0 && same(self.tokens.get(first - 1)) {
            first -= 1;
        }
        let mut after = at + 1;
        while same(self.tokens.get(after)) {
            after += 1;
        }
        let before = first.checked_sub(1);
        let (inner, outer) = if opens { (Some(after), before) } else { (before, Some(after)) };
        let mut changed = false;
        if self.class(inner) == Class::Blank
            && let Some(inner) = inner
        {
            changed |= self.force_one(inner);
        }
        let wordy = matches!(self.class(outer), Class::Other | Class::Unknown);
        let plain = self.class(inner) == Class::Other && delimiter != '_';
        if wordy
            && !plain
            && let Some(outer) = outer
        {
            changed |= self.force_one(outer);
        }
        changed
    }

    fn class(&self, at: Option<usize>) -> Class {
        let Some(at) = at else { return Class::Blank };
        match self.tokens.get(at) {
            None => Class::Blank,
            // Nothing asks: a letter stands on either side of it.
            Some(Token::Plain(_)) => Class::Other,
            Some(Token::Raw(_) | Token::Mark { .. }) => Class::Punctuation,
            Some(Token::Letter(_)) if self.is_entity(at) => Class::Punctuation,
            Some(Token::Letter(letter)) => {
                if letter.is_whitespace() {
                    Class::Blank
                } else if letter.is_ascii_punctuation() {
                    Class::Punctuation
                } else if letter.is_alphanumeric() {
                    Class::Other
                } else {
                    Class::Unknown
                }
            }
        }
    }

    /// Tells whether a character would be read as more than itself wherever it stands.
    fn means_something(&self, at: usize, letter: char) -> bool {
        let next = self.letter(at + 1);
        match letter {
            '\\' | '`' | '[' | ']' | '~' => true,
            '*' => self.before(at) != Some(' ') || next != Some(' '),
            '_' => {
                let word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
                !(word(self.before(at)) && word(next))
            }
            '|' => self.place == Place::Cell,
            '{' => matches!(next, Some('!' | '^')) || (next == Some('/') && self.letter(at + 2) == Some('!')),
            '!' => matches!(self.tokens.get(at + 1), Some(Token::Raw(raw)) if raw.starts_with('[')),
            // A link whose text begins with it would be a footnote.
            '^' => at > 0 && matches!(self.tokens.get(at - 1), Some(Token::Raw(raw)) if raw == "["),
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => is_entity((at + 1..at + 42).map_while(|index| self.letter(index))),
            '#' => self.place == Place::Heading && self.ends_heading(at),
            // `[^1]:` at the begin of a line would be the footnote itself.
            ':' => at > 0 && matches!(self.tokens.get(at - 1), Some(Token::Raw(raw)) if raw.starts_with("[^")),
            _ => false,
        }
    }

    fn ends_heading(&self, at: usize) -> bool {
        let mut first = at;
        while first > 0 && self.letter(first - 1) == Some('#') {
            first -= 1;
        }
        at + 1 == self.tokens.len() && (first == 0 || self.before(first) == Some(' '))
    }

    /// Tells whether a character at the begin of a line would begin a block there.
    fn begins_block(&self, at: usize) -> bool {
        let Some(letter) = self.letter(at) else { return false };
        let next = self.letter(at + 1);
        let ends = |letter: Option<char>, at: usize| match letter {
            Some(letter) => matches!(letter, ' ' | '\t' | '\n' | '\u{b}'),
            None => at >= self.tokens.len(),
        };
        match letter {
            '#' => {
                let after = (at..at + 7).find(|index| self.letter(*index) != Some('#')).unwrap_or(at + 7);
                after <= at + 6 && (ends(self.letter(after), after) || self.is_entity(after))
            }
            '-' => ends(next, at + 1) || matches!(next, Some('-' | '|' | ':')) || self.is_entity(at + 1),
            '+' => ends(next, at + 1) || self.is_entity(at + 1),
            '=' => ends(next, at + 1) || next == Some('='),
            ':' => next == Some('-'),
            '>' => true,
            '|' => self.place != Place::Cell,
            _ => false,
        }
    }

    /// Returns the place of the mark that makes a number at the begin of a line an item.
    fn number_end(&self, at: usize) -> Option<usize> {
        let end = (at..at + 10).find(|index| !self.letter(*index).is_some_and(|letter| letter.is_ascii_digit()))?;
        let marks = end > at && matches!(self.letter(end), Some('.' | ')'));
        let blank = match self.letter(end + 1) {
            Some(letter) => matches!(letter, ' ' | '\t' | '\n' | '\u{b}'),
            None => end + 1 >= self.tokens.len() || self.is_entity(end + 1),
        };
        (marks && blank).then_some(end)
    }
}
