//! The canonical tree: what Markdown can say, said in one way.

use super::braces;
use super::parse::DEPTH_MAX;
use super::properties;
use super::{Block, Cell, Content, Marks, Object, Run, RunContent, Tree};

impl Tree {
    /// Brings the tree into canonical form: parsing what is printed from it gives it back.
    pub fn normalize(&mut self) {
        let mut open: Option<u8> = None;
        for block in &mut self.blocks {
            // A further paragraph needs an item that is still open to stand under.
            if let Content::ItemParagraph { depth, runs } = &mut block.content {
                match open {
                    Some(deepest) => *depth = (*depth).min(deepest),
                    None => block.content = Content::Paragraph { runs: std::mem::take(runs) },
                }
            }
            normalize_content(&mut block.content);
            open = match &block.content {
                Content::Item { depth, .. } | Content::ItemParagraph { depth, .. } => Some(*depth),
                Content::Heading { .. }
                | Content::Paragraph { .. }
                | Content::Code { .. }
                | Content::Table { .. }
                | Content::Rule
                | Content::Directive { .. }
                | Content::Footnote { .. } => None,
            };
        }
        self.blocks.retain(|block| !is_nothing(block));
        self.blocks.dedup_by(|next, block| join_code(block, next));
    }
}

/// Takes the lines of a code block to those of the one before it, since a Doc has nothing that would part them.
fn join_code(block: &mut Block, next: &mut Block) -> bool {
    let (Content::Code { info, text }, Content::Code { info: other, text: more }) = (&mut block.content, &next.content)
    else {
        return false;
    };
    let joins = info == other;
    if joins {
        text.push_str(more);
        block.span.0.end = next.span.0.end.max(block.span.0.end);
    }
    joins
}

fn is_nothing(block: &Block) -> bool {
    match &block.content {
        Content::Directive { properties } => properties.is_empty(),
        Content::Table { rows, alignments } => rows.is_empty() || alignments.is_empty(),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Rule
        | Content::Footnote { .. } => false,
    }
}

/// Brings one block into canonical form, as far as that does not hang on the blocks before it.
pub fn normalize_content(content: &mut Content) {
    match content {
        Content::Heading { level, anchor, runs } => {
            *level = (*level).clamp(1, 6);
            *runs = normalize_runs(std::mem::take(runs), true);
            if let Some(id) = anchor {
                *id = only(id, braces::is_id);
            } else if let Some(Run { content: RunContent::Anchor(id), .. }) = runs.first() {
                *anchor = Some(id.clone().unwrap_or_default());
                runs.remove(0);
                *runs = normalize_runs(std::mem::take(runs), true);
            }
        }
        Content::Paragraph { runs } => *runs = normalize_runs(std::mem::take(runs), false),
        Content::Item { depth, runs, .. } | Content::ItemParagraph { depth, runs } => {
            *depth = (*depth).min(DEPTH_MAX);
            *runs = normalize_runs(std::mem::take(runs), false);
        }
        Content::Code { info, text } => {
            let line = info.replace(['\n', '\r', '\0', '\t'], " ");
            line.trim().clone_into(info);
            *text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        Content::Table { alignments, rows } => {
            let width = rows.iter().map(Vec::len).max().unwrap_or(0).max(alignments.len());
            alignments.resize(width, super::Alignment::None);
            for row in rows {
                row.resize(width, Cell::new());
                for cell in row {
                    normalize_paragraphs(cell, true);
                }
            }
        }
        Content::Rule => {}
        Content::Directive { properties } => properties::canonical_order(properties),
        Content::Footnote { label, paragraphs } => {
            *label = valid_label(label);
            normalize_paragraphs(paragraphs, false);
        }
    }
}

fn normalize_paragraphs(paragraphs: &mut Vec<Vec<Run>>, one_line: bool) {
    if paragraphs.is_empty() {
        paragraphs.push(Vec::new());
    }
    for runs in paragraphs {
        *runs = normalize_runs(std::mem::take(runs), one_line);
    }
}

/// One character or atom with its looks; the emphasis stands apart because blanks can lose it.
struct Element {
    what: What,
    /// Which of the marks of the runs it has.
    marks: usize,
    emphasis: [bool; 3],
}

enum What {
    Letter(char),
    Code(char),
    Atom(RunContent),
}

impl Element {
    fn is_blank(&self) -> bool {
        matches!(self.what, What::Letter(letter) if letter.is_whitespace())
    }

    fn is_letter(&self, wanted: &[char]) -> bool {
        matches!(&self.what, What::Letter(letter) if wanted.contains(letter))
    }

    fn is_anchor(&self) -> bool {
        matches!(&self.what, What::Atom(RunContent::Anchor(_)))
    }
}

/// Brings the runs of one paragraph into canonical form; with `one_line` a line break becomes a blank.
#[must_use]
pub fn normalize_runs(runs: Vec<Run>, one_line: bool) -> Vec<Run> {
    if is_plainly_canonical(&runs) {
        return runs;
    }
    let rebuilt = rebuild(runs, one_line);
    // An anchor takes the looks of its neighbours, and what they lose in the first turn may change what they agree on.
    if rebuilt.iter().any(|run| matches!(run.content, RunContent::Anchor(_))) {
        return rebuild(rebuilt, one_line);
    }
    rebuilt
}

/// Tells whether runs are certainly in canonical form, from one look at each: most text is.
fn is_plainly_canonical(runs: &[Run]) -> bool {
    let plain = runs.iter().all(|run| {
        let marks = &run.marks;
        let RunContent::Text(text) = &run.content else { return false };
        // One pass without a branch: this is asked of all text there is.
        let changes = text.bytes().fold(false, |found, byte| found | matches!(byte, b'\0' | b'\n' | b'\r' | b'\x0b'));
        if marks.code || text.is_empty() || changes {
            return false;
        }
        let emphasised = marks.bold || marks.italic || marks.strike;
        let edges = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
        let canonical = || {
            let mut properties = marks.properties.clone();
            properties::canonical_order(&mut properties);
            properties == marks.properties
        };
        !(emphasised && edges)
            && (marks.properties.is_empty() || canonical())
            && marks.link.as_ref().is_none_or(|link| valid_link(link) == *link)
    });
    let blank_end =
        matches!(runs.last(), Some(Run { content: RunContent::Text(text), .. }) if text.ends_with([' ', '\t']));
    plain && !blank_end && runs.windows(2).all(|pair| matches!(pair, [first, second] if first.marks != second.marks))
}

/// Brings runs into canonical form character by character.
fn rebuild(runs: Vec<Run>, one_line: bool) -> Vec<Run> {
    let mut looks: Vec<Marks> = vec![Marks::default()];
    let mut elements = explode(runs, one_line, &mut looks);
    if one_line {
        part_bars(&mut elements, &looks);
    }
    drop_blanks(&mut elements);
    dress_anchors(&mut elements, &looks);
    for mark in 0..3 {
        strip_edges(&mut elements, mark, &looks);
    }
    dress_anchors(&mut elements, &looks);
    collect(elements, &looks)
}

fn explode(runs: Vec<Run>, one_line: bool, looks: &mut Vec<Marks>) -> Vec<Element> {
    let mut elements = Vec::new();
    for run in runs {
        let mut marks = run.marks;
        properties::canonical_order(&mut marks.properties);
        marks.link = marks.link.map(|link| valid_link(&link));
        let emphasis = [marks.bold, marks.italic, marks.strike];
        let code = std::mem::take(&mut marks.code);
        (marks.bold, marks.italic, marks.strike) = (false, false, false);
        if looks.last() != Some(&marks) {
            looks.push(marks);
        }
        let marks = looks.len() - 1;
        match run.content {
            RunContent::Text(text) => elements.extend(text.chars().map(|letter| {
                let letter = match letter {
                    '\0' => '\u{fffd}',
                    '\n' if one_line || code => ' ',
                    '\r' if code => ' ',
                    other => other,
                };
                // A hard break inside code can only stand between two code spans.
                let what = if code && letter != '\u{b}' { What::Code(letter) } else { What::Letter(letter) };
                Element { what, marks, emphasis }
            })),
            atom @ (RunContent::Anchor(_) | RunContent::Object(_) | RunContent::FootnoteReference(_)) => {
                elements.push(Element { what: What::Atom(valid_atom(atom)), marks, emphasis });
            }
        }
    }
    elements
}

/// Takes backslashes out of code that would escape the one by which a bar behind them is no end of its cell: a cell has no way
/// to write them there.
fn part_bars(elements: &mut [Element], looks: &[Marks]) {
    let mut backslashes = 0;
    for at in 0..elements.len() {
        let code = |at: usize| match elements.get(at).map(|element| &element.what) {
            Some(What::Code(letter)) => Some(*letter),
            Some(What::Letter(_) | What::Atom(_)) | None => None,
        };
        let look = |at: usize| elements.get(at).map(|element| (looks.get(element.marks), element.emphasis));
        let goes_on = at > 0 && look(at) == look(at - 1);
        match code(at) {
            Some('\\') => backslashes = if goes_on { backslashes + 1 } else { 1 },
            Some('|') if goes_on && backslashes % 2 == 1 => {
                if let Some(element) = elements.get_mut(at - 1) {
                    element.what = What::Letter('\\');
                }
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
    }
}

/// Drops blanks at the ends of lines, and soft breaks beside other breaks or at the ends of the paragraph: Markdown
/// does not keep them.
fn drop_blanks(elements: &mut Vec<Element>) {
    let mut kept: Vec<Element> = Vec::with_capacity(elements.len());
    for element in elements.drain(..) {
        if element.is_letter(&['\n', '\u{b}']) {
            while kept.last().is_some_and(|last| last.is_letter(&[' ', '\t'])) {
                kept.pop();
            }
            let hard = element.is_letter(&['\u{b}']);
            if hard {
                while kept.last().is_some_and(|last| last.is_letter(&[' ', '\t', '\n'])) {
                    kept.pop();
                }
            } else if kept.last().is_none_or(|last| last.is_letter(&['\n', '\u{b}'])) {
                continue;
            }
        }
        kept.push(element);
    }
    while kept.last().is_some_and(|last| last.is_letter(&[' ', '\t', '\n'])) {
        kept.pop();
    }
    *elements = kept;
}

/// An anchor has no looks of its own: it takes those of its neighbours when they agree, so that it splits nothing.
fn dress_anchors(elements: &mut [Element], looks: &[Marks]) {
    let mut at = 0;
    while at < elements.len() {
        let end = elements.iter().skip(at).position(|element| !element.is_anchor()).map_or(elements.len(), |n| at + n);
        if end == at {
            at += 1;
            continue;
        }
        let look = |element: Option<&Element>| element.map(|element| (element.marks, element.emphasis));
        let before = at.checked_sub(1).and_then(|index| look(elements.get(index)));
        let after = look(elements.get(end));
        let (marks, emphasis) = match (before, after) {
            (Some(before), Some(after)) if before.1 == after.1 && looks.get(before.0) == looks.get(after.0) => before,
            _ => (0, [false; 3]),
        };
        for element in elements.iter_mut().take(end).skip(at) {
            (element.marks, element.emphasis) = (marks, emphasis);
        }
        at = end;
    }
}

/// Takes a mark from the blanks at the edges of its extent.
fn strip_edges(elements: &mut [Element], mark: usize, looks: &[Marks]) {
    let has = |element: &Element| element.emphasis.get(mark).copied().unwrap_or(false);
    let properties = |element: &Element| looks.get(element.marks).map(|marks| &marks.properties);
    let mut start = 0;
    while start < elements.len() {
        let Some(first) = elements.get(start) else { return };
        if !has(first) {
            start += 1;
            continue;
        }
        let same = |element: &&Element| has(element) && properties(element) == properties(first);
        let length = elements.iter().skip(start).take_while(same).count();
        let end = start + length;
        let blank = |element: &&Element| element.is_blank() || element.is_anchor();
        let head = elements.iter().take(end).skip(start).take_while(blank).count();
        let tail = elements.iter().take(end).skip(start).rev().take_while(blank).count();
        for (offset, element) in elements.iter_mut().take(end).skip(start).enumerate() {
            if (offset < head || offset >= length - tail.min(length))
                && let Some(flag) = element.emphasis.get_mut(mark)
            {
                *flag = false;
            }
        }
        start = end;
    }
}

fn collect(elements: Vec<Element>, looks: &[Marks]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut last = None;
    for element in elements {
        let [bold, italic, strike] = element.emphasis;
        let code = matches!(element.what, What::Code(_));
        let base = looks.get(element.marks);
        let key = (element.emphasis, code);
        // Marks are compared only where they may differ: most neighbours share one look.
        let same =
            last.is_some_and(|(marks, before)| before == key && (marks == element.marks || looks.get(marks) == base));
        last = Some((element.marks, key));
        let text = match element.what {
            What::Letter(letter) | What::Code(letter) => {
                if same && let Some(Run { content: RunContent::Text(text), .. }) = runs.last_mut() {
                    text.push(letter);
                    continue;
                }
                RunContent::Text(letter.to_string())
            }
            What::Atom(content) => content,
        };
        let marks = Marks { bold, italic, strike, code, ..base.cloned().unwrap_or_default() };
        runs.push(Run { content: text, marks });
    }
    runs
}

fn valid_atom(atom: RunContent) -> RunContent {
    match atom {
        RunContent::Anchor(id) => RunContent::Anchor(id.map(|id| only(&id, braces::is_id)).filter(|id| !id.is_empty())),
        RunContent::Object(Object { id, kind, title }) => {
            let kind = only(&kind, braces::is_kind);
            RunContent::Object(Object {
                id: id.map(|id| only(&id, braces::is_id)).filter(|id| !id.is_empty()),
                kind: if kind.is_empty() { "embed".to_owned() } else { kind },
                title: title.map(|title| title.replace(['\n', '\r', '\u{b}', '\0'], " ")),
            })
        }
        RunContent::FootnoteReference(label) => RunContent::FootnoteReference(valid_label(&label)),
        text @ RunContent::Text(_) => text,
    }
}

fn valid_label(label: &str) -> String {
    let label = only(label, braces::is_label);
    if label.is_empty() { "-".to_owned() } else { label }
}

/// What cannot stand in an id becomes a dash.
fn only(text: &str, allowed: fn(char) -> bool) -> String {
    text.chars().map(|letter| if allowed(letter) { letter } else { '-' }).collect()
}

/// A destination holds no control characters and no blanks at its ends.
fn valid_link(link: &str) -> String {
    let mut out = String::with_capacity(link.len());
    for letter in link.trim().chars() {
        if letter.is_control() {
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mebdf::{Property, PropertyValue};

    fn run() -> impl Strategy<Value = Run> {
        let text = "[a-c \u{a0}\n\u{b}]{0,4}";
        let properties = prop_oneof![
            4 => Just(vec![]),
            1 => Just(vec![("mono", PropertyValue::On)]),
            1 => Just(vec![("mono", PropertyValue::On), ("size", PropertyValue::Text("9pt".into()))]),
            1 => Just(vec![("color", PropertyValue::Text("F00".into()))]),
        ];
        let link = prop_oneof![4 => Just(None), 1 => Just(Some("x")), 1 => Just(Some(" x\u{1}"))];
        (text, any::<[bool; 3]>(), prop::bool::weighted(0.1), link, properties).prop_map(
            |(text, [bold, italic, strike], code, link, properties)| {
                let properties = properties.into_iter().map(|(name, value)| Property { name: name.into(), value });
                let link = link.map(ToOwned::to_owned);
                let marks = Marks { bold, italic, strike, code, link, properties: properties.collect() };
                Run { content: RunContent::Text(text), marks }
            },
        )
    }

    proptest! {
        #[test]
        fn what_looks_canonical_is(runs in prop::collection::vec(run(), 0..5), one_line: bool) {
            if is_plainly_canonical(&runs) {
                prop_assert_eq!(rebuild(runs.clone(), one_line), runs);
            }
        }
    }
}
