//! Reads a file whole, or says why it cannot be used.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::stamp;
use crate::model::{ContentHash, Notice};
use crate::sync::Local;

/// The longest file that is read, in bytes; far beyond what a Doc can hold.
pub(super) const FILE_BYTES_MAX: u64 = 16 << 20;

/// How often a file that changes while it is read is read again at once.
const TRIES_MAX: usize = 3;

/// Reads `name` in `folder`; `path` is the same file, for looking at it without opening it.
pub(super) fn observe(folder: &OwnedFd, path: &Path, name: &str) -> Local {
    observe_up_to(FILE_BYTES_MAX, folder, path, name)
}

/// Reads a file that has so many bytes at most.
pub(super) fn observe_up_to(bytes_max: u64, folder: &OwnedFd, path: &Path, name: &str) -> Local {
    for _ in 0..TRIES_MAX {
        if let Some(local) = read_once(bytes_max, folder, path, name) {
            return local;
        }
    }
    Local::Restless
}

/// Reads the file once; `None` when it changed meanwhile.
fn read_once(bytes_max: u64, folder: &OwnedFd, path: &Path, name: &str) -> Option<Local> {
    // Without NONBLOCK, opening a pipe would wait for its writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Some(Local::Absent),
        Err(rustix::io::Errno::LOOP) => {
            return Some(unusable("NOT_A_FILE", "this is a link; put the file itself here".into()));
        }
        // Nobody can open a socket.
        Err(rustix::io::Errno::NXIO | rustix::io::Errno::OPNOTSUPP) => return Some(not_a_file()),
        Err(errno) => return Some(unreadable(&errno.into())),
    };
    let before = match file.metadata() {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) => return Some(not_a_file()),
        Err(error) => return Some(unreadable(&error)),
    };
    if before.len() > bytes_max {
        let limit = bytes_max >> 20;
        return Some(unusable(
            "TOO_LONG",
            format!("this file is longer than {limit} MiB; shorten it to have it pushed"),
        ));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or(0) + 1);
    if let Err(error) = (&mut file).take(bytes_max + 1).read_to_end(&mut bytes) {
        return Some(unreadable(&error));
    }
    // The open file and the name must both still be what they were: a rename in between is a change too.
    let before = stamp(&before);
    let unchanged = file.metadata().is_ok_and(|after| stamp(&after) == before)
        && fs::symlink_metadata(path).is_ok_and(|after| stamp(&after) == before)
        && u64::try_from(bytes.len()).is_ok_and(|len| len == before.len_bytes);
    if !unchanged {
        return None;
    }
    let hash = ContentHash::of(&bytes);
    Some(match text(bytes) {
        Ok(text) => Local::Text { stamp: before, hash, text },
        Err(notice) => Local::Unusable { notice },
    })
}

/// Turns bytes into text: a byte order mark removed, line ends as `\n`.
fn text(bytes: Vec<u8>) -> Result<String, Notice> {
    if let Some(position) = bytes.iter().position(|byte| *byte == 0) {
        let line = line_of(&bytes, position);
        return Err(notice(
            "NUL",
            line,
            "this line holds a NUL byte; remove it and save the file as UTF-8 text".into(),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
        notice("NOT_UTF8", line, "this line is not valid UTF-8; save the file with the encoding UTF-8".into())
    })?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(if text.contains('\r') { text.replace("\r\n", "\n") } else { text })
}

fn line_of(bytes: &[u8], position: usize) -> u32 {
    let newlines = bytes.iter().take(position).filter(|byte| **byte == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

fn not_a_file() -> Local {
    unusable("NOT_A_FILE", "this is not a regular file; move it away and run `restore`".into())
}

fn unreadable(error: &io::Error) -> Local {
    unusable("UNREADABLE", format!("this file cannot be read ({error}); make it readable for you"))
}

fn unusable(code: &str, message: String) -> Local {
    Local::Unusable { notice: notice(code, 0, message) }
}

fn notice(code: &str, line: u32, message: String) -> Notice {
    Notice { code: code.into(), line, column: 0, message }
}

#[cfg(test)]
mod tests {
    use super::text;

    fn check(bytes: &[u8], expected: Result<&str, (&str, u32)>) {
        let found = text(bytes.to_vec());
        let found = found.as_deref().map_err(|notice| (notice.code.as_str(), notice.line));
        assert_eq!(found, expected);
    }

    #[test]
    fn bytes_become_text() {
        check(b"a\nb\n", Ok("a\nb\n"));
        check(b"\xef\xbb\xbfa\r\nb\rc\r\n", Ok("a\nb\rc\n"));
        check(b"", Ok(""));
        check(b"a\nb\0", Err(("NUL", 2)));
        check(b"a\n\n\xff", Err(("NOT_UTF8", 3)));
        check(b"\xff\xfea\0", Err(("NUL", 1)));
    }
}
