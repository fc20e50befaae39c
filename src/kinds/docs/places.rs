//! Where a comment stands: in which tab, in which section, in which order. Pure.

use crate::gdocs::{Document, DocumentTab, Paragraph, Range, StructuralElement};

/// Places of the same words that are told apart; words that stand in more of them are hardly what somebody meant.
const SAME_WORDS_MAX: usize = 10;

/// A place in a document, and how sure it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    /// Line of all lines, and column in it; what comes first in the document is less.
    pub(super) order: (usize, usize),
    /// The tab: id and title; `None` in a document of one tab.
    pub(super) tab: Option<(String, String)>,
    /// Which part of the tab.
    pub(super) section: Section,
    /// What stands there now; `None` when the place was found by its words.
    pub(super) text: Option<String>,
    /// In how many places the same words stand; 1 when there is no doubt.
    pub(super) places: usize,
    /// The number of the tab, and of the element of its body; of that of the segment where it stands in one.
    pub(super) element: (usize, usize),
}

/// A part of a tab, as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Section {
    /// Before the first heading.
    Preamble,
    /// Behind a heading: its text and its anchor.
    Heading(String, Option<String>),
    /// A header, footer, or footnote.
    Segment(&'static str),
}

/// All lines of a document with their sections.
pub(super) struct Places<'a> {
    document: &'a Document,
    lines: Vec<Line<'a>>,
    /// The text of all lines, blanks as single spaces, and where each line begins in it.
    words: String,
    begins: Vec<usize>,
}

/// One paragraph.
struct Line<'a> {
    paragraph: Option<&'a Paragraph>,
    tab: usize,
    segment: String,
    /// The element of the body or the segment that holds it.
    element: usize,
    start: u32,
    end: u32,
    section: Section,
}

impl<'a> Places<'a> {
    /// Reads a document: each tab's body, then its footnotes, headers, and footers.
    pub(super) fn new(document: &'a Document) -> Self {
        let mut places = Self { document, lines: Vec::new(), words: String::new(), begins: Vec::new() };
        for (index, tab) in document.all_tabs().into_iter().enumerate() {
            let Some(content) = &tab.document_tab else { continue };
            let mut section = Section::Preamble;
            let body = content.body.as_ref().map_or(&[][..], |body| &body.content);
            places.read(body, (index, "", None), &mut section);
            for (name, segments) in
                [("a footnote", &content.footnotes), ("the header", &content.headers), ("the footer", &content.footers)]
            {
                for (id, segment) in segments {
                    places.read(&segment.content, (index, id, None), &mut Section::Segment(name));
                }
            }
            // Words of two tabs are never one place.
            places.words.push('\u{0}');
        }
        places
    }

    /// Reads what stands in a segment of a tab; in a table, `outer` is the element that the table is.
    fn read(
        &mut self,
        content: &'a [StructuralElement],
        (tab, segment, outer): (usize, &str, Option<usize>),
        section: &mut Section,
    ) {
        for (index, element) in content.iter().enumerate() {
            let number = outer.unwrap_or(index);
            if let Some(paragraph) = &element.paragraph {
                let heading = paragraph.named_style_type().starts_with("HEADING_");
                let text = one_line(&paragraph.text());
                if heading && segment.is_empty() && !text.is_empty() {
                    *section = Section::Heading(text.clone(), paragraph.heading_id().map(str::to_owned));
                }
                self.push(element, (tab, segment, number), section, &text);
            }
            for cell in element.table.iter().flat_map(|table| &table.table_rows).flat_map(|row| &row.table_cells) {
                self.read(&cell.content, (tab, segment, Some(number)), section);
            }
        }
    }

    fn push(
        &mut self,
        element: &'a StructuralElement,
        (tab, segment, number): (usize, &str, usize),
        section: &Section,
        text: &str,
    ) {
        self.begins.push(self.words.len());
        self.words.push_str(text);
        self.words.push(' ');
        self.lines.push(Line {
            paragraph: element.paragraph.as_ref(),
            tab,
            segment: segment.to_owned(),
            element: number,
            start: element.start_index.utf16(),
            end: element.end_index.utf16(),
            section: section.clone(),
        });
    }

    /// Finds the place of an anchor that the document tells; `None` when it tells none.
    pub(super) fn of_anchor(&self, id: &str) -> Option<Spot> {
        for (index, tab) in self.document.all_tabs().into_iter().enumerate() {
            let Some(content) = &tab.document_tab else { continue };
            let Some(range) = content.comment_anchors.get(id).and_then(|anchor| anchor.ranges.first()) else {
                continue;
            };
            let start = range.start_index.unwrap_or(0);
            let segment = range.segment_id.as_deref().unwrap_or_default();
            let at = self.lines.iter().position(|line| {
                line.tab == index && line.segment == segment && line.start <= start && start < line.end
            })?;
            let column = usize::try_from(start).unwrap_or(usize::MAX);
            let text = text_of(content, range);
            return Some(Spot { text: Some(one_line(&text)), ..self.spot(at, column, 1)? });
        }
        None
    }

    /// Finds the first place where these words stand, and counts the others.
    pub(super) fn of_words(&self, quote: &str) -> Option<Spot> {
        let quote = one_line(quote);
        if quote.is_empty() {
            return None;
        }
        let mut found = self.words.match_indices(&quote).map(|(at, _)| at);
        let first = found.next()?;
        self.spot_of(first, 1 + found.count())
    }

    /// Finds all places where these words stand; `None` when these are none, or more than are told apart.
    pub(super) fn all_of_words(&self, quote: &str) -> Option<Vec<Spot>> {
        let quote = one_line(quote);
        let found: Vec<usize> =
            self.words.match_indices(&quote).map(|(at, _)| at).take(SAME_WORDS_MAX.saturating_add(1)).collect();
        let is_told = !quote.is_empty() && (1..=SAME_WORDS_MAX).contains(&found.len());
        is_told.then(|| found.iter().filter_map(|at| self.spot_of(*at, found.len())).collect())
    }

    /// The place of a byte of the words.
    fn spot_of(&self, at: usize, places: usize) -> Option<Spot> {
        let line = self.begins.partition_point(|begin| *begin <= at).checked_sub(1)?;
        let column = at - self.begins.get(line).copied().unwrap_or(0);
        self.spot(line, column, places)
    }

    /// Finds the stretches of text where these words stand, in the first tab that has them: its number, and the ranges.
    pub(super) fn ranges_of_words(&self, quote: &str) -> Option<(usize, Vec<Range>)> {
        let quote = one_line(quote);
        let last = quote.char_indices().next_back()?.0;
        let (mut tab, mut ranges) = (None, Vec::new());
        for (first, _) in self.words.match_indices(&quote).take(SAME_WORDS_MAX) {
            let Some((begin, (start, _))) = self.unit(first) else { continue };
            let Some((end, (_, stop))) = self.unit(first + last) else { continue };
            let whole = begin.tab == end.tab && begin.segment == end.segment && start < stop;
            if whole && *tab.get_or_insert(begin.tab) == begin.tab {
                ranges.push(Range {
                    start_index: Some(start),
                    end_index: Some(stop),
                    segment_id: Some(begin.segment.clone()).filter(|segment| !segment.is_empty()),
                    ..Range::default()
                });
            }
        }
        tab.map(|tab| (tab, ranges))
    }

    /// The paragraph of a character of the words, and where that begins and ends in the document.
    fn unit(&self, at: usize) -> Option<(&Line<'a>, (u32, u32))> {
        let number = self.begins.partition_point(|begin| *begin <= at).checked_sub(1)?;
        let (line, begin) = (self.lines.get(number)?, *self.begins.get(number)?);
        Some((line, unit_in(line.paragraph?, at - begin)?))
    }

    fn spot(&self, line: usize, column: usize, places: usize) -> Option<Spot> {
        let found = self.lines.get(line)?;
        let tabs = self.document.all_tabs();
        let tab = tabs.get(found.tab).filter(|_| tabs.len() > 1);
        Some(Spot {
            order: (line, column),
            tab: tab.map(|tab| (tab.id().to_owned(), tab.title().to_owned())),
            section: found.section.clone(),
            text: None,
            places,
            element: (found.tab, found.element),
        })
    }
}

/// Returns a text on one line, with single blanks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where the character of a paragraph begins and ends that stands at this byte of its text on one line.
fn unit_in(paragraph: &Paragraph, byte: usize) -> Option<(u32, u32)> {
    let (mut passed, mut blank) = (0, false);
    for element in &paragraph.elements {
        let mut at = element.start_index.utf16();
        for character in element.text().unwrap_or_default().chars() {
            let end = at + if character.len_utf16() == 1 { 1 } else { 2 };
            if character.is_whitespace() {
                blank = passed > 0;
            } else {
                passed += usize::from(std::mem::take(&mut blank));
                if passed == byte {
                    return Some((at, end));
                }
                passed += character.len_utf8();
            }
            at = end;
        }
    }
    None
}

/// Returns the text of a range.
fn text_of(content: &DocumentTab, range: &Range) -> String {
    let mut text = String::new();
    if let Some(elements) = content.segment(range.segment_id.as_deref()) {
        let (start, end) = (range.start_index.unwrap_or(0), range.end_index.unwrap_or(0));
        crate::gdocs::text_between(elements, start, end, &mut text);
    }
    text
}
