//! The edit of one paragraph's text, and what is expected of it. Pure.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::carried::Carried;
use super::objects::email;
use super::planner::{Planner, excerpt, words_of};
use super::words::{Hunk, hunks_around};
use crate::gdocs::{DeleteContentRange, InsertText, Location, Range, Request};
use crate::kinds::docs::text::extract::Origin;
use crate::kinds::docs::text::flat::Look;
use crate::kinds::docs::text::line::{Line, Token, Unit, is_rule};
use crate::mebdf::{Content, Mark, Marks, Object};

/// Requests that belong together, in the order in which they are carried out.
pub(super) struct Group {
    /// The body elements they touch.
    pub(super) elements: Vec<usize>,
    /// The requests.
    pub(super) requests: Vec<Request>,
}

/// A block of the tab after the push.
#[derive(Debug)]
pub(super) struct Expected {
    /// The body element it comes from; `None` for an inserted block and for a footnote.
    pub(super) element: Option<usize>,
    /// Its line in the file; 0 when it has none.
    pub(super) line: u32,
    /// What it shall be.
    pub(super) what: What,
}

/// What a block shall be.
#[derive(Debug)]
pub(super) enum What {
    /// What it was.
    Kept(Content),
    /// One with new text.
    Edited {
        /// What kind of block.
        shape: Shape,
        /// Its paragraphs: one, or those of a table's cells in order, or those of a footnote.
        lines: Vec<Vec<Wanted>>,
        /// The named style it shall have; `None` leaves it.
        named_style: Option<String>,
        /// Set for a new paragraph: nothing in it is anyone's, and its place in a list is to be made.
        fresh: Option<Bullets>,
        /// What the directives say of it; `None` leaves its paragraph style and its list as they are.
        look: Option<Look>,
    },
}

/// What a new paragraph does with the list that its neighbour is in, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bullets {
    /// It is as its neighbour: in the same list, or in none.
    Keep,
    /// It leaves the list.
    Leave,
    /// It becomes an item of its own; its depth stands in leading tabs.
    Create(Mark),
}

impl Bullets {
    /// What a new paragraph does that is no item.
    pub(super) const fn leave(neighbour: Option<&Shape>) -> Self {
        if matches!(neighbour, Some(Shape::Item(..))) { Self::Leave } else { Self::Keep }
    }
}

/// The kind of a block without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// A paragraph.
    Paragraph,
    /// A heading with its level.
    Heading(u8),
    /// A list item with depth and mark.
    Item(u8, Mark),
    /// A table with the count of cells in each row.
    Table(Vec<usize>),
    /// A footnote with its label.
    Footnote(String),
    /// Anything else.
    Other,
}

impl Shape {
    /// The same without a tick: no request can make one.
    pub(super) fn unticked(&self) -> Self {
        if let Self::Item(depth, Mark::Task { .. }) = self {
            return Self::Item(*depth, Mark::Task { checked: false });
        }
        self.clone()
    }
}

/// A token that a paragraph shall have.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// What it is.
    pub(super) token: Token,
    /// How it shall look.
    pub(super) marks: Rc<Marks>,
}

impl Expected {
    /// A block that stays as it is.
    pub(super) fn kept(content: &Content, origin: &Origin) -> Self {
        Self { element: element(origin), line: 0, what: What::Kept(content.clone()) }
    }
}

/// The body element that a block comes from.
pub(super) const fn element(origin: &Origin) -> Option<usize> {
    match origin {
        Origin::Line { element, .. } | Origin::Table { element, .. } | Origin::Fixed { element } => Some(*element),
        Origin::Footnote { .. } => None,
    }
}

/// Returns the kind of a block.
pub(super) fn shape(content: &Content) -> Shape {
    match content {
        Content::Paragraph { .. } => Shape::Paragraph,
        Content::Heading { level, .. } => Shape::Heading(*level),
        Content::Item { depth, mark, .. } => Shape::Item(*depth, *mark),
        Content::Table { rows, .. } => Shape::Table(rows.iter().map(Vec::len).collect()),
        Content::Footnote { label, .. } => Shape::Footnote(label.clone()),
        Content::ItemParagraph { .. } | Content::Code { .. } | Content::Rule | Content::Directive { .. } => {
            Shape::Other
        }
    }
}

/// What a line holds when it stays as it is.
pub(super) fn as_it_is(line: &Line) -> Vec<Wanted> {
    line.units.iter().map(|unit| Wanted { token: unit.token.clone(), marks: unit.marks.clone() }).collect()
}

/// Plans what turns the text of `line` into `new`, and tells what the line will hold. Requests come last edit first.
/// `None` when a part of it was refused: half of an edited sentence would be a sentence that nobody wrote.
pub(super) fn edit_line(
    planner: &mut Planner<'_>,
    line: &Line,
    new: &[(Token, Rc<Marks>)],
    number: u32,
) -> Option<(Vec<Request>, Vec<Wanted>)> {
    let old: Vec<&Token> = line.units.iter().map(|unit| &unit.token).collect();
    let wanted: Vec<&Token> = new.iter().map(|(token, _)| token).collect();
    let changes = hunks_around(&old, &wanted, |token| match token {
        Token::Footnote(_) => true,
        Token::Object(object) => !planner.is_makeable(object),
        Token::Char(_) | Token::Anchor(_) => false,
    });
    if let Some(reason) = &line.lock {
        let restyled = line.units.iter().zip(new).any(|(unit, (_, marks))| unit.marks != *marks);
        if !changes.is_empty() || restyled {
            planner.refuse("LOCKED", number, format!("this paragraph cannot be edited here: {reason}"));
            planner.unplaced(&text_of_tokens(new), &text_of_units(&line.units));
            return None;
        }
        return Some((Vec::new(), as_it_is(line)));
    }
    let mut requests = Vec::new();
    let mut result = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for hunk in changes {
        result.extend(same(planner, &line.units[old_at..hunk.old.start], &new[new_at..hunk.new.start], number));
        (old_at, new_at) = (hunk.old.end, hunk.new.end);
        let Some(inserted) = allowed(planner, line, &hunk, new, number) else {
            planner.unplaced(&text_of_tokens(new), &text_of_units(&line.units));
            return None;
        };
        let text: String = inserted
            .iter()
            .map(|wanted| if let Token::Char(c) = wanted.token { c } else { super::images::PLACEHOLDER })
            .collect();
        // Beside an object that is made later, the text itself may stay.
        let old = &line.units[hunk.old];
        if !old.iter().map(|unit| &unit.token).eq(inserted.iter().map(|wanted| &wanted.token)) {
            // The last edit is carried out first, so that the places of the others still hold.
            let place = hunk_place(line, old_at);
            requests.splice(0..0, replace(line, old, place, &text, planner.tab_id.as_deref()));
        }
        result.extend(inserted);
    }
    if !requests.is_empty() && line.segment.is_some() && line.units.is_empty() && line.start < line.newline_at() {
        // Google makes a footnote with a blank in it, which would stay behind the text.
        requests
            .insert(0, delete_range(line.segment.as_deref(), planner.tab_id.as_deref(), line.start, line.newline_at()));
    }
    result.extend(same(planner, &line.units[old_at..], &new[new_at..], number));
    Some((requests, shown(result, |wanted| &wanted.token)))
}

/// Leaves out the blanks at the ends of lines, which no file shows: one that stays stands there until the object behind it
/// is made. `token` tells what each is.
fn shown<T>(all: Vec<T>, token: impl Fn(&T) -> &Token) -> Vec<T> {
    let mut shown: Vec<T> = Vec::with_capacity(all.len());
    for one in all.into_iter().rev() {
        let ends = shown.last().is_none_or(|behind| *token(behind) == Token::Char('\u{b}'));
        if !(ends && *token(&one) == Token::Char(' ')) {
            shown.push(one);
        }
    }
    shown.reverse();
    shown
}

/// Where an insertion goes that comes behind the unit before `index`.
fn hunk_place(line: &Line, index: usize) -> u32 {
    index.checked_sub(1).and_then(|before| line.units.get(before)).map_or(line.start, |unit| unit.at + unit.len)
}

/// Tokens that stay, with the marks that the file gives them.
fn same(planner: &mut Planner<'_>, units: &[Unit], new: &[(Token, Rc<Marks>)], number: u32) -> Vec<Wanted> {
    let mut stay = Vec::new();
    for (unit, (token, marks)) in units.iter().zip(new) {
        if unit.token != *token && !names_nobody(&unit.token, token) {
            planner.refuse("LOCKED", number, "the title of an object cannot be changed from here");
        }
        stay.push(Wanted { token: unit.token.clone(), marks: marks.clone() });
    }
    stay
}

/// Tells whether the file only says the name of a person of whom the document has but the address.
fn names_nobody(old: &Token, new: &Token) -> bool {
    match (old, new) {
        (Token::Object(old), Token::Object(new)) => old.title.as_deref() == email(new) && email(new).is_some(),
        _ => false,
    }
}

/// What people call an object.
pub(super) fn name_of(object: &Object) -> String {
    match &object.title {
        Some(title) if object.kind == "embed" => title.clone(),
        Some(title) => format!("{} \"{title}\"", object.kind),
        None => object.kind.clone(),
    }
}

/// Why a token cannot be inserted.
pub(super) fn unmakeable(token: &Token, carried: &Carried) -> String {
    match token {
        Token::Object(object) if object.id.is_some() => carried.refusal(object),
        Token::Object(object) => format!("the API cannot make this: {}", name_of(object)),
        Token::Footnote(label) => {
            format!(
                "the reference [^{label}] cannot be made here: a new one needs a text of its own that can be pushed, \
                 `[^{label}]: …`, and one of the document cannot be moved"
            )
        }
        Token::Anchor(_) | Token::Char(_) => "this is not part of the text".into(),
    }
}

/// Decides on one hunk: the tokens it inserts, or `None` when it is not carried out.
fn allowed(
    planner: &mut Planner<'_>,
    line: &Line,
    hunk: &Hunk,
    new: &[(Token, Rc<Marks>)],
    number: u32,
) -> Option<Vec<Wanted>> {
    let row = &new[hunk.new.clone()];
    // Whatever else is in the way, without the picture nothing of it can go.
    if let Some(reason) = row.iter().find_map(|(token, _)| planner.new_picture(token, line.segment.as_deref())?.err()) {
        planner.refuse("IMAGE", number, reason);
        planner.unplaced(&text_of_tokens(row), "");
        return None;
    }
    for unit in &line.units[hunk.old.clone()] {
        match &unit.token {
            Token::Char(_) => {}
            Token::Object(object) if planner.may_go(object) || is_rule(object) => {}
            Token::Object(object) if planner.has_moved(object) => {
                planner.refuse("LOCKED", number, planner.carried.refusal(object));
                return None;
            }
            Token::Object(object) if unit.len > 0 => {
                if !planner.accept {
                    let name = name_of(object);
                    planner.hold(
                        "DESTROYS_OBJECT",
                        number,
                        format!(
                            "this would destroy {name} in the document, and the API cannot bring it back; all edits of this \
                             file wait for `push --accept`"
                        ),
                    );
                }
            }
            Token::Footnote(label) => {
                let message = format!(
                    "the reference [^{label}] was moved, or removed while the text of the footnote stands; to delete the \
                     footnote, remove both"
                );
                planner.refuse("LOCKED", number, message);
                return None;
            }
            Token::Object(object) => {
                let message =
                    format!("{} stands beside this paragraph and cannot be removed from here", name_of(object));
                planner.refuse("LOCKED", number, message);
                return None;
            }
            Token::Anchor(_) => {
                planner.refuse("LOCKED", number, "an anchor cannot be removed from here");
                return None;
            }
        }
    }
    if planner.may_have_moved(&words_of(&text_of_units(&line.units[hunk.old.clone()]))) {
        let message = format!(
            "the words `{}` were removed here while other text of the file cannot be pushed; they stay in the document, \
             since they may only have moved there",
            excerpt(&text_of_units(&line.units[hunk.old.clone()]))
        );
        planner.refuse("KEPT", number, message);
        planner.unplaced(&text_of_tokens(&new[hunk.new.clone()]), "");
        return None;
    }
    let mut inserted: Vec<Wanted> = Vec::new();
    let later = |token: &Token| planner.is_pending(token) || matches!(token, Token::Char(' '));
    if hunk.old.is_empty()
        && row.iter().any(|(token, _)| planner.is_pending(token))
        && row.iter().all(|(token, _)| later(token))
    {
        // Nothing but objects, which are made once the text stands, with the blanks around them.
        planner.pending = true;
        return Some(inserted);
    }
    for (token, marks) in row {
        if planner.new_picture(token, line.segment.as_deref()).is_some() {
            inserted.push(Wanted { token: token.clone(), marks: marks.clone() });
            continue;
        }
        match token {
            pending if planner.is_pending(pending) => {
                planner.pending = true;
                // A blank at the end of a line would be lost on the way.
                while inserted.last().is_some_and(|last| last.token == Token::Char(' ')) {
                    inserted.pop();
                }
            }
            Token::Char(_) => inserted.push(Wanted { token: token.clone(), marks: marks.clone() }),
            Token::Object(_) | Token::Footnote(_) | Token::Anchor(_) => {
                planner.refuse("LOCKED", number, unmakeable(token, planner.carried));
                planner.unplaced(&text_of_tokens(&new[hunk.new.clone()]), "");
                return None;
            }
        }
    }
    Some(inserted)
}

fn text_of_tokens(tokens: &[(Token, Rc<Marks>)]) -> String {
    tokens.iter().map(|(token, _)| if let Token::Char(character) = token { *character } else { ' ' }).collect()
}

fn text_of_units(units: &[Unit]) -> String {
    units.iter().map(|unit| if let Token::Char(character) = unit.token { character } else { ' ' }).collect()
}

impl Planner<'_> {
    /// Tells whether an object that would go stands elsewhere in the file.
    pub(super) fn has_moved(&self, object: &Object) -> bool {
        object.id.as_ref().is_some_and(|id| self.objects.contains(id))
    }

    /// Notes that `text` stands in the file and cannot be pushed, but for the words that stand in `known` already.
    pub(super) fn unplaced(&mut self, text: &str, known: &str) {
        let known = words_of(known);
        self.unplaced.extend(words_of(text).into_iter().filter(|word| !known.contains(word)));
    }

    /// Tells whether most of the words that would go stand in the file where they cannot be pushed.
    pub(super) fn may_have_moved(&self, words: &BTreeSet<String>) -> bool {
        let moved = words.intersection(&self.moved).count();
        moved * 2 > words.len()
    }
}

/// Replaces `old` by `text`, or inserts `text` at `place` when there is nothing old.
///
/// The new text goes in behind the first cluster of the old, and only then the old goes: so it takes the old style, and
/// a comment on exactly these words keeps words to stand on.
fn replace(line: &Line, old: &[Unit], place: u32, text: &str, tab: Option<&str>) -> Vec<Request> {
    let insert = |index: u32| insert_text(line.segment.as_deref(), tab, index, text);
    let delete = |start: u32, end: u32| delete_range(line.segment.as_deref(), tab, start, end);
    let (Some(first), Some(last)) = (old.first(), old.last()) else {
        return if text.is_empty() { Vec::new() } else { vec![insert(place)] };
    };
    let (start, end) = (first.at, last.at + last.len);
    if text.is_empty() {
        return vec![delete(start, end)];
    }
    let behind_first = start + first_cluster(old);
    if behind_first >= end {
        return vec![insert(end), delete(start, end)];
    }
    let len = utf16_len(text);
    vec![insert(behind_first), delete(behind_first + len, end + len), delete(start, behind_first)]
}

/// Width of the first grapheme cluster in UTF-16 units.
fn first_cluster(units: &[Unit]) -> u32 {
    use unicode_segmentation::UnicodeSegmentation as _;
    let text: String =
        units.iter().map_while(|unit| if let Token::Char(c) = unit.token { Some(c) } else { None }).collect();
    text.graphemes(true).next().map_or_else(|| units.first().map_or(0, |unit| unit.len), utf16_len)
}

pub(super) fn utf16_len(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

pub(super) fn insert_text(segment: Option<&str>, tab: Option<&str>, index: u32, text: &str) -> Request {
    Request::InsertText(InsertText {
        text: text.to_owned(),
        location: Some(Location {
            index,
            segment_id: segment.map(ToOwned::to_owned),
            tab_id: tab.map(ToOwned::to_owned),
        }),
        end_of_segment_location: None,
    })
}

pub(super) fn delete_range(segment: Option<&str>, tab: Option<&str>, start: u32, end: u32) -> Request {
    Request::DeleteContentRange(DeleteContentRange { range: range(segment, tab, start, end) })
}

pub(super) fn range(segment: Option<&str>, tab: Option<&str>, start: u32, end: u32) -> Range {
    Range {
        start_index: Some(start),
        end_index: Some(end),
        segment_id: segment.map(ToOwned::to_owned),
        tab_id: tab.map(ToOwned::to_owned),
        ..Range::default()
    }
}
