//! Named points at which a test lets the process die.

#[cfg(debug_assertions)]
use std::sync::OnceLock;

/// Kills the own process when `MCP_WORKSPACE_CRASH` names this point; a release build has no such points.
#[cfg(debug_assertions)]
pub(crate) fn crash_point(name: &str) {
    static CHOSEN: OnceLock<Option<String>> = OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| std::env::var("MCP_WORKSPACE_CRASH").ok());
    if chosen.as_deref() == Some(name) {
        // SIGKILL cannot be caught, so nothing is flushed or cleaned up, as in a real crash.
        let killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        tracing::error!(?killed, name, "the process outlived its crash point");
    }
}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(crate) const fn crash_point(_name: &str) {}
