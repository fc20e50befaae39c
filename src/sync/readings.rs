//! What texts say that were read lately. A walk asks for the same few again and again, and reading one is most of its work. Pure:
//! the answer is that of the text alone.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use crate::mebdf::{self, Block, Content, Parsed, PropertyValue, Run, Tree};

/// How many texts are remembered, at most.
const TEXTS_MAX: usize = 24;

/// How long those may be together, in bytes.
const BYTES_MAX: usize = 512 * 1024;

thread_local! {
    static LATELY: RefCell<Lately> = const { RefCell::new(Lately(VecDeque::new())) };
}

/// What a block says: equal ones mean the same.
pub(super) type Meaning = Rc<str>;

/// What a text says.
#[derive(Debug)]
pub(super) struct Reading {
    /// Its blocks and its head, and what of it is malformed.
    pub(super) parsed: Parsed,
    /// The meaning of each block under the directives that apply to it.
    pub(super) full: Vec<Meaning>,
    /// The meaning of each block alone.
    pub(super) bare: Vec<Meaning>,
    /// The blocks that say something that no document has.
    pub(super) unsaid: BTreeSet<usize>,
}

impl Reading {
    fn new(text: &str) -> Self {
        let parsed = mebdf::parse(text);
        let unsaid = unsaid(text, &parsed);
        let blocks = &parsed.tree.blocks;
        let mut state = BTreeMap::new();
        let mut full = Vec::with_capacity(blocks.len());
        let mut bare = Vec::with_capacity(blocks.len());
        for (at, block) in blocks.iter().enumerate() {
            let meaning = meaning(&block.content) + unsaid.get(&at).map_or("", String::as_str);
            bare.push(format!("bare {meaning}").into());
            advance(&mut state, &block.content);
            let is_directive = matches!(block.content, Content::Directive { .. });
            let under = if is_directive || state.is_empty() { meaning } else { format!("{state:?} {meaning}") };
            full.push(under.into());
        }
        Self { parsed, full, bare, unsaid: unsaid.into_keys().collect() }
    }
}

/// Reads a text, or returns what it said when it was read lately.
pub(super) fn of(text: &str) -> Rc<Reading> {
    if let Some(known) = LATELY.with_borrow_mut(|lately| lately.find(text)) {
        return known;
    }
    let reading = Rc::new(Reading::new(text));
    LATELY.with_borrow_mut(|lately| lately.add(text, &reading));
    reading
}

/// Texts and what they say, the one that was asked for last at the front.
struct Lately(VecDeque<(Box<str>, Rc<Reading>)>);

impl Lately {
    fn find(&mut self, text: &str) -> Option<Rc<Reading>> {
        let at = self.0.iter().position(|(known, _)| **known == *text)?;
        let found = self.0.remove(at)?;
        let reading = Rc::clone(&found.1);
        self.0.push_front(found);
        Some(reading)
    }

    fn add(&mut self, text: &str, reading: &Rc<Reading>) {
        if text.len() > BYTES_MAX {
            return;
        }
        self.0.push_front((text.into(), Rc::clone(reading)));
        let mut bytes: usize = self.0.iter().map(|(text, _)| text.len()).sum();
        while self.0.len() > TEXTS_MAX || bytes > BYTES_MAX {
            bytes -= self.0.pop_back().map_or(bytes, |(text, _)| text.len());
        }
    }
}

/// What a text says and no document has, by the block that it stands in or behind: it counts, so that it is told and stays
/// in the file.
fn unsaid(text: &str, parsed: &Parsed) -> BTreeMap<usize, String> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for notice in parsed.unsaid() {
        let lines = usize::try_from(notice.line).unwrap_or(usize::MAX);
        let end: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
        let behind = parsed.tree.blocks.partition_point(|block| block.span.0.start < end);
        found.entry(behind.saturating_sub(1)).or_default().push_str(&format!("\nunsaid {}", notice.message));
    }
    found
}

/// Returns what a block says: its canonical form, without a heading's anchor, which is Google's, and with soft breaks
/// as the spaces that they mean.
fn meaning(content: &Content) -> String {
    let print = |content: Content| mebdf::print(&Tree { front_matter: None, blocks: vec![Block::new(content)] });
    let mut content = content.clone();
    content.runs_mut().into_iter().for_each(Run::flow);
    match content {
        Content::Heading { level, runs, .. } => {
            format!("heading {}", print(Content::Heading { level, anchor: None, runs }))
        }
        Content::Paragraph { .. } => format!("paragraph {}", print(content)),
        Content::Item { depth, mark, runs } => format!("item {depth} {mark:?} {}", print(Content::Paragraph { runs })),
        Content::ItemParagraph { depth, runs } => {
            format!("item paragraph {depth} {}", print(Content::Paragraph { runs }))
        }
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => print(content),
    }
}

/// Applies a block to the state of block directives: they accumulate, and a heading resets them.
fn advance(state: &mut BTreeMap<String, String>, content: &Content) {
    match content {
        Content::Heading { .. } => state.clear(),
        Content::Directive { properties } => {
            for property in properties {
                let is_style = property.name.chars().next().is_some_and(char::is_uppercase);
                match &property.value {
                    PropertyValue::On if property.name == "Normal text" => state.clear(),
                    PropertyValue::On if is_style => {
                        state.insert("style".into(), property.name.clone());
                    }
                    PropertyValue::On => {
                        state.insert(property.name.clone(), String::new());
                    }
                    PropertyValue::Off => {
                        state.remove(&property.name);
                    }
                    PropertyValue::Text(value) => {
                        state.insert(property.name.clone(), value.clone());
                    }
                }
            }
        }
        Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Footnote { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_lately_is_not_read_again() {
        let text = |number: usize| format!("# Head {number}\n\nwords\n");
        let first = of(&text(0));
        assert!(Rc::ptr_eq(&first, &of(&text(0))));
        let others = |count: usize| (1..=count).for_each(|number| drop(of(&text(number))));
        others(TEXTS_MAX - 1);
        assert!(Rc::ptr_eq(&first, &of(&text(0))), "the last {TEXTS_MAX} are remembered");
        others(TEXTS_MAX);
        assert!(!Rc::ptr_eq(&first, &of(&text(0))), "and none before");
        // What is too long for all is never remembered, nor does it make the others forgotten.
        let (short, long) = (of("short\n"), "word ".repeat(BYTES_MAX / 5 + 1));
        assert!(!Rc::ptr_eq(&of(&long), &of(&long)));
        assert!(Rc::ptr_eq(&short, &of("short\n")));
        let half = |word: &str| format!("{word} ").repeat(BYTES_MAX * 2 / 3 / (word.len() + 1));
        drop((of(&half("one")), of(&half("two"))));
        assert!(!Rc::ptr_eq(&short, &of("short\n")), "nor more than {BYTES_MAX} bytes");
    }
}
