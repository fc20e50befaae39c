//! The commands that keep running: `daemon`, `emulator`, `bridge`.

use std::ffi::OsString;

use super::arguments::EmulatorArguments;
use super::home::Home;
use super::{Answer, print};
use crate::error::Error;
use crate::tools::{self, BridgeOptions, ErrorAnswer};

/// Runs the daemon until a signal.
pub(crate) async fn daemon(home: Home) -> Answer<()> {
    let _ = home;
    Err(ErrorAnswer::invalid("not built yet", "Wait."))
}

/// Runs the embedded Google until a signal.
pub(crate) async fn emulator(arguments: EmulatorArguments, json: bool) -> Answer<()> {
    let _ = (arguments, json);
    print::line("");
    Err(ErrorAnswer::invalid("not built yet", "Wait."))
}

/// Joins stdio to the daemon until the client leaves.
pub(crate) async fn bridge(home: &Home) -> Answer<()> {
    let is_demo = home.dir().is_some_and(|dir| Home::demo_mark(dir).exists());
    let daemon = if is_demo { None } else { Some(daemon_command(home)?) };
    let suggestion = match (home.dir(), is_demo) {
        (Some(dir), true) => format!("Start the demo: `mcp-workspace --home {} demo`.", dir.display()),
        (Some(dir), false) => format!("Start the daemon: `mcp-workspace --home {} daemon`.", dir.display()),
        (None, _) => "Start the daemon with `mcp-workspace daemon` and look at what it says.".into(),
    };
    let options = BridgeOptions { socket: home.mcp_socket(), daemon, suggestion };
    tools::bridge(options, tokio::io::stdin(), tokio::io::stdout()).await.map_err(|error| ErrorAnswer::from(&error))
}

/// The command that starts a daemon on the same home: this very program.
fn daemon_command(home: &Home) -> Answer<Vec<OsString>> {
    let program = std::env::current_exe().map_err(|source| {
        ErrorAnswer::from(&Error::Disk { path: "mcp-workspace".into(), doing: "found on disk", source })
    })?;
    let mut command = vec![program.into_os_string()];
    if let Some(dir) = home.dir() {
        command.push("--home".into());
        command.push(dir.into());
    }
    command.push("daemon".into());
    Ok(command)
}
