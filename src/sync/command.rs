//! What somebody asks of the engine. Every question gets exactly one answer.

use crate::model::{ItemId, Millis, Notice, PartId, Stamp};

use super::choice::Resolve;
use super::engine::{Engine, Fate, failure_of, paused};
use super::item::{Dirty, Item, Phase, Waiter};
use super::{Answer, Command, Effect, Failure, NotDone, RequestId, Side};

/// How long a question about what is saved waits for saves to be quiet, in milliseconds: for a whole save that is doubted
/// first, and not for one after the other.
const SAVES_MS: u64 = 5_000;

impl Engine {
    /// Takes a question in; the answer comes at once or at the end of a walk.
    pub(super) fn asked(&mut self, request: RequestId, command: Command) {
        match command {
            Command::Resume => self.resume(request),
            Command::Pause => self.pause(request),
            Command::Poll => {
                if self.is_refused_by_halt(request) {
                    return;
                }
                self.poll_waiters.push(request);
                self.polling.ask(self.now);
            }
            Command::Fetch(id) => {
                if self.is_refused_by_halt(request) {
                    return;
                }
                self.items.entry(id.clone()).or_insert_with(|| Box::new(Item::new(id.clone())));
                let why = Dirty { remote: true, restore: true, ..Dirty::default() };
                self.ask_walk(request, &id, why);
            }
            Command::Push { item, accept, dry_run } => {
                let accept = accept.into_iter().collect();
                let why = match dry_run {
                    true => Dirty { dry: true, dry_accept: accept, ..Dirty::default() },
                    false => Dirty { push: true, accept, ..Dirty::default() },
                };
                self.ask_walk(request, &item, why);
            }
            Command::Restore(id) => self.ask_walk(request, &id, Dirty { restore: true, ..Dirty::default() }),
            Command::Resolve { item, part, side } => self.ask_resolve(request, &item, part, side),
            Command::Seen { item, part, notices } => self.seen(request, item, part, &notices),
            Command::Trashed(id) => {
                self.ask_walk(request, &id, Dirty { remote: true, may_be_trashed: true, ..Dirty::default() });
            }
            Command::Forget(id) => self.ask_walk(request, &id, Dirty { forget: true, ..Dirty::default() }),
        }
    }

    fn ask_walk(&mut self, request: RequestId, id: &ItemId, why: Dirty) {
        if self.is_refused_by_halt(request) {
            return;
        }
        let Some(item) = self.items.get_mut(id) else {
            let message = format!("`{id}` is not mirrored");
            let failure = failure_of("not_found", &message, "Fetch it first.");
            self.reply(request, Answer::Failed(failure));
            return;
        };
        let dry = why.dry;
        let about_saves_until = (why.push || dry).then(|| Millis(self.now.0.saturating_add(SAVES_MS)));
        let accepts = !why.accept.is_empty();
        item.state.waiters.push(Waiter { request, dry, about_saves_until, accepts, put_off: false });
        item.state.dirty.join(why);
        if dry {
            self.step_out(id);
        } else {
            self.hurry(id);
        }
        self.enqueue(id, true);
    }

    fn ask_resolve(&mut self, request: RequestId, id: &ItemId, part: PartId, side: Side) {
        let known = self.items.get(id).is_none_or(|item| item.parts.contains_key(&part));
        if known {
            self.ask_walk(request, id, Dirty { resolve: vec![Resolve { request, part, side }], ..Dirty::default() });
        } else {
            let failure = failure_of("not_found", "the item has no such file", "See `mcp-workspace status`.");
            self.reply(request, Answer::Failed(failure));
        }
    }

    /// Lets go of what a person was told.
    fn seen(&mut self, request: RequestId, id: ItemId, part: PartId, notices: &[Notice]) {
        if let Some(known) = self.items.get_mut(&id).and_then(|item| item.parts.get_mut(&part)) {
            known.state.told.seen(notices);
            let told = known.state.told.clone();
            self.out.push(Effect::SaveTold { item: id, part, told });
        }
        self.reply(request, Answer::Done { notices: Vec::new(), requests: 0 });
    }

    fn pause(&mut self, request: RequestId) {
        let paused = paused();
        // Why it stood still before is still to be looked at.
        self.halted = Some(match self.halted.take() {
            Some(halted) if halted.kind == paused.kind => halted,
            Some(Failure { message, suggestion, .. }) => Failure {
                message: format!("{}; before that it halted: {message}", paused.message),
                suggestion,
                ..paused
            },
            None => paused,
        });
        self.out.push(Effect::SavePaused(true));
        self.reply(request, Answer::Done { notices: Vec::new(), requests: 0 });
    }

    fn resume(&mut self, request: RequestId) {
        if self.halted.take().is_some_and(|halted| halted.kind == paused().kind) {
            self.out.push(Effect::SavePaused(false));
        }
        self.paused = None;
        self.missing.clear();
        self.settle.doubt(self.now);
        self.mark_all(&Dirty { look: true, seen_missing: true, ..Dirty::default() });
        self.polling.ask(self.now);
        self.reply(request, Answer::Done { notices: Vec::new(), requests: 0 });
    }

    fn is_refused_by_halt(&mut self, request: RequestId) -> bool {
        let halted = self.halted.clone();
        if let Some(failure) = halted.clone() {
            self.reply(request, Answer::Failed(failure));
        }
        halted.is_some()
    }

    /// Answers everybody who waits for a walk that cannot begin because of a halt.
    pub(super) fn refuse_waiters(&mut self, id: &ItemId) {
        let Some(failure) = self.halted.clone() else { return };
        let waiters = self.items.get_mut(id).map(|item| item.take_waiters()).unwrap_or_default();
        for waiter in waiters {
            self.reply(waiter.request, Answer::Failed(failure.clone()));
        }
        self.drop_unmirrored(id);
    }

    /// Forgets an item that never stood in the workspace and that nobody waits for any more.
    fn drop_unmirrored(&mut self, id: &ItemId) {
        let idle = |item: &Item| !item.mirrored && item.phase == Phase::Idle && item.state.waiters.is_empty();
        if self.items.get(id).is_some_and(|item| idle(item))
            && let Some(item) = self.items.remove(id)
        {
            self.quota.forget(&item);
            self.quota.take_back(item.state.reserved);
        }
    }

    /// Puts the files of an item away: those that were read, as they were, or whatever stands.
    pub(super) fn retire(&mut self, item: &mut Item, expect: Option<Vec<(PartId, Option<Stamp>)>>) -> Fate {
        if !item.mirrored {
            return self.retired(item, Ok(()));
        }
        item.phase = Phase::Retiring;
        let bury = item.walk.as_ref().is_some_and(|walk| walk.buries.is_some());
        self.out.push(Effect::Retire { item: item.id.clone(), bury, expect });
        Fate::Keep
    }

    /// Puts the files of an item away that is to be forgotten. What has landed is agreed on first: who has a file open wrote that.
    pub(super) fn forget_files(&mut self, item: &mut Item) -> Fate {
        if item.state.ended.is_empty() {
            return self.retire(item, None);
        }
        if let Some(walk) = &mut item.walk {
            // It was merged before that.
            walk.merged.clear();
        }
        self.record(item)
    }

    /// The files of an item were put away, or not.
    pub(super) fn retired(&mut self, item: &mut Item, result: Result<(), NotDone>) -> Fate {
        match result {
            Ok(()) => {
                let walk = item.walk.take().unwrap_or_default();
                let done = Answer::Done { notices: Vec::new(), requests: 0 };
                let answer = walk.buries.clone().map_or(done, Answer::Failed);
                for waiter in walk.waiters.into_iter().chain(std::mem::take(&mut item.state.waiters)) {
                    self.reply(waiter.request, answer.clone());
                }
                if walk.buries.is_none() {
                    return Fate::Drop;
                }
                self.cover(&item.id, item.covers);
                item.bury();
                Fate::Keep
            }
            Err(NotDone::Moved) => {
                let part = item.parts.keys().next().cloned().unwrap_or_default();
                self.moved(item, &part)
            }
            Err(NotDone::Failed(failure)) => self.fail_here(item, failure),
        }
    }
}
