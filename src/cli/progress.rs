//! What a person at a terminal sees while a command takes long.

use std::convert::Infallible;
use std::future::pending;
use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::client;
use super::print::duration;
use crate::tools::Command;

/// How long a command may take before anything is shown.
pub(crate) const QUIET: Duration = Duration::from_secs(1);

/// How often the daemon is asked what it does.
const LOOK_PAUSE: Duration = Duration::from_millis(400);

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(120);

/// Shows on a terminal that a command is at work, and at what; never ends by itself, and takes the bar away when it is dropped.
/// On anything but a terminal, and beside JSON, nothing is shown.
pub(crate) async fn show(socket: &Path, command: &Command, json: bool) -> Infallible {
    if json || !std::io::stderr().is_terminal() {
        return pending().await;
    }
    tokio::time::sleep(QUIET).await;
    let bar = spinner(verb(command));
    let mut most = 0;
    loop {
        if let Ok(status) = client::ask(socket, Command::Status).await {
            let left = left(&status);
            if left > most.max(1) {
                most = left;
                bar.0.set_length(most);
                bar.0.set_style(bar_style());
            }
            bar.0.set_position(most.saturating_sub(left));
            bar.0.set_message(doing(command, &status));
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

fn bar_style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A bar for so many steps, which is hidden where there is no terminal.
pub(crate) fn steps(count: usize, json: bool) -> ProgressBar {
    if json || count < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX));
    bar.set_style(bar_style());
    bar
}

/// What turns where no steps can be counted, on a terminal.
pub(crate) fn spinner(says: &str) -> ClearedBar {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(TICK);
    bar.set_message(says.to_owned());
    ClearedBar(bar)
}

/// A bar that leaves no trace on the terminal.
pub(crate) struct ClearedBar(ProgressBar);

impl ClearedBar {
    /// Says something else beside it.
    pub(crate) fn says(&self, what: String) {
        self.0.set_message(what);
    }
}

impl Drop for ClearedBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn accounts(status: &Value) -> &[Value] {
    status.get("accounts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The sum of a count over all accounts.
fn sum(status: &Value, key: &str) -> u64 {
    accounts(status).iter().filter_map(|account| account.pointer(&format!("/queue/{key}"))?.as_u64()).sum()
}

/// How many items are at work or wait to be.
fn left(status: &Value) -> u64 {
    sum(status, "working").saturating_add(sum(status, "waiting"))
}

/// Says in a few words what is being done.
fn doing(command: &Command, status: &Value) -> String {
    let left = accounts(status).iter().filter_map(|account| account.pointer("/queue/left_s")?.as_u64()).max();
    let mut words = vec![verb(command).to_owned()];
    for (key, what) in [("working", "at work"), ("waiting", "in the queue")] {
        match sum(status, key) {
            0 => {}
            count => words.push(format!("{count} {what}")),
        }
    }
    words.extend(left.map(|left| format!("about {} left", duration(left))));
    words.join(", ")
}

const fn verb(command: &Command) -> &'static str {
    match command {
        Command::Fetch { .. } => "fetching",
        Command::Search { .. } => "searching",
        Command::Create { .. } => "making the document",
        Command::Forget { .. } => "putting its files away",
        Command::Status | Command::Rules | Command::Log { .. } => "asking the daemon",
        Command::AddRule { .. } => "listing the mail",
        Command::EndRule { .. } => "ending the rule",
        Command::Diff { .. } | Command::Doctor { .. } => "comparing",
        Command::Push { dry_run: true, .. } => "planning",
        Command::Push { .. } => "pushing",
        Command::Restore { .. } => "writing it back",
        Command::Link { .. } => "linking",
        Command::Comment { .. } => "telling Google",
        Command::Pause { .. } => "pausing",
        Command::Resume { .. } => "going on",
        Command::Undo { .. } => "taking it back",
        Command::Trash { .. } => "trashing",
        Command::Ask { .. } | Command::CheckNotebooks => "asking NotebookLM",
        Command::ReleaseNotebooks => "closing the browser",
        Command::Resolve { .. } => "ending the conflict",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_daemon_does_is_said_in_a_few_words() {
        let account = |working: u64, waiting: u64, left: Option<u64>| json!({ "queue": { "working": working, "waiting": waiting, "left_s": left } });
        for (accounts, expected) in [
            (vec![], "comparing"),
            (vec![account(1, 0, None)], "comparing, 1 at work"),
            (
                vec![account(1, 2, Some(30)), account(3, 4, Some(90))],
                "comparing, 4 at work, 6 in the queue, about 90 s left",
            ),
        ] {
            assert_eq!(
                doing(&Command::Doctor { repair: false, remote: 0 }, &json!({ "accounts": accounts })),
                expected
            );
        }
    }
}
