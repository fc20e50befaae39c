//! The edits between two pairs of blocks: those that are gone, and those that are new. Pure.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::blocks::{Gap, Gone, Neighbour, New, is_settled};
use super::edit::{
    Bullets, Expected, Group, Shape, Wanted, What, delete_range, insert_text, name_of, shape, unmakeable,
};
use super::images::PLACEHOLDER;
use super::paragraphs::locked_list;
use super::planner::{Planner, because, excerpt, text_of, words_of};
use crate::kinds::docs::text::extract::Origin;
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::kinds::docs::text::lists::preset;
use crate::mebdf::{Content, Mark, Marks, Object, plain};

/// Plans the blocks that are gone and those that are new between two pairs.
pub(super) fn plan(planner: &mut Planner<'_>, gap: &Gap<'_>) {
    let mut deletable: Vec<bool> = gap.deleted.iter().map(|gone| may_go(planner, gone, gap.line)).collect();
    keep_headings(planner, gap, &mut deletable);
    let told = planner.refused.0.len();
    let mut kept_words = BTreeSet::new();
    for (gone, _) in gap.deleted.iter().zip(&deletable).filter(|(_, deletable)| !**deletable) {
        kept_words.append(&mut words_of(&text_of(&gone.block.content)));
    }
    let mut insertions = Insertions::decide(planner, gap, deletable.contains(&true), &kept_words);
    // A block that became something that cannot be pushed looks like a deletion beside a refused insertion: its text
    // would be gone from the document, so it stays. And what stays keeps its neighbours, so that the order holds.
    let torn = insertions.refused || (deletable.contains(&false) && !gap.inserted.is_empty());
    if torn && let Some(first) = deletable.iter().position(|deletable| *deletable) {
        let words = gap.deleted.get(first).map(|gone| excerpt(&plain_text(&gone.block.content))).unwrap_or_default();
        for (gone, deletable) in gap.deleted.iter().zip(&mut deletable).filter(|(_, deletable)| **deletable) {
            kept_words.append(&mut words_of(&text_of(&gone.block.content)));
            *deletable = false;
        }
        planner.refused.0.truncate(told);
        let what = if words.is_empty() {
            "what was removed here".to_owned()
        } else {
            format!("`{words}` was removed here; it")
        };
        let message = format!("{what} stays in the document: what took its place cannot be pushed");
        planner.refuse("KEPT", gap.line, message);
        insertions = Insertions::decide(planner, gap, false, &kept_words);
    }
    let at = planner.groups.len();
    deletions(planner, gap, &deletable);
    // In the order of the document: what hangs on the block before, what goes, what hangs on the block behind.
    if let Some(group) = insertions.group {
        let at = if insertions.place == Some(Place::Previous) { at } else { planner.groups.len() };
        planner.groups.insert(at, group);
    }
    planner.expected.extend(insertions.expected);
}

/// Keeps the headings of what stays: without its heading it would come under the one before.
fn keep_headings(planner: &mut Planner<'_>, gap: &Gap<'_>, deletable: &mut [bool]) {
    let mut stays = false;
    for (gone, deletable) in gap.deleted.iter().zip(deletable).rev() {
        stays |= !*deletable;
        if matches!(gone.block.content, Content::Heading { .. }) {
            if stays && *deletable {
                *deletable = false;
                let words = excerpt(&plain_text(&gone.block.content));
                let message = format!("the heading `{words}` was removed here; it stays over what cannot be removed");
                planner.refuse("KEPT", gap.line, message);
            }
            stays = false;
        }
    }
}

/// The text of a block alone.
fn plain_text(content: &Content) -> String {
    content.runs().into_iter().map(|run| plain(std::slice::from_ref(run))).collect()
}

/// Decides whether a block may go; if not, says why.
fn may_go(planner: &mut Planner<'_>, gone: &Gone<'_>, number: u32) -> bool {
    if let Some(reason) = &gone.lock {
        let message =
            format!("a read-only part was removed from the file; it stays in the document{}", because(reason));
        planner.refuse("LOCKED", number, message);
        return false;
    }
    let Origin::Line { line, .. } = gone.origin else {
        let message = if matches!(gone.block.content, Content::Table { .. }) {
            "this table cannot be removed from here"
        } else if matches!(gone.block.content, Content::Footnote { .. }) {
            "the text of a footnote was removed, but not its reference; to delete the footnote, remove both"
        } else {
            "a section break or a table of contents cannot be removed from here"
        };
        planner.refuse("LOCKED", number, message);
        return false;
    };
    let words = words_of(&text_of(&gone.block.content));
    line_may_go(planner, line, &words, matches!(gone.block.content, Content::Rule), number)
}

/// Decides whether a paragraph with these words may go; if not, says why. A rule holds nothing that would be lost.
pub(super) fn line_may_go(
    planner: &mut Planner<'_>,
    line: &Line,
    words: &BTreeSet<String>,
    rule: bool,
    number: u32,
) -> bool {
    if let Some(reason) = &line.lock {
        planner.refuse("LOCKED", number, format!("a paragraph cannot be removed from here: {reason}"));
        return false;
    }
    if line.units.iter().any(|unit| matches!(unit.token, Token::Footnote(_) | Token::Anchor(_))) {
        let message = "text with a footnote cannot be removed: remove the footnote's text as well";
        planner.refuse("LOCKED", number, message);
        return false;
    }
    if let Some(object) = tethered(line) {
        let message = format!(
            "{} stands beside this paragraph and would go with it, so the paragraph cannot be removed from here: delete \
             both in the document",
            name_of(object)
        );
        planner.refuse("LOCKED", number, message);
        return false;
    }
    if planner.may_have_moved(words) {
        let message = format!(
            "the paragraph `{}` was removed here while other text of the file cannot be pushed; it stays in the document, \
             since it may only have moved there",
            excerpt(&line.text())
        );
        planner.refuse("KEPT", number, message);
        return false;
    }
    for unit in line.units.iter().filter(|_| !rule) {
        let Token::Object(object) = &unit.token else { continue };
        if planner.may_go(object) {
            continue;
        }
        if planner.has_moved(object) {
            planner.refuse("LOCKED", number, planner.carried.refusal(object));
            return false;
        }
        if !planner.accept {
            planner.hold(
                "DESTROYS_OBJECT",
                number,
                format!(
                    "this would destroy {} in the document, and the API cannot bring it back; all edits of this file wait \
                     for `push --accept`",
                    name_of(object)
                ),
            );
        }
    }
    true
}

/// The object that stands beside a paragraph and nowhere in its text.
fn tethered(line: &Line) -> Option<&Object> {
    line.units.iter().filter(|unit| unit.len == 0).find_map(|unit| match &unit.token {
        Token::Object(object) => Some(&**object),
        Token::Char(_) | Token::Footnote(_) | Token::Anchor(_) => None,
    })
}

/// Plans the runs of blocks that go, each as one range.
fn deletions(planner: &mut Planner<'_>, gap: &Gap<'_>, deletable: &[bool]) {
    let mut previous = gap.previous.as_ref().map(|neighbour| neighbour.origin.clone());
    let mut at = 0;
    while at < gap.deleted.len() {
        if !deletable[at] {
            let gone = &gap.deleted[at];
            planner.expected.push(Expected::kept(&gone.block.content, gone.origin));
            previous = Some(gone.origin.clone());
            at += 1;
            continue;
        }
        let count = deletable[at..].iter().take_while(|deletable| **deletable).count();
        let next = gap.deleted.get(at + count).map(|gone| gone.origin).or(gap.next.as_ref().map(|next| &next.origin));
        delete_run(planner, &gap.deleted[at..at + count], previous.as_ref(), next, gap.line);
        at += count;
    }
}

fn delete_run(
    planner: &mut Planner<'_>,
    run: &[Gone<'_>],
    previous: Option<&Origin>,
    next: Option<&Origin>,
    number: u32,
) {
    let lines: Vec<(usize, &Line)> = run
        .iter()
        .filter_map(|gone| if let Origin::Line { element, line } = gone.origin { Some((*element, line)) } else { None })
        .collect();
    let (Some((_, first)), Some((last_element, last))) = (lines.first().copied(), lines.last().copied()) else {
        return;
    };
    let tab = planner.tab_id.clone();
    let mut elements: Vec<usize> = lines.iter().map(|(element, _)| *element).collect();
    // The newline before a table, a break, or the end of the body cannot go; the one before the run can, if a
    // paragraph owns it.
    let newline_may_go = matches!(next, Some(Origin::Line { .. }));
    let (start, end) = if newline_may_go {
        (first.start, last.end)
    } else if let Some(Origin::Line { element, line }) = previous
        && line.end == first.start
    {
        elements.push(*element);
        (first.start - 1, last.end - 1)
    } else {
        planner.structure_stays(number);
        let kept = run.last().map(|gone| shape(&gone.block.content)).unwrap_or(Shape::Other);
        let what = What::Edited { shape: kept, lines: vec![Vec::new()], named_style: None, fresh: None, look: None };
        planner.expected.push(Expected { element: Some(last_element), line: 0, what });
        (first.start, last.end - 1)
    };
    if start < end {
        planner.groups.push(Group { elements, requests: vec![delete_range(None, tab.as_deref(), start, end)] });
    }
}

/// Where inserted blocks hang.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Behind the block before, as `"\ntext"` before its newline.
    Previous,
    /// Before the block behind, as `"text\n"` at its start.
    Next,
}

/// The new blocks of a gap, as far as they can be pushed.
#[derive(Default)]
struct Insertions {
    texts: Vec<String>,
    expected: Vec<Expected>,
    place: Option<Place>,
    group: Option<Group>,
    /// Whether any was refused.
    refused: bool,
}

impl Insertions {
    /// Chooses a place for the new blocks; `old_goes` tells that the old blocks of the gap go, `kept_words` what those
    /// say that stay.
    fn decide(planner: &mut Planner<'_>, gap: &Gap<'_>, old_goes: bool, kept_words: &BTreeSet<String>) -> Self {
        let mut insertions = Self::default();
        let last = gap.deleted.last().filter(|_| !old_goes);
        let last = last.map(|gone| Neighbour {
            origin: gone.origin.clone(),
            shape: shape(&gone.block.content),
            list: gone.list.clone(),
            linked: false,
        });
        let previous = last.or_else(|| gap.previous.clone());
        // A table that is new by now cannot be made, and the empty paragraphs beside it are wanted for it alone.
        let without_table = gap.inserted.iter().any(|new| matches!(new.block.content, Content::Table { .. }));
        for new in gap.inserted.iter().filter(|new| !(without_table && is_settled(new.block))) {
            let words = words_of(&text_of(&new.block.content));
            let known = words.intersection(kept_words).count();
            let mut place = if let Content::Table { .. } = &new.block.content {
                Err(format!("{NO_TABLE}{}", planner.why_no_table(new.block)))
            } else {
                place(previous.as_ref(), gap.next.as_ref(), new)
            };
            if let (Content::Footnote { label, .. }, None) = (&new.block.content, &new.lock) {
                place = Err(planner.why_no_footnote(label));
            }
            if known * 2 > words.len() {
                place = Err("this is text of a block that stays in the document; it would stand there twice".into());
            }
            if let Some(what) = planner.tied_to(&words) {
                place = Err(format!("{what} is tied to this text, and moving the text would lose it"));
            }
            let tokens = tokens(block_runs(&new.block.content));
            let fault = tokens.iter().find_map(|(token, _)| planner.new_picture(token, None)?.err());
            let cannot = |token: &Token| {
                !matches!(token, Token::Char(_))
                    && planner.new_picture(token, None).is_none()
                    && !planner.is_pending(token)
            };
            if let Some(reason) = fault {
                place = Err(reason);
            } else if let Some((token, _)) = tokens.iter().find(|(token, _)| cannot(token)) {
                // Without them the paragraph would not say what the file says, or say it a second time.
                place = Err(unmakeable(token, planner.carried));
            }
            let linked = previous.as_ref().is_some_and(|previous| previous.linked);
            let at_end = gap.next.is_none() && matches!(new.block.content, Content::Table { .. });
            if linked && (place == Ok(Place::Previous) || at_end) {
                // The newline that the heading lends is what has its id.
                let way_out = if gap.next.is_none() {
                    "press Enter at the end of the heading in Google Docs, where it keeps its id, and what stands here is \
                     pushed into the empty paragraph"
                } else {
                    "put it before the heading, or behind the part that follows"
                };
                place = Err(format!(
                    "text between this heading and what follows it would take the heading's id, and a link goes there: \
                     {way_out}"
                ));
            }
            if let Ok(chosen) = place
                && let Some(reason) =
                    no_item(new, insertions.place.unwrap_or(chosen), (previous.as_ref(), gap), &tokens)
            {
                place = Err(reason);
            }
            let unread = planner.unread(new.block);
            if place.is_err() || unread.is_some() {
                planner.unplaced(&text_of(&new.block.content), "");
            }
            if let Some(unread) = unread {
                planner.refused.0.push(unread);
                insertions.refused = true;
                continue;
            }
            match place {
                Ok(place) => {
                    // The first new block chooses for all: they hang together.
                    let place = *insertions.place.get_or_insert(place);
                    let neighbour = if place == Place::Previous { previous.as_ref() } else { gap.next.as_ref() };
                    insertions.add(planner, new, neighbour);
                }
                Err(reason) => {
                    planner.refuse("LOCKED", new.line, reason);
                    insertions.refused = true;
                }
            }
        }
        insertions.group = insertions.request(planner.tab_id.as_deref(), previous.as_ref(), gap.next.as_ref());
        insertions
    }

    fn add(&mut self, planner: &mut Planner<'_>, new: &New<'_>, neighbour: Option<&Neighbour>) {
        let lends = |neighbour: &Neighbour| matches!(&neighbour.origin, Origin::Line { line, .. } if line.named_style == new.named_style);
        let styled_alike = neighbour.is_some_and(lends);
        let neighbour = neighbour.map(|neighbour| &neighbour.shape);
        let mut wanted = Vec::new();
        let mut text = String::new();
        for (token, marks) in tokens(block_runs(&new.block.content)) {
            let Token::Char(character) = token else {
                if planner.new_picture(&token, None).is_some() {
                    // A new picture, for which the place is held.
                    text.push(PLACEHOLDER);
                    wanted.push(Wanted { token, marks });
                } else {
                    // What else is no text is made once the text stands.
                    planner.pending = true;
                }
                continue;
            };
            text.push(character);
            wanted.push(Wanted { token: Token::Char(character), marks });
        }
        while text.ends_with(' ') {
            text.pop();
            wanted.pop();
        }
        let mut shape = shape(&new.block.content);
        if let Shape::Item(_, Mark::Task { checked: checked @ true }) = &mut shape {
            planner.refuse("TICK", new.line, "the API cannot tick or untick a box");
            *checked = false;
        }
        let joins = neighbour.is_some_and(|neighbour| neighbour.unticked() == shape);
        let (named_style, bullets) = match shape {
            // A neighbour of the same depth and kind lends its place in its list.
            Shape::Item(..) if joins => ((!styled_alike).then(|| new.named_style.to_owned()), Bullets::Keep),
            Shape::Item(depth, mark) => {
                // Leading tabs tell the depth to the request that makes the list, and go with it.
                text.insert_str(0, &"\t".repeat(usize::from(depth)));
                (Some(new.named_style.to_owned()), Bullets::Create(mark))
            }
            Shape::Heading(level) => (Some(format!("HEADING_{level}")), Bullets::leave(neighbour)),
            Shape::Paragraph | Shape::Table(_) | Shape::Footnote(_) | Shape::Other => {
                (Some(new.named_style.to_owned()), Bullets::leave(neighbour))
            }
        };
        self.texts.push(text);
        let look = (!matches!(shape, Shape::Heading(_))).then(|| new.look.clone());
        let what = What::Edited { shape, lines: vec![wanted], named_style, fresh: Some(bullets), look };
        self.expected.push(Expected { element: None, line: new.line, what });
    }

    /// The one request that inserts all of them.
    fn request(&self, tab: Option<&str>, previous: Option<&Neighbour>, next: Option<&Neighbour>) -> Option<Group> {
        let neighbour = if self.place? == Place::Previous { previous } else { next };
        let Origin::Line { element, line } = &neighbour?.origin else { return None };
        let (index, text) = match self.place? {
            Place::Previous => {
                (line.newline_at(), self.texts.iter().map(|text| format!("\n{text}")).collect::<String>())
            }
            Place::Next => (line.start, self.texts.iter().map(|text| format!("{text}\n")).collect()),
        };
        Some(Group { elements: vec![*element], requests: vec![insert_text(None, tab, index, &text)] })
    }
}

/// Why a new block cannot be an item of a list. What no request makes it still is in the list of its neighbour, when it is
/// as that one is, and so is all that is new between them.
fn no_item(
    new: &New<'_>,
    place: Place,
    (previous, gap): (Option<&Neighbour>, &Gap<'_>),
    tokens: &[(Token, Rc<Marks>)],
) -> Option<String> {
    let Content::Item { mark, .. } = &new.block.content else { return None };
    let mut sides = gap.inserted.split(|other| std::ptr::eq(other, new));
    let (neighbour, between) = match place {
        Place::Previous => (previous, sides.next()),
        Place::Next => (gap.next.as_ref(), sides.next_back()),
    };
    let is_alike = |new: &New<'_>| {
        let shape = shape(&new.block.content).unticked();
        neighbour.is_some_and(|beside| shape == beside.shape.unticked() && new.look.list == beside.list)
    };
    let goes_on = is_alike(new) && between.is_some_and(|between| between.iter().all(is_alike));
    if goes_on && preset(*mark, new.look.list.as_deref()).is_none() {
        return None;
    }
    locked_list(*mark, &new.look, tokens)
}

/// What the refusal of a new table begins with.
pub(super) const NO_TABLE: &str = "this table could not be made here: ";

/// Chooses the neighbour whose place and style a new block takes over.
fn place(previous: Option<&Neighbour>, next: Option<&Neighbour>, new: &New<'_>) -> Result<Place, String> {
    if let Some(reason) = &new.lock {
        return Err(format!("nothing can be inserted into a read-only part{}", because(reason)));
    }
    let line = |neighbour: Option<&Neighbour>| matches!(neighbour, Some(Neighbour { origin: Origin::Line { .. }, .. }));
    let heading = |neighbour: Option<&Neighbour>| {
        line(neighbour) && neighbour.is_some_and(|n| matches!(n.shape, Shape::Heading(_)))
    };
    let wanted = match &new.block.content {
        Content::Item { depth, mark, .. } => Shape::Item(*depth, *mark).unticked(),
        Content::Paragraph { .. } | Content::Heading { .. } => Shape::Paragraph,
        Content::Table { .. } => return Err("a table is made with the structure".into()),
        Content::Rule => return Err("the API cannot make a horizontal rule".into()),
        Content::Code { .. } => return Err("code blocks cannot be pushed yet".into()),
        Content::Footnote { .. } => return Err("a footnote is made where a text refers to it".into()),
        Content::ItemParagraph { .. } => return Err("Docs has no second paragraph inside a list item".into()),
        Content::Directive { .. } => return Err("a directive is not a block".into()),
    };
    let fits =
        |neighbour: Option<&Neighbour>| line(neighbour) && neighbour.is_some_and(|n| n.shape.unticked() == wanted);
    // Behind a heading only as a last resort: its id would go to the new paragraph.
    if fits(previous) {
        Ok(Place::Previous)
    } else if fits(next) {
        Ok(Place::Next)
    } else if line(previous) && !heading(previous) {
        Ok(Place::Previous)
    } else if line(next) {
        Ok(Place::Next)
    } else if line(previous) {
        Ok(Place::Previous)
    } else {
        Err("there is no paragraph here that could lend its place".into())
    }
}
