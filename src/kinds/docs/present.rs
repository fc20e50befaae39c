//! From the flat form to the file: what many blocks have in common is lifted into directives, and lines of code into
//! fences. Pure.

use std::collections::BTreeMap;

use super::flat::{Look, code_marks, directs};
use super::style;
use crate::mebdf::{Block, Content, FrontMatter, Property, PropertyValue, Run, RunContent, Tree, rival};

/// The properties of text that can be lifted.
const LIFTED: [&str; 10] =
    ["font", "weight", "size", "mono", "underline", "color", "highlight", "sup", "sub", "smallcaps"];

/// A property that only a few blocks share stays in the text.
const BLOCKS_MIN: usize = 2;

/// Turns flat blocks into a file's tree.
pub(super) fn present(head: Option<FrontMatter>, blocks: &[Block], looks: &[Look]) -> Tree {
    let mut writer = Writer { blocks: Vec::new(), state: Vec::new(), locked: None };
    let lifts = lifts(blocks, looks);
    let mut at = 0;
    while let (Some(block), Some(look)) = (blocks.get(at), looks.get(at)) {
        let lines = code_lines(blocks, looks, at);
        if lines > 0 {
            let text = blocks.iter().skip(at).take(lines).map(|block| text_of(&block.content) + "\n").collect();
            writer.lock(look);
            writer.blocks.push(Block::new(Content::Code { info: String::new(), text }));
            at += lines;
            continue;
        }
        writer.block(&block.content, look, lifts.get(at).map_or(&[], Vec::as_slice));
        at += 1;
    }
    writer.lock(&Look::default());
    Tree { front_matter: head, blocks: writer.blocks }
}

/// How many blocks from `at` on are lines of one code block.
fn code_lines(blocks: &[Block], looks: &[Look], at: usize) -> usize {
    let code = Look::code();
    let first = looks.get(at).and_then(|look| look.locked.as_ref());
    let lines = blocks.iter().zip(looks).skip(at);
    lines
        .take_while(|(block, look)| look.is_like(&code) && look.locked.as_ref() == first && is_code(&block.content))
        .count()
}

fn is_code(content: &Content) -> bool {
    let Content::Paragraph { runs } = content else { return false };
    let marks = code_marks();
    runs.iter().all(|run| {
        let plain = |text: &str| !text.chars().any(|c| c != '\t' && c.is_control());
        run.marks == marks && matches!(&run.content, RunContent::Text(text) if plain(text))
    })
}

fn text_of(content: &Content) -> String {
    let Content::Paragraph { runs } = content else { return String::new() };
    runs.iter().map(|run| if let RunContent::Text(text) = &run.content { text.as_str() } else { "" }).collect()
}

struct Writer {
    blocks: Vec<Block>,
    /// What the directives say by now.
    state: Vec<Property>,
    locked: Option<String>,
}

impl Writer {
    fn directive(&mut self, properties: Vec<Property>) {
        self.blocks.push(Block::new(Content::Directive { properties }));
    }

    /// Opens or closes a read-only region.
    fn lock(&mut self, look: &Look) {
        if self.locked == look.locked {
            return;
        }
        let value = match &look.locked {
            None => PropertyValue::Off,
            Some(reason) if reason.is_empty() => PropertyValue::On,
            Some(reason) => PropertyValue::Text(reason.clone()),
        };
        self.directive(vec![Property { name: "locked".into(), value }]);
        self.locked.clone_from(&look.locked);
    }

    fn block(&mut self, content: &Content, look: &Look, lifts: &[Property]) {
        let mut content = content.clone();
        let told = match &content {
            Content::Heading { .. } => {
                self.lock(look);
                self.state.clear();
                // A heading ends a read-only region too.
                self.locked = None;
                false
            }
            // An empty paragraph looks the same in every style; telling its own would only be noise between the others.
            Content::Paragraph { runs } => !runs.is_empty(),
            Content::Item { .. } | Content::Table { .. } => true,
            Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Rule
            | Content::Directive { .. }
            | Content::Footnote { .. } => false,
        };
        if told {
            let wanted = self.wanted(&content, look, lifts);
            self.enter(wanted);
        }
        self.lock(look);
        match &mut content {
            Content::Paragraph { runs } | Content::Item { runs, .. } => relative(runs, lifts),
            Content::Table { rows, .. } => {
                rows.iter_mut().flatten().flatten().for_each(|runs| relative(runs, lifts));
            }
            Content::Heading { .. }
            | Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Rule
            | Content::Directive { .. }
            | Content::Footnote { .. } => {}
        }
        self.blocks.push(Block::new(content));
    }

    /// What the directives have to say over a block; where it does not matter, what they say already.
    fn wanted(&self, content: &Content, look: &Look, lifts: &[Property]) -> Vec<Property> {
        let in_force = |keep: &dyn Fn(&str) -> bool| {
            self.state.iter().filter(|property| keep(&property.name)).cloned().collect::<Vec<_>>()
        };
        let is_list = |name: &str| name == "list";
        let mut wanted = Vec::new();
        if matches!(content, Content::Table { .. }) {
            wanted = in_force(&|name| style::text_field(name).is_none() && !is_list(name));
        } else {
            let named = look.named.iter().map(|name| Property { name: name.clone(), value: PropertyValue::On });
            wanted.extend(named.chain(look.properties.iter().cloned()));
        }
        let has_text = |runs: &[Run]| runs.iter().any(|run| matches!(run.content, RunContent::Text(_)));
        let silent = matches!(content, Content::Paragraph { runs } | Content::Item { runs, .. } if !has_text(runs));
        if silent {
            wanted.extend(in_force(&|name| style::text_field(name).is_some()));
        } else {
            wanted.extend(lifts.iter().cloned());
        }
        match (content, &look.list) {
            (Content::Item { .. }, Some(list)) => {
                wanted.push(Property { name: "list".into(), value: PropertyValue::Text(list.clone()) });
            }
            (Content::Item { mark, .. }, None) => {
                // What is said of another kind of list does not reach this one.
                let other = |list: &str| super::lists::said(list, *mark).is_none();
                let keeps = |property: &&Property| {
                    is_list(&property.name) && matches!(&property.value, PropertyValue::Text(list) if other(list))
                };
                wanted.extend(self.state.iter().filter(keeps).cloned());
            }
            _ => wanted.extend(in_force(&is_list)),
        }
        wanted
    }

    /// Brings the block properties in force to `wanted`.
    fn enter(&mut self, wanted: Vec<Property>) {
        let slot =
            |name: &str| if crate::mebdf::named_style(name).is_some() { "style".to_owned() } else { name.to_owned() };
        let keeps = self.state.iter().all(|old| wanted.iter().any(|new| slot(&new.name) == slot(&old.name)));
        let mut said: Vec<Property> = Vec::new();
        if keeps {
            said.extend(wanted.iter().filter(|new| !self.state.contains(new)).cloned());
        } else {
            let normal = PropertyValue::On;
            said.push(Property { name: "Normal text".into(), value: normal });
            said.extend(wanted.iter().cloned());
            // It ends a read-only region too.
            self.locked = None;
        }
        if !said.is_empty() {
            self.directive(said);
        }
        self.state = wanted;
    }
}

/// Leaves out of runs what the directives say, and says what differs from them.
fn relative(runs: &mut [Run], lifts: &[Property]) {
    for run in runs.iter_mut().filter(|run| matches!(run.content, RunContent::Text(_))) {
        let mut properties = std::mem::take(&mut run.marks.properties);
        for lift in lifts.iter().filter(|lift| directs(&run.marks, &lift.name)) {
            let has = |name: &str| properties.iter().any(|property| property.name == name);
            if has(&lift.name) {
                properties.retain(|property| property != lift);
            } else if !has(rival(&lift.name)) {
                properties.push(Property { name: lift.name.clone(), value: PropertyValue::Off });
            }
        }
        crate::mebdf::sort_properties(&mut properties);
        run.marks.properties = properties;
    }
}

/// Blocks that are lifted together: a list is not torn for the sake of a colour in it.
struct Chunk {
    blocks: std::ops::Range<usize>,
    cover: Cover,
    /// The values that most of the text of one of its blocks has, with the count of such blocks.
    most: BTreeMap<(&'static str, String), usize>,
}

/// For each property that can be lifted: how many characters it could act on, and how many have each value.
type Cover = BTreeMap<&'static str, (usize, BTreeMap<String, (Property, usize)>)>;

/// The value of a property that most of the text has; `None` when there is none, or no text.
fn most<'a>(cover: &'a Cover, name: &str) -> Option<(&'a String, &'a Property)> {
    let (all, values) = cover.get(name)?;
    let (key, (property, count)) = values.iter().max_by_key(|(_, (_, count))| *count)?;
    (count * 2 > *all).then_some((key, property))
}

impl Chunk {
    fn value(&self, name: &str) -> Option<&Property> {
        most(&self.cover, name).map(|(_, property)| property)
    }

    /// How many of its blocks mostly have its value.
    fn count(&self, name: &'static str) -> usize {
        let key = most(&self.cover, name).map(|(key, _)| (name, key.clone()));
        key.and_then(|key| self.most.get(&key).copied()).unwrap_or(0)
    }

    fn is_silent(&self, name: &str) -> bool {
        self.cover.get(name).is_none_or(|(all, _)| *all == 0)
    }
}

/// What is lifted over each block.
fn lifts(blocks: &[Block], looks: &[Look]) -> Vec<Vec<Property>> {
    let mut lifts = vec![Vec::new(); blocks.len()];
    if !blocks.iter().any(|block| runs_of(&block.content).any(|run| !run.marks.properties.is_empty())) {
        return lifts;
    }
    let mut start = 0;
    while start < blocks.len() {
        let length =
            blocks.iter().skip(start + 1).take_while(|b| !matches!(b.content, Content::Heading { .. })).count();
        let chunks = chunks(blocks, looks, start..start + 1 + length);
        for name in LIFTED {
            lift(name, &chunks, &mut lifts);
        }
        start += 1 + length;
    }
    lifts
}

fn lift(name: &'static str, chunks: &[Chunk], lifts: &mut [Vec<Property>]) {
    let mut at = 0;
    while let Some(chunk) = chunks.get(at) {
        let Some(value) = chunk.value(name) else {
            at += 1;
            continue;
        };
        let run =
            chunks.iter().skip(at).take_while(|next| next.is_silent(name) || next.value(name) == Some(value)).count();
        let last = (at..at + run).rev().find(|i| chunks.get(*i).is_some_and(|chunk| !chunk.is_silent(name)));
        let end = last.map_or(at + run, |last| last + 1);
        let count: usize = chunks.iter().take(end).skip(at).map(|chunk| chunk.count(name)).sum();
        if count >= BLOCKS_MIN {
            for block in chunks.iter().take(end).skip(at).flat_map(|chunk| chunk.blocks.clone()) {
                if let Some(lifts) = lifts.get_mut(block) {
                    lifts.push(value.clone());
                }
            }
        }
        at = end.max(at + 1);
    }
}

fn chunks(blocks: &[Block], looks: &[Look], range: std::ops::Range<usize>) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let Some(block) = blocks.get(at) else { break };
        let code = code_lines(blocks, looks, at);
        let items =
            blocks.iter().take(range.end).skip(at).take_while(|b| matches!(b.content, Content::Item { .. })).count();
        let end = at + items.max(1);
        let mut chunk = Chunk { blocks: at..end, cover: Cover::new(), most: BTreeMap::new() };
        let acts = !matches!(block.content, Content::Heading { .. } | Content::Footnote { .. }) && code == 0;
        for block in blocks.iter().take(end).skip(at).filter(|_| acts) {
            let mut own = Cover::new();
            for run in runs_of(&block.content) {
                count(run, &mut own);
            }
            for name in LIFTED {
                if let Some((key, _)) = most(&own, name) {
                    *chunk.most.entry((name, key.clone())).or_insert(0) += 1;
                }
            }
            add(own, &mut chunk.cover);
        }
        chunks.push(chunk);
        at = end;
    }
    chunks
}

fn count(run: &Run, cover: &mut Cover) {
    let RunContent::Text(text) = &run.content else { return };
    let length = text.chars().count();
    for name in LIFTED.into_iter().filter(|name| directs(&run.marks, name)) {
        let (all, values) = cover.entry(name).or_default();
        *all += length;
        if let Some(property) = run.marks.properties.iter().find(|property| property.name == name) {
            let key = format!("{:?}", property.value);
            values.entry(key).or_insert_with(|| (property.clone(), 0)).1 += length;
        }
    }
}

fn add(own: Cover, cover: &mut Cover) {
    for (name, (length, own)) in own {
        let (all, values) = cover.entry(name).or_default();
        *all += length;
        for (key, (property, count)) in own {
            values.entry(key).or_insert_with(|| (property, 0)).1 += count;
        }
    }
}

fn runs_of(content: &Content) -> Box<dyn Iterator<Item = &Run> + '_> {
    match content {
        Content::Paragraph { runs } | Content::Item { runs, .. } => Box::new(runs.iter()),
        Content::Table { rows, .. } => Box::new(rows.iter().flatten().flatten().flatten()),
        Content::Heading { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => Box::new(std::iter::empty()),
    }
}
