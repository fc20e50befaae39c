//! From the runs of one paragraph to text that reads back as those runs.

use super::braces;
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

/// A piece of the output.
enum Token {
    /// A character of the text, to be escaped where it would mean something.
    Letter(char),
    /// Output as it is: forms, code spans, brackets. Begins and ends with ASCII punctuation.
    Raw(String),
    /// A delimiter of emphasis, once or twice.
    Mark { delimiter: char, twice: bool, opens: bool, nested: bool },
}

/// Prints normalised runs.
pub(super) fn print_runs(runs: &[Run], place: Place) -> String {
    // Stars alone are what people write. Where one emphasis ends and another begins without a character between, four
    // or five stars would meet, so there the italic is written with underscores.
    let mut writer = Writer { runs, place, italic: '*', tokens: Vec::new() };
    writer.all();
    if writer.collides() {
        writer = Writer { runs, place, italic: '_', tokens: Vec::new() };
        writer.all();
    }
    Printer::new(writer.tokens, place).print()
}

struct Writer<'a> {
    runs: &'a [Run],
    place: Place,
    italic: char,
    tokens: Vec<Token>,
}

/// The marks that are already open around a piece.
#[derive(Clone, Copy, Default)]
struct Opened {
    emphasis: [bool; 3],
    link: bool,
}

impl<'a> Writer<'a> {
    fn all(&mut self) {
        let mut at = 0;
        while let Some(run) = self.runs.get(at) {
            let properties = &run.marks.properties;
            let length = self.runs.iter().skip(at).take_while(|other| other.marks.properties == *properties).count();
            if !properties.is_empty() {
                self.tokens.push(Token::Raw(braces::print_open(properties)));
            }
            self.range(at, at + length, Opened::default());
            if !properties.is_empty() {
                self.tokens.push(Token::Raw("{/!}".to_owned()));
            }
            at += length;
        }
    }

    /// Tells whether somewhere a star that closes meets one that opens.
    fn collides(&self) -> bool {
        self.tokens.windows(2).any(|pair| {
            matches!(
                pair,
                [
                    Token::Mark { delimiter: before, opens: false, .. },
                    Token::Mark { delimiter: after, opens: true, .. }
                ] if before == after
            )
        })
    }

    fn marks(&self, at: usize) -> Option<&'a Marks> {
        self.runs.get(at).map(|run| &run.marks)
    }

    fn has(&self, at: usize, mark: usize) -> bool {
        self.marks(at).is_some_and(|marks| [marks.strike, marks.bold, marks.italic].get(mark).copied().unwrap_or(false))
    }

    /// Returns where the extent of an emphasis that begins at `at` ends.
    fn extent(&self, at: usize, end: usize, mark: usize) -> usize {
        (at..end).find(|index| !self.has(*index, mark)).unwrap_or(end)
    }

    fn range(&mut self, start: usize, end: usize, opened: Opened) {
        let mut at = start;
        while at < end {
            let Some(run) = self.runs.get(at) else { return };
            let mut longest: Option<(usize, usize)> = None;
            for mark in 0..3 {
                if opened.emphasis.get(mark) == Some(&false) && self.has(at, mark) {
                    let reach = self.extent(at, end, mark);
                    if longest.is_none_or(|(_, known)| reach > known) {
                        longest = Some((mark, reach));
                    }
                }
            }
            let emphasis_end = longest.map_or(at, |(_, reach)| reach);
            if !opened.link
                && let Some(link) = &run.marks.link
            {
                let reach = self.link_end(at, end, opened);
                if reach > at && reach >= emphasis_end {
                    self.tokens.push(Token::Raw("[".to_owned()));
                    self.range(at, reach, Opened { link: true, ..opened });
                    self.tokens.push(Token::Raw(format!("]({})", destination(link, self.place))));
                    at = reach;
                    continue;
                }
            }
            match longest {
                Some((mark, reach)) => {
                    self.emphasis(mark, at, reach, opened);
                    at = reach;
                }
                None => {
                    self.content(run);
                    at += 1;
                }
            }
        }
    }

    /// Returns how far a link that begins at `at` can be written in one piece: an emphasis that leaves it in the
    /// middle would be torn, and its halves could begin or end with a blank.
    fn link_end(&self, at: usize, end: usize, opened: Opened) -> usize {
        let link = self.marks(at).and_then(|marks| marks.link.as_ref());
        let same = |index: &usize| self.marks(*index).and_then(|marks| marks.link.as_ref()) == link;
        let reach = (at..end).find(|index| !same(index)).unwrap_or(end);
        if reach == end {
            return reach;
        }
        let crossing = (0..3).filter(|mark| {
            opened.emphasis.get(*mark) == Some(&false) && self.has(reach - 1, *mark) && self.has(reach, *mark)
        });
        crossing
            .map(|mark| (at..reach).rev().take_while(|index| self.has(*index, mark)).last().unwrap_or(reach))
            .min()
            .unwrap_or(reach)
    }

    fn emphasis(&mut self, mark: usize, at: usize, reach: usize, opened: Opened) {
        let (delimiter, twice) = match mark {
            0 => ('~', true),
            1 => ('*', true),
            _ => (self.italic, false),
        };
        let nested = opened.emphasis.iter().any(|open| *open);
        let mut inner = opened;
        if let Some(flag) = inner.emphasis.get_mut(mark) {
            *flag = true;
        }
        self.tokens.push(Token::Mark { delimiter, twice, opens: true, nested });
        self.range(at, reach, inner);
        self.tokens.push(Token::Mark { delimiter, twice, opens: false, nested });
    }

    fn content(&mut self, run: &Run) {
        match &run.content {
            RunContent::Text(text) if run.marks.code => self.tokens.push(Token::Raw(code_span(text, self.place))),
            RunContent::Text(text) => self.tokens.extend(text.chars().map(Token::Letter)),
            RunContent::Anchor(id) => self.tokens.push(Token::Raw(braces::print_anchor(id.as_deref()))),
            RunContent::Object(object) => self.tokens.push(Token::Raw(braces::print_object(object))),
            RunContent::FootnoteReference(label) => self.tokens.push(Token::Raw(format!("[^{label}]"))),
        }
    }
}

/// Prints a code span with more backticks than stand together inside.
fn code_span(text: &str, place: Place) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let lengths: Vec<usize> = text.split(|letter| letter != '`').map(str::len).collect();
    let ticks = (1..=longest + 1).find(|length| !lengths.contains(length)).unwrap_or(longest + 1);
    let fence = "`".repeat(ticks);
    let edges = text.starts_with('`') || text.ends_with('`');
    let spaced = text.starts_with(' ') && text.ends_with(' ') && text.trim_matches(' ') != "";
    let pad = if edges || spaced { " " } else { "" };
    let text = if place == Place::Cell { text.replace('|', "\\|") } else { text.to_owned() };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn destination(link: &str, place: Place) -> String {
    let plain = !link.is_empty()
        && link.is_ascii()
        && !link.bytes().any(|byte| byte <= b' ' || b"<>()\\`|{}[]".contains(&byte))
        && !link.starts_with('<');
    let mut out = String::new();
    let letters: Vec<char> = link.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let escaped = match letter {
            '<' | '>' | '\\' => true,
            '|' => place == Place::Cell,
            '&' => is_entity(letters.iter().skip(at + 1).copied()),
            _ => false,
        };
        if escaped {
            out.push('\\');
        }
        out.push(*letter);
    }
    if plain { out } else { format!("<{out}>") }
}

/// Tells whether `&` before these characters would be an entity.
fn is_entity(mut after: impl Iterator<Item = char>) -> bool {
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

struct Printer {
    tokens: Vec<Token>,
    /// Characters that are written as numeric entities.
    entity: Vec<bool>,
    place: Place,
    out: String,
}

impl Printer {
    fn new(tokens: Vec<Token>, place: Place) -> Self {
        let entity = vec![false; tokens.len()];
        Self { tokens, entity, place, out: String::new() }
    }

    fn print(mut self) -> String {
        self.force_blanks();
        self.force_flanks();
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

    fn letter(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Letter(letter)) if !self.is_entity(at) => Some(*letter),
            Some(Token::Letter(_) | Token::Raw(_) | Token::Mark { .. }) | None => None,
        }
    }

    fn before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).and_then(|index| self.letter(index))
    }

    fn is_entity(&self, at: usize) -> bool {
        self.entity.get(at).copied().unwrap_or(false)
    }

    fn force(&mut self, at: usize) -> bool {
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
            let force = match letter {
                ' ' | '\t' => line_start || at == last,
                '\n' => one_line || at == last || at == 0 || after_open,
                '\u{b}' => one_line || at == last,
                '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}' => true,
                other => other.is_control(),
            };
            if force {
                self.force(at);
            }
            line_start = !force && matches!(letter, '\n' | '\u{b}');
        }
    }

    /// Makes every delimiter open or close as it is meant to, by writing neighbours as entities, which are punctuation
    /// to the rule of flanking.
    fn force_flanks(&mut self) {
        // One character can stand between two delimiters, so that a change travels; it can only travel one way in a
        // row, and each round goes both ways.
        loop {
            let mut changed = false;
            let count = self.tokens.len();
            for at in (0..count).chain((0..count).rev()) {
                changed |= self.force_flank(at);
            }
            if !changed {
                return;
            }
        }
    }

    fn force_flank(&mut self, at: usize) -> bool {
        let Some(Token::Mark { delimiter, opens, nested, .. }) = self.tokens.get(at) else { return false };
        let (delimiter, opens, nested) = (*delimiter, *opens, *nested);
        let same =
            |token: Option<&Token>| matches!(token, Some(Token::Mark { delimiter: other, .. }) if *other == delimiter);
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
            changed |= self.force(inner);
        }
        let wordy = matches!(self.class(outer), Class::Other | Class::Unknown);
        let plain = self.class(inner) == Class::Other && delimiter != '_' && !nested;
        if wordy
            && !plain
            && let Some(outer) = outer
        {
            changed |= self.force(outer);
        }
        changed
    }

    fn class(&self, at: Option<usize>) -> Class {
        let Some(at) = at else { return Class::Blank };
        match self.tokens.get(at) {
            None => Class::Blank,
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
