//! `replaceAllText` and `replaceNamedRangeContent`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#replacealltextrequest>

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::batch::Batch;
use super::delete::delete_range;
use super::document::{Paragraph, ParagraphElement, Range, StructuralElement, Style};
use super::index::{relayout, segment_end, utf16_len};
use super::insert::{insert_like_next, insert_pieces, of_paragraph, stripped};
use super::locate::{find_paragraph, siblings_mut};
use super::named_range::Selector;
use super::objects;
use super::quirks;
use super::refusal::Refusal;
use super::request::{ReplaceAllText, ReplaceNamedRangeContent, SubstringMatchCriteria};
use super::runs::{join_at, split_at};
use super::segment::{Address, Segment, Shift};

/// Carries out `replaceAllText` in all segments of the selected tabs.
///
/// # Errors
///
/// Refusals of nothing to look for, of a pattern that is none, and of an unknown tab.
pub(crate) fn replace_all(batch: &mut Batch, request: &ReplaceAllText) -> Result<Value, Refusal> {
    let pattern = pattern(&request.contains_text)?;
    let text = stripped(&request.replace_text);
    let mut changed = 0_usize;
    for tab in batch.selected_tabs(request.tabs_criteria.as_ref())? {
        for address in batch.segments_of(&tab) {
            changed += batch.in_segment(&address, |segment| replace_in(segment, &pattern, &text))?;
        }
    }
    // A count of nothing is left out, as proto3 leaves out zeros.
    let count = if changed == 0 { json!({}) } else { json!({ "occurrencesChanged": changed }) };
    Ok(json!({ "replaceAllText": count }))
}

/// Makes a pattern of what is looked for.
///
/// # Errors
///
/// Refusals of nothing to look for and of a pattern that is none.
pub(crate) fn pattern(criteria: &SubstringMatchCriteria) -> Result<Regex, Refusal> {
    if criteria.text.is_empty() {
        return Err(Refusal::invalid(quirks::NOTHING_TO_FIND));
    }
    let text = if criteria.search_by_regex { criteria.text.clone() } else { regex::escape(&criteria.text) };
    RegexBuilder::new(&text)
        .case_insensitive(!criteria.match_case)
        .size_limit(quirks::MAX_PATTERN_BYTES)
        .build()
        // What is wrong with a pattern is worded by the library, not by Google, so it is not passed on.
        .map_err(|_error| Refusal::invalid(quirks::BAD_PATTERN))
}

/// Replaces all occurrences in one segment and returns how many there were.
fn replace_in(segment: &mut Segment<'_>, pattern: &Regex, text: &str) -> Result<usize, Refusal> {
    let mut found = Vec::new();
    occurrences(segment.content, pattern, &mut found);
    let width = utf16_len(text);
    let grown = u64::from(width).saturating_mul(u64::try_from(found.len()).unwrap_or(u64::MAX));
    if u64::from(segment_end(segment.content)).saturating_add(grown) > u64::from(quirks::MAX_SEGMENT_UTF16) {
        return Err(Refusal::invalid("The inserted text is too long."));
    }
    // From the back, so that every place is still the one it was.
    for (from, to) in found.iter().rev() {
        replace_one(segment, *from, *to, text)?;
        segment.shift(Shift::Replaced { from: *from, to: *to, width });
    }
    if !found.is_empty() {
        relayout(segment.content);
    }
    Ok(found.len())
}

/// Collects where the pattern occurs: within a paragraph and between objects, not in a table of contents.
pub(crate) fn occurrences(content: &[StructuralElement], pattern: &Regex, found: &mut Vec<(u32, u32)>) {
    for element in content {
        if let Some(paragraph) = &element.paragraph {
            in_paragraph(paragraph, pattern, found);
        }
        for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
            occurrences(&cell.content, pattern, found);
        }
    }
}

/// Collects the occurrences in one paragraph.
fn in_paragraph(paragraph: &Paragraph, pattern: &Regex, found: &mut Vec<(u32, u32)>) {
    for stretch in paragraph.elements.chunk_by(|left, right| left.text_run.is_some() == right.text_run.is_some()) {
        let text: String = stretch.iter().filter_map(ParagraphElement::text).collect();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let mut at = stretch.first().map_or(0, |first| first.start_index.utf16());
        let mut byte = 0;
        for occurrence in pattern.find_iter(text).filter(|occurrence| !occurrence.is_empty()) {
            let start = at.saturating_add(text.get(byte..occurrence.start()).map_or(0, utf16_len));
            at = start.saturating_add(utf16_len(occurrence.as_str()));
            byte = occurrence.end();
            found.push((start, at));
        }
    }
}

/// Replaces one occurrence; the new text looks like the first character of the old.
///
/// What stands behind is not laid out again here, which places in front of it do not need.
fn replace_one(segment: &mut Segment<'_>, from: u32, to: u32, text: &str) -> Result<(), Refusal> {
    let inside = || Refusal::invalid(quirks::INSIDE_CHARACTER);
    let spot = find_paragraph(segment.content, from).ok_or_else(inside)?;
    let siblings = siblings_mut(segment.content, &spot.path).ok_or_else(inside)?;
    let paragraph = siblings.get_mut(spot.at).and_then(|element| element.paragraph.as_mut()).ok_or_else(inside)?;
    let first = split_at(&mut paragraph.elements, from).ok_or_else(inside)?;
    let last = split_at(&mut paragraph.elements, to).ok_or_else(inside)?;
    let style = paragraph.elements.get(first).and_then(ParagraphElement::text_style).cloned().map(Style);
    paragraph.elements.drain(first..last);
    if text.is_empty() {
        join_at(&mut paragraph.elements, first);
        return Ok(());
    }
    let made = insert_pieces(paragraph, first, true, text, &style.unwrap_or_default(), segment.ids);
    if !made.is_empty() {
        siblings.splice(spot.at..spot.at, made.into_iter().map(of_paragraph));
        relayout(segment.content);
    }
    Ok(())
}

/// Carries out `replaceNamedRangeContent`: the first range of each is replaced, its others are deleted.
///
/// # Errors
///
/// Google's refusals of no selector, of an unknown id, and of a range whose deletion would break the structure.
pub(crate) fn replace_named(batch: &mut Batch, request: &ReplaceNamedRangeContent) -> Result<(), Refusal> {
    let tabs = batch.selected_tabs(request.tabs_criteria.as_ref())?;
    let selector = Selector::read(request.named_range_id.as_deref(), request.named_range_name.as_deref())?;
    let text = stripped(&request.text);
    let mut any = false;
    for tab in tabs {
        for id in named(batch, &tab, selector) {
            any = true;
            replace_ranges(batch, &tab, &id, &text)?;
        }
    }
    match selector {
        Selector::Id(id) if !any => Err(Refusal::invalid(quirks::unknown_range(id))),
        Selector::Id(_) | Selector::Name(_) => Ok(()),
    }
}

/// Returns the ids of the named ranges of a tab that are meant.
fn named(batch: &Batch, tab: &str, selector: Selector<'_>) -> Vec<String> {
    let content = batch.document.tab(Some(tab)).and_then(|tab| tab.document_tab.as_ref());
    let all =
        content.into_iter().flat_map(|content| content.named_ranges.values()).flat_map(|group| &group.named_ranges);
    all.filter(|range| selector.takes(range)).map(|range| range.named_range_id.clone()).collect()
}

/// Replaces what one named range holds; it may be gone by now, with the text of another.
fn replace_ranges(batch: &mut Batch, tab: &str, id: &str, text: &str) -> Result<(), Refusal> {
    let content = batch.document.tab(Some(tab)).and_then(|tab| tab.document_tab.as_ref());
    let mut all =
        content.into_iter().flat_map(|content| content.named_ranges.values()).flat_map(|group| &group.named_ranges);
    let Some(own) = all.find(|range| range.named_range_id == id) else { return Ok(()) };
    let mut ranges: Vec<(usize, Range)> = own.ranges.iter().cloned().enumerate().collect();
    // From the back, so that every place is still the one it was.
    ranges.sort_by_key(|(_, range)| std::cmp::Reverse(range.start_index.unwrap_or(0)));
    for (number, range) in ranges {
        let address = Address { tab_id: Some(tab.to_owned()), segment_id: range.segment_id.clone() };
        batch.in_segment(&address, |segment| replace_range(segment, &range, if number == 0 { text } else { "" }))?;
    }
    Ok(())
}

/// Replaces a range, or deletes it for an empty text.
fn replace_range(segment: &mut Segment<'_>, range: &Range, text: &str) -> Result<(), Refusal> {
    let (from, to) = (range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
    if text.is_empty() {
        let removed = delete_range(segment.content, range)?;
        segment.forget(&removed);
        return Ok(());
    }
    if to == segment_end(segment.content) {
        return Err(Refusal::invalid(quirks::LAST_NEWLINE));
    }
    let width = insert_like_next(segment.content, from, text, segment.ids)?;
    let old = Range {
        start_index: Some(from.saturating_add(width)),
        end_index: Some(to.saturating_add(width)),
        ..Range::default()
    };
    let removed = delete_range(segment.content, &old)?;
    segment.shift(Shift::Replaced { from, to, width });
    objects::forget(segment.tab, segment.content, &removed);
    Ok(())
}
