//! Which marks stand where: from runs to tokens.

use std::collections::HashSet;

use super::braces;
use super::escape::{Place, is_entity};
use super::{Marks, Run, RunContent};

/// A piece of the output.
pub(super) enum Token<'a> {
    /// A character of the text, to be escaped where it would mean something.
    Letter(char),
    /// Text that means nothing wherever it stands, with a letter before and behind it.
    Plain(&'a str),
    /// Output as it is: forms, code spans, brackets. Begins and ends with ASCII punctuation.
    Raw(String),
    /// A delimiter of emphasis, once or twice.
    Mark { delimiter: char, twice: bool, opens: bool },
}

/// Writes runs as tokens, the italic with the delimiter given, and tells whether delimiters run into each other. The runs
/// are those of [`split_definitions`].
pub(super) fn tokens(runs: &[Run], place: Place, italic: char) -> (Vec<Token<'_>>, bool) {
    let tokens = Vec::with_capacity(16 * runs.len());
    let mut writer = Writer { runs, place, italic, tokens };
    writer.all();
    let collides = writer.collides();
    (writer.tokens, collides)
}

/// A link that begins a line and holds `]:` in code would be read as a link definition, since a definition's label knows
/// no code. Such code is split, and the link with it; reading joins both again. Returns nothing where nothing is split.
pub(super) fn split_definitions(runs: &[Run]) -> Option<Vec<Run>> {
    let hides = |run: &Run| {
        run.marks.code
            && run.marks.link.is_some()
            && matches!(&run.content, RunContent::Text(text) if text.contains("]:"))
    };
    if !runs.iter().any(hides) {
        return None;
    }
    let mut out = Vec::new();
    for run in runs {
        match &run.content {
            RunContent::Text(text) if hides(run) => {
                let mut rest = text.as_str();
                while let Some((head, tail)) = rest.find("]:").and_then(|at| rest.split_at_checked(at + 1)) {
                    out.push(Run { content: RunContent::Text(head.to_owned()), marks: run.marks.clone() });
                    rest = tail;
                }
                out.push(Run { content: RunContent::Text(rest.to_owned()), marks: run.marks.clone() });
            }
            RunContent::Text(_) | RunContent::Anchor(_) | RunContent::Object(_) | RunContent::FootnoteReference(_) => {
                out.push(run.clone());
            }
        }
    }
    Some(out)
}

struct Writer<'a> {
    runs: &'a [Run],
    place: Place,
    italic: char,
    tokens: Vec<Token<'a>>,
}

/// The marks that are already open around a piece.
#[derive(Clone, Copy, Default)]
struct Opened {
    emphasis: [bool; 3],
    link: bool,
}

impl<'a> Writer<'a> {
    /// Writes text. Words between two blanks stay together: most text needs no look at each of its characters.
    fn text(&mut self, text: &'a str) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|letter| !is_inert(letter)).unwrap_or(rest.len());
            let (inert, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            // What looks at its neighbours looks no further than to the next blank.
            let words = inert.find(' ').map(|at| at + 1).zip(inert.rfind(' ')).filter(|(start, end)| start < end);
            match words.and_then(|(start, end)| Some((inert.get(..start)?, inert.get(start..end)?, inert.get(end..)?)))
            {
                Some((first, words, last)) => {
                    self.tokens.extend(first.chars().map(Token::Letter));
                    self.tokens.push(Token::Plain(words));
                    self.tokens.extend(last.chars().map(Token::Letter));
                }
                None => self.tokens.extend(inert.chars().map(Token::Letter)),
            }
            let mut letters = tail.chars();
            self.tokens.extend(letters.next().map(Token::Letter));
            rest = letters.as_str();
        }
    }

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
        // Two runs of code with the same marks are one that was split.
        let torn = |index: usize| {
            index > at
                && self.marks(index).is_some_and(|marks| marks.code)
                && self.marks(index) == self.marks(index - 1)
        };
        let reach = (at..end).find(|index| !same(index) || torn(*index)).unwrap_or(end);
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
        let mut inner = opened;
        if let Some(flag) = inner.emphasis.get_mut(mark) {
            *flag = true;
        }
        self.tokens.push(Token::Mark { delimiter, twice, opens: true });
        self.range(at, reach, inner);
        self.tokens.push(Token::Mark { delimiter, twice, opens: false });
    }

    fn content(&mut self, run: &'a Run) {
        match &run.content {
            RunContent::Text(text) if run.marks.code => self.tokens.push(Token::Raw(code_span(text, self.place))),
            RunContent::Text(text) => self.text(text),
            RunContent::Anchor(id) => self.tokens.push(Token::Raw(braces::print_anchor(id.as_deref()))),
            RunContent::Object(object) => self.tokens.push(Token::Raw(braces::print_object(object))),
            RunContent::FootnoteReference(label) => self.tokens.push(Token::Raw(format!("[^{label}]"))),
        }
    }
}

/// Tells whether a character means nothing inside a line between blanks, whatever stands around it.
pub(super) fn is_inert(letter: char) -> bool {
    let sign = matches!(
        letter,
        ' ' | ',' | ';' | '.' | '(' | ')' | '\'' | '"' | '?' | '%' | '/' | '$' | '@' | '=' | '+' | '-'
    );
    sign || letter.is_alphanumeric()
}

/// Prints a code span with as many backticks as never stand together inside.
fn code_span(text: &str, place: Place) -> String {
    let lengths: HashSet<usize> = text.split(|letter| letter != '`').map(str::len).collect();
    let ticks = (1..).find(|length| !lengths.contains(length)).unwrap_or(1);
    let fence = "`".repeat(ticks);
    let edges = text.starts_with('`') || text.ends_with('`');
    let spaced = text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty();
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
