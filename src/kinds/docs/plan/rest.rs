//! A plan of a part of an edit comes to rest: what the plan of the next save would take back is not sent. Else each save would
//! change the document, and the next would change it back, for as long as the rest of the edit waits. Pure.

use super::part::{Scope, is_alike, plan_less};
use super::trial::Task;
use crate::gdocs::{apply_traced, read_requests};
use crate::kinds::PushPlan;
use crate::mebdf::parse;
use crate::model::Notice;

/// The seed of the ids that the model makes up.
const SEED: u64 = 0;

/// Returns the plan, or one that asks nothing of the document when the plan of the next save leads back.
pub(super) fn settled(task: &Task<'_>, plan: PushPlan) -> PushPlan {
    let is_partial = !plan.refused.is_empty() && !plan.again && plan.rename.is_none() && plan.uploads.is_empty();
    if !is_partial || plan.requests.is_empty() {
        return plan;
    }
    let now = task.remote.text();
    let leads_back = next(task, &plan).is_some_and(|next| {
        !next.requests.is_empty() && is_alike(&parse(&next.expected).tree.blocks, &parse(&now).tree.blocks)
    });
    if !leads_back {
        return plan;
    }
    let mut refused = plan.refused;
    if let Some(line) = refused.iter().map(|notice| notice.line).min() {
        let message = "what else differs between the file and the document waits for the edits that are not pushed";
        refused.push(Notice { code: "TORN".into(), line, column: 0, message: message.into() });
    }
    PushPlan { refused, expected: now, holds: plan.holds, unsaid: plan.unsaid, ..PushPlan::default() }
}

/// The plan of the same file once this one has landed; `None` where that cannot be known.
fn next(task: &Task<'_>, plan: &PushPlan) -> Option<PushPlan> {
    let requests = read_requests(&plan.requests).ok()?;
    let (after, traces) = apply_traced(task.document, &requests, SEED).ok()?;
    let ticks = task.ticks.carried(task.document, &after.document, &traces);
    let head = task.remote.tree.front_matter.clone();
    let document = (&after.document, &ticks);
    let next = Task::read(document, head, task.part, (&task.text, &[]), task.accept, task.pictures).ok()?;
    plan_less(&next, Scope::Whole).ok()
}
