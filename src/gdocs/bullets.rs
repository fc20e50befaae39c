//! `createParagraphBullets` and `deleteParagraphBullets`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#createparagraphbulletsrequest>

use serde_json::{Map, Value, json};

use super::document::{Bullet, DocumentTab, Paragraph, Range, StructuralElement, Style};
use super::glyphs::{dimension, indents, list_of, matches_preset};
use super::index::relayout;
use super::locate::{check_range, each_paragraph_mut, first_ending_after};
use super::quirks;
use super::refusal::Refusal;
use super::request::{BulletPreset, CreateParagraphBullets};
use super::runs::split_at;
use super::segment::{Segment, Shift};

/// Carries out `createParagraphBullets` on a segment.
///
/// # Errors
///
/// Google's refusals of a bad range and of a preset that is not said.
pub(crate) fn create(segment: &mut Segment<'_>, request: &CreateParagraphBullets) -> Result<(), Refusal> {
    if request.bullet_preset == BulletPreset::BulletGlyphPresetUnspecified {
        return Err(Refusal::invalid(quirks::NO_BULLET_PRESET));
    }
    let Segment { tab, content, ids, .. } = segment;
    let (start, end) = check_range(&request.range, content)?;
    let Some(before) = paragraph_before(content, start, end) else {
        // A range that touches no paragraph makes no list.
        return Ok(());
    };
    let list_id = joined_list(tab, before, request.bullet_preset).unwrap_or_else(|| {
        let id = ids.draw("kix.");
        tab.lists.insert(id.clone(), list_of(request.bullet_preset).into());
        id
    });
    let mut removed = Vec::new();
    each_paragraph_mut(content, start, end, &mut |element| {
        let at = element.start_index.utf16();
        if let Some(paragraph) = &mut element.paragraph {
            let tabs = take_tabs(paragraph, at);
            if tabs > 0 {
                removed.push((at, at.saturating_add(tabs)));
            }
            make_item(paragraph, &list_id, tabs.min(quirks::MAX_NESTING_LEVEL));
        }
        Ok(())
    })?;
    relayout(content);
    // From the back, so that every place is still the one it was.
    for (from, to) in removed.into_iter().rev() {
        segment.shift(Shift::Removed { from, to });
    }
    Ok(())
}

/// Carries out `deleteParagraphBullets` on a segment.
///
/// # Errors
///
/// Google's refusals of a bad range.
pub(crate) fn delete(tab: &DocumentTab, content: &mut [StructuralElement], range: &Range) -> Result<(), Refusal> {
    let (start, end) = check_range(range, content)?;
    each_paragraph_mut(content, start, end, &mut |element| {
        if let Some(paragraph) = &mut element.paragraph
            && let Some(bullet) = paragraph.bullet.take()
        {
            keep_indent(tab, paragraph, &bullet);
        }
        Ok(())
    })
}

/// Returns the paragraph right before the first one that `[start, end)` touches: `None` when no paragraph is
/// touched, `Some(None)` when something else or nothing stands before it.
fn paragraph_before(content: &[StructuralElement], start: u32, end: u32) -> Option<Option<&Paragraph>> {
    let first = first_ending_after(content, start);
    let touched = content.iter().enumerate().skip(first).take_while(|(_, element)| element.start_index.utf16() < end);
    for (at, element) in touched {
        if element.paragraph.is_some() {
            return Some(at.checked_sub(1).and_then(|before| content.get(before)?.paragraph.as_ref()));
        }
        let rows = element.table.iter().flat_map(|table| &table.table_rows);
        let mut cells = rows.flat_map(|row| &row.table_cells);
        let found = cells.find_map(|cell| paragraph_before(&cell.content, start, end));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns the list of the paragraph before when its glyphs are those of the preset.
fn joined_list(tab: &DocumentTab, before: Option<&Paragraph>, preset: BulletPreset) -> Option<String> {
    let id = &before?.bullet.as_ref()?.list_id;
    let list = tab.lists.get(id)?;
    matches_preset(list, preset).then(|| id.clone())
}

/// Takes the leading tabs out of the paragraph that starts at `start` and returns how many they were.
fn take_tabs(paragraph: &mut Paragraph, start: u32) -> u32 {
    let mut tabs = 0_u32;
    for element in &paragraph.elements {
        let Some(text) = element.text() else { break };
        let rest = text.trim_start_matches('\t');
        // A tab is one byte and one unit.
        tabs = tabs.saturating_add(u32::try_from(text.len() - rest.len()).unwrap_or(u32::MAX));
        if !rest.is_empty() {
            break;
        }
    }
    match split_at(&mut paragraph.elements, start.saturating_add(tabs)).filter(|_| tabs > 0) {
        // A paragraph without its newline, which only a damaged document has, keeps its tabs rather than be empty.
        Some(to) if to < paragraph.elements.len() => {
            paragraph.elements.drain(..to);
            tabs
        }
        Some(_) | None => 0,
    }
}

/// Makes a paragraph an item of a list; its named style stays.
fn make_item(paragraph: &mut Paragraph, list_id: &str, level: u32) {
    let style = &mut paragraph.paragraph_style.get_or_insert_with(Style::default).0;
    let (first_line, start) = indents(level);
    style.insert("indentFirstLine".to_owned(), dimension(first_line));
    style.insert("indentStart".to_owned(), dimension(start));
    paragraph.bullet = Some(Bullet {
        list_id: list_id.to_owned(),
        nesting_level: (level > 0).then_some(level),
        text_style: Some(Style(Map::from_iter([("underline".to_owned(), json!(false))]))),
        ..Bullet::default()
    });
}

/// Gives a paragraph that left its list the indents it had there, where it does not say its own.
fn keep_indent(tab: &DocumentTab, paragraph: &mut Paragraph, bullet: &Bullet) {
    let level = usize::try_from(bullet.nesting_level.unwrap_or(0)).unwrap_or(usize::MAX);
    let levels = tab.lists.get(&bullet.list_id).and_then(|list| list.pointer("/listProperties/nestingLevels"));
    let Some(level) = levels.and_then(|levels| levels.get(level)) else { return };
    let style = &mut paragraph.paragraph_style.get_or_insert_with(Style::default).0;
    for key in ["indentFirstLine", "indentStart"] {
        if let Some(indent) = level.get(key).filter(|indent| !indent.is_null()) {
            style.entry(key).or_insert_with(|| Value::clone(indent));
        }
    }
}
