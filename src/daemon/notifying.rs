//! Tells the person at the desktop what waits for them, by the program that the system has for that.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::attention::{Attention, Concerns, Notification, take_in};
use super::now;
use crate::mirror::MirrorHandle;

/// How long something must wait for a person before it is told of: much ends by itself at once.
const SETTLE: Duration = Duration::from_secs(3);

/// The pause between two looks, however much happens.
const LOOK_PAUSE: Duration = Duration::from_secs(10);

/// How long the system's program may take.
const SHOW_WAIT: Duration = Duration::from_secs(5);

/// What AppleScript is told; the title and the text come as arguments, so that nothing in them is a script.
const APPLE_SCRIPT: [&str; 6] =
    ["-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run"];

/// Looks at what waits whenever something has `changed`, and tells of what is new. Nothing runs while nothing changes.
pub(super) async fn run(mirrors: Vec<MirrorHandle>, mut changed: watch::Receiver<()>) -> Infallible {
    let mut attention = Attention::default();
    loop {
        let wait = attention.due().map(|due| Duration::from_millis(due.0.saturating_sub(now().0)));
        let due = async {
            match wait {
                Some(wait) => sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            still = changed.changed() => {
                if still.is_err() {
                    // No mirror is left.
                    return std::future::pending().await;
                }
            }
            () = due => {}
        }
        sleep(SETTLE).await;
        changed.mark_unchanged();
        let mut concerns = Concerns::new();
        for mirror in &mirrors {
            if let Ok(status) = mirror.engine_status().await {
                take_in(&mut concerns, mirror.account(), &status);
            }
        }
        if let Some(notification) = attention.look(now(), &concerns) {
            show(&notification).await;
        }
        sleep(LOOK_PAUSE).await;
    }
}

/// Shows it, where somebody sits at a desktop.
async fn show(notification: &Notification) {
    let is_apple = cfg!(target_os = "macos");
    if !is_apple && !has_session_bus() {
        return;
    }
    let (program, arguments) = command_line(is_apple, notification);
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status();
    match timeout(SHOW_WAIT, child).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::debug!(%status, program, "a notification was not shown"),
        Ok(Err(error)) => tracing::debug!(%error, program, "a notification could not be shown"),
        Err(_elapsed) => tracing::debug!(program, "a notification took too long"),
    }
}

/// The freedesktop program reads a few tags in the text.
fn command_line(is_apple: bool, Notification { title, text }: &Notification) -> (&'static str, Vec<String>) {
    if is_apple {
        let script = APPLE_SCRIPT.iter().map(ToString::to_string);
        return ("osascript", script.chain([title.clone(), text.clone()]).collect());
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    ("notify-send", vec!["--app-name=mcp-workspace".into(), "--".into(), title.clone(), text])
}

fn has_session_bus() -> bool {
    let is_set = |value: &OsString| !value.is_empty();
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|bus| is_set(&bus))
        || std::env::var_os("XDG_RUNTIME_DIR").filter(is_set).is_some_and(|dir| Path::new(&dir).join("bus").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_neither_an_option_nor_a_tag_nor_a_script() {
        let told = Notification { title: "-t 9".into(), text: "<b>\" & $(id)".into() };
        let (program, arguments) = command_line(false, &told);
        let expected = ["--app-name=mcp-workspace", "--", "-t 9", "&lt;b&gt;\" &amp; $(id)"];
        assert_eq!((program, arguments), ("notify-send", expected.map(str::to_owned).to_vec()));
        let (program, arguments) = command_line(true, &told);
        assert_eq!((program, &arguments[6..]), ("osascript", &["-t 9".to_owned(), "<b>\" & $(id)".to_owned()][..]));
    }
}
