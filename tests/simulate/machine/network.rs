//! What the shell asks of Google, over a network that fails.

use mcp_workspace::kinds::docs::plan;
use mcp_workspace::kinds::{Fetched, PushPlan};
use mcp_workspace::model::{Cursor, ItemId, PartId, Revision};
use mcp_workspace::sync::merge::same_meaning;
use mcp_workspace::sync::{Event, Failure, FailureClass, Feed, JobId, Planned, Posted, Remote, lines_of_file};
use serde_json::Value;

use super::{Lane, Machine};
use crate::around::Around;
use crate::feed::Reach;
use crate::file::File;
use crate::google::{Landed, Main};
use crate::plants::Plant;

/// A failure that the world planned.
pub(super) fn failure(class: FailureClass) -> Failure {
    Failure {
        class,
        retry_after_ms: None,
        message: "planted".into(),
        kind: "network_error".into(),
        suggestion: "-".into(),
    }
}

/// A failure that passes, perhaps with the time that Google asks for; of some Google says that they do not, or that the account
/// is signed out.
fn trouble(around: &mut Around) -> Failure {
    let class = match around.dice.roll(12) {
        0 => FailureClass::SignedOut,
        1 => FailureClass::Permanent,
        _ => return passing(around),
    };
    let kind = if class == FailureClass::Permanent { "permission_denied" } else { "auth_expired" };
    Failure { kind: kind.into(), ..failure(class) }
}

/// A failure that passes, perhaps with the time that Google asks for.
fn passing(around: &mut Around) -> Failure {
    let retry_after_ms = around.dice.once_in(3).then(|| around.dice.roll(100_000) as u64);
    let kind = if around.dice.once_in(3) { "rate_limited" } else { "network_error" };
    Failure { retry_after_ms, kind: kind.into(), ..failure(FailureClass::Transient) }
}

/// Reads the change feed: it may fail, say things twice, or not know yet what changed last.
pub(super) fn polled(around: &mut Around, account: usize, cursor: Option<&Cursor>) -> Event {
    if around.is_offline {
        return Event::Polled(Err(failure(FailureClass::Transient)));
    }
    if around.fault(10) {
        let class = around.dice.pick(&[
            FailureClass::CursorExpired,
            FailureClass::SignedOut,
            FailureClass::Transient,
            FailureClass::Permanent,
        ]);
        return Event::Polled(Err(Failure { class, ..passing(around) }));
    }
    let lag = if around.fault(6) { around.dice.roll(4) } else { 0 };
    let (mut changed, vanished, cursor) = around.google.feed.since(account, cursor, lag);
    if around.fault(10) {
        changed.extend_from_within(..);
    }
    Event::Polled(Ok(Feed { changed, vanished, cursor }))
}

/// Reads a document, after asking whether it is in the trash or not.
pub(super) fn fetched(
    around: &mut Around,
    lane: &mut Lane,
    account: usize,
    (item, may_be_trashed): (ItemId, bool),
    main: &Main,
) -> Event {
    if around.is_offline {
        return Event::Fetched { item, result: Err(failure(FailureClass::Transient)) };
    }
    if around.fault(10) {
        return Event::Fetched { item, result: Err(trouble(around)) };
    }
    let google = &around.google;
    let read = if may_be_trashed { google.fetch_as(account, &item) } else { google.fetch_anywhere(account, &item) };
    let Some(fetched) = read else {
        return Event::Fetched { item, result: Err(gone()) };
    };
    let fetched = main.given(fetched);
    let remote = Remote {
        kind: fetched.kind,
        title: fetched.title.clone(),
        revision: fetched.revision.clone(),
        can_edit: fetched.can_edit,
        parts: fetched.parts.iter().map(|part| (part.id.clone(), part.text.clone())).collect(),
    };
    lane.fetched = Some(fetched);
    Event::Fetched { item, result: Ok(remote) }
}

/// The answer of who does not let an account see a document.
fn gone() -> Failure {
    Failure { kind: "not_found".into(), ..failure(FailureClass::Gone) }
}

/// What a tab says.
fn said<'a>(fetched: &'a Fetched, part: &PartId) -> &'a str {
    fetched.parts.iter().find(|there| there.id == *part).map(|there| there.text.as_str()).unwrap_or_default()
}

/// Plans a push.
pub(super) fn planned(
    around: &mut Around,
    lane: &mut Lane,
    (item, part): (ItemId, PartId),
    (desired, file): (String, String),
    accept: bool,
) -> Event {
    let fetched = lane.fetched.as_ref().unwrap();
    let desired = if around.plant == Some(Plant::DropsTheirs) { file.clone() } else { desired };
    let mut plan = match plan(fetched, &part, &desired, accept) {
        Ok(plan) => plan,
        Err(error) => {
            let says = said(fetched, &part);
            panic!("a plan was rejected: {error:?}\nit shall say:\n{desired}\nit says:\n{says}")
        }
    };
    for notices in [&mut plan.refused, &mut plan.told, &mut plan.unsaid, &mut plan.holds] {
        lines_of_file(notices, &desired, &file);
    }
    let planned = Planned {
        requests: plan.size(),
        refused: plan.refused.clone(),
        told: plan.told.clone(),
        unsaid: plan.unsaid.clone(),
        holds: plan.holds.clone(),
        expected: plan.expected.clone(),
        again: plan.again,
    };
    lane.plan = Some((part, plan));
    Event::Planned { item, result: Ok(planned) }
}

impl Machine {
    /// Sends the push that was planned.
    pub(super) fn post(
        &mut self,
        around: &mut Around,
        lane: &mut Lane,
        item: ItemId,
        job: JobId,
        revision: &Revision,
    ) -> Event {
        self.check_sent(&item);
        self.check_quota(around, 1, self.limits.writes);
        self.store.sent(&item, job, revision);
        let (part, plan) = lane.plan.take().unwrap();
        let main = self.main_of(around, lane.fetched.as_deref(), &item);
        let file = File { item: item.clone(), part };
        let result = posted(around, (self.account, &file, &main), revision, &plan);
        if matches!(result, Posted::Accepted(_)) {
            self.store.answered(job);
        }
        if around.plant == Some(Plant::RecordsBeforeAnswer) {
            self.store.rebase(&file, &plan.expected);
        }
        Event::Posted { item, result }
    }
}

/// Sends a push over a network that may lose it, or the answer, or both, or bring it late.
fn posted(
    around: &mut Around,
    (account, file, main): (usize, &File, &Main),
    revision: &Revision,
    plan: &PushPlan,
) -> Posted {
    let item = &file.item;
    if around.is_offline {
        return Posted::Failed(failure(FailureClass::Transient));
    }
    if around.fault(12) {
        return Posted::Failed(trouble(around));
    }
    let mut requests = plan.requests.clone();
    let required = (around.plant != Some(Plant::RequiresNoRevision)).then_some(revision);
    if around.plant == Some(Plant::CountsLetters) {
        let astral = around.google.astral(item);
        requests.iter_mut().for_each(|request| count_letters(request, &astral));
    }
    if around.plant == Some(Plant::SplitsBatches) && requests.len() > 1 {
        let rest = requests.split_off(requests.len() / 2);
        return match around.push((account, item), required, &requests) {
            Landed::Yes if around.fault(8) => Posted::Unknown(passing(around)),
            Landed::Yes => answer(around.push((account, item), None, &rest), item),
            landed => answer(landed, item),
        };
    }
    if around.fault(8) {
        match around.dice.roll(3) {
            0 => {}
            1 => around.google.keep(around.now, (account, item), revision, &requests),
            _ => drop(around.push((account, item), required, &requests)),
        }
        if around.plant == Some(Plant::ResendsBlind) {
            return answer(around.push((account, item), None, &requests), item);
        }
        return Posted::Unknown(passing(around));
    }
    let landed = around.push((account, item), required, &requests);
    if landed == Landed::Yes && required.is_some() && !plan.again {
        let fetched = main.given(around.google.fetch(item));
        let (says, planned) = (said(&fetched, &file.part), &plan.expected);
        assert!(same_meaning(says, planned), "a push of {item} says\n{says}\nand was planned to say\n{planned}");
    }
    answer(landed, item)
}

/// Makes of indices in UTF-16 what they would be in letters.
fn count_letters(request: &mut Value, astral: &[u32]) {
    match request {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_index = matches!(name.as_str(), "index" | "startIndex" | "endIndex");
                if let Some(index) = value.as_u64().filter(|_| is_index) {
                    let wide = astral.iter().filter(|at| u64::from(**at) < index).count();
                    *value = (index - wide as u64).into();
                } else {
                    count_letters(value, astral);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| count_letters(value, astral)),
        _ => {}
    }
}

fn answer(landed: Landed, item: &ItemId) -> Posted {
    match landed {
        Landed::Yes => Posted::Accepted(None),
        Landed::Stale => Posted::Stale,
        Landed::Denied(Reach::Nothing) => Posted::Failed(gone()),
        Landed::Denied(_) => {
            Posted::Failed(Failure { kind: "permission_denied".into(), ..failure(FailureClass::Permanent) })
        }
        Landed::Refused(words) => panic!("Google refused a plan for {item}: {words}"),
    }
}
