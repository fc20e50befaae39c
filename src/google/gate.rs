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
    freed: Notify,
}

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    gate: &'a Gate,
    window: Option<&'a Mutex<Window>>,
}

impl Gate {
    /// Makes one that keeps to these limits.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            start: Instant::now(),
            reads: Mutex::new(Window::new(limits.reads)),
            writes: Mutex::new(Window::new(limits.writes)),
            freed: Notify::new(),
        }
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
            Service::Drive => return Pass { gate: self, window: None },
        };
        loop {
            // Registered before the look, so that a call which ends in between is not missed.
            let freed = self.freed.notified();
            let now = self.now();
            let wait = {
                let mut calls = locked(window);
                if calls.free(now) > 0 {
                    calls.begin();
                    return Pass { gate: self, window: Some(window) };
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
            locked(window).end(self.gate.now());
            self.gate.freed.notify_waiters();
        }
    }
}
