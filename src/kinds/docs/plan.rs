//! What makes a tab say what its file says: the fewest requests that touch nothing else. Pure.
//!
//! First the text: paragraphs are aligned, then words, and the requests go from the end of the tab to its start, so
//! that each still finds its place. The model carries them out; what then differs in style, and only that, becomes the
//! second half of the batch. At last the whole batch is carried out on the model and compared with the file.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::align::{Step, align};
use super::edit::{Expected, Group, Shape, What, shape};
use super::extract::{Extract, Origin, extract, tab_of};
use super::head::HeadEdits;
use super::line::{Token, tokens};
use super::words::similarity;
use super::{images, paragraphs, restyle, verify};
use crate::error::{Error, Result};
use crate::gdocs::{Document, Request, apply};
use crate::kinds::{Pictures, PushPlan};
use crate::mebdf::{
    Block, Content, FrontMatter, Property, PropertyValue, Run, RunContent, Tree, clean, parse, print, print_block,
};
use crate::model::{ItemId, Notice, PartId};
use unicode_segmentation::UnicodeSegmentation as _;

/// Seeds the ids that the model makes up while a plan is tried; they never leave it.
const TRIAL_SEED: u64 = 0;

/// Plans what makes `part` of `document` say `desired`. `head` is the front matter of the part as it was extracted; edits
/// of it are told. A new document has none yet.
///
/// Edits that cannot be pushed are left out and told in `refused`; an edit that would destroy an object is told in
/// `holds`, and planned only with `accept`.
///
/// # Errors
///
/// `NotFound` when the document has no such tab; `PlanRejected` when the plan did not stand the check on the model.
pub(super) fn plan_part(
    document: &Document,
    head: Option<FrontMatter>,
    part: &PartId,
    desired: &str,
    accept: bool,
    pictures: &Pictures,
) -> Result<PushPlan> {
    let id = ItemId(document.document_id.clone());
    let tab = tab_of(document, part).ok_or_else(|| Error::NotFound { id: format!("{id}, tab {part}") })?;
    let several = document.all_tabs().len() > 1;
    let tab_id = tab.tab_properties.as_ref().map(|properties| properties.tab_id.clone()).filter(|id| !id.is_empty());
    // The document does not know its access and URL; the head that was written with them does.
    let mut remote = extract(document, tab, "", "", several);
    remote.tree.front_matter = head;
    let desired = clean(desired);
    let parsed = parse(&desired);
    let mut local = parsed.tree;
    local.normalize();
    let planner = Planner::settled(&remote, tab_id.as_deref(), accept, &desired, &local, &parsed.diagnostics, pictures);
    let Planner { groups, mut expected, mut refused, holds, tab_id, head, .. } = planner;
    if !holds.is_empty() && !accept {
        return Ok(PushPlan {
            requests: Vec::new(),
            refused: refused.0,
            holds,
            expected: print(&remote.tree),
            ..PushPlan::default()
        });
    }
    let all_stand = expected.iter().all(|expected| matches!(expected.what, What::Kept(_)));
    if all_stand && groups.iter().all(|group| group.requests.is_empty()) {
        // Nothing is asked of the document, so nothing has to be tried.
        remote.tree.front_matter = head.applied(remote.tree.front_matter.as_ref());
        return Ok(PushPlan {
            requests: Vec::new(),
            refused: refused.sorted(),
            holds,
            expected: print(&remote.tree),
            rename: head.rename,
            ..PushPlan::default()
        });
    }
    let rejected = |reason: String| Error::PlanRejected { id: id.clone(), reason };
    let touched: Vec<usize> = groups.iter().flat_map(|group| group.elements.iter().copied()).collect();
    let mut requests: Vec<Request> = groups.into_iter().rev().flat_map(|group| group.requests).collect();
    let trial = |requests: &[Request]| -> Result<(Document, Extract)> {
        let after = apply(document, requests, TRIAL_SEED).map_err(|refusal| rejected(refusal.message))?.document;
        let tab = tab_of(&after, part).ok_or_else(|| rejected("the tab would be gone".into()))?;
        let extract = extract(&after, tab, "", "", several);
        Ok((after, extract))
    };
    let (mut after, mut result) = trial(&requests)?;
    let mut uploads = Vec::new();
    let (insertions, new_pictures) =
        images::insertions(&result, &expected, tab_id.as_deref(), &mut uploads).map_err(rejected)?;
    if !insertions.is_empty() {
        requests.extend(insertions);
        (after, result) = trial(&requests)?;
    }
    let inserted = images::arrived(&result, &mut expected, new_pictures).map_err(rejected)?;
    let styles = restyle::paragraph_styles(&result, &expected, tab_id.as_deref()).map_err(rejected)?;
    if !styles.is_empty() {
        requests.extend(styles);
        (after, result) = trial(&requests)?;
    }
    let styles = restyle::text_styles(&result, &mut expected, tab_id.as_deref(), &mut refused).map_err(rejected)?;
    if !styles.is_empty() {
        requests.extend(styles);
        (after, result) = trial(&requests)?;
    }
    verify::arrives(&result, &expected).map_err(rejected)?;
    verify::nothing_else_moves(document, &after, part, &touched, &expected, &head).map_err(rejected)?;
    if !refused.0.is_empty()
        && let Err(word) = verify::words_are_kept(&remote.tree, &local, &result.tree)
    {
        let message = format!(
            "nothing of this file is pushed: text with `{word}` was moved to or from a place that cannot be edited yet, and a \
             part of the edit would lose it or double it"
        );
        refused.refuse("TORN", 0, message);
        return Ok(PushPlan {
            requests: Vec::new(),
            refused: refused.sorted(),
            holds,
            expected: print(&remote.tree),
            ..PushPlan::default()
        });
    }
    remote.tree.front_matter = head.applied(remote.tree.front_matter.as_ref());
    images::as_written(&mut result.tree, &inserted);
    let expected = print(&predicted(result.tree, &remote));
    let requests = requests.iter().filter_map(|request| serde_json::to_value(request).ok()).collect();
    Ok(PushPlan {
        requests,
        refused: refused.sorted(),
        holds,
        expected,
        again: head.again(),
        rename: head.rename,
        uploads,
    })
}

/// Plans what makes a new, empty document say `text`.
///
/// # Errors
///
/// `InvalidInput` when a part of the text cannot be pushed yet, with its line: a new document must not begin with a loss.
pub(super) fn create_plan(document: &Document, text: &str) -> Result<PushPlan> {
    if text.trim().is_empty() {
        return Ok(PushPlan::default());
    }
    let ends_with_paragraph =
        matches!(parse(text).tree.blocks.last(), Some(Block { content: Content::Paragraph { .. }, .. }));
    // A new document ends with an empty paragraph, which can only become a paragraph.
    let text = if ends_with_paragraph { text.to_owned() } else { format!("{}\n\n\\\n", text.trim_end()) };
    let plan = plan_part(document, None, &PartId::default(), &text, false, &Pictures::new())?;
    if plan.refused.is_empty() && plan.holds.is_empty() {
        return Ok(plan);
    }
    let reasons: Vec<String> = plan.refused.iter().chain(&plan.holds).map(ToString::to_string).collect();
    Err(Error::InvalidInput {
        what: format!("the text cannot become a document as it is: {}", reasons.join("; ")),
        suggestion: "Leave out what cannot be created yet, and create the document again.".into(),
    })
}

/// The tree as the remote will show it: ids that the model made up are left out, the head is the remote's own.
fn predicted(mut tree: Tree, remote: &Extract) -> Tree {
    let known: Vec<&String> = remote.tree.blocks.iter().filter_map(anchor).collect();
    for block in &mut tree.blocks {
        if let Content::Heading { anchor, .. } = &mut block.content
            && anchor.as_ref().is_some_and(|anchor| !known.contains(&anchor))
        {
            *anchor = None;
        }
    }
    tree.front_matter.clone_from(&remote.tree.front_matter);
    tree
}

fn anchor(block: &Block) -> Option<&String> {
    match &block.content {
        Content::Heading { anchor, .. } => anchor.as_ref(),
        Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => None,
    }
}

/// Edits that are not pushed, with their reasons.
#[derive(Default)]
pub(super) struct Notices(pub(super) Vec<Notice>);

impl Notices {
    /// Returns them by line, each once.
    pub(super) fn sorted(mut self) -> Vec<Notice> {
        self.0.sort_by_key(|notice| (notice.line, notice.column));
        self.0.dedup();
        self.0
    }

    /// Notes that an edit in `line` of the file is not pushed.
    pub(super) fn refuse(&mut self, code: &str, line: u32, message: impl Into<String>) {
        self.0.push(Notice { code: code.into(), line, column: 0, message: message.into() });
    }
}

/// Gathers the edits of one tab in the order of the document.
pub(super) struct Planner<'a> {
    pub(super) remote: &'a Extract,
    pub(super) tab_id: Option<String>,
    pub(super) accept: bool,
    pub(super) text: &'a str,
    /// Where the lines of the text end, in bytes.
    newlines: Rc<[usize]>,
    /// What the parser did not understand.
    diagnostics: &'a [Notice],
    /// What is known of the files that the text names as new pictures.
    pub(super) pictures: &'a Pictures,
    /// The objects that the file still holds, by id: what looks destroyed may only have moved.
    pub(super) objects: BTreeSet<String>,
    /// Words of text that stands in the file and cannot be pushed: what looks deleted may only have moved there.
    pub(super) moved: BTreeSet<String>,
    /// Such words, as far as this pass found them.
    pub(super) unplaced: BTreeSet<String>,
    pub(super) groups: Vec<Group>,
    pub(super) expected: Vec<Expected>,
    pub(super) refused: Notices,
    pub(super) holds: Vec<Notice>,
    /// What the head asks for.
    pub(super) head: HeadEdits,
}

/// A block of one side that is content, with its place among all blocks of its side and the directives in force.
struct Entry<'a> {
    index: usize,
    block: &'a Block,
    named_style: Option<String>,
    properties: Vec<Property>,
    locked: Option<String>,
    key: String,
}

fn entries(blocks: &[Block]) -> Vec<Entry<'_>> {
    let states = crate::mebdf::states(blocks);
    blocks
        .iter()
        .zip(states)
        .enumerate()
        .filter(|(_, (block, _))| !matches!(block.content, Content::Directive { .. }))
        .map(|(index, (block, state))| {
            let mut properties = state.properties;
            // Turned off is what it is anyway.
            properties.retain(|property| property.value != PropertyValue::Off);
            Entry { index, block, named_style: state.style, properties, locked: state.locked, key: key(&block.content) }
        })
        .collect()
}

/// What makes two blocks the same: their canonical text, without the anchor of a heading.
pub(super) fn key(content: &Content) -> String {
    if let Content::Heading { level, runs, .. } = content {
        return print_block(&Content::Heading { level: *level, anchor: None, runs: runs.clone() });
    }
    print_block(content)
}

/// Passes after which the words that cannot be pushed are taken as known; each pass can only find more of them.
const PASSES_MAX: usize = 4;

impl<'a> Planner<'a> {
    /// Plans until no text is taken from the document that stands in the file where it cannot be pushed: a paragraph
    /// that was moved to such a place must not be deleted from the place that it left.
    fn settled(
        remote: &'a Extract,
        tab_id: Option<&str>,
        accept: bool,
        text: &'a str,
        local: &Tree,
        diagnostics: &'a [Notice],
        pictures: &'a Pictures,
    ) -> Self {
        let newlines: Rc<[usize]> = text.match_indices('\n').map(|(at, _)| at).collect();
        let mut moved = BTreeSet::new();
        for pass in 1.. {
            let mut planner = Self {
                remote,
                tab_id: tab_id.map(ToOwned::to_owned),
                accept,
                text,
                newlines: Rc::clone(&newlines),
                diagnostics,
                pictures,
                objects: local.blocks.iter().flat_map(|block| object_ids(&block.content)).collect(),
                moved: moved.clone(),
                unplaced: BTreeSet::new(),
                groups: Vec::new(),
                expected: Vec::new(),
                refused: Notices::default(),
                holds: Vec::new(),
                head: HeadEdits::default(),
            };
            planner.front_matter(local);
            planner.blocks(local);
            if planner.unplaced.is_subset(&moved) || pass == PASSES_MAX {
                return planner;
            }
            moved.append(&mut planner.unplaced);
        }
        unreachable!("the last pass returns")
    }
}

impl Planner<'_> {
    pub(super) fn line_number(&self, block: &Block) -> u32 {
        let line = self.newlines.partition_point(|newline| *newline < block.span.0.start);
        u32::try_from(line + 1).unwrap_or(u32::MAX)
    }

    pub(super) fn refuse(&mut self, code: &str, line: u32, message: impl Into<String>) {
        self.refused.refuse(code, line, message);
    }

    pub(super) fn hold(&mut self, code: &str, line: u32, message: impl Into<String>) {
        self.holds.push(Notice { code: code.into(), line, column: 0, message: message.into() });
    }

    /// Finds what the parser left out of a table: the block does not say all that the file does.
    fn unread(&self, block: &Block) -> Option<Notice> {
        let lines = self.text.get(block.span.0.clone()).unwrap_or_default().lines().count();
        let first = self.line_number(block);
        let last = first.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        let here = |notice: &&Notice| notice.code == "TABLE_CELLS" && (first..last).contains(&notice.line);
        self.diagnostics.iter().find(here).cloned()
    }

    fn blocks(&mut self, local: &Tree) {
        let old = entries(&self.remote.tree.blocks);
        let new = entries(&local.blocks);
        let old_keys: Vec<String> = old.iter().map(|entry| entry.key.clone()).collect();
        let new_keys: Vec<String> = new.iter().map(|entry| entry.key.clone()).collect();
        let steps = align(&old_keys, &new_keys, |i, j| {
            likeness(old[i].block, &self.remote.origins[old[i].index], new[j].block)
        });
        let (mut at, mut passed_old, mut passed_new) = (0, 0, 0);
        while let Some(step) = steps.get(at) {
            if let Step::Pair(i, j) = *step {
                self.pair(&old[i], &new[j]);
                (at, passed_old, passed_new) = (at + 1, i + 1, j + 1);
                continue;
            }
            let gap = steps[at..].iter().take_while(|step| !matches!(step, Step::Pair(..)));
            let (mut deleted, mut inserted) = (0, 0);
            for step in gap {
                match step {
                    Step::Delete(_) => deleted += 1,
                    Step::Insert(_) => inserted += 1,
                    Step::Pair(..) => {}
                }
            }
            let (old_end, new_end) = (passed_old + deleted, passed_new + inserted);
            let line = new.get(passed_new).map_or(0, |entry| self.line_number(entry.block));
            let neighbour = |entry: &Entry<'_>| Neighbour {
                origin: self.remote.origins[entry.index].clone(),
                shape: shape(&entry.block.content),
            };
            let gap = Gap {
                line,
                previous: passed_old.checked_sub(1).and_then(|i| old.get(i)).map(neighbour),
                deleted: old[passed_old..old_end]
                    .iter()
                    .map(|entry| Gone {
                        block: entry.block,
                        origin: &self.remote.origins[entry.index],
                        lock: entry.locked.clone(),
                    })
                    .collect(),
                inserted: new[passed_new..new_end]
                    .iter()
                    .map(|entry| New {
                        block: entry.block,
                        line: self.line_number(entry.block),
                        lock: entry.locked.clone(),
                        named_style: match entry.named_style.as_deref() {
                            Some("Title") => "TITLE",
                            Some("Subtitle") => "SUBTITLE",
                            Some(_) | None => "NORMAL_TEXT",
                        },
                        styled: !entry.properties.is_empty(),
                    })
                    .collect(),
                next: old.get(old_end).map(neighbour),
            };
            paragraphs::gap(self, &gap);
            (at, passed_old, passed_new) = (at + deleted + inserted, old_end, new_end);
        }
    }

    fn pair(&mut self, old: &Entry<'_>, new: &Entry<'_>) {
        let line = self.line_number(new.block);
        if (&old.named_style, &old.properties) != (&new.named_style, &new.properties) {
            self.refuse("STYLE_LOCKED", line, "paragraph styles cannot be pushed yet; the text around them can");
        }
        let origin = &self.remote.origins[old.index];
        if old.key == new.key && self.unread(new.block).is_none() {
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        if let Some(unread) = self.unread(new.block) {
            self.refused.0.push(unread);
            self.unplaced(&text_of(&new.block.content), &text_of(&old.block.content));
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        if let Some(reason) = old.locked.as_ref().or(new.locked.as_ref()) {
            self.refuse("LOCKED", line, format!("this part is read-only{}", because(reason)));
            self.unplaced(&text_of(&new.block.content), &text_of(&old.block.content));
            self.expected.push(Expected::kept(&old.block.content, origin));
            return;
        }
        paragraphs::pair(self, old.block, new.block, origin);
    }
}

/// The ids of the objects in a block.
fn object_ids(content: &Content) -> Vec<String> {
    let runs: Vec<&Run> = match content {
        Content::Table { rows, .. } => rows.iter().flatten().flatten().flatten().collect(),
        Content::Footnote { paragraphs, .. } => paragraphs.iter().flatten().collect(),
        Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. } | Content::ItemParagraph { .. } => {
            block_runs(content).iter().collect()
        }
        Content::Code { .. } | Content::Rule | Content::Directive { .. } => Vec::new(),
    };
    let id = |run: &Run| if let RunContent::Object(object) = &run.content { object.id.clone() } else { None };
    runs.into_iter().filter_map(id).collect()
}

/// A reason, as the end of a sentence.
pub(super) fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

/// The words of a text, as far as they can tell where a text went.
pub(super) fn words_of(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}

/// The text of a block, marks and all, for its words.
pub(super) fn text_of(content: &Content) -> String {
    print_block(content)
}

/// What stands between two pairs: blocks that are gone, and blocks that are new.
pub(super) struct Gap<'a> {
    /// Line of the file, for what is gone.
    pub(super) line: u32,
    /// The old block before.
    pub(super) previous: Option<Neighbour>,
    /// The old blocks that are gone.
    pub(super) deleted: Vec<Gone<'a>>,
    /// The new blocks.
    pub(super) inserted: Vec<New<'a>>,
    /// The old block behind.
    pub(super) next: Option<Neighbour>,
}

/// A block beside a gap.
#[derive(Clone)]
pub(super) struct Neighbour {
    /// Where it stands in the document.
    pub(super) origin: Origin,
    /// What kind of block it is.
    pub(super) shape: Shape,
}

/// A block that the file no longer has.
pub(super) struct Gone<'a> {
    /// What it was.
    pub(super) block: &'a Block,
    /// Where it stands in the document.
    pub(super) origin: &'a Origin,
    /// Why it is read-only, if so.
    pub(super) lock: Option<String>,
}

/// A block that the document does not have.
pub(super) struct New<'a> {
    /// What it says.
    pub(super) block: &'a Block,
    /// Its line in the file.
    pub(super) line: u32,
    /// Why it is read-only, if so.
    pub(super) lock: Option<String>,
    /// The named style that the directives in force ask for.
    pub(super) named_style: &'static str,
    /// Whether directives ask for more than a named style.
    pub(super) styled: bool,
}

/// Tells how alike two blocks are; `None` when one cannot become the other.
fn likeness(old: &Block, origin: &Origin, new: &Block) -> Option<f32> {
    const SAME_KIND: f32 = 0.2;
    const OTHER_KIND: f32 = 0.05;
    let score = match (&old.content, &new.content, origin) {
        (Content::Table { rows: old, .. }, Content::Table { rows: new, .. }, Origin::Table { .. }) => {
            let shape = |rows: &[Vec<crate::mebdf::Cell>]| rows.iter().map(Vec::len).collect::<Vec<_>>();
            return (shape(old) == shape(new)).then_some(1.0 + SAME_KIND);
        }
        (Content::Footnote { label: old, .. }, Content::Footnote { label: new, .. }, Origin::Footnote { .. }) => {
            return (old == new).then_some(1.0 + SAME_KIND);
        }
        (Content::Heading { .. }, Content::Heading { .. }, Origin::Line { .. })
        | (Content::Paragraph { .. }, Content::Paragraph { .. }, Origin::Line { .. })
        | (Content::Item { .. }, Content::Item { .. }, Origin::Line { .. }) => SAME_KIND,
        (
            Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. },
            Content::Heading { .. } | Content::Paragraph { .. } | Content::Item { .. },
            Origin::Line { .. },
        ) => OTHER_KIND,
        _ => return None,
    };
    let old_tokens = tokens(block_runs(&old.content));
    if old_tokens.is_empty() && shape(&old.content) != shape(&new.content) {
        // Nothing is kept by turning an empty block into another kind.
        return None;
    }
    let new_tokens = tokens(block_runs(&new.content));
    let row = |tokens: &'_ [(Token, Rc<crate::mebdf::Marks>)]| {
        tokens.iter().map(|(token, _)| token.clone()).collect::<Vec<_>>()
    };
    let (old_row, new_row) = (row(&old_tokens), row(&new_tokens));
    Some(score + similarity(&old_row.iter().collect::<Vec<_>>(), &new_row.iter().collect::<Vec<_>>()))
}

/// The runs of a block that is one paragraph.
pub(super) fn block_runs(content: &Content) -> &[Run] {
    match content {
        Content::Heading { runs, .. }
        | Content::Paragraph { runs }
        | Content::Item { runs, .. }
        | Content::ItemParagraph { runs, .. } => runs,
        Content::Code { .. }
        | Content::Table { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => &[],
    }
}
