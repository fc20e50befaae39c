//! The commands that keep running: `daemon`, `emulator`, `bridge`.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use sd_notify::NotifyState;
use serde_json::json;

use super::arguments::EmulatorArguments;
use super::{Answer, demo, failed, print};
use crate::config::{Config, Places};
use crate::emulator;
use crate::error::{Error, Result};
use crate::model::counted;
use crate::tools::{self, BridgeOptions, Profile, Starter};

/// Runs the daemon until a signal. A service manager that has started it is told that it serves, that it lives, and that it ends.
pub(crate) async fn daemon(places: Places) -> Answer<()> {
    let config = Config::read(&places.config_file()).map_err(failed)?;
    log_to_stderr();
    let said = format!("serving {}", counted(config.accounts.len(), "account"));
    let ready = move || {
        tell_manager(&[NotifyState::Ready, NotifyState::Status(&said)]);
        if let Some(within) = sd_notify::watchdog_enabled() {
            tokio::spawn(keep_watchdog(within / 2));
        }
    };
    let stop = async {
        stop_signal().await;
        tell_manager(&[NotifyState::Stopping]);
    };
    crate::daemon::run(places, config, ready, stop).await.map_err(failed)
}

/// Runs a daemon until a signal or a failure, of which no service manager is told.
pub(crate) async fn run_daemon(places: Places, config: Config) -> Result<()> {
    crate::daemon::run(places, config, || (), stop_signal()).await
}

/// Says again and again that the threads are not stuck.
async fn keep_watchdog(pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        tell_manager(&[NotifyState::Watchdog]);
    }
}

/// Tells a service manager something, if one listens.
fn tell_manager(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager could not be told how it stands");
    }
}

/// Runs the embedded Google until a signal.
pub(crate) async fn emulator(arguments: EmulatorArguments, json: bool) -> Answer<()> {
    log_to_stderr();
    let options = emulator::Options {
        listen: arguments.listen,
        token: arguments.token,
        state_dir: arguments.state,
        ..emulator::Options::default()
    };
    let mut running = emulator::serve(options).await.map_err(failed)?;
    for dir in &arguments.seed {
        let seeded = running.import_seed_dir(dir).map_err(failed)?;
        if !json {
            let (documents, threads) = (seeded.ids.len(), seeded.threads.len());
            let mail = if threads > 0 { format!(", {} of mail", counted(threads, "thread")) } else { String::new() };
            print::line(&format!("{}: {}{mail}", dir.display(), counted(documents, "document")));
        }
        tell_skipped(dir, &seeded.skipped, json);
    }
    if json {
        print::line(&json!({ "url": running.url() }).to_string());
    } else {
        print::line(&format!("the embedded Google listens at {}", running.url()));
    }
    print::line("ready");
    tokio::select! {
        () = stop_signal() => {}
        () = running.ended() => {
            let doing = "serving the embedded Google".into();
            let source = "it ended by itself; its log says why".into();
            return Err(failed(Error::Network { doing, outcome_unknown: false, source }));
        }
    }
    running.shutdown().await;
    Ok(())
}

/// Names the files of a seed folder that were not taken in.
pub(crate) fn tell_skipped(dir: &Path, skipped: &[(String, String)], json: bool) {
    for (name, reason) in skipped {
        let file = dir.join(name);
        if json {
            print::line(&json!({ "skipped": file, "reason": reason }).to_string());
        } else {
            print::line(&format!("skipped {}: {reason}", file.display()));
        }
    }
}

/// How long answers are waited for after a client closed its side; the daemon goes on with the work.
const DRAIN_WAIT: Duration = Duration::from_secs(3);

/// Joins stdio to the daemon until the client leaves. Whatever stands in the way is told to the client in MCP.
pub(crate) async fn bridge(home: Option<&Path>, places: Answer<Places>, profile: Profile) -> Answer<()> {
    log_to_stderr();
    let (input, output) = tools::stdio();
    let ready = places.and_then(|places| {
        // A demo's daemon is of no use without the demo's own Google, and would stand in the way of the next demo.
        let is_demo = demo::is_demo(&places);
        let starter = if is_demo { Starter::Nobody } else { Starter::Command(daemon_command(home)?) };
        let timeout = notebooks_timeout(profile)?;
        Ok((places, starter, timeout))
    });
    match ready {
        Ok((places, starter, timeout)) => {
            let (socket, suggestion) = (places.socket(profile.socket_name()), how_to_start(&places));
            let options = BridgeOptions { socket, starter, suggestion, drain: DRAIN_WAIT, timeout };
            tools::bridge(options, input, output).await.map_err(failed)
        }
        Err(answer) => {
            tools::refuse(answer.clone(), input, output).await.map_err(failed)?;
            Err(answer)
        }
    }
}

/// How long the calls of a profile may take where the environment says so, of one that heeds that: nothing stands in the way of others.
pub(crate) fn notebooks_timeout(profile: Profile) -> Answer<Option<Duration>> {
    if !profile.asks_notebooks() {
        return Ok(None);
    }
    crate::daemon::notebooks_timeout().map_err(failed)
}

/// Says how a person starts what serves a home.
pub(crate) fn how_to_start(places: &Places) -> String {
    let verb = if demo::is_demo(places) { "demo" } else { "daemon" };
    format!("Run `{} {verb}` and look at what it says.", places.command())
}

/// The command that starts a daemon on the same home: this very program.
fn daemon_command(home: Option<&Path>) -> Answer<Vec<OsString>> {
    let mut command = vec![program()?.into_os_string()];
    if let Some(home) = home {
        command.push("--home".into());
        command.push(super::absolute(home)?.into());
    }
    command.push("daemon".into());
    Ok(command)
}

/// Where this program is.
pub(crate) fn program() -> Answer<std::path::PathBuf> {
    std::env::current_exe()
        .map_err(|source| failed(Error::Disk { path: "mcp-workspace".into(), doing: "found on disk", source }))
}

/// Waits for Ctrl-C or a service manager's SIGTERM.
pub(crate) async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
        // Without handlers the signals end the process, which every promise survives.
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "signals cannot be handled");
            std::future::pending::<()>().await;
        }
    }
}

/// Sends the log to stderr; `MCP_WORKSPACE_LOG` says how much, warnings by default. What a client did wrong, which is all
/// that the MCP library warns of, is told to the client.
pub(crate) fn log_to_stderr() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("MCP_WORKSPACE_LOG").unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    // To tell on stderr that nothing can be told there would end the thread that wanted to, as on a full disk.
    let log = log.log_internal_errors(false);
    if log.try_init().is_err() {
        tracing::debug!("the log goes elsewhere already");
    }
}
