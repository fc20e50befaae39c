//! From the flat form to the file: what many blocks have in common is lifted into directives, and lines of code into
//! fences. Pure.

use std::borrow::Cow;

use super::flat::{Look, code_marks, directs};
use super::style;
use crate::mebdf::{Block, Content, Property, PropertyValue, Run, RunContent, normalize_content, rival};

/// The properties of text that can be lifted.
const LIFTED: [&str; 10] =
    ["font", "weight", "size", "mono", "underline", "color", "highlight", "sup", "sub", "smallcaps"];

/// A property that only a few blocks share stays in the text.
const BLOCKS_MIN: usize = 2;

/// Turns flat blocks in canonical form into those of a file, in canonical form: most are the same.
pub(super) fn present<'a>(blocks: &'a [Block], looks: &[Look]) -> Vec<Cow<'a, Block>> {
    let mut writer = Writer { blocks: Vec::with_capacity(blocks.len()), state: Vec::new(), locked: None };
    let lifts = lifts(blocks, looks);
    let mut at = 0;
    while let (Some(block), Some(look)) = (blocks.get(at), looks.get(at)) {
        let lines = code_lines(blocks, looks, at);
        if lines > 0 {
            let text = blocks.iter().skip(at).take(lines).map(|block| text_of(&block.content) + "\n").collect();
            writer.lock(look);
            writer.push(Content::Code { info: String::new(), text });
            at += lines;
            continue;
        }
        writer.block(block, look, lifts.get(at).map_or(&[], Vec::as_slice));
        at += 1;
    }
    writer.lock(&Look::default());
    writer.blocks
}

/// How many blocks from `at` on are lines of one code block.
fn code_lines(blocks: &[Block], looks: &[Look], at: usize) -> usize {
    // Lines of code are shaded; few others are, and each block is asked.
    if looks.get(at).is_none_or(|look| look.properties.is_empty()) {
        return 0;
    }
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

struct Writer<'a> {
    blocks: Vec<Cow<'a, Block>>,
    /// What the directives say by now.
    state: Vec<Property>,
    locked: Option<String>,
}

impl<'a> Writer<'a> {
    fn push(&mut self, mut content: Content) {
        normalize_content(&mut content);
        self.blocks.push(Cow::Owned(Block::new(content)));
    }

    fn directive(&mut self, properties: Vec<Property>) {
        self.push(Content::Directive { properties });
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

    fn block(&mut self, block: &'a Block, look: &Look, lifts: &[Property]) {
        let content = &block.content;
        let told = match content {
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
            let wanted = self.wanted(content, look, lifts);
            self.enter(wanted);
        }
        self.lock(look);
        if lifts.is_empty() {
            self.blocks.push(Cow::Borrowed(block));
            return;
        }
        let mut content = content.clone();
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
        self.push(content);
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

/// How much of a text each property could act on, and how much of it has which value.
#[derive(Default)]
struct Cover {
    /// Characters, for each property that can be lifted and is counted.
    all: [usize; LIFTED.len()],
    values: Vec<Said>,
}

/// A value that some of a text has.
struct Said {
    /// Which property that can be lifted.
    name: usize,
    property: Property,
    chars: usize,
    /// In how many blocks most of the text has it.
    blocks: usize,
}

impl Cover {
    /// The value that most of the text has; `None` when there is none, or no text.
    fn most(&self, name: usize) -> Option<&Said> {
        let all = self.all.get(name).copied().unwrap_or(0);
        self.values.iter().find(|said| said.name == name && said.chars * 2 > all)
    }

    fn is_silent(&self, name: usize) -> bool {
        self.all.get(name).is_none_or(|all| *all == 0)
    }

    fn said(&mut self, name: usize, property: &Property) -> Option<&mut Said> {
        let at = self.values.iter().position(|said| said.name == name && said.property == *property);
        let at = at.unwrap_or_else(|| {
            self.values.push(Said { name, property: property.clone(), chars: 0, blocks: 0 });
            self.values.len() - 1
        });
        self.values.get_mut(at)
    }

    /// Counts a run for some of the properties.
    fn count(&mut self, run: &Run, names: &[usize]) {
        let RunContent::Text(text) = &run.content else { return };
        let length = text.chars().count();
        for at in names {
            if let (Some(name), Some(all)) = (LIFTED.get(*at), self.all.get_mut(*at)) {
                *all += if directs(&run.marks, name) { length } else { 0 };
            }
        }
        for property in run.marks.properties.iter().filter(|property| directs(&run.marks, &property.name)) {
            let name = LIFTED.iter().position(|name| *name == property.name);
            if let Some(said) = name.and_then(|name| self.said(name, property)) {
                said.chars += length;
            }
        }
    }

    /// Adds what one block covers.
    fn add(&mut self, block: &Self) {
        for (all, own) in self.all.iter_mut().zip(&block.all) {
            *all += own;
        }
        for own in &block.values {
            let most = block.most(own.name).is_some_and(|most| most.property == own.property);
            if let Some(said) = self.said(own.name, &own.property) {
                said.chars += own.chars;
                said.blocks += usize::from(most);
            }
        }
    }
}

/// Blocks that are lifted together: a list is not torn for the sake of a colour in it.
struct Chunk {
    blocks: std::ops::Range<usize>,
    cover: Cover,
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
        let section = start..start + 1 + length;
        let names = names(blocks.get(section.clone()).unwrap_or_default());
        if !names.is_empty() {
            let chunks = chunks(blocks, looks, section.clone(), &names);
            for name in names {
                lift(name, &chunks, &mut lifts);
            }
        }
        start = section.end;
    }
    lifts
}

/// The properties that can be lifted and that some of a text has.
fn names(blocks: &[Block]) -> Vec<usize> {
    let mut said = [false; LIFTED.len()];
    for property in blocks.iter().flat_map(|block| runs_of(&block.content)).flat_map(|run| &run.marks.properties) {
        for (name, said) in LIFTED.into_iter().zip(&mut said) {
            *said |= name == property.name;
        }
    }
    said.iter().enumerate().filter(|(_, said)| **said).map(|(name, _)| name).collect()
}

fn lift(name: usize, chunks: &[Chunk], lifts: &mut [Vec<Property>]) {
    let value = |chunk: &Chunk| chunk.cover.most(name).map(|said| said.property.clone());
    let silent = |chunk: &Chunk| chunk.cover.is_silent(name);
    let mut at = 0;
    while let Some(chunk) = chunks.get(at) {
        let Some(wanted) = value(chunk) else {
            at += 1;
            continue;
        };
        let same = |chunk: &Chunk| chunk.cover.most(name).is_some_and(|said| said.property == wanted);
        let run = chunks.iter().skip(at).take_while(|next| silent(next) || same(next)).count();
        let last = (at..at + run).rev().find(|i| chunks.get(*i).is_some_and(|chunk| !silent(chunk)));
        let end = last.map_or(at + run, |last| last + 1);
        let lifted = chunks.iter().take(end).skip(at);
        let count: usize = lifted.clone().filter_map(|chunk| chunk.cover.most(name)).map(|said| said.blocks).sum();
        if count >= BLOCKS_MIN {
            for block in lifted.flat_map(|chunk| chunk.blocks.clone()) {
                if let Some(lifts) = lifts.get_mut(block) {
                    lifts.push(wanted.clone());
                }
            }
        }
        at = end.max(at + 1);
    }
}

fn chunks(blocks: &[Block], looks: &[Look], range: std::ops::Range<usize>, names: &[usize]) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let Some(block) = blocks.get(at) else { break };
        let code = code_lines(blocks, looks, at);
        let items =
            blocks.iter().take(range.end).skip(at).take_while(|b| matches!(b.content, Content::Item { .. })).count();
        let end = at + items.max(1);
        let mut chunk = Chunk { blocks: at..end, cover: Cover::default() };
        let acts = !matches!(block.content, Content::Heading { .. } | Content::Footnote { .. }) && code == 0;
        for block in blocks.iter().take(end).skip(at).filter(|_| acts) {
            let mut own = Cover::default();
            runs_of(&block.content).for_each(|run| own.count(run, names));
            chunk.cover.add(&own);
        }
        chunks.push(chunk);
        at = end;
    }
    chunks
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
