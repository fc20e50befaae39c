//! Footnotes: their labels, and those that come and go. Pure.
//!
//! The label of a footnote in the file is the person's; Google counts. So the labels of a file are first made those of
//! the document, by the text of the footnotes and then by the label itself, and only what is left is new.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::blocks::entries;
use super::edit::{Group, delete_range, name_of};
use super::gap::line_may_go;
use super::objects::{email, is_date};
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
    let unedited = LazyCell::new(|| in_unedited(&local.tree, remote));
    let matched = here.matched(&there, &|label| unedited.contains(label));
    let unfit = unfit(&local.tree, remote);
    let mut fresh = BTreeSet::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for label in here.labels() {
        let name = matched.get(label).cloned().unwrap_or_else(|| {
            let mut name = label.clone();
            while there.labels().any(|other| *other == name) {
                name.push('-');
            }
            let once = here.references.iter().filter(|other| *other == label).count() == 1;
            if once && here.texts.contains_key(label) && !unfit.contains_key(label) {
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

/// The labels that blocks refer to which say the same on both sides, in the same order among all blocks.
fn in_unedited(local: &Tree, remote: &Tree) -> BTreeSet<String> {
    let said = |tree: &Tree| tree.blocks.iter().map(|block| print_block(&block.content)).collect::<Vec<_>>();
    let ops = capture_diff_slices(Algorithm::Myers, &said(remote), &said(local));
    let same = ops.iter().filter(|op| matches!(op, DiffOp::Equal { .. })).flat_map(DiffOp::new_range);
    same.filter_map(|at| local.blocks.get(at)).flat_map(|block| references(&block.content)).collect()
}

/// The footnotes of a file that cannot be made, by label, with what their text holds that cannot stand in a new one: without
/// that the text would not follow, and what was moved into it would be gone.
pub(super) fn unfit(file: &Tree, remote: &Tree) -> BTreeMap<String, String> {
    let known = |content: &RunContent| {
        remote.blocks.iter().any(|block| block.content.runs().iter().any(|run| run.content == *content))
    };
    let cannot = |run: &Run| match &run.content {
        RunContent::Text(_) | RunContent::Anchor(_) => None,
        RunContent::FootnoteReference(_) => Some("a footnote".to_owned()),
        RunContent::Object(object) => match object.kind.as_str() {
            "person" if email(object).is_some() => None,
            "date" if object.title.as_deref().is_some_and(is_date) || known(&run.content) => None,
            _ => Some(name_of(object)),
        },
    };
    let mut found = BTreeMap::new();
    for block in &file.blocks {
        if let Content::Footnote { label, paragraphs } = &block.content
            && let Some(what) = paragraphs.iter().flatten().find_map(cannot)
        {
            found.insert(label.clone(), what);
        }
    }
    found
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
#[derive(Default)]
struct Notes {
    /// The labels of the references in order.
    references: Vec<String>,
    /// The texts by label.
    texts: BTreeMap<String, String>,
    /// The words of those texts, as they stand while objects of them are still to be made.
    words: BTreeMap<String, String>,
    /// Where each is referred to: Docs knows one place, but a file may have a copy of it.
    places: BTreeMap<String, Vec<Place>>,
}

/// Where a footnote is referred to.
#[derive(Debug, Default)]
struct Place {
    /// The words of its block.
    words: BTreeSet<String>,
    /// The last of those before the reference.
    before: Option<String>,
    /// What the blocks on both sides of it say.
    beside: [String; 2],
}

impl Place {
    /// Tells whether its block says the same words up to there.
    fn says_same(&self, other: &Self) -> bool {
        self.words == other.words && self.before == other.before
    }

    /// The places of the references of a block, each with its label.
    fn read(content: &Content) -> Vec<(String, Self)> {
        let (mut text, mut found) = (String::new(), Vec::new());
        if matches!(content, Content::Footnote { .. }) {
            return found;
        }
        for run in content.runs() {
            match &run.content {
                RunContent::Text(words) => text.push_str(words),
                RunContent::FootnoteReference(label) => {
                    let before = text.unicode_words().next_back().map(str::to_lowercase);
                    found.push((label.clone(), Self { before, ..Self::default() }));
                }
                RunContent::Anchor(_) | RunContent::Object(_) => {}
            }
        }
        let words = words_of(&text);
        found.iter_mut().for_each(|(_, place)| place.words.clone_from(&words));
        found
    }
}

/// Returns how much of the longer of two texts stands in both, from 0 to 100.
fn in_common(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    one.intersection(other).count() * 100 / one.len().max(other.len()).max(1)
}

impl Notes {
    fn read(tree: &Tree) -> Self {
        let mut notes = Self::default();
        for (at, block) in tree.blocks.iter().enumerate() {
            for (label, mut place) in Place::read(&block.content) {
                let beside = [at.checked_sub(1), at.checked_add(1)].map(|at| at.and_then(|at| tree.blocks.get(at)));
                let texts =
                    beside.map(|block| block.filter(|block| !matches!(block.content, Content::Footnote { .. })));
                place.beside = texts.map(|block| block.map(|block| print_block(&block.content)).unwrap_or_default());
                notes.places.entry(label).or_default().push(place);
            }
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

    /// Finds which footnote of the other side each is; `is_unedited` tells which labels stand in blocks that nobody edited.
    fn matched(&self, there: &Self, is_unedited: &dyn Fn(&String) -> bool) -> BTreeMap<String, String> {
        let blank = |text: Option<&String>| text.is_none_or(|text| text.trim_matches(['\\', '\n', ' ']).is_empty());
        let mut pairs = Pairs::default();
        let same_text = |here: &String, other: &String| {
            !blank(self.texts.get(here)) && self.texts.get(here) == there.texts.get(other)
        };
        pairs.find((self, there), &|here, other| here == other && same_text(here, other));
        // Where the reference stands as it did it is the same footnote, whatever it says now: two may have changed texts.
        let stands = |here: &String, other: &String| {
            let mut places = self.places_of(here).flat_map(|is| there.places_of(other).map(move |was| (is, was)));
            here == other && !blank(there.texts.get(other)) && places.any(|(is, was)| self.is_still(is, there, was))
        };
        pairs.find((self, there), &|here, other| stands(here, other) && !blank(self.texts.get(here)));
        // Who has taken the text of a footnote away, but no reference, has left another one's text to it, whatever that says.
        let said = |notes: &Self, label: &String| !blank(notes.texts.get(label));
        let lost = |label: &String| !said(self, label) && said(there, label);
        let all_stay = self.references == there.references;
        let torn = all_stay && self.references.iter().any(lost);
        let both = |here: &String, other: &String| here == other && said(self, here) && said(there, other);
        // A label that another footnote has now, at another place, tells nothing.
        let stays = |here: &String, other: &String| {
            let mut places = self.places_of(here).flat_map(|is| there.places_of(other).map(move |was| (is, was)));
            all_stay
                && both(here, other)
                && places.any(|(is, was)| is.says_same(was) || !is.words.is_disjoint(&was.words))
        };
        pairs.find((self, there), &|here, other| torn && stays(here, other));
        pairs.find((self, there), &same_text);
        // A reference in a block that was not edited goes on being the same one, though its text was torn into another.
        pairs.find((self, there), &|here, other| both(here, other) && is_unedited(here));
        // References that all stay, or those in the same words, are told apart by their labels.
        let in_turn = |here: &String, other: &String| {
            let mut places = self.places_of(here).flat_map(|is| there.places_of(other).map(move |was| (is, was)));
            let alike = |(is, was): (&Place, &Place)| is.says_same(was) && self.alike(is) == there.alike(is);
            stays(here, other) || both(here, other) && places.any(alike)
        };
        pairs.find((self, there), &in_turn);
        let same_words = |here: &String, other: &String| {
            let words = self.words.get(here).filter(|words| !words.is_empty());
            words.is_some() && words == there.words.get(other)
        };
        pairs.find((self, there), &|here, other| here == other && same_words(here, other));
        pairs.find((self, there), &same_words);
        let likely = self.likely(there, &pairs);
        pairs.find((self, there), &|here, other| likely.get(here) == Some(other));
        let by_label = |here: &String, other: &String| here == other && self.may_be(there, here);
        pairs.find((self, there), &|here, other| by_label(here, other) && !blank(there.texts.get(other)));
        // One that was made by the push before waits for its text, and Docs has given it a label by its place.
        pairs.find((self, there), &|here, other| self.references.contains(here) && blank(there.texts.get(other)));
        pairs.find((self, there), &by_label);
        pairs.matched
    }
}

impl Notes {
    /// Tells whether a place of this side is one of the other: in a block with the same words; where others refer to footnotes
    /// in the same words, beside a block that stood there; in one without any words, between the same blocks.
    fn is_still(&self, place: &Place, there: &Self, was: &Place) -> bool {
        let count = |notes: &Self| notes.places.values().flatten().filter(|other| other.says_same(place)).count();
        let alone = || !place.words.is_empty() && count(self) == 1 && count(there) == 1;
        let beside = || {
            let mut both = place.beside.iter().zip(&was.beside);
            !place.words.is_empty() && both.any(|(is, was)| is == was && !is.is_empty())
        };
        place.says_same(was) && (place.beside == was.beside || alone() || beside())
    }

    /// The labels of the references that stand in the same words as one, in order.
    fn alike(&self, place: &Place) -> Vec<&String> {
        let is_alike = |label: &&String| self.places_of(label).any(|other| other.says_same(place));
        self.references.iter().filter(is_alike).collect()
    }

    fn places_of(&self, label: &String) -> impl Iterator<Item = &Place> {
        self.places.get(label).into_iter().flatten()
    }

    /// Tells whether two footnotes of one label may be one: not where another text stands at another place.
    fn may_be(&self, there: &Self, label: &String) -> bool {
        let shares = |one: Option<BTreeSet<String>>, other: Option<BTreeSet<String>>| {
            one.zip(other).is_none_or(|(one, other)| one.is_empty() || other.is_empty() || !one.is_disjoint(&other))
        };
        let words = |notes: &Self| notes.words.get(label).map(|words| words_of(words));
        let around = |notes: &Self| -> Option<BTreeSet<String>> {
            let places = notes.places.get(label)?;
            Some(places.iter().flat_map(|place| place.words.iter().cloned()).collect())
        };
        let beside = |notes: &'_ Self| -> Vec<[String; 2]> {
            notes.places_of(label).map(|place| place.beside.clone()).collect()
        };
        let is_beside = || {
            let (one, other) = (beside(self), beside(there));
            one == other || one.iter().any(|beside| other.contains(beside))
        };
        shares(words(self), words(there)) || shares(around(self), around(there)) || is_beside()
    }

    /// Finds, among the footnotes that are not matched yet, those of which the text was edited: by what is left of it and by
    /// where they are referred to. The label is a person's, and says little.
    fn likely(&self, there: &Self, pairs: &Pairs) -> BTreeMap<String, String> {
        const MOSTLY: usize = 50;
        let rest = |notes: &'_ Self, known: &dyn Fn(&String) -> bool| -> Vec<(String, BTreeSet<String>)> {
            let said = notes.words.iter().filter(|(label, words)| !words.is_empty() && !known(label));
            said.map(|(label, words)| (label.clone(), words_of(words))).collect()
        };
        let here = rest(self, &|label| pairs.matched.contains_key(label));
        let other = rest(there, &|label| pairs.taken.contains(label));
        let mut found: Vec<(usize, &String, &String)> = Vec::new();
        for (label, words) in &here {
            for (old, old_words) in &other {
                let said = in_common(words, old_words);
                let places = self.places_of(label).flat_map(|is| there.places_of(old).map(move |was| (is, was)));
                let scores = places.filter_map(|(place, old_place)| {
                    let around = in_common(&place.words, &old_place.words);
                    let behind = place.before == old_place.before;
                    let score = 2 * said + around + if behind { 50 } else { 0 } + if label == old { 25 } else { 0 };
                    (said >= MOSTLY || (behind && around >= MOSTLY)).then_some(score)
                });
                if let Some(score) = scores.max() {
                    found.push((score, label, old));
                }
            }
        }
        found.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
        let (mut likely, mut used) = (BTreeMap::new(), BTreeSet::new());
        for (_, label, old) in found {
            if !likely.contains_key(label) && used.insert(old) {
                likely.insert(label.clone(), old.clone());
            }
        }
        likely
    }
}

/// The footnotes of a file, and those of the document that they are.
#[derive(Default)]
struct Pairs {
    matched: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Pairs {
    /// Pairs what fits, in the order of both sides, and is not paired yet.
    fn find(&mut self, (here, there): (&Notes, &Notes), fits: &dyn Fn(&String, &String) -> bool) {
        for label in here.labels() {
            if self.matched.contains_key(label) {
                continue;
            }
            if let Some(other) = there.labels().find(|other| !self.taken.contains(*other) && fits(label, other)) {
                self.taken.insert(other.clone());
                self.matched.insert(label.clone(), other.clone());
            }
        }
    }
}

/// The labels of the references in a block; the text of a footnote has none of its own.
pub(super) fn references(content: &Content) -> Vec<String> {
    let label = |run: &Run| match &run.content {
        RunContent::FootnoteReference(label) => Some(label.clone()),
        RunContent::Text(_) | RunContent::Anchor(_) | RunContent::Object(_) => None,
    };
    let runs = if matches!(content, Content::Footnote { .. }) { Vec::new() } else { content.runs() };
    runs.into_iter().filter_map(label).collect()
}

impl Planner<'_> {
    /// Why the text of a footnote that the document does not have cannot be put into it.
    pub(super) fn why_no_footnote(&self, label: &str) -> String {
        if !self.references.contains(label) {
            "no text refers to this footnote, and the document has none without a reference: write its label where it \
             belongs, as `[^1]`"
                .to_owned()
        } else if let Some(what) = self.unfit_footnotes.get(label) {
            format!("its text holds {what}, which cannot be made in a footnote: take it out of the text")
        } else if self.new_footnotes.is_none() {
            "this footnote cannot be made, since another part of this edit cannot be pushed".to_owned()
        } else {
            "the footnote of this label has a text already: give this one a label of its own, and a reference"
                .to_owned()
        }
    }

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
        let (old, new) = entries(remote, local, self.staying);
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
