//! The middle of a walk: plan, write the intent down, send once.

use crate::model::{Millis, PartId};

use super::accepted;
use super::backoff;
use super::carried::{PUSHES_MAX, Walk};
use super::engine::{Engine, Fate, failure_of};
use super::item::{Item, Phase, Unknown, notice};
use super::merge;
use super::numbers;
use super::spelling::{self, Waiting};
use super::unknown;
use super::{Effect, Failure, FailureClass, JobEnd, JobId, NotDone, Planned, Posted};

impl Engine {
    /// Plans the next file that has something to push; then come the deposits.
    pub(super) fn next_plan(&mut self, item: &mut Item) -> Fate {
        if self.halted.is_some() {
            return self.stop(item);
        }
        loop {
            let Some(walk) = &mut item.walk else { return self.lost(item) };
            let Some(id) = walk.plans.pop_front() else { break };
            let Some(merged) = walk.merged.get(&id) else { continue };
            let Some(part) = item.parts.get_mut(&id) else { continue };
            if self.settings.read_only {
                let message = "this account is only mirrored (`mode = \"mirror\"`); the edits stay in the file";
                part.state.refused = vec![notice("MIRROR_ONLY", message)];
                continue;
            }
            let revision = walk.remote.as_ref().and_then(|remote| remote.revision.as_ref());
            if !item.can_edit || revision.is_none() {
                part.state.refused =
                    vec![notice("READ_ONLY", "this account may not edit the item; the edits stay in the file")];
                continue;
            }
            let accept = walk.released.contains_key(&id) || walk.why.dry_accept.contains(&id);
            let (desired, file) = (merged.push.clone(), merged.file.clone());
            let effect = Effect::Plan { item: item.id.clone(), part: id.clone(), desired, file, accept };
            walk.planning = Some(id);
            item.phase = Phase::Planning;
            self.out.push(effect);
            return Fate::Keep;
        }
        if item.walk.as_ref().is_some_and(|walk| walk.why.dry) {
            return self.end(item);
        }
        self.next_conflicts(item)
    }

    /// A plan was made, or not.
    pub(super) fn planned(&mut self, item: &mut Item, result: Result<Planned, Failure>) -> Fate {
        let Some(walk) = &mut item.walk else { return self.lost(item) };
        let Some(id) = walk.planning.take() else { return self.lost(item) };
        let mut planned = match result {
            Ok(planned) => planned,
            Err(failure) if matches!(failure.class, FailureClass::SignedOut | FailureClass::Transient) => {
                return self.fail(item, failure);
            }
            Err(failure) => {
                // A plan that did not stand the check is not sent; the edit stays in the file and says so.
                if let Some(part) = item.parts.get_mut(&id) {
                    part.state.refused = vec![notice("NOT_PLANNED", &failure.message)];
                }
                item.state.failure = Some(failure);
                return self.next_plan(item);
            }
        };
        let Some(part) = item.parts.get_mut(&id) else { return self.next_plan(item) };
        part.state.refused.clone_from(&planned.refused);
        part.state.unsaid.clone_from(&planned.unsaid);
        if !walk.why.dry_accept.contains(&id) {
            part.state.held.clone_from(&planned.holds);
        }
        if let Some(released) = walk.released.get(&id) {
            planned.told.extend(released.iter().chain(&part.state.held).map(accepted::released));
            part.state.held.clear();
        }
        if walk.why.dry {
            walk.requests += planned.requests;
            return self.next_plan(item);
        }
        let held = !part.state.held.is_empty();
        // Touched since it was read: the newer save has a walk of its own.
        let newer = self.settle.waits(&(item.id.clone(), id.clone()));
        if newer && planned.requests > 0 && !held {
            // Nothing of it may be recorded either: with this reading's hash, the same bytes would look like an echo to
            // the walk that is for them.
            part.behind = true;
            walk.passed = true;
            walk.merged.remove(&id);
            return self.next_plan(item);
        }
        let revision = walk.remote.as_ref().and_then(|remote| remote.revision.clone());
        let Some(revision) = revision.filter(|_| planned.requests > 0 && !held) else {
            if planned.requests == 0
                && let Some(waiting) = waiting(walk, &id, &planned)
            {
                respell(walk, &id, &waiting);
            }
            return self.next_plan(item);
        };
        if self.halted.is_some() {
            return self.stop(item);
        }
        if !self.may_write(item) {
            // It goes behind those who wait to push.
            self.quota.take_back(std::mem::take(&mut item.state.reserved));
            return self.fetch(item);
        }
        let Some(mut walk) = item.walk.take() else { return self.lost(item) };
        if let (Some(merged), Some(remote)) = (walk.merged.get(&id), remote_text(&walk, &id)) {
            planned.told.extend(unknown::sent_again(item, &id, remote, merged));
        }
        self.out.push(Effect::Begin {
            item: item.id.clone(),
            part: id.clone(),
            expect: walk.stamp(&id),
            revision: revision.clone(),
            expected: planned.expected.clone(),
            base: landed_base(&walk, &id, &planned),
            told: planned.told.clone(),
        });
        walk.pushing = Some((id, revision, planned));
        item.walk = Some(walk);
        item.phase = Phase::Beginning;
        Fate::Keep
    }

    /// The intent is on disk, or not. Without it nothing is sent.
    pub(super) fn begun(&mut self, item: &mut Item, result: Result<JobId, NotDone>) -> Fate {
        let job = match result {
            Ok(job) => job,
            Err(NotDone::Moved) => {
                let part = item.walk.as_mut().and_then(|walk| walk.pushing.take()).map(|(part, ..)| part);
                return self.moved(item, &part.unwrap_or_default());
            }
            Err(NotDone::Failed(failure)) => return self.fail_here(item, failure),
        };
        // Its row in the journal stands in the store, and is not to be forgotten with an item that was never recorded.
        item.mirrored = true;
        if self.halted.is_some() {
            item.state.ended.push((job, JobEnd::Failed));
            return self.stop(item);
        }
        let Some(walk) = &mut item.walk else { return self.lost(item) };
        let Some((_, revision, _)) = &walk.pushing else { return self.lost(item) };
        item.state.reserved.writes = item.state.reserved.writes.saturating_sub(1);
        self.out.push(Effect::Post { item: item.id.clone(), job, revision: revision.clone() });
        walk.job = Some(job);
        item.phase = Phase::Posting;
        Fate::Keep
    }

    /// A push was answered, or not.
    pub(super) fn posted(&mut self, item: &mut Item, result: Posted) -> Fate {
        let Some(walk) = &mut item.walk else { return self.lost(item) };
        let (Some((id, revision, planned)), Some(job)) = (walk.pushing.take(), walk.job.take()) else {
            return self.lost(item);
        };
        let base = landed_base(walk, &id, &planned);
        let before = remote_text(walk, &id).map(str::to_owned);
        item.state.push_failures = match &result {
            Posted::Accepted(_) | Posted::Stale | Posted::Refused(_) => 0,
            Posted::Unknown(_) | Posted::Failed(_) => item.state.push_failures.saturating_add(1),
        };
        match result {
            Posted::Accepted(_) => {
                walk.failed_push = None;
                walk.requests += planned.requests;
                let pushes = walk.pushed.entry(id.clone()).or_default();
                // What was refused may have waited for what has landed now, such as a list for the table that it was; and what
                // was in conflict may have met what is agreed on now.
                let conflicts = walk.merged.get(&id).is_some_and(|merged| !merged.conflicts.is_empty());
                let more = planned.again || !planned.refused.is_empty() || conflicts;
                *pushes = if more { pushes.saturating_add(1) } else { PUSHES_MAX };
                if let Some(waiting) = waiting(walk, &id, &planned) {
                    walk.said.insert(id.clone(), waiting);
                }
                item.state.ended.push((job, JobEnd::Accepted));
                unknown::forestall(item, &revision);
                item.state.unlanded.retain(|(part, _)| *part != id);
                item.state.stale = 0;
                if let Some(part) = item.parts.get_mut(&id) {
                    part.state.told.landed(planned.told, self.now);
                }
                if let Some(base) = base {
                    item.state.bases.insert(id, base);
                }
                let chance = self.chance.draw();
                self.polling.note_edit(self.now, chance);
                self.fetch(item)
            }
            Posted::Stale => {
                item.state.ended.push((job, JobEnd::Stale));
                self.stale(item)
            }
            Posted::Refused(message) => {
                item.state.ended.push((job, JobEnd::Refused));
                if let Some(part) = item.parts.get_mut(&id) {
                    part.state.refused = vec![notice("REFUSED", format!("Google refused the edit: {message}"))];
                }
                item.state.failure =
                    Some(failure_of("refused", &message, "The edit stays in the file; change it and save again."));
                self.next_plan(item)
            }
            Posted::Unknown(failure) => {
                let Planned { requests, expected, told, .. } = planned;
                let at = self.now;
                item.state.unknown.push(Unknown {
                    job,
                    part: id,
                    revision,
                    at,
                    requests,
                    answered: false,
                    power_failed: false,
                    before,
                    expected,
                    base,
                    told,
                });
                // Never sent again blind: what the remote says now tells whether it landed.
                if item.state.push_failures == 1 {
                    item.state.failure = Some(failure);
                    return self.fetch(item);
                }
                item.state.failures = item.state.push_failures - 2;
                self.fail_here(item, failure)
            }
            Posted::Failed(failure) => {
                item.state.ended.push((job, JobEnd::Failed));
                item.state.failures = item.state.push_failures - 1;
                self.fail(item, failure)
            }
        }
    }

    /// The item moved on: fetch, merge, plan again, with growing pauses while others keep typing.
    fn stale(&mut self, item: &mut Item) -> Fate {
        item.state.stale = item.state.stale.saturating_add(1);
        let chance = self.chance.draw();
        match backoff::stale_pause(item.state.stale, chance) {
            0 => self.fetch(item),
            pause => {
                let message = "others keep editing the item; the push is tried again";
                item.state.failure =
                    Some(failure_of("stale_revision", message, "Nothing to do: it is merged and pushed again."));
                if let Some(walk) = &mut item.walk {
                    walk.why.remote = true;
                }
                self.put_off(item, Millis(self.now.0.saturating_add(pause)))
            }
        }
    }
}

/// What of a file the remote does not say once a plan has landed; `None` where that is not known.
fn waiting(walk: &Walk, id: &PartId, planned: &Planned) -> Option<Waiting> {
    let lines = planned.waiting()?;
    walk.merged.get(id).map(|merged| Waiting::of(&merged.file, &lines))
}

/// Lets a file whose edit the remote has, but for what waits, take the remote's way of writing it.
pub(super) fn respell(walk: &mut Walk, id: &PartId, waiting: &Waiting) {
    let file = remote_text(walk, id).zip(walk.merged.get(id)).filter(|(_, merged)| merged.pushes);
    let file = file.and_then(|(remote, merged)| spelling::respelled(&merged.file, remote, waiting));
    if let (Some(merged), Some(file)) = (walk.merged.get_mut(id), file) {
        merged.file = file;
    }
}

/// What the remote says of a file as it was read last.
fn remote_text<'w>(walk: &'w Walk, id: &PartId) -> Option<&'w str> {
    walk.remote.as_ref()?.parts.iter().find(|(part, _)| part == id).map(|(_, text)| text.as_str())
}

/// Returns the base of a file once its push has landed: the old base with the pushed edits.
///
/// What others wrote since the old base must not enter it: the file does not hold that yet, and what a base holds and
/// a file does not looks like a deletion. Sections in conflict keep their old base by the same rule. `None`, the old
/// base, is always right too: what stands on both sides by then is agreement.
fn landed_base(walk: &Walk, id: &PartId, planned: &Planned) -> Option<String> {
    let merged = walk.merged.get(id)?;
    let remote = remote_text(walk, id)?;
    let old = walk.observed.get(id)?.base.as_ref()?;
    let base = if merged.conflicts.is_empty() && merge::same_meaning(old, remote) {
        planned.expected.clone()
    } else if merge::same_meaning(&merged.push, &planned.expected) {
        merged.landed.clone()
    } else {
        // The plan left something out: what it left out stays an edit.
        merge::graft(&merged.push, &planned.expected, &merged.landed)?
    };
    Some(numbers::carry(&merged.landed, base))
}
