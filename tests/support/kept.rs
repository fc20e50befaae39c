//! What an edit of a file leaves alone, told by the file before and after alone: blocks, and words in them. Imports
//! nothing of the planner.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use mcp_workspace::mebdf::{self, Block, Content, Mark, Marks, Object, Run, RunContent, State, Tree, states};
use unicode_segmentation::UnicodeSegmentation as _;

/// What stands for an object.
pub(crate) const OBJECT: char = '\u{fffc}';

/// Comparisons of two rows beyond which what they begin and end with is taken for kept without a look around it.
const COMPARISONS_MAX: usize = 1 << 18;

/// Elements beside a changed stretch that are looked at once more: among like ones, another may be the one that went.
const MARGIN: usize = 40;

/// Blocks of a changed stretch, of both sides, whose words are compared: one that was edited, split or merged.
const STRETCH_MAX: usize = 3;

/// A file: its blocks that are content, with what the directives before them say.
#[derive(Clone)]
pub(crate) struct File {
    /// The head, as it is written.
    pub(crate) head: String,
    /// The blocks.
    pub(crate) blocks: Vec<(Block, State)>,
}

impl File {
    pub(crate) fn read(text: &str) -> Self {
        let Tree { blocks, .. } = mebdf::parse(text).tree;
        let states = states(&blocks);
        let content = blocks.into_iter().zip(states).filter(|(b, _)| !matches!(b.content, Content::Directive { .. }));
        let mut blocks: Vec<(Block, State)> = content.collect();
        // Wherever the text of a footnote stands, it means the same.
        blocks.sort_by_key(|(block, _)| matches!(block.content, Content::Footnote { .. }));
        Self { head: text[..text.len() - mebdf::body(text).len()].to_owned(), blocks }
    }

    /// The file with what is tethered to a paragraph at its begin: that stands first whatever the file says.
    pub(crate) fn tethered_first(&self, tethered: &BTreeSet<&str>) -> Cow<'_, Self> {
        let is_tethered = |run: &Run| matches!(&run.content, RunContent::Object(Object { id: Some(id), .. }) if tethered.contains(&**id));
        let moves = |(block, _): &(Block, State)| {
            let runs = block.content.runs();
            runs.iter().skip_while(|run| is_tethered(run)).any(|run| is_tethered(run))
        };
        if tethered.is_empty() || !self.blocks.iter().any(moves) {
            return Cow::Borrowed(self);
        }
        let mut file = self.clone();
        for (block, _) in &mut file.blocks {
            if let Content::Heading { runs, .. }
            | Content::Paragraph { runs }
            | Content::Item { runs, .. }
            | Content::ItemParagraph { runs, .. } = &mut block.content
            {
                runs.sort_by_key(|run| !is_tethered(run));
            }
        }
        Cow::Owned(file)
    }

    /// What people read of each paragraph, without its objects: where one is refused, what stood on both sides meets.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for (block, _) in &self.blocks {
            let mut add = |runs: &[Run]| {
                let paragraph = Content::Paragraph { runs: runs.to_vec() };
                texts.push(Found::of(&paragraph).text.replace(OBJECT, ""));
            };
            match &block.content {
                Content::Table { rows, .. } => rows.iter().flatten().flatten().for_each(|runs| add(runs)),
                Content::Footnote { paragraphs, .. } => paragraphs.iter().for_each(|runs| add(runs)),
                content => texts.push(Found::of(content).text.replace(OBJECT, "")),
            }
        }
        texts
    }
}

/// A visible character or object of a block, with how it looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<'a> {
    pub(crate) what: char,
    /// Set for an object.
    object: Option<&'a RunContent>,
    marks: Option<&'a Marks>,
    /// Its place in the text of the block, in characters.
    at: usize,
}

/// Tells whether a character is one that both sides show for certain.
pub(crate) fn is_visible(character: char) -> bool {
    !character.is_whitespace() && !character.is_control() && !is_private(character)
}

pub(crate) const fn is_private(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{f8ff}')
}

/// Returns what is visible of a block.
pub(crate) fn visible(content: &Content) -> Vec<Token<'_>> {
    Found::of(content).tokens
}

/// The text of a block, and what of it is visible.
struct Found<'a> {
    text: String,
    length: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Found<'a> {
    fn of(content: &'a Content) -> Self {
        let mut found = Self { text: String::new(), length: 0, tokens: Vec::new() };
        match content {
            Content::Heading { runs, .. }
            | Content::Paragraph { runs }
            | Content::Item { runs, .. }
            | Content::ItemParagraph { runs, .. } => found.runs(runs),
            Content::Table { rows, .. } => rows.iter().flatten().flatten().for_each(|runs| found.runs(runs)),
            Content::Footnote { paragraphs, .. } => paragraphs.iter().for_each(|runs| found.runs(runs)),
            Content::Code { text, .. } => found.characters(text, None),
            Content::Rule => found.push(OBJECT, None, None),
            Content::Directive { .. } => {}
        }
        found
    }

    fn runs(&mut self, runs: &'a [Run]) {
        for run in runs {
            match &run.content {
                RunContent::Text(text) => self.characters(text, Some(&run.marks)),
                object @ (RunContent::Object(_) | RunContent::FootnoteReference(_)) => {
                    self.push(OBJECT, Some(object), Some(&run.marks));
                }
                RunContent::Anchor(_) => {}
            }
        }
    }

    fn characters(&mut self, text: &str, marks: Option<&'a Marks>) {
        // What cannot stand in a document is left out before anything is compared.
        text.chars().filter(|c| !is_private(*c) && *c != '\0').for_each(|what| self.push(what, None, marks));
    }

    fn push(&mut self, what: char, object: Option<&'a RunContent>, marks: Option<&'a Marks>) {
        if is_visible(what) {
            self.tokens.push(Token { what, object, marks, at: self.length });
        }
        self.text.push(if what == '\n' { ' ' } else { what });
        self.length += 1;
    }
}

/// A word of one of several blocks, or a blank.
struct Word {
    block: usize,
    text: String,
    /// What is visible of it, by number in its block.
    tokens: Range<usize>,
    /// Whether it is long or stands alone: a short piece of a longer one may go with what changes beside it.
    whole: bool,
}

/// The words of several blocks.
fn words_of(blocks: &[Found<'_>]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (block, found) in blocks.iter().enumerate() {
        let (mut at, mut token) = (0, 0);
        let first = words.len();
        for text in whole_words(&found.text) {
            at += text.chars().count();
            let count = found.tokens[token..].iter().take_while(|token| token.at < at).count();
            let object = found.tokens[token..token + count].iter().find_map(|token| token.object);
            let text = object.map_or_else(|| text.to_owned(), |object| format!("{text}{}", name(object)));
            let whole = count >= CHARS_MIN;
            words.push(Word { block, text, tokens: token..token + count, whole });
            token += count;
        }
        let blank = |word: Option<&Word>| word.is_none_or(|word| word.tokens.is_empty());
        for word in first..words.len() {
            let alone = (word == first || blank(words.get(word - 1))) && blank(words.get(word + 1));
            words[word].whole |= alone;
        }
        words.push(Word { block, text: "\0".into(), tokens: token..token, whole: false });
    }
    words
}

/// The words of a text and what stands between them; none begins inside of what a reader sees as one character.
fn whole_words(text: &str) -> Vec<&str> {
    let characters: BTreeSet<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
    let mut words = Vec::new();
    let mut start = 0;
    for (at, _) in text.split_word_bound_indices().filter(|(at, _)| *at > 0 && characters.contains(at)) {
        words.push(&text[start..at]);
        start = at;
    }
    words.extend((start < text.len()).then(|| &text[start..]));
    words
}

/// What an object is known by, whatever the file says of it.
fn name(object: &RunContent) -> String {
    match object {
        RunContent::Object(Object { id: Some(id), .. }) if id != "new" => id.clone(),
        object => format!("{object:?}"),
    }
}

/// Visible characters that make a piece of text one that is known again.
const CHARS_MIN: usize = 5;

/// What is left alone.
pub(crate) struct Kept {
    /// For each block of the old file: whether it stands in the new one, whichever way the two are compared.
    pub(crate) blocks: Vec<bool>,
    /// For each block of the old file: whether another one says the same, so that it could be either.
    pub(crate) twice: Vec<bool>,
    /// Words of the changed stretches.
    pub(crate) words: Vec<Stands>,
}

impl Kept {
    /// Leaves only what stands in another file, too.
    pub(crate) fn keep(&mut self, other: &Self) {
        for (at, stands) in self.blocks.iter_mut().enumerate() {
            *stands &= other.blocks[at];
        }
        for (at, twice) in self.twice.iter_mut().enumerate() {
            *twice |= other.twice[at];
        }
        for word in &mut self.words {
            let same: Vec<&(usize, bool)> =
                other.words.iter().filter(|same| same.block == word.block).flat_map(|same| &same.tokens).collect();
            if !other.blocks[word.block] {
                word.tokens.retain(|(token, _)| same.iter().any(|(same, _)| same == token));
                for (token, looks) in &mut word.tokens {
                    *looks &= same.iter().any(|(same, looks)| same == token && *looks);
                }
            }
        }
    }
}

/// A word that stands, whichever way the changed stretch that it is in is compared.
pub(crate) struct Stands {
    /// Its block in the old file.
    pub(crate) block: usize,
    /// The blocks of the stretch.
    pub(crate) stretch: Range<usize>,
    /// Whether they were split or merged.
    pub(crate) recut: bool,
    /// Its tokens by number in the block, and whether each shall look as it did.
    pub(crate) tokens: Vec<(usize, bool)>,
}

/// Characters that are written anew rather than that paragraphs are cut anew.
const RECUT_CHARS: u32 = 6;

/// Leaves out what stands beside the way of a block that was moved past it: where that block cannot move, the others do.
/// `tied` tells that people or programs may have tied something to any block.
fn passed((old, new): (&File, &File), known: &BTreeSet<String>, tied: bool, partners: &mut [Partner]) {
    let cannot_move = |(block, state): &(Block, State)| {
        let linked = matches!(block.content, Content::Heading { anchor: Some(_), .. });
        let whole = matches!(block.content, Content::Table { .. } | Content::Rule);
        let ticked = matches!(block.content, Content::Item { mark: Mark::Task { checked: true }, .. });
        let objects = || visible(&block.content).iter().any(|token| token.object.is_some());
        tied || linked || whole || ticked || state.locked.is_some() || objects()
    };
    let stays: Vec<Option<usize>> =
        partners.iter().map(|partner| if let Partner::One(at) = partner { Some(*at) } else { None }).collect();
    let free = |j: usize| !stays.contains(&Some(j));
    for i in (0..stays.len()).filter(|i| stays[*i].is_none() && cannot_move(&old.blocks[*i])) {
        let content = &old.blocks[i].0.content;
        for j in
            (0..new.blocks.len()).filter(|j| free(*j) && said(content, known) == said(&new.blocks[*j].0.content, known))
        {
            for (other, stays) in stays.iter().enumerate() {
                // Of one that stands in several places it is not known which of them is beside the way.
                let several = partners[other] == Partner::Several;
                if several || stays.is_some_and(|stays| (other < i) != (stays < j)) {
                    partners[other] = Partner::None;
                }
            }
        }
    }
}

/// Compares two files; `tied` tells that people or programs have tied something to text of the document.
pub(crate) fn compare(old: &File, new: &File, tied: bool) -> Kept {
    let mut partners = partners(old, new);
    let loose = loose_blanks((old, new), &partners);
    let mut kept = compared((old, new), tied, partners.clone());
    if !loose.is_empty() {
        // What stands only if it is that empty block which stayed is not sure.
        loose.iter().for_each(|at| partners[*at] = Partner::None);
        kept.keep(&compared((old, new), tied, partners));
    }
    kept
}

/// Finds the empty blocks past which text would have moved if they stayed: one is like any other, and text that stays is
/// not moved for it.
fn loose_blanks((old, new): (&File, &File), partners: &[Partner]) -> Vec<usize> {
    let sure = partners.iter().enumerate();
    // Counted from 1, so that both begins are sure, too.
    let sure = sure.filter_map(|(i, partner)| if let Partner::One(j) = partner { Some((i + 1, j + 1)) } else { None });
    let sure: Vec<(usize, usize)> =
        std::iter::once((0, 0)).chain(sure).chain([(old.blocks.len() + 1, new.blocks.len() + 1)]).collect();
    let words = |file: &File, range: Range<usize>| -> Vec<BTreeSet<String>> {
        let said = |(block, _): &(Block, State)| Found::of(&block.content).text;
        let words = |text: String| text.unicode_words().map(str::to_owned).collect();
        file.blocks[range].iter().map(said).map(words).collect()
    };
    let any_like = |gone: &[BTreeSet<String>], came: &[BTreeSet<String>]| {
        let like = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            !one.is_empty() && one.intersection(other).count() * 2 >= one.len().min(other.len())
        };
        gone.iter().any(|gone| came.iter().any(|came| like(gone, came)))
    };
    let crossed = |near: &&[(usize, usize)]| {
        let sides =
            |file: &File, [before, at, behind]: [usize; 3]| [words(file, before..at - 1), words(file, at..behind - 1)];
        let [gone_before, gone_behind] = sides(old, [near[0].0, near[1].0, near[2].0]);
        let [came_before, came_behind] = sides(new, [near[0].1, near[1].1, near[2].1]);
        any_like(&gone_behind, &came_before) || any_like(&gone_before, &came_behind)
    };
    let blanks = sure.windows(3).filter(|near| is_blank(&old.blocks[near[1].0 - 1].0.content));
    blanks.filter(crossed).map(|near| near[1].0 - 1).collect()
}

/// Tells whether a block is a paragraph in which nothing stands.
fn is_blank(content: &Content) -> bool {
    is_paragraph(content) && visible(content).is_empty()
}

/// Finds what of the new file each block of the old one is.
fn partners(old: &File, new: &File) -> Vec<Partner> {
    let rows = (old.blocks.len(), new.blocks.len());
    let known = known(old);
    let mut partners = certain(rows, |i, j| old.blocks[i] == new.blocks[j], |_| 1, 0);
    // A new section break or table brings an empty paragraph that the file does not show, so the count of these decides
    // nothing about texts.
    let weight = |i: usize| u32::from(!is_blank(&old.blocks[i].0.content));
    let by_texts = certain(rows, |i, j| old.blocks[i] == new.blocks[j], weight, 0);
    let unsure = |(at, partner): (usize, &Partner)| weight(at) > 0 && *partner != by_texts[at];
    if partners.iter().enumerate().any(unsure) {
        for (at, partner) in partners.iter_mut().enumerate() {
            *partner = if weight(at) > 0 { by_texts[at] } else { Partner::None };
        }
    }
    // A block that moved past others may as well have stayed while they moved, and took on what stands there.
    let texts = |file: &File| file.blocks.iter().map(|(block, _)| said(&block.content, &known)).collect::<Vec<_>>();
    let (old_texts, new_texts) = (texts(old), texts(new));
    let texts = certain(rows, |i, j| old_texts[i] == new_texts[j], |_| 1, 0);
    for (partner, text) in partners.iter_mut().zip(texts) {
        // The same holds of one that the file now has twice, in two looks.
        if text == Partner::None || (text == Partner::Several && *partner != Partner::Several) {
            *partner = Partner::None;
        }
    }
    partners
}

/// The names of the objects of a file.
fn known(file: &File) -> BTreeSet<String> {
    file.blocks.iter().flat_map(|(block, _)| names(&[Found::of(&block.content)])).collect()
}

fn compared((old, new): (&File, &File), tied: bool, mut partners: Vec<Partner>) -> Kept {
    passed((old, new), &known(old), tied, &mut partners);
    let mut words = Vec::new();
    let mut stretches = 0;
    let (mut i, mut j) = (0, 0);
    for at in 0..=old.blocks.len() {
        let partner = match partners.get(at) {
            Some(Partner::None) => continue,
            Some(Partner::One(partner)) => *partner,
            // There is more than one way, so nothing is said of what stands around.
            Some(Partner::Several) => {
                (i, j) = (usize::MAX, 0);
                continue;
            }
            None => new.blocks.len(),
        };
        stretches += usize::from(i != at || j != partner);
        if i < at && j <= partner && i != usize::MAX {
            stretch(old, i..at, new, j..partner, &mut words);
        }
        (i, j) = (at + 1, partner + 1);
    }
    // Where other edits stand in the way of a change of structure, it is done as deletions and insertions.
    words.retain(|word: &Stands| !word.recut || stretches == 1);
    let twice = partners.iter().map(|partner| *partner == Partner::Several).collect();
    Kept { blocks: partners.iter().map(|partner| *partner != Partner::None).collect(), twice, words }
}

/// What a block says, without the anchors of headings and in text, and without objects of other documents, which are left
/// out; `known` are the names of those of this one.
fn said(content: &Content, known: &BTreeSet<String>) -> Content {
    let mut content = content.clone();
    let said = |run: &Run| match &run.content {
        RunContent::Anchor(_) => false,
        object @ RunContent::Object(Object { id: Some(id), .. }) => id == "new" || known.contains(&name(object)),
        RunContent::Object(_) | RunContent::FootnoteReference(_) | RunContent::Text(_) => true,
    };
    if let Content::Heading { anchor, .. } = &mut content {
        *anchor = None;
    }
    for run in content.runs_mut() {
        // What the file says of an object that stands is no edit of it.
        if let RunContent::Object(Object { id: Some(id), title, kind, .. }) = &mut run.content
            && id != "new"
        {
            *title = None;
            "embed".clone_into(kind);
        }
    }
    if let Content::Table { rows, .. } = &mut content {
        for runs in rows.iter_mut().flatten().flatten() {
            runs.retain(|run| !matches!(run.content, RunContent::Anchor(_)));
            *runs = mebdf::normalize_runs(std::mem::take(runs), false);
        }
    }
    if let Content::Heading { runs, .. }
    | Content::Paragraph { runs }
    | Content::Item { runs, .. }
    | Content::ItemParagraph { runs, .. } = &mut content
        && !runs.iter().all(said)
    {
        // Of two blanks around what is left out one goes with it.
        let mut kept: Vec<Run> = Vec::new();
        let mut gone = false;
        for mut run in std::mem::take(runs) {
            if !said(&run) {
                gone = true;
                continue;
            }
            let ends = |run: &Run| matches!(&run.content, RunContent::Text(text) if text.ends_with(' '));
            if let RunContent::Text(text) = &mut run.content
                && std::mem::take(&mut gone)
                && kept.last().is_none_or(ends)
                && text.starts_with(' ')
            {
                text.remove(0);
            }
            kept.push(run);
        }
        *runs = mebdf::normalize_runs(kept, false);
    }
    content
}

const fn is_paragraph(content: &Content) -> bool {
    matches!(content, Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. })
}

/// Compares the words of a changed stretch, when it is nothing but a few paragraphs.
fn stretch(old: &File, old_range: Range<usize>, new: &File, new_range: Range<usize>, words: &mut Vec<Stands>) {
    let (old_blocks, new_blocks) = (&old.blocks[old_range.clone()], &new.blocks[new_range]);
    let whole = old_blocks.iter().chain(new_blocks).all(|(block, _)| is_paragraph(&block.content));
    if !whole || old_blocks.is_empty() || new_blocks.is_empty() || old_blocks.len() + new_blocks.len() > STRETCH_MAX {
        return;
    }
    let (old_found, new_found) = (found(old_blocks), found(new_blocks));
    // A new object is made by a change of structure of its own.
    let objects =
        |found: &[Found<'_>]| found.iter().flat_map(|found| &found.tokens).filter_map(|token| token.object).count();
    if old_blocks.len() != new_blocks.len() && objects(&new_found) > objects(&old_found) {
        return;
    }
    // A picture of another document is left out with a blank, and with what stood in its place.
    let ids = |found: &[Found<'_>]| -> Vec<String> {
        let objects = found.iter().flat_map(|found| &found.tokens).filter_map(|token| token.object);
        objects
            .filter_map(|object| if let RunContent::Object(object) = object { object.id.clone() } else { None })
            .collect()
    };
    let known = ids(&old_found);
    if ids(&new_found).iter().any(|id| id != "new" && !known.contains(id)) {
        return;
    }
    let (old_words, new_words) = (words_of(&old_found), words_of(&new_found));
    let same_kind = old_blocks.len() == 1
        && new_blocks.len() == 1
        && old_blocks[0].1 == new_blocks[0].1
        && kind(&old_blocks[0].0.content) == kind(&new_blocks[0].0.content);
    let recut = old_blocks.len() != new_blocks.len();
    let partners = certain(
        (old_words.len(), new_words.len()),
        |i, j| old_words[i].text == new_words[j].text,
        |i| u32::try_from(old_words[i].tokens.len()).unwrap(),
        if recut { RECUT_CHARS } else { 0 },
    );
    // Around an object that was moved, the text moves.
    let moved = |(at, partner): (usize, &Partner)| {
        let found = old_found[old_words[at].block].tokens[old_words[at].tokens.clone()].iter();
        let stands = |object: &RunContent| names(&new_found).contains(&name(object));
        *partner == Partner::None && found.filter_map(|token| token.object).any(stands)
    };
    if partners.iter().enumerate().any(moved) {
        return;
    }
    if recut && !mostly_the_same(&old_words, &new_words, &partners) {
        return;
    }
    for (word, partner) in old_words.iter().zip(&partners) {
        let joined = |at: usize| cuts_cluster(&new_words, at) || cuts_cluster(&new_words, at + 1);
        if !word.whole || *partner == Partner::None || matches!(partner, Partner::One(at) if joined(*at)) {
            continue;
        }
        let looks = |at: usize, number: usize| {
            let Partner::One(partner) = partner else { return false };
            let new = &new_words[*partner];
            let (was, is) =
                (&old_found[word.block].tokens[at], &new_found[new.block].tokens[new.tokens.start + number]);
            same_kind && was.marks == is.marks
        };
        let stand = word.tokens.clone().enumerate().map(|(number, at)| (at, looks(at, number))).collect();
        words.push(Stands { block: old_range.start + word.block, stretch: old_range.clone(), recut, tokens: stand });
    }
}

fn names(found: &[Found<'_>]) -> Vec<String> {
    found.iter().flat_map(|found| &found.tokens).filter_map(|token| token.object).map(name).collect()
}

fn found(blocks: &[(Block, State)]) -> Vec<Found<'_>> {
    blocks.iter().map(|(block, _)| Found::of(&block.content)).collect()
}

/// Tells whether the begin of a word lies inside a grapheme cluster, as that of an accent does.
fn cuts_cluster(words: &[Word], at: usize) -> bool {
    let (Some(before), Some(word)) = (at.checked_sub(1).and_then(|at| words.get(at)), words.get(at)) else {
        return false;
    };
    let both = format!("{}{}", before.text, word.text);
    !both.grapheme_indices(true).any(|(at, _)| at == before.text.len())
}

/// Tells whether most of each block comes from the other side: otherwise it was not cut anew but has become another.
fn mostly_the_same(old: &[Word], new: &[Word], partners: &[Partner]) -> bool {
    let mostly = |words: &[Word], stays: &dyn Fn(usize) -> bool| {
        let mut blocks: Vec<(usize, usize)> = vec![(0, 0); words.last().map_or(0, |last| last.block + 1)];
        for (at, word) in words.iter().enumerate() {
            blocks[word.block].0 += word.tokens.len();
            blocks[word.block].1 += if stays(at) { word.tokens.len() } else { 0 };
        }
        blocks.iter().all(|(all, same)| same * 3 >= all * 2 && *same > CHARS_MIN)
    };
    mostly(old, &|at| partners[at] != Partner::None) && mostly(new, &|at| partners.contains(&Partner::One(at)))
}

/// What a block is, but for its text.
fn kind(content: &Content) -> String {
    match content {
        Content::Heading { level, .. } => format!("heading {level}"),
        Content::Item { depth, mark, .. } => format!("item {depth} {mark:?}"),
        _ => String::new(),
    }
}

/// What of the new row an element of the old one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Partner {
    /// It may be gone.
    None,
    /// It stands there.
    One(usize),
    /// It stands, in one of several places.
    Several,
}

/// Finds the elements that are in every longest common row of both rows.
///
/// The longest is the one with the greatest weight, which is told of the elements of the old row; those that fall short of it
/// by no more than `margin` count, too.
fn certain(
    (old, new): (usize, usize),
    same: impl Fn(usize, usize) -> bool,
    weight: impl Fn(usize) -> u32,
    margin: u32,
) -> Vec<Partner> {
    let least = old.min(new);
    let mut head = (0..least).take_while(|at| same(*at, *at)).count();
    let mut tail = (0..least - head).take_while(|at| same(old - at - 1, new - at - 1)).count();
    let mut partners = vec![Partner::None; old];
    if head == old && head == new {
        return (0..old).map(Partner::One).collect();
    }
    (head, tail) = (head.saturating_sub(MARGIN), tail.saturating_sub(MARGIN));
    partners[..head].iter_mut().enumerate().for_each(|(at, partner)| *partner = Partner::One(at));
    for at in 0..tail {
        partners[old - at - 1] = Partner::One(new - at - 1);
    }
    let (height, width) = (old - head - tail, new - head - tail);
    if height * width > COMPARISONS_MAX {
        return partners;
    }
    let equal: Vec<bool> =
        (0..height * width).map(|at| same(head + at / width.max(1), head + at % width.max(1))).collect();
    let at = |i: usize, j: usize| i * (width + 1) + j;
    let (mut before, mut behind) = (vec![0_u32; (height + 1) * (width + 1)], vec![0_u32; (height + 1) * (width + 1)]);
    for i in 0..height {
        for j in 0..width {
            let skip = before[at(i, j + 1)].max(before[at(i + 1, j)]);
            let pair = if equal[i * width + j] { before[at(i, j)] + weight(head + i) } else { 0 };
            before[at(i + 1, j + 1)] = skip.max(pair);
        }
    }
    for i in (0..height).rev() {
        for j in (0..width).rev() {
            let skip = behind[at(i + 1, j)].max(behind[at(i, j + 1)]);
            let pair = if equal[i * width + j] { behind[at(i + 1, j + 1)] + weight(head + i) } else { 0 };
            behind[at(i, j)] = skip.max(pair);
        }
    }
    let best = behind[0];
    for i in 0..height {
        if (0..=width).any(|j| before[at(i, j)] + behind[at(i + 1, j)] + margin >= best) {
            continue;
        }
        let with = |j: usize| before[at(i, j)] + weight(head + i) + behind[at(i + 1, j + 1)];
        let mut found = (0..width).filter(|j| equal[i * width + j] && with(*j) + margin >= best);
        partners[head + i] = match (found.next(), found.next()) {
            (Some(j), None) => Partner::One(head + j),
            _ => Partner::Several,
        };
    }
    partners
}
