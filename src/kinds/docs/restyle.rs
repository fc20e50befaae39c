//! The second half of a plan: what still differs in style once the text is right. Pure.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::edit::{Bullets, Expected, Wanted, What, range};
use super::extract::{Extract, Origin};
use super::line::{Line, Token, Unit};
use super::planner::Notices;
use super::style::{self, text_field};
use crate::gdocs::{
    BulletPreset, CreateParagraphBullets, DeleteParagraphBullets, Request, Style, UpdateParagraphStyle, UpdateTextStyle,
};
use crate::mebdf::{Content, Mark, Marks, Property, PropertyValue};

/// A change of text style: field to value, `None` to fall back to what is inherited.
type Delta = Vec<(&'static str, Option<Value>)>;

/// Returns the requests that give every edited block its paragraph style, last block first.
///
/// # Errors
///
/// A sentence, when the blocks are not those that were expected.
pub(super) fn paragraph_styles(
    after: &Extract,
    expected: &[Expected],
    tab: Option<&str>,
) -> Result<Vec<Request>, String> {
    let found: Vec<&Origin> = contents(after).map(|(_, origin)| origin).collect();
    if found.len() != expected.len() {
        return Err(format!("{} blocks were expected, {} would be there", expected.len(), found.len()));
    }
    let mut requests = Vec::new();
    let mut bullets: Vec<(u32, u32, Bullets)> = Vec::new();
    for (expected, origin) in expected.iter().zip(found).rev() {
        let What::Edited { named_style, fresh, .. } = &expected.what else {
            bullets.push((0, 0, Bullets::Keep));
            continue;
        };
        for line in lines(origin).into_iter().rev() {
            requests.extend(paragraph_style(line, named_style.as_deref(), *fresh, tab));
            let wanted = fresh.unwrap_or(Bullets::Keep);
            match bullets.last_mut() {
                // Items of one list are made by one request, so that they count on.
                Some((start, _, last)) if *last == wanted && wanted != Bullets::Keep && *start == line.end => {
                    *start = line.start;
                }
                _ => bullets.push((line.start, line.end, wanted)),
            }
        }
    }
    // Leaving a list turns its indent into one of the paragraph's own, which the style then takes away.
    let leaving = bullets.iter().filter(|(_, _, bullets)| *bullets == Bullets::Leave);
    let leaving = leaving.map(|(start, end, _)| DeleteParagraphBullets { range: range(None, tab, *start, *end) });
    requests.splice(0..0, leaving.map(Request::DeleteParagraphBullets));
    // Making a list takes its tabs away and so moves what stands behind: the last goes first, and all go last.
    requests.extend(bullets.into_iter().filter_map(|(start, end, bullets)| {
        let range = range(None, tab, start, end);
        match bullets {
            Bullets::Keep | Bullets::Leave => None,
            Bullets::Create(mark) => {
                let bullet_preset = match mark {
                    Mark::Bullet => BulletPreset::BulletDiscCircleSquare,
                    Mark::Number => BulletPreset::NumberedDecimalAlphaRoman,
                    Mark::Task { .. } => BulletPreset::BulletCheckbox,
                };
                Some(Request::CreateParagraphBullets(CreateParagraphBullets { range, bullet_preset }))
            }
        }
    }));
    Ok(requests)
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
    tab: Option<&str>,
    notices: &mut Notices,
) -> Result<Vec<Request>, String> {
    let found: Vec<&Origin> = contents(after).map(|(_, origin)| origin).collect();
    let mut requests = Vec::new();
    for (expected, origin) in expected.iter_mut().zip(found).rev() {
        let number = expected.line;
        let What::Edited { lines: wanted, .. } = &mut expected.what else { continue };
        let lines = lines(origin);
        if lines.len() != wanted.len() {
            return Err("an edited block would have another count of paragraphs".into());
        }
        for (line, wanted) in lines.iter().zip(wanted).rev() {
            requests.extend(line_styles(line, wanted, number, tab, notices)?);
        }
    }
    Ok(requests)
}

/// The blocks of a tab that are content, with their origins.
pub(super) fn contents(extract: &Extract) -> impl Iterator<Item = (&Content, &Origin)> {
    extract
        .tree
        .blocks
        .iter()
        .map(|block| &block.content)
        .zip(&extract.origins)
        .filter(|(content, _)| !matches!(content, Content::Directive { .. }))
}

/// The paragraphs of a block in order.
pub(super) fn lines(origin: &Origin) -> Vec<&Line> {
    match origin {
        Origin::Line { line, .. } => vec![line],
        Origin::Table { cells, .. } => cells.iter().flatten().flatten().collect(),
        Origin::Footnote { lines } => lines.iter().collect(),
        Origin::Fixed { .. } | Origin::Directive => Vec::new(),
    }
}

fn paragraph_style(line: &Line, named: Option<&str>, fresh: Option<Bullets>, tab: Option<&str>) -> Option<Request> {
    let mut style = Map::new();
    let mut fields = Vec::new();
    if let Some(named) = named.filter(|named| *named != line.named_style) {
        style.insert("namedStyleType".into(), named.into());
        fields.push("namedStyleType");
    }
    if fresh.is_some() && named.is_some() {
        // A new paragraph takes over what was set on its neighbour by hand; the file says nothing of it.
        fields.extend(&line.overrides);
    }
    if fresh == Some(Bullets::Leave) {
        fields.extend(["indentStart", "indentFirstLine"].into_iter().filter(|field| !line.overrides.contains(field)));
    }
    (!fields.is_empty()).then(|| {
        Request::UpdateParagraphStyle(UpdateParagraphStyle {
            range: range(line.segment.as_deref(), tab, line.start, line.end),
            paragraph_style: Style(style),
            fields: fields.join(","),
        })
    })
}

fn line_styles(
    line: &Line,
    wanted: &mut [Wanted],
    number: u32,
    tab: Option<&str>,
    notices: &mut Notices,
) -> Result<Vec<Request>, String> {
    if line.units.len() != wanted.len()
        || line.units.iter().zip(&*wanted).any(|(unit, wanted)| !super::words::same(&unit.token, &wanted.token))
    {
        return Err("an edited paragraph would not say what the file says".into());
    }
    let mut stretches: Vec<(u32, u32, Delta, bool)> = Vec::new();
    for (unit, wanted) in line.units.iter().zip(wanted) {
        let delta = delta(line, unit, wanted, number, notices);
        let blank = matches!(unit.token, Token::Char(character) if character.is_whitespace());
        match stretches.last_mut() {
            Some((_, end, last, only_blank)) if *last == delta && *end == unit.at => {
                *end = unit.at + unit.len;
                *only_blank &= blank;
            }
            _ => stretches.push((unit.at, unit.at + unit.len, delta, blank)),
        }
    }
    let requests = stretches
        .into_iter()
        .rev()
        .filter(|(_, _, delta, only_blank)| {
            !(delta.is_empty() || (*only_blank && delta.iter().all(|(field, _)| is_emphasis(field))))
        })
        .map(|(start, end, delta, _)| {
            let fields = delta.iter().map(|(field, _)| *field).collect::<Vec<_>>().join(",");
            let style = delta.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?))).collect();
            Request::UpdateTextStyle(UpdateTextStyle {
                range: range(line.segment.as_deref(), tab, start, end),
                text_style: Style(style),
                fields,
            })
        })
        .collect();
    Ok(requests)
}

/// Emphasis that begins or ends with a blank cannot be said in Markdown, so the file does not say it of blanks.
fn is_emphasis(field: &str) -> bool {
    matches!(field, "bold" | "italic" | "strikethrough")
}

/// What must change at one unit; takes back from `wanted` what cannot.
fn delta(line: &Line, unit: &Unit, wanted: &mut Wanted, number: u32, notices: &mut Notices) -> Delta {
    let mut delta = Delta::new();
    if !matches!(unit.token, Token::Char(_)) {
        wanted.marks = unit.marks.clone();
        return delta;
    }
    if unit.marks == wanted.marks {
        return delta;
    }
    let (has, fresh) = (&*unit.marks, wanted.fresh);
    let wants = Rc::make_mut(&mut wanted.marks);
    for (field, has, wants) in [
        ("bold", has.bold, &mut wants.bold),
        ("italic", has.italic, &mut wants.italic),
        ("strikethrough", has.strike, &mut wants.strike),
    ] {
        if has != *wants && *wants && line.inherited.contains(&field) {
            notices.refuse("STYLE_INHERITED", number, format!("the named style of this paragraph is {field} already"));
            *wants = false;
        } else if has != *wants {
            delta.push((field, wants.then_some(Value::Bool(true))));
        }
    }
    if wants.code {
        notices.refuse("STYLE_LOCKED", number, "code spans cannot be pushed yet; their text can");
        wants.code = false;
    }
    link(has, wants, &mut delta, number, notices);
    properties(has, wants, fresh, &mut delta, number, notices);
    delta
}

fn link(has: &Marks, wants: &mut Marks, delta: &mut Delta, number: u32, notices: &mut Notices) {
    if has.link == wants.link {
        return;
    }
    let colored = wants.properties.iter().find(|property| property.name == "color").cloned();
    match &wants.link {
        None => {
            // Docs gives a link its colour and line; without the link they would stay behind.
            delta.extend([("link", None), ("underline", None)]);
            if colored.is_none() {
                delta.push(("foregroundColor", None));
            }
        }
        Some(destination) => {
            if let Some(id) = destination.strip_prefix("#^") {
                if id.starts_with("h.") {
                    delta.push(("link", Some(json!({ "headingId": id }))));
                } else {
                    notices.refuse("LINK_LOCKED", number, "a link can be set to a web address or to a heading");
                    wants.link.clone_from(&has.link);
                }
            } else if destination.contains("://") || destination.starts_with("mailto:") {
                delta.push(("link", Some(json!({ "url": destination }))));
                // A new link paints its text unless the same request says otherwise.
                if let Some(rgb) = colored.as_ref().and_then(style::rgb) {
                    delta.push(("foregroundColor", Some(rgb)));
                }
            } else {
                notices.refuse("LINK_LOCKED", number, format!("`{destination}` is not a web address"));
                wants.link.clone_from(&has.link);
            }
        }
    }
}

fn properties(has: &Marks, wants: &mut Marks, fresh: bool, delta: &mut Delta, number: u32, notices: &mut Notices) {
    let linked = delta.iter().any(|(field, _)| *field == "link");
    if wants.link.is_some() {
        // A link is underlined anyway, and the file does not say so.
        wants.properties.retain(|property| property.name != "underline" || property.value == PropertyValue::Off);
    }
    let find = |properties: &[Property], name: &str| properties.iter().find(|property| property.name == name).cloned();
    let mut names: Vec<String> =
        has.properties.iter().chain(&wants.properties).map(|property| property.name.clone()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let (old, new) = (find(&has.properties, &name), find(&wants.properties, &name));
        if old == new {
            continue;
        }
        if name == "underline" {
            let value = new.as_ref().map(|property| Value::Bool(property.value != PropertyValue::Off));
            delta.retain(|(field, _)| *field != "underline");
            delta.push(("underline", value));
        } else if let (true, None, Some(field)) = (fresh, &new, text_field(&name)) {
            // New text takes over the style of the text it stands beside; the file does not say it has it.
            if !delta.iter().any(|(other, _)| *other == field) {
                delta.push((field, None));
            }
        } else if !(linked && name == "color" && new.is_none()) {
            notices.refuse("STYLE_LOCKED", number, format!("`{name}` cannot be pushed yet; the text can"));
            wants.properties.retain(|property| property.name != name);
            wants.properties.extend(old);
        }
    }
    // The order is the canonical one, so that the two sides can be compared.
    crate::mebdf::sort_properties(&mut wants.properties);
}
