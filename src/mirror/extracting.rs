//! Reads the text of a file in a process of its own: this very program, started anew, with limits.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::sync::Semaphore;

use crate::extract::{Format, OUTPUT_BYTES_MAX};

/// How many such processes there are at once, over all accounts.
const PROCESSES_MAX: usize = 2;

/// How long one may take, waiting for a processor included.
const WAIT: Duration = Duration::from_secs(120);

/// The most bytes of an answer: a text, in which JSON doubles what must be escaped.
const ANSWER_BYTES_MAX: usize = 2 * OUTPUT_BYTES_MAX;

/// The signal that ends who has used up the time of the processor; the number is the same on all systems that this runs on.
const SIGNAL_OF_TIME: i32 = 24;

static SLOTS: Semaphore = Semaphore::const_new(PROCESSES_MAX);

const TOO_LONG: &str = "it takes too long to read";

/// Reads the text of a file, or says why there is none. Dropped, it ends the process.
///
/// # Errors
///
/// When no process can be started: that says nothing of the file.
pub(super) async fn text(program: &Path, format: Format, bytes: &[u8]) -> io::Result<Result<String, String>> {
    let _slot = SLOTS.acquire().await.map_err(io::Error::other)?;
    let mut child = Command::new(program)
        .arg("extract")
        // Nothing of ours is for the libraries that read the file.
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the process has no pipes"));
    };
    let head = serde_json::to_value(format)?;
    let head = format!("{}\n", head.as_str().unwrap_or_default());
    let write = async {
        // One that ended before it had read all says so by its end.
        let written = async {
            input.write_all(head.as_bytes()).await?;
            input.write_all(bytes).await
        };
        let written = written.await;
        tracing::debug!(?written, "a file was given to the process that reads it");
        drop(input);
    };
    let read = async {
        let mut answer = Vec::new();
        let limit = u64::try_from(ANSWER_BYTES_MAX).unwrap_or(u64::MAX);
        output.take(limit).read_to_end(&mut answer).await.map(|_| answer)
    };
    let all = async {
        let ((), answer) = tokio::join!(write, read);
        io::Result::Ok((answer?, child.wait().await?))
    };
    let Ok(done) = tokio::time::timeout(WAIT, all).await else {
        return Ok(Err(TOO_LONG.to_owned()));
    };
    let (answer, status) = done?;
    Ok(said(&answer, status))
}

/// What a process that ended says of its file.
fn said(answer: &[u8], status: ExitStatus) -> Result<String, String> {
    if status.success() {
        let known: Option<Result<String, String>> = serde_json::from_slice(answer).ok();
        return known.unwrap_or_else(|| Err("its text is too long".to_owned()));
    }
    Err(match status.signal() {
        Some(SIGNAL_OF_TIME) => TOO_LONG,
        // Who asks for memory that there is not is ended, and so is who has no stack left.
        Some(_) => "it takes too much memory to read",
        None => "it is damaged, or no such file",
    }
    .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_process_says_why_there_is_no_text() {
        // What `wait` gives: the signal, or the exit code in the second byte.
        for (answer, status, expected) in [
            (r#"{"Ok":"One"}"#, 0, Ok("One")),
            (r#"{"Err":"it is empty"}"#, 0, Err("it is empty")),
            (r#"{"Ok":"On"#, 0, Err("its text is too long")),
            (r#"{"Ok":"One"}"#, 24, Err(TOO_LONG)),
            ("", 6, Err("it takes too much memory to read")),
            ("", 101 << 8, Err("it is damaged, or no such file")),
        ] {
            let said = said(answer.as_bytes(), ExitStatus::from_raw(status));
            assert_eq!(said.as_deref().map_err(String::as_str), expected, "{answer} {status}");
        }
    }
}
