//! The looks of text that no file says exactly, such as a colour between two of those that a file can name: what was moved
//! is typed anew from the file, and would lose them. Pure.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::edit::range;
use super::planner::{is_mostly, words_of};
use super::properties::{Delta, TEXT_FIELDS, request_style};
use super::settings::Restored;
use crate::gdocs::{
    DocumentTab, Paragraph, Request, SegmentTrace, StructuralElement, Style, UpdateTextStyle, same, same_field,
};
use crate::kinds::docs::text::style::{self, Base};

/// Most texts that are looked for among those that say mostly the same.
const ALIKE_MAX: usize = 200;

/// Finds what gives text that was typed anew the looks that it had, as far as the file says the same of both. `traces` tells
/// where characters come from.
pub(super) fn restored(
    was: &DocumentTab,
    is: &DocumentTab,
    traces: impl FnOnce() -> Vec<SegmentTrace>,
    tab_id: Option<&str>,
) -> Restored {
    let mut restored = Restored::default();
    let old = texts(was);
    if !old.iter().any(Text::hides) {
        return restored;
    }
    let (traced, new) = (Traced::of(traces()), texts(is));
    let gone: Vec<&Text<'_>> =
        old.iter().filter(|text| text.words.iter().any(|word| traced.lost(text, word))).collect();
    let fresh: Vec<&Text<'_>> =
        new.iter().filter(|text| text.words.iter().any(|word| traced.is_new(text, word))).collect();
    let mut stretches: Vec<Stretch<'_>> = Vec::new();
    for (before, after) in paired(&gone, &fresh, &traced) {
        stretches.extend(differing(before, after, &traced));
    }
    stretches.sort_by_key(|stretch| std::cmp::Reverse(stretch.start));
    for Stretch { text, start, end, delta } in stretches {
        let (style, fields) = request_style(delta);
        restored.changed.extend(text.element);
        restored.requests.push(Request::UpdateTextStyle(UpdateTextStyle {
            range: range(text.segment, tab_id, start, end),
            text_style: Style(style),
            fields,
        }));
    }
    restored
}

/// A stretch of text with what must change in its look.
struct Stretch<'a> {
    text: &'a Text<'a>,
    start: u32,
    end: u32,
    delta: Delta,
}

/// A character and where it stands.
struct Letter<'a> {
    at: u32,
    end: u32,
    character: char,
    style: Option<&'a Style>,
}

/// A paragraph of the body, of a cell or of a footnote.
struct Text<'a> {
    segment: Option<&'a str>,
    /// The element of the body that it stands in.
    element: Option<usize>,
    base: Base<'a>,
    letters: Vec<Letter<'a>>,
    /// Its words, as stretches of its letters.
    words: Vec<Range<usize>>,
}

impl Text<'_> {
    fn word(&self, word: &Range<usize>) -> String {
        self.letters.get(word.clone()).unwrap_or_default().iter().map(|letter| letter.character).collect()
    }

    fn said(&self) -> Vec<String> {
        self.words.iter().map(|word| self.word(word)).collect()
    }

    fn plain(&self) -> String {
        self.said().join(" ")
    }

    /// Its words with what the file says of their looks.
    fn shown(&self) -> String {
        let mut shown = String::new();
        let mut last = None;
        for letter in self.words.iter().flat_map(|word| self.letters.get(word.clone()).unwrap_or_default()) {
            let style = letter.style.map(std::ptr::from_ref);
            if last.replace(style) != Some(style) {
                shown.extend(["\n", &format!("{:?}", style::marks(letter.style, self.base)), "\n"]);
            }
            shown.push(letter.character);
        }
        shown
    }

    /// Tells whether the file does not say all of how it looks.
    fn hides(&self) -> bool {
        let mut last = None;
        self.letters.iter().any(|letter| {
            let style = letter.style.map(std::ptr::from_ref);
            if letter.style.is_none_or(|style| style.0.is_empty()) || last.replace(style) == Some(style) {
                return false;
            }
            let said = Style(style::write_text(&style::marks(letter.style, self.base)).0);
            TEXT_FIELDS.iter().any(|field| {
                !same_field(own(letter.style, self.base, field).as_ref(), own(Some(&said), self.base, field).as_ref())
            })
        })
    }
}

/// What of a field of a style is not what text has there anyway.
fn own(style: Option<&Style>, base: Base<'_>, field: &str) -> Option<Value> {
    let mut value = style?.0.get(field)?.clone();
    if field == "weightedFontFamily"
        && let Value::Object(font) = &mut value
    {
        if !font.contains_key("fontFamily") {
            font.insert("fontFamily".into(), base.family()?.into());
        }
        font.entry("weight").or_insert_with(|| style::NORMAL_WEIGHT.into());
    }
    let inherited = base.text(field).unwrap_or(&Value::Null);
    let is_none = inherited.is_null() && value == "NONE";
    (!is_none && !same(&value, inherited)).then_some(value)
}

/// The paragraphs of the body, of its tables and of the footnotes.
fn texts(tab: &DocumentTab) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    let body = tab.body.as_ref().map(|body| body.content.as_slice()).unwrap_or_default();
    for (at, element) in body.iter().enumerate() {
        read(tab, std::slice::from_ref(element), (None, Some(at)), &mut found);
    }
    for (id, footnote) in &tab.footnotes {
        read(tab, &footnote.content, (Some(id), None), &mut found);
    }
    found
}

fn read<'a>(
    tab: &'a DocumentTab,
    content: &'a [StructuralElement],
    (segment, element): (Option<&'a str>, Option<usize>),
    found: &mut Vec<Text<'a>>,
) {
    for part in content {
        if let Some(paragraph) = &part.paragraph {
            let base = Base { tab, named: paragraph.named_style_type(), footnote: segment.is_some() };
            let letters = letters(paragraph);
            let words = words(&letters);
            found.push(Text { segment, element, base, letters, words });
        }
        for cell in part.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
            read(tab, &cell.content, (segment, element), found);
        }
    }
}

fn letters(paragraph: &Paragraph) -> Vec<Letter<'_>> {
    let mut letters = Vec::new();
    for part in &paragraph.elements {
        let Some(run) = &part.text_run else { continue };
        let mut at = part.start_index.utf16();
        for character in run.content.chars().filter(|character| *character != '\n') {
            let end = at + if character.len_utf16() == 2 { 2 } else { 1 };
            letters.push(Letter { at, end, character, style: run.text_style.as_ref() });
            at = end;
        }
    }
    letters
}

fn words(letters: &[Letter<'_>]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in letters.iter().enumerate().filter(|(_, letter)| !letter.character.is_whitespace()) {
        let goes_on =
            at.checked_sub(1).and_then(|before| letters.get(before)).is_some_and(|last| last.end == letter.at);
        match words.last_mut() {
            Some(word) if goes_on && word.end == at => word.end = at + 1,
            _ => words.push(at..at + 1),
        }
    }
    words
}

/// Where characters come from, by segment.
struct Traced {
    units: BTreeMap<String, Vec<Option<u32>>>,
    kept: BTreeMap<String, BTreeSet<u32>>,
}

impl Traced {
    fn of(traces: Vec<SegmentTrace>) -> Self {
        let kept = traces
            .iter()
            .map(|trace| (trace.segment_id.clone(), trace.units.iter().copied().flatten().collect()))
            .collect();
        Self { kept, units: traces.into_iter().map(|trace| (trace.segment_id, trace.units)).collect() }
    }

    /// Tells whether characters of a word that stood there before do not any more.
    fn lost(&self, text: &Text<'_>, word: &Range<usize>) -> bool {
        let kept = self.kept.get(text.segment.unwrap_or_default());
        let mut letters = text.letters.get(word.clone()).unwrap_or_default().iter();
        letters.any(|letter| kept.is_none_or(|kept| !kept.contains(&letter.at)))
    }

    /// Where a character that stands there now stood before; `None` for one that was typed.
    fn source(&self, text: &Text<'_>, letter: &Letter<'_>) -> Option<u32> {
        let units = self.units.get(text.segment.unwrap_or_default())?;
        units.get(usize::try_from(letter.at).ok()?).copied().flatten()
    }

    /// Tells whether a character of a word was typed.
    fn is_new(&self, text: &Text<'_>, word: &Range<usize>) -> bool {
        let mut letters = text.letters.get(word.clone()).unwrap_or_default().iter();
        letters.any(|letter| self.source(text, letter).is_none())
    }
}

/// Pairs texts that went with those that came: those that say and show the same, then those that say the same, and of the
/// rest what stands in the place of one, or says mostly the same.
fn paired<'a>(gone: &[&'a Text<'a>], fresh: &[&'a Text<'a>], traced: &Traced) -> Vec<(&'a Text<'a>, &'a Text<'a>)> {
    let mut pairs = Vec::new();
    let (mut gone, mut fresh) = (gone.to_vec(), fresh.to_vec());
    let keys: [for<'b, 'c> fn(&'b Text<'c>) -> String; 2] = [|text| text.shown(), |text| text.plain()];
    for key in keys {
        let mut known: BTreeMap<String, VecDeque<&Text<'_>>> = BTreeMap::new();
        gone.drain(..).for_each(|text| known.entry(key(text)).or_default().push_back(text));
        fresh.retain(|after| match known.get_mut(&key(after)).and_then(VecDeque::pop_front) {
            Some(before) => {
                pairs.push((before, *after));
                false
            }
            None => true,
        });
        gone.extend(known.into_values().flatten());
    }
    let words = |text: &Text<'_>| words_of(&text.plain());
    let all: Vec<BTreeSet<String>> = gone.iter().take(ALIKE_MAX).map(|text| words(text)).collect();
    for after in fresh.into_iter().take(ALIKE_MAX) {
        let sources: BTreeSet<u32> = after.letters.iter().filter_map(|letter| traced.source(after, letter)).collect();
        let is_place = |before: &&&Text<'_>| {
            before.segment == after.segment && before.letters.iter().any(|letter| sources.contains(&letter.at))
        };
        let said = words(after);
        let alike = || gone.iter().zip(&all).find(|(_, words)| is_mostly(words, &said)).map(|(before, _)| before);
        if let Some(before) = gone.iter().find(is_place).or_else(alike) {
            pairs.push((*before, after));
        }
    }
    pairs
}

/// Finds the stretches of a text that do not look as they did in the one that it was.
fn differing<'a>(before: &'a Text<'a>, after: &'a Text<'a>, traced: &Traced) -> Vec<Stretch<'a>> {
    let mut stretches: Vec<Stretch<'a>> = Vec::new();
    let mut last: Option<(Option<&Style>, Option<&Style>, Delta)> = None;
    for (old, new) in same_letters(before, after, traced) {
        let known = last.as_ref().filter(|(was, is, _)| is_one(*was, old.style) && is_one(*is, new.style));
        let delta = match known {
            Some((_, _, delta)) => delta.clone(),
            None => {
                let delta = delta((old.style, before.base), (new.style, after.base));
                last = Some((old.style, new.style, delta.clone()));
                delta
            }
        };
        match stretches.last_mut() {
            _ if delta.is_empty() => {}
            Some(stretch) if stretch.end == new.at && stretch.delta == delta => stretch.end = new.end,
            _ => stretches.push(Stretch { text: after, start: new.at, end: new.end, delta }),
        }
    }
    stretches
}

fn is_one(one: Option<&Style>, other: Option<&Style>) -> bool {
    one.map(std::ptr::from_ref) == other.map(std::ptr::from_ref)
}

/// The letters of the words that were typed anew, with those that they were, and the blanks between them.
fn same_letters<'a>(
    before: &'a Text<'a>,
    after: &'a Text<'a>,
    traced: &Traced,
) -> Vec<(&'a Letter<'a>, &'a Letter<'a>)> {
    let mut pairs = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    for (i, j) in same_words(before, after, traced) {
        let (Some(old), Some(new)) = (before.words.get(i), after.words.get(j)) else { continue };
        let follows = last.replace((i, j)).is_some_and(|(was, is)| was + 1 == i && is + 1 == j);
        if follows
            && let (Some(behind), Some(beside)) = (before.words.get(i - 1), after.words.get(j - 1))
            && let (Some(was), Some(is)) =
                (before.letters.get(behind.end..old.start), after.letters.get(beside.end..new.start))
            && was.iter().map(|letter| letter.character).eq(is.iter().map(|letter| letter.character))
        {
            pairs.extend(was.iter().zip(is));
        }
        if traced.is_new(after, new)
            && let (Some(was), Some(is)) = (before.letters.get(old.clone()), after.letters.get(new.clone()))
        {
            pairs.extend(was.iter().zip(is));
        }
    }
    pairs
}

/// The words of a text that stand in another, too: in their order, and those that changed their places in it.
fn same_words(before: &Text<'_>, after: &Text<'_>, traced: &Traced) -> Vec<(usize, usize)> {
    let (old, new) = (before.said(), after.said());
    let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|step| (new_index + step, old_index + step)));
        }
    }
    let used: BTreeSet<usize> = pairs.values().copied().collect();
    let mut left: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (at, word) in old.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        if before.words.get(at).is_some_and(|word| traced.lost(before, word)) {
            left.entry(word).or_default().push_back(at);
        }
    }
    for (at, word) in new.iter().enumerate() {
        if !pairs.contains_key(&at)
            && let Some(source) = left.get_mut(word.as_str()).and_then(VecDeque::pop_front)
        {
            pairs.insert(at, source);
        }
    }
    pairs.into_iter().map(|(new, old)| (old, new)).collect()
}

/// What must change so that text looks as it did: fields of which the file says the same of both.
fn delta((old, was): (Option<&Style>, Base<'_>), (new, is): (Option<&Style>, Base<'_>)) -> Delta {
    let said = |style, base| style::write_text(&style::marks(style, base)).0;
    let (said, says) = (said(old, was), said(new, is));
    let mut delta = Delta::new();
    for field in TEXT_FIELDS {
        let (had, has) = (own(old, was, field), own(new, is, field));
        if same_field(said.get(field), says.get(field)) && !same_field(had.as_ref(), has.as_ref()) {
            delta.push((field, had));
        }
    }
    delta
}
