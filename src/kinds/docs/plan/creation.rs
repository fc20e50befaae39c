//! What makes a new document say a text. Pure.

use super::part::{plan_task, tell_forms};
use super::trial::Task;
use crate::error::{Error, Result};
use crate::gdocs::{Document, Ticks, apply, read_requests};
use crate::kinds::{Pictures, PushPlan};
use crate::model::{ItemId, PartId};

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
    if text.trim().is_empty() {
        return Ok(PushPlan::default());
    }
    let (part, ticks, pictures) = (PartId::default(), Ticks::default(), Pictures::default());
    let task = Task::read((document, &ticks), None, &part, (text, &[]), false, &pictures)?;
    let mut plan = plan_task(&task)?.plan;
    let lost = plan.refused.iter().filter(|notice| !LOSSES.contains(&&*notice.code));
    let reasons: Vec<String> = lost.chain(&plan.holds).map(ToString::to_string).collect();
    if reasons.is_empty() {
        tell_forms(&task, &mut plan);
        return Ok(plan);
    }
    Err(Error::InvalidInput {
        what: format!("the text cannot become a document as it is: {}", reasons.join("; ")),
        suggestion: "Leave out what cannot be created yet, and create the document again.".into(),
    })
}

/// Plans every batch that a new document takes, each on what the model makes of the one before.
///
/// # Errors
///
/// As [`create_plan`]; `PlanRejected` when it takes batch after batch.
pub(crate) fn try_creation(blank: &Document, text: &str) -> Result<Vec<PushPlan>> {
    let mut document = blank.clone();
    let mut plans = Vec::new();
    while plans.len() < BATCHES_MAX {
        let plan = create_plan(&document, text)?;
        let again = plan.again;
        let requests = read_requests(&plan.requests).map_err(|refusal| Error::PlanRejected {
            id: ItemId(blank.document_id.clone()),
            reason: refusal.message,
        })?;
        let seed = u64::try_from(plans.len()).unwrap_or(0);
        document = apply(&document, &requests, seed)
            .map_err(|refusal| Error::PlanRejected { id: ItemId(blank.document_id.clone()), reason: refusal.message })?
            .document;
        plans.push(plan);
        if !again {
            return Ok(plans);
        }
    }
    let reason = format!("the document is not finished after {BATCHES_MAX} batches");
    Err(Error::PlanRejected { id: ItemId(blank.document_id.clone()), reason })
}
