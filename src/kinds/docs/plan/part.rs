//! What makes a tab say what its file says: the fewest requests that touch nothing else. Pure.
//!
//! First the structure: tables, and where paragraphs begin and end. Then the text: paragraphs are aligned, then words,
//! and the requests go from the end of the tab to its start, so that each still finds its place. The model carries each
//! step out, and the next is planned on what it leaves; what then differs in style, and only that, becomes the end of
//! the batch. At last the result is compared with the file.

use std::collections::BTreeSet;

use super::blocks::is_settled;
use super::edit::{Expected, Group, What};
use super::gap::NO_TABLE;
use super::head::HeadEdits;
use super::paragraphs::TABLE_STAYS;
use super::planner::{Notices, PASSES_MAX, Planner};
use super::properties::{LINK_LATER, no_value};
use super::trial::{Task, Trial};
use super::{anchors, carried, images, less, newlines, numbers, objects, rest, restyle, tables, told, unsaid, verify};
use crate::error::Result;
use crate::gdocs::{Document, Request, Ticks};
use crate::kinds::docs::text::extract::Extract;
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::{Pictures, PushPlan};
use crate::mebdf::{Block, Content, FrontMatter, Tree, open_fence, parse, print, states};
use crate::model::{Notice, PartId};

/// How much of a document a plan is made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it: what of the edit can be pushed is.
    Whole,
    /// A stretch that was cut out of a longer one: what no plan of this stands may have one of the whole.
    Stretch,
}

/// Plans what makes `part` of a document, with the boxes of it that are ticked, say `desired`. `head` is the front matter
/// of the part as it was extracted; edits of it are told. A new document has none yet.
///
/// Edits that cannot be pushed are left out and told in `refused`, and so is what the file says in a form that means
/// nothing and is text; an edit that would destroy an object is told in `holds`, and planned only with `accept`.
///
/// # Errors
///
/// `NotFound` when the document has no such tab; `PlanRejected` when no plan of even a part of it stands the check on the
/// model, and of a stretch when not all of it does.
pub(crate) fn plan_part(
    document: (&Document, &Ticks),
    head: Option<&FrontMatter>,
    part: &PartId,
    desired: &str,
    accept: bool,
    pictures: &Pictures,
    scope: Scope,
) -> Result<PushPlan> {
    let read = |anew: &[String]| Task::read(document, head.cloned(), part, (desired, anew), accept, pictures);
    carried::plan(read, |task| {
        let mut plan = rest::settled(task, plan_less(task, scope)?);
        tell_forms(task, &mut plan);
        Ok(plan)
    })
}

/// Plans all of an edit, or the most of it that can be pushed.
///
/// # Errors
///
/// As [`plan_part`].
pub(super) fn plan_less(task: &Task<'_>, scope: Scope) -> Result<PushPlan> {
    match plan_task(task) {
        Ok(attempt) if !attempt.torn => Ok(attempt.plan),
        Err(error) if scope == Scope::Stretch => Err(error),
        whole => less::plan(task, whole),
    }
}

/// The forms that a document has otherwise than they are written: as text, or their words alone.
const SAID_OTHERWISE: [&str; 11] = [
    "BLOCK_IN_ITEM",
    "BLOCK_QUOTE",
    "EMPTY_FORMAT",
    "EMPTY_LINK",
    "FOOTNOTE_FORM",
    "LINK_DEFINITION",
    "LINK_UNUSED",
    "LIST_IN_CELL",
    "MARKDOWN_IMAGE",
    "STRAY_CLOSE",
    "UNCLOSED_FORMAT",
];

/// Those that no document has, and that stay in the file.
const NEVER_SAID: [&str; 3] = ["HEADING_IN_ITEM", "LINK_TITLE", "LINK_WITHOUT_TEXT"];

/// Tells what the document says otherwise than it is written: with what is pushed, or, where a line of its block is refused,
/// with that; and what it does not say at all.
pub(super) fn tell_forms(task: &Task<'_>, plan: &mut PushPlan) {
    // Whether a number begins a list that way in the document, too, is the planner's to say.
    let told = |notice: &&Notice| {
        notice.code != "LIST_START"
            && !plan.refused.iter().any(|other| other.code == notice.code && other.line == notice.line)
    };
    let found = task.diagnostics.iter().filter(told).cloned();
    let (unsaid, found): (Vec<_>, Vec<_>) = found.partition(|notice| NEVER_SAID.contains(&notice.code.as_str()));
    plan.unsaid.extend(unsaid);
    plan.unsaid.extend(unsaid::found(task).into_iter().filter(|notice| told(&notice)));
    plan.unsaid.sort_by_key(|notice| (notice.line, notice.column));
    let blocks: Vec<u32> = task.parsed.blocks.iter().map(|block| task.line_at(block.span.0.start)).collect();
    let block = |line: u32| blocks.partition_point(|first| *first <= line);
    let refused: BTreeSet<usize> = plan.refused.iter().map(|notice| block(notice.line)).collect();
    let stands = |notice: &Notice| {
        SAID_OTHERWISE.contains(&notice.code.as_str())
            && !refused.contains(&block(notice.line))
            && plan.holds.is_empty()
    };
    let (mut pushed, kept): (Vec<_>, Vec<_>) = found.into_iter().partition(stands);
    if plan.requests.is_empty() {
        // What the document has by now was told when it was pushed.
        pushed.clear();
    }
    plan.refused.extend(kept);
    plan.told.extend(pushed);
    plan.told.sort_by_key(|notice| (notice.line, notice.column));
    directed(task, &mut plan.refused);
    if !(plan.refused.is_empty() && plan.holds.is_empty())
        && let Some(at) = open_fence(&task.text, &task.parsed)
    {
        let line = task.line_at(at);
        let message = "the code block that begins here is not closed, so all behind it is read as code; close it with a line \
                       of the same marks";
        let notice = Notice { code: "CODE_OPEN".into(), line, column: 0, message: message.into() };
        plan.refused.insert(0, notice);
    }
    plan.refused.sort_by_key(|notice| (notice.line, notice.column));
    plan.refused.dedup();
}

/// Tells of a value that means nothing in the line of the directive that says it.
fn directed(task: &Task<'_>, refused: &mut [Notice]) {
    if refused.iter().all(|notice| notice.code != "STYLE_VALUE") {
        return;
    }
    let blocks = &task.parsed.blocks;
    // The directives so far, the last of each property first.
    let mut said: Vec<(u32, String)> = Vec::new();
    for (at, (block, state)) in blocks.iter().zip(states(blocks)).enumerate() {
        let first = task.line_at(block.span.0.start);
        if let Content::Directive { properties } = &block.content {
            properties.iter().for_each(|property| said.insert(0, (first, no_value(property).1)));
            continue;
        }
        let behind = blocks.get(at + 1).map_or(u32::MAX, |next| task.line_at(next.span.0.start));
        let here = |notice: &&mut Notice| notice.code == "STYLE_VALUE" && (first..behind).contains(&notice.line);
        for notice in refused.iter_mut().filter(here) {
            let holds = state.properties.iter().any(|property| no_value(property).1 == notice.message);
            if let Some((line, _)) = said.iter().find(|(_, message)| holds && *message == notice.message) {
                notice.line = *line;
            }
        }
    }
}

/// Plans all of it, without what the parser told.
///
/// # Errors
///
/// `PlanRejected` when neither way to plan stands the check on the model.
pub(super) fn plan_task(task: &Task<'_>) -> Result<Attempt> {
    let whole = Attempt::settled(task, true);
    if matches!(&whole, Ok(attempt) if !attempt.torn && !leaves_empty(task, &attempt.plan)) {
        return whole;
    }
    // What cannot be done as a change of structure may still be done as deletions and insertions.
    match Attempt::settled(task, false) {
        Ok(attempt) if !attempt.torn => Ok(attempt),
        Ok(_) | Err(_) => whole,
    }
}

/// Tells whether paragraphs were split, or tables made, for a text that then was refused: each save would leave one more
/// that is empty.
pub(super) fn leaves_empty(task: &Task<'_>, plan: &PushPlan) -> bool {
    if plan.refused.is_empty() || plan.requests.is_empty() {
        return false;
    }
    let count = |tree: &Tree| tree.blocks.iter().filter(|block| is_empty(block)).count();
    let (remote, local, expected) = (&task.remote.tree, &task.local.tree, parse(&plan.expected).tree);
    // Those that stand in no line are only wanted beside a table or a break: one that is there, or that is made.
    let settled = local.blocks.iter().filter(|block| is_settled(block)).count();
    let wanted = if tables::structures(&expected) > tables::structures(remote) {
        settled
    } else {
        settled.min(tables::wanted(remote))
    };
    count(&expected) > count(remote).max(count(local) - settled + wanted)
}

fn is_empty(block: &Block) -> bool {
    match &block.content {
        Content::Paragraph { runs } | Content::Heading { runs, .. } | Content::Item { runs, .. } => runs.is_empty(),
        Content::Table { .. } => block.content.runs().is_empty(),
        Content::ItemParagraph { .. }
        | Content::Code { .. }
        | Content::Rule
        | Content::Directive { .. }
        | Content::Footnote { .. } => false,
    }
}

/// A change of structure; each is planned on what the one before leaves.
enum Stage {
    /// Footnotes that are gone.
    Footnotes,
    /// Tables with their rows and columns, and section breaks.
    Tables,
    /// Where paragraphs begin and end.
    Newlines,
}

/// The changes of structure in the order in which they are made.
const STAGES: [Stage; 3] = [Stage::Footnotes, Stage::Tables, Stage::Newlines];

impl Stage {
    fn plan(&self, planner: &mut Planner<'_>, local: &Flat) {
        match self {
            Self::Footnotes => planner.footnotes(local),
            Self::Tables => planner.tables(local),
            Self::Newlines => planner.newlines(local),
        }
    }
}

/// One way to plan, carried out on the model.
pub(super) struct Attempt {
    pub(super) plan: PushPlan,
    /// Whether nothing is pushed, since a part of the edit would lose or double a word.
    pub(super) torn: bool,
    /// Words that stand in the file and cannot be pushed.
    moved: BTreeSet<String>,
    /// Words that changes of structure delete.
    deleted: BTreeSet<String>,
}

impl Attempt {
    /// Plans until changes of structure delete no text that stands in the file where it cannot be pushed.
    fn settled(task: &Task<'_>, structure: bool) -> Result<Self> {
        let mut moved = BTreeSet::new();
        for _ in 1..PASSES_MAX {
            let attempt = Self::make(task, structure, &moved)?;
            if attempt.moved.is_subset(&moved) || attempt.deleted.is_disjoint(&attempt.moved) {
                return Ok(attempt);
            }
            moved.extend(attempt.moved);
        }
        Self::make(task, structure, &moved)
    }

    fn make(task: &Task<'_>, structure: bool, moved: &BTreeSet<String>) -> Result<Self> {
        let mut trial = Trial::new(task);
        let mut told = Told::default();
        if structure && newlines::may_differ(&task.remote, &task.local_for(&task.remote).0, &task.staying) {
            change_structure(task, &mut trial, moved, &mut told)?;
        }
        let (local, fresh) = task.local_for(&trial.extract);
        let planner = Planner::settled(task, &trial.extract, (&local, structure.then_some(&fresh)), moved.clone());
        let Planner { groups, expected, mut refused, holds: mut held, moved, head, pending, .. } = planner;
        let no_table =
            refused.0.iter().any(|notice| notice.message.starts_with(NO_TABLE)) && is_unfilled(task, &expected);
        let known: BTreeSet<u32> = told.notices.0.iter().map(|notice| notice.line).collect();
        refused.0.retain(|notice| notice.message != TABLE_STAYS || !known.contains(&notice.line));
        told.notices.0.append(&mut refused.0);
        if no_table && trial.requests.iter().any(makes_structure) {
            // A table that was made and not filled would stand empty in the document.
            return Ok(told.nothing(task, true, moved));
        }
        told.holds.append(&mut held);
        if !told.holds.is_empty() && !task.accept {
            return Ok(told.nothing(task, false, moved));
        }
        let text = Text { groups: in_order(groups), expected, head, pending };
        let is_idle = text.is_idle() && trial.requests.is_empty() && anchors::stand(task);
        if is_idle && !numbers::differ(task, &trial.extract) {
            // Nothing is asked of the document, so nothing has to be tried.
            let mut attempt = told.nothing(task, false, moved);
            let mut tree = task.remote.presented();
            tree.front_matter = text.head.applied(tree.front_matter.as_ref());
            (attempt.plan.rename, attempt.plan.expected) = (text.head.rename.clone(), print(&tree));
            return Ok(attempt);
        }
        text.carried_out(task, trial, told, moved)
    }
}

/// What is told of an attempt while it is made.
#[derive(Default)]
struct Told {
    notices: Notices,
    holds: Vec<Notice>,
    /// What goes with the edit though the file does not show it.
    lost: Notices,
    /// Words that changes of structure delete.
    deleted: BTreeSet<String>,
}

impl Told {
    /// Takes what is told of numbers; what goes with an edit is told where one is pushed.
    fn take(&mut self, mut numbers: numbers::Told, pushes: bool) {
        self.notices.0.append(&mut numbers.refused.0);
        if pushes {
            self.lost.0.append(&mut numbers.lost.0);
        }
    }

    /// An attempt that asks nothing of the document.
    fn nothing(self, task: &Task<'_>, torn: bool, moved: BTreeSet<String>) -> Attempt {
        Attempt { plan: nothing(task, self.notices, self.holds), torn, moved, deleted: self.deleted }
    }
}

/// Carries out the changes of structure, each planned on what the one before leaves.
fn change_structure(task: &Task<'_>, trial: &mut Trial<'_>, moved: &BTreeSet<String>, told: &mut Told) -> Result<()> {
    for stage in STAGES {
        let (local, fresh) = task.local_for(&trial.extract);
        let mut planner = Planner::new(task, &trial.extract, (&local, Some(&fresh)), moved.clone());
        planner.ties = trial.ties();
        planner.document = Some((&trial.document, task.part));
        stage.plan(&mut planner, &local);
        told.notices.0.append(&mut planner.refused.0);
        told.holds.append(&mut planner.holds);
        told.lost.0.append(&mut planner.lost.0);
        told.deleted.append(&mut planner.deleted);
        let (touched, requests) = in_order(planner.groups);
        trial.change_structure(requests, &touched)?;
    }
    Ok(())
}

/// What was planned on the text once the structure stands.
struct Text {
    /// The elements that are touched, and the requests.
    groups: (Vec<usize>, Vec<Request>),
    expected: Vec<Expected>,
    head: HeadEdits,
    /// Whether objects wait to be made.
    pending: bool,
}

impl Text {
    fn is_idle(&self) -> bool {
        self.expected.iter().all(|expected| matches!(expected.what, What::Kept(_))) && self.groups.1.is_empty()
    }

    /// Carries it out, then the styles and the objects, and checks what comes of it.
    fn carried_out(
        self,
        task: &Task<'_>,
        mut trial: Trial<'_>,
        mut told: Told,
        moved: BTreeSet<String>,
    ) -> Result<Attempt> {
        let Self { groups: (mut touched, requests), mut expected, head, pending } = self;
        let before = trial.document.clone();
        trial.carry_out(requests)?;
        let mut uploads = Vec::new();
        let inserted = trial.with_pictures(&mut expected, &mut uploads)?;
        // The last one asks again: a blank shows its look only once the words on both sides of it have that look.
        for step in [restyle::paragraph_styles, restyle::text_styles, restyle::text_styles] {
            let styles = trial.restyled(step, &mut expected, &mut told.notices)?;
            trial.carry_out(styles)?;
        }
        let mut joins = trial.joins(&before, &expected);
        touched.append(&mut joins.touched);
        trial.carry_out(joins.requests)?;
        let mut numbers = numbers::Told::default();
        touched.append(&mut numbers::settle(&mut trial, &expected, &mut numbers));
        let endings = trial.endings(&before, &expected);
        trial.carry_out(endings)?;
        touched.append(&mut trial.restore_settings(&expected)?);
        touched.append(&mut trial.restore_run_looks(&expected, &mut told.lost)?);
        touched.append(&mut trial.restore_glyphs(&before, &expected, (&told.notices, &mut told.lost))?);
        verify::arrives(&trial.extract, &expected).map_err(|reason| task.rejected(reason))?;
        verify::nothing_else_moves(&before, &trial.document, task.part, &touched, &expected, &head)
            .map_err(|reason| task.rejected(reason))?;
        let again = pending && objects::make(task, &mut trial, &inserted, &mut told.notices)?;
        // What has no place yet for an anchor is the next plan's, and so is what is told of it.
        let (mut later, notices) = (Notices::default(), &mut told.notices);
        let anchors = anchors::settle(task, &mut trial, if again { &mut later } else { notices })?;
        let idle = trial.extract.anchors == task.remote.anchors
            && is_alike(&trial.extract.tree.blocks, &task.remote.tree.blocks)
            && trial.extract.looks == task.remote.looks
            && trial.extract.numbers == task.remote.numbers;
        if idle && !trial.requests.is_empty() && head.is_idle() {
            told.take(numbers, false);
            // Going there and back again is nothing to send.
            return Ok(told.nothing(task, false, moved));
        }
        if !again {
            told::tell_unsaid(task, &trial, &inserted, &mut told.notices);
        }
        let torn = told::tell_torn(task, &told::as_in_file(&trial.extract, &inserted), &mut told.notices);
        told.take(numbers, !trial.requests.is_empty());
        if torn {
            return Ok(told.nothing(task, true, moved));
        }
        let named = |id: &str| anchors.get(id).cloned().unwrap_or_else(|| Some(id.to_owned()));
        let mut expected = predicted(trial.extract.presented_with(named), &task.remote);
        images::as_written(&mut expected, &task.carried.as_named(inserted));
        expected.front_matter = head.applied(task.remote.tree.front_matter.as_ref());
        let expected = print(&expected);
        let requests: Vec<_> = trial.requests.iter().filter_map(|request| serde_json::to_value(request).ok()).collect();
        // A link to a new heading is made once Google has given its id.
        let Told { mut notices, holds, lost, deleted } = told;
        let later = notices.0.iter().any(|notice| notice.code == LINK_LATER) && !requests.is_empty();
        notices.0.retain(|notice| !later || notice.code != LINK_LATER);
        let (again, told) =
            (again || later || head.again(), told::side_effects(task, &trial, (&mut notices, lost), &requests));
        let (refused, rename, wanted_pictures) = (notices.sorted(), head.rename, Vec::new());
        let unsaid = Vec::new();
        let plan =
            PushPlan { requests, refused, told, unsaid, holds, expected, rename, uploads, wanted_pictures, again };
        Ok(Attempt { plan, torn: false, moved, deleted })
    }
}

/// Tells whether two runs of blocks say the same but for the ids of headings, which Google gives: a plan that would change nothing
/// else only breaks what links there.
pub(super) fn is_alike(these: &[Block], those: &[Block]) -> bool {
    let same = |(one, other): (&Block, &Block)| match (&one.content, &other.content) {
        (Content::Heading { level, runs, .. }, Content::Heading { level: other, runs: others, .. }) => {
            level == other && runs == others
        }
        (one, other) => one == other,
    };
    these.len() == those.len() && these.iter().zip(those).all(same)
}

/// Tells whether more tables would be left in which nothing stands than the document has, or the file.
fn is_unfilled(task: &Task<'_>, expected: &[Expected]) -> bool {
    let is_bare = |content: &Content| matches!(content, Content::Table { .. }) && content.runs().is_empty();
    let bare = |tree: &Tree| tree.blocks.iter().filter(|block| is_bare(&block.content)).count();
    let left = expected.iter().filter(|expected| matches!(&expected.what, What::Kept(content) if is_bare(content)));
    left.count() > bare(&task.remote.tree).max(bare(&task.local.tree))
}

/// Tells whether a request makes something that only the text stage fills.
const fn makes_structure(request: &Request) -> bool {
    matches!(request, Request::InsertTable(_))
}

/// A plan that asks nothing of the document.
fn nothing(task: &Task<'_>, notices: Notices, holds: Vec<Notice>) -> PushPlan {
    PushPlan {
        requests: Vec::new(),
        refused: notices.sorted(),
        holds,
        expected: task.remote.text(),
        ..PushPlan::default()
    }
}

/// The elements that are touched, and the requests from the end of the tab to its start.
pub(super) fn in_order(groups: Vec<Group>) -> (Vec<usize>, Vec<Request>) {
    let touched = groups.iter().flat_map(|group| group.elements.iter().copied()).collect();
    (touched, groups.into_iter().rev().flat_map(|group| group.requests).collect())
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
