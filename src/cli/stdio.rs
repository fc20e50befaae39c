//! `serve --stdio`: daemon and MCP server in one process.
//!
//! The client is served through a bridge to the process's own socket, so that all that a bridge promises holds here, too:
//! answers on their way are waited for, and every failure is told in MCP. The sockets are there for the command line and
//! for other clients; this one needs none.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use super::{Answer, demo, failed, print, serve};
use crate::config::{Config, Places};
use crate::error::{Error, Result};
use crate::tools::{self, BridgeOptions, ErrorAnswer, Profile, Starter};

/// How long answers are waited for after the client closed its side: as long as a tool call may take, since nobody else
/// finishes the work.
const DRAIN_WAIT: Duration = Duration::from_secs(120);
/// The pause between two looks whether the daemon that was joined is still there.
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// How many looks in a row must find nobody before this process takes over: a service manager may be starting it again.
const LOOKS: u32 = 5;

/// Serves one client on stdin and stdout until stdin ends or a signal comes.
pub(crate) async fn serve(places: Answer<Places>, profile: Profile) -> Answer<()> {
    serve::log_to_stderr();
    let ready = places.and_then(|places| {
        let config = Config::read(&places.config_file()).map_err(failed)?;
        let timeout = serve::notebooks_timeout(profile)?;
        Ok((places, config, timeout))
    });
    let (places, config, timeout) = match ready {
        Ok(ready) => ready,
        Err(answer) => {
            let (input, output) = tools::stdio();
            let refused = tools::refuse(answer.clone(), input, output);
            // From the start: as a container's first process we have no other way to be ended.
            tokio::select! {
                ended = refused => ended.map_err(failed)?,
                () = serve::stop_signal() => {}
            }
            return Err(answer);
        }
    };
    let failure = Arc::new(OnceLock::new());
    // A demo's daemon is of no use without the demo's own Google.
    let is_demo = demo::is_demo(&places);
    let starter = if is_demo { Starter::Nobody } else { Starter::Another(failure.clone()) };
    let socket = places.socket(profile.socket_name());
    let suggestion = serve::how_to_start(&places);
    let options = BridgeOptions { socket, starter, suggestion, drain: DRAIN_WAIT, timeout };

    let (stopping, stopped) = watch::channel(false);
    let on_signal = stopping.clone();
    let signal = tokio::spawn(async move {
        serve::stop_signal().await;
        on_signal.send_replace(true);
    });
    let engine = tokio::spawn(async move {
        let ended = if is_demo { join(&places, stopped).await } else { run(places, config, stopped).await };
        ended.map_err(|error| failure.get_or_init(|| ErrorAnswer::from(&error)).clone())
    });
    let outcome = attend(options, engine, &stopping).await;
    signal.abort();
    outcome
}

/// Speaks with the client beside the engine; whichever ends first, the other one is ended in order.
async fn attend(
    options: BridgeOptions,
    mut engine: tokio::task::JoinHandle<Answer<()>>,
    stopping: &watch::Sender<bool>,
) -> Answer<()> {
    let mut stopped = stopping.subscribe();
    let (input, output) = tools::stdio();
    let mut client = std::pin::pin!(tools::bridge(options, input, output));
    tokio::select! {
        left = &mut client => {
            stopping.send_replace(true);
            told(engine.await).and(left.map_err(failed))
        }
        ended = &mut engine => match told(ended) {
            // A signal: what is at work has been finished or told as failed.
            Ok(()) => Ok(()),
            // The client hears why from the bridge, and leaves.
            Err(answer) => {
                tracing::error!("{}; {}", answer.message, answer.suggestion);
                tokio::select! {
                    left = &mut client => left.map_err(failed)?,
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
                Err(answer)
            }
        }
    }
}

/// Runs a daemon until it is stopped. While another one has the home, that one serves the client; when it is gone for good,
/// its place is taken.
async fn run(places: Places, config: Config, mut stopped: watch::Receiver<bool>) -> Result<()> {
    loop {
        let mut stop = stopped.clone();
        let until = async move {
            // Nobody can stop us any more when the sender is gone, and then everything ends anyway.
            drop(stop.wait_for(|stop| *stop).await);
        };
        match crate::daemon::run(places.clone(), config.clone(), || (), until).await {
            Err(Error::AlreadyRunning { path }) if path == places.run => {}
            ended => return ended,
        }
        tell_joined(&places);
        let mut looks = 0;
        while looks < LOOKS {
            looks = if tools::is_locked(&places.run) { 0 } else { looks + 1 };
            if tokio::time::timeout(LOOK_PAUSE, stopped.wait_for(|stop| *stop)).await.is_ok() {
                return Ok(());
            }
        }
        print::note("that daemon has ended; serving by myself");
    }
}

fn tell_joined(places: &Places) {
    print::note(&format!("a daemon already serves {}; joined it", places.run.display()));
}

/// Leaves the client to the daemon of a demo, and runs none.
async fn join(places: &Places, mut stopped: watch::Receiver<bool>) -> Result<()> {
    if tools::is_locked(&places.run) {
        tell_joined(places);
    }
    drop(stopped.wait_for(|stop| *stop).await);
    Ok(())
}

fn told(ended: std::result::Result<Answer<()>, tokio::task::JoinError>) -> Answer<()> {
    match ended {
        Ok(result) => result,
        Err(error) => Err(failed(Error::Storage { doing: "running the daemon", source: Box::new(error) })),
    }
}
