//! Which boxes of a document's checklists are ticked. Pure and total.
//!
//! The Docs API never tells it; the Markdown that Drive exports shows `- [x]`. The export has no ids and no places, so
//! its items are matched with the document's by order and words, and all that Markdown does to words is taken off on
//! both sides. The export is read line by line and not as Markdown: an item is a line that begins with a mark and a box
//! whatever stands around it, since brackets that are text are escaped; whereas a parser would lose items to a code
//! block, a footnote or a line of HTML that it sees in what Google wrote.
//!
//! The export is made a moment after the document was read. What was edited between the two has no match, or one whose
//! state is newer; either way the next reading is right.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::extract::{Origin, extract};
use crate::gdocs::{CheckItem, Document, Paragraph, Tab, Ticks, check_items};
use crate::mebdf::{Content, Mark, Run, RunContent, parse};

/// Bytes of an export that are looked at; Google's limit is 10 MB, in whatever way it counts.
pub(crate) const EXPORT_BYTES_MAX: usize = 16 << 20;

/// Bytes of one line of an export that are looked at: an item's words, but no picture's data.
const LINE_BYTES_MAX: usize = 4 << 10;

/// Characters of an item that are compared.
const KEY_CHARS_MAX: usize = 500;

/// Items of an export that are looked at; more do not fit into a document of a million characters.
const ITEMS_MAX: usize = 100_000;

/// How far ahead an item is looked for among those that are only like it.
const LOOK_AHEAD: usize = 16;

/// Marks that may stand in a row before a box: a list in a list that begins on the same line.
const MARKS_MAX: usize = 10;

/// What is known of the boxes of a document.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The ticked ones.
    pub(crate) ticks: Ticks,
    /// By tab, how many boxes were not found and are shown unticked.
    pub(crate) unmatched: BTreeMap<String, usize>,
}

/// An item as some text shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    checked: bool,
    key: String,
}

/// Tells whether a document has a checklist.
pub(crate) fn has_boxes(document: &Document) -> bool {
    document.all_tabs().into_iter().any(|tab| !items(tab).is_empty())
}

/// Counts the boxes that the file of a tab shows.
pub(crate) fn shown(tab: &Tab) -> usize {
    items(tab).iter().filter(|item| is_shown(item)).count()
}

/// Finds the ticked boxes of a document in its Markdown export.
pub(crate) fn read(export: &[u8], document: &Document) -> Known {
    let tabs = document.all_tabs();
    let boxes: Vec<(&Tab, CheckItem<'_>)> =
        tabs.into_iter().flat_map(|tab| items(tab).into_iter().map(move |item| (tab, item))).collect();
    let keys: Vec<String> = boxes.iter().map(|(_, item)| key_of(item.paragraph)).collect();
    let export = export.get(..EXPORT_BYTES_MAX).unwrap_or(export);
    let told = told(&String::from_utf8_lossy(export));
    let mut known = Known::default();
    for ((tab, item), state) in boxes.into_iter().zip(states(&keys, &told)) {
        match state {
            Some(true) => drop(known.ticks.set(tab.id(), "", item.start, true)),
            Some(false) => {}
            None if is_shown(&item) => *known.unmatched.entry(tab.id().to_owned()).or_default() += 1,
            None => {}
        }
    }
    known
}

/// Adds the boxes of a tab that an earlier text of its file shows as ticked, matched in the same way.
pub(crate) fn recall(document: &Document, tab: &Tab, earlier: &str, ticks: &mut Ticks) {
    if items(tab).is_empty() {
        return;
    }
    let now = extract(document, &Ticks::default(), tab, false);
    let (mut starts, mut keys) = (Vec::new(), Vec::new());
    for (block, origin) in now.tree.blocks.iter().zip(&now.origins) {
        if let (Some((_, runs)), Origin::Line { line, .. }) = (task(&block.content), origin) {
            starts.push(line.start);
            keys.push(key_of_runs(runs));
        }
    }
    let blocks = parse(earlier).tree.blocks;
    let told = blocks.iter().filter_map(|block| task(&block.content));
    let told: Vec<Told> =
        told.take(ITEMS_MAX).map(|(checked, runs)| Told { checked, key: key_of_runs(runs) }).collect();
    for (start, state) in starts.into_iter().zip(states(&keys, &told)) {
        if state == Some(true) {
            ticks.set(tab.id(), "", start, true);
        }
    }
}

fn items(tab: &Tab) -> Vec<CheckItem<'_>> {
    tab.document_tab.as_ref().map(|content| check_items(content, "")).unwrap_or_default()
}

/// A cell's text is shown without its lists, and a heading's without its bullet.
fn is_shown(item: &CheckItem<'_>) -> bool {
    !item.in_cell && !item.paragraph.named_style_type().starts_with("HEADING_")
}

const fn task(content: &Content) -> Option<(bool, &Vec<Run>)> {
    let Content::Item { mark: Mark::Task { checked }, runs, .. } = content else { return None };
    Some((*checked, runs))
}

/// The words of a paragraph, as they are compared.
fn key_of(paragraph: &Paragraph) -> String {
    let mut key = Key::default();
    for element in &paragraph.elements {
        let object = |pointer: &str| {
            let text = element.raw().and_then(|(_, value)| value.pointer(pointer)).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
        };
        let text = element.text().or_else(|| match element.raw()?.0 {
            "person" => object("/personProperties/name").or_else(|| object("/personProperties/email")),
            "richLink" => object("/richLinkProperties/title").or_else(|| object("/richLinkProperties/uri")),
            "dateElement" => object("/dateElementProperties/displayText"),
            _ => None,
        });
        key.add(text.unwrap_or_default());
    }
    key.text
}

fn key_of_runs(runs: &[Run]) -> String {
    let mut key = Key::default();
    for run in runs {
        match &run.content {
            RunContent::Text(text) => key.add(text),
            RunContent::Object(object) => key.add(object.title.as_deref().unwrap_or(&object.kind)),
            RunContent::FootnoteReference(_) | RunContent::Anchor(_) => {}
        }
    }
    key.text
}

/// Words without blanks and ASCII punctuation: whatever Markdown adds is that, and whatever it changes too.
#[derive(Debug, Default)]
struct Key {
    text: String,
    /// Characters of it.
    chars: usize,
}

impl Key {
    fn add(&mut self, text: &str) {
        let room = KEY_CHARS_MAX.saturating_sub(self.chars);
        let private = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{200b}' | '\u{feff}' | '\u{fffc}');
        let is_word = |c: &char| !c.is_whitespace() && !c.is_control() && !c.is_ascii_punctuation() && !private(*c);
        for c in text.chars().filter(is_word).take(room) {
            self.text.push(c);
            self.chars += 1;
        }
    }
}

/// The items that a Markdown text shows, in order.
fn told(text: &str) -> Vec<Told> {
    let mut found: Vec<Told> = Vec::new();
    // Whether the next line may be more of the last item.
    let mut open = false;
    for line in text.lines() {
        if found.len() >= ITEMS_MAX {
            break;
        }
        let line = head(line, LINE_BYTES_MAX).trim_start_matches('\u{feff}').trim();
        if let Some((checked, words)) = boxed(line, true) {
            found.push(Told { checked, key: key_of_markdown(words) });
            open = true;
        } else if line.starts_with('|') {
            found.extend(cells(line));
            open = false;
        } else if line.is_empty() || begins_block(line) {
            open = false;
        } else if let Some(last) = found.last_mut().filter(|_| open) {
            let mut key = Key::default();
            key.add(&last.key);
            key.add(&key_of_markdown(line));
            last.key = key.text;
        }
    }
    found
}

/// The items in the cells of a table's row: each is a line of its cell, with a mark before its box or without.
fn cells(row: &str) -> Vec<Told> {
    let mut lines = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in row.char_indices() {
        if c == '|' && !escaped {
            lines.extend(row.get(start..at).unwrap_or_default().split("<br>"));
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    let boxes = lines.into_iter().filter_map(|line| boxed(line.trim(), false));
    boxes.map(|(checked, words)| Told { checked, key: key_of_markdown(words) }).collect()
}

/// Reads `- [x] words`; the mark may be left out where it is not `needed`.
fn boxed(line: &str, needed: bool) -> Option<(bool, &str)> {
    let mut rest = line;
    let mut marked = !needed;
    for _ in 0..MARKS_MAX {
        let Some(behind) = behind_mark(rest) else { break };
        rest = behind.trim_start();
        marked = true;
    }
    let mut inside = rest.strip_prefix('[')?.chars();
    let checked = match inside.next()? {
        ' ' => false,
        'x' | 'X' => true,
        _ => return None,
    };
    let words = inside.as_str().strip_prefix(']')?;
    (marked && (words.is_empty() || words.starts_with(char::is_whitespace))).then_some((checked, words))
}

/// What stands behind a list's mark.
fn behind_mark(line: &str) -> Option<&str> {
    let numbers = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark: &[char] = if numbers.len() < line.len() { &['.', ')'] } else { &['-', '*', '+'] };
    numbers.strip_prefix(mark).filter(|behind| behind.starts_with(char::is_whitespace))
}

/// Tells whether a line is no more of the item before it.
fn begins_block(line: &str) -> bool {
    let defines = line.starts_with('[') && line.contains("]:");
    defines || line.starts_with(['#', '>']) || line.starts_with("```") || behind_mark(line).is_some()
}

/// The words of a line of Markdown, as they are compared: without the places that links, pictures and footnotes lead
/// to, tags, and entities, which stand for what is not compared.
fn key_of_markdown(text: &str) -> String {
    let mut key = Key::default();
    let mut brackets = Brackets { bytes_left: text.len() * SEARCHES_MAX };
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find(['\\', '!', '[', ']', '<', '&'])) {
        let at = from + at;
        let tail = rest.get(at..).unwrap_or_default();
        let skipped = match tail.as_bytes() {
            // What is escaped is punctuation; it must not be taken for what it would be without.
            [b'\\', escaped, ..] if escaped.is_ascii_punctuation() => Some(2),
            [b'!', b'[', ..] => brackets.end(tail, 1).map(|end| brackets.behind_target(tail, end)),
            [b'[', b'^', ..] => brackets.end(tail, 0),
            [b']', b'(' | b'[', ..] => Some(brackets.behind_target(tail, 1)),
            [b'<', ..] => tag(tail),
            [b'&', ..] => entity(tail),
            _ => None,
        };
        let Some(skipped) = skipped else {
            from = at + 1;
            continue;
        };
        key.add(rest.get(..at).unwrap_or_default());
        (rest, from) = (tail.get(skipped..).unwrap_or_default(), 0);
    }
    key.add(rest);
    key.text
}

/// How often a line may be searched for brackets that nobody closed; without a bound each would be looked for to its end.
const SEARCHES_MAX: usize = 4;

/// Finds where brackets are closed.
struct Brackets {
    /// Bytes that may still be searched in vain.
    bytes_left: usize,
}

impl Brackets {
    /// Where the bracket at `open` is closed, behind it.
    fn end(&mut self, text: &str, open: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let (opens, closes) = if *bytes.get(open)? == b'(' { (b'(', b')') } else { (b'[', b']') };
        let (mut depth, mut escaped) = (0_usize, false);
        for (at, byte) in bytes.iter().enumerate().skip(open).take(self.bytes_left) {
            if !escaped && *byte == opens {
                depth += 1;
            } else if !escaped && *byte == closes {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            escaped = *byte == b'\\' && !escaped;
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len() - open);
        None
    }

    /// Where the `(place)` or `[label]` at `open` ends; there, where there is none.
    fn behind_target(&mut self, text: &str, open: usize) -> usize {
        let is_target = matches!(text.as_bytes().get(open), Some(b'(' | b'['));
        is_target.then(|| self.end(text, open)).flatten().unwrap_or(open)
    }
}

/// Length of `<br>`, `</sup>` and the like; an address in angles has its colon and is kept.
fn tag(text: &str) -> Option<usize> {
    const TAG_MAX: usize = 12;
    let (inner, _) = head(text, TAG_MAX).get(1..)?.split_once('>')?;
    let name = inner.trim_start_matches('/').trim_end_matches(['/', ' ']);
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then_some(inner.len() + 2)
}

/// Length of `&amp;` and the like.
fn entity(text: &str) -> Option<usize> {
    const ENTITY_MAX: usize = 10;
    let end = text.bytes().take(ENTITY_MAX).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
    plain.then_some(end + 1)
}

/// The beginning of a text that has at most so many bytes.
fn head(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// For each of the document's items its state, where one was told: first the same words in the same order, then, between
/// those, words that are alike, at last the same words wherever they are, since tabs may be in another order.
fn states(keys: &[String], told: &[Told]) -> Vec<Option<bool>> {
    let mut matched: Vec<Option<usize>> = vec![None; keys.len()];
    let theirs: Vec<&str> = told.iter().map(|told| told.key.as_str()).collect();
    let ours: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut pending: Option<(Range<usize>, Range<usize>)> = None;
    // Its work is bounded: where the rows have little in common, what it misses is found by the steps that follow.
    for op in capture_diff_slices(Algorithm::Myers, &ours, &theirs) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            if let Some((old, new)) = pending.take() {
                likely(&ours, &theirs, old, new, &mut matched);
            }
            for offset in 0..len {
                if let Some(place) = matched.get_mut(old_index + offset) {
                    *place = Some(new_index + offset);
                }
            }
        } else {
            let (old, new) = (op.old_range(), op.new_range());
            pending = Some(match pending {
                Some((old_first, new_first)) => (old_first.start..old.end, new_first.start..new.end),
                None => (old, new),
            });
        }
    }
    if let Some((old, new)) = pending {
        likely(&ours, &theirs, old, new, &mut matched);
    }
    elsewhere(&ours, &theirs, &mut matched);
    matched.into_iter().map(|place| place.and_then(|at| told.get(at)).map(|told| told.checked)).collect()
}

/// Matches what is alike between two items that are the same on both sides.
fn likely(ours: &[&str], theirs: &[&str], old: Range<usize>, new: Range<usize>, matched: &mut [Option<usize>]) {
    let mut next = new.start;
    for at in old {
        let Some(key) = ours.get(at) else { continue };
        let ahead = next..new.end.min(next + LOOK_AHEAD);
        let found = ahead.into_iter().find(|there| theirs.get(*there).is_some_and(|other| alike(key, other)));
        if let (Some(there), Some(place)) = (found, matched.get_mut(at)) {
            *place = Some(there);
            next = there + 1;
        }
    }
}

/// Tells whether two items begin and end alike for at least half of their words.
fn alike(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let shorter = one.len().min(other.len());
    let begin = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let rest = shorter - begin;
    let end = one.iter().rev().zip(other.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    begin + end > 0 && (begin + end) * 2 >= one.len().max(other.len())
}

/// Matches what has the same words and is left on both sides, in whatever order.
fn elsewhere(ours: &[&str], theirs: &[&str], matched: &mut [Option<usize>]) {
    let mut used = vec![false; theirs.len()];
    for at in matched.iter().flatten() {
        if let Some(used) = used.get_mut(*at) {
            *used = true;
        }
    }
    let mut left: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for ((at, key), _) in theirs.iter().enumerate().zip(used).filter(|((_, key), used)| !used && !key.is_empty()) {
        left.entry(key).or_default().push_back(at);
    }
    for (key, place) in ours.iter().zip(matched).filter(|(_, place)| place.is_none()) {
        *place = left.get_mut(key).and_then(VecDeque::pop_front);
    }
}
