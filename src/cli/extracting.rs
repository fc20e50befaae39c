//! A process that reads the text of one file, so that whatever the file does to it does nothing to the daemon.
//!
//! On stdin stands the format, the end of a line, and the file; on stdout the text, or why there is none, as JSON. The process limits
//! itself before it reads: a library that loops or eats memory ends with it.

use std::io::{Read as _, Write as _};

use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};

use super::Answer;
use crate::error::Error;
use crate::extract::{self, Format};
use crate::tools::ErrorAnswer;

/// The most memory that it may take, in bytes: a file of 50 MB, and its pages unpacked.
const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// The longest that it may work, in seconds of its processor: a book takes one.
const PROCESSOR_SECONDS_MAX: u64 = 30;

/// The stack of the thread that reads; libraries may descend into a file.
const STACK_BYTES: usize = 32 << 20;

/// How much less the process is worth than others.
const NICE: i32 = 10;

/// The longest name of a format, with the end of its line.
const FORMAT_BYTES_MAX: usize = 32;

/// Reads one file.
pub(super) fn run() -> Answer<()> {
    limit();
    let reading = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(read).map_err(failed)?;
    let Ok(result) = reading.join() else {
        return Err(ErrorAnswer::invalid("the file cannot be read", "Nothing can be done about it."));
    };
    let result = result.map_err(failed)?;
    let json = serde_json::to_vec(&result).map_err(|error| failed(error.into()))?;
    std::io::stdout().write_all(&json).and_then(|()| std::io::stdout().flush()).map_err(failed)
}

fn read() -> std::io::Result<Result<String, String>> {
    let limit = u64::try_from(extract::INPUT_BYTES_MAX + FORMAT_BYTES_MAX + 1).unwrap_or(u64::MAX);
    let mut input = Vec::new();
    std::io::stdin().lock().take(limit).read_to_end(&mut input)?;
    let bad = || std::io::Error::other("no format that is read stands before the file");
    let end = input.iter().take(FORMAT_BYTES_MAX).position(|byte| *byte == b'\n').ok_or_else(bad)?;
    let (format, rest) = input.split_at(end);
    let format: Format =
        serde_json::from_value(String::from_utf8_lossy(format).into_owned().into()).map_err(|_unknown| bad())?;
    Ok(extract::text(format, rest.get(1..).unwrap_or_default()))
}

/// Limits this process. What a system does not know is done without: whoever started this ends it when it takes too long.
fn limit() {
    for (resource, most) in [
        (Resource::As, MEMORY_BYTES_MAX),
        (Resource::Cpu, PROCESSOR_SECONDS_MAX),
        // Nothing is written, not even what is left of a process that fell.
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ] {
        let most = getrlimit(resource).maximum.map_or(most, |allowed| allowed.min(most));
        if let Err(error) = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }) {
            tracing::debug!(?resource, %error, "a limit is not known here");
        }
    }
    if let Err(error) = nice(NICE) {
        tracing::debug!(%error, "the process is worth as much as others");
    }
}

fn failed(source: std::io::Error) -> ErrorAnswer {
    ErrorAnswer::from(&Error::Disk { path: "the file to be read".into(), doing: "read", source })
}
