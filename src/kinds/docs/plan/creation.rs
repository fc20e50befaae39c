//! What makes a new document say a text. Pure.

use super::images;
use super::part::{plan_task, tell_forms};
use super::trial::Task;
use super::without::{self, Reduced};
use crate::error::{Error, Result};
use crate::gdocs::{Document, Ticks, apply, read_requests};
use crate::kinds::{Pictures, PushPlan};
use crate::model::PartId;

/// Batches that a new document takes at most: the text of footnotes follows their references, and more is a mistake.
const BATCHES_MAX: usize = 4;

/// What a new document can do without and still say every word: told, and no reason to make nothing at all.
const LOSSES: [&str; 13] = [
    "ANCHOR",
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
    NEEDED,
    "UNKNOWN_PROPERTY",
];

/// Told where the document has an empty paragraph of its own: a new one has that for every text.
const NEEDED: &str = "STRUCTURE";

/// Plans what makes a new document say `text`; what is left of it, when the plan before asked for another. What the
/// document does without is told in `refused`; `pictures` says which files that the text names are none.
///
/// # Errors
///
/// `InvalidInput` when a part of the text cannot be pushed yet, with its line: a new document must not begin with a loss.
pub(crate) fn create_plan(document: &Document, text: &str, pictures: &Pictures) -> Result<PushPlan> {
    let Reduced { text, parsed, told: mut left_out } = without::reduced(text, pictures);
    if text.trim().is_empty() {
        return Ok(PushPlan { refused: left_out, ..PushPlan::default() });
    }
    let (part, ticks) = (PartId::default(), Ticks::default());
    let mut task = Task::of((document, &ticks), None, &part, (text, parsed, &[]), false, pictures)?;
    without::settle_lists(&mut task, &mut left_out);
    without::settle_head(&mut task, &document.title, &mut left_out);
    let made = images::made_before(&task.remote.tree, &task.local.tree);
    images::as_inserted(&mut task.local.tree, &made);
    images::as_inserted(&mut task.parsed, &made);
    task.repeat_footnotes();
    let mut plan = plan_task(&task)
        .map_err(|error| if let Error::PlanRejected { reason, .. } = error { impossible(&reason) } else { error })?
        .plan;
    let lost = plan.refused.iter().filter(|notice| !LOSSES.contains(&&*notice.code));
    let reasons: Vec<String> = lost.chain(&plan.holds).map(ToString::to_string).collect();
    if reasons.is_empty() {
        plan.refused.retain(|notice| notice.code != NEEDED);
        plan.told.retain(|notice| notice.code != NEEDED);
        tell_forms(&task, &mut plan);
        plan.refused.append(&mut plan.unsaid);
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

/// Plans every batch that a new document takes, each on what the model makes of the one before.
///
/// # Errors
///
/// As [`create_plan`]; the same when it takes batch after batch.
pub(crate) fn try_creation(blank: &Document, text: &str, pictures: &Pictures) -> Result<Vec<PushPlan>> {
    let mut document = blank.clone();
    let mut plans = Vec::new();
    while plans.len() < BATCHES_MAX {
        let plan = create_plan(&document, text, pictures)?;
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
