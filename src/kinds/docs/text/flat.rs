//! The flat form that both sides of a plan are compared in: no directives, no fences; every block knows its own style,
//! and every run all of its properties. Pure.

use std::collections::BTreeMap;

use super::lists::DEPTH_MAX;
use super::style::{self, Base};
use crate::gdocs::{DocumentTab, ParagraphElement};
use crate::mebdf::{
    self, Block, Cell, Content, Mark, Marks, Property, PropertyValue, Run, RunContent, Span, State, Tree, is_known,
    normalize_runs, plain, rival, states,
};
use crate::model::Notice;

/// What a block directive can say about a block, as far as it differs from normal text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Look {
    /// `Title` or `Subtitle`.
    pub(crate) named: Option<String>,
    /// The direct overrides of the paragraph, in canonical order.
    pub(crate) properties: Vec<Property>,
    /// The glyphs of the item's list, where its mark does not say them.
    pub(crate) list: Option<String>,
    /// Why the block is read-only; empty when no reason is given.
    pub(crate) locked: Option<String>,
}

impl Look {
    /// Tells whether two blocks are styled alike; being read-only is no style.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (&self.named, &self.properties, &self.list) == (&other.named, &other.properties, &other.list)
    }

    /// The look of a line of a code block.
    pub(crate) fn code() -> Self {
        let shading = PropertyValue::Text(style::CODE_SHADING.into());
        Self { properties: vec![Property { name: "shading".into(), value: shading }], ..Self::default() }
    }

    /// The named style of a paragraph or an item of this look.
    pub(crate) fn named_style(&self) -> &'static str {
        match self.named.as_deref() {
            Some("Title") => "TITLE",
            Some("Subtitle") => "SUBTITLE",
            Some(_) | None => "NORMAL_TEXT",
        }
    }
}

/// The marks of a line of a code block.
pub(super) fn code_marks() -> Marks {
    Marks { properties: vec![Property { name: "mono".into(), value: PropertyValue::On }], ..Marks::default() }
}

/// A file in flat form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flat {
    /// The blocks, without directives.
    pub(crate) tree: Tree,
    /// One for each block.
    pub(crate) looks: Vec<Look>,
    /// What the file asks for that means nothing, by the byte where its block begins.
    pub(crate) findings: Vec<(usize, &'static str, String)>,
}

/// Brings a parsed file into flat form, in the canonical values of `tab`'s styles. `text` is what it was parsed from.
pub(crate) fn flatten(tree: &Tree, text: &str, tab: &DocumentTab) -> Flat {
    flatten_ended(tree, text, tab, &[])
}

/// The same, with all directives ended before the blocks at `ends`, in order, as a heading ends them.
pub(crate) fn flatten_ended(tree: &Tree, text: &str, tab: &DocumentTab, ends: &[usize]) -> Flat {
    let mut flat =
        Flat { tree: Tree { front_matter: tree.front_matter.clone(), blocks: Vec::new() }, ..Flat::default() };
    let slugs = slugs(tree);
    let mut waiting: Option<&Block> = None;
    let mut directed = Directed::default();
    let edges = [&[0], ends, &[tree.blocks.len()]].concat();
    let stretches = edges.windows(2).filter_map(|edge| tree.blocks.get(edge[0]..edge[1]));
    for (block, state) in tree.blocks.iter().zip(stretches.flat_map(states)) {
        match &block.content {
            Content::Directive { properties } => {
                let means = properties.iter().any(|property| {
                    let name = &property.name;
                    name == "list" || style::text_field(name).or_else(|| style::paragraph_field(name)).is_some()
                });
                waiting = if means { Some(block) } else { waiting };
                directed.at = block.span.0.start;
                continue;
            }
            Content::Heading { .. } => flat.idle(waiting.take()),
            Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule
            | Content::Footnote { .. } => waiting = None,
        }
        directed.reach(&block.content, &state, &mut flat.findings);
        let mut settling = Settling { tab, state: &state, slugs: &slugs, at: block.span.0.start, flat: &mut flat };
        settling.block(block, text);
    }
    directed.reach(&Content::Rule, &State::default(), &mut flat.findings);
    flat.idle(waiting);
    flat
}

/// What the directives said over the last block, and where the last of them stands.
#[derive(Default)]
struct Directed {
    state: State,
    /// In bytes.
    at: usize,
    /// Glyphs that no list has yet, and where the directive stands that names them.
    glyphs: Option<(usize, String)>,
}

impl Directed {
    /// Goes on to the next block, and tells what has just been said and does not reach it.
    fn reach(&mut self, content: &Content, state: &State, findings: &mut Vec<(usize, &'static str, String)>) {
        let list = |state: &State| state.properties.iter().find(|property| property.name == "list").cloned();
        let (was, is) = (list(&self.state), list(state));
        if was != is {
            if let Some((at, list)) = self.glyphs.take() {
                let message =
                    format!("`{list}` {}, and none stands under this directive", super::lists::meaning(&list));
                findings.push((at, "NO_EFFECT", message));
            }
            self.glyphs = is.and_then(|property| match property.value {
                PropertyValue::Text(list) => Some((self.at, list)),
                PropertyValue::On => Some((self.at, "list".to_owned())),
                PropertyValue::Off => None,
            });
        }
        if let (Content::Item { mark, .. }, Some((_, list))) = (content, &self.glyphs)
            && super::lists::reaches(list, *mark)
        {
            self.glyphs = None;
        }
        let new = state.properties.iter().filter(|property| !self.state.properties.contains(property));
        let mut names: Vec<&str> = new.map(|property| property.name.as_str()).collect();
        names.extend(state.style.as_deref().filter(|_| state.style != self.state.style));
        let of_paragraph = |name: &str| style::paragraph_field(name).is_some() || mebdf::named_style(name).is_some();
        let unreached = names.into_iter().find(|name| match content {
            Content::Table { .. } => of_paragraph(name),
            Content::Code { .. } => of_paragraph(name) || style::text_field(name).is_some(),
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::ItemParagraph { .. }
            | Content::Rule
            | Content::Directive { .. }
            | Content::Footnote { .. } => false,
        });
        if let Some(name) = unreached {
            let (what, instead) = match (content, name) {
                (Content::Code { .. }, _) => ("a code block", ""),
                (_, "align") => {
                    ("the cells of a table", "; `:---:` under its head centers a column, `---:` puts it right")
                }
                _ => ("the cells of a table", ""),
            };
            let message = format!("`{name}` does not reach into {what}, only what stands behind has it{instead}");
            findings.push((self.at, "NO_EFFECT", message));
        }
        self.state = state.clone();
    }
}

impl Flat {
    /// Puts a block before the one at `at`.
    pub(crate) fn insert(&mut self, at: usize, block: Block, look: Look) {
        self.tree.blocks.insert(at, block);
        self.looks.insert(at, look);
    }

    /// Takes the block at `at` out.
    pub(crate) fn remove(&mut self, at: usize) {
        self.tree.blocks.remove(at);
        self.looks.remove(at);
    }

    /// Brings the blocks into the order that `places` names.
    pub(crate) fn reorder(&mut self, places: &[usize]) {
        let blocks = places.iter().filter_map(|at| self.tree.blocks.get(*at).cloned()).collect();
        let looks = places.iter().filter_map(|at| self.looks.get(*at).cloned()).collect();
        (self.tree.blocks, self.looks) = (blocks, looks);
    }

    /// Brings the blocks into another order; those with the same key keep theirs.
    pub(crate) fn sort_by_key(&mut self, key: impl Fn(&Block) -> usize) {
        let blocks = std::mem::take(&mut self.tree.blocks).into_iter().zip(std::mem::take(&mut self.looks));
        let mut blocks: Vec<(Block, Look)> = blocks.collect();
        blocks.sort_by_key(|(block, _)| key(block));
        (self.tree.blocks, self.looks) = blocks.into_iter().unzip();
    }

    /// Tells of a directive that stands over nothing.
    fn idle(&mut self, directive: Option<&Block>) {
        if let Some(block) = directive {
            let message = "nothing stands under this directive: a heading ends all of them".to_owned();
            self.findings.push((block.span.0.start, "NO_EFFECT", message));
        }
    }
}

/// Where runs stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In a paragraph or an item, on which directives act.
    Text,
    /// In a heading, on which none acts.
    Heading,
    /// In a cell, on which directives act.
    Cell,
    /// In a footnote, on which none acts.
    Footnote,
}

/// What brings one block into flat form.
struct Settling<'a> {
    tab: &'a DocumentTab,
    state: &'a State,
    slugs: &'a BTreeMap<String, Option<String>>,
    at: usize,
    flat: &'a mut Flat,
}

impl Settling<'_> {
    fn push(&mut self, content: Content, look: Look, span: Span) {
        self.flat.tree.blocks.push(Block { content, span });
        self.flat.looks.push(look);
    }

    fn find(&mut self, code: &'static str, message: String) {
        self.flat.findings.push((self.at, code, message));
    }

    fn block(&mut self, block: &Block, text: &str) {
        let span = block.span.clone();
        let locked = Look { locked: self.state.locked.clone(), ..Look::default() };
        match &block.content {
            Content::Heading { level, anchor, runs } => {
                let runs = self.runs(runs, &format!("HEADING_{level}"), Where::Heading);
                let content = Content::Heading { level: *level, anchor: anchor.clone(), runs };
                self.push(content, locked, span);
            }
            Content::Paragraph { runs } => {
                let look = self.look(None);
                let runs = self.runs(runs, look.named_style(), Where::Text);
                self.push(Content::Paragraph { runs }, look, span);
            }
            Content::Item { depth, mark, runs } => {
                let look = self.look(Some(*mark));
                if *depth > DEPTH_MAX {
                    self.find("LIST_DEPTH", format!("Docs has {} levels of a list", DEPTH_MAX + 1));
                }
                let runs = self.runs(runs, look.named_style(), Where::Text);
                self.push(Content::Item { depth: (*depth).min(DEPTH_MAX), mark: *mark, runs }, look, span);
            }
            Content::ItemParagraph { depth, runs } => {
                let runs = self.runs(runs, "NORMAL_TEXT", Where::Text);
                self.push(Content::ItemParagraph { depth: *depth, runs }, locked, span);
            }
            Content::Table { alignments, rows } => {
                let cells = |row: &Vec<Cell>, this: &mut Self| {
                    row.iter().map(|cell| this.cell(cell, Where::Cell)).collect::<Vec<_>>()
                };
                let rows = rows.iter().map(|row| cells(row, self)).collect();
                self.push(Content::Table { alignments: alignments.clone(), rows }, locked, span);
            }
            Content::Footnote { label, paragraphs } => {
                let paragraphs = self.cell(paragraphs, Where::Footnote);
                self.push(Content::Footnote { label: label.clone(), paragraphs }, locked, span);
            }
            Content::Code { text: code, .. } => self.code(code, &span, text),
            Content::Rule => self.push(Content::Rule, locked, span),
            Content::Directive { .. } => {}
        }
    }

    /// A code block is a row of paragraphs.
    fn code(&mut self, code: &str, span: &Span, text: &str) {
        let source = text.get(span.0.clone()).unwrap_or_default();
        // The first line of the source is the fence.
        let mut at = span.0.start + source.find('\n').map_or(0, |newline| newline + 1);
        for line in code.strip_suffix('\n').unwrap_or(code).split('\n') {
            let run = Run { content: RunContent::Text(line.to_owned()), marks: code_marks() };
            let runs = normalize_runs(if line.is_empty() { Vec::new() } else { vec![run] }, false);
            let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1);
            let end = end.clamp(at.min(span.0.end), span.0.end.max(at));
            let look = Look { locked: self.state.locked.clone(), ..Look::code() };
            self.push(Content::Paragraph { runs }, look, Span(at..end));
            at = end;
        }
    }

    fn look(&mut self, item: Option<Mark>) -> Look {
        let named = self.state.style.clone().filter(|named| named != "Normal text");
        let mut look = Look { named, locked: self.state.locked.clone(), ..Look::default() };
        let said: Vec<Property> =
            self.state.properties.iter().filter(|p| style::paragraph_field(&p.name).is_some()).cloned().collect();
        let base = Base { tab: self.tab, named: look.named_style(), footnote: false };
        look.properties = style::settled_block(&said, base, item.is_some());
        let list = self.state.properties.iter().find(|property| property.name == "list");
        if let (Some(mark), Some(Property { value: PropertyValue::Text(list), .. })) = (item, list) {
            look.list = super::lists::said(list, mark);
        }
        look
    }

    fn cell(&mut self, cell: &Cell, place: Where) -> Cell {
        cell.iter().map(|runs| self.runs(runs, "NORMAL_TEXT", place)).collect()
    }

    /// Gives every run all of its properties.
    fn runs(&mut self, runs: &[Run], named: &str, place: Where) -> Vec<Run> {
        let base = Base { tab: self.tab, named, footnote: place == Where::Footnote };
        let outer: Vec<&Property> = if matches!(place, Where::Text | Where::Cell) {
            self.state.properties.iter().filter(|p| style::text_field(&p.name).is_some()).collect()
        } else {
            Vec::new()
        };
        if outer.is_empty() && runs.iter().all(|run| run.marks == Marks::default()) {
            return runs.to_vec();
        }
        let mut all = Vec::with_capacity(runs.len());
        for run in runs {
            let mut run = run.clone();
            if matches!(run.content, RunContent::Text(_)) {
                let said = overlay(&outer, run.marks);
                run.marks = self.marks(said, base);
            } else {
                // What is no text has no look of its own.
                run.marks = Marks::default();
            }
            all.push(run);
        }
        normalize_runs(all, matches!(place, Where::Heading | Where::Cell))
    }

    fn marks(&mut self, mut marks: Marks, base: Base<'_>) -> Marks {
        let misplaced = marks.properties.iter().find(|property| style::paragraph_field(&property.name).is_some());
        if let Some(property) = misplaced {
            let message = format!("`{}` formats a paragraph: it has to stand alone on a line before it", property.name);
            self.find("PARAGRAPH_PROPERTY", message);
        }
        // The parser has told of unknown names.
        marks.properties.retain(|property| {
            style::paragraph_field(&property.name).is_none() && is_known(&property.name) && property.name != "list"
        });
        let slug = marks.link.as_deref().and_then(|link| link.strip_prefix('#')).filter(|id| !id.starts_with('^'));
        if let Some((slug, anchor)) = slug.and_then(|slug| self.slugs.get_key_value(&slug.to_lowercase())) {
            // A heading that was just written has no id yet, or has one that the file does not know.
            let id = anchor.clone().or_else(|| heading_called(self.tab, slug)).unwrap_or_default();
            marks.link = Some(format!("#^{id}"));
        }
        let settled = style::settled_marks(&marks, base);
        for (name, asked, is) in [
            ("bold", marks.bold, settled.bold),
            ("italic", marks.italic, settled.italic),
            ("strikethrough", marks.strike, settled.strike),
        ] {
            if asked && !is {
                self.find("STYLE_INHERITED", format!("the named style of this paragraph is {name} already"));
            }
        }
        settled
    }
}

/// Lays what a run says over what the directives say. A link and a code span have their own look, and of two properties
/// that exclude each other the inner one counts.
fn overlay(outer: &[&Property], marks: Marks) -> Marks {
    let has = |name: &str| marks.properties.iter().any(|p| p.name == name && p.value != PropertyValue::Off);
    let reaches = |property: &&&Property| {
        let name = property.name.as_str();
        !marks.properties.iter().any(|inner| inner.name == name) && directs(&marks, name) && !has(rival(name))
    };
    let mut properties: Vec<Property> = outer.iter().filter(reaches).map(|property| (*property).clone()).collect();
    properties.extend(marks.properties.iter().cloned());
    Marks { properties, ..marks }
}

/// Tells whether a directive's property acts on text with these marks.
pub(super) fn directs(marks: &Marks, name: &str) -> bool {
    let of_code = marks.code && matches!(name, "font" | "weight" | "mono" | "color");
    let of_link = marks.link.is_some() && matches!(name, "underline" | "color");
    !of_code && !of_link
}

/// The anchors of the headings by their names in links.
fn slugs(tree: &Tree) -> BTreeMap<String, Option<String>> {
    let headings = tree.blocks.iter().filter_map(|block| {
        let Content::Heading { anchor, runs, .. } = &block.content else { return None };
        Some((plain(runs), anchor.clone().filter(|id| !id.is_empty())))
    });
    named(headings)
}

/// The id of the document's heading that has this name in links.
fn heading_called(tab: &DocumentTab, wanted: &str) -> Option<String> {
    let content = tab.body.iter().flat_map(|body| &body.content);
    let headings = content.filter_map(|element| element.paragraph.as_ref()).filter_map(|paragraph| {
        let text: String = paragraph.elements.iter().filter_map(ParagraphElement::text).collect();
        Some((text, paragraph.heading_id()?.to_owned()))
    });
    named(headings).remove(wanted)
}

/// Gives headings their names in links, with what belongs to each: the text, and for a further one of the same name a number
/// behind it that makes it another, as on GitHub.
fn named<T>(headings: impl Iterator<Item = (String, T)>) -> BTreeMap<String, T> {
    let (mut names, mut counts) = (BTreeMap::new(), BTreeMap::<String, usize>::new());
    for (text, what) in headings {
        let name = slug(&text);
        let mut free = name.clone();
        while names.contains_key(&free) {
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            free = format!("{name}-{count}");
        }
        names.insert(free, what);
    }
    names
}

/// The text of a heading as it stands in a link: lower case, blanks as dashes, nothing else but letters and digits.
fn slug(text: &str) -> String {
    let letters = text.trim().to_lowercase();
    let kept = letters.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '-' | '_'));
    kept.map(|c| if c.is_whitespace() { '-' } else { c }).collect()
}

/// What was found, with its line.
pub(crate) fn notices(findings: &[(usize, &'static str, String)], line: impl Fn(usize) -> u32) -> Vec<Notice> {
    let mut notices: Vec<Notice> = Vec::new();
    for (at, code, message) in findings {
        let notice = Notice { code: (*code).into(), line: line(*at), column: 0, message: message.clone() };
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    notices
}
