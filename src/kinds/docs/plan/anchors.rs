//! The edits of anchors. Pure.
//!
//! An anchor is no part of the text, so both sides are compared without any, and anchors are set when everything else
//! stands.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::align::Step;
use super::blocks::{aligned, entries};
use super::edit::range;
use super::planner::Notices;
use super::trial::{Task, Trial};
use super::words::hunks;
use crate::error::Result;
use crate::gdocs::{CreateNamedRange, DeleteNamedRange, Request};
use crate::kinds::docs::text::anchors::{NAME, Placed, Spot, paragraphs, paragraphs_mut, show};
use crate::kinds::docs::text::extract::lines;
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::docs::text::line::{Line, Token, tokens};
use crate::mebdf::{Block, Content, Run, RunContent, Span, normalize_runs};

/// Why an anchor of the file is not in the document.
const NOT_HERE: &str = "an anchor cannot be set here: the text around it is locked or was not pushed";

/// An anchor of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// Where its block stands in the file, in bytes.
    span: Range<usize>,
    spot: Spot,
    /// `None` asks for a new one.
    id: Option<String>,
}

impl Written {
    /// An anchor of the document that stays where it is; `span` is the place of its block.
    pub(super) fn standing(anchor: &Placed, span: &Span) -> Self {
        Self { span: span.0.clone(), spot: anchor.spot, id: Some(anchor.id.clone()) }
    }

    /// Tells whether it is the anchor with this id.
    pub(super) fn has(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id)
    }

    pub(super) fn into_id(self) -> Option<String> {
        self.id
    }

    /// Tells whether it stands in the block of this place.
    pub(super) fn is_in(&self, span: &Span) -> bool {
        self.span == span.0
    }
}

/// How the ids of anchors begin; no heading has such an id.
const ID_PREFIX: &str = "kix.";

/// Takes the anchors out of a file, so that its text can be compared.
pub(super) fn take(local: &mut Flat) -> Vec<Written> {
    let mut found = Vec::new();
    for block in &mut local.tree.blocks {
        let span = block.span.0.clone();
        // The first form of a heading is its own; of a paragraph that became one it is that of an anchor in its text.
        if let Content::Heading { anchor, .. } = &mut block.content
            && let Some(id) = anchor.take_if(|id| id.starts_with(ID_PREFIX))
        {
            found.push(Written { span: span.clone(), spot: Spot { paragraph: 0, offset: 0 }, id: Some(id) });
        }
        let one_line = matches!(block.content, Content::Heading { .. } | Content::Table { .. });
        for (paragraph, runs) in paragraphs_mut(&mut block.content).into_iter().enumerate() {
            if !runs.iter().any(|run| matches!(run.content, RunContent::Anchor(_))) {
                continue;
            }
            let first = found.len();
            let mut offset = 0;
            let mut kept = Vec::with_capacity(runs.len());
            for run in std::mem::take(runs) {
                match run.content {
                    RunContent::Anchor(id) => {
                        found.push(Written { span: span.clone(), spot: Spot { paragraph, offset }, id });
                        continue;
                    }
                    RunContent::Text(ref text) => offset += text.chars().count(),
                    RunContent::Object(_) | RunContent::FootnoteReference(_) => offset += 1,
                }
                kept.push(run);
            }
            *runs = normalize_runs(kept, one_line);
            // Without the anchor, a blank before it may stand at the end of its line, where none is kept.
            let length = tokens(runs).len();
            for anchor in found.iter_mut().skip(first) {
                anchor.spot.offset = anchor.spot.offset.min(length);
            }
        }
    }
    found
}

/// Takes the anchors along when rows and columns of the file's tables go back to where they were: `held` is `local` after
/// that, which `again` does to a file once more. Returns the anchors, and those of the document that stay though the file
/// has none there: what it says of their tables is not pushed.
pub(super) fn held_back(
    task: &Task<'_>,
    local: &Flat,
    held: &Flat,
    again: impl FnOnce(&mut Flat),
) -> (Vec<Written>, BTreeSet<String>) {
    let changed = |span: &Range<usize>| {
        let of = |flat: &Flat| flat.tree.blocks.iter().position(|block| block.span.0 == *span);
        let content =
            |flat: &'_ Flat| of(flat).and_then(|at| flat.tree.blocks.get(at)).map(|block| block.content.clone());
        content(local) != content(held)
    };
    let (moved, mut anchors): (Vec<Written>, Vec<Written>) =
        task.anchors.iter().cloned().partition(|anchor| changed(&anchor.span));
    if !moved.is_empty() {
        let mut shown = local.clone();
        put(&mut shown.tree.blocks, &moved);
        again(&mut shown);
        let taken = take(&mut shown);
        if shown.tree.blocks == held.tree.blocks {
            anchors.extend(taken);
        }
        anchors.sort_by_key(|anchor| anchor.span.start);
    }
    let (old, new) = entries(&task.remote, held, &task.staying);
    let pairs = aligned(&task.remote, &old, &new);
    let tables = pairs.into_iter().filter_map(|step| match step {
        Step::Pair(i, j) if changed(&new[j].block.span.0) => Some(old[i].index),
        Step::Pair(..) | Step::Delete(_) | Step::Insert(_) => None,
    });
    let tables: BTreeSet<usize> = tables.collect();
    let named = |id: &str| anchors.iter().any(|anchor| anchor.has(id));
    let there = task.remote.anchors.iter().filter(|there| tables.contains(&there.block) && !named(&there.id));
    let kept = there.map(|there| there.id.clone()).collect();
    (anchors, kept)
}

/// Puts anchors back into the blocks that they were taken from.
fn put(blocks: &mut [Block], anchors: &[Written]) {
    let place = |anchor: &Written| blocks.iter().position(|block| block.span.0 == anchor.span);
    let placed = anchors.iter().enumerate().filter_map(|(number, anchor)| {
        Some(Placed { block: place(anchor)?, spot: anchor.spot, id: number.to_string() })
    });
    let placed: Vec<Placed> = placed.collect();
    show(blocks, &placed, |number| anchors.get(number.parse::<usize>().ok()?)?.id.clone());
}

/// Tells whether the anchors of the file are those of the document, each at its place, when everything else is.
pub(super) fn stand(task: &Task<'_>) -> bool {
    if task.anchors.is_empty() && task.remote.anchors.is_empty() {
        return true;
    }
    let Some(mut written) = on_blocks(&task.anchors, &task.local) else { return false };
    written.sort_by_key(|(block, anchor)| (*block, anchor.spot));
    let named = task.named_anchors();
    written.len() == task.remote.anchors.len()
        && written.iter().zip(&task.remote.anchors).all(|((block, anchor), there)| {
            (*block, anchor.spot) == (there.block, there.spot) && means(anchor, there, &named)
        })
}

impl Task<'_> {
    /// The anchors of the document that the file names.
    fn named_anchors(&self) -> BTreeSet<&str> {
        let written: BTreeSet<&str> = self.anchors.iter().filter_map(|anchor| anchor.id.as_deref()).collect();
        let there = self.remote.anchors.iter().map(|anchor| anchor.id.as_str());
        there.filter(|id| written.contains(id)).collect()
    }
}

/// Tells whether an anchor of the file, which stands where one of the document does, is that one. An id is a hint: an anchor
/// that moved got another one. So whatever the file says of an anchor that it does not name is that anchor.
fn means(anchor: &Written, there: &Placed, named: &BTreeSet<&str>) -> bool {
    match anchor.id.as_deref() {
        Some(id) if named.contains(id) => id == there.id,
        Some(_) | None => !named.contains(there.id.as_str()),
    }
}

/// The anchors of the file with the indices of their blocks; `None` when a block is not there.
fn on_blocks<'a>(anchors: &'a [Written], local: &Flat) -> Option<Vec<(usize, &'a Written)>> {
    let find = |span: &Range<usize>| local.tree.blocks.iter().position(|block| block.span.0 == *span);
    anchors.iter().map(|anchor| Some((find(&anchor.span)?, anchor))).collect()
}

/// Sets, moves and removes anchors, now that the text stands; what cannot be is told. Returns what the file calls those
/// that are new, by their ids on the model.
///
/// # Errors
///
/// `PlanRejected` when an anchor would not stand where the file has it, or when more than anchors would change.
pub(super) fn settle(
    task: &Task<'_>,
    trial: &mut Trial<'_>,
    notices: &mut Notices,
) -> Result<BTreeMap<String, Option<String>>> {
    if task.anchors.is_empty() && trial.extract.anchors.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut plan = Plan::new(task);
    plan.make(trial, notices);
    let Plan { deleted, created, wanted, .. } = plan;
    let (blocks, before) = (trial.extract.tree.blocks.clone(), trial.extract.anchors.clone());
    // Positions do not move by anchors, so the order is only for the reader.
    trial.carry_out(deleted.into_iter().chain(created.into_iter().rev()).collect())?;
    let mut fresh: Vec<&Placed> = trial.extract.anchors.iter().filter(|anchor| !before.contains(anchor)).collect();
    let mut names = BTreeMap::new();
    for (block, spot, id) in wanted {
        let Some(at) = fresh.iter().position(|anchor| (anchor.block, anchor.spot) == (block, spot)) else {
            return Err(task.rejected("an anchor would not stand where the file has it".into()));
        };
        names.insert(fresh.remove(at).id.clone(), id);
    }
    if trial.extract.tree.blocks != blocks || !fresh.is_empty() {
        return Err(task.rejected("more than an anchor would change".into()));
    }
    Ok(names)
}

struct Plan<'a> {
    task: &'a Task<'a>,
    /// The anchors of the document that the file names.
    named: BTreeSet<&'a str>,
    /// The footnotes of the document; those that are made now get other ids.
    footnotes: BTreeSet<&'a str>,
    /// Anchors that the file has elsewhere or no longer.
    gone: Vec<String>,
    /// Anchors of the file that cannot be set where it has them.
    waiting: BTreeSet<&'a str>,
    deleted: Vec<Request>,
    created: Vec<Request>,
    /// Where anchors are expected afterwards, and what the file calls them.
    wanted: Vec<(usize, Spot, Option<String>)>,
}

/// A block of the document and the block of the file that says the same, or nearly so.
struct Pair<'e, 't> {
    /// Index among the document's blocks.
    block: usize,
    lines: Vec<&'e Line>,
    old: &'e Content,
    new: &'e Content,
    /// Whether they say the same.
    same: bool,
    locked: bool,
    /// The anchors that the file has in it.
    here: Vec<&'t Written>,
    /// Those that the document has in it.
    there: Vec<&'e Placed>,
}

impl<'a> Plan<'a> {
    fn new(task: &'a Task<'a>) -> Self {
        let (gone, deleted, created, wanted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let footnotes = task.remote.origins.iter().flat_map(lines).filter_map(|line| line.segment.as_deref()).collect();
        let (named, waiting) = (task.named_anchors(), BTreeSet::new());
        Self { task, named, footnotes, gone, waiting, deleted, created, wanted }
    }

    fn make(&mut self, trial: &Trial<'_>, notices: &mut Notices) {
        let (task, extract) = (self.task, &trial.extract);
        let (local, _) = task.local_for(extract);
        let (old, new) = entries(extract, &local, &task.staying);
        let steps = aligned(extract, &old, &new);
        let mut pairs = Vec::new();
        let mut rest: Vec<&Written> = task.anchors.iter().collect();
        for step in steps {
            let Step::Pair(i, j) = step else { continue };
            let (here, others) = rest.into_iter().partition(|anchor| anchor.span == new[j].block.span.0);
            rest = others;
            let block = old[i].index;
            pairs.push(Pair {
                block,
                lines: lines(&extract.origins[block]),
                old: &old[i].block.content,
                new: &new[j].block.content,
                same: old[i].key == new[j].key,
                locked: old[i].look.locked.is_some() || new[j].look.locked.is_some(),
                here,
                there: extract.anchors.iter().filter(|anchor| anchor.block == block).collect(),
            });
        }
        let chosen = self.chosen(&pairs);
        // What stands in text that the file does not have would stay there beside the new one.
        let paired: BTreeSet<usize> = pairs.iter().map(|pair| pair.block).collect();
        let stuck = extract.anchors.iter().filter(|anchor| !paired.contains(&anchor.block));
        let stuck: BTreeSet<&str> = stuck.map(|anchor| anchor.id.as_str()).collect();
        for pair in pairs {
            self.block(&pair, (&chosen, &stuck), notices);
        }
        for anchor in rest {
            self.waits(anchor, notices);
        }
        self.waiting.retain(|id| !self.wanted.iter().any(|(_, _, set)| set.as_deref() == Some(id)));
        // What cannot be set where the file has it stays where it is.
        for id in std::mem::take(&mut self.gone) {
            if !self.waiting.contains(&*id) && !task.kept_anchors.contains(&id) {
                self.delete(&id);
            }
        }
    }

    /// Tells that an anchor cannot be set where the file has it.
    fn waits(&mut self, anchor: &'a Written, notices: &mut Notices) {
        self.waiting.extend(anchor.id.as_deref());
        notices.refuse("ANCHOR", self.task.line_at(anchor.span.start), NOT_HERE);
    }

    /// Chooses, of all that have one id in the file, the one that is meant: a copied line has its anchor's form, too.
    fn chosen(&self, pairs: &[Pair<'_, 'a>]) -> BTreeMap<&'a str, &'a Written> {
        let mut chosen: BTreeMap<&str, (u8, &Written)> = BTreeMap::new();
        for (pair, anchor) in pairs.iter().flat_map(|pair| pair.here.iter().map(move |anchor| (pair, *anchor))) {
            let Some(id) = anchor.id.as_deref().filter(|id| self.named.contains(id)) else { continue };
            let stands = pair.there.iter().find(|there| there.id == id);
            let rank = match stands {
                Some(stands) if pair.spot(anchor.spot).is_some_and(|(spot, _)| spot == stands.spot) => 0,
                Some(_) => 1,
                None => 2,
            };
            if chosen.get(id).is_none_or(|(best, _)| rank < *best) {
                chosen.insert(id, (rank, anchor));
            }
        }
        chosen.into_iter().map(|(id, (_, anchor))| (id, anchor)).collect()
    }

    /// Plans the anchors of one block; `chosen` has for each anchor that the file names the form that is meant, `stuck` those
    /// that cannot be taken away from where they stand.
    fn block(
        &mut self,
        pair: &Pair<'_, 'a>,
        (chosen, stuck): (&BTreeMap<&str, &Written>, &BTreeSet<&str>),
        notices: &mut Notices,
    ) {
        let mut there = pair.there.clone();
        for anchor in &pair.here {
            let line = self.task.line_at(anchor.span.start);
            let (spot, sure) = pair.spot(anchor.spot).unzip();
            let is_named = anchor.id.as_deref().is_some_and(|id| self.named.contains(id));
            let is_chosen =
                anchor.id.as_deref().and_then(|id| chosen.get(id)).is_some_and(|one| std::ptr::eq(*one, *anchor));
            let is_it = |there: &&Placed| means(anchor, there, &self.named) && (is_chosen || spot == Some(there.spot));
            let stands = there.iter().position(is_it).filter(|_| is_chosen || !is_named).map(|at| there.remove(at));
            if let Some(id) = anchor.id.as_deref()
                && ((is_named && !is_chosen) || (!is_named && stands.is_none()))
            {
                notices.refuse("ANCHOR", line, unknown(id, is_named));
                continue;
            }
            let sure = sure == Some(true);
            if stands.is_some_and(|stands| !sure || spot == Some(stands.spot) || pair.is_on_its_words(anchor, stands)) {
                continue;
            }
            let stuck = anchor.id.as_deref().is_some_and(|id| stuck.contains(id));
            let made_now = |line: &Line| line.segment.as_deref().is_some_and(|id| !self.footnotes.contains(id));
            let place = spot.filter(|_| sure && !stuck).and_then(|spot| pair.place(spot));
            let Some((spot, place)) = place.filter(|(_, line)| !made_now(line)) else {
                self.waits(anchor, notices);
                continue;
            };
            if let Some(stands) = stands {
                self.delete(&stands.id);
            }
            self.create(place, spot.offset);
            self.wanted.push((pair.block, spot, anchor.id.clone()));
        }
        // An anchor is only taken for removed where the file says what the document says.
        there.retain(|there| pair.same || self.named.contains(there.id.as_str()));
        self.gone.extend(there.into_iter().map(|gone| gone.id.clone()));
    }

    fn delete(&mut self, id: &str) {
        self.deleted.push(Request::DeleteNamedRange(DeleteNamedRange {
            named_range_id: Some(id.to_owned()),
            ..DeleteNamedRange::default()
        }));
    }

    /// Asks for a range from behind so many units to the end of the paragraph's text: the more it covers, the longer it
    /// outlives edits. At the very end there is only the newline.
    fn create(&mut self, line: &Line, offset: usize) {
        let at = line.units.get(offset).map_or(line.newline_at(), |unit| unit.at);
        let end = if at < line.newline_at() { line.newline_at() } else { line.end };
        let range = range(line.segment.as_deref(), self.task.tab_id.as_deref(), at, end);
        self.created.push(Request::CreateNamedRange(CreateNamedRange { name: NAME.into(), range }));
    }
}

fn unknown(id: &str, twice: bool) -> String {
    if twice {
        format!(
            "the anchor `{id}` stands in this file more than once; for another one write {{^}}, and Google gives its id"
        )
    } else {
        format!("the document has no anchor `{id}` in its text; for a new one write {{^}}, and Google gives its id")
    }
}

impl<'e> Pair<'e, '_> {
    /// Where a spot of the file stands in the document, if the text around it does, and whether it is between the same words
    /// there: where the text was not pushed, the same place may be between others.
    fn spot(&self, spot: Spot) -> Option<(Spot, bool)> {
        let (spot, sure) = if self.same { (spot, true) } else { spot_in(self.old, self.new, spot)? };
        // What is tethered to a paragraph stands before all of its text, so no anchor can stand before it.
        let tethered = |line: &&Line| line.units.iter().take_while(|unit| unit.len == 0).count();
        let offset = spot.offset.max(self.lines.get(spot.paragraph).map_or(0, tethered));
        Some((Spot { offset, ..spot }, sure))
    }

    /// Tells whether an anchor stands on the words on which the file has it, though not in the same place: a row that was moved
    /// in the file has stayed.
    fn is_on_its_words(&self, anchor: &Written, stands: &Placed) -> bool {
        let text = |content, at: usize| paragraphs(content).get(at).map(|runs| words(runs));
        !self.same
            && anchor.spot.paragraph != stands.spot.paragraph
            && anchor.spot.offset == stands.spot.offset
            && text(self.old, stands.spot.paragraph) == text(self.new, anchor.spot.paragraph)
    }

    /// The paragraph of a spot, if an anchor can be set there.
    fn place(&self, spot: Spot) -> Option<(Spot, &'e Line)> {
        // It would be taken for the heading's own.
        let heads = matches!(self.old, Content::Heading { anchor: None, .. }) && spot.offset == 0;
        let line = *self.lines.get(spot.paragraph)?;
        (!heads && !self.locked && line.lock.is_none()).then_some((spot, line))
    }
}

/// The tokens of a paragraph.
fn words(runs: &[Run]) -> Vec<Token> {
    tokens(runs).into_iter().map(|(token, _)| token).collect()
}

/// Where a spot of the file stands in a block that does not say the same, if the text around it does, and whether the word
/// right behind or before it is the same on both sides.
fn spot_in(old: &Content, new: &Content, spot: Spot) -> Option<(Spot, bool)> {
    let (olds, news) = (paragraphs(old), paragraphs(new));
    if olds.len() != news.len() {
        return None;
    }
    let row = |runs: Option<&&[Run]>| runs.map(|runs| words(runs)).unwrap_or_default();
    let (old, new) = (row(olds.get(spot.paragraph)), row(news.get(spot.paragraph)));
    let (old, new): (Vec<&Token>, Vec<&Token>) = (old.iter().collect(), new.iter().collect());
    let (mut offset, mut changed) = (spot.offset, vec![false; new.len()]);
    for hunk in hunks(&old, &new) {
        // An object that was made for one of the file is that one.
        let objects = |tokens: &[&Token]| tokens.iter().all(|token| matches!(token, Token::Object(_)));
        if hunk.old.len() != hunk.new.len() || !objects(&old[hunk.old.clone()]) || !objects(&new[hunk.new.clone()]) {
            changed[hunk.new.clone()].fill(true);
        }
        if hunk.new.start >= spot.offset {
            continue;
        }
        if hunk.new.end > spot.offset {
            return None;
        }
        offset = (offset + hunk.old.len()).checked_sub(hunk.new.len())?;
    }
    let is = |at: usize, class: fn(char) -> bool| matches!(new.get(at), Some(Token::Char(c)) if class(*c));
    let in_word = |at: usize| is(at, char::is_alphanumeric);
    let stays = |at: usize| {
        let before = (0..at).rev().take_while(|other| in_word(at) && in_word(*other));
        let behind = (at + 1..new.len()).take_while(|other| in_word(at) && in_word(*other));
        before.chain(behind).chain([at]).all(|at| !changed[at])
    };
    let said = |at: &usize| !is(*at, char::is_whitespace);
    let behind = (spot.offset..new.len()).find(said);
    let before = (0..spot.offset.min(new.len())).rev().find(said);
    let sure = old == new || behind.is_some_and(stays) || before.is_some_and(stays);
    Some((Spot { offset, ..spot }, sure))
}
