//! How a walk ends: at its end, by a failure, or early, to be begun again.

use std::collections::BTreeSet;

use crate::model::Millis;

use super::backoff;
use super::choice;
use super::engine::{Engine, Fate, LOOK_MS};
use super::item::{Dirty, Item, Phase, Waiter};
use super::{Answer, Effect, Failure, FailureClass, RequestId};

/// How long a walk is put off at most that somebody waits for, in milliseconds.
const WAITED_MS: u64 = 2_000;

impl Engine {
    /// Ends a walk that came to its end, and answers who waited for it.
    pub(super) fn end(&mut self, item: &mut Item) -> Fate {
        item.phase = Phase::Idle;
        let Some(mut walk) = item.take_walk() else { return Fate::Keep };
        item.state.failures = 0;
        item.state.moved = 0;
        // A save came while the walk went on, or is doubted, and nothing landed: a question about what is saved has the next walk.
        // One that was passed by may be quiet by now.
        let saving = walk.passed && item.state.dirty.local
            || item.parts.keys().any(|part| self.settle.is_due_soon(&(item.id.clone(), part.clone())));
        let is_early = |waiter: &Waiter| waiter.about_saves_until.is_some_and(|until| self.now < until);
        if saving && walk.requests == 0 && walk.waiters.iter().any(is_early) {
            let (later, now) = walk.waiters.into_iter().partition(is_early);
            walk.waiters = now;
            let Dirty { push, accept, dry, dry_accept, .. } = walk.why;
            item.state.dirty.join(Dirty { push, accept, dry, dry_accept, ..Dirty::default() });
            item.state.waiters.extend(Vec::into_iter(later));
        }
        let mut notices = self.item_status(item).notices();
        notices.append(&mut walk.went);
        if walk.waiters.iter().any(|waiter| waiter.accepts) {
            item.answer_accepted();
        }
        let answer = Answer::Done { notices, requests: walk.requests };
        for waiter in walk.waiters {
            let undecided = walk.undecided.remove(&waiter.request).map(Answer::Failed);
            self.reply(waiter.request, undecided.unwrap_or_else(|| answer.clone()));
        }
        Fate::Keep
    }

    /// Ends a walk that failed: its waiters are told, its reasons are kept where trying again can help.
    pub(super) fn fail(&mut self, item: &mut Item, failure: Failure) -> Fate {
        let Some(walk) = item.take_walk() else { return self.lost(item) };
        item.phase = Phase::Idle;
        for waiter in &walk.waiters {
            self.reply(waiter.request, Answer::Failed(failure.clone()));
        }
        if walk.waiters.iter().any(|waiter| waiter.accepts) {
            item.release_nothing();
        }
        if !item.mirrored {
            return Fate::Drop;
        }
        self.unreached = if failure.is_of_network() { self.unreached.saturating_add(1) } else { self.unreached };
        item.state.failures = item.state.failures.saturating_add(1);
        item.state.failure = Some(failure.clone());
        let mut why = Dirty { dry: false, resolve: Vec::new(), accept: BTreeSet::new(), ..walk.why };
        // Something real is left to do even if only a plan was asked for: an ended push to record, for one.
        why.remote |= !item.state.ended.is_empty() || !item.state.unknown.is_empty();
        match failure.class {
            FailureClass::Transient => {
                item.state.dirty.join(why);
                let chance = self.chance.draw();
                let wait = backoff::next(item.state.failures, failure.retry_after_ms, chance);
                self.retry_at(item, Millis(self.now.0.saturating_add(wait)));
            }
            FailureClass::SignedOut => {
                item.state.dirty.join(why);
                self.paused = Some(failure);
            }
            FailureClass::Gone => {
                // A reading tells what is to become of its files.
                item.state.dirty.join(Dirty { remote: true, ..why });
                let chance = self.chance.draw();
                self.retry_at(
                    item,
                    Millis(self.now.0.saturating_add(backoff::next(item.state.failures, None, chance))),
                );
            }
            FailureClass::Permanent | FailureClass::CursorExpired => {
                // Somebody may put it right elsewhere, of which nothing tells. Who asked has an answer and may ask again.
                item.state.dirty.join(Dirty { restore: false, ..why });
                self.retry_at(item, Millis(self.now.0.saturating_add(LOOK_MS)));
            }
        }
        Fate::Keep
    }

    /// Ends a walk that a local obstacle stopped; disks and databases recover, so it is always tried again.
    pub(super) fn fail_here(&mut self, item: &mut Item, mut failure: Failure) -> Fate {
        failure.class = FailureClass::Transient;
        self.fail(item, failure)
    }

    /// Ends a walk early; it is begun again at `at` with the same reasons and waiters.
    pub(super) fn put_off(&mut self, item: &mut Item, at: Millis) -> Fate {
        self.hand_back(item);
        let mut at = at;
        for waiter in &mut item.state.waiters {
            waiter.put_off = true;
            at = at.min(Millis(self.now.0.saturating_add(WAITED_MS)));
        }
        self.retry_at(item, at);
        Fate::Keep
    }

    /// Ends a walk early; it is begun again as soon as its files are quiet, with the same reasons and waiters.
    pub(super) fn hand_back(&mut self, item: &mut Item) {
        item.phase = Phase::Idle;
        let Some(mut walk) = item.take_walk() else { return };
        item.state.failure = item.state.failure.take().or(walk.failed_push.take());
        if walk.remote.is_some() {
            // The file may have been edited since the resolution was asked for.
            let dropped: BTreeSet<RequestId> = walk.why.resolve.drain(..).map(|resolve| resolve.request).collect();
            walk.waiters.retain(|waiter| {
                let undecided = walk.undecided.remove(&waiter.request);
                let undecided = undecided.or_else(|| dropped.contains(&waiter.request).then(choice::unseen));
                if let Some(why) = undecided.clone() {
                    self.out.push(Effect::Reply { request: waiter.request, answer: Answer::Failed(why) });
                }
                undecided.is_none()
            });
        }
        item.state.dirty.join(walk.why);
        // The order of the waiters does not matter: all are answered at the same moment.
        item.state.waiters.extend(walk.waiters);
    }

    /// Ends a walk because of a halt; what it was for is kept until the account goes on.
    pub(super) fn stop(&mut self, item: &mut Item) -> Fate {
        let waiters = item.walk.as_mut().map(|walk| std::mem::take(&mut walk.waiters)).unwrap_or_default();
        if let Some(walk) = item.walk.as_mut().filter(|_| waiters.iter().any(|waiter| waiter.accepts)) {
            walk.why.accept.clear();
            item.release_nothing();
        }
        self.hand_back(item);
        if let Some(failure) = self.halted.clone() {
            for waiter in waiters {
                self.reply(waiter.request, Answer::Failed(failure.clone()));
            }
        }
        if item.mirrored { Fate::Keep } else { Fate::Drop }
    }

    /// A phase without a walk cannot be; the item is looked at anew instead of standing still for ever.
    pub(super) fn lost(&mut self, item: &mut Item) -> Fate {
        item.phase = Phase::Idle;
        item.state.dirty.remote = true;
        Fate::Keep
    }
}
