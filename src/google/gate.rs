//! Keeps to Google's limits whatever is asked for: a call for which this minute has no room waits for the next.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::{Call, Service};
use crate::model::Millis;
use crate::sync::quota::{Limits, Window};

/// The calls of the last minute to the service that has limits.
#[derive(Debug)]
pub(super) struct Gate {
    start: Instant,
    reads: Mutex<Window>,
    writes: Mutex<Window>,
    /// Units.
    mail: Mutex<Window>,
    freed: Notify,
}

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    gate: &'a Gate,
    window: Option<&'a Mutex<Window>>,
    cost: u32,
}

impl Default for Gate {
    /// One that knows no limit.
    fn default() -> Self {
        let window = |limit| Mutex::new(Window::new(limit));
        Self {
            start: Instant::now(),
            reads: window(Limits::NONE.reads),
            writes: window(Limits::NONE.writes),
            mail: window(u32::MAX),
            freed: Notify::new(),
        }
    }
}

impl Gate {
    /// Makes one that keeps to these limits of the Docs API.
    pub(super) fn with_limits(self, limits: Limits) -> Self {
        Self { reads: Mutex::new(Window::new(limits.reads)), writes: Mutex::new(Window::new(limits.writes)), ..self }
    }

    /// Makes one that spends at most so many of Gmail's units in a minute.
    pub(super) fn with_mail_units(self, per_minute: u32) -> Self {
        Self { mail: Mutex::new(Window::new(per_minute)), ..self }
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Waits until a call may be made; it counts until a minute after the pass is given back.
    pub(super) async fn pass(&self, call: &Call<'_>) -> Pass<'_> {
        let window = match call.service {
            Service::Docs if call.mutating() => &self.writes,
            Service::Docs => &self.reads,
            // What Drive allows is far more than anybody asks for here.
            Service::Drive => return Pass { gate: self, window: None, cost: 0 },
            Service::Gmail => &self.mail,
        };
        loop {
            // Registered before the look, so that a call which ends in between is not missed.
            let freed = self.freed.notified();
            let now = self.now();
            let wait = {
                let mut calls = locked(window);
                // One that costs more than a whole minute allows is made once that is free.
                let cost = call.cost.min(calls.limit(now)).max(1);
                if calls.free(now) >= cost {
                    (0..cost).for_each(|_| calls.begin());
                    return Pass { gate: self, window: Some(window), cost };
                }
                calls.next_free(now)
            };
            let wait = wait.map_or(Duration::from_secs(60), |at| Duration::from_millis(at.0.saturating_sub(now.0)));
            // Either way it looks again.
            drop(tokio::time::timeout(wait, freed).await);
        }
    }
}

fn locked(window: &Mutex<Window>) -> MutexGuard<'_, Window> {
    window.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if let Some(window) = self.window {
            let (mut calls, now) = (locked(window), self.gate.now());
            (0..self.cost).for_each(|_| calls.end(now));
            drop(calls);
            self.gate.freed.notify_waiters();
        }
    }
}
