//! The order of effects: those of one item are performed one after another, in a lane of their own; lanes overlap.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{JoinError, JoinSet};

use super::Shared;
use super::walk::{Hand, perform};
use crate::kinds::PushPlan;
use crate::model::{ItemId, Millis, PartId};
use crate::sync::{Answer, Effect, Event, RequestId};

/// How long a lane keeps what its walk carried after its last effect.
const HAND_WAIT: Duration = Duration::from_secs(3);

/// The lanes of all items, and one for what is of none.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: HashMap<Option<ItemId>, Lane>,
    tasks: JoinSet<Done>,
}

/// The effects of one item, in order, and what its walk carries.
struct Lane {
    effects: VecDeque<Effect>,
    /// `None` while a task has it.
    hand: Option<Hand>,
    idle_since: Instant,
}

impl Lane {
    fn is_busy(&self) -> bool {
        self.hand.is_none() || !self.effects.is_empty()
    }
}

/// A step that was performed.
pub(super) struct Done {
    lane: Option<ItemId>,
    hand: Hand,
    event: Option<Event>,
}

/// The newest plan of each file, and those that landed, in order.
type Plans = (BTreeMap<PartId, Arc<PushPlan>>, BTreeMap<PartId, Vec<Arc<PushPlan>>>);

impl Lanes {
    /// Puts an effect at the end of its item's lane.
    pub(super) fn push(&mut self, effect: Effect) {
        let lane = self.lanes.entry(item_of_effect(&effect)).or_insert_with(|| Lane {
            effects: VecDeque::new(),
            hand: Some(Hand::default()),
            idle_since: Instant::now(),
        });
        lane.effects.push_back(effect);
    }

    /// Puts an answer behind what its item has yet to do; returns it when that is nothing, so that it is given now.
    pub(super) fn reply(
        &mut self,
        item: &Option<ItemId>,
        request: RequestId,
        answer: Answer,
    ) -> Option<(RequestId, Answer)> {
        let Some(lane) = self.lanes.get_mut(item).filter(|lane| lane.is_busy()) else {
            return Some((request, answer));
        };
        lane.effects.push_back(Effect::Reply { request, answer });
        None
    }

    /// Starts the next step of every lane that rests; returns the answers that are due before it.
    pub(super) fn start(&mut self, shared: &Arc<Shared>, now: Millis) -> Vec<(RequestId, Answer)> {
        let mut answers = Vec::new();
        for (id, lane) in &mut self.lanes {
            if lane.hand.is_none() {
                continue;
            }
            while let Some(Effect::Reply { .. }) = lane.effects.front() {
                if let Some(Effect::Reply { request, answer }) = lane.effects.pop_front() {
                    answers.push((request, answer));
                }
            }
            let Some(effect) = lane.effects.pop_front() else { continue };
            let Some(mut hand) = lane.hand.take() else { continue };
            let (shared, id) = (shared.clone(), id.clone());
            self.tasks.spawn(async move {
                let event = Box::pin(perform(&shared, &mut hand, effect, now)).await;
                Done { lane: id, hand, event }
            });
        }
        answers
    }

    /// Returns whether a step is under way.
    pub(super) fn are_at_work(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Waits for a step to end; `None` when none is under way.
    pub(super) async fn join_next(&mut self) -> Option<Result<Done, JoinError>> {
        self.tasks.join_next().await
    }

    /// Puts back what a step carried; returns what came of it.
    pub(super) fn done(&mut self, done: Result<Done, JoinError>) -> Option<Event> {
        // A step turns the panics of others into failures and has none of its own; if it had, its item would stand
        // still until the next start, and nothing else.
        let done = match done {
            Ok(done) => done,
            Err(error) => {
                tracing::error!(%error, "a step ended without a result");
                return None;
            }
        };
        if let Some(lane) = self.lanes.get_mut(&done.lane) {
            lane.hand = Some(done.hand);
            lane.idle_since = Instant::now();
        }
        done.event
    }

    /// Returns the plans that an item's lane carries.
    pub(super) fn plans(&self, item: &Option<ItemId>) -> Plans {
        let hand = self.lanes.get(item).and_then(|lane| lane.hand.as_ref());
        hand.map(|hand| (hand.plans.clone(), hand.landed.clone())).unwrap_or_default()
    }

    /// Drops the lanes that have had nothing to do for a while.
    pub(super) fn let_go(&mut self) {
        self.lanes.retain(|_, lane| lane.is_busy() || lane.idle_since.elapsed() < HAND_WAIT);
    }

    /// Returns when the next lane can be dropped.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let idle = self.lanes.values().filter(|lane| !lane.is_busy());
        idle.map(|lane| lane.idle_since + HAND_WAIT).min()
    }
}

fn item_of_effect(effect: &Effect) -> Option<ItemId> {
    match effect {
        Effect::Observe { item }
        | Effect::Fetch { item, .. }
        | Effect::Plan { item, .. }
        | Effect::Begin { item, .. }
        | Effect::Post { item, .. }
        | Effect::PutConflict { item, .. }
        | Effect::Deposit { item, .. }
        | Effect::SaveTold { item, .. }
        | Effect::PutAway { item, .. }
        | Effect::Retire { item, .. } => Some(item.clone()),
        Effect::Record(record) => Some(record.item.clone()),
        Effect::Poll { .. } | Effect::SaveCursor(_) | Effect::SavePaused(_) | Effect::Sweep | Effect::Reply { .. } => {
            None
        }
    }
}
