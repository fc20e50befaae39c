//! A browser that outlived the process which started it.
//!
//! With the pipe a browser ends by itself when its owner does, since the pipe breaks. One that hangs, or a window that a person
//! signs in with, stays. Its number and start stand in a note beside its profile, so that the next owner knows it again.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::error::{Error, Result};
use super::identity::Identity;
use super::profile::{Profile, disk};

/// How long a browser has to end by itself once it was asked to; it writes cookies then.
const TERM_WAIT: Duration = Duration::from_secs(5);

/// How long one that was killed may take to go.
const KILL_WAIT: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(20);

/// The most bytes of a note.
const NOTE_BYTES_MAX: u64 = 4096;

/// Which process runs on a profile.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    pid: i32,
    started: String,
    /// Which run of the machine it was: numbers and starts begin anew with each.
    boot: Option<String>,
}

/// Notes the browser that was just started. It is our child and not waited for yet, so its number is its own.
pub(super) fn note(profile: &Profile, pid: Pid) -> Result<()> {
    let Some(identity) = Identity::of(pid) else { return Ok(()) };
    let note = Note { pid: pid.as_raw_nonzero().get(), started: identity.started, boot: boot() };
    let path = profile.note();
    let new = path.with_extension("new");
    let text = serde_json::to_vec(&note).map_err(|error| disk(&path, "written", error.into()))?;
    let mut options = fs::OpenOptions::new();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(&new);
    opened
        .and_then(|mut file| file.write_all(&text))
        .and_then(|()| fs::rename(&new, &path))
        .map_err(|source| disk(&path, "written", source))
}

/// Takes the note away, when the browser has ended.
pub(super) fn forget(profile: &Profile) {
    if let Err(error) = fs::remove_file(profile.note())
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "the note of a browser could not be removed");
    }
}

/// Ends what an earlier owner left running on the profile; the caller holds its lock. Tells whether there was one.
///
/// A process is only ended when its number, its start, its user and the folder among its arguments are those of the note: it is
/// ours then, whatever has happened since.
///
/// # Errors
///
/// `InUse` when it does not end, or when a browser runs on the folder that is none of ours.
pub(super) async fn end(profile: &Profile) -> Result<bool> {
    let ended = match read(&profile.note()).and_then(|note| ours(profile, &note)) {
        Some(pid) => {
            tracing::info!(pid = pid.as_raw_nonzero().get(), "ending a browser that an earlier run left");
            end_one(profile, pid).await?;
            true
        }
        None => false,
    };
    forget(profile);
    let other = profile.singleton().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    if other.and_then(Identity::of).is_some_and(|identity| identity.is_browser_on(&profile.data_folder())) {
        return Err(Error::InUse { path: profile.root().into(), by: "a browser that was started by hand" });
    }
    Ok(ended)
}

fn read(path: &Path) -> Option<Note> {
    let small = fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() <= NOTE_BYTES_MAX);
    small.then(|| serde_json::from_slice(&fs::read(path).ok()?).ok()).flatten()
}

/// Returns the process of a note when it runs and is the one that was noted.
fn ours(profile: &Profile, note: &Note) -> Option<Pid> {
    // A note that was damaged must not name a group, or all processes.
    let pid = if note.pid > 1 && note.boot == boot() { Pid::from_raw(note.pid)? } else { return None };
    is_it(profile, pid, &note.started).then_some(pid)
}

fn is_it(profile: &Profile, pid: Pid, started: &str) -> bool {
    Identity::of(pid).is_some_and(|found| found.started == started && found.is_browser_on(&profile.data_folder()))
}

async fn end_one(profile: &Profile, pid: Pid) -> Result<()> {
    let Some(started) = Identity::of(pid).map(|found| found.started) else { return Ok(()) };
    let handle = Handle::of(pid);
    for (signal, wait) in [(Signal::TERM, TERM_WAIT), (Signal::KILL, KILL_WAIT)] {
        // Looked at once more behind the handle: it is of the process that stands there now.
        if !is_it(profile, pid, &started) {
            return Ok(());
        }
        // The group first, while its leader's number cannot be anyone else's. A polite end is asked of the leader alone, who
        // tells its children.
        if signal == Signal::KILL && rustix::process::getpgid(Some(pid)) == Ok(pid) {
            let sent = rustix::process::kill_process_group(pid, signal);
            tracing::debug!(?sent, "a signal was sent to the group of a browser");
        }
        handle.send(signal);
        let deadline = Instant::now() + wait;
        while Instant::now() < deadline {
            if !is_it(profile, pid, &started) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    Err(Error::InUse { path: profile.root().into(), by: "a browser of an earlier run that does not end" })
}

/// What a signal is sent through. On Linux it keeps meaning one process, when another has got the number.
struct Handle {
    pid: Pid,
    #[cfg(target_os = "linux")]
    fd: Option<std::os::fd::OwnedFd>,
}

impl Handle {
    fn of(pid: Pid) -> Self {
        Self {
            pid,
            #[cfg(target_os = "linux")]
            fd: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok(),
        }
    }

    fn send(&self, signal: Signal) {
        #[cfg(target_os = "linux")]
        if let Some(fd) = &self.fd {
            let sent = rustix::process::pidfd_send_signal(fd, signal);
            tracing::debug!(?sent, "a signal was sent to a browser");
            return;
        }
        // RACE: where there is no such handle, the process may end and another get its number between the look and this. Systems
        // give numbers out in turn, so that takes all of them in less than a millisecond.
        let sent = rustix::process::kill_process(self.pid, signal);
        tracing::debug!(?sent, "a signal was sent to a browser");
    }
}

fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_process_that_is_not_the_noted_one_is_let_be() {
        let home = tempfile::tempdir().unwrap();
        let profile = Profile::at(home.path().join("p"));
        profile.prepare().unwrap();
        // This very process has the number, but no browser's arguments.
        note(&profile, rustix::process::getpid()).unwrap();
        assert!(!end(&profile).await.unwrap());
        assert!(!profile.note().exists());
        // Damaged notes, and ones of no process.
        for text in ["", "{", r#"{"pid":1,"started":"1","boot":null}"#, r#"{"pid":-5,"started":"1","boot":null}"#] {
            fs::write(profile.note(), text).unwrap();
            assert!(!end(&profile).await.unwrap(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_process_of_the_note_is_ended() {
        let home = tempfile::tempdir().unwrap();
        let profile = Profile::at(home.path().join("p"));
        profile.prepare().unwrap();
        let argument = format!("--user-data-dir={}", profile.data_folder().display());
        // The second does not heed a polite end.
        for (script, signal) in [("while :; do sleep 0.1; done", 15), ("trap '' TERM; while :; do sleep 0.1; done", 9)]
        {
            let mut child = std::process::Command::new("sh").args(["-c", script, "sh", &argument]).spawn().unwrap();
            let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
            note(&profile, pid).unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
            assert!(end(&profile).await.unwrap());
            let status = child.wait().unwrap();
            assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(signal), "{script}");
        }
    }
}
