//! The second half of a plan: what still differs in style once the text is right. Pure.

use std::ops::Range;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::edit::{Expected, Shape, Wanted, What, range};
use super::planner::{Notices, below, rows_of};
use super::properties::{Context, Delta, paragraph_delta, request_style, text_delta, without_item_indents};
use super::{apart, lists};
use crate::gdocs::{BulletPreset, DeleteParagraphBullets, Request, Style, UpdateParagraphStyle, UpdateTextStyle};
use crate::kinds::docs::text::extract::{Extract, Origin, lines};
use crate::kinds::docs::text::flat::Look;
use crate::kinds::docs::text::line::{Line, Token, Unit};
use crate::kinds::docs::text::lists::preset;
use crate::kinds::docs::text::style::{self, Base};
use crate::mebdf::{Content, Mark, Marks};

/// Returns the requests that give every edited block its paragraph style and its place in a list. What cannot be given
/// is taken back from `expected` and told in `notices`.
///
/// # Errors
///
/// A sentence, when the blocks are not those that were expected.
pub(super) fn paragraph_styles(
    after: &Extract,
    expected: &mut [Expected],
    context: &Context<'_>,
    notices: &mut Notices,
) -> Result<Vec<Request>, String> {
    let found: Vec<(usize, &Content, &Origin)> = places(after).collect();
    if found.len() != expected.len() {
        return Err(format!("{} blocks were expected, {} would be there", expected.len(), found.len()));
    }
    let apart = apart::found(context.tab, after, expected);
    let mut leaving: Vec<(u32, u32)> = Vec::new();
    let mut styles: Vec<(u32, u32, Map<String, Value>, String)> = Vec::new();
    let mut stretches: Vec<Vec<lists::Item>> = Vec::new();
    for (expected, (index, content, origin)) in expected.iter_mut().zip(found) {
        let look = after.looks.get(index).cloned().unwrap_or_default();
        let (Origin::Line { line, .. }, What::Edited { .. }) = (origin, &expected.what) else { continue };
        let content = (content, apart.contains(&index));
        let change = change(line, content, &look, expected, context, notices);
        if change.leaves {
            extend(&mut leaving, line.start, line.end);
        }
        if !change.delta.is_empty() {
            let (style, fields) = request_style(change.delta);
            match styles.last_mut() {
                Some((_, end, last, names)) if *end == line.start && *last == style && *names == fields => {
                    *end = line.end;
                }
                _ => styles.push((line.start, line.end, style, fields)),
            }
        }
        if let Some(item) = change.item {
            match stretches.last_mut() {
                Some(stretch) if stretch.last().is_some_and(|last| last.end == item.start) => stretch.push(item),
                _ => stretches.push(vec![item]),
            }
        }
    }
    let tab = context.tab_id;
    // Leaving a list turns its indent into one of the paragraph's own, which the style then takes away.
    let leave =
        |(start, end)| Request::DeleteParagraphBullets(DeleteParagraphBullets { range: range(None, tab, start, end) });
    let mut requests: Vec<Request> = leaving.into_iter().rev().map(leave).collect();
    requests.extend(styles.into_iter().rev().map(|(start, end, style, fields)| {
        let range = range(None, tab, start, end);
        Request::UpdateParagraphStyle(UpdateParagraphStyle { range, paragraph_style: Style(style), fields })
    }));
    // Making a list takes its tabs away and so moves what stands behind: the last goes first, and all go last.
    requests.extend(stretches.iter().rev().flat_map(|items| lists::create(items, tab)));
    Ok(requests)
}

fn extend(ranges: &mut Vec<(u32, u32)>, start: u32, end: u32) {
    match ranges.last_mut() {
        Some((_, last)) if *last == start => *last = end,
        _ => ranges.push((start, end)),
    }
}

/// What is done to one paragraph.
struct Change {
    /// Whether it leaves its list, or its place in it.
    leaves: bool,
    delta: Delta,
    /// How it becomes an item.
    item: Option<lists::Item>,
}

/// Finds what is done to a paragraph; `apart` tells that it is no part of the list that it is in.
fn change(
    line: &Line,
    (content, apart): (&Content, bool),
    found: &Look,
    expected: &mut Expected,
    context: &Context<'_>,
    notices: &mut Notices,
) -> Change {
    let number = expected.line;
    let mut change = Change { leaves: false, delta: Delta::new(), item: None };
    let What::Edited { shape, lines, named_style, fresh, look: wanted } = &mut expected.what else { return change };
    let named = named_style.clone().unwrap_or_else(|| line.named_style.clone());
    let renamed = named != line.named_style;
    let is_item = matches!(shape, Shape::Item(..));
    if let (Some(wanted), Shape::Item(depth, mark)) = (wanted.as_mut(), &*shape) {
        without_item_indents(wanted, number, notices);
        let in_place =
            matches!(content, Content::Item { depth: has, mark: is, .. } if has == depth && same_kind(*is, *mark));
        // A list of a kind that the API cannot make was refused before; its items stay as they are.
        let preset = preset(*mark, wanted.list.as_deref());
        if let Some(preset) = preset.filter(|_| apart || !in_place || found.list != wanted.list) {
            change.item = Some(item(line, lines.first().map_or(0, Vec::len), *depth, preset));
        }
    }
    let stays_heading = matches!((content, &*shape), (Content::Heading { .. }, Shape::Heading(_))) && fresh.is_none();
    change.leaves = line.bullet && ((!is_item && !stays_heading) || change.item.is_some());
    if wanted.is_none() && fresh.is_none() && named_style.is_none() {
        change.leaves = false;
        return change;
    }
    if renamed {
        change.delta.push(("namedStyleType", Some(named.as_str().into())));
    }
    let base = Base { tab: context.tab, named: &named, footnote: false };
    let of_list = |field: &str| is_item && matches!(field, "indentStart" | "indentFirstLine");
    let hidden: Vec<&'static str> = line
        .overrides
        .iter()
        .copied()
        .filter(|field| !of_list(field) && is_hidden(field, shape, fresh.is_some(), renamed))
        .collect();
    match (wanted.as_mut(), &*shape) {
        (Some(wanted), Shape::Paragraph | Shape::Item(..))
            if !lines.first().is_some_and(Vec::is_empty) || fresh.is_some() || wanted.is_like(&Look::code()) =>
        {
            let delta = paragraph_delta(base, &found.properties, &mut wanted.properties, &hidden, number, notices);
            change.delta.extend(delta.into_iter().filter(|(field, _)| !of_list(field)));
        }
        _ => {}
    }
    if fresh.is_some() && named_style.is_some() {
        let told: Vec<&str> = change.delta.iter().map(|(field, _)| *field).collect();
        let rest: Vec<&'static str> = hidden.into_iter().filter(|field| !told.contains(field)).collect();
        change.delta.extend(rest.into_iter().map(|field| (field, None)));
    }
    // What the file said of a paragraph reaches into no heading, so with becoming one it loses that; which way its text
    // runs is no matter of taste.
    let becomes_heading = renamed && matches!(shape, Shape::Heading(_)) && !matches!(content, Content::Heading { .. });
    if becomes_heading && fresh.is_none() {
        let told: Vec<&str> = change.delta.iter().map(|(field, _)| *field).collect();
        let said = line.overrides.iter().copied().filter(|field| style::PARAGRAPH_FIELDS.contains(field));
        let rest: Vec<&'static str> = said.filter(|field| *field != "direction" && !told.contains(field)).collect();
        change.delta.extend(rest.into_iter().map(|field| (field, None)));
    }
    if change.leaves && !is_item {
        for field in ["indentStart", "indentFirstLine"] {
            if !change.delta.iter().any(|(other, _)| *other == field) {
                change.delta.push((field, None));
            }
        }
    }
    change
}

/// Tells whether a direct value goes that the block, as it was read, may not have shown: a new paragraph takes over what
/// was set on its neighbour by hand, and another named style lets values show that equalled the old one.
fn is_hidden(field: &str, shape: &Shape, fresh: bool, renamed: bool) -> bool {
    let sayable = style::PARAGRAPH_FIELDS.contains(&field);
    if fresh {
        return renamed || !sayable || matches!(shape, Shape::Heading(_));
    }
    renamed && sayable && !matches!(shape, Shape::Heading(_))
}

fn same_kind(one: Mark, other: Mark) -> bool {
    matches!(
        (one, other),
        (Mark::Bullet, Mark::Bullet) | (Mark::Number, Mark::Number) | (Mark::Task { .. }, Mark::Task { .. })
    )
}

fn item(line: &Line, wanted: usize, depth: u8, preset: BulletPreset) -> lists::Item {
    // A new item tells its depth by tabs already.
    let tabs = line.units.iter().take_while(|unit| unit.token == Token::Char('\t')).count();
    let tabs = tabs.min(line.units.len().saturating_sub(wanted));
    lists::Item { start: line.start, end: line.end, tabs: u32::try_from(tabs).unwrap_or(0), depth, preset }
}

/// Returns the requests that give every edited block its text styles, last block first. Paragraph styles must stand
/// already: a heading style takes bold away. What cannot be given is taken back from `expected` and told in `notices`.
///
/// # Errors
///
/// A sentence, when the blocks are not those that were expected.
pub(super) fn text_styles(
    after: &Extract,
    expected: &mut [Expected],
    context: &Context<'_>,
    notices: &mut Notices,
) -> Result<Vec<Request>, String> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (expected, (_, _, origin)) in expected.iter_mut().zip(places(after)) {
        let number = expected.line;
        let What::Edited { lines: wanted, .. } = &mut expected.what else { continue };
        let lines = lines(origin);
        if lines.len() != wanted.len() {
            return Err("an edited block would have another count of paragraphs".into());
        }
        let rows = rows_of(origin);
        for (at, (line, wanted)) in lines.iter().zip(wanted).enumerate() {
            let number = number.saturating_add(rows.get(at).copied().map_or(0, below));
            line_styles(line, wanted, number, context, notices, &mut stretches)?;
        }
    }
    let request = |stretch: Stretch| {
        let (style, fields) = request_style(stretch.delta);
        let range = range(stretch.segment.as_deref(), context.tab_id, stretch.start, stretch.end);
        Request::UpdateTextStyle(UpdateTextStyle { range, text_style: Style(style), fields })
    };
    Ok(stretches.into_iter().rev().map(request).collect())
}

/// The blocks of a tab, with their places among all and their origins.
fn places(extract: &Extract) -> impl Iterator<Item = (usize, &Content, &Origin)> {
    let blocks = extract.tree.blocks.iter().map(|block| &block.content).zip(&extract.origins).enumerate();
    blocks.map(|(index, (content, origin))| (index, content, origin))
}

/// The blocks of a tab that are content, with their origins.
pub(super) fn contents(extract: &Extract) -> impl Iterator<Item = (&Content, &Origin)> {
    places(extract).map(|(_, content, origin)| (content, origin))
}

/// A stretch of text whose style changes in one way.
struct Stretch {
    segment: Option<String>,
    start: u32,
    end: u32,
    delta: Delta,
    /// The place behind the newline, when it reaches the end of its paragraph.
    whole: Option<u32>,
}

fn line_styles(
    line: &Line,
    wanted: &mut [Wanted],
    number: u32,
    context: &Context<'_>,
    notices: &mut Notices,
    all: &mut Vec<Stretch>,
) -> Result<(), String> {
    if line.units.len() != wanted.len()
        || line.units.iter().zip(&*wanted).any(|(unit, wanted)| !super::words::same(&unit.token, &wanted.token))
    {
        return Err("an edited paragraph would not say what the file says".into());
    }
    let mut stretches: Vec<(Range<usize>, u32, u32, Delta)> = Vec::new();
    let mut last: Option<Last> = None;
    for (at, (unit, wanted)) in line.units.iter().zip(wanted.iter_mut()).enumerate() {
        let delta = delta(line, unit, wanted, number, context, notices, &mut last);
        match stretches.last_mut() {
            Some((units, _, end, last)) if *last == delta && *end == unit.at => {
                units.end = at + 1;
                *end = unit.at + unit.len;
            }
            _ => stretches.push((at..at + 1, unit.at, unit.at + unit.len, delta)),
        }
    }
    for (units, start, end, delta) in stretches {
        if delta.iter().all(|(field, _)| is_unsaid(field, (&line.units, wanted), &units)) {
            continue;
        }
        let whole = (end == line.newline_at()).then_some(line.end);
        match all.last_mut() {
            // A look that goes on over the end of a paragraph is one request.
            Some(before)
                if before.whole == Some(start)
                    && start == line.start
                    && before.segment == line.segment
                    && before.delta == delta
                    && !delta.iter().any(|(field, _)| *field == "link") =>
            {
                (before.end, before.whole) = (end, whole);
            }
            _ => all.push(Stretch { segment: line.segment.clone(), start, end, delta, whole }),
        }
    }
    Ok(())
}

/// Tells whether the file cannot say a field of a stretch: emphasis that begins or ends with a blank is no Markdown, so of
/// blanks it says none but between words that both have it. Where such words have lost it, the blank shall, too: it would keep
/// the line through it.
fn is_unsaid(field: &str, (line, wanted): (&[Unit], &[Wanted]), units: &Range<usize>) -> bool {
    let says = |marks: &Marks| match field {
        "bold" => Some(marks.bold),
        "italic" => Some(marks.italic),
        "strikethrough" => Some(marks.strike),
        _ => None,
    };
    let is_blank = |wanted: &&Wanted| matches!(wanted.token, Token::Char(character) if character.is_whitespace());
    let beside = |wanted: Option<&Wanted>| wanted.and_then(|wanted| says(&wanted.marks)) == Some(true);
    let (before, behind) = (wanted.get(..units.start).unwrap_or_default(), wanted.get(units.end..).unwrap_or_default());
    let shows = line.get(units.clone()).unwrap_or_default().iter().any(|unit| says(&unit.marks) == Some(true));
    says(&Marks::default()).is_some()
        && !shows
        && wanted.get(units.clone()).unwrap_or_default().iter().all(|wanted| is_blank(&wanted))
        && !(beside(before.iter().rev().find(|wanted| !is_blank(wanted)))
            && beside(behind.iter().find(|wanted| !is_blank(wanted))))
}

/// What was found out about the character before: most neighbours look alike.
struct Last {
    has: Rc<Marks>,
    wanted: Rc<Marks>,
    becomes: Rc<Marks>,
    delta: Delta,
}

/// What must change at one unit; takes back from `wanted` what cannot.
fn delta(
    line: &Line,
    unit: &Unit,
    wanted: &mut Wanted,
    number: u32,
    context: &Context<'_>,
    notices: &mut Notices,
    last: &mut Option<Last>,
) -> Delta {
    if !matches!(unit.token, Token::Char(_)) {
        wanted.marks = Rc::clone(&unit.marks);
        return Delta::new();
    }
    if unit.marks == wanted.marks {
        return Delta::new();
    }
    if let Some(last) = last.as_ref()
        && Rc::ptr_eq(&last.has, &unit.marks)
        && Rc::ptr_eq(&last.wanted, &wanted.marks)
    {
        wanted.marks = Rc::clone(&last.becomes);
        return last.delta.clone();
    }
    let asked = Rc::clone(&wanted.marks);
    let mut marks = Marks::clone(&asked);
    let delta = text_delta(context, line, &unit.marks, &mut marks, number, notices);
    wanted.marks = Rc::new(marks);
    let becomes = Rc::clone(&wanted.marks);
    *last = Some(Last { has: Rc::clone(&unit.marks), wanted: asked, becomes, delta: delta.clone() });
    delta
}

/// Tells whether a paragraph that is to become an item can: its leading tabs would be taken for its depth.
pub(super) fn begins_with_tab(tokens: &[(Token, Rc<Marks>)]) -> bool {
    matches!(tokens.first(), Some((Token::Char('\t'), _)))
}
