//! What of a text a new document does without, and what takes its place, so that all the rest becomes the document: each is
//! told with its line. No word of a person's goes untold. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::characters::{CHARACTER, is_stripped, left_out};
use super::edit::name_of;
use super::images::{can_be_had, is_new, leave_out, no_object_here};
use super::objects::{email, is_date};
use super::tables::COLUMNS_MAX;
use super::trial::Task;
use crate::kinds::Pictures;
use crate::kinds::docs::text::flat::Look;
use crate::kinds::docs::text::lists::preset;
use crate::mebdf::{
    Block, Content, FrontMatter, HEAD_FAULT, Object, Parsed, Property, PropertyValue, Run, RunContent, Span, Tree,
    cell_count, clean, head, parse, sort_properties,
};
use crate::model::Notice;

/// What Docs indents one level of a list by, in points.
const INDENT_POINTS: u16 = 36;

const NO_RULE: &str = "the API cannot make a horizontal rule; it was left out";

/// A text as a new document can say it.
pub(super) struct Reduced {
    /// The text; its lines are those that a person wrote.
    pub(super) text: String,
    /// What it says, without what the document does without.
    pub(super) parsed: Parsed,
    /// What that is.
    pub(super) told: Vec<Notice>,
}

/// Takes what cannot be created out of a text.
pub(super) fn reduced(text: &str, pictures: &Pictures) -> Reduced {
    let mut reducer = Reducer { lines: Vec::new(), pictures, told: Vec::new(), defined: BTreeSet::new() };
    let mut text = clean(text).into_owned();
    reducer.opening_rule(&mut text);
    reducer.lines = newlines(&text);
    for (at, _) in text.match_indices('\0') {
        reducer.tell(CHARACTER, at, "the character U+0000 cannot stand in a Google Doc; U+FFFD stands in its place");
    }
    let (text, mut parsed) = reducer.widened(text.replace('\0', "\u{fffd}"));
    reducer.lines = newlines(&text);
    reducer.rules(&mut parsed.tree.blocks);
    reducer.notes(&mut parsed.tree);
    reducer.repeated_notes(&parsed.tree, &text);
    reducer.contents(&mut parsed.tree);
    Reduced { text, parsed, told: reducer.told }
}

/// Where the lines of a text end, in bytes.
fn newlines(text: &str) -> Vec<usize> {
    text.match_indices('\n').map(|(at, _)| at).collect()
}

/// Where runs stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Heading,
    Cell,
    Footnote,
}

struct Reducer<'a> {
    /// Where the lines end, in bytes.
    lines: Vec<usize>,
    pictures: &'a Pictures,
    told: Vec<Notice>,
    /// The labels of the footnotes that have a text.
    defined: BTreeSet<String>,
}

impl Reducer<'_> {
    fn tell(&mut self, code: &str, at: usize, message: impl Into<String>) {
        let line = self.lines.partition_point(|newline| *newline < at) + 1;
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let notice = Notice { code: code.into(), line, column: 0, message: message.into() };
        if !self.told.contains(&notice) {
            self.told.push(notice);
        }
    }

    /// Leaves out the horizontal rule that a text begins with, where what stands before the next one is no head but text.
    fn opening_rule(&mut self, text: &mut String) {
        let Some(head) = head(text) else { return };
        let written = text.lines().skip(1).map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let is_name = |name: &str| {
            let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ');
            !name.is_empty() && name.chars().all(plain)
        };
        let is_head = match &head.entries[..] {
            [] => written.is_empty() || written.starts_with("---"),
            [(name, _)] if name.is_empty() => written.split_once(':').is_some_and(|(name, _)| is_name(name)),
            entries => entries.iter().all(|(name, _)| is_name(name)),
        };
        if !is_head {
            text.replace_range(..3, "");
            self.tell("LOCKED", 0, NO_RULE);
        }
    }

    /// Gives tables as many columns as their longest row has cells: of the rest nothing would be read.
    fn widened(&mut self, mut text: String) -> (String, Parsed) {
        let parsed = parse(&text);
        let long: Vec<u32> =
            parsed.diagnostics.iter().filter(|found| found.code == "TABLE_CELLS").map(|found| found.line).collect();
        if long.is_empty() {
            return (text, parsed);
        }
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        let mut insertions: Vec<(usize, String)> = Vec::new();
        for block in &parsed.tree.blocks {
            let Content::Table { alignments, .. } = &block.content else { continue };
            let span = &block.span.0;
            let rows: Vec<(u32, usize)> = long
                .iter()
                .filter_map(|line| Some((*line, *starts.get(usize::try_from(*line).ok()?.checked_sub(1)?)?)))
                .filter(|(_, start)| span.contains(start))
                .map(|(line, start)| (line, cell_count(text.get(start..).unwrap_or_default())))
                .collect();
            let most = rows.iter().map(|(_, cells)| *cells).max().unwrap_or(0);
            let missing = most.saturating_sub(alignments.len());
            if missing == 0 || most > COLUMNS_MAX {
                continue;
            }
            let mut ends =
                text.get(span.clone()).unwrap_or_default().match_indices('\n').map(|(at, _)| span.start + at);
            for (end, cell) in [(ends.next(), "  |"), (ends.next(), " --- |")] {
                let Some(line) = end.and_then(|end| text.get(..end)) else { continue };
                let written = line.trim_end();
                let bar = if written.ends_with('|') && !written.ends_with("\\|") { "" } else { " |" };
                insertions.push((written.len(), format!("{bar}{}", cell.repeat(missing))));
            }
            for (line, cells) in rows {
                let message = format!(
                    "this row has {cells} cells and its table {} columns; the table got {most} columns",
                    alignments.len()
                );
                self.told.push(Notice { code: "TABLE_CELLS".into(), line, column: 0, message });
            }
        }
        for (at, cells) in insertions.iter().rev() {
            text.insert_str(*at, cells);
        }
        let parsed = parse(&text);
        (text, parsed)
    }

    /// Leaves out the horizontal rules, which the API cannot make.
    fn rules(&mut self, blocks: &mut Vec<Block>) {
        for at in 0..blocks.len() {
            if let Some(Block { content: Content::Rule, span }) = blocks.get(at) {
                let start = span.0.start;
                self.tell("LOCKED", start, NO_RULE);
            }
        }
        for at in (0..blocks.len()).rev() {
            if matches!(blocks.get(at), Some(Block { content: Content::Rule, .. })) {
                drop_block(blocks, at);
            }
        }
    }

    /// Makes text of the footnotes that nothing refers to, behind all else, and of the references that have no text.
    fn notes(&mut self, tree: &mut Tree) {
        let mut referred = BTreeSet::new();
        for block in tree.blocks.iter().filter(|block| !matches!(block.content, Content::Footnote { .. })) {
            for run in block.content.runs() {
                if let RunContent::FootnoteReference(label) = &run.content {
                    referred.insert(label.clone());
                }
            }
        }
        let mut unused = Vec::new();
        let mut at = 0;
        while let Some(block) = tree.blocks.get(at) {
            let Content::Footnote { label, .. } = &block.content else {
                at += 1;
                continue;
            };
            if referred.contains(label) && self.defined.insert(label.clone()) {
                at += 1;
            } else {
                unused.push(tree.blocks.remove(at));
            }
        }
        let mut texts = Vec::new();
        for Block { content, span } in unused {
            let Content::Footnote { label, mut paragraphs } = content else { continue };
            let message = if self.defined.contains(&label) {
                format!("[^{label}] has a text already; this one stands as text at the end of the document")
            } else {
                format!("no text refers to [^{label}], so it cannot be a footnote; it stands as text at the end")
            };
            self.tell("FOOTNOTE", span.0.start, message);
            let name =
                Run { content: RunContent::Text(format!("[^{label}]: ")), marks: crate::mebdf::Marks::default() };
            match paragraphs.first_mut() {
                Some(first) => first.insert(0, name),
                None => paragraphs.push(vec![name]),
            }
            texts.extend(paragraphs.into_iter().enumerate().map(|(at, runs)| {
                let runs = crate::mebdf::normalize_runs(runs, false);
                // Each has a place of its own: anchors are found by it.
                let end = span.0.end.saturating_sub(at).max(span.0.start + 1);
                Block { content: Content::Paragraph { runs }, span: Span(span.0.start..end) }
            }));
        }
        if !texts.is_empty() {
            let normal = Property { name: "Normal text".into(), value: PropertyValue::On };
            let span = texts.first().map(|block| block.span.clone()).unwrap_or_default();
            let notes = tree.blocks.iter().position(|block| matches!(block.content, Content::Footnote { .. }));
            let end = notes.filter(|notes| only_notes(tree.blocks.get(*notes..))).unwrap_or(tree.blocks.len());
            let directive = Block { content: Content::Directive { properties: vec![normal] }, span };
            tree.blocks.splice(end..end, std::iter::once(directive).chain(texts));
        }
    }

    /// Tells of the references to a footnote that has one already: each gets a footnote of its own.
    fn repeated_notes(&mut self, tree: &Tree, text: &str) {
        let mut seen = BTreeSet::new();
        for Block { content, span } in &tree.blocks {
            if matches!(content, Content::Footnote { .. }) {
                continue;
            }
            let source = text.get(span.0.clone()).unwrap_or_default();
            let mut count: BTreeMap<&str, usize> = BTreeMap::new();
            for run in content.runs() {
                let RunContent::FootnoteReference(label) = &run.content else { continue };
                let nth = count.entry(label).or_default();
                let at = source.match_indices(&format!("[^{label}]")).nth(*nth).map_or(0, |(at, _)| at);
                *nth += 1;
                if self.defined.contains(label) && !seen.insert(label.clone()) {
                    let message = format!(
                        "[^{label}] stands in the text before this already: this one has a footnote of its own, which says the same"
                    );
                    self.tell("FOOTNOTE", span.0.start + at, message);
                }
            }
        }
    }

    /// Leaves out what stands in the text and cannot be made; its words stay.
    fn contents(&mut self, tree: &mut Tree) {
        for at in (0..tree.blocks.len()).rev() {
            let Some(block) = tree.blocks.get_mut(at) else { continue };
            let start = block.span.0.start;
            if block.content.is_object("sectionbreak") {
                continue;
            }
            let goes = match &mut block.content {
                Content::Heading { runs, .. } => self.runs(runs, Place::Heading, start) && runs.is_empty(),
                Content::Paragraph { runs } | Content::Item { runs, .. } | Content::ItemParagraph { runs, .. } => {
                    self.runs(runs, Place::Text, start) && runs.is_empty()
                }
                Content::Table { rows, .. } => {
                    for runs in rows.iter_mut().flatten().flatten() {
                        self.runs(runs, Place::Cell, start);
                    }
                    false
                }
                Content::Footnote { paragraphs, .. } => {
                    for runs in paragraphs {
                        self.runs(runs, Place::Footnote, start);
                    }
                    false
                }
                Content::Code { text, .. } => {
                    self.characters(text, start);
                    false
                }
                Content::Rule | Content::Directive { .. } => false,
            };
            if goes {
                drop_block(&mut tree.blocks, at);
            }
        }
    }

    /// Does so for one paragraph; tells whether anything of it changed.
    fn runs(&mut self, runs: &mut Vec<Run>, place: Place, start: usize) -> bool {
        let mut changed = false;
        for run in runs.iter_mut() {
            match &mut run.content {
                RunContent::Text(text) => changed |= self.characters(text, start),
                RunContent::Anchor(_) => {}
                RunContent::FootnoteReference(label) => {
                    let why = if place == Place::Footnote {
                        "a footnote of a Doc has no footnote of its own"
                    } else if self.defined.contains(label) {
                        continue;
                    } else {
                        "it has no text here"
                    };
                    self.tell("FOOTNOTE", start, format!("[^{label}] stands as text: {why}"));
                    (run.content, changed) = (RunContent::Text(format!("[^{label}]")), true);
                }
                RunContent::Object(object) => {
                    let Err((code, why)) = self.can_be_made(object, place) else { continue };
                    let words = object.title.clone().filter(|_| !is_new(object)).unwrap_or_default();
                    let left = if words.is_empty() { "it was left out" } else { "its words stay" };
                    self.tell(code, start, format!("{why}; {left}"));
                    (run.content, changed) = (RunContent::Text(words), true);
                }
            }
        }
        if changed {
            let empty = |run: &Run| matches!(&run.content, RunContent::Text(text) if text.is_empty());
            leave_out(runs, &empty, matches!(place, Place::Heading | Place::Cell));
        }
        changed
    }

    /// Leaves out the characters that cannot stand in a Doc; tells whether there were any.
    fn characters(&mut self, text: &mut String, start: usize) -> bool {
        let found: BTreeSet<char> = text.chars().filter(|character| is_stripped(*character)).collect();
        for character in &found {
            self.tell(CHARACTER, start, left_out(*character));
        }
        text.retain(|character| !found.contains(&character));
        !found.is_empty()
    }

    /// Tells whether an object can be made in a new document.
    fn can_be_made(&self, object: &Object, place: Place) -> Result<(), (&'static str, String)> {
        let locked = |why: &str| Err(("LOCKED", why.to_owned()));
        match object.kind.as_str() {
            "image" if is_new(object) && place == Place::Footnote => {
                Err(("IMAGE", "Docs takes no picture into a footnote".into()))
            }
            "image" if is_new(object) => can_be_had(object, self.pictures).map_err(|why| ("IMAGE", why)),
            "image" | "drawing" | "chart" if object.id.is_some() => Err(("IMAGE", no_object_here(object))),
            "person" if email(object).is_some() => Ok(()),
            "person" => locked("a person is written as \"Ana Lee <ana@x.com>\""),
            "date" if object.id.is_none() && object.title.as_deref().is_some_and(is_date) => Ok(()),
            "date" => locked("this is no date as 2026-11-21"),
            "pagebreak" if object.id.is_none() && object.title.is_none() => match place {
                Place::Text => Ok(()),
                Place::Heading => locked("a page break cannot be put into a heading"),
                Place::Cell | Place::Footnote => locked("a page break cannot stand in a table or a footnote"),
            },
            _ => Err(("LOCKED", format!("the API cannot make this: {}", name_of(object)))),
        }
    }
}

/// Takes a block out. Lists that only it keeps apart must not become one: an empty paragraph does that as well.
fn drop_block(blocks: &mut Vec<Block>, at: usize) {
    let item = |at: Option<usize>| {
        at.and_then(|at| blocks.get(at)).is_some_and(|block| matches!(block.content, Content::Item { .. }))
    };
    let own = item(Some(at));
    if !own && item(at.checked_sub(1)) && item(at.checked_add(1)) {
        if let Some(block) = blocks.get_mut(at) {
            block.content = Content::Paragraph { runs: Vec::new() };
        }
    } else {
        blocks.remove(at);
    }
}

fn only_notes(blocks: Option<&[Block]>) -> bool {
    blocks.is_some_and(|blocks| blocks.iter().all(|block| matches!(block.content, Content::Footnote { .. })))
}

/// Makes paragraphs of the further paragraphs of list items, with the indentation of the item: Docs has no such thing. Lists
/// of a kind that the API cannot make get the glyphs of their mark.
pub(super) fn settle_lists(task: &mut Task<'_>, told: &mut Vec<Notice>) {
    let mut glyphs = Vec::new();
    for (block, look) in task.local.tree.blocks.iter().zip(&mut task.local.looks) {
        let Content::Item { mark, .. } = &block.content else { continue };
        if preset(*mark, look.list.as_deref()).is_none()
            && let Some(list) = look.list.take()
        {
            glyphs.push((block.span.0.start, list));
        }
    }
    for (at, list) in glyphs {
        let message = format!("the API cannot make a list of the kind `{list}`; it got the glyphs of its mark");
        if !told.iter().any(|notice| notice.message == message) {
            told.push(Notice { code: "LIST_LOCKED".into(), line: task.line_at(at), column: 0, message });
        }
    }
    let mut found = Vec::new();
    for (block, look) in task.local.tree.blocks.iter_mut().zip(&mut task.local.looks) {
        let Content::ItemParagraph { depth, runs } = &mut block.content else { continue };
        let points = (u16::from(*depth) + 1).saturating_mul(INDENT_POINTS);
        let indent = |name: &str| Property { name: name.into(), value: PropertyValue::Text(format!("{points}pt")) };
        let mut properties = vec![indent("indent-left"), indent("first-line-indent")];
        sort_properties(&mut properties);
        *look = Look { properties, locked: look.locked.take(), ..Look::default() };
        block.content = Content::Paragraph { runs: std::mem::take(runs) };
        found.push(block.span.clone());
    }
    for Span(span) in found {
        let message = "Docs has no second paragraph inside a list item; it stands behind the item, indented as that is, and a \
                       numbered list begins anew behind it";
        let line = task.line_at(span.start);
        told.push(Notice { code: "ITEM_PARAGRAPH".into(), line, column: 0, message: message.into() });
    }
}

/// Takes over what the head of the text says of the document: its header and its footer. The rest of it is Google's to say.
pub(super) fn settle_head(task: &mut Task<'_>, title: &str, told: &mut Vec<Notice>) {
    let Some(head) = &mut task.local.tree.front_matter else { return };
    let mut tell = |line: u32, message: String| {
        told.push(Notice { code: "FRONT_MATTER".into(), line, column: 0, message });
    };
    if head.entries.iter().any(|(name, _)| name.is_empty()) {
        task.local.tree.front_matter = None;
        for found in task.diagnostics.extract_if(.., |found| found.code == HEAD_FAULT) {
            tell(found.line, format!("{}; it was left out", found.message));
        }
        return;
    }
    let written: Vec<&str> = task.text.lines().skip(1).take_while(|line| line.trim_end() != "---").collect();
    let line = |name: &str| {
        let at = written.iter().position(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        at.map_or(1, |at| u32::try_from(at + 2).unwrap_or(u32::MAX))
    };
    head.entries.retain(|(name, value)| !matches!(&**name, "header" | "footer") || !value.trim().is_empty());
    let mut known = Vec::new();
    for (name, value) in &head.entries {
        match &**name {
            "header" | "footer" => {
                let segment = task.remote.segments.iter().find(|segment| segment.name == *name);
                known.extend(segment.map(|segment| (name.clone(), segment.text())));
                continue;
            }
            "title" if value.trim() != title => {
                tell(line(name), format!("the document is called \"{title}\"; the title in the head is not used"));
            }
            "title" | "id" | "tab" | "url" | "access" => {}
            _ => tell(line(name), format!("`{name}` in the head of the text means nothing here and was left out")),
        }
        known.push((name.clone(), value.clone()));
    }
    task.remote.tree.front_matter = Some(FrontMatter { entries: known });
}
