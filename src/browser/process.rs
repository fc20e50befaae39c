//! A browser's process: one that is started here is ended here, with all its children.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::Instant;

use super::error::{Error, Result};
use super::leftover;
use super::profile::{Claim, Profile};

/// How long a browser has to end once it was told to through the protocol; it writes cookies then.
const CLOSE_WAIT: Duration = Duration::from_secs(5);

/// How long it has once it got SIGTERM.
const TERM_WAIT: Duration = Duration::from_secs(3);

/// How long it may take to go once it was killed.
const KILL_WAIT: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(20);

/// How much of what it writes while it starts is kept, to say why it did not.
const COMPLAINT_BYTES_MAX: usize = 16 * 1024;

/// Puts the pipes where Chromium looks for them: it reads commands from 3 and writes answers to 4. The shell goes over into the
/// browser, so the process stays the same one. With this no code of ours runs between fork and exec.
const PIPES: &str = r#"exec 3<&0 4>&1 </dev/null >/dev/null; exec "$@""#;

/// A running browser that holds its profile.
#[derive(Debug)]
pub(super) struct Process {
    /// It is waited for only at the very end: until then its number, and that of its group, can be nobody else's.
    child: Child,
    pid: Pid,
    reaped: bool,
    profile: Profile,
    complaint: Complaint,
    _claim: Claim,
}

/// The two ends of the pipe to a browser.
pub(super) type Pipe = (ChildStdout, ChildStdin);

/// The first words that a browser wrote to its error stream. They are looked at and never shown: they may name pages.
#[derive(Debug, Clone, Default)]
struct Complaint(Arc<Mutex<Vec<u8>>>);

impl Process {
    /// Starts a browser, in a group of its own so that it is not ended by a key in the terminal; with `piped` the protocol is
    /// spoken through a pipe that no other process has.
    ///
    /// # Errors
    ///
    /// `Launch` when it cannot be run; `Disk` when it cannot be noted, and it is ended then.
    pub(super) fn start(
        program: &Path,
        arguments: &[OsString],
        piped: bool,
        (profile, claim): (&Profile, Claim),
    ) -> Result<(Self, Option<Pipe>)> {
        let failed = |source| Error::Launch {
            program: program.into(),
            reason: "the system could not run it, so check that it is installed whole",
            source: Some(source),
        };
        let mut command = if piped {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", PIPES, "sh"]).arg(program).stdin(Stdio::piped()).stdout(Stdio::piped());
            command
        } else {
            let mut command = Command::new(program);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            command
        };
        command.args(arguments).current_dir("/").stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let pid = pid.ok_or_else(|| failed(io::Error::other("the process has no number")))?;
        let complaint = Complaint::default();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(complaint.clone().listen(stderr));
        }
        let pipe = child.stdout.take().zip(child.stdin.take());
        let profile = profile.clone();
        let process = Self { child, pid, reaped: false, profile, complaint, _claim: claim };
        // RACE: an owner that is killed right here leaves a browser that nobody has noted. One with a pipe ends by itself then; a
        // window stays, and holds Chromium's own lock, so the next start says that the profile is in use.
        leftover::note(&process.profile, pid)?;
        Ok((process, pipe))
    }

    /// Returns the process's number.
    pub(super) fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Tells whether it runs, without taking its end from the system.
    pub(super) fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !self.reaped && matches!(rustix::process::waitid(WaitId::Pid(self.pid), options), Ok(None))
    }

    /// Says why it failed, when it ended by saying that it did.
    pub(super) fn failed(&self) -> Option<&'static str> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(self.pid), options).ok().flatten()?;
        status.exit_status().filter(|code| *code != 0).map(|_| self.reason())
    }

    /// Waits until it has ended; false when it runs on after `within`.
    pub(super) async fn ended(&self, within: Duration, pause: Duration) -> bool {
        let deadline = Instant::now() + within;
        while self.is_running() {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(pause).await;
        }
        true
    }

    /// Says why a browser ended while it started.
    pub(super) fn reason(&self) -> &'static str {
        let said = self.complaint.0.lock().unwrap_or_else(PoisonError::into_inner);
        reason(&String::from_utf8_lossy(&said))
    }

    /// Ends the browser: by itself when it was told to (`told`), then by SIGTERM, then by SIGKILL, and what is left of its group.
    /// It takes a few seconds at most. The profile is free afterwards.
    pub(super) async fn end(mut self, told: bool) {
        let gone = told && self.ended(CLOSE_WAIT, PAUSE).await;
        if !gone && self.is_running() {
            let sent = rustix::process::kill_process(self.pid, Signal::TERM);
            tracing::debug!(?sent, "a browser was asked to end");
            let _ended: bool = self.ended(TERM_WAIT, PAUSE).await;
        }
        // Also when the browser has ended: what is left of its group is its children.
        self.kill_group();
        if tokio::time::timeout(KILL_WAIT, self.child.wait()).await.is_ok_and(|waited| waited.is_ok()) {
            self.reaped = true;
            leftover::forget(&self.profile);
        }
        // Those that are in a sandbox take a moment to go. This only looks, so it harms nobody who has the number by now.
        let deadline = Instant::now() + KILL_WAIT;
        while rustix::process::test_kill_process_group(self.pid).is_ok() && Instant::now() < deadline {
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn kill_group(&self) {
        let sent = rustix::process::kill_process_group(self.pid, Signal::KILL);
        tracing::debug!(?sent, "the rest of a browser was ended");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Who has no time to end it in order leaves no orphan all the same; tokio waits for the child later.
        if !self.reaped {
            self.kill_group();
        }
    }
}

impl Complaint {
    /// Reads to the end: a browser whose error stream nobody reads would stop when it is full.
    async fn listen(self, mut stderr: ChildStderr) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let room = COMPLAINT_BYTES_MAX.saturating_sub(said.len()).min(read);
            said.extend_from_slice(buffer.get(..room).unwrap_or_default());
        }
    }
}

fn reason(said: &str) -> &'static str {
    let known = [
        ("without --no-sandbox", "its sandbox does not run as root, so run it as another user"),
        (
            "No usable sandbox",
            "its sandbox cannot be used, so allow user namespaces (`sysctl kernel.unprivileged_userns_clone`)",
        ),
        ("Missing X server", "there is no display, so run it on a desktop"),
        ("cannot open display", "there is no display, so run it on a desktop"),
        (
            "profile appears to be in use",
            "its profile is in use on another machine, so remove `data/SingletonLock` in it if it is not",
        ),
        ("error while loading shared libraries", "a library is missing, so install it anew"),
        ("not found", "a part of it is missing, so install it anew"),
    ];
    let found = known.iter().find(|(word, _)| said.contains(word));
    found.map_or("it ended at once, so start it by hand to see what it says", |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_complaints_become_advice() {
        let root = "[1:1:ERROR] Running as root without --no-sandbox is not supported.";
        assert!(reason(root).contains("another user"));
        assert!(reason("Missing X server or $DISPLAY").contains("desktop"));
        assert!(reason("").contains("by hand"));
    }

    #[tokio::test]
    async fn a_program_that_does_not_heed_sigterm_is_killed_with_its_children() {
        let home = tempfile::tempdir().unwrap();
        let profile = Profile::at(home.path().join("p"));
        let claim = profile.claim(Duration::ZERO).await.unwrap();
        let script: Vec<OsString> =
            ["-c", "trap '' TERM; sleep 300 & echo $! >&4; wait; wait"].map(OsString::from).to_vec();
        let (process, pipe) = Process::start(Path::new("/bin/sh"), &script, true, (&profile, claim)).unwrap();
        let (mut output, _input) = pipe.unwrap();
        let mut buffer = [0; 32];
        let read = output.read(&mut buffer).await.unwrap();
        let child: i32 = String::from_utf8_lossy(&buffer[..read]).trim().parse().unwrap();
        assert!(process.is_running());
        let pid = process.pid;
        process.end(false).await;
        assert!(rustix::process::test_kill_process(pid).is_err());
        let child = Pid::from_raw(child).unwrap();
        let gone = async {
            while super::super::identity::Identity::of(child).is_some() {
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(KILL_WAIT, gone).await.unwrap();
        assert!(!profile.note().exists());
        profile.claim(Duration::ZERO).await.unwrap();
    }
}
