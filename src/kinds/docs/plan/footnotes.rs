//! Footnotes: their labels, and those that come and go. Pure.
//!
//! The label of a footnote in the file is the person's; Google counts. So the labels of a file are first made those of
//! the document, by the text of the footnotes and then by the label itself, and only what is left is new.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::entries;
use super::edit::{Group, delete_range};
use super::gap::line_may_go;
use super::planner::{Planner, words_of};
use crate::kinds::docs::text::extract::Origin;
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::{Line, Token};
use crate::mebdf::{Block, Content, Run, RunContent, Tree, plain, print_block};

/// Gives the footnotes of `local` the labels of those of `remote` and puts their texts in that order behind all else.
/// Returns the labels of new footnotes: those that have a text and are referred to once.
pub(super) fn relabel(local: &mut Flat, remote: &Tree) -> BTreeSet<String> {
    let (here, there) = (Notes::read(&local.tree), Notes::read(remote));
    if here.texts.is_empty() && here.references.is_empty() {
        return BTreeSet::new();
    }
    let matched = here.matched(&there);
    let mut fresh = BTreeSet::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for label in here.labels() {
        let name = matched.get(label).cloned().unwrap_or_else(|| {
            let mut name = label.clone();
            while there.labels().any(|other| *other == name) {
                name.push('-');
            }
            let once = here.references.iter().filter(|other| *other == label).count() == 1;
            if once && here.texts.contains_key(label) {
                fresh.insert(name.clone());
            }
            name
        });
        names.insert(label.clone(), name);
    }
    for block in &mut local.tree.blocks {
        if let Content::Footnote { label, .. } = &mut block.content {
            if let Some(name) = names.get(label) {
                label.clone_from(name);
            }
            continue;
        }
        for run in block.content.runs_mut() {
            if let RunContent::FootnoteReference(label) = &mut run.content
                && let Some(name) = names.get(label)
            {
                label.clone_from(name);
            }
        }
    }
    let order: Vec<String> = there.labels().cloned().collect();
    // What is no footnote keeps its order before all that are.
    local.sort_by_key(|block| match &block.content {
        Content::Footnote { label, .. } => 1 + order.iter().position(|other| other == label).unwrap_or(order.len()),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. } => 0,
    });
    fresh
}

/// Gives each reference a footnote of its own where several name the same one, with a copy of its text behind all else.
/// Returns how many copies there are, one for each of them.
pub(super) fn repeat(tree: &mut Tree) -> usize {
    let notes = Notes::read(tree);
    let mut known: BTreeSet<String> = notes.labels().cloned().collect();
    let mut seen = BTreeSet::new();
    let mut copies: Vec<(String, String)> = Vec::new();
    for block in tree.blocks.iter_mut().filter(|block| !matches!(block.content, Content::Footnote { .. })) {
        for run in block.content.runs_mut() {
            let RunContent::FootnoteReference(label) = &mut run.content else { continue };
            if !notes.texts.contains_key(label) || seen.insert(label.clone()) {
                continue;
            }
            let mut name = format!("{label}-");
            while !known.insert(name.clone()) {
                name.push('-');
            }
            copies.push((std::mem::replace(label, name.clone()), name));
        }
    }
    for (of, name) in &copies {
        let is_it = |block: &&Block| matches!(&block.content, Content::Footnote { label, .. } if label == of);
        let Some(mut copy) = tree.blocks.iter().find(is_it).cloned() else { continue };
        if let Content::Footnote { label, .. } = &mut copy.content {
            label.clone_from(name);
        }
        tree.blocks.push(copy);
    }
    copies.len()
}

/// The footnotes of one side.
struct Notes {
    /// The labels of the references in order.
    references: Vec<String>,
    /// The texts by label.
    texts: BTreeMap<String, String>,
    /// The words of those texts, as they stand while objects of them are still to be made.
    words: BTreeMap<String, String>,
}

impl Notes {
    fn read(tree: &Tree) -> Self {
        let mut notes = Self { references: Vec::new(), texts: BTreeMap::new(), words: BTreeMap::new() };
        for block in &tree.blocks {
            notes.references.extend(references(&block.content));
            if let Content::Footnote { label, paragraphs } = &block.content {
                let text = paragraphs.iter().map(|runs| print_block(&Content::Paragraph { runs: runs.clone() }));
                notes.texts.entry(label.clone()).or_insert_with(|| text.collect::<Vec<_>>().join("\n"));
                let words = paragraphs.iter().map(|runs| plain(runs)).collect::<Vec<_>>().join(" ");
                let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                notes.words.entry(label.clone()).or_insert(words);
            }
        }
        notes
    }

    /// All labels, those that are referred to first, each once.
    fn labels(&self) -> impl Iterator<Item = &String> {
        let mut seen = BTreeSet::new();
        self.references.iter().chain(self.texts.keys()).filter(move |label| seen.insert(*label))
    }

    /// Finds which footnote of the other side each is.
    fn matched(&self, there: &Self) -> BTreeMap<String, String> {
        let mut matched: BTreeMap<String, String> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let blank = |text: Option<&String>| text.is_none_or(|text| text.trim_matches(['\\', '\n', ' ']).is_empty());
        let mut find = |fits: &dyn Fn(&String, &String) -> bool| {
            for here in self.labels() {
                if matched.contains_key(here) {
                    continue;
                }
                if let Some(other) = there.labels().find(|other| !taken.contains(*other) && fits(here, other)) {
                    taken.insert(other.clone());
                    matched.insert(here.clone(), other.clone());
                }
            }
        };
        let same_text = |here: &String, other: &String| {
            !blank(self.texts.get(here)) && self.texts.get(here) == there.texts.get(other)
        };
        find(&|here, other| here == other && same_text(here, other));
        find(&same_text);
        let same_words = |here: &String, other: &String| {
            let words = self.words.get(here).filter(|words| !words.is_empty());
            words.is_some() && words == there.words.get(other)
        };
        find(&|here, other| here == other && same_words(here, other));
        find(&same_words);
        find(&|here, other| here == other && !blank(there.texts.get(other)));
        // One that was made by the push before waits for its text, and Docs has given it a label by its place.
        find(&|here, other| self.references.contains(here) && blank(there.texts.get(other)));
        find(&|here, other| here == other);
        matched
    }
}

/// The labels of the references in a block; the text of a footnote has none of its own.
fn references(content: &Content) -> Vec<String> {
    let label = |run: &Run| match &run.content {
        RunContent::FootnoteReference(label) => Some(label.clone()),
        RunContent::Text(_) | RunContent::Anchor(_) | RunContent::Object(_) => None,
    };
    let runs = if matches!(content, Content::Footnote { .. }) { Vec::new() } else { content.runs() };
    runs.into_iter().filter_map(label).collect()
}

impl Planner<'_> {
    /// Deletes the footnotes of which the file has neither the reference nor the text.
    pub(super) fn footnotes(&mut self, local: &Flat) {
        let remote = self.remote;
        let mut texts: BTreeMap<&str, &[Line]> = BTreeMap::new();
        for (block, origin) in remote.tree.blocks.iter().zip(&remote.origins) {
            if let (Content::Footnote { label, .. }, Origin::Footnote { lines }) = (&block.content, origin) {
                texts.insert(label, lines);
            }
        }
        if texts.is_empty() {
            return;
        }
        let here = Notes::read(&local.tree);
        // Where what is gone would stand: the texts of footnotes stand last.
        let (old, new) = entries(remote, local, self.anchored);
        let number = self.line_of(&new, usize::MAX);
        let gone = |label: &str| !here.labels().any(|other| other == label);
        for entry in old {
            let (element, lines): (usize, Vec<&Line>) = match &remote.origins[entry.index] {
                Origin::Line { element, line } => (*element, vec![line]),
                Origin::Table { element, cells, lock: None, .. } => {
                    (*element, cells.iter().flatten().flatten().collect())
                }
                Origin::Table { .. } | Origin::Fixed { .. } | Origin::Footnote { .. } => continue,
            };
            let mut requests = Vec::new();
            for line in lines.into_iter().rev().filter(|line| line.lock.is_none() && entry.look.locked.is_none()) {
                for unit in line.units.iter().rev() {
                    let Token::Footnote(label) = &unit.token else { continue };
                    let text = texts.get(&**label).copied().unwrap_or_default();
                    let words: BTreeSet<String> = text.iter().flat_map(|line| words_of(&line.text())).collect();
                    if gone(label) && text.iter().all(|line| line_may_go(self, line, &words, false, number)) {
                        let end = unit.at + unit.len;
                        requests.push(delete_range(None, self.tab_id.as_deref(), unit.at, end));
                        self.deleted.extend(words);
                    }
                }
            }
            if !requests.is_empty() {
                self.groups.push(Group { elements: vec![element], requests });
            }
        }
    }
}
