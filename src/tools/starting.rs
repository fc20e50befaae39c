//! How the bridge starts a daemon that outlives it.

use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::answer::ErrorAnswer;
use super::socket;
use crate::error::{Error, ErrorKind, Result};

/// The pause between two looks whether it answers.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
/// How much of its log is read for what it said last.
const LOG_BYTES_MAX: u64 = 64 * 1024;

/// A daemon that was started.
#[derive(Debug)]
pub(super) struct Started {
    ended: Arc<AtomicBool>,
    log: PathBuf,
}

impl Started {
    /// Tells whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// What it said before it ended, and what to do; `suggestion` when it said nothing of that.
    pub(super) fn last_words(&self, suggestion: &str) -> ErrorAnswer {
        let mut bytes = Vec::new();
        let read = std::fs::File::open(&self.log).and_then(|log| log.take(LOG_BYTES_MAX).read_to_end(&mut bytes));
        if let Err(error) = read {
            tracing::debug!(%error, "the daemon's log cannot be read");
        }
        let text = String::from_utf8_lossy(&bytes);
        let last = |label: &str| text.lines().rev().find_map(|line| line.strip_prefix(label)).map(str::to_owned);
        let message = match last("error: ") {
            Some(error) => format!("the daemon could not start: {error}"),
            None => format!("the daemon ended as soon as it was started; its log is {}", self.log.display()),
        };
        let suggestion = last("hint: ").unwrap_or_else(|| suggestion.to_owned());
        ErrorAnswer::from(&Error::Told { kind: ErrorKind::Daemon, message, suggestion })
    }
}

/// Starts a daemon. Under a lock, so that several bridges that start together start one; `None` for who does not get the
/// lock: the daemon of who did may come.
///
/// # Errors
///
/// `NotRunning` for an empty command; `Unsafe` and `Disk` as they come.
pub(super) fn start_daemon(socket: &Path, command: &[OsString], wait: Duration) -> Result<Option<Started>> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::NotRunning { path: socket.into() });
    };
    let run_dir = socket.parent().unwrap_or(socket);
    socket::prepare_run_dir(run_dir)?;
    let log_path = run_dir.join("daemon.log");
    let lock = socket::open_lock(&run_dir.join("start.lock"))?;
    match fs4::FileExt::try_lock(&lock) {
        Ok(()) => {}
        Err(fs4::TryLockError::WouldBlock) => return Ok(None),
        Err(fs4::TryLockError::Error(source)) => {
            return Err(Error::Disk { path: run_dir.join("start.lock"), doing: "locked", source });
        }
    }
    let log = socket::open_log(&log_path).map_or_else(
        |error| {
            tracing::warn!(%error, "the daemon's log cannot be written");
            Stdio::null()
        },
        Stdio::from,
    );
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        // A group of its own: Ctrl-C in the client's terminal must not reach it.
        .process_group(0)
        .spawn()
        .map_err(|source| Error::Disk { path: PathBuf::from(program), doing: "started", source })?;
    // The lock is held until the daemon answers or ends, and the child is reaped if it ends before us.
    let socket = socket.to_owned();
    let started = Started { ended: Arc::default(), log: log_path };
    let ended = started.ended.clone();
    std::thread::spawn(move || {
        let deadline = Instant::now() + wait;
        while Instant::now() < deadline && std::os::unix::net::UnixStream::connect(&socket).is_err() {
            if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            std::thread::sleep(LOOK_PAUSE);
        }
        drop(lock);
        if let Err(error) = child.wait() {
            tracing::debug!(%error, "the daemon was not ours to wait for");
        }
        ended.store(true, Ordering::Release);
    });
    Ok(Some(started))
}
