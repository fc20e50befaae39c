//! The service manager of the person: systemd's or launchd.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::cli::Answer;
use crate::error::{Error, ErrorKind};
use crate::tools::ErrorAnswer;

/// The longest part of what a program says that an error repeats, in characters.
const SAID_CHARS: usize = 600;

/// How a service stands.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// Whether the manager knows it.
    pub(super) is_known: bool,
    /// Whether it starts when the person signs in.
    pub(super) is_enabled: bool,
    /// Whether it runs.
    pub(super) is_active: bool,
    /// The manager's words for that.
    pub(super) words: String,
    /// Its process.
    pub(super) pid: Option<u32>,
}

/// Which manager is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manager {
    Systemd,
    Launchd,
}

impl Manager {
    /// The one of this system.
    pub(super) const fn here() -> Self {
        if cfg!(target_os = "macos") { Self::Launchd } else { Self::Systemd }
    }

    /// Makes sure that it answers, before anything is written.
    pub(super) fn check(self) -> Answer<()> {
        match self {
            Self::Systemd => systemctl(&["show", "--property=Version"]).map(drop),
            Self::Launchd => run("launchctl", &["managername"]).map(drop),
        }
    }

    /// Has a service known as its file says, and started at each sign-in.
    pub(super) fn enable(self, unit: &str, file: &Path, is_changed: bool) -> Answer<()> {
        match self {
            Self::Systemd => {
                if is_changed {
                    systemctl(&["daemon-reload"])?;
                }
                systemctl(&["enable", "--quiet", unit]).map(drop)
            }
            Self::Launchd => {
                if is_changed && self.state(unit)?.is_known {
                    run("launchctl", &["bootout", &target(unit)])?;
                }
                if !self.state(unit)?.is_known {
                    run("launchctl", &["bootstrap", &domain(), &file.to_string_lossy()])?;
                }
                Ok(())
            }
        }
    }

    /// Ends a service and has it forgotten; its file is still there.
    pub(super) fn disable(self, unit: &str) -> Answer<()> {
        match self {
            Self::Systemd => systemctl(&["disable", "--quiet", "--now", unit]).map(drop),
            Self::Launchd if self.state(unit)?.is_known => run("launchctl", &["bootout", &target(unit)]).map(drop),
            Self::Launchd => Ok(()),
        }
    }

    /// Takes notice that the file of a service is gone.
    pub(super) fn forget(self, unit: &str) -> Answer<()> {
        if self == Self::Systemd {
            systemctl(&["daemon-reload"])?;
            // Of one that never failed there is nothing to reset, which is an error to systemctl.
            drop(systemctl(&["reset-failed", unit]));
        }
        Ok(())
    }

    /// Starts a service, and returns once it runs.
    pub(super) fn start(self, unit: &str) -> Answer<()> {
        match self {
            Self::Systemd => {
                // One that failed too often may be started again, since a person says so.
                drop(systemctl(&["reset-failed", unit]));
                systemctl(&["start", unit]).map(drop)
            }
            Self::Launchd => run("launchctl", &["kickstart", &target(unit)]).map(drop),
        }
    }

    /// Ends a service until the next sign-in.
    pub(super) fn stop(self, unit: &str) -> Answer<()> {
        match self {
            Self::Systemd => systemctl(&["stop", unit]).map(drop),
            // A clean end is no reason for launchd to start it again.
            Self::Launchd => run("launchctl", &["kill", "SIGTERM", &target(unit)]).map(drop),
        }
    }

    /// Ends a service if it runs, and starts it.
    pub(super) fn restart(self, unit: &str) -> Answer<()> {
        match self {
            Self::Systemd => {
                drop(systemctl(&["reset-failed", unit]));
                systemctl(&["restart", unit]).map(drop)
            }
            Self::Launchd => run("launchctl", &["kickstart", "-k", &target(unit)]).map(drop),
        }
    }

    /// Tells how a service stands.
    pub(super) fn state(self, unit: &str) -> Answer<State> {
        match self {
            Self::Systemd => {
                let properties = "--property=LoadState,UnitFileState,ActiveState,SubState,Result,MainPID";
                Ok(of_systemd(&systemctl(&["show", properties, unit])?))
            }
            Self::Launchd => {
                let output = output("launchctl", &["print", &target(unit)])?;
                Ok(if output.status.success() { of_launchd(&text(&output.stdout)) } else { State::default() })
            }
        }
    }

    /// Shows what a service has said, in the place of this program. Returns why it could not.
    pub(super) fn show_logs(self, unit: &str, log: &Path, lines: u32, follow: bool, json: bool) -> ErrorAnswer {
        let lines = lines.to_string();
        let (program, mut arguments) = match self {
            Self::Systemd => ("journalctl", vec!["--user", "--no-pager", "--unit", unit, "--lines", &*lines]),
            Self::Launchd => ("tail", vec!["-n", &*lines]),
        };
        if follow {
            arguments.push("-f");
        }
        let log = log.to_string_lossy();
        match self {
            Self::Systemd if json => arguments.push("--output=json"),
            Self::Systemd => {}
            Self::Launchd => arguments.push(&log),
        }
        not_run(program, &Command::new(program).args(arguments).exec())
    }
}

/// The domain of the person who is signed in.
fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

/// What launchd calls an agent.
fn target(name: &str) -> String {
    format!("{}/{name}", domain())
}

fn systemctl(arguments: &[&str]) -> Answer<String> {
    let mut all = vec!["--user", "--no-pager"];
    all.extend(arguments);
    run("systemctl", &all)
}

fn run(program: &str, arguments: &[&str]) -> Answer<String> {
    let output = output(program, arguments)?;
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let said = text(&output.stderr);
    let said: String = said.trim().chars().take(SAID_CHARS).collect();
    let is_away = said.contains("Failed to connect to") || said.contains("Could not find domain");
    let suggestion = match is_away {
        true => {
            "Run it as the person who is signed in, in a session of that person, not with sudo. Without a service manager, start \
                 `mcp-workspace daemon` as your system starts programs."
        }
        false => "See `mcp-workspace service logs` for what the daemon said.",
    };
    Err(told(format!("`{program} {}` failed: {said}", arguments.join(" ")), suggestion))
}

fn output(program: &str, arguments: &[&str]) -> Answer<Output> {
    // What it says is read, so it is to say that in one language.
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).env("LC_ALL", "C").env("SYSTEMD_COLORS", "0");
    command.output().map_err(|error| not_run(program, &error))
}

fn not_run(program: &str, error: &std::io::Error) -> ErrorAnswer {
    told(
        format!("`{program}` could not be started: {error}"),
        "This needs systemd, or launchd on a Mac. Elsewhere start `mcp-workspace daemon` as your system starts programs; clients \
         start it by themselves.",
    )
}

fn told(message: String, suggestion: &str) -> ErrorAnswer {
    ErrorAnswer::from(&Error::Told { kind: ErrorKind::Daemon, message, suggestion: suggestion.into() })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads what `systemctl show` prints.
fn of_systemd(said: &str) -> State {
    let value = |name: &str| {
        let mut lines = said.lines().filter_map(|line| line.split_once('='));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value).unwrap_or_default()
    };
    let (active, result) = (value("ActiveState"), value("Result"));
    let mut words = format!("{active} ({})", value("SubState"));
    if !matches!(result, "" | "success") {
        words.push_str(&format!(", {result}"));
    }
    State {
        is_known: value("LoadState") == "loaded",
        is_enabled: value("UnitFileState") == "enabled",
        is_active: active == "active",
        words,
        pid: value("MainPID").parse().ok().filter(|pid| *pid != 0),
    }
}

/// Reads what `launchctl print` prints.
fn of_launchd(said: &str) -> State {
    let value = |name: &str| {
        let mut lines = said.lines().filter_map(|line| line.trim().split_once(" = "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value).unwrap_or_default()
    };
    let words = value("state").to_owned();
    State { is_known: true, is_enabled: true, is_active: words == "running", words, pid: value("pid").parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_managers_print_is_read() {
        let said = "Result=exit-code\nMainPID=0\nLoadState=loaded\nActiveState=failed\nSubState=failed\nUnitFileState=enabled\n";
        let failed = State {
            is_known: true,
            is_enabled: true,
            is_active: false,
            words: "failed (failed), exit-code".into(),
            pid: None,
        };
        assert_eq!(of_systemd(said), failed);
        let said =
            "MainPID=12\nLoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nUnitFileState=\n";
        let runs =
            State { is_enabled: false, is_active: true, words: "active (running)".into(), pid: Some(12), ..failed };
        assert_eq!(of_systemd(said), runs);
        let said =
            "LoadState=not-found\nActiveState=inactive\nSubState=dead\nMainPID=0\nResult=success\nUnitFileState=\n";
        assert!(!of_systemd(said).is_known && !of_systemd(said).is_active);
        let said =
            "gui/501/mcp-workspace = {\n\tactive count = 1\n\tstate = running\n\n\tprogram = /x\n\tpid = 77\n}\n";
        let runs = State { is_enabled: true, words: "running".into(), pid: Some(77), ..runs };
        assert_eq!(of_launchd(said), runs);
    }
}
