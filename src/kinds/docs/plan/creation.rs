//! What makes a new document say a text. Pure.

use std::borrow::Cow;

use super::part::{plan_task, tell_forms};
use super::trial::Task;
use crate::error::{Error, Result};
use crate::gdocs::{Document, Ticks, apply, read_requests};
use crate::kinds::{Pictures, PushPlan};
use crate::mebdf::{Block, Content, clean, parse};
use crate::model::{Notice, PartId};

/// Batches that a new document takes at most: the text of footnotes follows their references, and more is a mistake.
const BATCHES_MAX: usize = 4;

/// What a new document can do without and still say every word: told, and no reason to make nothing at all.
const LOSSES: [&str; 11] = [
    "CODE_LANGUAGE",
    "TICK",
    "LIST_START",
    "LIST_DEPTH",
    "LIST_LOCKED",
    "LINK_LOCKED",
    "NO_EFFECT",
    "PARAGRAPH_PROPERTY",
    "STYLE_INHERITED",
    "STYLE_VALUE",
    "UNKNOWN_PROPERTY",
];

/// Plans what makes a new document say `text`; what is left of it, when the plan before asked for another. What the
/// document does without is told in `refused`.
///
/// # Errors
///
/// `InvalidInput` when a part of the text cannot be pushed yet, with its line: a new document must not begin with a loss.
pub(crate) fn create_plan(document: &Document, text: &str) -> Result<PushPlan> {
    let (text, left_out) = without_rules(text);
    if text.trim().is_empty() {
        return Ok(PushPlan { refused: left_out, ..PushPlan::default() });
    }
    let (part, ticks, pictures) = (PartId::default(), Ticks::default(), Pictures::default());
    let mut task = Task::read((document, &ticks), None, &part, (&text, &[]), false, &pictures)?;
    task.repeat_footnotes();
    let mut plan = plan_task(&task)
        .map_err(|error| if let Error::PlanRejected { reason, .. } = error { impossible(&reason) } else { error })?
        .plan;
    let lost = plan.refused.iter().filter(|notice| !LOSSES.contains(&&*notice.code));
    let reasons: Vec<String> = lost.chain(&plan.holds).map(ToString::to_string).collect();
    if reasons.is_empty() {
        tell_forms(&task, &mut plan);
        plan.refused.extend(left_out);
        plan.refused.sort_by_key(|notice| (notice.line, notice.column));
        return Ok(plan);
    }
    Err(impossible(&reasons.join("; ")))
}

/// The error for a text of which no document can be made.
fn impossible(reason: &str) -> Error {
    Error::InvalidInput {
        what: format!("the text cannot become a document as it is: {reason}"),
        suggestion: "Leave out what cannot be created yet, and create the document again.".into(),
    }
}

/// Leaves out the horizontal rules of a text, which the API cannot make; all else keeps its line.
fn without_rules(text: &str) -> (Cow<'_, str>, Vec<Notice>) {
    let blocks = parse(text).tree.blocks;
    let is_rule = |block: &&Block| matches!(block.content, Content::Rule);
    if !blocks.iter().any(|block| is_rule(&block)) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut left = clean(text).into_owned();
    let mut told = Vec::new();
    for (at, rule) in blocks.iter().enumerate().rev().filter(|(_, block)| is_rule(block)) {
        let item = |at: Option<usize>| {
            at.and_then(|at| blocks.get(at)).is_some_and(|block| matches!(block.content, Content::Item { .. }))
        };
        let line = left.get(..rule.span.0.start).unwrap_or_default().matches('\n').count() + 1;
        let written = left.get(rule.span.0.clone()).unwrap_or_default();
        let rest = if written.ends_with('\n') { "\n" } else { "" };
        // Lists that only the rule keeps apart must not become one: an empty paragraph does that as well.
        let instead = if item(at.checked_sub(1)) && item(at.checked_add(1)) { "\\" } else { "" };
        left.replace_range(rule.span.0.clone(), &format!("{instead}{rest}"));
        let message = "the API cannot make a horizontal rule; it was left out".to_owned();
        told.push(Notice { code: "LOCKED".into(), line: u32::try_from(line).unwrap_or(u32::MAX), column: 0, message });
    }
    told.reverse();
    (Cow::Owned(left), told)
}

/// Plans every batch that a new document takes, each on what the model makes of the one before.
///
/// # Errors
///
/// As [`create_plan`]; the same when it takes batch after batch.
pub(crate) fn try_creation(blank: &Document, text: &str) -> Result<Vec<PushPlan>> {
    let mut document = blank.clone();
    let mut plans = Vec::new();
    while plans.len() < BATCHES_MAX {
        let plan = create_plan(&document, text)?;
        let again = plan.again;
        let requests = read_requests(&plan.requests).map_err(|refusal| impossible(&refusal.message))?;
        let seed = u64::try_from(plans.len()).unwrap_or(0);
        document = apply(&document, &requests, seed).map_err(|refusal| impossible(&refusal.message))?.document;
        plans.push(plan);
        if !again {
            return Ok(plans);
        }
    }
    Err(impossible(&format!("the document is not finished after {BATCHES_MAX} batches")))
}
