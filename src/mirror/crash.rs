//! Named points at which a test lets the process die.

#[cfg(debug_assertions)]
use std::sync::OnceLock;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU32, Ordering};

/// Kills the own process when `MCP_WORKSPACE_CRASH` names this point; `after_post:2` lets it pass once before. A release
/// build has no such points.
#[cfg(debug_assertions)]
pub(crate) fn crash_point(name: &str) {
    static CHOSEN: OnceLock<Option<(String, u32)>> = OnceLock::new();
    static PASSED: AtomicU32 = AtomicU32::new(0);
    let chosen = CHOSEN.get_or_init(|| {
        let chosen = std::env::var("MCP_WORKSPACE_CRASH").ok()?;
        let (name, time) = chosen.split_once(':').unwrap_or((&chosen, "1"));
        Some((name.to_owned(), time.parse().ok()?))
    });
    let Some((_, time)) = chosen.as_ref().filter(|(chosen, _)| chosen == name) else { return };
    if PASSED.fetch_add(1, Ordering::Relaxed).saturating_add(1) == *time {
        // SIGKILL cannot be caught, so nothing is flushed or cleaned up, as in a real crash.
        let killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        tracing::error!(?killed, name, "the process outlived its crash point");
    }
}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(crate) const fn crash_point(_name: &str) {}
